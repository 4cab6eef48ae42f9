/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Get Log Page: Base 5.16. Pages are made up as they are read, from the requested offset on.
 */
#include "nvmf/ctrlr.h"

#include <string.h>

#define ERROR_LOG_SIZE	  64u
#define SMART_SIZE	  512u
#define FIRMWARE_SIZE	  512u
#define CHANGED_NS_SIZE	  4096u
#define EFFECTS_SIZE	  4096u
#define EFFECT_SUPPORTED  0x00000001u
#define EFFECT_LBA_CHANGE 0x00000002u
#define TEMPERATURE_ALARM 0x02u
/* what follows from MNAN and NANAGRPID of Identify */
#define ANA_SIZE                                                                                   \
	(sizeof(struct nvme_ana_header) + NVMF_ANA_GROUPS * sizeof(struct nvme_ana_group) +        \
	 NVMF_NSID_MAX * sizeof(le32_t))

static void put_error_log(struct nvmf_window *w)
{
	static const uint8_t none[ERROR_LOG_SIZE];

	nvmf_window_put(w, none, sizeof(none));
}

static void put_smart(struct nvmf_ctrlr *ctrlr, struct nvmf_window *w)
{
	uint8_t page[SMART_SIZE] = {0};

	page[0] = nvmf_has_temperature_alarm(ctrlr) ? TEMPERATURE_ALARM : 0;
	page[1] = NVMF_KELVIN & 0xff;
	page[2] = NVMF_KELVIN >> 8;
	page[3] = 100; /* available spare, per cent */
	page[4] = 10;  /* its threshold */
	nvmf_window_put(w, page, sizeof(page));
}

static void put_firmware(struct nvmf_ctrlr *ctrlr, struct nvmf_window *w)
{
	uint8_t page[FIRMWARE_SIZE] = {0};

	page[0] = 1; /* active slot */
	nvmf_put_text((char *)page + 8, 8, ctrlr->subsys->target->attr.version);
	nvmf_window_put(w, page, sizeof(page));
}

static void put_changed_ns(struct nvmf_ctrlr *ctrlr, struct nvmf_window *w)
{
	le32_t page[CHANGED_NS_SIZE / 4] = {0};
	uint32_t i;

	for (i = 0; i < ctrlr->changed_count && i < CHANGED_NS_SIZE / 4; i++)
		page[i] = htole32(ctrlr->changed[i]);
	if (ctrlr->changed_count > CHANGED_NS_SIZE / 4) {
		memset(page, 0, sizeof(page));
		page[0] = htole32(NVME_NSID_ALL);
	}
	nvmf_window_put(w, page, sizeof(page));
}

static void put_effects(const struct nvmf_ctrlr *ctrlr, struct nvmf_window *w)
{
	static const uint8_t admin[] = {NVME_ADMIN_GET_LOG_PAGE, NVME_ADMIN_IDENTIFY,
					NVME_ADMIN_ABORT,	 NVME_ADMIN_SET_FEATURES,
					NVME_ADMIN_GET_FEATURES, NVME_ADMIN_ASYNC_EVENT,
					NVME_ADMIN_KEEP_ALIVE};
	le32_t page[EFFECTS_SIZE / 4] = {0};
	le32_t *io = page + 256;
	uint16_t oncs = nvmf_oncs(ctrlr->subsys);
	size_t i;

	for (i = 0; i < sizeof(admin); i++)
		page[admin[i]] = htole32(EFFECT_SUPPORTED);
	for (i = 0; i < NVMF_IO_CMDS; i++) {
		const struct nvmf_io_cmd *cmd = &nvmf_io_cmds[i];
		uint32_t effects = EFFECT_SUPPORTED | (cmd->writes ? EFFECT_LBA_CHANGE : 0);

		if (!(cmd->oncs & ~oncs)) /* else it is not announced either */
			io[cmd->opcode] = htole32(effects);
	}
	nvmf_window_put(w, page, sizeof(page));
}

static uint32_t ns_in_group(const struct nvmf_ctrlr *ctrlr, uint32_t group, struct nvmf_window *w)
{
	struct list_node *node;
	uint32_t count = 0;

	list_for_each (node, &ctrlr->subsys->namespaces) {
		const struct nvmf_ns *ns = container_of(node, struct nvmf_ns, node);
		le32_t nsid = htole32(ns->nsid);

		if (ns->ana_group != group || !nvmf_ctrlr_ns(ctrlr, ns->nsid))
			continue;
		if (w)
			nvmf_window_put(w, &nsid, sizeof(nsid));
		count++;
	}
	return count;
}

/* states of the group on this port, and namespaces that came into it or left it */
static uint64_t ana_changes(const struct nvmf_ctrlr *ctrlr, uint32_t group)
{
	uint64_t changes = ctrlr->subsys->ana_changes[group];

	return ctrlr->port ? changes + ctrlr->port->ana_changes[group] : changes;
}

static void put_ana_groups(struct nvmf_ctrlr *ctrlr, struct nvmf_window *w, bool groups_only)
{
	const struct nvmf_port *port = ctrlr->port;
	struct nvme_ana_header header = {.ngrps = htole16(NVMF_ANA_GROUPS)};
	uint64_t changes = 0;
	uint32_t group;

	for (group = 1; group <= NVMF_ANA_GROUPS; group++)
		changes += ana_changes(ctrlr, group);
	header.chgcnt = htole64(changes);
	nvmf_window_put(w, &header, sizeof(header));
	for (group = 1; group <= NVMF_ANA_GROUPS; group++) {
		uint32_t count = groups_only ? 0 : ns_in_group(ctrlr, group, NULL);
		struct nvme_ana_group g = {
			.grpid = htole32(group),
			.nnsids = htole32(count),
			.chgcnt = htole64(ana_changes(ctrlr, group)),
			.state = (uint8_t)(port ? port->ana[group] : NVMF_ANA_OPTIMIZED),
		};

		nvmf_window_put(w, &g, sizeof(g));
		if (count)
			ns_in_group(ctrlr, group, w);
	}
	/* hosts read as much as there could be, and some in pieces */
	w->at = ANA_SIZE;
}

/* the pages of an I/O controller; false: no such */
static bool put_page(struct nvmf_ctrlr *ctrlr, const struct nvme_cmd *cmd, struct nvmf_window *w)
{
	uint32_t cdw10 = le32toh(cmd->cdw10);

	switch (cdw10 & 0xff) {
	case NVME_LOG_ERROR:
		put_error_log(w);
		return true;
	case NVME_LOG_SMART:
		put_smart(ctrlr, w);
		return true;
	case NVME_LOG_FIRMWARE:
		put_firmware(ctrlr, w);
		return true;
	case NVME_LOG_CHANGED_NS:
		put_changed_ns(ctrlr, w);
		return true;
	case NVME_LOG_EFFECTS:
		put_effects(ctrlr, w);
		return true;
	case NVME_LOG_ANA:
		if (!ctrlr->subsys->ana)
			return false;
		put_ana_groups(ctrlr, w, cdw10 >> 8 & 1);
		return true;
	default:
		return false;
	}
}

/* which event a page is about; NVMF_EVENT_COUNT: none */
static enum nvmf_event event_of(uint8_t lid)
{
	switch (lid) {
	case NVME_LOG_SMART:
		return NVMF_EVENT_TEMPERATURE;
	case NVME_LOG_CHANGED_NS:
		return NVMF_EVENT_NS;
	case NVME_LOG_ANA:
		return NVMF_EVENT_ANA;
	case NVME_LOG_DISCOVERY:
		return NVMF_EVENT_DISCOVERY;
	default:
		return NVMF_EVENT_COUNT;
	}
}

static bool nsid_fits(const struct nvme_cmd *cmd, uint8_t lid)
{
	uint32_t nsid = le32toh(cmd->nsid);

	return lid != NVME_LOG_SMART || !nsid || nsid == NVME_NSID_ALL;
}

enum nvmf_verdict nvmf_get_log_page(struct nvmf_ctrlr *ctrlr, struct nvmf_req *req)
{
	const struct nvme_cmd *cmd = &req->cmd;
	uint32_t cdw10 = le32toh(cmd->cdw10);
	uint8_t lid = (uint8_t)cdw10;
	bool retain = cdw10 >> 15 & 1;
	uint64_t dwords = (cdw10 >> 16 | (uint64_t)(le32toh(cmd->cdw11) & 0xffff) << 16) + 1;
	uint64_t offset = le32toh(cmd->cdw12) | (uint64_t)le32toh(cmd->cdw13) << 32;
	struct nvmf_window w = {.data = req->data, .offset = offset, .size = req->size};

	if (offset & 3)
		return nvmf_refuse(req, NVME_SC_INVALID_FIELD);
	/*
	 * Two lengths that disagree: TCP wants as much data as the descriptor says, the command
	 * wants no more than it asks for. The Linux target refuses this, too.
	 */
	if (req->size != dwords * 4)
		return nvmf_refuse(req, NVME_SC_SGL_DATA_LENGTH);
	memset(req->data, 0, req->size);
	if (ctrlr->subsys->is_discovery && lid == NVME_LOG_DISCOVERY)
		nvmf_discovery_log(ctrlr, req->queue, &w);
	else if (ctrlr->subsys->is_discovery || !put_page(ctrlr, cmd, &w))
		return nvmf_refuse(req, NVME_SC_INVALID_LOG_PAGE);
	if (offset > w.at || !nsid_fits(cmd, lid))
		return nvmf_refuse(req, NVME_SC_INVALID_FIELD);
	req->reply_size = req->size;
	if (!retain && event_of(lid) != NVMF_EVENT_COUNT)
		nvmf_event_read(ctrlr, event_of(lid));
	return NVMF_RESPOND;
}
