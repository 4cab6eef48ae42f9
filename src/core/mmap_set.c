/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What a program says of a memory map before it is started.
 */
#define LOG_MODULE "core"
#include <fcntl.h>
#include "base/log.h"
#include "core/dpa_hook.h"
#include "core/mmap_guard.h"

#define ALL_FLAGS                                                                                  \
	(DOCA_ACCESS_FLAG_LOCAL_READ_WRITE | MMAP_RDMA_FLAGS | DOCA_ACCESS_FLAG_RDMA_ATOMIC |      \
	 MMAP_PCI_FLAGS | DOCA_ACCESS_FLAG_PCI_RELAXED_ORDERING)

static doca_error_t check_memrange_unset(const struct doca_mmap *mmap)
{
	if (mmap_is_fixed(mmap))
		return mmap->remote ? DOCA_ERROR_NOT_PERMITTED : DOCA_ERROR_BAD_STATE;
	if (!mmap->addr)
		return DOCA_SUCCESS;
	LOG_ERR("memory map %p has its memory already: %zu bytes at %p", (const void *)mmap,
		mmap->len, (void *)mmap->addr);
	return DOCA_ERROR_NOT_PERMITTED;
}

doca_error_t doca_mmap_set_memrange(struct doca_mmap *mmap, void *addr, size_t len)
{
	doca_error_t err;

	if (!mmap || !addr || !len || (uintptr_t)addr + len < len)
		return DOCA_ERROR_INVALID_VALUE;
	MMAP_GUARD(mmap);
	err = check_memrange_unset(mmap);
	if (err)
		return err;
	mmap->addr = addr;
	mmap->len = len;
	return DOCA_SUCCESS;
}

doca_error_t doca_mmap_set_dmabuf_memrange(struct doca_mmap *mmap, int dmabuf_fd, void *addr,
					   size_t dmabuf_offset, size_t len)
{
	doca_error_t err = DOCA_ERROR_INVALID_VALUE;

	(void)dmabuf_offset; /* the copies of this library go through addr */
	if (fcntl(dmabuf_fd, F_GETFD) >= 0)
		err = doca_mmap_set_memrange(mmap, addr, len);
	if (!err)
		mmap->is_dmabuf = true;
	return err;
}

doca_error_t doca_mmap_set_dpa_memrange(struct doca_mmap *mmap, struct doca_dpa *dpa,
					uint64_t dpa_addr, size_t len)
{
	doca_error_t err;

	if (!dpa)
		return DOCA_ERROR_INVALID_VALUE;
	err = doca_mmap_set_memrange(mmap, (void *)(uintptr_t)dpa_addr, len);
	if (err)
		return err;
	MMAP_GUARD(mmap);
	if (priv_dpa)
		mmap->dpa_dev = priv_dpa->get_dev(dpa);
	return DOCA_SUCCESS;
}

/*
 * Attributes
 */

doca_error_t doca_mmap_set_free_cb(struct doca_mmap *mmap, doca_mmap_memrange_free_cb_t *free_cb,
				   void *opaque)
{
	if (!mmap || !free_cb)
		return DOCA_ERROR_INVALID_VALUE;
	MMAP_GUARD(mmap);
	if (mmap_is_fixed(mmap))
		return DOCA_ERROR_BAD_STATE;
	mmap->free_cb = free_cb;
	mmap->free_cookie = opaque;
	return DOCA_SUCCESS;
}

doca_error_t doca_mmap_set_permissions(struct doca_mmap *mmap, uint32_t access_mask)
{
	if (!mmap || (access_mask & ~ALL_FLAGS) || (access_mask & MMAP_PCI_FLAGS) == MMAP_PCI_FLAGS)
		return DOCA_ERROR_INVALID_VALUE;
	MMAP_GUARD(mmap);
	if (mmap_is_fixed(mmap))
		return DOCA_ERROR_BAD_STATE;
	mmap->permissions = access_mask;
	return DOCA_SUCCESS;
}

doca_error_t doca_mmap_set_max_num_devices(struct doca_mmap *mmap, uint32_t max_num_devices)
{
	if (!mmap || !max_num_devices)
		return DOCA_ERROR_INVALID_VALUE;
	MMAP_GUARD(mmap);
	if (mmap_is_fixed(mmap))
		return DOCA_ERROR_NOT_PERMITTED;
	if (max_num_devices < mmap->dev_count)
		return DOCA_ERROR_INVALID_VALUE;
	mmap->max_devs = max_num_devices;
	return DOCA_SUCCESS;
}

doca_error_t doca_mmap_set_user_data(struct doca_mmap *mmap, union doca_data user_data)
{
	if (!mmap)
		return DOCA_ERROR_INVALID_VALUE;
	MMAP_GUARD(mmap);
	if (mmap_is_fixed(mmap))
		return DOCA_ERROR_BAD_STATE;
	mmap->user_data = user_data;
	return DOCA_SUCCESS;
}

/*
 * The same where nobody stands between
 */

__attribute__((alias("doca_mmap_set_memrange"))) doca_error_t
priv_mmap_set_memrange(struct doca_mmap *mmap, void *addr, size_t len);
__attribute__((alias("doca_mmap_set_permissions"))) doca_error_t
priv_mmap_set_permissions(struct doca_mmap *mmap, uint32_t access_mask);
