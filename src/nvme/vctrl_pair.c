/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Compare and Write, fused: the second half happens if the first one finds what it expects, and
 * nothing comes between. Base 3.4.2, NVM 2.1.4
 */
#include "nvme/vctrl_priv.h"

#include <string.h>

static void complete(struct vctrl_slot *second, uint16_t first_status, uint16_t second_status)
{
	vctrl_complete(second->pair, first_status);
	vctrl_complete(second, second_status);
}

/* Compare and Write of one block, which is the atomic unit: ACWU */
static bool fit(const struct nvme_cmd *first, const struct nvme_cmd *second)
{
	return first->opcode == NVME_CMD_COMPARE && second->opcode == NVME_CMD_WRITE &&
	       !((first->flags | second->flags) & NVME_FLAG_PSDT_MASK) &&
	       nvme_cmd_same_block(first, second);
}

static void execute(struct vctrl_slot *first, struct vctrl_slot *second)
{
	uint16_t status;

	first->pair = second;
	second->pair = first;
	if (!fit(&first->cmd, &second->cmd)) {
		complete(second, DNR(NVME_SC_INVALID_FIELD), DNR(NVME_SC_INVALID_FIELD));
		return;
	}
	if (!second->ns) {
		complete(second, DNR(NVME_SC_INVALID_NS), DNR(NVME_SC_INVALID_NS));
		return;
	}
	status = vctrl_prepare_rw(first);
	if (status) {
		complete(second, status, NVME_SC_FAILED_FUSED);
		return;
	}
	status = second->ns->medium->read_only ? DNR(NVME_SC_NS_WRITE_PROTECTED)
					       : vctrl_prepare_rw(second);
	if (status)
		complete(second, NVME_SC_FAILED_FUSED, status);
	else
		vctrl_scratch_acquire(second);
}

bool vctrl_take_half(struct vctrl_slot *slot)
{
	struct vctrl_queue *q = slot->queue;
	struct vctrl_slot *first = q->half;
	unsigned int which = slot->cmd.flags & NVME_FLAG_FUSED_MASK;

	q->half = NULL;
	if (first && which != NVME_FUSED_SECOND)
		vctrl_complete(first, NVME_SC_MISSING_FUSED);
	if (which == NVME_FUSED_FIRST)
		q->half = slot;
	else if (which == NVME_FUSED_SECOND && first)
		execute(first, slot);
	else if (which == NVME_FUSED_SECOND)
		vctrl_complete(slot, NVME_SC_MISSING_FUSED);
	else
		return false;
	return true;
}

void vctrl_pair_start(struct vctrl_slot *second)
{
	second->io.expected = second->pair->io.iov;
	second->io.scratch = second->queue->scratch;
	vctrl_start(second, VCTRL_WRITE);
}

void vctrl_pair_end(struct vctrl_slot *second, uint16_t status)
{
	switch (status & ~NVME_SC_DNR) {
	case NVME_SC_ABORT_REQUESTED: /* whichever of them was meant */
		complete(second, status, status);
		break;
	case NVME_SC_COMPARE_FAILURE:
	case NVME_SC_READ_ERROR:
		complete(second, status, NVME_SC_FAILED_FUSED);
		break;
	default: /* the first one has found what it expected */
		complete(second, NVME_SC_SUCCESS, status);
		break;
	}
}

bool vctrl_io_expects(const struct vctrl_io *io, const void *data)
{
	const uint8_t *at = data;
	const struct iovec *v;
	uint64_t left = io->size;

	for (v = io->expected; left; left -= v->iov_len, at += v->iov_len, v++)
		if (memcmp(at, v->iov_base, v->iov_len))
			return false;
	return true;
}
