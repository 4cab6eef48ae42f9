/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Queue pairs: a connection of a host, with its commands. fabric.h says how they get there.
 */
#ifndef SOFTFIELD_STA_QP_H
#define SOFTFIELD_STA_QP_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "base/list.h"
#include "doca_error.h"
#include "softfield_sta.h"
#include "sta/cmd.h"
#include "sta/mbox.h"

/* namespaces that one queue pair can be refused have lower numbers or this one */
#define STA_HIDDEN_NSID_MAX 1024u

struct fabric_ops;
struct sta_allocator;
struct sta_buf;
struct sta_engine;
struct sta_eu;
struct sta_op;
struct sta_qp;
struct sta_subsys;

enum sta_qp_state { QP_NEW, QP_LIVE, QP_ERROR, QP_CLOSED, QP_STATE_COUNT };

/* What the application's side is told, in its own thread. */
struct sta_qp_up {
	void (*command)(struct sta_cmd *cmd);
	void (*failed)(struct sta_qp *qp);
};

struct sta_qp_error {
	uint32_t operation, syndrome, vendor;
};

struct sta_qp {
	const struct fabric_ops *fabric;
	struct sta_eu *eu;
	struct list_node node; /* in eu->qps */
	enum sta_qp_state state;
	uint32_t id;
	_Atomic uint16_t index; /* among those of its EU */
	/* commands */
	void *cmds; /* array; elements of fabric->cmd_size */
	uint32_t cmd_count;
	uint8_t *in_capsule; /* what cmds have in theirs, in one piece */
	struct list_node free;
	struct sta_cmd *half;	 /* of a fused command, whose other one is to come next */
	uint32_t busy;		 /* commands that neither are free nor belong to the application */
	uint32_t bufs;		 /* of the pool that its commands hold */
	uint32_t in_app;	 /* its commands that are counted in eu->app_count */
	uint32_t owing;		 /* the application's commands that wait for the host */
	uint32_t unread;	 /* those of them whose answers it has to read */
	uint32_t owing_bytes;	 /* that have moved since */
	uint64_t owing_ns;	 /* when it last did enough about them, or there were none */
	struct sta_buf *brought; /* one more for the pool, until the EU has it */
	struct list_node wait_buffer;	/* commands, in their order */
	struct list_node wait_node;	/* in eu->wait_buffer while there are any */
	struct list_node wait_app;	/* commands, in their order */
	struct list_node wait_app_node; /* in eu->wait_first or wait_more while there are any */
	/* NVMe */
	_Atomic(const struct sta_subsys *) subsys;
	_Atomic uint64_t hidden[STA_HIDDEN_NSID_MAX / 64 + 1]; /* a bit for each front-end nsid */
	_Atomic uint32_t sq_entries;			       /* 0: not set yet */
	uint16_t sqhd;
	uint32_t outstanding; /* taken, no response begun */
	uint32_t since_head;  /* taken, and not passed by the head that a response has told */
	bool no_sq_flow, is_admin;
	bool connected; /* Connect has succeeded */
	_Atomic bool established;
	uint64_t deadline_ns; /* of the set-up */
	/* application */
	const struct sta_qp_up *up;
	struct mbox *inbox;
	struct mbox_msg failed_msg, add_msg, reap_msg;
	struct sta_op *disconnect;
	struct sta_qp_error error;
	_Atomic bool failed;
	void *user;
};

/*
 * Relaxed: a place is hidden before another namespace is added there, and whoever has found that
 * namespace, in sta_ns_find(), sees what was before.
 */
static inline bool qp_hides(const struct sta_qp *qp, uint32_t nsid)
{
	return nsid <= STA_HIDDEN_NSID_MAX &&
	       atomic_load_explicit(&qp->hidden[nsid / 64], memory_order_relaxed) >> nsid % 64 & 1;
}

static inline struct sta_cmd *qp_cmd(const struct sta_qp *qp, uint32_t index, size_t cmd_size)
{
	return (void *)((char *)qp->cmds + index * cmd_size);
}

/* What the application has for a command: no other one has it, of whatever queue pair. */
static inline uint64_t cmd_token(const struct sta_cmd *cmd)
{
	return (uint64_t)cmd_generation(cmd) << 32 | (uint32_t)(uint16_t)cmd->qp->id << 16 |
	       cmd->index;
}

/* Relaxed: the EU gives it out; programs that ask get a number and nothing with it. */
static inline uint16_t sta_qp_index(const struct sta_qp *qp)
{
	return atomic_load_explicit(&qp->index, memory_order_relaxed);
}

/* memory for a queue pair of the given fabric, in whose structure it is the first member */
doca_error_t sta_qp_create(struct sta_engine *engine, const struct fabric_ops *fabric,
			   const struct sta_qp_up *up, struct mbox *inbox, struct sta_qp **ret_qp);
/* hands it to its EU, which starts to receive */
void sta_qp_start(struct sta_qp *qp);
/* from the application: commands received so far and from now on may be executed */
void sta_qp_set_established(struct sta_qp *qp);
/* asynchronous; op->result. Commands in hand are finished or dropped first. */
void sta_qp_disconnect(struct sta_qp *qp, struct sta_op *op);
/* Disconnected, or never started. May wait for the program's other threads: librdmacm does. */
void sta_qp_close(struct sta_qp *qp);
/* after that; the engine reuses the memory */
void sta_qp_free(struct sta_qp *qp);
/* gives that back: the engine is being stopped */
void sta_qp_release_memory(struct sta_qp *qp, const struct sta_allocator *allocator);

/* EU: */
/* the next free command; NULL: the host has more outstanding than there are slots */
static inline struct sta_cmd *qp_take_cmd(struct sta_qp *qp)
{
	struct list_node *node = list_pop(&qp->free);

	return node ? container_of(node, struct sta_cmd, node) : NULL;
}

static inline void qp_give_cmd(struct sta_cmd *cmd)
{
	if (cmd->in_capsule.data)			   /* else see quarantine_in_capsule() */
		list_add_head(&cmd->qp->free, &cmd->node); /* its memory is in the cache */
}

/* operation: SOFTFIELD_STA_*, where the other two are explained */
void qp_fail(struct sta_qp *qp, uint32_t operation, uint32_t syndrome, uint32_t vendor);
void qp_check_drained(struct sta_qp *qp);

/*
 * Is a place among the application's commands kept for it? Commands of admin queues need none, and
 * a connection that has not sent Connect may never have any.
 */
static inline bool qp_is_owed_place(const struct sta_qp *qp)
{
	return qp->connected && !qp->is_admin && !qp->in_app;
}

static inline bool qp_is_executing(const struct sta_qp *qp)
{
	return qp->state == QP_LIVE;
}

#endif
