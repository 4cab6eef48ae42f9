/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The library's objects, and making what is served what the configuration says, while it is in use.
 */
#include "target.h"

#include <doca_log.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "base/clock.h"

/*
 * The library
 */

static bool complain(const char *what, doca_error_t err)
{
	fprintf(stderr, "softfield target: %s: %s\n", what, doca_error_get_descr(err));
	return false;
}

static doca_error_t open_device(struct doca_dev **ret_dev)
{
	struct doca_devinfo **list;
	uint32_t count, i;
	doca_error_t err = doca_devinfo_create_list(&list, &count);

	if (err)
		return err;
	err = DOCA_ERROR_NOT_FOUND;
	for (i = 0; err && i < count; i++)
		if (!doca_sta_cap_is_supported(list[i]))
			err = doca_dev_open(list[i], ret_dev);
	doca_devinfo_destroy_list(list);
	return err;
}

/* tasks of the control side: user data points at what is waited for */
static void on_control_task(struct doca_sta_producer_task_send *task, union doca_data user_data)
{
	*(bool *)user_data.ptr = true;
	doca_task_free(doca_sta_producer_send_task_as_task(task));
}

static doca_error_t start_sta(struct target *target)
{
	struct doca_ctx *ctx = doca_sta_as_ctx(target->sta);
	doca_error_t err = doca_pe_connect_ctx(target->pe, ctx);

	if (!err)
		err = doca_sta_add_dev(target->sta, target->dev);
	if (!err && target->threads)
		err = softfield_sta_set_num_eus(target->sta, target->threads);
	if (!err)
		err = doca_sta_be_task_destroy_queue_set_conf(target->sta, on_control_task,
							      on_control_task);
	return err ? err : doca_ctx_start(ctx);
}

static doca_error_t start_io(struct target *target)
{
	struct doca_ctx *ctx;
	doca_error_t err = doca_sta_io_create(target->sta, &target->io);

	if (err)
		return err;
	ctx = doca_sta_io_as_ctx(target->io);
	err = doca_pe_connect_ctx(target->pe, ctx);
	if (err)
		return err;
	conn_register(target);
	return doca_ctx_start(ctx);
}

static doca_error_t start_nvmf(struct target *target)
{
	struct nvmf_target_attr attr = {.ops = &conn_nvmf_ops,
					.max_io_queues = 64,
					.max_in_capsule = 8192,
					.version = SOFTFIELD_VERSION};
	uint32_t entries, size;
	doca_error_t err = doca_sta_get_max_io_queue_size(target->sta, &entries);

	if (!err)
		err = doca_sta_get_max_io_size(&size);
	if (err)
		return err;
	attr.max_queue_entries = (uint16_t)entries;
	attr.max_transfer = size;
	return nvmf_target_create(&attr, &target->nvmf);
}

void target_progress(struct target *target)
{
	while (doca_pe_progress(target->pe))
		;
}

void target_init(struct target *target)
{
	memset(target, 0, sizeof(*target));
	list_init(&target->subsystems);
	list_init(&target->conns);
	list_init(&target->spare_cmds);
}

bool target_start(struct target *target, const struct config *config)
{
	struct list_node *node;
	doca_error_t err;

	target->threads = config->threads;
	err = open_device(&target->dev);
	if (err)
		return complain("no device", err);
	err = doca_pe_create(&target->pe);
	if (!err)
		err = doca_sta_create(target->dev, &target->sta);
	if (!err)
		err = start_sta(target);
	if (!err)
		err = start_io(target);
	if (!err)
		err = start_nvmf(target);
	if (err)
		return complain("cannot start the engine", err);
	nvmf_target_tick(target->nvmf, clock_now_ns());
	list_for_each (node, &config->ports)
		if (!net_port_open(target, container_of(node, struct port_config, node)))
			return false;
	if (config->prometheus_port &&
	    !net_prometheus_open(target, config->prometheus, config->prometheus_port))
		return false;
	return target_apply(target, config);
}

/*
 * Namespaces
 */

/* the same for the same names, on every machine and after every restart; RFC 9562 version 8 */
static void make_uuid(const char *nqn, uint32_t nsid, uint8_t uuid[16])
{
	uint64_t hash[2] = {0xcbf29ce484222325ull, 0x84222325cbf29ce4ull};
	const uint64_t prime = 0x100000001b3ull;
	unsigned int i;
	const char *p;

	for (i = 0; i < 2; i++) {
		for (p = nqn; *p; p++)
			hash[i] = (hash[i] ^ (uint8_t)*p) * prime;
		hash[i] = (hash[i] ^ nsid ^ i) * prime;
	}
	memcpy(uuid, hash, 16);
	uuid[6] = (uint8_t)((uuid[6] & 0x0f) | 0x80);
	uuid[8] = (uint8_t)((uuid[8] & 0x3f) | 0x80);
}

static void parse_uuid(const char *text, uint8_t uuid[16])
{
	unsigned int i, value;

	for (i = 0; i < 16; text++) {
		if (*text == '-')
			continue;
		sscanf(text, "%2x", &value);
		uuid[i++] = (uint8_t)value;
		text++;
	}
}

static void remove_from_engine(struct served_ns *ns)
{
	struct target *target = ns->subsys->target;
	unsigned int i;

	for (i = 0; i < target->port_count; i++) {
		if (ns->handles[i])
			doca_sta_subsystem_rm_ns(ns->subsys->subs[i], ns->handles[i]);
		ns->handles[i] = NULL;
	}
	conn_refuse_waiting(ns);
	while (ns->executing)
		target_progress(target);
}

static void destroy_queue(struct target *target, struct doca_sta_be_q_handle *queue)
{
	bool done = false;
	union doca_data user_data = {.ptr = &done};
	struct doca_sta_producer_task_send *task;

	if (doca_sta_be_destroy_queue_task_alloc_init(queue, user_data, &task) ||
	    doca_task_submit(doca_sta_producer_send_task_as_task(task)))
		return;
	while (!done)
		target_progress(target);
}

/* everything of a namespace, as far as it exists */
static void close_ns(struct served_ns *ns)
{
	struct target *target = ns->subsys->target;

	if (ns->ns) /* hosts are told before reads and writes start to fail */
		nvmf_ns_remove(ns->ns);
	remove_from_engine(ns);
	if (ns->channel)
		softfield_sta_channel_close(ns->channel);
	while (ns->queue_count)
		destroy_queue(target, ns->queues[--ns->queue_count]);
	if (ns->be)
		doca_sta_be_destroy(ns->be);
	if (ns->disk)
		softfield_sta_disk_close(ns->disk);
	list_remove(&ns->node);
	free(ns->path);
	free(ns);
}

/* back end: a queue for each thread of the engine, so that none has to ask another one */
static doca_error_t open_backend(struct served_ns *ns)
{
	struct target *target = ns->subsys->target;
	uint32_t threads = target->threads ? target->threads : 1;
	doca_error_t err = doca_sta_be_create(target->sta, &ns->be);

	while (!err && ns->queue_count < threads) {
		err = softfield_sta_be_add_disk_queue(ns->be, ns->disk,
						      &ns->queues[ns->queue_count]);
		ns->queue_count += !err;
	}
	if (!err)
		err = softfield_sta_channel_open(ns->disk, target->pe, &ns->channel);
	return err;
}

static doca_error_t add_to_engine(struct served_ns *ns, const struct softfield_sta_disk_info *info)
{
	struct target *target = ns->subsys->target;
	doca_error_t err = DOCA_SUCCESS;
	unsigned int i;

	for (i = 0; !err && i < target->port_count; i++)
		err = doca_sta_subsystem_add_ns(ns->subsys->subs[i], ns->nsid, info->block_size,
						info->ns_id, ns->be, &ns->handles[i]);
	return err;
}

static uint32_t free_nsid(const struct served_subsys *subsys)
{
	uint32_t nsid = 1;

	while (nvmf_ns_find(subsys->subsys, nsid))
		nsid++;
	return nsid;
}

static doca_error_t open_ns(struct served_ns *ns, const struct ns_config *config)
{
	struct served_subsys *subsys = ns->subsys;
	struct softfield_sta_disk_info info;
	struct nvmf_ns_attr attr = {.ana_group = config->ana_group, .user = ns};
	doca_error_t err = softfield_sta_disk_open(subsys->target->sta, &config->disk, &ns->disk);

	if (!err)
		err = softfield_sta_disk_get_info(ns->disk, &info);
	if (!err)
		err = open_backend(ns);
	if (!err)
		err = add_to_engine(ns, &info);
	if (err)
		return err;
	attr.nsid = ns->nsid;
	attr.blocks = info.blocks;
	attr.block_shift = (unsigned int)__builtin_ctz(info.block_size);
	attr.read_only = info.read_only;
	attr.write_cache = info.write_cache;
	if (config->uuid[0])
		parse_uuid(config->uuid, attr.uuid);
	else
		make_uuid(subsys->subsys->nqn, ns->nsid, attr.uuid);
	return nvmf_ns_add(subsys->subsys, &attr, &ns->ns);
}

/* what a person can do about it */
static const char *advice(doca_error_t err, const struct softfield_sta_disk_attr *disk)
{
	enum softfield_sta_disk_kind kind = disk->kind;

	if (err == DOCA_ERROR_IN_USE)
		return " (somebody else serves it)";
	if (kind == SOFTFIELD_STA_DISK_PCI && err == DOCA_ERROR_NOT_FOUND)
		return " (lspci -D shows the devices and addresses that there are)";
	if (kind == SOFTFIELD_STA_DISK_FILE && err == DOCA_ERROR_NOT_FOUND)
		return " (to make it: truncate -s 1G FILE)";
	if (kind == SOFTFIELD_STA_DISK_FILE && err == DOCA_ERROR_NOT_PERMITTED && !disk->read_only)
		return " (without the right to write: --read-only, or \"read_only\": true)";
	if (err == DOCA_ERROR_INVALID_VALUE || err == DOCA_ERROR_OPERATING_SYSTEM)
		return kind == SOFTFIELD_STA_DISK_FILE
			       ? " (a file or block device of at least one block is needed)"
			       : " (at least one block is needed)";
	return "";
}

static bool add_ns(struct served_subsys *subsys, const struct ns_config *config)
{
	struct served_ns *ns = calloc(1, sizeof(*ns));
	const char *name = config->path;
	doca_error_t err;

	if (!ns)
		return complain("a namespace", DOCA_ERROR_NO_MEMORY);
	ns->subsys = subsys;
	ns->nsid = config->nsid ? config->nsid : free_nsid(subsys);
	ns->path = config->path ? strdup(config->path) : NULL;
	list_init(&ns->waiting);
	list_add_tail(&subsys->namespaces, &ns->node);
	err = open_ns(ns, config);
	if (!err)
		return true;
	if (!name)
		name = config->disk.kind == SOFTFIELD_STA_DISK_MEMORY ? "memory" : "null";
	fprintf(stderr, "softfield target: %s: %s%s\n", name, doca_error_get_descr(err),
		advice(err, &config->disk));
	close_ns(ns);
	return false;
}

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
			close_ns(ns);
	}
	list_for_each (node, &config->namespaces) {
		const struct ns_config *ns = container_of(node, struct ns_config, node);

		if (!find_ns(subsys, ns))
			ok &= add_ns(subsys, ns);
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

static doca_error_t create_in_engine(struct served_subsys *subsys, const char *nqn)
{
	struct target *target = subsys->target;
	doca_error_t err = DOCA_SUCCESS;
	unsigned int i;

	for (i = 0; !err && i < target->port_count; i++) {
		char name[NVME_NQN_SIZE];

		snprintf(name, sizeof(name), "%.210s#%u", nqn, i);
		err = doca_sta_subsystem_create(target->sta, name, &subsys->subs[i]);
		if (!err)
			err = doca_sta_subsystem_add_dev(subsys->subs[i], target->dev);
	}
	return err;
}

/* disconnects its hosts and waits for them */
static void close_subsys(struct served_subsys *subsys)
{
	struct target *target = subsys->target;
	unsigned int i;

	while (subsys->subsys && nvmf_subsys_remove(subsys->subsys) == DOCA_ERROR_IN_USE)
		target_progress(target);
	while (!list_is_empty(&subsys->namespaces)) {
		struct served_ns *ns =
			container_of(subsys->namespaces.next, struct served_ns, node);

		ns->ns = NULL; /* went with the subsystem */
		close_ns(ns);
	}
	for (i = 0; i < target->port_count; i++)
		if (subsys->subs[i])
			doca_sta_subsystem_destroy(subsys->subs[i]);
	list_remove(&subsys->node);
	free(subsys);
}

static struct served_subsys *add_subsys(struct target *target, const struct subsys_config *config)
{
	struct served_subsys *subsys = calloc(1, sizeof(*subsys));
	struct nvmf_subsys_attr attr = {.nqn = config->nqn,
					.serial = config->serial,
					.model = config->model,
					.allow_any_host = config->allow_any_host,
					.ana = config->ana,
					.user = subsys};
	doca_error_t err;

	if (!subsys)
		return NULL;
	subsys->target = target;
	list_init(&subsys->namespaces);
	list_add_tail(&target->subsystems, &subsys->node);
	err = create_in_engine(subsys, config->nqn);
	if (!err)
		err = nvmf_subsys_add(target->nvmf, &attr, &subsys->subsys);
	if (!err)
		return subsys;
	complain(config->nqn, err);
	close_subsys(subsys);
	return NULL;
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
void target_refresh_ana(struct target *target)
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
			subsys = add_subsys(target, wanted);
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
			close_subsys(subsys);
	}
	apply_ana(target, config);
	target_refresh_ana(target);
	return ok;
}

/*
 * The end
 */

static void close_conns(struct target *target)
{
	conn_disconnect_all(target);
	while (target->conn_count)
		target_progress(target);
}

void target_stop(struct target *target)
{
	unsigned int i;

	for (i = 0; i < target->port_count; i++)
		net_port_close(&target->ports[i]);
	net_prometheus_close(target);
	if (target->io)
		close_conns(target);
	rdma_close(target);
	while (!list_is_empty(&target->subsystems))
		close_subsys(container_of(target->subsystems.next, struct served_subsys, node));
	if (target->nvmf)
		nvmf_target_destroy(target->nvmf);
	if (target->io) {
		doca_ctx_stop(doca_sta_io_as_ctx(target->io));
		doca_sta_io_destroy(target->io);
	}
	if (target->sta) {
		doca_ctx_stop(doca_sta_as_ctx(target->sta));
		doca_sta_destroy(target->sta);
	}
	if (target->pe)
		doca_pe_destroy(target->pe);
	if (target->dev)
		doca_dev_close(target->dev);
	conn_free_spare_cmds(target);
}
