/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A host has shut its controller down: what it has written becomes durable, on all disks of the
 * subsystem.
 */
#include "conn.h"

#include <stdio.h>
#include <stdlib.h>

struct shutdown {
	struct served_subsys *subsys;
	uint16_t cntlid;
	unsigned int left; /* flushes that have not ended, and who starts them */
};

struct flush {
	struct list_node node; /* in ns->flushes */
	struct served_ns *ns;
	struct shutdown *shutdown;
};

static void put(struct shutdown *shutdown)
{
	if (--shutdown->left)
		return;
	if (shutdown->subsys->subsys) /* else it is being removed */
		nvmf_ctrlr_flushed(shutdown->subsys->subsys, shutdown->cntlid);
	free(shutdown);
}

static void end(struct flush *flush, bool flushed)
{
	if (!flushed)
		fprintf(stderr,
			"softfield target: %s: namespace %u could not be flushed for a host that "
			"shuts down\n",
			flush->ns->subsys->subsys ? flush->ns->subsys->subsys->nqn : "",
			flush->ns->nsid);
	put(flush->shutdown);
	free(flush);
}

static void on_flushed(uint16_t status, union doca_data user_data)
{
	struct flush *flush = user_data.ptr;
	struct served_ns *ns = flush->ns;

	ns->executing--;
	if (status && ns->ns)
		nvmf_ns_has_lost(ns->ns);
	end(flush, !status);
	disk_start_waiting(ns);
}

/* false: the channel is full */
static bool submit(struct flush *flush)
{
	struct nvme_cmd cmd = {.opcode = NVME_CMD_FLUSH};
	union doca_data user_data = {.ptr = flush};
	doca_error_t err = softfield_sta_channel_submit(flush->ns->channel, (const uint8_t *)&cmd,
							NULL, 0, on_flushed, user_data);

	if (err == DOCA_ERROR_AGAIN)
		return false;
	if (err)
		end(flush, false);
	else
		flush->ns->executing++;
	return true;
}

void flush_start_waiting(struct served_ns *ns)
{
	struct list_node *node;

	while ((node = list_pop(&ns->flushes))) {
		if (submit(container_of(node, struct flush, node)))
			continue;
		list_add_head(&ns->flushes, node);
		return;
	}
}

void flush_drop_waiting(struct served_ns *ns)
{
	struct list_node *node;

	while ((node = list_pop(&ns->flushes)))
		end(container_of(node, struct flush, node), false);
}

static void start(struct served_ns *ns, struct shutdown *shutdown)
{
	struct flush *flush = malloc(sizeof(*flush));

	if (!flush)
		return; /* as if it could not be flushed */
	*flush = (struct flush){.ns = ns, .shutdown = shutdown};
	shutdown->left++;
	list_add_tail(&ns->flushes, &flush->node);
	flush_start_waiting(ns);
}

void flush_subsys(struct nvmf_subsys *subsys, uint16_t cntlid)
{
	struct served_subsys *served = subsys->user;
	struct shutdown *shutdown = malloc(sizeof(*shutdown));
	struct list_node *node;

	if (!shutdown) {
		nvmf_ctrlr_flushed(subsys, cntlid);
		return;
	}
	*shutdown = (struct shutdown){.subsys = served, .cntlid = cntlid, .left = 1};
	list_for_each (node, &served->namespaces) {
		struct served_ns *ns = container_of(node, struct served_ns, node);

		if (ns->ns && ns->ns->write_cache)
			start(ns, shutdown);
	}
	put(shutdown);
}
