/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Memory maps and properties of releases up to 1.5: a map is started empty and populated with
 * chunks of memory, which need no permissions. Representors were called remote devices up to 1.3.
 * softfield_core_2_2.h brings it. Not to be included by programs.
 *
 * Jobs on such maps replace the destination's data instead of appending to it.
 */
#ifndef SOFTFIELD_MMAP_1_5_H_
#define SOFTFIELD_MMAP_1_5_H_

#include <stddef.h>
#include <stdint.h>

#include <doca_compat.h>
#include <doca_dev.h>
#include <doca_error.h>
#include <doca_mmap.h>

#ifdef __cplusplus
extern "C" {
#endif

/** What doca_mmap_property_set() sets. */
enum doca_mmap_property {
	DOCA_MMAP_MAX_NUM_CHUNKS = 0, /**< uint32_t; there may always be more */
};

/** What doca_devinfo_property_get() tells. */
enum doca_devinfo_property {
	DOCA_DEVINFO_PROPERTY_PCI_ADDR = 0, /**< struct doca_pci_bdf */
	DOCA_DEVINFO_PROPERTY_IFACE_NAME,   /**< text, DOCA_DEVINFO_IFACE_NAME_SIZE */
	DOCA_DEVINFO_PROPERTY_IBDEV_NAME,   /**< text, DOCA_DEVINFO_IBDEV_NAME_SIZE */
	DOCA_DEVINFO_PROPERTY_IPV4_ADDR,    /**< DOCA_DEVINFO_IPV4_ADDR_SIZE bytes */
	DOCA_DEVINFO_PROPERTY_IPV6_ADDR,    /**< DOCA_DEVINFO_IPV6_ADDR_SIZE bytes */
	DOCA_DEVINFO_PROPERTY_VUID,	    /**< text, DOCA_DEVINFO_VUID_SIZE */
};

/** What doca_devinfo_remote_property_get() tells. */
enum doca_devinfo_remote_property {
	DOCA_DEVINFO_REMOTE_PROPERTY_VUID = 0, /**< text, DOCA_DEVINFO_REP_VUID_SIZE */
};

#define doca_devinfo_remote	   doca_devinfo_rep
#define doca_dev_remote		   doca_dev_rep
#define doca_dev_remote_filter	   doca_dev_rep_filter
#define DOCA_DEV_REMOTE_FILTER_ALL DOCA_DEV_REP_FILTER_ALL
#define DOCA_DEV_REMOTE_FILTER_NET DOCA_DEV_REP_FILTER_NET
#define doca_devinfo_remote_list_create(dev, filter, list, count)                                  \
	doca_devinfo_rep_list_create(dev, filter, list, count)
#define doca_devinfo_remote_list_destroy(list) doca_devinfo_rep_list_destroy(list)
#define doca_devinfo_remote_property_get(devinfo, property, value, size)                           \
	softfield_devinfo_remote_property_get(devinfo, property, value, size)
#define doca_dev_remote_open(devinfo, dev) doca_dev_rep_open(devinfo, dev)
#define doca_dev_remote_close(dev)	   doca_dev_rep_close(dev)

/**
 * @brief Reads a property of a device.
 *
 * @param [in] devinfo the device.
 * @param [in] property which one.
 * @param [out] value the property.
 * @param [in] size bytes that value has.
 *
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: a pointer is NULL, or size is too small
 * - DOCA_ERROR_NOT_SUPPORTED: there is no such property
 * - what the function of today answers that tells it
 *
 * Any thread. Source: public programs of that age.
 */
DOCA_EXPERIMENTAL
doca_error_t softfield_devinfo_property_get(const struct doca_devinfo *devinfo,
					    enum doca_devinfo_property property, uint8_t *value,
					    uint32_t size);

/**
 * @brief Reads a property of a representor.
 *
 * @param [in] devinfo the representor.
 * @param [in] property which one.
 * @param [out] value the property.
 * @param [in] size bytes that value has.
 *
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: a pointer is NULL, or size is too small
 * - DOCA_ERROR_NOT_SUPPORTED: there is no such property
 *
 * Any thread. Source: public programs of that age.
 */
DOCA_EXPERIMENTAL
doca_error_t softfield_devinfo_remote_property_get(const struct doca_devinfo_rep *devinfo,
						   enum doca_devinfo_remote_property property,
						   uint8_t *value, uint32_t size);

/**
 * @brief Sets a property of a memory map.
 *
 * @param [in] mmap the map.
 * @param [in] property which one.
 * @param [in] value its value.
 * @param [in] size bytes that value has.
 *
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: a pointer is NULL, or the value is 0 or has another size
 * - DOCA_ERROR_NOT_SUPPORTED: there is no such property
 *
 * Any thread. Source: public programs of that age.
 */
DOCA_EXPERIMENTAL
doca_error_t softfield_mmap_property_set(struct doca_mmap *mmap, enum doca_mmap_property property,
					 const uint8_t *value, uint32_t size);

/**
 * @brief How many chunks a map may get; there may always be more.
 *
 * @param [in] mmap the map.
 * @param [in] count how many.
 *
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: mmap is NULL, or count is 0
 *
 * Any thread. Source: public programs of that age.
 */
DOCA_EXPERIMENTAL
doca_error_t softfield_mmap_set_max_num_chunks(struct doca_mmap *mmap, uint32_t count);

/**
 * @brief Adds a chunk of memory to a map, for all that this side and the other may do.
 *
 * @param [in] mmap the map, not imported.
 * @param [in] addr the chunk.
 * @param [in] len its bytes.
 * @param [in] pg_sz size of its pages, a power of two; nothing depends on it.
 * @param [in] free_cb called when the map is destroyed; NULL: nothing is.
 * @param [in] opaque argument of free_cb.
 *
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: mmap or addr is NULL, len is 0, or pg_sz is not a power of two
 * - DOCA_ERROR_NOT_PERMITTED: the map was imported or exported, or got its memory otherwise
 * - DOCA_ERROR_NO_MEMORY: no memory for what describes it
 *
 * Only one thread at a time for a map. Source: public programs of that age.
 */
DOCA_EXPERIMENTAL
doca_error_t softfield_mmap_populate(struct doca_mmap *mmap, void *addr, size_t len, size_t pg_sz,
				     doca_mmap_memrange_free_cb_t *free_cb, void *opaque);

/**
 * @brief doca_mmap_add_dev() that also takes maps that are started.
 *
 * @param [in] mmap the map.
 * @param [in] dev the device.
 *
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_NOT_PERMITTED: the map was imported or exported
 * - what doca_mmap_add_dev() answers
 *
 * Only one thread at a time for a map. Source: public programs of that age.
 */
DOCA_EXPERIMENTAL
doca_error_t softfield_mmap_dev_add(struct doca_mmap *mmap, struct doca_dev *dev);

/**
 * @brief doca_mmap_rm_dev() that also takes maps that are started.
 *
 * @param [in] mmap the map.
 * @param [in] dev the device.
 *
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_NOT_PERMITTED: the map was imported or exported
 * - what doca_mmap_rm_dev() answers
 *
 * Only one thread at a time for a map. Source: public programs of that age.
 */
DOCA_EXPERIMENTAL
doca_error_t softfield_mmap_dev_rm(struct doca_mmap *mmap, struct doca_dev *dev);

/**
 * @brief doca_mmap_export_pci() whose descriptor is the caller's: text that ends with a 0, a JSON
 * object with "addr" and "len" of the memory.
 *
 * @param [in] mmap the map, populated once.
 * @param [in] dev a device of it.
 * @param [out] export_desc the descriptor; give it back with free().
 * @param [out] export_desc_len its bytes, with the 0.
 *
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_NOT_SUPPORTED: the map was populated more than once
 * - DOCA_ERROR_NO_MEMORY: no memory for the descriptor
 * - what doca_mmap_export_pci() answers
 *
 * Only one thread at a time for a map. Source: public programs of that age.
 */
DOCA_EXPERIMENTAL
doca_error_t softfield_mmap_export(struct doca_mmap *mmap, const struct doca_dev *dev,
				   void **export_desc, size_t *export_desc_len);

#ifdef __cplusplus
} /* extern "C" */
#endif

#endif /* SOFTFIELD_MMAP_1_5_H_ */
