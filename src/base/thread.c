/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Which thread runs: the address of a byte that each thread has.
 */
#include "base/thread.h"

__thread char priv_thread_here;
