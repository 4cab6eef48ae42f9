/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Finding each other on one machine: socket addresses of servers, who may talk to whom.
 *
 * Long because both kinds of addresses, and what may be left of either, are in one place.
 */
#define LOG_MODULE "link"
#include "link/rendezvous.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>
#include "base/cleanup.h"
#include "base/log.h"

#define SOCKET_SUFFIX ".sock"
#define SOCKET_DIGITS 16
#define NAME_PREFIX   "softfield-"
/* Leaves room for a file name; the topology refuses longer ones. */
#define DIR_FORMAT "%.85s"
/* Pending connections: as many as the kernel allows (net.core.somaxconn). */
#define BACKLOG 65535
/* Servers that are named to a client that finds none. */
#define NEIGHBOURS_MAX	5
#define NEIGHBOURS_SIZE 400
/* How often and how long a name is looked at that is taken while nobody listens: a second. */
#define NAME_LOOKS   1000
#define NAME_LOOK_NS 1000000
/* How often a server is found living before that is believed. */
#define NAME_LIVING 5

/* of the kernel, in /proc/PID/stat: it ends, and it is about to because of a signal */
#define PF_EXITING  0x4u
#define PF_SIGNALED 0x400u
#define KILLED	    (1u << (SIGKILL - 1))

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
	return snprintf(text, size, NAME_PREFIX "%u/", (unsigned int)geteuid());
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

static doca_error_t refuse_dir(const char *dir, const char *what)
{
	LOG_ERR("runtime folder %s: %s%s (SOFTFIELD_RUNTIME_DIR or \"runtime_dir\" of the topology "
		"must name a folder you may write to)",
		dir, what, strerror(errno));
	return DOCA_ERROR_NOT_PERMITTED;
}

/*
 * Opens the folder, made if need be, and keeps others from changing its sockets until it is closed.
 * how: LOCK_NB to wait for nobody
 */
static doca_error_t lock_dir(int how, int *ret_fd)
{
	const char *dir = runtime_dir();
	int fd, err;

	if (mkdir(dir, 0700) && errno != EEXIST)
		return refuse_dir(dir, "cannot be made: ");
	fd = open(dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (fd < 0)
		return refuse_dir(dir, "");
	while ((err = flock(fd, LOCK_EX | how) ? errno : 0) == EINTR)
		; /* its holder does nothing that takes long */
	if (err) {
		close(fd);
		if (err == EWOULDBLOCK)
			return DOCA_ERROR_AGAIN;
		LOG_ERR("runtime folder %s: cannot be locked: %s", dir, strerror(err));
		return DOCA_ERROR_OPERATING_SYSTEM;
	}
	*ret_fd = fd;
	return DOCA_SUCCESS;
}

/* Closing is not enough: a child that another thread forks meanwhile would keep the lock. */
static void unlock_dir(const int *fd)
{
	if (*fd < 0)
		return;
	flock(*fd, LOCK_UN);
	close(*fd);
}

bool rendezvous_is_dead(pid_t pid)
{
	struct pollfd ended = {.fd = -1, .events = POLLIN};
	_cleanup_fd_ int pidfd = -1;

	if (pid <= 0)
		return false;
	pidfd = (int)syscall(SYS_pidfd_open, pid, 0);
	if (pidfd < 0)
		return errno == ESRCH;
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

/* Its sockets close one after another: peers know already, and it still seems to listen. */
static bool is_dying(pid_t pid)
{
	const struct dirent *entry;
	bool all = true;
	char path[32];
	DIR *tasks;

	snprintf(path, sizeof(path), "/proc/%d/task", pid);
	tasks = opendir(path);
	if (!tasks)
		return rendezvous_is_dead(pid);
	while (all && (entry = readdir(tasks)))
		all = entry->d_name[0] == '.' || is_exiting(dirfd(tasks), entry->d_name);
	closedir(tasks);
	return all;
}

/*
 * NOT_FOUND: no server listens there, though there may be a file, or a socket that somebody else
 * holds open. Other errors: there may be one that does not talk to us.
 */
static doca_error_t try_connect(const struct address *address, int *ret_sock, pid_t *ret_pid)
{
	struct ucred cred = {0};
	socklen_t size = sizeof(cred);
	doca_error_t err;
	int sock = -1;

	err = new_socket(&sock);
	if (err)
		return err;
	if (connect(sock, (const struct sockaddr *)&address->un, address->size))
		err = errno == ECONNREFUSED || errno == ENOENT ? DOCA_ERROR_NOT_FOUND
							       : priv_err_from_errno(errno);
	else if (getsockopt(sock, SOL_SOCKET, SO_PEERCRED, &cred, &size))
		err = priv_err_from_errno(errno);
	else if (rendezvous_is_dead(cred.pid))
		err = DOCA_ERROR_NOT_FOUND;
	if (err) {
		close(sock);
		return err;
	}
	*ret_sock = sock;
	*ret_pid = cred.pid;
	return DOCA_SUCCESS;
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

/*
 * Removes the file if no server listens on it. The folder is locked: between bind() and listen() a
 * socket looks dead and is not. ret_pid: the server's if there is one, or -1
 */
static bool remove_stale(const struct address *address, pid_t *ret_pid)
{
	_cleanup_fd_ int sock = -1;
	doca_error_t err;

	*ret_pid = -1;
	err = try_connect(address, &sock, ret_pid);
	if (err ? err != DOCA_ERROR_NOT_FOUND : !is_dying(*ret_pid))
		return false;
	if (unlink(address->un.sun_path))
		return false;
	LOG_DBG("removed %s: its server is dead", address->un.sun_path);
	return true;
}

/* The same where the folder is not locked. Waits for nobody: AGAIN */
static doca_error_t sweep(const struct address *address, pid_t *ret_pid)
{
	__attribute__((cleanup(unlock_dir))) int dir = -1;
	doca_error_t err;

	if (access(address->un.sun_path, F_OK))
		return DOCA_ERROR_NOT_FOUND;
	err = lock_dir(LOCK_NB, &dir);
	if (err)
		return err;
	return remove_stale(address, ret_pid) ? DOCA_SUCCESS : DOCA_ERROR_IN_USE;
}

/* Names that make_address() gives; the folder may hold other things, which are not ours. */
static bool is_ours(const char *name)
{
	return strspn(name, "0123456789abcdef") == SOCKET_DIGITS &&
	       !strcmp(name + SOCKET_DIGITS, SOCKET_SUFFIX);
}

/* Calls visit with the address of each file of ours; not an error: no folder */
static doca_error_t for_each_file(void (*visit)(const struct address *address, void *arg),
				  void *arg)
{
	DIR *dir = opendir(runtime_dir());
	struct dirent *entry;

	if (!dir)
		return errno == ENOENT ? DOCA_SUCCESS : priv_err_from_errno(errno);
	while ((entry = readdir(dir))) {
		struct address address = {.un.sun_family = AF_UNIX, .size = sizeof(address.un)};

		if (!is_ours(entry->d_name))
			continue;
		snprintf(address.un.sun_path, sizeof(address.un.sun_path), DIR_FORMAT "/%.21s",
			 runtime_dir(), entry->d_name);
		visit(&address, arg);
	}
	closedir(dir);
	return DOCA_SUCCESS;
}

static void remove_if_dead(const struct address *address, void *arg)
{
	pid_t pid;

	(void)arg;
	if (looks_dead(address))
		remove_stale(address, &pid);
}

static void sweep_if_dead(const struct address *address, void *arg)
{
	pid_t pid;

	(void)arg;
	if (looks_dead(address))
		sweep(address, &pid);
}

/* Removes what dead servers of any name have left: everybody does who comes by. */
static void tidy(void)
{
	for_each_file(sweep_if_dead, NULL);
}

bool rendezvous_sweep(const struct link_addr *addr, pid_t pid)
{
	struct address address = make_address(addr);
	pid_t listener = -1;
	doca_error_t err;

	if (is_abstract(&address))
		return true;
	tidy();
	err = sweep(&address, &listener);
	return err != DOCA_ERROR_AGAIN && !(err == DOCA_ERROR_IN_USE && listener == pid);
}

/*
 * Servers
 */

static bool is_shared_with_others(const struct topo_access *access)
{
	return access->any_user || access->group_count || access->user_count;
}

/*
 * Is the name only held? A child that its server has forked a moment ago has the socket until it
 * runs (base/own_fd.c), and a server that is being killed until the kernel comes to it; and a
 * server that has just bound it does not listen yet.
 */
static bool is_only_held(const struct address *address)
{
	_cleanup_fd_ int sock = -1;
	doca_error_t err;
	pid_t pid;

	err = try_connect(address, &sock, &pid);
	return err == DOCA_ERROR_NOT_FOUND || (!err && is_dying(pid));
}

/*
 * errno, or 0. Waits for a name that is about to be free. A server that lives is looked at a few
 * times: there is an instant in its death that shows nothing.
 */
static int bind_name(int sock, const struct address *address)
{
	const struct timespec moment = {.tv_nsec = NAME_LOOK_NS};
	unsigned int i, living = 0;

	for (i = 0; i < NAME_LOOKS; i++) {
		if (!bind(sock, (const struct sockaddr *)&address->un, address->size))
			return 0;
		if (errno != EADDRINUSE)
			return errno;
		if (!is_abstract(address) || (!is_only_held(address) && ++living == NAME_LIVING))
			break;
		nanosleep(&moment, NULL);
	}
	return EADDRINUSE;
}

static doca_error_t bind_and_listen(int sock, const struct address *address,
				    const struct link_addr *addr)
{
	int err = bind_name(sock, address);

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
	__attribute__((cleanup(unlock_dir))) int dir = -1;
	doca_error_t err;
	int sock = -1;
	pid_t pid;

	if (!is_abstract(&address)) {
		err = lock_dir(0, &dir);
		if (err)
			return err;
		remove_stale(&address, &pid);
		for_each_file(remove_if_dead, NULL);
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

void rendezvous_unlist(const struct link_addr *addr)
{
	struct address address = make_address(addr);

	if (is_abstract(&address))
		return;
	unlink(address.un.sun_path);
	tidy();
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
	return may_talk_to(&card->access, &cred) ? DOCA_SUCCESS : DOCA_ERROR_NOT_PERMITTED;
}

static void explain_refusal(const struct link_addr *addr, const struct address *address)
{
	unsigned int uid = geteuid();
	struct stat file;

	if (is_abstract(address))
		LOG_ERR("user %u may not connect to an abstract socket; "
			"SOFTFIELD_RUNTIME_DIR names a folder for ordinary ones",
			uid);
	else if (!stat(address->un.sun_path, &file))
		LOG_ERR("server \"%s\" for function %s is one of user %u, whose topology gives "
			"user %u no \"access\" (its socket: %s)",
			addr->service, addr->function, file.st_uid, uid, address->un.sun_path);
	else
		LOG_ERR("runtime folder %s: user %u may not look into it", runtime_dir(), uid);
}

/* No server can be in what is not a folder. */
static void explain_folder(const struct address *address)
{
	if (!is_abstract(address) && access(address->un.sun_path, F_OK) && errno != ENOENT)
		LOG_ERR("runtime folder %s: %s", runtime_dir(), strerror(errno));
}

doca_error_t rendezvous_connect(const struct link_addr *addr, int *ret_sock)
{
	struct address address = make_address(addr);
	doca_error_t err;
	pid_t pid;

	err = try_connect(&address, ret_sock, &pid);
	if (!is_abstract(&address)) {
		if (err == DOCA_ERROR_NOT_FOUND)
			sweep(&address, &pid);
		tidy();
	}
	if (err == DOCA_ERROR_NOT_PERMITTED)
		explain_refusal(addr, &address);
	else if (err)
		explain_folder(&address);
	return err;
}

/*
 * Who else is there
 */

/*
 * Calls visit with each abstract name of ours, of any user, that somebody listens on.
 * /proc/net/unix shows it with an @ for the NUL; a socket that listens has flag 00010000.
 */
static doca_error_t for_each_abstract(void (*visit)(const char *name, void *arg), void *arg)
{
	_cleanup_file_ FILE *file = fopen("/proc/net/unix", "re");
	char line[512];

	if (!file)
		return priv_err_from_errno(errno);
	while (fgets(line, sizeof(line), file)) {
		char *name = strstr(line, " @" NAME_PREFIX);

		if (!name || !strstr(line, " 00010000 "))
			continue;
		line[strcspn(line, "\n")] = '\0';
		visit(name + 2, arg);
	}
	return DOCA_SUCCESS;
}

struct visit {
	void (*visit)(int sock, void *arg);
	void *arg;
};

static void visit_address(const struct address *address, void *arg)
{
	const struct visit *visit = arg;
	doca_error_t err;
	pid_t pid;
	int sock;

	err = try_connect(address, &sock, &pid);
	if (!err)
		visit->visit(sock, visit->arg);
	else if (err == DOCA_ERROR_NOT_FOUND && !is_abstract(address))
		sweep(address, &pid);
}

static void visit_name(const char *name, void *arg)
{
	struct address address = {.un.sun_family = AF_UNIX};
	size_t size = strlen(name);
	char prefix[64];

	abstract_prefix(prefix, sizeof(prefix));
	if (strncmp(name, prefix, strlen(prefix)) || size + 1 > sizeof(address.un.sun_path))
		return;
	memcpy(address.un.sun_path + 1, name, size);
	address.size = (socklen_t)(offsetof(struct sockaddr_un, sun_path) + 1 + size);
	visit_address(&address, arg);
}

doca_error_t priv_rendezvous_visit(void (*visit)(int sock, void *arg), void *arg)
{
	struct visit every = {visit, arg};

	return *runtime_dir() ? for_each_file(visit_address, &every)
			      : for_each_abstract(visit_name, &every);
}

/* What a client that has found nobody is told of. */
struct neighbours {
	uint64_t hash; /* of the address that it looked for */
	const struct link_addr *addr;
	char *text;
	size_t size;
	unsigned int count;	   /* of this user's servers */
	unsigned int namesake_uid; /* somebody else who has one at that very address */
	bool has_namesake;
};

/* Names are what any program on this machine has chosen: printed, so no escape sequences. */
static void add_neighbour(struct neighbours *all, const char *function, const char *service)
{
	size_t used = strlen(all->text), function_size = (size_t)(service - function) - 1;
	bool is_same = !strcmp(service, all->addr->service) &&
		       function_size == strlen(all->addr->function) &&
		       !memcmp(function, all->addr->function, function_size);
	char *p;

	if (all->count++ >= NEIGHBOURS_MAX)
		return;
	snprintf(all->text + used, all->size - used, "%s \"%s\" for %.*s%s", used ? "," : "",
		 service, (int)function_size, function, is_same ? " of another card" : "");
	for (p = all->text + used; *p; p++)
		if (!isprint((unsigned char)*p))
			*p = '?';
}

static void look_at_name(const char *name, void *arg)
{
	struct neighbours *all = arg;
	const char *service;
	unsigned int uid;
	uint64_t hash;
	int n = 0;

	if (sscanf(name, NAME_PREFIX "%u/%16" SCNx64 "/%n", &uid, &hash, &n) != 2 || !n)
		return;
	service = strchr(name + n, '/');
	if (uid == geteuid() && service)
		add_neighbour(all, name + n, service + 1);
	else if (uid != geteuid() && hash == all->hash) {
		all->has_namesake = true;
		all->namesake_uid = uid;
	}
}

void rendezvous_explain(const struct link_addr *addr, char *text, size_t size)
{
	char names[NEIGHBOURS_SIZE] = "";
	struct neighbours all = {
		.hash = hash_addr(addr), .addr = addr, .text = names, .size = sizeof(names)};

	if (*runtime_dir()) {
		snprintf(text, size,
			 "nobody listens there in %s (softfield servers shows who does)",
			 runtime_dir());
		return;
	}
	for_each_abstract(look_at_name, &all);
	if (all.has_namesake)
		snprintf(
			text, size,
			"user %u has one, for clients of its own; for those of user %u both need a "
			"\"runtime_dir\" and \"access\" in the topology",
			all.namesake_uid, (unsigned int)geteuid());
	else if (all.count)
		snprintf(text, size, "there %s%s%s", all.count == 1 ? "is" : "are", names,
			 all.count > NEIGHBOURS_MAX ? ", ..." : "");
	else
		snprintf(text, size, "user %u has no server at all", (unsigned int)geteuid());
}
