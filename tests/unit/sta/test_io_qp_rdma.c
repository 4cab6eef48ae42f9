/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Queue pairs of RDMA, with a device that fails when it is told to. What a real one does is in
 * tests/contract.
 */
#include "api.h"
#include "fake_rdma.h"

#include <unistd.h>
#include "doca_log.h"

#define GIVE_UP_S 60

static const uint8_t answer[32] = {0, 0, 32};

static doca_error_t connect_host(struct api *api, struct doca_sta_qp_handle **qp)
{
	return doca_sta_io_qp_connect(api->io, api->dev, fake_request(), answer, sizeof(answer),
				      api->subs, qp);
}

static void disconnect(struct api *api, struct doca_sta_qp_handle *qp)
{
	struct doca_sta_producer_task_send *task;
	unsigned int done = api->done;

	assert_ok(doca_sta_io_task_disconnect_alloc_init(api->io, api_data(api), qp, &task));
	api_submit(task);
	API_UNTIL(api, api->done > done);
}

static void assert_nothing_is_left(void)
{
	assert_int_equal(fake.ids_destroyed, 1);
	assert_int_equal(fake.queue_pairs, 0);
	assert_int_equal(fake.queues, 0);
}

/*
 * Making
 */

static char log_line[1024];
static unsigned int lines;

static void count_line(char *line)
{
	(void)line;
	lines++;
}

/* a line for each would be the host's way to fill a disk */
static void requests_that_are_given_up_are_not_logged(void **state)
{
	struct doca_log_backend *backend;
	struct doca_sta_qp_handle *qp;
	struct api *api = *state;

	assert_ok(doca_log_backend_create_with_buf_sdk(log_line, sizeof(log_line), count_line,
						       &backend));
	fake.request_is_gone = true;
	assert_err(connect_host(api, &qp), CONNECTION_ABORTED);
	fake.request_is_gone = false;
	assert_nothing_is_left();
	assert_int_equal(lines, 0);
	fake.without_memory = true;
	assert_err(connect_host(api, &qp), NO_MEMORY);
	fake.without_memory = false;
	assert_nothing_is_left();
	assert_int_equal(lines, 1);
}

static void only_a_running_object_accepts(void **state)
{
	struct doca_sta_qp_handle *qp;
	struct api *api = *state;
	struct doca_ctx *ctx = doca_sta_io_as_ctx(api->io);

	assert_ok(doca_sta_io_qp_alloc(api->io, api->dev, &qp));
	assert_ok(doca_ctx_stop(ctx));
	assert_err(doca_sta_io_qp_accept(api->io, qp, api->dev, fake_request(), answer,
					 sizeof(answer), NULL),
		   BAD_STATE);
	assert_nothing_is_left();
	assert_ok(doca_ctx_start(ctx));
	assert_ok(doca_sta_io_qp_accept(api->io, qp, api->dev, fake_request(), answer,
					sizeof(answer), NULL));
	assert_err(doca_sta_io_qp_accept(api->io, qp, api->dev, &fake.id, answer, sizeof(answer),
					 NULL),
		   BAD_STATE);
	fake.ids_destroyed = 0;
	disconnect(api, qp);
	assert_ok(doca_sta_io_qp_destroy(api->io, qp));
	assert_nothing_is_left();
}

/*
 * Ending
 */

static struct doca_sta_qp_handle *connect_and_send(struct api *api, uint8_t sgl_type)
{
	static const uint8_t data[1024];
	struct nvme_cmd cmd = api_connect_cmd();
	struct doca_sta_qp_handle *qp;

	assert_ok(connect_host(api, &qp));
	assert_ok(doca_sta_io_qp_connect_established(api->io, qp));
	cmd.flags = NVME_FLAG_PSDT_SGL;
	cmd.sgl.length = htole32(sizeof(data));
	cmd.sgl.type = sgl_type;
	fake_capsule(&cmd, data, sgl_type == NVME_SGL_KEYED ? 0 : sizeof(data));
	return qp;
}

/* The queue pair cannot be told to end what is under way. */
static void end_removed(struct api *api, struct doca_sta_qp_handle *qp)
{
	API_UNTIL(api, fake.sent); /* it never completes */
	fake.is_removed = true;
	disconnect(api, qp);
	fake.is_removed = false;
	assert_int_equal(api->failed, 1); /* what was sent has not come through */
	api->failed = 0;
	assert_ok(doca_sta_io_qp_destroy(api->io, qp));
	assert_nothing_is_left();
}

static void removed_devices_end_their_connections(void **state)
{
	end_removed(*state, connect_and_send(*state, NVME_SGL_DATA_OFFSET));
}

static void removed_devices_end_reads_of_the_program(void **state)
{
	struct doca_sta_producer_task_send *task;
	struct doca_sta_qp_handle *qp;
	struct api *api = *state;

	api->no_answer = true;
	qp = connect_and_send(api, NVME_SGL_KEYED);
	API_UNTIL(api, api->commands);
	assert_ok(doca_sta_io_task_non_offload_rdma_read_alloc_init(api->io, api_data(api), qp,
								    api->token, &task));
	api_submit(task);
	end_removed(api, qp);
}

struct destruction {
	struct api *api;
	struct doca_sta_qp_handle *qp;
};

static void *destroy(void *arg)
{
	const struct destruction *d = arg;

	assert_ok(doca_sta_io_qp_destroy(d->api->io, d->qp));
	return NULL;
}

/* librdmacm waits until the events have been acknowledged, by a thread that has other work, too */
static void waiting_for_events_keeps_nobody_else(void **state)
{
	struct destruction d = {.api = *state};
	struct api *api = *state;
	struct doca_sta_io *other;
	pthread_t thread;

	assert_ok(connect_host(api, &d.qp));
	disconnect(api, d.qp);
	fake.is_held = true;
	assert_int_equal(pthread_create(&thread, NULL, destroy, &d), 0);
	while (!fake.waits)
		sched_yield();
	assert_ok(doca_sta_io_create(api->sta, &other));
	assert_ok(doca_sta_io_destroy(other));
	fake.is_held = false;
	pthread_join(thread, NULL);
	assert_nothing_is_left();
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		API_TEST(requests_that_are_given_up_are_not_logged),
		API_TEST(only_a_running_object_accepts),
		API_TEST(removed_devices_end_their_connections),
		API_TEST(removed_devices_end_reads_of_the_program),
		API_TEST(waiting_for_events_keeps_nobody_else),
	};

	alarm(GIVE_UP_S); /* a loop that waits for ever ends the program */
	return cmocka_run_group_tests(tests, NULL, NULL);
}
