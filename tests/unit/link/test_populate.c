/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Pages are there beforehand, with the kernel's call for it and without.
 */
#include "test.h"

#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <string.h>
#include <unistd.h>
#include "base/kernel.h"
#include "base/memfd.h"
#include "link/link.h"
#include "link/populate.h"
#include "pages.h"

#define PAGES 64
#define SIZE  (PAGES * PAGE)

static bool is_old;	 /* a kernel before Linux 5.14 */
static bool is_emulated; /* calls are QEMU's, which says yes to any advice */

int madvise(void *addr, size_t size, int advice)
{
	if (is_emulated)
		return 0;
	if (is_old && advice >= 22) {
		errno = EINVAL;
		return -1;
	}
	return (int)syscall(SYS_madvise, addr, size, advice);
}

static int setup_old(void **state)
{
	(void)state;
	is_old = true;
	is_emulated = false;
	return 0;
}

static int setup_emulated(void **state)
{
	(void)state;
	is_old = false;
	is_emulated = true;
	return 0;
}

static int setup_new(void **state)
{
	(void)state;
	is_old = is_emulated = false;
	return 0;
}

static char *map(int flags, int fd)
{
	char *memory = mmap(NULL, SIZE, PROT_READ | PROT_WRITE, flags, fd, 0);

	assert_true(memory != MAP_FAILED);
	return memory;
}

static size_t count_present(char *memory)
{
	unsigned char present[PAGES];
	size_t count = 0;

	assert_int_equal(mincore(memory, SIZE, present), 0);
	for (size_t i = 0; i < PAGES; i++)
		count += present[i] & 1;
	return count;
}

static void pages_are_there(void **state)
{
	char *memory = map(MAP_PRIVATE | MAP_ANONYMOUS, -1);

	(void)state;
	assert_int_equal(count_present(memory), 0);
	assert_true(populate_for_write(memory, SIZE));
	assert_int_equal(count_present(memory), PAGES);
	munmap(memory, SIZE);
}

/* A private mapping shows what others write to the file, until its pages are its own. */
static void private_pages_become_the_process_own(void **state)
{
	char *shared, *private;
	int fd;

	(void)state;
	assert_ok(priv_memfd_create("softfield-test", SIZE, &fd));
	shared = map(MAP_SHARED, fd);
	private = map(MAP_PRIVATE, fd);
	memset(shared, 1, SIZE);
	assert_int_equal(private[SIZE - 1], 1);
	assert_true(populate_for_write(private, SIZE));
	memset(shared, 2, SIZE);
	for (size_t i = 0; i < SIZE; i++)
		assert_int_equal(private[i], 1);
	munmap(private, SIZE);
	munmap(shared, SIZE);
	close(fd);
}

struct counting {
	_Atomic uint64_t *counters; /* one in each page, at its beginning */
	_Atomic bool stop;
	uint64_t rounds;
};

static void *count_up(void *arg)
{
	struct counting *counting = arg;

	while (!atomic_load(&counting->stop)) {
		for (size_t i = 0; i < PAGES; i++)
			atomic_fetch_add(&counting->counters[i * PAGE / 8], 1);
		counting->rounds++;
	}
	return NULL;
}

static void what_others_write_stays(void **state)
{
	char *memory = map(MAP_PRIVATE | MAP_ANONYMOUS, -1);
	struct counting counting = {.counters = (void *)memory};
	pthread_t thread;

	(void)state;
	assert_int_equal(pthread_create(&thread, NULL, count_up, &counting), 0);
	for (int i = 0; i < 200; i++)
		assert_true(populate_for_write(memory, SIZE));
	atomic_store(&counting.stop, true);
	pthread_join(thread, NULL);
	for (size_t i = 0; i < PAGES; i++)
		assert_int_equal(counting.counters[i * PAGE / 8], counting.rounds);
	munmap(memory, SIZE);
}

static void a_gap_is_an_error(void **state)
{
	char *memory = map(MAP_PRIVATE | MAP_ANONYMOUS, -1);

	(void)state;
	munmap(memory + PAGE, PAGE);
	if (!populate_knows(MADV_POPULATE_WRITE)) {
		munmap(memory, SIZE);
		skip();
	}
	assert_false(populate_for_write(memory, SIZE));
	munmap(memory, SIZE);
}

static void advice_is_known_or_not(void **state)
{
	(void)state;
	assert_true(populate_knows(MADV_DONTNEED));
	assert_false(populate_knows(12345));
}

#define NEW(name) cmocka_unit_test_setup(name, setup_new)
#define OLD(name)                                                                                  \
	{                                                                                          \
#name " (old kernel)", name, setup_old, NULL, NULL                                 \
	}
#define EMULATED(name)                                                                             \
	{                                                                                          \
#name " (emulated)", name, setup_emulated, NULL, NULL                              \
	}

int main(void)
{
	const struct CMUnitTest tests[] = {
		NEW(pages_are_there),
		OLD(pages_are_there),
		EMULATED(pages_are_there),
		NEW(private_pages_become_the_process_own),
		OLD(private_pages_become_the_process_own),
		EMULATED(private_pages_become_the_process_own),
		NEW(what_others_write_stays),
		OLD(what_others_write_stays),
		NEW(a_gap_is_an_error),
		NEW(advice_is_known_or_not),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
