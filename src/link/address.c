/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Addresses of the sockets that servers listen on.
 */
#include "link/address.h"

#include <errno.h>
#include <inttypes.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
#include "base/err.h"
#include "base/fd.h"
#include "link/process.h"
#include "topo/topo.h"

#define SOCKET_SUFFIX ".sock"
#define SOCKET_DIGITS 16
/* Leaves room for a file name; the topology refuses longer ones. */
#define DIR_FORMAT "%.85s"

static uint64_t hash_text(uint64_t hash, const char *text)
{
	for (;; text++) {
		hash = (hash ^ (uint8_t)*text) * 0x100000001b3u;
		if (!*text)
			return hash;
	}
}

uint64_t address_hash(const struct link_addr *addr)
{
	uint64_t hash = 0xcbf29ce484222325u;

	hash = hash_text(hash, addr->card->name);
	hash = hash_text(hash, addr->function);
	return hash_text(hash, addr->service);
}

const char *address_dir(void)
{
	const struct topo *topo;

	return priv_topo_get(&topo) ? "" : topo->runtime_dir;
}

/* where all abstract names of this user begin, without the leading NUL */
static int abstract_prefix(char *text, size_t size)
{
	return snprintf(text, size, ADDRESS_PREFIX "%u/", (unsigned int)geteuid());
}

struct address address_of(const struct link_addr *addr)
{
	struct address address = {.un.sun_family = AF_UNIX};
	size_t room = sizeof(address.un.sun_path);
	const char *dir = address_dir();
	uint64_t hash = address_hash(addr);
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

doca_error_t address_new_socket(int *ret_sock)
{
	int sock = -1;

	do
		sock = priv_fd_lift(
			socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
	while (sock < 0 && priv_fd_made_room());
	if (sock < 0)
		return priv_err_from_call("socket");
	*ret_sock = sock;
	return DOCA_SUCCESS;
}

/* Names that address_of() gives; the folder may hold other things, which are not ours. */
static bool is_ours(const char *name)
{
	return strspn(name, "0123456789abcdef") == SOCKET_DIGITS &&
	       !strcmp(name + SOCKET_DIGITS, SOCKET_SUFFIX);
}

bool address_of_file(const char *name, struct address *ret_address)
{
	if (!is_ours(name))
		return false;
	*ret_address = (struct address){.un.sun_family = AF_UNIX, .size = sizeof(ret_address->un)};
	snprintf(ret_address->un.sun_path, sizeof(ret_address->un.sun_path), DIR_FORMAT "/%.21s",
		 address_dir(), name);
	return true;
}

bool address_of_name(const char *name, struct address *ret_address)
{
	struct sockaddr_un *un = &ret_address->un;
	size_t size = strlen(name);
	char prefix[64];

	abstract_prefix(prefix, sizeof(prefix));
	if (strncmp(name, prefix, strlen(prefix)) || size + 1 > sizeof(un->sun_path))
		return false;
	*ret_address = (struct address){.un.sun_family = AF_UNIX};
	memcpy(un->sun_path + 1, name, size);
	ret_address->size = (socklen_t)(offsetof(struct sockaddr_un, sun_path) + 1 + size);
	return true;
}

doca_error_t address_connect(const struct address *address, int *ret_sock, pid_t *ret_pid)
{
	struct ucred cred = {0};
	socklen_t size = sizeof(cred);
	doca_error_t err;
	int sock = -1;

	err = address_new_socket(&sock);
	if (err)
		return err;
	if (connect(sock, (const struct sockaddr *)&address->un, address->size))
		err = errno == ECONNREFUSED || errno == ENOENT ? DOCA_ERROR_NOT_FOUND
							       : priv_err_from_errno(errno);
	else if (getsockopt(sock, SOL_SOCKET, SO_PEERCRED, &cred, &size))
		err = priv_err_from_errno(errno);
	else if (process_is_dead(cred.pid))
		err = DOCA_ERROR_NOT_FOUND;
	if (err) {
		close(sock);
		return err;
	}
	*ret_sock = sock;
	*ret_pid = cred.pid;
	return DOCA_SUCCESS;
}
