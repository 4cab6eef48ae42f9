/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The CPU's half of two message queues, one to a DPA and one back: a producer with a window of
 * tasks, a consumer whose receives are posted again as soon as they complete.
 */
#ifndef SOFTFIELD_BENCH_COMCH_MSGQ_SIDE_H
#define SOFTFIELD_BENCH_COMCH_MSGQ_SIDE_H

#include <stdbool.h>
#include <doca_comch_consumer.h>
#include <doca_comch_msgq.h>
#include <doca_comch_producer.h>
#include <doca_ctx.h>
#include <doca_dev.h>
#include <doca_dpa.h>
#include <doca_error.h>
#include <doca_pe.h>
#include <doca_sync_event.h>
#include "comch_msgq.h"
#include "lib/pair.h"

#define MSGQ_SENDS 64 /* under way, as in the other benches */
#define CHECK(call)                                                                                \
	do {                                                                                       \
		doca_error_t check_result = (call);                                                \
		if (check_result != DOCA_SUCCESS && check_result != DOCA_ERROR_IN_PROGRESS)        \
			bench_fail("%s: %s", #call, doca_error_get_descr(check_result));           \
	} while (0)

struct msgq_side;

struct msgq_config {
	/* the DPA's code: a thread's, which messages trigger, or a kernel's; the other is NULL */
	doca_dpa_func_t *thread, *kernel;
	struct msgq_handles handles;		 /* what else it is told */
	void (*on_sent)(struct msgq_side *side); /* a task is free again; NULL: nothing */
	void *arg;
};

struct msgq_side {
	struct msgq_config config;
	struct doca_dev *dev;
	struct doca_pe *pe;
	struct doca_dpa *dpa;
	struct doca_dpa_thread *thread;
	struct doca_sync_event *has_left; /* the kernel */
	doca_dpa_dev_uintptr_t handles;	  /* struct msgq_handles */

	struct doca_comch_msgq *to_dpa, *from_dpa;
	struct doca_comch_consumer_completion *arrivals;
	struct doca_dpa_completion *reports;
	struct doca_comch_consumer *dpa_consumer, *consumer;
	struct doca_comch_producer *dpa_producer, *producer;

	struct doca_comch_producer_task_send *sends[MSGQ_SENDS];
	struct doca_task *free_sends[MSGQ_SENDS];
	unsigned int free_count;
	bool is_ending;
	uint64_t sent, answers;
};

/* Starts everything; the DPA's threads run where the caller does. */
void msgq_open(struct msgq_side *side, const struct msgq_config *config);
/* of a thread: it returns, or gives its unit up, by itself */
void msgq_close(struct msgq_side *side);

/* Waits for all tasks; from now on they send this. */
void msgq_set_message(struct msgq_side *side, uint8_t first_byte, size_t size);
/* with a task that is free */
void msgq_submit(struct msgq_side *side);

#endif
