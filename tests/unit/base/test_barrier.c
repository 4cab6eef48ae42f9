/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The barrier of the sleeper: that the kernel has it, and that the protocol around it is right. The
 * latter on a model of two processors with store buffers, of which every interleaving is tried; the
 * stress suite runs the real thing. docs/internals/sleeping.md draws the same steps.
 */
#include "test.h"

#include <linux/membarrier.h>
#include <stdbool.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>
#include "base/barrier.h"
#include "child.h"
#include "membarrier.h"

static void registers_where_the_kernel_can(void **state)
{
	long commands = syscall(SYS_membarrier, MEMBARRIER_CMD_QUERY, 0, 0);
	bool can = commands >= 0 && commands & MEMBARRIER_CMD_REGISTER_GLOBAL_EXPEDITED;

	(void)state;
	assert_int_equal(priv_barrier_register(), can);
	assert_int_equal(priv_barrier_register(), can);
	priv_barrier_heavy();
}

static uint64_t now_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

static void lose_membarrier(struct child *parent, void *arg)
{
	uint64_t start;

	(void)parent;
	(void)arg;
	if (!priv_barrier_register())
		_exit(77);
	filter_membarrier();
	start = now_ns();
	priv_barrier_heavy();
	_exit(now_ns() - start < 1000000 ? 1 : 0);
}

/* Others rely on it already, so it must take as long as their stores may. */
static void outlasts_stores_when_it_is_forbidden_later(void **state)
{
	struct child child = child_start(lose_membarrier, NULL);
	int status = child_join(&child);

	(void)state;
	if (status == 77)
		skip();
	assert_int_equal(status, 0);
}

/*
 * The model. A store waits in its processor's buffer until that is drained, at any moment.
 */

enum sender_step { SEND_PUBLISH, SEND_FENCE, SEND_LOOK, SEND_RING, SEND_DONE };
enum sleeper_step { SLEEP_ANNOUNCE, SLEEP_BARRIER, SLEEP_LOOK, SLEEP_ASLEEP, SLEEP_AWAKE };

struct model {
	bool sender_fences;    /* SEND_FENCE drains its own buffer */
	bool sleeper_fences;   /* SLEEP_BARRIER drains its own buffer */
	bool barrier_is_heavy; /* and the sender's: membarrier() */
	bool looks_first;      /* the wrong way round: look, then announce */
};

struct machine {
	enum sender_step sender;
	unsigned int slept;		       /* steps of the sleeper */
	bool work, sleeping, bell;	       /* memory */
	bool work_buffered, sleeping_buffered; /* stores of 1 that nobody else sees yet */
};

static void drain_sender(struct machine *m)
{
	m->work |= m->work_buffered;
	m->work_buffered = false;
}

static void drain_sleeper(struct machine *m)
{
	m->sleeping |= m->sleeping_buffered;
	m->sleeping_buffered = false;
}

static void step_sender(const struct model *model, struct machine *m)
{
	switch (m->sender) {
	case SEND_PUBLISH:
		m->work_buffered = true;
		m->sender = SEND_FENCE;
		break;
	case SEND_FENCE:
		if (model->sender_fences)
			drain_sender(m);
		m->sender = SEND_LOOK;
		break;
	case SEND_LOOK:
		m->sender = m->sleeping ? SEND_RING : SEND_DONE;
		break;
	case SEND_RING:
		drain_sender(m); /* a system call */
		m->bell = true;
		m->sender = SEND_DONE;
		break;
	case SEND_DONE:
		break;
	}
}

static const enum sleeper_step right_order[] = {SLEEP_ANNOUNCE, SLEEP_BARRIER, SLEEP_LOOK,
						SLEEP_ASLEEP, SLEEP_AWAKE};
static const enum sleeper_step wrong_order[] = {SLEEP_LOOK, SLEEP_ANNOUNCE, SLEEP_BARRIER,
						SLEEP_ASLEEP, SLEEP_AWAKE};

static enum sleeper_step step_of(const struct model *model, const struct machine *m)
{
	return (model->looks_first ? wrong_order : right_order)[m->slept];
}

static void step_sleeper(const struct model *model, struct machine *m)
{
	bool wakes = false;

	switch (step_of(model, m)) {
	case SLEEP_ANNOUNCE:
		m->sleeping_buffered = true;
		break;
	case SLEEP_BARRIER:
		if (model->sleeper_fences)
			drain_sleeper(m);
		if (model->barrier_is_heavy)
			drain_sender(m);
		break;
	case SLEEP_LOOK:
		wakes = m->work;
		break;
	case SLEEP_ASLEEP:
		if (!m->bell)
			return;
		break;
	case SLEEP_AWAKE:
		return;
	}
	m->slept = wakes ? ARRAY_SIZE(right_order) - 1 : m->slept + 1;
}

/* Tries every next step from here; true: one of them ends in a sleep that nobody ends. */
static bool can_sleep_for_ever(const struct model *model, struct machine before)
{
	static void (*const drains[])(struct machine * m) = {drain_sender, drain_sleeper};
	bool stuck = true, lost = false;
	unsigned int i;

	for (i = 0; i < 4 && !lost; i++) {
		struct machine m = before;

		if (i < 2)
			drains[i](&m);
		else if (i == 2)
			step_sender(model, &m);
		else
			step_sleeper(model, &m);
		if (!memcmp(&m, &before, sizeof(m)))
			continue;
		stuck = false;
		lost = can_sleep_for_ever(model, m);
	}
	return lost || (stuck && step_of(model, &before) == SLEEP_ASLEEP);
}

static bool loses(struct model model)
{
	struct machine start;

	memset(&start, 0, sizeof(start)); /* compared as bytes */
	return can_sleep_for_ever(&model, start);
}

static void no_interleaving_loses_a_wake_up(void **state)
{
	(void)state;
	/* membarrier() on the sleeper's side, nothing on the sender's */
	assert_false(loses((struct model){.sleeper_fences = true, .barrier_is_heavy = true}));
	/* where there is no membarrier(): a fence on both */
	assert_false(loses((struct model){.sleeper_fences = true, .sender_fences = true}));
}

static void every_part_of_the_protocol_is_needed(void **state)
{
	(void)state;
	assert_true(loses((struct model){0}));
	assert_true(loses((struct model){.sleeper_fences = true}));
	assert_true(loses((struct model){.sender_fences = true}));
	assert_true(loses((struct model){.barrier_is_heavy = true}));
	assert_true(loses((struct model){.looks_first = true,
					 .sleeper_fences = true,
					 .sender_fences = true,
					 .barrier_is_heavy = true}));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(registers_where_the_kernel_can),
		cmocka_unit_test(outlasts_stores_when_it_is_forbidden_later),
		cmocka_unit_test(no_interleaving_loses_a_wake_up),
		cmocka_unit_test(every_part_of_the_protocol_is_needed),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
