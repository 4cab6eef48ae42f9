/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The fast path within one process, without a connection: consumers and producers meet in the
 * object itself, which is its own peer.
 */
#include "base/fd.h"
#include "chan/fast.h"

doca_error_t fast_create_local(uint32_t max_consumers, uint32_t max_producers,
			       struct fast **ret_fast)
{
	struct fast *fast;
	doca_error_t err = fast_create(NULL, &fast);

	if (err)
		return err;
	fast->is_local = true;
	fast->max_consumers = max_consumers;
	fast->max_producers = max_producers;
	*ret_fast = fast;
	return DOCA_SUCCESS;
}

bool fast_is_in_use(struct fast *fast)
{
	bool in_use;

	pthread_mutex_lock(&fast->lock);
	in_use = !list_is_empty(&fast->holders);
	pthread_mutex_unlock(&fast->lock);
	return in_use;
}

/* What fast_consumer_new() and fast_consumer_acked() do together, on either side. */
doca_error_t fast_announce_local(struct fast *fast, struct fast_consumer *consumer)
{
	const int own[] = {consumer->lane.mem->fd, consumer->window->fd, consumer->bell};
	struct lane_producer *lane;
	doca_error_t err;
	int fds[FAST_NEW_FDS];

	err = priv_fd_copy_all(own, FAST_NEW_FDS, fds);
	if (err)
		return err;
	err = lane_producer_create(consumer->user.key, fds[0], fds[1], fds[2], &lane);
	if (err)
		return err;
	err = priv_fd_copy_all(&lane->post_bell, FAST_ACK_FDS, &consumer->post_bell);
	if (!err) {
		pthread_mutex_lock(&fast->lock);
		err = fast_add_remote(fast, lane);
		pthread_mutex_unlock(&fast->lock);
	}
	if (err) {
		lane_producer_unref(lane);
		return err;
	}
	atomic_store(&consumer->user.acked, true);
	return DOCA_SUCCESS;
}
