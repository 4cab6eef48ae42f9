/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Rendezvous in a runtime folder: sockets have names there, and dead servers leave them behind. The
 * abstract namespace is what tests/contract/link.c uses.
 */
#include "test.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>
#include "child.h"
#include "dirtest.h"
#include "leak.h"
#include "link/rendezvous.h"
#include "seccomp.h"
#include "valgrind.h"

#define CLEANINGS 1000

static unsigned int count_sockets(void)
{
	DIR *folder = opendir(dir);
	unsigned int count = 0;
	struct dirent *entry;

	assert_non_null(folder);
	while ((entry = readdir(folder)))
		count += strstr(entry->d_name, ".sock") != NULL;
	closedir(folder);
	return count;
}

static void unlisten(const struct link_addr *addr, int server)
{
	rendezvous_unlist(addr);
	close(server);
}

static unsigned int visits;

static void visit(int sock, void *arg)
{
	assert_ptr_equal(arg, &visits);
	visits++;
	close(sock);
}

static void a_server_has_a_socket_while_it_listens(void **state)
{
	struct link_addr addr = make_addr("name");
	int server, client;

	(void)state;
	assert_err(rendezvous_connect(&addr, &client), NOT_FOUND);
	assert_ok(rendezvous_listen(&addr, &server));
	assert_int_equal(count_sockets(), 1);
	assert_ok(rendezvous_connect(&addr, &client));
	close(client);
	unlisten(&addr, server);
	assert_int_equal(count_sockets(), 0);
	assert_err(rendezvous_connect(&addr, &client), NOT_FOUND);
}

static void a_name_is_taken_once(void **state)
{
	struct link_addr addr = make_addr("name"), other = make_addr("other");
	int server, second;

	(void)state;
	assert_ok(rendezvous_listen(&addr, &server));
	assert_err(rendezvous_listen(&addr, &second), IN_USE);
	assert_ok(rendezvous_listen(&other, &second));
	unlisten(&other, second);
	unlisten(&addr, server);
}

static void a_dead_servers_name_is_free(void **state)
{
	struct link_addr addr = make_addr("name");
	int server;

	(void)state;
	assert_ok(rendezvous_listen(&addr, &server));
	close(server); /* as the kernel does for a dead one: the file stays */
	assert_int_equal(count_sockets(), 1);
	assert_ok(rendezvous_listen(&addr, &server));
	assert_int_equal(count_sockets(), 1);
	unlisten(&addr, server);
}

static void a_client_removes_what_a_dead_server_left(void **state)
{
	struct link_addr addr = make_addr("name");
	int server, client;

	(void)state;
	assert_ok(rendezvous_listen(&addr, &server));
	close(server);
	assert_err(rendezvous_connect(&addr, &client), NOT_FOUND);
	assert_int_equal(count_sockets(), 0);
}

/* what an orphan holds open, by a fork that nobody was told of */
static void listen_and_be_outlived(struct child *parent, void *arg)
{
	int server;

	if (rendezvous_listen(arg, &server))
		_exit(1);
	if (_Fork() == 0) {
		child_tell(parent);
		child_await(parent);
		_exit(0);
	}
}

struct caller {
	const struct link_addr *addr;
	bool forbidden;
	doca_error_t err;
};

/* The filter is that of this thread alone. */
static void *call_without_pidfd_open(void *arg)
{
	struct caller *caller = arg;
	int client;

	caller->forbidden = forbid_call(SYS_pidfd_open, EPERM);
	caller->err = rendezvous_connect(caller->addr, &client);
	return NULL;
}

static void check_orphan(doca_error_t (*call)(const struct link_addr *addr))
{
	struct link_addr addr = make_addr("name");
	struct child child = child_start(listen_and_be_outlived, &addr);
	int server, status;

	child_await(&child);
	assert_int_equal(waitpid(child.pid, &status, 0), child.pid);
	assert_int_equal(count_sockets(), 1);
	assert_err(call(&addr), NOT_FOUND);
	assert_int_equal(count_sockets(), 0);
	assert_ok(rendezvous_listen(&addr, &server));
	unlisten(&addr, server);
	child_tell(&child);
	close(child.to);
	close(child.from);
}

static doca_error_t call_plainly(const struct link_addr *addr)
{
	int client;

	return rendezvous_connect(addr, &client);
}

static doca_error_t call_filtered(const struct link_addr *addr)
{
	struct caller caller = {.addr = addr};
	pthread_t thread;

	assert_int_equal(pthread_create(&thread, NULL, call_without_pidfd_open, &caller), 0);
	assert_int_equal(pthread_join(thread, NULL), 0);
	if (!caller.forbidden)
		puts("not filtered: the kernel or a filter forbids that");
	return caller.err;
}

static void a_socket_that_only_an_orphan_holds_is_a_dead_servers(void **state)
{
	(void)state;
	if (runs_under_valgrind())
		skip(); /* it does not know pidfd_open() */
	check_orphan(call_plainly);
}

/* as in a container that forbids to look at processes by descriptors */
static void also_where_pidfd_open_is_forbidden(void **state)
{
	(void)state;
	if (runs_under_valgrind())
		skip();
	check_orphan(call_filtered);
}

/* Leaves the file of a dead server of that name. */
static void die_as(const char *service)
{
	struct link_addr addr = make_addr(service);
	int server;

	assert_ok(rendezvous_listen(&addr, &server));
	close(server);
}

static void whoever_comes_by_removes_what_others_left(void **state)
{
	struct link_addr addr = make_addr("name"), nobody = make_addr("nobody");
	int server, client;

	(void)state;
	die_as("dead");
	assert_ok(rendezvous_listen(&addr, &server));
	assert_int_equal(count_sockets(), 1);
	die_as("dead");
	assert_err(rendezvous_connect(&nobody, &client), NOT_FOUND);
	assert_int_equal(count_sockets(), 1);
	die_as("dead");
	assert_ok(rendezvous_connect(&addr, &client));
	assert_int_equal(count_sockets(), 1);
	die_as("dead");
	rendezvous_sweep(&addr, getpid()); /* a client that has lost its connection */
	assert_int_equal(count_sockets(), 1);
	die_as("dead");
	unlisten(&addr, server);
	assert_int_equal(count_sockets(), 0);
	close(client);
}

static void who_comes_by_rings_at_nobody(void **state)
{
	struct link_addr addr = make_addr("name"), other = make_addr("other");
	int server, second, client;

	(void)state;
	assert_ok(rendezvous_listen(&addr, &server));
	assert_ok(rendezvous_listen(&other, &second));
	assert_ok(rendezvous_connect(&other, &client));
	unlisten(&other, second);
	close(client);
	assert_int_equal(accept4(server, NULL, NULL, SOCK_CLOEXEC), -1);
	assert_int_equal(errno, EAGAIN);
	unlisten(&addr, server);
}

/* The folder may be one that has other uses. */
static void what_is_not_ours_stays(void **state)
{
	static const char *const names[] = {"notes.sock", "0123456789abcde.sock",
					    "0123456789abcdef.sock.old", "0123456789ABCDEF.sock"};
	struct link_addr addr = make_addr("name");
	char path[sizeof(dir) + 40];
	int server, fd;

	(void)state;
	for (unsigned int i = 0; i < 4; i++) {
		snprintf(path, sizeof(path), "%s/%s", dir, names[i]);
		fd = open(path, O_CREAT | O_WRONLY | O_CLOEXEC, 0600);
		assert_true(fd >= 0);
		close(fd);
	}
	assert_ok(rendezvous_listen(&addr, &server));
	unlisten(&addr, server);
	visits = 0;
	assert_ok(priv_rendezvous_visit(visit, &visits));
	assert_int_equal(visits, 0);
	for (unsigned int i = 0; i < 4; i++) {
		snprintf(path, sizeof(path), "%s/%s", dir, names[i]);
		assert_int_equal(unlink(path), 0);
	}
}

static void come_by_until_told(struct child *parent, void *arg)
{
	struct link_addr nobody = make_addr("nobody");
	int client;
	char byte;

	(void)arg;
	fcntl(parent->from, F_SETFL, O_NONBLOCK);
	child_tell(parent);
	while (read(parent->from, &byte, 1) < 0)
		rendezvous_connect(&nobody, &client);
}

/* Two clean up all the time; a server that has just come is never taken for the dead one. */
static void cleaning_spares_who_has_just_come(void **state)
{
	struct link_addr addr = make_addr("name");
	struct child cleaners[2];
	int server, client;

	(void)state;
	for (unsigned int i = 0; i < 2; i++) {
		cleaners[i] = child_start(come_by_until_told, NULL);
		child_await(&cleaners[i]);
	}
	for (unsigned int i = 0; i < CLEANINGS; i++) {
		die_as("name");
		assert_ok(rendezvous_listen(&addr, &server));
		assert_ok(rendezvous_connect(&addr, &client));
		close(client);
		assert_int_equal(count_sockets(), 1);
		if (i % 2) /* else it dies as well */
			rendezvous_unlist(&addr);
		close(server);
	}
	for (unsigned int i = 0; i < 2; i++) {
		child_tell(&cleaners[i]);
		assert_int_equal(child_join(&cleaners[i]), 0);
	}
	rendezvous_connect(&addr, &client);
	assert_int_equal(count_sockets(), 0);
}

static void sweeping_spares_the_living(void **state)
{
	struct link_addr addr = make_addr("name");
	int server, client;

	(void)state;
	assert_true(rendezvous_sweep(&addr, getpid())); /* nothing there */
	assert_ok(rendezvous_listen(&addr, &server));
	assert_false(rendezvous_sweep(&addr, getpid()));
	assert_true(rendezvous_sweep(&addr, getppid())); /* another one has come */
	assert_ok(rendezvous_connect(&addr, &client));
	close(client);
	unlisten(&addr, server);
}

/* Sweeping happens while a program polls: whoever holds the folder must not hold it up. */
static void sweeping_waits_for_nobody(void **state)
{
	struct link_addr addr = make_addr("name");
	int server, folder, client;

	(void)state;
	assert_ok(rendezvous_listen(&addr, &server));
	close(server);
	folder = open(dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	assert_int_equal(flock(folder, LOCK_EX), 0);
	alarm(20); /* to wait would be to wait for ever */
	assert_false(rendezvous_sweep(&addr, getpid()));
	assert_err(rendezvous_connect(&addr, &client), NOT_FOUND);
	alarm(0);
	close(folder);
	assert_true(rendezvous_sweep(&addr, getpid()));
	assert_int_equal(count_sockets(), 0);
}

static void long_names_do_not_collide(void **state)
{
	char name[120];
	struct link_addr first, second;
	int servers[2], client;

	(void)state;
	memset(name, 'n', sizeof(name));
	name[119] = '\0';
	first = make_addr(name);
	name[118] = 'm';
	second = make_addr(name);
	assert_ok(rendezvous_listen(&first, &servers[0]));
	assert_err(rendezvous_connect(&second, &client), NOT_FOUND);
	assert_ok(rendezvous_listen(&second, &servers[1]));
	unlisten(&first, servers[0]);
	assert_ok(rendezvous_connect(&second, &client));
	close(client);
	unlisten(&second, servers[1]);
}

static void the_socket_is_its_users_own(void **state)
{
	struct link_addr addr = make_addr("name");
	struct stat st;
	int server;

	(void)state;
	assert_ok(rendezvous_listen(&addr, &server));
	assert_int_equal(stat(dir, &st), 0);
	assert_int_equal(st.st_mode & 0777, 0700);
	unlisten(&addr, server);
}

static void the_folder_is_made_when_it_is_needed(void **state)
{
	struct link_addr addr = make_addr("name");
	int server, client;

	(void)state;
	assert_int_equal(rmdir(dir), 0);
	assert_err(rendezvous_connect(&addr, &client), NOT_FOUND);
	assert_int_equal(access(dir, F_OK), -1);
	assert_ok(rendezvous_listen(&addr, &server));
	unlisten(&addr, server);
}

static void a_folder_that_cannot_be_made_is_an_error(void **state)
{
	struct link_addr addr = make_addr("name");
	int server = -1, fd;

	(void)state;
	assert_int_equal(rmdir(dir), 0);
	fd = open(dir, O_CREAT | O_WRONLY | O_CLOEXEC, 0600); /* a file in its place */
	assert_true(fd >= 0);
	close(fd);
	assert_err(rendezvous_listen(&addr, &server), NOT_PERMITTED);
	assert_int_equal(server, -1);
	assert_int_equal(unlink(dir), 0);
	assert_int_equal(mkdir(dir, 0700), 0);
}

static void tools_find_every_server(void **state)
{
	struct link_addr addrs[3] = {make_addr("a"), make_addr("b"), make_addr("dead")};
	int servers[3], i;

	(void)state;
	for (i = 0; i < 3; i++)
		assert_ok(rendezvous_listen(&addrs[i], &servers[i]));
	close(servers[2]);
	visits = 0;
	assert_ok(priv_rendezvous_visit(visit, &visits));
	assert_int_equal(visits, 2);
	unlisten(&addrs[0], servers[0]);
	unlisten(&addrs[1], servers[1]);
	assert_int_equal(count_sockets(), 0); /* nor what the dead one has left */
	visits = 0;
	assert_ok(priv_rendezvous_visit(visit, &visits));
	assert_int_equal(visits, 0);
}

static void the_peer_is_who_the_kernel_says(void **state)
{
	struct link_addr addr = make_addr("name");
	struct link_peer peer;
	int server, client;

	(void)state;
	assert_ok(rendezvous_listen(&addr, &server));
	assert_ok(rendezvous_connect(&addr, &client));
	assert_ok(rendezvous_check_peer(client, geteuid(), addr.card, &peer));
	assert_int_equal(peer.uid, geteuid());
	assert_int_equal(peer.gid, getegid());
	assert_int_equal(peer.pid, getpid());
	close(client);
	assert_err(rendezvous_check_peer(server + 1000, geteuid(), addr.card, &peer),
		   OPERATING_SYSTEM);
	unlisten(&addr, server);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, leak_setup, leak_teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(a_server_has_a_socket_while_it_listens),
		TEST(a_name_is_taken_once),
		TEST(a_dead_servers_name_is_free),
		TEST(a_client_removes_what_a_dead_server_left),
		TEST(a_socket_that_only_an_orphan_holds_is_a_dead_servers),
		TEST(also_where_pidfd_open_is_forbidden),
		TEST(whoever_comes_by_removes_what_others_left),
		TEST(who_comes_by_rings_at_nobody),
		TEST(what_is_not_ours_stays),
		TEST(cleaning_spares_who_has_just_come),
		TEST(sweeping_spares_the_living),
		TEST(sweeping_waits_for_nobody),
		TEST(long_names_do_not_collide),
		TEST(the_socket_is_its_users_own),
		TEST(the_folder_is_made_when_it_is_needed),
		TEST(a_folder_that_cannot_be_made_is_an_error),
		TEST(tools_find_every_server),
		TEST(the_peer_is_who_the_kernel_says),
	};

	return cmocka_run_group_tests(tests, make_dir, remove_dir);
}
