/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What a listed or an open device or representor is described by: its place in the topology, which
 * is immutable and outlives everything.
 */
#ifndef SOFTFIELD_CORE_DEVINFO_H
#define SOFTFIELD_CORE_DEVINFO_H

#include "topo/topo.h"

struct doca_devinfo {
	const struct topo_function *function;
};

struct doca_devinfo_rep {
	const struct topo_rep *rep;
};

/* for functions that ask for what every device can do. INVALID_VALUE: it is NULL */
static inline doca_error_t devinfo_always_can(const struct doca_devinfo *devinfo)
{
	return devinfo ? DOCA_SUCCESS : DOCA_ERROR_INVALID_VALUE;
}

/* for functions that tell a number of a device. INVALID_VALUE: an argument is NULL */
static inline doca_error_t devinfo_tell(const struct doca_devinfo *devinfo, uint64_t number,
					uint32_t *ret_number)
{
	if (!devinfo || !ret_number)
		return DOCA_ERROR_INVALID_VALUE;
	*ret_number = (uint32_t)number;
	return DOCA_SUCCESS;
}

#endif
