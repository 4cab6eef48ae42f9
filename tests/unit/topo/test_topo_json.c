/* SPDX-License-Identifier: BSD-3-Clause */
/* Lines and repeated keys in JSON text. */
#include "topotest.h"

static const char text[] = "{\n"
			   "  \"cards\": [\n"
			   "    { \"name\": \"a\" },\n"
			   "    { \"name\": \"b\\\"]\",\n"
			   "      \"dpu\": [ 1,\n"
			   "                -2.5e3 ] }\n"
			   "  ],\n"
			   "  \"cards2\": {},\n"
			   "  \"flag\":\n"
			   "     true }\n";

static void line_is_that_of_the_value(void **state)
{
	static const struct {
		const char *path;
		unsigned int line;
	} cases[] = {
		{"", 1},
		{"cards", 2},
		{"cards[0]", 3},
		{"cards[0].name", 3},
		{"cards[1].name", 4},
		{"cards[1].dpu", 5},
		{"cards[1].dpu[0]", 5},
		{"cards[1].dpu[1]", 6},
		{"cards2", 8},
		{"flag", 10},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++)
		assert_int_equal(topo_json_line(text, cases[i].path), cases[i].line);
}

static void line_of_what_is_absent_is_that_around_it(void **state)
{
	(void)state;
	assert_int_equal(topo_json_line(text, "cards[1].pci"), 4);
	assert_int_equal(topo_json_line(text, "cards[1].dpu[7]"), 5);
	assert_int_equal(topo_json_line(text, "nowhere"), 1);
	assert_int_equal(topo_json_line(text, "flagged"), 1);
}

static void repeated_key_is_refused_at_any_depth(void **state)
{
	static const struct refusal cases[] = {
		{"{\"a\":1,\n\"a\":2}", "f:2: a: the key is given twice"},
		{"{\"a\":{\"b\":[{},{\"c\":1,\"d\":2,\"c\":3}]}}",
		 "f:1: a.b[1].c: the key is given twice"},
		{"[{\"x\":[],\n\n\"x\":{}}]", "f:3: [0].x: the key is given twice"},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct topo_why why = {""};

		assert_int_equal(topo_json_check("f", cases[i].text, &why), DOCA_ERROR_BAD_CONFIG);
		assert_string_equal(why.text, cases[i].reason);
	}
}

static void same_key_in_two_objects_is_accepted(void **state)
{
	struct topo_why why;

	(void)state;
	assert_int_equal(topo_json_check("f", text, &why), DOCA_SUCCESS);
	assert_int_equal(topo_json_check("f", "{\"a\":{\"a\":{\"a\":1}},\"b\":{\"a\":1}}", &why),
			 DOCA_SUCCESS);
}

/* json-c refuses most of this first; the walk must stay inside all the same */
static void broken_text_is_refused(void **state)
{
	static const char *const broken[] = {
		"{",	 "[",	    "\"",     "{\"",	    "{\"a",  "{\"a\"",	  "{\"a\":1",
		"[1,",	 "\"\\",    "{\"a\\", "{\"a\":\"",  "{1:2}", "{\"a\" 1}", "[[[[[[[[[[[[",
		"[1 2]", "{'a':1}", "{a:1}",  "{\"a\":1,}",
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(broken); i++) {
		struct topo_why why = {""};

		assert_int_equal(topo_json_line(broken[i], "a.b[3]"), 1);
		assert_int_equal(topo_json_check("f", broken[i], &why), DOCA_ERROR_BAD_CONFIG);
		assert_string_equal(why.text, "f:1: not JSON");
	}
}

static void deep_nesting_ends_the_walk(void **state)
{
	char deep[2001];

	(void)state;
	memset(deep, '[', 2000);
	deep[2000] = '\0';
	assert_int_equal(topo_json_line(deep, "[0][0]"), 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(line_is_that_of_the_value),
		cmocka_unit_test(line_of_what_is_absent_is_that_around_it),
		cmocka_unit_test(repeated_key_is_refused_at_any_depth),
		cmocka_unit_test(same_key_in_two_objects_is_accepted),
		cmocka_unit_test(broken_text_is_refused),
		cmocka_unit_test(deep_nesting_ends_the_walk),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
