/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What hinders an exchange of pages, and receives.
 */
#include "link/obstacle.h"

#include <errno.h>
#include <pthread.h>
#include <unistd.h>
#include "base/fd.h"
#include "base/kernel.h"
#include "base/no_cancel.h"
#include "base/page.h"
#include "link/maps.h"
#include "link/populate.h"

/* what an exchange needs of the stack, at most */
#define STACK_BELOW ((size_t)16 << 10)
/* glibc's, of any release */
#define CONTROL_BLOCK_SIZE ((size_t)2560)
#define ARENA_ALIGNMENT	   ((uintptr_t)8 << 20)
#define ARENA_HEAD_MAX	   128

static enum takeover check_mapping(const struct mapping *mapping)
{
	if (mapping->shared)
		return TAKEOVER_SHARED;
	if (!mapping->readable || !mapping->writable)
		return TAKEOVER_READ_ONLY;
	if (mapping->executable)
		return TAKEOVER_EXECUTABLE;
	if (mapping->inode)
		return TAKEOVER_FILE;
	return mapping->is_stack ? TAKEOVER_STACK : TAKEOVER_DONE;
}

static enum takeover check_writable(const struct mapping *mapping)
{
	return mapping->writable ? TAKEOVER_DONE : TAKEOVER_READ_ONLY;
}

enum takeover obstacle_without_maps(int err)
{
	return err == EMFILE || err == ENFILE ? TAKEOVER_NO_DESCRIPTOR : TAKEOVER_NO_PROC;
}

static bool open_maps(struct maps *maps)
{
	while (!maps_open(maps))
		if (!priv_fd_made_room())
			return false;
	return true;
}

/* Is all of it mapped, and is each mapping as it should be? */
static enum takeover check_mappings(const char *begin, size_t size,
				    enum takeover (*check)(const struct mapping *mapping))
{
	uintptr_t covered = (uintptr_t)begin, end = covered + size;
	enum takeover obstacle = TAKEOVER_DONE;
	struct mapping mapping;
	struct maps maps;
	NO_CANCEL();

	if (!open_maps(&maps))
		return obstacle_without_maps(errno);
	while (!obstacle && covered < end && maps_find(&maps, covered, &mapping)) {
		if (mapping.begin > covered)
			break;
		obstacle = check(&mapping);
		covered = mapping.end;
	}
	maps_close(&maps);
	if (obstacle)
		return obstacle;
	return covered < end ? TAKEOVER_NOT_MAPPED : TAKEOVER_DONE;
}

/* Also that of a coroutine, which is memory like any other. */
static bool holds_our_frames(const char *begin, size_t size)
{
	uintptr_t here = (uintptr_t)__builtin_frame_address(0);

	return (uintptr_t)begin < here && here < (uintptr_t)begin + size + STACK_BELOW;
}

/* The C library has what it knows of a thread at the end of its stack. */
static bool holds_stack_of_thread(const char *begin, size_t size)
{
	pthread_attr_t attr;
	size_t stack_size = 0;
	void *stack = NULL;

	if (pthread_getattr_np(pthread_self(), &attr))
		return false;
	pthread_attr_getstack(&attr, &stack, &stack_size);
	pthread_attr_destroy(&attr);
	return begin < (char *)stack + stack_size && (char *)stack < begin + size;
}

static bool holds_byte(const char *begin, size_t size, uintptr_t byte)
{
	return byte - (uintptr_t)begin < size;
}

/*
 * A page of the C library about this thread: errno, and where the kernel notes on which CPU it
 * runs, which it would do behind a guard that only this thread takes away.
 */
static bool holds_our_control_block(const char *begin, size_t size)
{
	uintptr_t self = (uintptr_t)pthread_self();

	return holds_byte(begin, size, (uintptr_t)&errno) || holds_byte(begin, size, self) ||
	       holds_byte(begin, size, self + CONTROL_BLOCK_SIZE);
}

/* The first thread's stack bears its name; what is known of that thread is elsewhere. */
static bool is_first_thread(void)
{
	return gettid() == getpid();
}

bool obstacle_is_our_stack(const char *begin, size_t size)
{
	return holds_our_frames(begin, size) || holds_our_control_block(begin, size) ||
	       (!is_first_thread() && holds_stack_of_thread(begin, size));
}

/*
 * The first page of what malloc() has taken for a thread. A child of fork() writes there before any
 * handler has run, and would break the parent's heap. Such a page begins with the address of what
 * follows it.
 */
__attribute__((no_sanitize("address", "thread"))) static bool holds_arena(const char *begin,
									  size_t size)
{
	const uintptr_t mask = ARENA_ALIGNMENT - 1;
	uintptr_t end = (uintptr_t)begin + size;

	for (uintptr_t p = ((uintptr_t)begin + mask) & ~mask; p < end; p += ARENA_ALIGNMENT) {
		uintptr_t next = *(const uintptr_t *)p;

		if (next > p && next <= p + ARENA_HEAD_MAX)
			return true;
	}
	return false;
}

enum takeover obstacle_find(const char *begin, size_t size)
{
	enum takeover obstacle = check_mappings(begin, size, check_mapping);

	if (obstacle)
		return obstacle;
	if (obstacle_is_our_stack(begin, size))
		return TAKEOVER_STACK;
	return holds_arena(begin, size) ? TAKEOVER_ARENA : TAKEOVER_DONE;
}

/* Pages are there for writing if they may be written. */
static enum takeover ask_kernel(const char *begin, size_t size)
{
	char *first = page_down(begin), *end = page_up(begin + size);

	if (!populate_knows(MADV_POPULATE_WRITE))
		return TAKEOVER_NO_PROC;
	return populate_for_write(first, (size_t)(end - first)) ? TAKEOVER_DONE
								: TAKEOVER_READ_ONLY;
}

enum takeover obstacle_to_writing(const char *begin, size_t size)
{
	enum takeover obstacle = check_mappings(begin, size, check_writable);

	return obstacle == TAKEOVER_NO_PROC ? ask_kernel(begin, size) : obstacle;
}
