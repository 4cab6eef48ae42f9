/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Windows of a program that has confined itself: it may open no files any more, so what is mapped
 * where is not to be read in /proc.
 */
#include "windowtest.h"

#include <errno.h>
#include <stdio.h>
#include <sys/syscall.h>
#include "base/count.h"
#include "base/kernel.h"
#include "child.h"
#include "doca_log.h"
#include "link/populate.h"
#include "said.h"
#include "seccomp.h"

static void confine(void)
{
	if (!forbid_call(SYS_openat, EPERM))
		_exit(1);
}

/* exit status: which step was wrong */
static void receive_confined(struct child *parent, void *arg)
{
	struct scene scene = open_scene(10, 2 * PIECE);
	bool direct;

	(void)parent;
	(void)arg;
	confine();
	prepare(&scene, scene.addr, scene.size, &direct);
	if (direct)
		_exit(2); /* that takes /proc */
	receive(&scene, scene.addr, scene.size, scene.size, 'x');
	if (scene.addr[0] != 'x' || scene.addr[scene.size - 1] != 'x')
		_exit(3);
	close_scene(&scene);
}

static void refuse_confined(struct child *parent, void *arg)
{
	struct scene scene = open_scene(0, 2 * PIECE);
	const int protection = *(const int *)arg;
	struct doca_log_backend *backend;
	bool direct;

	(void)parent;
	doca_log_backend_create_with_fd_sdk(STDERR_FILENO, &backend);
	confine();
	if (mprotect(scene.addr + PIECE + PAGE, PAGE, protection))
		_exit(2);
	if (priv_window_prepare(scene.window, scene.addr + PIECE, PIECE, &(unsigned int){1},
				&direct) != DOCA_ERROR_NOT_PERMITTED)
		_exit(3);
	/* and the rest of it goes on */
	receive(&scene, scene.addr, PIECE, PIECE, 'x');
	if (scene.addr[0] != 'x' || scene.addr[PIECE - 1] != 'x')
		_exit(4);
}

static void receives_without_proc(void **state)
{
	struct child child;

	(void)state;
	child = child_start(receive_confined, NULL);
	assert_int_equal(child_join(&child), 0);
}

static void does_not_write_where_the_program_may_not(void **state)
{
	int protections[] = {PROT_READ, PROT_NONE};
	char said[SAID_SIZE];

	(void)state;
	for (unsigned int i = 0; i < COUNT(protections); i++) {
		listen_to(refuse_confined, &protections[i], said);
		assert_int_equal(said_count(said, "cannot be received into: it is read-only"), 1);
	}
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, leak_setup, leak_teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(receives_without_proc),
		TEST(does_not_write_where_the_program_may_not),
	};

	if (!populate_knows(MADV_POPULATE_WRITE)) {
		printf("this kernel does not say without /proc what may be written\n");
		return 77;
	}
	return cmocka_run_group_tests(tests, NULL, NULL);
}
