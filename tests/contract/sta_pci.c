/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A controller on PCI as a back end: a program makes a queue pair of it and hands rings and
 * doorbells to the target, as the vendor's clients do. The controller is QEMU's; what it knows of
 * us is what is in memory and what is written to its registers.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "doca_mmap.h"
#include "qtest.h"
#include "sta_program.h"

#define DNR(sc)	  ((sc) | NVME_SC_DNR)
#define BIG	  (128u << 10)
#define BLOCKS	  (QTEST_DISK_SIZE / BLOCK)
#define ENTRIES	  32u
#define GIVE_UP_S 300
#define SKIPPED	  77

static struct qtest *qtest;
static struct nvme_pci *pci;
static struct nvme_pci_queue *queue;
static uint8_t out[BIG], in[BIG];

/*
 * The program's allocator: buffers are where the controller reaches them
 */

static void *zmalloc(size_t size, size_t align, uint64_t *phys)
{
	void *memory = qtest_alloc(qtest, size);

	assert_true(align <= NVME_PAGE_SIZE);
	if (memory)
		*phys = qtest_address(qtest, memory);
	return memory;
}

static void release(void *memory)
{
	qtest_free(qtest, memory);
}

static uint64_t vtophys(const void *memory, uint32_t size)
{
	(void)size;
	return qtest_address(qtest, memory);
}

static void before_start(struct program *p)
{
	assert_ok(doca_sta_mem_allocator_register(p->sta, zmalloc, release, vtophys));
	assert_ok(nvme_pci_open(qtest_bus(qtest), &pci));
	assert_ok(nvme_pci_queue_open(pci, ENTRIES, &queue));
	p->rings = queue->rings;
	p->be_nsid = 1;
	p->without_memory_disk = true;
}

static int setup(void **state, const struct host_ops *ops)
{
	program_before_start = before_start;
	return program_setup(state, ops, false);
}

static int setup_loop(void **state)
{
	return setup(state, &host_loop);
}

static int setup_tcp(void **state)
{
	return setup(state, &host_tcp);
}

static int teardown(void **state)
{
	int result = program_teardown(state);

	nvme_pci_queue_close(queue);
	nvme_pci_close(pci);
	return result;
}

static void fill(uint8_t seed, uint32_t size)
{
	uint32_t i;

	for (i = 0; i < size; i++)
		out[i] = (uint8_t)(seed + i * 29 + (i >> 9));
}

/*
 * Tests
 */

static void controllers_are_identified(void **state)
{
	struct nvme_id_ns id;

	(void)state;
	assert_ok(nvme_pci_identify(pci, NVME_CNS_NS, 1, &id));
	assert_int_equal(le64toh(id.nsze), BLOCKS);
	assert_err(nvme_pci_identify(pci, NVME_CNS_NS, 0xffff, &id), IO_FAILED);
	assert_int_equal(nvme_pci_max_transfer(pci), NVME_PAGE_SIZE << 7);
	assert_true(nvme_pci_has_write_cache(pci));
}

static void queues_come_and_go(void **state)
{
	struct nvme_pci_queue *more[4];
	unsigned int i;

	(void)state;
	/* QEMU has four, one is in use */
	for (i = 0; i < 3; i++)
		assert_ok(nvme_pci_queue_open(pci, 1u << (i + 1), &more[i]));
	assert_err(nvme_pci_queue_open(pci, 16, &more[3]), FULL);
	nvme_pci_queue_close(more[1]);
	assert_ok(nvme_pci_queue_open(pci, 1u << 15, &more[1])); /* more than it can: fewer */
	assert_in_range(more[1]->rings.entries, 2, 1u << 14);
	for (i = 0; i < 3; i++)
		nvme_pci_queue_close(more[i]);
}

static void data_reaches_the_disk(void **state)
{
	static const uint32_t sizes[] = {512, 4096, 4608, 8192, 8704, 65536, BIG};
	struct program *p = *state;
	size_t i;

	program_connect(p, 1);
	for (i = 0; i < ARRAY_SIZE(sizes); i++) {
		struct host_cmd w =
			program_rw(NVME_CMD_WRITE, 2, i * 300 + 1, out, sizes[i], sizes[i] <= 8192);
		struct host_cmd r = program_rw(NVME_CMD_READ, 2, i * 300 + 1, in, sizes[i], false);

		fill((uint8_t)i, sizes[i]);
		memset(in, 0, sizeof(in));
		assert_int_equal(program_do(p, &w), 0);
		assert_int_equal(program_do(p, &r), 0);
		assert_memory_equal(in, out, sizes[i]);
		memset(in, 0, sizeof(in));
		qtest_read_disk(qtest, in, sizes[i], (i * 300 + 1) * BLOCK);
		assert_memory_equal(in, out, sizes[i]);
	}
}

/* more commands than the ring has entries, often enough for many turns of it */
static void rings_turn_round(void **state)
{
	static struct host_cmd w[31], r[31];
	struct program *p = *state;
	unsigned int i, round;

	program_connect(p, 1);
	for (round = 0; round < 20; round++) {
		fill((uint8_t)round, sizeof(out));
		for (i = 0; i < 31; i++) {
			w[i] = program_rw(NVME_CMD_WRITE, 2, i * 8, out + i * 4096, 4096, i & 1);
			p->host->ops->submit(p->host, &w[i]);
		}
		for (i = 0; i < 31; i++)
			UNTIL(p, w[i].done);
		for (i = 0; i < 31; i++) {
			assert_int_equal(w[i].status, 0);
			r[i] = program_rw(NVME_CMD_READ, 2, i * 8, in + i * 4096, 4096, false);
			p->host->ops->submit(p->host, &r[i]);
		}
		for (i = 0; i < 31; i++)
			UNTIL(p, r[i].done);
		assert_memory_equal(in, out, 31 * 4096);
	}
}

static void errors_are_the_disks_own(void **state)
{
	struct program *p = *state;
	struct host_cmd cmd = program_rw(NVME_CMD_READ, 2, BLOCKS - 1, in, 1024, false);

	program_connect(p, 1);
	assert_int_equal(program_do(p, &cmd), DNR(NVME_SC_LBA_RANGE));
	UNTIL(p, p->notifications == 1);
	assert_int_equal(p->notified_type, DOCA_STA_CQE_NOTIF_NVME_COMP_ERR);
	assert_int_equal(p->notified_lba, BLOCKS - 1);
}

/* walk (f): the queue is taken away under load; a new one serves what comes afterwards */
static void queues_are_replaced_under_load(void **state)
{
	static struct host_cmd r[31];
	struct program *p = *state;
	unsigned int i, round;

	program_connect(p, 1);
	for (round = 0; round < 5; round++) {
		struct host_cmd w = program_rw(NVME_CMD_WRITE, 2, round, out, BLOCK, true);

		for (i = 0; i < 31; i++) {
			r[i] = program_rw(NVME_CMD_READ, 2, i, in + i * 4096, 4096, false);
			p->host->ops->submit(p->host, &r[i]);
		}
		program_destroy_queue(p, &p->hand_be_q);
		for (i = 0; i < 31; i++) {
			UNTIL(p, r[i].done);
			assert_true(r[i].status == 0 || r[i].status == NVME_SC_ABORT_SQ_DELETED ||
				    r[i].status == NVME_SC_NS_NOT_READY);
		}
		for (i = 0; i < 3; i++)
			assert_ok(doca_mmap_destroy(p->maps[i]));
		nvme_pci_queue_close(queue);
		assert_ok(nvme_pci_queue_open(pci, ENTRIES, &queue));
		p->rings = queue->rings;
		program_add_queue(p);
		fill((uint8_t)(round + 100), BLOCK);
		assert_int_equal(program_do(p, &w), 0);
		qtest_read_disk(qtest, in, BLOCK, round * BLOCK);
		assert_memory_equal(in, out, BLOCK);
	}
}

#define ROW(test, fabric)                                                                          \
	{                                                                                          \
#test " (" #fabric ")", test, setup_##fabric, teardown, NULL                       \
	}

int main(void)
{
	const struct CMUnitTest tests[] = {
		ROW(controllers_are_identified, loop),
		ROW(queues_come_and_go, loop),
		ROW(data_reaches_the_disk, loop),
		ROW(data_reaches_the_disk, tcp),
		ROW(rings_turn_round, loop),
		ROW(rings_turn_round, tcp),
		ROW(errors_are_the_disks_own, loop),
		ROW(queues_are_replaced_under_load, loop),
		ROW(queues_are_replaced_under_load, tcp),
	};
	int failed;

	if (!qtest_is_possible()) {
		puts("a controller on PCI has not been tested: no qemu-system-x86_64");
		return SKIPPED;
	}
	alarm(GIVE_UP_S); /* a loop that waits for ever ends the program */
	/* what the buffers of the program's memory are enough for */
	setenv("SOFTFIELD_LIMITS", "sta_max_io_num_per_dev=256,sta_max_io_queue_size=32", 1);
	qtest = qtest_start();
	failed = cmocka_run_group_tests(tests, NULL, NULL);
	qtest_stop(qtest);
	return failed;
}
