/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Control path, one way: a client sends, the server answers from its receive callback. Both sides
 * poll, or, in mode "event", sleep on their progress engine's descriptor; in mode "pauses" they do
 * so long enough before each exchange not to expect it. In mode "copied" they copy each message
 * into a buffer of their own, as recvfrom of an endpoint does for its caller.
 */
#include <string.h>
#include "comch_side.h"
#include "lib/clock.h"
#include "lib/pair.h"
#include "lib/report.h"

#define TASKS_PER_SIZE 16

static const size_t default_sizes[] = {8, 48, 64, 256, 1024, 4080};

static bool copies, pauses;
static uint8_t own_buffer[65536];

static void take_out(const uint8_t *message, uint32_t size)
{
	if (!copies)
		return;
	memcpy(own_buffer, message, size);
	__asm__ volatile("" : : "r"(own_buffer) : "memory"); /* it might be read */
}

static void reply(struct comch_side *side, const uint8_t *message, uint32_t size)
{
	struct comch_slot *slot = comch_slot_take(comch_pool_get(side, size, TASKS_PER_SIZE));

	if (!slot)
		bench_fail("%d replies are not complete, though each was received", TASKS_PER_SIZE);
	take_out(message, size);
	slot->message[0] = message[0];
	comch_submit(slot);
}

static void note_reply(struct comch_side *side, const uint8_t *message, uint32_t size)
{
	bool *replied = side->config.arg;

	take_out(message, size);
	*replied = true;
}

/* An empty pool: the messages have been answered, but their completions not been looked at. */
static struct comch_slot *take(struct comch_side *side, struct comch_pool *pool)
{
	struct comch_slot *slot;

	while (!(slot = comch_slot_take(pool)))
		comch_progress(side);
	return slot;
}

static void measure(struct comch_side *side, uint32_t size, uint64_t point_ns,
		    struct samples *samples)
{
	struct comch_pool *pool = comch_pool_get(side, size, TASKS_PER_SIZE);
	bool *replied = side->config.arg;
	uint64_t end_ns = clock_ns() + point_ns;

	samples->count = 0;
	while (!samples_full(samples) && (samples->count % 16 != 15 || clock_ns() < end_ns)) {
		struct comch_slot *slot = take(side, pool);
		uint64_t start;

		if (pauses)
			clock_pause();
		start = clock_ticks();
		*replied = false;
		comch_submit(slot);
		while (!*replied)
			comch_progress(side);
		samples_add(samples, clock_ticks() - start);
	}
}

int main(int argc, char **argv)
{
	bool replied;
	struct bench_options options;
	struct comch_config client = {.on_message = note_reply, .arg = &replied};
	struct comch_config server = {.on_message = reply};
	const char *peer = "softfield_control";
	struct comch_pair pair;
	struct samples samples;

	options_parse(&options, argc, argv);
	options_default_sizes(&options, default_sizes, sizeof(default_sizes) / sizeof(size_t));
	if (options.mode && strcmp(options.mode, "event") == 0) {
		client.event_mode = server.event_mode = true;
		peer = "softfield_control_event";
	}
	if (options.mode && strcmp(options.mode, "pauses") == 0) {
		client.event_mode = server.event_mode = pauses = true;
		peer = "softfield_control_pauses";
	}
	if (options.mode && strcmp(options.mode, "copied") == 0) {
		copies = true;
		peer = "softfield_control_copied";
	}
	clock_ns_per_tick();
	samples_init(&samples);
	comch_pair_open(&pair, &options, &client, &server);
	for (size_t i = 0; i < options.size_count; i++) {
		measure(&pair.client, (uint32_t)options.sizes[i], options.point_ns, &samples);
		report_latency(options.label ? options.label : peer, options.sizes[i], &samples);
	}
	comch_pair_close(&pair);
	samples_fini(&samples);
	return 0;
}
