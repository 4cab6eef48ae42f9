/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What every bench of the storage target needs, through the public API only: a target with one
 * thread in its engine and one namespace, which answers Connect and leaves the rest to the engine.
 */
#ifndef SOFTFIELD_BENCH_STA_TARGET_H
#define SOFTFIELD_BENCH_STA_TARGET_H

#include <stdint.h>
#include <time.h>
#include "doca_dev.h"
#include "doca_pe.h"
#include "doca_sta.h"
#include "doca_sta_be.h"
#include "doca_sta_io.h"
#include "doca_sta_io_qp.h"
#include "doca_sta_subsystem.h"
#include "lib/file.h"
#include "lib/options.h"
#include "softfield_sta.h"

#define STA_DEPTH_MAX 127u
#define STA_DISK_SIZE (16u << 20)

struct sta_target {
	struct doca_dev *dev;
	struct doca_pe *pe;
	struct doca_sta *sta;
	struct doca_sta_io *io;
	struct doca_sta_subs_handle *subs;
	struct bench_file file; /* what the disk is made of, if it is one */
	struct softfield_sta_disk *disk;
	struct doca_sta_be_handle *be;
	struct doca_sta_be_q_handle *be_q;
	struct doca_sta_ns_handle *ns;
	struct doca_sta_qp_handle *qp; /* the bench's own */
	int notify_fd;
	clockid_t engine_clock;
	bool flag; /* the task that is waited for has ended */
};

void sta_check(doca_error_t result, const char *what);
/* which disk: "null", "memory" or "file"; the mode that was asked for */
const char *sta_disk_name(const struct bench_options *options);
/* the engine's thread runs on cpu[1], the caller on cpu[0] afterwards */
void sta_target_open(struct sta_target *target, const struct bench_options *options);
/* disconnects qp, too */
void sta_target_close(struct sta_target *target);
/* sleeps until there is something to do, does it */
void sta_target_wait(struct sta_target *target);
/* of the engine's thread, which is told from others by its name */
uint64_t sta_engine_cpu_ns(const struct sta_target *target);

/* 64 bytes of commands: Connect of queue 1, Read and Write */
void sta_fill_connect(uint8_t *sqe);
void sta_fill_rw(uint8_t *sqe, bool write, uint16_t cid, uint64_t offset, uint32_t size);

#endif
