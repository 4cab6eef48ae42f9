/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * How two parties reach each other. A link carries small messages with descriptors, in order, and
 * tells when the peer is gone. Shared memory travels as a descriptor; what is in it is not the
 * link's business. Everything happens in the thread of the link's poll group.
 */
#ifndef SOFTFIELD_LINK_LINK_H
#define SOFTFIELD_LINK_LINK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/types.h>
#include "base/poll_group.h"
#include "topo/topo.h"

#define LINK_SERVICE_SIZE 128 /* more than any allowed service name with its NUL */

/* Where a server listens: the host function that its representor stands for, and its name. */
struct link_addr {
	const struct topo_card *card;
	char function[TOPO_ID_SIZE]; /* topo_function.id: a scalable function shares its address */
	char service[LINK_SERVICE_SIZE];
};

/* a service for a host's function; its name has been checked */
static inline struct link_addr link_addr(const struct topo_function *host, const char *service)
{
	struct link_addr addr = {.card = host->card};

	memcpy(addr.function, host->id, sizeof(addr.function));
	strcpy(addr.service, service);
	return addr;
}

/* Verified by the kernel. pid is 0 when the peer lives in another pid namespace. */
struct link_peer {
	uid_t uid;
	gid_t gid;
	pid_t pid;
};

struct link;
struct link_listener;

struct link_handler {
	/* The descriptors belong to the callee, who may close the link. */
	void (*message)(struct link *link, const void *msg, size_t size, const int *fds,
			unsigned int fd_count);
	/*
	 * Comes once, after the last message; not after link_close(). CONNECTION_RESET: the
	 * peer closed or died. NOT_PERMITTED: it refuses this user.
	 */
	void (*lost)(struct link *link, doca_error_t reason);
};

struct link_listener_handler {
	/* The link has no handler yet: set link->handler and link->owner here, or close it. */
	void (*incoming)(struct link_listener *listener, struct link *link);
	/* There is no descriptor for the next caller: closes links that can be spared; any? */
	bool (*make_room)(struct link_listener *listener);
};

struct link_ops {
	/*
	 * IN_USE: somebody listens there. NOT_PERMITTED, OPERATING_SYSTEM: cannot listen (logged).
	 * NO_MEMORY, FULL (descriptors)
	 */
	doca_error_t (*listen)(struct poll_group *group, const struct link_addr *addr,
			       struct link_listener **ret_listener);
	void (*unlisten)(struct link_listener *listener);
	/*
	 * NOT_FOUND: nobody listens there. AGAIN: somebody does, but has no room just now.
	 * NOT_PERMITTED: somebody does, but does not trust us, or we do not trust him (logged).
	 * NO_MEMORY, FULL (descriptors)
	 */
	doca_error_t (*connect)(struct poll_group *group, const struct link_addr *addr,
				struct link **ret_link);
	/*
	 * Queues if it must. The descriptors stay the caller's. CONNECTION_RESET, NO_MEMORY.
	 * FULL: no more descriptors can be under way just now
	 */
	doca_error_t (*send)(struct link *link, const void *msg, size_t size, const int *fds,
			     unsigned int fd_count);
	void (*close)(struct link *link);
	/* After NOT_FOUND: what there is instead, half a sentence for the log. */
	void (*explain)(const struct link_addr *addr, char *text, size_t size);
};

struct link {
	const struct link_ops *ops;
	const struct link_handler *handler;
	void *owner;
	struct poll_group *group;
	struct link_peer peer;
};

struct link_listener {
	const struct link_ops *ops;
	const struct link_listener_handler *handler;
	void *owner;
	struct poll_group *group;
	struct link_addr addr;
};

PRIV_EXPORT doca_error_t priv_link_listen(struct poll_group *group, const struct link_addr *addr,
					  const struct link_listener_handler *handler, void *owner,
					  struct link_listener **ret_listener);
PRIV_EXPORT doca_error_t priv_link_connect(struct poll_group *group, const struct link_addr *addr,
					   const struct link_handler *handler, void *owner,
					   struct link **ret_link);

PRIV_EXPORT void priv_link_explain(const struct link_addr *addr, char *text, size_t size);

static inline void link_unlisten(struct link_listener *listener)
{
	listener->ops->unlisten(listener);
}

static inline doca_error_t link_send(struct link *link, const void *msg, size_t size,
				     const int *fds, unsigned int fd_count)
{
	return link->ops->send(link, msg, size, fds, fd_count);
}

static inline void link_close(struct link *link)
{
	link->ops->close(link);
}

/*
 * Shared memory. The one who creates it owns the object; the peer attaches its descriptor. Nothing
 * has a name, so nothing is left when both are gone.
 */
struct link_mem {
	void *addr;
	size_t size;
	int fd;		       /* creator: kept for sending; attached: -1 */
	unsigned int refs;     /* both ends in one process share the object */
	struct link_mem *next; /* of this process, for the lookup by attach */
	uint64_t inode;
};

/* The first `allocated` bytes are allocated now, the others when they are used. */
PRIV_EXPORT doca_error_t priv_link_mem_create(const char *name, size_t size, size_t allocated,
					      struct link_mem **ret_mem);
/*
 * Maps what a peer has sent; takes the descriptor, also on failure. When the memory was created in
 * this very process, both ends use one mapping. INVALID_VALUE: not sealed against resizing.
 * NO_MEMORY
 */
PRIV_EXPORT doca_error_t priv_link_mem_attach(int fd, struct link_mem **ret_mem);
PRIV_EXPORT void priv_link_mem_unref(struct link_mem *mem);

#endif
