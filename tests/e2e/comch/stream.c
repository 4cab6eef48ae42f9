/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The fast path of a peer's connection.
 */
#include "stream.h"

#include <stdlib.h>
#include <string.h>
#include <doca_buf.h>
#include <doca_buf_inventory.h>
#include <doca_comch_consumer.h>
#include <doca_comch_producer.h>
#include <doca_ctx.h>
#include <doca_mmap.h>
#include "peer.h"

#define SLOTS	  4   /* receives posted */
#define SENDS	  256 /* one progress call may deliver, and let us answer, many messages */
#define SLOT_SIZE ((size_t)200000)

struct stream {
	struct stream_config config;
	struct doca_mmap *mmap;
	struct doca_buf_inventory *inventory;
	struct doca_comch_consumer *consumer;
	struct doca_comch_producer *producer;
	uint32_t peer_consumer;
	uint8_t *memory; /* SLOTS to receive into, as many to send from */
	unsigned int sends;
	size_t size; /* of the message that is to come back */
	bool closing;
};

static bool failed(doca_error_t err, const char *what)
{
	if (err && err != DOCA_ERROR_IN_PROGRESS)
		say("error %s %s", what, doca_error_get_name(err));
	return err && err != DOCA_ERROR_IN_PROGRESS;
}

static uint8_t *receive_slot(const struct stream *stream, unsigned int index)
{
	return stream->memory + index % SLOTS * SLOT_SIZE;
}

static uint8_t *send_slot(const struct stream *stream, unsigned int index)
{
	return stream->memory + (SLOTS + index % SLOTS) * SLOT_SIZE;
}

static enum doca_ctx_states state_of(struct doca_ctx *ctx)
{
	enum doca_ctx_states state = DOCA_CTX_STATE_IDLE;

	if (ctx)
		doca_ctx_get_state(ctx, &state);
	return state;
}

static struct doca_ctx *consumer_ctx(const struct stream *stream)
{
	return doca_comch_consumer_as_ctx(stream->consumer);
}

static struct doca_ctx *producer_ctx(const struct stream *stream)
{
	return doca_comch_producer_as_ctx(stream->producer);
}

/*
 * Sending
 */

static void give_back(struct doca_comch_producer_task_send *task)
{
	/* The interface takes const and gives non-const. */
	doca_buf_dec_refcount((struct doca_buf *)doca_comch_producer_task_send_get_buf(task), NULL);
	doca_task_free(doca_comch_producer_task_send_as_task(task));
}

static void sent(struct doca_comch_producer_task_send *task, union doca_data task_data,
		 union doca_data ctx_data)
{
	(void)task_data;
	(void)ctx_data;
	give_back(task);
}

static void transmit(struct stream *stream, const uint8_t *data, size_t size)
{
	struct doca_comch_producer_task_send *task;
	struct doca_buf *buf;

	if (state_of(producer_ctx(stream)) != DOCA_CTX_STATE_RUNNING)
		return; /* the other side is leaving */
	if (failed(doca_buf_inventory_buf_get_by_data(stream->inventory, stream->mmap,
						      (void *)(uintptr_t)data, size, &buf),
		   "buffer"))
		return;
	if (failed(doca_comch_producer_task_send_alloc_init(stream->producer, buf, NULL, 0,
							    stream->peer_consumer, &task),
		   "allocate send")) {
		doca_buf_dec_refcount(buf, NULL);
		return;
	}
	/* INVALID_VALUE: that consumer is gone, which nobody can know in time. */
	if (doca_task_submit(doca_comch_producer_task_send_as_task(task)))
		give_back(task);
}

static void send_next(struct stream *stream)
{
	uint32_t roll = (uint32_t)rand_r(&stream->config.random);
	uint8_t *slot;

	if (stream->config.messages-- == 0) {
		stream_close(stream);
		return;
	}
	slot = send_slot(stream, stream->sends++);
	stream->size = 1 + (roll % 2 ? roll % 100 : roll % SLOT_SIZE);
	memset(slot, (int)roll, stream->size);
	slot[stream->size - 1] = (uint8_t)stream->sends;
	transmit(stream, slot, stream->size);
}

static void send_back(struct stream *stream, const uint8_t *data, size_t size)
{
	uint8_t *slot = send_slot(stream, stream->sends++);

	memcpy(slot, data, size);
	transmit(stream, slot, size);
}

static void compare(struct stream *stream, const uint8_t *data, size_t size)
{
	const uint8_t *slot = send_slot(stream, stream->sends - 1);

	if (size != stream->size || memcmp(data, slot, size))
		say("error %zu bytes came back, %zu were sent", size, stream->size);
	send_next(stream);
}

/*
 * Receiving
 */

static void receive_failed(struct doca_comch_consumer_task_post_recv *task,
			   union doca_data task_data, union doca_data ctx_data)
{
	(void)task_data;
	(void)ctx_data;
	doca_buf_dec_refcount(doca_comch_consumer_task_post_recv_get_buf(task), NULL);
	doca_task_free(doca_comch_consumer_task_post_recv_as_task(task));
}

static void received(struct doca_comch_consumer_task_post_recv *task, union doca_data task_data,
		     union doca_data ctx_data)
{
	struct doca_buf *buf = doca_comch_consumer_task_post_recv_get_buf(task);
	struct stream *stream = ctx_data.ptr;
	size_t size = 0;
	void *data;

	doca_buf_get_data(buf, &data);
	doca_buf_get_data_len(buf, &size);
	if (stream->config.leads)
		compare(stream, data, size);
	else
		send_back(stream, data, size);
	doca_buf_reset_data_len(buf);
	if (doca_task_submit(doca_comch_consumer_task_post_recv_as_task(task)))
		receive_failed(task, task_data, ctx_data);
}

static void post(struct stream *stream, unsigned int index)
{
	struct doca_comch_consumer_task_post_recv *task;
	struct doca_buf *buf;

	if (failed(doca_buf_inventory_buf_get_by_addr(stream->inventory, stream->mmap,
						      receive_slot(stream, index), SLOT_SIZE, &buf),
		   "buffer"))
		return;
	if (failed(doca_comch_consumer_task_post_recv_alloc_init(stream->consumer, buf, &task),
		   "allocate receive"))
		doca_buf_dec_refcount(buf, NULL);
	else if (failed(doca_task_submit(doca_comch_consumer_task_post_recv_as_task(task)),
			"submit receive"))
		receive_failed(task, (union doca_data){0}, (union doca_data){0});
}

/*
 * Life
 */

static void release(struct stream *stream)
{
	if (stream->inventory)
		failed(doca_buf_inventory_destroy(stream->inventory), "destroy inventory");
	if (stream->mmap)
		failed(doca_mmap_destroy(stream->mmap), "destroy map");
	free(stream->memory);
	free(stream);
}

/* when both are idle, they and all that was lent to them go */
static void end_if_idle(struct stream *stream)
{
	if (!stream->closing || state_of(consumer_ctx(stream)) != DOCA_CTX_STATE_IDLE ||
	    state_of(producer_ctx(stream)) != DOCA_CTX_STATE_IDLE)
		return;
	failed(doca_comch_consumer_destroy(stream->consumer), "destroy consumer");
	if (stream->producer)
		failed(doca_comch_producer_destroy(stream->producer), "destroy producer");
	say("stream %u", stream->sends);
	stream->config.closed(stream->config.owner);
	release(stream);
}

static void state_changed(const union doca_data data, struct doca_ctx *ctx,
			  enum doca_ctx_states previous, enum doca_ctx_states next)
{
	struct stream *stream = data.ptr;

	(void)previous;
	if (next == DOCA_CTX_STATE_RUNNING && ctx == consumer_ctx(stream)) {
		for (unsigned int i = 0; i < SLOTS; i++)
			post(stream, i);
	}
	if (next == DOCA_CTX_STATE_RUNNING && ctx == producer_ctx(stream) && stream->config.leads)
		send_next(stream);
	if (next == DOCA_CTX_STATE_STOPPING)
		stream_close(stream); /* one of the two has lost the connection */
	if (next == DOCA_CTX_STATE_IDLE) {
		stream->closing = true;
		end_if_idle(stream);
	}
}

static bool start(struct stream *stream, struct doca_ctx *ctx)
{
	union doca_data data = {.ptr = stream};

	return !failed(doca_ctx_set_user_data(ctx, data), "configure") &&
	       !failed(doca_ctx_set_state_changed_cb(ctx, state_changed), "configure") &&
	       !failed(doca_pe_connect_ctx(stream->config.pe, ctx), "configure") &&
	       !failed(doca_ctx_start(ctx), "start");
}

static doca_error_t make_memory(struct stream *stream)
{
	size_t size = 2 * SLOTS * SLOT_SIZE;
	doca_error_t err;

	stream->memory = malloc(size);
	if (!stream->memory)
		return DOCA_ERROR_NO_MEMORY;
	err = doca_mmap_create(&stream->mmap);
	if (!err)
		err = doca_mmap_add_dev(stream->mmap, stream->config.dev);
	if (!err)
		err = doca_mmap_set_memrange(stream->mmap, stream->memory, size);
	if (!err)
		err = doca_mmap_set_permissions(stream->mmap, DOCA_ACCESS_FLAG_PCI_READ_WRITE);
	if (!err)
		err = doca_mmap_start(stream->mmap);
	if (!err)
		err = doca_buf_inventory_create(SLOTS + SENDS, &stream->inventory);
	if (!err)
		err = doca_buf_inventory_start(stream->inventory);
	return err;
}

doca_error_t stream_open(const struct stream_config *config, struct stream **ret_stream)
{
	struct stream *stream = calloc(1, sizeof(*stream));
	doca_error_t err = DOCA_ERROR_NO_MEMORY;

	if (!stream)
		return err;
	stream->config = *config;
	err = make_memory(stream);
	if (!err)
		err = doca_comch_consumer_create(config->connection, stream->mmap,
						 &stream->consumer);
	if (err) {
		release(stream);
		return err;
	}
	*ret_stream = stream;
	err = doca_comch_consumer_task_post_recv_set_conf(stream->consumer, received,
							  receive_failed, SLOTS);
	if (failed(err, "configure consumer") || !start(stream, consumer_ctx(stream)))
		exit(1);
	return DOCA_SUCCESS;
}

void stream_meet(struct stream *stream, uint32_t consumer_id)
{
	if (stream->producer || stream->closing)
		return;
	stream->peer_consumer = consumer_id;
	/* BAD_STATE: the connection has ended meanwhile. */
	if (doca_comch_producer_create(stream->config.connection, &stream->producer))
		return;
	if (failed(doca_comch_producer_task_send_set_conf(stream->producer, sent, sent, SENDS),
		   "configure producer") ||
	    !start(stream, producer_ctx(stream)))
		exit(1);
}

void stream_close(struct stream *stream)
{
	if (stream->closing)
		return;
	stream->closing = true;
	if (state_of(producer_ctx(stream)) != DOCA_CTX_STATE_IDLE)
		failed(doca_ctx_stop(producer_ctx(stream)), "stop producer");
	/* With the second one that is idle, and be it now, the stream is gone. */
	if (state_of(consumer_ctx(stream)) == DOCA_CTX_STATE_IDLE)
		end_if_idle(stream);
	else
		failed(doca_ctx_stop(consumer_ctx(stream)), "stop consumer");
}
