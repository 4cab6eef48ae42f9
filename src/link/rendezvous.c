/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Finding each other on one machine: socket addresses of servers, who may talk to whom.
 */
#define LOG_MODULE "link"
#include "link/rendezvous.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <pwd.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>
#include "base/cleanup.h"
#include "base/log.h"

#define SOCKET_SUFFIX ".sock"
/* Leaves room for a file name; the topology refuses longer ones. */
#define DIR_FORMAT "%.85s"
/* Pending connections: as many as the kernel allows (net.core.somaxconn). */
#define BACKLOG 65535

struct address {
	struct sockaddr_un un;
	socklen_t size;
};

/* FNV-1a: spreads names, keeps no secrets; the full name is compared in the handshake */
static uint64_t hash_text(uint64_t hash, const char *text)
{
	for (;; text++) {
		hash = (hash ^ (uint8_t)*text) * 0x100000001b3u;
		if (!*text)
			return hash;
	}
}

static uint64_t hash_addr(const struct link_addr *addr)
{
	uint64_t hash = 0xcbf29ce484222325u;

	hash = hash_text(hash, addr->card->name);
	hash = hash_text(hash, addr->function);
	return hash_text(hash, addr->service);
}

static const char *runtime_dir(void)
{
	const struct topo *topo;

	return priv_topo_get(&topo) ? "" : topo->runtime_dir;
}

/* where all abstract names of this user begin, without the leading NUL */
static int abstract_prefix(char *text, size_t size)
{
	return snprintf(text, size, "softfield-%u/", (unsigned int)geteuid());
}

static struct address make_address(const struct link_addr *addr)
{
	struct address address = {.un.sun_family = AF_UNIX};
	size_t room = sizeof(address.un.sun_path);
	const char *dir = runtime_dir();
	uint64_t hash = hash_addr(addr);
	int n;

	if (*dir) {
		snprintf(address.un.sun_path, room, DIR_FORMAT "/%016" PRIx64 SOCKET_SUFFIX, dir,
			 hash);
		address.size = sizeof(address.un);
		return address;
	}
	/* The readable part is for people who look at /proc/net/unix; it may be cut. */
	n = abstract_prefix(address.un.sun_path + 1, room - 1);
	n += snprintf(address.un.sun_path + 1 + n, room - 1 - (size_t)n, "%016" PRIx64 "/%s/%s",
		      hash, addr->function, addr->service);
	if ((size_t)n > room - 1)
		n = (int)room - 1;
	address.size = (socklen_t)(offsetof(struct sockaddr_un, sun_path) + 1 + (size_t)n);
	return address;
}

static bool is_abstract(const struct address *address)
{
	return address->un.sun_path[0] == '\0';
}

static doca_error_t new_socket(int *ret_sock)
{
	int sock = -1;

	do
		sock = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	while (sock < 0 && errno == EMFILE && priv_fd_raise_limit());
	if (sock < 0)
		return priv_err_from_errno(errno);
	*ret_sock = sock;
	return DOCA_SUCCESS;
}

/*
 * The runtime folder
 */

/*
 * Opens the folder, made if need be, and keeps others from changing its sockets until it is closed.
 * how: LOCK_NB to wait for nobody
 */
static doca_error_t lock_dir(int how, int *ret_fd)
{
	const char *dir = runtime_dir();
	int fd;

	if (mkdir(dir, 0700) && errno != EEXIST) {
		LOG_ERR("runtime folder %s: cannot be made: %s (SOFTFIELD_RUNTIME_DIR or "
			"\"runtime_dir\" of the topology must name a folder you may write to)",
			dir, strerror(errno));
		return DOCA_ERROR_NOT_PERMITTED;
	}
	fd = open(dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (fd < 0) {
		LOG_ERR("runtime folder %s: %s", dir, strerror(errno));
		return DOCA_ERROR_NOT_PERMITTED;
	}
	if (flock(fd, LOCK_EX | how)) {
		int err = errno;

		close(fd);
		if (err == EWOULDBLOCK)
			return DOCA_ERROR_AGAIN;
		LOG_ERR("runtime folder %s: cannot be locked: %s", dir, strerror(err));
		return DOCA_ERROR_OPERATING_SYSTEM;
	}
	*ret_fd = fd;
	return DOCA_SUCCESS;
}

/* is there a socket file that nobody listens on? */
static bool is_stale(const struct address *address)
{
	_cleanup_fd_ int sock = -1;

	if (new_socket(&sock))
		return false;
	return connect(sock, (const struct sockaddr *)&address->un, address->size) &&
	       errno == ECONNREFUSED;
}

/* the folder is locked: between bind() and listen() a socket looks stale and is not */
static bool remove_stale(const struct address *address)
{
	if (!is_stale(address))
		return false;
	LOG_DBG("removing %s: its server is dead", address->un.sun_path);
	return unlink(address->un.sun_path) == 0;
}

void rendezvous_sweep(const struct link_addr *addr)
{
	struct address address = make_address(addr);
	_cleanup_fd_ int dir = -1;

	if (is_abstract(&address) || access(address.un.sun_path, F_OK))
		return;
	/* From a poll, which waits for nobody; if the folder is busy, the next one does it. */
	if (!lock_dir(LOCK_NB, &dir))
		remove_stale(&address);
}

/*
 * Servers
 */

static bool is_shared_with_others(const struct topo_access *access)
{
	return access->any_user || access->group_count || access->user_count;
}

static doca_error_t bind_and_listen(int sock, const struct address *address,
				    const struct link_addr *addr)
{
	int err = 0;

	if (bind(sock, (const struct sockaddr *)&address->un, address->size)) {
		err = errno;
		if (err == EADDRINUSE && !is_abstract(address) && remove_stale(address))
			err = bind(sock, (const struct sockaddr *)&address->un, address->size)
				      ? errno
				      : 0;
	}
	if (!err && !is_abstract(address) && is_shared_with_others(&addr->card->access) &&
	    chmod(address->un.sun_path, 0666))
		err = errno;
	if (!err && listen(sock, BACKLOG))
		err = errno;
	if (err == EADDRINUSE)
		LOG_ERR("a server named \"%s\" exists already for function %s", addr->service,
			addr->function);
	else if (err)
		LOG_ERR("cannot listen as \"%s\" for function %s%s%s: %s", addr->service,
			addr->function, is_abstract(address) ? "" : " in ", runtime_dir(),
			strerror(err));
	return err ? priv_err_from_errno(err) : DOCA_SUCCESS;
}

doca_error_t rendezvous_listen(const struct link_addr *addr, int *ret_sock)
{
	struct address address = make_address(addr);
	_cleanup_fd_ int dir = -1;
	doca_error_t err;
	int sock = -1;

	if (!is_abstract(&address)) {
		err = lock_dir(0, &dir);
		if (err)
			return err;
	}
	err = new_socket(&sock);
	if (err)
		return err;
	err = bind_and_listen(sock, &address, addr);
	if (err) {
		close(sock);
		return err;
	}
	*ret_sock = sock;
	return DOCA_SUCCESS;
}

void rendezvous_unlisten(const struct link_addr *addr, int sock)
{
	struct address address = make_address(addr);

	if (!is_abstract(&address))
		unlink(address.un.sun_path);
	close(sock);
}

/*
 * Clients
 */

static bool may_talk_to(const struct topo_access *access, const struct ucred *cred)
{
	unsigned int i;

	if (cred->uid == geteuid() || access->any_user)
		return true;
	for (i = 0; i < access->user_count; i++)
		if (access->users[i] == cred->uid)
			return true;
	for (i = 0; i < access->group_count; i++)
		if (access->groups[i] == cred->gid)
			return true;
	return false;
}

doca_error_t rendezvous_check_peer(int sock, const struct topo_card *card,
				   struct link_peer *ret_peer)
{
	struct ucred cred;
	socklen_t size = sizeof(cred);

	if (getsockopt(sock, SOL_SOCKET, SO_PEERCRED, &cred, &size))
		return priv_err_from_errno(errno);
	*ret_peer = (struct link_peer){.uid = cred.uid, .gid = cred.gid, .pid = cred.pid};
	if (may_talk_to(&card->access, &cred))
		return DOCA_SUCCESS;
	LOG_WRN("refused: process %d of user %u, group %u; allowed are user %u and what \"access\" "
		"of card %s lists in the topology",
		(int)cred.pid, cred.uid, cred.gid, (unsigned int)geteuid(), card->name);
	return DOCA_ERROR_NOT_PERMITTED;
}

static doca_error_t connect_error(int err)
{
	switch (err) {
	case ENOENT:
	case ECONNREFUSED:
		return DOCA_ERROR_NOT_FOUND;
	default:
		return priv_err_from_errno(err);
	}
}

doca_error_t rendezvous_connect(const struct link_addr *addr, int *ret_sock)
{
	struct address address = make_address(addr);
	doca_error_t err;
	int sock = -1;

	err = new_socket(&sock);
	if (err)
		return err;
	if (connect(sock, (const struct sockaddr *)&address.un, address.size)) {
		err = connect_error(errno);
		close(sock);
		if (err == DOCA_ERROR_NOT_FOUND)
			rendezvous_sweep(addr);
		return err;
	}
	*ret_sock = sock;
	return DOCA_SUCCESS;
}

/*
 * Tools
 */

static void visit_address(const struct address *address, void (*visit)(int sock, void *arg),
			  void *arg)
{
	int sock = -1;

	if (new_socket(&sock))
		return;
	if (connect(sock, (const struct sockaddr *)&address->un, address->size))
		close(sock);
	else
		visit(sock, arg);
}

static doca_error_t visit_dir(void (*visit)(int sock, void *arg), void *arg)
{
	DIR *dir = opendir(runtime_dir());
	struct dirent *entry;

	if (!dir)
		return errno == ENOENT ? DOCA_SUCCESS : priv_err_from_errno(errno);
	while ((entry = readdir(dir))) {
		struct address address = {.un.sun_family = AF_UNIX, .size = sizeof(address.un)};
		const char *suffix = strrchr(entry->d_name, '.');
		int n;

		if (!suffix || strcmp(suffix, SOCKET_SUFFIX))
			continue;
		n = snprintf(address.un.sun_path, sizeof(address.un.sun_path), "%s/%s",
			     runtime_dir(), entry->d_name);
		if ((size_t)n < sizeof(address.un.sun_path))
			visit_address(&address, visit, arg);
	}
	closedir(dir);
	return DOCA_SUCCESS;
}

/* /proc/net/unix shows abstract names with an @ for the NUL; a socket that listens has flag
 * 00010000 */
static doca_error_t visit_abstract(void (*visit)(int sock, void *arg), void *arg)
{
	_cleanup_file_ FILE *file = fopen("/proc/net/unix", "re");
	char prefix[64];
	char line[512];

	if (!file)
		return priv_err_from_errno(errno);
	abstract_prefix(prefix, sizeof(prefix));
	while (fgets(line, sizeof(line), file)) {
		struct address address = {.un.sun_family = AF_UNIX};
		char *name = strchr(line, '@');
		size_t size;

		if (!name || strncmp(name + 1, prefix, strlen(prefix)) ||
		    !strstr(line, " 00010000 "))
			continue;
		name[strcspn(name, "\n")] = '\0';
		size = strlen(name + 1);
		if (size + 1 > sizeof(address.un.sun_path))
			continue;
		memcpy(address.un.sun_path + 1, name + 1, size);
		address.size = (socklen_t)(offsetof(struct sockaddr_un, sun_path) + 1 + size);
		visit_address(&address, visit, arg);
	}
	return DOCA_SUCCESS;
}

doca_error_t priv_rendezvous_visit(void (*visit)(int sock, void *arg), void *arg)
{
	return *runtime_dir() ? visit_dir(visit, arg) : visit_abstract(visit, arg);
}
