/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Message queues with an end on a DPA: which one it may be, both at once, and threads that work on
 * the two ends, and with the unit on one end, at the same time.
 */
#include "test.h"

#include <sched.h>
#include <unistd.h>
#include "child.h"
#include "fake_dpa.h"

static void the_dpa_is_on_the_same_device(void **state)
{
	struct rig *rig = *state;
	struct doca_dpa other = {.dev = open_dev("03:00.1"), .is_started = true};

	assert_err(doca_comch_msgq_set_dpa_consumer(NULL, &dpa), INVALID_VALUE);
	assert_err(doca_comch_msgq_set_dpa_consumer(rig->msgq, NULL), INVALID_VALUE);
	assert_err(doca_comch_msgq_set_dpa_producer(NULL, &dpa), INVALID_VALUE);
	assert_err(doca_comch_msgq_set_dpa_producer(rig->msgq, NULL), INVALID_VALUE);
	assert_err(doca_comch_msgq_set_dpa_consumer(rig->msgq, &other), INVALID_VALUE);
	assert_err(doca_comch_msgq_set_dpa_producer(rig->msgq, &other), INVALID_VALUE);
	assert_ok(doca_dev_close(other.dev));
	other.dev = open_dev("03:00.0"); /* opened once more */
	assert_ok(doca_comch_msgq_set_dpa_consumer(rig->msgq, &other));
	assert_int_equal(other.attached, 1);
	assert_ok(doca_comch_msgq_set_dpa_consumer(rig->msgq, &dpa));
	assert_int_equal(other.attached, 0);
	assert_ok(doca_dev_close(other.dev));
}

static void it_must_be_started_and_the_queue_not(void **state)
{
	struct rig *rig = *state;

	dpa.is_started = false;
	assert_err(doca_comch_msgq_set_dpa_consumer(rig->msgq, &dpa), BAD_STATE);
	assert_err(doca_comch_msgq_set_dpa_producer(rig->msgq, &dpa), BAD_STATE);
	dpa.is_started = true;
	assert_ok(doca_comch_msgq_start(rig->msgq));
	assert_err(doca_comch_msgq_set_dpa_consumer(rig->msgq, &dpa), BAD_STATE);
	assert_err(doca_comch_msgq_set_dpa_producer(rig->msgq, &dpa), BAD_STATE);
	assert_ok(doca_comch_msgq_stop(rig->msgq));
}

static void the_other_end_is_on_the_cpu(void **state)
{
	struct rig *rig = *state;
	struct doca_comch_producer *producer;
	struct doca_comch_consumer *consumer;

	assert_ok(doca_comch_msgq_set_dpa_consumer(rig->msgq, &dpa));
	assert_ok(doca_comch_msgq_start(rig->msgq));
	assert_ok(doca_comch_msgq_producer_create(rig->msgq, &producer));
	assert_err(doca_ctx_set_datapath_on_dpa(doca_comch_producer_as_ctx(producer), &dpa),
		   NOT_SUPPORTED);
	assert_ok(doca_comch_producer_destroy(producer));
	assert_ok(doca_comch_msgq_consumer_create(rig->msgq, &consumer));
	assert_ok(doca_ctx_set_datapath_on_dpa(doca_comch_consumer_as_ctx(consumer), &dpa));
	assert_ok(doca_comch_consumer_destroy(consumer));
	assert_ok(doca_comch_msgq_stop(rig->msgq));
}

static void run_within_dpa(struct rig *rig, uint32_t depth)
{
	assert_ok(doca_comch_msgq_set_dpa_consumer(rig->msgq, &dpa));
	assert_ok(doca_comch_msgq_set_dpa_producer(rig->msgq, &dpa));
	assert_ok(doca_comch_msgq_start(rig->msgq));
	add_completion(rig, true);
	start_completion(rig, depth);
	add_dpa_consumer(rig, depth);
	add_dpa_producer(rig, depth);
}

static void both_ends_may_be_on_a_dpa(void **state)
{
	struct rig *rig = *state;

	run_within_dpa(rig, 4);
	dpa_send(rig, 0, 0);
	doca_dpa_dev_comch_consumer_ack(rig->consumer_handle, 4);
	dpa_send(rig, 1, 0);
	drive(&dpa.engine);
	expect_message(rig, 0);
	expect_message(rig, 1);
	assert_int_equal(reports.pushed, 2);
	dpa_send(rig, 2, 0);
	dpa_send(rig, 3, 0);
	dpa_send(rig, 4, 0); /* without a receive */
	end(rig);
	assert_int_equal(reports.status, DOCA_ERROR_IO_FAILED);
}

/* It has what its parent had, and no unit. */
static void clean_up_in_child(struct child *parent, void *arg)
{
	struct rig *rig = arg;

	(void)parent;
	if (doca_ctx_start(doca_comch_consumer_as_ctx(rig->consumer)) == DOCA_SUCCESS)
		_exit(1);
	if (doca_comch_consumer_destroy(rig->consumer) ||
	    doca_comch_producer_destroy(rig->producer) || doca_comch_msgq_stop(rig->msgq) ||
	    doca_comch_msgq_destroy(rig->msgq) ||
	    doca_comch_consumer_completion_stop(rig->completion) ||
	    doca_comch_consumer_completion_destroy(rig->completion))
		_exit(2);
	if (dpa.attached || thread.attached || reports.attached)
		_exit(3);
}

static void a_child_may_clean_up(void **state)
{
	struct rig *rig = *state;
	struct child child;

	run_within_dpa(rig, 4);
	doca_dpa_dev_comch_consumer_ack(rig->consumer_handle, 1);
	dpa_send(rig, 0, 0);
	dpa_send(rig, 1, 0); /* it waits */
	child = child_start(clean_up_in_child, rig);
	assert_int_equal(child_join(&child), 0);
	doca_dpa_dev_comch_consumer_ack(rig->consumer_handle, 1);
	drive(&dpa.engine);
	expect_message(rig, 0);
	expect_message(rig, 1);
	end(rig);
}

/*
 * Threads
 */

#define COUNT 8000u

static struct {
	struct rig *rig;
	atomic_bool stop;
	atomic_uint activations;
	uint32_t next; /* expected by DPA code */
} stress;

static void *unit(void *arg)
{
	struct dpa_engine *engine = arg;

	while (!stress.stop) {
		dpa_engine_lock(engine);
		doca_pe_progress(engine->pe);
		dpa_engine_unlock(engine);
		sched_yield();
	}
	return NULL;
}

/* the usual kernel, once */
static void activate(void)
{
	doca_dpa_dev_comch_consumer_completion_element_t element;
	uint32_t count = 0, size, value;

	while (doca_dpa_dev_comch_consumer_get_completion(stress.rig->completion_handle,
							  &element)) {
		memcpy(&value, doca_dpa_dev_comch_consumer_get_completion_imm(element, &size), 4);
		if (size != 4 || value != stress.next++)
			abort();
		count++;
	}
	give_back(stress.rig, count);
	doca_dpa_dev_comch_consumer_completion_request_notification(stress.rig->completion_handle);
	doca_dpa_dev_comch_consumer_ack(stress.rig->consumer_handle, count);
	stress.activations++;
}

/* Runs when it is triggered, and only then: a trigger that was lost is a test that hangs. */
static void *dpa_thread(void *arg)
{
	unsigned int seen_triggers = 0;

	(void)arg;
	while (stress.next < COUNT) {
		unsigned int triggers = thread.triggers;

		if (triggers == seen_triggers) {
			sched_yield();
			continue;
		}
		seen_triggers = triggers;
		activate();
	}
	return NULL;
}

static void *dpa_sender(void *arg)
{
	const struct rig *rig = arg;

	for (uint32_t i = 0; i < COUNT; i++)
		dpa_send(rig, i, i % 3 ? DOCA_DPA_DEV_SUBMIT_FLAG_OPTIMIZE_REPORTS : 0);
	return NULL;
}

static void start_thread(pthread_t *id, void *(*run)(void *arg), void *arg)
{
	assert_int_equal(pthread_create(id, NULL, run, arg), 0);
}

static void begin_stress(struct rig *rig)
{
	memset(&stress, 0, sizeof(stress));
	stress.rig = rig;
	seen.on_pause = (void (*)(void))sched_yield;
}

static void no_message_and_no_trigger_is_lost(void **state)
{
	struct rig *rig = *state;
	pthread_t threads[2];

	begin_stress(rig);
	run_to_dpa(rig, 8, 8);
	doca_dpa_dev_comch_consumer_ack(rig->consumer_handle, 8);
	start_thread(&threads[0], unit, &thread.engine);
	start_thread(&threads[1], dpa_thread, NULL);
	for (uint32_t i = 0; i < COUNT; i++) {
		while (i - rig->sent >= CPU_TASKS)
			doca_pe_progress(rig->pe);
		cpu_send(rig, i, 1);
	}
	while (rig->sent < COUNT)
		doca_pe_progress(rig->pe);
	pthread_join(threads[1], NULL);
	stress.stop = true;
	pthread_join(threads[0], NULL);
	assert_int_equal(stress.next, COUNT);
	assert_true(stress.activations > 0);
	end(rig);
}

/* The unit and the sender share what is in flight. */
static void a_sender_waits_for_the_cpu(void **state)
{
	struct rig *rig = *state;
	pthread_t threads[2];
	unsigned int posted = 0;

	begin_stress(rig);
	run_from_dpa(rig, 4);
	start_thread(&threads[0], unit, &dpa.engine);
	start_thread(&threads[1], dpa_sender, rig);
	while (rig->received < COUNT) {
		if (posted - rig->received < CPU_TASKS && posted < COUNT) {
			cpu_post(rig, 1);
			posted++;
		}
		doca_pe_progress(rig->pe);
	}
	pthread_join(threads[1], NULL);
	assert_int_equal(rig->last, COUNT - 1);
	assert_false(rig->is_disordered);
	while (reports.pushed < (COUNT + 2) / 3) /* those are told of in polls */
		sched_yield();
	stress.stop = true;
	pthread_join(threads[0], NULL);
	assert_int_equal(reports.pushed, (COUNT + 2) / 3);
	assert_int_equal(seen.fails, 0);
	end(rig);
}

static void dpa_threads_talk_to_each_other(void **state)
{
	struct rig *rig = *state;
	pthread_t threads[4];

	begin_stress(rig);
	run_within_dpa(rig, 8);
	doca_dpa_dev_comch_consumer_ack(rig->consumer_handle, 8);
	start_thread(&threads[0], unit, &dpa.engine);
	start_thread(&threads[1], unit, &thread.engine);
	start_thread(&threads[2], dpa_thread, NULL);
	start_thread(&threads[3], dpa_sender, rig);
	pthread_join(threads[3], NULL);
	pthread_join(threads[2], NULL);
	stress.stop = true;
	pthread_join(threads[1], NULL);
	pthread_join(threads[0], NULL);
	assert_int_equal(stress.next, COUNT);
	end(rig);
}

/* Programs do: the host ends while DPA code still polls. */
static void it_stops_under_dpa_code(void **state)
{
	struct rig *rig = *state;
	pthread_t threads[2];

	begin_stress(rig);
	run_within_dpa(rig, 4);
	doca_dpa_dev_comch_consumer_ack(rig->consumer_handle, 4);
	start_thread(&threads[0], unit, &thread.engine);
	start_thread(&threads[1], unit, &dpa.engine);
	for (uint32_t i = 0; i < 200; i++) {
		struct doca_ctx *ctx = doca_comch_consumer_as_ctx(rig->consumer);

		dpa_send(rig, i, 0);
		assert_ok(doca_ctx_stop(ctx));
		assert_ok(doca_ctx_start(ctx));
		doca_dpa_dev_comch_consumer_ack(rig->consumer_handle, 4);
		give_back(rig, 4);
	}
	stress.stop = true;
	pthread_join(threads[1], NULL);
	pthread_join(threads[0], NULL);
	end(rig);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(the_dpa_is_on_the_same_device), TEST(it_must_be_started_and_the_queue_not),
		TEST(the_other_end_is_on_the_cpu),   TEST(both_ends_may_be_on_a_dpa),
		TEST(a_child_may_clean_up),	     TEST(no_message_and_no_trigger_is_lost),
		TEST(a_sender_waits_for_the_cpu),    TEST(dpa_threads_talk_to_each_other),
		TEST(it_stops_under_dpa_code),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
