/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What dpacc makes of DPA sources: an application, which is a table of functions in the program
 * itself. Generated code includes this; programs do not.
 */
#ifndef SOFTFIELD_DPA_APP_H_
#define SOFTFIELD_DPA_APP_H_

#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/** Raised whenever the structures below change. */
#define SOFTFIELD_DPA_APP_VERSION 2u
/** Bytes that the parameters of a function may take; dpacc refuses more. */
#define SOFTFIELD_DPA_MAX_ARGS_SIZE 4096u

/** A function that the host can start: `__dpa_global__` or `__dpa_rpc__`. */
struct softfield_dpa_func {
	const char *name;
	/** the object whose address is the host's name for the function (doca_dpa_func_t) */
	void (*stub)(void);
	/** 1: `__dpa_rpc__`, returns a value */
	uint32_t is_rpc;
	/** bytes that pack() fills and run() reads; aligned to 16 */
	uint32_t args_size;
	uint32_t num_params; /**< how many parameters it has */
	/** takes the arguments from a call, by their types in the function's definition */
	void (*pack)(void *args, va_list ap);
	/** calls the function; returns what it returned, or 0 */
	uint64_t (*run)(const void *args);
};

/** An application. */
struct doca_dpa_app {
	uint32_t version; /**< SOFTFIELD_DPA_APP_VERSION */
	uint32_t num_funcs;
	const char *name;
	const struct softfield_dpa_func *funcs;
};

#ifdef __cplusplus
}
#endif

#endif
