/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Connections of hosts, and the commands that the engine leaves to the program.
 */
#include "conn.h"

#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "base/clock.h"
#include "base/count.h"
#include "topo/topo.h"

#define REPORTS_MAX 20 /* in */
#define REPORT_NS   10000000000ull

static struct conn *conn_of(struct nvmf_queue *queue)
{
	return container_of(queue, struct conn, queue);
}

/*
 * Ending
 */

static void forget(struct conn *conn)
{
	struct target *target = conn->target;
	struct list_node *node;

	if (!conn->disconnected || conn->busy)
		return;
	nvmf_queue_closed(&conn->queue);
	while ((node = list_pop(&conn->held)))
		list_add_tail(&target->spare_cmds, node);
	doca_sta_io_qp_destroy(target->io, conn->qp);
	list_remove(&conn->node);
	target->conn_count--;
	free(conn);
}

void conn_done_with(struct cmd *cmd)
{
	struct conn *conn = cmd->conn;

	list_add_tail(&conn->target->spare_cmds, &cmd->node);
	conn->busy--;
	forget(conn);
}

static void on_disconnected(struct doca_sta_producer_task_send *task, union doca_data user_data)
{
	struct conn *conn = user_data.ptr;

	doca_task_free(doca_sta_producer_send_task_as_task(task));
	conn->disconnected = true;
	forget(conn);
}

/* Whoever connects can have such a line as often as it likes: so many in a while are enough. */
static void report(const char *who, const char *what, const char *why)
{
	static unsigned int count, left_out;
	static uint64_t since_ns;
	uint64_t now_ns = clock_now_ns();

	if (!count || now_ns - since_ns > REPORT_NS) {
		if (left_out)
			fprintf(stderr, "softfield target: so were %u more connections\n",
				left_out);
		since_ns = now_ns;
		count = left_out = 0;
	}
	if (++count > REPORTS_MAX) {
		left_out++;
		return;
	}
	fprintf(stderr, "softfield target: connection from %s %s: %s\n", who, what, why);
}

void conn_disconnect(struct conn *conn, const char *why)
{
	union doca_data user_data = {.ptr = conn};
	struct doca_sta_producer_task_send *task;

	if (conn->disconnecting)
		return;
	conn->disconnecting = true;
	conn->queue.closing = true;
	if (why)
		report(conn->queue.ctrlr ? conn->queue.ctrlr->hostnqn : "a host", "closed", why);
	disk_leave_all(conn); /* it is not disconnected yet: it stays */
	conn_drop_unanswered(conn);
	if (doca_sta_io_task_disconnect_alloc_init(conn->target->io, user_data, conn->qp, &task))
		return; /* there are as many tasks as queue pairs */
	doca_task_submit(doca_sta_producer_send_task_as_task(task));
}

/* NULL: what happens every day, as when a host goes away */
static const char *describe(uint32_t operation)
{
	switch (operation) {
	case SOFTFIELD_STA_OVERRUN:
		return "more commands than the queue holds";
	case SOFTFIELD_STA_SETUP:
		return "it was not set up, or did not send a Connect command in time";
	case SOFTFIELD_STA_KEPT_WAITING:
		return "it did not send data, or read answers, while others waited";
	case SOFTFIELD_STA_PROTOCOL:
		return "an error in the protocol";
	default:
		return NULL;
	}
}

static void on_transport_error(const struct doca_sta_event_transport_err *event,
			       union doca_data user_data)
{
	const struct doca_sta_qp_handle *qp;
	union doca_data data;
	struct conn *conn;
	uint32_t operation;

	(void)user_data;
	if (doca_sta_event_transport_err_get_qp_handle(event, &qp) ||
	    doca_sta_event_transport_err_get_operation(event, &operation) ||
	    doca_sta_io_qp_get_user_data(qp, &data))
		return;
	conn = data.ptr;
	if (operation == SOFTFIELD_STA_OVERRUN)
		nvmf_queue_violated(&conn->queue, describe(operation));
	conn_disconnect(conn, describe(operation));
}

/*
 * Commands
 */

static struct cmd *take_cmd(struct target *target)
{
	struct list_node *node = list_pop(&target->spare_cmds);

	return node ? container_of(node, struct cmd, node) : calloc(1, sizeof(struct cmd));
}

static void hide_ns(struct nvmf_queue *queue, uint32_t nsid, bool hidden)
{
	const struct conn *conn = conn_of(queue);

	softfield_sta_io_qp_hide_ns(conn->target->io, conn->qp, nsid, hidden);
}

/*
 * Until now the engine has left everything to the protocol layer; from now on it executes reads and
 * writes.
 */
static bool let_in(struct conn *conn)
{
	const struct nvmf_ctrlr *ctrlr = conn->queue.ctrlr;
	struct served_subsys *subsys = ctrlr->subsys->user;
	uint32_t nsid;

	if (!subsys || !conn->queue.qid)
		return true;
	for (nsid = 1; nsid <= NVMF_NSID_MAX; nsid++)
		if (nvmf_place_is_hidden(ctrlr, nsid))
			hide_ns(&conn->queue, nsid, true);
	return !doca_sta_io_qp_add_subsystem(conn->target->io, subsys->subs[conn->port->index],
					     conn->qp);
}

/* before the host is told that it is connected, and that it has proved who it is */
static bool prepare_queue(struct conn *conn)
{
	if (!conn->sized &&
	    doca_sta_io_qp_connect_set_sq_size(conn->target->io, conn->qp, conn->queue.sqsize))
		return false;
	conn->sized = true;
	if (nvmf_auth_is_owed(&conn->queue.auth))
		return true;
	conn->prepared = true;
	return let_in(conn);
}

/*
 * Before an answer is sent: the engine does what the queue may do. A proof that has failed counts
 * at once, not when the host has been told of it.
 */
static bool obey_queue(struct conn *conn)
{
	if (!conn->queue.ctrlr)
		return true;
	if (!conn->prepared)
		return prepare_queue(conn);
	if (nvmf_auth_is_owed(&conn->queue.auth))
		softfield_sta_io_qp_remove_subsystem(conn->target->io, conn->qp);
	return true;
}

static bool has_queue(const struct conn *conn, le16_t cntlid, le16_t qid)
{
	const struct nvmf_queue *queue = &conn->queue;

	return queue->ctrlr && queue->qid == le16toh(qid) &&
	       queue->ctrlr->cntlid == le16toh(cntlid);
}

static bool has_hung_up(const struct conn *conn)
{
	struct pollfd fd = {.fd = conn->sock, .events = POLLRDHUP};

	return !conn->disconnecting && conn->sock >= 0 && poll(&fd, 1, 0) > 0;
}

/*
 * A host that has closed a queue may open it again before the engine has told us of the end. Only
 * that one is looked at: whoever connects can ask for a queue that exists as often as it likes.
 */
static bool drop_hung_up(struct target *target, const struct nvmf_req *req)
{
	struct nvmf_connect_cmd cmd;
	struct list_node *node, *tmp;
	bool any = false;
	le16_t cntlid;

	memcpy(&cmd, &req->cmd, sizeof(cmd));
	memcpy(&cntlid, req->data + offsetof(struct nvmf_connect_data, cntlid), sizeof(cntlid));
	list_for_each_safe (node, tmp, &target->conns) {
		struct conn *conn = container_of(node, struct conn, node);

		if (!has_queue(conn, cntlid, cmd.qid) || !has_hung_up(conn))
			continue;
		conn_disconnect(conn, NULL);
		any = true;
	}
	return any;
}

static enum nvmf_verdict decide(struct cmd *cmd)
{
	struct target *target = cmd->conn->target;
	enum nvmf_verdict verdict = nvmf_execute(target->nvmf, &cmd->conn->queue, &cmd->req);

	if (verdict == NVMF_RESPOND &&
	    cmd->req.status == (NVME_SC_QUEUE_ID_INVALID | NVME_SC_DNR) &&
	    drop_hung_up(target, &cmd->req))
		verdict = nvmf_execute(target->nvmf, &cmd->conn->queue, &cmd->req);
	return verdict;
}

static void answer_decided(struct cmd *cmd)
{
	struct conn *conn = cmd->conn;

	if (!obey_queue(conn))
		conn_disconnect(conn, "its queue cannot be set up");
	conn_answer(cmd);
}

/* the first half has been held */
static void execute_pair(struct cmd *second)
{
	struct cmd *first = container_of(second->req.first, struct cmd, req);

	list_remove(&first->node);
	first->conn->busy++;
	disk_execute_fused(first, second);
}

void conn_execute(struct cmd *cmd)
{
	struct conn *conn = cmd->conn;
	struct target *target = conn->target;

	nvmf_target_tick(target->nvmf, clock_now_ns());
	switch (decide(cmd)) {
	case NVMF_HOLD:
		conn->busy--; /* it does not keep the connection from ending */
		list_add_tail(&conn->held, &cmd->node);
		return;
	case NVMF_EXECUTE:
		if (cmd->req.first)
			execute_pair(cmd);
		else
			disk_execute(cmd);
		return;
	case NVMF_RESPOND:
		break;
	}
	answer_decided(cmd);
}

static uint32_t sgl_size(const struct conn *conn, const struct nvme_cmd *cmd, uint32_t in_capsule)
{
	struct capsule_data where;

	if (capsule_parse_sgl(cmd,
			      conn->port->port->trtype == NVMF_TCP ? CAPSULE_TCP : CAPSULE_RDMA,
			      in_capsule, &where))
		return 0; /* the engine has checked it */
	return where.size;
}

static void on_command(struct doca_sta_qp_handle *qp, union doca_data user_data,
		       const uint8_t *nvme_cmd, uint8_t *payload, uint32_t payload_len,
		       bool payload_valid, union doca_data token)
{
	struct target *target = user_data.ptr;
	union doca_data data;
	bool to_read = false;
	struct cmd *cmd;

	if (doca_sta_io_qp_get_user_data(qp, &data))
		return;
	cmd = take_cmd(target);
	if (!cmd) {
		conn_disconnect(data.ptr, "out of memory");
		return;
	}
	memset(&cmd->req, 0, sizeof(cmd->req));
	list_init(&cmd->node);
	list_init(&cmd->disk_node);
	cmd->pair = NULL;
	cmd->is_first = false;
	memcpy(&cmd->req.cmd, nvme_cmd, sizeof(cmd->req.cmd));
	cmd->conn = data.ptr;
	cmd->token = token;
	cmd->req.data = payload;
	cmd->req.size =
		payload_valid ? payload_len : sgl_size(cmd->conn, &cmd->req.cmd, payload_len);
	cmd->conn->busy++;
	if (!payload_valid && !(capsule_direction(&cmd->req.cmd) & CAPSULE_TO_HOST)) {
		to_read = nvmf_takes_data(&cmd->conn->queue, &cmd->req.cmd);
		if (!to_read)
			cmd->req.size = 0;
	}
	if (cmd->req.size > payload_len) {
		/* not what Connect may be answered with: Base 6.3 */
		cmd->req.status = cmd->req.cmd.opcode == NVME_CMD_FABRICS ? NVME_SC_SGL_DATA_LENGTH
									  : NVME_SC_INVALID_FIELD;
		cmd->req.status |= NVME_SC_DNR;
		conn_answer(cmd);
	} else if (cmd->req.size && to_read) {
		conn_fetch(cmd);
	} else {
		conn_execute(cmd);
	}
}

/*
 * What the protocol layer asks for
 */

static void complete_held(struct nvmf_req *req)
{
	struct cmd *cmd = container_of(req, struct cmd, req);

	list_remove(&cmd->node);
	cmd->conn->busy++;
	answer_decided(cmd);
}

static void drop_held(struct nvmf_req *req)
{
	struct cmd *cmd = container_of(req, struct cmd, req);
	struct conn *conn = cmd->conn;

	list_remove(&cmd->node);
	/* when the connection is ending, it goes with that */
	softfield_sta_io_drop_command(conn->target->io, conn->qp, cmd->token);
	list_add_tail(&conn->target->spare_cmds, &cmd->node);
}

static void disconnect_queue(struct nvmf_queue *queue, const char *why)
{
	conn_disconnect(conn_of(queue), queue->qid ? NULL : why);
}

const struct nvmf_ops conn_nvmf_ops = {.complete = complete_held,
				       .drop = drop_held,
				       .disconnect = disconnect_queue,
				       .flush = flush_subsys,
				       .abort = disk_abort,
				       .hide = hide_ns};

/*
 * Beginning
 */

void conn_register(struct target *target)
{
	union doca_data data = {.ptr = target};
	struct doca_sta_io *io = target->io;

	doca_sta_io_non_offload_register_cb(io, on_command, data);
	doca_sta_io_event_transport_err_register_cb(io, on_transport_error, data);
	doca_sta_io_task_disconnect_set_conf(io, on_disconnected, on_disconnected);
	conn_register_tasks(io);
}

static void begin(struct conn *conn, struct served_port *port, const char *traddr)
{
	struct target *target = port->target;
	union doca_data data = {.ptr = conn};

	doca_sta_io_qp_set_user_data(target->io, conn->qp, data);
	nvmf_queue_init(&conn->queue, port->port, traddr);
	conn->target = target;
	conn->port = port;
	list_init(&conn->held);
	list_init(&conn->on_disk);
	conn_init_tasks(conn);
	list_add_tail(&target->conns, &conn->node);
	target->conn_count++;
}

/* It owes the data of its Connect, or has been refused, or has said nothing. */
static bool has_not_said(const struct conn *conn)
{
	return !conn->queue.ctrlr && !conn->queue.connecting;
}

static bool has_not_proved(const struct conn *conn)
{
	return conn->queue.ctrlr && nvmf_auth_is_owed(&conn->queue.auth);
}

/* Anybody may, and those who wait for news come back. */
static bool looks_around(const struct conn *conn)
{
	return conn->queue.ctrlr && conn->queue.ctrlr->subsys->is_discovery;
}

/* how many are of that kind; *ret_oldest: NULL if none is */
static unsigned int count_kind(const struct target *target, bool (*is_of)(const struct conn *),
			       struct conn **ret_oldest)
{
	struct list_node *node;
	unsigned int count = 0;

	*ret_oldest = NULL;
	list_for_each (node, &target->conns) {
		struct conn *conn = container_of(node, struct conn, node);

		if (!conn->disconnecting && is_of(conn) && !count++)
			*ret_oldest = conn;
	}
	return count;
}

/*
 * The oldest of the kind that most are of: a host that has just come is of one of them for a
 * moment, and who holds the places of another must not have it thrown out by a single further
 * connection. NULL: there are only hosts at work
 */
static struct conn *who_goes_first(const struct target *target)
{
	static bool (*const kinds[])(const struct conn *) = {has_not_said, has_not_proved,
							     looks_around};
	struct conn *first = NULL, *oldest;
	unsigned int most = 0;

	for (size_t kind = 0; kind < COUNT(kinds); kind++) {
		unsigned int count = count_kind(target, kinds[kind], &oldest);

		if (count > most) {
			first = oldest;
			most = count;
		}
	}
	return first;
}

/*
 * Opening connections costs nothing, and who holds all there may be would keep hosts out for as
 * long as a connection may take to send Connect, again and again.
 */
static bool make_room(struct target *target)
{
	const uint64_t max = priv_topo_limits()->sta_max_qps;
	struct conn *first;

	if (target->conn_count < max)
		return true;
	first = who_goes_first(target);
	if (!first) {
		report("a host", "refused",
		       "there are as many as there may be (SOFTFIELD_LIMITS=sta_max_qps=NUMBER)");
		return false;
	}
	conn_disconnect(first, "it is no host at work, and others wait");
	while (target->conn_count >= max)
		target_progress(target);
	return true;
}

struct conn *conn_new(struct target *target)
{
	return make_room(target) ? calloc(1, sizeof(struct conn)) : NULL;
}

void conn_accept(struct served_port *port, int sock, const char *traddr)
{
	struct target *target = port->target;
	struct conn *conn = conn_new(target);

	if (!conn ||
	    softfield_sta_io_qp_connect_tcp(target->io, target->dev, sock, NULL, &conn->qp)) {
		close(sock);
		free(conn);
		return;
	}
	conn->sock = sock;
	begin(conn, port, traddr);
}

bool conn_accept_rdma(struct conn *conn, struct served_port *port, struct rdma_cm_id *id,
		      const uint8_t answer[CAPSULE_CM_SIZE], const char *traddr)
{
	const struct target *target = port->target;

	if (doca_sta_io_qp_connect(target->io, target->dev, id, answer, CAPSULE_CM_SIZE, NULL,
				   &conn->qp)) {
		free(conn);
		return false;
	}
	conn->sock = -1;
	begin(conn, port, traddr);
	return true;
}

void conn_established(struct conn *conn)
{
	doca_sta_io_qp_connect_established(conn->target->io, conn->qp);
}

void conn_hung_up(struct conn *conn)
{
	conn_disconnect(conn, NULL);
}

void conn_disconnect_all(struct target *target)
{
	struct list_node *node, *tmp;

	list_for_each_safe (node, tmp, &target->conns)
		conn_disconnect(container_of(node, struct conn, node), NULL);
}

void conn_free_spare_cmds(struct target *target)
{
	struct list_node *node;

	while ((node = list_pop(&target->spare_cmds)))
		free(container_of(node, struct cmd, node));
}
