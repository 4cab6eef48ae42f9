/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What code of the CPU and code of the DPA both know: marks of functions and types, log levels,
 * and handles. doca_dpa.h and the doca_dpa_dev*.h include it, so both kinds may be in one file.
 */
#ifndef SOFTFIELD_DPA_TYPES_H_
#define SOFTFIELD_DPA_TYPES_H_

#include <stdint.h>

#include <softfield_dpa_handles.h>

#ifdef __cplusplus
extern "C" {
#endif

/*
 * Marks: a function that the CPU starts, or a type that both share. dpacc has a definition of its
 * own while it looks for them; for everybody else they are nothing.
 */
#ifndef __dpa_global__
#define __dpa_global__
#endif
/* Mark: a function that the CPU calls by doca_dpa_rpc(); it returns a uint64_t. */
#ifndef __dpa_rpc__
#define __dpa_rpc__
#endif

/** An address as DPA code knows it. Here it is that of the program. */
typedef uint64_t doca_dpa_dev_uintptr_t;

/** Levels of the log of DPA code; a lower number is more urgent. */
typedef enum doca_dpa_dev_log_level {
	DOCA_DPA_DEV_LOG_LEVEL_DISABLE = 10, /**< nothing */
	DOCA_DPA_DEV_LOG_LEVEL_CRIT = 20,    /**< of releases up to 2.5 */
	DOCA_DPA_DEV_LOG_LEVEL_ERROR = 30,
	DOCA_DPA_DEV_LOG_LEVEL_WARNING = 40,
	DOCA_DPA_DEV_LOG_LEVEL_INFO = 50,
	DOCA_DPA_DEV_LOG_LEVEL_DEBUG = 60,
} doca_dpa_dev_log_level_t;

#ifdef __cplusplus
} /* extern "C" */
#endif

#endif /* SOFTFIELD_DPA_TYPES_H_ */
