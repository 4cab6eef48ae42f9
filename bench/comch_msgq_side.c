/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Setting message queues with a DPA up, and taking them down.
 */
#include "comch_msgq_side.h"

#include <stddef.h>

extern struct doca_dpa_app *bench_msgq_app;
extern doca_dpa_func_t get_ready;

/*
 * Callbacks
 */

static void send_done(struct doca_comch_producer_task_send *send, union doca_data task_data,
		      union doca_data ctx_data)
{
	struct msgq_side *side = ctx_data.ptr;

	(void)task_data;
	CHECK(doca_task_get_status(doca_comch_producer_task_send_as_task(send)));
	side->free_sends[side->free_count++] = doca_comch_producer_task_send_as_task(send);
	if (side->config.on_sent)
		side->config.on_sent(side);
}

static void receive_done(struct doca_comch_consumer_task_post_recv *recv, union doca_data task_data,
			 union doca_data ctx_data)
{
	struct doca_task *task = doca_comch_consumer_task_post_recv_as_task(recv);
	struct msgq_side *side = ctx_data.ptr;

	(void)task_data;
	if (side->is_ending) {
		doca_task_free(task);
		return;
	}
	CHECK(doca_task_get_status(task));
	side->answers++;
	CHECK(doca_task_submit(task));
}

/*
 * Opening
 */

static void open_dpa(struct msgq_side *side)
{
	struct doca_devinfo **list;
	uint32_t count;

	CHECK(doca_devinfo_create_list(&list, &count));
	for (uint32_t i = 0; i < count && !side->dev; i++)
		if (doca_dpa_cap_is_supported(list[i]) == DOCA_SUCCESS)
			CHECK(doca_dev_open(list[i], &side->dev));
	CHECK(doca_devinfo_destroy_list(list));
	if (!side->dev)
		bench_fail("no device with a DPA");
	CHECK(doca_pe_create(&side->pe));
	CHECK(doca_dpa_create(side->dev, &side->dpa));
	CHECK(doca_dpa_set_app(side->dpa, bench_msgq_app));
	CHECK(doca_dpa_start(side->dpa));
	CHECK(doca_dpa_mem_alloc(side->dpa, sizeof(struct msgq_handles), &side->handles));
}

static void open_labour(struct msgq_side *side)
{
	if (side->config.kernel) {
		CHECK(doca_sync_event_create(&side->has_left));
		CHECK(doca_sync_event_add_publisher_location_dpa(side->has_left, side->dpa));
		CHECK(doca_sync_event_add_subscriber_location_cpu(side->has_left, side->dev));
		CHECK(doca_sync_event_start(side->has_left));
		return;
	}
	CHECK(doca_dpa_thread_create(side->dpa, &side->thread));
	CHECK(doca_dpa_thread_set_func_arg(side->thread, side->config.thread, side->handles));
	CHECK(doca_dpa_thread_start(side->thread));
}

static void run_on_cpu(struct msgq_side *side, struct doca_ctx *ctx)
{
	CHECK(doca_ctx_set_user_data(ctx, (union doca_data){.ptr = side}));
	CHECK(doca_pe_connect_ctx(side->pe, ctx));
	CHECK(doca_ctx_start(ctx));
}

static void run_on_dpa(struct msgq_side *side, struct doca_ctx *ctx)
{
	CHECK(doca_ctx_set_datapath_on_dpa(ctx, side->dpa));
	CHECK(doca_ctx_start(ctx));
}

static void open_to_dpa(struct msgq_side *side)
{
	CHECK(doca_comch_consumer_completion_create(&side->arrivals));
	CHECK(doca_comch_consumer_completion_set_max_num_consumers(side->arrivals, 1));
	CHECK(doca_comch_consumer_completion_set_max_num_recv(side->arrivals, MSGQ_DEPTH));
	if (side->thread)
		CHECK(doca_comch_consumer_completion_set_dpa_thread(side->arrivals, side->thread));
	CHECK(doca_comch_consumer_completion_start(side->arrivals));
	CHECK(doca_comch_msgq_create(side->dev, &side->to_dpa));
	CHECK(doca_comch_msgq_set_dpa_consumer(side->to_dpa, side->dpa));
	CHECK(doca_comch_msgq_start(side->to_dpa));
	CHECK(doca_comch_msgq_consumer_create(side->to_dpa, &side->dpa_consumer));
	CHECK(doca_comch_consumer_set_imm_data_len(side->dpa_consumer, MSGQ_MAX_SIZE));
	CHECK(doca_comch_consumer_set_dev_max_num_recv(side->dpa_consumer, MSGQ_DEPTH));
	CHECK(doca_comch_consumer_set_completion(side->dpa_consumer, side->arrivals, 0));
	run_on_dpa(side, doca_comch_consumer_as_ctx(side->dpa_consumer));
	CHECK(doca_comch_msgq_producer_create(side->to_dpa, &side->producer));
	CHECK(doca_comch_producer_task_send_set_conf(side->producer, send_done, send_done,
						     MSGQ_SENDS));
	run_on_cpu(side, doca_comch_producer_as_ctx(side->producer));
}

static void open_from_dpa(struct msgq_side *side)
{
	struct doca_comch_consumer_task_post_recv *recv;

	CHECK(doca_comch_msgq_create(side->dev, &side->from_dpa));
	CHECK(doca_comch_msgq_set_dpa_producer(side->from_dpa, side->dpa));
	CHECK(doca_comch_msgq_start(side->from_dpa));
	CHECK(doca_comch_msgq_consumer_create(side->from_dpa, &side->consumer));
	CHECK(doca_comch_consumer_set_imm_data_len(side->consumer, MSGQ_MAX_SIZE));
	CHECK(doca_comch_consumer_task_post_recv_set_conf(side->consumer, receive_done,
							  receive_done, MSGQ_DEPTH));
	run_on_cpu(side, doca_comch_consumer_as_ctx(side->consumer));
	for (int i = 0; i < MSGQ_DEPTH; i++) {
		CHECK(doca_comch_consumer_task_post_recv_alloc_init(side->consumer, NULL, &recv));
		CHECK(doca_task_submit(doca_comch_consumer_task_post_recv_as_task(recv)));
	}
	CHECK(doca_dpa_completion_create(side->dpa, MSGQ_DEPTH, &side->reports));
	CHECK(doca_dpa_completion_start(side->reports));
	CHECK(doca_comch_msgq_producer_create(side->from_dpa, &side->dpa_producer));
	CHECK(doca_comch_producer_set_dev_max_num_send(side->dpa_producer, MSGQ_DEPTH));
	CHECK(doca_comch_producer_dpa_completion_attach(side->dpa_producer, side->reports));
	run_on_dpa(side, doca_comch_producer_as_ctx(side->dpa_producer));
}

static void begin(struct msgq_side *side)
{
	struct msgq_handles handles = side->config.handles;
	uint64_t result;

	CHECK(doca_comch_consumer_completion_get_dpa_handle(side->arrivals, &handles.arrivals));
	CHECK(doca_comch_consumer_get_dpa_handle(side->dpa_consumer, &handles.consumer));
	CHECK(doca_comch_producer_get_dpa_handle(side->dpa_producer, &handles.producer));
	CHECK(doca_dpa_h2d_memcpy(side->dpa, side->handles, &handles, sizeof(handles)));
	CHECK(doca_dpa_rpc(side->dpa, get_ready, &result, side->handles));
	if (side->thread)
		CHECK(doca_dpa_thread_run(side->thread));
	else
		CHECK(doca_dpa_kernel_launch_update_set(side->dpa, NULL, 0, side->has_left, 1, 1,
							side->config.kernel, side->handles));
}

static void alloc_sends(struct msgq_side *side)
{
	uint8_t message[1] = {0};

	for (int i = 0; i < MSGQ_SENDS; i++) {
		CHECK(doca_comch_producer_task_send_alloc_init(side->producer, NULL, message, 1,
							       MSGQ_CONSUMER_ID, &side->sends[i]));
		side->free_sends[side->free_count++] =
			doca_comch_producer_task_send_as_task(side->sends[i]);
	}
}

void msgq_open(struct msgq_side *side, const struct msgq_config *config)
{
	side->config = *config;
	open_dpa(side);
	open_labour(side);
	open_to_dpa(side);
	open_from_dpa(side);
	alloc_sends(side);
	begin(side);
}

void msgq_set_message(struct msgq_side *side, uint8_t first_byte, size_t size)
{
	uint8_t message[MSGQ_MAX_SIZE] = {first_byte};

	while (side->free_count < MSGQ_SENDS)
		doca_pe_progress(side->pe);
	for (int i = 0; i < MSGQ_SENDS; i++)
		doca_comch_producer_task_send_set_imm_data(side->sends[i], message, (uint32_t)size);
}

void msgq_submit(struct msgq_side *side)
{
	CHECK(doca_task_submit(side->free_sends[--side->free_count]));
	side->sent++;
}

/*
 * Closing
 */

static void stop(struct msgq_side *side, struct doca_ctx *ctx)
{
	enum doca_ctx_states state;

	CHECK(doca_ctx_stop(ctx));
	do {
		doca_pe_progress(side->pe);
		CHECK(doca_ctx_get_state(ctx, &state));
	} while (state != DOCA_CTX_STATE_IDLE);
}

static void stop_all(struct msgq_side *side)
{
	side->is_ending = true;
	for (int i = 0; i < MSGQ_SENDS; i++)
		doca_task_free(doca_comch_producer_task_send_as_task(side->sends[i]));
	if (!side->thread) {
		__atomic_store_n((uint64_t *)(uintptr_t)(side->handles +
							 offsetof(struct msgq_handles, stop)),
				 1, __ATOMIC_RELAXED);
		CHECK(doca_sync_event_wait_gt(side->has_left, 0, UINT64_MAX));
	}
	stop(side, doca_comch_producer_as_ctx(side->producer));
	stop(side, doca_comch_consumer_as_ctx(side->consumer));
	stop(side, doca_comch_consumer_as_ctx(side->dpa_consumer));
	stop(side, doca_comch_producer_as_ctx(side->dpa_producer));
	CHECK(doca_comch_consumer_completion_stop(side->arrivals));
	CHECK(doca_dpa_completion_stop(side->reports));
	if (side->thread)
		CHECK(doca_dpa_thread_stop(side->thread));
}

static void destroy_all(struct msgq_side *side)
{
	CHECK(doca_comch_producer_destroy(side->producer));
	CHECK(doca_comch_consumer_destroy(side->consumer));
	CHECK(doca_comch_consumer_destroy(side->dpa_consumer));
	CHECK(doca_comch_producer_destroy(side->dpa_producer));
	CHECK(doca_comch_msgq_stop(side->to_dpa));
	CHECK(doca_comch_msgq_destroy(side->to_dpa));
	CHECK(doca_comch_msgq_stop(side->from_dpa));
	CHECK(doca_comch_msgq_destroy(side->from_dpa));
	CHECK(doca_comch_consumer_completion_destroy(side->arrivals));
	CHECK(doca_dpa_completion_destroy(side->reports));
	CHECK(side->thread ? doca_dpa_thread_destroy(side->thread)
			   : doca_sync_event_destroy(side->has_left));
	CHECK(doca_dpa_mem_free(side->dpa, side->handles));
	CHECK(doca_dpa_destroy(side->dpa));
	CHECK(doca_pe_destroy(side->pe));
	CHECK(doca_dev_close(side->dev));
}

void msgq_close(struct msgq_side *side)
{
	stop_all(side);
	destroy_all(side);
}
