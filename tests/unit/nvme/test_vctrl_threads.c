/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Media under several threads: no block is seen half written.
 */
#include "rig.h"

#include <pthread.h>
#include <unistd.h>

#define ROUNDS 1000u
#define BYTES  65536u

static uint32_t block_size;

static int setup_memory(void **state)
{
	struct vctrl_medium *medium;

	assert_int_equal(vctrl_mem_create(RIG_SIZE, &medium), DOCA_SUCCESS);
	block_size = 512;
	*state = rig_create(medium, block_size);
	return 0;
}

static int setup_with(void **state, bool no_uring)
{
	char path[] = "/tmp/vctrl-test-XXXXXX";
	struct vctrl_file_attr attr = {.path = path, .no_uring = no_uring};
	struct vctrl_medium *medium;
	int fd = mkstemp(path);

	assert_true(fd >= 0);
	assert_int_equal(ftruncate(fd, RIG_SIZE), 0);
	close(fd);
	assert_int_equal(vctrl_file_create(&attr, &medium), DOCA_SUCCESS);
	unlink(path);
	block_size = BYTES; /* the kernel copies it page by page */
	*state = rig_create(medium, block_size);
	return 0;
}

static int setup_file(void **state)
{
	return setup_with(state, false);
}

static int setup_calls(void **state)
{
	return setup_with(state, true);
}

static int teardown(void **state)
{
	rig_destroy(*state);
	return 0;
}

static void assert_blocks_are_whole(const uint8_t *data)
{
	unsigned int block;

	for (block = 0; block < BYTES / block_size; block++, data += block_size)
		if (memcmp(data, data + 1, block_size - 1)) /* each byte is the next one's equal */
			fail_msg("block %u is torn", block);
}

static uint16_t run(struct rig *rig, uint8_t opcode)
{
	rig_set_prps(rig, rig_prepare(rig, opcode, 0, BYTES / block_size), 0, BYTES);
	return rig_one(rig);
}

/* writes blocks of one value, zeroes them now and then, and reads what there is */
static void *hammer(void *arg)
{
	struct rig *rig = arg;
	unsigned int round;

	for (round = 1; round <= ROUNDS; round++) {
		memset(rig->data, (int)(round & 0xff), BYTES);
		assert_int_equal(run(rig, NVME_CMD_WRITE), 0);
		if (round % 64 == 0)
			assert_int_equal(run(rig, NVME_CMD_WRITE_ZEROES), 0);
		assert_int_equal(run(rig, NVME_CMD_READ), 0);
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
		cmocka_unit_test_setup_teardown(blocks_are_never_torn, setup_memory, teardown),
		cmocka_unit_test_setup_teardown(blocks_are_never_torn, setup_file, teardown),
		cmocka_unit_test_setup_teardown(blocks_are_never_torn, setup_calls, teardown),
	};

	return cmocka_run_group_tests_name("vctrl_threads", tests, NULL, NULL);
}
