/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Back ends and the hand-over of their queues.
 */
#define LOG_MODULE "sta"
#include "sta/sta.h"

#include <stdlib.h>
#include "base/log.h"
#include "core/mmap.h"
#include "doca_mmap.h"

doca_error_t doca_sta_be_create(struct doca_sta *sta, struct doca_sta_be_handle **be_handle)
{
	struct doca_sta_be_handle *be;

	if (!sta || !be_handle)
		return DOCA_ERROR_INVALID_VALUE;
	if (!sta_is_running(sta))
		return DOCA_ERROR_BAD_STATE;
	if (sta->backend_count >= priv_topo_limits()->sta_max_be)
		return DOCA_ERROR_FULL;
	be = calloc(1, sizeof(*be));
	if (!be)
		return DOCA_ERROR_NO_MEMORY;
	be->sta = sta;
	sta_be_init(&be->be, sta->engine);
	list_add_tail(&sta->backends, &be->node);
	sta->backend_count++;
	*be_handle = be;
	return DOCA_SUCCESS;
}

doca_error_t doca_sta_be_destroy(struct doca_sta_be_handle *be_handle)
{
	bool is_inherited;

	if (!be_handle)
		return DOCA_ERROR_INVALID_VALUE;
	is_inherited = sta_is_inherited(be_handle->sta);
	if ((be_handle->be.queue_count && !is_inherited) || be_handle->be.ns_count) {
		LOG_ERR("a back end cannot be destroyed: it has %u queues, and %u namespaces use "
			"it",
			be_handle->be.queue_count, be_handle->be.ns_count);
		return DOCA_ERROR_IN_USE;
	}
	list_remove(&be_handle->node);
	be_handle->sta->backend_count--;
	if (!is_inherited) /* disks of the parent may still write there */
		sta_be_release_buffers(&be_handle->be);
	free(be_handle);
	return DOCA_SUCCESS;
}

/*
 * Queues
 */

doca_error_t sta_be_add_rings(struct doca_sta_be_handle *be, const struct nvme_queue_attr *rings,
			      struct vctrl_queue *device, bool is_null,
			      struct doca_sta_be_q_handle **ret_be_q)
{
	struct doca_sta_be_q_handle *be_q;
	doca_error_t err;

	if (be->be.queue_count >= priv_topo_limits()->sta_max_qs_per_be) {
		LOG_ERR("the back end has %u queues, which is the limit", be->be.queue_count);
		return DOCA_ERROR_FULL;
	}
	be_q = calloc(1, sizeof(*be_q));
	if (!be_q)
		return DOCA_ERROR_NO_MEMORY;
	be_q->be = be;
	list_init(&be_q->tasks);
	err = sta_beq_create(&be->be, rings, device, is_null, be_q, &be_q->beq);
	if (err) {
		LOG_ERR("no queue of %u entries, which are a power of two, 2 to %u: %s",
			rings->entries, NVME_QUEUE_ENTRIES_MAX, doca_error_get_descr(err));
		free(be_q);
		return err;
	}
	err = sta_be_q_entries_init(be_q);
	if (err)
		LOG_WRN("no memory for the counters of a queue");
	*ret_be_q = be_q;
	return DOCA_SUCCESS;
}

static doca_error_t get_range(const struct doca_mmap *mmap, void **ret_addr, size_t *ret_size)
{
	if (!mmap_is_started(mmap)) {
		LOG_ERR("a map of a queue is not started");
		return DOCA_ERROR_BAD_STATE;
	}
	if (!mmap_is_writable(mmap)) {
		LOG_ERR("a map of a queue lacks DOCA_ACCESS_FLAG_LOCAL_READ_WRITE");
		return DOCA_ERROR_NOT_PERMITTED;
	}
	return doca_mmap_get_memrange(mmap, ret_addr, ret_size);
}

static doca_error_t get_doorbell(const struct doca_mmap *mmap, uint16_t offset,
				 _Atomic uint32_t **ret_db)
{
	void *addr;
	size_t size;
	doca_error_t err = get_range(mmap, &addr, &size);

	if (err)
		return err;
	if (((uintptr_t)addr + offset) % sizeof(uint32_t) || offset + sizeof(uint32_t) > size) {
		LOG_ERR("a doorbell at offset %u of a map of %zu bytes at %p: it is 4 bytes, "
			"aligned and inside",
			offset, size, addr);
		return DOCA_ERROR_INVALID_VALUE;
	}
	*ret_db = (_Atomic uint32_t *)(void *)((uint8_t *)addr + offset);
	return DOCA_SUCCESS;
}

static doca_error_t get_rings(const struct doca_mmap *sq, const struct doca_mmap *cq,
			      struct nvme_queue_attr *rings)
{
	void *sq_addr, *cq_addr;
	size_t sq_size, cq_size;
	doca_error_t err = get_range(sq, &sq_addr, &sq_size);

	if (!err)
		err = get_range(cq, &cq_addr, &cq_size);
	if (err)
		return err;
	if ((uintptr_t)sq_addr % _Alignof(struct nvme_cmd) ||
	    (uintptr_t)cq_addr % _Alignof(struct nvme_cqe)) {
		LOG_ERR("rings of a queue at %p and %p, which are not aligned", sq_addr, cq_addr);
		return DOCA_ERROR_INVALID_VALUE;
	}
	rings->sq = sq_addr;
	rings->cq = cq_addr;
	rings->entries = (uint32_t)(sq_size / sizeof(struct nvme_cmd));
	if (sq_size == (size_t)rings->entries * sizeof(struct nvme_cmd) &&
	    cq_size == (size_t)rings->entries * sizeof(struct nvme_cqe))
		return DOCA_SUCCESS;
	LOG_ERR("a queue has %zu bytes of submission ring and %zu of completion ring: not the "
		"same number of entries",
		sq_size, cq_size);
	return DOCA_ERROR_INVALID_VALUE;
}

doca_error_t doca_sta_be_add_queue(struct doca_sta_be_handle *be_handle, struct doca_mmap *sq,
				   struct doca_mmap *sq_db_reg, uint16_t sq_db_offset,
				   struct doca_mmap *cq, struct doca_mmap *cq_db_reg,
				   uint16_t cq_db_offset, struct doca_sta_be_q_handle **be_q_handle)
{
	struct nvme_queue_attr rings = {0};
	doca_error_t err;
	bool is_null;

	if (!be_handle || !sq || !sq_db_reg || !cq || !cq_db_reg || !be_q_handle)
		return DOCA_ERROR_INVALID_VALUE;
	err = get_rings(sq, cq, &rings);
	if (!err)
		err = get_doorbell(sq_db_reg, sq_db_offset, &rings.sq_doorbell);
	if (!err)
		err = get_doorbell(cq_db_reg, cq_db_offset, &rings.cq_doorbell);
	if (err)
		return err;
	/* Doorbells of a disk on PCI are memory of that device. */
	is_null = priv_topo_limits()->sta_null_rings && !sq_db_reg->is_dmabuf;
	return sta_be_add_rings(be_handle, &rings, NULL, is_null, be_q_handle);
}

/*
 * The task
 */

static void destroyed(struct sta_op *op)
{
	struct doca_sta_producer_task_send *task =
		container_of(op, struct doca_sta_producer_task_send, op);
	struct doca_sta_be_q_handle *be_q = task->be_q;

	sta_tasks_forget(&be_q->tasks);
	if (be_q->disk) {
		sta_disk_queue_close(be_q->disk, &be_q->disk_queue);
		sta_beq_free(be_q->beq);
	} else {
		sta_beq_retire(be_q->beq);
	}
	sta_entries_free(&be_q->entries);
	sta_entries_free(&be_q->mapping);
	free(be_q);
	task_report(&task->base, DOCA_SUCCESS);
}

static doca_error_t submit_destroy_queue(struct doca_task *base, uint32_t flags)
{
	struct doca_sta_producer_task_send *task = sta_task_of(base);

	(void)flags;
	if (!task->be_q || task->be_q->destroying)
		return DOCA_ERROR_BAD_STATE;
	task_accept(base);
	task->be_q->destroying = true;
	task->op.reply = &task->be_q->be->sta->inbox;
	task->op.done = destroyed;
	sta_beq_destroy(task->be_q->beq, &task->op);
	return DOCA_SUCCESS;
}

static const struct task_type destroy_q_type = {.name = "destroy back-end queue",
						.submit = submit_destroy_queue};

doca_error_t
doca_sta_be_task_destroy_queue_set_conf(struct doca_sta *sta,
					doca_sta_task_completion_cb_t task_completion_cb,
					doca_sta_task_completion_cb_t task_error_cb)
{
	const struct topo_limits *limits = priv_topo_limits();

	if (!sta)
		return DOCA_ERROR_INVALID_VALUE;
	return sta_task_set_conf(&sta->destroy_q_pool, &sta->ctx, &destroy_q_type,
				 (struct sta_task_conf){task_completion_cb, task_error_cb},
				 (uint32_t)(limits->sta_max_be * limits->sta_max_qs_per_be),
				 &sta->destroy_q_conf);
}

doca_error_t doca_sta_be_destroy_queue_task_alloc_init(struct doca_sta_be_q_handle *be_q_handle,
						       union doca_data user_data,
						       struct doca_sta_producer_task_send **task)
{
	struct doca_sta *sta;
	doca_error_t err;

	if (!be_q_handle || !task)
		return DOCA_ERROR_INVALID_VALUE;
	sta = be_q_handle->be->sta;
	err = sta_task_alloc(&sta->destroy_q_pool, &sta->destroy_q_conf, user_data,
			     &be_q_handle->tasks, task);
	if (err)
		return err;
	(*task)->be_q = be_q_handle;
	return DOCA_SUCCESS;
}
