/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Affinities, and which execution unit threads get by them.
 */
#include "test.h"

#include "dpa/thread.h"
#include "rig.h"

static void nothing(uint64_t arg)
{
	(void)arg;
}
GLOBAL(nothing_stub, nothing)

static const struct softfield_dpa_func funcs[] = {GLOBAL_ROW(nothing_stub)};

struct affinities {
	struct rig rig;
	struct doca_dpa_eu_affinity *affinity;
};

static int set_up(void **state)
{
	static struct affinities affinities;

	rig_init(&affinities.rig, funcs, ARRAY_SIZE(funcs));
	assert_ok(doca_dpa_eu_affinity_create(affinities.rig.dpa, &affinities.affinity));
	*state = &affinities;
	return 0;
}

static int tear_down(void **state)
{
	struct affinities *affinities = *state;

	if (affinities->affinity)
		assert_ok(doca_dpa_eu_affinity_destroy(affinities->affinity));
	return rig_fini(&affinities->rig);
}

static struct doca_dpa_thread *make_thread(struct affinities *affinities)
{
	struct doca_dpa_thread *thread;

	assert_ok(doca_dpa_thread_create(affinities->rig.dpa, &thread));
	assert_ok(doca_dpa_thread_set_func_arg(thread, nothing_stub, 0));
	assert_ok(doca_dpa_thread_set_affinity(thread, affinities->affinity));
	return thread;
}

static void arguments_are_checked(void **state)
{
	struct affinities *affinities = *state;
	struct doca_dpa_eu_affinity *affinity;
	unsigned int eu_id;

	assert_err(doca_dpa_eu_affinity_create(NULL, &affinity), INVALID_VALUE);
	assert_err(doca_dpa_eu_affinity_create(affinities->rig.dpa, NULL), INVALID_VALUE);
	assert_err(doca_dpa_eu_affinity_destroy(NULL), INVALID_VALUE);
	assert_err(doca_dpa_eu_affinity_set(NULL, 0), INVALID_VALUE);
	assert_err(doca_dpa_eu_affinity_clear(NULL), INVALID_VALUE);
	assert_err(doca_dpa_eu_affinity_get(NULL, &eu_id), INVALID_VALUE);
	assert_err(doca_dpa_eu_affinity_get(affinities->affinity, NULL), INVALID_VALUE);
}

static void it_names_what_was_set_last(void **state)
{
	struct affinities *affinities = *state;
	unsigned int eu_id = 7, total;

	assert_ok(doca_dpa_get_total_num_eus_available(affinities->rig.dpa, &total));
	assert_err(doca_dpa_eu_affinity_get(affinities->affinity, &eu_id), BAD_STATE);
	assert_err(doca_dpa_eu_affinity_set(affinities->affinity, total), INVALID_VALUE);
	assert_err(doca_dpa_eu_affinity_get(affinities->affinity, &eu_id), BAD_STATE);
	assert_int_equal(eu_id, 7);
	assert_ok(doca_dpa_eu_affinity_set(affinities->affinity, 0));
	assert_ok(doca_dpa_eu_affinity_get(affinities->affinity, &eu_id));
	assert_int_equal(eu_id, 0);
	assert_ok(doca_dpa_eu_affinity_set(affinities->affinity, total - 1));
	assert_ok(doca_dpa_eu_affinity_get(affinities->affinity, &eu_id));
	assert_int_equal(eu_id, total - 1);
	assert_ok(doca_dpa_eu_affinity_clear(affinities->affinity));
	assert_err(doca_dpa_eu_affinity_get(affinities->affinity, &eu_id), BAD_STATE);
}

static void a_thread_needs_one_that_names_a_unit(void **state)
{
	struct affinities *affinities = *state;
	struct doca_dpa_thread *thread = make_thread(affinities);

	assert_err(doca_dpa_thread_start(thread), BAD_STATE);
	assert_ok(doca_dpa_eu_affinity_set(affinities->affinity, 3));
	assert_ok(doca_dpa_thread_start(thread));
	assert_ok(doca_dpa_thread_stop(thread));
	assert_ok(doca_dpa_thread_destroy(thread));
}

/* as programs do that want a thread on each unit */
static void one_serves_for_several_threads(void **state)
{
	struct affinities *affinities = *state;
	struct doca_dpa_thread *threads[4];

	for (unsigned int i = 0; i < ARRAY_SIZE(threads); i++) {
		assert_ok(doca_dpa_eu_affinity_set(affinities->affinity, i + 1));
		threads[i] = make_thread(affinities);
		assert_ok(doca_dpa_thread_start(threads[i]));
	}
	for (unsigned int i = 0; i < ARRAY_SIZE(threads); i++) {
		for (unsigned int j = 0; j < i; j++)
			assert_ptr_not_equal(threads[i]->unit, threads[j]->unit);
	}
	for (unsigned int i = 0; i < ARRAY_SIZE(threads); i++) {
		assert_ok(doca_dpa_thread_stop(threads[i]));
		assert_ok(doca_dpa_thread_destroy(threads[i]));
	}
}

static void threads_of_one_unit_share_it(void **state)
{
	struct affinities *affinities = *state;
	struct doca_dpa_thread *threads[2];

	assert_ok(doca_dpa_eu_affinity_set(affinities->affinity, 5));
	for (unsigned int i = 0; i < 2; i++) {
		threads[i] = make_thread(affinities);
		assert_ok(doca_dpa_thread_start(threads[i]));
	}
	assert_ptr_equal(threads[0]->unit, threads[1]->unit);
	for (unsigned int i = 0; i < 2; i++)
		assert_ok(doca_dpa_thread_destroy(threads[i]));
}

static void it_may_be_destroyed_before_its_threads(void **state)
{
	struct affinities *affinities = *state;
	struct doca_dpa_thread *thread;

	assert_ok(doca_dpa_eu_affinity_set(affinities->affinity, 5));
	thread = make_thread(affinities);
	assert_ok(doca_dpa_eu_affinity_destroy(affinities->affinity));
	affinities->affinity = NULL;
	assert_ok(doca_dpa_thread_start(thread)); /* the sanitizers know */
	assert_ok(doca_dpa_thread_stop(thread));
	assert_ok(doca_dpa_thread_destroy(thread));
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(arguments_are_checked),
		TEST(it_names_what_was_set_last),
		TEST(a_thread_needs_one_that_names_a_unit),
		TEST(one_serves_for_several_threads),
		TEST(threads_of_one_unit_share_it),
		TEST(it_may_be_destroyed_before_its_threads),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
