/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Producers by the names of cc, and task numbers as exponents.
 */
#include "cctest.h"

#define LOG_TASKS 3u

static void limits_are_those_of_comch(void **state)
{
	struct doca_dev *dev = open_dev(HOST_PF0);
	const struct doca_devinfo *devinfo = doca_dev_as_devinfo(dev);
	uint32_t count, log;

	(void)state;
	assert_ok(doca_cc_producer_cap_is_supported(devinfo));
	assert_same_cap(devinfo, doca_cc_producer_cap_get_max_num_tasks,
			doca_comch_producer_cap_get_max_num_tasks);
	assert_same_cap(devinfo, doca_cc_producer_cap_get_max_buf_size,
			doca_comch_producer_cap_get_max_buf_size);
	assert_same_cap(devinfo, doca_cc_producer_cap_get_max_producers,
			doca_comch_producer_cap_get_max_producers);
	assert_ok(doca_cc_producer_cap_get_max_num_tasks(devinfo, &count));
	assert_ok(doca_cc_producer_cap_get_max_log_num_tasks(devinfo, &log));
	assert_true(count >= 1u << log && count < 2u << log);
	assert_err(doca_cc_producer_cap_get_max_log_num_tasks(devinfo, NULL), INVALID_VALUE);
	assert_err(doca_cc_producer_cap_get_max_log_num_tasks(NULL, &log), INVALID_VALUE);
	assert_ok(doca_dev_close(dev));
}

static void sent(struct doca_cc_producer_send_task *task, union doca_data task_data,
		 union doca_data ctx_data)
{
	(void)task_data;
	(void)ctx_data;
	doca_task_free(doca_cc_producer_send_task_as_task(task));
}

static void a_number_of_tasks_is_an_exponent(void **state)
{
	struct fastpath *fastpath = *state;
	struct fast_end *consumer = add_consumer(fastpath, fastpath->pair.server, 65536);
	struct fast_end *end = add_producer(fastpath, fastpath->pair.client, 65536);
	struct doca_cc_producer *producer = (struct doca_cc_producer *)end->producer;
	struct doca_cc_producer_send_task *tasks[1 << LOG_TASKS], *more;
	struct doca_buf *buf;
	unsigned int i;

	assert_err(doca_cc_producer_send_task_set_conf(producer, sent, sent, 32), INVALID_VALUE);
	assert_ok(doca_cc_producer_send_task_set_conf(producer, sent, sent, LOG_TASKS));
	end_run(consumer);
	end_run(end);
	buf = memory_data(&end->memory, 0, 64);
	for (i = 0; i < ARRAY_SIZE(tasks); i++) {
		assert_ok(doca_cc_producer_send_task_alloc_init(producer, buf, consumer->id,
								&tasks[i]));
		assert_ptr_equal(doca_cc_producer_send_task_get_buf(tasks[i]), buf);
	}
	assert_err(doca_cc_producer_send_task_alloc_init(producer, buf, consumer->id, &more),
		   NO_MEMORY);
	for (i = 0; i < ARRAY_SIZE(tasks); i++)
		doca_task_free(doca_cc_producer_send_task_as_task(tasks[i]));
	assert_ok(doca_buf_dec_refcount(buf, NULL));
}

static void a_task_of_2_5_goes_where_it_is_told(void **state)
{
	const doca_cc_producer_send_task_comp_handler handler = sent;
	struct fastpath *fastpath = *state;
	struct fast_end *consumer = add_consumer(fastpath, fastpath->pair.server, 65536);
	struct fast_end *end = add_producer(fastpath, fastpath->pair.client, 65536);
	struct doca_cc_producer *producer = (struct doca_cc_producer *)end->producer;
	struct doca_cc_producer_send_task *task;
	struct doca_buf *buf, *other;

	assert_ok(doca_cc_producer_send_task_set_conf(producer, handler, handler, LOG_TASKS));
	end_run(consumer);
	end_run(end);
	buf = memory_data(&end->memory, 0, 64);
	other = memory_data(&end->memory, 64, 32);
	assert_ok(doca_cc_producer_send_task_alloc_init(producer, buf, 1234, &task));
	assert_int_equal(doca_cc_producer_send_task_get_consumer_id(task), 1234);
	doca_cc_producer_send_task_set_consumer_id(task, consumer->id);
	assert_int_equal(doca_cc_producer_send_task_get_consumer_id(task), consumer->id);
	doca_cc_producer_send_task_set_buf(task, other);
	assert_ptr_equal(doca_cc_producer_send_task_get_buf(task), other);
	assert_ok(end_post(consumer, 0, 64));
	assert_ok(doca_task_submit(doca_cc_producer_send_task_as_task(task)));
	fastpath_settle(fastpath);
	assert_int_equal(consumer->done, 1);
	assert_int_equal(consumer->size, 32);
	assert_ok(doca_buf_dec_refcount(buf, NULL));
	assert_ok(doca_buf_dec_refcount(other, NULL));
}

static void a_task_goes_where_it_is_told(void **state)
{
	struct fastpath *fastpath = *state;
	struct fast_end *consumer = add_consumer(fastpath, fastpath->pair.server, 65536);
	struct fast_end *end = add_producer(fastpath, fastpath->pair.client, 65536);
	struct doca_cc_producer *producer = (struct doca_cc_producer *)end->producer;
	struct doca_cc_producer_task_send *task;
	struct doca_buf *buf, *other;
	uint32_t id = 0;

	end_run(consumer);
	end_run(end);
	assert_ok(doca_cc_producer_get_id(producer, &id));
	assert_int_equal(id, end->id);
	assert_ptr_equal(doca_cc_producer_as_ctx(producer), end->ctx);
	buf = memory_data(&end->memory, 0, 64);
	other = memory_data(&end->memory, 64, 32);
	assert_ok(doca_cc_producer_task_send_alloc_init(producer, buf, 1234, &task));
	assert_int_equal(doca_cc_producer_task_send_get_consumer_id(task), 1234);
	doca_cc_producer_task_send_set_consumer_id(task, consumer->id);
	assert_int_equal(doca_cc_producer_task_send_get_consumer_id(task), consumer->id);
	doca_cc_producer_task_send_set_buf(task, other);
	assert_ptr_equal(doca_cc_producer_task_send_get_buf(task), other);
	assert_ok(end_post(consumer, 0, 64));
	assert_ok(doca_task_submit(doca_cc_producer_task_send_as_task(task)));
	fastpath_settle(fastpath);
	assert_int_equal(consumer->done, 1);
	assert_int_equal(consumer->size, 32);
	assert_ok(doca_buf_dec_refcount(buf, NULL));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(limits_are_those_of_comch, leak_setup,
						leak_teardown),
		cmocka_unit_test_setup_teardown(a_number_of_tasks_is_an_exponent, fastpath_setup,
						fastpath_teardown),
		cmocka_unit_test_setup_teardown(a_task_of_2_5_goes_where_it_is_told, fastpath_setup,
						fastpath_teardown),
		cmocka_unit_test_setup_teardown(a_task_goes_where_it_is_told, fastpath_setup,
						fastpath_teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
