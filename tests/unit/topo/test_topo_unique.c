/* SPDX-License-Identifier: BSD-3-Clause */
/* Names that would mean two things. */
#include "topotest.h"

#define DPU	    "\"dpu\":[{\"pci\":\"03:00.0\"}]"
#define HOST(host)  "{\"cards\":[{" DPU ",\n\"host\":[{\"pci\":\"b1:00.0\"" host "]}]}"
#define CARDS(a, b) "{\"cards\":[{" a "},\n{" b "}]}"

static void names_that_mean_one_thing_are_accepted(void **state)
{
	static const char *const texts[] = {
		/* both sides may have the same names: they are two machines */
		"{\"cards\":[{\"dpu\":[{\"pci\":\"03:00.0\",\"ibdev\":\"mlx5_0\",\"iface\":\"e0\"}]"
		","
		"\"host\":[{\"pci\":\"03:00.0\",\"ibdev\":\"mlx5_0\",\"iface\":\"e0\"}]}]}",
		/* an sf has the address of its pf, on the DPU side as well */
		HOST("},{\"type\":\"sf\",\"pf\":\"b1:00.0\",\"sf_index\":1},"
		     "{\"type\":\"sf\",\"pf\":\"b1:00.0\",\"sf_index\":2}"),
		/* two cards may use the same vhca ids and representor names */
		CARDS("\"dpu\":[{\"pci\":\"03:00.0\",\"vhca_id\":5}],\"host\":[{\"pci\":\"b1:00."
		      "0\"}]",
		      "\"dpu\":[{\"pci\":\"04:00.0\",\"vhca_id\":5}],\"host\":[{\"pci\":\"c1:00."
		      "0\"}]"),
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(texts); i++)
		priv_topo_free(parse_ok(texts[i]));
}

static void names_that_mean_two_things_are_refused(void **state)
{
	static const struct refusal cases[] = {
		{CARDS(DPU ",\"host\":[],\"name\":\"x\"",
		       "\"dpu\":[{\"pci\":\"04:00.0\"}],\"host\":[],\"name\":\"x\""),
		 "test:2: cards[1].name: \"x\" is already that of cards[0]"},
		{CARDS(DPU ",\"host\":[]", DPU ",\"host\":[]"),
		 "test:2: cards[1].dpu[0].pci: is already that of cards[0].dpu[0] (0000:03:00.0)"},
		{HOST("},\n{\"pci\":\"0000:B1:00.0\",\"dpu\":\"03:00.0\"}"),
		 "test:3: cards[0].host[1].pci: is already that of cards[0].host[0] "
		 "(0000:b1:00.0)"},
		{HOST(",\"rep\":{\"pci\":\"c1:00.0\"}},{\"pci\":\"c1:00.0\",\"dpu\":\"03:00.0\"}"),
		 "host[1].pci: is already that of cards[0].host[0] (0000:b1:00.0)"},
		{HOST("},{\"pci\":\"b1:00.1\",\"dpu\":\"03:00.0\",\"rep\":{\"pci\":\"b1:00.0\"}}"),
		 "host[1].rep.pci: is already that of cards[0].host[0] (0000:b1:00.0)"},
		{HOST("},{\"type\":\"sf\",\"pf\":\"b1:00.0\",\"sf_index\":1},"
		      "{\"type\":\"sf\",\"pf\":\"b1:00.0\",\"sf_index\":1}"),
		 "host[2].sf_index: is already that of cards[0].host[1] (0000:b1:00.0/sf1)"},
		{HOST("},{\"pci\":\"b1:00.0\",\"type\":\"vf\",\"pf\":\"b1:00.0\"}"),
		 "host[1].pci: is already that of cards[0].host[0] (0000:b1:00.0)"},
		{HOST(",\"ibdev\":\"m\"},{\"pci\":\"b1:00.1\",\"dpu\":\"03:00.0\",\"ibdev\":"
		      "\"m\"}"),
		 "host[1].ibdev: is already that of cards[0].host[0] (0000:b1:00.0)"},
		{HOST(",\"iface\":\"e\"},{\"pci\":\"b1:00.1\",\"dpu\":\"03:00.0\",\"iface\":"
		      "\"e\"}"),
		 "host[1].iface: is already that of cards[0].host[0] (0000:b1:00.0)"},
		{HOST(",\"rep\":{\"iface\":\"p0\"}}"),
		 "host[0].rep.iface: is already that of cards[0].dpu[0] (0000:03:00.0)"},
		{HOST("},{\"pci\":\"b1:00.1\",\"dpu\":\"03:00.0\",\"rep\":{\"iface\":\"pf0hpf\"}}"),
		 "host[1].rep.iface: is already that of cards[0].host[0] (0000:b1:00.0)"},
		{HOST(",\"mac\":\"02:00:00:00:00:01\"},{\"pci\":\"b1:00.1\",\"dpu\":\"03:00.0\","
		      "\"mac\":\"02:00:00:00:00:01\"}"),
		 "host[1].mac: is already that of cards[0].host[0] (0000:b1:00.0)"},
		{HOST(",\"vuid\":\"v\"},{\"pci\":\"b1:00.1\",\"dpu\":\"03:00.0\",\"vuid\":\"v\"}"),
		 "host[1].vuid: is already that of cards[0].host[0] (0000:b1:00.0)"},
		{HOST(",\"vhca_id\":7},{\"pci\":\"b1:00.1\",\"dpu\":\"03:00.0\",\"vhca_id\":7}"),
		 "host[1].vhca_id: is already that of cards[0].host[0] (0000:b1:00.0)"},
	};

	(void)state;
	expect_refusals(cases, ARRAY_SIZE(cases));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(names_that_mean_one_thing_are_accepted),
		cmocka_unit_test(names_that_mean_two_things_are_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
