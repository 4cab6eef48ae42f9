/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * NVMe/TCP between its files: life (fabric_tcp.c), what is sent (fabric_tcp_tx.c), what is received
 * (fabric_tcp_rx.c).
 */
#ifndef SOFTFIELD_STA_FABRIC_TCP_H
#define SOFTFIELD_STA_FABRIC_TCP_H

#include <sys/uio.h>
#include "base/fork.h"
#include "nvmf/pdu.h"
#include "sta/fabric.h"

#define RX_SIZE	  (32u << 10)
#define LINGERERS 64u

#define TCP_EVENTS (EPOLLIN | EPOLLRDHUP)
#define TCP_END	   (EPOLLRDHUP | EPOLLHUP | EPOLLERR)

/* Consecutive bytes to send. */
struct tcp_tx {
	struct list_node node; /* in conn->tx */
	struct iovec iov[4];
	unsigned int count, at;
	void (*gone)(struct tcp_tx *tx, bool sent);
};

struct tcp_cmd {
	struct sta_cmd cmd;
	/* data from the host */
	bool fetching;
	uint32_t fetched;
	bool digest_failed;
	struct tcp_tx r2t_tx;
	struct {
		struct pdu_data pdu;
		uint32_t digest;
	} r2t;
	/* answer */
	struct tcp_tx tx;
	uint8_t header[PDU_C2H_HEADER_MAX];
	uint32_t data_digest;
	struct {
		struct pdu_resp pdu;
		uint32_t digest;
	} resp;
};

enum rx_state { RX_HEADER, RX_DATA, RX_DIGEST };

struct tcp_conn {
	struct sta_qp qp;
	int fd;
	struct fork_watch fork_watch; /* a child closes it */
	struct watch watch;	      /* fd in the EU's group */
	struct fabric_tcp *tcp;
	struct list_node flush_node; /* in tcp->to_flush */
	bool tx_blocked;	     /* waits for EPOLLOUT */
	struct list_node tx;
	/* agreed at set-up */
	struct pdu_rules rules;
	uint32_t alignment;
	/* receiving */
	uint8_t *rx;
	uint32_t rx_start, rx_end;
	enum rx_state state;
	bool checked; /* layout is that of the PDU at rx_start */
	struct pdu_layout layout;
	struct tcp_cmd *cmd; /* whose data is coming; NULL: nobody's */
	uint8_t *to;	     /* where the rest goes; NULL: nowhere */
	uint32_t left;
	uint32_t crc;
	/* what the connection itself sends */
	struct tcp_tx ic_tx;
	struct pdu_ic icresp;
	bool terminated; /* the reason is on its way */
	bool reset;	 /* it does not get there: the end is abrupt */
};

struct lingerer {
	int fd;
	uint64_t deadline_ns;
};

struct fabric_tcp {
	struct sta_eu *eu;
	struct list_node to_flush;
	uint32_t conn_count;
	/* the only one that had anything when any had, at the last look; NULL: several had */
	struct tcp_conn *recent;
	unsigned int found;  /* how many had, last time */
	unsigned int rounds; /* since then */
	struct lingerer lingerers[LINGERERS];
	unsigned int linger_count;
};

static inline struct tcp_conn *tcp_conn_of(struct sta_qp *qp)
{
	return container_of(qp, struct tcp_conn, qp);
}

static inline struct tcp_cmd *tcp_cmd_of(struct sta_cmd *cmd)
{
	return container_of(cmd, struct tcp_cmd, cmd);
}

/* fabric_tcp_tx.c */
void tcp_queue_tx(struct tcp_conn *conn, struct tcp_tx *tx);
void tcp_add_piece(struct tcp_tx *tx, void *data, size_t size);
/* sends what the socket takes; may fail the queue pair */
void tcp_flush(struct tcp_conn *conn);
void tcp_fetch(struct sta_cmd *cmd);
void tcp_respond(struct sta_cmd *cmd);

/* fabric_tcp_rx.c */
enum tcp_received { TCP_NOTHING, TCP_ALL, TCP_MORE /* perhaps */ };

/* one system call; may fail the queue pair */
enum tcp_received tcp_receive(struct tcp_conn *conn);

#endif
