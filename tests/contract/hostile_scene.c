/* SPDX-License-Identifier: BSD-3-Clause */
#include "hostile_scene.h"
#include "unique.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

const struct link_addr *scene_addr(struct scene *scene)
{
	const struct topo *topo;

	assert_ok(priv_topo_get(&topo));
	scene->addr.card = &topo->cards[0];
	strcpy(scene->addr.function, HOST_PF0);
	unique_name(scene->addr.service, sizeof(scene->addr.service), "hostile");
	return &scene->addr;
}

struct party *scene_enter(struct scene *scene)
{
	return priv_party_switch(&scene->client->party);
}

static void open_scene(struct scene *scene, enum world_links links)
{
	const char *name;
	struct party *before;

	world_init(&scene->world, links);
	name = scene_addr(scene)->service;
	scene->server = world_add_server(&scene->world, HOST_PF0, name);
	scene->client = world_add_client(&scene->world, HOST_PF0, name);
	side_run(scene->server);
	side_run(scene->client);
	scene->server->arg = side_connection(scene->server); /* to the one who behaves */
	before = scene_enter(scene);
	raw_init(&scene->raw);
	priv_party_switch(before);
}

int scene_setup_sim(void **state)
{
	*state = calloc(1, sizeof(struct scene));
	open_scene(*state, WORLD_SIM);
	return 0;
}

int scene_setup_shm(void **state)
{
	*state = calloc(1, sizeof(struct scene));
	open_scene(*state, WORLD_SHM);
	return 0;
}

void scene_settle(struct scene *scene)
{
	unsigned int i;

	for (i = 0; i < 4; i++) {
		world_settle(&scene->world);
		raw_poll(&scene->raw);
	}
}

/* The one who behaves notices nothing. */
void scene_check_others(struct scene *scene)
{
	unsigned int before = scene->client->messages;

	assert_ok(side_send(scene->client, "ping", 4));
	scene_settle(scene);
	assert_int_equal(scene->server->message_size, 4);
	assert_ok(side_send_to(scene->server, scene->server->arg, "pong", 4));
	scene_settle(scene);
	assert_int_equal(scene->client->messages, before + 1);
	assert_int_equal(side_state(scene->client), DOCA_CTX_STATE_RUNNING);
	assert_int_equal(side_state(scene->server), DOCA_CTX_STATE_RUNNING);
}

int scene_teardown(void **state)
{
	struct scene *scene = *state;
	bool clean;

	raw_fini(&scene->raw);
	clean = world_fini(&scene->world);
	free(scene);
	return clean ? 0 : -1;
}

void scene_call(struct scene *scene)
{
	struct party *before = scene_enter(scene);

	assert_ok(raw_call(&scene->raw, scene_addr(scene)));
	priv_party_switch(before);
}

/* the offender has been thrown out */
void scene_expect_loss(struct scene *scene)
{
	scene_settle(scene);
	assert_int_equal(scene->raw.losses, 1);
	assert_null(scene->raw.link);
	scene_check_others(scene);
}

/* a connection that is as it should be, so far */
void scene_get_in(struct scene *scene)
{
	struct handshake hello = raw_hello(scene_addr(scene));

	scene_call(scene);
	raw_introduce(&scene->raw, &hello);
	scene_settle(scene);
	assert_int_equal(scene->raw.answer.type, HANDSHAKE_ACCEPT);
	assert_non_null(scene->raw.their_inbox);
	assert_int_equal(scene->server->connects, 2 + scene->server->disconnects);
}

/* it was connected, and is not any more */
void scene_expect_disconnect(struct scene *scene)
{
	scene_settle(scene);
	assert_int_equal(scene->server->disconnects, 1);
	scene_expect_loss(scene);
}

int scene_new_memfd(size_t size, int seals)
{
	int fd = memfd_create("hostile", MFD_CLOEXEC | MFD_ALLOW_SEALING);

	assert_int_equal(ftruncate(fd, (off_t)size), 0);
	assert_int_equal(fcntl(fd, F_ADD_SEALS, seals), 0);
	return fd;
}
