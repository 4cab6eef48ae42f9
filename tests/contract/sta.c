/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The contract of the storage target, over every fabric: the walks that programs rely on.
 */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "sta_program.h"

#define DNR(sc)	  ((sc) | NVME_SC_DNR)
#define BIG	  (128u << 10)
#define GIVE_UP_S 600

static uint8_t out[BIG], in[BIG];

static void fill(uint8_t seed, uint32_t size)
{
	uint32_t i;

	for (i = 0; i < size; i++)
		out[i] = (uint8_t)(seed + i * 31 + (i >> 9));
}

static void walk_a_children_keep_the_target(void **state)
{
	struct program *p = *state;
	struct doca_sta_subs_handle *subs;

	assert_err(doca_ctx_stop(doca_sta_as_ctx(p->sta)), IN_USE);
	assert_err(doca_sta_destroy(p->sta), IN_USE);
	assert_err(doca_sta_subsystem_destroy(p->subs), IN_USE);
	assert_err(doca_sta_subsystem_create(p->sta, "nqn.2024-01.example:contract", &subs),
		   ALREADY_EXIST);
	assert_err(doca_sta_add_dev(p->sta, p->dev), BAD_STATE);
}

static void walk_b_nothing_before_connect(void **state)
{
	struct program *p = *state;
	struct host_cmd cmd = program_rw(NVME_CMD_READ, 1, 0, in, BLOCK, false);

	p->host->ops->connect(p->host, p->io, p->dev);
	assert_int_equal(program_do(p, &cmd), DNR(NVME_SC_SEQUENCE_ERROR));
	assert_int_equal(p->commands, 0);
}

static void walk_b_admin_queues_take_the_other_way(void **state)
{
	struct program *p = *state;
	struct host_cmd cmd = program_rw(OP_SEND, 0, 0, NULL, 0, false);

	program_connect(p, 0);
	assert_int_equal(program_do(p, &cmd), 0);
	assert_int_equal(p->commands, 2);
}

static void walk_c_reads_what_was_written(void **state)
{
	static const uint32_t sizes[] = {512, 4096, 8192, 8704, 65536, BIG};
	struct program *p = *state;
	size_t i;

	program_connect(p, 1);
	for (i = 0; i < ARRAY_SIZE(sizes); i++) {
		bool in_capsule = sizes[i] <= 8192;
		struct host_cmd w =
			program_rw(NVME_CMD_WRITE, 1, i * 300, out, sizes[i], in_capsule);
		struct host_cmd r = program_rw(NVME_CMD_READ, 1, i * 300, in, sizes[i], false);

		fill((uint8_t)i, sizes[i]);
		memset(in, 0, sizeof(in));
		assert_int_equal(program_do(p, &w), 0);
		assert_int_equal(program_do(p, &r), 0);
		assert_int_equal(r.received, sizes[i]);
		assert_memory_equal(in, out, sizes[i]);
	}
	assert_int_equal(p->commands, 1); /* the program saw Connect and nothing else */
}

static void walk_c_small_writes_may_be_fetched(void **state)
{
	struct program *p = *state;
	struct host_cmd w = program_rw(NVME_CMD_WRITE, 1, 5, out, 1024, false);
	struct host_cmd r = program_rw(NVME_CMD_READ, 1, 5, in, 1024, false);

	program_connect(p, 1);
	fill(9, 1024);
	assert_int_equal(program_do(p, &w), 0);
	assert_int_equal(program_do(p, &r), 0);
	assert_memory_equal(in, out, 1024);
}

static void walk_c_many_commands_at_once(void **state)
{
	struct program *p = *state;
	static struct host_cmd w[30], r[30];
	unsigned int i, round;

	program_connect(p, 1);
	for (round = 0; round < 20; round++) {
		fill((uint8_t)round, sizeof(out));
		for (i = 0; i < 30; i++) {
			w[i] = program_rw(NVME_CMD_WRITE, 1, i * 8, out + i * 4096, 4096, i & 1);
			p->host->ops->submit(p->host, &w[i]);
		}
		for (i = 0; i < 30; i++)
			UNTIL(p, w[i].done);
		for (i = 0; i < 30; i++) {
			r[i] = program_rw(NVME_CMD_READ, 1, i * 8, in + i * 4096, 4096, false);
			p->host->ops->submit(p->host, &r[i]);
		}
		for (i = 0; i < 30; i++)
			UNTIL(p, r[i].done);
		assert_memory_equal(in, out, 30 * 4096);
	}
}

static void walk_c_errors_of_reads_and_writes(void **state)
{
	static const struct {
		uint32_t nsid;
		uint64_t slba;
		uint32_t size, blocks;
		uint16_t status;
	} rows[] = {
		{1, 2048, 512, 1, DNR(NVME_SC_LBA_RANGE)},    /* the disk says so */
		{3, 0, 512, 1, DNR(NVME_SC_INVALID_NS)},      /* the engine says so */
		{1, 0, BIG, 512, DNR(NVME_SC_INVALID_FIELD)}, /* more than a command may have */
		{1, 0, 512, 2, DNR(NVME_SC_SGL_DATA_LENGTH)},
	};
	struct program *p = *state;
	unsigned int op;
	size_t i;

	program_connect(p, 1);
	for (i = 0; i < ARRAY_SIZE(rows); i++) {
		for (op = NVME_CMD_WRITE; op <= NVME_CMD_READ; op++) {
			struct host_cmd cmd = program_rw((uint8_t)op, rows[i].nsid, rows[i].slba,
							 out, rows[i].size, false);
			unsigned int before = p->notifications;

			cmd.sqe.cdw12 = htole32(rows[i].blocks - 1);
			assert_int_equal(program_do(p, &cmd), rows[i].status);
			UNTIL(p, p->notifications > before); /* walk (c) 6 */
			assert_int_equal(p->notified_opcode, op);
			assert_memory_equal(&p->notified_cqe, &cmd.cqe, sizeof(cmd.cqe));
			assert_int_equal(p->notified_lba, rows[i].slba);
			assert_int_equal(p->notified_type,
					 i ? DOCA_STA_CQE_NOTIF_NVME_OF_VALIDATION_ERR
					   : DOCA_STA_CQE_NOTIF_NVME_COMP_ERR);
		}
	}
}

static void walk_c_entries_carry_the_command(void **state)
{
	struct program *p = *state;
	struct host_cmd cmd = program_rw(NVME_CMD_READ, 2, 0x123, in, 1024, false);

	program_connect(p, 1);
	cmd.sqe.cdw12 |= htole32(NVME_RW_FUA);
	p->host->ops->submit(p->host, &cmd);
	UNTIL(p, disk_pending(p) == 1);
	assert_int_equal(p->sq[0].opcode, NVME_CMD_READ);
	assert_int_equal(le32toh(p->sq[0].nsid), 77);
	assert_int_equal(le32toh(p->sq[0].cdw10), 0x123);
	assert_int_equal(le32toh(p->sq[0].cdw12), NVME_RW_FUA | 1);
	assert_int_equal(le64toh(p->sq[0].prp1) % NVME_PAGE_SIZE, 0);
	memset((void *)(uintptr_t)le64toh(p->sq[0].prp1), 0x77, 1024);
	disk_complete(p, 0);
	UNTIL(p, cmd.done);
	assert_int_equal(cmd.status, 0);
	assert_int_equal(in[0], 0x77);
	assert_int_equal(in[1023], 0x77);
}

static void walk_c_sq_head_advances(void **state)
{
	struct program *p = *state;
	unsigned int i;
	uint16_t last = 1; /* Connect's place */

	program_connect(p, 1);
	for (i = 0; i < 40; i++) { /* more than the 32 entries of the queue */
		struct host_cmd cmd = program_rw(NVME_CMD_READ, 1, 0, in, BLOCK, false);

		assert_int_equal(program_do(p, &cmd), 0);
		assert_true(le16toh(cmd.cqe.sqhd) < 32);
		assert_int_equal(le16toh(cmd.cqe.sqhd), (last + 1) % 32);
		assert_int_equal(cmd.cqe.sqid, 0);
		assert_int_equal(le16toh(cmd.cqe.status) & 1, 0);
		last = le16toh(cmd.cqe.sqhd);
	}
}

static void walk_c_refused_namespaces_answer_with_their_status(void **state)
{
	struct program *p = *state;
	struct host_cmd cmd = program_rw(NVME_CMD_READ, 1, 0, in, BLOCK, false);

	program_connect(p, 1);
	assert_ok(softfield_sta_ns_set_refusal(p->ns, NVME_SC_ANA_INACCESSIBLE));
	assert_int_equal(program_do(p, &cmd), NVME_SC_ANA_INACCESSIBLE);
	UNTIL(p, p->notifications == 1);
	assert_int_equal(p->notified_type, DOCA_STA_CQE_NOTIF_NVME_COMP_ERR);
	assert_int_equal(le16toh(p->notified_cqe.status) >> 1, NVME_SC_ANA_INACCESSIBLE);
	assert_ok(softfield_sta_ns_set_refusal(p->ns, 0));
	cmd.done = false;
	assert_int_equal(program_do(p, &cmd), 0);
}

static void walk_d_three_ways_to_answer(void **state)
{
	struct program *p = *state;
	struct host_cmd send = program_rw(OP_SEND, 1, 0, NULL, 0, false);
	struct host_cmd read = program_rw(OP_READ, 1, 0, in, 8192, false);
	struct host_cmd write = program_rw(OP_WRITE, 1, 0, out, 100000, false);
	struct host_cmd inside = program_rw(OP_WRITE, 1, 1, out, 2048, true);
	uint32_t i;

	program_connect(p, 1);
	for (i = 0; i < sizeof(out); i++)
		out[i] = (uint8_t)(i * 13 + 5);
	assert_int_equal(program_do(p, &send), 0);
	assert_int_equal(le32toh(send.cqe.dw0), 0x5a5a);
	read.sqe.cdw11 = htole32(8192);
	assert_int_equal(program_do(p, &read), 0);
	assert_memory_equal(in, out, 8192);
	write.sqe.cdw10 = 0;
	write.sqe.cdw11 = htole32(100000);
	assert_int_equal(program_do(p, &write), 0);
	assert_true(p->data_was_right);
	p->data_was_right = false;
	inside.sqe.cdw10 = htole32(1);
	assert_int_equal(program_do(p, &inside), 0);
	assert_true(p->data_was_right);
	UNTIL(p, p->tasks_done == 5); /* Connect's, too */
	assert_int_equal(p->tasks_failed, 0);
}

static struct host_cmd half(uint8_t fused, bool in_capsule)
{
	uint8_t opcode = fused == NVME_FUSED_FIRST ? NVME_CMD_COMPARE : NVME_CMD_WRITE;
	struct host_cmd cmd = program_rw(opcode, 1, 0, out, 2 * BLOCK, in_capsule);

	cmd.fused = fused;
	cmd.sqe.cdw11 = htole32(cmd.size);
	return cmd;
}

static void walk_d_halves_come_as_pairs(void **state)
{
	struct program *p = *state;
	struct host_cmd first, second, other = program_rw(OP_SEND, 0, 0, NULL, 0, false);

	program_connect(p, 1);
	for (uint32_t i = 0; i < 2 * BLOCK; i++)
		out[i] = (uint8_t)(i * 13 + 5);
	for (unsigned int i = 0; i < 4; i++) {
		first = half(NVME_FUSED_FIRST, i & 1);
		second = half(NVME_FUSED_SECOND, i & 2);
		p->host->ops->submit(p->host, &first);
		assert_int_equal(program_do(p, &second), 0);
		UNTIL(p, first.done);
		assert_int_equal(first.status, 0);
		assert_int_equal(p->halves, 2 * i + 2);
	}
	second = half(NVME_FUSED_SECOND, false);
	assert_int_equal(program_do(p, &second), NVME_SC_MISSING_FUSED);
	first = half(NVME_FUSED_FIRST, false);
	p->host->ops->submit(p->host, &first);
	assert_int_equal(program_do(p, &other), 0);
	UNTIL(p, first.done);
	assert_int_equal(first.status, NVME_SC_MISSING_FUSED);
	assert_int_equal(p->halves, 8);
}

static void walk_d_tokens_are_checked(void **state)
{
	struct program *p = *state;
	struct host_cmd keep = program_rw(OP_KEEP, 1, 0, NULL, 0, false);
	union doca_data none = {.u64 = 0}, bad;
	struct doca_sta_producer_task_send *task;
	uint8_t cqe[16] = {0};

	program_connect(p, 1);
	p->host->ops->submit(p->host, &keep);
	UNTIL(p, p->kept == 1);
	bad.u64 = p->kept_token.u64 + (1ull << 32);
	assert_err(doca_sta_io_task_non_offload_rdma_send_alloc_init(p->io, none, p->host->qp, cqe,
								     bad, &task),
		   INVALID_VALUE);
	bad.u64 = p->kept_token.u64 | 0xffff;
	assert_err(doca_sta_io_task_non_offload_rdma_read_alloc_init(p->io, none, p->host->qp, bad,
								     &task),
		   INVALID_VALUE);
}

static void walk_e_removal_waits_for_the_disk(void **state)
{
	struct program *p = *state;
	struct host_cmd cmd = program_rw(NVME_CMD_READ, 2, 0, in, BLOCK, false);
	union doca_data data = {.ptr = &p->removed};
	struct doca_sta_producer_task_send *task;
	unsigned int i;

	program_connect(p, 1);
	p->host->ops->submit(p->host, &cmd);
	UNTIL(p, disk_pending(p) == 1);
	assert_ok(doca_sta_subsystem_task_rm_ns_alloc_init(p->subs, p->hand_ns, data, &task));
	assert_ok(doca_task_submit(doca_sta_producer_send_task_as_task(task)));
	for (i = 0; i < 1000; i++)
		program_poll(p);
	assert_false(p->removed);
	disk_complete(p, 0);
	UNTIL(p, p->removed && cmd.done);
	assert_int_equal(cmd.status, 0);
	p->hand_ns = NULL;
	cmd = program_rw(NVME_CMD_READ, 2, 0, in, BLOCK, false);
	assert_int_equal(program_do(p, &cmd), DNR(NVME_SC_INVALID_NS));
	assert_int_equal(p->commands, 1); /* not the program's business */
}

static void walk_f_destroyed_queues_answer_their_commands(void **state)
{
	struct program *p = *state;
	struct host_cmd r = program_rw(NVME_CMD_READ, 2, 0, in, BLOCK, false);
	struct host_cmd w = program_rw(NVME_CMD_WRITE, 2, 0, out, BIG, false);
	union doca_data data = {.ptr = &p->destroyed};
	struct doca_sta_producer_task_send *task;

	program_connect(p, 1);
	p->host->ops->submit(p->host, &r);
	p->host->ops->submit(p->host, &w);
	UNTIL(p, disk_pending(p) == 2);
	assert_ok(doca_sta_be_destroy_queue_task_alloc_init(p->hand_be_q, data, &task));
	assert_ok(doca_task_submit(doca_sta_producer_send_task_as_task(task)));
	UNTIL(p, p->destroyed && r.done && w.done);
	p->hand_be_q = NULL;
	assert_int_equal(r.status, NVME_SC_ABORT_SQ_DELETED);
	assert_int_equal(w.status, NVME_SC_ABORT_SQ_DELETED);
	r = program_rw(NVME_CMD_READ, 2, 0, in, BLOCK, false);
	assert_int_equal(program_do(p, &r), NVME_SC_NS_NOT_READY);
}

static void walk_f_a_full_queue_parks_commands(void **state)
{
	struct program *p = *state;
	static struct host_cmd cmds[24];
	unsigned int i;

	program_connect(p, 1);
	for (i = 0; i < 24; i++) {
		cmds[i] = program_rw(NVME_CMD_READ, 2, i, in, BLOCK, false);
		p->host->ops->submit(p->host, &cmds[i]);
	}
	UNTIL(p, disk_pending(p) == DISK_ENTRIES - 1);
	for (i = 0; i < 24;
	     i++) { /* the ring has 15 places: entry i is there once i - 15 are done */
		UNTIL(p, disk_pending(p) != i % DISK_ENTRIES);
		assert_int_equal(le32toh(p->sq[i % DISK_ENTRIES].cdw10), i);
		disk_complete(p, i % DISK_ENTRIES);
		UNTIL(p, cmds[i].done);
	}
}

static void walk_g_disconnect_waits_for_the_disk(void **state)
{
	struct program *p = *state;
	struct host_cmd cmd = program_rw(NVME_CMD_READ, 2, 0, in, BLOCK, false);
	union doca_data data = {.ptr = &p->disconnected};
	struct doca_sta_producer_task_send *task;
	unsigned int i;

	program_connect(p, 1);
	p->host->ops->submit(p->host, &cmd);
	UNTIL(p, disk_pending(p) == 1);
	assert_err(doca_sta_io_qp_destroy(p->io, p->host->qp), BAD_STATE);
	assert_ok(doca_sta_io_task_disconnect_alloc_init(p->io, data, p->host->qp, &task));
	assert_ok(doca_task_submit(doca_sta_producer_send_task_as_task(task)));
	sta_engine_settle(p->sta->engine); /* it knows of the disconnect */
	for (i = 0; i < 1000; i++)
		program_poll(p);
	assert_false(p->disconnected);
	disk_complete(p, 0);
	UNTIL(p, p->disconnected);
	assert_false(cmd.done); /* its result was discarded */
	program_disconnect(p);
}

static void walk_g_unanswered_commands_do_not_leak(void **state)
{
	struct program *p = *state;
	struct host_cmd keep[8];
	unsigned int i, round;

	for (round = 0; round < 3; round++) {
		program_connect(p, 1);
		for (i = 0; i < 8; i++) { /* with a data buffer each */
			keep[i] = program_rw(OP_KEEP, 1, 0, in, 4096, false);
			p->host->ops->submit(p->host, &keep[i]);
		}
		UNTIL(p, p->kept == 8 * (round + 1));
		program_disconnect(p);
		for (i = 0; i < HOST_CMDS; i++)
			p->host->cmds[i] = NULL;
		p->host->rx_size = 0;
	}
	program_connect(p, 1);
	UNTIL(p, p->host->qp->qp->eu->pool.free_count == p->host->qp->qp->eu->pool.count);
}

static void walk_g_answers_after_the_end_fail(void **state)
{
	struct program *p = *state;
	struct host_cmd keep = program_rw(OP_KEEP, 1, 0, NULL, 0, false);
	union doca_data data = {.ptr = p}, flag = {.ptr = &p->disconnected};
	struct doca_sta_producer_task_send *answer, *task;
	uint8_t cqe[16] = {0};

	program_connect(p, 1);
	p->host->ops->submit(p->host, &keep);
	UNTIL(p, p->kept == 1);
	assert_ok(doca_sta_io_task_non_offload_rdma_send_alloc_init(p->io, data, p->host->qp, cqe,
								    p->kept_token, &answer));
	assert_ok(doca_sta_io_task_disconnect_alloc_init(p->io, flag, p->host->qp, &task));
	assert_ok(doca_task_submit(doca_sta_producer_send_task_as_task(task)));
	UNTIL(p, p->disconnected);
	assert_ok(doca_task_submit(doca_sta_producer_send_task_as_task(answer)));
	UNTIL(p, p->tasks_failed == 1);
}

static void walk_h_a_broken_connection_is_reported(void **state)
{
	struct program *p = *state;
	struct host_cmd cmd = program_rw(NVME_CMD_READ, 1, 0, in, BLOCK, false);

	program_connect(p, 1);
	p->host->ops->cut(p->host, &cmd);
	UNTIL(p, p->transport_errors == 1);
	assert_int_equal(p->host->qp->state, HANDLE_STARTED); /* not destroyed by itself */
	program_disconnect(p);
	assert_int_equal(p->transport_errors, 1);
}

static void statistics_count(void **state)
{
	struct program *p = *state;
	struct host_cmd w = program_rw(NVME_CMD_WRITE, 1, 0, out, 4096, true);
	const struct doca_sta_eu_ctr_entry *entries;
	struct doca_sta_eu_handle *eus[48];
	struct doca_sta_qp_handle *qps[4];
	uint32_t count = ARRAY_SIZE(eus);
	uint16_t n, qp_count = 4, id, group;

	program_connect(p, 1);
	assert_int_equal(program_do(p, &w), 0);
	assert_ok(doca_sta_get_ns_stats(p->subs, p->ns, &entries, &n));
	assert_string_equal(entries[1].name, "writes");
	assert_int_equal(*entries[1].val, 1);
	assert_ok(doca_sta_get_eu_handle(p->sta, eus, &count));
	assert_int_equal(count, 3);
	assert_ok(doca_sta_get_eu_stats(eus[0], &entries, &n));
	assert_string_equal(entries[0].name, "rx_capsules");
	assert_int_equal(*entries[0].val, 2);
	assert_ok(doca_sta_get_eu_id(eus[0], &id));
	assert_ok(doca_sta_io_qp_get_group_id(p->host->qp, &group));
	assert_int_equal(id, group);
	assert_ok(doca_sta_get_eu_connect_qp_stats(eus[0], qps, &qp_count));
	assert_int_equal(qp_count, 1);
	assert_ptr_equal(qps[0], p->host->qp);
	assert_ok(doca_sta_eu_reset_stats_type(p->sta, DOCA_STA_EU_MAX));
	assert_int_equal(*entries[0].val, 0);
}

static int setup_loop(void **state)
{
	return program_setup(state, &host_loop, false);
}

static int setup_tcp(void **state)
{
	return program_setup(state, &host_tcp, false);
}

static int setup_digests(void **state)
{
	return program_setup(state, &host_tcp_digests, false);
}

/* disks in another thread of the engine than the host */
static int setup_remote(void **state)
{
	return program_setup(state, &host_tcp, true);
}

static void remote_commands_are_counted(void **state)
{
	struct program *p = *state;
	struct host_cmd cmd = program_rw(NVME_CMD_READ, 1, 0, in, BLOCK, false);

	program_connect(p, 1);
	assert_int_equal(program_do(p, &cmd), 0);
	assert_int_equal(p->host->qp->qp->eu->index, 1);
	assert_int_equal(p->host->qp->qp->eu->counters.remote, 1);
}

#define ROW(test, fabric)                                                                          \
	{                                                                                          \
#test " (" #fabric ")", test, setup_##fabric, program_teardown, NULL               \
	}
#define OVER(test) ROW(test, loop), ROW(test, tcp), ROW(test, digests)

#ifdef SOFTFIELD_RDMA
static int setup_rdma(void **state)
{
	return program_setup(state, &host_rdma, false);
}

/* CONTRACT_RDMA is the address of an RDMA device: tests/e2e/nvmf/guest.py has one */
static int run_rdma(void)
{
	const struct CMUnitTest tests[] = {
		ROW(walk_a_children_keep_the_target, rdma),
		ROW(walk_b_nothing_before_connect, rdma),
		ROW(walk_b_admin_queues_take_the_other_way, rdma),
		ROW(walk_c_reads_what_was_written, rdma),
		ROW(walk_c_small_writes_may_be_fetched, rdma),
		ROW(walk_c_many_commands_at_once, rdma),
		ROW(walk_c_errors_of_reads_and_writes, rdma),
		ROW(walk_c_entries_carry_the_command, rdma),
		ROW(walk_c_sq_head_advances, rdma),
		ROW(walk_c_refused_namespaces_answer_with_their_status, rdma),
		ROW(walk_d_three_ways_to_answer, rdma),
		ROW(walk_d_halves_come_as_pairs, rdma),
		ROW(walk_d_tokens_are_checked, rdma),
		ROW(walk_e_removal_waits_for_the_disk, rdma),
		ROW(walk_f_destroyed_queues_answer_their_commands, rdma),
		ROW(walk_f_a_full_queue_parks_commands, rdma),
		ROW(walk_g_disconnect_waits_for_the_disk, rdma),
		ROW(walk_g_unanswered_commands_do_not_leak, rdma),
		ROW(walk_g_answers_after_the_end_fail, rdma),
		ROW(walk_h_a_broken_connection_is_reported, rdma),
		ROW(statistics_count, rdma),
	};

	return cmocka_run_group_tests(tests, NULL, NULL) + run_rdma_hostile();
}
#endif

int main(void)
{
	const struct CMUnitTest tests[] = {
		OVER(walk_a_children_keep_the_target),
		OVER(walk_b_nothing_before_connect),
		OVER(walk_b_admin_queues_take_the_other_way),
		OVER(walk_c_reads_what_was_written),
		OVER(walk_c_small_writes_may_be_fetched),
		OVER(walk_c_many_commands_at_once),
		OVER(walk_c_errors_of_reads_and_writes),
		OVER(walk_c_entries_carry_the_command),
		OVER(walk_c_sq_head_advances),
		OVER(walk_c_refused_namespaces_answer_with_their_status),
		OVER(walk_d_three_ways_to_answer),
		OVER(walk_d_halves_come_as_pairs),
		OVER(walk_d_tokens_are_checked),
		OVER(walk_e_removal_waits_for_the_disk),
		OVER(walk_f_destroyed_queues_answer_their_commands),
		OVER(walk_f_a_full_queue_parks_commands),
		OVER(walk_g_disconnect_waits_for_the_disk),
		OVER(walk_g_unanswered_commands_do_not_leak),
		OVER(walk_g_answers_after_the_end_fail),
		OVER(walk_h_a_broken_connection_is_reported),
		OVER(statistics_count),
		ROW(remote_commands_are_counted, remote),
		ROW(walk_c_reads_what_was_written, remote),
		ROW(walk_c_many_commands_at_once, remote),
		ROW(walk_c_errors_of_reads_and_writes, remote),
		ROW(walk_e_removal_waits_for_the_disk, remote),
		ROW(walk_f_destroyed_queues_answer_their_commands, remote),
		ROW(walk_f_a_full_queue_parks_commands, remote),
		ROW(walk_g_disconnect_waits_for_the_disk, remote),
		ROW(walk_g_unanswered_commands_do_not_leak, remote),
	};

	alarm(GIVE_UP_S); /* a loop that waits for ever ends the program */
#ifdef SOFTFIELD_RDMA
	if (getenv("CONTRACT_RDMA"))
		return run_rdma();
#endif
	return cmocka_run_group_tests(tests, NULL, NULL);
}
