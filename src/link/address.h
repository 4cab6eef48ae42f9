/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Addresses of the sockets that servers listen on: abstract, or files in the runtime folder.
 */
#ifndef SOFTFIELD_LINK_ADDRESS_H
#define SOFTFIELD_LINK_ADDRESS_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/socket.h>
#include <sys/un.h>
#include "link/link.h"

#define ADDRESS_PREFIX "softfield-"

struct address {
	struct sockaddr_un un;
	socklen_t size;
};

/* the runtime folder; "": there is none, and all addresses are abstract */
const char *address_dir(void);
/* FNV-1a: spreads names, keeps no secrets; the full name is compared in the handshake */
uint64_t address_hash(const struct link_addr *addr);
struct address address_of(const struct link_addr *addr);
/* The address of a file in the runtime folder; false: it is not one of ours. */
bool address_of_file(const char *name, struct address *ret_address);
/* The abstract address of that name, without the leading NUL; false: not of this user's. */
bool address_of_name(const char *name, struct address *ret_address);

/* of the right kind, for either side */
doca_error_t address_new_socket(int *ret_sock);
/*
 * NOT_FOUND: no server listens there, though there may be a file, or a socket that somebody else
 * holds open. Other errors: there may be one that does not talk to us.
 */
doca_error_t address_connect(const struct address *address, int *ret_sock, pid_t *ret_pid);

static inline bool address_is_abstract(const struct address *address)
{
	return address->un.sun_path[0] == '\0';
}

#endif
