/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What queues, and what is on them, refuse because of the state that they are in: the log says why.
 */
#include "test.h"

#include "doca_log.h"
#include "fake_dpa.h"
#include "said.h"

static struct rig *begin(void)
{
	struct doca_log_backend *backend;
	void *rig;

	assert_ok(doca_log_backend_create_with_fd_sdk(STDERR_FILENO, &backend));
	assert_ok(doca_log_backend_set_sdk_level(backend, DOCA_LOG_LEVEL_DEBUG));
	set_up(&rig);
	return rig;
}

static void misuse_a_queue(struct child *parent, void *arg)
{
	struct rig *rig = begin();
	struct doca_comch_consumer *consumer;

	(void)parent;
	(void)arg;
	assert_err(doca_comch_msgq_consumer_create(rig->msgq, &consumer), BAD_STATE);
	assert_err(doca_comch_msgq_stop(rig->msgq), BAD_STATE);
	assert_ok(doca_comch_msgq_start(rig->msgq));
	assert_err(doca_comch_msgq_start(rig->msgq), BAD_STATE);
	assert_err(doca_comch_msgq_set_max_num_consumers(rig->msgq, 2), BAD_STATE);
	assert_err(doca_comch_msgq_set_dpa_producer(rig->msgq, &dpa), BAD_STATE);
}

static void queues_tell_whether_they_are_started(void **state)
{
	char said[SAID_SIZE];

	(void)state;
	listen_to(misuse_a_queue, NULL, said);
	assert_int_equal(said_count(said, "queue cannot be used or stopped: it is not started"), 2);
	assert_int_equal(said_count(said, "queue cannot be changed or started: it is started"), 3);
}

static void misuse_what_is_on_the_cpu(struct child *parent, void *arg)
{
	struct doca_comch_consumer_task_post_recv *task;
	struct rig *rig = begin();
	uint64_t handle;

	(void)parent;
	(void)arg;
	assert_ok(doca_comch_msgq_start(rig->msgq));
	assert_ok(doca_comch_msgq_consumer_create(rig->msgq, &rig->consumer));
	assert_err(doca_comch_consumer_task_post_recv_alloc_init(rig->consumer, NULL, &task),
		   BAD_STATE);
	assert_ok(doca_comch_consumer_task_post_recv_set_conf(rig->consumer, rig_received,
							      rig_flushed, CPU_TASKS));
	assert_err(doca_comch_consumer_task_post_recv_alloc_init(rig->consumer, NULL, &task),
		   BAD_STATE);
	assert_err(doca_comch_consumer_get_dpa_handle(rig->consumer, &handle), BAD_STATE);
}

static void tasks_and_handles_are_missed_for_a_reason(void **state)
{
	char said[SAID_SIZE];

	(void)state;
	listen_to(misuse_what_is_on_the_cpu, NULL, said);
	assert_int_equal(said_count(said, "a task of a context that is not running, or of a type"),
			 2);
	assert_non_null(strstr(said, "has no handle for DPA code: its queue has them on the CPU"));
}

static void misuse_what_is_on_the_dpa(struct child *parent, void *arg)
{
	struct doca_comch_producer_task_send *task;
	struct rig *rig = begin();
	uint64_t handle;
	uint8_t imm = 1;

	(void)parent;
	(void)arg;
	run_from_dpa(rig, 4);
	assert_err(doca_comch_producer_task_send_alloc_init(rig->producer, NULL, &imm, 1, 1, &task),
		   BAD_STATE);
	assert_err(doca_ctx_start(doca_comch_producer_as_ctx(rig->producer)), BAD_STATE);
	assert_ok(doca_ctx_stop(doca_comch_producer_as_ctx(rig->producer)));
	assert_err(doca_comch_producer_get_dpa_handle(rig->producer, &handle), BAD_STATE);
	add_completion(rig, false);
	assert_err(doca_comch_consumer_completion_get_dpa_handle(rig->completion, &handle),
		   BAD_STATE);
	assert_ok(doca_comch_consumer_completion_start(rig->completion));
	assert_err(doca_comch_consumer_completion_set_max_num_recv(rig->completion, 2), BAD_STATE);
}

static void what_is_on_the_dpa_tells_why(void **state)
{
	char said[SAID_SIZE];

	(void)state;
	listen_to(misuse_what_is_on_the_dpa, NULL, said);
	assert_non_null(strstr(said, "on a DPA it has no tasks"));
	assert_non_null(strstr(said, "its context is RUNNING, and has to be IDLE"));
	assert_non_null(strstr(said, "has no handle for DPA code: it is not running"));
	assert_non_null(strstr(said, "completion has no handle, and cannot be stopped: it is not"));
	assert_non_null(strstr(said, "completion cannot be changed or started: it is started"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(queues_tell_whether_they_are_started),
		cmocka_unit_test(tasks_and_handles_are_missed_for_a_reason),
		cmocka_unit_test(what_is_on_the_dpa_tells_why),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
