/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Storage target: queue pairs. The program listens with librdmacm and hands requests to connect
 * over.
 */
#ifndef DOCA_STA_IO_QP_H_
#define DOCA_STA_IO_QP_H_

#include <stdint.h>

#include <doca_compat.h>
#include <doca_error.h>
#include <doca_sta_handle.h>
#include <doca_types.h>

#ifdef __cplusplus
extern "C" {
#endif

#ifdef DOCA_STA_LEGACY_2_9

#include <softfield_sta_2_9.h>

#else

struct doca_dev;
struct doca_sta_io;
struct rdma_cm_id;

/**
 * @brief Accepts a request of an initiator to connect: makes a queue pair and answers the request.
 *
 * @param [in] sta_io the object, RUNNING.
 * @param [in] dev the device the request came through, one of doca_sta_add_dev().
 * @param [in] cm_id the request. It is the library's from now on, also when this fails, unless a
 *        pointer is NULL. Its context pointer is left alone.
 * @param [in] priv_data private data of the answer: NVMe over RDMA, record format 0. Copied.
 * @param [in] priv_size bytes of it.
 * @param [in] subs_handle the subsystem; NULL: doca_sta_io_qp_add_subsystem() follows.
 * @param [out] qp_handle the queue pair; give it back with doca_sta_io_qp_destroy().
 *
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: a pointer but subs_handle is NULL, the device or the subsystem is not
 *   one of the target, or the private data is not of that form
 * - DOCA_ERROR_BAD_STATE: the object is not RUNNING
 * - DOCA_ERROR_FULL: there are doca_sta_get_max_qps() already
 * - DOCA_ERROR_NO_MEMORY: no memory for its buffers
 * - DOCA_ERROR_CONNECTION_ABORTED: the connection could not be made; the log says why
 * - DOCA_ERROR_NOT_SUPPORTED: the library was built without RDMA
 *
 * Only the thread that drives the progress engine of the doca_sta_io. Source: spec sta 7b.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_sta_io_qp_connect(struct doca_sta_io *sta_io, const struct doca_dev *dev,
				    struct rdma_cm_id *cm_id, const void *priv_data,
				    uint32_t priv_size, struct doca_sta_subs_handle *subs_handle,
				    struct doca_sta_qp_handle **qp_handle);

/**
 * @brief Makes a queue pair in advance, for doca_sta_io_qp_accept().
 *
 * @param [in] sta_io the object, RUNNING.
 * @param [in] dev the device it is for, one of doca_sta_add_dev().
 * @param [out] qp_handle the queue pair; give it back with doca_sta_io_qp_destroy().
 *
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: a pointer is NULL, or the device is not one of the target
 * - DOCA_ERROR_BAD_STATE: the object is not RUNNING
 * - DOCA_ERROR_FULL: there are doca_sta_get_max_qps() already
 * - DOCA_ERROR_NO_MEMORY: no memory for its buffers
 * - DOCA_ERROR_NOT_SUPPORTED: the library was built without RDMA
 *
 * Only the thread that drives the progress engine of the doca_sta_io. Source: spec sta 7b.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_sta_io_qp_alloc(struct doca_sta_io *sta_io, const struct doca_dev *dev,
				  struct doca_sta_qp_handle **qp_handle);

/**
 * @brief doca_sta_io_qp_connect() with a queue pair of doca_sta_io_qp_alloc().
 *
 * @param [in] sta_io the object, RUNNING.
 * @param [in] qp_handle the queue pair, not accepted before.
 * @param [in] dev the device it was made for.
 * @param [in] cm_id see doca_sta_io_qp_connect().
 * @param [in] priv_data see doca_sta_io_qp_connect().
 * @param [in] priv_size see doca_sta_io_qp_connect().
 * @param [in] subs_handle see doca_sta_io_qp_connect().
 *
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: see doca_sta_io_qp_connect(), or the queue pair is another one's or
 *   of another device
 * - DOCA_ERROR_BAD_STATE: the object is not RUNNING, or the queue pair was accepted before
 * - DOCA_ERROR_NO_MEMORY: no memory for its buffers
 * - DOCA_ERROR_CONNECTION_ABORTED: the connection could not be made; the log says why
 * - DOCA_ERROR_NOT_SUPPORTED: the library was built without RDMA
 *
 * Only the thread that drives the progress engine of the doca_sta_io. Source: spec sta 7b.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_sta_io_qp_accept(struct doca_sta_io *sta_io, struct doca_sta_qp_handle *qp_handle,
				   const struct doca_dev *dev, struct rdma_cm_id *cm_id,
				   const void *priv_data, uint32_t priv_size,
				   struct doca_sta_subs_handle *subs_handle);

/**
 * @brief Declares the connection established. Commands that have come before are kept until then.
 *
 * @param [in] sta_io the object.
 * @param [in] qp_handle the queue pair.
 *
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL, or the queue pair is another one's
 * - DOCA_ERROR_BAD_STATE: it was not accepted
 *
 * Only the thread that drives the progress engine of the doca_sta_io. Source: spec sta 7b.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_sta_io_qp_connect_established(struct doca_sta_io *sta_io,
						struct doca_sta_qp_handle *qp_handle);

/**
 * @brief Sets how many commands the initiator may have under way, while its Connect command is
 * being answered.
 *
 * @param [in] sta_io the object.
 * @param [in] qp_handle the queue pair.
 * @param [in] sq_size SQSIZE of the Connect command as it is: one less than the number of entries.
 *
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL, the queue pair is another one's, or the size is
 *   0 or not below doca_sta_get_max_io_queue_size()
 *
 * Only the thread that drives the progress engine of the doca_sta_io. Source: spec sta 7b.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_sta_io_qp_connect_set_sq_size(struct doca_sta_io *sta_io,
						struct doca_sta_qp_handle *qp_handle,
						uint16_t sq_size);

/**
 * @brief Connects a queue pair to a subsystem, while its Connect command is being answered. Doing
 * it twice with one subsystem changes nothing.
 *
 * Until then all commands of the queue pair go to the program, reads and writes too: a program
 * whose hosts have to authenticate does it before it tells them that they have.
 *
 * @param [in] sta_io the object.
 * @param [in] subs_handle the subsystem.
 * @param [in] qp_handle the queue pair.
 *
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL, or the queue pair or the subsystem is another
 *   one's
 * - DOCA_ERROR_BAD_STATE: it has been disconnected
 * - DOCA_ERROR_ALREADY_EXIST: it is connected to another subsystem
 *
 * Only the thread that drives the progress engine of the doca_sta_io. Source: spec sta 7b, 12.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_sta_io_qp_add_subsystem(struct doca_sta_io *sta_io,
					  const struct doca_sta_subs_handle *subs_handle,
					  struct doca_sta_qp_handle *qp_handle);

/**
 * @brief Destroys a queue pair, and its connection of librdmacm with it. Commands that were not
 * answered are dropped.
 *
 * @param [in] sta_io the object.
 * @param [in] qp_handle the queue pair: disconnected, or allocated and never accepted; invalid
 *        afterwards.
 *
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL, or the queue pair is another one's
 * - DOCA_ERROR_BAD_STATE: it is connected: doca_sta_io_task_disconnect_alloc_init() first
 *
 * Only the thread that drives the progress engine of the doca_sta_io. Source: spec sta 7g.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_sta_io_qp_destroy(struct doca_sta_io *sta_io,
				    struct doca_sta_qp_handle *qp_handle);

/**
 * @brief Number of a queue pair on its device.
 *
 * @param [in] qp_handle the queue pair.
 * @param [out] qp_id the number.
 *
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL
 *
 * Only the thread that drives the progress engine of the doca_sta_io. Source: spec sta 8.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_sta_io_qp_get_id(struct doca_sta_qp_handle *qp_handle, uint32_t *qp_id);

/**
 * @brief Index of the device of a queue pair, in the order of doca_sta_add_dev().
 *
 * @param [in] qp_handle the queue pair.
 * @param [out] port_id the index.
 *
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL
 *
 * Only the thread that drives the progress engine of the doca_sta_io. Source: spec sta 8, 12.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_sta_io_qp_get_port_id(struct doca_sta_qp_handle *qp_handle, uint16_t *port_id);

/**
 * @brief The execution unit of type DOCA_STA_EU_COMP that receives the commands of a queue pair.
 *
 * @param [in] qp_handle the queue pair.
 * @param [out] group_id its doca_sta_get_eu_id().
 *
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL
 *
 * Only the thread that drives the progress engine of the doca_sta_io. Source: spec sta 8.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_sta_io_qp_get_group_id(struct doca_sta_qp_handle *qp_handle, uint16_t *group_id);

/**
 * @brief Place of a queue pair among those of its execution unit.
 *
 * @param [in] qp_handle the queue pair.
 * @param [out] qp_idx the place.
 *
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL
 *
 * Only the thread that drives the progress engine of the doca_sta_io. Source: spec sta 8.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_sta_io_qp_get_index_in_group(struct doca_sta_qp_handle *qp_handle,
					       uint16_t *qp_idx);

/**
 * @brief Stores a value of the program's own with a queue pair.
 *
 * @param [in] sta_io the object.
 * @param [in] qp_handle the queue pair.
 * @param [in] user_data the value.
 *
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL, or the queue pair is another one's
 *
 * Only the thread that drives the progress engine of the doca_sta_io. Source: spec sta 3.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_sta_io_qp_set_user_data(struct doca_sta_io *sta_io,
					  struct doca_sta_qp_handle *qp_handle,
					  union doca_data user_data);

/**
 * @brief What doca_sta_io_qp_set_user_data() has stored; zero before.
 *
 * @param [in] qp_handle the queue pair.
 * @param [out] user_data the value.
 *
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL
 *
 * Only the thread that drives the progress engine of the doca_sta_io. Source: spec sta 3.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_sta_io_qp_get_user_data(const struct doca_sta_qp_handle *qp_handle,
					  union doca_data *user_data);

#endif /* DOCA_STA_LEGACY_2_9 */

#ifdef __cplusplus
} /* extern "C" */
#endif

#endif /* DOCA_STA_IO_QP_H_ */
