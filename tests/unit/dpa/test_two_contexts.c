/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Objects of two DPAs, which cannot be connected, and of one that extends another, which can.
 */
#include "test.h"

#include "doca_comch_consumer.h"
#include "doca_comch_msgq.h"
#include "doca_comch_producer.h"
#include "doca_ctx.h"
#include "doca_dpa_dev_comch_msgq.h"
#include "rig.h"

static void do_nothing(uint64_t arg)
{
	(void)arg;
}
GLOBAL(nothing, do_nothing)

static uint64_t poll_completion(uint64_t handle)
{
	doca_dpa_dev_comch_consumer_completion_element_t element;

	return (uint64_t)doca_dpa_dev_comch_consumer_get_completion(handle, &element);
}
RPC(polls, poll_completion)

static const struct softfield_dpa_func funcs[] = {GLOBAL_ROW(nothing), RPC_ROW(polls)};

/* a thread and a completion of one context; an object of each kind of another */
struct two {
	struct rig rig;
	struct doca_dpa *other;
	struct doca_dpa_thread *thread, *other_thread;
	struct doca_dpa_completion *completion, *other_completion;
	struct doca_dpa_async_ops *other_ops;
	struct doca_dpa_eu_affinity *affinity;
	struct doca_dpa_tg *other_group;
};

/* one that is started, besides the rig's */
static struct doca_dpa *add_dpa(struct rig *rig)
{
	struct doca_dpa *dpa;

	assert_ok(doca_dpa_create(rig->dev, &dpa));
	assert_ok(doca_dpa_set_app(dpa, &rig->app));
	assert_ok(doca_dpa_start(dpa));
	return dpa;
}

static void add_objects(struct two *two)
{
	two->thread = add_thread(&two->rig, nothing, 0);
	assert_ok(doca_dpa_completion_create(two->rig.dpa, 4, &two->completion));
	assert_ok(doca_dpa_eu_affinity_create(two->rig.dpa, &two->affinity));
	assert_ok(doca_dpa_thread_create(two->other, &two->other_thread));
	assert_ok(doca_dpa_completion_create(two->other, 4, &two->other_completion));
	assert_ok(doca_dpa_async_ops_create(two->other, 4, 0, &two->other_ops));
	assert_ok(doca_dpa_thread_group_create(two->other, 1, &two->other_group));
}

static void tear_down(struct two *two)
{
	assert_ok(doca_dpa_thread_group_destroy(two->other_group));
	assert_ok(doca_dpa_async_ops_destroy(two->other_ops));
	assert_ok(doca_dpa_completion_destroy(two->other_completion));
	assert_ok(doca_dpa_thread_destroy(two->other_thread));
	assert_ok(doca_dpa_eu_affinity_destroy(two->affinity));
	assert_ok(doca_dpa_completion_destroy(two->completion));
	assert_ok(doca_dpa_thread_destroy(two->thread));
	assert_ok(doca_dpa_destroy(two->other));
	assert_int_equal(rig_fini(&two->rig), 0);
}

/* expected: what every call that connects them answers */
static void connect_all(const struct two *two, doca_error_t expected)
{
	struct doca_dpa_notification_completion *notification = NULL;

	assert_int_equal(doca_dpa_completion_set_thread(two->other_completion, two->thread),
			 expected);
	assert_int_equal(doca_dpa_async_ops_attach(two->other_ops, two->completion), expected);
	assert_int_equal(doca_dpa_thread_set_affinity(two->other_thread, two->affinity), expected);
	assert_int_equal(doca_dpa_thread_group_set_thread(two->other_group, two->thread, 0),
			 expected);
	assert_int_equal(
		doca_dpa_notification_completion_create(two->other, two->thread, &notification),
		expected);
	if (notification)
		assert_ok(doca_dpa_notification_completion_destroy(notification));
}

static void objects_of_two_are_not_connected(void **state)
{
	struct doca_dpa_thread *thread;
	struct two two;

	(void)state;
	rig_init(&two.rig, funcs, 2);
	two.other = add_dpa(&two.rig);
	add_objects(&two);
	connect_all(&two, DOCA_ERROR_INVALID_VALUE);
	assert_ok(doca_dpa_completion_get_thread(two.other_completion, &thread));
	assert_null(thread);
	assert_err(doca_dpa_async_ops_start(two.other_ops), BAD_STATE);
	tear_down(&two);
}

static void objects_of_one_that_extends_are(void **state)
{
	struct doca_dev *dev = open_dev("03:00.1");
	struct two two;

	(void)state;
	rig_init(&two.rig, funcs, 2);
	assert_ok(doca_dpa_device_extend(two.rig.dpa, dev, &two.other));
	add_objects(&two);
	connect_all(&two, DOCA_SUCCESS);
	tear_down(&two);
	assert_ok(doca_dev_close(dev));
}

/*
 * A queue whose ends are on the first one's context
 */

struct queue {
	struct doca_comch_msgq *msgq;
	struct doca_comch_consumer *consumer;
	struct doca_comch_producer *producer;
	struct doca_comch_consumer_completion *completion;
};

static void add_queue(struct queue *queue, const struct two *two)
{
	assert_ok(doca_comch_msgq_create(two->rig.dev, &queue->msgq));
	assert_ok(doca_comch_msgq_set_dpa_consumer(queue->msgq, two->rig.dpa));
	assert_ok(doca_comch_msgq_set_dpa_producer(queue->msgq, two->rig.dpa));
	assert_ok(doca_comch_msgq_start(queue->msgq));
	assert_ok(doca_comch_msgq_consumer_create(queue->msgq, &queue->consumer));
	assert_ok(doca_comch_msgq_producer_create(queue->msgq, &queue->producer));
	assert_ok(doca_comch_consumer_completion_create(&queue->completion));
}

static void remove_queue(const struct queue *queue)
{
	assert_ok(doca_comch_producer_destroy(queue->producer));
	assert_ok(doca_comch_consumer_destroy(queue->consumer));
	assert_ok(doca_comch_consumer_completion_destroy(queue->completion));
	assert_ok(doca_comch_msgq_stop(queue->msgq));
	assert_ok(doca_comch_msgq_destroy(queue->msgq));
}

static void start_other_thread(const struct two *two)
{
	assert_ok(doca_dpa_thread_set_func_arg(two->other_thread, nothing, 0));
	assert_ok(doca_dpa_thread_start(two->other_thread));
}

/* The completion was chosen before its thread was. */
static void expect_no_start_with_the_others_thread(const struct queue *queue, const struct two *two)
{
	struct doca_ctx *ctx = doca_comch_consumer_as_ctx(queue->consumer);
	enum doca_ctx_states state;

	assert_ok(doca_ctx_set_datapath_on_dpa(ctx, two->rig.dpa));
	assert_ok(doca_comch_consumer_set_completion(queue->consumer, queue->completion, 0));
	assert_ok(doca_comch_consumer_completion_set_dpa_thread(queue->completion,
								two->other_thread));
	assert_ok(doca_comch_consumer_completion_start(queue->completion));
	assert_err(doca_ctx_start(ctx), INVALID_VALUE);
	assert_ok(doca_ctx_get_state(ctx, &state));
	assert_int_equal(state, DOCA_CTX_STATE_IDLE);
	assert_ok(doca_comch_consumer_completion_stop(queue->completion));
}

static void expect_a_start_with_its_own(const struct queue *queue, const struct two *two)
{
	struct doca_ctx *ctx = doca_comch_consumer_as_ctx(queue->consumer);

	assert_ok(doca_comch_consumer_completion_set_dpa_thread(queue->completion, two->thread));
	assert_ok(doca_comch_consumer_completion_start(queue->completion));
	assert_ok(doca_ctx_start(ctx));
	assert_ok(doca_ctx_stop(ctx));
	assert_ok(doca_comch_consumer_completion_stop(queue->completion));
}

static void ends_of_a_queue_are_of_its_context(void **state)
{
	struct queue queue;
	struct two two;

	(void)state;
	rig_init(&two.rig, funcs, 2);
	two.other = add_dpa(&two.rig);
	add_objects(&two);
	start_other_thread(&two);
	add_queue(&queue, &two);
	assert_err(
		doca_ctx_set_datapath_on_dpa(doca_comch_consumer_as_ctx(queue.consumer), two.other),
		INVALID_VALUE);
	assert_err(
		doca_ctx_set_datapath_on_dpa(doca_comch_producer_as_ctx(queue.producer), two.other),
		INVALID_VALUE);
	assert_err(doca_comch_producer_dpa_completion_attach(queue.producer, two.other_completion),
		   INVALID_VALUE);
	assert_ok(doca_comch_producer_dpa_completion_attach(queue.producer, two.completion));
	expect_no_start_with_the_others_thread(&queue, &two);
	assert_err(doca_comch_consumer_set_completion(queue.consumer, queue.completion, 0),
		   INVALID_VALUE);
	expect_a_start_with_its_own(&queue, &two);
	remove_queue(&queue);
	assert_ok(doca_dpa_thread_stop(two.other_thread));
	tear_down(&two);
}

/* Its device has to be the queue's, so that it is no data path; what it has is one's own. */
static void ends_of_a_queue_use_what_extends_its_context(void **state)
{
	struct doca_dev *dev = open_dev("03:00.1");
	struct queue queue;
	struct two two;

	(void)state;
	rig_init(&two.rig, funcs, 2);
	assert_ok(doca_dpa_device_extend(two.rig.dpa, dev, &two.other));
	add_objects(&two);
	start_other_thread(&two);
	add_queue(&queue, &two);
	assert_err(
		doca_ctx_set_datapath_on_dpa(doca_comch_producer_as_ctx(queue.producer), two.other),
		INVALID_VALUE);
	assert_ok(doca_comch_producer_dpa_completion_attach(queue.producer, two.other_completion));
	assert_ok(
		doca_comch_consumer_completion_set_dpa_thread(queue.completion, two.other_thread));
	assert_ok(doca_comch_consumer_set_completion(queue.consumer, queue.completion, 0));
	remove_queue(&queue);
	assert_ok(doca_dpa_thread_stop(two.other_thread));
	tear_down(&two);
	assert_ok(doca_dev_close(dev));
}

/*
 * A completion without a thread, which belongs to nobody but those who use it
 */

/* a queue on a DPA, and its only consumer */
struct line {
	struct doca_comch_msgq *msgq;
	struct doca_comch_consumer *consumer;
};

static struct doca_ctx *add_line(struct line *line, const struct rig *rig, struct doca_dpa *dpa,
				 struct doca_comch_consumer_completion *completion)
{
	struct doca_ctx *ctx;

	assert_ok(doca_comch_msgq_create(rig->dev, &line->msgq));
	assert_ok(doca_comch_msgq_set_dpa_consumer(line->msgq, dpa));
	assert_ok(doca_comch_msgq_start(line->msgq));
	assert_ok(doca_comch_msgq_consumer_create(line->msgq, &line->consumer));
	ctx = doca_comch_consumer_as_ctx(line->consumer);
	assert_ok(doca_ctx_set_datapath_on_dpa(ctx, dpa));
	assert_ok(doca_comch_consumer_set_completion(line->consumer, completion, 0));
	return ctx;
}

static void remove_line(const struct line *line)
{
	assert_ok(doca_ctx_stop(doca_comch_consumer_as_ctx(line->consumer)));
	assert_ok(doca_comch_consumer_destroy(line->consumer));
	assert_ok(doca_comch_msgq_stop(line->msgq));
	assert_ok(doca_comch_msgq_destroy(line->msgq));
}

static void a_completion_serves_one_context_after_the_other(void **state)
{
	struct doca_comch_consumer_completion *completion;
	struct doca_ctx *ctx, *other_ctx;
	struct line line, other_line;
	struct doca_dpa *other;
	struct rig rig;

	(void)state;
	rig_init(&rig, funcs, 2);
	other = add_dpa(&rig);
	assert_ok(doca_comch_consumer_completion_create(&completion));
	assert_ok(doca_comch_consumer_completion_start(completion));
	ctx = add_line(&line, &rig, rig.dpa, completion);
	other_ctx = add_line(&other_line, &rig, other, completion);
	assert_ok(doca_ctx_start(ctx));
	assert_err(doca_ctx_start(other_ctx), INVALID_VALUE);
	assert_ok(doca_ctx_stop(ctx));
	assert_ok(doca_ctx_start(other_ctx));
	assert_err(doca_ctx_start(ctx), INVALID_VALUE);
	remove_line(&line);
	remove_line(&other_line);
	assert_ok(doca_comch_consumer_completion_stop(completion));
	assert_ok(doca_comch_consumer_completion_destroy(completion));
	assert_ok(doca_dpa_destroy(other));
	assert_int_equal(rig_fini(&rig), 0);
}

/* A started completion that consumers of another context have used, which has ended. */
static struct doca_comch_consumer_completion *add_used_completion(struct rig *rig)
{
	struct doca_comch_consumer_completion *completion;
	struct doca_dpa *other = add_dpa(rig);
	struct line line;

	assert_ok(doca_comch_consumer_completion_create(&completion));
	assert_ok(doca_comch_consumer_completion_start(completion));
	assert_ok(doca_ctx_start(add_line(&line, rig, other, completion)));
	remove_line(&line);
	assert_ok(doca_dpa_destroy(other));
	return completion;
}

static void a_completion_outlives_a_context(void **state)
{
	struct doca_comch_consumer_completion *completion;
	doca_dpa_dev_comch_consumer_completion_t handle;
	struct line line;
	struct rig rig;
	uint64_t found;

	(void)state;
	rig_init(&rig, funcs, 2);
	completion = add_used_completion(&rig);
	assert_ok(doca_comch_consumer_completion_get_dpa_handle(completion, &handle));
	assert_ok(doca_dpa_rpc(rig.dpa, polls, &found, handle));
	assert_int_equal(found, 0);
	assert_ok(doca_ctx_start(add_line(&line, &rig, rig.dpa, completion)));
	remove_line(&line);
	assert_ok(doca_comch_consumer_completion_stop(completion));
	assert_ok(doca_comch_consumer_completion_destroy(completion));
	assert_int_equal(rig_fini(&rig), 0);
}

/* Nobody has used it since: what it had is left when it is stopped. */
static void a_completion_is_stopped_after_its_context_has_ended(void **state)
{
	struct doca_comch_consumer_completion *completion;
	struct rig rig;

	(void)state;
	rig_init(&rig, funcs, 2);
	completion = add_used_completion(&rig);
	assert_ok(doca_comch_consumer_completion_stop(completion));
	assert_ok(doca_comch_consumer_completion_destroy(completion));
	assert_int_equal(rig_fini(&rig), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(objects_of_two_are_not_connected),
		cmocka_unit_test(objects_of_one_that_extends_are),
		cmocka_unit_test(ends_of_a_queue_are_of_its_context),
		cmocka_unit_test(ends_of_a_queue_use_what_extends_its_context),
		cmocka_unit_test(a_completion_serves_one_context_after_the_other),
		cmocka_unit_test(a_completion_outlives_a_context),
		cmocka_unit_test(a_completion_is_stopped_after_its_context_has_ended),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
