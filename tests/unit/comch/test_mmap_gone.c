/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Thread-safe maps that are destroyed while tasks use their memory, which goes with them.
 */
#include "test.h"

#include <pthread.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/mman.h>
#include "both.h"
#include "core/pe.h"
#include "forbid.h"
#include "valgrind.h"

#define MEMORY ((size_t)4 << 20)
#define LONG   ((size_t)3 << 20) /* is sent in several polls */

static atomic_uint forbidden;

static void make_thread_safe(struct memory *memory)
{
	assert_ok(doca_mmap_stop(memory->mmap));
	assert_ok(doca_mmap_enable_thread_safety(memory->mmap));
	assert_ok(doca_mmap_set_free_cb(memory->mmap, forbid, &forbidden));
	assert_ok(doca_mmap_start(memory->mmap));
}

static void both_init(struct both *both, struct fastpath *fastpath)
{
	if (runs_under_valgrind()) /* which cannot move pages */
		skip();
	atomic_store(&forbidden, 0);
	both->fastpath = fastpath;
	both->consumer = add_consumer(fastpath, fastpath->pair.server, MEMORY);
	both->producer = add_producer(fastpath, fastpath->pair.client, MEMORY);
	make_thread_safe(&both->consumer->memory);
	make_thread_safe(&both->producer->memory);
	assert_ok(doca_comch_consumer_set_imm_data_len(both->consumer->consumer, 8));
	end_run(both->consumer);
	end_run(both->producer);
}

static void destroy_map(struct fast_end *end)
{
	assert_ok(doca_mmap_destroy(end->memory.mmap));
	end->memory.mmap = NULL;
}

static void stop_end(struct fast_end *end)
{
	doca_error_t err = doca_ctx_stop(end->ctx);

	assert_true(!err || err == DOCA_ERROR_IN_PROGRESS);
	fastpath_settle(end->fastpath);
	assert_int_equal(end_state(end), DOCA_CTX_STATE_IDLE);
	if (end->memory.mmap)
		return;
	assert_ok(doca_buf_inventory_destroy(end->memory.inventory));
	munmap(end->memory.addr, end->memory.size);
}

static void both_fini(struct both *both)
{
	stop_end(both->producer);
	stop_end(both->consumer);
}

static void check_counts(const struct fast_end *end, unsigned int done, unsigned int failed)
{
	assert_int_equal(end->done, done);
	assert_int_equal(end->failed, failed);
	if (failed)
		assert_int_equal(end->status, DOCA_ERROR_IO_FAILED);
}

/*
 * They work
 */

static void messages_arrive_in_thread_safe_maps(void **state)
{
	static const size_t sizes[] = {1, 8, 48, 112, 113, 4096, 100000, LONG};
	struct both both;
	struct fast_end *consumer, *producer;
	unsigned int i;

	both_init(&both, *state);
	consumer = both.consumer;
	producer = both.producer;
	for (i = 0; i < ARRAY_SIZE(sizes); i++) {
		memset(producer->memory.addr, (int)i + 1, sizes[i]);
		assert_ok(end_post(consumer, 77, sizes[i]));
		assert_ok(end_send_imm(producer, memory_data(&producer->memory, 0, sizes[i]), "imm",
				       i % 2 ? 3 : 0, consumer->id));
		fastpath_settle(both.fastpath);
		assert_int_equal(consumer->size, sizes[i]);
		assert_memory_equal(consumer->memory.addr + 77, producer->memory.addr, sizes[i]);
	}
	check_counts(consumer, i, 0);
	check_counts(producer, i, 0);
	both_fini(&both);
}

/*
 * Receives
 */

/* Sends one of each kind, which find receives that are posted. */
static unsigned int send_some(struct both *both)
{
	static const size_t sizes[] = {8, 8, 100, 4096, LONG};
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(sizes); i++)
		assert_ok(end_send(both->producer, 0, sizes[i], both->consumer->id));
	return i;
}

static void messages_after_the_end_of_the_map_fail(void **state)
{
	struct both both;
	unsigned int i, sent;

	both_init(&both, *state);
	for (i = 0; i < 5; i++)
		assert_ok(end_post(both.consumer, 0, LONG));
	assert_ok(end_post(both.consumer, 0, 0));
	fastpath_settle(both.fastpath);
	destroy_map(both.consumer);
	assert_int_equal(atomic_load(&forbidden), 1);
	sent = send_some(&both);
	fastpath_settle(both.fastpath);
	check_counts(both.consumer, 0, sent);
	check_counts(both.producer, sent, 0);
	/* the lane goes on */
	assert_ok(end_send_imm(both.producer, NULL, "imm", 3, both.consumer->id));
	fastpath_settle(both.fastpath);
	assert_int_equal(both.consumer->done, 1);
	both_fini(&both);
}

static void messages_that_have_come_before_fail(void **state)
{
	struct both both;
	unsigned int i, sent;

	both_init(&both, *state);
	for (i = 0; i < 5; i++)
		assert_ok(end_post(both.consumer, 0, LONG));
	fastpath_settle(both.fastpath);
	sent = send_some(&both);
	while (both.producer->done < sent)
		end_progress(both.producer);
	destroy_map(both.consumer);
	fastpath_settle(both.fastpath);
	check_counts(both.consumer, 0, sent);
	both_fini(&both);
}

/* What the program has made of the memory since is not the peer's. */
static void memory_that_is_used_again_stays_as_it_is(void **state)
{
	struct both both;
	char *addr;
	size_t i;

	both_init(&both, *state);
	addr = both.consumer->memory.addr;
	assert_ok(end_post(both.consumer, 0, LONG));
	assert_ok(end_post(both.consumer, 0, LONG));
	fastpath_settle(both.fastpath);
	destroy_map(both.consumer);
	assert_int_equal(mprotect(addr, MEMORY, PROT_READ | PROT_WRITE), 0);
	memset(both.producer->memory.addr, 'x', LONG);
	assert_ok(end_send(both.producer, 0, 4096, both.consumer->id));
	assert_ok(end_send(both.producer, 0, LONG, both.consumer->id));
	fastpath_settle(both.fastpath);
	check_counts(both.consumer, 0, 2);
	for (i = 0; i < LONG; i++)
		assert_int_equal(addr[i], 0);
	both_fini(&both);
}

static void destroy_after_first(struct fast_end *end,
				struct doca_comch_consumer_task_post_recv *task,
				doca_error_t status)
{
	struct doca_buf *buf = doca_comch_consumer_task_post_recv_get_buf(task);

	(void)status;
	if (end->memory.mmap)
		destroy_map(end);
	assert_ok(doca_buf_dec_refcount(buf, NULL));
	doca_task_free(doca_comch_consumer_task_post_recv_as_task(task));
}

static void a_callback_destroys_the_map(void **state)
{
	struct both both;
	unsigned int i;

	both_init(&both, *state);
	both.consumer->on_received = destroy_after_first;
	for (i = 0; i < 8; i++)
		assert_ok(end_post(both.consumer, 64 * i, 64));
	fastpath_settle(both.fastpath);
	for (i = 0; i < 8; i++)
		assert_ok(end_send(both.producer, 0, 8, both.consumer->id));
	fastpath_settle(both.fastpath);
	check_counts(both.consumer, 1, 7);
	both_fini(&both);
}

/*
 * Sends
 */

static void sends_that_wait_fail(void **state)
{
	static const size_t sizes[] = {8, 8, 100, 4096, LONG};
	struct both both;
	unsigned int i;

	both_init(&both, *state);
	for (i = 0; i < ARRAY_SIZE(sizes); i++)
		assert_ok(end_send(both.producer, 0, sizes[i], both.consumer->id));
	assert_ok(end_send_imm(both.producer, NULL, "imm", 3, both.consumer->id));
	fastpath_settle(both.fastpath);
	destroy_map(both.producer);
	for (i = 0; i < ARRAY_SIZE(sizes); i++)
		assert_ok(end_post(both.consumer, 0, LONG));
	fastpath_settle(both.fastpath);
	/* None of them has taken a receive. */
	assert_int_equal(both.producer->failed, ARRAY_SIZE(sizes));
	assert_int_equal(both.producer->done, 1);
	assert_int_equal(both.consumer->done, 1);
	assert_int_equal(both.consumer->imm_size, 3);
	assert_int_equal(both.consumer->failed, 0);
	both_fini(&both);
}

/* The receive that it had taken fails with it; the next ones do not. */
static void a_copy_that_has_begun_fails_on_both_sides(void **state)
{
	struct both both;

	both_init(&both, *state);
	assert_ok(end_post(both.consumer, 0, LONG));
	assert_ok(end_post(both.consumer, 0, 0));
	fastpath_settle(both.fastpath);
	assert_ok(end_send(both.producer, 0, LONG, both.consumer->id));
	end_progress(both.producer); /* a piece */
	assert_int_equal(both.producer->done, 0);
	destroy_map(both.producer);
	assert_ok(end_send_imm(both.producer, NULL, "imm", 3, both.consumer->id));
	fastpath_settle(both.fastpath);
	assert_int_equal(both.producer->failed, 1);
	assert_int_equal(both.producer->done, 1);
	assert_int_equal(both.consumer->failed, 1);
	assert_int_equal(both.consumer->done, 1);
	both_fini(&both);
}

/*
 * Threads
 */

struct destroyer {
	pthread_t thread;
	struct fast_end *ends[2];
	atomic_bool go;
};

static void *run_destroyer(void *arg)
{
	struct destroyer *destroyer = arg;
	unsigned int i;

	while (!atomic_load(&destroyer->go))
		;
	for (i = 0; i < 2; i++) {
		must(!doca_mmap_destroy(destroyer->ends[i]->memory.mmap));
		destroyer->ends[i]->memory.mmap = NULL;
	}
	return NULL;
}

/* Another thread destroys both maps somewhere among messages of that size. */
static void check_thread(struct fastpath *fastpath, size_t size, bool consumer_first)
{
	struct destroyer destroyer;
	struct both both;
	unsigned int i;

	fastpath->end_count = 0;
	both_init(&both, fastpath);
	destroyer.ends[!consumer_first] = both.consumer;
	destroyer.ends[consumer_first] = both.producer;
	atomic_init(&destroyer.go, false);
	for (i = 0; i < 20; i++)
		assert_ok(end_post(both.consumer, 0, size));
	fastpath_settle(fastpath);
	must(!pthread_create(&destroyer.thread, NULL, run_destroyer, &destroyer));
	for (i = 0; i < 20; i++)
		assert_ok(end_send(both.producer, 0, size, both.consumer->id));
	atomic_store(&destroyer.go, true);
	fastpath_settle(fastpath);
	must(!pthread_join(destroyer.thread, NULL));
	fastpath_settle(fastpath);
	assert_int_equal(both.producer->done + both.producer->failed, 20);
	assert_int_equal(atomic_load(&forbidden), 2);
	both_fini(&both);
	end_destroy(both.consumer);
	end_destroy(both.producer);
}

static void another_thread_destroys_the_maps(void **state)
{
	static const size_t sizes[] = {8, 4096, 300000};
	unsigned int i;

	for (i = 0; i < 30; i++)
		check_thread(*state, sizes[i % ARRAY_SIZE(sizes)], i % 2);
}

#define TEST(f)	    cmocka_unit_test_setup_teardown(f, fastpath_setup, fastpath_teardown)
#define TEST_SHM(f) cmocka_unit_test_setup_teardown(f, fastpath_setup_shm, fastpath_teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(messages_arrive_in_thread_safe_maps),
		TEST(messages_after_the_end_of_the_map_fail),
		TEST(messages_that_have_come_before_fail),
		TEST(memory_that_is_used_again_stays_as_it_is),
		TEST(a_callback_destroys_the_map),
		TEST(sends_that_wait_fail),
		TEST(a_copy_that_has_begun_fails_on_both_sides),
		TEST_SHM(another_thread_destroys_the_maps),
	};

	priv_pe_work_on_ticks = 0;
	return cmocka_run_group_tests(tests, NULL, NULL);
}
