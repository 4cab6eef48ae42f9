/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What a device says under the names of cc.
 */
#include "cctest.h"

static void limits_are_those_of_comch(void **state)
{
	struct doca_dev *dev = open_dev(HOST_PF0);
	const struct doca_devinfo *devinfo = doca_dev_as_devinfo(dev);

	(void)state;
	assert_same_cap(devinfo, doca_cc_cap_get_max_name_len, doca_comch_cap_get_max_name_len);
	assert_same_cap(devinfo, doca_cc_cap_get_max_msg_size, doca_comch_cap_get_max_msg_size);
	assert_same_cap(devinfo, doca_cc_cap_get_max_recv_queue_size,
			doca_comch_cap_get_max_recv_queue_size);
	assert_same_cap(devinfo, doca_cc_cap_get_max_clients, doca_comch_cap_get_max_clients);
	assert_same_cap(devinfo, doca_cc_cap_get_max_send_tasks, doca_comch_cap_get_max_send_tasks);
	assert_ok(doca_dev_close(dev));
}

static void sides_are_told_apart(void **state)
{
	struct doca_dev *host = open_dev(HOST_PF0), *dpu = open_dev(DPU_PF0);

	(void)state;
	assert_ok(doca_cc_cap_server_is_supported(doca_dev_as_devinfo(dpu)));
	assert_err(doca_cc_cap_server_is_supported(doca_dev_as_devinfo(host)), NOT_SUPPORTED);
	assert_ok(doca_cc_cap_client_is_supported(doca_dev_as_devinfo(host)));
	assert_err(doca_cc_cap_client_is_supported(doca_dev_as_devinfo(dpu)), NOT_SUPPORTED);
	assert_ok(doca_cc_cap_is_consumer_supported(doca_dev_as_devinfo(host)));
	assert_err(doca_cc_cap_is_consumer_supported(NULL), INVALID_VALUE);
	assert_ok(doca_cc_cap_is_producer_supported(doca_dev_as_devinfo(host)));
	assert_err(doca_cc_cap_is_producer_supported(NULL), INVALID_VALUE);
	assert_ok(doca_dev_close(host));
	assert_ok(doca_dev_close(dpu));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(limits_are_those_of_comch),
		cmocka_unit_test(sides_are_told_apart),
	};

	return cmocka_run_group_tests(tests, leak_setup, leak_teardown);
}
