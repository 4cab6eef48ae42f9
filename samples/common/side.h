/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * One side of a channel between host and DPU: device, progress engine, and the one connection that
 * these samples need. side_host.c makes a client of it, side_dpu.c a server; the build takes the
 * one that the installed flavour of the SDK is for.
 */
#ifndef SAMPLES_SIDE_H
#define SAMPLES_SIDE_H

#include <stdbool.h>
#include <stdint.h>
#include <doca_comch.h>
#include <doca_ctx.h>
#include <doca_dev.h>
#include <doca_error.h>
#include <doca_pe.h>

#define SIDE_NAME_SIZE 120
/* Messages under way. What is sent from a callback is done in a later call of doca_pe_progress(),
 * and one call may deliver many messages. */
#define SIDE_SENDS	 256
#define SIDE_MESSAGE_MAX 4080

/* What the command line says; the defaults name the two ends of the same wire. */
struct side_options {
	char name[SIDE_NAME_SIZE];
	char pci_addr[DOCA_DEVINFO_PCI_ADDR_SIZE];
	char rep_pci_addr[DOCA_DEVINFO_REP_PCI_ADDR_SIZE]; /* DPU only */
};

struct side;

struct side_events {
	/* the other side is there */
	void (*connected)(struct side *side);
	void (*message)(struct side *side, const uint8_t *message, uint32_t size);
};

struct side_send {
	struct side_send *next_free;
	uint8_t message[SIDE_MESSAGE_MAX]; /* must not change until the task is done */
};

struct side {
	const struct side_options *options;
	const struct side_events *events;
	void *user;
	struct doca_pe *pe;
	struct doca_dev *dev;
	struct doca_dev_rep *rep;
	struct doca_comch_server *server; /* DPU */
	struct doca_comch_client *client; /* host */
	struct doca_ctx *ctx;
	struct doca_comch_connection *connection; /* NULL: not connected */
	int epoll_fd;
	doca_error_t error; /* the first thing that went wrong in a callback */
	struct side_send *sends, *free_sends;
	uint64_t sent, received; /* messages, as the library has counted them */
};

/* Registers the options above with doca_argp, which must have been initialised with a config that
 * begins with them. */
doca_error_t side_register_options(struct side_options *options);

/* All of these log what has failed. */
doca_error_t side_open(struct side *side, const struct side_options *options,
		       const struct side_events *events, void *user);
/* NOT_CONNECTED: the other side has gone. AGAIN: SIDE_SENDS messages are under way */
doca_error_t side_send(struct side *side, const void *message, uint32_t size);
/* works on what there is; false: nothing */
static inline bool side_progress(struct side *side)
{
	return doca_pe_progress(side->pe);
}
/* sleeps until there is something to work on */
void side_sleep(struct side *side);
/* ends the conversation; side_is_done() when it has ended */
void side_stop(struct side *side);
bool side_is_done(const struct side *side);
/* Also after side_open() has failed. Returns error, or else what went wrong since. */
doca_error_t side_close(struct side *side, doca_error_t error);

/*
 * Between side.c and the file of the role
 */

extern const struct side_options side_default_options;
doca_error_t side_open_dev(struct side *side,
			   doca_error_t (*is_supported)(const struct doca_devinfo *devinfo));
/* opens the device (and representor), makes the context */
doca_error_t side_role_open(struct side *side);
doca_error_t side_role_destroy(struct side *side);
doca_error_t side_role_send(struct side *side, const void *message, uint32_t size,
			    struct doca_comch_task_send **ret_task);
/* there is a connection now */
void side_connected(struct side *side, struct doca_comch_connection *connection);
/* the callbacks that both roles give to the library */
void side_sent(struct doca_comch_task_send *task, union doca_data task_data,
	       union doca_data ctx_data);
void side_send_failed(struct doca_comch_task_send *task, union doca_data task_data,
		      union doca_data ctx_data);
void side_received(struct doca_comch_event_msg_recv *event, uint8_t *message, uint32_t size,
		   struct doca_comch_connection *connection);
/* keeps the first error and stops */
void side_fail(struct side *side, doca_error_t error);
/* takes the library's counters of the connection, which is about to end */
void side_count(struct side *side);

#endif
