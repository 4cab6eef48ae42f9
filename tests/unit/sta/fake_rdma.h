/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A device and a connection manager that do what the test says: these functions take the place of
 * libibverbs' and librdmacm's in the program that includes this, once.
 */
#ifndef SOFTFIELD_TESTS_FAKE_RDMA_H
#define SOFTFIELD_TESTS_FAKE_RDMA_H

#include <errno.h>
#include <infiniband/verbs.h>
#include <pthread.h>
#include <rdma/rdma_cma.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>
#include "nvme/spec.h"

#undef ibv_reg_mr

#define FAKE_RECEIVES 1024u

static struct {
	struct ibv_device device;
	struct ibv_context context;
	struct ibv_comp_channel channel;
	struct ibv_cq cq;
	struct ibv_qp qp;
	struct ibv_pd pd;
	struct ibv_mr mr;
	struct rdma_cm_id id;
	/* guards what follows: the engine's thread is there, too */
	pthread_mutex_t lock;
	struct {
		uint64_t wr_id, addr;
	} receives[FAKE_RECEIVES];
	uint32_t posted, taken; /* receives */
	struct ibv_wc wc;
	bool has_wc;
	_Atomic unsigned int sent; /* requests, none of which ever completes */
	_Atomic unsigned int queue_pairs, queues, ids_destroyed;
	/* what fails */
	_Atomic bool request_is_gone, without_memory, is_removed;
	/* destroying an identifier waits until this is false */
	_Atomic bool is_held, waits;
} fake = {.lock = PTHREAD_MUTEX_INITIALIZER};

static int fake_poll_cq(struct ibv_cq *cq, int max, struct ibv_wc *wc)
{
	int count;

	(void)cq;
	(void)max;
	pthread_mutex_lock(&fake.lock);
	count = fake.has_wc;
	*wc = fake.wc;
	fake.has_wc = false;
	pthread_mutex_unlock(&fake.lock);
	return count;
}

static int fake_req_notify_cq(struct ibv_cq *cq, int solicited)
{
	(void)cq;
	(void)solicited;
	return 0;
}

static int fake_post_recv(struct ibv_qp *qp, struct ibv_recv_wr *wr, struct ibv_recv_wr **bad)
{
	(void)qp;
	(void)bad;
	pthread_mutex_lock(&fake.lock);
	fake.receives[fake.posted % FAKE_RECEIVES].wr_id = wr->wr_id;
	fake.receives[fake.posted++ % FAKE_RECEIVES].addr = wr->sg_list->addr;
	pthread_mutex_unlock(&fake.lock);
	return 0;
}

static int fake_post_send(struct ibv_qp *qp, struct ibv_send_wr *wr, struct ibv_send_wr **bad)
{
	(void)qp;
	(void)wr;
	(void)bad;
	fake.sent++;
	return 0;
}

/* the host's request to connect */
static inline struct rdma_cm_id *fake_request(void)
{
	strcpy(fake.device.name, "fake0");
	fake.context.device = &fake.device;
	fake.context.ops.poll_cq = fake_poll_cq;
	fake.context.ops.req_notify_cq = fake_req_notify_cq;
	fake.context.ops.post_recv = fake_post_recv;
	fake.context.ops.post_send = fake_post_send;
	fake.cq.context = fake.qp.context = fake.pd.context = &fake.context;
	fake.id.verbs = &fake.context;
	fake.posted = fake.taken = 0;
	fake.sent = fake.ids_destroyed = 0;
	return &fake.id;
}

/* the host sends */
static inline void fake_capsule(const struct nvme_cmd *cmd, const void *data, uint32_t size)
{
	const uint64_t one = 1;
	uint32_t at;

	pthread_mutex_lock(&fake.lock);
	assert_true(fake.taken < fake.posted);
	at = fake.taken++ % FAKE_RECEIVES;
	memcpy((void *)(uintptr_t)fake.receives[at].addr, cmd, sizeof(*cmd));
	if (size)
		memcpy((uint8_t *)(uintptr_t)fake.receives[at].addr + sizeof(*cmd), data, size);
	fake.wc = (struct ibv_wc){.wr_id = fake.receives[at].wr_id,
				  .byte_len = (uint32_t)sizeof(*cmd) + size};
	fake.has_wc = true;
	pthread_mutex_unlock(&fake.lock);
	assert_int_equal(write(fake.channel.fd, &one, sizeof(one)), sizeof(one));
}

/*
 * libibverbs
 */

int ibv_query_device(struct ibv_context *context, struct ibv_device_attr *attr)
{
	(void)context;
	*attr = (struct ibv_device_attr){.max_qp_wr = 4096,
					 .max_cqe = 4096,
					 .max_qp_rd_atom = 16,
					 .max_qp_init_rd_atom = 16};
	return 0;
}

struct ibv_pd *ibv_alloc_pd(struct ibv_context *context)
{
	(void)context;
	return &fake.pd;
}

int ibv_dealloc_pd(struct ibv_pd *pd)
{
	(void)pd;
	return 0;
}

struct ibv_comp_channel *ibv_create_comp_channel(struct ibv_context *context)
{
	fake.channel.context = context;
	fake.channel.fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	return &fake.channel;
}

int ibv_destroy_comp_channel(struct ibv_comp_channel *channel)
{
	return close(channel->fd);
}

int ibv_get_cq_event(struct ibv_comp_channel *channel, struct ibv_cq **cq, void **cq_context)
{
	uint64_t count;

	if (read(channel->fd, &count, sizeof(count)) < 0)
		return -1;
	*cq = &fake.cq;
	*cq_context = fake.cq.cq_context;
	return 0;
}

void ibv_ack_cq_events(struct ibv_cq *cq, unsigned int count)
{
	(void)cq;
	(void)count;
}

struct ibv_cq *ibv_create_cq(struct ibv_context *context, int cqe, void *cq_context,
			     struct ibv_comp_channel *channel, int vector)
{
	(void)context;
	(void)cqe;
	(void)channel;
	(void)vector;
	errno = ENOMEM;
	if (fake.without_memory)
		return NULL;
	fake.queues++;
	fake.cq.cq_context = cq_context;
	return &fake.cq;
}

int ibv_destroy_cq(struct ibv_cq *cq)
{
	(void)cq;
	fake.queues--;
	return 0;
}

struct ibv_qp *ibv_create_qp(struct ibv_pd *pd, struct ibv_qp_init_attr *attr)
{
	(void)pd;
	(void)attr;
	fake.queue_pairs++;
	return &fake.qp;
}

int ibv_destroy_qp(struct ibv_qp *qp)
{
	(void)qp;
	fake.queue_pairs--;
	return 0;
}

int ibv_modify_qp(struct ibv_qp *qp, struct ibv_qp_attr *attr, int mask)
{
	(void)qp;
	(void)attr;
	(void)mask;
	return fake.is_removed ? EIO : 0;
}

struct ibv_mr *ibv_reg_mr(struct ibv_pd *pd, void *addr, size_t size, int access)
{
	(void)pd;
	(void)addr;
	(void)size;
	(void)access;
	fake.mr.lkey = 1;
	return &fake.mr;
}

struct ibv_mr *ibv_reg_mr_iova2(struct ibv_pd *pd, void *addr, size_t size, uint64_t iova,
				unsigned int access)
{
	(void)iova;
	return ibv_reg_mr(pd, addr, size, (int)access);
}

int ibv_dereg_mr(struct ibv_mr *mr)
{
	(void)mr;
	return 0;
}

/*
 * librdmacm
 */

int rdma_init_qp_attr(struct rdma_cm_id *id, struct ibv_qp_attr *attr, int *mask)
{
	(void)id;
	(void)attr;
	*mask = IBV_QP_STATE;
	errno = EINVAL;
	return fake.request_is_gone ? -1 : 0;
}

int rdma_accept(struct rdma_cm_id *id, struct rdma_conn_param *param)
{
	(void)id;
	(void)param;
	return 0;
}

int rdma_reject(struct rdma_cm_id *id, const void *data, uint8_t size)
{
	(void)id;
	(void)data;
	(void)size;
	return 0;
}

int rdma_disconnect(struct rdma_cm_id *id)
{
	(void)id;
	return 0;
}

int rdma_destroy_id(struct rdma_cm_id *id)
{
	(void)id;
	fake.waits = true;
	while (fake.is_held)
		sched_yield();
	fake.waits = false;
	fake.ids_destroyed++;
	return 0;
}

#endif
