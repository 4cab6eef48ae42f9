/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Tasks of sync events: what programs call, and get, set, add, which are done when submitted.
 */
#define LOG_MODULE "core"
#include "core/sync_event.h"

#include "base/log.h"
#include "topo/topo.h"

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
	if (!event_task_of(task)->result)
		return DOCA_ERROR_INVALID_VALUE;
	if (event_is_lost(event))
		return finish(task, DOCA_ERROR_IO_FAILED);
	*event_task_of(task)->result = event_cell_get(&event->cell);
	return finish(task, DOCA_SUCCESS);
}

static doca_error_t submit_set(struct doca_task *task, uint32_t flags)
{
	struct doca_sync_event *event = event_of(task);

	(void)flags;
	if (event_is_lost(event))
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
	if (event_is_lost(event))
		return finish(task, DOCA_ERROR_IO_FAILED);
	before = event_cell_add(&event->cell, add->condition.value);
	if (add->result)
		*add->result = before;
	return finish(task, DOCA_SUCCESS);
}

/*
 * Configuring and allocating, the same for all six
 */

static const struct task_type event_task_types[EVENT_TASK_COUNT] = {
	[EVENT_TASK_GET] = {"sync event get", NULL, submit_get},
	[EVENT_TASK_SET] = {"sync event set", NULL, submit_set},
	[EVENT_TASK_ADD] = {"sync event add", NULL, submit_add},
	[EVENT_TASK_GT] = {"sync event wait_gt", NULL, event_wait_submit},
	[EVENT_TASK_EQ] = {"sync event wait_eq", NULL, event_wait_submit},
	[EVENT_TASK_NEQ] = {"sync event wait_neq", NULL, event_wait_submit},
};

doca_error_t event_task_configure(struct doca_sync_event *event, enum event_task_kind kind,
				  void (*completion_cb)(void), void (*error_cb)(void),
				  uint32_t count)
{
	if (!event)
		return DOCA_ERROR_INVALID_VALUE;
	if (event->started) {
		LOG_ERR("sync event cannot be changed: it is started");
		return DOCA_ERROR_BAD_STATE;
	}
	return priv_task_pool_configure(
		&event->pools[kind], &event->ctx,
		&(struct task_pool_config){
			.type = &event_task_types[kind],
			.task_size = sizeof(struct event_task),
			.completion_cb = (doca_task_completion_cb_t)completion_cb,
			.error_cb = (doca_task_completion_cb_t)error_cb,
			.count = count,
			.max = (uint32_t)priv_topo_limits()->sync_event_max_num_tasks,
		});
}

doca_error_t event_task_alloc(struct doca_sync_event *event, enum event_task_kind kind,
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
	return event_task_configure(event, EVENT_TASK_GET, (void (*)(void))completion_cb,
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
	err = event_task_alloc(event, EVENT_TASK_GET, (struct event_condition){0}, user_data,
			       &new_task);
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

void doca_sync_event_task_get_set_ret_val_ptr(struct doca_sync_event_task_get *task,
					      uint64_t *ret_val_ptr)
{
	if (task)
		task->base.result = ret_val_ptr;
}

uint64_t *doca_sync_event_task_get_get_ret_val_ptr(const struct doca_sync_event_task_get *task)
{
	return task ? task->base.result : NULL;
}

/*
 * notify_set
 */

doca_error_t doca_sync_event_task_notify_set_set_conf(
	struct doca_sync_event *event,
	doca_sync_event_task_notify_set_completion_cb_t completion_cb,
	doca_sync_event_task_notify_set_completion_cb_t error_cb, uint32_t num_tasks)
{
	return event_task_configure(event, EVENT_TASK_SET, (void (*)(void))completion_cb,
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
	err = event_task_alloc(event, EVENT_TASK_SET, (struct event_condition){.value = value},
			       user_data, &new_task);
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

void doca_sync_event_task_notify_set_set_set_val(struct doca_sync_event_task_notify_set *task,
						 uint64_t set_val)
{
	if (task)
		task->base.condition.value = set_val;
}

uint64_t
doca_sync_event_task_notify_set_get_set_val(const struct doca_sync_event_task_notify_set *task)
{
	return task ? task->base.condition.value : 0;
}

/*
 * notify_add
 */

doca_error_t doca_sync_event_task_notify_add_set_conf(
	struct doca_sync_event *event,
	doca_sync_event_task_notify_add_completion_cb_t completion_cb,
	doca_sync_event_task_notify_add_completion_cb_t error_cb, uint32_t num_tasks)
{
	return event_task_configure(event, EVENT_TASK_ADD, (void (*)(void))completion_cb,
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
	err = event_task_alloc(event, EVENT_TASK_ADD, (struct event_condition){.value = value},
			       user_data, &new_task);
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

void doca_sync_event_task_notify_add_set_inc_val(struct doca_sync_event_task_notify_add *task,
						 uint64_t inc_val)
{
	if (task)
		task->base.condition.value = inc_val;
}

uint64_t
doca_sync_event_task_notify_add_get_inc_val(const struct doca_sync_event_task_notify_add *task)
{
	return task ? task->base.condition.value : 0;
}

void doca_sync_event_task_notify_add_set_fetched_val_ptr(
	struct doca_sync_event_task_notify_add *task, uint64_t *fetched_val_ptr)
{
	if (task)
		task->base.result = fetched_val_ptr;
}

uint64_t *doca_sync_event_task_notify_add_get_fetched_val_ptr(
	const struct doca_sync_event_task_notify_add *task)
{
	return task ? task->base.result : NULL;
}

/*
 * wait_gt
 */

doca_error_t doca_sync_event_task_wait_gt_set_conf(
	struct doca_sync_event *event, doca_sync_event_task_wait_gt_completion_cb_t completion_cb,
	doca_sync_event_task_wait_gt_completion_cb_t error_cb, uint32_t num_tasks)
{
	return event_task_configure(event, EVENT_TASK_GT, (void (*)(void))completion_cb,
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
	err = event_task_alloc(event, EVENT_TASK_GT,
			       (struct event_condition){EVENT_GT, value, mask}, user_data,
			       &new_task);
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

void doca_sync_event_task_wait_gt_set_wait_val(struct doca_sync_event_task_wait_gt *task,
					       uint64_t wait_val)
{
	if (task)
		task->base.condition.value = wait_val;
}

uint64_t doca_sync_event_task_wait_gt_get_wait_val(const struct doca_sync_event_task_wait_gt *task)
{
	return task ? task->base.condition.value : 0;
}

void doca_sync_event_task_wait_gt_set_mask(struct doca_sync_event_task_wait_gt *task, uint64_t mask)
{
	if (task)
		task->base.condition.mask = mask;
}

uint64_t doca_sync_event_task_wait_gt_get_mask(const struct doca_sync_event_task_wait_gt *task)
{
	return task ? task->base.condition.mask : 0;
}

/*
 * wait_eq
 */

doca_error_t doca_sync_event_task_wait_eq_set_conf(
	struct doca_sync_event *event, doca_sync_event_task_wait_eq_completion_cb_t completion_cb,
	doca_sync_event_task_wait_eq_completion_cb_t error_cb, uint32_t num_tasks)
{
	return event_task_configure(event, EVENT_TASK_EQ, (void (*)(void))completion_cb,
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
	err = event_task_alloc(event, EVENT_TASK_EQ,
			       (struct event_condition){EVENT_EQ, value, mask}, user_data,
			       &new_task);
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

void doca_sync_event_task_wait_eq_set_wait_val(struct doca_sync_event_task_wait_eq *task,
					       uint64_t wait_val)
{
	if (task)
		task->base.condition.value = wait_val;
}

uint64_t doca_sync_event_task_wait_eq_get_wait_val(const struct doca_sync_event_task_wait_eq *task)
{
	return task ? task->base.condition.value : 0;
}

void doca_sync_event_task_wait_eq_set_mask(struct doca_sync_event_task_wait_eq *task, uint64_t mask)
{
	if (task)
		task->base.condition.mask = mask;
}

uint64_t doca_sync_event_task_wait_eq_get_mask(const struct doca_sync_event_task_wait_eq *task)
{
	return task ? task->base.condition.mask : 0;
}

/*
 * wait_neq
 */

doca_error_t doca_sync_event_task_wait_neq_set_conf(
	struct doca_sync_event *event, doca_sync_event_task_wait_neq_completion_cb_t completion_cb,
	doca_sync_event_task_wait_neq_completion_cb_t error_cb, uint32_t num_tasks)
{
	return event_task_configure(event, EVENT_TASK_NEQ, (void (*)(void))completion_cb,
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
	err = event_task_alloc(event, EVENT_TASK_NEQ,
			       (struct event_condition){EVENT_NEQ, value, mask}, user_data,
			       &new_task);
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

void doca_sync_event_task_wait_neq_set_wait_val(struct doca_sync_event_task_wait_neq *task,
						uint64_t wait_val)
{
	if (task)
		task->base.condition.value = wait_val;
}

uint64_t
doca_sync_event_task_wait_neq_get_wait_val(const struct doca_sync_event_task_wait_neq *task)
{
	return task ? task->base.condition.value : 0;
}

void doca_sync_event_task_wait_neq_set_mask(struct doca_sync_event_task_wait_neq *task,
					    uint64_t mask)
{
	if (task)
		task->base.condition.mask = mask;
}

uint64_t doca_sync_event_task_wait_neq_get_mask(const struct doca_sync_event_task_wait_neq *task)
{
	return task ? task->base.condition.mask : 0;
}
