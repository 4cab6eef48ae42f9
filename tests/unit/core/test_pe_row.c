/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Calls of doca_pe_progress() in a row that all find something: programs that call until one finds
 * nothing, and have other descriptors, get to those.
 */
#include "toy.h"

#include "base/clock.h"
#include "readable.h"

/* many times what a row may be: seconds of them */
#define CALLS_MAX 100000000u
/* longer than a row may be */
#define TICKS_ENOUGH 60000000u
/* a poller that rests by itself, between any two looks at the clock */
#define WORK_IN_A_ROW 60u

static void finish_at_once(struct toy_task *task)
{
	assert_ok(doca_task_submit(&task->base));
	task_complete(&task->base, DOCA_SUCCESS);
}

static void again(struct toy *toy, struct toy_task *task)
{
	(void)toy;
	finish_at_once(task);
}

static void end(struct toy *toy, struct toy_task *task)
{
	(void)toy;
	doca_task_free(&task->base);
}

static unsigned int drain(struct toy *toy)
{
	unsigned int calls = 0;

	while (doca_pe_progress(toy->pe) && calls < CALLS_MAX)
		calls++;
	return calls;
}

static void who_submits_in_callbacks_for_ever_is_interrupted(void **state)
{
	struct toy *toy = *state;
	unsigned int completed;

	assert_ok(doca_ctx_start(&toy->ctx));
	toy->on_task = again;
	finish_at_once(toy_alloc(toy));
	for (unsigned int i = 0; i < 3; i++) {
		assert_true(drain(toy) < CALLS_MAX);
		completed = toy->completed;
		assert_ok(doca_pe_request_notification(toy->pe));
		assert_true(pe_is_readable(toy->pe));
		assert_ok(doca_pe_clear_notification(toy->pe, 0));
		assert_int_equal(toy->completed, completed);
		assert_true(doca_pe_progress(toy->pe));
		assert_int_equal(toy->completed, completed + 1);
	}
	toy->on_task = end;
	assert_true(drain(toy) <= 1);
	assert_ok(doca_ctx_stop(&toy->ctx));
}

struct worker {
	struct poller poller;
	uint64_t polls;
};

static unsigned int work_by_turns(struct poller *poller)
{
	const bool works = container_of(poller, struct worker, poller)->polls++ % WORK_IN_A_ROW;

	container_of(poller->group, struct doca_pe, group)->has_told |= works;
	return works;
}

static bool always_pending(struct poller *poller)
{
	(void)poller;
	return true;
}

static const struct poller_ops worker_ops = {.poll = work_by_turns, .pending = always_pending};

static void who_finds_nothing_now_and_then_is_left_alone(void **state)
{
	struct toy *toy = *state;
	struct worker worker = {.poller.ops = &worker_ops};
	uint64_t begin = clock_ticks();

	priv_poll_group_add(&toy->pe->group, &worker.poller);
	doca_pe_progress(toy->pe); /* from the next one on it is polled */
	while (clock_ticks() - begin < TICKS_ENOUGH) {
		const uint64_t polls = worker.polls;

		doca_pe_progress(toy->pe);
		assert_true(worker.polls > polls);
	}
	priv_poll_group_remove(&worker.poller);
}

/* once for each time that the descriptor is readable */
static void who_asks_for_notifications_is_left_alone(void **state)
{
	struct toy *toy = *state;
	uint64_t begin = clock_ticks();

	assert_ok(doca_ctx_start(&toy->ctx));
	toy->on_task = again;
	finish_at_once(toy_alloc(toy));
	while (clock_ticks() - begin < TICKS_ENOUGH) {
		assert_ok(doca_pe_request_notification(toy->pe));
		assert_true(pe_is_readable(toy->pe));
		assert_ok(doca_pe_clear_notification(toy->pe, 0));
		assert_true(doca_pe_progress(toy->pe));
	}
	toy->on_task = end;
	assert_true(drain(toy) <= 1);
	assert_ok(doca_ctx_stop(&toy->ctx));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(who_submits_in_callbacks_for_ever_is_interrupted),
		TEST(who_finds_nothing_now_and_then_is_left_alone),
		TEST(who_asks_for_notifications_is_left_alone),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
