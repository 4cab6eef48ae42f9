/* SPDX-License-Identifier: BSD-3-Clause */
#include "rig.h"

static struct sta_beq *route(struct rig *rig, unsigned int eu)
{
	return atomic_load(&rig->be.route[eu]);
}

/* a queue of its own for each thread as far as they go, else the first one */
static void threads_use_their_own_queues(void **state)
{
	struct rig *rig = *state;
	static struct rig_disk second, third;

	memset(&second, 0, sizeof(second));
	memset(&third, 0, sizeof(third));
	assert_ptr_equal(route(rig, 0), rig->disk.beq);
	assert_ptr_equal(route(rig, 1), rig->disk.beq);
	rig_add_disk(rig, &second);
	assert_ptr_equal(route(rig, 0), rig->disk.beq);
	assert_ptr_equal(route(rig, 1), second.beq);
	rig_add_disk(rig, &third); /* nobody needs it */
	rig_destroy_queue(rig, rig->disk.beq);
	sta_beq_free(rig->disk.beq);
	rig->disk.beq = NULL;
	assert_ptr_equal(route(rig, 0), third.beq);
	assert_ptr_equal(route(rig, 1), second.beq);
	rig_destroy_queue(rig, second.beq);
	sta_beq_free(second.beq);
	assert_ptr_equal(route(rig, 1), third.beq);
	rig_destroy_queue(rig, third.beq);
	sta_beq_free(third.beq);
	assert_null(route(rig, 0));
	assert_int_equal(rig->be.queue_count, 0);
}

static void odd_rings_are_refused(void **state)
{
	struct rig *rig = *state;
	struct nvme_queue_attr rings = {.entries = 3};
	struct sta_beq *beq;

	assert_err(sta_beq_create(&rig->be, &rings, NULL, false, NULL, &beq), INVALID_VALUE);
	assert_int_equal(rig->be.queue_count, 1);
}

/* answered at once, but the buffers stay out until the disk cannot reach them any more */
static void buffers_of_destroyed_queues_are_kept(void **state)
{
	struct rig *rig = *state;
	struct sta_pool *pool = &rig->qp->eu->pool;
	struct nvme_cmd cmd = rig_rw(NVME_CMD_READ, 1, 1);
	struct loop_req *reqs[2];
	unsigned int i, start = rig->answered;

	for (i = 0; i < 2; i++)
		reqs[i] = rig_submit(rig, rig->qp, &cmd, RIG_BLOCK, false);
	RIG_UNTIL(rig, rig_disk_new(&rig->disk) == 2);
	rig_destroy_queue(rig, rig->disk.beq);
	RIG_UNTIL(rig, rig->answered == start + 2);
	for (i = 0; i < 2; i++)
		assert_int_equal(nvme_cqe_status(&reqs[i]->cqe), NVME_SC_ABORT_SQ_DELETED);
	sta_engine_settle(rig->engine);
	assert_int_equal(pool->free_count, pool->count - 2);
	assert_int_equal(rig->qp->bufs, 0);
	assert_int_equal(rig_do(rig, &cmd, RIG_BLOCK, false), NVME_SC_NS_NOT_READY);
	sta_beq_retire(rig->disk.beq); /* nobody knows about the disk */
	sta_engine_settle(rig->engine);
	assert_int_equal(pool->free_count, pool->count - 2);
	sta_be_release_buffers(&rig->be);
	assert_int_equal(pool->free_count, pool->count);
	rig->disk.beq = NULL;
}

/*
 * A write whose data came with the command is answered, while the disk has still to look at it. It
 * finds that data, and not what other commands bring, nor another host's.
 */
static void so_is_data_that_came_with_a_command(void **state)
{
	struct rig *rig = *state;
	struct nvme_cmd cmd = rig_rw(NVME_CMD_WRITE, 1, 1), entry;
	unsigned int start = rig->answered;
	const uint8_t *seen;
	struct loop_req *req;

	memset(rig->memory, 'A', RIG_BLOCK);
	req = rig_submit(rig, rig->qp, &cmd, RIG_BLOCK, true);
	entry = rig_disk_take(rig, &rig->disk);
	seen = (const uint8_t *)(uintptr_t)le64toh(entry.prp1);
	rig_destroy_queue(rig, rig->disk.beq);
	RIG_UNTIL(rig, rig->answered == start + 1);
	assert_int_equal(nvme_cqe_status(&req->cqe), NVME_SC_ABORT_SQ_DELETED);
	memset(rig->memory, 'B', RIG_BLOCK);
	for (unsigned int host = 0; host < 2; host++) {
		for (unsigned int i = 0; i < RIG_QUEUE; i++)
			assert_int_equal(rig_do(rig, &cmd, RIG_BLOCK, true), NVME_SC_NS_NOT_READY);
		assert_int_equal(seen[0], 'A');
		assert_int_equal(seen[RIG_BLOCK - 1], 'A');
		rig_drop_qp(rig, rig->qp);
		rig->qp = rig_new_qp(rig);
		rig_connect(rig, rig->qp);
	}
	sta_beq_retire(rig->disk.beq);
	sta_be_release_buffers(&rig->be);
	rig->disk.beq = NULL;
}

/* Those that waited for the share of their queue pair, which the kept ones are not in any more. */
static void who_waits_for_buffers_goes_on(void **state)
{
	struct rig *rig = *state;
	struct nvme_cmd cmd = rig_rw(NVME_CMD_READ, 1, 1);
	unsigned int i, start = rig->answered;

	for (i = 0; i < 6; i++)
		rig_submit(rig, rig->qp, &cmd, RIG_BLOCK, false);
	sta_engine_settle(rig->engine);
	assert_false(list_is_empty(&rig->qp->wait_buffer));
	rig_destroy_queue(rig, rig->disk.beq);
	RIG_UNTIL(rig, rig->answered == start + 6);
	sta_beq_retire(rig->disk.beq);
	rig->disk.beq = NULL;
	sta_be_release_buffers(&rig->be);
}

/* commands that found no place are answered, too, and those of other threads */
static void waiting_commands_are_answered(void **state)
{
	struct rig *rig = *state;
	struct nvme_cmd cmd = rig_rw(NVME_CMD_WRITE, 1, 1);
	unsigned int i, start = rig->answered;

	for (i = 0; i < 12; i++)
		rig_submit(rig, rig->qp, &cmd, RIG_BLOCK, true);
	sta_engine_settle(rig->engine); /* later commands would find no queue */
	RIG_UNTIL(rig, rig_disk_new(&rig->disk) == RIG_ENTRIES - 1);
	rig_destroy_queue(rig, rig->disk.beq);
	RIG_UNTIL(rig, rig->answered == start + 12);
	for (i = 0; i < 12; i++)
		assert_int_equal(nvme_cqe_status(&rig->reqs[(start + i) % RIG_REQS].cqe),
				 NVME_SC_ABORT_SQ_DELETED);
	sta_beq_free(rig->disk.beq);
	rig->disk.beq = NULL;
}

static sem_t may_respond;

/* the thread that has the queue pair is slow */
static void respond_late(struct sta_cmd *cmd)
{
	while (sem_wait(&may_respond))
		;
	fabric_loop_ops.respond(cmd);
}

static void answers_that_are_under_way_outlive_the_queue(void **state)
{
	struct rig *rig = *state;
	struct fabric_ops slow = fabric_loop_ops;
	struct nvme_cmd cmd = rig_rw(NVME_CMD_WRITE, 1, 1);
	unsigned int i, start = rig->answered;

	slow.respond = respond_late;
	rig->qp->fabric = &slow;
	assert_int_equal(sem_init(&may_respond, 0, 0), 0);
	for (i = 0; i < 3; i++)
		rig_submit(rig, rig->qp, &cmd, RIG_BLOCK, true);
	RIG_UNTIL(rig, rig_disk_new(&rig->disk) == 3);
	rig_destroy_queue(rig, rig->disk.beq);
	sta_beq_free(rig->disk.beq);
	rig->disk.beq = NULL;
	for (i = 0; i < 3; i++)
		sem_post(&may_respond);
	RIG_UNTIL(rig, rig->answered == start + 3);
	sta_engine_settle(rig->engine);
	rig->qp->fabric = &fabric_loop_ops;
	sem_destroy(&may_respond);
}

static int setup_idle(void **state)
{
	*state = rig_create(2);
	return 0;
}

/* the queue pair in one thread, the disk's queue in the other one */
static int setup_remote(void **state)
{
	struct rig *rig = rig_create(2);

	rig->engine->eus[0].qp_count = 100; /* looks busy */
	rig->qp = rig_new_qp(rig);
	rig_connect(rig, rig->qp);
	assert_ptr_not_equal(rig->qp->eu, rig->disk.beq->owner);
	*state = rig;
	return 0;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(threads_use_their_own_queues, setup_idle,
						rig_teardown),
		cmocka_unit_test_setup_teardown(odd_rings_are_refused, setup_idle, rig_teardown),
		cmocka_unit_test_setup_teardown(buffers_of_destroyed_queues_are_kept,
						rig_setup_connected, rig_teardown),
		cmocka_unit_test_setup_teardown(buffers_of_destroyed_queues_are_kept, setup_remote,
						rig_teardown),
		cmocka_unit_test_setup_teardown(so_is_data_that_came_with_a_command,
						rig_setup_connected, rig_teardown),
		cmocka_unit_test_setup_teardown(so_is_data_that_came_with_a_command, setup_remote,
						rig_teardown),
		cmocka_unit_test_setup_teardown(who_waits_for_buffers_goes_on, setup_remote,
						rig_teardown),
		cmocka_unit_test_setup_teardown(waiting_commands_are_answered, rig_setup_connected,
						rig_teardown),
		cmocka_unit_test_setup_teardown(waiting_commands_are_answered, setup_remote,
						rig_teardown),
		cmocka_unit_test_setup_teardown(answers_that_are_under_way_outlive_the_queue,
						setup_remote, rig_teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
