/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Consumers in DPA code: receives, elements, and when its thread is to run.
 */
#include "test.h"

#include "fake_dpa.h"

static void add_receives(const struct rig *rig, uint32_t count)
{
	doca_dpa_dev_comch_consumer_ack(rig->consumer_handle, count);
}

static void ask(const struct rig *rig)
{
	doca_dpa_dev_comch_consumer_completion_request_notification(rig->completion_handle);
}

/* the loop of the usual kernel */
static void messages_arrive_in_order(void **state)
{
	struct rig *rig = *state;

	run_to_dpa(rig, 4, 4);
	add_receives(rig, 4);
	for (uint32_t i = 0; i < 1000; i++) {
		cpu_send(rig, i, 1);
		expect_message(rig, i); /* looks for it itself */
		expect_none(rig);
		give_back(rig, 1);
		add_receives(rig, 1);
		progress(rig);
	}
	assert_int_equal(rig->sent, 1000);
	assert_int_equal(seen.founds, 1000);
	end(rig);
}

static void elements_stay_until_given_back(void **state)
{
	struct rig *rig = *state;
	doca_dpa_dev_comch_consumer_completion_element_t elements[4];
	uint32_t size, value;

	run_to_dpa(rig, 4, 4);
	add_receives(rig, 4);
	for (uint32_t i = 0; i < 4; i++)
		cpu_send(rig, 100 + i, 1);
	for (unsigned int i = 0; i < 4; i++)
		assert_int_equal(doca_dpa_dev_comch_consumer_get_completion(rig->completion_handle,
									    &elements[i]),
				 1);
	add_receives(rig, 4);
	for (uint32_t i = 0; i < 4; i++)
		cpu_send(rig, i, 1);
	drive(&thread.engine);
	for (uint32_t i = 0; i < 4; i++) {
		memcpy(&value, doca_dpa_dev_comch_consumer_get_completion_imm(elements[i], &size),
		       4);
		assert_int_equal(size, 4);
		assert_int_equal(value, 100 + i);
		assert_int_equal(
			doca_dpa_dev_comch_consumer_get_completion_producer_id(elements[i]), 1);
	}
	end(rig);
}

/* What there is no room for waits where it is, and nothing is lost or mixed up. */
static void a_full_ring_holds_messages_up(void **state)
{
	struct rig *rig = *state;

	run_to_dpa(rig, 8, 2);
	add_receives(rig, 8);
	for (uint32_t i = 0; i < 8; i++)
		cpu_send(rig, i, 1);
	drive(&thread.engine);
	progress(rig);
	assert_int_equal(rig->sent, 2);
	expect_message(rig, 0);
	expect_message(rig, 1);
	expect_none(rig);
	for (uint32_t i = 2; i < 8; i += 2) {
		give_back(rig, 2);
		progress(rig); /* the producer sees the receives */
		expect_message(rig, i);
		expect_message(rig, i + 1);
		expect_none(rig);
	}
	end(rig);
}

/* Room that one does not need is the other's. */
static void consumers_share_the_ring(void **state)
{
	struct rig *rig = *state;
	struct doca_comch_consumer *second;
	doca_dpa_dev_comch_consumer_t handle;

	assert_ok(doca_comch_msgq_set_max_num_consumers(rig->msgq, 2));
	run_to_dpa(rig, 4, 4);
	second = new_dpa_consumer(rig, 4);
	assert_ok(doca_comch_consumer_get_dpa_handle(second, &handle));
	add_receives(rig, 3);
	doca_dpa_dev_comch_consumer_ack(handle, 4);
	for (uint32_t i = 0; i < 4; i++)
		cpu_send(rig, i, 2);
	drive(&thread.engine);
	progress(rig);
	assert_int_equal(rig->sent, 1);
	expect_message(rig, 0);
	/* The first one's are free when it stops. */
	assert_ok(doca_ctx_stop(doca_comch_consumer_as_ctx(rig->consumer)));
	progress(rig);
	for (uint32_t i = 1; i < 4; i++)
		expect_message(rig, i);
	assert_ok(doca_ctx_stop(doca_comch_consumer_as_ctx(second)));
	assert_ok(doca_comch_consumer_destroy(second));
	end(rig);
}

/* Both wait for room, and one of them does not take all of it for ever. */
static void who_waits_for_room_gets_it(void **state)
{
	static const uint32_t order[] = {0, 1, 10, 2, 11, 3, 12, 13};
	struct rig *rig = *state;
	struct doca_comch_consumer *second;
	doca_dpa_dev_comch_consumer_t handle;

	assert_ok(doca_comch_msgq_set_max_num_consumers(rig->msgq, 2));
	run_to_dpa(rig, 4, 1);
	second = new_dpa_consumer(rig, 4);
	assert_ok(doca_comch_consumer_get_dpa_handle(second, &handle));
	add_receives(rig, 4); /* one of them has room */
	doca_dpa_dev_comch_consumer_ack(handle, 4);
	for (uint32_t i = 0; i < 4; i++) {
		cpu_send(rig, i, 1);
		cpu_send(rig, 10 + i, 2);
	}
	for (unsigned int i = 0; i < ARRAY_SIZE(order); i++) {
		progress(rig);
		expect_message(rig, order[i]);
		expect_none(rig);
		give_back(rig, 1);
	}
	assert_ok(doca_ctx_stop(doca_comch_consumer_as_ctx(second)));
	assert_ok(doca_comch_consumer_destroy(second));
	end(rig);
}

static void too_many_are_as_many_as_there_can_be(void **state)
{
	struct rig *rig = *state;

	run_to_dpa(rig, 2, 16);
	add_receives(rig, UINT32_MAX);
	add_receives(rig, 1);
	for (uint32_t i = 0; i < 4; i++)
		cpu_send(rig, i, 1);
	drive(&thread.engine);
	progress(rig);
	assert_int_equal(rig->sent, 2);
	expect_message(rig, 0);
	give_back(rig, UINT64_MAX); /* one was taken */
	expect_message(rig, 1);
	give_back(rig, 1);
	give_back(rig, 1);
	add_receives(rig, 2);
	progress(rig);
	expect_message(rig, 2);
	expect_message(rig, 3);
	end(rig);
}

static void the_first_message_lets_the_thread_run(void **state)
{
	struct rig *rig = *state;

	run_to_dpa(rig, 4, 4);
	add_receives(rig, 4);
	drive(&thread.engine);
	assert_int_equal(thread.triggers, 0);
	cpu_send(rig, 0, 1);
	assert_int_equal(thread.triggers, 0);
	drive(&thread.engine);
	assert_int_equal(thread.triggers, 1);
	cpu_send(rig, 1, 1); /* nobody has asked */
	drive(&thread.engine);
	assert_int_equal(thread.triggers, 1);
	expect_message(rig, 0);
	expect_message(rig, 1);
	end(rig);
}

static void asking_is_answered_once(void **state)
{
	struct rig *rig = *state;

	run_to_dpa(rig, 4, 4);
	add_receives(rig, 4);
	cpu_send(rig, 0, 1);
	expect_message(rig, 0);
	assert_int_equal(thread.triggers, 1); /* it was fresh */
	ask(rig);
	ask(rig);
	drive(&thread.engine);
	assert_int_equal(thread.triggers, 1);
	cpu_send(rig, 1, 1);
	cpu_send(rig, 2, 1);
	drive(&thread.engine);
	assert_int_equal(thread.triggers, 2);
	end(rig);
}

/* between the last look and the question */
static void what_has_come_before_is_told_of_at_once(void **state)
{
	struct rig *rig = *state;

	run_to_dpa(rig, 4, 4);
	add_receives(rig, 4);
	cpu_send(rig, 0, 1);
	expect_message(rig, 0);
	expect_none(rig);
	cpu_send(rig, 1, 1);
	drive(&thread.engine); /* it is in the ring */
	assert_int_equal(thread.triggers, 1);
	ask(rig);
	assert_int_equal(thread.triggers, 2);
	cpu_send(rig, 2, 1); /* that was the answer */
	drive(&thread.engine);
	assert_int_equal(thread.triggers, 2);
	ask(rig); /* two that are not taken */
	assert_int_equal(thread.triggers, 3);
	expect_message(rig, 1);
	expect_message(rig, 2);
	ask(rig);
	assert_int_equal(thread.triggers, 3);
	cpu_send(rig, 3, 1); /* in the lane, which the unit looks at */
	ask(rig);
	assert_int_equal(thread.triggers, 3);
	drive(&thread.engine);
	assert_int_equal(thread.triggers, 4);
	end(rig);
}

static void without_a_thread_nobody_is_told(void **state)
{
	struct rig *rig = *state;

	assert_ok(doca_comch_msgq_set_dpa_consumer(rig->msgq, &dpa));
	assert_ok(doca_comch_msgq_start(rig->msgq));
	add_completion(rig, false);
	start_completion(rig, 4);
	expect_none(rig); /* no consumer yet */
	ask(rig);
	give_back(rig, 1);
	add_dpa_consumer(rig, 4);
	add_cpu_producer(rig);
	add_receives(rig, 4);
	ask(rig);
	cpu_send(rig, 5, 1);
	drive(&dpa.engine);
	expect_message(rig, 5);
	assert_int_equal(thread.triggers, 0);
	end(rig);
}

static void no_handle_is_nothing(void **state)
{
	struct rig *rig = *state;

	expect_none(rig);
	ask(rig);
	give_back(rig, 1);
	add_receives(rig, 1);
}

/* Programs stop a consumer while DPA code still runs. */
static void a_stopped_consumer_takes_no_receives(void **state)
{
	struct rig *rig = *state;

	run_to_dpa(rig, 4, 2);
	add_receives(rig, 4); /* two of them wait for room */
	assert_ok(doca_ctx_stop(doca_comch_consumer_as_ctx(rig->consumer)));
	add_receives(rig, 4);
	ask(rig);
	expect_none(rig);
	give_back(rig, 1);
	end(rig);
}

/* The unit that sleeps must see what was done in its place. */
static void the_unit_is_woken_for_what_was_done(void **state)
{
	struct rig *rig = *state;

	run_to_dpa(rig, 4, 4);
	thread.engine.is_asleep = true;
	add_receives(rig, 4);
	assert_int_equal(seen.wakes, 1);
	assert_false(thread.engine.is_polled);
	expect_none(rig);
	assert_int_equal(seen.wakes, 2);
	assert_true(thread.engine.is_polled); /* then it leaves the polls to DPA code */
	thread.engine.is_asleep = false;
	ask(rig); /* which looks no more: the unit does not nap on */
	assert_false(thread.engine.is_polled);
	assert_int_equal(seen.wakes, 3);
	end(rig);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(messages_arrive_in_order),
		TEST(elements_stay_until_given_back),
		TEST(a_full_ring_holds_messages_up),
		TEST(consumers_share_the_ring),
		TEST(who_waits_for_room_gets_it),
		TEST(too_many_are_as_many_as_there_can_be),
		TEST(the_first_message_lets_the_thread_run),
		TEST(asking_is_answered_once),
		TEST(what_has_come_before_is_told_of_at_once),
		TEST(without_a_thread_nobody_is_told),
		TEST(no_handle_is_nothing),
		TEST(a_stopped_consumer_takes_no_receives),
		TEST(the_unit_is_woken_for_what_was_done),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
