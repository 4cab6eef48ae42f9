/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The least that looks like tasks, callbacks and a progress engine: one way, one line of memory for
 * each message, nothing checked but what a program can get wrong, no flow control, no end.
 */
#ifndef SOFTFIELD_BENCH_LIMITS_TASK_H
#define SOFTFIELD_BENCH_LIMITS_TASK_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define TASK_LINES 128u
#define TASK_DATA  48u

struct task_line {
	uint64_t size;
	_Atomic uint32_t seq;
	uint8_t data[TASK_DATA];
};

struct buffer {
	uint8_t *head, *data;
	size_t size, data_size;
};

enum task_state { TASK_IDLE, TASK_SUBMITTED };

struct task;
typedef void (*task_callback)(struct task *task, void *arg);

/* where tasks of one kind go to */
struct context {
	bool (*submit)(struct task *task);
	task_callback callback;
	void *arg;
	struct engine *engine;
	struct task_line *lines;
	uint32_t index; /* of the next message */
	uint32_t posted;
	struct task *tasks[TASK_LINES]; /* of a receiver: by index of the message */
};

struct task {
	struct context *context;
	struct task *next;
	enum task_state state;
	struct buffer *buffer;
};

struct engine {
	struct task *done, **done_tail;
	struct context *receiver;
};

void engine_init(struct engine *engine, struct context *receiver);
/* calls the callbacks of what is finished or has arrived */
void engine_progress(struct engine *engine);
void sender_init(struct context *context, struct engine *engine, struct task_line *lines);
void receiver_init(struct context *context, struct engine *engine, struct task_line *lines);
/* false: the program has got something wrong */
bool task_submit(struct task *task);
void buffer_reset(struct buffer *buffer);

#endif
