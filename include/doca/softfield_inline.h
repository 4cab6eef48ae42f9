/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Functions that programs call for each message and that do next to nothing: in optimized programs
 * they are compiled into the program, as their libraries would do them. A call of a library costs
 * more than that.
 *
 * The headers that declare them define them again, at their end, where SOFTFIELD_INLINE is defined.
 * What they count on is below, and is part of the libraries' ABI. With SOFTFIELD_NO_INLINE defined
 * programs call the libraries: for those that bring a function of such a name themselves, as tests
 * with doubles do. Not to be included by programs.
 */
#ifndef SOFTFIELD_INLINE_H_
#define SOFTFIELD_INLINE_H_

#include <stddef.h>

#include <doca_error.h>
#include <doca_types.h>

#if defined(__OPTIMIZE__) && !defined(__clang__) && !defined(DOCA_EXPORTS) &&                      \
	!defined(SOFTFIELD_NO_INLINE)
/* A definition that is never there but where it is inlined; clang does not let others follow. */
#define SOFTFIELD_INLINE extern __inline__ __attribute__((__gnu_inline__, __artificial__))
#endif

#ifdef __cplusplus
#define SOFTFIELD_CAST(type, pointer) reinterpret_cast<type>(pointer)
#else
#define SOFTFIELD_CAST(type, pointer) ((type)(pointer))
#endif

struct doca_buf;

/* The libraries have other names for the same memory. */
#define SOFTFIELD_ALIAS __attribute__((__may_alias__))

/* how every struct doca_buf begins */
struct softfield_buf {
	void *head;
	size_t len;
	void *data;
	size_t data_len;
} SOFTFIELD_ALIAS;

/* how every struct doca_task begins, which is the first member of each library's tasks */
struct softfield_task {
	void *pool;
	void *next;
	union doca_data user_data;
	doca_error_t status;
	unsigned int state;
} SOFTFIELD_ALIAS;

/* how the tasks of consumers and producers begin */
struct softfield_comch_task {
	struct softfield_task base;
	union {
		struct doca_buf *received;
		const struct doca_buf *sent;
	} buf;
} SOFTFIELD_ALIAS;

#endif /* SOFTFIELD_INLINE_H_ */
