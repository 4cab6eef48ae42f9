/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * How far apart are the two CPUs right now? A hypervisor moves virtual CPUs between cores that
 * share a cache and cores that do not, for seconds at a time, and every latency follows. Prints the
 * one-way time of a cache line in ns.
 *
 * Mode "settle" first tries to bring them to near cores: blocking wake-ups with halting allowed
 * make most hypervisors pull the two CPUs together, and when both stay busy, they do not leave them
 * on one core. It gives up after some tries; the printed number tells.
 */
#include <stdio.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>
#include "cacheline.h"
#include "options.h"
#include "pair.h"

#define PROBE_NS   3000000u
#define BUSY_NS	   30000000u
#define NEAR_NS	   125
#define SIBLING_NS 30 /* less: two threads of one core */
#define TRIES	   10
#define WAKEUPS	   3000

static double probe(const int cpu[2], uint64_t duration_ns, struct samples *samples)
{
	cacheline_ping_pong(cpu, duration_ns, samples);
	samples_drop_warmup(samples);
	return samples_percentile(samples, 50) / 2;
}

static void signal_event(int fd)
{
	uint64_t one = 1;

	if (write(fd, &one, sizeof(one)) != sizeof(one))
		bench_fail("cannot write an eventfd");
}

static void wait_event(int fd)
{
	uint64_t value;

	if (read(fd, &value, sizeof(value)) != sizeof(value))
		bench_fail("cannot read an eventfd");
}

static void answer_wakeups(void *arg)
{
	const int *event = arg;

	for (int i = 0; i < WAKEUPS; i++) {
		wait_event(event[0]);
		signal_event(event[1]);
	}
}

static void exchange_wakeups(const int cpu[2])
{
	int event[2] = {eventfd(0, EFD_CLOEXEC), eventfd(0, EFD_CLOEXEC)};
	pid_t child;

	if (event[0] < 0 || event[1] < 0)
		bench_fail("cannot create an eventfd");
	child = pair_fork(cpu, answer_wakeups, event);
	for (int i = 0; i < WAKEUPS; i++) {
		signal_event(event[0]);
		wait_event(event[1]);
	}
	pair_join(child);
	close(event[0]);
	close(event[1]);
}

int main(int argc, char **argv)
{
	struct bench_options options;
	struct samples samples;
	double line_ns;
	int tries = 0;

	options_parse(&options, argc, argv);
	if (options.mode && strcmp(options.mode, "settle") == 0)
		tries = TRIES;
	samples_init(&samples);
	line_ns = probe(options.cpu, PROBE_NS, &samples);
	while (tries-- > 0 && (line_ns > NEAR_NS || line_ns < SIBLING_NS)) {
		if (line_ns > NEAR_NS)
			exchange_wakeups(options.cpu);
		line_ns = probe(options.cpu, BUSY_NS, &samples);
	}
	printf("%.1f\n", line_ns);
	samples_fini(&samples);
	return 0;
}
