/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Advice on memory: the context, and a task that has nothing to do but to be checked.
 */
#include "memtest.h"
#include "doca_ctx.h"
#include "doca_mmap_advise.h"
#include "doca_pe.h"
#include "readable.h"

static char memory[64];

struct rig {
	struct doca_dev *dev;
	struct doca_pe *pe;
	struct doca_mmap *mmap;
	struct doca_buf_inventory *inventory;
	struct doca_mmap_advise *advise;
	struct doca_ctx *ctx;
	struct doca_buf *buf[2];
	unsigned int done, failed;
	doca_error_t status;
};

static void note_done(struct doca_mmap_advise_task_invalidate_cache *task,
		      union doca_data task_user_data, union doca_data ctx_user_data)
{
	struct rig *rig = ctx_user_data.ptr;

	assert_int_equal(task_user_data.u64, 42);
	rig->done++;
	rig->status =
		doca_task_get_status(doca_mmap_advise_task_invalidate_cache_as_doca_task(task));
}

static void note_failed(struct doca_mmap_advise_task_invalidate_cache *task,
			union doca_data task_user_data, union doca_data ctx_user_data)
{
	struct rig *rig = ctx_user_data.ptr;

	(void)task_user_data;
	rig->failed++;
	rig->status =
		doca_task_get_status(doca_mmap_advise_task_invalidate_cache_as_doca_task(task));
}

static int set_up(void **state)
{
	struct rig *rig = calloc(1, sizeof(*rig));

	rig->dev = open_dev("03:00.0");
	rig->mmap = started_mmap(memory, sizeof(memory));
	rig->inventory = started_inventory(2);
	for (int i = 0; i < 2; i++)
		assert_ok(doca_buf_inventory_buf_get_by_data(rig->inventory, rig->mmap, memory, 8,
							     &rig->buf[i]));
	assert_ok(doca_pe_create(&rig->pe));
	assert_ok(doca_mmap_advise_create(rig->dev, &rig->advise));
	rig->ctx = doca_mmap_advise_as_ctx(rig->advise);
	assert_ok(doca_pe_connect_ctx(rig->pe, rig->ctx));
	assert_ok(doca_ctx_set_user_data(rig->ctx, (union doca_data){.ptr = rig}));
	*state = rig;
	return 0;
}

static int tear_down(void **state)
{
	struct rig *rig = *state;

	assert_ok(doca_mmap_advise_destroy(rig->advise));
	assert_ok(doca_pe_destroy(rig->pe));
	for (int i = 0; i < 2; i++)
		doca_buf_dec_refcount(rig->buf[i], NULL);
	assert_ok(doca_buf_inventory_destroy(rig->inventory));
	assert_ok(doca_mmap_destroy(rig->mmap));
	assert_ok(doca_dev_close(rig->dev));
	free(rig);
	return 0;
}

static doca_error_t enable(struct rig *rig, uint32_t count)
{
	return doca_mmap_advise_task_invalidate_cache_set_conf(rig->advise, note_done, note_failed,
							       count);
}

static struct doca_mmap_advise_task_invalidate_cache *new_task(struct rig *rig)
{
	struct doca_mmap_advise_task_invalidate_cache *task;

	assert_ok(doca_mmap_advise_task_invalidate_cache_alloc_init(
		rig->advise, rig->buf[0], (union doca_data){.u64 = 42}, &task));
	return task;
}

static void stop_rig(struct rig *rig, struct doca_task *task)
{
	doca_task_free(task);
	assert_ok(doca_ctx_stop(rig->ctx));
}

static void only_dpu_devices_take_it(void **state)
{
	struct rig *rig = *state;
	struct doca_dev *host = open_dev("b1:00.0");
	struct doca_mmap_advise *advise;
	struct doca_ctx *ctx;
	uint64_t size = 0;

	assert_ok(doca_mmap_advise_cap_task_cache_invalidate_is_supported(
		doca_dev_as_devinfo(rig->dev)));
	assert_err(
		doca_mmap_advise_cap_task_cache_invalidate_is_supported(doca_dev_as_devinfo(host)),
		NOT_SUPPORTED);
	assert_err(doca_mmap_advise_cap_task_cache_invalidate_is_supported(NULL), INVALID_VALUE);
	assert_ok(doca_mmap_advise_task_cache_invalidate_get_max_buf_size(
		doca_dev_as_devinfo(rig->dev), &size));
	assert_true(size >= 1024 * 1024);
	assert_err(doca_mmap_advise_task_cache_invalidate_get_max_buf_size(
			   doca_dev_as_devinfo(rig->dev), NULL),
		   INVALID_VALUE);
	assert_ok(doca_mmap_advise_create(host, &advise));
	ctx = doca_mmap_advise_as_ctx(advise);
	assert_ok(doca_pe_connect_ctx(rig->pe, ctx));
	assert_ok(
		doca_mmap_advise_task_invalidate_cache_set_conf(advise, note_done, note_failed, 1));
	assert_err(doca_ctx_start(ctx), NOT_SUPPORTED);
	assert_ok(doca_mmap_advise_destroy(advise));
	assert_ok(doca_dev_close(host));
}

static void configuration_is_checked(void **state)
{
	struct rig *rig = *state;
	struct doca_mmap_advise_task_invalidate_cache *task;
	struct doca_mmap_advise *advise;

	assert_err(doca_mmap_advise_create(NULL, &advise), INVALID_VALUE);
	assert_err(doca_mmap_advise_create(rig->dev, NULL), INVALID_VALUE);
	assert_err(doca_mmap_advise_destroy(NULL), INVALID_VALUE);
	assert_null(doca_mmap_advise_as_ctx(NULL));
	assert_err(doca_ctx_start(rig->ctx), INVALID_VALUE); /* the task is not enabled */
	assert_err(enable(rig, 0), INVALID_VALUE);
	assert_err(enable(rig, UINT32_MAX), INVALID_VALUE);
	assert_err(
		doca_mmap_advise_task_invalidate_cache_set_conf(rig->advise, NULL, note_failed, 1),
		INVALID_VALUE);
	assert_err(doca_mmap_advise_task_invalidate_cache_set_conf(NULL, note_done, note_failed, 1),
		   INVALID_VALUE);
	assert_ok(enable(rig, 1));
	assert_err(doca_mmap_advise_task_invalidate_cache_alloc_init(rig->advise, rig->buf[0],
								     (union doca_data){0}, &task),
		   BAD_STATE);
	assert_ok(doca_ctx_start(rig->ctx));
	assert_err(enable(rig, 1), NOT_PERMITTED);
	assert_err(doca_mmap_advise_destroy(rig->advise), IN_USE);
	task = new_task(rig);
	assert_err(doca_mmap_advise_task_invalidate_cache_alloc_init(rig->advise, rig->buf[0],
								     (union doca_data){0}, &task),
		   NO_MEMORY);
	assert_err(doca_mmap_advise_task_invalidate_cache_alloc_init(rig->advise, NULL,
								     (union doca_data){0}, &task),
		   INVALID_VALUE);
	stop_rig(rig, doca_mmap_advise_task_invalidate_cache_as_doca_task(task));
}

static void a_sound_buffer_succeeds(void **state)
{
	struct rig *rig = *state;
	struct doca_mmap_advise_task_invalidate_cache *task;
	struct doca_task *base;

	assert_ok(enable(rig, 1));
	assert_ok(doca_ctx_start(rig->ctx));
	task = new_task(rig);
	base = doca_mmap_advise_task_invalidate_cache_as_doca_task(task);
	assert_ptr_equal(doca_mmap_advise_task_invalidate_cache_get_buf(task), rig->buf[0]);
	assert_ok(doca_buf_chain_list(rig->buf[0], rig->buf[1]));
	assert_ok(doca_task_submit(base));
	assert_int_equal(rig->done, 0); /* callbacks come from progress only */
	assert_int_equal(doca_pe_progress(rig->pe), 1);
	assert_int_equal(rig->done, 1);
	assert_ok(rig->status);
	assert_int_equal(doca_pe_progress(rig->pe), 0);
	stop_rig(rig, base);
}

static void unsound_buffers_fail(void **state)
{
	struct rig *rig = *state;
	struct doca_mmap_advise_task_invalidate_cache *task;
	struct doca_task *base;

	assert_ok(enable(rig, 1));
	assert_ok(doca_ctx_start(rig->ctx));
	task = new_task(rig);
	base = doca_mmap_advise_task_invalidate_cache_as_doca_task(task);
	assert_ok(doca_buf_reset_data_len(rig->buf[0]));
	assert_err(doca_task_try_submit(base), INVALID_VALUE);
	assert_ok(doca_task_submit(base));
	assert_int_equal(doca_pe_progress(rig->pe), 1);
	assert_int_equal(rig->failed, 1);
	assert_int_equal(rig->status, DOCA_ERROR_INVALID_VALUE);
	assert_ok(doca_buf_set_data(rig->buf[1], memory, 9)); /* longer than the buffer */
	doca_mmap_advise_task_invalidate_cache_set_buf(task, rig->buf[1]);
	assert_err(doca_task_try_submit(base), INVALID_VALUE);
	assert_ok(doca_buf_set_data(rig->buf[1], memory, 8));
	assert_ok(doca_task_try_submit(base));
	assert_int_equal(doca_pe_progress(rig->pe), 1);
	assert_int_equal(rig->done, 1);
	assert_ok(doca_buf_dec_refcount(rig->buf[1], NULL));
	assert_err(doca_task_try_submit(base), INVALID_VALUE);
	doca_mmap_advise_task_invalidate_cache_set_buf(task, NULL);
	assert_err(doca_task_try_submit(base), INVALID_VALUE);
	assert_int_equal(rig->done, 1);
	stop_rig(rig, base);
}

static void accessors_take_no_task_for_one_without_a_buffer(void **state)
{
	const struct rig *rig = *state;

	doca_mmap_advise_task_invalidate_cache_set_buf(NULL, rig->buf[0]);
	assert_null(doca_mmap_advise_task_invalidate_cache_get_buf(NULL));
}

static void a_sleeping_engine_is_woken(void **state)
{
	struct rig *rig = *state;
	struct doca_task *task;

	assert_ok(enable(rig, 1));
	assert_ok(doca_ctx_start(rig->ctx));
	task = doca_mmap_advise_task_invalidate_cache_as_doca_task(new_task(rig));
	assert_ok(doca_pe_request_notification(rig->pe));
	assert_false(pe_is_readable(rig->pe));
	assert_ok(doca_task_submit(task));
	assert_true(pe_is_readable(rig->pe));
	assert_ok(doca_pe_clear_notification(rig->pe, 0));
	while (doca_pe_progress(rig->pe))
		;
	assert_int_equal(rig->done, 1);
	stop_rig(rig, task);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
	const struct CMUnitTest tests[] = {
		TEST(only_dpu_devices_take_it),
		TEST(configuration_is_checked),
		TEST(a_sound_buffer_succeeds),
		TEST(unsound_buffers_fail),
		TEST(a_sleeping_engine_is_woken),
		TEST(accessors_take_no_task_for_one_without_a_buffer),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
