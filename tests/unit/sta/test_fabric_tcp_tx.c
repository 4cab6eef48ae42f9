/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What NVMe/TCP sends: order, digests, hosts that do not read.
 */
#include <errno.h>
#include "tcp_host.h"

#define DATA_SIZE NVME_PAGE_SIZE

static void fill(uint8_t *data, uint16_t cid)
{
	for (uint32_t i = 0; i < DATA_SIZE; i++)
		data[i] = (uint8_t)(i * 7 + cid);
}

/* the disk answers the oldest read with what belongs to the command of that number */
static void serve_read(struct rig *rig, uint16_t cid)
{
	struct nvme_cmd entry = rig_disk_take(rig, &rig->disk);

	fill(rig_disk_data(&entry), cid);
	rig_disk_complete(&rig->disk, entry.cid, NVME_SC_SUCCESS);
}

/* header of C2HData, with its digest if one was agreed; the data follows */
static struct pdu_data receive_data_header(uint16_t cid)
{
	struct pdu_data pdu;

	host_receive(&pdu, sizeof(pdu));
	assert_int_equal(pdu.hdr.type, PDU_C2H_DATA);
	assert_int_equal(le16toh(pdu.cccid), cid);
	assert_int_equal(le32toh(pdu.offset), 0);
	assert_int_equal(le32toh(pdu.length), DATA_SIZE);
	assert_true(pdu.hdr.flags & PDU_FLAG_LAST);
	return pdu;
}

static void receive_data(uint16_t cid)
{
	static uint8_t data[DATA_SIZE], expected[DATA_SIZE];

	fill(expected, cid);
	host_receive(data, sizeof(data));
	assert_memory_equal(data, expected, sizeof(data));
}

static void receive_read(uint16_t cid)
{
	struct pdu_resp response;

	assert_false(receive_data_header(cid).hdr.flags & PDU_FLAG_SUCCESS);
	receive_data(cid);
	response = host_receive_response();
	assert_int_equal(le16toh(response.cqe.cid), cid);
	assert_int_equal(nvme_cqe_status(&response.cqe), 0);
}

/* more pieces than one system call takes, more bytes than the socket takes */
static void answers_keep_their_order(void **state)
{
	struct rig *rig = *state;
	const int small = 1;
	uint16_t sent = 0, served = 0, received = 0;

	assert_int_equal(setsockopt(container_of(rig->qp, struct tcp_conn, qp)->fd, SOL_SOCKET,
				    SO_SNDBUF, &small, sizeof(small)),
			 0);
	for (; sent < RIG_QUEUE - 1; sent++)
		host_send_rw(NVME_CMD_READ, sent, DATA_SIZE);
	/* nothing is read yet: as many as there are buffers get to the disk */
	for (; served < RIG_BUFFERS / 2; served++)
		serve_read(rig, served);
	sta_engine_settle(rig->engine);
	while (received < sent) {
		receive_read(received++);
		if (served < sent)
			serve_read(rig, served++);
	}
}

/* the whole queue at once, to a socket that takes it */
static void many_answers_at_once(void **state)
{
	struct rig *rig = *state;
	struct nvme_cmd flush = {.opcode = 0xc0};
	struct sta_cmd *kept[RIG_QUEUE - 1];
	struct sta_op ops[RIG_QUEUE - 1];
	const unsigned int before = rig->commands;
	uint16_t i;

	for (i = 0; i < ARRAY_SIZE(kept); i++) {
		struct pdu_cmd pdu;

		flush.cid = htole16(i);
		pdu = make_cmd(&flush, 0, false);
		host_send(&pdu, sizeof(pdu));
		RIG_UNTIL(rig, rig->commands == before + i + 1);
		kept[i] = rig->kept;
	}
	for (i = 0; i < ARRAY_SIZE(kept); i++)
		rig_answer(rig, &ops[i], kept[i]);
	for (i = 0; i < ARRAY_SIZE(kept); i++)
		assert_int_equal(le16toh(host_receive_response().cqe.cid), i);
	sta_engine_settle(rig->engine);
	mbox_deliver(&rig->inbox);
}

static void has_answer_to_read(struct sta_eu *eu, void *arg)
{
	struct sta_qp *qp = arg;

	(void)eu;
	qp->unread++;
}

/* A host that owes the reading of an answer does something about it, and else nothing. */
static void reading_counts_while_there_is_an_answer_to_read(void **state)
{
	struct rig *rig = *state;

	for (uint16_t cid = 0; cid < 2; cid++) {
		host_send_rw(NVME_CMD_READ, cid, DATA_SIZE);
		serve_read(rig, cid);
		receive_read(cid);
		sta_engine_settle(rig->engine);
		assert_int_equal(rig->qp->owing_bytes > 0, cid);
		sta_eu_call(rig->qp->eu, has_answer_to_read, rig->qp);
	}
}

static void a_read_without_queue_flow_needs_no_response(void **state)
{
	struct rig *rig = *state;

	host_initialize(0);
	host_connect(rig, NVMF_CATTR_NO_SQFLOW, false);
	for (uint16_t cid = 0; cid < 3; cid++) {
		host_send_rw(NVME_CMD_READ, cid, DATA_SIZE);
		serve_read(rig, cid);
		assert_true(receive_data_header(cid).hdr.flags & PDU_FLAG_SUCCESS);
		receive_data(cid); /* the next one's header follows */
	}
}

/* a status other than success has no data and a response of its own */
static void failed_reads_have_no_data(void **state)
{
	struct rig *rig = *state;
	struct nvme_cmd entry;

	host_initialize(0);
	host_connect(rig, NVMF_CATTR_NO_SQFLOW, false);
	host_send_rw(NVME_CMD_READ, 9, DATA_SIZE);
	entry = rig_disk_take(rig, &rig->disk);
	rig_disk_complete(&rig->disk, entry.cid, NVME_SC_READ_ERROR);
	assert_int_equal(host_receive_status(), NVME_SC_READ_ERROR);
}

static void check_digest(uint32_t digest)
{
	le32_t received;

	host_receive(&received, sizeof(received));
	assert_int_equal(le32toh(received), digest);
}

static void digests_are_right(void **state)
{
	static uint8_t data[DATA_SIZE];
	struct rig *rig = *state;
	struct pdu_data header;
	struct pdu_resp response;

	host_initialize(PDU_IC_DATA_DIGEST);
	host_connect(rig, 0, true);
	host_send_rw(NVME_CMD_READ, 4, DATA_SIZE);
	serve_read(rig, 4);
	header = receive_data_header(4);
	assert_true(header.hdr.flags & PDU_FLAG_DATA_DIGEST);
	assert_int_equal(le32toh(header.hdr.plen), sizeof(header) + DATA_SIZE + PDU_DIGEST_SIZE);
	host_receive(data, sizeof(data));
	check_digest(priv_crc32c(data, sizeof(data)));
	response = host_receive_response(); /* no data, no digest */
	assert_int_equal(le32toh(response.hdr.plen), sizeof(response));
}

static void a_host_that_has_gone_fails_the_queue_pair(void **state)
{
	struct rig *rig = *state;

	host_send_rw(NVME_CMD_READ, 1, DATA_SIZE);
	RIG_UNTIL(rig, rig_disk_new(&rig->disk));
	close(host_fd);
	host_fd = -1;
	RIG_UNTIL(rig, rig->failures == 1);
	serve_read(rig, 1); /* nobody's any more */
	sta_engine_settle(rig->engine);
	assert_int_equal(rig->failures, 1);
}

/* It may go on sending: what tells of it is that nothing can be sent to it. */
static void a_host_that_has_closed_its_ears_fails_the_queue_pair(void **state)
{
	struct rig *rig = *state;

	assert_int_equal(shutdown(host_fd, SHUT_RD), 0);
	host_send_rw(NVME_CMD_READ, 1, DATA_SIZE);
	serve_read(rig, 1);
	RIG_UNTIL(rig, rig->failures == 1);
	assert_int_equal(rig->qp->error.operation, SOFTFIELD_STA_SEND);
	assert_int_equal(rig->qp->error.syndrome, EPIPE);
}

#define FRESH(test)	cmocka_unit_test_setup_teardown(test, host_setup, host_teardown)
#define CONNECTED(test) cmocka_unit_test_setup_teardown(test, host_setup_connected, host_teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		CONNECTED(answers_keep_their_order),
		CONNECTED(many_answers_at_once),
		CONNECTED(reading_counts_while_there_is_an_answer_to_read),
		FRESH(a_read_without_queue_flow_needs_no_response),
		FRESH(failed_reads_have_no_data),
		FRESH(digests_are_right),
		CONNECTED(a_host_that_has_gone_fails_the_queue_pair),
		CONNECTED(a_host_that_has_closed_its_ears_fails_the_queue_pair),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
