/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Looking for what has happened, and sleeping until something does.
 */
#include <poll.h>
#include <pthread.h>
#include "base/clock.h"
#include "base/yield.h"
#include "comm_channel/ep.h"

/* A blocking call polls for so long before it sleeps. */
#define SPIN_NS 50000u

void ep_look(struct doca_comm_channel_ep_t *ep)
{
	uint64_t now = clock_ticks();

	/* Hot pollers are all looked at; of cold ones the kernel knows. */
	if (!list_is_empty(&ep->group.cold))
		priv_poll_group_clear(&ep->group);
	priv_poll_group_poll(&ep->group, !list_is_empty(&ep->ready));
	ep->seen = now;
}

void ep_look_for_gone(struct doca_comm_channel_ep_t *ep, bool is_busy)
{
	priv_poll_group_clear(&ep->group);
	priv_poll_group_poll(&ep->group, is_busy);
}

void ep_pass_on(struct doca_comm_channel_ep_t *ep)
{
	if (!ep->sleepers)
		return;
	if (!ep->to_wake &&
	    (ep->has_news || (!ep->group.armed && !priv_poll_group_arm(&ep->group))))
		ep->to_wake = ep->sleepers;
	ep->has_news = false;
	if (ep->to_wake && !ep->group.held)
		priv_poll_group_hold(&ep->group);
}

/* also of a thread that is cancelled */
static void wake_up(void *arg)
{
	struct doca_comm_channel_ep_t *ep = arg;

	ep_lock(ep);
	ep->sleepers--;
	ep->to_wake -= ep->to_wake != 0;
	ep_unlock(ep);
}

/* without the lock */
static void sleep_until_news(struct doca_comm_channel_ep_t *ep)
{
	struct pollfd pollfd = {.fd = ep->group.epoll_fd, .events = POLLIN};

	pthread_cleanup_push(wake_up, ep);
	poll(&pollfd, 1, -1); /* when a signal ends it, the caller polls in vain and comes back */
	pthread_cleanup_pop(1);
}

/* Without the lock, until there is something to poll for. */
static void fall_asleep(struct doca_comm_channel_ep_t *ep)
{
	ep_tell_waiters(ep);
	if (!ep->to_wake && !priv_poll_group_arm(&ep->group))
		return;
	ep->group.wants_yield = false; /* others run */
	if (ep->to_wake) {	       /* before they have looked, nothing wakes them once more */
		ep_unlock(ep);
		sched_yield();
	} else {
		ep->has_news = false;
		ep->sleepers++;
		ep_unlock(ep);
		sleep_until_news(ep);
	}
	ep_lock(ep);
}

void ep_let_others_run(struct doca_comm_channel_ep_t *ep)
{
	struct nap nap;

	ep->group.wants_yield = false;
	if (!priv_poll_group_begin_nap(&ep->group, &nap)) {
		ep_unlock(ep);
		priv_yield_to_others();
		return;
	}
	ep_unlock(ep);
	priv_poll_group_nap(&nap);
	ep_lock(ep);
	priv_poll_group_end_nap(&ep->group, &nap);
	ep_tell_waiters(ep); /* who may have come meanwhile */
	ep_unlock(ep);
}

void ep_wait(struct doca_comm_channel_ep_t *ep, struct ep_wait *wait)
{
	uint64_t now = clock_now_ns();
	bool is_over;

	if (!wait->until_ns)
		wait->until_ns = now + SPIN_NS;
	is_over = now >= wait->until_ns;
	/* Before it sleeps it has let others run: maybe its peer waits for just this CPU. */
	if (is_over ? !wait->has_yielded : ep->group.wants_yield) {
		wait->has_yielded = true;
		ep_tell_waiters(ep);
		ep_let_others_run(ep);
		ep_lock(ep);
	} else if (is_over) {
		fall_asleep(ep);
	}
}
