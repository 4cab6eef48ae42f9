/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Both ends of a lane in one process, each with its own view of the memory.
 */
#ifndef SOFTFIELD_TESTS_LANE_RIG_H
#define SOFTFIELD_TESTS_LANE_RIG_H

#include "test.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "bell.h"
#include "base/bell.h"
#include "chan/lane.h"
#include "leak.h"
#include "window_fd.h"

#define WINDOW 65536u
#define KEY    0x30005u /* third start of consumer 5 */

struct scene {
	struct lane_consumer consumer;
	struct lane_producer *producer;
	struct lane_key key, other;
	int window, bell, listener;
};

static inline doca_error_t attach(struct scene *scene)
{
	return lane_producer_create(KEY, dup(scene->consumer.mem->fd), dup(scene->window),
				    dup(scene->bell), &scene->producer);
}

static inline void open_scene(struct scene *scene)
{
	memset(scene, 0, sizeof(*scene));
	scene->window = new_window(WINDOW);
	assert_ok(priv_bell_create(&scene->bell));
	scene->listener = listen_to_bell(scene->bell);
	assert_ok(lane_consumer_init(&scene->consumer, 10, 32));
}

static inline int setup(void **state)
{
	struct scene *scene = malloc(sizeof(*scene));

	leak_setup(NULL);
	open_scene(scene);
	assert_ok(attach(scene));
	*state = scene;
	return 0;
}

static inline int setup_alone(void **state)
{
	leak_setup(NULL);
	*state = malloc(sizeof(struct scene));
	open_scene(*state);
	return 0;
}

static inline int teardown(void **state)
{
	struct scene *scene = *state;

	if (scene->producer)
		lane_producer_unref(scene->producer);
	lane_consumer_fini(&scene->consumer);
	close(scene->window);
	close(scene->bell);
	close(scene->listener);
	free(scene);
	return leak_teardown(NULL);
}

static inline void fill(struct scene *scene, uint64_t offset, uint32_t room)
{
	struct lane_consumer *to = &scene->consumer;

	lane_post_fill(to, to->filled++, offset, room);
}

static inline void post(struct scene *scene, uint64_t offset, uint32_t room)
{
	fill(scene, offset, room);
	lane_post_publish(&scene->consumer);
}

static inline enum lane_answer claim(struct scene *scene, uint32_t size, struct lane_claim *claim)
{
	return lane_claim(scene->producer, &scene->key, size, false, claim);
}

static inline void publish(struct scene *scene, uint32_t index, uint32_t size)
{
	struct lane_claim claim = {.line = lane_line_at(scene->producer, index), .index = index};

	lane_publish(scene->producer, &claim, (struct lane_head){.size = size, .producer_id = 7});
}

/* the next message's size; -1: there is none */
static inline int64_t take(struct scene *scene)
{
	struct lane_consumer *consumer = &scene->consumer;
	struct lane_head head;

	if (!lane_has_next(consumer))
		return -1;
	head = lane_unpack_head(lane_read_word(lane_incoming(consumer, consumer->line)));
	assert_int_equal(head.producer_id, 7);
	lane_advance(consumer, head);
	return head.size;
}

#define TEST(name)	 cmocka_unit_test_setup_teardown(name, setup, teardown)
#define TEST_ALONE(name) cmocka_unit_test_setup_teardown(name, setup_alone, teardown)

#endif
