/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * How the two sides of a connection tell each other of their consumers, and what they do not
 * believe.
 *
 * Long because every promise is a small test of its own.
 */
#include "fast_rig.h"
#include "bell.h"
#include "child.h"
#include "pairing.h"
#include "said.h"
#include "window_fd.h"

#include <limits.h>
#include <pthread.h>
#include <stdatomic.h>
#include <sys/mman.h>
#include <unistd.h>
#include "base/bell.h"
#include "base/fd.h"
#include "chan/fast.h"
#include "chan/handshake.h"
#include "doca_log.h"

#define TIB   ((size_t)1 << 40)
#define ACK   0x80000000u
#define FORKS 50

/* what the client's program is told */
static struct {
	unsigned int born, gone;
	uint32_t id;
} heard;

static void note_new(struct chan *chan, uint32_t id)
{
	(void)chan;
	heard.born++;
	heard.id = id;
}

static void note_gone(struct chan *chan, uint32_t id)
{
	(void)chan;
	heard.gone++;
	heard.id = id;
}

static const struct chan_ops listening_ops = {
	.opened = half_opened,
	.message = half_message,
	.room = half_room,
	.closed = half_closed,
	.consumer_new = note_new,
	.consumer_gone = note_gone,
};

static void connect_pair(struct pairing *pairing)
{
	memset(&heard, 0, sizeof(heard));
	pairing_connect(pairing);
	pairing->client.chan.ops = &listening_ops;
}

/*
 * Honest sides
 */

static void a_consumer_becomes_known_and_is_forgotten(void **state)
{
	struct pairing *pairing = *state;
	struct lane_producer *lane;
	struct player player;
	struct poll_group group;
	struct sender sender = {0};
	uint32_t id;

	connect_pair(pairing);
	player_init(&player, pairing);
	id = player.consumer.user.id;
	player_start(&player);
	assert_null(fast_find(fast_of_client(pairing), id));
	pairing_settle(pairing);
	assert_true(is_acked(&player));
	assert_int_equal(player.notices, 1);
	assert_int_equal(heard.born, 1);
	assert_int_equal(heard.id, id);
	lane = fast_find(fast_of_client(pairing), id);
	assert_non_null(lane);
	sender_start(&sender, fast_of_client(pairing), &group);
	player_stop(&player);
	pairing_settle(pairing);
	assert_int_equal(heard.gone, 1);
	assert_int_equal(heard.id, id);
	assert_null(fast_find(fast_of_client(pairing), id));
	/* Whoever has it, keeps it, and is told to see that it is of no use. */
	assert_true(lane_is_gone(lane));
	priv_poll_group_poll(&group, 0);
	assert_int_equal(sender.notices, 1);
	sender_stop(&sender);
	lane_producer_unref(lane);
	player_fini(&player);
}

static void both_have_the_same_bell(void **state)
{
	struct pairing *pairing = *state;
	struct lane_producer *lane;
	struct player player;
	int listener;

	connect_pair(pairing);
	player_init(&player, pairing);
	player_start(&player);
	pairing_settle(pairing);
	lane = fast_find(fast_of_client(pairing), player.consumer.user.id);
	listener = listen_to_bell(lane->post_bell);
	priv_bell_ring(player.consumer.post_bell);
	assert_true(has_rung(listener));
	close(listener);
	lane_producer_unref(lane);
	player_stop(&player);
	player_fini(&player);
}

/* What belongs to an earlier start says nothing of this one. */
static void each_start_is_answered_for_itself(void **state)
{
	struct pairing *pairing = *state;
	struct lane_producer *lane;
	struct player player;
	unsigned int i;
	int listener;

	connect_pair(pairing);
	player_init(&player, pairing);
	for (i = 0; i < 3; i++) {
		player_start(&player);
		player_stop(&player);
	}
	player_start(&player);
	pairing_settle(pairing);
	assert_int_equal(heard.born, 4);
	assert_int_equal(heard.gone, 3);
	assert_int_equal(player.notices, 1);
	lane = fast_find(fast_of_client(pairing), player.consumer.user.id);
	listener = listen_to_bell(lane->post_bell);
	priv_bell_ring(player.consumer.post_bell);
	assert_true(has_rung(listener));
	close(listener);
	lane_producer_unref(lane);
	player_stop(&player);
	pairing_settle(pairing);
	assert_int_equal(heard.gone, 4);
	player_fini(&player);
}

/* The peer's program may poll nothing but its producer from then on. */
static void the_answer_goes_where_the_consumer_is_told_of(void **state)
{
	struct pairing *pairing = *state;
	struct player player;
	unsigned int i;

	connect_pair(pairing);
	player_init(&player, pairing);
	player_start(&player);
	for (i = 0; i < 100 && !heard.born; i++) {
		poll_server(pairing);
		poll_client(pairing);
	}
	assert_int_equal(heard.born, 1);
	for (i = 0; i < 100; i++)
		poll_server(pairing);
	assert_true(is_acked(&player));
	player_stop(&player);
	player_fini(&player);
}

static void announcements_wait_for_room_in_the_ring(void **state)
{
	struct pairing *pairing = *state;
	struct chan *chan;
	struct player player;

	connect_pair(pairing);
	chan = &pairing->server_half.chan;
	while (chan_send(chan, "fill", 4))
		;
	player_init(&player, pairing);
	player_start(&player);
	poll_server(pairing);
	poll_server(pairing);
	assert_false(is_acked(&player));
	/* For that, and for nothing else, such as a timer. */
	poll_client(pairing);
	assert_int_equal(chan_in_flight(chan), 0);
	poll_server(pairing);
	assert_int_equal(chan_in_flight(chan), 1);
	pairing_settle(pairing);
	assert_true(is_acked(&player));
	player_stop(&player);
	player_fini(&player);
}

static struct link_ops failing_ops;
static doca_error_t (*real_send)(struct link *link, const void *msg, size_t size, const int *fds,
				 unsigned int fd_count);
static unsigned int failures_left;

static doca_error_t failing_send(struct link *link, const void *msg, size_t size, const int *fds,
				 unsigned int fd_count)
{
	if (failures_left) {
		failures_left--;
		return DOCA_ERROR_FULL; /* of descriptors */
	}
	return real_send(link, msg, size, fds, fd_count);
}

static bool may_sleep(struct pairing *pairing)
{
	poll_server(pairing);
	return priv_poll_group_arm(&pairing->server_group);
}

static void descriptors_that_cannot_be_sent_now_are_sent_later(void **state)
{
	struct pairing *pairing = *state;
	struct player player;

	connect_pair(pairing);
	failing_ops = *pairing->server_half.chan.link->ops;
	real_send = failing_ops.send;
	failing_ops.send = failing_send;
	failures_left = 5;
	pairing->server_half.chan.link->ops = &failing_ops;
	player_init(&player, pairing);
	player_start(&player);
	poll_server(pairing);
	assert_true(may_sleep(pairing)); /* a timer ends it */
	assert_int_equal(failures_left, 4);
	pairing_settle(pairing);
	assert_int_equal(failures_left, 0);
	assert_true(is_acked(&player));
	player_stop(&player);
	player_fini(&player);
}

/*
 * Tools
 */

static struct handshake_window seen[4];
static unsigned int seen_count;

static void note_window(const struct handshake_window *window, void *arg)
{
	assert_ptr_equal(arg, seen);
	assert_true(seen_count < ARRAY_SIZE(seen));
	seen[seen_count++] = *window;
}

static void both_sides_can_tell_how_windows_work(void **state)
{
	struct pairing *pairing = *state;
	struct fast_user producer;
	struct player player;
	uint32_t consumers, producers;

	connect_pair(pairing);
	player_init(&player, pairing);
	assert_ok(fast_user_init(player.fast, &producer, false));
	player_start(&player);
	pairing_settle(pairing);
	fast_count(player.fast, &consumers, &producers);
	assert_int_equal(consumers, 1);
	assert_int_equal(producers, 0); /* it has not started */
	atomic_store(&player.consumer.lane.shared->use.copied, 4096);
	atomic_store(&player.consumer.lane.shared->use.why, 3);
	seen_count = 0;
	fast_visit_windows(fast_of_client(pairing), note_window, seen);
	fast_visit_windows(player.fast, note_window, seen);
	assert_int_equal(seen_count, 2);
	assert_true(seen[0].of_peer && !seen[1].of_peer);
	assert_int_equal(seen[0].consumer_id, player.consumer.user.id);
	assert_int_equal(seen[1].consumer_id, player.consumer.user.id);
	assert_int_equal(seen[0].size, 65536);
	assert_int_equal(seen[1].size, 65536);
	assert_int_equal(seen[0].copied, 4096);
	assert_int_equal(seen[0].why, 3);
	assert_int_equal(seen[1].copied, 0); /* of which nothing has been used yet */
	player_stop(&player);
	fast_user_fini(player.fast, &producer);
	player_fini(&player);
}

/*
 * The end of the connection
 */

static void all_are_told_when_the_connection_is_lost(void **state)
{
	struct pairing *pairing = *state;
	struct fast_user late;
	struct player player, idle;

	connect_pair(pairing);
	player_init(&player, pairing);
	player_init(&idle, pairing);
	player_start(&player);
	pairing_settle(pairing);
	sim_kill(&pairing->sim, &pairing->client_party);
	pairing_settle(pairing);
	assert_true(atomic_load(&player.consumer.user.lost));
	assert_int_equal(player.notices, 2);
	assert_int_equal(idle.notices, 0);
	assert_err(fast_join(idle.fast, &idle.consumer.user, idle.group, noticed), NOT_CONNECTED);
	assert_err(fast_user_init(idle.fast, &late, true), BAD_STATE);
	assert_err(fast_announce(player.fast, &player.consumer), NOT_CONNECTED);
	player_stop(&player);
	player_fini(&player);
	player_fini(&idle);
}

static void nobody_begins_while_it_is_closing(void **state)
{
	struct pairing *pairing = *state;
	struct fast_user user, early = {0};
	struct fast *fast;

	connect_pair(pairing);
	fast = chan_ref_fast(&pairing->client.chan);
	assert_non_null(fast);
	assert_ok(fast_user_init(fast, &early, false));
	chan_close(&pairing->client.chan);
	assert_err(fast_user_init(fast, &user, false), BAD_STATE);
	assert_err(fast_join(fast, &early, &pairing->client_group, noticed), NOT_CONNECTED);
	fast_user_fini(fast, &early);
	pairing_settle(pairing);
	assert_null(chan_ref_fast(&pairing->client.chan));
	fast_unref(fast);
}

static atomic_bool is_over;

/* another thread, which creates consumers and producers */
static void *refer(void *chan)
{
	while (!atomic_load(&is_over))
		fast_unref(chan_ref_fast(chan));
	return NULL;
}

static void refer_once(struct child *parent, void *chan)
{
	(void)parent;
	fast_unref(chan_ref_fast(chan));
}

/* A child that waits for what that thread had begun would never end. */
static void children_do_not_miss_who_creates_them_in_the_parent(void **state)
{
	struct pairing *pairing = *state;
	struct chan *chan = &pairing->client.chan;
	pthread_t thread;

	connect_pair(pairing);
	atomic_store(&is_over, false);
	assert_int_equal(pthread_create(&thread, NULL, refer, chan), 0);
	for (unsigned int i = 0; i < FORKS; i++) {
		struct child child = child_start(refer_once, chan);

		assert_int_equal(child_join(&child), 0);
	}
	atomic_store(&is_over, true);
	assert_int_equal(pthread_join(thread, NULL), 0);
}

static void ask_for_one_too_many(struct child *parent, void *arg)
{
	struct doca_log_backend *backend;
	struct fast_user user, late;
	struct fast *fast;

	(void)parent;
	(void)arg;
	assert_ok(doca_log_backend_create_with_fd_sdk(STDERR_FILENO, &backend));
	assert_ok(fast_create_local(1, 1, &fast));
	assert_ok(fast_user_init(fast, &user, true));
	assert_err(fast_user_init(fast, &late, true), NO_MEMORY);
	fast_shut(fast);
	assert_err(fast_user_init(fast, &late, true), BAD_STATE);
	fast_user_fini(fast, &user);
	fast_unref(fast);
}

static void the_limit_is_named_when_it_is_why(void **state)
{
	const char text[] = "a message queue has at most 1 consumers";
	char said[SAID_SIZE];
	const char *found;

	(void)state;
	listen_to(ask_for_one_too_many, NULL, said);
	found = strstr(said, text);
	assert_non_null(found);
	assert_null(strstr(found + 1, text));
}

static void a_consumer_that_has_not_been_told_of_is_given_up(void **state)
{
	struct pairing *pairing = *state;
	struct player player;

	connect_pair(pairing);
	player_init(&player, pairing);
	player_start(&player); /* a request with descriptors, never sent */
	chan_close(&pairing->server_half.chan);
	sim_kill(&pairing->sim, &pairing->client_party);
	pairing_settle(pairing);
	assert_false(is_acked(&player));
	player_stop(&player);
	player_fini(&player);
}

/*
 * Dishonest sides: the client says it, the server hears it
 */

static void push(struct pairing *pairing, uint16_t type, uint32_t key)
{
	struct chan *chan = &pairing->client.chan;

	assert_true(ring_has_room(&chan->tx));
	ring_push(&chan->tx, type, &key, sizeof(key));
	chan_kick(chan);
}

static void send_parcel(struct pairing *pairing, uint32_t token, const int *fds,
			unsigned int fd_count)
{
	struct handshake memory = {.type = HANDSHAKE_MEMORY, .memory.token = token};
	struct party *before = priv_party_switch(&pairing->client_party);
	uint8_t msg[FD_MESSAGE_MAX];

	assert_ok(link_send(pairing->client.chan.link, msg, priv_handshake_encode(&memory, msg),
			    fds, fd_count));
	priv_party_switch(before);
}

/* the parts of an honest consumer */
struct parts {
	struct lane_consumer lane;
	int fds[3];
};

static struct parts make_parts(size_t window_size)
{
	struct parts parts;

	assert_ok(lane_consumer_init(&parts.lane, 16, 0));
	parts.fds[0] = parts.lane.mem->fd;
	parts.fds[1] = new_window(window_size);
	assert_ok(priv_bell_create(&parts.fds[2]));
	return parts;
}

static void free_parts(struct parts *parts)
{
	lane_consumer_fini(&parts->lane);
	close(parts->fds[1]);
	close(parts->fds[2]);
}

static void announce(struct pairing *pairing, uint32_t key, const struct parts *parts)
{
	send_parcel(pairing, key, parts->fds, 3);
	push(pairing, CHAN_CONSUMER_NEW, key);
}

static void expect_closed(struct pairing *pairing)
{
	pairing_settle(pairing);
	assert_int_equal(pairing->server_half.closed, 1);
}

static void impossible_keys_close_the_connection(void **state)
{
	static const uint32_t keys[] = {0, 0xffff, 0x10000, ACK | 2};
	struct parts parts = make_parts(4096);
	unsigned int i;

	(void)state;
	for (i = 0; i < ARRAY_SIZE(keys); i++) {
		struct pairing pairing;

		pairing_init(&pairing);
		connect_pair(&pairing);
		announce(&pairing, keys[i], &parts);
		expect_closed(&pairing);
		assert_true(pairing_fini(&pairing));
	}
	free_parts(&parts);
}

static void two_consumers_of_one_id_close_the_connection(void **state)
{
	struct pairing *pairing = *state;
	struct parts parts = make_parts(4096);

	connect_pair(pairing);
	announce(pairing, 2, &parts);
	pairing_settle(pairing);
	assert_int_equal(pairing->server_half.closed, 0);
	announce(pairing, 0x10002, &parts); /* the next start, and the first has not ended */
	expect_closed(pairing);
	free_parts(&parts);
}

static void forgetting_another_start_closes_the_connection(void **state)
{
	struct pairing *pairing = *state;
	struct parts parts = make_parts(4096);

	connect_pair(pairing);
	announce(pairing, 2, &parts);
	push(pairing, CHAN_CONSUMER_GONE, 0x10002);
	expect_closed(pairing);
	free_parts(&parts);
}

/* before a record asks for it */
static void expect_refusal(struct pairing *pairing, uint32_t token, unsigned int fd_count)
{
	struct parts parts = make_parts(4096);

	connect_pair(pairing);
	send_parcel(pairing, token, parts.fds, fd_count);
	expect_closed(pairing);
	free_parts(&parts);
}

static void parcels_of_wrong_size_close_the_connection(void **state)
{
	expect_refusal(*state, 2, 2);
}

/* Whoever opens it has room for one descriptor. */
static void answers_of_wrong_size_close_the_connection(void **state)
{
	expect_refusal(*state, ACK | 2, 3);
}

static void parcels_without_end_close_the_connection(void **state)
{
	struct pairing *pairing = *state;
	struct parts parts = make_parts(4096);
	unsigned int i;

	connect_pair(pairing);
	for (i = 0; i < 1000 && !pairing->server_half.closed; i++) {
		send_parcel(pairing, i, &parts.fds[2], 1);
		poll_server(pairing);
		poll_server(pairing);
	}
	pairing_settle(pairing);
	assert_int_equal(pairing->server_half.closed, 1);
	assert_true(i < 100); /* before it had many descriptors */
	free_parts(&parts);
}

/* It never reads what it is sent. Whoever is gone needs no answer. */
static void answers_do_not_pile_up(void **state)
{
	struct pairing *pairing = *state;
	struct parts parts = make_parts(4096);
	unsigned int fds, i;

	connect_pair(pairing);
	failing_ops = *pairing->server_half.chan.link->ops;
	real_send = failing_ops.send;
	failing_ops.send = failing_send;
	failures_left = UINT_MAX;
	pairing->server_half.chan.link->ops = &failing_ops;
	fds = leak_count().fds;
	for (i = 0; i < 100; i++) {
		announce(pairing, i << 16 | 2, &parts);
		push(pairing, CHAN_CONSUMER_GONE, i << 16 | 2);
		poll_server(pairing);
		poll_server(pairing);
	}
	assert_int_equal(pairing->server_half.closed, 0);
	assert_int_equal(leak_count().fds, fds);
	free_parts(&parts);
}

/* Sanitizers leave less room than what is to be tried. */
static void skip_without_room_for(size_t size)
{
	void *space =
		mmap(NULL, size, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

	if (space == MAP_FAILED)
		skip();
	munmap(space, size);
}

/* announces consumers until the connection is closed; how many it bears */
static uint32_t count_windows(struct pairing *pairing, const struct parts *parts)
{
	uint32_t count = 0;

	for (;; count++) {
		announce(pairing, 2 * count + 2, parts);
		pairing_settle(pairing);
		if (pairing->server_half.closed)
			return count;
		assert_true(count < 100);
	}
}

static void windows_without_end_close_the_connection(void **state)
{
	struct pairing *pairing = *state;
	struct parts parts;
	uint32_t id;

	connect_pair(pairing);
	skip_without_room_for(5 * TIB);
	parts = make_parts(TIB);
	for (id = 2; id <= 8; id += 2)
		announce(pairing, id, &parts);
	pairing_settle(pairing);
	assert_int_equal(pairing->server_half.closed, 0);
	/* A place that has been given back can be used again. */
	push(pairing, CHAN_CONSUMER_GONE, 4);
	announce(pairing, 4, &parts);
	pairing_settle(pairing);
	assert_int_equal(pairing->server_half.closed, 0);
	announce(pairing, 10, &parts);
	expect_closed(pairing);
	free_parts(&parts);
}

/* Many that take what they can leave room for others. */
static void connections_share_the_address_space(void **state)
{
	struct pairing first, second;
	struct parts parts;
	uint32_t id;

	(void)state;
	skip_without_room_for(10 * TIB);
	pairing_init(&first);
	parts = make_parts(TIB);
	connect_pair(&first);
	for (id = 2; id <= 8; id += 2)
		announce(&first, id, &parts);
	pairing_settle(&first);
	assert_int_equal(first.server_half.closed, 0);
	pairing_init(&second);
	connect_pair(&second);
	assert_int_equal(count_windows(&second, &parts), 3);
	assert_true(pairing_fini(&second));
	/* When the first one has gone there is room for four again. */
	free_parts(&parts);
	assert_true(pairing_fini(&first));
	pairing_init(&second);
	parts = make_parts(TIB);
	connect_pair(&second);
	assert_int_equal(count_windows(&second, &parts), 4);
	free_parts(&parts);
	assert_true(pairing_fini(&second));
}

static void answers_that_nobody_waits_for_change_nothing(void **state)
{
	struct pairing *pairing = *state;
	struct player player;
	int bell, before;

	connect_pair(pairing);
	assert_ok(priv_bell_create(&bell));
	player_init(&player, pairing);
	player_start(&player);
	pairing_settle(pairing);
	before = player.consumer.post_bell;
	/* one more for this start, and one for none */
	send_parcel(pairing, ACK | player.consumer.user.key, &bell, 1);
	push(pairing, CHAN_CONSUMER_ACK, player.consumer.user.key);
	send_parcel(pairing, ACK | 0x50001, &bell, 1);
	push(pairing, CHAN_CONSUMER_ACK, 0x50001);
	pairing_settle(pairing);
	assert_int_equal(pairing->server_half.closed, 0);
	assert_int_equal(player.consumer.post_bell, before);
	assert_int_equal(player.notices, 1);
	player_stop(&player);
	player_fini(&player);
	close(bell);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(a_consumer_becomes_known_and_is_forgotten),
		TEST(both_have_the_same_bell),
		TEST(each_start_is_answered_for_itself),
		TEST(the_answer_goes_where_the_consumer_is_told_of),
		TEST(announcements_wait_for_room_in_the_ring),
		TEST(descriptors_that_cannot_be_sent_now_are_sent_later),
		TEST(both_sides_can_tell_how_windows_work),
		TEST(all_are_told_when_the_connection_is_lost),
		TEST(nobody_begins_while_it_is_closing),
		TEST(children_do_not_miss_who_creates_them_in_the_parent),
		cmocka_unit_test(the_limit_is_named_when_it_is_why),
		TEST(a_consumer_that_has_not_been_told_of_is_given_up),
		cmocka_unit_test(impossible_keys_close_the_connection),
		TEST(two_consumers_of_one_id_close_the_connection),
		TEST(forgetting_another_start_closes_the_connection),
		TEST(parcels_of_wrong_size_close_the_connection),
		TEST(answers_of_wrong_size_close_the_connection),
		TEST(parcels_without_end_close_the_connection),
		TEST(answers_do_not_pile_up),
		TEST(windows_without_end_close_the_connection),
		cmocka_unit_test(connections_share_the_address_space),
		TEST(answers_that_nobody_waits_for_change_nothing),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
