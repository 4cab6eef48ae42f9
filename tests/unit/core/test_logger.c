/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The tree of loggers: names make parents, levels go down when asked to, lists have what they
 * should.
 */
#include "test.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "core/log.h"

DOCA_LOG_REGISTER(TREE::MAIN);

static char buf[1024];
static unsigned int shown;

static void count_record(char *record)
{
	(void)record;
	shown++;
}

/* TREE (TREE::MAIN, TREE::A (TREE::A::X, TREE::A::Y)), OTHER */
static int plant(void **state)
{
	static const char *const names[] = {"TREE::A::X", "TREE::A::Y", "OTHER"};
	struct doca_log_backend *backend;
	int source;

	(void)state;
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (doca_log_register_source(names[i], &source))
			return -1;
	if (doca_log_backend_create_with_buf(buf, sizeof(buf), count_record, &backend))
		return -1;
	return doca_log_backend_set_level_lower_limit(backend, DOCA_LOG_LEVEL_TRACE);
}

static struct doca_logger *find(const char *name)
{
	struct doca_logger **list, *logger;
	uint32_t count;

	assert_int_equal(doca_logger_create_list(NULL, UINT8_MAX, &list, &count), DOCA_SUCCESS);
	logger = doca_logger_find_by_name(list, name);
	assert_int_equal(doca_logger_destroy_list(list), DOCA_SUCCESS);
	return logger;
}

static void expect_list(const struct doca_logger *parent, uint8_t depth, const char *const *names,
			uint32_t name_count)
{
	char name[DOCA_LOGGER_NAME_SIZE];
	struct doca_logger **list;
	uint32_t count;

	assert_int_equal(doca_logger_create_list(parent, depth, &list, &count), DOCA_SUCCESS);
	assert_int_equal(count, name_count);
	for (uint32_t i = 0; i < count; i++) {
		assert_int_equal(doca_logger_get_name(list[i], name), DOCA_SUCCESS);
		assert_string_equal(name, names[i]);
	}
	assert_null(list[count]);
	assert_int_equal(doca_logger_destroy_list(list), DOCA_SUCCESS);
}

static void lists_go_as_deep_as_asked(void **state)
{
	static const char *const all[] = {"TREE",	"TREE::MAIN", "TREE::A",
					  "TREE::A::X", "TREE::A::Y", "OTHER"};
	static const char *const two[] = {"TREE", "TREE::MAIN", "TREE::A", "OTHER"};
	static const char *const top[] = {"TREE", "OTHER"};
	static const char *const below[] = {"TREE::MAIN", "TREE::A"};

	(void)state;
	expect_list(NULL, 0, all, 6);
	expect_list(NULL, 3, all, 6);
	expect_list(NULL, 2, two, 4);
	expect_list(NULL, 1, top, 2);
	expect_list(find("TREE"), 1, below, 2);
	expect_list(find("TREE::A"), 0, all + 3, 2);
	expect_list(find("OTHER"), 0, NULL, 0);
}

static void level_stays_on_its_logger(void **state)
{
	int level;

	(void)state;
	assert_int_equal(doca_logger_set_level(find("TREE::A"), DOCA_LOG_LEVEL_ERROR, 0),
			 DOCA_SUCCESS);
	assert_int_equal(doca_logger_get_level(find("TREE::A"), &level), DOCA_SUCCESS);
	assert_int_equal(level, DOCA_LOG_LEVEL_ERROR);
	doca_logger_get_level(find("TREE::A::X"), &level);
	assert_int_equal(level, DOCA_LOG_LEVEL_TRACE);
}

static void level_propagates(void **state)
{
	static const char *const below[] = {"TREE", "TREE::MAIN", "TREE::A", "TREE::A::X",
					    "TREE::A::Y"};
	int level;

	(void)state;
	assert_int_equal(doca_logger_set_level(find("TREE"), DOCA_LOG_LEVEL_WARNING, 1),
			 DOCA_SUCCESS);
	for (size_t i = 0; i < sizeof(below) / sizeof(below[0]); i++) {
		doca_logger_get_level(find(below[i]), &level);
		assert_int_equal(level, DOCA_LOG_LEVEL_WARNING);
	}
	doca_logger_get_level(find("OTHER"), &level);
	assert_int_equal(level, DOCA_LOG_LEVEL_TRACE);
}

static void late_child_starts_with_its_parents_level(void **state)
{
	int source, level;

	(void)state;
	doca_logger_set_level(find("TREE"), DOCA_LOG_LEVEL_ERROR, 0);
	assert_int_equal(doca_log_register_source("TREE::LATE", &source), DOCA_SUCCESS);
	doca_logger_get_level(find("TREE::LATE"), &level);
	assert_int_equal(level, DOCA_LOG_LEVEL_ERROR);
}

static void level_silences_records(void **state)
{
	(void)state;
	doca_logger_set_level(find("TREE::MAIN"), DOCA_LOG_LEVEL_WARNING, 0);
	shown = 0;
	assert_int_equal(DOCA_LOG_INFO("too verbose for this logger"), DOCA_SUCCESS);
	assert_int_equal(shown, 0);
	DOCA_LOG_WARN("shown");
	assert_int_equal(shown, 1);
	doca_logger_set_level(find("TREE::MAIN"), DOCA_LOG_LEVEL_TRACE, 0);
	DOCA_LOG_DBG("shown");
	assert_int_equal(shown, 2);
}

static void parent_is_no_source(void **state)
{
	int source, level;

	(void)state;
	assert_int_equal(doca_logger_get_level(find("TREE::A"), &level), DOCA_SUCCESS);
	assert_int_equal(doca_log_register_source("TREE::A", &source),
			 DOCA_SUCCESS); /* becomes one */
	assert_int_equal(doca_log(DOCA_LOG_LEVEL_CRIT, source, "f", 1, "g", "x"), DOCA_SUCCESS);
	assert_int_equal(doca_log_unregister_source(source), DOCA_SUCCESS);
}

static void long_name_is_cut(void **state)
{
	char name[400], cut[DOCA_LOGGER_NAME_SIZE];
	int source;

	(void)state;
	memset(name, 'L', sizeof(name) - 1);
	name[sizeof(name) - 1] = '\0';
	assert_int_equal(doca_log_register_source(name, &source), DOCA_SUCCESS);
	memcpy(cut, name, sizeof(cut) - 1);
	cut[sizeof(cut) - 1] = '\0';
	assert_non_null(find(cut));
	assert_null(find(name));
}

static void odd_names_are_names(void **state)
{
	static const char *const names[] = {"::", "::ODD", "ODD::", "ODD::::X", ":", "A:B", " "};
	int sources[7];

	(void)state;
	for (size_t i = 0; i < 7; i++) {
		assert_int_equal(doca_log_register_source(names[i], &sources[i]), DOCA_SUCCESS);
		assert_non_null(find(names[i]));
		for (size_t j = 0; j < i; j++)
			assert_int_not_equal(sources[i], sources[j]);
	}
}

static void wrong_arguments_are_refused(void **state)
{
	struct doca_logger *tree = find("TREE"), **list;
	char name[DOCA_LOGGER_NAME_SIZE];
	uint32_t count;
	int level;
	const doca_error_t answers[] = {
		doca_logger_create_list(NULL, 1, NULL, &count),
		doca_logger_create_list(NULL, 1, &list, NULL),
		doca_logger_destroy_list(NULL),
		doca_logger_set_level(NULL, 50, 0),
		doca_logger_set_level(tree, 0, 0),
		doca_logger_set_level(tree, -50, 0),
		doca_logger_set_level(tree, 55, 0),
		doca_logger_set_level(tree, 80, 0),
		doca_logger_get_level(NULL, &level),
		doca_logger_get_level(tree, NULL),
		doca_logger_get_name(NULL, name),
		doca_logger_get_name(tree, NULL),
	};

	(void)state;
	for (size_t i = 0; i < sizeof(answers) / sizeof(answers[0]); i++)
		assert_int_equal(answers[i], DOCA_ERROR_INVALID_VALUE);
	assert_null(doca_logger_find_by_name(NULL, "TREE"));
	assert_null(find("NOBODY"));
}

/* last: afterwards there is no room */
static void full_when_the_maximum_is_reached(void **state)
{
	char name[32];
	int source;
	int number = 0;
	doca_error_t err;

	(void)state;
	do {
		snprintf(name, sizeof(name), "MANY::%d", number);
		err = doca_log_register_source(name, &source);
	} while (!err && number++ < LOG_SOURCES_MAX);
	assert_int_equal(err, DOCA_ERROR_NO_MEMORY);
	assert_int_equal(doca_log_register_source("OTHER", &source), DOCA_SUCCESS);
	assert_int_equal(doca_log(DOCA_LOG_LEVEL_CRIT, source, "f", 1, "g", "x"), DOCA_SUCCESS);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(lists_go_as_deep_as_asked),
		cmocka_unit_test(level_stays_on_its_logger),
		cmocka_unit_test(level_propagates),
		cmocka_unit_test(late_child_starts_with_its_parents_level),
		cmocka_unit_test(level_silences_records),
		cmocka_unit_test(parent_is_no_source),
		cmocka_unit_test(long_name_is_cut),
		cmocka_unit_test(odd_names_are_names),
		cmocka_unit_test(wrong_arguments_are_refused),
		cmocka_unit_test(full_when_the_maximum_is_reached),
	};

	unsetenv("SOFTFIELD_LOG");
	return cmocka_run_group_tests(tests, plant, NULL);
}
