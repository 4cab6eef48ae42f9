/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Messages of the engine over a link's socket: how a connection begins, and what tools ask.
 * Everything after that travels in the rings.
 *
 *	client -> server  HELLO  {whom I look for, what I can take} + its inbox, its bell
 *	server -> client  ACCEPT {what I can take} + its inbox, its bell     or REJECT {why}
 *	tool   -> server  QUERY                server -> tool  SERVER {..},
 *						{ CONNECTION {..}, WINDOW {..}* }*, END
 *	either -> either  MEMORY {token} + descriptors, for the record that names the token
 */
#ifndef SOFTFIELD_CHAN_HANDSHAKE_H
#define SOFTFIELD_CHAN_HANDSHAKE_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include "doca_error.h"

#define HANDSHAKE_TEXT_SIZE 128

/* The client is content with messages as small as the server's. */
#define HANDSHAKE_ADAPTS 1u

enum handshake_type {
	HANDSHAKE_HELLO = 1,
	HANDSHAKE_ACCEPT,
	HANDSHAKE_REJECT,
	HANDSHAKE_QUERY,
	HANDSHAKE_SERVER,
	HANDSHAKE_CONNECTION,
	HANDSHAKE_END,
	HANDSHAKE_MEMORY,
	HANDSHAKE_WINDOW,
};

/* Memory into which a consumer of a connection receives. */
struct handshake_window {
	uint32_t consumer_id;
	uint32_t of_peer; /* 0: of the side that tells; a server's peer is its client */
	uint32_t why;	  /* enum takeover: why some of it is copied */
	uint64_t size;
	uint64_t in_place, copied; /* bytes of it that have been used so far */
};

struct handshake_connection {
	uint32_t pid; /* 0: in another pid namespace */
	uint32_t uid;
	uint32_t consumer_count, producer_count; /* of the server */
	uint64_t sent_messages, sent_bytes;	 /* by the server */
	uint64_t received_messages, received_bytes;
};

struct handshake {
	enum handshake_type type;
	union {
		struct {
			char card[HANDSHAKE_TEXT_SIZE];
			char function[HANDSHAKE_TEXT_SIZE];
			char service[HANDSHAKE_TEXT_SIZE];
			uint32_t max_msg_size;
			uint32_t flags; /* HANDSHAKE_ADAPTS; others mean nothing yet */
		} hello;
		struct {
			uint32_t max_msg_size;
		} accept;
		struct {
			uint32_t error; /* enum doca_error */
			char reason[HANDSHAKE_TEXT_SIZE];
		} reject;
		struct {
			char card[HANDSHAKE_TEXT_SIZE];
			char function[HANDSHAKE_TEXT_SIZE];
			char service[HANDSHAKE_TEXT_SIZE];
			uint32_t pid;
			uint32_t max_msg_size;
			uint32_t max_clients;
			uint32_t client_count;
		} server;
		struct handshake_connection connection;
		struct {
			uint32_t token;
		} memory;
		struct handshake_window window; /* of the connection before */
	};
};

/* copies a text, cut to what fits */
static inline void handshake_set_text(char field[HANDSHAKE_TEXT_SIZE], const char *text)
{
	snprintf(field, HANDSHAKE_TEXT_SIZE, "%s", text);
}

/* returns the size written; buf has room for FD_MESSAGE_MAX bytes */
size_t priv_handshake_encode(const struct handshake *handshake, void *buf);
/* INVALID_VALUE: not a message of ours. UNSUPPORTED_VERSION: of another version of us */
doca_error_t priv_handshake_decode(const void *buf, size_t size, struct handshake *ret_handshake);

#endif
