/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Pages of exports that importers cannot map, and which limits there are.
 */
#include "takeovertest.h"

#include <errno.h>
#include <pthread.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include "allowed.h"
#include "link/region_pages.h"
#include "other_malloc.h"
#include "valgrind.h"
#include "pages.h"

/* as malloc() has it at the beginning of what it takes for a thread */
static void the_books_of_malloc_are_left_alone(void **state)
{
	const size_t alignment = (size_t)64 << 20;
	char *reserved =
		map(2 * alignment, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1);
	char *arena = (char *)(((uintptr_t)reserved + alignment - 1) & ~(alignment - 1));
	struct region_pages pages;

	(void)state;
	assert_int_equal(mprotect(arena, 2 * PAGE, PROT_READ | PROT_WRITE), 0);
	*(char **)(void *)arena = arena + 0x30;
	assert_int_equal(region_pages_add(&pages, arena + 3000, 64, TAKEOVER_DONE), TAKEOVER_ARENA);
	region_pages_remove(&pages);
	assert_int_equal(region_pages_add(&pages, arena + PAGE, 64, TAKEOVER_DONE), TAKEOVER_DONE);
	region_pages_remove(&pages);
	*(char **)(void *)arena = NULL;
	assert_int_equal(region_pages_add(&pages, arena + 3000, 64, TAKEOVER_DONE), TAKEOVER_DONE);
	region_pages_remove(&pages);
	munmap(reserved, 2 * alignment);
}

static __attribute__((noinline)) enum takeover try_from_below(char *addr)
{
	struct region_pages pages;
	enum takeover obstacle;
	char frames[5 * PAGE_MAX];

	memset(frames, 0, sizeof(frames));
	__asm__ volatile("" ::"r"(frames) : "memory");
	obstacle = region_pages_add(&pages, addr, 1, TAKEOVER_DONE);
	region_pages_remove(&pages);
	return obstacle;
}

static void *try_own_stack(void *arg)
{
	char here[64] = {0};

	*(enum takeover *)arg = try_from_below(here);
	return NULL;
}

static void a_thread_leaves_its_stack_alone(void **state)
{
	enum takeover obstacle = TAKEOVER_DONE;
	pthread_t thread;

	(void)state;
	assert_int_equal(pthread_create(&thread, NULL, try_own_stack, &obstacle), 0);
	pthread_join(thread, NULL);
	assert_int_equal(obstacle, TAKEOVER_STACK);
	assert_int_equal(try_from_below((char *)&errno), TAKEOVER_STACK);
}

/* A look at all mappings for each is a price that not every number of exports shall have. */
static void only_so_many_exports_are_mapped(void **state)
{
	const size_t count = 1025;
	struct region_pages *pages = calloc(count, sizeof(*pages));
	char *memory = map_plain(count * PAGE);

	(void)state;
	assert_non_null(pages);
	for (size_t i = 0; i < count; i++)
		assert_int_equal(
			region_pages_add(&pages[i], memory + i * PAGE, PAGE, TAKEOVER_DONE),
			i < count - 1 ? TAKEOVER_DONE : TAKEOVER_MANY);
	region_pages_remove(&pages[0]);
	region_pages_remove(&pages[count - 1]);
	assert_int_equal(
		region_pages_add(&pages[0], memory + (count - 1) * PAGE, PAGE, TAKEOVER_DONE),
		TAKEOVER_DONE);
	for (size_t i = 0; i < count - 1; i++)
		region_pages_remove(&pages[i]);
	munmap(memory, count * PAGE);
	free(pages);
}

/* A child of fork() would copy all of it. The same memory counts for each export. */
static void only_so_much_is_mapped(void **state)
{
	enum { COUNT = 9 };
	const size_t size = (size_t)64 << 20;
	struct region_pages pages[COUNT];
	char *memory = map_plain(size);

	(void)state;
	for (size_t i = 0; i < COUNT; i++)
		assert_int_equal(region_pages_add(&pages[i], memory, size, TAKEOVER_DONE),
				 i < COUNT - 1 ? TAKEOVER_DONE : TAKEOVER_MANY);
	region_pages_remove(&pages[COUNT - 1]);
	region_pages_remove(&pages[0]);
	assert_int_equal(region_pages_add(&pages[0], memory, size, TAKEOVER_DONE), TAKEOVER_DONE);
	for (size_t i = 0; i < COUNT - 1; i++)
		region_pages_remove(&pages[i]);
	munmap(memory, size);
}

static void it_is_known_who_shares_pages(void **state)
{
	char *plain = map_plain(3 * PAGE), *small = malloc(5000), *large = malloc(1 << 20);
	void *aligned = NULL;

	(void)state;
	assert_true(region_pages_are_own(plain, 2 * PAGE));
	assert_false(region_pages_are_own(plain, 2 * PAGE - 1));
	assert_false(region_pages_are_own(plain + 1, 2 * PAGE - 1));
	assert_false(region_pages_are_own(plain + 64, 64));
	assert_false(region_pages_are_own(small, 5000));
	assert_false(region_pages_are_own(small + 64, 4000));
	/* whose memory looks different, or may not be looked at */
	if (runs_under_valgrind() || has_other_malloc() || !process_vm_is_allowed())
		goto out;
	assert_true(region_pages_are_own(large, 1 << 20));
	assert_true(region_pages_are_own(large, 1000));
	assert_false(region_pages_are_own(large + 16, 1000));
	assert_false(region_pages_are_own(large, (1 << 20) + PAGE));
	assert_int_equal(posix_memalign(&aligned, 128, 1 << 18), 0);
	assert_true(region_pages_are_own(aligned, 1 << 18));
out:
	free(aligned);
	free(large);
	free(small);
	munmap(plain, 3 * PAGE);
}

static void live_with_short_files(struct child *parent, void *arg)
{
	const struct rlimit limit = {.rlim_cur = 1 << 20, .rlim_max = 1 << 20};
	struct region_pages pages[2];
	char *memory = map_plain(2 * PAGE);

	(void)parent;
	(void)arg;
	if (region_pages_add(&pages[0], memory, PAGE, TAKEOVER_DONE) ||
	    setrlimit(RLIMIT_FSIZE, &limit))
		_exit(1);
	_exit(region_pages_add(&pages[1], memory + PAGE, PAGE, TAKEOVER_DONE) !=
	      TAKEOVER_NO_MEMORY);
}

static void a_limit_of_files_is_no_signal(void **state)
{
	struct child child = child_start(live_with_short_files, NULL);

	(void)state;
	assert_int_equal(child_join(&child), 0);
}

/*
 * Where no thread can be kept out
 */

static void *wait_for_ever(void *arg)
{
	for (;;)
		pause();
	return arg;
}

/* exit status: which step was wrong */
static void live_without_guard(struct child *parent, void *arg)
{
	struct region_pages pages[2], again;
	char *memory = map_plain(2 * PAGE);
	pthread_t thread;

	(void)parent;
	(void)arg;
	become_nobody();
	prctl(PR_SET_DUMPABLE, 1, 0, 0, 0); /* or it could not see its own mappings */
	for (size_t i = 0; i < 2; i++) {
		enum takeover obstacle =
			region_pages_add(&pages[i], memory + i * PAGE, PAGE, TAKEOVER_DONE);

		if (obstacle) /* A sanitizer has a thread of its own. */
			_exit(obstacle == TAKEOVER_THREADS ? SKIP : 1);
	}
	fill(memory, 2 * PAGE);
	if (pthread_create(&thread, NULL, wait_for_ever, NULL))
		_exit(SKIP);
	region_pages_remove(&pages[0]);
	if (!is_filled(memory, 2 * PAGE))
		_exit(2);
	/* It is the program's own, though still a mapping of the file. */
	if (!region_pages_add(&again, memory, PAGE, TAKEOVER_DONE))
		_exit(3);
	region_pages_remove(&again);
	_exit(is_filled(memory, 2 * PAGE) ? 0 : 4);
}

static void what_was_given_back_is_not_shared(void **state)
{
	struct child child = child_start(live_without_guard, NULL);
	int status = child_join(&child);

	(void)state;
	if (status == SKIP)
		skip();
	assert_int_equal(status, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_books_of_malloc_are_left_alone),
		cmocka_unit_test(a_thread_leaves_its_stack_alone),
		cmocka_unit_test(it_is_known_who_shares_pages),
		cmocka_unit_test(only_so_many_exports_are_mapped),
		cmocka_unit_test(only_so_much_is_mapped),
		cmocka_unit_test(a_limit_of_files_is_no_signal),
		cmocka_unit_test(what_was_given_back_is_not_shared),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
