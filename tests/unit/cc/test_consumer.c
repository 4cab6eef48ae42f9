/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Consumers by the names of cc, and task numbers as exponents.
 */
#include "cctest.h"

#define LOG_TASKS 3u

static void limits_are_those_of_comch(void **state)
{
	struct doca_dev *dev = open_dev(HOST_PF0);
	const struct doca_devinfo *devinfo = doca_dev_as_devinfo(dev);
	uint32_t count, log;

	(void)state;
	assert_ok(doca_cc_consumer_cap_is_supported(devinfo));
	assert_same_cap(devinfo, doca_cc_consumer_cap_get_max_num_tasks,
			doca_comch_consumer_cap_get_max_num_tasks);
	assert_same_cap(devinfo, doca_cc_consumer_cap_get_max_buf_size,
			doca_comch_consumer_cap_get_max_buf_size);
	assert_same_cap(devinfo, doca_cc_consumer_cap_get_max_consumers,
			doca_comch_consumer_cap_get_max_consumers);
	assert_ok(doca_cc_consumer_cap_get_max_num_tasks(devinfo, &count));
	assert_ok(doca_cc_consumer_cap_get_max_log_num_tasks(devinfo, &log));
	assert_true(count >= 1u << log && count < 2u << log);
	assert_err(doca_cc_consumer_cap_get_max_log_num_tasks(devinfo, NULL), INVALID_VALUE);
	assert_err(doca_cc_consumer_cap_get_max_log_num_tasks(NULL, &log), INVALID_VALUE);
	assert_ok(doca_dev_close(dev));
}

static void received(struct doca_cc_consumer_post_recv_task *task, union doca_data task_data,
		     union doca_data ctx_data)
{
	(void)task_data;
	(void)ctx_data;
	doca_task_free(doca_cc_consumer_post_recv_task_as_task(task));
}

static void a_number_of_tasks_is_an_exponent(void **state)
{
	struct fastpath *fastpath = *state;
	struct fast_end *end = add_consumer(fastpath, fastpath->pair.server, 65536);
	struct doca_cc_consumer *consumer = (struct doca_cc_consumer *)end->consumer;
	const doca_cc_consumer_post_recv_task_comp_handler handler = received;
	struct doca_cc_consumer_post_recv_task *tasks[1 << LOG_TASKS], *more;
	struct doca_cc_consumer_task_post_recv *twin;
	struct doca_buf *buf, *other;
	unsigned int i;

	assert_err(doca_cc_consumer_post_recv_task_set_conf(consumer, handler, handler, 32),
		   INVALID_VALUE);
	assert_ok(
		doca_cc_consumer_post_recv_task_set_conf(consumer, received, received, LOG_TASKS));
	end_run(end);
	buf = memory_room(&end->memory, 0, 64);
	other = memory_room(&end->memory, 64, 64);
	for (i = 0; i < ARRAY_SIZE(tasks); i++) {
		assert_ok(doca_cc_consumer_post_recv_task_alloc_init(consumer, buf, &tasks[i]));
		assert_ptr_equal(doca_cc_consumer_post_recv_task_get_buf(tasks[i]), buf);
	}
	assert_err(doca_cc_consumer_post_recv_task_alloc_init(consumer, buf, &more), NO_MEMORY);
	assert_err(doca_cc_consumer_post_recv_task_alloc_init(consumer, NULL, &more),
		   INVALID_VALUE);
	assert_err(doca_cc_consumer_task_post_recv_alloc_init(consumer, NULL, &twin),
		   INVALID_VALUE);
	doca_cc_consumer_post_recv_task_set_buf(tasks[0], other);
	assert_ptr_equal(doca_cc_consumer_post_recv_task_get_buf(tasks[0]), other);
	for (i = 0; i < ARRAY_SIZE(tasks); i++)
		doca_task_free(doca_cc_consumer_post_recv_task_as_task(tasks[i]));
	assert_ok(doca_buf_dec_refcount(other, NULL));
	assert_ok(doca_buf_dec_refcount(buf, NULL));
}

static void keep(struct fast_end *end, struct doca_comch_consumer_task_post_recv *task,
		 doca_error_t status)
{
	assert_ok(status);
	end->arg = task;
}

static void a_task_tells_what_its_twin_does(void **state)
{
	struct fastpath *fastpath = *state;
	struct fast_end *end = add_consumer(fastpath, fastpath->pair.server, 65536);
	struct fast_end *producer = add_producer(fastpath, fastpath->pair.client, 65536);
	struct doca_cc_consumer *consumer = (struct doca_cc_consumer *)end->consumer;
	struct doca_cc_consumer_task_post_recv *task;
	struct doca_buf *first, *second;

	end_run(end);
	end_run(producer);
	first = memory_room(&end->memory, 0, 64);
	second = memory_room(&end->memory, 64, 64);
	assert_ok(doca_cc_consumer_task_post_recv_alloc_init(consumer, first, &task));
	assert_ptr_equal(doca_cc_consumer_task_post_recv_get_buf(task), first);
	doca_cc_consumer_task_post_recv_set_buf(task, second);
	assert_ptr_equal(doca_cc_consumer_task_post_recv_get_buf(task), second);
	end->on_received = keep;
	assert_ok(doca_task_submit(doca_cc_consumer_task_post_recv_as_task(task)));
	assert_ok(end_send(producer, 0, 10, end->id));
	fastpath_settle(fastpath);
	assert_ptr_equal(end->arg, task);
	assert_int_equal(doca_cc_consumer_task_post_recv_get_producer_id(task), producer->id);
	doca_task_free(doca_cc_consumer_task_post_recv_as_task(task));
	assert_ok(doca_buf_dec_refcount(first, NULL));
	assert_ok(doca_buf_dec_refcount(second, NULL));
}

static void it_has_the_id_that_comch_tells(void **state)
{
	struct fastpath *fastpath = *state;
	struct fast_end *end = add_consumer(fastpath, fastpath->pair.server, 65536);
	uint32_t id = 0;

	end_run(end);
	assert_ok(doca_cc_consumer_get_id((struct doca_cc_consumer *)end->consumer, &id));
	assert_int_equal(id, end->id);
	assert_ptr_equal(doca_cc_consumer_as_ctx((struct doca_cc_consumer *)end->consumer),
			 end->ctx);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(limits_are_those_of_comch, leak_setup,
						leak_teardown),
		cmocka_unit_test_setup_teardown(a_number_of_tasks_is_an_exponent, fastpath_setup,
						fastpath_teardown),
		cmocka_unit_test_setup_teardown(a_task_tells_what_its_twin_does, fastpath_setup,
						fastpath_teardown),
		cmocka_unit_test_setup_teardown(it_has_the_id_that_comch_tells, fastpath_setup,
						fastpath_teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
