/* SPDX-License-Identifier: BSD-3-Clause */
/* Would a program that waits for this engine wake up now? */
#ifndef SOFTFIELD_READABLE_H
#define SOFTFIELD_READABLE_H

#include <poll.h>
#include <stdbool.h>
#include "doca_pe.h"

static inline bool pe_is_readable(const struct doca_pe *pe)
{
	struct pollfd pollfd = {.events = POLLIN};
	doca_notification_handle_t handle;

	assert_int_equal(doca_pe_get_notification_handle(pe, &handle), DOCA_SUCCESS);
	pollfd.fd = handle;
	return poll(&pollfd, 1, 0) == 1;
}

#endif
