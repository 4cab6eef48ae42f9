/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Codec of the messages over a link's socket: one table says how each of them is laid out.
 */
#include "chan/handshake.h"

#include <assert.h>
#include "base/count.h"
#include "base/fd.h"
#include "base/wire.h"

#define MAGIC	0x48434653u /* "SFCH" */
#define VERSION 3

/* A field of a message. Numbers have the size that they have in struct handshake. */
struct field {
	uint16_t offset, size;
	bool is_text;
};

#define NUMBER(member)                                                                             \
	{                                                                                          \
		offsetof(struct handshake, member), sizeof(((struct handshake *)NULL)->member),    \
			false                                                                      \
	}
#define TEXT(member)                                                                               \
	{                                                                                          \
		offsetof(struct handshake, member), HANDSHAKE_TEXT_SIZE, true                      \
	}

#define FIELDS_MAX 8

/* In the order in which they travel; the first of size 0 ends them. */
static const struct field layouts[][FIELDS_MAX + 1] = {
	[HANDSHAKE_HELLO] = {TEXT(hello.card), TEXT(hello.function), TEXT(hello.service),
			     NUMBER(hello.max_msg_size), NUMBER(hello.flags)},
	[HANDSHAKE_ACCEPT] = {NUMBER(accept.max_msg_size)},
	[HANDSHAKE_REJECT] = {NUMBER(reject.error), TEXT(reject.reason)},
	[HANDSHAKE_QUERY] = {{0}},
	[HANDSHAKE_SERVER] = {TEXT(server.card), TEXT(server.function), TEXT(server.service),
			      NUMBER(server.pid), NUMBER(server.max_msg_size),
			      NUMBER(server.max_clients), NUMBER(server.client_count)},
	[HANDSHAKE_CONNECTION] = {NUMBER(connection.pid), NUMBER(connection.uid),
				  NUMBER(connection.consumer_count),
				  NUMBER(connection.producer_count),
				  NUMBER(connection.sent_messages), NUMBER(connection.sent_bytes),
				  NUMBER(connection.received_messages),
				  NUMBER(connection.received_bytes)},
	[HANDSHAKE_END] = {{0}},
	[HANDSHAKE_MEMORY] = {NUMBER(memory.token)},
	[HANDSHAKE_WINDOW] = {NUMBER(window.consumer_id), NUMBER(window.of_peer),
			      NUMBER(window.why), NUMBER(window.size), NUMBER(window.in_place),
			      NUMBER(window.copied)},
};

static void put(struct wire_writer *w, const struct field *field, const void *value)
{
	if (field->is_text)
		wire_put_string(w, value);
	else if (field->size == sizeof(uint64_t))
		wire_put_u64(w, *(const uint64_t *)value);
	else
		wire_put_u32(w, *(const uint32_t *)value);
}

static void get(struct wire_reader *r, const struct field *field, void *value)
{
	if (field->is_text)
		wire_get_string(r, value, field->size);
	else if (field->size == sizeof(uint64_t))
		*(uint64_t *)value = wire_get_u64(r);
	else
		*(uint32_t *)value = wire_get_u32(r);
}

size_t priv_handshake_encode(const struct handshake *handshake, void *buf)
{
	struct wire_writer w = wire_writer(buf, FD_MESSAGE_MAX);
	const struct field *field;

	wire_put_u32(&w, MAGIC);
	wire_put_u16(&w, VERSION);
	wire_put_u16(&w, (uint16_t)handshake->type);
	for (field = layouts[handshake->type]; field->size; field++)
		put(&w, field, (const char *)handshake + field->offset);
	assert(!w.failed);
	return wire_writer_size(&w);
}

doca_error_t priv_handshake_decode(const void *buf, size_t size, struct handshake *ret_handshake)
{
	struct wire_reader r = wire_reader(buf, size);
	struct handshake h = {0};
	const struct field *field;
	uint32_t magic = wire_get_u32(&r);
	uint16_t version = wire_get_u16(&r);
	uint16_t type = wire_get_u16(&r);

	if (r.failed || magic != MAGIC)
		return DOCA_ERROR_INVALID_VALUE;
	if (version != VERSION)
		return DOCA_ERROR_UNSUPPORTED_VERSION;
	if (!type || type >= COUNT(layouts))
		return DOCA_ERROR_INVALID_VALUE;
	h.type = type;
	for (field = layouts[type]; field->size; field++)
		get(&r, field, (char *)&h + field->offset);
	if (!wire_reader_is_done(&r))
		return DOCA_ERROR_INVALID_VALUE;
	*ret_handshake = h;
	return DOCA_SUCCESS;
}
