/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Execution units: how they are made and woken, what engine they have, and which threads of a DPA
 * have their place there. What they do is in exec.c.
 */
#include "dpa/unit.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
#include "base/no_cancel.h"
#include "base/worker.h"
#include "core/pe.h"
#include "dpa/thread.h"
#include "dpa/unit_priv.h"

/* Units of a DPA, each a thread of the program: pinned ones, those for waits, and for what runs. */
#define MAX_PINNED 1024u
#define MAX_UNITS  (MAX_PINNED + MAX_WAITS + DPA_EUS)

void unit_wake(struct unit *unit)
{
	struct doca_pe *pe;

	if (!atomic_load(&unit->asleep))
		return;
	pthread_mutex_lock(&unit->lock); /* who has decided to wait does so by now */
	pe = atomic_load(&unit->pe);
	if (pe)
		priv_poll_group_wake(&pe->group);
	pthread_mutex_unlock(&unit->lock); /* the one that is woken wants it */
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

/* Left by DPAs that have ended. Code of another DPA may still come for the lock of an engine. */
static struct list_node spare_units = {&spare_units, &spare_units}; /* under priv_fork_hold() */

static void unit_free(struct unit *unit)
{
	struct doca_pe *pe;

	pthread_mutex_lock(&unit->lock); /* who wakes it may be late: lend_units() */
	pe = atomic_exchange(&unit->pe, NULL);
	pthread_mutex_unlock(&unit->lock);
	if (pe) {
		pthread_mutex_lock(&unit->engine.lock);
		unit->engine.pe = NULL;
		pthread_mutex_unlock(&unit->engine.lock);
		priv_pe_destroy(pe);
	}
	priv_fork_hold();
	list_add_tail(&spare_units, &unit->node);
	priv_fork_release();
}

static void init_locks(struct unit *unit)
{
	pthread_condattr_t attr;

	pthread_mutex_init(&unit->lock, NULL);
	pthread_condattr_init(&attr);
	pthread_condattr_setclock(&attr, CLOCK_MONOTONIC); /* nap() */
	pthread_cond_init(&unit->woken, &attr);
	pthread_condattr_destroy(&attr);
	pthread_mutex_init(&unit->engine.lock, NULL);
	atomic_store(&unit->engine.owner, getpid());
}

/* NULL: no memory */
static struct unit *unit_alloc(void)
{
	struct list_node *node;
	struct unit *unit;

	priv_fork_hold();
	node = list_pop(&spare_units);
	priv_fork_release();
	if (node) {
		unit = container_of(node, struct unit, node);
		if (atomic_load(&unit->engine.owner) != getpid())
			init_locks(unit); /* whoever was late in the parent is not here */
		return unit;
	}
	unit = calloc(1, sizeof(*unit));
	if (!unit)
		return NULL;
	list_init(&unit->node);
	list_init(&unit->free_node);
	list_init(&unit->threads);
	init_locks(unit);
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
	err = priv_worker_spawn(&unit->thread, exec_unit, unit, name);
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
