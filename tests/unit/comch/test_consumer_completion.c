/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Completions for DPA code, as the program sees them: numbers, states, the thread.
 */
#include "test.h"

#include "fake_dpa.h"

static void without_a_dpa_there_are_none(void **state)
{
	struct doca_comch_consumer_completion *completion = NULL;

	(void)state;
	priv_dpa = NULL;
	assert_err(doca_comch_consumer_completion_create(NULL), INVALID_VALUE);
	assert_err(doca_comch_consumer_completion_create(&completion), NOT_SUPPORTED);
	assert_null(completion);
}

static void calls_check_their_arguments(void **state)
{
	struct rig *rig = *state;
	struct doca_comch_consumer_completion *some;
	uint32_t number = 7;
	uint64_t handle = 7;

	add_completion(rig, false);
	some = rig->completion;
	assert_err(doca_comch_consumer_completion_create(NULL), INVALID_VALUE);
	assert_err(doca_comch_consumer_completion_start(NULL), INVALID_VALUE);
	assert_err(doca_comch_consumer_completion_stop(NULL), INVALID_VALUE);
	assert_err(doca_comch_consumer_completion_destroy(NULL), INVALID_VALUE);
	assert_err(doca_comch_consumer_completion_set_dpa_thread(NULL, &thread), INVALID_VALUE);
	assert_err(doca_comch_consumer_completion_set_dpa_thread(some, NULL), INVALID_VALUE);
	assert_err(doca_comch_consumer_completion_set_max_num_consumers(NULL, 1), INVALID_VALUE);
	assert_err(doca_comch_consumer_completion_set_max_num_consumers(some, 0), INVALID_VALUE);
	assert_err(doca_comch_consumer_completion_set_max_num_consumers(some, UINT32_MAX),
		   INVALID_VALUE);
	assert_err(doca_comch_consumer_completion_set_max_num_recv(NULL, 1), INVALID_VALUE);
	assert_err(doca_comch_consumer_completion_set_max_num_recv(some, 0), INVALID_VALUE);
	assert_err(doca_comch_consumer_completion_set_max_num_recv(some, UINT32_MAX),
		   INVALID_VALUE);
	assert_err(doca_comch_consumer_completion_set_imm_data_len(NULL, 0), INVALID_VALUE);
	assert_err(doca_comch_consumer_completion_set_imm_data_len(some, 65), INVALID_VALUE);
	assert_err(doca_comch_consumer_completion_get_max_num_consumers(NULL, &number),
		   INVALID_VALUE);
	assert_err(doca_comch_consumer_completion_get_max_num_consumers(some, NULL), INVALID_VALUE);
	assert_err(doca_comch_consumer_completion_get_max_num_recv(NULL, &number), INVALID_VALUE);
	assert_err(doca_comch_consumer_completion_get_max_num_recv(some, NULL), INVALID_VALUE);
	assert_err(doca_comch_consumer_completion_get_imm_data_len(NULL, &number), INVALID_VALUE);
	assert_err(doca_comch_consumer_completion_get_imm_data_len(some, NULL), INVALID_VALUE);
	assert_err(doca_comch_consumer_completion_get_dpa_handle(NULL, &handle), INVALID_VALUE);
	assert_err(doca_comch_consumer_completion_get_dpa_handle(some, NULL), INVALID_VALUE);
	assert_int_equal(number, 7);
	assert_int_equal(handle, 7);
	assert_ok(doca_comch_consumer_completion_destroy(some));
}

static void numbers_are_rounded_up(void **state)
{
	static const uint32_t numbers[][2] = {{1, 1}, {2, 2}, {3, 4}, {64, 64}, {65, 128}};
	struct rig *rig = *state;
	uint32_t number;

	add_completion(rig, false);
	for (unsigned int i = 0; i < ARRAY_SIZE(numbers); i++) {
		assert_ok(doca_comch_consumer_completion_set_max_num_recv(rig->completion,
									  numbers[i][0]));
		assert_ok(
			doca_comch_consumer_completion_get_max_num_recv(rig->completion, &number));
		assert_int_equal(number, numbers[i][1]);
		assert_ok(doca_comch_consumer_completion_set_max_num_consumers(rig->completion,
									       numbers[i][0]));
		assert_ok(doca_comch_consumer_completion_get_max_num_consumers(rig->completion,
									       &number));
		assert_int_equal(number, numbers[i][1]);
	}
	assert_ok(doca_comch_consumer_completion_destroy(rig->completion));
}

/* Programs do without the call. */
static void without_a_length_it_is_the_maximum(void **state)
{
	struct rig *rig = *state;
	uint32_t number;

	add_completion(rig, false);
	assert_ok(doca_comch_consumer_completion_get_imm_data_len(rig->completion, &number));
	assert_int_equal(number, 32);
	assert_ok(doca_comch_consumer_completion_set_imm_data_len(rig->completion, 64));
	assert_ok(doca_comch_consumer_completion_set_imm_data_len(rig->completion, 5));
	assert_ok(doca_comch_consumer_completion_get_imm_data_len(rig->completion, &number));
	assert_int_equal(number, 5);
	assert_ok(doca_comch_consumer_completion_destroy(rig->completion));
}

static void states_are_checked(void **state)
{
	struct rig *rig = *state;
	struct doca_comch_consumer_completion *some;
	uint64_t handle = 0;

	add_completion(rig, false);
	some = rig->completion;
	assert_err(doca_comch_consumer_completion_stop(some), BAD_STATE);
	assert_err(doca_comch_consumer_completion_get_dpa_handle(some, &handle), BAD_STATE);
	assert_ok(doca_comch_consumer_completion_start(some));
	assert_err(doca_comch_consumer_completion_start(some), BAD_STATE);
	assert_err(doca_comch_consumer_completion_destroy(some), BAD_STATE);
	assert_err(doca_comch_consumer_completion_set_dpa_thread(some, &thread), BAD_STATE);
	assert_err(doca_comch_consumer_completion_set_max_num_consumers(some, 1), BAD_STATE);
	assert_err(doca_comch_consumer_completion_set_max_num_recv(some, 1), BAD_STATE);
	assert_err(doca_comch_consumer_completion_set_imm_data_len(some, 1), BAD_STATE);
	assert_int_equal(handle, 0);
	assert_ok(doca_comch_consumer_completion_get_dpa_handle(some, &handle));
	assert_int_not_equal(handle, 0);
	assert_ok(doca_comch_consumer_completion_stop(some));
	assert_err(doca_comch_consumer_completion_get_dpa_handle(some, &handle), BAD_STATE);
	assert_ok(doca_comch_consumer_completion_start(some));
	assert_ok(doca_comch_consumer_completion_stop(some));
	assert_ok(doca_comch_consumer_completion_destroy(some));
}

static void the_thread_must_be_started(void **state)
{
	struct rig *rig = *state;

	add_completion(rig, false);
	thread.is_started = false;
	assert_err(doca_comch_consumer_completion_set_dpa_thread(rig->completion, &thread),
		   BAD_STATE);
	thread.is_started = true;
	assert_ok(doca_comch_consumer_completion_set_dpa_thread(rig->completion, &thread));
	assert_int_equal(thread.attached, 0);
	thread.is_started = false; /* it may have been stopped since */
	assert_err(doca_comch_consumer_completion_start(rig->completion), BAD_STATE);
	thread.is_started = true;
	assert_ok(doca_comch_consumer_completion_start(rig->completion));
	assert_int_equal(thread.attached, 1);
	assert_ok(doca_comch_consumer_completion_stop(rig->completion));
	assert_int_equal(thread.attached, 0);
	assert_ok(doca_comch_consumer_completion_destroy(rig->completion));
}

static void it_is_in_use_while_a_consumer_runs(void **state)
{
	struct rig *rig = *state;

	run_to_dpa(rig, 4, 4);
	assert_err(doca_comch_consumer_completion_stop(rig->completion), IN_USE);
	assert_ok(doca_ctx_stop(doca_comch_consumer_as_ctx(rig->consumer)));
	assert_ok(doca_comch_consumer_completion_stop(rig->completion));
	assert_ok(doca_comch_consumer_completion_start(rig->completion));
	assert_ok(doca_ctx_start(doca_comch_consumer_as_ctx(rig->consumer)));
	assert_err(doca_comch_consumer_completion_stop(rig->completion), IN_USE);
	end(rig);
}

/* It is stopped; that a consumer names it does not keep it. */
static void it_may_go_before_its_consumers(void **state)
{
	struct rig *rig = *state;

	run_to_dpa(rig, 4, 4);
	stop_all(rig);
	assert_ok(doca_comch_consumer_completion_stop(rig->completion));
	assert_ok(doca_comch_consumer_completion_destroy(rig->completion));
	rig->completion = NULL;
	assert_err(doca_ctx_start(doca_comch_consumer_as_ctx(rig->consumer)), BAD_STATE);
	end(rig);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(without_a_dpa_there_are_none),
		TEST(calls_check_their_arguments),
		TEST(numbers_are_rounded_up),
		TEST(without_a_length_it_is_the_maximum),
		TEST(states_are_checked),
		TEST(the_thread_must_be_started),
		TEST(it_is_in_use_while_a_consumer_runs),
		TEST(it_may_go_before_its_consumers),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
