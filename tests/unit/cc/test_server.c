/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Servers by the names of cc.
 */
#include "cctest.h"

static void attributes_are_kept(void **state)
{
	struct doca_dev *dev = open_dev(DPU_PF0), *got_dev = NULL;
	struct doca_dev_rep *rep = open_rep(dev, HOST_PF0), *got_rep = NULL;
	struct doca_cc_server *server = NULL;
	uint32_t value = 0;

	(void)state;
	assert_ok(doca_cc_server_create(dev, rep, "cc", &server));
	assert_ok(doca_cc_server_set_max_msg_size(server, 600));
	assert_ok(doca_cc_server_set_recv_queue_size(server, 32));
	assert_ok(doca_cc_server_get_max_msg_size(server, &value));
	assert_int_equal(value, 600);
	assert_ok(doca_cc_server_get_recv_queue_size(server, &value));
	assert_int_equal(value, 32);
	assert_ok(doca_cc_server_get_device(server, &got_dev));
	assert_ptr_equal(got_dev, dev);
	assert_ok(doca_cc_server_get_device_repr(server, &got_rep));
	assert_ptr_equal(got_rep, rep);
	assert_ptr_equal(doca_cc_server_as_ctx(server),
			 doca_comch_server_as_ctx((struct doca_comch_server *)server));
	assert_ok(doca_cc_server_destroy(server));
	assert_ok(doca_dev_rep_close(rep));
	assert_ok(doca_dev_close(dev));
}

static void a_connection_knows_its_server(void **state)
{
	struct world *world = *state;
	struct pair pair = world_connect(world, "cc");
	struct doca_cc_connection *connection =
		(struct doca_cc_connection *)side_connection(pair.server);

	assert_ptr_equal(doca_cc_server_get_server_ctx(connection), pair.server->server);
}

/* the first form of release 2.5 */
static void a_send_task_sends(void **state)
{
	struct world *world = *state;
	struct pair pair = world_connect(world, "cc");
	struct doca_cc_send_task *task;

	assert_ok(doca_cc_server_send_task_alloc_init(
		(struct doca_cc_server *)pair.server->server,
		(struct doca_cc_connection *)side_connection(pair.server), "text", 4, &task));
	assert_ok(doca_task_submit(doca_cc_send_task_as_task(task)));
	world_settle(world);
	assert_int_equal(pair.client->messages, 1);
	assert_int_equal(pair.client->message_size, 4);
	assert_memory_equal(pair.client->message, "text", 4);
	assert_int_equal(pair.server->sent, 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(attributes_are_kept, leak_setup, leak_teardown),
		cmocka_unit_test_setup_teardown(a_connection_knows_its_server, world_setup,
						world_teardown),
		cmocka_unit_test_setup_teardown(a_send_task_sends, world_setup, world_teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
