/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * RDMA is not there, and says so in every form that programs of 2.7 to 3.3 use.
 */
#include "test.h"

#include "doca_rdma.h"
#include "world.h"

static void there_are_no_shared_receive_queues(void **state)
{
	struct doca_dev *dev = open_dev("03:00.0");
	struct doca_rdma_srq *none = NULL, *srq = NULL;
	struct doca_rdma *rdma = NULL;
	doca_dpa_dev_rdma_srq_t handle = 0;

	(void)state;
	assert_err(doca_rdma_srq_create(NULL, &srq), INVALID_VALUE);
	assert_err(doca_rdma_srq_create(dev, NULL), INVALID_VALUE);
	assert_err(doca_rdma_srq_create(dev, &srq), NOT_SUPPORTED);
	assert_null(srq);
	assert_null(doca_rdma_srq_as_ctx(none));
	assert_err(doca_rdma_srq_set_shared_recv_queue_size(none, 8), NOT_SUPPORTED);
	assert_err(doca_rdma_srq_task_receive_set_dst_buf_list_len(none, 1), NOT_SUPPORTED);
	assert_err(doca_rdma_srq_set_type(none, SOFTFIELD_RDMA_SRQ_TYPE_NONE), NOT_SUPPORTED);
	assert_err(doca_rdma_srq_get_dpa_handle(none, &handle), NOT_SUPPORTED);
	assert_err(doca_rdma_srq_destroy(none), NOT_SUPPORTED);
	assert_err(doca_rdma_create_with_srq(dev, NULL, &rdma), INVALID_VALUE);
	assert_ok(doca_dev_close(dev));
}

static void exports_and_connects_have_three_or_four_arguments(void **state)
{
	struct doca_rdma_connection *connection = NULL;
	const void *details = NULL;
	size_t size = 0;

	(void)state;
	assert_err(doca_rdma_export(NULL, &details, &size), NOT_SUPPORTED);
	assert_err(doca_rdma_export(NULL, &details, &size, &connection), NOT_SUPPORTED);
	assert_null(details);
	assert_err(doca_rdma_connect(NULL, details, size), NOT_SUPPORTED);
	assert_err(doca_rdma_connect(NULL, details, size, connection), NOT_SUPPORTED);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(there_are_no_shared_receive_queues),
		cmocka_unit_test(exports_and_connects_have_three_or_four_arguments),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
