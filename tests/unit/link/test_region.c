/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Regions: blobs, copies within and between processes, and everything that must end a copy.
 */
#include "test.h"

#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/uio.h>
#include <unistd.h>
#include "allowed.h"
#include "child.h"
#include "link/region.h"
#include "pages.h"

#define SIZE (4 * PAGE)
#define ROOM (4 * PAGE_MAX)

static const struct region_desc sample = {
	.ref = {.pid = 42, .fd = 3, .id = {1, 2, 3}},
	.addr = 0x7f0000001234,
	.size = 0x100000001,
	.access = REGION_READ,
};

/*
 * Blobs
 */

static void blob_survives_the_wire(void **state)
{
	uint8_t blob[REGION_BLOB_SIZE + 1];
	struct region_desc desc;

	(void)state;
	region_blob_encode(&sample, blob);
	assert_memory_equal(blob, "SFFR\x01\x00\x40\x00\x2a\x00\x00\x00", 12);
	assert_int_equal(region_blob_decode(blob, REGION_BLOB_SIZE, &desc), DOCA_SUCCESS);
	assert_memory_equal(&desc.ref, &sample.ref, sizeof(desc.ref));
	assert_int_equal(desc.addr, sample.addr);
	assert_int_equal(desc.size, sample.size);
	assert_int_equal(desc.access, sample.access);
	/* A program may hand over its whole receive buffer. */
	assert_int_equal(region_blob_decode(blob, REGION_BLOB_SIZE + 1, &desc), DOCA_SUCCESS);
}

static void damaged_blobs_are_refused(void **state)
{
	uint8_t blob[REGION_BLOB_SIZE];
	struct region_desc desc;

	(void)state;
	region_blob_encode(&sample, blob);
	for (size_t size = 0; size < sizeof(blob); size++)
		assert_int_equal(region_blob_decode(blob, size, &desc), DOCA_ERROR_INVALID_VALUE);
	for (size_t bit = 0; bit < 8 * sizeof(blob); bit++) {
		blob[bit / 8] ^= (uint8_t)(1 << bit % 8);
		assert_int_equal(region_blob_decode(blob, sizeof(blob), &desc),
				 DOCA_ERROR_INVALID_VALUE);
		blob[bit / 8] ^= (uint8_t)(1 << bit % 8);
	}
}

static void senseless_blobs_are_refused(void **state)
{
	const struct region_desc senseless[] = {
		{.addr = 1, .size = 0, .access = REGION_READ},
		{.addr = 1, .size = 1, .access = 0},
		{.addr = 1, .size = 1, .access = 4},
		{.addr = UINT64_MAX, .size = 2, .access = REGION_READ},
	};
	uint8_t blob[REGION_BLOB_SIZE];
	struct region_desc desc;

	(void)state;
	for (size_t i = 0; i < sizeof(senseless) / sizeof(senseless[0]); i++) {
		region_blob_encode(&senseless[i], blob);
		assert_int_equal(region_blob_decode(blob, sizeof(blob), &desc),
				 DOCA_ERROR_INVALID_VALUE);
	}
}

/*
 * One process
 */

static struct region_desc describe(const struct region_export *region)
{
	struct region_desc desc;

	assert_int_equal(region_blob_decode(region_export_blob(region), REGION_BLOB_SIZE, &desc),
			 DOCA_SUCCESS);
	return desc;
}

static void copies_within_the_process(void **state)
{
	char memory[64] = "exported";
	char copy[64] = "";
	struct region_export *region;
	struct region_remote *remote;
	struct region_desc desc;

	(void)state;
	assert_int_equal(region_export_create(memory, sizeof(memory), REGION_READ | REGION_WRITE,
					      TAKEOVER_TOO_LARGE, &region),
			 DOCA_SUCCESS);
	desc = describe(region);
	assert_int_equal(desc.addr, (uintptr_t)memory);
	assert_int_equal(desc.size, sizeof(memory));
	assert_int_equal(region_attach(&desc, &remote), DOCA_SUCCESS);
	assert_int_equal(priv_region_read(remote, 2, copy, 7), DOCA_SUCCESS);
	assert_string_equal(copy, "ported");
	assert_int_equal(priv_region_write(remote, 60, "end", 4), DOCA_SUCCESS);
	assert_string_equal(memory + 60, "end");

	assert_int_equal(priv_region_read(remote, 60, copy, 5), DOCA_ERROR_INVALID_VALUE);
	assert_int_equal(priv_region_write(remote, 65, copy, 0), DOCA_ERROR_INVALID_VALUE);
	assert_int_equal(priv_region_read(remote, UINT64_MAX, copy, 1), DOCA_ERROR_INVALID_VALUE);
	assert_int_equal(priv_region_read(remote, 1, copy, SIZE_MAX), DOCA_ERROR_INVALID_VALUE);
	assert_int_equal(priv_region_read(remote, 64, copy, 0), DOCA_SUCCESS);

	region_export_destroy(region);
	assert_int_equal(priv_region_read(remote, 0, copy, 1), DOCA_ERROR_CONNECTION_RESET);
	assert_int_equal(priv_region_write(remote, 0, copy, 1), DOCA_ERROR_CONNECTION_RESET);
	region_detach(remote);
}

/* A thread that copies within the process as long as it may. */
struct copier {
	struct region_remote *remote;
	atomic_uint copies;
	doca_error_t end;
};

static void *copy_on(void *arg)
{
	static char copy[ROOM];
	struct copier *copier = arg;

	while (!(copier->end = priv_region_read(copier->remote, 0, copy, SIZE)))
		atomic_fetch_add(&copier->copies, 1);
	return NULL;
}

static void nobody_copies_what_is_no_longer_exported(void **state)
{
	(void)state;
	for (unsigned int i = 0; i < 50; i++) {
		struct region_export *region;
		struct copier copier = {0};
		struct region_desc desc;
		pthread_t thread;
		char *memory = mmap(NULL, SIZE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS,
				    -1, 0);

		assert_int_equal(
			region_export_create(memory, SIZE, REGION_READ, TAKEOVER_EXPORTED, &region),
			DOCA_SUCCESS);
		desc = describe(region);
		assert_int_equal(region_attach(&desc, &copier.remote), DOCA_SUCCESS);
		assert_int_equal(pthread_create(&thread, NULL, copy_on, &copier), 0);
		while (!atomic_load(&copier.copies))
			sched_yield();
		region_export_destroy(region);
		munmap(memory, SIZE);
		pthread_join(thread, NULL);
		assert_int_equal(copier.end, DOCA_ERROR_CONNECTION_RESET);
		region_detach(copier.remote);
	}
}

static void access_is_what_was_exported(void **state)
{
	char memory[8] = "1234567";
	char copy[8];

	(void)state;
	for (uint32_t access = REGION_READ; access <= (REGION_READ | REGION_WRITE); access++) {
		struct region_export *region;
		struct region_remote *remote;
		struct region_desc desc;

		assert_int_equal(region_export_create(memory, sizeof(memory), access,
						      TAKEOVER_TOO_LARGE, &region),
				 DOCA_SUCCESS);
		desc = describe(region);
		assert_int_equal(region_attach(&desc, &remote), DOCA_SUCCESS);
		assert_int_equal(priv_region_read(remote, 0, copy, 8),
				 access & REGION_READ ? DOCA_SUCCESS : DOCA_ERROR_NOT_PERMITTED);
		assert_int_equal(priv_region_write(remote, 0, "7654321", 8),
				 access & REGION_WRITE ? DOCA_SUCCESS : DOCA_ERROR_NOT_PERMITTED);
		region_detach(remote);
		region_export_destroy(region);
	}
	assert_string_equal(memory, "7654321");
}

/* Whoever writes blobs cannot give himself more than was exported. */
static void forged_blobs_are_refused(void **state)
{
	char memory[64];
	struct region_export *region;
	struct region_remote *remote;
	struct region_desc honest, forged;

	(void)state;
	assert_int_equal(region_export_create(memory, 32, REGION_READ, TAKEOVER_TOO_LARGE, &region),
			 DOCA_SUCCESS);
	honest = describe(region);
	forged = honest;
	forged.size = 64;
	assert_int_equal(region_attach(&forged, &remote), DOCA_ERROR_INVALID_VALUE);
	forged = honest;
	forged.addr--;
	assert_int_equal(region_attach(&forged, &remote), DOCA_ERROR_INVALID_VALUE);
	forged = honest;
	forged.access |= REGION_WRITE;
	assert_int_equal(region_attach(&forged, &remote), DOCA_ERROR_INVALID_VALUE);
	forged = honest;
	forged.ref.id[7] ^= 0x80;
	assert_int_equal(region_attach(&forged, &remote), DOCA_ERROR_INVALID_VALUE);
	assert_int_equal(region_attach(&honest, &remote), DOCA_SUCCESS);
	region_detach(remote);
	region_export_destroy(region);
	assert_int_equal(region_attach(&honest, &remote), DOCA_ERROR_NOT_FOUND);
}

/*
 * Two processes: the child exports SIZE bytes of 'c' and obeys. The state of each test is what
 * keeps its pages from being mapped: then the kernel copies; DONE: copies are made in a view.
 */

enum order { ORDER_WITHDRAW = 'w', ORDER_UNMAP = 'u', ORDER_EXEC = 'e', ORDER_END = 'q' };

static char *map_pages(void)
{
	char *memory = mmap(NULL, SIZE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	assert_ptr_not_equal(memory, MAP_FAILED);
	return memory;
}

struct export_args {
	uint32_t access;
	enum takeover obstacle;
};

static void export_and_obey(struct child *parent, void *arg)
{
	const struct export_args *args = arg;
	struct region_export *region;
	char *memory = map_pages();
	char order = 0;

	memset(memory, 'c', SIZE);
	if (region_export_create(memory, SIZE, args->access, args->obstacle, &region))
		_exit(1);
	child_send(parent, region_export_blob(region), REGION_BLOB_SIZE);
	while (order != ORDER_END) {
		child_receive(parent, &order, 1);
		if (order == ORDER_WITHDRAW)
			region_export_destroy(region);
		else if (order == ORDER_UNMAP)
			munmap(memory + PAGE, PAGE);
		else if (order == ORDER_EXEC)
			execl("/bin/sh", "sh", "-c", "kill -STOP $$", NULL);
		child_send(parent, &memory[SIZE - 1], 1); /* done; and what was written there */
	}
}

static char command(struct child *child, enum order order)
{
	char byte = (char)order;

	child_send(child, &byte, 1);
	child_receive(child, &byte, 1);
	return byte;
}

static struct child exporter(void **state, uint32_t access, struct region_desc *desc)
{
	const enum takeover *obstacle = *state;
	struct export_args args = {access, *obstacle};
	uint8_t blob[REGION_BLOB_SIZE];
	struct child child;

	need_process_vm();
	child = child_start(export_and_obey, &args);
	child_receive(&child, blob, sizeof(blob));
	assert_int_equal(region_blob_decode(blob, sizeof(blob), desc), DOCA_SUCCESS);
	return child;
}

static struct region_remote *attach(void **state, const struct region_desc *desc)
{
	const enum takeover *obstacle = *state;
	struct region_remote *remote;

	assert_int_equal(region_attach(desc, &remote), DOCA_SUCCESS);
	assert_int_equal(region_remote_view(remote)->obstacle, *obstacle);
	return remote;
}

/* In a view copies go on for a moment. */
static void assert_ends(struct region_remote *remote)
{
	bool has_view = region_remote_view(remote)->addr;
	doca_error_t err;
	char byte;

	do
		err = priv_region_read(remote, 0, &byte, 1);
	while (has_view && !err);
	assert_int_equal(err, DOCA_ERROR_CONNECTION_RESET);
	assert_int_equal(priv_region_write(remote, SIZE - 1, "p", 1), DOCA_ERROR_CONNECTION_RESET);
}

static void copies_between_processes(void **state)
{
	struct region_desc desc;
	struct child child = exporter(state, REGION_READ | REGION_WRITE, &desc);
	struct region_remote *remote = attach(state, &desc);
	static char copy[ROOM];

	assert_int_equal(priv_region_read(remote, 0, copy, SIZE), DOCA_SUCCESS);
	for (size_t i = 0; i < SIZE; i++)
		assert_int_equal(copy[i], 'c');
	assert_int_equal(priv_region_write(remote, SIZE - 1, "p", 1), DOCA_SUCCESS);
	assert_int_equal(priv_region_write(remote, SIZE - 1, "pp", 2), DOCA_ERROR_INVALID_VALUE);
	assert_int_equal(command(&child, ORDER_END), 'p');
	assert_int_equal(child_join(&child), 0);
	region_detach(remote);
}

static void read_only_holds_between_processes(void **state)
{
	struct region_desc desc;
	struct child child = exporter(state, REGION_READ, &desc);
	struct region_remote *remote = attach(state, &desc);

	assert_int_equal(priv_region_write(remote, SIZE - 1, "p", 1), DOCA_ERROR_NOT_PERMITTED);
	assert_int_equal(command(&child, ORDER_END), 'c');
	assert_int_equal(child_join(&child), 0);
	region_detach(remote);
}

static void withdrawal_is_noticed(void **state)
{
	struct region_desc desc;
	struct child child = exporter(state, REGION_READ | REGION_WRITE, &desc);
	struct region_remote *remote = attach(state, &desc);
	char byte;

	command(&child, ORDER_WITHDRAW);
	assert_int_equal(priv_region_read(remote, 0, &byte, 1), DOCA_ERROR_CONNECTION_RESET);
	assert_int_equal(priv_region_write(remote, SIZE - 1, "p", 1), DOCA_ERROR_CONNECTION_RESET);
	assert_int_equal(command(&child, ORDER_END), 'c');
	assert_int_equal(child_join(&child), 0);
	region_detach(remote);
}

static void death_is_noticed(void **state)
{
	struct region_desc desc;
	struct child child = exporter(state, REGION_READ | REGION_WRITE, &desc);
	struct region_remote *remote = attach(state, &desc), *late;

	child_kill(&child);
	assert_ends(remote);
	assert_int_equal(region_attach(&desc, &late), DOCA_ERROR_NOT_FOUND);
	region_detach(remote);
}

/*
 * As when another process got the same pid, and has exported something at the same place: all is
 * the same but the identity.
 */
static void replace_the_page(const struct region_desc *desc, pid_t pid)
{
	uint8_t id[ANCHOR_ID_SIZE];
	struct iovec here = {id, sizeof(id)}, there;
	char line[512];
	FILE *maps;

	snprintf(line, sizeof(line), "/proc/%d/maps", pid);
	maps = fopen(line, "re");
	assert_non_null(maps);
	there.iov_len = sizeof(id);
	while (fgets(line, sizeof(line), maps)) {
		there.iov_base = (void *)(uintptr_t)strtoull(line, NULL, 16);
		if (process_vm_readv(pid, &here, 1, &there, 1, 0) == sizeof(id) &&
		    !memcmp(id, desc->ref.id, sizeof(id)))
			break;
	}
	fclose(maps);
	id[0] ^= 1;
	assert_int_equal(process_vm_writev(pid, &here, 1, &there, 1, 0), sizeof(id));
}

static void another_identity_is_noticed(void **state)
{
	struct region_desc desc;
	struct child child = exporter(state, REGION_READ | REGION_WRITE, &desc);
	struct region_remote *remote = attach(state, &desc);
	char byte;

	assert_int_equal(priv_region_read(remote, 0, &byte, 1), DOCA_SUCCESS);
	replace_the_page(&desc, child.pid);
	assert_ends(remote);
	assert_int_equal(command(&child, ORDER_END), 'c');
	assert_int_equal(child_join(&child), 0);
	region_detach(remote);
}

/* The process lives, under the same pid, but it is another program. */
static void exec_is_noticed(void **state)
{
	struct region_desc desc;
	struct child child = exporter(state, REGION_READ | REGION_WRITE, &desc);
	struct region_remote *remote = attach(state, &desc), *late;
	char byte = ORDER_EXEC;
	int status;

	child_send(&child, &byte, 1);
	assert_int_equal(waitpid(child.pid, &status, WUNTRACED), child.pid);
	assert_true(WIFSTOPPED(status));
	assert_ends(remote);
	assert_int_not_equal(region_attach(&desc, &late), DOCA_SUCCESS);
	child_kill(&child);
	region_detach(remote);
}

static void missing_pages_are_an_error(void **state)
{
	struct region_desc desc;
	struct child child = exporter(state, REGION_READ | REGION_WRITE, &desc);
	struct region_remote *remote = attach(state, &desc);
	static char copy[ROOM];

	command(&child, ORDER_UNMAP);
	assert_int_equal(priv_region_read(remote, 0, copy, SIZE), DOCA_ERROR_IO_FAILED);
	assert_int_equal(priv_region_write(remote, 0, copy, SIZE), DOCA_ERROR_IO_FAILED);
	assert_int_equal(priv_region_write(remote, PAGE, copy, 1), DOCA_ERROR_IO_FAILED);
	assert_int_equal(priv_region_read(remote, 2 * PAGE, copy, PAGE), DOCA_SUCCESS);
	command(&child, ORDER_END);
	assert_int_equal(child_join(&child), 0);
	region_detach(remote);
}

/* As on a card, where they are pinned: an exporter that frees them too soon is its own problem. */
static void missing_pages_are_still_there_in_a_view(void **state)
{
	struct region_desc desc;
	struct child child = exporter(state, REGION_READ | REGION_WRITE, &desc);
	struct region_remote *remote = attach(state, &desc);
	static char copy[ROOM];

	command(&child, ORDER_UNMAP);
	assert_int_equal(priv_region_read(remote, 0, copy, SIZE), DOCA_SUCCESS);
	assert_int_equal(copy[PAGE], 'c');
	assert_int_equal(priv_region_write(remote, 0, copy, SIZE), DOCA_SUCCESS);
	command(&child, ORDER_END);
	assert_int_equal(child_join(&child), 0);
	region_detach(remote);
}

/* exit status: which step was wrong */
static void write_and_detach(struct child *parent, void *arg)
{
	struct region_remote *remote = arg;

	(void)parent;
	if (priv_region_write(remote, SIZE - 1, "g", 1))
		_exit(1);
	region_detach(remote);
}

static void a_child_of_the_importer_copies_too(void **state)
{
	struct region_desc desc;
	struct child child = exporter(state, REGION_READ | REGION_WRITE, &desc);
	struct region_remote *remote = attach(state, &desc);
	struct child other = child_start(write_and_detach, remote);
	char byte;

	assert_int_equal(child_join(&other), 0);
	assert_int_equal(priv_region_read(remote, SIZE - 1, &byte, 1), DOCA_SUCCESS);
	assert_int_equal(byte, 'g');
	assert_int_equal(command(&child, ORDER_END), 'g');
	assert_int_equal(child_join(&child), 0);
	region_detach(remote);
}

/*
 * Children of fork()
 */

struct inherited {
	char *memory;
	struct region_export *region;
	struct region_remote *remote;
};

/* exit status: which step was wrong */
static void use_and_destroy(struct child *parent, void *arg)
{
	struct inherited *inherited = arg;

	(void)parent;
	if (priv_region_write(inherited->remote, 0, "child", 6))
		_exit(1);
	if (strcmp(inherited->memory, "parent"))
		_exit(2);
	region_detach(inherited->remote);
	region_export_destroy(inherited->region);
}

static void exports_stay_the_parents(void **state)
{
	char *memory = mmap(NULL, PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	struct inherited inherited = {.memory = memory};
	struct region_desc desc;
	struct child child;
	char copy[8];

	(void)state;
	need_process_vm();
	strcpy(memory, "parent");
	assert_int_equal(region_export_create(memory, PAGE, REGION_READ | REGION_WRITE,
					      TAKEOVER_TOO_LARGE, &inherited.region),
			 DOCA_SUCCESS);
	desc = describe(inherited.region);
	assert_int_equal(region_attach(&desc, &inherited.remote), DOCA_SUCCESS);
	child = child_start(use_and_destroy, &inherited);
	assert_int_equal(child_join(&child), 0);
	assert_string_equal(memory, "child");
	assert_int_equal(priv_region_read(inherited.remote, 0, copy, 6), DOCA_SUCCESS);
	region_detach(inherited.remote);
	region_export_destroy(inherited.region);
	munmap(memory, PAGE);
}

#define STATE_TEST(name, state)                                                                    \
	{                                                                                          \
#name " (" #state ")", name, NULL, NULL, &(state)                                  \
	}
#define KERNEL_TEST(name) STATE_TEST(name, without_view)
#define VIEW_TEST(name)	  STATE_TEST(name, with_view)

int main(void)
{
	enum takeover without_view = TAKEOVER_TOO_LARGE, with_view = TAKEOVER_DONE;
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(blob_survives_the_wire),
		cmocka_unit_test(damaged_blobs_are_refused),
		cmocka_unit_test(senseless_blobs_are_refused),
		cmocka_unit_test(copies_within_the_process),
		cmocka_unit_test(nobody_copies_what_is_no_longer_exported),
		cmocka_unit_test(access_is_what_was_exported),
		cmocka_unit_test(forged_blobs_are_refused),
		KERNEL_TEST(copies_between_processes),
		VIEW_TEST(copies_between_processes),
		KERNEL_TEST(read_only_holds_between_processes),
		VIEW_TEST(read_only_holds_between_processes),
		KERNEL_TEST(withdrawal_is_noticed),
		VIEW_TEST(withdrawal_is_noticed),
		KERNEL_TEST(death_is_noticed),
		VIEW_TEST(death_is_noticed),
		KERNEL_TEST(another_identity_is_noticed),
		VIEW_TEST(another_identity_is_noticed),
		KERNEL_TEST(exec_is_noticed),
		VIEW_TEST(exec_is_noticed),
		KERNEL_TEST(missing_pages_are_an_error),
		VIEW_TEST(missing_pages_are_still_there_in_a_view),
		KERNEL_TEST(a_child_of_the_importer_copies_too),
		VIEW_TEST(a_child_of_the_importer_copies_too),
		cmocka_unit_test(exports_stay_the_parents),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
