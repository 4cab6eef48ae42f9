/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Consumers and producers on the connections of a world (world.h), each with a progress engine of
 * its own, driven through the public API. Callbacks are recorded, and handed on to the test's own
 * where it has set one.
 */
#ifndef SOFTFIELD_TESTS_FASTPATH_H
#define SOFTFIELD_TESTS_FASTPATH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "doca_buf.h"
#include "doca_buf_inventory.h"
#include "doca_comch_consumer.h"
#include "doca_comch_producer.h"
#include "doca_mmap.h"
#include "world.h"

#define FAST_ENDS   16
#define FAST_TASKS  64
#define FAST_STATES 16

/* Memory that a program has registered. */
struct memory {
	char *addr;
	size_t size;
	struct doca_mmap *mmap;
	struct doca_buf_inventory *inventory;
};

/* What is told to one side about consumers of the other. */
struct rumour {
	unsigned int born, expired;
	uint32_t id; /* of the last one */
};

/* A consumer or a producer. */
struct fast_end {
	struct fastpath *fastpath;
	struct side *side;
	struct doca_pe *pe;		      /* NULL: that of the connection */
	struct doca_comch_consumer *consumer; /* one of the two */
	struct doca_comch_producer *producer;
	struct doca_ctx *ctx;
	struct memory memory;
	uint32_t id;

	/* what callbacks have told */
	enum doca_ctx_states states[FAST_STATES];
	unsigned int state_count;
	unsigned int done, failed;
	doca_error_t status; /* of the last task */
	/* of the last message: */
	size_t size;
	uint32_t producer_id;
	uint8_t imm[96];
	uint32_t imm_size;

	/*
	 * what the test does in them; all may be NULL. A task is the test's then, else it is freed.
	 */
	void (*on_state)(struct fast_end *end, enum doca_ctx_states next);
	void (*on_received)(struct fast_end *end, struct doca_comch_consumer_task_post_recv *task,
			    doca_error_t status);
	void (*on_sent)(struct fast_end *end, struct doca_comch_producer_task_send *task,
			doca_error_t status);
	void *arg;
};

struct fastpath {
	struct world world;
	struct pair pair;
	struct rumour server_heard, client_heard;
	struct fast_end ends[FAST_ENDS];
	unsigned int end_count;
};

void memory_init(struct memory *memory, size_t size, uint32_t permissions);
void memory_fini(struct memory *memory);
/* a buffer of size bytes at offset, without data or full of data */
struct doca_buf *memory_room(struct memory *memory, size_t offset, size_t size);
struct doca_buf *memory_data(struct memory *memory, size_t offset, size_t size);

/* Lets everybody work until nothing happens any more. */
void fastpath_settle(struct fastpath *fastpath);

/* created with FAST_TASKS tasks and so much memory, not started */
struct fast_end *add_consumer(struct fastpath *fastpath, struct side *side, size_t memory);
struct fast_end *add_producer(struct fastpath *fastpath, struct side *side, size_t memory);
/* on the progress engine of the connection */
struct fast_end *add_consumer_beside(struct fastpath *fastpath, struct side *side, size_t memory);
/* on that of another one, before which it is to be destroyed */
struct fast_end *add_consumer_with(struct fast_end *other, size_t memory);
/* before it is started; else it has FAST_TASKS */
void end_set_tasks(struct fast_end *end, uint32_t count);
/* starts, and expects it to run */
void end_run(struct fast_end *end);
enum doca_ctx_states end_state(const struct fast_end *end);
/* one round of its progress engine alone */
bool end_progress(struct fast_end *end);
/* destroys it and its progress engine; IDLE is expected */
void end_destroy(struct fast_end *end);

/* posts a buffer; room 0: none, for immediate data alone */
doca_error_t end_post(struct fast_end *consumer, size_t offset, size_t room);
doca_error_t end_post_buf(struct fast_end *consumer, struct doca_buf *buf);
/* sends data that lies in its memory; size 0: immediate data alone */
doca_error_t end_send(struct fast_end *producer, size_t offset, size_t size, uint32_t consumer_id);
doca_error_t end_send_imm(struct fast_end *producer, struct doca_buf *buf, const void *imm,
			  uint32_t imm_size, uint32_t consumer_id);

/* cmocka setup and teardown: *state is a struct fastpath over simulated links */
int fastpath_setup(void **state);
int fastpath_setup_shm(void **state);
int fastpath_teardown(void **state);

#endif
