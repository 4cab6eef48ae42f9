/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Handles: by which DPA code, and objects that outlive others, name an object of the program.
 *
 * A handle is a place in a table and how often that has been taken. Places are never freed: however
 * old a handle is, its place says whether the object is still there. Objects are freed when they
 * are destroyed, so whoever finds one uses it under a lock, which is also held when it is taken out
 * of reach: the place's own, or the engine's for objects that an engine drives (core/dpa_hook.h).
 */
#ifndef SOFTFIELD_CORE_DPA_HANDLE_H
#define SOFTFIELD_CORE_DPA_HANDLE_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>
#include "base/export.h"
#include "core/dpa_hook.h"

enum dpa_kind {
	DPA_THREAD = 1, /* no handle is 0 */
	DPA_COMPLETION,
	DPA_NOTIFICATION,
	DPA_ASYNC_OPS,
	DPA_HASH_TABLE,
	DPA_SYNC_EVENT,
	DPA_CONSUMER_COMPLETION,
	DPA_CONSUMER,
	DPA_PRODUCER,
	DPA_KIND_COUNT
};

/* A handle: the place's number, from 1; the kind; how often the place has been taken. */
#define DPA_PLACE_BITS 16
#define DPA_PLACES     (1u << DPA_PLACE_BITS)
#define DPA_KIND_BITS  8

struct dpa_place {
	_Alignas(64) _Atomic uint64_t handle; /* 0: nothing stands here; else of what does */
	void *object;			      /* DPA code reads it under the lock */
	struct dpa_engine *_Atomic engine;    /* NULL: none drives it now */
	void *_Atomic ring; /* what is read without a lock: core/dpa_memory.h; may be NULL */
	atomic_bool has_told;
	/* for those who take and give places */
	uint64_t takes;
	uint32_t next_free;
	pthread_mutex_t lock; /* a leaf, but for a unit's and for another kind's */
};

PRIV_EXPORT extern struct dpa_place priv_dpa_places[DPA_PLACES];

/* for a new object; NULL, and logged: all are taken */
PRIV_EXPORT struct dpa_place *priv_dpa_place_take(enum dpa_kind kind, void *object);
/* The object is being destroyed: nobody finds it after this call. No engine drives it any more. */
PRIV_EXPORT void priv_dpa_place_give(struct dpa_place *place);
/* DPA code has a handle of nothing: tells of it once */
PRIV_EXPORT void priv_dpa_handle_miss(uint64_t handle, enum dpa_kind kind);

static inline struct dpa_place *dpa_place_of(uint64_t handle)
{
	return &priv_dpa_places[handle & (DPA_PLACES - 1)];
}

static inline enum dpa_kind dpa_kind_of(uint64_t handle)
{
	return (enum dpa_kind)(handle >> DPA_PLACE_BITS & ((1u << DPA_KIND_BITS) - 1));
}

static inline uint64_t dpa_handle_of(const struct dpa_place *place)
{
	/* Relaxed: the caller has the object. */
	return atomic_load_explicit(&place->handle, memory_order_relaxed);
}

/* where the object stands, or stood a moment ago; NULL: nowhere */
static inline struct dpa_place *dpa_place_at(uint64_t handle, enum dpa_kind kind)
{
	struct dpa_place *place = dpa_place_of(handle);

	/* Acquire: pairs with the release in priv_dpa_place_take(). */
	if (dpa_kind_of(handle) == kind &&
	    atomic_load_explicit(&place->handle, memory_order_acquire) == handle)
		return place;
	return NULL;
}

/* For DPA code: the same; what is nowhere is told of. */
static inline struct dpa_place *dpa_place_find(uint64_t handle, enum dpa_kind kind)
{
	struct dpa_place *place = dpa_place_at(handle, kind);

	if (!place)
		priv_dpa_handle_miss(handle, kind);
	return place;
}

/* For the program, which connects and destroys one after the other; NULL: it has been destroyed */
static inline void *dpa_object_at(uint64_t handle, enum dpa_kind kind)
{
	const struct dpa_place *place = dpa_place_at(handle, kind);

	return place ? place->object : NULL;
}

/* For DPA code: the object, which stays until dpa_object_unlock(); NULL: it is not there */
static inline void *dpa_object_lock(uint64_t handle, enum dpa_kind kind)
{
	struct dpa_place *place = dpa_place_find(handle, kind);

	if (!place)
		return NULL;
	pthread_mutex_lock(&place->lock);
	if (dpa_handle_of(place) == handle)
		return place->object;
	pthread_mutex_unlock(&place->lock);
	return NULL;
}

static inline void dpa_object_unlock(uint64_t handle)
{
	pthread_mutex_unlock(&dpa_place_of(handle)->lock);
}

/*
 * The same of an object that an engine drives, until dpa_engine_unlock(). NULL, also: none drives
 * it. The engine's memory is there however late this comes.
 */
static inline void *dpa_object_lock_engine(uint64_t handle, enum dpa_kind kind,
					   struct dpa_engine **ret_engine)
{
	struct dpa_place *place = dpa_place_find(handle, kind);
	struct dpa_engine *engine;

	if (!place)
		return NULL;
	/* Acquire, both: pair with the release in dpa_place_set_engine(). */
	engine = atomic_load_explicit(&place->engine, memory_order_acquire);
	if (!engine)
		return NULL;
	dpa_engine_lock(engine);
	if (atomic_load_explicit(&place->engine, memory_order_acquire) == engine &&
	    dpa_handle_of(place) == handle) {
		*ret_engine = engine;
		return place->object;
	}
	dpa_engine_unlock(engine);
	return NULL;
}

/* An engine begins to drive it. With the engine's lock held: NULL, it does not any more. */
static inline void dpa_place_set_engine(struct dpa_place *place, struct dpa_engine *engine)
{
	/* Release: what the object is like is seen with it. */
	atomic_store_explicit(&place->engine, engine, memory_order_release);
}

#endif
