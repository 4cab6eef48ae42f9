/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Processors with weakly ordered stores. A store waits in its processor's buffer and becomes
 * visible at any later moment, in any order with the others there, except: after earlier ones to
 * the same place, and, when it is a release, after all earlier ones. A load finds the processor's
 * own newest store, else what is visible. Loads are not reordered with each other; an acquire is
 * a load.
 *
 * The model defines VARS, PROCESSORS, CAN(p) (may processor p's process use membarrier()?), and
 * optionally VISIBLE(v), done when a store to v becomes visible. Every process has a variable
 * `reached`, for barriers.
 */
#ifndef K
#define K 3 /* stores that wait at a time; no more */
#endif

#ifndef VISIBLE
#define VISIBLE(v) skip
#endif

typedef stores {
	byte count;
	byte place[K + 1];
	byte value[K + 1];
	bit release[K + 1];
};

byte memory[VARS];
stores waits[PROCESSORS];

#define waits_at(p, i, v) (waits[p].count > i && waits[p].place[i] == v)
#define waits_for(p, v)	  (waits_at(p, 0, v) || waits_at(p, 1, v) || waits_at(p, 2, v))

inline store_as(p, v, x, r)
{
	atomic {
		waits[p].count < K;
		waits[p].place[waits[p].count] = v;
		waits[p].value[waits[p].count] = x;
		waits[p].release[waits[p].count] = r;
		waits[p].count++
	}
}

#define store(p, v, x)	       store_as(p, v, x, 0)
#define store_release(p, v, x) store_as(p, v, x, 1)

inline load(p, v, x)
{
	d_step {
		x = memory[v];
		if
		:: waits_at(p, 0, v) -> x = waits[p].value[0]
		:: else
		fi;
		if
		:: waits_at(p, 1, v) -> x = waits[p].value[1]
		:: else
		fi;
		if
		:: waits_at(p, 2, v) -> x = waits[p].value[2]
		:: else
		fi
	}
}

/* An atomic exchange, relaxed. */
inline exchange(p, v, x, old)
{
	atomic {
		!waits_for(p, v);
		old = memory[v];
		memory[v] = x
	}
}

inline fence(p)
{
	waits[p].count == 0
}

/* priv_barrier_heavy(): a fence here, and one on every processor that membarrier() reaches. */
inline heavy(p)
{
	fence(p);
	if
	:: CAN(p) ->
		for (reached : 0 .. PROCESSORS - 1) {
			if
			:: CAN(reached) -> waits[reached].count == 0
			:: else
			fi
		}
	:: else
	fi
}

/* An eventfd: the kernel's locks order what came before it. */
#define ring(p, v) store_release(p, v, 1)

inline sleep_until_rung(v)
{
	atomic {
		memory[v] == 1;
		memory[v] = 0
	}
}

inline make_visible(p, i)
{
	d_step {
		memory[waits[p].place[i]] = waits[p].value[i];
		VISIBLE(waits[p].place[i]);
		waits[p].count--;
		if
		:: i < 1 && waits[p].count > 0 ->
			waits[p].place[0] = waits[p].place[1];
			waits[p].value[0] = waits[p].value[1];
			waits[p].release[0] = waits[p].release[1]
		:: else
		fi;
		if
		:: i < 2 && waits[p].count > 1 ->
			waits[p].place[1] = waits[p].place[2];
			waits[p].value[1] = waits[p].value[2];
			waits[p].release[1] = waits[p].release[2]
		:: else
		fi;
		/* one state, however it came about */
		waits[p].place[waits[p].count] = 0;
		waits[p].value[waits[p].count] = 0;
		waits[p].release[waits[p].count] = 0
	}
}

#define may_overtake(p, i, j) (!waits[p].release[i] && waits[p].place[i] != waits[p].place[j])

active [PROCESSORS] proctype store_buffer()
{
	byte p = _pid;
end:
	do
	:: waits[p].count > 0 -> make_visible(p, 0)
	:: waits[p].count > 1 && may_overtake(p, 1, 0) -> make_visible(p, 1)
	:: waits[p].count > 2 && may_overtake(p, 2, 0) && may_overtake(p, 2, 1) ->
		make_visible(p, 2)
	od
}
