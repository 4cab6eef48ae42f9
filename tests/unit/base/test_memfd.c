/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Memory that cannot change its size, and what strangers send instead of it.
 */
#include "test.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>
#include "base/bell.h"
#include "base/memfd.h"
#include "leak.h"

static void a_memfd_keeps_its_size(void **state)
{
	size_t size;
	int fd;

	(void)state;
	assert_ok(priv_memfd_create("softfield-test", 10000, &fd));
	assert_int_equal(ftruncate(fd, 100), -1);
	assert_int_equal(ftruncate(fd, 20000), -1);
	assert_ok(priv_memfd_check(fd, &size));
	assert_int_equal(size, 10000);
	assert_true(fcntl(fd, F_GETFD) & FD_CLOEXEC);
	close(fd);
}

static void a_memfd_is_allocated_when_it_is_made(void **state)
{
	struct stat st;
	int fd;

	(void)state;
	assert_ok(priv_memfd_create("softfield-test", 1 << 20, &fd));
	assert_int_equal(fstat(fd, &st), 0);
	assert_true(st.st_blocks * 512 >= 1 << 20);
	close(fd);
}

static void a_sparse_memfd_is_allocated_where_it_is_used(void **state)
{
	struct stat st;
	size_t size;
	int fd;

	(void)state;
	assert_ok(priv_memfd_create_sparse("softfield-test", 1 << 20, 1 << 16, &fd));
	assert_ok(priv_memfd_check(fd, &size));
	assert_int_equal(size, 1 << 20);
	assert_int_equal(fcntl(fd, F_ADD_SEALS, F_SEAL_FUTURE_WRITE), -1); /* a peer could do so */
	assert_int_equal(fstat(fd, &st), 0);
	assert_true(st.st_blocks * 512 >= 1 << 16);
	assert_true(st.st_blocks * 512 < 1 << 20);
	close(fd);
	assert_ok(priv_memfd_create_sparse("softfield-test", 1 << 20, 0, &fd));
	assert_int_equal(fstat(fd, &st), 0);
	assert_int_equal(st.st_blocks, 0);
	close(fd);
}

/* The kernel would send SIGXFSZ. */
static void memory_beyond_the_limit_of_files_is_refused(void **state)
{
	struct rlimit before, low;
	int fd;

	(void)state;
	assert_int_equal(getrlimit(RLIMIT_FSIZE, &before), 0);
	low = (struct rlimit){.rlim_cur = 1 << 16, .rlim_max = before.rlim_max};
	assert_int_equal(setrlimit(RLIMIT_FSIZE, &low), 0);
	assert_err(priv_memfd_create("softfield-test", (1 << 16) + 1, &fd), NO_MEMORY);
	assert_err(priv_memfd_create_sparse("softfield-test", 1 << 20, 4096, &fd), NO_MEMORY);
	assert_ok(priv_memfd_create("softfield-test", 1 << 16, &fd));
	assert_int_equal(setrlimit(RLIMIT_FSIZE, &before), 0);
	close(fd);
}

static void expect_refusal(int fd)
{
	size_t size = 77;

	assert_err(priv_memfd_check(fd, &size), INVALID_VALUE);
	assert_int_equal(size, 77);
}

static int unsealed_memfd(int seals)
{
	int fd = memfd_create("softfield-test", MFD_CLOEXEC | MFD_ALLOW_SEALING);

	assert_true(fd >= 0);
	assert_int_equal(ftruncate(fd, 4096), 0);
	if (seals)
		assert_int_equal(fcntl(fd, F_ADD_SEALS, seals), 0);
	return fd;
}

static void memory_that_can_change_its_size_is_refused(void **state)
{
	static const int seals[] = {0, F_SEAL_SHRINK, F_SEAL_GROW, F_SEAL_SEAL, F_SEAL_WRITE};
	unsigned int i;

	(void)state;
	for (i = 0; i < ARRAY_SIZE(seals); i++) {
		int fd = unsealed_memfd(seals[i]);

		expect_refusal(fd);
		close(fd);
	}
}

static void what_is_no_memory_is_refused(void **state)
{
	int pipes[2], fd;

	(void)state;
	assert_int_equal(pipe(pipes), 0);
	expect_refusal(pipes[0]);
	close(pipes[0]);
	close(pipes[1]);
	fd = open("/dev/null", O_RDWR | O_CLOEXEC);
	expect_refusal(fd);
	close(fd);
	fd = open("/proc/self/maps", O_RDONLY | O_CLOEXEC);
	expect_refusal(fd);
	close(fd);
	assert_ok(priv_eventfd_create(&fd));
	expect_refusal(fd);
	close(fd);
	expect_refusal(-1);
}

static void empty_memory_is_refused(void **state)
{
	int fd = memfd_create("softfield-test", MFD_CLOEXEC | MFD_ALLOW_SEALING);

	(void)state;
	assert_int_equal(fcntl(fd, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW), 0);
	expect_refusal(fd);
	close(fd);
}

/* Its pages can vanish under a mapping, and touching them then is a signal. */
static void huge_pages_are_refused(void **state)
{
	int fd = memfd_create("softfield-test", MFD_CLOEXEC | MFD_ALLOW_SEALING | MFD_HUGETLB);

	(void)state;
	if (fd < 0)
		skip(); /* a kernel without them */
	if (ftruncate(fd, 2 << 20) || fcntl(fd, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW)) {
		close(fd);
		skip();
	}
	expect_refusal(fd);
	close(fd);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, leak_setup, leak_teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(a_memfd_keeps_its_size),
		TEST(a_memfd_is_allocated_when_it_is_made),
		TEST(a_sparse_memfd_is_allocated_where_it_is_used),
		TEST(memory_beyond_the_limit_of_files_is_refused),
		TEST(memory_that_can_change_its_size_is_refused),
		TEST(what_is_no_memory_is_refused),
		TEST(empty_memory_is_refused),
		TEST(huge_pages_are_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
