/* SPDX-License-Identifier: BSD-3-Clause */
/* Files, the topology of the process, PCI addresses. */
#include <stdlib.h>
#include <sys/resource.h>
#include <unistd.h>

#include "topotest.h"

/* a file with this content, for one test */
static void write_file(char path[32], const void *content, size_t size)
{
	int fd;

	strcpy(path, "/tmp/topo-test-XXXXXX");
	fd = mkstemp(path);
	assert_true(fd >= 0);
	assert_int_equal(write(fd, content, size), size);
	close(fd);
}

static void file_is_read(void **state)
{
	static const char text[] = "{\"cards\":[]}";
	struct topo *topo = NULL;
	struct topo_why why = {""};
	char path[32];

	(void)state;
	write_file(path, text, strlen(text));
	assert_int_equal(priv_topo_load(path, &topo, &why), DOCA_SUCCESS);
	assert_string_equal(topo->source, path);
	assert_int_equal(topo->card_count, 0);
	priv_topo_free(topo);
	unlink(path);
}

static void reading_raises_the_limit_of_open_files(void **state)
{
	static const char text[] = "{\"cards\":[]}";
	struct topo *topo = NULL;
	struct topo_why why = {""};
	struct rlimit before, low;
	doca_error_t err;
	char path[32];

	(void)state;
	write_file(path, text, strlen(text));
	assert_int_equal(getrlimit(RLIMIT_NOFILE, &before), 0);
	low = before;
	low.rlim_cur = 3;
	assert_int_equal(setrlimit(RLIMIT_NOFILE, &low), 0);
	err = priv_topo_load(path, &topo, &why);
	assert_int_equal(setrlimit(RLIMIT_NOFILE, &before), 0);
	assert_int_equal(err, DOCA_SUCCESS);
	priv_topo_free(topo);
	unlink(path);
}

static void unreadable_files_are_refused(void **state)
{
	struct topo *topo = NULL;
	struct topo_why why = {""};
	char path[32];

	(void)state;
	assert_int_equal(priv_topo_load("/nonexistent/t.json", &topo, &why), DOCA_ERROR_BAD_CONFIG);
	assert_string_equal(why.text, "/nonexistent/t.json: No such file or directory");
	assert_int_equal(priv_topo_load("/", &topo, &why), DOCA_ERROR_BAD_CONFIG);
	assert_string_equal(why.text, "/: Is a directory");

	write_file(path, "{\"cards\"\0:[]}", 13);
	assert_int_equal(priv_topo_load(path, &topo, &why), DOCA_ERROR_BAD_CONFIG);
	assert_true(ends_with(why.text, "has a zero byte in it: not a text file"));
	assert_int_equal(truncate(path, (1 << 20) + 1), 0);
	assert_int_equal(priv_topo_load(path, &topo, &why), DOCA_ERROR_BAD_CONFIG);
	assert_true(ends_with(why.text, "larger than 1048576 bytes"));
	assert_null(topo);
	unlink(path);
}

static void process_has_one_topology(void **state)
{
	const struct topo *first = NULL, *second = NULL;

	(void)state;
	assert_int_equal(priv_topo_get(&first), DOCA_SUCCESS);
	setenv("SOFTFIELD_LIMITS", "max_clients=9", 1); /* too late */
	assert_int_equal(priv_topo_get(&second), DOCA_SUCCESS);
	assert_ptr_equal(first, second);
	assert_string_equal(first->source, "built-in");
	assert_ptr_equal(priv_topo_limits(), &first->limits);
	assert_int_equal(priv_topo_limits()->comch_max_clients, 777);
}

static void pci_addresses_become_long_and_lower_case(void **state)
{
	static const struct {
		const char *text, *addr;
	} cases[] = {
		{"03:00.0", "0000:03:00.0"},
		{"B1:1F.7", "0000:b1:1f.7"},
		{"0000:03:00.0", "0000:03:00.0"},
		{"00aB:Cd:0e.5", "00ab:cd:0e.5"},
	};
	char addr[DOCA_DEVINFO_PCI_ADDR_SIZE];

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		assert_int_equal(priv_topo_parse_pci_addr(cases[i].text, addr), DOCA_SUCCESS);
		assert_string_equal(addr, cases[i].addr);
	}
}

static void malformed_pci_addresses_are_refused(void **state)
{
	static const char *const cases[] = {
		"",
		"0",
		"03:00",
		"03:00.",
		"3:00.0",
		"03:0.0",
		"03:00.8",
		"03:00.x",
		"03:20.0",
		"03:00.00",
		"03:00.0 ",
		" 03:00.0",
		"03.00.0",
		"03-00.0",
		"0g:00.0",
		":03:00.0",
		"000:03:00.0",
		"00000:03:00.0",
		"0000:03:00.0/sf4",
		"0000:03:00",
		"0000-03-00.0",
		"pci/03:00.0",
	};
	char addr[DOCA_DEVINFO_PCI_ADDR_SIZE] = "untouched";

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++)
		assert_int_equal(priv_topo_parse_pci_addr(cases[i], addr),
				 DOCA_ERROR_INVALID_VALUE);
	assert_string_equal(addr, "untouched");
}

static void host_function_answers_to_its_representors_address(void **state)
{
	const struct topo_function host = {.pci_addr = "0000:b1:00.0",
					   .rep_pci_addr = "0000:c1:00.0"};
	const struct topo_function dpu = {.pci_addr = "0000:03:00.0"};

	(void)state;
	assert_true(priv_topo_function_has_addr(&host, "0000:b1:00.0"));
	assert_true(priv_topo_function_has_addr(&host, "0000:c1:00.0"));
	assert_false(priv_topo_function_has_addr(&host, "0000:03:00.0"));
	assert_true(priv_topo_function_has_addr(&dpu, "0000:03:00.0"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(file_is_read),
		cmocka_unit_test(reading_raises_the_limit_of_open_files),
		cmocka_unit_test(unreadable_files_are_refused),
		cmocka_unit_test(process_has_one_topology),
		cmocka_unit_test(pci_addresses_become_long_and_lower_case),
		cmocka_unit_test(malformed_pci_addresses_are_refused),
		cmocka_unit_test(host_function_answers_to_its_representors_address),
	};

	unsetenv("SOFTFIELD_TOPOLOGY");
	setenv("SOFTFIELD_LIMITS", "max_clients=777", 1);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
