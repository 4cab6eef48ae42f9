/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Work that the application's threads hand to an EU.
 */
#include "sta/op.h"

#include <semaphore.h>
#include "sta/engine.h"

struct call {
	struct mbox_msg msg;
	struct sta_eu *eu;
	void (*fn)(struct sta_eu *eu, void *arg);
	void *arg;
	sem_t done;
};

static void execute_call(struct mbox_msg *msg)
{
	struct call *call = container_of(msg, struct call, msg);

	call->fn(call->eu, call->arg);
	sem_post(&call->done);
}

void sta_eu_call(struct sta_eu *eu, void (*fn)(struct sta_eu *eu, void *arg), void *arg)
{
	struct call call = {.eu = eu, .fn = fn, .arg = arg};

	if (eu->engine->is_inherited)
		return;
	sem_init(&call.done, 0, 0);
	mbox_post(&eu->inbox, &call.msg, execute_call);
	while (sem_wait(&call.done))
		; /* EINTR */
	sem_destroy(&call.done);
}

static void deliver_op(struct mbox_msg *msg)
{
	struct sta_op *op = container_of(msg, struct sta_op, msg);

	op->done(op);
}

void sta_op_finish(struct sta_op *op, doca_error_t result)
{
	op->result = result;
	mbox_post(op->reply, &op->msg, deliver_op);
}
