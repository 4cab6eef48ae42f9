/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * An emulated controller with one namespace and one queue pair, both ends in the test's thread.
 */
#ifndef SOFTFIELD_TESTS_NVME_RIG_H
#define SOFTFIELD_TESTS_NVME_RIG_H

#include "test.h"

#include <poll.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include "nvme/queue.h"
#include "nvme/vctrl.h"
#include "nvme/vctrl_priv.h"

#define RIG_ENTRIES 16u
#define RIG_BLOCK   512u
#define RIG_BLOCKS  4096u
#define RIG_SIZE    (RIG_BLOCKS * RIG_BLOCK)
#define RIG_MAX	    (128u << 10)

struct rig {
	struct vctrl *ctrl;
	struct vctrl_queue *device;
	struct nvme_queue host;
	struct nvme_cmd *sq;
	struct nvme_cqe *cq;
	_Atomic uint32_t doorbells[2];
	uint8_t *data; /* RIG_MAX + a page, aligned to a page */
	uint64_t *list;
	struct nvme_cqe last;
	unsigned int done;
};

static inline void rig_open_queue(struct rig *rig)
{
	struct nvme_queue_attr rings = {
		.sq = rig->sq,
		.cq = rig->cq,
		.sq_doorbell = &rig->doorbells[0],
		.cq_doorbell = &rig->doorbells[1],
		.entries = RIG_ENTRIES,
	};

	memset(rig->cq, 0, RIG_ENTRIES * sizeof(*rig->cq));
	memset(rig->doorbells, 0, sizeof(rig->doorbells));
	assert_int_equal(nvme_queue_init(&rig->host, &rings), DOCA_SUCCESS);
	assert_int_equal(vctrl_queue_open(rig->ctrl, &rings, &rig->device), DOCA_SUCCESS);
}

/* a host's memory and a queue pair; the controller is the caller's */
static inline struct rig *rig_join(struct vctrl *ctrl)
{
	struct rig *rig = calloc(1, sizeof(*rig));

	assert_non_null(rig);
	rig->ctrl = ctrl;
	rig->sq = calloc(RIG_ENTRIES, sizeof(*rig->sq));
	rig->cq = calloc(RIG_ENTRIES, sizeof(*rig->cq));
	rig->data = aligned_alloc(NVME_PAGE_SIZE, RIG_MAX + NVME_PAGE_SIZE);
	rig->list = aligned_alloc(NVME_PAGE_SIZE, 2 * NVME_PAGE_SIZE);
	memset(rig->data, 0, RIG_MAX + NVME_PAGE_SIZE);
	rig_open_queue(rig);
	return rig;
}

static inline void rig_leave(struct rig *rig)
{
	vctrl_queue_close(rig->device);
	nvme_queue_fini(&rig->host);
	free(rig->sq);
	free(rig->cq);
	free(rig->data);
	free(rig->list);
	free(rig);
}

/* takes the medium over */
static inline struct rig *rig_create(struct vctrl_medium *medium, uint32_t block_size)
{
	struct vctrl_attr attr = {.max_transfer = RIG_MAX};
	struct vctrl *ctrl;
	uint32_t nsid;

	assert_int_equal(vctrl_create(&attr, &ctrl), DOCA_SUCCESS);
	assert_int_equal(vctrl_add_ns(ctrl, medium, block_size, &nsid), DOCA_SUCCESS);
	assert_int_equal(nsid, 1);
	return rig_join(ctrl);
}

static inline void rig_destroy(struct rig *rig)
{
	struct vctrl *ctrl = rig->ctrl;

	rig_leave(rig);
	vctrl_destroy(ctrl);
}

/* PRPs of size bytes that start at data + offset */
static inline void rig_set_prps(struct rig *rig, struct nvme_cmd *cmd, size_t offset, size_t size)
{
	uint64_t start = (uint64_t)(uintptr_t)rig->data + offset;
	uint64_t page = (start | (NVME_PAGE_SIZE - 1)) + 1;
	size_t pages = 0;

	cmd->prp1 = htole64(start);
	for (; page < start + size; page += NVME_PAGE_SIZE)
		rig->list[pages++] = htole64(page);
	cmd->prp2 = pages > 1 ? htole64((uint64_t)(uintptr_t)rig->list) : pages ? rig->list[0] : 0;
}

static inline struct nvme_cmd *rig_prepare(struct rig *rig, uint8_t opcode, uint64_t slba,
					   uint32_t blocks)
{
	struct nvme_cmd *cmd = nvme_queue_prepare(&rig->host, rig);

	assert_non_null(cmd);
	cmd->opcode = opcode;
	cmd->nsid = htole32(1);
	cmd->cdw10 = htole32((uint32_t)slba);
	cmd->cdw11 = htole32((uint32_t)(slba >> 32));
	cmd->cdw12 = htole32(blocks - 1);
	rig_set_prps(rig, cmd, 0, (size_t)blocks * RIG_BLOCK);
	return cmd;
}

static inline void rig_note(void *owner, const struct nvme_cqe *cqe, void *arg)
{
	struct rig *rig = arg;

	assert_ptr_equal(owner, rig);
	rig->last = *cqe;
	rig->done++;
}

/* rings, and polls both ends until count commands are done; sleeps on the device's descriptors */
static inline void rig_run(struct rig *rig, unsigned int count)
{
	int fds[VCTRL_NS_MAX];

	rig->done = 0;
	nvme_queue_ring(&rig->host);
	while (rig->done < count) {
		if (!vctrl_queue_poll(rig->device) &&
		    !nvme_queue_poll(&rig->host, rig_note, rig, RIG_ENTRIES) &&
		    !vctrl_queue_must_poll(rig->device) && vctrl_queue_fds(rig->device, fds)) {
			struct pollfd waiting = {.fd = fds[0], .events = POLLIN};

			poll(&waiting, 1, 10000);
		}
		nvme_queue_poll(&rig->host, rig_note, rig, RIG_ENTRIES);
		assert_false(rig->device->failed);
	}
}

/* Is there a command that has been submitted and not been completed? */
static inline bool rig_is_busy(const struct rig *rig)
{
	const struct vctrl_queue *q = rig->device;

	return q->outstanding || (!q->failed && le32toh(*rig->doorbells) != q->sq_head);
}

/* runs what has been prepared, one command; returns its status field */
static inline uint16_t rig_one(struct rig *rig)
{
	rig_run(rig, 1);
	return nvme_cqe_status(&rig->last);
}

static inline uint16_t rig_do(struct rig *rig, uint8_t opcode, uint64_t slba, uint32_t blocks)
{
	rig_prepare(rig, opcode, slba, blocks);
	return rig_one(rig);
}

static inline void rig_fill(struct rig *rig, uint8_t seed, size_t size)
{
	size_t i;

	for (i = 0; i < size; i++)
		rig->data[i] = (uint8_t)(seed + i * 7 + (i >> 9));
}

static inline bool rig_is_filled(const struct rig *rig, uint8_t seed, size_t size)
{
	size_t i;

	for (i = 0; i < size; i++)
		if (rig->data[i] != (uint8_t)(seed + i * 7 + (i >> 9)))
			return false;
	return true;
}

static inline bool rig_is_zero(const struct rig *rig, size_t from, size_t size)
{
	size_t i;

	for (i = 0; i < size; i++)
		if (rig->data[from + i])
			return false;
	return true;
}

#endif
