/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * NVMe/TCP: a stream of PDUs in, a stream of PDUs out, no thread, nothing that blocks. Here:
 * connections from their socket to their end, and the rounds of an EU.
 */
#define LOG_MODULE "sta"
#include "sta/fabric_tcp.h"

#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>
#include "base/clock.h"
#include "base/err.h"
#include "base/log.h"

#define RX_ROUNDS	8u /* system calls for one connection before the others have their turn */
#define ROUNDS_PER_LOOK 4u /* without asking the kernel for other connections */
#define LINGER_NS	2000000000ull /* a terminated host may read the reason so long */
/* After so much silence the kernel probes, nine times. */
#define KEEPALIVE_IDLE_S     60
#define KEEPALIVE_INTERVAL_S 10

void fabric_tcp_flush(struct fabric_tcp *tcp)
{
	struct list_node *node;

	while ((node = list_pop(&tcp->to_flush)))
		tcp_flush(container_of(node, struct tcp_conn, flush_node));
}

static void on_event(struct watch *watch, uint32_t events)
{
	struct tcp_conn *conn = container_of(watch, struct tcp_conn, watch);
	struct fabric_tcp *tcp = conn->tcp;
	unsigned int rounds = 0;
	bool more = true;

	tcp->recent = tcp->found++ ? NULL : conn;
	priv_poll_group_heat(&tcp->eu->poller);
	if (events & EPOLLOUT) {
		conn->tx_blocked = false;
		priv_poll_group_rewatch(&tcp->eu->worker.group, watch, TCP_EVENTS);
		tcp_flush(conn);
	}
	/* The end may have come with the last bytes: no event tells of it again. */
	while (more && qp_is_executing(&conn->qp) && rounds++ < RX_ROUNDS)
		more = tcp_receive(conn) == TCP_MORE || events & TCP_END;
	if (more && qp_is_executing(&conn->qp))
		priv_poll_group_raise(&tcp->eu->worker.group, watch, events & TCP_END);
}

static unsigned int poll_recent(struct fabric_tcp *tcp)
{
	struct tcp_conn *conn = tcp->recent;
	enum tcp_received received = tcp_receive(conn);

	if (received == TCP_MORE)
		priv_poll_group_raise(&tcp->eu->worker.group, &conn->watch, 0);
	return received != TCP_NOTHING;
}

/*
 * While one connection has all the traffic its socket is asked directly, and the kernel about the
 * others only now and then: one system call less between a command and its answer.
 */
unsigned int fabric_tcp_poll(struct fabric_tcp *tcp)
{
	if (!tcp->conn_count)
		return 0;
	if (tcp->recent && tcp->rounds++ < ROUNDS_PER_LOOK)
		return poll_recent(tcp);
	tcp->rounds = 0;
	tcp->found = 0;
	return priv_poll_group_look(&tcp->eu->worker.group);
}

/*
 * Life of a connection
 */

static doca_error_t tcp_attach(struct sta_qp *qp)
{
	struct tcp_conn *conn = tcp_conn_of(qp);
	doca_error_t err;
	uint32_t i;

	conn->tcp = qp->eu->tcp;
	conn->rules = (struct pdu_rules){.max_in_capsule = STA_IN_CAPSULE,
					 .max_h2c_data = qp->eu->engine->attr.max_io_size};
	conn->alignment = 4;
	list_init(&conn->tx);
	list_init(&conn->flush_node);
	list_init(&conn->ic_tx.node);
	for (i = 0; i < qp->cmd_count; i++) {
		struct tcp_cmd *tc = tcp_cmd_of(qp_cmd(qp, i, sizeof(*tc)));

		tc->fetching = false;
		list_init(&tc->tx.node);
		list_init(&tc->r2t_tx.node);
	}
	conn->tcp->conn_count++;
	conn->watch = (struct watch){.fd = conn->fd, .ready = on_event};
	err = priv_poll_group_watch(&qp->eu->worker.group, &conn->watch, TCP_EVENTS);
	if (!err)
		priv_poll_group_heat(&qp->eu->poller);
	return err;
}

static void end_command(struct tcp_cmd *tc)
{
	if (!tc->fetching)
		return;
	tc->fetching = false;
	list_remove(&tc->r2t_tx.node);
	cmd_fetched(&tc->cmd, NVME_SC_ABORT_SQ_DELETED);
}

/* the peer learns of it now, not when the application gets round to it */
static void end(struct tcp_conn *conn)
{
	const struct sockaddr nobody = {.sa_family = AF_UNSPEC};

	if (conn->reset) /* ends a TCP connection with a reset */
		(void)connect(conn->fd, &nobody, sizeof(nobody));
	shutdown(conn->fd, conn->terminated ? SHUT_WR : SHUT_RDWR);
}

static void tcp_stop(struct sta_qp *qp)
{
	struct tcp_conn *conn = tcp_conn_of(qp);
	struct tcp_cmd *half = conn->layout.type == PDU_CAPSULE_CMD ? conn->cmd : NULL;
	struct list_node *node;
	uint32_t i;

	priv_poll_group_unwatch(&conn->tcp->eu->worker.group, &conn->watch);
	if (conn->tcp->recent == conn)
		conn->tcp->recent = NULL;
	list_remove(&conn->flush_node);
	conn->cmd = NULL;
	if (half) /* its data was still coming: nobody has seen it */
		qp_give_cmd(&half->cmd);
	for (i = 0; i < qp->cmd_count; i++)
		end_command(tcp_cmd_of(qp_cmd(qp, i, sizeof(struct tcp_cmd))));
	while ((node = list_pop(&conn->tx))) {
		struct tcp_tx *tx = container_of(node, struct tcp_tx, node);

		tx->gone(tx, false);
	}
	end(conn);
}

static void close_oldest_lingerer(struct fabric_tcp *tcp)
{
	close(tcp->lingerers[0].fd);
	memmove(&tcp->lingerers[0], &tcp->lingerers[1],
		--tcp->linger_count * sizeof(tcp->lingerers[0]));
}

/* keeps the socket open for a while, so that the reason is not lost with a reset */
static void linger(struct fabric_tcp *tcp, int fd)
{
	if (tcp->linger_count == LINGERERS)
		close_oldest_lingerer(tcp);
	tcp->lingerers[tcp->linger_count++] =
		(struct lingerer){.fd = fd, .deadline_ns = clock_now_ns() + LINGER_NS};
	eu_need_tick(tcp->eu);
}

static void tcp_detach(struct sta_qp *qp)
{
	struct tcp_conn *conn = tcp_conn_of(qp);
	struct fabric_tcp *tcp = conn->tcp;

	tcp->conn_count--;
	if (conn->terminated) {
		priv_fork_unwatch(&conn->fork_watch);
		linger(tcp, conn->fd);
		conn->fd = -1;
	}
}

static void tcp_destroy(struct sta_qp *qp)
{
	struct tcp_conn *conn = tcp_conn_of(qp);

	if (conn->fd >= 0) {
		priv_fork_hold(); /* a child that is made now has it, or knows it */
		list_remove(&conn->fork_watch.node);
		close(conn->fd);
		priv_fork_release();
	}
	conn->fd = -1;
	free(conn->rx);
	conn->rx = NULL;
}

const struct fabric_ops fabric_tcp_ops = {
	.transport = CAPSULE_TCP,
	.qp_size = sizeof(struct tcp_conn),
	.cmd_size = sizeof(struct tcp_cmd),
	.attach = tcp_attach,
	.fetch = tcp_fetch,
	.respond = tcp_respond,
	.stop = tcp_stop,
	.detach = tcp_detach,
	.destroy = tcp_destroy,
};

/* Not for a socket pair, as tests have them: there it does nothing. */
static void set_options(int fd)
{
	const int on = 1, idle_s = KEEPALIVE_IDLE_S, interval_s = KEEPALIVE_INTERVAL_S;

	setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on));
	/* a host that vanishes with its network, and has promised no Keep Alive commands */
	setsockopt(fd, SOL_SOCKET, SO_KEEPALIVE, &on, sizeof(on));
	setsockopt(fd, IPPROTO_TCP, TCP_KEEPIDLE, &idle_s, sizeof(idle_s));
	setsockopt(fd, IPPROTO_TCP, TCP_KEEPINTVL, &interval_s, sizeof(interval_s));
}

/* So the host learns of this process's end whatever its children do. */
static void close_in_child(struct fork_watch *watch)
{
	struct tcp_conn *conn = container_of(watch, struct tcp_conn, fork_watch);

	close(conn->fd);
	conn->fd = -1;
}

doca_error_t fabric_tcp_set_socket(struct sta_qp *qp, int fd)
{
	struct tcp_conn *conn = tcp_conn_of(qp);
	int flags = fcntl(fd, F_GETFL);
	int type = 0;
	socklen_t size = sizeof(type);

	conn->fd = -1;
	if (flags >= 0 &&
	    (getsockopt(fd, SOL_SOCKET, SO_TYPE, &type, &size) || type != SOCK_STREAM)) {
		LOG_ERR("descriptor %d is no socket of a connection", fd);
		return DOCA_ERROR_INVALID_VALUE;
	}
	if (flags < 0 || fcntl(fd, F_SETFL, flags | O_NONBLOCK))
		return priv_err_from_errno(errno);
	set_options(fd);
	conn->rx = malloc(RX_SIZE);
	if (!conn->rx)
		return DOCA_ERROR_NO_MEMORY;
	conn->fd = fd;
	priv_fork_watch(&conn->fork_watch, close_in_child);
	return DOCA_SUCCESS;
}

/*
 * The fabric of one EU
 */

doca_error_t fabric_tcp_create(struct sta_eu *eu, struct fabric_tcp **ret_tcp)
{
	struct fabric_tcp *tcp = calloc(1, sizeof(*tcp));

	if (!tcp)
		return DOCA_ERROR_NO_MEMORY;
	tcp->eu = eu;
	list_init(&tcp->to_flush);
	*ret_tcp = tcp;
	return DOCA_SUCCESS;
}

void fabric_tcp_destroy(struct fabric_tcp *tcp)
{
	assert(!tcp->conn_count);
	while (tcp->linger_count)
		close(tcp->lingerers[--tcp->linger_count].fd);
	free(tcp);
}

bool fabric_tcp_tick(struct fabric_tcp *tcp, uint64_t now_ns)
{
	while (tcp->linger_count && tcp->lingerers[0].deadline_ns <= now_ns)
		close_oldest_lingerer(tcp);
	return tcp->linger_count;
}
