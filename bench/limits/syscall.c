/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What crossing into the kernel costs here, so that the price of a wake-up can be judged.
 */
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/syscall.h>
#include <unistd.h>
#include "clock.h"
#include "options.h"
#include "pair.h"
#include "report.h"

struct calls {
	int event_fd;
	int epoll_fd; /* watches event_fd */
};

static void call_null(struct calls *calls)
{
	(void)calls;
	syscall(SYS_getppid);
}

static void call_epoll_empty(struct calls *calls)
{
	struct epoll_event event;

	if (epoll_wait(calls->epoll_fd, &event, 1, 0) != 0)
		bench_fail("epoll_wait: not empty");
}

static void call_eventfd_write(struct calls *calls)
{
	uint64_t one = 1;

	if (write(calls->event_fd, &one, sizeof(one)) != sizeof(one))
		bench_fail("cannot write an eventfd");
}

static const struct {
	const char *peer;
	void (*call)(struct calls *calls);
} subjects[] = {
	{"limit_syscall_null", call_null},
	{"limit_epoll_empty", call_epoll_empty},
	{"limit_eventfd_write", call_eventfd_write}, /* last: makes the epoll instance ready */
};

int main(int argc, char **argv)
{
	struct bench_options options;
	struct calls calls = {eventfd(0, EFD_CLOEXEC), epoll_create1(EPOLL_CLOEXEC)};
	struct epoll_event event = {.events = EPOLLIN};

	options_parse(&options, argc, argv);
	pair_pin(options.cpu[0]);
	if (epoll_ctl(calls.epoll_fd, EPOLL_CTL_ADD, calls.event_fd, &event))
		bench_fail("cannot watch an eventfd");
	for (size_t i = 0; i < sizeof(subjects) / sizeof(subjects[0]); i++) {
		uint64_t start_ns = clock_ns(), end_ns = start_ns + options.point_ns;
		uint64_t count = 0;

		while (count % 64 != 0 || clock_ns() < end_ns) {
			subjects[i].call(&calls);
			count++;
		}
		report_row(subjects[i].peer, "call", 0,
			   (double)(clock_ns() - start_ns) / (double)count, "ns");
	}
	return 0;
}
