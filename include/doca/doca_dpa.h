/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * DPA: code that runs beside the program, on execution units of a data path accelerator.
 *
 * What DPA code is made of is in doca_dpa_dev.h, and dpacc makes an application of it. The DPA is
 * software here: its memory is memory of the program, with the same addresses, and an execution
 * unit is a thread of the program. A debugger and sanitizers see its code as any other.
 *
 * A context has an application. Its functions run as kernels (once, by many threads), as RPCs
 * (once, and the program waits) or as threads, which wait for events. Objects are destroyed before
 * the context that they were made from. A child of fork() makes contexts of its own, and can only
 * destroy what it inherits.
 */
#ifndef DOCA_DPA_H_
#define DOCA_DPA_H_

#include <stddef.h>
#include <stdint.h>

#include <doca_compat.h>
#include <doca_dev.h>
#include <doca_error.h>
#include <doca_types.h>
#include <softfield_dpa_types.h>

#ifdef __cplusplus
extern "C" {
#endif

struct doca_buf;
struct doca_dev;
struct doca_devinfo;
struct doca_sync_event;

/** Binary logarithm of what user data of a completion is less than. */
#define DOCA_DPA_COMPLETION_LOG_MAX_USER_DATA (24)

/** A DPA context. */
struct doca_dpa;

/** Functions that dpacc has made; `extern struct doca_dpa_app *NAME;` declares one. */
struct doca_dpa_app;

/** How a program names a function of an application: `doca_dpa_func_t NAME;` declares one. */
typedef void(doca_dpa_func_t)(void);

/** A hash table for DPA code. */
struct doca_dpa_hash_table;

/** The execution unit that a thread shall run on. */
struct doca_dpa_eu_affinity;

/** A function that runs whenever something triggers it. */
struct doca_dpa_thread;

/** Threads with ranks. */
struct doca_dpa_tg;

/** A queue in which DPA code finds what has completed. */
struct doca_dpa_completion;

/** A queue of operations that DPA code does not wait for. */
struct doca_dpa_async_ops;

/** What DPA code triggers a thread with. */
struct doca_dpa_notification_completion;

/*
 * Capabilities
 */

/**
 * @brief Whether a device has a DPA. All have one.
 *
 * @param [in] devinfo the device.
 *
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: devinfo is NULL
 * - DOCA_ERROR_NOT_SUPPORTED: on a card only, never here
 *
 * Any thread. Source: spec msgq_dpa 6.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_dpa_cap_is_supported(const struct doca_devinfo *devinfo);

/**
 * @brief doca_dpa_cap_is_supported() under its name of 2.5.
 *
 * @param [in] devinfo the device.
 *
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: devinfo is NULL
 * - DOCA_ERROR_NOT_SUPPORTED: on a card only, never here
 *
 * Any thread. Source: spec msgq_dpa 6.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_devinfo_get_is_dpa_supported(const struct doca_devinfo *devinfo);

/**
 * @brief How many threads a kernel may be launched with.
 *
 * @param [in] dpa the context.
 * @param [out] value the number.
 *
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL
 *
 * Any thread. Source: spec msgq_dpa 6.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_dpa_get_max_threads_per_kernel(const struct doca_dpa *dpa, unsigned int *value);

/**
 * @brief How long a kernel may run. Nobody ends one here: the number is as large as
 * programs can reckon with.
 *
 * @param [in] dpa the context.
 * @param [out] value seconds.
 *
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL
 *
 * Any thread. Source: spec msgq_dpa 6.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_dpa_get_kernel_max_run_time(const struct doca_dpa *dpa,
					      unsigned long long *value);

/**
 * @brief How many cores the DPA has: as many as a card's.
 *
 * @param [in] dpa the context.
 * @param [out] num_cores the number.
 *
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL
 *
 * Any thread. Source: spec msgq_dpa 6.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_dpa_get_core_num(struct doca_dpa *dpa, unsigned int *num_cores);

/**
 * @brief How many execution units a core has.
 *
 * @param [in] dpa the context.
 * @param [out] eus_per_core the number.
 *
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL
 *
 * Any thread. Source: spec msgq_dpa 6.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_dpa_get_num_eus_per_core(struct doca_dpa *dpa, unsigned int *eus_per_core);

/**
 * @brief How many execution units there are. Each that is used is a thread of the program
 * here.
 *
 * @param [in] dpa the context.
 * @param [out] total_num_eus the number; their ids are 0 to this - 1.
 *
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL
 *
 * Any thread. Source: spec msgq_dpa 6.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_dpa_get_total_num_eus_available(struct doca_dpa *dpa,
						  unsigned int *total_num_eus);

/*
 * Context
 */

/**
 * @brief Creates a DPA context. Its memory is the program's memory, its execution units are
 * threads of the program, made when they are needed.
 *
 * It may also have the arguments of releases up to 2.7: softfield_dpa_create_2_7().
 *
 * @param [in] dev the device; it stays in use as long as the context exists.
 * @param [out] dpa the context; give it back with doca_dpa_destroy().
 *
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL
 * - DOCA_ERROR_NO_MEMORY: no memory for the object
 * - DOCA_ERROR_NOT_SUPPORTED: the device has no DPA: on a card only, never here
 *
 * Any thread. Source: spec msgq_dpa 6.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_dpa_create(struct doca_dev *dev, struct doca_dpa **dpa);

/**
 * @brief Destroys a context, started or not. Its memory is freed, and what still runs there
 * is given up: at its next call of a function of doca_dpa_dev.h and the like.
 *
 * @param [in] dpa the context.
 *
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: dpa is NULL
 * - DOCA_ERROR_IN_USE: objects made from it exist, or contexts that extend it; nothing has
 *   happened
 *
 * One thread at a time for an object. Source: spec msgq_dpa 6.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_dpa_destroy(struct doca_dpa *dpa);

/**
 * @brief Starts a context. Its configuration is fixed then.
 *
 * @param [in] dpa the context, with an application.
 *
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: dpa is NULL
 * - DOCA_ERROR_BAD_STATE: it is started, or was in the parent of this process, or has no
 *   application, or extends one that is not started
 * - DOCA_ERROR_NO_MEMORY: no memory for its log
 * - DOCA_ERROR_NOT_FOUND, DOCA_ERROR_NOT_PERMITTED, DOCA_ERROR_OPERATING_SYSTEM: the file
 *   of its log or of its traces cannot be written; the log says which
 *
 * One thread at a time for an object. Source: spec msgq_dpa 6.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_dpa_start(struct doca_dpa *dpa);

/**
 * @brief Stops a context. Kernels that run are given up; memory stays until it is freed, or
 * the context is destroyed.
 *
 * @param [in] dpa the context.
 *
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: dpa is NULL
 * - DOCA_ERROR_BAD_STATE: it is not started
 * - DOCA_ERROR_IN_USE: objects made from it exist, or contexts that extend it; nothing has
 *   happened
 *
 * One thread at a time for an object. Source: spec msgq_dpa 6.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_dpa_stop(struct doca_dpa *dpa);

/**
 * @brief Sets the program of a context.
 *
 * @param [in] dpa the context, not started.
 * @param [in] app the application, as dpacc names it; it is part of the program.
 *
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL, or the application is made by another
 *   dpacc than that of this release
 * - DOCA_ERROR_BAD_STATE: the context is started
 * - DOCA_ERROR_NOT_PERMITTED: the context extends another one, and has its application
 *
 * One thread at a time for an object. Source: spec msgq_dpa 6, 8.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_dpa_set_app(struct doca_dpa *dpa, struct doca_dpa_app *app);

/**
 * @brief The program of a context.
 *
 * @param [in] dpa the context.
 * @param [out] app what doca_dpa_set_app() has set; of one that extends another: that
 *        one's.
 *
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL
 * - DOCA_ERROR_BAD_STATE: none is set
 *
 * One thread at a time for an object. Source: spec msgq_dpa 6.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_dpa_get_app(struct doca_dpa *dpa, struct doca_dpa_app **app);

/**
 * @brief The name of an application.
 *
 * @param [in] app the application.
 * @param [out] app_name a buffer for the name. It may be NULL when its size is 0.
 * @param [in,out] app_name_len in: the size of the buffer. Out: bytes of the name with the
 *        0 that ends it, also if the buffer has too few.
 *
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL, or the buffer is too small
 *
 * Any thread. Source: spec msgq_dpa 6.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_dpa_app_get_name(struct doca_dpa_app *app, char *app_name,
				   uint32_t *app_name_len);

/**
 * @brief doca_dpa_app_get_name() of 2.5.
 *
 * @param [in] app the application.
 * @param [out] app_name a buffer for the name. It may be NULL when its size is 0.
 * @param [in,out] app_name_len in: the size of the buffer. Out: bytes of the name with the
 *        0 that ends it, also if the buffer has too few.
 *
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL, or the buffer is too small
 *
 * Any thread. Source: spec msgq_dpa 6.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_dpa_app_name_get(struct doca_dpa_app *app, char *app_name, size_t *app_name_len);

/**
 * @brief Makes a context for another device that uses the execution units, the memory, the
 * application and the log of this one. It is started. Objects can be made from it as from
 * the other one.
 *
 * @param [in] dpa the context, started; not one that extends another.
 * @param [in] other_dev the other device; it stays in use as long as the new context
 *        exists.
 * @param [out] extended_dpa the new context; give it back with doca_dpa_destroy(), before
 *        the other one.
 *
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL
 * - DOCA_ERROR_BAD_STATE: dpa is not started
 * - DOCA_ERROR_NOT_PERMITTED: dpa extends another one
 * - DOCA_ERROR_NO_MEMORY: no memory for the object
 * - DOCA_ERROR_NOT_SUPPORTED: the device has no DPA: on a card only, never here
 *
 * One thread at a time for an object. Source: spec msgq_dpa 6.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_dpa_device_extend(struct doca_dpa *dpa, struct doca_dev *other_dev,
				    struct doca_dpa **extended_dpa);

/**
 * @brief How DPA code names a context: for doca_dpa_dev_device_set().
 *
 * @param [in] dpa the context, started.
 * @param [out] handle the handle.
 *
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL
 * - DOCA_ERROR_BAD_STATE: the context is not started
 *
 * One thread at a time for an object. Source: spec msgq_dpa 6.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_dpa_get_dpa_handle(struct doca_dpa *dpa, doca_dpa_dev_t *handle);

/**
 * @brief The number of the context's page of doorbells. There is none here.
 *
 * @param [in] dpa the context, started.
 * @param [out] uar_id 0.
 *
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL
 * - DOCA_ERROR_BAD_STATE: the context is not started
 *
 * One thread at a time for an object. Source: spec msgq_dpa 6.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_dpa_get_uar_id(const struct doca_dpa *dpa, uint32_t *uar_id);

/**
 * @brief Whether DPA code has done something that on a card ends it. The log says what.
 *
 * @param [in] dpa the context.
 *
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: dpa is NULL
 * - DOCA_ERROR_BAD_STATE: it has, since the context was created
 *
 * Any thread. Source: spec msgq_dpa 6.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_dpa_peek_at_last_error(const struct doca_dpa *dpa);

/*
 * Log and traces of DPA code
 */

/**
 * @brief Sets what of the DPA's log is written. DOCA_DPA_DEV_LOG_LEVEL_INFO unless set.
 *
 * @param [in] dpa the context, not started.
 * @param [in] log_level lines of this level and of more urgent ones are written.
 *
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: dpa is NULL, or there is no such level
 * - DOCA_ERROR_BAD_STATE: the context is started
 * - DOCA_ERROR_NOT_PERMITTED: the context extends another one, and has its log
 *
 * One thread at a time for an object. Source: spec msgq_dpa 6.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_dpa_set_log_level(struct doca_dpa *dpa, doca_dpa_dev_log_level_t log_level);

/**
 * @brief What doca_dpa_set_log_level() has set.
 *
 * @param [in] dpa the context.
 * @param [out] log_level the level; of a context that extends another: that one's.
 *
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL
 *
 * One thread at a time for an object. Source: spec msgq_dpa 6.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_dpa_get_log_level(struct doca_dpa *dpa, doca_dpa_dev_log_level_t *log_level);

/**
 * @brief Sets where the DPA's log is written: standard output unless set. A file is begun
 * anew when the context is started.
 *
 * @param [in] dpa the context, not started.
 * @param [in] file_path the path, which is copied; "stdout" and "stderr" are those.
 *
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL, or the path is empty
 * - DOCA_ERROR_BAD_STATE: the context is started
 * - DOCA_ERROR_NOT_PERMITTED: the context extends another one, and has its log
 * - DOCA_ERROR_NO_MEMORY: no memory for the path
 *
 * One thread at a time for an object. Source: spec msgq_dpa 6.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_dpa_log_file_set_path(struct doca_dpa *dpa, const char *file_path);

/**
 * @brief What doca_dpa_log_file_set_path() has set.
 *
 * @param [in] dpa the context.
 * @param [out] file_path a buffer for the path. It may be NULL when its size is 0.
 * @param [in,out] file_path_len in: the size of the buffer. Out: bytes of the path with the
 *        0 that ends it, also if the buffer has too few. Unless a path is set, it is "".
 *
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL, or the buffer is too small
 *
 * One thread at a time for an object. Source: spec msgq_dpa 6.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_dpa_log_file_get_path(struct doca_dpa *dpa, char *file_path,
					uint32_t *file_path_len);

/**
 * @brief Sets where doca_dpa_dev_trace() writes: standard output unless set. A file is
 * begun anew when the context is started; it may be that of the log.
 *
 * @param [in] dpa the context, not started.
 * @param [in] file_path the path, which is copied; "stdout" and "stderr" are those.
 *
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL, or the path is empty
 * - DOCA_ERROR_BAD_STATE: the context is started
 * - DOCA_ERROR_NOT_PERMITTED: the context extends another one, and has its traces
 * - DOCA_ERROR_NO_MEMORY: no memory for the path
 *
 * One thread at a time for an object. Source: spec msgq_dpa 6.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_dpa_trace_file_set_path(struct doca_dpa *dpa, const char *file_path);

/**
 * @brief What doca_dpa_trace_file_set_path() has set.
 *
 * @param [in] dpa the context.
 * @param [out] file_path a buffer for the path. It may be NULL when its size is 0.
 * @param [in,out] file_path_len in: the size of the buffer. Out: bytes of the path with the
 *        0 that ends it, also if the buffer has too few. Unless a path is set, it is "".
 *
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL, or the buffer is too small
 *
 * One thread at a time for an object. Source: spec msgq_dpa 6.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_dpa_trace_file_get_path(struct doca_dpa *dpa, char *file_path,
					  uint32_t *file_path_len);

/*
 * Kernels and RPCs
 */

/**
 * @brief Launches a function of the DPA, and sets an event when all its threads have
 * returned. The call does not wait for them; the arguments are taken before it returns.
 * Kernels that can run do so at the same time; those for which there are no execution units
 * wait for them.
 *
 * @param [in] dpa the context, started.
 * @param [in] wait_event the kernel begins when its value is at least wait_threshold; NULL:
 *        at once. Published by anybody, kernels included; subscribed to by the DPA.
 * @param [in] wait_threshold 0 to 254; without wait_event it means nothing.
 * @param [in] comp_event the event that is set; NULL: none. Published by the DPA.
 * @param [in] comp_count the value that comp_event is set to.
 * @param [in] num_threads how many threads run the function: 1 to
 *        doca_dpa_get_max_threads_per_kernel().
 * @param [in] func the function, marked __dpa_global__ in the application. Its arguments
 *        follow, with the types that it has in its source.
 *
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: dpa or func is NULL, a number is out of range, an event is at
 *   other places or not started, or the application has no such function
 * - DOCA_ERROR_BAD_STATE: the context is not started
 * - DOCA_ERROR_NO_MEMORY, DOCA_ERROR_FULL, DOCA_ERROR_OPERATING_SYSTEM: so many execution units
 *   cannot be made, and none is in use that would come back
 *
 * Any thread. Source: spec msgq_dpa 6.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_dpa_kernel_launch_update_set(struct doca_dpa *dpa,
					       struct doca_sync_event *wait_event,
					       uint64_t wait_threshold,
					       struct doca_sync_event *comp_event,
					       uint64_t comp_count, unsigned int num_threads,
					       doca_dpa_func_t *func, ...);

/**
 * @brief doca_dpa_kernel_launch_update_set() for an event that is added to.
 *
 * @param [in] dpa the context, started.
 * @param [in] wait_event the kernel begins when its value is at least wait_threshold; NULL:
 *        at once. Published by anybody, kernels included; subscribed to by the DPA.
 * @param [in] wait_threshold 0 to 254; without wait_event it means nothing.
 * @param [in] comp_event the event that is added to; NULL: none. Published by the DPA.
 * @param [in] comp_count what is added to the value of comp_event.
 * @param [in] num_threads how many threads run the function: 1 to
 *        doca_dpa_get_max_threads_per_kernel().
 * @param [in] func the function, marked __dpa_global__ in the application. Its arguments
 *        follow, with the types that it has in its source.
 *
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: dpa or func is NULL, a number is out of range, an event is at
 *   other places or not started, or the application has no such function
 * - DOCA_ERROR_BAD_STATE: the context is not started
 * - DOCA_ERROR_NO_MEMORY, DOCA_ERROR_FULL, DOCA_ERROR_OPERATING_SYSTEM: so many execution units
 *   cannot be made, and none is in use that would come back
 *
 * Any thread. Source: spec msgq_dpa 6.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_dpa_kernel_launch_update_add(struct doca_dpa *dpa,
					       struct doca_sync_event *wait_event,
					       uint64_t wait_threshold,
					       struct doca_sync_event *comp_event,
					       uint64_t comp_count, unsigned int num_threads,
					       doca_dpa_func_t *func, ...);

/**
 * @brief Runs a function of the DPA once and waits until it has returned. Calls for one
 * context are done one after the other.
 *
 * @param [in] dpa the context, started.
 * @param [in] func the function, marked __dpa_rpc__ in the application. Its arguments
 *        follow retval, with the types that it has in its source.
 * @param [out] retval what the function has returned.
 *
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL, or the application has no such function
 * - DOCA_ERROR_BAD_STATE: the context is not started, or the function has not returned: it
 *   is given up, or asks to be rescheduled
 * - DOCA_ERROR_NO_MEMORY, DOCA_ERROR_FULL, DOCA_ERROR_OPERATING_SYSTEM: an execution unit cannot
 *   be made, and none is in use that would come back
 *
 * Any thread. Source: spec msgq_dpa 6.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_dpa_rpc(struct doca_dpa *dpa, doca_dpa_func_t *func, uint64_t *retval, ...);

/*
 * Memory
 */

/**
 * @brief Allocates memory of the DPA. It is memory of the program here, aligned to 64; what
 * is in it is undefined.
 *
 * @param [in] dpa the context, started.
 * @param [in] size bytes.
 * @param [out] dev_ptr the address, which is the same for the program; 0 when the call
 *        fails. Give it back with doca_dpa_mem_free(), or with the context.
 *
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: a pointer is NULL, or size is 0
 * - DOCA_ERROR_BAD_STATE: the context is not started
 * - DOCA_ERROR_NO_MEMORY: there is not so much
 *
 * Any thread. Source: spec msgq_dpa 6.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_dpa_mem_alloc(struct doca_dpa *dpa, size_t size, doca_dpa_dev_uintptr_t *dev_ptr);

/**
 * @brief Frees memory of the DPA. DPA code that is about to end may still use it: the last 64 MiB
 * that were freed stay as they are.
 *
 * @param [in] dpa the context, or one that extends it or is extended by it.
 * @param [in] dev_ptr what doca_dpa_mem_alloc() has given.
 *
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: dpa is NULL, or no allocation begins at dev_ptr; the log says
 *   which is near
 *
 * Any thread. Source: spec msgq_dpa 6.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_dpa_mem_free(struct doca_dpa *dpa, doca_dpa_dev_uintptr_t dev_ptr);

/**
 * @brief Copies to memory of the DPA, and waits for it.
 *
 * @param [in] dpa the context, started.
 * @param [in] dst_ptr the destination, inside of an allocation of doca_dpa_mem_alloc().
 * @param [in] src_ptr the source, memory of the program.
 * @param [in] size bytes.
 *
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: a pointer is NULL, or the destination is not inside of an
 *   allocation; the log says which is near
 * - DOCA_ERROR_BAD_STATE: the context is not started
 *
 * Any thread. Source: spec msgq_dpa 6.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_dpa_h2d_memcpy(struct doca_dpa *dpa, doca_dpa_dev_uintptr_t dst_ptr,
				 void *src_ptr, size_t size);

/**
 * @brief Copies from a buffer to memory of the DPA, and waits for it.
 *
 * @param [in] dpa the context, started.
 * @param [in] dst_ptr the destination, inside of an allocation of doca_dpa_mem_alloc().
 * @param [in] buf the source, from where its data begins; no list. Its data length does not
 *        matter.
 * @param [in] size bytes; they lie in the buffer.
 *
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: a pointer is NULL, the destination is not inside of an
 *   allocation, or the source not inside of the buffer; the log says which is near
 * - DOCA_ERROR_BAD_STATE: the context or the buffer's map is not started
 * - DOCA_ERROR_NOT_PERMITTED: memory of the other side, which it has not exported for reading
 * - DOCA_ERROR_NOT_SUPPORTED: the buffer is a list
 * - DOCA_ERROR_IO_FAILED, DOCA_ERROR_CONNECTION_RESET: memory of the other side, which
 *   cannot be reached any more
 *
 * Any thread. Source: spec msgq_dpa 6.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_dpa_h2d_buf_memcpy(struct doca_dpa *dpa, doca_dpa_dev_uintptr_t dst_ptr,
				     struct doca_buf *buf, size_t size);

/**
 * @brief Copies from memory of the DPA, and waits for it.
 *
 * @param [in] dpa the context, started.
 * @param [out] dst_ptr the destination, memory of the program.
 * @param [in] src_ptr the source, inside of an allocation of doca_dpa_mem_alloc().
 * @param [in] size bytes.
 *
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: a pointer is NULL, or the source is not inside of an
 *   allocation; the log says which is near
 * - DOCA_ERROR_BAD_STATE: the context is not started
 *
 * Any thread. Source: spec msgq_dpa 6.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_dpa_d2h_memcpy(struct doca_dpa *dpa, void *dst_ptr,
				 doca_dpa_dev_uintptr_t src_ptr, size_t size);

/**
 * @brief Copies from memory of the DPA to a buffer, and waits for it.
 *
 * @param [in] dpa the context, started.
 * @param [in] buf the destination, from where its data begins; no list. Its data length is
 *        size then, if it was less.
 * @param [in] src_ptr the source, inside of an allocation of doca_dpa_mem_alloc().
 * @param [in] size bytes; they lie in the buffer.
 *
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: a pointer is NULL, the source is not inside of an allocation,
 *   or the destination not inside of the buffer; the log says which is near
 * - DOCA_ERROR_BAD_STATE: the context or the buffer's map is not started
 * - DOCA_ERROR_NOT_PERMITTED: the buffer's map is not for writing
 * - DOCA_ERROR_NOT_SUPPORTED: the buffer is a list
 * - DOCA_ERROR_IO_FAILED, DOCA_ERROR_CONNECTION_RESET: memory of the other side, which
 *   cannot be reached any more
 *
 * Any thread. Source: spec msgq_dpa 6.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_dpa_d2h_buf_memcpy(struct doca_dpa *dpa, struct doca_buf *buf,
				     doca_dpa_dev_uintptr_t src_ptr, size_t size);

/**
 * @brief Fills memory of the DPA, and waits for it.
 *
 * @param [in] dpa the context, started.
 * @param [in] dev_ptr where, inside of an allocation of doca_dpa_mem_alloc().
 * @param [in] value each byte's value.
 * @param [in] size bytes.
 *
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: dpa is NULL, or the memory is not inside of an allocation;
 *   the log says which is near
 * - DOCA_ERROR_BAD_STATE: the context is not started
 *
 * Any thread. Source: spec msgq_dpa 6.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_dpa_memset(struct doca_dpa *dpa, doca_dpa_dev_uintptr_t dev_ptr, int value,
			     size_t size);

/*
 * Hash table
 */

/**
 * @brief Creates a hash table for DPA code: 32-bit keys, 64-bit values.
 *
 * @param [in] dpa the context, started.
 * @param [in] num_entries how many entries it can have: rounded up to a power of two, at
 *        most 16777216.
 * @param [out] ht the table; give it back with doca_dpa_hash_table_destroy().
 *
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: a pointer is NULL, or the number is out of range
 * - DOCA_ERROR_BAD_STATE: the context is not started
 * - DOCA_ERROR_NO_MEMORY: no memory for the table
 *
 * Any thread. Source: spec msgq_dpa 6.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_dpa_hash_table_create(struct doca_dpa *dpa, unsigned int num_entries,
					struct doca_dpa_hash_table **ht);

/**
 * @brief Destroys a hash table. DPA code finds nothing there any more.
 *
 * @param [in] ht the table.
 *
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: ht is NULL
 *
 * One thread at a time for an object. Source: spec msgq_dpa 6.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_dpa_hash_table_destroy(struct doca_dpa_hash_table *ht);

/**
 * @brief How DPA code names a hash table.
 *
 * @param [in] ht the table.
 * @param [out] ht_handle the handle.
 *
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL
 *
 * One thread at a time for an object. Source: spec msgq_dpa 6.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_dpa_hash_table_get_dpa_handle(struct doca_dpa_hash_table *ht,
						doca_dpa_dev_hash_table_t *ht_handle);

/*
 * Affinity
 */

/**
 * @brief Creates an affinity: the execution unit that a thread shall run on. It names none
 * at first.
 *
 * @param [in] dpa the context.
 * @param [out] affinity the affinity; give it back with doca_dpa_eu_affinity_destroy().
 *
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL
 * - DOCA_ERROR_NO_MEMORY: no memory for the object
 *
 * Any thread. Source: spec msgq_dpa 6.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_dpa_eu_affinity_create(struct doca_dpa *dpa,
					 struct doca_dpa_eu_affinity **affinity);

/**
 * @brief Destroys an affinity. Threads that it was set for keep what it says.
 *
 * @param [in] affinity the affinity.
 *
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: affinity is NULL
 *
 * One thread at a time for an object. Source: spec msgq_dpa 6.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_dpa_eu_affinity_destroy(struct doca_dpa_eu_affinity *affinity);

/**
 * @brief Sets the execution unit. A thread takes it when it is started: one affinity, set
 * anew, serves for several threads.
 *
 * @param [in] affinity the affinity.
 * @param [in] eu_id the id, less than doca_dpa_get_total_num_eus_available().
 *
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: affinity is NULL, or the id is out of range
 *
 * One thread at a time for an object. Source: spec msgq_dpa 6.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_dpa_eu_affinity_set(struct doca_dpa_eu_affinity *affinity, unsigned int eu_id);

/**
 * @brief Makes an affinity name no execution unit.
 *
 * @param [in] affinity the affinity.
 *
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: affinity is NULL
 *
 * One thread at a time for an object. Source: spec msgq_dpa 6.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_dpa_eu_affinity_clear(struct doca_dpa_eu_affinity *affinity);

/**
 * @brief The execution unit that an affinity names.
 *
 * @param [in] affinity the affinity.
 * @param [out] eu_id the id.
 *
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL
 * - DOCA_ERROR_BAD_STATE: it names none
 *
 * One thread at a time for an object. Source: spec msgq_dpa 6.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_dpa_eu_affinity_get(struct doca_dpa_eu_affinity *affinity, unsigned int *eu_id);

/*
 * Thread
 */

/**
 * @brief Creates a thread of the DPA: a function that runs whenever something triggers it.
 *
 * @param [in] dpa the context, started.
 * @param [out] dpa_thread the thread; give it back with doca_dpa_thread_destroy().
 *
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL
 * - DOCA_ERROR_BAD_STATE: the context is not started
 * - DOCA_ERROR_NO_MEMORY: no memory for the object
 *
 * Any thread. Source: spec msgq_dpa 6.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_dpa_thread_create(struct doca_dpa *dpa, struct doca_dpa_thread **dpa_thread);

/**
 * @brief Destroys a thread, which is stopped if it is started.
 *
 * @param [in] dpa_thread the thread.
 *
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: dpa_thread is NULL
 * - DOCA_ERROR_IN_USE: completions that are to trigger it are started, or it is in a
 *   group; nothing has happened
 *
 * One thread at a time for an object. Source: spec msgq_dpa 6.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_dpa_thread_destroy(struct doca_dpa_thread *dpa_thread);

/**
 * @brief Sets what a thread runs.
 *
 * @param [in] dpa_thread the thread, not started.
 * @param [in] func the function: marked __dpa_global__ in the application, takes a uint64_t
 *        and returns nothing.
 * @param [in] arg what it is called with each time.
 *
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: a pointer is NULL, or the application has no such function,
 *   or it is an RPC's or takes more than one argument
 * - DOCA_ERROR_BAD_STATE: the thread is started
 *
 * One thread at a time for an object. Source: spec msgq_dpa 6.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_dpa_thread_set_func_arg(struct doca_dpa_thread *dpa_thread, doca_dpa_func_t *func,
					  uint64_t arg);

/**
 * @brief What doca_dpa_thread_set_func_arg() has set.
 *
 * @param [in] dpa_thread the thread.
 * @param [out] func the function; NULL: none is set.
 * @param [out] arg what it is called with.
 *
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL
 *
 * One thread at a time for an object. Source: spec msgq_dpa 6.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_dpa_thread_get_func_arg(struct doca_dpa_thread *dpa_thread,
					  doca_dpa_func_t **func, uint64_t *arg);

/**
 * @brief Sets what doca_dpa_dev_thread_get_local_storage() returns in a thread. 0 unless
 * set.
 *
 * @param [in] dpa_thread the thread, not started.
 * @param [in] dev_ptr memory of the DPA.
 *
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: dpa_thread is NULL
 * - DOCA_ERROR_BAD_STATE: the thread is started
 *
 * One thread at a time for an object. Source: spec msgq_dpa 6.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_dpa_thread_set_local_storage(struct doca_dpa_thread *dpa_thread,
					       doca_dpa_dev_uintptr_t dev_ptr);

/**
 * @brief What doca_dpa_thread_set_local_storage() has set.
 *
 * @param [in] dpa_thread the thread.
 * @param [out] dev_ptr the address; 0: none is set.
 *
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL
 *
 * One thread at a time for an object. Source: spec msgq_dpa 6.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_dpa_thread_get_local_storage(struct doca_dpa_thread *dpa_thread,
					       doca_dpa_dev_uintptr_t *dev_ptr);

/**
 * @brief Sets which execution unit a thread runs on. Unless it is set, a thread has one of
 * its own.
 *
 * @param [in] dpa_thread the thread, not started.
 * @param [in] affinity the affinity; what it says counts when the thread is started.
 *
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL, or the affinity is of another DPA context
 * - DOCA_ERROR_BAD_STATE: the thread is started
 *
 * One thread at a time for an object. Source: spec msgq_dpa 6.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_dpa_thread_set_affinity(struct doca_dpa_thread *dpa_thread,
					  const struct doca_dpa_eu_affinity *affinity);

/**
 * @brief What doca_dpa_thread_set_affinity() has set.
 *
 * @param [in] dpa_thread the thread.
 * @param [out] affinity the affinity; NULL: none is set.
 *
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL
 *
 * One thread at a time for an object. Source: spec msgq_dpa 6.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_dpa_thread_get_affinity(struct doca_dpa_thread *dpa_thread,
					  const struct doca_dpa_eu_affinity **affinity);

/**
 * @brief Starts a thread: it gets its execution unit, and completions can be made for it.
 * It does not run yet.
 *
 * @param [in] dpa_thread the thread, with a function.
 *
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: dpa_thread is NULL
 * - DOCA_ERROR_BAD_STATE: it is started, it has no function, its affinity names no execution
 *   unit, or its context is not started
 * - DOCA_ERROR_NO_MEMORY, DOCA_ERROR_FULL, DOCA_ERROR_OPERATING_SYSTEM: there is no
 *   execution unit for it
 *
 * One thread at a time for an object. Source: spec msgq_dpa 6.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_dpa_thread_start(struct doca_dpa_thread *dpa_thread);

/**
 * @brief Stops a thread. A run of it that has begun is given up: at its next call of a
 * function of doca_dpa_dev.h and the like; the call waits for that.
 *
 * @param [in] dpa_thread the thread.
 *
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: dpa_thread is NULL
 * - DOCA_ERROR_BAD_STATE: it is not started
 * - DOCA_ERROR_IN_USE: completions that are to trigger it are started, or its group is;
 *   nothing has happened
 *
 * One thread at a time for an object. Source: spec msgq_dpa 6.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_dpa_thread_stop(struct doca_dpa_thread *dpa_thread);

/**
 * @brief Lets a thread run: from now on whatever triggers it starts its function. It does
 * not start it itself. What has triggered the thread before does so now.
 *
 * @param [in] dpa_thread the thread, started.
 *
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: dpa_thread is NULL
 * - DOCA_ERROR_BAD_STATE: it is not started
 *
 * One thread at a time for an object. Source: spec msgq_dpa 6.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_dpa_thread_run(struct doca_dpa_thread *dpa_thread);

/**
 * @brief The number of a thread, unique in its context.
 *
 * @param [in] dpa_thread the thread.
 * @param [out] dpa_thread_id the number.
 *
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL
 *
 * One thread at a time for an object. Source: spec msgq_dpa 6.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_dpa_thread_get_id(struct doca_dpa_thread *dpa_thread, uint32_t *dpa_thread_id);

/*
 * Thread group
 */

/**
 * @brief Creates a group of threads: each has a rank that its code can ask for, by
 * doca_dpa_dev_thread_rank().
 *
 * @param [in] dpa the context.
 * @param [in] num_threads how many threads it has: 1 to 1024.
 * @param [out] tg the group; give it back with doca_dpa_thread_group_destroy().
 *
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: a pointer is NULL, or the number is out of range
 * - DOCA_ERROR_NO_MEMORY: no memory for the object
 *
 * Any thread. Source: spec msgq_dpa 6.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_dpa_thread_group_create(struct doca_dpa *dpa, unsigned int num_threads,
					  struct doca_dpa_tg **tg);

/**
 * @brief Destroys a group. Its threads stay as they are.
 *
 * @param [in] tg the group, not started.
 *
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: tg is NULL
 * - DOCA_ERROR_BAD_STATE: it is started
 *
 * One thread at a time for an object. Source: spec msgq_dpa 6.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_dpa_thread_group_destroy(struct doca_dpa_tg *tg);

/**
 * @brief How many threads a group has.
 *
 * @param [in] tg the group.
 * @param [out] num_threads the number.
 *
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL
 *
 * One thread at a time for an object. Source: spec msgq_dpa 6.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_dpa_thread_group_get_num_threads(struct doca_dpa_tg *tg,
						   unsigned int *num_threads);

/**
 * @brief Gives a rank to a thread. What had the rank is not in the group any more; a thread
 * that has another rank of the group leaves it.
 *
 * @param [in] tg the group, not started.
 * @param [in] thread the thread, in no other group.
 * @param [in] rank the rank: 0 to the number of threads - 1.
 *
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: a pointer is NULL, the rank is out of range, or the thread is
 *   another context's
 * - DOCA_ERROR_BAD_STATE: the group is started
 * - DOCA_ERROR_IN_USE: the thread is in another group
 *
 * One thread at a time for an object. Source: spec msgq_dpa 6.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_dpa_thread_group_set_thread(struct doca_dpa_tg *tg,
					      struct doca_dpa_thread *thread, unsigned int rank);

/**
 * @brief Starts a group: its ranks are fixed, and its threads see them.
 *
 * @param [in] tg the group, with a thread for each rank.
 *
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: tg is NULL
 * - DOCA_ERROR_BAD_STATE: it is started, a rank has no thread, or a thread is not started
 *
 * One thread at a time for an object. Source: spec msgq_dpa 6.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_dpa_thread_group_start(struct doca_dpa_tg *tg);

/**
 * @brief Stops a group. Its threads go on, with their ranks.
 *
 * @param [in] tg the group.
 *
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: tg is NULL
 * - DOCA_ERROR_BAD_STATE: it is not started
 *
 * One thread at a time for an object. Source: spec msgq_dpa 6.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_dpa_thread_group_stop(struct doca_dpa_tg *tg);

/*
 * Completion
 */

/**
 * @brief Creates a completion context: the queue in which DPA code finds what has
 * completed. What completes while it is full is not reported any more, as on a card; the log says
 * so.
 *
 * @param [in] dpa the context, started.
 * @param [in] queue_size how many entries it has: rounded up to a power of two, at most
 *        65536.
 * @param [out] dpa_comp the completion context; give it back with
 *        doca_dpa_completion_destroy().
 *
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: a pointer is NULL, or the size is out of range
 * - DOCA_ERROR_BAD_STATE: the context is not started
 * - DOCA_ERROR_NO_MEMORY: no memory for the object
 *
 * Any thread. Source: spec msgq_dpa 6.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_dpa_completion_create(struct doca_dpa *dpa, unsigned int queue_size,
					struct doca_dpa_completion **dpa_comp);

/**
 * @brief Destroys a completion context, which is stopped if it is started.
 *
 * @param [in] dpa_comp the completion context.
 *
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: dpa_comp is NULL
 * - DOCA_ERROR_IN_USE: something that is attached to it is started; nothing has happened
 *
 * One thread at a time for an object. Source: spec msgq_dpa 6.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_dpa_completion_destroy(struct doca_dpa_completion *dpa_comp);

/**
 * @brief How many entries a completion context has.
 *
 * @param [in] dpa_comp the completion context.
 * @param [out] queue_size the number, a power of two.
 *
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL
 *
 * One thread at a time for an object. Source: spec msgq_dpa 6.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_dpa_completion_get_queue_size(struct doca_dpa_completion *dpa_comp,
						unsigned int *queue_size);

/**
 * @brief Sets which thread is triggered by a completion context.
 *
 * @param [in] dpa_comp the completion context, not started.
 * @param [in] dpa_thread the thread, started.
 *
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL, or the thread is another context's
 * - DOCA_ERROR_BAD_STATE: the completion context is started, or the thread is not
 *
 * One thread at a time for an object. Source: spec msgq_dpa 6.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_dpa_completion_set_thread(struct doca_dpa_completion *dpa_comp,
					    struct doca_dpa_thread *dpa_thread);

/**
 * @brief What doca_dpa_completion_set_thread() has set.
 *
 * @param [in] dpa_comp the completion context.
 * @param [out] dpa_thread the thread; NULL: none is set, or it has been destroyed.
 *
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL
 *
 * One thread at a time for an object. Source: spec msgq_dpa 6.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_dpa_completion_get_thread(struct doca_dpa_completion *dpa_comp,
					    struct doca_dpa_thread **dpa_thread);

/**
 * @brief Starts a completion context.
 *
 * @param [in] dpa_comp the completion context.
 *
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: dpa_comp is NULL
 * - DOCA_ERROR_BAD_STATE: it is started, or its thread is not, or has been destroyed
 *
 * One thread at a time for an object. Source: spec msgq_dpa 6.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_dpa_completion_start(struct doca_dpa_completion *dpa_comp);

/**
 * @brief Stops a completion context. What is in it is lost.
 *
 * @param [in] dpa_comp the completion context.
 *
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: dpa_comp is NULL
 * - DOCA_ERROR_BAD_STATE: it is not started
 * - DOCA_ERROR_IN_USE: something that is attached to it is started
 *
 * One thread at a time for an object. Source: spec msgq_dpa 6.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_dpa_completion_stop(struct doca_dpa_completion *dpa_comp);

/**
 * @brief How DPA code names a completion context.
 *
 * @param [in] dpa_comp the completion context, started.
 * @param [out] handle the handle.
 *
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL
 * - DOCA_ERROR_BAD_STATE: it is not started
 *
 * One thread at a time for an object. Source: spec msgq_dpa 6.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_dpa_completion_get_dpa_handle(struct doca_dpa_completion *dpa_comp,
						doca_dpa_dev_completion_t *handle);

/*
 * Asynchronous operations
 */

/**
 * @brief Creates a queue by which DPA code copies memory and waits for events without
 * waiting itself.
 *
 * @param [in] dpa the context, started.
 * @param [in] queue_size how many operations it has room for: rounded up to a power of two,
 *        at most 65536.
 * @param [in] user_data what completions of it carry: less than 2 to the power of
 *        DOCA_DPA_COMPLETION_LOG_MAX_USER_DATA.
 * @param [out] async_ops the queue; give it back with doca_dpa_async_ops_destroy().
 *
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: a pointer is NULL, or a number is out of range
 * - DOCA_ERROR_BAD_STATE: the context is not started
 * - DOCA_ERROR_NO_MEMORY: no memory for the object
 *
 * Any thread. Source: spec msgq_dpa 6.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_dpa_async_ops_create(struct doca_dpa *dpa, unsigned int queue_size,
				       uint64_t user_data, struct doca_dpa_async_ops **async_ops);

/**
 * @brief Destroys a queue of operations, which is stopped if it is started.
 *
 * @param [in] async_ops the queue.
 *
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: async_ops is NULL
 *
 * One thread at a time for an object. Source: spec msgq_dpa 6.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_dpa_async_ops_destroy(struct doca_dpa_async_ops *async_ops);

/**
 * @brief How many operations a queue has room for.
 *
 * @param [in] async_ops the queue.
 * @param [out] queue_size the number, a power of two.
 *
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL
 *
 * One thread at a time for an object. Source: spec msgq_dpa 6.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_dpa_async_ops_get_queue_size(struct doca_dpa_async_ops *async_ops,
					       unsigned int *queue_size);

/**
 * @brief What completions of a queue carry.
 *
 * @param [in] async_ops the queue.
 * @param [out] user_data what doca_dpa_async_ops_create() was given.
 *
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL
 *
 * One thread at a time for an object. Source: spec msgq_dpa 6.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_dpa_async_ops_get_user_data(struct doca_dpa_async_ops *async_ops,
					      uint64_t *user_data);

/**
 * @brief Sets where the completions of a queue go.
 *
 * @param [in] async_ops the queue, not started.
 * @param [in] dpa_comp the completion context.
 *
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL, or the completion context is of another DPA
 *   context
 * - DOCA_ERROR_BAD_STATE: the queue is started
 *
 * One thread at a time for an object. Source: spec msgq_dpa 6.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_dpa_async_ops_attach(struct doca_dpa_async_ops *async_ops,
				       struct doca_dpa_completion *dpa_comp);

/**
 * @brief Starts a queue of operations.
 *
 * @param [in] async_ops the queue, attached to a completion context that is started.
 *
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: async_ops is NULL
 * - DOCA_ERROR_BAD_STATE: it is started, or is not attached, or what it is attached to is
 *   not started, or has been destroyed
 *
 * One thread at a time for an object. Source: spec msgq_dpa 6.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_dpa_async_ops_start(struct doca_dpa_async_ops *async_ops);

/**
 * @brief Stops a queue of operations. What it waits for is given up.
 *
 * @param [in] async_ops the queue.
 *
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: async_ops is NULL
 * - DOCA_ERROR_BAD_STATE: it is not started
 *
 * One thread at a time for an object. Source: spec msgq_dpa 6.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_dpa_async_ops_stop(struct doca_dpa_async_ops *async_ops);

/**
 * @brief How DPA code names a queue of operations.
 *
 * @param [in] async_ops the queue, started.
 * @param [out] handle the handle.
 *
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL
 * - DOCA_ERROR_BAD_STATE: it is not started
 *
 * One thread at a time for an object. Source: spec msgq_dpa 6.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_dpa_async_ops_get_dpa_handle(struct doca_dpa_async_ops *async_ops,
					       doca_dpa_dev_async_ops_t *handle);

/*
 * Notification
 */

/**
 * @brief Creates what other DPA code triggers a thread with, by
 * doca_dpa_dev_thread_notify().
 *
 * @param [in] dpa the context, started.
 * @param [in] dpa_thread the thread, started.
 * @param [out] notify_comp the notification completion; give it back with
 *        doca_dpa_notification_completion_destroy().
 *
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL, or the thread is another context's
 * - DOCA_ERROR_BAD_STATE: the context or the thread is not started
 * - DOCA_ERROR_NO_MEMORY: no memory for the object
 *
 * Any thread. Source: spec msgq_dpa 6.
 */
DOCA_EXPERIMENTAL
doca_error_t
doca_dpa_notification_completion_create(struct doca_dpa *dpa, struct doca_dpa_thread *dpa_thread,
					struct doca_dpa_notification_completion **notify_comp);

/**
 * @brief Destroys a notification completion, which is stopped if it is started.
 *
 * @param [in] notify_comp the notification completion.
 *
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: notify_comp is NULL
 *
 * One thread at a time for an object. Source: spec msgq_dpa 6.
 */
DOCA_EXPERIMENTAL
doca_error_t
doca_dpa_notification_completion_destroy(struct doca_dpa_notification_completion *notify_comp);

/**
 * @brief The thread that a notification completion triggers.
 *
 * @param [in] notify_comp the notification completion.
 * @param [out] dpa_thread the thread; NULL: it has been destroyed.
 *
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL
 *
 * One thread at a time for an object. Source: spec msgq_dpa 6.
 */
DOCA_EXPERIMENTAL
doca_error_t
doca_dpa_notification_completion_get_thread(struct doca_dpa_notification_completion *notify_comp,
					    struct doca_dpa_thread **dpa_thread);

/**
 * @brief Starts a notification completion.
 *
 * @param [in] notify_comp the notification completion.
 *
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: notify_comp is NULL
 * - DOCA_ERROR_BAD_STATE: it is started, or its thread is not, or has been destroyed
 *
 * One thread at a time for an object. Source: spec msgq_dpa 6.
 */
DOCA_EXPERIMENTAL
doca_error_t
doca_dpa_notification_completion_start(struct doca_dpa_notification_completion *notify_comp);

/**
 * @brief Stops a notification completion. DPA code must not use it any more.
 *
 * @param [in] notify_comp the notification completion.
 *
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: notify_comp is NULL
 * - DOCA_ERROR_BAD_STATE: it is not started
 *
 * One thread at a time for an object. Source: spec msgq_dpa 6.
 */
DOCA_EXPERIMENTAL
doca_error_t
doca_dpa_notification_completion_stop(struct doca_dpa_notification_completion *notify_comp);

/**
 * @brief How DPA code names a notification completion.
 *
 * @param [in] notify_comp the notification completion, started.
 * @param [out] handle the handle.
 *
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL
 * - DOCA_ERROR_BAD_STATE: it is not started
 *
 * One thread at a time for an object. Source: spec msgq_dpa 6.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_dpa_notification_completion_get_dpa_handle(
	struct doca_dpa_notification_completion *notify_comp,
	doca_dpa_dev_notification_completion_t *handle);

#ifdef __cplusplus
} /* extern "C" */
#endif

#include <softfield_dpa_2_7.h>

#endif /* DOCA_DPA_H_ */
