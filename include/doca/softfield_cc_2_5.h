/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Sizes in doca_cc of release 2.5: they were size_t, where those of 2.6 are uint32_t. doca_cc.h
 * brings it; with DOCA_CC_LEGACY_2_5, it is what the names of 2.6 stand for. Not to be included by
 * programs.
 */
#ifndef SOFTFIELD_CC_2_5_H_
#define SOFTFIELD_CC_2_5_H_

#include <stddef.h>

#include <doca_compat.h>
#include <doca_error.h>

#ifdef __cplusplus
extern "C" {
#endif

struct doca_cc_client;
struct doca_cc_server;
struct doca_devinfo;

/**
 * @brief doca_cc_cap_get_max_msg_size() of release 2.5.
 *
 * @param [in] devinfo the device.
 * @param [out] size see there.
 *
 * @return see doca_cc_cap_get_max_msg_size().
 *
 * Any thread. Source: public programs of that age.
 */
DOCA_EXPERIMENTAL
doca_error_t softfield_cc_cap_get_max_msg_size_2_5(const struct doca_devinfo *devinfo,
						   size_t *size);

/**
 * @brief doca_cc_cap_get_max_recv_queue_size() of release 2.5.
 *
 * @param [in] devinfo the device.
 * @param [out] size see there.
 *
 * @return see doca_cc_cap_get_max_recv_queue_size().
 *
 * Any thread. Source: public programs of that age.
 */
DOCA_EXPERIMENTAL
doca_error_t softfield_cc_cap_get_max_recv_queue_size_2_5(const struct doca_devinfo *devinfo,
							  size_t *size);

/**
 * @brief doca_cc_cap_get_max_clients() of release 2.5.
 *
 * @param [in] devinfo the device.
 * @param [out] num_clients see there.
 *
 * @return see doca_cc_cap_get_max_clients().
 *
 * Any thread. Source: public programs of that age.
 */
DOCA_EXPERIMENTAL
doca_error_t softfield_cc_cap_get_max_clients_2_5(const struct doca_devinfo *devinfo,
						  size_t *num_clients);

/**
 * @brief doca_cc_cap_get_max_send_tasks() of release 2.5.
 *
 * @param [in] devinfo the device.
 * @param [out] max_send_tasks see there.
 *
 * @return see doca_cc_cap_get_max_send_tasks().
 *
 * Any thread. Source: public programs of that age.
 */
DOCA_EXPERIMENTAL
doca_error_t softfield_cc_cap_get_max_send_tasks_2_5(const struct doca_devinfo *devinfo,
						     size_t *max_send_tasks);

/**
 * @brief doca_cc_server_set_max_msg_size() of release 2.5.
 *
 * @param [in] cc_server the server, IDLE.
 * @param [in] size see there.
 *
 * @return see doca_cc_server_set_max_msg_size().
 *
 * Only the thread that drives the context's progress engine. Source: public programs of that age.
 */
DOCA_EXPERIMENTAL
doca_error_t softfield_cc_server_set_max_msg_size_2_5(struct doca_cc_server *cc_server,
						      size_t size);

/**
 * @brief doca_cc_server_get_max_msg_size() of release 2.5.
 *
 * @param [in] cc_server the server.
 * @param [out] size see there.
 *
 * @return see doca_cc_server_get_max_msg_size().
 *
 * Only the thread that drives the context's progress engine. Source: public programs of that age.
 */
DOCA_EXPERIMENTAL
doca_error_t softfield_cc_server_get_max_msg_size_2_5(const struct doca_cc_server *cc_server,
						      size_t *size);

/**
 * @brief doca_cc_server_set_recv_queue_size() of release 2.5.
 *
 * @param [in] cc_server the server, IDLE.
 * @param [in] size see there.
 *
 * @return see doca_cc_server_set_recv_queue_size().
 *
 * Only the thread that drives the context's progress engine. Source: public programs of that age.
 */
DOCA_EXPERIMENTAL
doca_error_t softfield_cc_server_set_recv_queue_size_2_5(struct doca_cc_server *cc_server,
							 size_t size);

/**
 * @brief doca_cc_server_get_recv_queue_size() of release 2.5.
 *
 * @param [in] cc_server the server.
 * @param [out] size see there.
 *
 * @return see doca_cc_server_get_recv_queue_size().
 *
 * Only the thread that drives the context's progress engine. Source: public programs of that age.
 */
DOCA_EXPERIMENTAL
doca_error_t softfield_cc_server_get_recv_queue_size_2_5(const struct doca_cc_server *cc_server,
							 size_t *size);

/**
 * @brief doca_cc_client_set_max_msg_size() of release 2.5.
 *
 * @param [in] cc_client the client, IDLE.
 * @param [in] size see there.
 *
 * @return see doca_cc_client_set_max_msg_size().
 *
 * Only the thread that drives the context's progress engine. Source: public programs of that age.
 */
DOCA_EXPERIMENTAL
doca_error_t softfield_cc_client_set_max_msg_size_2_5(struct doca_cc_client *cc_client,
						      size_t size);

/**
 * @brief doca_cc_client_get_max_msg_size() of release 2.5.
 *
 * @param [in] cc_client the client.
 * @param [out] size see there.
 *
 * @return see doca_cc_client_get_max_msg_size().
 *
 * Only the thread that drives the context's progress engine. Source: public programs of that age.
 */
DOCA_EXPERIMENTAL
doca_error_t softfield_cc_client_get_max_msg_size_2_5(const struct doca_cc_client *cc_client,
						      size_t *size);

/**
 * @brief doca_cc_client_set_recv_queue_size() of release 2.5.
 *
 * @param [in] cc_client the client, IDLE.
 * @param [in] size see there.
 *
 * @return see doca_cc_client_set_recv_queue_size().
 *
 * Only the thread that drives the context's progress engine. Source: public programs of that age.
 */
DOCA_EXPERIMENTAL
doca_error_t softfield_cc_client_set_recv_queue_size_2_5(struct doca_cc_client *cc_client,
							 size_t size);

/**
 * @brief doca_cc_client_get_recv_queue_size() of release 2.5.
 *
 * @param [in] cc_client the client.
 * @param [out] size see there.
 *
 * @return see doca_cc_client_get_recv_queue_size().
 *
 * Only the thread that drives the context's progress engine. Source: public programs of that age.
 */
DOCA_EXPERIMENTAL
doca_error_t softfield_cc_client_get_recv_queue_size_2_5(const struct doca_cc_client *cc_client,
							 size_t *size);

/**
 * @brief doca_cc_consumer_cap_get_max_buf_size() of release 2.5.
 *
 * @param [in] devinfo the device.
 * @param [out] max_buf_size see there.
 *
 * @return see doca_cc_consumer_cap_get_max_buf_size().
 *
 * Any thread. Source: public programs of that age.
 */
DOCA_EXPERIMENTAL
doca_error_t softfield_cc_consumer_cap_get_max_buf_size_2_5(const struct doca_devinfo *devinfo,
							    size_t *max_buf_size);

/**
 * @brief doca_cc_consumer_cap_get_max_log_num_tasks() of release 2.5.
 *
 * @param [in] devinfo the device.
 * @param [out] max_log_num_tasks see there.
 *
 * @return see doca_cc_consumer_cap_get_max_log_num_tasks().
 *
 * Any thread. Source: public programs of that age.
 */
DOCA_EXPERIMENTAL
doca_error_t softfield_cc_consumer_cap_get_max_log_num_tasks_2_5(const struct doca_devinfo *devinfo,
								 size_t *max_log_num_tasks);

/**
 * @brief doca_cc_producer_cap_get_max_buf_size() of release 2.5.
 *
 * @param [in] devinfo the device.
 * @param [out] max_buf_size see there.
 *
 * @return see doca_cc_producer_cap_get_max_buf_size().
 *
 * Any thread. Source: public programs of that age.
 */
DOCA_EXPERIMENTAL
doca_error_t softfield_cc_producer_cap_get_max_buf_size_2_5(const struct doca_devinfo *devinfo,
							    size_t *max_buf_size);

/**
 * @brief doca_cc_producer_cap_get_max_log_num_tasks() of release 2.5.
 *
 * @param [in] devinfo the device.
 * @param [out] max_log_num_tasks see there.
 *
 * @return see doca_cc_producer_cap_get_max_log_num_tasks().
 *
 * Any thread. Source: public programs of that age.
 */
DOCA_EXPERIMENTAL
doca_error_t softfield_cc_producer_cap_get_max_log_num_tasks_2_5(const struct doca_devinfo *devinfo,
								 size_t *max_log_num_tasks);

#ifdef DOCA_CC_LEGACY_2_5

/** Declares a name of 2.6 as what it was in 2.5: a function of the library by another name. */
#define SOFTFIELD_CC_BIND(name, args)                                                              \
	DOCA_EXPERIMENTAL                                                                          \
	doca_error_t doca_cc_##name args __asm__("softfield_cc_" #name "_2_5")

SOFTFIELD_CC_BIND(cap_get_max_msg_size, (const struct doca_devinfo *devinfo, size_t *size));
SOFTFIELD_CC_BIND(cap_get_max_recv_queue_size, (const struct doca_devinfo *devinfo, size_t *size));
SOFTFIELD_CC_BIND(cap_get_max_clients, (const struct doca_devinfo *devinfo, size_t *num_clients));
SOFTFIELD_CC_BIND(cap_get_max_send_tasks,
		  (const struct doca_devinfo *devinfo, size_t *max_send_tasks));
SOFTFIELD_CC_BIND(consumer_cap_get_max_buf_size,
		  (const struct doca_devinfo *devinfo, size_t *max_buf_size));
SOFTFIELD_CC_BIND(consumer_cap_get_max_log_num_tasks,
		  (const struct doca_devinfo *devinfo, size_t *max_log_num_tasks));
SOFTFIELD_CC_BIND(producer_cap_get_max_buf_size,
		  (const struct doca_devinfo *devinfo, size_t *max_buf_size));
SOFTFIELD_CC_BIND(producer_cap_get_max_log_num_tasks,
		  (const struct doca_devinfo *devinfo, size_t *max_log_num_tasks));
SOFTFIELD_CC_BIND(server_set_max_msg_size, (struct doca_cc_server * cc_server, size_t size));
SOFTFIELD_CC_BIND(server_get_max_msg_size, (const struct doca_cc_server *cc_server, size_t *size));
SOFTFIELD_CC_BIND(server_set_recv_queue_size, (struct doca_cc_server * cc_server, size_t size));
SOFTFIELD_CC_BIND(server_get_recv_queue_size,
		  (const struct doca_cc_server *cc_server, size_t *size));
SOFTFIELD_CC_BIND(client_set_max_msg_size, (struct doca_cc_client * cc_client, size_t size));
SOFTFIELD_CC_BIND(client_get_max_msg_size, (const struct doca_cc_client *cc_client, size_t *size));
SOFTFIELD_CC_BIND(client_set_recv_queue_size, (struct doca_cc_client * cc_client, size_t size));
SOFTFIELD_CC_BIND(client_get_recv_queue_size,
		  (const struct doca_cc_client *cc_client, size_t *size));

#endif

#ifdef __cplusplus
} /* extern "C" */
#endif

#endif /* SOFTFIELD_CC_2_5_H_ */
