/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The storage target's rules that are not a walk: stopping, who may go first, and calls that fail.
 */
#include "sta_program.h"

#include <stdlib.h>
#include <sys/socket.h>
#include <unistd.h>
#include "doca_mmap.h"

#define GIVE_UP_S 60

static void keep_one(struct program *p, struct host_cmd *cmd)
{
	unsigned int before = p->kept;

	*cmd = program_rw(OP_KEEP, 1, 0, NULL, 0, false);
	p->host->ops->submit(p->host, cmd);
	UNTIL(p, p->kept > before);
}

/* rule 4.11: queue pairs are disconnected, their handles stay until they are destroyed */
static void stopping_disconnects(void **state)
{
	struct program *p = *state;
	struct doca_ctx *ctx = doca_sta_io_as_ctx(p->io);
	struct doca_sta_producer_task_send *task;
	union doca_data none = {0};
	struct host_cmd keep;
	uint8_t cqe[16] = {0};

	program_connect(p, 1);
	keep_one(p, &keep);
	assert_err(doca_ctx_stop(ctx), IN_PROGRESS);
	assert_int_equal(p->io_states[p->io_state_count - 1], DOCA_CTX_STATE_STOPPING);
	assert_err(doca_sta_io_task_non_offload_rdma_send_alloc_init(p->io, none, p->host->qp, cqe,
								     p->kept_token, &task),
		   BAD_STATE);
	UNTIL(p, p->io_states[p->io_state_count - 1] == DOCA_CTX_STATE_IDLE);
	assert_err(doca_sta_io_destroy(p->io), IN_USE);
	p->disconnected = true;
	program_disconnect(p);
	assert_ok(doca_ctx_start(ctx));
	program_connect(p, 1);
}

static void stopping_waits_for_a_disconnect(void **state)
{
	struct program *p = *state;
	union doca_data data = {.ptr = &p->disconnected};
	struct doca_sta_producer_task_send *task;

	program_connect(p, 1);
	assert_ok(doca_sta_io_task_disconnect_alloc_init(p->io, data, p->host->qp, &task));
	assert_ok(doca_task_submit(doca_sta_producer_send_task_as_task(task)));
	assert_err(doca_ctx_stop(doca_sta_io_as_ctx(p->io)), IN_PROGRESS);
	UNTIL(p, p->io_states[p->io_state_count - 1] == DOCA_CTX_STATE_IDLE);
	assert_true(p->disconnected);
	program_disconnect(p);
	assert_ok(doca_ctx_start(doca_sta_io_as_ctx(p->io)));
}

static void subsystems_stay_while_queue_pairs_use_them(void **state)
{
	struct program *p = *state;
	struct doca_sta_subs_handle *subs, *ours = p->subs;

	assert_ok(doca_sta_subsystem_create(p->sta, "nqn.2024-01.example:other", &subs));
	p->subs = subs; /* that Connect is answered with */
	program_connect(p, 1);
	p->subs = ours;
	assert_err(doca_sta_subsystem_destroy(subs), IN_USE);
	assert_err(doca_sta_io_qp_add_subsystem(p->io, ours, p->host->qp), ALREADY_EXIST);
	program_disconnect(p);
	assert_ok(doca_sta_subsystem_destroy(subs));
}

/* so a program holds a host that has not proved yet who it is */
static void reads_and_writes_are_the_program_s_until_there_is_a_subsystem(void **state)
{
	struct program *p = *state;
	uint8_t data[BLOCK] = {0}, back[BLOCK];
	struct host_cmd cmd;
	unsigned int i;

	p->lets_in_later = true;
	program_connect(p, 1);
	for (i = 0; i < 40; i++) { /* more than the queue holds: each is over */
		cmd = program_rw(NVME_CMD_READ, 1, 0, back, BLOCK, false);
		assert_int_equal(program_do(p, &cmd), 0);
		assert_int_equal(le32toh(cmd.cqe.dw0), 0x5a5a); /* the program's answer */
		assert_int_equal(cmd.received, 0);
		cmd = program_rw(NVME_CMD_WRITE, 1, 0, memset(data, 0xdd, BLOCK), BLOCK, i % 2);
		assert_int_equal(program_do(p, &cmd), 0);
		assert_int_equal(le32toh(cmd.cqe.dw0), 0x5a5a);
	}
	assert_int_equal(p->commands, 81); /* with Connect */
	assert_ok(doca_sta_io_qp_add_subsystem(p->io, p->subs, p->host->qp));
	cmd = program_rw(NVME_CMD_READ, 1, 0, back, BLOCK, false);
	assert_int_equal(program_do(p, &cmd), 0);
	assert_int_equal(cmd.received, BLOCK);
	assert_memory_equal(back, memset(data, 0, BLOCK), BLOCK); /* nothing has been written */
	assert_int_equal(p->commands, 81);
}

/* events may be delivered when the queue pair that they are about has gone */
static void handles_are_known_by_their_number(void **state)
{
	struct program *p = *state;
	const struct doca_sta_qp_handle *qp;
	uint32_t id;

	program_connect(p, 1);
	qp = p->host->qp;
	assert_ok(doca_sta_io_qp_get_id(p->host->qp, &id));
	assert_true(sta_qp_handle_exists(p->sta, qp, id));
	assert_false(sta_qp_handle_exists(p->sta, qp, id + 1));
	program_disconnect(p);
	assert_false(sta_qp_handle_exists(p->sta, qp, id));
}

static void commands_can_be_dropped(void **state)
{
	struct program *p = *state;
	struct host_cmd keep;
	unsigned int i;

	program_connect(p, 1);
	for (i = 0; i < 40; i++) { /* more than the 32 entries of the queue */
		keep_one(p, &keep);
		assert_ok(softfield_sta_io_drop_command(p->io, p->host->qp, p->kept_token));
		assert_err(softfield_sta_io_drop_command(p->io, p->host->qp, p->kept_token),
			   INVALID_VALUE);
	}
	assert_false(keep.done);
}

static void too_little_room_tells_how_much(void **state)
{
	struct program *p = *state;
	struct doca_sta_eu_handle *eus[3];
	struct doca_sta_qp_handle *qp;
	uint32_t count = 2;
	uint16_t qps = 0;

	program_connect(p, 1);
	assert_err(doca_sta_get_eu_handle(p->sta, eus, &count), TOO_BIG);
	assert_int_equal(count, 3);
	count = 0;
	assert_ok(doca_sta_get_eu_handle(p->sta, NULL, &count));
	assert_ok(doca_sta_get_eu_handle(p->sta, eus, &count));
	assert_err(doca_sta_get_eu_connect_qp_stats(eus[0], &qp, &qps), TOO_BIG);
	assert_int_equal(qps, 1);
}

static void queues_of_unusable_maps(void **state)
{
	struct program *p = *state;
	struct doca_sta_be_q_handle *be_q;
	struct doca_sta_be_handle *be;
	struct doca_mmap *map;

	assert_ok(doca_sta_be_create(p->sta, &be));
	assert_ok(doca_mmap_create(&map));
	assert_ok(doca_mmap_set_memrange(map, p->sq, sizeof(p->sq)));
	assert_ok(doca_mmap_set_permissions(map, DOCA_ACCESS_FLAG_LOCAL_READ_ONLY));
	assert_err(doca_sta_be_add_queue(be, map, p->maps[2], 0, p->maps[1], p->maps[2], 4, &be_q),
		   BAD_STATE);
	assert_ok(doca_mmap_start(map));
	assert_err(doca_sta_be_add_queue(be, map, p->maps[2], 0, p->maps[1], p->maps[2], 4, &be_q),
		   NOT_PERMITTED);
	assert_err(doca_sta_be_add_queue(be, p->maps[0], p->maps[2], 2, p->maps[1], p->maps[2], 4,
					 &be_q),
		   INVALID_VALUE); /* a doorbell that is not aligned */
	assert_err(doca_sta_be_add_queue(be, p->maps[0], p->maps[2], 8, p->maps[1], p->maps[2], 4,
					 &be_q),
		   INVALID_VALUE); /* one beyond the end */
	assert_ok(doca_mmap_destroy(map));
	assert_ok(doca_sta_be_destroy(be));
}

static void back_ends_stay_until_their_namespaces_have_gone(void **state)
{
	struct program *p = *state;
	bool removed = false;
	union doca_data data = {.ptr = &removed};
	struct doca_sta_producer_task_send *task;
	struct doca_sta_be_handle *be;
	struct doca_sta_ns_handle *ns;

	assert_ok(doca_sta_be_create(p->sta, &be));
	assert_ok(doca_sta_subsystem_add_ns(p->subs, 9, BLOCK, 1, be, &ns));
	assert_ok(doca_sta_subsystem_task_rm_ns_alloc_init(p->subs, ns, data, &task));
	assert_ok(doca_task_submit(doca_sta_producer_send_task_as_task(task)));
	assert_err(doca_sta_be_destroy(be), IN_USE); /* commands may still look at it */
	UNTIL(p, removed);
	assert_ok(doca_sta_be_destroy(be));
}

static void descriptors_of_no_connection(void **state)
{
	struct program *p = *state;
	struct doca_sta_qp_handle *qp;
	int ends[2];

	assert_int_equal(pipe(ends), 0);
	assert_err(softfield_sta_io_qp_connect_tcp(p->io, p->dev, ends[0], NULL, &qp),
		   INVALID_VALUE);
	close(ends[0]); /* it is still ours */
	close(ends[1]);
	ends[0] = socket(AF_INET, SOCK_DGRAM, 0);
	assert_err(softfield_sta_io_qp_connect_tcp(p->io, p->dev, ends[0], NULL, &qp),
		   INVALID_VALUE);
	close(ends[0]);
}

static void *zmalloc(size_t size, size_t align, uint64_t *phys_addr)
{
	(void)size;
	(void)align;
	(void)phys_addr;
	return NULL;
}

static uint64_t address_of(const void *buf, uint32_t size)
{
	(void)size;
	return (uintptr_t)buf;
}

static void allocators_come_before_disks(void **state)
{
	struct program *p = *state;
	struct softfield_sta_disk_attr attr = {.kind = SOFTFIELD_STA_DISK_MEMORY, .size = 1 << 20};
	struct softfield_sta_disk *disk;
	struct doca_sta *sta;

	assert_ok(doca_sta_create(p->dev, &sta));
	assert_ok(softfield_sta_disk_open(sta, &attr, &disk));
	assert_err(doca_sta_mem_allocator_register(sta, zmalloc, free, address_of), IN_USE);
	assert_ok(softfield_sta_disk_close(disk));
	assert_ok(doca_sta_mem_allocator_register(sta, zmalloc, free, address_of));
	assert_ok(doca_sta_destroy(sta));
}

/*
 * A target that is taken down in a callback
 */

struct target {
	struct doca_pe *pe;
	struct doca_sta *sta;
	struct doca_sta_subs_handle *subs;
	struct doca_sta_be_handle *be;
	bool is_gone;
};

static void take_down(struct doca_sta_producer_task_send *task, union doca_data data)
{
	struct target *target = data.ptr;

	doca_task_free(doca_sta_producer_send_task_as_task(task));
	assert_ok(doca_sta_be_destroy(target->be));
	assert_ok(doca_sta_subsystem_destroy(target->subs));
	assert_ok(doca_ctx_stop(doca_sta_as_ctx(target->sta)));
	assert_ok(doca_sta_destroy(target->sta));
	target->is_gone = true;
}

static void a_callback_may_destroy_the_target(void **state)
{
	struct program *p = *state;
	struct target target = {0};
	union doca_data data = {.ptr = &target};
	struct doca_sta_producer_task_send *task;
	struct doca_sta_ns_handle *ns;

	assert_ok(doca_pe_create(&target.pe));
	assert_ok(doca_sta_create(p->dev, &target.sta));
	assert_ok(doca_pe_connect_ctx(target.pe, doca_sta_as_ctx(target.sta)));
	assert_ok(doca_sta_add_dev(target.sta, p->dev));
	assert_ok(doca_sta_subsystem_task_rm_ns_set_conf(target.sta, take_down, take_down));
	assert_ok(doca_ctx_start(doca_sta_as_ctx(target.sta)));
	assert_ok(doca_sta_subsystem_create(target.sta, "nqn.2024-01.example:short", &target.subs));
	assert_ok(doca_sta_be_create(target.sta, &target.be));
	assert_ok(doca_sta_subsystem_add_ns(target.subs, 1, BLOCK, 1, target.be, &ns));
	assert_ok(doca_sta_subsystem_task_rm_ns_alloc_init(target.subs, ns, data, &task));
	assert_ok(doca_task_submit(doca_sta_producer_send_task_as_task(task)));
	while (!target.is_gone)
		doca_pe_progress(target.pe);
	assert_ok(doca_pe_destroy(target.pe));
}

static int setup_tcp(void **state)
{
	return program_setup(state, &host_tcp, false);
}

#define RULE(test) cmocka_unit_test_setup_teardown(test, setup_tcp, program_teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		RULE(stopping_disconnects),
		RULE(stopping_waits_for_a_disconnect),
		RULE(subsystems_stay_while_queue_pairs_use_them),
		RULE(reads_and_writes_are_the_program_s_until_there_is_a_subsystem),
		RULE(handles_are_known_by_their_number),
		RULE(commands_can_be_dropped),
		RULE(too_little_room_tells_how_much),
		RULE(queues_of_unusable_maps),
		RULE(back_ends_stay_until_their_namespaces_have_gone),
		RULE(descriptors_of_no_connection),
		RULE(allocators_come_before_disks),
		RULE(a_callback_may_destroy_the_target),
	};

	alarm(GIVE_UP_S); /* a loop that waits for ever ends the program */
	return cmocka_run_group_tests(tests, NULL, NULL);
}
