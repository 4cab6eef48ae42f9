/* SPDX-License-Identifier: BSD-3-Clause */
/* A wrong topology: no device at all, never the built-in ones. */
#include "devtest.h"

#include <doca_log.h>
#include <stdlib.h>
#include <string.h>
#include "said.h"
#include "topo/topo.h"

enum reader { READER_NONE, READER_BACKEND, READER_VARIABLE, READER_CALLER };

static void list_devices(struct child *parent, void *arg)
{
	enum reader reader = *(enum reader *)arg;
	struct doca_log_backend *backend;
	struct doca_devinfo **list;
	uint32_t count;

	(void)parent;
	if (reader == READER_BACKEND)
		doca_log_backend_create_with_fd_sdk(STDERR_FILENO, &backend);
	if (reader == READER_VARIABLE)
		setenv("SOFTFIELD_LOG", "disable", 1);
	if (reader == READER_CALLER)
		priv_topo_why();
	for (int i = 0; i < 2 && reader != READER_CALLER; i++)
		doca_devinfo_create_list(&list, &count);
}

/* before the first use in this process: it is told once */
static void reason_is_told_once_with_and_without_a_log(void **state)
{
	static const char line[] = "wrong topology, no device will be found: "
				   "/nonexistent/topology.json: No such file or directory\n";
	char said[SAID_SIZE];

	(void)state;
	listen_to(list_devices, &(enum reader){READER_NONE}, said);
	assert_memory_equal(said, "softfield: ", strlen("softfield: "));
	assert_string_equal(said + strlen("softfield: "), line);
	listen_to(list_devices, &(enum reader){READER_BACKEND}, said);
	assert_non_null(strstr(said, "[ERR]"));
	assert_string_equal(strstr(said, "wrong topology"), line);
	listen_to(list_devices, &(enum reader){READER_VARIABLE}, said);
	assert_string_equal(said, "");
	listen_to(list_devices, &(enum reader){READER_CALLER}, said);
	assert_string_equal(said, "");
}

static void no_device_is_found(void **state)
{
	struct doca_devinfo **list = NULL;
	uint32_t count = 9;

	(void)state;
	for (int i = 0; i < 2; i++)
		assert_int_equal(doca_devinfo_create_list(&list, &count), DOCA_ERROR_NOT_FOUND);
	assert_null(list);
	assert_int_equal(count, 9);
}

static void limits_are_the_built_in_ones(void **state)
{
	const struct topo *topo = NULL;

	(void)state;
	assert_int_equal(priv_topo_get(&topo), DOCA_ERROR_BAD_CONFIG);
	assert_null(topo);
	assert_string_equal(priv_topo_why(),
			    "/nonexistent/topology.json: No such file or directory");
	assert_int_equal(priv_topo_limits()->comch_max_msg_size, 4080);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(reason_is_told_once_with_and_without_a_log),
		cmocka_unit_test(no_device_is_found),
		cmocka_unit_test(limits_are_the_built_in_ones),
	};

	unsetenv("SOFTFIELD_LOG");
	setenv("SOFTFIELD_TOPOLOGY", "/nonexistent/topology.json", 1);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
