/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Waits of sync events, which a poller looks after, and what tasks need while the context runs.
 */
#include "core/sync_event.h"

/* Waits reported per poll. */
#define REPORT_MAX 64

doca_error_t event_wait_submit(struct doca_task *task, uint32_t flags)
{
	struct doca_sync_event *event = event_of(task);
	struct poll_group *group = &event->ctx.pe->group;
	struct doca_task **end = &event->waiting;

	(void)flags;
	task_accept(task);
	while (*end)
		end = &(*end)->next;
	task->next = NULL;
	*end = task;
	priv_poll_group_heat(&event->poller);
	/* A program may submit between asking for a notification and sleeping. */
	poll_group_end_sleep(group);
	return DOCA_SUCCESS;
}

/* Takes the first wait that is over, or abandoned, out of the queue. NULL: there is none. */
static struct doca_task *take_ended(struct doca_sync_event *event, doca_error_t *ret_status)
{
	const uint64_t counter = event_cell_get(&event->cell);
	const bool lost = event_is_lost(event);

	for (struct doca_task **link = &event->waiting; *link; link = &(*link)->next) {
		struct doca_task *task = *link;
		bool holds = event_condition_holds(&event_task_of(task)->condition, counter);

		if (holds || lost || task->state == TASK_ABANDONED) {
			*link = task->next;
			*ret_status = holds ? DOCA_SUCCESS : DOCA_ERROR_IO_FAILED;
			return task;
		}
	}
	return NULL;
}

static unsigned int waits_poll(struct poller *poller)
{
	struct doca_sync_event *event = container_of(poller, struct doca_sync_event, poller);
	unsigned int done = 0;

	/* A callback may stop or destroy the event: then started is false. */
	while (event->started && event->waiting && done < REPORT_MAX) {
		doca_error_t status;
		struct doca_task *task = take_ended(event, &status);

		if (!task)
			break;
		task_report(task, status);
		done++;
	}
	return done;
}

static void sleeper_ready(struct watch *watch, uint32_t events)
{
	struct doca_sync_event *event = container_of(watch, struct doca_sync_event, watch);

	(void)events;
	if (!event_sleeper_drain(&event->sleeper)) /* no edge would tell of the rest */
		priv_poll_group_raise(&event->ctx.pe->group, watch, EPOLLIN);
	priv_poll_group_heat(&event->poller);
}

static void owner_ready(struct watch *watch, uint32_t events)
{
	struct doca_sync_event *event = container_of(watch, struct doca_sync_event, owner_watch);

	(void)events;
	event->owner_ended = true;
	priv_poll_group_heat(&event->poller);
}

static doca_error_t open_sleeper(struct doca_sync_event *event)
{
	doca_error_t err;

	err = event_sleeper_open(&event->sleeper);
	if (err)
		return err;
	event->watch.fd = event->sleeper.sock;
	event->watch.ready = sleeper_ready;
	err = priv_poll_group_watch(&event->ctx.pe->group, &event->watch, EPOLLIN);
	if (err) {
		event_sleeper_close(&event->sleeper);
		event->watch.fd = -1;
	}
	return err;
}

static bool is_woken(struct doca_sync_event *event)
{
	return (event->watch.fd >= 0 || !open_sleeper(event)) &&
	       event_sleeper_arm(&event->sleeper, &event->cell);
}

/* A sleep ends by itself now and then, as in blocking calls: often where nobody wakes us. */
static void look_later(struct doca_sync_event *event, bool is_crowded)
{
	const int rest_ms = event_cell_rest_ms(&event->cell);
	uint64_t delay_ms = (uint64_t)rest_ms;

	if (list_is_linked(&event->look.node) || (!is_crowded && rest_ms < 0))
		return;
	event->is_crowded = is_crowded;
	if (is_crowded)
		delay_ms = event_cell_join_crowd(&event->cell);
	priv_poll_group_timer_add(&event->ctx.pe->group, &event->look, delay_ms * 1000000u);
}

static void leave_crowd(struct doca_sync_event *event)
{
	if (event->is_crowded)
		event_cell_leave_crowd(&event->cell);
	event->is_crowded = false;
}

static void end_look(struct doca_sync_event *event)
{
	if (!list_is_linked(&event->look.node))
		return;
	priv_poll_group_timer_remove(&event->look);
	leave_crowd(event);
}

static void look(struct timer *timer)
{
	struct doca_sync_event *event = container_of(timer, struct doca_sync_event, look);

	leave_crowd(event);
	priv_poll_group_heat(&event->poller);
}

/* The event's words are read and written in one order that all see. */
static bool waits_arm(struct poller *poller, bool often)
{
	struct doca_sync_event *event = container_of(poller, struct doca_sync_event, poller);

	(void)often;
	event->sleepless = false;
	if (!event->waiting)
		return true;
	if (event_cell_is_placed(&event->cell))
		event->sleepless = true;
	else
		look_later(event, !is_woken(event));
	return true;
}

static bool waits_pending(struct poller *poller)
{
	struct doca_sync_event *event = container_of(poller, struct doca_sync_event, poller);
	const uint64_t counter = event_cell_get(&event->cell);

	if (!event->waiting)
		return false;
	if (event->sleepless || event_is_lost(event))
		return true;
	for (struct doca_task *task = event->waiting; task; task = task->next)
		if (event_condition_holds(&event_task_of(task)->condition, counter))
			return true;
	return false;
}

static void waits_disarm(struct poller *poller)
{
	struct doca_sync_event *event = container_of(poller, struct doca_sync_event, poller);

	event->sleepless = false;
	end_look(event);
	if (event->watch.fd >= 0)
		event_sleeper_disarm(&event->sleeper, &event->cell);
}

static const struct poller_ops waits_ops = {
	.poll = waits_poll,
	.arm = waits_arm,
	.pending = waits_pending,
	.disarm = waits_disarm,
};

/*
 * Start and stop of the context
 */

doca_error_t event_tasks_start(struct doca_sync_event *event)
{
	struct poll_group *group = &event->ctx.pe->group;
	doca_error_t err;

	for (int i = 0; i < EVENT_TASK_COUNT; i++) {
		if (!event->pools[i].count)
			continue;
		err = priv_task_pool_start(&event->pools[i]);
		if (err)
			return err;
	}
	event->owner_ended = false;
	event->owner_watch.fd = event->cell.owner_pidfd;
	event->owner_watch.ready = owner_ready;
	if (event->owner_watch.fd >= 0) {
		err = priv_poll_group_watch(group, &event->owner_watch, EPOLLIN);
		if (err)
			return err;
	}
	event->watch.fd = -1;
	list_init(&event->look.node);
	event->look.fire = look;
	event->poller.ops = &waits_ops;
	priv_poll_group_add(group, &event->poller);
	return DOCA_SUCCESS;
}

void event_tasks_stop(struct doca_sync_event *event)
{
	struct poll_group *group = &event->ctx.pe->group;

	priv_poll_group_remove(&event->poller);
	end_look(event);
	if (event->owner_watch.fd >= 0)
		priv_poll_group_unwatch(group, &event->owner_watch);
	if (event->watch.fd >= 0) {
		event_sleeper_disarm(&event->sleeper, &event->cell);
		priv_poll_group_unwatch(group, &event->watch);
		event->watch.fd = -1; /* before the tasks are free a child asks for it */
		event_sleeper_close(&event->sleeper);
	}
	while (event->waiting) {
		struct doca_task *task = event->waiting;

		event->waiting = task->next;
		task_complete(task, DOCA_ERROR_IO_FAILED);
	}
}

void event_tasks_disown(struct doca_sync_event *event)
{
	event->waiting = NULL;
	end_look(event); /* by its neighbours, too: the poll that the fork was in may be at them */
	if (event->watch.fd < 0)
		return;
	event->sleeper.slot = -1; /* the parent's */
	event_sleeper_close(&event->sleeper);
	event->watch.fd = -1;
}

void event_tasks_fini(struct doca_sync_event *event)
{
	for (int i = 0; i < EVENT_TASK_COUNT; i++)
		priv_task_pool_fini(&event->pools[i]);
}
