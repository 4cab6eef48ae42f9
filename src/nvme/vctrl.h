/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * An emulated NVMe controller, seen through its I/O queue pairs: it reads submission rings and
 * doorbells, moves data by PRPs and writes completions with phase bits. It has no thread: whoever
 * polls a queue executes its commands. Queues are independent of each other and may be polled by
 * different threads; everything else belongs to one thread, before the first queue and after the
 * last.
 *
 * A namespace keeps its bytes in a medium: a file or block device, memory, or nothing.
 */
#ifndef SOFTFIELD_NVME_VCTRL_H
#define SOFTFIELD_NVME_VCTRL_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/uio.h>
#include "base/list.h"
#include "doca_error.h"
#include "nvme/queue.h"
#include "nvme/spec.h"

struct vctrl;
struct vctrl_queue;

/* --- media -------------------------------------------------------------------------------- */

struct vctrl_medium;

enum vctrl_op { VCTRL_READ, VCTRL_WRITE, VCTRL_FLUSH, VCTRL_ZERO, VCTRL_DISCARD };

/* One transfer. The range is inside the medium and the vectors are exactly as long as it. */
struct vctrl_io {
	enum vctrl_op op;
	bool fua;     /* not done before it is durable */
	bool unmap;   /* VCTRL_ZERO: the space may be given back */
	bool aborted; /* nobody wants the rest: see start */
	uint64_t offset, size;
	struct iovec *iov; /* READ and WRITE; the medium may change it */
	unsigned int iov_count;
	/* WRITE: what must be there, else nothing is written; NULL: anything may. One block */
	const struct iovec *expected;
	void *scratch;		  /* of that: memory for a block */
	uint64_t progress;	  /* the medium's own; 0 at start */
	unsigned int step;	  /* likewise; 0 at start, too */
	uint64_t piece, begun_ns; /* likewise; what they like */
	struct list_node range;	  /* of vctrl_ranges.h */
	uint64_t ticket;	  /* likewise */
	struct list_node waiting; /* the medium's own, too */
};

/* A queue's own way to a medium: what it starts, it finishes in the same thread. */
struct vctrl_channel {
	struct vctrl_medium *medium;
	struct vctrl_queue *queue;
};

struct vctrl_medium_ops {
	/* depth: the most transfers at once. On failure nothing is left behind. */
	doca_error_t (*open)(struct vctrl_medium *medium, unsigned int depth,
			     struct vctrl_channel **ret_channel);
	/* waits for the transfers that are still running; their end is not reported any more */
	void (*close)(struct vctrl_channel *channel);
	/*
	 * Ends in one vctrl_io_done(), here or in poll; never blocks unless the medium does. What
	 * takes long is done in pieces. Between two it may have been aborted, and what has not been
	 * begun ends with Command Abort Requested.
	 */
	void (*start)(struct vctrl_channel *channel, struct vctrl_io *io);
	/* hands over what start has collected, reports what is finished; returns how much it was */
	unsigned int (*poll)(struct vctrl_channel *channel);
	/* readable when poll would find something; -1: everything is finished when start returns,
	 * unless must_poll */
	int (*fd)(const struct vctrl_channel *channel);
	/* is there work for poll that no descriptor will tell of, or that it has told of already?
	 * NULL: never */
	bool (*must_poll)(const struct vctrl_channel *channel);
	/* looks for a new size; NULL: it never changes */
	doca_error_t (*rescan)(struct vctrl_medium *medium);
	void (*destroy)(struct vctrl_medium *medium);
};

struct vctrl_medium {
	const struct vctrl_medium_ops *ops;
	_Atomic uint64_t size;	 /* bytes; relaxed: a transfer sees the old or the new one */
	uint32_t min_block_size; /* bytes */
	uint32_t block_size;	 /* of the namespace: no block is ever seen half written */
	bool read_only;
	bool write_cache; /* writes are durable after a flush only */
};

/* Is this what must be there? data: as much as the transfer has */
bool vctrl_io_expects(const struct vctrl_io *io, const void *data);
/* status: see nvme/spec.h. From start or poll of the medium. */
void vctrl_io_done(struct vctrl_channel *channel, struct vctrl_io *io, uint16_t status);

struct vctrl_file_attr {
	const char *path; /* file or block device; must exist */
	bool read_only;
	bool direct; /* past the page cache */
	bool no_uring;
};

/* reads as zeros, forgets writes */
doca_error_t vctrl_null_create(uint64_t size, struct vctrl_medium **ret_medium);
/* memory of this process */
doca_error_t vctrl_mem_create(uint64_t size, struct vctrl_medium **ret_medium);
/*
 * NOT_FOUND, NOT_PERMITTED, IN_USE: somebody else serves the same file. INVALID_VALUE: neither file
 * nor block device, or empty. NO_MEMORY
 */
doca_error_t vctrl_file_create(const struct vctrl_file_attr *attr,
			       struct vctrl_medium **ret_medium);
void vctrl_medium_destroy(struct vctrl_medium *medium);

/* --- controller --------------------------------------------------------------------------- */

#define VCTRL_NS_MAX 32u

struct vctrl_attr {
	uint32_t max_transfer; /* bytes of one command; a multiple of the page size */
	/* bus address to memory, NULL: no such; without it bus addresses are virtual addresses */
	void *(*translate)(void *arg, uint64_t bus, size_t size);
	void *translate_arg;
};

doca_error_t vctrl_create(const struct vctrl_attr *attr, struct vctrl **ret_ctrl);
/* the last queue must have been closed; destroys the media, too */
void vctrl_destroy(struct vctrl *ctrl);

/*
 * Namespace ids count from 1. Takes the medium over, unless it fails: INVALID_VALUE: block size is
 * no power of two in 512..65536, below what the medium can do, or above its size. FULL. IN_USE: a
 * queue exists.
 */
doca_error_t vctrl_add_ns(struct vctrl *ctrl, struct vctrl_medium *medium, uint32_t block_size,
			  uint32_t *ret_nsid);
/* INVALID_VALUE: no such namespace */
doca_error_t vctrl_ns_rescan(struct vctrl *ctrl, uint32_t nsid);
/* number of blocks; 0: no such namespace */
uint64_t vctrl_ns_blocks(const struct vctrl *ctrl, uint32_t nsid);

doca_error_t vctrl_queue_open(struct vctrl *ctrl, const struct nvme_queue_attr *rings,
			      struct vctrl_queue **ret_queue);
/* returns when the media are done with every buffer; posts nothing any more */
void vctrl_queue_close(struct vctrl_queue *queue);
/* executes and completes; returns how many commands were taken or finished */
unsigned int vctrl_queue_poll(struct vctrl_queue *queue);
/*
 * Nobody wants the rest of a command: it ends at once, or in a poll soon after, with Command Abort
 * Requested or with what has come of it. False: there is none.
 */
bool vctrl_queue_abort(struct vctrl_queue *queue, uint16_t cid);
/* descriptors that become readable when a started command can be finished; returns their number */
unsigned int vctrl_queue_fds(const struct vctrl_queue *queue, int fds[VCTRL_NS_MAX]);
/*
 * True: there is work for a poll, or soon will be, or the host has not taken what has ended, and no
 * descriptor will tell of it any more.
 */
bool vctrl_queue_must_poll(const struct vctrl_queue *queue);

#endif
