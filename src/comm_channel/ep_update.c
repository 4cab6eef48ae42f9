/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The snapshot of who is connected to a service.
 */
#include <stdlib.h>
#include "comm_channel/ep.h"

/* Rounds of polling in one call: more than any number of clients that come at a time needs. */
#define ROUNDS_MAX 64

/* AGAIN: there is no end to it just now */
static doca_error_t take_in(struct doca_comm_channel_ep_t *ep)
{
	unsigned int round;

	for (round = 0; round < ROUNDS_MAX; round++) {
		priv_poll_group_clear(&ep->group);
		if (!priv_poll_group_poll(&ep->group, 0))
			return DOCA_SUCCESS;
	}
	return DOCA_ERROR_AGAIN;
}

static uint32_t count_pending(const struct doca_comm_channel_ep_t *ep)
{
	const struct list_node *node;
	uint32_t count = 0;

	list_for_each (node, &ep->doors)
		count += container_of(node, struct door, node)->server.pending_count;
	return count;
}

static uint32_t count_connected(const struct doca_comm_channel_ep_t *ep)
{
	const struct list_node *node;
	uint32_t count = 0;

	list_for_each (node, &ep->doors)
		count += container_of(node, struct door, node)->server.client_count;
	return count;
}

static doca_error_t take_snapshot(struct doca_comm_channel_ep_t *ep)
{
	uint32_t count = count_connected(ep);
	struct doca_comm_channel_addr_t **list =
		calloc(count + 1, sizeof(struct doca_comm_channel_addr_t *));
	struct list_node *node;

	if (!list)
		return DOCA_ERROR_NO_MEMORY;
	free(ep->peer_list);
	ep->peer_list = list;
	ep->peer_count = 0;
	list_for_each (node, &ep->peers) {
		struct doca_comm_channel_addr_t *peer =
			container_of(node, struct doca_comm_channel_addr_t, node);

		if (peer->state != PEER_OPEN)
			continue;
		peer->is_known = true;
		list[ep->peer_count++] = peer;
	}
	ep->pending_count = count_pending(ep);
	return DOCA_SUCCESS;
}

doca_error_t doca_comm_channel_ep_update_service_state_info(struct doca_comm_channel_ep_t *local_ep)
{
	doca_error_t err = DOCA_ERROR_BAD_STATE;

	if (!local_ep)
		return DOCA_ERROR_INVALID_VALUE;
	ep_enter(local_ep);
	if (local_ep->role == EP_SERVICE) {
		err = take_in(local_ep);
		if (!err)
			err = take_snapshot(local_ep);
		if (!err)
			signal_clear(&local_ep->service_signal);
	}
	ep_leave(local_ep);
	return err;
}
