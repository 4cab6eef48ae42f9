/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Contexts with their data path on the DPA. An engine of the DPA (core/dpa_hook.h) takes the place
 * of the program's progress engine from doca_ctx_start() until the context is idle again. The unit
 * drives it; what the program does to the context, it does under the engine's lock.
 *
 * The program is told of changes by its own thread, after the lock has been given up, and of one
 * per call: nothing of the context runs in a unit, and the callback may do anything.
 */
#define LOG_MODULE "core"
#include "core/ctx.h"

#include <assert.h>
#include <sched.h>
#include "base/clock.h"
#include "base/log.h"
#include "core/dpa_hook.h"
#include "core/pe.h"

/*
 * So long, and so many turns, stopping waits for what others have to do: units, too. They may have
 * lost their CPU, so it is some slices of a scheduler; or all of us have, and only time has passed.
 */
#define STOP_PATIENCE_NS    100000000u
#define STOP_PATIENCE_TURNS 1000u

/* The callback may also destroy the context: nothing is touched after it. */
static void tell(struct doca_ctx *ctx, enum doca_ctx_states prev, enum doca_ctx_states next)
{
	if (next != prev && ctx->state_changed_cb)
		ctx->state_changed_cb(ctx->user_data, ctx, prev, next);
}

/* In a child of fork() there is no unit, and one of the parent may have left it locked. */
static void lock(struct dpa_engine *engine)
{
	if (!engine->pe->is_inherited)
		dpa_engine_lock(engine);
}

static void unlock(struct dpa_engine *engine)
{
	if (!engine->pe->is_inherited)
		dpa_engine_unlock(engine);
}

/* For an idle context. */
static void leave(struct doca_ctx *ctx)
{
	struct dpa_engine *engine = ctx->engine;

	assert(ctx->state == DOCA_CTX_STATE_IDLE);
	if (!engine)
		return;
	lock(engine);
	pe_forget(ctx);
	unlock(engine);
	ctx->engine = NULL;
	ctx->ops->detach_engine(ctx);
}

/* The unit may have made it idle. */
enum doca_ctx_states ctx_state_on_dpa(const struct doca_ctx *ctx)
{
	enum doca_ctx_states state;

	if (!ctx->engine)
		return ctx->state;
	lock(ctx->engine);
	state = ctx->state;
	unlock(ctx->engine);
	return state;
}

/* From connecting on, a unit may drive it. */
static doca_error_t start_locked(struct doca_ctx *ctx)
{
	if (ctx->engine->pe->is_inherited) {
		LOG_ERR("%s: the DPA belongs to the process that has forked this one",
			ctx->ops->name);
		return DOCA_ERROR_NOT_CONNECTED;
	}
	pe_connect(ctx->engine->pe, ctx);
	return ctx_start_now(ctx);
}

doca_error_t ctx_start_on_dpa(struct doca_ctx *ctx)
{
	struct dpa_engine *engine;
	enum doca_ctx_states next;
	doca_error_t err;

	if (ctx_state_on_dpa(ctx) != DOCA_CTX_STATE_IDLE)
		return priv_ctx_refuse_state(ctx);
	leave(ctx);
	err = ctx_check(ctx);
	if (err)
		return err;
	err = ctx->ops->attach_engine(ctx, &engine);
	if (err)
		return ctx_start_error(err);
	ctx->engine = engine;
	lock(engine);
	err = start_locked(ctx);
	next = ctx->state;
	unlock(engine);
	if (err && err != DOCA_ERROR_IN_PROGRESS)
		leave(ctx);
	tell(ctx, DOCA_CTX_STATE_IDLE, next);
	return err;
}

/*
 * What the library waits for happens in the engine, here or in the unit. What it waits for
 * elsewhere may be this thread's to do.
 */
static void finish(struct doca_ctx *ctx)
{
	struct dpa_engine *engine = ctx->engine;
	uint64_t begin = clock_now_ns();
	unsigned int turns = 0;

	while (ctx->state == DOCA_CTX_STATE_STOPPING &&
	       (turns < STOP_PATIENCE_TURNS || clock_now_ns() - begin < STOP_PATIENCE_NS)) {
		if (priv_pe_work(engine->pe)) {
			begin = clock_now_ns();
			turns = 0;
			continue;
		}
		turns++;
		unlock(engine);
		sched_yield();
		lock(engine);
	}
}

doca_error_t ctx_stop_on_dpa(struct doca_ctx *ctx)
{
	struct dpa_engine *engine = ctx->engine;
	enum doca_ctx_states prev;
	enum doca_ctx_states next;
	doca_error_t err = DOCA_SUCCESS;

	if (!engine)
		return DOCA_SUCCESS;
	lock(engine);
	prev = ctx->state;
	if (prev == DOCA_CTX_STATE_RUNNING || prev == DOCA_CTX_STATE_STARTING)
		err = ctx_stop_now(ctx);
	if (!err || err == DOCA_ERROR_IN_PROGRESS)
		finish(ctx);
	next = ctx->state;
	unlock(engine);
	if (err && err != DOCA_ERROR_IN_PROGRESS)
		return err;
	if (next == DOCA_CTX_STATE_IDLE)
		leave(ctx);
	else
		LOG_WRN("%s does not stop: what it waits for is not done on the DPA",
			ctx->ops->name);
	tell(ctx, prev, next);
	return next == DOCA_CTX_STATE_IDLE ? DOCA_SUCCESS : DOCA_ERROR_IN_PROGRESS;
}

void ctx_flush_on_dpa(struct doca_ctx *ctx)
{
	struct dpa_engine *engine = ctx->engine;

	if (!engine)
		return;
	lock(engine);
	if (ctx->ops->flush && ctx->state == DOCA_CTX_STATE_RUNNING)
		ctx->ops->flush(ctx);
	unlock(engine);
}

void ctx_fini_on_dpa(struct doca_ctx *ctx)
{
	leave(ctx);
}
