/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Descriptors: memory that cannot change its size, messages that carry descriptors, and senders who
 * send too much of either.
 *
 * Long because every promise is a small test of its own.
 */
#include "test.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/aio_abi.h>
#include <linux/capability.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>
#include "base/fd.h"
#include "bell.h"
#include "child.h"
#include "leak.h"

static void errno_becomes_a_code(void **state)
{
	static const struct {
		int err;
		doca_error_t code;
	} cases[] = {
		{EAGAIN, DOCA_ERROR_AGAIN},
		{ENOMEM, DOCA_ERROR_NO_MEMORY},
		{ENOSPC, DOCA_ERROR_NO_MEMORY},
		{EMFILE, DOCA_ERROR_FULL},
		{ENFILE, DOCA_ERROR_FULL},
		{EACCES, DOCA_ERROR_NOT_PERMITTED},
		{EPERM, DOCA_ERROR_NOT_PERMITTED},
		{EADDRINUSE, DOCA_ERROR_IN_USE},
		{ENOENT, DOCA_ERROR_NOT_FOUND},
		{ECONNREFUSED, DOCA_ERROR_NOT_CONNECTED},
		{EPIPE, DOCA_ERROR_CONNECTION_RESET},
		{ECONNRESET, DOCA_ERROR_CONNECTION_RESET},
		{EIO, DOCA_ERROR_OPERATING_SYSTEM},
		{0, DOCA_ERROR_OPERATING_SYSTEM},
	};
	unsigned int i;

	(void)state;
	for (i = 0; i < ARRAY_SIZE(cases); i++)
		assert_int_equal(priv_err_from_errno(cases[i].err), cases[i].code);
}

/*
 * Memory
 */

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

/*
 * Eventfds and bells
 */

static void an_eventfd_can_be_rung_often(void **state)
{
	uint64_t count = 0;
	int fd, i;

	(void)state;
	assert_ok(priv_eventfd_create(&fd));
	for (i = 0; i < 3; i++)
		priv_eventfd_ring(fd);
	assert_int_equal(read(fd, &count, sizeof(count)), sizeof(count));
	assert_int_equal(count, 3);
	assert_int_equal(read(fd, &count, sizeof(count)), -1); /* and does not block */
	close(fd);
}

static void a_full_eventfd_does_not_block(void **state)
{
	const uint64_t most = UINT64_MAX - 1;
	int fd;

	(void)state;
	assert_ok(priv_eventfd_create(&fd));
	assert_int_equal(write(fd, &most, sizeof(most)), sizeof(most));
	priv_eventfd_ring(fd);
	close(fd);
}

static void only_an_eventfd_is_a_bell(void **state)
{
	int pipes[2], fd;

	(void)state;
	assert_ok(priv_bell_create(&fd));
	assert_ok(priv_bell_check(fd));
	close(fd);
	assert_err(priv_bell_check(fd), INVALID_VALUE);
	assert_int_equal(pipe2(pipes, O_CLOEXEC | O_NONBLOCK), 0);
	assert_err(priv_bell_check(pipes[0]), INVALID_VALUE);
	assert_err(priv_bell_check(pipes[1]), INVALID_VALUE);
	close(pipes[0]);
	close(pipes[1]);
	fd = open("/dev/null", O_RDWR | O_CLOEXEC | O_NONBLOCK);
	assert_err(priv_bell_check(fd), INVALID_VALUE);
	close(fd);
}

struct late_check {
	pthread_t first;
	int bell;
};

static void *check_alone(void *arg)
{
	const struct late_check *check = arg;

	pthread_join(check->first, NULL);
	_exit(priv_bell_check(check->bell) != DOCA_SUCCESS);
}

/* pthread_exit() in main(): nothing of such a process is in /proc/PID, nor in /proc/self. */
static void end_first_thread(struct child *parent, void *arg)
{
	static struct late_check check;
	pthread_t thread;

	(void)parent;
	check = (struct late_check){pthread_self(), *(const int *)arg};
	if (pthread_create(&thread, NULL, check_alone, &check))
		_exit(2);
	pthread_exit(NULL);
}

static void a_bell_is_one_when_the_first_thread_has_ended(void **state)
{
	struct child child;
	int bell;

	(void)state;
#ifdef __SANITIZE_THREAD__
	skip(); /* it does not know a first thread that ends */
#endif
	assert_ok(priv_bell_create(&bell));
	child = child_start(end_first_thread, &bell);
	assert_int_equal(child_join(&child), 0);
	close(bell);
}

/*
 * As full as it can be, which takes the kernel's own hand: whoever adds something to it would never
 * return. false: this kernel has no asynchronous I/O
 */
static bool overfill(int fd)
{
	const uint64_t most = UINT64_MAX - 1;
	char byte;
	int zero = open("/dev/zero", O_RDONLY | O_CLOEXEC);
	struct iocb iocb = {.aio_fildes = (uint32_t)zero,
			    .aio_lio_opcode = IOCB_CMD_PREAD,
			    .aio_buf = (uintptr_t)&byte,
			    .aio_nbytes = 1,
			    .aio_flags = IOCB_FLAG_RESFD,
			    .aio_resfd = (uint32_t)fd};
	struct iocb *iocbs[] = {&iocb};
	aio_context_t context = 0;
	struct io_event event;
	bool done;

	if (write(fd, &most, sizeof(most)) != sizeof(most) || syscall(SYS_io_setup, 1, &context)) {
		close(zero);
		return false;
	}
	done = syscall(SYS_io_submit, context, 1, iocbs) == 1 &&
	       syscall(SYS_io_getevents, context, 1, 1, &event, NULL) == 1;
	syscall(SYS_io_destroy, context);
	close(zero);
	return done;
}

static void expect_rings(int bell)
{
	int listener = listen_to_bell(bell), i;

	for (i = 0; i < 3; i++) {
		assert_false(has_rung(listener));
		priv_bell_ring(bell);
		assert_true(has_rung(listener));
	}
	close(listener);
}

/* an edge for whoever watches it */
static void a_bell_rings(void **state)
{
	int fd;

	(void)state;
	assert_ok(priv_bell_create(&fd));
	expect_rings(fd);
	assert_int_equal(fcntl(fd, F_SETFL, 0), 0);
	expect_rings(fd);
	close(fd);
}

/* Whether the peer hears anything is its own affair. */
static void ringing_returns_whatever_a_peer_does_to_the_bell(void **state)
{
	static const uint64_t counts[] = {0, 1, UINT64_MAX - 1, UINT64_MAX};
	unsigned int i;
	int fd;

	(void)state;
	for (i = 0; i < 2 * ARRAY_SIZE(counts); i++) {
		uint64_t count = counts[i / 2];

		fd = eventfd(0, EFD_CLOEXEC | (i % 2 ? EFD_SEMAPHORE : 0));
		assert_ok(priv_bell_check(fd));
		assert_int_equal(fcntl(fd, F_SETFL, 0), 0);
		if (count == UINT64_MAX) {
			if (!overfill(fd)) {
				close(fd);
				skip();
			}
		} else {
			assert_int_equal(write(fd, &count, sizeof(count)), sizeof(count));
		}
		priv_bell_ring(fd);
		priv_bell_ring(fd);
		close(fd);
	}
}

/*
 * Messages
 */

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

/* as a program has it that runs without a standard input */
static void none_is_in_the_place_of_a_standard_one(void **state)
{
	struct sockets s = open_sockets();
	int made[4], fds[FD_MESSAGE_FDS_MAX];
	unsigned int count, i;
	int input = dup(0);
	bool is_free;
	size_t size;
	char byte;

	(void)state;
	close(0);
	assert_ok(priv_memfd_create("test", 4096, &made[0]));
	assert_ok(priv_eventfd_create(&made[1]));
	assert_ok(priv_bell_create(&made[2]));
	assert_ok(priv_fd_copy_all(&made[1], 1, &made[3]));
	assert_ok(priv_fd_send(s.a, "x", 1, made, 4));
	assert_ok(priv_fd_receive(s.b, &byte, 1, &size, fds, &count));
	is_free = fcntl(0, F_GETFD) < 0;
	dup2(input, 0);
	close(input);
	assert_true(is_free);
	assert_int_equal(count, 4);
	for (i = 0; i < 4; i++)
		assert_true(made[i] > 2 && fcntl(fds[i], F_GETFD) == FD_CLOEXEC);
	priv_fd_close_all(fds, count);
	priv_fd_close_all(made, 4);
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

/*
 * Limits
 */

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
		TEST(errno_becomes_a_code),
		TEST(a_memfd_keeps_its_size),
		TEST(a_memfd_is_allocated_when_it_is_made),
		TEST(a_sparse_memfd_is_allocated_where_it_is_used),
		TEST(memory_beyond_the_limit_of_files_is_refused),
		TEST(memory_that_can_change_its_size_is_refused),
		TEST(what_is_no_memory_is_refused),
		TEST(empty_memory_is_refused),
		TEST(huge_pages_are_refused),
		TEST(an_eventfd_can_be_rung_often),
		TEST(a_full_eventfd_does_not_block),
		TEST(only_an_eventfd_is_a_bell),
		TEST(a_bell_is_one_when_the_first_thread_has_ended),
		TEST(a_bell_rings),
		TEST(ringing_returns_whatever_a_peer_does_to_the_bell),
		TEST(a_message_arrives_with_its_descriptors),
		TEST(none_is_in_the_place_of_a_standard_one),
		TEST(nothing_there_is_again),
		TEST(a_full_socket_is_again),
		TEST(a_peer_that_is_gone_is_reset),
		TEST(a_message_longer_than_the_buffer_is_refused),
		TEST(too_many_descriptors_are_refused_and_closed),
		TEST(descriptors_of_a_message_are_not_lost_at_the_limit),
		TEST(more_descriptors_on_their_way_raise_the_limit),
		TEST(the_limit_of_open_files_is_raised_when_met),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
