/* SPDX-License-Identifier: BSD-3-Clause */
/* The elements of "dpu" and "host". */
#include "topotest.h"

/* one card with one DPU function; host is the content of its "host" list */
#define CARD(host)                                                                                 \
	"{\"cards\":[{\"dpu\":[{\"pci\":\"03:00.0\"},{\"pci\":\"03:00.1\"}],\n\"host\":[" host     \
	"]}]}"
#define PF "{\"pci\":\"b1:00.0\"}"

static void every_attribute_of_a_host_function_is_taken(void **state)
{
	struct topo *topo = parse_ok(CARD(
		"{\"pci\":\"0002:B1:0A.7\",\"type\":\"pf\",\"dpu\":\"03:00.1\",\"ibdev\":\"roce7\","
		"\"iface\":\"eth7\",\"mac\":\"02:aB:00:00:00:07\",\"ipv4\":\"10.1.2.3\","
		"\"ipv6\":\"fd00::7\",\"vuid\":\"V-7\",\"vhca_id\":77,\"active_rate\":25000000000,"
		"\"rep\":{\"pci\":\"c1:00.7\",\"iface\":\"rep7\",\"hotplug\":true,"
		"\"emulated\":true}}"));
	const struct topo_function *function = &topo->functions[2];
	static const uint8_t mac[] = {0x02, 0xab, 0, 0, 0, 7}, ipv4[] = {10, 1, 2, 3};

	(void)state;
	assert_int_equal(function->side, TOPO_HOST);
	assert_int_equal(function->type, DOCA_PCI_FUNC_TYPE_PF);
	assert_string_equal(function->pci_addr, "0002:b1:0a.7");
	assert_string_equal(function->ibdev_name, "roce7");
	assert_string_equal(function->iface_name, "eth7");
	assert_memory_equal(function->mac_addr, mac, sizeof(mac));
	assert_true(function->has_ipv4);
	assert_memory_equal(function->ipv4_addr, ipv4, sizeof(ipv4));
	assert_int_equal(function->ipv6_addr[0], 0xfd);
	assert_int_equal(function->ipv6_addr[15], 7);
	assert_string_equal(function->vuid, "V-7");
	assert_int_equal(function->vhca_id, 77);
	assert_int_equal(function->active_rate, 25000000000);
	assert_ptr_equal(function->rep->dpu, &topo->functions[1]);
	assert_string_equal(function->rep->pci_addr, "0000:c1:00.7");
	assert_string_equal(function->rep_pci_addr, "0000:c1:00.7");
	assert_string_equal(function->rep->iface_name, "rep7");
	assert_true(function->rep->is_hotplug);
	assert_true(function->rep->is_emulated);
	priv_topo_free(topo);
}

static void vf_and_sf_follow_their_pf(void **state)
{
	struct topo *topo = parse_ok(
		CARD(PF ",{\"pci\":\"b1:00.1\"},"
			"{\"pci\":\"b1:01.0\",\"type\":\"vf\",\"pf\":\"b1:00.1\"},"
			"{\"pci\":\"b1:01.1\",\"type\":\"vf\",\"pf\":\"b1:00.1\"},"
			"{\"type\":\"sf\",\"pf\":\"b1:00.1\",\"sf_index\":0},"
			"{\"pci\":\"b1:02.0\",\"type\":\"sf\",\"pf\":\"b1:00.1\",\"sf_index\":1}"));
	const struct topo_function *host = topo->functions + 2;

	(void)state;
	for (unsigned int i = 2; i < 6; i++) {
		assert_ptr_equal(host[i].pf, &host[1]);
		assert_int_equal(host[i].pf_index, 1);
		assert_ptr_equal(host[i].rep->dpu, &topo->functions[1]);
	}
	assert_int_equal(host[2].vf_index, 0);
	assert_int_equal(host[3].vf_index, 1);
	assert_string_equal(host[4].pci_addr, "0000:b1:00.1");
	assert_string_equal(host[4].id, "0000:b1:00.1/sf0");
	assert_string_equal(host[5].pci_addr, "0000:b1:02.0");
	assert_string_equal(host[5].id, "0000:b1:00.1/sf1");
	priv_topo_free(topo);
}

static void wrong_attributes_are_refused(void **state)
{
	static const struct refusal cases[] = {
		{CARD("{\"pci\":\"b1:00.8\"}"),
		 "test:2: cards[0].host[0].pci: \"b1:00.8\" is not a PCI address; expected "
		 "DDDD:BB:DD.F or BB:DD.F, like 0000:b1:00.2"},
		{CARD("{\"pci\":\"b1:20.0\"}"), "like 0000:b1:00.2"},
		{CARD("{\"pci\":\"0:b1:00.0\"}"), "like 0000:b1:00.2"},
		{CARD("{\"pci\":7}"), "host[0].pci: int where a PCI address in quotes is expected"},
		{CARD("{\"pci\":\"b1:00.0\",\"type\":\"PF\"}"),
		 "host[0].type: \"PF\" is not a type; expected pf, vf or sf"},
		{CARD("{\"pci\":\"b1:00.0\",\"mac\":\"02:00:00:00:00\"}"),
		 "mac: \"02:00:00:00:00\" is not a MAC address like 02:00:00:00:00:01"},
		{CARD("{\"pci\":\"b1:00.0\",\"mac\":\"2:00:00:00:00:001\"}"),
		 "is not a MAC address like 02:00:00:00:00:01"},
		{CARD("{\"pci\":\"b1:00.0\",\"mac\":\"02-00-00-00-00-01\"}"),
		 "is not a MAC address like 02:00:00:00:00:01"},
		{CARD("{\"pci\":\"b1:00.0\",\"mac\":\"02:00:00:00:00:01:02\"}"),
		 "is not a MAC address like 02:00:00:00:00:01"},
		{CARD("{\"pci\":\"b1:00.0\",\"mac\":2}"),
		 "mac: int where a MAC address in quotes is expected"},
		{CARD("{\"pci\":\"b1:00.0\",\"mac\":\"01:00:5e:00:00:01\"}"),
		 "mac: \"01:00:5e:00:00:01\" is not the address of one station"},
		{CARD("{\"pci\":\"b1:00.0\",\"mac\":\"00:00:00:00:00:00\"}"),
		 "is not the address of one station"},
		{CARD("{\"pci\":\"b1:00.0\",\"ipv4\":\"1.2.3\"}"),
		 "ipv4: \"1.2.3\" is not an IPv4 address like 192.168.100.1"},
		{CARD("{\"pci\":\"b1:00.0\",\"ipv6\":\"1.2.3.4\"}"),
		 "ipv6: \"1.2.3.4\" is not an IPv6 address like fd00::1"},
		{CARD("{\"pci\":\"b1:00.0\",\"ipv4\":1}"),
		 "ipv4: int where an IPv4 address in quotes is expected"},
		{CARD("{\"pci\":\"b1:00.0\",\"ipv6\":1}"),
		 "ipv6: int where an IPv6 address in quotes is expected"},
		{CARD("{\"pci\":\"b1:00.0\",\"sf_index\":\"1\"}"),
		 "sf_index: string where an integer is expected"},
		{CARD("{\"pci\":\"b1:00.0\",\"vhca_id\":65535}"),
		 "vhca_id: 65535 is out of range; expected 0 to 65534"},
		{CARD("{\"pci\":\"b1:00.0\",\"active_rate\":0}"),
		 "active_rate: 0 is out of range; expected 1 to 9223372036854775807"},
		{CARD("{\"pci\":\"b1:00.0\",\"rep\":{\"hotplug\":\"no\"}}"),
		 "rep.hotplug: string where true or false is expected"},
		{CARD("{\"pci\":\"b1:00.0\",\"rep\":{\"pci\":\"nowhere\"}}"), "like 0000:b1:00.2"},
		{CARD("{\"pci\":\"b1:00.0\",\"rep\":{\"mac\":\"\"}}"),
		 "host[0].rep.mac: unknown key; allowed here: pci, iface, hotplug, emulated"},
		{"{\"cards\":[{\"host\":[],\"dpu\":[{\"pci\":\"03:00.0\",\"rep\":{}}]}]}",
		 "cards[0].dpu[0].rep: unknown key; allowed here: pci, ibdev, iface, mac, ipv4, "
		 "ipv6, vuid, vhca_id, active_rate"},
		{"{\"cards\":[{\"host\":[],\"dpu\":[{}]}]}", "cards[0].dpu[0]: has no \"pci\""},
	};

	(void)state;
	expect_refusals(cases, ARRAY_SIZE(cases));
}

static void functions_that_do_not_fit_together_are_refused(void **state)
{
	static const struct refusal cases[] = {
		{CARD("{}"), "cards[0].host[0]: has no \"pci\""},
		{CARD("{\"pci\":\"b1:00.0\",\"pf\":\"b1:00.1\"}"),
		 "host[0].pf: only a vf or sf belongs to another function"},
		{CARD("{\"pci\":\"b1:00.0\",\"sf_index\":1}"),
		 "host[0].sf_index: only an sf has one"},
		{CARD(PF ",{\"pci\":\"b1:00.2\",\"type\":\"vf\"}"),
		 "host[1]: has no \"pf\": the address of the pf it belongs to"},
		{CARD(PF ",{\"type\":\"vf\",\"pf\":\"b1:00.0\"}"), "host[1]: has no \"pci\""},
		{CARD(PF ",{\"type\":\"sf\",\"pf\":\"b1:00.0\"}"), "host[1]: has no \"sf_index\""},
		{CARD(PF ",{\"pci\":\"b1:00.2\",\"type\":\"vf\",\"pf\":\"b1:00.0\","
			 "\"sf_index\":1}"),
		 "host[1].sf_index: only an sf has one"},
		{CARD(PF ",\n{\"pci\":\"b1:00.2\",\"type\":\"vf\",\"pf\":\"b1:00.7\"}"),
		 "test:3: cards[0].host[1].pf: 0000:b1:00.7 is not a pf above; there is "
		 "0000:b1:00.0"},
		{CARD(PF ",{\"pci\":\"b1:00.2\",\"type\":\"vf\",\"pf\":\"b1:00.2\"}"),
		 "host[1].pf: 0000:b1:00.2 is not a pf above; there is 0000:b1:00.0"},
		{CARD("{\"pci\":\"b1:00.2\",\"type\":\"vf\",\"pf\":\"b1:00.0\"}," PF),
		 "host[0].pf: 0000:b1:00.0 is not a pf above; there is none"},
		{CARD(PF ",{\"pci\":\"b1:00.2\",\"type\":\"vf\",\"pf\":\"b1:00.0\","
			 "\"dpu\":\"03:00.1\"}"),
		 "host[1].dpu: is given with the pf, not with a vf or sf"},
		{CARD("{\"pci\":\"b1:00.0\",\"dpu\":\"05:00.0\"}"),
		 "host[0].dpu: 0000:05:00.0 is not a function of the card's \"dpu\" list; there is "
		 "0000:03:00.0, 0000:03:00.1"},
		{CARD(PF ",{\"pci\":\"b1:00.1\"},{\"pci\":\"b1:00.2\"}"),
		 "host[2]: is pf 2 of the card, which has fewer functions in \"dpu\"; say with "
		 "\"dpu\" which of them has the representor"},
	};

	(void)state;
	expect_refusals(cases, ARRAY_SIZE(cases));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_attribute_of_a_host_function_is_taken),
		cmocka_unit_test(vf_and_sf_follow_their_pf),
		cmocka_unit_test(wrong_attributes_are_refused),
		cmocka_unit_test(functions_that_do_not_fit_together_are_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
