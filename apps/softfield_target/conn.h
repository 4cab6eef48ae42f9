/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Connections between their files: conn.c decides what becomes of commands, answer.c moves answers
 * and data.
 */
#ifndef SOFTFIELD_TARGET_CONN_H
#define SOFTFIELD_TARGET_CONN_H

#include "target.h"

struct cmd;

/* Tasks of one kind. */
struct conn_tasks {
	doca_error_t (*alloc)(struct cmd *cmd, struct doca_sta_producer_task_send **ret_task);
	unsigned int count;	   /* under way */
	struct list_node waiting;  /* commands that found too many */
	struct list_node node;	   /* in without */
	struct list_node *without; /* the target's: who found the library without */
};

struct conn {
	struct nvmf_queue queue;
	struct list_node node; /* in target->conns */
	struct target *target;
	struct served_port *port;
	struct doca_sta_qp_handle *qp;
	int sock;		  /* the library's; -1: not TCP */
	unsigned int busy;	  /* tasks and disk commands under way */
	struct list_node held;	  /* commands that wait for an event */
	struct list_node on_disk; /* commands that a disk has, or that wait for room there */
	struct conn_tasks answers, reads;
	bool sized;    /* the engine knows how large the queue is */
	bool prepared; /* and what it is for */
	bool disconnecting, disconnected;
};

/* one command */
struct cmd {
	struct nvmf_req req;
	struct list_node node;	    /* in one of the lists of spare, held and waiting ones */
	struct list_node disk_node; /* in conn->on_disk */
	struct cmd *pair;	    /* the other half of a fused one that a disk has, or NULL */
	bool is_first;		    /* it leads, and the other one waits or is executed for both */
	struct conn *conn;
	union doca_data token;
	struct served_ns *ns; /* whose disk has it */
	uint8_t cqe[DOCA_STA_COMPLETION_SIZE];
};

/* conn.c */
void conn_execute(struct cmd *cmd);
/* back to the spare ones; the connection may go with it */
void conn_done_with(struct cmd *cmd);
/* why: NULL: not worth mentioning */
void conn_disconnect(struct conn *conn, const char *why);

/* disk.c */
/* a command for cmd->req.ns; ends in an answer */
void disk_execute(struct cmd *cmd);
/* both halves of one */
void disk_execute_fused(struct cmd *first, struct cmd *second);
/* for the protocol layer: a host wants it */
enum nvmf_abort disk_abort(struct nvmf_queue *queue, uint16_t cid);
/* the host has gone: nobody wants what has not been done yet */
void disk_leave_all(struct conn *conn);
/* there may be room in the channel of the namespace's disk */
void disk_start_waiting(struct served_ns *ns);

/* flush.c */
void flush_subsys(struct nvmf_subsys *subsys, uint16_t cntlid);
void flush_start_waiting(struct served_ns *ns);
void flush_drop_waiting(struct served_ns *ns);

/* answer.c */
void conn_register_tasks(struct doca_sta_io *io);
void conn_init_tasks(struct conn *conn);
/* with the request's status and data; ends in conn_done_with() */
void conn_answer(struct cmd *cmd);
/* fetches the host's data; ends in conn_execute() or an answer */
void conn_fetch(struct cmd *cmd);
/* the host has gone: what has not found a task needs none any more */
void conn_drop_unanswered(struct conn *conn);

#endif
