/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Setting up and taking down a fast path.
 */
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
#include "comch_fast_side.h"
#include "lib/pair.h"

#define PAGE_SIZE	 4096
#define CACHE_LINE	 64
#define CONTROL_EVERY_MS 10 /* somebody looks at the control path meanwhile */

/* from one buffer to the next */
static size_t stride_of(const struct fast_config *config)
{
	if (!config->apart)
		return 0;
	return (config->max_size + CACHE_LINE - 1) & ~(size_t)(CACHE_LINE - 1);
}

static size_t memory_size_of(const struct fast_config *config)
{
	return config->max_size + (config->window - 1) * stride_of(config);
}

/* Not by malloc(): under valgrind that is executable memory, which is not re-mapped. */
static uint8_t *map_pages(size_t size)
{
	void *pages = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	return pages == MAP_FAILED ? NULL : pages;
}

static void memory_init(struct fast_memory *memory, struct doca_dev *dev,
			const struct fast_config *config, uint32_t permissions)
{
	size_t size = memory_size_of(config);

	memory->size = config->heap ? size : (size + PAGE_SIZE - 1) & ~(size_t)(PAGE_SIZE - 1);
	memory->address = config->heap ? malloc(memory->size) : map_pages(memory->size);
	if (!memory->address)
		bench_fail("no memory for %zu bytes of messages", memory->size);
	memset(memory->address, 2, memory->size);
	comch_check(doca_mmap_create(&memory->mmap), "create an mmap");
	comch_check(doca_mmap_add_dev(memory->mmap, dev), "add the device to the mmap");
	comch_check(doca_mmap_set_permissions(memory->mmap, permissions), "set permissions");
	comch_check(doca_mmap_set_memrange(memory->mmap, memory->address, memory->size),
		    "set the memory range");
	comch_check(doca_mmap_start(memory->mmap), "start the mmap");
}

static void memory_fini(struct fast_memory *memory, const struct fast_config *config)
{
	comch_check(doca_mmap_destroy(memory->mmap), "destroy the mmap");
	if (config->heap)
		free(memory->address);
	else
		munmap(memory->address, memory->size);
}

static void post_receive(struct fast_side *side, struct doca_comch_consumer *consumer,
			 uint8_t *address);

static void submit_receive(struct doca_comch_consumer_task_post_recv *task)
{
	doca_error_t result = doca_task_submit(doca_comch_consumer_task_post_recv_as_task(task));

	if (result != DOCA_SUCCESS)
		comch_check(result, "post a receive");
}

/* tells of the data in the buffer */
static void tell(struct fast_side *side, struct doca_buf *buf)
{
	size_t size;
	void *data;

	doca_buf_get_data(buf, &data);
	doca_buf_get_data_len(buf, &size);
	side->config.on_message(side, *(uint8_t *)data, size);
}

static void message_received(struct doca_comch_consumer_task_post_recv *task,
			     union doca_data task_data, union doca_data ctx_data)
{
	tell(ctx_data.ptr, task_data.ptr);
	doca_buf_reset_data_len(task_data.ptr);
	submit_receive(task);
}

/* as a program does that takes a task and a buffer for each receive */
static void fresh_received(struct doca_comch_consumer_task_post_recv *task,
			   union doca_data task_data, union doca_data ctx_data)
{
	struct fast_side *side = ctx_data.ptr;
	void *address;

	tell(side, task_data.ptr);
	doca_buf_get_head(task_data.ptr, &address);
	doca_buf_dec_refcount(task_data.ptr, NULL);
	doca_task_free(doca_comch_consumer_task_post_recv_as_task(task));
	post_receive(side, side->consumers[0], address);
}

static void imm_received(struct doca_comch_consumer_task_post_recv *task, union doca_data task_data,
			 union doca_data ctx_data)
{
	struct fast_side *side = ctx_data.ptr;

	(void)task_data;
	side->config.on_message(side, *doca_comch_consumer_task_post_recv_get_imm_data(task),
				doca_comch_consumer_task_post_recv_get_imm_data_len(task));
	submit_receive(task);
}

static doca_comch_consumer_task_post_recv_completion_cb_t
receive_cb_of(const struct fast_config *config)
{
	if (config->imm)
		return imm_received;
	return config->fresh ? fresh_received : message_received;
}

static void receive_failed(struct doca_comch_consumer_task_post_recv *task,
			   union doca_data task_data, union doca_data ctx_data)
{
	struct fast_side *side = ctx_data.ptr;
	struct doca_task *base = doca_comch_consumer_task_post_recv_as_task(task);

	if (!side->closing && !side->control->gone)
		comch_check(doca_task_get_status(base), "receive a message");
	if (task_data.ptr)
		doca_buf_dec_refcount(task_data.ptr, NULL);
	doca_task_free(base);
}

/* gives back what arm() has taken */
static void disarm(struct fast_slot *slot)
{
	doca_task_free(slot->task);
	doca_buf_dec_refcount(slot->buf, NULL);
	slot->size = FAST_NO_SIZE;
}

static void message_sent(struct doca_comch_producer_task_send *task, union doca_data task_data,
			 union doca_data ctx_data)
{
	struct fast_slot *slot = task_data.ptr;

	(void)task;
	(void)ctx_data;
	slot->side->config.on_sent(slot);
}

static void fresh_sent(struct doca_comch_producer_task_send *task, union doca_data task_data,
		       union doca_data ctx_data)
{
	disarm(task_data.ptr);
	message_sent(task, task_data, ctx_data);
}

static void send_failed(struct doca_comch_producer_task_send *task, union doca_data task_data,
			union doca_data ctx_data)
{
	struct fast_slot *slot = task_data.ptr;

	(void)ctx_data;
	if (!slot->side->closing && !slot->side->control->gone)
		comch_check(doca_task_get_status(doca_comch_producer_task_send_as_task(task)),
			    "send a message");
	if (slot->side->config.fresh)
		disarm(slot);
	fast_slot_give(slot);
}

static enum doca_ctx_states state_of(struct doca_ctx *ctx)
{
	enum doca_ctx_states state;

	comch_check(doca_ctx_get_state(ctx, &state), "read the state");
	return state;
}

static void progress_both(struct fast_side *side)
{
	doca_pe_progress(side->control->pe);
	fast_progress(side);
}

static void start_ctx(struct fast_side *side, struct doca_pe *pe, struct doca_ctx *ctx)
{
	union doca_data data = {.ptr = side};
	doca_error_t result;

	comch_check(doca_ctx_set_user_data(ctx, data), "set user data");
	comch_check(doca_pe_connect_ctx(pe, ctx), "connect to a progress engine");
	result = doca_ctx_start(ctx);
	if (result != DOCA_ERROR_IN_PROGRESS)
		comch_check(result, "start a fast path");
	while (state_of(ctx) == DOCA_CTX_STATE_STARTING)
		progress_both(side);
	if (state_of(ctx) != DOCA_CTX_STATE_RUNNING)
		bench_fail("a fast path did not start");
}

static void post_receive(struct fast_side *side, struct doca_comch_consumer *consumer,
			 uint8_t *address)
{
	struct doca_comch_consumer_task_post_recv *task;
	union doca_data data;
	struct doca_buf *buf = NULL;

	if (!side->config.imm)
		comch_check(doca_buf_inventory_buf_get_by_addr(side->inventory, side->in.mmap,
							       address, side->config.max_size,
							       &buf),
			    "get a buffer");
	comch_check(doca_comch_consumer_task_post_recv_alloc_init(consumer, buf, &task),
		    "allocate a receive task");
	data.ptr = buf;
	doca_task_set_user_data(doca_comch_consumer_task_post_recv_as_task(task), data);
	submit_receive(task);
}

static void crowd_received(struct doca_comch_consumer_task_post_recv *task,
			   union doca_data task_data, union doca_data ctx_data)
{
	(void)task;
	(void)task_data;
	(void)ctx_data;
	bench_fail("a message for a consumer that nobody sends to");
}

static void crowd_flushed(struct doca_comch_consumer_task_post_recv *task,
			  union doca_data task_data, union doca_data ctx_data)
{
	(void)task_data;
	(void)ctx_data;
	doca_task_free(doca_comch_consumer_task_post_recv_as_task(task));
}

static void join_crowd(struct fast_side *side, struct doca_comch_consumer **consumer)
{
	struct doca_comch_consumer_task_post_recv *task;

	comch_check(doca_comch_consumer_create(side->control->connection, side->in.mmap, consumer),
		    "create a consumer");
	comch_check(doca_comch_consumer_task_post_recv_set_conf(*consumer, crowd_received,
								crowd_flushed, 1),
		    "configure receive tasks");
	start_ctx(side, side->pe, doca_comch_consumer_as_ctx(*consumer));
	comch_check(doca_comch_consumer_task_post_recv_alloc_init(*consumer, NULL, &task),
		    "allocate a receive task");
	submit_receive(task);
}

void fast_add_crowd(struct fast_side *side, uint32_t count)
{
	side->crowd = calloc(count, sizeof(*side->crowd));
	if (!side->crowd)
		bench_fail("no memory for %u consumers", count);
	while (side->crowd_count < count)
		join_crowd(side, &side->crowd[side->crowd_count++]);
}

static void open_consumer(struct fast_side *side, struct doca_comch_consumer **ret_consumer)
{
	struct doca_comch_consumer *consumer;

	comch_check(doca_comch_consumer_create(side->control->connection, side->in.mmap, &consumer),
		    "create a consumer");
	comch_check(
		doca_comch_consumer_task_post_recv_set_conf(consumer, receive_cb_of(&side->config),
							    receive_failed, side->config.window),
		"configure receive tasks");
	if (side->config.imm)
		comch_check(doca_comch_consumer_set_imm_data_len(consumer,
								 (uint32_t)side->config.max_size),
			    "set the length of immediate data");
	start_ctx(side, side->pe, doca_comch_consumer_as_ctx(consumer));
	for (uint32_t i = 0; i < side->config.window; i++)
		post_receive(side, consumer, side->in.address + i * stride_of(&side->config));
	*ret_consumer = consumer;
}

/* takes the slot's task and buffer */
static void arm(struct fast_slot *slot, size_t size)
{
	struct fast_side *side = slot->side;
	struct doca_comch_producer_task_send *task;
	union doca_data data = {.ptr = slot};

	slot->size = size;
	comch_check(doca_buf_inventory_buf_get_by_data(side->inventory, side->out.mmap,
						       slot->address, size, &slot->buf),
		    "get a buffer");
	comch_check(doca_comch_producer_task_send_alloc_init(
			    slot->producer, side->config.imm ? NULL : slot->buf,
			    side->config.imm ? slot->address : NULL,
			    side->config.imm ? (uint32_t)size : 0, slot->consumer_id, &task),
		    "allocate a producer's send task");
	slot->send = task;
	slot->task = doca_comch_producer_task_send_as_task(task);
	doca_task_set_user_data(slot->task, data);
}

void fast_slot_set_size(struct fast_slot *slot, size_t size)
{
	if (slot->size == FAST_NO_SIZE) {
		arm(slot, size);
		return;
	}
	if (slot->side->config.imm)
		bench_fail("immediate data has one size");
	doca_buf_set_data(slot->buf, slot->address, size);
	slot->size = size;
}

/* Each producer sends to each consumer. */
static void slot_init(struct fast_side *side, uint32_t number)
{
	struct fast_slot *slot = &side->slots[number];
	uint32_t turns = side->config.turns;

	slot->side = side;
	slot->producer = side->producers[number % turns];
	slot->consumer_id = side->control->consumers[number / turns % turns];
	slot->address = side->out.address + number * stride_of(&side->config);
	slot->size = FAST_NO_SIZE;
	if (!side->config.fresh)
		arm(slot, side->config.max_size);
	fast_slot_give(slot);
}

static void open_producer(struct fast_side *side, struct doca_comch_producer **ret_producer)
{
	struct doca_comch_producer *producer;

	comch_check(doca_comch_producer_create(side->control->connection, &producer),
		    "create a producer");
	comch_check(doca_comch_producer_task_send_set_conf(
			    producer, side->config.fresh ? fresh_sent : message_sent, send_failed,
			    side->config.window),
		    "configure the producer's tasks");
	start_ctx(side, side->send_pe, doca_comch_producer_as_ctx(producer));
	*ret_producer = producer;
}

static void open_turns(struct fast_side *side)
{
	for (uint32_t i = 0; i < side->config.turns; i++)
		open_consumer(side, &side->consumers[i]);
	while (side->control->consumer_count < side->config.turns)
		progress_both(side);
	for (uint32_t i = 0; i < side->config.turns; i++)
		open_producer(side, &side->producers[i]);
	for (uint32_t i = 0; i < side->config.window; i++)
		slot_init(side, i);
}

size_t fast_max_size(const struct bench_options *options)
{
	size_t max = FAST_SMALL_SIZE;

	for (size_t i = 0; i < options->size_count; i++) {
		if (options->sizes[i] > max)
			max = options->sizes[i];
	}
	return max;
}

void fast_open(struct fast_side *side, struct comch_side *control, const struct fast_config *config)
{
	*side = (struct fast_side){.config = *config, .control = control, .epoll_fd = -1};
	comch_check(doca_pe_create(&side->pe), "create a progress engine");
	side->send_pe = side->pe;
	if (!config->turns)
		side->config.turns = 1;
	if (!config->on_sent)
		side->config.on_sent = fast_slot_give;
	if (config->split)
		comch_check(doca_pe_create(&side->send_pe), "create a progress engine");
	side->slots = calloc(config->window, sizeof(*side->slots));
	side->free = calloc(config->window, sizeof(*side->free));
	if (!side->slots || !side->free)
		bench_fail("no memory for %u tasks", config->window);
	memory_init(&side->out, control->dev, config, DOCA_ACCESS_FLAG_PCI_READ_ONLY);
	memory_init(&side->in, control->dev, config, DOCA_ACCESS_FLAG_PCI_READ_WRITE);
	comch_check(doca_buf_inventory_create((1 + side->config.turns) * config->window,
					      &side->inventory),
		    "create an inventory");
	comch_check(doca_buf_inventory_start(side->inventory), "start an inventory");
	while (!control->connection) /* a server whose client is still to come */
		doca_pe_progress(control->pe);
	open_turns(side);
	fast_set_first_byte(side, 0);
}

void fast_set_first_byte(struct fast_side *side, uint8_t first_byte)
{
	for (uint32_t i = 0; i < side->config.window; i++) {
		struct fast_slot *slot = &side->slots[i];

		slot->address[0] = first_byte;
		if (side->config.imm)
			doca_comch_producer_task_send_set_imm_data(slot->send, slot->address,
								   (uint32_t)slot->size);
	}
}

bool fast_sleep(struct fast_side *side)
{
	comch_sleep_on(side->pe, &side->epoll_fd, CONTROL_EVERY_MS);
	return doca_pe_progress(side->pe);
}

void fast_wait_all_sent(struct fast_side *side)
{
	while (side->free_count < side->config.window)
		fast_progress(side);
}

void fast_flush(struct fast_side *side)
{
	for (uint32_t i = 0; i < side->config.turns; i++)
		doca_ctx_flush_tasks(doca_comch_producer_as_ctx(side->producers[i]));
}

static void stop_ctx(struct fast_side *side, struct doca_ctx *ctx)
{
	if (state_of(ctx) == DOCA_CTX_STATE_RUNNING) {
		doca_error_t result = doca_ctx_stop(ctx);

		if (result != DOCA_ERROR_IN_PROGRESS)
			comch_check(result, "stop a fast path");
	}
	while (state_of(ctx) != DOCA_CTX_STATE_IDLE)
		progress_both(side);
}

void fast_close(struct fast_side *side)
{
	side->closing = true;
	while (side->free_count < side->config.window)
		progress_both(side);
	for (uint32_t i = 0; i < side->config.window && !side->config.fresh; i++)
		disarm(&side->slots[i]);
	for (uint32_t i = 0; i < side->config.turns; i++) {
		stop_ctx(side, doca_comch_producer_as_ctx(side->producers[i]));
		stop_ctx(side, doca_comch_consumer_as_ctx(side->consumers[i]));
		comch_check(doca_comch_producer_destroy(side->producers[i]), "destroy a producer");
		comch_check(doca_comch_consumer_destroy(side->consumers[i]), "destroy a consumer");
	}
	for (uint32_t i = 0; i < side->crowd_count; i++) {
		stop_ctx(side, doca_comch_consumer_as_ctx(side->crowd[i]));
		comch_check(doca_comch_consumer_destroy(side->crowd[i]), "destroy a consumer");
	}
	free(side->crowd);
	free(side->free);
	free(side->slots);
	comch_check(doca_buf_inventory_destroy(side->inventory), "destroy the inventory");
	memory_fini(&side->in, &side->config);
	memory_fini(&side->out, &side->config);
	if (side->epoll_fd >= 0)
		close(side->epoll_fd);
	if (side->send_pe != side->pe)
		comch_check(doca_pe_destroy(side->send_pe), "destroy a progress engine");
	comch_check(doca_pe_destroy(side->pe), "destroy a progress engine");
}
