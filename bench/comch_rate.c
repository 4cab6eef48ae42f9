/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Control path, message rate: a client keeps many send tasks in flight, each submitted again from
 * its completion callback. Mode "batch": submitted without the flush flag, flushed once per
 * progress call.
 */
#include <string.h>
#include "comch_side.h"
#include "lib/clock.h"
#include "lib/pair.h"
#include "lib/report.h"

#define TASKS_IN_FLIGHT 256
#define RECEIPT_SIZE	8

static const size_t default_sizes[] = {8, 64, 256};

/* The client's. */
struct run {
	uint32_t submit_flags;
	uint64_t sent;
	bool finished;
	bool has_receipt;
};

/* Server: answers only the last message. */
static void sink(struct comch_side *side, const uint8_t *message, uint32_t size)
{
	struct comch_slot *slot;

	(void)size;
	if (message[0] != COMCH_LAST)
		return;
	slot = comch_slot_take(comch_pool_get(side, RECEIPT_SIZE, 2));
	if (!slot)
		bench_fail("earlier receipts are not complete");
	comch_submit(slot);
}

static void note_receipt(struct comch_side *side, const uint8_t *message, uint32_t size)
{
	struct run *run = side->config.arg;

	(void)message;
	(void)size;
	run->has_receipt = true;
}

static void submit(struct run *run, struct comch_slot *slot)
{
	doca_error_t result = doca_task_submit_ex(slot->task, run->submit_flags);

	if (result != DOCA_SUCCESS)
		comch_check(result, "submit a send task");
	run->sent++;
}

static void send_again(struct comch_slot *slot)
{
	struct run *run = slot->pool->side->config.arg;

	if (run->finished)
		comch_slot_give(slot);
	else
		submit(run, slot);
}

static void send_last(struct run *run, struct comch_pool *pool)
{
	struct comch_slot *slot;

	run->finished = true;
	comch_wait_all_sent(pool);
	slot = comch_slot_take(pool);
	slot->message[0] = COMCH_LAST;
	run->has_receipt = false;
	comch_submit(slot);
	run->sent++;
	while (!run->has_receipt)
		doca_pe_progress(pool->side->pe);
	comch_wait_all_sent(pool);
	slot->message[0] = 0;
}

/* returns the time from the first submit to the receipt of the last message */
static double measure(struct comch_side *side, uint32_t size, uint64_t point_ns)
{
	struct run *run = side->config.arg;
	struct comch_pool *pool = comch_pool_get(side, size, TASKS_IN_FLIGHT);
	uint64_t start_ns = clock_ns(), end_ns = start_ns + point_ns;
	struct comch_slot *slot;

	run->sent = 0;
	run->finished = false;
	while ((slot = comch_slot_take(pool)))
		submit(run, slot);
	doca_ctx_flush_tasks(side->ctx);
	for (unsigned int round = 1; round % 64 != 0 || clock_ns() < end_ns; round++) {
		if (doca_pe_progress(side->pe) && run->submit_flags == DOCA_TASK_SUBMIT_FLAG_NONE)
			doca_ctx_flush_tasks(side->ctx);
	}
	doca_ctx_flush_tasks(side->ctx);
	send_last(run, pool);
	return (double)(clock_ns() - start_ns);
}

int main(int argc, char **argv)
{
	struct run run = {.submit_flags = DOCA_TASK_SUBMIT_FLAG_FLUSH};
	struct bench_options options;
	struct comch_config client = {
		.on_message = note_receipt,
		.on_sent = send_again,
		.arg = &run,
	};
	struct comch_config server = {.on_message = sink};
	const char *peer = "softfield_control";
	struct comch_pair pair;

	options_parse(&options, argc, argv);
	options_default_sizes(&options, default_sizes, sizeof(default_sizes) / sizeof(size_t));
	if (options.mode && strcmp(options.mode, "batch") == 0) {
		run.submit_flags = DOCA_TASK_SUBMIT_FLAG_NONE;
		peer = "softfield_control_batch";
	}
	comch_pair_open(&pair, &options, &client, &server);
	for (size_t i = 0; i < options.size_count; i++) {
		uint32_t size = (uint32_t)options.sizes[i];
		double elapsed_ns = measure(&pair.client, size, options.point_ns);

		report_rate(options.label ? options.label : peer, size, (double)run.sent,
			    elapsed_ns);
	}
	comch_pair_close(&pair);
	return 0;
}
