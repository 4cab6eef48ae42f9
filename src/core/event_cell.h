/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Event cells: the 64-bit counter behind a sync event, in memory that several processes may share,
 * and how to sleep until it changes.
 *
 * Any process that maps the cell updates the counter with one atomic instruction; nobody serves it.
 * Who wants to sleep binds a datagram socket with a random abstract name and enters the name in the
 * cell; who updates the counter sends an empty datagram to every name that stands there. Sleeper:
 * enter, look at the counter, sleep. Updater: change the counter, look at the names. Both sides are
 * sequentially consistent, so one of them sees the other. A wake-up that nobody asked for does no
 * harm, and the name of a sleeper that has died is struck out by the next updater, or by a sleeper
 * that finds no room for its own.
 */
#ifndef SOFTFIELD_CORE_EVENT_CELL_H
#define SOFTFIELD_CORE_EVENT_CELL_H

#include <assert.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "base/own_fd.h"
#include "link/anchor.h"

#define EVENT_SLEEPERS	32 /* at a time; more than that poll */
#define EVENT_BLOB_SIZE 40

struct event_page {
	struct anchor_head head;
	_Atomic uint32_t live; /* cleared by the owner, for good */
	uint32_t unused_0[11];
	_Atomic uint64_t value; /* a line of its own */
	uint64_t unused_1[7];
	_Atomic uint64_t sleepers[EVENT_SLEEPERS]; /* socket names; 0: free */
};
static_assert(offsetof(struct event_page, value) == 64, "shared layout");
static_assert(offsetof(struct event_page, sleepers) == 128, "shared layout");
static_assert(sizeof(struct event_page) == 128 + 8 * EVENT_SLEEPERS, "shared layout");

/* A socket on which one thread, or one poll group, sleeps. */
struct event_sleeper {
	int sock;
	uint64_t name;
	int slot; /* in page->sleepers while armed, else -1 */
};

struct event_cell {
	struct event_page *page;
	_Atomic uint64_t *value; /* page->value, unless event_cell_place() has put it elsewhere */
	struct anchor anchor;	 /* unless private */
	enum { EVENT_CELL_PRIVATE, EVENT_CELL_OWNER, EVENT_CELL_IMPORTED } kind;
	int owner_pidfd; /* imported: readable once the owner's process has ended; else -1 */
	_Atomic uint64_t owner_seen; /* ticks: when it was last known to live */
	/* sleepers are woken from it; there from the start, for later there may be none to have */
	int sock;
	/*
	 * That of blocking calls, since the first that slept. Its sock is -1 in a child of fork(),
	 * which would take its parent's wake-ups.
	 */
	struct event_sleeper kept;
	struct own_fd kept_fd;
	atomic_bool is_kept_taken; /* by a thread; others that sleep meanwhile open their own */
	_Atomic uint32_t crowd;	   /* those who look now and then, for there is no place for them */
};

enum event_test { EVENT_GT, EVENT_EQ, EVENT_NEQ };

struct event_condition {
	enum event_test test;
	uint64_t value;
	uint64_t mask; /* of the counter, before it is compared */
};

/* shared: other processes may open it. NO_MEMORY, FULL, OPERATING_SYSTEM */
doca_error_t event_cell_create(bool shared, struct event_cell *ret_cell);
/*
 * Has the counter of a private cell at an address of the program's. Others change it there without
 * looking at sleepers: nobody can sleep on the cell, only look now and then.
 */
void event_cell_place(struct event_cell *cell, uint64_t *addr);
static inline bool event_cell_is_placed(const struct event_cell *cell)
{
	return cell->value != &cell->page->value;
}
/* errors: see anchor_open(), which logs */
doca_error_t event_cell_open(const struct anchor_ref *ref, struct event_cell *ret_cell);
/* an owner also ends the waits of all others */
void event_cell_close(struct event_cell *cell);

void event_blob_encode(const struct anchor_ref *ref, uint8_t blob[EVENT_BLOB_SIZE]);
/* INVALID_VALUE: not a blob of this version, or damaged */
doca_error_t event_blob_decode(const uint8_t *blob, size_t size, struct anchor_ref *ret_ref);

/* Has the owner's event been stopped, or its process ended? The end is noticed a moment late. */
bool event_cell_is_lost(struct event_cell *cell);

static inline uint64_t event_cell_get(const struct event_cell *cell)
{
	/* Sequentially consistent, like the updates: see above. */
	return atomic_load(cell->value);
}
void event_cell_set(struct event_cell *cell, uint64_t value);
/* those that sleep look again */
void event_cell_wake(struct event_cell *cell);
/* returns the value before */
uint64_t event_cell_add(struct event_cell *cell, uint64_t value);

static inline bool event_condition_holds(const struct event_condition *condition, uint64_t counter)
{
	uint64_t value = counter & condition->mask;

	switch (condition->test) {
	case EVENT_GT:
		return value > condition->value;
	case EVENT_EQ:
		return value == condition->value;
	default:
		return value != condition->value;
	}
}

/* Somebody who may give up waiting; asked again and again, in a sleep every tenth of a second. */
struct event_patience {
	bool (*is_over)(void *arg);
	void *arg;
};

/*
 * Blocks until the condition holds: polls for spin_ns, then sleeps. IO_FAILED: the owner of an
 * imported cell is gone. AGAIN: patience, which may be NULL, is over.
 */
doca_error_t event_cell_wait(struct event_cell *cell, const struct event_condition *condition,
			     uint64_t spin_ns, const struct event_patience *patience);

doca_error_t event_sleeper_open(struct event_sleeper *ret_sleeper);
void event_sleeper_close(struct event_sleeper *sleeper);
/* Every change from now on makes the socket readable. false: all slots are taken, or placed */
bool event_sleeper_arm(struct event_sleeper *sleeper, struct event_cell *cell);
void event_sleeper_disarm(struct event_sleeper *sleeper, struct event_cell *cell);
/* false: it is still readable, for somebody floods it */
bool event_sleeper_drain(struct event_sleeper *sleeper);

/*
 * Another process may be killed between its change of the counter and the wake-up for it: whoever
 * sleeps looks again after so long. -1: nobody else has the counter
 */
static inline int event_cell_rest_ms(const struct event_cell *cell)
{
	return cell->kind == EVENT_CELL_PRIVATE ? -1 : 1000;
}

/*
 * Who has found no place looks now and then. Returns after how many milliseconds: the more they
 * are, the later.
 */
unsigned int event_cell_join_crowd(struct event_cell *cell);
void event_cell_leave_crowd(struct event_cell *cell);

#endif
