/* SPDX-License-Identifier: BSD-3-Clause */
#include "rig.h"
#include "softfield_sta.h"

#define DNR(sc) ((sc) | NVME_SC_DNR)

static void nothing_runs_before_connect(void **state)
{
	struct rig *rig = *state;
	struct nvme_cmd cmd = rig_rw(NVME_CMD_READ, 1, 1);

	assert_int_equal(rig_do(rig, &cmd, RIG_BLOCK, false), DNR(NVME_SC_SEQUENCE_ERROR));
	assert_int_equal(rig->commands, 0);
}

static void submit_connect(struct rig *rig, uint16_t qid, uint8_t cattr)
{
	const struct nvmf_connect_cmd connect = {.opcode = NVME_CMD_FABRICS,
						 .fctype = NVME_FC_CONNECT,
						 .qid = htole16(qid),
						 .cattr = cattr};
	const unsigned int commands = rig->commands;
	struct nvme_cmd cmd;

	memcpy(&cmd, &connect, sizeof(cmd));
	rig_submit(rig, rig->qp, &cmd, 1024, true);
	RIG_UNTIL(rig, rig->commands > commands);
}

/* the program has both of them; what the second one asks for does not count */
static void the_connect_that_succeeds_decides(void **state)
{
	struct rig *rig = *state;
	struct sta_cmd *first;
	struct sta_op op;

	submit_connect(rig, 1, NVMF_CATTR_NO_SQFLOW);
	first = rig->kept;
	submit_connect(rig, 0, 0);
	assert_false(rig->qp->no_sq_flow);
	rig_answer(rig, &op, first);
	RIG_UNTIL(rig, rig->answered == 1);
	sta_engine_settle(rig->engine);
	mbox_deliver(&rig->inbox);
	assert_true(rig->qp->connected);
	assert_true(rig->qp->no_sq_flow);
	assert_false(rig->qp->is_admin);
}

static void bad_reads_and_writes_are_refused(void **state)
{
	static const struct {
		uint8_t opcode, flags;
		uint32_t nsid, blocks, size;
		bool in_capsule;
		uint16_t status;
	} rows[] = {
		{NVME_CMD_READ, 0x03, 1, 1, 512, false, DNR(NVME_SC_INVALID_FIELD)}, /* fused */
		{NVME_CMD_READ, 0xc0, 1, 1, 512, false, DNR(NVME_SC_INVALID_FIELD)}, /* PSDT */
		{NVME_CMD_READ, 0, 2, 1, 512, false, DNR(NVME_SC_INVALID_NS)},
		{NVME_CMD_READ, 0, 1, 129, 512, false,
		 DNR(NVME_SC_INVALID_FIELD)}, /* over 64 KiB */
		{NVME_CMD_READ, 0, 1, 2, 512, false, DNR(NVME_SC_SGL_DATA_LENGTH)},
		{NVME_CMD_READ, 0, 1, 1, 512, true, DNR(NVME_SC_SGL_TYPE)},
		{NVME_CMD_WRITE, 0, 1, 2, 512, true, DNR(NVME_SC_SGL_DATA_LENGTH)},
		{NVME_CMD_WRITE, 0, 1, 1, 1024, true, DNR(NVME_SC_SGL_DATA_LENGTH)},
	};
	struct rig *rig = *state;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(rows); i++) {
		struct nvme_cmd cmd = rig_rw(rows[i].opcode, rows[i].nsid, rows[i].blocks);

		cmd.flags = rows[i].flags;
		assert_int_equal(rig_do(rig, &cmd, rows[i].size, rows[i].in_capsule),
				 rows[i].status);
	}
	assert_int_equal(rig->qp->eu->counters.validation_err, ARRAY_SIZE(rows));
	assert_int_equal(rig_disk_new(&rig->disk), 0); /* the disk has seen none */
}

static void entries_say_what_the_host_said(void **state)
{
	struct rig *rig = *state;
	struct nvme_cmd cmd = rig_rw(NVME_CMD_WRITE, 1, 4), entry;
	struct loop_req *req;

	cmd.cdw10 = htole32(0x1234);
	cmd.cdw11 = htole32(0x1);
	cmd.cdw12 |= htole32(NVME_RW_FUA);
	cmd.cdw13 = htole32(0x77);
	cmd.cdw2 = htole32(0x22);
	cmd.cdw3 = htole32(0x33);
	cmd.cdw14 = htole32(0x14141414);
	cmd.cdw15 = htole32(0x15151515);
	rig->memory[2047] = 0x5a;
	req = rig_submit(rig, rig->qp, &cmd, 2048, false);
	entry = rig_disk_take(rig, &rig->disk);
	assert_int_equal(entry.opcode, NVME_CMD_WRITE);
	assert_int_equal(entry.flags, 0); /* PRPs */
	assert_int_equal(le32toh(entry.nsid), 7);
	assert_int_equal(le32toh(entry.cdw10), 0x1234);
	assert_int_equal(le32toh(entry.cdw11), 0x1);
	assert_int_equal(le32toh(entry.cdw12), NVME_RW_FUA | 3);
	assert_int_equal(le32toh(entry.cdw13), 0x77);
	assert_int_equal(le32toh(entry.cdw2), 0x22);
	assert_int_equal(le32toh(entry.cdw3), 0x33);
	assert_int_equal(le32toh(entry.cdw14), 0x14141414);
	assert_int_equal(le32toh(entry.cdw15), 0x15151515);
	assert_int_equal(((uint8_t *)(uintptr_t)le64toh(entry.prp1))[2047], 0x5a);
	rig_disk_complete(&rig->disk, entry.cid, NVME_SC_SUCCESS);
	RIG_UNTIL(rig, rig->answered == 2);
	assert_int_equal(nvme_cqe_status(&req->cqe), 0);
}

static void reads_bring_data_only_when_they_succeed(void **state)
{
	struct rig *rig = *state;
	struct nvme_cmd cmd = rig_rw(NVME_CMD_READ, 1, 1), entry;
	unsigned int i;

	for (i = 0; i < 2; i++) {
		struct loop_req *req;
		unsigned int answered = rig->answered;

		memset(rig->memory, 0, RIG_BLOCK);
		req = rig_submit(rig, rig->qp, &cmd, RIG_BLOCK, false);
		entry = rig_disk_take(rig, &rig->disk);
		memset((void *)(uintptr_t)le64toh(entry.prp1), 0x33, RIG_BLOCK);
		rig_disk_complete(&rig->disk, entry.cid, i ? NVME_SC_READ_ERROR : 0);
		RIG_UNTIL(rig, rig->answered > answered);
		assert_int_equal(nvme_cqe_status(&req->cqe), i ? NVME_SC_READ_ERROR : 0);
		assert_int_equal(rig->memory[0], i ? 0 : 0x33);
	}
}

/* only what a stream carries must fit exactly */
static void memory_may_be_larger_than_the_data(void **state)
{
	struct rig *rig = *state;
	const struct nvme_cmd cmd = rig_rw(NVME_CMD_READ, 1, 1);
	const unsigned int answered = rig->answered;
	struct nvme_cmd entry;
	struct loop_req *req;

	memset(rig->memory, 0x11, 2 * RIG_BLOCK);
	req = rig_submit(rig, rig->qp, &cmd, 2 * RIG_BLOCK, false);
	entry = rig_disk_take(rig, &rig->disk);
	memset((void *)(uintptr_t)le64toh(entry.prp1), 0x33, RIG_BLOCK);
	rig_disk_complete(&rig->disk, entry.cid, NVME_SC_SUCCESS);
	RIG_UNTIL(rig, rig->answered > answered);
	assert_int_equal(nvme_cqe_status(&req->cqe), NVME_SC_SUCCESS);
	assert_int_equal(rig->memory[RIG_BLOCK - 1], 0x33);
	assert_int_equal(rig->memory[RIG_BLOCK], 0x11);
}

/* with as many commands as there are entries in the ring, and more than there are buffers */
static void commands_wait_for_buffers_and_places(void **state)
{
	struct rig *rig = *state;
	struct nvme_cmd cmd = rig_rw(NVME_CMD_READ, 1, 1);
	unsigned int i, start = rig->answered;

	for (i = 0; i < 20; i++) {
		cmd.cdw10 = htole32(i);
		rig_submit(rig, rig->qp, &cmd, RIG_BLOCK, false);
	}
	for (i = 0; i < 20; i++) {
		struct nvme_cmd entry = rig_disk_take(rig, &rig->disk);

		assert_int_equal(le32toh(entry.cdw10), i); /* first come, first served */
		rig_disk_complete(&rig->disk, entry.cid, NVME_SC_SUCCESS);
		RIG_UNTIL(rig, rig->answered == start + i + 1);
	}
	assert_true(rig->qp->eu->counters.no_buffer > 0);
}

/* data in capsules needs no buffer, so a place in the ring is all there is to wait for */
static void full_rings_park_commands(void **state)
{
	struct rig *rig = *state;
	struct nvme_cmd cmd = rig_rw(NVME_CMD_WRITE, 1, 1);
	unsigned int i, start = rig->answered;

	for (i = 0; i < 12; i++)
		rig_submit(rig, rig->qp, &cmd, RIG_BLOCK, true);
	RIG_UNTIL(rig, rig_disk_new(&rig->disk) == RIG_ENTRIES - 1);
	sta_engine_settle(rig->engine);
	assert_int_equal(rig->qp->eu->counters.sq_full, 12 - (RIG_ENTRIES - 1));
	assert_int_equal(rig->qp->eu->counters.no_buffer, 0);
	for (i = 0; i < 12; i++) {
		struct nvme_cmd entry = rig_disk_take(rig, &rig->disk);

		rig_disk_complete(&rig->disk, entry.cid, NVME_SC_SUCCESS);
		RIG_UNTIL(rig, rig->answered == start + i + 1);
	}
}

/* one queue pair may not take all buffers: with n others each still finds some */
static void buffers_are_shared(void **state)
{
	struct rig *rig = *state;
	struct sta_qp *other = rig_new_qp(rig);
	struct nvme_cmd cmd = rig_rw(NVME_CMD_READ, 1, 1);
	struct nvme_cmd entries[RIG_BUFFERS];
	unsigned int i, held, start;

	rig_connect(rig, other);
	start = rig->answered;
	for (i = 0; i < RIG_BUFFERS; i++)
		rig_submit(rig, rig->qp, &cmd, RIG_BLOCK, false);
	sta_engine_settle(rig->engine);
	held = rig->qp->bufs;
	assert_true(held < RIG_BUFFERS);
	cmd.cdw10 = htole32(99);
	rig_submit(rig, other, &cmd, RIG_BLOCK, false);
	sta_engine_settle(rig->engine);
	assert_int_equal(other->bufs, 1);
	for (i = 0; i <= held; i++)
		entries[i] = rig_disk_take(rig, &rig->disk);
	assert_int_equal(le32toh(entries[held].cdw10), 99);
	for (i = 0; i <= held; i++)
		rig_disk_complete(&rig->disk, entries[i].cid, NVME_SC_SUCCESS);
	for (i = held + 1; i < RIG_BUFFERS + 1; i++) {
		struct nvme_cmd entry = rig_disk_take(rig, &rig->disk);

		rig_disk_complete(&rig->disk, entry.cid, NVME_SC_SUCCESS);
	}
	RIG_UNTIL(rig, rig->answered == start + RIG_BUFFERS + 1);
	rig_drop_qp(rig, other);
}

/* commands with data for the host, which the program keeps with their buffers */
static void hog(struct rig *rig, struct sta_qp *qp)
{
	const struct nvme_cmd keep = {.opcode = 0xc2, .nsid = htole32(1)};
	unsigned int i;

	for (i = 0; i < RIG_QUEUE - 1; i++)
		rig_submit(rig, qp, &keep, RIG_BLOCK, false);
	sta_engine_settle(rig->engine);
	mbox_deliver(&rig->inbox);
	assert_true(qp->bufs && !list_is_empty(&qp->wait_buffer));
}

/* whatever others keep, a queue pair's commands go on, one after another at least */
static void each_queue_pair_is_left_a_buffer(void **state)
{
	struct rig *rig = *state;
	struct sta_qp *others[] = {rig_new_qp(rig), rig_new_qp(rig), rig_new_qp(rig)};
	const struct nvme_cmd read = rig_rw(NVME_CMD_READ, 1, 1);
	unsigned int i, start;

	for (i = 0; i < ARRAY_SIZE(others); i++)
		rig_connect(rig, others[i]);
	hog(rig, rig->qp);
	hog(rig, others[0]);
	hog(rig, others[1]);
	start = rig->answered;
	for (i = 0; i < 5; i++)
		rig_submit(rig, others[2], &read, RIG_BLOCK, false);
	sta_engine_settle(rig->engine);
	assert_true(others[2]->bufs > 0);
	for (i = 0; i < 5; i++) {
		struct nvme_cmd entry = rig_disk_take(rig, &rig->disk);

		rig_disk_complete(&rig->disk, entry.cid, NVME_SC_SUCCESS);
		RIG_UNTIL(rig, rig->answered == start + i + 1);
	}
	for (i = 0; i < ARRAY_SIZE(others); i++)
		rig_drop_qp(rig, others[i]);
}

/* queue pairs that come after others have gone find what those have left */
static void pools_do_not_grow_for_ever(void **state)
{
	struct rig *rig = *state;
	const struct sta_pool *pool = &rig->qp->eu->pool;
	unsigned int i;

	for (i = 0; i < 5; i++)
		rig_drop_qp(rig, rig_new_qp(rig));
	assert_int_equal(pool->count, RIG_BUFFERS + 2);
	assert_int_equal(pool->owed, 2);
	assert_int_equal(pool->free_count, pool->count);
}

/* what those who are gone have left is not for those who hold buffers already */
static void newcomers_are_left_a_buffer(void **state)
{
	struct rig *rig = *state;
	struct sta_qp *crowd[RIG_QPS - 1], *newcomer;
	const struct nvme_cmd read = rig_rw(NVME_CMD_READ, 1, 1);
	struct nvme_cmd entry;
	unsigned int i, start;

	for (i = 0; i < ARRAY_SIZE(crowd); i++)
		crowd[i] = rig_new_qp(rig);
	for (i = 1; i < ARRAY_SIZE(crowd); i++)
		rig_drop_qp(rig, crowd[i]);
	rig_connect(rig, crowd[0]);
	hog(rig, rig->qp);
	hog(rig, crowd[0]);
	newcomer = rig_new_qp(rig);
	rig_connect(rig, newcomer);
	start = rig->answered;
	rig_submit(rig, newcomer, &read, RIG_BLOCK, false);
	sta_engine_settle(rig->engine);
	assert_int_equal(newcomer->bufs, 1);
	entry = rig_disk_take(rig, &rig->disk);
	rig_disk_complete(&rig->disk, entry.cid, NVME_SC_SUCCESS);
	RIG_UNTIL(rig, rig->answered == start + 1);
	rig_drop_qp(rig, newcomer);
	rig_drop_qp(rig, crowd[0]);
}

static void submit_kept(struct rig *rig, unsigned int count)
{
	const struct nvme_cmd keep = {.opcode = 0xc0, .nsid = htole32(1)};

	while (count--)
		rig_submit(rig, rig->qp, &keep, 0, false);
	sta_engine_settle(rig->engine);
	mbox_deliver(&rig->inbox);
}

/* a response tells the head, which is behind all commands that have come */
static void entries_come_back_with_the_head(void **state)
{
	struct rig *rig = *state;
	struct sta_op op;

	atomic_store(&rig->qp->sq_entries, 4);
	submit_kept(rig, 3);
	rig_answer(rig, &op, rig->kept);
	submit_kept(rig, 3);
	assert_int_equal(rig->qp->outstanding, 5);
	assert_false(atomic_load(&rig->qp->failed));
	submit_kept(rig, 1);
	assert_true(atomic_load(&rig->qp->failed));
	assert_int_equal(rig->qp->error.operation, SOFTFIELD_STA_OVERRUN);
}

/* There are as many slots as the queue has entries: with commands that stay, less is given back. */
static void the_head_promises_no_more_than_there_is_room_for(void **state)
{
	const struct nvme_cmd keep = {.opcode = 0xc0};
	const unsigned int stay = 20;
	struct rig *rig = *state;
	unsigned int answered = rig->answered, room;
	struct loop_req *req;
	struct sta_op op;

	submit_kept(rig, stay); /* behind Connect */
	req = rig_submit(rig, rig->qp, &keep, 0, false);
	sta_engine_settle(rig->engine);
	mbox_deliver(&rig->inbox);
	rig_answer(rig, &op, rig->kept);
	RIG_UNTIL(rig, rig->answered > answered);
	room = RIG_QUEUE - 1 - (1 + stay + 1 - le16toh(req->cqe.sqhd));
	assert_int_equal(room, RIG_QUEUE - stay);
	submit_kept(rig, room);
	assert_false(atomic_load(&rig->qp->failed));
	submit_kept(rig, 1);
	assert_true(atomic_load(&rig->qp->failed));
}

/* the same where the head has gone on at the beginning, and the commands that stay have not */
static void the_head_is_behind_what_stays_over_the_end(void **state)
{
	const struct nvme_cmd keep = {.opcode = 0xc0};
	struct rig *rig = *state;
	unsigned int answered = rig->answered;
	struct loop_req *req;
	struct sta_op op;

	rig->qp->sqhd = RIG_QUEUE - 5; /* nothing is under way */
	submit_kept(rig, 20);
	req = rig_submit(rig, rig->qp, &keep, 0, false);
	sta_engine_settle(rig->engine);
	mbox_deliver(&rig->inbox);
	rig_answer(rig, &op, rig->kept);
	RIG_UNTIL(rig, rig->answered > answered);
	/* 21 came; 20 stay, and there is a slot more than the queue ever has commands */
	assert_int_equal(le16toh(req->cqe.sqhd), RIG_QUEUE - 5 + 21 - 19);
	sta_engine_settle(rig->engine);
	mbox_deliver(&rig->inbox);
}

/* Commands that came before the size of the queue was known have filled it: its head is at 0. */
static void the_head_is_within_the_queue(void **state)
{
	const struct nvme_cmd keep = {.opcode = 0xc0};
	struct rig *rig = *state;
	unsigned int answered = rig->answered;
	struct loop_req *req;
	struct sta_op op;

	atomic_store(&rig->qp->sq_entries, 0);
	submit_kept(rig, 2); /* behind Connect */
	req = rig_submit(rig, rig->qp, &keep, 0, false);
	sta_engine_settle(rig->engine);
	mbox_deliver(&rig->inbox);
	atomic_store(&rig->qp->sq_entries, 4);
	rig_answer(rig, &op, rig->kept);
	RIG_UNTIL(rig, rig->answered > answered);
	assert_int_equal(le16toh(req->cqe.sqhd), 0);
	sta_engine_settle(rig->engine);
	mbox_deliver(&rig->inbox);
}

/* each response gives back an entry, and one is always empty */
static void without_flow_control_commands_count(void **state)
{
	struct rig *rig = *state;
	struct sta_op op;

	atomic_store(&rig->qp->sq_entries, 4);
	rig->qp->no_sq_flow = true;
	submit_kept(rig, 3);
	rig_answer(rig, &op, rig->kept);
	submit_kept(rig, 1);
	assert_false(atomic_load(&rig->qp->failed));
	submit_kept(rig, 1);
	assert_true(atomic_load(&rig->qp->failed));
	assert_int_equal(rig->qp->error.operation, SOFTFIELD_STA_OVERRUN);
}

static void refused_namespaces_answer_at_once(void **state)
{
	struct rig *rig = *state;
	struct nvme_cmd cmd = rig_rw(NVME_CMD_READ, 1, 1);

	atomic_store(&rig->ns->refusal, NVME_SC_ANA_INACCESSIBLE);
	assert_int_equal(rig_do(rig, &cmd, RIG_BLOCK, false), NVME_SC_ANA_INACCESSIBLE);
}

static void note_result(struct sta_op *op)
{
	*(bool *)op->arg = true;
}

static void old_tokens_change_nothing(void **state)
{
	struct rig *rig = *state;
	const struct nvme_cmd cmd = {.opcode = 0xc0, .nsid = htole32(1)};
	struct sta_op op, again;
	unsigned int commands = rig->commands, answered = rig->answered;
	bool over = false;

	rig_submit(rig, rig->qp, &cmd, 0, false);
	RIG_UNTIL(rig, rig->commands > commands);
	rig_answer(rig, &op, rig->kept);
	RIG_UNTIL(rig, rig->answered > answered);
	sta_engine_settle(rig->engine);
	mbox_deliver(&rig->inbox); /* op is ours again */
	again = op;
	again.done = note_result;
	again.arg = &over;
	cmd_app_respond(&again); /* the answer has been given */
	RIG_UNTIL(rig, over);
	assert_err(again.result, IO_FAILED);
	assert_int_equal(rig->answered, answered + 1);
}

#define CONNECTED(test) cmocka_unit_test_setup_teardown(test, rig_setup_connected, rig_teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(nothing_runs_before_connect, rig_setup,
						rig_teardown),
		cmocka_unit_test_setup_teardown(the_connect_that_succeeds_decides, rig_setup,
						rig_teardown),
		CONNECTED(bad_reads_and_writes_are_refused),
		CONNECTED(entries_say_what_the_host_said),
		CONNECTED(reads_bring_data_only_when_they_succeed),
		CONNECTED(memory_may_be_larger_than_the_data),
		CONNECTED(commands_wait_for_buffers_and_places),
		CONNECTED(full_rings_park_commands),
		CONNECTED(buffers_are_shared),
		CONNECTED(each_queue_pair_is_left_a_buffer),
		CONNECTED(pools_do_not_grow_for_ever),
		CONNECTED(newcomers_are_left_a_buffer),
		CONNECTED(entries_come_back_with_the_head),
		CONNECTED(the_head_promises_no_more_than_there_is_room_for),
		CONNECTED(the_head_is_behind_what_stays_over_the_end),
		CONNECTED(the_head_is_within_the_queue),
		CONNECTED(without_flow_control_commands_count),
		CONNECTED(refused_namespaces_answer_at_once),
		CONNECTED(old_tokens_change_nothing),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
