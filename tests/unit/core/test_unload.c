/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Plugins come and go with their libraries. Ours stay: they have memory of threads, of which the C
 * library has little, and of its own.
 *
 * usage: test_unload LIBRARY...
 */
#include "test.h"

#include <dlfcn.h>
#include <malloc.h>

static char **libraries;

static void load_and_unload(const char *library)
{
	void *handle = dlopen(library, RTLD_NOW | RTLD_LOCAL);
	int (*create)(void **engine), (*destroy)(void *engine);
	void *engine;

	assert_non_null(handle);
	create = (int (*)(void **))dlsym(handle, "doca_pe_create");
	destroy = (int (*)(void *))dlsym(handle, "doca_pe_destroy");
	assert_true(create && destroy);
	assert_int_equal(create(&engine), 0);
	assert_int_equal(destroy(engine), 0);
	assert_int_equal(dlclose(handle), 0);
}

static void loading_again_takes_no_memory(void **state)
{
	(void)state;
	for (char **library = libraries; *library; library++) {
		size_t before;

		load_and_unload(*library);
		before = mallinfo2().uordblks;
		for (unsigned int i = 0; i < 10; i++)
			load_and_unload(*library);
		assert_int_equal(mallinfo2().uordblks, before);
	}
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(loading_again_takes_no_memory),
	};

	(void)argc;
	libraries = argv + 1;
	return cmocka_run_group_tests(tests, NULL, NULL);
}
