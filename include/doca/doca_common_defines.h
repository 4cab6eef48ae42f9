/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Hints for the compiler.
 */
#ifndef DOCA_COMMON_DEFINES_H_
#define DOCA_COMMON_DEFINES_H_

/** x is nearly always true. */
#define doca_likely(x) __builtin_expect(!!(x), 1)

/** x is nearly always false. */
#define doca_unlikely(x) __builtin_expect(!!(x), 0)

#endif /* DOCA_COMMON_DEFINES_H_ */
