/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A host made of command capsules: builds commands, hands them to the target, keeps what came back.
 */
#ifndef SOFTFIELD_TESTS_NVMF_HOST_H
#define SOFTFIELD_TESTS_NVMF_HOST_H

#include "test.h"

#include <stdlib.h>
#include <string.h>
#include "nvmf/ctrlr.h"

#define DNR(sc) ((sc) | NVME_SC_DNR)
#define SUBNQN	"nqn.2024-01.example:disk"
#define HOSTNQN "nqn.2014-08.org.nvmexpress:uuid:11111111-2222-3333-4444-555555555555"
#define SECOND	1000000000ull

struct host {
	struct nvmf_target *target;
	struct nvmf_subsys *subsys;
	struct nvmf_port *port;
	struct nvmf_ns *ns;
	struct nvmf_queue admin, io;
	struct nvmf_req req;
	_Alignas(8) uint8_t data[8192];
	enum nvmf_verdict verdict;
};

/* what the target has asked for, over all hosts of the test */
static struct nvmf_req *completed[32];
static unsigned int completed_count;
static struct nvmf_queue *dropped[32];
static unsigned int dropped_count;
static unsigned int forgotten_count; /* held commands */
static unsigned int flush_count;     /* that have been asked for */
static bool keep_flushes;	     /* they do not end by themselves */
static int hidden_count;	     /* namespaces of queues */
static uint32_t last_hidden;
static unsigned int asked_to_abort;
static enum nvmf_abort abort_result; /* what the program says */
static struct nvmf_queue *abort_queue;
static uint16_t abort_cid;

static void note_complete(struct nvmf_req *req)
{
	completed[completed_count++ % 32] = req;
}

static void note_disconnect(struct nvmf_queue *queue, const char *why)
{
	assert_non_null(why);
	dropped[dropped_count++ % 32] = queue;
}

static void note_drop(struct nvmf_req *req)
{
	assert_non_null(req);
	forgotten_count++;
}

static void note_flush(struct nvmf_subsys *subsys, uint16_t cntlid)
{
	flush_count++;
	if (!keep_flushes)
		nvmf_ctrlr_flushed(subsys, cntlid);
}

static void note_hide(struct nvmf_queue *queue, uint32_t nsid, bool hidden)
{
	assert_int_not_equal(queue->qid, 0);
	hidden_count += hidden ? 1 : -1;
	last_hidden = nsid;
}

static enum nvmf_abort note_abort(struct nvmf_queue *queue, uint16_t cid)
{
	asked_to_abort++;
	abort_queue = queue;
	abort_cid = cid;
	return abort_result;
}

static const struct nvmf_ops host_ops = {.complete = note_complete,
					 .drop = note_drop,
					 .disconnect = note_disconnect,
					 .flush = note_flush,
					 .abort = note_abort,
					 .hide = note_hide};

/* the program's part of a disconnection */
static inline void close_dropped(void)
{
	while (dropped_count)
		nvmf_queue_closed(dropped[--dropped_count]);
}

static inline uint16_t run(struct host *h, struct nvmf_queue *queue)
{
	h->req.data = h->data;
	h->verdict = nvmf_execute(h->target, queue, &h->req);
	return h->req.status;
}

static inline void new_cmd(struct host *h, uint8_t opcode)
{
	memset(&h->req, 0, sizeof(h->req));
	h->req.cmd.opcode = opcode;
	h->req.cmd.flags = NVME_FLAG_PSDT_SGL;
	h->req.size = 4096;
}

static inline void new_connect(struct host *h, uint16_t qid, uint16_t cntlid, const char *subnqn)
{
	struct nvmf_connect_cmd cmd = {.opcode = NVME_CMD_FABRICS,
				       .flags = NVME_FLAG_PSDT_SGL,
				       .fctype = NVME_FC_CONNECT,
				       .qid = htole16(qid),
				       .sqsize = htole16(31),
				       .kato = htole32(5000)};
	struct nvmf_connect_data data = {.cntlid = htole16(cntlid)};

	strcpy(data.subnqn, subnqn);
	strcpy(data.hostnqn, HOSTNQN);
	memset(data.hostid, 0x42, sizeof(data.hostid));
	memset(&h->req, 0, sizeof(h->req));
	memcpy(&h->req.cmd, &cmd, sizeof(cmd));
	memcpy(h->data, &data, sizeof(data));
	h->req.size = sizeof(data);
}

static inline struct nvmf_connect_data *connect_data(struct host *h)
{
	return (void *)h->data;
}

static inline struct nvmf_connect_cmd *connect_cmd(struct host *h)
{
	return (struct nvmf_connect_cmd *)&h->req.cmd;
}

static inline uint16_t property(struct host *h, uint8_t type, uint32_t offset, uint8_t attrib,
				uint64_t value)
{
	struct nvmf_property_cmd cmd = {.opcode = NVME_CMD_FABRICS,
					.flags = NVME_FLAG_PSDT_SGL,
					.fctype = type,
					.attrib = attrib,
					.offset = htole32(offset),
					.value = htole64(value)};

	memset(&h->req, 0, sizeof(h->req));
	memcpy(&h->req.cmd, &cmd, sizeof(cmd));
	return run(h, &h->admin);
}

static inline uint64_t get_property(struct host *h, uint32_t offset, uint8_t attrib)
{
	assert_int_equal(property(h, NVME_FC_PROPERTY_GET, offset, attrib, 0), 0);
	return h->req.dw0 | (uint64_t)h->req.dw1 << 32;
}

static inline uint16_t set_cc(struct host *h, uint32_t cc)
{
	return property(h, NVME_FC_PROPERTY_SET, NVME_PROP_CC, 0, cc);
}

#define CC_ENABLE 0x00460001u

static inline void connect_admin_to(struct host *h, const char *subnqn)
{
	nvmf_queue_init(&h->admin, h->port, "127.0.0.1");
	new_connect(h, 0, 0xffff, subnqn);
	assert_int_equal(run(h, &h->admin), 0);
	assert_int_equal(set_cc(h, CC_ENABLE), 0);
}

static inline uint16_t connect_io_queue(struct host *h, struct nvmf_queue *queue, uint16_t qid)
{
	nvmf_queue_init(queue, h->port, "127.0.0.1");
	new_connect(h, qid, h->admin.ctrlr->cntlid, SUBNQN);
	return run(h, queue);
}

static inline int host_setup(void **state)
{
	struct nvmf_target_attr attr = {.ops = &host_ops,
					.max_queue_entries = 128,
					.max_io_queues = 8,
					.max_transfer = 131072,
					.max_in_capsule = 8192,
					.version = "3.3.0"};
	struct nvmf_subsys_attr subsys = {
		.nqn = SUBNQN, .serial = "SF0001", .model = "Softfield", .allow_any_host = true};
	struct nvmf_ns_attr ns = {.nsid = 1,
				  .blocks = 2048,
				  .block_shift = 9,
				  .write_cache = true,
				  .oncs = NVME_ONCS_OURS};
	struct host *h = calloc(1, sizeof(*h));

	completed_count = dropped_count = forgotten_count = flush_count = 0;
	keep_flushes = false;
	hidden_count = 0;
	memset(ns.uuid, 0xa5, sizeof(ns.uuid));
	assert_int_equal(nvmf_target_create(&attr, &h->target), DOCA_SUCCESS);
	assert_int_equal(
		nvmf_port_add(h->target,
			      &(struct nvmf_port_attr){1, NVMF_TCP, NVMF_IPV4, "0.0.0.0", "4420"},
			      &h->port),
		DOCA_SUCCESS);
	assert_int_equal(nvmf_subsys_add(h->target, &subsys, &h->subsys), DOCA_SUCCESS);
	assert_int_equal(nvmf_ns_add(h->subsys, &ns, &h->ns), DOCA_SUCCESS);
	nvmf_target_tick(h->target, SECOND);
	*state = h;
	return 0;
}

static inline int host_setup_connected(void **state)
{
	host_setup(state);
	connect_admin_to(*state, SUBNQN);
	return 0;
}

static inline int host_setup_discovery(void **state)
{
	host_setup(state);
	connect_admin_to(*state, NVME_DISCOVERY_NQN);
	return 0;
}

static inline int host_teardown(void **state)
{
	struct host *h = *state;

	if (h->io.ctrlr)
		nvmf_queue_closed(&h->io);
	if (h->admin.ctrlr)
		nvmf_queue_closed(&h->admin);
	nvmf_target_destroy(h->target);
	free(h);
	return 0;
}

static inline const struct nvme_id_ctrl *identify_ctrl(struct host *h)
{
	new_cmd(h, NVME_ADMIN_IDENTIFY);
	h->req.cmd.cdw10 = htole32(NVME_CNS_CTRL);
	assert_int_equal(run(h, &h->admin), 0);
	assert_int_equal(h->req.reply_size, 4096);
	return (const void *)h->data;
}

static inline uint16_t identify(struct host *h, uint8_t cns, uint32_t nsid)
{
	new_cmd(h, NVME_ADMIN_IDENTIFY);
	h->req.cmd.cdw10 = htole32(cns);
	h->req.cmd.nsid = htole32(nsid);
	return run(h, &h->admin);
}

/* lid: with what is specific to the page in bits 14:8 */
static inline uint16_t get_log(struct host *h, uint32_t lid, uint64_t offset, uint32_t size,
			       bool retain)
{
	new_cmd(h, NVME_ADMIN_GET_LOG_PAGE);
	h->req.cmd.nsid = htole32(NVME_NSID_ALL);
	h->req.cmd.cdw10 = htole32(lid | (retain ? 1u << 15 : 0) | (size / 4 - 1) << 16);
	h->req.cmd.cdw12 = htole32((uint32_t)offset);
	h->req.cmd.cdw13 = htole32((uint32_t)(offset >> 32));
	h->req.size = size;
	return run(h, &h->admin);
}

static inline uint16_t feature(struct host *h, uint8_t opcode, uint32_t cdw10, uint32_t cdw11)
{
	new_cmd(h, opcode);
	h->req.cmd.cdw10 = htole32(cdw10);
	h->req.cmd.cdw11 = htole32(cdw11);
	return run(h, &h->admin);
}

static inline enum nvmf_verdict send_aer(struct host *h, struct nvmf_req *req, uint16_t cid)
{
	memset(req, 0, sizeof(*req));
	req->cmd.opcode = NVME_ADMIN_ASYNC_EVENT;
	req->cmd.flags = NVME_FLAG_PSDT_SGL;
	req->cmd.cid = htole16(cid);
	return nvmf_execute(h->target, &h->admin, req);
}

static inline void add_ns(struct host *h, uint32_t nsid)
{
	struct nvmf_ns_attr attr = {.nsid = nsid, .block_shift = 9, .blocks = 8};
	struct nvmf_ns *ns;

	assert_int_equal(nvmf_ns_add(h->subsys, &attr, &ns), DOCA_SUCCESS);
}

#define HOST_TEST(name) cmocka_unit_test_setup_teardown(name, host_setup, host_teardown)
#define CONNECTED_TEST(name)                                                                       \
	cmocka_unit_test_setup_teardown(name, host_setup_connected, host_teardown)
#define DISCOVERY_TEST(name)                                                                       \
	cmocka_unit_test_setup_teardown(name, host_setup_discovery, host_teardown)

#endif
