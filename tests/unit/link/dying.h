/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Servers that are being killed.
 */
#ifndef SOFTFIELD_TESTS_UNIT_LINK_DYING_H
#define SOFTFIELD_TESTS_UNIT_LINK_DYING_H

#include "test.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>
#include "link/rendezvous.h"
#include "unique.h"

/* Says so, and waits for the end. What a process has opened last the kernel closes first. */
static inline void hold_a_name(const struct link_addr *addr, int end)
{
	int pair[2], server, last;

	if (rendezvous_listen(addr, &server))
		_exit(1);
	for (unsigned int i = 0; i < 400; i++) /* which takes it a while */
		if (socketpair(AF_UNIX, SOCK_STREAM, 0, pair))
			break;
	last = fcntl(end, F_DUPFD_CLOEXEC, 900);
	close(end);
	if (last < 0 || write(last, "", 1) != 1)
		_exit(1);
	for (;;)
		pause();
}

static inline void take_from_the_dying(const struct link_addr *like)
{
	struct link_addr addr = *like;
	int ends[2], server, status;
	char byte;

	unique_name(addr.service, sizeof(addr.service), "dying");
	for (unsigned int i = 0; i < 40; i++) {
		pid_t pid;

		assert_int_equal(pipe2(ends, O_CLOEXEC), 0);
		pid = fork();
		assert_true(pid >= 0);
		if (!pid)
			hold_a_name(&addr, ends[1]);
		close(ends[1]);
		assert_int_equal(read(ends[0], &byte, 1), 1);
		kill(pid, SIGKILL);
		if (i % 2) /* else the kernel may not even have begun */
			assert_int_equal(read(ends[0], &byte, 1), 0);
		assert_ok(rendezvous_listen(&addr, &server));
		close(server);
		close(ends[0]);
		assert_int_equal(waitpid(pid, &status, 0), pid);
	}
	rendezvous_unlist(&addr);
}

#endif
