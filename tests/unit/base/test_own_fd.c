/* SPDX-License-Identifier: BSD-3-Clause */
#include "test.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>
#include "base/own_fd.h"
#include "child.h"
#include "leak.h"

struct ends {
	int here, there;
	struct own_fd own;
};

static struct ends open_ends(void)
{
	struct ends ends;
	int pair[2];

	assert_int_equal(socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair), 0);
	ends.here = pair[0];
	ends.there = pair[1];
	return ends;
}

static bool is_hung_up(int sock)
{
	struct pollfd ends = {.fd = sock, .events = POLLIN};

	return poll(&ends, 1, 0) == 1 && (ends.revents & POLLHUP);
}

static void closing_sets_it_to_nothing(void **state)
{
	struct ends ends = open_ends();

	(void)state;
	own_fd_adopt(&ends.own, &ends.here);
	assert_false(is_hung_up(ends.there));
	own_fd_close(&ends.own);
	assert_int_equal(ends.here, -1);
	assert_true(is_hung_up(ends.there));
	close(ends.there);
}

/* exit status: which step was wrong */
static void live_without(struct child *parent, void *arg)
{
	struct ends *ends = arg;
	int other;

	if (ends->here != -1)
		_exit(1);
	other = open("/dev/null", O_RDONLY); /* the same number, most likely */
	own_fd_close(&ends->own);
	if (fcntl(other, F_GETFD) < 0)
		_exit(2);
	child_tell(parent);
	child_await(parent);
}

static void a_child_has_it_no_more(void **state)
{
	struct ends ends = open_ends();
	struct child child;

	(void)state;
	own_fd_adopt(&ends.own, &ends.here);
	child = child_start(live_without, &ends);
	child_await(&child);
	assert_true(ends.here >= 0);
	assert_false(is_hung_up(ends.there));
	own_fd_close(&ends.own);
	assert_true(is_hung_up(ends.there)); /* while the child lives */
	child_tell(&child);
	assert_int_equal(child_join(&child), 0);
	close(ends.there);
}

static void look_for_none(struct child *parent, void *arg)
{
	struct ends *ends = arg;

	(void)parent;
	if (ends[0].here != -1 || ends[1].here != -1 || ends[2].here != -1)
		_exit(1);
}

static void any_number_of_them(void **state)
{
	struct ends ends[3];
	struct child child;
	int i;

	(void)state;
	for (i = 0; i < 3; i++) {
		ends[i] = open_ends();
		own_fd_adopt(&ends[i].own, &ends[i].here);
	}
	own_fd_close(&ends[1].own);
	child = child_start(look_for_none, ends);
	assert_int_equal(child_join(&child), 0);
	own_fd_close(&ends[0].own);
	own_fd_close(&ends[2].own);
	for (i = 0; i < 3; i++)
		close(ends[i].there);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, leak_setup, leak_teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(closing_sets_it_to_nothing),
		TEST(a_child_has_it_no_more),
		TEST(any_number_of_them),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
