/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Keep alive, in a time of the test's own.
 */
#include "host.h"

/* A second passes, and whoever has to look in between does. */
static void pass_a_second(struct host *h, uint64_t *now)
{
	const uint64_t end = *now + SECOND;

	while (h->target->due_ns < end)
		nvmf_target_tick(h->target, h->target->due_ns);
	nvmf_target_tick(h->target, *now = end);
}

static void K2_silent_hosts_are_disconnected(void **state)
{
	struct host *h = *state;
	uint64_t now = SECOND;
	unsigned int i;

	assert_int_equal(connect_io_queue(h, &h->io, 1), 0);
	for (i = 0; i < 5; i++) { /* 5 s promised, 5.5 s tolerated */
		now += SECOND;
		assert_int_equal(nvmf_target_tick(h->target, now),
				 now + SECOND - (i == 4) * SECOND / 2);
		assert_int_equal(dropped_count, 0);
	}
	pass_a_second(h, &now);
	assert_int_equal(dropped_count, 2);
	assert_ptr_equal(dropped[0], &h->io);
	assert_ptr_equal(dropped[1], &h->admin);
	assert_int_equal(nvmf_target_tick(h->target, now += SECOND), UINT64_MAX);
}

static void K2_K3_keep_alive_restarts_the_timer(void **state)
{
	struct host *h = *state;
	uint64_t now = SECOND;
	unsigned int i;

	for (i = 0; i < 30; i++) {
		nvmf_target_tick(h->target, now += SECOND);
		if (i % 4 == 3) {
			new_cmd(h, NVME_ADMIN_KEEP_ALIVE);
			assert_int_equal(run(h, &h->admin), 0);
		}
	}
	assert_int_equal(dropped_count, 0);
}

static void K2_the_longest_timer_does_not_wrap(void **state)
{
	struct host *h = *state;

	h->admin.ctrlr->kato_ms = 0xaaaaaaab; /* times 1.5: beyond 32 bits */
	nvmf_target_tick(h->target, 2 * SECOND);
	nvmf_target_tick(h->target, 3 * SECOND);
	assert_int_equal(dropped_count, 0);
}

/* for two minutes; then the association ends */
static void F17_idle_controllers_are_kept_for_a_while(void **state)
{
	struct host *h = *state;
	uint64_t now = SECOND;
	unsigned int shutdown, i;

	for (shutdown = 0; shutdown < 2; shutdown++) {
		assert_int_equal(set_cc(h, shutdown ? CC_ENABLE | 1u << 14 : 0), 0);
		for (i = 0; i < 100; i++) /* longer than the timer */
			pass_a_second(h, &now);
		assert_int_equal(dropped_count, 0);
		assert_int_equal(set_cc(h, 0), 0);
		assert_int_equal(set_cc(h, CC_ENABLE), 0);
		assert_int_equal(h->admin.ctrlr->kato_ms, 5000); /* as promised in Connect */
	}
	assert_int_equal(set_cc(h, 0), 0);
	for (i = 0; i < 119; i++)
		pass_a_second(h, &now);
	assert_int_equal(dropped_count, 0);
	pass_a_second(h, &now);
	assert_int_equal(dropped_count, 1);
	assert_ptr_equal(dropped[0], &h->admin);
}

static void K4_our_own_sleep_is_not_the_hosts_fault(void **state)
{
	struct host *h = *state;
	uint64_t now = SECOND;

	nvmf_target_tick(h->target, now += SECOND);
	nvmf_target_tick(h->target, now += 3600 * SECOND);
	assert_int_equal(dropped_count, 0);
	nvmf_target_tick(h->target, now += SECOND);
	assert_int_equal(dropped_count, 0);
}

/* The machine stopped with its hosts; how much of the time between two looks it slept is unknown.
 */
static void K4_nor_for_hosts_that_are_heard_often(void **state)
{
	struct host *h = *state;
	uint64_t now = SECOND;

	assert_int_equal(feature(h, NVME_ADMIN_SET_FEATURES, 0x0f, 1000), 0);
	while ((now = h->target->due_ns) < SECOND + SECOND / 2)
		nvmf_target_tick(h->target, now);
	nvmf_target_tick(h->target, now = SECOND + SECOND / 2); /* its Keep Alive is on its way */
	nvmf_target_tick(h->target, now += 3600 * SECOND);
	for (unsigned int i = 0; i < 30; i++)
		nvmf_target_tick(h->target, now += SECOND / 100);
	assert_int_equal(dropped_count, 0);
	while (!dropped_count && now < 3610 * SECOND)
		nvmf_target_tick(h->target, now = h->target->due_ns);
	assert_in_range(now, 3601 * SECOND, 3603 * SECOND);
}

/* however short: the host's Keep Alive may be in the socket */
static void K4_nor_is_a_nap(void **state)
{
	struct host *h = *state;
	uint64_t now = SECOND;
	unsigned int i;

	for (i = 0; i < 5; i++)
		pass_a_second(h, &now);
	assert_int_equal(h->target->due_ns, now + SECOND / 2);
	nvmf_target_tick(h->target, now += 6 * SECOND / 10);
	assert_int_equal(dropped_count, 0);
	pass_a_second(h, &now);
	assert_int_equal(dropped_count, 1);
}

static void K4_what_came_while_we_slept_counts(void **state)
{
	struct host *h = *state;
	uint64_t now = SECOND;

	for (unsigned int i = 0; i < 5; i++)
		pass_a_second(h, &now);
	nvmf_target_tick(h->target, now = h->target->due_ns + SECOND);
	nvmf_target_tick(h->target, now + 1); /* somebody else's command comes first */
	assert_int_equal(dropped_count, 0);
	nvmf_keepalive_heard(h->admin.ctrlr);
	nvmf_target_tick(h->target, now = h->target->due_ns);
	assert_int_equal(dropped_count, 0);
}

/* It never has the CPU when it should. */
static void K2_a_target_that_is_always_late_drops_silent_hosts(void **state)
{
	struct host *h = *state;

	nvmf_target_tick(h->target, 2 * SECOND);
	for (unsigned int i = 0; i < 8; i++)
		nvmf_target_tick(h->target, h->target->due_ns + SECOND / 10);
	assert_int_equal(dropped_count, 1);
}

/* Each command brings the time; whoever is not due is not looked at. */
static void between_two_looks_time_costs_nothing(void **state)
{
	struct host *h = *state;
	uint64_t due, now = SECOND;

	nvmf_target_tick(h->target, now += SECOND);
	due = h->target->due_ns;
	assert_int_equal(due, now + SECOND);
	h->admin.ctrlr->heard_ns = 0;
	h->admin.ctrlr->kato_ms = 1; /* behind its back */
	while ((now += SECOND / 100) < due)
		assert_int_equal(nvmf_target_tick(h->target, now), due);
	assert_int_equal(dropped_count, 0);
	assert_int_equal(h->target->now_ns, now - SECOND / 100);
	nvmf_target_tick(h->target, due);
	assert_int_equal(dropped_count, 1);
}

/* Whoever comes between two looks, or promises more than before, is due in time. */
static void K2_new_timers_are_due_in_time(void **state)
{
	struct host *h = *state;

	assert_int_equal(nvmf_target_tick(h->target, SECOND), UINT64_MAX);
	connect_admin_to(h, SUBNQN);
	assert_int_equal(h->target->due_ns, 2 * SECOND);
	assert_int_equal(nvmf_target_tick(h->target, 2 * SECOND), 3 * SECOND);
	nvmf_target_tick(h->target, 2 * SECOND + SECOND / 2);
	h->target->due_ns = UINT64_MAX; /* as if nobody had one */
	assert_int_equal(feature(h, NVME_ADMIN_SET_FEATURES, 0x0f, 1000), 0);
	assert_int_equal(h->target->due_ns, 2 * SECOND + 7 * SECOND / 10);
	h->target->due_ns = UINT64_MAX;
	assert_int_equal(set_cc(h, 0), 0); /* idle, for a while */
	assert_int_equal(h->target->due_ns, 3 * SECOND + SECOND / 2);
	assert_int_equal(dropped_count, 0);
}

#define MANY 64u

static void K2_nobody_joins_an_expired_controller(void **state)
{
	struct host *h = *state;
	uint64_t now = SECOND;
	unsigned int i;

	for (i = 0; i < 9; i++)
		pass_a_second(h, &now);
	assert_int_equal(dropped_count, 1);
	assert_int_equal(connect_io_queue(h, &h->io, 1), DNR(NVME_SC_CONNECT_INVALID_PARAM));
	assert_null(h->io.ctrlr);
}

/* one of three keeps its promise, one says other things, one says nothing */
static void K2_only_the_silent_of_many_hosts_are_dropped(void **state)
{
	static struct host hosts[MANY];
	struct host *h = *state;
	unsigned int i, second, kept = 0;
	uint64_t now = SECOND;

	for (i = 0; i < MANY; i++) {
		hosts[i] = (struct host){.target = h->target, .port = h->port};
		connect_admin_to(&hosts[i], SUBNQN);
		kept += i % 3 == 0;
	}
	for (second = 0; second < 20; second++) {
		pass_a_second(h, &now);
		for (i = 0; i < MANY; i++) {
			if (second % 4 == 0 && i % 3 == 0) {
				new_cmd(&hosts[i], NVME_ADMIN_KEEP_ALIVE);
				assert_int_equal(run(&hosts[i], &hosts[i].admin), 0);
			} else if (i % 3 == 1 && !hosts[i].admin.closing) {
				assert_int_equal(identify(&hosts[i], NVME_CNS_CTRL, 0), 0);
			}
		}
	}
	assert_int_equal(dropped_count, MANY - kept);
	for (i = 0; i < MANY; i++)
		assert_int_equal(hosts[i].admin.closing, i % 3 != 0);
	for (i = 0; i < MANY; i++)
		nvmf_queue_closed(&hosts[i].admin);
}

/* what Get Features tells is what counts */
static void E3_connect_rounds_up(void **state)
{
	static const uint32_t asked[] = {1, 999, 1000, 1001, UINT32_MAX};
	static const uint32_t given[] = {1000, 1000, 1000, 2000, 4294967000u};
	struct host *h = *state;

	for (size_t i = 0; i < sizeof(asked) / sizeof(asked[0]); i++) {
		nvmf_queue_closed(&h->admin);
		nvmf_queue_init(&h->admin, h->port, "127.0.0.1");
		new_connect(h, 0, 0xffff, SUBNQN);
		connect_cmd(h)->kato = htole32(asked[i]);
		assert_int_equal(run(h, &h->admin), 0);
		assert_int_equal(set_cc(h, CC_ENABLE), 0);
		assert_int_equal(h->admin.ctrlr->kato_ms, given[i]);
		assert_int_equal(feature(h, NVME_ADMIN_GET_FEATURES, 0x0f, 0), 0);
		assert_int_equal(h->req.dw0, given[i]);
	}
}

static void K1_without_a_timer_silence_is_allowed(void **state)
{
	struct host *h = *state;
	uint64_t now = SECOND;
	unsigned int i;

	nvmf_queue_init(&h->admin, h->port, "127.0.0.1");
	new_connect(h, 0, 0xffff, SUBNQN);
	connect_cmd(h)->kato = htole32(0);
	assert_int_equal(run(h, &h->admin), 0);
	assert_int_equal(set_cc(h, CC_ENABLE), 0);
	for (i = 0; i < 1000; i++)
		assert_int_equal(nvmf_target_tick(h->target, now += SECOND), UINT64_MAX);
	assert_int_equal(dropped_count, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		CONNECTED_TEST(E3_connect_rounds_up),
		CONNECTED_TEST(K2_silent_hosts_are_disconnected),
		CONNECTED_TEST(K2_K3_keep_alive_restarts_the_timer),
		CONNECTED_TEST(K2_the_longest_timer_does_not_wrap),
		CONNECTED_TEST(F17_idle_controllers_are_kept_for_a_while),
		CONNECTED_TEST(K4_our_own_sleep_is_not_the_hosts_fault),
		CONNECTED_TEST(K4_nor_for_hosts_that_are_heard_often),
		CONNECTED_TEST(K4_nor_is_a_nap),
		CONNECTED_TEST(K4_what_came_while_we_slept_counts),
		CONNECTED_TEST(K2_a_target_that_is_always_late_drops_silent_hosts),
		CONNECTED_TEST(K2_nobody_joins_an_expired_controller),
		CONNECTED_TEST(between_two_looks_time_costs_nothing),
		HOST_TEST(K2_new_timers_are_due_in_time),
		HOST_TEST(K2_only_the_silent_of_many_hosts_are_dropped),
		HOST_TEST(K1_without_a_timer_silence_is_allowed),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
