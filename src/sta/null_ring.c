/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A null disk behind rings that a program has made and nobody serves: what is written is forgotten,
 * what is read is zero. The vendor's client of the storage target makes such back ends.
 */
#include "sta/null_ring.h"

#include <string.h>
#include "sta/cmd.h"

/* What a read finds in its buffer is not another host's. */
static void clear(const struct nvme_queue *queue, const struct nvme_cmd *entry)
{
	uint16_t cid = le16toh(entry->cid);
	const struct sta_cmd *cmd = cid < queue->entries - 1 ? queue->owners[cid] : NULL;

	if (cmd && cmd->buf && entry->opcode == NVME_CMD_READ)
		memset(cmd->buf->data, 0, cmd->size);
}

static void complete(struct sta_null_ring *ring, struct nvme_queue *queue,
		     const struct nvme_cmd *entry)
{
	struct nvme_cqe *cqe = &queue->cq[ring->cq_tail];

	*cqe = (struct nvme_cqe){
		.sqhd = htole16(ring->sq_head),
		.cid = entry->cid,
		.status = htole16(ring->phase),
	};
	ring->cq_tail = (uint16_t)((ring->cq_tail + 1) & (queue->entries - 1));
	if (!ring->cq_tail)
		ring->phase ^= 1;
}

unsigned int sta_null_ring_serve(struct sta_null_ring *ring, struct nvme_queue *queue)
{
	unsigned int done = 0;

	for (; ring->sq_head != queue->sq_rung; done++) {
		const struct nvme_cmd *entry = &queue->sq[ring->sq_head];

		ring->sq_head = (uint16_t)((ring->sq_head + 1) & (queue->entries - 1));
		clear(queue, entry);
		complete(ring, queue, entry);
	}
	return done;
}
