/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The runtime folder: sockets of servers as files, and what the dead have left of them.
 */
#define LOG_MODULE "link"
#include "link/runtime_dir.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>
#include "base/cleanup.h"
#include "base/err.h"
#include "base/fd.h"
#include "base/log.h"
#include "link/process.h"

/* How often and how long the lock is waited for: a second. */
#define LOCK_LOOKS   1000
#define LOCK_LOOK_NS 1000000

static doca_error_t refuse(const char *what)
{
	LOG_ERR("runtime folder %s: %s%s (SOFTFIELD_RUNTIME_DIR or \"runtime_dir\" of the topology "
		"must name a folder you may write to)",
		address_dir(), what, strerror(errno));
	return DOCA_ERROR_NOT_PERMITTED;
}

/* AGAIN: somebody else had the lock each time it was looked at */
static doca_error_t lock(int fd, unsigned int looks)
{
	const struct timespec moment = {.tv_nsec = LOCK_LOOK_NS};

	while (flock(fd, LOCK_EX | LOCK_NB)) {
		if (errno != EWOULDBLOCK && errno != EINTR) {
			LOG_ERR("runtime folder %s: cannot be locked: %s", address_dir(),
				strerror(errno));
			return DOCA_ERROR_OPERATING_SYSTEM;
		}
		if (--looks == 0)
			return DOCA_ERROR_AGAIN;
		nanosleep(&moment, NULL);
	}
	return DOCA_SUCCESS;
}

static doca_error_t open_locked(unsigned int looks, int *ret_fd)
{
	doca_error_t err;
	int fd;

	if (mkdir(address_dir(), 0700) && errno != EEXIST)
		return refuse("cannot be made: ");
	do
		fd = open(address_dir(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	while (fd < 0 && priv_fd_made_room());
	if (fd < 0)
		return refuse("");
	err = lock(fd, looks);
	if (err)
		close(fd);
	else
		*ret_fd = fd;
	return err;
}

/* Closing is not enough: a child that another thread forks meanwhile would keep the lock. */
void runtime_dir_unlock(const int *fd)
{
	if (*fd < 0)
		return;
	flock(*fd, LOCK_UN);
	close(*fd);
}

/*
 * Is nobody behind the file? Rings at no server: to a socket of another type the kernel answers
 * EPROTOTYPE for those that live. An orphan's looks alive.
 */
static bool looks_dead(const struct address *address)
{
	_cleanup_fd_ int sock = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);

	return sock >= 0 && connect(sock, (const struct sockaddr *)&address->un, address->size) &&
	       errno == ECONNREFUSED;
}

/* Removes the file if no server listens on it. The folder is locked. */
static bool remove_stale(const struct address *address, pid_t *ret_pid)
{
	_cleanup_fd_ int sock = -1;
	doca_error_t err;

	*ret_pid = -1;
	err = address_connect(address, &sock, ret_pid);
	if (err ? err != DOCA_ERROR_NOT_FOUND : !process_is_dying(*ret_pid))
		return false;
	if (unlink(address->un.sun_path))
		return false;
	LOG_DBG("removed %s: its server is dead", address->un.sun_path);
	return true;
}

static void remove_if_dead(const struct address *address, void *arg)
{
	pid_t pid;

	(void)arg;
	if (looks_dead(address))
		remove_stale(address, &pid);
}

/* A server that is about to have the name asks. */
static void make_room(const struct address *address)
{
	const struct timespec moment = {.tv_nsec = PROCESS_LOOK_NS};
	pid_t pid;

	for (unsigned int i = 1; !access(address->un.sun_path, F_OK); i++) {
		if (remove_stale(address, &pid) || pid < 0 || i == PROCESS_LOOKS)
			break;
		nanosleep(&moment, NULL);
	}
}

doca_error_t runtime_dir_lock(const struct address *address, int *ret_fd)
{
	doca_error_t err = open_locked(LOCK_LOOKS, ret_fd);

	if (err == DOCA_ERROR_AGAIN) {
		LOG_WRN("runtime folder %s: another process has kept it locked for a second "
			"(lslocks shows which): what dead servers have left stays there",
			address_dir());
		*ret_fd = -1;
		return DOCA_SUCCESS;
	}
	if (err)
		return err;
	make_room(address);
	runtime_dir_visit(remove_if_dead, NULL);
	return DOCA_SUCCESS;
}

doca_error_t runtime_dir_sweep(const struct address *address, pid_t *ret_pid)
{
	__attribute__((cleanup(runtime_dir_unlock))) int dir = -1;
	doca_error_t err;

	if (access(address->un.sun_path, F_OK))
		return DOCA_ERROR_NOT_FOUND;
	err = open_locked(1, &dir);
	if (err)
		return err;
	return remove_stale(address, ret_pid) ? DOCA_SUCCESS : DOCA_ERROR_IN_USE;
}

static void sweep_if_dead(const struct address *address, void *arg)
{
	pid_t pid;

	(void)arg;
	if (looks_dead(address))
		runtime_dir_sweep(address, &pid);
}

void runtime_dir_tidy(void)
{
	runtime_dir_visit(sweep_if_dead, NULL);
}

void runtime_dir_unlink(const struct address *address)
{
	_cleanup_fd_ int sock = -1;
	pid_t pid;

	if (address_connect(address, &sock, &pid) || pid == getpid() || process_is_dying(pid))
		unlink(address->un.sun_path);
}

doca_error_t runtime_dir_visit(void (*visit)(const struct address *address, void *arg), void *arg)
{
	DIR *dir = opendir(address_dir());
	const struct dirent *entry;
	struct address address;

	if (!dir)
		return errno == ENOENT ? DOCA_SUCCESS : priv_err_from_errno(errno);
	while ((entry = readdir(dir)))
		if (address_of_file(entry->d_name, &address))
			visit(&address, arg);
	closedir(dir);
	return DOCA_SUCCESS;
}
