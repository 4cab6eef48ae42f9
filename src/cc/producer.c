/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Producers.
 */
#include "doca_cc_producer.h"
#include "cc/cc.h"
#include "doca_comch_producer.h"

doca_error_t doca_cc_producer_create(struct doca_cc_connection *cc_connection,
				     struct doca_cc_producer **producer)
{
	return doca_comch_producer_create((struct doca_comch_connection *)cc_connection,
					  (struct doca_comch_producer **)producer);
}

doca_error_t doca_cc_producer_destroy(struct doca_cc_producer *producer)
{
	return doca_comch_producer_destroy((struct doca_comch_producer *)producer);
}

struct doca_ctx *doca_cc_producer_as_ctx(struct doca_cc_producer *producer)
{
	return doca_comch_producer_as_ctx((struct doca_comch_producer *)producer);
}

doca_error_t doca_cc_producer_cap_is_supported(const struct doca_devinfo *devinfo)
{
	return doca_comch_producer_cap_is_supported(devinfo);
}

doca_error_t doca_cc_producer_cap_get_max_num_tasks(const struct doca_devinfo *devinfo,
						    uint32_t *max_num_tasks)
{
	return doca_comch_producer_cap_get_max_num_tasks(devinfo, max_num_tasks);
}

doca_error_t doca_cc_producer_cap_get_max_buf_size(const struct doca_devinfo *devinfo,
						   uint32_t *max_buf_size)
{
	return doca_comch_producer_cap_get_max_buf_size(devinfo, max_buf_size);
}

doca_error_t doca_cc_producer_cap_get_max_producers(const struct doca_devinfo *devinfo,
						    uint32_t *max_producers)
{
	return doca_comch_producer_cap_get_max_producers(devinfo, max_producers);
}

doca_error_t doca_cc_producer_get_id(const struct doca_cc_producer *producer, uint32_t *id)
{
	return doca_comch_producer_get_id((const struct doca_comch_producer *)producer, id);
}

doca_error_t
doca_cc_producer_task_send_set_conf(struct doca_cc_producer *producer,
				    doca_cc_producer_task_send_completion_cb_t task_completion_cb,
				    doca_cc_producer_task_send_completion_cb_t task_error_cb,
				    uint32_t num_send_tasks)
{
	return doca_comch_producer_task_send_set_conf(
		(struct doca_comch_producer *)producer,
		(doca_comch_producer_task_send_completion_cb_t)task_completion_cb,
		(doca_comch_producer_task_send_completion_cb_t)task_error_cb, num_send_tasks);
}

doca_error_t doca_cc_producer_task_send_alloc_init(struct doca_cc_producer *producer,
						   struct doca_buf *buf, uint32_t consumer_id,
						   struct doca_cc_producer_task_send **task)
{
	return doca_comch_producer_task_send_alloc_init(
		(struct doca_comch_producer *)producer, buf, NULL, 0, consumer_id,
		(struct doca_comch_producer_task_send **)task);
}

struct doca_task *doca_cc_producer_task_send_as_task(struct doca_cc_producer_task_send *task)
{
	return doca_comch_producer_task_send_as_task((struct doca_comch_producer_task_send *)task);
}

struct doca_buf *doca_cc_producer_task_send_get_buf(struct doca_cc_producer_task_send *task)
{
	return (struct doca_buf *)(uintptr_t)doca_comch_producer_task_send_get_buf(
		(const struct doca_comch_producer_task_send *)task);
}

void doca_cc_producer_task_send_set_buf(struct doca_cc_producer_task_send *task,
					struct doca_buf *buf)
{
	doca_comch_producer_task_send_set_buf((struct doca_comch_producer_task_send *)task, buf);
}

uint32_t doca_cc_producer_task_send_get_consumer_id(struct doca_cc_producer_task_send *task)
{
	return doca_comch_producer_task_send_get_consumer_id(
		(const struct doca_comch_producer_task_send *)task);
}

void doca_cc_producer_task_send_set_consumer_id(struct doca_cc_producer_task_send *task,
						const uint32_t consumer_id)
{
	doca_comch_producer_task_send_set_consumer_id((struct doca_comch_producer_task_send *)task,
						      consumer_id);
}

/*
 * Release 2.5
 */

doca_error_t doca_cc_producer_cap_get_max_log_num_tasks(const struct doca_devinfo *devinfo,
							uint32_t *max_log_num_tasks)
{
	uint32_t count;
	doca_error_t err;

	if (!max_log_num_tasks)
		return DOCA_ERROR_INVALID_VALUE;
	err = doca_comch_producer_cap_get_max_num_tasks(devinfo, &count);
	if (!err)
		*max_log_num_tasks = cc_log_from_count(count);
	return err;
}

doca_error_t
doca_cc_producer_send_task_set_conf(struct doca_cc_producer *producer,
				    doca_cc_producer_send_task_completion_cb_t task_completion_cb,
				    doca_cc_producer_send_task_completion_cb_t task_error_cb,
				    uint32_t log_num_tasks)
{
	return doca_comch_producer_task_send_set_conf(
		(struct doca_comch_producer *)producer,
		(doca_comch_producer_task_send_completion_cb_t)task_completion_cb,
		(doca_comch_producer_task_send_completion_cb_t)task_error_cb,
		cc_count_from_log(log_num_tasks));
}

doca_error_t doca_cc_producer_send_task_alloc_init(struct doca_cc_producer *producer,
						   struct doca_buf *buf, uint32_t consumer_id,
						   struct doca_cc_producer_send_task **task)
{
	return doca_comch_producer_task_send_alloc_init(
		(struct doca_comch_producer *)producer, buf, NULL, 0, consumer_id,
		(struct doca_comch_producer_task_send **)task);
}

struct doca_buf *doca_cc_producer_send_task_get_buf(const struct doca_cc_producer_send_task *task)
{
	return (struct doca_buf *)(uintptr_t)doca_comch_producer_task_send_get_buf(
		(const struct doca_comch_producer_task_send *)task);
}

void doca_cc_producer_send_task_set_buf(struct doca_cc_producer_send_task *task,
					struct doca_buf *buf)
{
	doca_comch_producer_task_send_set_buf((struct doca_comch_producer_task_send *)task, buf);
}

uint32_t doca_cc_producer_send_task_get_consumer_id(const struct doca_cc_producer_send_task *task)
{
	return doca_comch_producer_task_send_get_consumer_id(
		(const struct doca_comch_producer_task_send *)task);
}

void doca_cc_producer_send_task_set_consumer_id(struct doca_cc_producer_send_task *task,
						uint32_t consumer_id)
{
	doca_comch_producer_task_send_set_consumer_id((struct doca_comch_producer_task_send *)task,
						      consumer_id);
}

struct doca_task *doca_cc_producer_send_task_as_task(struct doca_cc_producer_send_task *task)
{
	return doca_comch_producer_task_send_as_task((struct doca_comch_producer_task_send *)task);
}
