/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What execution units do: run DPA code, drive their engine, and sleep when there is neither.
 */
#include <errno.h>
#include <poll.h>
#include <sched.h>
#include "base/clock.h"
#include "base/yield.h"
#include "core/pe.h"
#include "dpa/thread.h"
#include "dpa/unit_priv.h"

#define POLLS_PER_LOOK 32u /* at the clock; others may have the CPU, too */
/* one whose engine is polled by DPA code looks so often whether that goes on */
#define NAP_NS 1000000

/*
 * A unit's rounds
 */

static unsigned int do_work(struct unit *unit)
{
	void (*ended)(struct unit_work * work);
	struct unit_work *work;
	bool is_wait;

	/* Relaxed: a look. */
	if (!atomic_load_explicit(&unit->work, memory_order_relaxed))
		return 0;
	work = atomic_exchange(&unit->work, NULL);
	ended = work->ended; /* which may be all that it has to do with the work */
	is_wait = work->is_wait;
	work->run(work);
	lend_come_back(unit, is_wait);
	ended(work);
	return 1;
}

/* NULL: it has none, or DPA code polls that */
static struct doca_pe *own_engine(struct unit *unit)
{
	/* Acquire: pairs with the release in engine_create(). */
	struct doca_pe *pe = atomic_load_explicit(&unit->pe, memory_order_acquire);

	/* Relaxed: a look. Who polls it comes back, or the unit's next nap is the last one. */
	if (!pe || atomic_load_explicit(&unit->engine.is_polled, memory_order_relaxed))
		return NULL;
	return pe;
}

static unsigned int drive_engine(struct unit *unit)
{
	struct doca_pe *pe = own_engine(unit);
	unsigned int done;

	if (!pe)
		return 0;
	dpa_engine_lock(&unit->engine);
	done = priv_pe_work(pe);
	unit->wants_yield = pe->group.wants_yield;
	pe->group.wants_yield = false;
	dpa_engine_unlock(&unit->engine);
	return done;
}

/* the next thread that was triggered; it is `active` then */
static struct doca_dpa_thread *take_thread(struct unit *unit)
{
	struct list_node *node;

	list_for_each (node, &unit->threads) {
		struct doca_dpa_thread *thread =
			container_of(node, struct doca_dpa_thread, unit_node);

		if (!thread_take_trigger(thread))
			continue;
		/* Relaxed: see the lock. */
		atomic_store_explicit(&thread->is_active, true, memory_order_relaxed);
		list_remove(node); /* to the end: each has its turn */
		list_add_tail(&unit->threads, node);
		return thread;
	}
	return NULL;
}

/* the same, if any may have been; when there are several, the next round looks again */
static struct doca_dpa_thread *find_thread(struct unit *unit)
{
	struct doca_dpa_thread *thread;

	/*
	 * Relaxed: a look. The exchange comes before what it stands for is looked at: who calls
	 * meanwhile is seen now, or calls again.
	 */
	if (!atomic_load_explicit(&unit->is_called, memory_order_relaxed) ||
	    !atomic_exchange(&unit->is_called, false))
		return NULL;
	pthread_mutex_lock(&unit->lock);
	thread = take_thread(unit);
	if (thread && unit->threads.next != unit->threads.prev)
		atomic_store_explicit(&unit->is_called, true, memory_order_relaxed);
	pthread_mutex_unlock(&unit->lock);
	return thread;
}

/* The thread may be gone after this. */
static void end_activation(struct unit *unit, struct doca_dpa_thread *thread)
{
	/* Sequentially consistent, both: who waits says so, then looks. */
	atomic_store(&thread->is_active, false);
	if (!atomic_load(&unit->num_droppers))
		return;
	pthread_mutex_lock(&unit->lock); /* who has decided to wait does so by now */
	pthread_cond_broadcast(&unit->woken);
	pthread_mutex_unlock(&unit->lock);
}

static unsigned int run_thread(struct unit *unit)
{
	struct doca_dpa_thread *thread = find_thread(unit);

	if (!thread)
		return 0;
	thread_activate(thread);
	/* Relaxed: a flag. It polls no more; who else does says so again. */
	atomic_store_explicit(&unit->engine.is_polled, false, memory_order_relaxed);
	end_activation(unit, thread);
	return 1;
}

static bool has_triggered(struct unit *unit)
{
	struct list_node *node;

	list_for_each (node, &unit->threads)
		if (thread_is_triggered(container_of(node, struct doca_dpa_thread, unit_node)))
			return true;
	return false;
}

/* Sequentially consistent: who brings work publishes it, then looks whether the unit is asleep. */
static bool may_sleep(struct unit *unit)
{
	return !atomic_load(&unit->stopping) && !atomic_load(&unit->work) && !has_triggered(unit);
}

static bool has_nothing(struct unit *unit)
{
	bool sleeps;

	pthread_mutex_lock(&unit->lock);
	sleeps = may_sleep(unit);
	pthread_mutex_unlock(&unit->lock);
	return sleeps;
}

/* The engine's descriptor becomes readable when there is something to do, or by unit_wake(). */
static void sleep_in_engine(struct unit *unit, struct doca_pe *pe)
{
	struct pollfd waiting = {.events = POLLIN};

	doca_pe_get_notification_handle(pe, &waiting.fd);
	pthread_mutex_lock(&unit->engine.lock);
	unit->engine.is_asleep = true;
	doca_pe_request_notification(pe);
	pthread_mutex_unlock(&unit->engine.lock);
	if (has_nothing(unit))
		poll(&waiting, 1, -1);
	pthread_mutex_lock(&unit->engine.lock);
	unit->engine.is_asleep = false;
	doca_pe_clear_notification(pe, waiting.fd);
	pthread_mutex_unlock(&unit->engine.lock);
}

/* of one that has an engine and nothing to do */
static void let_others_run(struct unit *unit, struct doca_pe *pe)
{
	struct nap nap;
	bool naps;

	atomic_store(&unit->asleep, true); /* first: whoever finds the engine asleep wakes it */
	pthread_mutex_lock(&unit->engine.lock);
	naps = unit->engine.is_asleep = priv_poll_group_begin_nap(&pe->group, &nap);
	pthread_mutex_unlock(&unit->engine.lock);
	if (naps && has_nothing(unit))
		priv_poll_group_nap(&nap);
	atomic_store(&unit->asleep, false);
	if (!naps) {
		priv_yield_to_others();
		return;
	}
	pthread_mutex_lock(&unit->engine.lock);
	unit->engine.is_asleep = false;
	priv_poll_group_end_nap(&pe->group, &nap);
	pthread_mutex_unlock(&unit->engine.lock);
}

/* false: somebody has woken the unit; with its lock held */
static bool nap(struct unit *unit)
{
	uint64_t end = clock_now_ns() + NAP_NS;
	const struct timespec until = {.tv_sec = (time_t)(end / 1000000000u),
				       .tv_nsec = (long)(end % 1000000000u)};

	return pthread_cond_timedwait(&unit->woken, &unit->lock, &until) == ETIMEDOUT;
}

/*
 * DPA code that polls the engine drives it. It would ask the kernel each time if all were cold, and
 * may stop at any time. false: nobody polls it.
 */
static bool nap_while_polled(struct unit *unit, struct doca_pe *pe)
{
	bool has_napped = false;

	/* Relaxed: a look. */
	if (!atomic_load_explicit(&unit->engine.is_polled, memory_order_relaxed))
		return false;
	pthread_mutex_lock(&unit->engine.lock);
	priv_poll_group_warm(&pe->group);
	pthread_mutex_unlock(&unit->engine.lock);
	pthread_mutex_lock(&unit->lock);
	while (may_sleep(unit) && atomic_exchange(&unit->engine.is_polled, false)) {
		has_napped = true;
		if (!nap(unit))
			break;
	}
	pthread_mutex_unlock(&unit->lock);
	return has_napped;
}

static void sleep_until_woken(struct unit *unit)
{
	struct doca_pe *pe = atomic_load(&unit->pe);

	atomic_store(&unit->asleep, true);
	unit->was_polled = pe && nap_while_polled(unit, pe);
	if (pe && !unit->was_polled) {
		sleep_in_engine(unit, pe);
	} else if (!pe) {
		pthread_mutex_lock(&unit->lock);
		if (may_sleep(unit) && !atomic_load(&unit->pe))
			pthread_cond_wait(&unit->woken, &unit->lock);
		pthread_mutex_unlock(&unit->lock);
	}
	atomic_store(&unit->asleep, false);
}

/* In this order: a thread that work or the engine has woken runs in the same round. */
static unsigned int run_round(struct unit *unit)
{
	unsigned int done = do_work(unit);

	done += drive_engine(unit);
	return done + run_thread(unit);
}

/* How long a unit has had nothing to do, and what it has done about it. */
struct idleness {
	uint64_t since; /* when it first asked the clock; 0: it has not yet */
	unsigned int polls;
	bool has_yielded;
};

/* Before it sleeps others have run: maybe what it waits for needs just this CPU. */
static void idle(struct unit *unit, struct idleness *idleness)
{
	/* DPA code that has polled will do so again, and finds nothing to look at while we nap. */
	struct doca_pe *pe = unit->was_polled ? NULL : own_engine(unit);
	const bool wants_yield = unit->wants_yield;
	uint64_t now;
	bool is_over;

	clock_relax();
	unit->wants_yield = false;
	if (++idleness->polls % POLLS_PER_LOOK && !wants_yield)
		return;
	now = clock_now_ns();
	if (!idleness->since)
		idleness->since = now;
	is_over = now - idleness->since >= unit->spin_ns;
	if (pe && (is_over ? !idleness->has_yielded : wants_yield)) {
		idleness->has_yielded = true;
		let_others_run(unit, pe);
	} else if (is_over) {
		sleep_until_woken(unit);
		unit_note_sleep(unit, clock_now_ns() - idleness->since);
		*idleness = (struct idleness){0};
	} else if (!pe) {
		sched_yield();
	}
}

void *exec_unit(void *arg)
{
	struct unit *unit = arg;
	struct idleness idleness = {0};

	while (!atomic_load(&unit->stopping)) {
		if (run_round(unit))
			idleness = (struct idleness){0};
		else
			idle(unit, &idleness);
	}
	do_work(unit); /* which was given to it before; it gives up soon */
	return NULL;
}
