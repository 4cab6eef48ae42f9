/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Consumers.
 */
#include "doca_cc_consumer.h"
#include "cc/cc.h"
#include "doca_comch_consumer.h"

doca_error_t doca_cc_consumer_create(struct doca_cc_connection *cc_connection,
				     struct doca_mmap *buf_mmap, struct doca_cc_consumer **consumer)
{
	return doca_comch_consumer_create((struct doca_comch_connection *)cc_connection, buf_mmap,
					  (struct doca_comch_consumer **)consumer);
}

doca_error_t doca_cc_consumer_destroy(struct doca_cc_consumer *consumer)
{
	return doca_comch_consumer_destroy((struct doca_comch_consumer *)consumer);
}

struct doca_ctx *doca_cc_consumer_as_ctx(struct doca_cc_consumer *consumer)
{
	return doca_comch_consumer_as_ctx((struct doca_comch_consumer *)consumer);
}

doca_error_t doca_cc_consumer_cap_is_supported(const struct doca_devinfo *devinfo)
{
	return doca_comch_consumer_cap_is_supported(devinfo);
}

doca_error_t doca_cc_consumer_cap_get_max_num_tasks(const struct doca_devinfo *devinfo,
						    uint32_t *max_num_tasks)
{
	return doca_comch_consumer_cap_get_max_num_tasks(devinfo, max_num_tasks);
}

doca_error_t doca_cc_consumer_cap_get_max_buf_size(const struct doca_devinfo *devinfo,
						   uint32_t *max_buf_size)
{
	return doca_comch_consumer_cap_get_max_buf_size(devinfo, max_buf_size);
}

doca_error_t doca_cc_consumer_cap_get_max_consumers(const struct doca_devinfo *devinfo,
						    uint32_t *max_consumers)
{
	return doca_comch_consumer_cap_get_max_consumers(devinfo, max_consumers);
}

doca_error_t doca_cc_consumer_get_id(const struct doca_cc_consumer *consumer, uint32_t *id)
{
	return doca_comch_consumer_get_id((const struct doca_comch_consumer *)consumer, id);
}

doca_error_t doca_cc_consumer_task_post_recv_set_conf(
	struct doca_cc_consumer *consumer,
	doca_cc_consumer_task_post_recv_completion_cb_t task_completion_cb,
	doca_cc_consumer_task_post_recv_completion_cb_t task_error_cb, uint32_t num_post_recv_tasks)
{
	return doca_comch_consumer_task_post_recv_set_conf(
		(struct doca_comch_consumer *)consumer,
		(doca_comch_consumer_task_post_recv_completion_cb_t)task_completion_cb,
		(doca_comch_consumer_task_post_recv_completion_cb_t)task_error_cb,
		num_post_recv_tasks);
}

static inline doca_error_t alloc_receive(struct doca_cc_consumer *consumer, struct doca_buf *buf,
					 struct doca_comch_consumer_task_post_recv **task)
{
	if (!buf) /* there is no immediate data that it could be for */
		return DOCA_ERROR_INVALID_VALUE;
	return doca_comch_consumer_task_post_recv_alloc_init((struct doca_comch_consumer *)consumer,
							     buf, task);
}

doca_error_t
doca_cc_consumer_task_post_recv_alloc_init(struct doca_cc_consumer *consumer, struct doca_buf *buf,
					   struct doca_cc_consumer_task_post_recv **task)
{
	return alloc_receive(consumer, buf, (struct doca_comch_consumer_task_post_recv **)task);
}

struct doca_task *
doca_cc_consumer_task_post_recv_as_task(struct doca_cc_consumer_task_post_recv *task)
{
	return doca_comch_consumer_task_post_recv_as_task(
		(struct doca_comch_consumer_task_post_recv *)task);
}

struct doca_buf *
doca_cc_consumer_task_post_recv_get_buf(struct doca_cc_consumer_task_post_recv *task)
{
	return doca_comch_consumer_task_post_recv_get_buf(
		(const struct doca_comch_consumer_task_post_recv *)task);
}

void doca_cc_consumer_task_post_recv_set_buf(struct doca_cc_consumer_task_post_recv *task,
					     struct doca_buf *buf)
{
	doca_comch_consumer_task_post_recv_set_buf(
		(struct doca_comch_consumer_task_post_recv *)task, buf);
}

uint32_t
doca_cc_consumer_task_post_recv_get_producer_id(struct doca_cc_consumer_task_post_recv *task)
{
	return doca_comch_consumer_task_post_recv_get_producer_id(
		(const struct doca_comch_consumer_task_post_recv *)task);
}

/*
 * Release 2.5
 */

doca_error_t doca_cc_consumer_cap_get_max_log_num_tasks(const struct doca_devinfo *devinfo,
							uint32_t *max_log_num_tasks)
{
	uint32_t count;
	doca_error_t err;

	if (!max_log_num_tasks)
		return DOCA_ERROR_INVALID_VALUE;
	err = doca_comch_consumer_cap_get_max_num_tasks(devinfo, &count);
	if (!err)
		*max_log_num_tasks = cc_log_from_count(count);
	return err;
}

doca_error_t doca_cc_consumer_post_recv_task_set_conf(
	struct doca_cc_consumer *consumer,
	doca_cc_consumer_post_recv_task_completion_cb_t task_completion_cb,
	doca_cc_consumer_post_recv_task_completion_cb_t task_error_cb, uint32_t log_num_tasks)
{
	return doca_comch_consumer_task_post_recv_set_conf(
		(struct doca_comch_consumer *)consumer,
		(doca_comch_consumer_task_post_recv_completion_cb_t)task_completion_cb,
		(doca_comch_consumer_task_post_recv_completion_cb_t)task_error_cb,
		cc_count_from_log(log_num_tasks));
}

doca_error_t
doca_cc_consumer_post_recv_task_alloc_init(struct doca_cc_consumer *consumer, struct doca_buf *buf,
					   struct doca_cc_consumer_post_recv_task **task)
{
	return alloc_receive(consumer, buf, (struct doca_comch_consumer_task_post_recv **)task);
}

struct doca_buf *
doca_cc_consumer_post_recv_task_get_buf(struct doca_cc_consumer_post_recv_task *task)
{
	return doca_comch_consumer_task_post_recv_get_buf(
		(const struct doca_comch_consumer_task_post_recv *)task);
}

void doca_cc_consumer_post_recv_task_set_buf(struct doca_cc_consumer_post_recv_task *task,
					     struct doca_buf *buf)
{
	doca_comch_consumer_task_post_recv_set_buf(
		(struct doca_comch_consumer_task_post_recv *)task, buf);
}

struct doca_task *
doca_cc_consumer_post_recv_task_as_task(struct doca_cc_consumer_post_recv_task *task)
{
	return doca_comch_consumer_task_post_recv_as_task(
		(struct doca_comch_consumer_task_post_recv *)task);
}
