/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * One command of a host, from its capsule to its response; see cmd_next for the ways it may go.
 */
#ifndef SOFTFIELD_STA_CMD_H
#define SOFTFIELD_STA_CMD_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include "base/list.h"
#include "nvme/spec.h"
#include "nvmf/capsule.h"
#include "sta/mbox.h"
#include "sta/mem.h"

struct sta_beq;
struct sta_eu;
struct sta_ns;
struct sta_op;
struct sta_qp;

#define STA_IN_CAPSULE 8192u /* bytes of data with a command: what every host may assume */

enum sta_cmd_state {
	CMD_FREE,
	CMD_WAIT_BUFFER, /* all data buffers are out */
	CMD_FETCHING,	 /* data comes from the host */
	CMD_WAIT_HALF,	 /* the other half of a fused command has not come, or its data */
	CMD_WAIT_QUEUE,	 /* the back-end queue is full */
	CMD_REMOTE,	 /* another EU has it */
	CMD_EXECUTING,	 /* the disk has it */
	CMD_WAIT_APP,	 /* the application has as many as it may have */
	CMD_APP,	 /* the application has it */
	CMD_RESPONDING,
	CMD_STATE_COUNT,
};

/* What the host has to do before a command of the application's can end. */
enum sta_owed {
	STA_OWED_NOTHING,
	STA_OWED_DATA,	  /* to send it */
	STA_OWED_READING, /* to read the answer */
};

struct sta_cmd {
	struct mbox_msg msg;
	struct list_node node; /* in qp->wait_buffer, qp->wait_app, beq->waiting, qp->free */
	struct sta_qp *qp;
	enum sta_cmd_state state;
	uint16_t index;
	bool is_connect, offloaded, is_half;
	bool to_admin, to_no_sq_flow; /* of Connect: what the queue will be if that succeeds */
	bool in_app_count;	      /* one of qp->in_app */
	enum sta_owed owed;	      /* one of qp->owing unless it is nothing */
	_Atomic uint32_t generation;  /* see cmd_token() */
	uint64_t told; /* the token that the application has; its thread alone knows this */
	struct nvme_cmd sqe;
	struct capsule_data where; /* what the SGL says */
	struct nvme_cqe cqe;
	struct sta_buf *buf;	  /* data: &in_capsule, one of the pool's, or NULL */
	uint32_t size;		  /* bytes of data that move */
	uint32_t in_capsule_size; /* bytes that came with the command */
	uint16_t receive_status;  /* they did not come well: answer with this */
	bool quarantined;	  /* the buffer stays with the back-end queue */
	struct sta_ns *ns;
	struct sta_beq *beq;
	struct sta_op *op;	   /* the application's task */
	struct sta_cmd *partner;   /* of a half: the other one, if it has come */
	uint16_t half_status;	   /* CMD_WAIT_HALF: why it cannot be executed, or success */
	struct sta_buf in_capsule; /* without data: the slot is not used */
};

/* Relaxed: the EU alone writes it; a program with an old token may look, and is checked later. */
static inline uint32_t cmd_generation(const struct sta_cmd *cmd)
{
	return atomic_load_explicit(&cmd->generation, memory_order_relaxed);
}

/* From here on its token is old. */
static inline void cmd_end_generation(struct sta_cmd *cmd)
{
	atomic_store_explicit(&cmd->generation, cmd_generation(cmd) + 1, memory_order_relaxed);
}

/* fabrics -> commands */
void cmd_received(struct sta_cmd *cmd);
/* status other than success: the data is not there and the command is answered with it */
void cmd_fetched(struct sta_cmd *cmd, uint16_t status);
/* the response has left, or never will */
void cmd_responded(struct sta_cmd *cmd, bool sent);
/* back ends -> commands; in the owner EU of cmd->beq */
void cmd_executed(struct sta_cmd *cmd, uint16_t status, uint32_t dw0, uint32_t dw1);
/* submits it; from the waiting list of its queue */
void cmd_retry_queue(struct sta_cmd *cmd);
/* buffers have come back; returns how many commands go on */
unsigned int cmd_retry_buffers(struct sta_eu *eu);

#endif
