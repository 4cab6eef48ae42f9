/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Tasks of sync events: the counter by task, waiting in polled and in event mode, stopping, owners
 * that go away. Long because a wait can end in so many ways, and all of them need the same rig.
 */
#include <fcntl.h>
#include <poll.h>
#include <stdbool.h>
#include <sys/wait.h>
#include <unistd.h>
#include "memtest.h"
#include "child.h"
#include "doca_ctx.h"
#include "doca_pe.h"
#include "core/sync_event.h"
#include "readable.h"

#define TASKS 3

struct rig {
	struct doca_dev *dev;
	struct doca_pe *pe;
	struct doca_sync_event *event;
	struct doca_ctx *ctx;
	unsigned int done, failed;
	doca_error_t status; /* of the last one */
	uint64_t last;	     /* its user data */
	struct doca_task *resubmit;
	bool stop_in_callback;
};

static void note(struct rig *rig, struct doca_task *task, union doca_data user_data)
{
	rig->status = doca_task_get_status(task);
	rig->last = user_data.u64;
	if (rig->stop_in_callback) {
		rig->stop_in_callback = false;
		assert_err(doca_ctx_stop(rig->ctx), IN_PROGRESS);
	}
	if (rig->resubmit == task) {
		rig->resubmit = NULL;
		assert_ok(doca_task_submit(task));
	}
}

#define CALLBACKS(kind)                                                                            \
	static void kind##_done(struct doca_sync_event_task_##kind *task, union doca_data user,    \
				union doca_data ctx)                                               \
	{                                                                                          \
		((struct rig *)ctx.ptr)->done++;                                                   \
		note(ctx.ptr, doca_sync_event_task_##kind##_as_doca_task(task), user);             \
	}                                                                                          \
	static void kind##_failed(struct doca_sync_event_task_##kind *task, union doca_data user,  \
				  union doca_data ctx)                                             \
	{                                                                                          \
		((struct rig *)ctx.ptr)->failed++;                                                 \
		note(ctx.ptr, doca_sync_event_task_##kind##_as_doca_task(task), user);             \
	}
CALLBACKS(get)
CALLBACKS(notify_set)
CALLBACKS(notify_add)
CALLBACKS(wait_gt)
CALLBACKS(wait_eq)
CALLBACKS(wait_neq)

static void enable_all(struct rig *rig)
{
	assert_ok(doca_sync_event_task_get_set_conf(rig->event, get_done, get_failed, TASKS));
	assert_ok(doca_sync_event_task_notify_set_set_conf(rig->event, notify_set_done,
							   notify_set_failed, TASKS));
	assert_ok(doca_sync_event_task_notify_add_set_conf(rig->event, notify_add_done,
							   notify_add_failed, TASKS));
	assert_ok(doca_sync_event_task_wait_gt_set_conf(rig->event, wait_gt_done, wait_gt_failed,
							TASKS));
	assert_ok(doca_sync_event_task_wait_eq_set_conf(rig->event, wait_eq_done, wait_eq_failed,
							TASKS));
	assert_ok(doca_sync_event_task_wait_neq_set_conf(rig->event, wait_neq_done, wait_neq_failed,
							 TASKS));
}

/* Takes the event, which is not started, and connects it. */
static void adopt(struct rig *rig, struct doca_sync_event *event)
{
	rig->event = event;
	rig->ctx = doca_sync_event_as_ctx(event);
	assert_ok(doca_pe_connect_ctx(rig->pe, rig->ctx));
	assert_ok(doca_ctx_set_user_data(rig->ctx, (union doca_data){.ptr = rig}));
	enable_all(rig);
}

static int set_up_devices(void **state)
{
	struct rig *rig = calloc(1, sizeof(*rig));

	rig->dev = open_dev("b1:00.0");
	assert_ok(doca_pe_create(&rig->pe));
	*state = rig;
	return 0;
}

static int set_up(void **state)
{
	struct doca_sync_event *event;
	struct rig *rig;

	set_up_devices(state);
	rig = *state;
	assert_ok(doca_sync_event_create(&event));
	assert_ok(doca_sync_event_add_publisher_location_cpu(event, rig->dev));
	assert_ok(doca_sync_event_add_subscriber_location_cpu(event, rig->dev));
	adopt(rig, event);
	assert_ok(doca_ctx_start(rig->ctx));
	return 0;
}

static void progress(struct rig *rig)
{
	while (doca_pe_progress(rig->pe))
		;
}

static int tear_down(void **state)
{
	struct rig *rig = *state;
	enum doca_ctx_states ctx_state;

	doca_ctx_stop(rig->ctx);
	progress(rig);
	assert_ok(doca_ctx_get_state(rig->ctx, &ctx_state));
	assert_int_equal(ctx_state, DOCA_CTX_STATE_IDLE);
	assert_ok(doca_sync_event_destroy(rig->event));
	assert_ok(doca_pe_destroy(rig->pe));
	assert_ok(doca_dev_close(rig->dev));
	free(rig);
	return 0;
}

/* A wait with the value as its user data. */
static struct doca_task *new_wait_eq(struct rig *rig, uint64_t value)
{
	struct doca_sync_event_task_wait_eq *task;

	assert_ok(doca_sync_event_task_wait_eq_alloc_init(rig->event, value, UINT64_MAX,
							  (union doca_data){.u64 = value}, &task));
	return doca_sync_event_task_wait_eq_as_doca_task(task);
}

static void configuration_is_checked(void **state)
{
	struct rig *rig = *state;
	struct doca_sync_event_task_wait_eq *task;
	struct doca_sync_event_task_get *get;
	const union doca_data none = {0};

	assert_err(doca_sync_event_task_get_set_conf(rig->event, get_done, get_failed, 1),
		   BAD_STATE);
	assert_ok(doca_ctx_stop(rig->ctx));
	assert_err(doca_sync_event_task_get_set_conf(NULL, get_done, get_failed, 1), INVALID_VALUE);
	assert_err(doca_sync_event_task_get_set_conf(rig->event, NULL, get_failed, 1),
		   INVALID_VALUE);
	assert_err(doca_sync_event_task_get_set_conf(rig->event, get_done, NULL, 1), INVALID_VALUE);
	assert_err(doca_sync_event_task_get_set_conf(rig->event, get_done, get_failed, 0),
		   INVALID_VALUE);
	assert_err(doca_sync_event_task_get_set_conf(rig->event, get_done, get_failed, UINT32_MAX),
		   INVALID_VALUE);
	assert_err(doca_sync_event_task_wait_eq_alloc_init(rig->event, 0, 0, none, &task),
		   BAD_STATE);
	assert_ok(doca_ctx_start(rig->ctx));
	assert_err(doca_sync_event_task_wait_eq_alloc_init(NULL, 0, 0, none, &task), INVALID_VALUE);
	assert_err(doca_sync_event_task_wait_eq_alloc_init(rig->event, 0, 0, none, NULL),
		   INVALID_VALUE);
	assert_err(doca_sync_event_task_get_alloc_init(rig->event, NULL, none, &get),
		   INVALID_VALUE);
	for (int i = 0; i < TASKS; i++)
		assert_ok(doca_sync_event_task_wait_eq_alloc_init(rig->event, 0, 0, none, &task));
	assert_err(doca_sync_event_task_wait_eq_alloc_init(rig->event, 0, 0, none, &task),
		   NO_MEMORY);
}

static void the_counter_by_task(void **state)
{
	struct rig *rig = *state;
	struct doca_sync_event_task_notify_set *set;
	struct doca_sync_event_task_notify_add *add;
	struct doca_sync_event_task_get *get;
	uint64_t fetched = 0, value = 0;
	const union doca_data seven = {.u64 = 7};

	assert_ok(doca_sync_event_task_notify_set_alloc_init(rig->event, 5, seven, &set));
	assert_ok(doca_task_submit(doca_sync_event_task_notify_set_as_doca_task(set)));
	assert_int_equal(rig->done, 0); /* callbacks come from progress only */
	assert_int_equal(doca_pe_progress(rig->pe), 1);
	assert_int_equal(rig->done, 1);
	assert_int_equal(rig->last, 7);

	assert_ok(doca_sync_event_task_notify_add_alloc_init(rig->event, 2, &fetched, seven, &add));
	assert_ok(doca_task_submit(doca_sync_event_task_notify_add_as_doca_task(add)));
	progress(rig);
	assert_int_equal(fetched, 5);

	assert_ok(doca_sync_event_task_get_alloc_init(rig->event, &value, seven, &get));
	assert_ok(doca_task_submit(doca_sync_event_task_get_as_doca_task(get)));
	progress(rig);
	assert_int_equal(value, 7);
	assert_int_equal(rig->done, 3);
	assert_ok(rig->status);

	doca_task_free(doca_sync_event_task_notify_set_as_doca_task(set));
	doca_task_free(doca_sync_event_task_notify_add_as_doca_task(add));
	doca_task_free(doca_sync_event_task_get_as_doca_task(get));
}

static void waits_end_in_the_order_of_their_values(void **state)
{
	struct rig *rig = *state;
	struct doca_task *two = new_wait_eq(rig, 2);
	struct doca_task *one = new_wait_eq(rig, 1);

	assert_ok(doca_task_submit(two));
	assert_ok(doca_task_submit(one));
	assert_int_equal(doca_pe_progress(rig->pe), 0);
	assert_ok(doca_sync_event_update_set(rig->event, 1));
	assert_int_equal(doca_pe_progress(rig->pe), 1);
	assert_int_equal(rig->last, 1);
	assert_ok(doca_sync_event_update_add(rig->event, 1, NULL));
	assert_int_equal(doca_pe_progress(rig->pe), 1);
	assert_int_equal(rig->last, 2);
	assert_int_equal(rig->done, 2);
	doca_task_free(one);
	doca_task_free(two);
}

static void all_three_kinds_wait(void **state)
{
	struct rig *rig = *state;
	struct doca_sync_event_task_wait_gt *gt;
	struct doca_sync_event_task_wait_neq *neq;
	struct doca_task *tasks[2];

	assert_ok(doca_sync_event_task_wait_gt_alloc_init(rig->event, 2, 0xf,
							  (union doca_data){.u64 = 2}, &gt));
	assert_ok(doca_sync_event_task_wait_neq_alloc_init(rig->event, 0, 0xf,
							   (union doca_data){.u64 = 1}, &neq));
	tasks[0] = doca_sync_event_task_wait_gt_as_doca_task(gt);
	tasks[1] = doca_sync_event_task_wait_neq_as_doca_task(neq);
	for (int i = 0; i < 2; i++)
		assert_ok(doca_task_submit(tasks[i]));
	assert_ok(doca_sync_event_update_set(rig->event, 0x10)); /* masked out */
	assert_int_equal(doca_pe_progress(rig->pe), 0);
	assert_ok(doca_sync_event_update_set(rig->event, 0x12));
	progress(rig);
	assert_int_equal(rig->done, 1);
	assert_int_equal(rig->last, 1);
	assert_ok(doca_sync_event_update_set(rig->event, 0x13));
	progress(rig);
	assert_int_equal(rig->done, 2);
	for (int i = 0; i < 2; i++)
		doca_task_free(tasks[i]);
}

static void callbacks_may_resubmit(void **state)
{
	struct rig *rig = *state;
	struct doca_task *task = new_wait_eq(rig, 0); /* holds already */

	rig->resubmit = task;
	assert_ok(doca_task_submit(task));
	progress(rig);
	assert_int_equal(rig->done, 2);
	doca_task_free(task);
}

static void a_change_wakes_a_sleeping_engine(void **state)
{
	struct rig *rig = *state;
	struct doca_task *task = new_wait_eq(rig, 2);

	assert_ok(doca_task_submit(task));
	progress(rig);
	for (int i = 0; i < 2; i++) {
		assert_ok(doca_pe_request_notification(rig->pe));
		assert_false(pe_is_readable(rig->pe));
		assert_ok(doca_sync_event_update_add(rig->event, 1, NULL));
		assert_true(pe_is_readable(rig->pe)); /* the first time for nothing */
		assert_ok(doca_pe_clear_notification(rig->pe, 0));
		progress(rig);
		assert_int_equal(rig->done, i);
	}
	doca_task_free(task);
}

static void no_change_is_missed_before_the_sleep(void **state)
{
	struct rig *rig = *state;
	struct doca_task *task = new_wait_eq(rig, 2);

	assert_ok(doca_pe_request_notification(rig->pe));
	assert_false(pe_is_readable(rig->pe));
	assert_ok(doca_task_submit(task)); /* between asking and sleeping */
	assert_true(pe_is_readable(rig->pe));
	assert_ok(doca_pe_clear_notification(rig->pe, 0));
	progress(rig);
	assert_ok(doca_sync_event_update_set(rig->event, 2)); /* before asking */
	assert_ok(doca_pe_request_notification(rig->pe));
	assert_true(pe_is_readable(rig->pe));
	assert_ok(doca_pe_clear_notification(rig->pe, 0));
	progress(rig);
	assert_int_equal(rig->done, 1);
	doca_task_free(task);
}

/* sleeps until the notification comes, and works */
static void sleep_armed(struct rig *rig)
{
	struct pollfd pollfd = {.events = POLLIN};

	assert_ok(doca_pe_get_notification_handle(rig->pe, &pollfd.fd));
	assert_int_equal(poll(&pollfd, 1, 10000), 1);
	assert_ok(doca_pe_clear_notification(rig->pe, 0));
	progress(rig);
}

static void sleep_once(struct rig *rig)
{
	assert_ok(doca_pe_request_notification(rig->pe));
	sleep_armed(rig);
}

static void an_engine_that_finds_no_place_looks_now_and_then(void **state)
{
	struct rig *rig = *state;
	struct doca_task *task = new_wait_eq(rig, 1);
	struct event_sleeper others[EVENT_SLEEPERS];

	for (int i = 0; i < EVENT_SLEEPERS; i++) {
		assert_ok(event_sleeper_open(&others[i]));
		assert_true(event_sleeper_arm(&others[i], &rig->event->cell));
	}
	assert_ok(doca_task_submit(task));
	progress(rig);
	assert_ok(doca_pe_request_notification(rig->pe));
	assert_false(rig->event->sleepless);
	assert_int_equal(rig->event->cell.crowd, 1);
	for (int i = 0; i < 10; i++)
		sleep_once(rig);
	assert_int_equal(rig->done, 0);
	assert_ok(doca_sync_event_update_set(rig->event, 1));
	sleep_once(rig);
	assert_int_equal(rig->done, 1);
	/* nor does it look when it has nothing to wait for, or stops */
	assert_ok(doca_pe_request_notification(rig->pe));
	assert_int_equal(rig->event->cell.crowd, 0);
	assert_ok(doca_sync_event_update_set(rig->event, 0));
	assert_ok(doca_task_submit(task));
	assert_ok(doca_pe_request_notification(rig->pe));
	assert_int_equal(rig->event->cell.crowd, 1);
	for (int i = 0; i < EVENT_SLEEPERS; i++) {
		event_sleeper_disarm(&others[i], &rig->event->cell);
		event_sleeper_close(&others[i]);
	}
	assert_err(doca_ctx_stop(rig->ctx), IN_PROGRESS);
	assert_int_equal(rig->event->cell.crowd, 0);
	doca_task_free(task);
}

static void freed_waits_are_forgotten(void **state)
{
	struct rig *rig = *state;
	struct doca_task *task = new_wait_eq(rig, 5);

	assert_ok(doca_task_submit(task));
	doca_task_free(task);
	progress(rig);
	assert_ok(doca_sync_event_update_set(rig->event, 5));
	progress(rig);
	assert_int_equal(rig->done + rig->failed, 0);
	for (int i = 0; i < TASKS; i++) /* it went back to the others */
		new_wait_eq(rig, 0);
	assert_ok(doca_ctx_stop(rig->ctx));
}

static void stopping_flushes_waits(void **state)
{
	struct rig *rig = *state;
	struct doca_task *tasks[2] = {new_wait_eq(rig, 1), new_wait_eq(rig, 2)};

	for (int i = 0; i < 2; i++)
		assert_ok(doca_task_submit(tasks[i]));
	assert_err(doca_ctx_stop(rig->ctx), IN_PROGRESS);
	progress(rig);
	assert_int_equal(rig->failed, 2);
	assert_int_equal(rig->status, DOCA_ERROR_IO_FAILED);
	for (int i = 0; i < 2; i++)
		doca_task_free(tasks[i]);
}

static void stopping_in_a_callback_flushes_the_others(void **state)
{
	struct rig *rig = *state;
	struct doca_task *tasks[2] = {new_wait_eq(rig, 1), new_wait_eq(rig, 1)};

	for (int i = 0; i < 2; i++)
		assert_ok(doca_task_submit(tasks[i]));
	rig->stop_in_callback = true;
	assert_ok(doca_sync_event_update_set(rig->event, 1));
	progress(rig);
	assert_int_equal(rig->done, 1);
	assert_int_equal(rig->failed, 1);
	for (int i = 0; i < 2; i++)
		doca_task_free(tasks[i]);
}

/* Exports an event and obeys: adds 1 when told. */
static void own(struct child *parent, void *arg)
{
	struct doca_dev *dev = open_dev("b1:00.0");
	struct doca_sync_event *event;
	const uint8_t *blob;
	size_t size;

	(void)arg;
	if (doca_sync_event_create(&event) ||
	    doca_sync_event_add_publisher_location_remote_pci(event) ||
	    doca_sync_event_add_subscriber_location_cpu(event, dev) ||
	    doca_sync_event_start(event) ||
	    doca_sync_event_export_to_remote_pci(event, dev, &blob, &size))
		_exit(1);
	child_send(parent, &size, sizeof(size));
	child_send(parent, blob, size);
	for (;;) {
		child_await(parent);
		doca_sync_event_update_add(event, 1, NULL);
		child_tell(parent);
	}
}

static struct child owner(struct rig *rig)
{
	struct child child = child_start(own, NULL);
	struct doca_sync_event *event;
	uint8_t blob[1024];
	size_t size;

	child_receive(&child, &size, sizeof(size));
	child_receive(&child, blob, size);
	assert_ok(doca_sync_event_create_from_export(rig->dev, blob, size, &event));
	adopt(rig, event);
	assert_ok(doca_ctx_start(rig->ctx));
	return child;
}

/* an engine that sleeps until another process's event is 1 */
static struct doca_task *sleep_for_owner(struct rig *rig)
{
	struct doca_task *task = new_wait_eq(rig, 1);

	assert_ok(doca_task_submit(task));
	progress(rig);
	assert_ok(doca_pe_request_notification(rig->pe));
	return task;
}

static void other_processes_end_waits_and_sleeps(void **state)
{
	struct rig *rig = *state;
	struct child child = owner(rig);
	struct doca_task *task = sleep_for_owner(rig);

	child_tell(&child);
	child_await(&child);
	assert_true(pe_is_readable(rig->pe));
	assert_ok(doca_pe_clear_notification(rig->pe, 0));
	progress(rig);
	assert_int_equal(rig->done, 1);
	doca_task_free(task);
	child_kill(&child);
}

/* as one leaves it that is killed before it wakes those who sleep */
static void a_sleep_ends_without_a_wake_up(void **state)
{
	struct rig *rig = *state;
	struct child child = owner(rig);
	struct doca_task *task = sleep_for_owner(rig);

	atomic_store(rig->event->cell.value, 1);
	sleep_armed(rig);
	assert_int_equal(rig->done, 1);
	doca_task_free(task);
	child_kill(&child);
}

static void owners_that_die_end_waits(void **state)
{
	struct rig *rig = *state;
	struct child child = owner(rig);
	struct doca_task *task = new_wait_eq(rig, 1);

	if (rig->event->cell.owner_pidfd < 0) {
		doca_task_free(task);
		child_kill(&child);
		skip(); /* valgrind, for one, does not know pidfd_open() */
	}
	assert_ok(doca_task_submit(task));
	progress(rig);
	assert_ok(doca_pe_request_notification(rig->pe));
	child_kill(&child);
	assert_true(pe_is_readable(rig->pe));
	assert_ok(doca_pe_clear_notification(rig->pe, 0));
	progress(rig);
	assert_int_equal(rig->failed, 1);
	assert_int_equal(rig->status, DOCA_ERROR_IO_FAILED);
	assert_ok(doca_task_submit(task)); /* and so does the next */
	progress(rig);
	assert_int_equal(rig->failed, 2);
	doca_task_free(task);
}

static void clean_up(struct child *parent, void *arg)
{
	struct rig *rig = arg;

	(void)parent;
	if (doca_sync_event_update_add(rig->event, 1, NULL) != DOCA_ERROR_BAD_STATE)
		_exit(1);
	if (doca_ctx_stop(rig->ctx) || doca_sync_event_destroy(rig->event))
		_exit(2);
	if (doca_pe_destroy(rig->pe))
		_exit(3);
}

/* The cell, the place among its sleepers and the engine are the parent's. */
static void a_child_that_cleans_up_hurts_nobody(void **state)
{
	struct rig *rig = *state;
	struct doca_task *task = new_wait_eq(rig, 1);
	struct child child;

	assert_ok(doca_task_submit(task));
	progress(rig);
	assert_ok(doca_pe_request_notification(rig->pe));
	child = child_start(clean_up, rig);
	assert_int_equal(child_join(&child), 0);
	assert_ok(doca_sync_event_update_set(rig->event, 1));
	assert_true(pe_is_readable(rig->pe));
	assert_ok(doca_pe_clear_notification(rig->pe, 0));
	progress(rig);
	assert_int_equal(rig->done, 1);
	doca_task_free(task);
}

/* The counter has gone by then; its context waits for the tasks. */
static void so_does_one_that_is_forked_while_it_stops(void **state)
{
	struct rig *rig = *state;
	struct doca_task *task = new_wait_eq(rig, 1);
	struct child child;

	assert_ok(doca_task_submit(task));
	assert_err(doca_ctx_stop(rig->ctx), IN_PROGRESS);
	child = child_start(clean_up, rig);
	assert_int_equal(child_join(&child), 0);
	progress(rig);
	assert_int_equal(rig->failed, 1);
	doca_task_free(task);
}

static void find_open(struct child *parent, void *arg)
{
	(void)parent;
	if (fcntl(*(const int *)arg, F_GETFD) < 0)
		_exit(1);
}

/* What it has closed by then is a number that the program may have given to something else. */
static void nor_does_its_fork_close_what_is_the_programs(void **state)
{
	struct rig *rig = *state;
	struct doca_task *task = new_wait_eq(rig, 1);
	struct child child;
	int fd;

	assert_ok(doca_task_submit(task));
	progress(rig);
	assert_ok(doca_pe_request_notification(rig->pe));
	fd = rig->event->watch.fd;
	assert_true(fd >= 0);
	assert_err(doca_ctx_stop(rig->ctx), IN_PROGRESS);
	assert_int_equal(fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, fd), fd);
	child = child_start(find_open, &fd);
	assert_int_equal(child_join(&child), 0);
	close(fd);
	progress(rig);
	doca_task_free(task);
}

static pid_t forked;

static void fork_and_go_on(struct timer *timer)
{
	(void)timer;
	forked = fork();
	if (!forked)
		alarm(8); /* which ends a child that does not come back */
}

/* The look that was due with the timer is not the child's. */
static void a_child_of_a_timer_comes_back_from_the_engine(void **state)
{
	struct rig *rig = *state;
	struct doca_task *task = new_wait_eq(rig, 1);
	struct timer timer = {.fire = fork_and_go_on};
	struct event_sleeper others[EVENT_SLEEPERS];
	int status;

	for (int i = 0; i < EVENT_SLEEPERS; i++) {
		assert_ok(event_sleeper_open(&others[i]));
		assert_true(event_sleeper_arm(&others[i], &rig->event->cell));
	}
	assert_ok(doca_task_submit(task));
	progress(rig);
	priv_poll_group_timer_add(&rig->pe->group, &timer, 1000000);
	assert_ok(doca_pe_request_notification(rig->pe));
	assert_true(rig->event->is_crowded);
	usleep(50000); /* both are due */
	progress(rig);
	if (!forked)
		_exit(0);
	assert_int_equal(waitpid(forked, &status, 0), forked);
	assert_true(WIFEXITED(status));
	for (int i = 0; i < EVENT_SLEEPERS; i++) {
		event_sleeper_disarm(&others[i], &rig->event->cell);
		event_sleeper_close(&others[i]);
	}
	assert_err(doca_ctx_stop(rig->ctx), IN_PROGRESS);
	doca_task_free(task);
}

static void importers_do_not_notice_a_child_that_cleans_up(void **state)
{
	struct rig *rig = *state;
	struct doca_sync_event *event, *import;
	const uint8_t *blob;
	struct child child;
	size_t size;

	assert_ok(doca_sync_event_create(&event));
	assert_ok(doca_sync_event_add_publisher_location_remote_pci(event));
	assert_ok(doca_sync_event_add_subscriber_location_cpu(event, rig->dev));
	adopt(rig, event);
	assert_ok(doca_ctx_start(rig->ctx));
	assert_ok(doca_sync_event_export_to_remote_pci(event, rig->dev, &blob, &size));
	assert_ok(doca_sync_event_create_from_export(rig->dev, blob, size, &import));
	assert_ok(doca_sync_event_start(import));
	child = child_start(clean_up, rig);
	assert_int_equal(child_join(&child), 0);
	assert_ok(doca_sync_event_update_set(import, 7));
	assert_int_equal(event_cell_get(&event->cell), 7);
	assert_ok(doca_sync_event_stop(import));
	assert_ok(doca_sync_event_destroy(import));
}

/* The engine is asked to wake the program; there is something already, which then goes away. */
static void what_goes_before_it_is_seen_leaves_the_sleep_to_be_ended(void **state)
{
	struct rig *rig = *state;
	struct doca_task *task = new_wait_eq(rig, 2);

	assert_ok(doca_task_submit(task));
	assert_int_equal(doca_pe_progress(rig->pe), 0);
	assert_ok(doca_sync_event_update_set(rig->event, 2));
	assert_ok(doca_pe_request_notification(rig->pe));
	assert_true(pe_is_readable(rig->pe));
	assert_ok(doca_sync_event_update_set(rig->event, 3));
	assert_int_equal(doca_pe_progress(rig->pe), 0);
	assert_ok(doca_sync_event_update_set(rig->event, 2));
	assert_true(pe_is_readable(rig->pe));
	progress(rig);
	doca_task_free(task);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
	const struct CMUnitTest tests[] = {
		TEST(configuration_is_checked),
		TEST(the_counter_by_task),
		TEST(waits_end_in_the_order_of_their_values),
		TEST(all_three_kinds_wait),
		TEST(callbacks_may_resubmit),
		TEST(a_change_wakes_a_sleeping_engine),
		TEST(no_change_is_missed_before_the_sleep),
		TEST(an_engine_that_finds_no_place_looks_now_and_then),
		TEST(what_goes_before_it_is_seen_leaves_the_sleep_to_be_ended),
		TEST(freed_waits_are_forgotten),
		TEST(stopping_flushes_waits),
		TEST(stopping_in_a_callback_flushes_the_others),
		TEST(a_child_that_cleans_up_hurts_nobody),
		TEST(so_does_one_that_is_forked_while_it_stops),
		TEST(nor_does_its_fork_close_what_is_the_programs),
		TEST(a_child_of_a_timer_comes_back_from_the_engine),
		cmocka_unit_test_setup_teardown(other_processes_end_waits_and_sleeps,
						set_up_devices, tear_down),
		cmocka_unit_test_setup_teardown(a_sleep_ends_without_a_wake_up, set_up_devices,
						tear_down),
		cmocka_unit_test_setup_teardown(owners_that_die_end_waits, set_up_devices,
						tear_down),
		cmocka_unit_test_setup_teardown(importers_do_not_notice_a_child_that_cleans_up,
						set_up_devices, tear_down),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
