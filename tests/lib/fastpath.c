/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Consumers and producers in one process.
 */
#include "fastpath.h"
#include "test.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
#include "core/pe.h"

#define IDLE_ROUNDS 4
#define ROUNDS_MAX  100000
#define BUFS	    256

/*
 * Memory
 */

void memory_init(struct memory *memory, size_t size, uint32_t permissions)
{
	memory->size = size;
	memory->addr = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	must(memory->addr != MAP_FAILED);
	must(!doca_mmap_create(&memory->mmap));
	must(!doca_mmap_set_memrange(memory->mmap, memory->addr, size));
	must(!doca_mmap_set_permissions(memory->mmap, permissions));
	must(!doca_mmap_start(memory->mmap));
	must(!doca_buf_inventory_create(BUFS, &memory->inventory));
	must(!doca_buf_inventory_start(memory->inventory));
}

void memory_fini(struct memory *memory)
{
	if (!memory->mmap)
		return;
	must(!doca_buf_inventory_destroy(memory->inventory));
	must(!doca_mmap_destroy(memory->mmap));
	munmap(memory->addr, memory->size);
	memory->mmap = NULL;
}

struct doca_buf *memory_room(struct memory *memory, size_t offset, size_t size)
{
	struct doca_buf *buf;

	must(!doca_buf_inventory_buf_get_by_addr(memory->inventory, memory->mmap,
						 memory->addr + offset, size, &buf));
	return buf;
}

struct doca_buf *memory_data(struct memory *memory, size_t offset, size_t size)
{
	struct doca_buf *buf;

	must(!doca_buf_inventory_buf_get_by_data(memory->inventory, memory->mmap,
						 memory->addr + offset, size, &buf));
	return buf;
}

/*
 * Callbacks
 */

static void state_changed(const union doca_data user_data, struct doca_ctx *ctx,
			  enum doca_ctx_states prev, enum doca_ctx_states next)
{
	struct fast_end *end = user_data.ptr;

	must(ctx == end->ctx && end_state(end) == next);
	must(prev == (end->state_count ? end->states[(end->state_count - 1) % FAST_STATES]
				       : DOCA_CTX_STATE_IDLE));
	end->states[end->state_count++ % FAST_STATES] = next;
	if (end->on_state)
		end->on_state(end, next);
}

static void give_buf_back(const struct doca_buf *buf)
{
	if (buf)
		must(!doca_buf_dec_refcount((struct doca_buf *)buf, NULL));
}

static void note_message(struct fast_end *end, struct doca_comch_consumer_task_post_recv *task)
{
	struct doca_buf *buf = doca_comch_consumer_task_post_recv_get_buf(task);
	const uint8_t *imm = doca_comch_consumer_task_post_recv_get_imm_data(task);

	end->size = 0;
	if (buf)
		must(!doca_buf_get_data_len(buf, &end->size));
	end->producer_id = doca_comch_consumer_task_post_recv_get_producer_id(task);
	end->imm_size = doca_comch_consumer_task_post_recv_get_imm_data_len(task);
	must(!imm == !end->imm_size && end->imm_size <= sizeof(end->imm));
	if (imm)
		memcpy(end->imm, imm, end->imm_size);
}

static void received(struct doca_comch_consumer_task_post_recv *task, union doca_data task_data,
		     union doca_data ctx_data)
{
	struct doca_task *base = doca_comch_consumer_task_post_recv_as_task(task);
	struct fast_end *end = ctx_data.ptr;

	(void)task_data;
	end->status = doca_task_get_status(base);
	if (end->status) {
		end->failed++;
	} else {
		end->done++;
		note_message(end, task);
	}
	if (end->on_received) {
		end->on_received(end, task, end->status);
		return;
	}
	give_buf_back(doca_comch_consumer_task_post_recv_get_buf(task));
	doca_task_free(base);
}

static void sent(struct doca_comch_producer_task_send *task, union doca_data task_data,
		 union doca_data ctx_data)
{
	struct doca_task *base = doca_comch_producer_task_send_as_task(task);
	struct fast_end *end = ctx_data.ptr;

	(void)task_data;
	end->status = doca_task_get_status(base);
	if (end->status)
		end->failed++;
	else
		end->done++;
	if (end->on_sent) {
		end->on_sent(end, task, end->status);
		return;
	}
	give_buf_back(doca_comch_producer_task_send_get_buf(task));
	doca_task_free(base);
}

static void hear(struct side *side, uint32_t id, bool born)
{
	struct fastpath *fastpath = container_of(side->world, struct fastpath, world);
	struct rumour *rumour = side->server ? &fastpath->server_heard : &fastpath->client_heard;

	rumour->id = id;
	if (born)
		rumour->born++;
	else
		rumour->expired++;
}

static struct side *side_of(struct doca_comch_connection *connection)
{
	struct doca_comch_server *server = doca_comch_server_get_server_ctx(connection);
	union doca_data data;

	must(!doca_ctx_get_user_data(
		server ? doca_comch_server_as_ctx(server)
		       : doca_comch_client_as_ctx(doca_comch_client_get_client_ctx(connection)),
		&data));
	return data.ptr;
}

static void born(struct doca_comch_event_consumer *event, struct doca_comch_connection *connection,
		 uint32_t id)
{
	(void)event;
	hear(side_of(connection), id, true);
}

static void expired(struct doca_comch_event_consumer *event,
		    struct doca_comch_connection *connection, uint32_t id)
{
	(void)event;
	hear(side_of(connection), id, false);
}

/*
 * Ends
 */

static struct fast_end *add_end(struct fastpath *fastpath, struct side *side, size_t memory,
				uint32_t permissions)
{
	struct fast_end *end = &fastpath->ends[fastpath->end_count++];

	must(fastpath->end_count <= FAST_ENDS);
	memset(end, 0, sizeof(*end));
	end->fastpath = fastpath;
	end->side = side;
	if (memory)
		memory_init(&end->memory, memory, permissions);
	return end;
}

static void set_up(struct fast_end *end, struct doca_ctx *ctx, struct doca_pe *pe)
{
	end->ctx = ctx;
	must(!doca_ctx_set_user_data(ctx, (union doca_data){.ptr = end}));
	must(!doca_ctx_set_state_changed_cb(ctx, state_changed));
	if (!pe)
		must(!doca_pe_create(&end->pe));
	must(!doca_pe_connect_ctx(pe ? pe : end->pe, ctx));
}

void end_set_tasks(struct fast_end *end, uint32_t count)
{
	if (end->consumer)
		must(!doca_comch_consumer_task_post_recv_set_conf(end->consumer, received, received,
								  count));
	else
		must(!doca_comch_producer_task_send_set_conf(end->producer, sent, sent, count));
}

/* pe: NULL: one of its own */
static struct fast_end *new_consumer(struct fastpath *fastpath, struct side *side, size_t memory,
				     struct doca_pe *pe)
{
	struct fast_end *end = add_end(fastpath, side, memory, DOCA_ACCESS_FLAG_PCI_READ_WRITE);

	must(!doca_comch_consumer_create(side_connection(side), end->memory.mmap, &end->consumer));
	set_up(end, doca_comch_consumer_as_ctx(end->consumer), pe);
	end_set_tasks(end, FAST_TASKS);
	must(!doca_comch_consumer_get_id(end->consumer, &end->id));
	return end;
}

struct fast_end *add_consumer(struct fastpath *fastpath, struct side *side, size_t memory)
{
	return new_consumer(fastpath, side, memory, NULL);
}

struct fast_end *add_consumer_beside(struct fastpath *fastpath, struct side *side, size_t memory)
{
	return new_consumer(fastpath, side, memory, side->pe);
}

struct fast_end *add_consumer_with(struct fast_end *other, size_t memory)
{
	return new_consumer(other->fastpath, other->side, memory, other->pe);
}

struct fast_end *add_producer(struct fastpath *fastpath, struct side *side, size_t memory)
{
	struct fast_end *end = add_end(fastpath, side, memory, DOCA_ACCESS_FLAG_PCI_READ_ONLY);

	must(!doca_comch_producer_create(side_connection(side), &end->producer));
	set_up(end, doca_comch_producer_as_ctx(end->producer), NULL);
	end_set_tasks(end, FAST_TASKS);
	must(!doca_comch_producer_get_id(end->producer, &end->id));
	return end;
}

enum doca_ctx_states end_state(const struct fast_end *end)
{
	enum doca_ctx_states state;

	must(!doca_ctx_get_state(end->ctx, &state));
	return state;
}

void end_run(struct fast_end *end)
{
	must(doca_ctx_start(end->ctx) == (end->consumer ? DOCA_ERROR_IN_PROGRESS : DOCA_SUCCESS));
	fastpath_settle(end->fastpath);
	must(end_state(end) == DOCA_CTX_STATE_RUNNING);
}

bool end_progress(struct fast_end *end)
{
	return end->pe && priv_pe_work(end->pe);
}

static void destroy_object(struct fast_end *end)
{
	if (end->consumer)
		must(!doca_comch_consumer_destroy(end->consumer));
	if (end->producer)
		must(!doca_comch_producer_destroy(end->producer));
	end->consumer = NULL;
	end->producer = NULL;
	end->ctx = NULL;
}

void end_destroy(struct fast_end *end)
{
	if (end->ctx)
		destroy_object(end);
	if (end->pe)
		must(!doca_pe_destroy(end->pe));
	end->pe = NULL;
	memory_fini(&end->memory);
}

/*
 * Tasks
 */

static doca_error_t submit(struct doca_task *task, const struct doca_buf *buf)
{
	doca_error_t err = doca_task_submit(task);

	if (err) {
		doca_task_free(task);
		give_buf_back(buf);
	}
	return err;
}

doca_error_t end_post_buf(struct fast_end *consumer, struct doca_buf *buf)
{
	struct doca_comch_consumer_task_post_recv *task;
	doca_error_t err;

	err = doca_comch_consumer_task_post_recv_alloc_init(consumer->consumer, buf, &task);
	if (err) {
		give_buf_back(buf);
		return err;
	}
	return submit(doca_comch_consumer_task_post_recv_as_task(task), buf);
}

doca_error_t end_post(struct fast_end *consumer, size_t offset, size_t room)
{
	return end_post_buf(consumer, room ? memory_room(&consumer->memory, offset, room) : NULL);
}

doca_error_t end_send_imm(struct fast_end *producer, struct doca_buf *buf, const void *imm,
			  uint32_t imm_size, uint32_t consumer_id)
{
	struct doca_comch_producer_task_send *task;
	doca_error_t err;

	err = doca_comch_producer_task_send_alloc_init(producer->producer, buf, (uint8_t *)imm,
						       imm_size, consumer_id, &task);
	if (err) {
		give_buf_back(buf);
		return err;
	}
	return submit(doca_comch_producer_task_send_as_task(task), buf);
}

doca_error_t end_send(struct fast_end *producer, size_t offset, size_t size, uint32_t consumer_id)
{
	struct doca_buf *buf = size ? memory_data(&producer->memory, offset, size) : NULL;

	return end_send_imm(producer, buf, NULL, 0, consumer_id);
}

/*
 * All together
 */

static bool progress_all(struct fastpath *fastpath)
{
	bool done = world_progress(&fastpath->world);
	unsigned int i;

	for (i = 0; i < fastpath->end_count; i++)
		done |= end_progress(&fastpath->ends[i]);
	return done;
}

void fastpath_settle(struct fastpath *fastpath)
{
	unsigned int rounds = 0, idle = 0;

	while (idle < IDLE_ROUNDS) {
		idle = progress_all(fastpath) ? 0 : idle + 1;
		must(rounds++ < ROUNDS_MAX);
	}
}

static struct side *listen_for_consumers(struct side *side)
{
	if (side->server)
		must(!doca_comch_server_event_consumer_register(side->server, born, expired));
	else
		must(!doca_comch_client_event_consumer_register(side->client, born, expired));
	return side;
}

/* a server and a client that are connected and listen for each other's consumers */
static void init(struct fastpath *fastpath, enum world_links links)
{
	const char *name = world_unique("fast");

	memset(fastpath, 0, sizeof(*fastpath));
	world_init(&fastpath->world, links);
	fastpath->pair.server =
		listen_for_consumers(world_add_server(&fastpath->world, HOST_PF0, name));
	fastpath->pair.client =
		listen_for_consumers(world_add_client(&fastpath->world, HOST_PF0, name));
	side_run(fastpath->pair.server);
	side_run(fastpath->pair.client);
}

/* stops and destroys what is left; false: something leaked */
static bool fini(struct fastpath *fastpath)
{
	unsigned int i;

	for (i = 0; i < fastpath->end_count; i++) {
		struct fast_end *end = &fastpath->ends[i];

		end->on_state = NULL;
		end->on_received = NULL;
		end->on_sent = NULL;
		if (end->ctx && end_state(end) != DOCA_CTX_STATE_IDLE)
			doca_ctx_stop(end->ctx);
	}
	fastpath_settle(fastpath);
	for (i = 0; i < fastpath->end_count; i++)
		end_destroy(&fastpath->ends[i]);
	return world_fini(&fastpath->world);
}

static int set_up_scene(void **state, enum world_links links)
{
	*state = calloc(1, sizeof(struct fastpath));
	init(*state, links);
	return 0;
}

int fastpath_setup(void **state)
{
	return set_up_scene(state, WORLD_SIM);
}

int fastpath_setup_shm(void **state)
{
	return set_up_scene(state, WORLD_SHM);
}

int fastpath_teardown(void **state)
{
	bool clean = fini(*state);

	free(*state);
	return clean ? 0 : -1;
}
