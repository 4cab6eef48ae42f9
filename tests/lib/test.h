/* SPDX-License-Identifier: BSD-3-Clause */
/* What every cmocka test includes first, in the order that cmocka wants. */
#ifndef SOFTFIELD_TESTS_TEST_H
#define SOFTFIELD_TESTS_TEST_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#define ARRAY_SIZE(array) (sizeof(array) / sizeof((array)[0]))

/*
 * May a thread be cancelled inside of functions? The address sanitizer does not notice that it has
 * left them, and takes what they had on its stack for what must not be touched.
 */
#ifdef __SANITIZE_ADDRESS__
#define CANCELS_ARE_SEEN 0
#else
#define CANCELS_ARE_SEEN 1
#endif

#define assert_ok(call)	      assert_int_equal(call, DOCA_SUCCESS)
#define assert_err(call, err) assert_int_equal(call, DOCA_ERROR_##err)

#endif
