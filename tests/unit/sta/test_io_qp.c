/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Handles of queue pairs.
 */
#include "api.h"

#include <sys/socket.h>
#include <unistd.h>

static void sockets_are_taken_when_all_is_well(void **state)
{
	struct api *api = *state;
	struct doca_sta_qp_handle *qp;
	int sock[2];
	char byte;

	assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, sock), 0);
	assert_err(softfield_sta_io_qp_connect_tcp(NULL, api->dev, sock[1], NULL, &qp),
		   INVALID_VALUE);
	assert_err(softfield_sta_io_qp_connect_tcp(api->io, NULL, sock[1], NULL, &qp),
		   INVALID_VALUE);
	assert_err(softfield_sta_io_qp_connect_tcp(api->io, api->dev, -1, NULL, &qp),
		   INVALID_VALUE);
	assert_err(softfield_sta_io_qp_connect_tcp(api->io, api->dev, sock[1], NULL, NULL),
		   INVALID_VALUE);
	assert_int_not_equal(softfield_sta_io_qp_connect_tcp(api->io, api->dev, 1 << 20, NULL, &qp),
			     DOCA_SUCCESS);	     /* no descriptor */
	assert_int_equal(write(sock[1], "x", 1), 1); /* still ours */
	assert_ok(softfield_sta_io_qp_connect_tcp(api->io, api->dev, sock[1], NULL, &qp));
	api_disconnect(api, qp); /* closes it */
	assert_int_equal(recv(sock[0], &byte, 1, 0), 1);
	assert_int_equal(recv(sock[0], &byte, 1, 0), 0);
	close(sock[0]);
}

static void queue_pairs_are_limited(void **state)
{
	struct doca_sta_qp_handle *qp[3], *more;
	struct api *api = *state;
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(qp); i++)
		qp[i] = api_connect(api);
	assert_err(softfield_sta_io_qp_connect_loop(api->io, api->dev, NULL, &more), FULL);
	for (i = 0; i < 200; i++) { /* whether or not its unit has seen to the one before */
		api_disconnect(api, qp[0]);
		assert_ok(softfield_sta_io_qp_connect_loop(api->io, api->dev, NULL, &qp[0]));
	}
	for (i = 0; i < ARRAY_SIZE(qp); i++)
		api_disconnect(api, qp[i]);
}

static void one_queue_pair_does_not_see_a_namespace(void **state)
{
	struct nvme_cmd read = {
		.opcode = NVME_CMD_READ, .flags = NVME_FLAG_PSDT_SGL, .nsid = htole32(1)};
	struct api *api = *state;
	struct doca_sta_qp_handle *qp = api_connect(api), *other = api_connect(api);
	uint8_t data[API_BLOCK];

	assert_err(softfield_sta_io_qp_hide_ns(NULL, qp, 1, true), INVALID_VALUE);
	assert_err(softfield_sta_io_qp_hide_ns(api->io, NULL, 1, true), INVALID_VALUE);
	assert_err(softfield_sta_io_qp_hide_ns(api->io, qp, 1025, true), INVALID_VALUE);
	assert_ok(softfield_sta_io_qp_hide_ns(api->io, qp, 1024, true));
	assert_int_equal(api_do(api, qp, &read, data, sizeof(data)), 0);
	assert_ok(softfield_sta_io_qp_hide_ns(api->io, qp, 1, true));
	assert_int_equal(api_do(api, qp, &read, data, sizeof(data)),
			 NVME_SC_INVALID_NS | NVME_SC_DNR);
	assert_int_equal(api_do(api, other, &read, data, sizeof(data)), 0);
	assert_ok(softfield_sta_io_qp_hide_ns(api->io, qp, 1, false));
	assert_int_equal(api_do(api, qp, &read, data, sizeof(data)), 0);
	api_disconnect(api, other);
	api_disconnect(api, qp);
}

static void sizes_of_queues_are_checked(void **state)
{
	struct api *api = *state;
	struct doca_sta_qp_handle *qp = api_connect(api);
	uint32_t max;

	assert_ok(doca_sta_get_max_io_queue_size(api->sta, &max));
	assert_err(doca_sta_io_qp_connect_set_sq_size(api->io, qp, 0), INVALID_VALUE);
	assert_err(doca_sta_io_qp_connect_set_sq_size(api->io, qp, (uint16_t)max), INVALID_VALUE);
	assert_err(doca_sta_io_qp_connect_set_sq_size(api->io, NULL, 7), INVALID_VALUE);
	assert_ok(doca_sta_io_qp_connect_set_sq_size(api->io, qp, (uint16_t)(max - 1)));
	api_disconnect(api, qp);
}

static void one_subsystem_each(void **state)
{
	struct doca_sta_subs_handle *other;
	struct api *api = *state;
	struct doca_sta_qp_handle *qp;

	assert_ok(doca_sta_subsystem_create(api->sta, "nqn.2024-01.example:other", &other));
	assert_ok(softfield_sta_io_qp_connect_loop(api->io, api->dev, api->subs, &qp));
	assert_ok(doca_sta_io_qp_add_subsystem(api->io, api->subs, qp)); /* the same: fine */
	assert_err(doca_sta_io_qp_add_subsystem(api->io, other, qp), ALREADY_EXIST);
	assert_err(doca_sta_io_qp_add_subsystem(api->io, NULL, qp), INVALID_VALUE);
	assert_ok(doca_sta_subsystem_destroy(other));
	assert_ok(doca_sta_io_qp_connect_established(api->io, qp)); /* again: fine */
	assert_err(doca_sta_io_qp_connect_established(api->io, NULL), INVALID_VALUE);
	api_disconnect(api, qp);
}

/* its reads come to the program until the subsystem is added again; others go on */
static void a_queue_pair_loses_its_subsystem(void **state)
{
	const struct nvme_cmd read = {
		.opcode = NVME_CMD_READ, .flags = NVME_FLAG_PSDT_SGL, .nsid = htole32(1)};
	struct api *api = *state;
	struct doca_sta_qp_handle *qp = api_connect(api), *other = api_connect(api);
	unsigned int commands = api->commands, done = api->done;
	uint8_t data[API_BLOCK];

	assert_err(softfield_sta_io_qp_remove_subsystem(NULL, qp), INVALID_VALUE);
	assert_err(softfield_sta_io_qp_remove_subsystem(api->io, NULL), INVALID_VALUE);
	assert_ok(softfield_sta_io_qp_remove_subsystem(api->io, qp));
	assert_ok(softfield_sta_io_qp_remove_subsystem(api->io, qp)); /* again: fine */
	assert_int_equal(api_do(api, other, &read, data, sizeof(data)), 0);
	assert_int_equal(api->commands, commands);
	assert_ok(api_host(api, qp, &read, data, sizeof(data)));
	API_UNTIL(api, api->commands > commands);
	api_answer(api);
	API_UNTIL(api, api->done > done);
	assert_err(doca_sta_subsystem_destroy(api->subs), IN_USE);
	assert_ok(doca_sta_io_qp_add_subsystem(api->io, api->subs, qp));
	assert_int_equal(api_do(api, qp, &read, data, sizeof(data)), 0);
	assert_int_equal(api->commands, commands + 1);
	api_disconnect(api, other);
	api_disconnect(api, qp);
}

static void what_a_handle_tells(void **state)
{
	struct api *api = *state;
	struct doca_sta_qp_handle *qp[2] = {api_connect(api), api_connect(api)};
	uint32_t id[2];
	uint16_t port, group, index[2];
	union doca_data data = {.u64 = 77};

	for (unsigned int i = 0; i < 2; i++) {
		assert_ok(doca_sta_io_qp_get_id(qp[i], &id[i]));
		assert_ok(doca_sta_io_qp_get_port_id(qp[i], &port));
		assert_int_equal(port, 0);
		assert_ok(doca_sta_io_qp_get_group_id(qp[i], &group));
		assert_int_equal(group, 0);
		assert_ok(doca_sta_io_qp_get_index_in_group(qp[i], &index[i]));
		assert_err(doca_sta_io_qp_get_id(qp[i], NULL), INVALID_VALUE);
	}
	assert_int_not_equal(id[0], id[1]);
	assert_int_not_equal(index[0], index[1]);
	assert_ok(doca_sta_io_qp_set_user_data(api->io, qp[1], data));
	data.u64 = 1;
	assert_ok(doca_sta_io_qp_get_user_data(qp[0], &data));
	assert_int_equal(data.u64, 0);
	assert_ok(doca_sta_io_qp_get_user_data(qp[1], &data));
	assert_int_equal(data.u64, 77);
	api_disconnect(api, qp[0]);
	api_disconnect(api, qp[1]);
}

/* a handle is of one doca_sta_io, and no other one's calls take it */
static void handles_of_others(void **state)
{
	struct doca_sta_producer_task_send *task;
	struct api *api = *state;
	struct doca_sta_qp_handle *qp = api_connect(api);
	union doca_data data = {0};
	struct doca_sta_io *other;

	assert_ok(doca_sta_io_create(api->sta, &other));
	assert_err(doca_sta_io_qp_destroy(other, qp), INVALID_VALUE);
	assert_err(doca_sta_io_qp_add_subsystem(other, api->subs, qp), INVALID_VALUE);
	assert_err(softfield_sta_io_qp_remove_subsystem(other, qp), INVALID_VALUE);
	assert_err(softfield_sta_io_qp_abort_half(other, qp, 1), INVALID_VALUE);
	assert_err(softfield_sta_io_qp_abort_half(api->io, qp, 1), NOT_FOUND);
	assert_err(doca_sta_io_qp_connect_set_sq_size(other, qp, 7), INVALID_VALUE);
	assert_err(doca_sta_io_qp_connect_established(other, qp), INVALID_VALUE);
	assert_err(doca_sta_io_qp_set_user_data(other, qp, data), INVALID_VALUE);
	assert_err(doca_sta_io_task_disconnect_alloc_init(other, data, qp, &task), INVALID_VALUE);
	assert_ok(doca_sta_io_destroy(other));
	api_disconnect(api, qp);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		API_TEST(sockets_are_taken_when_all_is_well),
		API_TEST(queue_pairs_are_limited),
		API_TEST(sizes_of_queues_are_checked),
		API_TEST(one_queue_pair_does_not_see_a_namespace),
		API_TEST(one_subsystem_each),
		API_TEST(a_queue_pair_loses_its_subsystem),
		API_TEST(what_a_handle_tells),
		API_TEST(handles_of_others),
	};

	setenv("SOFTFIELD_LIMITS", "sta_max_qps=3", 1);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
