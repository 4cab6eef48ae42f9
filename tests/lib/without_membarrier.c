/* SPDX-License-Identifier: BSD-3-Clause */
/*
 *	without_membarrier PROGRAM [ARGUMENT...]
 *
 * Runs a program as in a container that forbids membarrier().
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
#include "membarrier.h"

int main(int argc, char **argv)
{
	if (argc < 2)
		return 2;
	forbid_membarrier();
	execv(argv[1], argv + 1);
	fprintf(stderr, "%s: %s\n", argv[1], strerror(errno));
	return 1;
}
