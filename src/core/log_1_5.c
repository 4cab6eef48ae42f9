/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Logging of releases up to 1.5, in terms of today's: a backend that nobody has made, and messages
 * that are limited in number.
 */
#include "softfield_log_1_5.h"

#include <stdatomic.h>
#include <time.h>
#include "core/log.h"

/* Relaxed everywhere: a thread that sees a change late only shows or skips a line more. */
static _Atomic uint16_t limit_seconds = 10;
static _Atomic uint16_t limit_lines = 20;

doca_error_t softfield_log_register_source(const char *source_name, int *source)
{
	doca_error_t err = doca_log_register_source(source_name, source);

	if (!err)
		priv_log_backend_add_default();
	return err;
}

doca_error_t softfield_log_stream_redirect(FILE *stream)
{
	if (!stream)
		return DOCA_ERROR_INVALID_VALUE;
	log_backend_redirect_default(stream);
	return DOCA_SUCCESS;
}

uint16_t softfield_log_get_bucket_time(void)
{
	return atomic_load_explicit(&limit_seconds, memory_order_relaxed);
}

void softfield_log_set_bucket_time(uint16_t bucket_time)
{
	atomic_store_explicit(&limit_seconds, bucket_time, memory_order_relaxed);
}

uint16_t softfield_log_get_quantity(void)
{
	return atomic_load_explicit(&limit_lines, memory_order_relaxed);
}

void softfield_log_set_quantity(uint16_t quantity)
{
	atomic_store_explicit(&limit_lines, quantity, memory_order_relaxed);
}

bool log_bucket_take(uint64_t *bucket, uint64_t now_ms)
{
	uint64_t old = __atomic_load_n(bucket, __ATOMIC_RELAXED); /* one word, no order */
	uint64_t begin, count;

	do { /* ends: whoever comes in between has counted a line */
		begin = old >> 16;
		count = old & UINT16_MAX;
		if (now_ms >= begin + softfield_log_get_bucket_time() * UINT64_C(1000)) {
			begin = now_ms;
			count = 0;
		}
		if (count >= softfield_log_get_quantity())
			return false;
	} while (!__atomic_compare_exchange_n(bucket, &old, begin << 16 | (count + 1), true,
					      __ATOMIC_RELAXED, __ATOMIC_RELAXED));
	return true;
}

bool softfield_log_bucket_take(uint64_t *bucket)
{
	struct timespec now;

	if (!bucket)
		return false;
	clock_gettime(CLOCK_MONOTONIC, &now);
	return log_bucket_take(bucket, now.tv_sec * UINT64_C(1000) + now.tv_nsec / 1000000);
}
