/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Event cells: counters that processes share, and sleeping on them.
 */
#define LOG_MODULE "core"
#include "core/event_cell.h"

#include <assert.h>
#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>
#include "base/clock.h"
#include "base/err.h"
#include "base/fd.h"
#include "base/kernel.h"
#include "base/log.h"
#include "base/no_cancel.h"
#include "base/yield.h"

/*
 * When the cell has no room for their names, sleepers look by themselves: this often in a
 * millisecond, all those of this process together.
 */
#define CROWDED_LOOKS 8
/* Datagrams taken in at a time: whoever knows the name of a socket can send without end. */
#define DRAIN_MAX 1024
/* The clock costs as much as some looks at a counter. */
#define LOOKS_PER_TIME 8
/*
 * Whether the owner lives is not asked again within so many ticks (clock.h), some ten microseconds:
 * the look is a system call, and programs get the counter of an import in a loop.
 */
#define OWNER_LOOK_TICKS 50000
/* how often one asks whether it is to give up */
#define PATIENCE_MS 100

static const struct anchor_blob blob_kind = {0x56454653u /* "SFEV" */, EVENT_BLOB_SIZE};

void event_blob_encode(const struct anchor_ref *ref, uint8_t blob[EVENT_BLOB_SIZE])
{
	struct wire_writer w = anchor_blob_begin(&blob_kind, blob, ref);

	anchor_blob_end(&blob_kind, blob, &w);
}

doca_error_t event_blob_decode(const uint8_t *blob, size_t size, struct anchor_ref *ret_ref)
{
	struct wire_reader r;

	return anchor_blob_open(&blob_kind, blob, size, &r, ret_ref);
}

/*
 * Waking
 */

static socklen_t sleeper_addr(uint64_t name, struct sockaddr_un *ret_addr)
{
	int size;

	memset(ret_addr, 0, sizeof(*ret_addr));
	ret_addr->sun_family = AF_UNIX;
	/* The leading NUL makes it abstract: no file, and gone with the socket. */
	size = snprintf(ret_addr->sun_path + 1, sizeof(ret_addr->sun_path) - 1,
			"softfield-event-%016llx", (unsigned long long)name);
	return (socklen_t)(offsetof(struct sockaddr_un, sun_path) + 1 + (size_t)size);
}

static int sleeper_socket(void)
{
	int sock;

	do
		sock = priv_fd_lift(socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
	while (sock < 0 && priv_fd_made_room());
	return sock;
}

/* Names come from shared memory: whatever they are, they only name sockets of sleepers. */
static void wake(struct event_cell *cell, unsigned int slot, uint64_t name)
{
	struct sockaddr_un addr;
	socklen_t size = sleeper_addr(name, &addr);
	NO_CANCEL();

	/* EAGAIN: the sleeper has more datagrams than it needs to wake up. */
	if (sendto(cell->sock, "", 0, MSG_NOSIGNAL, (struct sockaddr *)&addr, size) < 0 &&
	    errno == ECONNREFUSED)
		atomic_compare_exchange_strong(&cell->page->sleepers[slot], &name, 0);
}

void event_cell_wake(struct event_cell *cell)
{
	for (unsigned int i = 0; i < EVENT_SLEEPERS; i++) {
		uint64_t name = atomic_load(&cell->page->sleepers[i]);

		if (name)
			wake(cell, i, name);
	}
}

void event_cell_set(struct event_cell *cell, uint64_t value)
{
	atomic_store(cell->value, value);
	event_cell_wake(cell);
}

uint64_t event_cell_add(struct event_cell *cell, uint64_t value)
{
	uint64_t before = atomic_fetch_add(cell->value, value);

	event_cell_wake(cell);
	return before;
}

/*
 * Life
 */

static doca_error_t take_page(bool shared, struct event_cell *cell)
{
	doca_error_t err;

	if (shared) {
		err = anchor_create(ANCHOR_EVENT, sizeof(struct event_page), 0, &cell->anchor);
		if (err)
			return err;
		cell->kind = EVENT_CELL_OWNER;
		cell->page = cell->anchor.mem;
		return DOCA_SUCCESS;
	}
	cell->kind = EVENT_CELL_PRIVATE;
	cell->page = aligned_alloc(64, sizeof(struct event_page));
	if (!cell->page)
		return DOCA_ERROR_NO_MEMORY;
	memset(cell->page, 0, sizeof(*cell->page));
	return DOCA_SUCCESS;
}

doca_error_t event_cell_create(bool shared, struct event_cell *ret_cell)
{
	struct event_cell cell = {.owner_pidfd = -1};
	doca_error_t err;
	NO_CANCEL();

	cell.sock = sleeper_socket();
	if (cell.sock < 0)
		return priv_err_from_errno(errno);
	err = take_page(shared, &cell);
	if (err) {
		close(cell.sock);
		return err;
	}
	atomic_store(&cell.page->live, 1);
	cell.value = &cell.page->value;
	*ret_cell = cell;
	return DOCA_SUCCESS;
}

void event_cell_place(struct event_cell *cell, uint64_t *addr)
{
	assert(cell->kind == EVENT_CELL_PRIVATE);
	cell->value = (_Atomic uint64_t *)addr;
}

doca_error_t event_cell_open(const struct anchor_ref *ref, struct event_cell *ret_cell)
{
	struct event_cell cell = {.kind = EVENT_CELL_IMPORTED};
	int errno_of_pidfd;
	doca_error_t err;
	NO_CANCEL();

	cell.sock = sleeper_socket();
	if (cell.sock < 0)
		return priv_err_from_errno(errno);
	/* First, so that it can only stand for a process that is found to hold the cell after. */
	do
		cell.owner_pidfd = priv_fd_lift((int)syscall(SYS_pidfd_open, ref->pid, 0));
	while (cell.owner_pidfd < 0 && priv_fd_made_room());
	errno_of_pidfd = errno;
	err = anchor_open(ref, ANCHOR_EVENT, sizeof(struct event_page), true, &cell.anchor);
	if (err) {
		if (cell.owner_pidfd >= 0)
			close(cell.owner_pidfd);
		close(cell.sock);
		return err;
	}
	if (cell.owner_pidfd < 0)
		LOG_WRN("sync event of process %d: should that die, nobody here is told of it: "
			"pidfd_open(): %s",
			(int)ref->pid, strerror(errno_of_pidfd));
	cell.page = cell.anchor.mem;
	cell.value = &cell.page->value;
	*ret_cell = cell;
	return DOCA_SUCCESS;
}

void event_cell_close(struct event_cell *cell)
{
	NO_CANCEL();

	if (cell->kept_fd.fd)
		own_fd_close(&cell->kept_fd);
	if (cell->kind == EVENT_CELL_PRIVATE) {
		close(cell->sock);
		free(cell->page);
		return;
	}
	/* in a child of fork() it is still the parent's */
	if (cell->kind == EVENT_CELL_OWNER && cell->anchor.ref.pid == (uint32_t)getpid()) {
		atomic_store(&cell->page->live, 0);
		event_cell_wake(cell);
	}
	if (cell->owner_pidfd >= 0)
		close(cell->owner_pidfd);
	close(cell->sock);
	anchor_close(&cell->anchor);
}

static bool has_owner_ended(struct event_cell *cell)
{
	struct pollfd owner = {.fd = cell->owner_pidfd, .events = POLLIN};
	const uint64_t now = clock_ticks();

	/* Relaxed, both: it says nothing about the counter. */
	if (now - atomic_load_explicit(&cell->owner_seen, memory_order_relaxed) < OWNER_LOOK_TICKS)
		return false;
	if (poll(&owner, 1, 0) > 0)
		return true;
	atomic_store_explicit(&cell->owner_seen, now, memory_order_relaxed);
	return false;
}

bool event_cell_is_lost(struct event_cell *cell)
{
	if (cell->kind != EVENT_CELL_IMPORTED)
		return false;
	return !atomic_load(&cell->page->live) || has_owner_ended(cell);
}

/*
 * Sleeping
 */

doca_error_t event_sleeper_open(struct event_sleeper *ret_sleeper)
{
	struct event_sleeper sleeper = {.slot = -1};
	struct sockaddr_un addr;
	socklen_t size;
	doca_error_t err;
	NO_CANCEL();

	sleeper.sock = sleeper_socket();
	if (sleeper.sock < 0)
		return priv_err_from_errno(errno);
	do {
		if (getrandom(&sleeper.name, sizeof(sleeper.name), 0) != sizeof(sleeper.name)) {
			close(sleeper.sock);
			return DOCA_ERROR_OPERATING_SYSTEM;
		}
	} while (!sleeper.name);
	size = sleeper_addr(sleeper.name, &addr);
	if (bind(sleeper.sock, (struct sockaddr *)&addr, size)) {
		err = priv_err_from_errno(errno);
		close(sleeper.sock);
		return err;
	}
	*ret_sleeper = sleeper;
	return DOCA_SUCCESS;
}

void event_sleeper_close(struct event_sleeper *sleeper)
{
	NO_CANCEL();

	assert(sleeper->slot < 0);
	close(sleeper->sock);
}

/* Strikes out the names of sleepers that have died; nobody else notices. */
static void strike_dead(struct event_cell *cell)
{
	int sock;
	NO_CANCEL();

	sock = sleeper_socket();
	for (unsigned int i = 0; i < EVENT_SLEEPERS && sock >= 0; i++) {
		uint64_t name = atomic_load(&cell->page->sleepers[i]);
		struct sockaddr_un addr;
		socklen_t size = sleeper_addr(name, &addr);

		if (name && connect(sock, (struct sockaddr *)&addr, size) && errno == ECONNREFUSED)
			atomic_compare_exchange_strong(&cell->page->sleepers[i], &name, 0);
	}
	if (sock >= 0)
		close(sock);
}

static bool take_slot(struct event_sleeper *sleeper, struct event_cell *cell)
{
	for (int i = 0; i < EVENT_SLEEPERS; i++) {
		uint64_t expected = 0;

		if (atomic_compare_exchange_strong(&cell->page->sleepers[i], &expected,
						   sleeper->name)) {
			sleeper->slot = i;
			return true;
		}
	}
	return false;
}

bool event_sleeper_arm(struct event_sleeper *sleeper, struct event_cell *cell)
{
	if (event_cell_is_placed(cell))
		return false;
	if (take_slot(sleeper, cell))
		return true;
	strike_dead(cell);
	return take_slot(sleeper, cell);
}

void event_sleeper_disarm(struct event_sleeper *sleeper, struct event_cell *cell)
{
	uint64_t expected = sleeper->name;

	if (sleeper->slot < 0)
		return;
	atomic_compare_exchange_strong(&cell->page->sleepers[sleeper->slot], &expected, 0);
	sleeper->slot = -1;
}

bool event_sleeper_drain(struct event_sleeper *sleeper)
{
	char byte;

	for (unsigned int i = 0; i < DRAIN_MAX; i++)
		if (recv(sleeper->sock, &byte, sizeof(byte), 0) < 0)
			return true;
	return false;
}

static bool is_over(const struct event_patience *patience)
{
	return patience && patience->is_over(patience->arg);
}

/* Looks a few times; true: the condition holds. */
static bool look(const struct event_cell *cell, const struct event_condition *condition)
{
	unsigned int looks = 0;
	bool holds;

	while (!(holds = event_condition_holds(condition, event_cell_get(cell))) &&
	       ++looks < LOOKS_PER_TIME)
		clock_relax();
	if (holds && looks)
		yield_note_answer();
	if (doca_unlikely(yield_has_been()))
		yield_note(holds);
	return holds;
}

/*
 * Likewise, for spin_ns. A thread that was to poll for a while lets others run once before it
 * sleeps, and if it was waiting for one of them, lets them run sooner next time.
 */
static bool spin(const struct event_cell *cell, const struct event_condition *condition,
		 uint64_t spin_ns, const struct event_patience *patience)
{
	const uint64_t end = clock_now_ns() + spin_ns;
	bool ends;

	yield_put_off(clock_ticks());
	do {
		uint64_t now = clock_ticks();

		if (look(cell, condition))
			return true;
		ends = clock_now_ns() >= end || is_over(patience);
		if (!spin_ns || !(ends || yield_is_due(now)))
			continue;
		if (yield_wants_nap())
			return false; /* they keep it long, and a sleeper gets it back at once */
		priv_yield_to_others();
	} while (!ends);
	return look(cell, condition);
}

static unsigned int crowded_look_ms(const struct event_cell *cell)
{
	return 1 + atomic_load_explicit(&cell->crowd, memory_order_relaxed) / CROWDED_LOOKS;
}

unsigned int event_cell_join_crowd(struct event_cell *cell)
{
	atomic_fetch_add_explicit(&cell->crowd, 1, memory_order_relaxed);
	return crowded_look_ms(cell);
}

void event_cell_leave_crowd(struct event_cell *cell)
{
	atomic_fetch_sub_explicit(&cell->crowd, 1, memory_order_relaxed);
}

static doca_error_t sleep_until(struct event_cell *cell, const struct event_condition *condition,
				struct event_sleeper *sleeper,
				const struct event_patience *patience)
{
	struct pollfd fds[2] = {
		{.events = POLLIN},
		{.fd = cell->owner_pidfd, .events = POLLIN},
	};
	const bool is_crowded = sleeper->slot < 0;
	const int rest_ms = patience ? PATIENCE_MS : event_cell_rest_ms(cell);

	while (!event_condition_holds(condition, event_cell_get(cell))) {
		if (cell->kind == EVENT_CELL_IMPORTED &&
		    (!atomic_load(&cell->page->live) || (fds[1].revents & POLLIN)))
			return DOCA_ERROR_IO_FAILED;
		if (is_over(patience))
			return DOCA_ERROR_AGAIN;
		fds[0].fd = sleeper->sock; /* a signal's handler may have forked */
		poll(fds, 2, is_crowded ? (int)crowded_look_ms(cell) : rest_ms);
		if (!is_crowded)
			event_sleeper_drain(sleeper);
	}
	return DOCA_SUCCESS;
}

static void leave_crowd(struct event_cell *const *cell)
{
	event_cell_leave_crowd(*cell);
}

/* for somebody who is not woken */
static doca_error_t look_until(struct event_cell *cell, const struct event_condition *condition,
			       const struct event_patience *patience)
{
	__attribute__((cleanup(leave_crowd))) struct event_cell *const crowded = cell;
	struct event_sleeper nobody = {.sock = -1, .slot = -1};

	event_cell_join_crowd(crowded);
	return sleep_until(cell, condition, &nobody, patience);
}

/* A socket with a name costs more than the sleep: it is opened once, unless several sleep. */
static bool take_kept(struct event_cell *cell)
{
	/* Acquire: pairs with the release in stop_waiting(). */
	if (atomic_exchange_explicit(&cell->is_kept_taken, true, memory_order_acquire))
		return false;
	if (cell->kept_fd.fd && cell->kept.sock >= 0)
		return true;
	if (event_sleeper_open(&cell->kept)) {
		atomic_store_explicit(&cell->is_kept_taken, false, memory_order_release);
		return false;
	}
	if (!cell->kept_fd.fd)
		own_fd_adopt(&cell->kept_fd, &cell->kept.sock);
	return true;
}

/* A thread may be cancelled in its sleep. */
struct waiter {
	struct event_cell *cell;
	struct event_sleeper *sleeper;
};

static void stop_waiting(struct waiter *waiter)
{
	struct event_cell *cell = waiter->cell;

	event_sleeper_disarm(waiter->sleeper, cell);
	if (waiter->sleeper == &cell->kept)
		/* Release: pairs with the acquire in take_kept(). */
		atomic_store_explicit(&cell->is_kept_taken, false, memory_order_release);
	else
		event_sleeper_close(waiter->sleeper);
}

static doca_error_t wait_to_be_woken(struct event_cell *cell,
				     const struct event_condition *condition,
				     struct event_sleeper *sleeper,
				     const struct event_patience *patience)
{
	__attribute__((cleanup(stop_waiting))) struct waiter waiter = {cell, sleeper};

	if (event_sleeper_arm(waiter.sleeper, cell))
		return sleep_until(cell, condition, waiter.sleeper, patience);
	return look_until(cell, condition, patience);
}

static doca_error_t sleep_somehow(struct event_cell *cell, const struct event_condition *condition,
				  const struct event_patience *patience)
{
	struct event_sleeper another;

	if (take_kept(cell))
		return wait_to_be_woken(cell, condition, &cell->kept, patience);
	if (!event_sleeper_open(&another))
		return wait_to_be_woken(cell, condition, &another, patience);
	return look_until(cell, condition, patience);
}

doca_error_t event_cell_wait(struct event_cell *cell, const struct event_condition *condition,
			     uint64_t spin_ns, const struct event_patience *patience)
{
	uint64_t begin;
	doca_error_t err;

	if (spin(cell, condition, spin_ns, patience))
		return DOCA_SUCCESS;
	begin = clock_ticks();
	err = sleep_somehow(cell, condition, patience);
	if (yield_has_naps())
		yield_note_nap(begin, clock_ticks());
	return err;
}
