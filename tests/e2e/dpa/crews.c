/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Traffic over message queues: all of it, broken off, through a fork, until somebody kills us.
 */
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>
#include "traffic.h"

/* count: of messages there and back, of all together */
static void exchange(uint64_t count, uint32_t num_talkers, uint32_t num_hands, enum labour labour)
{
	uint64_t each = count / num_talkers / num_hands;
	struct crew crew;

	crew_open(&crew, num_talkers, num_hands, labour);
	while (!crew_is_done(&crew, each))
		crew_talk(&crew, each);
	crew_close(&crew);
}

void scene_threads_traffic(uint64_t count)
{
	exchange(count / 2, 3, 4, BY_THREADS);
	exchange(count / 4, 4, 1, BY_THREADS);
	exchange(count / 4, 1, 4, BY_THREADS);
}

void scene_kernel_traffic(uint64_t count)
{
	exchange(count, 3, 4, BY_KERNEL);
}

void scene_shared_thread_traffic(uint64_t count)
{
	exchange(count, 4, 3, BY_THREADS_OF_ONE_UNIT);
}

/* Each time a bit later, with messages in all places. */
void scene_broken_off(uint64_t count)
{
	const enum labour labours[] = {BY_THREADS, BY_KERNEL, BY_THREADS_OF_ONE_UNIT};

	for (uint64_t i = 0; i < count; i++) {
		struct crew crew;

		crew_open(&crew, 1 + i % 3, 1 + i % 4, labours[i % COUNT_OF(labours)]);
		while (crew_received(&crew) < i * 7)
			crew_talk(&crew, UINT64_MAX);
		for (uint64_t k = 0; k < i % 40; k++)
			crew_talk(&crew, UINT64_MAX);
		crew_close(&crew);
	}
}

/* The child has what its parent has, and no unit: it cleans up, or only ends. */
static void fork_once(struct crew *crew, bool cleans_up)
{
	pid_t pid;
	int status;

	fflush(stdout);
	pid = fork();
	MUST(pid >= 0);
	if (!pid) {
		if (cleans_up)
			crew_close_inherited(crew);
		exit(EXIT_SUCCESS);
	}
	do
		crew_talk(crew, UINT64_MAX);
	while (!waitpid(pid, &status, WNOHANG));
	MUST(WIFEXITED(status) && WEXITSTATUS(status) == 0);
}

void scene_forks(uint64_t count)
{
	const enum labour labours[] = {BY_THREADS, BY_KERNEL, BY_THREADS_OF_ONE_UNIT};

	for (uint64_t i = 0; i < count; i++) {
		struct crew crew;
		uint64_t seen;

		crew_open(&crew, 2, 2, labours[i % COUNT_OF(labours)]);
		while (crew_received(&crew) < 100)
			crew_talk(&crew, UINT64_MAX);
		fork_once(&crew, i % 4 != 3);
		seen = crew_received(&crew);
		while (crew_received(&crew) < seen + 100)
			crew_talk(&crew, UINT64_MAX);
		crew_close(&crew);
	}
}

/* count says whether the DPA works with threads or with a kernel. It does not end. */
void scene_victim(uint64_t count)
{
	struct crew crew;

	crew_open(&crew, 2, 2, count % 2 ? BY_KERNEL : BY_THREADS);
	while (crew_received(&crew) < 1000)
		crew_talk(&crew, UINT64_MAX);
	printf("talking\n");
	fflush(stdout);
	for (;;)
		crew_talk(&crew, UINT64_MAX);
}
