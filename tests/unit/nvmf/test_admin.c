/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Admin commands: Identify, log pages, features, events, discovery. Names start with the row of the
 * checklist.
 */
#include "host.h"

static const struct nvme_id_ctrl *identify_ctrl(struct host *h)
{
	new_cmd(h, NVME_ADMIN_IDENTIFY);
	h->req.cmd.cdw10 = htole32(NVME_CNS_CTRL);
	assert_int_equal(run(h, &h->admin), 0);
	assert_int_equal(h->req.reply_size, 4096);
	return (const void *)h->data;
}

static uint16_t identify(struct host *h, uint8_t cns, uint32_t nsid)
{
	new_cmd(h, NVME_ADMIN_IDENTIFY);
	h->req.cmd.cdw10 = htole32(cns);
	h->req.cmd.nsid = htole32(nsid);
	return run(h, &h->admin);
}

static uint16_t get_log(struct host *h, uint8_t lid, uint64_t offset, uint32_t size, bool retain)
{
	new_cmd(h, NVME_ADMIN_GET_LOG_PAGE);
	h->req.cmd.nsid = htole32(NVME_NSID_ALL);
	h->req.cmd.cdw10 = htole32(lid | (retain ? 1u << 15 : 0) | (size / 4 - 1) << 16);
	h->req.cmd.cdw12 = htole32((uint32_t)offset);
	h->req.cmd.cdw13 = htole32((uint32_t)(offset >> 32));
	h->req.size = size;
	return run(h, &h->admin);
}

static uint16_t feature(struct host *h, uint8_t opcode, uint32_t cdw10, uint32_t cdw11)
{
	new_cmd(h, opcode);
	h->req.cmd.cdw10 = htole32(cdw10);
	h->req.cmd.cdw11 = htole32(cdw11);
	return run(h, &h->admin);
}

static void C_controller_fields_that_hosts_check(void **state)
{
	struct host *h = *state;
	const struct nvme_id_ctrl *id = identify_ctrl(h);

	assert_memory_equal(id->sn, "SF0001              ", 20); /* C1 */
	assert_memory_equal(id->fr, "3.3.0   ", 8);
	assert_int_equal(id->cmic & 2, 2);
	assert_int_equal(id->mdts, 5);				       /* C3 */
	assert_int_equal(le16toh(id->cntlid), h->admin.ctrlr->cntlid); /* C4 */
	assert_int_equal(le32toh(id->ver), 0x00010400);		       /* C5 */
	assert_int_equal(id->cntrltype, 1);			       /* C9 */
	assert_int_not_equal(id->kas, 0);			       /* C11 */
	assert_int_equal(id->sqes, 0x66);			       /* C13 */
	assert_int_equal(id->cqes, 0x44);
	assert_int_equal(le16toh(id->maxcmd), 128);
	assert_int_equal(le32toh(id->nn), NVMF_NSID_MAX);	       /* C14 */
	assert_int_equal(le16toh(id->oncs), 0xd);		       /* C15 */
	assert_int_equal(id->vwc, 0x05);			       /* C17 */
	assert_int_equal(le32toh(id->sgls), 1u | 1u << 20 | 1u << 21); /* C19 */
	assert_string_equal(id->subnqn, SUBNQN);		       /* C21 */
	assert_int_equal(le32toh(id->ioccsz), 4 + 8192 / 16);	       /* C22 */
	assert_int_equal(le32toh(id->iorcsz), 1);		       /* C23 */
	assert_int_equal(id->icdoff, 0);			       /* C24 */
	assert_int_equal(id->msdbd, 1);				       /* C25 */
	assert_int_equal(id->cmic & 8, 0);			       /* no ANA asked for */
}

static void C20_ana_fields(void **state)
{
	struct host *h = *state;
	const struct nvme_id_ctrl *id;

	h->subsys->ana = true;
	id = identify_ctrl(h);
	assert_int_equal(id->cmic & 8, 8);
	assert_true(le32toh(id->mnan) && le32toh(id->mnan) <= le32toh(id->nn));
	assert_true(id->anatt > 0);
	/* H4: the log fits into one transfer */
	assert_true(16 + le32toh(id->nanagrpid) * 32 + le32toh(id->mnan) * 4 <= 131072);
}

static void I1_identify_namespace(void **state)
{
	struct host *h = *state;
	const struct nvme_id_ns *ns = (const void *)h->data;

	assert_int_equal(identify(h, NVME_CNS_NS, 1), 0);
	assert_int_equal(le64toh(ns->nsze), 2048);
	assert_int_equal(le64toh(ns->ncap), 2048);
	assert_int_equal(NVME_LBAF_SHIFT(le32toh(ns->lbaf[0])), 9);
	assert_int_equal(ns->nmic, 1);
	assert_int_equal(ns->nguid[0], 0xa5);
	assert_int_equal(identify(h, NVME_CNS_NS, 2), 0); /* inactive: zeros */
	assert_int_equal(le64toh(ns->nsze), 0);
	assert_int_equal(identify(h, NVME_CNS_NS, 0), DNR(NVME_SC_INVALID_NS));
	assert_int_equal(identify(h, NVME_CNS_NS, NVMF_NSID_MAX + 1), DNR(NVME_SC_INVALID_NS));
	assert_int_equal(identify(h, NVME_CNS_NS, NVME_NSID_ALL), DNR(NVME_SC_INVALID_NS));
}

static void I3_namespace_list_rises(void **state)
{
	struct nvmf_ns_attr attr = {.block_shift = 9, .blocks = 8};
	struct host *h = *state;
	const le32_t *ids = (const void *)h->data;
	struct nvmf_ns *ns;

	attr.nsid = 900;
	assert_int_equal(nvmf_ns_add(h->subsys, &attr, &ns), DOCA_SUCCESS);
	attr.nsid = 7;
	assert_int_equal(nvmf_ns_add(h->subsys, &attr, &ns), DOCA_SUCCESS);
	assert_int_equal(nvmf_ns_add(h->subsys, &attr, &ns), DOCA_ERROR_ALREADY_EXIST);
	assert_int_equal(identify(h, NVME_CNS_NS_LIST, 0), 0);
	assert_int_equal(le32toh(ids[0]), 1);
	assert_int_equal(le32toh(ids[1]), 7);
	assert_int_equal(le32toh(ids[2]), 900);
	assert_int_equal(ids[3], 0);
	assert_int_equal(identify(h, NVME_CNS_NS_LIST, 7), 0);
	assert_int_equal(le32toh(ids[0]), 900);
	assert_int_equal(identify(h, NVME_CNS_NS_LIST, 0xfffffffe), DNR(NVME_SC_INVALID_NS));
	assert_int_equal(identify(h, NVME_CNS_NS_LIST, NVME_NSID_ALL), DNR(NVME_SC_INVALID_NS));
}

static void I4_namespace_descriptors(void **state)
{
	struct host *h = *state;

	assert_int_equal(identify(h, NVME_CNS_NS_DESC, 1), 0);
	assert_int_equal(h->data[0], 2); /* NGUID */
	assert_int_equal(h->data[1], 16);
	assert_int_equal(h->data[20], 3); /* UUID */
	assert_int_equal(h->data[21], 16);
	assert_int_equal(h->data[24], 0xa5);
	assert_int_equal(h->data[40], 4); /* CSI */
	assert_int_equal(h->data[45], 0);
	assert_int_equal(identify(h, NVME_CNS_NS_DESC, 2), DNR(NVME_SC_INVALID_NS));
}

static void I5_I9_other_identify_pages(void **state)
{
	static const uint8_t refused[] = {0x04, 0x08, 0x10, 0x13, 0x1c, 0xff};
	struct host *h = *state;
	size_t i;

	assert_int_equal(identify(h, NVME_CNS_CSI_NS, 1), 0);
	assert_int_equal(identify(h, NVME_CNS_CSI_CTRL, 0), 0);
	for (i = 0; i < sizeof(refused); i++)
		assert_int_equal(identify(h, refused[i], 1), DNR(NVME_SC_INVALID_FIELD));
	new_cmd(h, NVME_ADMIN_IDENTIFY);
	h->req.cmd.cdw10 = htole32(NVME_CNS_CSI_CTRL);
	h->req.cmd.cdw11 = htole32(2u << 24); /* zoned */
	assert_int_equal(run(h, &h->admin), DNR(NVME_SC_INVALID_FIELD));
}

static void A2_short_identify_is_truncated(void **state)
{
	struct host *h = *state;

	memset(h->data, 0xee, sizeof(h->data));
	new_cmd(h, NVME_ADMIN_IDENTIFY);
	h->req.cmd.cdw10 = htole32(NVME_CNS_CTRL);
	h->req.size = 100;
	assert_int_equal(run(h, &h->admin), 0);
	assert_int_equal(h->req.reply_size, 100);
	assert_int_equal(h->data[100], 0xee);
}

static void A8_A12_opcodes_that_do_not_exist_here(void **state)
{
	static const uint8_t opcodes[] = {0x00, 0x01, 0x04, 0x05, 0x0d, 0x10, 0x11,
					  0x14, 0x15, 0x19, 0x1a, 0x1c, 0x21, 0x7c,
					  0x80, 0x81, 0x82, 0x84, 0x7e, 0xc0, 0xff};
	struct host *h = *state;
	size_t i;

	for (i = 0; i < sizeof(opcodes); i++) {
		new_cmd(h, opcodes[i]);
		assert_int_equal(run(h, &h->admin), DNR(NVME_SC_INVALID_OPCODE));
	}
}

static void G_log_pages(void **state)
{
	struct host *h = *state;

	assert_int_equal(get_log(h, NVME_LOG_ERROR, 0, 64, false), 0);
	assert_int_equal(get_log(h, NVME_LOG_SMART, 0, 512, false), 0);
	assert_int_equal(h->data[3], 100);
	assert_int_equal(get_log(h, NVME_LOG_FIRMWARE, 0, 512, false), 0);
	assert_int_equal(h->data[0], 1);
	assert_memory_equal(h->data + 8, "3.3.0   ", 8);
	assert_int_equal(get_log(h, NVME_LOG_EFFECTS, 0, 4096, false), 0);
	assert_int_equal(h->data[4 * NVME_ADMIN_IDENTIFY], 1);
	assert_int_equal(h->data[1024 + 4 * NVME_CMD_WRITE], 3);
	assert_int_equal(h->data[1024 + 4 * 0x0c], 0);
	assert_int_equal(get_log(h, 0xb9, 0, 512, false), DNR(NVME_SC_INVALID_LOG_PAGE)); /* G10 */
	assert_int_equal(get_log(h, NVME_LOG_ANA, 0, 512, false), DNR(NVME_SC_INVALID_LOG_PAGE));
	assert_int_equal(get_log(h, NVME_LOG_DISCOVERY, 0, 512, false),
			 DNR(NVME_SC_INVALID_LOG_PAGE));
	assert_int_equal(get_log(h, NVME_LOG_SMART, 2, 512, false), DNR(NVME_SC_INVALID_FIELD));
	assert_int_equal(get_log(h, NVME_LOG_SMART, 516, 512, false), DNR(NVME_SC_INVALID_FIELD));
	memset(h->data, 0xee, 1024); /* G11: beyond the end: zeros */
	assert_int_equal(get_log(h, NVME_LOG_SMART, 256, 1024, false), 0);
	assert_int_equal(h->data[1000], 0);
}

static void G3_smart_of_one_namespace(void **state)
{
	struct host *h = *state;

	new_cmd(h, NVME_ADMIN_GET_LOG_PAGE);
	h->req.cmd.nsid = htole32(1);
	h->req.cmd.cdw10 = htole32(NVME_LOG_SMART | 127u << 16);
	assert_int_equal(run(h, &h->admin), DNR(NVME_SC_INVALID_FIELD));
}

static void G7_ana_log(void **state)
{
	struct host *h = *state;
	const struct nvme_ana_header *header = (const void *)h->data;
	const struct nvme_ana_group *group = (const void *)(h->data + sizeof(*header));

	h->subsys->ana = true;
	assert_int_equal(nvmf_port_set_ana(h->target, h->port, 1, NVMF_ANA_INACCESSIBLE),
			 DOCA_SUCCESS);
	assert_int_equal(get_log(h, NVME_LOG_ANA, 0, 4096, true), 0);
	assert_int_equal(le64toh(header->chgcnt), 1);
	assert_int_equal(le16toh(header->ngrps), NVMF_ANA_GROUPS);
	assert_int_equal(le32toh(group->grpid), 1);
	assert_int_equal(le32toh(group->nnsids), 1);
	assert_int_equal(group->state, 3);
	assert_int_equal(h->data[16 + 32], 1); /* the namespace */
}

static void E1_number_of_queues(void **state)
{
	struct host *h = *state;

	assert_int_equal(feature(h, NVME_ADMIN_SET_FEATURES, 7, 0x00030001), 0);
	assert_int_equal(h->req.dw0, 0x00010001);
	assert_int_equal(h->admin.ctrlr->io_queues, 2);
	assert_int_equal(feature(h, NVME_ADMIN_SET_FEATURES, 7, 0x007f007f), 0);
	assert_int_equal(h->req.dw0, 0x00070007);
	assert_int_equal(feature(h, NVME_ADMIN_SET_FEATURES, 7, 0x0001ffff),
			 DNR(NVME_SC_INVALID_FIELD));
	assert_int_equal(connect_io_queue(h, &h->io, 1), 0);
	assert_int_equal(feature(h, NVME_ADMIN_SET_FEATURES, 7, 0x00010001),
			 DNR(NVME_SC_SEQUENCE_ERROR));
	assert_int_equal(feature(h, NVME_ADMIN_GET_FEATURES, 7, 0), 0);
	assert_int_equal(h->req.dw0, 0x00070007);
}

static void E3_keep_alive_timer(void **state)
{
	struct host *h = *state;

	assert_int_equal(feature(h, NVME_ADMIN_GET_FEATURES, 0x0f, 0), 0);
	assert_int_equal(h->req.dw0, 5000);
	assert_int_equal(feature(h, NVME_ADMIN_SET_FEATURES, 0x0f, 1001), 0);
	assert_int_equal(feature(h, NVME_ADMIN_GET_FEATURES, 0x0f, 0), 0);
	assert_int_equal(h->req.dw0, 2000);
	assert_int_equal(feature(h, NVME_ADMIN_SET_FEATURES, 0x0f, UINT32_MAX), 0);
}

static void E_other_features(void **state)
{
	static const uint8_t missing[] = {0x00, 0x03, 0x08, 0x09, 0x0c, 0x0d, 0xb9, 0xff};
	struct host *h = *state;
	size_t i;

	for (i = 0; i < sizeof(missing); i++) { /* E7, E13 */
		assert_int_equal(feature(h, NVME_ADMIN_GET_FEATURES, missing[i], 0),
				 DNR(NVME_SC_INVALID_FIELD));
		assert_int_equal(feature(h, NVME_ADMIN_SET_FEATURES, missing[i], 0),
				 DNR(NVME_SC_INVALID_FIELD));
	}
	assert_int_equal(feature(h, NVME_ADMIN_SET_FEATURES, 1u << 31 | 7, 0),
			 DNR(NVME_SC_FEATURE_NOT_SAVEABLE)); /* A4 */
	assert_int_equal(feature(h, NVME_ADMIN_GET_FEATURES, 6, 0), 0);
	assert_int_equal(h->req.dw0, 1); /* E5 */
	assert_int_equal(feature(h, NVME_ADMIN_SET_FEATURES, 6, 0),
			 DNR(NVME_SC_FEATURE_NOT_CHANGEABLE));
	assert_int_equal(feature(h, NVME_ADMIN_SET_FEATURES, 0x81, 1),
			 DNR(NVME_SC_SEQUENCE_ERROR)); /* E10 */
	assert_int_equal(feature(h, NVME_ADMIN_GET_FEATURES, 0x81, 1), 0);
	assert_int_equal(h->data[0], 0x42);
	assert_int_equal(h->req.reply_size, 16);
}

static void E4_features_read_back(void **state)
{
	static const struct {
		uint8_t fid;
		uint32_t value;
		uint16_t status;
	} rows[] = {
		{0x01, 0x01020304, 0}, /* arbitration */
		{0x02, 0x20, 0},       /* power state 0 */
		{0x02, 0x01, DNR(NVME_SC_INVALID_FIELD)},
		{0x04, 0x00000150, 0},				/* over 63 degrees */
		{0x04, 0x00100110, 0},				/* under */
		{0x04, 0x00010150, DNR(NVME_SC_INVALID_FIELD)}, /* another sensor */
		{0x04, 0x00200150, DNR(NVME_SC_INVALID_FIELD)},
		{0x05, 100, 0},
		{0x0a, 1, 0},
	};
	struct host *h = *state;
	size_t i;

	for (i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		uint8_t fid = rows[i].fid;

		assert_int_equal(feature(h, NVME_ADMIN_SET_FEATURES, fid, rows[i].value),
				 rows[i].status);
		if (rows[i].status)
			continue;
		assert_int_equal(feature(h, NVME_ADMIN_GET_FEATURES, fid, rows[i].value), 0);
		assert_int_equal(h->req.dw0, fid == 4 ? rows[i].value & 0xffff : rows[i].value);
		assert_int_equal(feature(h, NVME_ADMIN_GET_FEATURES, fid | 1u << 8, 0), 0);
		assert_int_equal(h->req.dw0, 0); /* its default */
	}
	assert_int_equal(set_cc(h, 0), 0);
	assert_int_equal(set_cc(h, CC_ENABLE), 0);
	assert_int_equal(feature(h, NVME_ADMIN_GET_FEATURES, 5, 0), 0);
	assert_int_equal(h->req.dw0, 0);
}

static enum nvmf_verdict send_aer(struct host *h, struct nvmf_req *req, uint16_t cid)
{
	memset(req, 0, sizeof(*req));
	req->cmd.opcode = NVME_ADMIN_ASYNC_EVENT;
	req->cmd.flags = NVME_FLAG_PSDT_SGL;
	req->cmd.cid = htole16(cid);
	return nvmf_execute(h->target, &h->admin, req);
}

static void add_ns(struct host *h, uint32_t nsid)
{
	struct nvmf_ns_attr attr = {.nsid = nsid, .block_shift = 9, .blocks = 8};
	struct nvmf_ns *ns;

	assert_int_equal(nvmf_ns_add(h->subsys, &attr, &ns), DOCA_SUCCESS);
}

static void V1_V2_namespace_event_once_until_read(void **state)
{
	struct host *h = *state;
	const le32_t *changed = (const void *)h->data;
	struct nvmf_req aer[2];

	assert_int_equal(feature(h, NVME_ADMIN_SET_FEATURES, 0x0b, 1u << 8), 0);
	assert_int_equal(send_aer(h, &aer[0], 1), NVMF_HOLD);
	assert_int_equal(send_aer(h, &aer[1], 2), NVMF_HOLD);
	add_ns(h, 5);
	assert_int_equal(completed_count, 1);
	assert_ptr_equal(completed[0], &aer[0]);
	assert_int_equal(aer[0].dw0, 0x00040002);
	add_ns(h, 6); /* masked */
	assert_int_equal(completed_count, 1);
	assert_int_equal(get_log(h, NVME_LOG_CHANGED_NS, 0, 4096, true), 0);
	assert_int_equal(le32toh(changed[0]), 5);
	assert_int_equal(le32toh(changed[1]), 6);
	assert_int_equal(completed_count, 1); /* RAE: still masked */
	assert_int_equal(get_log(h, NVME_LOG_CHANGED_NS, 0, 4096, false), 0);
	assert_int_equal(completed_count, 1); /* the page had 6, too */
	assert_int_equal(get_log(h, NVME_LOG_CHANGED_NS, 0, 4096, false), 0);
	assert_int_equal(changed[0], 0);
	add_ns(h, 7); /* armed again */
	assert_int_equal(completed_count, 2);
	assert_ptr_equal(completed[1], &aer[1]);
}

static void V3_event_waits_for_a_request(void **state)
{
	struct host *h = *state;
	struct nvmf_req aer;

	assert_int_equal(feature(h, NVME_ADMIN_SET_FEATURES, 0x0b, 1u << 8), 0);
	nvmf_ns_resize(h->ns, 4096);
	assert_int_equal(send_aer(h, &aer, 1), NVMF_RESPOND);
	assert_int_equal(aer.dw0, 0x00040002);
}

static void V_disabled_events_are_not_sent(void **state)
{
	static struct nvmf_req aer; /* held until the teardown */
	struct host *h = *state;

	assert_int_equal(send_aer(h, &aer, 1), NVMF_HOLD);
	nvmf_ns_remove(h->ns);
	assert_int_equal(completed_count, 0);
}

static void G5_too_many_changes(void **state)
{
	struct host *h = *state;
	const le32_t *changed = (const void *)h->data;
	uint32_t i;

	for (i = 1; i <= 1025; i++)
		nvmf_event_ns_changed(h->admin.ctrlr, i);
	assert_int_equal(get_log(h, NVME_LOG_CHANGED_NS, 0, 4096, false), 0);
	assert_int_equal(le32toh(changed[0]), NVME_NSID_ALL);
	assert_int_equal(changed[1], 0);
}

static void A6_too_many_event_requests(void **state)
{
	struct host *h = *state;
	struct nvmf_req aer[NVMF_AER_MAX + 1];
	unsigned int i;

	for (i = 0; i < NVMF_AER_MAX; i++)
		assert_int_equal(send_aer(h, &aer[i], (uint16_t)i), NVMF_HOLD);
	assert_int_equal(send_aer(h, &aer[i], 9), NVMF_RESPOND);
	assert_int_equal(aer[i].status, DNR(NVME_SC_AER_LIMIT));
	nvmf_queue_closed(h->target, &h->admin); /* forgets them */
	assert_int_equal(completed_count, 0);
}

static void A3_abort_of_an_event_request(void **state)
{
	struct host *h = *state;
	struct nvmf_req aer;

	assert_int_equal(send_aer(h, &aer, 77), NVMF_HOLD);
	assert_int_equal(feature(h, NVME_ADMIN_ABORT, 78u << 16, 0), 0);
	assert_int_equal(h->req.dw0, 1);
	assert_int_equal(feature(h, NVME_ADMIN_ABORT, 77u << 16, 0), 0);
	assert_int_equal(h->req.dw0, 0);
	assert_ptr_equal(completed[0], &aer);
	assert_int_equal(aer.status, NVME_SC_ABORT_REQUESTED);
}

static void P3_reset_drops_event_requests_silently(void **state)
{
	static struct nvmf_req aer; /* held until the teardown */
	struct host *h = *state;

	assert_int_equal(send_aer(h, &aer, 77), NVMF_HOLD);
	assert_int_equal(set_cc(h, 0), 0);
	assert_int_equal(completed_count, 0);
	assert_int_equal(forgotten_count, 1);
	assert_int_equal(set_cc(h, CC_ENABLE), 0);
	assert_int_equal(send_aer(h, &aer, 77), NVMF_HOLD);
}

static void D11_discovery_controller(void **state)
{
	struct host *h = *state;
	const struct nvme_id_ctrl *id = identify_ctrl(h);
	struct nvmf_queue io;

	assert_int_equal(id->cntrltype, 2);
	assert_int_equal(le32toh(id->oaes), 1u << 31);
	assert_int_equal(id->nn, 0);
	assert_int_equal(id->lpa & 4, 4);
	assert_int_equal(identify(h, NVME_CNS_NS_LIST, 0), DNR(NVME_SC_INVALID_FIELD));
	assert_int_equal(feature(h, NVME_ADMIN_SET_FEATURES, 7, 0), DNR(NVME_SC_INVALID_FIELD));
	nvmf_queue_init(&io, h->port, "127.0.0.1");
	new_connect(h, 1, h->admin.ctrlr->cntlid, NVME_DISCOVERY_NQN);
	assert_int_equal(run(h, &io), DNR(NVME_SC_CONNECT_INVALID_PARAM));
}

static void D3_D4_D6_discovery_log(void **state)
{
	struct host *h = *state;
	const struct nvme_discovery_header *header = (const void *)h->data;
	const struct nvme_discovery_entry *e = (const void *)(h->data + 1024);

	assert_int_equal(get_log(h, NVME_LOG_DISCOVERY, 0, 4096, true), 0);
	assert_int_equal(le64toh(header->genctr), h->target->genctr);
	assert_int_equal(le64toh(header->numrec), 1);
	assert_int_equal(header->recfmt, 0);
	assert_int_equal(e->trtype, 3);
	assert_int_equal(e->adrfam, 1);
	assert_int_equal(e->subtype, 2);
	assert_int_equal(le16toh(e->portid), 1);
	assert_int_equal(le16toh(e->cntlid), 0xffff);
	assert_true(le16toh(e->asqsz) >= 32);
	assert_memory_equal(e->trsvcid, "4420    ", 8);
	assert_memory_equal(e->traddr, "127.0.0.1   ", 12); /* never the wildcard */
	assert_string_equal(e->subnqn, SUBNQN);
}

static void D6_wildcards_of_the_other_family_are_left_out(void **state)
{
	struct host *h = *state;
	const struct nvme_discovery_header *header = (const void *)h->data;
	const struct nvme_discovery_entry *e = (const void *)(h->data + 1024);
	struct nvmf_port *any, *one;

	assert_int_equal(nvmf_port_add(h->target, 2, NVMF_TCP, NVMF_IPV6, "::", "4420", &any),
			 DOCA_SUCCESS);
	assert_int_equal(nvmf_port_add(h->target, 3, NVMF_TCP, NVMF_IPV6, "fd00::1", "4420", &one),
			 DOCA_SUCCESS);
	assert_int_equal(get_log(h, NVME_LOG_DISCOVERY, 0, 4096, true), 0);
	assert_int_equal(le64toh(header->numrec), 2);
	assert_int_equal(e[0].adrfam, 1);
	assert_memory_equal(e[0].traddr, "127.0.0.1 ", 10);
	assert_int_equal(e[1].adrfam, 2);
	assert_memory_equal(e[1].traddr, "fd00::1 ", 8);
}

static void D9_log_in_pieces_is_the_same(void **state)
{
	struct host *h = *state;
	uint8_t whole[2048], pieces[2048];
	uint32_t at;

	assert_int_equal(get_log(h, NVME_LOG_DISCOVERY, 0, sizeof(whole), true), 0);
	memcpy(whole, h->data, sizeof(whole));
	for (at = 0; at < sizeof(pieces); at += 64) {
		assert_int_equal(get_log(h, NVME_LOG_DISCOVERY, at, 64, true), 0);
		memcpy(pieces + at, h->data, 64);
	}
	assert_memory_equal(whole, pieces, sizeof(whole));
}

static void D7_D8_log_follows_what_the_host_may_see(void **state)
{
	struct host *h = *state;
	const struct nvme_discovery_header *header = (const void *)h->data;
	uint64_t before = h->target->genctr;

	h->subsys->allow_any_host = false;
	assert_int_equal(get_log(h, NVME_LOG_DISCOVERY, 0, 1024, true), 0);
	assert_int_equal(le64toh(header->numrec), 0);
	assert_int_equal(nvmf_subsys_allow_host(h->subsys, HOSTNQN), DOCA_SUCCESS);
	assert_int_equal(get_log(h, NVME_LOG_DISCOVERY, 0, 1024, true), 0);
	assert_int_equal(le64toh(header->numrec), 1);
	assert_true(le64toh(header->genctr) > before);
}

static void D12_discovery_change_event(void **state)
{
	struct nvmf_port *port;
	struct host *h = *state;
	struct nvmf_req aer;

	assert_int_equal(feature(h, NVME_ADMIN_SET_FEATURES, 0x0b, 1u << 31), 0);
	assert_int_equal(send_aer(h, &aer, 1), NVMF_HOLD);
	assert_int_equal(
		nvmf_port_add(h->target, 2, NVMF_TCP, NVMF_IPV4, "10.0.0.1", "4420", &port),
		DOCA_SUCCESS);
	assert_int_equal(completed_count, 1);
	assert_int_equal(aer.dw0, 0x0070f002);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		CONNECTED_TEST(C_controller_fields_that_hosts_check),
		CONNECTED_TEST(C20_ana_fields),
		CONNECTED_TEST(I1_identify_namespace),
		CONNECTED_TEST(I3_namespace_list_rises),
		CONNECTED_TEST(I4_namespace_descriptors),
		CONNECTED_TEST(I5_I9_other_identify_pages),
		CONNECTED_TEST(A2_short_identify_is_truncated),
		CONNECTED_TEST(A8_A12_opcodes_that_do_not_exist_here),
		CONNECTED_TEST(G_log_pages),
		CONNECTED_TEST(G3_smart_of_one_namespace),
		CONNECTED_TEST(G7_ana_log),
		CONNECTED_TEST(E1_number_of_queues),
		CONNECTED_TEST(E3_keep_alive_timer),
		CONNECTED_TEST(E4_features_read_back),
		CONNECTED_TEST(E_other_features),
		CONNECTED_TEST(V1_V2_namespace_event_once_until_read),
		CONNECTED_TEST(V3_event_waits_for_a_request),
		CONNECTED_TEST(V_disabled_events_are_not_sent),
		CONNECTED_TEST(G5_too_many_changes),
		CONNECTED_TEST(A6_too_many_event_requests),
		CONNECTED_TEST(A3_abort_of_an_event_request),
		CONNECTED_TEST(P3_reset_drops_event_requests_silently),
		DISCOVERY_TEST(D11_discovery_controller),
		DISCOVERY_TEST(D3_D4_D6_discovery_log),
		DISCOVERY_TEST(D6_wildcards_of_the_other_family_are_left_out),
		DISCOVERY_TEST(D9_log_in_pieces_is_the_same),
		DISCOVERY_TEST(D7_D8_log_follows_what_the_host_may_see),
		DISCOVERY_TEST(D12_discovery_change_event),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
