/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * When a thread that polls lets others have its CPU: its peer may be waiting for this very one. All
 * of it belongs to the thread, whatever groups it polls; times are in ticks (clock.h).
 */
#ifndef SOFTFIELD_BASE_YIELD_H
#define SOFTFIELD_BASE_YIELD_H

#include <stdbool.h>
#include <stdint.h>
#include "base/export.h"

/* There is work, or was a moment ago. */
void yield_put_off(uint64_t now);
/* Has the thread had nothing to do for long? */
bool yield_is_due(uint64_t now);
/* Others run. Unless they give the CPU back at once, yield_is_due() again. */
PRIV_EXPORT void priv_yield_to_others(void);

/* Have they since the last call of yield_note()? */
bool yield_has_been(void);
/* Whether there was work afterwards: then the next time comes sooner. */
void yield_note(bool found_work);
/*
 * How often the usual wait is to be halved: so many yields more than not were worth while. Where
 * naps are due, not at all, or all the way if the peer seems to wait for them.
 */
PRIV_EXPORT unsigned int priv_yield_hurry(void);

/*
 * Others do not give the CPU back by themselves: whoever can be woken sleeps for a moment instead.
 * A peer may have had its turn and have given up by the time that others are through. Says so a
 * bounded number of times.
 */
bool yield_wants_nap(void);
/* will it say so once more? */
bool yield_has_naps(void);
/* Work has come that there was none of a moment ago: the peer runs while this thread does. */
void yield_note_answer(void);
/* The nap is over: the next one is not quite at once, for a program may hold a lock meanwhile. */
void yield_note_nap(uint64_t begin, uint64_t now);

#endif
