/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Memory maps as buffers, tasks and transports see them.
 */
#ifndef SOFTFIELD_CORE_MMAP_H
#define SOFTFIELD_CORE_MMAP_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "base/export.h"
#include "base/fork.h"
#include "base/thread.h"
#include "doca_mmap.h"
#include "doca_types.h"
#include "link/region.h"
#include "link/window.h"

#define MMAP_PCI_FLAGS (DOCA_ACCESS_FLAG_PCI_READ_ONLY | DOCA_ACCESS_FLAG_PCI_READ_WRITE)
/* one of them lets tasks and DPA code write */
#define MMAP_WRITE_FLAGS (DOCA_ACCESS_FLAG_LOCAL_READ_WRITE | DOCA_ACCESS_FLAG_PCI_READ_WRITE)
#define MMAP_RDMA_FLAGS	 (DOCA_ACCESS_FLAG_RDMA_READ | DOCA_ACCESS_FLAG_RDMA_WRITE)

/* Shares of mmap->refs: the owner's, and one for each holder; what is below counts buffers. */
#define MMAP_OWNER  (UINT64_C(1) << 63)
#define MMAP_HOLDER (UINT64_C(1) << 32)

enum mmap_export { MMAP_EXPORT_PCI, MMAP_EXPORT_RDMA, MMAP_EXPORT_COUNT };

struct doca_mmap {
	/* what every buffer looks at */
	char *addr; /* imported: in the exporter's process, not to be touched here */
	size_t len;
	uint32_t permissions;
	_Atomic bool started;  /* mmap_is_started() */
	_Atomic bool ordinary; /* mmap_is_ordinary() */
	bool thread_safe;
	bool is_dmabuf; /* memory of a device */
	/*
	 * Buffers and holders count here from any thread. The memory of a destroyed map goes with
	 * the last of them, which is how a thread-safe map may be destroyed before its buffers.
	 */
	_Atomic uint64_t refs;
	/*
	 * But one thread, the first to take a buffer, counts those that it takes and gives back in
	 * thread_bufs, without a locked instruction. What another one gives back of them leaves one
	 * too many there and one too few in refs: the sum is what is out. NULL: nobody has taken a
	 * buffer, or the map is thread-safe.
	 */
	const void *_Atomic buf_thread; /* its thread_self() */
	_Atomic int64_t thread_bufs;
	struct region_remote *remote; /* imported, else NULL; as long as the memory of the map */
	/* made when the first consumer receives into the map, until that is stopped */
	struct window *_Atomic window;

	/*
	 * Guards what follows, window and started, if thread_safe. Held also while the memory is
	 * touched, so locks of lanes, windows and exports come after it. Free in a child of fork().
	 */
	pthread_mutex_t lock;
	struct fork_watch fork_watch;
	struct region_export *exports[MMAP_EXPORT_COUNT];
	struct doca_dev **devs;
	uint32_t dev_count;
	uint32_t max_devs;
	const struct doca_dev *dpa_dev; /* of the DPA whose memory it is; counts as added */
	union doca_data user_data;
	doca_mmap_memrange_free_cb_t *free_cb;
	void *free_cookie;
	bool was_started;    /* ever: the free callback is due */
	uint32_t dpa_handle; /* mmap_dev.h; 0: nobody has asked for it since the start */
	/* up to release 1.5 (mmap_1_5.c) */
	struct doca_mmap *next_chunk; /* more memory of the same map */
	bool may_start_empty;	      /* made as up to 2.2: memory comes later */
	bool populated;		      /* jobs replace the destination's data */
};

void mmap_free(struct doca_mmap *mmap);
/* Is it too late to change it? Logged. */
bool mmap_is_fixed(const struct doca_mmap *mmap);
bool mmap_has_dev(const struct doca_mmap *mmap, const struct doca_dev *dev);
/* buffers that are out */
uint32_t mmap_buf_count(const struct doca_mmap *mmap);
/* From here on refs alone counts buffers. */
void mmap_count_for_all(struct doca_mmap *mmap);
/* The owner's share goes, and the memory with it if it was the last one. */
void mmap_disown(struct doca_mmap *mmap);
/* what mmap_ref_buf() and mmap_unref_buf() do in any thread but buf_thread */
void mmap_ref_buf_elsewhere(struct doca_mmap *mmap);
void mmap_unref_buf_elsewhere(struct doca_mmap *mmap);

/* Functions of doca_mmap.h for maps of our own, as in core/pe.h */
PRIV_EXPORT doca_error_t priv_mmap_create(struct doca_mmap **mmap);
PRIV_EXPORT doca_error_t priv_mmap_destroy(struct doca_mmap *mmap);
PRIV_EXPORT doca_error_t priv_mmap_start(struct doca_mmap *mmap);
PRIV_EXPORT doca_error_t priv_mmap_add_dev(struct doca_mmap *mmap, struct doca_dev *dev);
PRIV_EXPORT doca_error_t priv_mmap_set_memrange(struct doca_mmap *mmap, void *addr, size_t len);
PRIV_EXPORT doca_error_t priv_mmap_set_permissions(struct doca_mmap *mmap, uint32_t access_mask);

/*
 * For objects that name a map as long as they exist. Its owner may destroy it all the same: for
 * them it is a map that is not started.
 */
PRIV_EXPORT void priv_mmap_hold(struct doca_mmap *mmap);
PRIV_EXPORT void priv_mmap_release(struct doca_mmap *mmap);

/*
 * The window through which peers write into a started local map, with one more reference for the
 * caller. NO_MEMORY, FULL; NOT_PERMITTED: imported, or not started
 */
PRIV_EXPORT doca_error_t priv_mmap_window(struct doca_mmap *mmap, struct window **ret_window);

static inline bool mmap_is_started(const struct doca_mmap *mmap)
{
	/*
	 * Relaxed: a thread-safe map may be destroyed at any moment; what follows is not ordered
	 * (mmap_begin_access()).
	 */
	return atomic_load_explicit(&mmap->started, memory_order_relaxed);
}

/* Is it started, of this process, and nobody destroys it meanwhile? */
static inline bool mmap_is_ordinary(const struct doca_mmap *mmap)
{
	/* Relaxed: as above. */
	return atomic_load_explicit(&mmap->ordinary, memory_order_relaxed);
}

/* Is that its window? Then it is started, and has been since the window was made. */
static inline bool mmap_has_window(const struct doca_mmap *mmap, const struct window *window)
{
	/* Relaxed: as above. */
	return atomic_load_explicit(&mmap->window, memory_order_relaxed) == window;
}

/* after mmap_begin_access() that has answered true */
static inline void mmap_end_access(struct doca_mmap *mmap)
{
	if (doca_unlikely(mmap->thread_safe))
		pthread_mutex_unlock(&mmap->lock);
}

/*
 * For whoever touches the memory after the submit that has looked at the map: nobody destroys it
 * until mmap_end_access(). false: it has been destroyed. Without callbacks in between, and of two
 * maps at a time the one with the lower address first.
 */
static inline bool mmap_begin_access(struct doca_mmap *mmap)
{
	if (doca_unlikely(mmap->thread_safe))
		pthread_mutex_lock(&mmap->lock);
	if (doca_likely(mmap_is_started(mmap)))
		return true;
	mmap_end_access(mmap);
	return false;
}

static inline bool mmap_is_exported(const struct doca_mmap *mmap)
{
	return mmap->exports[MMAP_EXPORT_PCI] || mmap->exports[MMAP_EXPORT_RDMA];
}

static inline bool mmap_is_buf_thread(const struct doca_mmap *mmap)
{
	/* Relaxed: whether it is this thread does not change while it runs. */
	return atomic_load_explicit(&mmap->buf_thread, memory_order_relaxed) == thread_self();
}

static inline void mmap_count_buf(struct doca_mmap *mmap, int64_t change)
{
	/* Relaxed: no other thread writes it. */
	int64_t count = atomic_load_explicit(&mmap->thread_bufs, memory_order_relaxed);

	/* Release: pairs with whoever looks whether all buffers are back, and ends the map. */
	atomic_store_explicit(&mmap->thread_bufs, count + change, memory_order_release);
}

static inline void mmap_ref_buf(struct doca_mmap *mmap)
{
	if (doca_likely(mmap_is_buf_thread(mmap)))
		mmap_count_buf(mmap, 1);
	else
		mmap_ref_buf_elsewhere(mmap);
}

static inline void mmap_unref_buf(struct doca_mmap *mmap)
{
	if (doca_likely(mmap_is_buf_thread(mmap)))
		mmap_count_buf(mmap, -1);
	else
		mmap_unref_buf_elsewhere(mmap);
}

/* Is [addr, addr + len) inside of the map? */
static inline bool mmap_contains(const struct doca_mmap *mmap, const void *addr, size_t len)
{
	uintptr_t offset = (uintptr_t)addr - (uintptr_t)mmap->addr;

	return offset <= mmap->len && len <= mmap->len - offset;
}

/* May a task write there? Imported memory is also checked at each copy. */
static inline bool mmap_is_writable(const struct doca_mmap *mmap)
{
	return mmap->permissions & MMAP_WRITE_FLAGS;
}

#endif
