/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Where descriptors are, and how many there may be.
 */
#include "test.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>
#include "base/bell.h"
#include "base/fd.h"
#include "base/memfd.h"
#include "leak.h"

/* as a program has it that runs without a standard input */
static void none_is_in_the_place_of_a_standard_one(void **state)
{
	int made[4], fds[FD_MESSAGE_FDS_MAX], socks[2];
	unsigned int count, i;
	int input = dup(0);
	bool is_free;
	size_t size;
	char byte;

	(void)state;
	assert_int_equal(socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, socks), 0);
	close(0);
	assert_ok(priv_memfd_create("test", 4096, &made[0]));
	assert_ok(priv_eventfd_create(&made[1]));
	assert_ok(priv_bell_create(&made[2]));
	assert_ok(priv_fd_copy_all(&made[1], 1, &made[3]));
	assert_ok(priv_fd_send(socks[0], "x", 1, made, 4));
	assert_ok(priv_fd_receive(socks[1], &byte, 1, &size, fds, &count));
	is_free = fcntl(0, F_GETFD) < 0;
	dup2(input, 0);
	close(input);
	assert_true(is_free);
	assert_int_equal(count, 4);
	for (i = 0; i < 4; i++)
		assert_true(made[i] > 2 && fcntl(fds[i], F_GETFD) == FD_CLOEXEC);
	priv_fd_close_all(fds, count);
	priv_fd_close_all(made, 4);
	priv_fd_close_all(socks, 2);
}

static void the_limit_of_open_files_is_raised_when_met(void **state)
{
	struct rlimit before, low, now;
	int fd;

	(void)state;
	assert_int_equal(getrlimit(RLIMIT_NOFILE, &before), 0);
	low = before;
	low.rlim_cur = 3;
	assert_int_equal(setrlimit(RLIMIT_NOFILE, &low), 0);
	assert_ok(priv_eventfd_create(&fd));
	assert_int_equal(getrlimit(RLIMIT_NOFILE, &now), 0);
	assert_int_equal(now.rlim_cur, before.rlim_max);
	errno = EMFILE;
	assert_false(priv_fd_made_room());
	close(fd);
	assert_int_equal(setrlimit(RLIMIT_NOFILE, &before), 0);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, leak_setup, leak_teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(none_is_in_the_place_of_a_standard_one),
		TEST(the_limit_of_open_files_is_raised_when_met),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
