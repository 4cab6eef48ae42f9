/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Lending units: each piece of work has one while it runs. Work that finds none waits, in order;
 * but work that needs a single unit goes first: those that have the other units may be waiting for
 * it.
 */
#include <assert.h>
#include "dpa/unit_priv.h"

/* all or none; with dpa->unit_lock held */
static doca_error_t take_units(struct doca_dpa *dpa, struct unit **units, unsigned int count)
{
	unsigned int num_taken = 0;
	doca_error_t err = DOCA_SUCCESS;

	if (dpa->num_units - dpa->num_free + count > dpa->max_units)
		return DOCA_ERROR_FULL;
	while (!err && num_taken < count) {
		err = unit_take(dpa, &units[num_taken]);
		num_taken += !err;
	}
	while (err && num_taken)
		unit_give_back(units[--num_taken]);
	return err;
}

static void wake_all(struct unit **units, unsigned int count)
{
	for (unsigned int i = 0; i < count; i++)
		unit_wake(units[i]);
}

/* They have their work, and are to be woken. With dpa->unit_lock held. */
static doca_error_t lend_now(struct doca_dpa *dpa, struct unit_work *work, unsigned int count,
			     struct unit **units)
{
	doca_error_t err = DOCA_ERROR_FULL;

	if (!work->is_wait || dpa->num_waits < MAX_WAITS)
		err = take_units(dpa, units, count);
	if (err)
		return err;
	dpa->num_lent += count;
	dpa->num_waits += work->is_wait;
	for (unsigned int i = 0; i < count; i++) {
		struct unit_work *next = work->next; /* it may end at once */

		atomic_store(&units[i]->work, work);
		work = next;
	}
	return DOCA_SUCCESS;
}

static void stop_waiting(struct doca_dpa *dpa, struct unit_work *work)
{
	list_remove(&work->waiting_node);
	dpa->num_waiting_alone -= work->count == 1;
}

/* false: it waits on. */
static bool serve(struct doca_dpa *dpa, struct unit_work *work, struct list_node *refused)
{
	struct list_node *node = &work->waiting_node, *next = node->next;
	unsigned int count = work->count; /* it may end at once */
	struct unit *units[DPA_MAX_RANKS];
	bool is_alone = count == 1;

	stop_waiting(dpa, work);
	if (lend_now(dpa, work, count, units) == DOCA_SUCCESS) {
		wake_all(units, count);
		return true;
	}
	if (!dpa->num_lent) {
		list_add_tail(refused, node);
		return true;
	}
	list_add_tail(next, node); /* where it was */
	dpa->num_waiting_alone += is_alone;
	return false;
}

void lend_serve(struct doca_dpa *dpa, struct list_node *refused)
{
	struct list_node *node, *tmp;
	bool is_blocked = false; /* for those that need several */

	list_for_each_safe (node, tmp, &dpa->waiting) {
		struct unit_work *work = container_of(node, struct unit_work, waiting_node);

		if (is_blocked && !dpa->num_waiting_alone)
			break;
		if (!is_blocked || work->count == 1)
			is_blocked |= !serve(dpa, work, refused) && work->count > 1;
	}
}

void lend_refuse(struct list_node *refused)
{
	struct list_node *node;

	while ((node = list_pop(refused))) {
		struct unit_work *work = container_of(node, struct unit_work, waiting_node);

		work->refused(work);
	}
}

void lend_come_back(struct unit *unit, bool is_wait)
{
	struct doca_dpa *dpa = unit->dpa;
	struct list_node refused;

	list_init(&refused);
	pthread_mutex_lock(&dpa->unit_lock);
	dpa->num_lent--;
	dpa->num_waits -= is_wait;
	unit_give_back(unit);
	lend_serve(dpa, &refused);
	pthread_mutex_unlock(&dpa->unit_lock);
	lend_refuse(&refused);
}

doca_error_t lend_units(struct doca_dpa *dpa, struct unit_work *first, unsigned int count)
{
	struct unit *units[DPA_MAX_RANKS];
	doca_error_t err = DOCA_ERROR_FULL;
	bool is_lent;

	assert(count <= DPA_MAX_RANKS);
	list_init(&first->waiting_node);
	pthread_mutex_lock(&dpa->unit_lock);
	if (atomic_load(&dpa->is_ending))
		err = DOCA_ERROR_BAD_STATE;
	else if (count == 1 || list_is_empty(&dpa->waiting))
		err = lend_now(dpa, first, count, units);
	is_lent = !err;
	if (err && err != DOCA_ERROR_BAD_STATE && dpa->num_lent) {
		first->count = count;
		dpa->num_waiting_alone += count == 1;
		list_add_tail(&dpa->waiting, &first->waiting_node);
		err = DOCA_SUCCESS;
	}
	pthread_mutex_unlock(&dpa->unit_lock);
	if (is_lent)
		wake_all(units, count); /* they take the lock when they are done */
	return err;
}

bool lend_withdraw(struct doca_dpa *dpa, struct unit_work *first)
{
	bool is_waiting;

	pthread_mutex_lock(&dpa->unit_lock);
	is_waiting = !list_is_empty(&first->waiting_node);
	if (is_waiting)
		stop_waiting(dpa, first);
	pthread_mutex_unlock(&dpa->unit_lock);
	return is_waiting;
}
