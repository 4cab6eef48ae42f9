/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * /proc/self/maps. By hand, for it is read often and has thousands of lines in large programs:
 *
 *     7f5e8d600000-7f5e8d628000 r--p 00000000 08:01 1835041    /usr/lib/libc.so.6
 */
#include "link/maps.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/sysmacros.h>
#include <unistd.h>
#include "base/fd.h"

#define STACK_NAME "[stack"

/* The question for one mapping; the kernel's headers of many systems do not have it yet. */
struct maps_query {
	uint64_t size, query_flags, addr;
	uint64_t begin, end, flags, page_size, offset, inode;
	uint32_t dev_major, dev_minor;
	uint32_t name_size, build_id_size;
	uint64_t name, build_id;
};
_Static_assert(sizeof(struct maps_query) == 104, "ABI of the kernel");

#define MAPS_QUERY _IOWR('f', 17, struct maps_query)

enum {
	QUERY_READABLE = 1,
	QUERY_WRITABLE = 2,
	QUERY_EXECUTABLE = 4,
	QUERY_SHARED = 8,
	QUERY_THIS_OR_NEXT = 16,
};

static struct {
	pthread_mutex_t lock;
	unsigned int keepers;
	_Atomic int fd; /* the descriptor that is kept, or -1 */
} kept = {.lock = PTHREAD_MUTEX_INITIALIZER, .fd = -1};

static int open_file(const char *path)
{
	return priv_fd_lift(open(path, O_RDONLY | O_CLOEXEC));
}

/* for this thread, as long as it lives */
static int open_now(void)
{
	return open_file("/proc/thread-self/maps");
}

/* That of a thread cannot be read any more when it has ended; the first one's can, if it began. */
static int open_for_good(void)
{
	int fd = open_file("/proc/self/maps");
	char byte;

	if (fd >= 0 && pread(fd, &byte, 1, 0) == 1)
		return fd;
	if (fd >= 0)
		close(fd);
	return open_now();
}

bool maps_keep(void)
{
	bool done;
	int fd;

	pthread_mutex_lock(&kept.lock);
	fd = kept.fd;
	while (fd < 0 && (fd = open_for_good()) < 0)
		if (!priv_fd_made_room())
			break;
	kept.fd = fd;
	done = fd >= 0;
	kept.keepers += done;
	pthread_mutex_unlock(&kept.lock);
	return done;
}

void maps_forget(void)
{
	if (kept.fd >= 0)
		close(kept.fd);
	kept.fd = -1;
}

void maps_let_go(void)
{
	pthread_mutex_lock(&kept.lock);
	if (--kept.keepers == 0)
		maps_forget();
	pthread_mutex_unlock(&kept.lock);
}

bool maps_open(struct maps *maps)
{
	maps->fd = open_now();
	maps->is_kept = maps->fd < 0;
	if (maps->is_kept)
		maps->fd = kept.fd;
	maps->offset = 0;
	maps->pos = maps->size = 0;
	maps->failed = false;
	return maps->fd >= 0;
}

void maps_close(struct maps *maps)
{
	if (!maps->is_kept)
		close(maps->fd);
}

/* its next byte; -1: the end */
static int get(struct maps *maps)
{
	ssize_t n;

	if (maps->pos == maps->size) {
		do
			n = pread(maps->fd, maps->buffer, sizeof(maps->buffer), maps->offset);
		while (n < 0 && errno == EINTR);
		maps->failed |= n < 0;
		maps->offset += n > 0 ? n : 0;
		maps->pos = 0;
		maps->size = n > 0 ? (size_t)n : 0;
		if (!maps->size)
			return -1;
	}
	return (unsigned char)maps->buffer[maps->pos++];
}

/* of base 10 or 16; the byte behind it is read too */
static uint64_t get_number(struct maps *maps, unsigned int base)
{
	uint64_t number = 0;

	for (;;) {
		int c = get(maps);

		if (c >= '0' && c <= '9')
			number = number * base + (unsigned int)(c - '0');
		else if (base == 16 && c >= 'a' && c <= 'f')
			number = number * base + (unsigned int)(c - 'a' + 10);
		else
			return number;
	}
}

static void get_permissions(struct maps *maps, struct mapping *mapping)
{
	mapping->readable = get(maps) == 'r';
	mapping->writable = get(maps) == 'w';
	mapping->executable = get(maps) == 'x';
	mapping->shared = get(maps) == 's';
	get(maps);
}

/* to the end of the line; false: it does not end */
static bool get_name(struct maps *maps, struct mapping *mapping)
{
	size_t matched = 0;
	int c;

	/* The number before has taken one blank, and maybe all there is. */
	if (maps->pos && maps->buffer[maps->pos - 1] == '\n') {
		mapping->is_stack = false;
		return true;
	}
	do
		c = get(maps);
	while (c == ' ');
	for (; c >= 0 && c != '\n'; c = get(maps))
		if (matched < strlen(STACK_NAME))
			matched = c == STACK_NAME[matched] ? matched + 1 : strlen(STACK_NAME) + 1;
	mapping->is_stack = matched == strlen(STACK_NAME);
	return c == '\n';
}

bool maps_next(struct maps *maps, struct mapping *ret_mapping)
{
	unsigned int major, minor;

	ret_mapping->begin = (uintptr_t)get_number(maps, 16);
	ret_mapping->end = (uintptr_t)get_number(maps, 16);
	if (ret_mapping->end <= ret_mapping->begin)
		return false;
	get_permissions(maps, ret_mapping);
	ret_mapping->offset = get_number(maps, 16);
	major = (unsigned int)get_number(maps, 16);
	minor = (unsigned int)get_number(maps, 16);
	ret_mapping->dev = makedev(major, minor);
	ret_mapping->inode = get_number(maps, 10);
	return get_name(maps, ret_mapping);
}

/* false: the kernel does not know the question, or there is none; reading tells */
static bool query(const struct maps *maps, uintptr_t addr, struct mapping *ret_mapping)
{
	char name[16] = "";
	struct maps_query query = {
		.size = sizeof(query),
		.query_flags = QUERY_THIS_OR_NEXT,
		.addr = addr,
		.name_size = sizeof(name),
		.name = (uintptr_t)name,
	};
	int failed = ioctl(maps->fd, MAPS_QUERY, &query);

	if (failed && errno == ENAMETOOLONG) { /* it is no stack */
		query.name_size = 0;
		query.name = 0;
		failed = ioctl(maps->fd, MAPS_QUERY, &query);
	}
	if (failed)
		return false;
	*ret_mapping = (struct mapping){
		.begin = (uintptr_t)query.begin,
		.end = (uintptr_t)query.end,
		.offset = query.offset,
		.dev = makedev(query.dev_major, query.dev_minor),
		.inode = query.inode,
		.readable = query.flags & QUERY_READABLE,
		.writable = query.flags & QUERY_WRITABLE,
		.executable = query.flags & QUERY_EXECUTABLE,
		.shared = query.flags & QUERY_SHARED,
		.is_stack = !strncmp(name, STACK_NAME, strlen(STACK_NAME)),
	};
	return true;
}

bool maps_find(struct maps *maps, uintptr_t addr, struct mapping *ret_mapping)
{
	if (query(maps, addr, ret_mapping))
		return true;
	do
		if (!maps_next(maps, ret_mapping))
			return false;
	while (ret_mapping->end <= addr);
	return true;
}
