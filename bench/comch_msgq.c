/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Message queues with a DPA: latency of a message there and its answer back, rate of a stream to
 * it. The DPA's code runs on the second CPU: in a thread that is triggered by messages, or, mode
 * "kernel", in a kernel that polls.
 */
#include <stddef.h>
#include <string.h>
#include <doca_comch_consumer.h>
#include <doca_comch_msgq.h>
#include <doca_comch_producer.h>
#include <doca_ctx.h>
#include <doca_dev.h>
#include <doca_dpa.h>
#include <doca_error.h>
#include <doca_pe.h>
#include <doca_sync_event.h>
#include "comch_msgq.h"
#include "lib/clock.h"
#include "lib/pair.h"
#include "lib/points.h"
#include "lib/report.h"

#define SENDS 64 /* under way, as in the other benches */
#define CHECK(call)                                                                                \
	do {                                                                                       \
		doca_error_t check_result = (call);                                                \
		if (check_result != DOCA_SUCCESS && check_result != DOCA_ERROR_IN_PROGRESS)        \
			bench_fail("%s: %s", #call, doca_error_get_descr(check_result));           \
	} while (0)

extern struct doca_dpa_app *bench_msgq_app;
extern doca_dpa_func_t get_ready, serve_once, serve_on;

struct run {
	const struct bench_options *options;
	const char *peer;
	struct samples samples;
	struct doca_dev *dev;
	struct doca_pe *pe;
	struct doca_dpa *dpa;
	struct doca_dpa_thread *thread;	  /* NULL: a kernel serves */
	struct doca_sync_event *has_left; /* the kernel */
	doca_dpa_dev_uintptr_t handles;	  /* struct msgq_handles */

	struct doca_comch_msgq *to_dpa, *from_dpa;
	struct doca_comch_consumer_completion *arrivals;
	struct doca_dpa_completion *reports;
	struct doca_comch_consumer *dpa_consumer, *consumer;
	struct doca_comch_producer *dpa_producer, *producer;

	struct doca_comch_producer_task_send *sends[SENDS];
	struct doca_task *free_sends[SENDS];
	unsigned int free_count;
	bool is_streaming, is_ending;
	uint64_t sent, answers;
};

/*
 * Callbacks
 */

static void submit(struct run *run)
{
	CHECK(doca_task_submit(run->free_sends[--run->free_count]));
	run->sent++;
}

static void send_done(struct doca_comch_producer_task_send *send, union doca_data task_data,
		      union doca_data ctx_data)
{
	struct run *run = ctx_data.ptr;

	(void)task_data;
	CHECK(doca_task_get_status(doca_comch_producer_task_send_as_task(send)));
	run->free_sends[run->free_count++] = doca_comch_producer_task_send_as_task(send);
	if (run->is_streaming)
		submit(run);
}

static void receive_done(struct doca_comch_consumer_task_post_recv *recv, union doca_data task_data,
			 union doca_data ctx_data)
{
	struct doca_task *task = doca_comch_consumer_task_post_recv_as_task(recv);
	struct run *run = ctx_data.ptr;

	(void)task_data;
	if (run->is_ending) {
		doca_task_free(task);
		return;
	}
	CHECK(doca_task_get_status(task));
	run->answers++;
	CHECK(doca_task_submit(task));
}

/*
 * Opening
 */

static void open_dpa(struct run *run)
{
	struct doca_devinfo **list;
	uint32_t count;

	CHECK(doca_devinfo_create_list(&list, &count));
	for (uint32_t i = 0; i < count && !run->dev; i++)
		if (doca_dpa_cap_is_supported(list[i]) == DOCA_SUCCESS)
			CHECK(doca_dev_open(list[i], &run->dev));
	CHECK(doca_devinfo_destroy_list(list));
	if (!run->dev)
		bench_fail("no device with a DPA");
	CHECK(doca_pe_create(&run->pe));
	CHECK(doca_dpa_create(run->dev, &run->dpa));
	CHECK(doca_dpa_set_app(run->dpa, bench_msgq_app));
	CHECK(doca_dpa_start(run->dpa));
	CHECK(doca_dpa_mem_alloc(run->dpa, sizeof(struct msgq_handles), &run->handles));
}

static void open_labour(struct run *run)
{
	if (run->options->mode && strcmp(run->options->mode, "kernel") == 0) {
		CHECK(doca_sync_event_create(&run->has_left));
		CHECK(doca_sync_event_add_publisher_location_dpa(run->has_left, run->dpa));
		CHECK(doca_sync_event_add_subscriber_location_cpu(run->has_left, run->dev));
		CHECK(doca_sync_event_start(run->has_left));
		return;
	}
	CHECK(doca_dpa_thread_create(run->dpa, &run->thread));
	CHECK(doca_dpa_thread_set_func_arg(run->thread, serve_once, run->handles));
	CHECK(doca_dpa_thread_start(run->thread));
}

static void run_on_cpu(struct run *run, struct doca_ctx *ctx)
{
	CHECK(doca_ctx_set_user_data(ctx, (union doca_data){.ptr = run}));
	CHECK(doca_pe_connect_ctx(run->pe, ctx));
	CHECK(doca_ctx_start(ctx));
}

static void run_on_dpa(struct run *run, struct doca_ctx *ctx)
{
	CHECK(doca_ctx_set_datapath_on_dpa(ctx, run->dpa));
	CHECK(doca_ctx_start(ctx));
}

static void open_to_dpa(struct run *run)
{
	CHECK(doca_comch_consumer_completion_create(&run->arrivals));
	CHECK(doca_comch_consumer_completion_set_max_num_consumers(run->arrivals, 1));
	CHECK(doca_comch_consumer_completion_set_max_num_recv(run->arrivals, MSGQ_DEPTH));
	if (run->thread)
		CHECK(doca_comch_consumer_completion_set_dpa_thread(run->arrivals, run->thread));
	CHECK(doca_comch_consumer_completion_start(run->arrivals));
	CHECK(doca_comch_msgq_create(run->dev, &run->to_dpa));
	CHECK(doca_comch_msgq_set_dpa_consumer(run->to_dpa, run->dpa));
	CHECK(doca_comch_msgq_start(run->to_dpa));
	CHECK(doca_comch_msgq_consumer_create(run->to_dpa, &run->dpa_consumer));
	CHECK(doca_comch_consumer_set_imm_data_len(run->dpa_consumer, MSGQ_MAX_SIZE));
	CHECK(doca_comch_consumer_set_dev_max_num_recv(run->dpa_consumer, MSGQ_DEPTH));
	CHECK(doca_comch_consumer_set_completion(run->dpa_consumer, run->arrivals, 0));
	run_on_dpa(run, doca_comch_consumer_as_ctx(run->dpa_consumer));
	CHECK(doca_comch_msgq_producer_create(run->to_dpa, &run->producer));
	CHECK(doca_comch_producer_task_send_set_conf(run->producer, send_done, send_done, SENDS));
	run_on_cpu(run, doca_comch_producer_as_ctx(run->producer));
}

static void open_from_dpa(struct run *run)
{
	struct doca_comch_consumer_task_post_recv *recv;

	CHECK(doca_comch_msgq_create(run->dev, &run->from_dpa));
	CHECK(doca_comch_msgq_set_dpa_producer(run->from_dpa, run->dpa));
	CHECK(doca_comch_msgq_start(run->from_dpa));
	CHECK(doca_comch_msgq_consumer_create(run->from_dpa, &run->consumer));
	CHECK(doca_comch_consumer_set_imm_data_len(run->consumer, MSGQ_MAX_SIZE));
	CHECK(doca_comch_consumer_task_post_recv_set_conf(run->consumer, receive_done, receive_done,
							  MSGQ_DEPTH));
	run_on_cpu(run, doca_comch_consumer_as_ctx(run->consumer));
	for (int i = 0; i < MSGQ_DEPTH; i++) {
		CHECK(doca_comch_consumer_task_post_recv_alloc_init(run->consumer, NULL, &recv));
		CHECK(doca_task_submit(doca_comch_consumer_task_post_recv_as_task(recv)));
	}
	CHECK(doca_dpa_completion_create(run->dpa, MSGQ_DEPTH, &run->reports));
	CHECK(doca_dpa_completion_start(run->reports));
	CHECK(doca_comch_msgq_producer_create(run->from_dpa, &run->dpa_producer));
	CHECK(doca_comch_producer_set_dev_max_num_send(run->dpa_producer, MSGQ_DEPTH));
	CHECK(doca_comch_producer_dpa_completion_attach(run->dpa_producer, run->reports));
	run_on_dpa(run, doca_comch_producer_as_ctx(run->dpa_producer));
}

static void begin(struct run *run)
{
	struct msgq_handles handles = {0};
	uint64_t result;

	CHECK(doca_comch_consumer_completion_get_dpa_handle(run->arrivals, &handles.arrivals));
	CHECK(doca_comch_consumer_get_dpa_handle(run->dpa_consumer, &handles.consumer));
	CHECK(doca_comch_producer_get_dpa_handle(run->dpa_producer, &handles.producer));
	CHECK(doca_dpa_h2d_memcpy(run->dpa, run->handles, &handles, sizeof(handles)));
	CHECK(doca_dpa_rpc(run->dpa, get_ready, &result, run->handles));
	if (run->thread)
		CHECK(doca_dpa_thread_run(run->thread));
	else
		CHECK(doca_dpa_kernel_launch_update_set(run->dpa, NULL, 0, run->has_left, 1, 1,
							serve_on, run->handles));
}

/*
 * Measuring
 */

static void set_message(struct run *run, uint8_t first_byte, size_t size)
{
	uint8_t message[MSGQ_MAX_SIZE] = {first_byte};

	while (run->free_count < SENDS)
		doca_pe_progress(run->pe);
	for (int i = 0; i < SENDS; i++)
		doca_comch_producer_task_send_set_imm_data(run->sends[i], message, (uint32_t)size);
}

static void exchange(struct run *run)
{
	uint64_t before = run->answers;

	while (!run->free_count)
		doca_pe_progress(run->pe);
	submit(run);
	while (run->answers == before)
		doca_pe_progress(run->pe);
}

static void measure_latency(struct run *run, size_t size)
{
	struct samples *samples = &run->samples;
	uint64_t end_ns = clock_ns() + run->options->point_ns;

	set_message(run, ECHO, size);
	samples->count = 0;
	while (!samples_full(samples) && (samples->count % 16 != 15 || clock_ns() < end_ns)) {
		uint64_t start = clock_ticks();

		exchange(run);
		samples_add(samples, clock_ticks() - start);
	}
	report_latency(run->peer, size, samples);
}

/* The answer to the last message is the receipt for all. */
static void measure_rate(struct run *run, size_t size)
{
	uint64_t start_ns = clock_ns(), end_ns = start_ns + run->options->point_ns;

	set_message(run, SINK, size);
	run->sent = 0;
	run->is_streaming = true;
	while (run->free_count)
		submit(run);
	for (unsigned int round = 1; round % 64 != 0 || clock_ns() < end_ns; round++)
		doca_pe_progress(run->pe);
	run->is_streaming = false;
	set_message(run, ECHO, size);
	exchange(run);
	report_rate(run->peer, size, (double)run->sent, (double)(clock_ns() - start_ns));
}

static void measure_point(void *arg, enum point_kind kind, size_t size)
{
	struct run *run = arg;

	if (size > MSGQ_MAX_SIZE)
		bench_fail("size %zu: not in 1..%d", size, MSGQ_MAX_SIZE);
	if (kind == POINT_LATENCY)
		measure_latency(run, size);
	else if (kind == POINT_RATE)
		measure_rate(run, size);
}

static void alloc_sends(struct run *run)
{
	uint8_t message[1] = {0};

	for (int i = 0; i < SENDS; i++) {
		CHECK(doca_comch_producer_task_send_alloc_init(run->producer, NULL, message, 1,
							       MSGQ_CONSUMER_ID, &run->sends[i]));
		run->free_sends[run->free_count++] =
			doca_comch_producer_task_send_as_task(run->sends[i]);
	}
}

/*
 * Closing
 */

static void stop(struct run *run, struct doca_ctx *ctx)
{
	enum doca_ctx_states state;

	CHECK(doca_ctx_stop(ctx));
	do {
		doca_pe_progress(run->pe);
		CHECK(doca_ctx_get_state(ctx, &state));
	} while (state != DOCA_CTX_STATE_IDLE);
}

static void stop_all(struct run *run)
{
	run->is_ending = true;
	for (int i = 0; i < SENDS; i++)
		doca_task_free(doca_comch_producer_task_send_as_task(run->sends[i]));
	if (!run->thread) {
		__atomic_store_n(
			(uint64_t *)(uintptr_t)(run->handles + offsetof(struct msgq_handles, stop)),
			1, __ATOMIC_RELAXED);
		CHECK(doca_sync_event_wait_gt(run->has_left, 0, UINT64_MAX));
	}
	stop(run, doca_comch_producer_as_ctx(run->producer));
	stop(run, doca_comch_consumer_as_ctx(run->consumer));
	stop(run, doca_comch_consumer_as_ctx(run->dpa_consumer));
	stop(run, doca_comch_producer_as_ctx(run->dpa_producer));
	CHECK(doca_comch_consumer_completion_stop(run->arrivals));
	CHECK(doca_dpa_completion_stop(run->reports));
	if (run->thread)
		CHECK(doca_dpa_thread_stop(run->thread));
}

static void destroy_all(struct run *run)
{
	CHECK(doca_comch_producer_destroy(run->producer));
	CHECK(doca_comch_consumer_destroy(run->consumer));
	CHECK(doca_comch_consumer_destroy(run->dpa_consumer));
	CHECK(doca_comch_producer_destroy(run->dpa_producer));
	CHECK(doca_comch_msgq_stop(run->to_dpa));
	CHECK(doca_comch_msgq_destroy(run->to_dpa));
	CHECK(doca_comch_msgq_stop(run->from_dpa));
	CHECK(doca_comch_msgq_destroy(run->from_dpa));
	CHECK(doca_comch_consumer_completion_destroy(run->arrivals));
	CHECK(doca_dpa_completion_destroy(run->reports));
	CHECK(run->thread ? doca_dpa_thread_destroy(run->thread)
			  : doca_sync_event_destroy(run->has_left));
	CHECK(doca_dpa_mem_free(run->dpa, run->handles));
	CHECK(doca_dpa_destroy(run->dpa));
	CHECK(doca_pe_destroy(run->pe));
	CHECK(doca_dev_close(run->dev));
}

int main(int argc, char **argv)
{
	static const size_t default_sizes[] = {8, MSGQ_MAX_SIZE};
	struct bench_options options;
	struct run run = {.options = &options};

	options_parse(&options, argc, argv);
	options_default_sizes(&options, default_sizes, 2);
	clock_ns_per_tick();
	samples_init(&run.samples);
	pair_pin(options.cpu[1]); /* and the threads that are the DPA */
	open_dpa(&run);
	open_labour(&run);
	open_to_dpa(&run);
	open_from_dpa(&run);
	alloc_sends(&run);
	begin(&run);
	pair_pin(options.cpu[0]);
	run.peer = run.thread ? "softfield_msgq_thread" : "softfield_msgq_kernel";
	if (options.label)
		run.peer = options.label;
	points_for_each(&options, MSGQ_MAX_SIZE, measure_point, &run);
	stop_all(&run);
	destroy_all(&run);
	samples_fini(&run.samples);
	return 0;
}
