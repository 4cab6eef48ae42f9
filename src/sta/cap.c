/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Capabilities: rows of core/limits.def, under the names of two releases.
 */
#include "doca_sta_caps.h"
#include "base/pow2.h"
#include "sta/sta.h"

#define COMMAND_SIZE  64u /* bytes of a command capsule without data */
#define RESPONSE_SIZE 16u

static doca_error_t put(uint32_t *value, uint64_t number)
{
	if (!value)
		return DOCA_ERROR_INVALID_VALUE;
	*value = (uint32_t)number;
	return DOCA_SUCCESS;
}

static doca_error_t put_of(const struct doca_sta *sta, uint32_t *value, uint64_t number)
{
	return sta ? put(value, number) : DOCA_ERROR_INVALID_VALUE;
}

doca_error_t doca_sta_cap_is_supported(const struct doca_devinfo *devinfo)
{
	if (!devinfo)
		return DOCA_ERROR_INVALID_VALUE;
	/* the target runs where the disks are: on the DPU's side */
	return priv_devinfo_function(devinfo)->side == TOPO_DPU ? DOCA_SUCCESS
								: DOCA_ERROR_NOT_SUPPORTED;
}

doca_error_t doca_sta_get_max_sta_io(const struct doca_sta *sta, uint16_t *max_io_num)
{
	if (!sta || !max_io_num)
		return DOCA_ERROR_INVALID_VALUE;
	*max_io_num = sta->max_io;
	return DOCA_SUCCESS;
}

doca_error_t doca_sta_get_max_devs(uint32_t *max_devs)
{
	return put(max_devs, priv_topo_limits()->sta_max_devs);
}

doca_error_t doca_sta_get_max_num_eus_available(const struct doca_sta *sta, uint32_t *max_eus)
{
	return put_of(sta, max_eus, sta ? STA_EU_ROLES * (uint64_t)sta->num_eus : 0);
}

doca_error_t doca_sta_get_max_num_connected_qp_per_eu(const struct doca_sta *sta,
						      uint32_t *max_connected_qps)
{
	return put_of(sta, max_connected_qps, priv_topo_limits()->sta_max_qps);
}

doca_error_t doca_sta_get_max_subsys(uint32_t *max_subsys)
{
	return put(max_subsys, priv_topo_limits()->sta_max_subsys);
}

doca_error_t doca_sta_get_max_ns_per_subs(uint32_t *max_ns_per_subsys)
{
	return put(max_ns_per_subsys, priv_topo_limits()->sta_max_ns_per_subs);
}

doca_error_t doca_sta_get_max_qps(uint32_t *max_qps)
{
	return put(max_qps, priv_topo_limits()->sta_max_qps);
}

doca_error_t doca_sta_get_max_io_threads(uint32_t *max_io_threads)
{
	return put(max_io_threads, priv_topo_limits()->sta_max_io_threads);
}

doca_error_t doca_sta_get_max_io_size(uint32_t *max_io_size)
{
	return put(max_io_size, priv_topo_limits()->sta_max_io_size);
}

doca_error_t doca_sta_get_max_io_num_per_dev(const struct doca_sta *sta, uint32_t *max_ios)
{
	return put_of(sta, max_ios, priv_topo_limits()->sta_max_io_num_per_dev);
}

doca_error_t doca_sta_get_max_io_queue_size(const struct doca_sta *sta, uint32_t *max_io_queue_size)
{
	return put_of(sta, max_io_queue_size, priv_topo_limits()->sta_max_io_queue_size);
}

doca_error_t doca_sta_get_min_ioccsz(uint32_t *ioccsz)
{
	return put(ioccsz, COMMAND_SIZE);
}

doca_error_t doca_sta_get_max_ioccsz(uint32_t *ioccsz)
{
	return put(ioccsz, COMMAND_SIZE + STA_IN_CAPSULE);
}

doca_error_t doca_sta_get_min_iorcsz(uint32_t *iorcsz)
{
	return put(iorcsz, RESPONSE_SIZE);
}

doca_error_t doca_sta_get_max_iorcsz(uint32_t *iorcsz)
{
	return put(iorcsz, RESPONSE_SIZE);
}

doca_error_t doca_sta_get_max_icdoff(uint32_t *icdoff)
{
	return put(icdoff, 0);
}

doca_error_t doca_sta_get_max_be(uint32_t *max_be)
{
	return put(max_be, priv_topo_limits()->sta_max_be);
}

doca_error_t doca_sta_get_max_qs_per_be(uint32_t *max_qs_per_be)
{
	return put(max_qs_per_be, priv_topo_limits()->sta_max_qs_per_be);
}

bool doca_sta_is_logical_block_size_supported(uint32_t size)
{
	return size >= 512 && size <= 65536 && is_pow2(size);
}

/*
 * Release 2.9
 */

doca_error_t doca_sta_cap_get_max_devs(uint32_t *value)
{
	return doca_sta_get_max_devs(value);
}

doca_error_t doca_sta_cap_get_max_num_eus_available(const struct doca_sta *sta, uint32_t *value)
{
	return doca_sta_get_max_num_eus_available(sta, value);
}

doca_error_t doca_sta_cap_get_max_num_connected_qp_per_eu(const struct doca_sta *sta,
							  uint32_t *value)
{
	return doca_sta_get_max_num_connected_qp_per_eu(sta, value);
}

doca_error_t doca_sta_cap_get_max_subsys(uint32_t *value)
{
	return doca_sta_get_max_subsys(value);
}

doca_error_t doca_sta_cap_get_max_io_threads(uint32_t *value)
{
	return doca_sta_get_max_io_threads(value);
}

doca_error_t doca_sta_cap_get_max_io_size(uint32_t *value)
{
	return doca_sta_get_max_io_size(value);
}

doca_error_t doca_sta_cap_get_max_io_num_per_dev(const struct doca_sta *sta, uint32_t *value)
{
	return doca_sta_get_max_io_num_per_dev(sta, value);
}

doca_error_t doca_sta_cap_get_max_io_queue_size(const struct doca_sta *sta, uint32_t *value)
{
	return doca_sta_get_max_io_queue_size(sta, value);
}

doca_error_t doca_sta_cap_get_min_ioccsz(uint32_t *value)
{
	return doca_sta_get_min_ioccsz(value);
}

doca_error_t doca_sta_cap_get_max_ioccsz(uint32_t *value)
{
	return doca_sta_get_max_ioccsz(value);
}

doca_error_t doca_sta_cap_get_min_iorcsz(uint32_t *value)
{
	return doca_sta_get_min_iorcsz(value);
}

doca_error_t doca_sta_cap_get_max_iorcsz(uint32_t *value)
{
	return doca_sta_get_max_iorcsz(value);
}

doca_error_t doca_sta_cap_get_max_icdoff(uint32_t *value)
{
	return doca_sta_get_max_icdoff(value);
}

doca_error_t doca_sta_cap_get_max_be(uint32_t *value)
{
	return doca_sta_get_max_be(value);
}

doca_error_t doca_sta_cap_get_max_qs_per_be(uint32_t *value)
{
	return doca_sta_get_max_qs_per_be(value);
}
