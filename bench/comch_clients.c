/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What clients that say nothing cost a server: the price of an empty poll, and a round trip with
 * one client, while so many are connected. A "size" is the number of connected clients. Each number
 * runs in processes of its own: the server, the client that answers, and holders of the idle ones.
 */
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>
#include "comch_side.h"
#include "lib/clock.h"
#include "lib/pair.h"
#include "lib/report.h"

#define MESSAGE_SIZE	   8
#define TASKS		   16
#define RECV_QUEUE	   16
#define POLL_BATCH	   64
#define CLIENTS_PER_HOLDER 500
#define MAX_HOLDERS	   20

static const size_t default_counts[] = {1, 64, 512, 2000};

struct run {
	const struct bench_options *options;
	uint32_t count;
	char name[32];
	_Atomic bool *listening; /* shared */
	bool replied;
};

static void wait_listening(const struct run *run)
{
	while (!atomic_load(run->listening))
		clock_relax();
}

static void echo(struct comch_side *side, const uint8_t *message, uint32_t size)
{
	struct comch_slot *slot;

	if (message[0] == COMCH_LAST) {
		side->gone = true;
		return;
	}
	slot = comch_slot_take(comch_pool_get(side, size, TASKS));
	if (!slot)
		bench_fail("%d replies are not complete, though each was received", TASKS);
	comch_submit(slot);
}

/* The client that answers. It speaks first, so that the server knows it. */
static void run_client(void *arg)
{
	struct run *run = arg;
	struct comch_config config = {
		.name = run->name,
		.recv_queue = RECV_QUEUE,
		.on_message = echo,
	};
	struct comch_side side;

	wait_listening(run);
	comch_open(&side, &config);
	comch_submit(comch_slot_take(comch_pool_get(&side, MESSAGE_SIZE, TASKS)));
	while (!side.gone)
		doca_pe_progress(side.pe);
	comch_close(&side);
}

/* Connects this many clients and sleeps until it is killed. */
static void hold_clients(void *arg)
{
	const struct run *run = arg;
	struct comch_config config = {
		.name = run->name,
		.recv_queue = RECV_QUEUE,
	};
	struct comch_side *sides = calloc(run->count, sizeof(*sides));

	if (!sides)
		bench_fail("no memory for %u clients", run->count);
	wait_listening(run);
	for (uint32_t i = 0; i < run->count; i++)
		comch_open(&sides[i], &config);
	for (;;)
		pause();
}

static uint32_t start_holders(const struct run *run, pid_t *holders)
{
	uint32_t left = run->count - 1, started = 0;

	while (left > 0) {
		struct run part = *run;

		part.count = left < CLIENTS_PER_HOLDER ? left : CLIENTS_PER_HOLDER;
		left -= part.count;
		holders[started++] = pair_fork(run->options->cpu, hold_clients, &part);
	}
	return started;
}

static void note_message(struct comch_side *side, const uint8_t *message, uint32_t size)
{
	struct run *run = side->config.arg;

	(void)message;
	(void)size;
	run->replied = true;
}

static void measure_poll(const struct run *run, struct comch_side *side)
{
	uint64_t end_ns = clock_ns() + run->options->point_ns;
	struct samples samples;

	samples_init(&samples);
	while (!samples_full(&samples) && clock_ns() < end_ns) {
		uint64_t start = clock_ticks();

		for (int i = 0; i < POLL_BATCH; i++)
			doca_pe_progress(side->pe);
		samples_add(&samples, clock_ticks() - start);
	}
	samples_drop_warmup(&samples);
	report_row("softfield_clients", "poll_mean", run->count,
		   samples_mean(&samples) / POLL_BATCH, "ns");
	report_row("softfield_clients", "poll", run->count,
		   samples_percentile(&samples, 50) / POLL_BATCH, "ns");
	samples_fini(&samples);
}

static void exchange(struct run *run, struct comch_side *side, uint8_t first_byte)
{
	struct comch_pool *pool = comch_pool_get(side, MESSAGE_SIZE, TASKS);
	struct comch_slot *slot;

	while (!(slot = comch_slot_take(pool)))
		doca_pe_progress(side->pe);
	slot->message[0] = first_byte;
	run->replied = false;
	comch_submit(slot);
	while (!run->replied && !side->gone)
		doca_pe_progress(side->pe);
}

static void measure_round_trip(struct run *run, struct comch_side *side)
{
	uint64_t end_ns = clock_ns() + run->options->point_ns;
	struct samples samples;

	samples_init(&samples);
	while (!samples_full(&samples) && (samples.count % 16 != 15 || clock_ns() < end_ns)) {
		uint64_t start = clock_ticks();

		exchange(run, side, 0);
		samples_add(&samples, clock_ticks() - start);
	}
	report_latency("softfield_clients", run->count, &samples);
	samples_fini(&samples);
}

/* The server. */
static void run_count(void *arg)
{
	struct run *run = arg;
	struct comch_config config = {
		.server = true,
		.name = run->name,
		.recv_queue = RECV_QUEUE,
		.on_message = note_message,
		.arg = run,
	};
	pid_t holders[MAX_HOLDERS];
	struct comch_side side;
	uint32_t holder_count;
	pid_t client;

	snprintf(run->name, sizeof(run->name), "bench-%d", getpid());
	atomic_store(run->listening, false);
	holder_count = start_holders(run, holders);
	client = pair_fork(run->options->cpu, run_client, run);
	comch_open(&side, &config);
	atomic_store(run->listening, true);
	while (side.clients < run->count || !run->replied)
		doca_pe_progress(side.pe);
	measure_poll(run, &side);
	measure_round_trip(run, &side);
	exchange(run, &side, COMCH_LAST);
	pair_join(client);
	signal(SIGCHLD, SIG_DFL); /* what follows ends the holders on purpose */
	for (uint32_t i = 0; i < holder_count; i++)
		kill(holders[i], SIGKILL);
	while (side.clients > 0)
		doca_pe_progress(side.pe);
	comch_close(&side);
}

static void raise_descriptor_limit(void)
{
	struct rlimit limit;

	if (getrlimit(RLIMIT_NOFILE, &limit))
		bench_fail("cannot read the descriptor limit");
	limit.rlim_cur = limit.rlim_max;
	setrlimit(RLIMIT_NOFILE, &limit); /* too low: opening says so */
}

int main(int argc, char **argv)
{
	struct bench_options options;
	struct run run = {.options = &options};
	int cpu[2] = {-1, -1};

	options_parse(&options, argc, argv);
	options_default_sizes(&options, default_counts, sizeof(default_counts) / sizeof(size_t));
	raise_descriptor_limit();
	setenv("SOFTFIELD_LIMITS", "comch_max_clients=10000", 1);
	cpu[1] = options.cpu[0];
	clock_ns_per_tick();
	run.listening = pair_shared(sizeof(*run.listening));
	for (size_t i = 0; i < options.size_count; i++) {
		if (options.sizes[i] == 0 || options.sizes[i] > MAX_HOLDERS * CLIENTS_PER_HOLDER)
			bench_fail("%zu clients: not in 1..%d", options.sizes[i],
				   MAX_HOLDERS * CLIENTS_PER_HOLDER);
		run.count = (uint32_t)options.sizes[i];
		pair_join(pair_fork(cpu, run_count, &run));
	}
	return 0;
}
