/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Applications: their names, and functions found by what the program calls them.
 */
#include "test.h"

#include <stdlib.h>
#include "dpa/dpa.h"
#include "rig.h"

static uint64_t twice(uint64_t value)
{
	return 2 * value;
}
RPC(twice_stub, twice)

static uint64_t half(uint64_t value)
{
	return value / 2;
}
RPC(half_stub, half)

static void stranger(void)
{
}

static const struct softfield_dpa_func funcs[] = {RPC_ROW(twice_stub), RPC_ROW(half_stub)};

static int set_up(void **state)
{
	static struct rig rig;

	rig_init(&rig, funcs, ARRAY_SIZE(funcs));
	*state = &rig;
	return 0;
}

static int tear_down(void **state)
{
	return rig_fini(*state);
}

static void a_name_needs_room_for_its_end(void **state)
{
	struct rig *rig = *state;
	char name[8] = "-------";
	uint32_t size = 3;

	assert_err(doca_dpa_app_get_name(&rig->app, name, &size), INVALID_VALUE);
	assert_int_equal(size, sizeof("rig"));
	assert_string_equal(name, "-------");
	assert_ok(doca_dpa_app_get_name(&rig->app, name, &size));
	assert_int_equal(size, sizeof("rig"));
	assert_string_equal(name, "rig");
	size = sizeof(name);
	assert_ok(doca_dpa_app_get_name(&rig->app, name, &size));
	assert_int_equal(size, sizeof("rig"));
}

static void without_a_buffer_it_says_the_size(void **state)
{
	struct rig *rig = *state;
	uint32_t size = 0;

	assert_err(doca_dpa_app_get_name(&rig->app, NULL, &size), INVALID_VALUE);
	assert_int_equal(size, sizeof("rig"));
	assert_err(doca_dpa_app_get_name(&rig->app, NULL, &size), INVALID_VALUE);
	assert_int_equal(size, sizeof("rig"));
}

static void the_form_of_2_5_does_the_same(void **state)
{
	struct rig *rig = *state;
	char name[8];
	size_t size = 3;

	assert_err(doca_dpa_app_name_get(&rig->app, name, &size), INVALID_VALUE);
	assert_int_equal(size, sizeof("rig"));
	assert_ok(doca_dpa_app_name_get(&rig->app, name, &size));
	assert_string_equal(name, "rig");
	assert_err(doca_dpa_app_name_get(NULL, name, &size), INVALID_VALUE);
	assert_err(doca_dpa_app_name_get(&rig->app, NULL, &size), INVALID_VALUE);
	assert_err(doca_dpa_app_name_get(&rig->app, name, NULL), INVALID_VALUE);
}

static void arguments_are_checked(void **state)
{
	struct rig *rig = *state;
	char name[8];
	uint32_t size = sizeof(name);

	assert_err(doca_dpa_app_get_name(NULL, name, &size), INVALID_VALUE);
	assert_err(doca_dpa_app_get_name(&rig->app, name, NULL), INVALID_VALUE);
}

static void functions_are_found_by_their_stubs(void **state)
{
	struct rig *rig = *state;
	struct doca_dev *other = open_dev(DPU_PF1);
	struct doca_dpa *extended;

	assert_ptr_equal(dpa_find_func(rig->dpa, twice_stub), &funcs[0]);
	assert_ptr_equal(dpa_find_func(rig->dpa, half_stub), &funcs[1]);
	assert_null(dpa_find_func(rig->dpa, stranger));
	assert_ok(doca_dpa_device_extend(rig->dpa, other, &extended));
	assert_ptr_equal(dpa_find_func(extended, half_stub), &funcs[1]);
	assert_ok(doca_dpa_destroy(extended));
	assert_ok(doca_dev_close(other));
}

static void arguments_of_a_call_are_aligned(void **state)
{
	void *args = dpa_alloc_args(&funcs[0]);

	(void)state;
	assert_non_null(args);
	assert_int_equal((uintptr_t)args % 16, 0);
	free(args);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(a_name_needs_room_for_its_end),	  TEST(without_a_buffer_it_says_the_size),
		TEST(the_form_of_2_5_does_the_same),	  TEST(arguments_are_checked),
		TEST(functions_are_found_by_their_stubs), TEST(arguments_of_a_call_are_aligned),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
