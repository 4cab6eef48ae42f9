/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A host against the engine: capsules, data and nonsense over NVMe/TCP or inside the process, to a
 * namespace in memory and to a program that answers as the input says. The engine is a small one,
 * with fewer buffers and places in the disk's queue than a host may have commands, so that every
 * state of a command is reached.
 *
 * Input: a byte of choices, then records: a byte whose low bits say what it is, and what it needs.
 */
#include <sched.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>
#include "base/crc32c.h"
#include "nvmf/pdu.h"
#include "sta/beq.h"
#include "sta/cmd_app.h"
#include "sta/fabric_loop.h"
#include "sta/ns.h"
#include "sta/op.h"

#define QUEUE_SIZE 32u
#define BUFFERS	   6u
#define RING	   8u
#define MAX_IO	   (32u << 10)
#define DISK_SIZE  (1u << 20)
#define OPS	   64u
#define R2TS	   64u
#define REQUESTS   128u

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* --- the target, made once ------------------------------------------------------------------- */

static struct {
	struct poll_group group;
	struct mbox inbox;
	struct sta_engine *engine;
	struct vctrl *ctrl;
	struct sta_be be;
	struct sta_subsys subsys;
	struct sta_ns *ns;
	uint8_t *rings;
} target;

/* --- one input ------------------------------------------------------------------------------- */

struct input {
	const uint8_t *data;
	size_t size;
};

static struct {
	struct input input;
	struct sta_qp *qp;
	bool failed, disconnected, digests, deaf;
	bool has_first; /* of a fused command: the second half must be next */
	uint8_t style;	/* of the program's answers */
	struct sta_op ops[OPS], disconnect;
	unsigned int op_count, ops_pending;
	/* TCP */
	int sock;
	uint8_t rx[1 << 17];
	size_t rx_size;
	struct pdu_data r2ts[R2TS];
	unsigned int r2t_first, r2t_count;
	/* loop */
	struct loop_req reqs[REQUESTS];
	unsigned int req_count;
	uint8_t memory[MAX_IO + 512];
} run;

static void must(bool condition)
{
	if (!condition)
		abort();
}

static uint8_t take(struct input *in)
{
	if (!in->size)
		return 0;
	in->size--;
	return *in->data++;
}

static void take_bytes(struct input *in, void *to, size_t size)
{
	size_t n = size < in->size ? size : in->size;

	memset(to, 0, size);
	memcpy(to, in->data, n);
	in->data += n;
	in->size -= n;
}

/*
 * The program
 */

static void op_done(struct sta_op *op)
{
	(void)op;
	run.ops_pending--;
}

static struct sta_op *new_op(struct sta_cmd *cmd)
{
	struct sta_op *op = &run.ops[run.op_count++ % OPS];

	*op = (struct sta_op){
		.reply = &target.inbox,
		.done = op_done,
		.cmd = cmd,
		.generation = cmd->generation,
		.qp = cmd->qp,
		.cqe = {.cid = cmd->sqe.cid},
	};
	run.ops_pending++;
	return op;
}

static void fetched(struct sta_op *op)
{
	op->done = op_done;
	if (op->result)
		op_done(op);
	else
		cmd_app_respond(op);
}

static void on_command(struct sta_cmd *cmd)
{
	bool connect = cmd->sqe.opcode == NVME_CMD_FABRICS;
	unsigned int fused = connect ? 0 : cmd->sqe.flags & NVME_FLAG_FUSED_MASK;
	struct sta_op *op;

	if (!cmd->qp->is_admin) {
		must(run.has_first == (fused == NVME_FUSED_SECOND));
		run.has_first = fused == NVME_FUSED_FIRST;
	}
	if (run.ops_pending == OPS || (!connect && (run.style & 3) == 3))
		return; /* never answered */
	op = new_op(cmd);
	if (connect) {
		atomic_store(&cmd->qp->sq_entries, QUEUE_SIZE);
		atomic_store(&cmd->qp->subsys, &target.subsys);
	} else if ((run.style & 3) == 1) {
		op->done = fetched;
		cmd_app_fetch(op);
		return;
	} else if ((run.style & 3) == 2) {
		op->with_data = true;
	}
	if (!connect && (run.style & 4))
		op->cqe.status = htole16(NVME_SC_INTERNAL_ERROR << 1);
	if (!connect && (run.style & 8))
		op->generation++; /* an old token */
	cmd_app_respond(op);
}

static void on_failure(struct sta_qp *qp)
{
	must(qp == run.qp && !run.failed);
	run.failed = true;
}

static const struct sta_qp_up up = {.command = on_command, .failed = on_failure};

static void on_disconnected(struct sta_op *op)
{
	(void)op;
	run.disconnected = true;
}

/*
 * TCP: what comes back must be well formed
 */

static void take_pdu(const uint8_t *pdu, size_t size)
{
	struct pdu_data r2t;

	switch (pdu[0]) {
	case PDU_R2T:
		must(size == sizeof(r2t) + (run.digests ? PDU_DIGEST_SIZE : 0));
		memcpy(&r2t, pdu, sizeof(r2t));
		must(le16toh(r2t.ttag) < QUEUE_SIZE && le32toh(r2t.length));
		if (run.r2t_count < R2TS)
			run.r2ts[(run.r2t_first + run.r2t_count++) % R2TS] = r2t;
		break;
	case PDU_ICRESP:
	case PDU_C2H_TERM:
	case PDU_CAPSULE_RESP:
	case PDU_C2H_DATA:
		break;
	default:
		abort();
	}
}

static void read_answers(void)
{
	size_t at = 0;
	ssize_t n;

	if (run.deaf)
		return;
	n = recv(run.sock, run.rx + run.rx_size, sizeof(run.rx) - run.rx_size, MSG_DONTWAIT);
	if (n <= 0)
		return;
	run.rx_size += (size_t)n;
	while (run.rx_size - at >= PDU_COMMON_SIZE) {
		const struct pdu_common *hdr = (const void *)(run.rx + at);
		uint32_t size = le32toh(hdr->plen);

		must(size >= PDU_COMMON_SIZE && size <= sizeof(run.rx));
		if (run.rx_size - at < size)
			break;
		take_pdu(run.rx + at, size);
		at += size;
	}
	run.rx_size -= at;
	memmove(run.rx, run.rx + at, run.rx_size);
}

static void poll_all(void)
{
	priv_poll_group_poll(&target.group, 0);
	if (run.sock >= 0)
		read_answers();
}

static void send_bytes(const void *data, size_t size)
{
	const uint8_t *p = data;

	while (size && !run.failed) {
		ssize_t n = send(run.sock, p, size, MSG_DONTWAIT | MSG_NOSIGNAL);

		if (n > 0) {
			p += n;
			size -= (size_t)n;
			continue;
		}
		run.deaf = false; /* or both wait for each other */
		poll_all();
		sched_yield();
	}
}

static void send_pdu(uint8_t type, uint8_t flags, const void *header, uint32_t hlen,
		     const void *data, uint32_t size, bool spoil)
{
	const uint32_t digest = run.digests ? PDU_DIGEST_SIZE : 0;
	uint8_t bytes[PDU_HEADER_MAX + PDU_DIGEST_SIZE];
	struct pdu_common hdr = {.type = type, .flags = flags, .hlen = (uint8_t)hlen};
	uint32_t crc;

	hdr.flags |= (uint8_t)((digest ? 1 : 0) | (digest && size ? 2 : 0));
	hdr.pdo = size ? (uint8_t)(hlen + digest) : 0;
	hdr.plen = htole32(hlen + digest + size + (size ? digest : 0));
	memcpy(bytes, header, hlen);
	memcpy(bytes, &hdr, sizeof(hdr));
	crc = htole32(priv_crc32c(bytes, hlen) ^ (spoil && !size));
	memcpy(bytes + hlen, &crc, sizeof(crc));
	send_bytes(bytes, hlen + digest);
	send_bytes(data, size);
	crc = htole32(priv_crc32c(data, size) ^ spoil);
	if (size)
		send_bytes(&crc, digest);
}

/*
 * Commands
 */

/* a read or write that may succeed, or half of Compare and Write */
static void make_right(struct nvme_cmd *cmd, unsigned int fused, uint32_t *in_capsule)
{
	uint32_t blocks = (le32toh(cmd->cdw12) & 63) + 1;

	cmd->opcode = cmd->opcode & 1 ? NVME_CMD_WRITE : NVME_CMD_READ;
	if (fused)
		cmd->opcode = fused == NVME_FUSED_FIRST ? NVME_CMD_COMPARE : NVME_CMD_WRITE;
	cmd->nsid = htole32(1);
	cmd->cdw10 = htole32(le32toh(cmd->cdw10) % (DISK_SIZE / 512));
	cmd->cdw11 = 0;
	cmd->cdw12 = htole32(blocks - 1);
	cmd->flags = (uint8_t)(NVME_FLAG_PSDT_SGL | fused);
	memset(&cmd->sgl, 0, sizeof(cmd->sgl));
	cmd->sgl.length = htole32(blocks * 512);
	if (cmd->opcode == NVME_CMD_READ || blocks > 16)
		*in_capsule = 0;
	if (*in_capsule)
		*in_capsule = blocks * 512;
	cmd->sgl.type = *in_capsule ? NVME_SGL_DATA_OFFSET : NVME_SGL_TRANSPORT;
}

static void loop_done(struct loop_req *req)
{
	(void)req;
}

static void send_command(struct nvme_cmd *cmd, uint32_t size, bool spoil)
{
	struct pdu_cmd pdu = {.cmd = *cmd};
	struct loop_req *req;

	if (run.sock >= 0) {
		send_pdu(PDU_CAPSULE_CMD, 0, &pdu, sizeof(pdu), run.memory, size, spoil);
		return;
	}
	if (run.req_count == REQUESTS)
		return;
	req = &run.reqs[run.req_count++];
	req->cmd = *cmd;
	req->in_capsule = run.memory;
	req->in_capsule_size = size;
	req->done = loop_done;
	/* keyed memory is where a host says; one with the right key says the truth */
	if (req->cmd.sgl.keyed_type >> 4 == NVME_SGL_KEYED >> 4 || !size)
		fabric_loop_set_sgl(&req->cmd, run.memory, MAX_IO);
	req->cmd.sgl.key[0] ^= spoil;
	fabric_loop_submit(run.qp, req);
}

static void command(uint8_t record)
{
	uint32_t size = take(&run.input) * 64u % (STA_IN_CAPSULE + 64);
	struct nvme_cmd cmd;

	take_bytes(&run.input, &cmd, record & 0x10 ? 16 : sizeof(cmd));
	if (record & 0x10)
		memset((char *)&cmd + 16, 0, sizeof(cmd) - 16);
	if (record & 8)
		make_right(&cmd, (record & 7) == 2 ? record >> 5 & NVME_FLAG_FUSED_MASK : 0, &size);
	if (run.sock < 0 && size > STA_IN_CAPSULE)
		size = STA_IN_CAPSULE;
	send_command(&cmd, size, record & 0x80);
}

static void connect_host(void)
{
	const struct nvmf_connect_cmd connect = {
		.opcode = NVME_CMD_FABRICS,
		.flags = NVME_FLAG_PSDT_SGL,
		.fctype = NVME_FC_CONNECT,
		.sgl = {.length = htole32(1024), .type = NVME_SGL_DATA_OFFSET},
		.qid = htole16(1),
		.sqsize = htole16(QUEUE_SIZE - 1)};
	struct nvme_cmd cmd;

	memcpy(&cmd, &connect, sizeof(cmd));
	send_command(&cmd, 1024, false);
}

static void data_pdu(uint8_t record)
{
	struct pdu_data pdu = {0};
	uint32_t size;

	if ((record & 8) && run.r2t_count) { /* what was asked for */
		pdu = run.r2ts[run.r2t_first++ % R2TS];
		run.r2t_count--;
		memset(&pdu.hdr, 0, sizeof(pdu.hdr));
	} else {
		pdu.cccid = htole16(take(&run.input));
		pdu.ttag = htole16(take(&run.input) % (QUEUE_SIZE + 1));
		pdu.offset = htole32(take(&run.input) * 512u);
		pdu.length = htole32(take(&run.input) * 128u);
	}
	size = le32toh(pdu.length);
	if (size > MAX_IO)
		size = MAX_IO;
	send_pdu(PDU_H2C_DATA, record & 0x40 ? 0 : PDU_FLAG_LAST, &pdu, sizeof(pdu), run.memory,
		 size, record & 0x80);
}

static void raw_bytes(void)
{
	uint8_t bytes[256], size = take(&run.input);

	take_bytes(&run.input, bytes, size);
	if (run.sock >= 0)
		send_bytes(bytes, size);
}

static void replace_ns(void)
{
	struct sta_ns_removal removal = {0};
	sem_t gone;

	sem_init(&gone, 0, 0);
	removal.waiter = &gone;
	sta_ns_remove(target.ns, &removal);
	while (sem_wait(&gone))
		;
	sem_destroy(&gone);
	sta_ns_free(target.ns);
	must(!sta_ns_add(&target.subsys, 1, 512, 1, &target.be, &target.ns));
}

static void one_record(void)
{
	uint8_t record = take(&run.input);

	switch (record & 7) {
	case 0:
		raw_bytes();
		break;
	case 1:
	case 2:
		command(record);
		break;
	case 3:
		if (run.sock >= 0)
			data_pdu(record);
		break;
	case 4:
		run.deaf = record & 8;
		poll_all();
		break;
	case 5:
		sta_engine_settle(target.engine);
		poll_all();
		break;
	case 6:
		replace_ns();
		break;
	default:
		run.style = record >> 4;
		atomic_store(&target.ns->refusal,
			     record & 8 ? NVME_SC_ANA_INACCESSIBLE : NVME_SC_SUCCESS);
	}
}

/*
 * Up and down
 */

static void make_disk(void)
{
	const struct vctrl_attr attr = {.max_transfer = MAX_IO};
	struct vctrl_medium *medium;
	struct nvme_queue_attr rings = {.entries = RING};
	struct vctrl_queue *device = NULL;
	struct sta_beq *beq;
	uint32_t nsid = 0;

	target.rings = aligned_alloc(4096, 4096);
	must(target.rings);
	memset(target.rings, 0, 4096);
	rings.sq = (void *)target.rings;
	rings.cq = (void *)(target.rings + 1024);
	rings.sq_doorbell = (void *)(target.rings + 2048);
	rings.cq_doorbell = (void *)(target.rings + 2112);
	must(!vctrl_create(&attr, &target.ctrl) && !vctrl_mem_create(DISK_SIZE, &medium) &&
	     !vctrl_add_ns(target.ctrl, medium, 512, &nsid) &&
	     !vctrl_queue_open(target.ctrl, &rings, &device));
	sta_be_init(&target.be, target.engine);
	must(!sta_beq_create(&target.be, &rings, device, false, NULL, &beq));
	sta_subsys_init(&target.subsys, target.engine);
	must(!sta_ns_add(&target.subsys, 1, 512, nsid, &target.be, &target.ns));
}

/* stays for all inputs: the process ends with it */
static void make_target(void)
{
	const struct sta_engine_attr attr = {
		.eus = 1,
		.max_io_size = MAX_IO,
		.queue_size = QUEUE_SIZE,
		.buffers = BUFFERS,
		.max_in_app = 3, /* some wait */
		.max_qps = 4,
		.spin_ns = 50000,
		.setup_timeout_ns = 60000000000ull,
		.be_timeout_ns = 60000000000ull,
	};

	must(!priv_poll_group_init(&target.group) && !mbox_init(&target.inbox, &target.group) &&
	     !sta_engine_start(&attr, &target.engine));
	make_disk();
}

static void start_tcp(uint8_t choices)
{
	struct pdu_ic icreq = {.limit = htole32(choices >> 6)};
	int fds[2];

	must(!socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, fds));
	run.sock = fds[0];
	must(!sta_qp_create(target.engine, &fabric_tcp_ops, &up, &target.inbox, &run.qp) &&
	     !fabric_tcp_set_socket(run.qp, fds[1]));
	atomic_store(&run.qp->established, true);
	sta_qp_start(run.qp);
	if (choices & 4) /* the input starts from nothing */
		return;
	icreq.dgst = choices & 2 ? 3 : 0;
	send_pdu(PDU_ICREQ, 0, &icreq, sizeof(icreq), NULL, 0, false);
	run.digests = choices & 2;
	connect_host();
}

static void start_loop(void)
{
	run.sock = -1;
	must(!sta_qp_create(target.engine, &fabric_loop_ops, &up, &target.inbox, &run.qp));
	fabric_loop_set_host(run.qp, &target.inbox);
	sta_qp_start(run.qp);
	connect_host();
}

static void finish(uint8_t choices)
{
	unsigned int i;

	run.deaf = false;
	if (run.sock >= 0 && !(choices & 8)) { /* everything is read, then the connection ends */
		shutdown(run.sock, SHUT_WR);
		while (!run.failed)
			poll_all();
	}
	for (i = 0; run.sock < 0 && i < 4; i++) {
		sta_engine_settle(target.engine);
		poll_all();
	}
	run.disconnect = (struct sta_op){.reply = &target.inbox, .done = on_disconnected};
	sta_qp_disconnect(run.qp, &run.disconnect);
	while (!run.disconnected || run.ops_pending)
		poll_all();
	sta_qp_close(run.qp);
	sta_qp_free(run.qp);
	sta_engine_settle(target.engine);
	mbox_deliver(&target.inbox);
	if (run.sock >= 0)
		close(run.sock);
	/* nothing has been lost on the way */
	must(target.engine->eus[0].pool.free_count == target.engine->eus[0].pool.count);
	must(!target.ns->use[0].inflight);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	uint8_t choices;

	if (!target.engine)
		make_target();
	memset(&run, 0, offsetof(typeof(run), memory));
	run.input = (struct input){data, size};
	choices = take(&run.input);
	if (choices & 1)
		start_loop();
	else
		start_tcp(choices);
	while (run.input.size) {
		one_record();
		poll_all();
	}
	finish(choices);
	return 0;
}
