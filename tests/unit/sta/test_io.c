/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The part of a thread: what it needs to start, how many there are, and when it goes.
 */
#include "api.h"

/* each of the four configurations in turn is missing */
static void it_starts_when_everything_is_configured(void **state)
{
	struct api *api = *state;
	struct doca_sta_io *io;

	for (unsigned int missing = 0; missing <= 4; missing++) {
		assert_ok(doca_sta_io_create(api->sta, &io));
		assert_ok(doca_pe_connect_ctx(api->pe, doca_sta_io_as_ctx(io)));
		if (missing != 0)
			assert_ok(doca_sta_io_task_disconnect_set_conf(io, api_done, api_failed));
		if (missing != 1)
			assert_ok(doca_sta_io_non_offload_register_cb(io, api_command,
								      api_data(api)));
		if (missing != 2)
			assert_ok(doca_sta_io_task_non_offload_set_rdma_write_send_conf(
				io, api_done, api_failed));
		if (missing != 3)
			assert_ok(doca_sta_io_task_non_offload_set_rdma_read_conf(io, api_done,
										  api_failed));
		if (missing < 4) {
			assert_err(doca_ctx_start(doca_sta_io_as_ctx(io)), BAD_CONFIG);
		} else {
			assert_ok(doca_ctx_start(doca_sta_io_as_ctx(io)));
			assert_err(doca_sta_io_destroy(io), IN_USE);
			assert_ok(doca_ctx_stop(doca_sta_io_as_ctx(io)));
		}
		assert_ok(doca_sta_io_destroy(io));
	}
}

static void nothing_is_configured_while_it_runs(void **state)
{
	struct api *api = *state;

	assert_err(doca_sta_io_task_disconnect_set_conf(api->io, api_done, api_failed), BAD_STATE);
	assert_err(doca_sta_io_non_offload_register_cb(api->io, api_command, api_data(api)),
		   BAD_STATE);
	assert_err(doca_sta_io_task_non_offload_set_rdma_write_send_conf(api->io, api_done,
									 api_failed),
		   BAD_STATE);
	assert_err(doca_sta_io_task_non_offload_set_rdma_read_conf(api->io, api_done, api_failed),
		   BAD_STATE);
	assert_err(doca_sta_io_event_transport_err_register_cb(api->io, api_transport_error,
							       api_data(api)),
		   BAD_STATE);
}

static void arguments_are_checked(void **state)
{
	struct api *api = *state;
	struct doca_sta_io *io;

	assert_err(doca_sta_io_create(NULL, &io), INVALID_VALUE);
	assert_err(doca_sta_io_create(api->sta, NULL), INVALID_VALUE);
	assert_err(doca_sta_io_destroy(NULL), INVALID_VALUE);
	assert_null(doca_sta_io_as_ctx(NULL));
	assert_ok(doca_sta_io_create(api->sta, &io));
	assert_err(doca_sta_io_task_disconnect_set_conf(io, NULL, api_failed), INVALID_VALUE);
	assert_err(doca_sta_io_task_disconnect_set_conf(io, api_done, NULL), INVALID_VALUE);
	assert_err(doca_sta_io_task_disconnect_set_conf(NULL, api_done, api_failed), INVALID_VALUE);
	assert_err(doca_sta_io_non_offload_register_cb(io, NULL, api_data(api)), INVALID_VALUE);
	assert_err(doca_sta_io_event_transport_err_register_cb(io, NULL, api_data(api)),
		   INVALID_VALUE);
	assert_ok(doca_sta_io_destroy(io));
}

static void as_many_as_were_asked_for(void **state)
{
	struct api *api = *state;
	struct doca_sta_io *io[2], *more;

	assert_err(doca_sta_io_create(api->sta, &io[0]), BAD_STATE); /* the target is IDLE */
	assert_ok(doca_sta_set_max_sta_io(api->sta, 2));
	api_start(api);
	assert_ok(doca_sta_io_create(api->sta, &io[0]));
	assert_ok(doca_sta_io_create(api->sta, &io[1]));
	assert_err(doca_sta_io_create(api->sta, &more), FULL);
	assert_ok(doca_sta_io_destroy(io[0]));
	assert_ok(doca_sta_io_create(api->sta, &more));
	assert_ok(doca_sta_io_destroy(more));
	assert_ok(doca_sta_io_destroy(io[1]));
	assert_ok(doca_ctx_stop(doca_sta_as_ctx(api->sta)));
}

static void a_disconnect_happens_once(void **state)
{
	struct doca_sta_producer_task_send *task, *again;
	struct api *api = *state;
	struct doca_sta_qp_handle *qp = api_connect(api);
	unsigned int before = api->done;

	assert_err(doca_sta_io_task_disconnect_alloc_init(api->io, api_data(api), NULL, &task),
		   INVALID_VALUE);
	assert_ok(doca_sta_io_task_disconnect_alloc_init(api->io, api_data(api), qp, &task));
	assert_ok(doca_sta_io_task_disconnect_alloc_init(api->io, api_data(api), qp, &again));
	assert_err(doca_sta_io_qp_destroy(api->io, qp), BAD_STATE);
	api_submit(task);
	assert_err(doca_task_submit(doca_sta_producer_send_task_as_task(again)), BAD_STATE);
	assert_err(doca_sta_io_qp_destroy(api->io, qp), BAD_STATE);
	API_UNTIL(api, api->done > before);
	assert_err(doca_task_submit(doca_sta_producer_send_task_as_task(again)), BAD_STATE);
	api_free_task(again);
	assert_ok(doca_sta_io_qp_destroy(api->io, qp));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		API_EMPTY_TEST(it_starts_when_everything_is_configured),
		API_TEST(nothing_is_configured_while_it_runs),
		API_EMPTY_TEST(arguments_are_checked),
		API_IDLE_TEST(as_many_as_were_asked_for),
		API_TEST(a_disconnect_happens_once),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
