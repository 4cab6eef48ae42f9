/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Controllers and their queues, as the connections of hosts see them.
 */
#ifndef SOFTFIELD_NVMF_CTRLR_H
#define SOFTFIELD_NVMF_CTRLR_H

#include "nvmf/target.h"

enum nvmf_event {
	NVMF_EVENT_TEMPERATURE,
	NVMF_EVENT_NS,
	NVMF_EVENT_ANA,
	NVMF_EVENT_DISCOVERY,
	NVMF_EVENT_COUNT
};

/* the temperature, for ever: only a host's thresholds can be on the wrong side of it */
#define NVMF_KELVIN	     293u
#define NVMF_WARNING_KELVIN  343u
#define NVMF_CRITICAL_KELVIN 353u

/* One connection. Embedded by the program; zeroed, then port and the addresses filled in. */
struct nvmf_queue {
	struct list_node node;	  /* in ctrlr->queues */
	struct nvmf_ctrlr *ctrlr; /* NULL before Connect */
	struct nvmf_port *port;
	char traddr[NVMF_TRADDR_SIZE]; /* local address that the host connected to */
	uint16_t qid;
	uint16_t sqsize; /* as in Connect: 0-based */
	bool closing;
	struct nvmf_req *connecting; /* its Connect waits for the end of another queue */
	struct nvmf_req *half;	     /* of a fused command: held for the other one */
	bool half_failed;	     /* it has been refused */
	struct nvmf_auth auth;
};

/* One command. Embedded by the program; lives until it is answered. */
struct nvmf_req {
	struct list_node node; /* while held */
	struct nvmf_queue *queue;
	struct nvme_cmd cmd;
	uint8_t *data; /* from the host, or room for data to it */
	uint32_t size; /* bytes that the host's descriptor has room for */
	/* answer */
	uint16_t status;
	uint32_t dw0, dw1;
	uint32_t reply_size; /* bytes of data for the host */
	bool is_last;	     /* nvmf_auth_is_over() when the host has the answer */
	struct nvmf_ns *ns;  /* NVMF_EXECUTE: where */
	/* likewise: the other half, which was held and comes first, of Compare and Write */
	struct nvmf_req *first;
};

/* how much a host knows about a place whose namespace has gone: place.c */
enum nvmf_place_state {
	NVMF_PLACE_OPEN, /* none has, or it may see who is there now */
	NVMF_PLACE_LEFT,
	NVMF_PLACE_HEARD_OF, /* it has read what has changed */
	NVMF_PLACE_SEEN,     /* and that there is nothing any more */
};

struct nvmf_place {
	enum nvmf_place_state state;
	uint8_t uuid[16]; /* of the namespace that the host knows */
	bool lost;	  /* what has been written there may be, and the host does not know */
};

enum nvmf_verdict {
	NVMF_RESPOND, /* the answer is in the request */
	NVMF_HOLD,    /* ops->complete or ops->drop follows */
	NVMF_EXECUTE, /* an I/O command for req->ns that has passed the checks of this layer */
};

struct nvmf_ctrlr {
	struct list_node node; /* in subsys->ctrlrs */
	struct nvmf_subsys *subsys;
	struct list_node queues;
	struct list_node connecting; /* requests of queues whose numbers are still in use */
	struct nvmf_port *port;	     /* of the admin queue */
	uint16_t cntlid;
	uint16_t io_queues; /* granted; 0: not asked yet */
	char hostnqn[NVME_NQN_SIZE];
	uint8_t hostid[16];
	uint32_t cc, csts; /* csts: what it is when the queues that are being closed are gone */
	bool resetting;	   /* some of them were there before */
	bool to_flush;	   /* once they are gone: the host has shut the controller down */
	bool flushing;
	struct nvmf_req *changing_cc; /* answered when they are gone */
	struct list_node aborts;      /* of commands that the program is ending */
	/* keep alive */
	uint32_t kato_ms;
	bool idle; /* reset or shut down: the timer rests */
	uint64_t heard_ns;
	uint64_t notice_ns; /* not heard in time, but we slept: so much time more. 0: in time */
	/* features that change nothing here */
	uint32_t stored[16];
	uint16_t error_recovery[NVMF_NSID_MAX + 1];  /* by namespace; 0: of none or all */
	uint16_t temperature[2];		     /* thresholds: over, under */
	struct nvmf_place places[NVMF_NSID_MAX + 1]; /* by namespace; hiding must not fail */
	/* asynchronous events */
	uint32_t event_config; /* feature 0Bh */
	struct list_node aers;
	unsigned int aer_count;
	unsigned int pending; /* bit per event: to be sent */
	unsigned int masked;  /* bit per event: sent, log page not read */
	uint32_t changed_count;
	uint32_t changed[1024]; /* namespaces; changed_count 1025: too many */
};

void nvmf_queue_init(struct nvmf_queue *queue, struct nvmf_port *port, const char *traddr);
/* The connection is gone: commands that are held on it are forgotten. May be called once. */
void nvmf_queue_closed(struct nvmf_queue *queue);

/* The host has broken a rule that costs it the controller: CFS, and all its queues are closed. */
void nvmf_queue_violated(struct nvmf_queue *queue, const char *why);

/* The answer to ops->flush; the controller may have gone. */
void nvmf_ctrlr_flushed(struct nvmf_subsys *subsys, uint16_t cntlid);

/* An answer with is_last has been sent: ends the controller. */
void nvmf_auth_is_over(struct nvmf_queue *queue);

/* A command of an I/O queue has been answered: those that were to abort it are answered, too. */
void nvmf_queue_ended(struct nvmf_queue *queue, uint16_t cid, uint16_t status);

/*
 * A Flush of the queue has ended; returns what to answer it with. Media tell a loss once, to
 * whoever flushes first: the hosts of the others learn it by their next Flush.
 */
uint16_t nvmf_queue_flushed(struct nvmf_queue *queue, const struct nvmf_ns *ns, uint16_t status);

/* Does the command use data of the host? What it sends with others need not be fetched. */
bool nvmf_takes_data(const struct nvmf_queue *queue, const struct nvme_cmd *cmd);

/*
 * Decides about one command. Data that it takes must be there already. After NVMF_EXECUTE the
 * program carries the command out and answers it by itself.
 */
enum nvmf_verdict nvmf_execute(struct nvmf_target *target, struct nvmf_queue *queue,
			       struct nvmf_req *req);

/* --- between the files of this folder ----------------------------------------------------- */

static inline enum nvmf_verdict nvmf_fail(struct nvmf_req *req, uint16_t status)
{
	req->status = status;
	return NVMF_RESPOND;
}

/* for errors that would repeat */
static inline enum nvmf_verdict nvmf_refuse(struct nvmf_req *req, uint16_t status)
{
	return nvmf_fail(req, status | NVME_SC_DNR);
}

enum nvmf_verdict nvmf_admin(struct nvmf_ctrlr *ctrlr, struct nvmf_req *req);
/* the queue is connected; returns what the answer says about that, NVMF_CONNECT_ATR or 0 */
uint32_t nvmf_auth_begin(struct nvmf_queue *queue);
/* it is not any more */
void nvmf_auth_end(struct nvmf_queue *queue);
enum nvmf_verdict nvmf_auth_send(struct nvmf_queue *queue, struct nvmf_req *req);
enum nvmf_verdict nvmf_auth_receive(struct nvmf_queue *queue, struct nvmf_req *req);
/*
 * Ends the controller if the host owes a step for too long; late_ns: for how long we slept. Returns
 * when the next one is due, UINT64_MAX: never.
 */
uint64_t nvmf_auth_look(struct nvmf_ctrlr *ctrlr, uint64_t now_ns, uint64_t late_ns);
enum nvmf_verdict nvmf_io(struct nvmf_queue *queue, struct nvmf_req *req);

/* the commands of I/O queues */
struct nvmf_io_cmd {
	uint8_t opcode;
	uint16_t oncs; /* it is optional: its bit */
	bool writes;
};

#define NVMF_IO_CMDS 8u
extern const struct nvmf_io_cmd nvmf_io_cmds[NVMF_IO_CMDS];

/* the optional commands that work on all namespaces there are */
uint16_t nvmf_oncs(const struct nvmf_subsys *subsys);
enum nvmf_verdict nvmf_abort(struct nvmf_ctrlr *ctrlr, struct nvmf_req *req);
/* the half that is held, if it is that one: answers it */
bool nvmf_abort_half(struct nvmf_queue *queue, uint16_t cid);
/* the queue is gone, with the commands that were to be aborted */
void nvmf_aborts_end(struct nvmf_ctrlr *ctrlr, uint16_t qid);
/* all held ones, without an answer */
void nvmf_aborts_drop(struct nvmf_ctrlr *ctrlr);
bool nvmf_has_temperature_alarm(const struct nvmf_ctrlr *ctrlr);
/* of any namespace; what Identify says as VWC */
bool nvmf_has_write_cache(const struct nvmf_subsys *subsys);
enum nvmf_verdict nvmf_identify(struct nvmf_ctrlr *ctrlr, struct nvmf_req *req);
enum nvmf_verdict nvmf_get_log_page(struct nvmf_ctrlr *ctrlr, struct nvmf_req *req);

/* disconnects every queue */
void nvmf_ctrlr_disconnect(struct nvmf_ctrlr *ctrlr, const char *why);

/* the host has not proved yet, on the admin queue, that the controller is its own */
bool nvmf_ctrlr_is_owed_proof(const struct nvmf_ctrlr *ctrlr);

void nvmf_event_raise(struct nvmf_ctrlr *ctrlr, enum nvmf_event event);
void nvmf_event_ns_changed(struct nvmf_ctrlr *ctrlr, uint32_t nsid);
/* the log page of the event has been read without RAE */
void nvmf_event_read(struct nvmf_ctrlr *ctrlr, enum nvmf_event event);
enum nvmf_verdict nvmf_event_request(struct nvmf_ctrlr *ctrlr, struct nvmf_req *req);
void nvmf_event_configure(struct nvmf_ctrlr *ctrlr, uint32_t config);
/* all held requests, without an answer */
void nvmf_event_drop_all(struct nvmf_ctrlr *ctrlr);
/* tells the discovery controllers; raises the generation */
void nvmf_discovery_changed(struct nvmf_target *target);

/* reads and writes are refused there: for a queue that is new; nsid: up to NVMF_NSID_MAX */
static inline bool nvmf_place_is_hidden(const struct nvmf_ctrlr *ctrlr, uint32_t nsid)
{
	return ctrlr->places[nsid].state != NVMF_PLACE_OPEN;
}

/* as its host may see it; NULL: no such, or not yet */
struct nvmf_ns *nvmf_ctrlr_ns(const struct nvmf_ctrlr *ctrlr, uint32_t nsid);
/* a namespace goes; another one, or the same, has its number */
void nvmf_place_left(struct nvmf_ctrlr *ctrlr, const struct nvmf_ns *ns);
void nvmf_place_taken(struct nvmf_ctrlr *ctrlr, const struct nvmf_ns *ns);
/* the host asks: for a list of those after a number, for what has changed, for one namespace */
void nvmf_places_listed(struct nvmf_ctrlr *ctrlr, uint32_t after);
void nvmf_places_heard_of(struct nvmf_ctrlr *ctrlr);
void nvmf_place_identified(struct nvmf_ctrlr *ctrlr, uint32_t nsid);
void nvmf_places_forget(struct nvmf_ctrlr *ctrlr);

/* something is due then */
void nvmf_target_look_by(struct nvmf_target *target, uint64_t due_ns);
void nvmf_keepalive_heard(struct nvmf_ctrlr *ctrlr);
/* what a host asks for, as a multiple of what Identify announces as KAS; 0: none. Restarts it. */
void nvmf_keepalive_set(struct nvmf_ctrlr *ctrlr, uint32_t kato_ms);
/* idle: reset or shut down, until the host enables it again */
void nvmf_keepalive_set_idle(struct nvmf_ctrlr *ctrlr, bool idle);

/* of hosts that come by the port; ana_group: as in nvmf_ns_attr */
enum nvmf_ana_state nvmf_group_ana(const struct nvmf_port *port, const struct nvmf_subsys *subsys,
				   uint32_t ana_group);
enum nvmf_ana_state nvmf_ns_ana(const struct nvmf_port *port, const struct nvmf_ns *ns);
/* Success, or the path error that the state asks for */
uint16_t nvmf_ana_status(enum nvmf_ana_state state);

/* A piece of a page that is made up as it is read: only what is inside the window is kept. */
struct nvmf_window {
	uint8_t *data;
	uint64_t offset;
	uint32_t size;
	uint64_t at; /* where the next put goes */
};

void nvmf_window_put(struct nvmf_window *window, const void *data, uint32_t size);
void nvmf_discovery_log(struct nvmf_ctrlr *ctrlr, const struct nvmf_queue *queue,
			struct nvmf_window *window);

/* fills a field with text, padded with spaces */
void nvmf_put_text(char *field, size_t size, const char *text);

#endif
