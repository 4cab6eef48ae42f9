/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Plugins come and go with their libraries. Ours stay: they have memory of threads, of which the C
 * library has little, and of its own; and they know of each other.
 *
 * usage: test_unload LIBRARY...
 */
#include "test.h"

#include <dlfcn.h>
#include <malloc.h>
#include <stdbool.h>
#include <sys/wait.h>
#include <unistd.h>

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

static bool leave_endpoint(const char *library)
{
	void *handle = dlopen(library, RTLD_NOW | RTLD_LOCAL), *ep;
	int (*create)(void **ep);

	assert_non_null(handle);
	create = (int (*)(void **))dlsym(handle, "doca_comm_channel_ep_create");
	if (create)
		assert_int_equal(create(&ep), 0);
	assert_int_equal(dlclose(handle), 0);
	return create != NULL;
}

/* A child closes what its parent has open. */
static void a_child_may_have_what_a_plugin_has_left(void **state)
{
	unsigned int left = 0;
	int status, pid;

	(void)state;
	for (char **library = libraries; *library; library++)
		left += leave_endpoint(*library);
	assert_int_equal(left, 1);
	pid = fork();
	if (!pid)
		_exit(0);
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_int_equal(status, 0);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(loading_again_takes_no_memory),
		cmocka_unit_test(a_child_may_have_what_a_plugin_has_left),
	};

	(void)argc;
	libraries = argv + 1;
	return cmocka_run_group_tests(tests, NULL, NULL);
}
