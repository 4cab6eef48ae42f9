/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Immediate data as long as the limit may be set.
 */
#include "test.h"

#include <stdlib.h>
#include <string.h>
#include "both.h"
#include "comch/consumer_completion.h"

#define LIMIT  96
#define MEMORY ((size_t)1 << 16)

/* Data beside it is in the line, or in part, or not at all. */
static void every_size_arrives(void **state)
{
	struct both both = run_both(*state, LIMIT, MEMORY);
	uint8_t imm[LIMIT];

	for (size_t i = 0; i < sizeof(imm); i++)
		imm[i] = (uint8_t)(i + 1);
	for (uint32_t size = 1; size <= LIMIT; size++) {
		size_t data = size * 7 % 190;

		memset(both.producer->memory.addr, (int)size, data);
		assert_ok(end_post(both.consumer, 0, 200));
		assert_ok(end_send_imm(both.producer, memory_data(&both.producer->memory, 0, data),
				       imm + LIMIT - size, size, both.consumer->id));
		fastpath_settle(both.fastpath);
		assert_int_equal(both.consumer->size, data);
		assert_int_equal(both.consumer->imm_size, size);
		assert_memory_equal(both.consumer->imm, imm + LIMIT - size, size);
		assert_memory_equal(both.consumer->memory.addr, both.producer->memory.addr, data);
	}
}

static void more_is_refused(void **state)
{
	struct both both = run_both(*state, 8, MEMORY);
	struct fast_end *other = add_consumer(*state, both.fastpath->pair.server, MEMORY);
	uint8_t imm[LIMIT + 1] = {0};

	assert_err(doca_comch_consumer_set_imm_data_len(other->consumer, LIMIT + 1), INVALID_VALUE);
	assert_err(end_send_imm(both.producer, NULL, imm, LIMIT + 1, both.consumer->id),
		   INVALID_VALUE);
}

static void completions_take_as_much(void **state)
{
	struct doca_comch_consumer_completion completion = {0};
	uint32_t size;

	(void)state;
	assert_ok(doca_comch_consumer_completion_set_imm_data_len(&completion, LIMIT));
	assert_ok(doca_comch_consumer_completion_get_imm_data_len(&completion, &size));
	assert_int_equal(size, LIMIT);
	assert_err(doca_comch_consumer_completion_set_imm_data_len(&completion, LIMIT + 1),
		   INVALID_VALUE);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(every_size_arrives, fastpath_setup,
						fastpath_teardown),
		cmocka_unit_test_setup_teardown(more_is_refused, fastpath_setup, fastpath_teardown),
		cmocka_unit_test(completions_take_as_much),
	};

	setenv("SOFTFIELD_LIMITS", "consumer_max_imm_data_len=96", 1);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
