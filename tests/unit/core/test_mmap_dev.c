/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Memory maps as DPA code sees them: handles, what they stand for and how long, and copies.
 */
#include "memtest.h"

#include <pthread.h>
#include <stdatomic.h>
#include <sys/mman.h>
#include "allowed.h"
#include "child.h"
#include "core/mmap.h"
#include "core/mmap_dev.h"
#include "pages.h"
#include "valgrind.h"

#define HOST_DEV "b1:00.0"
#define DPU_DEV	 "03:00.0"

static char memory[256];

struct rig {
	struct doca_dev *dev;
	struct doca_mmap *mmap; /* of memory, with the device; not started */
};

static struct doca_mmap *new_mmap(struct doca_dev *dev, void *addr, size_t len)
{
	struct doca_mmap *mmap;

	assert_ok(doca_mmap_create(&mmap));
	assert_ok(doca_mmap_set_memrange(mmap, addr, len));
	assert_ok(doca_mmap_add_dev(mmap, dev));
	return mmap;
}

static int set_up(void **state)
{
	struct rig *rig = malloc(sizeof(*rig));

	rig->dev = open_dev(HOST_DEV);
	assert_non_null(rig->dev);
	rig->mmap = new_mmap(rig->dev, memory, sizeof(memory));
	*state = rig;
	return 0;
}

static int tear_down(void **state)
{
	struct rig *rig = *state;

	assert_ok(doca_mmap_destroy(rig->mmap));
	assert_ok(doca_dev_close(rig->dev));
	free(rig);
	return 0;
}

static doca_dpa_dev_mmap_t handle_of(struct rig *rig, struct doca_mmap *mmap)
{
	doca_dpa_dev_mmap_t handle = 0;

	assert_ok(doca_mmap_start(mmap));
	assert_ok(doca_mmap_dev_get_dpa_handle(mmap, rig->dev, &handle));
	assert_int_not_equal(handle, 0);
	return handle;
}

static doca_error_t ptr_of(doca_dpa_dev_mmap_t handle, const void *addr, size_t size, bool writable)
{
	void *ptr = NULL;
	doca_error_t err = priv_mmap_dev_ptr(handle, (uintptr_t)addr, size, writable, &ptr);

	assert_ptr_equal(ptr, err ? NULL : addr);
	return err;
}

static void a_handle_has_conditions(void **state)
{
	struct rig *rig = *state;
	struct doca_dev *other = open_dev(DPU_DEV);
	doca_dpa_dev_mmap_t handle, again = 0;

	assert_err(doca_mmap_dev_get_dpa_handle(NULL, rig->dev, &handle), INVALID_VALUE);
	assert_err(doca_mmap_dev_get_dpa_handle(rig->mmap, NULL, &handle), INVALID_VALUE);
	assert_err(doca_mmap_dev_get_dpa_handle(rig->mmap, rig->dev, NULL), INVALID_VALUE);
	assert_err(doca_mmap_dev_get_dpa_handle(rig->mmap, rig->dev, &handle), NOT_PERMITTED);
	handle = handle_of(rig, rig->mmap);
	assert_err(doca_mmap_dev_get_dpa_handle(rig->mmap, other, &again), NOT_FOUND);
	assert_ok(doca_mmap_dev_get_dpa_handle(rig->mmap, rig->dev, &again));
	assert_int_equal(again, handle);
	assert_ok(doca_dev_close(other));
}

static void dpa_memory_is_memory_of_the_program(void **state)
{
	struct rig *rig = *state;
	struct doca_dpa *dpa = (struct doca_dpa *)rig; /* only has to be one */
	struct doca_mmap *mmap;
	doca_dpa_dev_mmap_t handle;

	assert_ok(doca_mmap_create(&mmap));
	assert_ok(doca_mmap_add_dev(mmap, rig->dev));
	assert_err(doca_mmap_set_dpa_memrange(NULL, dpa, 1, 1), INVALID_VALUE);
	assert_err(doca_mmap_set_dpa_memrange(mmap, NULL, 1, 1), INVALID_VALUE);
	assert_err(doca_mmap_set_dpa_memrange(mmap, dpa, 0, 1), INVALID_VALUE);
	assert_err(doca_mmap_set_dpa_memrange(mmap, dpa, 1, 0), INVALID_VALUE);
	assert_err(doca_mmap_set_dpa_memrange(mmap, dpa, 2, SIZE_MAX), INVALID_VALUE);
	assert_ok(doca_mmap_set_dpa_memrange(mmap, dpa, (uintptr_t)memory, 8));
	assert_err(doca_mmap_set_dpa_memrange(mmap, dpa, (uintptr_t)memory, 8), NOT_PERMITTED);
	handle = handle_of(rig, mmap);
	assert_err(doca_mmap_set_dpa_memrange(mmap, dpa, (uintptr_t)memory, 8), BAD_STATE);
	assert_ok(ptr_of(handle, memory, 8, true));
	assert_err(ptr_of(handle, memory, 9, true), INVALID_VALUE);
	assert_ok(doca_mmap_destroy(mmap));
}

static void range_and_permission_are_checked(void **state)
{
	struct rig *rig = *state;
	doca_dpa_dev_mmap_t handle;

	assert_ok(doca_mmap_set_permissions(rig->mmap, DOCA_ACCESS_FLAG_PCI_READ_ONLY));
	handle = handle_of(rig, rig->mmap);
	assert_ok(ptr_of(handle, memory, sizeof(memory), false));
	assert_ok(ptr_of(handle, memory + sizeof(memory), 0, false));
	assert_ok(ptr_of(handle, memory + 255, 1, false));
	assert_err(ptr_of(handle, memory + 255, 2, false), INVALID_VALUE);
	assert_err(ptr_of(handle, (char *)((uintptr_t)memory - 1), 1, false), INVALID_VALUE);
	assert_err(ptr_of(handle, memory, SIZE_MAX, false), INVALID_VALUE);
	assert_err(ptr_of(handle, memory, 1, true), NOT_PERMITTED);
}

static void a_handle_ends_with_its_map(void **state)
{
	struct rig *rig = *state;
	doca_dpa_dev_mmap_t first = handle_of(rig, rig->mmap), second;
	struct doca_mmap *other = new_mmap(rig->dev, memory, 8);
	doca_dpa_dev_mmap_t others = handle_of(rig, other);

	assert_int_not_equal(first, others);
	assert_err(ptr_of(0, memory, 1, false), NOT_FOUND);
	assert_err(ptr_of(UINT32_MAX, memory, 1, false), NOT_FOUND);
	assert_err(ptr_of(first + (1u << 16), memory, 1, false), NOT_FOUND);
	assert_ok(doca_mmap_stop(rig->mmap));
	assert_err(ptr_of(first, memory, 1, false), NOT_FOUND);
	second = handle_of(rig, rig->mmap);
	assert_int_not_equal(second, first);
	assert_err(ptr_of(first, memory, 1, false), NOT_FOUND);
	assert_ok(ptr_of(second, memory, 1, false));
	assert_ok(ptr_of(others, memory, 8, false));
	assert_ok(doca_mmap_destroy(other));
	assert_err(ptr_of(others, memory, 1, false), NOT_FOUND);
}

/* Each of these takes the place that has been free for the longest. */
static void stale_handles_stay_stale_for_long(void **state)
{
	struct rig *rig = *state;
	doca_dpa_dev_mmap_t first = handle_of(rig, rig->mmap);

	for (int i = 0; i < 1000; i++) {
		assert_ok(doca_mmap_stop(rig->mmap));
		assert_int_not_equal(handle_of(rig, rig->mmap), first);
		assert_err(ptr_of(first, memory, 1, false), NOT_FOUND);
	}
}

static void copies_stay_within_their_maps(void **state)
{
	struct rig *rig = *state;
	char target[16] = "................";
	struct doca_mmap *mmap = new_mmap(rig->dev, target, sizeof(target));
	struct mmap_dev_copy copy = {
		.src_addr = (uintptr_t)memory,
		.dst_addr = (uintptr_t)target + 2,
		.size = 5,
	};

	memcpy(memory, "0123456789", 10);
	copy.src_mmap = handle_of(rig, rig->mmap);
	copy.dst_mmap = handle_of(rig, mmap);
	assert_ok(priv_mmap_dev_copy(&copy));
	assert_memory_equal(target, "..01234.........", 16);
	copy.size = 15;
	assert_err(priv_mmap_dev_copy(&copy), INVALID_VALUE);
	copy.size = 0;
	assert_ok(priv_mmap_dev_copy(&copy));
	copy.size = 1;
	copy.src_addr--;
	assert_err(priv_mmap_dev_copy(&copy), INVALID_VALUE);
	copy.src_addr++;
	copy.dst_mmap = 0;
	assert_err(priv_mmap_dev_copy(&copy), NOT_FOUND);
	assert_memory_equal(target, "..01234.........", 16);
	assert_ok(doca_mmap_destroy(mmap));
}

static void the_target_of_a_copy_is_writable(void **state)
{
	struct rig *rig = *state;
	struct mmap_dev_copy copy = {.size = 5};

	copy.src_addr = copy.dst_addr = (uintptr_t)memory;
	assert_ok(doca_mmap_set_permissions(rig->mmap, DOCA_ACCESS_FLAG_RDMA_WRITE));
	copy.src_mmap = copy.dst_mmap = handle_of(rig, rig->mmap);
	assert_err(priv_mmap_dev_copy(&copy), NOT_PERMITTED);
}

static void a_copy_may_overlap(void **state)
{
	struct rig *rig = *state;
	struct mmap_dev_copy copy = {.size = 6};

	memcpy(memory, "0123456789", 10);
	copy.src_mmap = copy.dst_mmap = handle_of(rig, rig->mmap);
	copy.src_addr = (uintptr_t)memory;
	copy.dst_addr = (uintptr_t)memory + 2;
	assert_ok(priv_mmap_dev_copy(&copy));
	assert_memory_equal(memory, "0101234589", 10);
	copy.src_addr = (uintptr_t)memory + 2;
	copy.dst_addr = (uintptr_t)memory;
	assert_ok(priv_mmap_dev_copy(&copy));
	assert_memory_equal(memory, "0123454589", 10);
}

/*
 * Memory of another process
 */

#define OTHER_SIZE (10 * PAGE) /* more than one piece, and whole pages */

/*
 * arg: what SOFTFIELD_REGION is for it, or NULL. It exports bytes that follow from their place,
 * until it is told to end.
 */
struct peer {
	uint64_t addr;
	size_t blob_size;
	char blob[256];
};

/* arg: what SOFTFIELD_REGION is for it, or NULL */
static void be_peer(struct child *parent, void *arg)
{
	struct doca_dev *dev = open_dev(HOST_DEV);
	unsigned char *mem = aligned_alloc(PAGE, OTHER_SIZE);
	struct doca_mmap *mmap = new_mmap(dev, mem, OTHER_SIZE);
	struct peer peer = {.addr = (uintptr_t)mem};
	const void *blob;

	if (arg)
		setenv("SOFTFIELD_REGION", arg, 1);
	for (unsigned int i = 0; i < OTHER_SIZE; i++)
		mem[i] = (unsigned char)(i % 251);
	if (doca_mmap_set_permissions(mmap, DOCA_ACCESS_FLAG_PCI_READ_WRITE) ||
	    doca_mmap_start(mmap) || doca_mmap_export_pci(mmap, dev, &blob, &peer.blob_size))
		_exit(1);
	memcpy(peer.blob, blob, peer.blob_size);
	child_send(parent, &peer, sizeof(peer));
	child_await(parent);
}

static struct child start_peer(struct rig *rig, const char *arg, struct peer *peer,
			       struct doca_mmap **ret_mmap)
{
	struct child child;

	need_process_vm();
	child = child_start(be_peer, (void *)arg);
	child_receive(&child, peer, sizeof(*peer));
	assert_ok(doca_mmap_create_from_export(NULL, peer->blob, peer->blob_size, rig->dev,
					       ret_mmap));
	return child;
}

static doca_dpa_dev_mmap_t imported_handle(struct rig *rig, struct doca_mmap *mmap)
{
	doca_dpa_dev_mmap_t handle;

	assert_ok(doca_mmap_dev_get_dpa_handle(mmap, rig->dev, &handle));
	return handle;
}

/* arg: of be_peer() */
static doca_error_t look_at_peer(struct rig *rig, const char *arg)
{
	struct doca_mmap *import;
	struct peer peer;
	struct child child = start_peer(rig, arg, &peer, &import);
	doca_dpa_dev_mmap_t handle = imported_handle(rig, import);
	void *ptr = NULL;
	doca_error_t err = priv_mmap_dev_ptr(handle, peer.addr + 300, 2, false, &ptr);

	if (!err)
		assert_memory_equal(ptr, ((unsigned char[]){300 % 251, 301 % 251}), 2);
	assert_err(priv_mmap_dev_ptr(handle, peer.addr + OTHER_SIZE - 1, 2, false, &ptr),
		   INVALID_VALUE);
	child_kill(&child);
	assert_ok(doca_mmap_destroy(import));
	return err;
}

static void anothers_memory_has_an_address_if_it_can(void **state)
{
	if (!runs_under_valgrind()) /* where memory of programs cannot be mapped */
		assert_ok(look_at_peer(*state, NULL));
	assert_err(look_at_peer(*state, "copy"), NOT_SUPPORTED);
}

static void anothers_memory_is_copied(void **state)
{
	struct rig *rig = *state;
	struct doca_mmap *import;
	struct peer peer;
	struct child child = start_peer(rig, NULL, &peer, &import);
	struct mmap_dev_copy copy = {.size = 100};

	copy.src_mmap = imported_handle(rig, import);
	copy.dst_mmap = handle_of(rig, rig->mmap);
	copy.src_addr = peer.addr + 300;
	copy.dst_addr = (uintptr_t)memory;
	assert_ok(priv_mmap_dev_copy(&copy));
	for (unsigned int i = 0; i < copy.size; i++)
		assert_int_equal((unsigned char)memory[i], (300 + i) % 251);
	copy.src_addr = peer.addr + OTHER_SIZE - 99;
	assert_err(priv_mmap_dev_copy(&copy), INVALID_VALUE);
	/* within the other one, and back */
	copy = (struct mmap_dev_copy){copy.src_mmap, copy.src_mmap, peer.addr, peer.addr + 19000,
				      20000};
	assert_ok(priv_mmap_dev_copy(&copy));
	copy = (struct mmap_dev_copy){handle_of(rig, rig->mmap), copy.src_mmap, (uintptr_t)memory,
				      peer.addr + 19900, 100};
	assert_ok(priv_mmap_dev_copy(&copy));
	for (unsigned int i = 0; i < copy.size; i++)
		assert_int_equal((unsigned char)memory[i], (38900 + i) % 251);
	/* to the other one */
	memcpy(memory, "0123456789", 10);
	copy = (struct mmap_dev_copy){copy.src_mmap, copy.dst_mmap, peer.addr, (uintptr_t)memory,
				      10};
	assert_ok(priv_mmap_dev_copy(&copy));
	child_kill(&child);
	assert_err(priv_mmap_dev_copy(&copy), CONNECTION_RESET);
	assert_ok(doca_mmap_destroy(import));
}

/*
 * Other threads
 */

#define MAPS 4

struct race {
	_Atomic uint32_t handles[MAPS];
	atomic_bool over;
	_Atomic uint32_t found;
};

/* What a handle gives is its map's or nothing: maps are told apart by their addresses. */
static void *look(void *arg)
{
	struct race *race = arg;

	for (unsigned int i = 0; !atomic_load(&race->over); i = (i + 1) % MAPS) {
		void *ptr;

		if (priv_mmap_dev_ptr(atomic_load(&race->handles[i]), (uintptr_t)memory + 16 * i,
				      16, true, &ptr))
			continue;
		if (ptr != memory + 16 * i)
			abort();
		atomic_fetch_add(&race->found, 1);
	}
	return NULL;
}

static void lookups_take_no_lock(void **state)
{
	struct rig *rig = *state;
	struct doca_mmap *maps[MAPS];
	struct race race = {0};
	pthread_t thread;

	for (unsigned int i = 0; i < MAPS; i++)
		maps[i] = new_mmap(rig->dev, memory + 16 * i, 16);
	assert_int_equal(pthread_create(&thread, NULL, look, &race), 0);
	for (unsigned int round = 0; round < 200 || !atomic_load(&race.found); round++) {
		struct doca_mmap *mmap = maps[round % MAPS];

		atomic_store(&race.handles[round % MAPS], handle_of(rig, mmap));
		assert_ok(doca_mmap_stop(maps[(round + 1) % MAPS]));
	}
	atomic_store(&race.over, true);
	pthread_join(thread, NULL);
	for (unsigned int i = 0; i < MAPS; i++)
		assert_ok(doca_mmap_destroy(maps[i]));
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
	const struct CMUnitTest tests[] = {
		TEST(a_handle_has_conditions),
		TEST(dpa_memory_is_memory_of_the_program),
		TEST(range_and_permission_are_checked),
		TEST(a_handle_ends_with_its_map),
		TEST(stale_handles_stay_stale_for_long),
		TEST(copies_stay_within_their_maps),
		TEST(the_target_of_a_copy_is_writable),
		TEST(a_copy_may_overlap),
		TEST(anothers_memory_has_an_address_if_it_can),
		TEST(anothers_memory_is_copied),
		TEST(lookups_take_no_lock),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
