/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * RDMA: not here. These are the functions that programs with DOCA DPA cannot be linked without even
 * if they never call them; all of them say that RDMA is not supported.
 */
#ifndef DOCA_RDMA_H_
#define DOCA_RDMA_H_

#include <stddef.h>
#include <stdint.h>

#include <rdma/ib_user_verbs.h> /* programs take IB_DEVICE_NAME_MAX from here */

#include <doca_compat.h>
#include <doca_ctx.h>
#include <doca_error.h>
#include <doca_pe.h>
#include <doca_types.h>
#include <softfield_dpa_handles.h>

#ifdef __cplusplus
extern "C" {
#endif

struct doca_ctx;
struct doca_dev;
struct doca_devinfo;
struct doca_dpa_completion;

/** An RDMA context; there are none. */
struct doca_rdma;

/** A connection of it. */
struct doca_rdma_connection;

/**
 * @brief Creates an RDMA context.
 *
 * @param [in] dev the device.
 * @param [out] rdma unchanged.
 *
 * @return DOCA_ERROR_NOT_SUPPORTED, or
 * - DOCA_ERROR_INVALID_VALUE: dev or rdma is NULL
 *
 * Any thread. Source: spec msgq_dpa 7.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_rdma_create(struct doca_dev *dev, struct doca_rdma **rdma);

/**
 * @brief Destroys an RDMA context.
 *
 * @param [in] rdma not looked at.
 *
 * @return DOCA_ERROR_NOT_SUPPORTED
 *
 * Any thread. Source: spec msgq_dpa 7.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_rdma_destroy(struct doca_rdma *rdma);

/**
 * @brief Gives the context of it.
 *
 * @param [in] rdma not looked at.
 *
 * @return NULL
 *
 * Any thread. Source: spec msgq_dpa 7.
 */
DOCA_EXPERIMENTAL
struct doca_ctx *doca_rdma_as_ctx(struct doca_rdma *rdma);

/**
 * @brief Sets what peers may do.
 *
 * @param [in] rdma not looked at.
 * @param [in] permissions enum doca_access_flag.
 *
 * @return DOCA_ERROR_NOT_SUPPORTED
 *
 * Any thread. Source: spec msgq_dpa 7.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_rdma_set_permissions(struct doca_rdma *rdma, uint32_t permissions);

/**
 * @brief Sets whether packets have a global header.
 *
 * @param [in] rdma not looked at.
 * @param [in] grh_enabled 1 or 0.
 *
 * @return DOCA_ERROR_NOT_SUPPORTED
 *
 * Any thread. Source: spec msgq_dpa 7.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_rdma_set_grh_enabled(struct doca_rdma *rdma, uint8_t grh_enabled);

/**
 * @brief Sets the address of it.
 *
 * @param [in] rdma not looked at.
 * @param [in] gid_index its number on the device.
 *
 * @return DOCA_ERROR_NOT_SUPPORTED
 *
 * Any thread. Source: spec msgq_dpa 7.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_rdma_set_gid_index(struct doca_rdma *rdma, uint32_t gid_index);

/**
 * @brief Sets the number of receives.
 *
 * @param [in] rdma not looked at.
 * @param [in] recv_queue_size the number.
 *
 * @return DOCA_ERROR_NOT_SUPPORTED
 *
 * Any thread. Source: spec msgq_dpa 7.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_rdma_set_recv_queue_size(struct doca_rdma *rdma, uint32_t recv_queue_size);

/**
 * @brief Sets the number of connections.
 *
 * @param [in] rdma not looked at.
 * @param [in] max_num_connections the number.
 *
 * @return DOCA_ERROR_NOT_SUPPORTED
 *
 * Any thread. Source: spec msgq_dpa 7.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_rdma_set_max_num_connections(struct doca_rdma *rdma,
					       uint16_t max_num_connections);

/**
 * @brief Sets the length of lists of buffers that are received into.
 *
 * @param [in] rdma not looked at.
 * @param [in] dst_buf_list_len the length.
 *
 * @return DOCA_ERROR_NOT_SUPPORTED
 *
 * Any thread. Source: spec msgq_dpa 7.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_rdma_task_receive_set_dst_buf_list_len(struct doca_rdma *rdma,
							 uint32_t dst_buf_list_len);

/**
 * @brief Describes a connection to a peer.
 *
 * @param [in] rdma not looked at.
 * @param [out] rdma_conn_details unchanged.
 * @param [out] rdma_conn_details_size unchanged.
 * @param [out] connection unchanged.
 *
 * @return DOCA_ERROR_NOT_SUPPORTED
 *
 * Any thread. Source: spec msgq_dpa 7.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_rdma_export(struct doca_rdma *rdma, const void **rdma_conn_details,
			      size_t *rdma_conn_details_size,
			      struct doca_rdma_connection **connection);

/**
 * @brief Would connect to the peer whose doca_rdma_export() told the details.
 *
 * @param [in] rdma not looked at.
 * @param [in] remote_rdma_conn_details not looked at.
 * @param [in] remote_rdma_conn_details_size not looked at.
 * @param [in] connection not looked at; up to release 2.8, there was no such argument.
 *
 * @return DOCA_ERROR_NOT_SUPPORTED
 *
 * Any thread. Source: spec msgq_dpa 7.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_rdma_connect(struct doca_rdma *rdma, const void *remote_rdma_conn_details,
			       size_t remote_rdma_conn_details_size,
			       struct doca_rdma_connection *connection);

/**
 * @brief Tells the number of a connection.
 *
 * @param [in] connection not looked at.
 * @param [out] connection_id unchanged.
 *
 * @return DOCA_ERROR_NOT_SUPPORTED
 *
 * Any thread. Source: spec msgq_dpa 7.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_rdma_connection_get_id(const struct doca_rdma_connection *connection,
					 uint32_t *connection_id);

/**
 * @brief Tells how DPA code names it.
 *
 * @param [in] rdma not looked at.
 * @param [out] dpa_rdma unchanged.
 *
 * @return DOCA_ERROR_NOT_SUPPORTED
 *
 * Any thread. Source: spec msgq_dpa 7.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_rdma_get_dpa_handle(struct doca_rdma *rdma, doca_dpa_dev_rdma_t *dpa_rdma);

/**
 * @brief Sets where DPA code finds what has been done.
 *
 * @param [in] rdma not looked at.
 * @param [in] dpa_comp not looked at.
 *
 * @return DOCA_ERROR_NOT_SUPPORTED
 *
 * Any thread. Source: spec msgq_dpa 7.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_rdma_dpa_completion_attach(struct doca_rdma *rdma,
					     struct doca_dpa_completion *dpa_comp);

/**
 * @brief Tells whether a device can send by RDMA.
 *
 * @param [in] devinfo the device.
 *
 * @return DOCA_ERROR_NOT_SUPPORTED, or
 * - DOCA_ERROR_INVALID_VALUE: devinfo is NULL
 *
 * Any thread. Source: spec msgq_dpa 7.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_rdma_cap_task_send_is_supported(const struct doca_devinfo *devinfo);

/*
 * Up to release 2.8
 */

/** A shared receive queue; there are none. */
struct doca_rdma_srq;

/** What a shared receive queue is like; there are no kinds. */
enum doca_rdma_srq_type {
	SOFTFIELD_RDMA_SRQ_TYPE_NONE, /**< none */
};

/**
 * @brief Creates a shared receive queue.
 *
 * @param [in] dev the device.
 * @param [out] rdma_srq unchanged.
 *
 * @return DOCA_ERROR_NOT_SUPPORTED, or
 * - DOCA_ERROR_INVALID_VALUE: dev or rdma_srq is NULL
 *
 * Any thread. Source: NVIDIA's samples of 2.7 and 2.8.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_rdma_srq_create(struct doca_dev *dev, struct doca_rdma_srq **rdma_srq);

/**
 * @brief Destroys a shared receive queue.
 *
 * @param [in] rdma_srq not looked at.
 *
 * @return DOCA_ERROR_NOT_SUPPORTED
 *
 * Any thread. Source: NVIDIA's samples of 2.7 and 2.8.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_rdma_srq_destroy(struct doca_rdma_srq *rdma_srq);

/**
 * @brief Gives the context of it.
 *
 * @param [in] rdma_srq not looked at.
 *
 * @return NULL
 *
 * Any thread. Source: NVIDIA's samples of 2.7 and 2.8.
 */
DOCA_EXPERIMENTAL
struct doca_ctx *doca_rdma_srq_as_ctx(struct doca_rdma_srq *rdma_srq);

/**
 * @brief Sets the number of receives.
 *
 * @param [in] rdma_srq not looked at.
 * @param [in] shared_recv_queue_size the number.
 *
 * @return DOCA_ERROR_NOT_SUPPORTED
 *
 * Any thread. Source: NVIDIA's samples of 2.7 and 2.8.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_rdma_srq_set_shared_recv_queue_size(struct doca_rdma_srq *rdma_srq,
						      uint32_t shared_recv_queue_size);

/**
 * @brief Sets the length of lists of buffers that are received into.
 *
 * @param [in] rdma_srq not looked at.
 * @param [in] dst_buf_list_len the length.
 *
 * @return DOCA_ERROR_NOT_SUPPORTED
 *
 * Any thread. Source: NVIDIA's samples of 2.7 and 2.8.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_rdma_srq_task_receive_set_dst_buf_list_len(struct doca_rdma_srq *rdma_srq,
							     uint32_t dst_buf_list_len);

/**
 * @brief Sets what it is like.
 *
 * @param [in] rdma_srq not looked at.
 * @param [in] srq_type the type.
 *
 * @return DOCA_ERROR_NOT_SUPPORTED
 *
 * Any thread. Source: NVIDIA's samples of 2.7 and 2.8.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_rdma_srq_set_type(struct doca_rdma_srq *rdma_srq,
				    enum doca_rdma_srq_type srq_type);

/**
 * @brief Tells how DPA code names it.
 *
 * @param [in] rdma_srq not looked at.
 * @param [out] dpa_rdma_srq unchanged.
 *
 * @return DOCA_ERROR_NOT_SUPPORTED
 *
 * Any thread. Source: NVIDIA's samples of 2.7 and 2.8.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_rdma_srq_get_dpa_handle(struct doca_rdma_srq *rdma_srq,
					  doca_dpa_dev_rdma_srq_t *dpa_rdma_srq);

/**
 * @brief Creates an RDMA context that receives by a shared receive queue.
 *
 * @param [in] dev the device.
 * @param [in] rdma_srq the queue.
 * @param [out] rdma unchanged.
 *
 * @return DOCA_ERROR_NOT_SUPPORTED, or
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL
 *
 * Any thread. Source: NVIDIA's samples of 2.7 and 2.8.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_rdma_create_with_srq(struct doca_dev *dev, struct doca_rdma_srq *rdma_srq,
				       struct doca_rdma **rdma);

/**
 * @brief doca_rdma_export() up to release 2.8, which is told apart by its three arguments.
 *
 * @param [in] rdma not looked at.
 * @param [out] rdma_conn_details unchanged.
 * @param [out] rdma_conn_details_size unchanged.
 *
 * @return DOCA_ERROR_NOT_SUPPORTED
 *
 * Any thread. Source: NVIDIA's samples of 2.7 and 2.8.
 */
static inline doca_error_t softfield_rdma_export_2_8(struct doca_rdma *rdma,
						     const void **rdma_conn_details,
						     size_t *rdma_conn_details_size)
{
	(void)rdma;
	(void)rdma_conn_details;
	(void)rdma_conn_details_size;
	return DOCA_ERROR_NOT_SUPPORTED;
}

/**
 * @brief doca_rdma_connect() up to release 2.8, which is told apart by its three arguments.
 *
 * @param [in] rdma not looked at.
 * @param [in] remote_rdma_conn_details not looked at.
 * @param [in] remote_rdma_conn_details_size not looked at.
 *
 * @return DOCA_ERROR_NOT_SUPPORTED
 *
 * Any thread. Source: NVIDIA's samples of 2.7 and 2.8.
 */
static inline doca_error_t softfield_rdma_connect_2_8(struct doca_rdma *rdma,
						      const void *remote_rdma_conn_details,
						      size_t remote_rdma_conn_details_size)
{
	(void)rdma;
	(void)remote_rdma_conn_details;
	(void)remote_rdma_conn_details_size;
	return DOCA_ERROR_NOT_SUPPORTED;
}

#ifdef __cplusplus
} /* extern "C" */
#endif

#define doca_rdma_export(...)                                                                      \
	SOFTFIELD_PICK_4(__VA_ARGS__, doca_rdma_export, softfield_rdma_export_2_8,                 \
			 doca_rdma_export, doca_rdma_export, 0)                                    \
	(__VA_ARGS__)
#define doca_rdma_connect(...)                                                                     \
	SOFTFIELD_PICK_4(__VA_ARGS__, doca_rdma_connect, softfield_rdma_connect_2_8,               \
			 doca_rdma_connect, doca_rdma_connect, 0)                                  \
	(__VA_ARGS__)

#endif /* DOCA_RDMA_H_ */
