/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * NVMe/TCP, sending: commands queue pieces, each round sends as many as the socket takes.
 */
#include "sta/fabric_tcp.h"

#include <errno.h>
#include <sys/socket.h>
#include "base/crc32c.h"
#include "sta/cmd_app.h"

#define TX_VECTORS 512u /* the answers of a full queue of 128 go together */

void tcp_queue_tx(struct tcp_conn *conn, struct tcp_tx *tx)
{
	tx->at = 0;
	list_add_tail(&conn->tx, &tx->node);
	if (!conn->tx_blocked && !list_is_linked(&conn->flush_node))
		list_add_tail(&conn->tcp->to_flush, &conn->flush_node);
}

void tcp_add_piece(struct tcp_tx *tx, void *data, size_t size)
{
	tx->iov[tx->count++] = (struct iovec){.iov_base = data, .iov_len = size};
}

static size_t gather(const struct tcp_conn *conn, struct iovec *iov)
{
	struct list_node *node;
	size_t count = 0;

	list_for_each (node, &conn->tx) {
		const struct tcp_tx *tx = container_of(node, struct tcp_tx, node);
		unsigned int i;

		if (count + tx->count - tx->at > TX_VECTORS)
			break;
		for (i = tx->at; i < tx->count; i++)
			iov[count++] = tx->iov[i];
	}
	return count;
}

/* takes what has been sent off the queue */
static void sent(struct tcp_conn *conn, size_t size)
{
	if (conn->qp.unread) /* an answer is behind this, or is this */
		qp_note_moved(&conn->qp, size);
	while (size) {
		struct tcp_tx *tx = container_of(conn->tx.next, struct tcp_tx, node);
		struct iovec *iov = &tx->iov[tx->at];
		size_t part = size < iov->iov_len ? size : iov->iov_len;

		iov->iov_base = (char *)iov->iov_base + part;
		iov->iov_len -= part;
		size -= part;
		if (!iov->iov_len && ++tx->at == tx->count) {
			list_remove(&tx->node);
			tx->gone(tx, true);
		}
	}
}

void tcp_flush(struct tcp_conn *conn)
{
	while (!list_is_empty(&conn->tx)) {
		struct iovec iov[TX_VECTORS];
		struct msghdr msg = {.msg_iov = iov, .msg_iovlen = gather(conn, iov)};
		ssize_t n = sendmsg(conn->fd, &msg, MSG_DONTWAIT | MSG_NOSIGNAL);

		if (n < 0 && (errno == EAGAIN || errno == EWOULDBLOCK)) {
			conn->tx_blocked = true;
			priv_poll_group_rewatch(&conn->tcp->eu->worker.group, &conn->watch,
						TCP_EVENTS | EPOLLOUT);
			return;
		}
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0) {
			qp_fail(&conn->qp, SOFTFIELD_STA_SEND, (uint32_t)errno, 0);
			return;
		}
		sent(conn, (size_t)n);
		if (!qp_is_executing(&conn->qp))
			return;
	}
}

static void r2t_gone(struct tcp_tx *tx, bool was_sent)
{
	(void)tx;
	(void)was_sent; /* H2CData is awaited from now on */
}

static void answer_gone(struct tcp_tx *tx, bool was_sent)
{
	cmd_responded(&container_of(tx, struct tcp_cmd, tx)->cmd, was_sent);
}

void tcp_fetch(struct sta_cmd *cmd)
{
	struct tcp_cmd *tc = tcp_cmd_of(cmd);
	struct tcp_conn *conn = tcp_conn_of(cmd->qp);
	uint32_t size;

	tc->fetching = true;
	tc->fetched = 0;
	tc->digest_failed = false;
	/* one request for everything: the host splits it as MAXH2CDATA says */
	size = pdu_encode_r2t(&tc->r2t.pdu, le16toh(cmd->sqe.cid), cmd->index, 0, cmd->size,
			      conn->rules.header_digest);
	tc->r2t_tx.count = 0;
	tc->r2t_tx.gone = r2t_gone;
	tcp_add_piece(&tc->r2t_tx, &tc->r2t, size);
	tcp_queue_tx(conn, &tc->r2t_tx);
}

/* true: the response is in the data PDU */
static bool add_data(struct tcp_conn *conn, struct tcp_cmd *tc)
{
	const struct sta_cmd *cmd = &tc->cmd;
	struct pdu_c2h_attr attr = {
		.cid = le16toh(cmd->sqe.cid),
		.size = cmd->size,
		.last = true,
		/* only without SQ flow control: nobody needs the SQ head then */
		.success =
			conn->qp.no_sq_flow && !cmd->cqe.status && !cmd->cqe.dw0 && !cmd->cqe.dw1,
		.header_digest = conn->rules.header_digest,
		.data_digest = conn->rules.data_digest,
		.alignment = conn->alignment,
	};

	tcp_add_piece(&tc->tx, tc->header, pdu_encode_c2h_data(tc->header, &attr));
	tcp_add_piece(&tc->tx, cmd->buf->data, cmd->size);
	if (attr.data_digest) {
		tc->data_digest = htole32(priv_crc32c(cmd->buf->data, cmd->size));
		tcp_add_piece(&tc->tx, &tc->data_digest, sizeof(tc->data_digest));
	}
	return attr.success;
}

void tcp_respond(struct sta_cmd *cmd)
{
	struct tcp_cmd *tc = tcp_cmd_of(cmd);
	struct tcp_conn *conn = tcp_conn_of(cmd->qp);

	tc->tx.count = 0;
	tc->tx.gone = answer_gone;
	if (!cmd->size || !add_data(conn, tc))
		tcp_add_piece(&tc->tx, &tc->resp,
			      pdu_encode_resp(&tc->resp.pdu, &cmd->cqe, conn->rules.header_digest));
	tcp_queue_tx(conn, &tc->tx);
}
