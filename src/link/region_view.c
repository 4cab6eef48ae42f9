/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Views: the exporter's file, mapped.
 */
#define LOG_MODULE "link"
#include "link/region_view.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include "base/cleanup.h"
#include "base/fork.h"
#include "base/log.h"
#include "base/memfd.h"
#include "base/page.h"

/* Is it the file that the exporter's page names, and are these pages in it for good? */
static bool holds_pages(int fd, uint64_t inode, uint64_t begin, uint64_t span)
{
	struct stat st;
	size_t size;

	return !fstat(fd, &st) && st.st_ino == inode && !priv_memfd_check(fd, &size) &&
	       begin < size && span <= size - begin;
}

/* A place for a view. */
struct view_pages {
	struct view_pages *next;
	char *addr; /* NULL: not mapped yet */
	size_t span;
	bool is_kept; /* for ever: addresses in it may be used late */
};

/* An exporter's word makes one as large as it likes: all of them together leave room for others. */
#define PLACES_MAX ((size_t)4 << 40)

/* under priv_fork_hold() */
static struct view_pages *free_pages; /* those without a view, all kept */
static size_t places_size;	      /* of all */

static struct view_pages *find_free_pages(size_t span)
{
	struct view_pages **link, *pages;

	priv_fork_hold();
	for (link = &free_pages; *link && (*link)->span != span; link = &(*link)->next)
		;
	pages = *link;
	if (pages)
		*link = pages->next;
	priv_fork_release();
	return pages;
}

static void keep_free_pages(struct view_pages *pages)
{
	priv_fork_hold();
	pages->next = free_pages;
	free_pages = pages;
	priv_fork_release();
}

static bool reserve(size_t span)
{
	bool fits;

	priv_fork_hold();
	fits = span <= PLACES_MAX - places_size;
	if (fits)
		places_size += span;
	priv_fork_release();
	return fits;
}

static void give_back(size_t span)
{
	priv_fork_hold();
	places_size -= span;
	priv_fork_release();
}

static void drop_pages(struct view_pages *pages)
{
	give_back(pages->span);
	free(pages);
}

static struct view_pages *new_pages(size_t span)
{
	struct view_pages *pages = calloc(1, sizeof(*pages));

	if (!pages)
		return NULL;
	pages->span = span;
	if (reserve(span))
		return pages;
	free(pages);
	return NULL;
}

/* maps [begin, begin + span) of the exporter's file */
static enum takeover map_file(int fd, uint64_t begin, size_t span, bool writable,
			      struct region_view *view)
{
	struct view_pages *pages = find_free_pages(span);
	void *addr;

	if (!pages)
		pages = new_pages(span);
	if (!pages)
		return TAKEOVER_NO_MEMORY;
	addr = mmap(pages->addr, span, PROT_READ | (writable ? PROT_WRITE : 0),
		    MAP_SHARED | (pages->addr ? MAP_FIXED : 0), fd, (off_t)begin);
	if (addr == MAP_FAILED) {
		/* A kept place is given up: some kernels empty it before they fail. */
		drop_pages(pages);
		return TAKEOVER_NO_MAPPING;
	}
	pages->addr = addr;
	view->pages = pages;
	view->addr = addr;
	return TAKEOVER_DONE;
}

static enum takeover map_pages(const struct region_view_source *source, struct region_view *view)
{
	const char *addr = (const char *)(uintptr_t)source->addr; /* not of this process */
	const char *begin = page_down(addr);
	const size_t span = (size_t)(page_up(addr + source->size) - begin);
	enum takeover obstacle;
	_cleanup_fd_ int fd = -1;

	if (anchor_open_file(&source->file, ANCHOR_PAGES, source->writable, &fd) ||
	    !holds_pages(fd, source->inode, (uintptr_t)begin, span))
		return TAKEOVER_NOT_MAPPED;
	obstacle = map_file(fd, (uintptr_t)begin, span, source->writable, view);
	if (!obstacle)
		view->addr += addr - begin;
	return obstacle;
}

struct region_view region_view_open(const struct region_view_source *source)
{
	struct region_view view = {0};

	view.obstacle = map_pages(source, &view);
	return view;
}

void region_view_keep(const struct region_view *view)
{
	if (view->pages)
		view->pages->is_kept = true;
}

/* memory that is nobody's, and hardly any unless somebody writes there */
static bool map_nothing(const struct view_pages *pages)
{
	return mmap(pages->addr, pages->span, PROT_READ | PROT_WRITE,
		    MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED, -1, 0) != MAP_FAILED;
}

void region_view_close(const struct region_view *view)
{
	struct view_pages *pages = view->pages;

	if (!pages)
		return;
	if (!pages->is_kept) {
		munmap(pages->addr, pages->span);
		drop_pages(pages);
		return;
	}
	if (!map_nothing(pages))
		LOG_WRN("%zu bytes of another process stay mapped: %s", pages->span,
			strerror(errno));
	keep_free_pages(pages);
}
