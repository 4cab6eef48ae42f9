/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Commands with a list of ranges: Dataset Management and Copy. One transfer follows the other, and
 * between two the command may be aborted.
 */
#include "nvme/vctrl_priv.h"

#include <string.h>

static void *list_of(const struct vctrl_slot *slot)
{
	return slot->queue->scratch + slot->queue->ctrl->attr.max_transfer;
}

/* what the host has sent */
static void take_list(struct vctrl_slot *slot)
{
	uint8_t *to = list_of(slot);
	unsigned int i;

	for (i = 0; i < slot->io.iov_count; i++) {
		memcpy(to, slot->io.iov[i].iov_base, slot->io.iov[i].iov_len);
		to += slot->io.iov[i].iov_len;
	}
	slot->range = 0;
}

/* Starts one transfer; false: it will be finished by a later poll. */
static bool move(struct vctrl_slot *slot, enum vctrl_op op, uint16_t *status)
{
	slot->list = LIST_STARTING;
	vctrl_start(slot, op);
	if (slot->list == LIST_STARTING) {
		slot->list = LIST_WAITING;
		return false;
	}
	*status = slot->list_status;
	return true;
}

static void end(struct vctrl_slot *slot, uint16_t status, uint32_t dw0)
{
	vctrl_scratch_release(slot->queue);
	vctrl_complete_with(slot, status, dw0);
}

static bool dsm_set_range(struct vctrl_slot *slot, uint32_t index)
{
	const struct nvme_dsm_range *range = (struct nvme_dsm_range *)list_of(slot) + index;

	return vctrl_set_range(slot, le64toh(range->slba), le32toh(range->nlb));
}

/* discards the ranges one after the other; empty ones are legal */
static void dsm_next(struct vctrl_slot *slot, uint16_t status)
{
	while (!status && slot->range < slot->range_count) {
		if (slot->io.aborted)
			status = NVME_SC_ABORT_REQUESTED;
		/* the namespace may have shrunk since the check */
		else if (!dsm_set_range(slot, slot->range++))
			status = DNR(NVME_SC_LBA_RANGE);
		else if (slot->io.size && !move(slot, VCTRL_DISCARD, &status))
			return;
	}
	end(slot, status, 0);
}

void vctrl_dsm_start(struct vctrl_slot *slot)
{
	bool deallocate = le32toh(slot->cmd.cdw11) & NVME_DSM_AD;
	uint16_t status = NVME_SC_SUCCESS;
	uint32_t i;

	take_list(slot);
	for (i = 0; !status && i < slot->range_count; i++)
		if (!dsm_set_range(slot, i))
			status = DNR(NVME_SC_LBA_RANGE);
	if (!deallocate) /* the other attributes are hints */
		slot->range = slot->range_count;
	dsm_next(slot, status);
}

/*
 * Copy: a range is read into the scratch memory and written from there, so it is no longer than a
 * transfer may be. Some media do all of that at once: so there are not many of the longest.
 */

static uint64_t copy_range(const struct vctrl_slot *slot, uint32_t index, uint64_t *ret_slba)
{
	const struct nvme_copy_range *range = (struct nvme_copy_range *)list_of(slot) + index;

	*ret_slba = le64toh(range->slba);
	return le16toh(range->nlb) + 1ull;
}

/* everything, before anything is written */
static uint16_t copy_check(struct vctrl_slot *slot)
{
	uint64_t max = slot->queue->ctrl->attr.max_transfer >> slot->ns->block_shift;
	uint64_t slba, blocks, all = 0;
	uint32_t i;

	for (i = 0; i < slot->range_count; i++) {
		blocks = copy_range(slot, i, &slba);
		if (blocks > max)
			return DNR(NVME_SC_SIZE_LIMIT);
		if (!vctrl_set_range(slot, slba, blocks))
			return DNR(NVME_SC_LBA_RANGE);
		all += blocks;
	}
	if (all > NVME_COPY_ALL_MAX * max)
		return DNR(NVME_SC_SIZE_LIMIT);
	return vctrl_set_range(slot, slot->copy_to, all) ? NVME_SC_SUCCESS : DNR(NVME_SC_LBA_RANGE);
}

/* the next half of a range; the namespace may have shrunk since the check */
static uint16_t copy_prepare(struct vctrl_slot *slot, enum vctrl_op *op)
{
	uint64_t slba = slot->copy_to, blocks = slot->copy_read;

	*op = blocks ? VCTRL_WRITE : VCTRL_READ;
	if (!blocks)
		blocks = slot->copy_read = copy_range(slot, slot->range, &slba);
	if (!vctrl_set_range(slot, slba, blocks))
		return DNR(NVME_SC_LBA_RANGE);
	slot->vectors[0] = (struct iovec){slot->queue->scratch, slot->io.size};
	slot->io.iov = slot->vectors;
	slot->io.iov_count = 1;
	slot->io.fua = *op == VCTRL_WRITE && le32toh(slot->cmd.cdw12) & NVME_RW_FUA;
	return NVME_SC_SUCCESS;
}

/* the transfer before has succeeded, if there was one: with the write the range is copied */
static void copy_account(struct vctrl_slot *slot)
{
	if (!slot->copy_read || slot->io.op != VCTRL_WRITE)
		return;
	slot->copy_to += slot->copy_read;
	slot->copy_read = 0;
	slot->range++;
}

/* Who has failed is told the first range that is not copied: NVM 3.2.2 */
static void copy_next(struct vctrl_slot *slot, uint16_t status)
{
	enum vctrl_op op;

	while (!status) {
		copy_account(slot);
		if (slot->range == slot->range_count)
			break;
		status = slot->io.aborted ? NVME_SC_ABORT_REQUESTED : copy_prepare(slot, &op);
		if (!status && !move(slot, op, &status))
			return;
	}
	end(slot, status, status ? slot->range : 0);
}

void vctrl_copy_start(struct vctrl_slot *slot)
{
	take_list(slot);
	slot->copy_to = le32toh(slot->cmd.cdw10) | (uint64_t)le32toh(slot->cmd.cdw11) << 32;
	slot->copy_read = 0;
	copy_next(slot, copy_check(slot));
}

void vctrl_list_moved(struct vctrl_slot *slot, uint16_t status)
{
	if (slot->list == LIST_STARTING) { /* move() is below us on the stack and goes on */
		slot->list = LIST_FINISHED;
		slot->list_status = status;
	} else if (slot->cmd.opcode == NVME_CMD_DSM) {
		dsm_next(slot, status);
	} else {
		copy_next(slot, status);
	}
}
