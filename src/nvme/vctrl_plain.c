/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Channels of media whose transfers are finished when they have been started: they hold nothing.
 */
#include "nvme/vctrl_priv.h"

#include <stdlib.h>

doca_error_t vctrl_plain_open(struct vctrl_medium *medium, unsigned int depth,
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

void vctrl_plain_close(struct vctrl_channel *channel)
{
	free(channel);
}

unsigned int vctrl_plain_poll(struct vctrl_channel *channel)
{
	(void)channel;
	return 0;
}

int vctrl_plain_fd(const struct vctrl_channel *channel)
{
	(void)channel;
	return -1;
}
