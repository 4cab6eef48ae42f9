/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Eventfds: those of this process alone, and those that wake another one.
 */
#ifndef SOFTFIELD_BASE_BELL_H
#define SOFTFIELD_BASE_BELL_H

#include "base/export.h"
#include "doca_error.h"

/* An eventfd of this process alone. */
PRIV_EXPORT doca_error_t priv_eventfd_create(int *ret_fd);
PRIV_EXPORT void priv_eventfd_ring(int fd);

/*
 * A bell: an eventfd that two processes share. It is rung by the one, which takes 1 away from what
 * is nearly endless, and watched by the other, with priv_poll_group_watch_bell().
 */
PRIV_EXPORT doca_error_t priv_bell_create(int *ret_fd);
/* of what a peer has sent. INVALID_VALUE: it is no eventfd */
PRIV_EXPORT doca_error_t priv_bell_check(int fd);
PRIV_EXPORT void priv_bell_ring(int fd);

#endif
