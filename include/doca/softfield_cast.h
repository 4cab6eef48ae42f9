/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Casts and the null pointer, for what the headers define: C++ has its own, and its compilers can
 * be told to insist on them. Not to be included by programs.
 */
#ifndef SOFTFIELD_CAST_H_
#define SOFTFIELD_CAST_H_

#include <stddef.h>

#ifdef __cplusplus
/** To a pointer, or of one. */
#define SOFTFIELD_CAST(type, value) reinterpret_cast<type>(value)
/** Of a number to one of another type. */
#define SOFTFIELD_NUMBER(type, value) static_cast<type>(value)
#else
#define SOFTFIELD_CAST(type, value)   ((type)(value))
#define SOFTFIELD_NUMBER(type, value) ((type)(value))
#endif

#if defined(__cplusplus) && __cplusplus >= 201103L
#define SOFTFIELD_NULL nullptr
#else
#define SOFTFIELD_NULL NULL
#endif

#endif /* SOFTFIELD_CAST_H_ */
