/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A fabric inside one process: the host is a program with a poll group, its memory is reached by
 * keyed descriptors whose address is a pointer. For tests and measurements.
 */
#ifndef SOFTFIELD_STA_FABRIC_LOOP_H
#define SOFTFIELD_STA_FABRIC_LOOP_H

#include <assert.h>
#include <stddef.h>
#include "sta/fabric.h"

#define LOOP_KEY 0x10ca1u /* any other key fails the queue pair, as a wrong RDMA key does */

/*
 * One command of the host; its own again in done. What the engine reads and writes is in the first
 * two cache lines, which processors fetch together.
 */
struct loop_req {
	_Alignas(128) struct mbox_msg msg;
	struct sta_qp *qp;
	struct nvme_cmd cmd;
	const void *in_capsule;
	uint32_t in_capsule_size;
	bool answered; /* false: the queue pair is gone */
	struct nvme_cqe cqe;
	void (*done)(struct loop_req *req);
	void *user;
};

static_assert(offsetof(struct loop_req, user) <= 128, "the engine's part has outgrown two lines");

/* host: where the answers of a queue pair go */
void fabric_loop_set_host(struct sta_qp *qp, struct mbox *host);
void fabric_loop_submit(struct sta_qp *qp, struct loop_req *req);
void fabric_loop_set_sgl(struct nvme_cmd *cmd, const void *data, uint32_t size);

#endif
