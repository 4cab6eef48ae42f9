/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A poll group with pollers, descriptors and timers that count what happens to them, on a clock
 * that stands still.
 */
#ifndef SOFTFIELD_TESTS_POLL_GROUP_RIG_H
#define SOFTFIELD_TESTS_POLL_GROUP_RIG_H

#include "test.h"

#include <stdlib.h>
#include <unistd.h>
#include "base/bell.h"
#include "base/clock.h"
#include "base/poll_group.h"
#include "leak.h"
#include "readable.h"

/* A poller with a counter for each of its operations. */
struct source {
	struct poller poller;
	unsigned int work; /* left to do, one a poll */
	unsigned int polls, arms, disarms;
	bool announced;
	bool often;
	bool work_on_arm; /* some arrives between the announcement and the second look */
	void (*on_poll)(struct source *source);
	void *arg;
};

static inline struct source *source_of(struct poller *poller)
{
	return container_of(poller, struct source, poller);
}

static inline unsigned int source_poll(struct poller *poller)
{
	struct source *source = source_of(poller);

	source->polls++;
	if (source->on_poll)
		source->on_poll(source);
	if (!source->work)
		return 0;
	source->work--;
	return 1;
}

static inline bool source_arm(struct poller *poller, bool often)
{
	struct source *source = source_of(poller);

	source->arms++;
	source->often = often;
	source->announced = true;
	source->work += source->work_on_arm;
	return often;
}

static inline bool source_pending(struct poller *poller)
{
	assert_true(source_of(poller)->announced);
	return source_of(poller)->work != 0;
}

static inline void source_disarm(struct poller *poller)
{
	source_of(poller)->disarms++;
	source_of(poller)->announced = false;
}

static const struct poller_ops source_ops = {
	.poll = source_poll,
	.arm = source_arm,
	.pending = source_pending,
	.disarm = source_disarm,
};

static const struct poller_ops memory_ops = {
	.poll = source_poll,
	.arm = source_arm,
	.pending = source_pending,
	.disarm = source_disarm,
	.polls_memory = true,
};

/* A descriptor with a counter. */
struct bell {
	struct watch watch;
	unsigned int rings;
	uint32_t events;
	void (*on_ready)(struct bell *bell);
	void *arg;
};

static inline void bell_ready(struct watch *watch, uint32_t events)
{
	struct bell *bell = container_of(watch, struct bell, watch);

	bell->rings++;
	bell->events = events;
	if (bell->on_ready)
		bell->on_ready(bell);
}

#define SOURCES 40

struct rig {
	struct poll_group group;
	struct source sources[SOURCES];
	struct bell bells[3];
	struct leak before;
};

static inline int setup(void **state)
{
	struct rig *rig = calloc(1, sizeof(*rig));
	unsigned int i;

	rig->before = leak_count();
	priv_clock_virtual.on = true;
	priv_clock_virtual.now_ns = 1000000000;
	assert_ok(priv_poll_group_init(&rig->group));
	for (i = 0; i < SOURCES; i++)
		rig->sources[i].poller.ops = &source_ops;
	for (i = 0; i < ARRAY_SIZE(rig->bells); i++) {
		rig->bells[i].watch.ready = bell_ready;
		assert_ok(priv_eventfd_create(&rig->bells[i].watch.fd));
		assert_ok(priv_poll_group_watch(&rig->group, &rig->bells[i].watch, EPOLLIN));
	}
	*state = rig;
	return 0;
}

static inline int teardown(void **state)
{
	struct rig *rig = *state;
	struct leak before = rig->before;
	unsigned int i;

	for (i = 0; i < SOURCES; i++)
		priv_poll_group_remove(&rig->sources[i].poller);
	for (i = 0; i < ARRAY_SIZE(rig->bells); i++) {
		priv_poll_group_unwatch(&rig->group, &rig->bells[i].watch);
		close(rig->bells[i].watch.fd);
	}
	priv_poll_group_fini(&rig->group);
	free(rig);
	priv_clock_virtual.on = false;
	priv_clock_virtual.step_ns = 0;
	return leak_check(&before) ? 0 : -1;
}

static inline void add(struct rig *rig, unsigned int count)
{
	unsigned int i;

	for (i = 0; i < count; i++)
		priv_poll_group_add(&rig->group, &rig->sources[i].poller);
}

/* one round with so much time gone by that the kernel is asked */
static inline unsigned int poll_later(struct rig *rig)
{
	priv_clock_virtual.now_ns += 1000000;
	return priv_poll_group_poll(&rig->group, 0);
}

/* arms and expects that the caller may sleep */
static inline void fall_asleep(struct rig *rig)
{
	while (poll_later(rig))
		;
	assert_true(priv_poll_group_arm(&rig->group));
	assert_false(is_readable(rig->group.epoll_fd));
}

struct alarm {
	struct timer timer;
	unsigned int fired;
	struct alarm *remove;
	struct poll_group *again;
};

static inline void alarm_fire(struct timer *timer)
{
	struct alarm *alarm = container_of(timer, struct alarm, timer);

	alarm->fired++;
	if (alarm->remove)
		priv_poll_group_timer_remove(&alarm->remove->timer);
	if (alarm->again)
		priv_poll_group_timer_add(alarm->again, timer, 0);
}

#endif
