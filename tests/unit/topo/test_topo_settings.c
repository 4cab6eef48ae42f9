/* SPDX-License-Identifier: BSD-3-Clause */
/* Numbers with a name: finding, parsing, lists. */
#include "topotest.h"

static const struct setting *find(const struct setting_table *table, const char *name)
{
	const struct setting *setting = NULL;
	struct topo_why why = {""};

	if (topo_setting_find(table, name, &setting, &why))
		fail_msg("%s", why.text);
	return setting;
}

static void limit_is_found_by_full_and_by_short_name(void **state)
{
	(void)state;
	assert_string_equal(find(&topo_limit_settings, "comch_max_clients")->name,
			    "comch_max_clients");
	assert_string_equal(find(&topo_limit_settings, "max_clients")->name, "comch_max_clients");
}

static void ambiguous_and_unknown_names_are_refused(void **state)
{
	const struct setting *setting = NULL;
	struct topo_why why = {""};

	(void)state;
	assert_int_equal(topo_setting_find(&topo_limit_settings, "max_num_tasks", &setting, &why),
			 DOCA_ERROR_BAD_CONFIG);
	assert_string_equal(why.text, "\"max_num_tasks\" may mean consumer_max_num_tasks or "
				      "producer_max_num_tasks");
	assert_int_equal(topo_setting_find(&topo_fault_settings, "dealy", &setting, &why),
			 DOCA_ERROR_BAD_CONFIG);
	assert_string_equal(why.text, "unknown \"dealy\"; known: delay, jitter, drop_after, "
				      "kill_after, full, seed");
	assert_int_equal(topo_setting_find(&topo_limit_settings, "max_clent", &setting, &why),
			 DOCA_ERROR_BAD_CONFIG);
	assert_string_equal(why.text,
			    "unknown \"max_clent\"; softfield limits lists what there is");
	assert_null(setting);
}

static void every_default_lies_in_its_own_range(void **state)
{
	struct topo_why why;

	(void)state;
	for (size_t i = 0; i < topo_limit_settings.count; i++) {
		const struct setting *row = &topo_limit_settings.rows[i];
		uint64_t value;

		memcpy(&value, (const char *)&topo_builtin_limits + row->offset, sizeof(value));
		assert_in_range(value, row->min, row->max);
		assert_ptr_equal(find(&topo_limit_settings, row->name), row);
	}
	assert_int_equal(topo_limits_check(&topo_builtin_limits, &why), DOCA_SUCCESS);
}

static void durations_take_a_unit(void **state)
{
	static const struct {
		const char *text;
		uint64_t ns;
	} cases[] = {
		{"0", 0},
		{"7", 7000000},
		{"15ns", 15},
		{"1500us", 1500000},
		{"20ms", 20000000},
		{"2s", 2000000000},
		{"3600s", 3600000000000},
	};
	const struct setting *delay = find(&topo_fault_settings, "delay");
	struct topo_faults faults;
	struct topo_why why;

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		assert_int_equal(topo_setting_parse(delay, cases[i].text, &faults, &why),
				 DOCA_SUCCESS);
		assert_int_equal(faults.delay_ns, cases[i].ns);
	}
}

static void wrong_values_leave_the_target_alone(void **state)
{
	static const struct {
		const char *name, *text;
	} cases[] = {
		{"delay", ""},
		{"delay", "ms"},
		{"delay", "-1ms"},
		{"delay", "1 ms"},
		{"delay", "1.5ms"},
		{"delay", "1m"},
		{"delay", "3601s"},
		{"delay", "99999999999999999999"},
		{"delay", "18446744073709551615s"},
		{"full", "101"},
		{"full", "10%%"},
		{"full", "ten"},
		{"drop_after", "0x10"},
		{"drop_after", "+1"},
		{"drop_after", " 1"},
		{"drop_after", "1ms"},
		{"seed", "9223372036854775808"},
	};
	struct topo_faults faults, before;
	struct topo_why why;

	(void)state;
	memset(&faults, 0x5a, sizeof(faults));
	before = faults;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		const struct setting *setting = find(&topo_fault_settings, cases[i].name);

		assert_int_equal(topo_setting_parse(setting, cases[i].text, &faults, &why),
				 DOCA_ERROR_BAD_CONFIG);
		assert_memory_equal(&faults, &before, sizeof(faults));
	}
}

static void limits_end_at_their_ends(void **state)
{
	const struct setting *clients = find(&topo_limit_settings, "max_clients");
	struct topo_limits limits = topo_builtin_limits;
	struct topo_why why;

	(void)state;
	assert_int_equal(topo_setting_parse(clients, "1", &limits, &why), DOCA_SUCCESS);
	assert_int_equal(topo_setting_parse(clients, "10000", &limits, &why), DOCA_SUCCESS);
	assert_int_equal(limits.comch_max_clients, 10000);
	assert_int_equal(topo_setting_parse(clients, "0", &limits, &why), DOCA_ERROR_BAD_CONFIG);
	assert_int_equal(topo_setting_parse(clients, "10001", &limits, &why),
			 DOCA_ERROR_BAD_CONFIG);
	assert_string_equal(why.text, "\"10001\" is not a number from 1 to 10000 "
				      "(clients connected to a server)");
}

static void percent_sign_is_optional(void **state)
{
	const struct setting *full = find(&topo_fault_settings, "full");
	struct topo_faults faults = {.seed = 7};
	struct topo_why why;

	(void)state;
	assert_int_equal(topo_setting_parse(full, "10%", &faults, &why), DOCA_SUCCESS);
	assert_int_equal(faults.full_percent, 10);
	assert_int_equal(topo_setting_parse(full, "100", &faults, &why), DOCA_SUCCESS);
	assert_int_equal(faults.full_percent, 100);
	assert_int_equal(faults.seed, 7); /* the neighbour of a 32-bit member */
}

static void list_sets_all_or_nothing(void **state)
{
	struct topo_faults faults = {.seed = 1};
	const struct topo_faults before = faults;
	struct topo_why why;

	(void)state;
	assert_int_equal(topo_settings_parse_list(&topo_fault_settings, "delay=1ms,full=200%",
						  &faults, sizeof(faults), &why),
			 DOCA_ERROR_BAD_CONFIG);
	assert_memory_equal(&faults, &before, sizeof(faults));
	assert_int_equal(topo_settings_parse_list(&topo_fault_settings,
						  "delay=1ms,jitter=10us,full=20%,seed=9,", &faults,
						  sizeof(faults), &why),
			 DOCA_SUCCESS);
	assert_int_equal(faults.delay_ns, 1000000);
	assert_int_equal(faults.jitter_ns, 10000);
	assert_int_equal(faults.full_percent, 20);
	assert_int_equal(faults.seed, 9);
}

static void list_refuses_with_the_item(void **state)
{
	static const struct refusal cases[] = {
		{"max_clients", "\"max_clients\" is not of the form name=value"},
		{"max_clients=4,,", "\"\" is not of the form name=value"},
		{"max_clients=4,comch_max_clients=5", "\"comch_max_clients\" is given twice"},
		{"max_clients=many", "comch_max_clients: \"many\" is not a number from 1 to 10000 "
				     "(clients connected to a server)"},
		{"consumer_max_buf_list_len=2",
		 "\"2\" is not possible: fixed at 1 (elements of a buffer list posted to a "
		 "consumer)"},
	};
	struct topo_limits limits = topo_builtin_limits;

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct topo_why why = {""};

		assert_int_equal(topo_settings_parse_list(&topo_limit_settings, cases[i].text,
							  &limits, sizeof(limits), &why),
				 DOCA_ERROR_BAD_CONFIG);
		if (!ends_with(why.text, cases[i].reason))
			fail_msg("%s: %s", cases[i].text, why.text);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(limit_is_found_by_full_and_by_short_name),
		cmocka_unit_test(ambiguous_and_unknown_names_are_refused),
		cmocka_unit_test(every_default_lies_in_its_own_range),
		cmocka_unit_test(durations_take_a_unit),
		cmocka_unit_test(wrong_values_leave_the_target_alone),
		cmocka_unit_test(limits_end_at_their_ends),
		cmocka_unit_test(percent_sign_is_optional),
		cmocka_unit_test(list_sets_all_or_nothing),
		cmocka_unit_test(list_refuses_with_the_item),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
