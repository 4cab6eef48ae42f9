/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What contexts that need no connection live through, and the kinds of them.
 */
#ifndef SOFTFIELD_TESTS_SIM_LIVES_H
#define SOFTFIELD_TESTS_SIM_LIVES_H

#include <stdbool.h>
#include <stdint.h>
#include "base/list.h"
#include "base/random.h"
#include "doca_buf.h"
#include "doca_buf_inventory.h"
#include "doca_comch_msgq.h"
#include "doca_ctx.h"
#include "doca_mmap.h"
#include "doca_pe.h"

#define LIVES	   10u
#define ENGINES	   2u
#define TASKS	   3u /* of each context */
#define QUEUE_ENDS 2u /* of each kind */
#define NESTING	   3u
#define ROUNDS_MAX 1000u

enum errand_state { OWNED, OUT, ABANDONED };

/* A task, from its allocation until it is freed and nothing of it can come any more. */
struct errand {
	struct list_node node; /* in life->errands */
	struct life *life;
	struct doca_task *task;
	enum errand_state state;
	bool was_out; /* at least once */
};

struct kind;

struct life {
	const struct kind *kind; /* NULL: not alive */
	void *object;
	struct doca_ctx *ctx;
	struct doca_pe **pe; /* NULL: not connected */
	enum doca_ctx_states state;
	unsigned int changes; /* of the state */
	bool is_configured;
	struct list_node errands;
};

struct kind {
	doca_error_t (*create)(void **ret_object, struct doca_ctx **ret_ctx);
	doca_error_t (*destroy)(void *object);
	doca_error_t (*configure)(void *object);
	doca_error_t (*alloc)(void *object, union doca_data data, struct doca_task **ret_task);
	doca_error_t unconfigured; /* what its start says */
	bool may_refuse; /* tasks, as INVALID_VALUE: nobody receives, or there is no room */
	uint32_t max;
};

struct stage {
	struct random random;
	struct doca_dev *dev;
	struct doca_pe *engines[ENGINES];
	bool inside[ENGINES];
	struct life lives[LIVES];
	struct doca_mmap *mmap;
	struct doca_buf_inventory *inventory;
	struct doca_buf *source, *room;
	char memory[64];
	struct doca_comch_msgq *msgq;
	unsigned int depth;
	bool calm; /* nothing new begins */
};

extern struct stage stage;

#define KINDS 4u
extern const struct kind kinds[KINDS];

static inline bool chance(unsigned int percent)
{
	return random_percent(&stage.random, percent);
}

static inline uint32_t pick(uint32_t count)
{
	return (uint32_t)random_below(&stage.random, count);
}

/* callbacks of the tasks of all kinds */
void task_completed(struct doca_task *task, union doca_data task_data, union doca_data ctx_data);
void task_failed(struct doca_task *task, union doca_data task_data, union doca_data ctx_data);

#endif
