/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * In a file of its own, so that nothing of it becomes part of its callers.
 */
#include "task.h"

#include <string.h>

void engine_init(struct engine *engine, struct context *receiver)
{
	engine->done = NULL;
	engine->done_tail = &engine->done;
	engine->receiver = receiver;
}

static bool is_sound(const struct buffer *buffer)
{
	size_t at = (size_t)(buffer->data - buffer->head);

	return at <= buffer->size && buffer->data_size <= buffer->size - at;
}

static void report(struct task *task)
{
	task->state = TASK_IDLE;
	task->context->callback(task, task->context->arg);
}

bool task_submit(struct task *task)
{
	if (!task || task->state != TASK_IDLE || !is_sound(task->buffer))
		return false;
	task->state = TASK_SUBMITTED;
	return task->context->submit(task);
}

static bool send_submit(struct task *task)
{
	struct context *context = task->context;
	struct task_line *line = &context->lines[context->index % TASK_LINES];

	if (task->buffer->data_size != sizeof(uint64_t))
		return false;
	memcpy(line->data, task->buffer->data, sizeof(uint64_t));
	line->size = sizeof(uint64_t);
	/* Release: pairs with the acquire in receive(). */
	atomic_store_explicit(&line->seq, ++context->index, memory_order_release);
	task->next = NULL;
	*context->engine->done_tail = task;
	context->engine->done_tail = &task->next;
	return true;
}

static bool receive_submit(struct task *task)
{
	struct context *context = task->context;

	context->tasks[context->posted++ % TASK_LINES] = task;
	return true;
}

static void receive(struct context *context)
{
	for (;;) {
		struct task_line *line = &context->lines[context->index % TASK_LINES];
		struct task *task;

		/* Acquire: pairs with the release in send_submit(). */
		if (atomic_load_explicit(&line->seq, memory_order_acquire) != context->index + 1)
			return;
		task = context->tasks[context->index++ % TASK_LINES];
		memcpy(task->buffer->data, line->data, sizeof(uint64_t));
		task->buffer->data_size = line->size;
		report(task);
	}
}

/* A look at once would be made many times over, and take the line from who is about to write it. */
static inline void look_later(void)
{
#if defined(__x86_64__)
	__asm__ volatile("lfence; lfence; lfence; lfence" ::: "memory");
#elif defined(__aarch64__)
	__asm__ volatile("isb" ::: "memory");
#endif
}

void engine_progress(struct engine *engine)
{
	struct task *task = engine->done;

	engine->done = NULL;
	engine->done_tail = &engine->done;
	while (task) {
		struct task *next = task->next;

		report(task);
		task = next;
	}
	look_later();
	receive(engine->receiver);
}

void sender_init(struct context *context, struct engine *engine, struct task_line *lines)
{
	*context = (struct context){.submit = send_submit, .engine = engine, .lines = lines};
}

void receiver_init(struct context *context, struct engine *engine, struct task_line *lines)
{
	*context = (struct context){.submit = receive_submit, .engine = engine, .lines = lines};
}

void buffer_reset(struct buffer *buffer)
{
	buffer->data = buffer->head;
	buffer->data_size = 0;
}
