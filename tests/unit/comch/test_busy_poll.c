/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Engines that have had short sleeps: what a request finds without arming, and what it must not
 * take for work.
 */
#include "test.h"

#include "both.h"
#include "core/pe.h"
#include "readable.h"

#define MEMORY 4096

/* from now on this thread sleeps there */
static void sleep_once(struct fast_end *end)
{
	assert_ok(doca_pe_request_notification(end->pe));
	assert_ok(doca_pe_clear_notification(end->pe, 0));
}

static void request_after_a_nap(struct fast_end *end)
{
	end->pe->group.busy_poll.slept_shortly = true;
	assert_ok(doca_pe_request_notification(end->pe));
}

static void what_is_found_needs_no_arming(void **state)
{
	struct both both = run_both(*state, 0, MEMORY);
	uint32_t arms;

	assert_ok(end_post(both.consumer, 0, 100));
	assert_ok(end_post(both.consumer, 100, 100));
	fastpath_settle(both.fastpath);
	sleep_once(both.consumer);
	assert_ok(end_send(both.producer, 0, 10, both.consumer->id));
	fastpath_settle(both.fastpath);
	assert_int_equal(both.consumer->done, 1);
	assert_ok(end_send(both.producer, 0, 10, both.consumer->id));
	arms = both.consumer->pe->group.arms;
	request_after_a_nap(both.consumer);
	assert_int_equal(both.consumer->pe->group.arms, arms);
	assert_true(pe_is_readable(both.consumer->pe));
	assert_ok(doca_pe_clear_notification(both.consumer->pe, 0));
	assert_false(pe_is_readable(both.consumer->pe));
	fastpath_settle(both.fastpath);
	assert_int_equal(both.consumer->done, 2);
}

/* Only arming opens the bell that its consumer rings. */
static void a_send_that_waits_for_a_post_is_no_work(void **state)
{
	struct both both = run_both(*state, 0, MEMORY);

	sleep_once(both.producer);
	assert_ok(end_send(both.producer, 0, 10, both.consumer->id));
	fastpath_settle(both.fastpath);
	for (int i = 0; i < 3; i++) {
		request_after_a_nap(both.producer);
		assert_false(pe_is_readable(both.producer->pe));
		assert_ok(doca_pe_clear_notification(both.producer->pe, 0));
		assert_int_equal(doca_pe_progress(both.producer->pe), 0);
	}
	request_after_a_nap(both.producer);
	assert_ok(end_post(both.consumer, 0, 100));
	end_progress(both.consumer);
	assert_true(pe_is_readable(both.producer->pe));
	fastpath_settle(both.fastpath);
	assert_int_equal(both.consumer->done, 1);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, fastpath_setup, fastpath_teardown)
	const struct CMUnitTest tests[] = {
		TEST(what_is_found_needs_no_arming),
		TEST(a_send_that_waits_for_a_post_is_no_work),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
