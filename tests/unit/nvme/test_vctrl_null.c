/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The medium without memory: what is written is forgotten, what is read is zero.
 */
#include "rig.h"

static int setup(void **state)
{
	struct vctrl_medium *medium;

	assert_int_equal(vctrl_null_create(RIG_SIZE, &medium), DOCA_SUCCESS);
	*state = rig_create(medium, RIG_BLOCK);
	return 0;
}

static int teardown(void **state)
{
	rig_destroy(*state);
	return 0;
}

/* the buffer may hold another host's data: it is cleared, to its end and no further */
static void reads_are_zero(void **state)
{
	static const uint32_t blocks[] = {1, 8, 16, 17, RIG_MAX / RIG_BLOCK};
	struct rig *rig = *state;

	for (size_t i = 0; i < sizeof(blocks) / sizeof(blocks[0]); i++) {
		const size_t size = blocks[i] * RIG_BLOCK;

		memset(rig->data, 0xee, RIG_MAX + NVME_PAGE_SIZE);
		assert_int_equal(rig_do(rig, NVME_CMD_READ, i, blocks[i]), NVME_SC_SUCCESS);
		assert_true(rig_is_zero(rig, 0, size));
		assert_int_equal(rig->data[size], 0xee);
	}
}

static void writes_are_forgotten(void **state)
{
	struct rig *rig = *state;

	rig_fill(rig, 3, 8 * RIG_BLOCK);
	assert_int_equal(rig_do(rig, NVME_CMD_WRITE, 16, 8), NVME_SC_SUCCESS);
	assert_true(rig_is_filled(rig, 3, 8 * RIG_BLOCK)); /* the host's own memory stays */
	assert_int_equal(rig_do(rig, NVME_CMD_READ, 16, 8), NVME_SC_SUCCESS);
	assert_true(rig_is_zero(rig, 0, 8 * RIG_BLOCK));
}

static void it_has_a_size_nevertheless(void **state)
{
	struct rig *rig = *state;

	assert_int_equal(vctrl_ns_blocks(rig->ctrl, 1), RIG_BLOCKS);
	assert_int_equal(rig_do(rig, NVME_CMD_READ, RIG_BLOCKS - 1, 1), NVME_SC_SUCCESS);
	assert_int_equal(rig_do(rig, NVME_CMD_READ, RIG_BLOCKS, 1),
			 NVME_SC_LBA_RANGE | NVME_SC_DNR);
}

/* everything is finished when it is started: there is nothing to wait for */
static void it_never_waits(void **state)
{
	struct rig *rig = *state;
	int fds[VCTRL_NS_MAX];

	assert_int_equal(vctrl_queue_fds(rig->device, fds), 0);
	assert_int_equal(rig_do(rig, NVME_CMD_FLUSH, 0, 1), NVME_SC_SUCCESS);
	assert_false(rig_is_busy(rig));
}

#define TEST(test) cmocka_unit_test_setup_teardown(test, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(reads_are_zero),
		TEST(writes_are_forgotten),
		TEST(it_has_a_size_nevertheless),
		TEST(it_never_waits),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
