/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The connection manager of RDMA: hosts that want to connect, and those that hang up. One channel
 * brings the events of all ports and connections.
 */
#include "target.h"

#include <errno.h>
#include <fcntl.h>
#include <netdb.h>
#include <rdma/rdma_cma.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define BACKLOG 128

struct rdma_events {
	struct watched watched;
	struct rdma_event_channel *channel;
};

/* what a host asks for, copied out of its event */
struct request {
	struct rdma_cm_id *id;
	struct served_port *port;
	uint8_t data[CAPSULE_CM_SIZE];
	size_t size;
	uint8_t reads; /* of its memory, that we may have under way */
};

/*
 * Hosts
 */

static void refuse(struct rdma_cm_id *id, enum capsule_cm_status status)
{
	uint8_t answer[4];

	capsule_encode_cm_reject(answer, status);
	rdma_reject(id, answer, sizeof(answer));
	rdma_destroy_id(id);
}

static enum capsule_cm_status check_request(const struct request *request, uint16_t *ret_entries)
{
	struct capsule_cm_request wanted;
	uint32_t max;
	enum capsule_cm_status status =
		capsule_decode_cm_request(request->data, request->size, &wanted);

	if (status)
		return status;
	if (doca_sta_get_max_io_queue_size(request->port->target->sta, &max))
		return CAPSULE_CM_RESOURCES;
	if (wanted.hsqsize > max)
		return CAPSULE_CM_HSQSIZE;
	if (!request->reads) /* where would the data of its writes come from? */
		return CAPSULE_CM_IRD;
	*ret_entries = wanted.hsqsize;
	return CAPSULE_CM_OK;
}

/* the address that the host has connected to */
static void local_address(struct rdma_cm_id *id, char *addr, size_t size)
{
	const struct sockaddr *local = rdma_get_local_addr(id);
	socklen_t length = local->sa_family == AF_INET6 ? sizeof(struct sockaddr_in6)
							: sizeof(struct sockaddr_in);

	addr[0] = '\0';
	getnameinfo(local, length, addr, (socklen_t)size, NULL, 0, NI_NUMERICHOST);
}

static void on_request(const struct request *request)
{
	struct rdma_cm_id *id = request->id;
	uint8_t answer[CAPSULE_CM_SIZE];
	char addr[NVMF_TRADDR_SIZE];
	uint16_t entries = 0;
	enum capsule_cm_status status = check_request(request, &entries);
	struct conn *conn = status ? NULL : conn_new(request->port->target);

	if (!conn) {
		refuse(id, status ? status : CAPSULE_CM_RESOURCES);
		return;
	}
	local_address(id, addr, sizeof(addr));
	capsule_encode_cm_accept(answer, entries);
	if (conn_accept_rdma(conn, request->port, id, answer, addr))
		id->context = conn;
}

/* acknowledged before anything is done: destroying an identifier waits for that */
static void on_event(struct rdma_cm_event *event)
{
	const struct rdma_conn_param *param = &event->param.conn;
	enum rdma_cm_event_type type = event->event;
	struct rdma_cm_id *id = event->id;
	struct request request = {.id = id};

	if (type == RDMA_CM_EVENT_CONNECT_REQUEST) {
		request.port = event->listen_id->context;
		/* the connection manager pads private data */
		request.size = param->private_data_len < sizeof(request.data)
				       ? param->private_data_len
				       : sizeof(request.data);
		memcpy(request.data, param->private_data, request.size);
		request.reads = param->initiator_depth;
	}
	rdma_ack_cm_event(event);
	switch (type) {
	case RDMA_CM_EVENT_CONNECT_REQUEST:
		on_request(&request);
		break;
	case RDMA_CM_EVENT_ESTABLISHED:
		conn_established(id->context);
		break;
	case RDMA_CM_EVENT_DISCONNECTED:
	case RDMA_CM_EVENT_CONNECT_ERROR:
	case RDMA_CM_EVENT_UNREACHABLE:
	case RDMA_CM_EVENT_REJECTED:
		conn_hung_up(id->context);
		break;
	case RDMA_CM_EVENT_DEVICE_REMOVAL:
		fputs("softfield target: an RDMA device is being removed\n", stderr);
		break;
	default:
		break;
	}
}

static void on_events(struct watched *watched)
{
	struct rdma_events *events = container_of(watched, struct rdma_events, watched);
	struct rdma_cm_event *event;

	while (!rdma_get_cm_event(events->channel, &event))
		on_event(event);
}

/*
 * Ports
 */

static bool open_events(struct target *target)
{
	struct rdma_events *events = calloc(1, sizeof(*events));
	int flags;

	if (!events)
		return false;
	target->rdma = events;
	events->channel = rdma_create_event_channel();
	if (!events->channel)
		return false;
	events->watched = (struct watched){.fd = events->channel->fd, .ready = on_events};
	flags = fcntl(events->watched.fd, F_GETFL);
	return flags >= 0 && !fcntl(events->watched.fd, F_SETFL, flags | O_NONBLOCK) &&
	       net_watch(target, &events->watched);
}

static bool start_listening(struct served_port *port, struct addrinfo *info)
{
	const int on = 1;

	if (rdma_create_id(port->target->rdma->channel, &port->listener, port, RDMA_PS_TCP)) {
		port->listener = NULL;
		return false;
	}
	if (info->ai_family == AF_INET6)
		rdma_set_option(port->listener, RDMA_OPTION_ID, RDMA_OPTION_ID_AFONLY,
				(void *)(uintptr_t)&on, sizeof(on));
	return !rdma_bind_addr(port->listener, info->ai_addr) &&
	       !rdma_listen(port->listener, BACKLOG);
}

bool rdma_port_open(struct served_port *port, const char *addr, uint16_t number, char *why,
		    size_t why_size)
{
	struct addrinfo *info = net_resolve(addr, number, why, why_size);
	bool listening;

	if (!info)
		return false;
	listening =
		(port->target->rdma || open_events(port->target)) && start_listening(port, info);
	if (!listening)
		snprintf(why, why_size, "%s%s", strerror(errno),
			 errno == ENODEV || errno == EADDRNOTAVAIL
				 ? " (rdma link shows the RDMA devices)"
				 : "");
	freeaddrinfo(info);
	return listening;
}

void rdma_port_close(struct served_port *port)
{
	if (port->listener)
		rdma_destroy_id(port->listener);
	port->listener = NULL;
}

void rdma_close(struct target *target)
{
	struct rdma_events *events = target->rdma;

	if (!events)
		return;
	if (events->channel)
		rdma_destroy_event_channel(events->channel);
	free(events);
	target->rdma = NULL;
}
