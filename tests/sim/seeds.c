/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The command line of a simulation.
 */
#include "seeds.h"

#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include "world.h"

uint64_t seeds_step;

static const char *program;
static uint64_t current_seed;

static void print_seed(void)
{
	fprintf(stderr, "seed %llu failed in step %llu; again: %s --seed %llu\n",
		(unsigned long long)current_seed, (unsigned long long)seeds_step, program,
		(unsigned long long)current_seed);
}

/* a number; at least min, or no seed would run and the run would pass */
static uint64_t number(const char *text, uint64_t min)
{
	char *end;
	uint64_t value = strtoull(text, &end, 0);

	if (end != text && !*end && value >= min)
		return value;
	fprintf(stderr, "\"%s\" is not a number of at least %llu\n", text, (unsigned long long)min);
	exit(2);
}

void seeds_run(int argc, char **argv, void (*run)(uint64_t seed, uint64_t steps))
{
	static const struct option options[] = {{"seed", required_argument, NULL, 's'},
						{"seeds", required_argument, NULL, 'n'},
						{"steps", required_argument, NULL, 'k'},
						{0}};
	uint64_t first = 1, count = 200, steps = 400;
	int option;

	program = argv[0];
	while ((option = getopt_long(argc, argv, "", options, NULL)) != -1) {
		if (option == 's') {
			first = number(optarg, 0);
			count = 1;
		} else if (option == 'n') {
			count = number(optarg, 1);
		} else if (option == 'k') {
			steps = number(optarg, 1);
		} else {
			fprintf(stderr, "usage: %s [--seed N | --seeds COUNT] [--steps COUNT]\n",
				program);
			exit(2);
		}
	}
	world_failing = print_seed;
	for (current_seed = first; current_seed < first + count; current_seed++)
		run(current_seed, steps);
	printf("%llu seeds of %llu steps passed: ", (unsigned long long)count,
	       (unsigned long long)steps);
}
