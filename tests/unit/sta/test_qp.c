/* SPDX-License-Identifier: BSD-3-Clause */
#include "rig.h"

static int setup_idle(void **state)
{
	*state = rig_create(1);
	return 0;
}

static void there_is_a_limit(void **state)
{
	struct rig *rig = *state;
	struct sta_qp *qps[RIG_QPS], *more;
	unsigned int i;

	for (i = 0; i < RIG_QPS; i++)
		qps[i] = rig_new_qp(rig);
	assert_err(sta_qp_create(rig->engine, &fabric_loop_ops, &rig_up, &rig->inbox, &more), FULL);
	rig_drop_qp(rig, qps[1]);
	more = rig_new_qp(rig);
	assert_ptr_equal(more, qps[1]); /* the memory is used again */
	sta_engine_settle(rig->engine);
	assert_int_equal(more->index, 1);   /* and the place */
	assert_true(more->id > qps[2]->id); /* but not the number */
	rig_drop_qp(rig, qps[0]);
	rig_drop_qp(rig, more);
	rig_drop_qp(rig, qps[2]);
	rig_drop_qp(rig, qps[3]);
}

static unsigned int allocations, left;

static void *counting_zmalloc(size_t size, size_t align, uint64_t *phys)
{
	if (!left)
		return NULL;
	left--;
	allocations++;
	return sta_own_allocator.zmalloc(size, align, phys);
}

/* The data buffer that it brings has a list; all that comes in capsules is one piece. */
static void few_pieces_of_memory_make_one(void **state)
{
	struct rig *rig = *state;
	struct sta_qp *qp;
	unsigned int i;

	rig->engine->attr.allocator.zmalloc = counting_zmalloc;
	for (i = 0; i < 3; i++) {
		left = i > 0; /* what there was once is kept */
		assert_err(sta_qp_create(rig->engine, &fabric_loop_ops, &rig_up, &rig->inbox, &qp),
			   NO_MEMORY);
		assert_int_equal(rig->engine->qp_count, 0);
	}
	left = 3;
	rig->qp = rig_new_qp(rig);
	allocations = 0;
	left = 100;
	qp = rig_new_qp(rig);
	assert_int_equal(allocations, 3);
	for (i = 0; i < RIG_QUEUE; i++)
		assert_ptr_equal(qp_cmd(qp, i, fabric_loop_ops.cmd_size)->in_capsule.data,
				 qp->in_capsule + i * STA_IN_CAPSULE);
	rig_drop_qp(rig, qp);
	assert_ptr_equal(rig_new_qp(rig), qp);
	assert_int_equal(allocations, 3);
	rig_drop_qp(rig, qp);
}

/* more commands than the queue that it has agreed on holds */
static void hosts_that_exceed_their_queue_are_dropped(void **state)
{
	struct rig *rig = *state;
	struct nvme_cmd cmd = rig_rw(NVME_CMD_READ, 1, 1);
	unsigned int i;

	for (i = 0; i < RIG_QUEUE + 1; i++)
		rig_submit(rig, rig->qp, &cmd, RIG_BLOCK, false);
	RIG_UNTIL(rig, rig->failures == 1);
	assert_true(atomic_load(&rig->qp->failed));
	sta_engine_settle(rig->engine);
	assert_int_equal(rig->failures, 1);
	while (rig_disk_new(&rig->disk)) { /* what the disk has ends as ever */
		struct nvme_cmd entry = rig_disk_take(rig, &rig->disk);

		rig_disk_complete(&rig->disk, entry.cid, NVME_SC_SUCCESS);
	}
}

static void wrong_keys_fail_the_queue_pair(void **state)
{
	struct rig *rig = *state;
	struct nvme_cmd cmd = rig_rw(NVME_CMD_WRITE, 1, 1);
	struct loop_req *req = &rig->reqs[RIG_REQS - 1];

	req->cmd = cmd;
	req->done = rig_done;
	req->user = rig;
	fabric_loop_set_sgl(&req->cmd, rig->memory, RIG_BLOCK);
	req->cmd.sgl.key[3] ^= 1;
	fabric_loop_submit(rig->qp, req);
	RIG_UNTIL(rig, rig->failures == 1);
	assert_int_equal(rig->qp->error.operation, SOFTFIELD_STA_KEY);
	assert_int_equal(rig_disk_new(&rig->disk), 0);
}

static void connections_that_say_nothing_fail(void **state)
{
	struct rig *rig = *state;

	rig->engine->attr.setup_timeout_ns = 0;
	rig->qp = rig_new_qp(rig);
	RIG_UNTIL(rig, rig->failures == 1);
	assert_int_equal(rig->qp->error.operation, SOFTFIELD_STA_SETUP);
	assert_int_equal(rig->qp->error.syndrome, DOCA_ERROR_TIME_OUT);
}

/* what the disk has, it gives back first; its result is nobody's */
static void disconnecting_waits_for_the_disk(void **state)
{
	struct rig *rig = *state;
	struct nvme_cmd cmd = rig_rw(NVME_CMD_READ, 1, 1), entry;
	struct sta_op op = {.reply = &rig->inbox, .done = rig_flag, .arg = &rig->disconnected};
	unsigned int answered = rig->answered;

	rig_submit(rig, rig->qp, &cmd, RIG_BLOCK, false);
	entry = rig_disk_take(rig, &rig->disk);
	sta_qp_disconnect(rig->qp, &op);
	sta_engine_settle(rig->engine);
	mbox_deliver(&rig->inbox);
	assert_false(rig->disconnected);
	rig_disk_complete(&rig->disk, entry.cid, NVME_SC_SUCCESS);
	RIG_UNTIL(rig, rig->disconnected);
	assert_int_equal(rig->answered, answered);
	sta_qp_close(rig->qp);
	sta_qp_free(rig->qp);
	sta_engine_settle(rig->engine);
	rig->qp = NULL;
}

/* the program has a command and never answers it */
static void kept_commands_do_not_hold_up_anything(void **state)
{
	struct rig *rig = *state;
	const struct nvme_cmd cmd = {.opcode = 0xc0, .nsid = htole32(1)};
	unsigned int commands = rig->commands;

	rig_submit(rig, rig->qp, &cmd, RIG_BLOCK, false); /* with a buffer */
	RIG_UNTIL(rig, rig->commands > commands);
	rig_drop_qp(rig, rig->qp);
	rig->qp = NULL; /* the teardown counts the buffers */
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(there_is_a_limit, setup_idle, rig_teardown),
		cmocka_unit_test_setup_teardown(few_pieces_of_memory_make_one, setup_idle,
						rig_teardown),
		cmocka_unit_test_setup_teardown(hosts_that_exceed_their_queue_are_dropped,
						rig_setup_connected, rig_teardown),
		cmocka_unit_test_setup_teardown(wrong_keys_fail_the_queue_pair, rig_setup_connected,
						rig_teardown),
		cmocka_unit_test_setup_teardown(connections_that_say_nothing_fail, setup_idle,
						rig_teardown),
		cmocka_unit_test_setup_teardown(disconnecting_waits_for_the_disk,
						rig_setup_connected, rig_teardown),
		cmocka_unit_test_setup_teardown(kept_commands_do_not_hold_up_anything,
						rig_setup_connected, rig_teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
