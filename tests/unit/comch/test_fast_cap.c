/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What a device says of its consumers and producers.
 */
#include "test.h"

#include "doca_comch_consumer.h"
#include "doca_comch_producer.h"
#include "topo/topo.h"
#include "world.h"

typedef doca_error_t get_cap(const struct doca_devinfo *devinfo, uint32_t *value);

static struct doca_dev *dev;

static int open_device(void **state)
{
	(void)state;
	dev = open_dev(HOST_PF0);
	return 0;
}

static int close_device(void **state)
{
	(void)state;
	return doca_dev_close(dev);
}

static void both_are_supported(void **state)
{
	(void)state;
	assert_err(doca_comch_consumer_cap_is_supported(NULL), INVALID_VALUE);
	assert_ok(doca_comch_consumer_cap_is_supported(doca_dev_as_devinfo(dev)));
	assert_err(doca_comch_producer_cap_is_supported(NULL), INVALID_VALUE);
	assert_ok(doca_comch_producer_cap_is_supported(doca_dev_as_devinfo(dev)));
}

static void numbers_are_those_of_the_limits(void **state)
{
	const struct topo_limits *limits = priv_topo_limits();
	const struct {
		get_cap *get;
		uint64_t expected;
	} caps[] = {
		{doca_comch_consumer_cap_get_max_num_tasks, limits->consumer_max_num_tasks},
		{doca_comch_consumer_cap_get_max_buf_size, limits->consumer_max_buf_size},
		{doca_comch_consumer_cap_get_max_buf_list_len, limits->consumer_max_buf_list_len},
		{doca_comch_consumer_cap_get_max_consumers, limits->consumer_max_consumers},
		{doca_comch_consumer_cap_get_max_imm_data_len, limits->consumer_max_imm_data_len},
		{doca_comch_producer_cap_get_max_num_tasks, limits->producer_max_num_tasks},
		{doca_comch_producer_cap_get_max_buf_size, limits->producer_max_buf_size},
		{doca_comch_producer_cap_get_max_buf_list_len, limits->producer_max_buf_list_len},
		{doca_comch_producer_cap_get_max_producers, limits->producer_max_producers},
	};
	unsigned int i;

	(void)state;
	for (i = 0; i < ARRAY_SIZE(caps); i++) {
		uint32_t value = 7;

		assert_err(caps[i].get(NULL, &value), INVALID_VALUE);
		assert_err(caps[i].get(doca_dev_as_devinfo(dev), NULL), INVALID_VALUE);
		assert_int_equal(value, 7);
		assert_ok(caps[i].get(doca_dev_as_devinfo(dev), &value));
		assert_int_equal(value, caps[i].expected);
	}
}

/* what public programs ask for, at least */
static void numbers_are_large_enough(void **state)
{
	static const struct {
		get_cap *get;
		uint32_t least;
	} caps[] = {
		{doca_comch_consumer_cap_get_max_num_tasks, 1024},
		{doca_comch_consumer_cap_get_max_buf_size, 0x40000000},
		{doca_comch_producer_cap_get_max_num_tasks, 1024},
		{doca_comch_producer_cap_get_max_buf_size, 0x40000000},
	};
	uint32_t value;
	unsigned int i;

	(void)state;
	for (i = 0; i < ARRAY_SIZE(caps); i++) {
		assert_ok(caps[i].get(doca_dev_as_devinfo(dev), &value));
		assert_true(value >= caps[i].least);
	}
	assert_ok(doca_comch_consumer_cap_get_max_imm_data_len(doca_dev_as_devinfo(dev), &value));
	assert_int_equal(value, 32);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(both_are_supported),
		cmocka_unit_test(numbers_are_those_of_the_limits),
		cmocka_unit_test(numbers_are_large_enough),
	};

	return cmocka_run_group_tests(tests, open_device, close_device);
}
