/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Peer: iceoryx publish/subscribe through its C binding, polled. The sender copies into the loaned
 * chunk, the receiver looks at the chunk in place. Needs the daemon iox-roudi.
 */
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
#include "iceoryx_binding_c/publisher.h"
#include "iceoryx_binding_c/runtime.h"
#include "iceoryx_binding_c/subscriber.h"
#include "iceoryx_binding_c/types.h"
#include "pair.h"
#include "transport.h"

#define QUEUE_LENGTH 256

static iox_pub_storage_t publisher_storage;
static iox_sub_storage_t subscriber_storage;
static iox_pub_t publisher;
static iox_sub_t subscriber;
static const void *chunk;

static void open_topics(struct transport *transport, enum side side)
{
	static const char *const topic[] = {"from-measuring", "from-answering"};
	iox_pub_options_t publish;
	iox_sub_options_t subscribe;
	char name[64];

	(void)transport;
	snprintf(name, sizeof(name), "bench-%d", getpid());
	iox_runtime_init(name);
	iox_pub_options_init(&publish);
	publish.subscriberTooSlowPolicy = ConsumerTooSlowPolicy_WAIT_FOR_CONSUMER;
	publish.historyCapacity = 0;
	iox_sub_options_init(&subscribe);
	subscribe.queueCapacity = QUEUE_LENGTH;
	subscribe.queueFullPolicy = QueueFullPolicy_BLOCK_PRODUCER;
	publisher = iox_pub_init(&publisher_storage, "bench", "messages", topic[side], &publish);
	subscriber =
		iox_sub_init(&subscriber_storage, "bench", "messages", topic[!side], &subscribe);
	while (iox_sub_get_subscription_state(subscriber) != SubscribeState_SUBSCRIBED ||
	       !iox_pub_has_subscribers(publisher))
		sched_yield();
}

static void send_message(struct transport *transport, const void *message, size_t size)
{
	void *loan;

	(void)transport;
	while (iox_pub_loan_chunk(publisher, &loan, (uint32_t)size) != AllocationResult_SUCCESS)
		;
	memcpy(loan, message, size);
	iox_pub_publish_chunk(publisher, loan);
}

static const uint8_t *receive_message(struct transport *transport, void *buffer, size_t size)
{
	(void)transport;
	(void)buffer;
	(void)size;
	while (iox_sub_take_chunk(subscriber, &chunk) != ChunkReceiveResult_SUCCESS)
		;
	return chunk;
}

static void release_message(struct transport *transport)
{
	(void)transport;
	iox_sub_release_chunk(subscriber, chunk);
}

static void close_topics(struct transport *transport)
{
	/* the last answer may still be unread when its publisher goes away */
	if (transport->side == SIDE_ANSWERS) {
		while (iox_pub_has_subscribers(publisher))
			sched_yield();
	}
	iox_sub_deinit(subscriber);
	iox_pub_deinit(publisher);
}

int main(int argc, char **argv)
{
	struct bench_options options;
	struct transport transport = {
		.name = "iceoryx",
		.max_size = 1048576,
		.open = open_topics,
		.send = send_message,
		.recv = receive_message,
		.release = release_message,
		.close = close_topics,
	};

	options_parse(&options, argc, argv);
	transport_bench(&transport, &options);
	return 0;
}
