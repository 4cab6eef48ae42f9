/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What the tasks of all kinds have in common.
 */
#include "api.h"

static struct {
	struct doca_sta_producer_task_send *task;
	union doca_data data;
	unsigned int completed, failed;
} told;

static void note_completed(struct doca_sta_producer_task_send *task, union doca_data data)
{
	told.task = task;
	told.data = data;
	told.completed++;
	api_free_task(task);
}

static void note_failed(struct doca_sta_producer_task_send *task, union doca_data data)
{
	told.task = task;
	told.data = data;
	told.failed++;
	api_free_task(task);
}

static void no_task_is_no_task(void **state)
{
	(void)state;
	assert_null(doca_sta_producer_send_task_as_task(NULL));
}

static void both_callbacks_are_needed(void **state)
{
	struct api *api = *state;

	assert_err(doca_sta_subsystem_task_rm_ns_set_conf(NULL, api_done, api_failed),
		   INVALID_VALUE);
	assert_err(doca_sta_subsystem_task_rm_ns_set_conf(api->sta, NULL, api_failed),
		   INVALID_VALUE);
	assert_err(doca_sta_subsystem_task_rm_ns_set_conf(api->sta, api_done, NULL), INVALID_VALUE);
	assert_err(doca_sta_be_task_destroy_queue_set_conf(NULL, api_done, api_failed),
		   INVALID_VALUE);
	assert_err(doca_sta_be_task_destroy_queue_set_conf(api->sta, NULL, api_failed),
		   INVALID_VALUE);
	/* what was refused has left nothing: the target starts */
	assert_ok(doca_ctx_start(doca_sta_as_ctx(api->sta)));
	assert_err(doca_sta_be_task_destroy_queue_set_conf(api->sta, api_done, api_failed),
		   BAD_STATE);
	assert_ok(doca_ctx_stop(doca_sta_as_ctx(api->sta)));
}

/* the callback is told of its task and that task's data, which may be changed until it runs */
static void callbacks_get_their_tasks_data(void **state)
{
	struct doca_sta_producer_task_send *task;
	struct doca_sta_subs_handle *subs;
	struct api *api = *state;
	struct doca_sta_be_handle *be;
	struct doca_sta_ns_handle *ns;
	union doca_data data = {.u64 = 41};

	assert_ok(doca_sta_subsystem_task_rm_ns_set_conf(api->sta, note_completed, note_failed));
	assert_ok(doca_ctx_start(doca_sta_as_ctx(api->sta)));
	assert_ok(doca_sta_subsystem_create(api->sta, API_NQN, &subs));
	assert_ok(doca_sta_be_create(api->sta, &be));
	assert_ok(doca_sta_subsystem_add_ns(subs, 1, API_BLOCK, 1, be, &ns));
	assert_ok(doca_sta_subsystem_task_rm_ns_alloc_init(subs, ns, data, &task));
	data.u64 = 42;
	doca_task_set_user_data(doca_sta_producer_send_task_as_task(task), data);
	api_submit(task);
	API_UNTIL(api, told.completed == 1);
	assert_ptr_equal(told.task, task);
	assert_int_equal(told.data.u64, 42);
	assert_int_equal(told.failed, 0);
	assert_ok(doca_sta_be_destroy(be));
	assert_ok(doca_sta_subsystem_destroy(subs));
	assert_ok(doca_ctx_stop(doca_sta_as_ctx(api->sta)));
}

static void as_many_as_were_configured(void **state)
{
	struct doca_sta_producer_task_send *tasks[64], *more;
	struct api *api = *state;
	struct doca_sta_qp_handle *qp = api_connect(api);
	uint8_t cqe[16] = {0};
	unsigned int i, done;

	api_keep(api, qp, 0xc0, NULL, 0);
	for (i = 0; i < ARRAY_SIZE(tasks); i++)
		assert_ok(doca_sta_io_task_non_offload_rdma_send_alloc_init(
			api->io, api_data(api), qp, cqe, api->token, &tasks[i]));
	assert_err(doca_sta_io_task_non_offload_rdma_send_alloc_init(api->io, api_data(api), qp,
								     cqe, api->token, &more),
		   NO_MEMORY);
	for (i = 1; i < ARRAY_SIZE(tasks); i++)
		api_free_task(tasks[i]);
	done = api->done;
	api_submit(tasks[0]);
	API_UNTIL(api, api->done > done);
	api_disconnect(api, qp);
}

static void is_refused(struct doca_sta_producer_task_send *task)
{
	assert_err(doca_task_submit(doca_sta_producer_send_task_as_task(task)), BAD_STATE);
	api_free_task(task);
}

/* A handle has gone, and what was made about it is still there: it does no harm. */
static void tasks_about_what_has_gone_are_refused(void **state)
{
	struct doca_sta_producer_task_send *remove, *destroy, *disconnect, *send;
	struct api *api = *state;
	struct doca_sta_qp_handle *qp = api_connect(api);
	uint8_t cqe[16] = {0};
	unsigned int done;

	assert_ok(doca_sta_subsystem_task_rm_ns_alloc_init(api->subs, api->ns, api_data(api),
							   &remove));
	assert_ok(doca_sta_be_destroy_queue_task_alloc_init(api->be_q, api_data(api), &destroy));
	assert_ok(doca_sta_io_task_disconnect_alloc_init(api->io, api_data(api), qp, &disconnect));
	api_keep(api, qp, 0xc0, NULL, 0);
	assert_ok(doca_sta_io_task_non_offload_rdma_send_alloc_init(api->io, api_data(api), qp, cqe,
								    api->token, &send));
	done = api->done;
	api_answer(api);
	API_UNTIL(api, api->done > done);
	api_disconnect(api, qp);
	assert_ok(doca_sta_subsystem_rm_ns(api->subs, api->ns));
	api->ns = NULL;
	api_destroy_queue(api);
	is_refused(remove);
	is_refused(destroy);
	is_refused(disconnect);
	api_submit(send);
	API_UNTIL(api, api->failed == 1);
	api->failed = 0;
}

/* A task that was about one handle is about another one now, and the first one goes. */
static void used_again_a_task_is_about_its_new_handle(void **state)
{
	struct doca_sta_producer_task_send *task, *again;
	struct api *api = *state;
	struct doca_sta_qp_handle *first = api_connect(api), *second = api_connect(api);
	unsigned int done;

	assert_ok(doca_sta_io_task_disconnect_alloc_init(api->io, api_data(api), first, &task));
	api_free_task(task);
	assert_ok(doca_sta_io_task_disconnect_alloc_init(api->io, api_data(api), second, &again));
	assert_ptr_equal(again, task);
	api_disconnect(api, first);
	done = api->done;
	api_submit(again);
	API_UNTIL(api, api->done == done + 1);
	assert_ok(doca_sta_io_qp_destroy(api->io, second));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(no_task_is_no_task),
		API_IDLE_TEST(both_callbacks_are_needed),
		API_IDLE_TEST(callbacks_get_their_tasks_data),
		API_TEST(as_many_as_were_configured),
		API_TEST(tasks_about_what_has_gone_are_refused),
		API_TEST(used_again_a_task_is_about_its_new_handle),
	};

	setenv("SOFTFIELD_LIMITS", "sta_max_non_offload_tasks=64", 1);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
