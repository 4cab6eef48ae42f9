/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Clocks: the machine's, by the names that a card has for its own and for those of its host.
 */
#include "doca_clock.h"

#include <stdbool.h>
#include <stdlib.h>
#include <time.h>
#include "core/devinfo.h"

#define NS_PER_S 1000000000u

/* A reader has nothing of its device, which programs close first. */
struct doca_clock {
	char nothing;
};

doca_error_t doca_clock_create(struct doca_dev *dev, struct doca_clock **clock)
{
	struct doca_clock *made;

	if (!dev || !clock)
		return DOCA_ERROR_INVALID_VALUE;
	made = calloc(1, sizeof(*made));
	if (!made)
		return DOCA_ERROR_NO_MEMORY;
	*clock = made;
	return DOCA_SUCCESS;
}

doca_error_t doca_clock_destroy(struct doca_clock *clock)
{
	if (!clock)
		return DOCA_ERROR_INVALID_VALUE;
	free(clock);
	return DOCA_SUCCESS;
}

doca_error_t doca_clock_cap_nic_free_running_is_supported(const struct doca_devinfo *devinfo)
{
	return devinfo_always_can(devinfo);
}

doca_error_t doca_clock_cap_nic_real_time_is_supported(const struct doca_devinfo *devinfo)
{
	return devinfo_always_can(devinfo);
}

doca_error_t doca_clock_cap_nic_dpa_timer_is_supported(const struct doca_devinfo *devinfo)
{
	return devinfo_always_can(devinfo);
}

static uint64_t cycles(void)
{
#if defined(__x86_64__)
	return __builtin_ia32_rdtsc();
#elif defined(__aarch64__)
	uint64_t count;

	__asm__ volatile("isb; mrs %0, cntvct_el0" : "=r"(count)::"memory");
	return count;
#else
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC_RAW, &ts);
	return (uint64_t)ts.tv_sec * NS_PER_S + (uint64_t)ts.tv_nsec;
#endif
}

static doca_error_t look(uint64_t clock_type, union doca_clock_timespec_t *timestamp)
{
	clockid_t id = CLOCK_REALTIME;

	switch (clock_type) {
	case DOCA_CLOCK_HOST_COUNTER_CYCLES:
		timestamp->counter = cycles();
		return DOCA_SUCCESS;
	case DOCA_CLOCK_NIC_REAL_TIME:
	case DOCA_CLOCK_NIC_DPA_TIMER:
	case DOCA_CLOCK_HOST_REAL_TIME:
		break;
	case DOCA_CLOCK_HOST_MONOTONIC:
		id = CLOCK_MONOTONIC;
		break;
	case DOCA_CLOCK_NIC_FREE_RUNNING:
	case DOCA_CLOCK_HOST_MONOTONIC_RAW:
		id = CLOCK_MONOTONIC_RAW;
		break;
	default:
		return DOCA_ERROR_INVALID_VALUE;
	}
	clock_gettime(id, &timestamp->ts);
	return DOCA_SUCCESS;
}

doca_error_t doca_clock_get_timestamp(const struct doca_clock *clock, uint64_t clock_type,
				      union doca_clock_timespec_t *timestamp)
{
	if (!clock || !timestamp)
		return DOCA_ERROR_INVALID_VALUE;
	return look(clock_type, timestamp);
}

static bool is_of_nic(uint64_t clock_type)
{
	return clock_type == DOCA_CLOCK_NIC_FREE_RUNNING ||
	       clock_type == DOCA_CLOCK_NIC_REAL_TIME || clock_type == DOCA_CLOCK_NIC_DPA_TIMER;
}

static uint64_t as_number(uint64_t clock_type, const union doca_clock_timespec_t *timestamp)
{
	if (clock_type == DOCA_CLOCK_HOST_COUNTER_CYCLES)
		return timestamp->counter;
	return (uint64_t)timestamp->ts.tv_sec * NS_PER_S + (uint64_t)timestamp->ts.tv_nsec;
}

static union doca_clock_timespec_t from_number(uint64_t clock_type, uint64_t number)
{
	union doca_clock_timespec_t timestamp = {0};

	if (clock_type == DOCA_CLOCK_HOST_COUNTER_CYCLES) {
		timestamp.counter = number;
	} else {
		timestamp.ts.tv_sec = (time_t)(number / NS_PER_S);
		timestamp.ts.tv_nsec = (long)(number % NS_PER_S);
	}
	return timestamp;
}

/* The second clock is read between two looks at the first one, whose middle counts. */
doca_error_t doca_clock_get_crosstimestamp(const struct doca_clock *clock, uint64_t primary_clock,
					   uint64_t nic_clock,
					   union doca_clock_timespec_t *primary_timestamp,
					   union doca_clock_timespec_t *nic_timestamp,
					   uint64_t *accuracy)
{
	union doca_clock_timespec_t before, after, nic;
	uint64_t from, to;

	if (!clock || !primary_timestamp || !nic_timestamp || !accuracy || !is_of_nic(nic_clock) ||
	    look(primary_clock, &before))
		return DOCA_ERROR_INVALID_VALUE;
	look(nic_clock, &nic);
	look(primary_clock, &after);
	from = as_number(primary_clock, &before);
	to = as_number(primary_clock, &after);
	if (to < from) /* somebody has set the clock back */
		to = from;
	*primary_timestamp = from_number(primary_clock, from + (to - from) / 2);
	*nic_timestamp = nic;
	*accuracy = (to - from + 1) / 2;
	return DOCA_SUCCESS;
}
