/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What becomes of an importer's views: places that are given back, and kept.
 */
#include "test.h"

#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include "child.h"
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
	struct child child = child_start(export_memory, NULL);
	uint8_t blob[REGION_BLOB_SIZE];

	child_receive(&child, blob, sizeof(blob));
	assert_ok(region_blob_decode(blob, sizeof(blob), ret_desc));
	return child;
}

static void end(struct child *child)
{
	child_send(child, "q", 1);
	assert_int_equal(child_join(child), 0);
}

static size_t count_mappings(void)
{
	FILE *maps = fopen("/proc/self/maps", "re");
	size_t count = 0;
	int c;

	assert_non_null(maps);
	while ((c = fgetc(maps)) != EOF)
		count += c == '\n';
	fclose(maps);
	return count;
}

/* Before the other test, which leaves a place that would be used again. */
static void a_view_goes_when_it_is_closed(void **state)
{
	struct region_desc desc;
	struct child child = exporter(&desc);
	struct region_remote *remote;
	size_t before;
	char byte;

	(void)state;
	count_mappings(); /* takes what stdio needs */
	before = count_mappings();
	assert_ok(region_attach(&desc, &remote));
	assert_ok(priv_region_read(remote, SIZE - 1, &byte, 1));
	assert_int_equal(byte, 'c');
	assert_true(count_mappings() > before);
	region_detach(remote);
	assert_int_equal(count_mappings(), before);
	end(&child);
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
