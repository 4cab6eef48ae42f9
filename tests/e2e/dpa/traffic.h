/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Two message queues with several ends each. Each producer of the CPU's sends to each worker on the
 * DPA, and each of these sends back to the consumer of the CPU's that has the producer's number.
 */
#ifndef SCENES_TRAFFIC_H
#define SCENES_TRAFFIC_H

#include <doca_comch_consumer.h>
#include <doca_comch_msgq.h>
#include <doca_comch_producer.h>
#include "scene.h"

struct crew;

/* a producer and a consumer on the CPU */
struct talker {
	struct crew *crew;
	struct doca_comch_producer *producer;
	struct doca_comch_consumer *consumer;
	uint32_t index;
	uint32_t next_worker;
	uint32_t in_flight;	       /* sends */
	uint64_t to_send[MAX_ENDS];    /* the next number for each worker */
	uint64_t to_receive[MAX_ENDS]; /* from each worker */
	uint64_t received;
	uint32_t posted;
};

/* on the DPA */
struct hand {
	struct doca_comch_consumer_completion *arrivals;
	struct doca_comch_consumer *consumer;
	struct doca_comch_producer *producer;
	struct doca_dpa_completion *reports;
	struct doca_dpa_thread *thread; /* NULL: a kernel does the work */
};

struct crew {
	struct scene scene;
	uint32_t num_talkers, num_hands;
	bool is_ending;
	struct doca_comch_msgq *to_dpa, *from_dpa;
	struct talker talkers[MAX_ENDS];
	struct hand hands[MAX_ENDS];
	doca_dpa_dev_uintptr_t workers; /* struct worker of each hand */
	struct doca_sync_event *kernel_done;
};

enum labour { BY_THREADS, BY_KERNEL, BY_THREADS_OF_ONE_UNIT };

void crew_open(struct crew *crew, uint32_t num_talkers, uint32_t num_hands, enum labour labour);
/* sends what there is room for, up to so many to each worker, and works on what comes */
void crew_talk(struct crew *crew, uint64_t each);
bool crew_is_done(const struct crew *crew, uint64_t each);
uint64_t crew_received(const struct crew *crew);
/* whatever is still under way */
void crew_close(struct crew *crew);
/* what is left in a child of fork() */
void crew_close_inherited(struct crew *crew);

#endif
