/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Messages to a thread that polls a group. A message is embedded in the object it is about, so
 * posting never fails, allocates or blocks; any thread may post. Messages of one sender arrive in
 * order.
 */
#ifndef SOFTFIELD_STA_MBOX_H
#define SOFTFIELD_STA_MBOX_H

#include <stdatomic.h>
#include "base/poll_group.h"

struct mbox_msg {
	struct mbox_msg *next;
	/* called in the receiving thread; the message belongs to it then */
	void (*deliver)(struct mbox_msg *msg);
};

struct mbox {
	_Atomic(struct mbox_msg *) head; /* newest first */
	_Atomic bool sleeping;
	struct mbox_msg *batch; /* being delivered, oldest first */
	struct poller poller;
	struct watch watch;
	struct poller *companion; /* has work after messages; NULL: none */
};

doca_error_t mbox_init(struct mbox *mbox, struct poll_group *group);
/* what has not been delivered is forgotten */
void mbox_fini(struct mbox *mbox);
void mbox_post(struct mbox *mbox, struct mbox_msg *msg, void (*deliver)(struct mbox_msg *msg));
/* delivers everything that is there; only the receiving thread, and not from a delivery */
unsigned int mbox_deliver(struct mbox *mbox);

#endif
