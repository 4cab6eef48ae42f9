/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Messages between threads: senders push on a stack, the receiver takes the whole stack at once and
 * turns it round. Nothing is ever popped singly, so there is no ABA.
 */
#include "sta/mbox.h"

#include <unistd.h>
#include "base/bell.h"

unsigned int mbox_deliver(struct mbox *mbox)
{
	struct mbox_msg *msg, *next;
	unsigned int count = 0;

	/* Relaxed: only whether it is worth taking; what is there is looked at again soon. */
	if (!atomic_load_explicit(&mbox->head, memory_order_relaxed))
		return 0;
	/* Acquire: pairs with the exchange in mbox_post(). */
	msg = atomic_exchange_explicit(&mbox->head, NULL, memory_order_acquire);
	for (; msg; msg = next) {
		next = msg->next;
		msg->next = mbox->batch;
		mbox->batch = msg;
	}
	while ((msg = mbox->batch)) {
		mbox->batch = msg->next;
		msg->deliver(msg); /* may end the mailbox, and what is in it */
		count++;
	}
	return count;
}

static unsigned int poll_mbox(struct poller *poller)
{
	struct mbox *mbox = container_of(poller, struct mbox, poller);
	struct poller *companion = mbox->companion;
	unsigned int count = mbox_deliver(mbox); /* may end the mailbox */

	if (count && companion)
		priv_poll_group_heat(companion);
	return count;
}

static bool arm(struct poller *poller, bool often)
{
	struct mbox *mbox = container_of(poller, struct mbox, poller);

	(void)often;
	/* Relaxed: the poll group's fence orders it before pending(). */
	atomic_store_explicit(&mbox->sleeping, true, memory_order_relaxed);
	return true;
}

static bool pending(struct poller *poller)
{
	struct mbox *mbox = container_of(poller, struct mbox, poller);

	return atomic_load_explicit(&mbox->head, memory_order_relaxed);
}

static void disarm(struct poller *poller)
{
	struct mbox *mbox = container_of(poller, struct mbox, poller);

	atomic_store_explicit(&mbox->sleeping, false, memory_order_relaxed);
}

static const struct poller_ops mbox_ops = {
	.poll = poll_mbox,
	.arm = arm,
	.pending = pending,
	.disarm = disarm,
};

static void ready(struct watch *watch, uint32_t events)
{
	struct mbox *mbox = container_of(watch, struct mbox, watch);

	(void)events;
	priv_poll_group_heat(&mbox->poller);
}

doca_error_t mbox_init(struct mbox *mbox, struct poll_group *group)
{
	doca_error_t err;

	*mbox = (struct mbox){.poller = {.ops = &mbox_ops}, .watch = {.ready = ready}};
	err = priv_eventfd_create(&mbox->watch.fd);
	if (err)
		return err;
	err = priv_poll_group_watch(group, &mbox->watch, EPOLLIN);
	if (err) {
		close(mbox->watch.fd);
		return err;
	}
	priv_poll_group_add(group, &mbox->poller);
	return DOCA_SUCCESS;
}

void mbox_fini(struct mbox *mbox)
{
	mbox->batch = NULL;
	priv_poll_group_unwatch(mbox->poller.group, &mbox->watch);
	priv_poll_group_remove(&mbox->poller);
	close(mbox->watch.fd);
}

void mbox_post(struct mbox *mbox, struct mbox_msg *msg, void (*deliver)(struct mbox_msg *msg))
{
	struct mbox_msg *head = atomic_load_explicit(&mbox->head, memory_order_relaxed);

	msg->deliver = deliver;
	do
		msg->next = head;
	/*
	 * Sequentially consistent, both: either the barrier after arm() comes first and we see
	 * sleeping, or pending() sees the message. The exchange is a full barrier where that costs
	 * most, so a fence would be a second one.
	 */
	while (!atomic_compare_exchange_weak_explicit(&mbox->head, &head, msg, memory_order_seq_cst,
						      memory_order_relaxed));
	if (atomic_load_explicit(&mbox->sleeping, memory_order_seq_cst) &&
	    atomic_exchange_explicit(&mbox->sleeping, false, memory_order_relaxed))
		priv_eventfd_ring(mbox->watch.fd);
}
