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

#endif
