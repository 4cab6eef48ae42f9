/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Memory maps: ranges of memory that devices may use, and the other side may be given.
 *
 * A map gets a range, devices and permissions, and is started; buffers (doca_buf_inventory.h) are
 * made in it. Exported, it becomes a map on the other side, whose tasks then read and write this
 * memory.
 */
#ifndef DOCA_MMAP_H_
#define DOCA_MMAP_H_

#include <stddef.h>
#include <stdint.h>

#include <doca_compat.h>
#include <doca_error.h>
#include <doca_types.h>
#include <softfield_dpa_handles.h>

#ifdef __cplusplus
extern "C" {
#endif

struct doca_dev;
struct doca_devinfo;
struct doca_dpa;

/** A memory map. */
struct doca_mmap;

/**
 * Tells that a map no longer needs its range. Called inside doca_mmap_destroy(), if the map was
 * ever started.
 *
 * @param [in] addr start of the range.
 * @param [in] len bytes in it.
 * @param [in] cookie what doca_mmap_set_free_cb() got.
 */
typedef void(doca_mmap_memrange_free_cb_t)(void *addr, size_t len, void *cookie);

/**
 * @brief Creates an empty memory map, with permission DOCA_ACCESS_FLAG_LOCAL_READ_WRITE.
 *
 * @param [out] mmap the map; give it back with doca_mmap_destroy().
 *
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: mmap is NULL
 * - DOCA_ERROR_NO_MEMORY: no memory for the object
 *
 * Any thread. Source: spec core 6.
 */
DOCA_STABLE
doca_error_t doca_mmap_create(struct doca_mmap **mmap);

/**
 * @brief Destroys a map, stopping it first. Descriptors of doca_mmap_export_pci() go with it.
 *
 * What others have imported is cut off: their accesses fail. The range itself is not touched; it
 * may have been freed before, provided that the map was stopped or nothing uses it; and that it was
 * stopped where an allocator clears memory by madvise(MADV_DONTNEED), as jemalloc does: pages that
 * a peer was let write to stay as they are until then. To consumers and pools that name the map it
 * is one that is not started.
 *
 * @param [in] mmap the map.
 *
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: mmap is NULL
 * - DOCA_ERROR_NOT_PERMITTED: buffers of it still exist. With thread safety enabled this is no
 *   error: the map is kept until they are gone, and their tasks fail with DOCA_ERROR_IO_FAILED.
 *   When this returns, and in the callback of doca_mmap_set_free_cb(), no task of this process
 *   touches the range. Those of others who have imported it, and code of a DPA, are the program's
 *   to stop
 *
 * One thread at a time for a map, unless doca_mmap_enable_thread_safety(). Source: spec core 6.
 */
DOCA_STABLE
doca_error_t doca_mmap_destroy(struct doca_mmap *mmap);

/**
 * @brief Starts a map: its range may be used from now on and its configuration is fixed.
 *
 * Starting a started map changes nothing, nor does starting an imported one, which is started.
 *
 * @param [in] mmap the map.
 *
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: mmap is NULL, it has no range, or it has devices and some of that is
 *   not mapped
 * - DOCA_ERROR_NO_MEMORY: on a card only, never here
 * - DOCA_ERROR_NOT_PERMITTED: the map is exported
 *
 * One thread at a time for a map, unless doca_mmap_enable_thread_safety(). Source: spec core 6,
 * decisions 8, 56.
 */
DOCA_STABLE
doca_error_t doca_mmap_start(struct doca_mmap *mmap);

/**
 * @brief Stops a map, so that it can be configured anew.
 *
 * @param [in] mmap the map.
 *
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: mmap is NULL
 * - DOCA_ERROR_NOT_PERMITTED: buffers of it still exist, it is exported, or it comes from
 *   doca_mmap_create_from_export()
 *
 * One thread at a time for a map, unless doca_mmap_enable_thread_safety(). Source: spec core 6.
 */
DOCA_STABLE
doca_error_t doca_mmap_stop(struct doca_mmap *mmap);

/**
 * @brief Lets a device use a map.
 *
 * @param [in] mmap the map, not started.
 * @param [in] dev the device; it must stay open until the map is destroyed or doca_mmap_rm_dev().
 *
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL
 * - DOCA_ERROR_NOT_PERMITTED: the map is started, or comes from doca_mmap_create_from_export()
 * - DOCA_ERROR_NO_MEMORY: the map has doca_mmap_get_max_num_devices() devices already
 * - DOCA_ERROR_ALREADY_EXIST: the device was added before
 * - DOCA_ERROR_NOT_SUPPORTED: on a card only, never here
 *
 * One thread at a time for a map, unless doca_mmap_enable_thread_safety(). Source: spec core 6.
 */
DOCA_STABLE
doca_error_t doca_mmap_add_dev(struct doca_mmap *mmap, struct doca_dev *dev);

/**
 * @brief Undoes doca_mmap_add_dev().
 *
 * @param [in] mmap the map, not started.
 * @param [in] dev the device.
 *
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL
 * - DOCA_ERROR_NOT_PERMITTED: the map is started, or comes from doca_mmap_create_from_export()
 * - DOCA_ERROR_NOT_FOUND: the device was not added
 *
 * One thread at a time for a map, unless doca_mmap_enable_thread_safety(). Source: spec core 6.
 */
DOCA_STABLE
doca_error_t doca_mmap_rm_dev(struct doca_mmap *mmap, struct doca_dev *dev);

/*
 * Configuration, before doca_mmap_start()
 */

/**
 * @brief Sets which memory a map is. Once per map.
 *
 * Any memory of the process, of any alignment: heap, stack, mapped files. It stays the program's
 * and must stay allocated while the map is started.
 *
 * @param [in] mmap the map, not started.
 * @param [in] addr start of the range.
 * @param [in] len bytes in it.
 *
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: mmap or addr is NULL, or len is 0 or too large
 * - DOCA_ERROR_BAD_STATE: the map is started
 * - DOCA_ERROR_NOT_PERMITTED: it has a range already, or comes from doca_mmap_create_from_export()
 *
 * One thread at a time for a map, unless doca_mmap_enable_thread_safety(). Source: spec core 6.
 */
DOCA_STABLE
doca_error_t doca_mmap_set_memrange(struct doca_mmap *mmap, void *addr, size_t len);

/**
 * @brief Declares that a map is memory of another device, mapped at addr, that a dma-buf descriptor
 * stands for.
 *
 * Here the memory is reached through addr, which must be mapped readable and writable.
 *
 * @param [in] mmap the map, not started.
 * @param [in] dmabuf_fd the dma-buf; not kept.
 * @param [in] addr where the process has the memory mapped.
 * @param [in] dmabuf_offset where addr lies in the dma-buf.
 * @param [in] len bytes from addr on.
 *
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: mmap or addr is NULL, len is 0, or dmabuf_fd is not open
 * - DOCA_ERROR_BAD_STATE: the map is started
 * - DOCA_ERROR_NOT_PERMITTED: it has a range already, or comes from doca_mmap_create_from_export()
 * - DOCA_ERROR_NOT_SUPPORTED: on a card only, never here
 *
 * One thread at a time for a map, unless doca_mmap_enable_thread_safety(). Source: spec core 6,
 * spec sta 6.
 */
DOCA_STABLE
doca_error_t doca_mmap_set_dmabuf_memrange(struct doca_mmap *mmap, int dmabuf_fd, void *addr,
					   size_t dmabuf_offset, size_t len);

/**
 * @brief Declares that a map is memory of a DPA. Here that is memory of the program, and such a map
 * is like any other. The DPA's device need not be added to it.
 *
 * @param [in] mmap the map, not started.
 * @param [in] dpa the DPA.
 * @param [in] dpa_addr address that doca_dpa_mem_alloc() gave.
 * @param [in] len bytes from there on.
 *
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: mmap or dpa is NULL, dpa_addr or len is 0, or the range wraps around
 * - DOCA_ERROR_BAD_STATE: the map is started
 * - DOCA_ERROR_NOT_PERMITTED: it has a range already, or comes from doca_mmap_create_from_export()
 *
 * One thread at a time for a map, unless doca_mmap_enable_thread_safety(). Source: spec core 6,
 * spec msgq_dpa 6.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_mmap_set_dpa_memrange(struct doca_mmap *mmap, struct doca_dpa *dpa,
					uint64_t dpa_addr, size_t len);

/**
 * @brief Sets what may be done with the memory. Replaces what was set before.
 *
 * Without this call: DOCA_ACCESS_FLAG_LOCAL_READ_WRITE. A consumer of the fast path needs
 * DOCA_ACCESS_FLAG_PCI_READ_WRITE; a producer sends from any map of its process. An export needs
 * DOCA_ACCESS_FLAG_PCI_READ_ONLY or DOCA_ACCESS_FLAG_PCI_READ_WRITE. An access that is not
 * permitted ends in the error callback of its task.
 *
 * @param [in] mmap the map, not started.
 * @param [in] access_mask enum doca_access_flag, combined.
 *
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: mmap is NULL, the mask has unknown bits, or both PCI_READ_ONLY and
 *   PCI_READ_WRITE
 * - DOCA_ERROR_BAD_STATE: the map is started
 *
 * One thread at a time for a map, unless doca_mmap_enable_thread_safety(). Source: spec core 6,
 * spec comch 6.
 */
DOCA_STABLE
doca_error_t doca_mmap_set_permissions(struct doca_mmap *mmap, uint32_t access_mask);

/**
 * @brief Sets how many devices a map can be given.
 *
 * @param [in] mmap the map, not started.
 * @param [in] max_num_devices at least 1, and not less than it has now.
 *
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: mmap is NULL, or the number is too small
 * - DOCA_ERROR_NOT_PERMITTED: the map is started, or comes from doca_mmap_create_from_export()
 *
 * One thread at a time for a map, unless doca_mmap_enable_thread_safety(). Source: spec core 6.
 */
DOCA_STABLE
doca_error_t doca_mmap_set_max_num_devices(struct doca_mmap *mmap, uint32_t max_num_devices);

/**
 * @brief Sets the callback that is called when the map no longer needs its range.
 *
 * @param [in] mmap the map, not started.
 * @param [in] free_cb the callback.
 * @param [in] opaque given to the callback.
 *
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: mmap or free_cb is NULL
 * - DOCA_ERROR_BAD_STATE: the map is started
 *
 * One thread at a time for a map, unless doca_mmap_enable_thread_safety(). Source: spec core 6.
 */
DOCA_STABLE
doca_error_t doca_mmap_set_free_cb(struct doca_mmap *mmap, doca_mmap_memrange_free_cb_t *free_cb,
				   void *opaque);

/**
 * @brief Stores a value of the program's own with a map.
 *
 * @param [in] mmap the map, not started.
 * @param [in] user_data the value.
 *
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: mmap is NULL
 * - DOCA_ERROR_BAD_STATE: the map is started
 *
 * One thread at a time for a map, unless doca_mmap_enable_thread_safety(). Source: spec core 6.
 */
DOCA_STABLE
doca_error_t doca_mmap_set_user_data(struct doca_mmap *mmap, union doca_data user_data);

/**
 * @brief Lets several threads use a map at a time, from doca_mmap_start() on.
 *
 * @param [in] mmap the map, not started.
 *
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: mmap is NULL
 * - DOCA_ERROR_NOT_PERMITTED: the map is started, or comes from doca_mmap_create_from_export()
 *
 * One thread. Source: spec core 6.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_mmap_enable_thread_safety(struct doca_mmap *mmap);

/*
 * Attributes
 */

/**
 * @brief The range of a map. For a map from doca_mmap_create_from_export(): the exporter's
 * addresses.
 *
 * @param [in] mmap the map.
 * @param [out] addr start of the range; not to be dereferenced when it is the exporter's.
 * @param [out] len bytes in it.
 *
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL
 * - DOCA_ERROR_BAD_STATE: the map has no range
 *
 * One thread at a time for a map, unless doca_mmap_enable_thread_safety(). Source: spec core 6.
 */
DOCA_STABLE
doca_error_t doca_mmap_get_memrange(const struct doca_mmap *mmap, void **addr, size_t *len);

/**
 * @brief What doca_mmap_set_user_data() or doca_mmap_create_from_export() has stored; zero before.
 *
 * @param [in] mmap the map.
 * @param [out] user_data the value.
 *
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL
 *
 * One thread at a time for a map, unless doca_mmap_enable_thread_safety(). Source: spec core 6.
 */
DOCA_STABLE
doca_error_t doca_mmap_get_user_data(const struct doca_mmap *mmap, union doca_data *user_data);

/**
 * @brief How many devices a map can be given.
 *
 * @param [in] mmap the map.
 * @param [out] max_num_devices the number.
 *
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL
 *
 * One thread at a time for a map, unless doca_mmap_enable_thread_safety(). Source: spec core 6.
 */
DOCA_STABLE
doca_error_t doca_mmap_get_max_num_devices(const struct doca_mmap *mmap, uint32_t *max_num_devices);

/**
 * @brief How many buffers of a map exist.
 *
 * @param [in] mmap the map.
 * @param [out] num_bufs the number.
 *
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL
 *
 * One thread at a time for a map, unless doca_mmap_enable_thread_safety(). Source: spec core 6.
 */
DOCA_STABLE
doca_error_t doca_mmap_get_num_bufs(const struct doca_mmap *mmap, uint32_t *num_bufs);

/**
 * @brief Whether a map has been exported.
 *
 * @param [in] mmap the map.
 * @param [out] exported 1 or 0.
 *
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL
 *
 * One thread at a time for a map, unless doca_mmap_enable_thread_safety(). Source: spec core 6.
 */
DOCA_STABLE
doca_error_t doca_mmap_get_exported(const struct doca_mmap *mmap, uint8_t *exported);

/**
 * @brief Whether a map comes from doca_mmap_create_from_export().
 *
 * @param [in] mmap the map.
 * @param [out] from_export 1 or 0.
 *
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL
 *
 * One thread at a time for a map, unless doca_mmap_enable_thread_safety(). Source: spec core 6.
 */
DOCA_STABLE
doca_error_t doca_mmap_get_from_export(const struct doca_mmap *mmap, uint8_t *from_export);

/*
 * Sharing with the other side
 */

/**
 * @brief Describes a map to the other side, so that doca_mmap_create_from_export() can reach its
 * memory.
 *
 * The descriptor is a string of bytes to be sent by any means: a message, a socket, a file. It is
 * valid as long as the map is started and this process lives. Exporting again gives the same one.
 *
 * Plain memory (no stack, file or huge page) with pages of its own, of up to what softfield limits
 * says (mmap_max_mapped_export), is mapped by importers: they copy without a system call. The first
 * export of it takes about a millisecond for each MiB. Until the map is stopped such memory must
 * not be enlarged with realloc() or mremap().
 *
 * @param [in] mmap the map, started.
 * @param [in] dev the device, added to the map, whose other side may import it.
 * @param [out] export_desc the descriptor; owned by the map.
 * @param [out] export_desc_len bytes in it.
 *
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL
 * - DOCA_ERROR_NOT_FOUND: the device was not added to the map
 * - DOCA_ERROR_NOT_PERMITTED: the map is not started, has no PCI permission, or comes from
 *   doca_mmap_create_from_export()
 * - DOCA_ERROR_NO_MEMORY: no memory for the descriptor
 * - DOCA_ERROR_DRIVER: the memory cannot be shared; the log says why
 * - DOCA_ERROR_NOT_SUPPORTED: on a card only, never here
 *
 * One thread at a time for a map, unless doca_mmap_enable_thread_safety(). Source: spec core 6.
 */
DOCA_STABLE
doca_error_t doca_mmap_export_pci(struct doca_mmap *mmap, const struct doca_dev *dev,
				  const void **export_desc, size_t *export_desc_len);

/**
 * @brief doca_mmap_export_pci() for peers that use RDMA, with the RDMA permissions instead of the
 * PCI ones.
 *
 * There is no network here: peers are on the same machine.
 *
 * @param [in] mmap the map, started.
 * @param [in] dev a device, added to the map.
 * @param [out] export_desc the descriptor; owned by the map.
 * @param [out] export_desc_len bytes in it.
 *
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL
 * - DOCA_ERROR_NOT_FOUND: the device was not added to the map
 * - DOCA_ERROR_NOT_PERMITTED: the map is not started, permits neither RDMA reads nor RDMA writes,
 *   or comes from doca_mmap_create_from_export()
 * - DOCA_ERROR_NO_MEMORY: no memory for the descriptor
 * - DOCA_ERROR_DRIVER: the memory cannot be shared; the log says why
 * - DOCA_ERROR_NOT_SUPPORTED: on a card only, never here
 *
 * One thread at a time for a map, unless doca_mmap_enable_thread_safety(). Source: spec core 6.
 */
DOCA_STABLE
doca_error_t doca_mmap_export_rdma(struct doca_mmap *mmap, const struct doca_dev *dev,
				   const void **export_desc, size_t *export_desc_len);

/**
 * @brief Makes a map of memory of the other side from the descriptor of doca_mmap_export_pci().
 *
 * The map is started and stays as it is: nothing can be configured, added, exported or stopped.
 * Its range is the exporter's (doca_mmap_get_memrange()); buffers are made at those addresses, and
 * only tasks reach them. When the exporter destroys its map or dies, such tasks end in their error
 * callback. What the exporter unmaps before it does so is either an error of the task or, as on a
 * card, pinned: still there, and seen by nobody else.
 *
 * @param [in] user_data value of the program's own for doca_mmap_get_user_data(); NULL: zero.
 * @param [in] export_desc the descriptor. It comes from outside: nothing in it is trusted. Not
 *        kept.
 * @param [in] export_desc_len bytes in it. More are no error, for programs hand over the buffer in
 *        which they have received it; what lies behind the descriptor is ignored.
 * @param [in] dev a device of the same card as the exporter's.
 * @param [out] mmap the map; give it back with doca_mmap_destroy().
 *
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: a pointer other than user_data is NULL, the length is impossible, or
 *   the descriptor is damaged
 * - DOCA_ERROR_NO_MEMORY: no memory for the object
 * - DOCA_ERROR_NOT_PERMITTED: the exporter does not let this user in
 * - DOCA_ERROR_DRIVER: the exporter cannot be reached: its map or its process is gone
 * - DOCA_ERROR_NOT_SUPPORTED: on a card only, never here
 *
 * Any thread. Source: spec core 6.
 */
DOCA_STABLE
doca_error_t doca_mmap_create_from_export(const union doca_data *user_data, const void *export_desc,
					  size_t export_desc_len, struct doca_dev *dev,
					  struct doca_mmap **mmap);

/**
 * @brief How DPA code names a map.
 *
 * It is the same for all devices of the map. A map from doca_mmap_create_from_export() is memory of
 * another process: DPA code can copy from and to it always, and has an address of it where
 * doca_dpa_dev_mmap_get_external_ptr() says so.
 *
 * @param [in] mmap the map, started.
 * @param [in] dev a device, added to the map.
 * @param [out] dpa_mmap_handle the handle; valid as long as the map is started.
 *
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL
 * - DOCA_ERROR_NOT_FOUND: the device was not added to the map
 * - DOCA_ERROR_NOT_PERMITTED: the map is not started
 * - DOCA_ERROR_NO_MEMORY: 65535 maps have a handle already
 *
 * One thread at a time for a map, unless doca_mmap_enable_thread_safety(). Source: spec msgq_dpa
 * 6.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_mmap_dev_get_dpa_handle(struct doca_mmap *mmap, const struct doca_dev *dev,
					  doca_dpa_dev_mmap_t *dpa_mmap_handle);

/*
 * Capabilities of a device
 */

/**
 * @brief Whether maps can be exported for the other side of a device: always.
 *
 * @param [in] devinfo the device.
 * @param [out] mmap_export 1.
 *
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL
 * - DOCA_ERROR_DRIVER: on a card only, never here
 *
 * Any thread. Source: spec core 6.
 */
DOCA_STABLE
doca_error_t doca_mmap_cap_is_export_pci_supported(const struct doca_devinfo *devinfo,
						   uint8_t *mmap_export);

/**
 * @brief Whether a device can reach maps that its other side has exported: always.
 *
 * @param [in] devinfo the device.
 * @param [out] from_export 1.
 *
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL
 * - DOCA_ERROR_DRIVER: on a card only, never here
 *
 * Any thread. Source: spec core 6.
 */
DOCA_STABLE
doca_error_t doca_mmap_cap_is_create_from_export_pci_supported(const struct doca_devinfo *devinfo,
							       uint8_t *from_export);

#ifdef __cplusplus
} /* extern "C" */
#endif

#include <softfield_core_2_2.h>

#endif /* DOCA_MMAP_H_ */
