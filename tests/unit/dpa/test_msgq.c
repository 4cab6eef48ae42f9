/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Message queues with the real DPA: a thread that answers what comes on one queue by the other,
 * as programs have it.
 */
#include "test.h"

#include <dlfcn.h>
#include <poll.h>
#include <sched.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include "base/clock.h"
#include "core/dpa_handle.h"
#include "core/pe.h"
#include "doca_comch_consumer.h"
#include "doca_comch_msgq.h"
#include "doca_comch_producer.h"
#include "doca_ctx.h"
#include "doca_dpa_dev_comch_msgq.h"
#include "doca_pe.h"
#include "dpa/unit_priv.h"
#include "rig.h"

#define DEPTH	      16u
#define COUNT	      20000u
#define LOOKS	      50000u
#define NAPS	      20u
#define TRIES	      5000u /* of a millisecond */
#define EXCHANGES_MAX 10000u
#define PAUSE_NS      200000  /* a unit has gone to sleep by then */
#define TURN_NS	      3000000 /* of others, who have something to do */
#define GAP_NS	      500000u /* less than what a unit waits for the next look of others */

static atomic_bool is_crowded; /* others keep the CPU whenever they are let run */
static _Atomic uint64_t naps;
static _Atomic(struct unit *) watched; /* a unit that has an engine */
static atomic_bool was_missed;	       /* it seemed asleep, but would not have been woken */

/* These are the library's, too. */
int sched_yield(void)
{
	const struct timespec turn = {.tv_nsec = TURN_NS};

	return is_crowded ? nanosleep(&turn, NULL) : (int)syscall(SYS_sched_yield);
}

int poll(struct pollfd *fds, nfds_t count, int timeout_ms)
{
	const struct timespec timeout = {.tv_nsec = timeout_ms * 1000000};

	naps += timeout_ms == 1 && gettid() != getpid(); /* a unit's */
	return ppoll(fds, count, timeout_ms < 0 ? NULL : &timeout, NULL);
}

#ifndef __SANITIZE_THREAD__ /* which has to see it itself */
/* Whoever has the lock of an engine next and finds that asleep calls unit_wake(). */
int pthread_mutex_unlock(pthread_mutex_t *mutex)
{
	static _Atomic(void *) real;
	const struct unit *unit = watched;
	int (*unlock)(pthread_mutex_t *);

	if (!real)
		real = dlsym(RTLD_NEXT, "pthread_mutex_unlock");
	*(void **)&unlock = real;
	if (unit && mutex == &unit->engine.lock && pthread_equal(pthread_self(), unit->thread))
		was_missed |= unit->engine.is_asleep && !unit->asleep;
	return unlock(mutex);
}
#endif

struct channel {
	struct rig rig;
	struct doca_pe *pe;
	struct doca_dpa_thread *thread;
	struct doca_comch_msgq *to_dpa, *from_dpa;
	struct doca_comch_consumer_completion *completion;
	struct doca_dpa_completion *reports;
	struct doca_comch_consumer *dpa_consumer, *consumer;
	struct doca_comch_producer *dpa_producer, *producer;
	/* what DPA code has */
	doca_dpa_dev_comch_consumer_completion_t completion_handle;
	doca_dpa_dev_comch_consumer_t consumer_handle;
	doca_dpa_dev_comch_producer_t producer_handle;
	_Atomic uint64_t activations, handled, looks;
	uint64_t gaps; /* between two looks the kernel did not run */
	/* on the CPU */
	unsigned int sent, received, flushed;
	bool is_wrong;
	bool calls; /* in the next callback of a send */
	uint64_t seen;
};

/*
 * DPA code
 */

/* Answers all that is there; returns how many. */
static uint32_t answer_all(struct channel *channel)
{
	doca_dpa_dev_comch_consumer_completion_element_t element;
	uint32_t count = 0, value, size;

	while (doca_dpa_dev_comch_consumer_get_completion(channel->completion_handle, &element)) {
		memcpy(&value, doca_dpa_dev_comch_consumer_get_completion_imm(element, &size), 4);
		value += 1000000;
		doca_dpa_dev_comch_producer_post_send_imm_only(
			channel->producer_handle, 1, (uint8_t *)&value, sizeof(value),
			DOCA_DPA_DEV_SUBMIT_FLAG_FLUSH | DOCA_DPA_DEV_SUBMIT_FLAG_OPTIMIZE_REPORTS);
		count++;
	}
	doca_dpa_dev_comch_consumer_completion_ack(channel->completion_handle, count);
	return count;
}

static void answer(uint64_t arg)
{
	struct channel *channel = (struct channel *)(uintptr_t)arg;
	uint32_t count = answer_all(channel);

	doca_dpa_dev_comch_consumer_completion_request_notification(channel->completion_handle);
	doca_dpa_dev_comch_consumer_ack(channel->consumer_handle, count);
	channel->activations++;
	channel->handled += count;
	doca_dpa_dev_thread_reschedule();
}

/* the same by one that never gives its unit back */
static void answer_for_ever(uint64_t arg)
{
	struct channel *channel = (struct channel *)(uintptr_t)arg;

	channel->activations++;
	for (;;) {
		uint32_t count = answer_all(channel);

		doca_dpa_dev_comch_consumer_ack(channel->consumer_handle, count);
		channel->handled += count;
	}
}

/* a kernel that looks at an empty queue */
static void look(uint64_t arg)
{
	struct channel *channel = (struct channel *)(uintptr_t)arg;
	doca_dpa_dev_comch_consumer_completion_element_t element;
	uint64_t last = clock_now_ns(), now;

	for (unsigned int i = 0; i < LOOKS; i++, last = now) {
		doca_dpa_dev_comch_consumer_get_completion(channel->completion_handle, &element);
		now = clock_now_ns();
		channel->gaps += now - last > GAP_NS;
		channel->looks++;
	}
}

static uint64_t post_receives(uint64_t arg)
{
	const struct channel *channel = (const struct channel *)(uintptr_t)arg;

	doca_dpa_dev_comch_consumer_ack(channel->consumer_handle, DEPTH);
	return DEPTH;
}

/* Waits until the thread has handled two messages; returns how many it has. */
static uint64_t wait_for_two(uint64_t arg)
{
	const struct channel *channel = (const struct channel *)(uintptr_t)arg;
	const struct timespec pause = {.tv_nsec = 1000000};

	for (unsigned int i = 0; i < TRIES && channel->handled < 2; i++)
		nanosleep(&pause, NULL);
	return channel->handled;
}

GLOBAL(answer_stub, answer)
GLOBAL(answer_for_ever_stub, answer_for_ever)
GLOBAL(look_stub, look)
RPC(post_receives_stub, post_receives)
RPC(wait_for_two_stub, wait_for_two)

static const struct softfield_dpa_func funcs[] = {
	GLOBAL_ROW(answer_stub),     GLOBAL_ROW(answer_for_ever_stub), GLOBAL_ROW(look_stub),
	RPC_ROW(post_receives_stub), RPC_ROW(wait_for_two_stub),
};

/*
 * The CPU
 */

static void received(struct doca_comch_consumer_task_post_recv *task, union doca_data task_data,
		     union doca_data ctx_data)
{
	struct channel *channel = ctx_data.ptr;
	uint32_t value;

	(void)task_data;
	memcpy(&value, doca_comch_consumer_task_post_recv_get_imm_data(task), sizeof(value));
	channel->is_wrong |= value != 1000000 + channel->received;
	channel->received++;
	assert_ok(doca_task_submit(doca_comch_consumer_task_post_recv_as_task(task)));
}

static void flushed(struct doca_comch_consumer_task_post_recv *task, union doca_data task_data,
		    union doca_data ctx_data)
{
	(void)task_data;
	((struct channel *)ctx_data.ptr)->flushed++;
	doca_task_free(doca_comch_consumer_task_post_recv_as_task(task));
}

static void send(struct channel *channel, uint32_t value)
{
	struct doca_comch_producer_task_send *task;

	assert_ok(doca_comch_producer_task_send_alloc_init(
		channel->producer, NULL, (uint8_t *)&value, sizeof(value), 1, &task));
	assert_ok(doca_task_submit(doca_comch_producer_task_send_as_task(task)));
}

static void sent(struct doca_comch_producer_task_send *task, union doca_data task_data,
		 union doca_data ctx_data)
{
	struct channel *channel = ctx_data.ptr;

	(void)task_data;
	channel->sent++;
	doca_task_free(doca_comch_producer_task_send_as_task(task));
	if (!channel->calls)
		return;
	channel->calls = false;
	send(channel, channel->sent);
	assert_ok(doca_dpa_rpc(channel->rig.dpa, wait_for_two_stub, &channel->seen,
			       (uint64_t)(uintptr_t)channel));
}

static void run_on_cpu(struct channel *channel, struct doca_ctx *ctx)
{
	assert_ok(doca_ctx_set_user_data(ctx, (union doca_data){.ptr = channel}));
	assert_ok(doca_pe_connect_ctx(channel->pe, ctx));
	assert_ok(doca_ctx_start(ctx));
}

static void run_on_dpa(struct channel *channel, struct doca_ctx *ctx)
{
	assert_ok(doca_ctx_set_datapath_on_dpa(ctx, channel->rig.dpa));
	assert_ok(doca_ctx_start(ctx));
}

static void add_queue_to_dpa(struct channel *channel)
{
	struct doca_comch_consumer_completion *completion;

	assert_ok(doca_comch_consumer_completion_create(&completion));
	assert_ok(doca_comch_consumer_completion_set_max_num_consumers(completion, 1));
	assert_ok(doca_comch_consumer_completion_set_max_num_recv(completion, DEPTH));
	assert_ok(doca_comch_consumer_completion_set_dpa_thread(completion, channel->thread));
	assert_ok(doca_comch_consumer_completion_start(completion));
	assert_ok(doca_comch_consumer_completion_get_dpa_handle(completion,
								&channel->completion_handle));
	channel->completion = completion;
	assert_ok(doca_comch_msgq_create(channel->rig.dev, &channel->to_dpa));
	assert_ok(doca_comch_msgq_set_dpa_consumer(channel->to_dpa, channel->rig.dpa));
	assert_ok(doca_comch_msgq_start(channel->to_dpa));
	assert_ok(doca_comch_msgq_consumer_create(channel->to_dpa, &channel->dpa_consumer));
	assert_ok(doca_comch_consumer_set_imm_data_len(channel->dpa_consumer, 4));
	assert_ok(doca_comch_consumer_set_completion(channel->dpa_consumer, completion, 0));
	assert_ok(doca_comch_consumer_set_dev_max_num_recv(channel->dpa_consumer, DEPTH));
	run_on_dpa(channel, doca_comch_consumer_as_ctx(channel->dpa_consumer));
	assert_ok(doca_comch_consumer_get_dpa_handle(channel->dpa_consumer,
						     &channel->consumer_handle));
	assert_ok(doca_comch_msgq_producer_create(channel->to_dpa, &channel->producer));
	assert_ok(doca_comch_producer_task_send_set_conf(channel->producer, sent, sent, DEPTH));
	run_on_cpu(channel, doca_comch_producer_as_ctx(channel->producer));
}

static void add_queue_from_dpa(struct channel *channel)
{
	assert_ok(doca_dpa_completion_create(channel->rig.dpa, DEPTH, &channel->reports));
	assert_ok(doca_dpa_completion_start(channel->reports));
	assert_ok(doca_comch_msgq_create(channel->rig.dev, &channel->from_dpa));
	assert_ok(doca_comch_msgq_set_dpa_producer(channel->from_dpa, channel->rig.dpa));
	assert_ok(doca_comch_msgq_start(channel->from_dpa));
	assert_ok(doca_comch_msgq_consumer_create(channel->from_dpa, &channel->consumer));
	assert_ok(doca_comch_consumer_set_imm_data_len(channel->consumer, 4));
	assert_ok(doca_comch_consumer_task_post_recv_set_conf(channel->consumer, received, flushed,
							      DEPTH));
	run_on_cpu(channel, doca_comch_consumer_as_ctx(channel->consumer));
	assert_ok(doca_comch_msgq_producer_create(channel->from_dpa, &channel->dpa_producer));
	assert_ok(doca_comch_producer_set_dev_max_num_send(channel->dpa_producer, DEPTH));
	assert_ok(
		doca_comch_producer_dpa_completion_attach(channel->dpa_producer, channel->reports));
	run_on_dpa(channel, doca_comch_producer_as_ctx(channel->dpa_producer));
	assert_ok(doca_comch_producer_get_dpa_handle(channel->dpa_producer,
						     &channel->producer_handle));
}

static void post_on_cpu(struct channel *channel)
{
	struct doca_comch_consumer_task_post_recv *task;

	for (unsigned int i = 0; i < DEPTH; i++) {
		assert_ok(doca_comch_consumer_task_post_recv_alloc_init(channel->consumer, NULL,
									&task));
		assert_ok(doca_task_submit(doca_comch_consumer_task_post_recv_as_task(task)));
	}
}

static void begin(struct channel *channel, void (*func)(void))
{
	uint64_t posted;

	memset(channel, 0, sizeof(*channel));
	rig_init(&channel->rig, funcs, ARRAY_SIZE(funcs));
	assert_ok(doca_pe_create(&channel->pe));
	channel->thread = add_thread(&channel->rig, func, (uintptr_t)channel);
	add_queue_to_dpa(channel);
	add_queue_from_dpa(channel);
	assert_ok(doca_dpa_rpc(channel->rig.dpa, post_receives_stub, &posted,
			       (uint64_t)(uintptr_t)channel));
	assert_int_equal(posted, DEPTH);
	assert_ok(doca_dpa_thread_run(channel->thread));
}

/* one that has posted receives ends in polls */
static void stop_on_cpu(struct channel *channel, struct doca_ctx *ctx)
{
	enum doca_ctx_states state;

	doca_ctx_stop(ctx);
	do {
		doca_pe_progress(channel->pe);
		assert_ok(doca_ctx_get_state(ctx, &state));
	} while (state != DOCA_CTX_STATE_IDLE);
}

/* in the order of programs: the CPU's, the DPA's, the queues, the completions, the thread */
static int finish(struct channel *channel)
{
	stop_on_cpu(channel, doca_comch_producer_as_ctx(channel->producer));
	stop_on_cpu(channel, doca_comch_consumer_as_ctx(channel->consumer));
	assert_err(doca_dpa_thread_stop(channel->thread), IN_USE);
	assert_err(doca_dpa_completion_stop(channel->reports), IN_USE);
	assert_ok(doca_ctx_stop(doca_comch_consumer_as_ctx(channel->dpa_consumer)));
	assert_ok(doca_ctx_stop(doca_comch_producer_as_ctx(channel->dpa_producer)));
	assert_ok(doca_comch_producer_destroy(channel->producer));
	assert_ok(doca_comch_consumer_destroy(channel->consumer));
	assert_ok(doca_comch_consumer_destroy(channel->dpa_consumer));
	assert_ok(doca_comch_producer_destroy(channel->dpa_producer));
	assert_ok(doca_comch_msgq_stop(channel->to_dpa));
	assert_ok(doca_comch_msgq_stop(channel->from_dpa));
	assert_ok(doca_comch_msgq_destroy(channel->to_dpa));
	assert_ok(doca_comch_msgq_destroy(channel->from_dpa));
	assert_ok(doca_comch_consumer_completion_stop(channel->completion));
	assert_ok(doca_comch_consumer_completion_destroy(channel->completion));
	assert_ok(doca_dpa_completion_stop(channel->reports));
	assert_ok(doca_dpa_completion_destroy(channel->reports));
	assert_ok(doca_dpa_thread_stop(channel->thread));
	assert_ok(doca_dpa_thread_destroy(channel->thread));
	assert_ok(doca_pe_destroy(channel->pe));
	return rig_fini(&channel->rig);
}

static void exchange(struct channel *channel, unsigned int in_flight)
{
	uint32_t next = 0;

	post_on_cpu(channel);
	while (channel->received < COUNT) {
		if (next < COUNT && next - channel->received < in_flight &&
		    next - channel->sent < DEPTH)
			send(channel, next++);
		doca_pe_progress(channel->pe);
	}
	assert_false(channel->is_wrong);
	assert_int_equal(channel->received, COUNT);
}

static void questions_are_answered(void **state)
{
	static struct channel channel;

	(void)state;
	begin(&channel, answer_stub);
	exchange(&channel, 1); /* the thread still has to ask for more */
	assert_int_equal(finish(&channel), 0);
}

static void streams_are_answered(void **state)
{
	static struct channel channel;

	(void)state;
	begin(&channel, answer_stub);
	exchange(&channel, 2 * DEPTH);
	assert_int_equal(finish(&channel), 0);
}

/* What is sent in a callback waits for the end of the callbacks: but not if they wait for it. */
static void a_callback_may_send_and_call(void **state)
{
	static struct channel channel;

	(void)state;
	begin(&channel, answer_stub);
	post_on_cpu(&channel);
	channel.calls = true;
	send(&channel, 0);
	while (channel.received < 2)
		doca_pe_progress(channel.pe);
	assert_int_equal(channel.seen, 2);
	assert_false(channel.is_wrong);
	assert_int_equal(finish(&channel), 0);
}

/* The CPU has no receives: the answers wait, and are sent by the DPA although no code runs there.
 */
static void answers_wait_for_the_cpu(void **state)
{
	static struct channel channel;

	(void)state;
	begin(&channel, answer_stub);
	for (uint32_t i = 0; i < DEPTH; i++)
		send(&channel, i);
	wait_until(&channel.handled, DEPTH);
	post_on_cpu(&channel);
	while (channel.received < DEPTH)
		doca_pe_progress(channel.pe);
	assert_false(channel.is_wrong);
	assert_int_equal(finish(&channel), 0);
}

/* It is ended from outside, while it looks for messages. */
static void a_thread_may_poll_for_ever(void **state)
{
	static struct channel channel;

	(void)state;
	begin(&channel, answer_for_ever_stub);
	exchange(&channel, DEPTH);
	assert_int_equal(channel.activations, 1);
	assert_int_equal(finish(&channel), 0);
}

/* how often the unit that receives the messages for the DPA has begun to sleep; does it sleep? */
static uint32_t count_sleeps(const struct channel *channel, bool *ret_sleeps)
{
	struct dpa_engine *engine = dpa_place_of(channel->completion_handle)->engine;
	uint32_t count;

	dpa_engine_lock(engine);
	count = engine->pe->group.arms;
	*ret_sleeps = engine->is_asleep && engine->pe->group.armed;
	pthread_mutex_unlock(&engine->lock); /* it is not woken */
	return count;
}

static uint32_t wait_until_it_sleeps(const struct channel *channel)
{
	uint32_t count;
	bool sleeps;

	do
		count = count_sleeps(channel, &sleeps);
	while (!sleeps);
	return count;
}

/* It is woken by what comes, and naps no more when it goes to sleep. */
static void a_unit_naps_beside_others(void **state)
{
	const struct timespec pause = {.tv_nsec = PAUSE_NS};
	static struct channel channel;

	(void)state;
	begin(&channel, answer_stub);
	post_on_cpu(&channel);
	watched =
		container_of(dpa_place_of(channel.completion_handle)->engine, struct unit, engine);
	naps = 0; /* of other tests, on a machine that is crowded indeed */
	is_crowded = true;
	for (uint32_t i = 0; naps < NAPS; i++) {
		assert_true(i < EXCHANGES_MAX);
		send(&channel, i);
		while (channel.received <= i)
			doca_pe_progress(channel.pe);
		nanosleep(&pause, NULL);
	}
	is_crowded = false;
	assert_false(channel.is_wrong);
	wait_until_it_sleeps(&channel);
	watched = NULL;
	assert_false(was_missed);
	assert_int_equal(finish(&channel), 0);
}

/* Each look would wake it, and ask the kernel of the machine. When they end it sleeps again. */
static void a_unit_does_not_sleep_in_what_others_look_at(void **state)
{
	static struct channel channel;
	uint32_t before, during;
	bool sleeps;

	(void)state;
	begin(&channel, answer_stub);
	before = wait_until_it_sleeps(&channel);
	assert_ok(doca_dpa_kernel_launch_update_set(channel.rig.dpa, NULL, 0, NULL, 0, 1, look_stub,
						    (uint64_t)(uintptr_t)&channel));
	wait_until(&channel.looks, LOOKS);
	during = count_sleeps(&channel, &sleeps) - before;
	assert_in_range(during, 0, channel.gaps + 2);
	wait_until_it_sleeps(&channel);
	exchange(&channel, 1);
	assert_int_equal(finish(&channel), 0);
}

/* The unit may have been looking at its engine, in which no consumer runs. */
static void a_child_does_not_wait_for_a_unit(void **state)
{
	struct doca_comch_consumer_completion *completion;
	doca_dpa_dev_comch_consumer_completion_t handle;
	struct doca_dpa_thread *thread;
	struct dpa_engine *engine;
	struct rig rig;
	pid_t child;
	int status;

	(void)state;
	rig_init(&rig, funcs, ARRAY_SIZE(funcs));
	thread = add_thread(&rig, answer_stub, 0);
	assert_ok(doca_comch_consumer_completion_create(&completion));
	assert_ok(doca_comch_consumer_completion_set_dpa_thread(completion, thread));
	assert_ok(doca_comch_consumer_completion_start(completion));
	assert_ok(doca_comch_consumer_completion_get_dpa_handle(completion, &handle));
	engine = dpa_place_of(handle)->engine;
	dpa_engine_lock(engine);
	child = fork();
	if (!child) {
		alarm(60); /* else it would wait for ever */
		_exit(doca_comch_consumer_completion_stop(completion) != DOCA_SUCCESS);
	}
	dpa_engine_unlock(engine);
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_int_equal(status, 0);
	assert_ok(doca_comch_consumer_completion_stop(completion));
	assert_ok(doca_comch_consumer_completion_destroy(completion));
	assert_ok(doca_dpa_thread_destroy(thread));
	assert_int_equal(rig_fini(&rig), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(questions_are_answered),
		cmocka_unit_test(streams_are_answered),
		cmocka_unit_test(a_callback_may_send_and_call),
		cmocka_unit_test(answers_wait_for_the_cpu),
		cmocka_unit_test(a_thread_may_poll_for_ever),
		cmocka_unit_test(a_unit_naps_beside_others),
		cmocka_unit_test(a_unit_does_not_sleep_in_what_others_look_at),
		cmocka_unit_test(a_child_does_not_wait_for_a_unit),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
