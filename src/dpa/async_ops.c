/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Asynchronous operations of DPA code: copies and waits for events, done in their order. Copies are
 * done at once, unless a wait is before them; then a borrowed unit does what is queued.
 */
#define LOG_MODULE "dpa"
#include <assert.h>
#include <stdlib.h>
#include "base/log.h"
#include "core/mmap_dev.h"
#include "core/sync_event_dpa.h"
#include "doca_dpa_dev_buf.h"
#include "doca_dpa_dev_sync_event.h"
#include "dpa/completion.h"
#include "dpa/exec.h"

#define USER_DATA_MAX ((1u << DOCA_DPA_COMPLETION_LOG_MAX_USER_DATA) - 1)

/* A wait, or a copy. */
struct op {
	bool is_wait;
	struct doca_sync_event *event;
	struct event_condition condition;
	struct mmap_dev_copy copy;
	uint32_t flags;
};

struct doca_dpa_async_ops {
	struct dpa_garbage garbage;
	struct doca_dpa *dpa;
	uint32_t queue_size; /* a power of two */
	uint32_t user_data;
	struct doca_dpa_completion *completion; /* NULL: not attached */
	bool is_started;
	struct unit_work work;
	atomic_bool stopping;

	pthread_mutex_t lock; /* of what follows; a leaf */
	pthread_cond_t drained;
	struct op *ring;
	uint32_t head, tail;
	bool has_unit; /* which does what is queued */
};

static struct doca_dpa_async_ops *of_handle(doca_dpa_dev_async_ops_t handle)
{
	return (struct doca_dpa_async_ops *)(uintptr_t)handle;
}

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
	doca_error_t failed = DOCA_SUCCESS;

	pthread_mutex_lock(&ops->lock);
	while (ops->tail != ops->head) {
		struct op op = ops->ring[ops->tail & (ops->queue_size - 1)];

		pthread_mutex_unlock(&ops->lock);
		failed = do_op(ops, &op, failed);
		pthread_mutex_lock(&ops->lock);
		ops->tail++;
	}
	ops->has_unit = false;
	pthread_cond_broadcast(&ops->drained);
	pthread_mutex_unlock(&ops->lock);
}

static void do_nothing(struct unit_work *work)
{
	(void)work; /* it may be gone */
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

/* Whatever is queued is for a unit, which this one may have to get. */
static void lend_unit(struct doca_dpa_async_ops *ops)
{
	struct unit_work *work = &ops->work;
	doca_error_t err = units_lend(dpa_base(ops->dpa), &work, 1);

	if (!err)
		return;
	if (err != DOCA_ERROR_BAD_STATE) /* it ends, and so does the caller */
		dpa_fail(ops->dpa, "no unit for a wait of asynchronous operations");
	pthread_mutex_lock(&ops->lock);
	ops->tail = ops->head;
	ops->has_unit = false;
	pthread_cond_broadcast(&ops->drained);
	pthread_mutex_unlock(&ops->lock);
}

static void post_wait(struct doca_dpa_async_ops *ops, const struct op *op)
{
	bool stopping, queued, needs_unit;

	do {
		pthread_mutex_lock(&ops->lock);
		/* Programs stop it before the threads that post. Who stops it sees has_unit. */
		stopping = atomic_load(&ops->stopping);
		queued = !stopping && enqueue(ops, op);
		needs_unit = queued && !ops->has_unit;
		ops->has_unit |= needs_unit;
		pthread_mutex_unlock(&ops->lock);
		if (!queued && !stopping)
			activation_pause();
	} while (!queued && !stopping);
	if (needs_unit)
		lend_unit(ops);
	activation_check();
}

static void post_copy(struct doca_dpa_async_ops *ops, const struct op *op)
{
	bool stopping, done, queued;

	do {
		pthread_mutex_lock(&ops->lock);
		stopping = atomic_load(&ops->stopping);
		done = !stopping && !ops->has_unit;
		queued = !stopping && !done && enqueue(ops, op);
		pthread_mutex_unlock(&ops->lock);
		if (!stopping && !done && !queued)
			activation_pause();
	} while (!stopping && !done && !queued);
	if (done)
		report(ops, op, priv_mmap_dev_copy(&op->copy));
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

	post_copy(of_handle(async_ops_handle), &op);
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
		.event = (struct doca_sync_event *)(uintptr_t)wait_se_handle,
		.condition = {.test = EVENT_GT, .value = value, .mask = UINT64_MAX},
	};

	post_wait(of_handle(async_ops_handle), &op);
}

void doca_dpa_dev_sync_event_post_wait_ne(doca_dpa_dev_async_ops_t async_ops_handle,
					  doca_dpa_dev_sync_event_t wait_se_handle, uint64_t value)
{
	const struct op op = {
		.is_wait = true,
		.event = (struct doca_sync_event *)(uintptr_t)wait_se_handle,
		.condition = {.test = EVENT_NEQ, .value = value, .mask = UINT64_MAX},
	};

	post_wait(of_handle(async_ops_handle), &op);
}

/*
 * From the host
 */

doca_error_t doca_dpa_async_ops_create(struct doca_dpa *dpa, unsigned int queue_size,
				       uint64_t user_data, struct doca_dpa_async_ops **async_ops)
{
	struct doca_dpa_async_ops *ops;

	if (!dpa || !async_ops || !dpa_queue_size(queue_size))
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
	ops->queue_size = dpa_queue_size(queue_size);
	ops->ring = calloc(ops->queue_size, sizeof(*ops->ring));
	if (!ops->ring) {
		free(ops);
		return DOCA_ERROR_NO_MEMORY;
	}
	ops->dpa = dpa;
	ops->user_data = (uint32_t)user_data;
	ops->work = (struct unit_work){.run = do_queued, .ended = do_nothing};
	pthread_mutex_init(&ops->lock, NULL);
	pthread_cond_init(&ops->drained, NULL);
	dpa_ref(dpa);
	*async_ops = ops;
	return DOCA_SUCCESS;
}

static void release(struct dpa_garbage *garbage)
{
	struct doca_dpa_async_ops *ops = container_of(garbage, struct doca_dpa_async_ops, garbage);

	pthread_cond_destroy(&ops->drained);
	pthread_mutex_destroy(&ops->lock);
	free(ops->ring);
	free(ops);
}

doca_error_t doca_dpa_async_ops_destroy(struct doca_dpa_async_ops *async_ops)
{
	if (!async_ops)
		return DOCA_ERROR_INVALID_VALUE;
	if (async_ops->is_started)
		doca_dpa_async_ops_stop(async_ops);
	dpa_unref(async_ops->dpa);
	async_ops->garbage.release = release;
	garbage_discard(&async_ops->garbage);
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
	if (!async_ops || !dpa_comp)
		return DOCA_ERROR_INVALID_VALUE;
	if (async_ops->is_started)
		return DOCA_ERROR_BAD_STATE;
	async_ops->completion = dpa_comp;
	return DOCA_SUCCESS;
}

doca_error_t doca_dpa_async_ops_start(struct doca_dpa_async_ops *async_ops)
{
	doca_error_t err;

	if (!async_ops)
		return DOCA_ERROR_INVALID_VALUE;
	if (async_ops->is_started)
		return DOCA_ERROR_BAD_STATE;
	if (!async_ops->completion) {
		LOG_ERR("asynchronous operations cannot start: no completion is attached, see "
			"doca_dpa_async_ops_attach()");
		return DOCA_ERROR_BAD_STATE;
	}
	err = completion_attach(async_ops->completion);
	if (err)
		return err;
	atomic_store(&async_ops->stopping, false);
	async_ops->is_started = true;
	return DOCA_SUCCESS;
}

static void wait_for_unit(struct doca_dpa_async_ops *ops)
{
	pthread_mutex_lock(&ops->lock);
	while (ops->has_unit)
		pthread_cond_wait(&ops->drained, &ops->lock);
	pthread_mutex_unlock(&ops->lock);
}

doca_error_t doca_dpa_async_ops_stop(struct doca_dpa_async_ops *async_ops)
{
	if (!async_ops)
		return DOCA_ERROR_INVALID_VALUE;
	if (!async_ops->is_started)
		return DOCA_ERROR_BAD_STATE;
	atomic_store(&async_ops->stopping, true); /* waits are given up */
	if (!async_ops->dpa->is_inherited)
		wait_for_unit(async_ops);
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
	*handle = (uintptr_t)async_ops;
	return DOCA_SUCCESS;
}
