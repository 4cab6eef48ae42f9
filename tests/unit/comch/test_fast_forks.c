/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Children that are forked inside callbacks of consumers and producers: nothing more is reported to
 * them, also of what had been taken already, and their parent misses nothing. A child's exit status
 * says which step was wrong.
 */
#include "test.h"

#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>
#include "chan/fast.h"
#include "comch/comch.h"
#include "comch/consumer.h"
#include "comch/producer.h"
#include "fastpath.h"

#define MEMORY	 ((size_t)1 << 16)
#define MESSAGES 4

static bool is_child, destroys;
static unsigned int fork_at = 1; /* so many callbacks, that one included */

/* of each message */
static size_t message_size = 100;
static bool waits; /* for its receive, so that several share a line */

/* from inside a callback of that progress engine, or after it */
static void destroy(struct fast_end *end)
{
	if (doca_ctx_stop(end->ctx))
		_exit(3);
	if (end->consumer ? doca_comch_consumer_destroy(end->consumer)
			  : doca_comch_producer_destroy(end->producer))
		_exit(4);
}

/* In the child: back into the progress engine that called. In the parent: what became of it. */
static void fork_once(struct fast_end *end)
{
	pid_t pid;
	int status;

	if (is_child)
		_exit(1);
	if (end->done + end->failed != fork_at)
		return;
	pid = fork();
	if (!pid) {
		is_child = true;
		if (destroys) {
			destroy(end);
			if (doca_pe_destroy(end->pe) != DOCA_ERROR_IN_USE)
				_exit(6);
		}
		return;
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_true(WIFEXITED(status));
	assert_int_equal(WEXITSTATUS(status), 0);
}

static void fork_at_message(struct fast_end *end, struct doca_comch_consumer_task_post_recv *task,
			    doca_error_t status)
{
	(void)status;
	doca_buf_dec_refcount(doca_comch_consumer_task_post_recv_get_buf(task), NULL);
	doca_task_free(doca_comch_consumer_task_post_recv_as_task(task));
	fork_once(end);
}

static void fork_at_completion(struct fast_end *end, struct doca_comch_producer_task_send *task,
			       doca_error_t status)
{
	(void)status;
	doca_buf_dec_refcount((struct doca_buf *)doca_comch_producer_task_send_get_buf(task), NULL);
	doca_task_free(doca_comch_producer_task_send_as_task(task));
	fork_once(end);
}

static void clean_up(struct fast_end *end)
{
	unsigned int i;

	for (i = 0; i < 10; i++)
		end_progress(end);
	if (end->done + end->failed != fork_at)
		_exit(2);
	if (!destroys) {
		if (end_state(end) != DOCA_CTX_STATE_IDLE)
			_exit(7);
		destroy(end);
	}
	_exit(doca_pe_destroy(end->pe) ? 5 : 0);
}

static void post_all(struct fast_end *consumer)
{
	for (unsigned int i = 0; i < MESSAGES; i++)
		assert_ok(end_post(consumer, message_size * i, message_size));
}

static void talk(struct fastpath *fastpath, struct fast_end *consumer, struct fast_end *producer)
{
	end_run(consumer);
	end_run(producer);
	if (!waits)
		post_all(consumer);
	fastpath_settle(fastpath);
	for (unsigned int i = 0; i < MESSAGES; i++)
		assert_ok(end_send(producer, 0, message_size, consumer->id));
	if (!waits)
		return;
	post_all(consumer);
	end_progress(producer);
}

static void check_all_came(struct fastpath *fastpath, const struct fast_end *consumer,
			   const struct fast_end *producer)
{
	fastpath_settle(fastpath);
	assert_int_equal(consumer->done, MESSAGES);
	assert_int_equal(producer->done, MESSAGES);
}

/* MESSAGES are sent; end is the one of the two whose callback forks. */
static void talk_and_fork(struct fastpath *fastpath, struct fast_end *consumer,
			  struct fast_end *producer, struct fast_end *end)
{
	talk(fastpath, consumer, producer);
	while (end->done < fork_at)
		end_progress(end);
	if (is_child)
		clean_up(end);
	check_all_came(fastpath, consumer, producer);
}

static void a_child_of_a_receive_callback_is_told_nothing_more(void **state)
{
	struct fastpath *fastpath = *state;
	struct fast_end *consumer = add_consumer(fastpath, fastpath->pair.server, MEMORY);
	struct fast_end *producer = add_producer(fastpath, fastpath->pair.client, MEMORY);

	consumer->on_received = fork_at_message;
	talk_and_fork(fastpath, consumer, producer, consumer);
}

/* The first message is alone in its line, and the others share one: as a run, as a batch. */
static void so_is_one_of_a_message_that_shares_its_line(void **state)
{
	waits = true;
	fork_at = 2;
	message_size = 8;
	a_child_of_a_receive_callback_is_told_nothing_more(state);
	fastpath_teardown(state);
	fastpath_setup_shm(state);
	message_size = 200;
	a_child_of_a_receive_callback_is_told_nothing_more(state);
	message_size = 100;
	fork_at = 1;
	waits = false;
}

static void a_child_of_a_send_callback_is_told_nothing_more(void **state)
{
	struct fastpath *fastpath = *state;
	struct fast_end *consumer = add_consumer(fastpath, fastpath->pair.server, MEMORY);
	struct fast_end *producer = add_producer(fastpath, fastpath->pair.client, MEMORY);

	producer->on_sent = fork_at_completion;
	talk_and_fork(fastpath, consumer, producer, producer);
}

static void receive_in_the_parent(struct fast_end *end,
				  struct doca_comch_consumer_task_post_recv *task,
				  doca_error_t status)
{
	(void)end;
	(void)status;
	if (is_child)
		_exit(8);
	doca_buf_dec_refcount(doca_comch_consumer_task_post_recv_get_buf(task), NULL);
	doca_task_free(doca_comch_consumer_task_post_recv_as_task(task));
}

/* What was finished in a round is told of before its first message: so is a send that had waited.
 */
static void a_child_of_what_is_told_before_a_message_gets_none(void **state)
{
	struct fastpath *fastpath = *state;
	struct side *server = fastpath->pair.server, *client = fastpath->pair.client;
	struct fast_end *producer = add_producer(fastpath, server, MEMORY);
	struct fast_end *consumer = add_consumer_with(producer, MEMORY);
	struct fast_end *their_consumer = add_consumer(fastpath, client, MEMORY);
	struct fast_end *their_producer = add_producer(fastpath, client, MEMORY);

	producer->on_sent = fork_at_completion;
	consumer->on_received = receive_in_the_parent;
	end_run(producer);
	end_run(consumer);
	end_run(their_consumer);
	end_run(their_producer);
	assert_ok(end_post(consumer, 0, 100));
	fastpath_settle(fastpath);
	assert_ok(end_send(producer, 0, 100, their_consumer->id));
	fastpath_settle(fastpath);
	assert_int_equal(producer->done, 0); /* nothing is posted for it */
	assert_ok(end_post(their_consumer, 0, 100));
	assert_ok(end_send(their_producer, 0, 100, consumer->id));
	end_progress(their_producer);
	/* The producer comes first, and what it finishes is told of by the consumer. */
	priv_poll_group_remove(&consumer->consumer->poller);
	priv_poll_group_add(&producer->pe->group, &consumer->consumer->poller);
	while (!producer->done)
		end_progress(producer);
	assert_int_equal(producer->done, 1);
	if (is_child) {
		destroy(consumer);
		clean_up(producer);
	}
	fastpath_settle(fastpath);
	assert_int_equal(consumer->done, 1);
	assert_int_equal(their_consumer->done, 1);
	assert_ok(doca_ctx_stop(consumer->ctx));
	end_destroy(consumer);
}

static void a_child_may_destroy_whose_callback_it_is_in(void **state)
{
	destroys = true;
	a_child_of_a_receive_callback_is_told_nothing_more(state);
	fastpath_teardown(state);
	fastpath_setup_shm(state);
	a_child_of_a_send_callback_is_told_nothing_more(state);
	destroys = false;
}

/* Receives that fail because their consumer stops come out of the same batch. */
static void a_child_of_a_flush_is_told_nothing_more(void **state)
{
	struct fastpath *fastpath = *state;
	struct fast_end *consumer = add_consumer(fastpath, fastpath->pair.server, MEMORY);
	unsigned int i;

	consumer->on_received = fork_at_message;
	end_run(consumer);
	for (i = 0; i < MESSAGES; i++)
		assert_ok(end_post(consumer, 100 * i, 100));
	assert_err(doca_ctx_stop(consumer->ctx), IN_PROGRESS);
	while (!consumer->failed)
		end_progress(consumer);
	if (is_child)
		clean_up(consumer);
	fastpath_settle(fastpath);
	assert_int_equal(consumer->failed, MESSAGES);
	assert_int_equal(end_state(consumer), DOCA_CTX_STATE_IDLE);
}

static _Atomic bool is_called, may_return;

static void wait_in_callback(struct fast_end *end, struct doca_comch_consumer_task_post_recv *task,
			     doca_error_t status)
{
	(void)status;
	doca_buf_dec_refcount(doca_comch_consumer_task_post_recv_get_buf(task), NULL);
	doca_task_free(doca_comch_consumer_task_post_recv_as_task(task));
	atomic_store(&is_called, true);
	while (!atomic_load(&may_return) && end->done == 1)
		sched_yield();
}

static void *receive_all(void *arg)
{
	struct fast_end *consumer = arg;

	while (consumer->done < MESSAGES)
		end_progress(consumer);
	return NULL;
}

/* The callback is one of a thread that is not in the child. */
static void a_child_destroys_what_another_thread_was_in(void **state)
{
	struct fastpath *fastpath = *state;
	struct fast_end *consumer = add_consumer(fastpath, fastpath->pair.server, MEMORY);
	struct fast_end *producer = add_producer(fastpath, fastpath->pair.client, MEMORY);
	pthread_t thread;
	pid_t pid;
	int status;

	consumer->on_received = wait_in_callback;
	talk(fastpath, consumer, producer);
	assert_int_equal(pthread_create(&thread, NULL, receive_all, consumer), 0);
	while (!atomic_load(&is_called))
		sched_yield();
	pid = fork();
	if (!pid)
		clean_up(consumer);
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_true(WIFEXITED(status));
	assert_int_equal(WEXITSTATUS(status), 0);
	atomic_store(&may_return, true);
	assert_int_equal(pthread_join(thread, NULL), 0);
	check_all_came(fastpath, consumer, producer);
}

/* how many descriptors that gives back; the connection keeps its own */
static unsigned int destroy_and_count(struct fast_end *end)
{
	unsigned int before = leak_count().fds;

	destroy(end);
	return before - leak_count().fds;
}

static void a_child_that_destroys_keeps_nothing(void **state)
{
	struct fastpath *fastpath = *state;
	struct fast_end *consumer = add_consumer(fastpath, fastpath->pair.server, MEMORY);
	struct fast_end *producer = add_producer(fastpath, fastpath->pair.client, MEMORY);
	unsigned int i;
	pid_t pid;
	int status;

	end_run(consumer);
	end_run(producer);
	fastpath_settle(fastpath);
	for (i = 0; i < MESSAGES; i++)
		assert_ok(end_send(producer, 0, 100, consumer->id));
	assert_ok(doca_pe_request_notification(producer->pe)); /* which takes a descriptor */
	pid = fork();
	if (!pid) {
		if (destroy_and_count(consumer) != 2) /* its bell, and that of the producers */
			_exit(1);
		_exit(destroy_and_count(producer) == 1 ? 0 : 2);
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_true(WIFEXITED(status));
	assert_int_equal(WEXITSTATUS(status), 0);
	for (i = 0; i < MESSAGES; i++)
		assert_ok(end_post(consumer, 100 * i, 100));
	check_all_came(fastpath, consumer, producer);
}

/* ... of the connection's consumers and producers; that thread is not there. This one is IDLE. */
static void a_child_destroys_while_another_thread_had_the_lock(void **state)
{
	struct fastpath *fastpath = *state;
	struct fast_end *producer = add_producer(fastpath, fastpath->pair.server, MEMORY);
	struct fast *fast = fastpath->pair.server->connection->chan.fast;
	pid_t pid;
	int status;

	pthread_mutex_lock(&fast->lock);
	pid = fork();
	if (!pid) {
		alarm(30);
		_exit(doca_comch_producer_destroy(producer->producer) ? 1 : 0);
	}
	pthread_mutex_unlock(&fast->lock);
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_true(WIFEXITED(status));
	assert_int_equal(WEXITSTATUS(status), 0);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, fastpath_setup_shm, fastpath_teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(a_child_of_a_receive_callback_is_told_nothing_more),
		TEST(so_is_one_of_a_message_that_shares_its_line),
		TEST(a_child_of_a_send_callback_is_told_nothing_more),
		TEST(a_child_of_what_is_told_before_a_message_gets_none),
		TEST(a_child_may_destroy_whose_callback_it_is_in),
		TEST(a_child_destroys_what_another_thread_was_in),
		TEST(a_child_of_a_flush_is_told_nothing_more),
		TEST(a_child_that_destroys_keeps_nothing),
		TEST(a_child_destroys_while_another_thread_had_the_lock),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
