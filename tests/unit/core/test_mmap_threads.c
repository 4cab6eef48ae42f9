/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Memory maps whose buffers several threads take and give back. The thread that takes the first one
 * counts its buffers apart from those of the others.
 */
#include "memtest.h"

#include <pthread.h>
#include <sched.h>
#include <sys/wait.h>
#include <unistd.h>
#include "core/mmap.h"

#define THREADS 4
#define ROUNDS	500

static char memory[64];

/* A thread that takes a buffer, which it leaves, and gives one back. */
struct helper {
	struct doca_mmap *mmap;
	struct doca_buf_inventory *inventory;
	struct doca_buf *given, *left;
};

static struct doca_buf *take(struct doca_buf_inventory *inventory, struct doca_mmap *mmap)
{
	struct doca_buf *buf;

	assert_ok(doca_buf_inventory_buf_get_by_addr(inventory, mmap, memory, 1, &buf));
	return buf;
}

static void *helper_run(void *arg)
{
	struct helper *helper = arg;

	helper->left = take(helper->inventory, helper->mmap);
	if (helper->given)
		assert_ok(doca_buf_dec_refcount(helper->given, NULL));
	return NULL;
}

static void run(struct helper *helper)
{
	pthread_t thread;

	assert_int_equal(pthread_create(&thread, NULL, helper_run, helper), 0);
	assert_int_equal(pthread_join(thread, NULL), 0);
}

static int set_up(void **state)
{
	struct helper *helper = calloc(1, sizeof(*helper));

	assert_non_null(helper);
	helper->mmap = started_mmap(memory, sizeof(memory));
	helper->inventory = started_inventory(3);
	*state = helper;
	return 0;
}

static int tear_down(void **state)
{
	struct helper *helper = *state;

	if (helper->mmap)
		assert_ok(doca_mmap_destroy(helper->mmap));
	assert_ok(doca_buf_inventory_destroy(helper->inventory));
	free(helper);
	return 0;
}

static void buffers_count_whoever_gives_them_back(void **state)
{
	struct helper *helper = *state;

	for (int i = 0; i < 3; i++) {
		helper->given = take(helper->inventory, helper->mmap);
		run(helper);
		assert_int_equal(count_bufs(helper->mmap), 1);
		assert_err(doca_mmap_destroy(helper->mmap), NOT_PERMITTED);
		assert_ok(doca_buf_dec_refcount(helper->left, NULL));
		assert_int_equal(count_bufs(helper->mmap), 0);
	}
	assert_ok(doca_mmap_stop(helper->mmap));
}

static void buffers_count_whoever_comes_first(void **state)
{
	struct helper *helper = *state;
	struct doca_buf *buf;

	run(helper);
	buf = take(helper->inventory, helper->mmap);
	assert_int_equal(count_bufs(helper->mmap), 2);
	assert_ok(doca_buf_dec_refcount(helper->left, NULL));
	assert_int_equal(count_bufs(helper->mmap), 1);
	assert_err(doca_mmap_stop(helper->mmap), NOT_PERMITTED);
	assert_ok(doca_buf_dec_refcount(buf, NULL));
	assert_int_equal(count_bufs(helper->mmap), 0);
}

/* LeakSanitizer says if it does not. */
static void a_holder_frees_what_several_threads_have_used(void **state)
{
	struct helper *helper = *state;
	struct doca_mmap *mmap = helper->mmap;

	helper->given = take(helper->inventory, mmap);
	run(helper);
	assert_ok(doca_buf_dec_refcount(helper->left, NULL));
	priv_mmap_hold(mmap);
	assert_ok(doca_mmap_destroy(mmap));
	helper->mmap = NULL;
	assert_false(mmap_is_started(mmap));
	priv_mmap_release(mmap);
}

static void maps_become_thread_safe_with_a_past(void **state)
{
	struct helper *helper = *state;
	struct doca_buf *buf;

	helper->given = take(helper->inventory, helper->mmap);
	run(helper);
	assert_ok(doca_buf_dec_refcount(helper->left, NULL));
	assert_ok(doca_mmap_stop(helper->mmap));
	assert_ok(doca_mmap_enable_thread_safety(helper->mmap));
	assert_null(helper->mmap->buf_thread);
	assert_ok(doca_mmap_start(helper->mmap));
	buf = take(helper->inventory, helper->mmap);
	assert_null(helper->mmap->buf_thread);
	assert_int_equal(count_bufs(helper->mmap), 1);
	assert_ok(doca_mmap_destroy(helper->mmap));
	helper->mmap = NULL;
	assert_err(doca_buf_inventory_buf_reuse_by_addr(buf, memory, 1), BAD_STATE);
	assert_ok(doca_buf_dec_refcount(buf, NULL));
}

static void *set_attributes(void *arg)
{
	for (uint32_t i = 1; i <= ROUNDS; i++) {
		assert_ok(doca_mmap_set_max_num_devices(arg, i));
		assert_ok(doca_mmap_set_user_data(arg, (union doca_data){.u64 = i}));
	}
	return NULL;
}

/* ThreadSanitizer says if the lock of a thread-safe map is not taken. */
static void attributes_may_be_asked_for_while_they_are_set(void **state)
{
	union doca_data user_data = {0};
	struct doca_mmap *mmap;
	pthread_t thread;
	uint32_t max = 0;

	(void)state;
	assert_ok(doca_mmap_create(&mmap));
	assert_ok(doca_mmap_enable_thread_safety(mmap));
	assert_int_equal(pthread_create(&thread, NULL, set_attributes, mmap), 0);
	while (max != ROUNDS || user_data.u64 != ROUNDS) {
		assert_ok(doca_mmap_get_max_num_devices(mmap, &max));
		assert_ok(doca_mmap_get_user_data(mmap, &user_data));
	}
	assert_int_equal(pthread_join(thread, NULL), 0);
	assert_ok(doca_mmap_destroy(mmap));
}

static void *open_windows(void *arg)
{
	struct window *window;

	while (!priv_mmap_window(arg, &window))
		priv_window_unref(window);
	return NULL;
}

/* A window of one would be nobody's: mmap_free() looks for some. */
static void no_window_is_opened_on_a_map_that_is_destroyed(void **state)
{
	struct doca_mmap *mmap;
	pthread_t thread;

	(void)state;
	for (int i = 0; i < ROUNDS; i++) {
		assert_ok(doca_mmap_create(&mmap));
		assert_ok(doca_mmap_enable_thread_safety(mmap));
		assert_ok(doca_mmap_set_memrange(mmap, memory, sizeof(memory)));
		assert_ok(doca_mmap_start(mmap));
		priv_mmap_hold(mmap);
		assert_int_equal(pthread_create(&thread, NULL, open_windows, mmap), 0);
		if (i % 2)
			sched_yield();
		assert_ok(doca_mmap_destroy(mmap));
		assert_int_equal(pthread_join(thread, NULL), 0);
		assert_null(mmap->window);
		priv_mmap_release(mmap);
	}
}

struct forker {
	struct doca_mmap *mmap;
	int status; /* of the child */
};

static void *fork_while_it_is_locked(void *arg)
{
	struct forker *forker = arg;
	pid_t child = fork();

	if (!child) {
		alarm(10); /* instead of a hang */
		_exit(doca_mmap_destroy(forker->mmap));
	}
	if (waitpid(child, &forker->status, 0) != child)
		forker->status = -1;
	return NULL;
}

/* The thread that is copying is not in the child. */
static void a_child_may_destroy_a_map_that_is_being_used(void **state)
{
	struct helper *helper = *state;
	struct forker forker = {.mmap = helper->mmap};
	pthread_t thread;

	assert_ok(doca_mmap_stop(helper->mmap));
	assert_ok(doca_mmap_enable_thread_safety(helper->mmap));
	assert_ok(doca_mmap_enable_thread_safety(helper->mmap));
	assert_ok(doca_mmap_start(helper->mmap));
	assert_true(mmap_begin_access(helper->mmap));
	assert_int_equal(pthread_create(&thread, NULL, fork_while_it_is_locked, &forker), 0);
	assert_int_equal(pthread_join(thread, NULL), 0);
	assert_int_equal(forker.status, 0);
	mmap_end_access(helper->mmap);
}

/*
 * Threads with an inventory each, as the interface wants it, and one map for all: who is the first
 * to take a buffer of it is decided again and again.
 */
struct crowd {
	pthread_barrier_t barrier;
	struct doca_mmap *mmap;
};

static void *toil(void *arg)
{
	struct doca_buf_inventory *inventory = started_inventory(1);
	struct crowd *crowd = arg;

	for (int i = 0; i < ROUNDS; i++) {
		pthread_barrier_wait(&crowd->barrier); /* there is a map */
		for (int j = 0; j < 3; j++)
			assert_ok(doca_buf_dec_refcount(take(inventory, crowd->mmap), NULL));
		pthread_barrier_wait(&crowd->barrier);
	}
	assert_ok(doca_buf_inventory_destroy(inventory));
	return NULL;
}

static void threads_count_at_the_same_time(void **state)
{
	pthread_t threads[THREADS];
	struct crowd crowd;

	(void)state;
	pthread_barrier_init(&crowd.barrier, NULL, THREADS + 1);
	for (int i = 0; i < THREADS; i++)
		assert_int_equal(pthread_create(&threads[i], NULL, toil, &crowd), 0);
	for (int i = 0; i < ROUNDS; i++) {
		crowd.mmap = started_mmap(memory, sizeof(memory));
		pthread_barrier_wait(&crowd.barrier);
		pthread_barrier_wait(&crowd.barrier);
		assert_int_equal(count_bufs(crowd.mmap), 0);
		assert_ok(doca_mmap_destroy(crowd.mmap));
	}
	for (int i = 0; i < THREADS; i++)
		assert_int_equal(pthread_join(threads[i], NULL), 0);
	pthread_barrier_destroy(&crowd.barrier);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
	const struct CMUnitTest tests[] = {
		TEST(buffers_count_whoever_gives_them_back),
		TEST(buffers_count_whoever_comes_first),
		TEST(a_holder_frees_what_several_threads_have_used),
		TEST(maps_become_thread_safe_with_a_past),
		cmocka_unit_test(attributes_may_be_asked_for_while_they_are_set),
		cmocka_unit_test(no_window_is_opened_on_a_map_that_is_destroyed),
		TEST(a_child_may_destroy_a_map_that_is_being_used),
		TEST(threads_count_at_the_same_time),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
