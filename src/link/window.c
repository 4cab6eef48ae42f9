/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Windows: their pieces, and what fork() must know of them.
 */
#define LOG_MODULE "link"
#include "link/window.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
#include "base/copy.h"
#include "base/err.h"
#include "base/fd.h"
#include "base/fork_lock.h"
#include "base/fork_wait.h"
#include "base/log.h"
#include "base/memfd.h"
#include "base/no_cancel.h"
#include "base/page.h"
#include "link/maps.h"
#include "link/obstacle.h"
#include "link/populate.h"
#include "link/takeover.h"

static size_t piece_of(const struct window *window, const char *p)
{
	return (size_t)(p - window->start) >> WINDOW_PIECE_SHIFT;
}

/* where piece i begins; the end of the window for the one behind the last */
static char *piece_begin(const struct window *window, size_t index)
{
	size_t offset = index << WINDOW_PIECE_SHIFT;

	return window->start + (offset < window->span ? offset : window->span);
}

static char *clip(const struct window *window, char *p)
{
	if (p < window->whole)
		return window->whole;
	return p > window->whole_end ? window->whole_end : p;
}

static bool is_in_place(const struct window *window, size_t index)
{
	/* Acquire: pairs with the release in set_condition(); the pages are there. */
	return atomic_load_explicit(&window->pieces[index], memory_order_acquire) ==
	       WINDOW_IN_PLACE;
}

/* with the window's lock held, or in a child before its program goes on */
static void set_condition(struct window *window, size_t index, enum window_condition condition)
{
	/* Release: pairs with the acquire in is_in_place(). */
	atomic_store_explicit(&window->pieces[index], (uint8_t)condition, memory_order_release);
}

/*
 * All windows of the process, for fork(): a child sees what was there when it was made. It copies
 * up to so much at once, while its parent waits. Of more it copies what it writes, and what others
 * write meanwhile shows in the rest.
 */
#define FORK_COPY_MAX ((size_t)64 << 20)

static struct {
	pthread_once_t once;
	/* of list and forked; held while pages are exchanged, which no child must see half done */
	struct fork_lock lock;
	struct list_node list;
	/* from before fork() to after it */
	bool any;     /* is in place */
	bool copying; /* the child gets its own copy of all that is */
	bool copied;
	struct fork_wait wait; /* for it */
} windows = {
	.once = PTHREAD_ONCE_INIT,
	.lock = FORK_LOCK_INITIALIZER,
	.list = {&windows.list, &windows.list},
	.wait = {{-1, -1}},
};

/* [*begin, *end) of the next run of pieces in place, from *index on */
static bool next_run(const struct window *window, size_t *index, char **begin, char **end)
{
	size_t i = *index;

	while (i < window->piece_count && !is_in_place(window, i))
		i++;
	if (i == window->piece_count)
		return false;
	*begin = clip(window, piece_begin(window, i));
	while (i < window->piece_count && is_in_place(window, i))
		i++;
	*end = clip(window, piece_begin(window, i));
	*index = i;
	return true;
}

static void cut(void *arg, const struct takeover_part *part)
{
	const struct window *window = arg;
	size_t size = (size_t)(part->end - part->begin);
	/* Not by takeover_copy(), which takes two steps: it may be the stack that this runs on. */
	bool own = takeover_cut(window->fd, part->begin - window->start, part->begin, size);

	if (!own)
		LOG_ERR("a child shares %zu bytes with its parent: %s", size, strerror(errno));
	else if (windows.copying)
		own = populate_for_write(part->begin, size);
	takeover_protect_or_warn(part);
	windows.copied &= own;
}

/* bytes in place of all windows */
static size_t count_in_place(void)
{
	struct list_node *node;
	size_t count = 0;

	list_for_each (node, &windows.list) {
		const struct window *window = container_of(node, struct window, node);
		char *begin, *end;
		size_t index = 0;

		while (next_run(window, &index, &begin, &end))
			count += (size_t)(end - begin);
	}
	return count;
}

static void before_fork(void)
{
	size_t count;

	fork_lock_hold(&windows.lock);
	count = count_in_place();
	windows.any = count;
	windows.copying = count && count <= FORK_COPY_MAX;
	if (windows.copying)
		fork_wait_open(&windows.wait);
}

static void after_fork_in_parent(void)
{
	bool has_pages = !windows.any || (windows.copying && fork_wait_for_child(&windows.wait));
	struct list_node *node;

	list_for_each (node, &windows.list)
		container_of(node, struct window, node)->forked |= !has_pages;
	fork_lock_release(&windows.lock);
}

static void after_fork_in_child(void)
{
	struct list_node *node;

	windows.copied = true;
	list_for_each (node, &windows.list) {
		struct window *window = container_of(node, struct window, node);
		char *begin, *end;
		size_t index = 0;

		pthread_mutex_init(&window->lock, NULL); /* whose holder is not here */
		window->inherited = true;
		/* Whatever goes wrong must go wrong in the child, not in its parent. */
		while (next_run(window, &index, &begin, &end))
			if (!takeover_for_mapped(window->fd, begin, end, cut, window))
				cut(window,
				    &(struct takeover_part){begin, end, 0, PROT_READ | PROT_WRITE});
		/* The child has its own content, and the memfd's is not the child's to give up. */
		for (index = 0; index < window->piece_count; index++)
			if (is_in_place(window, index))
				set_condition(window, index, WINDOW_SHADOW);
	}
	fork_wait_tell(&windows.wait, windows.copied);
	fork_lock_release(&windows.lock);
}

static void watch_forks(void)
{
	pthread_atfork(before_fork, after_fork_in_parent, after_fork_in_child);
}

/*
 * Putting in place
 */

/* Memory is taken now: later a full machine would answer with a signal, and to the peer. */
static bool reserve(const struct window *window, const char *begin, const char *end)
{
	return begin >= end || !priv_fd_allocate(window->fd, begin - window->start, end - begin);
}

static void explain(struct window *window, enum takeover why)
{
	if (atomic_load_explicit(&window->why, memory_order_relaxed))
		return;
	atomic_store_explicit(&window->why, why, memory_order_relaxed);
	LOG_INFO("received data is copied twice into memory at %p (%zu bytes): %s",
		 (void *)window->addr, window->size, priv_takeover_describe(why));
}

/* Has receives looked at if what arrives cannot be copied there. FULL: nobody can say. */
static doca_error_t guard(struct window *window, const char *begin, const char *end)
{
	enum takeover obstacle = TAKEOVER_DONE;

	if (begin < end)
		obstacle = obstacle_to_writing(begin, (size_t)(end - begin));
	if (obstacle == TAKEOVER_NO_DESCRIPTOR)
		return DOCA_ERROR_FULL;
	if (obstacle)
		atomic_store_explicit(&window->guarded, true, memory_order_relaxed);
	return DOCA_SUCCESS;
}

/* FULL: the piece stays new, since it cannot be seen what it is. With the window's lock held. */
static doca_error_t settle_in_shadow(struct window *window, size_t index, enum takeover why)
{
	doca_error_t err =
		guard(window, piece_begin(window, index), piece_begin(window, index + 1));

	if (err)
		return err;
	set_condition(window, index, WINDOW_SHADOW);
	if (why)
		explain(window, why);
	return DOCA_SUCCESS;
}

/* with the lock of all windows held */
static enum takeover exchange(struct window *window, char *begin, char *end)
{
	if (window->ended)
		return TAKEOVER_STOPPED;
	if (window->frozen)
		return TAKEOVER_EXPORTED;
	if (!window->keeps_maps && !(window->keeps_maps = maps_keep()))
		return obstacle_without_maps(errno);
	return takeover_share(window->fd, begin - window->start, begin, (size_t)(end - begin));
}

/* Gives a new piece its condition. NO_MEMORY, FULL: it stays new. With the window's lock held. */
static doca_error_t settle(struct window *window, size_t index)
{
	char *first = piece_begin(window, index), *last = piece_begin(window, index + 1);
	char *begin = clip(window, first), *end = clip(window, last);
	doca_error_t err = DOCA_SUCCESS;
	enum takeover why;

	if (begin >= end)
		begin = end = first;
	if (!reserve(window, first, begin) || !reserve(window, end, last))
		return DOCA_ERROR_NO_MEMORY;
	/* The window's first and last page stay shadow, also in a piece that is in place. */
	if (begin < end && !(err = guard(window, first, begin)))
		err = guard(window, end, last);
	if (err)
		return err;
	fork_lock_hold(&windows.lock);
	why = begin == end ? TAKEOVER_DONE : exchange(window, begin, end);
	if (!why && begin < end)
		set_condition(window, index, WINDOW_IN_PLACE);
	fork_lock_release(&windows.lock);
	if (!why && begin < end)
		return DOCA_SUCCESS;
	if (!reserve(window, begin, end))
		return DOCA_ERROR_NO_MEMORY;
	return settle_in_shadow(window, index, why);
}

static bool is_direct(const struct window *window, const char *begin, size_t size)
{
	size_t index = piece_of(window, begin), last = piece_of(window, begin + size - 1);

	if (begin < window->whole || begin + size > window->whole_end)
		return false;
	for (; index <= last; index++)
		if (!is_in_place(window, index))
			return false;
	return true;
}

/*
 * With the window's lock held. Nobody here writes there, but a line that is read through a page
 * that may be written leaves the peer's cache, and the peer writes it again in less time than it
 * takes to recall a line which both have (Zen 5: rows "malloc()" of docs/performance.md).
 */
static doca_error_t map_shadow(struct window *window)
{
	void *shadow;

	if (window->shadow)
		return DOCA_SUCCESS;
	shadow = mmap(NULL, window->span, PROT_READ | PROT_WRITE, MAP_SHARED, window->fd, 0);
	if (shadow == MAP_FAILED)
		return priv_err_from_mmap(errno);
	window->shadow = shadow;
	return DOCA_SUCCESS;
}

/* Gives the pieces of [addr, addr + size) that are new their condition. AGAIN: not all of them */
static doca_error_t settle_all(struct window *window, const char *addr, size_t size,
			       unsigned int *budget)
{
	size_t index = piece_of(window, addr), last = piece_of(window, addr + size - 1);
	doca_error_t err = DOCA_SUCCESS;

	for (; index <= last && !err; index++) {
		if (window->pieces[index] != WINDOW_NEW)
			continue;
		err = *budget ? settle(window, index) : DOCA_ERROR_AGAIN;
		*budget -= !err;
	}
	return err;
}

static bool is_settled(const struct window *window, const char *addr, size_t size)
{
	size_t index = piece_of(window, addr), last = piece_of(window, addr + size - 1);

	/* Acquire: what another consumer's thread has done to the piece is there. */
	for (; index <= last; index++)
		if (atomic_load_explicit(&window->pieces[index], memory_order_acquire) ==
		    WINDOW_NEW)
			return false;
	return true;
}

static doca_error_t prepare(struct window *window, const char *addr, size_t size,
			    unsigned int *budget)
{
	doca_error_t err = settle_all(window, addr, size, budget);

	return err || is_direct(window, addr, size) ? err : map_shadow(window);
}

/* What has arrived would be copied there, and the program die of it. */
static doca_error_t check_writable(const char *addr, size_t size)
{
	enum takeover obstacle = obstacle_to_writing(addr, size);

	if (!obstacle)
		return DOCA_SUCCESS;
	LOG_ERR("memory at %p (%zu bytes) cannot be received into: %s", (const void *)addr, size,
		priv_takeover_describe(obstacle));
	return obstacle == TAKEOVER_NO_DESCRIPTOR ? DOCA_ERROR_FULL : DOCA_ERROR_NOT_PERMITTED;
}

doca_error_t priv_window_prepare(struct window *window, const void *addr, size_t size,
				 unsigned int *budget, bool *ret_direct)
{
	bool ready = is_settled(window, addr, size);
	bool direct = ready && is_direct(window, addr, size);

	if (!direct && !(ready && window->shadow)) {
		doca_error_t err;
		NO_CANCEL();

		pthread_mutex_lock(&window->lock);
		err = prepare(window, addr, size, budget);
		pthread_mutex_unlock(&window->lock);
		if (err)
			return err;
		direct = is_direct(window, addr, size);
	}
	if (!direct && atomic_load_explicit(&window->guarded, memory_order_relaxed)) {
		doca_error_t err = check_writable(addr, size);

		if (err)
			return err;
	}
	*ret_direct = direct;
	return DOCA_SUCCESS;
}

void priv_window_find_known(const struct window *window, const char *addr,
			    struct window_known *ret_known)
{
	size_t first = piece_of(window, addr), last = first;
	const uint8_t condition = window->pieces[first];

	while (first && window->pieces[first - 1] == condition)
		first--;
	while (last + 1 < window->piece_count && window->pieces[last + 1] == condition)
		last++;
	*ret_known = WINDOW_UNKNOWN;
	if (condition == WINDOW_IN_PLACE) {
		ret_known->direct = clip(window, piece_begin(window, first));
		ret_known->direct_end = clip(window, piece_begin(window, last + 1));
	}
	/* Each receive asks about what is guarded; the first one that needs a shadow maps it. */
	if (condition == WINDOW_NEW || !window->shadow ||
	    atomic_load_explicit(&window->guarded, memory_order_relaxed)) {
		ret_known->begin = ret_known->direct;
		ret_known->end = ret_known->direct_end;
	} else {
		ret_known->begin = piece_begin(window, first);
		ret_known->end = piece_begin(window, last + 1);
	}
}

/* Is the page that holds p shadow? *ret_end: where the next one may be different */
static bool is_shadow(const struct window *window, const char *p, const char **ret_end)
{
	size_t index = piece_of(window, p);
	const char *end = piece_begin(window, index + 1);
	bool shadow = !is_in_place(window, index) || p < window->whole || p >= window->whole_end;

	if (p < window->whole && window->whole < end)
		end = window->whole;
	else if (p < window->whole_end && window->whole_end < end)
		end = window->whole_end;
	*ret_end = end;
	return shadow;
}

void priv_window_collect(const struct window *window, void *addr, size_t size, size_t total)
{
	const char *shadow_memory = window->shadow;
	char *p = addr, *end = p + size;

	while (p < end) {
		const char *next;
		bool shadow = is_shadow(window, p, &next);
		size_t count = (size_t)((next < end ? next : end) - p);

		if (shadow)
			copy_some(p, shadow_memory + (p - window->start), count, total);
		p += count;
	}
}

/*
 * Windows
 */

doca_error_t priv_window_create(void *addr, size_t size, struct window **ret_window)
{
	char *start = page_down(addr);
	size_t span = (size_t)(page_up((char *)addr + size) - start);
	size_t piece_count = (span + WINDOW_PIECE - 1) >> WINDOW_PIECE_SHIFT;
	struct window *window = calloc(1, sizeof(*window) + piece_count * sizeof(*window->pieces));
	doca_error_t err;

	if (!window)
		return DOCA_ERROR_NO_MEMORY;
	window->addr = addr;
	window->size = size;
	window->start = start;
	window->span = span;
	window->whole = page_up(addr);
	window->whole_end = page_down((char *)addr + size);
	window->piece_count = piece_count;
	atomic_init(&window->refs, 1);
	pthread_mutex_init(&window->lock, NULL);
	err = priv_memfd_create_sparse("softfield-window", span, 0, &window->fd);
	if (err) {
		free(window);
		return err;
	}
	pthread_once(&windows.once, watch_forks);
	fork_lock_hold(&windows.lock);
	list_add_tail(&windows.list, &window->node);
	fork_lock_release(&windows.lock);
	*ret_window = window;
	return DOCA_SUCCESS;
}

/* with the lock of all windows held */
static void give_back(void *arg, const struct takeover_part *part)
{
	struct window *window = arg;
	off_t offset = part->begin - window->start;
	size_t size = (size_t)(part->end - part->begin);

	/* Nobody but a child needs it any more, nor what the peer writes there. */
	if (!takeover_return(window->fd, offset, part->begin, size, window->forked))
		window->kept = true;
	takeover_protect_or_warn(part);
}

/* Gives a run of pieces in place back, as far as it goes; false: some is kept. */
static bool give_back_run(struct window *window, char *begin, char *end)
{
	window->kept = false;
	if (takeover_for_mapped(window->fd, begin, end, give_back, window))
		return !window->kept;
	LOG_ERR("%zu bytes at %p stay shared with the peer, for what is mapped there cannot be "
		"told: %s",
		(size_t)(end - begin), (void *)begin, strerror(errno));
	return false;
}

/* What is kept stays in place. Nothing else does, or gets there: it may be somebody else's now. */
static void give_back_all(struct window *window)
{
	bool kept = window->kept;
	char *begin, *end;
	size_t index = 0, i = 0;

	while (next_run(window, &index, &begin, &end)) {
		bool is_kept = !give_back_run(window, begin, end);

		for (; i < index; i++)
			if (!is_kept && is_in_place(window, i))
				set_condition(window, i, WINDOW_SHADOW);
		kept |= is_kept;
	}
	window->ended = true;
	window->kept = kept;
}

void priv_window_withdraw(struct window *window)
{
	NO_CANCEL();

	pthread_mutex_lock(&window->lock);
	fork_lock_hold(&windows.lock);
	give_back_all(window);
	fork_lock_release(&windows.lock);
	atomic_store_explicit(&window->withdrawn, !window->kept, memory_order_relaxed);
	pthread_mutex_unlock(&window->lock);
}

void priv_window_freeze(struct window *window)
{
	fork_lock_hold(&windows.lock);
	window->frozen = true;
	fork_lock_release(&windows.lock);
}

void priv_window_ref(struct window *window)
{
	atomic_fetch_add(&window->refs, 1);
}

void priv_window_unref(struct window *window)
{
	NO_CANCEL();

	if (atomic_fetch_sub(&window->refs, 1) != 1)
		return;
	if (!window_is_withdrawn(window))
		priv_window_withdraw(window);
	if (window->shadow)
		munmap(window->shadow, window->span);
	if (window->kept)
		return;
	fork_lock_hold(&windows.lock);
	list_remove(&window->node);
	if (window->keeps_maps)
		maps_let_go();
	fork_lock_release(&windows.lock);
	close(window->fd);
	pthread_mutex_destroy(&window->lock);
	free(window);
}

static uint64_t count_bytes(const char *begin, const char *end)
{
	return begin < end ? (uint64_t)(end - begin) : 0;
}

struct window_use priv_window_use(struct window *window)
{
	const char *range_end = window->addr + window->size;
	struct window_use use = {.why = window->why};
	size_t index;

	for (index = 0; index < window->piece_count; index++) {
		char *begin = piece_begin(window, index), *end = piece_begin(window, index + 1);
		uint64_t in_place = 0;

		if (window->pieces[index] == WINDOW_NEW)
			continue;
		if (is_in_place(window, index))
			in_place = count_bytes(clip(window, begin), clip(window, end));
		use.in_place += in_place;
		use.shadow += count_bytes(begin > window->addr ? begin : window->addr,
					  end < range_end ? end : range_end) -
			      in_place;
	}
	return use;
}
