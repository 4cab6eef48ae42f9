/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Subsystems, namespaces, hosts and ports.
 */
#include "nvmf/ctrlr.h"

#include <stdlib.h>
#include <string.h>
#include "base/pow2.h"

#define NQN_LENGTH_MIN 11u

bool nvmf_nqn_is_valid(const char *nqn)
{
	size_t length = strnlen(nqn, NVME_NQN_SIZE);
	size_t i;

	for (i = 0; i < length; i++)
		if ((unsigned char)nqn[i] < ' ' || nqn[i] == 0x7f)
			return false; /* names are printed */
	return length >= NQN_LENGTH_MIN && length < NVME_NQN_SIZE;
}

static struct nvmf_subsys *make_subsys(struct nvmf_target *target,
				       const struct nvmf_subsys_attr *attr)
{
	struct nvmf_subsys *subsys = calloc(1, sizeof(*subsys));

	if (!subsys)
		return NULL;
	subsys->target = target;
	subsys->allow_any_host = attr->allow_any_host;
	subsys->ana = attr->ana;
	subsys->user = attr->user;
	strcpy(subsys->nqn, attr->nqn);
	strcpy(subsys->serial, attr->serial);
	strcpy(subsys->model, attr->model);
	list_init(&subsys->hosts);
	list_init(&subsys->namespaces);
	list_init(&subsys->ctrlrs);
	list_add_tail(&target->subsystems, &subsys->node);
	return subsys;
}

doca_error_t nvmf_target_create(const struct nvmf_target_attr *attr,
				struct nvmf_target **ret_target)
{
	const struct nvmf_subsys_attr discovery = {.nqn = NVME_DISCOVERY_NQN,
						   .serial = "0",
						   .model = "Softfield discovery",
						   .allow_any_host = true};
	struct nvmf_target *target;

	if (attr->max_queue_entries < 32 || !attr->max_io_queues ||
	    attr->max_transfer < NVME_PAGE_SIZE || !is_pow2(attr->max_transfer))
		return DOCA_ERROR_INVALID_VALUE;
	target = calloc(1, sizeof(*target));
	if (!target)
		return DOCA_ERROR_NO_MEMORY;
	target->attr = *attr;
	list_init(&target->subsystems);
	list_init(&target->ports);
	list_init(&target->auth_work);
	target->discovery = make_subsys(target, &discovery);
	if (!target->discovery) {
		free(target);
		return DOCA_ERROR_NO_MEMORY;
	}
	target->discovery->is_discovery = true;
	*ret_target = target;
	return DOCA_SUCCESS;
}

static void free_host(struct nvmf_host *host)
{
	explicit_bzero(host, sizeof(*host)); /* its keys */
	free(host);
}

static void free_subsys(struct nvmf_subsys *subsys)
{
	struct list_node *node;

	assert(list_is_empty(&subsys->ctrlrs));
	while ((node = list_pop(&subsys->hosts)))
		free_host(container_of(node, struct nvmf_host, node));
	while ((node = list_pop(&subsys->namespaces)))
		free(container_of(node, struct nvmf_ns, node));
	list_remove(&subsys->node);
	free(subsys);
}

void nvmf_target_destroy(struct nvmf_target *target)
{
	struct list_node *node;

	while (!list_is_empty(&target->subsystems))
		free_subsys(container_of(target->subsystems.next, struct nvmf_subsys, node));
	while ((node = list_pop(&target->ports)))
		free(container_of(node, struct nvmf_port, node));
	free(target);
}

/*
 * Ports
 */

static bool port_id_is_taken(const struct nvmf_target *target, uint16_t id)
{
	struct list_node *node;

	list_for_each (node, &target->ports)
		if (container_of(node, struct nvmf_port, node)->id == id)
			return true;
	return false;
}

doca_error_t nvmf_port_add(struct nvmf_target *target, const struct nvmf_port_attr *attr,
			   struct nvmf_port **ret_port)
{
	struct nvmf_port *port;
	uint32_t group;

	if (strlen(attr->traddr) >= NVMF_TRADDR_SIZE || strlen(attr->trsvcid) >= NVMF_TRSVCID_SIZE)
		return DOCA_ERROR_INVALID_VALUE;
	if (port_id_is_taken(target, attr->id))
		return DOCA_ERROR_ALREADY_EXIST;
	port = calloc(1, sizeof(*port));
	if (!port)
		return DOCA_ERROR_NO_MEMORY;
	port->id = attr->id;
	port->trtype = attr->trtype;
	port->adrfam = attr->adrfam;
	strcpy(port->traddr, attr->traddr);
	strcpy(port->trsvcid, attr->trsvcid);
	port->any_addr = !strcmp(attr->traddr, "0.0.0.0") || !strcmp(attr->traddr, "::");
	for (group = 1; group <= NVMF_ANA_GROUPS; group++)
		port->ana[group] = NVMF_ANA_OPTIMIZED;
	list_add_tail(&target->ports, &port->node);
	nvmf_discovery_changed(target);
	*ret_port = port;
	return DOCA_SUCCESS;
}

static bool ana_state_is_valid(enum nvmf_ana_state state)
{
	return (state >= NVMF_ANA_OPTIMIZED && state <= NVMF_ANA_PERSISTENT_LOSS) ||
	       state == NVMF_ANA_CHANGE;
}

doca_error_t nvmf_port_set_ana(struct nvmf_target *target, struct nvmf_port *port, uint32_t group,
			       enum nvmf_ana_state state)
{
	struct list_node *node, *ctrlr_node;

	if (!group || group > NVMF_ANA_GROUPS || !ana_state_is_valid(state))
		return DOCA_ERROR_INVALID_VALUE;
	if (port->ana[group] == state)
		return DOCA_SUCCESS;
	port->ana[group] = state;
	port->ana_changes[group]++;
	list_for_each (node, &target->subsystems) {
		struct nvmf_subsys *subsys = container_of(node, struct nvmf_subsys, node);

		list_for_each (ctrlr_node, &subsys->ctrlrs) {
			struct nvmf_ctrlr *ctrlr =
				container_of(ctrlr_node, struct nvmf_ctrlr, node);

			if (subsys->ana && ctrlr->port == port)
				nvmf_event_raise(ctrlr, NVMF_EVENT_ANA);
		}
	}
	return DOCA_SUCCESS;
}

enum nvmf_ana_state nvmf_group_ana(const struct nvmf_port *port, const struct nvmf_subsys *subsys,
				   uint32_t ana_group)
{
	if (!subsys->ana || !port)
		return NVMF_ANA_OPTIMIZED;
	return port->ana[ana_group ? ana_group : 1];
}

enum nvmf_ana_state nvmf_ns_ana(const struct nvmf_port *port, const struct nvmf_ns *ns)
{
	return nvmf_group_ana(port, ns->subsys, ns->ana_group);
}

uint16_t nvmf_ana_status(enum nvmf_ana_state state)
{
	switch (state) {
	case NVMF_ANA_INACCESSIBLE:
		return NVME_SC_ANA_INACCESSIBLE;
	case NVMF_ANA_PERSISTENT_LOSS:
		return NVME_SC_ANA_PERSISTENT_LOSS;
	case NVMF_ANA_CHANGE:
		return NVME_SC_ANA_TRANSITION;
	default:
		return NVME_SC_SUCCESS;
	}
}

/*
 * Subsystems
 */

struct nvmf_subsys *nvmf_subsys_find(struct nvmf_target *target, const char *nqn)
{
	struct list_node *node;

	list_for_each (node, &target->subsystems) {
		struct nvmf_subsys *subsys = container_of(node, struct nvmf_subsys, node);

		if (!strcmp(subsys->nqn, nqn))
			return subsys;
	}
	return NULL;
}

doca_error_t nvmf_subsys_add(struct nvmf_target *target, const struct nvmf_subsys_attr *attr,
			     struct nvmf_subsys **ret_subsys)
{
	struct nvmf_subsys *subsys;

	if (!nvmf_nqn_is_valid(attr->nqn) || strlen(attr->serial) >= sizeof(subsys->serial) ||
	    strlen(attr->model) >= sizeof(subsys->model))
		return DOCA_ERROR_INVALID_VALUE;
	if (nvmf_subsys_find(target, attr->nqn))
		return DOCA_ERROR_ALREADY_EXIST;
	subsys = make_subsys(target, attr);
	if (!subsys)
		return DOCA_ERROR_NO_MEMORY;
	nvmf_discovery_changed(target);
	*ret_subsys = subsys;
	return DOCA_SUCCESS;
}

doca_error_t nvmf_subsys_remove(struct nvmf_subsys *subsys)
{
	struct nvmf_target *target = subsys->target;
	struct list_node *node, *tmp;

	list_for_each_safe (node, tmp, &subsys->ctrlrs)
		nvmf_ctrlr_disconnect(container_of(node, struct nvmf_ctrlr, node),
				      "the subsystem is being removed");
	if (!list_is_empty(&subsys->ctrlrs))
		return DOCA_ERROR_IN_USE;
	free_subsys(subsys);
	nvmf_discovery_changed(target);
	return DOCA_SUCCESS;
}

static struct nvmf_host *find_host(const struct nvmf_subsys *subsys, const char *nqn)
{
	struct list_node *node;

	list_for_each (node, &subsys->hosts) {
		struct nvmf_host *host = container_of(node, struct nvmf_host, node);

		if (!strcmp(host->nqn, nqn))
			return host;
	}
	return NULL;
}

bool nvmf_subsys_may_connect(const struct nvmf_subsys *subsys, const char *hostnqn)
{
	return subsys->allow_any_host || find_host(subsys, hostnqn);
}

static void disconnect_strangers(struct nvmf_subsys *subsys)
{
	struct list_node *node, *tmp;

	list_for_each_safe (node, tmp, &subsys->ctrlrs) {
		struct nvmf_ctrlr *ctrlr = container_of(node, struct nvmf_ctrlr, node);

		if (!nvmf_subsys_may_connect(subsys, ctrlr->hostnqn))
			nvmf_ctrlr_disconnect(ctrlr, "the host is not allowed any more");
	}
}

void nvmf_subsys_allow_any_host(struct nvmf_subsys *subsys, bool allow)
{
	if (subsys->allow_any_host == allow)
		return;
	subsys->allow_any_host = allow;
	disconnect_strangers(subsys);
	nvmf_discovery_changed(subsys->target);
}

doca_error_t nvmf_subsys_allow_host(struct nvmf_subsys *subsys, const char *nqn)
{
	struct nvmf_host *host;

	if (!nvmf_nqn_is_valid(nqn))
		return DOCA_ERROR_INVALID_VALUE;
	if (find_host(subsys, nqn))
		return DOCA_ERROR_ALREADY_EXIST;
	host = calloc(1, sizeof(*host));
	if (!host)
		return DOCA_ERROR_NO_MEMORY;
	strcpy(host->nqn, nqn);
	nvmf_host_auth_init(&host->auth);
	list_add_tail(&subsys->hosts, &host->node);
	nvmf_discovery_changed(subsys->target);
	return DOCA_SUCCESS;
}

doca_error_t nvmf_subsys_disallow_host(struct nvmf_subsys *subsys, const char *nqn)
{
	struct nvmf_host *host = find_host(subsys, nqn);

	if (!host)
		return DOCA_ERROR_NOT_FOUND;
	list_remove(&host->node);
	free_host(host);
	disconnect_strangers(subsys);
	nvmf_discovery_changed(subsys->target);
	return DOCA_SUCCESS;
}

const struct nvmf_host_auth *nvmf_subsys_host_auth(const struct nvmf_subsys *subsys,
						   const char *hostnqn)
{
	const struct nvmf_host *host = find_host(subsys, hostnqn);

	return host && host->auth.key.size ? &host->auth : NULL;
}

doca_error_t nvmf_subsys_set_host_auth(struct nvmf_subsys *subsys, const char *nqn,
				       const struct nvmf_host_auth *auth)
{
	struct nvmf_host *host = find_host(subsys, nqn);
	struct list_node *node, *tmp;
	bool is_new;

	if (!host)
		return DOCA_ERROR_NOT_FOUND;
	is_new = auth->key.size && !host->auth.key.size;
	host->auth = *auth;
	if (!is_new)
		return DOCA_SUCCESS;
	list_for_each_safe (node, tmp, &subsys->ctrlrs) {
		struct nvmf_ctrlr *ctrlr = container_of(node, struct nvmf_ctrlr, node);

		if (!strcmp(ctrlr->hostnqn, nqn))
			nvmf_ctrlr_disconnect(ctrlr, "the host has a key to prove now");
	}
	return DOCA_SUCCESS;
}

/*
 * Namespaces
 */

struct nvmf_ns *nvmf_ns_find(const struct nvmf_subsys *subsys, uint32_t nsid)
{
	return nsid && nsid <= NVMF_NSID_MAX ? subsys->by_nsid[nsid] : NULL;
}

static void ns_changed(struct nvmf_subsys *subsys, uint32_t nsid)
{
	struct list_node *node;

	list_for_each (node, &subsys->ctrlrs)
		nvmf_event_ns_changed(container_of(node, struct nvmf_ctrlr, node), nsid);
}

static uint32_t lowest_free_nsid(const struct nvmf_subsys *subsys)
{
	uint32_t nsid;

	for (nsid = 1; nsid <= NVMF_NSID_MAX && subsys->by_nsid[nsid]; nsid++)
		;
	return nsid;
}

static void insert_ns(struct nvmf_subsys *subsys, struct nvmf_ns *ns)
{
	struct list_node *node;

	list_for_each (node, &subsys->namespaces)
		if (container_of(node, struct nvmf_ns, node)->nsid > ns->nsid)
			break;
	list_add_tail(node, &ns->node); /* before it */
	subsys->by_nsid[ns->nsid] = ns;
}

doca_error_t nvmf_ns_add(struct nvmf_subsys *subsys, const struct nvmf_ns_attr *attr,
			 struct nvmf_ns **ret_ns)
{
	uint32_t nsid = attr->nsid ? attr->nsid : lowest_free_nsid(subsys);
	struct list_node *node;
	struct nvmf_ns *ns;

	if (attr->block_shift < 9 || attr->block_shift > 16 || attr->ana_group > NVMF_ANA_GROUPS ||
	    attr->nsid > NVMF_NSID_MAX || subsys->is_discovery)
		return DOCA_ERROR_INVALID_VALUE;
	if (nsid > NVMF_NSID_MAX)
		return DOCA_ERROR_FULL;
	if (subsys->by_nsid[nsid])
		return DOCA_ERROR_ALREADY_EXIST;
	ns = calloc(1, sizeof(*ns));
	if (!ns)
		return DOCA_ERROR_NO_MEMORY;
	ns->subsys = subsys;
	ns->nsid = nsid;
	ns->blocks = attr->blocks;
	ns->block_shift = attr->block_shift;
	ns->ana_group = attr->ana_group ? attr->ana_group : 1;
	ns->read_only = attr->read_only;
	ns->write_cache = attr->write_cache;
	ns->oncs = attr->oncs;
	ns->can_fuse = attr->can_fuse && attr->oncs & NVME_ONCS_COMPARE &&
		       1u << attr->block_shift <= subsys->target->attr.max_in_capsule;
	ns->dlfeat = attr->dlfeat;
	ns->user = attr->user;
	memcpy(ns->uuid, attr->uuid, sizeof(ns->uuid));
	memcpy(ns->nguid, attr->uuid, sizeof(ns->nguid));
	insert_ns(subsys, ns);
	list_for_each (node, &subsys->ctrlrs)
		nvmf_place_taken(container_of(node, struct nvmf_ctrlr, node), ns);
	subsys->ana_changes[ns->ana_group]++;
	ns_changed(subsys, nsid);
	*ret_ns = ns;
	return DOCA_SUCCESS;
}

void nvmf_ns_remove(struct nvmf_ns *ns)
{
	struct nvmf_subsys *subsys = ns->subsys;
	uint32_t nsid = ns->nsid;
	struct list_node *node;

	list_for_each (node, &subsys->ctrlrs)
		nvmf_place_left(container_of(node, struct nvmf_ctrlr, node), ns);
	subsys->by_nsid[nsid] = NULL;
	subsys->ana_changes[ns->ana_group]++;
	list_remove(&ns->node);
	free(ns);
	ns_changed(subsys, nsid);
}

void nvmf_ns_resize(struct nvmf_ns *ns, uint64_t blocks)
{
	if (ns->blocks == blocks)
		return;
	ns->blocks = blocks;
	ns_changed(ns->subsys, ns->nsid);
}

void nvmf_ns_has_lost(const struct nvmf_ns *ns)
{
	struct list_node *node;

	list_for_each (node, &ns->subsys->ctrlrs)
		container_of(node, struct nvmf_ctrlr, node)->places[ns->nsid].lost = true;
}

void nvmf_ns_set_identity(struct nvmf_ns *ns, const uint8_t uuid[16], uint32_t ana_group)
{
	struct nvmf_subsys *subsys = ns->subsys;
	bool moved = ns->ana_group != (ana_group ? ana_group : 1);
	struct list_node *node;

	assert(ana_group <= NVMF_ANA_GROUPS);
	if (!moved && !memcmp(ns->uuid, uuid, sizeof(ns->uuid)))
		return;
	subsys->ana_changes[ns->ana_group] += moved;
	ns->ana_group = ana_group ? ana_group : 1;
	subsys->ana_changes[ns->ana_group] += moved;
	memcpy(ns->uuid, uuid, sizeof(ns->uuid));
	memcpy(ns->nguid, uuid, sizeof(ns->nguid));
	ns_changed(subsys, ns->nsid);
	if (!moved || !subsys->ana)
		return;
	list_for_each (node, &subsys->ctrlrs)
		nvmf_event_raise(container_of(node, struct nvmf_ctrlr, node), NVMF_EVENT_ANA);
}
