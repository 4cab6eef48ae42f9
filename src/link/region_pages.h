/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The pages of exported memory that importers can map: their copies need no system call then, and
 * DPA code has addresses there. They are exchanged for pages of one file of this process
 * (link/takeover.h), in which a page has its own address as its offset. So exports may overlap and
 * share pages, and an importer maps whatever of it an export's page names.
 *
 * The first and last page are exchanged too, with what else they hold, for those that ask for it:
 * an importer may read and write the memory of this process anyway (link/region.h). So a child of
 * fork() gets its own copy of all of them before either goes on.
 */
#ifndef SOFTFIELD_LINK_REGION_PAGES_H
#define SOFTFIELD_LINK_REGION_PAGES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "base/list.h"
#include "link/takeover.h"

/* of one export */
struct region_pages {
	struct list_node node;
	char *begin, *end; /* whole pages */
	bool shared;	   /* importers can map all of them */
	bool inherits;	   /* some were shared by an export that is gone */
	int file;	   /* of shared ones: the file's descriptor, */
	uint64_t inode;	   /* and its inode */
};

/*
 * Do the pages of [addr, addr + size) hold nothing else that somebody could know of? Either it
 * fills them, or it is what malloc() has given and has them for it alone.
 */
bool region_pages_are_own(void *addr, size_t size);
/*
 * For an export that nobody knows yet: exchanges its pages unless there is an obstacle already.
 * DONE, or what has hindered it.
 */
enum takeover region_pages_add(struct region_pages *pages, void *addr, size_t size,
			       enum takeover obstacle);
/* Gives the pages back that no other export has. */
void region_pages_remove(struct region_pages *pages);

#endif
