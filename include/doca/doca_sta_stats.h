/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Storage target: the parts of the engine, and counters.
 */
#ifndef DOCA_STA_STATS_H_
#define DOCA_STA_STATS_H_

#include <stdint.h>

#include <doca_compat.h>
#include <doca_error.h>
#include <doca_sta_handle.h>

#ifdef __cplusplus
extern "C" {
#endif

#ifdef DOCA_STA_LEGACY_2_9

#include <softfield_sta_2_9.h>

#else

struct doca_sta;

/** What an execution unit does. */
enum dpa_sta_eu_type {
	DOCA_STA_EU_TYPE_UNKNOWN = 0,
	DOCA_STA_EU_COMP = 1, /**< receives commands of a group of queue pairs */
	DOCA_STA_EU_TX = 2,   /**< sends data and answers */
	DOCA_STA_EU_BEQ = 3,  /**< drives a queue of a back end */
	DOCA_STA_EU_MAX = 4,  /**< no type; for doca_sta_eu_reset_stats_type(): all of them */
};

/** State of an execution unit. */
enum dpa_sta_eu_state {
	DOCA_STA_EU_STATE_IDLE = 0,
	DOCA_STA_EU_STATE_STOPPING = 1,
	DOCA_STA_EU_STATE_STARTED = 2,
	DOCA_STA_EU_STATE_SUSPENDED = 3,
	DOCA_STA_EU_STATE_STOPPED = 4,
};

/** A counter. */
struct doca_sta_eu_ctr_entry {
	const char *name;    /**< its name */
	const uint64_t *val; /**< where its value is */
};

/*
 * Execution units
 */

/**
 * @brief The execution units of a target.
 *
 * @param [in] sta the target.
 * @param [out] eu_handle_arr the execution units, NULL: only their number is wanted; the library's,
 * valid as long as the target is RUNNING.
 * @param [in,out] arr_size room at eu_handle_arr; then how many there are.
 *
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: sta or arr_size is NULL
 * - DOCA_ERROR_BAD_STATE: the target is not RUNNING
 * - DOCA_ERROR_TOO_BIG: there is too little room; *arr_size says how much is needed
 *
 * Any thread. Source: spec sta 8.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_sta_get_eu_handle(const struct doca_sta *sta,
				    struct doca_sta_eu_handle **eu_handle_arr, uint32_t *arr_size);

/**
 * @brief Name of an execution unit; unique.
 *
 * @param [in] eu_handle the execution unit.
 * @param [out] name the name; the library's.
 *
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL
 *
 * Any thread. Source: spec sta 8.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_sta_get_eu_name(const struct doca_sta_eu_handle *eu_handle, const char **name);

/**
 * @brief What an execution unit does.
 *
 * @param [in] eu_handle the execution unit.
 * @param [out] type the type.
 *
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL
 *
 * Any thread. Source: spec sta 8.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_sta_get_eu_type(const struct doca_sta_eu_handle *eu_handle,
				  enum dpa_sta_eu_type *type);

/**
 * @brief Number of an execution unit among all of the target.
 *
 * @param [in] eu_handle the execution unit.
 * @param [out] eu_id the number.
 *
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL
 *
 * Any thread. Source: spec sta 8.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_sta_get_eu_id(const struct doca_sta_eu_handle *eu_handle, uint16_t *eu_id);

/**
 * @brief Index of the device an execution unit is for.
 *
 * @param [in] eu_handle the execution unit.
 * @param [out] port the index.
 *
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL
 *
 * Any thread. Source: spec sta 8.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_sta_get_eu_port(const struct doca_sta_eu_handle *eu_handle, uint16_t *port);

/**
 * @brief State of an execution unit.
 *
 * @param [in] eu_handle the execution unit.
 * @param [out] state the state.
 *
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL
 *
 * Any thread. Source: spec sta 8.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_sta_get_eu_state(struct doca_sta_eu_handle *eu_handle,
				   enum dpa_sta_eu_state *state);

/**
 * @brief The queue pairs that an execution unit serves.
 *
 * @param [in] eu_handle the execution unit.
 * @param [out] arr the queue pairs; NULL: only their number is wanted.
 * @param [in,out] arr_size room at arr; then how many there are.
 *
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: eu_handle or arr_size is NULL
 * - DOCA_ERROR_TOO_BIG: there is too little room; *arr_size says how much is needed
 *
 * Any thread. Source: spec sta 8.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_sta_get_eu_connect_qp_stats(struct doca_sta_eu_handle *eu_handle,
					      struct doca_sta_qp_handle **arr, uint16_t *arr_size);

/*
 * Counters
 */

/**
 * @brief Counters of an execution unit.
 *
 * Values may be read at any time while the object exists; they change as the engine works. Names
 * are unique and can be keys of JSON.
 *
 * @param [in] eu_handle the execution unit.
 * @param [out] entries the counters; the library's.
 * @param [out] num_entries how many.
 *
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL
 *
 * Any thread. Source: spec sta 8.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_sta_get_eu_stats(struct doca_sta_eu_handle *eu_handle,
				   const struct doca_sta_eu_ctr_entry **entries,
				   uint16_t *num_entries);

/**
 * @brief Counters of a queue of a back end.
 *
 * Values may be read at any time while the object exists; they change as the engine works. Names
 * are unique and can be keys of JSON.
 *
 * @param [in] be_handle the back end.
 * @param [in] be_q_handle its queue.
 * @param [out] entries the counters; the library's.
 * @param [out] num_entries how many.
 *
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL, or the queue is another one's
 *
 * Any thread. Source: spec sta 8.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_sta_get_be_queue_stats(struct doca_sta_be_handle *be_handle,
					 struct doca_sta_be_q_handle *be_q_handle,
					 const struct doca_sta_eu_ctr_entry **entries,
					 uint16_t *num_entries);

/**
 * @brief Counters of a namespace.
 *
 * Values may be read at any time while the object exists; they change as the engine works. Names
 * are unique and can be keys of JSON.
 *
 * @param [in] subs_handle the subsystem.
 * @param [in] ns_handle a namespace of it.
 * @param [out] entries the counters; the library's.
 * @param [out] num_entries how many.
 *
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL, or the namespace is another one's
 *
 * Any thread. Source: spec sta 8.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_sta_get_ns_stats(struct doca_sta_subs_handle *subs_handle,
				   struct doca_sta_ns_handle *ns_handle,
				   const struct doca_sta_eu_ctr_entry **entries,
				   uint16_t *num_entries);

/**
 * @brief Sets the counters of an execution unit to 0. They stay where they are.
 *
 * @param [in] eu_handle the execution unit.
 *
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: eu_handle is NULL
 *
 * Any thread. Source: spec sta 8.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_sta_eu_reset_stats_handle(struct doca_sta_eu_handle *eu_handle);

/**
 * @brief Sets the counters of all execution units of a type to 0. They stay where they are.
 *
 * @param [in] sta the target.
 * @param [in] eu_type the type; DOCA_STA_EU_MAX: all types.
 *
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: sta is NULL, or there is no such type
 * - DOCA_ERROR_BAD_STATE: the target is not RUNNING
 *
 * Any thread. Source: spec sta 8.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_sta_eu_reset_stats_type(struct doca_sta *sta, enum dpa_sta_eu_type eu_type);

#endif /* DOCA_STA_LEGACY_2_9 */

#ifdef __cplusplus
} /* extern "C" */
#endif

#endif /* DOCA_STA_STATS_H_ */
