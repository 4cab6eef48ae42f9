/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Contexts with their data path on the DPA, on an engine that the test has: whose lock is held
 * when, what the program is told, and that stopping ends by itself.
 */
#include "toy.h"

#include <sys/wait.h>
#include <unistd.h>
#include "base/clock.h"
#include "core/dpa_hook.h"

static struct dpa_engine engine;
static doca_error_t attach_answer, datapath_answer;
static unsigned int attached, wakes;
static struct doca_dpa *datapath;

static bool is_child; /* where the lock is what it was in the parent */

static bool is_locked(void)
{
	if (is_child)
		return false;
	if (pthread_mutex_trylock(&engine.lock))
		return true;
	pthread_mutex_unlock(&engine.lock);
	return false;
}

static void wake(struct dpa_engine *woken)
{
	assert_ptr_equal(woken, &engine);
	assert_false(is_locked());
	wakes++;
}

static doca_error_t set_datapath(struct doca_ctx *ctx, struct doca_dpa *dpa)
{
	(void)ctx;
	if (!datapath_answer)
		datapath = dpa;
	return datapath_answer;
}

static doca_error_t attach(struct doca_ctx *ctx, struct dpa_engine **ret_engine)
{
	assert_null(ctx->pe);
	assert_false(is_locked());
	if (attach_answer)
		return attach_answer;
	attached++;
	*ret_engine = &engine;
	return DOCA_SUCCESS;
}

static void detach(struct doca_ctx *ctx)
{
	assert_int_equal(ctx->state, IDLE);
	assert_null(ctx->pe);
	assert_false(is_locked());
	attached--;
}

static void expect_engine(const struct doca_ctx *ctx)
{
	assert_int_equal(is_locked(), ctx->is_on_dpa);
	if (ctx->is_on_dpa)
		assert_ptr_equal(ctx->pe, engine.pe);
}

static doca_error_t start(struct doca_ctx *ctx)
{
	expect_engine(ctx);
	return toy_start(ctx);
}

static doca_error_t stop_toy(struct doca_ctx *ctx)
{
	expect_engine(ctx);
	return toy_stop(ctx);
}

static void idle(struct doca_ctx *ctx)
{
	expect_engine(ctx);
	toy_idle(ctx);
}

static void flush(struct doca_ctx *ctx)
{
	assert_true(is_locked());
	toy_flush(ctx);
}

static const struct ctx_ops ops = {
	.name = "toy on the DPA",
	.check = toy_check,
	.start = start,
	.stop = stop_toy,
	.idle = idle,
	.flush = flush,
	.set_datapath_on_dpa = set_datapath,
	.attach_engine = attach,
	.detach_engine = detach,
};

static int setup(void **state)
{
	struct toy *toy;

	assert_ok(doca_pe_create(&engine.pe));
	engine.pe->group.is_locked = true;
	pthread_mutex_init(&engine.lock, NULL);
	engine.is_asleep = false;
	engine.wake = wake;
	attach_answer = datapath_answer = DOCA_SUCCESS;
	attached = wakes = 0;
	datapath = NULL;
	toy_setup(state);
	toy = *state;
	toy->ctx.ops = &ops;
	return 0;
}

static int teardown(void **state)
{
	if (toy_teardown(state) || attached || doca_pe_destroy(engine.pe))
		return -1;
	return pthread_mutex_destroy(&engine.lock);
}

#define DPA ((struct doca_dpa *)&engine)

static void put_on_dpa(struct toy *toy)
{
	assert_ok(doca_ctx_set_datapath_on_dpa(&toy->ctx, DPA));
	assert_ptr_equal(datapath, DPA);
}

static void the_datapath_is_chosen_in_idle(void **state)
{
	struct toy *toy = *state;

	assert_err(doca_ctx_set_datapath_on_dpa(NULL, DPA), INVALID_VALUE);
	assert_err(doca_ctx_set_datapath_on_dpa(&toy->ctx, NULL), INVALID_VALUE);
	assert_ok(doca_ctx_start(&toy->ctx));
	assert_err(doca_ctx_set_datapath_on_dpa(&toy->ctx, DPA), BAD_STATE);
	assert_ok(doca_ctx_stop(&toy->ctx));
	assert_null(datapath);
}

static void a_refused_datapath_changes_nothing(void **state)
{
	struct toy *toy = *state;

	datapath_answer = DOCA_ERROR_INVALID_VALUE;
	assert_err(doca_ctx_set_datapath_on_dpa(&toy->ctx, DPA), INVALID_VALUE);
	assert_ptr_equal(toy->ctx.pe, toy->pe);
	assert_false(toy->ctx.is_on_dpa);
}

static void it_needs_no_progress_engine_of_the_program(void **state)
{
	struct toy *toy = *state;

	put_on_dpa(toy);
	assert_null(toy->ctx.pe);
	assert_ok(doca_pe_connect_ctx(toy->pe, &toy->ctx)); /* has no effect */
	assert_ok(doca_ctx_start(&toy->ctx));
	EXPECT_STATES(toy, RUNNING);
	assert_int_equal(attached, 1);
	assert_err(doca_ctx_start(&toy->ctx), BAD_STATE);
	assert_err(priv_ctx_check_destroy(&toy->ctx), IN_USE);
	assert_ok(doca_ctx_stop(&toy->ctx));
	EXPECT_STATES(toy, RUNNING, IDLE);
	assert_int_equal(attached, 0);
	assert_int_equal(toy->idles, 1);
	assert_ok(priv_ctx_check_destroy(&toy->ctx));
	assert_ok(doca_ctx_stop(&toy->ctx));
	assert_int_equal(toy->stops, 1);
}

static void a_failed_start_lets_the_engine_go(void **state)
{
	struct toy *toy = *state;

	put_on_dpa(toy);
	toy->check_answer = DOCA_ERROR_BAD_STATE;
	assert_err(doca_ctx_start(&toy->ctx), BAD_STATE);
	toy->check_answer = DOCA_SUCCESS;
	attach_answer = DOCA_ERROR_FULL;
	assert_err(doca_ctx_start(&toy->ctx), INITIALIZATION);
	attach_answer = DOCA_SUCCESS;
	assert_int_equal(toy->starts, 0);
	toy->start_answer = DOCA_ERROR_NO_MEMORY;
	assert_err(doca_ctx_start(&toy->ctx), NO_MEMORY);
	assert_int_equal(attached, 0);
	assert_null(toy->ctx.pe);
	assert_int_equal(toy->state_count, 0);
}

static void a_sleeping_unit_is_woken(void **state)
{
	struct toy *toy = *state;

	put_on_dpa(toy);
	engine.is_asleep = true;
	assert_ok(doca_ctx_start(&toy->ctx));
	assert_int_not_equal(wakes, 0);
	assert_ok(doca_ctx_stop(&toy->ctx));
}

static void flushing_takes_the_lock(void **state)
{
	struct toy *toy = *state;

	put_on_dpa(toy);
	doca_ctx_flush_tasks(&toy->ctx);
	assert_ok(doca_ctx_start(&toy->ctx));
	assert_int_equal(toy->flushes, 0);
	doca_ctx_flush_tasks(&toy->ctx);
	assert_int_equal(toy->flushes, 1);
	assert_ok(doca_ctx_stop(&toy->ctx));
}

/* a poller of the context that finishes its stopping */
struct finisher {
	struct poller poller;
	struct doca_ctx *ctx;
	unsigned int vain_polls; /* before */
	unsigned int works_at;	 /* one of them that is not in vain; 0: none */
};

static unsigned int finish(struct poller *poller)
{
	struct finisher *finisher = container_of(poller, struct finisher, poller);

	assert_true(is_locked());
	if (finisher->ctx->state != STOPPING)
		return 0;
	if (finisher->vain_polls) {
		finisher->vain_polls--;
		return finisher->vain_polls + 1 == finisher->works_at;
	}
	priv_ctx_stopped(finisher->ctx);
	return 1;
}

static void stop_after_vain_polls(struct toy *toy, unsigned int vain_polls, unsigned int works_at)
{
	static const struct poller_ops finisher_ops = {.poll = finish};
	struct finisher finisher = {.poller = {.ops = &finisher_ops},
				    .ctx = &toy->ctx,
				    .vain_polls = vain_polls,
				    .works_at = works_at};

	put_on_dpa(toy);
	assert_ok(doca_ctx_start(&toy->ctx));
	priv_poll_group_add(&engine.pe->group, &finisher.poller);
	toy->stop_answer = DOCA_ERROR_IN_PROGRESS;
	priv_clock_virtual.on = true;
	assert_ok(doca_ctx_stop(&toy->ctx));
	priv_clock_virtual.on = false;
	EXPECT_STATES(toy, RUNNING, IDLE);
	priv_poll_group_remove(&finisher.poller);
}

/* However often it is looked for: time decides, and stands still here. */
static void a_stop_that_takes_time_is_waited_for(void **state)
{
	stop_after_vain_polls(*state, 10000, 0);
}

/*
 * Time passes while everything is frozen, or has used up what a container may have of the CPU.
 * After work it is waited for as long again.
 */
static void time_alone_does_not_end_the_wait(void **state)
{
	priv_clock_virtual.step_ns = 1000000000;
	stop_after_vain_polls(*state, 1500, 750);
	priv_clock_virtual.step_ns = 0;
}

static void a_stop_that_nobody_finishes_can_be_asked_again(void **state)
{
	struct toy *toy = *state;

	put_on_dpa(toy);
	assert_ok(doca_ctx_start(&toy->ctx));
	toy->stop_answer = DOCA_ERROR_IN_PROGRESS;
	assert_err(doca_ctx_stop(&toy->ctx), IN_PROGRESS);
	assert_err(doca_ctx_stop(&toy->ctx), IN_PROGRESS);
	EXPECT_STATES(toy, RUNNING, STOPPING);
	priv_ctx_stopped(&toy->ctx);
	assert_ok(doca_ctx_stop(&toy->ctx));
	EXPECT_STATES(toy, RUNNING, STOPPING, IDLE);
	assert_int_equal(toy->stops, 1);
}

static void a_refused_stop_goes_on(void **state)
{
	struct toy *toy = *state;

	put_on_dpa(toy);
	assert_ok(doca_ctx_start(&toy->ctx));
	toy->stop_answer = DOCA_ERROR_IN_USE;
	assert_err(doca_ctx_stop(&toy->ctx), IN_USE);
	EXPECT_STATES(toy, RUNNING);
	assert_int_equal(attached, 1);
	toy->stop_answer = DOCA_SUCCESS;
	assert_ok(doca_ctx_stop(&toy->ctx));
}

static void start_again(struct toy *toy, enum doca_ctx_states next)
{
	assert_false(is_locked());
	if (next == IDLE && toy->starts == 1)
		assert_ok(doca_ctx_start(&toy->ctx));
}

static void the_callback_may_start_again(void **state)
{
	struct toy *toy = *state;

	put_on_dpa(toy);
	toy->on_state = start_again;
	assert_ok(doca_ctx_start(&toy->ctx));
	assert_ok(doca_ctx_stop(&toy->ctx));
	EXPECT_STATES(toy, RUNNING, IDLE, RUNNING);
	assert_ok(doca_ctx_stop(&toy->ctx));
}

static void what_the_unit_has_stopped_can_start_again(void **state)
{
	struct toy *toy = *state;

	put_on_dpa(toy);
	assert_ok(doca_ctx_start(&toy->ctx));
	dpa_engine_lock(&engine);
	priv_ctx_fail(&toy->ctx);
	priv_ctx_stopped(&toy->ctx);
	assert_int_equal(doca_pe_progress(engine.pe), 1);
	dpa_engine_unlock(&engine);
	EXPECT_STATES(toy, RUNNING); /* units tell nobody */
	assert_int_equal(attached, 1);
	assert_ok(doca_ctx_stop(&toy->ctx));
	assert_int_equal(attached, 0);
}

static void a_child_of_fork_can_clean_up(void **state)
{
	struct toy *toy = *state;
	int status = -1;
	pid_t child;

	put_on_dpa(toy);
	assert_ok(doca_ctx_start(&toy->ctx));
	dpa_engine_lock(&engine); /* as a unit of the parent may have it */
	child = fork();
	assert_return_code(child, 0);
	is_child = !child;
	if (!child)
		_exit(doca_ctx_stop(&toy->ctx) != DOCA_SUCCESS || attached ||
		      doca_ctx_start(&toy->ctx) != DOCA_ERROR_NOT_CONNECTED || attached);
	dpa_engine_unlock(&engine);
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_int_equal(status, 0);
	assert_ok(doca_ctx_stop(&toy->ctx));
}

#undef TEST
#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(the_datapath_is_chosen_in_idle),
		TEST(a_refused_datapath_changes_nothing),
		TEST(it_needs_no_progress_engine_of_the_program),
		TEST(a_failed_start_lets_the_engine_go),
		TEST(a_sleeping_unit_is_woken),
		TEST(flushing_takes_the_lock),
		TEST(a_stop_that_takes_time_is_waited_for),
		TEST(time_alone_does_not_end_the_wait),
		TEST(a_stop_that_nobody_finishes_can_be_asked_again),
		TEST(a_refused_stop_goes_on),
		TEST(the_callback_may_start_again),
		TEST(what_the_unit_has_stopped_can_start_again),
		TEST(a_child_of_fork_can_clean_up),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
