/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * comch and cc as generations: built once for each age, as programs of that age are.
 */
#include "generation.h"

#include <stdlib.h>
#include <string.h>
#include "base/list.h"
#include "doca_buf.h"
#include "doca_buf_inventory.h"
#include "doca_mmap.h"
#include "generation_names.h"
#include "world.h"

#define SEND_TASKS 16
#define BUFFERS	   2 /* that a consumer lends; the producer has one more */

/* One that has come. */
struct message {
	struct list_node node;
	struct peer *from;
	uint32_t size;
	uint8_t data[];
};

struct fast {
	struct NAME(consumer) * consumer;
	struct NAME(producer) * producer;
	uint32_t peer_consumer; /* its id; 0: not known */
	struct doca_mmap *mmap;
	struct doca_buf_inventory *inventory;
	uint8_t (*memory)[GENERATION_FAST_SIZE]; /* of BUFFERS + 1 */
	struct doca_buf *taken;			 /* the one that has come back */
	bool is_sent;
};

struct ctx_end {
	struct end base;
	struct doca_dev *dev;
	struct doca_dev_rep *rep;
	struct doca_pe *pe;
	struct NAME(server) * server;
	struct NAME(client) * client;
	struct doca_ctx *ctx;
	enum end_state state;
	struct list_node messages;
	struct fast fast;
};

static struct ctx_end *ctx_of(struct end *end)
{
	return (struct ctx_end *)end;
}

static struct NAME(connection) * connection_of(struct ctx_end *end, struct peer *peer)
{
	struct NAME(connection) *connection = (struct NAME(connection) *)peer;

	if (!peer && NAME(client_get_connection)(end->client, &connection))
		return NULL;
	return connection;
}

/*
 * Callbacks
 */

static struct ctx_end *owner_of(struct NAME(connection) * connection)
{
	struct NAME(server) *server = NAME(server_get_server_ctx)(connection);
	struct doca_ctx *ctx =
		server ? NAME(server_as_ctx)(server)
		       : NAME(client_as_ctx)(NAME(client_get_client_ctx)(connection));
	union doca_data data;

	must(!doca_ctx_get_user_data(ctx, &data));
	return data.ptr;
}

static void sent(struct task_send *task, union doca_data task_data, union doca_data ctx_data)
{
	(void)ctx_data;
	free(task_data.ptr);
	doca_task_free(send_as_task(task));
}

static void received(struct NAME(event_msg_recv) * event, uint8_t *msg, msg_size_t size,
		     struct NAME(connection) * connection)
{
	struct ctx_end *end = owner_of(connection);
	struct message *message = malloc(sizeof(*message) + size);

	(void)event;
	must(message && size <= 65535);
	message->from = end->server ? (struct peer *)connection : NULL;
	message->size = (uint32_t)size;
	memcpy(message->data, msg, size);
	list_add_tail(&end->messages, &message->node);
}

static void came_or_went(struct NAME(event_connection_status_changed) * event,
			 struct NAME(connection) * connection, success_t success)
{
	(void)event;
	(void)connection;
	must(success == true || success == false);
}

static void new_consumer(struct NAME(event_consumer) * event, struct NAME(connection) * connection,
			 uint32_t id)
{
	(void)event;
	owner_of(connection)->fast.peer_consumer = id;
}

static void expired_consumer(struct NAME(event_consumer) * event,
			     struct NAME(connection) * connection, uint32_t id)
{
	struct ctx_end *end = owner_of(connection);

	(void)event;
	must(id == end->fast.peer_consumer);
	end->fast.peer_consumer = 0;
}

static void state_changed(const union doca_data data, struct doca_ctx *ctx,
			  enum doca_ctx_states prev, enum doca_ctx_states next)
{
	struct ctx_end *end = data.ptr;

	(void)ctx;
	(void)prev;
	if (next == DOCA_CTX_STATE_RUNNING)
		end->state = END_OPEN;
	else if (next == DOCA_CTX_STATE_IDLE)
		end->state = END_OVER;
}

/*
 * Life
 */

static struct ctx_end *ctx_new(const char *dev_pci)
{
	struct ctx_end *end = calloc(1, sizeof(*end));

	must(end);
	end->base.generation = &GENERATION;
	list_init(&end->messages);
	end->dev = open_dev(dev_pci);
	must(!doca_pe_create(&end->pe));
	return end;
}

static void set_up(struct ctx_end *end, struct doca_ctx *ctx)
{
	end->ctx = ctx;
	must(!doca_ctx_set_user_data(ctx, (union doca_data){.ptr = end}));
	must(!doca_ctx_set_state_changed_cb(ctx, state_changed));
	must(!doca_pe_connect_ctx(end->pe, ctx));
}

static bool ctx_is_idle(struct doca_ctx *ctx)
{
	enum doca_ctx_states state;

	must(!doca_ctx_get_state(ctx, &state));
	return state == DOCA_CTX_STATE_IDLE;
}

/* Stops a context of the end and waits until it is idle. */
static void come_to_rest(struct ctx_end *end, struct doca_ctx *ctx)
{
	doca_error_t err;

	if (ctx_is_idle(ctx))
		return;
	err = doca_ctx_stop(ctx);
	must(!err || err == DOCA_ERROR_IN_PROGRESS);
	while (!ctx_is_idle(ctx))
		doca_pe_progress(end->pe);
}

static void ctx_close(struct end *base)
{
	struct ctx_end *end = ctx_of(base);
	struct list_node *node;

	come_to_rest(end, end->ctx);
	if (end->server)
		must(!NAME(server_destroy)(end->server));
	else
		must(!NAME(client_destroy)(end->client));
	must(!doca_pe_destroy(end->pe));
	if (end->rep)
		must(!doca_dev_rep_close(end->rep));
	must(!doca_dev_close(end->dev));
	while ((node = list_pop(&end->messages)))
		free(container_of(node, struct message, node));
	free(end);
}

static doca_error_t ctx_serve(const char *service, uint32_t msg_size, struct end **ret_end)
{
	struct ctx_end *end = ctx_new(DPU_PF0);
	doca_error_t err;

	end->rep = open_rep(end->dev, HOST_PF0);
	must(!NAME(server_create)(end->dev, end->rep, service, &end->server));
	set_up(end, NAME(server_as_ctx)(end->server));
	if (msg_size)
		must(!NAME(server_set_max_msg_size)(end->server, msg_size));
	must(!server_send_set_conf(end->server, sent, sent, SEND_TASKS));
	must(!NAME(server_event_msg_recv_register)(end->server, received));
	must(!server_register_connection(end->server, came_or_went, came_or_went));
	must(!NAME(server_event_consumer_register)(end->server, new_consumer, expired_consumer));
	err = doca_ctx_start(end->ctx);
	if (err)
		ctx_close(&end->base);
	else
		*ret_end = &end->base;
	return err;
}

static void ctx_connect(struct end *base)
{
	struct ctx_end *end = ctx_of(base);

	end->state = END_CONNECTING;
	must(doca_ctx_start(end->ctx) == DOCA_ERROR_IN_PROGRESS);
}

static struct end *ctx_call(const char *service, uint32_t msg_size)
{
	struct ctx_end *end = ctx_new(HOST_PF0);

	must(!NAME(client_create)(end->dev, service, &end->client));
	set_up(end, NAME(client_as_ctx)(end->client));
	if (msg_size)
		must(!NAME(client_set_max_msg_size)(end->client, msg_size));
	must(!client_send_set_conf(end->client, sent, sent, SEND_TASKS));
	must(!NAME(client_event_msg_recv_register)(end->client, received));
	must(!NAME(client_event_consumer_register)(end->client, new_consumer, expired_consumer));
	ctx_connect(&end->base);
	return &end->base;
}

static void ctx_disconnect(struct end *base, struct peer *peer)
{
	struct ctx_end *end = ctx_of(base);

	if (end->server)
		must(!NAME(server_disconnect)(end->server, connection_of(end, peer)));
	else
		come_to_rest(end, end->ctx);
}

static void ctx_progress(struct end *base)
{
	doca_pe_progress(ctx_of(base)->pe);
}

static enum end_state ctx_state(struct end *base)
{
	return ctx_of(base)->state;
}

/*
 * Messages
 */

static doca_error_t ctx_send(struct end *base, struct peer *peer, const void *msg, uint32_t size)
{
	struct ctx_end *end = ctx_of(base);
	struct NAME(connection) *connection = connection_of(end, peer);
	union doca_data copy = {.ptr = malloc(size)};
	struct task_send *task;
	doca_error_t err = DOCA_ERROR_NOT_CONNECTED;

	must(copy.ptr);
	memcpy(copy.ptr, msg, size);
	if (end->server)
		err = server_send_alloc(end->server, connection, copy.ptr, size, &task);
	else if (connection)
		err = client_send_alloc(end->client, connection, copy.ptr, size, &task);
	if (err) {
		free(copy.ptr);
		return err == DOCA_ERROR_NO_MEMORY ? DOCA_ERROR_AGAIN : err;
	}
	doca_task_set_user_data(send_as_task(task), copy);
	must(!doca_task_submit(send_as_task(task)));
	return DOCA_SUCCESS;
}

static doca_error_t ctx_receive(struct end *base, void *msg, uint32_t *size, struct peer **ret_peer)
{
	struct ctx_end *end = ctx_of(base);
	struct message *message;

	doca_pe_progress(end->pe);
	if (list_is_empty(&end->messages))
		return DOCA_ERROR_AGAIN;
	message = container_of(list_pop(&end->messages), struct message, node);
	memcpy(msg, message->data, message->size);
	*size = message->size;
	*ret_peer = message->from;
	free(message);
	return DOCA_SUCCESS;
}

/*
 * The fast path
 */

static void posted_done(struct task_post_recv *task, union doca_data task_data,
			union doca_data ctx_data)
{
	struct ctx_end *end = ctx_data.ptr;
	struct doca_task *base = post_recv_as_task(task);

	if (doca_task_get_status(base)) { /* the consumer stops */
		must(!doca_buf_dec_refcount(task_data.ptr, NULL));
	} else {
		must(!end->fast.taken);
		end->fast.taken = task_data.ptr;
	}
	doca_task_free(base);
}

static void produced(struct task_produce *task, union doca_data task_data, union doca_data ctx_data)
{
	struct ctx_end *end = ctx_data.ptr;

	end->fast.is_sent = !doca_task_get_status(produce_as_task(task));
	must(!doca_buf_dec_refcount(task_data.ptr, NULL));
	doca_task_free(produce_as_task(task));
}

static void start_fast(struct ctx_end *end, struct doca_ctx *ctx)
{
	doca_error_t err;

	must(!doca_ctx_set_user_data(ctx, (union doca_data){.ptr = end}));
	must(!doca_pe_connect_ctx(end->pe, ctx));
	err = doca_ctx_start(ctx);
	must(!err || err == DOCA_ERROR_IN_PROGRESS);
}

static void lend_memory(struct ctx_end *end)
{
	struct fast *fast = &end->fast;
	size_t size = (BUFFERS + 1) * sizeof(*fast->memory);

	fast->memory = malloc(size);
	must(fast->memory);
	must(!doca_mmap_create(&fast->mmap));
	must(!doca_mmap_add_dev(fast->mmap, end->dev));
	must(!doca_mmap_set_memrange(fast->mmap, fast->memory, size));
	must(!doca_mmap_set_permissions(fast->mmap, DOCA_ACCESS_FLAG_PCI_READ_WRITE));
	must(!doca_mmap_start(fast->mmap));
	must(!doca_buf_inventory_create(BUFFERS + 1, &fast->inventory));
	must(!doca_buf_inventory_start(fast->inventory));
}

static void fast_open(struct end *base, struct peer *peer)
{
	struct ctx_end *end = ctx_of(base);
	struct NAME(connection) *connection = connection_of(end, peer);
	struct fast *fast = &end->fast;

	lend_memory(end);
	must(!NAME(consumer_create)(connection, fast->mmap, &fast->consumer));
	must(!post_recv_set_conf(fast->consumer, posted_done, posted_done, COUNT(1)));
	start_fast(end, NAME(consumer_as_ctx)(fast->consumer));
	must(!NAME(producer_create)(connection, &fast->producer));
	must(!produce_set_conf(fast->producer, produced, produced, COUNT(1)));
	start_fast(end, NAME(producer_as_ctx)(fast->producer));
}

static bool fast_is_up(struct end *base)
{
	const struct fast *fast = &ctx_of(base)->fast;
	enum doca_ctx_states state;

	must(!doca_ctx_get_state(NAME(consumer_as_ctx)(fast->consumer), &state));
	return state == DOCA_CTX_STATE_RUNNING && fast->peer_consumer;
}

static void fast_post(struct end *base, unsigned int buffer)
{
	struct fast *fast = &ctx_of(base)->fast;
	struct task_post_recv *task;
	struct doca_buf *buf;

	must(buffer < BUFFERS);
	must(!doca_buf_inventory_buf_get_by_addr(fast->inventory, fast->mmap, fast->memory[buffer],
						 GENERATION_FAST_SIZE, &buf));
	must(!post_recv_alloc(fast->consumer, buf, &task));
	doca_task_set_user_data(post_recv_as_task(task), (union doca_data){.ptr = buf});
	must(!doca_task_submit(post_recv_as_task(task)));
}

static const uint8_t *fast_take(struct end *base, uint32_t *ret_size)
{
	struct fast *fast = &ctx_of(base)->fast;
	size_t size;
	void *data;

	if (!fast->taken)
		return NULL;
	must(!doca_buf_get_data(fast->taken, &data));
	must(!doca_buf_get_data_len(fast->taken, &size));
	must(!doca_buf_dec_refcount(fast->taken, NULL));
	fast->taken = NULL;
	*ret_size = (uint32_t)size;
	return data;
}

static void fast_send(struct end *base, const void *data, uint32_t size)
{
	struct fast *fast = &ctx_of(base)->fast;
	struct task_produce *task;
	struct doca_buf *buf;

	memcpy(fast->memory[BUFFERS], data, size);
	must(!doca_buf_inventory_buf_get_by_data(fast->inventory, fast->mmap, fast->memory[BUFFERS],
						 size, &buf));
	must(!produce_alloc(fast->producer, buf, fast->peer_consumer, &task));
	doca_task_set_user_data(produce_as_task(task), (union doca_data){.ptr = buf});
	fast->is_sent = false;
	must(!doca_task_submit(produce_as_task(task)));
}

static bool fast_is_sent(struct end *base)
{
	return ctx_of(base)->fast.is_sent;
}

static void fast_close(struct end *base)
{
	struct ctx_end *end = ctx_of(base);
	struct fast *fast = &end->fast;

	come_to_rest(end, NAME(producer_as_ctx)(fast->producer));
	must(!NAME(producer_destroy)(fast->producer));
	come_to_rest(end, NAME(consumer_as_ctx)(fast->consumer));
	must(!NAME(consumer_destroy)(fast->consumer));
	must(!doca_buf_inventory_destroy(fast->inventory));
	must(!doca_mmap_destroy(fast->mmap));
	free(fast->memory);
}

const struct generation GENERATION = {
	.name = GENERATION_TITLE,
	.insists_on_size = true,
	.serve = ctx_serve,
	.call = ctx_call,
	.connect = ctx_connect,
	.state = ctx_state,
	.close = ctx_close,
	.disconnect = ctx_disconnect,
	.progress = ctx_progress,
	.send = ctx_send,
	.receive = ctx_receive,
	.fast_open = fast_open,
	.fast_is_up = fast_is_up,
	.fast_post = fast_post,
	.fast_take = fast_take,
	.fast_send = fast_send,
	.fast_is_sent = fast_is_sent,
	.fast_close = fast_close,
};
