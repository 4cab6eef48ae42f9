/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * chan/lane.h: who may claim. The first producer owns the lane and claims without lock; the second
 * one takes the privilege away, after which both take the lock. Each claims CLAIMS times and goes,
 * which leaves a lane that it owns to the next. The steps are those of the functions named at the
 * right. Asked: does nobody claim what another one has claimed?
 *
 * -DPRODUCERS=3: three of them. (Without membarrier() nobody owns the lane: all is done under the
 * lock.)
 */
#ifndef PRODUCERS
#define PRODUCERS 2
#endif
#ifndef CLAIMS
#define CLAIMS 2
#endif

#define PROCESSORS PRODUCERS
#define CAN(p)	   true

#define OWNER	0 /* 1 + who; SHARED: nobody any more */
#define CLAIMED 1
#define LOCK	2
#define BUSY	3 /* one for each producer */
#define VARS	(BUSY + PRODUCERS)

#define SHARED 100

byte inside; /* how many are claiming */
byte total;  /* claims */

#include "weak.pml"

#ifdef MUTANT_NO_BARRIER
#define barrier(p) skip
#else
#define barrier(p) heavy(p)
#endif

#ifdef MUTANT_NO_WAIT
#define await_end_of_claim(p, v) skip
#else
#define await_end_of_claim(p, v) memory[v] == 0
#endif

#ifdef MUTANT_EARLY_END
#define end_claim(p) store(p, BUSY + p, 0)
#else
#define end_claim(p) store_release(p, BUSY + p, 0)
#endif

#ifdef MUTANT_DISOWN_WITHOUT_LOCK
#define lock_to_disown(p)   skip
#define unlock_to_disown(p) skip
#else
#define lock_to_disown(p)   lock(p)
#define unlock_to_disown(p) unlock(p)
#endif

inline lock(p)
{
	atomic {
		memory[LOCK] == 0 && !waits_for(p, LOCK);
		memory[LOCK] = 1
	}
}

#define unlock(p) store_release(p, LOCK, 0)

inline claim_next(p)                                               /* lane_claim_next() */
{
	inside++;
	assert(inside == 1);
	load(p, CLAIMED, index);
	assert(index == total);
	store(p, CLAIMED, index + 1);
	total++;
	inside--
}


active [PRODUCERS] proctype producer()
{
	byte me = _pid - PROCESSORS;
	byte owner, index, count, reached;

	do
	:: count < CLAIMS ->                                       /* lane_claim() */
#ifdef MUTANT_BUSY_TOO_LATE
		load(me, OWNER, owner);
		store(me, BUSY + me, 1);
#else
		store(me, BUSY + me, 1);
		load(me, OWNER, owner);
#endif
		if
		:: owner == me + 1 ->
			claim_next(me);
			end_claim(me)
		:: else ->
			end_claim(me);
			lock(me);                                  /* lane_claim_shared() */
			load(me, OWNER, owner);
			if
			:: owner == 0 -> store(me, OWNER, me + 1)
			:: owner == SHARED
			:: else ->                                 /* take_over() */
				store(me, OWNER, SHARED);
				barrier(me);
				await_end_of_claim(me, BUSY + owner - 1)
			fi;
			claim_next(me);
			unlock(me)
		fi;
		count++
	:: else -> break
	od;
	lock_to_disown(me);                                        /* lane_disown() */
	load(me, OWNER, owner);
	if
	:: owner == me + 1 -> store(me, OWNER, 0)
	:: else
	fi;
	unlock_to_disown(me)
}
