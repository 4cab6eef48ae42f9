/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Tasks of sync events: get, set, add, which are done when submitted, and waits, which a poller
 * looks after.
 */
#define LOG_MODULE "core"
#include "core/sync_event.h"

#include "topo/topo.h"

/* Waits reported per poll. */
#define REPORT_MAX 64

struct event_task {
	struct doca_task task;
	struct event_condition condition; /* waits; .value also what to set or add */
	uint64_t *result;		  /* get, add: where the counter goes; add: may be NULL */
};

struct doca_sync_event_task_get {
	struct event_task base;
};
struct doca_sync_event_task_notify_set {
	struct event_task base;
};
struct doca_sync_event_task_notify_add {
	struct event_task base;
};
struct doca_sync_event_task_wait_gt {
	struct event_task base;
};
struct doca_sync_event_task_wait_eq {
	struct event_task base;
};
struct doca_sync_event_task_wait_neq {
	struct event_task base;
};

static struct event_task *event_task_of(struct doca_task *task)
{
	return container_of(task, struct event_task, task);
}

static struct doca_sync_event *event_of(const struct doca_task *task)
{
	return container_of(task->pool->ctx, struct doca_sync_event, ctx);
}

/* Nobody will change the counter any more. */
static bool is_lost(const struct doca_sync_event *event)
{
	return event->owner_ended || !atomic_load(&event->cell.page->live);
}

/*
 * At once
 */

static doca_error_t finish(struct doca_task *task, doca_error_t status)
{
	task_accept(task);
	task_complete(task, status);
	return DOCA_SUCCESS;
}

static doca_error_t submit_get(struct doca_task *task, uint32_t flags)
{
	const struct doca_sync_event *event = event_of(task);

	(void)flags;
	if (is_lost(event))
		return finish(task, DOCA_ERROR_IO_FAILED);
	*event_task_of(task)->result = event_cell_get(&event->cell);
	return finish(task, DOCA_SUCCESS);
}

static doca_error_t submit_set(struct doca_task *task, uint32_t flags)
{
	struct doca_sync_event *event = event_of(task);

	(void)flags;
	if (is_lost(event))
		return finish(task, DOCA_ERROR_IO_FAILED);
	event_cell_set(&event->cell, event_task_of(task)->condition.value);
	return finish(task, DOCA_SUCCESS);
}

static doca_error_t submit_add(struct doca_task *task, uint32_t flags)
{
	struct doca_sync_event *event = event_of(task);
	struct event_task *add = event_task_of(task);
	uint64_t before;

	(void)flags;
	if (is_lost(event))
		return finish(task, DOCA_ERROR_IO_FAILED);
	before = event_cell_add(&event->cell, add->condition.value);
	if (add->result)
		*add->result = before;
	return finish(task, DOCA_SUCCESS);
}

/*
 * Waits
 */

static doca_error_t submit_wait(struct doca_task *task, uint32_t flags)
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
static struct doca_task *take_over(struct doca_sync_event *event, doca_error_t *ret_status)
{
	const uint64_t counter = event_cell_get(&event->cell);
	const bool lost = is_lost(event);

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
		struct doca_task *task = take_over(event, &status);

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
	event_sleeper_drain(&event->sleeper);
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

/* The event's words are read and written in one order that all see. */
static bool waits_arm(struct poller *poller, bool often)
{
	struct doca_sync_event *event = container_of(poller, struct doca_sync_event, poller);

	(void)often;
	event->sleepless = event->waiting && ((event->watch.fd < 0 && open_sleeper(event)) ||
					      !event_sleeper_arm(&event->sleeper, &event->cell));
	return true;
}

static bool waits_pending(struct poller *poller)
{
	struct doca_sync_event *event = container_of(poller, struct doca_sync_event, poller);
	const uint64_t counter = event_cell_get(&event->cell);

	if (!event->waiting)
		return false;
	if (event->sleepless || is_lost(event))
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
	event->poller.ops = &waits_ops;
	priv_poll_group_add(group, &event->poller);
	return DOCA_SUCCESS;
}

void event_tasks_stop(struct doca_sync_event *event)
{
	struct poll_group *group = &event->ctx.pe->group;

	priv_poll_group_remove(&event->poller);
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

/*
 * Configuring and allocating, the same for all six
 */

static const struct task_type event_task_types[EVENT_TASK_COUNT] = {
	[EVENT_TASK_GET] = {"sync event get", NULL, submit_get},
	[EVENT_TASK_SET] = {"sync event set", NULL, submit_set},
	[EVENT_TASK_ADD] = {"sync event add", NULL, submit_add},
	[EVENT_TASK_GT] = {"sync event wait_gt", NULL, submit_wait},
	[EVENT_TASK_EQ] = {"sync event wait_eq", NULL, submit_wait},
	[EVENT_TASK_NEQ] = {"sync event wait_neq", NULL, submit_wait},
};

static doca_error_t configure(struct doca_sync_event *event, enum event_task_kind kind,
			      void (*completion_cb)(void), void (*error_cb)(void), uint32_t count)
{
	if (!event)
		return DOCA_ERROR_INVALID_VALUE;
	if (event->started)
		return DOCA_ERROR_BAD_STATE;
	/* All callbacks take a task that starts with a struct doca_task, and two doca_data. */
	return priv_task_pool_configure(&event->pools[kind], &event->ctx, &event_task_types[kind],
					sizeof(struct event_task),
					(doca_task_completion_cb_t)completion_cb,
					(doca_task_completion_cb_t)error_cb, count,
					(uint32_t)priv_topo_limits()->sync_event_max_num_tasks);
}

static doca_error_t alloc(struct doca_sync_event *event, enum event_task_kind kind,
			  struct event_condition condition, union doca_data user_data,
			  struct event_task **ret_task)
{
	struct doca_task *task;
	doca_error_t err;

	err = task_alloc(&event->pools[kind], &task);
	if (err)
		return err;
	task->user_data = user_data;
	*ret_task = event_task_of(task);
	(*ret_task)->condition = condition;
	(*ret_task)->result = NULL;
	return DOCA_SUCCESS;
}

/*
 * get
 */

doca_error_t doca_sync_event_task_get_set_conf(
	struct doca_sync_event *event, doca_sync_event_task_get_completion_cb_t completion_cb,
	doca_sync_event_task_get_completion_cb_t error_cb, uint32_t num_tasks)
{
	return configure(event, EVENT_TASK_GET, (void (*)(void))completion_cb,
			 (void (*)(void))error_cb, num_tasks);
}

doca_error_t doca_sync_event_task_get_alloc_init(struct doca_sync_event *event, uint64_t *value,
						 union doca_data user_data,
						 struct doca_sync_event_task_get **task)
{
	struct event_task *new_task;
	doca_error_t err;

	if (!event || !value || !task)
		return DOCA_ERROR_INVALID_VALUE;
	err = alloc(event, EVENT_TASK_GET, (struct event_condition){0}, user_data, &new_task);
	if (err)
		return err;
	new_task->result = value;
	*task = container_of(new_task, struct doca_sync_event_task_get, base);
	return DOCA_SUCCESS;
}

struct doca_task *doca_sync_event_task_get_as_doca_task(struct doca_sync_event_task_get *task)
{
	return &task->base.task;
}

/*
 * notify_set
 */

doca_error_t doca_sync_event_task_notify_set_set_conf(
	struct doca_sync_event *event,
	doca_sync_event_task_notify_set_completion_cb_t completion_cb,
	doca_sync_event_task_notify_set_completion_cb_t error_cb, uint32_t num_tasks)
{
	return configure(event, EVENT_TASK_SET, (void (*)(void))completion_cb,
			 (void (*)(void))error_cb, num_tasks);
}

doca_error_t
doca_sync_event_task_notify_set_alloc_init(struct doca_sync_event *event, uint64_t value,
					   union doca_data user_data,
					   struct doca_sync_event_task_notify_set **task)
{
	struct event_task *new_task;
	doca_error_t err;

	if (!event || !task)
		return DOCA_ERROR_INVALID_VALUE;
	err = alloc(event, EVENT_TASK_SET, (struct event_condition){.value = value}, user_data,
		    &new_task);
	if (err)
		return err;
	*task = container_of(new_task, struct doca_sync_event_task_notify_set, base);
	return DOCA_SUCCESS;
}

struct doca_task *
doca_sync_event_task_notify_set_as_doca_task(struct doca_sync_event_task_notify_set *task)
{
	return &task->base.task;
}

/*
 * notify_add
 */

doca_error_t doca_sync_event_task_notify_add_set_conf(
	struct doca_sync_event *event,
	doca_sync_event_task_notify_add_completion_cb_t completion_cb,
	doca_sync_event_task_notify_add_completion_cb_t error_cb, uint32_t num_tasks)
{
	return configure(event, EVENT_TASK_ADD, (void (*)(void))completion_cb,
			 (void (*)(void))error_cb, num_tasks);
}

doca_error_t
doca_sync_event_task_notify_add_alloc_init(struct doca_sync_event *event, uint64_t value,
					   uint64_t *fetched, union doca_data user_data,
					   struct doca_sync_event_task_notify_add **task)
{
	struct event_task *new_task;
	doca_error_t err;

	if (!event || !task)
		return DOCA_ERROR_INVALID_VALUE;
	err = alloc(event, EVENT_TASK_ADD, (struct event_condition){.value = value}, user_data,
		    &new_task);
	if (err)
		return err;
	new_task->result = fetched;
	*task = container_of(new_task, struct doca_sync_event_task_notify_add, base);
	return DOCA_SUCCESS;
}

struct doca_task *
doca_sync_event_task_notify_add_as_doca_task(struct doca_sync_event_task_notify_add *task)
{
	return &task->base.task;
}

/*
 * wait_gt
 */

doca_error_t doca_sync_event_task_wait_gt_set_conf(
	struct doca_sync_event *event, doca_sync_event_task_wait_gt_completion_cb_t completion_cb,
	doca_sync_event_task_wait_gt_completion_cb_t error_cb, uint32_t num_tasks)
{
	return configure(event, EVENT_TASK_GT, (void (*)(void))completion_cb,
			 (void (*)(void))error_cb, num_tasks);
}

doca_error_t doca_sync_event_task_wait_gt_alloc_init(struct doca_sync_event *event, uint64_t value,
						     uint64_t mask, union doca_data user_data,
						     struct doca_sync_event_task_wait_gt **task)
{
	struct event_task *new_task;
	doca_error_t err;

	if (!event || !task)
		return DOCA_ERROR_INVALID_VALUE;
	err = alloc(event, EVENT_TASK_GT, (struct event_condition){EVENT_GT, value, mask},
		    user_data, &new_task);
	if (err)
		return err;
	*task = container_of(new_task, struct doca_sync_event_task_wait_gt, base);
	return DOCA_SUCCESS;
}

struct doca_task *
doca_sync_event_task_wait_gt_as_doca_task(struct doca_sync_event_task_wait_gt *task)
{
	return &task->base.task;
}

/*
 * wait_eq
 */

doca_error_t doca_sync_event_task_wait_eq_set_conf(
	struct doca_sync_event *event, doca_sync_event_task_wait_eq_completion_cb_t completion_cb,
	doca_sync_event_task_wait_eq_completion_cb_t error_cb, uint32_t num_tasks)
{
	return configure(event, EVENT_TASK_EQ, (void (*)(void))completion_cb,
			 (void (*)(void))error_cb, num_tasks);
}

doca_error_t doca_sync_event_task_wait_eq_alloc_init(struct doca_sync_event *event, uint64_t value,
						     uint64_t mask, union doca_data user_data,
						     struct doca_sync_event_task_wait_eq **task)
{
	struct event_task *new_task;
	doca_error_t err;

	if (!event || !task)
		return DOCA_ERROR_INVALID_VALUE;
	err = alloc(event, EVENT_TASK_EQ, (struct event_condition){EVENT_EQ, value, mask},
		    user_data, &new_task);
	if (err)
		return err;
	*task = container_of(new_task, struct doca_sync_event_task_wait_eq, base);
	return DOCA_SUCCESS;
}

struct doca_task *
doca_sync_event_task_wait_eq_as_doca_task(struct doca_sync_event_task_wait_eq *task)
{
	return &task->base.task;
}

/*
 * wait_neq
 */

doca_error_t doca_sync_event_task_wait_neq_set_conf(
	struct doca_sync_event *event, doca_sync_event_task_wait_neq_completion_cb_t completion_cb,
	doca_sync_event_task_wait_neq_completion_cb_t error_cb, uint32_t num_tasks)
{
	return configure(event, EVENT_TASK_NEQ, (void (*)(void))completion_cb,
			 (void (*)(void))error_cb, num_tasks);
}

doca_error_t doca_sync_event_task_wait_neq_alloc_init(struct doca_sync_event *event, uint64_t value,
						      uint64_t mask, union doca_data user_data,
						      struct doca_sync_event_task_wait_neq **task)
{
	struct event_task *new_task;
	doca_error_t err;

	if (!event || !task)
		return DOCA_ERROR_INVALID_VALUE;
	err = alloc(event, EVENT_TASK_NEQ, (struct event_condition){EVENT_NEQ, value, mask},
		    user_data, &new_task);
	if (err)
		return err;
	*task = container_of(new_task, struct doca_sync_event_task_wait_neq, base);
	return DOCA_SUCCESS;
}

struct doca_task *
doca_sync_event_task_wait_neq_as_doca_task(struct doca_sync_event_task_wait_neq *task)
{
	return &task->base.task;
}
