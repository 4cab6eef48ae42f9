/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A server and a client of the engine over simulated links, without the API above them: what they
 * have been told is counted.
 */
#ifndef SOFTFIELD_TESTS_PAIRING_H
#define SOFTFIELD_TESTS_PAIRING_H

#include "test.h"

#include <stdlib.h>
#include <string.h>
#include "base/clock.h"
#include "chan/chan.h"
#include "leak.h"
#include "link/sim.h"
#include "raw.h"

#define PAIRING_MSG 4080u

/* One connection as one side sees it. */
struct half {
	struct chan chan;
	unsigned int opened, messages, rooms, closed;
	doca_error_t open_result, close_reason;
	uint8_t last[PAIRING_MSG];
	const uint8_t *last_at; /* where it was */
	uint32_t last_size;
	void (*on_message)(struct half *half);
	void (*on_room)(struct half *half);
	unsigned int to_send;
};

struct pairing {
	struct poll_group server_group, client_group;
	struct sim sim;
	struct party server_party, client_party;
	struct topo_faults no_faults;
	struct chan_config config; /* the client's; the server's has its own group */
	struct chan_server server;
	struct half server_half; /* the first client's */
	struct half client;
	unsigned int accepted, refused;
	bool no_memory;
	struct leak before;
};

static inline struct half *half_of(struct chan *chan)
{
	return container_of(chan, struct half, chan);
}

static inline void half_opened(struct chan *chan, doca_error_t result)
{
	half_of(chan)->opened++;
	half_of(chan)->open_result = result;
	if (result)
		chan_fini(chan);
}

static inline void half_message(struct chan *chan, uint8_t *msg, uint32_t size)
{
	struct half *half = half_of(chan);

	half->messages++;
	half->last_size = size;
	half->last_at = msg;
	memcpy(half->last, msg, size);
	if (half->on_message)
		half->on_message(half);
}

static inline void half_room(struct chan *chan)
{
	half_of(chan)->rooms++;
	if (half_of(chan)->on_room)
		half_of(chan)->on_room(half_of(chan));
}

static inline void half_closed(struct chan *chan, doca_error_t reason)
{
	half_of(chan)->closed++;
	half_of(chan)->close_reason = reason;
	chan_fini(chan);
}

static const struct chan_ops half_ops = {
	.opened = half_opened,
	.message = half_message,
	.room = half_room,
	.closed = half_closed,
};

static inline struct pairing *pairing_of(struct chan_server *server)
{
	return container_of(server, struct pairing, server);
}

static inline struct chan *pairing_alloc(struct chan_server *server)
{
	struct pairing *pairing = pairing_of(server);

	if (pairing->no_memory)
		return NULL;
	assert_true(pairing->server_half.chan.state == CHAN_CLOSED || !pairing->accepted);
	memset(&pairing->server_half.chan, 0, sizeof(pairing->server_half.chan));
	pairing->server_half.chan.ops = &half_ops;
	return &pairing->server_half.chan;
}

static inline void pairing_opened(struct chan_server *server, struct chan *chan)
{
	(void)chan;
	pairing_of(server)->accepted++;
}

static inline void pairing_refused(struct chan_server *server, struct chan *chan)
{
	pairing_of(server)->refused++;
	chan->state = CHAN_CLOSED;
	chan_fini(chan);
}

static const struct chan_server_ops pairing_server_ops = {
	.alloc = pairing_alloc,
	.opened = pairing_opened,
	.refused = pairing_refused,
};

static inline void pairing_init(struct pairing *pairing)
{
	const struct topo *topo;

	memset(pairing, 0, sizeof(*pairing));
	pairing->before = leak_count();
	priv_clock_virtual.on = true;
	priv_clock_virtual.now_ns = 1000000000;
	assert_ok(priv_topo_get(&topo));
	sim_init(&pairing->sim, 1);
	pairing->server_party = (struct party){.link_ops = &sim_link_ops,
					       .link_data = &pairing->sim,
					       .faults = &pairing->no_faults};
	pairing->client_party = pairing->server_party;
	assert_ok(priv_poll_group_init(&pairing->server_group));
	assert_ok(priv_poll_group_init(&pairing->client_group));
	pairing->config = (struct chan_config){.group = &pairing->client_group,
					       .addr.card = &topo->cards[0],
					       .addr.function = "0000:b1:00.0",
					       .addr.service = "pairing",
					       .max_msg_size = PAIRING_MSG,
					       .recv_queue_size = 16};
	pairing->client.chan.state = CHAN_CLOSED;
	pairing->server_half.chan.state = CHAN_CLOSED;
}

static inline doca_error_t pairing_listen(struct pairing *pairing)
{
	struct chan_config config = pairing->config;

	config.group = &pairing->server_group;
	priv_party_switch(&pairing->server_party);
	return chan_server_start(&pairing->server, &config, &pairing_server_ops, 2);
}

static inline doca_error_t pairing_call(struct pairing *pairing)
{
	priv_party_switch(&pairing->client_party);
	return chan_connect(&pairing->client.chan, &pairing->config, &half_ops);
}

static inline void poll_server(struct pairing *pairing)
{
	priv_clock_virtual.now_ns += 1000000;
	priv_party_switch(&pairing->server_party);
	priv_poll_group_poll(&pairing->server_group, 0);
}

static inline void poll_client(struct pairing *pairing)
{
	priv_clock_virtual.now_ns += 1000000;
	priv_party_switch(&pairing->client_party);
	priv_poll_group_poll(&pairing->client_group, 0);
}

static inline void pairing_settle(struct pairing *pairing)
{
	unsigned int i;

	for (i = 0; i < 200; i++) {
		poll_server(pairing);
		poll_client(pairing);
	}
}

static inline void pairing_connect(struct pairing *pairing)
{
	assert_ok(pairing_listen(pairing));
	assert_ok(pairing_call(pairing));
	pairing_settle(pairing);
	assert_int_equal(pairing->client.opened, 1);
	assert_ok(pairing->client.open_result);
	assert_int_equal(pairing->accepted, 1);
}

static inline bool pairing_fini(struct pairing *pairing)
{
	chan_server_stop(&pairing->server);
	chan_close(&pairing->client.chan);
	chan_close(&pairing->server_half.chan);
	pairing_settle(pairing);
	if (!pairing->client.opened)
		chan_fini(&pairing->client.chan); /* was still connecting */
	priv_poll_group_fini(&pairing->server_group);
	priv_poll_group_fini(&pairing->client_group);
	sim_fini(&pairing->sim);
	priv_party_switch(NULL);
	priv_clock_virtual.on = false;
	return leak_check(&pairing->before);
}

static inline int pairing_setup(void **state)
{
	*state = malloc(sizeof(struct pairing));
	pairing_init(*state);
	return 0;
}

static inline int pairing_teardown(void **state)
{
	bool clean = pairing_fini(*state);

	free(*state);
	return clean ? 0 : -1;
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, pairing_setup, pairing_teardown)

#endif
