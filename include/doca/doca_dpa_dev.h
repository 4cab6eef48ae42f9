/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What DPA code calls: who it is, how it ends, completions, its log, hash tables.
 *
 * DPA code is a function marked __dpa_global__ or __dpa_rpc__, built by dpacc, and what it calls.
 * It runs in threads of the program. A handle names an object that the CPU has made and started. Of
 * an object that has been destroyed, of another kind of object, or 0, it names nothing: a call does
 * nothing and finds nothing, and the log says so once. Objects are used by one thread of the DPA at
 * a time. None of these functions can be called from elsewhere, unless it says so.
 */
#ifndef DOCA_DPA_DEV_H_
#define DOCA_DPA_DEV_H_

#include <stddef.h>
#include <stdint.h>

#include <doca_compat.h>
#include <softfield_dpa_types.h>

#ifdef __cplusplus
extern "C" {
#endif

/** This is code of the DPA, or includes what is for it. */
#define DOCA_DPA_DEVICE

#ifndef __forceinline
/**
 * How inline functions of DPA code are declared. Programs declare functions so that call
 * themselves, which GCC refuses of those that must always be inline.
 */
#ifdef __clang__
#define __forceinline static inline __attribute__((always_inline))
#else
#define __forceinline static inline
#endif
#endif

/** Something that has been done, in a struct doca_dpa_completion: doca_dpa_dev_get_completion(). */
typedef uint64_t doca_dpa_dev_completion_element_t;

/** What has been done. */
typedef enum doca_dpa_dev_completion_type {
	DOCA_DPA_DEV_COMP_SEND = 0,		   /**< what was posted here */
	DOCA_DPA_DEV_COMP_RECV_RDMA_WRITE_IMM = 1, /**< a peer has written, with immediate data */
	DOCA_DPA_DEV_COMP_RECV_SEND = 2,	   /**< a peer has sent */
	DOCA_DPA_DEV_COMP_RECV_SEND_IMM = 3,	   /**< a peer has sent, with immediate data */
	DOCA_DPA_DEV_COMP_SEND_ERR = 13,	   /**< what was posted here has failed */
	DOCA_DPA_DEV_COMP_RECV_ERR = 14,	   /**< a receive has failed */
} doca_dpa_dev_completion_type_t;

/** How something is posted; a mask. */
enum doca_dpa_dev_submit_flag {
	/** As soon as it suits. */
	DOCA_DPA_DEV_SUBMIT_FLAG_NONE = 0,
	/** Now, with all that was posted before. */
	DOCA_DPA_DEV_SUBMIT_FLAG_FLUSH = (1 << 0),
	/** Without a completion of its own, unless it fails. */
	DOCA_DPA_DEV_SUBMIT_FLAG_OPTIMIZE_REPORTS = (1 << 1),
};

/**
 * @brief Chooses the device that the following calls of this thread are for.
 *
 * Here objects know their device: nothing is to be done, and there is nothing to choose wrongly.
 *
 * @param [in] dpa_handle doca_dpa_get_dpa_handle(); 0: as before.
 *
 * Any thread of the DPA. Source: spec msgq_dpa 6.
 */
DOCA_EXPERIMENTAL
void doca_dpa_dev_device_set(doca_dpa_dev_t dpa_handle);

/**
 * @brief Tells which of the threads of a kernel, or of a group, this is.
 *
 * @return 0 to doca_dpa_dev_num_threads() - 1; 0 in an RPC and in a thread without a group.
 *
 * Any thread of the DPA. Source: spec msgq_dpa 6.
 */
DOCA_EXPERIMENTAL
unsigned int doca_dpa_dev_thread_rank(void);

/**
 * @brief Tells how many threads the kernel, or the group, has.
 *
 * @return the number; 1 in an RPC and in a thread without a group.
 *
 * Any thread of the DPA. Source: spec msgq_dpa 6.
 */
DOCA_EXPERIMENTAL
unsigned int doca_dpa_dev_num_threads(void);

/**
 * @brief Tells what doca_dpa_thread_set_local_storage() has set.
 *
 * @return the address; 0: nothing was set, or this is no struct doca_dpa_thread.
 *
 * Any thread of the DPA. Source: spec msgq_dpa 6.
 */
DOCA_EXPERIMENTAL
doca_dpa_dev_uintptr_t doca_dpa_dev_thread_get_local_storage(void);

/**
 * @brief Lets others run, and returns. A kernel or a thread; not an RPC.
 *
 * Source: spec msgq_dpa 6.
 */
DOCA_EXPERIMENTAL
void doca_dpa_dev_yield(void);

/**
 * @brief Ends this run of a thread, which begins anew when it is triggered. It does not return.
 *
 * The next run starts with the function's first line and the same argument; variables of this one
 * are lost. A trigger that has come meanwhile counts. For a struct doca_dpa_thread only.
 *
 * Source: spec msgq_dpa 6.
 */
DOCA_EXPERIMENTAL
void doca_dpa_dev_thread_reschedule(void);

/**
 * @brief Ends a thread, which is never triggered again. It does not return.
 *
 * For a struct doca_dpa_thread only.
 *
 * Source: spec msgq_dpa 6.
 */
DOCA_EXPERIMENTAL
void doca_dpa_dev_thread_finish(void);

/**
 * @brief Triggers the thread of a notification completion. Any thread of the DPA, any RPC.
 *
 * A thread that runs starts once more when it has given up its unit, however often it is triggered.
 *
 * @param [in] comp_handle doca_dpa_notification_completion_get_dpa_handle().
 *
 * Source: spec msgq_dpa 6.
 */
DOCA_EXPERIMENTAL
void doca_dpa_dev_thread_notify(doca_dpa_dev_notification_completion_t comp_handle);

/**
 * @brief Writes to the log of DPA code: doca_dpa_log_file_set_path().
 *
 * Any thread of the DPA.
 *
 * @param [in] log_level the level; what is less urgent than doca_dpa_set_log_level() is left out.
 * @param [in] format as printf(3) has it.
 *
 * Source: spec msgq_dpa 6.
 */
DOCA_EXPERIMENTAL
void doca_dpa_dev_log(doca_dpa_dev_log_level_t log_level, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

/**
 * @brief Writes to the program's standard output. Any thread of the DPA.
 *
 * Release 2.2 has it; later ones have doca_dpa_dev_log().
 *
 * @param [in] format as printf(3) has it.
 *
 * Source: public programs.
 */
DOCA_EXPERIMENTAL
void doca_dpa_dev_printf(const char *format, ...) __attribute__((format(printf, 1, 2)));

/** Logs at level CRIT, of releases up to 2.5. */
#define DOCA_DPA_DEV_LOG_CRIT(...) doca_dpa_dev_log(DOCA_DPA_DEV_LOG_LEVEL_CRIT, __VA_ARGS__)
/** Logs at level ERROR. */
#define DOCA_DPA_DEV_LOG_ERR(...) doca_dpa_dev_log(DOCA_DPA_DEV_LOG_LEVEL_ERROR, __VA_ARGS__)
/** Logs at level WARNING. */
#define DOCA_DPA_DEV_LOG_WARN(...) doca_dpa_dev_log(DOCA_DPA_DEV_LOG_LEVEL_WARNING, __VA_ARGS__)
/** Logs at level INFO. */
#define DOCA_DPA_DEV_LOG_INFO(...) doca_dpa_dev_log(DOCA_DPA_DEV_LOG_LEVEL_INFO, __VA_ARGS__)
/** Logs at level DEBUG. */
#define DOCA_DPA_DEV_LOG_DBG(...) doca_dpa_dev_log(DOCA_DPA_DEV_LOG_LEVEL_DEBUG, __VA_ARGS__)

/**
 * @brief Writes five numbers to the trace: doca_dpa_trace_file_set_path(). Any thread of the DPA.
 *
 * @param [in] arg1 the first.
 * @param [in] arg2 the second.
 * @param [in] arg3 the third.
 * @param [in] arg4 the fourth.
 * @param [in] arg5 the fifth.
 *
 * Source: spec msgq_dpa 6.
 */
DOCA_EXPERIMENTAL
void doca_dpa_dev_trace(uint64_t arg1, uint64_t arg2, uint64_t arg3, uint64_t arg4, uint64_t arg5);

/**
 * @brief Sees to it that what was traced is in the file. Any thread of the DPA.
 *
 * Source: spec msgq_dpa 6.
 */
DOCA_EXPERIMENTAL
void doca_dpa_dev_trace_flush(void);

/**
 * @brief Adds a key to a hash table, or gives one that is there another value.
 *
 * When there is no room, the table stays as it is.
 *
 * @param [in] ht_handle doca_dpa_hash_table_get_dpa_handle().
 * @param [in] key the key.
 * @param [in] value its value.
 *
 * One thread of the DPA at a time for an object. Source: spec msgq_dpa 6.
 */
DOCA_EXPERIMENTAL
void doca_dpa_dev_hash_table_add(doca_dpa_dev_hash_table_t ht_handle, uint32_t key, uint64_t value);

/**
 * @brief Removes a key from a hash table, if it is there.
 *
 * @param [in] ht_handle doca_dpa_hash_table_get_dpa_handle().
 * @param [in] key the key.
 *
 * One thread of the DPA at a time for an object. Source: spec msgq_dpa 6.
 */
DOCA_EXPERIMENTAL
void doca_dpa_dev_hash_table_remove(doca_dpa_dev_hash_table_t ht_handle, uint32_t key);

/**
 * @brief Looks a key up in a hash table.
 *
 * @param [in] ht_handle doca_dpa_hash_table_get_dpa_handle().
 * @param [in] key the key.
 * @param [out] value its value, if it is there.
 *
 * @return 1, or 0: it is not there.
 *
 * One thread of the DPA at a time for an object. Source: spec msgq_dpa 6.
 */
DOCA_EXPERIMENTAL
int doca_dpa_dev_hash_table_find(doca_dpa_dev_hash_table_t ht_handle, uint32_t key,
				 uint64_t *value);

/**
 * @brief Takes the next element of a completion.
 *
 * @param [in] dpa_comp_handle doca_dpa_completion_get_dpa_handle().
 * @param [out] comp_element the element; it is there until doca_dpa_dev_completion_ack().
 *
 * @return 1, or 0: there is none.
 *
 * One thread of the DPA at a time for an object. Source: spec msgq_dpa 6.
 */
DOCA_EXPERIMENTAL
int doca_dpa_dev_get_completion(doca_dpa_dev_completion_t dpa_comp_handle,
				doca_dpa_dev_completion_element_t *comp_element);

/**
 * @brief Tells what has been done.
 *
 * @param [in] comp_element the element.
 *
 * @return the type.
 *
 * One thread of the DPA at a time for an object. Source: spec msgq_dpa 6.
 */
DOCA_EXPERIMENTAL
doca_dpa_dev_completion_type_t
doca_dpa_dev_get_completion_type(doca_dpa_dev_completion_element_t comp_element);

/**
 * @brief Tells for whom it has been done.
 *
 * @param [in] comp_element the element.
 *
 * @return what doca_dpa_async_ops_create() was given.
 *
 * One thread of the DPA at a time for an object. Source: spec msgq_dpa 6.
 */
DOCA_EXPERIMENTAL
uint32_t doca_dpa_dev_get_completion_user_data(doca_dpa_dev_completion_element_t comp_element);

/**
 * @brief Tells the immediate data of a receive.
 *
 * @param [in] comp_element the element, of a type with IMM.
 *
 * @return the data; 0 for other types.
 *
 * One thread of the DPA at a time for an object. Source: spec msgq_dpa 6.
 */
DOCA_EXPERIMENTAL
uint32_t doca_dpa_dev_get_completion_immediate(doca_dpa_dev_completion_element_t comp_element);

/**
 * @brief The opcode of the work request that a queue pair has done.
 *
 * @param [in] comp_element the element.
 *
 * @return 0: there is no queue pair here.
 *
 * Any thread of the DPA. Source: the tables (3.1).
 */
DOCA_EXPERIMENTAL
uint32_t
doca_dpa_dev_completion_element_get_swqe_opcode(doca_dpa_dev_completion_element_t comp_element);

/**
 * @brief The number of the shared receive queue.
 *
 * @param [in] comp_element the element.
 *
 * @return 0: there is no queue pair here.
 *
 * Any thread of the DPA. Source: the tables (3.1).
 */
DOCA_EXPERIMENTAL
uint32_t doca_dpa_dev_completion_element_get_srqn(doca_dpa_dev_completion_element_t comp_element);

/**
 * @brief The number of the queue pair.
 *
 * @param [in] comp_element the element.
 *
 * @return 0: there is no queue pair here.
 *
 * Any thread of the DPA. Source: the tables (3.1).
 */
DOCA_EXPERIMENTAL
uint32_t doca_dpa_dev_completion_element_get_qpn(doca_dpa_dev_completion_element_t comp_element);

/**
 * @brief The number of the work request in its queue.
 *
 * @param [in] comp_element the element.
 *
 * @return 0: there is no queue pair here.
 *
 * Any thread of the DPA. Source: the tables (3.1).
 */
DOCA_EXPERIMENTAL
uint32_t
doca_dpa_dev_completion_element_get_wqe_counter(doca_dpa_dev_completion_element_t comp_element);

/**
 * @brief How much a queue pair has received.
 *
 * @param [in] comp_element the element.
 *
 * @return 0: there is no queue pair here.
 *
 * Any thread of the DPA. Source: the tables (3.1).
 */
DOCA_EXPERIMENTAL
uint32_t
doca_dpa_dev_completion_element_get_received_bytes(doca_dpa_dev_completion_element_t comp_element);

/**
 * @brief Why a queue pair has failed, of an element of a type with ERR.
 *
 * @param [in] comp_element the element.
 *
 * @return 0x05, which means flushed, of what has failed; else 0.
 *
 * Any thread of the DPA. Source: the tables (3.1).
 */
DOCA_EXPERIMENTAL
uint32_t
doca_dpa_dev_completion_element_get_error_syndrome(doca_dpa_dev_completion_element_t comp_element);

/**
 * @brief What the card's vendor says of a failure.
 *
 * @param [in] comp_element the element.
 *
 * @return 0: there is no queue pair here.
 *
 * Any thread of the DPA. Source: the tables (3.1).
 */
DOCA_EXPERIMENTAL
uint32_t doca_dpa_dev_completion_element_get_vendor_error_syndrome(
	doca_dpa_dev_completion_element_t comp_element);

/**
 * @brief When a queue pair was done, by the card's clock.
 *
 * @param [in] comp_element the element.
 *
 * @return 0: there is no queue pair here.
 *
 * Any thread of the DPA. Source: the tables (3.1).
 */
DOCA_EXPERIMENTAL
uint64_t
doca_dpa_dev_completion_element_get_timestamp(doca_dpa_dev_completion_element_t comp_element);

/**
 * @brief Gives the oldest elements of a completion back.
 *
 * @param [in] dpa_comp_handle doca_dpa_completion_get_dpa_handle().
 * @param [in] num_comp how many, at most those that were taken.
 *
 * One thread of the DPA at a time for an object. Source: spec msgq_dpa 6.
 */
DOCA_EXPERIMENTAL
void doca_dpa_dev_completion_ack(doca_dpa_dev_completion_t dpa_comp_handle, uint64_t num_comp);

/**
 * @brief Asks that the next element triggers the completion's thread, once.
 *
 * An element that is there already, and was not taken, triggers it at once.
 *
 * @param [in] dpa_comp_handle doca_dpa_completion_get_dpa_handle().
 *
 * One thread of the DPA at a time for an object. Source: spec msgq_dpa 6.
 */
DOCA_EXPERIMENTAL
void doca_dpa_dev_completion_request_notification(doca_dpa_dev_completion_t dpa_comp_handle);

#ifdef __cplusplus
} /* extern "C" */
#endif

#endif /* DOCA_DPA_DEV_H_ */
