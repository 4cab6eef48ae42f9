/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Storage target: where its data buffers come from.
 */
#ifndef DOCA_STA_MEM_H_
#define DOCA_STA_MEM_H_

#include <stddef.h>
#include <stdint.h>

#include <doca_compat.h>
#include <doca_error.h>
#include <doca_mmap.h> /* programs count on it */

#ifdef __cplusplus
extern "C" {
#endif

struct doca_sta;

/** What doca_sta_vtophys_cb_t answers when there is no single address. */
#define DOCA_STA_VTOPHYS_ERROR (0xFFFFFFFFFFFFFFFFULL)

/**
 * Allocates memory that disks can reach; cleared.
 *
 * @param [in] size bytes.
 * @param [in] align what the address is a multiple of: a power of two.
 * @param [out] phys_addr address of it for disks; never NULL.
 *
 * @return the memory; NULL: there is none.
 */
typedef void *(*doca_sta_zmalloc_cb_t)(size_t size, size_t align, uint64_t *phys_addr);

/**
 * Frees memory of doca_sta_zmalloc_cb_t.
 *
 * @param [in] buf the memory.
 */
typedef void (*doca_sta_free_cb_t)(void *buf);

/**
 * Address of memory for disks.
 *
 * @param [in] buf memory of doca_sta_zmalloc_cb_t, or inside of it.
 * @param [in] size bytes.
 *
 * @return the address; DOCA_STA_VTOPHYS_ERROR when the range is not contiguous for a disk.
 */
typedef uint64_t (*doca_sta_vtophys_cb_t)(const void *buf, uint32_t size);

/**
 * @brief Sets where data buffers come from. Back ends that are real disks need it.
 *
 * Without it memory of the process is taken, which back ends that run in software can reach. The
 * callbacks run in the thread that starts and stops the context, and in threads of the engine.
 *
 * @param [in] sta the object, IDLE.
 * @param [in] alloc_cb allocates.
 * @param [in] free_cb frees.
 * @param [in] vtophys_cb gives addresses for disks.
 *
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL
 * - DOCA_ERROR_BAD_STATE: the context is not IDLE
 * - DOCA_ERROR_IN_USE: a disk of ours is open, which is reached by other addresses
 *
 * Only the thread that drives the control progress engine, the one of the doca_sta. Source: spec
 * sta 4.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_sta_mem_allocator_register(const struct doca_sta *sta,
					     doca_sta_zmalloc_cb_t alloc_cb,
					     doca_sta_free_cb_t free_cb,
					     doca_sta_vtophys_cb_t vtophys_cb);

#ifdef __cplusplus
} /* extern "C" */
#endif

#endif /* DOCA_STA_MEM_H_ */
