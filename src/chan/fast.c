/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The fast path of one connection: who is there, and how the two sides tell each other.
 */
#define LOG_MODULE "chan"
#include "chan/fast.h"

#include <stdlib.h>
#include <unistd.h>
#include "base/bell.h"
#include "base/fd.h"
#include "base/log.h"
#include "chan/chan.h"
#include "chan/handshake.h"

#define KEY_STARTS 0x7fffu /* see fast.h */

/*
 * A peer can make its windows as large as it likes, and our address space is not endless: those of
 * a connection may take such a part of what all others leave of so much.
 */
#define MAPPED_MAX  ((uint64_t)64 << 40)
#define MAPPED_PART 16

static _Atomic uint64_t mapped_by_all;

struct request {
	struct list_node node;
	enum chan_record record;
	uint32_t key;
	uint32_t token;
	unsigned int fd_count;
	int fds[FD_MESSAGE_FDS_MAX];
};

static void free_request(struct request *request)
{
	list_remove(&request->node);
	priv_fd_close_all(request->fds, request->fd_count);
	free(request);
}

/* Can anybody be reached by it? */
static bool is_open(const struct fast *fast)
{
	return fast->chan || fast->is_local;
}

static void wanted_ready(struct watch *watch, uint32_t events)
{
	struct fast *fast = container_of(watch, struct fast, wanted);
	bool broken;

	(void)events;
	if (!fast->chan)
		return;
	pthread_mutex_lock(&fast->lock);
	broken = fast->broken;
	pthread_mutex_unlock(&fast->lock);
	if (broken)
		chan_finish(fast->chan, DOCA_ERROR_CONNECTION_RESET);
	else
		chan_want_requests(fast->chan);
}

doca_error_t fast_create(struct chan *chan, struct fast **ret_fast)
{
	struct fast *fast = calloc(1, sizeof(*fast));

	if (!fast)
		return DOCA_ERROR_NO_MEMORY;
	pthread_mutex_init(&fast->lock, NULL);
	atomic_init(&fast->refs, 1);
	fast->chan = chan;
	fast->max_consumers = priv_topo_limits()->consumer_max_consumers;
	fast->max_producers = priv_topo_limits()->producer_max_producers;
	list_init(&fast->holders);
	list_init(&fast->users);
	list_init(&fast->requests);
	list_init(&fast->parcels);
	watch_init(&fast->wanted, wanted_ready);
	*ret_fast = fast;
	return DOCA_SUCCESS;
}

void fast_ref(struct fast *fast)
{
	atomic_fetch_add(&fast->refs, 1);
}

void fast_disown(struct fast *fast)
{
	pthread_mutex_init(&fast->lock, NULL);
	fast->is_local = false; /* what consumers there are belong to the parent */
}

void fast_unref(struct fast *fast)
{
	if (!fast || atomic_fetch_sub(&fast->refs, 1) != 1)
		return;
	for (uint32_t i = 0; i < fast->remote_count; i++) /* in a child: its parent's */
		lane_producer_unref(fast->remotes[i]);
	free(fast->remotes);
	pthread_mutex_destroy(&fast->lock);
	free(fast);
}

void fast_shut(struct fast *fast)
{
	pthread_mutex_lock(&fast->lock);
	fast->shut = true;
	pthread_mutex_unlock(&fast->lock);
}

static void add_mapped(struct fast *fast, uint64_t change)
{
	fast->mapped += change;
	atomic_fetch_add(&mapped_by_all, change);
}

void fast_close(struct fast *fast)
{
	struct list_node *node, *tmp;
	uint32_t i;

	pthread_mutex_lock(&fast->lock);
	priv_poll_group_retract(fast->chan->config.group, &fast->wanted);
	fast->chan = NULL;
	list_for_each_safe (node, tmp, &fast->requests) {
		free_request(container_of(node, struct request, node));
	}
	fast_drop_parcels(fast);
	for (i = 0; i < fast->remote_count; i++) {
		lane_set_gone(fast->remotes[i]);
		lane_producer_unref(fast->remotes[i]);
	}
	fast->remote_count = 0;
	add_mapped(fast, -fast->mapped);
	list_for_each (node, &fast->users) {
		struct fast_user *user = container_of(node, struct fast_user, node);

		atomic_store(&user->lost, true);
		priv_poll_group_post(user->group, &user->notice);
	}
	pthread_mutex_unlock(&fast->lock);
}

/*
 * Ids
 */

static uint64_t count_holders(const struct fast *fast, bool is_consumer)
{
	const struct list_node *node;
	uint64_t count = 0;

	list_for_each (node, &fast->holders)
		count += container_of(node, struct fast_user, holder_node)->is_consumer ==
			 is_consumer;
	return count;
}

static bool id_is_taken(const struct fast *fast, bool is_consumer, uint32_t id)
{
	const struct list_node *node;

	list_for_each (node, &fast->holders) {
		const struct fast_user *user = container_of(node, struct fast_user, holder_node);

		if (user->is_consumer == is_consumer && user->id == id)
			return true;
	}
	return false;
}

/* with the lock held */
static doca_error_t take_id(struct fast *fast, struct fast_user *user, uint64_t max)
{
	uint32_t *last = user->is_consumer ? &fast->last_consumer_id : &fast->last_producer_id;

	if (fast->shut || !is_open(fast))
		return DOCA_ERROR_BAD_STATE;
	if (count_holders(fast, user->is_consumer) >= max)
		return DOCA_ERROR_NO_MEMORY;
	if (fast->is_local)
		*last = 0; /* the lowest that is free: programs count on 1 */
	/* There are more ids than users, so the loop ends. */
	do
		*last = *last < FAST_ID_MAX ? *last + 1 : 1;
	while (id_is_taken(fast, user->is_consumer, *last));
	user->id = user->key = *last;
	list_add_tail(&fast->holders, &user->holder_node);
	return DOCA_SUCCESS;
}

doca_error_t fast_user_init(struct fast *fast, struct fast_user *user, bool is_consumer)
{
	uint64_t max = is_consumer ? fast->max_consumers : fast->max_producers;
	doca_error_t err;

	list_init(&user->node);
	user->is_consumer = is_consumer;
	pthread_mutex_lock(&fast->lock);
	err = take_id(fast, user, max);
	pthread_mutex_unlock(&fast->lock);
	if (err == DOCA_ERROR_NO_MEMORY)
		LOG_ERR("a %s has at most %llu %s", fast->is_local ? "message queue" : "connection",
			(unsigned long long)max, is_consumer ? "consumers" : "producers");
	return err;
}

uint32_t fast_imm_max_local(void)
{
	const struct topo_limits *limits = priv_topo_limits();

	return (uint32_t)(limits->msgq_max_imm_data_len > limits->consumer_max_imm_data_len
				  ? limits->msgq_max_imm_data_len
				  : limits->consumer_max_imm_data_len);
}

uint32_t fast_imm_max(const struct fast *fast)
{
	return fast->is_local ? fast_imm_max_local()
			      : (uint32_t)priv_topo_limits()->consumer_max_imm_data_len;
}

void fast_user_fini(struct fast *fast, struct fast_user *user)
{
	pthread_mutex_lock(&fast->lock);
	list_remove(&user->holder_node);
	pthread_mutex_unlock(&fast->lock);
}

/*
 * Consumers and producers of this side
 */

doca_error_t fast_join(struct fast *fast, struct fast_user *user, struct poll_group *group,
		       void (*notice)(struct watch *watch, uint32_t events))
{
	doca_error_t err = DOCA_ERROR_NOT_CONNECTED;

	user->group = group;
	user->key = user->id | ((((user->key >> 16) + 1) & KEY_STARTS) << 16);
	atomic_store(&user->acked, false);
	atomic_store(&user->lost, false);
	watch_init(&user->notice, notice);
	pthread_mutex_lock(&fast->lock);
	if (is_open(fast) && !fast->shut) {
		list_add_tail(&fast->users, &user->node);
		err = DOCA_SUCCESS;
	}
	pthread_mutex_unlock(&fast->lock);
	return err;
}

void fast_leave(struct fast *fast, struct fast_user *user)
{
	pthread_mutex_lock(&fast->lock);
	list_remove(&user->node);
	pthread_mutex_unlock(&fast->lock);
	priv_poll_group_retract(user->group, &user->notice);
}

/* with the lock held; takes the descriptors' copies */
static doca_error_t add_request(struct fast *fast, enum chan_record record, uint32_t key,
				uint32_t token, const int *fds, unsigned int fd_count)
{
	struct request *request;
	doca_error_t err;

	if (!fast->chan)
		return DOCA_ERROR_NOT_CONNECTED;
	request = calloc(1, sizeof(*request));
	if (!request)
		return DOCA_ERROR_NO_MEMORY;
	err = priv_fd_copy_all(fds, fd_count, request->fds);
	if (err) {
		free(request);
		return err;
	}
	request->record = record;
	request->key = key;
	request->token = token;
	request->fd_count = fd_count;
	list_add_tail(&fast->requests, &request->node);
	priv_poll_group_post(fast->chan->config.group, &fast->wanted);
	return DOCA_SUCCESS;
}

doca_error_t fast_announce(struct fast *fast, struct fast_consumer *consumer)
{
	int fds[] = {consumer->lane.mem->fd, consumer->window->fd, consumer->bell};
	doca_error_t err;

	if (fast->is_local)
		return fast_announce_local(fast, consumer);
	pthread_mutex_lock(&fast->lock);
	err = add_request(fast, CHAN_CONSUMER_NEW, consumer->user.key, consumer->user.key, fds,
			  FAST_NEW_FDS);
	pthread_mutex_unlock(&fast->lock);
	return err;
}

void fast_retire(struct fast *fast, struct fast_consumer *consumer)
{
	doca_error_t err;

	if (fast->is_local) {
		fast_consumer_gone(fast, consumer->user.key);
		return;
	}
	pthread_mutex_lock(&fast->lock);
	err = add_request(fast, CHAN_CONSUMER_GONE, consumer->user.key, 0, NULL, 0);
	if (err && err != DOCA_ERROR_NOT_CONNECTED)
		LOG_ERR("consumer %u: the peer is not told that it is gone: %s", consumer->user.id,
			doca_error_get_descr(err));
	pthread_mutex_unlock(&fast->lock);
}

void fast_break(struct fast *fast)
{
	pthread_mutex_lock(&fast->lock);
	fast->broken = true;
	if (fast->chan)
		priv_poll_group_post(fast->chan->config.group, &fast->wanted);
	pthread_mutex_unlock(&fast->lock);
}

struct lane_producer *fast_find(struct fast *fast, uint32_t id)
{
	struct lane_producer *found = NULL;
	uint32_t i;

	pthread_mutex_lock(&fast->lock);
	for (i = 0; i < fast->remote_count && !found; i++)
		if (fast->remotes[i]->id == id)
			found = fast->remotes[i];
	if (found)
		lane_producer_ref(found);
	pthread_mutex_unlock(&fast->lock);
	return found;
}

/*
 * The connection
 */

/* false: later; the ring is full, or no more descriptors can be under way just now */
static bool send_request(struct chan *chan, const struct request *request)
{
	struct handshake memory = {.type = HANDSHAKE_MEMORY, .memory.token = request->token};
	uint8_t msg[FD_MESSAGE_MAX];
	doca_error_t err = DOCA_SUCCESS;

	if (!ring_has_room(&chan->tx))
		return false;
	if (request->fd_count && chan->link)
		err = link_send(chan->link, msg, priv_handshake_encode(&memory, msg), request->fds,
				request->fd_count);
	/* A link that is lost is noticed by itself. */
	if (err && err != DOCA_ERROR_CONNECTION_RESET)
		return false;
	ring_push(&chan->tx, (uint16_t)request->record, &request->key, sizeof(request->key));
	chan_kick(chan);
	return true;
}

bool fast_send_requests(struct fast *fast)
{
	bool all = true;
	struct list_node *node, *tmp;

	pthread_mutex_lock(&fast->lock);
	list_for_each_safe (node, tmp, &fast->requests) {
		struct request *request = container_of(node, struct request, node);

		all = send_request(fast->chan, request);
		if (!all)
			break;
		free_request(request);
	}
	pthread_mutex_unlock(&fast->lock);
	return all;
}

static uint64_t room_for_windows(const struct fast *fast)
{
	uint64_t others = atomic_load(&mapped_by_all) - fast->mapped;
	uint64_t part = others < MAPPED_MAX ? (MAPPED_MAX - others) / MAPPED_PART : 0;

	return fast->mapped < part ? part - fast->mapped : 0;
}

doca_error_t fast_add_remote(struct fast *fast, struct lane_producer *lane)
{
	uint32_t i;

	if (fast->remote_count >= priv_topo_limits()->consumer_max_consumers ||
	    lane->window_size > room_for_windows(fast))
		return DOCA_ERROR_FULL;
	for (i = 0; i < fast->remote_count; i++)
		if (fast->remotes[i]->id == lane->id)
			return DOCA_ERROR_INVALID_VALUE;
	if (fast->remote_count == fast->remote_capacity) {
		uint32_t capacity = fast->remote_capacity ? 2 * fast->remote_capacity : 4;
		void *grown = realloc(fast->remotes, capacity * sizeof(*fast->remotes));

		if (!grown)
			return DOCA_ERROR_NO_MEMORY;
		fast->remotes = grown;
		fast->remote_capacity = capacity;
	}
	fast->remotes[fast->remote_count++] = lane;
	add_mapped(fast, lane->window_size);
	return DOCA_SUCCESS;
}

doca_error_t fast_consumer_new(struct fast *fast, uint32_t key)
{
	uint32_t id = FAST_KEY_ID(key);
	struct lane_producer *lane;
	doca_error_t err;
	int fds[FAST_NEW_FDS];

	if (!id || id > FAST_ID_MAX || key == FAST_ACK_TOKEN(key))
		return DOCA_ERROR_INVALID_VALUE;
	err = fast_open_parcel(fast, key, fds);
	if (err)
		return err;
	err = lane_producer_create(key, fds[0], fds[1], fds[2], &lane);
	if (err)
		return err;
	pthread_mutex_lock(&fast->lock);
	err = add_request(fast, CHAN_CONSUMER_ACK, key, FAST_ACK_TOKEN(key), &lane->post_bell,
			  FAST_ACK_FDS);
	if (!err)
		err = fast_add_remote(fast, lane);
	pthread_mutex_unlock(&fast->lock);
	if (err)
		lane_producer_unref(lane);
	return err;
}

doca_error_t fast_consumer_acked(struct fast *fast, uint32_t key)
{
	doca_error_t err;
	struct list_node *node;
	int post_bell;

	err = fast_open_parcel(fast, FAST_ACK_TOKEN(key), &post_bell);
	if (err)
		return err;
	err = priv_bell_check(post_bell);
	if (err) {
		priv_fd_close_at_once(post_bell);
		return err;
	}
	pthread_mutex_lock(&fast->lock);
	list_for_each (node, &fast->users) {
		struct fast_consumer *consumer =
			container_of(node, struct fast_consumer, user.node);

		if (!consumer->user.is_consumer || consumer->user.key != key ||
		    atomic_load(&consumer->user.acked))
			continue;
		consumer->post_bell = post_bell;
		post_bell = -1;
		atomic_store(&consumer->user.acked, true);
		priv_poll_group_post(consumer->user.group, &consumer->user.notice);
		break;
	}
	pthread_mutex_unlock(&fast->lock);
	if (post_bell >= 0)
		close(post_bell); /* the consumer has been stopped meanwhile */
	return DOCA_SUCCESS;
}

/*
 * Takes a remote, which is gone, out of the table, which is locked. Producers may sleep until it
 * posts; the bell is not what wakes them, since the peer may have made it silent.
 */
static struct lane_producer *take_remote(struct fast *fast, uint32_t i)
{
	struct lane_producer *lane = fast->remotes[i];
	struct list_node *node;

	fast->remotes[i] = fast->remotes[--fast->remote_count];
	add_mapped(fast, -lane->window_size);
	lane_set_gone(lane);
	list_for_each (node, &fast->users) {
		struct fast_user *user = container_of(node, struct fast_user, node);

		if (!user->is_consumer)
			priv_poll_group_post(user->group, &user->notice);
	}
	return lane;
}

/*
 * A consumer that goes before it has been answered: a peer that reads nothing could let answers,
 * and their descriptors, pile up.
 */
static void drop_answer(struct fast *fast, uint32_t key)
{
	struct list_node *node, *tmp;

	list_for_each_safe (node, tmp, &fast->requests) {
		struct request *request = container_of(node, struct request, node);

		if (request->record == CHAN_CONSUMER_ACK && request->key == key)
			free_request(request);
	}
}

doca_error_t fast_consumer_gone(struct fast *fast, uint32_t key)
{
	struct lane_producer *lane = NULL;
	uint32_t i;

	pthread_mutex_lock(&fast->lock);
	for (i = 0; i < fast->remote_count && !lane; i++)
		if (fast->remotes[i]->key == key)
			lane = take_remote(fast, i);
	drop_answer(fast, key);
	pthread_mutex_unlock(&fast->lock);
	if (!lane)
		return DOCA_ERROR_INVALID_VALUE;
	lane_producer_unref(lane);
	return DOCA_SUCCESS;
}

bool fast_forget_remote(struct fast *fast, uint32_t *ret_id)
{
	struct lane_producer *lane = NULL;

	pthread_mutex_lock(&fast->lock);
	if (fast->remote_count)
		lane = take_remote(fast, fast->remote_count - 1);
	pthread_mutex_unlock(&fast->lock);
	if (!lane)
		return false;
	*ret_id = lane->id;
	lane_producer_unref(lane);
	return true;
}
