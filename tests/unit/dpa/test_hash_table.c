/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Hash tables, by both sides: against a model, to the last entry, from several threads.
 */
#include "test.h"

#include <pthread.h>
#include "base/random.h"
#include "dpa/hash_table.h"
#include "rig.h"

#define KEYS 48u

struct tables {
	struct rig rig;
	struct doca_dpa_hash_table *ht;
	doca_dpa_dev_hash_table_t handle;
};

static int set_up(void **state)
{
	static struct tables tables;

	rig_init(&tables.rig, NULL, 0);
	*state = &tables;
	return 0;
}

static int tear_down(void **state)
{
	return rig_fini(&((struct tables *)*state)->rig);
}

static void make(struct tables *tables, unsigned int num_entries)
{
	assert_ok(doca_dpa_hash_table_create(tables->rig.dpa, num_entries, &tables->ht));
	assert_ok(doca_dpa_hash_table_get_dpa_handle(tables->ht, &tables->handle));
}

static void arguments_are_checked(void **state)
{
	struct tables *tables = *state;
	struct doca_dpa *dpa = tables->rig.dpa;
	struct doca_dpa_hash_table *ht;

	assert_err(doca_dpa_hash_table_create(NULL, 4, &ht), INVALID_VALUE);
	assert_err(doca_dpa_hash_table_create(dpa, 4, NULL), INVALID_VALUE);
	assert_err(doca_dpa_hash_table_create(dpa, 0, &ht), INVALID_VALUE);
	assert_err(doca_dpa_hash_table_create(dpa, HASH_TABLE_MAX_ENTRIES + 1, &ht), INVALID_VALUE);
	assert_err(doca_dpa_hash_table_destroy(NULL), INVALID_VALUE);
	make(tables, 1);
	assert_err(doca_dpa_hash_table_get_dpa_handle(NULL, &tables->handle), INVALID_VALUE);
	assert_err(doca_dpa_hash_table_get_dpa_handle(tables->ht, NULL), INVALID_VALUE);
	assert_ok(doca_dpa_hash_table_destroy(tables->ht));
	assert_ok(doca_dpa_stop(dpa));
	assert_err(doca_dpa_hash_table_create(dpa, 4, &ht), BAD_STATE);
}

static void values_are_found_replaced_and_removed(void **state)
{
	struct tables *tables = *state;
	uint64_t value = 77;

	make(tables, 4);
	assert_int_equal(doca_dpa_dev_hash_table_find(tables->handle, 0, &value), 0);
	assert_int_equal(value, 77);
	doca_dpa_dev_hash_table_add(tables->handle, 0, UINT64_MAX);
	doca_dpa_dev_hash_table_add(tables->handle, UINT32_MAX, 5);
	assert_int_equal(doca_dpa_dev_hash_table_find(tables->handle, 0, &value), 1);
	assert_true(value == UINT64_MAX);
	assert_int_equal(doca_dpa_dev_hash_table_find(tables->handle, UINT32_MAX, &value), 1);
	assert_int_equal(value, 5);
	doca_dpa_dev_hash_table_add(tables->handle, 0, 6);
	assert_int_equal(doca_dpa_dev_hash_table_find(tables->handle, 0, &value), 1);
	assert_int_equal(value, 6);
	doca_dpa_dev_hash_table_remove(tables->handle, 0);
	doca_dpa_dev_hash_table_remove(tables->handle, 1); /* which it does not have */
	assert_int_equal(doca_dpa_dev_hash_table_find(tables->handle, 0, &value), 0);
	assert_int_equal(doca_dpa_dev_hash_table_find(tables->handle, UINT32_MAX, &value), 1);
	assert_ok(doca_dpa_hash_table_destroy(tables->ht));
}

/* the number of entries is a power of two; one more is an error of the program */
static void a_full_table_fails(void **state)
{
	struct tables *tables = *state;
	uint64_t value;

	make(tables, 5);
	for (uint32_t key = 0; key < 8; key++)
		doca_dpa_dev_hash_table_add(tables->handle, key, key);
	doca_dpa_dev_hash_table_add(tables->handle, 3, 33); /* is there already */
	assert_ok(doca_dpa_peek_at_last_error(tables->rig.dpa));
	doca_dpa_dev_hash_table_add(tables->handle, 8, 8);
	assert_err(doca_dpa_peek_at_last_error(tables->rig.dpa), BAD_STATE);
	assert_int_equal(doca_dpa_dev_hash_table_find(tables->handle, 8, &value), 0);
	for (uint32_t key = 0; key < 8; key++)
		assert_int_equal(doca_dpa_dev_hash_table_find(tables->handle, key, &value), 1);
	assert_ok(doca_dpa_hash_table_destroy(tables->ht));
}

static void check(const struct tables *tables, const uint64_t model[KEYS])
{
	for (uint32_t key = 0; key < KEYS; key++) {
		uint64_t value = 0;
		int found = doca_dpa_dev_hash_table_find(tables->handle, key, &value);

		assert_int_equal(found, model[key] != 0);
		assert_true(value == model[key]);
	}
}

/* nearly full all the time, so that entries are moved up in every way */
static void it_is_what_a_model_says(void **state)
{
	struct tables *tables = *state;
	uint64_t model[KEYS] = {0};
	struct random seed = {1};
	unsigned int count = 0;

	make(tables, 16);
	for (unsigned int i = 0; i < 20000; i++) {
		uint32_t key = (uint32_t)random_next(&seed) % KEYS;
		uint64_t value = random_next(&seed) | 1;

		if (model[key] && value & 2) {
			doca_dpa_dev_hash_table_remove(tables->handle, key);
			model[key] = 0;
			count--;
		} else if (model[key] || count < 16) {
			doca_dpa_dev_hash_table_add(tables->handle, key, value);
			count += !model[key];
			model[key] = value;
		}
		check(tables, model);
	}
	assert_ok(doca_dpa_peek_at_last_error(tables->rig.dpa));
	assert_ok(doca_dpa_hash_table_destroy(tables->ht));
}

struct user {
	pthread_t thread;
	pthread_barrier_t *begin;
	doca_dpa_dev_hash_table_t handle;
	uint32_t first_key;
	unsigned int misses;
};

static void *use(void *arg)
{
	struct user *user = arg;
	uint64_t value;

	pthread_barrier_wait(user->begin);
	for (uint32_t i = 0; i < 100000; i++) {
		uint32_t key = user->first_key + i % 4;

		doca_dpa_dev_hash_table_add(user->handle, key, i);
		if (!doca_dpa_dev_hash_table_find(user->handle, key, &value) || value != i)
			user->misses++;
		doca_dpa_dev_hash_table_remove(user->handle, key);
	}
	return NULL;
}

static void threads_may_share_it(void **state)
{
	struct tables *tables = *state;
	struct user users[3];
	pthread_barrier_t begin;

	make(tables, 16);
	pthread_barrier_init(&begin, NULL, ARRAY_SIZE(users));
	for (uint32_t i = 0; i < ARRAY_SIZE(users); i++) {
		users[i] = (struct user){
			.begin = &begin,
			.handle = tables->handle,
			.first_key = i * 4,
		};
		assert_int_equal(pthread_create(&users[i].thread, NULL, use, &users[i]), 0);
	}
	for (uint32_t i = 0; i < ARRAY_SIZE(users); i++) {
		pthread_join(users[i].thread, NULL);
		assert_int_equal(users[i].misses, 0);
	}
	pthread_barrier_destroy(&begin);
	assert_int_equal(tables->ht->count, 0);
	assert_ok(doca_dpa_hash_table_destroy(tables->ht));
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(arguments_are_checked), TEST(values_are_found_replaced_and_removed),
		TEST(a_full_table_fails),    TEST(it_is_what_a_model_says),
		TEST(threads_may_share_it),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
