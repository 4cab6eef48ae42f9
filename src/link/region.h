/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Regions: memory of one process that others read and write. The exporter describes it in a blob of
 * bytes that may travel any way, also in a file; the importer attaches with nothing but the blob.
 *
 * The exporter keeps a read-only page (link/anchor.h) that says what is exported and that it still
 * is. An importer refuses a blob that differs from that page, and looks at the page in the
 * exporter's own address space when it copies: an exporter that has withdrawn the region, exec'd or
 * died is noticed then, and a reused pid is never mistaken for it. Copies are made in a view of the
 * region (link/region_view.h), or by the kernel (process_vm_readv and _writev) where there is none.
 * The kernel decides whether the two processes may.
 *
 * What cannot be noticed: memory that the exporter frees while a copy of an importer in another
 * process is under way. The two programs have to agree on when they are done, as they have to with
 * a real device.
 */
#ifndef SOFTFIELD_LINK_REGION_H
#define SOFTFIELD_LINK_REGION_H

#include <stddef.h>
#include <stdint.h>
#include "base/export.h"
#include "doca_error.h"
#include "link/anchor.h"
#include "link/region_view.h"

#define REGION_READ  1u
#define REGION_WRITE 2u

#define REGION_BLOB_SIZE 64
#define REGION_TEXT_SIZE 256 /* at most, with a 0 at its end */

/* What a blob says. */
struct region_desc {
	struct anchor_ref ref;
	uint64_t addr; /* in the exporter */
	uint64_t size;
	uint32_t access; /* REGION_ flags */
};

/* Bytes, also as text, in, struct out. INVALID_VALUE: not a blob of this version, or damaged. */
doca_error_t region_blob_decode(const void *blob, size_t size, struct region_desc *ret_desc);
void region_blob_encode(const struct region_desc *desc, uint8_t blob[REGION_BLOB_SIZE]);
/* a JSON object with addr and len, which programs up to release 1.4 read */
void region_text_encode(const struct region_desc *desc, char text[REGION_TEXT_SIZE]);

struct region_export;

/*
 * obstacle: why importers shall not map it; DONE: they may, if its pages can be exchanged
 * (link/region_pages.h). NO_MEMORY, FULL (descriptors), OPERATING_SYSTEM
 */
doca_error_t region_export_create(void *addr, size_t size, uint32_t access, enum takeover obstacle,
				  struct region_export **ret_export);
/* withdraws: importers fail from now on, and those of this process have finished what they began */
void region_export_destroy(struct region_export *region);
/* REGION_BLOB_SIZE bytes, as long as the export lives */
const uint8_t *region_export_blob(const struct region_export *region);

struct region_remote;

/* Failures are logged. NOT_FOUND, NOT_PERMITTED, INVALID_VALUE: see anchor_open(). NO_MEMORY */
doca_error_t region_attach(const struct region_desc *desc, struct region_remote **ret_remote);
void region_detach(struct region_remote *remote);

/*
 * Copies up to 1 GiB; offset counts from the start of the region. The exporter may be gone or have
 * unmapped its memory: that is never a signal. INVALID_VALUE: outside of the region.
 * NOT_PERMITTED: not exported for this. CONNECTION_RESET: withdrawn, or its process has ended.
 * IO_FAILED: the exporter has no such memory (any more); a part may have been copied. NO_MEMORY:
 * the kernel has none for the copy. A view goes on with what the exporter has unmapped or protected
 * since.
 */
PRIV_EXPORT doca_error_t priv_region_read(struct region_remote *remote, uint64_t offset, void *dst,
					  size_t size);
PRIV_EXPORT doca_error_t priv_region_write(struct region_remote *remote, uint64_t offset,
					   const void *src, size_t size);

/* where this process can use it, also late; one without an address says why */
const struct region_view *region_remote_view(struct region_remote *remote);

#endif
