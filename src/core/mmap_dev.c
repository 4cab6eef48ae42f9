/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The table behind the handles of memory maps that DPA code has, and what can be done with them.
 *
 * A handle is a place in the table (lower half, from 1) and how often that has been taken (upper
 * half). A place is never freed; its handle says whether what stands there is what was asked for.
 */
#define LOG_MODULE "core"
#include "core/mmap_dev.h"

#include <stdatomic.h>
#include "base/copy.h"
#include "base/fork.h"
#include "base/log.h"
#include "core/mmap.h"

#define PLACE_BITS  16
#define PLACES	    ((1u << PLACE_BITS) - 1)
#define BOUNCE_SIZE (16u << 10)	      /* between two maps of other processes; on a unit's stack */
#define REMOTE_MAX  ((size_t)1 << 30) /* what priv_region_read() takes at once */

struct place {
	_Atomic uint32_t handle; /* 0: free */
	_Atomic uint32_t permissions;
	_Atomic uint64_t addr;
	_Atomic size_t size;
	_Atomic(struct region_remote *) remote;
	_Atomic(char *) here; /* where addr is in this process; NULL: nowhere, because of */
	_Atomic uint32_t obstacle;
	atomic_bool has_told; /* DPA code loops, and asks again and again */
	/* under priv_fork_hold() */
	uint16_t takes;
	uint16_t next_free; /* its number; 0: none */
};

/* What a place said while its handle was the one asked for. */
struct view {
	uint64_t addr;
	size_t size;
	uint32_t permissions;
	struct region_remote *remote;
	char *here;
	uint32_t obstacle;
};

/* Pages of it that no place is in take no memory. */
static struct place places[PLACES];
/* From here on under priv_fork_hold(), so that a child of fork() finds it in order. */
static uint32_t num_used;	       /* places that have ever been taken */
static uint16_t first_free, last_free; /* numbers; the one free for the longest is taken first */

/*
 * Taking and giving up
 */

static struct place *place_of(uint32_t number)
{
	return &places[number - 1];
}

/* Its number; 0: all are taken. */
static uint32_t take_place(void)
{
	uint32_t number = first_free;

	if (number) {
		first_free = place_of(number)->next_free;
		if (!first_free)
			last_free = 0;
		return number;
	}
	return num_used < PLACES ? ++num_used : 0;
}

static void free_place(uint32_t number)
{
	place_of(number)->next_free = 0;
	if (last_free)
		place_of(last_free)->next_free = (uint16_t)number;
	else
		first_free = (uint16_t)number;
	last_free = (uint16_t)number;
}

static uint32_t fill_place(uint32_t number, const struct doca_mmap *mmap)
{
	const struct region_view *view = mmap->remote ? region_remote_view(mmap->remote) : NULL;
	char *here = view ? view->addr : mmap->addr;
	struct place *place = place_of(number);
	uint32_t handle = (uint32_t)++place->takes << PLACE_BITS | number;

	/*
	 * Release: who sees one of these values sees that the handle before is gone. Pairs with the
	 * acquires in look_up().
	 */
	atomic_store_explicit(&place->addr, (uintptr_t)mmap->addr, memory_order_release);
	atomic_store_explicit(&place->size, mmap->len, memory_order_release);
	atomic_store_explicit(&place->permissions, mmap->permissions, memory_order_release);
	atomic_store_explicit(&place->remote, mmap->remote, memory_order_release);
	atomic_store_explicit(&place->here, here, memory_order_release);
	atomic_store_explicit(&place->obstacle, view ? view->obstacle : 0, memory_order_release);
	atomic_store_explicit(&place->has_told, false, memory_order_release);
	/* Release: publishes them. */
	atomic_store_explicit(&place->handle, handle, memory_order_release);
	return handle;
}

static doca_error_t take_handle(struct doca_mmap *mmap)
{
	uint32_t number;

	priv_fork_hold();
	number = take_place();
	if (number)
		mmap->dpa_handle = fill_place(number, mmap);
	priv_fork_release();
	if (number)
		return DOCA_SUCCESS;
	LOG_ERR("memory map: no handle for DPA code is left, %u maps have one", PLACES);
	return DOCA_ERROR_NO_MEMORY;
}

doca_error_t mmap_dev_handle(struct doca_mmap *mmap, doca_dpa_dev_mmap_t *ret_handle)
{
	doca_error_t err = mmap->dpa_handle ? DOCA_SUCCESS : take_handle(mmap);

	if (!err)
		*ret_handle = mmap->dpa_handle;
	return err;
}

void mmap_dev_forget(struct doca_mmap *mmap)
{
	uint32_t number = mmap->dpa_handle & PLACES;

	if (!number)
		return;
	priv_fork_hold();
	/* Relaxed: what is stored into the place after this is released. */
	atomic_store_explicit(&place_of(number)->handle, 0, memory_order_relaxed);
	free_place(number);
	mmap->dpa_handle = 0;
	priv_fork_release();
}

doca_error_t doca_mmap_dev_get_dpa_handle(struct doca_mmap *mmap, const struct doca_dev *dev,
					  doca_dpa_dev_mmap_t *dpa_mmap_handle)
{
	doca_error_t err;

	if (!mmap || !dev || !dpa_mmap_handle)
		return DOCA_ERROR_INVALID_VALUE;
	pthread_mutex_lock(&mmap->lock);
	if (!mmap_is_started(mmap))
		err = DOCA_ERROR_NOT_PERMITTED;
	else if (!mmap_has_dev(mmap, dev))
		err = DOCA_ERROR_NOT_FOUND;
	else
		err = mmap_dev_handle(mmap, dpa_mmap_handle);
	pthread_mutex_unlock(&mmap->lock);
	return err;
}

/*
 * Looking up
 */

static bool look_up(uint32_t handle, struct view *ret_view)
{
	uint32_t number = handle & PLACES;
	struct place *place;

	if (!number)
		return false;
	place = place_of(number);
	/* Acquire: pairs with the release of the handle in fill_place(). */
	if (atomic_load_explicit(&place->handle, memory_order_acquire) != handle)
		return false;
	/* Acquire: the handle is looked at again after them. */
	ret_view->addr = atomic_load_explicit(&place->addr, memory_order_acquire);
	ret_view->size = atomic_load_explicit(&place->size, memory_order_acquire);
	ret_view->permissions = atomic_load_explicit(&place->permissions, memory_order_acquire);
	ret_view->remote = atomic_load_explicit(&place->remote, memory_order_acquire);
	ret_view->here = atomic_load_explicit(&place->here, memory_order_acquire);
	ret_view->obstacle = atomic_load_explicit(&place->obstacle, memory_order_acquire);
	/* Relaxed: see above; a new map may stand there by now. */
	return atomic_load_explicit(&place->handle, memory_order_relaxed) == handle;
}

/* What is wrong with the use of a handle, once. */
#define TELL(handle, ...)                                                                          \
	do {                                                                                       \
		if (is_first_mistake(handle))                                                      \
			LOG_ERR("DPA code: " __VA_ARGS__);                                         \
	} while (0)

static bool is_first_mistake(uint32_t handle)
{
	uint32_t number = handle & PLACES;

	/* Relaxed: a flag. */
	return !number ||
	       !atomic_exchange_explicit(&place_of(number)->has_told, true, memory_order_relaxed);
}

static doca_error_t find(uint32_t handle, uint64_t addr, size_t size, bool writable,
			 struct view *ret_view)
{
	uint64_t offset;

	if (!look_up(handle, ret_view)) {
		TELL(handle, "0x%x is not the handle of a started memory map", handle);
		return DOCA_ERROR_NOT_FOUND;
	}
	offset = addr - ret_view->addr;
	if (offset > ret_view->size || size > ret_view->size - offset) {
		TELL(handle,
		     "%zu bytes at 0x%llx are not in the memory map, which has %zu at 0x%llx", size,
		     (unsigned long long)addr, ret_view->size, (unsigned long long)ret_view->addr);
		return DOCA_ERROR_INVALID_VALUE;
	}
	if (writable && !(ret_view->permissions & MMAP_WRITE_FLAGS)) {
		TELL(handle, "the memory map with 0x%llx must not be written to",
		     (unsigned long long)addr);
		return DOCA_ERROR_NOT_PERMITTED;
	}
	return DOCA_SUCCESS;
}

doca_error_t priv_mmap_dev_ptr(doca_dpa_dev_mmap_t handle, uint64_t addr, size_t size,
			       bool writable, void **ret_ptr)
{
	struct view view;
	doca_error_t err;

	err = find(handle, addr, size, writable, &view);
	if (err)
		return err;
	if (!view.here) {
		TELL(handle, "memory of another process has no address here (it can be copied): %s",
		     priv_takeover_describe(view.obstacle));
		return DOCA_ERROR_NOT_SUPPORTED;
	}
	*ret_ptr = view.here + (addr - view.addr);
	return DOCA_SUCCESS;
}

/*
 * Copying
 */

static doca_error_t copy_between_others(const struct view *dst, uint64_t dst_offset,
					const struct view *src, uint64_t src_offset, size_t size)
{
	char bounce[BOUNCE_SIZE];
	doca_error_t err;

	err = priv_region_read(src->remote, src_offset, bounce, size);
	return err ? err : priv_region_write(dst->remote, dst_offset, bounce, size);
}

/* One piece; at most REMOTE_MAX if one of them is another process's, BOUNCE_SIZE if both are. */
static doca_error_t copy_piece(const struct view *dst, uint64_t dst_addr, const struct view *src,
			       uint64_t src_addr, size_t size)
{
	uint64_t dst_offset = dst_addr - dst->addr;
	uint64_t src_offset = src_addr - src->addr;

	if (!dst->remote && !src->remote) {
		copy_move((void *)(uintptr_t)dst_addr, (const void *)(uintptr_t)src_addr, size,
			  size);
		return DOCA_SUCCESS;
	}
	if (!src->remote)
		return priv_region_write(dst->remote, dst_offset, (const void *)(uintptr_t)src_addr,
					 size);
	if (!dst->remote)
		return priv_region_read(src->remote, src_offset, (void *)(uintptr_t)dst_addr, size);
	return copy_between_others(dst, dst_offset, src, src_offset, size);
}

static size_t piece_max(const struct view *dst, const struct view *src)
{
	if (!dst->remote && !src->remote)
		return SIZE_MAX;
	return dst->remote && src->remote ? BOUNCE_SIZE : REMOTE_MAX;
}

doca_error_t priv_mmap_dev_copy(const struct mmap_dev_copy *copy)
{
	struct view dst, src;
	doca_error_t err;
	size_t max, size;

	err = find(copy->src_mmap, copy->src_addr, copy->size, false, &src);
	if (!err)
		err = find(copy->dst_mmap, copy->dst_addr, copy->size, true, &dst);
	if (err)
		return err;
	max = piece_max(&dst, &src);
	for (size_t done = 0; done < copy->size && !err; done += size) {
		size = copy->size - done < max ? copy->size - done : max;
		err = copy_piece(&dst, copy->dst_addr + done, &src, copy->src_addr + done, size);
	}
	if (err)
		TELL(dst.remote ? copy->dst_mmap : copy->src_mmap,
		     "%zu bytes of another process's memory could not be copied: %s", copy->size,
		     doca_error_get_name(err));
	return err;
}
