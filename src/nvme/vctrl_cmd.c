/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What one command does in the emulated controller: checks in the order of the specification, PRPs
 * to vectors, transfers of the medium, status.
 */
#include "nvme/vctrl_priv.h"

#include <string.h>
#include "base/count.h"

static void *to_memory(const struct vctrl *ctrl, uint64_t bus, size_t size)
{
	if (ctrl->attr.translate)
		return ctrl->attr.translate(ctrl->attr.translate_arg, bus, size);
	return (void *)(uintptr_t)bus;
}

static bool add_vector(struct vctrl_slot *slot, uint64_t bus, size_t size)
{
	struct vctrl_io *io = &slot->io;
	void *addr = to_memory(slot->queue->ctrl, bus, size);
	struct iovec *last = io->iov_count ? &io->iov[io->iov_count - 1] : NULL;

	if (!addr)
		return false;
	if (last && (char *)last->iov_base + last->iov_len == addr)
		last->iov_len += size;
	else
		io->iov[io->iov_count++] = (struct iovec){.iov_base = addr, .iov_len = size};
	return true;
}

/* The pages after the first one, through a list that may continue in its last entry: Base 4.1.1 */
static bool map_list(struct vctrl_slot *slot, uint64_t list, uint64_t size)
{
	while (size) {
		uint32_t room = (NVME_PAGE_SIZE - (uint32_t)(list & (NVME_PAGE_SIZE - 1))) / 8;
		uint64_t pages = (size + NVME_PAGE_SIZE - 1) / NVME_PAGE_SIZE;
		uint32_t here = pages > room ? room - 1 : (uint32_t)pages;
		const le64_t *entries = NULL;
		uint32_t i;

		if (!(list & 7))
			entries = to_memory(slot->queue->ctrl, list,
					    8 * (size_t)(pages > room ? room : here));
		if (!entries)
			return false;
		for (i = 0; i < here; i++) {
			uint64_t page = le64toh(entries[i]);
			size_t part = size < NVME_PAGE_SIZE ? size : NVME_PAGE_SIZE;

			if ((page & (NVME_PAGE_SIZE - 1)) || !add_vector(slot, page, part))
				return false;
			size -= part;
		}
		if (size)
			list = le64toh(entries[room - 1]);
	}
	return true;
}

/* Turns the command's PRPs into vectors of exactly size bytes. */
static bool map_prps(struct vctrl_slot *slot, uint64_t size)
{
	uint64_t prp1 = le64toh(slot->cmd.prp1), prp2 = le64toh(slot->cmd.prp2);
	uint64_t first = NVME_PAGE_SIZE - (prp1 & (NVME_PAGE_SIZE - 1));

	slot->io.iov = slot->vectors;
	slot->io.iov_count = 0;
	if (first > size)
		first = size;
	if (prp1 & 3)
		return false;
	/* the first vector is like any other, but most commands have no other */
	slot->vectors[0].iov_base = to_memory(slot->queue->ctrl, prp1, first);
	slot->vectors[0].iov_len = first;
	slot->io.iov_count = 1;
	if (!slot->vectors[0].iov_base)
		return false;
	size -= first;
	if (!size)
		return true;
	if (size > NVME_PAGE_SIZE)
		return map_list(slot, prp2, size);
	return !(prp2 & (NVME_PAGE_SIZE - 1)) && add_vector(slot, prp2, size);
}

void vctrl_start(struct vctrl_slot *slot, enum vctrl_op op)
{
	slot->io.op = op;
	slot->io.progress = 0;
	slot->io.step = 0;
	slot->channel->medium->ops->start(slot->channel, &slot->io);
}

bool vctrl_set_range(struct vctrl_slot *slot, uint64_t slba, uint64_t blocks)
{
	const struct vctrl_ns *ns = slot->ns;
	uint64_t all = vctrl_blocks(ns);

	if (slba > all || blocks > all - slba)
		return false;
	slot->io.offset = slba << ns->block_shift;
	slot->io.size = blocks << ns->block_shift;
	return true;
}

static uint64_t cmd_slba(const struct nvme_cmd *cmd)
{
	return le32toh(cmd->cdw10) | (uint64_t)le32toh(cmd->cdw11) << 32;
}

static uint64_t cmd_blocks(const struct nvme_cmd *cmd)
{
	return (le32toh(cmd->cdw12) & 0xffff) + 1u;
}

/* range and flags of all that transfers blocks: NVM 3.2 */
static uint16_t prepare_range(struct vctrl_slot *slot)
{
	uint64_t size = cmd_blocks(&slot->cmd) << slot->ns->block_shift;

	if (size > slot->queue->ctrl->attr.max_transfer)
		return DNR(NVME_SC_INVALID_FIELD);
	if (le32toh(slot->cmd.cdw12) & (NVME_RW_PRACT | NVME_RW_PRCHK_MASK))
		return DNR(NVME_SC_INVALID_FIELD); /* no protection information here */
	if (!vctrl_set_range(slot, cmd_slba(&slot->cmd), cmd_blocks(&slot->cmd)))
		return DNR(NVME_SC_LBA_RANGE);
	slot->io.fua = le32toh(slot->cmd.cdw12) & NVME_RW_FUA;
	return NVME_SC_SUCCESS;
}

uint16_t vctrl_prepare_rw(struct vctrl_slot *slot)
{
	uint16_t status = prepare_range(slot);

	if (!status && !map_prps(slot, slot->io.size))
		status = DNR(NVME_SC_PRP_OFFSET);
	return status;
}

static void do_rw(struct vctrl_slot *slot, enum vctrl_op op)
{
	uint16_t status = vctrl_prepare_rw(slot);

	if (status)
		vctrl_complete(slot, status);
	else
		vctrl_start(slot, op);
}

static void do_read(struct vctrl_slot *slot)
{
	do_rw(slot, VCTRL_READ);
}

static void do_write(struct vctrl_slot *slot)
{
	do_rw(slot, VCTRL_WRITE);
}

static void do_flush(struct vctrl_slot *slot)
{
	slot->io.size = 0;
	vctrl_start(slot, VCTRL_FLUSH);
}

static void do_write_zeroes(struct vctrl_slot *slot)
{
	uint32_t cdw12 = le32toh(slot->cmd.cdw12);

	if (!vctrl_set_range(slot, cmd_slba(&slot->cmd), cmd_blocks(&slot->cmd))) {
		vctrl_complete(slot, DNR(NVME_SC_LBA_RANGE));
		return;
	}
	slot->io.fua = cdw12 & NVME_RW_FUA;
	slot->io.unmap = cdw12 & NVME_WZ_DEAC;
	vctrl_start(slot, VCTRL_ZERO);
}

/* The next user starts in vctrl_scratch_poll() and not here: no recursion. */
void vctrl_scratch_release(struct vctrl_queue *q)
{
	q->scratch_owner = NULL;
}

/*
 * Compare reads the medium into the scratch memory; the rest is in compare_done(). Verify does,
 * too, and has nothing to compare it with.
 */
static void compare_start(struct vctrl_slot *slot)
{
	/* a vector of its own: those of the slot keep the host's data */
	slot->io.size = cmd_blocks(&slot->cmd) << slot->ns->block_shift;
	slot->io.iov[slot->io.iov_count] = (struct iovec){
		.iov_base = slot->queue->scratch,
		.iov_len = slot->io.size,
	};
	slot->io.iov += slot->io.iov_count;
	slot->range_count = slot->io.iov_count;
	slot->io.iov_count = 1;
	vctrl_start(slot, VCTRL_READ);
}

static void compare_done(struct vctrl_slot *slot, uint16_t status)
{
	const uint8_t *data = slot->queue->scratch;
	uint32_t i;

	for (i = 0; !status && i < slot->range_count; i++) {
		if (memcmp(data, slot->vectors[i].iov_base, slot->vectors[i].iov_len))
			status = DNR(NVME_SC_COMPARE_FAILURE);
		data += slot->vectors[i].iov_len;
	}
	vctrl_scratch_release(slot->queue);
	vctrl_complete(slot, status);
}

static void scratch_start(struct vctrl_slot *slot)
{
	if (slot->pair)
		vctrl_pair_start(slot);
	else if (slot->cmd.opcode == NVME_CMD_DSM)
		vctrl_dsm_start(slot);
	else if (slot->cmd.opcode == NVME_CMD_COPY)
		vctrl_copy_start(slot);
	else
		compare_start(slot);
}

void vctrl_scratch_acquire(struct vctrl_slot *slot)
{
	struct vctrl_queue *q = slot->queue;

	if (q->scratch_owner) {
		list_add_tail(&q->scratch_waiters, &slot->node);
		return;
	}
	q->scratch_owner = slot;
	scratch_start(slot);
}

static void do_compare(struct vctrl_slot *slot)
{
	uint16_t status = vctrl_prepare_rw(slot);

	if (status)
		vctrl_complete(slot, status);
	else
		vctrl_scratch_acquire(slot);
}

static void do_verify(struct vctrl_slot *slot)
{
	uint16_t status = prepare_range(slot);

	slot->io.iov = slot->vectors;
	if (status)
		vctrl_complete(slot, status);
	else
		vctrl_scratch_acquire(slot);
}

static void take_list(struct vctrl_slot *slot, size_t entry_size)
{
	if (!map_prps(slot, slot->range_count * entry_size))
		vctrl_complete(slot, DNR(NVME_SC_PRP_OFFSET));
	else
		vctrl_scratch_acquire(slot);
}

static void do_dsm(struct vctrl_slot *slot)
{
	slot->range_count = (le32toh(slot->cmd.cdw10) & 0xff) + 1;
	take_list(slot, sizeof(struct nvme_dsm_range));
}

static void do_copy(struct vctrl_slot *slot)
{
	uint32_t cdw12 = le32toh(slot->cmd.cdw12);

	slot->range_count = (cdw12 & 0xff) + 1;
	if (cdw12 & (NVME_COPY_FORMAT_MASK | NVME_COPY_PRINFO_MASK)) /* as with Read and Write */
		vctrl_complete(slot, DNR(NVME_SC_INVALID_FIELD));
	else if (slot->range_count > NVME_COPY_RANGES_MAX)
		vctrl_complete(slot, DNR(NVME_SC_SIZE_LIMIT));
	else
		take_list(slot, sizeof(struct nvme_copy_range));
}

void vctrl_scratch_poll(struct vctrl_queue *q)
{
	while (!q->scratch_owner && !list_is_empty(&q->scratch_waiters)) {
		struct vctrl_slot *slot =
			container_of(list_pop(&q->scratch_waiters), struct vctrl_slot, node);

		q->scratch_owner = slot;
		scratch_start(slot);
	}
}

struct command {
	void (*execute)(struct vctrl_slot *slot);
	bool writes;
};

static const struct command commands[] = {
	[NVME_CMD_FLUSH] = {.execute = do_flush},
	[NVME_CMD_WRITE] = {.execute = do_write, .writes = true},
	[NVME_CMD_READ] = {.execute = do_read},
	[NVME_CMD_COMPARE] = {.execute = do_compare},
	[NVME_CMD_WRITE_ZEROES] = {.execute = do_write_zeroes, .writes = true},
	[NVME_CMD_DSM] = {.execute = do_dsm, .writes = true},
	[NVME_CMD_VERIFY] = {.execute = do_verify},
	[NVME_CMD_COPY] = {.execute = do_copy, .writes = true},
};

void vctrl_execute(struct vctrl_slot *slot)
{
	const struct nvme_cmd *cmd = &slot->cmd;
	uint32_t nsid = le32toh(cmd->nsid);
	const struct vctrl_ns *ns = vctrl_find_ns(slot->queue->ctrl, nsid);

	slot->ns = ns;
	slot->pair = NULL;
	slot->channel = ns ? slot->queue->channels[nsid - 1] : NULL;
	slot->io.fua = false;
	slot->io.unmap = false;
	slot->io.aborted = false;
	slot->io.iov_count = 0;
	slot->io.expected = NULL;
	if ((cmd->flags & NVME_FLAG_FUSED_MASK || slot->queue->half) && vctrl_take_half(slot))
		return;
	if (cmd->opcode >= COUNT(commands) || !commands[cmd->opcode].execute)
		vctrl_complete(slot, DNR(NVME_SC_INVALID_OPCODE));
	else if (cmd->flags & (NVME_FLAG_FUSED_MASK | NVME_FLAG_PSDT_MASK))
		vctrl_complete(slot, DNR(NVME_SC_INVALID_FIELD));
	else if (!ns)
		vctrl_complete(slot, DNR(NVME_SC_INVALID_NS));
	else if (commands[cmd->opcode].writes && ns->medium->read_only)
		vctrl_complete(slot, DNR(NVME_SC_NS_WRITE_PROTECTED));
	else
		commands[cmd->opcode].execute(slot);
}

void vctrl_io_done(struct vctrl_channel *channel, struct vctrl_io *io, uint16_t status)
{
	struct vctrl_slot *slot = container_of(io, struct vctrl_slot, io);

	if (channel->queue->closing)
		return;
	if (slot->pair) {
		vctrl_scratch_release(slot->queue);
		vctrl_pair_end(slot, status);
		return;
	}
	switch (slot->cmd.opcode) {
	case NVME_CMD_COMPARE:
	case NVME_CMD_VERIFY:
		compare_done(slot, status);
		break;
	case NVME_CMD_DSM:
	case NVME_CMD_COPY:
		vctrl_list_moved(slot, status);
		break;
	default:
		vctrl_complete(slot, status);
		break;
	}
}
