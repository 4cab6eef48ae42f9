/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Simulation: random programs on both sides, under a virtual clock and with faults on purpose. A
 * run is made of its seed alone, so one that fails fails again.
 *
 *	sim [--seed N | --seeds COUNT] [--steps COUNT]
 */
#include <stdio.h>
#include <string.h>
#include "player.h"
#include "seeds.h"

/* Rounds without anything that mean quiet, and rounds in which it must come. */
#define QUIET_ROUNDS 50
#define ROUNDS_MAX   50000

/*
 * Beginning
 */

static void open_stage(struct stage *stage, uint64_t seed)
{
	static const uint32_t sizes[] = {16, 64, 1000, 4080};
	uint32_t servers, max_msg_size;
	unsigned int i;

	memset(stage, 0, sizeof(*stage));
	stage->random.state = seed;
	world_init(&stage->world, WORLD_SIM);
	dice_roll_links(&stage->random, &stage->world.sim);
	servers = chance(stage, 30) ? 2 : 1;
	max_msg_size = sizes[pick(stage, 0, 3)];
	stage->count = servers + pick(stage, 1, PLAYERS_MAX - servers);
	for (i = 0; i < stage->count; i++) {
		struct player *player = &stage->players[i];

		/* Sometimes two servers of one name, sometimes nobody of that name. */
		snprintf(player->name, sizeof(player->name), "%c",
			 (char)('a' + pick(stage, 0, chance(stage, 80) ? 0 : 1)));
		player->max_msg_size = chance(stage, 95) ? max_msg_size : 100;
		player_init(player, stage, i < servers);
	}
}

/*
 * Chaos
 */

static bool poll_all(struct stage *stage)
{
	unsigned int i, first = pick(stage, 0, stage->count - 1);
	bool done = false;

	for (i = 0; i < stage->count; i++)
		done |= player_poll(&stage->players[(first + i) % stage->count]);
	return done;
}

static void step(struct stage *stage)
{
	dice_pass_time(&stage->random);
	if (chance(stage, 60))
		player_act(&stage->players[pick(stage, 0, stage->count - 1)]);
	poll_all(stage);
}

/*
 * End
 */

static bool awaits_timer(const struct stage *stage)
{
	unsigned int i;

	for (i = 0; i < stage->count; i++)
		if (priv_poll_group_next_deadline(&stage->players[i].side->pe->group) != UINT64_MAX)
			return true;
	return false;
}

/* Who sleeps is woken, or sleeps for ever and is found out. */
static void quieten(struct stage *stage)
{
	unsigned int rounds = 0, quiet = 0;

	while (quiet < QUIET_ROUNDS) {
		priv_clock_virtual.now_ns += 1000000;
		quiet = poll_all(stage) || awaits_timer(stage) ? 0 : quiet + 1;
		must(rounds++ < ROUNDS_MAX);
	}
}

/* All that was sent on a connection that still stands has arrived. */
static void check_arrived(struct stage *stage, const struct session *sender)
{
	unsigned int i;

	if (sender->over || !sender->out.submitted)
		return;
	must(sender->out.told_sent == sender->out.submitted);
	for (i = 0; i < stage->count; i++) {
		struct list_node *node;

		list_for_each (node, &stage->players[i].sessions) {
			const struct session *receiver = container_of(node, struct session, node);

			if (receiver->in.key == sender->out.key) {
				must(receiver->in.received == sender->out.submitted);
				return;
			}
		}
	}
	world_fail("messages were sent and nobody got any", __FILE__, __LINE__);
}

static void check_quiet(struct stage *stage)
{
	unsigned int i;

	for (i = 0; i < stage->count; i++) {
		struct player *player = &stage->players[i];
		struct list_node *node;

		must(!player->tasks_out);
		must(side_state(player->side) == DOCA_CTX_STATE_IDLE ||
		     side_state(player->side) == DOCA_CTX_STATE_RUNNING);
		list_for_each (node, &player->sessions)
			check_arrived(stage, container_of(node, struct session, node));
	}
}

static void check_over(struct stage *stage)
{
	unsigned int i;

	for (i = 0; i < stage->count; i++) {
		struct list_node *node;

		must(side_state(stage->players[i].side) == DOCA_CTX_STATE_IDLE);
		list_for_each (node, &stage->players[i].sessions) {
			const struct session *session = container_of(node, struct session, node);

			must(session->over);
			must(session->out.told_sent + session->out.told_failed ==
			     session->out.submitted);
		}
	}
}

static void close_stage(struct stage *stage)
{
	unsigned int i;

	stage->calm = true;
	for (i = 0; i < stage->count; i++) {
		if (stage->players[i].dead_for)
			player_revive(&stage->players[i]);
		player_free_held(&stage->players[i]);
	}
	quieten(stage);
	check_quiet(stage);
	for (i = 0; i < stage->count; i++)
		player_stop(&stage->players[i]);
	quieten(stage);
	check_over(stage);
	for (i = 0; i < stage->count; i++)
		player_fini(&stage->players[i]);
	must(world_fini(&stage->world));
}

static void run(uint64_t seed, uint64_t steps)
{
	static struct stage stage;

	open_stage(&stage, seed);
	for (seeds_step = 0; seeds_step < steps; seeds_step++)
		step(&stage);
	close_stage(&stage);
}

int main(int argc, char **argv)
{
	seeds_run(argc, argv, run);
	printf("%llu connections (%llu refused), %llu messages, %llu sends failed, %llu stops, "
	       "%llu deaths, %llu sleeps\n",
	       (unsigned long long)tally.connections, (unsigned long long)tally.refusals,
	       (unsigned long long)tally.messages, (unsigned long long)tally.failed_sends,
	       (unsigned long long)tally.stops, (unsigned long long)tally.deaths,
	       (unsigned long long)tally.sleeps);
	return 0;
}
