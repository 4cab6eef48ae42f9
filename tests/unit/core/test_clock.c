/* SPDX-License-Identifier: BSD-3-Clause */
/* Clocks: what they show is the machine's time, and two of them are read as one. */
#include "test.h"

#include <sys/time.h>
#include "devices.h"
#include "doca_clock.h"

#define NS_PER_S 1000000000

static struct doca_clock *clock_of(const char *address)
{
	struct doca_dev *dev = open_dev(address);
	struct doca_clock *clock;

	assert_ok(doca_clock_create(dev, &clock));
	assert_ok(doca_dev_close(dev)); /* programs close it first */
	return clock;
}

static int64_t as_ns(struct timespec ts)
{
	return (int64_t)ts.tv_sec * NS_PER_S + ts.tv_nsec;
}

static int64_t system_ns(clockid_t id)
{
	struct timespec ts;

	assert_int_equal(clock_gettime(id, &ts), 0);
	return as_ns(ts);
}

static int64_t shown(const struct doca_clock *clock, uint64_t type)
{
	union doca_clock_timespec_t timestamp = {.counter = 0};

	assert_ok(doca_clock_get_timestamp(clock, type, &timestamp));
	assert_in_range(timestamp.ts.tv_nsec, 0, NS_PER_S - 1);
	return as_ns(timestamp.ts);
}

static void arguments_are_checked(void **state)
{
	struct doca_dev *dev = open_dev("0000:03:00.0");
	union doca_clock_timespec_t a;
	union doca_clock_timespec_t b;
	struct doca_clock *clock;
	uint64_t accuracy;

	(void)state;
	assert_err(doca_clock_create(NULL, &clock), INVALID_VALUE);
	assert_err(doca_clock_create(dev, NULL), INVALID_VALUE);
	assert_err(doca_clock_destroy(NULL), INVALID_VALUE);
	assert_err(doca_clock_cap_nic_free_running_is_supported(NULL), INVALID_VALUE);
	assert_err(doca_clock_cap_nic_real_time_is_supported(NULL), INVALID_VALUE);
	assert_err(doca_clock_cap_nic_dpa_timer_is_supported(NULL), INVALID_VALUE);
	assert_ok(doca_clock_create(dev, &clock));
	assert_err(doca_clock_get_timestamp(NULL, DOCA_CLOCK_NIC_REAL_TIME, &a), INVALID_VALUE);
	assert_err(doca_clock_get_timestamp(clock, DOCA_CLOCK_NIC_REAL_TIME, NULL), INVALID_VALUE);
	assert_err(doca_clock_get_timestamp(clock, 0, &a), INVALID_VALUE);
	assert_err(doca_clock_get_timestamp(
			   clock, DOCA_CLOCK_NIC_REAL_TIME | DOCA_CLOCK_HOST_REAL_TIME, &a),
		   INVALID_VALUE);
#define CROSS(clock, one, two, a, b, accuracy)                                                     \
	doca_clock_get_crosstimestamp(clock, DOCA_CLOCK_##one, DOCA_CLOCK_##two, a, b, accuracy)
	assert_err(CROSS(NULL, HOST_MONOTONIC, NIC_REAL_TIME, &a, &b, &accuracy), INVALID_VALUE);
	assert_err(CROSS(clock, HOST_MONOTONIC, NIC_REAL_TIME, NULL, &b, &accuracy), INVALID_VALUE);
	assert_err(CROSS(clock, HOST_MONOTONIC, NIC_REAL_TIME, &a, NULL, &accuracy), INVALID_VALUE);
	assert_err(CROSS(clock, HOST_MONOTONIC, NIC_REAL_TIME, &a, &b, NULL), INVALID_VALUE);
	assert_err(CROSS(clock, NIC_REAL_TIME, HOST_MONOTONIC, &a, &b, &accuracy), INVALID_VALUE);
	assert_err(doca_clock_get_crosstimestamp(clock, 0, DOCA_CLOCK_NIC_REAL_TIME, &a, &b,
						 &accuracy),
		   INVALID_VALUE);
	assert_ok(doca_clock_destroy(clock));
	assert_ok(doca_dev_close(dev));
}

static void every_device_has_all_clocks(void **state)
{
	struct doca_devinfo **list;
	uint32_t count;

	(void)state;
	assert_ok(doca_devinfo_create_list(&list, &count));
	for (uint32_t i = 0; i < count; i++) {
		assert_ok(doca_clock_cap_nic_free_running_is_supported(list[i]));
		assert_ok(doca_clock_cap_nic_real_time_is_supported(list[i]));
		assert_ok(doca_clock_cap_nic_dpa_timer_is_supported(list[i]));
	}
	assert_ok(doca_devinfo_destroy_list(list));
}

static void clocks_show_what_the_system_says(void **state)
{
	static const struct {
		uint64_t type;
		clockid_t id;
	} clocks[] = {
		{DOCA_CLOCK_NIC_FREE_RUNNING, CLOCK_MONOTONIC_RAW},
		{DOCA_CLOCK_NIC_REAL_TIME, CLOCK_REALTIME},
		{DOCA_CLOCK_HOST_REAL_TIME, CLOCK_REALTIME},
		{DOCA_CLOCK_HOST_MONOTONIC, CLOCK_MONOTONIC},
		{DOCA_CLOCK_HOST_MONOTONIC_RAW, CLOCK_MONOTONIC_RAW},
	};
	struct doca_clock *clock = clock_of("0000:b1:00.0");

	(void)state;
	for (size_t i = 0; i < sizeof(clocks) / sizeof(clocks[0]); i++) {
		int64_t before = system_ns(clocks[i].id);
		int64_t now = shown(clock, clocks[i].type);

		assert_true(before <= now && now <= system_ns(clocks[i].id));
	}
	assert_ok(doca_clock_destroy(clock));
}

/* DPA code reads it by __dpa_thread_time(), in microseconds. */
static void timer_of_the_dpa_is_the_one_that_its_code_reads(void **state)
{
	struct doca_clock *clock = clock_of("0000:03:00.0");
	struct timeval before;
	struct timeval after;
	int64_t now;

	(void)state;
	gettimeofday(&before, NULL);
	now = shown(clock, DOCA_CLOCK_NIC_DPA_TIMER);
	gettimeofday(&after, NULL);
	assert_true(before.tv_sec * 1000000 + before.tv_usec <= now / 1000);
	assert_true(now / 1000 <= after.tv_sec * 1000000 + after.tv_usec);
	assert_ok(doca_clock_destroy(clock));
}

static void counter_of_the_cpu_goes_on(void **state)
{
	struct doca_clock *clock = clock_of("0000:03:00.0");
	union doca_clock_timespec_t first;
	union doca_clock_timespec_t then;

	(void)state;
	assert_ok(doca_clock_get_timestamp(clock, DOCA_CLOCK_HOST_COUNTER_CYCLES, &first));
	do
		assert_ok(doca_clock_get_timestamp(clock, DOCA_CLOCK_HOST_COUNTER_CYCLES, &then));
	while (then.counter == first.counter);
	assert_true(then.counter > first.counter);
	assert_ok(doca_clock_destroy(clock));
}

/* Two names of one clock: what they show may differ by what the accuracy says, and no more. */
static void cross_timestamp_is_as_accurate_as_it_says(void **state)
{
	struct doca_clock *clock = clock_of("0000:03:00.0");
	union doca_clock_timespec_t host;
	union doca_clock_timespec_t nic;
	uint64_t accuracy;

	(void)state;
	for (int i = 0; i < 100; i++) {
		assert_ok(
			CROSS(clock, HOST_MONOTONIC_RAW, NIC_FREE_RUNNING, &host, &nic, &accuracy));
		assert_true((uint64_t)llabs(as_ns(host.ts) - as_ns(nic.ts)) <= accuracy);
	}
	assert_ok(doca_clock_destroy(clock));
}

static void cross_timestamp_in_cycles_lies_between_two_looks(void **state)
{
	struct doca_clock *clock = clock_of("0000:03:00.0");
	union doca_clock_timespec_t before;
	union doca_clock_timespec_t after;
	union doca_clock_timespec_t cycles;
	union doca_clock_timespec_t nic;
	uint64_t accuracy;

	(void)state;
	assert_ok(doca_clock_get_timestamp(clock, DOCA_CLOCK_HOST_COUNTER_CYCLES, &before));
	assert_ok(CROSS(clock, HOST_COUNTER_CYCLES, NIC_DPA_TIMER, &cycles, &nic, &accuracy));
	assert_ok(doca_clock_get_timestamp(clock, DOCA_CLOCK_HOST_COUNTER_CYCLES, &after));
	assert_true(before.counter <= cycles.counter && cycles.counter <= after.counter);
	assert_true(accuracy <= after.counter - before.counter);
	assert_true(as_ns(nic.ts) <= system_ns(CLOCK_REALTIME));
	assert_ok(doca_clock_destroy(clock));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(arguments_are_checked),
		cmocka_unit_test(every_device_has_all_clocks),
		cmocka_unit_test(clocks_show_what_the_system_says),
		cmocka_unit_test(timer_of_the_dpa_is_the_one_that_its_code_reads),
		cmocka_unit_test(counter_of_the_cpu_goes_on),
		cmocka_unit_test(cross_timestamp_is_as_accurate_as_it_says),
		cmocka_unit_test(cross_timestamp_in_cycles_lies_between_two_looks),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
