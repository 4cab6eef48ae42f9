/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What all generations of the channel can do, in terms that they share: so that one body can run
 * over each server with each client. Each file that fills a table uses the public interface of its
 * generation alone. Nothing blocks.
 */
#ifndef SOFTFIELD_CONTRACT_GENERATION_H
#define SOFTFIELD_CONTRACT_GENERATION_H

#include <stdbool.h>
#include <stdint.h>
#include "doca_error.h"

#define GENERATION_FAST_SIZE 4096 /* of a buffer of the fast path */

/* A server or a client; has its generation first. */
struct end {
	const struct generation *generation;
};

/* A connection as one of its ends names it; invalid once it has ended. */
struct peer;

enum end_state { END_CONNECTING, END_OPEN, END_OVER };

struct generation {
	const char *name;
	/* Is another maximum of the peer's an obstacle to connecting? */
	bool insists_on_size;

	/* msg_size 0: leave it as it is. IN_USE */
	doca_error_t (*serve)(const char *service, uint32_t msg_size, struct end **ret_end);
	/* begins to connect; to be connected with connect() again when it is OVER */
	struct end *(*call)(const char *service, uint32_t msg_size);
	void (*connect)(struct end *end);
	/* of a client */
	enum end_state (*state)(struct end *end);
	/* ends it from here, whatever it does */
	void (*close)(struct end *end);
	/* of a connection; a client's is NULL */
	void (*disconnect)(struct end *end, struct peer *peer);

	/* lets it do what it has to */
	void (*progress)(struct end *end);
	/* AGAIN: no room. Anything else: not on this connection, not this message */
	doca_error_t (*send)(struct end *end, struct peer *peer, const void *msg, uint32_t size);
	/* in order; AGAIN: there is none */
	doca_error_t (*receive)(struct end *end, void *msg, uint32_t *size, struct peer **ret_peer);

	/*
	 * The fast path; all NULL: there is none. One consumer and one producer of an end.
	 */
	void (*fast_open)(struct end *end, struct peer *peer);
	/* both are running, and the producer knows the peer's consumer */
	bool (*fast_is_up)(struct end *end);
	/* lends buffer 0 or 1 */
	void (*fast_post)(struct end *end, unsigned int buffer);
	/* the data of a buffer that has come back, or NULL */
	const uint8_t *(*fast_take)(struct end *end, uint32_t *ret_size);
	void (*fast_send)(struct end *end, const void *data, uint32_t size);
	bool (*fast_is_sent)(struct end *end);
	void (*fast_close)(struct end *end);
};

extern const struct generation comm_channel_1_4, comm_channel_2_2, cc_2_5, cc_2_6, comch;

#endif
