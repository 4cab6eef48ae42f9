/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Memory maps of releases up to 1.5, in terms of today's, and properties of maps, devices and
 * representors. Each chunk after the first is a map of its own, which the first one leads to.
 */
#define LOG_MODULE "core"
#include "softfield_mmap_1_5.h"

#include <stdlib.h>
#include <string.h>
#include "base/log.h"
#include "base/pow2.h"
#include "core/devinfo.h"
#include "core/mmap.h"

doca_error_t softfield_devinfo_property_get(const struct doca_devinfo *devinfo,
					    enum doca_devinfo_property property, uint8_t *value,
					    uint32_t size)
{
	struct doca_pci_bdf bdf;
	doca_error_t err;

	if (!devinfo || !value)
		return DOCA_ERROR_INVALID_VALUE;
	switch (property) {
	case DOCA_DEVINFO_PROPERTY_PCI_ADDR:
		if (size < sizeof(bdf))
			return DOCA_ERROR_INVALID_VALUE;
		err = doca_devinfo_get_pci_addr(devinfo, &bdf);
		if (!err)
			memcpy(value, &bdf, sizeof(bdf));
		return err;
	case DOCA_DEVINFO_PROPERTY_IFACE_NAME:
		return doca_devinfo_get_iface_name(devinfo, (char *)value, size);
	case DOCA_DEVINFO_PROPERTY_IBDEV_NAME:
		return doca_devinfo_get_ibdev_name(devinfo, (char *)value, size);
	case DOCA_DEVINFO_PROPERTY_IPV4_ADDR:
		return doca_devinfo_get_ipv4_addr(devinfo, value, size);
	case DOCA_DEVINFO_PROPERTY_IPV6_ADDR:
		return doca_devinfo_get_ipv6_addr(devinfo, value, size);
	case DOCA_DEVINFO_PROPERTY_VUID:
		if (size < DOCA_DEVINFO_VUID_SIZE)
			return DOCA_ERROR_INVALID_VALUE;
		memcpy(value, devinfo->function->vuid, DOCA_DEVINFO_VUID_SIZE);
		return DOCA_SUCCESS;
	}
	return DOCA_ERROR_NOT_SUPPORTED;
}

doca_error_t softfield_devinfo_remote_property_get(const struct doca_devinfo_rep *devinfo,
						   enum doca_devinfo_remote_property property,
						   uint8_t *value, uint32_t size)
{
	if (!devinfo || !value)
		return DOCA_ERROR_INVALID_VALUE;
	if (property != DOCA_DEVINFO_REMOTE_PROPERTY_VUID)
		return DOCA_ERROR_NOT_SUPPORTED;
	return doca_devinfo_rep_get_vuid(devinfo, (char *)value, size);
}

doca_error_t softfield_mmap_property_set(struct doca_mmap *mmap, enum doca_mmap_property property,
					 const uint8_t *value, uint32_t size)
{
	uint32_t count;

	if (!mmap || !value)
		return DOCA_ERROR_INVALID_VALUE;
	if (property != DOCA_MMAP_MAX_NUM_CHUNKS)
		return DOCA_ERROR_NOT_SUPPORTED;
	if (size != sizeof(count))
		return DOCA_ERROR_INVALID_VALUE;
	memcpy(&count, value, sizeof(count));
	return softfield_mmap_set_max_num_chunks(mmap, count);
}

doca_error_t softfield_mmap_set_max_num_chunks(struct doca_mmap *mmap, uint32_t count)
{
	return mmap && count ? DOCA_SUCCESS : DOCA_ERROR_INVALID_VALUE;
}

/*
 * Chunks
 */

static doca_error_t populate(struct doca_mmap *mmap, void *addr, size_t len,
			     doca_mmap_memrange_free_cb_t *free_cb, void *opaque)
{
	doca_error_t err = doca_mmap_set_memrange(mmap, addr, len);

	if (err)
		return err;
	mmap->permissions = DOCA_ACCESS_FLAG_LOCAL_READ_WRITE | DOCA_ACCESS_FLAG_PCI_READ_WRITE;
	mmap->free_cb = free_cb;
	mmap->free_cookie = opaque;
	mmap->populated = true;
	return doca_mmap_start(mmap);
}

static doca_error_t add_chunk(struct doca_mmap *first, void *addr, size_t len,
			      doca_mmap_memrange_free_cb_t *free_cb, void *opaque)
{
	struct doca_mmap *chunk;
	doca_error_t err;

	if (!first->populated || first->exports[MMAP_EXPORT_PCI])
		return DOCA_ERROR_NOT_PERMITTED;
	err = doca_mmap_create(&chunk);
	if (err)
		return err;
	err = populate(chunk, addr, len, free_cb, opaque);
	if (err) {
		doca_mmap_destroy(chunk);
		return err;
	}
	chunk->next_chunk = first->next_chunk;
	first->next_chunk = chunk;
	return DOCA_SUCCESS;
}

doca_error_t softfield_mmap_populate(struct doca_mmap *mmap, void *addr, size_t len, size_t pg_sz,
				     doca_mmap_memrange_free_cb_t *free_cb, void *opaque)
{
	if (!mmap || !addr || !len || !is_pow2(pg_sz))
		return DOCA_ERROR_INVALID_VALUE;
	if (mmap->remote)
		return DOCA_ERROR_NOT_PERMITTED;
	if (mmap->addr)
		return add_chunk(mmap, addr, len, free_cb, opaque);
	return populate(mmap, addr, len, free_cb, opaque);
}

/*
 * Devices
 */

/* Does it to a map as if it were not started. */
static doca_error_t change_devs(struct doca_mmap *mmap, struct doca_dev *dev,
				doca_error_t (*change)(struct doca_mmap *, struct doca_dev *))
{
	bool started;
	doca_error_t err;

	if (!mmap)
		return DOCA_ERROR_INVALID_VALUE;
	if (mmap->remote || mmap_is_exported(mmap))
		return DOCA_ERROR_NOT_PERMITTED;
	started = mmap_is_started(mmap);
	atomic_store(&mmap->started, false);
	err = change(mmap, dev);
	atomic_store(&mmap->started, started);
	return err;
}

doca_error_t softfield_mmap_dev_add(struct doca_mmap *mmap, struct doca_dev *dev)
{
	return change_devs(mmap, dev, doca_mmap_add_dev);
}

doca_error_t softfield_mmap_dev_rm(struct doca_mmap *mmap, struct doca_dev *dev)
{
	return change_devs(mmap, dev, doca_mmap_rm_dev);
}

/*
 * Export
 */

doca_error_t softfield_mmap_export(struct doca_mmap *mmap, const struct doca_dev *dev,
				   void **export_desc, size_t *export_desc_len)
{
	struct region_desc desc;
	const void *blob;
	size_t size;
	char *text;
	doca_error_t err;

	if (!export_desc || !export_desc_len)
		return DOCA_ERROR_INVALID_VALUE;
	if (mmap && mmap->next_chunk) {
		LOG_ERR("memory map %p cannot be exported: it has more than one chunk",
			(void *)mmap);
		return DOCA_ERROR_NOT_SUPPORTED;
	}
	err = doca_mmap_export_pci(mmap, dev, &blob, &size);
	if (!err)
		err = region_blob_decode(blob, size, &desc);
	if (err)
		return err;
	text = malloc(REGION_TEXT_SIZE);
	if (!text)
		return DOCA_ERROR_NO_MEMORY;
	region_text_encode(&desc, text);
	*export_desc = text;
	*export_desc_len = strlen(text) + 1;
	return DOCA_SUCCESS;
}
