/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The program around a target of src/nvmf that is fuzzed: nobody waits for answers, and there is no
 * engine. What a disconnection means is the fuzz target's.
 */
#ifndef TESTS_FUZZ_NVMF_PROGRAM_H
#define TESTS_FUZZ_NVMF_PROGRAM_H

#include "nvmf/ctrlr.h"

static void disconnect(struct nvmf_queue *queue, const char *why);

static void complete(struct nvmf_req *req)
{
	(void)req;
}

static void hide(struct nvmf_queue *queue, uint32_t nsid, bool hidden)
{
	(void)queue;
	(void)nsid;
	(void)hidden;
}

static const struct nvmf_ops ops = {.complete = complete,
				    .drop = complete,
				    .disconnect = disconnect,
				    .flush = nvmf_ctrlr_flushed,
				    .hide = hide};

#endif
