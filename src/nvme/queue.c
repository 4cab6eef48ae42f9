/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The host's side of one NVMe I/O queue pair. Base 3.3.1: a ring of n entries holds n - 1 commands;
 * a completion is new when its phase bit has the expected value, which flips with every wrap.
 */
#include "nvme/queue.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include "base/debug.h"
#include "base/pow2.h"

doca_error_t nvme_queue_init(struct nvme_queue *q, const struct nvme_queue_attr *attr)
{
	uint32_t n = attr->entries;
	uint32_t i;

	if (n < 2 || n > NVME_QUEUE_ENTRIES_MAX || !is_pow2(n))
		return DOCA_ERROR_INVALID_VALUE;
	*q = (struct nvme_queue){
		.sq = attr->sq,
		.cq = attr->cq,
		.sq_doorbell = attr->sq_doorbell,
		.cq_doorbell = attr->cq_doorbell,
		.entries = n,
		.phase = 1,
		.free_count = (uint16_t)(n - 1),
		.free_cids = calloc(n - 1, sizeof(*q->free_cids)),
		.owners = calloc(n - 1, sizeof(*q->owners)),
	};
	if (!q->free_cids || !q->owners) {
		nvme_queue_fini(q);
		return DOCA_ERROR_NO_MEMORY;
	}
	for (i = 0; i < n - 1; i++)
		q->free_cids[i] = (uint16_t)(n - 2 - i); /* cid 0 comes first */
	return DOCA_SUCCESS;
}

void nvme_queue_fini(struct nvme_queue *q)
{
	free(q->free_cids);
	free(q->owners);
	q->free_cids = NULL;
	q->owners = NULL;
}

struct nvme_cmd *nvme_queue_prepare(struct nvme_queue *q, void *owner)
{
	struct nvme_cmd *cmd;
	uint16_t cid;

	debug_assert(owner);
	if (!q->free_count)
		return NULL;
	cid = q->free_cids[--q->free_count];
	q->owners[cid] = owner;
	/*
	 * No look at the controller's head is needed: commands it has not fetched are outstanding,
	 * and at most entries - 1 of them exist.
	 */
	cmd = &q->sq[q->sq_tail];
	q->sq_tail = (uint16_t)((q->sq_tail + 1) & (q->entries - 1));
	memset(cmd, 0, sizeof(*cmd));
	cmd->cid = htole16(cid);
	return cmd;
}

void nvme_queue_ring(struct nvme_queue *q)
{
	if (q->sq_rung == q->sq_tail)
		return;
	q->sq_rung = q->sq_tail;
	/*
	 * The entries must be visible before the doorbell. Release orders them for an emulated
	 * controller (its acquire is in vctrl.c); the fence does so for the write buffers of a
	 * device.
	 */
	atomic_thread_fence(memory_order_release);
#if defined(__x86_64__)
	__builtin_ia32_sfence();
#endif
	atomic_store_explicit(q->sq_doorbell, htole32(q->sq_tail), memory_order_release);
}

void nvme_queue_return(struct nvme_queue *q)
{
	/* Release: the device may write over entries that have been read. */
	atomic_store_explicit(q->cq_doorbell, htole32(q->cq_head), memory_order_release);
}

static void release_cid(struct nvme_queue *q, uint16_t cid)
{
	q->owners[cid] = NULL;
	q->free_cids[q->free_count++] = cid;
}

unsigned int nvme_queue_poll(struct nvme_queue *q, nvme_queue_done_t done, void *arg,
			     unsigned int max)
{
	unsigned int count = 0;

	while (count < max) {
		struct nvme_cqe *slot = &q->cq[q->cq_head];
		/* Acquire: the rest of the entry was written before its phase bit. */
		uint16_t status = le16toh(__atomic_load_n(&slot->status, __ATOMIC_ACQUIRE));
		struct nvme_cqe cqe;
		uint16_t cid;
		void *owner;

		if ((status & 1) != q->phase)
			break;
		cqe = *slot;
		cqe.status = htole16(status);
		q->cq_head = (uint16_t)((q->cq_head + 1) & (q->entries - 1));
		if (q->cq_head == 0)
			q->phase ^= 1;
		count++;
		cid = le16toh(cqe.cid);
		owner = cid < q->entries - 1 ? q->owners[cid] : NULL;
		if (!owner) {
			q->strays++;
			continue;
		}
		release_cid(q, cid);
		done(owner, &cqe, arg);
	}
	if (count)
		nvme_queue_return(q);
	return count;
}

void nvme_queue_hand_over(struct nvme_queue *q, uint16_t cid, void *owner)
{
	debug_assert(q->owners[cid]);
	q->owners[cid] = owner;
}

bool nvme_queue_find(const struct nvme_queue *q, const void *owner, uint16_t *ret_cid)
{
	for (unsigned int cid = 0; cid < q->entries - 1; cid++) {
		if (q->owners[cid] != owner)
			continue;
		*ret_cid = (uint16_t)cid;
		return true;
	}
	return false;
}

void nvme_queue_abandon(struct nvme_queue *q, void (*abandon)(void *owner, void *arg), void *arg)
{
	for (unsigned int cid = 0; cid < q->entries - 1; cid++) {
		void *owner = q->owners[cid];

		if (!owner)
			continue;
		release_cid(q, (uint16_t)cid);
		abandon(owner, arg);
	}
}
