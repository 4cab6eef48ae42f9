/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The table behind handles.
 */
#define LOG_MODULE "core"
#include "core/dpa_handle.h"

#include "base/fork.h"
#include "base/log.h"

/* Pages of it that no place is in take no memory. */
struct dpa_place priv_dpa_places[DPA_PLACES];
/* Under priv_fork_hold(), so that a child of fork() finds it in order. */
static uint32_t num_used = 1; /* places that have ever been taken, and the one that never is */
/*
 * The first free place of each kind, by number; 0: none. A place is used again for the same kind
 * only: locks of places are taken in the order of kinds, and deadlock detectors know locks, not
 * kinds.
 */
static uint32_t first_free[DPA_KIND_COUNT];

static const char *const kind_names[DPA_KIND_COUNT] = {
	[DPA_THREAD] = "DPA thread",
	[DPA_COMPLETION] = "DPA completion",
	[DPA_NOTIFICATION] = "notification completion",
	[DPA_ASYNC_OPS] = "queue of asynchronous operations",
	[DPA_HASH_TABLE] = "hash table",
	[DPA_SYNC_EVENT] = "sync event that has been started",
	[DPA_CONSUMER_COMPLETION] = "consumer completion",
	[DPA_CONSUMER] = "consumer",
	[DPA_PRODUCER] = "producer",
};

/* Threads that are not here may have had the locks. */
static void disown(struct fork_watch *watch)
{
	(void)watch;
	for (uint32_t i = 1; i < num_used; i++)
		pthread_mutex_init(&priv_dpa_places[i].lock, NULL);
}

static void watch_forks(void)
{
	static struct fork_watch watch;

	priv_fork_watch(&watch, disown);
}

static uint32_t pop_free(enum dpa_kind kind)
{
	uint32_t number = first_free[kind];

	if (number)
		first_free[kind] = priv_dpa_places[number].next_free;
	return number;
}

/* its number; 0: all are taken */
static uint32_t take_number(enum dpa_kind kind)
{
	uint32_t number = pop_free(kind);
	int other;

	if (!number && num_used < DPA_PLACES) {
		pthread_mutex_init(&priv_dpa_places[num_used].lock, NULL);
		return num_used++;
	}
	for (other = DPA_THREAD; !number && other < DPA_KIND_COUNT; other++)
		number = pop_free((enum dpa_kind)other);
	return number;
}

struct dpa_place *priv_dpa_place_take(enum dpa_kind kind, void *object)
{
	static pthread_once_t once = PTHREAD_ONCE_INIT;
	struct dpa_place *place;
	uint32_t number;

	pthread_once(&once, watch_forks);
	priv_fork_hold();
	number = take_number(kind);
	priv_fork_release();
	if (!number) {
		LOG_ERR("%s: no handle is left, %u objects for DPA code have one", kind_names[kind],
			DPA_PLACES - 1);
		return NULL;
	}
	place = &priv_dpa_places[number];
	place->object = object;
	place->takes++;
	/* Relaxed: a flag. */
	atomic_store_explicit(&place->has_told, false, memory_order_relaxed);
	/* Release: pairs with the acquire in dpa_place_at(). */
	atomic_store_explicit(&place->handle,
			      place->takes << (DPA_PLACE_BITS + DPA_KIND_BITS) |
				      (uint64_t)kind << DPA_PLACE_BITS | number,
			      memory_order_release);
	return place;
}

void priv_dpa_place_give(struct dpa_place *place)
{
	uint32_t number = (uint32_t)(place - priv_dpa_places);
	enum dpa_kind kind = dpa_kind_of(dpa_handle_of(place));

	/* Who has found the object has the lock. */
	pthread_mutex_lock(&place->lock);
	/* Relaxed, all: see the lock; an engine that is still there is one of a parent. */
	atomic_store_explicit(&place->handle, 0, memory_order_relaxed);
	atomic_store_explicit(&place->engine, NULL, memory_order_relaxed);
	atomic_store_explicit(&place->ring, NULL, memory_order_relaxed);
	pthread_mutex_unlock(&place->lock);
	priv_fork_hold();
	place->next_free = first_free[kind];
	first_free[kind] = number;
	priv_fork_release();
}

void priv_dpa_handle_miss(uint64_t handle, enum dpa_kind kind)
{
	/* Relaxed: a flag. */
	if (!atomic_exchange_explicit(&dpa_place_of(handle)->has_told, true, memory_order_relaxed))
		LOG_WRN("DPA code: 0x%llx is not the handle of a %s; it may have been destroyed",
			(unsigned long long)handle, kind_names[kind]);
}
