/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Sleeping by chance: a program submits, polls, arms and clears its engines in any order. Whenever
 * it has armed one and there is something for it to do, the descriptor is readable; when there is
 * nothing, it does not stay so.
 */
#include "test.h"

#include <poll.h>
#include "base/random.h"
#include "both.h"
#include "fastpath.h"

#define ROUNDS	 50000
#define MEMORY	 4096
#define POSTED	 8
#define PATIENCE 5000 /* ms */

struct play {
	struct both both;
	struct random random;
	unsigned int sent, posted;
};

static unsigned int dice(struct play *play, unsigned int sides)
{
	return (unsigned int)random_below(&play->random, sides);
}

/* None that would have to wait for a receive. */
static void send_one(struct play *play)
{
	struct fast_end *consumer = play->both.consumer;

	if (play->sent == play->posted)
		return;
	assert_ok(end_send(play->both.producer, 0, 8, consumer->id));
	play->sent++;
}

static void post_more(struct play *play)
{
	while (play->posted - play->both.consumer->done < POSTED) {
		assert_ok(end_post(play->both.consumer, 0, 8));
		play->posted++;
	}
}

static bool progress(struct play *play, struct fast_end *end)
{
	bool did = end_progress(end);

	post_more(play);
	return did;
}

/* Is there something that the program of this engine has not been told yet? */
static bool has_news(const struct play *play, const struct fast_end *end)
{
	const struct fast_end *consumer = play->both.consumer, *producer = play->both.producer;

	if (end == producer)
		return play->sent != producer->done;
	return consumer->done != producer->done && play->sent == producer->done;
}

static int poll_handle(const struct fast_end *end, int ms)
{
	struct pollfd handle = {.events = POLLIN};

	assert_ok(doca_pe_get_notification_handle(end->pe, &handle.fd));
	return poll(&handle, 1, ms);
}

static struct fast_end *either(struct play *play)
{
	return dice(play, 2) ? play->both.consumer : play->both.producer;
}

static void do_anything(struct play *play)
{
	switch (dice(play, 6)) {
	case 0:
	case 1:
		send_one(play);
		break;
	case 2:
	case 3:
		progress(play, either(play));
		break;
	case 4:
		assert_ok(doca_pe_request_notification(either(play)->pe));
		break;
	case 5:
		assert_ok(doca_pe_clear_notification(either(play)->pe, 0));
		break;
	}
}

/* what a program may do between arm and sleep */
static void do_something_else(struct play *play, struct fast_end *end)
{
	unsigned int times;

	switch (dice(play, 4)) {
	case 0:
		send_one(play);
		break;
	case 1:
		progress(play, either(play));
		break;
	case 2:
		for (times = dice(play, 100); times; times--)
			progress(play, end);
		break;
	default:
		break;
	}
}

/* A loop of events comes to rest. */
static void expect_rest(struct play *play, struct fast_end *end)
{
	unsigned int i;

	for (i = 0; i < 10 && poll_handle(end, 0); i++) {
		assert_ok(doca_pe_clear_notification(end->pe, 0));
		while (progress(play, end))
			;
		assert_ok(doca_pe_request_notification(end->pe));
	}
	assert_true(i < 10);
}

static void no_order_of_calls_loses_a_wake_up(void **state)
{
	struct play play = {.both = run_both(*state, 0, MEMORY), .random = {1}};
	unsigned int round, times, awaited = 0;

	post_more(&play);
	fastpath_settle(play.both.fastpath);
	for (round = 0; round < ROUNDS; round++) {
		struct fast_end *end = either(&play);

		for (times = dice(&play, 6); times; times--)
			do_anything(&play);
		assert_ok(doca_pe_request_notification(end->pe));
		for (times = dice(&play, 4); times; times--)
			do_something_else(&play, end);
		if (has_news(&play, end)) {
			assert_int_equal(poll_handle(end, PATIENCE), 1);
			awaited++;
		} else if (!has_news(&play, play.both.consumer) &&
			   !has_news(&play, play.both.producer)) {
			expect_rest(&play, end);
		}
	}
	assert_true(awaited > ROUNDS / 10);
	fastpath_settle(play.both.fastpath);
	assert_int_equal(play.both.consumer->done, play.sent);
	assert_int_equal(play.both.producer->failed, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(no_order_of_calls_loses_a_wake_up,
						fastpath_setup_shm, fastpath_teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
