/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Logging of releases up to 1.5: messages without a backend, until there is one, and lines limited
 * in number. Backends are for ever, so each case has a child.
 */
#define DOCA_LEGACY_1_4
#define DOCA_LOGGING_ALLOW_DLOG
#include "test.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
#include "base/log.h"
#include "child.h"
#include "core/log.h"
#include "doca_log.h"

DOCA_LOG_REGISTER(UNIT::LOG_1_5);

#define SAID_SIZE 8192

static char said[SAID_SIZE];  /* on standard error */
static char other[SAID_SIZE]; /* in the file that the child has besides */
static int other_fd;

static int new_file(void)
{
	int fd = memfd_create("log", MFD_CLOEXEC);

	assert_true(fd >= 0);
	return fd;
}

static void take_text(int fd, char text[SAID_SIZE])
{
	ssize_t size = pread(fd, text, SAID_SIZE - 1, 0);

	assert_true(size >= 0);
	text[size] = '\0';
	close(fd);
}

static void run_child(void (*run)(struct child *parent, void *arg))
{
	int file = new_file(), kept = dup(STDERR_FILENO);
	struct child child;

	assert_true(kept >= 0);
	other_fd = new_file();
	dup2(file, STDERR_FILENO);
	child = child_start(run, NULL);
	dup2(kept, STDERR_FILENO);
	close(kept);
	assert_int_equal(child_join(&child), 0);
	take_text(file, said);
	take_text(other_fd, other);
}

static void check(bool right)
{
	if (!right)
		_exit(97);
}

static unsigned int lines_of(const char *text)
{
	unsigned int count = 0;

	for (; *text; text++)
		count += *text == '\n';
	return count;
}

static void say_every_level(void)
{
	DOCA_LOG_CRIT("a fall");
	DOCA_LOG_ERR("an error");
	DOCA_LOG_WARN("a warning");
	DOCA_LOG_INFO("a note");
	DOCA_LOG_DBG("a detail");
}

static void talk(struct child *parent, void *arg)
{
	(void)parent;
	(void)arg;
	say_every_level();
	LOG_ERR("of the library");
}

static void messages_need_no_backend(void **state)
{
	(void)state;
	run_child(talk);
	assert_int_equal(lines_of(said), 4);
	assert_non_null(strstr(said, "][DOCA][INF][test_log_1_5.c:"));
	assert_non_null(strstr(said, "][say_every_level] a note\n"));
	assert_null(strstr(said, "a detail"));
	assert_null(strstr(said, "of the library"));
}

static void talk_for_two_sources(struct child *parent, void *arg)
{
	int second;

	check(!doca_log_register_source("UNIT::SECOND", &second));
	check(!doca_log(DOCA_LOG_LEVEL_INFO, second, "file.c", 1, "main", "of the second"));
	talk(parent, arg);
	check(!doca_log_unregister_source(second));
	DOCA_LOG_INFO("afterwards");
}

static void several_sources_print_once(void **state)
{
	(void)state;
	run_child(talk_for_two_sources);
	assert_int_equal(lines_of(said), 6);
}

static void talk_at_levels(struct child *parent, void *arg)
{
	check(!doca_log_global_level_set(DOCA_LOG_LEVEL_ERROR));
	talk(parent, arg);
	check(!doca_log_global_level_set(DOCA_LOG_LEVEL_DEBUG));
	DOCA_LOG_DBG("a second detail");
}

static void the_global_level_counts(void **state)
{
	(void)state;
	run_child(talk_at_levels);
	assert_int_equal(lines_of(said), 3);
	assert_non_null(strstr(said, "a second detail\n"));
}

static void talk_to_the_other(struct child *parent, void *arg)
{
	struct doca_logger_backend *backend;

	DOCA_LOG_INFO("before");
	check(!doca_log_create_fd_backend(other_fd, &backend));
	talk(parent, arg);
}

static void a_backend_for_something_else_is_one_more(void **state)
{
	(void)state;
	run_child(talk_to_the_other);
	assert_int_equal(lines_of(said), 5);
	assert_int_equal(lines_of(other), 4);
}

static void talk_to_standard_error(struct child *parent, void *arg)
{
	struct doca_logger_backend *backend;

	DOCA_LOG_INFO("before");
	check(!doca_log_stream_redirect(fdopen(dup(other_fd), "w")));
	check(!doca_log_create_fd_backend(STDERR_FILENO, &backend));
	check(!doca_log_global_level_set(DOCA_LOG_LEVEL_DEBUG)); /* does not bring it back */
	talk(parent, arg);
	check(!doca_log_register_source("UNIT::LATER", &(int){0})); /* nor does this */
	DOCA_LOG_INFO("after");
}

static void one_for_standard_error_takes_its_place(void **state)
{
	(void)state;
	run_child(talk_to_standard_error);
	assert_int_equal(lines_of(said), 7);
	assert_int_equal(lines_of(other), 0);
}

static void talk_to_the_standard_backend(struct child *parent, void *arg)
{
	dup2(other_fd, STDOUT_FILENO);
	check(!doca_log_create_standard_backend());
	talk(parent, arg);
}

static void so_does_the_standard_backend(void **state)
{
	(void)state;
	run_child(talk_to_the_standard_backend);
	assert_int_equal(lines_of(said), 3);
	assert_int_equal(lines_of(other), 1);
}

static void talk_as_of_1_4(struct child *parent, void *arg)
{
	check(!doca_log_create_fd_backend(-1)); /* the other one stays */
	DOCA_LOG_INFO("before");
	check(doca_log_create_fd_backend(other_fd) != NULL);
	talk(parent, arg);
}

static void the_backend_may_be_what_is_returned(void **state)
{
	(void)state;
	run_child(talk_as_of_1_4);
	assert_int_equal(lines_of(said), 5);
	assert_int_equal(lines_of(other), 4);
}

static void talk_with_a_backend_of_the_libraries(struct child *parent, void *arg)
{
	struct doca_log_backend *backend;

	check(!doca_log_backend_create_with_fd_sdk(other_fd, &backend));
	talk(parent, arg);
}

static void a_backend_of_the_libraries_does_not(void **state)
{
	(void)state;
	run_child(talk_with_a_backend_of_the_libraries);
	assert_int_equal(lines_of(said), 4);
	assert_int_equal(lines_of(other), 1);
}

static void talk_elsewhere(struct child *parent, void *arg)
{
	FILE *file = fdopen(dup(other_fd), "w");

	check(doca_log_stream_redirect(NULL) == DOCA_ERROR_INVALID_VALUE);
	DOCA_LOG_INFO("before");
	check(file && !doca_log_stream_redirect(file));
	talk(parent, arg);
	check(!doca_log_stream_redirect(stderr));
	DOCA_LOG_INFO("after");
	fclose(file);
}

static void messages_go_to_another_stream(void **state)
{
	(void)state;
	run_child(talk_elsewhere);
	assert_int_equal(lines_of(said), 2);
	assert_int_equal(lines_of(other), 4);
}

static void create_as_many_as_possible(struct child *parent, void *arg)
{
	struct doca_log_backend *backend;

	(void)parent;
	(void)arg;
	for (uint32_t i = 0; i < doca_log_get_max_num_backends(); i++)
		check(!doca_log_backend_create_with_fd(other_fd, &backend));
	check(doca_log_backend_create_with_fd(other_fd, &backend) == DOCA_ERROR_NO_MEMORY);
}

static void it_takes_no_room(void **state)
{
	(void)state;
	run_child(create_as_many_as_possible);
}

static void say_for_development(struct child *parent, void *arg)
{
	(void)parent;
	(void)arg;
	check(doca_log_global_level_set(DOCA_LOG_LEVEL_DEBUG) == DOCA_SUCCESS);
	DOCA_DLOG(DOCA_LOG_LEVEL_INFO, "with %s", "a level");
	DOCA_DLOG_CRIT("a fall");
	DOCA_DLOG_ERR("an error");
	DOCA_DLOG_WARN("a warning");
	DOCA_DLOG_INFO("a fact");
	DOCA_DLOG_DBG("a detail");
}

static void what_is_for_development_is_said_when_asked_for(void **state)
{
	(void)state;
	run_child(say_for_development);
	assert_int_equal(lines_of(said), 6);
	assert_non_null(strstr(said, "with a level\n"));
	assert_non_null(strstr(said, "a detail\n"));
}

static void repeat(struct child *parent, void *arg)
{
	(void)parent;
	(void)arg;
	doca_log_set_bucket_time(UINT16_MAX);
	check(doca_log_global_level_set(DOCA_LOG_LEVEL_DEBUG) == DOCA_SUCCESS);
	for (int i = 0; i < 30; i++)
		DOCA_LOG_RATE_LIMIT_INFO("line %d", i);
	doca_log_set_quantity(1);
	for (int i = 0; i < 30; i++) {
		DOCA_LOG_RATE_LIMIT_CRIT("a fall");
		DOCA_LOG_RATE_LIMIT_ERR("an error");
		DOCA_LOG_RATE_LIMIT_WARN("a warning");
		DOCA_LOG_RATE_LIMIT_DBG("a detail");
	}
}

static void repeat_with_level(struct child *parent, void *arg)
{
	(void)parent;
	(void)arg;
	doca_log_set_bucket_time(UINT16_MAX);
	for (int i = 0; i < 30; i++) {
		DOCA_LOG_RATE_LIMIT(DOCA_LOG_LEVEL_INFO, "line %d", i);
		DOCA_LOG_RATE_LIMIT(INFO, "short %d", i);
	}
}

static void the_level_of_a_limited_line_may_be_given(void **state)
{
	(void)state;
	run_child(repeat_with_level);
	assert_int_equal(lines_of(said), 20 + 20);
	assert_non_null(strstr(said, "line 19\n"));
	assert_non_null(strstr(said, "short 19\n"));
}

/* Programs have such macros: the short level is meant all the same. */
#define DEBUG
#define ERROR -1

static void say_with_short_levels(struct child *parent, void *arg)
{
	const uint32_t levels[] = {DOCA_LOG_LEVEL_CRIT, DOCA_LOG_LEVEL_TRACE};

	(void)parent;
	(void)arg;
	check(doca_log_global_level_set(DOCA_LOG_LEVEL_DEBUG) == DOCA_SUCCESS);
	check(DOCA_LOG(CRIT, "a fall") == DOCA_SUCCESS);
	check(DOCA_LOG(ERROR, "an error") == DOCA_SUCCESS);
	check(DOCA_LOG(WARNING, "a warning") == DOCA_SUCCESS);
	check(DOCA_LOG(INFO, "%s %s", "a", "fact") == DOCA_SUCCESS);
	check(DOCA_LOG(DEBUG, "a detail") == DOCA_SUCCESS);
	check(DOCA_LOG(TRACE, "not shown") == DOCA_SUCCESS);
	check(DOCA_LOG(DISABLE, "x") == DOCA_ERROR_INVALID_VALUE);
	check(DOCA_LOG(DOCA_LOG_LEVEL_ERROR, "today") == DOCA_SUCCESS);
	check(DOCA_LOG(50, "by number") == DOCA_SUCCESS);
	check(DOCA_LOG(levels[0], "by variable") == DOCA_SUCCESS);
	check(DOCA_LOG(levels[1], "not shown") == DOCA_SUCCESS);
}

static void levels_are_short_or_long(void **state)
{
	(void)state;
	run_child(say_with_short_levels);
	assert_int_equal(lines_of(said), 5 + 3);
	assert_non_null(strstr(said, "a fact\n"));
	assert_non_null(strstr(said, "a detail\n"));
	assert_null(strstr(said, "not shown"));
}

static void each_place_has_its_limit(void **state)
{
	(void)state;
	run_child(repeat);
	assert_int_equal(lines_of(said), 20 + 4);
	assert_non_null(strstr(said, "line 19\n"));
	assert_null(strstr(said, "line 20\n"));
}

static unsigned int taken(uint64_t *bucket, uint64_t now_ms)
{
	unsigned int count = 0;

	while (count < 100 && log_bucket_take(bucket, now_ms))
		count++;
	return count;
}

static void a_bucket_is_filled_again(void **state)
{
	uint64_t bucket = 0;

	(void)state;
	assert_int_equal(doca_log_get_bucket_time(), 10);
	assert_int_equal(doca_log_get_quantity(), 20);
	assert_int_equal(taken(&bucket, 50000), 20);
	assert_int_equal(taken(&bucket, 59999), 0);
	assert_int_equal(taken(&bucket, 60000), 20);
	assert_int_equal(taken(&bucket, 59999), 0); /* another thread's clock was read before */
	doca_log_set_quantity(30);
	assert_int_equal(taken(&bucket, 60001), 10);
	doca_log_set_bucket_time(1);
	assert_int_equal(doca_log_get_bucket_time(), 1);
	assert_int_equal(taken(&bucket, 61000), 30);
	doca_log_set_bucket_time(0);
	assert_int_equal(taken(&bucket, 61000), 100);
	doca_log_set_quantity(0);
	assert_int_equal(doca_log_get_quantity(), 0);
	assert_int_equal(taken(&bucket, 90000), 0);
	assert_false(softfield_log_bucket_take(NULL));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(messages_need_no_backend),
		cmocka_unit_test(several_sources_print_once),
		cmocka_unit_test(the_global_level_counts),
		cmocka_unit_test(a_backend_for_something_else_is_one_more),
		cmocka_unit_test(one_for_standard_error_takes_its_place),
		cmocka_unit_test(so_does_the_standard_backend),
		cmocka_unit_test(the_backend_may_be_what_is_returned),
		cmocka_unit_test(a_backend_of_the_libraries_does_not),
		cmocka_unit_test(messages_go_to_another_stream),
		cmocka_unit_test(it_takes_no_room),
		cmocka_unit_test(what_is_for_development_is_said_when_asked_for),
		cmocka_unit_test(each_place_has_its_limit),
		cmocka_unit_test(the_level_of_a_limited_line_may_be_given),
		cmocka_unit_test(levels_are_short_or_long),
		cmocka_unit_test(a_bucket_is_filled_again),
	};

	unsetenv("SOFTFIELD_LOG");
	return cmocka_run_group_tests(tests, NULL, NULL);
}
