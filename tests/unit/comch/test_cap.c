/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What devices say they can do for the control channel.
 */
#include "test.h"

#include "world.h"

static const struct {
	doca_error_t (*get)(const struct doca_devinfo *devinfo, uint32_t *value);
	uint32_t value;
} numbers[] = {
	{doca_comch_cap_get_max_name_len, 120},		{doca_comch_cap_get_max_msg_size, 4080},
	{doca_comch_cap_get_max_recv_queue_size, 8191}, {doca_comch_cap_get_max_clients, 512},
	{doca_comch_cap_get_max_send_tasks, 8192},
};

static void the_numbers_are_those_of_the_table(void **state)
{
	struct doca_dev *devs[] = {open_dev(DPU_PF0), open_dev(HOST_PF0), open_dev(HOST_VF0)};
	unsigned int i, j;

	(void)state;
	for (j = 0; j < ARRAY_SIZE(devs); j++) {
		const struct doca_devinfo *devinfo = doca_dev_as_devinfo(devs[j]);

		for (i = 0; i < ARRAY_SIZE(numbers); i++) {
			uint32_t value = 0;

			assert_ok(numbers[i].get(devinfo, &value));
			assert_int_equal(value, numbers[i].value);
			assert_err(numbers[i].get(devinfo, NULL), INVALID_VALUE);
			assert_err(numbers[i].get(NULL, &value), INVALID_VALUE);
		}
		assert_ok(doca_dev_close(devs[j]));
	}
}

static void servers_are_of_the_dpu_and_clients_of_the_host(void **state)
{
	struct doca_dev *dpu = open_dev(DPU_PF1), *host = open_dev(HOST_VF0);

	(void)state;
	assert_ok(doca_comch_cap_server_is_supported(doca_dev_as_devinfo(dpu)));
	assert_err(doca_comch_cap_client_is_supported(doca_dev_as_devinfo(dpu)), NOT_SUPPORTED);
	assert_err(doca_comch_cap_server_is_supported(doca_dev_as_devinfo(host)), NOT_SUPPORTED);
	assert_ok(doca_comch_cap_client_is_supported(doca_dev_as_devinfo(host)));
	assert_err(doca_comch_cap_server_is_supported(NULL), INVALID_VALUE);
	assert_err(doca_comch_cap_client_is_supported(NULL), INVALID_VALUE);
	assert_ok(doca_dev_close(dpu));
	assert_ok(doca_dev_close(host));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_numbers_are_those_of_the_table),
		cmocka_unit_test(servers_are_of_the_dpu_and_clients_of_the_host),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
