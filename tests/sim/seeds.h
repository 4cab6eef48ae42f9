/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The command line of a simulation: which seeds, and how many steps of each.
 */
#ifndef SOFTFIELD_TESTS_SIM_SEEDS_H
#define SOFTFIELD_TESTS_SIM_SEEDS_H

#include <stdint.h>

/* the step that is under way: a run that fails prints it, and its seed */
extern uint64_t seeds_step;

/* Runs what the arguments ask for, and prints how much that was, without the end of the line. */
void seeds_run(int argc, char **argv, void (*run)(uint64_t seed, uint64_t steps));

#endif
