/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Sockets: listening for hosts, and for those who collect statistics.
 */
#include "target.h"

#include <errno.h>
#include <netdb.h>
#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>
#include "base/clock.h"
#include "base/fd.h"

#define BACKLOG	     1024
#define ACCEPT_BURST 64
#define SCRAPES_MAX  16u
#define REST_NS	     100000000ull   /* of a listener that is out of descriptors */
#define QUIET_NS     60000000000ull /* after which that is news again */

/* who collects statistics */
struct scrape {
	struct watched watched;
	struct target *target;
	char *answer; /* NULL: nothing has been asked yet */
	size_t size, sent;
};

static struct scrape scrape_listener = {.watched = {.fd = -1}};
/* in turn: who connects and says nothing makes room for others */
static struct scrape scrapes[SCRAPES_MAX];
static unsigned int next_scrape;

bool net_watch(struct target *target, struct watched *watched)
{
	struct epoll_event event = {.events = EPOLLIN, .data.ptr = watched};

	return !epoll_ctl(target->epoll_fd, EPOLL_CTL_ADD, watched->fd, &event);
}

static void unwatch(struct target *target, struct watched *watched)
{
	if (watched->fd < 0)
		return;
	epoll_ctl(target->epoll_fd, EPOLL_CTL_DEL, watched->fd, NULL);
	close(watched->fd);
	watched->fd = -1;
}

struct addrinfo *net_resolve(const char *addr, uint16_t port, char *why, size_t why_size)
{
	struct addrinfo hints = {.ai_flags = AI_NUMERICHOST | AI_NUMERICSERV | AI_PASSIVE,
				 .ai_socktype = SOCK_STREAM};
	struct addrinfo *info;
	char service[8];
	int err;

	snprintf(service, sizeof(service), "%u", port);
	err = getaddrinfo(addr, service, &hints, &info);
	if (!err)
		return info;
	snprintf(why, why_size, "%s", gai_strerror(err));
	return NULL;
}

/* -1: why says why not */
static int listen_at(const char *addr, uint16_t port, char *why, size_t why_size)
{
	struct addrinfo *info = net_resolve(addr, port, why, why_size);
	const int on = 1;
	int fd;

	if (!info)
		return -1;
	fd = socket(info->ai_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
	if (fd >= 0) {
		setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on));
		if (info->ai_family == AF_INET6)
			setsockopt(fd, IPPROTO_IPV6, IPV6_V6ONLY, &on, sizeof(on));
	}
	if (fd < 0 || bind(fd, info->ai_addr, info->ai_addrlen) || listen(fd, BACKLOG)) {
		snprintf(why, why_size, "%s", strerror(errno));
		if (fd >= 0)
			close(fd);
		fd = -1;
	}
	freeaddrinfo(info);
	return fd;
}

/*
 * Descriptors: one for each connection
 */

static void listen_for(struct target *target, struct watched *listener, uint32_t events)
{
	struct epoll_event event = {.events = events, .data.ptr = listener};

	if (listener->fd >= 0)
		epoll_ctl(target->epoll_fd, EPOLL_CTL_MOD, listener->fd, &event);
}

/*
 * Who cannot be let in keeps the listener readable: the loop would do nothing but find that out.
 * The end of a connection of ours is not the only way out, so time it is that ends the rest.
 */
static void rest(struct target *target, struct watched *listener, int err)
{
	uint64_t now_ns = clock_now_ns();

	listen_for(target, listener, 0);
	target->listen_again_ns = now_ns + REST_NS;
	if (!target->full_ns || now_ns - target->full_ns > QUIET_NS)
		fprintf(stderr, "softfield target: no more connections until others end: %s%s\n",
			strerror(err), err == EMFILE ? " (ulimit -Hn says how many)" : "");
	target->full_ns = now_ns;
}

uint64_t net_listen_again(struct target *target, uint64_t now_ns)
{
	unsigned int i;

	if (!target->listen_again_ns)
		return UINT64_MAX;
	if (now_ns < target->listen_again_ns)
		return target->listen_again_ns;
	target->listen_again_ns = 0;
	for (i = 0; i < target->port_count; i++)
		listen_for(target, &target->ports[i].watched, EPOLLIN);
	listen_for(target, &scrape_listener.watched, EPOLLIN);
	return UINT64_MAX;
}

/* -1: nobody is there, or cannot be let in now */
static int let_in(struct target *target, struct watched *listener)
{
	int sock;

	do
		sock = accept4(listener->fd, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC);
	while (sock < 0 && priv_fd_made_room());
	if (sock < 0 && (errno == EMFILE || errno == ENFILE || errno == ENOBUFS || errno == ENOMEM))
		rest(target, listener, errno);
	return sock;
}

/*
 * Hosts
 */

/* the address that the host has connected to */
static void local_address(int sock, char *addr, size_t size)
{
	struct sockaddr_storage local = {0};
	socklen_t length = sizeof(local);

	addr[0] = '\0';
	if (!getsockname(sock, (struct sockaddr *)&local, &length))
		getnameinfo((struct sockaddr *)&local, length, addr, (socklen_t)size, NULL, 0,
			    NI_NUMERICHOST);
}

static void on_hosts(struct watched *watched)
{
	struct served_port *port = container_of(watched, struct served_port, watched);
	unsigned int i;

	for (i = 0; i < ACCEPT_BURST; i++) {
		int sock = let_in(port->target, watched);
		char addr[NVMF_TRADDR_SIZE];

		if (sock < 0)
			return;
		local_address(sock, addr, sizeof(addr));
		conn_accept(port, sock, addr);
	}
}

static bool listen_tcp(struct served_port *port, const char *addr, uint16_t number, char *why,
		       size_t why_size)
{
	port->watched.ready = on_hosts;
	port->watched.fd = listen_at(addr, number, why, why_size);
	return port->watched.fd >= 0 && net_watch(port->target, &port->watched);
}

bool net_port_open(struct target *target, const struct port_config *config)
{
	struct served_port *port = &target->ports[target->port_count];
	char service[8], why[128] = "";
	const struct nvmf_port_attr attr = {
		.id = config->id,
		.trtype = config->trtype,
		.adrfam = strchr(config->addr, ':') ? NVMF_IPV6 : NVMF_IPV4,
		.traddr = config->addr,
		.trsvcid = service,
	};
	bool listening;

	if (target->port_count == PORTS_MAX) {
		fprintf(stderr, "softfield target: at most %u ports\n", PORTS_MAX);
		return false;
	}
	snprintf(service, sizeof(service), "%u", config->port);
	if (nvmf_port_add(target->nvmf, &attr, &port->port))
		return false;
	port->target = target;
	port->config = *config;
	port->index = target->port_count++;
	port->watched.fd = -1;
	if (config->trtype == NVMF_RDMA)
		listening = rdma_port_open(port, config->addr, config->port, why, sizeof(why));
	else
		listening = listen_tcp(port, config->addr, config->port, why, sizeof(why));
	if (!listening)
		fprintf(stderr, "softfield target: cannot listen on %s port %u%s: %s\n",
			config->addr, config->port, config->trtype == NVMF_RDMA ? " (RDMA)" : "",
			why);
	return listening;
}

void net_port_close(struct served_port *port)
{
	unwatch(port->target, &port->watched);
	rdma_port_close(port);
}

/*
 * Prometheus: one request, one answer. What is asked for does not matter.
 */

static void end_scrape(struct scrape *scrape)
{
	unwatch(scrape->target, &scrape->watched);
	free(scrape->answer);
	scrape->answer = NULL;
}

/* What has been sent is lost if the socket is closed on something that nobody has read. */
static void on_leftovers(struct watched *watched)
{
	char leftovers[4096];
	ssize_t n = read(watched->fd, leftovers, sizeof(leftovers));

	if (!n || (n < 0 && errno != EAGAIN && errno != EINTR))
		end_scrape(container_of(watched, struct scrape, watched));
}

/* as much as the socket takes; the rest when it takes more */
static void on_room(struct watched *watched)
{
	struct scrape *scrape = container_of(watched, struct scrape, watched);
	ssize_t n = send(watched->fd, scrape->answer + scrape->sent, scrape->size - scrape->sent,
			 MSG_NOSIGNAL);

	if (n > 0)
		scrape->sent += (size_t)n;
	if (scrape->sent == scrape->size) {
		shutdown(watched->fd, SHUT_WR);
		watched->ready = on_leftovers;
		listen_for(scrape->target, watched, EPOLLIN);
	} else if (n < 0 && errno != EAGAIN && errno != EINTR) {
		end_scrape(scrape);
	}
}

static char *make_answer(const struct target *target, size_t *ret_size)
{
	char *text = stats_prometheus(target), *answer = NULL;
	FILE *out = text ? open_memstream(&answer, ret_size) : NULL;

	if (out) {
		fprintf(out,
			"HTTP/1.0 200 OK\r\nContent-Type: text/plain; version=0.0.4\r\n"
			"Content-Length: %zu\r\n\r\n%s",
			strlen(text), text);
		fclose(out);
	}
	free(text);
	return answer;
}

static void on_request(struct watched *watched)
{
	struct scrape *scrape = container_of(watched, struct scrape, watched);
	char request[4096];

	if (read(watched->fd, request, sizeof(request)) > 0)
		scrape->answer = make_answer(scrape->target, &scrape->size);
	if (!scrape->answer) {
		end_scrape(scrape);
		return;
	}
	scrape->sent = 0;
	watched->ready = on_room;
	listen_for(scrape->target, watched, EPOLLOUT);
	on_room(watched);
}

static void on_scraper(struct watched *watched)
{
	struct target *target = container_of(watched, struct scrape, watched)->target;
	int sock = let_in(target, watched);
	struct scrape *scrape = &scrapes[next_scrape];

	if (sock < 0)
		return;
	next_scrape = (next_scrape + 1) % SCRAPES_MAX;
	end_scrape(scrape);
	scrape->watched = (struct watched){.fd = sock, .ready = on_request};
	if (!net_watch(target, &scrape->watched))
		end_scrape(scrape);
}

bool net_prometheus_open(struct target *target, const char *addr, uint16_t port)
{
	char why[128];
	unsigned int i;

	for (i = 0; i < SCRAPES_MAX; i++)
		scrapes[i] = (struct scrape){.watched = {.fd = -1}, .target = target};
	scrape_listener.target = target;
	scrape_listener.watched.ready = on_scraper;
	scrape_listener.watched.fd = listen_at(addr, port, why, sizeof(why));
	if (scrape_listener.watched.fd < 0) {
		fprintf(stderr, "softfield target: cannot listen on %s port %u: %s\n", addr, port,
			why);
		return false;
	}
	return net_watch(target, &scrape_listener.watched);
}

void net_prometheus_close(struct target *target)
{
	unsigned int i;

	if (!scrape_listener.target)
		return;
	unwatch(target, &scrape_listener.watched);
	for (i = 0; i < SCRAPES_MAX; i++)
		end_scrape(&scrapes[i]);
}
