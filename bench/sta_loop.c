/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The engine alone: no network, and by default no medium either.
 *
 * --metric cpu: CPU time of the engine for one command more: medians of batches of 127 and of 63.
 * Between them it sleeps, so that polling in vain is not counted; what falling asleep and waking up
 * cost falls out of the difference. --metric rate: commands a second, with as many under way as the
 * queue holds. --metric idle: CPU time of the whole program while nothing is asked of it.
 * --messages N: N reads and nothing else, for callgrind. --mode memory or file: with a disk in
 * memory or in a file.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "lib/clock.h"
#include "lib/pair.h"
#include "lib/report.h"
#include "sta_target.h"

#define TURNS_MAX 4096u
#define IN_A_ROW  16u

static const size_t default_sizes[] = {512, 4096, 131072};

struct run {
	struct sta_target target;
	uint8_t *data; /* one piece for each command */
	uint32_t size;
	bool write, again, in_order;
	uint64_t submitted, finished;
};

static void on_done(const uint8_t *cqe, union doca_data data);

static void submit(struct run *run)
{
	const uint16_t slot = (uint16_t)(run->submitted++ % STA_DEPTH_MAX);
	const union doca_data data = {.ptr = run};
	const uint64_t number = run->submitted;
	uint8_t sqe[64];

	sta_fill_rw(sqe, run->write, slot,
		    run->in_order ? number * run->size % STA_DISK_SIZE
				  : file_offset(number, run->size, STA_DISK_SIZE),
		    run->size);
	sta_check(softfield_sta_io_qp_loop_submit(run->target.qp, sqe,
						  run->data + (size_t)slot * run->size, run->size,
						  on_done, data),
		  "submit a command");
}

static void on_done(const uint8_t *cqe, union doca_data data)
{
	struct run *run = data.ptr;

	if (!cqe || cqe[14] || cqe[15])
		bench_fail("a command has failed");
	run->finished++;
	if (run->again)
		submit(run);
}

static void on_connected(const uint8_t *cqe, union doca_data data)
{
	if (!cqe || cqe[14] || cqe[15])
		bench_fail("Connect has failed");
	*(bool *)data.ptr = true;
}

static void connect_host(struct run *run)
{
	static uint8_t connect_data[1024];
	struct sta_target *target = &run->target;
	bool connected = false;
	const union doca_data data = {.ptr = &connected};
	uint8_t sqe[64];

	sta_check(softfield_sta_io_qp_connect_loop(target->io, target->dev, NULL, &target->qp),
		  "make a queue pair");
	sta_fill_connect(sqe);
	sta_check(softfield_sta_io_qp_loop_submit(target->qp, sqe, connect_data,
						  sizeof(connect_data), on_connected, data),
		  "submit Connect");
	while (!connected)
		doca_pe_progress(target->pe);
}

static void batch(struct run *run, unsigned int count)
{
	for (unsigned int i = 0; i < count; i++)
		submit(run);
	while (run->finished < run->submitted)
		sta_target_wait(&run->target);
}

static int by_value(const void *a, const void *b)
{
	const double *x = a, *y = b;

	return (*x > *y) - (*x < *y);
}

/* of a batch: the mean of several, because the engine falls asleep after the host has gone on */
static double measure_batches(struct run *run, unsigned int count)
{
	const uint64_t start_ns = sta_engine_cpu_ns(&run->target);

	for (unsigned int i = 0; i < IN_A_ROW; i++)
		batch(run, count);
	return (double)(sta_engine_cpu_ns(&run->target) - start_ns) / IN_A_ROW;
}

static void measure_cpu(struct run *run, const char *name, uint64_t point_ns)
{
	static double full[TURNS_MAX], half[TURNS_MAX];
	const uint64_t end_ns = clock_ns() + point_ns;
	unsigned int turns = 0;

	batch(run, STA_DEPTH_MAX); /* memory is touched, caches are warm */
	do {
		full[turns] = measure_batches(run, STA_DEPTH_MAX);
		half[turns] = measure_batches(run, STA_DEPTH_MAX / 2);
	} while (++turns < TURNS_MAX && clock_ns() < end_ns);
	qsort(full, turns, sizeof(full[0]), by_value);
	qsort(half, turns, sizeof(half[0]), by_value);
	report_row(name, "cpu", run->size,
		   (full[turns / 2] - half[turns / 2]) / (STA_DEPTH_MAX - STA_DEPTH_MAX / 2), "ns");
}

static void measure_rate(struct run *run, const char *name, uint64_t point_ns)
{
	uint64_t start_ns = clock_ns(), end_ns = start_ns + point_ns, before = run->finished;

	run->again = true;
	for (unsigned int i = 0; i < STA_DEPTH_MAX; i++)
		submit(run);
	for (unsigned int round = 1; round % 64 || clock_ns() < end_ns; round++)
		doca_pe_progress(run->target.pe);
	report_rate(name, run->size, (double)(run->finished - before),
		    (double)(clock_ns() - start_ns));
	run->again = false;
	while (run->finished < run->submitted)
		doca_pe_progress(run->target.pe);
}

/* for so long nothing, so that the engine falls asleep, and then for so long nothing again */
static void measure_idle(uint64_t point_ns)
{
	const struct timespec pause = {.tv_sec = (time_t)(point_ns / 1000000000u),
				       .tv_nsec = (long)(point_ns % 1000000000u)};
	struct timespec before, after;
	double used_ns;

	nanosleep(&pause, NULL);
	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &before);
	nanosleep(&pause, NULL);
	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &after);
	used_ns = (double)(after.tv_sec - before.tv_sec) * 1e9 +
		  (double)(after.tv_nsec - before.tv_nsec);
	report_row("softfield_sta_idle", "cpu", 0, used_ns / (double)point_ns * 1e6, "us/s");
}

static void measure(struct run *run, const struct bench_options *options)
{
	char name[64];

	snprintf(name, sizeof(name), "softfield_sta_%s_%s", sta_disk_name(options),
		 run->write ? "write" : "read");
	if (options_want(options, "cpu"))
		measure_cpu(run, name, options->point_ns);
	if (options_want(options, "rate"))
		measure_rate(run, name, options->point_ns);
}

/* a disk in memory has pages where it has been written */
static void write_everything(struct run *run)
{
	const uint64_t end = run->submitted + STA_DISK_SIZE / run->size + 1;

	run->write = true;
	run->in_order = true;
	while (run->submitted < end)
		batch(run, STA_DEPTH_MAX);
	run->in_order = false;
}

/* metric "read" or "write" chooses what is counted */
static void count(struct run *run, const struct bench_options *options)
{
	run->write = options->metric && strcmp(options->metric, "write") == 0;
	while (run->finished < options->messages)
		batch(run, STA_DEPTH_MAX);
}

int main(int argc, char **argv)
{
	struct bench_options options;
	static struct run run;

	options_parse(&options, argc, argv);
	options_default_sizes(&options, default_sizes, sizeof(default_sizes) / sizeof(size_t));
	if (options.messages || !options_want(&options, "rate"))
		setenv("SOFTFIELD_LIMITS", "sta_spin=0", 1);
	sta_target_open(&run.target, &options);
	connect_host(&run);
	if (options_want(&options, "idle"))
		measure_idle(options.point_ns);
	for (size_t i = 0; i < options.size_count; i++) {
		run.size = (uint32_t)options.sizes[i];
		run.data =
			aligned_alloc(4096, (size_t)STA_DEPTH_MAX * ((run.size + 4095) & ~4095u));
		if (!run.data)
			bench_fail("no memory");
		memset(run.data, 1, (size_t)STA_DEPTH_MAX * run.size);
		if (options.messages) {
			count(&run, &options);
		} else {
			write_everything(&run);
			for (int write = 0; write < 2; write++) {
				run.write = write;
				measure(&run, &options);
			}
		}
		free(run.data);
	}
	sta_target_close(&run.target);
	return 0;
}
