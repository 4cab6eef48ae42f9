/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * One side of a conversation, on the public interface alone: a server or a client with its device
 * and progress engine, and what it does by itself when something happens. Everything that happens
 * becomes one line on standard output.
 */
#ifndef SOFTFIELD_E2E_PEER_H
#define SOFTFIELD_E2E_PEER_H

#include <stdbool.h>
#include <stdint.h>
#include <doca_comch.h>
#include <doca_ctx.h>
#include <doca_dev.h>
#include <doca_pe.h>

#define PEER_CONNECTIONS 8192 /* ids of all that ever came, while the program runs */
#define PEER_SEND_TASKS	 8192

struct peer_config {
	bool is_server;
	const char *name;
	const char *pci_addr;
	const char *rep_pci_addr;
	bool echo;	     /* answers every message with the same */
	bool chat;	     /* a client that sends, checks the echo, and stops now and then */
	bool fast;	     /* echo and chat use a consumer and a producer on each side */
	bool again;	     /* starts again whenever it has become idle */
	unsigned int cycle;  /* a server that stops after so many messages; 0: never */
	unsigned int random; /* state of the random numbers of a chat */
};

struct stream;
struct peer;

struct peer_stream {
	struct peer *peer;
	struct stream *stream;
};

struct peer {
	struct peer_config config;
	struct doca_pe *pe;
	struct doca_dev *dev;
	struct doca_dev_rep *rep;
	struct doca_comch_server *server;
	struct doca_comch_client *client;
	struct doca_ctx *ctx;
	struct doca_comch_connection *connections[PEER_CONNECTIONS];
	unsigned int connection_count;
	struct peer_stream streams[PEER_CONNECTIONS]; /* by id of the connection */
	unsigned int stream_count;
	unsigned int messages; /* received since the last start */
	uint8_t *chat_message;
	uint32_t chat_size;
	unsigned int chat_left; /* messages until the chat stops */
	uint32_t max_msg_size;
};

/* prints one line, at once */
__attribute__((format(printf, 1, 2))) void say(const char *format, ...);

/* Each of these says what failed. */
doca_error_t peer_open(struct peer *peer, const struct peer_config *config);
doca_error_t peer_start(struct peer *peer);
doca_error_t peer_stop(struct peer *peer);
doca_error_t peer_send(struct peer *peer, unsigned int id, const void *message, uint32_t size);
doca_error_t peer_disconnect(struct peer *peer, unsigned int id);
/* ends streams and connections; the peer is idle afterwards. From outside of callbacks */
void peer_come_to_rest(struct peer *peer);
enum doca_ctx_states peer_state(const struct peer *peer);
/* the peer is idle */
doca_error_t peer_close(struct peer *peer);

#endif
