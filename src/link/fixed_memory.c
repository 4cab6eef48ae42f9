/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What /proc says of pinned and locked memory.
 */
#include "link/fixed_memory.h"

#include <stdio.h>
#include "base/cleanup.h"
#include "base/fd.h"

static FILE *open_status(void)
{
	FILE *file;

	do
		file = fopen("/proc/thread-self/status", "re");
	while (!file && priv_fd_made_room());
	return file;
}

struct fixed_memory fixed_memory_find(void)
{
	_cleanup_file_ FILE *status = open_status();
	unsigned long locked_kb = 1, pinned_kb = 0;
	char line[256];

	while (status && fgets(line, sizeof(line), status)) {
		(void)sscanf(line, "VmLck: %lu", &locked_kb); /* comes first */
		if (sscanf(line, "VmPin: %lu", &pinned_kb) == 1)
			break;
	}
	return (struct fixed_memory){.pinned = pinned_kb, .locked = locked_kb};
}
