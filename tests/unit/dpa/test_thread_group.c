/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Groups of threads: who may be in one, and what its threads see.
 */
#include "test.h"

#include "dpa/thread_group.h"
#include "rig.h"

#define RANKS 3u

static _Atomic uint64_t seen[RANKS]; /* by argument: rank + 100 * number of threads */

static void look(uint64_t arg)
{
	atomic_store(&seen[arg], doca_dpa_dev_thread_rank() + 100 * doca_dpa_dev_num_threads());
}
GLOBAL(look_stub, look)

static const struct softfield_dpa_func funcs[] = {GLOBAL_ROW(look_stub)};

struct group {
	struct rig rig;
	struct doca_dpa_tg *tg;
	struct doca_dpa_thread *threads[RANKS];
};

static int set_up(void **state)
{
	static struct group group;

	rig_init(&group.rig, funcs, ARRAY_SIZE(funcs));
	assert_ok(doca_dpa_thread_group_create(group.rig.dpa, RANKS, &group.tg));
	for (uint64_t i = 0; i < RANKS; i++) {
		atomic_store(&seen[i], 0);
		group.threads[i] = add_thread(&group.rig, look_stub, i);
	}
	*state = &group;
	return 0;
}

static int tear_down(void **state)
{
	struct group *group = *state;

	if (group->tg)
		assert_ok(doca_dpa_thread_group_destroy(group->tg));
	for (unsigned int i = 0; i < RANKS; i++)
		assert_ok(doca_dpa_thread_destroy(group->threads[i]));
	return rig_fini(&group->rig);
}

/* the last thread has rank 0 */
static void set_all(struct group *group)
{
	for (unsigned int i = 0; i < RANKS; i++)
		assert_ok(doca_dpa_thread_group_set_thread(group->tg, group->threads[i],
							   RANKS - 1 - i));
}

static void arguments_are_checked(void **state)
{
	struct group *group = *state;
	struct doca_dpa_tg *tg;
	unsigned int count;

	assert_err(doca_dpa_thread_group_create(NULL, 1, &tg), INVALID_VALUE);
	assert_err(doca_dpa_thread_group_create(group->rig.dpa, 1, NULL), INVALID_VALUE);
	assert_err(doca_dpa_thread_group_create(group->rig.dpa, 0, &tg), INVALID_VALUE);
	assert_err(doca_dpa_thread_group_create(group->rig.dpa, 1025, &tg), INVALID_VALUE);
	assert_err(doca_dpa_thread_group_destroy(NULL), INVALID_VALUE);
	assert_err(doca_dpa_thread_group_get_num_threads(NULL, &count), INVALID_VALUE);
	assert_err(doca_dpa_thread_group_get_num_threads(group->tg, NULL), INVALID_VALUE);
	assert_ok(doca_dpa_thread_group_get_num_threads(group->tg, &count));
	assert_int_equal(count, RANKS);
	assert_err(doca_dpa_thread_group_set_thread(NULL, group->threads[0], 0), INVALID_VALUE);
	assert_err(doca_dpa_thread_group_set_thread(group->tg, NULL, 0), INVALID_VALUE);
	assert_err(doca_dpa_thread_group_set_thread(group->tg, group->threads[0], RANKS),
		   INVALID_VALUE);
	assert_err(doca_dpa_thread_group_start(NULL), INVALID_VALUE);
	assert_err(doca_dpa_thread_group_stop(NULL), INVALID_VALUE);
}

static void it_needs_a_started_thread_for_each_rank(void **state)
{
	struct group *group = *state;

	set_all(group);
	/* from rank 2 to rank 1: 2 is empty, and who had 1 is out */
	assert_ok(doca_dpa_thread_group_set_thread(group->tg, group->threads[0], 1));
	assert_null(group->threads[1]->group);
	assert_err(doca_dpa_thread_group_start(group->tg), BAD_STATE);
	assert_ok(doca_dpa_thread_group_set_thread(group->tg, group->threads[1], 2));
	assert_ok(doca_dpa_thread_stop(group->threads[1]));
	assert_err(doca_dpa_thread_group_start(group->tg), BAD_STATE);
	assert_ok(doca_dpa_thread_start(group->threads[1]));
	assert_ok(doca_dpa_thread_group_start(group->tg));
	assert_ok(doca_dpa_thread_group_stop(group->tg));
}

static void states_are_checked(void **state)
{
	struct group *group = *state;

	assert_err(doca_dpa_thread_group_stop(group->tg), BAD_STATE);
	set_all(group);
	assert_ok(doca_dpa_thread_group_start(group->tg));
	assert_err(doca_dpa_thread_group_start(group->tg), BAD_STATE);
	assert_err(doca_dpa_thread_group_destroy(group->tg), BAD_STATE);
	assert_err(doca_dpa_thread_group_set_thread(group->tg, group->threads[0], 0), BAD_STATE);
	assert_err(doca_dpa_thread_stop(group->threads[0]), IN_USE);
	assert_ok(doca_dpa_thread_group_stop(group->tg));
	assert_ok(doca_dpa_thread_stop(group->threads[0]));
	assert_err(doca_dpa_thread_destroy(group->threads[0]), IN_USE);
	assert_ok(doca_dpa_thread_start(group->threads[0]));
}

static void a_thread_is_in_one_group(void **state)
{
	struct group *group = *state;
	struct doca_dpa_tg *other;

	assert_ok(doca_dpa_thread_group_create(group->rig.dpa, 1, &other));
	assert_ok(doca_dpa_thread_group_set_thread(other, group->threads[0], 0));
	assert_err(doca_dpa_thread_group_set_thread(group->tg, group->threads[0], 0), IN_USE);
	assert_ok(doca_dpa_thread_group_destroy(other));
	assert_ok(doca_dpa_thread_group_set_thread(group->tg, group->threads[0], 0));
}

static void a_thread_of_another_dpa_is_refused(void **state)
{
	struct group *group = *state;
	struct doca_dpa *dpa;
	struct doca_dpa_thread *thread;

	assert_ok(doca_dpa_create(group->rig.dev, &dpa));
	assert_ok(doca_dpa_set_app(dpa, &group->rig.app));
	assert_ok(doca_dpa_start(dpa));
	assert_ok(doca_dpa_thread_create(dpa, &thread));
	assert_err(doca_dpa_thread_group_set_thread(group->tg, thread, 0), INVALID_VALUE);
	assert_ok(doca_dpa_thread_destroy(thread));
	assert_ok(doca_dpa_destroy(dpa));
}

static void run_all(struct group *group)
{
	struct doca_dpa_notification_completion *notification;
	doca_dpa_dev_notification_completion_t handle;

	for (unsigned int i = 0; i < RANKS; i++) {
		assert_ok(doca_dpa_notification_completion_create(group->rig.dpa, group->threads[i],
								  &notification));
		assert_ok(doca_dpa_notification_completion_start(notification));
		assert_ok(doca_dpa_notification_completion_get_dpa_handle(notification, &handle));
		assert_ok(doca_dpa_thread_run(group->threads[i]));
		doca_dpa_dev_thread_notify(handle);
		wait_until(&seen[i], 1);
		assert_ok(doca_dpa_notification_completion_destroy(notification));
	}
}

static void threads_see_their_ranks(void **state)
{
	struct group *group = *state;

	set_all(group);
	assert_ok(doca_dpa_thread_group_start(group->tg));
	run_all(group);
	for (unsigned int i = 0; i < RANKS; i++)
		assert_int_equal(atomic_load(&seen[i]), RANKS - 1 - i + 100 * RANKS);
	/* as programs do it: the group goes while its threads are started */
	assert_ok(doca_dpa_thread_group_stop(group->tg));
	assert_ok(doca_dpa_thread_group_destroy(group->tg));
	group->tg = NULL;
	for (unsigned int i = 0; i < RANKS; i++)
		assert_ok(doca_dpa_thread_stop(group->threads[i]));
}

static void without_a_group_there_is_one_rank(void **state)
{
	struct group *group = *state;

	set_all(group); /* not started */
	run_all(group);
	for (unsigned int i = 0; i < RANKS; i++)
		assert_int_equal(atomic_load(&seen[i]), 100);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(arguments_are_checked),
		TEST(it_needs_a_started_thread_for_each_rank),
		TEST(states_are_checked),
		TEST(a_thread_is_in_one_group),
		TEST(a_thread_of_another_dpa_is_refused),
		TEST(threads_see_their_ranks),
		TEST(without_a_group_there_is_one_rank),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
