/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Channels: a program's own queue of a disk, driven by its progress engine.
 */
#define LOG_MODULE "sta"
#include "sta/sta.h"

#include <stdlib.h>
#include <string.h>
#include "base/log.h"
#include "base/no_cancel.h"
#include "nvme/dma.h"

#define CHANNEL_ENTRIES 128u

struct request {
	struct softfield_sta_channel *channel;
	softfield_sta_channel_cb_t cb;
	union doca_data user_data;
	le64_t *list; /* a page for the addresses of pages */
	uint16_t cid;
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
	struct sta_disk_queue queue;
	struct nvme_queue host;
	struct channel_watch watches[VCTRL_NS_MAX];
	unsigned int watch_count;
	struct request *requests;
	le64_t *lists;
	struct list_node free;
	uint32_t result; /* of the last one that has ended */
};

static void request_done(void *owner, const struct nvme_cqe *cqe, void *arg)
{
	struct request *request = owner;
	softfield_sta_channel_cb_t cb = request->cb;
	union doca_data user_data = request->user_data;

	(void)arg;
	list_add_tail(&request->channel->free, &request->node);
	request->channel->result = le32toh(cqe->dw0);
	cb(nvme_cqe_status(cqe), user_data);
}

static unsigned int poll_channel(struct poller *poller)
{
	struct softfield_sta_channel *channel =
		container_of(poller, struct softfield_sta_channel, poller);
	unsigned int work = 0;

	if (!nvme_queue_outstanding(&channel->host))
		return 0;
	if (channel->queue.device)
		work = vctrl_queue_poll(channel->queue.device);
	return work + nvme_queue_poll(&channel->host, request_done, NULL, CHANNEL_ENTRIES);
}

static bool pending(struct poller *poller)
{
	const struct softfield_sta_channel *channel =
		container_of(poller, struct softfield_sta_channel, poller);

	/* nobody tells of what a disk on PCI has finished */
	return nvme_queue_outstanding(&channel->host) &&
	       (!channel->queue.device || vctrl_queue_must_poll(channel->queue.device));
}

/* The device's descriptors are watched. */
static const struct poller_ops channel_ops = {
	.poll = poll_channel,
	.pending = pending,
};

static void channel_ready(struct watch *watch, uint32_t events)
{
	(void)events;
	priv_poll_group_heat(&container_of(watch, struct channel_watch, watch)->channel->poller);
}

static void watch_device(struct softfield_sta_channel *channel)
{
	int fds[VCTRL_NS_MAX];
	unsigned int i, count = 0;

	if (channel->queue.device)
		count = vctrl_queue_fds(channel->queue.device, fds);
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
	channel->lists = dma_alloc(CHANNEL_ENTRIES * NVME_PAGE_SIZE);
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
	if (channel->lists)
		dma_free(channel->lists);
	free(channel);
}

doca_error_t softfield_sta_channel_open(struct softfield_sta_disk *disk, struct doca_pe *pe,
					struct softfield_sta_channel **channel)
{
	struct softfield_sta_channel *c;
	doca_error_t err = DOCA_ERROR_NO_MEMORY;
	NO_CANCEL();

	if (!disk || !pe || !channel)
		return DOCA_ERROR_INVALID_VALUE;
	c = calloc(1, sizeof(*c));
	if (!c)
		return DOCA_ERROR_NO_MEMORY;
	c->disk = disk;
	c->group = &pe->group;
	c->poller.ops = &channel_ops;
	list_init(&c->free);
	if (!make_requests(c))
		goto free_channel;
	err = sta_disk_queue_open(disk, CHANNEL_ENTRIES, &c->queue);
	if (err)
		goto free_channel;
	err = nvme_queue_init(&c->host, &c->queue.rings);
	if (err)
		goto close_queue;
	watch_device(c);
	priv_poll_group_add(c->group, &c->poller);
	*channel = c;
	return DOCA_SUCCESS;

close_queue:
	sta_disk_queue_close(disk, &c->queue);
free_channel:
	release_channel(c);
	return err;
}

doca_error_t softfield_sta_channel_close(struct softfield_sta_channel *channel)
{
	NO_CANCEL();

	if (!channel)
		return DOCA_ERROR_INVALID_VALUE;
	while (channel->watch_count)
		priv_poll_group_unwatch(channel->group,
					&channel->watches[--channel->watch_count].watch);
	priv_poll_group_remove(&channel->poller);
	sta_disk_queue_close(channel->disk, &channel->queue);
	nvme_queue_fini(&channel->host);
	release_channel(channel);
	return DOCA_SUCCESS;
}

doca_error_t softfield_sta_channel_get_result(const struct softfield_sta_channel *channel,
					      uint32_t *result)
{
	if (!channel || !result)
		return DOCA_ERROR_INVALID_VALUE;
	*result = channel->result;
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

static doca_error_t check(const struct softfield_sta_channel *channel,
			  const struct softfield_sta_request *what)
{
	if (!channel || !what->nvme_cmd || !what->cb || (what->payload_len && !what->payload) ||
	    what->payload_len > priv_topo_limits()->sta_max_io_size)
		return DOCA_ERROR_INVALID_VALUE;
	if (channel->queue.pci && what->payload_len &&
	    !dma_contains(what->payload, what->payload_len)) {
		LOG_ERR("a disk on PCI reaches the payloads of commands only, not %p",
			what->payload);
		return DOCA_ERROR_INVALID_VALUE;
	}
	return DOCA_SUCCESS;
}

/* there is room for it, in both; fused: 0, or which half it is */
static void prepare(struct softfield_sta_channel *channel, const struct softfield_sta_request *what,
		    uint8_t fused)
{
	struct request *request = container_of(list_pop(&channel->free), struct request, node);
	struct nvme_cmd *cmd = nvme_queue_prepare(&channel->host, request);
	le16_t cid = cmd->cid;

	request->cb = what->cb;
	request->user_data = what->user_data;
	request->cid = le16toh(cid);
	memcpy(cmd, what->nvme_cmd, sizeof(*cmd));
	cmd->cid = cid;
	cmd->flags = fused;
	cmd->nsid = htole32(STA_DISK_NSID);
	set_prps(cmd, request->list, (uintptr_t)what->payload, what->payload_len);
}

static void ring(struct softfield_sta_channel *channel)
{
	nvme_queue_ring(&channel->host);
	priv_poll_group_heat(&channel->poller);
}

doca_error_t softfield_sta_channel_submit(struct softfield_sta_channel *channel,
					  const uint8_t *nvme_cmd, void *payload,
					  uint32_t payload_len, softfield_sta_channel_cb_t cb,
					  union doca_data user_data)
{
	const struct softfield_sta_request what = {nvme_cmd, payload, payload_len, cb, user_data};
	doca_error_t err = check(channel, &what);

	if (err)
		return err;
	if (list_is_empty(&channel->free) || !channel->host.free_count)
		return DOCA_ERROR_AGAIN;
	prepare(channel, &what, 0);
	ring(channel);
	return DOCA_SUCCESS;
}

doca_error_t softfield_sta_channel_submit_fused(struct softfield_sta_channel *channel,
						const struct softfield_sta_request *first,
						const struct softfield_sta_request *second)
{
	doca_error_t err;

	if (!first || !second)
		return DOCA_ERROR_INVALID_VALUE;
	err = check(channel, first);
	if (!err)
		err = check(channel, second);
	if (err)
		return err;
	/* fewer commands are in the queue than there are requests */
	if (channel->host.free_count < 2)
		return DOCA_ERROR_AGAIN;
	prepare(channel, first, NVME_FUSED_FIRST);
	prepare(channel, second, NVME_FUSED_SECOND);
	ring(channel);
	return DOCA_SUCCESS;
}

doca_error_t softfield_sta_channel_abort(struct softfield_sta_channel *channel,
					 union doca_data user_data)
{
	doca_error_t err = DOCA_ERROR_NOT_FOUND;
	uint32_t i;

	if (!channel)
		return DOCA_ERROR_INVALID_VALUE;
	if (!channel->queue.device)
		return DOCA_ERROR_NOT_SUPPORTED;
	nvme_queue_return(&channel->host); /* this may be inside a callback */
	for (i = 0; i < CHANNEL_ENTRIES; i++) {
		const struct request *request = &channel->requests[i];

		if (list_is_linked(&request->node) || request->user_data.u64 != user_data.u64)
			continue; /* free, or another one */
		vctrl_queue_abort(channel->queue.device, request->cid);
		err = DOCA_SUCCESS;
	}
	priv_poll_group_heat(&channel->poller);
	return err;
}
