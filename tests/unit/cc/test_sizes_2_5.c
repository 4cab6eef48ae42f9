/* SPDX-License-Identifier: BSD-3-Clause */
/* Sizes of release 2.5, as a program of that age has them: size_t, all of it written. */
#define DOCA_CC_LEGACY_2_5
#include "cctest.h"

typedef doca_error_t (*cap_2_5_t)(const struct doca_devinfo *devinfo, size_t *value);

static void assert_wide_cap(const struct doca_devinfo *devinfo, cap_2_5_t cap, cap_t twin)
{
	size_t value = SIZE_MAX;
	uint32_t expected;

	assert_ok(twin(devinfo, &expected));
	assert_err(cap(NULL, &value), INVALID_VALUE);
	assert_err(cap(devinfo, NULL), INVALID_VALUE);
	assert_true(value == SIZE_MAX);
	assert_ok(cap(devinfo, &value));
	assert_int_equal(value, expected);
}

static void capabilities_are_wide(void **state)
{
	struct doca_dev *dev = open_dev(HOST_PF0);
	const struct doca_devinfo *devinfo = doca_dev_as_devinfo(dev);

	(void)state;
	assert_wide_cap(devinfo, doca_cc_cap_get_max_msg_size, doca_comch_cap_get_max_msg_size);
	assert_wide_cap(devinfo, doca_cc_cap_get_max_recv_queue_size,
			doca_comch_cap_get_max_recv_queue_size);
	assert_wide_cap(devinfo, doca_cc_cap_get_max_clients, doca_comch_cap_get_max_clients);
	assert_wide_cap(devinfo, doca_cc_cap_get_max_send_tasks, doca_comch_cap_get_max_send_tasks);
	assert_wide_cap(devinfo, doca_cc_consumer_cap_get_max_buf_size,
			doca_comch_consumer_cap_get_max_buf_size);
	assert_wide_cap(devinfo, doca_cc_producer_cap_get_max_buf_size,
			doca_comch_producer_cap_get_max_buf_size);
	assert_ok(doca_dev_close(dev));
}

static void exponents_are_wide(void **state)
{
	const cap_2_5_t caps[] = {doca_cc_consumer_cap_get_max_log_num_tasks,
				  doca_cc_producer_cap_get_max_log_num_tasks};
	const cap_t twins[] = {doca_comch_consumer_cap_get_max_num_tasks,
			       doca_comch_producer_cap_get_max_num_tasks};
	struct doca_dev *dev = open_dev(HOST_PF0);
	const struct doca_devinfo *devinfo = doca_dev_as_devinfo(dev);

	(void)state;
	for (int i = 0; i < 2; i++) {
		size_t exponent = SIZE_MAX;
		uint32_t count;

		assert_ok(twins[i](devinfo, &count));
		assert_err(caps[i](NULL, &exponent), INVALID_VALUE);
		assert_err(caps[i](devinfo, NULL), INVALID_VALUE);
		assert_true(exponent == SIZE_MAX);
		assert_ok(caps[i](devinfo, &exponent));
		assert_true(exponent < 32);
		assert_in_range(count, 1u << exponent, (2ULL << exponent) - 1);
	}
	assert_ok(doca_dev_close(dev));
}

static void sizes_of_a_server_are_wide(void **state)
{
	struct doca_dev *dev = open_dev(DPU_PF0);
	struct doca_dev_rep *rep = open_rep(dev, HOST_PF0);
	struct doca_cc_server *server;
	size_t value = SIZE_MAX;

	(void)state;
	assert_ok(doca_cc_server_create(dev, rep, "cc", &server));
	assert_ok(doca_cc_server_set_max_msg_size(server, 600));
	assert_ok(doca_cc_server_set_recv_queue_size(server, 32));
	assert_err(doca_cc_server_set_max_msg_size(server, (1ULL << 32) + 8), INVALID_VALUE);
	assert_err(doca_cc_server_set_recv_queue_size(server, (1ULL << 32) + 8), INVALID_VALUE);
	assert_err(doca_cc_server_get_max_msg_size(NULL, &value), INVALID_VALUE);
	assert_err(doca_cc_server_get_max_msg_size(server, NULL), INVALID_VALUE);
	assert_ok(doca_cc_server_get_max_msg_size(server, &value));
	assert_int_equal(value, 600);
	value = SIZE_MAX;
	assert_err(doca_cc_server_get_recv_queue_size(NULL, &value), INVALID_VALUE);
	assert_err(doca_cc_server_get_recv_queue_size(server, NULL), INVALID_VALUE);
	assert_ok(doca_cc_server_get_recv_queue_size(server, &value));
	assert_int_equal(value, 32);
	assert_ok(doca_cc_server_destroy(server));
	assert_ok(doca_dev_rep_close(rep));
	assert_ok(doca_dev_close(dev));
}

static void sizes_of_a_client_are_wide(void **state)
{
	struct doca_dev *dev = open_dev(HOST_PF0);
	struct doca_cc_client *client;
	size_t value = SIZE_MAX;

	(void)state;
	assert_ok(doca_cc_client_create(dev, "cc", &client));
	assert_ok(doca_cc_client_set_max_msg_size(client, 600));
	assert_ok(doca_cc_client_set_recv_queue_size(client, 32));
	assert_err(doca_cc_client_set_max_msg_size(client, (1ULL << 32) + 8), INVALID_VALUE);
	assert_err(doca_cc_client_set_recv_queue_size(client, (1ULL << 32) + 8), INVALID_VALUE);
	assert_err(doca_cc_client_get_max_msg_size(NULL, &value), INVALID_VALUE);
	assert_err(doca_cc_client_get_max_msg_size(client, NULL), INVALID_VALUE);
	assert_ok(doca_cc_client_get_max_msg_size(client, &value));
	assert_int_equal(value, 600);
	value = SIZE_MAX;
	assert_err(doca_cc_client_get_recv_queue_size(NULL, &value), INVALID_VALUE);
	assert_err(doca_cc_client_get_recv_queue_size(client, NULL), INVALID_VALUE);
	assert_ok(doca_cc_client_get_recv_queue_size(client, &value));
	assert_int_equal(value, 32);
	assert_ok(doca_cc_client_destroy(client));
	assert_ok(doca_dev_close(dev));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(capabilities_are_wide),
		cmocka_unit_test(exponents_are_wide),
		cmocka_unit_test(sizes_of_a_server_are_wide),
		cmocka_unit_test(sizes_of_a_client_are_wide),
	};

	return cmocka_run_group_tests(tests, leak_setup, leak_teardown);
}
