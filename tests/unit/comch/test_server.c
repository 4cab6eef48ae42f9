/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * doca_comch_server: who gets in under which name, what is told, how it ends.
 */
#include "test.h"

#include <stdlib.h>
#include <string.h>
#include "world.h"

/*
 * Names: unique for each representor
 */

static void a_name_is_taken_once(void **state)
{
	struct world *world = *state;
	struct side *first = world_add_server(world, HOST_PF0, "name");
	struct side *second = world_add_server(world, HOST_PF0, "name");

	side_run(first);
	assert_err(side_start(second), IN_USE);
	assert_int_equal(side_state(second), DOCA_CTX_STATE_IDLE);
	assert_int_equal(second->state_count, 0);
	assert_ok(side_stop(first));
	side_run(second);
}

static void another_representor_is_another_name_space(void **state)
{
	struct world *world = *state;

	side_run(world_add_server(world, HOST_PF0, "name"));
	side_run(world_add_server(world, HOST_VF0, "name"));
	side_run(world_add_server(world, HOST_PF1, "name"));
	side_run(world_add_server(world, HOST_PF0, "other"));
}

/* a scalable function has the address of its parent */
static struct side *add_sf_server(struct world *world, const char *name)
{
	struct side *side = world_add_server(world, HOST_PF0, name);
	struct doca_devinfo_rep **list;
	uint32_t count, i;

	assert_ok(doca_comch_server_destroy(side->server));
	assert_ok(doca_dev_rep_close(side->rep));
	assert_ok(doca_devinfo_rep_create_list(side->dev, DOCA_DEVINFO_REP_FILTER_ALL, &list,
					       &count));
	for (i = 0; i < count; i++) {
		enum doca_pci_func_type type;

		assert_ok(doca_devinfo_rep_get_pci_func_type(list[i], &type));
		if (type == DOCA_PCI_FUNC_TYPE_SF)
			assert_ok(doca_dev_rep_open(list[i], &side->rep));
	}
	assert_ok(doca_devinfo_rep_destroy_list(list));
	world_set_up_server(side, name);
	return side;
}

static void a_scalable_function_is_not_its_parent(void **state)
{
	struct world *world = *state;
	struct side *sf = add_sf_server(world, "name");
	struct side *pf = world_add_server(world, HOST_PF0, "name");
	struct side *client = world_add_client(world, HOST_PF0, "name");

	side_run(sf);
	side_run(pf);
	side_run(client);
	assert_int_equal(sf->connects, 0);
	assert_int_equal(pf->connects, 1);
}

static void only_the_representors_function_gets_in(void **state)
{
	struct world *world = *state;
	struct side *server = world_add_server(world, HOST_PF0, "name");
	struct side *client = world_add_client(world, HOST_VF0, "name");

	side_run(server);
	assert_err(side_start(client), IN_PROGRESS);
	world_settle(world);
	assert_int_equal(side_state(client), DOCA_CTX_STATE_IDLE);
	assert_int_equal(server->connects + server->refusals, 0);
}

/*
 * Clients that are refused
 */

static void another_message_size_is_refused(void **state)
{
	struct world *world = *state;
	struct side *server = world_add_server(world, HOST_PF0, "name");
	struct side *client = world_add_client(world, HOST_PF0, "name");

	assert_ok(doca_comch_client_set_max_msg_size(client->client, 1024));
	side_run(server);
	assert_err(side_start(client), IN_PROGRESS);
	world_settle(world);
	assert_int_equal(side_state(client), DOCA_CTX_STATE_IDLE);
	assert_int_equal(client->state_count, 2);
	assert_int_equal(client->states[0], DOCA_CTX_STATE_STARTING);
	assert_int_equal(server->refusals, 1);
	assert_int_equal(server->connects, 0);
	assert_int_equal(server->disconnects, 0);
}

static void a_full_server_refuses_until_somebody_goes(void **state)
{
	struct world *world = *state;
	struct side *server = world_add_server(world, HOST_PF0, "name");
	struct side *clients[4];
	unsigned int i;

	side_run(server);
	for (i = 0; i < 4; i++)
		clients[i] = world_add_client(world, HOST_PF0, "name");
	for (i = 0; i < 3; i++) /* comch_max_clients, see main() */
		side_run(clients[i]);
	assert_err(side_start(clients[3]), IN_PROGRESS);
	world_settle(world);
	assert_int_equal(side_state(clients[3]), DOCA_CTX_STATE_IDLE);
	assert_int_equal(server->refusals, 1);
	side_stop(clients[1]);
	world_settle(world);
	side_run(clients[3]);
	assert_int_equal(server->connects, 4);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, world_setup, world_teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(a_name_is_taken_once),
		TEST(another_representor_is_another_name_space),
		TEST(a_scalable_function_is_not_its_parent),
		TEST(only_the_representors_function_gets_in),
		TEST(another_message_size_is_refused),
		TEST(a_full_server_refuses_until_somebody_goes),
	};

	setenv("SOFTFIELD_LIMITS", "comch_max_clients=3", 1);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
