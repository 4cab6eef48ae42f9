/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Bringing a controller up (Base 3.5.1) and down (3.6.1), and the admin commands that it takes to
 * make queues. Admin commands are rare: they are waited for.
 */
#define LOG_MODULE "nvme"
#include "nvme/pci.h"

#include <pthread.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include "base/clock.h"
#include "base/log.h"

#define ADMIN_ENTRIES 32u
#define QUEUES_MAX    64u
#define MS	      1000000ull
#define ADMIN_TIME    (10000 * MS)

struct wait {
	bool done;
	struct nvme_cqe cqe;
};

struct nvme_pci {
	struct nvme_bus *bus;
	uint64_t cap;
	uint64_t ready_time_ns; /* the longest that becoming ready, or not, may take */
	pthread_mutex_t lock;	/* the admin queue and what follows it */
	struct nvme_queue_attr admin_rings;
	struct nvme_queue admin;
	struct wait lost; /* of commands that were given up: whoever is waiting now is not meant */
	bool is_off;	  /* it did not let go of a queue */
	uint64_t sq_addr, cq_addr;
	/*
	 * For data of admin commands, a page for each number that one can have: a number is not
	 * used again before its command is answered, and until then the disk may write there.
	 */
	uint8_t *pages;
	uint64_t pages_addr;
	uint64_t used_ids; /* bit n: queue n + 1 */
	uint32_t max_queues;
	uint64_t max_transfer;
	bool write_cache, can_fuse;
	uint16_t oncs;
};

static _Atomic uint32_t *doorbell(const struct nvme_pci *pci, uint16_t id, bool completion)
{
	uint32_t index = 2u * id + completion;

	return pci->bus->ops->doorbell(pci->bus, NVME_PROP_DOORBELLS +
							 index * (4u << NVME_CAP_DSTRD(pci->cap)));
}

static uint32_t read_reg(const struct nvme_pci *pci, uint32_t reg)
{
	return pci->bus->ops->read(pci->bus, reg);
}

static void write_reg(const struct nvme_pci *pci, uint32_t reg, uint32_t value)
{
	pci->bus->ops->write(pci->bus, reg, value);
}

static void write_reg64(const struct nvme_pci *pci, uint32_t reg, uint64_t value)
{
	write_reg(pci, reg, (uint32_t)value);
	write_reg(pci, reg + 4, (uint32_t)(value >> 32));
}

/*
 * Rings
 */

static void free_rings(const struct nvme_pci *pci, struct nvme_queue_attr *rings)
{
	if (rings->sq)
		pci->bus->ops->free(pci->bus, rings->sq);
	if (rings->cq)
		pci->bus->ops->free(pci->bus, rings->cq);
	*rings = (struct nvme_queue_attr){0};
}

static doca_error_t make_rings(const struct nvme_pci *pci, uint16_t id, uint32_t entries,
			       struct nvme_queue_attr *rings, uint64_t *sq_addr, uint64_t *cq_addr)
{
	struct nvme_bus *bus = pci->bus;

	*rings = (struct nvme_queue_attr){
		.sq = bus->ops->alloc(bus, entries * sizeof(struct nvme_cmd), sq_addr),
		.cq = bus->ops->alloc(bus, entries * sizeof(struct nvme_cqe), cq_addr),
		.sq_doorbell = doorbell(pci, id, false),
		.cq_doorbell = doorbell(pci, id, true),
		.entries = entries,
	};
	if (rings->sq && rings->cq)
		return DOCA_SUCCESS;
	free_rings(pci, rings);
	return DOCA_ERROR_NO_MEMORY;
}

/*
 * Admin commands
 */

static void note(void *owner, const struct nvme_cqe *cqe, void *arg)
{
	struct wait *wait = owner;

	(void)arg;
	wait->cqe = *cqe;
	wait->done = true;
}

/* data: NVME_IDENTIFY_SIZE bytes that the controller sends; NULL: none */
static doca_error_t execute(struct nvme_pci *pci, const struct nvme_cmd *cmd, void *data,
			    uint32_t *ret_dw0)
{
	uint64_t end_ns = clock_now_ns() + ADMIN_TIME;
	struct wait wait = {0};
	struct nvme_cmd *entry = pci->is_off ? NULL : nvme_queue_prepare(&pci->admin, &wait);
	size_t page;
	le16_t cid;

	if (!entry) /* or commands that were never answered */
		return DOCA_ERROR_IO_FAILED;
	cid = entry->cid;
	page = (size_t)le16toh(cid) * NVME_PAGE_SIZE;
	*entry = *cmd;
	entry->cid = cid;
	if (data)
		entry->prp1 = htole64(pci->pages_addr + page);
	nvme_queue_ring(&pci->admin);
	while (!nvme_queue_poll(&pci->admin, note, NULL, 1) || !wait.done) {
		if (clock_now_ns() > end_ns) {
			LOG_ERR("admin command %02x is not answered", cmd->opcode);
			nvme_queue_hand_over(&pci->admin, le16toh(cid), &pci->lost);
			return DOCA_ERROR_TIME_OUT;
		}
		sched_yield();
	}
	if (nvme_cqe_status(&wait.cqe)) {
		LOG_DBG("admin command %02x: status %04x", cmd->opcode, nvme_cqe_status(&wait.cqe));
		return DOCA_ERROR_IO_FAILED;
	}
	if (data)
		memcpy(data, pci->pages + page, NVME_IDENTIFY_SIZE);
	*ret_dw0 = le32toh(wait.cqe.dw0);
	return DOCA_SUCCESS;
}

static doca_error_t admin(struct nvme_pci *pci, uint8_t opcode, uint32_t cdw10, uint32_t cdw11,
			  uint64_t addr)
{
	const struct nvme_cmd cmd = {
		.opcode = opcode,
		.prp1 = htole64(addr),
		.cdw10 = htole32(cdw10),
		.cdw11 = htole32(cdw11),
	};
	uint32_t dw0;

	return execute(pci, &cmd, NULL, &dw0);
}

doca_error_t nvme_pci_identify(struct nvme_pci *pci, uint8_t cns, uint32_t nsid, void *data)
{
	const struct nvme_cmd cmd = {
		.opcode = NVME_ADMIN_IDENTIFY,
		.nsid = htole32(nsid),
		.cdw10 = htole32(cns),
	};
	doca_error_t err;
	uint32_t dw0;

	pthread_mutex_lock(&pci->lock);
	err = execute(pci, &cmd, data, &dw0);
	pthread_mutex_unlock(&pci->lock);
	return err;
}

/*
 * Up and down
 */

static doca_error_t wait_ready(const struct nvme_pci *pci, bool ready)
{
	uint64_t end_ns = clock_now_ns() + pci->ready_time_ns;

	for (;;) {
		uint32_t csts = read_reg(pci, NVME_PROP_CSTS);

		if (csts == UINT32_MAX || (ready && (csts & NVME_CSTS_CFS))) {
			LOG_ERR("the controller has failed: CSTS %08x", csts);
			return DOCA_ERROR_IO_FAILED;
		}
		if (!!(csts & NVME_CSTS_RDY) == ready)
			return DOCA_SUCCESS;
		if (clock_now_ns() > end_ns) {
			LOG_ERR("the controller does not become %s", ready ? "ready" : "disabled");
			return DOCA_ERROR_TIME_OUT;
		}
		sched_yield();
	}
}

static void switch_off(struct nvme_pci *pci)
{
	if (pci->is_off)
		return;
	pci->is_off = true;
	write_reg(pci, NVME_PROP_CC, 0);
	wait_ready(pci, false);
}

static doca_error_t enable(struct nvme_pci *pci)
{
	doca_error_t err;

	write_reg(pci, NVME_PROP_CC, 0);
	err = wait_ready(pci, false);
	if (err)
		return err;
	write_reg(pci, NVME_PROP_AQA, (ADMIN_ENTRIES - 1) << 16 | (ADMIN_ENTRIES - 1));
	write_reg64(pci, NVME_PROP_ASQ, pci->sq_addr);
	write_reg64(pci, NVME_PROP_ACQ, pci->cq_addr);
	write_reg(pci, NVME_PROP_CC, NVME_CC_QUEUES | NVME_CC_EN);
	return wait_ready(pci, true);
}

static doca_error_t learn(struct nvme_pci *pci)
{
	const struct nvme_cmd set_queues = {
		.opcode = NVME_ADMIN_SET_FEATURES,
		.cdw10 = htole32(NVME_FEAT_NUM_QUEUES),
		.cdw11 = htole32((QUEUES_MAX - 1) << 16 | (QUEUES_MAX - 1)),
	};
	struct nvme_id_ctrl id;
	uint32_t dw0, queues;
	doca_error_t err = nvme_pci_identify(pci, NVME_CNS_CTRL, 0, &id);

	if (!err)
		err = execute(pci, &set_queues, NULL, &dw0);
	if (err)
		return err;
	pci->max_transfer = id.mdts ? (uint64_t)NVME_PAGE_SIZE << (id.mdts & 31) : UINT64_MAX;
	pci->write_cache = id.vwc & 1;
	pci->oncs = le16toh(id.oncs);
	pci->can_fuse = le16toh(id.fuses) & NVME_FUSES_COMPARE_WRITE;
	queues = (dw0 & 0xffff) < dw0 >> 16 ? dw0 & 0xffff : dw0 >> 16; /* 0-based */
	pci->max_queues = queues + 1 < QUEUES_MAX ? queues + 1 : QUEUES_MAX;
	return DOCA_SUCCESS;
}

static void release(struct nvme_pci *pci)
{
	nvme_queue_fini(&pci->admin);
	free_rings(pci, &pci->admin_rings);
	if (pci->pages)
		pci->bus->ops->free(pci->bus, pci->pages);
	pthread_mutex_destroy(&pci->lock);
	free(pci);
}

doca_error_t nvme_pci_open(struct nvme_bus *bus, struct nvme_pci **ret_pci)
{
	struct nvme_pci *pci = calloc(1, sizeof(*pci));
	doca_error_t err;

	if (!pci)
		return DOCA_ERROR_NO_MEMORY;
	pci->bus = bus;
	pthread_mutex_init(&pci->lock, NULL);
	pci->cap = read_reg(pci, NVME_PROP_CAP) | (uint64_t)read_reg(pci, NVME_PROP_CAP + 4) << 32;
	pci->ready_time_ns = (NVME_CAP_TO(pci->cap) + 1) * 500 * MS;
	err = DOCA_ERROR_NOT_SUPPORTED;
	if (NVME_CAP_MPSMIN(pci->cap)) /* pages of 4 KiB are the smallest there are */
		goto release;
	err = make_rings(pci, 0, ADMIN_ENTRIES, &pci->admin_rings, &pci->sq_addr, &pci->cq_addr);
	if (err)
		goto release;
	err = DOCA_ERROR_NO_MEMORY;
	pci->pages = bus->ops->alloc(bus, (ADMIN_ENTRIES - 1) * NVME_PAGE_SIZE, &pci->pages_addr);
	if (!pci->pages || nvme_queue_init(&pci->admin, &pci->admin_rings))
		goto release;
	err = enable(pci);
	if (!err)
		err = learn(pci);
	if (!err) {
		*ret_pci = pci;
		return DOCA_SUCCESS;
	}
	switch_off(pci);
release:
	release(pci);
	return err;
}

static void shut_down(const struct nvme_pci *pci)
{
	uint64_t end_ns = clock_now_ns() + ADMIN_TIME;

	write_reg(pci, NVME_PROP_CC, NVME_CC_QUEUES | NVME_CC_EN | NVME_CC_SHN_NORMAL);
	while ((read_reg(pci, NVME_PROP_CSTS) & (3u << 2)) != NVME_CSTS_SHST_DONE &&
	       clock_now_ns() < end_ns)
		sched_yield();
}

void nvme_pci_close(struct nvme_pci *pci)
{
	struct nvme_bus *bus = pci->bus;

	assert(!pci->used_ids);
	if (!pci->is_off)
		shut_down(pci);
	switch_off(pci); /* then it does not touch memory any more */
	release(pci);
	bus->ops->close(bus);
}

uint64_t nvme_pci_max_transfer(const struct nvme_pci *pci)
{
	return pci->max_transfer;
}

bool nvme_pci_has_write_cache(const struct nvme_pci *pci)
{
	return pci->write_cache;
}

bool nvme_pci_can_fuse(const struct nvme_pci *pci)
{
	return pci->can_fuse;
}

uint16_t nvme_pci_oncs(const struct nvme_pci *pci)
{
	return pci->oncs;
}

/*
 * Queues: Base 5.4 and 5.5. Both rings are contiguous; nobody is interrupted.
 */

static doca_error_t take_id(struct nvme_pci *pci, uint16_t *ret_id)
{
	uint32_t index;

	for (index = 0; index < pci->max_queues; index++) {
		if (pci->used_ids & 1ull << index)
			continue;
		pci->used_ids |= 1ull << index;
		*ret_id = (uint16_t)(index + 1);
		return DOCA_SUCCESS;
	}
	return DOCA_ERROR_FULL;
}

static void give_id(struct nvme_pci *pci, uint16_t id)
{
	pci->used_ids &= ~(1ull << (id - 1));
}

static doca_error_t create(struct nvme_pci *pci, struct nvme_pci_queue *queue, uint32_t entries)
{
	uint32_t size_id = (entries - 1) << 16 | queue->id;
	uint64_t sq_addr, cq_addr;
	doca_error_t err = make_rings(pci, queue->id, entries, &queue->rings, &sq_addr, &cq_addr);

	if (err)
		return err;
	err = admin(pci, NVME_ADMIN_CREATE_CQ, size_id, 1, cq_addr);
	if (err)
		goto free_rings;
	err = admin(pci, NVME_ADMIN_CREATE_SQ, size_id, (uint32_t)queue->id << 16 | 1, sq_addr);
	if (!err)
		return DOCA_SUCCESS;
	admin(pci, NVME_ADMIN_DELETE_CQ, queue->id, 0, 0);
free_rings:
	free_rings(pci, &queue->rings);
	return err;
}

doca_error_t nvme_pci_queue_open(struct nvme_pci *pci, uint32_t entries,
				 struct nvme_pci_queue **ret_queue)
{
	struct nvme_pci_queue *queue = calloc(1, sizeof(*queue));
	doca_error_t err;

	if (!queue)
		return DOCA_ERROR_NO_MEMORY;
	queue->pci = pci;
	while (entries > NVME_CAP_MQES(pci->cap) + 1)
		entries /= 2;
	pthread_mutex_lock(&pci->lock);
	err = take_id(pci, &queue->id);
	if (!err) {
		err = create(pci, queue, entries);
		if (err)
			give_id(pci, queue->id);
	}
	pthread_mutex_unlock(&pci->lock);
	if (err) {
		free(queue);
		return err;
	}
	*ret_queue = queue;
	return DOCA_SUCCESS;
}

void nvme_pci_queue_close(struct nvme_pci_queue *queue)
{
	struct nvme_pci *pci = queue->pci;

	pthread_mutex_lock(&pci->lock);
	if (admin(pci, NVME_ADMIN_DELETE_SQ, queue->id, 0, 0) ||
	    admin(pci, NVME_ADMIN_DELETE_CQ, queue->id, 0, 0)) {
		/* it may still write: disabled, it does not */
		if (!pci->is_off)
			LOG_ERR("queue %u cannot be deleted: the controller is switched off",
				queue->id);
		switch_off(pci);
	}
	give_id(pci, queue->id);
	free_rings(pci, &queue->rings);
	pthread_mutex_unlock(&pci->lock);
	free(queue);
}
