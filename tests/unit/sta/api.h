/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A target through the API: one thread is program and host (inside the process), the engine has its
 * own. Connect is answered; other commands that come to the program are kept.
 */
#ifndef SOFTFIELD_TESTS_STA_API_H
#define SOFTFIELD_TESTS_STA_API_H

#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include "doca_dev.h"
#include "sta/sta.h"
#include "test.h"

#define API_BLOCK 512u
#define API_DISK  (1u << 20)
#define API_NQN	  "nqn.2024-01.example:unit"

struct api {
	struct doca_dev *dev;
	struct doca_pe *pe;
	struct doca_sta *sta;
	struct doca_sta_io *io;
	struct doca_sta_subs_handle *subs;
	/* a disk in memory, namespace 1 */
	struct softfield_sta_disk *disk;
	struct doca_sta_be_handle *be;
	struct doca_sta_be_q_handle *be_q;
	struct doca_sta_ns_handle *ns;
	/* the last command that came to the program */
	struct doca_sta_qp_handle *cmd_qp;
	struct nvme_cmd cmd;
	uint8_t *payload;
	uint32_t payload_size;
	bool payload_valid;
	union doca_data token;
	unsigned int commands, done, failed, transport_errors, notified;
	/* the last answer to the host */
	struct nvme_cqe cqe;
	unsigned int answered, lost;
	bool no_answer; /* to Connect */
};

/* progresses the program until the condition holds */
#define API_UNTIL(api, condition)                                                                  \
	do {                                                                                       \
		if (!doca_pe_progress((api)->pe))                                                  \
			sched_yield();                                                             \
	} while (!(condition))

static inline void api_free_task(struct doca_sta_producer_task_send *task)
{
	doca_task_free(doca_sta_producer_send_task_as_task(task));
}

static inline void api_done(struct doca_sta_producer_task_send *task, union doca_data data)
{
	((struct api *)data.ptr)->done++;
	api_free_task(task);
}

static inline void api_failed(struct doca_sta_producer_task_send *task, union doca_data data)
{
	((struct api *)data.ptr)->failed++;
	api_free_task(task);
}

static inline union doca_data api_data(struct api *api)
{
	return (union doca_data){.ptr = api};
}

static inline void api_submit(struct doca_sta_producer_task_send *task)
{
	assert_ok(doca_task_submit(doca_sta_producer_send_task_as_task(task)));
}

/* the program's answer to the command it has kept */
static inline void api_answer(struct api *api)
{
	struct nvme_cqe cqe = {.cid = api->cmd.cid};
	struct doca_sta_producer_task_send *task;

	assert_ok(doca_sta_io_task_non_offload_rdma_send_alloc_init(
		api->io, api_data(api), api->cmd_qp, (uint8_t *)&cqe, api->token, &task));
	api_submit(task);
}

static inline void api_command(struct doca_sta_qp_handle *qp, union doca_data data,
			       const uint8_t *sqe, uint8_t *payload, uint32_t size, bool valid,
			       union doca_data token)
{
	struct api *api = data.ptr;

	api->commands++;
	api->cmd_qp = qp;
	memcpy(&api->cmd, sqe, sizeof(api->cmd));
	api->payload = payload;
	api->payload_size = size;
	api->payload_valid = valid;
	api->token = token;
	if (api->cmd.opcode != NVME_CMD_FABRICS || api->no_answer)
		return;
	assert_ok(doca_sta_io_qp_add_subsystem(api->io, api->subs, qp));
	assert_ok(doca_sta_io_qp_connect_set_sq_size(api->io, qp, 31));
	api_answer(api);
}

static inline void api_transport_error(const struct doca_sta_event_transport_err *event,
				       union doca_data data)
{
	(void)event;
	((struct api *)data.ptr)->transport_errors++;
}

static inline void api_configure_io(struct api *api, struct doca_sta_io *io)
{
	assert_ok(doca_pe_connect_ctx(api->pe, doca_sta_io_as_ctx(io)));
	assert_ok(doca_sta_io_task_disconnect_set_conf(io, api_done, api_failed));
	assert_ok(doca_sta_io_non_offload_register_cb(io, api_command, api_data(api)));
	assert_ok(doca_sta_io_task_non_offload_set_rdma_write_send_conf(io, api_done, api_failed));
	assert_ok(doca_sta_io_task_non_offload_set_rdma_read_conf(io, api_done, api_failed));
	assert_ok(doca_sta_io_event_transport_err_register_cb(io, api_transport_error,
							      api_data(api)));
}

/* a target that is IDLE: device and progress engine are there */
static inline struct api *api_create(void)
{
	struct api *api = calloc(1, sizeof(*api));
	struct doca_devinfo **list;
	uint32_t count, i;

	assert_non_null(api);
	assert_ok(doca_devinfo_create_list(&list, &count));
	for (i = 0; !api->dev && i < count; i++)
		if (!doca_sta_cap_is_supported(list[i]))
			assert_ok(doca_dev_open(list[i], &api->dev));
	doca_devinfo_destroy_list(list);
	assert_ok(doca_pe_create(&api->pe));
	assert_ok(doca_sta_create(api->dev, &api->sta));
	assert_ok(doca_pe_connect_ctx(api->pe, doca_sta_as_ctx(api->sta)));
	return api;
}

static inline void api_start(struct api *api)
{
	assert_ok(doca_sta_add_dev(api->sta, api->dev));
	assert_ok(doca_sta_subsystem_task_rm_ns_set_conf(api->sta, api_done, api_failed));
	assert_ok(doca_sta_be_task_destroy_queue_set_conf(api->sta, api_done, api_failed));
	assert_ok(doca_ctx_start(doca_sta_as_ctx(api->sta)));
}

static inline void api_add_disk(struct api *api)
{
	const struct softfield_sta_disk_attr attr = {.kind = SOFTFIELD_STA_DISK_MEMORY,
						     .size = API_DISK};

	if (!api->subs)
		assert_ok(doca_sta_subsystem_create(api->sta, API_NQN, &api->subs));
	assert_ok(softfield_sta_disk_open(api->sta, &attr, &api->disk));
	assert_ok(doca_sta_be_create(api->sta, &api->be));
	assert_ok(softfield_sta_be_add_disk_queue(api->be, api->disk, &api->be_q));
	assert_ok(doca_sta_subsystem_add_ns(api->subs, 1, API_BLOCK, 1, api->be, &api->ns));
}

static inline void api_destroy_queue(struct api *api)
{
	unsigned int before = api->done;
	struct doca_sta_producer_task_send *task;

	assert_ok(doca_sta_be_destroy_queue_task_alloc_init(api->be_q, api_data(api), &task));
	api_submit(task);
	API_UNTIL(api, api->done > before);
	api->be_q = NULL;
}

static inline void api_remove_disk(struct api *api)
{
	if (api->ns)
		assert_ok(doca_sta_subsystem_rm_ns(api->subs, api->ns));
	if (api->be_q)
		api_destroy_queue(api);
	if (api->be)
		assert_ok(doca_sta_be_destroy(api->be));
	assert_ok(softfield_sta_disk_close(api->disk));
	if (api->subs)
		assert_ok(doca_sta_subsystem_destroy(api->subs));
}

static inline void api_destroy(struct api *api)
{
	assert_ok(doca_sta_destroy(api->sta));
	assert_ok(doca_pe_destroy(api->pe));
	assert_ok(doca_dev_close(api->dev));
	assert_int_equal(api->failed, 0);
	free(api);
}

/* IDLE */
static inline int api_setup_idle(void **state)
{
	*state = api_create();
	return 0;
}

static inline int api_teardown_idle(void **state)
{
	api_destroy(*state);
	return 0;
}

/* RUNNING, without anything in it */
static inline int api_setup_empty(void **state)
{
	struct api *api = api_create();

	api_start(api);
	*state = api;
	return 0;
}

static inline int api_teardown_empty(void **state)
{
	struct api *api = *state;

	assert_ok(doca_ctx_stop(doca_sta_as_ctx(api->sta)));
	api_destroy(api);
	return 0;
}

/* a doca_sta_io and a namespace */
static inline void api_fill(struct api *api)
{
	assert_ok(doca_sta_io_create(api->sta, &api->io));
	api_configure_io(api, api->io);
	assert_ok(doca_ctx_start(doca_sta_io_as_ctx(api->io)));
	api_add_disk(api);
}

/* RUNNING, with both */
static inline int api_setup(void **state)
{
	api_setup_empty(state);
	api_fill(*state);
	return 0;
}

static inline int api_teardown(void **state)
{
	struct api *api = *state;

	assert_ok(doca_ctx_stop(doca_sta_io_as_ctx(api->io)));
	assert_ok(doca_sta_io_destroy(api->io));
	api_remove_disk(api);
	return api_teardown_empty(state);
}

/* --- the host ----------------------------------------------------------------------------- */

static inline void api_answered(const uint8_t *cqe, union doca_data data)
{
	struct api *api = data.ptr;

	api->answered++;
	api->lost += cqe == NULL;
	if (cqe)
		memcpy(&api->cqe, cqe, sizeof(api->cqe));
}

static inline doca_error_t api_host(struct api *api, struct doca_sta_qp_handle *qp,
				    const struct nvme_cmd *cmd, void *data, uint32_t size)
{
	return softfield_sta_io_qp_loop_submit(qp, (const uint8_t *)cmd, data, size, api_answered,
					       api_data(api));
}

static inline struct nvme_cmd api_connect_cmd(void)
{
	const struct nvmf_connect_cmd connect = {.opcode = NVME_CMD_FABRICS,
						 .fctype = NVME_FC_CONNECT,
						 .qid = htole16(1),
						 .sqsize = htole16(31)};
	struct nvme_cmd cmd;

	memcpy(&cmd, &connect, sizeof(cmd));
	return cmd;
}

/* a queue pair whose host is the test, and which has answered Connect */
static inline struct doca_sta_qp_handle *api_connect(struct api *api)
{
	static uint8_t data[1024];
	const struct nvme_cmd cmd = api_connect_cmd();
	unsigned int answered = api->answered, done = api->done;
	struct doca_sta_qp_handle *qp;

	assert_ok(softfield_sta_io_qp_connect_loop(api->io, api->dev, NULL, &qp));
	assert_ok(api_host(api, qp, &cmd, data, sizeof(data)));
	API_UNTIL(api, api->answered > answered && api->done > done);
	assert_int_equal(nvme_cqe_status(&api->cqe), 0);
	return qp;
}

static inline void api_disconnect(struct api *api, struct doca_sta_qp_handle *qp)
{
	struct doca_sta_producer_task_send *task;
	unsigned int done = api->done;
	doca_error_t err;

	assert_ok(doca_sta_io_task_disconnect_alloc_init(api->io, api_data(api), qp, &task));
	api_submit(task);
	API_UNTIL(api, api->done > done);
	/* That may have been the task of an answer that the host has seen already. */
	while ((err = doca_sta_io_qp_destroy(api->io, qp)) == DOCA_ERROR_BAD_STATE)
		doca_pe_progress(api->pe);
	assert_ok(err);
}

/* submits and waits; the status field */
static inline uint16_t api_do(struct api *api, struct doca_sta_qp_handle *qp,
			      const struct nvme_cmd *cmd, void *data, uint32_t size)
{
	unsigned int before = api->answered;

	assert_ok(api_host(api, qp, cmd, data, size));
	API_UNTIL(api, api->answered > before);
	assert_int_equal(api->lost, 0);
	return nvme_cqe_status(&api->cqe);
}

/* a command that the program keeps */
static inline void api_keep(struct api *api, struct doca_sta_qp_handle *qp, uint8_t opcode,
			    void *data, uint32_t size)
{
	const struct nvme_cmd cmd = {.opcode = opcode};
	unsigned int before = api->commands;

	assert_ok(api_host(api, qp, &cmd, data, size));
	API_UNTIL(api, api->commands > before);
}

static inline struct nvme_cmd api_rw(uint8_t opcode, uint32_t nsid, uint32_t slba, uint32_t size)
{
	return (struct nvme_cmd){.opcode = opcode,
				 .nsid = htole32(nsid),
				 .cdw10 = htole32(slba),
				 .cdw12 = htole32(size / API_BLOCK - 1)};
}

#define API_TEST(test) cmocka_unit_test_setup_teardown(test, api_setup, api_teardown)
#define API_EMPTY_TEST(test)                                                                       \
	cmocka_unit_test_setup_teardown(test, api_setup_empty, api_teardown_empty)
#define API_IDLE_TEST(test) cmocka_unit_test_setup_teardown(test, api_setup_idle, api_teardown_idle)

#endif
