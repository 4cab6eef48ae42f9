/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Finding each other on one machine: socket addresses of servers, who may talk to whom.
 *
 * Without a runtime folder the sockets are in the abstract namespace, which the kernel empties
 * itself when a process dies, and which belongs to one user and one network namespace. With one
 * (set by the topology or SOFTFIELD_RUNTIME_DIR) they are files in it, for containers and users
 * that share it; a dead server's file is removed by its clients when they lose it, else by whoever
 * comes by first: clients and servers of any name, when they come and go, and tools that list them.
 */
#ifndef SOFTFIELD_LINK_RENDEZVOUS_H
#define SOFTFIELD_LINK_RENDEZVOUS_H

#include "link/link.h"

/* What a server sends to a peer that it does not talk to, NUL included, before it hangs up. */
#define RENDEZVOUS_REFUSAL "softfield: not permitted"

/* A listening socket there. IN_USE, NOT_PERMITTED, BAD_CONFIG (runtime folder) ... (logged) */
doca_error_t rendezvous_listen(const struct link_addr *addr, int *ret_sock);
/* before the socket is closed: removes its file */
void rendezvous_unlist(const struct link_addr *addr);
/* A connected socket. NOT_FOUND, AGAIN, NOT_PERMITTED (logged) */
doca_error_t rendezvous_connect(const struct link_addr *addr, int *ret_sock);
/* after NOT_FOUND: what there is instead, or why it is not found; half a sentence for the log */
void rendezvous_explain(const struct link_addr *addr, char *text, size_t size);
/*
 * After the server in process pid was lost: removes what it may have left in the runtime folder.
 * false: it listens there still, or somebody is changing the folder; try again
 */
bool rendezvous_sweep(const struct link_addr *addr, pid_t pid);

/*
 * Who is at the other end. NOT_PERMITTED: neither user, who we are to him, nor somebody whom the
 * card's access rules name
 */
doca_error_t rendezvous_check_peer(int sock, uid_t user, const struct topo_card *card,
				   struct link_peer *ret_peer);

/*
 * All servers of this user's runtime folder or namespace, for tools: calls visit with a connected
 * socket of each, which visit owns.
 */
PRIV_EXPORT doca_error_t priv_rendezvous_visit(void (*visit)(int sock, void *arg), void *arg);

#endif
