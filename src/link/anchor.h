/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Anchors: a little shared memory that one process publishes and another one opens with nothing but
 * a reference of 24 bytes in hand, however that travelled. Nobody has to serve the opening.
 *
 * The reference names the publisher's process and descriptor; the memory starts with a random
 * identity. The opener believes nothing before it has seen that the descriptor is a memfd made
 * under our name and for this kind, by the user who runs that process, sealed in size, with the
 * identity that the reference gives. So a reused pid or descriptor is refused, and a forged
 * reference leads only to memory that a process has published itself.
 */
#ifndef SOFTFIELD_LINK_ANCHOR_H
#define SOFTFIELD_LINK_ANCHOR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "base/wire.h"
#include "doca_error.h"

#define ANCHOR_ID_SIZE 16

/* What an anchor is for: part of the memfd's name, so one kind is never taken for another. */
enum anchor_kind { ANCHOR_REGION, ANCHOR_EVENT, ANCHOR_PAGES, ANCHOR_KIND_COUNT };

struct anchor_ref {
	uint32_t pid;
	uint32_t fd;
	uint8_t id[ANCHOR_ID_SIZE];
};

/* The first bytes of every anchor's memory; written once, before anybody else can see it. */
struct anchor_head {
	uint8_t id[ANCHOR_ID_SIZE];
};

struct anchor {
	struct anchor_ref ref;
	void *mem; /* starts with a struct anchor_head */
	size_t size;
	int fd; /* publisher only, else -1 */
};

/*
 * Publishes size bytes, zero but for the head. seals: 0, or F_SEAL_FUTURE_WRITE, if only the
 * publisher can write, through the mapping that this makes. NO_MEMORY, FULL, OPERATING_SYSTEM
 */
doca_error_t anchor_create(enum anchor_kind kind, size_t size, int seals,
			   struct anchor *ret_anchor);

/*
 * Maps what another process, or this one, has published. Failures are logged with what to do.
 * NOT_FOUND: there is no such process or descriptor any more. NOT_PERMITTED: the kernel refuses
 * (another user). INVALID_VALUE: it is something else than the reference says.
 */
doca_error_t anchor_open(const struct anchor_ref *ref, enum anchor_kind kind, size_t size,
			 bool writable, struct anchor *ret_anchor);

/*
 * Opens a memfd that an anchor names; the caller checks that it is the right one. As anchor_open()
 */
doca_error_t anchor_open_file(const struct anchor_ref *ref, enum anchor_kind kind, bool writable,
			      int *ret_fd);
/* how a memfd of this kind has to be called */
const char *anchor_kind_name(enum anchor_kind kind);

/* unmaps; a publisher also withdraws it */
void anchor_close(struct anchor *anchor);

/*
 * Blobs: what an exporter gives away. Magic u32, version u16, size u16, the reference (pid u32,
 * descriptor u32, identity), whatever the kind adds, zeros, and a CRC-32C over all before.
 */
struct anchor_blob {
	uint32_t magic;
	uint16_t size;
};

/* for what the kind adds; then comes anchor_blob_end() */
struct wire_writer anchor_blob_begin(const struct anchor_blob *kind, void *blob,
				     const struct anchor_ref *ref);
void anchor_blob_end(const struct anchor_blob *kind, void *blob, struct wire_writer *w);
/* A reader of what the kind adds. INVALID_VALUE: not such a blob, or not as it was made */
doca_error_t anchor_blob_open(const struct anchor_blob *kind, const void *blob, size_t size,
			      struct wire_reader *ret_reader, struct anchor_ref *ret_ref);

/* What programs are told when they cannot have what a sound blob describes. */
static inline doca_error_t anchor_import_error(doca_error_t err)
{
	switch (err) {
	case DOCA_ERROR_NO_MEMORY:
	case DOCA_ERROR_NOT_PERMITTED:
		return err;
	default:
		return DOCA_ERROR_DRIVER; /* it is not there (any more) */
	}
}

#endif
