/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What cmd.c and cmd_app.c share, and what the end of a queue pair (qp.c) does to its commands.
 */
#ifndef SOFTFIELD_STA_CMD_PRIV_H
#define SOFTFIELD_STA_CMD_PRIV_H

#include <assert.h>
#include "sta/cmd_app.h"
#include "sta/engine.h"
#include "sta/fabric.h"
#include "sta/ns.h"
#include "sta/op.h"

#define TO(s) (1u << (s))
extern const unsigned int cmd_next[CMD_STATE_COUNT];

/* held by somebody who is sure to give it back */
static inline bool cmd_counts(enum sta_cmd_state state)
{
	return state != CMD_FREE && state != CMD_APP;
}

static inline void cmd_set_state(struct sta_cmd *cmd, enum sta_cmd_state next)
{
	assert(cmd_next[cmd->state] & TO(next));
	cmd->qp->busy += cmd_counts(next);
	cmd->qp->busy -= cmd_counts(cmd->state);
	cmd->state = next;
}

static inline bool cmd_is_live(const struct sta_cmd *cmd)
{
	return qp_is_executing(cmd->qp);
}

static inline struct sta_eu_counters *cmd_counters(struct sta_cmd *cmd)
{
	return &cmd->qp->eu->counters;
}

/* cmd.c */
void cmd_need_buffer(struct sta_cmd *cmd);
/* what has come with the command, from the start of its memory, is its data */
void cmd_use_in_capsule(struct sta_cmd *cmd);
void cmd_respond(struct sta_cmd *cmd);
/* back to the queue pair */
void cmd_release(struct sta_cmd *cmd);

/* where the data is, if there can be any; 0: fine, else see *location */
uint16_t cmd_find_data(struct sta_cmd *cmd, uint16_t *location);
/* answers with an error, the host's mistake; location: a byte of the command */
void cmd_refuse(struct sta_cmd *cmd, uint16_t status, uint16_t location);
/* what it has of the pool */
void cmd_give_buffer(struct sta_cmd *cmd);

/* cmd_pair.c */
/* a half of a fused command, or what comes instead of one; false: go on as with any other */
bool cmd_take_half(struct sta_cmd *cmd);
/* its data has come, unless the status says why not */
void cmd_half_fetched(struct sta_cmd *cmd, uint16_t status);

/* cmd_app.c */
void cmd_to_app(struct sta_cmd *cmd);
/* what it needs is there */
void cmd_give_to_app(struct sta_cmd *cmd);
/* the application does not have it any more; the next one takes its place */
void cmd_leave_app(struct sta_cmd *cmd);
/* the host has done what it owed of it */
void cmd_stop_waiting(struct sta_cmd *cmd);

#endif
