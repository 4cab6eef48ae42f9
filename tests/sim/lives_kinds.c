/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Kinds of contexts that need no connection: copies, sync events, both ends of a message queue.
 */
#include "doca_comch_consumer.h"
#include "doca_comch_producer.h"
#include "doca_dma.h"
#include "doca_sync_event.h"
#include "lives.h"
#include "world.h"

/* callbacks of tasks of all types take what these do */
#define CALLBACK(type, cb) ((type)(void (*)(void))(cb))

static doca_error_t dma_create(void **ret_object, struct doca_ctx **ret_ctx)
{
	doca_error_t err = doca_dma_create(stage.dev, (struct doca_dma **)ret_object);

	if (!err)
		*ret_ctx = doca_dma_as_ctx(*ret_object);
	return err;
}

static doca_error_t dma_destroy(void *object)
{
	return doca_dma_destroy(object);
}

static doca_error_t dma_configure(void *object)
{
	return doca_dma_task_memcpy_set_conf(
		object, CALLBACK(doca_dma_task_memcpy_completion_cb_t, task_completed),
		CALLBACK(doca_dma_task_memcpy_completion_cb_t, task_failed), TASKS);
}

/* There is room once: whoever does not empty the buffer sees its copy fail, and the context end. */
static doca_error_t dma_alloc(void *object, union doca_data data, struct doca_task **ret_task)
{
	struct doca_dma_task_memcpy *task;
	doca_error_t err;

	if (chance(90))
		must(!doca_buf_reset_data_len(stage.room));
	err = doca_dma_task_memcpy_alloc_init(object, stage.source, stage.room, data, &task);
	if (!err)
		*ret_task = doca_dma_task_memcpy_as_task(task);
	return err;
}

static doca_error_t event_create(void **ret_object, struct doca_ctx **ret_ctx)
{
	doca_error_t err = doca_sync_event_create((struct doca_sync_event **)ret_object);

	if (!err)
		*ret_ctx = doca_sync_event_as_ctx(*ret_object);
	return err;
}

static doca_error_t event_destroy(void *object)
{
	return doca_sync_event_destroy(object);
}

static doca_error_t event_configure(void *object)
{
	doca_error_t err = doca_sync_event_task_wait_gt_set_conf(
		object, CALLBACK(doca_sync_event_task_wait_gt_completion_cb_t, task_completed),
		CALLBACK(doca_sync_event_task_wait_gt_completion_cb_t, task_failed), TASKS);

	if (err)
		return err;
	err = doca_sync_event_add_publisher_location_cpu(object, stage.dev);
	must(!err || err == DOCA_ERROR_ALREADY_EXIST);
	must(doca_sync_event_add_subscriber_location_cpu(object, stage.dev) == err);
	return DOCA_SUCCESS;
}

static doca_error_t event_alloc(void *object, union doca_data data, struct doca_task **ret_task)
{
	struct doca_sync_event_task_wait_gt *task;
	doca_error_t err;

	err = doca_sync_event_update_set(object, pick(4));
	must(!err || err == DOCA_ERROR_BAD_STATE);
	err = doca_sync_event_task_wait_gt_alloc_init(object, pick(4), UINT64_MAX, data, &task);
	if (!err)
		*ret_task = doca_sync_event_task_wait_gt_as_doca_task(task);
	return err;
}

static doca_error_t consumer_create(void **ret_object, struct doca_ctx **ret_ctx)
{
	doca_error_t err = doca_comch_msgq_consumer_create(
		stage.msgq, (struct doca_comch_consumer **)ret_object);

	if (!err)
		*ret_ctx = doca_comch_consumer_as_ctx(*ret_object);
	return err;
}

static doca_error_t consumer_destroy(void *object)
{
	return doca_comch_consumer_destroy(object);
}

static doca_error_t consumer_configure(void *object)
{
	return doca_comch_consumer_task_post_recv_set_conf(
		object,
		CALLBACK(doca_comch_consumer_task_post_recv_completion_cb_t, task_completed),
		CALLBACK(doca_comch_consumer_task_post_recv_completion_cb_t, task_failed), TASKS);
}

static doca_error_t consumer_alloc(void *object, union doca_data data, struct doca_task **ret_task)
{
	struct doca_comch_consumer_task_post_recv *task;
	doca_error_t err;

	(void)data;
	err = doca_comch_consumer_task_post_recv_alloc_init(object, NULL, &task);
	if (!err)
		*ret_task = doca_comch_consumer_task_post_recv_as_task(task);
	return err;
}

static doca_error_t producer_create(void **ret_object, struct doca_ctx **ret_ctx)
{
	doca_error_t err = doca_comch_msgq_producer_create(
		stage.msgq, (struct doca_comch_producer **)ret_object);

	if (!err)
		*ret_ctx = doca_comch_producer_as_ctx(*ret_object);
	return err;
}

static doca_error_t producer_destroy(void *object)
{
	return doca_comch_producer_destroy(object);
}

static doca_error_t producer_configure(void *object)
{
	return doca_comch_producer_task_send_set_conf(
		object, CALLBACK(doca_comch_producer_task_send_completion_cb_t, task_completed),
		CALLBACK(doca_comch_producer_task_send_completion_cb_t, task_failed), TASKS);
}

static doca_error_t producer_alloc(void *object, union doca_data data, struct doca_task **ret_task)
{
	struct doca_comch_producer_task_send *task;
	uint8_t word[] = "word";
	doca_error_t err;

	(void)data;
	err = doca_comch_producer_task_send_alloc_init(object, NULL, word, sizeof(word),
						       1 + pick(QUEUE_ENDS), &task);
	if (!err)
		*ret_task = doca_comch_producer_task_send_as_task(task);
	return err;
}

const struct kind kinds[KINDS] = {
	{dma_create, dma_destroy, dma_configure, dma_alloc, DOCA_ERROR_INVALID_VALUE, true, LIVES},
	{event_create, event_destroy, event_configure, event_alloc, DOCA_ERROR_INVALID_VALUE, false,
	 LIVES},
	{consumer_create, consumer_destroy, consumer_configure, consumer_alloc,
	 DOCA_ERROR_BAD_STATE, false, QUEUE_ENDS},
	{producer_create, producer_destroy, producer_configure, producer_alloc,
	 DOCA_ERROR_BAD_STATE, true, QUEUE_ENDS},
};
