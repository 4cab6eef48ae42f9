/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Windows of programs that fork and of programs with threads.
 */
#include "windowtest.h"

#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <signal.h>
#include <stdio.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/wait.h>
#include "child.h"
#include "doca_log.h"
#include "other_malloc.h"
#include "said.h"
#include "seccomp.h"
#include "valgrind.h"

/*
 * Children
 */

static bool holds(const char *p, size_t size, char byte)
{
	while (size--)
		if (p[size] != byte)
			return false;
	return true;
}

/* exit status: which step was wrong */
static void live_in_copy(struct child *parent, void *arg)
{
	struct scene *scene = arg;

	if (!holds(scene->addr, scene->size, 'x'))
		_exit(1);
	memset(scene->addr, 'c', scene->size / 2);
	child_tell(parent);
	child_await(parent); /* the parent has withdrawn, the peer has written */
	if (!holds(scene->addr, scene->size / 2, 'c'))
		_exit(2);
	_exit(holds(scene->addr + scene->size / 2, scene->size / 2, 'x') ? 0 : 3);
}

static void what_a_child_writes_stays_there(void **state)
{
	struct scene scene = open_scene(0, 2 * PIECE);
	struct child child;

	(void)state;
	receive(&scene, scene.addr, scene.size, scene.size, 'x');
	child = child_start(live_in_copy, &scene);
	child_await(&child);
	assert_true(holds(scene.addr, scene.size, 'x'));
	assert_true(holds(scene.peer, scene.size, 'x'));
	priv_window_withdraw(scene.window);
	memset(scene.addr, 'p', scene.size);
	child_tell(&child);
	assert_int_equal(child_join(&child), 0);
	close_scene(&scene);
}

static void look_later(struct child *parent, void *arg)
{
	struct scene *scene = arg;

	child_await(parent); /* the parent and the peer have written */
	_exit(holds(scene->addr, scene->size, 'x') ? 0 : 1);
}

/* exit status: which page was wrong */
static void try_to_write(struct child *parent, void *arg)
{
	struct scene *scene = arg;

	(void)parent;
	if (may_write(scene->addr))
		_exit(1);
	_exit(may_write(scene->addr + PAGE) ? 0 : 2);
}

static void a_child_may_write_where_its_parent_may(void **state)
{
	struct scene scene = open_scene(0, 2 * PAGE);
	struct child child;

	(void)state;
	receive(&scene, scene.addr, scene.size, scene.size, 'x');
	assert_int_equal(mprotect(scene.addr, PAGE, PROT_READ), 0);
	child = child_start(try_to_write, &scene);
	assert_int_equal(child_join(&child), 0);
	assert_int_equal(mprotect(scene.addr, PAGE, PROT_READ | PROT_WRITE), 0);
	close_scene(&scene);
}

/* exit status: which step was wrong */
static void protect_in_vain(struct child *parent, void *arg)
{
	struct scene scene = open_scene(0, 2 * PAGE);
	struct doca_log_backend *backend;
	int status;
	pid_t child;

	(void)parent;
	(void)arg;
	doca_log_backend_create_with_fd_sdk(STDERR_FILENO, &backend);
	receive(&scene, scene.addr, scene.size, scene.size, 'x');
	if (mprotect(scene.addr, PAGE, PROT_READ) || !forbid_call(SYS_mprotect, EPERM))
		_exit(1);
	child = fork();
	if (!child)
		_exit(0);
	if (waitpid(child, &status, 0) != child || status)
		_exit(2);
	priv_window_withdraw(scene.window);
	_exit(may_write(scene.addr) ? 0 : 3);
}

/* In the child, and when it is given back; a filter of system calls may be the reason. */
static void it_is_told_what_cannot_be_protected_again(void **state)
{
	const char *text = "are not protected any more";
	char said[SAID_SIZE], *first;

	(void)state;
	listen_to(protect_in_vain, NULL, said);
	first = strstr(said, text);
	assert_non_null(first);
	assert_non_null(strstr(first + 1, text));
}

static void a_child_keeps_what_was_there(void **state)
{
	struct scene scene = open_scene(0, 2 * PIECE);
	struct child child;

	(void)state;
	receive(&scene, scene.addr, scene.size, scene.size, 'x');
	child = child_start(look_later, &scene);
	memset(scene.addr, 'p', PIECE);
	memset(scene.peer + PIECE, 'q', PIECE);
	child_tell(&child);
	assert_int_equal(child_join(&child), 0);
	assert_true(holds(scene.addr, PIECE, 'p'));
	assert_true(holds(scene.addr + PIECE, PIECE, 'q'));
	close_scene(&scene);
}

/* The program had freed its memory, and something else was there. */
static void find_own_memory(struct child *parent, void *arg)
{
	struct scene *scene = arg;

	(void)parent;
	_exit(holds(scene->addr + PIECE, PIECE, 'o') && holds(scene->addr, PIECE, 'x') ? 0 : 1);
}

static void a_child_finds_what_has_moved_in(void **state)
{
	struct scene scene = open_scene(0, 2 * PIECE);
	struct child child;

	(void)state;
	receive(&scene, scene.addr, scene.size, scene.size, 'x');
	assert_true(mmap(scene.addr + PIECE, PIECE, PROT_READ | PROT_WRITE,
			 MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0) != MAP_FAILED);
	memset(scene.addr + PIECE, 'o', PIECE);
	child = child_start(find_own_memory, &scene);
	assert_int_equal(child_join(&child), 0);
	close_scene(&scene);
}

/* A child that stops the memory map or destroys the last consumer. */
static void withdraw_copy(struct child *parent, void *arg)
{
	struct scene *scene = arg;

	(void)parent;
	memset(scene->addr, 'c', scene->size / 2);
	priv_window_withdraw(scene->window);
	priv_window_unref(scene->window);
	if (!holds(scene->addr, scene->size / 2, 'c'))
		_exit(1);
	_exit(holds(scene->addr + scene->size / 2, scene->size / 2, 'x') ? 0 : 2);
}

static void what_a_child_withdraws_stays_in_place(void **state)
{
	struct scene scene = open_scene(0, 2 * PIECE);
	struct child child;

	(void)state;
	receive(&scene, scene.addr, scene.size, scene.size, 'x');
	child = child_start(withdraw_copy, &scene);
	assert_int_equal(child_join(&child), 0);
	assert_true(holds(scene.addr, scene.size, 'x'));
	receive(&scene, scene.addr, scene.size, scene.size, 'y');
	assert_true(holds(scene.addr, scene.size, 'y'));
	close_scene(&scene);
}

struct taker {
	pthread_t thread;
	_Atomic unsigned int rounds;
	_Atomic bool stop;
};

static doca_error_t prepare_all(struct window *window, char *p, size_t size)
{
	doca_error_t err;
	bool direct;

	do
		err = priv_window_prepare(window, p, size, &(unsigned int){1}, &direct);
	while (err == DOCA_ERROR_AGAIN);
	return err;
}

/* Puts memory in place and gives it back, again and again. */
static void *take_and_return(void *arg)
{
	struct taker *taker = arg;
	char *p = map_plain(PIECE);

	memset(p, 't', PIECE);
	while (!atomic_load(&taker->stop)) {
		struct window *window;

		if (priv_window_create(p, PIECE, &window) || prepare_all(window, p, PIECE))
			abort();
		priv_window_unref(window);
		atomic_fetch_add(&taker->rounds, 1);
	}
	if (!holds(p, PIECE, 't'))
		abort();
	munmap(p, PIECE);
	return NULL;
}

static void scribble(struct child *parent, void *arg)
{
	struct scene *scene = arg;

	(void)parent;
	memset(scene->addr, 'c', scene->size);
}

static void scribble_on_all(struct child *parent, void *arg)
{
	(void)parent;
	memset(*(char **)arg, 'c', PIECE);
}

/* fork() at any moment of an exchange that another thread is doing */
static void forks_between_exchanges(void **state)
{
	struct scene scene = open_scene(0, PIECE);
	struct taker taker = {0};
	unsigned int i;

	(void)state;
	receive(&scene, scene.addr, scene.size, scene.size, 'x');
	assert_int_equal(pthread_create(&taker.thread, NULL, take_and_return, &taker), 0);
	for (i = 0; i < 30; i++) {
		struct child child = child_start(scribble, &scene);

		assert_int_equal(child_join(&child), 0);
		assert_true(holds(scene.addr, scene.size, 'x'));
	}
	atomic_store(&taker.stop, true);
	pthread_join(taker.thread, NULL);
	assert_true(taker.rounds > 0);
	close_scene(&scene);
}

struct shared_range {
	char *p;
	struct taker taker;
};

static void *take_and_return_here(void *arg)
{
	struct shared_range *range = arg;

	while (!atomic_load(&range->taker.stop)) {
		struct window *window;

		if (priv_window_create(range->p, PIECE, &window) ||
		    prepare_all(window, range->p, PIECE))
			abort();
		priv_window_unref(window);
		atomic_fetch_add(&range->taker.rounds, 1);
	}
	return NULL;
}

/* Children that write to the very memory that is being exchanged. */
static void children_of_an_exchange_own_their_memory(void **state)
{
	struct shared_range range = {.p = map_plain(PIECE)};
	unsigned int i;

	(void)state;
	memset(range.p, 'x', PIECE);
	assert_int_equal(pthread_create(&range.taker.thread, NULL, take_and_return_here, &range),
			 0);
	for (i = 0; i < 60; i++) {
		struct child child = child_start(scribble_on_all, &range.p);

		assert_int_equal(child_join(&child), 0);
		assert_true(holds(range.p, PIECE, 'x'));
	}
	atomic_store(&range.taker.stop, true);
	pthread_join(range.taker.thread, NULL);
	assert_true(holds(range.p, PIECE, 'x'));
	munmap(range.p, PIECE);
}

/*
 * Several consumers of one range
 */

struct user {
	pthread_t thread;
	struct scene *scene;
	size_t from, size;
	char byte;
};

static void *use(void *arg)
{
	struct user *user = arg;
	struct scene *scene = user->scene;
	char *addr = scene->addr + user->from;
	size_t at;
	bool direct;

	for (at = 0; at < user->size; at += 60000) {
		size_t size = user->size - at < 60000 ? user->size - at : 60000;
		doca_error_t err;

		do
			err = priv_window_prepare(scene->window, addr + at, size,
						  &(unsigned int){1}, &direct);
		while (err == DOCA_ERROR_AGAIN);
		if (err)
			abort();
		memset(scene->peer + window_offset(scene->window, addr + at), user->byte, size);
		if (!direct)
			priv_window_collect(scene->window, addr + at, size, size);
	}
	return NULL;
}

static void threads_share_a_window(void **state)
{
	struct scene scene = open_scene(77, 6 * PIECE);
	struct user users[4];
	unsigned int i;

	(void)state;
	for (i = 0; i < 4; i++) {
		size_t from = i * scene.size / 4;

		users[i] = (struct user){.scene = &scene,
					 .from = from,
					 .size = (i + 1) * scene.size / 4 - from,
					 .byte = (char)('A' + i)};
		assert_int_equal(pthread_create(&users[i].thread, NULL, use, &users[i]), 0);
	}
	for (i = 0; i < 4; i++)
		pthread_join(users[i].thread, NULL);
	for (i = 0; i < 4; i++)
		assert_true(holds(scene.addr + users[i].from, users[i].size, users[i].byte));
	close_scene(&scene);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, leak_setup, leak_teardown)

/*
 * Signals
 */

static volatile sig_atomic_t begotten;

/* soon, so that some come in the midst of an exchange */
static void signal_soon(void)
{
	const struct itimerval soon = {.it_value.tv_usec = 300};

	setitimer(ITIMER_REAL, &soon, NULL);
}

static void beget(int signal)
{
	pid_t pid = fork();

	(void)signal;
	if (pid == 0)
		_exit(0);
	if (pid > 0)
		waitpid(pid, NULL, 0);
	if (++begotten < 100)
		signal_soon();
}

/*
 * Else it would wait for the end of an exchange that waits for it. The first of the tests: once
 * there have been threads, malloc() would keep it waiting, too.
 */
static void handlers_of_signals_may_fork(void **state)
{
	const struct sigaction action = {.sa_handler = beget, .sa_flags = SA_RESTART};

	(void)state;
	if (has_other_malloc())
		skip(); /* its allocator's lock may be held */
	assert_int_equal(sigaction(SIGALRM, &action, NULL), 0);
	signal_soon();
	while (begotten < 100) {
		struct scene scene = open_scene(0, 4 * PIECE);

		receive(&scene, scene.addr, scene.size, scene.size, 'x');
		close_scene(&scene);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(handlers_of_signals_may_fork),
		TEST(a_child_keeps_what_was_there),
		TEST(a_child_may_write_where_its_parent_may),
		TEST(it_is_told_what_cannot_be_protected_again),
		TEST(what_a_child_writes_stays_there),
		TEST(a_child_finds_what_has_moved_in),
		TEST(what_a_child_withdraws_stays_in_place),
		TEST(forks_between_exchanges),
		TEST(children_of_an_exchange_own_their_memory),
		TEST(threads_share_a_window),
	};

	if (runs_under_valgrind()) {
		printf("valgrind does not know userfaultfd()\n");
		return 77;
	}
	return cmocka_run_group_tests(tests, NULL, NULL);
}
