/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A program that closes descriptors which are not its own, as one does that becomes a daemon when
 * it has begun already, is told why nothing happens any more.
 */
#include "test.h"

#include <fcntl.h>
#include <string.h>
#include <unistd.h>
#include "base/poll_group.h"
#include "doca_log.h"
#include "said.h"

#define COMPLAINT "the program has closed"

static void log_errors(void)
{
	struct doca_log_backend *backend;

	assert_ok(doca_log_backend_create_with_fd_sdk(STDERR_FILENO, &backend));
}

static void look_at_closed(struct child *parent, void *arg)
{
	struct poll_group group;

	(void)parent;
	(void)arg;
	log_errors();
	assert_ok(priv_poll_group_init(&group));
	close(group.epoll_fd);
	assert_int_equal(priv_poll_group_look(&group), 0);
	assert_int_equal(priv_poll_group_look(&group), 0);
}

static void look_at_another_file(struct child *parent, void *arg)
{
	struct poll_group group;
	int file = open("/dev/null", O_RDWR | O_CLOEXEC);

	(void)parent;
	(void)arg;
	log_errors();
	assert_ok(priv_poll_group_init(&group));
	assert_int_equal(dup2(file, group.epoll_fd), group.epoll_fd);
	assert_int_equal(priv_poll_group_look(&group), 0);
}

static void look_at_its_own(struct child *parent, void *arg)
{
	struct poll_group group;

	(void)parent;
	(void)arg;
	log_errors();
	assert_ok(priv_poll_group_init(&group));
	assert_int_equal(priv_poll_group_look(&group), 0);
}

static void that_it_is_closed_is_told_once(void **state)
{
	char said[SAID_SIZE], *first;

	(void)state;
	listen_to(look_at_closed, NULL, said);
	first = strstr(said, COMPLAINT);
	assert_non_null(first);
	assert_null(strstr(first + 1, COMPLAINT));
}

static void that_it_is_another_file_is_told(void **state)
{
	char said[SAID_SIZE];

	(void)state;
	listen_to(look_at_another_file, NULL, said);
	assert_non_null(strstr(said, COMPLAINT));
}

static void otherwise_nothing_is_said(void **state)
{
	char said[SAID_SIZE];

	(void)state;
	listen_to(look_at_its_own, NULL, said);
	assert_string_equal(said, "");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(that_it_is_closed_is_told_once),
		cmocka_unit_test(that_it_is_another_file_is_told),
		cmocka_unit_test(otherwise_nothing_is_said),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
