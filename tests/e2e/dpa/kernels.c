/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Kernels in chains of events, calls with structs by value, kernels that never end.
 */
#include <string.h>
#include <doca_comch_consumer.h>
#include "scene.h"

#define NUM_VALUES 1000u
#define STAGES	   3u

static uint64_t expected_sum(uint64_t rounds)
{
	/* each of the stages adds i + 7 to each value, once a round */
	return rounds * STAGES * (NUM_VALUES * (NUM_VALUES - 1) / 2 + NUM_VALUES * 7ull);
}

static void call_with_structs(struct scene *scene)
{
	doca_dpa_dev_uintptr_t written = scene_alloc(scene, sizeof(struct small));
	struct small small = {1, 20, 300}, last = {4, 5, 6}, seen;
	struct large large = {.letter = 'x'};
	uint64_t result, expected = 1 + 20 + 300 + 'x' + (uint64_t)-3 + 5 + 6;

	for (unsigned int i = 0; i < COUNT_OF(large.values); i++) {
		large.values[i] = 1000 + i;
		expected += large.values[i] * (i + 1);
	}
	OK(doca_dpa_rpc(scene->dpa, mix, &result, small, large, -3, 2.5, written, last));
	MUST(result == expected);
	scene_read(scene, &seen, written, sizeof(seen));
	MUST(seen.b == last.b);
	OK(doca_dpa_mem_free(scene->dpa, written));
}

/* The last kernel is launched first: it waits for the others, and the CPU for it. */
void scene_kernels(uint64_t count)
{
	struct doca_sync_event *start, *filled, *done;
	doca_dpa_dev_uintptr_t values, sum;
	struct scene scene;
	uint64_t seen;

	scene_open(&scene);
	start = scene_event(&scene, CPU_TO_DPA);
	filled = scene_event(&scene, DPA_TO_DPA);
	done = scene_event(&scene, DPA_TO_CPU);
	values = scene_alloc(&scene, NUM_VALUES * sizeof(uint64_t));
	sum = scene_alloc(&scene, sizeof(uint64_t));
	MUST(count * STAGES <= 254);
	for (uint64_t i = 1; i <= count; i++) {
		OK(doca_dpa_kernel_launch_update_set(scene.dpa, filled, i * STAGES, done, i, 2,
						     sum_up, values, NUM_VALUES, sum));
		/* one after the other, for they work on the same values */
		for (uint64_t k = 0; k < STAGES; k++)
			OK(doca_dpa_kernel_launch_update_add(
				scene.dpa, k ? filled : start, k ? (i - 1) * STAGES + k : i, filled,
				1, 100 >> k, fill, values, NUM_VALUES, (uint64_t)7));
		OK(doca_sync_event_get(done, &seen));
		MUST(seen == i - 1);
		OK(doca_sync_event_update_add(start, 1, NULL));
		OK(doca_sync_event_wait_gt(done, i - 1, UINT64_MAX));
		scene_read(&scene, &seen, sum, sizeof(seen));
		MUST(seen == expected_sum(i));
		call_with_structs(&scene);
	}
	OK(doca_dpa_mem_free(scene.dpa, values));
	OK(doca_dpa_mem_free(scene.dpa, sum));
	OK(doca_sync_event_destroy(start));
	OK(doca_sync_event_destroy(filled));
	OK(doca_sync_event_destroy(done));
	scene_close(&scene);
}

/* The DPA is destroyed under kernels that loop, and others that wait to begin. */
static void destroy_under_loops(void)
{
	doca_dpa_dev_comch_consumer_completion_t arrivals_handle;
	struct doca_comch_consumer_completion *arrivals;
	struct doca_sync_event *never, *done;
	doca_dpa_dev_uintptr_t begun;
	struct scene scene;
	uint64_t handle;

	scene_open(&scene);
	never = scene_event(&scene, CPU_TO_DPA);
	done = scene_event(&scene, DPA_TO_CPU);
	handle = scene_event_handle(&scene, never);
	OK(doca_comch_consumer_completion_create(&arrivals));
	OK(doca_comch_consumer_completion_set_max_num_consumers(arrivals, 1));
	OK(doca_comch_consumer_completion_set_max_num_recv(arrivals, DEPTH));
	OK(doca_comch_consumer_completion_start(arrivals));
	OK(doca_comch_consumer_completion_get_dpa_handle(arrivals, &arrivals_handle));
	begun = scene_alloc(&scene, sizeof(uint64_t));
	for (int i = 0; i < 3; i++)
		OK(doca_dpa_kernel_launch_update_add(scene.dpa, NULL, 0, done, 1, 6, loop, handle,
						     arrivals_handle, begun));
	OK(doca_dpa_kernel_launch_update_add(scene.dpa, never, 1, done, 1, 6, loop, handle,
					     arrivals_handle, begun));
	scene_await(begun, 18);
	OK(doca_dpa_destroy(scene.dpa));
	scene.dpa = NULL;
	OK(doca_sync_event_get(done, &handle));
	MUST(handle == 0);
	OK(doca_comch_consumer_completion_stop(arrivals));
	OK(doca_comch_consumer_completion_destroy(arrivals));
	OK(doca_sync_event_destroy(never));
	OK(doca_sync_event_destroy(done));
	scene_close(&scene);
}

void scene_endless(uint64_t count)
{
	for (uint64_t i = 0; i < count; i++)
		destroy_under_loops();
}
