/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Contexts: first member of every library context. States, transitions and who is told.
 */
#ifndef SOFTFIELD_CORE_CTX_H
#define SOFTFIELD_CORE_CTX_H

#include <stdbool.h>
#include "doca_common_defines.h"
#include "doca_ctx.h"
#include "base/export.h"
#include "base/list.h"

struct doca_pe;
struct doca_dev;
struct doca_workq;
struct job_ops;

struct ctx_ops {
	const char *name;
	/* an idle context does not keep its progress engine from being destroyed (STA) */
	bool pe_may_go_first;
	/* is the configuration complete? called by doca_ctx_start() in IDLE */
	doca_error_t (*check)(struct doca_ctx *ctx);
	/*
	 * SUCCESS: started. IN_PROGRESS: priv_ctx_started() follows, from a poll of the context's
	 * PE. Anything else: nothing has happened and the context stays IDLE.
	 */
	doca_error_t (*start)(struct doca_ctx *ctx);
	/*
	 * Called in STARTING and RUNNING; completes or starts to flush all submitted tasks.
	 * SUCCESS: the library has nothing left to wait for. IN_PROGRESS: priv_ctx_stopped()
	 * follows, from a poll. Anything else (IN_USE): refused, nothing has happened.
	 */
	doca_error_t (*stop)(struct doca_ctx *ctx);
	/* the context has become IDLE: last chance to release what start took; may be NULL */
	void (*idle)(struct doca_ctx *ctx);
	/* publishes tasks that were submitted without the FLUSH flag; may be NULL */
	void (*flush)(struct doca_ctx *ctx);
	/*
	 * In a child of fork(), not in IDLE: what the context shares with peers is the parent's.
	 * The context becomes IDLE for good; this makes what depends on it look closed, without
	 * taking a lock. NULL: it has no peers.
	 */
	void (*disown)(struct doca_ctx *ctx);
	const struct job_ops *jobs; /* core/workq.h; NULL: does no jobs */
};

struct doca_ctx {
	const struct ctx_ops *ops;
	struct doca_pe *pe;
	/* one use is held from init to fini; NULL for those without a device */
	struct doca_dev *dev;
	enum doca_ctx_states state;
	bool library_stopped; /* in STOPPING: only the user's tasks are awaited */
	union doca_data user_data;
	doca_ctx_state_changed_callback_t state_changed_cb;
	/*
	 * Two counters rather than one that goes up and down: neither waits for the other's store.
	 */
	size_t num_submitted;
	size_t num_reported; /* whose callback has been called */
	size_t num_held; /* submitted at least once, not yet freed; includes the in-flight ones */
	struct list_node pe_node;
	struct list_node todo_node; /* in pe->todo: the state may advance */
	/* up to release 2.2 */
	struct doca_workq *workq; /* whose progress engine it is connected to; NULL: none */
	bool is_wanted;		  /* told to start, as soon as it is in a queue */
	struct doca_ctx *twin;	  /* the same for the next queue that the program put it into */
};

PRIV_EXPORT void priv_ctx_init(struct doca_ctx *ctx, const struct ctx_ops *ops,
			       struct doca_dev *dev);
/* for the object's destroy: IN_USE unless IDLE */
PRIV_EXPORT doca_error_t priv_ctx_check_destroy(const struct doca_ctx *ctx);
/* detaches from the PE, gives the device back */
PRIV_EXPORT void priv_ctx_fini(struct doca_ctx *ctx);

/* STARTING -> RUNNING (SUCCESS), or STARTING -> IDLE (any error). From a poll. */
PRIV_EXPORT void priv_ctx_started(struct doca_ctx *ctx, doca_error_t result);
/* RUNNING or STARTING -> STOPPING without doca_ctx_stop(): peer loss, fatal error. From a poll. */
PRIV_EXPORT void priv_ctx_fail(struct doca_ctx *ctx);
/* the library's part of stopping is done; IDLE follows when the user has freed the tasks */
PRIV_EXPORT void priv_ctx_stopped(struct doca_ctx *ctx);
/* asks doca_pe_progress() to look whether a stopping context can become IDLE */
PRIV_EXPORT void priv_ctx_todo(struct doca_ctx *ctx);

/* in a child of fork(): IDLE for good, and nobody is told */
void ctx_disown(struct doca_ctx *ctx);

/* takes the next steps of all contexts in pe->todo; returns how many changed their state */
unsigned int ctx_advance_all(struct doca_pe *pe);

/* submitted, callback not yet called */
static inline size_t ctx_num_inflight(const struct doca_ctx *ctx)
{
	return ctx->num_submitted - ctx->num_reported;
}

/* setters: BAD_STATE unless IDLE */
static inline doca_error_t ctx_check_idle(const struct doca_ctx *ctx)
{
	return ctx->state == DOCA_CTX_STATE_IDLE ? DOCA_SUCCESS : DOCA_ERROR_BAD_STATE;
}

#endif
