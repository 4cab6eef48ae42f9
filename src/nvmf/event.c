/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Asynchronous events: at most one of a kind until the host has read what it is about. Base 5.2
 */
#include "nvmf/ctrlr.h"

#include <string.h>
#include "base/count.h"

/* completion dword 0, and the bit of feature 0Bh that allows the event */
static const struct {
	uint32_t dw0;
	uint32_t config;
} events[NVMF_EVENT_COUNT] = {
	[NVMF_EVENT_TEMPERATURE] = {.dw0 = 0x00020101, .config = 1u << 1},
	[NVMF_EVENT_NS] = {.dw0 = 0x00040002, .config = 1u << 8},
	[NVMF_EVENT_ANA] = {.dw0 = 0x000c0302, .config = 1u << 11},
	[NVMF_EVENT_DISCOVERY] = {.dw0 = 0x0070f002, .config = 1u << 31},
};

static void answer(struct nvmf_ctrlr *ctrlr, uint32_t dw0)
{
	struct nvmf_req *req = container_of(list_pop(&ctrlr->aers), struct nvmf_req, node);

	ctrlr->aer_count--;
	req->dw0 = dw0;
	ctrlr->subsys->target->attr.ops->complete(req);
}

/* takes the first event that may be sent now; NVMF_EVENT_COUNT: none */
static enum nvmf_event take(struct nvmf_ctrlr *ctrlr)
{
	unsigned int ready = ctrlr->pending & ~ctrlr->masked;
	unsigned int event;

	/* the host may have changed its mind since it happened */
	for (event = 0; event < NVMF_EVENT_COUNT; event++)
		if (ready & 1u << event && ctrlr->event_config & events[event].config)
			break;
	if (event < NVMF_EVENT_COUNT) {
		ctrlr->pending &= ~(1u << event);
		ctrlr->masked |= 1u << event;
	}
	return (enum nvmf_event)event;
}

static void deliver(struct nvmf_ctrlr *ctrlr)
{
	while (ctrlr->aer_count) {
		enum nvmf_event event = take(ctrlr);

		if (event == NVMF_EVENT_COUNT)
			return;
		answer(ctrlr, events[event].dw0);
	}
}

void nvmf_event_raise(struct nvmf_ctrlr *ctrlr, enum nvmf_event event)
{
	if (!(ctrlr->event_config & events[event].config))
		return;
	ctrlr->pending |= 1u << event;
	deliver(ctrlr);
}

void nvmf_event_ns_changed(struct nvmf_ctrlr *ctrlr, uint32_t nsid)
{
	const uint32_t max = COUNT(ctrlr->changed);
	uint32_t *list = ctrlr->changed;
	uint32_t count = ctrlr->changed_count, i = 0;

	while (i < count && i < max && list[i] < nsid) /* in rising order: Base 5.16.1.5 */
		i++;
	if (count < max && (i == count || list[i] != nsid)) {
		memmove(list + i + 1, list + i, (count - i) * sizeof(*list));
		list[i] = nsid;
		ctrlr->changed_count++;
	} else if (count == max && (i == max || list[i] != nsid)) {
		ctrlr->changed_count = max + 1;
	}
	nvmf_event_raise(ctrlr, NVMF_EVENT_NS);
}

void nvmf_event_read(struct nvmf_ctrlr *ctrlr, enum nvmf_event event)
{
	if (event == NVMF_EVENT_NS) {
		ctrlr->changed_count = 0;
		nvmf_places_heard_of(ctrlr);
	}
	/* what has happened meanwhile is in the page, too */
	ctrlr->pending &= ~(1u << event);
	ctrlr->masked &= ~(1u << event);
}

void nvmf_event_configure(struct nvmf_ctrlr *ctrlr, uint32_t config)
{
	ctrlr->event_config = config;
}

enum nvmf_verdict nvmf_event_request(struct nvmf_ctrlr *ctrlr, struct nvmf_req *req)
{
	enum nvmf_event event;

	if (ctrlr->aer_count == NVMF_AER_MAX)
		return nvmf_refuse(req, NVME_SC_AER_LIMIT);
	event = take(ctrlr);
	if (event != NVMF_EVENT_COUNT) {
		req->dw0 = events[event].dw0;
		return NVMF_RESPOND;
	}
	list_add_tail(&ctrlr->aers, &req->node);
	ctrlr->aer_count++;
	return NVMF_HOLD;
}

void nvmf_event_drop_all(struct nvmf_ctrlr *ctrlr)
{
	struct list_node *node;

	while ((node = list_pop(&ctrlr->aers)))
		ctrlr->subsys->target->attr.ops->drop(container_of(node, struct nvmf_req, node));
	ctrlr->aer_count = 0;
}
