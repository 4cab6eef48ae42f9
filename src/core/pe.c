/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The progress engine. User callbacks run only inside doca_pe_progress(): those of finished tasks
 * from here, all others from the pollers and watches of the contexts.
 */
#define LOG_MODULE "core"
#include "core/pe.h"

#include <stdlib.h>
#include "base/clock.h"
#include "base/log.h"
#include "base/no_cancel.h"
#include "base/thread.h"
#include "core/ctx.h"
#include "core/task.h"

/* One look at the clock in so many calls that find something; how long a row may be: 4 to 20 ms */
#define ROW_LOOKS 64u
#define ROW_TICKS 20000000u

uint32_t priv_pe_work_on_ticks = 300000; /* 60 to 300 us */

/*
 * fork(): a connection is the parent's (base/own_fd.h), and so is a sync event's place among the
 * sleepers. The child's copies of such contexts would read and write the same shared memory, and
 * its engine would take the parent's events. So in the child these contexts are idle and their
 * engine does nothing: cleaning up hurts nobody. An engine without such contexts goes on, with
 * descriptors of its own.
 */

static bool has_peers(const struct doca_pe *pe)
{
	const struct list_node *node;

	if (pe->group.is_locked)
		return true; /* its unit is not in the child, and may have left it locked */
	list_for_each (node, &pe->ctxs) {
		const struct doca_ctx *ctx = container_of(node, struct doca_ctx, pe_node);

		if (ctx->ops->disown && ctx->state != DOCA_CTX_STATE_IDLE)
			return true;
	}
	return false;
}

/* A thread that is not in the child was inside: who knows what it has left half done. */
static bool is_anothers(const struct doca_pe *pe)
{
	return pe->thread && pe->thread != thread_self() && pe->thread != pe;
}

void pe_check_thread(struct doca_pe *pe)
{
	if (doca_likely(!is_anothers(pe)) || pe->has_warned)
		return;
	pe->has_warned = true;
	LOG_ERR("progress engine: two threads use it at a time; it is for one, and so are its "
		"contexts. What happens now is undefined");
}

static void disown(struct fork_watch *watch)
{
	struct doca_pe *pe = container_of(watch, struct doca_pe, fork_watch);
	struct list_node *node;

	if (!has_peers(pe) && !is_anothers(pe)) {
		priv_poll_group_renew(&pe->group);
		return;
	}
	list_for_each (node, &pe->ctxs)
		ctx_disown(container_of(node, struct doca_ctx, pe_node));
	list_init(&pe->todo);
	pe->done = NULL;
	pe->done_tail = &pe->done;
	priv_poll_group_disown(&pe->group);
	pe->is_inherited = true;
	pe->outside = pe;
	if (pe->thread != thread_self())
		pe->thread = pe;
}

/* Does a callback of it run? */
static bool is_inside(const struct doca_pe *pe)
{
	return pe->thread && pe->thread != pe;
}

void pe_connect(struct doca_pe *pe, struct doca_ctx *ctx)
{
	priv_fork_hold();
	ctx->pe = pe;
	list_add_tail(&pe->ctxs, &ctx->pe_node);
	priv_fork_release();
}

void pe_forget(struct doca_ctx *ctx)
{
	priv_fork_hold();
	list_remove(&ctx->pe_node);
	ctx->pe = NULL;
	priv_fork_release();
}

/*
 * Life
 */

doca_error_t doca_pe_create(struct doca_pe **pe)
{
	struct doca_pe *new_pe;
	doca_error_t err;

	if (!pe)
		return DOCA_ERROR_INVALID_VALUE;
	new_pe = calloc(1, sizeof(*new_pe));
	if (!new_pe)
		return DOCA_ERROR_NO_MEMORY;
	err = priv_poll_group_init(&new_pe->group);
	if (err) {
		LOG_ERR("progress engine: no epoll instance or eventfd: %s",
			doca_error_get_name(err));
		free(new_pe);
		return DOCA_ERROR_NO_MEMORY;
	}
	new_pe->done_tail = &new_pe->done;
	new_pe->row_round = UINT32_MAX / 2; /* no row, however the first calls go */
	list_init(&new_pe->ctxs);
	list_init(&new_pe->todo);
	list_init(&new_pe->graph_tasks);
	priv_fork_watch(&new_pe->fork_watch, disown);
	*pe = new_pe;
	return DOCA_SUCCESS;
}

static bool keeps_pe_alive(const struct doca_ctx *ctx)
{
	return !ctx->ops->pe_may_go_first || ctx->state != DOCA_CTX_STATE_IDLE;
}

doca_error_t doca_pe_destroy(struct doca_pe *pe)
{
	struct list_node *node;

	if (!pe)
		return DOCA_ERROR_INVALID_VALUE;
	if (is_inside(pe)) {
		LOG_ERR("progress engine cannot be destroyed inside of its doca_pe_progress()");
		return DOCA_ERROR_IN_USE;
	}
	list_for_each (node, &pe->ctxs) {
		const struct doca_ctx *ctx = container_of(node, struct doca_ctx, pe_node);

		if (keeps_pe_alive(ctx)) {
			LOG_ERR("progress engine cannot be destroyed: a %s context is connected",
				ctx->ops->name);
			return DOCA_ERROR_IN_USE;
		}
	}
	while (!list_is_empty(&pe->ctxs))
		pe_forget(container_of(pe->ctxs.next, struct doca_ctx, pe_node));
	priv_fork_unwatch(&pe->fork_watch);
	priv_poll_group_fini(&pe->group);
	free(pe);
	return DOCA_SUCCESS;
}

/*
 * A callback may be left by an exception of C++, by pthread_exit() or by a cancellation. What the
 * compiler runs then, in cleanup functions, keeps the engine going: somebody may catch it and stop
 * the contexts.
 */

struct report {
	struct doca_pe *pe;
	struct doca_task *rest; /* NULL: all have been told of */
};

/* What nobody was told of comes before what has been finished since. */
static void report_end(struct report *report)
{
	struct doca_task *last = report->rest;
	struct doca_pe *pe = report->pe;

	if (doca_likely(!last) || pe->is_inherited)
		return;
	while (last->next)
		last = last->next;
	last->next = pe->done;
	if (!pe->done)
		pe->done_tail = &last->next;
	pe->done = report->rest;
}

/* Tells the owners of finished tasks; those that their callbacks finish are for the next round. */
static void report_done(struct doca_pe *pe)
{
	__attribute__((cleanup(report_end))) struct report report = {pe, pe->done};

	pe->done = NULL;
	pe->done_tail = &pe->done;
	pe->has_told = true;
	while (report.rest && !pe->is_inherited) { /* a callback may fork */
		struct doca_task *task = report.rest;

		report.rest = task->next;
		if (!report.rest && pe->round)
			pe->round = PE_ROUND_LAST;
		task_report_status(task);
	}
}

/* whose callbacks this thread runs, and polls after them; NULL: no engine's */
static __thread struct doca_pe *calling_back __attribute__((tls_model("initial-exec")));

static void call_back_no_more(struct doca_pe *const *outer)
{
	calling_back->round = PE_ROUND_NONE;
	calling_back = *outer;
}

/* report_done() at the beginning of doca_pe_progress() */
static __attribute__((noinline)) void report_before_polls(struct doca_pe *pe)
{
	__attribute__((cleanup(call_back_no_more), unused)) struct doca_pe *outer = calling_back;

	calling_back = pe;
	pe->round = PE_ROUND_MORE;
	report_done(pe);
}

/* A callback waits, maybe for an answer: what waits for the end of the callbacks goes now. */
static __attribute__((noinline)) void put_off_no_more(struct doca_pe *pe)
{
	struct list_node *node;

	pe->round = PE_ROUND_NONE;
	list_for_each (node, &pe->ctxs)
		doca_ctx_flush_tasks(container_of(node, struct doca_ctx, pe_node));
}

void priv_pe_put_off_no_more(void)
{
	if (doca_unlikely(calling_back != NULL) && calling_back->round)
		put_off_no_more(calling_back);
}

void priv_pe_tell_done(struct doca_pe *pe)
{
	report_done(pe);
}

static __attribute__((noinline)) void sweep_garbage(struct doca_pe *pe)
{
	NO_CANCEL();

	while (pe->garbage) {
		struct pe_garbage *garbage = pe->garbage;

		pe->garbage = garbage->next;
		garbage->release(garbage);
	}
}

/* It is called inside itself, by somebody else meanwhile, or at the end of a long row. */
static __attribute__((noinline)) uint8_t refuse_progress(struct doca_pe *pe)
{
	if (!pe)
		return 0;
	pe_check_thread(pe);
	if (pe->thread == pe && !pe->is_inherited)
		pe->thread = pe->outside = NULL;
	return 0;
}

/*
 * Has each call found something for so long that the next one is to find nothing? Programs look at
 * their other descriptors when one does, and what their callbacks submit may be done at once here.
 */
static __attribute__((noinline)) bool row_is_long(struct doca_pe *pe)
{
	const uint32_t calls = pe->group.round - pe->row_round;
	const uint64_t now = clock_ticks();

	pe->row_round = pe->group.round;
	if (calls == ROW_LOOKS && now - pe->row_began < ROW_TICKS)
		return false;
	pe->row_began = now;
	return calls == ROW_LOOKS && !pe->group.is_locked; /* code of a DPA may call only once */
}

static inline void leave(struct doca_pe *const *inside)
{
	struct doca_pe *pe = *inside;

	if (pe->garbage)
		sweep_garbage(pe);
	pe->thread = pe->outside; /* in a child, by a fork in a callback: the engine */
}

/*
 * There was work, of which the program hears nothing: a part of a long copy, a wake-up. It would
 * take this call for a vain one, and may sleep. And what the polls have finished is told now.
 */
static __attribute__((noinline)) unsigned int work_on(struct doca_pe *pe)
{
	const uint64_t begin = clock_ticks();
	unsigned int done = 0, more = 1;

	while (!pe->has_told && (pe->done || (more && list_is_empty(&pe->todo) &&
					      clock_ticks() - begin < priv_pe_work_on_ticks))) {
		if (pe->done)
			report_before_polls(pe);
		more = priv_poll_group_poll(&pe->group, 1); /* also what callbacks have put off */
		done += more;
		pe->row_round++;
	}
	return done;
}

/* Returns how much there was to do; has_told is what the program is to know of it. */
static inline __attribute__((always_inline)) unsigned int make_progress(struct doca_pe *pe)
{
	__attribute__((cleanup(leave), unused)) struct doca_pe *inside = pe;
	unsigned int done = pe->done != NULL;
	uint32_t arms;
	bool was_armed;

	pe->thread = thread_self();
	pe->has_told = false;
	was_armed = pe->group.armed;
	arms = pe->group.arms;
	if (done)
		report_before_polls(pe);
	done += priv_poll_group_poll(&pe->group, done);
	if (done && doca_unlikely(!pe->has_told))
		done += work_on(pe);
	if (!list_is_empty(&pe->todo))
		done += ctx_advance_all(pe);
	/* What a callback of this call has armed may have been ended by the rest of the call. */
	if (arms != pe->group.arms)
		was_armed = !pe->group.armed && !pe->group.held;
	if (doca_unlikely(was_armed) && done && !pe->is_inherited)
		priv_poll_group_hold(&pe->group);
	if (done && doca_unlikely(++pe->works % ROW_LOOKS == 0) && row_is_long(pe))
		pe->outside = pe;
	return done;
}

/* For callers without the header, who take it for an int: Python's ctypes do, if not told. */
static inline uint8_t in_whole_register(unsigned int value)
{
	__asm__("" : "+r"(value));
	return (uint8_t)value;
}

uint8_t doca_pe_progress(struct doca_pe *pe)
{
	if (!pe || pe->thread)
		return refuse_progress(pe);
	priv_pe_put_off_no_more();
	make_progress(pe);
	return in_whole_register(pe->has_told);
}

uint8_t priv_pe_work(struct doca_pe *pe)
{
	if (!pe || pe->thread)
		return refuse_progress(pe);
	priv_pe_put_off_no_more();
	return make_progress(pe) != 0;
}

void priv_pe_discard(struct doca_pe *pe, struct pe_garbage *garbage,
		     void (*release)(struct pe_garbage *garbage))
{
	if (!pe || !is_inside(pe)) {
		release(garbage);
		return;
	}
	garbage->release = release;
	garbage->next = pe->garbage;
	pe->garbage = garbage;
}

doca_error_t doca_pe_connect_ctx(struct doca_pe *pe, struct doca_ctx *ctx)
{
	if (!pe || !ctx)
		return DOCA_ERROR_INVALID_VALUE;
	if (ctx_check_idle(ctx))
		return DOCA_ERROR_BAD_STATE;
	if (ctx->pe)
		return DOCA_ERROR_NOT_PERMITTED;
	if (!ctx->is_on_dpa) /* else it has another */
		pe_connect(pe, ctx);
	return DOCA_SUCCESS;
}

doca_error_t doca_pe_get_num_inflight_tasks(const struct doca_pe *pe, size_t *num_inflight_tasks)
{
	size_t sum = 0;
	const struct list_node *node;

	if (!pe || !num_inflight_tasks)
		return DOCA_ERROR_INVALID_VALUE;
	list_for_each (node, &pe->ctxs)
		sum += ctx_num_inflight(container_of(node, struct doca_ctx, pe_node));
	*num_inflight_tasks = sum;
	return DOCA_SUCCESS;
}

/* In a child of fork(): it does nothing there. */
static doca_error_t check_own(struct doca_pe *pe)
{
	if (doca_likely(!pe->is_inherited))
		return DOCA_SUCCESS;
	if (!pe->has_warned)
		LOG_ERR("progress engine: it belongs to the process that has forked this one");
	pe->has_warned = true;
	return DOCA_ERROR_BAD_STATE;
}

/*
 * Event mode. Every call of doca_pe_progress() works on whatever there is, cleared or not, in both
 * modes: a superset of what SELECTIVE promises, but for those who wait with EPOLLET. One that finds
 * what an armed engine was waiting for leaves its descriptor readable: the program may have called
 * it before it looked there.
 */

doca_error_t doca_pe_set_event_mode(struct doca_pe *pe, enum doca_pe_event_mode event_mode)
{
	if (!pe || (event_mode != DOCA_PE_EVENT_MODE_PROGRESS_SELECTIVE &&
		    event_mode != DOCA_PE_EVENT_MODE_PROGRESS_ALL))
		return DOCA_ERROR_INVALID_VALUE;
	pe->event_mode = event_mode;
	return DOCA_SUCCESS;
}

doca_error_t doca_pe_get_notification_handle(const struct doca_pe *pe,
					     doca_notification_handle_t *handle)
{
	if (!pe || !handle)
		return DOCA_ERROR_INVALID_VALUE;
	if (check_own((struct doca_pe *)pe)) /* none is a constant */
		return DOCA_ERROR_BAD_STATE;
	*handle = poll_group_show((struct poll_group *)&pe->group);
	return DOCA_SUCCESS;
}

doca_error_t doca_pe_request_notification(struct doca_pe *pe)
{
	if (!pe)
		return DOCA_ERROR_INVALID_VALUE;
	if (check_own(pe))
		return DOCA_ERROR_BAD_STATE;
	if (pe->event_mode == DOCA_PE_EVENT_MODE_PROGRESS_ALL)
		priv_poll_group_clear(&pe->group); /* in this mode the program does not */
	pe->row_round--; /* it is about to look elsewhere: no row goes beyond this */
	if (priv_busy_poll(&pe->group, pe->done || !list_is_empty(&pe->todo)) ||
	    !priv_poll_group_arm(&pe->group))
		priv_poll_group_hold(&pe->group);
	return DOCA_SUCCESS;
}

doca_error_t doca_pe_clear_notification(struct doca_pe *pe, doca_notification_handle_t handle)
{
	(void)handle;
	if (!pe)
		return DOCA_ERROR_INVALID_VALUE;
	if (check_own(pe))
		return DOCA_ERROR_BAD_STATE;
	priv_poll_group_clear(&pe->group);
	return DOCA_SUCCESS;
}

/*
 * The same where nobody stands between
 */

__attribute__((alias("doca_pe_create"))) doca_error_t priv_pe_create(struct doca_pe **pe);
__attribute__((alias("doca_pe_destroy"))) doca_error_t priv_pe_destroy(struct doca_pe *pe);
