/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Storage target: an NVMe over fabrics target whose reads and writes a library executes.
 *
 * The program listens, takes connections, and answers all commands but reads and writes. Those go
 * from the initiator to the back ends and back without it. A target has subsystems with namespaces
 * (doca_sta_subsystem.h), back ends with queues (doca_sta_be.h), and per thread a doca_sta_io with
 * the queue pairs of initiators (doca_sta_io.h).
 *
 * DOCA_STA_LEGACY_2_9 chooses the prototypes of release 2.9, where handles were numbers.
 */
#ifndef DOCA_STA_H_
#define DOCA_STA_H_

#include <stdbool.h>
#include <stdint.h>

#include <doca_compat.h>
#include <doca_ctx.h> /* programs count on this and doca_pe.h */
#include <doca_error.h>
#include <doca_pe.h>

#ifdef __cplusplus
extern "C" {
#endif

#ifdef DOCA_STA_LEGACY_2_9

#include <softfield_sta_2_9.h>

#else

struct doca_ctx;
struct doca_dev;
struct doca_devinfo;

/** The storage target; doca_sta_as_ctx(). */
struct doca_sta;

/**
 * @brief Whether a device can carry a storage target.
 *
 * @param [in] devinfo the device.
 *
 * @return DOCA_SUCCESS: it can, or
 * - DOCA_ERROR_INVALID_VALUE: devinfo is NULL
 * - DOCA_ERROR_NOT_SUPPORTED: it cannot
 *
 * Any thread. Source: spec sta 7.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_sta_cap_is_supported(const struct doca_devinfo *devinfo);

/**
 * @brief Creates a storage target.
 *
 * Everything that configures it may follow in any order: devices, callbacks, tasks, the progress
 * engine. Unlike other contexts, an idle one does not keep its progress engine from being
 * destroyed. Callbacks are called from doca_pe_progress() only; its thread need not progress it
 * for the target to work.
 *
 * @param [in] dev the device that manages the target. A reference is taken: it may be closed.
 * @param [out] sta the target; give it back with doca_sta_destroy().
 *
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL
 * - DOCA_ERROR_NO_MEMORY: no memory for the object
 * - DOCA_ERROR_NOT_SUPPORTED: the device cannot carry a storage target
 *
 * Any thread. Source: spec sta 4, seed 000.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_sta_create(struct doca_dev *dev, struct doca_sta **sta);

/**
 * @brief Destroys a target.
 *
 * @param [in] sta the target, IDLE.
 *
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: sta is NULL
 * - DOCA_ERROR_IN_USE: it is not IDLE, or a doca_sta_io, a subsystem, a back end or a disk of it
 *   exists; nothing has happened
 *
 * Only the thread that drives the control progress engine, the one of the doca_sta. Source: spec
 * sta 2.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_sta_destroy(struct doca_sta *sta);

/**
 * @brief The target as a struct doca_ctx, for doca_ctx_start() and the other doca_ctx_*()
 * functions.
 *
 * @param [in] sta the target. doca_ctx_stop() answers DOCA_ERROR_IN_USE while there is a subsystem,
 * a back end, or a doca_sta_io that is not IDLE or has queue pairs.
 *
 * @return the same object; NULL when it is NULL.
 *
 * Any thread. Source: spec sta 3.
 */
DOCA_EXPERIMENTAL
struct doca_ctx *doca_sta_as_ctx(struct doca_sta *sta);

/**
 * @brief doca_sta_as_ctx() in release 2.9.
 *
 * @param [in] sta the target.
 *
 * @return see doca_sta_as_ctx().
 *
 * Any thread. Source: spec sta 3.
 */
DOCA_EXPERIMENTAL
struct doca_ctx *doca_sta_as_doca_ctx(struct doca_sta *sta);

/**
 * @brief Adds a device that initiators connect through.
 *
 * @param [in] sta the target, IDLE.
 * @param [in] dev the device. A reference is taken: it may be closed.
 *
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL
 * - DOCA_ERROR_BAD_STATE: the context is not IDLE
 * - DOCA_ERROR_ALREADY_EXIST: the device was added before
 * - DOCA_ERROR_FULL: there are doca_sta_get_max_devs() already
 * - DOCA_ERROR_NO_MEMORY: no memory for the object
 *
 * Only the thread that drives the control progress engine, the one of the doca_sta. Source: spec
 * sta 2, 4.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_sta_add_dev(struct doca_sta *sta, struct doca_dev *dev);

/**
 * @brief Sets how many doca_sta_io there can be. doca_sta_get_max_io_threads() unless set.
 *
 * @param [in] sta the target, IDLE.
 * @param [in] max_io_num the number, 1 to doca_sta_get_max_io_threads().
 *
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: sta is NULL, or the number is out of range
 * - DOCA_ERROR_BAD_STATE: the context is not IDLE
 *
 * Only the thread that drives the control progress engine, the one of the doca_sta. Source: spec
 * sta 4.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_sta_set_max_sta_io(struct doca_sta *sta, uint16_t max_io_num);

/**
 * @brief What doca_sta_set_max_sta_io() has set.
 *
 * @param [in] sta the target.
 * @param [out] max_io_num the number.
 *
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL
 *
 * Only the thread that drives the control progress engine, the one of the doca_sta. Source: spec
 * sta 4.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_sta_get_max_sta_io(const struct doca_sta *sta, uint16_t *max_io_num);

/*
 * Limits
 */

/**
 * @brief How many devices a target can have.
 *
 * @param [out] max_devs the number.
 *
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: max_devs is NULL
 *
 * Any thread. Source: spec sta 5.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_sta_get_max_devs(uint32_t *max_devs);

/**
 * @brief How many execution units the engine has.
 *
 * @param [in] sta the object, in any state; also right after doca_sta_create().
 * @param [out] max_eus the number.
 *
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL
 *
 * Any thread. Source: spec sta 5.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_sta_get_max_num_eus_available(const struct doca_sta *sta, uint32_t *max_eus);

/**
 * @brief How many queue pairs an execution unit can serve.
 *
 * @param [in] sta the object, in any state; also right after doca_sta_create().
 * @param [out] max_connected_qps the number.
 *
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL
 *
 * Any thread. Source: spec sta 5.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_sta_get_max_num_connected_qp_per_eu(const struct doca_sta *sta,
						      uint32_t *max_connected_qps);

/**
 * @brief How many subsystems a target can have.
 *
 * @param [out] max_subsys the number.
 *
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: max_subsys is NULL
 *
 * Any thread. Source: spec sta 5.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_sta_get_max_subsys(uint32_t *max_subsys);

/**
 * @brief How many namespaces a subsystem can have.
 *
 * @param [out] max_ns_per_subsys the number.
 *
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: max_ns_per_subsys is NULL
 *
 * Any thread. Source: spec sta 5.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_sta_get_max_ns_per_subs(uint32_t *max_ns_per_subsys);

/**
 * @brief How many queue pairs a target can have.
 *
 * @param [out] max_qps the number.
 *
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: max_qps is NULL
 *
 * Any thread. Source: spec sta 5.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_sta_get_max_qps(uint32_t *max_qps);

/**
 * @brief How many doca_sta_io a target can have.
 *
 * @param [out] max_io_threads the number.
 *
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: max_io_threads is NULL
 *
 * Any thread. Source: spec sta 5.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_sta_get_max_io_threads(uint32_t *max_io_threads);

/**
 * @brief Maximum size of a command's data.
 *
 * @param [out] max_io_size bytes.
 *
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: max_io_size is NULL
 *
 * Any thread. Source: spec sta 5.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_sta_get_max_io_size(uint32_t *max_io_size);

/**
 * @brief How many commands can be under way through a device.
 *
 * @param [in] sta the object, in any state; also right after doca_sta_create().
 * @param [out] max_ios the number.
 *
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL
 *
 * Any thread. Source: spec sta 5.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_sta_get_max_io_num_per_dev(const struct doca_sta *sta, uint32_t *max_ios);

/**
 * @brief How many entries a queue of an initiator can have.
 *
 * @param [in] sta the object, in any state; also right after doca_sta_create().
 * @param [out] max_io_queue_size the number.
 *
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL
 *
 * Any thread. Source: spec sta 5.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_sta_get_max_io_queue_size(const struct doca_sta *sta,
					    uint32_t *max_io_queue_size);

/**
 * @brief Smallest command capsule.
 *
 * @param [out] ioccsz bytes.
 *
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: ioccsz is NULL
 *
 * Any thread. Source: spec sta 5.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_sta_get_min_ioccsz(uint32_t *ioccsz);

/**
 * @brief Largest command capsule: the command and data inside of it.
 *
 * @param [out] ioccsz bytes.
 *
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: ioccsz is NULL
 *
 * Any thread. Source: spec sta 5.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_sta_get_max_ioccsz(uint32_t *ioccsz);

/**
 * @brief Smallest response capsule.
 *
 * @param [out] iorcsz bytes.
 *
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: iorcsz is NULL
 *
 * Any thread. Source: spec sta 5.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_sta_get_min_iorcsz(uint32_t *iorcsz);

/**
 * @brief Largest response capsule.
 *
 * @param [out] iorcsz bytes.
 *
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: iorcsz is NULL
 *
 * Any thread. Source: spec sta 5.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_sta_get_max_iorcsz(uint32_t *iorcsz);

/**
 * @brief Where data in a command capsule starts, behind the command.
 *
 * @param [out] icdoff units of 16 bytes.
 *
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: icdoff is NULL
 *
 * Any thread. Source: spec sta 5.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_sta_get_max_icdoff(uint32_t *icdoff);

/**
 * @brief How many back ends a target can have.
 *
 * @param [out] max_be the number.
 *
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: max_be is NULL
 *
 * Any thread. Source: spec sta 5.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_sta_get_max_be(uint32_t *max_be);

/**
 * @brief How many queues a back end can have.
 *
 * @param [out] max_qs_per_be the number.
 *
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: max_qs_per_be is NULL
 *
 * Any thread. Source: spec sta 5.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_sta_get_max_qs_per_be(uint32_t *max_qs_per_be);

/**
 * @brief Whether namespaces can have blocks of a size.
 *
 * @param [in] size bytes of a block.
 *
 * @return true for powers of two from 512 to 65536.
 *
 * Any thread. Source: spec sta 5.
 */
DOCA_EXPERIMENTAL
bool doca_sta_is_logical_block_size_supported(uint32_t size);

#endif /* DOCA_STA_LEGACY_2_9 */

#ifdef __cplusplus
} /* extern "C" */
#endif

#endif /* DOCA_STA_H_ */
