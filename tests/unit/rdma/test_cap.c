/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * No device can send by RDMA.
 */
#include "test.h"

#include "doca_rdma.h"
#include "world.h"

static void no_device_can_send(void **state)
{
	struct doca_dev *dev = open_dev("03:00.0");

	(void)state;
	assert_err(doca_rdma_cap_task_send_is_supported(doca_dev_as_devinfo(dev)), NOT_SUPPORTED);
	assert_err(doca_rdma_cap_task_send_is_supported(NULL), INVALID_VALUE);
	assert_ok(doca_dev_close(dev));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(no_device_can_send),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
