/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Windows: a range of the user's ordinary memory into which a peer writes directly.
 *
 * A window is a memfd as large as the range's pages. The peer maps it and writes a message at the
 * offset of its buffer; that is all the peer knows. On this side every page of the range is in one
 * of two conditions:
 *
 *   in place  The user's page has been exchanged for the memfd's (link/takeover.h): what the peer
 *             writes is in the user's buffer, and nothing is copied again.
 *   shadow    The user's page is left alone, and what the peer has written is copied out of the
 *             memfd when the message has arrived.
 *
 * Pages are put in place piece by piece, when first used. The first and last page are shadow unless
 * they lie in the range as a whole: they hold other people's memory, which the peer must not see.
 * So is memory that is not plain private memory, and everything where pages cannot be exchanged
 * without losing a write of another thread.
 *
 * A child of fork() gets private mappings of the pages in place, so that nothing it writes reaches
 * its parent or the peer.
 *
 * Thread-safe: several consumers may receive into one range.
 */
#ifndef SOFTFIELD_LINK_WINDOW_H
#define SOFTFIELD_LINK_WINDOW_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "base/copy.h"
#include "base/export.h"
#include "base/list.h"
#include "doca_error.h"

#define WINDOW_PIECE_SHIFT 18 /* 256 KiB: less than a millisecond to put in place */
#define WINDOW_PIECE	   ((size_t)1 << WINDOW_PIECE_SHIFT)

/* Final once it is not NEW, until the window is withdrawn. */
enum window_condition { WINDOW_NEW, WINDOW_IN_PLACE, WINDOW_SHADOW };

struct window {
	/* what consumers read with every buffer */
	char *start;		 /* the range's pages: [start, start + span) */
	char *whole, *whole_end; /* those that lie in the range as a whole */
	_Atomic bool withdrawn;	 /* nothing is in place any more */
	_Atomic(char *) shadow;	 /* our own mapping of the memfd; mapped when first needed */

	size_t span;
	char *addr; /* the user's range */
	size_t size;
	int fd;
	bool inherited; /* this is a child, and the memfd its parent's; set before it goes on */

	/* under the lock of all windows, which is that of fork(): */
	struct list_node node;
	bool forked;	 /* a child may see the memfd's pages */
	bool frozen;	 /* nothing is put in place any more */
	bool ended;	 /* likewise: it was withdrawn, as far as that went */
	bool keeps_maps; /* maps_keep(), before the first pages are put in place */

	/* under its own lock, which is taken before the other one: */
	pthread_mutex_t lock;
	bool kept; /* some pages could not be given back: fork() must know them for ever */

	_Atomic uint32_t why; /* enum takeover: why some pages are shadow, the first reason */
	_Atomic bool guarded; /* parts of it may not be written, or are not mapped */
	atomic_uint refs;     /* the memory map's, and one for each consumer */
	size_t piece_count;
	_Atomic uint8_t pieces[]; /* enum window_condition; changed under the window's lock */
};

/* Memory that is ready: in [direct, direct_end) in place, in the rest of it in shadow. */
struct window_known {
	char *begin, *end;
	char *direct, *direct_end;
};

/* nothing is known: it begins behind every address */
#define WINDOW_UNKNOWN ((struct window_known){(char *)UINTPTR_MAX, NULL, (char *)UINTPTR_MAX, NULL})

/* How a window works so far, for people. */
struct window_use {
	uint64_t in_place, shadow; /* bytes */
	uint32_t why;		   /* enum takeover */
};

/* NO_MEMORY, FULL (descriptors) */
PRIV_EXPORT doca_error_t priv_window_create(void *addr, size_t size, struct window **ret_window);
/*
 * Gives the user ordinary private memory back, with its content. The range may have been unmapped.
 * What a message has written that is under way may be lost; the next ones go through the shadow.
 */
PRIV_EXPORT void priv_window_withdraw(struct window *window);
/*
 * From now on nothing more is put in place: another process may write into the range by the
 * kernel's copy, which no guard of ours would make wait.
 */
PRIV_EXPORT void priv_window_freeze(struct window *window);
PRIV_EXPORT void priv_window_ref(struct window *window);
/* the last one withdraws */
PRIV_EXPORT void priv_window_unref(struct window *window);
PRIV_EXPORT struct window_use priv_window_use(struct window *window);

/*
 * Makes [addr, addr + size) ready to be written by the peer. A piece that is new takes its time:
 * *budget says for how many there is some, and is counted down. AGAIN: there are more. SUCCESS: all
 * is ready; *ret_direct says whether it is in place; if not, call priv_window_collect() when the
 * message has arrived. NO_MEMORY: not enough for a shadow. NOT_PERMITTED: the program itself may
 * not write there. FULL: there is no descriptor to find that out.
 */
PRIV_EXPORT doca_error_t priv_window_prepare(struct window *window, const void *addr, size_t size,
					     unsigned int *budget, bool *ret_direct);

/*
 * Copies those of the size bytes at addr that are shadow to where they belong. They are a part of a
 * message of total bytes.
 */
PRIV_EXPORT void priv_window_collect(const struct window *window, void *addr, size_t size,
				     size_t total);

/*
 * A range around addr of which nobody need ask again until the window is withdrawn, and the part of
 * it that is in place; none of it may be. Call it for what has been made ready. Where some memory
 * may not be written, nothing is known of what is not in place.
 */
PRIV_EXPORT void priv_window_find_known(const struct window *window, const char *addr,
					struct window_known *ret_known);

/* where the peer writes what belongs at addr, which is known not to be in place */
static inline const char *window_shadow(const struct window *window, const char *addr)
{
	return window->shadow + (addr - window->start);
}

/*
 * priv_window_collect() of memory of which something may be known: of what is shadow, all of it, a
 * mere copy. Shadow stays shadow, also when the window is withdrawn.
 */
static inline void window_collect(const struct window *window, const struct window_known *known,
				  char *addr, size_t size, size_t total)
{
	const char *end = addr + size;

	if (__builtin_expect(addr >= known->begin && end <= known->end &&
				     (addr >= known->direct_end || end <= known->direct),
			     1))
		copy_some(addr, window_shadow(window, addr), size, total);
	else
		priv_window_collect(window, addr, size, total);
}

static inline bool window_is_withdrawn(const struct window *window)
{
	/* Relaxed: whoever withdraws knows that no message is under way, or that it will fail. */
	return atomic_load_explicit(&window->withdrawn, memory_order_relaxed);
}

/* In a child of fork(): what is still to be received there needs a window of its own. */
static inline bool window_is_inherited(const struct window *window)
{
	return window->inherited;
}

static inline uint64_t window_offset(const struct window *window, const void *addr)
{
	return (uint64_t)((const char *)addr - window->start);
}

#endif
