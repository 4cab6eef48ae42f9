/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Work for a thread of the engine, and its answer.
 */
#include "rig.h"

#include <pthread.h>

static int setup_two(void **state)
{
	*state = rig_create(2);
	return 0;
}

struct told {
	struct sta_op op;
	pthread_t engine, mine;
	unsigned int done;
};

static void note_done(struct sta_op *op)
{
	struct told *told = container_of(op, struct told, op);

	told->mine = pthread_self();
	told->done++;
}

static void finish_there(struct sta_eu *eu, void *arg)
{
	struct told *told = arg;

	(void)eu;
	told->engine = pthread_self();
	sta_op_finish(&told->op, DOCA_ERROR_IO_FAILED);
}

/* the result is set there, told here, and not before this side looks */
static void answers_come_to_who_has_asked(void **state)
{
	struct rig *rig = *state;
	struct told told = {.op = {.reply = &rig->inbox, .done = note_done}};

	sta_eu_call(&rig->engine->eus[1], finish_there, &told);
	assert_int_equal(told.done, 0);
	assert_int_equal(told.op.result, DOCA_ERROR_IO_FAILED);
	assert_int_equal(mbox_deliver(&rig->inbox), 1);
	assert_int_equal(told.done, 1);
	assert_true(pthread_equal(told.mine, pthread_self()));
	assert_false(pthread_equal(told.engine, pthread_self()));
}

struct order {
	unsigned int next, seen[8];
};

static void append(struct sta_eu *eu, void *arg)
{
	struct order *order = arg;

	(void)eu;
	order->seen[order->next] = order->next;
	order->next++;
}

/* each call has happened when it returns */
static void calls_are_in_order(void **state)
{
	struct rig *rig = *state;
	struct order order = {0};
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(order.seen); i++) {
		sta_eu_call(&rig->engine->eus[i % 2], append, &order);
		assert_int_equal(order.next, i + 1);
		assert_int_equal(order.seen[i], i);
	}
}

#define TWO(test) cmocka_unit_test_setup_teardown(test, setup_two, rig_teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TWO(answers_come_to_who_has_asked),
		TWO(calls_are_in_order),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
