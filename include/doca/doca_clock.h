/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Clocks of a device and of the machine it is in, read one at a time or two at once.
 *
 * A device's clocks are those of this machine, which both sides share: what one side reads, the
 * other may compare with what it has read.
 */
#ifndef DOCA_CLOCK_H_
#define DOCA_CLOCK_H_

#include <stdint.h>
#include <time.h>
#ifdef __GLIBC__
#include <bits/types/struct_timespec.h> /* strict C99 has it not in <time.h> */
#endif

#include <doca_compat.h>
#include <doca_error.h>

#ifdef __cplusplus
extern "C" {
#endif

struct doca_dev;
struct doca_devinfo;

/** Reads the clocks of a device, and with them the machine's. */
struct doca_clock;

/** Clocks; one bit each, so that programs can have a set of them. */
enum {
	DOCA_CLOCK_NIC_FREE_RUNNING = (1 << 0),	   /**< the device's, which nobody ever sets */
	DOCA_CLOCK_NIC_REAL_TIME = (1 << 1),	   /**< the device's time of day */
	DOCA_CLOCK_NIC_DPA_TIMER = (1 << 2),	   /**< what __dpa_thread_time() says in DPA code */
	DOCA_CLOCK_HOST_COUNTER_CYCLES = (1 << 3), /**< the CPU's counter */
	DOCA_CLOCK_HOST_REAL_TIME = (1 << 4),	   /**< CLOCK_REALTIME */
	DOCA_CLOCK_HOST_MONOTONIC = (1 << 5),	   /**< CLOCK_MONOTONIC */
	DOCA_CLOCK_HOST_MONOTONIC_RAW = (1 << 6),  /**< CLOCK_MONOTONIC_RAW */
};

/** What a clock shows. */
union doca_clock_timespec_t {
	struct timespec ts; /**< all but the next one */
	uint64_t counter;   /**< DOCA_CLOCK_HOST_COUNTER_CYCLES */
};

/**
 * @brief Creates a reader of clocks.
 *
 * @param [in] dev the device, which may be closed before the clock is destroyed.
 * @param [out] clock give it back with doca_clock_destroy().
 *
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: a pointer is NULL
 * - DOCA_ERROR_NO_MEMORY: no memory for it
 *
 * Any thread. Source: decision 60.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_clock_create(struct doca_dev *dev, struct doca_clock **clock);

/**
 * @brief Destroys a reader of clocks.
 *
 * @param [in] clock the reader.
 *
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: clock is NULL
 *
 * Any thread, when no other one reads it. Source: decision 60.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_clock_destroy(struct doca_clock *clock);

/**
 * @brief Has the device a clock that nobody ever sets? Every one has.
 *
 * @param [in] devinfo the device.
 *
 * @return DOCA_SUCCESS: it has, or
 * - DOCA_ERROR_INVALID_VALUE: devinfo is NULL
 *
 * Any thread. Source: decision 60.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_clock_cap_nic_free_running_is_supported(const struct doca_devinfo *devinfo);

/**
 * @brief Does the device know the time of day? Every one does.
 *
 * @param [in] devinfo the device.
 *
 * @return DOCA_SUCCESS: it does, or
 * - DOCA_ERROR_INVALID_VALUE: devinfo is NULL
 *
 * Any thread. Source: decision 60.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_clock_cap_nic_real_time_is_supported(const struct doca_devinfo *devinfo);

/**
 * @brief Can the clock of the device's DPA be read? Everyone's can.
 *
 * @param [in] devinfo the device.
 *
 * @return DOCA_SUCCESS: it can, or
 * - DOCA_ERROR_INVALID_VALUE: devinfo is NULL
 *
 * Any thread. Source: decision 60.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_clock_cap_nic_dpa_timer_is_supported(const struct doca_devinfo *devinfo);

/**
 * @brief Reads one clock.
 *
 * @param [in] clock the reader.
 * @param [in] clock_type which one, DOCA_CLOCK_*.
 * @param [out] timestamp what it shows.
 *
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: a pointer is NULL, or there is no such clock
 *
 * Any thread. Source: decision 60.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_clock_get_timestamp(const struct doca_clock *clock, uint64_t clock_type,
				      union doca_clock_timespec_t *timestamp);

/**
 * @brief Reads two clocks as one: what the first one showed when the second one was read.
 *
 * @param [in] clock the reader.
 * @param [in] primary_clock DOCA_CLOCK_*.
 * @param [in] nic_clock DOCA_CLOCK_NIC_*.
 * @param [out] primary_timestamp what the first one shows.
 * @param [out] nic_timestamp what the second one shows.
 * @param [out] accuracy how far primary_timestamp may be from that moment, in nanoseconds; if it
 * is DOCA_CLOCK_HOST_COUNTER_CYCLES, in its cycles.
 *
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: a pointer is NULL, there is no such clock, or the second one is not
 *   the device's
 *
 * Any thread. Source: decision 60.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_clock_get_crosstimestamp(const struct doca_clock *clock, uint64_t primary_clock,
					   uint64_t nic_clock,
					   union doca_clock_timespec_t *primary_timestamp,
					   union doca_clock_timespec_t *nic_timestamp,
					   uint64_t *accuracy);

#ifdef __cplusplus
}
#endif

#endif
