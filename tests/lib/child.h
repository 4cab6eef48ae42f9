/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A second process for a test: runs a function and talks with the test in single bytes and blocks,
 * each waiting for the other, so that nothing depends on time.
 */
#ifndef SOFTFIELD_TEST_CHILD_H
#define SOFTFIELD_TEST_CHILD_H

#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

/* of the coverage build; a process that ends by _exit() does not write its counts by itself */
void __gcov_dump(void) __attribute__((weak));

struct child {
	pid_t pid;
	int to, from; /* pipes, close-on-exec */
};

/* The function gets its own ends of the pipes; when it returns, the child ends. */
static inline struct child child_start(void (*run)(struct child *parent, void *arg), void *arg)
{
	int down[2], up[2];
	struct child child;

	if (pipe2(down, O_CLOEXEC) || pipe2(up, O_CLOEXEC))
		abort();
	child.pid = fork();
	if (child.pid < 0)
		abort();
	if (!child.pid) {
		struct child parent = {.pid = getppid(), .to = up[1], .from = down[0]};

		close(up[0]);
		close(down[1]);
		run(&parent, arg);
		if (__gcov_dump)
			__gcov_dump();
		_exit(0);
	}
	close(up[1]);
	close(down[0]);
	child.to = down[1];
	child.from = up[0];
	return child;
}

static inline void child_send(const struct child *peer, const void *data, size_t size)
{
	if (write(peer->to, data, size) != (ssize_t)size)
		_exit(99);
}

static inline void child_receive(const struct child *peer, void *data, size_t size)
{
	size_t got = 0;

	while (got < size) {
		ssize_t n = read(peer->from, (char *)data + got, size - got);

		if (n <= 0)
			_exit(98); /* the other one has failed */
		got += (size_t)n;
	}
}

/* one step of the two together */
static inline void child_tell(const struct child *peer)
{
	child_send(peer, "!", 1);
}

static inline void child_await(const struct child *peer)
{
	char byte;

	child_receive(peer, &byte, 1);
}

/* waits until it has ended by itself; its exit status */
static inline int child_join(struct child *child)
{
	int status;

	close(child->to);
	close(child->from);
	if (waitpid(child->pid, &status, 0) != child->pid)
		abort();
	return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

static inline void child_kill(struct child *child)
{
	kill(child->pid, SIGKILL);
	child_join(child);
}

#endif
