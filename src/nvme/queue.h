/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The host's side of one NVMe I/O queue pair: rings and doorbells are memory that the caller
 * provides, in virgin state (heads and tails 0, completion ring zeroed). Who answers, a disk, an
 * emulated controller or a program across a socket, is not known here. One thread at a time.
 */
#ifndef SOFTFIELD_NVME_QUEUE_H
#define SOFTFIELD_NVME_QUEUE_H

#include <stdbool.h>
#include <stdint.h>
#include "doca_error.h"
#include "nvme/spec.h"

#define NVME_QUEUE_ENTRIES_MAX 32768u

struct nvme_queue_attr {
	struct nvme_cmd *sq;
	struct nvme_cqe *cq;
	_Atomic uint32_t *sq_doorbell; /* written, never read: it may be a device register */
	_Atomic uint32_t *cq_doorbell;
	uint32_t entries; /* of either ring; a power of two, at least 2 */
};

struct nvme_queue {
	struct nvme_cmd *sq;
	struct nvme_cqe *cq;
	_Atomic uint32_t *sq_doorbell, *cq_doorbell;
	uint32_t entries;
	uint16_t sq_tail, sq_rung; /* next free entry; what the controller has been told */
	uint16_t cq_head;
	uint16_t phase; /* of a new completion: 0 or 1 */
	uint16_t free_count;
	uint16_t *free_cids; /* stack */
	void **owners;	     /* by cid; NULL: not outstanding */
	uint64_t strays;     /* completions with a cid that is not outstanding: ignored */
};

/* INVALID_VALUE: entries is no power of two in 2..32768. NO_MEMORY */
doca_error_t nvme_queue_init(struct nvme_queue *q, const struct nvme_queue_attr *attr);
void nvme_queue_fini(struct nvme_queue *q);

static inline uint32_t nvme_queue_outstanding(const struct nvme_queue *q)
{
	return q->entries - 1 - q->free_count;
}

/*
 * Takes the next entry of the submission ring: zeroed, its cid filled in. The controller sees it
 * after nvme_queue_ring(). owner, not NULL, comes back with the completion. NULL: the queue is
 * full.
 */
struct nvme_cmd *nvme_queue_prepare(struct nvme_queue *q, void *owner);

/* tells the controller about all entries prepared since the last time */
void nvme_queue_ring(struct nvme_queue *q);

/* cqe is a copy; its cid is the queue's own */
typedef void (*nvme_queue_done_t)(void *owner, const struct nvme_cqe *cqe, void *arg);

/* hands out at most max completions; done may prepare new entries; returns how many there were */
unsigned int nvme_queue_poll(struct nvme_queue *q, nvme_queue_done_t done, void *arg,
			     unsigned int max);

/*
 * Entries that have been handed out are the controller's again. For a done that wants it to take
 * new commands at once: until a poll has ended they are counted as if nobody had read them.
 */
void nvme_queue_return(struct nvme_queue *q);

/* the owner of an outstanding command is another one from now on */
void nvme_queue_hand_over(struct nvme_queue *q, uint16_t cid, void *owner);

/* false: it has no outstanding command */
bool nvme_queue_find(const struct nvme_queue *q, const void *owner, uint16_t *ret_cid);

/* calls for each outstanding entry and forgets it: the queue is to be destroyed */
void nvme_queue_abandon(struct nvme_queue *q, void (*abandon)(void *owner, void *arg), void *arg);

/* the status field of a completion without its phase bit */
static inline uint16_t nvme_cqe_status(const struct nvme_cqe *cqe)
{
	return (uint16_t)(le16toh(cqe->status) >> 1);
}

#endif
