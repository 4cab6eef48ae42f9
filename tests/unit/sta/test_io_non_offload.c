/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Commands that the program answers: what it is shown, its tasks, and tokens that are invalid.
 */
#include <unistd.h>
#include "api.h"

#define TO_TARGET 0xc1 /* opcodes of the vendor: bits 1:0 are the direction */
#define TO_HOST	  0xc2
#define SIZE	  6000u

static void fill(uint8_t *data, uint8_t seed)
{
	for (unsigned int i = 0; i < SIZE; i++)
		data[i] = (uint8_t)(i * 3 + seed);
}

static void commands_without_data(void **state)
{
	struct api *api = *state;
	struct doca_sta_qp_handle *qp = api_connect(api);
	unsigned int answered;

	api_keep(api, qp, 0xc0, NULL, 0);
	assert_ptr_equal(api->cmd_qp, qp);
	assert_int_equal(api->cmd.opcode, 0xc0);
	assert_int_equal(api->payload_size, 0);
	assert_false(api->payload_valid);
	answered = api->answered;
	api_answer(api);
	API_UNTIL(api, api->answered > answered);
	assert_int_equal(nvme_cqe_status(&api->cqe), 0);
	api_disconnect(api, qp);
}

/* the task that carries data carries none */
static void commands_without_data_take_any_answer(void **state)
{
	struct api *api = *state;
	struct doca_sta_qp_handle *qp = api_connect(api);
	struct doca_sta_producer_task_send *task;
	struct nvme_cqe cqe = {.dw0 = htole32(0x4321), .status = htole16(1)}; /* a phase */
	unsigned int answered, done;

	api_keep(api, qp, 0xc0, NULL, 0);
	answered = api->answered;
	done = api->done;
	assert_ok(doca_sta_io_task_non_offload_rdma_write_send_alloc_init(
		api->io, api_data(api), qp, (uint8_t *)&cqe, api->token, &task));
	api_submit(task);
	API_UNTIL(api, api->answered > answered && api->done > done);
	assert_int_equal(le32toh(api->cqe.dw0), 0x4321);
	assert_int_equal(le16toh(api->cqe.status), 0); /* there is none on fabrics */
	assert_int_equal(api->failed, 0);
	api_disconnect(api, qp);
}

static void data_of_the_host_is_read_when_asked_for(void **state)
{
	static uint8_t data[SIZE];
	struct doca_sta_producer_task_send *task;
	struct api *api = *state;
	struct doca_sta_qp_handle *qp = api_connect(api);
	unsigned int done = api->done;

	fill(data, 1);
	api_keep(api, qp, TO_TARGET, data, SIZE);
	assert_false(api->payload_valid);
	assert_true(api->payload_size >= SIZE);
	memset(api->payload, 0, SIZE);
	assert_ok(doca_sta_io_task_non_offload_rdma_read_alloc_init(api->io, api_data(api), qp,
								    api->token, &task));
	api_submit(task);
	API_UNTIL(api, api->done > done);
	assert_memory_equal(api->payload, data, SIZE);
	api_answer(api);
	API_UNTIL(api, api->done > done + 1);
	api_disconnect(api, qp);
}

static void data_for_the_host_goes_before_the_answer(void **state)
{
	static uint8_t data[SIZE], expected[SIZE];
	struct doca_sta_producer_task_send *task;
	struct api *api = *state;
	struct doca_sta_qp_handle *qp = api_connect(api);
	struct nvme_cqe cqe = {.dw0 = htole32(0x1234)};
	unsigned int answered, done;

	fill(expected, 2);
	api_keep(api, qp, TO_HOST, data, SIZE);
	fill(api->payload, 2);
	answered = api->answered;
	done = api->done;
	assert_ok(doca_sta_io_task_non_offload_rdma_write_send_alloc_init(
		api->io, api_data(api), qp, (uint8_t *)&cqe, api->token, &task));
	memset(&cqe, 0xff, sizeof(cqe)); /* it has been copied */
	api_submit(task);
	API_UNTIL(api, api->answered > answered && api->done > done);
	assert_memory_equal(data, expected, SIZE);
	assert_int_equal(le32toh(api->cqe.dw0), 0x1234);
	assert_int_equal(nvme_cqe_status(&api->cqe), 0);
	api_disconnect(api, qp);
}

/* tasks that make no sense fail and change nothing: the command can still be answered */
static void wrong_tasks_fail_and_the_command_stays(void **state)
{
	static uint8_t data[SIZE];
	struct doca_sta_producer_task_send *task;
	struct api *api = *state;
	struct doca_sta_qp_handle *qp = api_connect(api);
	unsigned int done;

	api_keep(api, qp, TO_HOST, data, SIZE);
	assert_ok(doca_sta_io_task_non_offload_rdma_read_alloc_init(api->io, api_data(api), qp,
								    api->token, &task));
	api_submit(task); /* the host has nothing to be read */
	API_UNTIL(api, api->failed == 1);
	api->failed = 0;
	done = api->done;
	api_answer(api);
	API_UNTIL(api, api->done > done);
	api_disconnect(api, qp);
}

static void tokens_are_good_for_one_command(void **state)
{
	struct doca_sta_producer_task_send *task;
	struct api *api = *state;
	struct doca_sta_qp_handle *qp = api_connect(api), *other = api_connect(api);
	union doca_data beyond = {.u64 = 100000};
	uint8_t cqe[16] = {0};
	unsigned int done;

	api_keep(api, qp, 0xc0, NULL, 0);
	assert_err(doca_sta_io_task_non_offload_rdma_send_alloc_init(api->io, api_data(api), other,
								     cqe, api->token, &task),
		   INVALID_VALUE);
	assert_err(doca_sta_io_task_non_offload_rdma_send_alloc_init(api->io, api_data(api), qp,
								     cqe, beyond, &task),
		   INVALID_VALUE);
	assert_err(doca_sta_io_task_non_offload_rdma_send_alloc_init(api->io, api_data(api), qp,
								     NULL, api->token, &task),
		   INVALID_VALUE);
	done = api->done;
	api_answer(api);
	API_UNTIL(api, api->done > done);
	assert_err(doca_sta_io_task_non_offload_rdma_send_alloc_init(api->io, api_data(api), qp,
								     cqe, api->token, &task),
		   INVALID_VALUE);
	api_disconnect(api, qp);
	api_disconnect(api, other);
}

/* two queue pairs that have come equally far: neither token is good for the other's command */
static void tokens_are_good_for_one_queue_pair(void **state)
{
	struct doca_sta_producer_task_send *task;
	struct api *api = *state;
	struct doca_sta_qp_handle *qp = api_connect(api), *other = api_connect(api);
	unsigned int done = api->done;
	union doca_data token;
	uint8_t cqe[16] = {0};

	api_keep(api, qp, 0xc0, NULL, 0);
	token = api->token;
	api_keep(api, other, 0xc0, NULL, 0);
	assert_int_not_equal(api->token.u64, token.u64);
	assert_err(doca_sta_io_task_non_offload_rdma_send_alloc_init(api->io, api_data(api), other,
								     cqe, token, &task),
		   INVALID_VALUE);
	assert_err(doca_sta_io_task_non_offload_rdma_read_alloc_init(api->io, api_data(api), qp,
								     api->token, &task),
		   INVALID_VALUE);
	assert_err(softfield_sta_io_drop_command(api->io, other, token), INVALID_VALUE);
	api_answer(api);
	assert_ok(doca_sta_io_task_non_offload_rdma_send_alloc_init(api->io, api_data(api), qp, cqe,
								    token, &task));
	api_submit(task);
	API_UNTIL(api, api->done == done + 2);
	api_disconnect(api, qp);
	api_disconnect(api, other);
}

/* the next command's has the next number, which is no secret */
static void tokens_are_good_for_what_was_told(void **state)
{
	const struct nvme_cmd cmd = {.opcode = 0xc0};
	struct doca_sta_producer_task_send *task;
	struct api *api = *state;
	struct doca_sta_qp_handle *qp = api_connect(api);
	unsigned int done = api->done, commands;
	union doca_data first, next;
	uint8_t cqe[16] = {0};

	api_keep(api, qp, 0xc0, NULL, 0);
	first = api->token;
	api_answer(api);
	API_UNTIL(api, api->done > done);
	api_keep(api, qp, 0xc0, NULL, 0);
	next = api->token;
	api_answer(api);
	API_UNTIL(api, api->done > done + 1);
	next.u64 += next.u64 - first.u64;
	commands = api->commands;
	assert_ok(api_host(api, qp, &cmd, NULL, 0));
	for (unsigned int i = 0; i < 100; i++) {
		/* the engine has it by now, the program does not */
		assert_err(doca_sta_io_task_non_offload_rdma_send_alloc_init(api->io, api_data(api),
									     qp, cqe, next, &task),
			   INVALID_VALUE);
		usleep(100);
	}
	assert_int_equal(api->commands, commands);
	API_UNTIL(api, api->commands > commands);
	assert_int_equal(api->token.u64, next.u64);
	api_answer(api);
	API_UNTIL(api, api->done > done + 2);
	api_disconnect(api, qp);
}

/* two answers: one of them is too late, whichever */
static void a_command_is_answered_once(void **state)
{
	struct doca_sta_producer_task_send *task[2];
	struct api *api = *state;
	struct doca_sta_qp_handle *qp = api_connect(api);
	unsigned int done = api->done, answered;
	uint8_t cqe[16] = {0};

	api_keep(api, qp, 0xc0, NULL, 0);
	answered = api->answered;
	for (unsigned int i = 0; i < 2; i++)
		assert_ok(doca_sta_io_task_non_offload_rdma_send_alloc_init(
			api->io, api_data(api), qp, cqe, api->token, &task[i]));
	api_submit(task[0]);
	api_submit(task[1]);
	API_UNTIL(api, api->done + api->failed == done + 2);
	assert_int_equal(api->failed, 1);
	API_UNTIL(api, api->answered > answered);
	api->failed = 0;
	api_disconnect(api, qp);
	assert_int_equal(api->answered, answered + 1);
}

static void tasks_of_disconnected_queue_pairs_fail(void **state)
{
	struct doca_sta_producer_task_send *task, *disconnect;
	struct api *api = *state;
	struct doca_sta_qp_handle *qp = api_connect(api);
	unsigned int done = api->done;
	uint8_t cqe[16] = {0};

	api_keep(api, qp, 0xc0, NULL, 0);
	assert_ok(doca_sta_io_task_non_offload_rdma_send_alloc_init(api->io, api_data(api), qp, cqe,
								    api->token, &task));
	assert_ok(doca_sta_io_task_disconnect_alloc_init(api->io, api_data(api), qp, &disconnect));
	api_submit(disconnect);
	API_UNTIL(api, api->done > done);
	api_submit(task);
	API_UNTIL(api, api->failed == 1);
	api->failed = 0;
	assert_ok(doca_sta_io_qp_destroy(api->io, qp));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		API_TEST(commands_without_data),
		API_TEST(commands_without_data_take_any_answer),
		API_TEST(data_of_the_host_is_read_when_asked_for),
		API_TEST(data_for_the_host_goes_before_the_answer),
		API_TEST(wrong_tasks_fail_and_the_command_stays),
		API_TEST(tokens_are_good_for_one_command),
		API_TEST(tokens_are_good_for_one_queue_pair),
		API_TEST(tokens_are_good_for_what_was_told),
		API_TEST(a_command_is_answered_once),
		API_TEST(tasks_of_disconnected_queue_pairs_fail),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
