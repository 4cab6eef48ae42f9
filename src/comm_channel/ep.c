/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Endpoints: from creation to the end, and becoming a service or a client.
 */
#define LOG_MODULE "comm_channel"
#include <stdlib.h>
#include <string.h>
#include "base/log.h"
#include "base/no_cancel.h"
#include "comm_channel/ep.h"
#include "core/log.h"

doca_error_t ep_check_flag(const struct doca_comm_channel_ep_t *ep, int flag)
{
	if (ep->is_early && flag == DOCA_CC_MSG_FLAG_DONTWAIT)
		return DOCA_SUCCESS;
	LOG_ERR("message flags %#x; %s", (unsigned int)flag,
		ep->is_early ? "0 or DOCA_CC_MSG_FLAG_DONTWAIT are allowed" : "only 0 is allowed");
	return DOCA_ERROR_INVALID_VALUE;
}

/*
 * In a child of fork() connections are the parent's: the endpoint has none there. What it had is
 * left alone.
 */
static void disown(struct fork_watch *watch)
{
	struct doca_comm_channel_ep_t *ep =
		container_of(watch, struct doca_comm_channel_ep_t, fork_watch);
	struct list_node *node;

	atomic_store(&ep->is_locked, false); /* by a thread that is not here */
	ep->sleepers = ep->to_wake = 0;	     /* likewise */
	if (ep->role == EP_IDLE && list_is_empty(&ep->doors) && list_is_empty(&ep->peers)) {
		priv_poll_group_renew(&ep->group);
		return;
	}
	list_for_each (node, &ep->peers)
		container_of(node, struct doca_comm_channel_addr_t, node)->state = PEER_FAILED;
	list_init(&ep->ready);
	priv_poll_group_disown(&ep->group);
	ep->recv_armed = ep->send_armed = ep->always_armed = false;
	ep->recv_signal.is_raised = ep->send_signal.is_raised = false;
	ep->service_signal.is_raised = false;
	ep->role = EP_IDLE;
	ep->is_inherited = true;
}

doca_error_t ep_new(struct doca_comm_channel_ep_t **ret_ep)
{
	const struct topo_limits *limits = priv_topo_limits();
	struct doca_comm_channel_ep_t *ep = calloc(1, sizeof(*ep));
	doca_error_t err;

	if (!ep)
		return DOCA_ERROR_NO_MEMORY;
	priv_log_backend_add_default();
	err = priv_poll_group_init(&ep->group);
	if (err) {
		LOG_ERR("no epoll instance or eventfd: %s", doca_error_get_descr(err));
		free(ep);
		return DOCA_ERROR_NO_MEMORY;
	}
	ep->group.is_locked = true;
	list_init(&ep->ready);
	list_init(&ep->doors);
	list_init(&ep->peers);
	list_init(&ep->spare_peers);
	list_init(&ep->spare_conns);
	ep->recv_signal.epoll_fd = ep->send_signal.epoll_fd = -1;
	ep->service_signal.epoll_fd = -1;
	ep->max_msg_size = (uint32_t)limits->comch_max_msg_size;
	ep->send_queue_size = (uint32_t)limits->comch_default_recv_queue_size;
	ep->recv_queue_size = (uint32_t)limits->comch_default_recv_queue_size;
	priv_fork_watch(&ep->fork_watch, disown);
	*ret_ep = ep;
	return DOCA_SUCCESS;
}

doca_error_t doca_comm_channel_ep_create(struct doca_comm_channel_ep_t **ep)
{
	return ep ? ep_new(ep) : DOCA_ERROR_INVALID_VALUE;
}

static void close_doors(struct doca_comm_channel_ep_t *ep)
{
	while (!list_is_empty(&ep->doors))
		door_close(container_of(ep->doors.next, struct door, node));
}

static void free_spares(struct doca_comm_channel_ep_t *ep)
{
	struct list_node *node;

	while ((node = list_pop(&ep->spare_peers)))
		free(container_of(node, struct doca_comm_channel_addr_t, node));
	while ((node = list_pop(&ep->spare_conns)))
		free(container_of(node, struct conn, node));
}

doca_error_t doca_comm_channel_ep_destroy(struct doca_comm_channel_ep_t *local_ep)
{
	struct doca_comm_channel_ep_t *ep = local_ep;
	NO_CANCEL();

	if (!ep)
		return DOCA_ERROR_INVALID_VALUE;
	priv_fork_unwatch(&ep->fork_watch);
	while (!list_is_empty(&ep->peers))
		peer_drop(container_of(ep->peers.next, struct doca_comm_channel_addr_t, node));
	if (!ep->is_inherited)
		close_doors(ep);
	free_spares(ep);
	signal_close(&ep->recv_signal);
	signal_close(&ep->send_signal);
	signal_close(&ep->service_signal);
	priv_poll_group_fini(&ep->group);
	if (ep->rep)
		priv_dev_rep_release(ep->rep);
	if (ep->dev)
		priv_dev_release(ep->dev);
	free(ep->peer_list);
	free(ep);
	return DOCA_SUCCESS;
}

/*
 * Service and client
 */

static doca_error_t check_name(const char *name)
{
	uint64_t limit = priv_topo_limits()->comch_max_name_len;
	size_t size = strlen(name) + 1;

	if (size >= 2 && size <= limit)
		return DOCA_SUCCESS;
	LOG_ERR("service name of %zu bytes with its NUL; 2 to %llu are allowed", size,
		(unsigned long long)limit);
	return DOCA_ERROR_INVALID_VALUE;
}

static doca_error_t check_idle(const struct doca_comm_channel_ep_t *ep)
{
	if (ep->role == EP_IDLE && !ep->is_inherited)
		return DOCA_SUCCESS;
	if (ep->is_inherited)
		LOG_ERR("the endpoint belongs to the process that has forked this one");
	else
		LOG_ERR("the endpoint %s already",
			ep->role == EP_SERVICE ? "listens" : "is connected");
	return DOCA_ERROR_NOT_PERMITTED;
}

/* the device's function; NOT_SUPPORTED: it is on the other side */
static doca_error_t check_side(const struct doca_comm_channel_ep_t *ep, enum topo_side side,
			       const struct topo_function **ret_function)
{
	const struct topo_function *function = priv_dev_function(ep->dev);

	if (function->side != side) {
		LOG_ERR("device %s is on the %s side; a service needs one of the DPU, a client one "
			"of the host",
			function->pci_addr, function->side == TOPO_HOST ? "host" : "DPU");
		return DOCA_ERROR_NOT_SUPPORTED;
	}
	*ret_function = function;
	return DOCA_SUCCESS;
}

static doca_error_t listen_for_rep(struct doca_comm_channel_ep_t *ep, const char *name)
{
	const struct topo_function *dpu;
	const struct topo_rep *rep;
	doca_error_t err;

	if (!ep->dev || !ep->rep) {
		LOG_ERR("a service needs %s before it listens",
			ep->dev ? "a representor" : "a device");
		return DOCA_ERROR_BAD_STATE;
	}
	err = check_side(ep, TOPO_DPU, &dpu);
	if (err)
		return err;
	rep = priv_dev_rep_topo(ep->rep);
	if (rep->dpu != dpu) {
		LOG_ERR("representor %s is not one of device %s", rep->pci_addr, dpu->pci_addr);
		return DOCA_ERROR_INVALID_VALUE;
	}
	return door_open(ep, rep->host, name);
}

/* The early form: for every function of the host. */
static doca_error_t listen_for_all(struct doca_comm_channel_ep_t *ep, const char *name)
{
	doca_error_t err = DOCA_ERROR_NOT_SUPPORTED;
	const struct topo *topo;
	unsigned int i;

	if (priv_topo_get(&topo) || !topo->side_visible[TOPO_DPU]) {
		LOG_ERR("service \"%s\": this process sees no device of the DPU", name);
		return DOCA_ERROR_NOT_SUPPORTED;
	}
	for (i = 0; i < topo->function_count; i++) {
		if (!topo->functions[i].rep)
			continue;
		err = door_open(ep, &topo->functions[i], name);
		if (err)
			break;
	}
	if (err)
		close_doors(ep);
	return err;
}

static doca_error_t listen_as(struct doca_comm_channel_ep_t *ep, const char *name)
{
	doca_error_t err = check_idle(ep);

	if (err)
		return err;
	err = ep->is_early ? listen_for_all(ep, name) : listen_for_rep(ep, name);
	switch (err) {
	case DOCA_SUCCESS:
		ep->role = EP_SERVICE;
		return DOCA_SUCCESS;
	case DOCA_ERROR_INVALID_VALUE:
	case DOCA_ERROR_BAD_STATE:
	case DOCA_ERROR_NOT_SUPPORTED:
	case DOCA_ERROR_IN_USE:
	case DOCA_ERROR_NO_MEMORY:
		return err;
	default:
		return DOCA_ERROR_CONNECTION_ABORTED;
	}
}

doca_error_t doca_comm_channel_ep_listen(struct doca_comm_channel_ep_t *local_ep, const char *name)
{
	doca_error_t err;
	NO_CANCEL();

	if (!local_ep || !name || check_name(name))
		return DOCA_ERROR_INVALID_VALUE;
	ep_enter(local_ep);
	err = listen_as(local_ep, name);
	ep_leave(local_ep);
	return err;
}

static doca_error_t find_host(const struct doca_comm_channel_ep_t *ep,
			      const struct topo_function **ret_host)
{
	const struct topo *topo;
	unsigned int i;

	if (!ep->is_early) {
		if (ep->dev)
			return check_side(ep, TOPO_HOST, ret_host);
		LOG_ERR("a client needs a device before it connects");
		return DOCA_ERROR_BAD_STATE;
	}
	if (!priv_topo_get(&topo) && topo->side_visible[TOPO_HOST]) {
		for (i = 0; i < topo->function_count; i++) {
			*ret_host = &topo->functions[i];
			if (topo->functions[i].side == TOPO_HOST)
				return DOCA_SUCCESS;
		}
	}
	LOG_ERR("this process sees no device of the host");
	return DOCA_ERROR_NOT_SUPPORTED;
}

/* A client whose connection has ended may connect again; the old peer is invalid then. */
static void forget_ended_peer(struct doca_comm_channel_ep_t *ep)
{
	if (ep->role != EP_CLIENT)
		return;
	if (ep->peer->conn)
		ep_look_for_gone(ep, false); /* which may take it */
	if (ep->peer->conn && !ep->peer->conn->chan.peer_gone)
		return;
	peer_drop(ep->peer);
	ep->peer = NULL;
	ep->role = EP_IDLE;
}

static doca_error_t begin_to_connect(struct doca_comm_channel_ep_t *ep, const char *name)
{
	struct doca_comm_channel_addr_t *peer;
	const struct topo_function *host;
	doca_error_t err;
	NO_CANCEL();

	forget_ended_peer(ep);
	err = check_idle(ep);
	if (!err)
		err = find_host(ep, &host);
	if (err)
		return err;
	err = conn_open(ep, host, name, &peer);
	if (err)
		return err == DOCA_ERROR_NO_MEMORY ? err : DOCA_ERROR_CONNECTION_ABORTED;
	ep->peer = peer;
	ep->role = EP_CLIENT;
	ep->has_lost = false;
	ep_poll(ep); /* that there is no such service is known at once */
	return DOCA_SUCCESS;
}

static doca_error_t connect_to(struct doca_comm_channel_ep_t *ep, const char *name)
{
	doca_error_t err = begin_to_connect(ep, name);
	const struct doca_comm_channel_addr_t *peer = ep->peer;
	struct ep_wait wait = {0};

	if (err)
		return err;
	while (ep->blocks && peer->state == PEER_CONNECTING) {
		ep_wait(ep, &wait);
		ep_poll(ep);
	}
	if (peer->state == PEER_FAILED)
		forget_ended_peer(ep);
	return peer->state == PEER_VOID ? DOCA_ERROR_CONNECTION_ABORTED : DOCA_SUCCESS;
}

doca_error_t doca_comm_channel_ep_connect(struct doca_comm_channel_ep_t *local_ep, const char *name,
					  struct doca_comm_channel_addr_t **peer_addr)
{
	doca_error_t err;

	if (!local_ep || !name || !peer_addr || check_name(name))
		return DOCA_ERROR_INVALID_VALUE;
	ep_enter(local_ep);
	err = connect_to(local_ep, name);
	if (!err)
		*peer_addr = local_ep->peer;
	ep_leave(local_ep);
	return err;
}

static doca_error_t disconnect(struct doca_comm_channel_ep_t *ep,
			       struct doca_comm_channel_addr_t *peer)
{
	if (peer->state == PEER_VOID)
		return DOCA_ERROR_NOT_CONNECTED;
	peer_drop(peer);
	if (ep->role == EP_CLIENT) {
		ep->peer = NULL;
		ep->role = EP_IDLE;
	}
	return DOCA_SUCCESS;
}

doca_error_t doca_comm_channel_ep_disconnect(struct doca_comm_channel_ep_t *local_ep,
					     struct doca_comm_channel_addr_t *peer_addr)
{
	doca_error_t err;
	NO_CANCEL();

	if (!local_ep || !peer_addr || peer_addr->ep != local_ep)
		return DOCA_ERROR_INVALID_VALUE;
	ep_enter(local_ep);
	err = disconnect(local_ep, peer_addr);
	ep_leave(local_ep);
	return err;
}
