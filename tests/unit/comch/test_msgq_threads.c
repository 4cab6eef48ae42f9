/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Message queues between threads, of those that sleep, in a child of fork(), and without faults.
 */
#include "test.h"

#include <poll.h>
#include <pthread.h>
#include <stdatomic.h>
#include <sys/resource.h>
#include "child.h"
#include "msgq_rig.h"
#include "base/fd.h"
#include "topo/party.h"
#include "valgrind.h"

/* Nothing would end what they hold up. */
static void faults_of_connections_do_not_happen(void **state)
{
	struct topo_faults faults = {.drop_after = 1, .full_percent = 100};
	struct party party = {.faults = &faults};
	struct party *before = priv_party_switch(&party);
	struct queue *queue = *state;

	run(queue);
	priv_party_switch(before);
	post(queue, DEPTH);
	for (uint32_t i = 0; i < 3; i++)
		send(queue, i);
	progress(queue);
	assert_int_equal(queue->received, 3);
	end(queue);
}

/* Puts the engine to sleep. */
static int sleep_on(const struct queue *queue)
{
	doca_notification_handle_t handle;

	assert_ok(doca_pe_get_notification_handle(queue->pe, &handle));
	while (doca_pe_progress(queue->pe))
		;
	assert_ok(doca_pe_request_notification(queue->pe));
	return handle;
}

static void *post_one(void *arg)
{
	post(arg, 1);
	return NULL;
}

static void *send_one(void *arg)
{
	send(arg, 8);
	return NULL;
}

/* Another thread does something while this one sleeps. */
static void wake(struct queue *sleeper, void *(*action)(void *arg), void *arg)
{
	struct pollfd pollfd = {.fd = sleep_on(sleeper), .events = POLLIN};
	pthread_t thread;

	assert_int_equal(pthread_create(&thread, NULL, action, arg), 0);
	assert_int_equal(poll(&pollfd, 1, 10000), 1);
	pthread_join(thread, NULL);
	assert_ok(doca_pe_clear_notification(sleeper->pe, pollfd.fd));
	progress(sleeper);
}

/* a producer of the same queue with an engine of its own */
static void add_producer_of(struct queue *queue, struct queue *other)
{
	struct doca_ctx *ctx;

	memset(other, 0, sizeof(*other));
	assert_ok(doca_pe_create(&other->pe));
	assert_ok(doca_comch_msgq_producer_create(queue->msgq, &other->producer));
	assert_ok(doca_comch_producer_task_send_set_conf(other->producer, sent, failed, DEPTH));
	ctx = doca_comch_producer_as_ctx(other->producer);
	assert_ok(doca_ctx_set_user_data(ctx, (union doca_data){.ptr = other}));
	assert_ok(doca_pe_connect_ctx(other->pe, ctx));
	assert_ok(doca_ctx_start(ctx));
}

static void remove_producer(struct queue *other)
{
	assert_ok(doca_ctx_stop(doca_comch_producer_as_ctx(other->producer)));
	assert_ok(doca_comch_producer_destroy(other->producer));
	assert_ok(doca_pe_destroy(other->pe));
}

static void sleepers_are_woken(void **state)
{
	struct queue *queue = *state, other;

	run(queue);
	assert_ok(doca_ctx_stop(doca_comch_producer_as_ctx(queue->producer)));
	assert_ok(doca_comch_producer_destroy(queue->producer));
	add_producer_of(queue, &other);
	queue->producer = other.producer;
	send(&other, 5);
	wake(&other, post_one, queue);
	assert_int_equal(other.sent, 1);
	progress(queue);
	assert_int_equal(queue->last, 5);
	wake(queue, send_one, &other);
	progress(&other);
	assert_int_equal(other.sent, 2);
	assert_int_equal(queue->last, 8);
	end(queue);
	assert_ok(doca_pe_destroy(other.pe));
}

#define CROWD 4
#define EACH  2000

static struct {
	atomic_uint next[CROWD]; /* by producer, from its id on */
	atomic_uint count;
} crowd;

static void received_of_crowd(struct doca_comch_consumer_task_post_recv *task,
			      union doca_data task_data, union doca_data ctx_data)
{
	uint32_t value, id = doca_comch_consumer_task_post_recv_get_producer_id(task);

	(void)task_data;
	(void)ctx_data;
	memcpy(&value, doca_comch_consumer_task_post_recv_get_imm_data(task), sizeof(value));
	if (value != crowd.next[id - 1]++)
		abort();
	crowd.count++;
	if (doca_task_submit(doca_comch_consumer_task_post_recv_as_task(task)))
		abort();
}

static void *send_each(void *arg)
{
	struct queue *queue = arg;
	struct doca_comch_producer_task_send *task;

	for (uint32_t i = 0; i < EACH;) {
		doca_pe_progress(queue->pe);
		if (doca_comch_producer_task_send_alloc_init(queue->producer, NULL, (uint8_t *)&i,
							     sizeof(i), 1, &task))
			continue; /* all of them wait */
		if (doca_task_submit(doca_comch_producer_task_send_as_task(task)))
			abort();
		i++;
	}
	while (queue->sent < EACH)
		doca_pe_progress(queue->pe);
	return NULL;
}

/* Those of one producer arrive in their order. */
static void many_threads_send_to_one(void **state)
{
	struct queue *queue = *state, others[CROWD];
	pthread_t threads[CROWD];

	memset(&crowd, 0, sizeof(crowd));
	assert_ok(doca_comch_msgq_set_max_num_producers(queue->msgq, CROWD + 1));
	run(queue);
	assert_ok(doca_ctx_stop(doca_comch_producer_as_ctx(queue->producer)));
	assert_ok(doca_comch_producer_destroy(queue->producer));
	assert_ok(doca_ctx_stop(doca_comch_consumer_as_ctx(queue->consumer)));
	assert_ok(doca_comch_consumer_task_post_recv_set_conf(queue->consumer, received_of_crowd,
							      flushed, 2 * DEPTH));
	assert_ok(doca_ctx_start(doca_comch_consumer_as_ctx(queue->consumer)));
	post(queue, 2 * DEPTH);
	for (unsigned int i = 0; i < CROWD; i++) {
		add_producer_of(queue, &others[i]);
		assert_int_equal(pthread_create(&threads[i], NULL, send_each, &others[i]), 0);
	}
	while (crowd.count < CROWD * EACH)
		doca_pe_progress(queue->pe);
	for (unsigned int i = 0; i < CROWD; i++) {
		pthread_join(threads[i], NULL);
		remove_producer(&others[i]);
	}
	assert_ok(doca_comch_msgq_producer_create(queue->msgq, &queue->producer));
	end(queue);
	assert_int_equal(queue->flushed, 2 * DEPTH);
}

/* What runs is the parent's: the child reaches nobody, and leaves nothing behind. */
static void clean_up_in_child(struct child *parent, void *arg)
{
	struct queue *queue = arg;
	struct doca_comch_consumer *consumer;
	struct leak after;

	(void)parent;
	progress(queue);
	if (queue->received || queue->flushed ||
	    doca_comch_msgq_producer_create(queue->msgq, &(struct doca_comch_producer *){NULL}) !=
		    DOCA_ERROR_BAD_STATE ||
	    doca_ctx_start(doca_comch_producer_as_ctx(queue->producer)) == DOCA_SUCCESS)
		_exit(1);
	if (doca_comch_consumer_destroy(queue->consumer) ||
	    doca_comch_producer_destroy(queue->producer) || doca_pe_destroy(queue->pe) ||
	    doca_comch_msgq_stop(queue->msgq) || doca_comch_msgq_start(queue->msgq) ||
	    doca_comch_msgq_consumer_create(queue->msgq, &consumer) ||
	    doca_comch_consumer_destroy(consumer) || doca_comch_msgq_stop(queue->msgq) ||
	    doca_comch_msgq_destroy(queue->msgq) || doca_dev_close(queue->dev))
		_exit(2);
	after = leak_count();
	if (after.mappings != queue->before.mappings ||
	    after.fds != queue->before.fds + 2) /* to and from the parent */
		_exit(3);
}

static void a_child_may_clean_up(void **state)
{
	struct queue *queue = *state;
	struct child child;

	assert_ok(doca_comch_msgq_set_max_num_producers(queue->msgq, 2));
	run(queue);
	post(queue, 1);
	send(queue, 3); /* on its way */
	child = child_start(clean_up_in_child, queue);
	assert_int_equal(child_join(&child), 0);
	progress(queue);
	assert_int_equal(queue->last, 3);
	send(queue, 4);
	progress(queue);
	assert_int_equal(queue->last, 4);
	end(queue);
}

/* in a child, which has a limit of its own */
static void start_with_ever_more_descriptors(struct child *parent, void *arg)
{
	struct rlimit limit = {.rlim_cur = 64, .rlim_max = 64};
	struct queue *queue = arg;
	struct doca_ctx *ctx;
	int fillers[64], fd;
	unsigned int count = 0, failures = 0;
	struct leak before;
	doca_error_t err;

	run(queue);
	ctx = doca_comch_consumer_as_ctx(queue->consumer);
	doca_ctx_stop(ctx);
	before = leak_count();
	setrlimit(RLIMIT_NOFILE, &limit);
	while (count < ARRAY_SIZE(fillers) && (fd = dup(parent->to)) >= 0)
		fillers[count++] = fd;
	for (; (err = doca_ctx_start(ctx)) != DOCA_SUCCESS; failures++) {
		if (err != DOCA_ERROR_INITIALIZATION || !count)
			_exit(1);
		close(fillers[--count]);
	}
	post(queue, 1);
	send(queue, 1);
	progress(queue);
	doca_ctx_stop(ctx);
	doca_ctx_stop(doca_comch_producer_as_ctx(queue->producer)); /* it keeps the lane */
	progress(queue);
	priv_fd_close_all(fillers, count);
	if (failures < 5 || queue->received != 1 || !leak_check(&before))
		_exit(2);
}

/* What it had until the first one was missing is given back. */
static void a_start_without_descriptors_can_be_repeated(void **state)
{
	struct child child;

	if (runs_under_valgrind()) /* which has limits of its own */
		skip();
	child = child_start(start_with_ever_more_descriptors, *state);
	assert_int_equal(child_join(&child), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(faults_of_connections_do_not_happen),
		TEST(sleepers_are_woken),
		TEST(many_threads_send_to_one),
		TEST(a_child_may_clean_up),
		TEST(a_start_without_descriptors_can_be_repeated),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
