/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A rig over each medium that keeps its bytes, as setups of tests; OVER() is a test with each.
 */
#ifndef SOFTFIELD_TESTS_NVME_RIG_MEDIA_H
#define SOFTFIELD_TESTS_NVME_RIG_MEDIA_H

#include "rig.h"

#include <unistd.h>

static char rig_path[64]; /* of the file; empty: none */

static inline int setup_file(void **state, bool no_uring, bool read_only)
{
	struct vctrl_file_attr attr = {
		.path = rig_path, .no_uring = no_uring, .read_only = read_only};
	struct vctrl_medium *medium;
	int fd;

	strcpy(rig_path, "/tmp/vctrl-test-XXXXXX");
	fd = mkstemp(rig_path);
	assert_true(fd >= 0);
	assert_int_equal(ftruncate(fd, RIG_SIZE), 0);
	close(fd);
	assert_int_equal(vctrl_file_create(&attr, &medium), DOCA_SUCCESS);
	*state = rig_create(medium, RIG_BLOCK);
	return 0;
}

static inline int setup_uring(void **state)
{
	return setup_file(state, false, false);
}

static inline int setup_plain(void **state)
{
	return setup_file(state, true, false);
}

static inline int setup_read_only(void **state)
{
	return setup_file(state, false, true);
}

static inline int setup_memory(void **state)
{
	struct vctrl_medium *medium;

	rig_path[0] = '\0';
	assert_int_equal(vctrl_mem_create(RIG_SIZE, &medium), DOCA_SUCCESS);
	*state = rig_create(medium, RIG_BLOCK);
	return 0;
}

static inline int teardown(void **state)
{
	rig_destroy(*state);
	if (rig_path[0])
		unlink(rig_path);
	rig_path[0] = '\0';
	return 0;
}

#define OVER(test)                                                                                 \
	{#test " (io_uring)", test, setup_uring, teardown, NULL},                                  \
		{#test " (system calls)", test, setup_plain, teardown, NULL},                      \
	{                                                                                          \
#test " (memory)", test, setup_memory, teardown, NULL                              \
	}

#endif
