/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Storage target: events, and what can be read from them.
 */
#ifndef DOCA_STA_EVENT_H_
#define DOCA_STA_EVENT_H_

#include <stdbool.h>
#include <stdint.h>

#include <doca_compat.h>
#include <doca_error.h>
#include <doca_sta_handle.h>
#include <doca_types.h>

#ifdef __cplusplus
extern "C" {
#endif

struct doca_sta;
struct doca_sta_io;
struct dev_sta_event;

/*
 * A connection has failed
 */

/** Event: a connection has failed. Its queue pair is to be disconnected and destroyed. */
struct doca_sta_event_transport_err;

/** Tells of the event, inside doca_pe_progress() of the doca_sta_io. The event is valid during the
 * call only. */
typedef void (*doca_sta_event_transport_err_cb_t)(const struct doca_sta_event_transport_err *event,
						  union doca_data user_data);

/**
 * @brief Registers the callback for connections that have failed. Optional.
 *
 * @param [in] sta_io the object, IDLE.
 * @param [in] event_cb the callback.
 * @param [in] user_data given to the callback.
 *
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: a pointer is NULL
 * - DOCA_ERROR_BAD_STATE: the context is not IDLE
 *
 * Only the thread that drives the progress engine of the doca_sta_io. Source: spec sta 7h.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_sta_io_event_transport_err_register_cb(struct doca_sta_io *sta_io,
							 doca_sta_event_transport_err_cb_t event_cb,
							 union doca_data user_data);

/**
 * @brief The queue pair.
 *
 * @param [in] event the event, in its callback.
 * @param [out] qp_handle the queue pair.
 *
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL
 *
 * The thread of the callback. Source: spec sta 7h.
 */
DOCA_EXPERIMENTAL
doca_error_t
doca_sta_event_transport_err_get_qp_handle(const struct doca_sta_event_transport_err *event,
					   const struct doca_sta_qp_handle **qp_handle);

/**
 * @brief What was being done.
 *
 * @param [in] event the event, in its callback.
 * @param [out] operation number of the verbs operation, or an enum softfield_sta_operation.
 *
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL
 *
 * The thread of the callback. Source: spec sta 7h.
 */
DOCA_EXPERIMENTAL
doca_error_t
doca_sta_event_transport_err_get_operation(const struct doca_sta_event_transport_err *event,
					   uint32_t *operation);

/**
 * @brief How it has failed.
 *
 * @param [in] event the event, in its callback.
 * @param [out] syndrome enum ibv_wc_status, or what enum softfield_sta_operation says.
 *
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL
 *
 * The thread of the callback. Source: spec sta 7h.
 */
DOCA_EXPERIMENTAL
doca_error_t
doca_sta_event_transport_err_get_syndrome(const struct doca_sta_event_transport_err *event,
					  uint32_t *syndrome);

/**
 * @brief How it has failed, in terms of the device.
 *
 * @param [in] event the event, in its callback.
 * @param [out] vendor_syndrome the number.
 *
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL
 *
 * The thread of the callback. Source: spec sta 7h.
 */
DOCA_EXPERIMENTAL
doca_error_t
doca_sta_event_transport_err_get_vendor_syndrome(const struct doca_sta_event_transport_err *event,
						 uint32_t *vendor_syndrome);

/*
 * A back end does not answer
 */

/** Event: a back end has not answered for a long time. Its commands are still in it. */
struct doca_sta_event_be_timeout;

/** Tells of the event, inside doca_pe_progress() of the doca_sta. The event is valid during the
 * call only. */
typedef void (*doca_sta_event_be_timeout_cb_t)(const struct doca_sta_event_be_timeout *event,
					       union doca_data user_data);

/**
 * @brief Registers the callback for back ends that do not answer. Optional.
 *
 * @param [in] sta the target, IDLE.
 * @param [in] event_cb the callback.
 * @param [in] user_data given to the callback.
 *
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: a pointer is NULL
 * - DOCA_ERROR_BAD_STATE: the context is not IDLE
 *
 * Only the thread that drives the control progress engine, the one of the doca_sta. Source: spec
 * sta 7h.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_sta_event_be_timeout_register_cb(struct doca_sta *sta,
						   doca_sta_event_be_timeout_cb_t event_cb,
						   union doca_data user_data);

/**
 * @brief The back end.
 *
 * @param [in] event the event, in its callback.
 * @param [out] be_handle the back end.
 *
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL
 *
 * The thread of the callback. Source: spec sta 7h.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_sta_event_be_timeout_get_be_handle(const struct doca_sta_event_be_timeout *event,
						     const struct doca_sta_be_handle **be_handle);

/**
 * @brief Its queue.
 *
 * @param [in] event the event, in its callback.
 * @param [out] be_queue_handle the queue.
 *
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL
 *
 * The thread of the callback. Source: spec sta 7h.
 */
DOCA_EXPERIMENTAL
doca_error_t
doca_sta_event_be_timeout_get_be_queue_handle(const struct doca_sta_event_be_timeout *event,
					      const struct doca_sta_be_q_handle **be_queue_handle);

/*
 * A part of the engine has failed
 */

/** Event: a part of the engine has failed. */
struct doca_sta_event_eu_err;

/** Tells of the event, inside doca_pe_progress() of the doca_sta. The event is valid during the
 * call only. */
typedef void (*doca_sta_event_eu_err_cb_t)(const struct doca_sta_event_eu_err *event,
					   union doca_data user_data);

/**
 * @brief Registers the callback for failures of the engine. Optional.
 *
 * The event does not come: units are threads of this process and do not fail by themselves.
 *
 * @param [in] sta the target, IDLE.
 * @param [in] event_cb the callback.
 * @param [in] user_data given to the callback.
 *
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: a pointer is NULL
 * - DOCA_ERROR_BAD_STATE: the context is not IDLE
 *
 * Only the thread that drives the control progress engine, the one of the doca_sta. Source: spec
 * sta 7h.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_sta_event_eu_err_register_cb(struct doca_sta *sta,
					       doca_sta_event_eu_err_cb_t event_cb,
					       union doca_data user_data);

/**
 * @brief Whether the engine as a whole has failed.
 *
 * @param [in] event the event, in its callback.
 * @param [out] is_fatal_error true: it has.
 *
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL
 *
 * The thread of the callback. Source: spec sta 7h.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_sta_event_eu_err_is_fatal_error(const struct doca_sta_event_eu_err *event,
						  bool *is_fatal_error);

/**
 * @brief The part that has failed.
 *
 * @param [in] event the event, in its callback.
 * @param [out] eu_handle the execution unit.
 *
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL
 * - DOCA_ERROR_NOT_FOUND: the engine as a whole has failed
 *
 * The thread of the callback. Source: spec sta 7h.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_sta_event_eu_err_get_eu_handle(const struct doca_sta_event_eu_err *event,
						 const struct doca_sta_eu_handle **eu_handle);

/*
 * A command of an initiator was answered with an error
 */

/** Why. */
enum doca_sta_cqe_notify_type {
	DOCA_STA_CQE_NOTIF_NVME_OF_VALIDATION_ERR = 0, /**< the engine has refused it */
	/** The back end has refused it, is not there, or the data has not come. */
	DOCA_STA_CQE_NOTIF_NVME_COMP_ERR = 1,
};

/** Event: a read or write was answered with an error. */
struct doca_sta_event_cqe_notify;

/** Tells of the event, inside doca_pe_progress() of the doca_sta. The event is valid during the
 * call only. */
typedef void (*doca_sta_event_cqe_notify_cb_t)(const struct doca_sta_event_cqe_notify *event,
					       union doca_data user_data);

/**
 * @brief Registers the callback for reads and writes that are answered with an error. Optional.
 *
 * @param [in] sta the target, IDLE.
 * @param [in] event_cb the callback.
 * @param [in] user_data given to the callback.
 *
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: a pointer is NULL
 * - DOCA_ERROR_BAD_STATE: the context is not IDLE
 *
 * Only the thread that drives the control progress engine, the one of the doca_sta. Source: spec
 * sta 7h.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_sta_event_cqe_notify_register_cb(struct doca_sta *sta,
						   doca_sta_event_cqe_notify_cb_t event_cb,
						   union doca_data user_data);

/**
 * @brief Why.
 *
 * @param [in] event the event, in its callback.
 * @param [out] cqe_error_type the cause.
 *
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL
 *
 * The thread of the callback. Source: spec sta 7h.
 */
DOCA_EXPERIMENTAL
doca_error_t
doca_sta_event_cqe_notify_get_cqe_notify_type(const struct doca_sta_event_cqe_notify *event,
					      enum doca_sta_cqe_notify_type *cqe_error_type);

/**
 * @brief The answer.
 *
 * @param [in] event the event, in its callback.
 * @param [out] cqe the entry of the completion queue, as it went to the initiator.
 *
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL
 *
 * The thread of the callback. Source: spec sta 7h.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_sta_event_cqe_notify_get_cqe(const struct doca_sta_event_cqe_notify *event,
					       doca_sta_nvme_completion_t cqe);

/**
 * @brief The subsystem.
 *
 * @param [in] event the event, in its callback.
 * @param [out] subs_handle the subsystem; NULL when it has been destroyed meanwhile.
 *
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL
 *
 * The thread of the callback. Source: spec sta 7h.
 */
DOCA_EXPERIMENTAL
doca_error_t
doca_sta_event_cqe_notify_get_subsystem_handle(const struct doca_sta_event_cqe_notify *event,
					       const struct doca_sta_subs_handle **subs_handle);

/**
 * @brief The queue pair.
 *
 * @param [in] event the event, in its callback.
 * @param [out] qp_handle the queue pair; NULL when it has been destroyed meanwhile.
 *
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL
 *
 * The thread of the callback. Source: spec sta 7h.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_sta_event_cqe_notify_get_qp_handle(const struct doca_sta_event_cqe_notify *event,
						     const struct doca_sta_qp_handle **qp_handle);

/**
 * @brief The command.
 *
 * @param [in] event the event, in its callback.
 * @param [out] opcode its operation.
 * @param [out] cid its identifier.
 * @param [out] nsid its namespace, the lower 16 bits.
 * @param [out] lba its first block.
 *
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL
 *
 * The thread of the callback. Source: spec sta 7c, 12.
 */
DOCA_EXPERIMENTAL
doca_error_t
doca_sta_event_cqe_notify_get_capsule_params(const struct doca_sta_event_cqe_notify *event,
					     uint8_t *opcode, uint16_t *cid, uint16_t *nsid,
					     uint64_t *lba);

/**
 * @brief Which part of the command is wrong.
 *
 * @param [in] event the event, in its callback.
 * @param [out] pel Parameter Error Location as NVMe defines it; 0xffff: no particular one.
 *
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL
 *
 * The thread of the callback. Source: spec sta 7h.
 */
DOCA_EXPERIMENTAL
doca_error_t
doca_sta_event_cqe_notify_get_param_err_location(const struct doca_sta_event_cqe_notify *event,
						 uint16_t *pel);

/*
 * Spellings of the release before 2.10
 */

/** struct doca_sta_event_be_timeout before release 2.10: the same object. */
struct doca_sta_event_back_end_timeout;

/**
 * @brief doca_sta_event_be_timeout_register_cb() before release 2.10.
 *
 * @param [in] sta the target, IDLE.
 * @param [in] event_cb the callback.
 * @param [in] user_data given to the callback.
 *
 * @return see doca_sta_event_be_timeout_register_cb().
 *
 * Only the thread that drives the control progress engine, the one of the doca_sta. Source: spec
 * sta 3.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_sta_event_back_end_timeout_register_cb(
	struct doca_sta *sta,
	void (*event_cb)(const struct doca_sta_event_back_end_timeout *event,
			 union doca_data user_data),
	union doca_data user_data);

#ifdef __cplusplus
} /* extern "C" */
#endif

#endif /* DOCA_STA_EVENT_H_ */
