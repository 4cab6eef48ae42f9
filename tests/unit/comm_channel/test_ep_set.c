/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Setters: what they refuse and how they round, as the getters tell.
 */
#include "eptest.h"

struct size_case {
	uint16_t set, got; /* got 0: refused */
};

static void message_sizes_are_raised(void **state)
{
	static const struct size_case cases[] = {{0, 0},     {1, 256},	   {255, 256}, {256, 256},
						 {257, 257}, {4080, 4080}, {4081, 0}};
	ep_t *ep;
	size_t i;
	uint16_t size;

	(void)state;
	assert_ok(doca_comm_channel_ep_create(&ep));
	assert_ok(doca_comm_channel_ep_get_max_msg_size(ep, &size));
	assert_int_equal(size, 4080);
	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		if (!cases[i].got) {
			assert_err(doca_comm_channel_ep_set_max_msg_size(ep, cases[i].set),
				   INVALID_VALUE);
			continue;
		}
		assert_ok(doca_comm_channel_ep_set_max_msg_size(ep, cases[i].set));
		assert_ok(doca_comm_channel_ep_get_max_msg_size(ep, &size));
		assert_int_equal(size, cases[i].got);
	}
	assert_ok(doca_comm_channel_ep_destroy(ep));
}

static void queue_sizes_are_rounded_up(void **state)
{
	static const struct size_case cases[] = {{0, 0},     {1, 16},	   {16, 16},	 {17, 32},
						 {100, 128}, {4096, 4096}, {8191, 8192}, {8192, 0}};
	ep_t *ep;
	size_t i;
	uint16_t size;

	(void)state;
	assert_ok(doca_comm_channel_ep_create(&ep));
	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		if (!cases[i].got) {
			assert_err(doca_comm_channel_ep_set_send_queue_size(ep, cases[i].set),
				   INVALID_VALUE);
			assert_err(doca_comm_channel_ep_set_recv_queue_size(ep, cases[i].set),
				   INVALID_VALUE);
			continue;
		}
		assert_ok(doca_comm_channel_ep_set_send_queue_size(ep, cases[i].set));
		assert_ok(doca_comm_channel_ep_set_recv_queue_size(ep, 16));
		assert_ok(doca_comm_channel_ep_get_send_queue_size(ep, &size));
		assert_int_equal(size, cases[i].got);
		assert_ok(doca_comm_channel_ep_set_recv_queue_size(ep, cases[i].set));
		assert_ok(doca_comm_channel_ep_get_recv_queue_size(ep, &size));
		assert_int_equal(size, cases[i].got);
	}
	assert_ok(doca_comm_channel_ep_destroy(ep));
}

static void null_is_refused(void **state)
{
	struct rig *rig = *state;
	ep_t *ep = late_client(rig);

	rig->clients[0] = ep;
	assert_err(doca_comm_channel_ep_set_device(NULL, rig->host), INVALID_VALUE);
	assert_err(doca_comm_channel_ep_set_device(ep, NULL), INVALID_VALUE);
	assert_err(doca_comm_channel_ep_set_device_rep(NULL, rig->rep), INVALID_VALUE);
	assert_err(doca_comm_channel_ep_set_device_rep(ep, NULL), INVALID_VALUE);
	assert_err(doca_comm_channel_ep_set_max_msg_size(NULL, 256), INVALID_VALUE);
	assert_err(doca_comm_channel_ep_set_send_queue_size(NULL, 16), INVALID_VALUE);
	assert_err(doca_comm_channel_ep_set_recv_queue_size(NULL, 16), INVALID_VALUE);
}

static void assert_fixed(struct rig *rig, ep_t *ep)
{
	assert_err(doca_comm_channel_ep_set_device(ep, rig->dpu), BAD_STATE);
	assert_err(doca_comm_channel_ep_set_device_rep(ep, rig->rep), BAD_STATE);
	assert_err(doca_comm_channel_ep_set_max_msg_size(ep, 256), BAD_STATE);
	assert_err(doca_comm_channel_ep_set_send_queue_size(ep, 16), BAD_STATE);
	assert_err(doca_comm_channel_ep_set_recv_queue_size(ep, 16), BAD_STATE);
}

static void an_active_endpoint_is_not_configured(void **state)
{
	struct rig *rig = *state;

	connect_client(rig, 0);
	assert_fixed(rig, rig->service);
	assert_fixed(rig, rig->clients[0]);
	assert_ok(doca_comm_channel_ep_disconnect(rig->clients[0], rig->to[0]));
	assert_ok(doca_comm_channel_ep_set_max_msg_size(rig->clients[0], 256));
}

static void the_last_device_and_representor_count(void **state)
{
	struct rig *rig = *state;
	struct doca_dev_rep *rep = open_rep(rig->dpu, HOST_VF0);
	struct doca_dev *dev;
	ep_t *ep = late_client(rig);

	rig->clients[0] = ep;
	assert_ok(doca_comm_channel_ep_set_device(ep, rig->dpu));
	assert_ok(doca_comm_channel_ep_get_device(ep, &dev));
	assert_ptr_equal(dev, rig->dpu);
	assert_ok(doca_comm_channel_ep_set_device(ep, rig->host)); /* the other can be closed */
	assert_ok(doca_comm_channel_ep_set_device_rep(ep, rep));
	assert_ok(doca_comm_channel_ep_set_device_rep(ep, rig->rep));
	assert_ok(doca_dev_rep_close(rep));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(message_sizes_are_raised, leak_setup,
						leak_teardown),
		cmocka_unit_test_setup_teardown(queue_sizes_are_rounded_up, leak_setup,
						leak_teardown),
		TEST(null_is_refused),
		SERVICE_TEST(an_active_endpoint_is_not_configured),
		TEST(the_last_device_and_representor_count),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
