/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Putting a user's pages in place of a memfd, and giving them back.
 *
 * In place means: copy the content into the memfd, then map the memfd over the pages. A write that
 * happens between the two would be lost, so this is done only when there can be none: the process
 * has one thread (this one), or the pages are write-protected meanwhile through userfaultfd, which
 * makes a writer wait until the new pages are there. A userfaultfd that only stops user-mode
 * writers is not good enough: system calls of other threads would fail with EFAULT. Everywhere else
 * the pages stay as they are and the window copies (shadow).
 *
 * Giving back needs neither: a private mapping of the memfd over its shared one shows the same
 * pages, whoever writes at that moment; then every page is written to once, which makes it private.
 *
 * A child of fork() gets private mappings of the same kind, so that nothing it writes reaches its
 * parent or the peer.
 */
#define LOG_MODULE "window"
#include "link/window.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <linux/userfaultfd.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>
#include "base/cleanup.h"
#include "base/fd.h"
#include "base/log.h"

#define PAGE ((uintptr_t)4096)

static char *page_down(const char *p)
{
	return (char *)((uintptr_t)p & ~(PAGE - 1));
}

static char *page_up(const char *p)
{
	return page_down(p + PAGE - 1);
}

/*
 * All windows of the process, for fork()
 */

static struct {
	pthread_once_t once;
	pthread_mutex_t lock; /* of list; taken before a window's own */
	struct list_node list;
} windows = {
	.once = PTHREAD_ONCE_INIT,
	.lock = PTHREAD_MUTEX_INITIALIZER,
	.list = {&windows.list, &windows.list},
};

/* [begin, end) of each run of pieces that are in place */
static bool next_run(const struct window *window, size_t *piece, char **begin, char **end)
{
	size_t i = *piece;

	/* Relaxed: callers hold the lock, or are the only thread. */
	while (i < window->piece_count &&
	       atomic_load_explicit(&window->pieces[i].condition, memory_order_relaxed) !=
		       WINDOW_IN_PLACE)
		i++;
	if (i == window->piece_count)
		return false;
	*begin = window->start + (i << WINDOW_PIECE_SHIFT);
	while (i < window->piece_count &&
	       atomic_load_explicit(&window->pieces[i].condition, memory_order_relaxed) ==
		       WINDOW_IN_PLACE)
		i++;
	*end = window->start + (i << WINDOW_PIECE_SHIFT);
	if (*begin < window->whole)
		*begin = window->whole;
	if (*end > window->whole_end)
		*end = window->whole_end;
	*piece = i;
	return true;
}

/* the part of a line of /proc/self/maps that is this window's mapping within [begin, end) */
static bool parse_own_mapping(const char *line, const struct stat *st, uintptr_t *begin,
			      uintptr_t *end)
{
	unsigned long from, to, inode;
	uintptr_t lower, upper;

	if (sscanf(line, "%lx-%lx %*4s %*x %*x:%*x %lu", &from, &to, &inode) != 3 ||
	    inode != st->st_ino)
		return false;
	lower = from > *begin ? from : *begin;
	upper = to < *end ? to : *end;
	*begin = lower;
	*end = upper;
	return lower < upper;
}

/*
 * Calls act for those parts of [begin, end) that are still mappings of the window's memfd: a
 * program may have freed its memory, and something else may be there now.
 */
static void for_own_mappings(const struct window *window, char *begin, char *end,
			     void (*act)(const struct window *window, char *begin, char *end))
{
	_cleanup_file_ FILE *maps = fopen("/proc/self/maps", "re");
	char line[512];
	struct stat st;

	if (!maps || fstat(window->fd, &st)) {
		LOG_ERR("cannot look at /proc/self/maps: %s; a window of %zu bytes stays shared",
			strerror(errno), window->size);
		return;
	}
	while (fgets(line, sizeof(line), maps)) {
		uintptr_t lower = (uintptr_t)begin, upper = (uintptr_t)end;

		if (parse_own_mapping(line, &st, &lower, &upper))
			act(window, (char *)lower, (char *)upper);
	}
}

static void map_private(const struct window *window, char *begin, char *end)
{
	if (mmap(begin, (size_t)(end - begin), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_FIXED,
		 window->fd, (off_t)(begin - window->start)) == MAP_FAILED)
		LOG_ERR("cannot make %zu bytes private again: %s", (size_t)(end - begin),
			strerror(errno));
}

static void before_fork(void)
{
	pthread_mutex_lock(&windows.lock);
}

static void after_fork_in_parent(void)
{
	pthread_mutex_unlock(&windows.lock);
}

static void after_fork_in_child(void)
{
	struct list_node *node;

	list_for_each (node, &windows.list) {
		struct window *window = container_of(node, struct window, node);
		char *begin, *end;
		size_t piece = 0;

		while (next_run(window, &piece, &begin, &end))
			for_own_mappings(window, begin, end, map_private);
	}
	pthread_mutex_unlock(&windows.lock);
}

static void watch_forks(void)
{
	pthread_atfork(before_fork, after_fork_in_parent, after_fork_in_child);
}

/*
 * Keeping writers out
 */

static bool is_single_threaded(void)
{
	struct stat st;

	/* two links of its own, and one for each thread */
	return !stat("/proc/self/task", &st) && st.st_nlink == 3;
}

/* a descriptor that makes writers wait, in user mode and in the kernel; -1: none to be had */
static int open_guard(void)
{
	struct uffdio_api api = {.api = UFFD_API, .features = UFFD_FEATURE_PAGEFAULT_FLAG_WP};
	int fd = (int)syscall(SYS_userfaultfd, O_CLOEXEC | O_NONBLOCK);

	if (fd < 0)
		return -1;
	if (ioctl(fd, UFFDIO_API, &api)) {
		close(fd);
		return -1;
	}
	return fd;
}

static bool guard(int fd, char *begin, size_t size)
{
	struct uffdio_register reg = {.range = {(uintptr_t)begin, size},
				      .mode = UFFDIO_REGISTER_MODE_WP};
	struct uffdio_writeprotect protect = {.range = {(uintptr_t)begin, size},
					      .mode = UFFDIO_WRITEPROTECT_MODE_WP};

	/* Only pages that exist can be protected. */
	return !madvise(begin, size, MADV_POPULATE_READ) && !ioctl(fd, UFFDIO_REGISTER, &reg) &&
	       !ioctl(fd, UFFDIO_WRITEPROTECT, &protect);
}

/*
 * In place
 */

/* Is [begin, end) plain private memory? Otherwise says what it is. */
static const char *find_obstacle(const char *begin, const char *end)
{
	_cleanup_file_ FILE *maps = fopen("/proc/self/maps", "re");
	uintptr_t covered = (uintptr_t)begin;
	char line[512];

	if (!maps)
		return "/proc is not mounted";
	while (covered < (uintptr_t)end && fgets(line, sizeof(line), maps)) {
		unsigned long from, to, inode;
		char perms[5];

		if (sscanf(line, "%lx-%lx %4s %*x %*x:%*x %lu", &from, &to, perms, &inode) != 4 ||
		    to <= covered)
			continue;
		if (from > covered)
			return "it is not mapped";
		if (perms[3] != 'p')
			return "it is shared memory";
		if (perms[0] != 'r' || perms[1] != 'w')
			return "it is read-only memory";
		if (inode)
			return "it is a mapped file";
		if (strstr(line, "[stack"))
			return "it is a stack";
		covered = to;
	}
	return covered < (uintptr_t)end ? "it is not mapped" : NULL;
}

static bool copy_into_memfd(const struct window *window, const char *begin, size_t size)
{
	while (size) {
		ssize_t n = pwrite(window->fd, begin, size, (off_t)(begin - window->start));

		if (n <= 0)
			return false;
		begin += n;
		size -= (size_t)n;
	}
	return true;
}

/* returns why not; NULL: done */
static const char *replace_pages(struct window *window, char *begin, size_t size)
{
	_cleanup_fd_ int guard_fd = -1;

	if (!is_single_threaded()) {
		guard_fd = open_guard();
		if (guard_fd < 0)
			return "the process has several threads and may not use userfaultfd";
		if (!guard(guard_fd, begin, size))
			return "userfaultfd cannot write-protect it";
	}
	if (!copy_into_memfd(window, begin, size))
		return "there is no memory for a copy";
	if (mmap(begin, size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, window->fd,
		 (off_t)(begin - window->start)) == MAP_FAILED)
		return "the kernel allows no more mappings";
	madvise(begin, size, MADV_POPULATE_WRITE); /* saves page faults; optional */
	return NULL;				   /* closing guard_fd lets the writers go on */
}

static const char *const ways[] = {"auto", "copy"};

/* SOFTFIELD_REGION=copy leaves every page alone; for tests and for programs that want that */
static bool may_replace(void)
{
	const char *way = getenv("SOFTFIELD_REGION");

	if (!way || !strcmp(way, ways[0]))
		return true;
	if (strcmp(way, ways[1]))
		LOG_ERR("SOFTFIELD_REGION=%s: must be auto or copy; taking auto", way);
	return strcmp(way, ways[1]) != 0;
}

static void put_in_place(struct window *window, size_t index)
{
	struct window_piece *piece = &window->pieces[index];
	char *begin = window->start + (index << WINDOW_PIECE_SHIFT);
	char *end = begin + WINDOW_PIECE;
	const char *why = NULL;

	if (begin < window->whole)
		begin = window->whole;
	if (end > window->whole_end)
		end = window->whole_end;
	if (begin < end) {
		why = may_replace() ? find_obstacle(begin, end) : "SOFTFIELD_REGION=copy";
		if (!why)
			why = replace_pages(window, begin, (size_t)(end - begin));
	}
	if (why && !window->reason) {
		window->reason = why;
		LOG_INFO("received data is copied twice into memory at %p (%zu bytes): %s",
			 (void *)window->addr, window->size, why);
	}
	/* Release: pairs with the acquire in window_is_direct(). */
	atomic_store_explicit(&piece->condition,
			      why || begin >= end ? WINDOW_SHADOW : WINDOW_IN_PLACE,
			      memory_order_release);
}

/*
 * Windows
 */

static doca_error_t create_memfd(struct window *window)
{
	window->fd = memfd_create("softfield-window", MFD_CLOEXEC | MFD_ALLOW_SEALING);
	if (window->fd < 0)
		return priv_err_from_errno(errno);
	if (ftruncate(window->fd, (off_t)window->span) ||
	    fcntl(window->fd, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW)) {
		doca_error_t err = priv_err_from_errno(errno);

		close(window->fd);
		return err;
	}
	return DOCA_SUCCESS;
}

doca_error_t priv_window_create(void *addr, size_t size, struct window **ret_window)
{
	char *start = page_down(addr);
	size_t span = (size_t)(page_up((char *)addr + size) - start);
	size_t piece_count = (span + WINDOW_PIECE - 1) >> WINDOW_PIECE_SHIFT;
	struct window *window = calloc(1, sizeof(*window) + piece_count * sizeof(*window->pieces));
	doca_error_t err;

	if (!window)
		return DOCA_ERROR_NO_MEMORY;
	window->addr = addr;
	window->size = size;
	window->start = start;
	window->span = span;
	window->whole = page_up(addr);
	window->whole_end = page_down((char *)addr + size);
	window->piece_count = piece_count;
	atomic_init(&window->refs, 1);
	pthread_mutex_init(&window->lock, NULL);
	err = create_memfd(window);
	if (err) {
		free(window);
		return err;
	}
	pthread_once(&windows.once, watch_forks);
	pthread_mutex_lock(&windows.lock);
	list_add_tail(&windows.list, &window->node);
	pthread_mutex_unlock(&windows.lock);
	*ret_window = window;
	return DOCA_SUCCESS;
}

/* The order keeps every page's content in view of its other writers; see the top of the file. */
static void give_back(const struct window *window, char *begin, char *end)
{
	map_private(window, begin, end);
	if (madvise(begin, (size_t)(end - begin), MADV_POPULATE_WRITE))
		LOG_ERR("cannot copy %zu bytes back: %s", (size_t)(end - begin), strerror(errno));
	/* What the peer still sees is a hole, and so is what MADV_DONTNEED would bring back. */
	fallocate(window->fd, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE,
		  (off_t)(begin - window->start), (off_t)(end - begin));
}

void priv_window_withdraw(struct window *window)
{
	char *begin, *end;
	size_t piece = 0;

	pthread_mutex_lock(&windows.lock);
	while (next_run(window, &piece, &begin, &end))
		for_own_mappings(window, begin, end, give_back);
	for (piece = 0; piece < window->piece_count; piece++)
		atomic_store(&window->pieces[piece].condition, WINDOW_SHADOW);
	pthread_mutex_unlock(&windows.lock);
}

void priv_window_ref(struct window *window)
{
	atomic_fetch_add(&window->refs, 1);
}

void priv_window_unref(struct window *window)
{
	if (atomic_fetch_sub(&window->refs, 1) != 1)
		return;
	pthread_mutex_lock(&windows.lock);
	list_remove(&window->node);
	pthread_mutex_unlock(&windows.lock);
	if (window->shadow)
		munmap(window->shadow, window->span);
	close(window->fd);
	pthread_mutex_destroy(&window->lock);
	free(window);
}

/* pieces that [addr, addr + size) touches */
static void find_pieces(const struct window *window, const char *addr, size_t size, size_t *first,
			size_t *last)
{
	*first = (size_t)(addr - window->start) >> WINDOW_PIECE_SHIFT;
	*last = (size_t)(addr + size - 1 - window->start) >> WINDOW_PIECE_SHIFT;
}

static doca_error_t map_shadow(struct window *window)
{
	void *shadow;

	if (window->shadow)
		return DOCA_SUCCESS;
	shadow = mmap(NULL, window->span, PROT_READ | PROT_WRITE, MAP_SHARED, window->fd, 0);
	if (shadow == MAP_FAILED)
		return priv_err_from_errno(errno);
	window->shadow = shadow;
	return DOCA_SUCCESS;
}

static doca_error_t prepare(struct window *window, const char *addr, size_t size, bool *ret_direct)
{
	bool worked = false;
	size_t first, last, i;
	doca_error_t err;

	find_pieces(window, addr, size, &first, &last);
	for (i = first; i <= last; i++) {
		struct window_piece *piece = &window->pieces[i];

		/* While shadow messages are under way the memfd's pages must not be written over.
		 */
		if (atomic_load(&piece->condition) != WINDOW_NEW ||
		    atomic_load(&piece->shadow_holds))
			continue;
		if (worked)
			return DOCA_ERROR_AGAIN;
		put_in_place(window, i);
		worked = true;
	}
	*ret_direct = window_is_direct(window, addr, size);
	if (*ret_direct)
		return DOCA_SUCCESS;
	err = map_shadow(window);
	if (err)
		return err;
	for (i = first; i <= last; i++)
		atomic_fetch_add(&window->pieces[i].shadow_holds, 1);
	return DOCA_SUCCESS;
}

doca_error_t priv_window_prepare(struct window *window, const void *addr, size_t size,
				 bool *ret_direct)
{
	doca_error_t err;

	if (window_is_direct(window, addr, size)) {
		*ret_direct = true;
		return DOCA_SUCCESS;
	}
	pthread_mutex_lock(&window->lock);
	err = prepare(window, addr, size, ret_direct);
	pthread_mutex_unlock(&window->lock);
	return err;
}

static bool is_in_place(const struct window *window, size_t index)
{
	return atomic_load_explicit(&window->pieces[index].condition, memory_order_acquire) ==
	       WINDOW_IN_PLACE;
}

void priv_window_find_direct(const struct window *window, const char *addr, char **ret_begin,
			     char **ret_end)
{
	size_t first = (size_t)(addr - window->start) >> WINDOW_PIECE_SHIFT;
	size_t last = first;
	char *begin, *end;

	while (first && is_in_place(window, first - 1))
		first--;
	while (last + 1 < window->piece_count && is_in_place(window, last + 1))
		last++;
	begin = window->start + (first << WINDOW_PIECE_SHIFT);
	end = window->start + ((last + 1) << WINDOW_PIECE_SHIFT);
	*ret_begin = begin < window->whole ? window->whole : begin;
	*ret_end = end > window->whole_end ? window->whole_end : end;
}

/* is the page that holds p shadow? and where does its condition end? */
static bool is_shadow(const struct window *window, const char *p, const char **ret_end)
{
	size_t index = (size_t)(p - window->start) >> WINDOW_PIECE_SHIFT;
	const char *piece_end = window->start + ((index + 1) << WINDOW_PIECE_SHIFT);
	bool in_place = atomic_load_explicit(&window->pieces[index].condition,
					     memory_order_acquire) == WINDOW_IN_PLACE;

	*ret_end = piece_end;
	if (!in_place)
		return true;
	if (p < window->whole) {
		*ret_end = window->whole;
		return true;
	}
	if (p >= window->whole_end)
		return true;
	if (piece_end > window->whole_end)
		*ret_end = window->whole_end;
	return false;
}

void priv_window_collect(struct window *window, void *addr, size_t held, size_t size)
{
	char *p = addr, *end = p + size;
	size_t first, last, i;

	while (p < end) {
		const char *next;
		bool shadow = is_shadow(window, p, &next);

		if (next > end)
			next = end;
		if (shadow)
			memcpy(p, window->shadow + (p - window->start), (size_t)(next - p));
		p += next - p;
	}
	find_pieces(window, addr, held, &first, &last);
	for (i = first; i <= last; i++)
		atomic_fetch_sub(&window->pieces[i].shadow_holds, 1);
}
