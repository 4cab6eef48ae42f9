/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Keep alive: hosts that have promised to be heard and are not lose their controller. Base 3.9
 */
#include "nvmf/ctrlr.h"

#define MS 1000000ull

#define KATO_UNIT_MS 1000u /* what Identify announces as KAS */

/* A check that comes so late means that we slept, not the host: a stopped process, a paused
 * machine. What it has sent meanwhile we have not seen yet. */
#define WE_SLEPT_NS (20 * MS)
#define NOTICE_NS   (20 * MS)

/* how long a host may keep a controller that it has reset or shut down: F17 */
#define IDLE_MS 120000u

#define GRACE_MAX_MS 500u

/*
 * Looking once a second is what makes a gap tell-tale. How much of it we slept before the next look
 * was due is not known: for hosts that promise to be heard often it has to be less.
 */
#define LOOK_NS		(1000 * MS)
#define LOOKS_IN_A_KATO 5u

static uint64_t lesser(uint64_t a, uint64_t b)
{
	return a < b ? a : b;
}

/* UINT64_MAX: never */
static uint64_t deadline(const struct nvmf_ctrlr *ctrlr)
{
	uint64_t kato = ctrlr->kato_ms;

	if (ctrlr->idle)
		return ctrlr->heard_ns + IDLE_MS * MS;
	if (!kato)
		return UINT64_MAX;
	/*
	 * A host that has lost us counts on the end of its controller one time-out after we have
	 * heard it last: Base 9.6.2. A little more is for the way of its next Keep Alive.
	 */
	return ctrlr->heard_ns + (kato + lesser(kato / 10, GRACE_MAX_MS)) * MS;
}

/* when it has to be looked at; UINT64_MAX: never */
static uint64_t look(const struct nvmf_ctrlr *ctrlr)
{
	uint64_t due_ns = deadline(ctrlr), wait_ns = LOOK_NS;

	if (!ctrlr->idle)
		wait_ns = lesser(wait_ns, ctrlr->kato_ms * MS / LOOKS_IN_A_KATO);
	return due_ns == UINT64_MAX ? due_ns
				    : lesser(due_ns, ctrlr->subsys->target->now_ns + wait_ns);
}

void nvmf_keepalive_heard(struct nvmf_ctrlr *ctrlr)
{
	if (!ctrlr->idle)
		ctrlr->heard_ns = ctrlr->subsys->target->now_ns;
	ctrlr->notice_ns = 0;
}

/* It is due sooner than was known, or at all: others are looked at when their time comes. */
static void look_by_deadline(const struct nvmf_ctrlr *ctrlr)
{
	struct nvmf_target *target = ctrlr->subsys->target;

	target->due_ns = lesser(target->due_ns, look(ctrlr));
}

void nvmf_target_look_by(struct nvmf_target *target, uint64_t due_ns)
{
	target->due_ns = lesser(target->due_ns, lesser(due_ns, target->now_ns + LOOK_NS));
}

void nvmf_keepalive_set(struct nvmf_ctrlr *ctrlr, uint32_t kato_ms)
{
	if (kato_ms > UINT32_MAX - KATO_UNIT_MS)
		kato_ms = UINT32_MAX - KATO_UNIT_MS;
	ctrlr->kato_ms = (kato_ms + KATO_UNIT_MS - 1) / KATO_UNIT_MS * KATO_UNIT_MS;
	nvmf_keepalive_heard(ctrlr);
	look_by_deadline(ctrlr);
}

void nvmf_keepalive_set_idle(struct nvmf_ctrlr *ctrlr, bool idle)
{
	ctrlr->idle = idle;
	ctrlr->notice_ns = 0;
	ctrlr->heard_ns = ctrlr->subsys->target->now_ns;
	look_by_deadline(ctrlr);
}

static void expire(struct nvmf_ctrlr *ctrlr)
{
	const char *why =
		ctrlr->idle ? "the host does not use its controller" : "keep alive timer expired";

	ctrlr->csts |= NVME_CSTS_CFS;
	ctrlr->idle = false;
	ctrlr->kato_ms = 0;
	nvmf_ctrlr_disconnect(ctrlr, why);
}

/*
 * late: for how long we slept. A host whose deadline has passed meanwhile gets a little time in
 * which what it has sent is read, but not again and again. Returns when to look at those that are
 * left.
 */
static uint64_t check(struct nvmf_subsys *subsys, uint64_t now, uint64_t late)
{
	uint64_t next = UINT64_MAX;
	struct list_node *node, *tmp;

	list_for_each_safe (node, tmp, &subsys->ctrlrs) {
		struct nvmf_ctrlr *ctrlr = container_of(node, struct nvmf_ctrlr, node);
		uint64_t step_ns = nvmf_auth_look(ctrlr, now, late);

		if (step_ns != UINT64_MAX)
			next = lesser(next, lesser(step_ns, now + LOOK_NS));
		ctrlr->heard_ns += late;
		if (nvmf_ctrlr_is_owed_proof(ctrlr)) { /* its next step has a time-out */
			nvmf_keepalive_heard(ctrlr);
			continue;
		}
		if (late && !ctrlr->notice_ns && deadline(ctrlr) <= now)
			ctrlr->notice_ns = now + NOTICE_NS;
		if (deadline(ctrlr) > now)
			next = lesser(next, look(ctrlr));
		else if (ctrlr->notice_ns > now)
			next = lesser(next, ctrlr->notice_ns);
		else
			expire(ctrlr);
	}
	return next;
}

uint64_t nvmf_target_tick(struct nvmf_target *target, uint64_t now_ns)
{
	bool slept =
		target->due_ns && now_ns > target->due_ns && now_ns - target->due_ns > WE_SLEPT_NS;
	uint64_t late = slept ? now_ns - target->due_ns : 0;
	uint64_t next = UINT64_MAX;
	struct list_node *node;

	target->now_ns = now_ns;
	if (now_ns < target->due_ns) /* with every command: there may be many controllers */
		return target->due_ns;
	list_for_each (node, &target->subsystems) {
		uint64_t its = check(container_of(node, struct nvmf_subsys, node), now_ns, late);

		if (its < next)
			next = its;
	}
	target->due_ns = next;
	return next;
}
