/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Connect, properties, loss of queues, and which command goes where. Names start with the row of
 * the NVMe-oF checklist.
 */
#include "host.h"

static void F2_nothing_before_connect(void **state)
{
	struct host *h = *state;
	uint8_t opcodes[] = {NVME_ADMIN_IDENTIFY, NVME_CMD_READ, NVME_ADMIN_KEEP_ALIVE};
	size_t i;

	nvmf_queue_init(&h->admin, h->port, "127.0.0.1");
	for (i = 0; i < sizeof(opcodes); i++) {
		new_cmd(h, opcodes[i]);
		assert_int_equal(run(h, &h->admin), DNR(NVME_SC_SEQUENCE_ERROR));
	}
	assert_int_equal(property(h, NVME_FC_PROPERTY_GET, 0, 1, 0), DNR(NVME_SC_SEQUENCE_ERROR));
}

static void F3_second_connect(void **state)
{
	struct host *h = *state;

	new_connect(h, 0, 0xffff, SUBNQN);
	assert_int_equal(run(h, &h->admin), DNR(NVME_SC_SEQUENCE_ERROR));
}

static void F6_connect_returns_controller_id(void **state)
{
	struct host *h = *state;

	nvmf_queue_init(&h->admin, h->port, "127.0.0.1");
	new_connect(h, 0, 0xffff, SUBNQN);
	assert_int_equal(run(h, &h->admin), 0);
	assert_int_equal(h->req.dw0, h->admin.ctrlr->cntlid);
	assert_true(h->admin.ctrlr->cntlid >= 1);
}

/* one refused Connect; the controller must not exist afterwards */
static void refused(struct host *h, uint16_t status, uint32_t dw0)
{
	struct nvmf_queue queue;

	nvmf_queue_init(&queue, h->port, "127.0.0.1");
	assert_int_equal(run(h, &queue), status);
	assert_int_equal(h->req.dw0, dw0);
	assert_null(queue.ctrlr);
}

#define IN_DATA 0x10000

static void F7_F8_bad_connect_parameters(void **state)
{
	struct host *h = *state;

	new_connect(h, 0, 0xffff, SUBNQN);
	connect_cmd(h)->recfmt = htole16(1);
	refused(h, DNR(NVME_SC_CONNECT_FORMAT), 0);
	new_connect(h, 0, 0xffff, SUBNQN);
	h->req.size = 1023; /* F5 */
	refused(h, DNR(NVME_SC_SGL_DATA_LENGTH), 0);
	new_connect(h, 0, 0xffff, SUBNQN);
	connect_cmd(h)->sqsize = 0; /* F9 */
	refused(h, DNR(NVME_SC_CONNECT_INVALID_PARAM), 44);
	new_connect(h, 0, 0xffff, SUBNQN);
	connect_cmd(h)->sqsize = htole16(128);
	refused(h, DNR(NVME_SC_CONNECT_INVALID_PARAM), 44);
	new_connect(h, 0, 5, SUBNQN); /* F10 */
	refused(h, DNR(NVME_SC_CONNECT_INVALID_PARAM), IN_DATA | 16);
	new_connect(h, 0, 0xfffe, SUBNQN); /* any of the static ones, of which there are none */
	refused(h, DNR(NVME_SC_CONNECT_INVALID_PARAM), IN_DATA | 16);
	new_connect(h, 0, 0xffff, "nqn.2024-01.example:other"); /* F12 */
	refused(h, DNR(NVME_SC_CONNECT_INVALID_PARAM), IN_DATA | 256);
	new_connect(h, 0, 0xffff, "short");
	refused(h, DNR(NVME_SC_CONNECT_INVALID_PARAM), IN_DATA | 256);
	new_connect(h, 0, 0xffff, SUBNQN);
	memset(connect_data(h)->subnqn, 'x', NVME_NQN_FIELD);
	refused(h, DNR(NVME_SC_CONNECT_INVALID_PARAM), IN_DATA | 256);
	new_connect(h, 0, 0xffff, SUBNQN);
	memset(connect_data(h)->hostnqn, 'x', NVME_NQN_FIELD);
	refused(h, DNR(NVME_SC_CONNECT_INVALID_PARAM), IN_DATA | 512);
	new_connect(h, 0, 0xffff, SUBNQN);
	strcpy(connect_data(h)->hostnqn, "nqn.2014-08.org.example:\x1b[31m\n");
	refused(h, DNR(NVME_SC_CONNECT_INVALID_PARAM), IN_DATA | 512);
	assert_true(list_is_empty(&h->subsys->ctrlrs));
}

static void F11_io_connect(void **state)
{
	struct host *h = *state;
	struct nvmf_queue other;

	assert_int_equal(connect_io_queue(h, &h->io, 1), 0);
	assert_int_equal(h->io.qid, 1);
	assert_int_equal(h->io.sqsize, 31);
	/* Q9: the same queue again */
	assert_int_equal(connect_io_queue(h, &other, 1), DNR(NVME_SC_QUEUE_ID_INVALID));
	assert_int_equal(connect_io_queue(h, &other, 9), DNR(NVME_SC_QUEUE_ID_INVALID));
	new_connect(h, 2, 0x7777, SUBNQN);
	refused(h, DNR(NVME_SC_CONNECT_INVALID_PARAM), IN_DATA | 16);
	new_connect(h, 2, h->admin.ctrlr->cntlid, SUBNQN);
	strcpy(connect_data(h)->hostnqn, "nqn.2014-08.org.example:other");
	refused(h, DNR(NVME_SC_CONNECT_INVALID_PARAM), IN_DATA | 512);
	new_connect(h, 2, h->admin.ctrlr->cntlid, SUBNQN);
	connect_data(h)->hostid[3] ^= 1;
	refused(h, DNR(NVME_SC_CONNECT_INVALID_PARAM), IN_DATA);
	new_connect(h, 2, h->admin.ctrlr->cntlid, SUBNQN);
	memset(connect_data(h)->hostid, 0, sizeof(connect_data(h)->hostid)); /* left out */
	nvmf_queue_init(&other, h->port, "127.0.0.1");
	assert_int_equal(run(h, &other), 0);
	assert_int_equal(h->admin.ctrlr->hostid[0], 0x42); /* stays what it was */
	nvmf_queue_closed(&other);
}

static void F11_io_connect_needs_an_enabled_controller(void **state)
{
	struct host *h = *state;

	assert_int_equal(set_cc(h, 0), 0);
	assert_int_equal(connect_io_queue(h, &h->io, 1), DNR(NVME_SC_CONNECT_INVALID_PARAM));
	assert_int_equal(set_cc(h, 0x00450001), 0); /* odd entry sizes */
	assert_int_equal(connect_io_queue(h, &h->io, 1), DNR(NVME_SC_CONNECT_INVALID_PARAM));
}

static void F12_hosts_without_a_name_are_let_in_where_all_are(void **state)
{
	struct host *h = *state;

	nvmf_queue_init(&h->admin, h->port, "127.0.0.1");
	new_connect(h, 0, 0xffff, SUBNQN);
	memset(connect_data(h)->hostnqn, 0, NVME_NQN_FIELD);
	h->subsys->allow_any_host = false;
	refused(h, DNR(NVME_SC_CONNECT_INVALID_HOST), 0);
	h->subsys->allow_any_host = true;
	assert_int_equal(run(h, &h->admin), 0);
}

static void F13_hosts_that_are_not_allowed(void **state)
{
	struct host *h = *state;

	h->subsys->allow_any_host = false;
	new_connect(h, 0, 0xffff, SUBNQN);
	refused(h, DNR(NVME_SC_CONNECT_INVALID_HOST), 0);
	assert_int_equal(nvmf_subsys_allow_host(h->subsys, HOSTNQN), DOCA_SUCCESS);
	connect_admin_to(h, SUBNQN);
	assert_int_equal(nvmf_subsys_disallow_host(h->subsys, HOSTNQN), DOCA_SUCCESS);
	assert_int_equal(dropped_count, 1);
	assert_ptr_equal(dropped[0], &h->admin);
	assert_int_equal(nvmf_subsys_disallow_host(h->subsys, HOSTNQN), DOCA_ERROR_NOT_FOUND);
}

static void F13_not_all_hosts_any_more(void **state)
{
	struct host *h = *state;
	uint64_t generation = h->target->genctr;

	nvmf_subsys_allow_any_host(h->subsys, true); /* as it was */
	assert_int_equal(h->target->genctr, generation);
	assert_int_equal(nvmf_subsys_allow_host(h->subsys, HOSTNQN), DOCA_SUCCESS);
	nvmf_subsys_allow_any_host(h->subsys, false);
	assert_int_equal(dropped_count, 0);
	nvmf_subsys_allow_any_host(h->subsys, true);
	assert_int_equal(nvmf_subsys_disallow_host(h->subsys, HOSTNQN), DOCA_SUCCESS);
	assert_int_equal(dropped_count, 0);
	generation = h->target->genctr;
	nvmf_subsys_allow_any_host(h->subsys, false);
	assert_int_equal(dropped_count, 1);
	assert_ptr_equal(dropped[0], &h->admin);
	assert_true(h->target->genctr > generation); /* D7 */
}

static void F15_property_access(void **state)
{
	struct host *h = *state;
	static const struct {
		uint32_t offset;
		uint8_t attrib;
	} bad[] = {{0x08, 1}, {0x14, 1}, {0x02, 0}, {0x24, 1}, {0x40, 0}, {0x00, 2}, {0x1000, 0}},
	  reserved[] = {{0x0c, 0}, {0x20, 0}, {0x28, 1}, {0x3c, 0}};
	size_t i;

	for (i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		assert_int_equal(property(h, NVME_FC_PROPERTY_GET, bad[i].offset, bad[i].attrib, 0),
				 DNR(NVME_SC_CONNECT_INVALID_PARAM));
	for (i = 0; i < sizeof(reserved) / sizeof(reserved[0]); i++)
		assert_int_equal(get_property(h, reserved[i].offset, reserved[i].attrib), 0);
	assert_int_not_equal(property(h, NVME_FC_PROPERTY_SET, NVME_PROP_CSTS, 0, 1), 0);
	assert_int_equal(connect_io_queue(h, &h->io, 1), 0);
	new_cmd(h, NVME_CMD_FABRICS); /* Property Set on an I/O queue */
	assert_int_equal(run(h, &h->io), DNR(NVME_SC_INVALID_OPCODE));
}

static void P1_capabilities(void **state)
{
	struct host *h = *state;
	uint64_t cap = get_property(h, NVME_PROP_CAP, 1);

	assert_int_equal(cap & 0xffff, 127);
	assert_int_equal(cap >> 16 & 1, 1);
	assert_int_not_equal(cap >> 24 & 0xff, 0);
	assert_int_equal(cap >> 32 & 15, 0);
	assert_int_equal(cap >> 37 & 1, 1);
	assert_int_equal(cap >> 48, 0);
	assert_int_equal(get_property(h, 4, 0), cap >> 32);
	assert_int_equal(get_property(h, 0, 0), cap & 0xffffffff);
	assert_int_equal(get_property(h, NVME_PROP_VS, 0), 0x00010400); /* P2 */
}

static void P3_enable_and_reset(void **state)
{
	struct host *h = *state;
	static const uint32_t bad[] = {0x00460081, 0x00460801, 0x00460011, 0x00460071, 0x0046c001};
	size_t i;

	assert_int_equal(get_property(h, NVME_PROP_CSTS, 0), NVME_CSTS_RDY);
	assert_int_equal(connect_io_queue(h, &h->io, 1), 0);
	for (i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		assert_int_equal(set_cc(h, bad[i]), NVME_SC_CONNECT_INVALID_PARAM | NVME_SC_DNR);
	assert_int_equal(get_property(h, NVME_PROP_CC, 0), CC_ENABLE);
	assert_int_equal(set_cc(h, CC_ENABLE & ~1u), 0);
	/* its commands may still be on the disk */
	assert_int_equal(h->verdict, NVMF_HOLD);
	assert_int_equal(get_property(h, NVME_PROP_CSTS, 0), NVME_CSTS_RDY);
	assert_int_equal(dropped_count, 1);
	assert_ptr_equal(dropped[0], &h->io);
	close_dropped();
	assert_int_equal(completed_count, 1);
	assert_int_equal(get_property(h, NVME_PROP_CSTS, 0), 0);
	/* F17: the admin queue is still good */
	assert_int_equal(set_cc(h, CC_ENABLE), 0);
	assert_int_equal(get_property(h, NVME_PROP_CSTS, 0), NVME_CSTS_RDY);
	assert_int_equal(connect_io_queue(h, &h->io, 1), 0);
}

/* There is one command set: all are no more than that. */
static void P3_all_command_sets(void **state)
{
	struct host *h = *state;
	uint32_t cc = CC_ENABLE | NVME_CC_CSS_ALL << 4;

	assert_int_equal(set_cc(h, CC_ENABLE & ~1u), 0);
	assert_int_equal(set_cc(h, cc), 0);
	assert_int_equal(get_property(h, NVME_PROP_CC, 0), cc);
	assert_int_equal(connect_io_queue(h, &h->io, 1), 0);
}

/* Neither does one that does not wait for the reset see the old queue's commands after it. */
static void P3_enabled_again_before_the_reset_is_over(void **state)
{
	struct host *h = *state;
	struct nvmf_queue next;

	assert_int_equal(connect_io_queue(h, &h->io, 1), 0);
	assert_int_equal(set_cc(h, CC_ENABLE & ~1u), 0);
	assert_int_equal(set_cc(h, CC_ENABLE), 0);
	assert_int_equal(get_property(h, NVME_PROP_CSTS, 0), 0);
	assert_int_equal(connect_io_queue(h, &next, 2), DNR(NVME_SC_CONNECT_INVALID_PARAM));
	close_dropped();
	assert_int_equal(get_property(h, NVME_PROP_CSTS, 0), NVME_CSTS_RDY);
	assert_int_equal(connect_io_queue(h, &h->io, 1), 0);
	/* a queue that goes by itself is no reset */
	h->io.closing = true;
	assert_int_equal(get_property(h, NVME_PROP_CSTS, 0), NVME_CSTS_RDY);
}

static void P3_nobody_is_answered_who_has_gone(void **state)
{
	struct host *h = *state;

	assert_int_equal(connect_io_queue(h, &h->io, 1), 0);
	assert_int_equal(set_cc(h, CC_ENABLE & ~1u), 0);
	assert_int_equal(h->verdict, NVMF_HOLD);
	nvmf_queue_closed(&h->admin);
	close_dropped();
	assert_int_equal(completed_count, 0);
	assert_true(list_is_empty(&h->subsys->ctrlrs));
}

static void P8_shutdown(void **state)
{
	struct host *h = *state;

	assert_int_equal(connect_io_queue(h, &h->io, 1), 0);
	assert_int_equal(set_cc(h, CC_ENABLE | 1u << 14), 0);
	assert_int_equal(h->verdict, NVMF_HOLD);
	assert_int_equal(get_property(h, NVME_PROP_CSTS, 0) & 0xc, NVME_CSTS_SHST_BUSY);
	assert_int_equal(dropped_count, 1);
	assert_ptr_equal(dropped[0], &h->io);
	close_dropped();
	assert_int_equal(get_property(h, NVME_PROP_CSTS, 0) & 0xc, NVME_CSTS_SHST_DONE);
	assert_int_equal(connect_io_queue(h, &h->io, 1), DNR(NVME_SC_CONNECT_INVALID_PARAM));
}

/* with and without queues that end first */
static void P8_what_was_written_is_durable_after_a_shutdown(void **state)
{
	struct host *h = *state;
	unsigned int queues;

	keep_flushes = true;
	for (queues = 0; queues < 2; queues++) {
		if (queues)
			assert_int_equal(connect_io_queue(h, &h->io, 1), 0);
		flush_count = completed_count = 0;
		assert_int_equal(set_cc(h, CC_ENABLE | 1u << 14), 0);
		assert_int_equal(h->verdict, NVMF_HOLD);
		assert_int_equal(flush_count, !queues);
		close_dropped();
		assert_int_equal(flush_count, 1);
		assert_int_equal(get_property(h, NVME_PROP_CSTS, 0) & 0xc, NVME_CSTS_SHST_BUSY);
		nvmf_ctrlr_flushed(h->subsys, h->admin.ctrlr->cntlid);
		assert_int_equal(completed_count, 1);
		assert_int_equal(get_property(h, NVME_PROP_CSTS, 0) & 0xc, NVME_CSTS_SHST_DONE);
		nvmf_ctrlr_flushed(h->subsys, h->admin.ctrlr->cntlid); /* nobody has asked */
		assert_int_equal(set_cc(h, 0), 0);
		assert_int_equal(set_cc(h, CC_ENABLE), 0);
	}
}

static void P8_an_abrupt_shutdown_is_one(void **state)
{
	struct host *h = *state;

	keep_flushes = true;
	assert_int_equal(set_cc(h, CC_ENABLE | 2u << 14), 0);
	assert_int_equal(h->verdict, NVMF_RESPOND);
	assert_int_equal(flush_count, 0);
	assert_int_equal(get_property(h, NVME_PROP_CSTS, 0) & 0xc, NVME_CSTS_SHST_DONE);
	nvmf_ctrlr_flushed(h->subsys, 77); /* has gone */
}

static void A13_admin_commands_need_enable(void **state)
{
	struct host *h = *state;

	assert_int_equal(set_cc(h, 0), 0);
	new_cmd(h, NVME_ADMIN_IDENTIFY);
	assert_int_equal(run(h, &h->admin), DNR(NVME_SC_SEQUENCE_ERROR));
}

static void Q10_prps_are_refused(void **state)
{
	struct host *h = *state;

	new_cmd(h, NVME_ADMIN_IDENTIFY);
	h->req.cmd.flags = 0;
	assert_int_equal(run(h, &h->admin), DNR(NVME_SC_INVALID_FIELD));
	new_connect(h, 0, 0xffff, SUBNQN); /* tolerant in fabrics commands */
	h->req.cmd.flags = 0;
	assert_int_equal(run(h, &h->admin), DNR(NVME_SC_SEQUENCE_ERROR));
}

static void Q11_fused_commands_are_refused_where_they_cannot_be(void **state)
{
	struct host *h = *state;

	assert_int_equal(connect_io_queue(h, &h->io, 1), 0);
	new_cmd(h, NVME_CMD_COMPARE);
	h->req.cmd.flags |= NVME_FUSED_FIRST;
	h->req.cmd.nsid = htole32(1);
	assert_int_equal(run(h, &h->io), DNR(NVME_SC_INVALID_FIELD));
}

static void Q12_losing_the_admin_queue_takes_the_others(void **state)
{
	struct host *h = *state;

	assert_int_equal(connect_io_queue(h, &h->io, 1), 0);
	nvmf_queue_closed(&h->admin);
	assert_int_equal(dropped_count, 1);
	assert_ptr_equal(dropped[0], &h->io);
	assert_false(list_is_empty(&h->subsys->ctrlrs));
	close_dropped();
	assert_true(list_is_empty(&h->subsys->ctrlrs));
}

static void Q12_nobody_joins_a_controller_without_its_admin_queue(void **state)
{
	struct host *h = *state;
	uint16_t cntlid = h->admin.ctrlr->cntlid;

	assert_int_equal(connect_io_queue(h, &h->io, 1), 0);
	h->admin.closing = true;
	new_connect(h, 2, cntlid, SUBNQN);
	refused(h, DNR(NVME_SC_CONNECT_INVALID_PARAM), IN_DATA | 16);
	nvmf_queue_closed(&h->admin);
	new_connect(h, 2, cntlid, SUBNQN);
	refused(h, DNR(NVME_SC_CONNECT_INVALID_PARAM), IN_DATA | 16);
	close_dropped(); /* nothing keeps the controller */
	assert_true(list_is_empty(&h->subsys->ctrlrs));
}

static void Q9_a_closing_queue_is_not_a_duplicate(void **state)
{
	struct host *h = *state;
	struct nvmf_queue again;

	assert_int_equal(connect_io_queue(h, &h->io, 1), 0);
	assert_int_equal(connect_io_queue(h, &again, 1), DNR(NVME_SC_QUEUE_ID_INVALID));
	h->io.closing = true; /* its commands may be on the disk */
	connect_io_queue(h, &again, 1);
	assert_int_equal(h->verdict, NVMF_HOLD);
	nvmf_queue_closed(&h->io);
	assert_int_equal(completed_count, 1);
	assert_ptr_equal(completed[0], &h->req);
	assert_int_equal(h->req.status, 0);
	assert_int_equal(again.qid, 1);
	nvmf_queue_closed(&again);
}

/* whoever goes first: the new connection, the controller, or a second one that waits, too */
static void Q9_waiting_connects_end_with_others(void **state)
{
	struct host *h = *state;
	struct nvmf_queue again, third;
	struct nvmf_req first;

	assert_int_equal(connect_io_queue(h, &h->io, 1), 0);
	h->io.closing = true;
	connect_io_queue(h, &again, 1);
	first = h->req;
	list_remove(&h->req.node); /* it has moved */
	list_add_tail(&h->admin.ctrlr->connecting, &first.node);
	again.connecting = &first;
	connect_io_queue(h, &third, 1);
	assert_int_equal(h->verdict, NVMF_HOLD);
	nvmf_queue_closed(&again);
	assert_int_equal(completed_count, 0);
	nvmf_ctrlr_disconnect(h->admin.ctrlr, "test");
	nvmf_queue_closed(&h->admin);
	nvmf_queue_closed(&h->io);
	assert_int_equal(completed_count, 1);
	assert_int_equal(h->req.status, DNR(NVME_SC_CONNECT_INVALID_PARAM));
	assert_true(list_is_empty(&h->subsys->ctrlrs));
}

static void Q13_losing_an_io_queue_takes_no_other(void **state)
{
	struct host *h = *state;

	assert_int_equal(connect_io_queue(h, &h->io, 1), 0);
	nvmf_queue_closed(&h->io);
	assert_int_equal(dropped_count, 0);
	assert_int_equal(connect_io_queue(h, &h->io, 1), 0);
}

static void H1_ana_states_give_path_errors(void **state)
{
	static const struct {
		enum nvmf_ana_state ana;
		uint16_t status;
	} rows[] = {{NVMF_ANA_INACCESSIBLE, NVME_SC_ANA_INACCESSIBLE},
		    {NVMF_ANA_PERSISTENT_LOSS, NVME_SC_ANA_PERSISTENT_LOSS},
		    {NVMF_ANA_CHANGE, NVME_SC_ANA_TRANSITION}};
	struct host *h = *state;
	size_t i;

	h->subsys->ana = true;
	assert_int_equal(connect_io_queue(h, &h->io, 1), 0);
	for (i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		assert_int_equal(nvmf_port_set_ana(h->target, h->port, 1, rows[i].ana),
				 DOCA_SUCCESS);
		new_cmd(h, NVME_CMD_FLUSH);
		h->req.cmd.nsid = htole32(1);
		assert_int_equal(run(h, &h->io), rows[i].status);
	}
	assert_int_equal(nvmf_port_set_ana(h->target, h->port, 0, NVMF_ANA_OPTIMIZED),
			 DOCA_ERROR_INVALID_VALUE);
	assert_int_equal(nvmf_port_set_ana(h->target, h->port, 1, 7), DOCA_ERROR_INVALID_VALUE);
}

static void H1_the_queues_of_a_controller_share_a_port(void **state)
{
	struct host *h = *state;
	struct nvmf_port *other;
	unsigned int ana;

	assert_int_equal(
		nvmf_port_add(h->target,
			      &(struct nvmf_port_attr){2, NVMF_TCP, NVMF_IPV4, "127.0.0.2", "4420"},
			      &other),
		DOCA_SUCCESS);
	for (ana = 0; ana < 2; ana++) {
		h->subsys->ana = ana;
		nvmf_queue_init(&h->io, other, "127.0.0.2");
		new_connect(h, (uint16_t)(1 + ana), h->admin.ctrlr->cntlid, SUBNQN);
		assert_int_equal(run(h, &h->io), ana ? DNR(NVME_SC_CONNECT_INVALID_PARAM) : 0);
		if (!ana)
			nvmf_queue_closed(&h->io);
	}
	assert_int_equal(h->req.dw0, 0x10010); /* the controller's id, in the data */
}

static void Q8_a_violation_costs_the_controller(void **state)
{
	struct host *h = *state;

	assert_int_equal(connect_io_queue(h, &h->io, 1), 0);
	nvmf_queue_violated(&h->io, "test");
	assert_int_equal(h->admin.ctrlr->csts & NVME_CSTS_CFS, NVME_CSTS_CFS);
	assert_int_equal(dropped_count, 2);
	close_dropped();
	nvmf_queue_violated(&h->io, "test"); /* there is none any more */
	assert_true(list_is_empty(&h->subsys->ctrlrs));
}

/* The medium has told the first of them, and only that one. */
static void N3_every_host_learns_of_a_loss(void **state)
{
	struct host *h = *state, other = {.target = h->target, .port = h->port}, late = other;

	connect_admin_to(&other, SUBNQN);
	assert_int_equal(connect_io_queue(h, &h->io, 1), 0);
	assert_int_equal(connect_io_queue(&other, &other.io, 1), 0);
	assert_int_equal(nvmf_queue_flushed(&h->io, h->ns, 0), 0);
	assert_int_equal(nvmf_queue_flushed(&h->io, h->ns, NVME_SC_WRITE_FAULT),
			 NVME_SC_WRITE_FAULT);
	connect_admin_to(&late, SUBNQN);
	assert_int_equal(connect_io_queue(&late, &late.io, 1), 0);
	assert_int_equal(nvmf_queue_flushed(&h->io, h->ns, 0), 0);
	assert_int_equal(nvmf_queue_flushed(&other.io, h->ns, 0), NVME_SC_WRITE_FAULT);
	assert_int_equal(nvmf_queue_flushed(&other.io, h->ns, 0), 0);
	assert_int_equal(nvmf_queue_flushed(&late.io, h->ns, 0), 0);
	nvmf_ns_has_lost(h->ns); /* as somebody's shutdown has found */
	assert_int_equal(nvmf_queue_flushed(&late.io, h->ns, 0), NVME_SC_WRITE_FAULT);
	nvmf_queue_closed(&other.io);
	nvmf_queue_closed(&other.admin);
	nvmf_queue_closed(&late.io);
	nvmf_queue_closed(&late.admin);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		HOST_TEST(F2_nothing_before_connect),
		CONNECTED_TEST(F3_second_connect),
		HOST_TEST(F6_connect_returns_controller_id),
		HOST_TEST(F7_F8_bad_connect_parameters),
		CONNECTED_TEST(F11_io_connect),
		CONNECTED_TEST(F11_io_connect_needs_an_enabled_controller),
		HOST_TEST(F12_hosts_without_a_name_are_let_in_where_all_are),
		HOST_TEST(F13_hosts_that_are_not_allowed),
		CONNECTED_TEST(F13_not_all_hosts_any_more),
		CONNECTED_TEST(F15_property_access),
		CONNECTED_TEST(P1_capabilities),
		CONNECTED_TEST(P3_enable_and_reset),
		CONNECTED_TEST(P3_all_command_sets),
		CONNECTED_TEST(P3_enabled_again_before_the_reset_is_over),
		CONNECTED_TEST(P3_nobody_is_answered_who_has_gone),
		CONNECTED_TEST(P8_shutdown),
		CONNECTED_TEST(P8_what_was_written_is_durable_after_a_shutdown),
		CONNECTED_TEST(P8_an_abrupt_shutdown_is_one),
		CONNECTED_TEST(A13_admin_commands_need_enable),
		CONNECTED_TEST(Q10_prps_are_refused),
		CONNECTED_TEST(Q11_fused_commands_are_refused_where_they_cannot_be),
		CONNECTED_TEST(Q12_losing_the_admin_queue_takes_the_others),
		CONNECTED_TEST(Q12_nobody_joins_a_controller_without_its_admin_queue),
		CONNECTED_TEST(H1_the_queues_of_a_controller_share_a_port),
		CONNECTED_TEST(Q8_a_violation_costs_the_controller),
		CONNECTED_TEST(Q9_a_closing_queue_is_not_a_duplicate),
		CONNECTED_TEST(Q9_waiting_connects_end_with_others),
		CONNECTED_TEST(Q13_losing_an_io_queue_takes_no_other),
		CONNECTED_TEST(H1_ana_states_give_path_errors),
		CONNECTED_TEST(N3_every_host_learns_of_a_loss),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
