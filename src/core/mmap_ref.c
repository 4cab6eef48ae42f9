/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Who keeps a memory map: its owner until it is destroyed, buffers, and objects that name it.
 */
#include "core/mmap.h"

#include <assert.h>
#include <stdlib.h>

void mmap_free(struct doca_mmap *mmap)
{
	assert(!mmap->window);
	region_detach(mmap->remote);
	priv_fork_unwatch(&mmap->fork_watch);
	pthread_mutex_destroy(&mmap->lock);
	free(mmap);
}

/* Acquire and release: whoever frees the map sees what the others did with it before. */
static void unref(struct doca_mmap *mmap, uint64_t share)
{
	if (atomic_fetch_sub_explicit(&mmap->refs, share, memory_order_acq_rel) == share)
		mmap_free(mmap);
}

/* Buffers of a thread-safe map may outlive it: its memory goes when refs says so. */
void mmap_ref_buf_elsewhere(struct doca_mmap *mmap)
{
	const void *nobody = NULL;

	/* Relaxed: only a count; the map is alive because its owner has just named it. */
	if (!mmap->thread_safe &&
	    atomic_compare_exchange_strong_explicit(&mmap->buf_thread, &nobody, thread_self(),
						    memory_order_relaxed, memory_order_relaxed))
		mmap_count_buf(mmap, 1);
	else
		atomic_fetch_add_explicit(&mmap->refs, 1, memory_order_relaxed);
}

void mmap_unref_buf_elsewhere(struct doca_mmap *mmap)
{
	unref(mmap, 1);
}

void priv_mmap_hold(struct doca_mmap *mmap)
{
	/* Relaxed: see mmap_ref_buf_elsewhere(). */
	atomic_fetch_add_explicit(&mmap->refs, MMAP_HOLDER, memory_order_relaxed);
}

void priv_mmap_release(struct doca_mmap *mmap)
{
	unref(mmap, MMAP_HOLDER);
}

uint32_t mmap_buf_count(const struct doca_mmap *mmap)
{
	/* Acquire: pairs with unref() and mmap_count_buf(). */
	return (uint32_t)atomic_load_explicit(&mmap->refs, memory_order_acquire) +
	       (uint32_t)atomic_load_explicit(&mmap->thread_bufs, memory_order_acquire);
}

void mmap_count_for_all(struct doca_mmap *mmap)
{
	/* Acquire: pairs with mmap_count_buf(). */
	int64_t count = atomic_load_explicit(&mmap->thread_bufs, memory_order_acquire);

	/* Relaxed: no other thread uses the map now. */
	atomic_store_explicit(&mmap->buf_thread, NULL, memory_order_relaxed);
	atomic_store_explicit(&mmap->thread_bufs, 0, memory_order_relaxed);
	atomic_fetch_add_explicit(&mmap->refs, (uint64_t)count, memory_order_relaxed);
}

void mmap_disown(struct doca_mmap *mmap)
{
	if (!mmap->thread_safe)
		mmap_count_for_all(mmap);
	unref(mmap, MMAP_OWNER);
}
