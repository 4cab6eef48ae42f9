/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The ranges of a medium that transfers of all its channels are in, so that no block is seen half
 * written. Nothing here waits: who finds its range taken asks again. Those that overlap go in the
 * order in which they have come, so everybody's turn comes.
 */
#ifndef SOFTFIELD_NVME_VCTRL_RANGES_H
#define SOFTFIELD_NVME_VCTRL_RANGES_H

#include <pthread.h>
#include "nvme/vctrl.h"

#define VCTRL_RANGES_BUCKETS 64u

struct vctrl_ranges {
	/* protects everything below and the range fields of struct vctrl_io; held for a look */
	pthread_mutex_t lock;
	uint64_t tickets;
	/* by where they start; the last ones: too long for that */
	struct list_node reads[VCTRL_RANGES_BUCKETS + 1];
	struct list_node writes[VCTRL_RANGES_BUCKETS + 1];
};

void vctrl_ranges_init(struct vctrl_ranges *ranges);
void vctrl_ranges_fini(struct vctrl_ranges *ranges);
/* From here on the transfer has its place. False: it may not start before vctrl_range_is_free(). */
bool vctrl_range_enter(struct vctrl_ranges *ranges, struct vctrl_io *io);
bool vctrl_range_is_free(struct vctrl_ranges *ranges, const struct vctrl_io *io);
/* finished, or given up */
void vctrl_range_leave(struct vctrl_ranges *ranges, struct vctrl_io *io);

#endif
