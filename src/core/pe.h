/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The progress engine: a poll group plus the queue of finished tasks whose owners must be told.
 */
#ifndef SOFTFIELD_CORE_PE_H
#define SOFTFIELD_CORE_PE_H

#include <stdbool.h>
#include "doca_pe.h"
#include "base/export.h"
#include "base/fork.h"
#include "base/list.h"
#include "base/poll_group.h"

/* Memory that a callback has destroyed while the engine may still have it in hand. */
struct pe_garbage {
	struct pe_garbage *next;
	void (*release)(struct pe_garbage *garbage);
};

/* Callbacks of finished tasks run, and the pollers are polled after them. */
enum pe_round {
	PE_ROUND_NONE, /* not so, or one of them waits: nothing is put off */
	PE_ROUND_LAST, /* it is the last one: what others have put off is not sent yet */
	PE_ROUND_MORE, /* others follow, which may have something to put off, too */
};

struct doca_pe {
	struct poll_group group;
	struct doca_task *done;
	struct doca_task **done_tail;
	enum pe_round round;
	struct list_node ctxs; /* all connected ones, by pe_node */
	struct list_node todo; /* those whose state may advance, by todo_node */
	struct pe_garbage *garbage;
	/*
	 * The thread inside doca_pe_progress(), as an address; NULL: none. The engine itself: none,
	 * and none may enter, because it is inherited, or because the next call finds nothing.
	 */
	const void *thread;
	const void *outside; /* what `thread` becomes when that one leaves */
	/* Calls in a row that have found something: row_is_long() */
	uint32_t works;	    /* calls that have, in a row or not */
	uint32_t row_round; /* the group's round at the last look */
	uint64_t row_began; /* in ticks */
	bool has_told;	    /* the program, in this call: a callback ran, or a state changed */
	bool is_inherited;  /* a child's copy, which is of no use there */
	bool has_warned;    /* of two threads at a time */
	enum doca_pe_event_mode event_mode;
	struct fork_watch fork_watch;
	struct list_node graph_tasks; /* those that graphs run, which graph_instance.c knows */
};

/* Says, once, that another thread is inside doca_pe_progress(), as none may be now. */
void pe_check_thread(struct doca_pe *pe);
/* ctx->pe is NULL before */
void pe_connect(struct doca_pe *pe, struct doca_ctx *ctx);
/* the context is not connected any more */
void pe_forget(struct doca_ctx *ctx);

/* For calls that may wait, also those that drive another engine: in a callback or not. */
PRIV_EXPORT void priv_pe_put_off_no_more(void);

/*
 * Tells the owners of tasks that have finished during this call of doca_pe_progress(). Pollers do
 * so before they hand on a message, which may be the answer to one of them: a program that
 * sends one message at a time gets by with one task.
 */
PRIV_EXPORT void priv_pe_tell_done(struct doca_pe *pe);

/* were there any? */
static inline bool pe_tell_done(struct doca_pe *pe)
{
	if (doca_likely(!pe->done))
		return false;
	priv_pe_tell_done(pe);
	return true;
}

/*
 * Functions of doca_pe.h for engines of our own. A library before ours may have taken their public
 * names, and give programs engines that begin otherwise: core/interposed.c
 */
PRIV_EXPORT doca_error_t priv_pe_create(struct doca_pe **pe);
PRIV_EXPORT doca_error_t priv_pe_destroy(struct doca_pe *pe);
/*
 * So long a call works on while it has nothing to tell. A test that wants to see what is half done
 * sets it to 0.
 */
extern PRIV_EXPORT uint32_t priv_pe_work_on_ticks;
/* doca_pe_progress(), but 1 also for work of which nobody is told */
PRIV_EXPORT uint8_t priv_pe_work(struct doca_pe *pe);

/*
 * Releases an object: at once, or, inside doca_pe_progress(pe), when that returns. Objects that a
 * user may destroy from a callback are released this way. pe may be NULL.
 */
PRIV_EXPORT void priv_pe_discard(struct doca_pe *pe, struct pe_garbage *garbage,
				 void (*release)(struct pe_garbage *garbage));

#endif
