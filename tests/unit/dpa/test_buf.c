/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Memory as DPA code finds it: by memory map, and by buffer of an array.
 */
#include "test.h"

#include <stdlib.h>
#include "allowed.h"
#include "child.h"
#include "doca_buf_array.h"
#include "doca_dpa_dev_buf.h"
#include "doca_mmap.h"
#include "doca_sync_event.h"
#include "rig.h"
#include "valgrind.h"

static char memory[256];
static _Atomic uint64_t begun, looks;

static uint64_t find_in_mmap(uint64_t addr)
{
	/* the handle is where the memory starts */
	return doca_dpa_dev_mmap_get_external_ptr(*(const uint32_t *)memory, addr);
}
RPC(finds_in_mmap, find_in_mmap)

static uint64_t find_buf(uint64_t handle)
{
	return doca_dpa_dev_buf_get_external_ptr(handle);
}
RPC(finds_buf, find_buf)

/* writes to the third buffer of an array */
static uint64_t fill_buf(uint64_t handle)
{
	doca_dpa_dev_buf_t buf = doca_dpa_dev_buf_array_get_buf(handle, 2);

	memset((void *)(uintptr_t)doca_dpa_dev_buf_get_external_ptr(buf), 'x',
	       doca_dpa_dev_buf_get_len(buf));
	return 1;
}
RPC(fills_buf, fill_buf)

/* a byte in memory of another process */
struct place {
	uint32_t mmap;
	uint64_t addr;
};

static uint64_t find_place(uint64_t place_addr)
{
	const struct place *place = (const struct place *)(uintptr_t)place_addr;

	return doca_dpa_dev_mmap_get_external_ptr(place->mmap, place->addr);
}
RPC(finds_place, find_place)

static void await_change(uint64_t ptr)
{
	const char *byte = (const char *)(uintptr_t)ptr;

	while (__atomic_load_n(byte, __ATOMIC_ACQUIRE) == 'h')
		doca_dpa_dev_yield();
}
GLOBAL(awaits_change, await_change)

/* a thread that polls what it has the handle of */
static void poll_place(uint64_t place_addr)
{
	const struct place *place = (const struct place *)(uintptr_t)place_addr;

	atomic_fetch_add(&begun, 1);
	for (;;) {
		uint64_t ptr = doca_dpa_dev_mmap_get_external_ptr(place->mmap, place->addr);

		atomic_fetch_add(&looks, *(const unsigned char *)(uintptr_t)ptr);
	}
}
GLOBAL(polls_place, poll_place)

static const struct softfield_dpa_func funcs[] = {
	RPC_ROW(finds_place), GLOBAL_ROW(awaits_change), RPC_ROW(finds_in_mmap),
	RPC_ROW(finds_buf),   RPC_ROW(fills_buf),	 GLOBAL_ROW(polls_place),
};

struct memory_rig {
	struct rig rig;
	struct doca_mmap *mmap; /* of DPA memory, started */
};

static int set_up(void **state)
{
	struct memory_rig *memory_rig = malloc(sizeof(*memory_rig));
	struct rig *rig = &memory_rig->rig;
	uint32_t handle;

	rig_init(rig, funcs, ARRAY_SIZE(funcs));
	memset(memory, 0, sizeof(memory));
	assert_ok(doca_mmap_create(&memory_rig->mmap));
	assert_ok(doca_mmap_add_dev(memory_rig->mmap, rig->dev));
	assert_ok(doca_mmap_set_dpa_memrange(memory_rig->mmap, rig->dpa, (uintptr_t)memory,
					     sizeof(memory)));
	assert_ok(doca_mmap_start(memory_rig->mmap));
	assert_ok(doca_mmap_dev_get_dpa_handle(memory_rig->mmap, rig->dev, &handle));
	memcpy(memory, &handle, sizeof(handle));
	*state = memory_rig;
	return 0;
}

static int tear_down(void **state)
{
	struct memory_rig *memory_rig = *state;
	int failed;

	assert_ok(doca_mmap_destroy(memory_rig->mmap));
	failed = rig_fini(&memory_rig->rig);
	free(memory_rig);
	return failed;
}

static uint64_t call(struct memory_rig *memory_rig, void (*func)(void), uint64_t arg)
{
	uint64_t result = 0xbad;

	assert_ok(doca_dpa_rpc(memory_rig->rig.dpa, func, &result, arg));
	return result;
}

/* It ends DPA code, as the access to it would on a card, and nothing else. */
static void expect_gone(struct memory_rig *memory_rig, void (*func)(void), uint64_t arg)
{
	uint64_t result = 0xbad;

	assert_err(doca_dpa_rpc(memory_rig->rig.dpa, func, &result, arg), BAD_STATE);
	assert_int_equal(result, 0xbad);
	assert_err(doca_dpa_peek_at_last_error(memory_rig->rig.dpa), BAD_STATE);
}

static void memory_is_where_the_program_has_it(void **state)
{
	struct memory_rig *memory_rig = *state;
	uint64_t addr = (uintptr_t)memory;

	assert_int_equal(call(memory_rig, finds_in_mmap, addr), addr);
	assert_int_equal(call(memory_rig, finds_in_mmap, addr + 255), addr + 255);
	assert_int_equal(call(memory_rig, finds_in_mmap, addr + 256), 0);
	assert_int_equal(call(memory_rig, finds_in_mmap, addr - 1), 0);
	assert_ok(doca_dpa_peek_at_last_error(memory_rig->rig.dpa));
	assert_ok(doca_mmap_stop(memory_rig->mmap));
	expect_gone(memory_rig, finds_in_mmap, addr);
}

/* programs do not add it to maps of such memory */
static void memory_of_the_dpa_has_its_device(void **state)
{
	struct memory_rig *memory_rig = *state;
	struct doca_dev *other = open_dev("03:00.1");
	struct doca_mmap *mmap;
	const void *export;
	uint32_t handle;
	size_t size;

	assert_ok(doca_mmap_create(&mmap));
	assert_ok(doca_mmap_set_permissions(mmap, DOCA_ACCESS_FLAG_RDMA_WRITE));
	assert_ok(doca_mmap_set_dpa_memrange(mmap, memory_rig->rig.dpa, (uintptr_t)memory, 8));
	assert_ok(doca_mmap_start(mmap));
	assert_err(doca_mmap_dev_get_dpa_handle(mmap, other, &handle), NOT_FOUND);
	assert_ok(doca_mmap_dev_get_dpa_handle(mmap, memory_rig->rig.dev, &handle));
	assert_int_equal(doca_dpa_dev_mmap_get_external_ptr(handle, (uintptr_t)memory),
			 (uintptr_t)memory);
	assert_err(doca_mmap_export_rdma(mmap, other, &export, &size), NOT_FOUND);
	assert_ok(doca_mmap_export_rdma(mmap, memory_rig->rig.dev, &export, &size));
	assert_ok(doca_mmap_destroy(mmap));
	assert_ok(doca_dev_close(other));
}

static void a_buffer_lies_within_its_map(void **state)
{
	struct memory_rig *memory_rig = *state;
	struct doca_dpa_dev_buf buf = {
		.addr = (uintptr_t)memory + 200, .len = 56, .mmap = *(const uint32_t *)memory};
	uint64_t handle = (uintptr_t)&buf;

	assert_int_equal(call(memory_rig, finds_buf, handle), (uintptr_t)memory + 200);
	doca_dpa_dev_buf_set_len(handle, 57);
	assert_int_equal(call(memory_rig, finds_buf, handle), 0);
	doca_dpa_dev_buf_set_addr(handle, (uintptr_t)memory + 199);
	assert_int_equal(call(memory_rig, finds_buf, handle), (uintptr_t)memory + 199);
	doca_dpa_dev_buf_set_mmap(handle, 0);
	expect_gone(memory_rig, finds_buf, handle);
	expect_gone(memory_rig, finds_buf, 0);
	assert_int_equal(doca_dpa_dev_buf_get_external_ptr(0), 0); /* this is no DPA code */
}

static void buffers_of_an_array_can_be_written_to(void **state)
{
	struct memory_rig *memory_rig = *state;
	struct doca_buf_arr *arr;
	doca_dpa_dev_buf_arr_t handle;

	assert_ok(doca_buf_arr_create(3, &arr));
	assert_ok(doca_buf_arr_set_target_dpa(arr, memory_rig->rig.dpa));
	assert_ok(doca_buf_arr_set_params(arr, memory_rig->mmap, 16, 100));
	assert_ok(doca_buf_arr_start(arr));
	assert_ok(doca_buf_arr_get_dpa_handle(arr, &handle));
	assert_int_equal(call(memory_rig, fills_buf, handle), 1);
	assert_memory_equal(memory + 131, "\0xxxxxxxxxxxxxxxx\0", 18);
	assert_ok(doca_buf_arr_destroy(arr));
}

static struct doca_mmap *map_for_others(struct doca_dev *dev, void *addr, size_t size)
{
	struct doca_mmap *mmap;

	assert_ok(doca_mmap_create(&mmap));
	assert_ok(doca_mmap_set_memrange(mmap, addr, size));
	assert_ok(doca_mmap_set_permissions(mmap, DOCA_ACCESS_FLAG_PCI_READ_WRITE));
	assert_ok(doca_mmap_add_dev(mmap, dev));
	assert_ok(doca_mmap_start(mmap));
	return mmap;
}

static void an_import_of_ones_own_is_where_it_is(void **state)
{
	struct memory_rig *memory_rig = *state;
	struct rig *rig = &memory_rig->rig;
	struct doca_mmap *mmap = map_for_others(rig->dev, memory, sizeof(memory)), *import;
	struct place place = {.addr = (uintptr_t)memory + 7};
	const void *blob;
	size_t size;

	assert_ok(doca_mmap_export_pci(mmap, rig->dev, &blob, &size));
	assert_ok(doca_mmap_create_from_export(NULL, blob, size, rig->dev, &import));
	assert_ok(doca_mmap_dev_get_dpa_handle(import, rig->dev, &place.mmap));
	assert_int_equal(call(memory_rig, finds_place, (uintptr_t)&place), place.addr);
	assert_ok(doca_mmap_destroy(import));
	expect_gone(memory_rig, finds_place, (uintptr_t)&place);
	assert_ok(doca_mmap_destroy(mmap));
}

/* as DPA code rings it */
static void ring(struct doca_dpa_notification_completion *bell)
{
	doca_dpa_dev_notification_completion_t handle;

	assert_ok(doca_dpa_notification_completion_get_dpa_handle(bell, &handle));
	doca_dpa_dev_thread_notify(handle);
}

/* Programs destroy their maps first, and their threads afterwards. */
static void a_thread_that_polls_ends_with_its_map(void **state)
{
	struct memory_rig *memory_rig = *state;
	struct rig *rig = &memory_rig->rig;
	struct doca_mmap *mmap = map_for_others(rig->dev, memory, sizeof(memory));
	struct place place = {.addr = (uintptr_t)memory + 7};
	struct doca_dpa_notification_completion *bell;
	struct doca_dpa_thread *thread;

	memory[7] = 1;
	assert_ok(doca_mmap_dev_get_dpa_handle(mmap, rig->dev, &place.mmap));
	thread = add_thread(rig, polls_place, (uintptr_t)&place);
	assert_ok(doca_dpa_notification_completion_create(rig->dpa, thread, &bell));
	assert_ok(doca_dpa_notification_completion_start(bell));
	assert_ok(doca_dpa_thread_run(thread));
	ring(bell);
	wait_until(&looks, 3);
	assert_ok(doca_dpa_peek_at_last_error(rig->dpa));
	assert_ok(doca_mmap_destroy(mmap));
	while (doca_dpa_peek_at_last_error(rig->dpa) == DOCA_SUCCESS)
		sched_yield();
	ring(bell); /* in vain */
	assert_ok(doca_dpa_notification_completion_stop(bell));
	assert_ok(doca_dpa_notification_completion_destroy(bell));
	assert_ok(doca_dpa_thread_stop(thread));
	assert_ok(doca_dpa_thread_destroy(thread));
	assert_int_equal(begun, 1);
}

/* what a host says of its memory */
struct export
{
	uint64_t addr;
	size_t size;
	char blob[256];
};

/* Its memory is full of 'h'; when told, it writes what it finds in the second byte to the first. */
static void be_host(struct child *parent, void *arg)
{
	struct rig *rig = arg;
	char *bytes = malloc(1000);
	struct doca_mmap *mmap = map_for_others(rig->dev, bytes, 1000);
	struct export export = {.addr = (uintptr_t)bytes};
	const void *blob;

	memset(bytes, 'h', 1000);
	if (doca_mmap_export_pci(mmap, rig->dev, &blob, &export.size))
		_exit(1);
	memcpy(export.blob, blob, export.size);
	child_send(parent, &export, sizeof(export));
	child_await(parent);
	__atomic_store_n(&bytes[0], bytes[1], __ATOMIC_RELEASE);
	child_await(parent);
}

static struct doca_sync_event *new_event(struct rig *rig)
{
	struct doca_sync_event *event;

	assert_ok(doca_sync_event_create(&event));
	assert_ok(doca_sync_event_add_publisher_location_dpa(event, rig->dpa));
	assert_ok(doca_sync_event_add_subscriber_location_cpu(event, rig->dev));
	assert_ok(doca_sync_event_start(event));
	return event;
}

/* Where it was there is memory when the map is gone: DPA code may come late. */
static void memory_of_another_process_has_an_address(void **state)
{
	struct memory_rig *memory_rig = *state;
	struct rig *rig = &memory_rig->rig;
	struct doca_sync_event *done;
	struct child host;
	struct doca_mmap *import;
	struct export export;
	struct place place;
	char *ptr;

	if (runs_under_valgrind()) /* where memory of programs cannot be mapped */
		skip();
	need_process_vm();
	host = child_start(be_host, rig);
	done = new_event(rig);
	child_receive(&host, &export, sizeof(export));
	assert_ok(doca_mmap_create_from_export(NULL, export.blob, export.size, rig->dev, &import));
	place.addr = export.addr;
	assert_ok(doca_mmap_dev_get_dpa_handle(import, rig->dev, &place.mmap));
	ptr = (char *)(uintptr_t)call(memory_rig, finds_place, (uintptr_t)&place);
	assert_non_null(ptr);
	assert_int_equal(ptr[0], 'h');
	assert_int_equal(ptr[999], 'h');
	ptr[1] = 'd';
	assert_ok(doca_dpa_kernel_launch_update_set(rig->dpa, NULL, 0, done, 1, 1, awaits_change,
						    (uint64_t)(uintptr_t)ptr));
	child_tell(&host);
	assert_ok(doca_sync_event_wait_gt(done, 0, UINT64_MAX));
	assert_int_equal(ptr[0], 'd');
	assert_ok(doca_mmap_destroy(import));
	expect_gone(memory_rig, finds_place, (uintptr_t)&place);
	assert_int_equal(ptr[0], 0);
	child_kill(&host);
	assert_ok(doca_sync_event_destroy(done));
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(memory_is_where_the_program_has_it),
		TEST(memory_of_the_dpa_has_its_device),
		TEST(a_buffer_lies_within_its_map),
		TEST(buffers_of_an_array_can_be_written_to),
		TEST(an_import_of_ones_own_is_where_it_is),
		TEST(a_thread_that_polls_ends_with_its_map),
		TEST(memory_of_another_process_has_an_address),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
