/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The steps of a transfer of a file, of which each is a system call; vctrl_file.c makes them, and
 * may stop between two.
 */
#ifndef SOFTFIELD_NVME_VCTRL_FILE_STEPS_H
#define SOFTFIELD_NVME_VCTRL_FILE_STEPS_H

#include <liburing.h>
#include "nvme/vctrl.h"

/* io->step */
enum {
	FILE_TRANSFER,
	FILE_COMPARE, /* a write reads first what is there */
	FILE_WRITE_PLAIN,
	FILE_WRITE_ZEROS,
	FILE_SYNC,
	FILE_LOST
};

/* The next system call, through the ring ... */
void file_prepare(struct io_uring_sqe *sqe, int fd, struct vctrl_io *io);
/* ... and without. Returns bytes or a negative errno, like a completion of the ring. */
int file_call(int fd, struct vctrl_io *io);
/* What its result means. True: go on with io->step; false: finished with *status. */
bool file_after(struct vctrl_io *io, int result, uint16_t *status);

#endif
