/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Places of namespaces that have gone. What a host has under way for one of them must not reach
 * another disk that gets its number: for a controller the place stays empty until its host has seen
 * that it is, and has come back for more, because only then has it let go of what was there.
 */
#include "nvmf/ctrlr.h"

#include <stdlib.h>
#include <string.h>

static struct nvmf_place *find(const struct nvmf_ctrlr *ctrlr, uint32_t nsid)
{
	struct list_node *node;

	list_for_each (node, &ctrlr->places) {
		struct nvmf_place *place = container_of(node, struct nvmf_place, node);

		if (place->nsid == nsid)
			return place;
	}
	return NULL;
}

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

static void forget(struct nvmf_ctrlr *ctrlr, struct nvmf_place *place)
{
	hide(ctrlr, place->nsid, false);
	list_remove(&place->node);
	free(place);
}

void nvmf_places_forget(struct nvmf_ctrlr *ctrlr)
{
	while (!list_is_empty(&ctrlr->places))
		forget(ctrlr, container_of(ctrlr->places.next, struct nvmf_place, node));
}

struct nvmf_ns *nvmf_ctrlr_ns(const struct nvmf_ctrlr *ctrlr, uint32_t nsid)
{
	return find(ctrlr, nsid) ? NULL : nvmf_ns_find(ctrlr->subsys, nsid);
}

void nvmf_place_left(struct nvmf_ctrlr *ctrlr, const struct nvmf_ns *ns)
{
	struct nvmf_place *place;

	ctrlr->lost[ns->nsid] = false;
	if (find(ctrlr, ns->nsid)) /* it has not been shown */
		return;
	place = malloc(sizeof(*place));
	if (!place)
		return;
	*place = (struct nvmf_place){.nsid = ns->nsid, .state = NVMF_PLACE_LEFT};
	memcpy(place->uuid, ns->uuid, sizeof(place->uuid));
	list_add_tail(&ctrlr->places, &place->node);
	hide(ctrlr, ns->nsid, true);
}

void nvmf_place_taken(struct nvmf_ctrlr *ctrlr, const struct nvmf_ns *ns)
{
	struct nvmf_place *place = find(ctrlr, ns->nsid);

	if (place && !memcmp(place->uuid, ns->uuid, sizeof(place->uuid)))
		forget(ctrlr, place);
}

/* The host has seen it empty. Who is there now is told when it comes back, so it has to. */
static void seen(struct nvmf_ctrlr *ctrlr, struct nvmf_place *place)
{
	place->state = NVMF_PLACE_SEEN;
	if (nvmf_ns_find(ctrlr->subsys, place->nsid))
		nvmf_event_ns_changed(ctrlr, place->nsid);
}

void nvmf_places_listed(struct nvmf_ctrlr *ctrlr, uint32_t after)
{
	struct list_node *node, *tmp;

	list_for_each_safe (node, tmp, &ctrlr->places) {
		struct nvmf_place *place = container_of(node, struct nvmf_place, node);

		if (place->nsid <= after)
			continue;
		if (place->state == NVMF_PLACE_SEEN)
			forget(ctrlr, place);
		else
			seen(ctrlr, place);
	}
}

void nvmf_places_heard_of(struct nvmf_ctrlr *ctrlr)
{
	struct list_node *node, *tmp;

	list_for_each_safe (node, tmp, &ctrlr->places) {
		struct nvmf_place *place = container_of(node, struct nvmf_place, node);

		if (place->state == NVMF_PLACE_SEEN)
			forget(ctrlr, place);
		else
			place->state = NVMF_PLACE_HEARD_OF;
	}
}

void nvmf_place_identified(struct nvmf_ctrlr *ctrlr, uint32_t nsid)
{
	struct nvmf_place *place = find(ctrlr, nsid);

	if (place && place->state == NVMF_PLACE_HEARD_OF)
		seen(ctrlr, place);
}
