/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What NVMe/TCP makes of the bytes of hosts, whole, torn and wrong.
 */
#include <errno.h>
#include "sta/cmd_app.h"
#include "tcp_host.h"

/* the engine says why and ends the connection */
static void expect_termination(struct rig *rig, enum pdu_fes fes, uint32_t fei)
{
	struct pdu_term term;
	uint8_t quote[PDU_TERM_DATA_MAX];
	uint32_t told;

	host_receive(&term, sizeof(term));
	assert_int_equal(term.hdr.type, PDU_C2H_TERM);
	assert_int_equal(le16toh(term.fes), fes);
	memcpy(&told, term.fei, sizeof(told));
	assert_int_equal(le32toh(told), fei);
	host_receive(quote, le32toh(term.hdr.plen) - sizeof(term));
	host_expect_end();
	RIG_UNTIL(rig, rig->failures == 1);
}

#define AT(type, member) offsetof(struct type, member)

struct lie {
	const char *what;
	size_t at; /* byte of the PDU that is changed */
	uint8_t value;
	enum pdu_fes fes;
	uint32_t fei;
};

static void check_lie(const struct lie *lie, bool connected, const void *pdu, size_t size)
{
	uint8_t bytes[256];
	void *state;

	(connected ? host_setup_connected : host_setup)(&state);
	memcpy(bytes, pdu, size);
	bytes[lie->at] = lie->value;
	host_send_torn(bytes, size, 5);
	expect_termination(state, lie->fes, lie->fei);
	host_teardown(&state);
}

static void first_pdus_that_are_wrong(void **state)
{
	static const struct lie lies[] = {
		{"not ICReq", 0, PDU_CAPSULE_CMD, PDU_FES_SEQUENCE, 0},
		{"no such type", 0, 0x0a, PDU_FES_HEADER_FIELD, 0},
		{"of targets only", 0, PDU_ICRESP, PDU_FES_HEADER_FIELD, 0},
		{"HLEN", AT(pdu_common, hlen), 127, PDU_FES_HEADER_FIELD, AT(pdu_common, hlen)},
		{"PLEN", AT(pdu_common, plen), 129, PDU_FES_HEADER_FIELD, AT(pdu_common, plen)},
		{"PFV", AT(pdu_ic, pfv), 1, PDU_FES_PARAMETER, AT(pdu_ic, pfv)},
		{"HPDA", AT(pdu_ic, pda), 32, PDU_FES_HEADER_FIELD, AT(pdu_ic, pda)},
	};
	const struct pdu_ic icreq = make_icreq(0);

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(lies); i++)
		check_lie(&lies[i], false, &icreq, sizeof(icreq));
}

static void commands_that_are_wrong(void **state)
{
	static const struct lie lies[] = {
		{"a second ICReq", 0, PDU_ICREQ, PDU_FES_SEQUENCE, 0},
		{"HLEN", AT(pdu_common, hlen), 71, PDU_FES_HEADER_FIELD, AT(pdu_common, hlen)},
		{"digest that was not agreed", AT(pdu_common, flags), PDU_FLAG_HEADER_DIGEST,
		 PDU_FES_HEADER_FIELD, AT(pdu_common, flags)},
		{"PLEN below the header", AT(pdu_common, plen), 71, PDU_FES_HEADER_FIELD,
		 AT(pdu_common, plen)},
		{"PDO without data", AT(pdu_common, pdo), 73, PDU_FES_HEADER_FIELD,
		 AT(pdu_common, pdo)},
		{"data without PDO", AT(pdu_common, plen), 80, PDU_FES_HEADER_FIELD,
		 AT(pdu_common, pdo)},
	};
	const struct nvme_cmd cmd = make_rw(NVME_CMD_READ, 1, 512);
	const struct pdu_cmd pdu = make_cmd(&cmd, 512, false);

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(lies); i++)
		check_lie(&lies[i], true, &pdu, sizeof(pdu));
}

static void more_data_than_a_capsule_holds(void **state)
{
	const struct nvme_cmd cmd = make_rw(NVME_CMD_WRITE, 1, STA_IN_CAPSULE + RIG_BLOCK);
	const struct pdu_cmd pdu = make_cmd(&cmd, STA_IN_CAPSULE + RIG_BLOCK, true);

	host_send(&pdu, sizeof(pdu));
	expect_termination(*state, PDU_FES_HEADER_FIELD, AT(pdu_common, plen));
}

/* Q8: nobody may have more under way than there are slots */
static void more_commands_than_slots(void **state)
{
	const struct nvme_cmd cmd = {.opcode = 0xc0}; /* the program keeps it */
	const struct pdu_cmd pdu = make_cmd(&cmd, 0, false);
	struct rig *rig = *state;

	atomic_store(&rig->qp->sq_entries, 0); /* not limited by what Connect said */
	for (unsigned int i = 0; i < RIG_QUEUE + 1; i++)
		host_send(&pdu, sizeof(pdu));
	expect_termination(rig, PDU_FES_SEQUENCE, 0);
	sta_engine_settle(rig->engine);
	mbox_deliver(&rig->inbox);
	assert_int_equal(rig->commands, 1 + RIG_QUEUE); /* Connect, too */
}

/* the same stream in pieces of every size gives the same commands */
static void pieces_do_not_matter(void **state)
{
	static const size_t pieces[] = {1, 2, 7, 71, 73, 4096};
	struct rig *rig = *state;
	uint8_t stream[2 * (sizeof(struct pdu_cmd) + 2 * RIG_BLOCK)];
	const struct nvme_cmd cmd = make_rw(NVME_CMD_WRITE, 7, 2 * RIG_BLOCK);
	const struct pdu_cmd pdu = make_cmd(&cmd, 2 * RIG_BLOCK, true);
	const size_t half = sizeof(stream) / 2;

	for (size_t i = 0; i < sizeof(stream); i++)
		stream[i] = (uint8_t)(i * 31);
	memcpy(stream, &pdu, sizeof(pdu));
	memcpy(stream + half, &pdu, sizeof(pdu));
	for (size_t i = 0; i < ARRAY_SIZE(pieces); i++) {
		host_send_torn(stream, sizeof(stream), pieces[i]);
		for (unsigned int k = 0; k < 2; k++) {
			struct nvme_cmd entry = rig_disk_take(rig, &rig->disk);

			assert_memory_equal(rig_disk_data(&entry), stream + k * half + sizeof(pdu),
					    2 * RIG_BLOCK);
			rig_disk_complete(&rig->disk, entry.cid, NVME_SC_SUCCESS);
			assert_int_equal(le16toh(host_receive_response().cqe.cid), 7);
		}
	}
}

/* which we do not ask for */
static void data_may_follow_padding(void **state)
{
	static const uint8_t padding[56] = {0xee, 0xee};
	struct rig *rig = *state;
	const struct nvme_cmd cmd = make_rw(NVME_CMD_WRITE, 9, RIG_BLOCK);
	struct pdu_cmd pdu = make_cmd(&cmd, RIG_BLOCK, true);
	uint8_t data[RIG_BLOCK];
	struct nvme_cmd entry;

	memset(data, 'p', sizeof(data));
	pdu.hdr.pdo = sizeof(pdu) + sizeof(padding);
	pdu.hdr.plen = htole32((uint32_t)(pdu.hdr.pdo + sizeof(data)));
	host_send(&pdu, sizeof(pdu));
	host_send_torn(padding, sizeof(padding), 30);
	host_send(data, sizeof(data));
	entry = rig_disk_take(rig, &rig->disk);
	assert_memory_equal(rig_disk_data(&entry), data, sizeof(data));
	rig_disk_complete(&rig->disk, entry.cid, NVME_SC_SUCCESS);
	assert_int_equal(host_receive_status(), 0);
}

static void data_comes_as_asked_for(void **state)
{
	static uint8_t data[NVME_PAGE_SIZE];
	struct rig *rig = *state;
	struct pdu_data r2t, h2c;
	struct nvme_cmd entry;

	for (size_t i = 0; i < sizeof(data); i++)
		data[i] = (uint8_t)(i / 16);
	host_send_rw(NVME_CMD_WRITE, 3, sizeof(data));
	r2t = host_receive_r2t(sizeof(data));
	assert_int_equal(le16toh(r2t.cccid), 3);
	for (uint32_t at = 0; at < sizeof(data); at += 1024) { /* several PDUs for one R2T */
		assert_int_equal(rig_disk_new(&rig->disk), 0);
		h2c = make_h2c(&r2t, at, 1024, at + 1024 == sizeof(data));
		host_send(&h2c, sizeof(h2c));
		host_send_torn(data + at, 1024, 100);
	}
	entry = rig_disk_take(rig, &rig->disk);
	assert_memory_equal(rig_disk_data(&entry), data, sizeof(data));
	rig_disk_complete(&rig->disk, entry.cid, NVME_SC_SUCCESS);
	assert_int_equal(host_receive_status(), 0);
}

struct h2c_lie {
	const char *what;
	int tag, cid; /* added to the right ones */
	uint32_t offset, size;
	bool last;
	enum pdu_fes fes;
	uint32_t fei;
};

/* The host has taken its time with the data, and the namespace is not to be written to any more. */
static void what_has_changed_meanwhile_counts(void **state)
{
	static const uint8_t data[1024];
	struct rig *rig = *state;
	struct pdu_data r2t, h2c;

	host_send_rw(NVME_CMD_WRITE, 3, sizeof(data));
	r2t = host_receive_r2t(sizeof(data));
	atomic_store(&rig->ns->refusal, NVME_SC_ANA_INACCESSIBLE);
	h2c = make_h2c(&r2t, 0, sizeof(data), true);
	host_send(&h2c, sizeof(h2c));
	host_send(data, sizeof(data));
	assert_int_equal(host_receive_status(), NVME_SC_ANA_INACCESSIBLE);
	assert_int_equal(rig_disk_new(&rig->disk), 0);
}

static void note_success(struct sta_op *op)
{
	assert_ok(op->result);
	*(bool *)op->arg = true;
}

/* while it sends nothing the command has a place in the program, which others may want */
static void hosts_owe_what_the_program_asks_for(void **state)
{
	static const uint8_t data[1024];
	const struct nvme_cmd cmd = {.opcode = 0xc1};
	const struct pdu_cmd pdu = make_cmd(&cmd, sizeof(data), false);
	struct rig *rig = *state;
	const unsigned int commands = rig->commands;
	struct pdu_data r2t, h2c;
	bool is_there = false;
	struct sta_op op = {.reply = &rig->inbox, .done = note_success, .arg = &is_there};

	host_send(&pdu, sizeof(pdu));
	RIG_UNTIL(rig, rig->commands > commands);
	op.cmd = rig->kept;
	op.generation = cmd_generation(rig->kept);
	op.qp = rig->qp;
	cmd_app_fetch(&op);
	r2t = host_receive_r2t(sizeof(data));
	sta_engine_settle(rig->engine);
	assert_int_equal(rig->qp->owing, 1);
	h2c = make_h2c(&r2t, 0, sizeof(data), true);
	host_send(&h2c, sizeof(h2c));
	host_send(data, sizeof(data));
	RIG_UNTIL(rig, is_there);
	assert_int_equal(rig->qp->owing, 0);
}

static void data_that_nobody_has_asked_for(void **state)
{
	static const struct h2c_lie lies[] = {
		{"another tag", 1, 0, 0, 1024, true, PDU_FES_HEADER_FIELD, AT(pdu_data, ttag)},
		{"no such tag", RIG_QUEUE, 0, 0, 1024, true, PDU_FES_HEADER_FIELD,
		 AT(pdu_data, ttag)},
		{"another command", 0, 1, 0, 1024, true, PDU_FES_HEADER_FIELD, AT(pdu_data, cccid)},
		{"not the beginning", 0, 0, 512, 512, true, PDU_FES_SEQUENCE, 0},
		{"too much", 0, 0, 0, 1536, true, PDU_FES_DATA_RANGE, 0},
		{"last too early", 0, 0, 0, 512, true, PDU_FES_DATA_RANGE, 0},
		{"beyond MAXH2CDATA", 0, 0, 0, RIG_MAX_IO + 4, false, PDU_FES_DATA_LIMIT, 0},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(lies); i++) {
		const struct h2c_lie *lie = &lies[i];
		struct pdu_data r2t, h2c;
		void *inner;

		host_setup_connected(&inner);
		host_send_rw(NVME_CMD_WRITE, 3, 1024);
		r2t = host_receive_r2t(1024);
		r2t.ttag = htole16((uint16_t)(le16toh(r2t.ttag) + lie->tag));
		r2t.cccid = htole16((uint16_t)(le16toh(r2t.cccid) + lie->cid));
		h2c = make_h2c(&r2t, lie->offset, lie->size, lie->last);
		host_send(&h2c, sizeof(h2c));
		expect_termination(inner, lie->fes, lie->fei);
		assert_int_equal(rig_disk_new(&((struct rig *)inner)->disk), 0);
		host_teardown(&inner);
	}
}

/* T9: the command fails, the connection stays */
static void data_digests_that_do_not_match(void **state)
{
	static const uint8_t data[RIG_BLOCK] = {1, 2, 3};
	const struct nvme_cmd cmd = make_rw(NVME_CMD_WRITE, 5, sizeof(data));
	struct rig *rig = *state;
	struct pdu_cmd pdu = make_cmd(&cmd, sizeof(data), true);
	struct nvme_cmd entry;
	le32_t digest = htole32(priv_crc32c(data, sizeof(data)));

	host_initialize(PDU_IC_DATA_DIGEST);
	host_connect(rig, 0, true);
	host_add_data_digest(&pdu);
	for (unsigned int right = 0; right < 2; right++) {
		const le32_t sent = right ? digest : digest ^ htole32(1u << 9);

		host_send(&pdu, sizeof(pdu));
		host_send_torn(data, sizeof(data), 300);
		host_send_torn(&sent, sizeof(sent), 3);
		if (right) {
			entry = rig_disk_take(rig, &rig->disk);
			rig_disk_complete(&rig->disk, entry.cid, NVME_SC_SUCCESS);
		}
		assert_int_equal(host_receive_status(),
				 right ? NVME_SC_SUCCESS : NVME_SC_TRANSIENT_TRANSPORT);
	}
	assert_int_equal(rig_disk_new(&rig->disk), 0);
	assert_int_equal(rig->failures, 0);
}

static void header_digests_that_do_not_match(void **state)
{
	const struct nvme_cmd cmd = make_rw(NVME_CMD_READ, 5, 512);
	struct pdu_cmd pdu = make_cmd(&cmd, 512, false);
	le32_t digest;

	host_initialize(PDU_IC_HEADER_DIGEST);
	pdu.hdr.flags = PDU_FLAG_HEADER_DIGEST;
	pdu.hdr.plen = htole32(sizeof(pdu) + sizeof(digest));
	digest = htole32(priv_crc32c(&pdu, sizeof(pdu)) + 1);
	host_send(&pdu, sizeof(pdu));
	host_send(&digest, sizeof(digest));
	expect_termination(*state, PDU_FES_HEADER_DIGEST, le32toh(digest));
}

/* nothing answers a termination */
static void hosts_may_terminate(void **state)
{
	const struct pdu_term term = {.hdr = pdu_header(PDU_H2C_TERM, sizeof(term), 0),
				      .fes = htole16(PDU_FES_DATA_RANGE)};
	struct rig *rig = *state;

	host_send(&term, sizeof(term));
	host_expect_end();
	RIG_UNTIL(rig, rig->failures == 1);
	assert_int_equal(rig->qp->error.operation, SOFTFIELD_STA_PROTOCOL);
	assert_int_equal(rig->qp->error.syndrome, PDU_FES_DATA_RANGE);
}

/* a host that goes away in the middle of its command's data leaves nothing behind */
static void hosts_may_leave_in_the_middle(void **state)
{
	const struct nvme_cmd cmd = make_rw(NVME_CMD_WRITE, 1, 4096);
	const struct pdu_cmd pdu = make_cmd(&cmd, 4096, true);
	struct rig *rig = *state;

	host_send(&pdu, sizeof(pdu));
	host_send(&pdu, sizeof(pdu)); /* as data */
	host_send_rw(NVME_CMD_WRITE, 2, 1024);
	assert_int_equal(shutdown(host_fd, SHUT_WR), 0);
	RIG_UNTIL(rig, rig->failures == 1);
	assert_int_equal(rig->qp->error.operation, SOFTFIELD_STA_RECEIVE);
	assert_int_equal(rig->qp->error.syndrome, ECONNRESET);
	assert_int_equal(rig_disk_new(&rig->disk), 0); /* the teardown counts the buffers */
}

#define FRESH(test)	cmocka_unit_test_setup_teardown(test, host_setup, host_teardown)
#define CONNECTED(test) cmocka_unit_test_setup_teardown(test, host_setup_connected, host_teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(first_pdus_that_are_wrong),
		cmocka_unit_test(commands_that_are_wrong),
		CONNECTED(more_data_than_a_capsule_holds),
		CONNECTED(more_commands_than_slots),
		CONNECTED(pieces_do_not_matter),
		CONNECTED(data_may_follow_padding),
		CONNECTED(data_comes_as_asked_for),
		CONNECTED(what_has_changed_meanwhile_counts),
		CONNECTED(hosts_owe_what_the_program_asks_for),
		cmocka_unit_test(data_that_nobody_has_asked_for),
		FRESH(data_digests_that_do_not_match),
		FRESH(header_digests_that_do_not_match),
		CONNECTED(hosts_may_terminate),
		CONNECTED(hosts_may_leave_in_the_middle),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
