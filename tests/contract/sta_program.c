/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The program of the storage target's contract.
 */
#include "sta_program.h"

#include <sched.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include "doca_mmap.h"

/*
 * Callbacks
 */

static void on_state(enum doca_ctx_states *states, unsigned int *count, enum doca_ctx_states next)
{
	assert_true(*count < 8);
	states[(*count)++] = next;
}

static void on_sta_state(const union doca_data data, struct doca_ctx *ctx,
			 enum doca_ctx_states prev, enum doca_ctx_states next)
{
	struct program *p = data.ptr;

	(void)ctx;
	(void)prev;
	on_state(p->sta_states, &p->sta_state_count, next);
}

static void on_io_state(const union doca_data data, struct doca_ctx *ctx, enum doca_ctx_states prev,
			enum doca_ctx_states next)
{
	struct program *p = data.ptr;

	(void)ctx;
	(void)prev;
	on_state(p->io_states, &p->io_state_count, next);
}

static void free_task(struct doca_sta_producer_task_send *task)
{
	doca_task_free(doca_sta_producer_send_task_as_task(task));
}

static void on_done(struct doca_sta_producer_task_send *task, union doca_data data)
{
	struct program *p = data.ptr;

	p->tasks_done++;
	free_task(task);
}

static void on_failed(struct doca_sta_producer_task_send *task, union doca_data data)
{
	struct program *p = data.ptr;

	p->tasks_failed++;
	free_task(task);
}

static void on_flag(struct doca_sta_producer_task_send *task, union doca_data data)
{
	*(bool *)data.ptr = true;
	free_task(task);
}

static void on_flag_failed(struct doca_sta_producer_task_send *task, union doca_data data)
{
	(void)task;
	(void)data;
	fail_msg("a task that cannot fail has failed");
}

static void on_transport_error(const struct doca_sta_event_transport_err *event,
			       union doca_data data)
{
	struct program *p = data.ptr;
	const struct doca_sta_qp_handle *qp;
	uint32_t number;

	p->transport_errors++;
	assert_ok(doca_sta_event_transport_err_get_qp_handle(event, &qp));
	assert_ptr_equal(qp, p->host->qp);
	assert_ok(doca_sta_event_transport_err_get_operation(event, &number));
	assert_ok(doca_sta_event_transport_err_get_syndrome(event, &number));
	assert_ok(doca_sta_event_transport_err_get_vendor_syndrome(event, &number));
}

static void on_notify(const struct doca_sta_event_cqe_notify *event, union doca_data data)
{
	struct program *p = data.ptr;
	uint16_t cid, nsid;

	p->notifications++;
	assert_ok(doca_sta_event_cqe_notify_get_cqe(event, (uint8_t *)&p->notified_cqe));
	assert_ok(doca_sta_event_cqe_notify_get_cqe_notify_type(event, &p->notified_type));
	assert_ok(doca_sta_event_cqe_notify_get_capsule_params(event, &p->notified_opcode, &cid,
							       &nsid, &p->notified_lba));
}

/*
 * Commands that are not offloaded
 */

/* tasks carry the program; what a read task needs besides is here: one at a time */
static struct {
	struct doca_sta_qp_handle *qp;
	union doca_data token;
	uint8_t *payload;
	uint32_t size;
	uint16_t cid;
} reading;

static void respond(struct program *p, struct doca_sta_qp_handle *qp, uint16_t cid,
		    union doca_data token, bool with_data)
{
	struct nvme_cqe cqe = {.dw0 = htole32(0x5a5a), .cid = htole16(cid)};
	union doca_data data = {.ptr = p};
	struct doca_sta_producer_task_send *task;
	uint8_t bytes[16];

	memcpy(bytes, &cqe, sizeof(bytes));
	if (with_data)
		assert_ok(doca_sta_io_task_non_offload_rdma_write_send_alloc_init(
			p->io, data, qp, bytes, token, &task));
	else
		assert_ok(doca_sta_io_task_non_offload_rdma_send_alloc_init(p->io, data, qp, bytes,
									    token, &task));
	assert_ok(doca_task_submit(doca_sta_producer_send_task_as_task(task)));
}

static bool is_pattern(const uint8_t *data, uint32_t size)
{
	uint32_t i;

	for (i = 0; i < size; i++)
		if (data[i] != (uint8_t)(i * 13 + 5))
			return false;
	return true;
}

static void on_read(struct doca_sta_producer_task_send *task, union doca_data data)
{
	struct program *p = data.ptr;

	p->data_was_right = is_pattern(reading.payload, reading.size);
	free_task(task);
	respond(p, reading.qp, reading.cid, reading.token, false);
}

static void start_reading(struct program *p, struct doca_sta_qp_handle *qp,
			  const struct nvme_cmd *cmd, uint8_t *payload, uint32_t size,
			  union doca_data token)
{
	union doca_data data = {.ptr = p};
	struct doca_sta_producer_task_send *task;

	reading.qp = qp;
	reading.token = token;
	reading.payload = payload;
	reading.size = size;
	reading.cid = le16toh(cmd->cid);
	assert_ok(doca_sta_io_task_non_offload_rdma_read_alloc_init(p->io, data, qp, token, &task));
	assert_ok(doca_task_submit(doca_sta_producer_send_task_as_task(task)));
}

static void answer_connect(struct program *p, struct doca_sta_qp_handle *qp,
			   const struct nvme_cmd *cmd, union doca_data token)
{
	struct nvmf_connect_cmd connect;

	memcpy(&connect, cmd, sizeof(connect));
	assert_int_equal(connect.fctype, NVME_FC_CONNECT);
	if (!p->lets_in_later) {
		assert_ok(doca_sta_io_qp_add_subsystem(p->io, p->subs, qp));
		assert_ok(doca_sta_io_qp_add_subsystem(p->io, p->subs, qp)); /* twice is once */
	}
	assert_ok(doca_sta_io_qp_connect_set_sq_size(p->io, qp, le16toh(connect.sqsize)));
	respond(p, qp, le16toh(cmd->cid), token, false);
}

/* of fused commands: the first one first, both with their data */
static void on_half(struct program *p, const struct nvme_cmd *cmd, const uint8_t *payload,
		    uint32_t payload_len)
{
	bool is_second = p->halves++ & 1;

	assert_int_equal(cmd->opcode, is_second ? NVME_CMD_WRITE : NVME_CMD_COMPARE);
	assert_int_equal(payload_len, le32toh(cmd->cdw11));
	assert_true(is_pattern(payload, payload_len));
}

static void on_command(struct doca_sta_qp_handle *qp, union doca_data data, const uint8_t *nvme_cmd,
		       uint8_t *payload, uint32_t payload_len, bool payload_valid,
		       union doca_data token)
{
	struct program *p = data.ptr;
	struct nvme_cmd cmd;
	uint32_t i;

	memcpy(&cmd, nvme_cmd, sizeof(cmd));
	p->commands++;
	assert_ptr_equal(qp, p->host->qp); /* rule 4.9: known before the first callback */
	assert_non_null(payload);
	if (cmd.flags & NVME_FLAG_FUSED_MASK) {
		assert_true(payload_valid);
		on_half(p, &cmd, payload, payload_len);
		respond(p, qp, le16toh(cmd.cid), token, false);
		return;
	}
	switch (cmd.opcode) {
	case NVME_CMD_FABRICS:
		assert_int_equal(payload_valid, !p->connect_by_descriptor);
		answer_connect(p, qp, &cmd, token);
		break;
	case NVME_CMD_READ:
	case NVME_CMD_WRITE:
		assert_true(p->lets_in_later);
		respond(p, qp, le16toh(cmd.cid), token, false);
		break;
	case OP_SEND:
		respond(p, qp, le16toh(cmd.cid), token, false);
		break;
	case OP_WRITE:
		assert_int_equal(payload_valid, le32toh(cmd.cdw10));
		if (payload_valid) {
			p->data_was_right = is_pattern(payload, payload_len);
			respond(p, qp, le16toh(cmd.cid), token, false);
		} else {
			start_reading(p, qp, &cmd, payload, le32toh(cmd.cdw11), token);
		}
		break;
	case OP_READ:
		assert_true(payload_len >= le32toh(cmd.cdw11));
		for (i = 0; i < le32toh(cmd.cdw11); i++)
			payload[i] = (uint8_t)(i * 13 + 5);
		respond(p, qp, le16toh(cmd.cid), token, true);
		break;
	default:
		assert_int_equal(cmd.opcode, OP_KEEP);
		p->kept++;
		p->kept_token = token;
	}
}

/*
 * Bring-up: walk (a)
 */

static struct doca_dev *open_dev(void)
{
	struct doca_devinfo **list;
	struct doca_dev *dev = NULL;
	uint32_t count, i;

	assert_ok(doca_devinfo_create_list(&list, &count));
	for (i = 0; !dev && i < count; i++)
		if (!doca_sta_cap_is_supported(list[i]))
			assert_ok(doca_dev_open(list[i], &dev));
	assert_non_null(dev);
	doca_devinfo_destroy_list(list);
	return dev;
}

void (*program_before_start)(struct program *p);

static void start_sta(struct program *p)
{
	union doca_data data = {.ptr = p};
	struct doca_ctx *ctx;
	uint32_t value;

	assert_ok(doca_sta_create(p->dev, &p->sta));
	assert_ok(doca_sta_get_max_io_num_per_dev(p->sta, &value)); /* rule 4.1 */
	ctx = doca_sta_as_ctx(p->sta);
	assert_ok(doca_pe_connect_ctx(p->pe, ctx));
	assert_ok(doca_sta_add_dev(p->sta, p->dev));
	assert_ok(doca_ctx_set_user_data(ctx, data));
	assert_ok(doca_ctx_set_state_changed_cb(ctx, on_sta_state));
	assert_ok(doca_sta_subsystem_task_rm_ns_set_conf(p->sta, on_flag, on_flag_failed));
	assert_ok(doca_sta_be_task_destroy_queue_set_conf(p->sta, on_flag, on_flag_failed));
	assert_ok(doca_sta_event_cqe_notify_register_cb(p->sta, on_notify, data));
	assert_ok(softfield_sta_set_num_eus(p->sta, p->remote ? 2 : 1));
	if (program_before_start)
		program_before_start(p);
	assert_ok(doca_ctx_start(ctx));
	if (p->remote) /* the thread that will own the queues looks busy */
		p->sta->engine->eus[0].qp_count = 100;
	assert_int_equal(p->sta_state_count, 1); /* rule 4.3: inside the call */
	assert_int_equal(p->sta_states[0], DOCA_CTX_STATE_RUNNING);
}

static void start_io(struct program *p)
{
	union doca_data data = {.ptr = p};
	struct doca_ctx *ctx;

	assert_ok(doca_sta_io_create(p->sta, &p->io));
	ctx = doca_sta_io_as_ctx(p->io);
	assert_ok(doca_pe_connect_ctx(p->pe, ctx));
	assert_ok(doca_ctx_set_user_data(ctx, data));
	assert_ok(doca_ctx_set_state_changed_cb(ctx, on_io_state));
	assert_err(doca_ctx_start(ctx), BAD_CONFIG); /* rule 4.6 */
	assert_ok(doca_sta_io_task_disconnect_set_conf(p->io, on_flag, on_flag_failed));
	assert_ok(doca_sta_io_non_offload_register_cb(p->io, on_command, data));
	assert_ok(doca_sta_io_task_non_offload_set_rdma_write_send_conf(p->io, on_done, on_failed));
	assert_err(doca_ctx_start(ctx), BAD_CONFIG);
	assert_ok(doca_sta_io_task_non_offload_set_rdma_read_conf(p->io, on_read, on_failed));
	assert_ok(doca_sta_io_event_transport_err_register_cb(p->io, on_transport_error, data));
	assert_ok(doca_ctx_start(ctx));
	assert_int_equal(p->io_states[0], DOCA_CTX_STATE_RUNNING);
}

static struct doca_mmap *map(void *addr, size_t size)
{
	struct doca_mmap *mmap;

	assert_ok(doca_mmap_create(&mmap));
	assert_ok(doca_mmap_set_memrange(mmap, addr, size));
	assert_ok(doca_mmap_start(mmap));
	return mmap;
}

static void add_memory_disk(struct program *p)
{
	struct softfield_sta_disk_attr attr = {.kind = SOFTFIELD_STA_DISK_MEMORY, .size = 1 << 20};

	assert_ok(softfield_sta_disk_open(p->sta, &attr, &p->disk));
	assert_ok(doca_sta_be_create(p->sta, &p->be));
	assert_ok(softfield_sta_be_add_disk_queue(p->be, p->disk, &p->be_q));
	assert_ok(doca_sta_subsystem_add_ns(p->subs, 1, BLOCK, 1, p->be, &p->ns));
}

void program_add_queue(struct program *p)
{
	const struct nvme_queue_attr *rings = &p->rings;
	_Atomic uint32_t *first = rings->sq_doorbell;
	size_t distance = (size_t)((char *)rings->cq_doorbell - (char *)first);

	p->maps[0] = map(rings->sq, rings->entries * sizeof(*rings->sq));
	p->maps[1] = map(rings->cq, rings->entries * sizeof(*rings->cq));
	p->maps[2] = map(first, distance + sizeof(*first));
	assert_ok(doca_sta_be_add_queue(p->hand_be, p->maps[0], p->maps[2], 0, p->maps[1],
					p->maps[2], (uint16_t)distance, &p->hand_be_q));
}

static void add_namespaces(struct program *p)
{
	if (!p->without_memory_disk)
		add_memory_disk(p);
	assert_ok(doca_sta_be_create(p->sta, &p->hand_be));
	program_add_queue(p);
	assert_ok(
		doca_sta_subsystem_add_ns(p->subs, 2, BLOCK, p->be_nsid, p->hand_be, &p->hand_ns));
}

int program_setup(void **state, const struct host_ops *ops, bool remote)
{
	struct program *p = calloc(1, sizeof(*p));

	assert_non_null(p);
	p->host = calloc(1, sizeof(*p->host));
	assert_non_null(p->host);
	p->host->ops = ops;
	p->remote = remote;
	p->be_nsid = 77;
	p->rings = (struct nvme_queue_attr){
		.sq = p->sq,
		.cq = p->cq,
		.sq_doorbell = &p->doorbells[0],
		.cq_doorbell = &p->doorbells[1],
		.entries = DISK_ENTRIES,
	};
	p->dev = open_dev();
	assert_ok(doca_pe_create(&p->pe));
	start_sta(p);
	start_io(p);
	assert_ok(doca_sta_subsystem_create(p->sta, "nqn.2024-01.example:contract", &p->subs));
	assert_ok(doca_sta_subsystem_add_dev(p->subs, p->dev));
	add_namespaces(p);
	*state = p;
	return 0;
}

static void remove_ns(struct program *p, struct doca_sta_ns_handle **ns)
{
	if (*ns)
		assert_ok(doca_sta_subsystem_rm_ns(p->subs, *ns));
	*ns = NULL;
}

void program_destroy_queue(struct program *p, struct doca_sta_be_q_handle **be_q)
{
	union doca_data data = {.ptr = &p->destroyed};
	struct doca_sta_producer_task_send *task;

	if (!*be_q)
		return;
	p->destroyed = false;
	assert_ok(doca_sta_be_destroy_queue_task_alloc_init(*be_q, data, &task));
	assert_ok(doca_task_submit(doca_sta_producer_send_task_as_task(task)));
	UNTIL(p, p->destroyed);
	*be_q = NULL;
}

static void close_memory_disk(struct program *p)
{
	if (!p->disk)
		return;
	assert_err(doca_sta_be_destroy(p->be), IN_USE);
	program_destroy_queue(p, &p->be_q);
	assert_ok(doca_sta_be_destroy(p->be));
	assert_ok(softfield_sta_disk_close(p->disk));
}

/* in the order of the public client: the device goes first */
int program_teardown(void **state)
{
	struct program *p = *state;
	unsigned int i;

	program_disconnect(p);
	assert_ok(doca_ctx_stop(doca_sta_io_as_ctx(p->io)));
	assert_ok(doca_sta_io_destroy(p->io));
	p->io = NULL;
	remove_ns(p, &p->ns);
	remove_ns(p, &p->hand_ns);
	close_memory_disk(p);
	program_destroy_queue(p, &p->hand_be_q);
	assert_ok(doca_sta_be_destroy(p->hand_be));
	assert_ok(doca_sta_subsystem_destroy(p->subs));
	assert_ok(doca_dev_close(p->dev)); /* rule 4.8: the target has a reference of its own */
	assert_ok(doca_ctx_stop(doca_sta_as_ctx(p->sta)));
	assert_int_equal(p->sta_states[p->sta_state_count - 1], DOCA_CTX_STATE_IDLE);
	assert_ok(doca_pe_destroy(p->pe)); /* rule 4.7: before the object */
	assert_ok(doca_sta_destroy(p->sta));
	for (i = 0; i < 3; i++)
		assert_ok(doca_mmap_destroy(p->maps[i]));
	free(p->host);
	free(p);
	return 0;
}

/*
 * Tools
 */

void program_poll(struct program *p)
{
	unsigned int work = doca_pe_progress(p->pe);

	if (p->host->qp)
		p->host->ops->poll(p->host);
	if (!work)
		sched_yield();
}

void program_connect(struct program *p, uint16_t qid)
{
	static uint8_t connect_data[1024];
	struct nvmf_connect_cmd connect = {.opcode = NVME_CMD_FABRICS,
					   .fctype = NVME_FC_CONNECT,
					   .qid = htole16(qid),
					   .sqsize = htole16(31)};
	struct host_cmd cmd = {.data = connect_data, .size = 1024, .in_capsule = true};

	p->host->ops->connect(p->host, p->io, p->dev);
	memcpy(&cmd.sqe, &connect, sizeof(cmd.sqe));
	assert_int_equal(program_do(p, &cmd), NVME_SC_SUCCESS);
}

void program_disconnect(struct program *p)
{
	union doca_data data = {.ptr = &p->disconnected};
	struct doca_sta_producer_task_send *task;

	if (!p->host->qp)
		return;
	if (!p->disconnected) {
		assert_ok(doca_sta_io_task_disconnect_alloc_init(p->io, data, p->host->qp, &task));
		assert_ok(doca_task_submit(doca_sta_producer_send_task_as_task(task)));
		UNTIL(p, p->disconnected);
	}
	assert_ok(doca_sta_io_qp_destroy(p->io, p->host->qp));
	p->host->ops->close(p->host);
	p->host->qp = NULL;
	p->disconnected = false;
}

uint16_t program_do(struct program *p, struct host_cmd *cmd)
{
	p->host->ops->submit(p->host, cmd);
	UNTIL(p, cmd->done);
	return cmd->status;
}

struct host_cmd program_rw(uint8_t opcode, uint32_t nsid, uint64_t slba, void *data, uint32_t size,
			   bool in_capsule)
{
	return (struct host_cmd){
		.sqe = {.opcode = opcode,
			.nsid = htole32(nsid),
			.cdw10 = htole32((uint32_t)slba),
			.cdw12 = htole32(size / BLOCK - 1)},
		.data = data,
		.size = size,
		.in_capsule = in_capsule,
	};
}

uint32_t disk_pending(const struct program *p)
{
	return le32toh(atomic_load_explicit(&p->doorbells[0], memory_order_acquire));
}

void disk_complete(struct program *p, uint32_t index)
{
	struct nvme_cqe *cqe = &p->cq[p->posted % DISK_ENTRIES];
	uint16_t phase = !((p->posted / DISK_ENTRIES) & 1);

	cqe->cid = p->sq[index].cid;
	__atomic_store_n(&cqe->status, htole16(phase), __ATOMIC_RELEASE);
	p->posted++;
}
