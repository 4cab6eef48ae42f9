/* SPDX-License-Identifier: BSD-3-Clause */
/* The topology text as a whole. */
#include <unistd.h>

#include "topotest.h"

#define CARD		"\"dpu\":[{\"pci\":\"03:00.0\"}],\"host\":[]"
#define WITH(more)	"{\"cards\":[{" CARD "}],\n" more "}"
#define CARD_WITH(more) "{\"cards\":[{" CARD ",\n" more "}]}"

static void everything_beside_cards_is_taken(void **state)
{
	struct topo *topo = parse_ok(
		WITH("\"runtime_dir\":\"/run/soft\",\"connect_wait\":\"3s\","
		     "\"limits\":{\"max_clients\":4000,\"dma_max_buf_size\":1099511627776},"
		     "\"faults\":{\"delay\":\"1ms\",\"drop_after\":7}"));

	(void)state;
	assert_string_equal(topo->source, "test");
	assert_string_equal(topo->runtime_dir, "/run/soft");
	assert_int_equal(topo->connect_wait_ns, 3000000000);
	assert_int_equal(topo->limits.comch_max_clients, 4000);
	assert_int_equal(topo->limits.dma_max_buf_size, 1099511627776);
	assert_int_equal(topo->limits.comch_max_msg_size, 4080); /* untouched */
	assert_int_equal(topo->faults.delay_ns, 1000000);
	assert_int_equal(topo->faults.drop_after, 7);
	assert_true(topo->side_visible[TOPO_HOST] && topo->side_visible[TOPO_DPU]);
	priv_topo_free(topo);
}

static void access_is_by_name_or_number(void **state)
{
	struct topo *topo =
		parse_ok(CARD_WITH("\"name\":\"lab\",\"strict\":true,"
				   "\"access\":{\"any_user\":false,\"users\":[\"root\",1234],"
				   "\"groups\":[4321,\"root\"]}"));
	const struct topo_card *card = topo->cards;

	(void)state;
	assert_string_equal(card->name, "lab");
	assert_true(card->strict);
	assert_false(card->access.any_user);
	assert_int_equal(card->access.user_count, 2);
	assert_int_equal(card->access.users[0], 0);
	assert_int_equal(card->access.users[1], 1234);
	assert_int_equal(card->access.group_count, 2);
	assert_int_equal(card->access.groups[0], 4321);
	assert_int_equal(card->access.groups[1], 0);
	priv_topo_free(topo);
}

static void no_card_is_a_topology_too(void **state)
{
	struct topo *topo = parse_ok("{\"cards\":[]}");

	(void)state;
	assert_int_equal(topo->card_count, 0);
	assert_int_equal(topo->function_count, 0);
	priv_topo_free(topo);
}

static void text_that_is_not_json_is_refused(void **state)
{
	static const struct refusal cases[] = {
		{"", "test:1: the text ends too early"},
		{"{\n\"cards\":[\n", "test:3: the text ends too early"},
		{"{\"cards\":[],\n\"cards\":[]}", "test:2: cards: the key is given twice"},
	};

	(void)state;
	expect_refusals(cases, ARRAY_SIZE(cases));
}

/* what follows "not JSON: " is json-c's wording, then what stands there */
static void text_that_is_not_json_is_refused_with_its_line(void **state)
{
	static const struct {
		const char *text, *start, *end;
	} cases[] = {
		{"{\n\"cards\":[],\n}", "test:3: not JSON", ", at: }"},
		{"{\n'cards':[]}", "test:2: not JSON", ""},
		{"// no comments\n{\"cards\":[]}", "test:1: not JSON", ", at: // no comments"},
		{"{\"cards\":[]}\n\n}", "test:3: not JSON", ", at: }"},
		{"{\"cards\":\n[1,,2]}", "test:2: not JSON", ", at: ,2]}"},
		{"{\"cards\":[7 \"123456789012345678901234567890\"]}", "test:1: not JSON",
		 ", at: \"123456789012345678901234567890"},
		{"{\"cards\":[\"\xff\"]}", "test:1: not JSON", ", at: ?\"]}"},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct topo *topo = NULL;
		struct topo_why why = {""};

		assert_int_equal(topo_parse("test", cases[i].text, &topo, &why),
				 DOCA_ERROR_BAD_CONFIG);
		if (strncmp(why.text, cases[i].start, strlen(cases[i].start)) != 0 ||
		    strcmp(why.text + strlen(why.text) - strlen(cases[i].end), cases[i].end) != 0)
			fail_msg("for %s got \"%s\"", cases[i].text, why.text);
	}
}

static void wrong_parts_are_refused(void **state)
{
	static const struct refusal cases[] = {
		{"[]", "test:1: array where an object { ... } is expected"},
		{"{}", "test:1: has no \"cards\""},
		{"{\"cards\":{}}", "test:1: cards: object where an array [ ... ] is expected"},
		{"{\"cards\":[7]}", "test:1: cards[0]: int where an object { ... } is expected"},
		{"{\"cards\":[{}]}", "test:1: cards[0]: has no \"dpu\""},
		{"{\"cards\":[{\"dpu\":[{\"pci\":\"03:00.0\"}]}]}", "cards[0]: has no \"host\""},
		{"{\"cards\":[{\"dpu\":[],\"host\":[]}]}",
		 "cards[0].dpu: has 0 elements; expected 1 to 16"},
		{"{\"cards\":[{\"dpu\":7,\"host\":[]}]}",
		 "cards[0].dpu: int where an array [ ... ] is expected"},
		{"{\"card\":[]}", "test:1: card: unknown key; allowed here: runtime_dir, "
				  "connect_wait, limits, faults, cards"},
		{CARD_WITH("\"nickname\":\"x\""),
		 "test:2: cards[0].nickname: unknown key; allowed here: "
		 "name, strict, access, dpu, host"},
		{CARD_WITH("\"name\":\"a b\""),
		 "cards[0].name: \"a b\" is not a name; letters, digits and . _ : @ - are allowed"},
		{CARD_WITH("\"strict\":\"yes\""),
		 "cards[0].strict: string where true or false is expected"},
		{CARD_WITH("\"access\":{\"everyone\":true}"),
		 "cards[0].access.everyone: unknown key; allowed here: any_user, users, groups"},
		{CARD_WITH("\"access\":{\"users\":\"root\"}"),
		 "access.users: string where an array [ ... ] is expected"},
		{CARD_WITH("\"access\":{\"users\":[0,true]}"),
		 "access.users[1]: boolean where a name or a number is expected"},
		{CARD_WITH("\"access\":{\"users\":[\"no such user\"]}"),
		 "access.users[0]: there is no user \"no such user\" on this machine"},
		{CARD_WITH("\"access\":{\"groups\":[\"no such group\"]}"),
		 "access.groups[0]: there is no group \"no such group\" on this machine"},
		{CARD_WITH("\"access\":{\"users\":[4294967295]}"),
		 "users[0]: 4294967295 is out of range; expected 0 to 4294967294"},
		{WITH("\"runtime_dir\":7"),
		 "test:2: runtime_dir: int where an absolute path in quotes is expected"},
		{WITH("\"runtime_dir\":\"run\""),
		 "test:2: runtime_dir: \"run\" is not an absolute path"},
		{WITH("\"connect_wait\":-1"),
		 "connect_wait: \"-1\" is not a duration like 500us, 10ms or 2s (a bare number "
		 "means ms) of at most 3600s"},
		{WITH("\"limits\":{\"max_clients\":10001}"),
		 "test:2: limits.max_clients: \"10001\" is not a number from 1 to 10000 (clients "
		 "connected to a server)"},
		{WITH("\"limits\":{\"comch_max_recv_queue_size\":100}"),
		 "test:2: limits: comch_default_recv_queue_size 1024 is above "
		 "comch_max_recv_queue_size 100"},
		{WITH("\"faults\":{\"full\":\"200%\"}"),
		 "faults.full: \"200%\" is not a number from 0 to 100% (percent of sends that find "
		 "a "
		 "full queue)"},
	};

	(void)state;
	expect_refusals(cases, ARRAY_SIZE(cases));
}

/* {"cards":[{"dpu":[...],"host":[{},{},...]}, ...]}: too many before any of them is looked at */
static void too_many_functions_are_refused(void **state)
{
	const unsigned int cards = 3, per_card = 1000;
	char *text = calloc(1, cards * per_card * 3 + 1000);
	const struct refusal expected = {
		text, "test:1: cards: has 3000 functions; at most 2048 are possible"};

	(void)state;
	strcpy(text, "{\"cards\":[");
	for (unsigned int i = 0; i < cards; i++) {
		char *end = text + strlen(text);

		end = stpcpy(end, i ? ",{\"host\":[" : "{\"host\":[");
		for (unsigned int k = 0; k < per_card; k++)
			end = stpcpy(end, k ? ",{}" : "{}");
		strcpy(end, "]}");
	}
	strcat(text, "]}");
	expect_refusals(&expected, 1);
	free(text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(everything_beside_cards_is_taken),
		cmocka_unit_test(access_is_by_name_or_number),
		cmocka_unit_test(no_card_is_a_topology_too),
		cmocka_unit_test(text_that_is_not_json_is_refused),
		cmocka_unit_test(text_that_is_not_json_is_refused_with_its_line),
		cmocka_unit_test(wrong_parts_are_refused),
		cmocka_unit_test(too_many_functions_are_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
