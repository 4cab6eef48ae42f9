/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What the tests of the argument parser share: a program whose callbacks write down what they are
 * told, and a way to start it with some arguments. What the parser says, and the usage text that
 * follows an error, are kept.
 */
#ifndef SOFTFIELD_TEST_ARGPTEST_H
#define SOFTFIELD_TEST_ARGPTEST_H

#include "test.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>
#include "argp/argp.h"

struct program {
	char calls[4096];    /* "name=value " for each callback, in their order */
	char messages[4096]; /* of the parser */
	char usage[8192];    /* on standard error */
};

static struct program program;

/* A parser that leaves the process, as after --help, would end the tests with success. */
static bool may_not_leave;

static inline void check_leaving(void)
{
	if (may_not_leave)
		_exit(EXIT_FAILURE);
}

__attribute__((format(printf, 1, 2))) static inline void called(const char *format, ...)
{
	size_t used = strlen(program.calls);
	va_list args;

	va_start(args, format);
	vsnprintf(program.calls + used, sizeof(program.calls) - used, format, args);
	va_end(args);
}

#define TAKE(name, format, type)                                                                   \
	static inline doca_error_t take_##name(void *param, void *config)                          \
	{                                                                                          \
		assert_ptr_equal(config, &program);                                                \
		called(#name "=" format " ", *(type *)param);                                      \
		return DOCA_SUCCESS;                                                               \
	}

#define TAKE_TEXT(name)                                                                            \
	static inline doca_error_t take_##name(void *param, void *config)                          \
	{                                                                                          \
		assert_ptr_equal(config, &program);                                                \
		called(#name "='%s' ", (char *)param);                                             \
		return DOCA_SUCCESS;                                                               \
	}

TAKE_TEXT(text)
TAKE_TEXT(other)
TAKE(number, "%d", int)
TAKE(real, "%g", double)
TAKE(yes, "%d", bool)
TAKE(no, "%d", bool)

__attribute__((format(printf, 2, 0))) static inline doca_error_t
keep_message(enum doca_log_level level, const char *format, va_list args)
{
	size_t used = strlen(program.messages);

	assert_int_equal(level, DOCA_LOG_LEVEL_ERROR);
	vsnprintf(program.messages + used, sizeof(program.messages) - used, format, args);
	return DOCA_SUCCESS;
}

static inline int init(void **state)
{
	static bool checks;

	(void)state;
	if (!checks && atexit(check_leaving))
		return -1;
	checks = may_not_leave = true;
	memset(&program, 0, sizeof(program));
	if (doca_argp_init("prog", &program))
		return -1;
	return doca_argp_register_logger_callback(keep_message);
}

static inline int destroy(void **state)
{
	(void)state;
	may_not_leave = false;
	return doca_argp_destroy();
}

/* A fresh program in the middle of a table-driven test. */
static inline void again(void)
{
	assert_int_equal(doca_argp_destroy(), DOCA_SUCCESS);
	assert_int_equal(init(NULL), 0);
}

static inline struct doca_argp_param *new_param(const char *short_name, const char *long_name,
						enum doca_argp_type type,
						doca_argp_param_cb_t callback)
{
	struct doca_argp_param *param;

	assert_int_equal(doca_argp_param_create(&param), DOCA_SUCCESS);
	doca_argp_param_set_short_name(param, short_name);
	doca_argp_param_set_long_name(param, long_name);
	doca_argp_param_set_description(param, "description");
	doca_argp_param_set_type(param, type);
	doca_argp_param_set_callback(param, callback);
	return param;
}

/* -t --text, -n --number, -rl --real, -y --yes, -no */
static inline void add_usual_params(void)
{
	struct doca_argp_param *params[] = {
		new_param("t", "text", DOCA_ARGP_TYPE_STRING, take_text),
		new_param("n", "number", DOCA_ARGP_TYPE_INT, take_number),
		new_param("rl", "real", DOCA_ARGP_TYPE_DOUBLE, take_real),
		new_param("y", "yes", DOCA_ARGP_TYPE_BOOLEAN, take_yes),
		new_param("no", NULL, DOCA_ARGP_TYPE_BOOLEAN, take_no),
	};

	for (size_t i = 0; i < ARRAY_SIZE(params); i++)
		assert_int_equal(doca_argp_register_param(params[i]), DOCA_SUCCESS);
}

static inline size_t read_back(int fd, char *text, size_t size)
{
	ssize_t len = pread(fd, text, size - 1, 0);

	assert_true(len >= 0);
	text[len] = '\0';
	return len;
}

/* doca_argp_start() with "prog" and these arguments; the list ends with NULL */
__attribute__((sentinel)) static inline doca_error_t start(const char *first, ...)
{
	int saved = dup(STDERR_FILENO), memfd = memfd_create("stderr", MFD_CLOEXEC);
	char *argv[32] = {(char *)"/usr/bin/prog"};
	doca_error_t err;
	va_list args;
	int argc = 1;

	assert_true(saved >= 0 && memfd >= 0);
	va_start(args, first);
	for (const char *arg = first; arg; arg = va_arg(args, const char *))
		argv[argc++] = (char *)arg;
	va_end(args);
	fflush(stderr);
	dup2(memfd, STDERR_FILENO);
	err = doca_argp_start(argc, argv);
	fflush(stderr);
	dup2(saved, STDERR_FILENO);
	close(saved);
	read_back(memfd, program.usage, sizeof(program.usage));
	close(memfd);
	return err;
}

/* Runs body in a child; returns its exit status, and what it printed in text. */
static inline int in_child(void (*body)(void), char *text, size_t size)
{
	int memfd = memfd_create("stdout", MFD_CLOEXEC), status;
	pid_t pid;

	assert_true(memfd >= 0);
	fflush(NULL);
	pid = fork();
	if (!pid) {
		dup2(memfd, STDOUT_FILENO);
		may_not_leave = false;
		body();
		_exit(99); /* body was to exit by itself */
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	read_back(memfd, text, size);
	close(memfd);
	return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

#define assert_says(part)                                                                          \
	do {                                                                                       \
		if (!strstr(program.messages, part))                                               \
			fail_msg("'%s' is not in '%s'", part, program.messages);                   \
	} while (0)

#endif
