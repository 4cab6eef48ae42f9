/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Places of namespaces that have gone. What a host has under way for one of them must not reach
 * another disk that gets its number: for a controller the place stays empty until its host has seen
 * that it is, and has come back for more, because only then has it let go of what was there.
 */
#include "nvmf/ctrlr.h"

#include <string.h>

static void hide(struct nvmf_ctrlr *ctrlr, uint32_t nsid, bool hidden)
{
	struct list_node *node;

	list_for_each (node, &ctrlr->queues) {
		struct nvmf_queue *queue = container_of(node, struct nvmf_queue, node);

		/* one that is closing may still have commands under way */
		if (queue->qid && (hidden || !queue->closing))
			ctrlr->subsys->target->attr.ops->hide(queue, nsid, hidden);
	}
}

static void forget(struct nvmf_ctrlr *ctrlr, uint32_t nsid)
{
	ctrlr->places[nsid].state = NVMF_PLACE_OPEN;
	hide(ctrlr, nsid, false);
}

/* The place may be used, also by a namespace that has come there since. */
static void open_place(struct nvmf_ctrlr *ctrlr, uint32_t nsid)
{
	const struct nvmf_ns *ns = nvmf_ns_find(ctrlr->subsys, nsid);

	ctrlr->places[nsid].lost = false;
	forget(ctrlr, nsid);
	if (ns) /* it is in the log from now on */
		ctrlr->subsys->ana_changes[ns->ana_group]++;
}

void nvmf_places_forget(struct nvmf_ctrlr *ctrlr)
{
	uint32_t nsid;

	for (nsid = 1; nsid <= NVMF_NSID_MAX; nsid++)
		if (nvmf_place_is_hidden(ctrlr, nsid))
			open_place(ctrlr, nsid);
}

struct nvmf_ns *nvmf_ctrlr_ns(const struct nvmf_ctrlr *ctrlr, uint32_t nsid)
{
	struct nvmf_ns *ns = nvmf_ns_find(ctrlr->subsys, nsid);

	return ns && !nvmf_place_is_hidden(ctrlr, nsid) ? ns : NULL;
}

void nvmf_place_left(struct nvmf_ctrlr *ctrlr, const struct nvmf_ns *ns)
{
	struct nvmf_place *place = &ctrlr->places[ns->nsid];

	if (nvmf_place_is_hidden(ctrlr, ns->nsid)) /* it has not been shown */
		return;
	place->state = NVMF_PLACE_LEFT;
	memcpy(place->uuid, ns->uuid, sizeof(place->uuid));
	hide(ctrlr, ns->nsid, true);
}

void nvmf_place_taken(struct nvmf_ctrlr *ctrlr, const struct nvmf_ns *ns)
{
	const struct nvmf_place *place = &ctrlr->places[ns->nsid];

	if (nvmf_place_is_hidden(ctrlr, ns->nsid) &&
	    !memcmp(place->uuid, ns->uuid, sizeof(place->uuid)))
		forget(ctrlr, ns->nsid);
}

/* The host has seen it empty. Who is there now is told when it comes back, so it has to. */
static void seen(struct nvmf_ctrlr *ctrlr, uint32_t nsid)
{
	ctrlr->places[nsid].state = NVMF_PLACE_SEEN;
	if (nvmf_ns_find(ctrlr->subsys, nsid))
		nvmf_event_ns_changed(ctrlr, nsid);
}

void nvmf_places_listed(struct nvmf_ctrlr *ctrlr, uint32_t after)
{
	uint64_t nsid;

	for (nsid = after + 1ull; nsid <= NVMF_NSID_MAX; nsid++) {
		if (ctrlr->places[nsid].state == NVMF_PLACE_SEEN)
			open_place(ctrlr, (uint32_t)nsid);
		else if (nvmf_place_is_hidden(ctrlr, (uint32_t)nsid))
			seen(ctrlr, (uint32_t)nsid);
	}
}

void nvmf_places_heard_of(struct nvmf_ctrlr *ctrlr)
{
	uint32_t nsid;

	for (nsid = 1; nsid <= NVMF_NSID_MAX; nsid++) {
		if (ctrlr->places[nsid].state == NVMF_PLACE_SEEN)
			open_place(ctrlr, nsid);
		else if (nvmf_place_is_hidden(ctrlr, nsid))
			ctrlr->places[nsid].state = NVMF_PLACE_HEARD_OF;
	}
}

void nvmf_place_identified(struct nvmf_ctrlr *ctrlr, uint32_t nsid)
{
	if (nsid <= NVMF_NSID_MAX && ctrlr->places[nsid].state == NVMF_PLACE_HEARD_OF)
		seen(ctrlr, nsid);
}
