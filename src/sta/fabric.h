/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * How capsules and data travel: what cmd.c and qp.c ask of a fabric. All functions but destroy run
 * in the EU's thread.
 */
#ifndef SOFTFIELD_STA_FABRIC_H
#define SOFTFIELD_STA_FABRIC_H

#include "sta/engine.h"
#include "sta/qp.h"

struct fabric_ops {
	enum capsule_transport transport;
	size_t qp_size;	 /* of the structure that starts with struct sta_qp */
	size_t cmd_size; /* of the one that starts with struct sta_cmd */
	/* Starts to receive. On failure nothing has happened. */
	doca_error_t (*attach)(struct sta_qp *qp);
	/* commands that were held back may be executed now */
	void (*established)(struct sta_qp *qp);
	/* Reads cmd->size bytes of the host into cmd->buf; ends in cmd_fetched(), also at once. */
	void (*fetch)(struct sta_cmd *cmd);
	/*
	 * Sends cmd->cqe, after cmd->size bytes of cmd->buf if that is not 0; ends in
	 * cmd_responded(), also at once.
	 */
	void (*respond)(struct sta_cmd *cmd);
	/*
	 * The queue pair has failed or is to be disconnected: receive nothing more and end every
	 * fetch and response that was begun, now or later.
	 */
	void (*stop)(struct sta_qp *qp);
	/* Nothing is under way any more: forget the queue pair. */
	void (*detach)(struct sta_qp *qp);
	/* releases what the queue pair owns; any thread; neither attached, nor ever will be */
	void (*destroy)(struct sta_qp *qp);
};

extern const struct fabric_ops fabric_tcp_ops;
extern const struct fabric_ops fabric_loop_ops;

/* TCP: fabric_tcp.c */
doca_error_t fabric_tcp_create(struct sta_eu *eu, struct fabric_tcp **ret_tcp);
void fabric_tcp_destroy(struct fabric_tcp *tcp);
unsigned int fabric_tcp_poll(struct fabric_tcp *tcp);
/* sends what has been collected */
void fabric_tcp_flush(struct fabric_tcp *tcp);
/* true: a connection is being terminated and needs the tick */
bool fabric_tcp_tick(struct fabric_tcp *tcp, uint64_t now_ns);
/* fd: a connected socket; belongs to the queue pair from now on, unless this fails */
doca_error_t fabric_tcp_set_socket(struct sta_qp *qp, int fd);

/* RDMA: fabric_rdma.c, if librdmacm and libibverbs were there at build time */
#ifdef SOFTFIELD_RDMA
struct rdma_cm_id;

extern const struct fabric_ops fabric_rdma_ops;

doca_error_t fabric_rdma_create(struct sta_eu *eu, struct fabric_rdma **ret_rdma);
void fabric_rdma_destroy(struct fabric_rdma *rdma);
unsigned int fabric_rdma_poll(struct fabric_rdma *rdma);
/* some connection has not asked for an event yet: the EU cannot sleep */
bool fabric_rdma_must_poll(const struct fabric_rdma *rdma);
/*
 * fabric_rdma_setup.c: not in the EU: accepts the connection that id asks for. The id belongs to
 * the queue pair from now on, unless this fails.
 */
doca_error_t fabric_rdma_accept(struct sta_qp *qp, struct rdma_cm_id *id, const void *priv_data,
				uint32_t priv_size);
#else
static inline doca_error_t fabric_rdma_create(struct sta_eu *eu, struct fabric_rdma **ret_rdma)
{
	(void)eu;
	*ret_rdma = NULL;
	return DOCA_SUCCESS;
}

static inline void fabric_rdma_destroy(struct fabric_rdma *rdma)
{
	(void)rdma;
}

static inline unsigned int fabric_rdma_poll(struct fabric_rdma *rdma)
{
	(void)rdma;
	return 0;
}

static inline bool fabric_rdma_must_poll(const struct fabric_rdma *rdma)
{
	(void)rdma;
	return false;
}
#endif

#endif
