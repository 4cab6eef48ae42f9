/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A device with a DPA, and small things on it.
 */
#include "scene.h"

#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <doca_error.h>

/* what dpacc has made of code_dev.c */
extern struct doca_dpa_app *scenes_app;

void scene_must(bool truth, const char *file, int line, const char *what)
{
	if (truth)
		return;
	printf("error %s:%d: %s\n", file, line, what);
	fflush(stdout);
	abort();
}

void scene_ok(doca_error_t result, const char *file, int line, const char *what)
{
	if (result)
		fprintf(stderr, "%s\n", doca_error_get_name(result));
	scene_must(result == DOCA_SUCCESS, file, line, what);
}

struct doca_dev *scene_open_device(void)
{
	struct doca_devinfo **list;
	struct doca_dev *dev = NULL;
	uint32_t count;

	OK(doca_devinfo_create_list(&list, &count));
	for (uint32_t i = 0; i < count && !dev; i++)
		if (doca_dpa_cap_is_supported(list[i]) == DOCA_SUCCESS)
			OK(doca_dev_open(list[i], &dev));
	OK(doca_devinfo_destroy_list(list));
	MUST(dev);
	return dev;
}

void scene_open(struct scene *scene)
{
	memset(scene, 0, sizeof(*scene));
	scene->before = leak_count();
	scene->dev = scene_open_device();
	OK(doca_pe_create(&scene->pe));
	OK(doca_dpa_create(scene->dev, &scene->dpa));
	OK(doca_dpa_set_app(scene->dpa, scenes_app));
	OK(doca_dpa_start(scene->dpa));
}

void scene_close(struct scene *scene)
{
	if (scene->dpa) {
		OK(doca_dpa_peek_at_last_error(scene->dpa));
		OK(doca_dpa_stop(scene->dpa));
		OK(doca_dpa_destroy(scene->dpa));
	}
	OK(doca_pe_destroy(scene->pe));
	OK(doca_dev_close(scene->dev));
	MUST(leak_check(&scene->before));
}

struct doca_sync_event *scene_event(struct scene *scene, enum event_way way)
{
	struct doca_sync_event *event;

	OK(doca_sync_event_create(&event));
	if (way == CPU_TO_DPA)
		OK(doca_sync_event_add_publisher_location_cpu(event, scene->dev));
	else
		OK(doca_sync_event_add_publisher_location_dpa(event, scene->dpa));
	if (way == DPA_TO_CPU)
		OK(doca_sync_event_add_subscriber_location_cpu(event, scene->dev));
	else
		OK(doca_sync_event_add_subscriber_location_dpa(event, scene->dpa));
	OK(doca_sync_event_start(event));
	return event;
}

uint64_t scene_event_handle(struct scene *scene, struct doca_sync_event *event)
{
	doca_dpa_dev_sync_event_t handle;

	OK(doca_sync_event_get_dpa_handle(event, scene->dpa, &handle));
	return handle;
}

struct doca_dpa_thread *scene_thread(struct scene *scene, doca_dpa_func_t *func, uint64_t arg,
				     doca_dpa_dev_uintptr_t local_storage)
{
	struct doca_dpa_thread *thread;

	OK(doca_dpa_thread_create(scene->dpa, &thread));
	OK(doca_dpa_thread_set_func_arg(thread, func, arg));
	if (local_storage)
		OK(doca_dpa_thread_set_local_storage(thread, local_storage));
	OK(doca_dpa_thread_start(thread));
	return thread;
}

doca_dpa_dev_uintptr_t scene_alloc(struct scene *scene, size_t size)
{
	doca_dpa_dev_uintptr_t address;

	OK(doca_dpa_mem_alloc(scene->dpa, size, &address));
	OK(doca_dpa_memset(scene->dpa, address, 0, size));
	return address;
}

void scene_read(struct scene *scene, void *to, doca_dpa_dev_uintptr_t from, size_t size)
{
	OK(doca_dpa_d2h_memcpy(scene->dpa, to, from, size));
}

void scene_write(struct scene *scene, doca_dpa_dev_uintptr_t to, const void *from, size_t size)
{
	OK(doca_dpa_h2d_memcpy(scene->dpa, to, (void *)(uintptr_t)from, size));
}

/* It looks at the DPA's memory without a copy: this is a software DPA. */
uint64_t scene_count(doca_dpa_dev_uintptr_t count)
{
	return __atomic_load_n((const uint64_t *)(uintptr_t)count, __ATOMIC_ACQUIRE);
}

void scene_await(doca_dpa_dev_uintptr_t count, uint64_t at_least)
{
	while (scene_count(count) < at_least)
		sched_yield();
}

void scene_stop(struct scene *scene, struct doca_ctx *ctx)
{
	doca_error_t result = doca_ctx_stop(ctx);
	enum doca_ctx_states state;

	if (result != DOCA_ERROR_IN_PROGRESS)
		OK(result);
	do {
		doca_pe_progress(scene->pe);
		OK(doca_ctx_get_state(ctx, &state));
	} while (state != DOCA_CTX_STATE_IDLE);
}
