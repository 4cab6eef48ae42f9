/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The host measures: messages and the machine's limit in turns, so that both see the same machine.
 */
#include <doca_log.h>
#include <stdio.h>
#include <string.h>
#include "cacheline.h"
#include "chart.h"
#include "latency.h"

DOCA_LOG_REGISTER(LATENCY::HOST);

#define TURNS	   10
#define WARM_UP	   1000
#define DOZE_SHARE 20 /* one in so many ping-pongs is asleep */

struct measurement {
	struct side side;
	struct cpus cpus;
	uint64_t clock_cost;
	uint64_t number; /* of the ping under way */
	uint64_t answered;
	struct times limit, awake, asleep;
};

static void connected(struct side *side)
{
	(void)side;
}

static void pong(struct side *side, const uint8_t *message, uint32_t size)
{
	struct measurement *m = side->user;
	struct ping ping;

	if (size == sizeof(ping))
		memcpy(&ping, message, sizeof(ping));
	if (size != sizeof(ping) || ping.number != m->number) {
		DOCA_LOG_ERR("%u bytes have come back as ping %lu, not %zu", size,
			     (unsigned long)m->number, sizeof(ping));
		side_fail(side, DOCA_ERROR_UNEXPECTED);
		return;
	}
	m->answered++;
}

static const struct side_events events = {.connected = connected, .message = pong};

static bool round_trip(struct measurement *m, bool dozes)
{
	struct ping ping = {.number = ++m->number, .dozes = dozes};
	doca_error_t error = side_send(&m->side, &ping, sizeof(ping));

	if (error != DOCA_SUCCESS)
		side_fail(&m->side, error);
	while (m->answered != m->number && !side_is_done(&m->side)) {
		if (!side_progress(&m->side) && dozes)
			side_sleep(&m->side);
	}
	return m->answered == m->number;
}

static bool measure_messages(struct measurement *m, unsigned int count, bool dozes,
			     struct times *times)
{
	unsigned int i;

	for (i = 0; i < (dozes ? WARM_UP / 100 : WARM_UP); i++) {
		if (!round_trip(m, dozes))
			return false;
	}
	for (i = 0; i < count; i++) {
		uint64_t before = clock_ns();

		if (!round_trip(m, dozes))
			return false;
		times_add(times, (float)(int64_t)(clock_ns() - before - m->clock_cost) / 2);
	}
	return true;
}

static bool measure(struct measurement *m, unsigned int count)
{
	bool two = cpus_are_two(&m->cpus);
	unsigned int i;

	for (i = 0; i < TURNS; i++) {
		if (two && !measure_messages(m, count / TURNS, false, &m->awake))
			return false;
		if (!measure_messages(m, count / TURNS / DOZE_SHARE, true, &m->asleep))
			return false;
		/* The DPU sleeps now: its CPU is free. */
		if (two && !cacheline_measure(m->cpus.dpu, count / TURNS, m->clock_cost, &m->limit))
			return false;
	}
	return true;
}

static void report(struct measurement *m)
{
	const struct terminal *terminal = terminal_open();

	times_sort(&m->asleep);
	if (!cpus_are_two(&m->cpus)) {
		printf("  This machine has one CPU: a side has to sleep for the other to run.\n\n");
		chart_table_head(terminal);
		chart_table_row("message, event mode", &m->asleep);
		return;
	}
	times_sort(&m->awake);
	times_sort(&m->limit);
	chart_table_head(terminal);
	chart_table_row("limit: one cache line", &m->limit);
	chart_table_row("message, both sides poll", &m->awake);
	chart_table_row("message, event mode", &m->asleep);
	printf("\n");
	chart_histograms(terminal, "limit: one cache line", &m->limit, "message, both sides poll",
			 &m->awake);
	printf("\n  %zu ping-pongs of %d bytes: %s%.1f times%s what a cache line takes.\n",
	       m->awake.count, PING_SIZE, terminal->strong,
	       (double)(times_at(&m->awake, 0.5) / times_at(&m->limit, 0.5)), terminal->plain);
}

static doca_error_t run(struct measurement *m, const struct latency_options *options)
{
	doca_error_t error = side_open(&m->side, &options->side, &events, m);

	if (error != DOCA_SUCCESS)
		return error;
	while (m->side.connection == NULL && !side_is_done(&m->side)) {
		if (!side_progress(&m->side))
			side_sleep(&m->side);
	}
	if (m->side.connection != NULL && !measure(m, (unsigned int)options->count))
		return DOCA_ERROR_CONNECTION_ABORTED;
	side_stop(&m->side);
	while (!side_is_done(&m->side))
		side_progress(&m->side);
	return DOCA_SUCCESS;
}

doca_error_t latency_run(const struct latency_options *options)
{
	static struct measurement m;
	size_t count = (size_t)options->count;
	doca_error_t error;

	m.cpus = cpus_find();
	m.clock_cost = clock_cost_ns();
	if (!times_init(&m.limit, count) || !times_init(&m.awake, count) ||
	    !times_init(&m.asleep, count))
		return DOCA_ERROR_NO_MEMORY;
	cpus_pin(m.cpus.host);
	error = side_close(&m.side, run(&m, options));
	if (error == DOCA_SUCCESS)
		report(&m);
	times_fini(&m.limit);
	times_fini(&m.awake);
	times_fini(&m.asleep);
	return error;
}
