/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Where programs of releases up to 2.2 look for work queues. They come with contexts.
 */
#ifndef DOCA_WORKQ_H_
#define DOCA_WORKQ_H_

#include <doca_ctx.h>

#endif /* DOCA_WORKQ_H_ */
