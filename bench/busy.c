/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Runs a command while on each of some CPUs somebody computes all the time.
 */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <unistd.h>
#include "lib/pair.h"

/* Ends with its parent, which becomes the command. */
static void compute_on(int cpu)
{
	pid_t pid = fork();

	if (pid < 0)
		bench_fail("cannot fork");
	if (pid)
		return;
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	pair_pin(cpu);
	for (;;)
		__asm__ volatile("" ::: "memory");
}

int main(int argc, char **argv)
{
	char *list, *end;

	if (argc < 3) {
		fprintf(stderr, "usage: busy CPU,CPU,.. COMMAND [ARGUMENT...]\n");
		return 2;
	}
	for (list = argv[1];; list = end + 1) {
		int cpu = (int)strtol(list, &end, 10);

		if (end == list || (*end && *end != ','))
			bench_fail("\"%s\" is not a list of CPUs like 0,1", argv[1]);
		compute_on(cpu);
		if (!*end)
			break;
	}
	execvp(argv[2], argv + 2);
	perror(argv[2]);
	return 1;
}
