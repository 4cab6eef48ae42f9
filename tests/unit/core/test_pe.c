/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The progress engine: who may connect and destroy, progress inside progress, event mode.
 * Long because every promise is a small test of its own.
 */
#include "toy.h"

#include <pthread.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>
#include "child.h"
#include "doca_log.h"
#include "readable.h"
#include "said.h"

static void fall_asleep(struct toy *toy)
{
	toy_progress(toy);
	assert_ok(doca_pe_request_notification(toy->pe));
	assert_false(pe_is_readable(toy->pe));
}

static void create_and_destroy_check_their_arguments(void **state)
{
	struct doca_pe *pe;

	(void)state;
	assert_err(doca_pe_create(NULL), INVALID_VALUE);
	assert_err(doca_pe_destroy(NULL), INVALID_VALUE);
	assert_ok(doca_pe_create(&pe));
	assert_ok(doca_pe_destroy(pe));
}

static void an_engine_with_contexts_cannot_be_destroyed(void **state)
{
	struct toy *toy = *state;

	assert_err(doca_pe_destroy(toy->pe), IN_USE);
}

static void a_context_connects_once_and_idle(void **state)
{
	struct toy *toy = *state, other;
	struct doca_pe *pe;

	assert_ok(doca_pe_create(&pe));
	assert_err(doca_pe_connect_ctx(NULL, &toy->ctx), INVALID_VALUE);
	assert_err(doca_pe_connect_ctx(pe, NULL), INVALID_VALUE);
	assert_err(doca_pe_connect_ctx(pe, &toy->ctx), NOT_PERMITTED);
	assert_err(doca_pe_connect_ctx(toy->pe, &toy->ctx), NOT_PERMITTED);
	toy->ctx.state = RUNNING;
	assert_err(doca_pe_connect_ctx(toy->pe, &toy->ctx), BAD_STATE);
	toy->ctx.state = IDLE;
	toy_init(&other);
	other.ctx.state = RUNNING; /* as one that needs no engine may be */
	assert_err(doca_pe_connect_ctx(pe, &other.ctx), BAD_STATE);
	other.ctx.state = IDLE;
	assert_ok(doca_pe_connect_ctx(pe, &other.ctx));
	assert_err(doca_pe_destroy(pe), IN_USE);
	toy_fini(&other);
	assert_ok(doca_pe_destroy(pe));
}

static void an_engine_may_go_before_a_context_that_allows_it(void **state)
{
	static const struct ctx_ops ops = {.name = "independent", .pe_may_go_first = true};
	struct doca_ctx ctx;
	struct doca_pe *pe;

	(void)state;
	assert_ok(doca_pe_create(&pe));
	priv_ctx_init(&ctx, &ops, NULL);
	assert_ok(doca_pe_connect_ctx(pe, &ctx));
	ctx.state = RUNNING;
	assert_err(doca_pe_destroy(pe), IN_USE);
	ctx.state = IDLE;
	assert_ok(doca_pe_destroy(pe));
	assert_null(ctx.pe);
	priv_ctx_fini(&ctx);
}

/*
 * Progress
 */

static void progress_tells_whether_something_happened(void **state)
{
	struct toy *toy = *state;

	assert_int_equal(doca_pe_progress(NULL), 0);
	assert_int_equal(doca_pe_progress(toy->pe), 0);
	assert_ok(doca_ctx_start(&toy->ctx));
	assert_int_equal(doca_pe_progress(toy->pe), 0);
	task_complete(&toy_send(toy)->base, DOCA_SUCCESS);
	assert_int_equal(doca_pe_progress(toy->pe), 1);
	assert_int_equal(doca_pe_progress(toy->pe), 0);
	assert_ok(doca_ctx_stop(&toy->ctx));
}

/* as Python's ctypes call it, which know no header */
int progress_as_an_int(struct doca_pe *pe) __asm__("doca_pe_progress");

static void progress_may_be_taken_for_an_int(void **state)
{
	struct toy *toy = *state;

	assert_int_equal(progress_as_an_int(NULL), 0);
	assert_ok(doca_ctx_start(&toy->ctx));
	for (int i = 0; i < 1000; i++) /* some look at the clock, and at the kernel */
		assert_int_equal(progress_as_an_int(toy->pe), 0);
	task_complete(&toy_send(toy)->base, DOCA_SUCCESS);
	assert_int_equal(progress_as_an_int(toy->pe), 1);
	assert_int_equal(progress_as_an_int(toy->pe), 0);
	assert_ok(doca_ctx_stop(&toy->ctx));
}

static void progress_inside(struct toy *toy, struct toy_task *task)
{
	assert_int_equal(doca_pe_progress(toy->pe), 0);
	assert_err(doca_pe_destroy(toy->pe), IN_USE);
	doca_task_free(&task->base);
}

static void progress_inside_a_callback_does_nothing(void **state)
{
	struct toy *toy = *state;

	toy->on_task = progress_inside;
	assert_ok(doca_ctx_start(&toy->ctx));
	task_complete(&toy_send(toy)->base, DOCA_SUCCESS);
	task_complete(&toy_send(toy)->base, DOCA_SUCCESS);
	toy_progress(toy);
	assert_int_equal(toy->completed, 2);
	assert_ok(doca_ctx_stop(&toy->ctx));
}

static void destroy_from_a_callback(struct child *parent, void *arg)
{
	struct toy *toy = arg;
	struct doca_log_backend *backend;

	(void)parent;
	assert_ok(doca_log_backend_create_with_fd_sdk(STDERR_FILENO, &backend));
	toy->on_task = progress_inside;
	assert_ok(doca_ctx_start(&toy->ctx));
	task_complete(&toy_send(toy)->base, DOCA_SUCCESS);
	toy_progress(toy);
}

static void a_callback_is_told_that_its_engine_stays(void **state)
{
	char said[SAID_SIZE];

	listen_to(destroy_from_a_callback, *state, said);
	assert_non_null(strstr(said, "cannot be destroyed inside of its doca_pe_progress()"));
}

static void *intrude(void *arg)
{
	struct toy *toy = arg;

	assert_int_equal(doca_pe_progress(toy->pe), 0);
	doca_ctx_stop(&toy->ctx);
	return NULL;
}

static void let_another_in(struct toy *toy, struct toy_task *task)
{
	pthread_t thread;

	doca_task_free(&task->base);
	assert_int_equal(pthread_create(&thread, NULL, intrude, toy), 0);
	pthread_join(thread, NULL);
}

static void progress_by_two(struct child *parent, void *arg)
{
	struct toy *toy = arg;
	struct doca_log_backend *backend;

	(void)parent;
	assert_ok(doca_log_backend_create_with_fd_sdk(STDERR_FILENO, &backend));
	toy->on_task = let_another_in;
	assert_ok(doca_ctx_start(&toy->ctx));
	task_complete(&toy_send(toy)->base, DOCA_SUCCESS);
	toy_progress(toy);
}

static void two_threads_are_told_that_it_is_for_one(void **state)
{
	char said[SAID_SIZE], *first;

	listen_to(progress_by_two, *state, said);
	first = strstr(said, "two threads use it at a time");
	assert_non_null(first);
	assert_null(strstr(first + 1, "two threads use it at a time"));
}

static void leave_once(struct toy *toy, struct toy_task *task)
{
	doca_task_free(&task->base);
	if (toy->completed % 2)
		pthread_exit(NULL); /* unwinds the stack as an exception does */
}

static void *progress_once(void *pe)
{
	doca_pe_progress(pe);
	return pe;
}

/* Returns whether the thread came back. */
static bool progress_in_a_thread(struct toy *toy)
{
	void *returned;
	pthread_t thread;

	assert_int_equal(pthread_create(&thread, NULL, progress_once, toy->pe), 0);
	assert_int_equal(pthread_join(thread, &returned), 0);
	return returned != NULL;
}

static void a_callback_that_is_left_by_unwinding_keeps_nobody_out(void **state)
{
	struct toy *toy = *state;
	unsigned int i;

	toy->on_task = leave_once;
	assert_ok(doca_ctx_start(&toy->ctx));
	for (i = 0; i < 3; i++)
		task_complete(&toy_send(toy)->base, DOCA_SUCCESS);
	assert_false(progress_in_a_thread(toy));
	assert_int_equal(toy->completed, 1);
	assert_int_equal(toy->pe->round, PE_ROUND_NONE); /* nothing is put off any more */
	task_complete(&toy_send(toy)->base, DOCA_SUCCESS);
	assert_false(progress_in_a_thread(toy)); /* the others are told, and the new one */
	assert_int_equal(toy->completed, 3);
	assert_true(progress_in_a_thread(toy));
	assert_int_equal(toy->completed, 4);
	assert_ok(doca_ctx_stop(&toy->ctx));
	toy_progress(toy);
	EXPECT_STATES(toy, RUNNING, IDLE);
}

static void inflight_tasks_are_those_of_all_contexts(void **state)
{
	struct toy *toy = *state, other;
	struct toy_task *tasks[3];
	size_t count = 99;

	toy_init(&other);
	assert_ok(doca_pe_connect_ctx(toy->pe, &other.ctx));
	assert_err(doca_pe_get_num_inflight_tasks(NULL, &count), INVALID_VALUE);
	assert_err(doca_pe_get_num_inflight_tasks(toy->pe, NULL), INVALID_VALUE);
	assert_ok(doca_ctx_start(&toy->ctx));
	assert_ok(doca_ctx_start(&other.ctx));
	tasks[0] = toy_send(toy);
	tasks[1] = toy_send(toy);
	tasks[2] = toy_send(&other);
	assert_ok(doca_pe_get_num_inflight_tasks(toy->pe, &count));
	assert_int_equal(count, 3);
	task_complete(&tasks[0]->base, DOCA_SUCCESS);
	task_complete(&tasks[1]->base, DOCA_SUCCESS);
	task_complete(&tasks[2]->base, DOCA_SUCCESS);
	toy_progress(toy);
	assert_ok(doca_pe_get_num_inflight_tasks(toy->pe, &count));
	assert_int_equal(count, 0);
	assert_ok(doca_ctx_stop(&toy->ctx));
	assert_ok(doca_ctx_stop(&other.ctx));
	toy_fini(&other);
}

/*
 * Garbage: what a callback destroys lives until progress returns
 */

struct rubbish {
	struct pe_garbage garbage;
	bool *released;
};

static void release(struct pe_garbage *garbage)
{
	struct rubbish *rubbish = container_of(garbage, struct rubbish, garbage);

	*rubbish->released = true;
	free(rubbish);
}

static bool released;

static struct rubbish *new_rubbish(void)
{
	struct rubbish *rubbish = calloc(1, sizeof(*rubbish));

	released = false;
	rubbish->released = &released;
	return rubbish;
}

static void discard_inside(struct toy *toy, struct toy_task *task)
{
	priv_pe_discard(toy->pe, &new_rubbish()->garbage, release);
	assert_false(released);
	doca_task_free(&task->base);
}

static void what_a_callback_destroys_lives_until_progress_returns(void **state)
{
	struct toy *toy = *state;

	toy->on_task = discard_inside;
	assert_ok(doca_ctx_start(&toy->ctx));
	task_complete(&toy_send(toy)->base, DOCA_SUCCESS);
	doca_pe_progress(toy->pe);
	assert_true(released);
	assert_ok(doca_ctx_stop(&toy->ctx));
	priv_pe_discard(toy->pe, &new_rubbish()->garbage, release);
	assert_true(released);
	priv_pe_discard(NULL, &new_rubbish()->garbage, release);
	assert_true(released);
}

/*
 * Event mode
 */

static void event_mode_checks_its_arguments(void **state)
{
	struct toy *toy = *state;
	doca_notification_handle_t handle;

	assert_err(doca_pe_set_event_mode(NULL, DOCA_PE_EVENT_MODE_PROGRESS_ALL), INVALID_VALUE);
	assert_err(doca_pe_set_event_mode(toy->pe, 2), INVALID_VALUE);
	assert_ok(doca_pe_set_event_mode(toy->pe, DOCA_PE_EVENT_MODE_PROGRESS_ALL));
	assert_ok(doca_pe_set_event_mode(toy->pe, DOCA_PE_EVENT_MODE_PROGRESS_SELECTIVE));
	assert_err(doca_pe_get_notification_handle(NULL, &handle), INVALID_VALUE);
	assert_err(doca_pe_get_notification_handle(toy->pe, NULL), INVALID_VALUE);
	assert_err(doca_pe_request_notification(NULL), INVALID_VALUE);
	assert_err(doca_pe_clear_notification(NULL, 0), INVALID_VALUE);
}

static void the_handle_stays_the_same(void **state)
{
	struct toy *toy = *state;
	doca_notification_handle_t first, second;

	assert_ok(doca_pe_get_notification_handle(toy->pe, &first));
	fall_asleep(toy);
	assert_ok(doca_pe_clear_notification(toy->pe, first));
	assert_ok(doca_pe_get_notification_handle(toy->pe, &second));
	assert_int_equal(first, second);
}

static void an_idle_engine_lets_sleep(void **state)
{
	struct toy *toy = *state;

	fall_asleep(toy);
	assert_ok(doca_pe_clear_notification(toy->pe, 0));
	fall_asleep(toy);
}

static void a_task_that_is_done_forbids_to_sleep(void **state)
{
	struct toy *toy = *state;

	assert_ok(doca_ctx_start(&toy->ctx));
	task_complete(&toy_send(toy)->base, DOCA_SUCCESS);
	assert_ok(doca_pe_request_notification(toy->pe));
	assert_true(pe_is_readable(toy->pe));
	assert_ok(doca_pe_clear_notification(toy->pe, 0));
	assert_int_equal(doca_pe_progress(toy->pe), 1);
	fall_asleep(toy);
	assert_ok(doca_ctx_stop(&toy->ctx));
}

static void a_task_that_gets_done_ends_the_sleep(void **state)
{
	struct toy *toy = *state;
	struct toy_task *task;

	assert_ok(doca_ctx_start(&toy->ctx));
	task = toy_send(toy);
	fall_asleep(toy);
	task_complete(&task->base, DOCA_SUCCESS);
	assert_true(pe_is_readable(toy->pe));
	assert_ok(doca_pe_clear_notification(toy->pe, 0));
	toy_progress(toy);
	assert_int_equal(toy->completed, 1);
	assert_ok(doca_ctx_stop(&toy->ctx));
}

/* for a program that calls doca_pe_progress() once, for another reason, before it waits */
static void what_a_poll_takes_in_stays_readable(void **state)
{
	struct toy *toy = *state;
	unsigned int i;

	assert_ok(doca_ctx_start(&toy->ctx));
	for (i = 1; i <= 2; i++) {
		struct toy_task *task = toy_send(toy);

		fall_asleep(toy); /* the second time that is enough */
		task_complete(&task->base, DOCA_SUCCESS);
		toy_progress(toy);
		assert_int_equal(toy->completed, i);
		assert_true(pe_is_readable(toy->pe));
		priv_poll_group_look(&toy->pe->group);
		assert_true(pe_is_readable(toy->pe));
	}
	assert_ok(doca_pe_clear_notification(toy->pe, 0));
	assert_false(pe_is_readable(toy->pe));
	doca_pe_progress(toy->pe);
	assert_false(pe_is_readable(toy->pe));
	assert_ok(doca_ctx_stop(&toy->ctx));
}

/* for one that calls it in vain, and then submits something */
static void a_poll_in_vain_leaves_the_engine_armed(void **state)
{
	struct toy *toy = *state;
	struct toy_task *task;

	assert_ok(doca_ctx_start(&toy->ctx));
	task = toy_send(toy);
	fall_asleep(toy);
	assert_int_equal(doca_pe_progress(toy->pe), 0);
	assert_false(pe_is_readable(toy->pe));
	task_complete(&task->base, DOCA_SUCCESS);
	assert_true(pe_is_readable(toy->pe));
	/* Once is enough for what follows. */
	assert_false(toy->pe->group.armed);
	toy_progress(toy);
	assert_int_equal(toy->completed, 1);
	assert_true(pe_is_readable(toy->pe));
	assert_ok(doca_pe_clear_notification(toy->pe, 0));
	assert_false(pe_is_readable(toy->pe));
	assert_ok(doca_ctx_stop(&toy->ctx));
}

static void a_state_that_may_advance_ends_the_sleep(void **state)
{
	struct toy *toy = *state;

	assert_ok(doca_ctx_start(&toy->ctx));
	priv_ctx_fail(&toy->ctx);
	fall_asleep(toy);
	priv_ctx_stopped(&toy->ctx);
	assert_true(pe_is_readable(toy->pe));
	toy_progress(toy); /* also without clear */
	assert_int_equal(toy->ctx.state, IDLE);
}

static void a_state_that_may_advance_forbids_to_sleep(void **state)
{
	struct toy *toy = *state;

	assert_ok(doca_ctx_start(&toy->ctx));
	priv_ctx_fail(&toy->ctx);
	priv_ctx_stopped(&toy->ctx);
	assert_ok(doca_pe_request_notification(toy->pe));
	assert_true(pe_is_readable(toy->pe));
	toy_progress(toy);
	assert_int_equal(toy->ctx.state, IDLE);
}

static void arm_inside(struct toy *toy, struct toy_task *task)
{
	assert_ok(doca_pe_request_notification(toy->pe));
	doca_task_free(&task->base);
	if (toy->completed == 1) /* done while the engine is armed and being polled */
		task_complete(&toy_send(toy)->base, DOCA_SUCCESS);
}

static void a_callback_may_arm(void **state)
{
	struct toy *toy = *state;

	toy->on_task = arm_inside;
	assert_ok(doca_ctx_start(&toy->ctx));
	task_complete(&toy_send(toy)->base, DOCA_SUCCESS);
	doca_pe_progress(toy->pe);
	assert_int_equal(toy->completed, 1);
	/* The second one is not lost, whether the program waits or not. */
	assert_ok(doca_pe_request_notification(toy->pe));
	assert_true(pe_is_readable(toy->pe));
	toy_progress(toy);
	assert_int_equal(toy->completed, 2);
	assert_ok(doca_ctx_stop(&toy->ctx));
}

/* exit status: which step was wrong */
static void be_a_child(struct child *parent, void *arg)
{
	struct toy *toy = arg;
	bool disowned = toy->ctx.ops->disown;
	doca_notification_handle_t handle;

	(void)parent;
	if (toy->ctx.state != (disowned ? IDLE : RUNNING))
		_exit(1);
	if (doca_pe_get_notification_handle(toy->pe, &handle) !=
	    (disowned ? DOCA_ERROR_BAD_STATE : DOCA_SUCCESS))
		_exit(2);
	if (doca_pe_progress(toy->pe) != !disowned)
		_exit(3);
	if (toy->completed != (disowned ? 0 : 1))
		_exit(4);
	if (toy->stops)
		_exit(5);
}

static void run_with_a_finished_task(struct toy *toy)
{
	toy->start_answer = DOCA_SUCCESS;
	assert_ok(doca_ctx_start(&toy->ctx));
	task_complete(&toy_send(toy)->base, DOCA_SUCCESS);
}

static void what_has_no_peers_goes_on_in_a_forked_child(void **state)
{
	struct toy *toy = *state;
	struct child child;

	run_with_a_finished_task(toy);
	child = child_start(be_a_child, toy);
	assert_int_equal(child_join(&child), 0);
	toy_progress(toy);
	assert_ok(doca_ctx_stop(&toy->ctx));
}

static void raise_its_own(struct child *parent, void *arg)
{
	struct toy *toy = arg;

	(void)parent;
	task_complete(&toy_send(toy)->base, DOCA_SUCCESS);
	if (doca_pe_request_notification(toy->pe) || !pe_is_readable(toy->pe))
		_exit(1);
}

/* Each of the two has events of its own. */
static void a_forked_child_wakes_nobody_but_itself(void **state)
{
	struct toy *toy = *state;
	struct child child;

	toy->start_answer = DOCA_SUCCESS;
	assert_ok(doca_ctx_start(&toy->ctx));
	child = child_start(raise_its_own, toy);
	assert_int_equal(child_join(&child), 0);
	assert_false(pe_is_readable(toy->pe));
	task_complete(&toy_send(toy)->base, DOCA_SUCCESS);
	assert_ok(doca_pe_request_notification(toy->pe));
	assert_true(pe_is_readable(toy->pe));
	assert_ok(doca_pe_clear_notification(toy->pe, 0));
	toy_progress(toy);
	assert_ok(doca_ctx_stop(&toy->ctx));
}

static void so_does_one_of_a_parent_without_free_descriptors(void **state)
{
	struct toy *toy = *state;
	struct rlimit before, full;
	int status, next = dup(STDERR_FILENO), pid;

	close(next);
	assert_int_equal(getrlimit(RLIMIT_NOFILE, &before), 0);
	full = (struct rlimit){.rlim_cur = (rlim_t)next, .rlim_max = before.rlim_max};
	assert_ok(doca_ctx_start(&toy->ctx));
	assert_int_equal(setrlimit(RLIMIT_NOFILE, &full), 0);
	pid = fork();
	if (!pid) {
		raise_its_own(NULL, toy);
		_exit(0);
	}
	assert_int_equal(setrlimit(RLIMIT_NOFILE, &before), 0);
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_int_equal(status, 0);
	assert_false(pe_is_readable(toy->pe));
	assert_ok(doca_ctx_stop(&toy->ctx));
}

static void disown_toy(struct doca_ctx *ctx)
{
	(void)ctx;
}

static void what_has_peers_is_idle_in_a_forked_child(void **state)
{
	struct toy *toy = *state;
	struct ctx_ops ops = toy_ops;
	struct child child;

	ops.disown = disown_toy;
	toy->ctx.ops = &ops;
	run_with_a_finished_task(toy);
	child = child_start(be_a_child, toy);
	assert_int_equal(child_join(&child), 0);
	assert_int_equal(toy->ctx.state, RUNNING);
	toy_progress(toy);
	assert_int_equal(toy->completed, 1);
	assert_ok(doca_ctx_stop(&toy->ctx));
	toy->ctx.ops = &toy_ops;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(create_and_destroy_check_their_arguments),
		TEST(an_engine_with_contexts_cannot_be_destroyed),
		TEST(a_context_connects_once_and_idle),
		TEST(an_engine_may_go_before_a_context_that_allows_it),
		TEST(progress_tells_whether_something_happened),
		TEST(progress_may_be_taken_for_an_int),
		TEST(progress_inside_a_callback_does_nothing),
		TEST(a_callback_is_told_that_its_engine_stays),
		TEST(two_threads_are_told_that_it_is_for_one),
		TEST(a_callback_that_is_left_by_unwinding_keeps_nobody_out),
		TEST(inflight_tasks_are_those_of_all_contexts),
		TEST(what_a_callback_destroys_lives_until_progress_returns),
		TEST(event_mode_checks_its_arguments),
		TEST(the_handle_stays_the_same),
		TEST(an_idle_engine_lets_sleep),
		TEST(a_task_that_is_done_forbids_to_sleep),
		TEST(a_task_that_gets_done_ends_the_sleep),
		TEST(what_a_poll_takes_in_stays_readable),
		TEST(a_poll_in_vain_leaves_the_engine_armed),
		TEST(a_state_that_may_advance_ends_the_sleep),
		TEST(a_state_that_may_advance_forbids_to_sleep),
		TEST(a_callback_may_arm),
		TEST(what_has_no_peers_goes_on_in_a_forked_child),
		TEST(a_forked_child_wakes_nobody_but_itself),
		TEST(so_does_one_of_a_parent_without_free_descriptors),
		TEST(what_has_peers_is_idle_in_a_forked_child),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
