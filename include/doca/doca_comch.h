/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Communication channel between host and DPU: servers, clients, and messages between them.
 *
 * A server (DPU side) has a name on the representor of a host function. Clients (host side) on
 * that function connect to it by the name. A connection carries messages both ways: reliable, in
 * order, each as a whole. Large data goes by consumers and producers, which are made on a
 * connection (doca_comch_consumer.h, doca_comch_producer.h).
 *
 * To end: stop consumers and producers and destroy them when they are IDLE, then stop the client
 * or the server, which closes its connections.
 */
#ifndef DOCA_COMCH_H_
#define DOCA_COMCH_H_

#include <stddef.h>
#include <stdint.h>

#include <doca_compat.h>
#include <doca_ctx.h> /* programs count on this and doca_pe.h */
#include <doca_error.h>
#include <doca_pe.h>
#include <doca_types.h>
#include <softfield_inline.h>

#ifdef __cplusplus
extern "C" {
#endif

struct doca_ctx;
struct doca_dev;
struct doca_dev_rep;
struct doca_devinfo;
struct doca_task;

/** A server; doca_comch_server_as_ctx(). */
struct doca_comch_server;

/** A client; doca_comch_client_as_ctx(). */
struct doca_comch_client;

/** A connection between a server and a client, as one of the two sees it. */
struct doca_comch_connection;

/** Task: send a message. */
struct doca_comch_task_send;

/** Event: a message has come. Carries no data of its own. */
struct doca_comch_event_msg_recv;

/** Event: a client has come or gone. Carries no data of its own. */
struct doca_comch_event_connection_status_changed;

/** Event: the peer has made or destroyed a consumer. Carries no data of its own. */
struct doca_comch_event_consumer;

/** What doca_comch_connection_get_counter() counts. */
enum doca_comch_counter {
	DOCA_COMCH_COUNTER_SENT_MESSAGES = 1,
	DOCA_COMCH_COUNTER_SENT_BYTES = 2,
	DOCA_COMCH_COUNTER_RECV_MESSAGES = 3,
	DOCA_COMCH_COUNTER_RECV_BYTES = 4,
};

/** doca_task_completion_cb_t for this task. */
typedef void (*doca_comch_task_send_completion_cb_t)(struct doca_comch_task_send *task,
						     union doca_data task_user_data,
						     union doca_data ctx_user_data);

/**
 * Tells that a message has come: once for each, in the order they were sent.
 *
 * Called inside doca_pe_progress(). Sending, disconnecting, stopping and making consumers and
 * producers are allowed in it.
 *
 * @param [in] event the event.
 * @param [in] recv_buffer the message; valid, and the callback's to change, during the call only.
 * @param [in] msg_len bytes in it, at least 1.
 * @param [in] comch_connection the connection it came by.
 */
typedef void (*doca_comch_event_msg_recv_cb_t)(struct doca_comch_event_msg_recv *event,
					       uint8_t *recv_buffer, uint32_t msg_len,
					       struct doca_comch_connection *comch_connection);

/**
 * Tells a server that a client has come or gone. Called inside doca_pe_progress().
 *
 * As the connect callback: the connection can be used at once, also to refuse the client by
 * doca_comch_server_disconnect(). As the disconnect callback: once for each connection that was
 * told, for whatever reason it ends; the pointer is invalid once the callback has returned.
 *
 * @param [in] event the event.
 * @param [in] comch_connection the connection.
 * @param [in] change_successful 1; 0: a client has failed to connect, and the pointer identifies
 *        it only.
 */
typedef void (*doca_comch_event_connection_status_changed_cb_t)(
	struct doca_comch_event_connection_status_changed *event,
	struct doca_comch_connection *comch_connection, uint8_t change_successful);

/**
 * Tells that the peer of a connection has a new consumer, or that one has gone. Called inside
 * doca_pe_progress().
 *
 * @param [in] event the event.
 * @param [in] comch_connection the connection.
 * @param [in] id the consumer, for doca_comch_producer_task_send_alloc_init(); never 0, never
 *        0xffff.
 */
typedef void (*doca_comch_event_consumer_cb_t)(struct doca_comch_event_consumer *event,
					       struct doca_comch_connection *comch_connection,
					       uint32_t id);

/*
 * Capabilities
 */

/**
 * @brief Whether a device can have servers: those of the DPU side can.
 *
 * @param [in] devinfo the device.
 *
 * @return DOCA_SUCCESS: it can, or
 * - DOCA_ERROR_INVALID_VALUE: devinfo is NULL
 * - DOCA_ERROR_NOT_SUPPORTED: it is a device of the host
 *
 * Any thread. Source: spec comch 1.
 */
DOCA_STABLE
doca_error_t doca_comch_cap_server_is_supported(const struct doca_devinfo *devinfo);

/**
 * @brief Whether a device can have clients: those of the host can.
 *
 * @param [in] devinfo the device.
 *
 * @return DOCA_SUCCESS: it can, or
 * - DOCA_ERROR_INVALID_VALUE: devinfo is NULL
 * - DOCA_ERROR_NOT_SUPPORTED: it is a device of the DPU side
 *
 * Any thread. Source: spec comch 1.
 */
DOCA_STABLE
doca_error_t doca_comch_cap_client_is_supported(const struct doca_devinfo *devinfo);

/**
 * @brief Longest name of a server.
 *
 * @param [in] devinfo the device.
 * @param [out] max_name_len bytes, NUL included.
 *
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL
 *
 * Any thread. Source: spec comch 2.
 */
DOCA_STABLE
doca_error_t doca_comch_cap_get_max_name_len(const struct doca_devinfo *devinfo,
					     uint32_t *max_name_len);

/**
 * @brief Largest message that can be configured.
 *
 * @param [in] devinfo the device.
 * @param [out] size bytes.
 *
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL
 *
 * Any thread. Source: spec comch 2.
 */
DOCA_STABLE
doca_error_t doca_comch_cap_get_max_msg_size(const struct doca_devinfo *devinfo, uint32_t *size);

/**
 * @brief Largest receive queue that can be configured.
 *
 * @param [in] devinfo the device.
 * @param [out] size messages.
 *
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL
 *
 * Any thread. Source: spec comch 2.
 */
DOCA_STABLE
doca_error_t doca_comch_cap_get_max_recv_queue_size(const struct doca_devinfo *devinfo,
						    uint32_t *size);

/**
 * @brief How many clients a server can have at a time.
 *
 * @param [in] devinfo the device.
 * @param [out] num_clients the number.
 *
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL
 *
 * Any thread. Source: spec comch 2.
 */
DOCA_STABLE
doca_error_t doca_comch_cap_get_max_clients(const struct doca_devinfo *devinfo,
					    uint32_t *num_clients);

/**
 * @brief How many send tasks a server or a client can be configured with.
 *
 * @param [in] devinfo the device.
 * @param [out] max_send_tasks the number.
 *
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL
 *
 * Any thread. Source: spec comch 2.
 */
DOCA_STABLE
doca_error_t doca_comch_cap_get_max_send_tasks(const struct doca_devinfo *devinfo,
					       uint32_t *max_send_tasks);

/*
 * Server and client
 */

/**
 * @brief Creates a server for the clients on one host function.
 *
 * Mandatory before doca_ctx_start(): the send task, the receive event, the connect and disconnect
 * events. The start is done at once; it answers DOCA_ERROR_IN_USE when that representor has a
 * server of that name, DOCA_ERROR_BAD_STATE when something mandatory is missing, and
 * DOCA_ERROR_NOT_SUPPORTED on a host device.
 *
 * @param [in] dev a device of the DPU side. It and the representor must stay open as long as the
 *        server exists.
 * @param [in] repr the representor of the host function.
 * @param [in] name the name, 1 byte or more and at most doca_comch_cap_get_max_name_len() with its
 *        NUL. Copied.
 * @param [out] comch_server the server; give it back with doca_comch_server_destroy().
 *
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL, the name is empty or too long, or the
 *   representor is not one of the device
 * - DOCA_ERROR_NO_MEMORY: no memory for the object
 * - DOCA_ERROR_INITIALIZATION: on a card only, never here
 *
 * Any thread. Source: spec comch 1, 3, seed 003.
 */
DOCA_STABLE
doca_error_t doca_comch_server_create(struct doca_dev *dev, struct doca_dev_rep *repr,
				      const char *name, struct doca_comch_server **comch_server);

/**
 * @brief Creates a client of a server.
 *
 * Mandatory before doca_ctx_start(): the send task and the receive event. The start needs the
 * server: STARTING, then RUNNING when the connection stands. It becomes IDLE instead when there is
 * no such server (at once, or after the time that SOFTFIELD_CONNECT_WAIT gives), the server
 * refuses, or the message sizes differ. When the connection is lost the client goes to STOPPING
 * and IDLE by itself.
 *
 * @param [in] dev a device of the host; the server must be on a representor of it. It must stay
 *        open as long as the client exists.
 * @param [in] name name of the server. Copied.
 * @param [out] comch_client the client; give it back with doca_comch_client_destroy().
 *
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL, or the name is empty or too long
 * - DOCA_ERROR_NO_MEMORY: no memory for the object
 * - DOCA_ERROR_INITIALIZATION: on a card only, never here
 *
 * Any thread. Source: spec comch 1, 3, seed 003.
 */
DOCA_STABLE
doca_error_t doca_comch_client_create(struct doca_dev *dev, const char *name,
				      struct doca_comch_client **comch_client);

/**
 * @brief Destroys a server. Its connection pointers are invalid afterwards. Allowed in callbacks.
 *
 * @param [in] comch_server the server, IDLE.
 *
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: comch_server is NULL
 * - DOCA_ERROR_IN_USE: the server is not IDLE; nothing has happened
 *
 * Only the thread that drives the context's progress engine. Source: spec comch 3.
 */
DOCA_STABLE
doca_error_t doca_comch_server_destroy(struct doca_comch_server *comch_server);

/**
 * @brief Destroys a client. Its connection pointers are invalid afterwards. Allowed in callbacks.
 *
 * @param [in] comch_client the client, IDLE.
 *
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: comch_client is NULL
 * - DOCA_ERROR_IN_USE: the client is not IDLE; nothing has happened
 *
 * Only the thread that drives the context's progress engine. Source: spec comch 3.
 */
DOCA_STABLE
doca_error_t doca_comch_client_destroy(struct doca_comch_client *comch_client);

/**
 * @brief Server as a struct doca_ctx, for doca_ctx_start() and the other doca_ctx_*() functions.
 *
 * @param [in] comch_server the server.
 *
 * @return the same object; NULL when it is NULL.
 *
 * Any thread. Source: spec comch 3.
 */
DOCA_STABLE
struct doca_ctx *doca_comch_server_as_ctx(struct doca_comch_server *comch_server);

/**
 * @brief Sets the size of the largest message, both ways. Server and client must have the same.
 *
 * Without this call: doca_comch_cap_get_max_msg_size().
 *
 * @param [in] comch_server the server, IDLE.
 * @param [in] size bytes, 1 to doca_comch_cap_get_max_msg_size().
 *
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: comch_server is NULL, or the size is out of range
 * - DOCA_ERROR_BAD_STATE: the server is not IDLE
 *
 * Only the thread that drives the context's progress engine. Source: spec comch 2.
 */
DOCA_STABLE
doca_error_t doca_comch_server_set_max_msg_size(struct doca_comch_server *comch_server,
						uint32_t size);

/**
 * @brief What doca_comch_server_set_max_msg_size() has set, in any state.
 *
 * @param [in] comch_server the server.
 * @param [out] size bytes.
 *
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL
 * - DOCA_ERROR_BAD_STATE: on a card only, never here
 *
 * Only the thread that drives the context's progress engine. Source: spec comch 3.
 */
DOCA_STABLE
doca_error_t doca_comch_server_get_max_msg_size(const struct doca_comch_server *comch_server,
						uint32_t *size);

/**
 * @brief Sets how many messages can wait for the server. What comes then waits at the sender.
 *
 * @param [in] comch_server the server, IDLE.
 * @param [in] size messages, 1 to doca_comch_cap_get_max_recv_queue_size(); rounded up.
 *
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: comch_server is NULL, or the number is out of range
 * - DOCA_ERROR_BAD_STATE: the server is not IDLE
 *
 * Only the thread that drives the context's progress engine. Source: spec comch 2.
 */
DOCA_STABLE
doca_error_t doca_comch_server_set_recv_queue_size(struct doca_comch_server *comch_server,
						   uint32_t size);

/**
 * @brief What doca_comch_server_set_recv_queue_size() has set, in any state.
 *
 * @param [in] comch_server the server.
 * @param [out] size messages.
 *
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL
 *
 * Only the thread that drives the context's progress engine. Source: spec comch 3.
 */
DOCA_STABLE
doca_error_t doca_comch_server_get_recv_queue_size(const struct doca_comch_server *comch_server,
						   uint32_t *size);

/**
 * @brief The device of a server, in any state.
 *
 * @param [in] comch_server the server.
 * @param [out] dev the device; no reference is taken.
 *
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL
 * - DOCA_ERROR_BAD_STATE: on a card only, never here
 *
 * Only the thread that drives the context's progress engine. Source: spec comch 3.
 */
DOCA_STABLE
doca_error_t doca_comch_server_get_device(const struct doca_comch_server *comch_server,
					  struct doca_dev **dev);

/**
 * @brief Client as a struct doca_ctx, for doca_ctx_start() and the other doca_ctx_*() functions.
 *
 * @param [in] comch_client the client.
 *
 * @return the same object; NULL when it is NULL.
 *
 * Any thread. Source: spec comch 3.
 */
DOCA_STABLE
struct doca_ctx *doca_comch_client_as_ctx(struct doca_comch_client *comch_client);

/**
 * @brief Sets the size of the largest message, both ways. Server and client must have the same.
 *
 * Without this call: doca_comch_cap_get_max_msg_size().
 *
 * @param [in] comch_client the client, IDLE.
 * @param [in] size bytes, 1 to doca_comch_cap_get_max_msg_size().
 *
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: comch_client is NULL, or the size is out of range
 * - DOCA_ERROR_BAD_STATE: the client is not IDLE
 *
 * Only the thread that drives the context's progress engine. Source: spec comch 2.
 */
DOCA_STABLE
doca_error_t doca_comch_client_set_max_msg_size(struct doca_comch_client *comch_client,
						uint32_t size);

/**
 * @brief What doca_comch_client_set_max_msg_size() has set, in any state.
 *
 * @param [in] comch_client the client.
 * @param [out] size bytes.
 *
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL
 * - DOCA_ERROR_BAD_STATE: on a card only, never here
 *
 * Only the thread that drives the context's progress engine. Source: spec comch 3.
 */
DOCA_STABLE
doca_error_t doca_comch_client_get_max_msg_size(const struct doca_comch_client *comch_client,
						uint32_t *size);

/**
 * @brief Sets how many messages can wait for the client. What comes then waits at the sender.
 *
 * @param [in] comch_client the client, IDLE.
 * @param [in] size messages, 1 to doca_comch_cap_get_max_recv_queue_size(); rounded up.
 *
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: comch_client is NULL, or the number is out of range
 * - DOCA_ERROR_BAD_STATE: the client is not IDLE
 *
 * Only the thread that drives the context's progress engine. Source: spec comch 2.
 */
DOCA_STABLE
doca_error_t doca_comch_client_set_recv_queue_size(struct doca_comch_client *comch_client,
						   uint32_t size);

/**
 * @brief What doca_comch_client_set_recv_queue_size() has set, in any state.
 *
 * @param [in] comch_client the client.
 * @param [out] size messages.
 *
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL
 *
 * Only the thread that drives the context's progress engine. Source: spec comch 3.
 */
DOCA_STABLE
doca_error_t doca_comch_client_get_recv_queue_size(const struct doca_comch_client *comch_client,
						   uint32_t *size);

/**
 * @brief The device of a client, in any state.
 *
 * @param [in] comch_client the client.
 * @param [out] dev the device; no reference is taken.
 *
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL
 * - DOCA_ERROR_BAD_STATE: on a card only, never here
 *
 * Only the thread that drives the context's progress engine. Source: spec comch 3.
 */
DOCA_STABLE
doca_error_t doca_comch_client_get_device(const struct doca_comch_client *comch_client,
					  struct doca_dev **dev);

/**
 * @brief The representor of a server, in any state.
 *
 * @param [in] comch_server the server.
 * @param [out] rep the representor; no reference is taken.
 *
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL
 * - DOCA_ERROR_BAD_STATE: on a card only, never here
 *
 * Only the thread that drives the context's progress engine. Source: spec comch 3.
 */
DOCA_STABLE
doca_error_t doca_comch_server_get_device_rep(const struct doca_comch_server *comch_server,
					      struct doca_dev_rep **rep);

/**
 * @brief doca_comch_server_get_device_rep() in release 2.7.
 *
 * @param [in] comch_server see doca_comch_server_get_device_rep().
 * @param [out] repr see doca_comch_server_get_device_rep().
 *
 * @return see doca_comch_server_get_device_rep().
 *
 * Only the thread that drives the context's progress engine. Source: spec comch 8.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_comch_server_get_device_repr(const struct doca_comch_server *comch_server,
					       struct doca_dev_rep **repr);

/*
 * Events
 */

/**
 * @brief Registers the callback for messages. Mandatory before doca_ctx_start().
 *
 * @param [in] comch_server the server, IDLE.
 * @param [in] recv_event_cb the callback.
 *
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL
 * - DOCA_ERROR_BAD_STATE: the server is not IDLE
 *
 * Only the thread that drives the context's progress engine. Source: spec comch 3, 4.
 */
DOCA_STABLE
doca_error_t
doca_comch_server_event_msg_recv_register(struct doca_comch_server *comch_server,
					  doca_comch_event_msg_recv_cb_t recv_event_cb);

/**
 * @brief Registers the callbacks for the peers' consumers. Optional: without them, nobody is told.
 *
 * @param [in] comch_server the server, IDLE.
 * @param [in] new_consumer_event_cb called for each new one.
 * @param [in] expired_consumer_event_cb called for each that has gone, also for those that go with
 *        their connection, ahead of the event of that.
 *
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL
 * - DOCA_ERROR_BAD_STATE: the server is not IDLE
 *
 * Only the thread that drives the context's progress engine. Source: spec comch 3, 6.
 */
DOCA_STABLE
doca_error_t
doca_comch_server_event_consumer_register(struct doca_comch_server *comch_server,
					  doca_comch_event_consumer_cb_t new_consumer_event_cb,
					  doca_comch_event_consumer_cb_t expired_consumer_event_cb);

/**
 * @brief Registers the callback for messages. Mandatory before doca_ctx_start().
 *
 * @param [in] comch_client the client, IDLE.
 * @param [in] recv_event_cb the callback.
 *
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL
 * - DOCA_ERROR_BAD_STATE: the client is not IDLE
 *
 * Only the thread that drives the context's progress engine. Source: spec comch 3, 4.
 */
DOCA_STABLE
doca_error_t
doca_comch_client_event_msg_recv_register(struct doca_comch_client *comch_client,
					  doca_comch_event_msg_recv_cb_t recv_event_cb);

/**
 * @brief Registers the callbacks for the peers' consumers. Optional: without them, nobody is told.
 *
 * @param [in] comch_client the client, IDLE.
 * @param [in] new_consumer_event_cb called for each new one.
 * @param [in] expired_consumer_event_cb called for each that has gone, also for those that go with
 *        their connection, ahead of the event of that.
 *
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL
 * - DOCA_ERROR_BAD_STATE: the client is not IDLE
 *
 * Only the thread that drives the context's progress engine. Source: spec comch 3, 6.
 */
DOCA_STABLE
doca_error_t
doca_comch_client_event_consumer_register(struct doca_comch_client *comch_client,
					  doca_comch_event_consumer_cb_t new_consumer_event_cb,
					  doca_comch_event_consumer_cb_t expired_consumer_event_cb);

/**
 * @brief Registers the callbacks for clients that come and go. Mandatory before doca_ctx_start().
 *
 * @param [in] comch_server the server, IDLE.
 * @param [in] connect_event_cb called for each that comes.
 * @param [in] disconnect_event_cb called for each that goes.
 *
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL
 * - DOCA_ERROR_BAD_STATE: the server is not IDLE
 *
 * Only the thread that drives the context's progress engine. Source: spec comch 3.
 */
DOCA_STABLE
doca_error_t doca_comch_server_event_connection_status_changed_register(
	struct doca_comch_server *comch_server,
	doca_comch_event_connection_status_changed_cb_t connect_event_cb,
	doca_comch_event_connection_status_changed_cb_t disconnect_event_cb);

/**
 * @brief doca_comch_server_event_connection_status_changed_register() in release 2.7.
 *
 * @param [in] comch_server see doca_comch_server_event_connection_status_changed_register().
 * @param [in] connect_event_cb see there.
 * @param [in] disconnect_event_cb see there.
 *
 * @return see doca_comch_server_event_connection_status_changed_register().
 *
 * Only the thread that drives the context's progress engine. Source: spec comch 8.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_comch_server_event_connection_register(
	struct doca_comch_server *comch_server,
	doca_comch_event_connection_status_changed_cb_t connect_event_cb,
	doca_comch_event_connection_status_changed_cb_t disconnect_event_cb);

/*
 * Sending
 */

/**
 * @brief Enables the send task. Mandatory before doca_ctx_start().
 *
 * @param [in] comch_server the server, IDLE.
 * @param [in] task_completion_cb called for tasks that succeed.
 * @param [in] task_error_cb called for tasks that fail.
 * @param [in] num_send_tasks how many can be allocated at a time, 1 to
 *        doca_comch_cap_get_max_send_tasks().
 *
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: a pointer is NULL, or the number is out of range
 * - DOCA_ERROR_BAD_STATE: the server is not IDLE
 *
 * Only the thread that drives the context's progress engine. Source: spec comch 3.
 */
DOCA_STABLE
doca_error_t
doca_comch_server_task_send_set_conf(struct doca_comch_server *comch_server,
				     doca_comch_task_send_completion_cb_t task_completion_cb,
				     doca_comch_task_send_completion_cb_t task_error_cb,
				     uint32_t num_send_tasks);

/**
 * @brief Allocates a task that sends a message.
 *
 * It can always be submitted: without room at the peer it waits, and comes back when the message
 * is in the peer's queue. That says nothing about the peer's callback. Status in the error
 * callback: DOCA_ERROR_CONNECTION_RESET when the connection is closed or lost before.
 *
 * @param [in] comch_server the server, RUNNING.
 * @param [in] peer a connection of the server.
 * @param [in] msg the message, any memory. It must not change before the task comes back.
 * @param [in] len bytes in it, 1 to the configured maximum.
 * @param [out] task the task, user data zero; give it back with doca_task_free().
 *
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: a pointer is NULL, len is out of range, or peer is closed or
 *   another's
 * - DOCA_ERROR_BAD_STATE: the server is not RUNNING
 * - DOCA_ERROR_NO_MEMORY: all num_send_tasks tasks are in use
 *
 * Only the thread that drives the context's progress engine. Source: spec comch 4.
 */
DOCA_STABLE
doca_error_t doca_comch_server_task_send_alloc_init(struct doca_comch_server *comch_server,
						    struct doca_comch_connection *peer,
						    const void *msg, uint32_t len,
						    struct doca_comch_task_send **task);

/**
 * @brief Enables the send task. Mandatory before doca_ctx_start().
 *
 * @param [in] comch_client the client, IDLE.
 * @param [in] task_completion_cb called for tasks that succeed.
 * @param [in] task_error_cb called for tasks that fail.
 * @param [in] num_send_tasks how many can be allocated at a time, 1 to
 *        doca_comch_cap_get_max_send_tasks().
 *
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: a pointer is NULL, or the number is out of range
 * - DOCA_ERROR_BAD_STATE: the client is not IDLE
 *
 * Only the thread that drives the context's progress engine. Source: spec comch 3.
 */
DOCA_STABLE
doca_error_t
doca_comch_client_task_send_set_conf(struct doca_comch_client *comch_client,
				     doca_comch_task_send_completion_cb_t task_completion_cb,
				     doca_comch_task_send_completion_cb_t task_error_cb,
				     uint32_t num_send_tasks);

/**
 * @brief Allocates a task that sends a message.
 *
 * It can always be submitted: without room at the peer it waits, and comes back when the message
 * is in the peer's queue. That says nothing about the peer's callback. Status in the error
 * callback: DOCA_ERROR_CONNECTION_RESET when the connection is closed or lost before.
 *
 * @param [in] comch_client the client, RUNNING.
 * @param [in] peer a connection of the client.
 * @param [in] msg the message, any memory. It must not change before the task comes back.
 * @param [in] len bytes in it, 1 to the configured maximum.
 * @param [out] task the task, user data zero; give it back with doca_task_free().
 *
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: a pointer is NULL, len is out of range, or peer is closed or
 *   another's
 * - DOCA_ERROR_BAD_STATE: the client is not RUNNING
 * - DOCA_ERROR_NO_MEMORY: all num_send_tasks tasks are in use
 *
 * Only the thread that drives the context's progress engine. Source: spec comch 4.
 */
DOCA_STABLE
doca_error_t doca_comch_client_task_send_alloc_init(struct doca_comch_client *comch_client,
						    struct doca_comch_connection *peer,
						    const void *msg, uint32_t len,
						    struct doca_comch_task_send **task);

/**
 * @brief The task as a struct doca_task, for doca_task_submit() and the other doca_task_*()
 * functions.
 *
 * @param [in] task the task.
 *
 * @return the same object.
 *
 * Any thread. Source: spec core 5.
 */
DOCA_STABLE
struct doca_task *doca_comch_task_send_as_task(struct doca_comch_task_send *task);

/*
 * Connections
 */

/**
 * @brief The connection of a client, from the callback that reports RUNNING until the client is
 * IDLE.
 *
 * @param [in] comch_client the client, RUNNING or STOPPING.
 * @param [out] connection the connection; it lives until the client is IDLE.
 *
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL
 * - DOCA_ERROR_BAD_STATE: the client is neither RUNNING nor STOPPING
 *
 * Only the thread that drives the context's progress engine. Source: spec comch 3.
 */
DOCA_STABLE
doca_error_t doca_comch_client_get_connection(const struct doca_comch_client *comch_client,
					      struct doca_comch_connection **connection);

/**
 * @brief Closes a connection. Messages that were submitted before still go out.
 *
 * The disconnect callback follows from doca_pe_progress(). Allowed in callbacks, also in the
 * connect callback of this connection.
 *
 * @param [in] comch_server the server.
 * @param [in] connection a connection of it.
 *
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL, or the connection is closed or another server's
 * - DOCA_ERROR_IN_USE: a consumer or producer of this side is on it and not IDLE; nothing has
 *   happened
 * - DOCA_ERROR_AGAIN: on a card only, never here
 *
 * Only the thread that drives the context's progress engine. Source: spec comch 3, 5.
 */
DOCA_STABLE
doca_error_t doca_comch_server_disconnect(struct doca_comch_server *comch_server,
					  struct doca_comch_connection *connection);

/**
 * @brief Stores a value of the program's own with a connection.
 *
 * @param [in] connection the connection.
 * @param [in] user_data the value.
 *
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: connection is NULL
 *
 * Only the thread that drives the progress engine of the connection's server or client. Source:
 * spec comch 3.
 */
DOCA_STABLE
doca_error_t doca_comch_connection_set_user_data(struct doca_comch_connection *connection,
						 union doca_data user_data);

/**
 * @brief What doca_comch_connection_set_user_data() has stored; zero before.
 *
 * @param [in] connection the connection.
 *
 * @return the value; zero when connection is NULL.
 *
 * Only the thread that drives the progress engine of the connection's server or client. Source:
 * spec comch 3.
 */
DOCA_STABLE
union doca_data doca_comch_connection_get_user_data(const struct doca_comch_connection *connection);

/**
 * @brief The server of a connection.
 *
 * @param [in] connection the connection.
 *
 * @return the server; NULL when connection is a client's, or NULL.
 *
 * Only the thread that drives the progress engine of the connection's server or client. Source:
 * spec comch 3.
 */
DOCA_STABLE
struct doca_comch_server *
doca_comch_server_get_server_ctx(const struct doca_comch_connection *connection);

/**
 * @brief The client of a connection.
 *
 * @param [in] connection the connection.
 *
 * @return the client; NULL when connection is a server's, or NULL.
 *
 * Only the thread that drives the progress engine of the connection's server or client. Source:
 * spec comch 3.
 */
DOCA_STABLE
struct doca_comch_client *
doca_comch_client_get_client_ctx(const struct doca_comch_connection *connection);

/**
 * @brief Takes a snapshot of the counters of a connection.
 *
 * @param [in] comch_connection the connection.
 *
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: comch_connection is NULL
 * - DOCA_ERROR_CONNECTION_INPROGRESS: the connection does not stand yet
 * - DOCA_ERROR_CONNECTION_ABORTED: the connection is closed
 *
 * Only the thread that drives the progress engine of the connection's server or client. Source:
 * spec comch 3.
 */
DOCA_STABLE
doca_error_t doca_comch_connection_update_info(struct doca_comch_connection *comch_connection);

/**
 * @brief Reads a counter of the last snapshot; 0 before the first one.
 *
 * Messages and bytes of tasks that have succeeded, and of messages that were told.
 *
 * @param [in] comch_connection the connection.
 * @param [in] counter_type which.
 * @param [out] counter_value its value.
 *
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: a pointer is NULL, or there is no such counter
 *
 * Only the thread that drives the progress engine of the connection's server or client. Source:
 * spec comch 3.
 */
DOCA_STABLE
doca_error_t doca_comch_connection_get_counter(const struct doca_comch_connection *comch_connection,
					       enum doca_comch_counter counter_type,
					       uint64_t *counter_value);

#ifdef SOFTFIELD_INLINE

SOFTFIELD_CALLED(struct doca_task *, doca_comch_task_send_as_task,
		 (struct doca_comch_task_send * task));

SOFTFIELD_INLINE struct doca_task *doca_comch_task_send_as_task(struct doca_comch_task_send *task)
{
	void *same = task; /* of which no compiler warns: -Wstrict-aliasing=1 */

	if (SOFTFIELD_INTERPOSED)
		return softfield_called_doca_comch_task_send_as_task(task);
	return SOFTFIELD_CAST(struct doca_task *, same);
}

#endif /* SOFTFIELD_INLINE */

#ifdef __cplusplus
} /* extern "C" */
#endif

#endif /* DOCA_COMCH_H_ */
