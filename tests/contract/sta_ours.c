/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The storage target beyond the vendor's walks: hosts inside the process, silence of a back end,
 * and an engine that costs nothing while nothing happens.
 */
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
#include "sta_program.h"

#define GIVE_UP_S 300

static uint8_t out[65536], in[65536];

/*
 * Hosts inside the process
 */

struct answer {
	unsigned int count, lost;
	uint16_t status, cid;
};

static void on_answer(const uint8_t *bytes, union doca_data data)
{
	struct answer *answer = data.ptr;
	struct nvme_cqe cqe;

	answer->count++;
	if (!bytes) {
		answer->lost++;
		return;
	}
	memcpy(&cqe, bytes, sizeof(cqe));
	answer->status = nvme_cqe_status(&cqe);
	answer->cid = le16toh(cqe.cid);
}

static doca_error_t submit(struct program *p, const struct nvme_cmd *cmd, void *data, uint32_t size,
			   struct answer *answer)
{
	const union doca_data user_data = {.ptr = answer};

	return softfield_sta_io_qp_loop_submit(p->host->qp, (const uint8_t *)cmd, data, size,
					       on_answer, user_data);
}

static uint16_t execute(struct program *p, const struct nvme_cmd *cmd, void *data, uint32_t size)
{
	struct answer answer = {0};

	assert_ok(submit(p, cmd, data, size, &answer));
	UNTIL(p, answer.count);
	assert_int_equal(answer.lost, 0);
	assert_int_equal(answer.cid, le16toh(cmd->cid));
	return answer.status;
}

/* the host is the program: nothing else to poll or to close */
static void nothing(struct host *host)
{
	(void)host;
}

static void connect_loop(struct host *host, struct doca_sta_io *io, struct doca_dev *dev)
{
	assert_ok(softfield_sta_io_qp_connect_loop(io, dev, NULL, &host->qp));
}

static const struct host_ops host_program = {
	.connect = connect_loop, .poll = nothing, .close = nothing};

static int setup_program(void **state)
{
	return program_setup(state, &host_program, false);
}

static void connect(struct program *p)
{
	static uint8_t data[1024];
	struct nvmf_connect_cmd connect = {.opcode = NVME_CMD_FABRICS,
					   .fctype = NVME_FC_CONNECT,
					   .cid = htole16(7),
					   .qid = htole16(1),
					   .sqsize = htole16(31)};
	struct nvme_cmd cmd;

	p->connect_by_descriptor = true;
	p->host->ops->connect(p->host, p->io, p->dev);
	memcpy(&cmd, &connect, sizeof(cmd));
	assert_int_equal(execute(p, &cmd, data, sizeof(data)), 0);
}

static struct nvme_cmd rw(uint8_t opcode, uint32_t nsid, uint64_t slba, uint32_t size)
{
	return program_rw(opcode, nsid, slba, NULL, size, false).sqe;
}

static void loop_hosts_read_what_they_wrote(void **state)
{
	static const uint32_t sizes[] = {512, 4096, sizeof(out)};
	struct program *p = *state;
	size_t i, k;

	connect(p);
	for (i = 0; i < ARRAY_SIZE(sizes); i++) {
		struct nvme_cmd w = rw(NVME_CMD_WRITE, 1, i * 200, sizes[i]);
		struct nvme_cmd r = rw(NVME_CMD_READ, 1, i * 200, sizes[i]);

		for (k = 0; k < sizes[i]; k++)
			out[k] = (uint8_t)(k * 7 + i);
		memset(in, 0, sizeof(in));
		w.cid = htole16(0xbeef);
		assert_int_equal(execute(p, &w, out, sizes[i]), 0);
		assert_int_equal(execute(p, &r, in, sizes[i]), 0);
		assert_memory_equal(in, out, sizes[i]);
	}
}

static void loop_commands_are_limited(void **state)
{
	struct program *p = *state;
	struct nvme_cmd r = rw(NVME_CMD_READ, 2, 0, 512); /* the disk does not answer by itself */
	uint32_t limit = p->sta->engine->attr.queue_size, i;
	struct answer answer = {0};

	p->host->ops->connect(p->host, p->io, p->dev);
	/* before Connect every one is refused, but none before the program polls */
	for (i = 0; i < limit; i++)
		assert_ok(submit(p, &r, in, 512, &answer));
	assert_err(submit(p, &r, in, 512, &answer), AGAIN);
	UNTIL(p, answer.count == limit);
	assert_ok(submit(p, &r, in, 512, &answer));
	UNTIL(p, answer.count == limit + 1);
}

static void loop_arguments_are_checked(void **state)
{
	const union doca_data none = {.ptr = NULL};
	struct program *p = *state;
	struct doca_sta_qp_handle *qp;
	uint8_t cmd[64] = {0};

	assert_err(softfield_sta_io_qp_connect_loop(NULL, p->dev, NULL, &qp), INVALID_VALUE);
	assert_err(softfield_sta_io_qp_connect_loop(p->io, NULL, NULL, &qp), INVALID_VALUE);
	assert_err(softfield_sta_io_qp_connect_loop(p->io, p->dev, NULL, NULL), INVALID_VALUE);
	connect(p);
	qp = p->host->qp;
	assert_err(softfield_sta_io_qp_loop_submit(NULL, cmd, in, 1, on_answer, none),
		   INVALID_VALUE);
	assert_err(softfield_sta_io_qp_loop_submit(qp, NULL, in, 1, on_answer, none),
		   INVALID_VALUE);
	assert_err(softfield_sta_io_qp_loop_submit(qp, cmd, NULL, 1, on_answer, none),
		   INVALID_VALUE);
	assert_err(softfield_sta_io_qp_loop_submit(qp, cmd, in, 1u << 24, on_answer, none),
		   INVALID_VALUE);
	assert_err(softfield_sta_io_qp_loop_submit(qp, cmd, in, 1, NULL, none), INVALID_VALUE);
}

static void loop_hosts_of_a_dead_queue_pair_are_told(void **state)
{
	struct program *p = *state;
	struct nvme_cmd r = rw(NVME_CMD_READ, 1, 0, 512);
	static struct answer answer;
	unsigned int i;

	connect(p);
	/* the queue has 32 entries, as Connect said: one too many breaks it */
	for (i = 0; i < 40; i++) {
		r.nsid = htole32(2);
		assert_ok(submit(p, &r, in, 512, &answer));
	}
	UNTIL(p, p->transport_errors == 1);
	assert_ok(submit(p, &r, in, 512, &answer));
	UNTIL(p, answer.lost);
	UNTIL(p, disk_pending(p) == DISK_ENTRIES - 1);
	for (i = 0; i < DISK_ENTRIES - 1; i++)
		disk_complete(p, i);
	program_disconnect(p);
}

/*
 * Silence
 */

struct silence {
	unsigned int count;
	const struct doca_sta_be_handle *be;
	const struct doca_sta_be_q_handle *be_q;
};

static struct silence silence;

static void on_timeout(const struct doca_sta_event_be_timeout *event, union doca_data data)
{
	assert_ptr_equal(data.ptr, &silence);
	silence.count++;
	assert_ok(doca_sta_event_be_timeout_get_be_handle(event, &silence.be));
	assert_ok(doca_sta_event_be_timeout_get_be_queue_handle(event, &silence.be_q));
}

static void register_timeout(struct program *p)
{
	const union doca_data data = {.ptr = &silence};

	assert_ok(doca_sta_event_be_timeout_register_cb(p->sta, on_timeout, data));
}

static int setup_silence(void **state)
{
	silence = (struct silence){0};
	program_before_start = register_timeout;
	program_setup(state, &host_loop, false);
	program_before_start = NULL;
	return 0;
}

static void walk_h_silent_back_ends_are_reported_once(void **state)
{
	struct program *p = *state;
	struct host_cmd r = program_rw(NVME_CMD_READ, 2, 0, in, BLOCK, false);
	struct host_cmd again = program_rw(NVME_CMD_READ, 2, 0, in, BLOCK, false);

	program_connect(p, 1);
	p->host->ops->submit(p->host, &r);
	UNTIL(p, silence.count == 1);
	assert_ptr_equal(silence.be, p->hand_be);
	assert_ptr_equal(silence.be_q, p->hand_be_q);
	assert_false(r.done); /* the command stays outstanding */
	disk_complete(p, 0);
	UNTIL(p, r.done);
	assert_int_equal(r.status, 0);
	assert_int_equal(silence.count, 1);
	/* and again, because it has answered meanwhile */
	p->host->ops->submit(p->host, &again);
	UNTIL(p, silence.count == 2);
	disk_complete(p, 1);
	UNTIL(p, again.done);
}

/*
 * Idle
 */

static uint64_t cpu_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
	return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

static uint64_t sleeps_of(const struct program *p)
{
	return atomic_load_explicit(&p->host->qp->qp->eu->worker.sleeps, memory_order_relaxed);
}

/*
 * With a connected host and a disk the engine falls asleep and is not woken up by anything but
 * work. The pause is the subject, not a way to wait: whatever ran in it has used CPU time.
 */
static void idle_engines_use_no_cpu(void **state)
{
	const struct timespec pause = {.tv_nsec = 300000000};
	struct program *p = *state;
	struct host_cmd cmd = program_rw(NVME_CMD_READ, 1, 0, in, BLOCK, false);
	uint64_t sleeps, before;

	program_connect(p, 1);
	sleeps = sleeps_of(p);
	assert_int_equal(program_do(p, &cmd), 0);
	UNTIL(p, sleeps_of(p) > sleeps);
	sleeps = sleeps_of(p);
	before = cpu_ns();
	nanosleep(&pause, NULL);
	assert_true(cpu_ns() - before < (uint64_t)pause.tv_nsec / 100);
	assert_true(sleeps_of(p) <=
		    sleeps + 1); /* the first one may have come before the command */
}

#define ROW(test, setup)                                                                           \
	{                                                                                          \
#test, test, setup, program_teardown, NULL                                         \
	}

static int setup_tcp(void **state)
{
	return program_setup(state, &host_tcp, false);
}

static int setup_loop(void **state)
{
	return program_setup(state, &host_loop, false);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		ROW(loop_hosts_read_what_they_wrote, setup_program),
		ROW(loop_commands_are_limited, setup_program),
		ROW(loop_arguments_are_checked, setup_program),
		ROW(loop_hosts_of_a_dead_queue_pair_are_told, setup_program),
		ROW(walk_h_silent_back_ends_are_reported_once, setup_silence),
		ROW(idle_engines_use_no_cpu, setup_loop),
		ROW(idle_engines_use_no_cpu, setup_tcp),
	};

	alarm(GIVE_UP_S); /* a loop that waits for ever ends the program */
	setenv("SOFTFIELD_LIMITS", "sta_be_timeout=1", 1);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
