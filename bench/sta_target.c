/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Bringing a target up and down.
 */
#include <dirent.h>
#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "doca_ctx.h"
#include "doca_sta_io_non_offload.h"
#include "doca_sta_task.h"
#include "lib/pair.h"
#include "sta_target.h"

#define BLOCK		512u
#define OP_FABRICS	0x7f
#define FCTYPE_CONNECT	1
#define AT_CONNECT_SIZE 44 /* SQSIZE */

void sta_check(doca_error_t result, const char *what)
{
	if (result != DOCA_SUCCESS)
		bench_fail("cannot %s: %s", what, doca_error_get_descr(result));
}

static void free_task(struct doca_sta_producer_task_send *task, union doca_data data)
{
	if (data.ptr)
		*(bool *)data.ptr = true;
	doca_task_free(doca_sta_producer_send_task_as_task(task));
}

static void task_failed(struct doca_sta_producer_task_send *task, union doca_data data)
{
	(void)task;
	(void)data;
	bench_fail("a task has failed");
}

static void on_command(struct doca_sta_qp_handle *qp, union doca_data data, const uint8_t *sqe,
		       uint8_t *payload, uint32_t payload_len, bool payload_valid,
		       union doca_data token)
{
	struct sta_target *target = data.ptr;
	struct doca_sta_producer_task_send *task;
	const union doca_data none = {.ptr = NULL};
	uint8_t cqe[16] = {0};
	uint16_t sq_size;

	(void)payload;
	(void)payload_len;
	(void)payload_valid;
	if (sqe[0] != OP_FABRICS || sqe[4] != FCTYPE_CONNECT)
		bench_fail("the engine leaves command %02x to the program", sqe[0]);
	memcpy(cqe + 12, sqe + 2, 2); /* identifier */
	memcpy(&sq_size, sqe + AT_CONNECT_SIZE, 2);
	sta_check(doca_sta_io_qp_add_subsystem(target->io, target->subs, qp), "add a subsystem");
	sta_check(doca_sta_io_qp_connect_set_sq_size(target->io, qp, sq_size),
		  "set a queue's size");
	sta_check(doca_sta_io_task_non_offload_rdma_send_alloc_init(target->io, none, qp, cqe,
								    token, &task),
		  "make a task");
	sta_check(doca_task_submit(doca_sta_producer_send_task_as_task(task)), "answer Connect");
}

static void open_dev(struct sta_target *target)
{
	struct doca_devinfo **list;
	uint32_t count;

	sta_check(doca_devinfo_create_list(&list, &count), "list devices");
	for (uint32_t i = 0; i < count && !target->dev; i++)
		if (doca_sta_cap_is_supported(list[i]) == DOCA_SUCCESS)
			sta_check(doca_dev_open(list[i], &target->dev), "open a device");
	doca_devinfo_destroy_list(list);
	if (!target->dev)
		bench_fail("no device of %u can be a storage target", count);
}

static void start_sta(struct sta_target *target)
{
	struct doca_ctx *ctx;

	sta_check(doca_sta_create(target->dev, &target->sta), "create a target");
	ctx = doca_sta_as_ctx(target->sta);
	sta_check(doca_pe_connect_ctx(target->pe, ctx), "connect the target");
	sta_check(doca_sta_add_dev(target->sta, target->dev), "add a device");
	sta_check(doca_sta_be_task_destroy_queue_set_conf(target->sta, free_task, task_failed),
		  "configure tasks");
	sta_check(softfield_sta_set_num_eus(target->sta, 1), "set the number of threads");
	sta_check(doca_ctx_start(ctx), "start the target");
}

static void start_io(struct sta_target *target)
{
	const union doca_data data = {.ptr = target};
	struct doca_ctx *ctx;

	sta_check(doca_sta_io_create(target->sta, &target->io), "create a doca_sta_io");
	ctx = doca_sta_io_as_ctx(target->io);
	sta_check(doca_pe_connect_ctx(target->pe, ctx), "connect it");
	sta_check(doca_sta_io_task_disconnect_set_conf(target->io, free_task, task_failed),
		  "configure tasks");
	sta_check(doca_sta_io_non_offload_register_cb(target->io, on_command, data),
		  "register for commands");
	sta_check(doca_sta_io_task_non_offload_set_rdma_write_send_conf(target->io, free_task,
									task_failed),
		  "configure tasks");
	sta_check(
		doca_sta_io_task_non_offload_set_rdma_read_conf(target->io, free_task, task_failed),
		"configure tasks");
	sta_check(doca_ctx_start(ctx), "start a doca_sta_io");
}

static const struct {
	const char *name;
	enum softfield_sta_disk_kind kind;
} disks[] = {
	{"null", SOFTFIELD_STA_DISK_NULL},
	{"memory", SOFTFIELD_STA_DISK_MEMORY},
	{"file", SOFTFIELD_STA_DISK_FILE},
};

static unsigned int find_disk(const struct bench_options *options)
{
	unsigned int i;

	if (!options->mode)
		return 0;
	for (i = 0; i < sizeof(disks) / sizeof(disks[0]); i++)
		if (strcmp(options->mode, disks[i].name) == 0)
			return i;
	bench_fail("no mode %s: null, memory or file", options->mode);
}

const char *sta_disk_name(const struct bench_options *options)
{
	return disks[find_disk(options)].name;
}

static void add_namespace(struct sta_target *target, enum softfield_sta_disk_kind kind)
{
	const struct softfield_sta_disk_attr attr = {
		.kind = kind, .size = STA_DISK_SIZE, .path = target->file.path};

	if (kind == SOFTFIELD_STA_DISK_FILE)
		file_make(&target->file, STA_DISK_SIZE);
	sta_check(
		doca_sta_subsystem_create(target->sta, "nqn.2024-01.example:bench", &target->subs),
		"create a subsystem");
	sta_check(doca_sta_subsystem_add_dev(target->subs, target->dev), "add a device to it");
	sta_check(softfield_sta_disk_open(target->sta, &attr, &target->disk), "open a disk");
	sta_check(doca_sta_be_create(target->sta, &target->be), "create a back end");
	sta_check(softfield_sta_be_add_disk_queue(target->be, target->disk, &target->be_q),
		  "add a queue");
	sta_check(doca_sta_subsystem_add_ns(target->subs, 1, BLOCK, 1, target->be, &target->ns),
		  "add a namespace");
}

static bool is_engine(const char *tid)
{
	char path[64], name[16] = "";
	FILE *file;

	snprintf(path, sizeof(path), "/proc/self/task/%.16s/comm", tid);
	file = fopen(path, "r");
	if (!file)
		return false;
	if (!fgets(name, sizeof(name), file))
		name[0] = 0;
	fclose(file);
	return strncmp(name, "sta-eu-0", 8) == 0;
}

/* clock_getres(2): a thread's CPU clock in the kernel's own numbering */
static clockid_t find_engine_clock(void)
{
	clockid_t clock = 0;
	struct dirent *entry;
	DIR *tasks = opendir("/proc/self/task");

	while (tasks && !clock && (entry = readdir(tasks)))
		if (is_engine(entry->d_name))
			clock = (clockid_t)(~(unsigned int)atoi(entry->d_name) << 3 | 6);
	if (!clock)
		bench_fail("the engine's thread is not in /proc");
	closedir(tasks);
	return clock;
}

void sta_target_open(struct sta_target *target, const struct bench_options *options)
{
	doca_notification_handle_t handle;

	memset(target, 0, sizeof(*target));
	pair_pin(options->cpu[1]); /* threads inherit it */
	open_dev(target);
	sta_check(doca_pe_create(&target->pe), "create a progress engine");
	start_sta(target);
	pair_pin(options->cpu[0]);
	start_io(target);
	add_namespace(target, disks[find_disk(options)].kind);
	sta_check(doca_pe_get_notification_handle(target->pe, &handle), "get a descriptor");
	target->notify_fd = handle;
	target->engine_clock = find_engine_clock();
}

void sta_target_wait(struct sta_target *target)
{
	struct pollfd waiting = {.fd = target->notify_fd, .events = POLLIN};

	while (!doca_pe_progress(target->pe)) {
		sta_check(doca_pe_request_notification(target->pe), "ask for a notification");
		while (poll(&waiting, 1, -1) < 0)
			if (errno != EINTR)
				bench_fail("cannot wait: %s", strerror(errno));
		sta_check(doca_pe_clear_notification(target->pe, target->notify_fd),
			  "clear a notification");
	}
}

static void finish_task(struct sta_target *target, struct doca_sta_producer_task_send *task)
{
	target->flag = false;
	sta_check(doca_task_submit(doca_sta_producer_send_task_as_task(task)), "submit a task");
	while (!target->flag)
		doca_pe_progress(target->pe);
}

void sta_target_close(struct sta_target *target)
{
	const union doca_data flag = {.ptr = &target->flag};
	struct doca_sta_producer_task_send *task;

	sta_check(doca_sta_io_task_disconnect_alloc_init(target->io, flag, target->qp, &task),
		  "make a task");
	finish_task(target, task);
	sta_check(doca_sta_io_qp_destroy(target->io, target->qp), "destroy a queue pair");
	sta_check(doca_ctx_stop(doca_sta_io_as_ctx(target->io)), "stop a doca_sta_io");
	sta_check(doca_sta_io_destroy(target->io), "destroy a doca_sta_io");
	sta_check(doca_sta_subsystem_rm_ns(target->subs, target->ns), "remove a namespace");
	sta_check(doca_sta_be_destroy_queue_task_alloc_init(target->be_q, flag, &task),
		  "make a task");
	finish_task(target, task);
	sta_check(doca_sta_be_destroy(target->be), "destroy a back end");
	sta_check(softfield_sta_disk_close(target->disk), "close a disk");
	sta_check(doca_sta_subsystem_destroy(target->subs), "destroy a subsystem");
	sta_check(doca_ctx_stop(doca_sta_as_ctx(target->sta)), "stop the target");
	sta_check(doca_sta_destroy(target->sta), "destroy the target");
	doca_pe_destroy(target->pe);
	doca_dev_close(target->dev);
}

uint64_t sta_engine_cpu_ns(const struct sta_target *target)
{
	struct timespec now;

	if (clock_gettime(target->engine_clock, &now))
		bench_fail("cannot read the clock of the engine: %s", strerror(errno));
	return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

void sta_fill_connect(uint8_t *sqe)
{
	const uint16_t size = STA_DEPTH_MAX; /* counted from 0 */

	memset(sqe, 0, 64);
	sqe[0] = OP_FABRICS;
	sqe[1] = 0x40; /* data by descriptor */
	sqe[4] = FCTYPE_CONNECT;
	sqe[42] = 1; /* queue */
	memcpy(sqe + AT_CONNECT_SIZE, &size, 2);
}

void sta_fill_rw(uint8_t *sqe, bool write, uint16_t cid, uint64_t offset, uint32_t size)
{
	const uint64_t block = offset / BLOCK;
	const uint32_t count = size / BLOCK - 1;

	memset(sqe, 0, 64);
	sqe[0] = write ? 1 : 2;
	sqe[1] = 0x40;
	memcpy(sqe + 2, &cid, 2);
	sqe[4] = 1; /* namespace */
	memcpy(sqe + 40, &block, 8);
	memcpy(sqe + 48, &count, 4);
}
