/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * System calls that a filter forbids, as in a container: the log says which.
 */
#include "test.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>
#include "base/bell.h"
#include "base/memfd.h"
#include "base/poll_group.h"
#include "doca_log.h"
#include "said.h"
#include "seccomp.h"
#include "valgrind.h"

static doca_error_t need_memory(void)
{
	int fd;

	return priv_memfd_create("test", 4096, &fd);
}

static doca_error_t need_bell(void)
{
	int fd;

	return priv_eventfd_create(&fd);
}

static doca_error_t need_group(void)
{
	struct poll_group group;

	return priv_poll_group_init(&group);
}

static doca_error_t need_timer(void)
{
	struct poll_group group;
	doca_error_t err = priv_poll_group_init(&group);

	return err ? err : priv_poll_group_timer_prepare(&group);
}

struct need {
	const char *call;
	unsigned int number;
	doca_error_t (*ask)(void);
};

static const struct need needs[] = {
	{"memfd_create", SYS_memfd_create, need_memory},
	{"eventfd", SYS_eventfd2, need_bell},
	{"epoll_create1", SYS_epoll_create1, need_group},
	{"timerfd_create", SYS_timerfd_create, need_timer},
};

static void ask_in_vain(struct child *parent, void *arg)
{
	struct doca_log_backend *backend;
	const struct need *need = arg;

	(void)parent;
	doca_log_backend_create_with_fd_sdk(STDERR_FILENO, &backend);
	if (!forbid_call(need->number, EPERM) || need->ask() != DOCA_ERROR_NOT_PERMITTED)
		_exit(1);
}

static void the_log_names_the_call(void **state)
{
	char said[SAID_SIZE], expected[64];

	(void)state;
	if (runs_under_valgrind())
		skip(); /* which needs calls of its own */
	for (unsigned int i = 0; i < sizeof(needs) / sizeof(needs[0]); i++) {
		listen_to(ask_in_vain, (void *)&needs[i], said);
		snprintf(expected, sizeof(expected), "%s() failed: ", needs[i].call);
		assert_non_null(strstr(said, expected));
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_log_names_the_call),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
