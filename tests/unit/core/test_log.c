/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Records: which are shown, how they look, that threads, children and errno survive them.
 */
#include "test.h"

#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>
#include "base/log.h"
#include "core/log.h"

DOCA_LOG_REGISTER(UNIT::LOG);

#define THREADS		   4
#define RECORDS_PER_THREAD 200

static struct sink {
	struct doca_log_backend *backend;
	char buf[8192], last[8192];
	unsigned int count;
} app, sdk;

static void take_app(char *buf)
{
	strcpy(app.last, buf);
	app.count++;
}

static void take_sdk(char *buf)
{
	strcpy(sdk.last, buf);
	sdk.count++;
}

static int create_backends(void **state)
{
	(void)state;
	if (doca_log_backend_create_with_buf(app.buf, sizeof(app.buf), take_app, &app.backend))
		return -1;
	return doca_log_backend_create_with_buf_sdk(sdk.buf, sizeof(sdk.buf), take_sdk,
						    &sdk.backend);
}

static int reset(void **state)
{
	(void)state;
	app.count = sdk.count = 0;
	app.last[0] = sdk.last[0] = '\0';
	doca_log_level_set_global_lower_limit(DOCA_LOG_LEVEL_INFO);
	doca_log_level_set_global_upper_limit(DOCA_LOG_LEVEL_CRIT);
	return doca_log_level_set_global_sdk_limit(DOCA_LOG_LEVEL_INFO);
}

/* Runs body in a child with its standard error in text; returns the child's answer. */
static int in_child(int (*body)(void), char *text, size_t size)
{
	int memfd = memfd_create("stderr", MFD_CLOEXEC), status;
	ssize_t len;
	pid_t pid;

	assert_true(memfd >= 0);
	fflush(NULL);
	pid = fork();
	if (!pid) {
		dup2(memfd, STDERR_FILENO);
		_exit(body());
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	len = pread(memfd, text, size - 1, 0);
	assert_true(len >= 0);
	text[len] = '\0';
	close(memfd);
	return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

static int log_every_sdk_level(void)
{
	LOG_ERR("an error");
	LOG_WRN("a warning");
	LOG_INFO("a note");
	LOG_DBG("a detail");
	return 0;
}

static const char *environment_level;

static int log_with_environment(void)
{
	setenv("SOFTFIELD_LOG", environment_level, 1);
	return log_every_sdk_level();
}

static int log_with_environment_and_backend(void)
{
	struct doca_log_backend *backend;

	setenv("SOFTFIELD_LOG", "info", 1);
	if (doca_log_backend_create_with_fd_sdk(STDERR_FILENO, &backend) ||
	    doca_log_backend_set_sdk_level(backend, DOCA_LOG_LEVEL_WARNING))
		return 1;
	return log_every_sdk_level();
}

static unsigned int count_lines(const char *text)
{
	unsigned int count = 0;

	for (; *text; text++)
		count += *text == '\n';
	return count;
}

/*
 * The environment is read once in a process: the tests that use it come first and have their own.
 */
static void environment_shows_sdk_records_on_stderr(void **state)
{
	static const struct {
		const char *level;
		unsigned int lines;
	} cases[] = {{"", 0},	   {"disable", 0}, {"10", 0}, {"critical", 0}, {"error", 1},
		     {"30", 1},	   {"warning", 2}, {"40", 2}, {"info", 3},     {"50", 3},
		     {"debug", 4}, {"60", 4},	   {"70", 4}};
	char text[4096];

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		environment_level = cases[i].level;
		assert_int_equal(in_child(log_with_environment, text, sizeof(text)), 0);
		assert_int_equal(count_lines(text), cases[i].lines);
	}
	assert_non_null(strstr(text, "[DOCA][WRN][softfield/test_log.c:"));
}

static void wrong_environment_is_told_once(void **state)
{
	static const char *const values[] = {"loud", "55", "80", "-10", "ERROR "};
	char text[4096];

	(void)state;
	for (size_t i = 0; i < sizeof(values) / sizeof(values[0]); i++) {
		char expected[64];

		environment_level = values[i];
		assert_int_equal(in_child(log_with_environment, text, sizeof(text)), 0);
		assert_int_equal(count_lines(text), 1);
		snprintf(expected, sizeof(expected), "SOFTFIELD_LOG='%s' is not a log level",
			 values[i]);
		assert_non_null(strstr(text, expected));
		assert_non_null(strstr(text, "allowed: disable, critical, error, warning, info"));
	}
}

static void environment_does_not_repeat_what_a_backend_shows(void **state)
{
	char text[4096];

	(void)state;
	assert_int_equal(in_child(log_with_environment_and_backend, text, sizeof(text)), 0);
	assert_int_equal(count_lines(text), 3); /* error and warning by the backend, info besides */
}

static void nothing_is_shown_without_backend(void **state)
{
	char text[4096];

	(void)state;
	assert_int_equal(in_child(log_every_sdk_level, text, sizeof(text)), 0);
	assert_string_equal(text, "");
}

static void line_has_the_known_format(void **state)
{
	unsigned int h, m, s, us;
	int tid, line, used = 0;
	char file[64], func[64];

	(void)state;
	assert_int_equal(DOCA_LOG_INFO("seven is %d", 7), DOCA_SUCCESS);
	assert_int_equal(sscanf(app.last,
				"[%2u:%2u:%2u:%6u][%d][DOCA][INF][%63[^:]:%d][%63[^]]] %n", &h, &m,
				&s, &us, &tid, file, &line, func, &used),
			 8);
	assert_true(h < 24 && m < 60 && s < 60);
	assert_int_equal(tid, gettid());
	assert_string_equal(file, "test_log.c");
	assert_string_equal(func, __func__);
	assert_string_equal(app.last + used, "seven is 7\n");
}

static void level_tags(void **state)
{
	static const struct {
		uint32_t level;
		const char *tag;
	} cases[] = {{20, "[CRT]"}, {30, "[ERR]"}, {40, "[WRN]"},
		     {50, "[INF]"}, {60, "[DBG]"}, {70, "[TRC]"}};

	(void)state;
	doca_log_level_set_global_lower_limit(DOCA_LOG_LEVEL_TRACE);
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		DOCA_LOG(cases[i].level, "x");
		assert_non_null(strstr(app.last, cases[i].tag));
	}
}

static void limits_select_records(void **state)
{
	static const struct {
		uint32_t lower, upper, level;
		bool shown;
	} cases[] = {
		{50, 20, 50, true},  {50, 20, 60, false}, {50, 20, 20, true},  {10, 10, 20, false},
		{70, 10, 70, true},  {50, 40, 30, false}, {50, 40, 40, true},  {50, 40, 50, true},
		{30, 40, 30, false}, {20, 20, 20, true},  {20, 20, 30, false},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		app.count = 0;
		doca_log_level_set_global_lower_limit(cases[i].lower);
		doca_log_level_set_global_upper_limit(cases[i].upper);
		assert_int_equal(doca_log_level_get_global_lower_limit(), cases[i].lower);
		assert_int_equal(doca_log_level_get_global_upper_limit(), cases[i].upper);
		assert_int_equal(DOCA_LOG(cases[i].level, "x"), DOCA_SUCCESS);
		assert_int_equal(app.count, cases[i].shown);
	}
}

static void worlds_are_separate(void **state)
{
	(void)state;
	DOCA_LOG_WARN("of the application");
	assert_int_equal(app.count, 1);
	assert_int_equal(sdk.count, 0);
	LOG_WRN("of the SDK");
	assert_int_equal(app.count, 1);
	assert_int_equal(sdk.count, 1);
	doca_log_level_set_global_lower_limit(DOCA_LOG_LEVEL_DISABLE);
	LOG_WRN("of the SDK");
	assert_int_equal(sdk.count, 2);
	doca_log_level_set_global_sdk_limit(DOCA_LOG_LEVEL_ERROR);
	LOG_WRN("of the SDK");
	assert_int_equal(sdk.count, 2);
	assert_int_equal(doca_log_level_get_global_sdk_limit(), DOCA_LOG_LEVEL_ERROR);
	assert_int_equal(doca_log_level_get_global_lower_limit(), DOCA_LOG_LEVEL_DISABLE);
}

static void wrong_levels_are_refused(void **state)
{
	static const uint32_t levels[] = {0, 1, 9, 15, 71, 80, UINT32_MAX};

	(void)state;
	for (size_t i = 0; i < sizeof(levels) / sizeof(levels[0]); i++) {
		assert_int_equal(doca_log_level_set_global_lower_limit(levels[i]),
				 DOCA_ERROR_INVALID_VALUE);
		assert_int_equal(doca_log_level_set_global_upper_limit(levels[i]),
				 DOCA_ERROR_INVALID_VALUE);
		assert_int_equal(doca_log_level_set_global_sdk_limit(levels[i]),
				 DOCA_ERROR_INVALID_VALUE);
		assert_int_equal(DOCA_LOG(levels[i], "x"), DOCA_ERROR_INVALID_VALUE);
	}
	assert_int_equal(DOCA_LOG(DOCA_LOG_LEVEL_DISABLE, "x"), DOCA_ERROR_INVALID_VALUE);
	assert_int_equal(doca_log_level_get_global_lower_limit(), DOCA_LOG_LEVEL_INFO);
	assert_int_equal(app.count, 0);
}

static void wrong_arguments_are_refused(void **state)
{
	const char *none = NULL;
	int source;

	(void)state;
	assert_int_equal(doca_log(50, 0, "f", 1, "g", "x"), DOCA_ERROR_INVALID_VALUE);
	assert_int_equal(doca_log(70, 0, "f", 1, "g", "x"), DOCA_ERROR_INVALID_VALUE);
	assert_int_equal(doca_log(70, log_source, none, 1, "g", "x"), DOCA_ERROR_INVALID_VALUE);
	assert_int_equal(doca_log(50, -1, "f", 1, "g", "x"), DOCA_ERROR_INVALID_VALUE);
	assert_int_equal(doca_log(50, INT32_MAX, "f", 1, "g", "x"), DOCA_ERROR_INVALID_VALUE);
	assert_int_equal(doca_log(50, log_source, none, 1, "g", "x"), DOCA_ERROR_INVALID_VALUE);
	assert_int_equal(doca_log(50, log_source, "f", 1, none, "x"), DOCA_ERROR_INVALID_VALUE);
	assert_int_equal(doca_log_register_source(NULL, &source), DOCA_ERROR_INVALID_VALUE);
	assert_int_equal(doca_log_register_source("", &source), DOCA_ERROR_INVALID_VALUE);
	assert_int_equal(doca_log_register_source("UNIT", NULL), DOCA_ERROR_INVALID_VALUE);
	assert_int_equal(doca_log_unregister_source(0), DOCA_ERROR_INVALID_VALUE);
	assert_int_equal(doca_log_unregister_source(LOG_SOURCES_MAX + 1), DOCA_ERROR_INVALID_VALUE);
	assert_int_equal(app.count, 0);
}

static void unregistered_source_is_refused(void **state)
{
	int first, second;

	(void)state;
	assert_int_equal(doca_log_register_source("UNIT::TWICE", &first), DOCA_SUCCESS);
	assert_int_equal(doca_log_register_source("UNIT::TWICE", &second), DOCA_SUCCESS);
	assert_int_equal(first, second);
	assert_int_equal(doca_log_unregister_source(first), DOCA_SUCCESS);
	assert_int_equal(doca_log(50, second, "f", 1, "g", "x"), DOCA_SUCCESS);
	assert_int_equal(doca_log_unregister_source(second), DOCA_SUCCESS);
	assert_int_equal(doca_log(50, second, "f", 1, "g", "x"), DOCA_ERROR_INVALID_VALUE);
	assert_int_equal(doca_log_unregister_source(second), DOCA_ERROR_INVALID_VALUE);
}

/* A message as long as the longest control message must not lose its end. */
static void long_text_is_not_cut(void **state)
{
	static const size_t lengths[] = {1, 1900, 1960, 2000, 2048, 4080, 7000};
	static char text[8000];

	(void)state;
	for (size_t i = 0; i < sizeof(lengths) / sizeof(lengths[0]); i++) {
		char *begin;

		memset(text, 'a', lengths[i]);
		text[lengths[i]] = '\0';
		DOCA_LOG_INFO("'%s'", text);
		begin = strchr(app.last, '\'');
		assert_non_null(begin);
		assert_int_equal(strlen(begin), lengths[i] + 3);
		assert_memory_equal(begin + 1, text, lengths[i]);
		assert_string_equal(begin + lengths[i] + 1, "'\n");
	}
}

static void long_names_are_cut(void **state)
{
	char name[4096];

	(void)state;
	memset(name, 'n', sizeof(name) - 1);
	name[sizeof(name) - 1] = '\0';
	assert_int_equal(doca_log(50, log_source, name, INT32_MAX, name, "text"), DOCA_SUCCESS);
	assert_string_equal(app.last + strlen(app.last) - 7, "] text\n");
	assert_true(strlen(app.last) < 512);
}

static void errno_survives(void **state)
{
	char expected[128];

	(void)state;
	errno = ENOSPC;
	snprintf(expected, sizeof(expected), "write: %s\n", strerror(ENOSPC));
	DOCA_LOG_INFO("write: %m");
	assert_int_equal(errno, ENOSPC);
	assert_non_null(strstr(app.last, expected));
	LOG_DBG("not shown");
	LOG_WRN("shown");
	assert_int_equal(errno, ENOSPC);
}

static void *log_much(void *arg)
{
	for (unsigned int i = 0; i < RECORDS_PER_THREAD; i++)
		DOCA_LOG_INFO("thread %d record %u", *(int *)arg, i);
	return NULL;
}

static void threads_lose_nothing(void **state)
{
	int numbers[THREADS];
	pthread_t threads[THREADS];

	(void)state;
	for (int i = 0; i < THREADS; i++) {
		numbers[i] = i;
		assert_int_equal(pthread_create(&threads[i], NULL, log_much, &numbers[i]), 0);
	}
	for (int i = 0; i < THREADS; i++)
		pthread_join(threads[i], NULL);
	assert_int_equal(app.count, THREADS * RECORDS_PER_THREAD);
}

static _Atomic bool stop_logging;

static void *log_until_stopped(void *arg)
{
	while (!stop_logging)
		DOCA_LOG_INFO("busy %p", arg);
	return NULL;
}

static int log_in_child(void)
{
	int source;

	app.count = 0;
	for (int i = 0; i < 10; i++)
		DOCA_LOG_INFO("in the child");
	if (doca_log_level_set_global_lower_limit(DOCA_LOG_LEVEL_DEBUG) ||
	    doca_log_register_source("UNIT::CHILD", &source))
		return 1;
	return app.count == 10 ? 0 : 2;
}

/*
 * The parent's threads hold the locks at any moment of the fork; the child must not wait for them.
 */
static void child_of_busy_parent_can_log(void **state)
{
	pthread_t threads[2];
	char text[256];

	(void)state;
	stop_logging = false;
	for (int i = 0; i < 2; i++)
		assert_int_equal(pthread_create(&threads[i], NULL, log_until_stopped, NULL), 0);
	for (int i = 0; i < 30; i++)
		assert_int_equal(in_child(log_in_child, text, sizeof(text)), 0);
	stop_logging = true;
	for (int i = 0; i < 2; i++)
		pthread_join(threads[i], NULL);
}

static void reader_is_known(void **state)
{
	(void)state;
	assert_true(priv_log_has_reader()); /* the SDK's backend */
	doca_log_level_set_global_sdk_limit(DOCA_LOG_LEVEL_DISABLE);
	assert_true(priv_log_has_reader());
}

static void no_reader_without_backend(void **state)
{
	(void)state;
	assert_false(priv_log_has_reader());
}

int main(void)
{
	const struct CMUnitTest before[] = {
		cmocka_unit_test(environment_shows_sdk_records_on_stderr),
		cmocka_unit_test(wrong_environment_is_told_once),
		cmocka_unit_test(environment_does_not_repeat_what_a_backend_shows),
		cmocka_unit_test(nothing_is_shown_without_backend),
		cmocka_unit_test(no_reader_without_backend),
	};
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(line_has_the_known_format, reset),
		cmocka_unit_test_setup(level_tags, reset),
		cmocka_unit_test_setup(limits_select_records, reset),
		cmocka_unit_test_setup(worlds_are_separate, reset),
		cmocka_unit_test_setup(wrong_levels_are_refused, reset),
		cmocka_unit_test_setup(wrong_arguments_are_refused, reset),
		cmocka_unit_test_setup(unregistered_source_is_refused, reset),
		cmocka_unit_test_setup(long_text_is_not_cut, reset),
		cmocka_unit_test_setup(long_names_are_cut, reset),
		cmocka_unit_test_setup(errno_survives, reset),
		cmocka_unit_test_setup(threads_lose_nothing, reset),
		cmocka_unit_test_setup(child_of_busy_parent_can_log, reset),
		cmocka_unit_test_setup(reader_is_known, reset),
	};
	int failed;

	unsetenv("SOFTFIELD_LOG");
	failed = cmocka_run_group_tests(before, NULL, NULL);
	return failed + cmocka_run_group_tests(tests, create_backends, NULL);
}
