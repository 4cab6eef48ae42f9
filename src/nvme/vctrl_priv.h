/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What the files of the emulated controller share.
 */
#ifndef SOFTFIELD_NVME_VCTRL_PRIV_H
#define SOFTFIELD_NVME_VCTRL_PRIV_H

#include "nvme/vctrl.h"

#define DNR(status) ((uint16_t)((status) | NVME_SC_DNR))

/* the longest list that comes with a command: a page */
#define VCTRL_LIST_SIZE NVME_PAGE_SIZE
static_assert(NVME_DSM_RANGES_MAX * sizeof(struct nvme_dsm_range) <= VCTRL_LIST_SIZE, "");
static_assert(NVME_COPY_RANGES_MAX * sizeof(struct nvme_copy_range) <= VCTRL_LIST_SIZE, "");

struct vctrl_ns {
	struct vctrl_medium *medium;
	unsigned int block_shift;
};

struct vctrl {
	struct vctrl_attr attr;
	struct vctrl_ns ns[VCTRL_NS_MAX];
	uint32_t ns_count;
	uint32_t queue_count;
};

/* one command in execution */
struct vctrl_slot {
	struct list_node node; /* in queue->free or queue->scratch_waiters */
	struct vctrl_queue *queue;
	const struct vctrl_ns *ns;
	struct vctrl_channel *channel; /* to its medium */
	struct nvme_cmd cmd;	       /* the only copy that is looked at */
	struct vctrl_slot *pair;       /* the other half of a fused one; NULL: it is not fused */
	struct vctrl_io io;
	struct iovec *vectors;
	uint32_t range, range_count; /* of a list; Compare: count of the host's vectors */
	enum { LIST_WAITING, LIST_STARTING, LIST_FINISHED } list; /* the transfer in work */
	uint16_t list_status;
	uint64_t copy_to;   /* the block that comes next */
	uint64_t copy_read; /* blocks of the range in work, 0: it has not been begun */
};

struct vctrl_queue {
	struct vctrl *ctrl;
	const struct nvme_cmd *sq;
	struct nvme_cqe *cq;
	const _Atomic uint32_t *sq_doorbell, *cq_doorbell;
	uint32_t entries;
	uint32_t sq_head, cq_tail;
	uint16_t phase;
	bool failed, closing;
	uint32_t outstanding; /* fetched, not completed */
	uint64_t finished;
	struct vctrl_slot *slots;
	struct list_node free;
	struct vctrl_slot *half; /* of a fused command; the other one has not come yet */
	struct iovec *vectors;
	/*
	 * Compare and the like, and lists of ranges, need memory of the controller's own: one at a
	 * time. The largest transfer, and behind it the list.
	 */
	uint8_t *scratch;
	struct vctrl_slot *scratch_owner;
	struct list_node scratch_waiters;
	struct vctrl_channel *channels[VCTRL_NS_MAX];
};

const struct vctrl_ns *vctrl_find_ns(const struct vctrl *ctrl, uint32_t nsid);

static inline uint64_t vctrl_blocks(const struct vctrl_ns *ns)
{
	return atomic_load_explicit(&ns->medium->size, memory_order_relaxed) >> ns->block_shift;
}

/* vctrl_cmd.c: ends in vctrl_complete() */
void vctrl_execute(struct vctrl_slot *slot);
/* vctrl.c */
void vctrl_complete(struct vctrl_slot *slot, uint16_t status);
/* vctrl.c: dw0: what the command has to say beside the status */
void vctrl_complete_with(struct vctrl_slot *slot, uint16_t status, uint32_t dw0);
/* vctrl_cmd.c: starts commands that waited for the scratch memory */
void vctrl_scratch_poll(struct vctrl_queue *q);
/* vctrl_cmd.c: or waits for it; then vctrl_pair_start() */
void vctrl_scratch_acquire(struct vctrl_slot *slot);
/* vctrl_cmd.c: the next user starts in vctrl_scratch_poll() and not here: no recursion */
void vctrl_scratch_release(struct vctrl_queue *q);
/* vctrl_cmd.c: range, data and flags of Read, Write and Compare; a status */
uint16_t vctrl_prepare_rw(struct vctrl_slot *slot);
/* vctrl_cmd.c: of the next transfer; false: beyond the end, also by overflow */
bool vctrl_set_range(struct vctrl_slot *slot, uint64_t slba, uint64_t blocks);
/* vctrl_cmd.c: hands the transfer to the medium */
void vctrl_start(struct vctrl_slot *slot, enum vctrl_op op);

/*
 * vctrl_lists.c: one transfer after the other. The scratch memory is the command's.
 */

void vctrl_dsm_start(struct vctrl_slot *slot);
void vctrl_copy_start(struct vctrl_slot *slot);
/* one of the transfers has ended */
void vctrl_list_moved(struct vctrl_slot *slot, uint16_t status);

/*
 * vctrl_pair.c: Compare and Write as one. The medium has the second half's transfer.
 */

/* a half, or what comes instead of one; false: nothing but an ordinary command */
bool vctrl_take_half(struct vctrl_slot *slot);
/* the scratch memory is the second half's */
void vctrl_pair_start(struct vctrl_slot *second);
/* both are completed; status: of the transfer */
void vctrl_pair_end(struct vctrl_slot *second, uint16_t status);
/* the half whose transfer is that of both */
static inline struct vctrl_slot *vctrl_transfer_of(struct vctrl_slot *slot)
{
	return slot->pair && (slot->cmd.flags & NVME_FLAG_FUSED_MASK) == NVME_FUSED_FIRST
		       ? slot->pair
		       : slot;
}

#endif
