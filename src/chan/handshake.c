/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Codec of the messages over a link's socket. Encoder and decoder of a message stand side by side.
 */
#include "chan/handshake.h"

#include <assert.h>
#include <string.h>
#include "base/fd.h"
#include "base/wire.h"

#define MAGIC	0x48434653u /* "SFCH" */
#define VERSION 1

static void put_hello(struct wire_writer *w, const struct handshake *h)
{
	wire_put_string(w, h->hello.card);
	wire_put_string(w, h->hello.function);
	wire_put_string(w, h->hello.service);
	wire_put_u32(w, h->hello.max_msg_size);
	wire_put_u32(w, h->hello.flags);
}

static void get_hello(struct wire_reader *r, struct handshake *h)
{
	wire_get_string(r, h->hello.card, sizeof(h->hello.card));
	wire_get_string(r, h->hello.function, sizeof(h->hello.function));
	wire_get_string(r, h->hello.service, sizeof(h->hello.service));
	h->hello.max_msg_size = wire_get_u32(r);
	h->hello.flags = wire_get_u32(r);
}

static void put_accept(struct wire_writer *w, const struct handshake *h)
{
	wire_put_u32(w, h->accept.max_msg_size);
}

static void get_accept(struct wire_reader *r, struct handshake *h)
{
	h->accept.max_msg_size = wire_get_u32(r);
}

static void put_reject(struct wire_writer *w, const struct handshake *h)
{
	wire_put_u32(w, h->reject.error);
	wire_put_string(w, h->reject.reason);
}

static void get_reject(struct wire_reader *r, struct handshake *h)
{
	h->reject.error = wire_get_u32(r);
	wire_get_string(r, h->reject.reason, sizeof(h->reject.reason));
}

static void put_nothing(struct wire_writer *w, const struct handshake *h)
{
	(void)w;
	(void)h;
}

static void get_nothing(struct wire_reader *r, struct handshake *h)
{
	(void)r;
	(void)h;
}

static void put_server(struct wire_writer *w, const struct handshake *h)
{
	wire_put_string(w, h->server.card);
	wire_put_string(w, h->server.function);
	wire_put_string(w, h->server.service);
	wire_put_u32(w, h->server.pid);
	wire_put_u32(w, h->server.max_msg_size);
	wire_put_u32(w, h->server.max_clients);
	wire_put_u32(w, h->server.client_count);
}

static void get_server(struct wire_reader *r, struct handshake *h)
{
	wire_get_string(r, h->server.card, sizeof(h->server.card));
	wire_get_string(r, h->server.function, sizeof(h->server.function));
	wire_get_string(r, h->server.service, sizeof(h->server.service));
	h->server.pid = wire_get_u32(r);
	h->server.max_msg_size = wire_get_u32(r);
	h->server.max_clients = wire_get_u32(r);
	h->server.client_count = wire_get_u32(r);
}

static void put_connection(struct wire_writer *w, const struct handshake *h)
{
	wire_put_u32(w, h->connection.pid);
	wire_put_u32(w, h->connection.uid);
	wire_put_u32(w, h->connection.consumer_count);
	wire_put_u32(w, h->connection.producer_count);
	wire_put_u64(w, h->connection.sent_messages);
	wire_put_u64(w, h->connection.sent_bytes);
	wire_put_u64(w, h->connection.received_messages);
	wire_put_u64(w, h->connection.received_bytes);
}

static void get_connection(struct wire_reader *r, struct handshake *h)
{
	h->connection.pid = wire_get_u32(r);
	h->connection.uid = wire_get_u32(r);
	h->connection.consumer_count = wire_get_u32(r);
	h->connection.producer_count = wire_get_u32(r);
	h->connection.sent_messages = wire_get_u64(r);
	h->connection.sent_bytes = wire_get_u64(r);
	h->connection.received_messages = wire_get_u64(r);
	h->connection.received_bytes = wire_get_u64(r);
}

static void put_memory(struct wire_writer *w, const struct handshake *h)
{
	wire_put_u32(w, h->memory.token);
}

static void get_memory(struct wire_reader *r, struct handshake *h)
{
	h->memory.token = wire_get_u32(r);
}

static void put_window(struct wire_writer *w, const struct handshake *h)
{
	wire_put_u32(w, h->window.consumer_id);
	wire_put_u32(w, h->window.of_client);
	wire_put_u32(w, h->window.why);
	wire_put_u64(w, h->window.size);
	wire_put_u64(w, h->window.in_place);
	wire_put_u64(w, h->window.copied);
}

static void get_window(struct wire_reader *r, struct handshake *h)
{
	h->window.consumer_id = wire_get_u32(r);
	h->window.of_client = wire_get_u32(r);
	h->window.why = wire_get_u32(r);
	h->window.size = wire_get_u64(r);
	h->window.in_place = wire_get_u64(r);
	h->window.copied = wire_get_u64(r);
}

static const struct {
	void (*put)(struct wire_writer *w, const struct handshake *h);
	void (*get)(struct wire_reader *r, struct handshake *h);
} codecs[] = {
	[HANDSHAKE_HELLO] = {put_hello, get_hello},
	[HANDSHAKE_ACCEPT] = {put_accept, get_accept},
	[HANDSHAKE_REJECT] = {put_reject, get_reject},
	[HANDSHAKE_QUERY] = {put_nothing, get_nothing},
	[HANDSHAKE_SERVER] = {put_server, get_server},
	[HANDSHAKE_CONNECTION] = {put_connection, get_connection},
	[HANDSHAKE_END] = {put_nothing, get_nothing},
	[HANDSHAKE_MEMORY] = {put_memory, get_memory},
	[HANDSHAKE_WINDOW] = {put_window, get_window},
};

#define CODEC_COUNT (sizeof(codecs) / sizeof(codecs[0]))

size_t priv_handshake_encode(const struct handshake *handshake, void *buf)
{
	struct wire_writer w = wire_writer(buf, FD_MESSAGE_MAX);

	wire_put_u32(&w, MAGIC);
	wire_put_u16(&w, VERSION);
	wire_put_u16(&w, (uint16_t)handshake->type);
	codecs[handshake->type].put(&w, handshake);
	assert(!w.failed);
	return wire_writer_size(&w);
}

doca_error_t priv_handshake_decode(const void *buf, size_t size, struct handshake *ret_handshake)
{
	struct wire_reader r = wire_reader(buf, size);
	struct handshake h = {0};
	uint32_t magic = wire_get_u32(&r);
	uint16_t version = wire_get_u16(&r);
	uint16_t type = wire_get_u16(&r);

	if (r.failed || magic != MAGIC)
		return DOCA_ERROR_INVALID_VALUE;
	if (version != VERSION)
		return DOCA_ERROR_UNSUPPORTED_VERSION;
	if (!type || type >= CODEC_COUNT)
		return DOCA_ERROR_INVALID_VALUE;
	h.type = type;
	codecs[type].get(&r, &h);
	if (!wire_reader_is_done(&r))
		return DOCA_ERROR_INVALID_VALUE;
	*ret_handshake = h;
	return DOCA_SUCCESS;
}
