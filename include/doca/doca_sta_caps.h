/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Storage target: limits under their names of release 2.9. Since 2.10 they are in doca_sta.h.
 */
#ifndef DOCA_STA_CAPS_H_
#define DOCA_STA_CAPS_H_

#include <stdint.h>

#include <doca_compat.h>
#include <doca_error.h>

#ifdef __cplusplus
extern "C" {
#endif

struct doca_sta;

/**
 * @brief doca_sta_get_max_devs() in release 2.9.
 *
 * @param [out] value the number.
 *
 * @return see doca_sta_get_max_devs().
 *
 * Any thread. Source: spec sta 3.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_sta_cap_get_max_devs(uint32_t *value);

/**
 * @brief doca_sta_get_max_num_eus_available() in release 2.9.
 *
 * @param [in] sta the target.
 * @param [out] value the number.
 *
 * @return see doca_sta_get_max_num_eus_available().
 *
 * Any thread. Source: spec sta 3.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_sta_cap_get_max_num_eus_available(const struct doca_sta *sta, uint32_t *value);

/**
 * @brief doca_sta_get_max_num_connected_qp_per_eu() in release 2.9.
 *
 * @param [in] sta the target.
 * @param [out] value the number.
 *
 * @return see doca_sta_get_max_num_connected_qp_per_eu().
 *
 * Any thread. Source: spec sta 3.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_sta_cap_get_max_num_connected_qp_per_eu(const struct doca_sta *sta,
							  uint32_t *value);

/**
 * @brief doca_sta_get_max_subsys() in release 2.9.
 *
 * @param [out] value the number.
 *
 * @return see doca_sta_get_max_subsys().
 *
 * Any thread. Source: spec sta 3.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_sta_cap_get_max_subsys(uint32_t *value);

/**
 * @brief doca_sta_get_max_io_threads() in release 2.9.
 *
 * @param [out] value the number.
 *
 * @return see doca_sta_get_max_io_threads().
 *
 * Any thread. Source: spec sta 3.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_sta_cap_get_max_io_threads(uint32_t *value);

/**
 * @brief doca_sta_get_max_io_size() in release 2.9.
 *
 * @param [out] value the number.
 *
 * @return see doca_sta_get_max_io_size().
 *
 * Any thread. Source: spec sta 3.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_sta_cap_get_max_io_size(uint32_t *value);

/**
 * @brief doca_sta_get_max_io_num_per_dev() in release 2.9.
 *
 * @param [in] sta the target.
 * @param [out] value the number.
 *
 * @return see doca_sta_get_max_io_num_per_dev().
 *
 * Any thread. Source: spec sta 3.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_sta_cap_get_max_io_num_per_dev(const struct doca_sta *sta, uint32_t *value);

/**
 * @brief doca_sta_get_max_io_queue_size() in release 2.9.
 *
 * @param [in] sta the target.
 * @param [out] value the number.
 *
 * @return see doca_sta_get_max_io_queue_size().
 *
 * Any thread. Source: spec sta 3.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_sta_cap_get_max_io_queue_size(const struct doca_sta *sta, uint32_t *value);

/**
 * @brief doca_sta_get_min_ioccsz() in release 2.9.
 *
 * @param [out] value the number.
 *
 * @return see doca_sta_get_min_ioccsz().
 *
 * Any thread. Source: spec sta 3.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_sta_cap_get_min_ioccsz(uint32_t *value);

/**
 * @brief doca_sta_get_max_ioccsz() in release 2.9.
 *
 * @param [out] value the number.
 *
 * @return see doca_sta_get_max_ioccsz().
 *
 * Any thread. Source: spec sta 3.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_sta_cap_get_max_ioccsz(uint32_t *value);

/**
 * @brief doca_sta_get_min_iorcsz() in release 2.9.
 *
 * @param [out] value the number.
 *
 * @return see doca_sta_get_min_iorcsz().
 *
 * Any thread. Source: spec sta 3.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_sta_cap_get_min_iorcsz(uint32_t *value);

/**
 * @brief doca_sta_get_max_iorcsz() in release 2.9.
 *
 * @param [out] value the number.
 *
 * @return see doca_sta_get_max_iorcsz().
 *
 * Any thread. Source: spec sta 3.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_sta_cap_get_max_iorcsz(uint32_t *value);

/**
 * @brief doca_sta_get_max_icdoff() in release 2.9.
 *
 * @param [out] value the number.
 *
 * @return see doca_sta_get_max_icdoff().
 *
 * Any thread. Source: spec sta 3.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_sta_cap_get_max_icdoff(uint32_t *value);

/**
 * @brief doca_sta_get_max_be() in release 2.9.
 *
 * @param [out] value the number.
 *
 * @return see doca_sta_get_max_be().
 *
 * Any thread. Source: spec sta 3.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_sta_cap_get_max_be(uint32_t *value);

/**
 * @brief doca_sta_get_max_qs_per_be() in release 2.9.
 *
 * @param [out] value the number.
 *
 * @return see doca_sta_get_max_qs_per_be().
 *
 * Any thread. Source: spec sta 3.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_sta_cap_get_max_qs_per_be(uint32_t *value);

#ifdef __cplusplus
} /* extern "C" */
#endif

#endif /* DOCA_STA_CAPS_H_ */
