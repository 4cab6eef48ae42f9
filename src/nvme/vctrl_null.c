/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Medium without memory: reads as zeros, forgets writes. For measuring everything else. Transfers
 * are finished when they have been started: its channels hold nothing.
 */
#include "nvme/vctrl_priv.h"

#include <stdlib.h>
#include <string.h>

static doca_error_t null_open(struct vctrl_medium *medium, unsigned int depth,
			      struct vctrl_channel **ret_channel)
{
	struct vctrl_channel *channel = calloc(1, sizeof(*channel));

	(void)medium;
	(void)depth;
	if (!channel)
		return DOCA_ERROR_NO_MEMORY;
	*ret_channel = channel;
	return DOCA_SUCCESS;
}

static void null_close(struct vctrl_channel *channel)
{
	free(channel);
}

/* The zeros are written: the buffer may hold another host's data. */
static void null_start(struct vctrl_channel *channel, struct vctrl_io *io)
{
	uint16_t status = NVME_SC_SUCCESS;
	unsigned int i;

	if (io->op == VCTRL_WRITE && io->expected) {
		memset(io->scratch, 0, io->size);
		if (!vctrl_io_expects(io, io->scratch))
			status = NVME_SC_COMPARE_FAILURE | NVME_SC_DNR;
	}
	for (i = 0; io->op == VCTRL_READ && i < io->iov_count; i++)
		memset(io->iov[i].iov_base, 0, io->iov[i].iov_len);
	vctrl_io_done(channel, io, status);
}

static unsigned int null_poll(struct vctrl_channel *channel)
{
	(void)channel;
	return 0;
}

static int null_fd(const struct vctrl_channel *channel)
{
	(void)channel;
	return -1;
}

static void null_destroy(struct vctrl_medium *medium)
{
	free(medium);
}

static const struct vctrl_medium_ops null_ops = {
	.open = null_open,
	.close = null_close,
	.start = null_start,
	.poll = null_poll,
	.fd = null_fd,
	.destroy = null_destroy,
};

doca_error_t vctrl_null_create(uint64_t size, struct vctrl_medium **ret_medium)
{
	struct vctrl_medium *medium = calloc(1, sizeof(*medium));

	if (!medium)
		return DOCA_ERROR_NO_MEMORY;
	medium->ops = &null_ops;
	medium->min_block_size = 512;
	atomic_init(&medium->size, size);
	*ret_medium = medium;
	return DOCA_SUCCESS;
}
