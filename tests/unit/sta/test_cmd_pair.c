/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Fused commands: the application gets both halves, side by side and with their data, or neither.
 */
#include "rig.h"

static struct sta_cmd *got[8]; /* what came to the application, in its order */
static unsigned int got_count;

static void on_command(struct sta_cmd *cmd)
{
	got[got_count++ % ARRAY_SIZE(got)] = cmd;
	rig_command(cmd);
}

static void on_failure(struct sta_qp *qp)
{
	rig_failed(qp);
}

static const struct sta_qp_up noting = {.command = on_command, .failed = on_failure};

static int setup(void **state)
{
	struct rig *rig;

	rig_setup_connected(state);
	rig = *state;
	rig->qp->up = &noting;
	got_count = 0;
	return 0;
}

static void settle(struct rig *rig)
{
	sta_engine_settle(rig->engine);
	mbox_deliver(&rig->inbox);
}

static struct loop_req *send(struct rig *rig, uint8_t opcode, uint8_t flags, bool in_capsule)
{
	struct nvme_cmd cmd = rig_rw(opcode, 1, 1);
	struct loop_req *req;

	cmd.flags = flags;
	cmd.cid = htole16((uint16_t)rig->req_count);
	req = rig_submit(rig, rig->qp, &cmd, RIG_BLOCK, in_capsule);
	settle(rig);
	return req;
}

static struct loop_req *send_first(struct rig *rig, bool in_capsule)
{
	return send(rig, NVME_CMD_COMPARE, NVME_FUSED_FIRST, in_capsule);
}

static struct loop_req *send_second(struct rig *rig, bool in_capsule)
{
	return send(rig, NVME_CMD_WRITE, NVME_FUSED_SECOND, in_capsule);
}

static void assert_status(const struct loop_req *req, uint16_t status)
{
	assert_true(req->answered);
	assert_int_equal(nvme_cqe_status(&req->cqe), status);
}

static void answer_all(struct rig *rig)
{
	struct sta_op ops[ARRAY_SIZE(got)];

	for (unsigned int i = 0; i < got_count; i++)
		rig_answer(rig, &ops[i], got[i]);
	settle(rig);
	got_count = 0;
}

static void both_come_at_once(void **state)
{
	struct rig *rig = *state;

	for (unsigned int i = 0; i < 4; i++) {
		struct loop_req *reqs[2];

		rig->memory[0] = (uint8_t)(0x50 + i);
		reqs[0] = send_first(rig, i & 1);
		assert_int_equal(got_count, 0);
		reqs[1] = send_second(rig, i & 2);
		assert_int_equal(got_count, 2);
		assert_int_equal(got[0]->sqe.opcode, NVME_CMD_COMPARE);
		assert_int_equal(got[1]->sqe.opcode, NVME_CMD_WRITE);
		for (unsigned int n = 0; n < 2; n++) {
			assert_int_equal(got[n]->where.place, CAPSULE_IN_CAPSULE);
			assert_int_equal(got[n]->where.size, RIG_BLOCK);
			assert_int_equal(got[n]->buf->data[0], 0x50 + i);
		}
		assert_int_equal(rig->qp->bufs, 0);
		answer_all(rig);
		assert_status(reqs[0], NVME_SC_SUCCESS);
		assert_status(reqs[1], NVME_SC_SUCCESS);
	}
	assert_int_equal(rig_disk_new(&rig->disk), 0);
}

static void a_half_that_is_alone_is_aborted(void **state)
{
	struct rig *rig = *state;
	struct loop_req *first, *second, *other;

	assert_status(send_second(rig, true), NVME_SC_MISSING_FUSED);
	first = send_first(rig, true);
	assert_false(first->answered);
	other = send_first(rig, false); /* instead of the second one */
	assert_status(first, NVME_SC_MISSING_FUSED);
	second = send(rig, 0xc0, 0, false); /* one of the vendor's */
	assert_status(other, NVME_SC_MISSING_FUSED);
	assert_int_equal(got_count, 1);
	answer_all(rig);
	assert_status(second, NVME_SC_SUCCESS);
	assert_status(send_second(rig, false), NVME_SC_MISSING_FUSED);
	assert_int_equal(got_count, 0);
}

static void one_that_is_wrong_is_the_other_ones_end(void **state)
{
	struct rig *rig = *state;
	struct loop_req *first;

	first = send(rig, NVME_CMD_READ, NVME_FUSED_FIRST, false); /* a capsule has no way back */
	assert_status(send_second(rig, true), NVME_SC_FAILED_FUSED);
	assert_status(first, NVME_SC_INVALID_FIELD | NVME_SC_DNR);
	first = send_first(rig, true);
	assert_status(send(rig, NVME_CMD_READ, NVME_FUSED_SECOND, true),
		      NVME_SC_SGL_TYPE | NVME_SC_DNR);
	assert_status(first, NVME_SC_FAILED_FUSED);
	assert_int_equal(got_count, 0);
	/* both bits are none of the two */
	assert_status(send(rig, NVME_CMD_WRITE, NVME_FLAG_FUSED_MASK, true),
		      NVME_SC_INVALID_FIELD | NVME_SC_DNR);
}

static void halves_are_small(void **state)
{
	struct rig *rig = *state;
	struct nvme_cmd cmd = rig_rw(NVME_CMD_COMPARE, 1, STA_IN_CAPSULE / RIG_BLOCK + 1);
	struct loop_req *first;

	cmd.flags = NVME_FUSED_FIRST;
	first = rig_submit(rig, rig->qp, &cmd, STA_IN_CAPSULE + RIG_BLOCK, false);
	assert_status(send_second(rig, true), NVME_SC_FAILED_FUSED);
	assert_status(first, NVME_SC_INVALID_FIELD | NVME_SC_DNR);
	assert_int_equal(rig->qp->bufs, 0);
}

/* with room for one of them only, neither is there */
static void they_find_two_places_or_none(void **state)
{
	struct rig *rig = *state;
	struct loop_req *keep, *first, *second;
	struct sta_op op;

	rig->engine->attr.max_in_app = 2;
	keep = send(rig, 0xc0, 0, false);
	first = send_first(rig, true);
	second = send_second(rig, false);
	assert_int_equal(got_count, 1);
	rig_answer(rig, &op, got[0]);
	settle(rig);
	assert_status(keep, NVME_SC_SUCCESS);
	assert_int_equal(got_count, 3);
	assert_int_equal(rig->qp->eu->app_count, 2);
	got[0] = got[2];
	got_count = 2;
	answer_all(rig);
	assert_status(first, NVME_SC_SUCCESS);
	assert_status(second, NVME_SC_SUCCESS);
	assert_int_equal(rig->qp->eu->app_count, 0);
}

static void send_single(struct rig *rig, struct sta_qp *qp)
{
	struct sta_qp *before = rig->qp;

	rig->qp = qp;
	send(rig, 0xc0, 0, false);
	rig->qp = before;
}

/*
 * A pair waits for two places: one host has one of them, the other host comes later. Returns its
 * second half.
 */
static struct loop_req *wait_among(struct rig *rig, struct sta_qp *hosts[2])
{
	struct loop_req *second;

	rig->engine->attr.max_in_app = 2;
	for (unsigned int i = 0; i < 2; i++) {
		hosts[i] = rig_new_qp(rig);
		rig_connect(rig, hosts[i]);
		hosts[i]->up = &noting;
	}
	send_single(rig, hosts[0]);
	send_first(rig, true);
	second = send_second(rig, true);
	send_single(rig, hosts[1]);
	assert_int_equal(got_count, 1); /* there is a place, but they want two */
	return second;
}

/* two hosts whose single commands take turns: there is never more than one place */
static void nobody_overtakes_them(void **state)
{
	struct rig *rig = *state;
	struct sta_qp *hosts[2];
	struct loop_req *second;
	struct sta_op op;

	second = wait_among(rig, hosts);
	rig_answer(rig, &op, got[0]);
	settle(rig);
	assert_int_equal(got_count, 3);
	assert_ptr_equal(got[1]->qp, rig->qp);
	assert_ptr_equal(got[2]->qp, rig->qp);
	rig_answer(rig, &op, got[1]);
	settle(rig);
	assert_int_equal(got_count, 4); /* who has waited behind them */
	assert_ptr_equal(got[3]->qp, hosts[1]);
	rig_answer(rig, &op, got[2]);
	settle(rig);
	assert_status(second, NVME_SC_SUCCESS);
	for (unsigned int i = 0; i < ARRAY_SIZE(hosts); i++)
		rig_drop_qp(rig, hosts[i]);
}

/* and where they are no more, who has waited behind them goes on */
static void nobody_waits_for_those_that_have_gone(void **state)
{
	struct rig *rig = *state;
	struct sta_op op,
		gone = {.reply = &rig->inbox, .done = rig_flag, .arg = &rig->disconnected};
	struct sta_qp *hosts[2];

	wait_among(rig, hosts);
	sta_qp_disconnect(rig->qp, &gone);
	settle(rig);
	assert_true(rig->disconnected);
	assert_int_equal(got_count, 2); /* though the program has not destroyed the queue pair */
	assert_ptr_equal(got[1]->qp, hosts[1]);
	for (unsigned int i = 0; i < ARRAY_SIZE(hosts); i++) {
		rig_answer(rig, &op, got[i]);
		settle(rig);
		rig_drop_qp(rig, hosts[i]);
	}
	sta_qp_close(rig->qp);
	sta_qp_free(rig->qp);
	sta_engine_settle(rig->engine);
	rig->qp = NULL;
}

/* where there is only one place, that is for both */
static void one_place_is_enough_if_there_are_no_more(void **state)
{
	struct rig *rig = *state;

	rig->engine->attr.max_in_app = 1;
	send_first(rig, true);
	send_second(rig, true);
	assert_int_equal(got_count, 2);
	answer_all(rig);
	assert_int_equal(rig->qp->eu->app_count, 0);
}

/* whatever has come of them; rig_destroy() counts what is left */
static void connections_end_with_halves(void **state)
{
	struct rig *rig = *state;

	for (unsigned int i = 0; i < 3; i++) {
		struct sta_qp *kept = rig->qp;

		rig->qp = rig_new_qp(rig);
		rig_connect(rig, rig->qp);
		rig->qp->up = &noting;
		rig->engine->attr.max_in_app = i == 2 ? 1 : 100;
		if (i == 2) {
			struct nvme_cmd vendor = {.opcode = 0xc0};

			rig_submit(rig, kept, &vendor, 0, false); /* has the place */
			settle(rig);
		}
		send_first(rig, i & 1);
		if (i)
			send_second(rig, true);
		rig_drop_qp(rig, rig->qp);
		rig->qp = kept;
	}
}

/* queues of administration have no such commands, whatever the program thinks of that */
static void admin_queues_have_none(void **state)
{
	struct rig *rig = *state;
	struct sta_qp *io = rig->qp;

	rig->qp = rig_new_qp(rig);
	rig_connect_as(rig, rig->qp, 0);
	rig->qp->up = &noting;
	send_first(rig, true);
	assert_int_equal(got_count, 1);
	answer_all(rig);
	rig_drop_qp(rig, rig->qp);
	rig->qp = io;
}

struct wanted {
	struct sta_qp *qp;
	uint16_t cid;
	bool aborted;
};

static void abort_it(struct sta_eu *eu, void *arg)
{
	struct wanted *wanted = arg;

	(void)eu;
	wanted->aborted = cmd_abort_half(wanted->qp, wanted->cid);
}

static bool abort_half(struct rig *rig, uint16_t cid)
{
	struct wanted wanted = {.qp = rig->qp, .cid = cid};

	sta_eu_call(rig->qp->eu, abort_it, &wanted);
	return wanted.aborted;
}

static void one_that_waits_is_aborted(void **state)
{
	struct rig *rig = *state;

	for (unsigned int i = 0; i < 2; i++) {
		uint16_t cid = (uint16_t)rig->req_count;
		struct loop_req *first = send_first(rig, i);

		assert_false(abort_half(rig, cid + 1));
		assert_false(first->answered);
		assert_true(abort_half(rig, cid));
		settle(rig);
		assert_status(first, NVME_SC_ABORT_REQUESTED);
		assert_false(abort_half(rig, cid));
		assert_status(send_second(rig, true), NVME_SC_MISSING_FUSED);
	}
	send_first(rig, true);
	send_second(rig, true); /* it does not wait any more */
	assert_false(abort_half(rig, le16toh(got[0]->sqe.cid)));
	answer_all(rig);
}

#define ROW(test) cmocka_unit_test_setup_teardown(test, setup, rig_teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		ROW(both_come_at_once),
		ROW(a_half_that_is_alone_is_aborted),
		ROW(one_that_is_wrong_is_the_other_ones_end),
		ROW(halves_are_small),
		ROW(they_find_two_places_or_none),
		ROW(nobody_overtakes_them),
		ROW(nobody_waits_for_those_that_have_gone),
		ROW(one_place_is_enough_if_there_are_no_more),
		ROW(connections_end_with_halves),
		ROW(admin_queues_have_none),
		ROW(one_that_waits_is_aborted),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
