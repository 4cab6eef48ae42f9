/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Two processes, one on each of two CPUs: the parent measures, the child answers.
 */
#ifndef SOFTFIELD_BENCH_PAIR_H
#define SOFTFIELD_BENCH_PAIR_H

#include <stddef.h>
#include <sys/types.h>

/* says what failed and ends the process with 1 */
void bench_fail(const char *format, ...) __attribute__((noreturn, format(printf, 1, 2)));

/* zeroed, present, shared with processes forked later */
void *pair_shared(size_t size);

/* cpu -1: leaves the process where it is */
void pair_pin(int cpu);

/*
 * Runs answer() in a child on cpu[1]; pins the caller to cpu[0]. The child dies with its parent; a
 * child that fails ends the parent, so that nobody polls for a dead peer.
 */
pid_t pair_fork(const int cpu[2], void (*answer)(void *arg), void *arg);

/* waits for the child's end; for a child that was told to end or does by itself */
void pair_join(pid_t child);

#endif
