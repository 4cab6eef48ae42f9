/* SPDX-License-Identifier: BSD-3-Clause */
/* Devices of a topology file: two cards, addresses that differ between the sides, emulation. */
#include "devtest.h"

#include <unistd.h>

static const char text[] = "{\"cards\":["
			   "{\"dpu\":[{\"pci\":\"03:00.0\"}],\"host\":["
			   "  {\"pci\":\"3b:00.0\",\"ipv4\":\"10.0.0.7\","
			   "   \"rep\":{\"pci\":\"b1:00.0\",\"iface\":\"net0\"}},"
			   "  {\"pci\":\"3b:00.1\",\"type\":\"vf\",\"pf\":\"3b:00.0\","
			   "   \"rep\":{\"iface\":\"emu0\",\"hotplug\":true,\"emulated\":true}}]},"
			   "{\"dpu\":[{\"pci\":\"04:00.0\"}],\"host\":[{\"pci\":\"5c:00.0\"}]}]}";

static void functions_of_all_cards_are_listed_dpu_first(void **state)
{
	(void)state;
	expect_devs("0000:03:00.0 0000:04:00.0 0000:3b:00.0 0000:3b:00.1 0000:5c:00.0");
}

static void filters_tell_networks_from_emulation(void **state)
{
	struct doca_dev *dev = open_dev("03:00.0"), *other = open_dev("04:00.0");
	const int both = DOCA_DEVINFO_REP_FILTER_NET | DOCA_DEVINFO_REP_FILTER_EMULATED;

	(void)state;
	expect_reps(dev, DOCA_DEVINFO_REP_FILTER_ALL, "net0 emu0");
	expect_reps(dev, DOCA_DEVINFO_REP_FILTER_NET, "net0");
	expect_reps(dev, DOCA_DEVINFO_REP_FILTER_EMULATED, "emu0");
	expect_reps(dev, both, "net0 emu0");
	expect_reps(other, DOCA_DEVINFO_REP_FILTER_ALL, "pf0hpf");
	assert_int_equal(doca_dev_close(dev), DOCA_SUCCESS);
	assert_int_equal(doca_dev_close(other), DOCA_SUCCESS);
}

static void both_addresses_lead_to_both_ends(void **state)
{
	struct doca_dev *dpu = open_dev("03:00.0");
	struct doca_dev *host = open_dev("3b:00.0"), *by_rep = open_dev("b1:00.0");
	struct doca_dev_rep *rep = open_rep(dpu, "b1:00.0"), *by_host = open_rep(dpu, "3b:00.0");
	char addr[DOCA_DEVINFO_REP_PCI_ADDR_SIZE];

	(void)state;
	assert_ptr_equal(host, by_rep);
	assert_ptr_equal(rep, by_host);
	assert_int_equal(doca_devinfo_get_pci_addr_str(doca_dev_as_devinfo(host), addr),
			 DOCA_SUCCESS);
	assert_string_equal(addr, "0000:3b:00.0");
	assert_int_equal(doca_devinfo_rep_get_pci_addr_str(doca_dev_rep_as_devinfo(rep), addr),
			 DOCA_SUCCESS);
	assert_string_equal(addr, "0000:b1:00.0");
	assert_null(find_rep(dpu, "5c:00.0")); /* of the other card */
	for (int i = 0; i < 2; i++) {
		assert_int_equal(doca_dev_rep_close(rep), DOCA_SUCCESS);
		assert_int_equal(doca_dev_close(host), DOCA_SUCCESS);
	}
	assert_int_equal(doca_dev_close(dpu), DOCA_SUCCESS);
}

static void given_attributes_are_told(void **state)
{
	static const uint8_t expected[] = {10, 0, 0, 7};
	struct doca_dev *dpu = open_dev("03:00.0"), *host = open_dev("3b:00.0");
	struct doca_dev_rep *rep = open_rep(dpu, "3b:00.1");
	uint8_t ipv4[DOCA_DEVINFO_IPV4_ADDR_SIZE], is_hotplug = 0;

	(void)state;
	assert_int_equal(doca_devinfo_get_ipv4_addr(doca_dev_as_devinfo(host), ipv4, sizeof(ipv4)),
			 DOCA_SUCCESS);
	assert_memory_equal(ipv4, expected, sizeof(expected));
	assert_int_equal(doca_devinfo_rep_get_is_hotplug(doca_dev_rep_as_devinfo(rep), &is_hotplug),
			 DOCA_SUCCESS);
	assert_int_equal(is_hotplug, 1);
	assert_int_equal(doca_dev_rep_close(rep), DOCA_SUCCESS);
	assert_int_equal(doca_dev_close(host), DOCA_SUCCESS);
	assert_int_equal(doca_dev_close(dpu), DOCA_SUCCESS);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(functions_of_all_cards_are_listed_dpu_first),
		cmocka_unit_test(filters_tell_networks_from_emulation),
		cmocka_unit_test(both_addresses_lead_to_both_ends),
		cmocka_unit_test(given_attributes_are_told),
	};
	char path[] = "/tmp/devinfo-test-XXXXXX";
	int fd = mkstemp(path), failed;

	if (fd < 0 || write(fd, text, strlen(text)) != (ssize_t)strlen(text))
		return 99;
	close(fd);
	setenv("SOFTFIELD_TOPOLOGY", path, 1);
	unsetenv("SOFTFIELD_ROLE");
	failed = cmocka_run_group_tests(tests, NULL, NULL);
	unlink(path);
	return failed;
}
