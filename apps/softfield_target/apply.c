/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Making what is served what the configuration says, while it is in use.
 */
#include "target.h"

#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

/*
 * Namespaces
 */

/* A disk that stays the same stays open, and what is in memory remains. */
static bool is_same_disk(const struct softfield_sta_disk_attr *a,
			 const struct softfield_sta_disk_attr *b)
{
	const uint32_t usual = 512;

	return a->kind == b->kind && a->size == b->size && a->read_only == b->read_only &&
	       a->direct == b->direct &&
	       (a->block_size ? a->block_size : usual) == (b->block_size ? b->block_size : usual) &&
	       (!a->path || !strcmp(a->path, b->path));
}

/* Not another one that has got its name since; a file that is not there any more stays served. */
static bool is_same_file(const struct served_ns *ns)
{
	struct stat st;

	return !ns->path || stat(ns->path, &st) ||
	       (st.st_dev == ns->file_dev && st.st_ino == ns->file_ino);
}

static bool is_asked_for(const struct subsys_config *config, uint32_t nsid)
{
	struct list_node *node;

	list_for_each (node, &config->namespaces)
		if (container_of(node, struct ns_config, node)->nsid == nsid)
			return true;
	return false;
}

/* the served one that the configuration means; those without a number in their order */
static struct served_ns *find_ns(const struct served_subsys *subsys,
				 const struct subsys_config *config, const struct ns_config *wanted)
{
	struct list_node *node;

	list_for_each (node, &subsys->namespaces) {
		struct served_ns *ns = container_of(node, struct served_ns, node);

		if (ns->removing && is_same_disk(&ns->attr, &wanted->disk) && is_same_file(ns) &&
		    (wanted->nsid ? ns->nsid == wanted->nsid : !is_asked_for(config, ns->nsid)))
			return ns;
	}
	return NULL;
}

static void keep_namespaces(struct served_subsys *subsys, struct subsys_config *config)
{
	struct list_node *node;

	list_for_each (node, &config->namespaces) {
		struct ns_config *wanted = container_of(node, struct ns_config, node);

		wanted->served = find_ns(subsys, config, wanted);
		if (wanted->served)
			wanted->served->removing = false;
	}
}

static void remove_namespaces(struct served_subsys *subsys)
{
	struct list_node *node, *tmp;

	list_for_each_safe (node, tmp, &subsys->namespaces) {
		struct served_ns *ns = container_of(node, struct served_ns, node);

		if (ns->removing)
			served_close_ns(ns);
	}
}

/* those with a number first: the others get what is left */
static bool add_namespaces(struct served_subsys *subsys, const struct subsys_config *config,
			   bool numbered)
{
	struct list_node *node;
	bool ok = true;

	list_for_each (node, &config->namespaces) {
		const struct ns_config *wanted = container_of(node, struct ns_config, node);

		if (!!wanted->nsid != numbered)
			continue;
		if (wanted->served)
			served_update_ns(wanted->served, wanted);
		else
			ok &= served_add_ns(subsys, wanted);
	}
	return ok;
}

/*
 * Subsystems
 */

static void apply_hosts(struct nvmf_subsys *subsys, const struct subsys_config *config)
{
	struct list_node *node, *tmp;

	list_for_each (node, &config->hosts) {
		const struct nvmf_host *host = container_of(node, struct nvmf_host, node);

		nvmf_subsys_allow_host(subsys, host->nqn);
		nvmf_subsys_set_host_auth(subsys, host->nqn, &host->auth);
	}
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

/* hosts read these once, when they connect */
static void warn_of_changes(const struct nvmf_subsys *subsys, const struct subsys_config *config)
{
	if (strcmp(subsys->serial, config->serial) || strcmp(subsys->model, config->model) ||
	    subsys->ana != config->ana)
		fprintf(stderr,
			"softfield target: %s: serial, model and ana are read once: restart to "
			"change them\n",
			subsys->nqn);
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

/* A port that is not named any more keeps its states until the restart that it needs. */
static void apply_ana(struct target *target, const struct config *config)
{
	unsigned int i;
	uint32_t group;

	for (i = 0; i < target->port_count; i++) {
		const struct port_config *port = config_find_port(config, &target->ports[i].config);

		if (!port && !list_is_empty(&config->ports))
			continue;
		for (group = 1; group <= NVMF_ANA_GROUPS; group++)
			nvmf_port_set_ana(target->nvmf, target->ports[i].port, group,
					  port && port->ana[group] ? port->ana[group]
								   : NVMF_ANA_OPTIMIZED);
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

/* what stays is marked, everything else is to go */
static void keep(struct target *target, struct config *config)
{
	struct list_node *node, *n;

	list_for_each (node, &target->subsystems) {
		struct served_subsys *subsys = container_of(node, struct served_subsys, node);

		subsys->removing = true;
		list_for_each (n, &subsys->namespaces)
			container_of(n, struct served_ns, node)->removing = true;
	}
	list_for_each (node, &config->subsystems) {
		struct subsys_config *wanted = container_of(node, struct subsys_config, node);
		struct served_subsys *subsys = find_subsys(target, wanted->nqn);

		if (!subsys)
			continue;
		subsys->removing = false;
		warn_of_changes(subsys->subsys, wanted);
		keep_namespaces(subsys, wanted);
	}
}

static void remove_others(struct target *target)
{
	struct list_node *node, *tmp;

	list_for_each_safe (node, tmp, &target->subsystems) {
		struct served_subsys *subsys = container_of(node, struct served_subsys, node);

		if (subsys->removing)
			served_close_subsys(subsys);
		else
			remove_namespaces(subsys);
	}
}

static bool add_missing(struct target *target, const struct subsys_config *wanted)
{
	struct served_subsys *subsys = find_subsys(target, wanted->nqn);
	bool ok;

	if (!subsys)
		subsys = served_add_subsys(target, wanted);
	if (!subsys)
		return false;
	apply_hosts(subsys->subsys, wanted);
	ok = add_namespaces(subsys, wanted, true);
	return add_namespaces(subsys, wanted, false) && ok;
}

/* First everything that goes: a disk may have moved, and can be opened only once. */
bool target_apply(struct target *target, struct config *config)
{
	struct list_node *node;
	bool ok = true;

	keep(target, config);
	remove_others(target);
	apply_ana(target, config); /* before something is added that is not to be reached */
	refresh_ana(target);
	list_for_each (node, &config->subsystems)
		ok &= add_missing(target, container_of(node, struct subsys_config, node));
	refresh_ana(target); /* of those that have changed their group */
	return ok;
}
