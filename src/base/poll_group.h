/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Things that can be polled, and the group that polls them.
 *
 * A poller is hot or cold. A hot poller is looked at in every priv_poll_group_poll(). A cold one
 * costs nothing: it has armed its source, and whoever gives it work raises a file descriptor that
 * the group's epoll instance watches (a "watch"). When few pollers are hot they stay hot; when
 * there are many, the ones without work are cooled, so that the cost of a poll follows the number
 * of busy sources and not the number of sources.
 *
 * Sleeping is the same step for all at once: priv_poll_group_arm() cools every poller and says
 * whether the caller may sleep on the group's descriptor. The protocol: announce (ops->arm),
 * barrier, look again (ops->pending). Sources publish, then read the announcement. Which barrier,
 * and who else needs one: base/sleeper.h.
 *
 * A group belongs to one thread at a time. Any thread may call priv_poll_group_wake(), _post() and
 * _retract(), and make a watched descriptor ready.
 */
#ifndef SOFTFIELD_BASE_POLL_GROUP_H
#define SOFTFIELD_BASE_POLL_GROUP_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/epoll.h>
#include "base/busy_poll.h"
#include "base/export.h"
#include "base/list.h"
#include "doca_error.h"

struct poller;
struct poll_group;

struct poller_ops {
	/* does a bounded amount of work, never blocks, returns how much it did */
	unsigned int (*poll)(struct poller *poller);
	/*
	 * Announces to the source that a wake-up is needed. often: this is not the only sleep
	 * within a short time. True: a fence is barrier enough, because the source fences, too, or
	 * the kernel orders it (base/sleeper.h). NULL, as is disarm then: whatever brings work
	 * wakes in any case, or it comes from the group's thread.
	 */
	bool (*arm)(struct poller *poller, bool often);
	/*
	 * Is there work for poll, which no wake-up will announce any more? Called after arm and the
	 * barrier, and by who only wants to know (busy_poll.h). True for other reasons only between
	 * arm and disarm.
	 */
	bool (*pending)(struct poller *poller);
	/* takes the announcement back */
	void (*disarm)(struct poller *poller);
	/*
	 * Its work appears in memory that somebody else writes, and a poll that finds none is
	 * hardly more than a look there: it may be repeated.
	 */
	bool polls_memory;
};

struct poller {
	const struct poller_ops *ops;
	struct poll_group *group;
	struct list_node node; /* in group->hot or group->cold */
	bool hot;
	bool active;	/* did work since the last look at the idle ones */
	uint32_t added; /* group->round then */
};

/* A descriptor in the group's epoll instance (edge-triggered). */
struct watch {
	int fd;
	/* called from priv_poll_group_poll(); may remove any watch, also this one */
	void (*ready)(struct watch *watch, uint32_t events);
	struct list_node raised_node;
	uint32_t raised_events;
	struct list_node posted_node;
};

/* Fires once, from priv_poll_group_poll(). */
struct timer {
	struct list_node node;
	uint64_t deadline_ns;
	void (*fire)(struct timer *timer);
};

#define POLL_GROUP_EVENTS 64

struct poll_group {
	struct list_node hot, cold;
	unsigned int hot_count, cold_count;
	unsigned int hot_in_memory; /* of the hot ones: those with polls_memory */
	struct list_node *next;	    /* after the poller being polled: fixed up on removal */
	uint32_t round;	      /* counts polls: who was added in one is polled from the next on */
	uint32_t armed_round; /* when it was armed last */
	struct list_node raised;
	atomic_bool has_posted;	     /* a hint that posted is not empty */
	pthread_mutex_t posted_lock; /* of posted; a leaf */
	struct list_node posted;     /* watches that other threads have raised */
	struct list_node timers;
	int epoll_fd;
	struct watch self;    /* eventfd: priv_poll_group_wake() */
	struct watch timer;   /* timerfd; -1 until it is needed */
	uint64_t timed;	      /* ticks: when a poll last asked the clock, */
	uint32_t timed_round; /* and which one that was */
	bool rare;	      /* they were far apart then */
	uint64_t next_look;   /* ticks: when to ask the kernel again while polling finds nothing */
	uint64_t next_busy_look;
	uint32_t looks_soon; /* times it is still to be asked soon, since it knew of something */
	uint64_t next_sweep;
	uint32_t idle_polls; /* in a row */
	bool armed;	/* the caller may sleep: what the kernel does not know of holds it up */
	uint32_t arms;	/* how often it was */
	bool must_look; /* since then no poll has asked the kernel */
	bool all_timed; /* each poll asks the clock; recomputed whenever one has */
	/*
	 * Its owner holds a lock while it polls. No poll lets others run, but the owner is to, when
	 * wants_yield is set: clears that, gives the lock back, and naps or calls
	 * priv_yield_to_others().
	 */
	bool is_locked;
	bool wants_yield;
	bool held; /* the descriptor stays readable until it is cleared or armed again */
	struct busy_poll busy_poll;
	/* being handled; entries of removed watches are cleared */
	struct epoll_event events[POLL_GROUP_EVENTS];
	int event_count;
	bool is_disowned;
	/* the program has epoll_fd, and may have told another epoll instance of it */
	bool is_shown;
};

PRIV_EXPORT doca_error_t priv_poll_group_init(struct poll_group *group);
PRIV_EXPORT void priv_poll_group_fini(struct poll_group *group);
/*
 * In a child of fork(), when nothing but timers and itself is in it: gives it descriptors of its
 * own, unless the program has been given epoll_fd (is_shown).
 */
PRIV_EXPORT void priv_poll_group_renew(struct poll_group *group);
/* In a child of fork(): forgets everything that is in it, without a look. It stays empty. */
PRIV_EXPORT void priv_poll_group_disown(struct poll_group *group);

PRIV_EXPORT void priv_poll_group_add(struct poll_group *group, struct poller *poller);
PRIV_EXPORT void priv_poll_group_remove(struct poller *poller);
/* makes a cold poller hot again; called when its source raised it */
PRIV_EXPORT void priv_poll_group_heat(struct poller *poller);
/* If all are cold: makes as many hot as stay so without work. Polls go on that nobody sleeps in. */
PRIV_EXPORT void priv_poll_group_warm(struct poll_group *group);

/* its descriptor, for the program */
static inline int poll_group_show(struct poll_group *group)
{
	group->is_shown = true;
	return group->epoll_fd;
}

/* a watch without a descriptor, for raise and post */
static inline void watch_init(struct watch *watch,
			      void (*ready)(struct watch *watch, uint32_t events))
{
	watch->fd = -1;
	watch->ready = ready;
	watch->raised_events = 0;
	list_init(&watch->raised_node);
	list_init(&watch->posted_node);
}

PRIV_EXPORT doca_error_t priv_poll_group_watch(struct poll_group *group, struct watch *watch,
					       uint32_t events);
/*
 * The same for a bell (base/bell.h). Whoever rang it before is not heard: see to what it could be
 * about afterwards.
 */
PRIV_EXPORT doca_error_t priv_poll_group_watch_bell(struct poll_group *group, struct watch *watch);
/* other events from now on */
PRIV_EXPORT void priv_poll_group_rewatch(struct poll_group *group, struct watch *watch,
					 uint32_t events);
PRIV_EXPORT void priv_poll_group_unwatch(struct poll_group *group, struct watch *watch);
/* makes the group call watch->ready in its next poll, as if the descriptor had become ready */
PRIV_EXPORT void priv_poll_group_raise(struct poll_group *group, struct watch *watch,
				       uint32_t events);

/*
 * The same from any thread. The watch must have been prepared with watch_init(), need not be
 * watched, and is taken back with priv_poll_group_retract() before it goes away.
 */
PRIV_EXPORT void priv_poll_group_post(struct poll_group *group, struct watch *watch);
PRIV_EXPORT void priv_poll_group_retract(struct poll_group *group, struct watch *watch);

/*
 * A sleep that a timer ends takes a descriptor. It is there from now on, for whoever adds a timer
 * when there may be none left. FULL
 */
PRIV_EXPORT doca_error_t priv_poll_group_timer_prepare(struct poll_group *group);
PRIV_EXPORT void priv_poll_group_timer_add(struct poll_group *group, struct timer *timer,
					   uint64_t delay_ns);
PRIV_EXPORT void priv_poll_group_timer_remove(struct timer *timer);
/* when the first timer is due; UINT64_MAX: there is none */
PRIV_EXPORT uint64_t priv_poll_group_next_deadline(const struct poll_group *group);

/*
 * One round; returns the amount of work done. done: how much the caller has found to do besides; a
 * caller who is busy elsewhere asks the kernel less often.
 */
PRIV_EXPORT unsigned int priv_poll_group_poll(struct poll_group *group, unsigned int done);
/* The caller has had work of one of the pollers, which no poll may have said. */
PRIV_EXPORT void priv_poll_group_note_work(struct poll_group *group);

/*
 * Others keep the CPU: whoever can be woken sleeps instead, for a moment at most. Where a lock is
 * given back for the time of it: begin, with the lock; nap, without; end, with it. Whoever is hot
 * before is so afterwards. false: no nap now
 */
struct nap {
	uint64_t begin; /* ticks */
	int epoll_fd;
	unsigned int hot_count;
	bool has_work; /* no sleep either, but all the rest */
};
PRIV_EXPORT bool priv_poll_group_begin_nap(struct poll_group *group, struct nap *nap);
PRIV_EXPORT void priv_poll_group_nap(const struct nap *nap);
PRIV_EXPORT void priv_poll_group_end_nap(struct poll_group *group, const struct nap *nap);

/*
 * Asks the kernel which watched descriptors have become ready; returns how many were. Polls do it
 * by themselves; a poller whose work comes through watches does it more often.
 */
PRIV_EXPORT unsigned int priv_poll_group_look(struct poll_group *group);

/* a look at one of them, if it is hot: less than a round, when the others can wait */
static inline void poller_look(struct poller *poller)
{
	if (poller->hot && poller->ops->poll(poller))
		poller->active = true;
}

/*
 * Arms the given pollers, all hot, and cools those that have no work. Returns how many stay hot
 * because they have.
 */
unsigned int poll_group_cool_all(struct list_node *pollers, bool often);

/* It is about to be no more: this thread does not wait for work in it, but in another one. */
void poll_group_forget(const struct poll_group *group);
/* is there work in memory, or from this process, that needs no wake-up? of hot pollers */
bool poll_group_has_pending(const struct poll_group *group);

/*
 * Makes group->epoll_fd readable as soon as any work arrives from now on. False: there is work
 * already; poll, or have the descriptor held.
 */
PRIV_EXPORT bool priv_poll_group_arm(struct poll_group *group);

/*
 * Takes in what made the descriptor readable; the next poll works on it, and the descriptor is
 * quiet until something new arrives.
 */
PRIV_EXPORT void priv_poll_group_clear(struct poll_group *group);

/* keeps the descriptor readable until then, or until it is armed anew, whatever polls take in */
PRIV_EXPORT void priv_poll_group_hold(struct poll_group *group);

/*
 * Something has come up that the kernel does not know of, in the thread of the group: ends the
 * sleep that may follow.
 */
static inline void poll_group_end_sleep(struct poll_group *group)
{
	if (__builtin_expect(group->armed, 0))
		priv_poll_group_hold(group);
}

/* makes the group's descriptor readable; callable from any thread */
PRIV_EXPORT void priv_poll_group_wake(struct poll_group *group);

#endif
