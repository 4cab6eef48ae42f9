/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Comm channel: messages between host and DPU, as releases 1.2 to 2.8 had them, without contexts.
 *
 * An endpoint is a service (DPU side) or a client of one (host side). There are two forms of it.
 * The late one (1.5 to 2.8) is what programs get; the early one (1.2 to 1.4) differs in
 * doca_comm_channel_ep_create(), where the number of arguments chooses; with
 * DOCA_COMM_CHANNEL_LEGACY_1_4 there is no other. New programs use doca_comch.h.
 */
#ifndef DOCA_COMM_CHANNEL_H_
#define DOCA_COMM_CHANNEL_H_

#include <stddef.h>
#include <stdint.h>

#include <doca_compat.h>
#include <doca_dev.h>
#include <doca_error.h>
#include <doca_types.h>

#ifdef __cplusplus
extern "C" {
#endif

struct doca_dev;
struct doca_dev_rep;
struct doca_devinfo;

/** An endpoint: a service, or a client of one. */
struct doca_comm_channel_ep_t;

/** A peer: a connection of an endpoint. */
struct doca_comm_channel_addr_t;

/** A descriptor to wait on. */
typedef doca_event_handle_t doca_event_channel_t;

/** Flags of doca_comm_channel_ep_sendto() and doca_comm_channel_ep_recvfrom(). */
enum doca_comm_channel_msg_flags {
	DOCA_CC_MSG_FLAG_NONE = 0,
	DOCA_CC_MSG_FLAG_DONTWAIT = 1, /**< early form: do not block */
	DOCA_CC_MSG_FLAG_MORE = 2,     /**< early form: never supported */
};

/** Flags of struct doca_comm_channel_init_attr. */
enum doca_comm_channel_init_flags {
	DOCA_CC_INIT_FLAG_NONBLOCK = 1, /**< no call on the endpoint blocks */
	DOCA_COMM_CHANNEL_INIT_FLAG_NONBLOCK = 1,
};

/** Early form: what an endpoint is created with. */
struct doca_comm_channel_init_attr {
	uint32_t cookie;  /**< the program's own; what polling the event channel gives back */
	uint32_t flags;	  /**< 0 or DOCA_CC_INIT_FLAG_NONBLOCK */
	uint32_t maxmsgs; /**< messages in a queue, up to 8191; fewer than 16 are raised to 16 */
	uint32_t msgsize; /**< bytes of the largest message, up to 4080; less than 256 is raised to
			     256 */
};

/** Early form: what is known of a peer. */
struct doca_comm_channel_peer_addr_info {
	uint16_t vport;	   /**< number of the peer's function on its card */
	uint32_t msgsize;  /**< bytes of the largest message */
	uint32_t maxmsgs;  /**< messages in a queue */
	uint32_t curmsgs;  /**< sent, and not yet taken by the peer */
	uint64_t rx_msgs;  /**< received */
	uint64_t tx_msgs;  /**< sent */
	uint64_t rx_bytes; /**< received */
	uint64_t tx_bytes; /**< sent */
};

/*
 * Capabilities
 */

/**
 * @brief Longest name of a service.
 *
 * @param [out] max_service_name_len bytes, NUL included.
 *
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: max_service_name_len is NULL
 *
 * Any thread. Source: spec comch 2, 8.1.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_comm_channel_get_max_service_name_len(uint32_t *max_service_name_len);

/**
 * @brief Largest message that can be configured.
 *
 * @param [in] devinfo the device.
 * @param [out] max_message_size bytes.
 *
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL
 *
 * Any thread. Source: spec comch 8.1.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_comm_channel_get_max_message_size(struct doca_devinfo *devinfo,
						    uint32_t *max_message_size);

/**
 * @brief Largest send queue that can be configured.
 *
 * @param [in] devinfo the device.
 * @param [out] max_send_queue_size messages.
 *
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL
 *
 * Any thread. Source: spec comch 8.1.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_comm_channel_get_max_send_queue_size(struct doca_devinfo *devinfo,
						       uint32_t *max_send_queue_size);

/**
 * @brief Largest receive queue that can be configured.
 *
 * @param [in] devinfo the device.
 * @param [out] max_recv_queue_size messages.
 *
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL
 *
 * Any thread. Source: spec comch 8.1.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_comm_channel_get_max_recv_queue_size(struct doca_devinfo *devinfo,
						       uint32_t *max_recv_queue_size);

/**
 * @brief How many clients a service can have at a time.
 *
 * @param [in] devinfo the device.
 * @param [out] max_num_connections the number.
 *
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL
 *
 * Any thread. Source: spec comch 8.1.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_comm_channel_get_service_max_num_connections(struct doca_devinfo *devinfo,
							       uint32_t *max_num_connections);

/*
 * Creation
 */

/**
 * @brief doca_comm_channel_ep_create() of releases 1.2 to 1.4: what that name stands for with two
 * arguments, and always when DOCA_COMM_CHANNEL_LEGACY_1_4 is defined.
 *
 * The endpoint blocks, unless attr->flags says that it does not. It chooses the device by itself:
 * a client takes the first one of the host, a service listens for all functions of the host.
 *
 * @param [in] attr the properties. Not kept.
 * @param [out] ep the endpoint; give it back with doca_comm_channel_ep_destroy().
 *
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL, a size is too large, or flags has unknown bits
 * - DOCA_ERROR_NO_MEMORY: no memory for the object
 * - DOCA_ERROR_NOT_FOUND: there is no device
 *
 * Any thread. Source: seed 002, spec comch 8.2.
 */
DOCA_EXPERIMENTAL
doca_error_t softfield_comm_channel_ep_create_1_4(struct doca_comm_channel_init_attr *attr,
						  struct doca_comm_channel_ep_t **ep);

#ifdef DOCA_COMM_CHANNEL_LEGACY_1_4

/**
 * @brief softfield_comm_channel_ep_create_1_4().
 *
 * @param [in] attr see there.
 * @param [out] ep see there.
 *
 * @return see there.
 *
 * Any thread. Source: seed 002, spec comch 8.2.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_comm_channel_ep_create(
	struct doca_comm_channel_init_attr *attr,
	struct doca_comm_channel_ep_t **ep) __asm__("softfield_comm_channel_ep_create_1_4");

#else

/**
 * @brief Creates an endpoint. No call on it blocks but doca_comm_channel_ep_disconnect() and
 * doca_comm_channel_ep_destroy().
 *
 * It needs a device, and as a service a representor, before it can listen or connect.
 *
 * @param [out] ep the endpoint; give it back with doca_comm_channel_ep_destroy().
 *
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: ep is NULL
 * - DOCA_ERROR_NO_MEMORY: no memory for the object
 *
 * Any thread. Source: spec comch 8.1.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_comm_channel_ep_create(struct doca_comm_channel_ep_t **ep);

#endif

/**
 * @brief Destroys an endpoint, disconnecting all its peers. Their pointers are invalid afterwards.
 *
 * @param [in] local_ep the endpoint.
 *
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: local_ep is NULL
 *
 * One thread at a time for an endpoint and its peers. Source: spec comch 8.1, seed 002.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_comm_channel_ep_destroy(struct doca_comm_channel_ep_t *local_ep);

/*
 * Configuration of the late form
 */

/**
 * @brief Sets the device of an endpoint.
 *
 * @param [in] ep the endpoint, neither listening nor connected.
 * @param [in] device the device: of the DPU side for a service, of the host for a client. It must
 *        stay open as long as the endpoint exists.
 *
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL
 * - DOCA_ERROR_BAD_STATE: the endpoint listens or is connected
 *
 * One thread at a time for an endpoint and its peers. Source: spec comch 8.1.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_comm_channel_ep_set_device(struct doca_comm_channel_ep_t *ep,
					     struct doca_dev *device);

/**
 * @brief The device of an endpoint.
 *
 * @param [in] ep the endpoint.
 * @param [out] device the device; no reference is taken.
 *
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL
 * - DOCA_ERROR_BAD_STATE: it was not set
 *
 * One thread at a time for an endpoint and its peers. Source: spec comch 8.1.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_comm_channel_ep_get_device(struct doca_comm_channel_ep_t *ep,
					     struct doca_dev **device);

/**
 * @brief Sets the host function whose clients a service is for. Services only.
 *
 * @param [in] ep the endpoint, neither listening nor connected.
 * @param [in] device_rep the function's representor. It must stay open as long as the endpoint
 *        exists.
 *
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL
 * - DOCA_ERROR_BAD_STATE: the endpoint listens or is connected
 *
 * One thread at a time for an endpoint and its peers. Source: spec comch 8.1.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_comm_channel_ep_set_device_rep(struct doca_comm_channel_ep_t *ep,
						 struct doca_dev_rep *device_rep);

/**
 * @brief The representor of a service.
 *
 * @param [in] ep the endpoint.
 * @param [out] device_rep the representor; no reference is taken.
 *
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL
 * - DOCA_ERROR_BAD_STATE: it was not set
 *
 * One thread at a time for an endpoint and its peers. Source: spec comch 8.1.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_comm_channel_ep_get_device_rep(struct doca_comm_channel_ep_t *ep,
						 struct doca_dev_rep **device_rep);

/**
 * @brief Sets the size of the largest message.
 *
 * @param [in] ep the endpoint, neither listening nor connected.
 * @param [in] max_msg_size bytes; less than 256 is raised to 256.
 *
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: ep is NULL, or the number is 0 or above what the device allows
 * - DOCA_ERROR_BAD_STATE: the endpoint listens or is connected
 *
 * One thread at a time for an endpoint and its peers. Source: spec comch 8.1.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_comm_channel_ep_set_max_msg_size(struct doca_comm_channel_ep_t *ep,
						   uint16_t max_msg_size);

/**
 * @brief What doca_comm_channel_ep_set_max_msg_size() has set, after rounding.
 *
 * @param [in] ep the endpoint.
 * @param [out] max_msg_size bytes.
 *
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL
 *
 * One thread at a time for an endpoint and its peers. Source: spec comch 8.1.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_comm_channel_ep_get_max_msg_size(struct doca_comm_channel_ep_t *ep,
						   uint16_t *max_msg_size);

/**
 * @brief Sets how many messages can wait to be sent.
 *
 * @param [in] ep the endpoint, neither listening nor connected.
 * @param [in] send_queue_size messages; rounded up to a power of two, at least 16.
 *
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: ep is NULL, or the number is 0 or above what the device allows
 * - DOCA_ERROR_BAD_STATE: the endpoint listens or is connected
 *
 * One thread at a time for an endpoint and its peers. Source: spec comch 8.1.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_comm_channel_ep_set_send_queue_size(struct doca_comm_channel_ep_t *ep,
						      uint16_t send_queue_size);

/**
 * @brief What doca_comm_channel_ep_set_send_queue_size() has set, after rounding.
 *
 * @param [in] ep the endpoint.
 * @param [out] send_queue_size messages.
 *
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL
 *
 * One thread at a time for an endpoint and its peers. Source: spec comch 8.1.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_comm_channel_ep_get_send_queue_size(struct doca_comm_channel_ep_t *ep,
						      uint16_t *send_queue_size);

/**
 * @brief Sets how many messages can wait to be received.
 *
 * @param [in] ep the endpoint, neither listening nor connected.
 * @param [in] recv_queue_size messages; rounded up to a power of two, at least 16.
 *
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: ep is NULL, or the number is 0 or above what the device allows
 * - DOCA_ERROR_BAD_STATE: the endpoint listens or is connected
 *
 * One thread at a time for an endpoint and its peers. Source: spec comch 8.1.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_comm_channel_ep_set_recv_queue_size(struct doca_comm_channel_ep_t *ep,
						      uint16_t recv_queue_size);

/**
 * @brief What doca_comm_channel_ep_set_recv_queue_size() has set, after rounding.
 *
 * @param [in] ep the endpoint.
 * @param [out] recv_queue_size messages.
 *
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL
 *
 * One thread at a time for an endpoint and its peers. Source: spec comch 8.1.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_comm_channel_ep_get_recv_queue_size(struct doca_comm_channel_ep_t *ep,
						      uint16_t *recv_queue_size);

/*
 * Connecting
 */

/**
 * @brief Makes an endpoint a service that clients can connect to.
 *
 * doca_comm_channel_ep_recvfrom() takes them in.
 *
 * @param [in] local_ep the endpoint.
 * @param [in] name name of the service, at most doca_comm_channel_get_max_service_name_len() with
 *        its NUL. Copied.
 *
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL, the name is empty or too long, or the
 *   representor is not one of the device
 * - DOCA_ERROR_BAD_STATE: the device or the representor is not set (late form)
 * - DOCA_ERROR_NOT_PERMITTED: the endpoint listens already, or is connected, or was so in the
 *   parent of this process
 * - DOCA_ERROR_NOT_SUPPORTED: the device is one of the host; early form: this process sees none of
 *   the DPU side
 * - DOCA_ERROR_IN_USE: that representor has a service of that name
 * - DOCA_ERROR_NO_MEMORY: no memory for the queues
 * - DOCA_ERROR_CONNECTION_ABORTED: the runtime directory cannot be used; the log says why
 * - DOCA_ERROR_INITIALIZATION, DOCA_ERROR_DRIVER: on a card only, never here
 *
 * One thread at a time for an endpoint and its peers. Source: spec comch 8.1.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_comm_channel_ep_listen(struct doca_comm_channel_ep_t *local_ep, const char *name);

/**
 * @brief Connects an endpoint, as a client, to a service.
 *
 * The late form only begins: doca_comm_channel_peer_addr_update_info() tells when the connection
 * stands. The early form returns when it stands, unless the endpoint does not block.
 * A client whose service has gone may connect again at once: the old peer is invalid then, also if
 * this fails.
 *
 * @param [in] local_ep the endpoint.
 * @param [in] name name of the service.
 * @param [out] peer_addr the service. It is the endpoint's.
 *
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL, or the name is empty or too long
 * - DOCA_ERROR_BAD_STATE: the device is not set (late form)
 * - DOCA_ERROR_NOT_PERMITTED: the endpoint listens, or is connected already, or was so in the
 *   parent of this process
 * - DOCA_ERROR_NOT_SUPPORTED: the device is one of the DPU side; early form: this process sees none
 *   of the host
 * - DOCA_ERROR_NO_MEMORY: no memory for the queues
 * - DOCA_ERROR_CONNECTION_ABORTED: there is no such service, or it has refused
 * - DOCA_ERROR_INITIALIZATION, DOCA_ERROR_DRIVER: on a card only, never here
 *
 * One thread at a time for an endpoint and its peers. Source: spec comch 8.1, seed 002.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_comm_channel_ep_connect(struct doca_comm_channel_ep_t *local_ep, const char *name,
					  struct doca_comm_channel_addr_t **peer_addr);

/**
 * @brief Closes one connection. Blocks until all of it is gone. A client's endpoint may connect
 * again.
 *
 * Early form: the peer is not told and gets errors when it sends.
 *
 * @param [in] local_ep the endpoint.
 * @param [in] peer_addr the peer; invalid afterwards.
 *
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL, or the peer is another endpoint's
 * - DOCA_ERROR_NOT_CONNECTED: the peer is not connected
 *
 * One thread at a time for an endpoint and its peers. Source: spec comch 8.1, seed 002.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_comm_channel_ep_disconnect(struct doca_comm_channel_ep_t *local_ep,
					     struct doca_comm_channel_addr_t *peer_addr);

/*
 * Messages
 */

/**
 * @brief Sends a message. It is copied.
 *
 * Early form: blocks while there is no room, unless the endpoint does not block or flags has
 * DOCA_CC_MSG_FLAG_DONTWAIT.
 *
 * @param [in] local_ep the endpoint.
 * @param [in] msg the message.
 * @param [in] len bytes in it, 1 to the configured maximum: the smaller one of the two sides'.
 * @param [in] flags DOCA_CC_MSG_FLAG_NONE; early form: or DOCA_CC_MSG_FLAG_DONTWAIT.
 * @param [in] peer_addr the peer to send it to.
 *
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: a pointer is NULL, len is out of range, flags has other bits, or the
 *   peer is another endpoint's
 * - DOCA_ERROR_NOT_CONNECTED: the peer is not connected, or (late form) not yet
 * - DOCA_ERROR_AGAIN: there is no room, or (early form) the connection does not stand yet; nothing
 *   has changed
 * - DOCA_ERROR_CONNECTION_RESET: the peer has gone; call doca_comm_channel_ep_disconnect()
 *
 * One thread at a time for an endpoint and its peers. Source: spec comch 8.1, seed 002.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_comm_channel_ep_sendto(struct doca_comm_channel_ep_t *local_ep, const void *msg,
					 size_t len, int flags,
					 struct doca_comm_channel_addr_t *peer_addr);

/**
 * @brief Receives a message: the first one of any peer. On a service this also takes new clients
 * in.
 *
 * Early form: blocks until there is one, unless the endpoint does not block or flags has
 * DOCA_CC_MSG_FLAG_DONTWAIT.
 *
 * @param [in] local_ep the endpoint.
 * @param [out] msg the message.
 * @param [in,out] len bytes at msg; the configured maximum has room for any message. Then bytes of
 *        the message.
 * @param [in] flags as in doca_comm_channel_ep_sendto().
 * @param [out] peer_addr who has sent it. It is the endpoint's.
 *
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: a pointer is NULL, *len is too small for the message, which stays, or
 *   flags has other bits
 * - DOCA_ERROR_NOT_CONNECTED: the endpoint neither listens nor is connected, or its connection
 *   could not be made
 * - DOCA_ERROR_AGAIN: there is none
 * - DOCA_ERROR_CONNECTION_RESET: the service of this client has gone, and all that it had sent is
 *   received; call doca_comm_channel_ep_disconnect(). Said once, then DOCA_ERROR_AGAIN; always by a
 *   call that would block
 * - DOCA_ERROR_CONNECTION_ABORTED: a client failed to connect to this service (early form)
 *
 * One thread at a time for an endpoint and its peers. Source: spec comch 8.1, seed 002.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_comm_channel_ep_recvfrom(struct doca_comm_channel_ep_t *local_ep, void *msg,
					   size_t *len, int flags,
					   struct doca_comm_channel_addr_t **peer_addr);

/*
 * Waiting, late form: arm, then wait until the descriptor is readable, then send or receive until
 * AGAIN.
 */

/**
 * @brief Descriptors to wait on for sending and receiving. They are the endpoint's: never read or
 * close them.
 *
 * @param [in] local_ep the endpoint, listening or connected.
 * @param [out] send_event_channel readable when there is room; NULL: not wanted.
 * @param [out] recv_event_channel readable when there is a message; NULL: not wanted.
 *
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: local_ep is NULL, or both of the others are
 * - DOCA_ERROR_BAD_STATE: the endpoint neither listens nor is connected
 * - DOCA_ERROR_NO_MEMORY: no more descriptors
 *
 * One thread at a time for an endpoint and its peers. Source: spec comch 8.1.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_comm_channel_ep_get_event_channel(struct doca_comm_channel_ep_t *local_ep,
						    doca_event_channel_t *send_event_channel,
						    doca_event_channel_t *recv_event_channel);

/**
 * @brief Arms the descriptor for sending. Needed before each wait. What is there already makes it
 * readable at once.
 *
 * @param [in] local_ep the endpoint, listening or connected.
 *
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: local_ep is NULL
 * - DOCA_ERROR_BAD_STATE: the endpoint neither listens nor is connected
 *
 * Any thread, also while another one uses the endpoint. Source: spec comch 8.1.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_comm_channel_ep_event_handle_arm_send(struct doca_comm_channel_ep_t *local_ep);

/**
 * @brief Arms the descriptor for receiving. Needed before each wait. What is there already makes
 * it readable at once. When a receive has ended the arming, it is readable until the next one.
 *
 * @param [in] local_ep the endpoint, listening or connected.
 *
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: local_ep is NULL
 * - DOCA_ERROR_BAD_STATE: the endpoint neither listens nor is connected
 *
 * Any thread, also while another one uses the endpoint. Source: spec comch 8.1.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_comm_channel_ep_event_handle_arm_recv(struct doca_comm_channel_ep_t *local_ep);

/**
 * @brief Descriptor that is readable when a client of a service has come or gone.
 *
 * Also for what has happened before it was asked for.
 * doca_comm_channel_ep_update_service_state_info() arms it anew. It is the endpoint's.
 *
 * @param [in] local_ep the endpoint, listening.
 * @param [out] service_event_channel the descriptor.
 *
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL
 * - DOCA_ERROR_BAD_STATE: the endpoint neither listens nor is connected
 * - DOCA_ERROR_NOT_SUPPORTED: the endpoint is a client
 * - DOCA_ERROR_NO_MEMORY: no more descriptors
 *
 * One thread at a time for an endpoint and its peers. Source: spec comch 8.1.
 */
DOCA_EXPERIMENTAL
doca_error_t
doca_comm_channel_ep_get_service_event_channel(struct doca_comm_channel_ep_t *local_ep,
					       doca_event_channel_t *service_event_channel);

/*
 * Peers of a service, late form
 */

/**
 * @brief Takes a snapshot of who is connected to a service. The list of the last one is invalid
 * afterwards.
 *
 * @param [in] local_ep the endpoint, listening.
 *
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: local_ep is NULL
 * - DOCA_ERROR_BAD_STATE: the endpoint does not listen
 * - DOCA_ERROR_AGAIN: there is more to come: call again
 * - DOCA_ERROR_NO_MEMORY: no memory for the list
 * - DOCA_ERROR_CONNECTION_RESET: on a card only, never here
 *
 * One thread at a time for an endpoint and its peers. Source: spec comch 8.1.
 */
DOCA_EXPERIMENTAL
doca_error_t
doca_comm_channel_ep_update_service_state_info(struct doca_comm_channel_ep_t *local_ep);

/**
 * @brief The clients of the last snapshot.
 *
 * @param [in] local_ep the endpoint, listening.
 * @param [out] peer_addr_array the clients. The array is the endpoint's and valid until the next
 *        snapshot.
 * @param [out] peer_addr_array_len how many.
 *
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL
 * - DOCA_ERROR_BAD_STATE: the endpoint does not listen
 *
 * One thread at a time for an endpoint and its peers. Source: spec comch 8.1.
 */
DOCA_EXPERIMENTAL
doca_error_t
doca_comm_channel_ep_get_peer_addr_list(const struct doca_comm_channel_ep_t *local_ep,
					struct doca_comm_channel_addr_t ***peer_addr_array,
					uint32_t *peer_addr_array_len);

/**
 * @brief How many clients were connecting at the last snapshot.
 *
 * @param [in] local_ep the endpoint, listening.
 * @param [out] pending_connections the number.
 *
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL
 * - DOCA_ERROR_BAD_STATE: the endpoint does not listen
 *
 * One thread at a time for an endpoint and its peers. Source: spec comch 8.1.
 */
DOCA_EXPERIMENTAL
doca_error_t
doca_comm_channel_ep_get_pending_connections(const struct doca_comm_channel_ep_t *local_ep,
					     uint32_t *pending_connections);

/*
 * Attributes of a peer
 */

/**
 * @brief Stores a value of the program's own with a peer.
 *
 * @param [in] peer_addr the peer.
 * @param [in] user_context the value.
 *
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: peer_addr is NULL
 *
 * One thread at a time for an endpoint and its peers. Source: spec comch 8.1.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_comm_channel_peer_addr_set_user_data(struct doca_comm_channel_addr_t *peer_addr,
						       uint64_t user_context);

/**
 * @brief What doca_comm_channel_peer_addr_set_user_data() has stored; 0 before.
 *
 * @param [in] peer_addr the peer.
 * @param [out] user_context the value.
 *
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL
 *
 * One thread at a time for an endpoint and its peers. Source: spec comch 8.1.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_comm_channel_peer_addr_get_user_data(struct doca_comm_channel_addr_t *peer_addr,
						       uint64_t *user_context);

/**
 * @brief Takes a snapshot of the counters of a peer, and tells whether it is connected.
 *
 * @param [in] peer_addr the peer.
 *
 * @return DOCA_SUCCESS: connected, or
 * - DOCA_ERROR_INVALID_VALUE: peer_addr is NULL
 * - DOCA_ERROR_CONNECTION_INPROGRESS: the connection does not stand yet
 * - DOCA_ERROR_CONNECTION_ABORTED: it has failed, or the peer has gone
 *
 * One thread at a time for an endpoint and its peers. Source: spec comch 8.1.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_comm_channel_peer_addr_update_info(struct doca_comm_channel_addr_t *peer_addr);

/**
 * @brief Messages sent to a peer, as of the last doca_comm_channel_peer_addr_update_info().
 *
 * @param [in] peer_addr the peer.
 * @param [out] send_messages the number.
 *
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL
 *
 * One thread at a time for an endpoint and its peers. Source: spec comch 8.1.
 */
DOCA_EXPERIMENTAL
doca_error_t
doca_comm_channel_peer_addr_get_send_messages(const struct doca_comm_channel_addr_t *peer_addr,
					      uint64_t *send_messages);

/**
 * @brief Bytes sent to a peer, as of the last doca_comm_channel_peer_addr_update_info().
 *
 * @param [in] peer_addr the peer.
 * @param [out] send_bytes the number.
 *
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL
 *
 * One thread at a time for an endpoint and its peers. Source: spec comch 8.1.
 */
DOCA_EXPERIMENTAL
doca_error_t
doca_comm_channel_peer_addr_get_send_bytes(const struct doca_comm_channel_addr_t *peer_addr,
					   uint64_t *send_bytes);

/**
 * @brief Messages received from a peer, as of the last doca_comm_channel_peer_addr_update_info().
 *
 * @param [in] peer_addr the peer.
 * @param [out] recv_messages the number.
 *
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL
 *
 * One thread at a time for an endpoint and its peers. Source: spec comch 8.1.
 */
DOCA_EXPERIMENTAL
doca_error_t
doca_comm_channel_peer_addr_get_recv_messages(const struct doca_comm_channel_addr_t *peer_addr,
					      uint64_t *recv_messages);

/**
 * @brief Bytes received from a peer, as of the last doca_comm_channel_peer_addr_update_info().
 *
 * @param [in] peer_addr the peer.
 * @param [out] recv_bytes the number.
 *
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL
 *
 * One thread at a time for an endpoint and its peers. Source: spec comch 8.1.
 */
DOCA_EXPERIMENTAL
doca_error_t
doca_comm_channel_peer_addr_get_recv_bytes(const struct doca_comm_channel_addr_t *peer_addr,
					   uint64_t *recv_bytes);

/**
 * @brief Messages sent and not yet taken by a peer, as of the last
 * doca_comm_channel_peer_addr_update_info().
 *
 * @param [in] peer_addr the peer.
 * @param [out] send_in_flight_messages the number.
 *
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL
 *
 * One thread at a time for an endpoint and its peers. Source: spec comch 8.1.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_comm_channel_peer_addr_get_send_in_flight_messages(
	const struct doca_comm_channel_addr_t *peer_addr, uint64_t *send_in_flight_messages);

/*
 * Early form only: releases 1.2 to 1.4
 */

/**
 * @brief doca_comm_channel_peer_addr_set_user_data() up to release 1.4.
 *
 * @param [in] peer_addr the peer.
 * @param [in] user_context the value.
 *
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: peer_addr is NULL
 *
 * One thread at a time for an endpoint and its peers. Source: seed 002.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_comm_channel_peer_addr_user_data_set(struct doca_comm_channel_addr_t *peer_addr,
						       uint64_t user_context);

/**
 * @brief doca_comm_channel_peer_addr_get_user_data() up to release 1.4.
 *
 * @param [in] peer_addr the peer.
 * @param [out] user_context the value; 0 before it was set.
 *
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL
 *
 * One thread at a time for an endpoint and its peers. Source: seed 002.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_comm_channel_peer_addr_user_data_get(struct doca_comm_channel_addr_t *peer_addr,
						       uint64_t *user_context);

/**
 * @brief Descriptor that is readable when there is something to receive. It needs no arming.
 *
 * It is an epoll instance: who calls epoll_wait() on the descriptor itself gets the cookie of
 * struct doca_comm_channel_init_attr with each event. poll() and an epoll instance of the
 * program's do as well.
 *
 * @param [in] local_ep the endpoint, listening or connected.
 *
 * @return the descriptor, the endpoint's; doca_event_invalid_handle when there is none.
 *
 * One thread at a time for an endpoint and its peers. Source: spec comch 8.2, seed 002.
 */
DOCA_EXPERIMENTAL
doca_event_channel_t
doca_comm_channel_ep_event_channel_get(struct doca_comm_channel_ep_t *local_ep);

/**
 * @brief What is known of a peer.
 *
 * @param [in] peer_addr the peer.
 * @param [out] info the values.
 *
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL
 *
 * One thread at a time for an endpoint and its peers. Source: spec comch 8.2.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_comm_channel_peer_addr_info_get(struct doca_comm_channel_addr_t *peer_addr,
						  struct doca_comm_channel_peer_addr_info *info);

#ifndef DOCA_COMM_CHANNEL_LEGACY_1_4

#define SOFTFIELD_EP_CREATE(ep) doca_comm_channel_ep_create(ep)

/** The number of arguments chooses the form. */
#define doca_comm_channel_ep_create(...)                                                           \
	SOFTFIELD_PICK_2(__VA_ARGS__, softfield_comm_channel_ep_create_1_4, SOFTFIELD_EP_CREATE,   \
			 0)                                                                        \
	(__VA_ARGS__)

#endif

#ifdef __cplusplus
} /* extern "C" */
#endif

#endif /* DOCA_COMM_CHANNEL_H_ */
