/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Abort. Names start with the row of the checklist.
 */
#include "host.h"

static struct nvmf_req aborts[NVMF_ABORTS_MAX + 1];

static int setup(void **state)
{
	struct host *h;

	host_setup_connected(state);
	h = *state;
	assert_int_equal(connect_io_queue(h, &h->io, 1), 0);
	memset(aborts, 0, sizeof(aborts));
	abort_result = NVMF_ABORT_NOT;
	asked_to_abort = 0;
	return 0;
}

static enum nvmf_verdict send_abort(struct host *h, unsigned int index, uint16_t qid, uint16_t cid)
{
	struct nvmf_req *req = &aborts[index];

	req->cmd.opcode = NVME_ADMIN_ABORT;
	req->cmd.flags = NVME_FLAG_PSDT_SGL;
	req->cmd.cdw10 = htole32(qid | (uint32_t)cid << 16);
	return nvmf_execute(h->target, &h->admin, req);
}

static void A3_of_an_event_request(void **state)
{
	struct host *h = *state;
	struct nvmf_req aer;

	assert_int_equal(send_aer(h, &aer, 77), NVMF_HOLD);
	assert_int_equal(send_abort(h, 0, 0, 78), NVMF_RESPOND);
	assert_int_equal(aborts[0].dw0, 1);
	assert_int_equal(send_abort(h, 0, 0, 77), NVMF_RESPOND);
	assert_int_equal(aborts[0].dw0, 0);
	assert_ptr_equal(completed[0], &aer);
	assert_int_equal(aer.status, NVME_SC_ABORT_REQUESTED);
	assert_int_equal(asked_to_abort, 0);
}

static void A3_of_what_the_program_does_not_have(void **state)
{
	struct host *h = *state;

	assert_int_equal(send_abort(h, 0, 1, 5), NVMF_RESPOND);
	assert_int_equal(aborts[0].status, 0);
	assert_int_equal(aborts[0].dw0, 1);
	assert_int_equal(asked_to_abort, 1);
	assert_int_equal(send_abort(h, 0, 2, 5), NVMF_RESPOND); /* no such queue */
	assert_int_equal(aborts[0].dw0, 1);
	assert_int_equal(asked_to_abort, 1);
}

static void A3_of_what_waits(void **state)
{
	struct host *h = *state;

	abort_result = NVMF_ABORT_DONE;
	assert_int_equal(send_abort(h, 0, 1, 5), NVMF_RESPOND);
	assert_int_equal(aborts[0].dw0, 0);
	assert_ptr_equal(abort_queue, &h->io);
	assert_int_equal(abort_cid, 5);
}

static void A3_waits_for_the_end_of_the_other(void **state)
{
	struct host *h = *state;

	abort_result = NVMF_ABORT_LATER;
	assert_int_equal(send_abort(h, 0, 1, 5), NVMF_HOLD);
	assert_int_equal(send_abort(h, 1, 1, 6), NVMF_HOLD);
	nvmf_queue_ended(&h->io, 7, NVME_SC_SUCCESS);
	assert_int_equal(completed_count, 0);
	nvmf_queue_ended(&h->io, 6, NVME_SC_ABORT_REQUESTED);
	assert_int_equal(completed_count, 1);
	assert_ptr_equal(completed[0], &aborts[1]);
	assert_int_equal(aborts[1].status, 0);
	assert_int_equal(aborts[1].dw0, 0);
	nvmf_queue_ended(&h->io, 5, NVME_SC_SUCCESS); /* it was too late */
	assert_ptr_equal(completed[1], &aborts[0]);
	assert_int_equal(aborts[0].status, 0);
	assert_int_equal(aborts[0].dw0, 1);
}

static void A3_more_than_the_limit(void **state)
{
	struct host *h = *state;
	unsigned int i;

	assert_int_equal(identify_ctrl(h)->acl, NVMF_ABORTS_MAX - 1);
	abort_result = NVMF_ABORT_LATER;
	for (i = 0; i < NVMF_ABORTS_MAX; i++)
		assert_int_equal(send_abort(h, i, 1, (uint16_t)i), NVMF_HOLD);
	assert_int_equal(send_abort(h, i, 1, (uint16_t)i), NVMF_RESPOND);
	assert_int_equal(aborts[i].status, NVME_SC_ABORT_LIMIT);
	nvmf_queue_ended(&h->io, 0, NVME_SC_ABORT_REQUESTED);
	assert_int_equal(send_abort(h, 0, 1, 0), NVMF_HOLD);
}

static void A3_queues_end_meanwhile(void **state)
{
	struct host *h = *state;

	abort_result = NVMF_ABORT_LATER;
	assert_int_equal(send_abort(h, 0, 1, 5), NVMF_HOLD);
	nvmf_queue_closed(&h->io);
	assert_ptr_equal(completed[0], &aborts[0]);
	assert_int_equal(aborts[0].dw0, 1);
	assert_int_equal(connect_io_queue(h, &h->io, 1), 0);
	assert_int_equal(send_abort(h, 0, 1, 5), NVMF_HOLD);
	nvmf_queue_closed(&h->admin);
	nvmf_queue_ended(&h->io, 5, NVME_SC_ABORT_REQUESTED);
	assert_int_equal(completed_count, 1); /* there is nobody to tell */
}

static void A3_a_reset_ends_it_silently(void **state)
{
	struct host *h = *state;

	abort_result = NVMF_ABORT_LATER;
	assert_int_equal(send_abort(h, 0, 1, 5), NVMF_HOLD);
	set_cc(h, 0);
	assert_int_equal(forgotten_count, 1);
	nvmf_queue_ended(&h->io, 5, NVME_SC_ABORT_REQUESTED);
	assert_int_equal(completed_count, 0);
}

#define ABORT_TEST(name) cmocka_unit_test_setup_teardown(name, setup, host_teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		ABORT_TEST(A3_of_an_event_request),
		ABORT_TEST(A3_of_what_the_program_does_not_have),
		ABORT_TEST(A3_of_what_waits),
		ABORT_TEST(A3_waits_for_the_end_of_the_other),
		ABORT_TEST(A3_more_than_the_limit),
		ABORT_TEST(A3_queues_end_meanwhile),
		ABORT_TEST(A3_a_reset_ends_it_silently),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
