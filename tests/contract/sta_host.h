/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Hosts for tests of the storage target: one interface over every fabric. A host lives in the
 * test's thread; only the engine has threads.
 */
#ifndef SOFTFIELD_TESTS_STA_HOST_H
#define SOFTFIELD_TESTS_STA_HOST_H

#include "test.h"
#include "sta/fabric_loop.h"
#include "sta/sta.h"

#define HOST_CMDS 64u

/* One command of the host. */
struct host_cmd {
	struct nvme_cmd sqe;
	void *data; /* for the target or from it */
	uint32_t size;
	bool in_capsule;
	uint8_t fused; /* NVME_FUSED_*; 0: it is not */
	/* outcome */
	bool done;
	uint16_t status;
	struct nvme_cqe cqe;
	uint32_t received; /* bytes of data from the target */
};

struct host;

struct host_ops {
	/* makes a queue pair of io on the fabric */
	void (*connect)(struct host *host, struct doca_sta_io *io, struct doca_dev *dev);
	/* the descriptor is filled in here */
	void (*submit)(struct host *host, struct host_cmd *cmd);
	void (*poll)(struct host *host);
	/* breaks the connection as seen by the engine */
	void (*cut)(struct host *host, struct host_cmd *cmd);
	void (*close)(struct host *host);
};

struct host {
	const struct host_ops *ops;
	struct doca_sta_qp_handle *qp;
	struct host_cmd *cmds[HOST_CMDS]; /* by cid */
	/* loop */
	struct poll_group group;
	struct mbox inbox;
	struct loop_req reqs[HOST_CMDS];
	/* tcp */
	int sock;
	uint8_t rx[1 << 20];
	size_t rx_size;
};

extern const struct host_ops host_loop, host_tcp, host_tcp_digests;
/* sta_host_rdma.c: to a device of this machine whose address is in CONTRACT_RDMA */
extern const struct host_ops host_rdma;

/*
 * what the RDMA host sends besides: the first size bytes of a capsule, or into the target's memory
 */
struct host_rdma_raw {
	const struct nvme_cmd *sqe;
	uint32_t size;
	bool write;
	uint64_t addr;
	uint32_t key;
};

void host_rdma_send(struct host_rdma_raw raw);
/* the key of memory that the target may reach */
uint32_t host_rdma_register(void *data, size_t size);
/* the host's own queue pair has failed */
bool host_rdma_is_broken(void);
/* disconnects without being asked */
void host_rdma_leave(void);
/* why a host is told that it cannot connect: the status in the private data of the answer */
uint8_t host_rdma_refused(struct host *host, struct doca_sta_io *io, struct doca_dev *dev);
/* sta_rdma_hostile.c: how many tests have failed */
int run_rdma_hostile(void);

static inline uint32_t host_take_cid(struct host *host, struct host_cmd *cmd)
{
	uint32_t cid;

	for (cid = 0; host->cmds[cid]; cid++)
		assert_true(cid + 1 < HOST_CMDS);
	host->cmds[cid] = cmd;
	cmd->sqe.cid = htole16((uint16_t)cid);
	return cid;
}

static inline void host_finish(struct host *host, const struct nvme_cqe *cqe)
{
	uint16_t cid = le16toh(cqe->cid);
	struct host_cmd *cmd = cid < HOST_CMDS ? host->cmds[cid] : NULL;

	assert_non_null(cmd);
	host->cmds[cid] = NULL;
	cmd->cqe = *cqe;
	cmd->status = nvme_cqe_status(cqe);
	cmd->done = true;
}

#endif
