/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Letting others run: docs/decisions/0039-naps-on-a-crowded-cpu.md.
 */
#include "base/yield.h"

#include <sched.h>
#include "base/clock.h"

/* Without work for so long a thread lets others run, and then so often. */
#define AFTER_TICKS 150000
#define AGAIN_TICKS 60000
/* Where there was work as soon as others had run: half of that, and so on. */
#define HURRY_MAX 5
/* Whoever was away for so long shares the CPU with somebody who uses it as long as he may. */
#define CROWDED_TICKS 2000000
/* Between two naps. */
#define AWAKE_TICKS 20000
/* So many naps before it is seen again how long others take. */
#define NAPS_PER_CROWD 16

static __thread struct {
	uint64_t due;
	unsigned int hurry;
	unsigned int naps; /* left */
	bool has_been;
	bool in_vain; /* one look since then, or since the time before, found nothing */
} yield __attribute__((tls_model("initial-exec")));

void yield_put_off(uint64_t now)
{
	yield.due = now + (AFTER_TICKS >> yield.hurry);
}

bool yield_is_due(uint64_t now)
{
	return now >= yield.due;
}

bool yield_to_others(uint64_t now)
{
	uint64_t begin = clock_ticks();

	yield.due = now + (AGAIN_TICKS >> yield.hurry);
	sched_yield();
	yield.has_been = true;
	yield.naps = clock_ticks() - begin >= CROWDED_TICKS ? NAPS_PER_CROWD : 0;
	return !yield.naps;
}

bool yield_has_been(void)
{
	return yield.has_been;
}

void yield_note_vain(void)
{
	yield.has_been = false;
	yield.hurry -= yield.hurry != 0;
}

void yield_note(bool found_work)
{
	/* It may be in another engine of the thread, which is looked at next. */
	yield.in_vain = !found_work && !yield.in_vain;
	if (yield.in_vain)
		return;
	if (!found_work) {
		yield_note_vain();
		return;
	}
	yield.has_been = false;
	if (yield.hurry < HURRY_MAX)
		yield.hurry++;
}

unsigned int priv_yield_hurry(void)
{
	return yield.hurry;
}

bool yield_wants_nap(void)
{
	if (!yield.naps)
		return false;
	yield.naps--;
	return true;
}

void yield_note_nap(uint64_t now)
{
	yield.due = now + AWAKE_TICKS;
}
