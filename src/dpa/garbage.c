/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Objects that the program has destroyed, and DPA code may still have handles of: programs destroy
 * what a thread uses, then the thread, which may have been triggered a moment before. They are kept
 * until no DPA code can run: neither a started thread's nor a kernel's, of any DPA.
 *
 * Under priv_fork_hold(), so that a child of fork() finds it in order.
 */
#include "base/fork.h"
#include "dpa/dpa.h"

static unsigned int num_holds;
static struct dpa_garbage *kept;

void garbage_hold(void)
{
	priv_fork_hold();
	num_holds++;
	priv_fork_release();
}

void garbage_let_go(void)
{
	struct dpa_garbage *garbage = NULL;

	priv_fork_hold();
	if (!--num_holds) {
		garbage = kept;
		kept = NULL;
	}
	priv_fork_release();
	while (garbage) {
		struct dpa_garbage *next = garbage->next;

		garbage->release(garbage);
		garbage = next;
	}
}

void garbage_discard(struct dpa_garbage *garbage)
{
	bool is_free;

	priv_fork_hold();
	is_free = !num_holds;
	if (!is_free) {
		garbage->next = kept;
		kept = garbage;
	}
	priv_fork_release();
	if (is_free)
		garbage->release(garbage);
}
