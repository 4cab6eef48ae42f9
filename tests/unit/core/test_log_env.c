/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * SOFTFIELD_LOG: what the libraries say on standard error of a program that has made no log. Read
 * once in a process, so each case has a child.
 */
#include "test.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
#include "base/log.h"
#include "child.h"

#define SAID_SIZE 4096

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

/* what a process says on standard error that has this level in its environment */
static void listen_to(const char *level, char said[SAID_SIZE])
{
	int file = memfd_create("stderr", MFD_CLOEXEC), kept = dup(STDERR_FILENO);
	struct child child;
	ssize_t size;

	assert_true(file >= 0 && kept >= 0);
	dup2(file, STDERR_FILENO);
	child = child_start(talk, (void *)level);
	dup2(kept, STDERR_FILENO);
	assert_int_equal(child_join(&child), 0);
	size = pread(file, said, SAID_SIZE - 1, 0);
	assert_true(size >= 0);
	said[size] = '\0';
	close(file);
	close(kept);
}

static void check(const char *level, bool error, bool warning, bool detail)
{
	char said[SAID_SIZE];

	listen_to(level, said);
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
	listen_to("loud", said);
	assert_non_null(
		strstr(said, "SOFTFIELD_LOG='loud' is not a log level; allowed: disable, "));
	listen_to("35", said);
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
