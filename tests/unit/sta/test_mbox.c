/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Messages between threads: order, wake-ups, many senders.
 */
#include "test.h"

#include <poll.h>
#include <pthread.h>
#include "sta/mbox.h"

struct letter {
	struct mbox_msg msg;
	unsigned int sender, number;
};

static struct letter *got[4];
static unsigned int got_count;

static void note(struct mbox_msg *msg)
{
	got[got_count++] = container_of(msg, struct letter, msg);
}

static void messages_arrive_in_order(void **state)
{
	struct poll_group group;
	struct letter letters[3];
	struct mbox mbox;

	(void)state;
	assert_ok(priv_poll_group_init(&group));
	assert_ok(mbox_init(&mbox, &group));
	got_count = 0;
	assert_int_equal(mbox_deliver(&mbox), 0);
	mbox_post(&mbox, &letters[0].msg, note);
	mbox_post(&mbox, &letters[1].msg, note);
	mbox_post(&mbox, &letters[2].msg, note);
	assert_int_equal(mbox_deliver(&mbox), 3);
	assert_ptr_equal(got[0], &letters[0]);
	assert_ptr_equal(got[1], &letters[1]);
	assert_ptr_equal(got[2], &letters[2]);
	mbox_fini(&mbox);
	priv_poll_group_fini(&group);
}

static void a_message_ends_a_sleep(void **state)
{
	struct poll_group group;
	struct letter letter;
	struct mbox mbox;
	struct pollfd waiting;

	(void)state;
	assert_ok(priv_poll_group_init(&group));
	assert_ok(mbox_init(&mbox, &group));
	got_count = 0;
	assert_true(priv_poll_group_arm(&group));
	waiting = (struct pollfd){.fd = group.epoll_fd, .events = POLLIN};
	assert_int_equal(poll(&waiting, 1, 0), 0);
	mbox_post(&mbox, &letter.msg, note);
	assert_int_equal(poll(&waiting, 1, 0), 1);
	while (!got_count)
		priv_poll_group_poll(&group, 0);
	mbox_post(&mbox, &letter.msg, note);
	assert_false(priv_poll_group_arm(&group)); /* there is work */
	while (got_count < 2)
		priv_poll_group_poll(&group, 0);
	mbox_fini(&mbox);
	priv_poll_group_fini(&group);
}

#define SENDERS 3u
#define LETTERS 20000u

static struct mbox shared;
static struct letter sent[SENDERS][LETTERS];
static unsigned int next_number[SENDERS], total;

static void check_order(struct mbox_msg *msg)
{
	const struct letter *letter = container_of(msg, struct letter, msg);

	assert_int_equal(letter->number, next_number[letter->sender]);
	next_number[letter->sender]++;
	total++;
}

static void *send_all(void *arg)
{
	unsigned int sender = (unsigned int)(uintptr_t)arg, i;

	for (i = 0; i < LETTERS; i++) {
		sent[sender][i].sender = sender;
		sent[sender][i].number = i;
		mbox_post(&shared, &sent[sender][i].msg, check_order);
	}
	return NULL;
}

static void nothing_is_lost_between_threads(void **state)
{
	pthread_t threads[SENDERS];
	struct poll_group group;
	unsigned int i;

	(void)state;
	assert_ok(priv_poll_group_init(&group));
	assert_ok(mbox_init(&shared, &group));
	for (i = 0; i < SENDERS; i++)
		pthread_create(&threads[i], NULL, send_all, (void *)(uintptr_t)i);
	while (total < SENDERS * LETTERS) {
		struct pollfd waiting = {.fd = group.epoll_fd, .events = POLLIN};

		if (!priv_poll_group_poll(&group, 0) && priv_poll_group_arm(&group))
			assert_int_equal(poll(&waiting, 1, 60000), 1);
	}
	for (i = 0; i < SENDERS; i++)
		pthread_join(threads[i], NULL);
	mbox_fini(&shared);
	priv_poll_group_fini(&group);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(messages_arrive_in_order),
		cmocka_unit_test(a_message_ends_a_sleep),
		cmocka_unit_test(nothing_is_lost_between_threads),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
