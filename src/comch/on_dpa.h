/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Consumers and producers of a queue whose end is on a DPA: ordinary ones, driven by an engine of
 * the DPA (core/dpa_hook.h), whose tasks the program never sees. Those are all taken out of their
 * pool at the start, so that it has none to give, and are kept here between two uses.
 */
#ifndef SOFTFIELD_COMCH_ON_DPA_H
#define SOFTFIELD_COMCH_ON_DPA_H

#include "core/dpa_handle.h"
#include "core/dpa_hook.h"
#include "core/task.h"

/* What both have. */
struct on_dpa {
	bool is_wanted;		   /* its queue has them on a DPA */
	bool has_warned;	   /* since the start */
	uint32_t depth;		   /* tasks in all */
	struct doca_dpa *of_queue; /* which that keeps; its threads and completions are of it */
	struct doca_dpa *dpa;	   /* attached; NULL: not set yet */
	struct dpa_place *place;   /* its handle */
	struct doca_task *tasks;   /* of the engine's lock: those that are not in use */
};

/* NULL: all of them are in use */
static inline struct doca_task *on_dpa_next_task(struct on_dpa *on_dpa)
{
	struct doca_task *task = on_dpa->tasks;

	if (task)
		on_dpa->tasks = task->next;
	return task;
}

/* It is not in use. */
static inline void on_dpa_return_task(struct on_dpa *on_dpa, struct doca_task *task)
{
	task->next = on_dpa->tasks;
	on_dpa->tasks = task;
}

/* From a task's callback: it is done with. */
static inline void on_dpa_keep_task(struct on_dpa *on_dpa, struct doca_ctx *ctx,
				    struct doca_task *task)
{
	task->state = TASK_IDLE;
	on_dpa_return_task(on_dpa, task);
	task_note_release(ctx);
}

/*
 * A queue, consumer or producer keeps a pointer to the DPA: instead of the one it has had, if any.
 * INVALID_VALUE: the DPA is on another device. BAD_STATE: it is not started. NOT_SUPPORTED: there
 * is none
 */
doca_error_t on_dpa_attach(const struct doca_dev *dev, struct doca_dpa *dpa,
			   struct doca_dpa **dpa_of_object);
void on_dpa_detach(struct doca_dpa **dpa_of_object);

/* For a new object, which gets its handle; dpa: what its queue has been told. NO_MEMORY */
doca_error_t on_dpa_init(struct on_dpa *on_dpa, enum dpa_kind kind, void *object,
			 struct doca_dpa *dpa);
/* on_dpa_attach() of a consumer or producer. INVALID_VALUE, also: its queue is on another DPA */
doca_error_t on_dpa_choose(struct on_dpa *on_dpa, const struct doca_dev *dev, struct doca_dpa *dpa);
/* of one that was never to be on a DPA, too */
void on_dpa_fini(struct on_dpa *on_dpa);
/* BAD_STATE: DPA code cannot use it, or not now; what: "consumer" or "producer" */
doca_error_t on_dpa_check_handle(const struct on_dpa *on_dpa, const struct doca_ctx *ctx,
				 const char *what, uint32_t id);
/* BAD_STATE: on a DPA it has none for the program; what: "consumer" or "producer" */
doca_error_t on_dpa_refuse_task(const char *what, uint32_t id);
/* BAD_STATE: nobody has said which DPA; what: "consumer" or "producer" */
doca_error_t on_dpa_check(const struct on_dpa *on_dpa, const char *what, uint32_t id);
/* It runs: the tasks of its pool are taken, and DPA code finds it. */
void on_dpa_start(struct on_dpa *on_dpa, struct task_pool *pool, struct dpa_engine *engine);
/* It is idle: they go back, for the next start, which may want another number. */
void on_dpa_stop(struct on_dpa *on_dpa);

#endif
