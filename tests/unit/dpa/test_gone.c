/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Objects that have been destroyed, and that DPA code or other objects still know of. Sanitizers
 * see who looks at their memory.
 */
#include "test.h"

#include <malloc.h>
#include "doca_comch_consumer.h"
#include "doca_comch_msgq.h"
#include "doca_comch_producer.h"
#include "doca_ctx.h"
#include "doca_dpa_dev_buf.h"
#include "doca_dpa_dev_comch_msgq.h"
#include "doca_dpa_dev_sync_event.h"
#include "doca_sync_event.h"
#include "dpa/dpa.h"
#include "rig.h"

#define GENERATIONS 2000
#define GROWTH_MAX  65536 /* bytes; a generation is some thousands */

static _Atomic uint64_t begun, may_end;

static void run_until_told(uint64_t arg)
{
	(void)arg;
	begun = 1;
	while (!may_end)
		doca_dpa_dev_yield();
}
GLOBAL(runs_until_told, run_until_told)

static void nothing(uint64_t arg)
{
	(void)arg;
	doca_dpa_dev_thread_reschedule();
}
GLOBAL(does_nothing, nothing)

static const struct softfield_dpa_func funcs[] = {
	GLOBAL_ROW(runs_until_told),
	GLOBAL_ROW(does_nothing),
};

static int set_up(void **state)
{
	static struct rig rig;

	rig_init(&rig, funcs, ARRAY_SIZE(funcs));
	*state = &rig;
	return 0;
}

static int tear_down(void **state)
{
	return rig_fini(*state);
}

/* One of each kind that DPA code has handles of. */
struct things {
	struct doca_dpa_thread *thread;
	struct doca_dpa_completion *reports;
	struct doca_dpa_async_ops *ops;
	struct doca_dpa_notification_completion *bell;
	struct doca_dpa_hash_table *table;
	struct doca_sync_event *event;
	struct doca_comch_msgq *msgq;
	struct doca_comch_consumer_completion *completion;
	struct doca_comch_consumer *consumer;
	struct doca_comch_producer *producer;
	uint64_t reports_handle, ops_handle, bell_handle, table_handle, event_handle;
	uint64_t completion_handle, consumer_handle, producer_handle;
};

static void add_queue(struct things *things, struct rig *rig)
{
	struct doca_ctx *ctx;

	assert_ok(doca_comch_msgq_create(rig->dev, &things->msgq));
	assert_ok(doca_comch_msgq_set_dpa_consumer(things->msgq, rig->dpa));
	assert_ok(doca_comch_msgq_set_dpa_producer(things->msgq, rig->dpa));
	assert_ok(doca_comch_msgq_start(things->msgq));
	assert_ok(doca_comch_consumer_completion_create(&things->completion));
	assert_ok(doca_comch_consumer_completion_set_max_num_recv(things->completion, 16));
	assert_ok(
		doca_comch_consumer_completion_set_dpa_thread(things->completion, things->thread));
	assert_ok(doca_comch_consumer_completion_start(things->completion));
	assert_ok(doca_comch_consumer_completion_get_dpa_handle(things->completion,
								&things->completion_handle));
	assert_ok(doca_comch_msgq_consumer_create(things->msgq, &things->consumer));
	assert_ok(doca_comch_consumer_set_completion(things->consumer, things->completion, 0));
	ctx = doca_comch_consumer_as_ctx(things->consumer);
	assert_ok(doca_ctx_set_datapath_on_dpa(ctx, rig->dpa));
	assert_ok(doca_ctx_start(ctx));
	assert_ok(doca_comch_consumer_get_dpa_handle(things->consumer, &things->consumer_handle));
	assert_ok(doca_comch_msgq_producer_create(things->msgq, &things->producer));
	assert_ok(doca_comch_producer_dpa_completion_attach(things->producer, things->reports));
	ctx = doca_comch_producer_as_ctx(things->producer);
	assert_ok(doca_ctx_set_datapath_on_dpa(ctx, rig->dpa));
	assert_ok(doca_ctx_start(ctx));
	assert_ok(doca_comch_producer_get_dpa_handle(things->producer, &things->producer_handle));
}

static void add_event(struct things *things, struct rig *rig)
{
	assert_ok(doca_sync_event_create(&things->event));
	assert_ok(doca_sync_event_add_publisher_location_dpa(things->event, rig->dpa));
	assert_ok(doca_sync_event_add_subscriber_location_dpa(things->event, rig->dpa));
	assert_ok(doca_sync_event_start(things->event));
	assert_ok(doca_sync_event_get_dpa_handle(things->event, rig->dpa, &things->event_handle));
}

static void add_all(struct things *things, struct rig *rig)
{
	things->thread = add_thread(rig, does_nothing, 0);
	assert_ok(doca_dpa_completion_create(rig->dpa, 16, &things->reports));
	assert_ok(doca_dpa_completion_set_thread(things->reports, things->thread));
	assert_ok(doca_dpa_completion_start(things->reports));
	assert_ok(doca_dpa_completion_get_dpa_handle(things->reports, &things->reports_handle));
	assert_ok(doca_dpa_async_ops_create(rig->dpa, 16, 0, &things->ops));
	assert_ok(doca_dpa_async_ops_attach(things->ops, things->reports));
	assert_ok(doca_dpa_async_ops_start(things->ops));
	assert_ok(doca_dpa_async_ops_get_dpa_handle(things->ops, &things->ops_handle));
	assert_ok(doca_dpa_notification_completion_create(rig->dpa, things->thread, &things->bell));
	assert_ok(doca_dpa_notification_completion_start(things->bell));
	assert_ok(doca_dpa_notification_completion_get_dpa_handle(things->bell,
								  &things->bell_handle));
	assert_ok(doca_dpa_hash_table_create(rig->dpa, 16, &things->table));
	assert_ok(doca_dpa_hash_table_get_dpa_handle(things->table, &things->table_handle));
	add_event(things, rig);
	add_queue(things, rig);
}

static void stop_all(struct things *things)
{
	assert_ok(doca_ctx_stop(doca_comch_producer_as_ctx(things->producer)));
	assert_ok(doca_ctx_stop(doca_comch_consumer_as_ctx(things->consumer)));
	assert_ok(doca_comch_consumer_completion_stop(things->completion));
	assert_ok(doca_dpa_async_ops_stop(things->ops));
	assert_ok(doca_dpa_completion_stop(things->reports));
	assert_ok(doca_dpa_notification_completion_stop(things->bell));
	assert_ok(doca_sync_event_stop(things->event));
	assert_ok(doca_dpa_thread_stop(things->thread));
}

/* but for those that others are connected to: the thread, the reports, the consumer completion */
static void destroy_users(struct things *things)
{
	assert_ok(doca_comch_producer_destroy(things->producer));
	assert_ok(doca_comch_consumer_destroy(things->consumer));
	assert_ok(doca_comch_msgq_stop(things->msgq));
	assert_ok(doca_comch_msgq_destroy(things->msgq));
	assert_ok(doca_sync_event_destroy(things->event));
	assert_ok(doca_dpa_hash_table_destroy(things->table));
	assert_ok(doca_dpa_notification_completion_destroy(things->bell));
	assert_ok(doca_dpa_async_ops_destroy(things->ops));
}

static void destroy_all(struct things *things)
{
	stop_all(things);
	destroy_users(things);
	assert_ok(doca_comch_consumer_completion_destroy(things->completion));
	assert_ok(doca_dpa_completion_destroy(things->reports));
	assert_ok(doca_dpa_thread_destroy(things->thread));
}

/*
 * DPA code
 */

static void use_queue(const struct things *things)
{
	doca_dpa_dev_comch_consumer_completion_element_t element;
	const uint8_t imm[4] = {0};

	assert_int_equal(
		doca_dpa_dev_comch_consumer_get_completion(things->completion_handle, &element), 0);
	doca_dpa_dev_comch_consumer_completion_ack(things->completion_handle, 1);
	doca_dpa_dev_comch_consumer_completion_request_notification(things->completion_handle);
	doca_dpa_dev_comch_consumer_ack(things->consumer_handle, 1);
	doca_dpa_dev_comch_producer_post_send_imm_only(things->producer_handle, 1, imm, sizeof(imm),
						       0);
	doca_dpa_dev_comch_producer_dma_copy(things->producer_handle, 1, 0, 0, 0, 0, 0, imm,
					     sizeof(imm), 0);
	assert_int_equal(doca_dpa_dev_comch_producer_is_consumer_empty(things->producer_handle, 1),
			 1);
}

static void use_all(const struct things *things)
{
	doca_dpa_dev_completion_element_t element;
	uint64_t value = 7;

	assert_int_equal(doca_dpa_dev_get_completion(things->reports_handle, &element), 0);
	doca_dpa_dev_completion_ack(things->reports_handle, 1);
	doca_dpa_dev_completion_request_notification(things->reports_handle);
	doca_dpa_dev_post_memcpy(things->ops_handle, 0, 0, 0, 0, 0, 0);
	doca_dpa_dev_sync_event_post_wait_gt(things->ops_handle, things->event_handle, 1);
	doca_dpa_dev_thread_notify(things->bell_handle);
	doca_dpa_dev_hash_table_add(things->table_handle, 1, 2);
	assert_int_equal(doca_dpa_dev_hash_table_find(things->table_handle, 1, &value), 0);
	doca_dpa_dev_hash_table_remove(things->table_handle, 1);
	doca_dpa_dev_sync_event_get(things->event_handle, &value);
	doca_dpa_dev_sync_event_update_add(things->event_handle, 1);
	doca_dpa_dev_sync_event_update_set(things->event_handle, 1);
	doca_dpa_dev_sync_event_wait_gt(things->event_handle, 1, UINT64_MAX);
	assert_int_equal(value, 7);
	use_queue(things);
}

/* also when others of their kind have come since, which nothing happens to */
static void dpa_code_does_nothing_with_them(void **state)
{
	struct things old, things;
	struct rig *rig = *state;

	add_all(&old, rig);
	destroy_all(&old);
	use_all(&old);
	add_all(&things, rig);
	use_all(&old);
	assert_ok(doca_dpa_peek_at_last_error(rig->dpa));
	destroy_all(&things);
	use_all(&old);
}

/* Nothing grows with time, whether DPA code runs or not. */
static void memory_does_not_grow_beside_a_thread(void **state)
{
	struct doca_dpa_notification_completion *bell;
	doca_dpa_dev_notification_completion_t handle;
	struct doca_dpa_thread *thread;
	struct rig *rig = *state;
	struct things things;
	size_t before = 0;

	begun = may_end = 0;
	thread = add_thread(rig, runs_until_told, 0);
	assert_ok(doca_dpa_notification_completion_create(rig->dpa, thread, &bell));
	assert_ok(doca_dpa_notification_completion_start(bell));
	assert_ok(doca_dpa_notification_completion_get_dpa_handle(bell, &handle));
	assert_ok(doca_dpa_thread_run(thread));
	doca_dpa_dev_thread_notify(handle);
	wait_until(&begun, 1);
	for (int i = 0; i < GENERATIONS; i++) {
		add_all(&things, rig);
		destroy_all(&things);
		if (i == GENERATIONS / 2)
			before = mallinfo2().uordblks;
	}
	assert_true(mallinfo2().uordblks < before + GROWTH_MAX);
	may_end = 1;
	assert_ok(doca_dpa_notification_completion_destroy(bell));
	assert_ok(doca_dpa_thread_destroy(thread));
}

/*
 * What is connected to them
 */

static void without_their_thread_completions_do_not_start(void **state)
{
	struct doca_dpa_thread *thread, *other;
	struct rig *rig = *state;
	struct things things;

	add_all(&things, rig);
	stop_all(&things);
	assert_ok(doca_dpa_thread_destroy(things.thread));
	for (int i = 0; i < 2; i++) {
		assert_err(doca_dpa_completion_start(things.reports), BAD_STATE);
		assert_err(doca_dpa_notification_completion_start(things.bell), BAD_STATE);
		assert_err(doca_comch_consumer_completion_start(things.completion), BAD_STATE);
		assert_ok(doca_dpa_completion_get_thread(things.reports, &thread));
		assert_null(thread);
		assert_ok(doca_dpa_notification_completion_get_thread(things.bell, &thread));
		assert_null(thread);
		if (!i) /* which may be where the old one was */
			other = add_thread(rig, does_nothing, 0);
	}
	/* They can have another one. */
	assert_ok(doca_dpa_completion_set_thread(things.reports, other));
	assert_ok(doca_dpa_completion_start(things.reports));
	assert_ok(doca_comch_consumer_completion_set_dpa_thread(things.completion, other));
	assert_ok(doca_comch_consumer_completion_start(things.completion));
	assert_ok(doca_comch_consumer_completion_stop(things.completion));
	destroy_users(&things);
	assert_ok(doca_comch_consumer_completion_destroy(things.completion));
	assert_ok(doca_dpa_completion_destroy(things.reports));
	assert_ok(doca_dpa_thread_destroy(other));
}

static void without_their_completion_users_do_not_start(void **state)
{
	struct doca_dpa_completion *reports;
	struct rig *rig = *state;
	struct things things;

	add_all(&things, rig);
	stop_all(&things);
	assert_ok(doca_dpa_completion_destroy(things.reports));
	assert_ok(doca_comch_consumer_completion_destroy(things.completion));
	assert_ok(doca_dpa_completion_create(rig->dpa, 16, &reports)); /* maybe there */
	assert_ok(doca_dpa_completion_start(reports));
	assert_err(doca_dpa_async_ops_start(things.ops), BAD_STATE);
	assert_err(doca_ctx_start(doca_comch_producer_as_ctx(things.producer)), BAD_STATE);
	assert_err(doca_ctx_start(doca_comch_consumer_as_ctx(things.consumer)), BAD_STATE);
	assert_ok(doca_dpa_async_ops_attach(things.ops, reports));
	assert_ok(doca_dpa_async_ops_start(things.ops));
	assert_ok(doca_comch_producer_dpa_completion_attach(things.producer, reports));
	assert_ok(doca_ctx_start(doca_comch_producer_as_ctx(things.producer)));
	assert_ok(doca_ctx_stop(doca_comch_producer_as_ctx(things.producer)));
	destroy_users(&things);
	assert_ok(doca_dpa_completion_destroy(reports));
	assert_ok(doca_dpa_thread_destroy(things.thread));
}

static void wait_for_kernels(struct doca_dpa *dpa)
{
	bool are_over = false;

	while (!are_over) {
		priv_fork_hold();
		are_over = list_is_empty(&dpa->launches);
		priv_fork_release();
	}
}

/* not even the one that has taken its place */
static void kernels_tell_no_other_event(void **state)
{
	struct rig *rig = *state;
	struct things things;
	uint64_t value = 7;

	add_event(&things, rig);
	begun = may_end = 0;
	assert_ok(doca_dpa_kernel_launch_update_set(rig->dpa, NULL, 0, things.event, 5, 1,
						    runs_until_told, UINT64_C(0)));
	wait_until(&begun, 1);
	assert_ok(doca_sync_event_destroy(things.event));
	add_event(&things, rig);
	may_end = 1;
	wait_for_kernels(rig->dpa);
	doca_dpa_dev_sync_event_get(things.event_handle, &value);
	assert_int_equal(value, 0);
	assert_ok(doca_sync_event_destroy(things.event));
}

/* of consumers that have ended; no thread is told of what comes */
static struct doca_comch_consumer_completion *used_completion(struct rig *rig)
{
	struct doca_comch_consumer_completion *completion;
	struct doca_comch_consumer *consumer;
	struct doca_comch_msgq *msgq;
	struct doca_ctx *ctx;

	assert_ok(doca_comch_msgq_create(rig->dev, &msgq));
	assert_ok(doca_comch_msgq_set_dpa_consumer(msgq, rig->dpa));
	assert_ok(doca_comch_msgq_start(msgq));
	assert_ok(doca_comch_consumer_completion_create(&completion));
	assert_ok(doca_comch_consumer_completion_start(completion));
	assert_ok(doca_comch_msgq_consumer_create(msgq, &consumer));
	assert_ok(doca_comch_consumer_set_completion(consumer, completion, 0));
	ctx = doca_comch_consumer_as_ctx(consumer);
	assert_ok(doca_ctx_set_datapath_on_dpa(ctx, rig->dpa));
	assert_ok(doca_ctx_start(ctx));
	assert_ok(doca_ctx_stop(ctx));
	assert_ok(doca_comch_consumer_destroy(consumer));
	assert_ok(doca_comch_msgq_stop(msgq));
	assert_ok(doca_comch_msgq_destroy(msgq));
	return completion;
}

static atomic_bool has_ended;

static void *stop_late(void *completion)
{
	/* Relaxed: nothing but the library's own locks tells this thread of what the other did. */
	while (!atomic_load_explicit(&has_ended, memory_order_relaxed))
		sched_yield();
	assert_ok(doca_comch_consumer_completion_stop(completion));
	return NULL;
}

/* The thread sanitizer sees whether it looks into the engine beside who ends that. */
static void a_completion_is_stopped_beside_the_end_of_its_dpa(void **state)
{
	struct rig *rig = *state;
	struct doca_comch_consumer_completion *completion = used_completion(rig);
	pthread_t thread;

	atomic_store(&has_ended, false);
	assert_int_equal(pthread_create(&thread, NULL, stop_late, completion), 0);
	assert_ok(doca_dpa_stop(rig->dpa));
	atomic_store_explicit(&has_ended, true, memory_order_relaxed);
	assert_int_equal(pthread_join(thread, NULL), 0);
	assert_ok(doca_comch_consumer_completion_destroy(completion));
}

static atomic_bool has_taken;

static void *take_one(void *handle)
{
	doca_dpa_dev_comch_consumer_completion_element_t element;

	while (!doca_dpa_dev_comch_consumer_get_completion(*(uint64_t *)handle, &element))
		sched_yield();
	atomic_store_explicit(&has_taken, true, memory_order_relaxed); /* as in stop_late() */
	return NULL;
}

/* The thread sanitizer sees whether the next completion's ring disturbs who has read the last's. */
static void a_ring_is_taken_again_beside_who_has_read_it(void **state)
{
	struct rig *rig = *state;
	struct things things;
	pthread_t thread;
	const uint8_t imm[4] = {0};

	add_all(&things, rig);
	doca_dpa_dev_comch_consumer_ack(things.consumer_handle, 1);
	atomic_store(&has_taken, false);
	assert_int_equal(pthread_create(&thread, NULL, take_one, &things.completion_handle), 0);
	doca_dpa_dev_comch_producer_post_send_imm_only(things.producer_handle, 1, imm, sizeof(imm),
						       DOCA_DPA_DEV_SUBMIT_FLAG_FLUSH);
	while (!atomic_load_explicit(&has_taken, memory_order_relaxed))
		sched_yield();
	destroy_all(&things);
	add_all(&things, rig);
	assert_int_equal(pthread_join(thread, NULL), 0);
	destroy_all(&things);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
	const struct CMUnitTest tests[] = {
		TEST(dpa_code_does_nothing_with_them),
		TEST(memory_does_not_grow_beside_a_thread),
		TEST(without_their_thread_completions_do_not_start),
		TEST(without_their_completion_users_do_not_start),
		TEST(kernels_tell_no_other_event),
		TEST(a_completion_is_stopped_beside_the_end_of_its_dpa),
		TEST(a_ring_is_taken_again_beside_who_has_read_it),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
