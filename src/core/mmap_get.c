/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What a program may ask of a memory map. The lock is taken, but for what other threads count
 * without one (buffers) and what never changes (whether it is an import).
 */
#define LOG_MODULE "core"
#include "base/log.h"
#include "core/mmap_guard.h"

doca_error_t doca_mmap_get_memrange(const struct doca_mmap *mmap, void **addr, size_t *len)
{
	if (!mmap || !addr || !len)
		return DOCA_ERROR_INVALID_VALUE;
	MMAP_GUARD(mmap);
	if (!mmap->addr) {
		LOG_ERR("memory map %p has no memory, see doca_mmap_set_memrange()",
			(const void *)mmap);
		return DOCA_ERROR_BAD_STATE;
	}
	*addr = mmap->addr;
	*len = mmap->len;
	return DOCA_SUCCESS;
}

doca_error_t doca_mmap_get_max_num_devices(const struct doca_mmap *mmap, uint32_t *max_num_devices)
{
	if (!mmap || !max_num_devices)
		return DOCA_ERROR_INVALID_VALUE;
	MMAP_GUARD(mmap);
	*max_num_devices = mmap->max_devs;
	return DOCA_SUCCESS;
}

doca_error_t doca_mmap_get_user_data(const struct doca_mmap *mmap, union doca_data *user_data)
{
	if (!mmap || !user_data)
		return DOCA_ERROR_INVALID_VALUE;
	MMAP_GUARD(mmap);
	*user_data = mmap->user_data;
	return DOCA_SUCCESS;
}

doca_error_t doca_mmap_get_num_bufs(const struct doca_mmap *mmap, uint32_t *num_bufs)
{
	if (!mmap || !num_bufs)
		return DOCA_ERROR_INVALID_VALUE;
	*num_bufs = mmap_buf_count(mmap);
	return DOCA_SUCCESS;
}

doca_error_t doca_mmap_get_exported(const struct doca_mmap *mmap, uint8_t *exported)
{
	if (!mmap || !exported)
		return DOCA_ERROR_INVALID_VALUE;
	MMAP_GUARD(mmap);
	*exported = mmap_is_exported(mmap);
	return DOCA_SUCCESS;
}

doca_error_t doca_mmap_get_from_export(const struct doca_mmap *mmap, uint8_t *from_export)
{
	if (!mmap || !from_export)
		return DOCA_ERROR_INVALID_VALUE;
	*from_export = mmap->remote != NULL;
	return DOCA_SUCCESS;
}
