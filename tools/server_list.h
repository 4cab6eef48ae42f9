/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The servers that can be found from here, and what they say of themselves.
 */
#ifndef SOFTFIELD_TOOLS_SERVER_LIST_H
#define SOFTFIELD_TOOLS_SERVER_LIST_H

#include "chan/handshake.h"

struct server_client {
	uint32_t pid; /* 0: in another pid namespace */
	uint32_t uid;
	uint64_t sent_messages, sent_bytes; /* by the server to this client */
	uint64_t received_messages, received_bytes;
};

struct server {
	bool answered; /* else only pid is known: its program makes no progress */
	uint32_t pid;
	char card[HANDSHAKE_TEXT_SIZE];
	char function[HANDSHAKE_TEXT_SIZE];
	char name[HANDSHAKE_TEXT_SIZE];
	uint32_t max_msg_size;
	uint32_t max_clients;
	uint32_t client_count;
	struct server_client *clients;
};

struct server_list {
	struct server *servers;
	size_t count;
};

/*
 * Asks every server; waits for answers at most wait_ms in all. NO_MEMORY, OPERATING_SYSTEM, ...:
 * nothing is left in ret_list
 */
doca_error_t server_list_create(unsigned int wait_ms, struct server_list *ret_list);
void server_list_destroy(struct server_list *list);

#endif
