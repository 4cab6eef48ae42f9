/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Namespaces and subsystems that are served: in the library, in the protocol layer and in the
 * engine.
 */
#include "target.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include "base/clock.h"
#include "topo/topo.h"

/*
 * Namespaces
 */

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

/* a control task whose user data points at done */
static void finish_task(struct target *target, struct doca_sta_producer_task_send *task,
			const bool *done)
{
	if (doca_task_submit(doca_sta_producer_send_task_as_task(task)))
		return;
	while (!*done)
		target_progress(target);
}

/*
 * Not doca_sta_subsystem_rm_ns(), which progresses nothing: a write that is to end may be waiting
 * for the blocks of a command in our channel.
 */
static void remove_from_port(struct served_ns *ns, unsigned int port)
{
	bool done = false;
	union doca_data user_data = {.ptr = &done};
	struct doca_sta_producer_task_send *task;

	if (!doca_sta_subsystem_task_rm_ns_alloc_init(ns->subsys->subs[port], ns->handles[port],
						      user_data, &task))
		finish_task(ns->subsys->target, task, &done);
}

static void remove_from_engine(struct served_ns *ns)
{
	struct target *target = ns->subsys->target;
	unsigned int i;

	disk_refuse_waiting(ns); /* reads and writes may be waiting for the blocks of these */
	for (i = 0; i < target->port_count; i++) {
		if (ns->handles[i])
			remove_from_port(ns, i);
		ns->handles[i] = NULL;
	}
	while (ns->executing)
		target_progress(target);
}

static void destroy_queue(struct target *target, struct doca_sta_be_q_handle *queue)
{
	bool done = false;
	union doca_data user_data = {.ptr = &done};
	struct doca_sta_producer_task_send *task;

	if (!doca_sta_be_destroy_queue_task_alloc_init(queue, user_data, &task))
		finish_task(target, task, &done);
}

static void on_emptied(uint16_t status, union doca_data user_data)
{
	(void)status;
	*(bool *)user_data.ptr = true;
}

/*
 * A disk gives memory back in pieces when it discards, but all at once when it is closed: half a
 * second for a GiB, in which no host would be answered.
 */
static void empty_memory(struct served_ns *ns)
{
	struct nvme_cmd cmd = {.opcode = NVME_CMD_DSM, .cdw11 = htole32(NVME_DSM_AD)};
	struct nvme_dsm_range ranges[NVME_DSM_RANGES_MAX] = {0};
	struct softfield_sta_disk_info info;
	bool done = false;
	union doca_data user_data = {.ptr = &done};
	uint64_t at = 0;
	uint32_t count;

	softfield_sta_disk_get_info(ns->disk, &info);
	for (count = 0; at < info.blocks && count < NVME_DSM_RANGES_MAX; count++) {
		uint64_t left = info.blocks - at;

		ranges[count].slba = htole64(at);
		ranges[count].nlb = htole32(left < UINT32_MAX ? (uint32_t)left : UINT32_MAX);
		at += le32toh(ranges[count].nlb);
	}
	cmd.cdw10 = htole32(count - 1);
	if (softfield_sta_channel_submit(ns->channel, (const uint8_t *)&cmd, ranges,
					 count * sizeof(ranges[0]), on_emptied, user_data))
		return;
	while (!done)
		target_progress(ns->subsys->target);
}

void served_close_ns(struct served_ns *ns)
{
	struct target *target = ns->subsys->target;

	if (ns->ns) /* hosts are told before reads and writes start to fail */
		nvmf_ns_remove(ns->ns);
	ns->ns = NULL;
	remove_from_engine(ns);
	if (ns->channel && ns->attr.kind == SOFTFIELD_STA_DISK_MEMORY)
		empty_memory(ns);
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

/*
 * back end: a queue for each thread of the engine, so that none has to ask another one, unless a
 * limit leaves fewer
 */
static doca_error_t add_queues(struct served_ns *ns)
{
	struct target *target = ns->subsys->target;
	uint32_t count = target->threads ? target->threads : 1;
	doca_error_t err = DOCA_SUCCESS;

	if (count > priv_topo_limits()->sta_max_qs_per_be)
		count = (uint32_t)priv_topo_limits()->sta_max_qs_per_be;
	while (!err && ns->queue_count < count) {
		err = softfield_sta_be_add_disk_queue(ns->be, ns->disk,
						      &ns->queues[ns->queue_count]);
		ns->queue_count += !err;
	}
	return err;
}

/* what the engine answers to reads and writes of the port's hosts by itself */
static uint16_t refusal(const struct served_subsys *subsys, unsigned int port, uint32_t ana_group)
{
	return nvmf_ana_status(
		nvmf_group_ana(subsys->target->ports[port].port, subsys->subsys, ana_group));
}

/* for the ports whose hosts are refused, or for the others */
static doca_error_t add_to_engine(struct served_ns *ns, const struct softfield_sta_disk_info *info,
				  uint32_t ana_group, bool refused)
{
	struct target *target = ns->subsys->target;
	doca_error_t err = DOCA_SUCCESS;
	unsigned int i;

	for (i = 0; !err && i < target->port_count; i++) {
		uint16_t status = refusal(ns->subsys, i, ana_group);

		if (refused != !!status)
			continue;
		err = doca_sta_subsystem_add_ns(ns->subsys->subs[i], ns->nsid, info->block_size,
						info->ns_id, ns->be, &ns->handles[i]);
		if (!err && refused)
			softfield_sta_ns_set_refusal(ns->handles[i], status);
	}
	return err;
}

/*
 * Hosts that have had a namespace of this number may send reads and writes at any time. Without
 * queues none is executed before the engine knows which ones to refuse.
 */
static doca_error_t open_backend(struct served_ns *ns, const struct softfield_sta_disk_info *info,
				 uint32_t ana_group)
{
	struct target *target = ns->subsys->target;
	doca_error_t err = doca_sta_be_create(target->sta, &ns->be);

	if (!err)
		err = add_to_engine(ns, info, ana_group, true);
	if (!err)
		err = add_queues(ns);
	if (!err)
		err = add_to_engine(ns, info, ana_group, false);
	if (!err)
		err = softfield_sta_channel_open(ns->disk, target->pe, &ns->channel);
	return err;
}

static uint32_t free_nsid(const struct served_subsys *subsys)
{
	uint32_t nsid = 1;

	while (nvmf_ns_find(subsys->subsys, nsid))
		nsid++;
	return nsid;
}

static void choose_uuid(const struct served_ns *ns, const struct ns_config *config,
			uint8_t uuid[16])
{
	if (config->uuid[0])
		parse_uuid(config->uuid, uuid);
	else
		identity_uuid(ns, uuid);
}

/* Numbers of files are used again: the next file has often that of the last one. 0: not known */
static uint64_t birth_ns(const char *path)
{
	struct statx st;

	if (statx(AT_FDCWD, path, 0, STATX_BTIME, &st) || !(st.stx_mask & STATX_BTIME))
		return 0;
	return (uint64_t)st.stx_btime.tv_sec * 1000000000u + st.stx_btime.tv_nsec;
}

/*
 * Which disk is it? Devices have a number that is another one after each boot. Memory that is made
 * while hosts may be connected is not what they know; after a restart they are to find it again.
 */
static void note_disk(struct served_ns *ns)
{
	struct stat st;

	if (ns->attr.kind == SOFTFIELD_STA_DISK_MEMORY && ns->subsys->target->is_up)
		ns->salt = clock_now_ns();
	if (!ns->path || stat(ns->path, &st))
		return;
	ns->file_dev = st.st_dev;
	ns->file_ino = st.st_ino;
	if (S_ISREG(st.st_mode))
		ns->salt = st.st_ino ^ birth_ns(ns->path);
}

static doca_error_t open_ns(struct served_ns *ns, const struct ns_config *config)
{
	struct served_subsys *subsys = ns->subsys;
	struct softfield_sta_disk_info info;
	struct nvmf_ns_attr attr = {.ana_group = config->ana_group, .user = ns};
	doca_error_t err = softfield_sta_disk_open(subsys->target->sta, &config->disk, &ns->disk);

	if (!err)
		note_disk(ns);
	if (!err)
		err = softfield_sta_disk_get_info(ns->disk, &info);
	if (!err)
		err = open_backend(ns, &info, config->ana_group);
	if (err)
		return err;
	attr.nsid = ns->nsid;
	attr.blocks = info.blocks;
	attr.block_shift = (unsigned int)__builtin_ctz(info.block_size);
	attr.read_only = info.read_only;
	attr.write_cache = info.write_cache;
	attr.can_fuse = info.can_fuse;
	attr.oncs = info.oncs;
	if (config->disk.kind == SOFTFIELD_STA_DISK_PCI) /* it has limits of its own for these */
		attr.oncs &= (uint16_t) ~(NVME_ONCS_VERIFY | NVME_ONCS_COPY);
	attr.dlfeat = info.dlfeat;
	choose_uuid(ns, config, attr.uuid);
	return nvmf_ns_add(subsys->subsys, &attr, &ns->ns);
}

/* what a person can do about it */
static const char *advice(doca_error_t err, const struct softfield_sta_disk_attr *disk)
{
	enum softfield_sta_disk_kind kind = disk->kind;

	if (err == DOCA_ERROR_IN_USE)
		return " (somebody else serves it, or this program does already)";
	if (kind == SOFTFIELD_STA_DISK_PCI && err == DOCA_ERROR_NOT_FOUND)
		return " (lspci -D shows the devices and addresses that there are)";
	if (kind == SOFTFIELD_STA_DISK_FILE && err == DOCA_ERROR_NOT_FOUND)
		return " (to make it: truncate -s 1G FILE)";
	if (kind == SOFTFIELD_STA_DISK_FILE && err == DOCA_ERROR_NOT_PERMITTED && !disk->read_only)
		return " (without the right to write: --read-only, or \"read_only\": true)";
	if (kind == SOFTFIELD_STA_DISK_FILE && err == DOCA_ERROR_NOT_SUPPORTED)
		return " (it needs larger blocks: --block-size, or \"block_size\")";
	if (err == DOCA_ERROR_INVALID_VALUE)
		return kind == SOFTFIELD_STA_DISK_FILE
			       ? " (a file or block device of at least one block is needed)"
			       : " (at least one block is needed)";
	return "";
}

static void complain_of_ns(const struct served_ns *ns, const char *name, doca_error_t err)
{
	const struct topo_limits *limits = priv_topo_limits();

	fprintf(stderr, "softfield target: %s: %s", name, doca_error_get_descr(err));
	if (err == DOCA_ERROR_FULL && !ns->be)
		fprintf(stderr,
			" (at most %u namespaces are served: SOFTFIELD_LIMITS=sta_max_be=NUMBER)\n",
			(unsigned int)limits->sta_max_be);
	else if (err == DOCA_ERROR_FULL)
		fprintf(stderr,
			" (a subsystem has at most %u namespaces: "
			"SOFTFIELD_LIMITS=sta_max_ns_per_subs=NUMBER)\n",
			(unsigned int)limits->sta_max_ns_per_subs);
	else
		fprintf(stderr, "%s\n", advice(err, &ns->attr));
}

bool served_add_ns(struct served_subsys *subsys, const struct ns_config *config)
{
	struct served_ns *ns = calloc(1, sizeof(*ns));
	const char *name = config->path;
	doca_error_t err;

	if (!ns)
		return target_complain("a namespace", DOCA_ERROR_NO_MEMORY);
	ns->subsys = subsys;
	ns->nsid = config->nsid ? config->nsid : free_nsid(subsys);
	ns->path = config->path ? strdup(config->path) : NULL;
	ns->attr = config->disk;
	ns->attr.path = ns->path;
	list_init(&ns->waiting);
	list_init(&ns->flushes);
	list_add_tail(&subsys->namespaces, &ns->node);
	err = open_ns(ns, config);
	if (!err)
		return true;
	if (!name)
		name = config->disk.kind == SOFTFIELD_STA_DISK_MEMORY ? "memory" : "null";
	complain_of_ns(ns, name, err);
	served_close_ns(ns);
	return false;
}

void served_update_ns(struct served_ns *ns, const struct ns_config *config)
{
	struct softfield_sta_disk_info info;
	uint8_t uuid[16];

	choose_uuid(ns, config, uuid);
	nvmf_ns_set_identity(ns->ns, uuid, config->ana_group);
	if (!softfield_sta_disk_rescan(ns->disk) && !softfield_sta_disk_get_info(ns->disk, &info))
		nvmf_ns_resize(ns->ns, info.blocks);
}

/*
 * Subsystems
 */

/* under a name of our own: an NQN has no room for what tells the ports apart */
static doca_error_t create_in_engine(struct served_subsys *subsys)
{
	struct target *target = subsys->target;
	doca_error_t err = DOCA_SUCCESS;
	unsigned int number = target->subsys_count++, i;

	for (i = 0; !err && i < target->port_count; i++) {
		char name[64];

		snprintf(name, sizeof(name), "nqn.2025-11.local.softfield:%u#%u", number, i);
		err = doca_sta_subsystem_create(target->sta, name, &subsys->subs[i]);
		if (!err)
			err = doca_sta_subsystem_add_dev(subsys->subs[i], target->dev);
	}
	return err;
}

void served_close_subsys(struct served_subsys *subsys)
{
	struct target *target = subsys->target;
	struct list_node *node;
	unsigned int i;

	while (subsys->subsys && nvmf_subsys_remove(subsys->subsys) == DOCA_ERROR_IN_USE)
		target_progress(target);
	subsys->subsys = NULL;
	list_for_each (node, &subsys->namespaces)
		container_of(node, struct served_ns, node)->ns = NULL; /* went with the subsystem */
	while (!list_is_empty(&subsys->namespaces))
		served_close_ns(container_of(subsys->namespaces.next, struct served_ns, node));
	for (i = 0; i < target->port_count; i++)
		if (subsys->subs[i])
			doca_sta_subsystem_destroy(subsys->subs[i]);
	list_remove(&subsys->node);
	free(subsys);
}

struct served_subsys *served_add_subsys(struct target *target, const struct subsys_config *config)
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
	err = create_in_engine(subsys);
	if (!err)
		err = nvmf_subsys_add(target->nvmf, &attr, &subsys->subsys);
	if (!err)
		return subsys;
	if (err == DOCA_ERROR_FULL)
		fprintf(stderr,
			"softfield target: %s: %s (at most %u subsystems, counted once for each "
			"port: SOFTFIELD_LIMITS=sta_max_subsys=NUMBER)\n",
			config->nqn, doca_error_get_descr(err),
			(unsigned int)priv_topo_limits()->sta_max_subsys);
	else
		target_complain(config->nqn, err);
	served_close_subsys(subsys);
	return NULL;
}
