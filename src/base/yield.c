/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Letting others run: docs/decisions/0039-naps-on-a-crowded-cpu.md.
 */
#include "base/yield.h"

#include <sched.h>
#include <sys/resource.h>
#include "base/clock.h"

/* A thread without work lets others run after so many ticks, and then again every so many. */
#define AFTER_TICKS 150000
#define AGAIN_TICKS 60000
/* How often that wait may be halved: each time there was work as soon as others had run. */
#define HURRY_MAX 6
#define NAP_HURRY 5 /* and so often for naps */
/* When it is as short as it gets, the kernel is asked every so often whether others do run. */
#define WORTHS_PER_LOOK 64
/* A thread that was away for this long shares its CPU with one that keeps it as long as it may. */
#define CROWDED_TICKS 2000000
/* How long a thread stays awake between two naps in vain. */
#define AWAKE_TICKS 20000
/*
 * The number of short naps before the thread yields again to see how long others take, which costs
 * as long as they take. A long nap counts for several: nobody is in a hurry.
 */
#define NAPS_PER_CROWD 256
#define NAPS_PER_WAIT  16
/* The first time it may have been chance; a thread that has its CPU for itself had better poll. */
#define NAPS_AT_FIRST 16

/*
 * A thread that slept for less than this was woken as soon as it slept: its peer waited for this
 * very CPU, or, if a wake-up takes long, had been about to answer.
 */
#define SHORT_NAP_TICKS 300000
/*
 * After so many of these naps, with no work before any of them, the peer is taken to be on this
 * CPU, for so many more naps.
 */
#define NAPS_IN_VAIN_MAX 4
#define NAPS_IN_HURRY	 256

static __thread struct {
	uint64_t due;
	unsigned int hurry;
	unsigned int worths;  /* in a hurry, until the next look */
	uint64_t switches;    /* of the thread, at the last look */
	unsigned int naps;    /* left */
	unsigned int answers; /* since the last nap */
	unsigned int naps_in_vain;
	unsigned int naps_in_hurry; /* left */
	bool is_crowded;	    /* others kept the CPU the last time */
	bool has_been;
	bool in_vain; /* one look since then, or since the time before, found nothing */
} yield __attribute__((tls_model("initial-exec")));

unsigned int priv_yield_hurry(void)
{
	if (yield.naps)
		return yield.naps_in_hurry ? NAP_HURRY : 0;
	return yield.hurry;
}

void yield_put_off(uint64_t now)
{
	yield.due = now + (AFTER_TICKS >> priv_yield_hurry());
}

bool yield_is_due(uint64_t now)
{
	return clock_has_come_to(now, yield.due, AFTER_TICKS);
}

/* It was not worth while, whatever there is to do now. */
static void note_vain(void)
{
	yield.has_been = false;
	yield.hurry -= yield.hurry != 0;
}

void priv_yield_to_others(void)
{
	uint64_t begin = clock_ticks();

	yield.due = begin + (AGAIN_TICKS >> yield.hurry);
	sched_yield();
	yield.has_been = true;
	yield.naps = 0;
	if (clock_ticks() - begin < CROWDED_TICKS) {
		yield.is_crowded = false;
		return;
	}
	yield.naps = yield.is_crowded ? NAPS_PER_CROWD : NAPS_AT_FIRST;
	yield.is_crowded = true;
	note_vain(); /* after so long there is work wherever the peer runs */
}

bool yield_has_been(void)
{
	return yield.has_been;
}

/* Has somebody else had the CPU since the last time that this was asked? */
static bool others_have_run(void)
{
	uint64_t before = yield.switches;
	struct rusage usage;

	if (getrusage(RUSAGE_THREAD, &usage))
		return true; /* a filter: who knows? */
	yield.switches = (uint64_t)usage.ru_nvcsw + (uint64_t)usage.ru_nivcsw;
	return yield.switches != before;
}

/*
 * There was work afterwards. But a peer on another CPU, which takes about as long to answer as the
 * shortest wait before a yield lasts, did not need it.
 */
static bool was_worth_while(void)
{
	if (yield.hurry == HURRY_MAX && yield.worths--)
		return true;
	yield.worths = WORTHS_PER_LOOK;
	return others_have_run();
}

void yield_note(bool found_work)
{
	/* It may be in another engine of the thread, which is looked at next. */
	yield.in_vain = !found_work && !yield.in_vain;
	if (yield.in_vain)
		return;
	if (!found_work || !was_worth_while()) {
		note_vain();
		return;
	}
	yield.has_been = false;
	if (yield.hurry < HURRY_MAX)
		yield.hurry++;
}

bool yield_has_naps(void)
{
	return yield.naps;
}

bool yield_wants_nap(void)
{
	if (!yield.naps)
		return false;
	yield.naps--;
	return true;
}

void yield_note_answer(void)
{
	yield.answers++;
}

void yield_note_nap(uint64_t begin, uint64_t now)
{
	bool was_answered = yield.answers > 1; /* one may have come during the last nap */
	bool was_short = now - begin < SHORT_NAP_TICKS;

	yield.due = now + AWAKE_TICKS;
	yield.answers = 0;
	if (!was_short)
		yield.naps -= yield.naps < NAPS_PER_WAIT ? yield.naps : NAPS_PER_WAIT;
	if (yield.naps_in_hurry) {
		yield.naps_in_hurry--;
	} else if (was_answered) {
		yield.naps_in_vain = 0;
	} else if (was_short && ++yield.naps_in_vain == NAPS_IN_VAIN_MAX) {
		yield.naps_in_vain = 0;
		yield.naps_in_hurry = NAPS_IN_HURRY;
	}
}
