/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Commands that the application answers: how many it has at once, and what becomes of the others.
 */
#include "rig.h"

#define LIMIT 3u

static const struct nvme_cmd keep = {.opcode = 0xc0};

static int setup_limited(void **state)
{
	struct rig *rig;

	rig_setup_connected(state);
	rig = *state;
	rig->engine->attr.max_in_app = LIMIT;
	return 0;
}

static void settle(struct rig *rig)
{
	sta_engine_settle(rig->engine);
	mbox_deliver(&rig->inbox);
}

/* so many commands of the vendor's; data: each needs a buffer of the pool */
static void submit(struct rig *rig, struct sta_qp *qp, unsigned int count, bool data)
{
	while (count--)
		rig_submit(rig, qp, &keep, data ? RIG_BLOCK : 0, false);
	settle(rig);
}

static void the_others_wait_for_answers(void **state)
{
	struct rig *rig = *state;
	const unsigned int commands = rig->commands, answered = rig->answered;
	struct sta_op ops[7];

	submit(rig, rig->qp, LIMIT + ARRAY_SIZE(ops), false);
	assert_int_equal(rig->commands, commands + LIMIT);
	assert_int_equal(rig->qp->eu->counters.app_full, ARRAY_SIZE(ops));
	for (unsigned int i = 0; i < ARRAY_SIZE(ops); i++) {
		rig_answer(rig, &ops[i], rig->kept); /* any will do */
		RIG_UNTIL(rig, rig->answered == answered + i + 1);
		settle(rig);
		assert_int_equal(rig->commands, commands + LIMIT + i + 1);
		assert_int_equal(rig->qp->eu->app_count, LIMIT);
	}
	/* those that are left are taken back with the queue pair */
}

struct forgotten {
	struct sta_cmd *cmd;
	bool done;
};

static void forget(struct sta_eu *eu, void *arg)
{
	struct forgotten *f = arg;

	(void)eu;
	f->done = cmd_forget(f->cmd, cmd_generation(f->cmd));
}

/* a place is free again when its command is over, however it ends */
static void forgotten_commands_make_room(void **state)
{
	struct rig *rig = *state;
	const unsigned int commands = rig->commands;

	submit(rig, rig->qp, LIMIT + 2, true);
	assert_int_equal(rig->commands, commands + LIMIT);
	for (unsigned int i = 0; i < 2; i++) {
		struct forgotten f = {.cmd = rig->kept};

		sta_eu_call(rig->qp->eu, forget, &f);
		assert_true(f.done);
		settle(rig);
		assert_int_equal(rig->commands, commands + LIMIT + i + 1);
	}
}

/* so are their entries in the host's queue, of which no response will tell */
static void forgotten_commands_give_their_entries_back(void **state)
{
	struct rig *rig = *state;
	struct forgotten f;

	atomic_store(&rig->qp->sq_entries, LIMIT + 1);
	submit(rig, rig->qp, LIMIT, false);
	f = (struct forgotten){.cmd = rig->kept};
	sta_eu_call(rig->qp->eu, forget, &f);
	assert_true(f.done);
	submit(rig, rig->qp, 1, false);
	assert_int_equal(rig->failures, 0);
	submit(rig, rig->qp, 1, false);
	assert_int_equal(rig->failures, 1);
	assert_int_equal(rig->qp->error.operation, SOFTFIELD_STA_OVERRUN);
}

/* with two queue pairs: who holds one place leaves another */
static void a_place_is_left_for_each_queue_pair(void **state)
{
	struct rig *rig = *state;
	struct sta_qp *other = rig_new_qp(rig);
	unsigned int commands;
	struct sta_op op;

	rig_connect(rig, other);
	commands = rig->commands;
	submit(rig, rig->qp, 3 * LIMIT, false);
	assert_int_equal(rig->commands, commands + LIMIT - 1);
	for (unsigned int i = 0; i < 4; i++) {
		submit(rig, other, 2, false);
		assert_int_equal(other->in_app, 1);
		/* the next one takes its place */
		rig_answer(rig, &op, rig->kept);
		settle(rig);
		assert_int_equal(rig->kept->qp, other);
		assert_int_equal(rig->commands, commands + LIMIT + i + 1);
		assert_int_equal(rig->qp->in_app, LIMIT - 1);
	}
	rig_drop_qp(rig, other);
}

/* nor is one that waits overtaken by others that have none either */
static void places_are_given_in_order(void **state)
{
	struct rig *rig = *state;
	struct sta_qp *first = rig_new_qp(rig), *second = rig_new_qp(rig);
	struct sta_op ops[2];

	rig_connect(rig, first);
	rig_connect(rig, second);
	rig->engine->attr.max_in_app = 1;
	submit(rig, rig->qp, 1, false);
	submit(rig, first, 1, false);
	submit(rig, second, 1, false);
	rig_answer(rig, &ops[0], rig->kept);
	settle(rig);
	assert_ptr_equal(rig->kept->qp, first);
	submit(rig, rig->qp, 1, false);
	rig_answer(rig, &ops[1], rig->kept);
	settle(rig);
	assert_ptr_equal(rig->kept->qp, second);
	rig_drop_qp(rig, first);
	rig_drop_qp(rig, second);
}

static void who_needs_none_keeps_no_place(void **state)
{
	struct rig *rig = *state;
	struct sta_qp *admin = rig_new_qp(rig), *silent = rig_new_qp(rig);

	rig_connect_as(rig, admin, 0);
	submit(rig, rig->qp, LIMIT, false);
	assert_int_equal(rig->qp->in_app, LIMIT);
	assert_int_equal(rig->qp->eu->app_owed, 0);
	rig_drop_qp(rig, admin);
	rig_drop_qp(rig, silent);
	assert_int_equal(rig->qp->eu->app_owed, 0);
}

static struct sta_cmd *unsent[LIMIT];
static unsigned int unsent_count;

/* a host that does not read */
static void keep_answer(struct sta_cmd *cmd)
{
	unsent[unsent_count++] = cmd;
}

static void release_answers(struct sta_qp *qp)
{
	(void)qp;
	while (unsent_count)
		cmd_responded(unsent[--unsent_count], false);
}

static void is_over(struct sta_op *op)
{
	(void)op;
}

static void nothing_of_a_dead_queue_pair_comes_to_the_program(void **state)
{
	struct rig *rig = *state;
	static struct fabric_ops full; /* the engine keeps the queue pair */
	struct sta_cmd *cmds[LIMIT];
	struct sta_op ops[LIMIT];
	unsigned int i, commands;

	for (i = 0; i < LIMIT; i++) {
		submit(rig, rig->qp, 1, false);
		cmds[i] = rig->kept;
	}
	full = fabric_loop_ops;
	full.respond = keep_answer;
	full.stop = release_answers;
	rig->qp->fabric = &full;
	submit(rig, rig->qp, LIMIT, false);
	for (i = 0; i < LIMIT; i++) {
		rig_answer(rig, &ops[i], cmds[i]);
		ops[i].done = is_over;
	}
	settle(rig);
	commands = rig->commands;
	rig_drop_qp(rig, rig->qp);
	rig->qp = NULL;
	assert_int_equal(rig->commands, commands);
}

static void waiting_commands_go_with_their_queue_pair(void **state)
{
	struct rig *rig = *state;
	struct sta_qp *other = rig_new_qp(rig);
	unsigned int commands;

	rig_connect(rig, other);
	commands = rig->commands;
	submit(rig, rig->qp, LIMIT, false);
	submit(rig, other, 4, true);
	assert_int_equal(rig->commands, commands + LIMIT);
	rig_drop_qp(rig, other); /* no other of its commands has come to the program */
	assert_int_equal(rig->commands, commands + LIMIT + 1);
	assert_int_equal(rig->qp->in_app, LIMIT);
}

/* what a queue pair leaves behind makes room for those of others */
static void a_queue_pair_that_goes_makes_room(void **state)
{
	struct rig *rig = *state;
	struct sta_qp *other = rig_new_qp(rig);
	unsigned int commands;

	rig_connect(rig, other);
	commands = rig->commands;
	submit(rig, other, LIMIT, false);
	submit(rig, rig->qp, 3, false);
	assert_int_equal(rig->commands, commands + LIMIT);
	rig_drop_qp(rig, other);
	assert_int_equal(rig->qp->in_app, 3);
}

/* a byte now and then is not enough to keep others waiting */
static void only_what_is_worth_it_counts_as_progress(void **state)
{
	struct rig *rig = *state;
	struct sta_qp *qp = rig->qp;

	qp->owing_ns = 0;
	for (uint64_t now = 1; now < 4; now++) {
		qp->eu->now_ns = now;
		qp_note_moved(qp, 1);
		qp_note_moved(qp, (32 << 10) - 2);
		assert_int_equal(qp->owing_ns, now - 1);
		qp_note_moved(qp, 1);
		assert_int_equal(qp->owing_ns, now);
		qp_note_moved(qp, (size_t)1 << 40);
		assert_int_equal(qp->owing_ns, now);
	}
}

/* event requests are kept for ever, and that is right */
static void admin_queues_do_not_count(void **state)
{
	struct rig *rig = *state;
	const unsigned int commands = rig->commands;

	rig->qp->is_admin = true; /* nothing is under way */
	submit(rig, rig->qp, 3 * LIMIT, false);
	assert_int_equal(rig->commands, commands + 3 * LIMIT);
	assert_int_equal(rig->qp->eu->app_count, 0);
}

static void reads_and_writes_do_not_count(void **state)
{
	struct rig *rig = *state;
	const struct nvme_cmd read = rig_rw(NVME_CMD_READ, 1, 1);
	const unsigned int answered = rig->answered;
	struct nvme_cmd entry;

	submit(rig, rig->qp, LIMIT + 1, false);
	rig_submit(rig, rig->qp, &read, RIG_BLOCK, false);
	entry = rig_disk_take(rig, &rig->disk);
	rig_disk_complete(&rig->disk, entry.cid, NVME_SC_SUCCESS);
	RIG_UNTIL(rig, rig->answered == answered + 1);
}

/* disks take payloads at addresses that are multiples of four only */
static void payloads_begin_their_memory(void **state)
{
	struct rig *rig = *state;
	struct loop_req *req = &rig->reqs[RIG_REQS - 1];
	const unsigned int commands = rig->commands;

	memcpy(rig->memory, "abcdefg", 7);
	*req = (struct loop_req){.in_capsule = rig->memory,
				 .in_capsule_size = 7,
				 .done = rig_done,
				 .user = rig,
				 .cmd = {.opcode = 0xc1, .flags = NVME_FLAG_PSDT_SGL}};
	req->cmd.sgl.addr = htole64(3);
	req->cmd.sgl.length = htole32(4);
	req->cmd.sgl.type = NVME_SGL_DATA_OFFSET;
	fabric_loop_submit(rig->qp, req);
	RIG_UNTIL(rig, rig->commands > commands);
	assert_ptr_equal(rig->kept->buf, &rig->kept->in_capsule);
	assert_memory_equal(rig->kept->buf->data, "defg", 4);
}

static void note_refusal(struct sta_op *op)
{
	assert_err(op->result, IO_FAILED);
	*(bool *)op->arg = true;
}

static void answer_in_vain(struct rig *rig, struct sta_cmd *cmd, uint32_t generation)
{
	bool refused = false;
	struct sta_op op = {.reply = &rig->inbox,
			    .done = note_refusal,
			    .arg = &refused,
			    .cmd = cmd,
			    .generation = generation,
			    .qp = cmd->qp};

	cmd_app_respond(&op);
	RIG_UNTIL(rig, refused);
}

static void answers_that_come_too_late_free_their_command(void **state)
{
	struct rig *rig = *state;
	struct sta_op stop = {.reply = &rig->inbox, .done = rig_flag, .arg = &rig->disconnected};
	struct sta_qp *qp = rig_new_qp(rig);
	struct sta_cmd *cmd;

	rig_connect(rig, qp);
	submit(rig, qp, 1, true);
	cmd = rig->kept;
	rig->disconnected = false;
	sta_qp_disconnect(qp, &stop);
	RIG_UNTIL(rig, rig->disconnected);
	answer_in_vain(rig, cmd, cmd_generation(cmd) - 1); /* of an earlier command there */
	assert_int_equal(cmd->state, CMD_APP);
	answer_in_vain(rig, cmd, cmd_generation(cmd));
	assert_int_equal(cmd->state, CMD_FREE);
	sta_qp_close(qp);
	sta_qp_free(qp);
	settle(rig);
}

#define LIMITED(test) cmocka_unit_test_setup_teardown(test, setup_limited, rig_teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		LIMITED(the_others_wait_for_answers),
		LIMITED(forgotten_commands_make_room),
		LIMITED(forgotten_commands_give_their_entries_back),
		LIMITED(a_place_is_left_for_each_queue_pair),
		LIMITED(places_are_given_in_order),
		LIMITED(who_needs_none_keeps_no_place),
		LIMITED(nothing_of_a_dead_queue_pair_comes_to_the_program),
		LIMITED(waiting_commands_go_with_their_queue_pair),
		LIMITED(a_queue_pair_that_goes_makes_room),
		LIMITED(only_what_is_worth_it_counts_as_progress),
		LIMITED(answers_that_come_too_late_free_their_command),
		LIMITED(admin_queues_do_not_count),
		LIMITED(reads_and_writes_do_not_count),
		LIMITED(payloads_begin_their_memory),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
