/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A DPA that is only what a message queue sees of one (core/dpa_hook.h): engines that the test
 * progresses, threads that count how often they are to run. The test is the DPA code. A queue, of
 * which either end may be on it.
 */
#ifndef SOFTFIELD_TEST_FAKE_DPA_H
#define SOFTFIELD_TEST_FAKE_DPA_H

#include <stdatomic.h>
#include <string.h>
#include <unistd.h>
#include "core/dpa_hook.h"
#include "doca_comch_consumer.h"
#include "doca_comch_msgq.h"
#include "doca_comch_producer.h"
#include "doca_ctx.h"
#include "doca_dpa_dev_comch_msgq.h"
#include "doca_pe.h"
#include "world.h"

struct doca_dpa {
	struct doca_dev *dev;
	bool is_started;
	int attached;
	struct dpa_engine engine;
};

struct doca_dpa_thread {
	bool is_started;
	int attached;
	atomic_uint triggers;
	struct dpa_engine engine;
};

struct doca_dpa_completion {
	bool is_started;
	int attached;
	atomic_uint pushed;
	uint32_t user_data; /* of the last one */
	doca_error_t status;
};

static struct doca_dpa dpa;
static struct doca_dpa_thread thread;
static struct doca_dpa_completion reports;
static struct {
	atomic_uint pauses, founds, fails, wakes;
	void (*on_pause)(void); /* may be NULL */
	doca_error_t get_engine_answer;
} seen;

static struct doca_dev *fake_get_dev(const struct doca_dpa *of)
{
	return of->dev;
}

static doca_error_t fake_attach(struct doca_dpa *to)
{
	if (!to->is_started)
		return DOCA_ERROR_BAD_STATE;
	to->attached++;
	return DOCA_SUCCESS;
}

static void fake_detach(struct doca_dpa *from)
{
	from->attached--;
}

static doca_error_t fake_check_same(struct doca_dpa *of, struct doca_dpa *other, const char *what)
{
	assert_non_null(what);
	return of == other ? DOCA_SUCCESS : DOCA_ERROR_INVALID_VALUE;
}

static doca_error_t fake_check_thread(struct doca_dpa *of, uint64_t thread_handle)
{
	assert_non_null((void *)(uintptr_t)thread_handle);
	return fake_check_same(of, &dpa, "thread");
}

static doca_error_t fake_check_completion(struct doca_dpa *of,
					  const struct doca_dpa_completion *completion)
{
	assert_non_null(completion);
	return fake_check_same(of, &dpa, "completion");
}

static doca_error_t fake_get_engine(struct doca_dpa *of, struct dpa_engine **ret_engine)
{
	if (seen.get_engine_answer)
		return seen.get_engine_answer;
	*ret_engine = &of->engine;
	return DOCA_SUCCESS;
}

static uint64_t fake_thread_handle(const struct doca_dpa_thread *of)
{
	return (uintptr_t)of;
}

static doca_error_t fake_thread_attach(uint64_t handle, struct doca_dpa_thread **ret_thread,
				       struct dpa_engine **ret_engine)
{
	struct doca_dpa_thread *to = (struct doca_dpa_thread *)(uintptr_t)handle;

	if (!to->is_started)
		return DOCA_ERROR_BAD_STATE;
	to->attached++;
	*ret_thread = to;
	*ret_engine = &to->engine;
	return DOCA_SUCCESS;
}

static void fake_thread_detach(struct doca_dpa_thread *from)
{
	from->attached--;
}

static void fake_thread_trigger(struct doca_dpa_thread *to)
{
	to->triggers++;
}

static uint64_t fake_completion_handle(const struct doca_dpa_completion *of)
{
	return (uintptr_t)of;
}

static doca_error_t fake_completion_attach(uint64_t handle,
					   struct doca_dpa_completion **ret_completion)
{
	struct doca_dpa_completion *to = (struct doca_dpa_completion *)(uintptr_t)handle;

	if (!to->is_started)
		return DOCA_ERROR_BAD_STATE;
	to->attached++;
	*ret_completion = to;
	return DOCA_SUCCESS;
}

static void fake_completion_detach(struct doca_dpa_completion *from)
{
	from->attached--;
}

static void fake_completion_push(struct doca_dpa_completion *to, uint32_t user_data,
				 doca_error_t status)
{
	to->user_data = user_data;
	to->status = status;
	to->pushed++;
}

static void fake_pause(void)
{
	seen.pauses++;
	if (seen.on_pause)
		seen.on_pause();
}

static void fake_check(void)
{
}

static void fake_note_found(void)
{
	seen.founds++;
}

static void fake_fail(struct doca_dpa *of, const char *what)
{
	assert_ptr_equal(of, &dpa);
	assert_non_null(what);
	seen.fails++;
}

static const struct dpa_ops fake_dpa = {
	.get_dev = fake_get_dev,
	.attach = fake_attach,
	.detach = fake_detach,
	.check_same = fake_check_same,
	.check_thread = fake_check_thread,
	.check_completion = fake_check_completion,
	.get_engine = fake_get_engine,
	.thread_handle = fake_thread_handle,
	.thread_attach = fake_thread_attach,
	.thread_detach = fake_thread_detach,
	.thread_trigger = fake_thread_trigger,
	.completion_handle = fake_completion_handle,
	.completion_attach = fake_completion_attach,
	.completion_detach = fake_completion_detach,
	.completion_push = fake_completion_push,
	.check = fake_check,
	.pause = fake_pause,
	.note_found = fake_note_found,
	.fail = fake_fail,
};

static void fake_wake(struct dpa_engine *engine)
{
	(void)engine;
	seen.wakes++;
}

static inline void engine_init(struct dpa_engine *engine)
{
	pthread_mutex_init(&engine->lock, NULL);
	assert_ok(doca_pe_create(&engine->pe));
	engine->owner = getpid();
	engine->wake = fake_wake;
}

static inline void engine_fini(struct dpa_engine *engine)
{
	assert_ok(doca_pe_destroy(engine->pe));
	pthread_mutex_destroy(&engine->lock);
}

/* what its unit does */
static inline void drive(struct dpa_engine *engine)
{
	for (unsigned int i = 0; i < 50; i++) {
		dpa_engine_lock(engine);
		doca_pe_progress(engine->pe);
		dpa_engine_unlock(engine);
	}
}

/* Everything exists and is started but for the queue. */
struct rig {
	struct leak before;
	struct doca_dev *dev;
	struct doca_comch_msgq *msgq;
	struct doca_pe *pe; /* of the end on the CPU */
	struct doca_comch_consumer_completion *completion;
	struct doca_comch_consumer *consumer;
	struct doca_comch_producer *producer;
	/* what DPA code has */
	doca_dpa_dev_comch_consumer_completion_t completion_handle;
	doca_dpa_dev_comch_consumer_t consumer_handle;
	doca_dpa_dev_comch_producer_t producer_handle;
	/* of the end on the CPU */
	unsigned int received, flushed, sent, failed;
	uint32_t last;
	bool is_disordered; /* one was not above the last */
};

static inline int set_up(void **state)
{
	static struct rig rig;

	memset(&rig, 0, sizeof(rig));
	memset(&dpa, 0, sizeof(dpa));
	memset(&thread, 0, sizeof(thread));
	memset(&reports, 0, sizeof(reports));
	memset(&seen, 0, sizeof(seen));
	rig.before = leak_count();
	rig.dev = open_dev("03:00.0");
	dpa.dev = rig.dev;
	dpa.is_started = thread.is_started = reports.is_started = true;
	engine_init(&dpa.engine);
	engine_init(&thread.engine);
	priv_dpa = &fake_dpa;
	assert_ok(doca_pe_create(&rig.pe));
	assert_ok(doca_comch_msgq_create(rig.dev, &rig.msgq));
	*state = &rig;
	return 0;
}

static inline int tear_down(void **state)
{
	struct rig *rig = *state;

	assert_ok(doca_comch_msgq_destroy(rig->msgq));
	assert_ok(doca_pe_destroy(rig->pe));
	engine_fini(&dpa.engine);
	engine_fini(&thread.engine);
	assert_int_equal(dpa.attached, 0);
	assert_int_equal(thread.attached, 0);
	assert_int_equal(reports.attached, 0);
	assert_ok(doca_dev_close(rig->dev));
	return leak_check(&rig->before) ? 0 : -1;
}

/*
 * The end on the CPU
 */

static inline void rig_received(struct doca_comch_consumer_task_post_recv *task,
				union doca_data task_data, union doca_data ctx_data)
{
	struct rig *rig = ctx_data.ptr;
	uint32_t value;

	(void)task_data;
	rig->received++;
	assert_int_equal(doca_comch_consumer_task_post_recv_get_imm_data_len(task), 4);
	memcpy(&value, doca_comch_consumer_task_post_recv_get_imm_data(task), 4);
	rig->is_disordered |= rig->received > 1 && value <= rig->last;
	rig->last = value;
	doca_task_free(doca_comch_consumer_task_post_recv_as_task(task));
}

static inline void rig_flushed(struct doca_comch_consumer_task_post_recv *task,
			       union doca_data task_data, union doca_data ctx_data)
{
	(void)task_data;
	((struct rig *)ctx_data.ptr)->flushed++;
	doca_task_free(doca_comch_consumer_task_post_recv_as_task(task));
}

static inline void rig_sent(struct doca_comch_producer_task_send *task, union doca_data task_data,
			    union doca_data ctx_data)
{
	(void)task_data;
	((struct rig *)ctx_data.ptr)->sent++;
	doca_task_free(doca_comch_producer_task_send_as_task(task));
}

static inline void rig_failed(struct doca_comch_producer_task_send *task, union doca_data task_data,
			      union doca_data ctx_data)
{
	(void)task_data;
	((struct rig *)ctx_data.ptr)->failed++;
	doca_task_free(doca_comch_producer_task_send_as_task(task));
}

static inline void run_on_cpu(struct rig *rig, struct doca_ctx *ctx)
{
	assert_ok(doca_ctx_set_user_data(ctx, (union doca_data){.ptr = rig}));
	assert_ok(doca_pe_connect_ctx(rig->pe, ctx));
	assert_ok(doca_ctx_start(ctx));
}

static inline void progress(struct rig *rig)
{
	for (unsigned int i = 0; i < 50; i++)
		doca_pe_progress(rig->pe);
}

#define CPU_TASKS 64

static inline void add_cpu_producer(struct rig *rig)
{
	assert_ok(doca_comch_msgq_producer_create(rig->msgq, &rig->producer));
	assert_ok(doca_comch_producer_task_send_set_conf(rig->producer, rig_sent, rig_failed,
							 CPU_TASKS));
	run_on_cpu(rig, doca_comch_producer_as_ctx(rig->producer));
}

static inline void add_cpu_consumer(struct rig *rig)
{
	assert_ok(doca_comch_msgq_consumer_create(rig->msgq, &rig->consumer));
	assert_ok(doca_comch_consumer_set_imm_data_len(rig->consumer, 4));
	assert_ok(doca_comch_consumer_task_post_recv_set_conf(rig->consumer, rig_received,
							      rig_flushed, CPU_TASKS));
	run_on_cpu(rig, doca_comch_consumer_as_ctx(rig->consumer));
}

static inline void cpu_send(struct rig *rig, uint32_t value, uint32_t consumer_id)
{
	struct doca_comch_producer_task_send *task;

	assert_ok(doca_comch_producer_task_send_alloc_init(rig->producer, NULL, (uint8_t *)&value,
							   sizeof(value), consumer_id, &task));
	assert_ok(doca_task_submit(doca_comch_producer_task_send_as_task(task)));
}

static inline void cpu_post(struct rig *rig, unsigned int count)
{
	struct doca_comch_consumer_task_post_recv *task;

	while (count--) {
		assert_ok(
			doca_comch_consumer_task_post_recv_alloc_init(rig->consumer, NULL, &task));
		assert_ok(doca_task_submit(doca_comch_consumer_task_post_recv_as_task(task)));
	}
}

static inline enum doca_ctx_states state_of(struct doca_ctx *ctx)
{
	enum doca_ctx_states ctx_state;

	assert_ok(doca_ctx_get_state(ctx, &ctx_state));
	return ctx_state;
}

/*
 * The end on the DPA
 */

/* with_thread: else nobody is told of what comes */
static inline void add_completion(struct rig *rig, bool with_thread)
{
	assert_ok(doca_comch_consumer_completion_create(&rig->completion));
	if (with_thread)
		assert_ok(doca_comch_consumer_completion_set_dpa_thread(rig->completion, &thread));
}

static inline void start_completion(struct rig *rig, uint32_t max_recv)
{
	assert_ok(doca_comch_consumer_completion_set_max_num_recv(rig->completion, max_recv));
	assert_ok(doca_comch_consumer_completion_start(rig->completion));
	assert_ok(doca_comch_consumer_completion_get_dpa_handle(rig->completion,
								&rig->completion_handle));
}

static inline struct doca_comch_consumer *new_dpa_consumer(struct rig *rig, uint32_t depth)
{
	struct doca_comch_consumer *consumer;
	struct doca_ctx *ctx;

	assert_ok(doca_comch_msgq_consumer_create(rig->msgq, &consumer));
	ctx = doca_comch_consumer_as_ctx(consumer);
	assert_ok(doca_comch_consumer_set_imm_data_len(consumer, 32));
	assert_ok(doca_ctx_set_datapath_on_dpa(ctx, &dpa));
	assert_ok(doca_comch_consumer_set_completion(consumer, rig->completion, 7));
	assert_ok(doca_comch_consumer_set_dev_max_num_recv(consumer, depth));
	assert_ok(doca_ctx_start(ctx));
	assert_int_equal(state_of(ctx), DOCA_CTX_STATE_RUNNING);
	return consumer;
}

static inline void add_dpa_consumer(struct rig *rig, uint32_t depth)
{
	rig->consumer = new_dpa_consumer(rig, depth);
	assert_ok(doca_comch_consumer_get_dpa_handle(rig->consumer, &rig->consumer_handle));
}

static inline void add_dpa_producer(struct rig *rig, uint32_t depth)
{
	struct doca_ctx *ctx;

	assert_ok(doca_comch_msgq_producer_create(rig->msgq, &rig->producer));
	ctx = doca_comch_producer_as_ctx(rig->producer);
	assert_ok(doca_ctx_set_datapath_on_dpa(ctx, &dpa));
	assert_ok(doca_comch_producer_dpa_completion_attach(rig->producer, &reports));
	assert_ok(doca_comch_producer_set_dev_max_num_send(rig->producer, depth));
	assert_ok(doca_ctx_start(ctx));
	assert_int_equal(state_of(ctx), DOCA_CTX_STATE_RUNNING);
	assert_ok(doca_comch_producer_get_dpa_handle(rig->producer, &rig->producer_handle));
}

/* the next message is that */
static inline void expect_message(const struct rig *rig, uint32_t value)
{
	doca_dpa_dev_comch_consumer_completion_element_t element;
	const uint8_t *imm;
	uint32_t size, found;

	assert_int_equal(
		doca_dpa_dev_comch_consumer_get_completion(rig->completion_handle, &element), 1);
	imm = doca_dpa_dev_comch_consumer_get_completion_imm(element, &size);
	assert_int_equal(size, sizeof(found));
	memcpy(&found, imm, sizeof(found));
	assert_int_equal(found, value);
}

static inline void expect_none(const struct rig *rig)
{
	doca_dpa_dev_comch_consumer_completion_element_t element;
	unsigned int pauses = seen.pauses;

	assert_int_equal(
		doca_dpa_dev_comch_consumer_get_completion(rig->completion_handle, &element), 0);
	assert_int_equal(seen.pauses, pauses + 1);
}

static inline void give_back(const struct rig *rig, uint64_t count)
{
	doca_dpa_dev_comch_consumer_completion_ack(rig->completion_handle, count);
}

static inline void dpa_send(const struct rig *rig, uint32_t value, uint32_t flags)
{
	doca_dpa_dev_comch_producer_post_send_imm_only(
		rig->producer_handle, 1, (const uint8_t *)&value, sizeof(value), flags);
}

/*
 * Together
 */

/* a queue to DPA code, with one of each */
static inline void run_to_dpa(struct rig *rig, uint32_t depth, uint32_t max_recv)
{
	assert_ok(doca_comch_msgq_set_dpa_consumer(rig->msgq, &dpa));
	assert_ok(doca_comch_msgq_start(rig->msgq));
	add_completion(rig, true);
	start_completion(rig, max_recv);
	add_dpa_consumer(rig, depth);
	add_cpu_producer(rig);
}

/* a queue from DPA code */
static inline void run_from_dpa(struct rig *rig, uint32_t depth)
{
	assert_ok(doca_comch_msgq_set_dpa_producer(rig->msgq, &dpa));
	assert_ok(doca_comch_msgq_start(rig->msgq));
	add_cpu_consumer(rig);
	add_dpa_producer(rig, depth);
}

static inline void stop_all(struct rig *rig)
{
	doca_ctx_stop(doca_comch_producer_as_ctx(rig->producer));
	doca_ctx_stop(doca_comch_consumer_as_ctx(rig->consumer));
	progress(rig);
	assert_int_equal(state_of(doca_comch_producer_as_ctx(rig->producer)), DOCA_CTX_STATE_IDLE);
	assert_int_equal(state_of(doca_comch_consumer_as_ctx(rig->consumer)), DOCA_CTX_STATE_IDLE);
}

static inline void end(struct rig *rig)
{
	stop_all(rig);
	assert_ok(doca_comch_consumer_destroy(rig->consumer));
	assert_ok(doca_comch_producer_destroy(rig->producer));
	assert_ok(doca_comch_msgq_stop(rig->msgq));
	if (!rig->completion)
		return;
	assert_ok(doca_comch_consumer_completion_stop(rig->completion));
	assert_ok(doca_comch_consumer_completion_destroy(rig->completion));
	rig->completion = NULL;
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

#endif
