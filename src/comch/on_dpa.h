/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Consumers and producers of a queue whose end is on a DPA: ordinary ones, driven by an engine of
 * the DPA (core/dpa_hook.h), whose tasks the program never sees. Those are all taken out of their
 * pool at the start, so that it has none to give, and are kept here between two uses.
 */
#ifndef SOFTFIELD_COMCH_ON_DPA_H
#define SOFTFIELD_COMCH_ON_DPA_H

#include "core/dpa_hook.h"
#include "core/task.h"

/* unless the program says how many */
#define ON_DPA_DEPTH 256u

/* Takes what the pool has. */
static inline void on_dpa_take_tasks(struct task_pool *pool, struct doca_task **tasks)
{
	struct doca_task *task;

	while ((task = pool->free)) {
		pool->free = task->next;
		task->state = TASK_IDLE;
		task->next = *tasks;
		*tasks = task;
	}
}

/* Gives them back, for the next start, which may want another number. */
static inline void on_dpa_give_tasks(struct doca_task **tasks)
{
	while (*tasks) {
		struct doca_task *task = *tasks;

		*tasks = task->next;
		doca_task_free(task);
	}
}

/* From a task's callback: it is done with. */
static inline void on_dpa_keep_task(struct doca_task *task, struct doca_task **tasks)
{
	struct task_pool *pool = task->pool;

	doca_task_free(task); /* a context that stops waits for this */
	on_dpa_take_tasks(pool, tasks);
}

/* NULL: all of them are in use */
static inline struct doca_task *on_dpa_next_task(struct doca_task **tasks)
{
	struct doca_task *task = *tasks;

	if (task)
		*tasks = task->next;
	return task;
}

/* It has been refused. */
static inline void on_dpa_return_task(struct doca_task *task, struct doca_task **tasks)
{
	task->next = *tasks;
	*tasks = task;
}

/*
 * A queue, consumer or producer keeps a pointer to the DPA: instead of the one it has had, if any.
 * INVALID_VALUE: the DPA is on another device. BAD_STATE: it is not started. NOT_SUPPORTED: there
 * is none
 */
doca_error_t on_dpa_attach(const struct doca_dev *dev, struct doca_dpa *dpa,
			   struct doca_dpa **dpa_of_object);
void on_dpa_detach(struct doca_dpa **dpa_of_object);

#endif
