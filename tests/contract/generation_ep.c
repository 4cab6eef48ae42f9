/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Endpoints as a generation: built once for each form, as programs of that age are.
 */
#include "generation.h"

#include <stdlib.h>
#include <string.h>
#include "doca_comm_channel.h"
#include "world.h"

#define MSG_SIZE_MAX 4080

struct ep_end {
	struct end base;
	const char *service;
	struct doca_dev *dev;
	struct doca_dev_rep *rep;
	struct doca_comm_channel_ep_t *ep;
	struct doca_comm_channel_addr_t *addr; /* client's; NULL: not connected */
	enum end_state state;
	/* what progress() came across */
	uint8_t msg[MSG_SIZE_MAX];
	size_t size; /* 0: nothing */
	struct doca_comm_channel_addr_t *from;
};

static struct ep_end *ep_of(struct end *end)
{
	return (struct ep_end *)end;
}

#ifdef DOCA_COMM_CHANNEL_LEGACY_1_4

#define GENERATION comm_channel_1_4

static void set_up(struct ep_end *end, bool is_service, uint32_t msg_size)
{
	struct doca_comm_channel_init_attr attr = {
		.flags = DOCA_CC_INIT_FLAG_NONBLOCK,
		.maxmsgs = 64,
		.msgsize = msg_size ? msg_size : MSG_SIZE_MAX,
	};

	(void)is_service;
	must(!doca_comm_channel_ep_create(&attr, &end->ep));
}

#else

#define GENERATION comm_channel_2_2

static void set_up(struct ep_end *end, bool is_service, uint32_t msg_size)
{
	end->dev = open_dev(is_service ? DPU_PF0 : HOST_PF0);
	must(!doca_comm_channel_ep_create(&end->ep));
	must(!doca_comm_channel_ep_set_device(end->ep, end->dev));
	must(!doca_comm_channel_ep_set_max_msg_size(end->ep,
						    msg_size ? (uint16_t)msg_size : MSG_SIZE_MAX));
	must(!doca_comm_channel_ep_set_send_queue_size(end->ep, 64));
	must(!doca_comm_channel_ep_set_recv_queue_size(end->ep, 64));
	if (!is_service)
		return;
	end->rep = open_rep(end->dev, HOST_PF0);
	must(!doca_comm_channel_ep_set_device_rep(end->ep, end->rep));
}

#endif

static struct ep_end *ep_new(const char *service, bool is_service, uint32_t msg_size)
{
	struct ep_end *end = calloc(1, sizeof(*end));

	must(end);
	end->base.generation = &GENERATION;
	end->service = service;
	set_up(end, is_service, msg_size);
	return end;
}

static void ep_close(struct end *base)
{
	struct ep_end *end = ep_of(base);

	must(!doca_comm_channel_ep_destroy(end->ep));
	if (end->rep)
		must(!doca_dev_rep_close(end->rep));
	if (end->dev)
		must(!doca_dev_close(end->dev));
	free(end);
}

static doca_error_t ep_serve(const char *service, uint32_t msg_size, struct end **ret_end)
{
	struct ep_end *end = ep_new(service, true, msg_size);
	doca_error_t err = doca_comm_channel_ep_listen(end->ep, service);

	if (err)
		ep_close(&end->base);
	else
		*ret_end = &end->base;
	return err;
}

static void ep_connect(struct end *base)
{
	struct ep_end *end = ep_of(base);
	doca_error_t err = doca_comm_channel_ep_connect(end->ep, end->service, &end->addr);

	must(!err || err == DOCA_ERROR_CONNECTION_ABORTED);
	if (err)
		end->addr = NULL;
	end->state = err ? END_OVER : END_CONNECTING;
}

static struct end *ep_call(const char *service, uint32_t msg_size)
{
	struct ep_end *end = ep_new(service, false, msg_size);

	ep_connect(&end->base);
	return &end->base;
}

static void ep_disconnect(struct end *base, struct peer *peer)
{
	struct ep_end *end = ep_of(base);
	struct doca_comm_channel_addr_t *addr =
		peer ? (struct doca_comm_channel_addr_t *)peer : end->addr;

	must(!doca_comm_channel_ep_disconnect(end->ep, addr));
	end->addr = NULL;
	end->state = END_OVER;
}

static void ep_progress(struct end *base)
{
	struct ep_end *end = ep_of(base);
	doca_error_t err;

	if (end->size)
		return;
	end->size = sizeof(end->msg);
	err = doca_comm_channel_ep_recvfrom(end->ep, end->msg, &end->size, DOCA_CC_MSG_FLAG_NONE,
					    &end->from);
	if (!err)
		return;
	end->size = 0;
	must(err == DOCA_ERROR_AGAIN || err == DOCA_ERROR_CONNECTION_RESET ||
	     err == DOCA_ERROR_CONNECTION_ABORTED || err == DOCA_ERROR_NOT_CONNECTED);
	if (err == DOCA_ERROR_CONNECTION_RESET)
		end->state = END_OVER;
}

static enum end_state ep_state(struct end *base)
{
	struct ep_end *end = ep_of(base);

	if (end->state != END_CONNECTING)
		return end->state;
	switch (doca_comm_channel_peer_addr_update_info(end->addr)) {
	case DOCA_SUCCESS:
		end->state = END_OPEN;
		break;
	case DOCA_ERROR_CONNECTION_INPROGRESS:
		break;
	default:
		end->state = END_OVER;
	}
	return end->state;
}

static doca_error_t ep_send(struct end *base, struct peer *peer, const void *msg, uint32_t size)
{
	struct ep_end *end = ep_of(base);
	struct doca_comm_channel_addr_t *addr =
		peer ? (struct doca_comm_channel_addr_t *)peer : end->addr;

	return doca_comm_channel_ep_sendto(end->ep, msg, size, DOCA_CC_MSG_FLAG_NONE, addr);
}

static doca_error_t ep_receive(struct end *base, void *msg, uint32_t *size, struct peer **ret_peer)
{
	struct ep_end *end = ep_of(base);

	ep_progress(base);
	if (!end->size)
		return DOCA_ERROR_AGAIN;
	memcpy(msg, end->msg, end->size);
	*size = (uint32_t)end->size;
	*ret_peer = (struct peer *)end->from;
	end->size = 0;
	return DOCA_SUCCESS;
}

const struct generation GENERATION = {
#ifdef DOCA_COMM_CHANNEL_LEGACY_1_4
	.name = "comm_channel 1.4",
#else
	.name = "comm_channel 2.2",
#endif
	.serve = ep_serve,
	.call = ep_call,
	.connect = ep_connect,
	.state = ep_state,
	.close = ep_close,
	.disconnect = ep_disconnect,
	.progress = ep_progress,
	.send = ep_send,
	.receive = ep_receive,
};
