/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Finding each other on one machine: socket addresses of servers, who may talk to whom.
 *
 * Without a runtime folder the sockets are in the abstract namespace, which the kernel empties
 * itself when a process dies, and which belongs to one user and one network namespace. With one
 * (set by the topology or SOFTFIELD_RUNTIME_DIR) they are files in it, for containers and users
 * that share it; a dead server's file is removed by whoever meets it first: its clients, the next
 * client or server.
 */
#ifndef SOFTFIELD_LINK_RENDEZVOUS_H
#define SOFTFIELD_LINK_RENDEZVOUS_H

#include <sys/socket.h>
#include <sys/un.h>
#include "link/link.h"

/* A listening socket at the address. IN_USE, NOT_PERMITTED, BAD_CONFIG (runtime folder) ...
 * (logged) */
doca_error_t rendezvous_listen(const struct link_addr *addr, int *ret_sock);
/* closes it and removes its file */
void rendezvous_unlisten(const struct link_addr *addr, int sock);
/* A connected socket. NOT_FOUND, AGAIN, NOT_PERMITTED */
doca_error_t rendezvous_connect(const struct link_addr *addr, int *ret_sock);
/* after a server was lost: removes what it may have left in the runtime folder */
void rendezvous_sweep(const struct link_addr *addr);

/* who is at the other end; NOT_PERMITTED: somebody whom the card's access rules do not name */
doca_error_t rendezvous_check_peer(int sock, const struct topo_card *card,
				   struct link_peer *ret_peer);

/*
 * All servers of this user's runtime folder or namespace, for tools: calls visit with a connected
 * socket of each, which visit owns.
 */
PRIV_EXPORT doca_error_t priv_rendezvous_visit(void (*visit)(int sock, void *arg), void *arg);

#endif
