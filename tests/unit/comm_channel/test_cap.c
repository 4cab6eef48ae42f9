/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Limits, and that they are those that the setters hold to.
 */
#include "eptest.h"

static void every_limit_can_be_asked_for(void **state)
{
	struct rig *rig = *state;
	struct doca_devinfo *info = doca_dev_as_devinfo(rig->host);
	uint32_t value;

	assert_ok(doca_comm_channel_get_max_service_name_len(&value));
	assert_int_equal(value, 120);
	assert_ok(doca_comm_channel_get_max_message_size(info, &value));
	assert_int_equal(value, 4080);
	assert_ok(doca_comm_channel_get_max_send_queue_size(info, &value));
	assert_int_equal(value, 8191);
	assert_ok(doca_comm_channel_get_max_recv_queue_size(info, &value));
	assert_int_equal(value, 8191);
	assert_ok(doca_comm_channel_get_service_max_num_connections(info, &value));
	assert_int_equal(value, 512);
}

static void null_is_refused(void **state)
{
	static doca_error_t (*const calls[])(struct doca_devinfo * devinfo, uint32_t * value) = {
		doca_comm_channel_get_max_message_size,
		doca_comm_channel_get_max_send_queue_size,
		doca_comm_channel_get_max_recv_queue_size,
		doca_comm_channel_get_service_max_num_connections,
	};
	struct rig *rig = *state;
	uint32_t value;
	size_t i;

	assert_err(doca_comm_channel_get_max_service_name_len(NULL), INVALID_VALUE);
	for (i = 0; i < ARRAY_SIZE(calls); i++) {
		assert_err(calls[i](NULL, &value), INVALID_VALUE);
		assert_err(calls[i](doca_dev_as_devinfo(rig->dpu), NULL), INVALID_VALUE);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(every_limit_can_be_asked_for),
		TEST(null_is_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
