/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Programs with DPA code, built by dpacc: each scene is one.
 *
 * usage: scenes SCENE [COUNT]
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <doca_log.h>
#include "scene.h"

static const struct {
	const char *name;
	void (*play)(uint64_t count);
	uint64_t count; /* unless given */
} scenes[] = {
	{"kernels", scene_kernels, 80},
	{"endless", scene_endless, 5},
	{"relay", scene_relay, 20000},
	{"copies", scene_copies, 500},
	{"pests", scene_pests, 40},
	{"rings", scene_rings, 100000},
	{"threads-traffic", scene_threads_traffic, 120000},
	{"kernel-traffic", scene_kernel_traffic, 120000},
	{"shared-traffic", scene_shared_thread_traffic, 60000},
	{"broken-off", scene_broken_off, 60},
	{"forks", scene_forks, 12},
	{"victim", scene_victim, 0},
};

int main(int argc, char **argv)
{
	struct doca_log_backend *log;

	OK(doca_log_backend_create_with_file_sdk(stderr, &log));
	for (size_t i = 0; argc > 1 && i < COUNT_OF(scenes); i++) {
		if (strcmp(argv[1], scenes[i].name))
			continue;
		scenes[i].play(argc > 2 ? strtoull(argv[2], NULL, 10) : scenes[i].count);
		printf("all is well\n");
		return EXIT_SUCCESS;
	}
	fprintf(stderr, "usage: scenes SCENE [COUNT]\n");
	return EXIT_FAILURE;
}
