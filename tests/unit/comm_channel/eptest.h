/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What the tests of comm_channel share: a service and clients of it in one process, over real
 * sockets, none of which blocks.
 */
#ifndef SOFTFIELD_EPTEST_H
#define SOFTFIELD_EPTEST_H

#include "test.h"

#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "comm_channel/ep.h"
#include "doca_comm_channel.h"
#include "readable.h"
#include "unique.h"
#include "world.h"

#define CLIENTS	   4
#define ROUNDS_MAX 100000

typedef struct doca_comm_channel_ep_t ep_t;
typedef struct doca_comm_channel_addr_t addr_t;

struct rig {
	struct leak before;
	struct doca_dev *dpu, *host;
	struct doca_dev_rep *rep;
	char name[48];
	ep_t *service;
	ep_t *clients[CLIENTS];
	addr_t *to[CLIENTS];   /* the service, for each client */
	addr_t *from[CLIENTS]; /* each client, for the service; NULL until it has spoken */
	/* what came last */
	char msg[4096];
	size_t size;
	addr_t *sender;
};

/* As if its last look at the clock were long ago: the next send looks at what the kernel has. */
static inline void let_time_go_by(ep_t *ep)
{
	ep->group.timed = 0;
}

static inline ep_t *late_service(struct rig *rig)
{
	ep_t *ep;

	assert_ok(doca_comm_channel_ep_create(&ep));
	assert_ok(doca_comm_channel_ep_set_device(ep, rig->dpu));
	assert_ok(doca_comm_channel_ep_set_device_rep(ep, rig->rep));
	return ep;
}

static inline ep_t *late_client(struct rig *rig)
{
	ep_t *ep;

	assert_ok(doca_comm_channel_ep_create(&ep));
	assert_ok(doca_comm_channel_ep_set_device(ep, rig->host));
	return ep;
}

static inline ep_t *early(uint32_t flags, uint32_t maxmsgs, uint32_t msgsize)
{
	struct doca_comm_channel_init_attr attr = {
		.flags = flags, .maxmsgs = maxmsgs, .msgsize = msgsize};
	ep_t *ep;

	assert_ok(softfield_comm_channel_ep_create_1_4(&attr, &ep));
	return ep;
}

static inline int setup(void **state)
{
	static unsigned int number;
	struct rig *rig = calloc(1, sizeof(*rig));
	char name[16];

	assert_non_null(rig);
	rig->before = leak_count();
	rig->dpu = open_dev(DPU_PF0);
	rig->host = open_dev(HOST_PF0);
	rig->rep = open_rep(rig->dpu, HOST_PF0);
	snprintf(name, sizeof(name), "unit-%u", number++);
	unique_name(rig->name, sizeof(rig->name), name);
	*state = rig;
	return 0;
}

/* the same, with a service that listens */
static inline int setup_service(void **state)
{
	struct rig *rig;

	setup(state);
	rig = *state;
	rig->service = late_service(rig);
	assert_ok(doca_comm_channel_ep_listen(rig->service, rig->name));
	return 0;
}

static inline int teardown(void **state)
{
	struct rig *rig = *state;
	unsigned int i;
	bool clean;

	for (i = 0; i < CLIENTS; i++)
		if (rig->clients[i])
			assert_ok(doca_comm_channel_ep_destroy(rig->clients[i]));
	if (rig->service)
		assert_ok(doca_comm_channel_ep_destroy(rig->service));
	assert_ok(doca_dev_rep_close(rig->rep));
	assert_ok(doca_dev_close(rig->dpu));
	assert_ok(doca_dev_close(rig->host));
	clean = leak_check(&rig->before);
	free(rig);
	return clean ? 0 : -1;
}

static inline doca_error_t receive(struct rig *rig, ep_t *ep)
{
	rig->size = sizeof(rig->msg);
	return doca_comm_channel_ep_recvfrom(ep, rig->msg, &rig->size, DOCA_CC_MSG_FLAG_NONE,
					     &rig->sender);
}

static inline doca_error_t send_text(ep_t *ep, const char *text, addr_t *to)
{
	return doca_comm_channel_ep_sendto(ep, text, strlen(text), DOCA_CC_MSG_FLAG_NONE, to);
}

/* until there is something other than AGAIN; the service is looked at meanwhile */
static inline doca_error_t await(struct rig *rig, ep_t *ep)
{
	unsigned int round;
	doca_error_t err;

	for (round = 0; (err = receive(rig, ep)) == DOCA_ERROR_AGAIN; round++)
		assert_true(round < ROUNDS_MAX);
	return err;
}

static inline void expect(struct rig *rig, ep_t *ep, const char *text)
{
	assert_ok(await(rig, ep));
	assert_int_equal(rig->size, strlen(text));
	assert_memory_equal(rig->msg, text, rig->size);
}

/* connects; the service must have nothing to read */
static inline void connect_client(struct rig *rig, unsigned int i)
{
	unsigned int round;
	doca_error_t err;

	if (!rig->clients[i])
		rig->clients[i] = late_client(rig);
	assert_ok(doca_comm_channel_ep_connect(rig->clients[i], rig->name, &rig->to[i]));
	for (round = 0; (err = doca_comm_channel_peer_addr_update_info(rig->to[i])) ==
			DOCA_ERROR_CONNECTION_INPROGRESS;
	     round++) {
		assert_true(round < ROUNDS_MAX);
		assert_err(receive(rig, rig->service), AGAIN);
	}
	assert_ok(err);
}

/* connects, and makes itself known to the service */
static inline void add_client(struct rig *rig, unsigned int i)
{
	connect_client(rig, i);
	assert_ok(send_text(rig->clients[i], "hello", rig->to[i]));
	expect(rig, rig->service, "hello");
	rig->from[i] = rig->sender;
}

/* waits in the kernel; a descriptor that stays silent hangs the test */
static inline void await_readable(int fd)
{
	struct pollfd pollfd = {.fd = fd, .events = POLLIN};

	assert_int_equal(poll(&pollfd, 1, -1), 1);
}

#define TEST(name)	   cmocka_unit_test_setup_teardown(name, setup, teardown)
#define SERVICE_TEST(name) cmocka_unit_test_setup_teardown(name, setup_service, teardown)

#endif
