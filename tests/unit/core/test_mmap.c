/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Memory maps: what may be called when, permissions, export and import within the process.
 */
#include "memtest.h"

#include <limits.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>
#include "child.h"
#include "core/mmap.h"
#include "doca_log.h"
#include "pages.h"
#include "said.h"
#include "valgrind.h"

#define HOST_DEV "b1:00.0"
#define DPU_DEV	 "03:00.0"

static char memory[256];

struct rig {
	struct doca_dev *dev;
	struct doca_mmap *mmap; /* of memory, with the device; not started */
};

static int set_up(void **state)
{
	struct rig *rig = malloc(sizeof(*rig));

	rig->dev = open_dev(HOST_DEV);
	assert_non_null(rig->dev);
	assert_ok(doca_mmap_create(&rig->mmap));
	assert_ok(doca_mmap_set_memrange(rig->mmap, memory, sizeof(memory)));
	assert_ok(doca_mmap_add_dev(rig->mmap, rig->dev));
	*state = rig;
	return 0;
}

/* Closing the device fails if a map still uses it. */
static int tear_down(void **state)
{
	struct rig *rig = *state;

	if (rig->mmap)
		assert_ok(doca_mmap_destroy(rig->mmap));
	assert_ok(doca_dev_close(rig->dev));
	free(rig);
	return 0;
}

static doca_error_t export_pci(struct rig *rig, const void **blob, size_t *size)
{
	return doca_mmap_export_pci(rig->mmap, rig->dev, blob, size);
}

/*
 * Configuration
 */

static void null_is_refused(void **state)
{
	struct rig *rig = *state;
	union doca_data data = {0};
	const void *blob;
	uint32_t number;
	uint8_t flag;
	size_t size;
	void *addr;

	assert_err(doca_mmap_create(NULL), INVALID_VALUE);
	assert_err(doca_mmap_destroy(NULL), INVALID_VALUE);
	assert_err(doca_mmap_start(NULL), INVALID_VALUE);
	assert_err(doca_mmap_stop(NULL), INVALID_VALUE);
	assert_err(doca_mmap_add_dev(NULL, rig->dev), INVALID_VALUE);
	assert_err(doca_mmap_add_dev(rig->mmap, NULL), INVALID_VALUE);
	assert_err(doca_mmap_rm_dev(NULL, rig->dev), INVALID_VALUE);
	assert_err(doca_mmap_rm_dev(rig->mmap, NULL), INVALID_VALUE);
	assert_err(doca_mmap_set_memrange(NULL, memory, 1), INVALID_VALUE);
	assert_err(doca_mmap_get_memrange(rig->mmap, NULL, &size), INVALID_VALUE);
	assert_err(doca_mmap_get_memrange(rig->mmap, &addr, NULL), INVALID_VALUE);
	assert_err(doca_mmap_get_memrange(NULL, &addr, &size), INVALID_VALUE);
	assert_err(doca_mmap_set_free_cb(NULL, NULL, NULL), INVALID_VALUE);
	assert_err(doca_mmap_set_free_cb(rig->mmap, NULL, NULL), INVALID_VALUE);
	assert_err(doca_mmap_set_user_data(NULL, data), INVALID_VALUE);
	assert_err(doca_mmap_get_user_data(rig->mmap, NULL), INVALID_VALUE);
	assert_err(doca_mmap_get_user_data(NULL, &data), INVALID_VALUE);
	assert_err(doca_mmap_set_max_num_devices(NULL, 1), INVALID_VALUE);
	assert_err(doca_mmap_get_max_num_devices(NULL, &number), INVALID_VALUE);
	assert_err(doca_mmap_get_max_num_devices(rig->mmap, NULL), INVALID_VALUE);
	assert_err(doca_mmap_get_num_bufs(rig->mmap, NULL), INVALID_VALUE);
	assert_err(doca_mmap_get_exported(NULL, &flag), INVALID_VALUE);
	assert_err(doca_mmap_get_from_export(rig->mmap, NULL), INVALID_VALUE);
	assert_err(doca_mmap_set_permissions(NULL, 0), INVALID_VALUE);
	assert_err(doca_mmap_enable_thread_safety(NULL), INVALID_VALUE);
	assert_err(doca_mmap_export_pci(NULL, rig->dev, &blob, &size), INVALID_VALUE);
	assert_err(doca_mmap_export_pci(rig->mmap, NULL, &blob, &size), INVALID_VALUE);
	assert_err(doca_mmap_export_pci(rig->mmap, rig->dev, NULL, &size), INVALID_VALUE);
	assert_err(doca_mmap_export_rdma(rig->mmap, rig->dev, &blob, NULL), INVALID_VALUE);
	assert_err(doca_mmap_cap_is_export_pci_supported(NULL, &flag), INVALID_VALUE);
	assert_err(doca_mmap_cap_is_create_from_export_pci_supported(doca_dev_as_devinfo(rig->dev),
								     NULL),
		   INVALID_VALUE);
}

static void memrange_is_set_once(void **state)
{
	struct doca_mmap *mmap;
	size_t len = 9;
	void *addr;

	(void)state;
	assert_ok(doca_mmap_create(&mmap));
	assert_err(doca_mmap_get_memrange(mmap, &addr, &len), BAD_STATE);
	assert_err(doca_mmap_start(mmap), INVALID_VALUE);
	assert_err(doca_mmap_set_memrange(mmap, NULL, 1), INVALID_VALUE);
	assert_err(doca_mmap_set_memrange(mmap, memory, 0), INVALID_VALUE);
	assert_err(doca_mmap_set_memrange(mmap, memory, SIZE_MAX), INVALID_VALUE);
	assert_err(doca_mmap_set_dmabuf_memrange(mmap, -1, memory, 0, 1), INVALID_VALUE);
	assert_err(doca_mmap_set_dmabuf_memrange(mmap, INT_MAX, memory, 0, 1), INVALID_VALUE);
	assert_err(doca_mmap_set_dpa_memrange(mmap, NULL, 1, 1), INVALID_VALUE);
	assert_ok(doca_mmap_set_memrange(mmap, memory + 3, 5));
	assert_err(doca_mmap_set_memrange(mmap, memory, 1), NOT_PERMITTED);
	assert_err(doca_mmap_set_dmabuf_memrange(mmap, 0, memory, 0, 1), NOT_PERMITTED);
	assert_ok(doca_mmap_get_memrange(mmap, &addr, &len));
	assert_ptr_equal(addr, memory + 3);
	assert_int_equal(len, 5);
	assert_ok(doca_mmap_start(mmap));
	assert_err(doca_mmap_set_memrange(mmap, memory, 1), BAD_STATE);
	assert_ok(doca_mmap_destroy(mmap));
}

static void start_without_memory(struct child *parent, void *arg)
{
	struct doca_log_backend *backend;

	(void)parent;
	assert_ok(doca_log_backend_create_with_fd_sdk(STDERR_FILENO, &backend));
	assert_err(doca_mmap_start(arg), INVALID_VALUE);
}

static void a_map_without_memory_says_so(void **state)
{
	struct doca_mmap *mmap;
	char said[SAID_SIZE];

	(void)state;
	assert_ok(doca_mmap_create(&mmap));
	listen_to(start_without_memory, mmap, said);
	assert_non_null(strstr(said, "it has no memory, see doca_mmap_set_memrange()"));
	assert_ok(doca_mmap_destroy(mmap));
}

/* As on a card, and not when a copy comes to the hole. */
static void memory_with_holes_is_refused(void **state)
{
	const size_t page = (size_t)getpagesize();
	const size_t count = 3 * 8192; /* it looks at a third of them at once */
	const int flags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE;
	const size_t holes[] = {0, 1, 8191, 8192, count - 1};
	struct rig *rig = *state;
	struct doca_mmap *map;
	char *area;

	for (size_t i = 0; i < sizeof(holes) / sizeof(holes[0]); i++) {
		area = mmap(NULL, count * page, PROT_READ | PROT_WRITE, flags, -1, 0);
		assert_ptr_not_equal(area, MAP_FAILED);
		assert_ok(doca_mmap_create(&map));
		assert_ok(doca_mmap_add_dev(map, rig->dev));
		assert_ok(doca_mmap_set_memrange(map, area + page - 1, (count - 1) * page));
		assert_ok(doca_mmap_start(map));
		assert_ok(doca_mmap_stop(map));
		assert_int_equal(munmap(area + holes[i] * page, page), 0);
		assert_err(doca_mmap_start(map), INVALID_VALUE);
		assert_ok(doca_mmap_rm_dev(map, rig->dev));
		assert_ok(doca_mmap_start(map)); /* no card, nothing is registered */
		assert_int_equal(munmap(area, count * page), 0);
		assert_ok(doca_mmap_destroy(map));
	}
}

static void permissions_are_checked(void **state)
{
	struct rig *rig = *state;
	const uint32_t pci_ro = DOCA_ACCESS_FLAG_PCI_READ_ONLY;
	const uint32_t pci_rw = DOCA_ACCESS_FLAG_PCI_READ_WRITE;

	assert_err(doca_mmap_set_permissions(rig->mmap, pci_ro | pci_rw), INVALID_VALUE);
	assert_err(doca_mmap_set_permissions(rig->mmap, 0x80), INVALID_VALUE);
	assert_err(doca_mmap_set_permissions(rig->mmap, UINT32_MAX), INVALID_VALUE);
	assert_ok(doca_mmap_set_permissions(rig->mmap, 0x7f & ~pci_ro));
	assert_ok(doca_mmap_set_permissions(rig->mmap, 0));
	assert_ok(doca_mmap_start(rig->mmap));
	assert_err(doca_mmap_set_permissions(rig->mmap, 0), BAD_STATE);
}

static void started_maps_are_fixed_and_stopped_ones_not(void **state)
{
	struct rig *rig = *state;
	union doca_data data = {.u64 = 5};

	assert_ok(doca_mmap_start(rig->mmap));
	assert_ok(doca_mmap_start(rig->mmap)); /* again: no change */
	assert_err(doca_mmap_set_user_data(rig->mmap, data), BAD_STATE);
	assert_err(doca_mmap_set_free_cb(rig->mmap, (doca_mmap_memrange_free_cb_t *)abort, NULL),
		   BAD_STATE);
	assert_err(doca_mmap_set_max_num_devices(rig->mmap, 9), NOT_PERMITTED);
	assert_err(doca_mmap_add_dev(rig->mmap, rig->dev), NOT_PERMITTED);
	assert_err(doca_mmap_rm_dev(rig->mmap, rig->dev), NOT_PERMITTED);
	assert_err(doca_mmap_enable_thread_safety(rig->mmap), NOT_PERMITTED);
	assert_ok(doca_mmap_stop(rig->mmap));
	assert_ok(doca_mmap_stop(rig->mmap));
	assert_ok(doca_mmap_set_user_data(rig->mmap, data));
	data.u64 = 0;
	assert_ok(doca_mmap_get_user_data(rig->mmap, &data));
	assert_int_equal(data.u64, 5);
	assert_ok(doca_mmap_start(rig->mmap));
}

static void change_too_late(struct child *parent, void *arg)
{
	struct doca_log_backend *backend;
	struct rig *rig = arg;

	(void)parent;
	assert_ok(doca_log_backend_create_with_fd_sdk(STDERR_FILENO, &backend));
	assert_err(doca_mmap_set_memrange(rig->mmap, memory, 1), NOT_PERMITTED);
	assert_ok(doca_mmap_start(rig->mmap));
	assert_err(doca_mmap_add_dev(rig->mmap, rig->dev), NOT_PERMITTED);
}

static void changes_that_come_too_late_are_told_of(void **state)
{
	char said[SAID_SIZE];

	listen_to(change_too_late, *state, said);
	assert_non_null(strstr(said, "has its memory already"));
	assert_non_null(strstr(said, "cannot be changed: it is started"));
}

static void devices_are_counted(void **state)
{
	struct rig *rig = *state;
	struct doca_dev *second = open_dev(DPU_DEV);
	uint32_t max = 0;

	assert_ok(doca_mmap_get_max_num_devices(rig->mmap, &max));
	assert_true(max >= 2);
	assert_err(doca_mmap_set_max_num_devices(rig->mmap, 0), INVALID_VALUE);
	assert_err(doca_mmap_add_dev(rig->mmap, rig->dev), ALREADY_EXIST);
	assert_ok(doca_mmap_set_max_num_devices(rig->mmap, 1));
	assert_err(doca_mmap_add_dev(rig->mmap, second), NO_MEMORY);
	assert_ok(doca_mmap_set_max_num_devices(rig->mmap, 2));
	assert_ok(doca_mmap_add_dev(rig->mmap, second));
	assert_err(doca_mmap_set_max_num_devices(rig->mmap, 1), INVALID_VALUE);
	assert_err(doca_dev_close(second), IN_USE);
	assert_ok(doca_mmap_rm_dev(rig->mmap, second));
	assert_err(doca_mmap_rm_dev(rig->mmap, second), NOT_FOUND);
	assert_ok(doca_dev_close(second));
	assert_err(doca_dev_close(rig->dev), IN_USE);
}

/*
 * Destroy
 */

static struct {
	void *addr, *cookie;
	size_t len;
	int count;
} freed;

static void note_free(void *addr, size_t len, void *cookie)
{
	freed.addr = addr;
	freed.len = len;
	freed.cookie = cookie;
	freed.count++;
}

static void free_callback_comes_if_it_was_started(void **state)
{
	struct doca_mmap *mmap;

	(void)state;
	for (int started = 0; started < 3; started++) {
		memset(&freed, 0, sizeof(freed));
		assert_ok(doca_mmap_create(&mmap));
		assert_ok(doca_mmap_set_memrange(mmap, memory, 7));
		assert_ok(doca_mmap_set_free_cb(mmap, note_free, &freed));
		if (started > 0)
			assert_ok(doca_mmap_start(mmap));
		if (started > 1)
			assert_ok(doca_mmap_stop(mmap));
		assert_ok(doca_mmap_destroy(mmap));
		assert_int_equal(freed.count, started > 0);
		assert_ptr_equal(freed.addr, started ? memory : NULL);
		assert_int_equal(freed.len, started ? 7 : 0);
		assert_ptr_equal(freed.cookie, started ? &freed : NULL);
	}
}

static void buffers_keep_a_map(void **state)
{
	struct rig *rig = *state;
	struct doca_buf_inventory *inventory = started_inventory(1);
	struct doca_buf *buf;

	assert_ok(doca_mmap_start(rig->mmap));
	assert_ok(doca_buf_inventory_buf_get_by_addr(inventory, rig->mmap, memory, 1, &buf));
	assert_err(doca_mmap_stop(rig->mmap), NOT_PERMITTED);
	assert_err(doca_mmap_destroy(rig->mmap), NOT_PERMITTED);
	assert_int_equal(count_bufs(rig->mmap), 1);
	assert_ok(doca_buf_dec_refcount(buf, NULL));
	assert_ok(doca_mmap_stop(rig->mmap));
	assert_ok(doca_buf_inventory_destroy(inventory));
}

static void buffers_do_not_keep_a_thread_safe_map(void **state)
{
	struct rig *rig = *state;
	struct doca_buf_inventory *inventory = started_inventory(1);
	struct doca_buf *buf;
	void *data;

	assert_ok(doca_mmap_enable_thread_safety(rig->mmap));
	assert_ok(doca_mmap_start(rig->mmap));
	assert_ok(doca_buf_inventory_buf_get_by_addr(inventory, rig->mmap, memory, 1, &buf));
	assert_ok(doca_mmap_destroy(rig->mmap));
	rig->mmap = NULL;
	assert_ok(doca_buf_get_data(buf, &data));
	assert_err(doca_buf_inventory_buf_reuse_by_addr(buf, memory, 1), BAD_STATE);
	assert_ok(doca_buf_dec_refcount(buf, NULL));
	assert_ok(doca_buf_inventory_destroy(inventory));
}

/*
 * Export
 */

static void export_has_conditions(void **state)
{
	struct rig *rig = *state;
	struct doca_dev *other = open_dev(DPU_DEV);
	const void *blob = NULL;
	uint8_t exported = 9;
	size_t size = 0;

	assert_ok(doca_mmap_set_permissions(rig->mmap, DOCA_ACCESS_FLAG_PCI_READ_WRITE));
	assert_err(export_pci(rig, &blob, &size), NOT_PERMITTED); /* not started */
	assert_ok(doca_mmap_start(rig->mmap));
	assert_err(doca_mmap_export_pci(rig->mmap, other, &blob, &size), NOT_FOUND);
	assert_err(doca_mmap_export_rdma(rig->mmap, rig->dev, &blob, &size), NOT_PERMITTED);
	assert_ok(doca_mmap_get_exported(rig->mmap, &exported));
	assert_int_equal(exported, 0);
	assert_ok(doca_mmap_stop(rig->mmap));
	assert_ok(doca_mmap_set_permissions(rig->mmap, DOCA_ACCESS_FLAG_LOCAL_READ_WRITE |
							       DOCA_ACCESS_FLAG_RDMA_READ));
	assert_ok(doca_mmap_start(rig->mmap));
	assert_err(export_pci(rig, &blob, &size), NOT_PERMITTED);
	assert_null(blob);
	assert_ok(doca_mmap_export_rdma(rig->mmap, rig->dev, &blob, &size));
	assert_ok(doca_dev_close(other));
}

static void export_gives_the_same_bytes_again(void **state)
{
	struct rig *rig = *state;
	const void *first, *again;
	size_t first_size, again_size;
	uint8_t exported = 0;

	assert_ok(doca_mmap_set_permissions(rig->mmap, DOCA_ACCESS_FLAG_PCI_READ_ONLY));
	assert_ok(doca_mmap_start(rig->mmap));
	assert_ok(export_pci(rig, &first, &first_size));
	assert_ok(export_pci(rig, &again, &again_size));
	assert_ptr_equal(first, again);
	assert_int_equal(first_size, again_size);
	assert_ok(doca_mmap_get_exported(rig->mmap, &exported));
	assert_int_equal(exported, 1);
	assert_err(doca_mmap_stop(rig->mmap), NOT_PERMITTED);
	assert_err(doca_mmap_start(rig->mmap), NOT_PERMITTED);
}

enum when { NEVER, BEFORE, AFTER };

/* Are whole pages put in place for a peer when all is exported before or after that begins? */
static bool is_put_in_place(struct rig *rig, enum when exported, size_t edge)
{
	const size_t pages = 16 * PAGE;
	char *range = aligned_alloc(PAGE, pages);
	struct window *window;
	struct doca_mmap *mmap;
	const void *blob;
	bool direct = false;
	size_t size;

	memset(range, 1, pages);
	assert_ok(doca_mmap_create(&mmap));
	assert_ok(doca_mmap_set_memrange(mmap, range + edge, pages - 2 * edge));
	assert_ok(doca_mmap_add_dev(mmap, rig->dev));
	assert_ok(doca_mmap_set_permissions(mmap, DOCA_ACCESS_FLAG_PCI_READ_WRITE));
	assert_ok(doca_mmap_start(mmap));
	if (exported == BEFORE)
		assert_ok(doca_mmap_export_pci(mmap, rig->dev, &blob, &size));
	assert_ok(priv_mmap_window(mmap, &window));
	if (exported == AFTER)
		assert_ok(doca_mmap_export_pci(mmap, rig->dev, &blob, &size));
	while (priv_window_prepare(window, range + PAGE, pages - 2 * PAGE, &(unsigned int){1},
				   &direct) == DOCA_ERROR_AGAIN)
		;
	priv_window_unref(window);
	assert_ok(doca_mmap_destroy(mmap));
	free(range);
	return direct;
}

struct inheritance {
	struct doca_mmap *mmap;
	struct window *window;
};

static ino_t memory_of(const struct window *window)
{
	struct stat st;

	assert_int_equal(fstat(window->fd, &st), 0);
	return st.st_ino;
}

static void use_inherited_map(struct child *parent, void *arg)
{
	struct inheritance *inheritance = arg;
	struct window *first, *second;

	(void)parent;
	if (priv_mmap_window(inheritance->mmap, &first) ||
	    priv_mmap_window(inheritance->mmap, &second))
		_exit(1);
	if (first != second)
		_exit(2);
	_exit(memory_of(first) == memory_of(inheritance->window) ? 3 : 0);
}

/* Its peer would write into the parent's memory. */
static void a_child_gives_its_own_peers_a_window_of_its_own(void **state)
{
	const size_t size = 16 * PAGE;
	struct rig *rig = *state;
	char *range = aligned_alloc(PAGE, size);
	struct inheritance inheritance;
	struct child child;
	bool direct;

	memset(range, 1, size);
	assert_ok(doca_mmap_create(&inheritance.mmap));
	assert_ok(doca_mmap_set_memrange(inheritance.mmap, range, size));
	assert_ok(doca_mmap_add_dev(inheritance.mmap, rig->dev));
	assert_ok(doca_mmap_start(inheritance.mmap));
	assert_ok(priv_mmap_window(inheritance.mmap, &inheritance.window));
	while (priv_window_prepare(inheritance.window, range, size, &(unsigned int){1}, &direct) ==
	       DOCA_ERROR_AGAIN)
		;
	child = child_start(use_inherited_map, &inheritance);
	assert_int_equal(child_join(&child), 0);
	priv_window_unref(inheritance.window);
	assert_ok(doca_mmap_destroy(inheritance.mmap));
	free(range);
}

/* An importer has them mapped, or writes by the kernel's copy, which waits for no exchange. */
static void exported_memory_stays_where_it_is(void **state)
{
	if (runs_under_valgrind())
		skip(); /* no memory of its heap can be put in place */
	for (size_t edge = 0; edge <= 64; edge += 64) {
		assert_true(is_put_in_place(*state, NEVER, edge));
		assert_false(is_put_in_place(*state, BEFORE, edge));
		assert_false(is_put_in_place(*state, AFTER, edge));
	}
}

/* The blob as it arrives elsewhere: at another address, and not aligned. */
static doca_error_t import(struct rig *rig, const void *blob, size_t size, struct doca_mmap **mmap)
{
	char copy[512];

	memcpy(copy + 1, blob, size);
	return doca_mmap_create_from_export(NULL, copy + 1, size, rig->dev, mmap);
}

static void imported_maps_are_as_they_are(void **state)
{
	struct rig *rig = *state;
	union doca_data data = {.u64 = 77};
	struct doca_mmap *mmap;
	const void *blob;
	uint8_t flag = 0;
	size_t size, len;
	void *addr;

	assert_ok(doca_mmap_set_permissions(rig->mmap, DOCA_ACCESS_FLAG_PCI_READ_WRITE));
	assert_ok(doca_mmap_start(rig->mmap));
	assert_ok(export_pci(rig, &blob, &size));
	assert_ok(doca_mmap_create_from_export(&data, blob, size, rig->dev, &mmap));
	assert_ok(doca_mmap_get_memrange(mmap, &addr, &len));
	assert_ptr_equal(addr, memory);
	assert_int_equal(len, sizeof(memory));
	assert_ok(doca_mmap_get_from_export(mmap, &flag));
	assert_int_equal(flag, 1);
	assert_ok(doca_mmap_get_exported(mmap, &flag));
	assert_int_equal(flag, 0);
	data.u64 = 0;
	assert_ok(doca_mmap_get_user_data(mmap, &data));
	assert_int_equal(data.u64, 77);

	assert_ok(doca_mmap_start(mmap));
	assert_err(doca_mmap_stop(mmap), NOT_PERMITTED);
	assert_err(doca_mmap_set_memrange(mmap, memory, 1), NOT_PERMITTED);
	assert_err(doca_mmap_set_permissions(mmap, 0), BAD_STATE);
	assert_err(doca_mmap_set_user_data(mmap, data), BAD_STATE);
	assert_err(doca_mmap_set_max_num_devices(mmap, 4), NOT_PERMITTED);
	assert_err(doca_mmap_add_dev(mmap, rig->dev), NOT_PERMITTED);
	assert_err(doca_mmap_rm_dev(mmap, rig->dev), NOT_PERMITTED);
	assert_err(doca_mmap_enable_thread_safety(mmap), NOT_PERMITTED);
	assert_err(doca_mmap_export_pci(mmap, rig->dev, &blob, &size), NOT_PERMITTED);
	assert_ok(doca_mmap_destroy(mmap));
}

static void wrong_blobs_are_refused(void **state)
{
	struct rig *rig = *state;
	struct doca_mmap *mmap = NULL;
	char blob[512] = "";
	const void *good;
	size_t size;

	assert_ok(doca_mmap_set_permissions(rig->mmap, DOCA_ACCESS_FLAG_PCI_READ_ONLY));
	assert_ok(doca_mmap_start(rig->mmap));
	assert_ok(export_pci(rig, &good, &size));
	assert_true(size <= 512); /* the size of the samples' buffers */
	memcpy(blob, good, size);
	assert_err(import(rig, "", 1, &mmap), INVALID_VALUE);
	assert_err(import(rig, blob, size - 1, &mmap), INVALID_VALUE);
	assert_err(doca_mmap_create_from_export(NULL, blob, 0, rig->dev, &mmap), INVALID_VALUE);
	assert_err(doca_mmap_create_from_export(NULL, blob, SIZE_MAX, rig->dev, &mmap),
		   INVALID_VALUE);
	assert_err(doca_mmap_create_from_export(NULL, NULL, size, rig->dev, &mmap), INVALID_VALUE);
	assert_err(doca_mmap_create_from_export(NULL, blob, size, NULL, &mmap), INVALID_VALUE);
	assert_err(doca_mmap_create_from_export(NULL, blob, size, rig->dev, NULL), INVALID_VALUE);
	blob[size / 2] ^= 1;
	assert_err(import(rig, blob, size, &mmap), INVALID_VALUE);
	blob[size / 2] ^= 1;
	assert_ok(doca_mmap_destroy(rig->mmap));
	rig->mmap = NULL;
	assert_err(import(rig, blob, size, &mmap), DRIVER); /* sound, but stale */
	assert_null(mmap);
}

static void every_device_exports_and_imports(void **state)
{
	struct rig *rig = *state;
	struct doca_dev *dpu = open_dev(DPU_DEV);
	uint8_t can = 0;

	assert_ok(doca_mmap_cap_is_export_pci_supported(doca_dev_as_devinfo(rig->dev), &can));
	assert_int_equal(can, 1);
	assert_ok(
		doca_mmap_cap_is_create_from_export_pci_supported(doca_dev_as_devinfo(dpu), &can));
	assert_int_equal(can, 1);
	assert_ok(doca_dev_close(dpu));
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
	const struct CMUnitTest tests[] = {
		TEST(null_is_refused),
		cmocka_unit_test(memrange_is_set_once),
		cmocka_unit_test(a_map_without_memory_says_so),
		TEST(memory_with_holes_is_refused),
		TEST(permissions_are_checked),
		TEST(started_maps_are_fixed_and_stopped_ones_not),
		TEST(changes_that_come_too_late_are_told_of),
		TEST(devices_are_counted),
		cmocka_unit_test(free_callback_comes_if_it_was_started),
		TEST(buffers_keep_a_map),
		TEST(buffers_do_not_keep_a_thread_safe_map),
		TEST(export_has_conditions),
		TEST(export_gives_the_same_bytes_again),
		TEST(a_child_gives_its_own_peers_a_window_of_its_own),
		TEST(exported_memory_stays_where_it_is),
		TEST(imported_maps_are_as_they_are),
		TEST(wrong_blobs_are_refused),
		TEST(every_device_exports_and_imports),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
