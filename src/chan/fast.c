/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The fast path of one connection: who is there, and how the two sides tell each other.
 */
#define LOG_MODULE "fast"
#include "chan/fast.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>
#include "base/log.h"
#include "chan/chan.h"
#include "chan/handshake.h"

/* Descriptors ahead of their records: two for each consumer, at most. */
#define PARCELS_MAX 4096

/* The answer to an announcement travels under a token of its own. */
#define ACK_TOKEN(id) ((id) | 0x80000000u)

struct request {
	struct list_node node;
	enum chan_record record;
	uint32_t id;
	uint32_t token;
	unsigned int fd_count;
	int fds[FD_MESSAGE_FDS_MAX];
};

struct parcel {
	struct list_node node;
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

static void free_parcel(struct fast *fast, struct parcel *parcel)
{
	list_remove(&parcel->node);
	fast->parcel_count--;
	free(parcel);
}

static void wanted_ready(struct watch *watch, uint32_t events)
{
	struct fast *fast = container_of(watch, struct fast, wanted);

	(void)events;
	if (fast->chan)
		chan_want_requests(fast->chan);
}

doca_error_t fast_create(struct chan *chan, bool is_server, struct fast **ret_fast)
{
	struct fast *fast = calloc(1, sizeof(*fast));

	if (!fast)
		return DOCA_ERROR_NO_MEMORY;
	pthread_mutex_init(&fast->lock, NULL);
	atomic_init(&fast->refs, 1);
	fast->chan = chan;
	list_init(&fast->users);
	list_init(&fast->requests);
	list_init(&fast->parcels);
	watch_init(&fast->wanted, wanted_ready);
	/* Odd ids on the server's side, even ones on the client's: unique on the connection. */
	fast->next_consumer_id = fast->next_producer_id = is_server ? 1 : 2;
	*ret_fast = fast;
	return DOCA_SUCCESS;
}

void fast_ref(struct fast *fast)
{
	atomic_fetch_add(&fast->refs, 1);
}

void fast_unref(struct fast *fast)
{
	if (!fast || atomic_fetch_sub(&fast->refs, 1) != 1)
		return;
	free(fast->remotes);
	pthread_mutex_destroy(&fast->lock);
	free(fast);
}

void fast_close(struct fast *fast)
{
	struct list_node *node, *tmp;
	uint32_t i;

	pthread_mutex_lock(&fast->lock);
	priv_poll_group_retract(fast->chan->group, &fast->wanted);
	fast->chan = NULL;
	list_for_each_safe (node, tmp, &fast->requests) {
		free_request(container_of(node, struct request, node));
	}
	list_for_each_safe (node, tmp, &fast->parcels) {
		struct parcel *parcel = container_of(node, struct parcel, node);

		priv_fd_close_all(parcel->fds, parcel->fd_count);
		free_parcel(fast, parcel);
	}
	for (i = 0; i < fast->remote_count; i++) {
		atomic_store(&fast->remotes[i]->gone, true);
		lane_producer_unref(fast->remotes[i]);
	}
	fast->remote_count = 0;
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

static uint32_t take_id(uint32_t *next)
{
	uint32_t id = *next;

	*next += 2;
	if (*next > FAST_ID_MAX)
		*next = (id & 1) ? 1 : 2;
	return id;
}

/* Ids come round again after 32,767 of them; what had one of them so long ago is taken to be gone.
 */
static uint32_t new_id(struct fast *fast, uint32_t *next)
{
	uint32_t id;

	pthread_mutex_lock(&fast->lock);
	id = take_id(next);
	pthread_mutex_unlock(&fast->lock);
	return id;
}

uint32_t fast_new_consumer_id(struct fast *fast)
{
	return new_id(fast, &fast->next_consumer_id);
}

uint32_t fast_new_producer_id(struct fast *fast)
{
	return new_id(fast, &fast->next_producer_id);
}

/*
 * Consumers and producers of this side
 */

doca_error_t fast_join(struct fast *fast, struct fast_user *user, struct poll_group *group,
		       void (*notice)(struct watch *watch, uint32_t events))
{
	doca_error_t err = DOCA_ERROR_NOT_CONNECTED;

	user->group = group;
	atomic_store(&user->acked, false);
	atomic_store(&user->lost, false);
	watch_init(&user->notice, notice);
	pthread_mutex_lock(&fast->lock);
	if (fast->chan) {
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
static doca_error_t add_request(struct fast *fast, enum chan_record record, uint32_t id,
				uint32_t token, const int *fds, unsigned int fd_count)
{
	struct request *request;

	if (!fast->chan)
		return DOCA_ERROR_NOT_CONNECTED;
	request = calloc(1, sizeof(*request));
	if (!request)
		return DOCA_ERROR_NO_MEMORY;
	list_init(&request->node);
	request->record = record;
	request->id = id;
	request->token = token;
	while (request->fd_count < fd_count) {
		int fd = fcntl(fds[request->fd_count], F_DUPFD_CLOEXEC, 0);

		if (fd < 0 && errno == EMFILE && priv_fd_raise_limit())
			continue;
		if (fd < 0) {
			doca_error_t err = priv_err_from_errno(errno);

			free_request(request);
			return err;
		}
		request->fds[request->fd_count++] = fd;
	}
	list_add_tail(&fast->requests, &request->node);
	priv_poll_group_post(fast->chan->group, &fast->wanted);
	return DOCA_SUCCESS;
}

doca_error_t fast_announce(struct fast *fast, struct fast_consumer *consumer)
{
	int fds[] = {consumer->lane.mem->fd, consumer->window_fd, consumer->bell};
	doca_error_t err;

	pthread_mutex_lock(&fast->lock);
	err = add_request(fast, CHAN_CONSUMER_NEW, consumer->user.id, consumer->user.id, fds, 3);
	pthread_mutex_unlock(&fast->lock);
	return err;
}

void fast_retire(struct fast *fast, struct fast_consumer *consumer)
{
	doca_error_t err;

	pthread_mutex_lock(&fast->lock);
	err = add_request(fast, CHAN_CONSUMER_GONE, consumer->user.id, 0, NULL, 0);
	if (err && err != DOCA_ERROR_NOT_CONNECTED)
		LOG_ERR("consumer %u: the peer is not told that it is gone: %s", consumer->user.id,
			doca_error_get_descr(err));
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

doca_error_t fast_take_parcel(struct fast *fast, uint32_t token, const int *fds,
			      unsigned int fd_count)
{
	struct parcel *parcel = NULL;

	if (fast->parcel_count < PARCELS_MAX)
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

/* moves out the descriptors that belong to a record. AGAIN: they are still on their way */
static doca_error_t open_parcel(struct fast *fast, uint32_t token, int *fds, unsigned int fd_count)
{
	struct list_node *node;

	list_for_each (node, &fast->parcels) {
		struct parcel *parcel = container_of(node, struct parcel, node);

		if (parcel->token != token)
			continue;
		if (parcel->fd_count != fd_count)
			return DOCA_ERROR_INVALID_VALUE;
		memcpy(fds, parcel->fds, fd_count * sizeof(*fds));
		free_parcel(fast, parcel);
		return DOCA_SUCCESS;
	}
	return DOCA_ERROR_AGAIN;
}

static bool send_request(struct chan *chan, const struct request *request)
{
	struct handshake memory = {.type = HANDSHAKE_MEMORY, .memory.token = request->token};
	uint8_t msg[FD_MESSAGE_MAX];

	if (!ring_has_room(&chan->tx, sizeof(request->id)))
		return false;
	/* A link that is lost is noticed by itself. */
	if (request->fd_count && chan->link)
		(void)link_send(chan->link, msg, priv_handshake_encode(&memory, msg), request->fds,
				request->fd_count);
	ring_push(&chan->tx, (uint16_t)request->record, 0, &request->id, sizeof(request->id));
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

/* with the lock held */
static doca_error_t add_remote(struct fast *fast, struct lane_producer *lane)
{
	uint32_t i;

	if (fast->remote_count >= priv_topo_limits()->consumer_max_consumers)
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
	return DOCA_SUCCESS;
}

doca_error_t fast_consumer_new(struct fast *fast, uint32_t id)
{
	struct lane_producer *lane;
	doca_error_t err;
	int fds[3];

	if (!id || id > FAST_ID_MAX)
		return DOCA_ERROR_INVALID_VALUE;
	err = open_parcel(fast, id, fds, 3);
	if (err)
		return err;
	err = lane_producer_create(id, fds[0], fds[1], fds[2], &lane);
	if (err)
		return err;
	pthread_mutex_lock(&fast->lock);
	err = add_request(fast, CHAN_CONSUMER_ACK, id, ACK_TOKEN(id), &lane->post_bell, 1);
	if (!err)
		err = add_remote(fast, lane);
	pthread_mutex_unlock(&fast->lock);
	if (err)
		lane_producer_unref(lane);
	return err;
}

doca_error_t fast_consumer_acked(struct fast *fast, uint32_t id)
{
	doca_error_t err;
	struct list_node *node;
	int post_bell;

	err = open_parcel(fast, ACK_TOKEN(id), &post_bell, 1);
	if (err)
		return err;
	err = priv_eventfd_check(post_bell);
	if (err) {
		close(post_bell);
		return err;
	}
	pthread_mutex_lock(&fast->lock);
	list_for_each (node, &fast->users) {
		struct fast_consumer *consumer =
			container_of(node, struct fast_consumer, user.node);

		if (!consumer->user.is_consumer || consumer->user.id != id ||
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

doca_error_t fast_consumer_gone(struct fast *fast, uint32_t id)
{
	struct lane_producer *lane = NULL;
	uint32_t i;

	pthread_mutex_lock(&fast->lock);
	for (i = 0; i < fast->remote_count; i++) {
		if (fast->remotes[i]->id != id)
			continue;
		lane = fast->remotes[i];
		fast->remotes[i] = fast->remotes[--fast->remote_count];
		break;
	}
	pthread_mutex_unlock(&fast->lock);
	if (!lane)
		return DOCA_ERROR_INVALID_VALUE;
	atomic_store(&lane->gone, true);
	lane_producer_unref(lane);
	return DOCA_SUCCESS;
}
