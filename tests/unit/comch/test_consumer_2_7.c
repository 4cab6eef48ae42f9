/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Immediate data as programs of 2.7 take it: not const.
 */
#define DOCA_LEGACY_2_7
#include "test.h"

#include "both.h"

static void write_to_it(struct fast_end *end, struct doca_comch_consumer_task_post_recv *task,
			doca_error_t status)
{
	uint8_t *imm = doca_comch_consumer_task_post_recv_get_imm_data(task);

	assert_ok(status);
	imm[0] = 'I';
	assert_memory_equal(doca_comch_consumer_task_post_recv_get_imm_data(task), "Imm", 3);
	doca_task_free(doca_comch_consumer_task_post_recv_as_task(task));
	end->arg = NULL;
}

static void immediate_data_may_be_written_to(void **state)
{
	struct both both = run_both(*state, 3, 4096);

	_Static_assert(_Generic(doca_comch_consumer_task_post_recv_get_imm_data(NULL), uint8_t *
				: true, default
				: false),
		       "as in 2.7");
	both.consumer->on_received = write_to_it;
	both.consumer->arg = &both;
	assert_ok(end_post(both.consumer, 0, 0));
	fastpath_settle(both.fastpath);
	assert_ok(end_send_imm(both.producer, NULL, "imm", 3, both.consumer->id));
	fastpath_settle(both.fastpath);
	assert_null(both.consumer->arg);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(immediate_data_may_be_written_to, fastpath_setup,
						fastpath_teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
