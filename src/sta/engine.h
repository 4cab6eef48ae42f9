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
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include "base/list.h"
#include "base/worker.h"
#include "doca_error.h"
#include "nvme/spec.h"
#include "sta/mbox.h"
#include "sta/mem.h"

struct fabric_rdma;
struct fabric_tcp;
struct sta_cmd;
struct sta_engine;
struct sta_eu;
struct sta_subsys;

#define STA_EUS_MAX    16u
#define STA_NOTIFY_MAX 64u /* notifications of one EU that nobody has taken yet */

/*
 * Counters have one writer, the EU; others read them while it runs. They are plain numbers, because
 * programs get pointers to them.
 */
#define STA_SET(counter, n)   __atomic_store_n(&(counter), n, __ATOMIC_RELAXED)
#define STA_COUNT(counter, n) STA_SET(counter, (counter) + (n))

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
	bool is_inherited; /* in a child of fork(), where its threads are not */
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
void eu_notify(const struct sta_cmd *cmd, enum sta_notify_kind kind, uint16_t location);

#endif
