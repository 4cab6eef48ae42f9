/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * SOFTFIELD_LOG: what the libraries say on standard error of a program that has made no log. Read
 * once in a process, so each case has a child.
 */
#include "test.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include "base/log.h"
#include "said.h"

static void talk(struct child *parent, void *level)
{
	(void)parent;
	if (level)
		setenv("SOFTFIELD_LOG", level, 1);
	else
		unsetenv("SOFTFIELD_LOG");
	LOG_ERR("an error");
	LOG_WRN("a warning");
	LOG_DBG("a detail");
}

static void check(const char *level, bool error, bool warning, bool detail)
{
	char said[SAID_SIZE];

	listen_to(talk, (void *)level, said);
	assert_int_equal(strstr(said, "an error") != NULL, error);
	assert_int_equal(strstr(said, "a warning") != NULL, warning);
	assert_int_equal(strstr(said, "a detail") != NULL, detail);
	assert_null(strstr(said, "is not a log level"));
}

static void levels_have_names_and_numbers(void **state)
{
	(void)state;
	check("disable", false, false, false);
	check("error", true, false, false);
	check("warning", true, true, false);
	check("debug", true, true, true);
	check("30", true, false, false);
	check("60", true, true, true);
}

static void another_word_is_answered_with_the_allowed_ones(void **state)
{
	char said[SAID_SIZE];

	(void)state;
	listen_to(talk, (void *)"loud", said);
	assert_non_null(
		strstr(said, "SOFTFIELD_LOG='loud' is not a log level; allowed: disable, "));
	listen_to(talk, (void *)"35", said);
	assert_non_null(strstr(said, "SOFTFIELD_LOG='35' is not"));
}

static void without_it_nothing_is_said(void **state)
{
	(void)state;
	check(NULL, false, false, false);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(levels_have_names_and_numbers),
		cmocka_unit_test(another_word_is_answered_with_the_allowed_ones),
		cmocka_unit_test(without_it_nothing_is_said),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
