/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Links of the current party, whatever transport it uses.
 */
#include "link/link.h"

#include "link/shm.h"
#include "topo/party.h"

static const struct link_ops *current_ops(void)
{
	const struct party *party = priv_party_current();

	return party->link_ops ? party->link_ops : &shm_link_ops;
}

doca_error_t priv_link_listen(struct poll_group *group, const struct link_addr *addr,
			      const struct link_listener_handler *handler, void *owner,
			      struct link_listener **ret_listener)
{
	const struct link_ops *ops = current_ops();
	struct link_listener *listener;
	doca_error_t err;

	err = ops->listen(group, addr, &listener);
	if (err)
		return err;
	listener->ops = ops;
	listener->group = group;
	listener->addr = *addr;
	listener->handler = handler;
	listener->owner = owner;
	*ret_listener = listener;
	return DOCA_SUCCESS;
}

doca_error_t priv_link_connect(struct poll_group *group, const struct link_addr *addr,
			       const struct link_handler *handler, void *owner,
			       struct link **ret_link)
{
	const struct link_ops *ops = current_ops();
	struct link *link;
	doca_error_t err;

	err = ops->connect(group, addr, &link);
	if (err)
		return err;
	link->ops = ops;
	link->group = group;
	link->handler = handler;
	link->owner = owner;
	*ret_link = link;
	return DOCA_SUCCESS;
}

void priv_link_explain(const struct link_addr *addr, char *text, size_t size)
{
	current_ops()->explain(addr, text, size);
}
