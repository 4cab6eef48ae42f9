/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Clients.
 */
#include "cc/cc.h"

doca_error_t doca_cc_client_create(struct doca_dev *dev, const char *name,
				   struct doca_cc_client **cc_client)
{
	return doca_comch_client_create(dev, name, (struct doca_comch_client **)cc_client);
}

doca_error_t doca_cc_client_destroy(struct doca_cc_client *cc_client)
{
	return doca_comch_client_destroy((struct doca_comch_client *)cc_client);
}

struct doca_ctx *doca_cc_client_as_ctx(struct doca_cc_client *cc_client)
{
	return doca_comch_client_as_ctx((struct doca_comch_client *)cc_client);
}

doca_error_t doca_cc_client_set_max_msg_size(struct doca_cc_client *cc_client, uint32_t size)
{
	return doca_comch_client_set_max_msg_size((struct doca_comch_client *)cc_client, size);
}

doca_error_t doca_cc_client_get_max_msg_size(const struct doca_cc_client *cc_client, uint32_t *size)
{
	return doca_comch_client_get_max_msg_size((const struct doca_comch_client *)cc_client,
						  size);
}

doca_error_t doca_cc_client_set_recv_queue_size(struct doca_cc_client *cc_client, uint32_t size)
{
	return doca_comch_client_set_recv_queue_size((struct doca_comch_client *)cc_client, size);
}

doca_error_t doca_cc_client_get_recv_queue_size(const struct doca_cc_client *cc_client,
						uint32_t *size)
{
	return doca_comch_client_get_recv_queue_size((const struct doca_comch_client *)cc_client,
						     size);
}

doca_error_t doca_cc_client_get_device(const struct doca_cc_client *cc_client,
				       struct doca_dev **dev)
{
	return doca_comch_client_get_device((const struct doca_comch_client *)cc_client, dev);
}

doca_error_t doca_cc_client_event_msg_recv_register(struct doca_cc_client *cc_client,
						    doca_cc_event_msg_recv_cb_t recv_event_cb)
{
	return doca_comch_client_event_msg_recv_register(
		(struct doca_comch_client *)cc_client,
		(doca_comch_event_msg_recv_cb_t)recv_event_cb);
}

doca_error_t
doca_cc_client_event_consumer_register(struct doca_cc_client *cc_client,
				       doca_cc_event_consumer_cb_t new_consumer_event_cb,
				       doca_cc_event_consumer_cb_t expired_consumer_event_cb)
{
	return doca_comch_client_event_consumer_register(
		(struct doca_comch_client *)cc_client,
		(doca_comch_event_consumer_cb_t)new_consumer_event_cb,
		(doca_comch_event_consumer_cb_t)expired_consumer_event_cb);
}

doca_error_t doca_cc_client_task_send_set_conf(struct doca_cc_client *cc_client,
					       doca_cc_task_send_completion_cb_t task_completion_cb,
					       doca_cc_task_send_completion_cb_t task_error_cb,
					       uint32_t num_send_tasks)
{
	return doca_comch_client_task_send_set_conf(
		(struct doca_comch_client *)cc_client,
		(doca_comch_task_send_completion_cb_t)task_completion_cb,
		(doca_comch_task_send_completion_cb_t)task_error_cb, num_send_tasks);
}

doca_error_t doca_cc_client_task_send_alloc_init(struct doca_cc_client *cc_client,
						 struct doca_cc_connection *peer, const void *msg,
						 uint32_t len, struct doca_cc_task_send **task)
{
	return doca_comch_client_task_send_alloc_init((struct doca_comch_client *)cc_client,
						      (struct doca_comch_connection *)peer, msg,
						      len, (struct doca_comch_task_send **)task);
}

doca_error_t doca_cc_client_get_connection(const struct doca_cc_client *cc_client,
					   struct doca_cc_connection **connection)
{
	return doca_comch_client_get_connection((const struct doca_comch_client *)cc_client,
						(struct doca_comch_connection **)connection);
}

struct doca_cc_client *doca_cc_client_get_client_ctx(const struct doca_cc_connection *connection)
{
	return (struct doca_cc_client *)doca_comch_client_get_client_ctx(
		(const struct doca_comch_connection *)connection);
}

doca_error_t doca_cc_client_send_task_set_conf(struct doca_cc_client *cc_client,
					       doca_cc_send_task_completion_cb_t task_completion_cb,
					       doca_cc_send_task_completion_cb_t task_error_cb,
					       uint32_t num_send_tasks)
{
	return doca_comch_client_task_send_set_conf(
		(struct doca_comch_client *)cc_client,
		(doca_comch_task_send_completion_cb_t)task_completion_cb,
		(doca_comch_task_send_completion_cb_t)task_error_cb, num_send_tasks);
}

doca_error_t doca_cc_client_send_task_alloc_init(struct doca_cc_client *cc_client,
						 struct doca_cc_connection *peer, const void *msg,
						 uint32_t len, struct doca_cc_send_task **task)
{
	return doca_comch_client_task_send_alloc_init((struct doca_comch_client *)cc_client,
						      (struct doca_comch_connection *)peer, msg,
						      len, (struct doca_comch_task_send **)task);
}

/*
 * Release 2.5 had the size of a message as size_t: comch passes it in that width (comch.h).
 */
doca_error_t softfield_cc_client_event_msg_recv_register_2_5(
	struct doca_cc_client *cc_client,
	void (*recv_event_cb)(struct doca_cc_event_msg_recv *event, uint8_t *recv_buffer,
			      size_t msg_len, struct doca_cc_connection *cc_connection))
{
	return doca_comch_client_event_msg_recv_register(
		(struct doca_comch_client *)cc_client,
		(doca_comch_event_msg_recv_cb_t)(void (*)(void))recv_event_cb);
}
