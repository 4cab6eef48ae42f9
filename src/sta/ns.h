/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Namespaces: what a number of the host's stands for. The application changes the map, EUs read it.
 */
#ifndef SOFTFIELD_STA_NS_H
#define SOFTFIELD_STA_NS_H

#include <semaphore.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include "doca_error.h"
#include "sta/engine.h"
#include "sta/mbox.h"

struct sta_be;
struct sta_cmd;
struct sta_ns;
struct sta_ns_removal;

#define STA_NS_BUCKETS 64u

struct sta_ns_counters {
	uint64_t reads, writes, read_bytes, write_bytes, errors;
};

/* what one EU keeps about a namespace; lines of their own, so that EUs do not disturb each other */
struct sta_ns_use {
	_Alignas(64) uint32_t inflight;
	bool removing; /* the EU has seen the removal and waits for inflight 0 */
	struct sta_ns_counters counters;
};

struct sta_ns {
	_Atomic(struct sta_ns *) next; /* in its bucket */
	struct sta_subsys *subsys;
	uint32_t fe_nsid, be_nsid;
	unsigned int block_shift;
	struct sta_be *be;
	_Atomic uint32_t refusal; /* status field that reads and writes get; 0: none */
	struct sta_ns_use use[STA_EUS_MAX];
	/* removal */
	struct sta_ns_removal *removal;
};

struct sta_subsys {
	struct sta_engine *engine;
	_Atomic(struct sta_ns *) buckets[STA_NS_BUCKETS];
	uint32_t ns_count;
};

void sta_subsys_init(struct sta_subsys *subsys, struct sta_engine *engine);
/* ALREADY_EXIST, NO_MEMORY, INVALID_VALUE: block size */
doca_error_t sta_ns_add(struct sta_subsys *subsys, uint32_t fe_nsid, uint32_t block_size,
			uint32_t be_nsid, struct sta_be *be, struct sta_ns **ret_ns);
struct sta_ns *sta_ns_find(const struct sta_subsys *subsys, uint32_t fe_nsid);

static inline uint16_t sta_ns_refusal(const struct sta_ns *ns)
{
	/* Relaxed: a command that is under way may see the old or the new one. */
	return (uint16_t)atomic_load_explicit(&ns->refusal, memory_order_relaxed);
}

/* Removal: first it cannot be found any more, then each EU says when it has let go. */
struct sta_ns_letter {
	struct mbox_msg msg;
	struct sta_ns *ns;
	struct sta_eu *eu;
};

struct sta_ns_removal {
	struct sta_ns_letter letters[STA_EUS_MAX];
	_Atomic uint32_t missing; /* EUs that have not answered */
	struct mbox *reply;	  /* NULL: a thread waits for the semaphore */
	sem_t *waiter;
	struct mbox_msg done;
	void (*deliver)(struct mbox_msg *done); /* in the thread of reply */
};

/* Afterwards, when removal says so, the namespace is nobody's but the caller's: sta_ns_free(). */
void sta_ns_remove(struct sta_ns *ns, struct sta_ns_removal *removal);
void sta_ns_free(struct sta_ns *ns);
/* of the EU's thread: the command does without its namespace, if it has one */
void sta_ns_release(struct sta_cmd *cmd);

#endif
