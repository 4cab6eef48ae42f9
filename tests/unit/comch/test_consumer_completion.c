/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Completions for DPA code: refused, and nothing is touched.
 */
#include "test.h"

#include "doca_comch_consumer.h"

/* never looked into */
static struct doca_comch_consumer_completion *const some = (void *)(uintptr_t)0x1000;
static struct doca_dpa_thread *const thread = (void *)(uintptr_t)0x1000;

static void none_can_be_created(void **state)
{
	struct doca_comch_consumer_completion *completion = some;

	(void)state;
	assert_err(doca_comch_consumer_completion_create(NULL), INVALID_VALUE);
	assert_err(doca_comch_consumer_completion_create(&completion), NOT_SUPPORTED);
	assert_ptr_equal(completion, some);
}

static void nothing_can_be_done_with_one(void **state)
{
	(void)state;
	assert_err(doca_comch_consumer_completion_start(NULL), INVALID_VALUE);
	assert_err(doca_comch_consumer_completion_start(some), NOT_SUPPORTED);
	assert_err(doca_comch_consumer_completion_stop(NULL), INVALID_VALUE);
	assert_err(doca_comch_consumer_completion_stop(some), NOT_SUPPORTED);
	assert_err(doca_comch_consumer_completion_destroy(NULL), INVALID_VALUE);
	assert_err(doca_comch_consumer_completion_destroy(some), NOT_SUPPORTED);
}

static void setters_refuse(void **state)
{
	(void)state;
	assert_err(doca_comch_consumer_completion_set_dpa_thread(NULL, thread), INVALID_VALUE);
	assert_err(doca_comch_consumer_completion_set_dpa_thread(some, NULL), INVALID_VALUE);
	assert_err(doca_comch_consumer_completion_set_dpa_thread(some, thread), NOT_SUPPORTED);
	assert_err(doca_comch_consumer_completion_set_max_num_consumers(NULL, 1), INVALID_VALUE);
	assert_err(doca_comch_consumer_completion_set_max_num_consumers(some, 0), INVALID_VALUE);
	assert_err(doca_comch_consumer_completion_set_max_num_consumers(some, 1), NOT_SUPPORTED);
	assert_err(doca_comch_consumer_completion_set_max_num_recv(NULL, 1), INVALID_VALUE);
	assert_err(doca_comch_consumer_completion_set_max_num_recv(some, 0), INVALID_VALUE);
	assert_err(doca_comch_consumer_completion_set_max_num_recv(some, 1), NOT_SUPPORTED);
	assert_err(doca_comch_consumer_completion_set_imm_data_len(NULL, 0), INVALID_VALUE);
	assert_err(doca_comch_consumer_completion_set_imm_data_len(some, 0), NOT_SUPPORTED);
}

static void getters_refuse(void **state)
{
	uint32_t number = 7;
	uint64_t handle = 7;

	(void)state;
	assert_err(doca_comch_consumer_completion_get_max_num_consumers(NULL, &number),
		   INVALID_VALUE);
	assert_err(doca_comch_consumer_completion_get_max_num_consumers(some, NULL), INVALID_VALUE);
	assert_err(doca_comch_consumer_completion_get_max_num_consumers(some, &number),
		   NOT_SUPPORTED);
	assert_err(doca_comch_consumer_completion_get_max_num_recv(NULL, &number), INVALID_VALUE);
	assert_err(doca_comch_consumer_completion_get_max_num_recv(some, NULL), INVALID_VALUE);
	assert_err(doca_comch_consumer_completion_get_max_num_recv(some, &number), NOT_SUPPORTED);
	assert_err(doca_comch_consumer_completion_get_imm_data_len(NULL, &number), INVALID_VALUE);
	assert_err(doca_comch_consumer_completion_get_imm_data_len(some, NULL), INVALID_VALUE);
	assert_err(doca_comch_consumer_completion_get_imm_data_len(some, &number), NOT_SUPPORTED);
	assert_err(doca_comch_consumer_completion_get_dpa_handle(NULL, &handle), INVALID_VALUE);
	assert_err(doca_comch_consumer_completion_get_dpa_handle(some, NULL), INVALID_VALUE);
	assert_err(doca_comch_consumer_completion_get_dpa_handle(some, &handle), NOT_SUPPORTED);
	assert_int_equal(number, 7);
	assert_int_equal(handle, 7);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(none_can_be_created),
		cmocka_unit_test(nothing_can_be_done_with_one),
		cmocka_unit_test(setters_refuse),
		cmocka_unit_test(getters_refuse),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
