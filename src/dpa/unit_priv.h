/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Units from the inside: unit.c, which makes them, exec.c, which runs them, and lend.c, which gives
 * them work.
 */
#ifndef SOFTFIELD_DPA_UNIT_PRIV_H
#define SOFTFIELD_DPA_UNIT_PRIV_H

#include "dpa/unit.h"

/* Works that only wait for an event have no more units than this: others always find some. */
#define MAX_WAITS DPA_EUS

/* A unit without work polls for so long before it sleeps, at most. */
#define UNIT_SPIN_NS 50000u

struct unit {
	/* in dpa->units; first: what looks for leaks finds spare ones by their addresses */
	struct list_node node;
	struct doca_dpa *dpa;
	struct list_node free_node; /* in dpa->free_units while nobody has it */
	unsigned int num_threads;   /* that have their place here; of dpa->unit_lock */
	pthread_t thread;
	atomic_bool stopping;
	atomic_bool asleep;    /* who has work for it wakes it */
	atomic_bool is_called; /* a thread that is to run has not been looked for since */
	_Atomic(struct unit_work *) work;
	_Atomic(struct doca_pe *) pe; /* the engine's; NULL: it has none yet */
	struct dpa_engine engine;
	/* the unit's own: */
	bool wants_yield; /* so does the engine (base/poll_group.h) */
	bool was_polled;  /* by DPA code, before the unit looked for the last time */
	uint64_t spin_ns; /* it polls for so long before it sleeps: unit_note_sleep() */

	_Atomic unsigned int num_droppers; /* they wait on `woken` for the end of an activation */
	pthread_mutex_t lock;		   /* of what follows, and for sleeping; a leaf */
	pthread_cond_t woken;		   /* also: a thread's activation has ended */
	struct list_node threads;
	unsigned int eu_id; /* those of its threads; DPA_EUS: no affinity */
};

/*
 * The unit has slept, after idle_ns without anything to do, sleep included. A unit that is
 * triggered seldom, or by turns with others, polls in vain, and keeps a CPU from those with work.
 */
static inline void unit_note_sleep(struct unit *unit, uint64_t idle_ns)
{
	unit->spin_ns = idle_ns <= UNIT_SPIN_NS ? UNIT_SPIN_NS : unit->spin_ns / 2;
}

/* unit.c: a unit that nobody has; with dpa->unit_lock held */
doca_error_t unit_take(struct doca_dpa *dpa, struct unit **ret_unit);
/* unit.c: nobody has it any more; with dpa->unit_lock held */
void unit_give_back(struct unit *unit);

/* exec.c: what a unit's thread does */
void *exec_unit(void *unit);

/* lend.c: in the unit, which has done its work; is_wait: see struct unit_work */
void lend_come_back(struct unit *unit, bool is_wait);
/*
 * lend.c: the work that has waited longest gets the units that have come back. Work that can get
 * none, since no unit is out that could come back, goes to the list of the refused. With
 * dpa->unit_lock held.
 */
void lend_serve(struct doca_dpa *dpa, struct list_node *refused);
/* lend.c: with no lock held */
void lend_refuse(struct list_node *refused);

#endif
