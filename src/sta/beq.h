/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Back ends: disks, and the NVMe queues to them. Each queue belongs to one EU; those that have none
 * of a disk's own send their commands to one that has.
 */
#ifndef SOFTFIELD_STA_BEQ_H
#define SOFTFIELD_STA_BEQ_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include "base/list.h"
#include "base/poll_group.h"
#include "doca_error.h"
#include "nvme/queue.h"
#include "nvme/vctrl.h"
#include "sta/engine.h"
#include "sta/mbox.h"
#include "sta/mem.h"
#include "sta/null_ring.h"

struct sta_cmd;
struct sta_op;

struct sta_beq_counters {
	uint64_t submitted, completed, errors, full, aborted;
};

struct sta_be {
	struct sta_engine *engine;
	struct list_node queues;  /* application thread */
	struct list_node retired; /* destroyed queues with buffers in quarantine */
	uint32_t queue_count;	  /* with those that are being destroyed */
	uint32_t ns_count;
	/* the queue that each EU uses: its own or somebody else's; NULL: none */
	_Atomic(struct sta_beq *) route[STA_EUS_MAX];
};

/* a descriptor of an emulated controller */
struct sta_beq_watch {
	struct watch watch;
	struct sta_eu *eu;
};

struct sta_beq {
	struct list_node node;	  /* in be->queues */
	struct list_node eu_node; /* in eu->queues */
	struct sta_be *be;
	struct sta_eu *owner;
	struct nvme_queue queue;
	struct vctrl_queue *device; /* an emulated controller that the owner executes; or NULL */
	struct sta_null_ring null_ring;
	struct sta_beq_watch watches[VCTRL_NS_MAX];
	unsigned int watch_count;
	struct list_node waiting;    /* commands that found the queue full */
	struct list_node quarantine; /* see sta_beq_destroy() */
	uint64_t progress_ns;	     /* last completion, or first submission after a pause */
	bool late;		     /* the time-out has been reported */
	_Atomic bool late_queued;    /* late_msg is on its way */
	struct sta_beq_counters counters;
	struct mbox_msg late_msg;
	void *user;
};

/* a buffer that a disk may still write to */
struct sta_quarantined {
	struct list_node node;
	struct sta_pool *pool; /* whose buf is; NULL: it is a slot's */
	struct sta_buf *buf;
	struct sta_buf in_capsule;
};

void sta_be_init(struct sta_be *be, struct sta_engine *engine);
/*
 * device: NULL, or the other end of the rings, to be executed by the owner; is_null: that is a null
 * disk
 */
doca_error_t sta_beq_create(struct sta_be *be, const struct nvme_queue_attr *rings,
			    struct vctrl_queue *device, bool is_null, void *user,
			    struct sta_beq **ret_beq);
/* asynchronous: op->result is set; the engine does not touch rings and doorbells any more */
void sta_beq_destroy(struct sta_beq *beq, struct sta_op *op);
/* after that, when the disk has let go of the buffers, too */
void sta_beq_free(struct sta_beq *beq);
/*
 * after that, when nobody knows about the disk: the buffers stay out until sta_be_release_buffers()
 */
void sta_beq_retire(struct sta_beq *beq);
/* the back end is being destroyed: its disk does not touch anything any more */
void sta_be_release_buffers(struct sta_be *be);

bool sta_beq_submit(struct sta_beq *beq, struct sta_cmd *cmd);
/* nobody wants a command that it has any more; owner EU */
void sta_beq_abort(struct sta_beq *beq, const struct sta_cmd *cmd);
unsigned int sta_beq_poll(struct sta_beq *beq);
/* may the EU sleep although commands are outstanding? */
bool sta_beq_wakes(const struct sta_beq *beq);

#endif
