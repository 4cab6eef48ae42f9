/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * How many elements an array has.
 */
#ifndef SOFTFIELD_BASE_COUNT_H
#define SOFTFIELD_BASE_COUNT_H

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

#endif
