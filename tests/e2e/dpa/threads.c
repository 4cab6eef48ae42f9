/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Threads that are triggered by each other, by reports of asynchronous operations, and by a kernel
 * that does not care whether they can follow.
 */
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <doca_mmap.h>
#include "scene.h"

struct notified {
	struct doca_dpa_thread *thread;
	struct doca_dpa_notification_completion *completion;
	doca_dpa_dev_notification_completion_t handle;
};

static void add_notification(struct scene *scene, struct notified *notified)
{
	OK(doca_dpa_notification_completion_create(scene->dpa, notified->thread,
						   &notified->completion));
	OK(doca_dpa_notification_completion_start(notified->completion));
	OK(doca_dpa_notification_completion_get_dpa_handle(notified->completion,
							   &notified->handle));
}

static void remove_notified(struct notified *notified)
{
	OK(doca_dpa_notification_completion_stop(notified->completion));
	OK(doca_dpa_thread_stop(notified->thread));
	OK(doca_dpa_notification_completion_destroy(notified->completion));
	OK(doca_dpa_thread_destroy(notified->thread));
}

/*
 * A relay
 */

static struct doca_dpa_tg *open_relay(struct scene *scene, struct notified runners[RELAY_RANKS],
				      doca_dpa_dev_uintptr_t address, struct relay *plan)
{
	struct doca_dpa_tg *group;

	OK(doca_dpa_thread_group_create(scene->dpa, RELAY_RANKS, &group));
	for (unsigned int i = 0; i < RELAY_RANKS; i++) {
		runners[i].thread = scene_thread(scene, relay, address, 0);
		OK(doca_dpa_thread_group_set_thread(group, runners[i].thread, i));
	}
	OK(doca_dpa_thread_group_start(group));
	for (unsigned int i = 0; i < RELAY_RANKS; i++) {
		add_notification(scene, &runners[i]);
		plan->next[i] = runners[i].handle;
	}
	scene_write(scene, address, plan, sizeof(*plan));
	for (unsigned int i = 0; i < RELAY_RANKS; i++)
		OK(doca_dpa_thread_run(runners[i].thread));
	return group;
}

/* Every hop is one activation, of the rank whose turn it is. */
void scene_relay(uint64_t count)
{
	struct notified runners[RELAY_RANKS];
	struct relay plan = {.hops_left = count};
	doca_dpa_dev_uintptr_t address;
	struct doca_sync_event *done;
	struct doca_dpa_tg *group;
	struct scene scene;
	uint64_t value;

	scene_open(&scene);
	done = scene_event(&scene, DPA_TO_CPU);
	plan.done = scene_event_handle(&scene, done);
	address = scene_alloc(&scene, sizeof(plan));
	group = open_relay(&scene, runners, address, &plan);
	OK(doca_dpa_rpc(scene.dpa, notify, &value, (uint64_t)runners[0].handle));
	OK(doca_sync_event_wait_gt(done, 0, UINT64_MAX));
	scene_read(&scene, &plan, address, sizeof(plan));
	MUST(plan.hops_left == 0);
	for (uint64_t i = 0; i < RELAY_RANKS; i++)
		MUST(plan.hops[i] == (count + RELAY_RANKS - i) / RELAY_RANKS);
	/* who has finished is not triggered any more */
	OK(doca_dpa_rpc(scene.dpa, notify, &value, plan.next[count % RELAY_RANKS]));
	for (unsigned int i = 0; i < RELAY_RANKS; i++)
		OK(doca_dpa_notification_completion_stop(runners[i].completion));
	OK(doca_dpa_thread_group_stop(group));
	OK(doca_dpa_thread_group_destroy(group));
	for (unsigned int i = 0; i < RELAY_RANKS; i++) {
		OK(doca_dpa_thread_stop(runners[i].thread));
		OK(doca_dpa_notification_completion_destroy(runners[i].completion));
		OK(doca_dpa_thread_destroy(runners[i].thread));
	}
	OK(doca_dpa_mem_free(scene.dpa, address));
	OK(doca_sync_event_destroy(done));
	scene_close(&scene);
}

/*
 * Copies
 */

struct copies {
	struct scene scene;
	struct doca_mmap *src_map, *dst_map;
	uint8_t *src;
	doca_dpa_dev_uintptr_t dst, address;
	struct doca_dpa_thread *thread;
	struct doca_dpa_completion *reports;
	struct doca_dpa_async_ops *ops;
	struct doca_sync_event *go_on, *done;
};

/* From the CPU's memory to the DPA's. */
static void map_memory(struct copies *copies, struct copier *plan)
{
	doca_dpa_dev_mmap_t handle;

	copies->src = malloc(plan->size);
	MUST(copies->src);
	for (uint64_t i = 0; i < plan->size; i++)
		copies->src[i] = (uint8_t)(i * 7 + i / 251);
	OK(doca_mmap_create(&copies->src_map));
	OK(doca_mmap_add_dev(copies->src_map, copies->scene.dev));
	OK(doca_mmap_set_memrange(copies->src_map, copies->src, plan->size));
	OK(doca_mmap_start(copies->src_map));
	OK(doca_mmap_dev_get_dpa_handle(copies->src_map, copies->scene.dev, &handle));
	plan->src_map = handle;
	plan->src = (uintptr_t)copies->src;

	copies->dst = scene_alloc(&copies->scene, plan->size);
	OK(doca_mmap_create(&copies->dst_map));
	OK(doca_mmap_set_dpa_memrange(copies->dst_map, copies->scene.dpa, copies->dst, plan->size));
	OK(doca_mmap_start(copies->dst_map));
	OK(doca_mmap_dev_get_dpa_handle(copies->dst_map, copies->scene.dev, &handle));
	plan->dst_map = handle;
	plan->dst = copies->dst;
}

static void open_copies(struct copies *copies, struct copier *plan)
{
	struct scene *scene = &copies->scene;

	copies->go_on = scene_event(scene, CPU_TO_DPA);
	copies->done = scene_event(scene, DPA_TO_CPU);
	plan->go_on = scene_event_handle(scene, copies->go_on);
	plan->done = scene_event_handle(scene, copies->done);
	copies->address = scene_alloc(scene, sizeof(*plan));
	copies->thread = scene_thread(scene, copy, 0, copies->address);
	OK(doca_dpa_completion_create(scene->dpa, 8, &copies->reports));
	OK(doca_dpa_completion_set_thread(copies->reports, copies->thread));
	OK(doca_dpa_completion_start(copies->reports));
	OK(doca_dpa_completion_get_dpa_handle(copies->reports, &plan->reports));
	OK(doca_dpa_async_ops_create(scene->dpa, 8, 0x123456, &copies->ops));
	OK(doca_dpa_async_ops_attach(copies->ops, copies->reports));
	OK(doca_dpa_async_ops_start(copies->ops));
	OK(doca_dpa_async_ops_get_dpa_handle(copies->ops, &plan->ops));
	scene_write(scene, copies->address, plan, sizeof(*plan));
	OK(doca_dpa_thread_run(copies->thread));
}

static void close_copies(struct copies *copies)
{
	OK(doca_dpa_async_ops_stop(copies->ops));
	OK(doca_dpa_async_ops_destroy(copies->ops));
	OK(doca_dpa_completion_stop(copies->reports));
	OK(doca_dpa_thread_stop(copies->thread));
	OK(doca_dpa_completion_destroy(copies->reports));
	OK(doca_dpa_thread_destroy(copies->thread));
	OK(doca_mmap_destroy(copies->src_map));
	OK(doca_mmap_destroy(copies->dst_map));
	OK(doca_dpa_mem_free(copies->scene.dpa, copies->dst));
	OK(doca_dpa_mem_free(copies->scene.dpa, copies->address));
	OK(doca_sync_event_destroy(copies->go_on));
	OK(doca_sync_event_destroy(copies->done));
	free(copies->src);
	scene_close(&copies->scene);
}

/* count pieces, and a bit of another */
void scene_copies(uint64_t count)
{
	struct copier plan = {.piece = 512, .size = 512 * count + 12};
	struct copies copies;
	uint64_t result;
	uint8_t *seen;

	scene_open(&copies.scene);
	map_memory(&copies, &plan);
	open_copies(&copies, &plan);
	OK(doca_dpa_rpc(copies.scene.dpa, begin_copy, &result, copies.address));
	scene_await(copies.address + offsetof(struct copier, waits), 1);
	OK(doca_sync_event_get(copies.done, &result));
	MUST(result == 0);
	OK(doca_sync_event_update_set(copies.go_on, 7));
	OK(doca_sync_event_wait_gt(copies.done, 0, UINT64_MAX));
	scene_read(&copies.scene, &plan, copies.address, sizeof(plan));
	MUST(plan.failures == 0 && plan.copied == (count + 1) * plan.piece);
	seen = malloc(plan.size);
	MUST(seen);
	scene_read(&copies.scene, seen, copies.dst, plan.size);
	MUST(!memcmp(seen, copies.src, plan.size));
	free(seen);
	close_copies(&copies);
}

/*
 * More triggers than activations
 */

/* No more triggers come when this returns; the thread may still run, or be about to. */
static void end_pests(doca_dpa_dev_uintptr_t pest, struct doca_sync_event *gone, uint64_t round)
{
	uint64_t *stop = (uint64_t *)(uintptr_t)(pest + offsetof(struct pest, stop));

	/* Not doca_dpa_h2d_memcpy(): the kernel reads it meanwhile. */
	__atomic_store_n(stop, 1, __ATOMIC_RELEASE);
	OK(doca_sync_event_wait_gt(gone, round, UINT64_MAX));
	__atomic_store_n(stop, 0, __ATOMIC_RELEASE);
}

/* It does not run any more when it has been stopped, and what was to trigger it is forgotten. */
static void stop_victim(struct notified *victim, doca_dpa_dev_uintptr_t ticks)
{
	uint64_t seen;

	MUST(doca_dpa_thread_stop(victim->thread) == DOCA_ERROR_IN_USE);
	OK(doca_dpa_notification_completion_stop(victim->completion));
	OK(doca_dpa_thread_stop(victim->thread));
	seen = scene_count(ticks);
	OK(doca_dpa_thread_start(victim->thread));
	OK(doca_dpa_notification_completion_start(victim->completion));
	OK(doca_dpa_thread_run(victim->thread));
	MUST(scene_count(ticks) == seen);
}

/* The thread is stopped and run again, and destroyed at last, right under its triggers. */
static void stop_under_triggers(struct scene *scene, uint64_t rounds)
{
	doca_dpa_dev_uintptr_t ticks = scene_alloc(scene, sizeof(uint64_t));
	doca_dpa_dev_uintptr_t address = scene_alloc(scene, sizeof(struct pest));
	struct notified victim = {.thread = scene_thread(scene, tick, ticks, 0)};
	struct doca_sync_event *gone = scene_event(scene, DPA_TO_CPU);
	struct pest plan = {0};
	uint64_t seen;

	add_notification(scene, &victim);
	plan.victim = victim.handle;
	scene_write(scene, address, &plan, sizeof(plan));
	OK(doca_dpa_thread_run(victim.thread));
	for (uint64_t i = 0; i < rounds; i++) {
		seen = scene_count(ticks);
		OK(doca_dpa_kernel_launch_update_add(scene->dpa, NULL, 0, gone, 1, 2, pester,
						     address));
		scene_await(ticks, seen + 1);
		end_pests(address, gone, i);
		if (i % 2)
			stop_victim(&victim, ticks);
	}
	remove_notified(&victim);
	scene_read(scene, &plan, address, sizeof(plan));
	MUST(scene_count(ticks) <= plan.triggered);
	OK(doca_dpa_mem_free(scene->dpa, ticks));
	OK(doca_dpa_mem_free(scene->dpa, address));
	OK(doca_sync_event_destroy(gone));
}

void scene_pests(uint64_t count)
{
	struct scene scene;

	scene_open(&scene);
	stop_under_triggers(&scene, count);
	stop_under_triggers(&scene, count);
	scene_close(&scene);
}
