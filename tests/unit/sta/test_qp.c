/* SPDX-License-Identifier: BSD-3-Clause */
#include "rig.h"

#include <unistd.h>

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

/* If one is due within the second, now. */
static void tick_early(struct sta_eu *eu, void *arg)
{
	bool *has_ticked = arg;

	*has_ticked = list_is_linked(&eu->tick.node);
	if (!*has_ticked)
		return;
	priv_poll_group_timer_remove(&eu->tick);
	eu->tick.fire(&eu->tick);
}

/* The engine looks after its queue pairs, and tells of what has failed. */
static void tick(struct rig *rig)
{
	bool has_ticked;

	do {
		sched_yield();
		sta_eu_call(rig->qp->eu, tick_early, &has_ticked);
	} while (!has_ticked);
	mbox_deliver(&rig->inbox);
}

static void pass_deadline(struct sta_eu *eu, void *arg)
{
	(void)eu;
	((struct sta_qp *)arg)->deadline_ns = 0;
}

/* the time for setting up is over */
static void expire(struct rig *rig)
{
	sta_eu_call(rig->qp->eu, pass_deadline, rig->qp);
	tick(rig);
}

static void submit_connect(struct rig *rig)
{
	const struct nvmf_connect_cmd connect = {
		.opcode = NVME_CMD_FABRICS, .fctype = NVME_FC_CONNECT, .qid = htole16(1)};
	struct nvme_cmd cmd;

	memcpy(&cmd, &connect, sizeof(cmd));
	rig_submit(rig, rig->qp, &cmd, 1024, true);
	RIG_UNTIL(rig, rig->commands == 1);
}

static void programs_may_take_their_time_for_connect(void **state)
{
	struct rig *rig = *state;
	struct sta_op op;

	submit_connect(rig);
	expire(rig);
	assert_int_equal(rig->failures, 0);
	rig_answer(rig, &op, rig->kept);
	RIG_UNTIL(rig, rig->answered == 1);
	assert_int_equal(rig->lost, 0);
	sta_engine_settle(rig->engine); /* op has been delivered, too */
	mbox_deliver(&rig->inbox);
}

/* a host cannot stay without being let in by asking again and again */
static void refused_connects_do_not_help(void **state)
{
	struct rig *rig = *state;
	struct sta_op op = {.reply = &rig->inbox, .done = rig_answered, .qp = rig->qp};

	submit_connect(rig);
	op.cmd = rig->kept;
	op.generation = cmd_generation(rig->kept);
	op.cqe.status = htole16(NVME_SC_CONNECT_INVALID_HOST << 1);
	cmd_app_respond(&op);
	RIG_UNTIL(rig, rig->answered == 1);
	expire(rig);
	RIG_UNTIL(rig, rig->failures == 1);
	assert_int_equal(rig->qp->error.operation, SOFTFIELD_STA_SETUP);
}

static void sleep_a_minute(struct sta_eu *eu, void *arg)
{
	struct sta_qp *qp = arg;

	eu->now_ns -= 60 * 1000000000ull;
	qp->deadline_ns = eu->now_ns + 10 * 1000000000ull;
}

static void our_own_sleep_is_not_the_hosts_fault(void **state)
{
	struct rig *rig = *state;

	sta_eu_call(rig->qp->eu, sleep_a_minute, rig->qp);
	tick(rig);
	assert_int_equal(rig->failures, 0);
	expire(rig);
	RIG_UNTIL(rig, rig->failures == 1);
}

struct debt {
	struct sta_qp *qp;
	uint32_t commands;	/* that wait for the host */
	uint64_t idle_s;	/* that long it has done nothing about them, */
	uint64_t others_wait_s; /* and that long commands have waited for a place */
};

static void owe(struct sta_eu *eu, void *arg)
{
	const struct debt *debt = arg;

	debt->qp->owing = debt->commands;
	debt->qp->owing_ns = eu->now_ns - debt->idle_s * 1000000000ull;
	eu->app_full_ns = eu->now_ns - debt->others_wait_s * 1000000000ull;
}

static void only_hosts_that_keep_others_waiting_must_go(void **state)
{
	static const struct {
		uint32_t commands;
		uint64_t idle_s, others_wait_s;
		bool fails;
	} rows[] = {{0, 9, 9, false}, {1, 9, 2, false}, {1, 2, 9, false}, {1, 5, 5, true}};
	const struct nvme_cmd cmd = {.opcode = 0xc0};
	struct rig *rig = *state;
	size_t i;

	rig->engine->attr.max_in_app = 1;
	rig_submit(rig, rig->qp, &cmd, 0, false);
	rig_submit(rig, rig->qp, &cmd, 0, false); /* this one waits */
	sta_engine_settle(rig->engine);
	for (i = 0; i < ARRAY_SIZE(rows); i++) {
		struct debt debt = {rig->qp, rows[i].commands, rows[i].idle_s,
				    rows[i].others_wait_s};

		sta_eu_call(rig->qp->eu, owe, &debt);
		tick(rig);
		assert_int_equal(rig->failures, rows[i].fails);
	}
	assert_int_equal(rig->qp->error.operation, SOFTFIELD_STA_KEPT_WAITING);
}

struct silence {
	struct sta_beq *beq;
	bool is_late;
};

static void sleep_two_minutes(struct sta_eu *eu, void *arg)
{
	eu->now_ns -= 120 * 1000000000ull;
	((struct silence *)arg)->beq->progress_ns = eu->now_ns;
}

static void pass_two_minutes(struct sta_eu *eu, void *arg)
{
	((struct silence *)arg)->beq->progress_ns = eu->now_ns - 120 * 1000000000ull;
}

static void look_whether_late(struct sta_eu *eu, void *arg)
{
	struct silence *silence = arg;

	(void)eu;
	silence->is_late = silence->beq->late;
}

static bool is_late(struct silence *silence)
{
	sta_eu_call(silence->beq->owner, look_whether_late, silence);
	return silence->is_late;
}

static void nor_the_disks(void **state)
{
	struct rig *rig = *state;
	struct nvme_cmd cmd = rig_rw(NVME_CMD_WRITE, 1, 1), entry;
	struct silence silence = {.beq = rig->disk.beq};
	const unsigned int answered = rig->answered;
	bool was_late;

	rig_submit(rig, rig->qp, &cmd, RIG_BLOCK, true);
	entry = rig_disk_take(rig, &rig->disk);
	sta_eu_call(silence.beq->owner, sleep_two_minutes, &silence);
	tick(rig);
	was_late = is_late(&silence);
	sta_eu_call(silence.beq->owner, pass_two_minutes, &silence);
	tick(rig);
	assert_true(is_late(&silence));
	rig_disk_complete(&rig->disk, entry.cid, NVME_SC_SUCCESS);
	RIG_UNTIL(rig, rig->answered > answered);
	assert_false(was_late);
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

/*
 * A disk of ours in a file, whose blocks another queue has: a discard that nobody polls any more.
 */
struct shared_disk {
	struct vctrl *ctrl;
	struct rig_disk disk, other;
	struct vctrl_queue *device, *other_device;
	struct nvme_queue other_host;
	struct sta_ns *ns;
};

static struct nvme_queue_attr rings_of(struct rig_disk *disk)
{
	return (struct nvme_queue_attr){
		.sq = disk->sq,
		.cq = disk->cq,
		.sq_doorbell = &disk->doorbells[0],
		.cq_doorbell = &disk->doorbells[1],
		.entries = RIG_ENTRIES,
	};
}

static void begin_discard(struct shared_disk *d)
{
	static _Alignas(NVME_PAGE_SIZE) struct nvme_dsm_range ranges[2];
	struct nvme_cmd *cmd = nvme_queue_prepare(&d->other_host, d);

	ranges[0].nlb = htole32(1u << 20);
	cmd->opcode = NVME_CMD_DSM;
	cmd->nsid = htole32(1);
	cmd->prp1 = htole64((uintptr_t)ranges);
	cmd->cdw11 = htole32(NVME_DSM_AD);
	nvme_queue_ring(&d->other_host);
	vctrl_queue_poll(d->other_device);
}

static void open_shared_disk(struct rig *rig, struct shared_disk *d)
{
	const struct vctrl_attr attr = {.max_transfer = RIG_MAX_IO};
	char path[] = "/tmp/sta-qp-XXXXXX";
	struct vctrl_file_attr file = {.path = path, .no_uring = true};
	struct nvme_queue_attr rings = rings_of(&d->disk), other = rings_of(&d->other);
	struct vctrl_medium *medium;
	int fd = mkstemp(path);
	uint32_t nsid;

	assert_int_equal(ftruncate(fd, (off_t)RIG_BLOCK << 20), 0);
	close(fd);
	assert_ok(vctrl_create(&attr, &d->ctrl));
	assert_ok(vctrl_file_create(&file, &medium));
	unlink(path);
	assert_ok(vctrl_add_ns(d->ctrl, medium, RIG_BLOCK, &nsid));
	assert_ok(vctrl_queue_open(d->ctrl, &rings, &d->device));
	assert_ok(vctrl_queue_open(d->ctrl, &other, &d->other_device));
	assert_ok(nvme_queue_init(&d->other_host, &other));
	begin_discard(d);
	rig_destroy_queue(rig, rig->disk.beq);
	sta_beq_free(rig->disk.beq);
	assert_ok(sta_beq_create(&rig->be, &rings, d->device, false, rig, &rig->disk.beq));
	assert_ok(sta_ns_add(&rig->subsys, 2, RIG_BLOCK, nsid, &rig->be, &d->ns));
}

static void close_shared_disk(struct rig *rig, struct shared_disk *d)
{
	rig_remove_ns(d->ns);
	rig_destroy_queue(rig, rig->disk.beq);
	vctrl_queue_close(d->device);
	sta_beq_free(rig->disk.beq);
	rig->disk.beq = NULL;
	vctrl_queue_close(d->other_device);
	nvme_queue_fini(&d->other_host);
	vctrl_destroy(d->ctrl);
}

static void disconnecting_waits_for_no_others_blocks(void **state)
{
	static struct shared_disk d;
	struct rig *rig = *state;
	struct nvme_cmd cmd = rig_rw(NVME_CMD_WRITE, 2, 1);
	struct sta_eu *eu = rig->qp->eu;
	unsigned int answered = rig->answered;

	open_shared_disk(rig, &d);
	rig_submit(rig, rig->qp, &cmd, RIG_BLOCK, true);
	rig_submit(rig, rig->qp, &cmd, RIG_BLOCK, false);
	RIG_UNTIL(rig, __atomic_load_n(&eu->counters.be_submitted, __ATOMIC_RELAXED) == 2);
	rig_drop_qp(rig, rig->qp);
	rig->qp = NULL;
	assert_int_equal(rig->answered, answered);
	assert_int_equal(eu->counters.be_completed, 2);
	assert_int_equal(eu->counters.be_err, 0);
	assert_int_equal(eu->counters.writes, 0);
	assert_int_equal(rig->disk.beq->counters.aborted, 2);
	assert_int_equal(rig->disk.beq->counters.errors, 0);
	close_shared_disk(rig, &d);
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
		cmocka_unit_test_setup_teardown(programs_may_take_their_time_for_connect, rig_setup,
						rig_teardown),
		cmocka_unit_test_setup_teardown(refused_connects_do_not_help, rig_setup,
						rig_teardown),
		cmocka_unit_test_setup_teardown(our_own_sleep_is_not_the_hosts_fault, rig_setup,
						rig_teardown),
		cmocka_unit_test_setup_teardown(nor_the_disks, rig_setup_connected, rig_teardown),
		cmocka_unit_test_setup_teardown(only_hosts_that_keep_others_waiting_must_go,
						rig_setup_connected, rig_teardown),
		cmocka_unit_test_setup_teardown(disconnecting_waits_for_the_disk,
						rig_setup_connected, rig_teardown),
		cmocka_unit_test_setup_teardown(disconnecting_waits_for_no_others_blocks,
						rig_setup_connected, rig_teardown),
		cmocka_unit_test_setup_teardown(kept_commands_do_not_hold_up_anything,
						rig_setup_connected, rig_teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
