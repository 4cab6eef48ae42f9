/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Execution units: threads that run DPA code, drive their engine, and sleep when there is neither.
 */
#define LOG_MODULE "dpa"
#include "dpa/exec.h"

#include <errno.h>
#include <poll.h>
#include <sched.h>
#include <stdlib.h>
#include "base/clock.h"
#include "base/log.h"
#include "base/no_cancel.h"
#include "base/worker.h"
#include "base/yield.h"
#include "core/pe.h"
#include "dpa/thread.h"
#include "dpa/unit.h"

/* Of a DPA; each is a thread of the program. The rest is for waits, and for what runs. */
#define MAX_PINNED 1024u
#define MAX_UNITS  (MAX_PINNED + MAX_WAITS + DPA_EUS)

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
	unit_come_back(unit, is_wait);
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
	done = priv_pe_progress(pe);
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

static void *run_unit(void *arg)
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

void unit_wake(struct unit *unit)
{
	struct doca_pe *pe;

	if (!atomic_load(&unit->asleep))
		return;
	pthread_mutex_lock(&unit->lock); /* who has decided to wait does so by now */
	pe = atomic_load(&unit->pe);
	if (pe)
		priv_poll_group_wake(&pe->group);
	pthread_mutex_unlock(&unit->lock); /* who is woken wants it */
	pthread_cond_broadcast(&unit->woken);
}

void unit_call(struct unit *unit)
{
	/* Release: pairs with the exchange in find_thread(); why it is called is seen with it. */
	atomic_store_explicit(&unit->is_called, true, memory_order_release);
	unit_wake(unit);
}

static void wake_engine(struct dpa_engine *engine)
{
	unit_wake(container_of(engine, struct unit, engine));
}

/*
 * Engines
 */

/* with the unit's lock held */
static doca_error_t engine_create(struct unit *unit)
{
	struct doca_pe *pe;
	doca_error_t err = priv_pe_create(&pe);

	if (err)
		return err;
	pe->group.is_locked = true;
	atomic_store(&unit->engine.is_polled, false);
	unit->engine.pe = pe;
	unit->engine.wake = wake_engine;
	/* Release: pairs with the acquire in own_engine(). */
	atomic_store_explicit(&unit->pe, pe, memory_order_release);
	return DOCA_SUCCESS;
}

doca_error_t unit_get_engine(struct unit *unit, struct dpa_engine **ret_engine)
{
	doca_error_t err = DOCA_SUCCESS;

	pthread_mutex_lock(&unit->lock);
	if (!atomic_load(&unit->pe))
		err = engine_create(unit);
	pthread_mutex_unlock(&unit->lock);
	if (err)
		return err;
	unit_wake(unit); /* it sleeps in another way from now on */
	*ret_engine = &unit->engine;
	return DOCA_SUCCESS;
}

/*
 * Units
 */

/* Of DPAs that have ended. Code of another one may still come for the lock of an engine. */
static struct list_node spare_units = {&spare_units, &spare_units}; /* under priv_fork_hold() */

static void unit_free(struct unit *unit)
{
	struct doca_pe *pe;

	pthread_mutex_lock(&unit->lock); /* who wakes it may be late: units_lend() */
	pe = atomic_exchange(&unit->pe, NULL);
	pthread_mutex_unlock(&unit->lock);
	if (pe)
		priv_pe_destroy(pe);
	priv_fork_hold();
	list_add_tail(&spare_units, &unit->node);
	priv_fork_release();
}

/* NULL: no memory */
static struct unit *unit_alloc(void)
{
	pthread_condattr_t attr;
	struct list_node *node;
	struct unit *unit;

	priv_fork_hold();
	node = list_pop(&spare_units);
	priv_fork_release();
	if (node)
		return container_of(node, struct unit, node);
	unit = calloc(1, sizeof(*unit));
	if (!unit)
		return NULL;
	list_init(&unit->node);
	list_init(&unit->free_node);
	list_init(&unit->threads);
	pthread_mutex_init(&unit->lock, NULL);
	pthread_condattr_init(&attr);
	pthread_condattr_setclock(&attr, CLOCK_MONOTONIC); /* nap() */
	pthread_cond_init(&unit->woken, &attr);
	pthread_condattr_destroy(&attr);
	pthread_mutex_init(&unit->engine.lock, NULL);
	return unit;
}

/* with dpa->unit_lock held */
static doca_error_t unit_create(struct doca_dpa *dpa, struct unit **ret_unit)
{
	struct unit *unit;
	char name[16];
	doca_error_t err;

	if (dpa->num_units >= dpa->max_units)
		return DOCA_ERROR_FULL;
	unit = unit_alloc();
	if (!unit)
		return DOCA_ERROR_NO_MEMORY;
	unit->dpa = dpa;
	unit->eu_id = DPA_EUS;
	unit->spin_ns = UNIT_SPIN_NS;
	atomic_store(&unit->stopping, false);
	snprintf(name, sizeof(name), "dpa_%u", dpa->num_units);
	err = priv_worker_spawn(&unit->thread, run_unit, unit, name);
	if (err) {
		unit_free(unit);
		return err;
	}
	dpa->num_units++;
	list_add_tail(&dpa->units, &unit->node);
	*ret_unit = unit;
	return DOCA_SUCCESS;
}

doca_error_t unit_take(struct doca_dpa *dpa, struct unit **ret_unit)
{
	struct list_node *node;

	if (atomic_load(&dpa->is_ending))
		return DOCA_ERROR_BAD_STATE;
	node = list_pop(&dpa->free_units);
	if (!node)
		return unit_create(dpa, ret_unit);
	dpa->num_free--;
	*ret_unit = container_of(node, struct unit, free_node);
	return DOCA_SUCCESS;
}

void unit_give_back(struct unit *unit)
{
	list_add_head(&unit->dpa->free_units, &unit->free_node);
	unit->dpa->num_free++;
}

/*
 * Places of threads
 */

/* with dpa->unit_lock held; NULL: no thread has this affinity yet */
static struct unit *find_pinned(struct doca_dpa *dpa, unsigned int eu_id)
{
	struct list_node *node;

	list_for_each (node, &dpa->units) {
		struct unit *unit = container_of(node, struct unit, node);

		if (unit->eu_id == eu_id)
			return unit;
	}
	return NULL;
}

doca_error_t unit_take_thread(struct doca_dpa_thread *thread, unsigned int eu_id,
			      struct unit **ret_unit)
{
	struct doca_dpa *dpa = dpa_base(thread->dpa);
	struct unit *unit = NULL;
	doca_error_t err = DOCA_SUCCESS;

	pthread_mutex_lock(&dpa->unit_lock);
	if (eu_id < DPA_EUS)
		unit = find_pinned(dpa, eu_id);
	if (!unit)
		err = dpa->num_pinned < MAX_PINNED ? unit_take(dpa, &unit) : DOCA_ERROR_FULL;
	if (!err) {
		unit->eu_id = eu_id;
		dpa->num_pinned += unit->num_threads++ == 0;
		pthread_mutex_lock(&unit->lock);
		list_add_tail(&unit->threads, &thread->unit_node);
		pthread_mutex_unlock(&unit->lock);
		*ret_unit = unit;
	}
	pthread_mutex_unlock(&dpa->unit_lock);
	return err;
}

void unit_drop_thread(struct unit *unit, struct doca_dpa_thread *thread)
{
	struct doca_dpa *dpa = unit->dpa;
	struct list_node refused;
	NO_CANCEL();

	/* What runs may want a unit of the DPA itself: its lock comes after that wait. */
	pthread_mutex_lock(&unit->lock);
	atomic_fetch_add(&unit->num_droppers, 1);
	while (atomic_load(&thread->is_active))
		pthread_cond_wait(&unit->woken, &unit->lock);
	atomic_fetch_sub(&unit->num_droppers, 1);
	list_remove(&thread->unit_node);
	pthread_mutex_unlock(&unit->lock);

	list_init(&refused);
	pthread_mutex_lock(&dpa->unit_lock);
	if (--unit->num_threads == 0) {
		unit->eu_id = DPA_EUS;
		dpa->num_pinned--;
		unit_give_back(unit);
		lend_serve(dpa, &refused);
	}
	pthread_mutex_unlock(&dpa->unit_lock);
	lend_refuse(&refused);
}

doca_error_t units_get_engine(struct doca_dpa *dpa, struct dpa_engine **ret_engine)
{
	struct doca_dpa *base = dpa_base(dpa);
	doca_error_t err = DOCA_SUCCESS;

	if (base->is_inherited)
		return DOCA_ERROR_NOT_CONNECTED;
	pthread_mutex_lock(&base->unit_lock);
	if (!base->service)
		err = unit_take(base, &base->service);
	if (!err)
		err = unit_get_engine(base->service, ret_engine);
	pthread_mutex_unlock(&base->unit_lock);
	return err;
}

void units_init(struct doca_dpa *dpa)
{
	pthread_mutex_init(&dpa->unit_lock, NULL);
	list_init(&dpa->units);
	list_init(&dpa->free_units);
	list_init(&dpa->waiting);
	dpa->max_units = MAX_UNITS;
}

void units_end(struct doca_dpa *dpa)
{
	struct list_node *node;

	/* From here on nobody gets a unit; who has got one has given it its work. */
	pthread_mutex_lock(&dpa->unit_lock);
	atomic_store(&dpa->is_ending, true);
	list_for_each (node, &dpa->units)
		atomic_store(&container_of(node, struct unit, node)->stopping, true);
	pthread_mutex_unlock(&dpa->unit_lock);
	list_for_each (node, &dpa->units)
		unit_wake(container_of(node, struct unit, node));
	list_for_each (node, &dpa->units)
		pthread_join(container_of(node, struct unit, node)->thread, NULL);
	while ((node = list_pop(&dpa->units)))
		unit_free(container_of(node, struct unit, node));
	lend_refuse(&dpa->waiting);
	list_init(&dpa->free_units);
	dpa->service = NULL;
	dpa->num_units = dpa->num_free = dpa->num_pinned = 0;
	dpa->num_lent = dpa->num_waits = dpa->num_waiting_alone = 0;
	atomic_store(&dpa->is_ending, false);
	pthread_mutex_destroy(&dpa->unit_lock);
}
