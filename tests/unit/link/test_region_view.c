/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What becomes of an importer's views: places that are given back, and kept.
 */
#include "test.h"

#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>
#include "allowed.h"
#include "child.h"
#include "base/memfd.h"
#include "link/region.h"

#define SIZE ((size_t)4 * 4096)

/* Exports SIZE bytes of 'c' until it is told to end. */
static void export_memory(struct child *parent, void *arg)
{
	char *memory = mmap(NULL, SIZE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	struct region_export *region;
	char order;

	(void)arg;
	memset(memory, 'c', SIZE);
	if (region_export_create(memory, SIZE, REGION_READ | REGION_WRITE, TAKEOVER_DONE, &region))
		_exit(1);
	child_send(parent, region_export_blob(region), REGION_BLOB_SIZE);
	child_receive(parent, &order, 1);
	region_export_destroy(region);
}

static struct child exporter(struct region_desc *ret_desc)
{
	uint8_t blob[REGION_BLOB_SIZE];
	struct child child;

	need_process_vm();
	child = child_start(export_memory, NULL);
	child_receive(&child, blob, sizeof(blob));
	assert_ok(region_blob_decode(blob, sizeof(blob), ret_desc));
	return child;
}

static void end(struct child *child)
{
	child_send(child, "q", 1);
	assert_int_equal(child_join(child), 0);
}

/* A file as exporters have it, here of this process. */
static struct region_view view_own_file(int *ret_fd)
{
	struct region_view_source source = {.addr = SIZE, .size = SIZE, .writable = true};
	struct region_view view;
	struct stat st;

	assert_ok(priv_memfd_create_sparse(anchor_kind_name(ANCHOR_PAGES), 4 * SIZE, 0, ret_fd));
	assert_int_equal(fstat(*ret_fd, &st), 0);
	source.inode = st.st_ino;
	source.file = (struct anchor_ref){.pid = (uint32_t)getpid(), .fd = (uint32_t)*ret_fd};
	view = region_view_open(&source);
	assert_int_equal(view.obstacle, TAKEOVER_DONE);
	return view;
}

static bool is_mapped(void *addr)
{
	unsigned char there;

	return !mincore(addr, 4096, &there);
}

static void a_view_goes_when_it_is_closed(void **state)
{
	struct region_view view;
	int fd;

	(void)state;
	view = view_own_file(&fd);
	assert_true(is_mapped(view.addr));
	region_view_close(&view);
	assert_false(is_mapped(view.addr));
	close(fd);
}

/* Who comes late finds zeros, and does no harm; the next view of that size lies there. */
static void one_whose_addresses_are_known_leaves_its_place(void **state)
{
	struct region_desc desc;
	struct child child = exporter(&desc);
	struct region_remote *remote;
	char *addr;

	(void)state;
	assert_ok(region_attach(&desc, &remote));
	addr = region_remote_view(remote)->addr;
	assert_non_null(addr);
	assert_int_equal(addr[7], 'c');
	region_detach(remote);
	assert_int_equal(addr[7], 0);
	addr[7] = 'x';
	assert_ok(region_attach(&desc, &remote));
	assert_ptr_equal(region_remote_view(remote)->addr, addr);
	assert_int_equal(addr[7], 'c');
	region_detach(remote);
	assert_int_equal(addr[7], 0);
	end(&child);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_view_goes_when_it_is_closed),
		cmocka_unit_test(one_whose_addresses_are_known_leaves_its_place),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
