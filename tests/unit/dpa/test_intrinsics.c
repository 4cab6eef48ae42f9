/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Intrinsics: fixed point numbers, and that fences are statements wherever they stand.
 */
#include "test.h"

#include "dpaintrin.h"

#define ONE 65536

static void reciprocals(void **state)
{
	(void)state;
	assert_int_equal(__dpa_fxp_rcp(ONE), ONE);
	assert_int_equal(__dpa_fxp_rcp(4 * ONE), ONE / 4);
	assert_int_equal(__dpa_fxp_rcp(-ONE / 2), -2 * ONE);
	assert_int_equal(__dpa_fxp_rcp(3), 0x55555555);
	assert_int_equal(__dpa_fxp_rcp(2), INT32_MAX);
	assert_int_equal(__dpa_fxp_rcp(-2), INT32_MIN);
	assert_int_equal(__dpa_fxp_rcp(-1), INT32_MIN);
	assert_int_equal(__dpa_fxp_rcp(0), INT32_MAX);
	assert_int_equal(__dpa_fxp_rcp(INT32_MIN), -2);
}

static void powers(void **state)
{
	(void)state;
	for (int i = -16; i < 16; i++)
		assert_int_equal(__dpa_fxp_pow2(i * ONE), 1U << (i + 16));
	assert_int_equal(__dpa_fxp_pow2(ONE / 2), 92682);      /* 1.41421 */
	assert_int_equal(__dpa_fxp_pow2(-3 * ONE / 2), 23170); /* 0.353553 */
	assert_int_equal(__dpa_fxp_pow2(16 * ONE - 1), 4294921870U);
	assert_int_equal(__dpa_fxp_pow2(16 * ONE), UINT32_MAX);
	assert_int_equal(__dpa_fxp_pow2(INT32_MAX), UINT32_MAX);
	assert_int_equal(__dpa_fxp_pow2(-18 * ONE), 0);
	assert_int_equal(__dpa_fxp_pow2(INT32_MIN), 0);
}

static void logarithms(void **state)
{
	(void)state;
	for (int i = 0; i < 32; i++)
		assert_int_equal(__dpa_fxp_log2(1U << i), (i - 16) * ONE);
	assert_int_equal(__dpa_fxp_log2(10 * ONE), 217705); /* 3.32193 */
	assert_int_equal(__dpa_fxp_log2(ONE / 10), -217715);
	assert_int_equal(__dpa_fxp_log2(UINT32_MAX), 16 * ONE - 1);
	assert_int_equal(__dpa_fxp_log2(0), INT32_MIN);
}

static void fences_are_statements(void **state)
{
	uint64_t before = __dpa_thread_time();

	if (state)
		__dpa_thread_system_fence();
	else
		__dpa_thread_outbox_fence(__DPA_W, __DPA_R);
	__dpa_thread_window_fence(__DPA_RW, __DPA_RW);
	__dpa_thread_fence(__DPA_HEAP, __DPA_R, __DPA_W);
	__dpa_thread_window_read_inv();
	__dpa_thread_window_writeback();
	__dpa_thread_memory_writeback();
	__dpa_data_ignore(&before);
	assert_true(__dpa_thread_time() >= before);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(reciprocals),
		cmocka_unit_test(powers),
		cmocka_unit_test(logarithms),
		cmocka_unit_test(fences_are_statements),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
