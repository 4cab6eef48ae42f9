/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What a peer may do to a server once it is connected: wrong records, wrong announcements, counts
 * that cannot be, and words on a socket that has none to carry.
 */
#include "test.h"

#include <fcntl.h>
#include <sys/socket.h>
#include <unistd.h>
#include "base/fd.h"
#include "chan/chan.h"
#include "chan/lane.h"
#include "hostile_scene.h"

/*
 * In the ring
 */

static void a_message_of_no_size(void **state)
{
	scene_get_in(*state);
	raw_forge(&((struct scene *)*state)->raw, CHAN_MESSAGE, 0, 0);
	scene_expect_disconnect(*state);
}

static void a_message_beyond_the_maximum(void **state)
{
	scene_get_in(*state);
	raw_forge(&((struct scene *)*state)->raw, CHAN_MESSAGE, RAW_MSG_SIZE + 1, 0);
	scene_expect_disconnect(*state);
}

static void a_message_of_4_gigabytes(void **state)
{
	scene_get_in(*state);
	raw_forge(&((struct scene *)*state)->raw, CHAN_MESSAGE, UINT32_MAX, 0);
	scene_expect_disconnect(*state);
}

static void a_message_outside_the_arena(void **state)
{
	scene_get_in(*state);
	raw_forge(&((struct scene *)*state)->raw, CHAN_MESSAGE, 200, UINT32_MAX - 100);
	scene_expect_disconnect(*state);
}

static void a_record_of_no_type(void **state)
{
	scene_get_in(*state);
	raw_forge(&((struct scene *)*state)->raw, 0, 1, 0);
	scene_expect_disconnect(*state);
}

static void a_record_of_an_unknown_type(void **state)
{
	scene_get_in(*state);
	raw_forge(&((struct scene *)*state)->raw, UINT16_MAX, 1, 0);
	scene_expect_disconnect(*state);
}

static void a_consumer_without_an_id(void **state)
{
	scene_get_in(*state);
	raw_forge(&((struct scene *)*state)->raw, CHAN_CONSUMER_NEW, 0, 0);
	scene_expect_disconnect(*state);
}

/* announces a consumer whose lane, window or bell is something else */
static void announce(struct scene *scene, const int fds[3])
{
	struct handshake memory = {.type = HANDSHAKE_MEMORY, .memory.token = 2};
	const uint32_t id = 2;
	uint8_t msg[FD_MESSAGE_MAX];

	raw_send(&scene->raw, msg, priv_handshake_encode(&memory, msg), fds, 3);
	raw_push(&scene->raw, CHAN_CONSUMER_NEW, &id, sizeof(id));
	scene_settle(scene);
}

static void a_consumer_of_wrong_parts(void **state)
{
	struct scene *scene = *state;
	int window = scene_new_memfd(1 << 20, F_SEAL_GROW | F_SEAL_SHRINK);
	int open_window = scene_new_memfd(1 << 20, 0);
	struct lane_consumer lane;
	unsigned int i;

	assert_ok(lane_consumer_init(&lane, 16, 0));
	for (i = 0; i < 5; i++) {
		const int sets[5][3] = {
			{window, window, scene->raw.bell},
			{scene->raw.bell, window, scene->raw.bell},
			{lane.mem->fd, open_window, scene->raw.bell},
			{lane.mem->fd, scene->raw.bell, scene->raw.bell},
			{lane.mem->fd, window, window}, /* a bell that is memory */
		};
		struct raw *raw = &scene->raw;
		struct party *before;

		scene_get_in(scene);
		announce(scene, sets[i]);
		scene_settle(scene);
		assert_int_equal(scene->server->disconnects, i + 1);
		scene_check_others(scene);
		before = scene_enter(scene);
		raw_fini(raw); /* another caller the next time */
		raw_init(raw);
		priv_party_switch(before);
	}
	lane_consumer_fini(&lane);
	close(window);
	close(open_window);
}

static void an_answer_with_a_wrong_bell(void **state)
{
	struct handshake memory = {.type = HANDSHAKE_MEMORY, .memory.token = 0x80000001u};
	struct scene *scene = *state;
	const uint32_t id = 1;
	uint8_t msg[FD_MESSAGE_MAX];

	scene_get_in(scene);
	raw_send(&scene->raw, msg, priv_handshake_encode(&memory, msg), &scene->raw.inbox->fd, 1);
	raw_push(&scene->raw, CHAN_CONSUMER_ACK, &id, sizeof(id));
	scene_expect_disconnect(scene);
}

static void a_consumer_that_nobody_knows_goes(void **state)
{
	const uint32_t id = 12345;

	scene_get_in(*state);
	raw_push(&((struct scene *)*state)->raw, CHAN_CONSUMER_GONE, &id, sizeof(id));
	scene_expect_disconnect(*state);
}

static void a_tail_beyond_the_head(void **state)
{
	struct scene *scene = *state;
	struct ring_shared *shared = scene->raw.inbox->addr;
	unsigned int i;

	scene_get_in(scene);
	for (i = 0; i < SIDE_TASKS; i++)
		assert_ok(side_send(scene->server, "fill", 4));
	atomic_store(&shared->tail, 1u << 31);
	scene_settle(scene);
	assert_ok(side_send(scene->server, "one more", 8));
	scene_expect_disconnect(scene);
}

static void records_without_end(void **state)
{
	struct scene *scene = *state;
	unsigned int i, round;

	scene_get_in(scene);
	for (round = 0; round < 50; round++) {
		for (i = 0; i < 2 * scene->raw.tx.mask; i++) /* overtakes the reader as well */
			raw_forge(&scene->raw, CHAN_MESSAGE, 1, 0);
		world_progress(&scene->world);
		assert_ok(side_send(scene->client, "meanwhile", 9));
		world_settle(&scene->world);
	}
	assert_int_equal(side_state(scene->server), DOCA_CTX_STATE_RUNNING);
	scene_check_others(scene);
}

static void a_second_hello_on_the_socket(void **state)
{
	struct scene *scene = *state;
	struct handshake hello = raw_hello(scene_addr(scene));

	scene_get_in(scene);
	raw_introduce(&scene->raw, &hello);
	scene_expect_disconnect(scene);
}

static void garbage_on_the_socket(void **state)
{
	struct scene *scene = *state;

	scene_get_in(scene);
	raw_send(&scene->raw, "garbage", 7, &scene->raw.bell, 1);
	scene_expect_disconnect(scene);
}

static void memory_without_end_on_the_socket(void **state)
{
	struct handshake memory = {.type = HANDSHAKE_MEMORY};
	struct scene *scene = *state;
	uint8_t msg[FD_MESSAGE_MAX];
	size_t size = priv_handshake_encode(&memory, msg);
	unsigned int i;

	scene_get_in(scene);
	for (i = 0; i < 10000 && scene->raw.link; i++) {
		if (link_send(scene->raw.link, msg, size, NULL, 0))
			break;
		if (i % 50 == 0)
			scene_settle(scene);
	}
	scene_expect_disconnect(scene);
}

/* It never reads. What is sent to it waits, and nobody else does. */
static void a_peer_that_never_reads(void **state)
{
	struct scene *scene = *state;
	unsigned int i;

	scene_get_in(scene);
	world_settle(&scene->world);
	for (i = 0; i < SIDE_TASKS / 2; i++)
		assert_ok(side_send(scene->server, "to nobody", 9));
	world_settle(&scene->world);
	scene_check_others(scene);
	raw_hang_up(&scene->raw);
	scene_settle(scene);
	assert_int_equal(scene->server->disconnects, 1);
}

static void every_flag_set_all_the_time(void **state)
{
	struct scene *scene = *state;
	struct ring_shared *theirs, *ours = scene->raw.inbox->addr;
	unsigned int i;

	scene_get_in(scene);
	theirs = scene->raw.their_inbox->addr;
	for (i = 0; i < 100; i++) {
		atomic_store(&ours->receiver.asleep, UINT32_MAX);
		atomic_store(&theirs->sender.asleep, UINT32_MAX);
		atomic_store(&theirs->sender.fences, i);
		atomic_store(&ours->receiver.fences, ~i);
		atomic_store(&theirs->tail, i * 77);
		theirs->line_count = 0;
		theirs->slot_size = UINT32_MAX;
		if (ring_has_room(&scene->raw.tx))
			raw_push(&scene->raw, CHAN_MESSAGE, "hello", 5);
		world_settle(&scene->world);
	}
	scene_check_others(scene);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		BOTH(a_message_of_no_size),
		BOTH(a_message_beyond_the_maximum),
		BOTH(a_message_of_4_gigabytes),
		BOTH(a_message_outside_the_arena),
		BOTH(a_record_of_no_type),
		BOTH(a_record_of_an_unknown_type),
		BOTH(a_consumer_without_an_id),
		BOTH(a_consumer_of_wrong_parts),
		BOTH(an_answer_with_a_wrong_bell),
		BOTH(a_consumer_that_nobody_knows_goes),
		BOTH(a_tail_beyond_the_head),
		BOTH(records_without_end),
		BOTH(a_second_hello_on_the_socket),
		BOTH(garbage_on_the_socket),
		BOTH(memory_without_end_on_the_socket),
		BOTH(a_peer_that_never_reads),
		BOTH(every_flag_set_all_the_time),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
