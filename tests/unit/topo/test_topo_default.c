/* SPDX-License-Identifier: BSD-3-Clause */
/* The built-in card, and what is made up for a file that leaves things out. */
#include "topotest.h"

static const char *ids(const struct topo *topo, char *buf, size_t size)
{
	size_t len = 0;

	for (unsigned int i = 0; i < topo->function_count; i++)
		len += (size_t)snprintf(buf + len, size - len, "%s%s", i ? " " : "",
					topo->functions[i].id);
	return buf;
}

static void built_in_card_has_the_documented_functions(void **state)
{
	struct topo *topo = parse_ok(topo_builtin_text);
	char buf[256];

	(void)state;
	assert_int_equal(topo->card_count, 1);
	assert_string_equal(topo->cards[0].name, "card0");
	assert_string_equal(ids(topo, buf, sizeof(buf)),
			    "0000:03:00.0 0000:03:00.1 0000:b1:00.0 0000:b1:00.1 0000:b1:00.2 "
			    "0000:b1:00.3 0000:b1:00.0/sf4");
	assert_string_equal(topo->functions[0].ibdev_name, "mlx5_0");
	assert_string_equal(topo->functions[0].iface_name, "p0");
	assert_string_equal(topo->functions[1].ibdev_name, "mlx5_1");
	assert_string_equal(topo->functions[1].iface_name, "p1");
	priv_topo_free(topo);
}

static void built_in_functions_have_representors(void **state)
{
	static const struct {
		unsigned int dpu;
		const char *pci_addr, *iface_name;
	} expected[] = {
		{0, "0000:b1:00.0", "pf0hpf"}, {1, "0000:b1:00.1", "pf1hpf"},
		{0, "0000:b1:00.2", "pf0vf0"}, {0, "0000:b1:00.3", "pf0vf1"},
		{0, "0000:b1:00.0", "pf0sf4"},
	};
	struct topo *topo = parse_ok(topo_builtin_text);

	(void)state;
	assert_int_equal(topo->rep_count, ARRAY_SIZE(expected));
	for (unsigned int i = 0; i < topo->rep_count; i++) {
		const struct topo_rep *rep = &topo->reps[i];

		assert_ptr_equal(rep->dpu, &topo->functions[expected[i].dpu]);
		assert_ptr_equal(rep->host, &topo->functions[2 + i]);
		assert_ptr_equal(rep->host->rep, rep);
		assert_string_equal(rep->pci_addr, expected[i].pci_addr);
		assert_string_equal(rep->host->rep_pci_addr, expected[i].pci_addr);
		assert_string_equal(rep->iface_name, expected[i].iface_name);
		assert_false(rep->is_emulated);
	}
	priv_topo_free(topo);
}

static void host_interfaces_are_named_after_their_address(void **state)
{
	struct topo *topo =
		parse_ok("{\"cards\":[{\"dpu\":[{\"pci\":\"03:00.0\"}],\"host\":["
			 "{\"pci\":\"0001:0a:1f.3\"},"
			 "{\"pci\":\"0001:0a:1f.4\",\"type\":\"vf\",\"pf\":\"0001:0a:1f.3\"},"
			 "{\"type\":\"sf\",\"pf\":\"0001:0a:1f.3\",\"sf_index\":88}]}]}");

	(void)state;
	assert_string_equal(topo->functions[1].iface_name, "enP1p10s31f3np0");
	assert_string_equal(topo->functions[2].iface_name, "enP1p10s31f3v0");
	assert_string_equal(topo->functions[3].iface_name, "enP1p10s31f3s88");
	priv_topo_free(topo);
}

static void made_up_addresses_are_well_formed(void **state)
{
	struct topo *topo = parse_ok(topo_builtin_text);

	(void)state;
	for (unsigned int i = 0; i < topo->function_count; i++) {
		const struct topo_function *function = &topo->functions[i];

		assert_int_equal(function->mac_addr[0], 0x02); /* local, of one station */
		assert_int_equal(function->ipv6_addr[0], 0xfe);
		assert_int_equal(function->ipv6_addr[1], 0x80);
		assert_int_equal(function->ipv6_addr[8], 0x00); /* the MAC's, one bit turned */
		assert_int_equal(function->ipv6_addr[11], 0xff);
		assert_int_equal(function->ipv6_addr[12], 0xfe);
		assert_int_equal(function->ipv6_addr[15], function->mac_addr[5]);
		assert_int_equal(function->vhca_id, i);
		assert_true(function->active_rate > 0);
		assert_false(function->has_ipv4);
	}
	assert_string_equal(topo->functions[0].vuid, "SF00000ECSOFTS0D0F0");
	assert_string_equal(topo->functions[5].vuid, "SF00000SOFTS0D0F0VF2");
	assert_string_equal(topo->functions[6].vuid, "SF00000SOFTS0D0F0SF4");
	priv_topo_free(topo);
}

static void made_up_vhca_ids_go_around_the_given_ones(void **state)
{
	struct topo *topo = parse_ok("{\"cards\":[{\"dpu\":[{\"pci\":\"03:00.0\"}],\"host\":["
				     "{\"pci\":\"b1:00.0\",\"vhca_id\":0},"
				     "{\"pci\":\"b1:00.1\",\"dpu\":\"03:00.0\"},"
				     "{\"pci\":\"b1:00.2\",\"dpu\":\"03:00.0\",\"vhca_id\":2},"
				     "{\"pci\":\"b1:00.3\",\"dpu\":\"03:00.0\"}]}]}");

	(void)state;
	assert_int_equal(topo->functions[0].vhca_id, 1);
	assert_int_equal(topo->functions[1].vhca_id, 0);
	assert_int_equal(topo->functions[2].vhca_id, 3);
	assert_int_equal(topo->functions[3].vhca_id, 2);
	assert_int_equal(topo->functions[4].vhca_id, 4);
	priv_topo_free(topo);
}

static void names_made_up_for_two_cards_differ(void **state)
{
	struct topo *topo =
		parse_ok("{\"cards\":["
			 "{\"dpu\":[{\"pci\":\"03:00.0\"}],\"host\":[{\"pci\":\"b1:00.0\"}]},"
			 "{\"dpu\":[{\"pci\":\"04:00.0\"}],\"host\":[{\"pci\":\"c1:00.0\"}]}]}");
	char buf[128];

	(void)state;
	assert_string_equal(topo->cards[1].name, "card1");
	assert_string_equal(ids(topo, buf, sizeof(buf)),
			    "0000:03:00.0 0000:04:00.0 0000:b1:00.0 0000:c1:00.0");
	assert_string_equal(topo->functions[1].iface_name, "p1");
	assert_string_equal(topo->functions[1].vuid, "SF00001ECSOFTS0D0F0");
	priv_topo_free(topo);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(built_in_card_has_the_documented_functions),
		cmocka_unit_test(built_in_functions_have_representors),
		cmocka_unit_test(host_interfaces_are_named_after_their_address),
		cmocka_unit_test(made_up_addresses_are_well_formed),
		cmocka_unit_test(made_up_vhca_ids_go_around_the_given_ones),
		cmocka_unit_test(names_made_up_for_two_cards_differ),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
