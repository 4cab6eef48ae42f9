/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The current party: one for the process, unless a thread has switched to another.
 */
#include "topo/party.h"

static struct party process_party;
static _Thread_local struct party *thread_party;

struct party *priv_party_current(void)
{
	return thread_party ? thread_party : &process_party;
}

struct party *priv_party_switch(struct party *party)
{
	struct party *before = thread_party;

	thread_party = party;
	return before;
}
