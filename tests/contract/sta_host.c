/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Hosts over loop and over NVMe/TCP. The TCP one speaks through a socket pair and is written from
 * the drawings of PDUs, not with the engine's codecs, so that both cannot be wrong in the same way.
 */
#include "sta_host.h"

#include <errno.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>
#include "base/crc32c.h"

/*
 * Loop
 */

static void loop_connect(struct host *host, struct doca_sta_io *io, struct doca_dev *dev)
{
	assert_ok(priv_poll_group_init(&host->group));
	assert_ok(mbox_init(&host->inbox, &host->group));
	assert_ok(sta_qp_handle_create(io, dev, &fabric_loop_ops, NULL, &host->qp));
	fabric_loop_set_host(host->qp->qp, &host->inbox);
	sta_qp_handle_start(host->qp);
}

static void loop_done(struct loop_req *req)
{
	struct host *host = req->user;

	if (req->answered)
		host_finish(host, &req->cqe);
}

static struct loop_req *loop_request(struct host *host, struct host_cmd *cmd)
{
	struct loop_req *req = &host->reqs[host_take_cid(host, cmd)];

	memset(req, 0, sizeof(*req));
	if (cmd->in_capsule) {
		cmd->sqe.flags = NVME_FLAG_PSDT_SGL;
		cmd->sqe.sgl.length = htole32(cmd->size);
		cmd->sqe.sgl.type = NVME_SGL_DATA_OFFSET;
		req->in_capsule = cmd->data;
		req->in_capsule_size = cmd->size;
	} else {
		fabric_loop_set_sgl(&cmd->sqe, cmd->data, cmd->size);
		req->in_capsule = "";
	}
	cmd->sqe.flags |= cmd->fused;
	req->done = loop_done;
	req->user = host;
	return req;
}

static void loop_submit(struct host *host, struct host_cmd *cmd)
{
	struct loop_req *req = loop_request(host, cmd);

	req->cmd = cmd->sqe;
	cmd->received = cmd->size; /* written straight into its memory */
	fabric_loop_submit(host->qp->qp, req);
}

/* a wrong key, as an RDMA host could send it */
static void loop_cut(struct host *host, struct host_cmd *cmd)
{
	struct loop_req *req = loop_request(host, cmd);

	cmd->sqe.sgl.key[0] ^= 1;
	req->cmd = cmd->sqe;
	fabric_loop_submit(host->qp->qp, req);
}

static void loop_poll(struct host *host)
{
	mbox_deliver(&host->inbox);
}

static void loop_close(struct host *host)
{
	mbox_deliver(&host->inbox);
	mbox_fini(&host->inbox);
	priv_poll_group_fini(&host->group);
}

const struct host_ops host_loop = {
	.connect = loop_connect,
	.submit = loop_submit,
	.poll = loop_poll,
	.cut = loop_cut,
	.close = loop_close,
};

/*
 * TCP
 */

static bool has_digests(const struct host *host)
{
	return host->ops == &host_tcp_digests;
}

static void put32(uint8_t *p, uint32_t value)
{
	value = htole32(value);
	memcpy(p, &value, 4);
}

static uint32_t get32(const uint8_t *p)
{
	uint32_t value;

	memcpy(&value, p, 4);
	return le32toh(value);
}

static uint16_t get16(const uint8_t *p)
{
	return (uint16_t)(p[0] | p[1] << 8);
}

static void send_all(struct host *host, const void *data, size_t size)
{
	const uint8_t *p = data;

	while (size) {
		ssize_t n = send(host->sock, p, size, MSG_NOSIGNAL);

		if (n < 0 && (errno == EAGAIN || errno == EINTR))
			continue; /* the engine reads in its own thread */
		if (n < 0)
			return; /* the engine has closed it: the test will see */
		p += n;
		size -= (size_t)n;
	}
}

static void send_pdu(struct host *host, uint8_t type, uint8_t flags, const uint8_t *rest,
		     size_t rest_size, const void *data, uint32_t size)
{
	uint32_t digest = has_digests(host) ? 4 : 0;
	uint32_t hlen = (uint32_t)(8 + rest_size);
	uint8_t header[140] = {type, flags, (uint8_t)hlen};
	uint8_t trailer[4];

	header[1] |= (uint8_t)((digest ? 1 : 0) | (digest && size ? 2 : 0));
	header[3] = (uint8_t)(size ? hlen + digest : 0);
	put32(header + 4, hlen + digest + size + (size ? digest : 0));
	memcpy(header + 8, rest, rest_size);
	if (digest)
		put32(header + hlen, priv_crc32c(header, hlen));
	send_all(host, header, hlen + digest);
	send_all(host, data, size);
	put32(trailer, size ? priv_crc32c(data, size) : 0);
	if (digest && size)
		send_all(host, trailer, 4);
}

static void tcp_connect(struct host *host, struct doca_sta_io *io, struct doca_dev *dev)
{
	uint8_t icreq[128] = {0, 0, 128, 0, 128};
	uint8_t icresp[128];
	size_t got = 0;
	int fds[2];

	assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, fds), 0);
	host->sock = fds[0];
	assert_ok(softfield_sta_io_qp_connect_tcp(io, dev, fds[1], NULL, &host->qp));
	icreq[11] = has_digests(host) ? 3 : 0;
	send_all(host, icreq, sizeof(icreq));
	while (got < sizeof(icresp)) { /* blocking: the engine answers by itself */
		ssize_t n = recv(host->sock, icresp + got, sizeof(icresp) - got, 0);

		assert_true(n > 0);
		got += (size_t)n;
	}
	assert_int_equal(icresp[0], 1);
	assert_int_equal(icresp[11], icreq[11]);
}

static void tcp_submit(struct host *host, struct host_cmd *cmd)
{
	host_take_cid(host, cmd);
	cmd->sqe.flags = NVME_FLAG_PSDT_SGL | cmd->fused;
	cmd->sqe.sgl.length = htole32(cmd->size);
	cmd->sqe.sgl.type = cmd->in_capsule ? NVME_SGL_DATA_OFFSET : NVME_SGL_TRANSPORT;
	send_pdu(host, 4, 0, (const uint8_t *)&cmd->sqe, sizeof(cmd->sqe), cmd->data,
		 cmd->in_capsule ? cmd->size : 0);
}

static void tcp_send_data(struct host *host, const uint8_t *r2t)
{
	struct host_cmd *cmd = host->cmds[get16(r2t + 8)];
	uint32_t offset = get32(r2t + 12), size = get32(r2t + 16);
	uint8_t rest[16] = {0};

	memcpy(rest, r2t + 8, 4); /* command and transfer tag */
	while (size) {
		uint32_t part = size < 50000 ? size : 50000; /* several PDUs */

		put32(rest + 4, offset);
		put32(rest + 8, part);
		send_pdu(host, 6, part == size ? 4 : 0, rest, sizeof(rest),
			 (uint8_t *)cmd->data + offset, part);
		offset += part;
		size -= part;
	}
}

static void tcp_take_data(struct host *host, const uint8_t *pdu)
{
	struct host_cmd *cmd = host->cmds[get16(pdu + 8)];
	uint32_t offset = get32(pdu + 12), size = get32(pdu + 16);

	assert_non_null(cmd);
	assert_int_equal(offset, cmd->received);
	assert_true(offset + size <= cmd->size);
	memcpy((uint8_t *)cmd->data + offset, pdu + pdu[3], size);
	if (pdu[1] & 2)
		assert_int_equal(get32(pdu + pdu[3] + size), priv_crc32c(pdu + pdu[3], size));
	cmd->received += size;
	if (pdu[1] & 8) { /* SUCCESS */
		struct nvme_cqe cqe = {.cid = htole16(get16(pdu + 8))};

		host_finish(host, &cqe);
	}
}

static void tcp_handle(struct host *host, const uint8_t *pdu)
{
	struct nvme_cqe cqe;

	if (pdu[1] & 1)
		assert_int_equal(get32(pdu + pdu[2]), priv_crc32c(pdu, pdu[2]));
	if (pdu[0] == 5) {
		memcpy(&cqe, pdu + 8, sizeof(cqe));
		host_finish(host, &cqe);
	} else if (pdu[0] == 9) {
		tcp_send_data(host, pdu);
	} else if (pdu[0] == 7) {
		tcp_take_data(host, pdu);
	} else {
		fail_msg("unexpected PDU of type %u", pdu[0]);
	}
}

static void tcp_poll(struct host *host)
{
	ssize_t n = recv(host->sock, host->rx + host->rx_size, sizeof(host->rx) - host->rx_size,
			 MSG_DONTWAIT);
	size_t at = 0;

	if (n <= 0)
		return;
	host->rx_size += (size_t)n;
	while (host->rx_size - at >= 8 && host->rx_size - at >= get32(host->rx + at + 4)) {
		tcp_handle(host, host->rx + at);
		at += get32(host->rx + at + 4);
	}
	host->rx_size -= at;
	memmove(host->rx, host->rx + at, host->rx_size);
}

static void tcp_cut(struct host *host, struct host_cmd *cmd)
{
	(void)cmd;
	shutdown(host->sock, SHUT_RDWR);
}

static void tcp_close(struct host *host)
{
	close(host->sock);
}

const struct host_ops host_tcp = {
	.connect = tcp_connect,
	.submit = tcp_submit,
	.poll = tcp_poll,
	.cut = tcp_cut,
	.close = tcp_close,
};

const struct host_ops host_tcp_digests = {
	.connect = tcp_connect,
	.submit = tcp_submit,
	.poll = tcp_poll,
	.cut = tcp_cut,
	.close = tcp_close,
};
