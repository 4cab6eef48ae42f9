/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Consumers: what is refused, their states, and their end in every order.
 *
 * Long because every promise is a small test of its own.
 */
#include "test.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>
#include "child.h"
#include "comch/consumer.h"
#include "fastpath.h"

#define MEMORY ((size_t)1 << 20)

static struct side *server_of(struct fastpath *fastpath)
{
	return fastpath->pair.server;
}

static struct side *client_of(struct fastpath *fastpath)
{
	return fastpath->pair.client;
}

static struct fast_end *run_consumer(struct fastpath *fastpath)
{
	struct fast_end *end = add_consumer(fastpath, server_of(fastpath), MEMORY);

	end_run(end);
	return end;
}

static struct fast_end *run_producer(struct fastpath *fastpath, size_t memory)
{
	struct fast_end *end = add_producer(fastpath, client_of(fastpath), memory);

	end_run(end);
	return end;
}

/*
 * Creating
 */

static void creation_checks_its_arguments(void **state)
{
	struct fastpath *fastpath = *state;
	struct doca_comch_connection *connection = side_connection(server_of(fastpath));
	struct doca_comch_consumer *consumer = NULL;
	struct memory memory, read_only;

	memory_init(&memory, 4096, DOCA_ACCESS_FLAG_PCI_READ_WRITE);
	memory_init(&read_only, 4096, DOCA_ACCESS_FLAG_PCI_READ_ONLY);
	assert_err(doca_comch_consumer_create(NULL, memory.mmap, &consumer), INVALID_VALUE);
	assert_err(doca_comch_consumer_create(connection, NULL, &consumer), INVALID_VALUE);
	assert_err(doca_comch_consumer_create(connection, memory.mmap, NULL), INVALID_VALUE);
	assert_err(doca_comch_consumer_create(connection, read_only.mmap, &consumer),
		   NOT_PERMITTED);
	assert_null(consumer);
	assert_err(doca_comch_consumer_destroy(NULL), INVALID_VALUE);
	assert_null(doca_comch_consumer_as_ctx(NULL));
	memory_fini(&memory);
	memory_fini(&read_only);
}

static void needs_an_established_connection(void **state)
{
	struct fastpath *fastpath = *state;
	struct doca_comch_connection *connection = side_connection(server_of(fastpath));
	struct doca_comch_consumer *consumer = NULL;
	struct memory memory;

	memory_init(&memory, 4096, DOCA_ACCESS_FLAG_PCI_READ_WRITE);
	assert_ok(doca_comch_server_disconnect(server_of(fastpath)->server, connection));
	assert_err(doca_comch_consumer_create(connection, memory.mmap, &consumer), BAD_STATE);
	fastpath_settle(fastpath);
	assert_err(doca_comch_consumer_create(connection, memory.mmap, &consumer), BAD_STATE);
	assert_null(consumer);
	memory_fini(&memory);
}

static void connection_has_so_many_and_no_more(void **state)
{
	struct fastpath *fastpath = *state;
	struct doca_comch_connection *connection = side_connection(server_of(fastpath));
	struct doca_comch_consumer **consumers;
	struct memory memory;
	uint32_t max, i;

	assert_ok(doca_comch_consumer_cap_get_max_consumers(
		doca_dev_as_devinfo(server_of(fastpath)->dev), &max));
	consumers = calloc(max + 1, sizeof(struct doca_comch_consumer *));
	memory_init(&memory, 4096, DOCA_ACCESS_FLAG_PCI_READ_WRITE);
	for (i = 0; i < max; i++)
		assert_ok(doca_comch_consumer_create(connection, memory.mmap, &consumers[i]));
	assert_err(doca_comch_consumer_create(connection, memory.mmap, &consumers[i]), NO_MEMORY);
	assert_ok(doca_comch_consumer_destroy(consumers[0]));
	assert_ok(doca_comch_consumer_create(connection, memory.mmap, &consumers[0]));
	for (i = 0; i < max; i++)
		assert_ok(doca_comch_consumer_destroy(consumers[i]));
	memory_fini(&memory);
	free(consumers);
}

/* However many have come and gone, nobody gets the id of another one that is there. */
static void ids_are_not_given_out_twice(void **state)
{
	struct fastpath *fastpath = *state;
	struct doca_comch_connection *connection = side_connection(server_of(fastpath));
	struct fast_end *end = run_consumer(fastpath);
	unsigned int i;

	for (i = 0; i < 40000; i++) {
		struct doca_comch_consumer *consumer;
		uint32_t id;

		assert_ok(doca_comch_consumer_create(connection, end->memory.mmap, &consumer));
		assert_ok(doca_comch_consumer_get_id(consumer, &id));
		assert_true(id && id < 0xffff && id != end->id);
		assert_ok(doca_comch_consumer_destroy(consumer));
	}
}

static void ids_of_the_two_sides_differ(void **state)
{
	struct fastpath *fastpath = *state;
	struct fast_end *one = add_consumer(fastpath, server_of(fastpath), MEMORY);
	struct fast_end *other = add_consumer(fastpath, client_of(fastpath), MEMORY);

	assert_int_not_equal(one->id, other->id);
	end_run(one);
	end_run(other);
	assert_int_equal(fastpath->client_heard.id, one->id);
	assert_int_equal(fastpath->server_heard.id, other->id);
}

/*
 * Attributes
 */

static void attributes_check_their_arguments(void **state)
{
	struct fastpath *fastpath = *state;
	struct fast_end *end = add_consumer(fastpath, server_of(fastpath), MEMORY);
	uint32_t value = 7, max;

	assert_err(doca_comch_consumer_get_id(NULL, &value), INVALID_VALUE);
	assert_err(doca_comch_consumer_get_id(end->consumer, NULL), INVALID_VALUE);
	assert_err(doca_comch_consumer_get_imm_data_len(NULL, &value), INVALID_VALUE);
	assert_err(doca_comch_consumer_get_imm_data_len(end->consumer, NULL), INVALID_VALUE);
	assert_int_equal(value, 7);
	assert_ok(doca_comch_consumer_get_imm_data_len(end->consumer, &value));
	assert_int_equal(value, 0);
	assert_ok(doca_comch_consumer_cap_get_max_imm_data_len(doca_dev_as_devinfo(end->side->dev),
							       &max));
	assert_err(doca_comch_consumer_set_imm_data_len(NULL, 1), INVALID_VALUE);
	assert_err(doca_comch_consumer_set_imm_data_len(end->consumer, max + 1), INVALID_VALUE);
	assert_ok(doca_comch_consumer_set_imm_data_len(end->consumer, max));
	end_run(end);
	assert_err(doca_comch_consumer_set_imm_data_len(end->consumer, 1), BAD_STATE);
	assert_ok(doca_comch_consumer_get_imm_data_len(end->consumer, &value));
	assert_int_equal(value, max);
}

static void is_none_for_dpa_code(void **state)
{
	struct fastpath *fastpath = *state;
	struct fast_end *end = add_consumer(fastpath, server_of(fastpath), MEMORY);
	struct doca_comch_consumer_completion *completion = (void *)(uintptr_t)0x1000;
	uint64_t handle = 7;

	assert_err(doca_comch_consumer_set_completion(NULL, completion, 0), INVALID_VALUE);
	assert_err(doca_comch_consumer_set_completion(end->consumer, NULL, 0), INVALID_VALUE);
	assert_err(doca_comch_consumer_set_completion(end->consumer, completion, 0), NOT_SUPPORTED);
	assert_err(doca_comch_consumer_set_dev_max_num_recv(NULL, 1), INVALID_VALUE);
	assert_err(doca_comch_consumer_set_dev_max_num_recv(end->consumer, 0), INVALID_VALUE);
	assert_err(doca_comch_consumer_set_dev_max_num_recv(end->consumer, 1), NOT_SUPPORTED);
	assert_err(doca_comch_consumer_set_dev_num_recv(end->consumer, 1), NOT_SUPPORTED);
	assert_err(doca_comch_consumer_get_dpa_handle(NULL, &handle), INVALID_VALUE);
	assert_err(doca_comch_consumer_get_dpa_handle(end->consumer, NULL), INVALID_VALUE);
	end_run(end);
	assert_err(doca_comch_consumer_get_dpa_handle(end->consumer, &handle), BAD_STATE);
	assert_err(doca_comch_consumer_set_completion(end->consumer, completion, 0), BAD_STATE);
	assert_err(doca_comch_consumer_set_dev_max_num_recv(end->consumer, 1), BAD_STATE);
	assert_int_equal(handle, 7);
}

/*
 * Starting
 */

static void starts_by_telling_the_peer(void **state)
{
	struct fastpath *fastpath = *state;
	struct fast_end *end = add_consumer(fastpath, server_of(fastpath), MEMORY);

	assert_err(doca_ctx_start(end->ctx), IN_PROGRESS);
	assert_int_equal(end_state(end), DOCA_CTX_STATE_STARTING);
	assert_err(doca_ctx_start(end->ctx), BAD_STATE);
	while (end_progress(end))
		;
	assert_int_equal(end_state(end), DOCA_CTX_STATE_STARTING); /* the others do nothing */
	fastpath_settle(fastpath);
	assert_int_equal(end_state(end), DOCA_CTX_STATE_RUNNING);
	assert_int_equal(fastpath->client_heard.born, 1);
	assert_int_equal(fastpath->client_heard.id, end->id);
	assert_int_equal(end->state_count, 2);
}

static void start_needs_a_task_configuration(void **state)
{
	struct fastpath *fastpath = *state;
	struct doca_comch_consumer *consumer;
	struct memory memory;
	struct doca_pe *pe;

	memory_init(&memory, 4096, DOCA_ACCESS_FLAG_PCI_READ_WRITE);
	assert_ok(doca_comch_consumer_create(side_connection(server_of(fastpath)), memory.mmap,
					     &consumer));
	assert_err(doca_ctx_start(doca_comch_consumer_as_ctx(consumer)), NOT_CONNECTED);
	assert_ok(doca_pe_create(&pe));
	assert_ok(doca_pe_connect_ctx(pe, doca_comch_consumer_as_ctx(consumer)));
	assert_err(doca_ctx_start(doca_comch_consumer_as_ctx(consumer)), BAD_STATE);
	assert_ok(doca_comch_consumer_destroy(consumer));
	assert_ok(doca_pe_destroy(pe));
	memory_fini(&memory);
}

static void start_needs_a_started_map(void **state)
{
	struct fastpath *fastpath = *state;
	struct fast_end *end = add_consumer(fastpath, server_of(fastpath), MEMORY);

	assert_ok(doca_mmap_stop(end->memory.mmap));
	assert_err(doca_ctx_start(end->ctx), INVALID_VALUE);
	assert_int_equal(end_state(end), DOCA_CTX_STATE_IDLE);
	assert_ok(doca_mmap_start(end->memory.mmap));
	end_run(end);
}

static void start_needs_the_connection(void **state)
{
	struct fastpath *fastpath = *state;
	struct fast_end *end = add_consumer(fastpath, server_of(fastpath), MEMORY);

	sim_kill(&fastpath->world.sim, &client_of(fastpath)->party);
	fastpath_settle(fastpath);
	assert_err(doca_ctx_start(end->ctx), NOT_CONNECTED);
	assert_int_equal(end_state(end), DOCA_CTX_STATE_IDLE);
}

static int fill_descriptors(int *fds, int max)
{
	int count = 0;

	while (count < max && (fds[count] = fcntl(0, F_DUPFD_CLOEXEC, 0)) >= 0)
		count++;
	return count;
}

/*
 * Each descriptor that can be missing: nothing is left behind, and it can be tried again. In a
 * child, for a limit that was lowered stays low. Exit status: 0, or what was wrong
 */
static void start_with_more_and_more_descriptors(struct child *parent, void *arg)
{
	struct rlimit tight;
	struct fast_end *end = arg;
	int fds[64], count, room;
	bool had_window = false, kept;
	doca_error_t err;

	(void)parent;
	tight.rlim_cur = tight.rlim_max = (rlim_t)fcntl(0, F_DUPFD_CLOEXEC, 0) + 20;
	if (setrlimit(RLIMIT_NOFILE, &tight))
		_exit(1);
	count = fill_descriptors(fds, 64);
	for (room = 0; room < count; room++) {
		priv_fd_close_all(&fds[count - room], (unsigned int)room);
		err = doca_ctx_start(end->ctx);
		if (err == DOCA_ERROR_IN_PROGRESS)
			_exit(room > 3 ? 0 : 2);
		kept = !had_window && end->memory.mmap->window;
		had_window |= kept;
		if (!err || end_state(end) != DOCA_CTX_STATE_IDLE ||
		    fill_descriptors(&fds[count - room], room + 1) != room - kept)
			_exit(3);
		count -= kept; /* by the map, for the next time */
	}
	_exit(4);
}

static void start_can_fail_at_every_step(void **state)
{
	struct fastpath *fastpath = *state;
	struct fast_end *end = add_consumer(fastpath, server_of(fastpath), MEMORY);
	struct child child = child_start(start_with_more_and_more_descriptors, end);

	assert_int_equal(child_join(&child), 0);
	end_run(end);
}

static void a_peer_lost_while_starting_ends_it(void **state)
{
	struct fastpath *fastpath = *state;
	struct fast_end *end = add_consumer(fastpath, server_of(fastpath), MEMORY);

	assert_err(doca_ctx_start(end->ctx), IN_PROGRESS);
	sim_kill(&fastpath->world.sim, &client_of(fastpath)->party);
	fastpath_settle(fastpath);
	assert_int_equal(end_state(end), DOCA_CTX_STATE_IDLE);
	assert_int_equal(end->state_count, 2);
	assert_int_equal(end->states[0], DOCA_CTX_STATE_STARTING);
}

static void a_bell_that_rings_early_changes_nothing(void **state)
{
	struct fastpath *fastpath = *state;
	struct fast_end *end = add_consumer(fastpath, server_of(fastpath), MEMORY);

	assert_err(doca_ctx_start(end->ctx), IN_PROGRESS);
	priv_eventfd_ring(end->consumer->bell.fd);
	while (end_progress(end))
		;
	assert_int_equal(end_state(end), DOCA_CTX_STATE_STARTING);
	fastpath_settle(fastpath);
	assert_int_equal(end_state(end), DOCA_CTX_STATE_RUNNING);
}

/*
 * Stopping
 */

static void stops_at_once_when_nothing_is_posted(void **state)
{
	struct fastpath *fastpath = *state;
	struct fast_end *end = run_consumer(fastpath);

	assert_err(doca_comch_consumer_destroy(end->consumer), IN_USE);
	assert_ok(doca_ctx_stop(end->ctx));
	assert_int_equal(end_state(end), DOCA_CTX_STATE_IDLE);
	fastpath_settle(fastpath);
	assert_int_equal(fastpath->client_heard.expired, 1);
	assert_int_equal(fastpath->client_heard.id, end->id);
}

static void posted_receives_fail_in_their_order(void **state)
{
	struct fastpath *fastpath = *state;
	struct fast_end *end = run_consumer(fastpath);
	unsigned int i;

	for (i = 0; i < 5; i++)
		assert_ok(end_post(end, 100 * i, 100));
	assert_err(doca_ctx_stop(end->ctx), IN_PROGRESS);
	assert_int_equal(end_state(end), DOCA_CTX_STATE_STOPPING);
	assert_err(doca_ctx_stop(end->ctx), IN_PROGRESS);
	assert_err(end_post(end, 0, 100), BAD_STATE);
	assert_int_equal(end->failed, 0);
	fastpath_settle(fastpath);
	assert_int_equal(end->failed, 5);
	assert_err(end->status, IO_FAILED);
	assert_int_equal(end_state(end), DOCA_CTX_STATE_IDLE);
	assert_int_equal(fastpath->client_heard.expired, 1);
}

static void keep(struct fast_end *end, struct doca_comch_consumer_task_post_recv *task,
		 doca_error_t status)
{
	(void)status;
	doca_buf_dec_refcount(doca_comch_consumer_task_post_recv_get_buf(task), NULL);
	end->arg = doca_comch_consumer_task_post_recv_as_task(task);
}

static void waits_for_the_program_to_free_its_tasks(void **state)
{
	struct fastpath *fastpath = *state;
	struct fast_end *end = run_consumer(fastpath);

	end->on_received = keep;
	assert_ok(end_post(end, 0, 100));
	assert_err(doca_ctx_stop(end->ctx), IN_PROGRESS);
	fastpath_settle(fastpath);
	assert_int_equal(end->failed, 1);
	assert_int_equal(end_state(end), DOCA_CTX_STATE_STOPPING);
	doca_task_free(end->arg);
	fastpath_settle(fastpath);
	assert_int_equal(end_state(end), DOCA_CTX_STATE_IDLE);
}

static void unsent_posts_fail_too(void **state)
{
	const size_t size = (size_t)12 << 20;
	struct fastpath *fastpath = *state;
	struct fast_end *end = add_consumer(fastpath, server_of(fastpath), size);

	end_run(end);
	assert_ok(end_post(end, 0, size)); /* its memory is prepared in the polls */
	assert_ok(end_post(end, 0, 64));
	assert_err(doca_ctx_stop(end->ctx), IN_PROGRESS);
	fastpath_settle(fastpath);
	assert_int_equal(end->failed, 2);
	assert_int_equal(end_state(end), DOCA_CTX_STATE_IDLE);
}

static void can_stop_before_the_peer_has_answered(void **state)
{
	struct fastpath *fastpath = *state;
	struct fast_end *end = add_consumer(fastpath, server_of(fastpath), MEMORY);

	assert_err(doca_ctx_start(end->ctx), IN_PROGRESS);
	assert_ok(doca_ctx_stop(end->ctx));
	assert_int_equal(end_state(end), DOCA_CTX_STATE_IDLE);
	fastpath_settle(fastpath);
	assert_int_equal(fastpath->client_heard.born, 1);
	assert_int_equal(fastpath->client_heard.expired, 1);
	end_run(end);
}

/* A peer may have claimed what was never posted. */
static void can_stop_before_whatever_the_peer_has_written(void **state)
{
	struct fastpath *fastpath = *state;
	struct fast_end *end = add_consumer(fastpath, server_of(fastpath), MEMORY);

	assert_err(doca_ctx_start(end->ctx), IN_PROGRESS);
	atomic_store(&end->consumer->fast.lane.shared->started, 5);
	assert_ok(doca_ctx_stop(end->ctx));
	assert_int_equal(end_state(end), DOCA_CTX_STATE_IDLE);
	end_run(end);
	assert_ok(end_post(end, 0, 100));
	fastpath_settle(fastpath);
	atomic_store(&end->consumer->fast.lane.shared->started, 5);
	assert_err(doca_ctx_stop(end->ctx), IN_PROGRESS);
	fastpath_settle(fastpath);
	assert_int_equal(end_state(end), DOCA_CTX_STATE_IDLE);
}

static void starts_again(void **state)
{
	struct fastpath *fastpath = *state;
	struct fast_end *end = run_consumer(fastpath), *producer = run_producer(fastpath, MEMORY);
	uint32_t round, id;

	for (round = 1; round <= 5; round++) {
		assert_ok(end_post(end, 0, 100));
		assert_ok(end_post(end, 100, 100));
		assert_ok(end_send(producer, 0, 50 + round, end->id));
		fastpath_settle(fastpath);
		assert_int_equal(end->done, round);
		assert_int_equal(producer->done, round);
		assert_err(doca_ctx_stop(end->ctx), IN_PROGRESS);
		fastpath_settle(fastpath);
		assert_int_equal(end->failed, round);
		assert_ok(doca_comch_consumer_get_id(end->consumer, &id));
		assert_int_equal(id, end->id);
		end_run(end);
		assert_int_equal(fastpath->client_heard.born, round + 1);
	}
}

/* The answer to the first start must not be taken for that to the second one. */
static void starts_again_before_the_peer_has_answered(void **state)
{
	struct fastpath *fastpath = *state;
	struct fast_end *end = add_consumer(fastpath, server_of(fastpath), MEMORY);
	struct fast_end *producer = run_producer(fastpath, MEMORY);

	assert_err(doca_ctx_start(end->ctx), IN_PROGRESS);
	assert_ok(doca_ctx_stop(end->ctx));
	end_run(end);
	/* A producer that sleeps is woken by the right bell. */
	assert_ok(end_send(producer, 0, 100, end->id));
	while (end_progress(producer))
		;
	assert_ok(doca_pe_request_notification(producer->pe));
	assert_ok(end_post(end, 0, 100));
	while (end_progress(end))
		;
	assert_ok(doca_pe_clear_notification(producer->pe, 0));
	fastpath_settle(fastpath);
	assert_int_equal(end->done, 1);
	assert_int_equal(producer->done, 1);
	assert_int_equal(atomic_load(&end->consumer->fast.lane.shared->waiting), 0);
}

/*
 * Inside callbacks
 */

static void stop_and_free(struct fast_end *end, struct doca_comch_consumer_task_post_recv *task,
			  doca_error_t status)
{
	doca_buf_dec_refcount(doca_comch_consumer_task_post_recv_get_buf(task), NULL);
	doca_task_free(doca_comch_consumer_task_post_recv_as_task(task));
	doca_ctx_stop(end->ctx);
	(void)status;
}

static void can_be_stopped_in_its_callbacks(void **state)
{
	struct fastpath *fastpath = *state;
	struct fast_end *end = run_consumer(fastpath), *producer = run_producer(fastpath, MEMORY);
	unsigned int i;

	end->on_received = stop_and_free; /* also in the callbacks of what is flushed */
	for (i = 0; i < 4; i++)
		assert_ok(end_post(end, 0, 100));
	fastpath_settle(fastpath);
	assert_ok(end_send(producer, 0, 100, end->id));
	assert_ok(end_send(producer, 0, 100, end->id));
	fastpath_settle(fastpath);
	assert_int_equal(end->done, 2); /* both had come */
	assert_int_equal(end->failed, 2);
	assert_int_equal(end_state(end), DOCA_CTX_STATE_IDLE);
}

static void destroy_when_idle(struct fast_end *end, enum doca_ctx_states next)
{
	if (next != DOCA_CTX_STATE_IDLE)
		return;
	assert_ok(doca_comch_consumer_destroy(end->consumer));
	end->consumer = NULL;
	end->ctx = NULL;
}

static void can_be_destroyed_in_its_callbacks(void **state)
{
	struct fastpath *fastpath = *state;
	struct fast_end *end = run_consumer(fastpath), *producer = run_producer(fastpath, MEMORY);

	end->on_state = destroy_when_idle;
	end->on_received = stop_and_free;
	assert_ok(end_post(end, 0, 100));
	fastpath_settle(fastpath);
	assert_ok(end_send(producer, 0, 100, end->id));
	fastpath_settle(fastpath);
	assert_null(end->consumer);
	assert_int_equal(end->done, 1);
	assert_int_equal(fastpath->client_heard.expired, 1);
}

static void start_when_idle(struct fast_end *end, enum doca_ctx_states next)
{
	if (next == DOCA_CTX_STATE_IDLE)
		assert_err(doca_ctx_start(end->ctx), IN_PROGRESS);
}

static void can_be_started_again_in_its_callbacks(void **state)
{
	struct fastpath *fastpath = *state;
	struct fast_end *end = run_consumer(fastpath), *producer = run_producer(fastpath, MEMORY);

	end->on_state = start_when_idle;
	end->on_received = stop_and_free;
	assert_ok(end_post(end, 0, 100));
	fastpath_settle(fastpath);
	assert_ok(end_send(producer, 0, 100, end->id));
	fastpath_settle(fastpath);
	assert_int_equal(end_state(end), DOCA_CTX_STATE_RUNNING);
	assert_int_equal(fastpath->client_heard.born, 2);
	end->on_state = NULL;
	assert_ok(end_post(end, 0, 100));
	assert_ok(end_send(producer, 0, 100, end->id));
	fastpath_settle(fastpath);
	assert_int_equal(end->done, 2);
}

/*
 * While a copy is under way
 */

static void waits_for_a_copy_that_has_begun(void **state)
{
	const size_t size = (size_t)8 << 20;
	struct fastpath *fastpath = *state;
	struct fast_end *end = add_consumer(fastpath, server_of(fastpath), size);
	struct fast_end *producer = run_producer(fastpath, size);
	unsigned int i;

	end_run(end);
	assert_ok(end_post(end, 0, size));
	assert_ok(end_post(end, 0, 100));
	fastpath_settle(fastpath);
	memset(producer->memory.addr, 0x66, size);
	assert_ok(end_send(producer, 0, size, end->id));
	assert_ok(end_send(producer, 0, 100, end->id));
	assert_true(end_progress(producer));
	assert_int_equal(producer->done, 0); /* under way */
	assert_err(doca_ctx_stop(end->ctx), IN_PROGRESS);
	for (i = 0; i < 10; i++)
		end_progress(end);
	assert_int_equal(end->failed + end->done, 0);
	fastpath_settle(fastpath); /* the producer even learns in the middle that we are going */
	assert_int_equal(producer->done, 1);
	assert_int_equal(end->done, 1);
	assert_int_equal(end->size, 100 - 100 + size);
	assert_memory_equal(end->memory.addr, producer->memory.addr, size);
	assert_int_equal(end->failed, 1);
	assert_int_equal(producer->failed, 1);
	assert_err(producer->status, CONNECTION_RESET);
	assert_int_equal(end_state(end), DOCA_CTX_STATE_IDLE);
}

/*
 * The connection
 */

static void keeps_its_connection_open(void **state)
{
	struct fastpath *fastpath = *state;
	struct fast_end *end = run_consumer(fastpath);
	struct fast_end *other = add_consumer(fastpath, client_of(fastpath), MEMORY);

	end_run(other);
	assert_err(doca_comch_server_disconnect(server_of(fastpath)->server,
						side_connection(server_of(fastpath))),
		   IN_USE);
	assert_err(side_stop(server_of(fastpath)), IN_USE);
	assert_err(side_stop(client_of(fastpath)), IN_USE);
	assert_ok(doca_ctx_stop(end->ctx));
	assert_ok(doca_ctx_stop(other->ctx));
	assert_err(side_stop(client_of(fastpath)), IN_PROGRESS);
	fastpath_settle(fastpath);
	assert_int_equal(side_state(client_of(fastpath)), DOCA_CTX_STATE_IDLE);
}

static void fails_what_is_posted_when_the_peer_is_lost(void **state)
{
	struct fastpath *fastpath = *state;
	struct fast_end *end = run_consumer(fastpath), *producer = run_producer(fastpath, MEMORY);
	unsigned int i;

	for (i = 0; i < 4; i++)
		assert_ok(end_post(end, 100 * i, 100));
	fastpath_settle(fastpath);
	assert_ok(end_send(producer, 0, 100, end->id)); /* has been sent, and counts */
	sim_kill(&fastpath->world.sim, &client_of(fastpath)->party);
	fastpath_settle(fastpath);
	assert_int_equal(end->done, 1);
	assert_int_equal(end->failed, 3);
	assert_err(end->status, IO_FAILED);
	assert_int_equal(end_state(end), DOCA_CTX_STATE_IDLE);
	assert_int_equal(end->states[end->state_count - 2], DOCA_CTX_STATE_STOPPING);
}

static void reports_nothing_half_done_when_the_peer_is_lost(void **state)
{
	const size_t size = (size_t)8 << 20;
	struct fastpath *fastpath = *state;
	struct fast_end *end = add_consumer(fastpath, server_of(fastpath), size);
	struct fast_end *producer = run_producer(fastpath, size);
	struct doca_buf *buf;
	size_t data_len;

	end_run(end);
	buf = memory_room(&end->memory, 0, size);
	assert_ok(doca_buf_inc_refcount(buf, NULL));
	assert_ok(end_post_buf(end, buf));
	fastpath_settle(fastpath);
	assert_ok(end_send(producer, 0, size, end->id));
	assert_true(end_progress(producer));
	sim_kill(&fastpath->world.sim, &client_of(fastpath)->party);
	/* The producer's own program is dead and does no more. */
	while (side_progress(server_of(fastpath)) || end_progress(end))
		;
	fastpath->world.sim.delay_max_ns = 0;
	side_settle(server_of(fastpath));
	while (end_progress(end))
		;
	assert_int_equal(end->done, 0);
	assert_int_equal(end->failed, 1);
	assert_ok(doca_buf_get_data_len(buf, &data_len));
	assert_int_equal(data_len, 0);
	assert_int_equal(end_state(end), DOCA_CTX_STATE_IDLE);
	doca_buf_dec_refcount(buf, NULL);
}

static void may_outlive_server_and_client(void **state)
{
	struct fastpath *fastpath = *state;
	struct fast_end *end = run_consumer(fastpath);

	assert_ok(end_post(end, 0, 100));
	sim_kill(&fastpath->world.sim, &client_of(fastpath)->party);
	world_settle(&fastpath->world);
	assert_ok(side_stop(server_of(fastpath)));
	side_destroy(server_of(fastpath));
	fastpath_settle(fastpath);
	assert_int_equal(end->failed, 1);
	assert_int_equal(end_state(end), DOCA_CTX_STATE_IDLE);
	assert_err(doca_ctx_start(end->ctx), NOT_CONNECTED);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, fastpath_setup, fastpath_teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(creation_checks_its_arguments),
		TEST(needs_an_established_connection),
		TEST(connection_has_so_many_and_no_more),
		TEST(ids_are_not_given_out_twice),
		TEST(ids_of_the_two_sides_differ),
		TEST(attributes_check_their_arguments),
		TEST(is_none_for_dpa_code),
		TEST(starts_by_telling_the_peer),
		TEST(start_needs_a_task_configuration),
		TEST(start_needs_a_started_map),
		TEST(start_needs_the_connection),
		TEST(start_can_fail_at_every_step),
		TEST(a_peer_lost_while_starting_ends_it),
		TEST(a_bell_that_rings_early_changes_nothing),
		TEST(stops_at_once_when_nothing_is_posted),
		TEST(posted_receives_fail_in_their_order),
		TEST(waits_for_the_program_to_free_its_tasks),
		TEST(unsent_posts_fail_too),
		TEST(can_stop_before_the_peer_has_answered),
		TEST(can_stop_before_whatever_the_peer_has_written),
		TEST(starts_again),
		TEST(starts_again_before_the_peer_has_answered),
		TEST(can_be_stopped_in_its_callbacks),
		TEST(can_be_destroyed_in_its_callbacks),
		TEST(can_be_started_again_in_its_callbacks),
		TEST(waits_for_a_copy_that_has_begun),
		TEST(keeps_its_connection_open),
		TEST(fails_what_is_posted_when_the_peer_is_lost),
		TEST(reports_nothing_half_done_when_the_peer_is_lost),
		TEST(may_outlive_server_and_client),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
