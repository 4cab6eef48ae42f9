/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Windows that are withdrawn while consumers still receive into them: the memory may be somebody
 * else's by then, or nobody's.
 */
#include "windowtest.h"

static void goes_on_through_the_shadow_when_withdrawn(void **state)
{
	struct scene scene = open_scene(10, 2 * PIECE);
	bool direct;

	(void)state;
	receive(&scene, scene.addr, PIECE, PIECE, 'x');
	priv_window_withdraw(scene.window);
	prepare(&scene, scene.addr + PAGE, PAGE, &direct);
	assert_false(direct);
	receive(&scene, scene.addr, scene.size, scene.size, 'y');
	assert_int_equal(scene.addr[0], 'y');
	assert_int_equal(scene.addr[scene.size - 1], 'y');
	close_scene(&scene);
}

/* A window of three pieces of which the second was in place. */
static struct scene open_withdrawn(void)
{
	struct scene scene = open_scene(0, 3 * PIECE);
	bool direct;

	prepare(&scene, scene.addr + PIECE, PIECE, &direct);
	assert_true(direct);
	priv_window_withdraw(scene.window);
	assert_true(window_is_withdrawn(scene.window));
	return scene;
}

static void nothing_is_put_in_place_when_withdrawn(void **state)
{
	struct scene scene = open_withdrawn();
	size_t piece;
	bool direct;

	(void)state;
	for (piece = 0; piece < 3; piece++) {
		char *addr = scene.addr + piece * PIECE, first_byte = *addr;

		prepare(&scene, addr, PIECE, &direct);
		assert_false(direct);
		memset(scene.peer + piece * PIECE, 0xee, PIECE);
		assert_int_equal(*addr, first_byte);
		priv_window_collect(scene.window, addr, 100, 100);
		assert_int_equal((uint8_t)*addr, 0xee);
	}
	assert_int_equal(priv_window_use(scene.window).in_place, 0);
	close_scene(&scene);
}

/* Those before what was in place, and those behind it. */
static void new_pieces_are_looked_at_when_withdrawn(void **state)
{
	(void)state;
	for (size_t piece = 0; piece < 3; piece += 2) {
		struct scene scene = open_withdrawn();
		char *addr = scene.addr + piece * PIECE;
		bool direct;

		assert_int_equal(mprotect(addr, PIECE, PROT_READ), 0);
		assert_err(
			priv_window_prepare(scene.window, addr, PIECE, &(unsigned int){1}, &direct),
			NOT_PERMITTED);
		assert_int_equal(mprotect(addr, PIECE, PROT_READ | PROT_WRITE), 0);
		close_scene(&scene);
	}
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, leak_setup, leak_teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(goes_on_through_the_shadow_when_withdrawn),
		TEST(nothing_is_put_in_place_when_withdrawn),
		TEST(new_pieces_are_looked_at_when_withdrawn),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
