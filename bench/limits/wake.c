/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Limit of event mode: both sides sleep in epoll on an eventfd, woken by a write of the other. Mode
 * "pauses": with a pause before each exchange.
 */
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <unistd.h>
#include "clock.h"
#include "options.h"
#include "pair.h"
#include "report.h"

#define LAST 2

struct bell {
	int event_fd;
	int epoll_fd;
};

struct bells {
	struct bell ping, pong;
};

static void bell_init(struct bell *bell)
{
	struct epoll_event event = {.events = EPOLLIN};

	bell->event_fd = eventfd(0, EFD_CLOEXEC);
	bell->epoll_fd = epoll_create1(EPOLL_CLOEXEC);
	if (epoll_ctl(bell->epoll_fd, EPOLL_CTL_ADD, bell->event_fd, &event))
		bench_fail("cannot watch an eventfd");
}

static void bell_ring(struct bell *bell, uint64_t value)
{
	if (write(bell->event_fd, &value, sizeof(value)) != sizeof(value))
		bench_fail("cannot write an eventfd");
}

static uint64_t bell_wait(struct bell *bell)
{
	struct epoll_event event;
	uint64_t value;

	while (epoll_wait(bell->epoll_fd, &event, 1, -1) != 1)
		;
	if (read(bell->event_fd, &value, sizeof(value)) != sizeof(value))
		bench_fail("cannot read an eventfd");
	return value;
}

static void answer(void *arg)
{
	struct bells *bells = arg;
	uint64_t value;

	do {
		value = bell_wait(&bells->ping);
		bell_ring(&bells->pong, value);
	} while (value != LAST);
}

int main(int argc, char **argv)
{
	struct bench_options options;
	struct samples samples;
	struct bells bells;
	uint64_t end_ns, value = 1;
	bool pauses;
	pid_t child;

	options_parse(&options, argc, argv);
	pauses = options.mode && strcmp(options.mode, "pauses") == 0;
	bell_init(&bells.ping);
	bell_init(&bells.pong);
	clock_ns_per_tick();
	samples_init(&samples);
	child = pair_fork(options.cpu, answer, &bells);
	end_ns = clock_ns() + options.point_ns;
	while (value != LAST) {
		uint64_t start;

		if (samples.count + 1 == samples.capacity || clock_ns() > end_ns)
			value = LAST;
		if (pauses)
			clock_pause();
		start = clock_ticks();
		bell_ring(&bells.ping, value);
		bell_wait(&bells.pong);
		samples_add(&samples, clock_ticks() - start);
	}
	pair_join(child);
	report_latency(pauses ? "limit_eventfd_epoll_pauses" : "limit_eventfd_epoll", 8, &samples);
	samples_fini(&samples);
	return 0;
}
