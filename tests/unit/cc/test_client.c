/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Clients by the names of cc.
 */
#include "cctest.h"

static void attributes_are_kept(void **state)
{
	struct doca_dev *dev = open_dev(HOST_PF0), *got_dev = NULL;
	struct doca_cc_client *client = NULL;
	uint32_t value = 0;

	(void)state;
	assert_ok(doca_cc_client_create(dev, "cc", &client));
	assert_ok(doca_cc_client_set_max_msg_size(client, 600));
	assert_ok(doca_cc_client_set_recv_queue_size(client, 32));
	assert_ok(doca_cc_client_get_max_msg_size(client, &value));
	assert_int_equal(value, 600);
	assert_ok(doca_cc_client_get_recv_queue_size(client, &value));
	assert_int_equal(value, 32);
	assert_ok(doca_cc_client_get_device(client, &got_dev));
	assert_ptr_equal(got_dev, dev);
	assert_ptr_equal(doca_cc_client_as_ctx(client),
			 doca_comch_client_as_ctx((struct doca_comch_client *)client));
	assert_ok(doca_cc_client_destroy(client));
	assert_ok(doca_dev_close(dev));
}

static void a_connection_knows_its_client(void **state)
{
	struct world *world = *state;
	struct pair pair = world_connect(world, "cc");
	struct doca_cc_connection *connection =
		(struct doca_cc_connection *)side_connection(pair.client);

	assert_ptr_equal(doca_cc_client_get_client_ctx(connection), pair.client->client);
	struct doca_cc_connection *got = NULL;

	assert_ok(
		doca_cc_client_get_connection((struct doca_cc_client *)pair.client->client, &got));
	assert_ptr_equal(got, connection);
}

/* the first form of release 2.5 */
static void a_send_task_sends(void **state)
{
	struct world *world = *state;
	struct pair pair = world_connect(world, "cc");
	struct doca_cc_send_task *task;

	assert_ok(doca_cc_client_send_task_alloc_init(
		(struct doca_cc_client *)pair.client->client,
		(struct doca_cc_connection *)side_connection(pair.client), "text", 4, &task));
	assert_ok(doca_task_submit(doca_cc_send_task_as_task(task)));
	world_settle(world);
	assert_int_equal(pair.server->messages, 1);
	assert_int_equal(pair.server->message_size, 4);
	assert_memory_equal(pair.server->message, "text", 4);
	assert_int_equal(pair.client->sent, 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(attributes_are_kept, leak_setup, leak_teardown),
		cmocka_unit_test_setup_teardown(a_connection_knows_its_client, world_setup,
						world_teardown),
		cmocka_unit_test_setup_teardown(a_send_task_sends, world_setup, world_teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
