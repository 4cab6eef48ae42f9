/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Sync events from the inside: the object (sync_event.c), its tasks (sync_event_task.c), and those
 * that wait (sync_event_waits.c).
 */
#ifndef SOFTFIELD_CORE_SYNC_EVENT_H
#define SOFTFIELD_CORE_SYNC_EVENT_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>
#include "base/poll_group.h"
#include "core/ctx.h"
#include "core/dpa_handle.h"
#include "core/event_cell.h"
#include "core/task.h"
#include "doca_sync_event.h"

#define EVENT_ON_CPU	    1u
#define EVENT_ON_REMOTE_PCI 2u
#define EVENT_ON_DPA	    4u

enum event_task_kind {
	EVENT_TASK_GET,
	EVENT_TASK_SET,
	EVENT_TASK_ADD,
	EVENT_TASK_GT,
	EVENT_TASK_EQ,
	EVENT_TASK_NEQ,
	EVENT_TASK_COUNT
};

/* Those who change an event, or those who wait for it. */
struct event_end {
	unsigned int locations; /* EVENT_ON_ flags */
	struct doca_dev *dev;	/* of the CPU, else NULL */
};

struct doca_sync_event {
	struct doca_ctx ctx;
	struct pe_garbage garbage;
	struct event_end publishers, subscribers;
	struct doca_dev *import_dev; /* imported, else NULL */
	uint64_t *addr;		     /* of the counter, if the program has chosen it */
	bool started;		     /* either way; fixes the configuration */
	struct event_cell cell;	     /* while started; imported: always */
	uint8_t blob[EVENT_BLOB_SIZE];

	/* sync_event_dpa.c */
	struct dpa_place *dpa_place; /* since it was first started with an end on the DPA */
	atomic_bool dpa_is_open;     /* while started so; stored under the place's lock */
	bool dpa_has_told;	     /* that it is not; of the place's lock */
	_Atomic uint32_t dpa_uses;
	pid_t dpa_pid; /* whose threads use it */

	/* as a context */
	struct task_pool pools[EVENT_TASK_COUNT];
	struct doca_task *waiting; /* submitted waits, in order */
	struct poller poller;
	struct event_sleeper sleeper;
	struct watch watch;	  /* of the sleeper; fd -1 until the first sleep */
	struct watch owner_watch; /* imported: of the owner's process; else fd -1 */
	bool owner_ended;
	struct timer look; /* while armed: looks again then */
	bool is_crowded;   /* soon, for it has no place in the cell */
	bool sleepless;	   /* armed, but nobody will wake us: keep polling */
};

struct event_task {
	struct doca_task task;
	struct event_condition condition; /* waits; .value also what to set or add */
	uint64_t *result;		  /* get, add: where the counter goes; add: may be NULL */
};

static inline struct event_task *event_task_of(struct doca_task *task)
{
	return container_of(task, struct event_task, task);
}

static inline struct doca_sync_event *event_of(const struct doca_task *task)
{
	return container_of(task->pool->ctx, struct doca_sync_event, ctx);
}

/* Nobody will change the counter any more. */
static inline bool event_is_lost(const struct doca_sync_event *event)
{
	return event->owner_ended || !atomic_load(&event->cell.page->live);
}

/*
 * sync_event_task.c, the same for all kinds. The callbacks take a task that begins with a struct
 * doca_task, and two doca_data.
 */
doca_error_t event_task_configure(struct doca_sync_event *event, enum event_task_kind kind,
				  void (*completion_cb)(void), void (*error_cb)(void),
				  uint32_t count);
doca_error_t event_task_alloc(struct doca_sync_event *event, enum event_task_kind kind,
			      struct event_condition condition, union doca_data user_data,
			      struct event_task **ret_task);

extern const struct job_ops event_job_ops; /* sync_event_job.c */

/*
 * sync_event_waits.c
 */

/* takes a wait, until its condition holds */
doca_error_t event_wait_submit(struct doca_task *task, uint32_t flags);
/* memory for tasks, and into the poll group. NO_MEMORY */
doca_error_t event_tasks_start(struct doca_sync_event *event);
/* out of the poll group; flushes the waiting tasks */
void event_tasks_stop(struct doca_sync_event *event);
/* in a child of fork(): forgets the waiting tasks */
void event_tasks_disown(struct doca_sync_event *event);
void event_tasks_fini(struct doca_sync_event *event);

#endif
