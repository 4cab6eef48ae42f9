/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Limit of a message through an interface of tasks and callbacks: ping-pong of 8 bytes, in which
 * each side posts its receive again and answers from the receive callback.
 */
#include <sys/mman.h>
#include "clock.h"
#include "options.h"
#include "pair.h"
#include "report.h"
#include "task.h"

#define POSTED	64u
#define SENDERS 16u
#define LAST	1u

struct lines {
	_Alignas(256) struct task_line ping[TASK_LINES], pong[TASK_LINES];
};

struct side {
	struct engine engine;
	struct context sender, receiver;
	struct task sends[SENDERS], receives[POSTED];
	struct buffer to_send, received[POSTED];
	uint64_t message, memory[POSTED];
	unsigned int next;
	uint64_t count;
	bool answers, ended;
};

static void submit(struct task *task)
{
	if (!task_submit(task))
		bench_fail("a task was refused");
}

static void send_next(struct side *side)
{
	submit(&side->sends[side->next++ % SENDERS]);
}

static void sent(struct task *task, void *arg)
{
	(void)task;
	(void)arg;
}

static void received(struct task *task, void *arg)
{
	struct side *side = arg;

	side->count++;
	side->ended = *task->buffer->data == LAST;
	buffer_reset(task->buffer);
	submit(task);
	if (side->answers)
		send_next(side);
}

static void open_side(struct side *side, struct task_line *out, struct task_line *in)
{
	unsigned int i;

	engine_init(&side->engine, &side->receiver);
	sender_init(&side->sender, &side->engine, out);
	receiver_init(&side->receiver, &side->engine, in);
	side->sender.callback = sent;
	side->receiver.callback = received;
	side->receiver.arg = side;
	side->to_send = (struct buffer){(uint8_t *)&side->message, (uint8_t *)&side->message,
					sizeof(side->message), sizeof(side->message)};
	for (i = 0; i < SENDERS; i++)
		side->sends[i] = (struct task){.context = &side->sender, .buffer = &side->to_send};
	for (i = 0; i < POSTED; i++) {
		uint8_t *memory = (uint8_t *)&side->memory[i];

		side->received[i] = (struct buffer){memory, memory, sizeof(uint64_t), 0};
		side->receives[i] =
			(struct task){.context = &side->receiver, .buffer = &side->received[i]};
		submit(&side->receives[i]);
	}
}

static void answer(void *arg)
{
	static struct side side = {.answers = true};
	struct lines *lines = arg;

	open_side(&side, lines->pong, lines->ping);
	while (!side.ended)
		engine_progress(&side.engine);
}

static void measure(const struct bench_options *options, struct samples *samples)
{
	static struct side side;
	struct lines *lines = pair_shared(sizeof(*lines));
	pid_t child = pair_fork(options->cpu, answer, lines);
	uint64_t end_ns = clock_ns() + options->point_ns;

	open_side(&side, lines->ping, lines->pong);
	while (side.message != LAST) {
		uint64_t start, before = side.count;

		if (samples->count + 1 == samples->capacity ||
		    (before % 16 == 15 && clock_ns() > end_ns))
			side.message = LAST;
		start = clock_ticks();
		send_next(&side);
		while (side.count == before)
			engine_progress(&side.engine);
		samples_add(samples, clock_ticks() - start);
	}
	pair_join(child);
	munmap(lines, sizeof(*lines));
}

int main(int argc, char **argv)
{
	struct bench_options options;
	struct samples samples;

	options_parse(&options, argc, argv);
	clock_ns_per_tick();
	samples_init(&samples);
	measure(&options, &samples);
	report_latency("limit_task", sizeof(uint64_t), &samples);
	samples_fini(&samples);
	return 0;
}
