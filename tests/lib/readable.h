/* SPDX-License-Identifier: BSD-3-Clause */
/* Would somebody who waits for this descriptor, or for this engine, wake up now? */
#ifndef SOFTFIELD_READABLE_H
#define SOFTFIELD_READABLE_H

#include <poll.h>
#include <stdbool.h>
#include "doca_pe.h"

static inline bool is_readable(int fd)
{
	struct pollfd pollfd = {.fd = fd, .events = POLLIN};

	return poll(&pollfd, 1, 0) == 1;
}

static inline bool pe_is_readable(const struct doca_pe *pe)
{
	doca_notification_handle_t handle;

	assert_int_equal(doca_pe_get_notification_handle(pe, &handle), DOCA_SUCCESS);
	return is_readable(handle);
}

#endif
