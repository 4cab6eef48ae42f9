/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * DPA contexts: states, what keeps them from being stopped, contexts that extend others.
 */
#define DOCA_LEGACY_2_7
#include "test.h"

#include "dpa/dpa.h"
#include "rig.h"

static int set_up(void **state)
{
	static struct rig rig;

	rig_init(&rig, NULL, 0);
	*state = &rig;
	return 0;
}

static int tear_down(void **state)
{
	return rig_fini(*state);
}

/* what makes an object of a context, and what destroys it */
struct child {
	const char *name;
	doca_error_t (*create)(struct doca_dpa *dpa, void **child);
	doca_error_t (*destroy)(void *child);
};

#define CHILD(type, name, ...)                                                                     \
	static doca_error_t create_##name(struct doca_dpa *dpa, void **child)                      \
	{                                                                                          \
		struct type *made = NULL;                                                          \
		doca_error_t err = doca_dpa_##name##_create(dpa __VA_ARGS__, &made);               \
                                                                                                   \
		*child = made;                                                                     \
		return err;                                                                        \
	}                                                                                          \
	static doca_error_t destroy_##name(void *child)                                            \
	{                                                                                          \
		return doca_dpa_##name##_destroy(child);                                           \
	}

CHILD(doca_dpa_hash_table, hash_table, , 4)
CHILD(doca_dpa_eu_affinity, eu_affinity)
CHILD(doca_dpa_thread, thread)
CHILD(doca_dpa_tg, thread_group, , 2)
CHILD(doca_dpa_completion, completion, , 4)

static const struct child children[] = {
	{"hash table", create_hash_table, destroy_hash_table},
	{"affinity", create_eu_affinity, destroy_eu_affinity},
	{"thread", create_thread, destroy_thread},
	{"thread group", create_thread_group, destroy_thread_group},
	{"completion", create_completion, destroy_completion},
};

static void arguments_are_checked(void **state)
{
	struct rig *rig = *state;
	struct doca_dpa *dpa;
	struct doca_dpa_app *app;
	doca_dpa_dev_t handle;
	uint32_t id;

	assert_err(doca_dpa_create(NULL, &dpa), INVALID_VALUE);
	assert_err(doca_dpa_create(rig->dev, NULL), INVALID_VALUE);
	assert_err(doca_dpa_destroy(NULL), INVALID_VALUE);
	assert_err(doca_dpa_start(NULL), INVALID_VALUE);
	assert_err(doca_dpa_stop(NULL), INVALID_VALUE);
	assert_err(doca_dpa_set_app(NULL, &rig->app), INVALID_VALUE);
	assert_err(doca_dpa_set_app(rig->dpa, NULL), INVALID_VALUE);
	assert_err(doca_dpa_get_app(NULL, &app), INVALID_VALUE);
	assert_err(doca_dpa_get_app(rig->dpa, NULL), INVALID_VALUE);
	assert_err(doca_dpa_device_extend(NULL, rig->dev, &dpa), INVALID_VALUE);
	assert_err(doca_dpa_device_extend(rig->dpa, NULL, &dpa), INVALID_VALUE);
	assert_err(doca_dpa_device_extend(rig->dpa, rig->dev, NULL), INVALID_VALUE);
	assert_err(doca_dpa_get_dpa_handle(NULL, &handle), INVALID_VALUE);
	assert_err(doca_dpa_get_dpa_handle(rig->dpa, NULL), INVALID_VALUE);
	assert_err(doca_dpa_get_uar_id(NULL, &id), INVALID_VALUE);
	assert_err(doca_dpa_get_uar_id(rig->dpa, NULL), INVALID_VALUE);
	assert_err(doca_dpa_peek_at_last_error(NULL), INVALID_VALUE);
}

static void states_are_checked(void **state)
{
	struct rig *rig = *state;
	struct doca_dpa *dpa, *extended;
	struct doca_dpa_app *app = NULL;
	doca_dpa_dev_t handle;
	uint32_t id;

	assert_ok(doca_dpa_create(rig->dev, &dpa));
	assert_err(doca_dpa_start(dpa), BAD_STATE); /* no application */
	assert_err(doca_dpa_get_app(dpa, &app), BAD_STATE);
	assert_null(app);
	assert_ok(doca_dpa_set_app(dpa, &rig->app));
	assert_ok(doca_dpa_get_app(dpa, &app));
	assert_ptr_equal(app, &rig->app);
	assert_err(doca_dpa_stop(dpa), BAD_STATE);
	assert_err(doca_dpa_get_dpa_handle(dpa, &handle), BAD_STATE);
	assert_err(doca_dpa_get_uar_id(dpa, &id), BAD_STATE);
	assert_err(doca_dpa_device_extend(dpa, rig->dev, &extended), BAD_STATE);
	assert_ok(doca_dpa_start(dpa));
	assert_err(doca_dpa_start(dpa), BAD_STATE);
	assert_err(doca_dpa_set_app(dpa, &rig->app), BAD_STATE);
	assert_ok(doca_dpa_get_dpa_handle(dpa, &handle));
	assert_int_not_equal(handle, 0);
	assert_ok(doca_dpa_get_uar_id(dpa, &id));
	assert_ok(doca_dpa_stop(dpa));
	assert_ok(doca_dpa_start(dpa));
	assert_ok(doca_dpa_stop(dpa));
	assert_ok(doca_dpa_destroy(dpa));
}

static void an_application_of_another_dpacc_is_refused(void **state)
{
	struct rig *rig = *state;
	struct doca_dpa_app app = {SOFTFIELD_DPA_APP_VERSION + 1, 0, "old", NULL};
	struct doca_dpa *dpa;

	assert_ok(doca_dpa_create(rig->dev, &dpa));
	assert_err(doca_dpa_set_app(dpa, &app), INVALID_VALUE);
	assert_ok(doca_dpa_destroy(dpa));
	assert_err(doca_dpa_create(rig->dev, &app, &dpa), INVALID_VALUE);
}

static void numbers_are_those_of_a_card(void **state)
{
	struct rig *rig = *state;
	unsigned int cores, eus, total, threads;
	unsigned long long seconds;

	assert_ok(doca_dpa_get_core_num(rig->dpa, &cores));
	assert_ok(doca_dpa_get_num_eus_per_core(rig->dpa, &eus));
	assert_ok(doca_dpa_get_total_num_eus_available(rig->dpa, &total));
	assert_ok(doca_dpa_get_max_threads_per_kernel(rig->dpa, &threads));
	assert_ok(doca_dpa_get_kernel_max_run_time(rig->dpa, &seconds));
	assert_int_equal(total, cores * eus);
	assert_int_equal(threads, 128);
	assert_true(seconds > 1000000);
	assert_err(doca_dpa_get_core_num(NULL, &cores), INVALID_VALUE);
	assert_err(doca_dpa_get_core_num(rig->dpa, NULL), INVALID_VALUE);
	assert_err(doca_dpa_get_num_eus_per_core(NULL, &eus), INVALID_VALUE);
	assert_err(doca_dpa_get_num_eus_per_core(rig->dpa, NULL), INVALID_VALUE);
	assert_err(doca_dpa_get_total_num_eus_available(NULL, &total), INVALID_VALUE);
	assert_err(doca_dpa_get_total_num_eus_available(rig->dpa, NULL), INVALID_VALUE);
	assert_err(doca_dpa_get_max_threads_per_kernel(NULL, &threads), INVALID_VALUE);
	assert_err(doca_dpa_get_max_threads_per_kernel(rig->dpa, NULL), INVALID_VALUE);
	assert_err(doca_dpa_get_kernel_max_run_time(NULL, &seconds), INVALID_VALUE);
	assert_err(doca_dpa_get_kernel_max_run_time(rig->dpa, NULL), INVALID_VALUE);
}

static void every_device_has_a_dpa(void **state)
{
	struct rig *rig = *state;
	const struct doca_devinfo *devinfo = doca_dev_as_devinfo(rig->dev);

	assert_ok(doca_dpa_cap_is_supported(devinfo));
	assert_err(doca_dpa_cap_is_supported(NULL), INVALID_VALUE);
	assert_ok(doca_devinfo_get_is_dpa_supported(devinfo));
	assert_err(doca_devinfo_get_is_dpa_supported(NULL), INVALID_VALUE);
}

static void objects_keep_it(void **state)
{
	struct rig *rig = *state;
	doca_dpa_dev_t handle;
	void *child;

	for (unsigned int i = 0; i < ARRAY_SIZE(children); i++) {
		print_message("%s\n", children[i].name);
		assert_err(children[i].create(NULL, &child), INVALID_VALUE);
		assert_ok(children[i].create(rig->dpa, &child));
		assert_err(doca_dpa_stop(rig->dpa), IN_USE);
		assert_err(doca_dpa_destroy(rig->dpa), IN_USE);
		assert_ok(doca_dpa_get_dpa_handle(rig->dpa, &handle)); /* nothing has happened */
		assert_ok(children[i].destroy(child));
		assert_err(children[i].destroy(NULL), INVALID_VALUE);
		assert_ok(doca_dpa_stop(rig->dpa));
		assert_ok(doca_dpa_start(rig->dpa));
	}
}

static void it_keeps_its_device(void **state)
{
	struct rig *rig = *state;

	assert_err(doca_dev_close(rig->dev), IN_USE);
}

static void an_extended_one_is_started_and_shares(void **state)
{
	struct rig *rig = *state;
	struct doca_dev *other = open_dev(DPU_PF1);
	struct doca_dpa *extended, *more;
	struct doca_dpa_app *app;
	doca_dpa_dev_t handles[2];
	doca_dpa_dev_uintptr_t memory;

	assert_ok(doca_dpa_device_extend(rig->dpa, other, &extended));
	assert_ok(doca_dpa_get_dpa_handle(rig->dpa, &handles[0]));
	assert_ok(doca_dpa_get_dpa_handle(extended, &handles[1]));
	assert_true(handles[0] != handles[1]);
	assert_ok(doca_dpa_get_app(extended, &app));
	assert_ptr_equal(app, &rig->app);
	assert_ptr_equal(priv_dpa->get_dev(rig->dpa), rig->dev);
	assert_ptr_equal(priv_dpa->get_dev(extended), other);
	assert_err(doca_dev_close(other), IN_USE);
	assert_err(doca_dpa_device_extend(extended, rig->dev, &more), NOT_PERMITTED);
	assert_err(doca_dpa_set_app(extended, &rig->app), NOT_PERMITTED);
	assert_ok(doca_dpa_mem_alloc(extended, 16, &memory));
	assert_ok(doca_dpa_memset(rig->dpa, memory, 0, 16));
	assert_ok(doca_dpa_destroy(extended));
	assert_ok(doca_dpa_mem_free(rig->dpa, memory));
	assert_ok(doca_dev_close(other));
}

static void an_extended_one_goes_first(void **state)
{
	struct rig *rig = *state;
	struct doca_dpa *extended;
	struct doca_dpa_hash_table *table;

	assert_ok(doca_dpa_device_extend(rig->dpa, rig->dev, &extended));
	assert_err(doca_dpa_stop(rig->dpa), IN_USE);
	assert_err(doca_dpa_destroy(rig->dpa), IN_USE);
	assert_ok(doca_dpa_hash_table_create(extended, 1, &table));
	assert_err(doca_dpa_destroy(extended), IN_USE);
	assert_ok(doca_dpa_hash_table_destroy(table));
	assert_ok(doca_dpa_stop(extended));
	assert_err(doca_dpa_stop(extended), BAD_STATE);
	assert_err(doca_dpa_hash_table_create(extended, 1, &table), BAD_STATE);
	assert_ok(doca_dpa_start(extended));
	assert_ok(doca_dpa_destroy(extended));
	assert_ok(doca_dpa_stop(rig->dpa));
}

static void a_fatal_error_stays(void **state)
{
	struct rig *rig = *state;
	struct doca_dpa *extended;

	assert_ok(doca_dpa_device_extend(rig->dpa, rig->dev, &extended));
	assert_ok(doca_dpa_peek_at_last_error(rig->dpa));
	assert_ok(doca_dpa_peek_at_last_error(extended));
	(priv_dpa->fail)(extended, "a test wants one");
	for (unsigned int i = 0; i < 2; i++) {
		assert_err(doca_dpa_peek_at_last_error(rig->dpa), BAD_STATE);
		assert_err(doca_dpa_peek_at_last_error(extended), BAD_STATE);
	}
	assert_ok(doca_dpa_destroy(extended));
}

static void what_other_libraries_attach_keeps_it(void **state)
{
	struct rig *rig = *state;

	assert_ok(priv_dpa->attach(rig->dpa));
	assert_err(doca_dpa_stop(rig->dpa), IN_USE);
	priv_dpa->detach(rig->dpa);
	assert_ok(doca_dpa_stop(rig->dpa));
	assert_err(priv_dpa->attach(rig->dpa), BAD_STATE);
}

static void with_an_application_it_is_created_as_in_2_7(void **state)
{
	struct rig *rig = *state;
	struct doca_dpa *dpa;
	struct doca_dpa_app *app;
	doca_dpa_dev_t handle;

	assert_err(doca_dpa_create(NULL, &rig->app, &dpa), INVALID_VALUE);
	assert_err(doca_dpa_create(rig->dev, NULL, &dpa), INVALID_VALUE);
	assert_err(doca_dpa_create(rig->dev, &rig->app, NULL), INVALID_VALUE);
	assert_ok(doca_dpa_create(rig->dev, &rig->app, &dpa));
	assert_ok(doca_dpa_get_dpa_handle(dpa, &handle));
	assert_ok(doca_dpa_get_app(dpa, &app));
	assert_ptr_equal(app, &rig->app);
	assert_ok(doca_dpa_destroy(dpa));
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(arguments_are_checked),
		TEST(states_are_checked),
		TEST(an_application_of_another_dpacc_is_refused),
		TEST(numbers_are_those_of_a_card),
		TEST(every_device_has_a_dpa),
		TEST(objects_keep_it),
		TEST(it_keeps_its_device),
		TEST(an_extended_one_is_started_and_shares),
		TEST(an_extended_one_goes_first),
		TEST(a_fatal_error_stays),
		TEST(what_other_libraries_attach_keeps_it),
		TEST(with_an_application_it_is_created_as_in_2_7),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
