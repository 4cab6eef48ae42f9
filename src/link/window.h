/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Windows: a range of the user's ordinary memory into which a peer writes directly.
 *
 * A window is a memfd as large as the range's pages. The peer maps it and writes a message at the
 * offset of its buffer; that is all the peer knows. On this side every page of the range is in one
 * of two conditions:
 *
 *   in place  the user's page has been replaced by the memfd's page, with its content: what the
 * peer writes is in the user's buffer, and nothing is copied again; shadow    the user's page is
 * left alone, and what the peer has written is copied out of the memfd when the message has
 * arrived.
 *
 * Pages are put in place piece by piece, when first used. The first and last page are shadow unless
 * they lie in the range as a whole: they hold other people's memory, which the peer must not see.
 * So is memory that is not plain private memory (files, stacks, shared mappings), and everything
 * when replacing pages might lose a write of another thread: see window.c.
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
#include "base/export.h"
#include "base/list.h"
#include "doca_error.h"

#define WINDOW_PIECE_SHIFT 21 /* 2 MiB: about a millisecond to put in place */
#define WINDOW_PIECE	   ((size_t)1 << WINDOW_PIECE_SHIFT)

enum window_condition { WINDOW_NEW, WINDOW_IN_PLACE, WINDOW_SHADOW };

struct window_piece {
	_Atomic uint8_t condition;     /* enum window_condition; final once it is not NEW */
	_Atomic uint32_t shadow_holds; /* messages under way whose bytes will be copied out */
};

struct window {
	char *addr; /* the user's range */
	size_t size;
	char *start; /* its pages: [start, start + span) */
	size_t span;
	char *whole, *whole_end; /* pages that lie in the range as a whole */
	int fd;
	char *shadow;	       /* our own mapping of the memfd; mapped when first needed */
	const char *reason;    /* why pages are shadow; NULL: none is, so far */
	pthread_mutex_t lock;  /* of changes of condition, shadow and reason; a leaf */
	struct list_node node; /* in the list of all windows, for fork() */
	atomic_uint refs;      /* the memory map's, and one for each consumer */
	size_t piece_count;
	struct window_piece pieces[];
};

/* NO_MEMORY, FULL (descriptors) */
PRIV_EXPORT doca_error_t priv_window_create(void *addr, size_t size, struct window **ret_window);
/*
 * Gives the user ordinary private memory back, with its content. The range may have been unmapped.
 * No message may be under way, and none may be prepared any more.
 */
PRIV_EXPORT void priv_window_withdraw(struct window *window);
PRIV_EXPORT void priv_window_ref(struct window *window);
PRIV_EXPORT void priv_window_unref(struct window *window);

/*
 * Makes [addr, addr + size) ready to be written by the peer, working on at most one piece that is
 * new. AGAIN: call again, there is more to do. SUCCESS: ready; *ret_direct says whether everything
 * is in place. If not, the range is held as shadow: call priv_window_collect() when the message has
 * arrived, or with size 0 when it will not.
 */
PRIV_EXPORT doca_error_t priv_window_prepare(struct window *window, const void *addr, size_t size,
					     bool *ret_direct);

/*
 * Copies those of the size bytes at addr that are shadow to where they belong, and gives back the
 * hold on [addr, addr + held).
 */
PRIV_EXPORT void priv_window_collect(struct window *window, void *addr, size_t held, size_t size);

/* is all of it in place? without lock, for the fast path */
static inline bool window_is_direct(const struct window *window, const void *addr, size_t size)
{
	const char *begin = addr;
	size_t first, last;

	if (begin < window->whole || begin + size > window->whole_end || !size)
		return false;
	first = (size_t)(begin - window->start) >> WINDOW_PIECE_SHIFT;
	last = (size_t)(begin + size - 1 - window->start) >> WINDOW_PIECE_SHIFT;
	for (; first <= last; first++) {
		/* Acquire: pairs with the release in put_in_place(); the pages are there. */
		if (atomic_load_explicit(&window->pieces[first].condition, memory_order_acquire) !=
		    WINDOW_IN_PLACE)
			return false;
	}
	return true;
}

/* the largest range around addr that is in place; addr is */
PRIV_EXPORT void priv_window_find_direct(const struct window *window, const char *addr,
					 char **ret_begin, char **ret_end);

static inline uint64_t window_offset(const struct window *window, const void *addr)
{
	return (uint64_t)((const char *)addr - window->start);
}

#endif
