/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Disks in software: an emulated controller, queues of it for back ends, channels of it for the
 * program.
 */
#define LOG_MODULE "sta"
#include "sta/sta.h"

#include <stdlib.h>
#include <string.h>
#include "base/log.h"

#define DISK_NSID	  1u
#define QUEUE_ENTRIES	  1024u
#define CHANNEL_ENTRIES	  128u
#define RINGS_ALIGN	  NVME_PAGE_SIZE
#define DOORBELL_DISTANCE 64u /* lines of their own */

struct softfield_sta_disk {
	struct list_node node; /* in sta->disks */
	struct doca_sta *sta;
	struct vctrl *ctrl;
	uint32_t block_size;
	uint32_t users; /* queues and channels */
};

/*
 * The disk
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

doca_error_t softfield_sta_disk_open(struct doca_sta *sta,
				     const struct softfield_sta_disk_attr *attr,
				     struct softfield_sta_disk **disk)
{
	struct vctrl_attr ctrl_attr = {.max_transfer =
					       (uint32_t)priv_topo_limits()->sta_max_io_size};
	struct softfield_sta_disk *new_disk;
	struct vctrl_medium *medium;
	doca_error_t err;
	uint32_t nsid;

	if (!sta || !attr || !disk)
		return DOCA_ERROR_INVALID_VALUE;
	if (sta->allocator.zmalloc)
		return DOCA_ERROR_NOT_SUPPORTED;
	new_disk = calloc(1, sizeof(*new_disk));
	if (!new_disk)
		return DOCA_ERROR_NO_MEMORY;
	new_disk->sta = sta;
	new_disk->block_size = attr->block_size ? attr->block_size : 512;
	err = vctrl_create(&ctrl_attr, &new_disk->ctrl);
	if (err)
		goto free_disk;
	err = make_medium(attr, &medium);
	if (err)
		goto destroy_ctrl;
	err = vctrl_add_ns(new_disk->ctrl, medium, new_disk->block_size, &nsid);
	if (err)
		goto destroy_medium;
	assert(nsid == DISK_NSID);
	list_add_tail(&sta->disks, &new_disk->node);
	*disk = new_disk;
	return DOCA_SUCCESS;

destroy_medium:
	vctrl_medium_destroy(medium);
destroy_ctrl:
	vctrl_destroy(new_disk->ctrl);
free_disk:
	free(new_disk);
	return err;
}

doca_error_t softfield_sta_disk_close(struct softfield_sta_disk *disk)
{
	if (!disk)
		return DOCA_ERROR_INVALID_VALUE;
	if (disk->users)
		return DOCA_ERROR_IN_USE;
	list_remove(&disk->node);
	vctrl_destroy(disk->ctrl);
	free(disk);
	return DOCA_SUCCESS;
}

doca_error_t softfield_sta_disk_get_info(const struct softfield_sta_disk *disk,
					 struct softfield_sta_disk_info *info)
{
	const struct vctrl_medium *medium;

	if (!disk || !info)
		return DOCA_ERROR_INVALID_VALUE;
	medium = vctrl_ns_medium(disk->ctrl, DISK_NSID);
	*info = (struct softfield_sta_disk_info){
		.blocks = vctrl_ns_blocks(disk->ctrl, DISK_NSID),
		.block_size = disk->block_size,
		.ns_id = DISK_NSID,
		.read_only = medium->read_only,
		.write_cache = medium->write_cache,
	};
	return DOCA_SUCCESS;
}

doca_error_t softfield_sta_disk_rescan(struct softfield_sta_disk *disk)
{
	return disk ? vctrl_ns_rescan(disk->ctrl, DISK_NSID) : DOCA_ERROR_INVALID_VALUE;
}

/*
 * Rings
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

doca_error_t softfield_sta_be_add_disk_queue(struct doca_sta_be_handle *be_handle,
					     struct softfield_sta_disk *disk,
					     struct doca_sta_be_q_handle **be_q_handle)
{
	struct nvme_queue_attr rings;
	struct vctrl_queue *device;
	doca_error_t err;
	void *memory;

	if (!be_handle || !disk || !be_q_handle || be_handle->sta != disk->sta)
		return DOCA_ERROR_INVALID_VALUE;
	if (!sta_is_running(disk->sta))
		return DOCA_ERROR_BAD_STATE;
	memory = make_rings(QUEUE_ENTRIES, &rings);
	if (!memory)
		return DOCA_ERROR_NO_MEMORY;
	err = vctrl_queue_open(disk->ctrl, &rings, &device);
	if (err)
		goto free_rings;
	err = sta_be_add_rings(be_handle, &rings, device, be_q_handle);
	if (err)
		goto close_device;
	(*be_q_handle)->disk = disk;
	(*be_q_handle)->rings = memory;
	disk->users++;
	return DOCA_SUCCESS;

close_device:
	vctrl_queue_close(device);
free_rings:
	free(memory);
	return err;
}

void sta_disk_queue_closed(struct doca_sta_be_q_handle *be_q)
{
	vctrl_queue_close(be_q->device);
	free(be_q->rings);
	be_q->disk->users--;
}

/*
 * Channels
 */

struct request {
	struct softfield_sta_channel *channel;
	softfield_sta_channel_cb_t cb;
	union doca_data user_data;
	le64_t *list;	       /* a page for the addresses of pages */
	struct list_node node; /* in channel->free */
};

struct channel_watch {
	struct watch watch;
	struct softfield_sta_channel *channel;
};

struct softfield_sta_channel {
	struct softfield_sta_disk *disk;
	struct poll_group *group;
	struct poller poller;
	void *rings;
	struct nvme_queue host;
	struct vctrl_queue *device;
	struct channel_watch watches[VCTRL_NS_MAX];
	unsigned int watch_count;
	struct request *requests;
	le64_t *lists;
	struct list_node free;
};

static void request_done(void *owner, const struct nvme_cqe *cqe, void *arg)
{
	struct request *request = owner;
	softfield_sta_channel_cb_t cb = request->cb;
	union doca_data user_data = request->user_data;

	(void)arg;
	list_add_tail(&request->channel->free, &request->node);
	cb(nvme_cqe_status(cqe), user_data);
}

static unsigned int poll_channel(struct poller *poller)
{
	struct softfield_sta_channel *channel =
		container_of(poller, struct softfield_sta_channel, poller);
	unsigned int work;

	if (!nvme_queue_outstanding(&channel->host))
		return 0;
	work = vctrl_queue_poll(channel->device);
	return work + nvme_queue_poll(&channel->host, request_done, NULL, CHANNEL_ENTRIES);
}

static void no_arm(struct poller *poller)
{
	(void)poller; /* the device's descriptors are watched */
}

static bool no_pending(struct poller *poller)
{
	(void)poller;
	return false;
}

static const struct poller_ops channel_ops = {
	.poll = poll_channel,
	.arm = no_arm,
	.pending = no_pending,
	.disarm = no_arm,
};

static void channel_ready(struct watch *watch, uint32_t events)
{
	(void)events;
	priv_poll_group_heat(&container_of(watch, struct channel_watch, watch)->channel->poller);
}

static void watch_device(struct softfield_sta_channel *channel)
{
	int fds[VCTRL_NS_MAX];
	unsigned int i, count = vctrl_queue_fds(channel->device, fds);

	for (i = 0; i < count; i++) {
		struct channel_watch *w = &channel->watches[channel->watch_count];

		w->channel = channel;
		w->watch = (struct watch){.fd = fds[i], .ready = channel_ready};
		if (!priv_poll_group_watch(channel->group, &w->watch, EPOLLIN))
			channel->watch_count++;
	}
}

static bool make_requests(struct softfield_sta_channel *channel)
{
	const size_t per_list = NVME_PAGE_SIZE / sizeof(le64_t);
	uint32_t i;

	channel->requests = calloc(CHANNEL_ENTRIES, sizeof(*channel->requests));
	channel->lists = aligned_alloc(NVME_PAGE_SIZE, CHANNEL_ENTRIES * NVME_PAGE_SIZE);
	if (!channel->requests || !channel->lists)
		return false;
	for (i = 0; i < CHANNEL_ENTRIES; i++) {
		channel->requests[i].channel = channel;
		channel->requests[i].list = channel->lists + i * per_list;
		list_add_tail(&channel->free, &channel->requests[i].node);
	}
	return true;
}

static void release_channel(struct softfield_sta_channel *channel)
{
	free(channel->requests);
	free(channel->lists);
	free(channel->rings);
	free(channel);
}

doca_error_t softfield_sta_channel_open(struct softfield_sta_disk *disk, struct doca_pe *pe,
					struct softfield_sta_channel **channel)
{
	struct softfield_sta_channel *c;
	struct nvme_queue_attr rings;
	doca_error_t err = DOCA_ERROR_NO_MEMORY;

	if (!disk || !pe || !channel)
		return DOCA_ERROR_INVALID_VALUE;
	c = calloc(1, sizeof(*c));
	if (!c)
		return DOCA_ERROR_NO_MEMORY;
	c->disk = disk;
	c->group = &pe->group;
	c->poller.ops = &channel_ops;
	list_init(&c->free);
	c->rings = make_rings(CHANNEL_ENTRIES, &rings);
	if (!c->rings || !make_requests(c))
		goto free_channel;
	err = nvme_queue_init(&c->host, &rings);
	if (err)
		goto free_channel;
	err = vctrl_queue_open(disk->ctrl, &rings, &c->device);
	if (err)
		goto free_host;
	watch_device(c);
	priv_poll_group_add(c->group, &c->poller);
	disk->users++;
	*channel = c;
	return DOCA_SUCCESS;

free_host:
	nvme_queue_fini(&c->host);
free_channel:
	release_channel(c);
	return err;
}

doca_error_t softfield_sta_channel_close(struct softfield_sta_channel *channel)
{
	if (!channel)
		return DOCA_ERROR_INVALID_VALUE;
	while (channel->watch_count)
		priv_poll_group_unwatch(channel->group,
					&channel->watches[--channel->watch_count].watch);
	priv_poll_group_remove(&channel->poller);
	vctrl_queue_close(channel->device);
	nvme_queue_fini(&channel->host);
	channel->disk->users--;
	release_channel(channel);
	return DOCA_SUCCESS;
}

static void set_prps(struct nvme_cmd *cmd, le64_t *list, uintptr_t data, uint32_t size)
{
	uintptr_t page = (data | (NVME_PAGE_SIZE - 1)) + 1;
	uint32_t count = 0;

	cmd->prp1 = htole64(data);
	for (; page < data + size; page += NVME_PAGE_SIZE)
		list[count++] = htole64(page);
	cmd->prp2 = count > 1 ? htole64((uintptr_t)list) : count ? list[0] : 0;
}

doca_error_t softfield_sta_channel_submit(struct softfield_sta_channel *channel,
					  const uint8_t *nvme_cmd, void *payload,
					  uint32_t payload_len, softfield_sta_channel_cb_t cb,
					  union doca_data user_data)
{
	struct request *request;
	struct nvme_cmd *cmd;
	le16_t cid;

	if (!channel || !nvme_cmd || !cb || (payload_len && !payload) ||
	    payload_len > priv_topo_limits()->sta_max_io_size)
		return DOCA_ERROR_INVALID_VALUE;
	if (list_is_empty(&channel->free) || !channel->host.free_count)
		return DOCA_ERROR_AGAIN;
	request = container_of(list_pop(&channel->free), struct request, node);
	request->cb = cb;
	request->user_data = user_data;
	cmd = nvme_queue_prepare(&channel->host, request);
	cid = cmd->cid;
	memcpy(cmd, nvme_cmd, sizeof(*cmd));
	cmd->cid = cid;
	cmd->flags = 0;
	cmd->nsid = htole32(DISK_NSID);
	set_prps(cmd, request->list, (uintptr_t)payload, payload_len);
	nvme_queue_ring(&channel->host);
	priv_poll_group_heat(&channel->poller);
	return DOCA_SUCCESS;
}
