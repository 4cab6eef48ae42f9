/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Inside NVMe/RDMA: what the data path (fabric_rdma.c) and the making of connections
 * (fabric_rdma_setup.c) share.
 */
#ifndef SOFTFIELD_STA_FABRIC_RDMA_H
#define SOFTFIELD_STA_FABRIC_RDMA_H

#include <infiniband/verbs.h>
#include <rdma/rdma_cma.h>
#include "sta/fabric.h"

/* One device as one EU sees it; lives as long as the EU. */
struct rdma_device {
	struct list_node node; /* in fabric_rdma.devices */
	struct fabric_rdma *rdma;
	struct ibv_context *verbs; /* librdmacm's, as long as the process lives */
	struct ibv_pd *pd;
	struct ibv_comp_channel *channel;
	struct watch watch;
	struct ibv_mr **bufs; /* of the EU's pool, registered when they are used first */
	int access;	      /* of those */
	bool can_invalidate;
	uint32_t max_reads_out, max_reads_in; /* RDMA READs under way */
	uint32_t max_wr, max_cqe;
};

struct fabric_rdma {
	struct sta_eu *eu;
	struct list_node devices;
	struct list_node hot; /* connections that are polled */
	struct rdma_conn *current;
};

/* what hosts and we send, as it is in registered memory */
struct rdma_rx {
	struct nvme_cmd sqe;
	uint8_t data[STA_IN_CAPSULE];
};

struct rdma_memory {
	size_t size;
	struct ibv_mr *mr;
	struct rdma_rx *rx;  /* one for each command that a host may have under way */
	struct nvme_cqe *tx; /* one for each command */
};

struct rdma_conn {
	struct sta_qp qp;
	struct rdma_device *device;
	struct rdma_cm_id *id;
	struct ibv_cq *cq;
	struct ibv_qp *verbs_qp;
	struct rdma_memory memory;
	struct list_node node; /* in fabric_rdma.hot; unlinked: waits for an event */
	unsigned int idle_rounds;
	/* capsules that wait in their receives, oldest first */
	struct {
		uint32_t rx, size;
	} * held;
	uint32_t held_head, held_count;
};

/* the low bits of a work request's id; the rest is the index of a receive or a command */
enum wr_kind { WR_RECEIVE, WR_READ, WR_WRITE, WR_SEND, WR_KINDS };

static inline struct rdma_conn *rdma_conn_of(struct sta_qp *qp)
{
	return container_of(qp, struct rdma_conn, qp);
}

static inline uint64_t rdma_wr_id(enum wr_kind kind, uint32_t index)
{
	return (uint64_t)index * WR_KINDS + kind;
}

/* the device has an event for one of its connections; a watch's ready */
void rdma_on_events(struct watch *watch, uint32_t events);
/* gives a receive to the host; an errno */
int rdma_post_receive(struct rdma_conn *conn, uint32_t index);
/* everything of a connection but the identifier */
void rdma_release_verbs(struct rdma_conn *conn);
void rdma_close_device(struct rdma_device *device);

#endif
