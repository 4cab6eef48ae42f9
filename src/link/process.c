/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Whether other processes live.
 */
#include "link/process.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "base/cleanup.h"
#include "base/kernel.h"
#include "base/no_cancel.h"

/* of the kernel, in /proc/PID/stat: it ends, and it is about to because of a signal */
#define PF_EXITING  0x4u
#define PF_SIGNALED 0x400u
#define KILLED	    (1u << (SIGKILL - 1))

bool process_is_dead(pid_t pid)
{
	struct pollfd ended = {.fd = -1, .events = POLLIN};
	_cleanup_fd_ int pidfd = -1;

	if (pid <= 0)
		return false;
	pidfd = (int)syscall(SYS_pidfd_open, pid, 0);
	if (pidfd < 0) /* also where a filter forbids the call; then a zombie lives */
		return errno == ESRCH || (kill(pid, 0) && errno == ESRCH);
	ended.fd = pidfd;
	return poll(&ended, 1, 0) == 1;
}

/*
 * Is that thread past the point where the kernel begins to take from it what it has, or will it be
 * before it does anything else?
 */
static bool is_exiting(int tasks, const char *thread)
{
	char path[32], stat[1024];
	_cleanup_fd_ int fd = -1;
	const char *name_end;
	unsigned int flags, pending;
	ssize_t size;

	snprintf(path, sizeof(path), "%.20s/stat", thread);
	fd = openat(tasks, path, O_RDONLY | O_CLOEXEC);
	size = fd < 0 ? -1 : read(fd, stat, sizeof(stat) - 1);
	if (size < 0)
		return errno == ENOENT || errno == ESRCH; /* it has gone */
	stat[size] = '\0';
	/* proc(5): then state, five numbers, flags; and 21 behind those, what it is still to get */
	name_end = strrchr(stat, ')');
	return name_end &&
	       sscanf(name_end,
		      ") %*c %*d %*d %*d %*d %*d %u %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s "
		      "%*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %u",
		      &flags, &pending) == 2 &&
	       (flags & (PF_EXITING | PF_SIGNALED) || pending & KILLED);
}

static DIR *open_tasks(pid_t pid)
{
	char path[32];

	snprintf(path, sizeof(path), "/proc/%d/task", pid);
	return opendir(path);
}

/* the first that is not exiting; 0: there is none */
static pid_t find_thread(DIR *tasks)
{
	const struct dirent *entry;

	while ((entry = readdir(tasks)))
		if (entry->d_name[0] != '.' && !is_exiting(dirfd(tasks), entry->d_name))
			return (pid_t)strtol(entry->d_name, NULL, 10);
	return 0;
}

bool process_is_dying(pid_t pid)
{
	DIR *tasks = open_tasks(pid);
	bool dies;

	if (!tasks)
		return process_is_dead(pid);
	dies = !find_thread(tasks);
	closedir(tasks);
	return dies;
}

pid_t process_find_thread(pid_t pid)
{
	NO_CANCEL();
	DIR *tasks = open_tasks(pid);
	pid_t thread;

	if (!tasks)
		return 0;
	thread = find_thread(tasks);
	closedir(tasks);
	return thread;
}
