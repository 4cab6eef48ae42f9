/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * struct doca_dpa: a software DPA. Its memory is the program's, its execution units are threads of
 * the program (unit.h), its programs are functions of the program (app.c).
 */
#ifndef SOFTFIELD_DPA_DPA_H
#define SOFTFIELD_DPA_DPA_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include "base/fork.h"
#include "base/list.h"
#include "base/pow2.h"
#include "core/dev.h"
#include "core/dpa_hook.h"
#include "doca_dpa.h"
#include "softfield_dpa_app.h"

/* What a BlueField-3 has. Units of ours are threads, and are made when they are needed. */
#define DPA_CORES	   16u
#define DPA_EUS_PER_CORE   16u
#define DPA_EUS		   (DPA_CORES * DPA_EUS_PER_CORE)
#define DPA_MAX_RANKS	   128u /* of a kernel */
#define DPA_MAX_QUEUE_SIZE 65536u

struct unit; /* unit_priv.h */

/* Memory of the DPA: freed by its address, or with the DPA. */
struct dpa_mem {
	struct list_node node; /* in dpa->freed */
	size_t size;
	/* then the memory, aligned to 64 */
};

struct doca_dpa {
	struct doca_dev *dev;  /* held */
	struct doca_dpa *base; /* an extended one's; else NULL */
	struct doca_dpa_app *app;
	bool is_started;
	bool is_inherited; /* in a child of fork(), where its units are not: it is over */
	struct fork_watch fork_watch;
	_Atomic uint32_t num_children; /* objects that keep it from being stopped */
	atomic_bool has_failed;	       /* a fatal error of its programs */
	atomic_bool is_ending;	       /* what runs there gives up at its next call */

	/* log.c */
	doca_dpa_dev_log_level_t log_level;
	char *log_path, *trace_path; /* NULL: standard output */
	FILE *log_file, *trace_file; /* while started */

	/* mem.c */
	pthread_mutex_t mem_lock; /* of what follows, which changes under priv_fork_hold() */
	void *mems;		  /* a tree of struct dpa_mem (tsearch()) */
	struct list_node freed;	  /* struct dpa_mem that DPA code may still use, the oldest first */
	size_t freed_size;

	struct list_node launches; /* kernels that have not ended; under priv_fork_hold() */
	pthread_mutex_t rpc_lock;  /* one RPC at a time; held while it runs */

	/* unit.c, lend.c */
	pthread_mutex_t unit_lock; /* of what follows */
	struct list_node units;	   /* all of them */
	struct list_node free_units;
	uint32_t max_units;				   /* fewer in tests */
	uint32_t num_units, num_free, num_lent, num_waits; /* of those that are lent */
	uint32_t num_pinned;				   /* DPA threads have them */
	struct list_node waiting;   /* struct unit_work: there are no units for it yet */
	uint32_t num_waiting_alone; /* for one unit */
	uint32_t next_thread_id;
	struct unit *service; /* drives what no thread is told of; NULL: not needed yet */
};

/* the one whose units, memory and log an extended one has, too */
static inline struct doca_dpa *dpa_base(struct doca_dpa *dpa)
{
	return dpa->base ? dpa->base : dpa;
}

/* For an object's create and destroy. */
static inline void dpa_ref(struct doca_dpa *dpa)
{
	/* Relaxed: who calls has the context as it is. */
	atomic_fetch_add_explicit(&dpa->num_children, 1, memory_order_relaxed);
}

static inline void dpa_unref(struct doca_dpa *dpa)
{
	/* Release: pairs with the acquire before the context is stopped; the child is done. */
	atomic_fetch_sub_explicit(&dpa->num_children, 1, memory_order_release);
}

/* app.c: what its application calls the function; NULL, and logged: it has no such function */
const struct softfield_dpa_func *dpa_find_func(const struct doca_dpa *dpa, doca_dpa_func_t *stub);
/* app.c: room for a call's arguments, which free() gives back; NULL: no memory */
void *dpa_alloc_args(const struct softfield_dpa_func *func);
/* hook.c */
extern const struct dpa_ops dpa_hook_ops;
/*
 * dpa.c: before an object is connected to another one. INVALID_VALUE, and logged: what it is to be
 * connected to belongs to a DPA of its own
 */
doca_error_t dpa_check_same(struct doca_dpa *dpa, struct doca_dpa *other, const char *what);
/* dpa.c: a fatal error, said once and kept for doca_dpa_peek_at_last_error() */
void dpa_fail(struct doca_dpa *dpa, const char *what);
/* log.c: opens and closes the files. NOT_FOUND and the like: a path cannot be written */
doca_error_t dpa_log_start(struct doca_dpa *dpa);
void dpa_log_stop(struct doca_dpa *dpa);
/* kernel.c: of kernels whose units are in the parent of fork() */
void kernels_forget(struct doca_dpa *dpa);
/* mem.c: frees what the program has not */
void dpa_mem_free_all(struct doca_dpa *dpa);
/* dpa.c: how many a queue of count has; 0, and logged: none, or too many */
uint32_t dpa_queue_size(uint32_t count, const char *what);

#endif
