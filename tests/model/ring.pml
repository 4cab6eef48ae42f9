/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * base/ring.h: a ring of two lines. The receiver sleeps when there is no record, the sender when
 * there is no room; either may also look again as often as it likes. The steps are those of the
 * functions named at the right. Asked: does every record arrive, once and whole, and does nobody
 * sleep for ever?
 *
 * The receiver may ask the sender for fences, and then does without the heavy barrier, until it
 * takes that back (base/sleeper.h).
 *
 * -DSENDER_CAN=0, -DRECEIVER_CAN=0: that process has no membarrier().
 */
#ifndef SENDER_CAN
#define SENDER_CAN 1
#endif
#ifndef RECEIVER_CAN
#define RECEIVER_CAN 1
#endif

#define SENDER	   0
#define RECEIVER   1
#define PROCESSORS 2
#define CAN(p)	   (((p) == SENDER && SENDER_CAN) || ((p) == RECEIVER && RECEIVER_CAN))

#define SEQ	      0 /* two lines */
#define DATA	      2
#define TAIL	      4
#define SLEEPING      5
#define WAITING	      6
#define RECEIVER_BELL 7
#define SENDER_BELL   8
#define FENCES	      9
#define VARS	      10

#define LINES	2
#define RECORDS 4

#include "weak.pml"

/* Whoever cannot be reached by the other, or cannot reach it, has the two of them use fences. */
#if defined(MUTANT_FENCE_FOR_ONESELF) /* only the one who cannot use membarrier() */
#define MUST_FENCE(p) (!CAN(p))
#elif defined(MUTANT_NO_FENCE)
#define MUST_FENCE(p) false
#else
#define MUST_FENCE(p) (!SENDER_CAN || !RECEIVER_CAN)
#endif

#ifdef MUTANT_NO_BARRIER
#define barrier(p) skip
#else
#define barrier(p) heavy(p)
#endif

#ifdef MUTANT_ASK_WITHOUT_BARRIER
#define ask_barrier(p) fence(p)
#else
#define ask_barrier(p) barrier(p)
#endif

#ifdef MUTANT_FORGET_REVOCATION /* is still content with a fence */
#define revoked 1
#else
#define revoked 0
#endif

#ifdef MUTANT_EARLY_TAIL
#define publish_tail(x) store(RECEIVER, TAIL, x)
#else
#define publish_tail(x) store_release(RECEIVER, TAIL, x)
#endif

#ifdef MUTANT_EARLY_SEQ
#define publish_seq(line, x) store(SENDER, SEQ + line, x)
#else
#define publish_seq(line, x) store_release(SENDER, SEQ + line, x)
#endif

/* sleeper_announce(), then the barrier */
inline announce()
{
	store(RECEIVER, SLEEPING, 1);
	if
	:: asked -> fence(RECEIVER)
	:: !asked -> barrier(RECEIVER)
	:: !asked ->                                               /* often */
		exchange(RECEIVER, FENCES, 1, found);
		asked = 1;
		ask_barrier(RECEIVER)
	fi
}

/* sleeper_note_work() */
inline revoke()
{
	if
	:: asked ->
		asked = revoked;
		exchange(RECEIVER, FENCES, 0, found)
	:: true
	fi
}

#ifdef MUTANT_DEAF_SENDER
#define ask(p) skip
#else
#define ask(p) if :: (p == SENDER) -> load(p, FENCES, found) :: else fi
#endif

/* sleeper_wants_wake(): does the other one want to be woken? */
inline wake(p, word, bell)
{
	found = 0;
	ask(p);
	if
	:: found || MUST_FENCE(p) -> fence(p)
	:: else
	fi;
	load(p, word, found);
	if
	:: found ->
		exchange(p, word, 0, found);
		if
		:: found -> ring(p, bell)
		:: else
		fi
	:: else
	fi
}

active proctype sender()
{
	byte sent, tail, found, reached;

	do
	:: sent < RECORDS ->
		load(SENDER, TAIL, tail);                          /* priv_ring_refresh() */
		if
		:: sent - tail == LINES && true                    /* looks again */
		:: sent - tail == LINES ->                         /* sleeps */
#ifdef MUTANT_LOOK_FIRST
			store(SENDER, WAITING, 1);
#else
			store(SENDER, WAITING, 1);                 /* ring_wait_for_room() */
			barrier(SENDER);
			load(SENDER, TAIL, tail);
#endif
			if
			:: sent - tail == LINES -> sleep_until_rung(SENDER_BELL)
			:: else
			fi
		:: else ->
			store(SENDER, DATA + sent % LINES, sent + 1); /* ring_fill() */
			publish_seq(sent % LINES, sent + 1);       /* ring_publish() */
			sent++;
			wake(SENDER, SLEEPING, RECEIVER_BELL)
		fi
	:: else -> break
	od
}

active proctype receiver()
{
	byte taken, seq, data, found, reached, asked;

	do
	:: taken < RECORDS ->
		load(RECEIVER, SEQ + taken % LINES, seq);          /* ring_has_record() */
		if
		:: seq != taken + 1 && true                        /* looks again */
		:: seq != taken + 1 ->                             /* sleeps */
#ifdef MUTANT_LOOK_FIRST
			store(RECEIVER, SLEEPING, 1);
#else
			announce();
			load(RECEIVER, SEQ + taken % LINES, seq);
#endif
			if
			:: seq != taken + 1 -> sleep_until_rung(RECEIVER_BELL)
			:: else -> store(RECEIVER, SLEEPING, 0)    /* sleeper_revoke() */
			fi
		:: else ->
			load(RECEIVER, DATA + taken % LINES, data); /* ring_copy() */
			assert(data == taken + 1);
			store(RECEIVER, DATA + taken % LINES, 0);  /* ring_release_lines() */
			taken++;
			publish_tail(taken);                       /* ring_publish_tail() */
			revoke();
			wake(RECEIVER, WAITING, SENDER_BELL)
		fi
	:: else -> break
	od
}
