/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A consumer and a producer, through the public API, while the input writes into the memory that
 * they share: lines and counters of the producer in one half of the inputs, posts and counters of
 * the consumer in the other. Every task comes back once, no byte outside of a posted buffer
 * changes, both contexts can be stopped, and nothing leaks.
 */
#include <assert.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "base/bell.h"
#include "base/clock.h"
#include "comch/consumer.h"
#include "comch/producer.h"
#include "doca_buf_inventory.h"
#include "link/sim.h"
#include "script.h"

#define MEMORY	32768u
#define TASKS	12u
#define CANARY	0x5a
#define ROUNDS	200u
#define IMM_MAX 16u /* that the consumer takes */

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* The connection; the same for all inputs. */
static struct {
	struct sim sim;
	struct party party;
	struct topo_faults no_faults;
	struct doca_pe *pe;
	struct doca_dev *dpu, *host;
	struct doca_dev_rep *rep;
	struct doca_comch_server *server;
	struct doca_comch_client *client;
	struct doca_comch_connection *connection; /* the server's */
} line;

struct scene {
	struct doca_pe *pe;
	char *memory;
	uint8_t lent[MEMORY]; /* bytes that were ever posted */
	struct doca_mmap *mmap;
	struct doca_buf_inventory *inventory;
	struct doca_comch_consumer *consumer;
	struct doca_comch_producer *producer;
	struct lane_shared *shared; /* the producer's own mapping would be another one */
	uint32_t consumer_id;
	unsigned int out;
	struct script *script;
	bool lies_as_producer;
};

/*
 * The connection
 */

static void no_message(struct doca_comch_event_msg_recv *event, uint8_t *msg, uint32_t size,
		       struct doca_comch_connection *connection)
{
	(void)event;
	(void)msg;
	(void)size;
	(void)connection;
}

static void connected(struct doca_comch_event_connection_status_changed *event,
		      struct doca_comch_connection *connection, uint8_t successful)
{
	(void)event;
	assert(successful);
	line.connection = connection;
}

static void no_task(struct doca_comch_task_send *task, union doca_data task_data,
		    union doca_data ctx_data)
{
	(void)task;
	(void)task_data;
	(void)ctx_data;
}

static struct doca_dev *open_dev(const char *pci)
{
	struct doca_devinfo **list;
	struct doca_dev *dev = NULL;
	uint32_t count, i;

	assert(!doca_devinfo_create_list(&list, &count));
	for (i = 0; i < count && !dev; i++) {
		uint8_t equal = 0;

		assert(!doca_devinfo_is_equal_pci_addr(list[i], pci, &equal));
		if (equal)
			assert(!doca_dev_open(list[i], &dev));
	}
	assert(!doca_devinfo_destroy_list(list) && dev);
	return dev;
}

static void open_rep(void)
{
	struct doca_devinfo_rep **list;
	uint32_t count;

	assert(!doca_devinfo_rep_create_list(line.dpu, DOCA_DEVINFO_REP_FILTER_ALL, &list, &count));
	assert(count && !doca_dev_rep_open(list[0], &line.rep));
	assert(!doca_devinfo_rep_destroy_list(list));
}

static void open_line(void)
{
	struct doca_ctx *ctx;

	priv_clock_virtual.on = true;
	priv_clock_virtual.now_ns = 1000000000;
	sim_init(&line.sim, 1);
	line.party = (struct party){
		.link_ops = &sim_link_ops, .link_data = &line.sim, .faults = &line.no_faults};
	priv_party_switch(&line.party);
	line.dpu = open_dev("0000:03:00.0");
	line.host = open_dev("0000:b1:00.0");
	open_rep();
	assert(!doca_pe_create(&line.pe));
	assert(!doca_comch_server_create(line.dpu, line.rep, "fuzz", &line.server));
	assert(!doca_comch_server_task_send_set_conf(line.server, no_task, no_task, 1));
	assert(!doca_comch_server_event_msg_recv_register(line.server, no_message));
	assert(!doca_comch_server_event_connection_status_changed_register(line.server, connected,
									   connected));
	ctx = doca_comch_server_as_ctx(line.server);
	assert(!doca_pe_connect_ctx(line.pe, ctx) && !doca_ctx_start(ctx));
	assert(!doca_comch_client_create(line.host, "fuzz", &line.client));
	assert(!doca_comch_client_task_send_set_conf(line.client, no_task, no_task, 1));
	assert(!doca_comch_client_event_msg_recv_register(line.client, no_message));
	ctx = doca_comch_client_as_ctx(line.client);
	assert(!doca_pe_connect_ctx(line.pe, ctx));
	assert(doca_ctx_start(ctx) == DOCA_ERROR_IN_PROGRESS);
}

static void progress(struct scene *scene)
{
	priv_clock_virtual.now_ns += 1000000;
	doca_pe_progress(line.pe);
	doca_pe_progress(scene->pe);
}

/*
 * Tasks
 */

static void act_inside(struct scene *scene);

static void received(struct doca_comch_consumer_task_post_recv *task, union doca_data task_data,
		     union doca_data ctx_data)
{
	struct doca_buf *buf = doca_comch_consumer_task_post_recv_get_buf(task);
	struct scene *scene = ctx_data.ptr;

	(void)task_data;
	assert(doca_comch_consumer_task_post_recv_get_imm_data_len(task) <= IMM_MAX);
	if (buf) {
		assert(buf->data_len <= buf->len);
		assert(!doca_buf_dec_refcount(buf, NULL));
	}
	assert(scene->out--);
	act_inside(scene);
	doca_task_free(doca_comch_consumer_task_post_recv_as_task(task));
}

static void sent(struct doca_comch_producer_task_send *task, union doca_data task_data,
		 union doca_data ctx_data)
{
	const struct doca_buf *buf = doca_comch_producer_task_send_get_buf(task);
	struct scene *scene = ctx_data.ptr;

	(void)task_data;
	if (buf)
		assert(!doca_buf_dec_refcount((struct doca_buf *)buf, NULL));
	assert(scene->out--);
	act_inside(scene);
	doca_task_free(doca_comch_producer_task_send_as_task(task));
}

static void act(struct scene *scene, struct script *script, bool lies_as_producer);

static void act_inside(struct scene *scene)
{
	if (scene->script && scene->script->pos < scene->script->end && scene->consumer->open &&
	    scene->producer->open)
		act(scene, scene->script, scene->lies_as_producer);
}

static void post(struct scene *scene, struct script *script)
{
	uint32_t offset = next_number(script) % MEMORY, room = next_byte(script) * 40u;
	struct doca_comch_consumer_task_post_recv *task;
	struct doca_buf *buf = NULL;

	if (room > MEMORY - offset)
		room = MEMORY - offset;
	if (room && doca_buf_inventory_buf_get_by_addr(scene->inventory, scene->mmap,
						       scene->memory + offset, room, &buf))
		return;
	if (doca_comch_consumer_task_post_recv_alloc_init(scene->consumer, buf, &task)) {
		if (buf)
			doca_buf_dec_refcount(buf, NULL);
		return;
	}
	if (doca_task_submit(doca_comch_consumer_task_post_recv_as_task(task))) {
		doca_task_free(doca_comch_consumer_task_post_recv_as_task(task));
		if (buf)
			doca_buf_dec_refcount(buf, NULL);
		return;
	}
	memset(scene->lent + offset, 1, room);
	scene->out++;
}

static void send(struct scene *scene, struct script *script)
{
	static uint8_t imm[LANE_IMM_MAX];
	uint32_t size = next_byte(script), imm_size = next_byte(script), kind = next_byte(script);
	uint32_t flags = kind & 1 ? DOCA_TASK_SUBMIT_FLAG_FLUSH : DOCA_TASK_SUBMIT_FLAG_NONE;
	struct doca_comch_producer_task_send *task;
	struct doca_buf *buf = NULL;

	size = kind & 2 ? size * 40u : size % 64;
	size = kind & 32 ? 200 : size; /* several make a batch */
	imm_size = kind & 4 ? imm_size % (kind & 8 ? IMM_MAX + 1 : LANE_IMM_MAX + 1) : 0;
	if (!(kind & 16) && doca_buf_inventory_buf_get_by_data(scene->inventory, scene->mmap,
							       scene->memory, size, &buf))
		return;
	if (doca_comch_producer_task_send_alloc_init(scene->producer, buf, imm, imm_size,
						     scene->consumer_id, &task)) {
		if (buf)
			doca_buf_dec_refcount(buf, NULL);
		return;
	}
	if (doca_task_submit_ex(doca_comch_producer_task_send_as_task(task), flags)) {
		doca_task_free(doca_comch_producer_task_send_as_task(task));
		if (buf)
			doca_buf_dec_refcount(buf, NULL);
		return;
	}
	scene->out++;
}

/*
 * What the other side writes
 */

static void forge_line(struct scene *scene, struct script *script)
{
	const struct lane_consumer *lane = &scene->consumer->fast.lane;
	uint32_t index = lane->line + next_byte(script) % 4, small = next_byte(script);
	struct lane_line *forged = &scene->shared->lines[index & lane->mask];
	struct lane_head head = {.size = next_number(script),
				 .producer_id = next_byte(script),
				 .imm_size = next_byte(script),
				 .inline_size = next_byte(script)};

	if (small & 1) { /* a run that may be possible */
		head.size %= 32;
		head.inline_size %= small & 2 ? LANE_INLINE + 1 : UINT8_MAX;
		head.imm_size = small & 4 ? head.imm_size % (IMM_MAX + 2) : 0;
		head.size = small & 8 ? 0 : head.size;
	} else if (small & 2) { /* a batch that may be */
		head.size %= 300;
		head.inline_size = LANE_INLINE + 1 + head.inline_size % LANE_BATCH;
		head.imm_size = 0;
	}
	forged->word = lane_pack_head(head);
	atomic_store(&forged->seq, index + 1);
}

static void forge_post(struct scene *scene, struct script *script)
{
	const struct lane_consumer *lane = &scene->consumer->fast.lane;
	struct lane_post *forged = &lane->posts[next_byte(script) & lane->post_mask];

	forged->offset = (uint64_t)next_number(script) << (next_byte(script) % 33);
	forged->room = next_number(script);
}

static void forge_counter(struct scene *scene, struct script *script, bool of_producer)
{
	struct lane_shared *shared = scene->shared;
	uint32_t value = next_number(script);

	if (of_producer)
		atomic_store(next_byte(script) & 1 ? &shared->started : &shared->producers.asleep,
			     value);
	else if (next_byte(script) & 1)
		atomic_store(&shared->posted, value);
	else
		atomic_store(next_byte(script) & 1 ? &shared->closed : &shared->consumer.asleep,
			     value);
}

static void act(struct scene *scene, struct script *script, bool lies_as_producer)
{
	switch (next_byte(script) % 8) {
	case 0:
		post(scene, script);
		break;
	case 1:
		send(scene, script);
		break;
	case 2:
	case 3:
		progress(scene);
		break;
	case 4:
		forge_counter(scene, script, lies_as_producer);
		break;
	case 5:
		if (next_byte(script) & 1) {
			doca_ctx_flush_tasks(next_byte(script) & 1 ? &scene->producer->ctx
								   : &scene->consumer->ctx);
			break;
		}
		if (next_byte(script) % 16 == 0) {
			doca_ctx_stop(next_byte(script) & 1 ? &scene->producer->ctx
							    : &scene->consumer->ctx);
			break;
		}
		priv_eventfd_ring(scene->consumer->bell.fd);
		break;
	default:
		if (lies_as_producer)
			forge_line(scene, script);
		else
			forge_post(scene, script);
	}
}

/*
 * One input
 */

static void set_up_ctx(struct scene *scene, struct doca_ctx *ctx)
{
	assert(!doca_ctx_set_user_data(ctx, (union doca_data){.ptr = scene}));
	assert(!doca_pe_connect_ctx(scene->pe, ctx));
}

static void open_scene(struct scene *scene)
{
	struct doca_comch_connection *connection;
	unsigned int i;

	scene->memory =
		mmap(NULL, MEMORY, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	assert(scene->memory != MAP_FAILED);
	memset(scene->memory, CANARY, MEMORY);
	assert(!doca_pe_create(&scene->pe));
	assert(!doca_mmap_create(&scene->mmap));
	assert(!doca_mmap_set_permissions(scene->mmap, DOCA_ACCESS_FLAG_PCI_READ_WRITE));
	assert(!doca_mmap_set_memrange(scene->mmap, scene->memory, MEMORY));
	assert(!doca_mmap_start(scene->mmap));
	assert(!doca_buf_inventory_create(4 * TASKS, &scene->inventory));
	assert(!doca_buf_inventory_start(scene->inventory));
	assert(!doca_comch_client_get_connection(line.client, &connection));
	assert(!doca_comch_consumer_create(line.connection, scene->mmap, &scene->consumer));
	assert(!doca_comch_consumer_set_imm_data_len(scene->consumer, IMM_MAX));
	assert(!doca_comch_consumer_task_post_recv_set_conf(scene->consumer, received, received,
							    TASKS));
	assert(!doca_comch_consumer_get_id(scene->consumer, &scene->consumer_id));
	set_up_ctx(scene, doca_comch_consumer_as_ctx(scene->consumer));
	assert(!doca_comch_producer_create(connection, &scene->producer));
	assert(!doca_comch_producer_task_send_set_conf(scene->producer, sent, sent, TASKS));
	set_up_ctx(scene, doca_comch_producer_as_ctx(scene->producer));
	assert(doca_ctx_start(&scene->consumer->ctx) == DOCA_ERROR_IN_PROGRESS);
	assert(!doca_ctx_start(&scene->producer->ctx));
	for (i = 0; i < ROUNDS && scene->consumer->ctx.state != DOCA_CTX_STATE_RUNNING; i++)
		progress(scene);
	assert(scene->consumer->ctx.state == DOCA_CTX_STATE_RUNNING);
	scene->shared = scene->consumer->fast.lane.shared;
}

static void stop(struct scene *scene)
{
	unsigned int i;

	doca_ctx_stop(&scene->producer->ctx);
	doca_ctx_stop(&scene->consumer->ctx);
	for (i = 0; i < ROUNDS && (scene->consumer->ctx.state != DOCA_CTX_STATE_IDLE ||
				   scene->producer->ctx.state != DOCA_CTX_STATE_IDLE);
	     i++) {
		/*
		 * Claims that were made up are never answered: it would wait until the peer dies.
		 */
		if (scene->consumer->open && i == ROUNDS / 2)
			atomic_store(&scene->shared->started, scene->consumer->fast.lane.tail);
		progress(scene);
	}
	assert(scene->consumer->ctx.state == DOCA_CTX_STATE_IDLE);
	assert(scene->producer->ctx.state == DOCA_CTX_STATE_IDLE);
	assert(!scene->out);
	for (i = 0; i < ROUNDS / 20; i++)
		progress(scene); /* the peer forgets the consumer */
}

static void close_scene(struct scene *scene, bool check_memory)
{
	unsigned int i;

	stop(scene);
	assert(!doca_comch_consumer_destroy(scene->consumer));
	assert(!doca_comch_producer_destroy(scene->producer));
	assert(!doca_buf_inventory_destroy(scene->inventory));
	assert(!doca_mmap_destroy(scene->mmap));
	assert(!doca_pe_destroy(scene->pe));
	for (i = 0; check_memory && i < MEMORY; i++)
		assert(scene->lent[i] || scene->memory[i] == CANARY);
	munmap(scene->memory, MEMORY);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct script script = {data, data + size};
	uint8_t mode = next_byte(&script);
	struct scene scene = {0};
	unsigned int i;

	if (!line.pe)
		open_line();
	for (i = 0; i < ROUNDS && line.client->ep.ctx.state != DOCA_CTX_STATE_RUNNING; i++) {
		priv_clock_virtual.now_ns += 1000000;
		doca_pe_progress(line.pe);
	}
	setenv("SOFTFIELD_REGION", mode & 2 ? "copy" : "auto", 1);
	open_scene(&scene);
	scene.script = &script;
	scene.lies_as_producer = mode & 1;
	while (script.pos < script.end && scene.consumer->open && scene.producer->open)
		act(&scene, &script, mode & 1);
	close_scene(&scene, mode & 1);
	assert(line.client->ep.ctx.state == DOCA_CTX_STATE_RUNNING);
	return 0;
}
