/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A pipe between a parent and its child.
 */
#include "base/fork_wait.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <time.h>
#include <unistd.h>
#include "base/no_cancel.h"

#define WAIT_S 1

static void forget(struct fork_wait *wait)
{
	wait->pipe[0] = wait->pipe[1] = -1;
}

void fork_wait_open(struct fork_wait *wait)
{
	if (pipe2(wait->pipe, O_CLOEXEC))
		forget(wait);
}

void fork_wait_tell(struct fork_wait *wait, bool is_done)
{
	char told = is_done;
	NO_CANCEL();

	if (wait->pipe[1] < 0)
		return;
	(void)!write(wait->pipe[1], &told, 1);
	close(wait->pipe[0]);
	close(wait->pipe[1]);
	forget(wait);
}

bool fork_wait_for_child(struct fork_wait *wait)
{
	const struct timespec timeout = {.tv_sec = WAIT_S};
	struct pollfd end = {.fd = wait->pipe[0], .events = POLLIN};
	char told = 0;
	sigset_t all;
	NO_CANCEL();

	if (wait->pipe[0] < 0)
		return false;
	close(wait->pipe[1]);
	sigfillset(&all); /* A timer's would make it longer. */
	if (ppoll(&end, 1, &timeout, &all) <= 0 || read(wait->pipe[0], &told, 1) != 1)
		told = 0;
	close(wait->pipe[0]);
	forget(wait);
	return told;
}
