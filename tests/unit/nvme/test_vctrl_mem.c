/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The medium in memory under several threads: no block is seen half written.
 */
#include "rig.h"

#include <pthread.h>

#define ROUNDS 3000u
#define BLOCKS 8u

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

static void assert_blocks_are_whole(const uint8_t *data)
{
	unsigned int block, i;

	for (block = 0; block < BLOCKS; block++, data += RIG_BLOCK)
		for (i = 1; i < RIG_BLOCK; i++)
			assert_int_equal(data[i], data[0]);
}

/* writes blocks of one value, zeroes them now and then, and reads what there is */
static void *hammer(void *arg)
{
	struct rig *rig = arg;
	unsigned int round;

	for (round = 1; round <= ROUNDS; round++) {
		memset(rig->data, (int)(round & 0xff), BLOCKS * RIG_BLOCK);
		assert_int_equal(rig_do(rig, NVME_CMD_WRITE, 0, BLOCKS), 0);
		if (round % 64 == 0)
			assert_int_equal(rig_do(rig, NVME_CMD_WRITE_ZEROES, 0, BLOCKS), 0);
		assert_int_equal(rig_do(rig, NVME_CMD_READ, 0, BLOCKS), 0);
		assert_blocks_are_whole(rig->data);
	}
	return NULL;
}

static void blocks_are_never_torn(void **state)
{
	struct rig *first = *state, *second = rig_join(first->ctrl);
	pthread_t thread;

	assert_int_equal(pthread_create(&thread, NULL, hammer, second), 0);
	hammer(first);
	pthread_join(thread, NULL);
	rig_leave(second);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(blocks_are_never_torn, setup, teardown),
	};

	return cmocka_run_group_tests_name("vctrl_mem", tests, NULL, NULL);
}
