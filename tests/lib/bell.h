/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Listening to a bell (base/bell.h).
 */
#ifndef SOFTFIELD_TESTS_BELL_H
#define SOFTFIELD_TESTS_BELL_H

#include "test.h"

#include <stdbool.h>
#include <sys/epoll.h>

/* Hears from now on; close it. */
static inline int listen_to_bell(int bell)
{
	struct epoll_event event = {.events = EPOLLIN | EPOLLOUT | EPOLLET};
	int listener = epoll_create1(EPOLL_CLOEXEC);

	assert_true(listener >= 0);
	assert_int_equal(epoll_ctl(listener, EPOLL_CTL_ADD, bell, &event), 0);
	epoll_wait(listener, &event, 1, 0);
	return listener;
}

/* Has the bell been rung since this was asked last? */
static inline bool has_rung(int listener)
{
	struct epoll_event event;

	return epoll_wait(listener, &event, 1, 0) == 1;
}

#endif
