/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Execution units: threads of the program that run DPA code. A DPA thread has a unit of its own, or
 * shares one with those that have the same affinity; a kernel's ranks, RPCs and waits borrow units.
 */
#ifndef SOFTFIELD_DPA_UNIT_H
#define SOFTFIELD_DPA_UNIT_H

#include "dpa/dpa.h"

/* Work for a borrowed unit. */
struct unit_work {
	/* both in the unit; it is free again when ended is called, which may free the work */
	void (*run)(struct unit_work *work);
	void (*ended)(struct unit_work *work);
	/*
	 * It has waited, and there will be no units: that cannot be made, or the DPA ends. May free
	 * the work. Of several only the first one's is called.
	 */
	void (*refused)(struct unit_work *work);
	struct unit_work *next; /* begins at the same time; NULL: none */
	bool is_wait;		/* it does nothing but wait: there may be many of these */
	/* of the first, while it waits: */
	struct list_node waiting_node;
	unsigned int count;
};

/*
 * lend.c
 */

/*
 * A unit for each of so many works, the first of which is given, all at the same time: now, or when
 * units come back. NO_MEMORY, FULL, OPERATING_SYSTEM: they cannot be made, and none is out.
 * BAD_STATE: the DPA is about to end
 */
doca_error_t lend_units(struct doca_dpa *dpa, struct unit_work *first, unsigned int count);
/* Takes work back that waits for a unit. false: it has its unit already, or has had it. */
bool lend_withdraw(struct doca_dpa *dpa, struct unit_work *first);

/*
 * unit.c
 */

/*
 * A thread's place: on a unit of its own (eu_id: DPA_EUS), or on the one of this id. FULL: that
 * many threads have units. NO_MEMORY, OPERATING_SYSTEM: there is none
 */
doca_error_t unit_take_thread(struct doca_dpa_thread *thread, unsigned int eu_id,
			      struct unit **ret_unit);
/* waits until it does not run */
void unit_drop_thread(struct unit *unit, struct doca_dpa_thread *thread);
/* something has changed that it ought to look at */
void unit_wake(struct unit *unit);
/* the same, in one of its threads: that may be to run now */
void unit_call(struct unit *unit);
/* its engine, made when first asked for */
doca_error_t unit_get_engine(struct unit *unit, struct dpa_engine **ret_engine);

/* for doca_dpa_create() */
void units_init(struct doca_dpa *dpa);
/* All units end: what runs there is given up. No thread has a place any more. */
void units_end(struct doca_dpa *dpa);
/* dpa_ops.get_engine. NOT_CONNECTED: in a child of fork() */
doca_error_t units_get_engine(struct doca_dpa *dpa, struct dpa_engine **ret_engine);

#endif
