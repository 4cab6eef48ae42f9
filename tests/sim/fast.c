/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Simulation of the fast path: random consumers and producers on connections that come and go,
 * under a virtual clock. A run is made of its seed alone, so one that fails fails again.
 *
 *	sim_fast [--seed N | --seeds COUNT] [--steps COUNT]
 */
#include <stdio.h>
#include <string.h>
#include "ends.h"
#include "seeds.h"

/* Rounds without anything that mean quiet, and rounds in which it must come. */
#define QUIET_ROUNDS 50
#define ROUNDS_MAX   50000

/*
 * Chaos
 */

static bool poll_all(struct cast *cast)
{
	unsigned int i, first = pick(cast, 0, cast->actor_count - 1);
	bool done = false;

	for (i = 0; i < cast->actor_count; i++)
		done |= actor_poll(&cast->actors[(first + i) % cast->actor_count]);
	return done;
}

static void step(struct cast *cast)
{
	dice_pass_time(&cast->random);
	if (chance(cast, 20))
		actor_act(&cast->actors[pick(cast, 0, cast->actor_count - 1)]);
	if (chance(cast, 80))
		end_act(&cast->ends[pick(cast, 0, cast->end_count - 1)]);
	poll_all(cast);
}

/*
 * Beginning and end
 */

static void open_cast(struct cast *cast, uint64_t seed)
{
	/* The last is more than a submit makes reachable: the polls have the rest of it. */
	static const size_t sizes[] = {200,   200,   3000,  3000,   20000,  20000,
				       20000, 20000, 20000, 300000, 300000, 1500000};
	unsigned int servers, i;

	memset(cast, 0, sizeof(*cast));
	cast->random.state = seed;
	list_init(&cast->streams);
	world_init(&cast->world, WORLD_SIM);
	dice_roll_links(&cast->random, &cast->world.sim);
	cast->slot_size = sizes[pick(cast, 0, 11)];
	servers = pick(cast, 1, 2);
	cast->actor_count = servers + pick(cast, 1, ACTORS_MAX - servers);
	for (i = 0; i < cast->actor_count; i++)
		actor_init(&cast->actors[i], cast, i < servers,
			   i < servers ? i : pick(cast, 0, servers - 1));
	cast->end_count = pick(cast, 2, ENDS_MAX);
	for (i = 0; i < cast->end_count; i++)
		end_init(&cast->ends[i], cast);
}

static bool awaits_timer(const struct cast *cast)
{
	unsigned int i;

	for (i = 0; i < cast->actor_count * ENGINES; i++) {
		const struct doca_pe *pe = cast->actors[i / ENGINES].engines[i % ENGINES];

		if (priv_poll_group_next_deadline(&pe->group) != UINT64_MAX)
			return true;
	}
	return false;
}

/* Who sleeps is woken, or sleeps for ever and is found out. */
static void quieten(struct cast *cast, void (*each)(struct end *end))
{
	unsigned int rounds = 0, quiet = 0, i;

	while (quiet < QUIET_ROUNDS) {
		for (i = 0; i < cast->end_count; i++)
			each(&cast->ends[i]);
		priv_clock_virtual.now_ns += 1000000;
		quiet = poll_all(cast) || awaits_timer(cast) ? 0 : quiet + 1;
		must(rounds++ < ROUNDS_MAX);
	}
}

static void check_streams(struct cast *cast)
{
	struct list_node *node;

	list_for_each (node, &cast->streams) {
		const struct stream *stream = container_of(node, struct stream, node);
		const char *fault = stream_end(stream, session_is_whole(stream->session));

		if (fault)
			world_fail(fault, __FILE__, __LINE__);
	}
}

/* Whoever is not IDLE runs, on a connection that stands. */
static void check_ends(const struct cast *cast)
{
	const struct end *end;

	for (end = cast->ends; end < cast->ends + cast->end_count; end++)
		must(!end_is_active(end) ||
		     (end->state == DOCA_CTX_STATE_RUNNING && !end->session->over));
}

static void leave_alone(struct end *end)
{
	(void)end;
}

static void close_cast(struct cast *cast)
{
	unsigned int i;

	cast->calm = true;
	quieten(cast, end_calm_down);
	check_ends(cast);
	check_streams(cast);
	for (i = 0; i < cast->end_count; i++)
		end_stop(&cast->ends[i]);
	quieten(cast, leave_alone);
	for (i = 0; i < cast->end_count; i++) {
		must(!end_is_active(&cast->ends[i]));
		end_fini(&cast->ends[i]);
	}
	for (i = 0; i < cast->actor_count; i++)
		actor_stop(&cast->actors[i]);
	quieten(cast, leave_alone);
	stream_destroy_all(&cast->streams);
	for (i = 0; i < cast->actor_count; i++)
		actor_fini(&cast->actors[i]);
	must(world_fini(&cast->world));
}

static void run(uint64_t seed, uint64_t steps)
{
	static struct cast cast;

	open_cast(&cast, seed);
	for (seeds_step = 0; seeds_step < steps; seeds_step++)
		step(&cast);
	close_cast(&cast);
}

int main(int argc, char **argv)
{
	seeds_run(argc, argv, run);
	printf("%llu connections, %llu messages of %llu sends (%llu failed, %llu refused), %llu "
	       "receives (%llu failed, %llu freed), %llu starts, %llu stops, %llu deaths, %llu "
	       "sleeps\n",
	       (unsigned long long)ends_tally.connections, (unsigned long long)ends_tally.messages,
	       (unsigned long long)ends_tally.sends, (unsigned long long)ends_tally.failed_sends,
	       (unsigned long long)ends_tally.refused, (unsigned long long)ends_tally.posts,
	       (unsigned long long)ends_tally.failed_receives,
	       (unsigned long long)ends_tally.withdrawn, (unsigned long long)ends_tally.starts,
	       (unsigned long long)ends_tally.stops, (unsigned long long)ends_tally.deaths,
	       (unsigned long long)ends_tally.sleeps);
	return 0;
}
