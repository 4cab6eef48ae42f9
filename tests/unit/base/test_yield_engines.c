/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A thread with two engines, beside others who keep its CPU: which one naps?
 */
#include "poll_group_rig.h"

#include <sched.h>
#include "base/yield.h"

#define LONG_NS	 10000000 /* that others use the CPU */
#define POLL_NS	 1000	  /* between two polls */
#define WAIT_MIN 80	  /* polls in vain until there is work */
#define WAIT_MAX 120

/* The library's, too. */
int sched_yield(void)
{
	priv_clock_virtual.now_ns += LONG_NS;
	return 0;
}

/* Who waits in vain naps, or yields; then there is work in the first one. */
static void wait_for_work(struct poll_group *groups[2], struct source *source, unsigned int polls)
{
	for (unsigned int i = 0; i < polls; i++) {
		priv_clock_virtual.now_ns += POLL_NS;
		priv_poll_group_poll(groups[i % 2], 0);
	}
	source->work = 1;
	while (source->work)
		priv_poll_group_poll(groups[0], 0);
}

static bool may_nap(struct poll_group *group)
{
	struct nap nap;

	if (!priv_poll_group_begin_nap(group, &nap))
		return false;
	priv_poll_group_end_nap(group, &nap);
	return true;
}

/* Wherever it was before: the next answer comes there, and would not end a nap in the other one. */
static void the_engine_naps_that_the_last_long_wait_ended_in(void **state)
{
	struct rig *rig = *state;
	struct poll_group other;
	struct poll_group *groups[2][2] = {{&rig->group, &other}, {&other, &rig->group}};
	unsigned int polls, i;

	assert_ok(priv_poll_group_init(&other));
	for (i = 0; i < 2; i++) {
		rig->sources[i].poller.ops = &memory_ops;
		priv_poll_group_add(groups[i][0], &rig->sources[i].poller);
	}
	for (polls = WAIT_MIN; polls < WAIT_MAX; polls++) {
		for (i = 0; i < 2; i++) {
			priv_yield_to_others();
			wait_for_work(groups[i], &rig->sources[i], 2 * polls);
			priv_yield_to_others();
			assert_false(may_nap(groups[i][1]));
			assert_true(may_nap(groups[i][0]));
		}
	}
	priv_poll_group_remove(&rig->sources[1].poller);
	priv_poll_group_fini(&other);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(the_engine_naps_that_the_last_long_wait_ended_in,
						setup, teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
