/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A fabric inside one process: the host is a program with a poll group, its memory is reached by
 * keyed descriptors whose address is a pointer. For tests and measurements.
 */
#ifndef SOFTFIELD_STA_FABRIC_LOOP_H
#define SOFTFIELD_STA_FABRIC_LOOP_H

#include "sta/fabric.h"

#define LOOP_KEY 0x10ca1u /* any other key fails the queue pair, as a wrong RDMA key does */

/* One command of the host; its own again in done. */
struct loop_req {
	struct mbox_msg msg;
	struct sta_qp *qp;
	struct nvme_cmd cmd;
	const void *in_capsule;
	uint32_t in_capsule_size;
	struct nvme_cqe cqe;
	bool answered; /* false: the queue pair is gone */
	void (*done)(struct loop_req *req);
	void *user;
};

/* host: where the answers of a queue pair go */
void fabric_loop_set_host(struct sta_qp *qp, struct mbox *host);
void fabric_loop_submit(struct sta_qp *qp, struct loop_req *req);
void fabric_loop_set_sgl(struct nvme_cmd *cmd, const void *data, uint32_t size);

#endif
