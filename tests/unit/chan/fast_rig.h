/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Consumers and producers as far as the engine is concerned.
 */
#ifndef SOFTFIELD_TESTS_FAST_RIG_H
#define SOFTFIELD_TESTS_FAST_RIG_H

#include "pairing.h"

#include <unistd.h>
#include "base/bell.h"
#include "chan/fast.h"
#include "pages.h"

static inline struct fast *fast_of_server(struct pairing *pairing)
{
	return pairing->server_half.chan.fast;
}

static inline struct fast *fast_of_client(struct pairing *pairing)
{
	return pairing->client.chan.fast;
}

/* A consumer of the server's. */
struct player {
	struct fast_consumer consumer;
	struct poll_group *group;
	struct fast *fast;
	struct window *window;
	char *memory;
	unsigned int notices;
};

static inline void noticed(struct watch *watch, uint32_t events)
{
	(void)events;
	container_of(watch, struct player, consumer.user.notice)->notices++;
}

static inline void player_init(struct player *player, struct pairing *pairing)
{
	memset(player, 0, sizeof(*player));
	player->group = &pairing->server_group;
	player->fast = fast_of_server(pairing);
	fast_ref(player->fast);
	assert_ok(fast_user_init(player->fast, &player->consumer.user, true));
	player->memory = aligned_alloc(PAGE, 65536);
	assert_ok(priv_window_create(player->memory, 65536, &player->window));
}

static inline void player_start(struct player *player)
{
	assert_ok(fast_join(player->fast, &player->consumer.user, player->group, noticed));
	assert_ok(lane_consumer_init(&player->consumer.lane, 16, 0));
	assert_ok(priv_bell_create(&player->consumer.bell));
	player->consumer.window = player->window;
	player->consumer.post_bell = -1;
	assert_ok(fast_announce(player->fast, &player->consumer));
}

static inline void player_stop(struct player *player)
{
	fast_retire(player->fast, &player->consumer);
	fast_leave(player->fast, &player->consumer.user);
	lane_consumer_fini(&player->consumer.lane);
	close(player->consumer.bell);
	if (player->consumer.post_bell >= 0)
		close(player->consumer.post_bell);
}

static inline void player_fini(struct player *player)
{
	fast_user_fini(player->fast, &player->consumer.user);
	fast_unref(player->fast);
	priv_window_unref(player->window);
	free(player->memory);
}

/* A producer that may be asleep. */
struct sender {
	struct fast_user user;
	struct fast *fast;
	unsigned int notices;
};

static inline void sender_noticed(struct watch *watch, uint32_t events)
{
	(void)events;
	container_of(watch, struct sender, user.notice)->notices++;
}

static inline void sender_start(struct sender *sender, struct fast *fast, struct poll_group *group)
{
	assert_ok(priv_poll_group_init(group));
	sender->fast = fast;
	fast_ref(fast);
	assert_ok(fast_user_init(fast, &sender->user, false));
	assert_ok(fast_join(fast, &sender->user, group, sender_noticed));
}

static inline void sender_stop(struct sender *sender)
{
	struct poll_group *group = sender->user.group;

	fast_leave(sender->fast, &sender->user);
	fast_user_fini(sender->fast, &sender->user);
	fast_unref(sender->fast);
	priv_poll_group_fini(group);
}

static inline bool is_acked(struct player *player)
{
	return atomic_load(&player->consumer.user.acked);
}

#endif
