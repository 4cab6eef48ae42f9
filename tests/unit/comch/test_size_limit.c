/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Sends as long as the limit may be set, and no longer ones: at once, or put off.
 */
#include "test.h"

#include <stdlib.h>
#include "both.h"

#define LIMIT  200
#define MEMORY ((size_t)1 << 16)

static doca_error_t send(struct both *both, size_t size, uint32_t flags)
{
	struct doca_buf *buf = memory_data(&both->producer->memory, 0, size);
	struct doca_comch_producer_task_send *task;
	doca_error_t err;

	assert_ok(doca_comch_producer_task_send_alloc_init(both->producer->producer, buf, NULL, 0,
							   both->consumer->id, &task));
	err = doca_task_submit_ex(doca_comch_producer_task_send_as_task(task), flags);
	if (!err)
		return DOCA_SUCCESS;
	doca_task_free(doca_comch_producer_task_send_as_task(task));
	assert_ok(doca_buf_dec_refcount(buf, NULL));
	return err;
}

static void no_more_is_sent(void **state)
{
	static const uint32_t flags[] = {DOCA_TASK_SUBMIT_FLAG_FLUSH, DOCA_TASK_SUBMIT_FLAG_NONE};
	struct both both = run_both(*state, 0, MEMORY);

	for (unsigned int i = 0; i < 8; i++)
		assert_ok(end_post(both.consumer, 0, 2 * LIMIT));
	fastpath_settle(both.fastpath);
	for (unsigned int i = 0; i < 4; i++) {
		assert_ok(send(&both, LIMIT, flags[i % 2]));
		assert_err(send(&both, LIMIT + 1, flags[i % 2]), INVALID_VALUE);
	}
	fastpath_settle(both.fastpath);
	assert_int_equal(both.consumer->done, 4);
	assert_int_equal(both.consumer->size, LIMIT);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(no_more_is_sent, fastpath_setup, fastpath_teardown),
	};

	setenv("SOFTFIELD_LIMITS", "producer_max_buf_size=200", 1);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
