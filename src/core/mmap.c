/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Memory maps: starting, devices, exporting, importing.
 */
#define LOG_MODULE "core"
#include "core/mmap.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/mman.h>
#include "base/log.h"
#include "base/page.h"
#include "core/dev.h"
#include "core/dpa_hook.h"
#include "core/mmap_dev.h"
#include "core/mmap_guard.h"
#include "link/region_pages.h"

bool mmap_is_fixed(const struct doca_mmap *mmap)
{
	if (!mmap_is_started(mmap))
		return false;
	LOG_ERR("memory map %p cannot be changed: it is %s", (const void *)mmap,
		mmap->remote ? "imported" : "started");
	return true;
}

static void set_started(struct doca_mmap *mmap, bool started)
{
	const bool ordinary = started && !mmap->remote && !mmap->thread_safe;

	/* Relaxed: see mmap_is_started(). */
	atomic_store_explicit(&mmap->started, started, memory_order_relaxed);
	atomic_store_explicit(&mmap->ordinary, ordinary, memory_order_relaxed);
}

/*
 * Life
 */

/* A thread that is not in the child may have had it. */
static void free_lock_in_child(struct fork_watch *watch)
{
	pthread_mutex_init(&container_of(watch, struct doca_mmap, fork_watch)->lock, NULL);
}

static struct doca_mmap *mmap_alloc(void)
{
	struct doca_mmap *mmap = calloc(1, sizeof(*mmap));

	if (!mmap)
		return NULL;
	atomic_init(&mmap->refs, MMAP_OWNER);
	pthread_mutex_init(&mmap->lock, NULL);
	priv_fork_watch(&mmap->fork_watch, free_lock_in_child);
	return mmap;
}

doca_error_t doca_mmap_create(struct doca_mmap **mmap)
{
	struct doca_mmap *new_mmap;

	if (!mmap)
		return DOCA_ERROR_INVALID_VALUE;
	new_mmap = mmap_alloc();
	if (!new_mmap)
		return DOCA_ERROR_NO_MEMORY;
	new_mmap->permissions = DOCA_ACCESS_FLAG_LOCAL_READ_WRITE;
	new_mmap->max_devs = (uint32_t)priv_topo_limits()->mmap_max_num_devices;
	*mmap = new_mmap;
	return DOCA_SUCCESS;
}

/*
 * A card registers the memory and finds holes in it; here a copy would meet them later, and end the
 * program. This looks, and touches nothing.
 */
static bool memory_has_holes(char *addr, size_t len)
{
	unsigned char is_in_ram[8192];
	const size_t step = sizeof(is_in_ram) * page_size();
	char *page = page_down(addr);

	for (size_t left = len + (size_t)(addr - page); left;) {
		const size_t now = left < step ? left : step;

		if (mincore(page, now, is_in_ram) && errno == ENOMEM)
			return true;
		page += now;
		left -= now;
	}
	return false;
}

static doca_error_t start(struct doca_mmap *mmap, bool *ret_has_dev)
{
	MMAP_GUARD(mmap);
	if (mmap_is_exported(mmap))
		return DOCA_ERROR_NOT_PERMITTED;
	if (mmap->remote) { /* is started: docs/decisions/0008 */
		*ret_has_dev = true;
		return DOCA_SUCCESS;
	}
	if (!mmap->addr) {
		LOG_ERR("memory map %p cannot be started: it has no memory, see "
			"doca_mmap_set_memrange()",
			(void *)mmap);
		return DOCA_ERROR_INVALID_VALUE;
	}
	if (mmap->dev_count && memory_has_holes(mmap->addr, mmap->len)) {
		LOG_ERR("memory map %p cannot be started: not all of the %zu bytes at %p are "
			"memory of this process",
			(void *)mmap, mmap->len, mmap->addr);
		return DOCA_ERROR_INVALID_VALUE;
	}
	set_started(mmap, true);
	mmap->was_started = true;
	*ret_has_dev = mmap->dev_count || mmap->dpa_dev;
	return DOCA_SUCCESS;
}

doca_error_t doca_mmap_start(struct doca_mmap *mmap)
{
	bool has_dev;
	doca_error_t err;

	if (!mmap)
		return DOCA_ERROR_INVALID_VALUE;
	if (mmap->may_start_empty && !mmap->addr)
		return DOCA_SUCCESS;
	err = start(mmap, &has_dev);
	/* Here everything goes on without. */
	if (!err && !has_dev)
		LOG_WRN("memory map %p has no device, see doca_mmap_add_dev(): on a card nothing "
			"could use it",
			(void *)mmap);
	return err;
}

/* under the lock */
static doca_error_t open_window(struct doca_mmap *mmap)
{
	struct window *window = mmap->window;
	doca_error_t err;

	if (mmap->remote || !mmap_is_started(mmap))
		return DOCA_ERROR_NOT_PERMITTED;
	if (window && !window_is_inherited(window))
		return DOCA_SUCCESS;
	if (window)
		priv_window_unref(window);
	mmap->window = NULL;
	err = priv_window_create(mmap->addr, mmap->len, &window);
	if (err)
		return err;
	if (mmap_is_exported(mmap))
		priv_window_freeze(window);
	mmap->window = window;
	return DOCA_SUCCESS;
}

doca_error_t priv_mmap_window(struct doca_mmap *mmap, struct window **ret_window)
{
	doca_error_t err;

	pthread_mutex_lock(&mmap->lock);
	err = open_window(mmap);
	if (!err) {
		priv_window_ref(mmap->window);
		*ret_window = mmap->window;
	}
	pthread_mutex_unlock(&mmap->lock);
	return err;
}

/* With the lock, if it is thread-safe. */
static void close_window(struct doca_mmap *mmap)
{
	if (!mmap->window)
		return;
	priv_window_withdraw(mmap->window);
	priv_window_unref(mmap->window);
	mmap->window = NULL;
}

static doca_error_t stop(struct doca_mmap *mmap, const char **ret_why)
{
	MMAP_GUARD(mmap);
	*ret_why = mmap->remote		    ? "it is an import"
		   : mmap_is_exported(mmap) ? "it is exported"
		   : mmap_buf_count(mmap)   ? "buffers of it are out"
					    : NULL;
	if (*ret_why)
		return DOCA_ERROR_NOT_PERMITTED;
	set_started(mmap, false);
	mmap_dev_forget(mmap);
	close_window(mmap);
	return DOCA_SUCCESS;
}

doca_error_t doca_mmap_stop(struct doca_mmap *mmap)
{
	const char *why;
	doca_error_t err;

	if (!mmap)
		return DOCA_ERROR_INVALID_VALUE;
	err = stop(mmap, &why);
	if (err)
		LOG_INFO("memory map %p cannot be stopped: %s", (void *)mmap, why);
	return err;
}

static void end_exports(struct doca_mmap *mmap)
{
	for (int i = 0; i < MMAP_EXPORT_COUNT; i++) {
		region_export_destroy(mmap->exports[i]);
		mmap->exports[i] = NULL;
	}
}

/* When this returns, tasks on buffers that are still out touch the range no more, and will fail. */
static void end_accesses(struct doca_mmap *mmap)
{
	MMAP_GUARD(mmap);
	set_started(mmap, false);
}

static void end_window(struct doca_mmap *mmap)
{
	MMAP_GUARD(mmap); /* a consumer that is being started may look at it, in vain */
	close_window(mmap);
}

/* The program may have freed the range already: nothing here touches it. */
doca_error_t doca_mmap_destroy(struct doca_mmap *mmap)
{
	if (!mmap)
		return DOCA_ERROR_INVALID_VALUE;
	if (mmap_buf_count(mmap) && !mmap->thread_safe) {
		LOG_ERR("memory map %p cannot be destroyed: %u buffers of it are out", (void *)mmap,
			mmap_buf_count(mmap));
		return DOCA_ERROR_NOT_PERMITTED;
	}
	if (mmap->next_chunk && doca_mmap_destroy(mmap->next_chunk))
		return DOCA_ERROR_NOT_PERMITTED;
	end_accesses(mmap);
	mmap_dev_forget(mmap);
	end_exports(mmap); /* before pages change: importers may be writing */
	end_window(mmap);
	for (uint32_t i = 0; i < mmap->dev_count; i++)
		priv_dev_release(mmap->devs[i]);
	free(mmap->devs);
	if (mmap->free_cb && mmap->was_started)
		mmap->free_cb(mmap->addr, mmap->len, mmap->free_cookie);
	mmap_disown(mmap);
	return DOCA_SUCCESS;
}

doca_error_t doca_mmap_enable_thread_safety(struct doca_mmap *mmap)
{
	if (!mmap)
		return DOCA_ERROR_INVALID_VALUE;
	if (mmap_is_fixed(mmap))
		return DOCA_ERROR_NOT_PERMITTED;
	if (mmap->thread_safe)
		return DOCA_SUCCESS;
	mmap->thread_safe = true;
	mmap_count_for_all(mmap);
	return DOCA_SUCCESS;
}

/*
 * Devices
 */

/* Position of dev, or dev_count. */
static uint32_t find_dev(const struct doca_mmap *mmap, const struct doca_dev *dev)
{
	uint32_t i = 0;

	while (i < mmap->dev_count && mmap->devs[i] != dev)
		i++;
	return i;
}

static doca_error_t append_dev(struct doca_mmap *mmap, struct doca_dev *dev)
{
	struct doca_dev **devs;

	devs = realloc(mmap->devs, (mmap->dev_count + 1) * sizeof(struct doca_dev *));
	if (!devs)
		return DOCA_ERROR_NO_MEMORY;
	devs[mmap->dev_count++] = dev;
	mmap->devs = devs;
	priv_dev_use(dev);
	return DOCA_SUCCESS;
}

doca_error_t doca_mmap_add_dev(struct doca_mmap *mmap, struct doca_dev *dev)
{
	if (!mmap || !dev)
		return DOCA_ERROR_INVALID_VALUE;
	MMAP_GUARD(mmap);
	if (mmap_is_fixed(mmap))
		return DOCA_ERROR_NOT_PERMITTED;
	if (find_dev(mmap, dev) < mmap->dev_count)
		return DOCA_ERROR_ALREADY_EXIST;
	if (mmap->dev_count == mmap->max_devs) {
		LOG_ERR("memory map %p has all the %u devices it can be given", (void *)mmap,
			mmap->max_devs);
		return DOCA_ERROR_NO_MEMORY;
	}
	return append_dev(mmap, dev);
}

doca_error_t doca_mmap_rm_dev(struct doca_mmap *mmap, struct doca_dev *dev)
{
	uint32_t pos;

	if (!mmap || !dev)
		return DOCA_ERROR_INVALID_VALUE;
	MMAP_GUARD(mmap);
	if (mmap_is_fixed(mmap))
		return DOCA_ERROR_NOT_PERMITTED;
	pos = find_dev(mmap, dev);
	if (pos == mmap->dev_count)
		return DOCA_ERROR_NOT_FOUND;
	mmap->devs[pos] = mmap->devs[--mmap->dev_count];
	priv_dev_release(dev);
	return DOCA_SUCCESS;
}

bool mmap_has_dev(const struct doca_mmap *mmap, const struct doca_dev *dev)
{
	return find_dev(mmap, dev) < mmap->dev_count || (dev && dev == mmap->dpa_dev);
}

/*
 * Export
 */

static uint32_t region_access(const struct doca_mmap *mmap, enum mmap_export kind)
{
	uint32_t access = 0;

	if (kind == MMAP_EXPORT_PCI) {
		if (mmap->permissions & DOCA_ACCESS_FLAG_PCI_READ_WRITE)
			return REGION_READ | REGION_WRITE;
		return mmap->permissions & DOCA_ACCESS_FLAG_PCI_READ_ONLY ? REGION_READ : 0;
	}
	if (mmap->permissions & DOCA_ACCESS_FLAG_RDMA_READ)
		access |= REGION_READ;
	if (mmap->permissions & DOCA_ACCESS_FLAG_RDMA_WRITE)
		access |= REGION_WRITE;
	return access;
}

/*
 * Importers that have a DPA want addresses. What lies beside the memory is shared with them only by
 * programs that have one, too.
 */
static enum takeover obstacle_to_mapping(const struct doca_mmap *mmap)
{
	if (mmap->len > priv_topo_limits()->mmap_max_mapped_export)
		return TAKEOVER_TOO_LARGE;
	if (!priv_dpa && !region_pages_are_own(mmap->addr, mmap->len))
		return TAKEOVER_EDGES;
	return TAKEOVER_DONE;
}

static doca_error_t export(struct doca_mmap *mmap, const struct doca_dev *dev,
			   enum mmap_export kind, const void **export_desc, size_t *export_desc_len)
{
	doca_error_t err;
	uint32_t access;

	if (!mmap || !dev || !export_desc || !export_desc_len)
		return DOCA_ERROR_INVALID_VALUE;
	MMAP_GUARD(mmap);
	access = region_access(mmap, kind);
	if (!mmap_is_started(mmap) || mmap->remote || !access) {
		LOG_DBG("memory map %p cannot be exported: it is %s", (void *)mmap,
			!mmap_is_started(mmap) ? "not started"
			: mmap->remote	       ? "imported"
					       : "without permissions for that side");
		return DOCA_ERROR_NOT_PERMITTED;
	}
	if (!mmap_has_dev(mmap, dev))
		return DOCA_ERROR_NOT_FOUND;
	if (!mmap->exports[kind]) {
		if (mmap->window)
			priv_window_freeze(mmap->window);
		err = region_export_create(mmap->addr, mmap->len, access, obstacle_to_mapping(mmap),
					   &mmap->exports[kind]);
		if (err) {
			LOG_ERR("cannot export %zu bytes: %s", mmap->len,
				doca_error_get_descr(err));
			return err == DOCA_ERROR_NO_MEMORY ? err : DOCA_ERROR_DRIVER;
		}
	}
	*export_desc = region_export_blob(mmap->exports[kind]);
	*export_desc_len = REGION_BLOB_SIZE;
	return DOCA_SUCCESS;
}

doca_error_t doca_mmap_export_pci(struct doca_mmap *mmap, const struct doca_dev *dev,
				  const void **export_desc, size_t *export_desc_len)
{
	return export(mmap, dev, MMAP_EXPORT_PCI, export_desc, export_desc_len);
}

doca_error_t doca_mmap_export_rdma(struct doca_mmap *mmap, const struct doca_dev *dev,
				   const void **export_desc, size_t *export_desc_len)
{
	return export(mmap, dev, MMAP_EXPORT_RDMA, export_desc, export_desc_len);
}

static doca_error_t import(struct doca_mmap *mmap, const void *blob, size_t size,
			   struct doca_dev *dev)
{
	struct region_desc desc;
	doca_error_t err;

	err = region_blob_decode(blob, size, &desc);
	if (err) {
		LOG_ERR("%zu bytes that are not an export descriptor of this version", size);
		return err;
	}
	err = region_attach(&desc, &mmap->remote);
	if (err)
		return anchor_import_error(err);
	err = append_dev(mmap, dev);
	if (err)
		return err;
	mmap->addr = (char *)(uintptr_t)desc.addr;
	mmap->len = desc.size;
	mmap->permissions = desc.access & REGION_WRITE ? DOCA_ACCESS_FLAG_PCI_READ_WRITE
						       : DOCA_ACCESS_FLAG_PCI_READ_ONLY;
	mmap->max_devs = 1;
	set_started(mmap, true);
	return DOCA_SUCCESS;
}

doca_error_t doca_mmap_create_from_export(const union doca_data *user_data, const void *export_desc,
					  size_t export_desc_len, struct doca_dev *dev,
					  struct doca_mmap **mmap)
{
	struct doca_mmap *new_mmap;
	doca_error_t err;

	if (!export_desc || !export_desc_len || !dev || !mmap ||
	    (uintptr_t)export_desc + export_desc_len < export_desc_len)
		return DOCA_ERROR_INVALID_VALUE;
	new_mmap = mmap_alloc();
	if (!new_mmap)
		return DOCA_ERROR_NO_MEMORY;
	err = import(new_mmap, export_desc, export_desc_len, dev);
	if (err) {
		mmap_free(new_mmap);
		return err;
	}
	if (user_data)
		new_mmap->user_data = *user_data;
	*mmap = new_mmap;
	return DOCA_SUCCESS;
}

/*
 * The same where nobody stands between
 */

__attribute__((alias("doca_mmap_create"))) doca_error_t priv_mmap_create(struct doca_mmap **mmap);
__attribute__((alias("doca_mmap_destroy"))) doca_error_t priv_mmap_destroy(struct doca_mmap *mmap);
__attribute__((alias("doca_mmap_start"))) doca_error_t priv_mmap_start(struct doca_mmap *mmap);
__attribute__((alias("doca_mmap_add_dev"))) doca_error_t priv_mmap_add_dev(struct doca_mmap *mmap,
									   struct doca_dev *dev);
