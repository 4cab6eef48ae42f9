/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Functions that programs call for each message and that do next to nothing: in optimized programs
 * they are compiled into the program, as their libraries would do them. A call of a library costs
 * more than that.
 *
 * The headers that declare them define them again, at their end, where SOFTFIELD_INLINE is defined.
 * What they count on is below, and is part of the libraries' ABI. If one of them is somebody
 * else's, as of a library that stands between, or of a test with doubles, all are called. With
 * SOFTFIELD_NO_INLINE defined they are in any case. Not to be included by programs.
 */
#ifndef SOFTFIELD_INLINE_H_
#define SOFTFIELD_INLINE_H_

#include <stddef.h>

#include <doca_error.h>
#include <doca_types.h>
#include <softfield_cast.h>

#if defined(__OPTIMIZE__) && !defined(__clang__) && !defined(DOCA_EXPORTS) &&                      \
	!defined(SOFTFIELD_NO_INLINE)
/* A definition that is never there but where it is inlined; clang does not let others follow. */
#define SOFTFIELD_INLINE extern __inline__ __attribute__((__gnu_inline__, __artificial__))
#endif

/* What is called then: the first definition in the order in which libraries are searched. */
#define SOFTFIELD_CALLED(type, name, args) type softfield_called_##name args __asm__(#name)
#define SOFTFIELD_INTERPOSED		   __builtin_expect(softfield_interposed, 0)
/*
 * A task that is NULL is left to the library: of an answer for it in here, the compiler warns where
 * the program goes on with that (-Wnull-dereference, -fanalyzer).
 */
#define SOFTFIELD_LEFT_TO_LIBRARY(task) __builtin_expect(softfield_interposed || !(task), 0)

#ifdef __cplusplus
extern "C" {
#endif

/** Is one of these functions somebody else's? Set while the libraries are loaded. */
extern __attribute__((visibility("default"))) const int softfield_interposed;

#ifdef __cplusplus
} /* extern "C" */
#endif

struct doca_buf;

/* The libraries have other names for the same memory. */
#define SOFTFIELD_ALIAS __attribute__((__may_alias__))

/*
 * What answers are written to. A program may have cast the address of something else, such as a
 * uint64_t, and goes on with that: to a compiler that sees both, two objects.
 */
union softfield_answer {
	void *pointer;
	size_t size;
} SOFTFIELD_ALIAS;

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
