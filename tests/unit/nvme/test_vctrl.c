/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The emulated controller's queues: rings, doorbells, completions, namespaces.
 */
#include "rig.h"

#include "base/clock.h"

static int setup(void **state)
{
	struct vctrl_medium *medium;

	assert_int_equal(vctrl_mem_create(RIG_SIZE, &medium), DOCA_SUCCESS);
	*state = rig_create(medium, RIG_BLOCK);
	return 0;
}

static int teardown(void **state)
{
	rig_destroy(*state);
	return 0;
}

static void add_ns_checks_block_size_and_state(void **state)
{
	static const uint32_t sizes[] = {0, 1, 256, 511, 513, 131072};
	struct rig *rig = *state;
	struct vctrl_attr attr = {.max_transfer = RIG_MAX};
	struct vctrl_medium *medium;
	struct vctrl *ctrl;
	uint32_t nsid;
	size_t i;

	assert_int_equal(vctrl_null_create(1 << 20, &medium), DOCA_SUCCESS);
	assert_int_equal(vctrl_create(&attr, &ctrl), DOCA_SUCCESS);
	for (i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++)
		assert_int_equal(vctrl_add_ns(ctrl, medium, sizes[i], &nsid),
				 DOCA_ERROR_INVALID_VALUE);
	assert_int_equal(vctrl_add_ns(rig->ctrl, medium, 512, &nsid), DOCA_ERROR_IN_USE);
	assert_int_equal(vctrl_add_ns(ctrl, medium, 4096, &nsid), DOCA_SUCCESS);
	assert_int_equal(vctrl_ns_blocks(ctrl, nsid), 256);
	assert_int_equal(vctrl_ns_blocks(ctrl, nsid + 1), 0);
	vctrl_destroy(ctrl);
}

static void add_ns_refuses_what_is_smaller_than_a_block(void **state)
{
	struct vctrl_attr attr = {.max_transfer = RIG_MAX};
	struct vctrl_medium *medium;
	struct vctrl *ctrl;
	uint32_t nsid;

	(void)state;
	assert_int_equal(vctrl_null_create(4095, &medium), DOCA_SUCCESS);
	assert_int_equal(vctrl_create(&attr, &ctrl), DOCA_SUCCESS);
	assert_int_equal(vctrl_add_ns(ctrl, medium, 4096, &nsid), DOCA_ERROR_INVALID_VALUE);
	assert_int_equal(vctrl_add_ns(ctrl, medium, 2048, &nsid), DOCA_SUCCESS);
	assert_int_equal(vctrl_ns_blocks(ctrl, nsid), 1);
	vctrl_destroy(ctrl);
}

static void create_refuses_odd_transfer_sizes(void **state)
{
	struct vctrl_attr attr = {.max_transfer = 1000};
	struct vctrl *ctrl;

	(void)state;
	assert_int_equal(vctrl_create(&attr, &ctrl), DOCA_ERROR_INVALID_VALUE);
	attr.max_transfer = 0;
	assert_int_equal(vctrl_create(&attr, &ctrl), DOCA_ERROR_INVALID_VALUE);
}

static void many_rounds_wrap_both_rings(void **state)
{
	struct rig *rig = *state;
	unsigned int i;

	for (i = 0; i < 10 * RIG_ENTRIES + 3; i++)
		assert_int_equal(rig_do(rig, NVME_CMD_READ, i % RIG_BLOCKS, 1), NVME_SC_SUCCESS);
	assert_false(rig_is_busy(rig));
}

static void a_full_ring_is_executed_at_once(void **state)
{
	struct rig *rig = *state;
	unsigned int i;

	for (i = 0; i < RIG_ENTRIES - 1; i++)
		rig_prepare(rig, NVME_CMD_READ, i, 1);
	assert_false(rig_is_busy(rig));
	nvme_queue_ring(&rig->host);
	assert_true(rig_is_busy(rig));
	rig_run(rig, RIG_ENTRIES - 1);
	assert_int_equal(nvme_queue_outstanding(&rig->host), 0);
}

static void unread_completions_hold_commands_back(void **state)
{
	struct rig *rig = *state;
	uint32_t all = RIG_ENTRIES - 1;
	uint32_t i;

	/* A host that submits two ringfuls and reads no completion: the second one must wait. */
	for (i = 0; i < all; i++)
		rig->sq[i] = (struct nvme_cmd){.opcode = NVME_CMD_FLUSH, .nsid = htole32(1)};
	rig->doorbells[0] = htole32(all);
	assert_int_equal(vctrl_queue_poll(rig->device), all);
	rig->sq[all] = rig->sq[0];
	rig->doorbells[0] = 0;
	assert_int_equal(vctrl_queue_poll(rig->device), 0);
	assert_true(rig_is_busy(rig));
	rig->doorbells[1] = htole32(1); /* one read: one more */
	assert_int_equal(vctrl_queue_poll(rig->device), 1);
}

/* A medium that never finishes anything. */
static doca_error_t open_endless(struct vctrl_medium *medium, unsigned int depth,
				 struct vctrl_channel **ret_channel)
{
	static struct vctrl_channel channel;

	(void)depth;
	channel = (struct vctrl_channel){.medium = medium};
	*ret_channel = &channel;
	return DOCA_SUCCESS;
}

static void close_endless(struct vctrl_channel *channel)
{
	(void)channel;
}

static void start_endless(struct vctrl_channel *channel, struct vctrl_io *io)
{
	(void)channel;
	(void)io;
}

static unsigned int poll_endless(struct vctrl_channel *channel)
{
	(void)channel;
	return 0;
}

static int no_fd(const struct vctrl_channel *channel)
{
	(void)channel;
	return -1;
}

static void destroy_endless(struct vctrl_medium *medium)
{
	(void)medium;
}

/* With all commands under way nothing can have been completed, nor read. */
static void a_host_that_lies_about_what_it_has_read_gets_no_more(void **state)
{
	static const struct vctrl_medium_ops ops = {
		.open = open_endless,
		.close = close_endless,
		.start = start_endless,
		.poll = poll_endless,
		.fd = no_fd,
		.destroy = destroy_endless,
	};
	struct vctrl_medium medium = {
		.ops = &ops, .size = RIG_SIZE, .min_block_size = 1, .block_size = RIG_BLOCK};
	struct rig *rig = rig_create(&medium, RIG_BLOCK);
	const uint32_t all = RIG_ENTRIES - 1;

	(void)state;
	for (uint32_t i = 0; i <= all; i++)
		rig->sq[i] = (struct nvme_cmd){.opcode = NVME_CMD_FLUSH, .nsid = htole32(1)};
	rig->doorbells[0] = htole32(all);
	assert_int_equal(vctrl_queue_poll(rig->device), all);
	rig->doorbells[0] = 0; /* one more */
	rig->doorbells[1] = htole32(1);
	assert_int_equal(vctrl_queue_poll(rig->device), 0);
	rig_destroy(rig);
}

static void a_doorbell_outside_the_ring_stops_the_queue(void **state)
{
	struct rig *rig = *state;
	unsigned int which;

	for (which = 0; which < 2; which++) {
		rig->doorbells[0] = htole32(1);
		rig->doorbells[which] = htole32(RIG_ENTRIES);
		assert_int_equal(vctrl_queue_poll(rig->device), 0);
		assert_true(rig->device->failed);
		assert_false(rig_is_busy(rig));
		vctrl_queue_close(rig->device);
		nvme_queue_fini(&rig->host);
		rig_open_queue(rig);
	}
}

static void *shifted(void *arg, uint64_t bus, size_t size)
{
	(void)size;
	return (void *)(uintptr_t)(bus - *(uint64_t *)arg);
}

static void bus_addresses_are_translated(void **state)
{
	static uint64_t shift = 1ull << 60;
	struct vctrl_attr attr = {
		.max_transfer = RIG_MAX, .translate = shifted, .translate_arg = &shift};
	struct rig *rig = *state;
	struct vctrl_medium *medium;
	struct nvme_cmd *cmd;
	uint32_t nsid, i;

	vctrl_queue_close(rig->device);
	nvme_queue_fini(&rig->host);
	vctrl_destroy(rig->ctrl);
	assert_int_equal(vctrl_mem_create(RIG_SIZE, &medium), DOCA_SUCCESS);
	assert_int_equal(vctrl_create(&attr, &rig->ctrl), DOCA_SUCCESS);
	assert_int_equal(vctrl_add_ns(rig->ctrl, medium, RIG_BLOCK, &nsid), DOCA_SUCCESS);
	rig_open_queue(rig);
	for (i = 0; i < 2; i++) {
		cmd = rig_prepare(rig, i ? NVME_CMD_READ : NVME_CMD_WRITE, 0, 64);
		if (!i)
			rig_fill(rig, 3, 64 * RIG_BLOCK);
		cmd->prp1 = htole64(le64toh(cmd->prp1) + shift);
		cmd->prp2 = htole64(le64toh(cmd->prp2) + shift);
		for (uint32_t n = 0; n < 7; n++)
			rig->list[n] = htole64(le64toh(rig->list[n]) + shift);
		assert_int_equal(rig_one(rig), NVME_SC_SUCCESS);
		if (!i)
			memset(rig->data, 0, 64 * RIG_BLOCK);
	}
	assert_true(rig_is_filled(rig, 3, 64 * RIG_BLOCK));
}

static struct rig *join_large_memory(uint64_t size)
{
	struct vctrl_attr attr = {.max_transfer = RIG_MAX};
	struct vctrl_medium *medium;
	struct vctrl *ctrl;
	uint32_t nsid;

	assert_int_equal(vctrl_mem_create(size, &medium), DOCA_SUCCESS);
	assert_int_equal(vctrl_create(&attr, &ctrl), DOCA_SUCCESS);
	assert_int_equal(vctrl_add_ns(ctrl, medium, RIG_BLOCK, &nsid), DOCA_SUCCESS);
	return rig_join(ctrl);
}

/* Others have their turn: a poll takes a millisecond, here by a clock that each look moves. */
static void much_memory_is_cleared_by_several_polls(void **state)
{
	const uint32_t blocks = (64u << 20) / RIG_BLOCK, last = blocks - 1;
	const struct nvme_dsm_range all = {.nlb = htole32(blocks)};
	struct rig *rig = join_large_memory(64u << 20), *other = rig_join(rig->ctrl);
	unsigned int polls = 0;

	(void)state;
	rig_fill(other, 1, RIG_BLOCK);
	assert_int_equal(rig_do(other, NVME_CMD_WRITE, last, 1), 0);
	priv_clock_virtual = (struct clock_virtual){.on = true, .step_ns = 1000000};
	memcpy(rig->data, &all, sizeof(all));
	rig_prepare(rig, NVME_CMD_DSM, 0, 1)->cdw11 = htole32(NVME_DSM_AD);
	nvme_queue_ring(&rig->host);
	while (!nvme_queue_poll(&rig->host, rig_note, rig, RIG_ENTRIES)) {
		assert_true(vctrl_queue_must_poll(rig->device));
		assert_int_equal(rig_do(other, NVME_CMD_READ, last, 1), 0);
		assert_true(rig_is_filled(other, 1, RIG_BLOCK));
		polls += vctrl_queue_poll(rig->device) > 0;
	}
	priv_clock_virtual = (struct clock_virtual){0};
	assert_int_equal(nvme_cqe_status(&rig->last), 0);
	assert_true(polls > 8);
	assert_int_equal(rig_do(other, NVME_CMD_READ, last, 1), 0);
	assert_true(rig_is_zero(other, 0, RIG_BLOCK));
	rig_leave(other);
	rig_destroy(rig);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(add_ns_checks_block_size_and_state, setup,
						teardown),
		cmocka_unit_test(add_ns_refuses_what_is_smaller_than_a_block),
		cmocka_unit_test(create_refuses_odd_transfer_sizes),
		cmocka_unit_test_setup_teardown(many_rounds_wrap_both_rings, setup, teardown),
		cmocka_unit_test_setup_teardown(a_full_ring_is_executed_at_once, setup, teardown),
		cmocka_unit_test_setup_teardown(unread_completions_hold_commands_back, setup,
						teardown),
		cmocka_unit_test(a_host_that_lies_about_what_it_has_read_gets_no_more),
		cmocka_unit_test_setup_teardown(a_doorbell_outside_the_ring_stops_the_queue, setup,
						teardown),
		cmocka_unit_test_setup_teardown(bus_addresses_are_translated, setup, teardown),
		cmocka_unit_test(much_memory_is_cleared_by_several_polls),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
