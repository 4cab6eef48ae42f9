/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What the benches of doca_comm_channel share: an endpoint, connected. The early form is used
 * because it chooses its devices itself; what happens to a message is the same in both.
 */
#ifndef SOFTFIELD_BENCH_COMM_CHANNEL_SIDE_H
#define SOFTFIELD_BENCH_COMM_CHANNEL_SIDE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "doca_comm_channel.h"

#define CHANNEL_MSG_SIZE 4080 /* the largest */

struct channel {
	char name[32]; /* of the service */
	bool blocks;   /* inside the calls; else they poll */
	bool sleeps;   /* on the event channel, until there is a message */
	int epoll_fd;  /* where that is watched; -1 until the first sleep */
	struct doca_comm_channel_ep_t *ep;
	struct doca_comm_channel_addr_t *peer; /* a service's: who sent last */
};

/* before the fork: a name of its own, and clients wait until their service is there */
void channel_init(struct channel *channel);

void channel_listen(struct channel *channel);
void channel_connect(struct channel *channel);
/* the last message that was sent is in the peer's memory already */
void channel_close(struct channel *channel);

/* waits for room */
void channel_send(struct channel *channel, const void *message, size_t size);
/* waits for a message and returns its size; the buffer has CHANNEL_MSG_SIZE */
size_t channel_receive(struct channel *channel, void *buffer);

#endif
