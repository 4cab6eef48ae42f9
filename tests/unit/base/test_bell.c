/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Eventfds and bells, also those to which a peer does what it can.
 */
#include "test.h"

#include <fcntl.h>
#include <linux/aio_abi.h>
#include <pthread.h>
#include <sys/eventfd.h>
#include <sys/syscall.h>
#include <unistd.h>
#include "base/bell.h"
#include "bell.h"
#include "child.h"
#include "leak.h"

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

#define TEST(name) cmocka_unit_test_setup_teardown(name, leak_setup, leak_teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(an_eventfd_can_be_rung_often),
		TEST(a_full_eventfd_does_not_block),
		TEST(only_an_eventfd_is_a_bell),
		TEST(a_bell_is_one_when_the_first_thread_has_ended),
		TEST(a_bell_rings),
		TEST(ringing_returns_whatever_a_peer_does_to_the_bell),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
