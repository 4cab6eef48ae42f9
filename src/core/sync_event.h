/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Sync events from the inside: the object (sync_event.c) and its tasks (sync_event_task.c).
 */
#ifndef SOFTFIELD_CORE_SYNC_EVENT_H
#define SOFTFIELD_CORE_SYNC_EVENT_H

#include <stdbool.h>
#include <stdint.h>
#include "base/poll_group.h"
#include "core/ctx.h"
#include "core/event_cell.h"
#include "core/task.h"
#include "doca_sync_event.h"

#define EVENT_ON_CPU	    1u
#define EVENT_ON_REMOTE_PCI 2u

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
	bool started;		     /* either way; fixes the configuration */
	struct event_cell cell;	     /* while started; imported: always */
	uint8_t blob[EVENT_BLOB_SIZE];

	/* as a context */
	struct task_pool pools[EVENT_TASK_COUNT];
	struct doca_task *waiting; /* submitted waits, in order */
	struct poller poller;
	struct event_sleeper sleeper;
	struct watch watch;	  /* of the sleeper; fd -1 until the first sleep */
	struct watch owner_watch; /* imported: of the owner's process; else fd -1 */
	bool owner_ended;
	bool sleepless; /* armed, but nobody will wake us: keep polling */
};

/* memory for tasks, and into the poll group. NO_MEMORY */
doca_error_t event_tasks_start(struct doca_sync_event *event);
/* out of the poll group; flushes the waiting tasks */
void event_tasks_stop(struct doca_sync_event *event);
/* in a child of fork(): forgets the waiting tasks */
void event_tasks_disown(struct doca_sync_event *event);
void event_tasks_fini(struct doca_sync_event *event);

#endif
