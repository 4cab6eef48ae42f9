/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The engine: threads ("execution units", EUs) that take commands from fabrics, run reads and
 * writes on NVMe queues, and answer, without the application. docs/internals/sta.md tells the
 * story.
 *
 * Who touches what: a queue pair and its commands belong to the EU it was given to, a back-end
 * queue to its owner EU. The application's threads talk to EUs by messages (mbox.h), and to nothing
 * else, except the namespace map, which they change and EUs read.
 */
#ifndef SOFTFIELD_STA_ENGINE_H
#define SOFTFIELD_STA_ENGINE_H

#include <pthread.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include "base/list.h"
#include "base/worker.h"
#include "doca_error.h"
#include "nvme/queue.h"
#include "nvme/vctrl.h"
#include "nvmf/capsule.h"
#include "softfield_sta.h"
#include "sta/mbox.h"

#define STA_EUS_MAX    16u
#define STA_NS_BUCKETS 64u
#define STA_IN_CAPSULE 8192u /* bytes of data with a command: what every host may assume */
#define STA_NOTIFY_MAX 64u   /* notifications of one EU that nobody has taken yet */

struct sta_engine;
struct sta_eu;
struct sta_qp;
struct sta_cmd;
struct sta_subsys;
struct sta_ns;
struct sta_be;
struct sta_beq;
struct fabric_ops;
struct fabric_tcp;
struct fabric_rdma;

/*
 * Counters have one writer, the EU; others read them while it runs. They are plain numbers, because
 * programs get pointers to them.
 */
#define STA_SET(counter, n)   __atomic_store_n(&(counter), n, __ATOMIC_RELAXED)
#define STA_COUNT(counter, n) STA_SET(counter, (counter) + (n))

/* --- memory: mem.c ------------------------------------------------------------------------- */

struct sta_allocator {
	void *(*zmalloc)(size_t size, size_t align, uint64_t *phys);
	void (*free)(void *buf);
	uint64_t (*vtophys)(const void *buf, uint32_t size);
};

/* Data of one command, and how a disk sees it. */
struct sta_buf {
	struct sta_buf *next; /* in pool->free */
	uint8_t *data;
	uint32_t capacity;
	uint64_t bus0, bus1; /* first and second page */
	uint64_t list;	     /* bus address of the list of all pages but the first */
	void *list_memory;
	bool is_part; /* of memory that is somebody else's */
};

/*
 * Buffers of an EU: those made at the start, and one for each queue pair that it has had at once.
 * Made by whoever creates queue pairs; all else is the EU's.
 */
struct sta_pool {
	const struct sta_allocator *allocator;
	struct sta_buf *bufs;
	struct sta_buf *free; /* most recently used first */
	uint32_t capacity, count, free_count;
	uint32_t added; /* those of queue pairs */
	/* as many are kept for queue pairs that hold none, and for new ones that bring none */
	uint32_t owed;
};

extern const struct sta_allocator sta_own_allocator;

doca_error_t sta_buf_init(struct sta_buf *buf, const struct sta_allocator *allocator,
			  uint32_t capacity);
void sta_buf_fini(struct sta_buf *buf, const struct sta_allocator *allocator);
/* in memory of the allocator's that stays the caller's; as large as buffers without a list are */
doca_error_t sta_buf_init_part(struct sta_buf *buf, const struct sta_allocator *allocator,
			       void *memory, uint32_t capacity);
doca_error_t sta_pool_init(struct sta_pool *pool, const struct sta_allocator *allocator,
			   uint32_t count, uint32_t room, uint32_t size);
/* one more, out of the room there is; it is not free until sta_pool_give() */
doca_error_t sta_pool_add(struct sta_pool *pool, struct sta_buf **ret_buf);
void sta_pool_fini(struct sta_pool *pool);
struct sta_buf *sta_pool_take(struct sta_pool *pool); /* NULL: all are out */
void sta_pool_give(struct sta_pool *pool, struct sta_buf *buf);
void sta_buf_set_prps(const struct sta_buf *buf, struct nvme_cmd *cmd, uint32_t size);

/* --- namespaces: ns.c ---------------------------------------------------------------------- */

struct sta_ns_counters {
	uint64_t reads, writes, read_bytes, write_bytes, errors;
};

/* what one EU keeps about a namespace; lines of their own, so that EUs do not disturb each other */
struct sta_ns_use {
	_Alignas(64) uint32_t inflight;
	bool removing; /* the EU has seen the removal and waits for inflight 0 */
	struct sta_ns_counters counters;
};

struct sta_ns {
	_Atomic(struct sta_ns *) next; /* in its bucket */
	struct sta_subsys *subsys;
	uint32_t fe_nsid, be_nsid;
	unsigned int block_shift;
	struct sta_be *be;
	_Atomic uint32_t refusal; /* status field that reads and writes get; 0: none */
	struct sta_ns_use use[STA_EUS_MAX];
	/* removal */
	struct sta_ns_removal *removal;
};

struct sta_subsys {
	struct sta_engine *engine;
	_Atomic(struct sta_ns *) buckets[STA_NS_BUCKETS];
	uint32_t ns_count;
};

void sta_subsys_init(struct sta_subsys *subsys, struct sta_engine *engine);
/* ALREADY_EXIST, NO_MEMORY, INVALID_VALUE: block size */
doca_error_t sta_ns_add(struct sta_subsys *subsys, uint32_t fe_nsid, uint32_t block_size,
			uint32_t be_nsid, struct sta_be *be, struct sta_ns **ret_ns);
struct sta_ns *sta_ns_find(const struct sta_subsys *subsys, uint32_t fe_nsid);

static inline uint16_t sta_ns_refusal(const struct sta_ns *ns)
{
	/* Relaxed: a command that is under way may see the old or the new one. */
	return (uint16_t)atomic_load_explicit(&ns->refusal, memory_order_relaxed);
}

/* Removal: first it cannot be found any more, then each EU says when it has let go. */
struct sta_ns_letter {
	struct mbox_msg msg;
	struct sta_ns *ns;
	struct sta_eu *eu;
};

struct sta_ns_removal {
	struct sta_ns_letter letters[STA_EUS_MAX];
	_Atomic uint32_t missing; /* EUs that have not answered */
	struct mbox *reply;	  /* NULL: a thread waits for the semaphore */
	sem_t *waiter;
	struct mbox_msg done;
	void (*deliver)(struct mbox_msg *done); /* in the thread of reply */
};

/* Afterwards, when removal says so, the namespace is nobody's but the caller's: sta_ns_free(). */
void sta_ns_remove(struct sta_ns *ns, struct sta_ns_removal *removal);
void sta_ns_free(struct sta_ns *ns);
/* of the EU's thread: the command does without its namespace, if it has one */
void sta_ns_release(struct sta_cmd *cmd);

/* --- back ends: beq.c ---------------------------------------------------------------------- */

struct sta_beq_counters {
	uint64_t submitted, completed, errors, full, aborted;
};

struct sta_be {
	struct sta_engine *engine;
	struct list_node queues;  /* application thread */
	struct list_node retired; /* destroyed queues with buffers in quarantine */
	uint32_t queue_count;	  /* with those that are being destroyed */
	uint32_t ns_count;
	/* the queue that each EU uses: its own or somebody else's; NULL: none */
	_Atomic(struct sta_beq *) route[STA_EUS_MAX];
};

/* a descriptor of an emulated controller */
struct sta_beq_watch {
	struct watch watch;
	struct sta_eu *eu;
};

/* The other end of rings that nobody serves: null_ring.c */
struct sta_null_ring {
	bool is_on;
	uint16_t sq_head, cq_tail, phase;
};

struct sta_beq {
	struct list_node node;	  /* in be->queues */
	struct list_node eu_node; /* in eu->queues */
	struct sta_be *be;
	struct sta_eu *owner;
	struct nvme_queue queue;
	struct vctrl_queue *device; /* an emulated controller that the owner executes; or NULL */
	struct sta_null_ring null_ring;
	struct sta_beq_watch watches[VCTRL_NS_MAX];
	unsigned int watch_count;
	struct list_node waiting;    /* commands that found the queue full */
	struct list_node quarantine; /* see sta_beq_destroy() */
	uint64_t progress_ns;	     /* last completion, or first submission after a pause */
	bool late;		     /* the time-out has been reported */
	_Atomic bool late_queued;    /* late_msg is on its way */
	struct sta_beq_counters counters;
	struct mbox_msg late_msg;
	void *user;
};

/* a buffer that a disk may still write to */
struct sta_quarantined {
	struct list_node node;
	struct sta_pool *pool; /* whose buf is; NULL: it is a slot's */
	struct sta_buf *buf;
	struct sta_buf in_capsule;
};

void sta_be_init(struct sta_be *be, struct sta_engine *engine);
/*
 * device: NULL, or the other end of the rings, to be executed by the owner; is_null: that is a null
 * disk
 */
doca_error_t sta_beq_create(struct sta_be *be, const struct nvme_queue_attr *rings,
			    struct vctrl_queue *device, bool is_null, void *user,
			    struct sta_beq **ret_beq);
/* asynchronous: op->result is set; the engine does not touch rings and doorbells any more */
struct sta_op;
void sta_beq_destroy(struct sta_beq *beq, struct sta_op *op);
/* after that, when the disk has let go of the buffers, too */
void sta_beq_free(struct sta_beq *beq);
/*
 * after that, when nobody knows about the disk: the buffers stay out until sta_be_release_buffers()
 */
void sta_beq_retire(struct sta_beq *beq);
/* the back end is being destroyed: its disk does not touch anything any more */
void sta_be_release_buffers(struct sta_be *be);

/* null_ring.c: how many commands it has done */
unsigned int sta_null_ring_serve(struct sta_null_ring *ring, struct nvme_queue *queue);
bool sta_beq_submit(struct sta_beq *beq, struct sta_cmd *cmd);
unsigned int sta_beq_poll(struct sta_beq *beq);
/* may the EU sleep although commands are outstanding? */
bool sta_beq_wakes(const struct sta_beq *beq);

/* --- commands: cmd.c ----------------------------------------------------------------------- */

enum sta_cmd_state {
	CMD_FREE,
	CMD_WAIT_BUFFER, /* all data buffers are out */
	CMD_FETCHING,	 /* data comes from the host */
	CMD_WAIT_QUEUE,	 /* the back-end queue is full */
	CMD_REMOTE,	 /* another EU has it */
	CMD_EXECUTING,	 /* the disk has it */
	CMD_WAIT_APP,	 /* the application has as many as it may have */
	CMD_APP,	 /* the application has it */
	CMD_RESPONDING,
	CMD_STATE_COUNT,
};

/* What the host has to do before a command of the application's can end. */
enum sta_owed {
	STA_OWED_NOTHING,
	STA_OWED_DATA,	  /* to send it */
	STA_OWED_READING, /* to read the answer */
};

struct sta_cmd {
	struct mbox_msg msg;
	struct list_node node; /* in qp->wait_buffer, qp->wait_app, beq->waiting, qp->free */
	struct sta_qp *qp;
	enum sta_cmd_state state;
	uint16_t index;
	bool is_connect, offloaded;
	bool to_admin, to_no_sq_flow; /* of Connect: what the queue will be if that succeeds */
	bool in_app_count;	      /* one of qp->in_app */
	enum sta_owed owed;	      /* one of qp->owing unless it is nothing */
	_Atomic uint32_t generation;  /* see cmd_token() */
	uint64_t told; /* the token that the application has; its thread alone knows this */
	struct nvme_cmd sqe;
	struct capsule_data where; /* what the SGL says */
	struct nvme_cqe cqe;
	struct sta_buf *buf;	  /* data: &in_capsule, one of the pool's, or NULL */
	uint32_t size;		  /* bytes of data that move */
	uint32_t in_capsule_size; /* bytes that came with the command */
	uint16_t receive_status;  /* they did not come well: answer with this */
	bool quarantined;	  /* the buffer stays with the back-end queue */
	struct sta_ns *ns;
	struct sta_beq *beq;
	struct sta_op *op;	   /* the application's task */
	struct sta_buf in_capsule; /* without data: the slot is not used */
};

/* Relaxed: the EU alone writes it; a program with an old token may look, and is checked later. */
static inline uint32_t cmd_generation(const struct sta_cmd *cmd)
{
	return atomic_load_explicit(&cmd->generation, memory_order_relaxed);
}

/* fabrics -> commands */
void cmd_received(struct sta_cmd *cmd);
/* status other than success: the data is not there and the command is answered with it */
void cmd_fetched(struct sta_cmd *cmd, uint16_t status);
/* the response has left, or never will */
void cmd_responded(struct sta_cmd *cmd, bool sent);
/* back ends -> commands */
void cmd_executed(struct sta_cmd *cmd, uint16_t status, uint32_t dw0, uint32_t dw1);
/* submits it; from the waiting list of its queue */
void cmd_retry_queue(struct sta_cmd *cmd);
/* buffers have come back; returns how many commands go on */
unsigned int cmd_retry_buffers(struct sta_eu *eu);
/* cmd_app.c: places of the application's have become free */
void cmd_retry_places(struct sta_eu *eu);
/* Does any command wait for one? */
bool cmd_places_are_wanted(const struct sta_eu *eu);
/* cmd.c: gives up a command that nobody else has in hand; for queue pairs that fail */
void cmd_drop(struct sta_cmd *cmd);
/* takes back what the application has never answered */
void cmd_reclaim(struct sta_cmd *cmd);
/*
 * cmd_app.c: ends a command of the application's without an answer; false: it is not the
 * application's
 */
bool cmd_forget(struct sta_cmd *cmd, uint32_t generation);

/* --- work for an EU that is answered: op.c -------------------------------------------------- */

struct sta_op {
	struct mbox_msg msg;
	struct mbox *reply; /* where done is delivered */
	void (*done)(struct sta_op *op);
	doca_error_t result;
	/* of operations on commands */
	struct sta_cmd *cmd;
	uint32_t generation;
	struct nvme_cqe cqe;
	bool with_data;
	struct sta_qp *qp;
	void *arg;
};

/* EU: hands the result to op->reply */
void sta_op_finish(struct sta_op *op, doca_error_t result);
/* calls fn(arg) in the EU's thread and waits for it; never from an EU */
void sta_eu_call(struct sta_eu *eu, void (*fn)(struct sta_eu *eu, void *arg), void *arg);

/* cmd_app.c: application -> commands; the op's cmd, generation and qp are set */
void cmd_app_fetch(struct sta_op *op);	 /* data of the host into the payload */
void cmd_app_respond(struct sta_op *op); /* op->cqe, and the payload if with_data */

/* --- queue pairs: qp.c --------------------------------------------------------------------- */

enum sta_qp_state { QP_NEW, QP_LIVE, QP_ERROR, QP_CLOSED, QP_STATE_COUNT };

/* What the application's side is told, in its own thread. */
struct sta_qp_up {
	void (*command)(struct sta_cmd *cmd);
	void (*failed)(struct sta_qp *qp);
};

struct sta_qp_error {
	uint32_t operation, syndrome, vendor;
};

struct sta_qp {
	const struct fabric_ops *fabric;
	struct sta_eu *eu;
	struct list_node node; /* in eu->qps */
	enum sta_qp_state state;
	uint32_t id;
	_Atomic uint16_t index; /* among those of its EU */
	/* commands */
	void *cmds; /* array; elements of fabric->cmd_size */
	uint32_t cmd_count;
	uint8_t *in_capsule; /* what cmds have in theirs, in one piece */
	struct list_node free;
	uint32_t busy;		 /* commands that neither are free nor belong to the application */
	uint32_t bufs;		 /* of the pool that its commands hold */
	uint32_t in_app;	 /* its commands that are counted in eu->app_count */
	uint32_t owing;		 /* the application's commands that wait for the host */
	uint32_t unread;	 /* those of them whose answers it has to read */
	uint32_t owing_bytes;	 /* that have moved since */
	uint64_t owing_ns;	 /* when it last did enough about them, or there were none */
	struct sta_buf *brought; /* one more for the pool, until the EU has it */
	struct list_node wait_buffer;	/* commands, in their order */
	struct list_node wait_node;	/* in eu->wait_buffer while there are any */
	struct list_node wait_app;	/* commands, in their order */
	struct list_node wait_app_node; /* in eu->wait_first or wait_more while there are any */
	/* NVMe */
	_Atomic(const struct sta_subsys *) subsys;
	_Atomic uint32_t sq_entries; /* 0: not set yet */
	uint16_t sqhd;
	uint32_t outstanding; /* taken, no response begun */
	uint32_t since_head;  /* taken since a response has told the head */
	bool no_sq_flow, is_admin;
	bool connected; /* Connect has succeeded */
	_Atomic bool established;
	uint64_t deadline_ns; /* of the set-up */
	/* application */
	const struct sta_qp_up *up;
	struct mbox *inbox;
	struct mbox_msg failed_msg, add_msg, reap_msg;
	struct sta_op *disconnect;
	struct sta_qp_error error;
	_Atomic bool failed;
	void *user;
};

static inline struct sta_cmd *qp_cmd(const struct sta_qp *qp, uint32_t index, size_t cmd_size)
{
	return (void *)((char *)qp->cmds + index * cmd_size);
}

/* What the application has for a command: no other one has it, of whatever queue pair. */
static inline uint64_t cmd_token(const struct sta_cmd *cmd)
{
	return (uint64_t)cmd_generation(cmd) << 32 | (uint32_t)(uint16_t)cmd->qp->id << 16 |
	       cmd->index;
}

/* Relaxed: the EU gives it out; programs that ask get a number and nothing with it. */
static inline uint16_t sta_qp_index(const struct sta_qp *qp)
{
	return atomic_load_explicit(&qp->index, memory_order_relaxed);
}

/* memory for a queue pair of the given fabric, in whose structure it is the first member */
doca_error_t sta_qp_create(struct sta_engine *engine, const struct fabric_ops *fabric,
			   const struct sta_qp_up *up, struct mbox *inbox, struct sta_qp **ret_qp);
/* hands it to its EU, which starts to receive */
void sta_qp_start(struct sta_qp *qp);
/* from the application: commands received so far and from now on may be executed */
void sta_qp_set_established(struct sta_qp *qp);
/* asynchronous; op->result. Commands in hand are finished or dropped first. */
void sta_qp_disconnect(struct sta_qp *qp, struct sta_op *op);
/* disconnected, or never started. The engine reuses the memory. */
void sta_qp_free(struct sta_qp *qp);
/* gives that back: the engine is being stopped */
void sta_qp_release_memory(struct sta_qp *qp, const struct sta_allocator *allocator);

/* EU: */
/* the next free command; NULL: the host has more outstanding than there are slots */
static inline struct sta_cmd *qp_take_cmd(struct sta_qp *qp)
{
	struct list_node *node = list_pop(&qp->free);

	return node ? container_of(node, struct sta_cmd, node) : NULL;
}

static inline void qp_give_cmd(struct sta_cmd *cmd)
{
	if (cmd->in_capsule.data)			   /* else see quarantine_in_capsule() */
		list_add_head(&cmd->qp->free, &cmd->node); /* its memory is in the cache */
}

void qp_fail(struct sta_qp *qp, uint32_t operation, uint32_t syndrome, uint32_t vendor);
void qp_check_drained(struct sta_qp *qp);
/* cmd_app.c: the host has sent or read so much of what it owes */
void qp_note_moved(struct sta_qp *qp, size_t size);

/*
 * Is a place among the application's commands kept for it? Commands of admin queues need none, and
 * a connection that has not sent Connect may never have any.
 */
static inline bool qp_is_owed_place(const struct sta_qp *qp)
{
	return qp->connected && !qp->is_admin && !qp->in_app;
}

static inline bool qp_is_executing(const struct sta_qp *qp)
{
	return qp->state == QP_LIVE;
}

/* --- EUs: engine.c ------------------------------------------------------------------------- */

struct sta_eu_counters {
	uint64_t rx_capsules, reads, writes, read_bytes, write_bytes, non_offload, validation_err;
	uint64_t no_buffer, remote, app_full;
	uint64_t tx_responses, tx_data, fetches, transport_err;
	uint64_t be_submitted, be_completed, be_err, sq_full;
	uint64_t notify_dropped;
};

enum sta_notify_kind { STA_NOTIFY_VALIDATION, STA_NOTIFY_COMPLETION };

/* A command that failed; goes to the control thread. */
struct sta_notify {
	struct mbox_msg msg;
	struct sta_eu *eu;
	_Atomic bool taken;
	enum sta_notify_kind kind;
	struct nvme_cqe cqe;
	void *qp_user;
	uint32_t qp_id;
	const struct sta_subsys *subsys;
	uint8_t opcode;
	uint16_t cid;
	uint32_t nsid;
	uint64_t lba;
	uint16_t location; /* parameter error: byte in 7:0, bit in 10:8 */
};

struct sta_eu {
	_Alignas(64) struct worker worker;
	struct sta_engine *engine;
	uint16_t index;
	struct mbox inbox;
	struct poller poller;
	struct timer tick;
	struct sta_pool pool;
	struct list_node wait_buffer; /* queue pairs with commands that wait for one */
	bool buffers_returned;	      /* since the last look at them */
	/* commands that the application has and has not answered, those of admin queues aside */
	uint32_t app_count;
	uint32_t app_owed; /* queue pairs for which a place is kept: qp_is_owed_place() */
	/* queue pairs with commands that wait for a place: those that have none, the others */
	struct list_node wait_first, wait_more;
	uint64_t app_full_ns; /* since when there are any */
	struct list_node qps;
	_Atomic uint32_t qp_count;
	struct list_node queues;
	struct fabric_tcp *tcp;
	struct fabric_rdma *rdma; /* NULL: the build has none */
	uint64_t now_ns;	  /* of the last tick */
	struct sta_eu_counters counters;
	struct sta_notify notify[STA_NOTIFY_MAX];
};

/* --- engine: engine.c ---------------------------------------------------------------------- */

/* What the control side is told, in its own thread. */
struct sta_engine_up {
	/* struct sta_notify: give it back with taken = false */
	void (*notify)(struct mbox_msg *msg);
	void (*late)(struct mbox_msg *msg); /* struct sta_beq */
};

struct sta_engine_attr {
	uint16_t eus;
	uint32_t max_io_size; /* bytes; a multiple of the page size */
	uint32_t queue_size;  /* commands of a queue pair */
	uint32_t buffers;     /* of an EU */
	uint32_t max_in_app;  /* commands of an EU that the application has at once */
	uint32_t max_qps;
	uint64_t spin_ns;
	uint64_t setup_timeout_ns; /* to connect */
	uint64_t be_timeout_ns;
	struct sta_allocator allocator; /* zmalloc NULL: the process's own memory */
	const struct sta_engine_up *up; /* NULL: nobody listens */
	struct mbox *control;
};

struct sta_engine {
	struct sta_engine_attr attr;
	struct sta_eu *eus;
	uint16_t eu_count;
	/* protects what is added to pools, which may take long; never taken by an EU */
	pthread_mutex_t pool_lock;
	/* protects the list below; taken when queue pairs come and go, never per command */
	pthread_mutex_t lock;
	struct list_node spare_qps; /* memory to be used again */
	_Atomic uint32_t qp_count;
	_Atomic uint32_t next_qp_id;
};

doca_error_t sta_engine_start(const struct sta_engine_attr *attr, struct sta_engine **ret_engine);
/* no queue pair, no back-end queue exists any more */
void sta_engine_stop(struct sta_engine *engine);
/* returns when every EU has finished what it was doing when this was called; never from an EU */
void sta_engine_settle(struct sta_engine *engine);
struct sta_eu *sta_engine_choose_eu(struct sta_engine *engine);
void eu_need_tick(struct sta_eu *eu);
void eu_notify(struct sta_eu *eu, enum sta_notify_kind kind, const struct sta_cmd *cmd,
	       uint16_t location);

#endif
