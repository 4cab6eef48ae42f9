/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Messages that carry descriptors, and senders who send too many.
 */
#include "test.h"

#include <fcntl.h>
#include <linux/capability.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>
#include "base/bell.h"
#include "base/fd.h"
#include "leak.h"

struct sockets {
	int a, b;
};

static struct sockets open_sockets(void)
{
	struct sockets s;

	assert_int_equal(
		socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0, (int *)&s),
		0);
	return s;
}

static void close_sockets(struct sockets s)
{
	close(s.a);
	close(s.b);
}

static void a_message_arrives_with_its_descriptors(void **state)
{
	struct sockets s = open_sockets();
	int sent[2], fds[FD_MESSAGE_FDS_MAX];
	unsigned int count;
	uint64_t value;
	char buf[16];
	size_t size;

	(void)state;
	assert_ok(priv_eventfd_create(&sent[0]));
	assert_ok(priv_eventfd_create(&sent[1]));
	priv_eventfd_ring(sent[1]);
	assert_ok(priv_fd_send(s.a, "hello", 6, sent, 2));
	assert_ok(priv_fd_receive(s.b, buf, sizeof(buf), &size, fds, &count));
	assert_int_equal(size, 6);
	assert_string_equal(buf, "hello");
	assert_int_equal(count, 2);
	assert_int_equal(read(fds[1], &value, sizeof(value)), sizeof(value));
	assert_true(fcntl(fds[0], F_GETFD) & FD_CLOEXEC);
	priv_fd_close_all(fds, count);
	priv_fd_close_all(sent, 2);
	close_sockets(s);
}

static void nothing_there_is_again(void **state)
{
	struct sockets s = open_sockets();
	int fds[FD_MESSAGE_FDS_MAX];
	unsigned int count;
	char buf[16];
	size_t size;

	(void)state;
	assert_err(priv_fd_receive(s.b, buf, sizeof(buf), &size, fds, &count), AGAIN);
	close_sockets(s);
}

static void a_full_socket_is_again(void **state)
{
	struct sockets s = open_sockets();
	doca_error_t err = DOCA_SUCCESS;
	unsigned int i;

	(void)state;
	for (i = 0; i < 100000 && !err; i++)
		err = priv_fd_send(s.a, "x", 1, NULL, 0);
	assert_int_equal(err, DOCA_ERROR_AGAIN);
	close_sockets(s);
}

static void a_peer_that_is_gone_is_reset(void **state)
{
	struct sockets s = open_sockets();
	int fds[FD_MESSAGE_FDS_MAX];
	unsigned int count;
	char buf[16];
	size_t size;

	(void)state;
	assert_ok(priv_fd_send(s.a, "last", 4, NULL, 0));
	close(s.a);
	assert_ok(priv_fd_receive(s.b, buf, sizeof(buf), &size, fds, &count));
	assert_int_equal(size, 4);
	assert_err(priv_fd_receive(s.b, buf, sizeof(buf), &size, fds, &count), CONNECTION_RESET);
	assert_err(priv_fd_send(s.b, "x", 1, NULL, 0), CONNECTION_RESET);
	close(s.b);
}

static void a_message_longer_than_the_buffer_is_refused(void **state)
{
	struct sockets s = open_sockets();
	int fds[FD_MESSAGE_FDS_MAX], fd;
	unsigned int count;
	char buf[16];
	size_t size;

	(void)state;
	assert_ok(priv_eventfd_create(&fd));
	assert_ok(priv_fd_send(s.a, "0123456789abcdef!", 17, &fd, 1));
	assert_err(priv_fd_receive(s.b, buf, sizeof(buf), &size, fds, &count), INVALID_VALUE);
	close(fd);
	close_sockets(s);
}

/* what our own sender would not do */
static void send_many_fds(int sock, int fd, unsigned int count)
{
	union {
		char bytes[CMSG_SPACE(64 * sizeof(int))];
		struct cmsghdr align;
	} control = {0};
	char byte = 0;
	struct iovec iov = {.iov_base = &byte, .iov_len = 1};
	struct msghdr hdr = {.msg_iov = &iov,
			     .msg_iovlen = 1,
			     .msg_control = &control,
			     .msg_controllen = CMSG_SPACE(count * sizeof(int))};
	struct cmsghdr *cmsg = CMSG_FIRSTHDR(&hdr);
	unsigned int i;

	cmsg->cmsg_level = SOL_SOCKET;
	cmsg->cmsg_type = SCM_RIGHTS;
	cmsg->cmsg_len = CMSG_LEN(count * sizeof(int));
	for (i = 0; i < count; i++)
		memcpy(CMSG_DATA(cmsg) + i * sizeof(int), &fd, sizeof(fd));
	assert_int_equal(sendmsg(sock, &hdr, 0), 1);
}

static void too_many_descriptors_are_refused_and_closed(void **state)
{
	static const unsigned int counts[] = {FD_MESSAGE_FDS_MAX + 1, 2 * FD_MESSAGE_FDS_MAX,
					      2 * FD_MESSAGE_FDS_MAX + 1, 60};
	struct sockets s = open_sockets();
	int fds[FD_MESSAGE_FDS_MAX], fd;
	unsigned int count, i;
	char buf[16];
	size_t size;

	(void)state;
	assert_ok(priv_eventfd_create(&fd));
	for (i = 0; i < ARRAY_SIZE(counts); i++) {
		send_many_fds(s.a, fd, counts[i]);
		assert_err(priv_fd_receive(s.b, buf, sizeof(buf), &size, fds, &count),
			   INVALID_VALUE);
	}
	send_many_fds(s.a, fd, FD_MESSAGE_FDS_MAX);
	assert_ok(priv_fd_receive(s.b, buf, sizeof(buf), &size, fds, &count));
	assert_int_equal(count, FD_MESSAGE_FDS_MAX);
	priv_fd_close_all(fds, count);
	close(fd);
	close_sockets(s);
}

/* what a user may have on their way is limited, unless privileged: as many as may be open */
static void without_privilege(bool on)
{
	static struct __user_cap_data_struct before[2];
	struct __user_cap_header_struct header = {.version = _LINUX_CAPABILITY_VERSION_3};
	struct __user_cap_data_struct now[2];

	if (on) {
		assert_int_equal(syscall(SYS_capget, &header, before), 0);
		memcpy(now, before, sizeof(now));
		now[0].effective &= ~(1u << CAP_SYS_RESOURCE | 1u << CAP_SYS_ADMIN);
		assert_int_equal(syscall(SYS_capset, &header, now), 0);
	} else {
		assert_int_equal(syscall(SYS_capset, &header, before), 0);
	}
}

static void more_descriptors_on_their_way_raise_the_limit(void **state)
{
	struct sockets s = open_sockets();
	struct rlimit before, low;
	int fds[FD_MESSAGE_FDS_MAX], i;

	(void)state;
	assert_int_equal(getrlimit(RLIMIT_NOFILE, &before), 0);
	low = before;
	low.rlim_cur = 64;
	for (i = 0; i < FD_MESSAGE_FDS_MAX; i++)
		assert_ok(priv_eventfd_create(&fds[i]));
	without_privilege(true);
	assert_int_equal(setrlimit(RLIMIT_NOFILE, &low), 0);
	for (i = 0; i < 40; i++) /* 160 of them */
		assert_ok(priv_fd_send(s.a, "x", 1, fds, FD_MESSAGE_FDS_MAX));
	without_privilege(false);
	assert_int_equal(setrlimit(RLIMIT_NOFILE, &before), 0);
	priv_fd_close_all(fds, FD_MESSAGE_FDS_MAX);
	close_sockets(s);
}

static void descriptors_of_a_message_are_not_lost_at_the_limit(void **state)
{
	struct sockets s = open_sockets();
	struct rlimit before, low;
	int sent[2], fds[FD_MESSAGE_FDS_MAX];
	unsigned int count;
	char buf[16];
	size_t size;

	(void)state;
	assert_ok(priv_eventfd_create(&sent[0]));
	assert_ok(priv_eventfd_create(&sent[1]));
	assert_ok(priv_fd_send(s.a, "hello", 6, sent, 2));
	assert_int_equal(getrlimit(RLIMIT_NOFILE, &before), 0);
	low = before;
	low.rlim_cur = (rlim_t)sent[1] + 2; /* one more */
	assert_int_equal(setrlimit(RLIMIT_NOFILE, &low), 0);
	assert_ok(priv_fd_receive(s.b, buf, sizeof(buf), &size, fds, &count));
	assert_int_equal(size, 6);
	assert_int_equal(count, 2);
	assert_int_equal(setrlimit(RLIMIT_NOFILE, &before), 0);
	priv_fd_close_all(fds, count);
	priv_fd_close_all(sent, 2);
	close_sockets(s);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, leak_setup, leak_teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(a_message_arrives_with_its_descriptors),
		TEST(nothing_there_is_again),
		TEST(a_full_socket_is_again),
		TEST(a_peer_that_is_gone_is_reset),
		TEST(a_message_longer_than_the_buffer_is_refused),
		TEST(too_many_descriptors_are_refused_and_closed),
		TEST(more_descriptors_on_their_way_raise_the_limit),
		TEST(descriptors_of_a_message_are_not_lost_at_the_limit),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
