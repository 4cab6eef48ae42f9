/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The emulated controller: namespaces and queue pairs. What one command does is in vctrl_cmd.c.
 */
#include "nvme/vctrl_priv.h"

#include <stdlib.h>
#include "base/pow2.h"

doca_error_t vctrl_create(const struct vctrl_attr *attr, struct vctrl **ret_ctrl)
{
	struct vctrl *ctrl;

	if (!attr->max_transfer || attr->max_transfer % NVME_PAGE_SIZE)
		return DOCA_ERROR_INVALID_VALUE;
	ctrl = calloc(1, sizeof(*ctrl));
	if (!ctrl)
		return DOCA_ERROR_NO_MEMORY;
	ctrl->attr = *attr;
	*ret_ctrl = ctrl;
	return DOCA_SUCCESS;
}

void vctrl_medium_destroy(struct vctrl_medium *medium)
{
	medium->ops->destroy(medium);
}

void vctrl_destroy(struct vctrl *ctrl)
{
	uint32_t i;

	assert(ctrl->queue_count == 0);
	for (i = 0; i < ctrl->ns_count; i++)
		vctrl_medium_destroy(ctrl->ns[i].medium);
	free(ctrl);
}

doca_error_t vctrl_add_ns(struct vctrl *ctrl, struct vctrl_medium *medium, uint32_t block_size,
			  uint32_t *ret_nsid)
{
	struct vctrl_ns *ns = &ctrl->ns[ctrl->ns_count];

	if (!is_pow2(block_size) || block_size < 512 || block_size > 65536 ||
	    block_size < medium->min_block_size ||
	    atomic_load_explicit(&medium->size, memory_order_relaxed) < block_size)
		return DOCA_ERROR_INVALID_VALUE;
	if (ctrl->queue_count)
		return DOCA_ERROR_IN_USE;
	if (ctrl->ns_count == VCTRL_NS_MAX)
		return DOCA_ERROR_FULL;
	ns->medium = medium;
	medium->block_size = block_size;
	ns->block_shift = (unsigned int)__builtin_ctz(block_size);
	*ret_nsid = ++ctrl->ns_count;
	return DOCA_SUCCESS;
}

const struct vctrl_ns *vctrl_find_ns(const struct vctrl *ctrl, uint32_t nsid)
{
	return nsid && nsid <= ctrl->ns_count ? &ctrl->ns[nsid - 1] : NULL;
}

doca_error_t vctrl_ns_rescan(struct vctrl *ctrl, uint32_t nsid)
{
	const struct vctrl_ns *ns = vctrl_find_ns(ctrl, nsid);

	if (!ns)
		return DOCA_ERROR_INVALID_VALUE;
	if (!ns->medium->ops->rescan)
		return DOCA_SUCCESS;
	return ns->medium->ops->rescan(ns->medium);
}

uint64_t vctrl_ns_blocks(const struct vctrl *ctrl, uint32_t nsid)
{
	const struct vctrl_ns *ns = vctrl_find_ns(ctrl, nsid);

	return ns ? vctrl_blocks(ns) : 0;
}

static void close_channels(struct vctrl_queue *q)
{
	uint32_t i;

	for (i = 0; i < q->ctrl->ns_count; i++)
		if (q->channels[i])
			q->channels[i]->medium->ops->close(q->channels[i]);
}

static doca_error_t open_channels(struct vctrl_queue *q)
{
	uint32_t i;

	for (i = 0; i < q->ctrl->ns_count; i++) {
		struct vctrl_medium *medium = q->ctrl->ns[i].medium;
		doca_error_t err = medium->ops->open(medium, q->entries, &q->channels[i]);

		if (err) {
			q->channels[i] = NULL;
			close_channels(q);
			return err;
		}
		q->channels[i]->medium = medium;
		q->channels[i]->queue = q;
	}
	return DOCA_SUCCESS;
}

static void release_memory(struct vctrl_queue *q)
{
	free(q->slots);
	free(q->vectors);
	free(q->scratch);
	free(q);
}

/*
 * Slots with their vectors: the most pages a transfer can touch, when it starts inside a page, and
 * one for the scratch memory of Compare.
 */
static bool make_slots(struct vctrl_queue *q)
{
	uint32_t vectors = q->ctrl->attr.max_transfer / NVME_PAGE_SIZE + 2;
	uint32_t i;

	q->slots = calloc(q->entries, sizeof(*q->slots));
	q->vectors = calloc((size_t)q->entries * vectors, sizeof(*q->vectors));
	q->scratch = aligned_alloc(NVME_PAGE_SIZE, q->ctrl->attr.max_transfer + VCTRL_LIST_SIZE);
	if (!q->slots || !q->vectors || !q->scratch)
		return false;
	for (i = 0; i < q->entries; i++) {
		q->slots[i].vectors = &q->vectors[(size_t)i * vectors];
		list_add_tail(&q->free, &q->slots[i].node);
	}
	return true;
}

doca_error_t vctrl_queue_open(struct vctrl *ctrl, const struct nvme_queue_attr *rings,
			      struct vctrl_queue **ret_queue)
{
	struct vctrl_queue *q;
	doca_error_t err;

	if (!is_pow2(rings->entries) || rings->entries < 2 ||
	    rings->entries > NVME_QUEUE_ENTRIES_MAX)
		return DOCA_ERROR_INVALID_VALUE;
	q = calloc(1, sizeof(*q));
	if (!q)
		return DOCA_ERROR_NO_MEMORY;
	*q = (struct vctrl_queue){
		.ctrl = ctrl,
		.sq = rings->sq,
		.cq = rings->cq,
		.sq_doorbell = rings->sq_doorbell,
		.cq_doorbell = rings->cq_doorbell,
		.entries = rings->entries,
		.phase = 1,
	};
	list_init(&q->free);
	list_init(&q->scratch_waiters);
	if (!make_slots(q)) {
		release_memory(q);
		return DOCA_ERROR_NO_MEMORY;
	}
	err = open_channels(q);
	if (err) {
		release_memory(q);
		return err;
	}
	ctrl->queue_count++;
	*ret_queue = q;
	return DOCA_SUCCESS;
}

void vctrl_queue_close(struct vctrl_queue *q)
{
	q->closing = true;
	close_channels(q);
	q->ctrl->queue_count--;
	release_memory(q);
}

unsigned int vctrl_queue_fds(const struct vctrl_queue *q, int fds[VCTRL_NS_MAX])
{
	unsigned int count = 0;
	uint32_t i;

	for (i = 0; i < q->ctrl->ns_count; i++) {
		int fd = q->channels[i]->medium->ops->fd(q->channels[i]);

		if (fd >= 0)
			fds[count++] = fd;
	}
	return count;
}

/* What has not been looked at yet may be finished at once: no descriptor will tell. */
static bool has_new(const struct vctrl_queue *q)
{
	uint32_t tail = le32toh(atomic_load_explicit(q->sq_doorbell, memory_order_relaxed));

	return !q->failed && tail != q->sq_head;
}

/* What has not ended in a poll waits for the host to look. */
static bool has_untaken(const struct vctrl_queue *q)
{
	uint32_t head = le32toh(atomic_load_explicit(q->cq_doorbell, memory_order_relaxed));

	return !q->failed && head != q->cq_tail;
}

bool vctrl_queue_must_poll(const struct vctrl_queue *q)
{
	uint32_t i;

	if (has_new(q) || has_untaken(q))
		return true;
	if (!q->outstanding)
		return false;
	for (i = 0; i < q->ctrl->ns_count; i++) {
		const struct vctrl_channel *channel = q->channels[i];

		if (channel->medium->ops->must_poll && channel->medium->ops->must_poll(channel))
			return true;
	}
	return false;
}

/* Never called with a full completion ring: fetch() leaves room for everything outstanding. */
void vctrl_complete_with(struct vctrl_slot *slot, uint16_t status, uint32_t dw0)
{
	struct vctrl_queue *q = slot->queue;
	struct nvme_cqe *cqe = &q->cq[q->cq_tail];

	cqe->dw0 = htole32(dw0);
	cqe->dw1 = 0;
	cqe->sqhd = htole16((uint16_t)q->sq_head);
	cqe->sqid = 0;
	cqe->cid = slot->cmd.cid;
	/* Release: pairs with the acquire in nvme_queue_poll(). */
	__atomic_store_n(&cqe->status, htole16((uint16_t)(status << 1 | q->phase)),
			 __ATOMIC_RELEASE);
	q->cq_tail = (q->cq_tail + 1) & (q->entries - 1);
	if (q->cq_tail == 0)
		q->phase ^= 1;
	q->outstanding--;
	q->finished++;
	/* most recently used first: its vectors are in the cache */
	list_add_head(&q->free, &slot->node);
}

void vctrl_complete(struct vctrl_slot *slot, uint16_t status)
{
	vctrl_complete_with(slot, status, 0);
}

/*
 * How many commands may be fetched: for each one that is outstanding or that the host has not
 * consumed, the completion ring has an entry.
 */
static uint32_t room(struct vctrl_queue *q)
{
	uint32_t head = le32toh(atomic_load_explicit(q->cq_doorbell, memory_order_acquire));
	uint32_t taken;

	if (head >= q->entries) {
		q->failed = true;
		return 0;
	}
	taken = ((q->cq_tail - head) & (q->entries - 1)) + q->outstanding;
	return taken < q->entries - 1 ? q->entries - 1 - taken : 0; /* a host may lie */
}

static unsigned int fetch(struct vctrl_queue *q)
{
	/* Acquire: pairs with the release in nvme_queue_ring(). */
	uint32_t tail = le32toh(atomic_load_explicit(q->sq_doorbell, memory_order_acquire));
	unsigned int count = 0;
	uint32_t left;

	if (tail == q->sq_head)
		return 0;
	if (tail >= q->entries)
		q->failed = true;
	left = q->failed ? 0 : room(q);
	while (q->sq_head != tail && left--) {
		struct vctrl_slot *slot = container_of(list_pop(&q->free), struct vctrl_slot, node);

		slot->queue = q;
		slot->cmd = q->sq[q->sq_head];
		q->sq_head = (q->sq_head + 1) & (q->entries - 1);
		q->outstanding++;
		count++;
		vctrl_execute(slot);
	}
	return count;
}

static bool is_in(const struct list_node *list, const struct vctrl_slot *slot)
{
	const struct list_node *node;

	list_for_each (node, list)
		if (node == &slot->node)
			return true;
	return false;
}

/* NULL: no such */
static struct vctrl_slot *find_slot(struct vctrl_queue *q, uint16_t cid)
{
	uint32_t i;

	for (i = 0; i < q->entries; i++) {
		struct vctrl_slot *slot = &q->slots[i];

		/* free ones keep what they have had */
		if (le16toh(slot->cmd.cid) == cid && !is_in(&q->free, slot))
			return slot;
	}
	return NULL;
}

static void end(struct vctrl_slot *slot, uint16_t status)
{
	if (slot->pair)
		vctrl_pair_end(slot, status);
	else
		vctrl_complete(slot, status);
}

bool vctrl_queue_abort(struct vctrl_queue *q, uint16_t cid)
{
	struct vctrl_slot *slot;

	fetch(q); /* it may not have been taken yet */
	slot = find_slot(q, cid);
	if (!slot)
		return false;
	if (slot == q->half) {
		q->half = NULL;
		vctrl_complete(slot, NVME_SC_ABORT_REQUESTED);
		return true;
	}
	slot = vctrl_transfer_of(slot);
	slot->io.aborted = true;
	if (list_is_linked(&slot->node)) { /* it waits for the scratch memory */
		list_remove(&slot->node);
		end(slot, NVME_SC_ABORT_REQUESTED);
	}
	return true;
}

unsigned int vctrl_queue_poll(struct vctrl_queue *q)
{
	unsigned int work;
	uint32_t i;

	if (q->failed)
		return 0;
	work = fetch(q);
	if (!q->outstanding)
		return work;
	for (i = 0; i < q->ctrl->ns_count; i++)
		work += q->channels[i]->medium->ops->poll(q->channels[i]);
	vctrl_scratch_poll(q);
	return work;
}
