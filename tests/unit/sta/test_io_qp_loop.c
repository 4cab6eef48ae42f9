/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Hosts inside the process.
 */
#include "api.h"

static void arguments_are_checked(void **state)
{
	static uint8_t data[API_BLOCK];
	struct api *api = *state;
	struct doca_sta_qp_handle *qp;
	const struct nvme_cmd read = api_rw(NVME_CMD_READ, 1, 0, sizeof(data));
	const uint8_t *sqe = (const uint8_t *)&read;

	assert_err(softfield_sta_io_qp_connect_loop(NULL, api->dev, NULL, &qp), INVALID_VALUE);
	assert_err(softfield_sta_io_qp_connect_loop(api->io, NULL, NULL, &qp), INVALID_VALUE);
	assert_err(softfield_sta_io_qp_connect_loop(api->io, api->dev, NULL, NULL), INVALID_VALUE);
	qp = api_connect(api);
	assert_err(api_host(api, NULL, &read, data, sizeof(data)), INVALID_VALUE);
	assert_err(api_host(api, qp, NULL, data, sizeof(data)), INVALID_VALUE);
	assert_err(api_host(api, qp, &read, NULL, sizeof(data)), INVALID_VALUE);
	assert_err(api_host(api, qp, &read, data, 1u << 24), INVALID_VALUE);
	assert_err(
		softfield_sta_io_qp_loop_submit(qp, sqe, data, sizeof(data), NULL, api_data(api)),
		INVALID_VALUE);
	api_disconnect(api, qp);
}

static void data_goes_both_ways(void **state)
{
	static uint8_t out[64 << 10], in[64 << 10];
	struct api *api = *state;
	struct doca_sta_qp_handle *qp = api_connect(api);
	const struct nvme_cmd write = api_rw(NVME_CMD_WRITE, 1, 3, sizeof(out));
	const struct nvme_cmd read = api_rw(NVME_CMD_READ, 1, 3, sizeof(in));

	for (size_t i = 0; i < sizeof(out); i++)
		out[i] = (uint8_t)(i * 13 + i / 512);
	assert_int_equal(api_do(api, qp, &write, out, sizeof(out)), 0);
	assert_int_equal(api_do(api, qp, &read, in, sizeof(in)), 0);
	assert_memory_equal(in, out, sizeof(in));
	api_disconnect(api, qp);
}

static void nothing_runs_before_connect(void **state)
{
	static uint8_t data[API_BLOCK];
	struct api *api = *state;
	const struct nvme_cmd read = api_rw(NVME_CMD_READ, 1, 0, sizeof(data));
	struct doca_sta_qp_handle *qp;

	assert_ok(softfield_sta_io_qp_connect_loop(api->io, api->dev, api->subs, &qp));
	assert_int_equal(api_do(api, qp, &read, data, sizeof(data)),
			 NVME_SC_SEQUENCE_ERROR | NVME_SC_DNR);
	api_disconnect(api, qp);
}

/* from a callback there is always room again */
static void as_many_commands_as_the_queue_pair_holds(void **state)
{
	const struct nvme_cmd keep = {.opcode = 0xc0};
	struct api *api = *state;
	struct doca_sta_qp_handle *qp;
	unsigned int count = 0;
	uint32_t max;

	assert_ok(doca_sta_get_max_io_queue_size(api->sta, &max));
	api->no_answer = true;
	assert_ok(softfield_sta_io_qp_connect_loop(api->io, api->dev, NULL, &qp));
	while (api_host(api, qp, &keep, NULL, 0) == DOCA_SUCCESS)
		count++;
	assert_int_equal(count, max);
	assert_err(api_host(api, qp, &keep, NULL, 0), AGAIN);
	API_UNTIL(api, api->answered == max); /* refused: nothing before Connect */
	assert_ok(api_host(api, qp, &keep, NULL, 0));
	API_UNTIL(api, api->answered == max + 1);
	api_disconnect(api, qp);
}

static void no_commands_after_a_disconnect(void **state)
{
	struct doca_sta_producer_task_send *task;
	struct api *api = *state;
	struct doca_sta_qp_handle *qp = api_connect(api);
	const struct nvme_cmd keep = {.opcode = 0xc0};
	unsigned int before = api->done;

	assert_ok(doca_sta_io_task_disconnect_alloc_init(api->io, api_data(api), qp, &task));
	api_submit(task);
	assert_err(api_host(api, qp, &keep, NULL, 0), BAD_STATE);
	API_UNTIL(api, api->done > before);
	assert_err(api_host(api, qp, &keep, NULL, 0), BAD_STATE);
	assert_ok(doca_sta_io_qp_destroy(api->io, qp));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		API_TEST(arguments_are_checked),
		API_TEST(data_goes_both_ways),
		API_TEST(nothing_runs_before_connect),
		API_TEST(as_many_commands_as_the_queue_pair_holds),
		API_TEST(no_commands_after_a_disconnect),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
