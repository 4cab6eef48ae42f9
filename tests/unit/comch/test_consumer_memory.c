/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Consumers that receive into memory of every kind, also while other threads use it.
 */
#include "test.h"

#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
#include "core/pe.h"
#include "fastpath.h"
#include "link/window.h"
#include "pages.h"
#include "valgrind.h"

#define SIZE ((size_t)3 << 20)

/* A consumer of the server's whose memory is the test's, and a producer. */
struct receiver {
	struct fastpath *fastpath;
	struct fast_end *producer;
	struct doca_pe *pe;
	struct doca_mmap *mmap;
	struct doca_buf_inventory *inventory;
	struct doca_comch_consumer *consumer;
	struct doca_ctx *ctx;
	uint32_t id;
	unsigned int done, failed;
	doca_error_t status;
};

static void received(struct doca_comch_consumer_task_post_recv *task, union doca_data task_data,
		     union doca_data ctx_data)
{
	struct receiver *receiver = ctx_data.ptr;
	struct doca_task *base = doca_comch_consumer_task_post_recv_as_task(task);

	(void)task_data;
	receiver->status = doca_task_get_status(base);
	if (receiver->status)
		receiver->failed++;
	else
		receiver->done++;
	doca_buf_dec_refcount(doca_comch_consumer_task_post_recv_get_buf(task), NULL);
	doca_task_free(base);
}

static void settle(struct receiver *receiver)
{
	unsigned int idle;

	for (idle = 0; idle < 4; idle++) {
		fastpath_settle(receiver->fastpath);
		while (priv_pe_work(receiver->pe))
			idle = 0;
	}
}

static void start(struct receiver *receiver)
{
	enum doca_ctx_states state;

	assert_err(doca_ctx_start(receiver->ctx), IN_PROGRESS);
	settle(receiver);
	assert_ok(doca_ctx_get_state(receiver->ctx, &state));
	assert_int_equal(state, DOCA_CTX_STATE_RUNNING);
}

static void stop_receiver(struct receiver *receiver)
{
	enum doca_ctx_states state;
	doca_error_t err = doca_ctx_stop(receiver->ctx);

	assert_true(!err || err == DOCA_ERROR_IN_PROGRESS);
	settle(receiver);
	assert_ok(doca_ctx_get_state(receiver->ctx, &state));
	assert_int_equal(state, DOCA_CTX_STATE_IDLE);
}

static void open_receiver(struct receiver *receiver, struct fastpath *fastpath, void *addr,
			  size_t size)
{
	memset(receiver, 0, sizeof(*receiver));
	receiver->fastpath = fastpath;
	receiver->producer = add_producer(fastpath, fastpath->pair.client, SIZE);
	end_run(receiver->producer);
	assert_ok(doca_pe_create(&receiver->pe));
	assert_ok(doca_mmap_create(&receiver->mmap));
	assert_ok(doca_mmap_set_memrange(receiver->mmap, addr, size));
	assert_ok(doca_mmap_set_permissions(receiver->mmap, DOCA_ACCESS_FLAG_PCI_READ_WRITE));
	assert_ok(doca_mmap_start(receiver->mmap));
	assert_ok(doca_buf_inventory_create(64, &receiver->inventory));
	assert_ok(doca_buf_inventory_start(receiver->inventory));
	assert_ok(doca_comch_consumer_create(side_connection(fastpath->pair.server), receiver->mmap,
					     &receiver->consumer));
	receiver->ctx = doca_comch_consumer_as_ctx(receiver->consumer);
	assert_ok(doca_ctx_set_user_data(receiver->ctx, (union doca_data){.ptr = receiver}));
	assert_ok(doca_pe_connect_ctx(receiver->pe, receiver->ctx));
	assert_ok(doca_comch_consumer_task_post_recv_set_conf(receiver->consumer, received,
							      received, 64));
	assert_ok(doca_comch_consumer_get_id(receiver->consumer, &receiver->id));
	start(receiver);
}

static void close_receiver(struct receiver *receiver)
{
	stop_receiver(receiver);
	assert_ok(doca_comch_consumer_destroy(receiver->consumer));
	assert_ok(doca_buf_inventory_destroy(receiver->inventory));
	assert_ok(doca_mmap_destroy(receiver->mmap));
	assert_ok(doca_pe_destroy(receiver->pe));
}

static void post(struct receiver *receiver, char *addr, size_t size)
{
	struct doca_comch_consumer_task_post_recv *task;
	struct doca_buf *buf;

	assert_ok(doca_buf_inventory_buf_get_by_addr(receiver->inventory, receiver->mmap, addr,
						     size, &buf));
	assert_ok(doca_comch_consumer_task_post_recv_alloc_init(receiver->consumer, buf, &task));
	assert_ok(doca_task_submit(doca_comch_consumer_task_post_recv_as_task(task)));
}

/* one message into size bytes at addr, of which it fills all */
static void receive(struct receiver *receiver, char *addr, size_t size, char byte)
{
	unsigned int before = receiver->done;
	size_t i;

	post(receiver, addr, size);
	settle(receiver);
	memset(receiver->producer->memory.addr, byte, size);
	assert_ok(end_send(receiver->producer, 0, size, receiver->id));
	settle(receiver);
	assert_int_equal(receiver->done, before + 1);
	for (i = 0; i < size; i++)
		assert_int_equal(addr[i], byte);
}

/* Memory of size bytes in which everything but the messages stays as it is. */
static void receives_into(struct fastpath *fastpath, char *addr, size_t size)
{
	struct receiver receiver;
	size_t i;

	for (i = 0; i < size; i++)
		addr[i] = (char)(i % 101);
	open_receiver(&receiver, fastpath, addr + 3, size - 7);
	receive(&receiver, addr + 3, 40, 'a'); /* in the line */
	receive(&receiver, addr + 61, size - 100, 'b');
	close_receiver(&receiver);
	for (i = 0; i < size; i++) {
		char expected = i >= 61 && i < size - 39 ? 'b'
				: i >= 3 && i < 43	 ? 'a'
							 : (char)(i % 101);

		assert_int_equal(addr[i], expected);
	}
}

/* A program may wait for its send, and drive the engine of the receive only then. */
static void new_memory_is_there_without_a_poll(void **state)
{
	const size_t sizes[] = {1, PAGE, SIZE / 3};
	char *memory = mmap(NULL, SIZE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	struct receiver receiver;
	size_t i, at = 5;

	open_receiver(&receiver, *state, memory, SIZE);
	for (i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
		post(&receiver, memory + at, sizes[i]);
		assert_ok(end_send(receiver.producer, 0, sizes[i], receiver.id));
		fastpath_settle(receiver.fastpath); /* not the receiver */
		assert_int_equal(receiver.producer->done, i + 1);
		assert_int_equal(receiver.done, i);
		settle(&receiver);
		assert_int_equal(receiver.done, i + 1);
		at += sizes[i] + SIZE / 4;
	}
	close_receiver(&receiver);
	munmap(memory, SIZE);
}

static void the_stack(void **state)
{
	char memory[6 * 4096];

	if (runs_under_valgrind())
		skip(); /* without MREMAP_DONTUNMAP it stays a private mapping of the window */
	receives_into(*state, memory, sizeof(memory));
}

static void static_data(void **state)
{
	static char memory[6 * 4096];

	if (runs_under_valgrind())
		skip(); /* likewise */
	receives_into(*state, memory, sizeof(memory));
}

static void the_heap(void **state)
{
	char *memory = malloc(1000), *large = malloc(SIZE);

	receives_into(*state, memory, 1000);
	receives_into(*state, large + 5, SIZE - 5);
	free(memory);
	free(large);
}

static void receives_into_mapping(struct fastpath *fastpath, size_t size, int flags, int fd)
{
	char *memory = mmap(NULL, size, PROT_READ | PROT_WRITE, flags, fd, 0);

	if (memory == MAP_FAILED)
		skip(); /* huge pages, of which there are none */
	receives_into(fastpath, memory, size);
	munmap(memory, size);
}

static void mapped_files(void **state)
{
	FILE *file = tmpfile();

	assert_non_null(file);
	assert_int_equal(ftruncate(fileno(file), (off_t)SIZE), 0);
	receives_into_mapping(*state, SIZE, MAP_PRIVATE, fileno(file));
	receives_into_mapping(*state, SIZE, MAP_SHARED, fileno(file));
	fclose(file);
}

static void shared_memory(void **state)
{
	receives_into_mapping(*state, SIZE, MAP_SHARED | MAP_ANONYMOUS, -1);
}

static void huge_pages(void **state)
{
	receives_into_mapping(*state, (size_t)2 << 20, MAP_PRIVATE | MAP_ANONYMOUS | MAP_HUGETLB,
			      -1);
}

static void read_only_memory(void *state, bool restarts)
{
	char *memory = mmap(NULL, 4 * PAGE, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	struct receiver receiver;

	open_receiver(&receiver, state, memory, 4 * PAGE);
	if (restarts) {
		assert_ok(doca_mmap_stop(receiver.mmap));
		assert_ok(doca_mmap_start(receiver.mmap));
	}
	post(&receiver, memory, 4 * PAGE);
	settle(&receiver);
	assert_int_equal(receiver.failed, 1);
	assert_err(receiver.status, NOT_PERMITTED);
	close_receiver(&receiver);
	munmap(memory, 4 * PAGE);
}

/* An error of the task, not a signal. */
static void read_only_memory_fails_the_task(void **state)
{
	read_only_memory(*state, false);
}

/* Nobody has looked at the memory before its map was stopped and started under the consumer. */
static void read_only_memory_of_a_restarted_map_fails_the_task(void **state)
{
	read_only_memory(*state, true);
}

/* That the memory behind it was looked at says nothing of it. */
static void read_only_memory_before_known_one_fails_the_task(void **state)
{
	const size_t size = 2 * WINDOW_PIECE;
	char *memory = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	char *second = memory + WINDOW_PIECE;
	struct receiver receiver;

	setenv("SOFTFIELD_REGION", "copy", 1);
	open_receiver(&receiver, *state, memory, size);
	receive(&receiver, second, 1000, 'k');
	assert_int_equal(mprotect(second - PAGE, PAGE, PROT_READ), 0);
	post(&receiver, second - PAGE, 100);
	settle(&receiver);
	assert_int_equal(receiver.failed, 1);
	assert_err(receiver.status, NOT_PERMITTED);
	receive(&receiver, second, 1000, 'l');
	close_receiver(&receiver);
	unsetenv("SOFTFIELD_REGION");
	munmap(memory, size);
}

static void memory_may_be_gone_before_its_map(void **state)
{
	char *memory = mmap(NULL, SIZE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	struct receiver receiver;
	char *other;

	open_receiver(&receiver, *state, memory, SIZE);
	receive(&receiver, memory, SIZE, 'g');
	stop_receiver(&receiver);
	munmap(memory, SIZE);
	/* What comes to lie there is somebody else's. */
	other = mmap(memory, SIZE, PROT_READ | PROT_WRITE,
		     MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0);
	assert_ptr_equal(other, memory);
	memset(other, 'o', SIZE);
	start(&receiver);
	close_receiver(&receiver);
	assert_int_equal(other[0], 'o');
	assert_int_equal(other[SIZE - 1], 'o');
	munmap(other, SIZE);
}

/* To its consumer, a map that is gone is one that is not started, whatever takes its place. */
static void the_map_may_go_before_its_consumer(void **state)
{
	char *memory = malloc(SIZE);
	struct doca_comch_consumer_task_post_recv *task;
	struct receiver receiver;
	struct doca_buf *buf;

	open_receiver(&receiver, *state, memory, SIZE);
	receive(&receiver, memory, SIZE, 'g');
	assert_ok(doca_mmap_destroy(receiver.mmap));
	assert_ok(doca_mmap_create(&receiver.mmap));
	assert_ok(doca_mmap_set_memrange(receiver.mmap, memory, SIZE));
	assert_ok(doca_mmap_set_permissions(receiver.mmap, DOCA_ACCESS_FLAG_PCI_READ_WRITE));
	assert_ok(doca_mmap_start(receiver.mmap));
	assert_ok(doca_buf_inventory_buf_get_by_addr(receiver.inventory, receiver.mmap, memory,
						     PAGE, &buf));
	assert_ok(doca_comch_consumer_task_post_recv_alloc_init(receiver.consumer, buf, &task));
	assert_err(doca_task_submit(doca_comch_consumer_task_post_recv_as_task(task)),
		   INVALID_VALUE);
	doca_task_free(doca_comch_consumer_task_post_recv_as_task(task));
	assert_ok(doca_buf_dec_refcount(buf, NULL));
	stop_receiver(&receiver);
	assert_err(doca_ctx_start(receiver.ctx), INVALID_VALUE);
	close_receiver(&receiver);
	free(memory);
}

/*
 * Other threads
 */

#define COUNTERS (SIZE / 1024)

struct counting {
	pthread_t thread;
	char *memory;
	size_t offset;
	_Atomic uint64_t rounds;
	_Atomic bool stop;
};

static uint64_t *counter_at(const struct counting *counting, size_t i)
{
	return (void *)(counting->memory + i * 1024 + counting->offset);
}

static void *count(void *arg)
{
	struct counting *counting = arg;

	while (!atomic_load(&counting->stop)) {
		size_t i;

		for (i = 0; i < COUNTERS; i++) {
			uint64_t *counter = counter_at(counting, i);

			__atomic_store_n(counter, *counter + 1, __ATOMIC_RELAXED);
		}
		atomic_fetch_add(&counting->rounds, 1);
		sched_yield(); /* the consumer is to get on where there are two CPUs */
	}
	return NULL;
}

static void await_round(struct counting *counting)
{
	uint64_t from = atomic_load(&counting->rounds);

	while (atomic_load(&counting->rounds) == from)
		sched_yield();
}

/*
 * Threads count all over the range, between the messages, while the consumer starts, posts for the
 * first time, receives, and stops, and while the map is stopped: no count is lost.
 */
static void writes_of_other_threads_are_not_lost(void **state)
{
	char *memory = mmap(NULL, SIZE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	struct counting threads[2] = {{.memory = memory}, {.memory = memory, .offset = 1000}};
	struct receiver receiver;
	unsigned int i, round;
	size_t at;

	for (i = 0; i < 2; i++)
		assert_int_equal(pthread_create(&threads[i].thread, NULL, count, &threads[i]), 0);
	open_receiver(&receiver, *state, memory, SIZE);
	for (round = 0; round < 4; round++) {
		if (round)
			start(&receiver);
		for (at = 64; at < SIZE; at += 97 * 1024)
			receive(&receiver, memory + at, 900, (char)(round + 1));
		await_round(&threads[round % 2]);
		stop_receiver(&receiver);
		assert_ok(doca_mmap_stop(receiver.mmap));
		await_round(&threads[round % 2]);
		assert_ok(doca_mmap_start(receiver.mmap));
	}
	for (i = 0; i < 2; i++) {
		atomic_store(&threads[i].stop, true);
		pthread_join(threads[i].thread, NULL);
	}
	for (i = 0; i < 2; i++)
		for (at = 0; at < COUNTERS; at++)
			assert_true(*counter_at(&threads[i], at) == threads[i].rounds);
	start(&receiver);
	close_receiver(&receiver);
	munmap(memory, SIZE);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, fastpath_setup, fastpath_teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(new_memory_is_there_without_a_poll),
		TEST(the_stack),
		TEST(static_data),
		TEST(the_heap),
		TEST(mapped_files),
		TEST(shared_memory),
		TEST(huge_pages),
		TEST(read_only_memory_fails_the_task),
		TEST(read_only_memory_of_a_restarted_map_fails_the_task),
		TEST(read_only_memory_before_known_one_fails_the_task),
		TEST(memory_may_be_gone_before_its_map),
		TEST(the_map_may_go_before_its_consumer),
		TEST(writes_of_other_threads_are_not_lost),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
