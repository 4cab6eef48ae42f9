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
struct task_pool;
struct dpa_engine;
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
	/*
	 * In IDLE: from now on DPA code uses it. The context remembers the DPA. Called again, the
	 * last one counts. NULL: the CPU only
	 */
	doca_error_t (*set_datapath_on_dpa)(struct doca_ctx *ctx, struct doca_dpa *dpa);
	/*
	 * With set_datapath_on_dpa. The engine that drives it from now on, kept from going away:
	 * dpa_ops.get_engine or an ..._attach. After check and before start, with no lock held.
	 */
	doca_error_t (*attach_engine)(struct doca_ctx *ctx, struct dpa_engine **ret_engine);
	/* Lets it go: IDLE, nothing of the context is connected to it, no lock is held. */
	void (*detach_engine)(struct doca_ctx *ctx);
};

/* For contexts that do jobs, as up to release 2.2: workq.c. */
struct ctx_queued {
	bool does_jobs;		   /* made without a device, or put into a queue */
	struct doca_workq *workq;  /* whose progress engine it is connected to; NULL: none */
	bool is_wanted;		   /* told to start, as soon as it is in a queue */
	struct doca_ctx *twin;	   /* the same for the next queue that the program put it into */
	struct doca_ctx *original; /* of a twin or of itself; while it is in a queue */
	struct doca_ctx *next;	   /* in its queue */
};

/*
 * With its data path on the DPA, a context is connected to an engine of the DPA while it is not
 * IDLE (ctx_dpa.c). start, stop, idle, flush and the pollers then run with that engine's lock held,
 * in threads of the program or in the engine's unit.
 */
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
	struct task_pool *pools; /* those that were configured: they follow the state */
	struct list_node pe_node;
	struct list_node todo_node; /* in pe->todo: the state may advance */
	struct ctx_queued queued;
	/* on the DPA */
	bool is_on_dpa;
	struct dpa_engine *engine; /* that pe belongs to; attached; NULL: it is idle */
};

PRIV_EXPORT void priv_ctx_init(struct doca_ctx *ctx, const struct ctx_ops *ops,
			       struct doca_dev *dev);
/* for the object's destroy: IN_USE unless IDLE */
PRIV_EXPORT doca_error_t priv_ctx_check_destroy(const struct doca_ctx *ctx);
/* BAD_STATE, for what a context has to be IDLE for; the log says which state it is in */
PRIV_EXPORT doca_error_t priv_ctx_refuse_state(const struct doca_ctx *ctx);
/* detaches from the PE, gives the device back */
PRIV_EXPORT void priv_ctx_fini(struct doca_ctx *ctx);

/* STARTING -> RUNNING (SUCCESS), or STARTING -> IDLE (any error). From a poll. */
PRIV_EXPORT void priv_ctx_started(struct doca_ctx *ctx, doca_error_t result);
/* RUNNING or STARTING -> STOPPING without doca_ctx_stop(): peer loss, fatal error. From a poll. */
PRIV_EXPORT void priv_ctx_fail(struct doca_ctx *ctx);
/*
 * The library's part of stopping is done; IDLE follows when the user has freed the tasks. Does
 * nothing in other states.
 */
PRIV_EXPORT void priv_ctx_stopped(struct doca_ctx *ctx);
/* asks doca_pe_progress() to look whether a stopping context can become IDLE */
PRIV_EXPORT void priv_ctx_todo(struct doca_ctx *ctx);

/* in a child of fork(): IDLE for good, and nobody is told */
void ctx_disown(struct doca_ctx *ctx);

/* takes the next steps of all contexts in pe->todo; returns how many changed their state */
unsigned int ctx_advance_all(struct doca_pe *pe);

/*
 * ctx_dpa.c: what the public functions do for a context on the DPA
 */

doca_error_t ctx_start_on_dpa(struct doca_ctx *ctx);
doca_error_t ctx_stop_on_dpa(struct doca_ctx *ctx);
void ctx_flush_on_dpa(struct doca_ctx *ctx);
void ctx_fini_on_dpa(struct doca_ctx *ctx);
/* its unit is not about to change it */
enum doca_ctx_states ctx_state_on_dpa(const struct doca_ctx *ctx);
/* ctx.c: of a context that its program's progress engine drives */
doca_error_t ctx_start(struct doca_ctx *ctx);
doca_error_t ctx_stop(struct doca_ctx *ctx);
/* ctx.c: the common part, whoever drives it. start: IDLE and checked; stop: STARTING or RUNNING */
doca_error_t ctx_start_now(struct doca_ctx *ctx);
doca_error_t ctx_stop_now(struct doca_ctx *ctx);
/* what doca_ctx_start() says when a resource has been refused */
doca_error_t ctx_start_error(doca_error_t err);

/*
 * The engine in whose callbacks a context may be destroyed; NULL: none. That of a DPA calls none of
 * the program's, and may be at work in its unit meanwhile.
 */
static inline struct doca_pe *ctx_callback_pe(const struct doca_ctx *ctx)
{
	return ctx->is_on_dpa ? NULL : ctx->pe;
}

/* submitted, callback not yet called */
static inline size_t ctx_num_inflight(const struct doca_ctx *ctx)
{
	return ctx->num_submitted - ctx->num_reported;
}

/* is the configuration complete? */
static inline doca_error_t ctx_check(struct doca_ctx *ctx)
{
	return ctx->ops->check ? ctx->ops->check(ctx) : DOCA_SUCCESS;
}

/* setters: BAD_STATE unless IDLE */
static inline doca_error_t ctx_check_idle(const struct doca_ctx *ctx)
{
	return ctx->state == DOCA_CTX_STATE_IDLE ? DOCA_SUCCESS : priv_ctx_refuse_state(ctx);
}

#endif
