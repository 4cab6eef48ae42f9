/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Exchanges pages of this process under its feet: private memory for memory of a memfd with the
 * same content, and back. Whoever reads or writes there meanwhile notices nothing.
 *
 * A write that happens between copying and exchanging would be lost. So nothing is exchanged unless
 * there can be none: the process has one thread (this one), or userfaultfd makes writers wait, in
 * user mode and in the kernel. docs/internals/windows.md says what else was considered.
 */
#ifndef SOFTFIELD_LINK_TAKEOVER_H
#define SOFTFIELD_LINK_TAKEOVER_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/mman.h>
#include <sys/types.h>
#include "base/export.h"

/* Why pages were not exchanged. The numbers travel between processes: add at the end. */
enum takeover {
	TAKEOVER_DONE,
	TAKEOVER_FORBIDDEN,
	TAKEOVER_NO_PROC,
	TAKEOVER_NOT_MAPPED,
	TAKEOVER_SHARED,
	TAKEOVER_READ_ONLY,
	TAKEOVER_EXECUTABLE,
	TAKEOVER_FILE,
	TAKEOVER_STACK,
	TAKEOVER_PINNED,
	TAKEOVER_THREADS,
	TAKEOVER_NO_GUARD,
	TAKEOVER_NO_MEMORY,
	TAKEOVER_NO_MAPPING,
	TAKEOVER_EXPORTED,
	TAKEOVER_NO_DESCRIPTOR,
	TAKEOVER_TOO_LARGE,
	TAKEOVER_ARENA,
	TAKEOVER_MANY,
	TAKEOVER_EDGES,
	TAKEOVER_STOPPED,
	TAKEOVER_COUNT,
};

/* a text to follow "because", also for numbers that another process made up */
PRIV_EXPORT const char *priv_takeover_describe(unsigned int reason);

/*
 * Whole pages of [begin, begin + size) become those of the memfd from offset on. Anything but DONE:
 * they are as they were. The caller keeps fork() away.
 */
enum takeover takeover_share(int memfd, off_t offset, char *begin, size_t size);

/* A part of this process's memory where a memfd is mapped, and what of the memfd. */
struct takeover_part {
	char *begin, *end;
	off_t offset;
	int protection; /* which the program may have changed */
};

/*
 * Calls act for those parts of [begin, end) that share pages of the memfd, from the lowest on: a
 * program may have freed its memory, and something else may be there now. How many mappings the
 * process has as far as end, or one more; 0: nobody can say.
 */
size_t takeover_for_mapped(int memfd, char *begin, char *end,
			   void (*act)(void *arg, const struct takeover_part *part), void *arg);
/* For fork(): takes no lock and no memory, and logs nothing. */
size_t takeover_for_mapped_quietly(int memfd, char *begin, char *end,
				   void (*act)(void *arg, const struct takeover_part *part),
				   void *arg);

/*
 * Gives the process private memory back and, unless they are needed, the memfd's pages up: piece by
 * piece, for memory may be short. false: it cannot be helped, they stay shared (logged)
 */
bool takeover_return(int memfd, off_t offset, char *begin, size_t size, bool needed);
/*
 * Makes pages of the memfd private, whoever uses them meanwhile: the process sees their content
 * until it writes, and nobody else sees what it writes.
 */
bool takeover_cut(int memfd, off_t offset, char *begin, size_t size);
/*
 * In a child of fork(): the process has private memory with the content that the memfd's pages have
 * now. false: it goes on seeing what others write there, or writes itself what they see.
 */
bool takeover_copy(int memfd, off_t offset, char *begin, size_t size);

/*
 * What has been returned, cut or copied may be read and written; here it is what it was before.
 * false: it is not, errno says why
 */
static inline bool takeover_protect(const struct takeover_part *part)
{
	return part->protection == (PROT_READ | PROT_WRITE) ||
	       !mprotect(part->begin, (size_t)(part->end - part->begin), part->protection);
}

void takeover_protect_or_warn(const struct takeover_part *part);

#endif
