/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The library's objects, from the beginning to the end.
 */
#include "target.h"

#include <stdio.h>
#include <string.h>
#include "base/clock.h"

#define PROGRESS_NS 10000000ull

/*
 * The library
 */

bool target_complain(const char *what, doca_error_t err)
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
		err = doca_sta_subsystem_task_rm_ns_set_conf(target->sta, on_control_task,
							     on_control_task);
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

bool target_progress(struct target *target)
{
	uint64_t end_ns = clock_now_ns() + PROGRESS_NS;

	while (doca_pe_progress(target->pe))
		if (clock_now_ns() >= end_ns)
			return true;
	return false;
}

void target_init(struct target *target)
{
	memset(target, 0, sizeof(*target));
	list_init(&target->subsystems);
	list_init(&target->conns);
	list_init(&target->spare_cmds);
	list_init(&target->without_answers);
	list_init(&target->without_reads);
}

bool target_start(struct target *target, struct config *config)
{
	struct list_node *node;
	doca_error_t err;

	target->threads = config->threads;
	err = open_device(&target->dev);
	if (err)
		return target_complain("no device", err);
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
		return target_complain("cannot start the engine", err);
	nvmf_target_tick(target->nvmf, clock_now_ns());
	list_for_each (node, &config->ports)
		if (!net_port_open(target, container_of(node, struct port_config, node)))
			return false;
	if (config->prometheus_port &&
	    !net_prometheus_open(target, config->prometheus, config->prometheus_port))
		return false;
	target->is_up = target_apply(target, config);
	return target->is_up;
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
		served_close_subsys(
			container_of(target->subsystems.next, struct served_subsys, node));
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
