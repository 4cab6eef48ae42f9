/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Threads that are cancelled while they are in a call: they end behind it.
 */
#include "test.h"

#include <pthread.h>
#include <sched.h>
#include <stdlib.h>
#include <unistd.h>
#include "core/sync_event.h"
#include "devices.h"
#include "doca_error.h"
#include "doca_mmap.h"
#include "doca_pe.h"
#include "doca_sync_event.h"
#include "leak.h"

#define SIZE 65536

/* What one call after the other makes and takes away again. */
struct scene {
	struct doca_dev *host, *dpu;
	struct doca_pe *pe;
	struct doca_mmap *mmap, *imported;
	struct doca_sync_event *event, *remote;
	const void *blob;
	size_t blob_size;
	const uint8_t *event_blob;
	size_t event_blob_size;
	char *memory;
};

typedef doca_error_t call_fn(struct scene *scene);

struct caller {
	struct scene *scene;
	call_fn *call;
	doca_error_t err;
	bool has_returned;
};

static void *be_cancelled(void *arg)
{
	struct caller *caller = arg;

	pthread_cancel(pthread_self());
	caller->err = caller->call(caller->scene);
	caller->has_returned = true;
	pthread_testcancel();
	return NULL;
}

static void make_call(struct scene *scene, call_fn *call)
{
	struct caller caller = {.scene = scene, .call = call};
	pthread_t thread;

	assert_int_equal(pthread_create(&thread, NULL, be_cancelled, &caller), 0);
	assert_int_equal(pthread_join(thread, NULL), 0);
	assert_true(caller.has_returned);
	assert_ok(caller.err);
}

static doca_error_t create_engine(struct scene *scene)
{
	return doca_pe_create(&scene->pe);
}

static doca_error_t destroy_engine(struct scene *scene)
{
	return doca_pe_destroy(scene->pe);
}

static doca_error_t export_map(struct scene *scene)
{
	return doca_mmap_export_pci(scene->mmap, scene->host, &scene->blob, &scene->blob_size);
}

static doca_error_t import_map(struct scene *scene)
{
	return doca_mmap_create_from_export(NULL, scene->blob, scene->blob_size, scene->dpu,
					    &scene->imported);
}

static doca_error_t destroy_imported(struct scene *scene)
{
	return doca_mmap_destroy(scene->imported);
}

static doca_error_t destroy_map(struct scene *scene)
{
	return doca_mmap_destroy(scene->mmap);
}

static doca_error_t start_event(struct scene *scene)
{
	return doca_sync_event_start(scene->event);
}

static doca_error_t import_event(struct scene *scene)
{
	return doca_sync_event_create_from_export(scene->dpu, scene->event_blob,
						  scene->event_blob_size, &scene->remote);
}

static doca_error_t set_event(struct scene *scene)
{
	return doca_sync_event_update_set(scene->event, 1);
}

static doca_error_t destroy_remote(struct scene *scene)
{
	return doca_sync_event_destroy(scene->remote);
}

static doca_error_t destroy_event(struct scene *scene)
{
	return doca_sync_event_destroy(scene->event);
}

static void engines_are_whole(void **state)
{
	struct scene scene = {0};

	(void)state;
	make_call(&scene, create_engine);
	make_call(&scene, destroy_engine);
}

/* A descriptor that comes in the place of a standard one is moved away from there. */
static void engines_are_whole_without_standard_input(void **state)
{
	struct scene scene = {0};
	int input = dup(STDIN_FILENO);

	(void)state;
	close(STDIN_FILENO);
	make_call(&scene, create_engine);
	dup2(input, STDIN_FILENO);
	close(input);
	make_call(&scene, destroy_engine);
}

static void maps_are_whole(void **state)
{
	struct scene scene = {.host = open_dev("b1:00.0"), .dpu = open_dev("03:00.0")};

	(void)state;
	scene.memory = aligned_alloc(4096, SIZE);
	assert_ok(doca_mmap_create(&scene.mmap));
	assert_ok(doca_mmap_add_dev(scene.mmap, scene.host));
	assert_ok(doca_mmap_set_permissions(scene.mmap, DOCA_ACCESS_FLAG_PCI_READ_WRITE));
	assert_ok(doca_mmap_set_memrange(scene.mmap, scene.memory, SIZE));
	assert_ok(doca_mmap_start(scene.mmap));
	make_call(&scene, export_map);
	make_call(&scene, import_map);
	make_call(&scene, destroy_imported);
	make_call(&scene, destroy_map);
	free(scene.memory);
	assert_ok(doca_dev_close(scene.host));
	assert_ok(doca_dev_close(scene.dpu));
}

static void *wait_for_event(void *arg)
{
	const struct scene *scene = arg;

	doca_sync_event_wait_gt(scene->remote, 0, UINT64_MAX);
	return NULL;
}

static void cancel_sleeper(struct scene *scene, bool at_once)
{
	pthread_t thread;
	void *result;

	assert_int_equal(pthread_create(&thread, NULL, wait_for_event, scene), 0);
	while (!at_once && !atomic_load(&scene->remote->cell.page->sleepers[0]))
		sched_yield();
	pthread_cancel(thread);
	assert_int_equal(pthread_join(thread, &result), 0);
	assert_ptr_equal(result, PTHREAD_CANCELED);
	assert_false(atomic_load(&scene->remote->cell.page->sleepers[0]));
}

static void events_are_whole(void **state)
{
	struct scene scene = {.host = open_dev("b1:00.0"), .dpu = open_dev("03:00.0")};
	struct leak before;

	(void)state;
	assert_ok(doca_sync_event_create(&scene.event));
	assert_ok(doca_sync_event_add_publisher_location_cpu(scene.event, scene.host));
	assert_ok(doca_sync_event_add_subscriber_location_remote_pci(scene.event));
	make_call(&scene, start_event);
	assert_ok(doca_sync_event_export_to_remote_pci(scene.event, scene.host, &scene.event_blob,
						       &scene.event_blob_size));
	make_call(&scene, import_event);
	assert_ok(doca_sync_event_start(scene.remote));
	before = leak_count();
	for (unsigned int i = 0; CANCELS_ARE_SEEN && i < 50; i++) {
		cancel_sleeper(&scene, i % 2);
		/* What the first slept with is there for the next one. */
		assert_int_equal(leak_count().fds, before.fds + 1);
	}
	make_call(&scene, set_event);
	assert_ok(doca_sync_event_wait_gt(scene.remote, 0, UINT64_MAX));
	assert_ok(doca_sync_event_stop(scene.remote));
	make_call(&scene, destroy_remote);
	assert_ok(doca_sync_event_stop(scene.event));
	make_call(&scene, destroy_event);
	assert_ok(doca_dev_close(scene.host));
	assert_ok(doca_dev_close(scene.dpu));
}

/* The table of devices is made by whoever asks first. */
static doca_error_t list_devices(struct scene *scene)
{
	struct doca_devinfo **list;
	uint32_t count;

	(void)scene;
	assert_ok(doca_devinfo_create_list(&list, &count));
	return doca_devinfo_destroy_list(list);
}

static void the_list_of_devices_is_whole(void **state)
{
	struct scene scene = {0};

	(void)state;
	make_call(&scene, list_devices);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, leak_setup, leak_teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_list_of_devices_is_whole), /* the first */
		TEST(engines_are_whole),
		TEST(engines_are_whole_without_standard_input),
		TEST(maps_are_whole),
		TEST(events_are_whole),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
