/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Namespaces of subsystems: a hash table that one thread changes while EUs read it. A reader finds
 * a namespace or it does not; one that has been taken out lives until every EU has said that it has
 * let go.
 */
#include "sta/ns.h"

#include <stdlib.h>
#include "base/debug.h"
#include "base/pow2.h"
#include "sta/beq.h"
#include "sta/fabric.h"

static _Atomic(struct sta_ns *) *bucket_of(struct sta_subsys *subsys, uint32_t nsid)
{
	return &subsys->buckets[nsid % STA_NS_BUCKETS];
}

void sta_subsys_init(struct sta_subsys *subsys, struct sta_engine *engine)
{
	uint32_t i;

	subsys->engine = engine;
	subsys->ns_count = 0;
	for (i = 0; i < STA_NS_BUCKETS; i++)
		atomic_init(&subsys->buckets[i], NULL);
}

struct sta_ns *sta_ns_find(const struct sta_subsys *subsys, uint32_t fe_nsid)
{
	/* Acquire: pairs with the release in sta_ns_add(). */
	struct sta_ns *ns = atomic_load_explicit(&subsys->buckets[fe_nsid % STA_NS_BUCKETS],
						 memory_order_acquire);

	while (ns && ns->fe_nsid != fe_nsid)
		ns = atomic_load_explicit(&ns->next, memory_order_acquire);
	return ns;
}

doca_error_t sta_ns_add(struct sta_subsys *subsys, uint32_t fe_nsid, uint32_t block_size,
			uint32_t be_nsid, struct sta_be *be, struct sta_ns **ret_ns)
{
	_Atomic(struct sta_ns *) *bucket = bucket_of(subsys, fe_nsid);
	struct sta_ns *ns;

	if (block_size < 512 || block_size > 65536 || !is_pow2(block_size))
		return DOCA_ERROR_INVALID_VALUE;
	if (sta_ns_find(subsys, fe_nsid))
		return DOCA_ERROR_ALREADY_EXIST;
	ns = aligned_alloc(_Alignof(struct sta_ns), sizeof(*ns));
	if (!ns)
		return DOCA_ERROR_NO_MEMORY;
	*ns = (struct sta_ns){
		.subsys = subsys,
		.fe_nsid = fe_nsid,
		.be_nsid = be_nsid,
		.block_shift = (unsigned int)__builtin_ctz(block_size),
		.be = be,
	};
	atomic_init(&ns->next, atomic_load_explicit(bucket, memory_order_relaxed));
	/* Release: pairs with the acquire in sta_ns_find(). */
	atomic_store_explicit(bucket, ns, memory_order_release);
	subsys->ns_count++;
	be->ns_count++;
	*ret_ns = ns;
	return DOCA_SUCCESS;
}

static void unlink_ns(struct sta_ns *ns)
{
	_Atomic(struct sta_ns *) *at = bucket_of(ns->subsys, ns->fe_nsid);
	struct sta_ns *other;

	while ((other = atomic_load_explicit(at, memory_order_relaxed)) != ns)
		at = &other->next;
	/* Release: what follows in the chain was published by whoever linked it. */
	atomic_store_explicit(at, atomic_load_explicit(&ns->next, memory_order_relaxed),
			      memory_order_release);
	ns->subsys->ns_count--;
}

static void let_go(struct sta_ns *ns)
{
	struct sta_ns_removal *removal = ns->removal;

	/* Acquire and release: the last one sees all that the others did. */
	if (atomic_fetch_sub_explicit(&removal->missing, 1, memory_order_acq_rel) != 1)
		return;
	if (removal->reply)
		mbox_post(removal->reply, &removal->done, removal->deliver);
	else
		sem_post(removal->waiter);
}

/* Only the disk may hold up a removal: what waits for its host or a buffer is refused later. */
static void detach_waiting(struct sta_eu *eu, struct sta_ns *ns)
{
	struct list_node *node;
	uint32_t i;

	list_for_each (node, &eu->qps) {
		struct sta_qp *qp = container_of(node, struct sta_qp, node);

		for (i = 0; i < qp->cmd_count; i++) {
			struct sta_cmd *cmd = qp_cmd(qp, i, qp->fabric->cmd_size);
			bool waits = cmd->state == CMD_FETCHING || cmd->state == CMD_WAIT_BUFFER;

			if (cmd->ns == ns && waits) {
				cmd->ns = NULL;
				ns->use[eu->index].inflight--;
			}
		}
	}
}

/* EU: from now on no command that arrives finds the namespace */
static void removal_seen(struct mbox_msg *msg)
{
	struct sta_ns_letter *letter = container_of(msg, struct sta_ns_letter, msg);
	struct sta_ns_use *use = &letter->ns->use[letter->eu->index];

	detach_waiting(letter->eu, letter->ns);
	if (use->inflight)
		use->removing = true; /* the last command lets go */
	else
		let_go(letter->ns);
}

void sta_ns_remove(struct sta_ns *ns, struct sta_ns_removal *removal)
{
	struct sta_engine *engine = ns->subsys->engine;
	uint16_t i;

	unlink_ns(ns);
	ns->removal = removal;
	atomic_init(&removal->missing, engine->eu_count);
	for (i = 0; i < engine->eu_count; i++) {
		struct sta_ns_letter *letter = &removal->letters[i];

		letter->ns = ns;
		letter->eu = &engine->eus[i];
		mbox_post(&letter->eu->inbox, &letter->msg, removal_seen);
	}
}

void sta_ns_release(struct sta_cmd *cmd)
{
	struct sta_ns *ns = cmd->ns;
	struct sta_ns_use *use;

	if (!ns)
		return;
	cmd->ns = NULL;
	use = &ns->use[cmd->qp->eu->index];
	debug_assert(use->inflight);
	if (--use->inflight == 0 && use->removing)
		let_go(ns);
}

void sta_ns_free(struct sta_ns *ns)
{
	ns->be->ns_count--; /* until now EUs may have looked at it */
	free(ns);
}
