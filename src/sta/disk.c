/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Disks: a controller, emulated or on PCI, and queues of it for back ends.
 */
#define LOG_MODULE "sta"
#include "sta/sta.h"

#include <stdlib.h>
#include <string.h>
#include "base/log.h"
#include "base/no_cancel.h"

#define QUEUE_ENTRIES	  1024u
#define RINGS_ALIGN	  NVME_PAGE_SIZE
#define DOORBELL_DISTANCE 64u /* lines of their own */

/*
 * Emulated
 */

static doca_error_t make_medium(const struct softfield_sta_disk_attr *attr,
				struct vctrl_medium **ret_medium)
{
	struct vctrl_file_attr file = {
		.path = attr->path,
		.read_only = attr->read_only,
		.direct = attr->direct,
	};

	switch (attr->kind) {
	case SOFTFIELD_STA_DISK_FILE:
		return attr->path ? vctrl_file_create(&file, ret_medium) : DOCA_ERROR_INVALID_VALUE;
	case SOFTFIELD_STA_DISK_MEMORY:
		return vctrl_mem_create(attr->size, ret_medium);
	case SOFTFIELD_STA_DISK_NULL:
		return vctrl_null_create(attr->size, ret_medium);
	default:
		return DOCA_ERROR_INVALID_VALUE;
	}
}

static doca_error_t open_emulated(struct softfield_sta_disk *disk,
				  const struct softfield_sta_disk_attr *attr)
{
	const struct vctrl_attr ctrl_attr = {
		.max_transfer = (uint32_t)priv_topo_limits()->sta_max_io_size,
	};
	struct vctrl_medium *medium;
	doca_error_t err;
	uint32_t nsid;

	disk->info.block_size = attr->block_size ? attr->block_size : 512;
	err = vctrl_create(&ctrl_attr, &disk->ctrl);
	if (err)
		return err;
	err = make_medium(attr, &medium);
	if (err)
		goto destroy_ctrl;
	if (disk->info.block_size < medium->min_block_size) {
		LOG_ERR("%s: blocks of %u bytes; at least %u are needed there", attr->path,
			disk->info.block_size, medium->min_block_size);
		err = DOCA_ERROR_NOT_SUPPORTED;
		goto destroy_medium;
	}
	err = vctrl_add_ns(disk->ctrl, medium, disk->info.block_size, &nsid);
	if (err)
		goto destroy_medium;
	assert(nsid == STA_DISK_NSID);
	medium->read_only = attr->read_only;
	disk->info.blocks = vctrl_ns_blocks(disk->ctrl, nsid);
	disk->info.read_only = attr->read_only;
	disk->info.write_cache = medium->write_cache;
	disk->info.dlfeat = NVME_DLFEAT_ZEROES | NVME_DLFEAT_DEAC;
	disk->info.can_fuse = true;
	disk->info.oncs = NVME_ONCS_OURS;
	return DOCA_SUCCESS;

destroy_medium:
	vctrl_medium_destroy(medium);
destroy_ctrl:
	vctrl_destroy(disk->ctrl);
	return err;
}

static doca_error_t rescan_emulated(struct softfield_sta_disk *disk)
{
	doca_error_t err = vctrl_ns_rescan(disk->ctrl, STA_DISK_NSID);

	if (!err)
		disk->info.blocks = vctrl_ns_blocks(disk->ctrl, STA_DISK_NSID);
	return err;
}

/*
 * On PCI
 */

static doca_error_t rescan_pci(struct softfield_sta_disk *disk)
{
	struct nvme_id_ns id;
	doca_error_t err = nvme_pci_identify(disk->pci, NVME_CNS_NS, STA_DISK_NSID, &id);
	uint32_t format;

	if (err)
		return err;
	format = le32toh(id.lbaf[id.flbas & 15]);
	if (!id.nsze || (format & 0xffff) || NVME_LBAF_SHIFT(format) < 9 ||
	    NVME_LBAF_SHIFT(format) > 16) {
		LOG_ERR("namespace 1 of the disk is missing, or has metadata or blocks of 2^%u",
			NVME_LBAF_SHIFT(format));
		return DOCA_ERROR_NOT_SUPPORTED;
	}
	disk->info.blocks = le64toh(id.nsze);
	disk->info.block_size = 1u << NVME_LBAF_SHIFT(format);
	disk->info.read_only = id.nsattr & NVME_NS_ATTR_WRITE_PROTECTED;
	disk->info.write_cache = nvme_pci_has_write_cache(disk->pci);
	disk->info.dlfeat = id.dlfeat;
	disk->info.can_fuse = nvme_pci_can_fuse(disk->pci);
	disk->info.oncs = nvme_pci_oncs(disk->pci);
	return DOCA_SUCCESS;
}

static doca_error_t open_pci(struct softfield_sta_disk *disk,
			     const struct softfield_sta_disk_attr *attr)
{
	uint64_t max = priv_topo_limits()->sta_max_io_size;
	struct nvme_bus *bus;
	doca_error_t err;

	if (!attr->path)
		return DOCA_ERROR_INVALID_VALUE;
	err = nvme_vfio_open(attr->path, &bus);
	if (err)
		return err;
	err = nvme_pci_open(bus, &disk->pci);
	if (err) {
		bus->ops->close(bus);
		return err;
	}
	err = rescan_pci(disk);
	if (!err && nvme_pci_max_transfer(disk->pci) < max) {
		LOG_ERR("%s: commands of %lu bytes at most; %lu are needed", attr->path,
			(unsigned long)nvme_pci_max_transfer(disk->pci), (unsigned long)max);
		err = DOCA_ERROR_NOT_SUPPORTED;
	}
	if (!err && attr->block_size && attr->block_size != disk->info.block_size)
		err = DOCA_ERROR_INVALID_VALUE;
	if (err)
		nvme_pci_close(disk->pci);
	return err;
}

/*
 * The disk
 */

doca_error_t softfield_sta_disk_open(struct doca_sta *sta,
				     const struct softfield_sta_disk_attr *attr,
				     struct softfield_sta_disk **disk)
{
	struct softfield_sta_disk *new_disk;
	doca_error_t err;
	NO_CANCEL();

	if (!sta || !attr || !disk)
		return DOCA_ERROR_INVALID_VALUE;
	if (sta->allocator.zmalloc)
		return DOCA_ERROR_NOT_SUPPORTED;
	new_disk = calloc(1, sizeof(*new_disk));
	if (!new_disk)
		return DOCA_ERROR_NO_MEMORY;
	new_disk->sta = sta;
	new_disk->info.ns_id = STA_DISK_NSID;
	if (attr->kind == SOFTFIELD_STA_DISK_PCI)
		err = open_pci(new_disk, attr);
	else
		err = open_emulated(new_disk, attr);
	if (err) {
		free(new_disk);
		return err;
	}
	list_add_tail(&sta->disks, &new_disk->node);
	*disk = new_disk;
	return DOCA_SUCCESS;
}

static void close_medium(struct softfield_sta_disk *disk)
{
	if (disk->pci)
		nvme_pci_close(disk->pci);
	else
		vctrl_destroy(disk->ctrl);
}

doca_error_t softfield_sta_disk_close(struct softfield_sta_disk *disk)
{
	bool is_inherited;
	NO_CANCEL();

	if (!disk)
		return DOCA_ERROR_INVALID_VALUE;
	is_inherited = sta_is_inherited(disk->sta);
	if (disk->users && !is_inherited) {
		LOG_ERR("a disk cannot be closed: it has %u queues and channels", disk->users);
		return DOCA_ERROR_IN_USE;
	}
	list_remove(&disk->node);
	if (!is_inherited) /* the parent works with it */
		close_medium(disk);
	free(disk);
	return DOCA_SUCCESS;
}

doca_error_t softfield_sta_disk_get_info(const struct softfield_sta_disk *disk,
					 struct softfield_sta_disk_info *info)
{
	if (!disk || !info)
		return DOCA_ERROR_INVALID_VALUE;
	*info = disk->info;
	return DOCA_SUCCESS;
}

doca_error_t softfield_sta_disk_rescan(struct softfield_sta_disk *disk)
{
	if (!disk)
		return DOCA_ERROR_INVALID_VALUE;
	return disk->pci ? rescan_pci(disk) : rescan_emulated(disk);
}

/*
 * Queues
 */

/* both rings and the doorbells in one piece of zeroed memory */
static void *make_rings(uint32_t entries, struct nvme_queue_attr *rings)
{
	size_t sq_size = entries * sizeof(struct nvme_cmd);
	size_t cq_size = entries * sizeof(struct nvme_cqe);
	size_t size = sq_size + cq_size + 2 * DOORBELL_DISTANCE;
	uint8_t *memory;

	size = (size + RINGS_ALIGN - 1) / RINGS_ALIGN * RINGS_ALIGN;
	memory = aligned_alloc(RINGS_ALIGN, size);
	if (!memory)
		return NULL;
	memset(memory, 0, size);
	rings->sq = (void *)memory;
	rings->cq = (void *)(memory + sq_size);
	rings->sq_doorbell = (void *)(memory + sq_size + cq_size);
	rings->cq_doorbell = (void *)(memory + sq_size + cq_size + DOORBELL_DISTANCE);
	rings->entries = entries;
	return memory;
}

static doca_error_t open_emulated_queue(struct softfield_sta_disk *disk, uint32_t entries,
					struct sta_disk_queue *queue)
{
	doca_error_t err;

	queue->memory = make_rings(entries, &queue->rings);
	if (!queue->memory)
		return DOCA_ERROR_NO_MEMORY;
	err = vctrl_queue_open(disk->ctrl, &queue->rings, &queue->device);
	if (err)
		free(queue->memory);
	return err;
}

doca_error_t sta_disk_queue_open(struct softfield_sta_disk *disk, uint32_t entries,
				 struct sta_disk_queue *queue)
{
	doca_error_t err;

	*queue = (struct sta_disk_queue){0};
	if (disk->pci) {
		err = nvme_pci_queue_open(disk->pci, entries, &queue->pci);
		if (!err)
			queue->rings = queue->pci->rings;
	} else {
		err = open_emulated_queue(disk, entries, queue);
	}
	if (!err)
		disk->users++;
	return err;
}

void sta_disk_queue_close(struct softfield_sta_disk *disk, struct sta_disk_queue *queue)
{
	if (queue->pci) {
		nvme_pci_queue_close(queue->pci);
	} else {
		vctrl_queue_close(queue->device);
		free(queue->memory);
	}
	disk->users--;
}

doca_error_t softfield_sta_be_add_disk_queue(struct doca_sta_be_handle *be_handle,
					     struct softfield_sta_disk *disk,
					     struct doca_sta_be_q_handle **be_q_handle)
{
	struct sta_disk_queue queue;
	doca_error_t err;

	if (!be_handle || !disk || !be_q_handle || be_handle->sta != disk->sta)
		return DOCA_ERROR_INVALID_VALUE;
	if (!sta_is_running(disk->sta))
		return DOCA_ERROR_BAD_STATE;
	err = sta_disk_queue_open(disk, QUEUE_ENTRIES, &queue);
	if (err)
		return err;
	err = sta_be_add_rings(be_handle, &queue.rings, queue.device, false, be_q_handle);
	if (err) {
		sta_disk_queue_close(disk, &queue);
		return err;
	}
	(*be_q_handle)->disk = disk;
	(*be_q_handle)->disk_queue = queue;
	return DOCA_SUCCESS;
}
