/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Identify: Base 5.17. What is announced here is what hosts will use.
 */
#include "nvmf/ctrlr.h"

#include <string.h>

#define CMIC_MULTI_CTRL 0x02
#define CMIC_MULTI_PORT 0x01
#define CMIC_ANA	0x08
#define OAES_NS		(1u << 8)
#define OAES_ANA	(1u << 11)
#define OAES_DISCOVERY	(1u << 31)
#define LPA_EFFECTS	0x02
#define LPA_EXTENDED	0x04
#define SGLS_SUPPORTED	(1u << 0)
#define SGLS_KEYED	(1u << 2)
#define SGLS_OFFSET	(1u << 20)
#define SGLS_TRANSPORT	(1u << 21)
#define KAS_UNITS	10 /* of 100 ms */
#define ANATT_SECONDS	10

/* descriptors of CNS 03h */
enum { NIDT_NGUID = 2, NIDT_UUID = 3, NIDT_CSI = 4 };

bool nvmf_has_write_cache(const struct nvmf_subsys *subsys)
{
	struct list_node *node;

	list_for_each (node, &subsys->namespaces)
		if (container_of(node, struct nvmf_ns, node)->write_cache)
			return true;
	return false;
}

/* on all namespaces there are, blocks are compared and written as one */
static bool can_fuse(const struct nvmf_subsys *subsys)
{
	struct list_node *node;

	list_for_each (node, &subsys->namespaces)
		if (!container_of(node, struct nvmf_ns, node)->can_fuse)
			return false;
	return true;
}

uint16_t nvmf_oncs(const struct nvmf_subsys *subsys)
{
	uint16_t oncs = NVME_ONCS_OURS;
	struct list_node *node;

	list_for_each (node, &subsys->namespaces)
		oncs &= container_of(node, struct nvmf_ns, node)->oncs;
	return oncs;
}

/* as a power of two, in pages */
static uint8_t max_transfer(const struct nvmf_ctrlr *ctrlr)
{
	return (uint8_t)__builtin_ctz(ctrlr->subsys->target->attr.max_transfer / NVME_PAGE_SIZE);
}

static void fill_common(const struct nvmf_ctrlr *ctrlr, struct nvme_id_ctrl *id)
{
	const struct nvmf_subsys *subsys = ctrlr->subsys;
	const struct nvmf_target_attr *attr = &subsys->target->attr;

	nvmf_put_text(id->sn, sizeof(id->sn), subsys->serial);
	nvmf_put_text(id->mn, sizeof(id->mn), subsys->model);
	nvmf_put_text(id->fr, sizeof(id->fr), attr->version);
	id->mdts = max_transfer(ctrlr);
	id->cntlid = htole16(ctrlr->cntlid);
	id->ver = htole32(0x00010400);
	id->ctratt = htole32(1); /* 128-bit host identifiers */
	id->aerl = NVMF_AER_MAX - 1;
	id->lpa = LPA_EXTENDED;
	id->kas = htole16(KAS_UNITS);
	id->sqes = 0x66;
	id->cqes = 0x44;
	id->maxcmd = htole16(attr->max_queue_entries);
	strcpy(id->subnqn, subsys->nqn);
	id->ioccsz = htole32((64 + attr->max_in_capsule) / 16);
	id->iorcsz = htole32(1);
	id->msdbd = 1;
	id->sgls = htole32(
		SGLS_SUPPORTED | SGLS_OFFSET |
		(ctrlr->port && ctrlr->port->trtype == NVMF_RDMA ? SGLS_KEYED : SGLS_TRANSPORT));
}

static void fill_io(const struct nvmf_ctrlr *ctrlr, struct nvme_id_ctrl *id)
{
	const struct nvmf_subsys *subsys = ctrlr->subsys;

	id->cntrltype = 1;
	id->cmic = CMIC_MULTI_CTRL | CMIC_MULTI_PORT;
	id->oaes = htole32(OAES_NS);
	id->acl = NVMF_ABORTS_MAX - 1;
	id->frmw = 0x03; /* one slot, read-only */
	id->lpa |= LPA_EFFECTS;
	id->wctemp = htole16(NVMF_WARNING_KELVIN);
	id->cctemp = htole16(NVMF_CRITICAL_KELVIN);
	id->nn = htole32(NVMF_NSID_MAX);
	id->mnan = htole32(NVMF_NSID_MAX);
	id->oncs = htole16(nvmf_oncs(subsys));
	id->ocfs = htole16(nvmf_oncs(subsys) & NVME_ONCS_COPY ? NVME_OCFS_FORMAT_0 : 0);
	/* of one block: ACWU 0 */
	id->fuses = htole16(can_fuse(subsys) ? NVME_FUSES_COMPARE_WRITE : 0);
	/* flush with NSID FFFFFFFFh: not supported (10b) */
	id->vwc = 0x04 | (nvmf_has_write_cache(subsys) ? 1 : 0);
	if (!subsys->ana)
		return;
	id->cmic |= CMIC_ANA;
	id->oaes |= htole32(OAES_ANA);
	id->anatt = ANATT_SECONDS;
	id->anacap = 0x1f; /* every state can be reported; namespaces may change their group */
	id->anagrpmax = htole32(NVMF_ANA_GROUPS);
	id->nanagrpid = htole32(NVMF_ANA_GROUPS);
}

static void identify_ctrl(const struct nvmf_ctrlr *ctrlr, struct nvme_id_ctrl *id)
{
	fill_common(ctrlr, id);
	if (!ctrlr->subsys->is_discovery) {
		fill_io(ctrlr, id);
		return;
	}
	id->cntrltype = 2;
	id->oaes = htole32(OAES_DISCOVERY);
}

/* Is it not known from here how much of the namespace is in use? Base 8.1.1.6 and 8.1.1.7 */
static bool hides_use(enum nvmf_ana_state state)
{
	return state == NVMF_ANA_INACCESSIBLE || state == NVMF_ANA_PERSISTENT_LOSS;
}

static void fill_copy_limits(const struct nvmf_ns *ns, struct nvme_id_ns *id)
{
	uint32_t blocks = ns->subsys->target->attr.max_transfer >> ns->block_shift;

	id->mssrl = htole16((uint16_t)blocks);
	id->mcl = htole32(NVME_COPY_ALL_MAX * blocks);
	id->msrc = NVME_COPY_RANGES_MAX - 1;
}

static void identify_ns(const struct nvmf_ctrlr *ctrlr, const struct nvmf_ns *ns,
			struct nvme_id_ns *id)
{
	id->nsze = id->ncap = htole64(ns->blocks);
	id->nuse = hides_use(nvmf_ns_ana(ctrlr->port, ns)) ? htole64(0) : id->nsze;
	id->nmic = 0x01; /* may be attached to several controllers */
	id->dlfeat = ns->dlfeat;
	id->lbaf[0] = htole32(ns->block_shift << 16);
	id->anagrpid = htole32(ns->subsys->ana ? ns->ana_group : 0);
	id->nsattr = ns->read_only ? NVME_NS_ATTR_WRITE_PROTECTED : 0;
	memcpy(id->nguid, ns->nguid, sizeof(id->nguid));
	if (ns->oncs & NVME_ONCS_COPY)
		fill_copy_limits(ns, id);
}

static void list_ns(struct nvmf_ctrlr *ctrlr, uint32_t after, le32_t *ids)
{
	const uint32_t max = NVME_IDENTIFY_SIZE / sizeof(*ids);
	struct list_node *node;
	uint32_t count = 0;

	nvmf_places_listed(ctrlr, after);
	list_for_each (node, &ctrlr->subsys->namespaces) {
		uint32_t nsid = container_of(node, struct nvmf_ns, node)->nsid;

		if (nsid > after && count < max && nvmf_ctrlr_ns(ctrlr, nsid))
			ids[count++] = htole32(nsid);
	}
}

static uint8_t *put_id(uint8_t *p, uint8_t type, const uint8_t *id, uint8_t size)
{
	p[0] = type;
	p[1] = size;
	memcpy(p + 4, id, size);
	return p + 4 + size;
}

static void describe_ns(const struct nvmf_ns *ns, uint8_t *page)
{
	static const uint8_t nvm = 0;

	page = put_id(page, NIDT_NGUID, ns->nguid, sizeof(ns->nguid));
	page = put_id(page, NIDT_UUID, ns->uuid, sizeof(ns->uuid));
	put_id(page, NIDT_CSI, &nvm, sizeof(nvm));
}

/* the pages about one namespace */
static uint16_t ns_page(struct nvmf_ctrlr *ctrlr, uint8_t cns, uint32_t nsid, void *page)
{
	const struct nvmf_ns *ns = nvmf_ctrlr_ns(ctrlr, nsid);

	nvmf_place_identified(ctrlr, nsid);
	if (!nsid || nsid > NVMF_NSID_MAX || (!ns && cns == NVME_CNS_NS_DESC))
		return NVME_SC_INVALID_NS | NVME_SC_DNR;
	if (ns && cns == NVME_CNS_NS)
		identify_ns(ctrlr, ns, page);
	if (ns && cns == NVME_CNS_NS_DESC)
		describe_ns(ns, page);
	return NVME_SC_SUCCESS; /* of an inactive one: zeros */
}

static uint16_t fill_page(struct nvmf_ctrlr *ctrlr, const struct nvme_cmd *cmd, void *page)
{
	uint8_t cns = (uint8_t)le32toh(cmd->cdw10), csi = (uint8_t)(le32toh(cmd->cdw11) >> 24);
	uint32_t nsid = le32toh(cmd->nsid);

	if (cns == NVME_CNS_CTRL) {
		identify_ctrl(ctrlr, page);
		return NVME_SC_SUCCESS;
	}
	if (ctrlr->subsys->is_discovery)
		return NVME_SC_INVALID_FIELD | NVME_SC_DNR;
	switch (cns) {
	case NVME_CNS_NS:
	case NVME_CNS_NS_DESC:
		return ns_page(ctrlr, cns, nsid, page);
	case NVME_CNS_NS_LIST:
	case NVME_CNS_CSI_NS_LIST:
		if (cns == NVME_CNS_CSI_NS_LIST && csi)
			break;
		if (nsid >= NVME_NSID_ALL - 1)
			return NVME_SC_INVALID_NS | NVME_SC_DNR;
		list_ns(ctrlr, nsid, page);
		return NVME_SC_SUCCESS;
	case NVME_CNS_CSI_NS: /* of the NVM command set: nothing beyond zeros */
		return csi ? NVME_SC_INVALID_FIELD | NVME_SC_DNR : ns_page(ctrlr, cns, nsid, page);
	case NVME_CNS_CSI_CTRL:
		if (!csi && nvmf_oncs(ctrlr->subsys) & NVME_ONCS_VERIFY)
			*(uint8_t *)page = max_transfer(ctrlr); /* VSL */
		return csi ? NVME_SC_INVALID_FIELD | NVME_SC_DNR : NVME_SC_SUCCESS;
	default:
		break;
	}
	return NVME_SC_INVALID_FIELD | NVME_SC_DNR;
}

enum nvmf_verdict nvmf_identify(struct nvmf_ctrlr *ctrlr, struct nvmf_req *req)
{
	_Alignas(8) uint8_t page[NVME_IDENTIFY_SIZE] = {0};

	if (!req->size) /* nor has the host seen it then: place.c */
		return nvmf_refuse(req, NVME_SC_SGL_DATA_LENGTH);
	req->status = fill_page(ctrlr, &req->cmd, page);
	if (req->status)
		return NVMF_RESPOND;
	req->reply_size = req->size < sizeof(page) ? req->size : (uint32_t)sizeof(page);
	memcpy(req->data, page, req->reply_size);
	return NVMF_RESPOND;
}
