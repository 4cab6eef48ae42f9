/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * RDMA hosts that do not keep to the protocol: each costs itself its connection and nothing else.
 * The target serves the next one. CONTRACT_RDMA is the address of a device of this machine.
 */
#include <string.h>
#include "nvmf/capsule.h"
#include "sta_program.h"

#define DNR(sc) ((sc) | NVME_SC_DNR)

static uint8_t data[8192];

static int setup(void **state)
{
	return program_setup(state, &host_rdma, false);
}

/* the connection is gone, the program knows, and the target is as good as new */
static void assert_only_the_host_suffers(struct program *p)
{
	struct host_cmd cmd = program_rw(NVME_CMD_READ, 1, 0, data, 4096, false);
	unsigned int i;

	UNTIL(p, p->transport_errors == 1);
	program_disconnect(p);
	for (i = 0; i < HOST_CMDS; i++)
		p->host->cmds[i] = NULL;
	p->transport_errors = 0;
	program_connect(p, 1);
	assert_int_equal(program_do(p, &cmd), 0);
	/* the answer is on its way before the engine has its buffer back */
	UNTIL(p, p->host->qp->qp->eu->pool.free_count == p->host->qp->qp->eu->pool.count);
}

static struct nvme_cmd keyed(uint8_t opcode, uint32_t blocks, uint32_t key)
{
	struct nvme_cmd cmd = program_rw(opcode, 1, 0, NULL, blocks * BLOCK, false).sqe;

	fabric_loop_set_sgl(&cmd, data, blocks * BLOCK);
	key = htole32(key);
	memcpy(cmd.sgl.key, &key, sizeof(key));
	return cmd;
}

static void short_capsules(void **state)
{
	static const uint32_t sizes[] = {1, 63};
	struct program *p = *state;
	size_t i;

	program_connect(p, 1);
	for (i = 0; i < ARRAY_SIZE(sizes); i++) {
		host_rdma_send((struct host_rdma_raw){.size = sizes[i]});
		assert_only_the_host_suffers(p);
	}
}

static void capsules_larger_than_promised(void **state)
{
	struct program *p = *state;

	program_connect(p, 1);
	host_rdma_send((struct host_rdma_raw){.size = 64 + STA_IN_CAPSULE + 1});
	assert_only_the_host_suffers(p);
}

/* before Connect, too */
static void nonsense_first(void **state)
{
	struct program *p = *state;

	p->host->ops->connect(p->host, p->io, p->dev);
	host_rdma_send((struct host_rdma_raw){.size = 3});
	assert_only_the_host_suffers(p);
}

static void keys_that_do_not_exist(void **state)
{
	static const uint8_t opcodes[] = {NVME_CMD_READ, NVME_CMD_WRITE};
	struct program *p = *state;
	size_t i;

	program_connect(p, 1);
	for (i = 0; i < ARRAY_SIZE(opcodes); i++) {
		struct nvme_cmd cmd = keyed(opcodes[i], 8, 0xdeadbeef);

		host_rdma_send((struct host_rdma_raw){.sqe = &cmd, .size = sizeof(cmd)});
		assert_only_the_host_suffers(p);
	}
}

/* the key is good for less than the descriptor says */
static void memory_that_ends_too_early(void **state)
{
	static const uint8_t opcodes[] = {NVME_CMD_READ, NVME_CMD_WRITE};
	struct program *p = *state;
	size_t i;

	program_connect(p, 1);
	for (i = 0; i < ARRAY_SIZE(opcodes); i++) {
		struct nvme_cmd cmd = keyed(opcodes[i], 16, host_rdma_register(data, 4096));

		host_rdma_send((struct host_rdma_raw){.sqe = &cmd, .size = sizeof(cmd)});
		assert_only_the_host_suffers(p);
	}
}

static void more_commands_than_the_queue_holds(void **state)
{
	const struct nvme_cmd cmd = {.opcode = OP_KEEP,
				     .flags = NVME_FLAG_PSDT_SGL,
				     .nsid = htole32(1),
				     .sgl = {.keyed_type = NVME_SGL_KEYED}};
	struct program *p = *state;
	unsigned int i;

	program_connect(p, 1); /* 32 entries */
	for (i = 0; i < 40; i++)
		host_rdma_send((struct host_rdma_raw){.sqe = &cmd, .size = sizeof(cmd)});
	assert_only_the_host_suffers(p);
}

/* an error of the command, not of the connection */
static void descriptors_that_make_no_sense(void **state)
{
	static const uint8_t types[] = {0x00, 0x5a, 0x30, 0x20, 0xff};
	struct program *p = *state;
	size_t i;

	program_connect(p, 1);
	for (i = 0; i < ARRAY_SIZE(types); i++) {
		struct host_cmd fake = {0};
		struct nvme_cmd cmd = keyed(NVME_CMD_READ, 1, 1);

		host_take_cid(p->host, &fake);
		cmd.cid = fake.sqe.cid;
		cmd.sgl.keyed_type = types[i];
		host_rdma_send((struct host_rdma_raw){.sqe = &cmd, .size = sizeof(cmd)});
		UNTIL(p, fake.done);
		assert_true(fake.status & NVME_SC_DNR);
	}
	assert_int_equal(p->transport_errors, 0);
}

/* nothing of the target is open to writes, whatever the key */
static void writes_into_the_target(void **state)
{
	struct program *p = *state;
	struct host_cmd cmd = program_rw(NVME_CMD_READ, 1, 0, data, 4096, false);
	uint32_t key;

	for (key = 0; key < 4; key++) {
		program_connect(p, 1);
		host_rdma_send((struct host_rdma_raw){
			.size = 64,
			.write = true,
			.addr = (uintptr_t)p->host->qp->qp->cmds,
			.key = key * 0x101,
		});
		UNTIL(p, host_rdma_is_broken());
		program_disconnect(p);
		p->transport_errors = 0;
	}
	program_connect(p, 1);
	assert_int_equal(program_do(p, &cmd), 0);
}

static void hosts_that_leave_under_load(void **state)
{
	struct program *p = *state;
	struct nvme_cmd cmd;
	unsigned int i;

	program_connect(p, 1);
	cmd = keyed(NVME_CMD_READ, 8, host_rdma_register(data, 4096));
	for (i = 0; i < 16; i++)
		host_rdma_send((struct host_rdma_raw){.sqe = &cmd, .size = sizeof(cmd)});
	host_rdma_leave();
	UNTIL(p, host_rdma_is_broken());
	program_disconnect(p);
	p->transport_errors = 1; /* whether there was one is a race that the host has won or lost */
	program_connect(p, 1);
	assert_only_the_host_suffers(p);
}

/* RDMA Transport 3.1: there is a place for the reason */
static void hosts_that_cannot_be_served_are_told(void **state)
{
	struct program *p = *state;
	struct host_cmd cmd = program_rw(NVME_CMD_READ, 1, 0, data, 4096, false);

	assert_int_equal(host_rdma_refused(p->host, p->io, p->dev), CAPSULE_CM_RESOURCES);
	program_connect(p, 1);
	assert_int_equal(program_do(p, &cmd), 0);
}

#define ROW(test) cmocka_unit_test_setup_teardown(test, setup, program_teardown)

int run_rdma_hostile(void)
{
	const struct CMUnitTest hostile[] = {
		ROW(short_capsules),
		ROW(capsules_larger_than_promised),
		ROW(nonsense_first),
		ROW(keys_that_do_not_exist),
		ROW(memory_that_ends_too_early),
		ROW(more_commands_than_the_queue_holds),
		ROW(descriptors_that_make_no_sense),
		ROW(writes_into_the_target),
		ROW(hosts_that_leave_under_load),
		ROW(hosts_that_cannot_be_served_are_told),
	};

	return cmocka_run_group_tests(hostile, NULL, NULL);
}
