/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Backends: each kind writes what and where it should, limits and strict limits hold, wrong
 * arguments are refused.
 */
#include "test.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
#include "base/log.h"
#include "core/log.h"

DOCA_LOG_REGISTER(UNIT::BACKEND);

static char buf[64];
static unsigned int handled;

static void count_record(char *record)
{
	assert_ptr_equal(record, buf);
	handled++;
}

static void log_from_handler(char *record)
{
	char before[sizeof(buf)];

	strcpy(before, record);
	handled++;
	DOCA_LOG_INFO("from the handler itself");
	assert_string_equal(record, before);
}

static int reset(void **state)
{
	(void)state;
	handled = 0;
	doca_log_level_set_global_lower_limit(DOCA_LOG_LEVEL_INFO);
	doca_log_level_set_global_upper_limit(DOCA_LOG_LEVEL_CRIT);
	return doca_log_level_set_global_sdk_limit(DOCA_LOG_LEVEL_INFO);
}

/* Backends are for ever; this one stays silent from now on. */
static void retire(struct doca_log_backend *backend)
{
	assert_int_equal(doca_log_backend_set_level_lower_limit(backend, DOCA_LOG_LEVEL_DISABLE),
			 DOCA_SUCCESS);
	assert_int_equal(doca_log_backend_set_level_lower_limit_strict(backend), DOCA_SUCCESS);
}

static int new_file(void)
{
	int fd = memfd_create("log", MFD_CLOEXEC);

	assert_true(fd >= 0);
	return fd;
}

/* what is in the file, and empties it */
static const char *text_of(int fd)
{
	static char text[8192];
	ssize_t len = pread(fd, text, sizeof(text) - 1, 0);

	assert_true(len >= 0);
	text[len] = '\0';
	assert_int_equal(ftruncate(fd, 0), 0);
	lseek(fd, 0, SEEK_SET);
	return text;
}

static unsigned int lines_of(int fd)
{
	unsigned int count = 0;

	for (const char *c = text_of(fd); *c; c++)
		count += *c == '\n';
	return count;
}

static void fd_backend_writes_lines(void **state)
{
	struct doca_log_backend *backend;
	int fd = new_file();
	const char *text;

	(void)state;
	assert_int_equal(doca_log_backend_create_with_fd(fd, &backend), DOCA_SUCCESS);
	DOCA_LOG_INFO("one");
	DOCA_LOG_INFO("two");
	text = text_of(fd);
	assert_non_null(strstr(text, " one\n["));
	assert_string_equal(text + strlen(text) - 5, " two\n");
	assert_null(strchr(text, '\033'));
}

static void file_backend_is_flushed(void **state)
{
	struct doca_log_backend *backend;
	int fd = new_file();
	FILE *file = fdopen(dup(fd), "w");

	(void)state;
	assert_non_null(file);
	assert_int_equal(doca_log_backend_create_with_file(file, &backend), DOCA_SUCCESS);
	DOCA_LOG_INFO("in the file");
	assert_int_equal(lines_of(fd), 1); /* file is still open: closing it would be its owner's */
}

static void closed_descriptor_is_survived(void **state)
{
	struct doca_log_backend *backend;
	int fd = new_file();

	(void)state;
	assert_int_equal(doca_log_backend_create_with_fd(fd, &backend), DOCA_SUCCESS);
	close(fd);
	assert_int_equal(DOCA_LOG_INFO("to nobody"), DOCA_SUCCESS);
	retire(backend);
}

static void full_pipe_does_not_block(void **state)
{
	struct doca_log_backend *backend;
	int ends[2];

	(void)state;
	assert_int_equal(pipe2(ends, O_NONBLOCK), 0);
	assert_int_equal(doca_log_backend_create_with_fd(ends[1], &backend), DOCA_SUCCESS);
	for (int i = 0; i < 2000; i++) /* more than 64 KiB */
		assert_int_equal(DOCA_LOG_INFO("record %d", i), DOCA_SUCCESS);
	retire(backend);
}

/* A terminal hands a line over in parts, if it likes. */
static void read_line(int fd, char *text, size_t size)
{
	size_t len = 0;
	ssize_t count;

	do {
		count = read(fd, text + len, size - 1 - len);
		assert_true(count > 0);
		len += (size_t)count;
		text[len] = '\0';
	} while (!strchr(text, '\n'));
}

/* A terminal: what is written to one end is read at the other. */
static void open_terminal(int *ret_terminal, int *ret_master)
{
	int master = posix_openpt(O_RDWR | O_NOCTTY);

	assert_true(master >= 0);
	assert_int_equal(grantpt(master) | unlockpt(master), 0);
	*ret_terminal = open(ptsname(master), O_RDWR | O_NOCTTY);
	assert_true(*ret_terminal >= 0);
	*ret_master = master;
}

static void terminal_gets_colors(void **state)
{
	struct doca_log_backend *backend;
	static const struct {
		uint32_t level;
		const char *color;
	} levels[] = {
		{DOCA_LOG_LEVEL_CRIT, "\033[31m["},    {DOCA_LOG_LEVEL_ERROR, "\033[31m["},
		{DOCA_LOG_LEVEL_WARNING, "\033[33m["}, {DOCA_LOG_LEVEL_INFO, "\033[32m["},
		{DOCA_LOG_LEVEL_DEBUG, "\033[36m["},
	};
	int terminal, master;
	char text[512];

	(void)state;
	unsetenv("NO_COLOR");
	setenv("TERM", "linux", 1);
	open_terminal(&terminal, &master);
	assert_int_equal(doca_log_backend_create_with_fd(terminal, &backend), DOCA_SUCCESS);
	doca_log_level_set_global_lower_limit(DOCA_LOG_LEVEL_DEBUG);
	for (size_t i = 0; i < ARRAY_SIZE(levels); i++) {
		DOCA_LOG(levels[i].level, "text");
		read_line(master, text, sizeof(text));
		assert_memory_equal(text, levels[i].color, 6);
		assert_non_null(strstr(text, " text\033[0m"));
	}
	doca_log_level_set_global_lower_limit(DOCA_LOG_LEVEL_INFO);
	retire(backend);
	close(terminal);
	close(master);
}

static void terminal_gets_no_colors_unless_they_are_wanted(void **state)
{
	static const struct {
		const char *no_color, *term;
		bool colored;
	} users[] = {{"", "linux", true}, {"1", "linux", false}, {"", "dumb", false}};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(users); i++) {
		struct doca_log_backend *backend;
		int terminal, master;
		char text[512];

		setenv("NO_COLOR", users[i].no_color, 1);
		setenv("TERM", users[i].term, 1);
		open_terminal(&terminal, &master);
		assert_int_equal(doca_log_backend_create_with_fd(terminal, &backend), DOCA_SUCCESS);
		DOCA_LOG_INFO("text");
		read_line(master, text, sizeof(text));
		assert_int_equal(!!strchr(text, '\033'), users[i].colored);
		retire(backend);
		close(terminal);
		close(master);
	}
}

static void buf_backend_holds_one_record(void **state)
{
	struct doca_log_backend *backend;

	(void)state;
	assert_int_equal(doca_log_backend_create_with_buf(buf, sizeof(buf), count_record, &backend),
			 DOCA_SUCCESS);
	DOCA_LOG_INFO("a record longer than the buffer is cut at its end, not at its begin");
	assert_int_equal(handled, 1);
	assert_int_equal(strlen(buf), sizeof(buf) - 1);
	assert_int_equal(buf[0], '[');
	retire(backend);
}

static void buf_backend_has_a_longer_name_of_old(void **state)
{
	struct doca_log_backend *backend = NULL;

	(void)state;
	assert_int_equal(
		doca_log_backend_create_with_buffer_sdk(NULL, sizeof(buf), count_record, &backend),
		DOCA_ERROR_INVALID_VALUE);
	assert_int_equal(
		doca_log_backend_create_with_buffer(buf, sizeof(buf), count_record, &backend),
		DOCA_SUCCESS);
	DOCA_LOG_INFO("x");
	assert_int_equal(handled, 1);
	retire(backend);
	assert_int_equal(
		doca_log_backend_create_with_buffer_sdk(buf, sizeof(buf), count_record, &backend),
		DOCA_SUCCESS);
	assert_int_equal(doca_log_backend_set_sdk_level(backend, DOCA_LOG_LEVEL_DISABLE),
			 DOCA_SUCCESS); /* it is one of the libraries' */
}

static void handler_may_log(void **state)
{
	struct doca_log_backend *backend, *other;
	int fd = new_file();

	(void)state;
	assert_int_equal(
		doca_log_backend_create_with_buf(buf, sizeof(buf), log_from_handler, &backend),
		DOCA_SUCCESS);
	assert_int_equal(doca_log_backend_create_with_fd(fd, &other), DOCA_SUCCESS);
	DOCA_LOG_INFO("outer");
	assert_int_equal(handled, 1);
	assert_int_equal(lines_of(fd), 2);
	retire(backend);
}

static void syslog_backend_takes_records(void **state)
{
	struct doca_log_backend *backend;

	(void)state;
	assert_int_equal(doca_log_backend_create_with_syslog("unit-log", &backend), DOCA_SUCCESS);
	assert_int_equal(DOCA_LOG_CRIT("100%% of nothing"), DOCA_SUCCESS);
	assert_int_equal(doca_log_backend_create_with_syslog_sdk("unit-log", &backend),
			 DOCA_SUCCESS);
	LOG_ERR("to syslog");
}

/* after the others: it cannot be retired */
static void standard_backend_splits_by_level(void **state)
{
	int saved_out = dup(STDOUT_FILENO), saved_err = dup(STDERR_FILENO);
	int out = new_file(), err = new_file();

	(void)state;
	fflush(stdout);
	dup2(out, STDOUT_FILENO);
	dup2(err, STDERR_FILENO);
	doca_log_level_set_global_lower_limit(DOCA_LOG_LEVEL_TRACE);
	for (int i = 0; i < 2; i++) /* created twice, prints once */
		assert_int_equal(doca_log_backend_create_standard(), DOCA_SUCCESS);
	for (uint32_t level = DOCA_LOG_LEVEL_CRIT; level <= DOCA_LOG_LEVEL_TRACE; level += 10)
		DOCA_LOG(level, "level %u", level);
	LOG_ERR("not of the application");
	doca_log_level_set_global_lower_limit(DOCA_LOG_LEVEL_DISABLE);
	dup2(saved_out, STDOUT_FILENO);
	dup2(saved_err, STDERR_FILENO);
	assert_int_equal(lines_of(out), 3); /* INFO, DEBUG, TRACE */
	assert_int_equal(lines_of(err), 3); /* CRIT, ERROR, WARNING */
	close(saved_out);
	close(saved_err);
}

static void new_backend_copies_the_global_limits(void **state)
{
	struct doca_log_backend *backend;
	int fd = new_file();

	(void)state;
	doca_log_level_set_global_lower_limit(DOCA_LOG_LEVEL_DEBUG);
	doca_log_level_set_global_upper_limit(DOCA_LOG_LEVEL_WARNING);
	assert_int_equal(doca_log_backend_create_with_fd(fd, &backend), DOCA_SUCCESS);
	DOCA_LOG_ERR("too severe");
	DOCA_LOG_DBG("shown");
	assert_int_equal(lines_of(fd), 1);
	doca_log_level_set_global_lower_limit(DOCA_LOG_LEVEL_INFO); /* rewrites it */
	DOCA_LOG_DBG("too verbose");
	assert_int_equal(lines_of(fd), 0);
}

static void limits_of_one_backend(void **state)
{
	struct doca_log_backend *one, *other;
	int fds[2] = {new_file(), new_file()};

	(void)state;
	assert_int_equal(doca_log_backend_create_with_fd(fds[0], &one), DOCA_SUCCESS);
	assert_int_equal(doca_log_backend_create_with_fd(fds[1], &other), DOCA_SUCCESS);
	assert_int_equal(doca_log_backend_set_level_lower_limit(one, DOCA_LOG_LEVEL_DEBUG),
			 DOCA_SUCCESS);
	assert_int_equal(doca_log_backend_set_level_upper_limit(one, DOCA_LOG_LEVEL_INFO),
			 DOCA_SUCCESS);
	DOCA_LOG_DBG("for one");
	DOCA_LOG_ERR("for the other");
	assert_int_equal(lines_of(fds[0]), 1);
	assert_int_equal(lines_of(fds[1]), 1);
	/* A global limit sets that of all, and not the other one. */
	doca_log_level_set_global_lower_limit(DOCA_LOG_LEVEL_DEBUG);
	DOCA_LOG_ERR("for the other");
	assert_int_equal(lines_of(fds[0]), 0);
	assert_int_equal(lines_of(fds[1]), 1);
	doca_log_backend_set_level_lower_limit(one, DOCA_LOG_LEVEL_ERROR);
	doca_log_level_set_global_upper_limit(DOCA_LOG_LEVEL_CRIT);
	DOCA_LOG_INFO("for the other");
	assert_int_equal(lines_of(fds[0]), 0);
	assert_int_equal(lines_of(fds[1]), 1);
}

static void strict_limits_hold(void **state)
{
	struct doca_log_backend *backend;
	int fd = new_file();

	(void)state;
	assert_int_equal(doca_log_backend_create_with_fd(fd, &backend), DOCA_SUCCESS);
	doca_log_backend_set_level_lower_limit(backend, DOCA_LOG_LEVEL_INFO);
	doca_log_backend_set_level_upper_limit(backend, DOCA_LOG_LEVEL_ERROR);
	assert_int_equal(doca_log_backend_set_level_lower_limit_strict(backend), DOCA_SUCCESS);
	assert_int_equal(doca_log_backend_set_level_upper_limit_strict(backend), DOCA_SUCCESS);
	assert_int_equal(doca_log_backend_set_level_lower_limit(backend, DOCA_LOG_LEVEL_DEBUG),
			 DOCA_ERROR_NOT_PERMITTED);
	assert_int_equal(doca_log_backend_set_level_upper_limit(backend, DOCA_LOG_LEVEL_CRIT),
			 DOCA_ERROR_NOT_PERMITTED);
	doca_log_level_set_global_lower_limit(DOCA_LOG_LEVEL_TRACE);
	doca_log_level_set_global_upper_limit(DOCA_LOG_LEVEL_DISABLE);
	DOCA_LOG_CRIT("too severe");
	DOCA_LOG_DBG("too verbose");
	DOCA_LOG_INFO("shown");
	assert_int_equal(lines_of(fd), 1);
	/* the other way it may go, and back */
	assert_int_equal(doca_log_backend_set_level_lower_limit(backend, DOCA_LOG_LEVEL_ERROR),
			 DOCA_SUCCESS);
	DOCA_LOG_INFO("too verbose");
	assert_int_equal(lines_of(fd), 0);
	assert_int_equal(doca_log_backend_set_level_lower_limit(backend, DOCA_LOG_LEVEL_INFO),
			 DOCA_SUCCESS);
}

static void sdk_backends_have_a_level(void **state)
{
	struct doca_log_backend *backend;
	int fd = new_file();

	(void)state;
	assert_int_equal(doca_log_backend_create_with_fd_sdk(fd, &backend), DOCA_SUCCESS);
	assert_int_equal(doca_log_backend_set_sdk_level(backend, DOCA_LOG_LEVEL_WARNING),
			 DOCA_SUCCESS);
	LOG_INFO("too verbose");
	LOG_WRN("shown");
	assert_int_equal(lines_of(fd), 1);
	doca_log_level_set_global_sdk_limit(DOCA_LOG_LEVEL_DEBUG);
	LOG_DBG("shown");
	assert_int_equal(lines_of(fd), 1);
}

static void wrong_world_is_refused(void **state)
{
	struct doca_log_backend *of_app, *of_sdk;
	int fd = new_file();

	(void)state;
	assert_int_equal(doca_log_backend_create_with_fd(fd, &of_app), DOCA_SUCCESS);
	assert_int_equal(doca_log_backend_create_with_fd_sdk(fd, &of_sdk), DOCA_SUCCESS);
	assert_int_equal(doca_log_backend_set_sdk_level(of_app, 50), DOCA_ERROR_INVALID_VALUE);
	assert_int_equal(doca_log_backend_set_level_lower_limit(of_sdk, 50),
			 DOCA_ERROR_INVALID_VALUE);
	assert_int_equal(doca_log_backend_set_level_upper_limit(of_sdk, 50),
			 DOCA_ERROR_INVALID_VALUE);
}

static void wrong_arguments_are_refused(void **state)
{
	struct doca_log_backend *backend = NULL;
	const doca_error_t answers[] = {
		doca_log_backend_create_with_file(NULL, &backend),
		doca_log_backend_create_with_file(stderr, NULL),
		doca_log_backend_create_with_file_sdk(NULL, &backend),
		doca_log_backend_create_with_fd(-1, &backend),
		doca_log_backend_create_with_fd(1 << 20, &backend),
		doca_log_backend_create_with_fd(STDERR_FILENO, NULL),
		doca_log_backend_create_with_fd_sdk(-1, &backend),
		doca_log_backend_create_with_buf(NULL, 10, count_record, &backend),
		doca_log_backend_create_with_buf(buf, 0, count_record, &backend),
		doca_log_backend_create_with_buf(buf, 10, NULL, &backend),
		doca_log_backend_create_with_buf(buf, 10, count_record, NULL),
		doca_log_backend_create_with_buf_sdk(NULL, 10, count_record, &backend),
		doca_log_backend_create_with_syslog(NULL, &backend),
		doca_log_backend_create_with_syslog("name", NULL),
		doca_log_backend_create_with_syslog_sdk(NULL, &backend),
		doca_log_backend_set_level_lower_limit(NULL, 50),
		doca_log_backend_set_level_upper_limit(NULL, 50),
		doca_log_backend_set_level_lower_limit_strict(NULL),
		doca_log_backend_set_level_upper_limit_strict(NULL),
		doca_log_backend_set_sdk_level(NULL, 50),
	};

	(void)state;
	for (size_t i = 0; i < sizeof(answers) / sizeof(answers[0]); i++)
		assert_int_equal(answers[i], DOCA_ERROR_INVALID_VALUE);
	assert_null(backend);
}

static void wrong_levels_are_refused(void **state)
{
	static const uint32_t levels[] = {0, 9, 45, 71, UINT32_MAX};
	struct doca_log_backend *of_app, *of_sdk;
	int fd = new_file();

	(void)state;
	assert_int_equal(doca_log_backend_create_with_fd(fd, &of_app), DOCA_SUCCESS);
	assert_int_equal(doca_log_backend_create_with_fd_sdk(fd, &of_sdk), DOCA_SUCCESS);
	for (size_t i = 0; i < sizeof(levels) / sizeof(levels[0]); i++) {
		assert_int_equal(doca_log_backend_set_level_lower_limit(of_app, levels[i]),
				 DOCA_ERROR_INVALID_VALUE);
		assert_int_equal(doca_log_backend_set_level_upper_limit(of_app, levels[i]),
				 DOCA_ERROR_INVALID_VALUE);
		assert_int_equal(doca_log_backend_set_sdk_level(of_sdk, levels[i]),
				 DOCA_ERROR_INVALID_VALUE);
	}
}

/* last: afterwards there is no room */
static void full_when_the_maximum_is_reached(void **state)
{
	struct doca_log_backend *backend;
	uint32_t created = 0;

	(void)state;
	doca_log_level_set_global_lower_limit(DOCA_LOG_LEVEL_DISABLE);
	while (doca_log_backend_create_with_buf(buf, sizeof(buf), count_record, &backend) ==
	       DOCA_SUCCESS)
		assert_true(++created <= doca_log_get_max_num_backends());
	assert_int_equal(doca_log_backend_create_with_fd(STDERR_FILENO, &backend),
			 DOCA_ERROR_NO_MEMORY);
	assert_int_equal(doca_log_backend_create_with_syslog("unit-log", &backend),
			 DOCA_ERROR_NO_MEMORY);
	assert_int_equal(
		doca_log_backend_create_with_buf_sdk(buf, sizeof(buf), count_record, &backend),
		DOCA_SUCCESS);
	assert_true(doca_log_get_max_num_backends_sdk() > 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(fd_backend_writes_lines, reset),
		cmocka_unit_test_setup(file_backend_is_flushed, reset),
		cmocka_unit_test_setup(closed_descriptor_is_survived, reset),
		cmocka_unit_test_setup(full_pipe_does_not_block, reset),
		cmocka_unit_test_setup(terminal_gets_colors, reset),
		cmocka_unit_test_setup(terminal_gets_no_colors_unless_they_are_wanted, reset),
		cmocka_unit_test_setup(buf_backend_holds_one_record, reset),
		cmocka_unit_test_setup(buf_backend_has_a_longer_name_of_old, reset),
		cmocka_unit_test_setup(handler_may_log, reset),
		cmocka_unit_test_setup(syslog_backend_takes_records, reset),
		cmocka_unit_test_setup(new_backend_copies_the_global_limits, reset),
		cmocka_unit_test_setup(limits_of_one_backend, reset),
		cmocka_unit_test_setup(strict_limits_hold, reset),
		cmocka_unit_test_setup(sdk_backends_have_a_level, reset),
		cmocka_unit_test_setup(wrong_world_is_refused, reset),
		cmocka_unit_test_setup(wrong_arguments_are_refused, reset),
		cmocka_unit_test_setup(wrong_levels_are_refused, reset),
		cmocka_unit_test_setup(standard_backend_splits_by_level, reset),
		cmocka_unit_test_setup(full_when_the_maximum_is_reached, reset),
	};

	unsetenv("SOFTFIELD_LOG");
	return cmocka_run_group_tests(tests, NULL, NULL);
}
