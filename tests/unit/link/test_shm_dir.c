/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Links by way of a runtime folder: what a client does about the file of a server that it has lost,
 * and what a child of fork() leaves alone.
 */
#include "test.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>
#include "base/clock.h"
#include "base/fd.h"
#include "child.h"
#include "descriptors.h"
#include "dirtest.h"
#include "dying.h"
#include "leak.h"
#include "link/rendezvous.h"

/* A client's link to a server by hand, whose sockets are closed one by one. */
struct rig {
	struct poll_group group;
	struct link_addr addr;
	int listener, sock; /* the server's */
	struct link *link;
	unsigned int losses;
	struct leak before;
};

static void got_message(struct link *link, const void *msg, size_t size, const int *fds,
			unsigned int fd_count)
{
	(void)link;
	(void)msg;
	(void)size;
	priv_fd_close_all(fds, fd_count);
}

static void got_lost(struct link *link, doca_error_t reason)
{
	assert_int_equal(reason, DOCA_ERROR_CONNECTION_RESET);
	((struct rig *)link->owner)->losses++;
}

static const struct link_handler handler = {.message = got_message, .lost = got_lost};

static bool has_file(void)
{
	return rmdir(dir) != 0 || mkdir(dir, 0700) != 0;
}

static int setup(void **state)
{
	struct rig *rig = calloc(1, sizeof(*rig));

	rig->before = leak_count();
	priv_clock_virtual.on = true;
	priv_clock_virtual.now_ns = 1000000000;
	assert_ok(priv_poll_group_init(&rig->group));
	rig->addr = make_addr("name");
	assert_ok(rendezvous_listen(&rig->addr, &rig->listener));
	assert_ok(priv_link_connect(&rig->group, &rig->addr, &handler, rig, &rig->link));
	rig->sock = accept4(rig->listener, NULL, NULL, SOCK_CLOEXEC);
	assert_true(rig->sock >= 0 && has_file());
	*state = rig;
	return 0;
}

static int teardown(void **state)
{
	struct rig *rig = *state;
	struct leak before = rig->before;

	if (rig->link)
		link_close(rig->link);
	priv_poll_group_fini(&rig->group);
	priv_clock_virtual.on = false;
	free(rig);
	return leak_check(&before) ? 0 : -1;
}

static void pass(struct rig *rig, unsigned int ms)
{
	for (; ms; ms--) {
		priv_clock_virtual.now_ns += 1000000;
		priv_poll_group_poll(&rig->group, 0);
	}
}

static void a_dead_servers_file_is_removed_before_the_loss_is_told(void **state)
{
	struct rig *rig = *state;

	close(rig->listener);
	close(rig->sock);
	priv_poll_group_poll(&rig->group, 0);
	assert_int_equal(rig->losses, 1);
	assert_false(has_file());
}

/* The kernel closes the sockets of a dying process in any order. */
static void the_listening_socket_may_be_closed_last(void **state)
{
	struct rig *rig = *state;

	close(rig->sock);
	pass(rig, 10);
	assert_int_equal(rig->losses, 0);
	assert_true(has_file());
	close(rig->listener);
	pass(rig, 100);
	assert_int_equal(rig->losses, 1);
	assert_false(has_file());
}

static void a_server_that_lives_keeps_its_file(void **state)
{
	struct rig *rig = *state;

	close(rig->sock);
	pass(rig, 20); /* a death of which nothing is seen for so long is none */
	assert_int_equal(rig->losses, 1);
	assert_true(has_file());
	rendezvous_unlist(&rig->addr);
	close(rig->listener);
}

static void who_closes_meanwhile_hears_nothing(void **state)
{
	struct rig *rig = *state;

	close(rig->sock);
	pass(rig, 2);
	assert_err(link_send(rig->link, "x", 1, NULL, 0), CONNECTION_RESET);
	link_close(rig->link);
	rig->link = NULL;
	pass(rig, 1000);
	assert_int_equal(rig->losses, 0);
	rendezvous_unlist(&rig->addr);
	close(rig->listener);
}

static void ignore_call(struct link_listener *listener, struct link *link)
{
	(void)listener;
	link_close(link);
}

static const struct link_listener_handler listener_handler = {.incoming = ignore_call};

struct inherited {
	struct link_listener *listener;
	struct link *link;
};

static void give_up_inherited(struct child *parent, void *arg)
{
	struct inherited *inherited = arg;

	(void)parent;
	link_unlisten(inherited->listener);
	link_close(inherited->link);
}

/* What a child has inherited is its parent's: to close it changes nothing there. */
static void a_child_closes_nothing_of_its_parents(void **state)
{
	struct rig *rig = *state;
	struct link_addr addr = rig->addr;
	struct inherited inherited = {.link = rig->link};
	struct child child;
	int sock;

	snprintf(addr.service, sizeof(addr.service), "other");
	assert_ok(
		priv_link_listen(&rig->group, &addr, &listener_handler, rig, &inherited.listener));
	child = child_start(give_up_inherited, &inherited);
	assert_int_equal(child_join(&child), 0);
	assert_ok(rendezvous_connect(&addr, &sock));
	close(sock);
	assert_ok(link_send(rig->link, "x", 1, NULL, 0));
	link_unlisten(inherited.listener);
	rendezvous_unlist(&rig->addr);
	close(rig->listener);
	close(rig->sock);
}

static void a_name_can_be_had_while_its_server_dies(void **state)
{
	struct rig *rig = *state;

	priv_clock_virtual.on = false;
	take_from_the_dying(&rig->addr);
	close(rig->listener);
	close(rig->sock);
	rendezvous_unlist(&rig->addr);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(a_dead_servers_file_is_removed_before_the_loss_is_told),
		TEST(the_listening_socket_may_be_closed_last),
		TEST(a_server_that_lives_keeps_its_file),
		TEST(who_closes_meanwhile_hears_nothing),
		TEST(a_child_closes_nothing_of_its_parents),
		TEST(a_name_can_be_had_while_its_server_dies),
	};

	if (!many_descriptors_are_allowed())
		return 77; /* skipped */
	return cmocka_run_group_tests(tests, make_dir, remove_dir);
}
