/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What only links over sockets do: they accept and read so much at a time, run out of descriptors,
 * and keep what they queue to themselves. The rest is in tests/contract/link.c.
 */
#include "test.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>
#include "base/bell.h"
#include "base/clock.h"
#include "base/fd.h"
#include "descriptors.h"
#include "dying.h"
#include "leak.h"
#include "link/rendezvous.h"
#include "link/shm.h"
#include "readable.h"
#include "unique.h"
#include "valgrind.h"

#define CALLERS 200u

struct rig {
	struct poll_group group;
	struct link_addr addr;
	struct link_listener *listener;
	struct link *links[CALLERS]; /* as accepted */
	unsigned int calls, messages, losses;
	int socks[CALLERS]; /* their other ends, bare */
	unsigned int sock_count;
	struct leak before;
};

static void got_message(struct link *link, const void *msg, size_t size, const int *fds,
			unsigned int fd_count)
{
	struct rig *rig = link->owner;

	(void)msg;
	(void)size;
	rig->messages++;
	priv_fd_close_all(fds, fd_count);
}

static void got_lost(struct link *link, doca_error_t reason)
{
	(void)reason;
	((struct rig *)link->owner)->losses++;
}

static const struct link_handler handler = {.message = got_message, .lost = got_lost};

static void got_call(struct link_listener *listener, struct link *link)
{
	struct rig *rig = listener->owner;

	link->handler = &handler;
	link->owner = rig;
	rig->links[rig->calls++] = link;
}

static const struct link_listener_handler listener_handler = {.incoming = got_call};

static int setup(void **state)
{
	struct rig *rig = calloc(1, sizeof(*rig));
	const struct topo *topo;

	assert_ok(priv_topo_get(&topo));
	rig->before = leak_count();
	priv_clock_virtual.on = true;
	priv_clock_virtual.now_ns = 1000000000;
	assert_ok(priv_poll_group_init(&rig->group));
	rig->addr.card = &topo->cards[0];
	snprintf(rig->addr.function, sizeof(rig->addr.function), "0000:b1:00.0");
	unique_name(rig->addr.service, sizeof(rig->addr.service), "shm");
	assert_ok(
		priv_link_listen(&rig->group, &rig->addr, &listener_handler, rig, &rig->listener));
	*state = rig;
	return 0;
}

static int teardown(void **state)
{
	struct rig *rig = *state;
	struct leak before = rig->before;
	unsigned int i;

	for (i = 0; i < rig->calls; i++)
		link_close(rig->links[i]);
	link_unlisten(rig->listener);
	priv_fd_close_all(rig->socks, rig->sock_count);
	priv_poll_group_fini(&rig->group);
	priv_clock_virtual.on = false;
	free(rig);
	return leak_check(&before) ? 0 : -1;
}

static void poll_once(struct rig *rig)
{
	priv_clock_virtual.now_ns += 1000000;
	priv_poll_group_poll(&rig->group, 0);
}

static void call(struct rig *rig)
{
	assert_ok(rendezvous_connect(&rig->addr, &rig->socks[rig->sock_count]));
	rig->sock_count++;
}

static void say(struct rig *rig)
{
	assert_int_equal(send(rig->socks[0], "x", 1, 0), 1);
}

/*
 * So much at a time
 */

static void callers_are_let_in_a_batch_at_a_time(void **state)
{
	struct rig *rig = *state;
	unsigned int i;

	for (i = 0; i < CALLERS; i++)
		call(rig);
	poll_once(rig);
	assert_in_range(rig->calls, 1, CALLERS / 2);
	for (i = 0; i < 20; i++)
		poll_once(rig);
	assert_int_equal(rig->calls, CALLERS);
}

static void messages_are_read_a_batch_at_a_time(void **state)
{
	struct rig *rig = *state;
	unsigned int i;

	call(rig);
	poll_once(rig);
	poll_once(rig);
	for (i = 0; i < 200; i++)
		say(rig);
	poll_once(rig);
	assert_in_range(rig->messages, 1, 100);
	for (i = 0; i < 20; i++)
		poll_once(rig);
	assert_int_equal(rig->messages, 200);
}

static void a_batch_that_is_left_forbids_to_sleep(void **state)
{
	struct rig *rig = *state;
	unsigned int i;

	call(rig);
	poll_once(rig);
	poll_once(rig);
	for (i = 0; i < 200; i++)
		say(rig);
	poll_once(rig);
	assert_false(priv_poll_group_arm(&rig->group));
	for (i = 0; i < 20; i++)
		poll_once(rig);
	assert_int_equal(rig->messages, 200);
	assert_true(priv_poll_group_arm(&rig->group));
}

static void what_was_said_before_hanging_up_is_read_in_batches_too(void **state)
{
	struct rig *rig = *state;
	unsigned int i;

	call(rig);
	for (i = 0; i < 200; i++)
		say(rig);
	close(rig->socks[--rig->sock_count]);
	for (i = 0; i < 20; i++)
		poll_once(rig);
	assert_int_equal(rig->messages, 200);
	assert_int_equal(rig->losses, 1);
}

/*
 * Out of descriptors
 */

/* The hard limit as well, so that it cannot be raised: only tests of this kind come afterwards. */
static unsigned int use_up_descriptors(int *fds, unsigned int most)
{
	const struct rlimit low = {.rlim_cur = 200, .rlim_max = 200};
	unsigned int count = 0;

	assert_int_equal(setrlimit(RLIMIT_NOFILE, &low), 0);
	while (count < most && (fds[count] = open("/dev/null", O_RDONLY | O_CLOEXEC)) >= 0)
		count++;
	assert_int_equal(errno, EMFILE);
	return count;
}

static void callers_wait_while_there_are_no_descriptors(void **state)
{
	struct rig *rig = *state;
	int fds[256];
	unsigned int count, i;

	if (runs_under_valgrind())
		skip(); /* its hard limit stays */
	call(rig);
	count = use_up_descriptors(fds, 256);
	for (i = 0; i < 20; i++)
		poll_once(rig);
	assert_int_equal(rig->calls, 0);
	priv_fd_close_all(fds, count);
	/* Nobody calls again; the one who waits is remembered. */
	for (i = 0; i < 200; i++)
		poll_once(rig);
	assert_int_equal(rig->calls, 1);
}

/* With the kernel's clock, for that is what takes a descriptor. */
static void a_server_without_descriptors_sleeps_between_two_looks(void **state)
{
	struct rig *rig = *state;
	struct pollfd pollfd = {.fd = rig->group.epoll_fd, .events = POLLIN};
	bool may_sleep = false;
	int fds[256];
	unsigned int count, i;

	if (runs_under_valgrind())
		skip(); /* its hard limit stays */
	priv_clock_virtual.on = false;
	call(rig);
	count = use_up_descriptors(fds, 256);
	while (list_is_empty(&rig->group.timers))
		priv_poll_group_poll(&rig->group, 0);
	for (i = 0; i < 1000 && !may_sleep; i++) { /* the timer may just be due */
		priv_poll_group_clear(&rig->group);
		priv_poll_group_poll(&rig->group, 0);
		may_sleep = priv_poll_group_arm(&rig->group);
	}
	assert_true(may_sleep);
	assert_int_equal(poll(&pollfd, 1, -1), 1);
	assert_int_equal(rig->calls, 0);
	priv_fd_close_all(fds, count);
	while (!rig->calls)
		priv_poll_group_poll(&rig->group, 0);
}

/*
 * Queued messages
 */

static unsigned int count_inheritable(void)
{
	unsigned int count = 0;
	int fd;

	for (fd = 3; fd < 1024; fd++) {
		int flags = fcntl(fd, F_GETFD);

		count += flags >= 0 && !(flags & FD_CLOEXEC);
	}
	return count;
}

static void queued_descriptors_are_not_inherited(void **state)
{
	struct rig *rig = *state;
	unsigned int before = count_inheritable(), i;
	doca_error_t err = DOCA_SUCCESS;
	int fd;

	call(rig);
	poll_once(rig);
	assert_int_equal(rig->calls, 1);
	assert_ok(priv_eventfd_create(&fd));
	for (i = 0; i < 1000 && !err; i++) /* more than the socket takes */
		err = link_send(rig->links[0], "x", 1, &fd, 1);
	assert_int_equal(err, DOCA_ERROR_FULL); /* one peer does not keep them from all others */
	assert_int_equal(count_inheritable(), before);
	close(fd);
}

static unsigned int send_until_full(struct link *link, int fd)
{
	doca_error_t err = DOCA_SUCCESS;
	unsigned int count;

	for (count = 0; count < 1000 && !err; count++)
		err = link_send(link, "x", 1, &fd, 1);
	assert_int_equal(err, DOCA_ERROR_FULL);
	return count - 1;
}

static void read_all(int sock)
{
	int fds[FD_MESSAGE_FDS_MAX];
	unsigned int count;
	size_t size;
	char byte;

	while (!priv_fd_receive(sock, &byte, 1, &size, fds, &count))
		priv_fd_close_all(fds, count);
}

/* The peer was slow, and may be so again. */
static void descriptors_count_until_they_are_sent(void **state)
{
	struct rig *rig = *state;
	unsigned int count, i;
	int fd;

	call(rig);
	poll_once(rig);
	assert_ok(priv_eventfd_create(&fd));
	count = send_until_full(rig->links[0], fd);
	for (i = 0; i < 20; i++) {
		read_all(rig->socks[0]);
		poll_once(rig);
	}
	assert_int_equal(send_until_full(rig->links[0], fd), count);
	close(fd);
}

static void a_queue_that_nobody_reads_has_an_end(void **state)
{
	struct rig *rig = *state;
	doca_error_t err = DOCA_SUCCESS;
	unsigned int i;

	call(rig);
	poll_once(rig);
	for (i = 0; i < 100000 && !err; i++)
		err = link_send(rig->links[0], "x", 1, NULL, 0);
	assert_int_equal(err, DOCA_ERROR_NO_MEMORY);
}

static unsigned int hear(struct rig *rig)
{
	unsigned int count = 0;
	char msg[8];

	while (recv(rig->socks[0], msg, sizeof(msg), MSG_DONTWAIT) > 0)
		count++;
	return count;
}

static void room_wakes_whom_it_helps(void **state)
{
	struct rig *rig = *state;
	unsigned int said, heard, i;

	call(rig);
	poll_once(rig);
	poll_once(rig);
	assert_ok(link_send(rig->links[0], "x", 1, NULL, 0));
	assert_true(priv_poll_group_arm(&rig->group));
	assert_int_equal(hear(rig), 1);
	assert_false(is_readable(rig->group.epoll_fd)); /* nothing waits for that room */

	for (said = 0; said < 2000; said++) /* more than the socket takes */
		assert_ok(link_send(rig->links[0], "x", 1, NULL, 0));
	poll_once(rig);
	assert_true(priv_poll_group_arm(&rig->group));
	heard = hear(rig);
	assert_in_range(heard, 1, said - 1);
	for (i = 0; i < 100 && heard < said; i++) {
		assert_true(is_readable(rig->group.epoll_fd));
		poll_once(rig);
		assert_true(priv_poll_group_arm(&rig->group));
		heard += hear(rig);
	}
	assert_int_equal(heard, said);
	poll_once(rig);
	assert_ok(link_send(rig->links[0], "x", 1, NULL, 0));
	assert_true(priv_poll_group_arm(&rig->group));
	assert_int_equal(hear(rig), 1);
	assert_false(is_readable(rig->group.epoll_fd));
}

/*
 * Children that were forked a moment ago
 */

/* The child has the server's socket, as one that did not run yet; it is gone soon after the end. */
static pid_t fork_unheard(int *ret_end)
{
	int ends[2];
	char byte;
	pid_t pid;

	assert_int_equal(pipe2(ends, O_CLOEXEC), 0);
	pid = _Fork();
	assert_true(pid >= 0);
	if (!pid) {
		close(ends[1]);
		_exit(read(ends[0], &byte, 1) != 0);
	}
	close(ends[0]);
	*ret_end = ends[1];
	return pid;
}

static void a_name_is_free_although_a_child_is_still_to_run(void **state)
{
	struct rig *rig = *state;
	int end, status, client;
	pid_t pid = fork_unheard(&end);

	link_unlisten(rig->listener);
	assert_err(rendezvous_connect(&rig->addr, &client), NOT_FOUND);
	close(end);
	assert_ok(
		priv_link_listen(&rig->group, &rig->addr, &listener_handler, rig, &rig->listener));
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_int_equal(status, 0);
	call(rig);
	poll_once(rig);
	assert_int_equal(rig->calls, 1);
}

static void a_name_is_taken_while_its_server_has_children(void **state)
{
	struct rig *rig = *state;
	struct link_listener *second;
	int end, status;
	pid_t pid = fork_unheard(&end);

	assert_err(priv_link_listen(&rig->group, &rig->addr, &listener_handler, rig, &second),
		   IN_USE);
	close(end);
	assert_int_equal(waitpid(pid, &status, 0), pid);
	poll_once(rig); /* whoever asked is gone again */
}

/* its peers are told before the name is free */
static void a_name_can_be_had_while_its_server_dies(void **state)
{
	struct rig *rig = *state;

	take_from_the_dying(&rig->addr);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(callers_are_let_in_a_batch_at_a_time),
		TEST(messages_are_read_a_batch_at_a_time),
		TEST(a_batch_that_is_left_forbids_to_sleep),
		TEST(what_was_said_before_hanging_up_is_read_in_batches_too),
		TEST(queued_descriptors_are_not_inherited),
		TEST(descriptors_count_until_they_are_sent),
		TEST(a_queue_that_nobody_reads_has_an_end),
		TEST(room_wakes_whom_it_helps),
		TEST(a_name_is_free_although_a_child_is_still_to_run),
		TEST(a_name_is_taken_while_its_server_has_children),
		TEST(a_name_can_be_had_while_its_server_dies),
		TEST(callers_wait_while_there_are_no_descriptors),
		TEST(a_server_without_descriptors_sleeps_between_two_looks),
	};

	if (!many_descriptors_are_allowed())
		return 77; /* skipped */
	return cmocka_run_group_tests(tests, NULL, NULL);
}
