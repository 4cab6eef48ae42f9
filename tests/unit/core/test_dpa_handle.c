/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Handles of objects for DPA code: what they find, and that old ones find nothing.
 */
#include "test.h"

#include <sched.h>
#include <string.h>
#include "core/dpa_handle.h"
#include "doca_log.h"
#include "said.h"

static int objects[2];

static void it_finds_its_object(void **state)
{
	struct dpa_place *place = priv_dpa_place_take(DPA_THREAD, &objects[0]);
	struct dpa_place *other = priv_dpa_place_take(DPA_THREAD, &objects[1]);

	(void)state;
	assert_ptr_equal(dpa_object_at(dpa_handle_of(place), DPA_THREAD), &objects[0]);
	assert_ptr_equal(dpa_object_at(dpa_handle_of(other), DPA_THREAD), &objects[1]);
	assert_ptr_equal(dpa_object_lock(dpa_handle_of(place), DPA_THREAD), &objects[0]);
	dpa_object_unlock(dpa_handle_of(place));
	priv_dpa_place_give(place);
	priv_dpa_place_give(other);
}

static void nothing_is_found_by_what_is_no_handle(void **state)
{
	struct dpa_place *place = priv_dpa_place_take(DPA_CONSUMER, &objects[0]);
	uint64_t handle = dpa_handle_of(place);
	const uint64_t wrong[] = {0, 1, UINT64_MAX, handle + 1, handle ^ 1ull << 63};

	(void)state;
	for (unsigned int i = 0; i < ARRAY_SIZE(wrong); i++)
		for (int kind = DPA_THREAD; kind < DPA_KIND_COUNT; kind++)
			assert_null(dpa_object_lock(wrong[i], (enum dpa_kind)kind));
	assert_null(dpa_object_at(handle, DPA_PRODUCER));
	assert_non_null(dpa_object_at(handle, DPA_CONSUMER));
	priv_dpa_place_give(place);
}

/* not even the object that stands there now */
static void an_old_one_finds_nothing(void **state)
{
	struct dpa_place *place = priv_dpa_place_take(DPA_THREAD, &objects[0]);
	uint64_t old = dpa_handle_of(place);

	(void)state;
	priv_dpa_place_give(place);
	assert_null(dpa_object_at(old, DPA_THREAD));
	for (int i = 0; i < 1000; i++) {
		assert_ptr_equal(priv_dpa_place_take(DPA_THREAD, &objects[1]), place);
		assert_null(dpa_object_at(old, DPA_THREAD));
		assert_null(dpa_object_lock(old, DPA_THREAD));
		assert_non_null(dpa_object_at(dpa_handle_of(place), DPA_THREAD));
		priv_dpa_place_give(place);
	}
}

static void what_an_engine_drives_is_found_while_it_does(void **state)
{
	struct dpa_engine engine = {.lock = PTHREAD_MUTEX_INITIALIZER}, *found;
	struct dpa_place *place = priv_dpa_place_take(DPA_PRODUCER, &objects[0]);
	uint64_t handle = dpa_handle_of(place);

	(void)state;
	assert_null(dpa_object_lock_engine(handle, DPA_PRODUCER, &found));
	dpa_place_set_engine(place, &engine);
	assert_ptr_equal(dpa_object_lock_engine(handle, DPA_PRODUCER, &found), &objects[0]);
	assert_ptr_equal(found, &engine);
	assert_int_not_equal(pthread_mutex_trylock(&engine.lock), 0);
	dpa_place_set_engine(place, NULL);
	dpa_engine_unlock(&engine);
	assert_null(dpa_object_lock_engine(handle, DPA_PRODUCER, &found));
	priv_dpa_place_give(place);
	assert_int_equal(pthread_mutex_trylock(&engine.lock), 0); /* nobody has it */
	pthread_mutex_unlock(&engine.lock);
}

static struct dpa_place *given_late;

static void *give(void *arg)
{
	priv_dpa_place_give(given_late);
	objects[0] = 2; /* as if it were freed */
	return arg;
}

static void an_object_stays_while_it_is_locked(void **state)
{
	pthread_t thread;
	uint64_t handle;

	(void)state;
	given_late = priv_dpa_place_take(DPA_HASH_TABLE, &objects[0]);
	handle = dpa_handle_of(given_late);
	assert_non_null(dpa_object_lock(handle, DPA_HASH_TABLE));
	objects[0] = 1;
	assert_int_equal(pthread_create(&thread, NULL, give, NULL), 0);
	for (int i = 0; i < 100; i++)
		sched_yield();
	assert_int_equal(objects[0], 1);
	dpa_object_unlock(handle);
	pthread_join(thread, NULL);
	assert_int_equal(objects[0], 2);
	assert_null(dpa_object_lock(handle, DPA_HASH_TABLE));
}

static void use_old_ones(struct child *parent, void *arg)
{
	const uint64_t *handles = arg;
	struct doca_log_backend *backend;

	(void)parent;
	doca_log_backend_create_with_fd_sdk(STDERR_FILENO, &backend);
	for (int i = 0; i < 100; i++)
		dpa_object_lock(handles[i % 2], DPA_HASH_TABLE);
}

static void it_is_told_of_once(void **state)
{
	struct dpa_place *places[2];
	uint64_t handles[2];
	char said[SAID_SIZE], *line = said;
	unsigned int lines = 0;

	(void)state;
	for (int i = 0; i < 2; i++) {
		places[i] = priv_dpa_place_take(DPA_HASH_TABLE, &objects[i]);
		handles[i] = dpa_handle_of(places[i]);
	}
	for (int i = 0; i < 2; i++)
		priv_dpa_place_give(places[i]);
	listen_to(use_old_ones, handles, said);
	for (; (line = strstr(line, "is not the handle of a hash table")); line++)
		lines++;
	assert_int_equal(lines, 2);
}

static void lock_in_child(struct child *parent, void *arg)
{
	struct dpa_place *place = arg;

	(void)parent;
	assert_ptr_equal(dpa_object_lock(dpa_handle_of(place), DPA_THREAD), &objects[0]);
	dpa_object_unlock(dpa_handle_of(place));
	priv_dpa_place_give(place);
}

static void a_child_does_not_wait_for_the_parents_threads(void **state)
{
	struct dpa_place *place = priv_dpa_place_take(DPA_THREAD, &objects[0]);
	struct child child;

	(void)state;
	assert_non_null(dpa_object_lock(dpa_handle_of(place), DPA_THREAD));
	child = child_start(lock_in_child, place);
	assert_int_equal(child_join(&child), 0);
	dpa_object_unlock(dpa_handle_of(place));
	priv_dpa_place_give(place);
}

/* Else what looks for deadlocks would find some in the locks of places: their order is by kinds. */
static void a_place_is_taken_again_for_the_same_kind(void **state)
{
	struct dpa_place *place = priv_dpa_place_take(DPA_COMPLETION, &objects[0]);
	struct dpa_place *other;

	(void)state;
	priv_dpa_place_give(place);
	other = priv_dpa_place_take(DPA_ASYNC_OPS, &objects[0]);
	assert_ptr_not_equal(other, place);
	assert_ptr_equal(priv_dpa_place_take(DPA_COMPLETION, &objects[1]), place);
	priv_dpa_place_give(place);
	priv_dpa_place_give(other);
}

static void there_are_only_so_many(void **state)
{
	static struct dpa_place *places[DPA_PLACES];
	uint32_t count = 0;

	(void)state;
	while ((places[count] = priv_dpa_place_take(DPA_SYNC_EVENT, &objects[0])))
		count++;
	assert_int_equal(count, DPA_PLACES - 1);
	for (int kind = DPA_THREAD; kind < DPA_KIND_COUNT; kind++) {
		priv_dpa_place_give(places[77]);
		places[77] = priv_dpa_place_take((enum dpa_kind)kind, &objects[0]);
		assert_non_null(places[77]);
	}
	while (count--)
		priv_dpa_place_give(places[count]);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(it_finds_its_object),
		cmocka_unit_test(nothing_is_found_by_what_is_no_handle),
		cmocka_unit_test(an_old_one_finds_nothing),
		cmocka_unit_test(what_an_engine_drives_is_found_while_it_does),
		cmocka_unit_test(an_object_stays_while_it_is_locked),
		cmocka_unit_test(it_is_told_of_once),
		cmocka_unit_test(a_child_does_not_wait_for_the_parents_threads),
		cmocka_unit_test(a_place_is_taken_again_for_the_same_kind),
		cmocka_unit_test(there_are_only_so_many),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
