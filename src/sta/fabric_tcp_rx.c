/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * NVMe/TCP, receiving: bytes go into a buffer of the connection; the rest of a command's data goes
 * straight to where it belongs, with the same system call.
 */
#define LOG_MODULE "sta"
#include "sta/fabric_tcp.h"

#include <errno.h>
#include <string.h>
#include <sys/socket.h>
#include "base/copy.h"
#include "base/crc32c.h"
#include "base/log.h"
#include "sta/cmd_app.h"
#include "sta/sq.h"

#define TERM_BYTES_MAX (24u + PDU_TERM_DATA_MAX)

/*
 * The host has broken the protocol: tell it why, if a PDU is not half sent, and end the connection,
 * else reset it.
 * Nothing answers a termination, not even a bad one. TCP 3.6.2.4
 */
static void terminate(struct tcp_conn *conn, const struct pdu_fault *fault)
{
	uint8_t term[TERM_BYTES_MAX];
	uint32_t size = pdu_encode_term(term, fault, conn->rx + conn->rx_start,
					conn->rx_end - conn->rx_start);

	tcp_flush(conn);
	if (qp_is_executing(&conn->qp) && conn->rx[conn->rx_start] != PDU_H2C_TERM) {
		conn->terminated =
			list_is_empty(&conn->tx) &&
			send(conn->fd, term, size, MSG_DONTWAIT | MSG_NOSIGNAL) == (ssize_t)size;
		conn->reset = !conn->terminated;
	}
	LOG_DBG("connection %u: terminated, reason %d, information %u", conn->qp.id,
		(int)fault->fes, fault->fei);
	qp_fail(&conn->qp, SOFTFIELD_STA_PROTOCOL, (uint32_t)fault->fes, fault->fei);
}

static void protocol_error(struct tcp_conn *conn, enum pdu_fes fes, uint32_t fei)
{
	const struct pdu_fault fault = {.fes = fes, .fei = fei};

	terminate(conn, &fault);
}

static void ic_gone(struct tcp_tx *tx, bool was_sent)
{
	(void)tx;
	(void)was_sent;
}

static void got_icreq(struct tcp_conn *conn, const uint8_t *header)
{
	struct pdu_icreq_info info;
	struct pdu_fault fault;

	if (!pdu_decode_icreq(header, &info, &fault)) {
		terminate(conn, &fault);
		return;
	}
	conn->rules.connected = true;
	conn->rules.header_digest = info.header_digest;
	conn->rules.data_digest = info.data_digest;
	conn->alignment = info.data_alignment;
	conn->ic_tx.count = 0;
	conn->ic_tx.gone = ic_gone;
	tcp_add_piece(&conn->ic_tx, &conn->icresp,
		      pdu_encode_icresp(&conn->icresp, info.header_digest, info.data_digest,
					conn->rules.max_h2c_data));
	tcp_queue_tx(conn, &conn->ic_tx);
}

static void start_command(struct tcp_conn *conn, const uint8_t *header)
{
	struct sta_cmd *cmd = qp_take_cmd(&conn->qp);

	if (!cmd && sq_entries(&conn->qp)) {
		qp_fail(&conn->qp, SOFTFIELD_STA_OVERRUN, 0, 0); /* its queue is no larger */
		return;
	}
	if (!cmd) { /* more outstanding than any queue we offer */
		protocol_error(conn, PDU_FES_SEQUENCE, 0);
		return;
	}
	memcpy(&cmd->sqe, header + offsetof(struct pdu_cmd, cmd), sizeof(cmd->sqe));
	cmd->in_capsule_size = conn->layout.data_size;
	cmd->receive_status = NVME_SC_SUCCESS;
	conn->cmd = tcp_cmd_of(cmd);
	conn->to = cmd->in_capsule.data;
}

/* Is it the data that comes next, and all of it if the host says that it is the last? */
static enum pdu_fes check_place(const struct tcp_cmd *tc, const struct pdu_h2c_data_info *info,
				bool is_last)
{
	if (info->offset > tc->cmd.size || info->size > tc->cmd.size - info->offset)
		return PDU_FES_DATA_RANGE;
	if (info->offset != tc->fetched) /* again, or something is missing */
		return PDU_FES_SEQUENCE;
	return is_last && info->size != tc->cmd.size - tc->fetched ? PDU_FES_DATA_RANGE
								   : PDU_FES_NONE;
}

static void start_h2c_data(struct tcp_conn *conn, const uint8_t *header)
{
	struct pdu_h2c_data_info info;
	struct pdu_fault fault;
	struct tcp_cmd *tc;
	enum pdu_fes fes;
	bool sound = pdu_decode_h2c_data(header, &conn->layout, &info, &fault);

	if (info.ttag >= conn->qp.cmd_count) {
		protocol_error(conn, PDU_FES_HEADER_FIELD, offsetof(struct pdu_data, ttag));
		return;
	}
	tc = tcp_cmd_of(qp_cmd(&conn->qp, info.ttag, sizeof(*tc)));
	fes = check_place(tc, &info, conn->layout.last);
	if (!tc->fetching || list_is_linked(&tc->r2t_tx.node)) {
		protocol_error(conn, PDU_FES_HEADER_FIELD, offsetof(struct pdu_data, ttag));
	} else if (le16toh(tc->cmd.sqe.cid) != info.cid) {
		protocol_error(conn, PDU_FES_HEADER_FIELD, offsetof(struct pdu_data, cccid));
	} else if (!sound) {
		terminate(conn, &fault);
	} else if (fes != PDU_FES_NONE) {
		protocol_error(conn, fes, 0);
	} else {
		conn->cmd = tc;
		conn->to = tc->cmd.buf->data + tc->fetched;
	}
}

static void got_term(struct tcp_conn *conn, const uint8_t *header)
{
	struct pdu_term pdu;

	memcpy(&pdu, header, sizeof(pdu));
	/* whoever connects can have this as often as it likes */
	LOG_INFO("connection %u: the host ends it, reason %u", conn->qp.id, le16toh(pdu.fes));
	qp_fail(&conn->qp, SOFTFIELD_STA_PROTOCOL, le16toh(pdu.fes), 0);
}

/* everything of a PDU is there */
static void finish_pdu(struct tcp_conn *conn)
{
	struct tcp_cmd *tc = conn->cmd;

	conn->state = RX_HEADER;
	conn->checked = false;
	conn->cmd = NULL;
	if (conn->layout.type == PDU_CAPSULE_CMD) {
		cmd_received(&tc->cmd);
	} else if (conn->layout.type == PDU_H2C_DATA) {
		tc->fetched += conn->layout.data_size;
		if (tc->fetched < tc->cmd.size)
			return;
		tc->fetching = false;
		cmd_fetched(&tc->cmd,
			    tc->digest_failed ? NVME_SC_TRANSIENT_TRANSPORT : NVME_SC_SUCCESS);
	}
}

/* a header is complete at rx_start */
static void start_pdu(struct tcp_conn *conn)
{
	const uint8_t *header = conn->rx + conn->rx_start;
	struct pdu_fault fault;

	conn->cmd = NULL;
	conn->to = NULL;
	if (!pdu_check_header_digest(header, &conn->layout, &fault)) {
		terminate(conn, &fault);
		return;
	}
	if (conn->layout.type == PDU_ICREQ)
		got_icreq(conn, header);
	else if (conn->layout.type == PDU_CAPSULE_CMD)
		start_command(conn, header);
	else if (conn->layout.type == PDU_H2C_DATA)
		start_h2c_data(conn, header);
	else
		got_term(conn, header);
	if (!qp_is_executing(&conn->qp))
		return;
	conn->rx_start += conn->layout.header_size;
	conn->left = conn->layout.data_size;
	conn->crc = 0;
	conn->state = RX_DATA;
}

static void took_data(struct tcp_conn *conn, const uint8_t *data, uint32_t size)
{
	if (conn->layout.has_data_digest)
		conn->crc = priv_crc32c_add(conn->crc, data, size);
	conn->left -= size;
	if (conn->cmd && conn->cmd->cmd.owed)
		qp_note_moved(&conn->qp, size);
	if (conn->to)
		conn->to += size;
}

static void check_data_digest(struct tcp_conn *conn, const uint8_t *bytes)
{
	uint32_t digest;

	memcpy(&digest, bytes, sizeof(digest));
	if (le32toh(digest) == conn->crc || !conn->cmd)
		return;
	/* The command fails, the connection stays. */
	if (conn->layout.type == PDU_CAPSULE_CMD)
		conn->cmd->cmd.receive_status = NVME_SC_TRANSIENT_TRANSPORT;
	else
		conn->cmd->digest_failed = true;
}

/* each step: true if it got anywhere with the bytes there are */

static bool step_header(struct tcp_conn *conn, uint32_t available)
{
	struct pdu_fault fault;

	if (!conn->checked) {
		if (available < PDU_COMMON_SIZE)
			return false;
		if (!pdu_check(conn->rx + conn->rx_start, &conn->rules, &conn->layout, &fault)) {
			terminate(conn, &fault);
			return false;
		}
		conn->checked = true;
	}
	if (available < conn->layout.header_size)
		return false;
	start_pdu(conn);
	return true;
}

static bool step_data(struct tcp_conn *conn, uint32_t available)
{
	uint32_t part = available < conn->left ? available : conn->left;

	if (conn->left && !part)
		return false;
	if (part) {
		const uint8_t *data = conn->rx + conn->rx_start;

		if (conn->to)
			copy_bytes(conn->to, data, part);
		conn->rx_start += part;
		took_data(conn, data, part);
	}
	if (conn->left)
		return false;
	conn->state = RX_DIGEST;
	return true;
}

static bool step_digest(struct tcp_conn *conn, uint32_t available)
{
	if (conn->layout.has_data_digest) {
		if (available < PDU_DIGEST_SIZE)
			return false;
		check_data_digest(conn, conn->rx + conn->rx_start);
		conn->rx_start += PDU_DIGEST_SIZE;
	}
	finish_pdu(conn);
	return true;
}

static void parse(struct tcp_conn *conn)
{
	static bool (*const steps[])(struct tcp_conn *, uint32_t) = {
		[RX_HEADER] = step_header, [RX_DATA] = step_data, [RX_DIGEST] = step_digest};

	while (qp_is_executing(&conn->qp) &&
	       steps[conn->state](conn, conn->rx_end - conn->rx_start))
		;
}

static void make_room(struct tcp_conn *conn)
{
	uint32_t size = conn->rx_end - conn->rx_start;

	if (RX_SIZE - conn->rx_end >= RX_SIZE / 2 && size)
		return;
	memmove(conn->rx, conn->rx + conn->rx_start, size);
	conn->rx_start = 0;
	conn->rx_end = size;
}

enum tcp_received tcp_receive(struct tcp_conn *conn)
{
	bool direct = conn->state == RX_DATA && conn->left && conn->to;
	uint32_t to_data = direct ? conn->left : 0;
	struct iovec iov[2];
	int count = 0;
	size_t room;
	ssize_t n;

	make_room(conn);
	if (direct)
		iov[count++] = (struct iovec){.iov_base = conn->to, .iov_len = to_data};
	iov[count++] = (struct iovec){.iov_base = conn->rx + conn->rx_end,
				      .iov_len = RX_SIZE - conn->rx_end};
	room = to_data + RX_SIZE - conn->rx_end;
	n = readv(conn->fd, iov, count);
	if (n <= 0) {
		if (n < 0 && (errno == EAGAIN || errno == EWOULDBLOCK || errno == EINTR))
			return TCP_NOTHING;
		qp_fail(&conn->qp, SOFTFIELD_STA_RECEIVE, n ? (uint32_t)errno : ECONNRESET, 0);
		return TCP_ALL;
	}
	if (direct)
		took_data(conn, conn->to, (size_t)n < to_data ? (uint32_t)n : to_data);
	if ((size_t)n > to_data)
		conn->rx_end += (uint32_t)((size_t)n - to_data);
	parse(conn);
	return (size_t)n == room && qp_is_executing(&conn->qp) ? TCP_MORE : TCP_ALL;
}
