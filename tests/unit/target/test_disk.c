/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Commands of softfield-target that a disk has. The disk is the test: it keeps what it gets, and
 * answers in the order that it likes.
 */
#include "test.h"

#include <string.h>
#include "conn.h"

#define BLOCK 512u

/* what the disk has; by the commands' ids */
static struct softfield_sta_request taken[8];
static unsigned int taken_count, aborted[8];
static bool is_full;

/* what hosts are told; by the commands' ids */
static struct {
	bool told;
	uint16_t status;
	uint32_t dw0;
} answers[8];
static uint32_t disk_result; /* what the disk says beside a status */
static uint16_t kept_half;   /* the engine has that one; 0: none */

static uint16_t id_of(const struct cmd *cmd)
{
	return le16toh(cmd->req.cmd.cid);
}

/*
 * What disk.c calls
 */

static void take(const struct softfield_sta_request *what)
{
	taken[id_of(what->user_data.ptr)] = *what;
	taken_count++;
}

doca_error_t softfield_sta_channel_submit(struct softfield_sta_channel *channel,
					  const uint8_t *nvme_cmd, void *payload,
					  uint32_t payload_len, softfield_sta_channel_cb_t cb,
					  union doca_data user_data)
{
	(void)channel;
	if (is_full)
		return DOCA_ERROR_AGAIN;
	take(&(struct softfield_sta_request){nvme_cmd, payload, payload_len, cb, user_data});
	return DOCA_SUCCESS;
}

doca_error_t softfield_sta_channel_submit_fused(struct softfield_sta_channel *channel,
						const struct softfield_sta_request *first,
						const struct softfield_sta_request *second)
{
	(void)channel;
	if (is_full)
		return DOCA_ERROR_AGAIN;
	take(first);
	take(second);
	return DOCA_SUCCESS;
}

doca_error_t softfield_sta_channel_abort(struct softfield_sta_channel *channel,
					 union doca_data user_data)
{
	(void)channel;
	aborted[id_of(user_data.ptr)]++;
	return DOCA_SUCCESS;
}

doca_error_t softfield_sta_channel_get_result(const struct softfield_sta_channel *channel,
					      uint32_t *result)
{
	(void)channel;
	*result = disk_result;
	return DOCA_SUCCESS;
}

doca_error_t softfield_sta_io_qp_abort_half(struct doca_sta_io *sta_io,
					    struct doca_sta_qp_handle *qp_handle, uint16_t cid)
{
	(void)sta_io;
	(void)qp_handle;
	return cid == kept_half ? DOCA_SUCCESS : DOCA_ERROR_NOT_FOUND;
}

void conn_answer(struct cmd *cmd)
{
	assert_false(answers[id_of(cmd)].told);
	answers[id_of(cmd)].told = true;
	answers[id_of(cmd)].status = cmd->req.status;
	answers[id_of(cmd)].dw0 = cmd->req.dw0;
	cmd->conn->busy--;
}

void conn_done_with(struct cmd *cmd)
{
	cmd->conn->busy--;
}

void flush_start_waiting(struct served_ns *ns)
{
	(void)ns;
}

void flush_drop_waiting(struct served_ns *ns)
{
	(void)ns;
}

/*
 * One host, one disk
 */

struct fixture {
	struct nvmf_ctrlr ctrlr;
	struct nvmf_ns nvmf_ns;
	struct served_ns ns;
	struct conn conn;
	struct cmd first, second;
};

static void init_cmd(struct fixture *f, struct cmd *cmd, uint16_t id, uint8_t opcode)
{
	cmd->conn = &f->conn;
	cmd->req.cmd.opcode = opcode;
	cmd->req.cmd.cid = htole16(id);
	cmd->req.size = BLOCK;
	cmd->req.ns = &f->nvmf_ns;
	list_init(&cmd->node);
	list_init(&cmd->disk_node);
	f->conn.busy++;
}

static int setup(void **state)
{
	static struct fixture f;
	static struct target target;

	memset(&f, 0, sizeof(f));
	memset(taken, 0, sizeof(taken));
	memset(aborted, 0, sizeof(aborted));
	memset(answers, 0, sizeof(answers));
	taken_count = 0;
	is_full = false;
	disk_result = 0;
	kept_half = 0;
	list_init(&f.ctrlr.aborts);
	list_init(&f.conn.on_disk);
	list_init(&f.ns.waiting);
	f.nvmf_ns.block_shift = 9;
	f.nvmf_ns.user = &f.ns;
	f.ns.ns = &f.nvmf_ns;
	f.conn.queue.ctrlr = &f.ctrlr;
	f.conn.target = &target;
	init_cmd(&f, &f.first, 1, NVME_CMD_COMPARE);
	init_cmd(&f, &f.second, 2, NVME_CMD_WRITE);
	*state = &f;
	return 0;
}

/* the disk has done one */
static void complete(const struct cmd *cmd, uint16_t status)
{
	const struct softfield_sta_request *what = &taken[id_of(cmd)];

	what->cb(status, what->user_data);
}

static void assert_answers(const struct fixture *f, uint16_t first, uint16_t second)
{
	assert_true(answers[1].told && answers[2].told);
	assert_int_equal(answers[1].status, first);
	assert_int_equal(answers[2].status, second);
	assert_true(list_is_empty(&f->conn.on_disk));
	assert_int_equal(f->ns.executing, 0);
	assert_int_equal(f->conn.busy, 0);
}

/* One that is left of a pair is like any other: its host may abort it, or go. */
static void halves_are_answered_in_any_order(void **state)
{
	struct fixture *f = *state;
	struct cmd *const order[][2] = {{&f->first, &f->second}, {&f->second, &f->first}};

	for (size_t i = 0; i < ARRAY_SIZE(order); i++) {
		const struct cmd *early = order[i][0], *late = order[i][1];

		setup(state);
		disk_execute_fused(&f->first, &f->second);
		assert_int_equal(f->ns.executing, 2);
		complete(early, NVME_SC_SUCCESS);
		assert_true(answers[id_of(early)].told);
		assert_int_equal(disk_abort(&f->conn.queue, id_of(early)), NVMF_ABORT_NOT);
		assert_int_equal(disk_abort(&f->conn.queue, id_of(late)), NVMF_ABORT_LATER);
		disk_leave_all(&f->conn);
		assert_int_equal(aborted[id_of(late)], 2);
		complete(late, NVME_SC_SUCCESS);
		assert_answers(f, NVME_SC_SUCCESS, NVME_SC_SUCCESS);
	}
}

static void both_find_room_or_wait(void **state)
{
	struct fixture *f = *state;

	is_full = true;
	disk_execute_fused(&f->first, &f->second);
	assert_int_equal(taken_count, 0);
	is_full = false;
	disk_start_waiting(&f->ns);
	assert_int_equal(taken_count, 2);
	complete(&f->first, NVME_SC_COMPARE_FAILURE | NVME_SC_DNR);
	complete(&f->second, NVME_SC_FAILED_FUSED);
	assert_answers(f, NVME_SC_COMPARE_FAILURE | NVME_SC_DNR, NVME_SC_FAILED_FUSED);
}

/* whichever of them is meant */
static void both_are_aborted_while_they_wait(void **state)
{
	struct fixture *f = *state;

	for (uint16_t id = 1; id <= 2; id++) {
		setup(state);
		is_full = true;
		disk_execute_fused(&f->first, &f->second);
		assert_int_equal(disk_abort(&f->conn.queue, id), NVMF_ABORT_DONE);
		assert_answers(f, NVME_SC_ABORT_REQUESTED, NVME_SC_ABORT_REQUESTED);
		assert_true(list_is_empty(&f->ns.waiting));
	}
}

static void one_that_waits_for_the_other_is_the_engines(void **state)
{
	struct fixture *f = *state;

	kept_half = 7;
	assert_int_equal(disk_abort(&f->conn.queue, 6), NVMF_ABORT_NOT);
	assert_int_equal(disk_abort(&f->conn.queue, 7), NVMF_ABORT_DONE);
}

static void a_host_is_told_what_the_disk_says(void **state)
{
	struct fixture *f = *state;

	f->first.req.cmd.opcode = NVME_CMD_COPY;
	disk_execute(&f->first);
	disk_result = 5;
	complete(&f->first, NVME_SC_READ_ERROR);
	assert_int_equal(answers[1].status, NVME_SC_READ_ERROR);
	assert_int_equal(answers[1].dw0, 5);
}

static void a_host_that_goes_takes_both_along(void **state)
{
	struct fixture *f = *state;

	is_full = true;
	disk_execute_fused(&f->first, &f->second);
	disk_leave_all(&f->conn);
	assert_true(list_is_empty(&f->conn.on_disk));
	assert_true(list_is_empty(&f->ns.waiting));
	assert_int_equal(f->conn.busy, 0);
	assert_false(answers[1].told || answers[2].told);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(halves_are_answered_in_any_order, setup),
		cmocka_unit_test_setup(both_find_room_or_wait, setup),
		cmocka_unit_test_setup(both_are_aborted_while_they_wait, setup),
		cmocka_unit_test_setup(one_that_waits_for_the_other_is_the_engines, setup),
		cmocka_unit_test_setup(a_host_is_told_what_the_disk_says, setup),
		cmocka_unit_test_setup(a_host_that_goes_takes_both_along, setup),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
