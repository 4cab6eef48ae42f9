/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Views of exported memory: an importer maps the file that has the exporter's pages
 * (link/region_pages.h), and uses them where they lie.
 */
#ifndef SOFTFIELD_LINK_REGION_VIEW_H
#define SOFTFIELD_LINK_REGION_VIEW_H

#include <stdbool.h>
#include <stdint.h>
#include "link/anchor.h"
#include "link/takeover.h"

/* What an exporter says of its pages; anything may be wrong. */
struct region_view_source {
	struct anchor_ref file; /* without an identity */
	uint64_t inode;
	uint64_t addr, size; /* in the exporter */
	bool writable;
};

struct region_view {
	char *addr; /* of its first byte; NULL: none */
	enum takeover obstacle;
	struct view_pages *pages; /* NULL: it is memory of this process anyway, or nowhere */
};

/*
 * A view does not notice that the exporter withdraws the region or ends: what is written then
 * reaches nobody, unless memory at the same address is exported again.
 */
struct region_view region_view_open(const struct region_view_source *source);
/*
 * Its addresses are given away. When it is closed, its place holds zeros, for whoever comes late,
 * until another view takes it.
 */
void region_view_keep(const struct region_view *view);
void region_view_close(const struct region_view *view);

#endif
