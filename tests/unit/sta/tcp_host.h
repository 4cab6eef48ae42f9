/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A host at the other end of a socket pair: it writes the bytes that the test wants and reads what
 * comes. The engine has a thread of its own, so reading may wait.
 */
#ifndef SOFTFIELD_TESTS_STA_TCP_HOST_H
#define SOFTFIELD_TESTS_STA_TCP_HOST_H

#include <sys/socket.h>
#include <unistd.h>
#include "base/crc32c.h"
#include "rig.h"
#include "sta/fabric_tcp.h"

#define NLB(bytes) htole32((bytes) / RIG_BLOCK - 1)

/* the host's end; the queue pair is the rig's */
static int host_fd;

static inline void host_open(struct rig *rig)
{
	int fds[2];

	assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, fds), 0);
	assert_ok(sta_qp_create(rig->engine, &fabric_tcp_ops, &rig_up, &rig->inbox, &rig->qp));
	rig->qp->user = rig;
	assert_ok(fabric_tcp_set_socket(rig->qp, fds[1]));
	sta_qp_start(rig->qp);
	host_fd = fds[0];
}

static inline void host_send(const void *data, size_t size)
{
	assert_int_equal(send(host_fd, data, size, MSG_NOSIGNAL), size);
}

/* in pieces of so many bytes */
static inline void host_send_torn(const void *data, size_t size, size_t piece)
{
	const uint8_t *p = data;

	for (size_t at = 0; at < size; at += piece)
		host_send(p + at, size - at < piece ? size - at : piece);
}

static inline void host_receive(void *data, size_t size)
{
	assert_int_equal(recv(host_fd, data, size, MSG_WAITALL), size);
}

/* the engine has closed its direction */
static inline void host_expect_end(void)
{
	uint8_t byte;

	assert_int_equal(recv(host_fd, &byte, 1, 0), 0);
}

static inline struct pdu_common pdu_header(enum pdu_type type, size_t hlen, size_t data)
{
	return (struct pdu_common){.type = (uint8_t)type,
				   .hlen = (uint8_t)hlen,
				   .pdo = data ? (uint8_t)hlen : 0,
				   .plen = htole32((uint32_t)(hlen + data))};
}

static inline struct pdu_ic make_icreq(uint8_t digests)
{
	return (struct pdu_ic){.hdr = pdu_header(PDU_ICREQ, sizeof(struct pdu_ic), 0),
			       .dgst = digests};
}

static inline void host_initialize(uint8_t digests)
{
	struct pdu_ic ic = make_icreq(digests);

	host_send(&ic, sizeof(ic));
	host_receive(&ic, sizeof(ic));
	assert_int_equal(ic.hdr.type, PDU_ICRESP);
	assert_int_equal(ic.dgst, digests);
	assert_int_equal(le32toh(ic.limit), RIG_MAX_IO);
}

/* data: bytes that go with the command, or that the transport moves */
static inline struct pdu_cmd make_cmd(const struct nvme_cmd *cmd, uint32_t data, bool in_capsule)
{
	struct pdu_cmd pdu = {
		.hdr = pdu_header(PDU_CAPSULE_CMD, sizeof(pdu), in_capsule ? data : 0),
		.cmd = *cmd,
	};

	pdu.cmd.flags |= NVME_FLAG_PSDT_SGL;
	pdu.cmd.sgl.length = htole32(data);
	pdu.cmd.sgl.type = in_capsule ? NVME_SGL_DATA_OFFSET : NVME_SGL_TRANSPORT;
	return pdu;
}

static inline struct nvme_cmd make_rw(uint8_t opcode, uint16_t cid, uint32_t size)
{
	return (struct nvme_cmd){
		.opcode = opcode, .cid = htole16(cid), .nsid = htole32(1), .cdw12 = NLB(size)};
}

static inline void host_send_rw(uint8_t opcode, uint16_t cid, uint32_t size)
{
	const struct nvme_cmd cmd = make_rw(opcode, cid, size);
	const struct pdu_cmd pdu = make_cmd(&cmd, size, false);

	host_send(&pdu, sizeof(pdu));
}

static inline struct pdu_resp host_receive_response(void)
{
	struct pdu_resp pdu;

	host_receive(&pdu, sizeof(pdu));
	assert_int_equal(pdu.hdr.type, PDU_CAPSULE_RESP);
	return pdu;
}

static inline uint16_t host_receive_status(void)
{
	const struct pdu_resp pdu = host_receive_response();

	return nvme_cqe_status(&pdu.cqe);
}

static inline void host_send_digest(const void *data, size_t size)
{
	const le32_t digest = htole32(priv_crc32c(data, size));

	host_send(&digest, sizeof(digest));
}

static inline void host_add_data_digest(struct pdu_cmd *pdu)
{
	pdu->hdr.flags |= PDU_FLAG_DATA_DIGEST;
	pdu->hdr.plen = htole32(le32toh(pdu->hdr.plen) + PDU_DIGEST_SIZE);
}

/* Connect, which the test's program answers; cattr as in the command */
static inline void host_connect(struct rig *rig, uint8_t cattr, bool data_digest)
{
	static const uint8_t data[1024];
	const struct nvmf_connect_cmd connect = {.opcode = NVME_CMD_FABRICS,
						 .fctype = NVME_FC_CONNECT,
						 .qid = htole16(1),
						 .sqsize = htole16(RIG_QUEUE - 1),
						 .cattr = cattr};
	unsigned int before = rig->commands;
	struct nvme_cmd cmd;
	struct pdu_cmd pdu;
	struct sta_op op;

	memcpy(&cmd, &connect, sizeof(cmd));
	pdu = make_cmd(&cmd, sizeof(data), true);
	if (data_digest)
		host_add_data_digest(&pdu);
	host_send(&pdu, sizeof(pdu));
	host_send(data, sizeof(data));
	if (data_digest)
		host_send_digest(data, sizeof(data));
	RIG_UNTIL(rig, rig->commands > before);
	atomic_store(&rig->qp->sq_entries, RIG_QUEUE);
	atomic_store(&rig->qp->subsys, &rig->subsys);
	rig_answer(rig, &op, rig->kept);
	assert_int_equal(host_receive_status(), 0);
	sta_engine_settle(rig->engine);
	mbox_deliver(&rig->inbox);
}

static inline struct pdu_data host_receive_r2t(uint32_t size)
{
	struct pdu_data r2t;

	host_receive(&r2t, sizeof(r2t));
	assert_int_equal(r2t.hdr.type, PDU_R2T);
	assert_int_equal(le32toh(r2t.offset), 0);
	assert_int_equal(le32toh(r2t.length), size);
	return r2t;
}

static inline struct pdu_data make_h2c(const struct pdu_data *r2t, uint32_t offset, uint32_t size,
				       bool last)
{
	struct pdu_data pdu = {.hdr = pdu_header(PDU_H2C_DATA, sizeof(pdu), size),
			       .cccid = r2t->cccid,
			       .ttag = r2t->ttag,
			       .offset = htole32(offset),
			       .length = htole32(size)};

	pdu.hdr.flags = last ? PDU_FLAG_LAST : 0;
	return pdu;
}

/* the memory that an entry of the disk points to; of one page at most */
static inline uint8_t *rig_disk_data(const struct nvme_cmd *entry)
{
	return (uint8_t *)(uintptr_t)le64toh(entry->prp1);
}

static inline int host_setup(void **state)
{
	struct rig *rig = rig_create(1);

	host_open(rig);
	*state = rig;
	return 0;
}

static inline int host_setup_connected(void **state)
{
	host_setup(state);
	host_initialize(0);
	host_connect(*state, 0, false);
	return 0;
}

static inline int host_teardown(void **state)
{
	close(host_fd);
	return rig_teardown(state);
}

#endif
