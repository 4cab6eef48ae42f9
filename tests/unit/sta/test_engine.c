/* SPDX-License-Identifier: BSD-3-Clause */
#include "rig.h"

#include <pthread.h>

static int setup_three(void **state)
{
	*state = rig_create(3);
	return 0;
}

static void queue_pairs_are_spread(void **state)
{
	struct rig *rig = *state;
	struct sta_qp *qps[3];
	unsigned int i, seen = 0;

	for (i = 0; i < 3; i++) {
		qps[i] = rig_new_qp(rig);
		seen |= 1u << qps[i]->eu->index;
	}
	assert_int_equal(seen, 7);
	for (i = 0; i < 3; i++)
		rig_drop_qp(rig, qps[i]);
}

struct visit {
	pthread_t thread;
	struct sta_eu *eu;
	unsigned int count;
};

static void visit(struct sta_eu *eu, void *arg)
{
	struct visit *v = arg;

	v->thread = pthread_self();
	v->eu = eu;
	v->count++;
}

static void calls_run_in_the_thread_and_are_waited_for(void **state)
{
	struct rig *rig = *state;
	struct visit visits[3] = {{0}};
	unsigned int i;

	for (i = 0; i < 3; i++)
		sta_eu_call(&rig->engine->eus[i], visit, &visits[i]);
	for (i = 0; i < 3; i++) {
		assert_int_equal(visits[i].count, 1);
		assert_ptr_equal(visits[i].eu, &rig->engine->eus[i]);
		assert_false(pthread_equal(visits[i].thread, pthread_self()));
		assert_false(pthread_equal(visits[i].thread, visits[(i + 1) % 3].thread));
	}
}

static unsigned int notified;

static void count_notify(struct mbox_msg *msg)
{
	(void)msg; /* kept: nobody gives it back */
	notified++;
}

static void notify_often(struct sta_eu *eu, void *arg)
{
	unsigned int i;

	(void)eu;
	for (i = 0; i < STA_NOTIFY_MAX + 5; i++)
		eu_notify(arg, STA_NOTIFY_VALIDATION, 0);
}

/* a control side that does not poll costs notifications, not memory */
static void notifications_are_limited(void **state)
{
	static const struct sta_engine_up up = {.notify = count_notify};
	struct rig *rig = *state;
	struct sta_eu *eu = &rig->engine->eus[0];
	struct sta_qp qp = {.eu = eu};
	struct sta_cmd cmd = {.qp = &qp};

	notified = 0;
	rig->engine->attr.up = &up;
	rig->engine->attr.control = &rig->inbox;
	sta_eu_call(eu, notify_often, &cmd);
	mbox_deliver(&rig->inbox);
	assert_int_equal(notified, STA_NOTIFY_MAX);
	assert_int_equal(eu->counters.notify_dropped, 5);
	rig->engine->attr.up = NULL;
}

#define THREE(test) cmocka_unit_test_setup_teardown(test, setup_three, rig_teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		THREE(queue_pairs_are_spread),
		THREE(calls_run_in_the_thread_and_are_waited_for),
		THREE(notifications_are_limited),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
