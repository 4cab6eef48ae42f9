/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Making what is served what the configuration says, while it is in use.
 */
#include "target.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/*
 * Namespaces
 */

/* the served one that the configuration means; by its file, or its number */
static struct served_ns *find_ns(const struct served_subsys *subsys, const struct ns_config *config)
{
	struct list_node *node;

	list_for_each (node, &subsys->namespaces) {
		struct served_ns *ns = container_of(node, struct served_ns, node);
		bool same_file = config->path && ns->path && !strcmp(config->path, ns->path);

		if (config->nsid ? ns->nsid == config->nsid && (!config->path || same_file)
				 : same_file)
			return ns;
	}
	return NULL;
}

static void refresh_ns(struct served_ns *ns)
{
	struct softfield_sta_disk_info info;

	if (softfield_sta_disk_rescan(ns->disk) || softfield_sta_disk_get_info(ns->disk, &info))
		return;
	nvmf_ns_resize(ns->ns, info.blocks);
}

static bool apply_namespaces(struct served_subsys *subsys, const struct subsys_config *config)
{
	struct list_node *node, *tmp;
	bool ok = true;

	list_for_each (node, &subsys->namespaces)
		container_of(node, struct served_ns, node)->removing = true;
	list_for_each (node, &config->namespaces) {
		struct served_ns *ns = find_ns(subsys, container_of(node, struct ns_config, node));

		if (ns) {
			ns->removing = false;
			refresh_ns(ns);
		}
	}
	list_for_each_safe (node, tmp, &subsys->namespaces) {
		struct served_ns *ns = container_of(node, struct served_ns, node);

		if (ns->removing)
			served_close_ns(ns);
	}
	list_for_each (node, &config->namespaces) {
		const struct ns_config *ns = container_of(node, struct ns_config, node);

		if (!find_ns(subsys, ns))
			ok &= served_add_ns(subsys, ns);
	}
	return ok;
}

/*
 * Subsystems
 */

static void apply_hosts(struct nvmf_subsys *subsys, const struct subsys_config *config)
{
	struct list_node *node, *tmp;

	list_for_each (node, &config->hosts)
		nvmf_subsys_allow_host(subsys, container_of(node, struct nvmf_host, node)->nqn);
	nvmf_subsys_allow_any_host(subsys, config->allow_any_host);
	list_for_each_safe (node, tmp, &subsys->hosts) {
		const char *nqn = container_of(node, struct nvmf_host, node)->nqn;
		struct list_node *other;
		bool wanted = false;

		list_for_each (other, &config->hosts)
			wanted |= !strcmp(nqn, container_of(other, struct nvmf_host, node)->nqn);
		if (!wanted)
			nvmf_subsys_disallow_host(subsys, nqn);
	}
}

static struct served_subsys *find_subsys(const struct target *target, const char *nqn)
{
	struct list_node *node;

	list_for_each (node, &target->subsystems) {
		struct served_subsys *subsys = container_of(node, struct served_subsys, node);

		if (!strcmp(subsys->subsys->nqn, nqn))
			return subsys;
	}
	return NULL;
}

static void apply_ana(struct target *target, const struct config *config)
{
	struct list_node *node;
	unsigned int i = 0;
	uint32_t group;

	list_for_each (node, &config->ports) {
		const struct port_config *port = container_of(node, struct port_config, node);

		if (i == target->port_count)
			break;
		for (group = 1; group <= NVMF_ANA_GROUPS; group++)
			if (port->ana[group])
				nvmf_port_set_ana(target->nvmf, target->ports[i].port, group,
						  port->ana[group]);
		i++;
	}
}

/* what the engine answers to reads and writes by itself follows the states of the ports */
static void refresh_ana(struct target *target)
{
	struct list_node *s, *n;
	unsigned int i;

	list_for_each (s, &target->subsystems) {
		const struct served_subsys *subsys = container_of(s, struct served_subsys, node);

		list_for_each (n, &subsys->namespaces) {
			struct served_ns *ns = container_of(n, struct served_ns, node);

			for (i = 0; i < target->port_count; i++)
				softfield_sta_ns_set_refusal(
					ns->handles[i], nvmf_ana_status(nvmf_ns_ana(
								target->ports[i].port, ns->ns)));
		}
	}
}

bool target_apply(struct target *target, const struct config *config)
{
	struct list_node *node, *tmp;
	bool ok = true;

	list_for_each (node, &target->subsystems)
		container_of(node, struct served_subsys, node)->removing = true;
	list_for_each (node, &config->subsystems) {
		const struct subsys_config *wanted = container_of(node, struct subsys_config, node);
		struct served_subsys *subsys = find_subsys(target, wanted->nqn);

		if (!subsys)
			subsys = served_add_subsys(target, wanted);
		if (!subsys) {
			ok = false;
			continue;
		}
		subsys->removing = false;
		apply_hosts(subsys->subsys, wanted);
		ok &= apply_namespaces(subsys, wanted);
	}
	list_for_each_safe (node, tmp, &target->subsystems) {
		struct served_subsys *subsys = container_of(node, struct served_subsys, node);

		if (subsys->removing)
			served_close_subsys(subsys);
	}
	apply_ana(target, config);
	refresh_ana(target);
	return ok;
}
