/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The program of the storage target's contract: one thread with a progress engine for everything.
 * It answers Connect, and commands with vendor opcodes in the three ways there are.
 */
#ifndef SOFTFIELD_TESTS_STA_PROGRAM_H
#define SOFTFIELD_TESTS_STA_PROGRAM_H

#include "sta_host.h"

#define OP_SEND	 0xc0 /* no data: answered by a send task */
#define OP_WRITE 0xc1 /* data to the target: read, checked, answered */
#define OP_READ	 0xc2 /* data to the host */
#define OP_KEEP	 0xc4 /* never answered */

#define DISK_ENTRIES 16u
#define BLOCK	     512u

struct program {
	bool remote;
	struct doca_dev *dev;
	struct doca_pe *pe;
	struct doca_sta *sta;
	struct doca_sta_io *io;
	struct doca_sta_subs_handle *subs;
	enum doca_ctx_states sta_states[8], io_states[8];
	unsigned int sta_state_count, io_state_count;
	/* a disk in memory as namespace 1 */
	struct softfield_sta_disk *disk;
	struct doca_sta_be_handle *be;
	struct doca_sta_be_q_handle *be_q;
	struct doca_sta_ns_handle *ns;
	/* a disk that the test plays by hand as namespace 2 */
	struct nvme_cmd sq[DISK_ENTRIES];
	struct nvme_cqe cq[DISK_ENTRIES];
	_Atomic uint32_t doorbells[2];
	uint32_t posted;
	/* or one that somebody else plays: set before the start */
	struct nvme_queue_attr rings;
	uint32_t be_nsid;
	bool without_memory_disk; /* namespace 1 is missing */
	struct doca_mmap *maps[3];
	struct doca_sta_be_handle *hand_be;
	struct doca_sta_be_q_handle *hand_be_q;
	struct doca_sta_ns_handle *hand_ns;
	/* hosts */
	struct host *host;
	/* what has been told */
	unsigned int commands, kept, halves, tasks_done, tasks_failed, transport_errors,
		notifications;
	union doca_data kept_token;
	uint64_t notified_lba;
	uint8_t notified_opcode;
	enum doca_sta_cqe_notify_type notified_type;
	struct nvme_cqe notified_cqe;
	bool disconnected, removed, destroyed;
	bool data_was_right;
	bool lets_in_later;	    /* the test adds the subsystem to the queue pair */
	bool connect_by_descriptor; /* how the data of Connect is expected */
};

/* called before the target starts, if set */
extern void (*program_before_start)(struct program *p);

/* remote: queue pairs are in one thread of the engine, queues of disks in another one */
int program_setup(void **state, const struct host_ops *ops, bool remote);
int program_teardown(void **state);

/* progresses everything until the condition holds */
#define UNTIL(p, condition)                                                                        \
	do {                                                                                       \
		program_poll(p);                                                                   \
	} while (!(condition))

void program_poll(struct program *p);
void program_connect(struct program *p, uint16_t qid);
void program_disconnect(struct program *p);
/* submits and waits; returns the status field */
uint16_t program_do(struct program *p, struct host_cmd *cmd);
struct host_cmd program_rw(uint8_t opcode, uint32_t nsid, uint64_t slba, void *data, uint32_t size,
			   bool in_capsule);
/* gives namespace 2 the queue of p->rings, takes one away */
void program_add_queue(struct program *p);
void program_destroy_queue(struct program *p, struct doca_sta_be_q_handle **be_q);
/* the hand-played disk: how many commands it has been given; it has done one */
uint32_t disk_pending(const struct program *p);
void disk_complete(struct program *p, uint32_t index);

#endif
