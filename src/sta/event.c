/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Events: who is told, and what is in them.
 */
#include <string.h>
#include "sta/sta.h"

#define REGISTER(object, kind)                                                                     \
	do {                                                                                       \
		if (!(object) || !event_cb)                                                        \
			return DOCA_ERROR_INVALID_VALUE;                                           \
		if (ctx_check_idle(&(object)->ctx))                                                \
			return DOCA_ERROR_BAD_STATE;                                               \
		(object)->kind##_cb = event_cb;                                                    \
		(object)->kind##_data = user_data;                                                 \
		return DOCA_SUCCESS;                                                               \
	} while (0)

#define GET(out, value)                                                                            \
	do {                                                                                       \
		if (!event || !(out))                                                              \
			return DOCA_ERROR_INVALID_VALUE;                                           \
		*(out) = (value);                                                                  \
		return DOCA_SUCCESS;                                                               \
	} while (0)

/*
 * Transport error
 */

doca_error_t
doca_sta_event_transport_err_get_qp_handle(const struct doca_sta_event_transport_err *event,
					   const struct doca_sta_qp_handle **qp_handle)
{
	GET(qp_handle, event->qp);
}

doca_error_t
doca_sta_event_transport_err_get_operation(const struct doca_sta_event_transport_err *event,
					   uint32_t *operation)
{
	GET(operation, event->error.operation);
}

doca_error_t
doca_sta_event_transport_err_get_syndrome(const struct doca_sta_event_transport_err *event,
					  uint32_t *syndrome)
{
	GET(syndrome, event->error.syndrome);
}

doca_error_t
doca_sta_event_transport_err_get_vendor_syndrome(const struct doca_sta_event_transport_err *event,
						 uint32_t *vendor_syndrome)
{
	GET(vendor_syndrome, event->error.vendor);
}

/*
 * Time-out of a back end
 */

doca_error_t doca_sta_event_be_timeout_register_cb(struct doca_sta *sta,
						   doca_sta_event_be_timeout_cb_t event_cb,
						   union doca_data user_data)
{
	REGISTER(sta, be_timeout);
}

doca_error_t doca_sta_event_back_end_timeout_register_cb(
	struct doca_sta *sta,
	void (*event_cb)(const struct doca_sta_event_back_end_timeout *event,
			 union doca_data user_data),
	union doca_data user_data)
{
	/* the same event under its older name */
	return doca_sta_event_be_timeout_register_cb(
		sta, (doca_sta_event_be_timeout_cb_t)(void (*)(void))event_cb, user_data);
}

doca_error_t doca_sta_event_be_timeout_get_be_handle(const struct doca_sta_event_be_timeout *event,
						     const struct doca_sta_be_handle **be_handle)
{
	GET(be_handle, event->be_q->be);
}

doca_error_t
doca_sta_event_be_timeout_get_be_queue_handle(const struct doca_sta_event_be_timeout *event,
					      const struct doca_sta_be_q_handle **be_queue_handle)
{
	GET(be_queue_handle, event->be_q);
}

/*
 * Failure of an execution unit. Threads of a process do not fail by themselves: never raised, see
 * docs/decisions/0052-errors-of-units.md.
 */

doca_error_t doca_sta_event_eu_err_register_cb(struct doca_sta *sta,
					       doca_sta_event_eu_err_cb_t event_cb,
					       union doca_data user_data)
{
	REGISTER(sta, eu_err);
}

doca_error_t doca_sta_event_eu_err_is_fatal_error(const struct doca_sta_event_eu_err *event,
						  bool *is_fatal_error)
{
	GET(is_fatal_error, event->eu == NULL);
}

doca_error_t doca_sta_event_eu_err_get_eu_handle(const struct doca_sta_event_eu_err *event,
						 const struct doca_sta_eu_handle **eu_handle)
{
	if (event && eu_handle && !event->eu)
		return DOCA_ERROR_NOT_FOUND;
	GET(eu_handle, event->eu);
}

/*
 * Commands that were answered with an error
 */

doca_error_t doca_sta_event_cqe_notify_register_cb(struct doca_sta *sta,
						   doca_sta_event_cqe_notify_cb_t event_cb,
						   union doca_data user_data)
{
	REGISTER(sta, cqe_notify);
}

doca_error_t
doca_sta_event_cqe_notify_get_cqe_notify_type(const struct doca_sta_event_cqe_notify *event,
					      enum doca_sta_cqe_notify_type *cqe_error_type)
{
	GET(cqe_error_type, event->notify->kind == STA_NOTIFY_VALIDATION
				    ? DOCA_STA_CQE_NOTIF_NVME_OF_VALIDATION_ERR
				    : DOCA_STA_CQE_NOTIF_NVME_COMP_ERR);
}

doca_error_t doca_sta_event_cqe_notify_get_cqe(const struct doca_sta_event_cqe_notify *event,
					       doca_sta_nvme_completion_t cqe)
{
	if (!event || !cqe)
		return DOCA_ERROR_INVALID_VALUE;
	memcpy(cqe, &event->notify->cqe, DOCA_STA_COMPLETION_SIZE);
	return DOCA_SUCCESS;
}

doca_error_t
doca_sta_event_cqe_notify_get_subsystem_handle(const struct doca_sta_event_cqe_notify *event,
					       const struct doca_sta_subs_handle **subs_handle)
{
	GET(subs_handle, event->subs);
}

doca_error_t doca_sta_event_cqe_notify_get_qp_handle(const struct doca_sta_event_cqe_notify *event,
						     const struct doca_sta_qp_handle **qp_handle)
{
	GET(qp_handle, event->qp);
}

doca_error_t
doca_sta_event_cqe_notify_get_capsule_params(const struct doca_sta_event_cqe_notify *event,
					     uint8_t *opcode, uint16_t *cid, uint16_t *nsid,
					     uint64_t *lba)
{
	if (!event || !opcode || !cid || !nsid || !lba)
		return DOCA_ERROR_INVALID_VALUE;
	*opcode = event->notify->opcode;
	*cid = event->notify->cid;
	*nsid = (uint16_t)event->notify->nsid;
	*lba = event->notify->lba;
	return DOCA_SUCCESS;
}

doca_error_t
doca_sta_event_cqe_notify_get_param_err_location(const struct doca_sta_event_cqe_notify *event,
						 uint16_t *pel)
{
	GET(pel, event->notify->location);
}
