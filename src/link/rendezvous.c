/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Finding each other on one machine: where servers listen, who may talk to whom.
 */
#define LOG_MODULE "link"
#include "link/rendezvous.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>
#include "base/cleanup.h"
#include "base/err.h"
#include "base/log.h"
#include "base/printable.h"
#include "link/address.h"
#include "link/process.h"
#include "link/runtime_dir.h"

/* Pending connections: as many as the kernel allows (net.core.somaxconn). */
#define BACKLOG 65535
/* Servers that are named to a client that finds none. */
#define NEIGHBOURS_MAX	5
#define NEIGHBOURS_SIZE 400
/* How often and how long a name is looked at that is taken while nobody listens: a second. */
#define NAME_LOOKS   1000
#define NAME_LOOK_NS PROCESS_LOOK_NS

bool rendezvous_sweep(const struct link_addr *addr, pid_t pid)
{
	struct address address = address_of(addr);
	pid_t listener = -1;
	doca_error_t err;

	if (address_is_abstract(&address))
		return true;
	runtime_dir_tidy();
	err = runtime_dir_sweep(&address, &listener);
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

	err = address_connect(address, &sock, &pid);
	return err == DOCA_ERROR_NOT_FOUND || (!err && process_is_dying(pid));
}

/* errno, or 0. Waits for a name that is about to be free. */
static int bind_name(int sock, const struct address *address)
{
	const struct timespec moment = {.tv_nsec = NAME_LOOK_NS};
	unsigned int i, living = 0;

	for (i = 0; i < NAME_LOOKS; i++) {
		if (!bind(sock, (const struct sockaddr *)&address->un, address->size))
			return 0;
		if (errno != EADDRINUSE)
			return errno;
		if (!address_is_abstract(address) ||
		    (!is_only_held(address) && ++living == PROCESS_LOOKS))
			break;
		nanosleep(&moment, NULL);
	}
	return EADDRINUSE;
}

/* Somebody has the name: a server, or a file that is none. */
static void explain_taken(const struct address *address, const struct link_addr *addr)
{
	_cleanup_fd_ int sock = -1;
	pid_t pid;

	if (address_is_abstract(address) || !address_connect(address, &sock, &pid))
		LOG_ERR("a server named \"%s\" exists already for function %s", addr->service,
			addr->function);
	else
		LOG_ERR("cannot listen as \"%s\" for function %s: %s is in the way, and it is no "
			"server's that could be talked to",
			addr->service, addr->function, address->un.sun_path);
}

static doca_error_t listen_at(int sock, const struct address *address, const struct link_addr *addr)
{
	int err = bind_name(sock, address);

	if (!err && !address_is_abstract(address) && is_shared_with_others(&addr->card->access) &&
	    chmod(address->un.sun_path, 0666))
		err = errno;
	if (!err && listen(sock, BACKLOG))
		err = errno;
	if (err == EADDRINUSE)
		explain_taken(address, addr);
	else if (err)
		LOG_ERR("cannot listen as \"%s\" for function %s%s%s: %s", addr->service,
			addr->function, address_is_abstract(address) ? "" : " in ", address_dir(),
			strerror(err));
	return err ? priv_err_from_errno(err) : DOCA_SUCCESS;
}

doca_error_t rendezvous_listen(const struct link_addr *addr, int *ret_sock)
{
	struct address address = address_of(addr);
	__attribute__((cleanup(runtime_dir_unlock))) int dir = -1;
	doca_error_t err;
	int sock = -1;

	if (!address_is_abstract(&address)) {
		err = runtime_dir_lock(&address, &dir);
		if (err)
			return err;
	}
	err = address_new_socket(&sock);
	if (err)
		return err;
	err = listen_at(sock, &address, addr);
	if (err) {
		close(sock);
		return err;
	}
	*ret_sock = sock;
	return DOCA_SUCCESS;
}

void rendezvous_unlist(const struct link_addr *addr)
{
	struct address address = address_of(addr);

	if (address_is_abstract(&address))
		return;
	runtime_dir_unlink(&address);
	runtime_dir_tidy();
}

/*
 * Clients
 */

static bool may_talk_to(uid_t user, const struct topo_access *access, const struct ucred *cred)
{
	unsigned int i;

	if (cred->uid == user || access->any_user)
		return true;
	for (i = 0; i < access->user_count; i++)
		if (access->users[i] == cred->uid)
			return true;
	for (i = 0; i < access->group_count; i++)
		if (access->groups[i] == cred->gid)
			return true;
	return false;
}

doca_error_t rendezvous_check_peer(int sock, uid_t user, const struct topo_card *card,
				   struct link_peer *ret_peer)
{
	struct ucred cred;
	socklen_t size = sizeof(cred);

	if (getsockopt(sock, SOL_SOCKET, SO_PEERCRED, &cred, &size))
		return priv_err_from_errno(errno);
	*ret_peer = (struct link_peer){.uid = cred.uid, .gid = cred.gid, .pid = cred.pid};
	return may_talk_to(user, &card->access, &cred) ? DOCA_SUCCESS : DOCA_ERROR_NOT_PERMITTED;
}

static void explain_refusal(const struct link_addr *addr, const struct address *address)
{
	unsigned int uid = geteuid();
	struct stat file;

	if (address_is_abstract(address))
		LOG_ERR("user %u may not connect to an abstract socket; "
			"SOFTFIELD_RUNTIME_DIR names a folder for ordinary ones",
			uid);
	else if (!stat(address->un.sun_path, &file))
		LOG_ERR("server \"%s\" for function %s is one of user %u, whose topology gives "
			"user %u no \"access\" (its socket: %s)",
			addr->service, addr->function, file.st_uid, uid, address->un.sun_path);
	else
		LOG_ERR("runtime folder %s: user %u may not look into it", address_dir(), uid);
}

/* No server can be in what is not a folder. */
static void explain_folder(const struct address *address)
{
	if (!address_is_abstract(address) && access(address->un.sun_path, F_OK) && errno != ENOENT)
		LOG_ERR("runtime folder %s: %s", address_dir(), strerror(errno));
}

doca_error_t rendezvous_connect(const struct link_addr *addr, int *ret_sock)
{
	struct address address = address_of(addr);
	doca_error_t err;
	pid_t pid;

	err = address_connect(&address, ret_sock, &pid);
	if (!address_is_abstract(&address)) {
		if (err == DOCA_ERROR_NOT_FOUND)
			runtime_dir_sweep(&address, &pid);
		runtime_dir_tidy();
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
		char *name = strstr(line, " @" ADDRESS_PREFIX);

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

	err = address_connect(address, &sock, &pid);
	if (!err)
		visit->visit(sock, visit->arg);
	else if (err == DOCA_ERROR_NOT_FOUND && !address_is_abstract(address))
		runtime_dir_sweep(address, &pid);
}

static void visit_name(const char *name, void *arg)
{
	struct address address;

	if (address_of_name(name, &address))
		visit_address(&address, arg);
}

doca_error_t priv_rendezvous_visit(void (*visit)(int sock, void *arg), void *arg)
{
	struct visit every = {visit, arg};

	return *address_dir() ? runtime_dir_visit(visit_address, &every)
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

/* Names are what any program on this machine has chosen. */
static void add_neighbour(struct neighbours *all, const char *function, const char *service)
{
	size_t used = strlen(all->text), function_size = (size_t)(service - function) - 1;
	bool is_same = !strcmp(service, all->addr->service) &&
		       function_size == strlen(all->addr->function) &&
		       !memcmp(function, all->addr->function, function_size);

	if (all->count++ >= NEIGHBOURS_MAX)
		return;
	snprintf(all->text + used, all->size - used, "%s \"%s\" for %.*s%s", used ? "," : "",
		 service, (int)function_size, function, is_same ? " of another card" : "");
	printable_only(all->text + used);
}

static void look_at_name(const char *name, void *arg)
{
	struct neighbours *all = arg;
	const char *service;
	unsigned int uid;
	uint64_t hash;
	int n = 0;

	if (sscanf(name, ADDRESS_PREFIX "%u/%16" SCNx64 "/%n", &uid, &hash, &n) != 2 || !n)
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
		.hash = address_hash(addr), .addr = addr, .text = names, .size = sizeof(names)};

	if (*address_dir()) {
		snprintf(text, size,
			 "nobody listens there in %s (softfield servers shows who does)",
			 address_dir());
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
