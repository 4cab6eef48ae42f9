/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The servers that can be found from here, and what they say of themselves.
 */
#ifndef SOFTFIELD_TOOLS_SERVER_LIST_H
#define SOFTFIELD_TOOLS_SERVER_LIST_H

#include <stdbool.h>
#include "chan/handshake.h"

struct server_client {
	struct handshake_connection connection;
	struct handshake_window *windows; /* of the consumers of both sides */
	size_t window_count;
};

struct server {
	/* else only pid is known, mostly also function and name: its program makes no progress */
	bool answered;
	bool refused; /* not answered: it does not let this user in */
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
