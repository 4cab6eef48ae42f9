/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Faults on purpose, on a ring of the test's own: what is held back until when, what is refused,
 * and when the end comes.
 */
#include "test.h"

#include <stdlib.h>
#include <string.h>
#include "base/clock.h"
#include "leak.h"
#include "link/fault.h"
#include "topo/party.h"

#define LINES 16u

struct rig {
	struct poll_group group;
	struct poller poller; /* stands for the connection's */
	struct ring_sender tx;
	struct ring_receiver rx;
	void *memory;
	struct topo_faults faults;
	struct party party;
	struct fault *fault;
	bool armed;
	struct leak before;
};

static unsigned int killed;

static void note_kill(void)
{
	killed++;
}

static unsigned int poll_nothing(struct poller *poller)
{
	(void)poller;
	return 0;
}

static bool arm_nothing(struct poller *poller, bool often)
{
	(void)often;
	container_of(poller, struct rig, poller)->armed = true;
	return true;
}

static bool never_pending(struct poller *poller)
{
	(void)poller;
	return false;
}

static void disarm_nothing(struct poller *poller)
{
	container_of(poller, struct rig, poller)->armed = false;
}

static const struct poller_ops poller_ops = {
	.poll = poll_nothing,
	.arm = arm_nothing,
	.pending = never_pending,
	.disarm = disarm_nothing,
};

static int setup(void **state)
{
	struct rig *rig = calloc(1, sizeof(*rig));
	size_t size = priv_ring_memory_size(LINES, 4096);

	rig->before = leak_count();
	priv_clock_virtual.on = true;
	priv_clock_virtual.now_ns = 1000000;
	assert_ok(priv_poll_group_init(&rig->group));
	rig->poller.ops = &poller_ops;
	priv_poll_group_add(&rig->group, &rig->poller);
	rig->memory = aligned_alloc(128, (size + 127) / 128 * 128);
	memset(rig->memory, 0, size);
	priv_ring_receiver_init(&rig->rx, rig->memory, LINES, 4096);
	assert_ok(priv_ring_sender_init(&rig->tx, rig->memory, size));
	rig->party.faults = &rig->faults;
	priv_party_switch(&rig->party);
	killed = 0;
	*state = rig;
	return 0;
}

static int teardown(void **state)
{
	struct rig *rig = *state;
	struct leak before = rig->before;

	priv_party_switch(NULL);
	priv_fault_destroy(rig->fault);
	priv_ring_sender_fini(&rig->tx);
	priv_poll_group_remove(&rig->poller);
	priv_poll_group_fini(&rig->group);
	free(rig->memory);
	free(rig);
	priv_clock_virtual.on = false;
	return leak_check(&before) ? 0 : -1;
}

static void create(struct rig *rig, struct topo_faults faults)
{
	rig->faults = faults;
	assert_ok(priv_fault_create(&rig->poller, LINES, &rig->fault));
	assert_non_null(rig->fault);
	rig->fault->kill = note_kill;
}

static void send(struct rig *rig)
{
	assert_true(ring_has_room(&rig->tx));
	ring_push(&rig->tx, 1, "m", 1);
}

/* takes what may be taken; returns how much */
static unsigned int receive(struct rig *rig)
{
	unsigned int count = 0;

	while (ring_peek(&rig->rx) && !priv_fault_holds(rig->fault, &rig->rx)) {
		ring_pop(&rig->rx);
		count++;
	}
	ring_publish_tail(&rig->rx);
	return count;
}

static void pass(uint64_t ns)
{
	priv_clock_virtual.now_ns += ns;
}

/*
 * Which party has which
 */

static void without_faults_there_is_no_object(void **state)
{
	struct rig *rig = *state;

	rig->fault = (struct fault *)rig;
	assert_ok(priv_fault_create(&rig->poller, LINES, &rig->fault));
	assert_null(rig->fault);
	rig->faults.seed = 7; /* alone it does nothing */
	assert_ok(priv_fault_create(&rig->poller, LINES, &rig->fault));
	assert_null(rig->fault);
}

static void the_topologys_faults_are_everybodys(void **state)
{
	struct rig *rig = *state;

	rig->party.faults = NULL;
	assert_ok(priv_fault_create(&rig->poller, LINES, &rig->fault));
	assert_non_null(rig->fault);
	assert_int_equal(rig->fault->config.drop_after, 77); /* see main() */
}

/*
 * Delay
 */

static void a_message_is_held_back_for_the_delay(void **state)
{
	struct rig *rig = *state;

	create(rig, (struct topo_faults){.delay_ns = 1000});
	send(rig);
	assert_int_equal(receive(rig), 0);
	pass(999);
	assert_int_equal(receive(rig), 0);
	pass(1);
	assert_int_equal(receive(rig), 1);
}

static void each_message_has_a_delay_of_its_own(void **state)
{
	struct rig *rig = *state;

	create(rig, (struct topo_faults){.delay_ns = 1000});
	send(rig);
	receive(rig);
	pass(400);
	send(rig);
	receive(rig);
	pass(600);
	assert_int_equal(receive(rig), 1);
	pass(399);
	assert_int_equal(receive(rig), 0);
	pass(1);
	assert_int_equal(receive(rig), 1);
}

static void jitter_is_added_and_keeps_the_order(void **state)
{
	struct rig *rig = *state;
	unsigned int count = 0, steps = 0;
	uint64_t begin = priv_clock_virtual.now_ns;

	create(rig, (struct topo_faults){.delay_ns = 1000, .jitter_ns = 500, .seed = 3});
	while (count < 1000) {
		unsigned int now;

		while (ring_has_room(&rig->tx))
			send(rig);
		now = receive(rig);
		assert_true(!now || priv_clock_virtual.now_ns - begin >= 1000);
		count += now;
		pass(10);
		assert_true(++steps < 100000);
	}
	/* A ring full takes the longest delay of all in it: between 1000 and 1500 ns. */
	assert_in_range(priv_clock_virtual.now_ns - begin, 1000 / LINES * 1000,
			(1000 / LINES + 1) * 1520);
}

static void a_sleeper_is_woken_when_the_delay_is_over(void **state)
{
	struct rig *rig = *state;

	create(rig, (struct topo_faults){.delay_ns = 1000});
	send(rig);
	receive(rig);
	assert_int_equal(priv_poll_group_next_deadline(&rig->group),
			 priv_clock_virtual.now_ns + 1000);
	assert_true(priv_poll_group_arm(&rig->group));
	assert_true(rig->armed);
	pass(1000);
	priv_poll_group_poll(&rig->group, 0);
	assert_false(rig->armed);
	assert_int_equal(receive(rig), 1);
	assert_int_equal(priv_poll_group_next_deadline(&rig->group), UINT64_MAX);
}

static void destroy_stops_the_timer(void **state)
{
	struct rig *rig = *state;

	create(rig, (struct topo_faults){.delay_ns = 1000});
	send(rig);
	receive(rig);
	priv_fault_destroy(rig->fault);
	rig->fault = NULL;
	assert_int_equal(priv_poll_group_next_deadline(&rig->group), UINT64_MAX);
}

static void a_ring_that_claims_more_than_it_holds_is_bounded(void **state)
{
	struct rig *rig = *state;
	uint32_t i;

	create(rig, (struct topo_faults){.delay_ns = 1});
	for (i = 0; i < 10 * LINES; i++) /* as a hostile sender might */
		atomic_store(&rig->rx.lines[i % LINES].seq, i + 1);
	for (i = 0; i < LINES; i++)
		atomic_store(&rig->rx.lines[i].seq, i + 1);
	receive(rig);
	assert_true(rig->fault->seen <= LINES);
}

/*
 * Full queues
 */

static void a_percentage_of_sends_is_refused_once(void **state)
{
	struct rig *rig = *state;
	unsigned int i, refused = 0;

	create(rig, (struct topo_faults){.full_percent = 25, .seed = 11});
	for (i = 0; i < 1000; i++) {
		if (priv_fault_lets_send(rig->fault))
			continue;
		refused++;
		assert_true(priv_fault_lets_send(rig->fault));
	}
	assert_in_range(refused, 200, 300);
	assert_int_equal(rig->fault->count, 1000);
}

static void even_a_queue_that_is_always_full_lets_through(void **state)
{
	struct rig *rig = *state;
	unsigned int i;

	create(rig, (struct topo_faults){.full_percent = 100});
	for (i = 0; i < 10; i++) {
		assert_false(priv_fault_lets_send(rig->fault));
		assert_true(priv_fault_lets_send(rig->fault));
	}
}

static void the_same_seed_gives_the_same_faults(void **state)
{
	struct rig *rig = *state;
	bool first[200];
	unsigned int i, round, differences = 0;

	for (round = 0; round < 3; round++) {
		create(rig, (struct topo_faults){.full_percent = 50, .seed = round / 2});
		for (i = 0; i < ARRAY_SIZE(first); i++) {
			bool lets = priv_fault_lets_send(rig->fault);

			if (round == 0)
				first[i] = lets;
			else if (round == 1)
				assert_int_equal(lets, first[i]);
			else
				differences += lets != first[i];
		}
		priv_fault_destroy(rig->fault);
		rig->fault = NULL;
	}
	assert_true(differences > 0);
}

/*
 * Ends
 */

static void the_connection_breaks_after_so_many_messages(void **state)
{
	struct rig *rig = *state;

	create(rig, (struct topo_faults){.drop_after = 3});
	assert_true(priv_fault_lets_send(rig->fault));
	priv_fault_count(rig->fault);
	assert_false(priv_fault_strike(rig->fault));
	assert_true(priv_fault_lets_send(rig->fault));
	/* Nothing passes any more, either way. */
	assert_false(priv_fault_lets_send(rig->fault));
	send(rig);
	assert_int_equal(receive(rig), 0);
	assert_true(priv_fault_strike(rig->fault));
	assert_int_equal(killed, 0);
}

static void the_end_ends_a_sleep(void **state)
{
	struct rig *rig = *state;

	create(rig, (struct topo_faults){.drop_after = 1});
	assert_true(priv_poll_group_arm(&rig->group));
	assert_true(priv_fault_lets_send(rig->fault));
	assert_false(rig->armed);
}

static void the_process_is_killed_after_so_many_messages(void **state)
{
	struct rig *rig = *state;

	create(rig, (struct topo_faults){.kill_after = 2, .drop_after = 5});
	priv_fault_count(rig->fault);
	priv_fault_strike(rig->fault);
	assert_int_equal(killed, 0);
	priv_fault_count(rig->fault);
	priv_fault_strike(rig->fault);
	assert_int_equal(killed, 1);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(without_faults_there_is_no_object),
		TEST(the_topologys_faults_are_everybodys),
		TEST(a_message_is_held_back_for_the_delay),
		TEST(each_message_has_a_delay_of_its_own),
		TEST(jitter_is_added_and_keeps_the_order),
		TEST(a_sleeper_is_woken_when_the_delay_is_over),
		TEST(destroy_stops_the_timer),
		TEST(a_ring_that_claims_more_than_it_holds_is_bounded),
		TEST(a_percentage_of_sends_is_refused_once),
		TEST(even_a_queue_that_is_always_full_lets_through),
		TEST(the_same_seed_gives_the_same_faults),
		TEST(the_connection_breaks_after_so_many_messages),
		TEST(the_end_ends_a_sleep),
		TEST(the_process_is_killed_after_so_many_messages),
	};

	setenv("SOFTFIELD_FAULTS", "drop_after=77", 1);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
