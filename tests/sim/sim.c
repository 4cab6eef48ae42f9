/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Simulation: random programs on both sides, under a virtual clock and with faults on purpose. A
 *run is made of its seed alone, so one that fails fails again.
 *
 *	sim [--seed N | --seeds COUNT] [--steps COUNT]
 */
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "base/clock.h"
#include "core/pe.h"
#include "player.h"

/* Rounds without anything that mean quiet, and rounds in which it must come. */
#define QUIET_ROUNDS 50
#define ROUNDS_MAX   50000

static uint64_t current_seed, current_step;

static void print_seed(void)
{
	fprintf(stderr, "seed %llu failed in step %llu; again: sim --seed %llu\n",
		(unsigned long long)current_seed, (unsigned long long)current_step,
		(unsigned long long)current_seed);
}

/*
 * Beginning
 */

static void open_stage(struct stage *stage, uint64_t seed)
{
	static const uint64_t delays[] = {0, 10000, 1000000, 50000000};
	static const uint32_t sizes[] = {16, 64, 1000, 4080};
	uint32_t servers, max_msg_size;
	unsigned int i;

	memset(stage, 0, sizeof(*stage));
	stage->random.state = seed;
	world_init(&stage->world, WORLD_SIM);
	stage->world.sim.random.state = random_next(&stage->random);
	stage->world.sim.delay_max_ns = delays[pick(stage, 0, 3)];
	stage->world.sim.busy_percent = chance(stage, 20) ? 50 : 0;
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

static void pass_time(struct stage *stage)
{
	static const uint64_t most[] = {0, 1000, 300000, 2000000, 30000000};

	priv_clock_virtual.now_ns += random_below(&stage->random, most[pick(stage, 0, 4)] + 1);
}

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
	pass_time(stage);
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

	current_seed = seed;
	open_stage(&stage, seed);
	for (current_step = 0; current_step < steps; current_step++)
		step(&stage);
	close_stage(&stage);
}

/* a number; at least min, or no seed would run and the run would pass */
static uint64_t number(const char *text, uint64_t min)
{
	char *end;
	uint64_t value = strtoull(text, &end, 0);

	if (end != text && !*end && value >= min)
		return value;
	fprintf(stderr, "\"%s\" is not a number of at least %llu\n", text, (unsigned long long)min);
	exit(2);
}

int main(int argc, char **argv)
{
	static const struct option options[] = {{"seed", required_argument, NULL, 's'},
						{"seeds", required_argument, NULL, 'n'},
						{"steps", required_argument, NULL, 'k'},
						{0}};
	uint64_t first = 1, count = 200, steps = 400, seed;
	int option;

	while ((option = getopt_long(argc, argv, "", options, NULL)) != -1) {
		if (option == 's') {
			first = number(optarg, 0);
			count = 1;
		} else if (option == 'n') {
			count = number(optarg, 1);
		} else if (option == 'k') {
			steps = number(optarg, 1);
		} else {
			fprintf(stderr, "usage: %s [--seed N | --seeds COUNT] [--steps COUNT]\n",
				argv[0]);
			return 2;
		}
	}
	world_failing = print_seed;
	for (seed = first; seed < first + count; seed++)
		run(seed, steps);
	printf("%llu seeds of %llu steps passed: %llu connections (%llu refused), %llu messages, "
	       "%llu sends failed, %llu stops, %llu deaths, %llu sleeps\n",
	       (unsigned long long)count, (unsigned long long)steps,
	       (unsigned long long)tally.connections, (unsigned long long)tally.refusals,
	       (unsigned long long)tally.messages, (unsigned long long)tally.failed_sends,
	       (unsigned long long)tally.stops, (unsigned long long)tally.deaths,
	       (unsigned long long)tally.sleeps);
	return 0;
}
