/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Busy polling before a sleep: when it is tried, and when no more.
 */
#include "poll_group_rig.h"

struct peer {
	struct poller poller;
	unsigned int looks;
	unsigned int answers_at; /* the look that finds its answer; 0: none does */
};

static unsigned int peer_poll(struct poller *poller)
{
	(void)poller;
	return 0;
}

static bool peer_arm(struct poller *poller, bool often)
{
	(void)poller;
	return often;
}

static bool peer_pending(struct poller *poller)
{
	struct peer *peer = container_of(poller, struct peer, poller);

	peer->looks++;
	return peer->answers_at && peer->looks >= peer->answers_at;
}

static void peer_disarm(struct poller *poller)
{
	(void)poller;
}

static const struct poller_ops peer_ops = {
	.poll = peer_poll,
	.arm = peer_arm,
	.pending = peer_pending,
	.disarm = peer_disarm,
};

static void peer_add(struct peer *peer, struct poll_group *group)
{
	memset(peer, 0, sizeof(*peer));
	peer->poller.ops = &peer_ops;
	priv_poll_group_add(group, &peer->poller);
}

/* a group that has had short sleeps, with the clock that goes by itself */
static void become_drowsy(struct rig *rig)
{
	priv_clock_virtual.on = false;
	assert_false(priv_busy_poll(&rig->group)); /* from now on this thread sleeps there */
	rig->group.busy_poll.napped = true;
}

/* true: it looked */
static bool tries(struct rig *rig, struct peer *peer)
{
	peer->looks = 0;
	assert_false(priv_busy_poll(&rig->group));
	return peer->looks != 0;
}

static void sleep_for(struct rig *rig, uint64_t ns)
{
	assert_true(priv_poll_group_arm(&rig->group));
	priv_clock_virtual.now_ns += ns;
	priv_poll_group_clear(&rig->group);
}

static void short_sleeps_are_naps(void **state)
{
	struct rig *rig = *state;

	sleep_for(rig, 1000000);
	assert_false(rig->group.busy_poll.napped);
	sleep_for(rig, 1000);
	assert_true(rig->group.busy_poll.napped);
	priv_clock_virtual.now_ns += 1000000; /* awake */
	priv_poll_group_clear(&rig->group);
	assert_true(rig->group.busy_poll.napped);
	assert_true(priv_poll_group_arm(&rig->group));
	poll_later(rig); /* so does a poll end one */
	assert_false(rig->group.busy_poll.napped);
}

static void nobody_polls_before_a_long_sleep(void **state)
{
	struct rig *rig = *state;
	struct peer peer;

	peer_add(&peer, &rig->group);
	become_drowsy(rig);
	assert_true(tries(rig, &peer));
	rig->group.busy_poll.napped = false;
	assert_false(tries(rig, &peer));
	priv_poll_group_remove(&peer.poller);
}

/* A thread that the machine takes the CPU from while it polls has no luck in that attempt. */
static void the_answer_of_a_quick_peer_is_found(void **state)
{
	struct rig *rig = *state;
	struct peer peer;
	unsigned int i;

	peer_add(&peer, &rig->group);
	become_drowsy(rig);
	peer.answers_at = 1;
	assert_true(priv_busy_poll(&rig->group));
	assert_int_equal(peer.looks, 1);
	for (i = 0; i < 10000; i++) {
		peer.looks = 0;
		peer.answers_at = 3;
		if (priv_busy_poll(&rig->group))
			break;
	}
	assert_true(i < 10000);
	assert_int_equal(peer.looks, 3);
	priv_poll_group_remove(&peer.poller);
}

static void attempts_in_vain_become_rare(void **state)
{
	struct rig *rig = *state;
	unsigned int attempts = 0, i;
	struct peer peer;

	peer_add(&peer, &rig->group);
	become_drowsy(rig);
	for (i = 0; i < 1000; i++)
		attempts += tries(rig, &peer);
	assert_in_range(attempts, 1, 50);
	/* but never cease */
	for (i = 0; i < 3000 && !tries(rig, &peer); i++)
		;
	assert_true(i < 3000);
	priv_poll_group_remove(&peer.poller);
}

static void one_of_several_groups_of_a_thread_does_not_wait(void **state)
{
	struct rig *rig = *state;
	struct poll_group other;
	struct peer peer;

	assert_ok(priv_poll_group_init(&other));
	peer_add(&peer, &rig->group);
	become_drowsy(rig);
	assert_true(tries(rig, &peer));
	assert_false(priv_busy_poll(&other));
	assert_false(tries(rig, &peer));
	assert_true(tries(rig, &peer));
	priv_poll_group_remove(&peer.poller);
	priv_poll_group_fini(&other);
}

static void what_another_thread_has_posted_is_found(void **state)
{
	struct rig *rig = *state;
	struct peer peer;

	peer_add(&peer, &rig->group);
	become_drowsy(rig);
	priv_poll_group_post(&rig->group, &rig->bells[0].watch);
	assert_true(priv_busy_poll(&rig->group));
	priv_poll_group_retract(&rig->group, &rig->bells[0].watch);
	priv_poll_group_remove(&peer.poller);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
	const struct CMUnitTest tests[] = {
		TEST(short_sleeps_are_naps),
		TEST(nobody_polls_before_a_long_sleep),
		TEST(the_answer_of_a_quick_peer_is_found),
		TEST(attempts_in_vain_become_rare),
		TEST(one_of_several_groups_of_a_thread_does_not_wait),
		TEST(what_another_thread_has_posted_is_found),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
