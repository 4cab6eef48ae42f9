/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Commands of I/O queues; fused ones: Compare, held for its Write. Names start with the row of the
 * checklist.
 */
#include "host.h"

static struct nvmf_req first, second;

static struct nvmf_ns *add_fusing(struct host *h, unsigned int block_shift)
{
	const struct nvmf_ns_attr attr = {.nsid = 7,
					  .blocks = 64,
					  .block_shift = block_shift,
					  .can_fuse = true,
					  .oncs = NVME_ONCS_OURS};
	struct nvmf_ns *ns;

	assert_int_equal(nvmf_ns_add(h->subsys, &attr, &ns), DOCA_SUCCESS);
	return ns;
}

static int setup_with(void **state, unsigned int block_shift)
{
	struct host *h;

	host_setup_connected(state);
	h = *state;
	add_fusing(h, block_shift);
	assert_int_equal(connect_io_queue(h, &h->io, 1), 0);
	completed_count = 0;
	return 0;
}

static int setup(void **state)
{
	return setup_with(state, 12);
}

static int setup_large(void **state)
{
	return setup_with(state, 14); /* more than comes with a capsule */
}

static enum nvmf_verdict send(struct host *h, struct nvmf_req *req, uint8_t opcode, uint8_t fused)
{
	memset(req, 0, sizeof(*req));
	req->cmd.opcode = opcode;
	req->cmd.flags = NVME_FLAG_PSDT_SGL | fused;
	req->cmd.nsid = htole32(7);
	req->cmd.cdw10 = htole32(3);
	return nvmf_execute(h->target, &h->io, req);
}

static enum nvmf_verdict send_first(struct host *h)
{
	return send(h, &first, NVME_CMD_COMPARE, NVME_FUSED_FIRST);
}

static enum nvmf_verdict send_second(struct host *h)
{
	return send(h, &second, NVME_CMD_WRITE, NVME_FUSED_SECOND);
}

static void Q11_compare_and_write_are_one(void **state)
{
	struct host *h = *state;

	assert_int_equal(send_first(h), NVMF_HOLD);
	assert_int_equal(send_second(h), NVMF_EXECUTE);
	assert_ptr_equal(second.first, &first);
	assert_ptr_equal(second.ns, first.ns);
	assert_int_equal(second.ns->nsid, 7);
	assert_int_equal(completed_count, 0);
	/* what comes now has nothing to do with them */
	assert_int_equal(send(h, &first, NVME_CMD_WRITE, 0), NVMF_EXECUTE);
	assert_null(first.first);
	assert_int_equal(completed_count, 0);
}

static void Q11_a_missing_half(void **state)
{
	struct host *h = *state;

	assert_int_equal(send_second(h), NVMF_RESPOND);
	assert_int_equal(second.status, NVME_SC_MISSING_FUSED);
	assert_int_equal(send_first(h), NVMF_HOLD);
	assert_int_equal(send(h, &second, NVME_CMD_READ, 0), NVMF_EXECUTE);
	assert_int_equal(completed_count, 1);
	assert_ptr_equal(completed[0], &first);
	assert_int_equal(first.status, NVME_SC_MISSING_FUSED);
	assert_int_equal(send_second(h), NVMF_RESPOND);
	assert_int_equal(second.status, NVME_SC_MISSING_FUSED);
}

static void A3_of_a_half(void **state)
{
	struct host *h = *state;
	struct nvmf_req abort = {.cmd = {.opcode = NVME_ADMIN_ABORT, .flags = NVME_FLAG_PSDT_SGL}};

	assert_int_equal(send_first(h), NVMF_HOLD);
	abort.cmd.cdw10 = htole32(h->io.qid | (le16toh(first.cmd.cid) + 1u) << 16);
	abort_result = NVMF_ABORT_NOT;
	assert_int_equal(nvmf_execute(h->target, &h->admin, &abort), NVMF_RESPOND);
	assert_int_equal(abort.dw0, 1);
	assert_int_equal(completed_count, 0);
	abort.cmd.cdw10 = htole32(h->io.qid | (uint32_t)le16toh(first.cmd.cid) << 16);
	assert_int_equal(nvmf_execute(h->target, &h->admin, &abort), NVMF_RESPOND);
	assert_int_equal(abort.dw0, 0);
	assert_ptr_equal(completed[0], &first);
	assert_int_equal(first.status, NVME_SC_ABORT_REQUESTED);
	assert_int_equal(send_second(h), NVMF_RESPOND);
	assert_int_equal(second.status, NVME_SC_MISSING_FUSED);
	assert_int_equal(completed_count, 1);
}

static void Q11_a_failed_half(void **state)
{
	struct host *h = *state;

	assert_int_equal(send(h, &first, NVME_CMD_READ, NVME_FUSED_FIRST), NVMF_RESPOND);
	assert_int_equal(first.status, DNR(NVME_SC_INVALID_FIELD));
	assert_int_equal(send_second(h), NVMF_RESPOND);
	assert_int_equal(second.status, NVME_SC_FAILED_FUSED);
	assert_int_equal(send_second(h), NVMF_RESPOND);
	assert_int_equal(second.status, NVME_SC_MISSING_FUSED);
}

static void assert_misfit(struct host *h, const struct nvme_cmd *cmd)
{
	completed_count = 0;
	assert_int_equal(send_first(h), NVMF_HOLD);
	memset(&second, 0, sizeof(second));
	second.cmd = *cmd;
	assert_int_equal(nvmf_execute(h->target, &h->io, &second), NVMF_RESPOND);
	assert_int_equal(second.status, DNR(NVME_SC_INVALID_FIELD));
	assert_int_equal(completed_count, 1);
	assert_int_equal(first.status, DNR(NVME_SC_INVALID_FIELD));
}

static void Q11_halves_that_do_not_fit(void **state)
{
	const struct nvme_cmd fits = {.opcode = NVME_CMD_WRITE,
				      .flags = NVME_FLAG_PSDT_SGL | NVME_FUSED_SECOND,
				      .nsid = htole32(7),
				      .cdw10 = htole32(3)};
	struct nvme_cmd cmd;

	cmd = fits;
	cmd.opcode = NVME_CMD_COMPARE;
	assert_misfit(*state, &cmd);
	cmd = fits;
	cmd.nsid = htole32(1);
	assert_misfit(*state, &cmd);
	cmd = fits;
	cmd.cdw10 = htole32(4);
	assert_misfit(*state, &cmd);
	cmd = fits;
	cmd.cdw11 = htole32(1);
	assert_misfit(*state, &cmd);
	cmd = fits;
	cmd.cdw12 = htole32(1); /* ACWU is one block */
	assert_misfit(*state, &cmd);
}

/* Between the two the disk may be exchanged for another one. */
static void Q11_both_halves_are_for_the_disk_that_is_there(void **state)
{
	struct host *h = *state;
	struct nvmf_ns *other;

	assert_int_equal(send_first(h), NVMF_HOLD);
	nvmf_ns_remove(first.ns);
	other = add_fusing(h, 9);
	assert_int_equal(send_second(h), NVMF_EXECUTE);
	assert_ptr_equal(second.ns, other);
	assert_ptr_equal(first.ns, other);
	assert_int_equal(send_first(h), NVMF_HOLD);
	nvmf_ns_remove(other);
	add_fusing(h, 14); /* which is too large for that */
	assert_int_equal(send_second(h), NVMF_RESPOND);
	assert_int_equal(second.status, DNR(NVME_SC_INVALID_FIELD));
	assert_int_equal(first.status, NVME_SC_FAILED_FUSED);
}

static void Q11_both_bits_are_none_of_the_two(void **state)
{
	struct host *h = *state;

	assert_int_equal(send(h, &first, NVME_CMD_WRITE, 3), NVMF_RESPOND);
	assert_int_equal(first.status, DNR(NVME_SC_INVALID_FIELD));
}

/* the queue's end is that of what it holds: nobody answers it afterwards */
static void Q11_a_queue_ends_with_a_half(void **state)
{
	struct host *h = *state;

	assert_int_equal(send_first(h), NVMF_HOLD);
	nvmf_queue_closed(&h->io);
	assert_null(h->io.half);
	assert_int_equal(completed_count, 0);
}

/* what cannot be done on all namespaces is not announced */
static void C16_tells_what_works(void **state)
{
	const struct nvmf_ns_attr without_compare = {
		.nsid = 8, .blocks = 64, .block_shift = 9, .can_fuse = true, .oncs = NVME_ONCS_DSM};
	struct host *h = *state;
	struct nvmf_ns *ns;

	assert_int_equal(le16toh(identify_ctrl(h)->fuses), 0); /* namespace 1 of the fixture */
	nvmf_ns_remove(h->ns);
	assert_int_equal(le16toh(identify_ctrl(h)->fuses), NVME_FUSES_COMPARE_WRITE);
	assert_int_equal(le16toh(identify_ctrl(h)->acwu), 0);
	assert_int_equal(nvmf_ns_add(h->subsys, &without_compare, &ns), DOCA_SUCCESS);
	assert_int_equal(le16toh(identify_ctrl(h)->fuses), 0);
}

static void C16_does_not_tell_what_does_not(void **state)
{
	struct host *h = *state;

	nvmf_ns_remove(h->ns);
	assert_int_equal(le16toh(identify_ctrl(h)->fuses), 0);
	assert_int_equal(send_first(h), NVMF_RESPOND);
	assert_int_equal(first.status, DNR(NVME_SC_INVALID_FIELD));
	assert_int_equal(send_second(h), NVMF_RESPOND);
	assert_int_equal(second.status, NVME_SC_FAILED_FUSED);
}

static void N_io_commands_go_to_their_namespace(void **state)
{
	static const uint8_t opcodes[] = {NVME_CMD_FLUSH,   NVME_CMD_DSM,    NVME_CMD_WRITE_ZEROES,
					  NVME_CMD_COMPARE, NVME_CMD_VERIFY, NVME_CMD_COPY};
	struct host *h = *state;
	size_t i;

	assert_int_equal(connect_io_queue(h, &h->io, 1), 0);
	for (i = 0; i < sizeof(opcodes); i++) {
		new_cmd(h, opcodes[i]);
		h->req.cmd.nsid = htole32(1);
		run(h, &h->io);
		assert_int_equal(h->verdict, NVMF_EXECUTE);
		assert_ptr_equal(h->req.ns, h->ns);
		h->req.cmd.nsid = htole32(2);
		assert_int_equal(run(h, &h->io), DNR(NVME_SC_INVALID_NS));
		assert_int_equal(h->verdict, NVMF_RESPOND);
	}
	new_cmd(h, 0x04); /* N9: Write Uncorrectable is not in ONCS */
	h->req.cmd.nsid = htole32(1);
	assert_int_equal(run(h, &h->io), DNR(NVME_SC_INVALID_OPCODE));
	h->ns->oncs = 0; /* those of a disk that has none of them */
	for (i = 0; i < sizeof(opcodes); i++) {
		new_cmd(h, opcodes[i]);
		h->req.cmd.nsid = htole32(1);
		run(h, &h->io);
		if (opcodes[i] > NVME_CMD_READ)
			assert_int_equal(h->req.status, DNR(NVME_SC_INVALID_OPCODE));
		else
			assert_int_equal(h->verdict, NVMF_EXECUTE);
	}
	new_cmd(h, NVME_CMD_FLUSH); /* N3 */
	h->req.cmd.nsid = htole32(NVME_NSID_ALL);
	assert_int_equal(run(h, &h->io), DNR(NVME_SC_INVALID_NS));
}

#define ROW(test) cmocka_unit_test_setup_teardown(test, setup, host_teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		CONNECTED_TEST(N_io_commands_go_to_their_namespace),
		ROW(Q11_compare_and_write_are_one),
		ROW(Q11_a_missing_half),
		ROW(A3_of_a_half),
		ROW(Q11_a_failed_half),
		ROW(Q11_halves_that_do_not_fit),
		ROW(Q11_both_halves_are_for_the_disk_that_is_there),
		ROW(Q11_both_bits_are_none_of_the_two),
		ROW(Q11_a_queue_ends_with_a_half),
		ROW(C16_tells_what_works),
		cmocka_unit_test_setup_teardown(C16_does_not_tell_what_does_not, setup_large,
						host_teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
