/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What doca_pe_progress() says: 1 if and only if the program is told of something in that call.
 */
#include "test.h"

#include <stdlib.h>
#include <string.h>
#include "both.h"
#include "fastpath.h"

#define CALLS_MAX 100000u
#define LONG	  ((size_t)9 << 20)

static unsigned int told(const struct fast_end *end)
{
	return end->done + end->failed + end->state_count;
}

static bool progress(struct fast_end *end)
{
	const unsigned int before = told(end);
	const bool says_so = doca_pe_progress(end->pe);

	assert_int_equal(says_so, told(end) != before);
	return says_so;
}

/* Programs that have one task under way wait for it this way. */
static void await_one(struct fast_end *end, struct fast_end *other)
{
	const unsigned int before = end->done;
	unsigned int calls = 0;

	while (!progress(end)) {
		progress(other);
		assert_true(calls++ < CALLS_MAX);
	}
	assert_int_equal(end->done, before + 1);
}

static void a_message(struct both *both, size_t size)
{
	memset(both->producer->memory.addr, 0x5a, size);
	assert_ok(end_post(both->consumer, 0, size));
	assert_ok(end_send(both->producer, 0, size, both->consumer->id));
	await_one(both->producer, both->consumer);
	if (both->consumer->done < both->producer->done)
		await_one(both->consumer, both->producer);
	assert_memory_equal(both->consumer->memory.addr, both->producer->memory.addr, size);
}

static void one_means_that_a_task_has_come_back(void **state)
{
	static const size_t sizes[] = {8, 4096, 400000, LONG};
	struct both both = run_both(*state, 0, LONG);

	for (size_t i = 0; i < ARRAY_SIZE(sizes); i++)
		a_message(&both, sizes[i]);
}

static void also_where_memory_is_copied_twice(void **state)
{
	struct both both;

	setenv("SOFTFIELD_REGION", "copy", 1);
	both = run_both(*state, 0, LONG);
	a_message(&both, LONG);
	a_message(&both, 4096);
	unsetenv("SOFTFIELD_REGION");
}

static void a_send_that_has_waited_is_told_when_it_is_done(void **state)
{
	struct both both = run_both(*state, 0, 4096);

	assert_ok(end_send(both.producer, 0, 8, both.consumer->id));
	for (unsigned int i = 0; i < 10; i++)
		assert_false(progress(both.producer));
	assert_ok(end_post(both.consumer, 0, 8));
	await_one(both.producer, both.consumer);
	if (!both.consumer->done)
		await_one(both.consumer, both.producer);
}

static void send_next(struct fast_end *end, struct doca_comch_producer_task_send *task,
		      doca_error_t status)
{
	assert_ok(status);
	end->on_sent = NULL;
	assert_ok(doca_task_submit(doca_comch_producer_task_send_as_task(task)));
}

/* A program that is told of it may be busy with something else from then on. */
static void what_its_callback_sends_goes_in_the_same_call(void **state)
{
	struct both both = run_both(*state, 0, 4096);

	assert_ok(end_send(both.producer, 0, 8, both.consumer->id));
	assert_false(progress(both.producer));
	both.producer->on_sent = send_next;
	assert_ok(end_post(both.consumer, 0, 8));
	assert_ok(end_post(both.consumer, 8, 8));
	while (!progress(both.producer))
		progress(both.consumer);
	for (unsigned int i = 0; i < 100; i++)
		progress(both.consumer);
	assert_int_equal(both.consumer->done, 2);
	await_one(both.producer, both.consumer);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, fastpath_setup, fastpath_teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(one_means_that_a_task_has_come_back),
		TEST(also_where_memory_is_copied_twice),
		TEST(a_send_that_has_waited_is_told_when_it_is_done),
		TEST(what_its_callback_sends_goes_in_the_same_call),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
