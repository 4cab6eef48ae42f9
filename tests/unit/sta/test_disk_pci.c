/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Disks on PCI through the API: a bus of the test's own in the place of vfio.c, and behind it a
 * controller that refuses a command, or falls silent. contract-sta-pci has QEMU's model.
 */
#include "api.h"

#include <pthread.h>
#include <stdatomic.h>
#include <unistd.h>
#include "nvme/dma.h"
#include "nvme/pci.h"

#define GIVE_UP_S 60
#define QUEUES	  4u
#define COMMANDS  16u

static struct {
	struct nvme_bus bus;
	struct vctrl *ctrl;
	struct vctrl_queue *queues[QUEUES + 1];
	struct nvme_queue_attr rings[QUEUES + 1];
	_Atomic uint32_t csts, aqa, doorbells[2 * QUEUES + 2];
	_Atomic uint64_t asq, acq;
	uint32_t head, posted;
	pthread_t thread;
	atomic_bool stop, holds_io;
	_Atomic uint32_t refused;    /* opcode; ~0: none */
	_Atomic uint32_t lba_format; /* of its namespace */
	_Atomic unsigned int pieces; /* of memory */
} fake;

/*
 * The controller: admin commands, and queues of an emulated one
 */

static uint16_t identify(const struct nvme_cmd *cmd)
{
	uint8_t *data = (uint8_t *)(uintptr_t)le64toh(cmd->prp1);
	struct nvme_id_ctrl *ctrl = (void *)data;
	struct nvme_id_ns *ns = (void *)data;

	memset(data, 0, NVME_IDENTIFY_SIZE);
	if (le32toh(cmd->cdw10) == NVME_CNS_CTRL) {
		ctrl->mdts = 5;
		ctrl->oncs = htole16(NVME_ONCS_COMPARE | NVME_ONCS_DSM);
	} else {
		ns->nsze = htole64(API_DISK / API_BLOCK);
		ns->lbaf[0] = htole32(fake.lba_format);
	}
	return 0;
}

static uint16_t create_sq(uint32_t id)
{
	return vctrl_queue_open(fake.ctrl, &fake.rings[id], &fake.queues[id])
		       ? NVME_SC_INTERNAL_ERROR
		       : 0;
}

static void close_queue(uint32_t id)
{
	if (fake.queues[id])
		vctrl_queue_close(fake.queues[id]);
	fake.queues[id] = NULL;
}

static uint16_t execute(const struct nvme_cmd *cmd)
{
	uint32_t id = le32toh(cmd->cdw10) & 0xffff;

	if (cmd->opcode == fake.refused)
		return NVME_SC_INVALID_FIELD;
	switch (cmd->opcode) {
	case NVME_ADMIN_IDENTIFY:
		return identify(cmd);
	case NVME_ADMIN_CREATE_CQ:
		fake.rings[id].cq = (void *)(uintptr_t)le64toh(cmd->prp1);
		fake.rings[id].entries = (le32toh(cmd->cdw10) >> 16) + 1;
		return 0;
	case NVME_ADMIN_CREATE_SQ:
		fake.rings[id].sq = (void *)(uintptr_t)le64toh(cmd->prp1);
		fake.rings[id].sq_doorbell = &fake.doorbells[2 * id];
		fake.rings[id].cq_doorbell = &fake.doorbells[2 * id + 1];
		return create_sq(id);
	case NVME_ADMIN_DELETE_SQ:
		close_queue(id);
		return 0;
	default:
		return 0;
	}
}

static void answer(uint32_t entries)
{
	const struct nvme_cmd *cmd = (struct nvme_cmd *)(uintptr_t)fake.asq + fake.head;
	struct nvme_cqe *cqe = (struct nvme_cqe *)(uintptr_t)fake.acq + fake.posted % entries;
	uint32_t phase = !(fake.posted / entries & 1);
	uint16_t status = execute(cmd);

	cqe->cid = cmd->cid;
	cqe->dw0 = htole32((QUEUES - 1) << 16 | (QUEUES - 1)); /* of interest to Set Features */
	__atomic_store_n(&cqe->status, htole16((uint16_t)(status << 1 | phase)), __ATOMIC_RELEASE);
	fake.posted++;
	fake.head = (fake.head + 1) % entries;
}

static void *run(void *arg)
{
	uint32_t id;

	(void)arg;
	while (!fake.stop) {
		while (fake.csts && fake.head != le32toh(fake.doorbells[0]))
			answer((fake.aqa & 0xfff) + 1);
		for (id = 1; id <= QUEUES; id++)
			if (fake.queues[id] && !fake.holds_io)
				vctrl_queue_poll(fake.queues[id]);
		sched_yield();
	}
	for (id = 1; id <= QUEUES; id++)
		close_queue(id);
	return NULL;
}

/*
 * The bus
 */

static uint32_t bus_read(struct nvme_bus *bus, uint32_t reg)
{
	(void)bus;
	switch (reg) {
	case NVME_PROP_CAP: /* 1024 entries, a second */
		return 1023 | 2u << 24;
	case NVME_PROP_CSTS:
		return fake.csts;
	default:
		return 0;
	}
}

static void bus_write(struct nvme_bus *bus, uint32_t reg, uint32_t value)
{
	(void)bus;
	if (reg == NVME_PROP_AQA)
		fake.aqa = value;
	else if (reg == NVME_PROP_ASQ)
		fake.asq = value;
	else if (reg == NVME_PROP_ASQ + 4)
		fake.asq |= (uint64_t)value << 32;
	else if (reg == NVME_PROP_ACQ)
		fake.acq = value;
	else if (reg == NVME_PROP_ACQ + 4)
		fake.acq |= (uint64_t)value << 32;
	else if (reg == NVME_PROP_CC)
		fake.csts = !(value & NVME_CC_EN)	   ? 0
			    : (value & NVME_CC_SHN_NORMAL) ? NVME_CSTS_RDY | NVME_CSTS_SHST_DONE
							   : NVME_CSTS_RDY;
}

static _Atomic uint32_t *bus_doorbell(struct nvme_bus *bus, uint32_t reg)
{
	_Atomic uint32_t *doorbell = &fake.doorbells[(reg - NVME_PROP_DOORBELLS) / 4];

	(void)bus;
	*doorbell = 0;
	return doorbell;
}

static void *bus_alloc(struct nvme_bus *bus, size_t size, uint64_t *ret_addr)
{
	void *memory = dma_alloc(size);

	(void)bus;
	*ret_addr = (uintptr_t)memory;
	fake.pieces++;
	return memory;
}

static void bus_free(struct nvme_bus *bus, void *memory)
{
	(void)bus;
	fake.pieces--;
	dma_free(memory);
}

static void bus_close(struct nvme_bus *bus)
{
	(void)bus;
	fake.stop = true;
	pthread_join(fake.thread, NULL);
	vctrl_destroy(fake.ctrl);
}

static const struct nvme_bus_ops ops = {
	.read = bus_read,
	.write = bus_write,
	.doorbell = bus_doorbell,
	.alloc = bus_alloc,
	.free = bus_free,
	.close = bus_close,
};

/* instead of that of vfio.c */
doca_error_t nvme_vfio_open(const char *address, struct nvme_bus **ret_bus)
{
	const struct vctrl_attr attr = {.max_transfer = 128u << 10};
	struct vctrl_medium *medium;
	uint32_t nsid;

	(void)address;
	assert_ok(vctrl_create(&attr, &fake.ctrl));
	assert_ok(vctrl_mem_create(API_DISK, &medium));
	assert_ok(vctrl_add_ns(fake.ctrl, medium, API_BLOCK, &nsid));
	fake.bus.ops = &ops;
	fake.csts = fake.doorbells[0] = fake.head = fake.posted = 0;
	fake.stop = fake.holds_io = false;
	assert_int_equal(pthread_create(&fake.thread, NULL, run, NULL), 0);
	*ret_bus = &fake.bus;
	return DOCA_SUCCESS;
}

/*
 * A target with it
 */

static const struct softfield_sta_disk_attr attr = {.kind = SOFTFIELD_STA_DISK_PCI, .path = "fake"};

static int setup(void **state)
{
	struct api *api;

	fake.refused = ~0u;
	fake.lba_format = 9u << 16;
	api_setup_empty(state);
	api = *state;
	assert_ok(doca_sta_io_create(api->sta, &api->io));
	api_configure_io(api, api->io);
	assert_ok(doca_ctx_start(doca_sta_io_as_ctx(api->io)));
	assert_ok(softfield_sta_disk_open(api->sta, &attr, &api->disk));
	assert_ok(doca_sta_subsystem_create(api->sta, API_NQN, &api->subs));
	assert_ok(doca_sta_be_create(api->sta, &api->be));
	assert_ok(softfield_sta_be_add_disk_queue(api->be, api->disk, &api->be_q));
	assert_ok(doca_sta_subsystem_add_ns(api->subs, 1, API_BLOCK, 1, api->be, &api->ns));
	return 0;
}

static int teardown(void **state)
{
	int result = api_teardown(state);

	assert_int_equal(fake.pieces, 0);
	return result;
}

static void disks_that_are_refused_leave_nothing(void **state)
{
	static const struct {
		uint32_t refused, lba_format;
		doca_error_t err;
	} rows[] = {
		{NVME_ADMIN_IDENTIFY, 9u << 16, DOCA_ERROR_IO_FAILED},
		{NVME_ADMIN_SET_FEATURES, 9u << 16, DOCA_ERROR_IO_FAILED},
		{~0u, 9u << 16 | 8, DOCA_ERROR_NOT_SUPPORTED}, /* metadata */
		{~0u, 8u << 16, DOCA_ERROR_NOT_SUPPORTED},
		{~0u, 255u << 16, DOCA_ERROR_NOT_SUPPORTED},
	};
	struct api *api = *state;
	struct softfield_sta_disk *disk;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(rows); i++) {
		fake.refused = rows[i].refused;
		fake.lba_format = rows[i].lba_format;
		assert_int_equal(softfield_sta_disk_open(api->sta, &attr, &disk), rows[i].err);
		assert_true(fake.stop);
		assert_int_equal(fake.pieces, 0);
	}
}

/* each is documented: softfield_sta.h */
static void what_the_disk_refuses(void **state)
{
	struct softfield_sta_channel *channels[QUEUES];
	const union doca_data none = {0};
	struct doca_sta_be_q_handle *be_q;
	struct api *api = *state;
	unsigned int i;

	fake.refused = NVME_ADMIN_IDENTIFY;
	assert_err(softfield_sta_disk_rescan(api->disk), IO_FAILED);
	fake.refused = ~0u;
	fake.lba_format = 9u << 16 | 8;
	assert_err(softfield_sta_disk_rescan(api->disk), NOT_SUPPORTED);
	fake.lba_format = 9u << 16;
	assert_ok(softfield_sta_disk_rescan(api->disk));
	fake.refused = NVME_ADMIN_CREATE_SQ;
	assert_err(softfield_sta_be_add_disk_queue(api->be, api->disk, &be_q), IO_FAILED);
	assert_err(softfield_sta_channel_open(api->disk, api->pe, &channels[0]), IO_FAILED);
	fake.refused = ~0u;
	for (i = 0; i < QUEUES - 1; i++) /* the back end has one */
		assert_ok(softfield_sta_channel_open(api->disk, api->pe, &channels[i]));
	assert_err(softfield_sta_be_add_disk_queue(api->be, api->disk, &be_q), FULL);
	assert_err(softfield_sta_channel_open(api->disk, api->pe, &channels[i]), FULL);
	assert_err(softfield_sta_channel_abort(channels[0], none), NOT_SUPPORTED);
	while (i)
		assert_ok(softfield_sta_channel_close(channels[--i]));
}

/* what hosts are told that works there */
static void info_says_what_the_disk_says(void **state)
{
	struct softfield_sta_disk_info info;
	struct api *api = *state;

	assert_ok(softfield_sta_disk_get_info(api->disk, &info));
	assert_int_equal(info.oncs, NVME_ONCS_COMPARE | NVME_ONCS_DSM);
	assert_false(info.can_fuse);
}

/* The commands are answered, and the disk, which had fallen silent, touches nothing any more. */
static void queues_of_silent_disks_are_destroyed(void **state)
{
	static uint8_t data[COMMANDS][4096];
	struct api *api = *state;
	struct doca_sta_qp_handle *qp = api_connect(api);
	unsigned int i, before = api->answered;

	fake.holds_io = true;
	for (i = 0; i < COMMANDS; i++) {
		struct nvme_cmd cmd =
			api_rw(i & 1 ? NVME_CMD_WRITE : NVME_CMD_READ, 1, i * 8, sizeof(data[i]));

		assert_ok(api_host(api, qp, &cmd, data[i], sizeof(data[i])));
	}
	assert_err(softfield_sta_disk_close(api->disk), IN_USE);
	assert_err(doca_sta_be_destroy(api->be), IN_USE);
	api_destroy_queue(api);
	API_UNTIL(api, api->answered == before + COMMANDS);
	assert_int_equal(api->lost, 0);
	fake.holds_io = false;
	assert_ok(softfield_sta_be_add_disk_queue(api->be, api->disk, &api->be_q));
	for (i = 0; i < COMMANDS; i++) {
		struct nvme_cmd cmd = api_rw(NVME_CMD_READ, 1, i * 8, sizeof(data[i]));

		assert_int_equal(api_do(api, qp, &cmd, data[i], sizeof(data[i])), 0);
	}
	api_disconnect(api, qp);
}

#define ROW(test) cmocka_unit_test_setup_teardown(test, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		API_EMPTY_TEST(disks_that_are_refused_leave_nothing),
		ROW(what_the_disk_refuses),
		ROW(info_says_what_the_disk_says),
		ROW(queues_of_silent_disks_are_destroyed),
	};

	alarm(GIVE_UP_S); /* a loop that waits for ever ends the program */
	return cmocka_run_group_tests(tests, NULL, NULL);
}
