/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What the tests of cc share: each function must reach its own twin, which has tests of its own.
 */
#ifndef SOFTFIELD_CCTEST_H
#define SOFTFIELD_CCTEST_H

#include "test.h"

#include "doca_cc.h"
#include "doca_cc_consumer.h"
#include "doca_cc_producer.h"
#include "doca_comch.h"
#include "doca_comch_consumer.h"
#include "doca_comch_producer.h"
#include "fastpath.h"
#include "world.h"

typedef doca_error_t (*cap_t)(const struct doca_devinfo *devinfo, uint32_t *value);

/* Both give the same, and it was not there before. */
static inline void assert_same_cap(const struct doca_devinfo *devinfo, cap_t cap, cap_t twin)
{
	uint32_t value = 0, expected = 0;

	assert_ok(twin(devinfo, &expected));
	assert_ok(cap(devinfo, &value));
	assert_int_equal(value, expected);
	assert_int_not_equal(value, 0);
	assert_err(cap(NULL, &value), INVALID_VALUE);
	assert_err(cap(devinfo, NULL), INVALID_VALUE);
}

#endif
