/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Consumers: what is refused, their attributes, and how they start.
 */
#include "test.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>
#include "base/bell.h"
#include "base/fd.h"
#include "child.h"
#include "comch/consumer.h"
#include "ends.h"
#include "valgrind.h"

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
	uint32_t max, id, i;

	assert_ok(doca_comch_consumer_cap_get_max_consumers(
		doca_dev_as_devinfo(server_of(fastpath)->dev), &max));
	consumers = calloc(max + 1, sizeof(struct doca_comch_consumer *));
	memory_init(&memory, 4096, DOCA_ACCESS_FLAG_PCI_READ_WRITE);
	for (i = 0; i < max; i++)
		assert_ok(doca_comch_consumer_create(connection, memory.mmap, &consumers[i]));
	assert_err(doca_comch_consumer_create(connection, memory.mmap, &consumers[i]), NO_MEMORY);
	assert_ok(doca_comch_consumer_destroy(consumers[0]));
	assert_ok(doca_comch_consumer_create(connection, memory.mmap, &consumers[0]));
	assert_ok(doca_comch_consumer_get_id(consumers[0], &id));
	assert_int_equal(id, max + 1); /* the refused one has used up none */
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
	struct fast_end *end = run_consumer(fastpath, MEMORY);
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

/* Programs that create as many on both sides take those with the same id for a pair. */
static void the_two_sides_count_alike(void **state)
{
	struct fastpath *fastpath = *state;
	unsigned int i;

	for (i = 1; i <= 3; i++) {
		struct fast_end *one = add_consumer(fastpath, server_of(fastpath), MEMORY);
		struct fast_end *other = add_consumer(fastpath, client_of(fastpath), MEMORY);

		assert_int_equal(one->id, i);
		assert_int_equal(other->id, i);
		end_run(one);
		end_run(other);
		assert_int_equal(fastpath->client_heard.id, i);
		assert_int_equal(fastpath->server_heard.id, i);
	}
}

static void an_id_is_that_of_the_peers_consumer(void **state)
{
	struct fastpath *fastpath = *state;
	struct side *sides[] = {server_of(fastpath), client_of(fastpath)};
	struct fast_end *consumers[2], *producers[2];
	unsigned int i;

	for (i = 0; i < 2; i++) {
		consumers[i] = add_consumer(fastpath, sides[i], MEMORY);
		producers[i] = add_producer(fastpath, sides[i], MEMORY);
		end_run(consumers[i]);
		end_run(producers[i]);
		assert_ok(end_post(consumers[i], 0, 100));
	}
	assert_int_equal(consumers[0]->id, consumers[1]->id);
	assert_int_equal(producers[0]->id, producers[1]->id);
	for (i = 0; i < 2; i++) {
		assert_ok(end_send(producers[i], 0, 50 + i, consumers[!i]->id));
		fastpath_settle(fastpath);
		assert_int_equal(consumers[!i]->size, 50 + i);
		assert_int_equal(consumers[!i]->done, 1);
		assert_int_equal(consumers[i]->done, i);
	}
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

/* It is closing, by our own wish. */
static void start_needs_a_connection_that_stays(void **state)
{
	struct fastpath *fastpath = *state;
	struct side *server = server_of(fastpath);
	struct fast_end *consumer = add_consumer(fastpath, server, MEMORY);
	struct fast_end *producer = add_producer(fastpath, server, MEMORY);

	assert_ok(doca_comch_server_disconnect(server->server, side_connection(server)));
	assert_err(doca_ctx_start(consumer->ctx), NOT_CONNECTED);
	assert_err(doca_ctx_start(producer->ctx), NOT_CONNECTED);
	fastpath_settle(fastpath);
	assert_int_equal(consumer->state_count, 0);
	assert_int_equal(producer->state_count, 0);
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
	struct fast_end *end;
	int fds[64], count, room;
	bool had_window = false, kept;
	doca_error_t err;
	void *state;

	(void)parent;
	(void)arg;
	fastpath_setup(&state); /* a connection is of the process that has made it */
	end = add_consumer(state, server_of(state), MEMORY);
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
	struct child child;

	(void)state;
	if (runs_under_valgrind())
		skip(); /* its hard limit stays */
	child = child_start(start_with_more_and_more_descriptors, NULL);
	assert_int_equal(child_join(&child), 0);
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
	priv_bell_ring(end->consumer->bell.fd);
	while (end_progress(end))
		;
	assert_int_equal(end_state(end), DOCA_CTX_STATE_STARTING);
	fastpath_settle(fastpath);
	assert_int_equal(end_state(end), DOCA_CTX_STATE_RUNNING);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, fastpath_setup, fastpath_teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(creation_checks_its_arguments),
		TEST(needs_an_established_connection),
		TEST(connection_has_so_many_and_no_more),
		TEST(ids_are_not_given_out_twice),
		TEST(the_two_sides_count_alike),
		TEST(an_id_is_that_of_the_peers_consumer),
		TEST(attributes_check_their_arguments),
		TEST(is_none_for_dpa_code),
		TEST(starts_by_telling_the_peer),
		TEST(start_needs_a_task_configuration),
		TEST(start_needs_a_started_map),
		TEST(start_needs_the_connection),
		TEST(start_needs_a_connection_that_stays),
		cmocka_unit_test(start_can_fail_at_every_step),
		TEST(a_peer_lost_while_starting_ends_it),
		TEST(a_bell_that_rings_early_changes_nothing),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
