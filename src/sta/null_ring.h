/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The other end of rings that nobody serves: what is written is forgotten, what is read is zero.
 */
#ifndef SOFTFIELD_STA_NULL_RING_H
#define SOFTFIELD_STA_NULL_RING_H

#include <stdbool.h>
#include <stdint.h>
#include "nvme/queue.h"

struct sta_null_ring {
	bool is_on;
	uint16_t sq_head, cq_tail, phase;
};

/* how many commands it has done */
unsigned int sta_null_ring_serve(struct sta_null_ring *ring, struct nvme_queue *queue);

#endif
