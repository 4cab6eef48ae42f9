/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Work for an EU that is answered.
 */
#ifndef SOFTFIELD_STA_OP_H
#define SOFTFIELD_STA_OP_H

#include <stdbool.h>
#include <stdint.h>
#include "doca_error.h"
#include "nvme/spec.h"
#include "sta/mbox.h"

struct sta_cmd;
struct sta_eu;
struct sta_qp;

struct sta_op {
	struct mbox_msg msg;
	struct mbox *reply; /* where done is delivered */
	void (*done)(struct sta_op *op);
	doca_error_t result;
	/* of operations on commands */
	struct sta_cmd *cmd;
	uint32_t generation;
	struct nvme_cqe cqe;
	bool with_data;
	struct sta_qp *qp;
	void *arg;
};

/* EU: hands the result to op->reply */
void sta_op_finish(struct sta_op *op, doca_error_t result);
/*
 * calls fn(arg) in the EU's thread and waits for it; never from an EU. Nothing in a child of
 * fork().
 */
void sta_eu_call(struct sta_eu *eu, void (*fn)(struct sta_eu *eu, void *arg), void *arg);

#endif
