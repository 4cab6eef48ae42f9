/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Links between processes of one machine: a SOCK_SEQPACKET socket for messages and descriptors. Its
 * hang-up tells of the peer's death, and so does the peer's pidfd when somebody else keeps the
 * socket open.
 */
#define LOG_MODULE "link"
#include <assert.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>
#include "base/fd.h"
#include "base/kernel.h"
#include "base/log.h"
#include "base/own_fd.h"
#include "link/process.h"
#include "link/rendezvous.h"
#include "link/shm.h"

/* Messages that wait for room in the socket. More means that the peer does not read at all. */
#define OUTBOX_MAX 4096
/* Descriptors that do: there are not many for all. */
#define OUTBOX_FDS_MAX 256
/* What is always of interest. */
#define SOCK_EVENTS (EPOLLIN | EPOLLRDHUP)
/* Callers and messages taken in per poll: bounded, so that a flood cannot starve the others. */
#define BATCH_MAX 64
/* How long callers wait when the process is out of descriptors. */
#define ACCEPT_AGAIN_NS 10000000u
/* A client that has lost its server looks so often whether it is dead, each time twice as late. */
#define SWEEPS_MAX 8
#define SWEEP_NS   1000000u

/* Whom both sides trust: filled with a user and the name of a card. */
#define TRUSTED_FORMAT "allowed are user %u and what \"access\" of card %s lists in the topology"

static const char refusal[] = RENDEZVOUS_REFUSAL;

struct parcel {
	struct parcel *next;
	size_t size;
	unsigned int fd_count;
	int fds[FD_MESSAGE_FDS_MAX];
	uint8_t msg[];
};

struct shm_link {
	struct link base;
	struct watch sock;
	struct own_fd own_sock;
	struct watch pidfd;
	struct parcel *outbox, **outbox_tail;
	unsigned int outbox_count, outbox_fds;
	struct link_addr addr; /* of the server; used by its clients */
	bool is_client;
	doca_error_t lost;   /* why; the owner is told when the sweeping is done */
	struct timer sweep;  /* the next one */
	unsigned int sweeps; /* so far */
	unsigned int living; /* so often the server was seen to live after that */
	bool closed;
	unsigned int busy; /* handlers of this link on the stack: whoever leaves last frees it */
};

struct shm_listener {
	struct link_listener base;
	struct watch sock;
	struct own_fd own_sock;
	struct timer again;
	uid_t user; /* whose server it is: who the process was when it began to listen */
};

static struct shm_link *shm_link(struct link *link)
{
	return container_of(link, struct shm_link, base);
}

static void leave(struct shm_link *link)
{
	if (--link->busy == 0 && link->closed)
		free(link);
}

static void free_parcel(struct parcel *parcel)
{
	priv_fd_close_all(parcel->fds, parcel->fd_count);
	free(parcel);
}

static void pop_parcel(struct shm_link *link)
{
	struct parcel *parcel = link->outbox;

	link->outbox = parcel->next;
	if (!link->outbox)
		link->outbox_tail = &link->outbox;
	link->outbox_count--;
	link->outbox_fds -= parcel->fd_count;
	free_parcel(parcel);
}

static void hang_up(struct shm_link *link)
{
	priv_poll_group_unwatch(link->base.group, &link->sock);
	if (link->sock.fd >= 0) /* not in a child */
		priv_fd_drain(link->sock.fd);
	own_fd_close(&link->own_sock);
	if (link->pidfd.fd < 0)
		return;
	priv_poll_group_unwatch(link->base.group, &link->pidfd);
	close(link->pidfd.fd);
	link->pidfd.fd = -1;
}

static void shm_close(struct link *base)
{
	struct shm_link *link = shm_link(base);

	assert(!link->closed);
	while (link->outbox)
		pop_parcel(link);
	hang_up(link);
	priv_poll_group_timer_remove(&link->sweep);
	link->closed = true;
	if (!link->busy)
		free(link);
}

/*
 * Receiving
 */

/* May the server that still seems to listen be dying? One that cannot be seen may for longer. */
static bool may_be_dying(struct shm_link *link)
{
	pid_t pid = link->base.peer.pid;

	if (pid > 0 && !process_is_dying(pid))
		link->living++;
	return link->living < PROCESS_LOOKS && link->sweeps < SWEEPS_MAX;
}

/*
 * Tells the owner, who closes the link. Before that, removes what a dead server has left. The
 * kernel closes the sockets of a dying process one by one, the one it listens on not always first,
 * and the client may be about to end, too: so it is looked for some times before.
 */
static void sweep(struct timer *timer)
{
	struct shm_link *link = container_of(timer, struct shm_link, sweep);

	if (link->is_client && link->lost == DOCA_ERROR_CONNECTION_RESET &&
	    !rendezvous_sweep(&link->addr, link->base.peer.pid) && may_be_dying(link))
		priv_poll_group_timer_add(link->base.group, &link->sweep,
					  (uint64_t)SWEEP_NS << link->sweeps++);
	else
		link->base.handler->lost(&link->base, link->lost);
}

/* Nothing more will come. */
static void lose(struct shm_link *link, doca_error_t reason)
{
	if (link->closed || link->lost)
		return;
	hang_up(link);
	link->lost = reason;
	sweep(&link->sweep);
}

static bool is_refusal(const void *msg, size_t size)
{
	return size == sizeof(refusal) && !memcmp(msg, refusal, size);
}

/* Takes in what has arrived. AGAIN: the peer may send more. IN_PROGRESS: it has already. */
static doca_error_t receive_some(struct shm_link *link)
{
	unsigned int i;

	for (i = 0; i < BATCH_MAX; i++) {
		uint8_t msg[FD_MESSAGE_MAX];
		int fds[FD_MESSAGE_FDS_MAX];
		unsigned int fd_count;
		doca_error_t err;
		size_t size;

		err = priv_fd_receive(link->sock.fd, msg, sizeof(msg), &size, fds, &fd_count);
		if (err)
			return err;
		if (link->is_client && is_refusal(msg, size)) {
			priv_fd_close_all(fds, fd_count);
			return DOCA_ERROR_NOT_PERMITTED;
		}
		link->base.handler->message(&link->base, msg, size, fds, fd_count);
		if (link->closed)
			return DOCA_SUCCESS;
	}
	return DOCA_ERROR_IN_PROGRESS;
}

/* Room to send is news only for a link that waits for it: others sleep on. */
static void watch_for_room(struct shm_link *link, bool waits)
{
	priv_poll_group_rewatch(link->base.group, &link->sock,
				waits ? SOCK_EVENTS | EPOLLOUT : SOCK_EVENTS);
}

/* FULL, NO_MEMORY: the peer does not get what it will be told of. */
static doca_error_t flush_outbox(struct shm_link *link)
{
	if (!link->outbox)
		return DOCA_SUCCESS;
	while (link->outbox) {
		struct parcel *parcel = link->outbox;
		doca_error_t err = priv_fd_send(link->sock.fd, parcel->msg, parcel->size,
						parcel->fds, parcel->fd_count);

		if (err == DOCA_ERROR_AGAIN)
			return DOCA_SUCCESS;
		if (err == DOCA_ERROR_FULL || err == DOCA_ERROR_NO_MEMORY)
			return err;
		pop_parcel(link); /* any other error is followed by a hang-up */
	}
	watch_for_room(link, false);
	return DOCA_SUCCESS;
}

static void sock_ready(struct watch *watch, uint32_t events)
{
	struct shm_link *link = container_of(watch, struct shm_link, sock);
	doca_error_t err, err_of_send;

	(void)events;
	link->busy++;
	err_of_send = flush_outbox(link);
	err = receive_some(link);
	if (err == DOCA_ERROR_IN_PROGRESS)
		priv_poll_group_raise(link->base.group, watch, EPOLLIN);
	else if (err && err != DOCA_ERROR_AGAIN)
		lose(link, err);
	else if (err_of_send)
		lose(link, err_of_send);
	leave(link);
}

/* The process is gone, though somebody else may hold its end of the socket. */
static void pidfd_ready(struct watch *watch, uint32_t events)
{
	struct shm_link *link = container_of(watch, struct shm_link, pidfd);
	doca_error_t err;

	(void)events;
	link->busy++;
	err = receive_some(link);
	if (err == DOCA_ERROR_IN_PROGRESS)
		priv_poll_group_raise(link->base.group, watch, EPOLLIN);
	else if (err)
		lose(link, err == DOCA_ERROR_AGAIN ? DOCA_ERROR_CONNECTION_RESET : err);
	leave(link);
}

/*
 * Sending
 */

static doca_error_t enqueue(struct shm_link *link, const void *msg, size_t size, const int *fds,
			    unsigned int fd_count)
{
	struct parcel *parcel;
	doca_error_t err;

	if (link->outbox_count >= OUTBOX_MAX)
		return DOCA_ERROR_NO_MEMORY;
	if (link->outbox_fds + fd_count > OUTBOX_FDS_MAX)
		return DOCA_ERROR_FULL;
	parcel = calloc(1, sizeof(*parcel) + size);
	if (!parcel)
		return DOCA_ERROR_NO_MEMORY;
	memcpy(parcel->msg, msg, size);
	parcel->size = size;
	err = priv_fd_copy_all(fds, fd_count, parcel->fds);
	if (err) {
		free_parcel(parcel);
		return err;
	}
	parcel->fd_count = fd_count;
	link->outbox_fds += fd_count;
	*link->outbox_tail = parcel;
	link->outbox_tail = &parcel->next;
	if (!link->outbox_count++)
		watch_for_room(link, true);
	return DOCA_SUCCESS;
}

static doca_error_t shm_send(struct link *base, const void *msg, size_t size, const int *fds,
			     unsigned int fd_count)
{
	struct shm_link *link = shm_link(base);
	doca_error_t err = DOCA_ERROR_AGAIN;

	assert(size <= FD_MESSAGE_MAX && fd_count <= FD_MESSAGE_FDS_MAX);
	if (link->sock.fd < 0)
		return DOCA_ERROR_CONNECTION_RESET;
	if (!link->outbox)
		err = priv_fd_send(link->sock.fd, msg, size, fds, fd_count);
	return err == DOCA_ERROR_AGAIN ? enqueue(link, msg, size, fds, fd_count) : err;
}

/*
 * Connecting
 */

static void watch_death(struct shm_link *link)
{
	link->pidfd.fd = -1;
	link->pidfd.ready = pidfd_ready;
	if (link->base.peer.pid <= 0 || link->base.peer.pid == getpid())
		return; /* another pid namespace, or ourselves: the hang-up must do */
	link->pidfd.fd = priv_fd_lift((int)syscall(SYS_pidfd_open, link->base.peer.pid, 0));
	if (link->pidfd.fd >= 0 && priv_poll_group_watch(link->base.group, &link->pidfd, EPOLLIN)) {
		close(link->pidfd.fd);
		link->pidfd.fd = -1;
	}
}

/* closes a socket with whatever a stranger has put into it */
static void turn_away(int sock)
{
	priv_fd_drain(sock);
	close(sock);
}

/* Makes a link of a connected socket, which it takes also on failure. */
static doca_error_t new_link(struct poll_group *group, int sock, const struct link_peer *peer,
			     struct shm_link **ret_link)
{
	struct shm_link *link = calloc(1, sizeof(*link));
	doca_error_t err = DOCA_ERROR_NO_MEMORY;

	if (!link)
		goto close_sock;
	link->base.group = group;
	link->base.peer = *peer;
	link->outbox_tail = &link->outbox;
	link->sock.fd = sock;
	link->sock.ready = sock_ready;
	link->sweep.fire = sweep;
	list_init(&link->sweep.node);
	err = priv_poll_group_watch(group, &link->sock, SOCK_EVENTS);
	if (err)
		goto free_link;
	own_fd_adopt(&link->own_sock, &link->sock.fd);
	watch_death(link);
	*ret_link = link;
	return DOCA_SUCCESS;

free_link:
	free(link);
close_sock:
	turn_away(sock);
	return err;
}

static doca_error_t shm_connect(struct poll_group *group, const struct link_addr *addr,
				struct link **ret_link)
{
	struct shm_link *link;
	struct link_peer peer;
	doca_error_t err;
	int sock;

	err = rendezvous_connect(addr, &sock);
	if (err)
		return err;
	err = rendezvous_check_peer(sock, geteuid(), addr->card, &peer);
	if (err) {
		LOG_ERR("server \"%s\" is process %d of user %u, group %u: " TRUSTED_FORMAT,
			addr->service, (int)peer.pid, peer.uid, peer.gid, (unsigned int)geteuid(),
			addr->card->name);
		turn_away(sock);
		return err;
	}
	err = new_link(group, sock, &peer, &link);
	if (err)
		return err;
	link->is_client = true;
	link->addr = *addr;
	*ret_link = &link->base;
	return DOCA_SUCCESS;
}

static void accept_one(struct shm_listener *listener, int sock)
{
	const struct topo_card *card = listener->base.addr.card;
	struct shm_link *link;
	struct link_peer peer;

	if (rendezvous_check_peer(sock, listener->user, card, &peer)) {
		LOG_WRN("refused: process %d of user %u, group %u: " TRUSTED_FORMAT, (int)peer.pid,
			peer.uid, peer.gid, (unsigned int)listener->user, card->name);
		priv_fd_send(sock, refusal, sizeof(refusal), NULL, 0);
		turn_away(sock);
		return;
	}
	if (new_link(listener->base.group, sock, &peer, &link))
		return; /* the client sees the hang-up */
	link->base.ops = listener->base.ops;
	listener->base.handler->incoming(&listener->base, &link->base);
}

static bool make_room(struct shm_listener *listener)
{
	const struct link_listener_handler *handler = listener->base.handler;

	return handler->make_room && handler->make_room(&listener->base);
}

static void listener_ready(struct watch *watch, uint32_t events)
{
	struct shm_listener *listener = container_of(watch, struct shm_listener, sock);
	unsigned int i;

	(void)events;
	for (i = 0; i < BATCH_MAX; i++) {
		int sock =
			priv_fd_lift(accept4(watch->fd, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK));

		if (sock >= 0)
			accept_one(listener, sock);
		else if (errno == EAGAIN)
			return;
		else if (errno == EMFILE && (priv_fd_made_room() || make_room(listener)))
			continue;
		else if (errno != ECONNABORTED && errno != EINTR)
			break;
	}
	if (i == BATCH_MAX)
		priv_poll_group_raise(listener->base.group, watch, EPOLLIN);
	else if (!list_is_linked(&listener->again.node)) /* those who wait ring no more */
		priv_poll_group_timer_add(listener->base.group, &listener->again, ACCEPT_AGAIN_NS);
}

static void accept_again(struct timer *timer)
{
	struct shm_listener *listener = container_of(timer, struct shm_listener, again);

	priv_poll_group_raise(listener->base.group, &listener->sock, EPOLLIN);
}

static doca_error_t shm_listen(struct poll_group *group, const struct link_addr *addr,
			       struct link_listener **ret_listener)
{
	struct shm_listener *listener = calloc(1, sizeof(*listener));
	doca_error_t err;

	if (!listener)
		return DOCA_ERROR_NO_MEMORY;
	err = priv_poll_group_timer_prepare(group); /* `again` is for when there are no more */
	if (err)
		goto free_listener;
	err = rendezvous_listen(addr, &listener->sock.fd);
	if (err)
		goto free_listener;
	listener->user = geteuid();
	listener->sock.ready = listener_ready;
	listener->again.fire = accept_again;
	list_init(&listener->again.node);
	err = priv_poll_group_watch(group, &listener->sock, EPOLLIN);
	if (err)
		goto unlisten;
	own_fd_adopt(&listener->own_sock, &listener->sock.fd);
	*ret_listener = &listener->base;
	return DOCA_SUCCESS;

unlisten:
	rendezvous_unlist(addr);
	close(listener->sock.fd);
free_listener:
	free(listener);
	return err;
}

static void shm_unlisten(struct link_listener *base)
{
	struct shm_listener *listener = container_of(base, struct shm_listener, base);

	priv_poll_group_timer_remove(&listener->again);
	priv_poll_group_unwatch(base->group, &listener->sock);
	if (listener->sock.fd >= 0) { /* not in a child: the name is its parent's */
		rendezvous_unlist(&base->addr);
		/* A child that has just been forked has it, too, until it runs. */
		shutdown(listener->sock.fd, SHUT_RDWR);
	}
	own_fd_close(&listener->own_sock);
	free(listener);
}

const struct link_ops shm_link_ops = {
	.listen = shm_listen,
	.unlisten = shm_unlisten,
	.connect = shm_connect,
	.send = shm_send,
	.close = shm_close,
	.explain = rendezvous_explain,
};
