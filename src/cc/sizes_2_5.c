/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Sizes as release 2.5 had them: size_t in place of uint32_t.
 */
#include "cc/cc.h"
#include "doca_cc_consumer.h"
#include "doca_cc_producer.h"

/* A size that does not fit is out of range, and so is the largest that does. */
static uint32_t narrow(size_t size)
{
	return size > UINT32_MAX ? UINT32_MAX : (uint32_t)size;
}

/* The rest of a getter, which has answered err and the value. */
static doca_error_t widen(doca_error_t err, uint32_t value, size_t *ret_size)
{
	if (err)
		return err;
	if (!ret_size)
		return DOCA_ERROR_INVALID_VALUE;
	*ret_size = value;
	return DOCA_SUCCESS;
}

/*
 * Capabilities
 */

doca_error_t softfield_cc_cap_get_max_msg_size_2_5(const struct doca_devinfo *devinfo, size_t *size)
{
	uint32_t value = 0;
	doca_error_t err = doca_cc_cap_get_max_msg_size(devinfo, &value);

	return widen(err, value, size);
}

doca_error_t softfield_cc_cap_get_max_recv_queue_size_2_5(const struct doca_devinfo *devinfo,
							  size_t *size)
{
	uint32_t value = 0;
	doca_error_t err = doca_cc_cap_get_max_recv_queue_size(devinfo, &value);

	return widen(err, value, size);
}

doca_error_t softfield_cc_cap_get_max_clients_2_5(const struct doca_devinfo *devinfo,
						  size_t *num_clients)
{
	uint32_t value = 0;
	doca_error_t err = doca_cc_cap_get_max_clients(devinfo, &value);

	return widen(err, value, num_clients);
}

doca_error_t softfield_cc_cap_get_max_send_tasks_2_5(const struct doca_devinfo *devinfo,
						     size_t *max_send_tasks)
{
	uint32_t value = 0;
	doca_error_t err = doca_cc_cap_get_max_send_tasks(devinfo, &value);

	return widen(err, value, max_send_tasks);
}

doca_error_t softfield_cc_consumer_cap_get_max_buf_size_2_5(const struct doca_devinfo *devinfo,
							    size_t *max_buf_size)
{
	uint32_t value = 0;
	doca_error_t err = doca_cc_consumer_cap_get_max_buf_size(devinfo, &value);

	return widen(err, value, max_buf_size);
}

doca_error_t softfield_cc_consumer_cap_get_max_log_num_tasks_2_5(const struct doca_devinfo *devinfo,
								 size_t *max_log_num_tasks)
{
	uint32_t value = 0;
	doca_error_t err = doca_cc_consumer_cap_get_max_log_num_tasks(devinfo, &value);

	return widen(err, value, max_log_num_tasks);
}

doca_error_t softfield_cc_producer_cap_get_max_buf_size_2_5(const struct doca_devinfo *devinfo,
							    size_t *max_buf_size)
{
	uint32_t value = 0;
	doca_error_t err = doca_cc_producer_cap_get_max_buf_size(devinfo, &value);

	return widen(err, value, max_buf_size);
}

doca_error_t softfield_cc_producer_cap_get_max_log_num_tasks_2_5(const struct doca_devinfo *devinfo,
								 size_t *max_log_num_tasks)
{
	uint32_t value = 0;
	doca_error_t err = doca_cc_producer_cap_get_max_log_num_tasks(devinfo, &value);

	return widen(err, value, max_log_num_tasks);
}

/*
 * Servers
 */

doca_error_t softfield_cc_server_set_max_msg_size_2_5(struct doca_cc_server *cc_server, size_t size)
{
	return doca_cc_server_set_max_msg_size(cc_server, narrow(size));
}

doca_error_t softfield_cc_server_get_max_msg_size_2_5(const struct doca_cc_server *cc_server,
						      size_t *size)
{
	uint32_t value = 0;
	doca_error_t err = doca_cc_server_get_max_msg_size(cc_server, &value);

	return widen(err, value, size);
}

doca_error_t softfield_cc_server_set_recv_queue_size_2_5(struct doca_cc_server *cc_server,
							 size_t size)
{
	return doca_cc_server_set_recv_queue_size(cc_server, narrow(size));
}

doca_error_t softfield_cc_server_get_recv_queue_size_2_5(const struct doca_cc_server *cc_server,
							 size_t *size)
{
	uint32_t value = 0;
	doca_error_t err = doca_cc_server_get_recv_queue_size(cc_server, &value);

	return widen(err, value, size);
}

/*
 * Clients
 */

doca_error_t softfield_cc_client_set_max_msg_size_2_5(struct doca_cc_client *cc_client, size_t size)
{
	return doca_cc_client_set_max_msg_size(cc_client, narrow(size));
}

doca_error_t softfield_cc_client_get_max_msg_size_2_5(const struct doca_cc_client *cc_client,
						      size_t *size)
{
	uint32_t value = 0;
	doca_error_t err = doca_cc_client_get_max_msg_size(cc_client, &value);

	return widen(err, value, size);
}

doca_error_t softfield_cc_client_set_recv_queue_size_2_5(struct doca_cc_client *cc_client,
							 size_t size)
{
	return doca_cc_client_set_recv_queue_size(cc_client, narrow(size));
}

doca_error_t softfield_cc_client_get_recv_queue_size_2_5(const struct doca_cc_client *cc_client,
							 size_t *size)
{
	uint32_t value = 0;
	doca_error_t err = doca_cc_client_get_recv_queue_size(cc_client, &value);

	return widen(err, value, size);
}
