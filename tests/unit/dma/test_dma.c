/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * DMA: copies of single buffers and lists; what is refused; what fails and what that does to the
 * context; stopping.
 */
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <sys/wait.h>
#include <unistd.h>
#include "core/pe.h"
#include "dmatest.h"
#include "doca_sync_event.h"
#include "readable.h"

/*
 * Configuration
 */

static void no_task_has_nothing(void **state)
{
	(void)state;
	doca_dma_task_memcpy_set_src(NULL, NULL);
	assert_null(doca_dma_task_memcpy_get_src(NULL));
	doca_dma_task_memcpy_set_dst(NULL, NULL);
	assert_null(doca_dma_task_memcpy_get_dst(NULL));
}

static void arguments_are_checked(void **state)
{
	struct rig *rig = *state;
	const struct doca_devinfo *info = doca_dev_as_devinfo(rig->dev);
	struct doca_dma_task_memcpy *task;
	struct doca_gpu_dma *gpu_dma;
	struct doca_buf *buf = source(rig, 0, 8);
	const union doca_data none = {0};
	struct doca_dma *dma;
	uint32_t number;
	uint64_t size;

	assert_err(doca_dma_create(NULL, &dma), INVALID_VALUE);
	assert_err(doca_dma_create(rig->dev, NULL), INVALID_VALUE);
	assert_err(doca_dma_destroy(NULL), INVALID_VALUE);
	assert_null(doca_dma_as_ctx(NULL));
	assert_ok(doca_dma_cap_task_memcpy_is_supported(info));
	assert_err(doca_dma_cap_task_memcpy_is_supported(NULL), INVALID_VALUE);
	assert_err(doca_dma_cap_get_max_num_tasks(rig->dma, NULL), INVALID_VALUE);
	assert_err(doca_dma_cap_task_memcpy_get_max_buf_list_len(NULL, &number), INVALID_VALUE);
	assert_err(doca_dma_cap_task_memcpy_get_max_buf_size(info, NULL), INVALID_VALUE);
	assert_ok(doca_dma_cap_task_memcpy_get_max_buf_size(info, &size));
	assert_true(size >= SIZE);
	assert_err(doca_dma_get_gpu_handle(rig->dma, NULL), INVALID_VALUE);
	assert_err(doca_dma_get_gpu_handle(rig->dma, &gpu_dma), BAD_STATE);

	assert_err(doca_ctx_start(rig->ctx), INVALID_VALUE); /* the task is not enabled */
	assert_ok(doca_dma_cap_get_max_num_tasks(rig->dma, &number));
	assert_err(doca_dma_task_memcpy_set_conf(rig->dma, note_done, note_failed, number + 1),
		   INVALID_VALUE);
	assert_err(doca_dma_task_memcpy_set_conf(rig->dma, note_done, note_failed, 0),
		   INVALID_VALUE);
	assert_err(doca_dma_task_memcpy_set_conf(rig->dma, NULL, note_failed, 1), INVALID_VALUE);
	assert_err(doca_dma_task_memcpy_set_conf(rig->dma, note_done, NULL, 1), INVALID_VALUE);
	assert_err(doca_dma_task_memcpy_set_conf(NULL, note_done, note_failed, 1), INVALID_VALUE);
	assert_ok(doca_dma_task_memcpy_set_conf(rig->dma, note_done, note_failed, number));
	assert_ok(doca_dma_task_memcpy_set_conf(rig->dma, note_done, note_failed, 1));
	assert_err(doca_dma_task_memcpy_alloc_init(rig->dma, buf, buf, none, &task), BAD_STATE);
	assert_ok(doca_ctx_start(rig->ctx));
	assert_err(doca_dma_task_memcpy_set_conf(rig->dma, note_done, note_failed, 1), BAD_STATE);
	assert_err(doca_dma_destroy(rig->dma), IN_USE);
	assert_err(doca_dma_task_memcpy_alloc_init(NULL, buf, buf, none, &task), INVALID_VALUE);
	assert_err(doca_dma_task_memcpy_alloc_init(rig->dma, buf, buf, none, NULL), INVALID_VALUE);
	assert_ok(doca_dma_task_memcpy_alloc_init(rig->dma, buf, buf, none, &task));
	assert_err(doca_dma_task_memcpy_alloc_init(rig->dma, buf, buf, none, &task), NO_MEMORY);
	assert_ptr_equal(doca_dma_task_memcpy_get_src(task), buf);
	doca_task_free(doca_dma_task_memcpy_as_task(task));
	/* Buffers may be named later. */
	assert_ok(doca_dma_task_memcpy_alloc_init(rig->dma, NULL, NULL, none, &task));
	assert_null(doca_dma_task_memcpy_get_src(task));
	assert_null(doca_dma_task_memcpy_get_dst(task));
	assert_err(doca_task_try_submit(doca_dma_task_memcpy_as_task(task)), INVALID_VALUE);
	doca_dma_task_memcpy_set_dst(task, target(rig, 0, 4));
	assert_err(doca_task_try_submit(doca_dma_task_memcpy_as_task(task)), INVALID_VALUE);
	doca_dma_task_memcpy_set_dst(task, NULL);
	doca_dma_task_memcpy_set_src(task, source(rig, 0, 4));
	assert_err(doca_task_try_submit(doca_dma_task_memcpy_as_task(task)), INVALID_VALUE);
	doca_dma_task_memcpy_set_dst(task, target(rig, 0, 4));
	assert_ok(doca_task_try_submit(doca_dma_task_memcpy_as_task(task)));
	progress(rig);
	assert_int_equal(rig->done, 1);
	doca_task_free(doca_dma_task_memcpy_as_task(task));
}

/* Programs say so before the start, others after it. */
static void order_can_be_asked_for_in_every_state(void **state)
{
	struct rig *rig = *state;
	uint8_t enabled = 7;

	assert_err(doca_dma_set_ordered_completions(NULL, 1), INVALID_VALUE);
	assert_err(doca_dma_get_ordered_completions(NULL, &enabled), INVALID_VALUE);
	assert_err(doca_dma_get_ordered_completions(rig->dma, NULL), INVALID_VALUE);
	assert_int_equal(enabled, 7);
	assert_ok(doca_dma_get_ordered_completions(rig->dma, &enabled));
	assert_int_equal(enabled, 0);
	assert_ok(doca_dma_set_ordered_completions(rig->dma, 1));
	assert_ok(doca_dma_task_memcpy_set_conf(rig->dma, note_done, note_failed, 1));
	assert_ok(doca_ctx_start(rig->ctx));
	assert_ok(doca_dma_get_ordered_completions(rig->dma, &enabled));
	assert_int_equal(enabled, 1);
	assert_ok(doca_dma_set_ordered_completions(rig->dma, 0));
	assert_ok(doca_dma_get_ordered_completions(rig->dma, &enabled));
	assert_int_equal(enabled, 0);
}

/*
 * Copies
 */

static void data_goes_behind_data(void **state)
{
	struct rig *rig = *state;
	struct doca_buf *dst = target(rig, 0, 100);
	struct doca_task *task;

	for (int i = 0; i < 2; i++) {
		task = new_task(rig, source(rig, (size_t)i * 40, 40), dst, 1);
		assert_ok(doca_task_submit(task));
		assert_int_equal(rig->done, i); /* nothing happens before progress */
		assert_int_equal(data_len(dst), 40 * i);
		assert_int_equal(doca_pe_progress(rig->pe), 1);
		assert_int_equal(rig->done, i + 1);
		assert_ok(rig->status);
		assert_int_equal(data_len(dst), 40 * (i + 1));
		doca_task_free(task);
	}
	expect_copy(rig, 0, 0, 80);
	assert_int_equal(rig->memory[SIZE + 80], 0);
	task = new_task(rig, source(rig, 0, 21), dst, 1); /* there is room for 20 */
	assert_err(doca_task_try_submit(task), INVALID_VALUE);
	assert_ok(doca_buf_reset_data_len(dst));
	assert_ok(doca_task_try_submit(task));
	progress(rig);
	assert_int_equal(rig->done, 3);
	assert_int_equal(data_len(dst), 21);
	doca_task_free(task);
}

static void lists_are_gathered_and_scattered(void **state)
{
	/* Sizes of the elements; 0 elements are skipped. Sums: 60 and 70. */
	static const size_t from[] = {10, 0, 25, 1, 24};
	static const size_t to[] = {7, 13, 0, 30, 20};
	static const size_t expected[] = {7, 13, 0, 30, 10};
	struct rig *rig = *state;
	struct doca_buf *src = NULL, *dst = NULL, *dsts[5];
	struct doca_task *task;
	size_t at = 0;

	for (int i = 0; i < 5; i++) {
		struct doca_buf *buf = source(rig, at, from[i]);

		at += from[i];
		if (src)
			assert_ok(doca_buf_chain_list(src, buf));
		else
			src = buf;
	}
	at = 0;
	for (int i = 0; i < 5; i++) {
		dsts[i] = target(rig, at, to[i]);
		at += to[i];
		if (dst)
			assert_ok(doca_buf_chain_list(dst, dsts[i]));
		else
			dst = dsts[i];
	}
	task = new_task(rig, src, dst, 1);
	assert_ok(doca_task_try_submit(task));
	progress(rig);
	assert_int_equal(rig->done, 1);
	expect_copy(rig, 0, 0, 60);
	assert_int_equal(rig->memory[SIZE + 60], 0);
	for (int i = 0; i < 5; i++)
		assert_int_equal(data_len(dsts[i]), expected[i]);
	doca_task_free(task);
}

static void lists_have_a_longest(void **state)
{
	struct rig *rig = *state;
	uint32_t max;
	struct doca_buf *src, *dst = target(rig, 0, BUFS);
	struct doca_task *task;

	assert_ok(
		doca_dma_cap_task_memcpy_get_max_buf_list_len(doca_dev_as_devinfo(rig->dev), &max));
	assert_true(max < BUFS - 2);
	src = source(rig, 0, 1);
	for (uint32_t i = 1; i < max; i++)
		assert_ok(doca_buf_chain_list(src, source(rig, i, 1)));
	task = new_task(rig, src, dst, 1);
	assert_ok(doca_task_try_submit(task));
	progress(rig);
	assert_int_equal(rig->done, 1);
	expect_copy(rig, 0, 0, max);
	assert_ok(doca_buf_chain_list(src, source(rig, max, 1)));
	assert_err(doca_task_try_submit(task), INVALID_VALUE);
	doca_task_free(task);
	release_bufs(rig);
	dst = target(rig, 0, 1);
	for (uint32_t i = 0; i < max; i++)
		assert_ok(doca_buf_chain_list(dst, target(rig, i, 1)));
	task = new_task(rig, source(rig, 0, 1), dst, 2);
	assert_err(doca_task_try_submit(task), INVALID_VALUE);
	doca_task_free(task);
}

static void big_copies_take_several_rounds(void **state)
{
	struct rig *rig = *state;
	struct doca_buf *dst = target(rig, 0, SIZE);
	struct doca_task *task = new_task(rig, source(rig, 0, SIZE), dst, 1);
	int rounds = 0;

	assert_ok(doca_task_submit(task));
	while (!rig->done) {
		/* Only the round that ends it is told as one that did something. */
		uint8_t did = doca_pe_progress(rig->pe);

		assert_int_equal(did, rig->done);
		assert_int_equal(data_len(dst), rig->done ? SIZE : 0);
		rounds++;
	}
	assert_int_equal(rounds, SIZE / MIB);
	expect_copy(rig, 0, 0, SIZE);
	doca_task_free(task);
}

static void tasks_come_back_in_order(void **state)
{
	struct rig *rig = *state;
	static const size_t sizes[TASKS] = {2 * MIB, 10, 1, MIB / 2};
	struct doca_task *tasks[TASKS];
	size_t at = 0;

	for (int i = 0; i < TASKS; i++) {
		tasks[i] = new_task(rig, source(rig, at, sizes[i]), target(rig, at, sizes[i]),
				    (uint64_t)i + 1);
		assert_ok(doca_task_submit(tasks[i]));
		at += sizes[i];
	}
	progress(rig);
	assert_int_equal(rig->order, 1234);
	expect_copy(rig, 0, 0, at);
	for (int i = 0; i < TASKS; i++)
		doca_task_free(tasks[i]);
}

/*
 * What is refused and what fails
 */

static void what_can_be_seen_is_refused(void **state)
{
	struct rig *rig = *state;
	struct doca_buf *empty = buf_of(rig, rig->mmap, rig->memory, 8, 0);
	struct doca_buf *unsound = source(rig, 0, 8);
	struct doca_buf *dst = target(rig, 0, 8);

	assert_ok(doca_buf_set_data_len(unsound, 9));
	assert_err(doca_task_try_submit(new_task(rig, empty, dst, 1)), INVALID_VALUE);
	assert_err(doca_task_try_submit(new_task(rig, unsound, dst, 1)), INVALID_VALUE);
	assert_err(doca_task_try_submit(new_task(rig, source(rig, 0, 9), dst, 1)), INVALID_VALUE);
	assert_err(doca_task_try_submit(new_task(rig, source(rig, 0, 8), unsound, 1)),
		   INVALID_VALUE);
}

/* Free buffers are in a list, too: that of the inventory. */
static void buffers_that_were_given_back_are_refused(void **state)
{
	struct rig *rig = *state;
	struct doca_buf *src = source(rig, 0, 8), *dst = target(rig, 0, 8);
	struct doca_buf *gone = NULL;
	struct doca_task *task;

	rig->free_in_callback = true;
	assert_ok(doca_buf_inventory_buf_get_by_data(rig->inventory, rig->mmap, rig->memory, 8,
						     &gone));
	assert_ok(doca_buf_dec_refcount(gone, NULL));
	assert_err(doca_task_try_submit(new_task(rig, src, gone, 1)), INVALID_VALUE);
	task = new_task(rig, gone, dst, 1);
	assert_err(doca_task_try_submit(task), INVALID_VALUE);
	assert_ok(doca_task_submit(task));
	progress(rig);
	assert_int_equal(rig->failed, 1);
	assert_err(rig->status, INVALID_VALUE);
}

/* As the official sample pe_task_error counts on: nobody stops the context but the failure. */
static void a_failure_stops_the_context(void **state)
{
	struct rig *rig = *state;
	struct doca_buf *src[3];

	rig->free_in_callback = true;
	for (int i = 0; i < 3; i++)
		src[i] = source(rig, 8 * (size_t)i, 8);
	assert_ok(doca_buf_reset_data_len(src[1]));
	for (int i = 0; i < 3; i++)
		assert_ok(doca_task_submit(
			new_task(rig, src[i], target(rig, 8 * (size_t)i, 8), (uint64_t)i + 1)));
	progress(rig);
	assert_int_equal(rig->order, 123);
	assert_int_equal(rig->done, 1);
	assert_int_equal(rig->failed, 2);
	assert_int_equal(rig->status, DOCA_ERROR_IO_FAILED); /* the third was flushed */
	assert_true(rig->failing);
	assert_int_equal(rig->stopped, 1);
	assert_ok(doca_ctx_start(rig->ctx)); /* and can go on */
	assert_ok(doca_task_submit(new_task(rig, src[2], target(rig, 100, 8), 4)));
	progress(rig);
	assert_int_equal(rig->done, 2);
}

static void read_only_memory_is_not_written(void **state)
{
	struct rig *rig = *state;
	struct doca_mmap *mmap;
	struct doca_task *task;

	assert_ok(doca_mmap_create(&mmap));
	assert_ok(doca_mmap_set_memrange(mmap, rig->memory + SIZE, 64));
	assert_ok(doca_mmap_set_permissions(mmap, DOCA_ACCESS_FLAG_PCI_READ_ONLY));
	assert_ok(doca_mmap_start(mmap));
	task = new_task(rig, source(rig, 0, 8), buf_of(rig, mmap, rig->memory + SIZE, 8, 0), 1);
	assert_err(doca_task_try_submit(task), INVALID_VALUE);
	assert_ok(doca_task_submit(task));
	progress(rig);
	assert_int_equal(rig->failed, 1);
	assert_int_equal(rig->status, DOCA_ERROR_NOT_PERMITTED);
	doca_task_free(task);
	release_bufs(rig);
	assert_ok(doca_mmap_destroy(mmap));
}

/*
 * Stopping
 */

static void stopping_flushes(void **state)
{
	struct rig *rig = *state;
	struct doca_buf *dst = target(rig, 0, SIZE);

	rig->free_in_callback = true;
	assert_ok(doca_task_submit(new_task(rig, source(rig, 0, SIZE), dst, 1)));
	assert_ok(doca_task_submit(new_task(rig, source(rig, 0, 8), dst, 2)));
	assert_int_equal(doca_pe_progress(rig->pe), 0); /* in the middle of the first */
	assert_err(doca_ctx_stop(rig->ctx), IN_PROGRESS);
	assert_int_equal(rig->failed, 0); /* callbacks come from progress only */
	progress(rig);
	assert_int_equal(rig->order, 12);
	assert_int_equal(rig->failed, 2);
	assert_int_equal(rig->status, DOCA_ERROR_IO_FAILED);
	assert_int_equal(rig->stopped, 1);
	assert_int_equal(data_len(dst), 0); /* no half copy is claimed */
}

static void callbacks_may_stop(void **state)
{
	struct rig *rig = *state;

	rig->free_in_callback = true;
	rig->stop_in_callback = true;
	for (size_t i = 0; i < 3; i++)
		assert_ok(doca_task_submit(
			new_task(rig, source(rig, 8 * i, 8), target(rig, 8 * i, 8), i + 1)));
	progress(rig);
	assert_int_equal(rig->order, 123);
	assert_int_equal(rig->done, 1);
	assert_int_equal(rig->failed, 2);
	assert_int_equal(rig->stopped, 1);
}

static void callbacks_may_destroy(void **state)
{
	struct rig *rig = *state;

	rig->free_in_callback = true;
	rig->destroy_in_callback = true;
	assert_ok(doca_task_submit(new_task(rig, source(rig, 0, 8), target(rig, 0, 8), 1)));
	progress(rig);
	assert_int_equal(rig->done, 1);
	assert_null(rig->dma);
}

/* A long copy, for which others have to wait. */
static void submit_long(struct rig *rig, uint64_t user_data)
{
	assert_ok(doca_task_submit(
		new_task(rig, source(rig, MIB, 2 * MIB), target(rig, MIB, 2 * MIB), user_data)));
}

/* A program may free what it has submitted, and then its buffers. */
static void freed_tasks_are_not_done(void **state)
{
	struct rig *rig = *state;
	struct doca_task *tasks[2];

	rig->free_in_callback = true;
	submit_long(rig, 3);
	for (size_t i = 0; i < 2; i++) {
		tasks[i] = new_task(rig, source(rig, 8 * i, 8), target(rig, 8 * i, 8), i + 1);
		assert_ok(doca_task_submit(tasks[i]));
	}
	doca_task_free(tasks[0]);
	for (int i = 2; i < 4; i++)
		assert_ok(doca_buf_dec_refcount(rig->bufs[i], NULL));
	progress(rig);
	assert_int_equal(rig->order, 32);
	assert_int_equal(rig->memory[SIZE + 1], 0);
	expect_copy(rig, 8, 8, 8);
	assert_ok(doca_ctx_stop(rig->ctx)); /* nothing is waited for */
}

static void destroyed_maps_fail_in_the_middle(void **state)
{
	struct rig *rig = *state;
	struct doca_mmap *mmap = passing_mmap(rig->memory, SIZE);
	struct doca_task *task;

	task = new_task(rig, buf_of(rig, mmap, rig->memory, SIZE, SIZE), target(rig, 0, SIZE), 1);
	assert_ok(doca_task_submit(task));
	assert_int_equal(doca_pe_progress(rig->pe), 0); /* a third of it */
	assert_ok(doca_mmap_destroy(mmap));
	progress(rig);
	assert_int_equal(rig->failed, 1);
	assert_int_equal(rig->status, DOCA_ERROR_IO_FAILED);
	doca_task_free(task);
}

/* A program may submit between asking for a notification and sleeping. */
static void a_sleeping_engine_is_woken(void **state)
{
	struct rig *rig = *state;
	struct doca_task *task = new_task(rig, source(rig, 0, 2 * MIB), target(rig, 0, SIZE), 1);

	assert_ok(doca_pe_request_notification(rig->pe));
	assert_false(pe_is_readable(rig->pe));
	assert_ok(doca_task_submit(task));
	assert_true(pe_is_readable(rig->pe));
	assert_ok(doca_pe_clear_notification(rig->pe, 0));
	assert_int_equal(doca_pe_progress(rig->pe), 0); /* the first half */
	assert_ok(doca_pe_request_notification(rig->pe));
	assert_true(pe_is_readable(rig->pe));
	assert_ok(doca_pe_clear_notification(rig->pe, 0));
	progress(rig);
	assert_int_equal(rig->done, 1);
	doca_task_free(task);
}

static pid_t child;

static void fork_and_destroy(struct doca_dma_task_memcpy *task, union doca_data task_user_data,
			     union doca_data ctx_user_data)
{
	struct rig *rig = ctx_user_data.ptr;

	(void)task_user_data;
	doca_task_free(doca_dma_task_memcpy_as_task(task));
	if (rig->done++)
		return;
	child = fork();
	if (!child && (doca_ctx_stop(rig->ctx) || doca_dma_destroy(rig->dma)))
		_exit(1);
}

/* Its progress engine is the parent's, because of the sync event: the rest of its tasks, too. */
static void a_child_of_a_callback_may_destroy_it(void **state)
{
	struct rig *rig = *state;
	struct doca_sync_event *event;
	struct doca_ctx *event_ctx;
	int status;

	assert_ok(doca_sync_event_create(&event));
	event_ctx = doca_sync_event_as_ctx(event);
	assert_ok(doca_sync_event_add_publisher_location_cpu(event, rig->dev));
	assert_ok(doca_sync_event_add_subscriber_location_cpu(event, rig->dev));
	assert_ok(doca_pe_connect_ctx(rig->pe, event_ctx));
	assert_ok(doca_ctx_start(event_ctx));
	assert_ok(
		doca_dma_task_memcpy_set_conf(rig->dma, fork_and_destroy, fork_and_destroy, TASKS));
	assert_ok(doca_ctx_set_user_data(rig->ctx, (union doca_data){.ptr = rig}));
	assert_ok(doca_ctx_start(rig->ctx));
	for (unsigned int i = 0; i < 3; i++)
		assert_ok(doca_task_submit(
			new_task(rig, source(rig, 0, 8), target(rig, 100 * i, 8), i)));
	progress(rig);
	if (!child)
		_exit(rig->done == 1 ? 0 : 2);
	assert_int_equal(rig->done, 3);
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_true(WIFEXITED(status));
	assert_int_equal(WEXITSTATUS(status), 0);
	assert_ok(doca_ctx_stop(event_ctx));
	assert_ok(doca_sync_event_destroy(event));
}

static _Atomic bool is_called, may_return;

static void wait_in_callback(struct doca_dma_task_memcpy *task, union doca_data task_user_data,
			     union doca_data ctx_user_data)
{
	(void)task_user_data;
	(void)ctx_user_data;
	doca_task_free(doca_dma_task_memcpy_as_task(task));
	atomic_store(&is_called, true);
	while (!atomic_load(&may_return))
		sched_yield();
}

static void *progress_once(void *pe)
{
	while (!doca_pe_progress(pe))
		;
	return NULL;
}

/* What that thread would have gone on with is unknown: the child can only clean up. */
static void a_child_destroys_what_another_thread_was_in(void **state)
{
	struct rig *rig = *state;
	pthread_t thread;
	int status;

	assert_ok(
		doca_dma_task_memcpy_set_conf(rig->dma, wait_in_callback, wait_in_callback, TASKS));
	assert_ok(doca_ctx_start(rig->ctx));
	assert_ok(doca_task_submit(new_task(rig, source(rig, 0, 8), target(rig, 0, 8), 1)));
	assert_int_equal(pthread_create(&thread, NULL, progress_once, rig->pe), 0);
	while (!atomic_load(&is_called))
		sched_yield();
	child = fork();
	if (!child)
		_exit(doca_pe_progress(rig->pe) || doca_ctx_stop(rig->ctx) ||
		      doca_dma_destroy(rig->dma) || doca_pe_destroy(rig->pe));
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_true(WIFEXITED(status));
	assert_int_equal(WEXITSTATUS(status), 0);
	atomic_store(&may_return, true);
	assert_int_equal(pthread_join(thread, NULL), 0);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(no_task_has_nothing),
		cmocka_unit_test_setup_teardown(arguments_are_checked, set_up_idle, tear_down),
		cmocka_unit_test_setup_teardown(order_can_be_asked_for_in_every_state, set_up_idle,
						tear_down),
		TEST(data_goes_behind_data),
		TEST(lists_are_gathered_and_scattered),
		TEST(lists_have_a_longest),
		TEST(big_copies_take_several_rounds),
		TEST(tasks_come_back_in_order),
		TEST(what_can_be_seen_is_refused),
		TEST(buffers_that_were_given_back_are_refused),
		TEST(a_failure_stops_the_context),
		TEST(read_only_memory_is_not_written),
		TEST(stopping_flushes),
		TEST(callbacks_may_stop),
		TEST(callbacks_may_destroy),
		TEST(freed_tasks_are_not_done),
		TEST(destroyed_maps_fail_in_the_middle),
		TEST(a_sleeping_engine_is_woken),
		cmocka_unit_test_setup_teardown(a_child_of_a_callback_may_destroy_it, set_up_idle,
						tear_down),
		cmocka_unit_test_setup_teardown(a_child_destroys_what_another_thread_was_in,
						set_up_idle, tear_down),
	};

	priv_pe_work_on_ticks = 0;
	return cmocka_run_group_tests(tests, NULL, NULL);
}
