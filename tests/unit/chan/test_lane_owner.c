/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Who claims the posts of a lane: one producer without a lock, or several by turns; and where there
 * is no membarrier() to tell the one from the others.
 */
#include "lane_rig.h"

#include <pthread.h>
#include "allowed.h"
#include "child.h"
#include "membarrier.h"

static void first_producer_owns_the_lane_until_another_comes(void **state)
{
	struct scene *scene = *state;
	struct lane_claim it;
	unsigned int i;

	need_membarrier();
	for (i = 0; i < 6; i++)
		post(scene, 0, 10);
	assert_int_equal(lane_claim(scene->producer, &scene->key, 1, false, &it), LANE_OK);
	assert_true(lane_is_owned_by(scene->producer, &scene->key));
	assert_int_equal(lane_claim(scene->producer, &scene->other, 1, false, &it), LANE_OK);
	assert_int_equal(it.index, 1);
	assert_false(lane_is_owned_by(scene->producer, &scene->key));
	assert_false(lane_is_owned_by(scene->producer, &scene->other));
	for (i = 2; i < 6; i++) {
		assert_int_equal(lane_claim(scene->producer, i % 2 ? &scene->key : &scene->other, 1,
					    false, &it),
				 LANE_OK);
		assert_int_equal(it.index, i);
	}
}

static void an_owner_that_goes_leaves_the_lane_to_the_next(void **state)
{
	struct scene *scene = *state;
	struct lane_claim it;

	need_membarrier();
	post(scene, 0, 10);
	post(scene, 0, 10);
	assert_int_equal(lane_claim(scene->producer, &scene->key, 1, false, &it), LANE_OK);
	lane_give_up(scene->producer, &scene->other); /* not the owner: nothing */
	assert_true(lane_is_owned_by(scene->producer, &scene->key));
	lane_give_up(scene->producer, &scene->key);
	assert_int_equal(lane_claim(scene->producer, &scene->other, 1, false, &it), LANE_OK);
	assert_int_equal(it.index, 1);
	assert_true(lane_is_owned_by(scene->producer, &scene->other));
}

struct claimer {
	pthread_t thread;
	struct lane_producer *lane;
	struct lane_key key;
	unsigned int count;
	bool makes_runs;
};

#define CLAIMS 20000u

static void publish_one(struct claimer *claimer)
{
	struct lane_claim it;

	if (lane_claim(claimer->lane, &claimer->key, 4, true, &it) != LANE_OK)
		return;
	memcpy(it.line->data, &claimer->count, 4);
	lane_publish(claimer->lane, &it,
		     (struct lane_head){.size = 4, .producer_id = 7, .inline_size = 4});
	claimer->count++;
}

/* Up to three of them. */
static void publish_run(struct claimer *claimer)
{
	struct lane_producer *lane = claimer->lane;
	uint32_t index, max = CLAIMS - claimer->count, count = 0;
	struct lane_line *line;

	lane_lock(lane, &claimer->key);
	index = lane->line;
	line = lane_line_at(lane, index);
	if (lane_find_post(lane, 4, 4) == LANE_OK) {
		count = lane_limit_several(lane, 3, max);
		for (uint32_t i = 0; i < count; i++, claimer->count++)
			memcpy(line->data + 4 * (size_t)i, &claimer->count, 4);
		assert_true(lane_take(lane, count, 4));
		lane_write(line, index,
			   (struct lane_head){.size = 4,
					      .producer_id = 7,
					      .inline_size = (uint8_t)(4 * count)});
	}
	lane_unlock(lane);
}

static void *claim_and_publish(void *arg)
{
	struct claimer *claimer = arg;

	while (claimer->count < CLAIMS) {
		if (claimer->makes_runs)
			publish_run(claimer);
		else
			publish_one(claimer);
	}
	return NULL;
}

/* Two begin together: one owns the lane for a moment, and loses it. Each line has one writer. */
static void claim_in_threads(struct scene *scene, bool first_makes_runs, bool second_makes_runs)
{
	struct claimer claimers[2] = {{.lane = scene->producer, .makes_runs = first_makes_runs},
				      {.lane = scene->producer, .makes_runs = second_makes_runs}};
	uint64_t sum = 0, expected = (uint64_t)CLAIMS * (CLAIMS - 1);
	unsigned int i, taken = 0;

	for (i = 0; i < 2; i++)
		assert_int_equal(
			pthread_create(&claimers[i].thread, NULL, claim_and_publish, &claimers[i]),
			0);
	while (taken < 2 * CLAIMS) {
		const struct lane_line *line =
			lane_incoming(&scene->consumer, scene->consumer.line);
		uint32_t number;

		if (scene->consumer.filled - scene->consumer.tail <= scene->consumer.mask)
			post(scene, 0, 10);
		if (!lane_has_next(&scene->consumer))
			continue;
		memcpy(&number, line->data + scene->consumer.taken, 4);
		sum += number;
		assert_int_equal(take(scene), 4);
		taken++;
	}
	for (i = 0; i < 2; i++)
		pthread_join(claimers[i].thread, NULL);
	assert_true(sum == expected);
}

static void claims_of_threads_exclude_each_other(void **state)
{
	claim_in_threads(*state, false, false);
}

static void so_do_runs(void **state)
{
	claim_in_threads(*state, true, true);
}

static void so_do_a_run_and_a_claim(void **state)
{
	claim_in_threads(*state, false, true);
}

/*
 * Machines without membarrier()
 */

static void expect(bool condition, int status)
{
	if (!condition)
		_exit(status);
}

static void live_without_membarrier(struct child *parent, void *arg)
{
	struct scene scene;

	(void)parent;
	(void)arg;
	forbid_membarrier();
	open_scene(&scene);
	expect(!attach(&scene), 1);
	/* Everybody fences, and nobody has a privilege that needs a heavy barrier to be ended. */
	expect(scene.producer->fence && scene.consumer.shared->consumer.fences &&
		       scene.consumer.shared->producers.fences,
	       2);
	expect(!lane_is_owned_by(scene.producer, NULL), 3);
}

static void fences_where_there_is_no_membarrier(void **state)
{
	struct child child = child_start(live_without_membarrier, NULL);
	int status = child_join(&child);

	(void)state;
	if (status == 77)
		skip();
	assert_int_equal(status, 0);
}

static void fences_when_the_consumer_asks_for_it(void **state)
{
	struct scene *scene = *state;

	scene->consumer.shared->consumer.fences = SLEEPER_NEEDS;
	assert_ok(attach(scene));
	assert_true(scene->producer->fence);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		/* first: its child must not know yet whether there is membarrier() */
		cmocka_unit_test(fences_where_there_is_no_membarrier),
		TEST_ALONE(fences_when_the_consumer_asks_for_it),
		TEST(first_producer_owns_the_lane_until_another_comes),
		TEST(an_owner_that_goes_leaves_the_lane_to_the_next),
		TEST(claims_of_threads_exclude_each_other),
		TEST(so_do_runs),
		TEST(so_do_a_run_and_a_claim),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
