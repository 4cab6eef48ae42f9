/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The objects of the API, on top of the engine.
 */
#ifndef SOFTFIELD_STA_STA_H
#define SOFTFIELD_STA_STA_H

#include "core/ctx.h"
#include "core/dev.h"
#include "core/pe.h"
#include "core/task.h"
#include "doca_sta.h"
#include "doca_sta_be.h"
#include "doca_sta_event.h"
#include "doca_sta_io.h"
#include "doca_sta_io_non_offload.h"
#include "doca_sta_io_qp.h"
#include "doca_sta_mem.h"
#include "doca_sta_stats.h"
#include "doca_sta_subsystem.h"
#include "doca_sta_task.h"
#include "nvme/pci.h"
#include "softfield_sta.h"
#include "sta/beq.h"
#include "sta/engine.h"
#include "sta/ns.h"
#include "sta/op.h"
#include "sta/qp.h"

#define STA_DEVS_MAX	16u
#define STA_EU_ROLES	3u /* COMP, TX, BEQ of each thread */
#define STA_ENTRIES_MAX (8u * STA_EUS_MAX)

#define STA_DISK_NSID 1u /* of every disk of ours */

struct sta_task_conf {
	doca_sta_task_completion_cb_t completed, failed;
};

/* A table of counters as the API shows it. */
struct sta_entries {
	struct doca_sta_eu_ctr_entry *list;
	char (*names)[32];
	uint16_t count;
	void *info_2_9; /* the same in the shape of that release */
};

/* One type for all tasks; the pool says which it is. */
struct doca_sta_producer_task_send {
	struct doca_task base;
	struct list_node node; /* in the tasks of the handle below, until it is about another one */
	const struct sta_task_conf *conf;
	struct sta_op op;
	struct doca_sta_qp_handle *qp;	   /* those of doca_sta_io */
	struct doca_sta_ns_handle *ns;	   /* rm_ns */
	struct doca_sta_be_q_handle *be_q; /* destroy_queue */
};

struct doca_sta_eu_handle {
	enum dpa_sta_eu_type type;
	uint16_t id;
	char name[16];
	struct sta_eu *eu;
	struct sta_entries entries;
};

struct doca_sta {
	struct doca_ctx ctx;
	struct pe_garbage garbage;
	/* opened once more: programs close theirs first */
	struct doca_dev *manager;
	struct doca_dev *devs[STA_DEVS_MAX];
	uint32_t dev_count;
	uint16_t max_io;
	uint16_t num_eus;
	struct sta_allocator allocator;
	/* tasks and events */
	struct task_pool rm_ns_pool, destroy_q_pool;
	struct sta_task_conf rm_ns_conf, destroy_q_conf;
	doca_sta_event_be_timeout_cb_t be_timeout_cb;
	union doca_data be_timeout_data;
	doca_sta_event_eu_err_cb_t eu_err_cb;
	union doca_data eu_err_data;
	doca_sta_event_cqe_notify_cb_t cqe_notify_cb;
	union doca_data cqe_notify_data;
	/* while it runs */
	struct sta_engine *engine;
	struct mbox inbox;
	struct doca_sta_eu_handle eus[STA_EU_ROLES * STA_EUS_MAX];
	uint32_t eu_count;
	/* children */
	struct list_node subsystems, backends, ios, disks;
	uint32_t subsystem_count, backend_count, io_count;
	/* protects ios, io_count, and their lists of queue pairs: threads make their own */
	pthread_mutex_t io_lock;
	bool takes_ios; /* io_lock: the engine is there for those that start */
};

/* In a child of fork(): it is the parent's. */
static inline bool sta_is_inherited(const struct doca_sta *sta)
{
	return sta->engine && sta->engine->is_inherited;
}

struct doca_sta_io {
	struct doca_ctx ctx;
	struct doca_sta *sta;
	struct list_node node; /* in sta->ios */
	struct mbox inbox;
	struct list_node qps;
	bool uses_engine; /* io_lock: from its start until nothing of it is left there */
	struct task_pool disconnect_pool, read_pool, respond_pool;
	struct sta_task_conf disconnect_conf, read_conf, respond_conf;
	doca_sta_io_non_offload_cb_t non_offload_cb;
	union doca_data non_offload_data;
	doca_sta_event_transport_err_cb_t transport_err_cb;
	union doca_data transport_err_data;
	struct pe_garbage garbage;
};

struct sta_loop_host; /* io_qp_loop.c */

enum qp_handle_state { HANDLE_NEW, HANDLE_STARTED, HANDLE_DISCONNECTING, HANDLE_DISCONNECTED };

struct doca_sta_qp_handle {
	struct list_node node; /* in io->qps */
	struct doca_sta_io *io;
	struct sta_qp *qp;
	const struct doca_dev *dev;
	struct doca_sta_subs_handle *subs; /* that counts it; NULL: none yet, or not any more */
	struct sta_op stop;		   /* its disconnect, when the context is stopped */
	struct list_node tasks;
	enum qp_handle_state state;
	union doca_data user_data;
	struct sta_loop_host *loop_host; /* NULL: the host is elsewhere */
};

struct doca_sta_subs_handle {
	struct list_node node;
	struct doca_sta *sta;
	struct sta_subsys subsys;
	struct list_node namespaces; /* also those that are being removed */
	_Atomic uint32_t qp_count;   /* connected to it */
	char nqn[NVME_NQN_SIZE];
	const struct doca_dev *devs[STA_DEVS_MAX];
	uint32_t dev_count;
};

struct doca_sta_ns_handle {
	struct list_node node; /* in subs->namespaces */
	struct doca_sta_subs_handle *subs;
	struct sta_ns *ns;
	struct sta_ns_removal removal;
	struct doca_sta_producer_task_send *task;
	struct list_node tasks; /* also those that are not under way */
	bool removing;
	struct sta_entries entries;
};

struct doca_sta_be_handle {
	struct list_node node;
	struct doca_sta *sta;
	struct sta_be be;
};

/* A queue pair of a disk: of an emulated controller in memory of ours, or of one on PCI. */
struct sta_disk_queue {
	struct nvme_queue_attr rings;
	struct vctrl_queue *device;
	void *memory;
	struct nvme_pci_queue *pci;
};

struct doca_sta_be_q_handle {
	struct doca_sta_be_handle *be;
	struct sta_beq *beq;
	struct list_node tasks;
	bool destroying;
	struct sta_entries entries, mapping;
	uint64_t owner;			 /* what the mapping shows */
	struct softfield_sta_disk *disk; /* NULL: the program's own rings */
	struct sta_disk_queue disk_queue;
};

struct softfield_sta_disk {
	struct list_node node; /* in sta->disks */
	struct doca_sta *sta;
	struct vctrl *ctrl;   /* an emulated controller, or */
	struct nvme_pci *pci; /* one on PCI */
	struct softfield_sta_disk_info info;
	uint32_t users; /* queues and channels */
};

struct doca_sta_event_transport_err {
	const struct doca_sta_qp_handle *qp;
	struct sta_qp_error error;
};

struct doca_sta_event_be_timeout {
	const struct doca_sta_be_q_handle *be_q;
};

struct doca_sta_event_eu_err {
	const struct doca_sta_eu_handle *eu;
};

struct doca_sta_event_cqe_notify {
	const struct sta_notify *notify;
	/* NULL: destroyed meanwhile */
	const struct doca_sta_qp_handle *qp;
	const struct doca_sta_subs_handle *subs;
};

static inline struct doca_sta *sta_of_ctx(struct doca_ctx *ctx)
{
	return container_of(ctx, struct doca_sta, ctx);
}

static inline bool sta_is_running(const struct doca_sta *sta)
{
	return sta->ctx.state == DOCA_CTX_STATE_RUNNING;
}

/* subsystem.c: the target starts; those that were created before belong to its engine now */
void sta_subsystems_attach(struct doca_sta *sta);

/* sta.c: -1: the device is not one of the target */
int sta_dev_index(const struct doca_sta *sta, const struct doca_dev *dev);

/* task.c */
/* remembers the callbacks of a kind of tasks; count 0: as many as there may be of them */
doca_error_t sta_task_set_conf(struct task_pool *pool, struct doca_ctx *ctx,
			       const struct task_type *type, struct sta_task_conf conf,
			       uint32_t count, struct sta_task_conf *ret_conf);
/* tasks: of the handle that it is about */
doca_error_t sta_task_alloc(struct task_pool *pool, const struct sta_task_conf *conf,
			    union doca_data user_data, struct list_node *tasks,
			    struct doca_sta_producer_task_send **ret_task);
/* A handle goes: tasks about it can only be freed. */
void sta_tasks_forget(struct list_node *tasks);
static inline struct doca_sta_producer_task_send *sta_task_of(struct doca_task *task)
{
	return container_of(task, struct doca_sta_producer_task_send, base);
}
/* op->done of tasks that end with the operation */
void sta_task_op_done(struct sta_op *op);

/* stats.c: counters as tables */
void sta_entries_free(struct sta_entries *entries);
doca_error_t sta_eu_handles_init(struct doca_sta *sta);
void sta_eu_handles_fini(struct doca_sta *sta);
doca_error_t sta_ns_entries_init(struct doca_sta_ns_handle *ns);
doca_error_t sta_be_q_entries_init(struct doca_sta_be_q_handle *be_q);

/* io_qp.c: handles on any fabric */
/* INVALID_VALUE: not a device of the target; BAD_STATE: not running */
doca_error_t sta_io_check(const struct doca_sta_io *io, const struct doca_dev *dev);
doca_error_t sta_qp_handle_create(struct doca_sta_io *io, const struct doca_dev *dev,
				  const struct fabric_ops *fabric,
				  struct doca_sta_subs_handle *subs,
				  struct doca_sta_qp_handle **ret_handle);
void sta_qp_handle_start(struct doca_sta_qp_handle *handle);
/*
 * a subsystem is not destroyed while queue pairs are bound to it; order: of the subsystem's address
 */
void sta_qp_handle_bind(struct doca_sta_qp_handle *handle, struct doca_sta_subs_handle *subs);
void sta_qp_handle_disconnected(struct doca_sta_qp_handle *handle);
/* any thread: is there such a queue pair? */
bool sta_qp_handle_exists(struct doca_sta *sta, const struct doca_sta_qp_handle *handle,
			  uint32_t id);
void sta_qp_handle_destroy(struct doca_sta_qp_handle *handle);
/* disk.c: entries is a wish */
doca_error_t sta_disk_queue_open(struct softfield_sta_disk *disk, uint32_t entries,
				 struct sta_disk_queue *queue);
/* returns when the disk is done with the buffers */
void sta_disk_queue_close(struct softfield_sta_disk *disk, struct sta_disk_queue *queue);
/* be.c: rings must be complete; takes device over */
doca_error_t sta_be_add_rings(struct doca_sta_be_handle *be, const struct nvme_queue_attr *rings,
			      struct vctrl_queue *device, bool is_null,
			      struct doca_sta_be_q_handle **ret_be_q);

#endif
