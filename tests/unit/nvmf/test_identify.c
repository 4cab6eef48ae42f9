/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Identify. Names start with the row of the checklist.
 */
#include "host.h"

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
	assert_int_equal(le32toh(id->nn), NVMF_NSID_MAX); /* C14 */
	assert_int_equal(le16toh(id->oncs), 0x18d);	  /* C15 */
	assert_int_equal(le16toh(id->ocfs), 1);
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
	assert_int_equal(le16toh(id->wctemp), NVMF_WARNING_KELVIN);
	assert_true(le16toh(id->cctemp) > NVMF_WARNING_KELVIN);
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

/* Success without data: the host would take for an answer what it has in its memory. */
static void A2_identify_without_room_is_refused(void **state)
{
	static const uint8_t pages[] = {NVME_CNS_NS, NVME_CNS_CTRL, NVME_CNS_NS_LIST,
					NVME_CNS_NS_DESC};
	struct host *h = *state;
	size_t i;

	for (i = 0; i < sizeof(pages); i++) {
		new_cmd(h, NVME_ADMIN_IDENTIFY);
		h->req.cmd.nsid = htole32(1);
		h->req.cmd.cdw10 = htole32(pages[i]);
		h->req.size = 0;
		assert_int_equal(run(h, &h->admin), DNR(NVME_SC_SGL_DATA_LENGTH));
	}
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

/* what a disk does not have the controller must not announce, nor say that it has effects */
static void C15_commands_that_a_disk_does_not_have(void **state)
{
	static const struct {
		uint16_t oncs;
		uint8_t opcode;
	} rows[] = {{NVME_ONCS_COMPARE, NVME_CMD_COMPARE},
		    {NVME_ONCS_DSM, NVME_CMD_DSM},
		    {NVME_ONCS_WRITE_ZEROES, NVME_CMD_WRITE_ZEROES},
		    {NVME_ONCS_VERIFY, NVME_CMD_VERIFY},
		    {NVME_ONCS_COPY, NVME_CMD_COPY}};
	struct host *h = *state;

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct nvmf_ns_attr attr = {.nsid = 7, .blocks = 8, .block_shift = 9};
		struct nvmf_ns *ns;

		attr.oncs = NVME_ONCS_OURS & ~rows[i].oncs;
		assert_int_equal(nvmf_ns_add(h->subsys, &attr, &ns), DOCA_SUCCESS);
		assert_int_equal(le16toh(identify_ctrl(h)->oncs), attr.oncs);
		assert_int_equal(get_log(h, NVME_LOG_EFFECTS, 0, 4096, false), 0);
		for (size_t k = 0; k < ARRAY_SIZE(rows); k++)
			assert_int_equal(h->data[1024 + 4 * rows[k].opcode] & 1, k != i);
		nvmf_ns_remove(ns);
		assert_int_equal(le16toh(identify_ctrl(h)->oncs), NVME_ONCS_OURS);
	}
}

/* how much at a time; zero where there is none */
static void C15_limits_of_verify_and_copy(void **state)
{
	struct host *h = *state;
	const struct nvme_id_ns *id = (const void *)h->data;

	assert_int_equal(identify(h, NVME_CNS_CSI_CTRL, 0), 0);
	assert_int_equal(h->data[0], 5); /* VSL: as MDTS */
	assert_int_equal(identify(h, NVME_CNS_NS, 1), 0);
	assert_int_equal(le16toh(id->mssrl), 256);
	assert_int_equal(le32toh(id->mcl), 2048);
	assert_int_equal(id->msrc, 127);
	h->ns->oncs &= (uint16_t) ~(NVME_ONCS_VERIFY | NVME_ONCS_COPY);
	assert_int_equal(identify(h, NVME_CNS_CSI_CTRL, 0), 0);
	assert_int_equal(h->data[0], 0);
	assert_int_equal(identify(h, NVME_CNS_NS, 1), 0);
	assert_int_equal(id->mssrl, 0);
	assert_int_equal(id->mcl, 0);
	assert_int_equal(id->msrc, 0);
	assert_int_equal(identify_ctrl(h)->ocfs, 0);
}

static void C17_without_a_write_cache(void **state)
{
	struct host *h = *state;

	h->ns->write_cache = false;
	assert_int_equal(identify_ctrl(h)->vwc, 0x04);
}

static void C19_keyed_descriptors_over_rdma(void **state)
{
	struct host *h = *state;

	h->port->trtype = NVMF_RDMA;
	assert_int_equal(le32toh(identify_ctrl(h)->sgls), 1u | 1u << 2 | 1u << 20);
}

static void I1_what_a_namespace_is_is_told(void **state)
{
	struct host *h = *state;
	const struct nvme_id_ns *ns = (const void *)h->data;

	h->ns->read_only = true;
	h->ns->ana_group = 3;
	assert_int_equal(identify(h, NVME_CNS_NS, 1), 0);
	assert_int_equal(ns->nsattr, NVME_NS_ATTR_WRITE_PROTECTED);
	assert_int_equal(le32toh(ns->anagrpid), 0); /* the subsystem does not report groups */
	h->subsys->ana = true;
	assert_int_equal(identify(h, NVME_CNS_NS, 1), 0);
	assert_int_equal(le32toh(ns->anagrpid), 3);
}

static void I1_nobody_knows_what_is_in_use_where_it_is_inaccessible(void **state)
{
	struct host *h = *state;
	const struct nvme_id_ns *ns = (const void *)h->data;
	enum nvmf_ana_state ana;

	h->subsys->ana = true;
	for (ana = NVMF_ANA_OPTIMIZED; ana <= NVMF_ANA_PERSISTENT_LOSS; ana++) {
		h->port->ana[h->ns->ana_group] = ana;
		assert_int_equal(identify(h, NVME_CNS_NS, 1), 0);
		assert_int_equal(le64toh(ns->nsze), h->ns->blocks);
		assert_int_equal(le64toh(ns->nuse),
				 ana <= NVMF_ANA_NON_OPTIMIZED ? h->ns->blocks : 0);
	}
}

static void I3_a_full_list_ends_at_its_page(void **state)
{
	struct host *h = *state;
	const le32_t *ids = (const void *)h->data;
	uint32_t nsid;

	for (nsid = 2; nsid <= NVMF_NSID_MAX; nsid++)
		add_ns(h, nsid);
	memset(h->data, 0xee, sizeof(h->data));
	assert_int_equal(identify(h, NVME_CNS_NS_LIST, 0), 0);
	assert_int_equal(le32toh(ids[NVMF_NSID_MAX - 1]), NVMF_NSID_MAX);
	assert_int_equal(h->data[4096], 0xee);
	assert_int_equal(identify(h, NVME_CNS_NS_LIST, NVMF_NSID_MAX - 1), 0);
	assert_int_equal(le32toh(ids[0]), NVMF_NSID_MAX);
	assert_int_equal(ids[1], 0);
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
		CONNECTED_TEST(A2_identify_without_room_is_refused),
		DISCOVERY_TEST(D11_discovery_controller),
		CONNECTED_TEST(C15_commands_that_a_disk_does_not_have),
		CONNECTED_TEST(C15_limits_of_verify_and_copy),
		CONNECTED_TEST(C17_without_a_write_cache),
		CONNECTED_TEST(C19_keyed_descriptors_over_rdma),
		CONNECTED_TEST(I1_what_a_namespace_is_is_told),
		CONNECTED_TEST(I1_nobody_knows_what_is_in_use_where_it_is_inaccessible),
		CONNECTED_TEST(I3_a_full_list_ends_at_its_page),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
