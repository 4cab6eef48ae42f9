/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Limit of a disk that is a file: the same transfers through io_uring, so many at a time, by one
 * process that polls and has nothing else to do.
 */
#include <liburing.h>
#include <stdlib.h>
#include <string.h>
#include "clock.h"
#include "file.h"
#include "options.h"
#include "pair.h"
#include "samples.h"
#include "wire.h"

#define FILE_SIZE (16u << 20)

struct reader {
	const struct bench_options *options;
	struct bench_file file;
	struct io_uring ring;
	bool write;
	size_t size;
	uint8_t *data; /* one piece for each transfer */
	uint64_t number;
	uint64_t started[WIRE_DEPTH_MAX]; /* ticks, by slot */
	struct samples samples;
};

static void start(struct reader *r, unsigned int slot)
{
	struct io_uring_sqe *sqe = io_uring_get_sqe(&r->ring);
	const uint64_t offset = file_offset(r->number++, r->size, FILE_SIZE);
	uint8_t *data = r->data + slot * r->size;

	if (r->write)
		io_uring_prep_write(sqe, r->file.fd, data, (unsigned int)r->size, offset);
	else
		io_uring_prep_read(sqe, r->file.fd, data, (unsigned int)r->size, offset);
	io_uring_sqe_set_data(sqe, (void *)(uintptr_t)slot);
	r->started[slot] = clock_ticks();
}

/* hands over what has been prepared, takes what is finished; returns how much that was */
static unsigned int turn(struct reader *r, bool again)
{
	struct io_uring_cqe *cqe;
	unsigned int count = 0;

	if (io_uring_sq_ready(&r->ring) && io_uring_submit(&r->ring) < 0)
		bench_fail("io_uring takes nothing");
	while (io_uring_peek_cqe(&r->ring, &cqe) == 0) {
		const unsigned int slot = (unsigned int)(uintptr_t)io_uring_cqe_get_data(cqe);

		if (cqe->res != (int)r->size)
			bench_fail("%zu bytes: io_uring says %d", r->size, cqe->res);
		io_uring_cqe_seen(&r->ring, cqe);
		if (!samples_full(&r->samples))
			samples_add(&r->samples, clock_ticks() - r->started[slot]);
		count++;
		if (again)
			start(r, slot);
	}
	return count;
}

static struct wire_result measure(struct reader *r, unsigned int depth)
{
	const uint64_t start_ns = clock_ns();
	struct wire_result result = {0};
	unsigned int left = depth;
	uint64_t now_ns;

	samples_init(&r->samples);
	for (unsigned int slot = 0; slot < depth; slot++)
		start(r, slot);
	do {
		result.count += turn(r, true);
		now_ns = clock_ns();
	} while (now_ns - start_ns < r->options->point_ns);
	result.elapsed_ns = (double)(now_ns - start_ns);
	while (left)
		left -= turn(r, false);
	samples_drop_warmup(&r->samples);
	result.p50_ns = samples_percentile(&r->samples, 50);
	samples_fini(&r->samples);
	return result;
}

static void run(void *arg, bool write, size_t size, unsigned int depth)
{
	struct reader *r = arg;
	struct wire_result result;

	r->write = write;
	r->size = size;
	r->data = aligned_alloc(4096, (depth * size + 4095) & ~(size_t)4095);
	if (!r->data)
		bench_fail("no memory");
	memset(r->data, 1, depth * size);
	result = measure(r, depth);
	free(r->data);
	wire_report("limit_uring_file", write, size, depth, &result);
}

int main(int argc, char **argv)
{
	struct bench_options options;
	static struct reader reader;
	int err;

	options_parse(&options, argc, argv);
	reader.options = &options;
	pair_pin(options.cpu[1]); /* where the engine would be */
	file_make(&reader.file, FILE_SIZE);
	err = io_uring_queue_init(WIRE_DEPTH_MAX + 1, &reader.ring, 0);
	if (err)
		bench_fail("no io_uring: %s", strerror(-err));
	wire_for_each_point(run, &reader);
	/* what the engine is asked for without a network */
	for (int write = 0; write < 2; write++)
		run(&reader, write, 131072, WIRE_DEPTH_MAX);
	io_uring_queue_exit(&reader.ring);
	return 0;
}
