/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Whether memory of this process has been told to stay where it is. Which memory, nobody tells.
 */
#ifndef SOFTFIELD_LINK_FIXED_MEMORY_H
#define SOFTFIELD_LINK_FIXED_MEMORY_H

#include <stdbool.h>

struct fixed_memory {
	/*
	 * Hardware or the kernel has been given pages for good (RDMA, registered buffers of
	 * io_uring), and would go on using those behind exchanged ones.
	 */
	bool pinned;
	bool locked; /* mlock(); true also where nobody can say */
};

struct fixed_memory fixed_memory_find(void);

#endif
