/* SPDX-License-Identifier: BSD-3-Clause */
/* Strict reading of JSON values, on a format made up for the purpose. */
#include "topotest.h"
#include "topo/reader.h"

struct thing {
	char name[8];
	uint64_t number;
	bool flag;
	unsigned int elements;
	struct topo_faults faults;
};

static doca_error_t read_thing_name(struct reader *reader, struct json_object *value, void *target)
{
	struct thing *thing = target;

	return reader_name(reader, value, thing->name, sizeof(thing->name));
}

static doca_error_t read_thing_number(struct reader *reader, struct json_object *value,
				      void *target)
{
	struct thing *thing = target;

	return reader_number(reader, value, 3, 9, &thing->number);
}

static doca_error_t read_thing_flag(struct reader *reader, struct json_object *value, void *target)
{
	struct thing *thing = target;

	return reader_bool(reader, value, &thing->flag);
}

static doca_error_t read_element(struct reader *reader, struct json_object *value, void *target)
{
	struct thing *thing = target;
	const char *text;

	thing->elements++;
	return reader_string(reader, value, "a word", &text);
}

static doca_error_t read_list(struct reader *reader, struct json_object *value, void *target)
{
	return reader_elements(reader, value, 1, 2, read_element, target);
}

static doca_error_t read_thing_faults(struct reader *reader, struct json_object *value,
				      void *target)
{
	struct thing *thing = target;

	return reader_settings(reader, value, &topo_fault_settings, &thing->faults);
}

static const struct member members[] = {
	{"name", read_thing_name, true}, {"number", read_thing_number},
	{"flag", read_thing_flag},	 {"list", read_list},
	{"faults", read_thing_faults},
};

static doca_error_t read_text(const char *text, struct thing *thing, struct topo_why *why)
{
	struct reader reader = {.source = "f", .text = text, .why = why};
	struct json_object *root = json_tokener_parse(text);
	doca_error_t err;

	assert_non_null(root);
	err = reader_members(&reader, root, members, ARRAY_SIZE(members), thing);
	json_object_put(root);
	return err;
}

static void all_kinds_of_values_are_read(void **state)
{
	struct thing thing = {0};
	struct topo_why why = {""};

	(void)state;
	assert_int_equal(read_text("{\"list\":[\"a\",\"b\"],\"flag\":true,\"number\":9,"
				   "\"name\":\"A.b_c-7\",\"faults\":{\"full\":\"5%\",\"delay\":2}}",
				   &thing, &why),
			 DOCA_SUCCESS);
	assert_string_equal(thing.name, "A.b_c-7");
	assert_int_equal(thing.number, 9);
	assert_true(thing.flag);
	assert_int_equal(thing.elements, 2);
	assert_int_equal(thing.faults.full_percent, 5);
	assert_int_equal(thing.faults.delay_ns, 2000000);
}

static void what_is_wrong_is_refused_with_its_place(void **state)
{
	static const struct refusal cases[] = {
		{"[]", "f:1: array where an object { ... } is expected"},
		{"{}", "f:1: has no \"name\""},
		{"{\"name\":\"a\",\n\"colour\":1}",
		 "f:2: colour: unknown key; allowed here: name, number, flag, list, faults"},
		{"{\"name\":1}", "f:1: name: int where a string is expected"},
		{"{\"name\":null}", "f:1: name: null where a string is expected"},
		{"{\"name\":\"\"}", "f:1: name: has 0 characters; expected 1 to 7"},
		{"{\"name\":\"12345678\"}", "f:1: name: has 8 characters; expected 1 to 7"},
		{"{\"name\":\"a/b\"}", "f:1: name: \"a/b\" is not a name; letters, digits and "
				       ". _ : @ - are allowed"},
		{"{\"name\":\"a\\u0000\"}", "f:1: name: has a zero byte in it; expected a string"},
		{"{\"name\":\"a\",\"number\":2}",
		 "f:1: number: 2 is out of range; expected 3 to 9"},
		{"{\"name\":\"a\",\"number\":-4}",
		 "f:1: number: -4 is out of range; expected 3 to 9"},
		{"{\"name\":\"a\",\"number\":18446744073709551615}",
		 "f:1: number: 18446744073709551615 is out of range; expected 3 to 9"},
		{"{\"name\":\"a\",\"number\":4.0}",
		 "f:1: number: double where an integer is expected"},
		{"{\"name\":\"a\",\"flag\":1}", "f:1: flag: int where true or false is expected"},
		{"{\"name\":\"a\",\"list\":{}}",
		 "f:1: list: object where an array [ ... ] is expected"},
		{"{\"name\":\"a\",\"list\":[]}", "f:1: list: has 0 elements; expected 1 to 2"},
		{"{\"name\":\"a\",\"list\":[\"a\",\"a\",\"a\"]}",
		 "f:1: list: has 3 elements; expected 1 to 2"},
		{"{\"name\":\"a\",\"list\":[\"a\",\n7]}",
		 "f:2: list[1]: int where a word is expected"},
		{"{\"name\":\"a\",\"faults\":[]}",
		 "f:1: faults: array where an object { ... } is expected"},
		{"{\"name\":\"a\",\"faults\":{\"after\":1}}",
		 "f:1: faults.after: \"after\" may mean drop_after or kill_after"},
		{"{\"name\":\"a\",\"faults\":{\"drop_after\":1,\"x\":2}}",
		 "f:1: faults.x: unknown \"x\"; known: delay, jitter, drop_after, kill_after, "
		 "full, seed"},
		{"{\"name\":\"a\",\"faults\":{\"drop_after\":\"1\"}}",
		 "f:1: faults.drop_after: string where an integer is expected"},
		{"{\"name\":\"a\",\"faults\":{\"full\":true}}",
		 "f:1: faults.full: boolean where an integer or \"10%\" is expected"},
		{"{\"name\":\"a\",\"faults\":{\"delay\":1.5}}",
		 "f:1: faults.delay: double where a duration like \"10ms\" is expected"},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct thing thing = {0};
		struct topo_why why = {""};

		assert_int_equal(read_text(cases[i].text, &thing, &why), DOCA_ERROR_BAD_CONFIG);
		assert_string_equal(why.text, cases[i].reason);
	}
}

static void short_and_full_name_of_one_setting_clash(void **state)
{
	struct reader reader = {.source = "f", .text = "{\"max_clients\":1}"};
	struct json_object *root =
		json_tokener_parse("{\"max_clients\":1,\"comch_max_clients\":2}");
	struct topo_limits limits = topo_builtin_limits;
	struct topo_why why = {""};

	(void)state;
	reader.why = &why;
	assert_int_equal(reader_settings(&reader, root, &topo_limit_settings, &limits),
			 DOCA_ERROR_BAD_CONFIG);
	json_object_put(root);
	assert_string_equal(why.text, "f:1: comch_max_clients: comch_max_clients is given twice");
}

static void control_characters_do_not_reach_the_message(void **state)
{
	struct thing thing = {0};
	struct topo_why why = {""};

	(void)state;
	assert_int_equal(read_text("{\"a\\u001b[31m\\nb\":1}", &thing, &why),
			 DOCA_ERROR_BAD_CONFIG);
	assert_string_equal(why.text, "f:1: a?[31m?b: unknown key; allowed here: name, number, "
				      "flag, list, faults");
}

static void overlong_keys_are_cut(void **state)
{
	char text[1200] = "{\"";
	struct thing thing = {0};
	struct topo_why why = {""};

	(void)state;
	memset(text + 2, 'k', 1000);
	strcpy(text + 1002, "\":1}");
	assert_int_equal(read_text(text, &thing, &why), DOCA_ERROR_BAD_CONFIG);
	assert_true(strlen(why.text) < 200);
}

/* whoever reads: a topology, or what somebody else has in such texts */
static void of_a_long_path_the_end_is_told(void **state)
{
	static const char *const texts[] = {"{", "x", "{\"a\": 1, \"a\": 1}", "{} 'x'",
					    "{\"unknown\": 1}"};
	char path[4000];
	struct topo_why why;
	struct reader reader = {.source = path, .why = &why};
	struct json_object *root = NULL;

	(void)state;
	memset(path, 'a', sizeof(path));
	strcpy(path + sizeof(path) - sizeof("/lab.json"), "/lab.json");
	for (size_t i = 0; i < ARRAY_SIZE(texts); i++) {
		const char *end;

		reader.text = texts[i];
		if (!reader_parse(&reader, &root))
			reader_members(&reader, root, NULL, 0, NULL);
		end = strstr(why.text, "/lab.json:1: ");
		assert_non_null(end);
		assert_int_equal(end - why.text + strlen("/lab.json"), 100);
		json_object_put(root);
		root = NULL;
	}
	path[200] = '\0';
	assert_int_equal(topo_read_text(path, &(char *){NULL}, &why), DOCA_ERROR_BAD_CONFIG);
	assert_string_equal(why.text + 100, ": No such file or directory");
}

static void secrets_are_not_quoted(void **state)
{
	static const struct {
		const char *text, *message;
	} texts[] = {
		{"{\"thing\" \"KEY:1234\"}", "f:1: not JSON: object property name separator ':' "
					     "expected, at: (a line with a secret)"},
		{"[\n\"KEY:1234\" x",
		 "f:2: not JSON: array value separator ',' expected, at: (a line "
		 "with a secret)"},
		{"[\"KEY:1234\",\nx", "f:2: not JSON: unexpected character, at: x"},
	};
	struct topo_why why;
	struct reader reader = {.source = "f", .why = &why, .secret = "KEY:"};
	struct json_object *root;
	size_t i;

	(void)state;
	for (i = 0; i < ARRAY_SIZE(texts); i++) {
		reader.text = texts[i].text;
		assert_int_equal(reader_parse(&reader, &root), DOCA_ERROR_BAD_CONFIG);
		assert_string_equal(why.text, texts[i].message);
	}
	reader.text = "{\"KEY:1234\": 1}";
	assert_int_equal(reader_parse(&reader, &root), DOCA_SUCCESS);
	assert_int_equal(reader_members(&reader, root, NULL, 0, NULL), DOCA_ERROR_BAD_CONFIG);
	assert_null(strstr(why.text, "1234"));
	json_object_put(root);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(all_kinds_of_values_are_read),
		cmocka_unit_test(what_is_wrong_is_refused_with_its_place),
		cmocka_unit_test(short_and_full_name_of_one_setting_clash),
		cmocka_unit_test(control_characters_do_not_reach_the_message),
		cmocka_unit_test(overlong_keys_are_cut),
		cmocka_unit_test(of_a_long_path_the_end_is_told),
		cmocka_unit_test(secrets_are_not_quoted),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
