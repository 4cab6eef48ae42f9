/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Storage target, release 2.9: its prototypes, which every doca_sta header of that release brings
 * when DOCA_STA_LEGACY_2_9 is defined. Not to be included by programs.
 *
 * Functions whose arguments are the same but for the handles are the same functions; the others
 * are declared under names of our own, so that both generations can be in one library. That makes
 * this file long: it has the whole of a generation.
 */
#ifndef SOFTFIELD_STA_2_9_H_
#define SOFTFIELD_STA_2_9_H_

#include <stdbool.h>
#include <stdint.h>

#include <doca_compat.h>
#include <doca_error.h>
#include <doca_sta_task.h>
#include <doca_types.h>

#ifdef __cplusplus
extern "C" {
#endif

struct doca_ctx;
struct doca_dev;
struct doca_devinfo;
struct doca_mmap;
struct doca_pe;
struct doca_sta;
struct doca_sta_io;
struct rdma_cm_id;

/*
 * Handles as numbers: the address of what later releases have as a structure.
 */

typedef uint64_t doca_sta_qp_handle_t;
typedef uint64_t doca_sta_subs_handle_t;
typedef uint64_t doca_sta_ns_handle_t;
typedef uint64_t doca_sta_eu_handle_t;
typedef uint64_t doca_sta_be_handle_t;
typedef uint64_t doca_sta_be_q_handle_t;

/** Counters. Members and their order are inferred from what programs do with them. */
struct doca_sta_eu_ctr_info {
	unsigned int num; /**< how many */
	struct {
		const char *name;    /**< name of the counter */
		const uint64_t *val; /**< where its value is */
#ifdef __cplusplus
	} entries[1]; /* C++ has no arrays without a size */
#else
	} entries[];
#endif
};

/*
 * What clashes with later releases, under names of our own
 */

/**
 * @brief doca_sta_create() of release 2.9: connects the progress engine as well.
 *
 * @param [in] dev see doca_sta_create().
 * @param [in] pe the progress engine.
 * @param [out] sta see doca_sta_create().
 *
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL or 0
 * - what doca_sta_create() answers
 *
 * Thread rule: doca_pe_connect_ctx(). Source: spec sta 3.
 */
DOCA_EXPERIMENTAL
doca_error_t softfield_sta_create_2_9(struct doca_dev *dev, struct doca_pe *pe,
				      struct doca_sta **sta);

/**
 * @brief doca_sta_io_create() of release 2.9: connects the progress engine as well.
 *
 * @param [in] sta see doca_sta_io_create().
 * @param [in] pe the progress engine.
 * @param [out] sta_io see doca_sta_io_create().
 *
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL or 0
 * - what doca_sta_io_create() answers
 *
 * Thread rule: doca_pe_connect_ctx(). Source: spec sta 3.
 */
DOCA_EXPERIMENTAL
doca_error_t softfield_sta_io_create_2_9(struct doca_sta *sta, struct doca_pe *pe,
					 struct doca_sta_io **sta_io);

/**
 * @brief doca_sta_get_eu_stats() of release 2.9: the counters in one structure.
 *
 * @param [in] eu_handle see doca_sta_get_eu_stats().
 * @param [out] ctr_info the counters; the library's.
 *
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL or 0
 * - DOCA_ERROR_NO_MEMORY: no memory for the structure, which the first call makes
 *
 * One thread at a time for a handle. Source: spec sta 3.
 */
DOCA_EXPERIMENTAL
doca_error_t softfield_sta_get_eu_stats_2_9(doca_sta_eu_handle_t eu_handle,
					    const struct doca_sta_eu_ctr_info **ctr_info);

/**
 * @brief doca_sta_get_be_queue_stats() of release 2.9: the counters in one structure.
 *
 * @param [in] be_handle see doca_sta_get_be_queue_stats().
 * @param [in] be_q_handle see doca_sta_get_be_queue_stats().
 * @param [out] ctr_info the counters; the library's.
 *
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL or 0
 * - DOCA_ERROR_NO_MEMORY: no memory for the structure, which the first call makes
 *
 * One thread at a time for a handle. Source: spec sta 3.
 */
DOCA_EXPERIMENTAL
doca_error_t softfield_sta_get_be_queue_stats_2_9(doca_sta_be_handle_t be_handle,
						  doca_sta_be_q_handle_t be_q_handle,
						  const struct doca_sta_eu_ctr_info **ctr_info);

/**
 * @brief doca_sta_get_ns_stats() of release 2.9: the counters in one structure.
 *
 * @param [in] subs_handle see doca_sta_get_ns_stats().
 * @param [in] ns_handle see doca_sta_get_ns_stats().
 * @param [out] ctr_info the counters; the library's.
 *
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL or 0
 * - DOCA_ERROR_NO_MEMORY: no memory for the structure, which the first call makes
 *
 * One thread at a time for a handle. Source: spec sta 3.
 */
DOCA_EXPERIMENTAL
doca_error_t softfield_sta_get_ns_stats_2_9(doca_sta_subs_handle_t subs_handle,
					    doca_sta_ns_handle_t ns_handle,
					    const struct doca_sta_eu_ctr_info **ctr_info);

#ifdef DOCA_STA_LEGACY_2_9

/** What an execution unit does. */
enum dpa_sta_eu_type {
	DOCA_STA_EU_TYPE_UNKNOWN = 0,
	DOCA_STA_EU_COMP = 1,
	DOCA_STA_EU_TX = 2,
	DOCA_STA_EU_BEQ = 3,
	DOCA_STA_EU_MAX = 4,
};

/** Bytes of an NVMe completion queue entry. */
#define DOCA_STA_NVMEF_COMPLETION_SIZE (16)

/** An NVMe completion queue entry. */
typedef uint8_t doca_sta_nvmef_completion_t[DOCA_STA_NVMEF_COMPLETION_SIZE];

/** Tells of a command to be answered, see this type of later releases. */
typedef void (*doca_sta_io_non_offload_cb_t)(doca_sta_qp_handle_t qp_handle,
					     union doca_data user_data, const uint8_t *nvme_cmd,
					     uint8_t *payload, uint32_t payload_len,
					     bool payload_valid,
					     union doca_data non_offload_user_data);

/**
 * @brief See this function of later releases; handles are numbers.
 *
 * @param [in] devinfo see there.
 *
 * @return see there.
 *
 * Thread rule: see there. Source: spec sta 3.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_sta_cap_is_supported(const struct doca_devinfo *devinfo);

/**
 * @brief See this function of later releases; handles are numbers.
 *
 * @param [in] sta see there.
 *
 * @return see there.
 *
 * Thread rule: see there. Source: spec sta 3.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_sta_destroy(struct doca_sta *sta);

/**
 * @brief See this function of later releases; handles are numbers.
 *
 * @param [in] sta see there.
 * @param [in] dev see there.
 *
 * @return see there.
 *
 * Thread rule: see there. Source: spec sta 3.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_sta_add_dev(struct doca_sta *sta, struct doca_dev *dev);

/**
 * @brief See this function of later releases; handles are numbers.
 *
 * @param [in] sta see there.
 * @param [in] max_io_num see there.
 *
 * @return see there.
 *
 * Thread rule: see there. Source: spec sta 3.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_sta_set_max_sta_io(struct doca_sta *sta, uint16_t max_io_num);

/**
 * @brief See this function of later releases; handles are numbers.
 *
 * @param [in] sta see there.
 * @param [in] nqn see there.
 * @param [out] subs_handle see there.
 *
 * @return see there.
 *
 * Thread rule: see there. Source: spec sta 3.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_sta_subsystem_create(struct doca_sta *sta, const char *nqn,
				       doca_sta_subs_handle_t *subs_handle);

/**
 * @brief See this function of later releases; handles are numbers.
 *
 * @param [in] subs_handle see there.
 * @param [in] dev see there.
 *
 * @return see there.
 *
 * Thread rule: see there. Source: spec sta 3.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_sta_subsystem_add_dev(doca_sta_subs_handle_t subs_handle,
					const struct doca_dev *dev);

/**
 * @brief See this function of later releases; handles are numbers.
 *
 * @param [in] sta see there.
 * @param [in] task_completion_cb see there.
 * @param [in] task_error_cb see there.
 *
 * @return see there.
 *
 * Thread rule: see there. Source: spec sta 3.
 */
DOCA_EXPERIMENTAL
doca_error_t
doca_sta_subsystem_task_rm_ns_set_conf(struct doca_sta *sta,
				       doca_sta_task_completion_cb_t task_completion_cb,
				       doca_sta_task_completion_cb_t task_error_cb);

/**
 * @brief See this function of later releases; handles are numbers.
 *
 * @param [in] subs_handle see there.
 *
 * @return see there.
 *
 * Thread rule: see there. Source: spec sta 3.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_sta_subsystem_destroy(doca_sta_subs_handle_t subs_handle);

/**
 * @brief See this function of later releases; handles are numbers.
 *
 * @param [in] subs_handle see there.
 * @param [in] fe_ns_id see there.
 * @param [in] ns_block_size see there.
 * @param [in] be_ns_id see there.
 * @param [in] be_handle see there.
 * @param [out] ns_handle see there.
 *
 * @return see there.
 *
 * Thread rule: see there. Source: spec sta 3.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_sta_subsystem_add_ns(doca_sta_subs_handle_t subs_handle, uint32_t fe_ns_id,
				       uint32_t ns_block_size, uint32_t be_ns_id,
				       doca_sta_be_handle_t be_handle,
				       doca_sta_ns_handle_t *ns_handle);

/**
 * @brief See this function of later releases; handles are numbers.
 *
 * @param [in] subs_handle see there.
 * @param [in] ns_handle see there.
 * @param [in] user_data see there.
 * @param [out] task see there.
 *
 * @return see there.
 *
 * Thread rule: see there. Source: spec sta 3.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_sta_subsystem_task_rm_ns_alloc_init(doca_sta_subs_handle_t subs_handle,
						      doca_sta_ns_handle_t ns_handle,
						      union doca_data user_data,
						      struct doca_sta_producer_task_send **task);

/**
 * @brief See this function of later releases; handles are numbers.
 *
 * @param [in] sta see there.
 * @param [out] be_handle see there.
 *
 * @return see there.
 *
 * Thread rule: see there. Source: spec sta 3.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_sta_be_create(struct doca_sta *sta, doca_sta_be_handle_t *be_handle);

/**
 * @brief See this function of later releases; handles are numbers.
 *
 * @param [in] be_handle see there.
 *
 * @return see there.
 *
 * Thread rule: see there. Source: spec sta 3.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_sta_be_destroy(doca_sta_be_handle_t be_handle);

/**
 * @brief See this function of later releases; handles are numbers.
 *
 * @param [in] be_handle see there.
 * @param [in] sq see there.
 * @param [in] sq_db_reg see there.
 * @param [in] sq_db_offset see there.
 * @param [in] cq see there.
 * @param [in] cq_db_reg see there.
 * @param [in] cq_db_offset see there.
 * @param [out] be_q_handle see there.
 *
 * @return see there.
 *
 * Thread rule: see there. Source: spec sta 3.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_sta_be_add_queue(doca_sta_be_handle_t be_handle, struct doca_mmap *sq,
				   struct doca_mmap *sq_db_reg, uint16_t sq_db_offset,
				   struct doca_mmap *cq, struct doca_mmap *cq_db_reg,
				   uint16_t cq_db_offset, doca_sta_be_q_handle_t *be_q_handle);

/**
 * @brief See this function of later releases; handles are numbers.
 *
 * @param [in] sta see there.
 * @param [in] task_completion_cb see there.
 * @param [in] task_error_cb see there.
 *
 * @return see there.
 *
 * Thread rule: see there. Source: spec sta 3.
 */
DOCA_EXPERIMENTAL
doca_error_t
doca_sta_be_task_destroy_queue_set_conf(struct doca_sta *sta,
					doca_sta_task_completion_cb_t task_completion_cb,
					doca_sta_task_completion_cb_t task_error_cb);

/**
 * @brief See this function of later releases; handles are numbers.
 *
 * @param [in] be_q_handle see there.
 * @param [in] user_data see there.
 * @param [out] task see there.
 *
 * @return see there.
 *
 * Thread rule: see there. Source: spec sta 3.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_sta_be_destroy_queue_task_alloc_init(doca_sta_be_q_handle_t be_q_handle,
						       union doca_data user_data,
						       struct doca_sta_producer_task_send **task);

/**
 * @brief See this function of later releases; handles are numbers.
 *
 * @param [in] sta_io see there.
 *
 * @return see there.
 *
 * Thread rule: see there. Source: spec sta 3.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_sta_io_destroy(struct doca_sta_io *sta_io);

/**
 * @brief See this function of later releases; handles are numbers.
 *
 * @param [in] sta_io see there.
 * @param [in] task_completion_cb see there.
 * @param [in] task_error_cb see there.
 *
 * @return see there.
 *
 * Thread rule: see there. Source: spec sta 3.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_sta_io_task_disconnect_set_conf(struct doca_sta_io *sta_io,
						  doca_sta_task_completion_cb_t task_completion_cb,
						  doca_sta_task_completion_cb_t task_error_cb);

/**
 * @brief See this function of later releases; handles are numbers.
 *
 * @param [in] sta_io see there.
 * @param [in] user_data see there.
 * @param [in] qp_handle see there.
 * @param [out] task see there.
 *
 * @return see there.
 *
 * Thread rule: see there. Source: spec sta 3.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_sta_io_task_disconnect_alloc_init(struct doca_sta_io *sta_io,
						    union doca_data user_data,
						    doca_sta_qp_handle_t qp_handle,
						    struct doca_sta_producer_task_send **task);

/**
 * @brief See this function of later releases; handles are numbers.
 *
 * @param [in] sta_io see there.
 * @param [in] dev see there.
 * @param [in] cm_id see there.
 * @param [in] priv_data see there.
 * @param [in] priv_size see there.
 * @param [in] subs_handle see there.
 * @param [out] qp_handle see there.
 *
 * @return see there.
 *
 * Thread rule: see there. Source: spec sta 3.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_sta_io_qp_connect(struct doca_sta_io *sta_io, const struct doca_dev *dev,
				    struct rdma_cm_id *cm_id, const void *priv_data,
				    uint32_t priv_size, doca_sta_subs_handle_t subs_handle,
				    doca_sta_qp_handle_t *qp_handle);

/**
 * @brief See this function of later releases; handles are numbers.
 *
 * @param [in] sta_io see there.
 * @param [in] qp_handle see there.
 *
 * @return see there.
 *
 * Thread rule: see there. Source: spec sta 3.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_sta_io_qp_connect_established(struct doca_sta_io *sta_io,
						doca_sta_qp_handle_t qp_handle);

/**
 * @brief See this function of later releases; handles are numbers.
 *
 * @param [in] sta_io see there.
 * @param [in] qp_handle see there.
 *
 * @return see there.
 *
 * Thread rule: see there. Source: spec sta 3.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_sta_io_qp_destroy(struct doca_sta_io *sta_io, doca_sta_qp_handle_t qp_handle);

/**
 * @brief See this function of later releases; handles are numbers.
 *
 * @param [in] qp_handle see there.
 * @param [out] qp_id see there.
 *
 * @return see there.
 *
 * Thread rule: see there. Source: spec sta 3.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_sta_io_qp_get_id(doca_sta_qp_handle_t qp_handle, uint32_t *qp_id);

/**
 * @brief See this function of later releases; handles are numbers.
 *
 * @param [in] qp_handle see there.
 * @param [out] port_id see there.
 *
 * @return see there.
 *
 * Thread rule: see there. Source: spec sta 3.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_sta_io_qp_get_port_id(doca_sta_qp_handle_t qp_handle, uint16_t *port_id);

/**
 * @brief See this function of later releases; handles are numbers.
 *
 * @param [in] qp_handle see there.
 * @param [out] qp_idx see there.
 *
 * @return see there.
 *
 * Thread rule: see there. Source: spec sta 3.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_sta_io_qp_get_index_in_group(doca_sta_qp_handle_t qp_handle, uint16_t *qp_idx);

/**
 * @brief See this function of later releases; handles are numbers.
 *
 * @param [in] sta_io see there.
 * @param [in] non_offload_cb see there.
 * @param [in] user_data see there.
 *
 * @return see there.
 *
 * Thread rule: see there. Source: spec sta 3.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_sta_io_non_offload_register_cb(struct doca_sta_io *sta_io,
						 doca_sta_io_non_offload_cb_t non_offload_cb,
						 union doca_data user_data);

/**
 * @brief See this function of later releases; handles are numbers.
 *
 * @param [in] sta_io see there.
 * @param [in] task_completion_cb see there.
 * @param [in] task_error_cb see there.
 *
 * @return see there.
 *
 * Thread rule: see there. Source: spec sta 3.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_sta_io_task_non_offload_set_rdma_write_send_conf(
	struct doca_sta_io *sta_io, doca_sta_task_completion_cb_t task_completion_cb,
	doca_sta_task_completion_cb_t task_error_cb);

/**
 * @brief See this function of later releases; handles are numbers.
 *
 * @param [in] sta_io see there.
 * @param [in] task_completion_cb see there.
 * @param [in] task_error_cb see there.
 *
 * @return see there.
 *
 * Thread rule: see there. Source: spec sta 3.
 */
DOCA_EXPERIMENTAL
doca_error_t
doca_sta_io_task_non_offload_set_rdma_read_conf(struct doca_sta_io *sta_io,
						doca_sta_task_completion_cb_t task_completion_cb,
						doca_sta_task_completion_cb_t task_error_cb);

/**
 * @brief See this function of later releases; handles are numbers.
 *
 * @param [in] sta_io see there.
 * @param [in] user_data see there.
 * @param [in] qp_handle see there.
 * @param [in] completion see there.
 * @param [in] non_offload_user_data see there.
 * @param [out] task see there.
 *
 * @return see there.
 *
 * Thread rule: see there. Source: spec sta 3.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_sta_io_task_non_offload_rdma_write_send_alloc_init(
	struct doca_sta_io *sta_io, union doca_data user_data, doca_sta_qp_handle_t qp_handle,
	doca_sta_nvmef_completion_t completion, union doca_data non_offload_user_data,
	struct doca_sta_producer_task_send **task);

/**
 * @brief See this function of later releases; handles are numbers.
 *
 * @param [in] sta_io see there.
 * @param [in] user_data see there.
 * @param [in] qp_handle see there.
 * @param [in] completion see there.
 * @param [in] non_offload_user_data see there.
 * @param [out] task see there.
 *
 * @return see there.
 *
 * Thread rule: see there. Source: spec sta 3.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_sta_io_task_non_offload_rdma_send_alloc_init(
	struct doca_sta_io *sta_io, union doca_data user_data, doca_sta_qp_handle_t qp_handle,
	doca_sta_nvmef_completion_t completion, union doca_data non_offload_user_data,
	struct doca_sta_producer_task_send **task);

/**
 * @brief See this function of later releases; handles are numbers.
 *
 * @param [in] sta_io see there.
 * @param [in] user_data see there.
 * @param [in] qp_handle see there.
 * @param [in] non_offload_user_data see there.
 * @param [out] task see there.
 *
 * @return see there.
 *
 * Thread rule: see there. Source: spec sta 3.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_sta_io_task_non_offload_rdma_read_alloc_init(
	struct doca_sta_io *sta_io, union doca_data user_data, doca_sta_qp_handle_t qp_handle,
	union doca_data non_offload_user_data, struct doca_sta_producer_task_send **task);

/**
 * @brief See this function of later releases; handles are numbers.
 *
 * @param [in] eu_handle see there.
 *
 * @return see there.
 *
 * Thread rule: see there. Source: spec sta 3.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_sta_eu_reset_stats_handle(doca_sta_eu_handle_t eu_handle);

/**
 * @brief See this function of later releases; handles are numbers.
 *
 * @param [in] sta see there.
 * @param [in] eu_type see there.
 *
 * @return see there.
 *
 * Thread rule: see there. Source: spec sta 3.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_sta_eu_reset_stats_type(struct doca_sta *sta, enum dpa_sta_eu_type eu_type);

/**
 * @brief See this function of later releases; handles are numbers.
 *
 * @param [in] eu_handle see there.
 * @param [out] arr see there.
 * @param [in,out] arr_size see there.
 *
 * @return see there.
 *
 * Thread rule: see there. Source: spec sta 3.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_sta_get_eu_connect_qp_stats(doca_sta_eu_handle_t eu_handle,
					      doca_sta_qp_handle_t *arr, uint16_t *arr_size);

/**
 * @brief See this function of later releases; handles are numbers.
 *
 * @param [in] sta see there.
 * @param [out] eu_handle_arr see there.
 * @param [in,out] arr_size see there.
 *
 * @return see there.
 *
 * Thread rule: see there. Source: spec sta 3.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_sta_get_eu_handle(const struct doca_sta *sta, doca_sta_eu_handle_t *eu_handle_arr,
				    uint32_t *arr_size);

/**
 * @brief See this function of later releases; handles are numbers.
 *
 * @param [in] eu_handle see there.
 * @param [out] name see there.
 *
 * @return see there.
 *
 * Thread rule: see there. Source: spec sta 3.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_sta_get_eu_name(doca_sta_eu_handle_t eu_handle, const char **name);

/**
 * @brief See this function of later releases; handles are numbers.
 *
 * @param [in] eu_handle see there.
 * @param [out] type see there.
 *
 * @return see there.
 *
 * Thread rule: see there. Source: spec sta 3.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_sta_get_eu_type(doca_sta_eu_handle_t eu_handle, enum dpa_sta_eu_type *type);

/**
 * @brief See this function of later releases; handles are numbers.
 *
 * @param [in] eu_handle see there.
 * @param [out] eu_id see there.
 *
 * @return see there.
 *
 * Thread rule: see there. Source: spec sta 3.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_sta_get_eu_id(doca_sta_eu_handle_t eu_handle, uint16_t *eu_id);

/**
 * @brief See this function of later releases; handles are numbers.
 *
 * @param [in] eu_handle see there.
 * @param [out] port see there.
 *
 * @return see there.
 *
 * Thread rule: see there. Source: spec sta 3.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_sta_get_eu_port(doca_sta_eu_handle_t eu_handle, uint16_t *port);

/**
 * @brief softfield_sta_create_2_9() takes its place in this release.
 *
 * @param [in] dev see there.
 * @param [in] pe see there.
 * @param [out] sta see there.
 *
 * @return see softfield_sta_create_2_9().
 *
 * Thread rule: softfield_sta_create_2_9(). Source: spec sta 3.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_sta_create(struct doca_dev *dev, struct doca_pe *pe,
			     struct doca_sta **sta) __asm__("softfield_sta_create_2_9");

/**
 * @brief The object as a struct doca_ctx.
 *
 * @param [in] sta the object.
 *
 * @return the same object; NULL when it is NULL.
 *
 * Any thread. Source: spec sta 3.
 */
DOCA_EXPERIMENTAL
struct doca_ctx *doca_sta_as_doca_ctx(struct doca_sta *sta);

/**
 * @brief softfield_sta_io_create_2_9() takes its place in this release.
 *
 * @param [in] sta see there.
 * @param [in] pe see there.
 * @param [out] sta_io see there.
 *
 * @return see softfield_sta_io_create_2_9().
 *
 * Thread rule: softfield_sta_io_create_2_9(). Source: spec sta 3.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_sta_io_create(struct doca_sta *sta, struct doca_pe *pe,
				struct doca_sta_io **sta_io) __asm__("softfield_sta_io_create_2_9");

/**
 * @brief The object as a struct doca_ctx.
 *
 * @param [in] sta_io the object.
 *
 * @return the same object; NULL when it is NULL.
 *
 * Any thread. Source: spec sta 3.
 */
DOCA_EXPERIMENTAL
struct doca_ctx *doca_sta_io_as_doca_ctx(struct doca_sta_io *sta_io);

/**
 * @brief softfield_sta_get_eu_stats_2_9() takes its place in this release.
 *
 * @param [in] eu_handle see there.
 * @param [out] ctr_info see there.
 *
 * @return see softfield_sta_get_eu_stats_2_9().
 *
 * Thread rule: softfield_sta_get_eu_stats_2_9(). Source: spec sta 3.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_sta_get_eu_stats(
	doca_sta_eu_handle_t eu_handle,
	const struct doca_sta_eu_ctr_info **ctr_info) __asm__("softfield_sta_get_eu_stats_2_9");

/**
 * @brief softfield_sta_get_be_queue_stats_2_9() takes its place in this release.
 *
 * @param [in] be_handle see there.
 * @param [in] be_q_handle see there.
 * @param [out] ctr_info see there.
 *
 * @return see softfield_sta_get_be_queue_stats_2_9().
 *
 * Thread rule: softfield_sta_get_be_queue_stats_2_9(). Source: spec sta 3.
 */
DOCA_EXPERIMENTAL
doca_error_t
doca_sta_get_be_queue_stats(doca_sta_be_handle_t be_handle, doca_sta_be_q_handle_t be_q_handle,
			    const struct doca_sta_eu_ctr_info *
				    *ctr_info) __asm__("softfield_sta_get_be_queue_stats_2_9");

/**
 * @brief softfield_sta_get_ns_stats_2_9() takes its place in this release.
 *
 * @param [in] subs_handle see there.
 * @param [in] ns_handle see there.
 * @param [out] ctr_info see there.
 *
 * @return see softfield_sta_get_ns_stats_2_9().
 *
 * Thread rule: softfield_sta_get_ns_stats_2_9(). Source: spec sta 3.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_sta_get_ns_stats(
	doca_sta_subs_handle_t subs_handle, doca_sta_ns_handle_t ns_handle,
	const struct doca_sta_eu_ctr_info **ctr_info) __asm__("softfield_sta_get_ns_stats_2_9");

#endif /* DOCA_STA_LEGACY_2_9 */

#ifdef __cplusplus
} /* extern "C" */
#endif

#endif /* SOFTFIELD_STA_2_9_H_ */
