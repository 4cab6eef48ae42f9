/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The control side of an NVMe-oF target: which subsystems, namespaces, ports and hosts exist, and
 * the controllers that hosts have opened. No I/O, no threads, no clock: commands and the time come
 * in, answers go out. Everything belongs to one thread.
 */
#ifndef SOFTFIELD_NVMF_TARGET_H
#define SOFTFIELD_NVMF_TARGET_H

#include <stdbool.h>
#include "base/list.h"
#include "doca_error.h"
#include "nvme/spec.h"
#include "nvmf/auth.h"

#define NVMF_ANA_GROUPS	  16u /* ids 1 to 16 */
#define NVMF_NSID_MAX	  1024u
#define NVMF_AER_MAX	  4u /* held by one controller */
#define NVMF_ABORTS_MAX	  4u /* likewise */
#define NVMF_CNTLID_MAX	  0xffefu
#define NVMF_TRADDR_SIZE  257u
#define NVMF_TRSVCID_SIZE 33u

struct nvmf_target;
struct nvmf_subsys;
struct nvmf_ctrlr;
struct nvmf_req;
struct nvmf_queue;

enum nvmf_trtype { NVMF_RDMA = 1, NVMF_TCP = 3 };
enum nvmf_adrfam { NVMF_IPV4 = 1, NVMF_IPV6 = 2 };

enum nvmf_ana_state {
	NVMF_ANA_OPTIMIZED = 1,
	NVMF_ANA_NON_OPTIMIZED = 2,
	NVMF_ANA_INACCESSIBLE = 3,
	NVMF_ANA_PERSISTENT_LOSS = 4,
	NVMF_ANA_CHANGE = 15,
};

/* What becomes of a command that the program has and its host wants to be aborted. */
enum nvmf_abort {
	NVMF_ABORT_NOT,	  /* it is not there, or goes on */
	NVMF_ABORT_DONE,  /* it has been answered with Command Abort Requested */
	NVMF_ABORT_LATER, /* nvmf_queue_ended() follows, not from inside the call */
};

/* What the program around it does when the target says so. */
struct nvmf_ops {
	/* a command that was held is finished: its status and dw0 are set */
	void (*complete)(struct nvmf_req *req);
	/* a command that was held is over and gets no answer */
	void (*drop)(struct nvmf_req *req);
	/* disconnect; nvmf_queue_closed() follows, not from inside this call */
	void (*disconnect)(struct nvmf_queue *queue, const char *why);
	/*
	 * make durable what the caches of the subsystem's disks hold; nvmf_ctrlr_flushed() follows,
	 * from inside this call or later
	 */
	void (*flush)(struct nvmf_subsys *subsys, uint16_t cntlid);
	/* end a command of an I/O queue as soon as possible */
	enum nvmf_abort (*abort)(struct nvmf_queue *queue, uint16_t cid);
	/* refuse reads and writes of the namespace on an I/O queue, or do not any more */
	void (*hide)(struct nvmf_queue *queue, uint32_t nsid, bool hidden);
};

struct nvmf_target_attr {
	const struct nvmf_ops *ops;
	uint16_t max_queue_entries; /* of one queue */
	uint16_t max_io_queues;	    /* of one controller */
	uint32_t max_transfer;	    /* bytes, a power of two of pages */
	uint32_t max_in_capsule;    /* bytes */
	const char *version;	    /* firmware revision */
};

/* A listening address. */
struct nvmf_port {
	struct list_node node;
	uint16_t id;
	enum nvmf_trtype trtype;
	enum nvmf_adrfam adrfam;
	char traddr[NVMF_TRADDR_SIZE];
	bool any_addr; /* a wildcard: hosts are told the address they used */
	char trsvcid[NVMF_TRSVCID_SIZE];
	enum nvmf_ana_state ana[NVMF_ANA_GROUPS + 1];
	uint64_t ana_changes[NVMF_ANA_GROUPS + 1];
};

struct nvmf_ns {
	struct list_node node; /* in subsys->namespaces, by rising nsid */
	struct nvmf_subsys *subsys;
	uint32_t nsid;
	uint64_t blocks;
	unsigned int block_shift;
	uint8_t uuid[16];
	uint8_t nguid[16];
	uint32_t ana_group;
	bool read_only;
	bool write_cache;
	bool can_fuse;
	uint16_t oncs;
	uint8_t dlfeat;
	void *user;
};

struct nvmf_host {
	struct list_node node;
	char nqn[NVME_NQN_SIZE];
	struct nvmf_host_auth auth;
};

struct nvmf_subsys {
	struct list_node node;
	struct nvmf_target *target;
	char nqn[NVME_NQN_SIZE];
	char serial[21], model[41];
	bool is_discovery;
	bool allow_any_host;
	bool ana;
	struct list_node hosts;
	struct list_node namespaces;
	struct list_node ctrlrs;
	struct nvmf_ns *by_nsid[NVMF_NSID_MAX + 1];
	uint64_t ana_changes[NVMF_ANA_GROUPS + 1]; /* which namespaces are in the group */
	uint16_t last_cntlid;
	void *user;
};

struct nvmf_target {
	struct nvmf_target_attr attr;
	struct list_node subsystems;
	struct list_node ports;
	struct nvmf_subsys *discovery;
	uint64_t genctr;
	uint64_t now_ns;
	uint64_t due_ns;	    /* of the next one, at the latest */
	uint32_t auth_seqnum;	    /* of the last challenge; 0: none yet */
	struct list_node auth_work; /* requests that take time to compute */
};

/* INVALID_VALUE: a limit makes no sense. NO_MEMORY */
doca_error_t nvmf_target_create(const struct nvmf_target_attr *attr,
				struct nvmf_target **ret_target);
/* every queue must have been closed */
void nvmf_target_destroy(struct nvmf_target *target);

struct nvmf_port_attr {
	uint16_t id; /* unique */
	enum nvmf_trtype trtype;
	enum nvmf_adrfam adrfam;
	const char *traddr; /* "0.0.0.0" and "::" mean every address */
	const char *trsvcid;
};

/* INVALID_VALUE: an address is too long. ALREADY_EXIST: the id. NO_MEMORY */
doca_error_t nvmf_port_add(struct nvmf_target *target, const struct nvmf_port_attr *attr,
			   struct nvmf_port **ret_port);
/* tells the hosts. INVALID_VALUE: group or state do not exist */
doca_error_t nvmf_port_set_ana(struct nvmf_target *target, struct nvmf_port *port, uint32_t group,
			       enum nvmf_ana_state state);

struct nvmf_subsys_attr {
	const char *nqn;
	const char *serial; /* at most 20 characters */
	const char *model;  /* at most 40 */
	bool allow_any_host;
	bool ana;
	void *user;
};

bool nvmf_nqn_is_valid(const char *nqn);
/* INVALID_VALUE: nqn, serial or model. ALREADY_EXIST. NO_MEMORY */
doca_error_t nvmf_subsys_add(struct nvmf_target *target, const struct nvmf_subsys_attr *attr,
			     struct nvmf_subsys **ret_subsys);
/* disconnects its hosts. IN_USE while queues are connected: call again when they are closed */
doca_error_t nvmf_subsys_remove(struct nvmf_subsys *subsys);
struct nvmf_subsys *nvmf_subsys_find(struct nvmf_target *target, const char *nqn);
doca_error_t nvmf_subsys_allow_host(struct nvmf_subsys *subsys, const char *nqn);
/* false: disconnects those that are not allowed by name */
void nvmf_subsys_allow_any_host(struct nvmf_subsys *subsys, bool allow);
/* disconnects it, unless all are allowed. NOT_FOUND */
doca_error_t nvmf_subsys_disallow_host(struct nvmf_subsys *subsys, const char *nqn);
/*
 * What a host that is allowed must prove from its next transaction on. With a key where it had none
 * it is disconnected. NOT_FOUND
 */
doca_error_t nvmf_subsys_set_host_auth(struct nvmf_subsys *subsys, const char *nqn,
				       const struct nvmf_host_auth *auth);
/* NULL: nothing */
const struct nvmf_host_auth *nvmf_subsys_host_auth(const struct nvmf_subsys *subsys,
						   const char *hostnqn);
bool nvmf_subsys_may_connect(const struct nvmf_subsys *subsys, const char *hostnqn);

struct nvmf_ns_attr {
	uint32_t nsid; /* 0: the lowest free one */
	uint64_t blocks;
	unsigned int block_shift;
	uint8_t uuid[16];
	uint32_t ana_group; /* 0: group 1 */
	bool read_only;
	bool write_cache;
	bool can_fuse;	/* Compare and Write */
	uint16_t oncs;	/* as in Identify: NVME_ONCS_OURS or fewer */
	uint8_t dlfeat; /* as in Identify */
	void *user;
};

/* tells the hosts. INVALID_VALUE, ALREADY_EXIST: nsid is taken. FULL, NO_MEMORY */
doca_error_t nvmf_ns_add(struct nvmf_subsys *subsys, const struct nvmf_ns_attr *attr,
			 struct nvmf_ns **ret_ns);
void nvmf_ns_remove(struct nvmf_ns *ns);
void nvmf_ns_resize(struct nvmf_ns *ns, uint64_t blocks);
/* What hosts have written may be lost: they are told when they flush. */
void nvmf_ns_has_lost(const struct nvmf_ns *ns);
/* ana_group: as in nvmf_ns_attr; tells the hosts if something is new */
void nvmf_ns_set_identity(struct nvmf_ns *ns, const uint8_t uuid[16], uint32_t ana_group);
/* NULL: no such */
struct nvmf_ns *nvmf_ns_find(const struct nvmf_subsys *subsys, uint32_t nsid);

/*
 * Time. Call it with a monotonic clock before commands are executed, and no later than the returned
 * moment (UINT64_MAX: never); controllers whose hosts are silent for too long are disconnected.
 */
uint64_t nvmf_target_tick(struct nvmf_target *target, uint64_t now_ns);

/*
 * Does one piece of what takes milliseconds, if there is any: call it when commands have had their
 * turn. True: there is more.
 */
bool nvmf_target_work(struct nvmf_target *target);

#endif
