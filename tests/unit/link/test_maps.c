/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What is mapped: every field of mappings that the test has made.
 */
#include "takeovertest.h"

#include <errno.h>
#include <pthread.h>
#include <stdarg.h>
#include <sys/ioctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include "link/maps.h"
#include "valgrind.h"
#include "pages.h"

/* A kernel that does not know the question for one mapping. */
static bool is_old;

int ioctl(int fd, unsigned long request, ...)
{
	va_list args;
	void *arg;

	va_start(args, request);
	arg = va_arg(args, void *);
	va_end(args);
	if (!is_old)
		return (int)syscall(SYS_ioctl, fd, request, arg);
	errno = ENOTTY;
	return -1;
}

static bool find(const void *addr, struct mapping *ret_mapping)
{
	bool found = false;
	struct maps maps;

	assert_true(maps_open(&maps));
	while (!found && maps_next(&maps, ret_mapping))
		found = ret_mapping->begin <= (uintptr_t)addr && (uintptr_t)addr < ret_mapping->end;
	maps_close(&maps);
	assert_false(maps.failed);
	return found;
}

static void a_mapping_of_a_file_is_told(void **state)
{
	int memfd = make_memfd(4 * PAGE);
	struct mapping mapping;
	struct stat st;
	char *addr;

	(void)state;
	addr = mmap(NULL, 2 * PAGE, PROT_READ, MAP_SHARED, memfd, (off_t)PAGE);
	assert_true(addr != MAP_FAILED);
	assert_int_equal(fstat(memfd, &st), 0);
	assert_true(find(addr + PAGE, &mapping));
	assert_int_equal(mapping.begin, (uintptr_t)addr);
	assert_int_equal(mapping.end, (uintptr_t)addr + 2 * PAGE);
	assert_int_equal(mapping.offset, PAGE);
	assert_int_equal(mapping.dev, st.st_dev);
	assert_int_equal(mapping.inode, st.st_ino);
	assert_true(mapping.readable && mapping.shared);
	assert_false(mapping.writable || mapping.executable || mapping.is_stack);
	munmap(addr, 2 * PAGE);
	close(memfd);
}

static void kinds_of_memory_are_told(void **state)
{
	char *plain = map_plain(PAGE);
	struct mapping mapping;

	(void)state;
	assert_true(find(plain, &mapping));
	assert_true(mapping.readable && mapping.writable);
	assert_false(mapping.executable || mapping.shared || mapping.is_stack);
	assert_int_equal(mapping.inode, 0);
	assert_true(find(&mapping, &mapping));
	assert_true(mapping.is_stack || runs_under_valgrind()); /* whose is not called so */
	assert_true(find((void *)(uintptr_t)find, &mapping));
	assert_true(mapping.executable && mapping.inode);
	munmap(plain, PAGE);
	assert_false(find(plain, &mapping));
}

/* more than one read of the file */
static void all_of_many_are_told(void **state)
{
	const size_t count = 300;
	char *addr = map_plain(2 * count * PAGE);
	struct mapping mapping;

	(void)state;
	for (size_t i = 0; i < count; i++)
		assert_int_equal(mprotect(addr + 2 * i * PAGE, PAGE, PROT_NONE), 0);
	for (size_t i = 0; i < count; i++) {
		assert_true(find(addr + 2 * i * PAGE, &mapping));
		assert_false(mapping.readable || mapping.writable);
		assert_true(find(addr + (2 * i + 1) * PAGE, &mapping));
		assert_int_equal(mapping.begin, (uintptr_t)addr + (2 * i + 1) * PAGE);
	}
	munmap(addr, 2 * count * PAGE);
}

static bool is_same(const struct mapping *a, const struct mapping *b)
{
	return a->begin == b->begin && a->end == b->end && a->offset == b->offset &&
	       a->dev == b->dev && a->inode == b->inode && a->readable == b->readable &&
	       a->writable == b->writable && a->executable == b->executable &&
	       a->shared == b->shared && a->is_stack == b->is_stack;
}

static void expect_to_find_what_is_read(void)
{
	char *hole = map_plain(3 * PAGE);
	struct mapping read, found;
	struct maps reader, maps;
	uintptr_t covered = 0;

	munmap(hole + PAGE, PAGE);
	assert_true(maps_open(&reader));
	assert_true(maps_open(&maps));
	/* The last one may be the kernel's own, which it is not asked for. */
	while (maps_next(&reader, &read) && read.end < UINTPTR_MAX / 2) {
		assert_true(maps_find(&maps, covered, &found));
		assert_true(is_same(&found, &read));
		covered = read.end;
	}
	assert_true(covered > (uintptr_t)hole);
	assert_false(maps_find(&maps, UINTPTR_MAX, &found));
	assert_false(reader.failed || maps.failed);
	maps_close(&reader);
	maps_close(&maps);
	munmap(hole, PAGE);
	munmap(hole + 2 * PAGE, PAGE);
}

/* whether the kernel answers the question or all that comes before is read */
static void one_is_found_as_it_is_read(void **state)
{
	(void)state;
	expect_to_find_what_is_read();
	is_old = true;
	expect_to_find_what_is_read();
	is_old = false;
}

static void *keep(void *arg)
{
	*(bool *)arg = maps_keep();
	return NULL;
}

/* a thread that takes memory over, and ends before it is given back */
static void what_is_kept_outlives_its_thread(void **state)
{
	struct rlimit before, none;
	struct mapping mapping;
	bool is_kept = false, is_open;
	pthread_t thread;
	struct maps maps;

	(void)state;
	assert_int_equal(pthread_create(&thread, NULL, keep, &is_kept), 0);
	assert_int_equal(pthread_join(thread, NULL), 0);
	assert_true(is_kept);
	assert_int_equal(getrlimit(RLIMIT_NOFILE, &before), 0);
	none = (struct rlimit){0, before.rlim_max};
	assert_int_equal(setrlimit(RLIMIT_NOFILE, &none), 0);
	is_open = maps_open(&maps);
	assert_int_equal(setrlimit(RLIMIT_NOFILE, &before), 0);
	assert_true(is_open);
	assert_true(maps.is_kept || runs_under_valgrind());
	assert_true(maps_next(&maps, &mapping));
	assert_false(maps.failed);
	maps_close(&maps);
	maps_let_go();
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_mapping_of_a_file_is_told),
		cmocka_unit_test(kinds_of_memory_are_told),
		cmocka_unit_test(all_of_many_are_told),
		cmocka_unit_test(one_is_found_as_it_is_read),
		cmocka_unit_test(what_is_kept_outlives_its_thread),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
