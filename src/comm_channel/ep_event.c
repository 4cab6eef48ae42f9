/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Descriptors for programs that wait by themselves.
 *
 * For receiving, for sending, and for clients that come and go: an epoll instance each that holds
 * the poll group's and a bell. The group's makes them readable when the kernel knows of something,
 * be it only what is to be looked at; the bell, when we have come across it already.
 *
 * Armed means: whatever the program calls, on leaving we are asleep (poll_group.h), or the bell is
 * raised, which it stays until the descriptor is armed again: a thread that waits there finds out
 * of what another one has come across, and has dealt with.
 */
#include <sys/epoll.h>
#include <unistd.h>
#include "base/bell.h"
#include "base/fd.h"
#include "base/no_cancel.h"
#include "comm_channel/ep.h"

/*
 * Signals
 */

static bool add_to_epoll(int epoll_fd, int fd, uint32_t cookie)
{
	struct epoll_event event = {.events = EPOLLIN, .data = {.u64 = cookie}};

	return !epoll_ctl(epoll_fd, EPOLL_CTL_ADD, fd, &event);
}

static int create_epoll(void)
{
	int epoll_fd;

	do
		epoll_fd = priv_fd_lift(epoll_create1(EPOLL_CLOEXEC));
	while (epoll_fd < 0 && priv_fd_made_room());
	return epoll_fd;
}

doca_error_t signal_open(struct signal_fd *signal, struct poll_group *group)
{
	int epoll_fd, bell;

	if (signal->epoll_fd >= 0)
		return DOCA_SUCCESS;
	epoll_fd = create_epoll();
	if (epoll_fd < 0)
		return DOCA_ERROR_NO_MEMORY;
	if (priv_eventfd_create(&bell))
		goto close_epoll;
	if (!add_to_epoll(epoll_fd, poll_group_show(group), signal->cookie) ||
	    !add_to_epoll(epoll_fd, bell, signal->cookie))
		goto close_bell;
	signal->epoll_fd = epoll_fd;
	signal->bell = bell;
	if (signal->is_raised)
		priv_eventfd_ring(bell);
	return DOCA_SUCCESS;

close_bell:
	close(bell);
close_epoll:
	close(epoll_fd);
	return DOCA_ERROR_NO_MEMORY;
}

void signal_close(struct signal_fd *signal)
{
	if (signal->epoll_fd < 0)
		return;
	close(signal->bell);
	close(signal->epoll_fd);
}

static void signal_ring(struct signal_fd *signal)
{
	signal->is_raised = true;
	if (signal->epoll_fd >= 0)
		priv_eventfd_ring(signal->bell);
}

void signal_raise(struct signal_fd *signal)
{
	if (!signal->is_raised)
		signal_ring(signal);
}

static void signal_hush(struct signal_fd *signal)
{
	uint64_t count;
	NO_CANCEL();

	if (read(signal->bell, &count, sizeof(count)) < 0)
		return; /* cannot be: only we read, and only what we have rung */
}

void signal_lower(struct signal_fd *signal)
{
	signal->is_raised = false;
	if (signal->epoll_fd >= 0)
		signal_hush(signal);
}

/*
 * Arming
 */

/* A peer that was short and has gone will not ring for room. */
static bool has_gone_while_short(const struct doca_comm_channel_ep_t *ep)
{
	const struct list_node *node;

	list_for_each (node, &ep->peers) {
		const struct conn *conn =
			container_of(node, struct doca_comm_channel_addr_t, node)->conn;

		if (conn && conn->is_short && conn->chan.peer_gone)
			return true;
	}
	return false;
}

static bool can_send(const struct doca_comm_channel_ep_t *ep)
{
	return ep->has_room_news || !ep->short_count || has_gone_while_short(ep);
}

/* a client whose connection has failed, which any call may have come across */
static bool has_failed(const struct doca_comm_channel_ep_t *ep)
{
	return ep->role == EP_CLIENT && ep->peer->state == PEER_FAILED;
}

/* Would recvfrom answer with something else than AGAIN? */
static bool can_receive(const struct doca_comm_channel_ep_t *ep)
{
	return !list_is_empty(&ep->ready) || ep->has_lost || (ep->is_early && ep->has_refused) ||
	       has_failed(ep);
}

void ep_rearm(struct doca_comm_channel_ep_t *ep)
{
	bool finds = ep->recv_armed && can_receive(ep);

	if (ep->send_armed && can_send(ep)) {
		ep->send_armed = ep->has_room_news = false;
		signal_raise(&ep->send_signal);
	}
	if (finds)
		ep_end_recv_wait(ep);
	else if (ep->always_armed)
		signal_clear(&ep->recv_signal);
	if ((ep->send_armed || (ep->recv_armed && !finds)) && !priv_poll_group_arm(&ep->group))
		priv_poll_group_wake(&ep->group); /* the next call looks */
	ep_pass_on(ep);
}

void ep_end_recv_wait(struct doca_comm_channel_ep_t *ep)
{
	ep->recv_armed = ep->always_armed;
	signal_raise(&ep->recv_signal);
}

static doca_error_t check_active(struct doca_comm_channel_ep_t *ep)
{
	return ep->role == EP_IDLE ? DOCA_ERROR_BAD_STATE : DOCA_SUCCESS;
}

doca_error_t doca_comm_channel_ep_event_handle_arm_send(struct doca_comm_channel_ep_t *local_ep)
{
	doca_error_t err;

	if (!local_ep)
		return DOCA_ERROR_INVALID_VALUE;
	ep_enter(local_ep);
	err = check_active(local_ep);
	if (!err) {
		signal_clear(&local_ep->send_signal);
		local_ep->send_armed = true;
	}
	ep_leave(local_ep);
	return err;
}

doca_error_t doca_comm_channel_ep_event_handle_arm_recv(struct doca_comm_channel_ep_t *local_ep)
{
	doca_error_t err;

	if (!local_ep)
		return DOCA_ERROR_INVALID_VALUE;
	ep_enter(local_ep);
	err = check_active(local_ep);
	if (!err) {
		bool has_work;

		if (!can_receive(local_ep) && local_ep->heard)
			chan_look_behind(&local_ep->heard->chan); /* nobody has, if it is alone */
		has_work = can_receive(local_ep);
		if (priv_busy_poll(&local_ep->group, has_work) && !has_work)
			ep_glance(local_ep);
		if (can_receive(local_ep)) {
			signal_ring(&local_ep->recv_signal); /* an edge for each arming */
		} else {
			signal_clear(&local_ep->recv_signal);
			local_ep->recv_armed = true;
		}
	}
	ep_leave(local_ep);
	return err;
}

doca_event_channel_t doca_comm_channel_ep_event_channel_get(struct doca_comm_channel_ep_t *local_ep)
{
	doca_event_channel_t channel = doca_event_invalid_handle;

	if (!local_ep)
		return channel;
	ep_enter(local_ep);
	if (!check_active(local_ep) && !signal_open(&local_ep->recv_signal, &local_ep->group)) {
		local_ep->always_armed = local_ep->recv_armed = true;
		channel = local_ep->recv_signal.epoll_fd;
	}
	ep_leave(local_ep);
	return channel;
}
