/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The driver against a controller that is a table: it answers admin commands when their doorbell is
 * rung, or fails at the step that a test names. contract-sta-pci has a real model.
 */
#include "nvme/pci.h"

#include <sched.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include "base/clock.h"
#include "test.h"

#define PAGES	16u
#define QUEUES	2u
#define MAX_DB	8u
#define SECONDS 1000000000ull

struct fake {
	struct nvme_bus bus;
	uint64_t cap;
	uint32_t cc, csts, aqa;
	uint64_t asq, acq;
	_Atomic uint32_t doorbells[MAX_DB];
	uint32_t head, posted;
	unsigned int pages, closed;
	/* admin commands that have come, and the one that is refused; 0xff: none */
	uint8_t seen[32], refused;
	unsigned int seen_count;
	bool never_ready, fatal, silent, shut_down;
	uint8_t *late; /* data of a command that was given up goes there, after that of others */
	unsigned int pages_left;
};

static struct fake fake;

static void answer(uint32_t index)
{
	const struct nvme_cmd *sq = (const void *)(uintptr_t)fake.asq;
	struct nvme_cqe *cq = (void *)(uintptr_t)fake.acq, *cqe;
	uint32_t entries = (fake.aqa & 0xfff) + 1;
	const struct nvme_cmd *cmd = &sq[index];
	uint16_t status = cmd->opcode == fake.refused ? NVME_SC_INVALID_FIELD : 0;
	uint8_t *data = (void *)(uintptr_t)le64toh(cmd->prp1);

	assert_true(fake.seen_count < sizeof(fake.seen));
	fake.seen[fake.seen_count++] = cmd->opcode;
	if (cmd->opcode == NVME_ADMIN_IDENTIFY && !status) {
		memset(data, 0, NVME_IDENTIFY_SIZE);
		((struct nvme_id_ctrl *)(void *)data)->mdts = 5;
		if (fake.late)
			memset(fake.late, 0xee, NVME_IDENTIFY_SIZE);
	}
	cqe = &cq[fake.posted % entries];
	cqe->cid = cmd->cid;
	cqe->dw0 = cmd->opcode == NVME_ADMIN_SET_FEATURES
			   ? htole32((QUEUES - 1) << 16 | (QUEUES - 1))
			   : 0;
	__atomic_store_n(&cqe->status,
			 htole16((uint16_t)(status << 1 | !((fake.posted / entries) & 1))),
			 __ATOMIC_RELEASE);
	fake.posted++;
}

/* nobody else runs: what the driver has rung is seen when it looks at the clock */
static void run_controller(void)
{
	while (!fake.silent && fake.csts & NVME_CSTS_RDY &&
	       fake.head != le32toh(atomic_load(&fake.doorbells[0]))) {
		answer(fake.head);
		fake.head = (fake.head + 1) % ((fake.aqa & 0xfff) + 1);
	}
}

static uint32_t bus_read(struct nvme_bus *bus, uint32_t reg)
{
	(void)bus;
	priv_clock_virtual.now_ns += SECONDS / 4; /* time passes while one polls */
	switch (reg) {
	case NVME_PROP_CAP:
		return (uint32_t)fake.cap;
	case NVME_PROP_CAP + 4:
		return (uint32_t)(fake.cap >> 32);
	case NVME_PROP_CSTS:
		return fake.csts;
	default:
		fail_msg("register %x is read", reg);
	}
	return 0;
}

static void set_cc(uint32_t cc)
{
	fake.cc = cc;
	if (!(cc & NVME_CC_EN)) {
		fake.csts = 0;
		return;
	}
	fake.csts = fake.never_ready ? 0 : NVME_CSTS_RDY;
	if (fake.fatal)
		fake.csts |= NVME_CSTS_CFS;
	if (cc & NVME_CC_SHN_NORMAL) {
		fake.csts |= NVME_CSTS_SHST_DONE;
		fake.shut_down = true;
	}
}

static void bus_write(struct nvme_bus *bus, uint32_t reg, uint32_t value)
{
	(void)bus;
	switch (reg) {
	case NVME_PROP_CC:
		set_cc(value);
		break;
	case NVME_PROP_AQA:
		fake.aqa = value;
		break;
	case NVME_PROP_ASQ:
		fake.asq = value;
		break;
	case NVME_PROP_ASQ + 4:
		fake.asq |= (uint64_t)value << 32;
		break;
	case NVME_PROP_ACQ:
		fake.acq = value;
		break;
	case NVME_PROP_ACQ + 4:
		fake.acq |= (uint64_t)value << 32;
		break;
	default:
		fail_msg("register %x is written", reg);
	}
}

static _Atomic uint32_t *bus_doorbell(struct nvme_bus *bus, uint32_t reg)
{
	(void)bus;
	assert_true(reg >= NVME_PROP_DOORBELLS && (reg - NVME_PROP_DOORBELLS) / 8 < MAX_DB);
	return &fake.doorbells[(reg - NVME_PROP_DOORBELLS) / 8]; /* a stride of 8 bytes */
}

static void *bus_alloc(struct nvme_bus *bus, size_t size, uint64_t *ret_addr)
{
	void *memory;

	(void)bus;
	if (!fake.pages_left)
		return NULL;
	fake.pages_left--;
	fake.pages++;
	memory = aligned_alloc(NVME_PAGE_SIZE,
			       (size + NVME_PAGE_SIZE - 1) & ~(size_t)(NVME_PAGE_SIZE - 1));
	memset(memory, 0, size);
	*ret_addr = (uintptr_t)memory;
	return memory;
}

static void bus_free(struct nvme_bus *bus, void *memory)
{
	(void)bus;
	fake.pages--;
	free(memory);
}

static void bus_close(struct nvme_bus *bus)
{
	(void)bus;
	fake.closed++;
}

static const struct nvme_bus_ops ops = {
	.read = bus_read,
	.write = bus_write,
	.doorbell = bus_doorbell,
	.alloc = bus_alloc,
	.free = bus_free,
	.close = bus_close,
};

/* the driver yields between two looks: that is when the controller works, and time passes */
int sched_yield(void)
{
	priv_clock_virtual.now_ns += SECONDS / 4;
	run_controller();
	return 0;
}

static int setup(void **state)
{
	(void)state;
	fake = (struct fake){
		.bus = {.ops = &ops},
		.cap = 63 | 2ull << 24 | 1ull << 32, /* 64 entries, a second, stride 8 */
		.refused = 0xff,
		.pages_left = PAGES,
	};
	priv_clock_virtual.on = true;
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	priv_clock_virtual.on = false;
	assert_int_equal(fake.pages, 0);
	return 0;
}

static void bring_up_and_down(void **state)
{
	struct nvme_pci *pci;

	(void)state;
	assert_ok(nvme_pci_open(&fake.bus, &pci));
	assert_int_equal(fake.cc, 6u << 16 | 4u << 20 | 1);
	assert_int_equal(fake.aqa, 31u << 16 | 31);
	assert_int_equal(nvme_pci_max_transfer(pci), 4096 << 5);
	assert_false(nvme_pci_has_write_cache(pci));
	assert_int_equal(fake.closed, 0);
	nvme_pci_close(pci);
	assert_true(fake.shut_down);
	assert_int_equal(fake.cc, 0);
	assert_int_equal(fake.closed, 1);
}

/* the bus stays the caller's */
static void bring_up_fails_at_each_step(void **state)
{
	struct nvme_pci *pci;
	unsigned int step;

	for (step = 0; step < 9; step++) {
		static const doca_error_t errors[] = {
			DOCA_ERROR_NOT_SUPPORTED, DOCA_ERROR_TIME_OUT,	DOCA_ERROR_IO_FAILED,
			DOCA_ERROR_TIME_OUT,	  DOCA_ERROR_IO_FAILED, DOCA_ERROR_IO_FAILED,
			DOCA_ERROR_NO_MEMORY,	  DOCA_ERROR_NO_MEMORY, DOCA_ERROR_NO_MEMORY,
		};

		setup(state);
		fake.cap |= step == 0 ? 1ull << 48 : 0; /* wants pages of 8 KiB */
		fake.never_ready = step == 1;
		fake.fatal = step == 2;
		fake.silent = step == 3;
		fake.refused = step == 4   ? NVME_ADMIN_IDENTIFY
			       : step == 5 ? NVME_ADMIN_SET_FEATURES
					   : 0xff;
		if (step > 5)
			fake.pages_left = step - 6;
		assert_int_equal(nvme_pci_open(&fake.bus, &pci), errors[step]);
		assert_int_equal(fake.closed, 0);
		assert_int_equal(fake.cc & NVME_CC_EN, 0); /* it touches memory no more */
		assert_int_equal(fake.pages, 0);
	}
}

static void queues_are_numbered_and_limited(void **state)
{
	struct nvme_pci_queue *q[3];
	struct nvme_pci *pci;

	(void)state;
	assert_ok(nvme_pci_open(&fake.bus, &pci));
	assert_ok(nvme_pci_queue_open(pci, 1024, &q[0]));
	assert_int_equal(q[0]->rings.entries, 64); /* as many as it has */
	assert_ok(nvme_pci_queue_open(pci, 16, &q[1]));
	assert_int_equal(q[0]->id, 1);
	assert_int_equal(q[1]->id, 2);
	assert_ptr_equal(q[1]->rings.sq_doorbell, &fake.doorbells[4]);
	assert_ptr_equal(q[1]->rings.cq_doorbell, &fake.doorbells[5]);
	assert_err(nvme_pci_queue_open(pci, 16, &q[2]), FULL);
	nvme_pci_queue_close(q[0]);
	assert_ok(nvme_pci_queue_open(pci, 16, &q[0]));
	assert_int_equal(q[0]->id, 1);
	nvme_pci_queue_close(q[0]);
	nvme_pci_queue_close(q[1]);
	nvme_pci_close(pci);
}

static void queues_that_fail_leave_nothing(void **state)
{
	static const uint8_t refused[] = {NVME_ADMIN_CREATE_CQ, NVME_ADMIN_CREATE_SQ};
	struct nvme_pci_queue *queue;
	struct nvme_pci *pci;
	unsigned int i, pages;

	(void)state;
	assert_ok(nvme_pci_open(&fake.bus, &pci));
	pages = fake.pages;
	for (i = 0; i < 2; i++) {
		fake.refused = refused[i];
		fake.seen_count = 0;
		assert_err(nvme_pci_queue_open(pci, 16, &queue), IO_FAILED);
		assert_int_equal(fake.pages, pages);
	}
	/* the completion queue that was made has been deleted again */
	assert_int_equal(fake.seen[fake.seen_count - 1], NVME_ADMIN_DELETE_CQ);
	fake.refused = 0xff;
	assert_ok(nvme_pci_queue_open(pci, 16, &queue));
	assert_int_equal(queue->id, 1);
	/* a controller that does not let go of a queue is switched off */
	fake.refused = NVME_ADMIN_DELETE_SQ;
	nvme_pci_queue_close(queue);
	assert_int_equal(fake.cc & NVME_CC_EN, 0);
	nvme_pci_close(pci);
}

/* what was given up is answered all the same, and that is no answer to what has come since */
static void late_answers_are_nobodys(void **state)
{
	static uint8_t id[NVME_IDENTIFY_SIZE];
	struct nvme_pci_queue *queue;
	struct nvme_pci *pci;

	(void)state;
	assert_ok(nvme_pci_open(&fake.bus, &pci));
	fake.silent = true;
	assert_err(nvme_pci_queue_open(pci, 16, &queue), TIME_OUT);
	fake.silent = false;
	fake.refused = NVME_ADMIN_IDENTIFY;
	assert_err(nvme_pci_identify(pci, NVME_CNS_CTRL, 0, id), IO_FAILED);
	fake.refused = 0xff;
	assert_ok(nvme_pci_identify(pci, NVME_CNS_CTRL, 0, id));
	nvme_pci_close(pci);
}

/* data of what was given up comes all the same, and not into that of what has come since */
static void late_data_is_nobodys(void **state)
{
	static struct nvme_id_ctrl id;
	const struct nvme_cmd *lost;
	struct nvme_pci *pci;

	(void)state;
	assert_ok(nvme_pci_open(&fake.bus, &pci));
	fake.silent = true;
	assert_err(nvme_pci_identify(pci, NVME_CNS_CTRL, 0, &id), TIME_OUT);
	lost = (const struct nvme_cmd *)(uintptr_t)fake.asq + fake.head++;
	fake.late = (uint8_t *)(uintptr_t)le64toh(lost->prp1);
	fake.silent = false;
	for (unsigned int i = 0; i < 40; i++) { /* more often than there are entries in the ring */
		fake.seen_count = 0;
		assert_ok(nvme_pci_identify(pci, NVME_CNS_CTRL, 0, &id));
		assert_int_equal(id.mdts, 5);
	}
	nvme_pci_close(pci);
}

/* Ten seconds for each queue would keep a program from ending. */
static void dead_controllers_are_waited_for_once(void **state)
{
	struct nvme_pci_queue *q[QUEUES];
	struct nvme_pci *pci;
	uint64_t since_ns;
	unsigned int i;

	(void)state;
	assert_ok(nvme_pci_open(&fake.bus, &pci));
	for (i = 0; i < QUEUES; i++)
		assert_ok(nvme_pci_queue_open(pci, 16, &q[i]));
	fake.silent = true;
	nvme_pci_queue_close(q[0]);
	assert_int_equal(fake.cc & NVME_CC_EN, 0);
	since_ns = priv_clock_virtual.now_ns;
	assert_err(nvme_pci_queue_open(pci, 16, &q[0]), IO_FAILED);
	nvme_pci_queue_close(q[1]);
	nvme_pci_close(pci);
	assert_int_equal(priv_clock_virtual.now_ns, since_ns);
}

#define ROW(test) cmocka_unit_test_setup_teardown(test, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		ROW(bring_up_and_down),
		ROW(bring_up_fails_at_each_step),
		ROW(queues_are_numbered_and_limited),
		ROW(queues_that_fail_leave_nothing),
		ROW(late_answers_are_nobodys),
		ROW(late_data_is_nobodys),
		ROW(dead_controllers_are_waited_for_once),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
