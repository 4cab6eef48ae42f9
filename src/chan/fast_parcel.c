/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Descriptors of the fast path that have come before the record that they belong to.
 */
#include <stdlib.h>
#include <string.h>
#include "base/fd.h"
#include "chan/chan.h"
#include "chan/fast.h"

struct parcel {
	struct list_node node;
	uint32_t token;
	unsigned int fd_count;
	int fds[FAST_NEW_FDS];
};

static void free_parcel(struct fast *fast, struct parcel *parcel)
{
	list_remove(&parcel->node);
	fast->parcel_count--;
	free(parcel);
}

void fast_drop_parcels(struct fast *fast)
{
	struct list_node *node, *tmp;

	list_for_each_safe (node, tmp, &fast->parcels) {
		struct parcel *parcel = container_of(node, struct parcel, node);

		priv_fd_close_all(parcel->fds, parcel->fd_count);
		free_parcel(fast, parcel);
	}
}

static unsigned int fds_due(uint32_t token)
{
	return token & FAST_ACK_TOKEN(0) ? FAST_ACK_FDS : FAST_NEW_FDS;
}

doca_error_t fast_take_parcel(struct fast *fast, uint32_t token, const int *fds,
			      unsigned int fd_count)
{
	struct parcel *parcel = NULL;

	/* Each is followed by its record, and there is room for so many of these. */
	if (fast->parcel_count <= fast->chan->rx.mask && fd_count == fds_due(token))
		parcel = calloc(1, sizeof(*parcel));
	if (!parcel) {
		priv_fd_close_all(fds, fd_count);
		return DOCA_ERROR_INVALID_VALUE;
	}
	parcel->token = token;
	parcel->fd_count = fd_count;
	memcpy(parcel->fds, fds, fd_count * sizeof(*fds));
	list_add_tail(&fast->parcels, &parcel->node);
	fast->parcel_count++;
	return DOCA_SUCCESS;
}

doca_error_t fast_open_parcel(struct fast *fast, uint32_t token, int *fds)
{
	struct list_node *node;

	list_for_each (node, &fast->parcels) {
		struct parcel *parcel = container_of(node, struct parcel, node);

		if (parcel->token != token)
			continue;
		memcpy(fds, parcel->fds, parcel->fd_count * sizeof(*fds));
		free_parcel(fast, parcel);
		return DOCA_SUCCESS;
	}
	return DOCA_ERROR_AGAIN;
}
