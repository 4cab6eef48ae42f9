/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Ports of RDMA in a build without librdmacm.
 */
#include "target.h"

#include <stdio.h>

bool rdma_port_open(struct served_port *port, const char *addr, uint16_t number, char *why,
		    size_t why_size)
{
	(void)port;
	(void)addr;
	(void)number;
	snprintf(why, why_size, "built without librdmacm and libibverbs");
	return false;
}

void rdma_port_close(struct served_port *port)
{
	(void)port;
}

void rdma_close(struct target *target)
{
	(void)target;
}
