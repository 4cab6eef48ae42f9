/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The fast path of one connection: what tools are told of it.
 */
#include "chan/fast.h"

#include "chan/handshake.h"

void fast_count(struct fast *fast, uint32_t *ret_consumers, uint32_t *ret_producers)
{
	const struct list_node *node;

	*ret_consumers = *ret_producers = 0;
	pthread_mutex_lock(&fast->lock);
	list_for_each (node, &fast->users) {
		if (container_of(node, struct fast_user, node)->is_consumer)
			++*ret_consumers;
		else
			++*ret_producers;
	}
	pthread_mutex_unlock(&fast->lock);
}

static struct handshake_window describe_own(const struct fast_consumer *consumer)
{
	struct window_use use = priv_window_use(consumer->window);

	return (struct handshake_window){.consumer_id = consumer->user.id,
					 .size = consumer->window->size,
					 .in_place = use.in_place,
					 .copied = use.shadow,
					 .why = use.why};
}

static struct handshake_window describe_remote(const struct lane_producer *lane)
{
	struct lane_use *use = &lane->shared->use;

	/* Relaxed: numbers for people. */
	return (struct handshake_window){
		.consumer_id = lane->id,
		.of_peer = true,
		.size = lane->window_size,
		.in_place = atomic_load_explicit(&use->in_place, memory_order_relaxed),
		.copied = atomic_load_explicit(&use->copied, memory_order_relaxed),
		.why = atomic_load_explicit(&use->why, memory_order_relaxed)};
}

void fast_visit_windows(struct fast *fast,
			void (*visit)(const struct handshake_window *window, void *arg), void *arg)
{
	const struct list_node *node;
	struct handshake_window window;
	uint32_t i;

	pthread_mutex_lock(&fast->lock);
	list_for_each (node, &fast->users) {
		const struct fast_consumer *consumer =
			container_of(node, struct fast_consumer, user.node);

		if (!consumer->user.is_consumer)
			continue;
		window = describe_own(consumer);
		visit(&window, arg);
	}
	for (i = 0; i < fast->remote_count; i++) {
		window = describe_remote(fast->remotes[i]);
		visit(&window, arg);
	}
	pthread_mutex_unlock(&fast->lock);
}
