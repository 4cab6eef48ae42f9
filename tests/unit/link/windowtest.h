/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A window in the middle of other memory, and a peer that writes into it.
 */
#ifndef SOFTFIELD_TESTS_WINDOWTEST_H
#define SOFTFIELD_TESTS_WINDOWTEST_H

#include "test.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include "doca_error.h"
#include "leak.h"
#include "link/takeover.h"
#include "link/window.h"
#include "pages.h"

#define PIECE  WINDOW_PIECE
#define CANARY 0x5a

/* A range in the middle of other memory, and a peer that writes into it. */
struct scene {
	char *memory; /* with a margin of CANARY around the range */
	size_t memory_size;
	char *addr;
	size_t size;
	struct window *window;
	char *peer;
	size_t peer_size;
};

static inline char *map_plain(size_t size)
{
	char *p = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	assert_true(p != MAP_FAILED);
	return p;
}

static inline void attach_peer(struct scene *scene)
{
	struct stat st;

	assert_int_equal(fstat(scene->window->fd, &st), 0);
	scene->peer_size = (size_t)st.st_size;
	scene->peer = mmap(NULL, scene->peer_size, PROT_READ | PROT_WRITE, MAP_SHARED,
			   scene->window->fd, 0);
	assert_true(scene->peer != MAP_FAILED);
}

/* The range starts offset bytes into a page; its first and last bytes are 'a' to 'z'. */
static inline struct scene open_scene(size_t offset, size_t size)
{
	struct scene scene = {.size = size};
	size_t i;

	scene.memory_size = (offset + size + 3 * PAGE) & ~(PAGE - 1);
	scene.memory = map_plain(scene.memory_size);
	memset(scene.memory, CANARY, scene.memory_size);
	scene.addr = scene.memory + PAGE + offset;
	for (i = 0; i < size; i++)
		scene.addr[i] = (char)('a' + i % 26);
	assert_ok(priv_window_create(scene.addr, size, &scene.window));
	attach_peer(&scene);
	return scene;
}

static inline void check_canaries(const struct scene *scene)
{
	const char *p;

	for (p = scene->memory; p < scene->addr; p++)
		assert_int_equal(*p, CANARY);
	for (p = scene->addr + scene->size; p < scene->memory + scene->memory_size; p++)
		assert_int_equal(*p, CANARY);
}

static inline void close_scene(struct scene *scene)
{
	check_canaries(scene);
	priv_window_withdraw(scene->window);
	check_canaries(scene);
	priv_window_unref(scene->window);
	munmap(scene->peer, scene->peer_size);
	munmap(scene->memory, scene->memory_size);
}

/* prepares to the end; how many calls it took */
static inline unsigned int prepare(struct scene *scene, char *addr, size_t size, bool *direct)
{
	unsigned int calls = 1;
	doca_error_t err;

	while ((err = priv_window_prepare(scene->window, addr, size, &(unsigned int){1}, direct)) ==
	       DOCA_ERROR_AGAIN)
		calls++;
	assert_ok(err);
	return calls;
}

/*
 * One message of the peer: a posted buffer of size bytes at addr, of which it fills count. With
 * every other byte it is known what memory that is.
 */
static inline void receive(struct scene *scene, char *addr, size_t size, size_t count, char byte)
{
	struct window_known known = WINDOW_UNKNOWN;
	bool direct;

	prepare(scene, addr, size, &direct);
	memset(scene->peer + window_offset(scene->window, addr), byte, count);
	if (byte % 2)
		priv_window_find_known(scene->window, addr, &known);
	if (!direct)
		window_collect(scene->window, &known, addr, count, count);
}

#endif
