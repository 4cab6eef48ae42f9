/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Windows: what the peer can reach, what it cannot, and what is left at the end.
 */
#include "windowtest.h"

#include <sys/resource.h>
#include "child.h"
#include "base/fd.h"
#include "link/maps.h"
#include "valgrind.h"

/* every byte of the range, given those of the messages so far */
static void check_bytes(const struct scene *scene, const char *expected)
{
	assert_memory_equal(scene->addr, expected, scene->size);
	check_canaries(scene);
}

/*
 * Every offset and length
 */

static void receive_everywhere(size_t offset, size_t size)
{
	struct scene scene = open_scene(offset, size);
	char *expected = malloc(size);
	size_t at, count = 1;
	char byte = 1;

	memcpy(expected, scene.addr, size);
	for (at = 0; at < size; at += count, count = count * 3 + 1) {
		size_t room = size - at < count + 5 ? size - at : count + 5;

		count = count < room ? count : room;
		receive(&scene, scene.addr + at, room, count, byte);
		memset(expected + at, byte++, count);
		check_bytes(&scene, expected);
	}
	receive(&scene, scene.addr, size, size, 99);
	memset(expected, 99, size);
	check_bytes(&scene, expected);
	free(expected);
	close_scene(&scene);
}

static void receives_at_odd_places(void **state)
{
	static const size_t offsets[] = {0, 1, 7, 2048, 4095};
	static const size_t sizes[] = {
		1,    2,     63,	4095,  4096,	  4097,		  8191,
		8193, 40000, PIECE - 1, PIECE, PIECE + 1, 2 * PIECE + 77, 3 * PIECE + 4096};
	unsigned int i, j;

	(void)state;
	for (i = 0; i < ARRAY_SIZE(offsets); i++)
		for (j = 0; j < ARRAY_SIZE(sizes); j++)
			receive_everywhere(offsets[i], sizes[j]);
}

static void receives_into_copied_memory(void **state)
{
	setenv("SOFTFIELD_REGION", "copy", 1);
	receives_at_odd_places(state);
	unsetenv("SOFTFIELD_REGION");
}

static void only_whole_pages_are_in_place(void **state)
{
	struct scene scene = open_scene(100, 5 * PAGE);
	struct window_known known;
	bool direct;

	(void)state;
	prepare(&scene, scene.memory + 2 * PAGE, 4 * PAGE, &direct);
	assert_true(direct);
	priv_window_find_known(scene.window, scene.memory + 3 * PAGE, &known);
	assert_ptr_equal(known.begin, known.direct); /* nobody has needed the shadow yet */
	assert_ptr_equal(known.end, known.direct_end);
	prepare(&scene, scene.addr, scene.size, &direct);
	assert_false(direct);
	prepare(&scene, scene.memory + 2 * PAGE, 4 * PAGE, &direct);
	assert_true(direct);
	prepare(&scene, scene.memory + 2 * PAGE - 1, 2, &direct);
	assert_false(direct);
	prepare(&scene, scene.memory + 6 * PAGE - 1, 2, &direct);
	assert_false(direct);
	priv_window_find_known(scene.window, scene.memory + 3 * PAGE, &known);
	assert_ptr_equal(known.direct, scene.memory + 2 * PAGE);
	assert_ptr_equal(known.direct_end, scene.memory + 6 * PAGE);
	assert_true(known.begin <= scene.addr && known.end >= scene.addr + scene.size);
	close_scene(&scene);
}

static void peer_sees_nothing_of_the_neighbours(void **state)
{
	struct scene scene = open_scene(100, 3 * PAGE);
	bool direct;
	size_t i;

	(void)state;
	prepare(&scene, scene.addr, scene.size, &direct);
	for (i = 0; i < PAGE; i++) {
		assert_int_equal(scene.peer[i], 0);
		assert_int_equal(scene.peer[scene.peer_size - PAGE + i], 0);
	}
	assert_memory_equal(scene.peer + PAGE, scene.memory + 2 * PAGE, 2 * PAGE);
	/* nor can it write to them */
	memset(scene.peer, 0xee, PAGE);
	memset(scene.peer + scene.peer_size - PAGE, 0xee, PAGE);
	check_canaries(&scene);
	close_scene(&scene);
}

static void memory_of_the_window_cannot_shrink(void **state)
{
	struct scene scene = open_scene(0, PAGE);

	(void)state;
	assert_int_equal(ftruncate(scene.window->fd, 0), -1);
	close_scene(&scene);
}

/*
 * Pieces
 */

static void works_on_so_many_pieces_a_call(void **state)
{
	struct scene scene = open_scene(0, 32 * PIECE);
	struct window_known known;
	unsigned int budget = 10;
	bool direct;

	(void)state;
	assert_int_equal(prepare(&scene, scene.addr + PIECE, 4 * PIECE, &direct), 4);
	assert_true(direct);
	assert_int_equal(prepare(&scene, scene.addr + 2 * PIECE, PIECE, &direct), 1);
	priv_window_find_known(scene.window, scene.addr + 2 * PIECE, &known);
	assert_ptr_equal(known.direct, scene.addr + PIECE);
	assert_ptr_equal(known.direct_end, scene.addr + 5 * PIECE);
	assert_ptr_equal(known.begin, known.direct);
	assert_ptr_equal(known.end, known.direct_end);
	assert_err(priv_window_prepare(scene.window, scene.addr, 32 * PIECE, &budget, &direct),
		   AGAIN);
	assert_int_equal(budget, 0);
	budget = 100;
	assert_ok(priv_window_prepare(scene.window, scene.addr, 32 * PIECE, &budget, &direct));
	assert_int_equal(budget, 100 - (28 - 10));
	assert_true(direct);
	close_scene(&scene);
}

static void tells_how_it_works(void **state)
{
	struct scene scene = open_scene(0, 2 * PIECE);
	struct window_use use;
	bool direct;

	(void)state;
	use = priv_window_use(scene.window);
	assert_int_equal(use.in_place + use.shadow, 0);
	prepare(&scene, scene.addr, 1, &direct);
	setenv("SOFTFIELD_REGION", "copy", 1);
	prepare(&scene, scene.addr + PIECE, 1, &direct);
	unsetenv("SOFTFIELD_REGION");
	use = priv_window_use(scene.window);
	assert_int_equal(use.in_place, PIECE);
	assert_int_equal(use.shadow, PIECE);
	assert_int_equal(use.why, TAKEOVER_FORBIDDEN);
	close_scene(&scene);
	/* The bytes of pages that are not whole are copied, for no other reason. */
	scene = open_scene(96, 2 * PAGE);
	prepare(&scene, scene.addr, 1, &direct);
	use = priv_window_use(scene.window);
	assert_int_equal(use.in_place, PAGE);
	assert_int_equal(use.shadow, PAGE);
	assert_int_equal(use.why, TAKEOVER_DONE);
	close_scene(&scene);
	scene = open_scene(96, 100);
	prepare(&scene, scene.addr, 1, &direct);
	use = priv_window_use(scene.window);
	assert_int_equal(use.in_place, 0);
	assert_int_equal(use.shadow, 100);
	close_scene(&scene);
}

/* A full machine is an error of the owner, not a signal to the peer. */
static void memory_of_the_shadow_is_there(void **state)
{
	struct scene scene = open_scene(100, PIECE);
	struct stat st;
	bool direct;

	(void)state;
	setenv("SOFTFIELD_REGION", "copy", 1);
	prepare(&scene, scene.addr, 1, &direct);
	unsetenv("SOFTFIELD_REGION");
	assert_int_equal(fstat(scene.window->fd, &st), 0);
	assert_true((size_t)st.st_blocks * 512 >= PIECE);
	close_scene(&scene);
}

/*
 * The end
 */

static void withdrawn_memory_is_the_programs_own(void **state)
{
	struct scene scene = open_scene(10, 2 * PIECE);
	char *expected = malloc(scene.size);
	struct stat st;

	(void)state;
	receive(&scene, scene.addr, scene.size, scene.size, 'x');
	memcpy(expected, scene.addr, scene.size);
	priv_window_withdraw(scene.window);
	assert_true(window_is_withdrawn(scene.window));
	assert_int_equal(fstat(scene.window->fd, &st), 0);
	assert_true((size_t)st.st_blocks * 512 <= 2 * PAGE); /* only the ragged pages */
	memset(scene.peer, 0xee, scene.peer_size);
	check_bytes(&scene, expected);
	free(expected);
	close_scene(&scene);
}

/* To look at its mappings the process needs a descriptor. */
static void memory_comes_back_when_descriptors_run_out(void **state)
{
	struct rlimit before, limit;
	struct scene scene;
	bool direct;
	int next;

	(void)state;
	if (runs_under_valgrind())
		skip(); /* it has limits of its own */
	scene = open_scene(0, 4 * PAGE);
	prepare(&scene, scene.addr, scene.size, &direct);
	assert_int_equal(getrlimit(RLIMIT_NOFILE, &before), 0);
	next = dup(STDIN_FILENO);
	close(next);
	limit = (struct rlimit){.rlim_cur = (rlim_t)next, .rlim_max = before.rlim_max};
	assert_int_equal(setrlimit(RLIMIT_NOFILE, &limit), 0);
	priv_window_withdraw(scene.window);
	assert_int_equal(setrlimit(RLIMIT_NOFILE, &before), 0);
	assert_false(scene.window->kept);
	memset(scene.peer, 0xee, scene.peer_size);
	assert_int_equal(scene.addr[0], 'a');
	close_scene(&scene);
}

/* For children, which do not get their limit back. */
static struct scene open_scene_without_descriptors(void)
{
	struct scene scene = open_scene(0, 2 * PIECE);
	struct rlimit limit;
	rlim_t next;
	bool direct;

	prepare(&scene, scene.addr, PIECE, &direct);
	next = (rlim_t)dup(STDIN_FILENO);
	close((int)next);
	limit = (struct rlimit){.rlim_cur = next, .rlim_max = next};
	if (!direct || setrlimit(RLIMIT_NOFILE, &limit) || dup(STDIN_FILENO) >= 0)
		_exit(1);
	return scene;
}

/* Exit status: which step was wrong */
static void withdraw_without_descriptors(struct child *parent, void *arg)
{
	struct scene scene = open_scene_without_descriptors();

	(void)parent;
	(void)arg;
	priv_window_withdraw(scene.window);
	if (scene.window->kept)
		_exit(2);
	memset(scene.peer, 0xee, PIECE);
	_exit(scene.addr[0] == 'a' ? 0 : 3);
}

/* A peer may have taken them all, to go on writing when it may no longer. */
static void memory_comes_back_when_no_descriptor_can_be_had(void **state)
{
	struct child child;

	(void)state;
	if (runs_under_valgrind())
		skip(); /* its hard limit stays */
	child = child_start(withdraw_without_descriptors, NULL);
	assert_int_equal(child_join(&child), 0);
}

/* Exit status: which step was wrong */
static void withdraw_what_cannot_be_looked_at(struct child *parent, void *arg)
{
	struct scene scene = open_scene_without_descriptors();
	char *second = scene.addr + PIECE, first_byte = second[0];
	bool direct;

	(void)parent;
	(void)arg;
	maps_forget();
	while (dup(STDIN_FILENO) >= 0)
		;
	priv_window_withdraw(scene.window);
	if (!scene.window->kept)
		_exit(2);
	/* for receives that were submitted before */
	assert_ok(
		priv_window_prepare(scene.window, scene.addr, PIECE, &(unsigned int){0}, &direct));
	if (!direct) /* what the peer writes is there */
		_exit(3);
	assert_err(priv_window_prepare(scene.window, second, PIECE, &(unsigned int){1}, &direct),
		   FULL);
	memset(scene.peer + PIECE, 0xee, PIECE);
	_exit(second[0] == first_byte ? 0 : 4);
}

/* What cannot be given back is no reason to take more, which may be somebody else's by now. */
static void nothing_is_put_in_place_after_the_end(void **state)
{
	struct child child;

	(void)state;
	if (runs_under_valgrind())
		skip(); /* its hard limit stays */
	child = child_start(withdraw_what_cannot_be_looked_at, NULL);
	assert_int_equal(child_join(&child), 0);
}

/* The kernel would send SIGXFSZ. */
static void memory_beyond_the_limit_of_files_is_refused(void **state)
{
	static char memory[4 * PAGE_MAX];
	struct rlimit before, low;
	struct window *window;

	(void)state;
	assert_int_equal(getrlimit(RLIMIT_FSIZE, &before), 0);
	low = (struct rlimit){.rlim_cur = PAGE, .rlim_max = before.rlim_max};
	assert_int_equal(setrlimit(RLIMIT_FSIZE, &low), 0);
	assert_err(priv_window_create(memory, sizeof(memory), &window), NO_MEMORY);
	assert_int_equal(setrlimit(RLIMIT_FSIZE, &before), 0);
}

/* The same when the limit comes later: what has not been put in place by then is not. */
static void memory_beyond_a_later_limit_of_files_is_copied(void **state)
{
	struct scene scene = open_scene(0, 2 * PIECE);
	struct rlimit before, low;
	bool direct;

	(void)state;
	assert_int_equal(getrlimit(RLIMIT_FSIZE, &before), 0);
	low = (struct rlimit){.rlim_cur = PIECE, .rlim_max = before.rlim_max};
	assert_int_equal(setrlimit(RLIMIT_FSIZE, &low), 0);
	prepare(&scene, scene.addr, PIECE, &direct);
	assert_true(direct);
	prepare(&scene, scene.addr + PIECE, PIECE, &direct);
	assert_false(direct);
	assert_int_equal(setrlimit(RLIMIT_FSIZE, &before), 0);
	receive(&scene, scene.addr, scene.size, scene.size, 'y');
	assert_int_equal(scene.addr[scene.size - 1], 'y');
	close_scene(&scene);
}

/* The peer's data would have to be copied there, which the program itself may not. */
static void read_only_memory_is_refused(void **state)
{
	struct scene scene = open_scene(100, 5 * PAGE);
	char *third = scene.memory + 3 * PAGE;
	struct window_known known;
	bool direct;

	(void)state;
	assert_int_equal(mprotect(third, PAGE, PROT_READ), 0);
	while (priv_window_prepare(scene.window, third + 10, 100, &(unsigned int){1}, &direct) ==
	       DOCA_ERROR_AGAIN)
		;
	assert_err(priv_window_prepare(scene.window, third + 10, 100, &(unsigned int){1}, &direct),
		   NOT_PERMITTED);
	assert_err(priv_window_prepare(scene.window, third - 10, 20, &(unsigned int){1}, &direct),
		   NOT_PERMITTED);
	priv_window_find_known(scene.window, third - 100, &known);
	assert_true(known.begin >= known.end);
	assert_true(known.direct >= known.direct_end);
	receive(&scene, third - 100, 100, 100, 'r'); /* beside it */
	receive(&scene, third + PAGE, 100, 100, 's');
	assert_int_equal(third[-1], 'r');
	assert_int_equal(third[PAGE + 99], 's');
	assert_int_equal(mprotect(third, PAGE, PROT_READ | PROT_WRITE), 0);
	close_scene(&scene);
}

static doca_error_t try_prepare(struct scene *scene, char *addr)
{
	doca_error_t err;
	bool direct;

	do
		err = priv_window_prepare(scene->window, addr, 100, &(unsigned int){1}, &direct);
	while (err == DOCA_ERROR_AGAIN);
	return err;
}

/* The pages at the ends are the program's also where all between them is in place. */
static void read_only_ends_are_refused(void **state)
{
	(void)state;
	for (size_t page = 1; page <= 4; page += 3) {
		struct scene scene = open_scene(100, 3 * PAGE);
		char *end = scene.memory + page * PAGE;
		bool direct;

		assert_int_equal(mprotect(end, PAGE, PROT_READ), 0);
		prepare(&scene, scene.addr + PAGE, PAGE, &direct);
		assert_true(direct);
		assert_err(try_prepare(&scene, page == 1 ? scene.addr : end), NOT_PERMITTED);
		assert_int_equal(mprotect(end, PAGE, PROT_READ | PROT_WRITE), 0);
		close_scene(&scene);
	}
}

/* For a child, which does not get its limit back. Exit status: which step was wrong */
static void prepare_without_descriptors(struct child *parent, void *arg)
{
	struct scene scene = open_scene(0, 2 * PIECE);
	char *second = scene.addr + PIECE;
	int last[] = {dup(STDIN_FILENO), dup(STDIN_FILENO)};
	rlim_t next = (rlim_t)last[1] + 1;
	const struct rlimit limit = {.rlim_cur = next, .rlim_max = next};

	(void)parent;
	(void)arg;
	if (setrlimit(RLIMIT_NOFILE, &limit) || mprotect(second, PAGE, PROT_READ))
		_exit(1);
	if (try_prepare(&scene, scene.addr) != DOCA_ERROR_FULL)
		_exit(2);
	priv_fd_close_all(last, 2);
	if (try_prepare(&scene, scene.addr))
		_exit(3);
	if (try_prepare(&scene, second) != DOCA_ERROR_NOT_PERMITTED)
		_exit(4);
	last[0] = dup(STDIN_FILENO);
	last[1] = dup(STDIN_FILENO);
	_exit(try_prepare(&scene, scene.addr) ? 5 : 0); /* it has been looked at */
}

/* What the program has protected since, a debugging allocator for one, stays protected. */
static void returned_memory_is_protected_as_before(void **state)
{
	static const int protections[] = {PROT_NONE, PROT_READ, PROT_READ | PROT_WRITE};
	struct scene scene = open_scene(0, 3 * PAGE);

	(void)state;
	receive(&scene, scene.addr, scene.size, scene.size, 'p');
	for (size_t i = 0; i < 3; i++)
		assert_int_equal(mprotect(scene.addr + i * PAGE, PAGE, protections[i]), 0);
	priv_window_withdraw(scene.window);
	for (size_t i = 0; i < 3; i++)
		assert_int_equal(may_write(scene.addr + i * PAGE), protections[i] & PROT_WRITE);
	assert_int_equal(mprotect(scene.addr, scene.size, PROT_READ | PROT_WRITE), 0);
	assert_int_equal(scene.addr[1], 'p');
	close_scene(&scene);
}

static void memory_that_nobody_can_look_at_is_not_called_read_only(void **state)
{
	struct child child;

	(void)state;
	if (runs_under_valgrind())
		skip(); /* its hard limit stays */
	child = child_start(prepare_without_descriptors, NULL);
	assert_int_equal(child_join(&child), 0);
}

static void last_reference_withdraws(void **state)
{
	struct scene scene = open_scene(0, PIECE);

	(void)state;
	receive(&scene, scene.addr, PIECE, PIECE, 'x');
	priv_window_ref(scene.window);
	priv_window_unref(scene.window);
	memset(scene.peer, 'y', PIECE);
	assert_int_equal(scene.addr[0], 'y');
	priv_window_unref(scene.window);
	memset(scene.peer, 'z', PIECE);
	assert_int_equal(scene.addr[0], 'y');
	check_canaries(&scene);
	munmap(scene.peer, scene.peer_size);
	munmap(scene.memory, scene.memory_size);
}

static void memory_may_be_gone_before(void **state)
{
	struct scene scene = open_scene(0, 4 * PIECE);
	char *other;

	(void)state;
	receive(&scene, scene.addr, scene.size, scene.size, 'x');
	munmap(scene.addr, scene.size);
	/* Something else has moved in, into a part of it. */
	other = mmap(scene.addr + PIECE + PAGE, PIECE, PROT_READ | PROT_WRITE,
		     MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0);
	assert_ptr_equal(other, scene.addr + PIECE + PAGE);
	memset(other, 'o', PIECE);
	priv_window_withdraw(scene.window);
	assert_int_equal(other[0], 'o');
	assert_int_equal(other[PIECE - 1], 'o');
	assert_int_equal(mincore(scene.addr, PAGE, &(unsigned char){0}), -1); /* not mapped */
	priv_window_unref(scene.window);
	munmap(scene.peer, scene.peer_size);
	munmap(scene.memory, scene.memory_size);
}

static void part_of_the_memory_may_be_gone(void **state)
{
	struct scene scene = open_scene(0, 4 * PIECE);

	(void)state;
	receive(&scene, scene.addr, scene.size, scene.size, 'x');
	munmap(scene.addr + PIECE, PAGE);
	priv_window_withdraw(scene.window);
	memset(scene.peer, 'y', scene.peer_size);
	assert_int_equal(scene.addr[PIECE - 1], 'x');
	assert_int_equal(scene.addr[PIECE + PAGE], 'x');
	assert_int_equal(scene.addr[4 * PIECE - 1], 'x');
	priv_window_unref(scene.window);
	munmap(scene.peer, scene.peer_size);
	munmap(scene.memory, scene.memory_size);
}

static void windows_may_overlap(void **state)
{
	struct scene scene = open_scene(0, 2 * PIECE), second = scene;
	bool direct;

	(void)state;
	assert_ok(priv_window_create(scene.addr + PAGE, 2 * PIECE - PAGE, &second.window));
	attach_peer(&second);
	second.addr += PAGE;
	second.size -= PAGE;
	receive(&scene, scene.addr, PIECE, PIECE, 'x');
	prepare(&second, second.addr, PIECE, &direct);
	assert_false(direct);
	receive(&second, second.addr, PAGE, PAGE, 'y');
	assert_int_equal(scene.addr[PAGE - 1], 'x');
	assert_int_equal(scene.addr[PAGE], 'y');
	priv_window_withdraw(second.window);
	receive(&scene, scene.addr, PIECE, PIECE, 'z');
	assert_int_equal(scene.addr[PAGE], 'z');
	priv_window_unref(second.window);
	munmap(second.peer, second.peer_size);
	close_scene(&scene);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, leak_setup, leak_teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(receives_at_odd_places),
		TEST(receives_into_copied_memory),
		TEST(only_whole_pages_are_in_place),
		TEST(peer_sees_nothing_of_the_neighbours),
		TEST(memory_of_the_window_cannot_shrink),
		TEST(works_on_so_many_pieces_a_call),
		TEST(tells_how_it_works),
		TEST(memory_of_the_shadow_is_there),
		TEST(withdrawn_memory_is_the_programs_own),
		TEST(memory_comes_back_when_no_descriptor_can_be_had),
		TEST(nothing_is_put_in_place_after_the_end),
		TEST(memory_comes_back_when_descriptors_run_out),
		TEST(memory_beyond_the_limit_of_files_is_refused),
		TEST(memory_beyond_a_later_limit_of_files_is_copied),
		TEST(read_only_memory_is_refused),
		TEST(read_only_ends_are_refused),
		TEST(returned_memory_is_protected_as_before),
		TEST(memory_that_nobody_can_look_at_is_not_called_read_only),
		TEST(last_reference_withdraws),
		TEST(memory_may_be_gone_before),
		TEST(part_of_the_memory_may_be_gone),
		TEST(windows_may_overlap),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
