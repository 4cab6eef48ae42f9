/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What is mapped in this process: /proc/self/maps, line by line. Takes no memory and no lock, so
 * that it may be read while a process forks.
 */
#ifndef SOFTFIELD_LINK_MAPS_H
#define SOFTFIELD_LINK_MAPS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/mman.h>
#include <sys/types.h>

#define MAPS_BUFFER_SIZE 4096

struct maps {
	int fd;
	off_t offset;	  /* in the file, of what is to be read next */
	size_t pos, size; /* of the buffer: what is still to be read */
	bool is_kept;	  /* the descriptor: not ours to close */
	bool failed;
	char buffer[MAPS_BUFFER_SIZE];
};

struct mapping {
	uintptr_t begin, end;
	uint64_t offset;
	dev_t dev;
	uint64_t inode; /* 0: of no file */
	bool readable, writable, executable, shared, is_stack;
};

static inline int mapping_protection(const struct mapping *mapping)
{
	return (mapping->readable ? PROT_READ : 0) | (mapping->writable ? PROT_WRITE : 0) |
	       (mapping->executable ? PROT_EXEC : 0);
}

/*
 * From here on until maps_let_go() maps_open() succeeds even if no descriptor is left: what has
 * been taken over must be given back. Both count; neither while the process forks. false: errno
 * says why
 */
bool maps_keep(void);
void maps_let_go(void);
/* in a child of fork(): what is kept shows its parent */
void maps_forget(void);
/* false: errno says why */
bool maps_open(struct maps *maps);
void maps_close(struct maps *maps);
/* the next one, from the lowest on; false: there is none, or it cannot be read (maps->failed) */
bool maps_next(struct maps *maps, struct mapping *ret_mapping);
/*
 * The one that holds the address, or else the next one above it. Ask for rising addresses. Where
 * the kernel answers that (Linux 6.11), it does not matter how much else is mapped. false: as above
 */
bool maps_find(struct maps *maps, uintptr_t addr, struct mapping *ret_mapping);

#endif
