/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A runtime folder where others do what they should not: keep its lock, put things in the way,
 * remove files of those who live.
 */
#include "test.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>
#include "child.h"
#include "dirtest.h"
#include "leak.h"
#include "link/address.h"
#include "link/rendezvous.h"

static void assert_reachable(const struct link_addr *addr)
{
	int client;

	assert_ok(rendezvous_connect(addr, &client));
	close(client);
}

static int keep_locked(int how)
{
	int folder = open(dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);

	assert_int_equal(flock(folder, how | LOCK_NB), 0);
	return folder;
}

static void whoever_keeps_the_lock_keeps_nobody_from_starting(void **state)
{
	static const int ways[] = {LOCK_EX, LOCK_SH};
	struct link_addr addr = make_addr("name");
	int server;

	(void)state;
	for (unsigned int i = 0; i < 2; i++) {
		int folder = keep_locked(ways[i]);

		assert_ok(rendezvous_listen(&addr, &server));
		assert_reachable(&addr);
		rendezvous_unlist(&addr);
		close(server);
		close(folder);
	}
}

/* It may be one that has just been bound: only who has the lock can tell. */
static void what_a_dead_server_left_is_in_the_way_while_the_folder_is_locked(void **state)
{
	struct link_addr addr = make_addr("name");
	int server, folder;

	(void)state;
	assert_ok(rendezvous_listen(&addr, &server));
	close(server);
	folder = keep_locked(LOCK_EX);
	assert_err(rendezvous_listen(&addr, &server), IN_USE);
	close(folder);
	assert_ok(rendezvous_listen(&addr, &server));
	rendezvous_unlist(&addr);
	close(server);
}

static void what_is_no_socket_is_in_the_way(void **state)
{
	struct link_addr addr = make_addr("name");
	struct address address = address_of(&addr);
	int server;

	(void)state;
	assert_int_equal(mkdir(address.un.sun_path, 0700), 0);
	assert_err(rendezvous_listen(&addr, &server), IN_USE);
	assert_int_equal(rmdir(address.un.sun_path), 0);
	assert_ok(rendezvous_listen(&addr, &server));
	rendezvous_unlist(&addr);
	close(server);
}

static void listening_raises_the_limit_of_open_files(void **state)
{
	struct link_addr addr = make_addr("name");
	struct rlimit before, low;
	doca_error_t err;
	int server;

	(void)state;
	assert_int_equal(getrlimit(RLIMIT_NOFILE, &before), 0);
	low = before;
	low.rlim_cur = 3;
	assert_int_equal(setrlimit(RLIMIT_NOFILE, &low), 0);
	err = rendezvous_listen(&addr, &server);
	assert_int_equal(setrlimit(RLIMIT_NOFILE, &before), 0);
	assert_int_equal(err, DOCA_SUCCESS);
	rendezvous_unlist(&addr);
	close(server);
}

static void serve_until_told(struct child *parent, void *arg)
{
	int server;

	assert_ok(rendezvous_listen(arg, &server));
	child_tell(parent);
	child_await(parent);
	rendezvous_unlist(arg);
	close(server);
}

/* The first one's file is removed, and a second one takes the name. */
static void a_server_that_ends_leaves_anothers_file(void **state)
{
	struct link_addr addr = make_addr("name");
	struct address address = address_of(&addr);
	struct child second;
	int first;

	(void)state;
	assert_ok(rendezvous_listen(&addr, &first));
	assert_int_equal(unlink(address.un.sun_path), 0);
	second = child_start(serve_until_told, &addr);
	child_await(&second);
	rendezvous_unlist(&addr);
	close(first);
	assert_reachable(&addr);
	child_tell(&second);
	assert_int_equal(child_join(&second), 0);
	assert_int_equal(access(address.un.sun_path, F_OK), -1);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, leak_setup, leak_teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(whoever_keeps_the_lock_keeps_nobody_from_starting),
		TEST(what_a_dead_server_left_is_in_the_way_while_the_folder_is_locked),
		TEST(what_is_no_socket_is_in_the_way),
		TEST(listening_raises_the_limit_of_open_files),
		TEST(a_server_that_ends_leaves_anothers_file),
	};

	return cmocka_run_group_tests(tests, make_dir, remove_dir);
}
