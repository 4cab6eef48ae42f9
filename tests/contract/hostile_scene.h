/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A server with a client that behaves and a peer that does not, over simulated links or over real
 * sockets. Whatever the peer does, the server and its client go on exchanging messages, and nothing
 * is left behind.
 */
#ifndef SOFTFIELD_TESTS_HOSTILE_SCENE_H
#define SOFTFIELD_TESTS_HOSTILE_SCENE_H

#include "test.h"

#include "link/link.h"
#include "raw.h"
#include "world.h"

struct scene {
	struct world world;
	struct side *server, *client; /* the client that behaves */
	struct raw raw;		      /* and the one that does not */
	struct link_addr addr;
};

int scene_setup_sim(void **state);
int scene_setup_shm(void **state);
int scene_teardown(void **state);

/* a test over both kinds of links, and one for sockets alone */
#define BOTH(name) {#name " (sim)", name, scene_setup_sim, scene_teardown, NULL}, BARE(name)
#define BARE(name)                                                                                 \
	{                                                                                          \
#name " (shm)", name, scene_setup_shm, scene_teardown, NULL                        \
	}

const struct link_addr *scene_addr(struct scene *scene);
/* the process of the client and the peer; returns the one before */
struct party *scene_enter(struct scene *scene);
void scene_settle(struct scene *scene);
/* the one who behaves notices nothing */
void scene_check_others(struct scene *scene);

/* the peer calls and says nothing yet */
void scene_call(struct scene *scene);
/* it has a connection that is as it should be, so far */
void scene_get_in(struct scene *scene);
/* it has been thrown out */
void scene_expect_loss(struct scene *scene);
/* it was connected, and is not any more */
void scene_expect_disconnect(struct scene *scene);
int scene_new_memfd(size_t size, int seals);

#endif
