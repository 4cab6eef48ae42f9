/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The target object: what may be set when, and what keeps it from stopping.
 */
#include "api.h"

#include <pthread.h>
#include <stdatomic.h>

static void made_of_devices_that_carry_one(void **state)
{
	struct api *api = *state;
	struct doca_sta *sta;

	assert_err(doca_sta_create(NULL, &sta), INVALID_VALUE);
	assert_err(doca_sta_create(api->dev, NULL), INVALID_VALUE);
	assert_null(doca_sta_as_ctx(NULL));
	assert_err(doca_sta_destroy(NULL), INVALID_VALUE);
}

static void devices_are_added_once_and_before_the_start(void **state)
{
	struct api *api = *state;
	struct doca_dev *dev;

	assert_err(doca_sta_add_dev(api->sta, NULL), INVALID_VALUE);
	assert_err(doca_sta_add_dev(NULL, api->dev), INVALID_VALUE);
	api_start(api); /* adds it */
	assert_ok(doca_dev_open(doca_dev_as_devinfo(api->dev), &dev));
	assert_err(doca_sta_add_dev(api->sta, dev), BAD_STATE);
	assert_ok(doca_dev_close(dev));
	assert_ok(doca_ctx_stop(doca_sta_as_ctx(api->sta)));
	assert_err(doca_sta_add_dev(api->sta, api->dev), ALREADY_EXIST);
}

static void numbers_are_checked(void **state)
{
	struct api *api = *state;
	uint16_t count;
	uint32_t max;

	assert_ok(doca_sta_get_max_io_threads(&max));
	assert_err(doca_sta_set_max_sta_io(api->sta, 0), INVALID_VALUE);
	assert_err(doca_sta_set_max_sta_io(api->sta, (uint16_t)(max + 1)), INVALID_VALUE);
	assert_ok(doca_sta_set_max_sta_io(api->sta, 3));
	assert_ok(doca_sta_get_max_sta_io(api->sta, &count));
	assert_int_equal(count, 3);
	assert_err(softfield_sta_set_num_eus(api->sta, 0), INVALID_VALUE);
	assert_err(softfield_sta_set_num_eus(api->sta, STA_EUS_MAX + 1), INVALID_VALUE);
	assert_ok(softfield_sta_set_num_eus(api->sta, 2));
	api_start(api);
	assert_err(doca_sta_set_max_sta_io(api->sta, 3), BAD_STATE);
	assert_err(softfield_sta_set_num_eus(api->sta, 2), BAD_STATE);
	assert_ok(doca_sta_get_max_num_eus_available(api->sta, &max));
	assert_int_equal(max, 2 * STA_EU_ROLES);
	assert_ok(doca_ctx_stop(doca_sta_as_ctx(api->sta)));
}

static void children_keep_it_running(void **state)
{
	struct api *api = *state;
	struct doca_ctx *ctx = doca_sta_as_ctx(api->sta);
	struct doca_sta_subs_handle *subs;
	struct doca_sta_be_handle *be;

	assert_err(doca_sta_destroy(api->sta), IN_USE);
	assert_ok(doca_sta_subsystem_create(api->sta, API_NQN, &subs));
	assert_err(doca_ctx_stop(ctx), IN_USE);
	assert_ok(doca_sta_subsystem_destroy(subs));
	assert_ok(doca_sta_be_create(api->sta, &be));
	assert_err(doca_ctx_stop(ctx), IN_USE);
	assert_ok(doca_sta_be_destroy(be));
}

static void an_io_that_runs_keeps_it_running(void **state)
{
	struct api *api = *state;
	struct doca_ctx *ctx = doca_sta_as_ctx(api->sta), *io_ctx;
	struct doca_sta_io *io;

	api_start(api);
	assert_ok(doca_sta_io_create(api->sta, &io));
	io_ctx = doca_sta_io_as_ctx(io);
	api_configure_io(api, io);
	assert_ok(doca_ctx_start(io_ctx));
	assert_err(doca_ctx_stop(ctx), IN_USE);
	assert_ok(doca_ctx_stop(io_ctx));
	assert_ok(doca_ctx_stop(ctx));
	assert_err(doca_ctx_start(io_ctx), BAD_STATE);
	assert_err(doca_sta_destroy(api->sta), IN_USE);
	assert_ok(doca_sta_io_destroy(io));
}

struct io_thread {
	struct api api; /* progress engine and io */
	struct doca_sta_qp_handle *qp;
	_Atomic bool has_begun;
};

static void *end_io(void *arg)
{
	struct io_thread *t = arg;
	struct doca_ctx *ctx = doca_sta_io_as_ctx(t->api.io);
	enum doca_ctx_states now;

	atomic_store(&t->has_begun, true);
	doca_ctx_stop(ctx);
	do {
		doca_pe_progress(t->api.pe);
		doca_ctx_get_state(ctx, &now);
	} while (now != DOCA_CTX_STATE_IDLE);
	return (void *)(uintptr_t)doca_sta_io_qp_destroy(t->api.io, t->qp);
}

/* Whoever stops the target in another thread gets IN_USE until nothing of the I/O is left there. */
static void an_io_may_end_in_its_own_thread_meanwhile(void **state)
{
	struct api *api = *state;
	struct doca_ctx *ctx = doca_sta_as_ctx(api->sta);
	struct io_thread t = {0};
	pthread_t thread;
	doca_error_t err;
	void *result;

	for (unsigned int i = 0; i < 100; i++) {
		assert_ok(doca_sta_io_create(api->sta, &t.api.io));
		assert_ok(doca_pe_create(&t.api.pe));
		api_configure_io(&t.api, t.api.io);
		assert_ok(doca_ctx_start(doca_sta_io_as_ctx(t.api.io)));
		assert_ok(softfield_sta_io_qp_connect_loop(t.api.io, api->dev, NULL, &t.qp));
		atomic_store(&t.has_begun, false);
		assert_int_equal(pthread_create(&thread, NULL, end_io, &t), 0);
		while (!atomic_load(&t.has_begun))
			sched_yield();
		while ((err = doca_ctx_stop(ctx)) == DOCA_ERROR_IN_USE)
			sched_yield();
		assert_ok(err);
		assert_int_equal(pthread_join(thread, &result), 0);
		assert_null(result);
		assert_ok(doca_sta_io_destroy(t.api.io));
		assert_ok(doca_pe_destroy(t.api.pe));
		assert_ok(doca_ctx_start(ctx));
	}
}

static void it_starts_again(void **state)
{
	struct api *api = *state;
	struct doca_ctx *ctx = doca_sta_as_ctx(api->sta);
	enum doca_ctx_states now;

	for (unsigned int i = 0; i < 3; i++) {
		assert_ok(doca_ctx_stop(ctx));
		assert_ok(doca_ctx_get_state(ctx, &now));
		assert_int_equal(now, DOCA_CTX_STATE_IDLE);
		assert_ok(doca_ctx_start(ctx));
	}
}

/* what has not been configured cannot be asked for; the rest works without */
static void tasks_need_their_configuration(void **state)
{
	struct api *api = *state;
	struct doca_sta_producer_task_send *task;
	struct doca_sta_subs_handle *subs;
	struct doca_sta_be_handle *be;
	struct doca_sta_ns_handle *ns;

	assert_ok(doca_ctx_start(doca_sta_as_ctx(api->sta)));
	assert_ok(doca_sta_subsystem_create(api->sta, API_NQN, &subs));
	assert_ok(doca_sta_be_create(api->sta, &be));
	assert_ok(doca_sta_subsystem_add_ns(subs, 1, API_BLOCK, 1, be, &ns));
	assert_err(doca_sta_subsystem_task_rm_ns_alloc_init(subs, ns, api_data(api), &task),
		   BAD_STATE);
	assert_ok(doca_sta_subsystem_rm_ns(subs, ns));
	assert_ok(doca_sta_be_destroy(be));
	assert_ok(doca_sta_subsystem_destroy(subs));
	assert_ok(doca_ctx_stop(doca_sta_as_ctx(api->sta)));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		API_IDLE_TEST(made_of_devices_that_carry_one),
		API_IDLE_TEST(devices_are_added_once_and_before_the_start),
		API_IDLE_TEST(numbers_are_checked),
		API_EMPTY_TEST(children_keep_it_running),
		API_IDLE_TEST(an_io_that_runs_keeps_it_running),
		API_EMPTY_TEST(an_io_may_end_in_its_own_thread_meanwhile),
		API_EMPTY_TEST(it_starts_again),
		API_IDLE_TEST(tasks_need_their_configuration),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
