/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Faults on purpose: a connection that is slow, breaks, finds its peer's queue full, or takes its
 * process with it. The topology or SOFTFIELD_FAULTS asks for them (docs/guide/faults.md), a
 * simulation through its parties. One object for each connection, consumer and producer, owned by
 * it; in ordinary life there is none.
 */
#ifndef SOFTFIELD_LINK_FAULT_H
#define SOFTFIELD_LINK_FAULT_H

#include "base/poll_group.h"
#include "base/random.h"
#include "base/ring.h"
#include "topo/topo.h"

struct fault {
	struct topo_faults config;
	struct random random;
	uint64_t count; /* messages sent and received */
	bool spent;	/* the last one it lets through has gone: priv_fault_strike() is due */
	bool struck;
	bool refused;	       /* the last attempt to send: so that the next one succeeds */
	struct poller *poller; /* of the owner */
	void (*kill)(void);    /* replaced by tests */
	/* When a record that has arrived may be read, by its place in the ring; NULL: at once. */
	uint64_t *due_ns;
	uint32_t mask;
	uint32_t seen;	    /* records before this index have a time */
	struct timer timer; /* heats the poller when the first record is due */
};

/*
 * The faults of the current party for an owner that polls with the poller and receives in a ring of
 * so many lines (0: it receives nothing); NULL when there are none. NO_MEMORY, BAD_CONFIG (of the
 * topology)
 */
PRIV_EXPORT doca_error_t priv_fault_create(struct poller *poller, uint32_t line_count,
					   struct fault **ret_fault);
/* may be NULL */
PRIV_EXPORT void priv_fault_destroy(struct fault *fault);

/*
 * How many records of a queue may be read now, from tail on, at most max? has_arrived: is there one
 * with this index? Sees to it that the poller is polled again when there may be more.
 */
PRIV_EXPORT unsigned int
priv_fault_count_due(struct fault *fault, const void *queue, uint32_t tail,
		     bool (*has_arrived)(const void *queue, uint32_t index), unsigned int max);
/*
 * Is the record at the receiver's tail to be left alone for now? Sees to it that the poller is
 * polled again when it is not any more. Call it only when there is one.
 */
PRIV_EXPORT bool priv_fault_holds(struct fault *fault, const struct ring_receiver *rx);
/* a message has been received */
PRIV_EXPORT void priv_fault_count(struct fault *fault);
/* May a message be sent for which there is room? false: as if there was none; try again */
PRIV_EXPORT bool priv_fault_lets_send(struct fault *fault);
/*
 * Called from the owner's poll. Kills the process if that is what is due; true, once: the
 * connection is to break.
 */
PRIV_EXPORT bool priv_fault_strike(struct fault *fault);

#endif
