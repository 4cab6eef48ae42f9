/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A conversation between host and DPU.
 */
#ifndef SAMPLES_HELLO_H
#define SAMPLES_HELLO_H

#include "side.h"

/* hello_host.c asks, hello_dpu.c answers */
doca_error_t hello_run(const struct side_options *options);

#endif
