/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Commands that the application has: its places among them, and what it wants of them.
 */
#ifndef SOFTFIELD_STA_CMD_APP_H
#define SOFTFIELD_STA_CMD_APP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct sta_cmd;
struct sta_eu;
struct sta_op;
struct sta_qp;

/* places of the application's have become free */
void cmd_retry_places(struct sta_eu *eu);
/* Does any command wait for one? */
bool cmd_places_are_wanted(const struct sta_eu *eu);
/* ends a command of the application's without an answer; false: it is not the application's */
bool cmd_forget(struct sta_cmd *cmd, uint32_t generation);
/* ends the first half of a fused command that waits for the second one; false: no such */
bool cmd_abort_half(struct sta_qp *qp, uint16_t cid);
/* the host has sent or read `size` more bytes of what it owes */
void qp_note_moved(struct sta_qp *qp, size_t size);

/* application -> commands; the op's cmd, generation and qp are set */
void cmd_app_fetch(struct sta_op *op);	 /* data of the host into the payload */
void cmd_app_respond(struct sta_op *op); /* op->cqe, and the payload if with_data */

#endif
