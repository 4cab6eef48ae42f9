/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * An engine, a host inside the process, and a disk that the test plays by hand: it sees the entries
 * of the submission ring and writes completions. The test's thread is host, program and disk.
 */
#ifndef SOFTFIELD_TESTS_STA_RIG_H
#define SOFTFIELD_TESTS_STA_RIG_H

#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include "sta/beq.h"
#include "sta/cmd_app.h"
#include "sta/fabric_loop.h"
#include "sta/ns.h"
#include "sta/op.h"
#include "test.h"

#define RIG_ENTRIES 8u
#define RIG_MAX_IO  (64u << 10)
#define RIG_QUEUE   32u
#define RIG_BUFFERS 6u
#define RIG_BLOCK   512u
#define RIG_REQS    192u
#define RIG_QPS	    4u

struct rig_disk {
	struct nvme_cmd sq[RIG_ENTRIES];
	struct nvme_cqe cq[RIG_ENTRIES];
	_Atomic uint32_t doorbells[2];
	uint32_t taken, posted;
	struct sta_beq *beq;
};

struct rig {
	struct poll_group group;
	struct mbox inbox;
	struct sta_engine *engine;
	struct sta_be be;
	struct rig_disk disk;
	struct sta_subsys subsys;
	struct sta_ns *ns;
	struct sta_qp *qp;
	struct loop_req reqs[RIG_REQS];
	unsigned int req_count, answered, lost, failures, commands;
	struct sta_cmd *kept; /* the last command that came to the program */
	bool disconnected, destroyed;
	uint8_t memory[RIG_MAX_IO];
};

/* progresses the test's side until the condition holds */
#define RIG_UNTIL(rig, condition)                                                                  \
	do {                                                                                       \
		priv_poll_group_poll(&(rig)->group, 0);                                            \
		sched_yield();                                                                     \
	} while (!(condition))

static inline void rig_command(struct sta_cmd *cmd)
{
	struct rig *rig = cmd->qp->user;

	rig->commands++;
	rig->kept = cmd;
}

static inline void rig_failed(struct sta_qp *qp)
{
	((struct rig *)qp->user)->failures++;
}

static const struct sta_qp_up rig_up = {.command = rig_command, .failed = rig_failed};

static inline void rig_add_disk(struct rig *rig, struct rig_disk *disk)
{
	const struct nvme_queue_attr rings = {
		.sq = disk->sq,
		.cq = disk->cq,
		.sq_doorbell = &disk->doorbells[0],
		.cq_doorbell = &disk->doorbells[1],
		.entries = RIG_ENTRIES,
	};

	assert_ok(sta_beq_create(&rig->be, &rings, NULL, false, rig, &disk->beq));
}

static inline struct rig *rig_create(uint16_t eus)
{
	struct rig *rig = aligned_alloc(128, (sizeof(struct rig) + 127) & ~(size_t)127);
	const struct sta_engine_attr attr = {
		.eus = eus,
		.max_io_size = RIG_MAX_IO,
		.queue_size = RIG_QUEUE,
		.buffers = RIG_BUFFERS,
		.max_in_app = 1000,
		.max_qps = RIG_QPS,
		.setup_timeout_ns = 60000000000ull,
		.be_timeout_ns = 60000000000ull,
	};

	assert_non_null(rig);
	memset(rig, 0, sizeof(*rig));
	assert_ok(priv_poll_group_init(&rig->group));
	assert_ok(mbox_init(&rig->inbox, &rig->group));
	assert_ok(sta_engine_start(&attr, &rig->engine));
	sta_be_init(&rig->be, rig->engine);
	rig_add_disk(rig, &rig->disk);
	sta_subsys_init(&rig->subsys, rig->engine);
	assert_ok(sta_ns_add(&rig->subsys, 1, RIG_BLOCK, 7, &rig->be, &rig->ns));
	return rig;
}

static inline struct sta_qp *rig_new_qp(struct rig *rig)
{
	struct sta_qp *qp;

	assert_ok(sta_qp_create(rig->engine, &fabric_loop_ops, &rig_up, &rig->inbox, &qp));
	qp->user = rig;
	fabric_loop_set_host(qp, &rig->inbox);
	sta_qp_start(qp);
	return qp;
}

static inline void rig_flag(struct sta_op *op)
{
	assert_ok(op->result);
	*(bool *)op->arg = true;
}

static inline void rig_drop_qp(struct rig *rig, struct sta_qp *qp)
{
	struct sta_op op = {.reply = &rig->inbox, .done = rig_flag, .arg = &rig->disconnected};

	rig->disconnected = false;
	sta_qp_disconnect(qp, &op);
	RIG_UNTIL(rig, rig->disconnected);
	sta_qp_close(qp);
	sta_qp_free(qp);
	sta_engine_settle(rig->engine);
	mbox_deliver(&rig->inbox); /* answers that nobody has waited for */
}

/* op->arg is the queue while it is destroyed */
static inline void rig_destroyed(struct sta_op *op)
{
	assert_ok(op->result);
	((struct rig *)((struct sta_beq *)op->arg)->user)->destroyed = true;
}

static inline void rig_destroy_queue(struct rig *rig, struct sta_beq *beq)
{
	struct sta_op op = {.reply = &rig->inbox, .done = rig_destroyed};

	rig->destroyed = false;
	sta_beq_destroy(beq, &op);
	RIG_UNTIL(rig, rig->destroyed);
}

static inline void rig_remove_ns(struct sta_ns *ns)
{
	struct sta_ns_removal removal = {0};
	sem_t gone;

	sem_init(&gone, 0, 0);
	removal.waiter = &gone;
	sta_ns_remove(ns, &removal);
	while (sem_wait(&gone))
		;
	sem_destroy(&gone);
	sta_ns_free(ns);
}

static inline void rig_destroy(struct rig *rig)
{
	uint16_t i;

	if (rig->qp)
		rig_drop_qp(rig, rig->qp);
	if (rig->ns)
		rig_remove_ns(rig->ns);
	if (rig->disk.beq) {
		rig_destroy_queue(rig, rig->disk.beq);
		sta_beq_free(rig->disk.beq);
	}
	for (i = 0; i < rig->engine->eu_count; i++)
		assert_int_equal(rig->engine->eus[i].pool.free_count,
				 rig->engine->eus[i].pool.count);
	sta_engine_stop(rig->engine);
	mbox_fini(&rig->inbox);
	priv_poll_group_fini(&rig->group);
	free(rig);
}

static inline void rig_done(struct loop_req *req)
{
	struct rig *rig = req->user;

	rig->answered++;
	rig->lost += !req->answered;
}

/* a command of the host; size 0: without data */
static inline struct loop_req *rig_submit(struct rig *rig, struct sta_qp *qp,
					  const struct nvme_cmd *cmd, uint32_t size,
					  bool in_capsule)
{
	struct loop_req *req = &rig->reqs[rig->req_count++ % RIG_REQS];

	memset(req, 0, sizeof(*req));
	req->cmd = *cmd;
	req->in_capsule = rig->memory;
	req->done = rig_done;
	req->user = rig;
	if (in_capsule) {
		req->in_capsule_size = size;
		req->cmd.flags |= NVME_FLAG_PSDT_SGL;
		req->cmd.sgl.length = htole32(size);
		req->cmd.sgl.type = NVME_SGL_DATA_OFFSET;
	} else {
		uint8_t flags = req->cmd.flags;

		fabric_loop_set_sgl(&req->cmd, rig->memory, size);
		req->cmd.flags |= flags;
	}
	fabric_loop_submit(qp, req);
	return req;
}

static inline struct nvme_cmd rig_rw(uint8_t opcode, uint32_t nsid, uint32_t blocks)
{
	return (struct nvme_cmd){
		.opcode = opcode, .nsid = htole32(nsid), .cdw12 = htole32(blocks - 1)};
}

/* submits and waits; the status field */
static inline uint16_t rig_do(struct rig *rig, const struct nvme_cmd *cmd, uint32_t size,
			      bool in_capsule)
{
	unsigned int before = rig->answered;
	struct loop_req *req = rig_submit(rig, rig->qp, cmd, size, in_capsule);

	RIG_UNTIL(rig, rig->answered > before);
	assert_true(req->answered);
	return nvme_cqe_status(&req->cqe);
}

static inline void rig_answered(struct sta_op *op)
{
	assert_ok(op->result);
}

/* the program's answer to a command it has kept */
static inline void rig_answer(struct rig *rig, struct sta_op *op, struct sta_cmd *cmd)
{
	*op = (struct sta_op){
		.reply = &rig->inbox,
		.done = rig_answered,
		.cmd = cmd,
		.generation = cmd_generation(cmd),
		.qp = cmd->qp,
		.cqe = {.cid = cmd->sqe.cid},
	};
	cmd_app_respond(op);
}

static inline void rig_connect_as(struct rig *rig, struct sta_qp *qp, uint16_t qid)
{
	const struct nvmf_connect_cmd connect = {.opcode = NVME_CMD_FABRICS,
						 .fctype = NVME_FC_CONNECT,
						 .qid = htole16(qid),
						 .sqsize = htole16(RIG_QUEUE - 1)};
	unsigned int commands = rig->commands, answered = rig->answered;
	struct nvme_cmd cmd;
	struct sta_op op;

	memcpy(&cmd, &connect, sizeof(cmd));
	rig_submit(rig, qp, &cmd, 1024, true);
	RIG_UNTIL(rig, rig->commands > commands);
	atomic_store(&qp->sq_entries, RIG_QUEUE);
	atomic_store(&qp->subsys, &rig->subsys);
	rig_answer(rig, &op, rig->kept);
	RIG_UNTIL(rig, rig->answered > answered);
	sta_engine_settle(rig->engine); /* op has been delivered, too */
	mbox_deliver(&rig->inbox);
}

static inline void rig_connect(struct rig *rig, struct sta_qp *qp)
{
	rig_connect_as(rig, qp, 1);
}

/* how many entries the disk has been given that it has not looked at */
static inline uint32_t rig_disk_new(const struct rig_disk *disk)
{
	uint32_t tail = le32toh(atomic_load(&disk->doorbells[0]));

	return (tail - disk->taken) & (RIG_ENTRIES - 1);
}

/* the next entry, once it is there */
static inline struct nvme_cmd rig_disk_take(struct rig *rig, struct rig_disk *disk)
{
	RIG_UNTIL(rig, rig_disk_new(disk));
	return disk->sq[disk->taken++ % RIG_ENTRIES];
}

static inline void rig_disk_complete(struct rig_disk *disk, le16_t cid, uint16_t status)
{
	struct nvme_cqe *cqe = &disk->cq[disk->posted % RIG_ENTRIES];
	uint16_t phase = !((disk->posted / RIG_ENTRIES) & 1);

	cqe->cid = cid;
	__atomic_store_n(&cqe->status, htole16((uint16_t)(status << 1 | phase)), __ATOMIC_RELEASE);
	disk->posted++;
}

static inline int rig_setup(void **state)
{
	struct rig *rig = rig_create(1);

	rig->qp = rig_new_qp(rig);
	*state = rig;
	return 0;
}

static inline int rig_setup_connected(void **state)
{
	rig_setup(state);
	rig_connect(*state, ((struct rig *)*state)->qp);
	return 0;
}

static inline int rig_teardown(void **state)
{
	rig_destroy(*state);
	return 0;
}

#endif
