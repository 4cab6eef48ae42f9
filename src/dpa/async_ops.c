/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Asynchronous operations of DPA code: copies and waits for events, done in their order. Copies are
 * done at once, unless a wait is before them; then a borrowed unit does what is queued.
 */
#define LOG_MODULE "dpa"
#include <stdlib.h>
#include "base/log.h"
#include "base/no_cancel.h"
#include "core/mmap_dev.h"
#include "core/sync_event_dpa.h"
#include "doca_dpa_dev_buf.h"
#include "doca_dpa_dev_sync_event.h"
#include "dpa/activation.h"
#include "dpa/completion.h"
#include "dpa/unit.h"

#define USER_DATA_MAX ((1u << DOCA_DPA_COMPLETION_LOG_MAX_USER_DATA) - 1)

/* A wait, or a copy. */
struct op {
	bool is_wait;
	doca_dpa_dev_sync_event_t event;
	struct event_condition condition;
	struct mmap_dev_copy copy;
	uint32_t flags;
};

struct doca_dpa_async_ops {
	struct dpa_place *place;
	struct doca_dpa *dpa;
	uint32_t queue_size; /* a power of two */
	uint32_t user_data;
	uint64_t completion_handle;		/* 0: not attached */
	struct doca_dpa_completion *completion; /* while it is started */
	bool is_started;
	struct unit_work work;
	atomic_bool stopping; /* what is queued is given up; stored under the place's lock */

	/* of the place's lock */
	pthread_cond_t drained;
	struct op *ring;
	uint32_t head, tail;
	bool has_unit; /* which does what is queued */
};

/* With the completion attached. */
static void report(struct doca_dpa_async_ops *ops, const struct op *op, doca_error_t status)
{
	if (!(op->flags & DOCA_DPA_DEV_SUBMIT_FLAG_OPTIMIZE_REPORTS) || status)
		completion_push_send(ops->completion, ops->user_data, status);
}

/*
 * In the borrowed unit
 */

static bool is_given_up(void *arg)
{
	const struct doca_dpa_async_ops *ops = arg;

	return atomic_load(&ops->stopping) || atomic_load(&dpa_base(ops->dpa)->is_ending);
}

/*
 * failed: how a wait before it has ended, if its condition does not hold: then it must not happen.
 * Returns the same for the next one.
 */
static doca_error_t do_op(struct doca_dpa_async_ops *ops, const struct op *op, doca_error_t failed)
{
	doca_error_t err = failed;

	if (!failed && op->is_wait)
		err = priv_sync_event_dpa_wait(op->event, &op->condition, is_given_up, ops);
	else if (!failed && !is_given_up(ops))
		err = priv_mmap_dev_copy(&op->copy);
	if (!is_given_up(ops))
		report(ops, op, err);
	return op->is_wait ? err : failed;
}

static void do_queued(struct unit_work *work)
{
	struct doca_dpa_async_ops *ops = container_of(work, struct doca_dpa_async_ops, work);
	pthread_mutex_t *lock = &ops->place->lock;
	doca_error_t failed = DOCA_SUCCESS;

	pthread_mutex_lock(lock);
	while (ops->tail != ops->head) {
		struct op op = ops->ring[ops->tail & (ops->queue_size - 1)];

		pthread_mutex_unlock(lock);
		failed = do_op(ops, &op, failed);
		pthread_mutex_lock(lock);
		ops->tail++;
	}
	ops->has_unit = false;
	pthread_cond_broadcast(&ops->drained);
	pthread_mutex_unlock(lock); /* from here on it may be gone */
}

static void do_nothing(struct unit_work *work)
{
	(void)work; /* it may be gone */
}

/* Nobody does what is queued. With the lock held. */
static void drop_queued(struct doca_dpa_async_ops *ops)
{
	ops->tail = ops->head;
	ops->has_unit = false;
	pthread_cond_broadcast(&ops->drained);
}

/* With the lock held. */
static void give_up(struct doca_dpa_async_ops *ops)
{
	if (!atomic_load(&dpa_base(ops->dpa)->is_ending))
		dpa_fail(ops->dpa, "no unit for a wait of asynchronous operations");
	drop_queued(ops);
}

static void refused(struct unit_work *work)
{
	struct doca_dpa_async_ops *ops = container_of(work, struct doca_dpa_async_ops, work);
	pthread_mutex_t *lock = &ops->place->lock;

	pthread_mutex_lock(lock);
	give_up(ops);
	pthread_mutex_unlock(lock); /* from here on it may be gone */
}

/*
 * From DPA code
 */

/* Puts it behind what is queued. False: there is no room. With the lock held. */
static bool enqueue(struct doca_dpa_async_ops *ops, const struct op *op)
{
	if (ops->head - ops->tail == ops->queue_size)
		return false;
	ops->ring[ops->head & (ops->queue_size - 1)] = *op;
	ops->head++;
	return true;
}

/* Whatever is queued is for a unit, which it may have to get. With the lock held. */
static void need_unit(struct doca_dpa_async_ops *ops)
{
	if (ops->has_unit)
		return;
	ops->has_unit = true;
	if (lend_units(dpa_base(ops->dpa), &ops->work, 1))
		give_up(ops);
}

/* NULL: there is none, or it is not started: programs stop it before the threads that post */
static struct doca_dpa_async_ops *lock_started(doca_dpa_dev_async_ops_t handle)
{
	struct doca_dpa_async_ops *ops = dpa_object_lock(handle, DPA_ASYNC_OPS);

	if (!ops || !atomic_load(&ops->stopping))
		return ops;
	dpa_object_unlock(handle);
	return NULL;
}

/* Waits for room. */
static void post_wait(doca_dpa_dev_async_ops_t handle, const struct op *op)
{
	struct doca_dpa_async_ops *ops;

	while ((ops = lock_started(handle)) && !enqueue(ops, op)) {
		dpa_object_unlock(handle);
		activation_pause();
	}
	if (ops) {
		need_unit(ops);
		dpa_object_unlock(handle);
	}
	activation_check();
}

/* What is done at once. */
static void copy(doca_dpa_dev_async_ops_t handle, const struct op *op)
{
	doca_error_t err = priv_mmap_dev_copy(&op->copy);
	struct doca_dpa_async_ops *ops = lock_started(handle);

	if (!ops)
		return;
	report(ops, op, err);
	dpa_object_unlock(handle);
}

static void post_copy(doca_dpa_dev_async_ops_t handle, const struct op *op)
{
	struct doca_dpa_async_ops *ops;
	bool is_idle = false;

	while ((ops = lock_started(handle))) {
		is_idle = !ops->has_unit;
		if (is_idle || enqueue(ops, op))
			break;
		dpa_object_unlock(handle);
		activation_pause();
	}
	if (ops)
		dpa_object_unlock(handle);
	if (is_idle)
		copy(handle, op);
	activation_check();
}

void doca_dpa_dev_post_memcpy(doca_dpa_dev_async_ops_t async_ops_handle,
			      doca_dpa_dev_mmap_t dst_mmap_handle, uint64_t dst_addr,
			      doca_dpa_dev_mmap_t src_mmap_handle, uint64_t src_addr, size_t length,
			      uint32_t flags)
{
	const struct op op = {
		.copy = {dst_mmap_handle, src_mmap_handle, dst_addr, src_addr, length},
		.flags = flags,
	};

	post_copy(async_ops_handle, &op);
}

/* As much as the source holds; the destination must have room for it. */
void doca_dpa_dev_post_buf_memcpy(doca_dpa_dev_async_ops_t async_ops_handle,
				  doca_dpa_dev_buf_t dst_buf_handle,
				  doca_dpa_dev_buf_t src_buf_handle, uint32_t flags)
{
	doca_dpa_dev_post_memcpy(async_ops_handle, doca_dpa_dev_buf_get_mmap(dst_buf_handle),
				 doca_dpa_dev_buf_get_addr(dst_buf_handle),
				 doca_dpa_dev_buf_get_mmap(src_buf_handle),
				 doca_dpa_dev_buf_get_addr(src_buf_handle),
				 doca_dpa_dev_buf_get_len(src_buf_handle), flags);
}

void doca_dpa_dev_sync_event_post_wait_gt(doca_dpa_dev_async_ops_t async_ops_handle,
					  doca_dpa_dev_sync_event_t wait_se_handle, uint64_t value)
{
	const struct op op = {
		.is_wait = true,
		.event = wait_se_handle,
		.condition = {.test = EVENT_GT, .value = value, .mask = UINT64_MAX},
	};

	post_wait(async_ops_handle, &op);
}

void doca_dpa_dev_sync_event_post_wait_ne(doca_dpa_dev_async_ops_t async_ops_handle,
					  doca_dpa_dev_sync_event_t wait_se_handle, uint64_t value)
{
	const struct op op = {
		.is_wait = true,
		.event = wait_se_handle,
		.condition = {.test = EVENT_NEQ, .value = value, .mask = UINT64_MAX},
	};

	post_wait(async_ops_handle, &op);
}

/*
 * From the host
 */

doca_error_t doca_dpa_async_ops_create(struct doca_dpa *dpa, unsigned int queue_size,
				       uint64_t user_data, struct doca_dpa_async_ops **async_ops)
{
	struct doca_dpa_async_ops *ops;
	uint32_t size;

	if (!dpa || !async_ops)
		return DOCA_ERROR_INVALID_VALUE;
	size = dpa_queue_size(queue_size, "asynchronous operations");
	if (!size)
		return DOCA_ERROR_INVALID_VALUE;
	if (user_data > USER_DATA_MAX) {
		LOG_ERR("asynchronous operations: user data 0x%llx has more than %u bits",
			(unsigned long long)user_data, DOCA_DPA_COMPLETION_LOG_MAX_USER_DATA);
		return DOCA_ERROR_INVALID_VALUE;
	}
	if (!dpa->is_started)
		return DOCA_ERROR_BAD_STATE;
	ops = calloc(1, sizeof(*ops));
	if (!ops)
		return DOCA_ERROR_NO_MEMORY;
	ops->queue_size = size;
	ops->ring = calloc(ops->queue_size, sizeof(*ops->ring));
	if (ops->ring)
		ops->place = priv_dpa_place_take(DPA_ASYNC_OPS, ops);
	if (!ops->place) {
		free(ops->ring);
		free(ops);
		return DOCA_ERROR_NO_MEMORY;
	}
	ops->dpa = dpa;
	ops->user_data = (uint32_t)user_data;
	ops->work = (struct unit_work){.run = do_queued, .ended = do_nothing, .refused = refused};
	atomic_init(&ops->stopping, true);
	pthread_cond_init(&ops->drained, NULL);
	dpa_ref(dpa);
	*async_ops = ops;
	return DOCA_SUCCESS;
}

doca_error_t doca_dpa_async_ops_destroy(struct doca_dpa_async_ops *async_ops)
{
	if (!async_ops)
		return DOCA_ERROR_INVALID_VALUE;
	if (async_ops->is_started)
		doca_dpa_async_ops_stop(async_ops);
	priv_dpa_place_give(async_ops->place);
	dpa_unref(async_ops->dpa);
	pthread_cond_destroy(&async_ops->drained);
	free(async_ops->ring);
	free(async_ops);
	return DOCA_SUCCESS;
}

doca_error_t doca_dpa_async_ops_get_queue_size(struct doca_dpa_async_ops *async_ops,
					       unsigned int *queue_size)
{
	if (!async_ops || !queue_size)
		return DOCA_ERROR_INVALID_VALUE;
	*queue_size = async_ops->queue_size;
	return DOCA_SUCCESS;
}

doca_error_t doca_dpa_async_ops_get_user_data(struct doca_dpa_async_ops *async_ops,
					      uint64_t *user_data)
{
	if (!async_ops || !user_data)
		return DOCA_ERROR_INVALID_VALUE;
	*user_data = async_ops->user_data;
	return DOCA_SUCCESS;
}

doca_error_t doca_dpa_async_ops_attach(struct doca_dpa_async_ops *async_ops,
				       struct doca_dpa_completion *dpa_comp)
{
	doca_error_t err;

	if (!async_ops || !dpa_comp)
		return DOCA_ERROR_INVALID_VALUE;
	if (async_ops->is_started)
		return DOCA_ERROR_BAD_STATE;
	err = dpa_check_same(async_ops->dpa, dpa_comp->dpa, "a DPA completion");
	if (!err)
		async_ops->completion_handle = dpa_handle_of(dpa_comp->place);
	return err;
}

doca_error_t doca_dpa_async_ops_start(struct doca_dpa_async_ops *async_ops)
{
	struct doca_dpa_completion *completion;
	doca_error_t err;

	if (!async_ops)
		return DOCA_ERROR_INVALID_VALUE;
	if (async_ops->is_started)
		return DOCA_ERROR_BAD_STATE;
	if (!async_ops->completion_handle) {
		LOG_ERR("asynchronous operations cannot start: no completion is attached, see "
			"doca_dpa_async_ops_attach()");
		return DOCA_ERROR_BAD_STATE;
	}
	err = completion_attach(async_ops->completion_handle, &completion);
	if (err)
		return err;
	pthread_mutex_lock(&async_ops->place->lock);
	async_ops->completion = completion;
	atomic_store(&async_ops->stopping, false);
	pthread_mutex_unlock(&async_ops->place->lock);
	async_ops->is_started = true;
	return DOCA_SUCCESS;
}

/* Gives up what is queued. */
static void end_all(struct doca_dpa_async_ops *ops)
{
	NO_CANCEL();

	pthread_mutex_lock(&ops->place->lock);
	atomic_store(&ops->stopping, true);
	if (ops->has_unit && !ops->dpa->is_inherited &&
	    lend_withdraw(dpa_base(ops->dpa), &ops->work))
		drop_queued(ops);
	while (ops->has_unit && !ops->dpa->is_inherited)
		pthread_cond_wait(&ops->drained, &ops->place->lock);
	pthread_mutex_unlock(&ops->place->lock);
}

doca_error_t doca_dpa_async_ops_stop(struct doca_dpa_async_ops *async_ops)
{
	if (!async_ops)
		return DOCA_ERROR_INVALID_VALUE;
	if (!async_ops->is_started)
		return DOCA_ERROR_BAD_STATE;
	end_all(async_ops);
	completion_detach(async_ops->completion);
	async_ops->is_started = false;
	return DOCA_SUCCESS;
}

doca_error_t doca_dpa_async_ops_get_dpa_handle(struct doca_dpa_async_ops *async_ops,
					       doca_dpa_dev_async_ops_t *handle)
{
	if (!async_ops || !handle)
		return DOCA_ERROR_INVALID_VALUE;
	if (!async_ops->is_started)
		return DOCA_ERROR_BAD_STATE;
	*handle = dpa_handle_of(async_ops->place);
	return DOCA_SUCCESS;
}
