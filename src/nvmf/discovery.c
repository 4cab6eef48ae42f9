/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The discovery log page: which subsystem can be reached where. Base 5.16.1.23
 */
#include "nvmf/ctrlr.h"

#include <string.h>

#define SUBTYPE_NVM	2
#define TREQ_SQFLOW_OFF 0x04 /* may be disabled; secure channels are not specified */
#define ADMIN_ENTRIES	32

void nvmf_window_put(struct nvmf_window *w, const void *data, uint32_t size)
{
	uint64_t from = w->at > w->offset ? w->at : w->offset;
	uint64_t to = w->at + size < w->offset + w->size ? w->at + size : w->offset + w->size;

	if (from < to)
		memcpy(w->data + (from - w->offset), (const uint8_t *)data + (from - w->at),
		       to - from);
	w->at += size;
}

void nvmf_put_text(char *field, size_t size, const char *text)
{
	size_t length = strnlen(text, size);

	memset(field, ' ', size);
	memcpy(field, text, length);
}

static void put_entry(struct nvmf_window *w, const struct nvmf_subsys *subsys,
		      const struct nvmf_port *port, const struct nvmf_queue *queue)
{
	const char *traddr = port->any_addr ? queue->traddr : port->traddr;
	struct nvme_discovery_entry e = {
		.trtype = (uint8_t)port->trtype,
		.adrfam = (uint8_t)port->adrfam,
		.subtype = SUBTYPE_NVM,
		.treq = TREQ_SQFLOW_OFF,
		.portid = htole16(port->id),
		.cntlid = htole16(0xffff),
		.asqsz = htole16(ADMIN_ENTRIES),
	};

	/* hosts that do not wait for NUL get spaces, as the specification has it */
	nvmf_put_text(e.trsvcid, sizeof(e.trsvcid), port->trsvcid);
	nvmf_put_text(e.traddr, sizeof(e.traddr), traddr);
	strcpy(e.subnqn, subsys->nqn);
	if (port->trtype == NVMF_RDMA) { /* connected queue pairs, any provider, RDMA_CM */
		e.tsas[0] = 1;
		e.tsas[1] = 1;
		e.tsas[2] = 1;
	}
	nvmf_window_put(w, &e, sizeof(e));
}

/* A wildcard stands for the address that the host has used, if that is of its family. */
static bool has_address(const struct nvmf_port *port, const struct nvmf_queue *queue)
{
	return !port->any_addr || !queue->port || queue->port->adrfam == port->adrfam;
}

/* calls put_entry for everything the host may see; w NULL: only counts */
static uint64_t walk(const struct nvmf_ctrlr *ctrlr, const struct nvmf_queue *queue,
		     struct nvmf_window *w)
{
	const struct nvmf_target *target = ctrlr->subsys->target;
	struct list_node *s, *p;
	uint64_t count = 0;

	list_for_each (s, &target->subsystems) {
		const struct nvmf_subsys *subsys = container_of(s, struct nvmf_subsys, node);

		if (subsys->is_discovery || !nvmf_subsys_may_connect(subsys, ctrlr->hostnqn))
			continue;
		list_for_each (p, &target->ports) {
			const struct nvmf_port *port = container_of(p, struct nvmf_port, node);

			if (!has_address(port, queue))
				continue;
			if (w)
				put_entry(w, subsys, port, queue);
			count++;
		}
	}
	return count;
}

void nvmf_discovery_log(struct nvmf_ctrlr *ctrlr, const struct nvmf_queue *queue,
			struct nvmf_window *w)
{
	struct nvme_discovery_header header = {
		.genctr = htole64(ctrlr->subsys->target->genctr),
		.numrec = htole64(walk(ctrlr, queue, NULL)),
	};

	nvmf_window_put(w, &header, sizeof(header));
	walk(ctrlr, queue, w);
}

void nvmf_discovery_changed(struct nvmf_target *target)
{
	struct list_node *node;

	target->genctr++;
	list_for_each (node, &target->discovery->ctrlrs)
		nvmf_event_raise(container_of(node, struct nvmf_ctrlr, node), NVMF_EVENT_DISCOVERY);
}
