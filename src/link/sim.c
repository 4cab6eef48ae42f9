/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Links inside one process. A link has two ends; what is sent to an end waits there, in order,
 * until a timer of that end's poll group delivers it.
 */
#include "link/sim.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "base/clock.h"
#include "base/fd.h"

enum parcel_kind { PARCEL_CALL, PARCEL_MESSAGE, PARCEL_LOST };

struct parcel {
	struct list_node node;
	enum parcel_kind kind;
	uint64_t due_ns;
	size_t size;
	unsigned int fd_count;
	int fds[FD_MESSAGE_FDS_MAX];
	uint8_t msg[];
};

struct sim_listener {
	struct link_listener base;
	struct list_node node; /* in sim->listeners; in no list once its party is dead */
	struct sim *sim;
	const struct party *party;
	struct poll_group *group;
};

struct sim_end {
	struct link base;
	struct list_node node; /* in sim->ends */
	struct sim *sim;
	const struct party *party;
	struct sim_end *other;	       /* NULL: it is closed, or its party dead */
	struct sim_listener *listener; /* that has not been told of the call yet */
	struct list_node arriving;
	uint64_t last_due_ns;
	struct timer timer;
	bool closed;
	bool busy; /* a handler is on the stack: it frees a closed end */
};

static struct sim *current_sim(void)
{
	return priv_party_current()->link_data;
}

static struct sim_end *end_of(struct link *link)
{
	return container_of(link, struct sim_end, base);
}

void sim_init(struct sim *sim, uint64_t seed)
{
	*sim = (struct sim){.random.state = seed};
	list_init(&sim->listeners);
	list_init(&sim->ends);
}

void sim_fini(struct sim *sim)
{
	assert(list_is_empty(&sim->listeners) && list_is_empty(&sim->ends));
	(void)sim;
}

/*
 * Parcels
 */

static void free_parcel(struct parcel *parcel)
{
	priv_fd_close_all(parcel->fds, parcel->fd_count);
	free(parcel);
}

static struct parcel *next_parcel(const struct sim_end *end)
{
	return container_of(end->arriving.next, struct parcel, node);
}

static void drop_parcels(struct sim_end *end)
{
	struct list_node *node;

	while ((node = list_pop(&end->arriving)))
		free_parcel(container_of(node, struct parcel, node));
	priv_poll_group_timer_remove(&end->timer);
}

/* Lets the timer wait for the first parcel. */
static void expect_next(struct sim_end *end)
{
	uint64_t now = clock_now_ns();
	uint64_t due;

	if (list_is_empty(&end->arriving) || list_is_linked(&end->timer.node))
		return;
	due = next_parcel(end)->due_ns;
	priv_poll_group_timer_add(end->base.group, &end->timer, due > now ? due - now : 0);
}

static void post(struct sim_end *to, struct parcel *parcel)
{
	uint64_t due = clock_now_ns() + random_below(&to->sim->random, to->sim->delay_max_ns + 1);

	if (due < to->last_due_ns)
		due = to->last_due_ns; /* nothing overtakes */
	to->last_due_ns = parcel->due_ns = due;
	list_add_tail(&to->arriving, &parcel->node);
	expect_next(to);
}

static struct parcel *new_parcel(enum parcel_kind kind, const void *msg, size_t size)
{
	struct parcel *parcel = calloc(1, sizeof(*parcel) + size);

	if (!parcel)
		return NULL;
	parcel->kind = kind;
	parcel->size = size;
	if (size)
		memcpy(parcel->msg, msg, size);
	return parcel;
}

/* a notice without content; a simulation that is out of memory has nothing left to find out */
static void post_notice(struct sim_end *to, enum parcel_kind kind)
{
	struct parcel *parcel = new_parcel(kind, NULL, 0);

	if (!parcel)
		abort();
	post(to, parcel);
}

/*
 * Delivery
 */

/* The descriptors of a message change hands. */
static void deliver(struct sim_end *end, struct parcel *parcel)
{
	struct sim_listener *listener = end->listener;
	unsigned int fd_count = parcel->fd_count;

	switch (parcel->kind) {
	case PARCEL_CALL:
		end->listener = NULL;
		listener->base.handler->incoming(&listener->base, &end->base);
		break;
	case PARCEL_MESSAGE:
		parcel->fd_count = 0;
		end->base.handler->message(&end->base, parcel->msg, parcel->size, parcel->fds,
					   fd_count);
		break;
	case PARCEL_LOST:
		end->base.handler->lost(&end->base, DOCA_ERROR_CONNECTION_RESET);
		break;
	}
}

static void arrive(struct timer *timer)
{
	struct sim_end *end = container_of(timer, struct sim_end, timer);

	end->busy = true;
	while (!end->closed && !list_is_empty(&end->arriving) &&
	       next_parcel(end)->due_ns <= clock_now_ns()) {
		struct parcel *parcel = next_parcel(end);

		list_remove(&parcel->node);
		deliver(end, parcel);
		free_parcel(parcel);
	}
	end->busy = false;
	if (end->closed)
		free(end);
	else
		expect_next(end);
}

static doca_error_t sim_send(struct link *link, const void *msg, size_t size, const int *fds,
			     unsigned int fd_count)
{
	struct sim_end *end = end_of(link);
	struct parcel *parcel;
	doca_error_t err;

	assert(size <= FD_MESSAGE_MAX && fd_count <= FD_MESSAGE_FDS_MAX);
	if (!end->other)
		return DOCA_ERROR_CONNECTION_RESET;
	parcel = new_parcel(PARCEL_MESSAGE, msg, size);
	if (!parcel)
		return DOCA_ERROR_NO_MEMORY;
	err = priv_fd_copy_all(fds, fd_count, parcel->fds);
	if (err) {
		free_parcel(parcel);
		return err;
	}
	parcel->fd_count = fd_count;
	post(end->other, parcel);
	return DOCA_SUCCESS;
}

/* The two ends know each other no more; the other one will hear of it. */
static void cut(struct sim_end *end)
{
	struct sim_end *other = end->other;

	if (!other)
		return;
	end->other = other->other = NULL;
	post_notice(other, PARCEL_LOST);
}

static void sim_close(struct link *link)
{
	struct sim_end *end = end_of(link);

	assert(!end->closed);
	cut(end);
	drop_parcels(end);
	list_remove(&end->node);
	end->closed = true;
	if (!end->busy)
		free(end);
}

/*
 * Finding each other
 */

static bool is_same_addr(const struct link_addr *a, const struct link_addr *b)
{
	return a->card == b->card && !strcmp(a->function, b->function) &&
	       !strcmp(a->service, b->service);
}

static struct sim_listener *find_listener(const struct sim *sim, const struct link_addr *addr)
{
	struct list_node *node;

	list_for_each (node, &sim->listeners) {
		struct sim_listener *listener = container_of(node, struct sim_listener, node);

		if (is_same_addr(&listener->base.addr, addr))
			return listener;
	}
	return NULL;
}

static doca_error_t sim_listen(struct poll_group *group, const struct link_addr *addr,
			       struct link_listener **ret_listener)
{
	struct sim *sim = current_sim();
	struct sim_listener *listener;

	if (find_listener(sim, addr))
		return DOCA_ERROR_IN_USE;
	listener = calloc(1, sizeof(*listener));
	if (!listener)
		return DOCA_ERROR_NO_MEMORY;
	listener->base.addr = *addr;
	listener->sim = sim;
	listener->party = priv_party_current();
	listener->group = group;
	list_add_tail(&sim->listeners, &listener->node);
	*ret_listener = &listener->base;
	return DOCA_SUCCESS;
}

/* Callers who have not been let in hear that nobody is there. */
static void forget_callers(struct sim_listener *listener)
{
	struct list_node *node, *tmp;

	list_for_each_safe (node, tmp, &listener->sim->ends) {
		struct sim_end *end = container_of(node, struct sim_end, node);

		if (end->listener == listener)
			sim_close(&end->base);
	}
}

static void sim_unlisten(struct link_listener *base)
{
	struct sim_listener *listener = container_of(base, struct sim_listener, base);

	list_remove(&listener->node);
	forget_callers(listener);
	free(listener);
}

static struct sim_end *new_end(struct sim *sim, const struct party *party, struct poll_group *group)
{
	struct sim_end *end = calloc(1, sizeof(*end));

	if (!end)
		return NULL;
	end->base.ops = &sim_link_ops;
	end->base.group = group;
	end->base.peer = (struct link_peer){.uid = geteuid(), .gid = getegid(), .pid = getpid()};
	end->sim = sim;
	end->party = party;
	list_init(&end->arriving);
	list_init(&end->timer.node);
	end->timer.fire = arrive;
	list_add_tail(&sim->ends, &end->node);
	return end;
}

static doca_error_t sim_connect(struct poll_group *group, const struct link_addr *addr,
				struct link **ret_link)
{
	struct sim *sim = current_sim();
	struct sim_listener *listener = find_listener(sim, addr);
	struct sim_end *near, *far;

	if (!listener)
		return DOCA_ERROR_NOT_FOUND;
	if (random_percent(&sim->random, sim->busy_percent))
		return DOCA_ERROR_AGAIN;
	near = new_end(sim, priv_party_current(), group);
	if (!near)
		return DOCA_ERROR_NO_MEMORY;
	far = new_end(sim, listener->party, listener->group);
	if (!far) {
		sim_close(&near->base);
		return DOCA_ERROR_NO_MEMORY;
	}
	near->other = far;
	far->other = near;
	far->listener = listener;
	post_notice(far, PARCEL_CALL);
	*ret_link = &near->base;
	return DOCA_SUCCESS;
}

/*
 * Death
 */

void sim_kill(struct sim *sim, const struct party *party)
{
	struct list_node *node, *tmp;

	list_for_each_safe (node, tmp, &sim->listeners) {
		struct sim_listener *listener = container_of(node, struct sim_listener, node);

		if (listener->party != party)
			continue;
		list_remove(node);
		forget_callers(listener);
	}
	list_for_each (node, &sim->ends) {
		struct sim_end *end = container_of(node, struct sim_end, node);

		if (end->party != party)
			continue;
		drop_parcels(end);
		cut(end);
		post_notice(end, PARCEL_LOST);
	}
}

static void sim_explain(const struct link_addr *addr, char *text, size_t size)
{
	(void)addr;
	snprintf(text, size, "nobody listens there in this simulation");
}

const struct link_ops sim_link_ops = {
	.listen = sim_listen,
	.unlisten = sim_unlisten,
	.connect = sim_connect,
	.send = sim_send,
	.close = sim_close,
	.explain = sim_explain,
};
