/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Pages of exports: sharing, returning, and what fork() must know of them.
 */
#define LOG_MODULE "link"
#include "link/region_pages.h"

#include <errno.h>
#include <pthread.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>
#include "base/fd.h"
#include "base/fork_lock.h"
#include "base/fork_wait.h"
#include "base/log.h"
#include "base/memfd.h"
#include "base/no_cancel.h"
#include "base/page.h"
#include "link/anchor.h"
#include "link/maps.h"
#include "link/obstacle.h"

#define FILE_SIZE ((size_t)1 << 56) /* user addresses end there; pages take memory, not this */
#define PIECE	  ((size_t)256 << 10)
/*
 * Each export costs up to three mappings, and a look at all there are. The program needs some too,
 * and the kernel allows 65530 unless told otherwise.
 */
#define SHARED_MAX   1024u
#define MAPPINGS_MAX 32768u
/*
 * A child of fork() copies all of it while its parent waits: in less than half a second. One export
 * may be larger, whose user has raised the limit for it.
 */
#define SHARED_SIZE_MAX ((size_t)512 << 20)

/* Not of malloc()'s memory, whose locks may be held while the process forks. */
struct parts {
	struct takeover_part *array;
	size_t count, capacity;
};

static struct {
	struct fork_lock lock; /* of all; held while somebody forks */
	struct list_node list;
	unsigned int shared_count;
	size_t shared_size; /* of them; what several have counts for each */
	int file;	    /* -1: not needed yet, or a child's */
	uint64_t inode;	    /* of the file */
	bool forked;	    /* a child may still see pages of the file */
	bool kept;	    /* some could not be given back: fork() must know them for ever */
	/* from before fork() to after it */
	struct parts parts;    /* all that is mapped of the file */
	struct fork_wait wait; /* for a child that has its own pages */
} exported = {
	.lock = FORK_LOCK_INITIALIZER,
	.list = {&exported.list, &exported.list},
	.file = -1,
	.wait = {{-1, -1}},
};

/* its offset in the file */
static off_t place_of(const char *page)
{
	return (off_t)(uintptr_t)page;
}

/*
 * fork(): a child must see what was there when it was made, and the first and last pages hold
 * memory of anybody. So it copies what is shared before any other handler runs in it, which is why
 * these are registered first, and its parent waits for that. For the same reason what others do in
 * their handlers is done when these run: locks are taken, of malloc() and of the log too.
 */

static bool grow(struct parts *parts)
{
	size_t size = parts->capacity * sizeof(*parts->array);
	size_t new_size = size ? 2 * size : (size_t)64 << 10;
	void *array = size ? mremap(parts->array, size, new_size, MREMAP_MAYMOVE)
			   : mmap(NULL, new_size, PROT_READ | PROT_WRITE,
				  MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (array == MAP_FAILED)
		return false;
	parts->array = array;
	parts->capacity = new_size / sizeof(*parts->array);
	return true;
}

static void release(struct parts *parts)
{
	if (parts->capacity)
		munmap(parts->array, parts->capacity * sizeof(*parts->array));
	*parts = (struct parts){0};
}

/* What there is no memory for, a child shares with its parent. */
static void record(void *arg, const struct takeover_part *part)
{
	struct parts *parts = arg;

	if (parts->count < parts->capacity || grow(parts))
		parts->array[parts->count++] = *part;
}

/* In the parent, where threads may be told to wait; its child has nothing to wait for. */
static void record_all(void)
{
	struct list_node *node;

	if (takeover_for_mapped_quietly(exported.file, NULL, (char *)FILE_SIZE, record,
					&exported.parts))
		return;
	list_for_each (node, &exported.list) {
		const struct region_pages *pages = container_of(node, struct region_pages, node);

		if (pages->shared)
			record(&exported.parts, &(struct takeover_part){pages->begin, pages->end,
									place_of(pages->begin),
									PROT_READ | PROT_WRITE});
	}
}

static void before_fork(void)
{
	fork_lock_hold(&exported.lock);
	if (exported.file < 0)
		return;
	record_all();
	if (exported.parts.count)
		fork_wait_open(&exported.wait);
}

static void end_fork(void)
{
	release(&exported.parts);
	fork_lock_release(&exported.lock);
}

static void after_fork_in_parent(void)
{
	if (exported.parts.count && !fork_wait_for_child(&exported.wait))
		exported.forked = true;
	end_fork();
}

static bool copy_parts(void)
{
	bool all = true;

	for (size_t i = 0; i < exported.parts.count; i++) {
		const struct takeover_part *part = &exported.parts.array[i];

		all &= takeover_copy(exported.file, part->offset, part->begin,
				     (size_t)(part->end - part->begin));
		takeover_protect(part); /* nothing is logged here */
	}
	return all;
}

/* Exports are the parent's: the child has nothing to give back. */
static void forget_exports(void)
{
	struct list_node *node;

	while ((node = list_pop(&exported.list))) {
		struct region_pages *pages = container_of(node, struct region_pages, node);

		pages->shared = pages->inherits = false;
	}
	if (exported.file >= 0) {
		close(exported.file);
		maps_let_go();
	}
	exported.file = -1;
	exported.shared_count = 0;
	exported.shared_size = 0;
	exported.forked = exported.kept = false;
}

static void after_fork_in_child(void)
{
	NO_CANCEL();

	if (exported.parts.count)
		fork_wait_tell(&exported.wait, copy_parts());
	maps_forget();
	forget_exports();
	end_fork();
}

__attribute__((constructor)) static void watch_forks(void)
{
	pthread_atfork(before_fork, after_fork_in_parent, after_fork_in_child);
}

/*
 * Sharing. With the lock held.
 */

static bool overlap(const struct region_pages *a, const struct region_pages *b)
{
	return a->begin < b->end && b->begin < a->end;
}

/* Importers of a private export write by the kernel's copy, which an exchange would lose. */
static bool meets_private_export(const struct region_pages *pages)
{
	struct list_node *node;

	list_for_each (node, &exported.list) {
		const struct region_pages *other = container_of(node, struct region_pages, node);

		if (other != pages && !other->shared && overlap(other, pages))
			return true;
	}
	return false;
}

struct gap {
	const struct region_pages *pages;
	char *begin, *end; /* the first pages that are not shared */
	bool is_foul;	   /* the program has moved pages of the file whose place is here */
};

static void narrow(void *arg, const struct takeover_part *part)
{
	struct gap *gap = arg;
	off_t size = part->end - part->begin;

	if (part->offset != place_of(part->begin)) {
		gap->is_foul |= part->offset < place_of(gap->pages->end) &&
				part->offset + size > place_of(gap->pages->begin);
	} else if (part->begin <= gap->begin) {
		if (part->end > gap->begin)
			gap->begin = part->end;
	} else if (part->begin < gap->end) {
		gap->end = part->begin;
	}
}

/* piece by piece: writers wait for one */
static enum takeover share_gap(const struct gap *gap)
{
	char *begin = gap->begin;
	enum takeover obstacle;
	size_t size;

	for (; begin < gap->end; begin += size) {
		size = (size_t)(gap->end - begin);
		if (size > PIECE)
			size = PIECE;
		obstacle = takeover_share(exported.file, place_of(begin), begin, size);
		if (obstacle)
			return obstacle;
	}
	return TAKEOVER_DONE;
}

static enum takeover open_file(void)
{
	struct stat st;
	uint64_t limit;

	if (priv_fd_exceeds_limit(FILE_SIZE, &limit))
		return TAKEOVER_NO_MEMORY; /* of such a size */
	if (exported.file >= 0)
		return TAKEOVER_DONE;
	if (!maps_keep())
		return obstacle_without_maps(errno);
	switch (priv_memfd_create_sparse(anchor_kind_name(ANCHOR_PAGES), FILE_SIZE, 0,
					 &exported.file)) {
	case DOCA_SUCCESS:
		break;
	case DOCA_ERROR_FULL:
		maps_let_go();
		return TAKEOVER_NO_DESCRIPTOR;
	default:
		maps_let_go();
		return TAKEOVER_NO_MEMORY;
	}
	exported.inode = fstat(exported.file, &st) ? 0 : st.st_ino;
	return TAKEOVER_DONE;
}

/* from *begin on; moves it to where there may be another one */
static enum takeover share_next_gap(const struct region_pages *pages, char **begin)
{
	struct gap gap = {.pages = pages, .begin = *begin, .end = pages->end};
	size_t mappings = takeover_for_mapped(exported.file, NULL, (char *)FILE_SIZE, narrow, &gap);

	if (!mappings)
		return TAKEOVER_NO_PROC;
	if (gap.is_foul)
		return TAKEOVER_SHARED;
	*begin = gap.end;
	if (gap.begin >= gap.end)
		return TAKEOVER_DONE;
	return mappings > MAPPINGS_MAX ? TAKEOVER_MANY : share_gap(&gap);
}

static size_t size_of(const struct region_pages *pages)
{
	return (size_t)(pages->end - pages->begin);
}

static bool are_too_many(const struct region_pages *pages)
{
	size_t size = exported.shared_size + size_of(pages);

	return exported.shared_count >= SHARED_MAX ||
	       (exported.shared_count && size > SHARED_SIZE_MAX);
}

static enum takeover prepare_to_share(const struct region_pages *pages)
{
	if (are_too_many(pages))
		return TAKEOVER_MANY;
	return meets_private_export(pages) ? TAKEOVER_EXPORTED : open_file();
}

/* Some may have been shared when an obstacle comes up. */
static enum takeover share(const struct region_pages *pages)
{
	enum takeover obstacle = TAKEOVER_DONE;
	char *begin = pages->begin;

	while (!obstacle && begin < pages->end)
		obstacle = share_next_gap(pages, &begin);
	return obstacle;
}

/*
 * Returning. With the lock held.
 */

static void give_back(void *arg, const struct takeover_part *part)
{
	size_t size = (size_t)(part->end - part->begin);

	(void)arg;
	if (!takeover_return(exported.file, part->offset, part->begin, size, exported.forked))
		exported.kept = true;
	takeover_protect_or_warn(part);
}

/*
 * the end of [begin, *end) as far as either all or nothing of it is another export's. That of one
 * which is not shared counts too: its importers write by the kernel's copy (see above).
 */
static bool is_others(const struct region_pages *pages, char *begin, char **end)
{
	struct list_node *node;

	list_for_each (node, &exported.list) {
		struct region_pages *other = container_of(node, struct region_pages, node);

		if (other == pages || other->end <= begin)
			continue;
		if (other->begin <= begin) {
			other->inherits |= !other->shared;
			if (other->end < *end)
				*end = other->end;
			return true;
		}
		if (other->begin < *end)
			*end = other->begin;
	}
	return false;
}

static void give_back_own(const struct region_pages *pages)
{
	for (char *begin = pages->begin, *end; begin < pages->end; begin = end) {
		end = pages->end;
		if (!is_others(pages, begin, &end) &&
		    !takeover_for_mapped(exported.file, begin, end, give_back, NULL)) {
			LOG_ERR("%zu bytes at %p stay shared, for what is mapped there cannot be "
				"told: %s",
				(size_t)(end - begin), (void *)begin, strerror(errno));
			exported.kept = true;
		}
	}
}

static void close_unused_file(void)
{
	struct list_node *node;

	if (exported.file < 0 || exported.kept || exported.shared_count)
		return;
	list_for_each (node, &exported.list)
		if (container_of(node, struct region_pages, node)->inherits)
			return;
	close(exported.file);
	maps_let_go();
	exported.file = -1;
	exported.forked = false;
}

/* with the lock held */
static enum takeover try_to_share(struct region_pages *pages)
{
	enum takeover obstacle = prepare_to_share(pages);

	if (obstacle)
		return obstacle;
	obstacle = share(pages);
	if (obstacle) {
		give_back_own(pages);
		close_unused_file();
		return obstacle;
	}
	pages->shared = true;
	pages->file = exported.file;
	pages->inode = exported.inode;
	exported.shared_count++;
	exported.shared_size += size_of(pages);
	return TAKEOVER_DONE;
}

/*
 * glibc maps what is large by itself, and notes in front of it where the mapping begins, how much
 * follows, and that it is one; from 2.43 on what follows is counted from behind the note. Other
 * allocators have nothing there that fits. It is the kernel that reads it: who watches a program's
 * accesses would not let us.
 */
static bool has_own_mapping(void *addr, const char *begin, const char *end)
{
	enum { IS_MAPPED = 2, FLAGS = 7 };
	struct {
		size_t before, size;
	} head;
	char *chunk = (char *)addr - sizeof(head);
	const struct iovec to = {&head, sizeof(head)}, from = {chunk, sizeof(head)};
	size_t before, size;

	if (chunk < begin ||
	    process_vm_readv(gettid(), &to, 1, &from, 1, 0) != (ssize_t)sizeof(head) ||
	    !(head.size & IS_MAPPED))
		return false;
	before = head.before & ~(size_t)FLAGS;
	size = head.size & ~(size_t)FLAGS;
	if ((before + size + sizeof(head)) % page_size() == 0)
		size += sizeof(head);
	return (size_t)(chunk - begin) == before && (before + size) % page_size() == 0 &&
	       (size_t)(end - chunk) <= size;
}

bool region_pages_are_own(void *addr, size_t size)
{
	char *begin = page_down(addr), *end = page_up((char *)addr + size);

	return (begin == addr && end == (char *)addr + size) || has_own_mapping(addr, begin, end);
}

enum takeover region_pages_add(struct region_pages *pages, void *addr, size_t size,
			       enum takeover obstacle)
{
	NO_CANCEL();

	*pages = (struct region_pages){
		.begin = page_down(addr),
		.end = page_up((char *)addr + size),
		.file = -1,
	};
	fork_lock_hold(&exported.lock);
	list_add_tail(&exported.list, &pages->node);
	if (!obstacle)
		obstacle = try_to_share(pages);
	fork_lock_release(&exported.lock);
	return obstacle;
}

void region_pages_remove(struct region_pages *pages)
{
	NO_CANCEL();

	fork_lock_hold(&exported.lock);
	list_remove(&pages->node);
	if (pages->shared || pages->inherits)
		give_back_own(pages);
	if (pages->shared) {
		exported.shared_count--;
		exported.shared_size -= size_of(pages);
	}
	close_unused_file();
	fork_lock_release(&exported.lock);
}
