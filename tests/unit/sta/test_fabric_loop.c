/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The fabric inside one process.
 */
#include "rig.h"

static void descriptors_say_where_the_data_is(void **state)
{
	struct nvme_cmd cmd = {0};
	struct capsule_data where;
	const uint8_t byte = 0;

	(void)state;
	fabric_loop_set_sgl(&cmd, &byte, 0xabcdef);
	assert_int_equal(capsule_parse_sgl(&cmd, CAPSULE_RDMA, 0, &where), NVME_SC_SUCCESS);
	assert_int_equal(where.place, CAPSULE_KEYED);
	assert_true(where.addr == (uintptr_t)&byte);
	assert_int_equal(where.size, 0xabcdef);
	assert_int_equal(where.key, LOOP_KEY);
}

/* the slots are all taken: what comes is not answered, and the queue pair fails */
static void more_than_there_are_slots(void **state)
{
	const struct nvme_cmd cmd = {.opcode = 0xc0};
	struct rig *rig = *state;
	unsigned int i, before = rig->answered;

	atomic_store(&rig->qp->sq_entries, 0);
	for (i = 0; i < RIG_QUEUE + 1; i++)
		rig_submit(rig, rig->qp, &cmd, 0, true);
	RIG_UNTIL(rig, rig->failures == 1 && rig->answered > before);
	assert_int_equal(rig->lost, 1);
	assert_int_equal(rig->answered, before + 1);
	assert_int_equal(rig->commands, 1 + RIG_QUEUE);
}

/* afterwards nobody is left waiting: every request comes back as lost */
static void requests_after_a_failure_come_back(void **state)
{
	struct rig *rig = *state;
	struct nvme_cmd write = rig_rw(NVME_CMD_WRITE, 1, 1);
	struct loop_req *req = &rig->reqs[0];
	unsigned int before;

	memset(req, 0, sizeof(*req));
	req->cmd = write;
	req->done = rig_done;
	req->user = rig;
	fabric_loop_set_sgl(&req->cmd, rig->memory, RIG_BLOCK);
	req->cmd.sgl.key[0] ^= 1;
	fabric_loop_submit(rig->qp, req);
	RIG_UNTIL(rig, rig->failures == 1);
	before = rig->answered;
	rig->req_count = 1;
	for (unsigned int i = 0; i < 5; i++)
		rig_submit(rig, rig->qp, &write, RIG_BLOCK, true);
	RIG_UNTIL(rig, rig->answered == before + 5);
	assert_true(rig->lost >= 5);
	assert_int_equal(rig->failures, 1); /* told once */
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(descriptors_say_where_the_data_is),
		cmocka_unit_test_setup_teardown(more_than_there_are_slots, rig_setup_connected,
						rig_teardown),
		cmocka_unit_test_setup_teardown(requests_after_a_failure_come_back,
						rig_setup_connected, rig_teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
