/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Set-up of lanes, and what their ends do rarely.
 */
#include "chan/lane.h"

#include <errno.h>
#include <stdlib.h>
#include <unistd.h>
#include "base/barrier.h"
#include "base/bell.h"
#include "base/clock.h"
#include "base/err.h"
#include "base/fd.h"
#include "base/kernel.h"
#include "base/memfd.h"
#include "base/no_cancel.h"
#include "base/pow2.h"
#include "link/window.h"

/* A window is touched piece by piece: as much as a consumer makes ready at a time. */
#define TOUCH_SHIFT WINDOW_PIECE_SHIFT

static size_t memory_size(uint32_t line_count)
{
	return sizeof(struct lane_shared) +
	       line_count * (sizeof(struct lane_line) + 2 * sizeof(struct lane_post));
}

/*
 * Consumer's end
 */

doca_error_t lane_consumer_init(struct lane_consumer *lane, uint32_t depth, uint32_t imm_max)
{
	uint32_t line_count = LANE_LINES_MIN;
	struct lane_shared *shared;
	doca_error_t err;
	size_t size;

	while (line_count < depth)
		line_count *= 2;
	memset(lane, 0, sizeof(*lane));
	size = memory_size(line_count);
	err = priv_link_mem_create("softfield-lane", size, size, &lane->mem);
	if (err)
		return err;
	shared = lane->mem->addr;
	shared->magic = LANE_MAGIC;
	shared->line_count = line_count;
	shared->imm_max = imm_max;
	sleeper_init(&lane->sleeper, &shared->consumer);
	sleeper_join(&shared->producers);
	lane->shared = shared;
	lane->lines = shared->lines;
	lane->posts = lane_posts(shared, line_count);
	lane->mask = line_count - 1;
	lane->post_mask = 2 * line_count - 1;
	return DOCA_SUCCESS;
}

void lane_consumer_fini(struct lane_consumer *lane)
{
	priv_link_mem_unref(lane->mem);
	lane->mem = NULL;
}

bool lane_consumer_close(struct lane_consumer *lane)
{
	atomic_store_explicit(&lane->shared->closed, 1, memory_order_relaxed);
	/*
	 * Either a claim is seen below, or whoever made it sees `closed`. So with a producer that
	 * falls asleep.
	 */
	priv_barrier_heavy();
	return atomic_exchange_explicit(&lane->shared->producers.asleep, 0, memory_order_relaxed);
}

bool lane_has_come(const struct lane_consumer *lane, struct lane_arrivals *arrivals)
{
	struct lane_consumer at = *lane;

	at.line = arrivals->line;
	at.taken = arrivals->taken;
	if (!lane_has_next(&at))
		return false;
	lane_advance(&at, lane_unpack_head(lane_read_word(lane_incoming(&at, at.line))));
	*arrivals = (struct lane_arrivals){at.line, at.taken};
	return true;
}

/*
 * Producers' end
 */

static doca_error_t check_layout(struct lane_producer *lane)
{
	struct lane_shared *shared = lane->mem->addr;
	uint32_t line_count, imm_max;

	if (lane->mem->size < sizeof(*shared) || shared->magic != LANE_MAGIC)
		return DOCA_ERROR_INVALID_VALUE;
	line_count = read_once(shared->line_count);
	imm_max = read_once(shared->imm_max);
	if (line_count < LANE_LINES_MIN || line_count > LANE_LINES_MAX || !is_pow2(line_count) ||
	    memory_size(line_count) > lane->mem->size)
		return DOCA_ERROR_INVALID_VALUE;
	lane->shared = shared;
	lane->lines = shared->lines;
	lane->posts = lane_posts(shared, line_count);
	lane->mask = line_count - 1;
	lane->post_mask = 2 * line_count - 1;
	lane->imm_max = imm_max < LANE_IMM_MAX ? imm_max : LANE_IMM_MAX;
	return DOCA_SUCCESS;
}

/* The owner of lanes that several producers use: nobody. */
static struct lane_key shared_key;

/* Heavy barriers reach only processes that have registered, on both ends of the lane. */
static void choose_fences(struct lane_producer *lane)
{
	struct sleeper_shared *consumer = &lane->shared->consumer;

	sleeper_join(consumer);
	sleeper_join(&lane->shared->producers);
	/* Relaxed: what told of the lane has ordered it. */
	lane->fence = atomic_load_explicit(&consumer->fences, memory_order_relaxed) & SLEEPER_NEEDS;
	if (!priv_barrier_register()) /* no privilege that could not be taken away */
		atomic_init(&lane->owner, &shared_key);
}

static doca_error_t map_window(struct lane_producer *lane, int fd)
{
	void *window;
	size_t size;
	doca_error_t err;

	err = priv_memfd_check(fd, &size);
	if (err)
		return err;
	window = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (window == MAP_FAILED)
		return priv_err_from_mmap(errno);
	lane->window = window;
	lane->window_size = size;
	lane->touched = calloc((size >> TOUCH_SHIFT) + 1, sizeof(*lane->touched));
	return lane->touched ? DOCA_SUCCESS : DOCA_ERROR_NO_MEMORY;
}

/* Takes the descriptor. Its size is the peer's word, and address space is finite. */
static doca_error_t map_memory(struct lane_producer *lane, int fd)
{
	size_t size;

	if (!priv_memfd_check(fd, &size) && size > memory_size(LANE_LINES_MAX)) {
		priv_fd_close_at_once(fd);
		return DOCA_ERROR_INVALID_VALUE;
	}
	return priv_link_mem_attach(fd, &lane->mem);
}

/* Takes the lane's memory, and the bell that it has already; what is taken is the lane's. */
static doca_error_t attach(struct lane_producer *lane, int mem_fd, int window_fd)
{
	doca_error_t err;

	err = map_memory(lane, mem_fd);
	if (err)
		return err;
	err = priv_bell_check(lane->bell);
	if (err)
		return err;
	err = check_layout(lane);
	if (err)
		return err;
	err = map_window(lane, window_fd);
	if (err)
		return err;
	choose_fences(lane);
	return priv_bell_create(&lane->post_bell);
}

static struct lane_producer *lane_new(uint32_t key, int bell)
{
	struct lane_producer *lane = calloc(1, sizeof(*lane));

	if (!lane)
		return NULL;
	lane->key = key;
	lane->id = key & 0xffff;
	atomic_init(&lane->leads_to, lane->id);
	lane->bell = bell;
	lane->post_bell = -1;
	atomic_init(&lane->refs, 1);
	pthread_mutex_init(&lane->lock, NULL);
	return lane;
}

doca_error_t lane_producer_create(uint32_t key, int mem_fd, int window_fd, int bell,
				  struct lane_producer **ret_lane)
{
	struct lane_producer *lane = lane_new(key, bell);
	doca_error_t err;

	if (!lane) {
		priv_fd_close_at_once(mem_fd);
		priv_fd_close_at_once(window_fd);
		priv_fd_close_at_once(bell);
		return DOCA_ERROR_NO_MEMORY;
	}
	err = attach(lane, mem_fd, window_fd);
	priv_fd_close_at_once(window_fd);
	if (err) {
		lane_producer_unref(lane);
		return err;
	}
	*ret_lane = lane;
	return DOCA_SUCCESS;
}

void lane_producer_ref(struct lane_producer *lane)
{
	atomic_fetch_add(&lane->refs, 1);
}

void lane_producer_unref(struct lane_producer *lane)
{
	NO_CANCEL();

	if (atomic_fetch_sub(&lane->refs, 1) != 1)
		return;
	if (lane->window)
		munmap(lane->window, lane->window_size);
	free(lane->touched);
	priv_link_mem_unref(lane->mem);
	priv_fd_close_at_once(lane->bell);
	if (lane->post_bell >= 0)
		close(lane->post_bell);
	pthread_mutex_destroy(&lane->lock);
	free(lane);
}

bool lane_refresh(struct lane_producer *lane, uint32_t size)
{
	/* Acquire: pairs with the release in lane_post_publish(); the posts are there. */
	uint32_t posted = atomic_load_explicit(&lane->shared->posted, memory_order_acquire);
	uint32_t count = posted - lane->claimed, i;

	if (count > lane->mask + 1)
		return false;
	lane->posted = posted;
	lane->prefetch_end = lane->line;
	/* Relaxed: a hint. */
	if (!atomic_load_explicit(&lane->shared->in_stream, memory_order_relaxed))
		return true;
	lane->prefetch_end = lane->line + count;
	if (count > CACHE_LINES_AHEAD)
		count = CACHE_LINES_AHEAD;
	for (i = 0; i < count; i++)
		lane_prefetch(lane, i, size);
	return true;
}

void lane_touch(struct lane_producer *lane, char *target, size_t size)
{
	size_t offset = (size_t)(target - lane->window);
	size_t piece = offset >> TOUCH_SHIFT, last = (offset + size - 1) >> TOUCH_SHIFT;

	for (; piece <= last; piece++) {
		size_t begin = piece << TOUCH_SHIFT, end = begin + ((size_t)1 << TOUCH_SHIFT);

		/* Relaxed: doing it twice does no harm. */
		if (atomic_load_explicit(&lane->touched[piece], memory_order_relaxed))
			continue;
		atomic_store_explicit(&lane->touched[piece], 1, memory_order_relaxed);
		if (end > lane->window_size)
			end = lane->window_size;
		/* Optional; what cannot be had fails when it is written. */
		madvise(lane->window + begin, end - begin, MADV_POPULATE_WRITE);
	}
}

/* The owner loses its privilege; its last claim is done when this returns. */
static void take_over(struct lane_producer *lane, const struct lane_key *owner)
{
	atomic_store_explicit(&lane->owner, &shared_key, memory_order_relaxed);
	priv_barrier_heavy();
	/* Acquire: pairs with the release in lane_end(). */
	while (atomic_load_explicit(&owner->busy, memory_order_acquire))
		clock_relax();
}

void lane_lock(struct lane_producer *lane, struct lane_key *key)
{
	struct lane_key *owner;

	pthread_mutex_lock(&lane->lock);
	/* Relaxed: written under the lock only. */
	owner = atomic_load_explicit(&lane->owner, memory_order_relaxed);
	if (!owner)
		atomic_store_explicit(&lane->owner, key, memory_order_relaxed);
	else if (owner != &shared_key)
		take_over(lane, owner);
}

void lane_unlock(struct lane_producer *lane)
{
	pthread_mutex_unlock(&lane->lock);
}

enum lane_answer lane_claim_shared(struct lane_producer *lane, struct lane_key *key, uint32_t size,
				   bool is_inline, struct lane_claim *claim)
{
	enum lane_answer answer;

	lane_lock(lane, key);
	answer = lane_claim_next(lane, size, is_inline, claim);
	lane_unlock(lane);
	return answer;
}

void lane_take_back(struct lane_producer *lane)
{
	/* Release: pairs with the acquire in lane_count_claims(). */
	atomic_store_explicit(&lane->shared->started, lane->claimed, memory_order_release);
	lane_wake_consumer(lane);
}

void lane_give_up(struct lane_producer *lane, struct lane_key *key)
{
	pthread_mutex_lock(&lane->lock);
	/* The next one finds what this one has claimed: the lock orders it. */
	if (lane_is_owned_by(lane, key))
		atomic_store_explicit(&lane->owner, NULL, memory_order_relaxed);
	pthread_mutex_unlock(&lane->lock);
}
