/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A host's submission queue, of which the target sees only the commands that come: where its head
 * is, and whether the host keeps to what it was told of that. Base 3.3.2.1
 *
 * With flow control a response gives back the entries of all commands that had come by then,
 * answered or not, as long as there are slots; without, only its own.
 */
#ifndef SOFTFIELD_STA_SQ_H
#define SOFTFIELD_STA_SQ_H

#include "sta/qp.h"

/* Relaxed: the application sets it before it answers Connect. 0: not set yet */
static inline uint32_t sq_entries(const struct sta_qp *qp)
{
	return atomic_load_explicit(&qp->sq_entries, memory_order_relaxed);
}

/*
 * A command has come; each one moves the head, Connect, too. False: the host has overrun the queue,
 * which always has an empty entry. Base 3.3.2.1.2
 */
static inline bool sq_take(struct sta_qp *qp)
{
	uint32_t entries = sq_entries(qp);

	if (entries && (qp->no_sq_flow ? qp->outstanding : qp->since_head) + 1 >= entries)
		return false;
	qp->outstanding++;
	qp->since_head++;
	qp->sqhd = (uint16_t)(entries ? (qp->sqhd + 1u) % entries : qp->sqhd + 1u);
	return true;
}

/*
 * Entries of taken commands that the response to one does not give back yet: whoever uses those
 * that it gives finds a slot for each, however many commands stay unanswered.
 */
static inline uint32_t sq_kept_entries(const struct sta_qp *qp)
{
	uint32_t others = qp->outstanding - 1, spare = qp->cmd_count + 1 - sq_entries(qp);

	return others > spare ? others - spare : 0;
}

/* Reserved without flow control, which the response to Connect confirms by FFFFh. */
static inline uint16_t sq_head(const struct sta_cmd *cmd)
{
	const struct sta_qp *qp = cmd->qp;
	uint32_t entries = sq_entries(qp);
	uint32_t head = qp->sqhd, kept = sq_kept_entries(qp);

	if (qp->no_sq_flow)
		return cmd->is_connect ? 0xffff : 0;
	/* what came before Connect had been answered did not know the queue's size */
	if (entries && head >= entries)
		head %= entries;
	return (uint16_t)(head < kept ? head + entries - kept : head - kept);
}

/*
 * A response tells the head. It counts from here on, not from the end of the sending: the host's
 * next command may overtake it.
 */
static inline void sq_answer(struct sta_qp *qp)
{
	qp->since_head = sq_kept_entries(qp);
	qp->outstanding--;
}

/* A command is never answered: no response tells of its entry. */
static inline void sq_forget(struct sta_qp *qp)
{
	qp->outstanding--;
	if (qp->since_head)
		qp->since_head--;
}

#endif
