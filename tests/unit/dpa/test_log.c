/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Log and traces of DPA code: where they go, which lines are written, and that lines are whole.
 */
#include "test.h"

#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>
#include "dpa/activation.h"
#include "rig.h"

#define PATH_SIZE 32
#define TEXT_SIZE (1 << 20)
#define LONG_SIZE 3000

/* a file without a name in the file system */
struct file {
	int fd;
	char path[PATH_SIZE];
};

struct logs {
	struct rig rig; /* its context is not started */
	struct file file, trace;
	struct activation activation;
	char *text; /* what was read last */
};

static void file_init(struct file *file)
{
	file->fd = memfd_create("log", MFD_CLOEXEC);
	assert_true(file->fd >= 0);
	snprintf(file->path, sizeof(file->path), "/proc/self/fd/%d", file->fd);
}

static int set_up(void **state)
{
	static struct logs logs;

	rig_init(&logs.rig, NULL, 0);
	assert_ok(doca_dpa_stop(logs.rig.dpa));
	file_init(&logs.file);
	file_init(&logs.trace);
	logs.activation = (struct activation){.dpa = logs.rig.dpa};
	logs.text = malloc(TEXT_SIZE);
	assert_non_null(logs.text);
	*state = &logs;
	return 0;
}

static int tear_down(void **state)
{
	struct logs *logs = *state;

	activation_here = NULL;
	free(logs->text);
	close(logs->file.fd);
	close(logs->trace.fd);
	return rig_fini(&logs->rig);
}

/* with files, and as if the test were DPA code */
static void start(struct logs *logs)
{
	assert_ok(doca_dpa_log_file_set_path(logs->rig.dpa, logs->file.path));
	assert_ok(doca_dpa_trace_file_set_path(logs->rig.dpa, logs->trace.path));
	assert_ok(doca_dpa_start(logs->rig.dpa));
	activation_here = &logs->activation;
}

static const char *read_file(struct logs *logs, const struct file *file)
{
	ssize_t size = pread(file->fd, logs->text, TEXT_SIZE - 1, 0);

	assert_true(size >= 0);
	logs->text[size] = '\0';
	return logs->text;
}

/* Standard output is a file meanwhile. Nobody but DPA code writes there. */
static void code_prints_to_standard_output(void **state)
{
	struct logs *logs = *state;
	int saved;

	start(logs);
	fflush(stdout);
	saved = dup(STDOUT_FILENO);
	dup2(logs->file.fd, STDOUT_FILENO);
	doca_dpa_dev_printf("%s %d\n", "unit", 7);
	activation_here = NULL;
	doca_dpa_dev_printf("nobody\n");
	fflush(stdout);
	dup2(saved, STDOUT_FILENO);
	close(saved);
	assert_string_equal(read_file(logs, &logs->file), "unit 7\n");
}

/* A program without one may open something else there later. */
static void a_log_is_no_standard_descriptor(void **state)
{
	struct logs *logs = *state;
	int input = dup(STDIN_FILENO);
	bool is_free;

	close(STDIN_FILENO);
	start(logs);
	is_free = fcntl(STDIN_FILENO, F_GETFD) < 0;
	dup2(input, STDIN_FILENO);
	close(input);
	assert_true(is_free);
}

static void log_at_all_levels(void)
{
	DOCA_DPA_DEV_LOG_ERR("%s", "error\n");
	DOCA_DPA_DEV_LOG_WARN("%s", "warning\n");
	DOCA_DPA_DEV_LOG_INFO("%s %d\n", "info", 5);
	DOCA_DPA_DEV_LOG_DBG("%s", "debug\n");
}

static void arguments_are_checked(void **state)
{
	struct logs *logs = *state;
	struct doca_dpa *dpa = logs->rig.dpa;
	doca_dpa_dev_log_level_t level;
	char path[8];
	uint32_t size = sizeof(path);

	assert_err(doca_dpa_set_log_level(NULL, DOCA_DPA_DEV_LOG_LEVEL_INFO), INVALID_VALUE);
	assert_err(doca_dpa_set_log_level(dpa, (doca_dpa_dev_log_level_t)55), INVALID_VALUE);
	assert_err(doca_dpa_get_log_level(NULL, &level), INVALID_VALUE);
	assert_err(doca_dpa_get_log_level(dpa, NULL), INVALID_VALUE);
	assert_err(doca_dpa_log_file_set_path(NULL, "x"), INVALID_VALUE);
	assert_err(doca_dpa_log_file_set_path(dpa, NULL), INVALID_VALUE);
	assert_err(doca_dpa_log_file_set_path(dpa, ""), INVALID_VALUE);
	assert_err(doca_dpa_trace_file_set_path(NULL, "x"), INVALID_VALUE);
	assert_err(doca_dpa_trace_file_set_path(dpa, NULL), INVALID_VALUE);
	assert_err(doca_dpa_trace_file_set_path(dpa, ""), INVALID_VALUE);
	assert_err(doca_dpa_log_file_get_path(NULL, path, &size), INVALID_VALUE);
	assert_err(doca_dpa_log_file_get_path(dpa, NULL, &size), INVALID_VALUE);
	assert_err(doca_dpa_log_file_get_path(dpa, path, NULL), INVALID_VALUE);
	assert_err(doca_dpa_trace_file_get_path(NULL, path, &size), INVALID_VALUE);
	assert_err(doca_dpa_trace_file_get_path(dpa, NULL, &size), INVALID_VALUE);
	assert_err(doca_dpa_trace_file_get_path(dpa, path, NULL), INVALID_VALUE);
}

static void what_is_set_is_told(void **state)
{
	struct logs *logs = *state;
	struct doca_dpa *dpa = logs->rig.dpa;
	doca_dpa_dev_log_level_t level;
	char path[8] = "-";
	uint32_t size = sizeof(path);

	assert_ok(doca_dpa_get_log_level(dpa, &level));
	assert_int_equal(level, DOCA_DPA_DEV_LOG_LEVEL_INFO);
	assert_ok(doca_dpa_set_log_level(dpa, DOCA_DPA_DEV_LOG_LEVEL_DISABLE));
	assert_ok(doca_dpa_get_log_level(dpa, &level));
	assert_int_equal(level, DOCA_DPA_DEV_LOG_LEVEL_DISABLE);

	assert_ok(doca_dpa_log_file_get_path(dpa, path, &size));
	assert_string_equal(path, "");
	assert_ok(doca_dpa_log_file_set_path(dpa, "/a/log"));
	assert_ok(doca_dpa_trace_file_set_path(dpa, "/a/tr"));
	size = 6;
	assert_err(doca_dpa_log_file_get_path(dpa, path, &size), INVALID_VALUE);
	assert_int_equal(size, 7);
	assert_ok(doca_dpa_log_file_get_path(dpa, path, &size));
	assert_string_equal(path, "/a/log");
	size = sizeof(path);
	assert_ok(doca_dpa_trace_file_get_path(dpa, path, &size));
	assert_int_equal(size, 6);
	assert_string_equal(path, "/a/tr");
	assert_ok(doca_dpa_log_file_set_path(dpa, "/b"));
	size = sizeof(path);
	assert_ok(doca_dpa_log_file_get_path(dpa, path, &size));
	assert_string_equal(path, "/b");
}

static void a_started_context_is_not_changed(void **state)
{
	struct logs *logs = *state;
	struct doca_dpa *dpa = logs->rig.dpa, *extended;
	doca_dpa_dev_log_level_t level;
	char path[PATH_SIZE];
	uint32_t size = sizeof(path);

	start(logs);
	assert_err(doca_dpa_set_log_level(dpa, DOCA_DPA_DEV_LOG_LEVEL_DEBUG), BAD_STATE);
	assert_err(doca_dpa_log_file_set_path(dpa, "/a"), BAD_STATE);
	assert_err(doca_dpa_trace_file_set_path(dpa, "/a"), BAD_STATE);
	assert_ok(doca_dpa_device_extend(dpa, logs->rig.dev, &extended));
	assert_err(doca_dpa_set_log_level(extended, DOCA_DPA_DEV_LOG_LEVEL_DEBUG), NOT_PERMITTED);
	assert_err(doca_dpa_log_file_set_path(extended, "/a"), NOT_PERMITTED);
	assert_err(doca_dpa_trace_file_set_path(extended, "/a"), NOT_PERMITTED);
	assert_ok(doca_dpa_get_log_level(extended, &level));
	assert_int_equal(level, DOCA_DPA_DEV_LOG_LEVEL_INFO);
	assert_ok(doca_dpa_log_file_get_path(extended, path, &size));
	assert_string_equal(path, logs->file.path);
	size = sizeof(path);
	assert_ok(doca_dpa_trace_file_get_path(extended, path, &size));
	assert_string_equal(path, logs->trace.path);
	assert_ok(doca_dpa_destroy(extended));
}

static void a_file_that_cannot_be_written_is_told(void **state)
{
	struct logs *logs = *state;
	struct doca_dpa *dpa = logs->rig.dpa;

	assert_ok(doca_dpa_log_file_set_path(dpa, logs->file.path));
	assert_ok(doca_dpa_trace_file_set_path(dpa, "/nowhere/at/all"));
	assert_err(doca_dpa_start(dpa), NOT_FOUND);
	assert_err(doca_dpa_stop(dpa), BAD_STATE);
	assert_ok(doca_dpa_trace_file_set_path(dpa, "stderr"));
	assert_ok(doca_dpa_start(dpa));
	assert_ok(doca_dpa_stop(dpa));
	assert_ok(doca_dpa_log_file_set_path(dpa, "/proc"));
	assert_err(doca_dpa_start(dpa), OPERATING_SYSTEM);
}

static void lines_of_lower_levels_are_not_written(void **state)
{
	static const struct {
		doca_dpa_dev_log_level_t level;
		const char *text;
	} rows[] = {
		{DOCA_DPA_DEV_LOG_LEVEL_DISABLE, ""},
		{DOCA_DPA_DEV_LOG_LEVEL_CRIT, ""},
		{DOCA_DPA_DEV_LOG_LEVEL_ERROR, "[DOCA][DPA DEVICE][ERR] error\n"},
		{DOCA_DPA_DEV_LOG_LEVEL_WARNING, "[DOCA][DPA DEVICE][ERR] error\n"
						 "[DOCA][DPA DEVICE][WRN] warning\n"},
		{DOCA_DPA_DEV_LOG_LEVEL_INFO, "[DOCA][DPA DEVICE][ERR] error\n"
					      "[DOCA][DPA DEVICE][WRN] warning\n"
					      "[DOCA][DPA DEVICE][INF] info 5\n"},
		{DOCA_DPA_DEV_LOG_LEVEL_DEBUG, "[DOCA][DPA DEVICE][ERR] error\n"
					       "[DOCA][DPA DEVICE][WRN] warning\n"
					       "[DOCA][DPA DEVICE][INF] info 5\n"
					       "[DOCA][DPA DEVICE][DBG] debug\n"},
	};
	struct logs *logs = *state;

	for (unsigned int i = 0; i < ARRAY_SIZE(rows); i++) {
		assert_ok(doca_dpa_set_log_level(logs->rig.dpa, rows[i].level));
		start(logs);
		log_at_all_levels();
		doca_dpa_dev_log(DOCA_DPA_DEV_LOG_LEVEL_DISABLE, "%s", "never");
		assert_string_equal(read_file(logs, &logs->file), rows[i].text);
		activation_here = NULL;
		assert_ok(doca_dpa_stop(logs->rig.dpa));
	}
}

static void every_line_ends(void **state)
{
	struct logs *logs = *state;

	start(logs);
	DOCA_DPA_DEV_LOG_INFO("%s", "no end");
	DOCA_DPA_DEV_LOG_INFO("%s", "");
	assert_string_equal(read_file(logs, &logs->file), "[DOCA][DPA DEVICE][INF] no end\n"
							  "[DOCA][DPA DEVICE][INF] \n");
}

/* around the size of what is made without the heap, and far beyond */
static void long_lines_are_whole(void **state)
{
	struct logs *logs = *state;
	char line[LONG_SIZE + 1];
	unsigned int written = 0;
	const char *text;

	start(logs);
	memset(line, 'x', LONG_SIZE);
	line[LONG_SIZE] = '\0';
	for (unsigned int size = 480; size < 520; size++)
		DOCA_DPA_DEV_LOG_INFO("%.*s", size, line);
	DOCA_DPA_DEV_LOG_INFO("%s", line);
	text = read_file(logs, &logs->file);
	for (unsigned int size = 480; size <= 520; size++, written++) {
		const char *begin = strchr(text, 'x'), *end = strchr(text, '\n');

		assert_non_null(end);
		assert_int_equal(end - begin, size < 520 ? size : LONG_SIZE);
		text = end + 1;
	}
	assert_int_equal(written, 41);
	assert_string_equal(text, "");
}

static void traces_are_five_numbers(void **state)
{
	struct logs *logs = *state;

	start(logs);
	doca_dpa_dev_trace(0, 1, 0xabc, UINT64_MAX, 10);
	doca_dpa_dev_trace_flush();
	assert_string_equal(read_file(logs, &logs->trace),
			    "0x0 0x1 0xabc 0xffffffffffffffff 0xa\n");
	assert_string_equal(read_file(logs, &logs->file), "");
}

static void one_file_may_be_both(void **state)
{
	struct logs *logs = *state;

	assert_ok(doca_dpa_log_file_set_path(logs->rig.dpa, logs->file.path));
	assert_ok(doca_dpa_trace_file_set_path(logs->rig.dpa, logs->file.path));
	assert_ok(doca_dpa_start(logs->rig.dpa));
	activation_here = &logs->activation;
	doca_dpa_dev_trace(1, 2, 3, 4, 5);
	DOCA_DPA_DEV_LOG_INFO("%s", "line\n");
	doca_dpa_dev_trace(6, 7, 8, 9, 10);
	activation_here = NULL;
	assert_ok(doca_dpa_stop(logs->rig.dpa)); /* what is not flushed is written */
	assert_string_equal(read_file(logs, &logs->file), "0x1 0x2 0x3 0x4 0x5\n"
							  "[DOCA][DPA DEVICE][INF] line\n"
							  "0x6 0x7 0x8 0x9 0xa\n");
}

static void who_is_not_dpa_code_writes_nothing(void **state)
{
	struct logs *logs = *state;

	start(logs);
	activation_here = NULL;
	log_at_all_levels();
	doca_dpa_dev_trace(1, 2, 3, 4, 5);
	doca_dpa_dev_trace_flush();
	assert_string_equal(read_file(logs, &logs->file), "");
	assert_string_equal(read_file(logs, &logs->trace), "");
}

static void *log_lines(void *arg)
{
	struct activation activation = {.dpa = arg};

	activation_here = &activation;
	for (unsigned int i = 0; i < 500; i++)
		DOCA_DPA_DEV_LOG_INFO("%s", "abcdefghijklmnopqrstuvwxyz\n");
	activation_here = NULL;
	return NULL;
}

static void lines_of_threads_do_not_mix(void **state)
{
	static const char line[] = "[DOCA][DPA DEVICE][INF] abcdefghijklmnopqrstuvwxyz\n";
	struct logs *logs = *state;
	pthread_t threads[4];
	const char *text;
	unsigned int count = 0;

	start(logs);
	for (unsigned int i = 0; i < ARRAY_SIZE(threads); i++)
		assert_int_equal(pthread_create(&threads[i], NULL, log_lines, logs->rig.dpa), 0);
	for (unsigned int i = 0; i < ARRAY_SIZE(threads); i++)
		pthread_join(threads[i], NULL);
	for (text = read_file(logs, &logs->file); *text; text += strlen(line), count++)
		assert_int_equal(strncmp(text, line, strlen(line)), 0);
	assert_int_equal(count, 500 * ARRAY_SIZE(threads));
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(code_prints_to_standard_output),
		TEST(arguments_are_checked),
		TEST(what_is_set_is_told),
		TEST(a_started_context_is_not_changed),
		TEST(a_file_that_cannot_be_written_is_told),
		TEST(a_log_is_no_standard_descriptor),
		TEST(lines_of_lower_levels_are_not_written),
		TEST(every_line_ends),
		TEST(long_lines_are_whole),
		TEST(traces_are_five_numbers),
		TEST(one_file_may_be_both),
		TEST(who_is_not_dpa_code_writes_nothing),
		TEST(lines_of_threads_do_not_mix),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
