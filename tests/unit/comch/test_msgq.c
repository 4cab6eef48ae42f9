/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Message queues to a DPA: refused, and nothing is touched.
 */
#include "test.h"

#include "doca_comch_msgq.h"

/* never looked into */
static struct doca_comch_msgq *const some = (void *)(uintptr_t)0x1000;
static struct doca_dpa *const dpa = (void *)(uintptr_t)0x1000;
static struct doca_dev *const dev = (void *)(uintptr_t)0x1000;

static void none_can_be_created(void **state)
{
	struct doca_comch_msgq *msgq = some;

	(void)state;
	assert_err(doca_comch_msgq_create(NULL, &msgq), INVALID_VALUE);
	assert_err(doca_comch_msgq_create(dev, NULL), INVALID_VALUE);
	assert_err(doca_comch_msgq_create(dev, &msgq), NOT_SUPPORTED);
	assert_ptr_equal(msgq, some);
}

static void nothing_can_be_done_with_one(void **state)
{
	(void)state;
	assert_err(doca_comch_msgq_start(NULL), INVALID_VALUE);
	assert_err(doca_comch_msgq_start(some), NOT_SUPPORTED);
	assert_err(doca_comch_msgq_stop(NULL), INVALID_VALUE);
	assert_err(doca_comch_msgq_stop(some), NOT_SUPPORTED);
	assert_err(doca_comch_msgq_destroy(NULL), INVALID_VALUE);
	assert_err(doca_comch_msgq_destroy(some), NOT_SUPPORTED);
}

static void setters_refuse(void **state)
{
	(void)state;
	assert_err(doca_comch_msgq_set_dpa_consumer(NULL, dpa), INVALID_VALUE);
	assert_err(doca_comch_msgq_set_dpa_consumer(some, NULL), INVALID_VALUE);
	assert_err(doca_comch_msgq_set_dpa_consumer(some, dpa), NOT_SUPPORTED);
	assert_err(doca_comch_msgq_set_dpa_producer(NULL, dpa), INVALID_VALUE);
	assert_err(doca_comch_msgq_set_dpa_producer(some, NULL), INVALID_VALUE);
	assert_err(doca_comch_msgq_set_dpa_producer(some, dpa), NOT_SUPPORTED);
	assert_err(doca_comch_msgq_set_max_num_consumers(NULL, 1), INVALID_VALUE);
	assert_err(doca_comch_msgq_set_max_num_consumers(some, 0), INVALID_VALUE);
	assert_err(doca_comch_msgq_set_max_num_consumers(some, 1), NOT_SUPPORTED);
	assert_err(doca_comch_msgq_set_max_num_producers(NULL, 1), INVALID_VALUE);
	assert_err(doca_comch_msgq_set_max_num_producers(some, 0), INVALID_VALUE);
	assert_err(doca_comch_msgq_set_max_num_producers(some, 1), NOT_SUPPORTED);
}

static void has_no_consumers_nor_producers(void **state)
{
	struct doca_comch_consumer *consumer = NULL;
	struct doca_comch_producer *producer = NULL;

	(void)state;
	assert_err(doca_comch_msgq_consumer_create(NULL, &consumer), INVALID_VALUE);
	assert_err(doca_comch_msgq_consumer_create(some, NULL), INVALID_VALUE);
	assert_err(doca_comch_msgq_consumer_create(some, &consumer), NOT_SUPPORTED);
	assert_null(consumer);
	assert_err(doca_comch_msgq_producer_create(NULL, &producer), INVALID_VALUE);
	assert_err(doca_comch_msgq_producer_create(some, NULL), INVALID_VALUE);
	assert_err(doca_comch_msgq_producer_create(some, &producer), NOT_SUPPORTED);
	assert_null(producer);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(none_can_be_created),
		cmocka_unit_test(nothing_can_be_done_with_one),
		cmocka_unit_test(setters_refuse),
		cmocka_unit_test(has_no_consumers_nor_producers),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
