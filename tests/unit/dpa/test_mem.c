/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Memory of the DPA: allocations, copies, and what is refused at their ends.
 */
#include "test.h"

#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <sys/mman.h>
#include "doca_buf.h"
#include "doca_buf_inventory.h"
#include "doca_log.h"
#include "doca_mmap.h"
#include "dpa/dpa.h"
#include "forbid.h"
#include "rig.h"
#include "said.h"

#define SIZE 100u
#define MANY 100u /* and no multiple of 7 */
#define FEW  5u

static int set_up(void **state)
{
	static struct rig rig;

	rig_init(&rig, NULL, 0);
	*state = &rig;
	return 0;
}

static int tear_down(void **state)
{
	return rig_fini(*state);
}

static doca_dpa_dev_uintptr_t alloc(struct rig *rig)
{
	doca_dpa_dev_uintptr_t memory;

	assert_ok(doca_dpa_mem_alloc(rig->dpa, SIZE, &memory));
	return memory;
}

static char *as_ptr(doca_dpa_dev_uintptr_t at)
{
	return (char *)(uintptr_t)at;
}

static void arguments_are_checked(void **state)
{
	struct rig *rig = *state;
	doca_dpa_dev_uintptr_t memory = 1;
	char bytes[8];

	assert_err(doca_dpa_mem_alloc(NULL, 8, &memory), INVALID_VALUE);
	assert_int_equal(memory, 0); /* as on a card */
	assert_err(doca_dpa_mem_alloc(rig->dpa, 8, NULL), INVALID_VALUE);
	memory = 1;
	assert_err(doca_dpa_mem_alloc(rig->dpa, 0, &memory), INVALID_VALUE);
	assert_int_equal(memory, 0);
	memory = 1;
	assert_err(doca_dpa_mem_alloc(rig->dpa, SIZE_MAX, &memory), NO_MEMORY);
	assert_int_equal(memory, 0);
	memory = alloc(rig);
	assert_err(doca_dpa_mem_free(NULL, memory), INVALID_VALUE);
	assert_err(doca_dpa_h2d_memcpy(NULL, memory, bytes, 8), INVALID_VALUE);
	assert_err(doca_dpa_h2d_memcpy(rig->dpa, 0, bytes, 8), INVALID_VALUE);
	assert_err(doca_dpa_h2d_memcpy(rig->dpa, memory, NULL, 8), INVALID_VALUE);
	assert_err(doca_dpa_d2h_memcpy(NULL, bytes, memory, 8), INVALID_VALUE);
	assert_err(doca_dpa_d2h_memcpy(rig->dpa, NULL, memory, 8), INVALID_VALUE);
	assert_err(doca_dpa_d2h_memcpy(rig->dpa, bytes, 0, 8), INVALID_VALUE);
	assert_err(doca_dpa_memset(NULL, memory, 0, 8), INVALID_VALUE);
	assert_err(doca_dpa_memset(rig->dpa, 0, 0, 8), INVALID_VALUE);
	assert_err(doca_dpa_h2d_buf_memcpy(rig->dpa, memory, NULL, 8), INVALID_VALUE);
	assert_err(doca_dpa_d2h_buf_memcpy(rig->dpa, NULL, memory, 8), INVALID_VALUE);
	assert_ok(doca_dpa_mem_free(rig->dpa, memory));
}

static void a_context_that_is_not_started_has_no_memory(void **state)
{
	struct rig *rig = *state;
	doca_dpa_dev_uintptr_t memory = alloc(rig), none = 1;
	char bytes[SIZE];

	assert_ok(doca_dpa_stop(rig->dpa));
	assert_err(doca_dpa_mem_alloc(rig->dpa, 8, &none), BAD_STATE);
	assert_int_equal(none, 0);
	assert_err(doca_dpa_h2d_memcpy(rig->dpa, memory, bytes, SIZE), BAD_STATE);
	assert_err(doca_dpa_d2h_memcpy(rig->dpa, bytes, memory, SIZE), BAD_STATE);
	assert_err(doca_dpa_memset(rig->dpa, memory, 0, SIZE), BAD_STATE);
	assert_ok(doca_dpa_mem_free(rig->dpa, memory)); /* programs do so late */
}

static void it_is_memory_of_the_program(void **state)
{
	struct rig *rig = *state;
	doca_dpa_dev_uintptr_t memory = alloc(rig);
	char bytes[SIZE] = "from here";

	assert_int_equal(memory % 64, 0);
	assert_ok(doca_dpa_h2d_memcpy(rig->dpa, memory, bytes, SIZE));
	assert_string_equal(as_ptr(memory), "from here");
	strcpy(as_ptr(memory), "from there");
	assert_ok(doca_dpa_d2h_memcpy(rig->dpa, bytes, memory, SIZE));
	assert_string_equal(bytes, "from there");
	assert_ok(doca_dpa_memset(rig->dpa, memory + 5, 'x', 3));
	assert_string_equal(as_ptr(memory), "from xxxre");
	assert_ok(doca_dpa_mem_free(rig->dpa, memory));
}

static void copies_stay_inside_of_an_allocation(void **state)
{
	struct rig *rig = *state;
	doca_dpa_dev_uintptr_t memory = alloc(rig);
	/* offset and size, and whether that is inside */
	static const struct {
		uint64_t offset, size;
		bool is_inside;
	} rows[] = {
		{0, SIZE, true},
		{SIZE - 1, 1, true},
		{SIZE, 0, true},
		{10, SIZE - 10, true},
		{0, SIZE + 1, false},
		{1, SIZE, false},
		{SIZE, 1, false},
		{SIZE + 1, 0, false},
		{UINT64_MAX, 1, false}, /* before it */
		{UINT64_MAX, 2, false},
		{8, UINT64_MAX - 7, false}, /* around the end of all addresses */
	};
	char bytes[2 * SIZE] = {0};

	for (unsigned int i = 0; i < ARRAY_SIZE(rows); i++) {
		const doca_error_t expected =
			rows[i].is_inside ? DOCA_SUCCESS : DOCA_ERROR_INVALID_VALUE;
		doca_dpa_dev_uintptr_t at = memory + rows[i].offset;

		print_message("row %u\n", i);
		assert_int_equal(doca_dpa_memset(rig->dpa, at, 1, rows[i].size), expected);
		assert_int_equal(doca_dpa_h2d_memcpy(rig->dpa, at, bytes, rows[i].size), expected);
		assert_int_equal(doca_dpa_d2h_memcpy(rig->dpa, bytes, at, rows[i].size), expected);
	}
	assert_ok(doca_dpa_mem_free(rig->dpa, memory));
}

static void only_what_was_allocated_is_freed(void **state)
{
	struct rig *rig = *state;
	doca_dpa_dev_uintptr_t first, second;
	char bytes[8];

	assert_err(doca_dpa_mem_free(rig->dpa, (uintptr_t)bytes), INVALID_VALUE);
	assert_err(doca_dpa_mem_free(rig->dpa, 0), INVALID_VALUE);
	first = alloc(rig);
	second = alloc(rig);
	assert_err(doca_dpa_mem_free(rig->dpa, first + 8), INVALID_VALUE);
	assert_ok(doca_dpa_mem_free(rig->dpa, first));
	assert_err(doca_dpa_mem_free(rig->dpa, first), INVALID_VALUE);
	assert_err(doca_dpa_h2d_memcpy(rig->dpa, first, bytes, sizeof(bytes)), INVALID_VALUE);
	assert_ok(doca_dpa_memset(rig->dpa, second, 0, SIZE));
	/* the context frees the second one: the sanitizers know */
}

/* In an order that is neither that of the allocations nor that of the addresses. */
static void each_of_many_is_found_until_it_is_freed(void **state)
{
	struct rig *rig = *state;
	doca_dpa_dev_uintptr_t all[MANY];

	for (unsigned int i = 0; i < MANY; i++)
		all[i] = alloc(rig);
	for (unsigned int i = 0; i < MANY; i++) {
		for (unsigned int j = i; j < MANY; j++) {
			doca_dpa_dev_uintptr_t at = all[j * 7 % MANY];

			assert_ok(doca_dpa_memset(rig->dpa, at, 0, SIZE));
			assert_ok(doca_dpa_memset(rig->dpa, at + SIZE, 0, 0));
			assert_err(doca_dpa_memset(rig->dpa, at, 0, SIZE + 1), INVALID_VALUE);
			assert_err(doca_dpa_memset(rig->dpa, at - 1, 0, 1), INVALID_VALUE);
		}
		assert_ok(doca_dpa_mem_free(rig->dpa, all[i * 7 % MANY]));
		assert_err(doca_dpa_memset(rig->dpa, all[i * 7 % MANY], 0, 1), INVALID_VALUE);
	}
}

struct mistakes {
	struct doca_dpa *dpa;
	doca_dpa_dev_uintptr_t memory[FEW];
};

static void free_what_is_behind(struct child *parent, void *arg)
{
	const struct mistakes *mistakes = arg;
	struct doca_log_backend *backend;

	(void)parent;
	doca_log_backend_create_with_fd_sdk(STDERR_FILENO, &backend);
	for (unsigned int i = 0; i < FEW; i++)
		doca_dpa_mem_free(mistakes->dpa, mistakes->memory[i] + SIZE + 1);
}

static void the_log_names_what_is_nearest(void **state)
{
	struct rig *rig = *state;
	struct mistakes mistakes = {.dpa = rig->dpa};
	char said[SAID_SIZE], nearest[64];

	for (unsigned int i = 0; i < FEW; i++)
		mistakes.memory[i] = alloc(rig);
	listen_to(free_what_is_behind, &mistakes, said);
	for (unsigned int i = 0; i < FEW; i++) {
		snprintf(nearest, sizeof(nearest), "the nearest is %u bytes at %p", SIZE,
			 (void *)mistakes.memory[i]);
		assert_non_null(strstr(said, nearest));
	}
}

/* Whether somebody may still use it: the address sanitizer and valgrind know, else its content. */
static void freed_memory_stays_a_while(void **state)
{
	struct rig *rig = *state;
	doca_dpa_dev_uintptr_t memory = alloc(rig), more;

	memset((void *)memory, 'x', SIZE);
	assert_ok(doca_dpa_mem_free(rig->dpa, memory));
	for (int i = 0; i < 10; i++) {
		assert_ok(doca_dpa_mem_alloc(rig->dpa, SIZE, &more));
		assert_int_not_equal(more, memory);
		assert_ok(doca_dpa_memset(rig->dpa, more, 'y', SIZE));
		assert_ok(doca_dpa_mem_free(rig->dpa, more));
	}
	for (size_t i = 0; i < SIZE; i++)
		assert_int_equal(((char *)memory)[i], 'x');
	/* but not for ever */
	for (int i = 0; i < 200; i++) {
		assert_ok(doca_dpa_mem_alloc(rig->dpa, 1 << 20, &more));
		assert_ok(doca_dpa_mem_free(rig->dpa, more));
	}
	assert_true(rig->dpa->freed_size <= 64 << 20);
	/* and what is larger than all that takes nothing else with it */
	memory = alloc(rig);
	memset((void *)memory, 'x', SIZE);
	assert_ok(doca_dpa_mem_free(rig->dpa, memory));
	assert_ok(doca_dpa_mem_alloc(rig->dpa, 65 << 20, &more));
	assert_ok(doca_dpa_mem_free(rig->dpa, more));
	assert_int_equal(*(char *)memory, 'x');
}

static void contexts_do_not_share_memory(void **state)
{
	struct rig *rig = *state;
	doca_dpa_dev_uintptr_t memory = alloc(rig);
	struct doca_dpa *other;

	assert_ok(doca_dpa_create(rig->dev, &other));
	assert_ok(doca_dpa_set_app(other, &rig->app));
	assert_ok(doca_dpa_start(other));
	assert_err(doca_dpa_memset(other, memory, 0, 8), INVALID_VALUE);
	assert_err(doca_dpa_mem_free(other, memory), INVALID_VALUE);
	assert_ok(doca_dpa_destroy(other));
	assert_ok(doca_dpa_mem_free(rig->dpa, memory));
}

/* a buffer over bytes of the program */
struct buffer {
	char bytes[SIZE];
	struct doca_mmap *mmap;
	struct doca_buf_inventory *inventory;
	struct doca_buf *buf;
};

static void buffer_init(struct buffer *buffer, struct rig *rig, uint32_t permissions)
{
	memset(buffer->bytes, 'b', SIZE);
	assert_ok(doca_mmap_create(&buffer->mmap));
	assert_ok(doca_mmap_add_dev(buffer->mmap, rig->dev));
	assert_ok(doca_mmap_set_memrange(buffer->mmap, buffer->bytes, SIZE));
	assert_ok(doca_mmap_set_permissions(buffer->mmap, permissions));
	assert_ok(doca_mmap_start(buffer->mmap));
	assert_ok(doca_buf_inventory_create(2, &buffer->inventory));
	assert_ok(doca_buf_inventory_start(buffer->inventory));
	assert_ok(doca_buf_inventory_buf_get_by_addr(buffer->inventory, buffer->mmap, buffer->bytes,
						     SIZE, &buffer->buf));
}

static void buffer_fini(struct buffer *buffer)
{
	assert_ok(doca_buf_dec_refcount(buffer->buf, NULL));
	assert_ok(doca_buf_inventory_destroy(buffer->inventory));
	assert_ok(doca_mmap_destroy(buffer->mmap));
}

static void buffers_are_copied_from_their_data_on(void **state)
{
	struct rig *rig = *state;
	doca_dpa_dev_uintptr_t memory = alloc(rig);
	struct buffer buffer;
	size_t data_len;

	buffer_init(&buffer, rig, DOCA_ACCESS_FLAG_LOCAL_READ_WRITE);
	memset(as_ptr(memory), 'm', SIZE);
	strcpy(buffer.bytes + 10, "data");
	assert_ok(doca_buf_set_data(buffer.buf, buffer.bytes + 10, 5));
	assert_ok(doca_dpa_h2d_buf_memcpy(rig->dpa, memory, buffer.buf, 5));
	assert_string_equal(as_ptr(memory), "data");
	assert_int_equal(as_ptr(memory)[5], 'm');

	strcpy(as_ptr(memory), "longer data");
	assert_ok(doca_dpa_d2h_buf_memcpy(rig->dpa, buffer.buf, memory, 12));
	assert_string_equal(buffer.bytes + 10, "longer data");
	assert_int_equal(buffer.bytes[9], 'b');
	assert_int_equal(buffer.bytes[22], 'b');
	assert_ok(doca_buf_get_data_len(buffer.buf, &data_len));
	assert_int_equal(data_len, 12);
	assert_ok(doca_dpa_d2h_buf_memcpy(rig->dpa, buffer.buf, memory, 4));
	assert_ok(doca_buf_get_data_len(buffer.buf, &data_len));
	assert_int_equal(data_len, 12);
	buffer_fini(&buffer);
	assert_ok(doca_dpa_mem_free(rig->dpa, memory));
}

static void copies_stay_inside_of_a_buffer(void **state)
{
	struct rig *rig = *state;
	doca_dpa_dev_uintptr_t memory = alloc(rig);
	struct buffer buffer;

	buffer_init(&buffer, rig, DOCA_ACCESS_FLAG_LOCAL_READ_WRITE);
	memset(as_ptr(memory), 'm', SIZE);
	assert_ok(doca_dpa_h2d_buf_memcpy(rig->dpa, memory, buffer.buf, SIZE));
	assert_ok(doca_buf_set_data(buffer.buf, buffer.bytes + 1, 0));
	assert_err(doca_dpa_h2d_buf_memcpy(rig->dpa, memory, buffer.buf, SIZE), INVALID_VALUE);
	assert_err(doca_dpa_d2h_buf_memcpy(rig->dpa, buffer.buf, memory, SIZE), INVALID_VALUE);
	assert_err(doca_dpa_h2d_buf_memcpy(rig->dpa, memory + 2, buffer.buf, SIZE - 1),
		   INVALID_VALUE);
	assert_err(doca_dpa_d2h_buf_memcpy(rig->dpa, buffer.buf, memory + 2, SIZE - 1),
		   INVALID_VALUE);
	assert_ok(doca_dpa_d2h_buf_memcpy(rig->dpa, buffer.buf, memory, SIZE - 1));
	buffer_fini(&buffer);
	assert_ok(doca_dpa_mem_free(rig->dpa, memory));
}

static void lists_are_refused(void **state)
{
	struct rig *rig = *state;
	doca_dpa_dev_uintptr_t memory = alloc(rig);
	struct buffer buffer;
	struct doca_buf *second;

	buffer_init(&buffer, rig, DOCA_ACCESS_FLAG_LOCAL_READ_WRITE);
	assert_ok(doca_buf_inventory_buf_get_by_addr(buffer.inventory, buffer.mmap, buffer.bytes,
						     SIZE, &second));
	assert_ok(doca_buf_chain_list(buffer.buf, second));
	assert_err(doca_dpa_h2d_buf_memcpy(rig->dpa, memory, buffer.buf, 8), NOT_SUPPORTED);
	assert_err(doca_dpa_d2h_buf_memcpy(rig->dpa, buffer.buf, memory, 8), NOT_SUPPORTED);
	buffer_fini(&buffer);
	assert_ok(doca_dpa_mem_free(rig->dpa, memory));
}

static void permissions_of_the_map_count(void **state)
{
	struct rig *rig = *state;
	doca_dpa_dev_uintptr_t memory = alloc(rig);
	struct buffer buffer;

	buffer_init(&buffer, rig, DOCA_ACCESS_FLAG_LOCAL_READ_ONLY);
	assert_ok(doca_dpa_h2d_buf_memcpy(rig->dpa, memory, buffer.buf, 8));
	memset(as_ptr(memory), 'm', SIZE);
	assert_err(doca_dpa_d2h_buf_memcpy(rig->dpa, buffer.buf, memory, 8), NOT_PERMITTED);
	assert_int_equal(buffer.bytes[0], 'b');
	buffer_fini(&buffer);
	assert_ok(doca_dpa_mem_free(rig->dpa, memory));
}

/* A buffer whose memory is exported by the host, imported by the DPU, both in this process. */
struct theirs {
	struct buffer buffer; /* the exporter's */
	struct doca_dev *host;
	struct doca_mmap *exported, *imported;
	struct doca_buf *buf; /* of the import, without data */
};

static void theirs_init(struct theirs *theirs, struct rig *rig, uint32_t permissions)
{
	const void *blob;
	size_t size;

	buffer_init(&theirs->buffer, rig, DOCA_ACCESS_FLAG_LOCAL_READ_WRITE);
	theirs->host = open_dev(HOST_PF0);
	assert_ok(doca_mmap_create(&theirs->exported));
	assert_ok(doca_mmap_add_dev(theirs->exported, theirs->host));
	assert_ok(doca_mmap_set_memrange(theirs->exported, theirs->buffer.bytes, SIZE));
	assert_ok(doca_mmap_set_permissions(theirs->exported, permissions));
	assert_ok(doca_mmap_start(theirs->exported));
	if (permissions & DOCA_ACCESS_FLAG_PCI_READ_WRITE)
		assert_ok(doca_mmap_export_pci(theirs->exported, theirs->host, &blob, &size));
	else
		assert_ok(doca_mmap_export_rdma(theirs->exported, theirs->host, &blob, &size));
	assert_ok(doca_mmap_create_from_export(NULL, blob, size, rig->dev, &theirs->imported));
	assert_ok(doca_buf_inventory_buf_get_by_addr(theirs->buffer.inventory, theirs->imported,
						     theirs->buffer.bytes, SIZE, &theirs->buf));
}

/* The exported map is destroyed already. */
static void theirs_fini(struct theirs *theirs)
{
	assert_ok(doca_buf_dec_refcount(theirs->buf, NULL));
	assert_ok(doca_mmap_destroy(theirs->imported));
	buffer_fini(&theirs->buffer);
	assert_ok(doca_dev_close(theirs->host));
}

static void memory_of_the_other_side_is_reached(void **state)
{
	struct rig *rig = *state;
	doca_dpa_dev_uintptr_t memory = alloc(rig);
	struct theirs theirs;
	char *bytes;

	theirs_init(&theirs, rig, DOCA_ACCESS_FLAG_PCI_READ_WRITE);
	bytes = theirs.buffer.bytes + 3;
	assert_ok(doca_buf_set_data(theirs.buf, bytes, SIZE - 3));
	strcpy(bytes, "theirs");
	assert_ok(doca_dpa_h2d_buf_memcpy(rig->dpa, memory, theirs.buf, 7));
	assert_string_equal(as_ptr(memory), "theirs");
	strcpy(as_ptr(memory), "ours");
	assert_ok(doca_dpa_d2h_buf_memcpy(rig->dpa, theirs.buf, memory, 5));
	assert_string_equal(bytes, "ours");
	assert_ok(doca_mmap_destroy(theirs.exported));
	assert_err(doca_dpa_h2d_buf_memcpy(rig->dpa, memory, theirs.buf, 7), CONNECTION_RESET);
	assert_err(doca_dpa_d2h_buf_memcpy(rig->dpa, theirs.buf, memory, 7), CONNECTION_RESET);
	theirs_fini(&theirs);
	assert_ok(doca_dpa_mem_free(rig->dpa, memory));
}

static void memory_that_may_only_be_written_is_not_read(void **state)
{
	struct rig *rig = *state;
	doca_dpa_dev_uintptr_t memory = alloc(rig);
	struct theirs theirs;

	theirs_init(&theirs, rig, DOCA_ACCESS_FLAG_RDMA_WRITE);
	strcpy(as_ptr(memory), "ours");
	assert_err(doca_dpa_h2d_buf_memcpy(rig->dpa, memory, theirs.buf, 5), NOT_PERMITTED);
	assert_ok(doca_dpa_d2h_buf_memcpy(rig->dpa, theirs.buf, memory, 5));
	assert_string_equal(theirs.buffer.bytes, "ours");
	assert_ok(doca_mmap_destroy(theirs.exported));
	theirs_fini(&theirs);
	assert_ok(doca_dpa_mem_free(rig->dpa, memory));
}

/*
 * A thread-safe map may be destroyed while another thread copies to it or from it.
 */
#define LONG ((size_t)32 << 20)

struct destroyer {
	pthread_t thread;
	struct doca_mmap *mmap;
	_Atomic unsigned int copies;
};

static void *destroy_in_a_copy(void *arg)
{
	struct destroyer *destroyer = arg;

	while (!atomic_load(&destroyer->copies))
		sched_yield();
	must(!doca_mmap_destroy(destroyer->mmap));
	return NULL;
}

static void copy_until_destroyed(struct rig *rig, doca_dpa_dev_uintptr_t memory, bool to_buf)
{
	struct destroyer destroyer = {.copies = 0};
	struct doca_buf_inventory *inventory;
	struct doca_buf *buf;
	doca_error_t err;
	char *bytes = mmap(NULL, LONG, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	assert_true(bytes != MAP_FAILED);
	assert_ok(doca_mmap_create(&destroyer.mmap));
	assert_ok(doca_mmap_set_memrange(destroyer.mmap, bytes, LONG));
	assert_ok(doca_mmap_set_free_cb(destroyer.mmap, forbid, NULL));
	assert_ok(doca_mmap_enable_thread_safety(destroyer.mmap));
	assert_ok(doca_mmap_start(destroyer.mmap));
	assert_ok(doca_buf_inventory_create(1, &inventory));
	assert_ok(doca_buf_inventory_start(inventory));
	assert_ok(doca_buf_inventory_buf_get_by_data(inventory, destroyer.mmap, bytes, LONG, &buf));
	must(!pthread_create(&destroyer.thread, NULL, destroy_in_a_copy, &destroyer));
	do {
		atomic_fetch_add(&destroyer.copies, 1);
		err = to_buf ? doca_dpa_d2h_buf_memcpy(rig->dpa, buf, memory, LONG)
			     : doca_dpa_h2d_buf_memcpy(rig->dpa, memory, buf, LONG);
	} while (!err);
	assert_int_equal(err, DOCA_ERROR_BAD_STATE);
	must(!pthread_join(destroyer.thread, NULL));
	assert_ok(doca_buf_dec_refcount(buf, NULL));
	assert_ok(doca_buf_inventory_destroy(inventory));
	munmap(bytes, LONG);
}

static void maps_are_destroyed_while_they_are_copied(void **state)
{
	struct rig *rig = *state;
	doca_dpa_dev_uintptr_t memory;

	assert_ok(doca_dpa_mem_alloc(rig->dpa, LONG, &memory));
	for (int i = 0; i < 4; i++)
		copy_until_destroyed(rig, memory, i % 2);
	assert_ok(doca_dpa_mem_free(rig->dpa, memory));
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(arguments_are_checked),
		TEST(a_context_that_is_not_started_has_no_memory),
		TEST(it_is_memory_of_the_program),
		TEST(copies_stay_inside_of_an_allocation),
		TEST(only_what_was_allocated_is_freed),
		TEST(each_of_many_is_found_until_it_is_freed),
		TEST(the_log_names_what_is_nearest),
		TEST(freed_memory_stays_a_while),
		TEST(contexts_do_not_share_memory),
		TEST(buffers_are_copied_from_their_data_on),
		TEST(copies_stay_inside_of_a_buffer),
		TEST(lists_are_refused),
		TEST(permissions_of_the_map_count),
		TEST(memory_of_the_other_side_is_reached),
		TEST(memory_that_may_only_be_written_is_not_read),
		TEST(maps_are_destroyed_while_they_are_copied),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
