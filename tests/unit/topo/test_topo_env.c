/* SPDX-License-Identifier: BSD-3-Clause */
/* SOFTFIELD_* variables, from a made-up environment. */
#include "topotest.h"

static const char *env_name, *env_value;

static char *fake_getenv(const char *name)
{
	return env_name && !strcmp(name, env_name) ? (char *)(uintptr_t)env_value : NULL;
}

static doca_error_t apply(struct topo *topo, const char *name, const char *value,
			  struct topo_why *why)
{
	env_name = name;
	env_value = value;
	return topo_env_apply(topo, fake_getenv, why);
}

static int setup(void **state)
{
	*state = parse_ok(topo_builtin_text);
	return 0;
}

static int teardown(void **state)
{
	priv_topo_free(*state);
	return 0;
}

static void nothing_set_changes_nothing(void **state)
{
	struct topo *topo = *state;
	const struct topo before = *topo;
	struct topo_why why;

	assert_int_equal(apply(topo, NULL, NULL, &why), DOCA_SUCCESS);
	assert_int_equal(apply(topo, "SOFTFIELD_ROLE", "", &why), DOCA_SUCCESS);
	assert_int_equal(apply(topo, "SOFTFIELD_LIMITS", "", &why), DOCA_SUCCESS);
	assert_int_equal(apply(topo, "SOFTFIELD_REGION", "auto", &why), DOCA_SUCCESS);
	assert_int_equal(apply(topo, "SOFTFIELD_REGION", "copy", &why), DOCA_SUCCESS);
	assert_memory_equal(topo, &before, sizeof(before));
}

static void misspelled_variables_are_found(void **state)
{
	static const char *const good[] = {
		"HOME=/",	  "SOFTFIELD_ROLE=dpu", "SOFTFIELD_TOPOLOGY=x.json",
		"SOFTFIELD_LOG=", "SOFTFIELDS=7",	NULL};
	static const char *const bad[] = {"SOFTFIELD_ROLE=dpu",
					  "SOFTFIELD_ROLES=SOFTFIELD_ROLE=dpu", NULL};
	static const char *const none[] = {NULL};
	struct topo_why why;

	(void)state;
	assert_false(topo_env_has_unknown(NULL, &why)); /* clearenv() */
	assert_false(topo_env_has_unknown(none, &why));
	assert_false(topo_env_has_unknown(good, &why));
	assert_true(topo_env_has_unknown(bad, &why));
	assert_string_equal(why.text,
			    "no variable is called SOFTFIELD_ROLES; there are SOFTFIELD_TOPOLOGY, "
			    "SOFTFIELD_LOG, SOFTFIELD_RUNTIME_DIR, SOFTFIELD_CONNECT_WAIT, "
			    "SOFTFIELD_ROLE, SOFTFIELD_FAULTS, SOFTFIELD_LIMITS, "
			    "SOFTFIELD_REGION");
}

static void role_hides_the_other_side(void **state)
{
	struct topo *topo = *state;
	struct topo_why why;

	assert_true(topo->side_visible[TOPO_HOST] && topo->side_visible[TOPO_DPU]);
	assert_int_equal(apply(topo, "SOFTFIELD_ROLE", "host", &why), DOCA_SUCCESS);
	assert_true(topo->side_visible[TOPO_HOST]);
	assert_false(topo->side_visible[TOPO_DPU]);
	assert_int_equal(apply(topo, "SOFTFIELD_ROLE", "dpu", &why), DOCA_SUCCESS);
	assert_false(topo->side_visible[TOPO_HOST]);
	assert_true(topo->side_visible[TOPO_DPU]);
}

static void values_arrive(void **state)
{
	struct topo *topo = *state;
	struct topo_why why;

	assert_int_equal(apply(topo, "SOFTFIELD_RUNTIME_DIR", "/run/x", &why), DOCA_SUCCESS);
	assert_string_equal(topo->runtime_dir, "/run/x");
	assert_int_equal(apply(topo, "SOFTFIELD_RUNTIME_DIR", "", &why), DOCA_SUCCESS);
	assert_string_equal(topo->runtime_dir, "");
	assert_int_equal(apply(topo, "SOFTFIELD_CONNECT_WAIT", "250", &why), DOCA_SUCCESS);
	assert_int_equal(topo->connect_wait_ns, 250000000);
	assert_int_equal(apply(topo, "SOFTFIELD_FAULTS", "delay=1ms,full=10%", &why), DOCA_SUCCESS);
	assert_int_equal(topo->faults.delay_ns, 1000000);
	assert_int_equal(topo->faults.full_percent, 10);
	assert_int_equal(apply(topo, "SOFTFIELD_LIMITS", "max_clients=4000", &why), DOCA_SUCCESS);
	assert_int_equal(topo->limits.comch_max_clients, 4000);
}

static void wrong_value_is_refused_with_the_variable(void **state)
{
	static const struct {
		const char *name, *value, *reason;
	} cases[] = {
		{"SOFTFIELD_ROLE", "arm",
		 "SOFTFIELD_ROLE: \"arm\" is neither \"host\" nor \"dpu\""},
		{"SOFTFIELD_RUNTIME_DIR", "run",
		 "SOFTFIELD_RUNTIME_DIR: \"run\" is not an absolute path"},
		{"SOFTFIELD_CONNECT_WAIT", "soon",
		 "SOFTFIELD_CONNECT_WAIT: \"soon\" is not a duration like 500us, 10ms or 2s (a "
		 "bare number means ms) of at most 3600s"},
		{"SOFTFIELD_REGION", "shadow",
		 "SOFTFIELD_REGION: \"shadow\" is neither \"auto\" nor \"copy\""},
		{"SOFTFIELD_FAULTS", "delay",
		 "SOFTFIELD_FAULTS: \"delay\" is not of the form name=value"},
		{"SOFTFIELD_LIMITS", "comch_max_recv_queue_size=100",
		 "SOFTFIELD_LIMITS: comch_default_recv_queue_size 1024 is above "
		 "comch_max_recv_queue_size 100"},
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct topo_why why = {""};

		assert_int_equal(apply(*state, cases[i].name, cases[i].value, &why),
				 DOCA_ERROR_BAD_CONFIG);
		assert_string_equal(why.text, cases[i].reason);
	}
}

static void runtime_dir_must_fit(void **state)
{
	char path[200];
	struct topo_why why;

	memset(path, 'x', sizeof(path));
	path[0] = '/';
	path[85] = '\0';
	assert_int_equal(apply(*state, "SOFTFIELD_RUNTIME_DIR", path, &why), DOCA_SUCCESS);
	path[85] = 'x';
	path[86] = '\0';
	assert_int_equal(apply(*state, "SOFTFIELD_RUNTIME_DIR", path, &why), DOCA_ERROR_BAD_CONFIG);
	assert_string_equal(why.text, "SOFTFIELD_RUNTIME_DIR: the path has 86 bytes; at most 85 "
				      "are possible");
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(nothing_set_changes_nothing),
		cmocka_unit_test(misspelled_variables_are_found),
		TEST(role_hides_the_other_side),
		TEST(values_arrive),
		TEST(wrong_value_is_refused_with_the_variable),
		TEST(runtime_dir_must_fit),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
