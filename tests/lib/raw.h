/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A peer that speaks the engine's protocol by hand, so that a test can say the wrong thing at any
 * point. It uses the links of the current party: simulated ones or real sockets.
 */
#ifndef SOFTFIELD_TESTS_RAW_H
#define SOFTFIELD_TESTS_RAW_H

#include <stdbool.h>
#include <stdint.h>
#include "base/ring.h"
#include "chan/handshake.h"
#include "link/link.h"

#define RAW_MSG_SIZE 4080u

struct raw {
	struct poll_group group;
	struct link_listener *listener; /* of a server by hand */
	struct link *link;		/* NULL: not connected, or lost */
	struct link_mem *inbox;
	struct ring_receiver rx;
	int bell; /* ours */

	/* what the other side has said */
	unsigned int messages, losses;
	struct handshake answer; /* the last one */
	struct link_mem *their_inbox;
	struct ring_sender tx; /* once there is their_inbox */
	int their_bell;
};

void raw_init(struct raw *raw);
void raw_fini(struct raw *raw);
/* takes in what has arrived; time goes by */
void raw_poll(struct raw *raw);

doca_error_t raw_call(struct raw *raw, const struct link_addr *addr);
doca_error_t raw_listen(struct raw *raw, const struct link_addr *addr);
void raw_hang_up(struct raw *raw);

/* a message with descriptors, which stay the test's */
void raw_send(struct raw *raw, const void *msg, size_t size, const int *fds, unsigned int fd_count);
/* a HELLO as it should be, for the test to spoil */
struct handshake raw_hello(const struct link_addr *addr);
/* a message of the handshake with our inbox and bell */
void raw_introduce(struct raw *raw, const struct handshake *handshake);

/* a record as it should be; false: there is no room */
bool raw_push(struct raw *raw, uint16_t type, const void *data, uint32_t size);
/* a record with any content of its line */
void raw_forge(struct raw *raw, uint16_t type, uint32_t size, uint32_t offset);

#endif
