/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Shared memory between two parties: one mapping in one process, and gone with its last user.
 */
#include "test.h"

#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include "leak.h"
#include "base/memfd.h"
#include "link/link.h"

static int copy_of(int fd)
{
	return fcntl(fd, F_DUPFD_CLOEXEC, 0);
}

static void both_ends_in_one_process_use_one_mapping(void **state)
{
	struct link_mem *created, *attached;

	(void)state;
	assert_ok(priv_link_mem_create("softfield-test", 8192, 8192, &created));
	assert_int_equal(created->size, 8192);
	assert_ok(priv_link_mem_attach(copy_of(created->fd), &attached));
	assert_ptr_equal(attached->addr, created->addr);
	/* Whoever goes first leaves it to the other. */
	priv_link_mem_unref(created);
	memset(attached->addr, 1, attached->size);
	priv_link_mem_unref(attached);
}

static void memory_of_others_is_mapped(void **state)
{
	struct link_mem *attached;
	uint8_t *other;
	int fd;

	(void)state;
	assert_ok(priv_memfd_create("softfield-test", 4096, &fd));
	other = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	assert_true(other != MAP_FAILED);
	assert_ok(priv_link_mem_attach(fd, &attached));
	assert_ptr_not_equal(attached->addr, other);
	*(uint8_t *)attached->addr = 42;
	assert_int_equal(*other, 42);
	priv_link_mem_unref(attached);
	munmap(other, 4096);
}

static void several_are_told_apart(void **state)
{
	struct link_mem *created[3], *attached;
	unsigned int i;

	(void)state;
	for (i = 0; i < 3; i++)
		assert_ok(priv_link_mem_create("softfield-test", 4096, 4096, &created[i]));
	for (i = 0; i < 3; i++) {
		assert_ok(priv_link_mem_attach(copy_of(created[i]->fd), &attached));
		assert_ptr_equal(attached, created[i]);
		priv_link_mem_unref(attached);
	}
	for (i = 0; i < 3; i++)
		priv_link_mem_unref(created[(i + 1) % 3]);
}

static void a_refused_descriptor_is_closed(void **state)
{
	struct link_mem *attached = NULL;
	int fd = memfd_create("softfield-test", MFD_CLOEXEC | MFD_ALLOW_SEALING);

	(void)state;
	assert_err(priv_link_mem_attach(fd, &attached), INVALID_VALUE);
	assert_null(attached);
	assert_int_equal(fcntl(fd, F_GETFD), -1);
	priv_link_mem_unref(NULL);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, leak_setup, leak_teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(both_ends_in_one_process_use_one_mapping),
		TEST(memory_of_others_is_mapped),
		TEST(several_are_told_apart),
		TEST(a_refused_descriptor_is_closed),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
