/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Servers and clients in one process and one thread, driven through the public API: each side is a
 * party of its own with its own progress engine. Callbacks are recorded in the side, and handed on
 * to the test's own where it has set one.
 *
 * A world in simulated links uses the virtual clock; one over real sockets (WORLD_SHM) does not.
 * Whatever goes wrong inside fails the test that runs.
 */
#ifndef SOFTFIELD_TESTS_WORLD_H
#define SOFTFIELD_TESTS_WORLD_H

#include <stdbool.h>
#include <stdint.h>
#include "devices.h"
#include "doca_comch.h"
#include "doca_ctx.h"
#include "doca_pe.h"
#include "leak.h"
#include "link/sim.h"

#define DPU_PF0	 "0000:03:00.0"
#define DPU_PF1	 "0000:03:00.1"
#define HOST_PF0 "0000:b1:00.0"
#define HOST_PF1 "0000:b1:00.1"
#define HOST_VF0 "0000:b1:00.2"

#define WORLD_SIDES  8
#define SIDE_STATES  32
#define SIDE_MESSAGE 4096
#define SIDE_TASKS   64

enum world_links { WORLD_SIM, WORLD_SHM };

struct world;

struct side {
	struct world *world;
	struct party party;
	struct doca_pe *pe;
	struct doca_dev *dev;
	struct doca_dev_rep *rep; /* of a server */
	struct doca_comch_server *server;
	struct doca_comch_client *client;
	struct doca_ctx *ctx;

	/* what callbacks have told */
	enum doca_ctx_states states[SIDE_STATES]; /* each new one */
	unsigned int state_count;
	unsigned int connects, refusals, disconnects;
	unsigned int messages, sent, failed;
	struct doca_comch_connection *connection; /* the last one that came */
	uint8_t message[SIDE_MESSAGE];		  /* the last one */
	uint32_t message_size;
	doca_error_t send_status; /* of the last task */

	/* what the test does inside them; all may be NULL */
	void (*on_state)(struct side *side, enum doca_ctx_states prev, enum doca_ctx_states next);
	void (*on_connect)(struct side *side, struct doca_comch_connection *connection, bool ok);
	void (*on_disconnect)(struct side *side, struct doca_comch_connection *connection);
	void (*on_message)(struct side *side, struct doca_comch_connection *connection,
			   const uint8_t *msg, uint32_t size);
	/* the task is the test's to free or submit again; NULL: it is freed */
	void (*on_sent)(struct side *side, struct doca_task *task, doca_error_t status);
	void *arg;
};

struct world {
	enum world_links links;
	struct sim sim;
	struct side sides[WORLD_SIDES];
	unsigned int side_count;
	struct leak before;
};

void world_init(struct world *world, enum world_links links);
/* stops and destroys what is left; false: something leaked */
bool world_fini(struct world *world);

/*
 * Over real sockets the server of another process may have that name, such as this test's
 * elsewhere. Until the next call.
 */
const char *world_unique(const char *name);

/*
 * A side with a server on the representor of a host function, or a client on the function itself;
 * configured with all that is mandatory and SIDE_TASKS send tasks, not started.
 */
struct side *world_add_server(struct world *world, const char *host_pci, const char *name);
struct side *world_add_client(struct world *world, const char *host_pci, const char *name);

/* another number of send tasks; before start */
void world_set_tasks(struct side *side, uint32_t count);
/* makes a new server or client on a side that has none, as world_add_*() does */
void world_set_up_server(struct side *side, const char *name);
void world_set_up_client(struct side *side, const char *name);

/* Lets everybody work, and time go by, until nothing happens any more. */
void world_settle(struct world *world);
/* the same for one side alone */
void side_settle(struct side *side);
/* one round of one side, or of all; returns whether anything happened */
bool side_progress(struct side *side);
bool world_progress(struct world *world);

/* a server and a client that are connected */
struct pair {
	struct side *server, *client;
};
struct pair world_connect(struct world *world, const char *name);

doca_error_t side_start(struct side *side);
/* starts and expects to get to RUNNING */
void side_run(struct side *side);
doca_error_t side_stop(struct side *side);
enum doca_ctx_states side_state(const struct side *side);
/* destroys the server or client; IDLE is expected */
void side_destroy(struct side *side);

/* allocates and submits; msg must stay until the task is told of */
doca_error_t side_send(struct side *side, const void *msg, uint32_t size);
doca_error_t side_send_to(struct side *side, struct doca_comch_connection *connection,
			  const void *msg, uint32_t size);
doca_error_t side_alloc(struct side *side, struct doca_comch_connection *connection,
			const void *msg, uint32_t size, struct doca_task **ret_task);
/* a client's connection */
struct doca_comch_connection *side_connection(const struct side *side);

/* called when something inside is wrong, before the test fails; a simulation prints its seed */
extern void (*world_failing)(void);
#define must(condition)                                                                            \
	do {                                                                                       \
		if (!(condition))                                                                  \
			world_fail(#condition, __FILE__, __LINE__);                                \
	} while (0)
_Noreturn void world_fail(const char *what, const char *file, int line);

/* cmocka setup and teardown: *state is a struct world over simulated links */
int world_setup(void **state);
/* over real sockets */
int world_setup_shm(void **state);
int world_teardown(void **state);

/* callbacks of those who only want to register one */
void ignore_message(struct doca_comch_event_msg_recv *event, uint8_t *msg, uint32_t size,
		    struct doca_comch_connection *connection);
void ignore_consumer(struct doca_comch_event_consumer *event,
		     struct doca_comch_connection *connection, uint32_t id);

#endif
