/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A crew on both sides of two message queues.
 */
#include "traffic.h"

#include <stddef.h>
#include <string.h>
#include <doca_error.h>

#define SENDS 8u /* tasks of a producer on the CPU */

/*
 * Callbacks of the CPU's ends
 */

static void sent(struct doca_comch_producer_task_send *send, union doca_data task_data,
		 union doca_data ctx_data)
{
	struct doca_task *task = doca_comch_producer_task_send_as_task(send);
	struct talker *talker = ctx_data.ptr;

	(void)task_data;
	MUST(doca_task_get_status(task) == DOCA_SUCCESS || talker->crew->is_ending);
	talker->in_flight--;
	doca_task_free(task);
}

/* Nothing is lost, doubled, changed, or overtakes what the same one has sent. */
static void check_note(struct talker *talker, const struct doca_comch_consumer_task_post_recv *recv)
{
	uint32_t size = doca_comch_consumer_task_post_recv_get_imm_data_len(recv);
	struct note note = {0};

	memcpy(&note, doca_comch_consumer_task_post_recv_get_imm_data(recv), size);
	MUST(note.from == talker->index && note.to < talker->crew->num_hands);
	MUST(size == sizeof(note) - note.number % sizeof(note.rest));
	MUST(doca_comch_consumer_task_post_recv_get_producer_id(recv) == note.to + 1);
	MUST(note.number == talker->to_receive[note.to]);
	talker->to_receive[note.to]++;
	talker->received++;
}

static void received(struct doca_comch_consumer_task_post_recv *recv, union doca_data task_data,
		     union doca_data ctx_data)
{
	struct talker *talker = ctx_data.ptr;

	(void)task_data;
	check_note(talker, recv);
	if (talker->crew->is_ending) {
		talker->posted--;
		doca_task_free(doca_comch_consumer_task_post_recv_as_task(recv));
		return;
	}
	OK(doca_task_submit(doca_comch_consumer_task_post_recv_as_task(recv)));
}

static void receive_failed(struct doca_comch_consumer_task_post_recv *recv,
			   union doca_data task_data, union doca_data ctx_data)
{
	struct talker *talker = ctx_data.ptr;

	(void)task_data;
	MUST(talker->crew->is_ending);
	talker->posted--;
	doca_task_free(doca_comch_consumer_task_post_recv_as_task(recv));
}

/*
 * Opening
 */

static void run_on_cpu(struct talker *talker, struct doca_ctx *ctx)
{
	OK(doca_ctx_set_user_data(ctx, (union doca_data){.ptr = talker}));
	OK(doca_pe_connect_ctx(talker->crew->scene.pe, ctx));
	OK(doca_ctx_start(ctx));
}

static void run_on_dpa(struct crew *crew, struct doca_ctx *ctx)
{
	OK(doca_ctx_set_datapath_on_dpa(ctx, crew->scene.dpa));
	OK(doca_ctx_start(ctx));
}

static void open_queues(struct crew *crew)
{
	OK(doca_comch_msgq_create(crew->scene.dev, &crew->to_dpa));
	OK(doca_comch_msgq_set_dpa_consumer(crew->to_dpa, crew->scene.dpa));
	OK(doca_comch_msgq_set_max_num_consumers(crew->to_dpa, crew->num_hands));
	OK(doca_comch_msgq_set_max_num_producers(crew->to_dpa, crew->num_talkers));
	OK(doca_comch_msgq_start(crew->to_dpa));
	OK(doca_comch_msgq_create(crew->scene.dev, &crew->from_dpa));
	OK(doca_comch_msgq_set_dpa_producer(crew->from_dpa, crew->scene.dpa));
	OK(doca_comch_msgq_set_max_num_consumers(crew->from_dpa, crew->num_talkers));
	OK(doca_comch_msgq_set_max_num_producers(crew->from_dpa, crew->num_hands));
	OK(doca_comch_msgq_start(crew->from_dpa));
}

static void open_arrivals(struct hand *hand, struct worker *worker)
{
	OK(doca_comch_consumer_completion_create(&hand->arrivals));
	OK(doca_comch_consumer_completion_set_max_num_consumers(hand->arrivals, 1));
	OK(doca_comch_consumer_completion_set_max_num_recv(hand->arrivals, DEPTH));
	if (hand->thread)
		OK(doca_comch_consumer_completion_set_dpa_thread(hand->arrivals, hand->thread));
	OK(doca_comch_consumer_completion_start(hand->arrivals));
	OK(doca_comch_consumer_completion_get_dpa_handle(hand->arrivals, &worker->arrivals));
}

static void open_hand(struct crew *crew, struct hand *hand, struct worker *worker)
{
	open_arrivals(hand, worker);
	OK(doca_comch_msgq_consumer_create(crew->to_dpa, &hand->consumer));
	OK(doca_comch_consumer_set_imm_data_len(hand->consumer, sizeof(struct note)));
	OK(doca_comch_consumer_set_dev_max_num_recv(hand->consumer, DEPTH));
	OK(doca_comch_consumer_set_completion(hand->consumer, hand->arrivals, 0));
	run_on_dpa(crew, doca_comch_consumer_as_ctx(hand->consumer));
	OK(doca_comch_consumer_get_dpa_handle(hand->consumer, &worker->consumer));

	OK(doca_dpa_completion_create(crew->scene.dpa, DEPTH, &hand->reports));
	OK(doca_dpa_completion_start(hand->reports));
	OK(doca_comch_msgq_producer_create(crew->from_dpa, &hand->producer));
	OK(doca_comch_producer_set_dev_max_num_send(hand->producer, DEPTH));
	OK(doca_comch_producer_dpa_completion_attach(hand->producer, hand->reports));
	run_on_dpa(crew, doca_comch_producer_as_ctx(hand->producer));
	OK(doca_comch_producer_get_dpa_handle(hand->producer, &worker->producer));
}

static void open_talker(struct crew *crew, struct talker *talker)
{
	struct doca_comch_consumer_task_post_recv *recv;

	talker->crew = crew;
	OK(doca_comch_msgq_producer_create(crew->to_dpa, &talker->producer));
	OK(doca_comch_producer_task_send_set_conf(talker->producer, sent, sent, SENDS));
	run_on_cpu(talker, doca_comch_producer_as_ctx(talker->producer));
	OK(doca_comch_msgq_consumer_create(crew->from_dpa, &talker->consumer));
	OK(doca_comch_consumer_set_imm_data_len(talker->consumer, sizeof(struct note)));
	OK(doca_comch_consumer_task_post_recv_set_conf(talker->consumer, received, receive_failed,
						       DEPTH));
	run_on_cpu(talker, doca_comch_consumer_as_ctx(talker->consumer));
	for (; talker->posted < DEPTH; talker->posted++) {
		OK(doca_comch_consumer_task_post_recv_alloc_init(talker->consumer, NULL, &recv));
		OK(doca_task_submit(doca_comch_consumer_task_post_recv_as_task(recv)));
	}
}

static doca_dpa_dev_uintptr_t worker_address(const struct crew *crew, uint32_t index)
{
	return crew->workers + index * sizeof(struct worker);
}

static void hire_threads(struct crew *crew, enum labour labour)
{
	struct doca_dpa_eu_affinity *affinity = NULL;

	if (labour == BY_THREADS_OF_ONE_UNIT) {
		OK(doca_dpa_eu_affinity_create(crew->scene.dpa, &affinity));
		OK(doca_dpa_eu_affinity_set(affinity, 3));
	}
	for (uint32_t i = 0; i < crew->num_hands; i++) {
		struct doca_dpa_thread *thread;

		OK(doca_dpa_thread_create(crew->scene.dpa, &thread));
		OK(doca_dpa_thread_set_func_arg(thread, work, worker_address(crew, i)));
		if (affinity)
			OK(doca_dpa_thread_set_affinity(thread, affinity));
		OK(doca_dpa_thread_start(thread));
		crew->hands[i].thread = thread;
	}
	if (affinity)
		OK(doca_dpa_eu_affinity_destroy(affinity));
}

static void begin_work(struct crew *crew)
{
	uint64_t index;

	for (uint32_t i = 0; i < crew->num_hands; i++) {
		OK(doca_dpa_rpc(crew->scene.dpa, get_ready, &index, worker_address(crew, i)));
		MUST(index == i);
		if (crew->hands[i].thread)
			OK(doca_dpa_thread_run(crew->hands[i].thread));
	}
	if (crew->kernel_done)
		OK(doca_dpa_kernel_launch_update_set(crew->scene.dpa, NULL, 0, crew->kernel_done, 1,
						     crew->num_hands, work_in_kernel,
						     crew->workers));
}

void crew_open(struct crew *crew, uint32_t num_talkers, uint32_t num_hands, enum labour labour)
{
	struct worker workers[MAX_ENDS] = {0};

	memset(crew, 0, sizeof(*crew));
	scene_open(&crew->scene);
	crew->num_talkers = num_talkers;
	crew->num_hands = num_hands;
	crew->workers = scene_alloc(&crew->scene, sizeof(workers));
	if (labour == BY_KERNEL)
		crew->kernel_done = scene_event(&crew->scene, DPA_TO_CPU);
	else
		hire_threads(crew, labour);
	open_queues(crew);
	for (uint32_t i = 0; i < num_hands; i++) {
		workers[i].index = i;
		open_hand(crew, &crew->hands[i], &workers[i]);
	}
	scene_write(&crew->scene, crew->workers, workers, sizeof(workers));
	for (uint32_t i = 0; i < num_talkers; i++) {
		crew->talkers[i].index = i;
		open_talker(crew, &crew->talkers[i]);
	}
	begin_work(crew);
}

/*
 * Talking
 */

static void send_note(struct talker *talker)
{
	struct doca_comch_producer_task_send *task;
	uint32_t to = talker->next_worker;
	struct note note = {.from = talker->index, .to = to, .number = talker->to_send[to]++};
	uint32_t size = (uint32_t)(sizeof(note) - note.number % sizeof(note.rest));

	OK(doca_comch_producer_task_send_alloc_init(talker->producer, NULL, (uint8_t *)&note, size,
						    to + 1, &task));
	OK(doca_task_submit(doca_comch_producer_task_send_as_task(task)));
	talker->in_flight++;
	talker->next_worker = (to + 1) % talker->crew->num_hands;
}

void crew_talk(struct crew *crew, uint64_t each)
{
	for (uint32_t i = 0; i < crew->num_talkers; i++) {
		struct talker *talker = &crew->talkers[i];

		if (talker->in_flight < SENDS && talker->to_send[talker->next_worker] < each)
			send_note(talker);
	}
	doca_pe_progress(crew->scene.pe);
}

bool crew_is_done(const struct crew *crew, uint64_t each)
{
	return crew_received(crew) == each * crew->num_talkers * crew->num_hands;
}

uint64_t crew_received(const struct crew *crew)
{
	uint64_t sum = 0;

	for (uint32_t i = 0; i < crew->num_talkers; i++)
		sum += crew->talkers[i].received;
	return sum;
}

/*
 * Closing: first all is stopped, so that DPA code has nothing that is gone
 */

static void end_kernel(struct crew *crew)
{
	for (uint32_t i = 0; i < crew->num_hands; i++)
		__atomic_store_n((uint64_t *)(uintptr_t)(worker_address(crew, i) +
							 offsetof(struct worker, stop)),
				 1, __ATOMIC_RELEASE);
	/* It may wait for receives of ours to come back. */
	for (uint64_t value = 0; !value; OK(doca_sync_event_get(crew->kernel_done, &value)))
		doca_pe_progress(crew->scene.pe);
}

static void stop_all(struct crew *crew)
{
	struct scene *scene = &crew->scene;

	if (crew->kernel_done)
		end_kernel(crew);
	crew->is_ending = true;
	for (uint32_t i = 0; i < crew->num_talkers; i++) {
		scene_stop(scene, doca_comch_producer_as_ctx(crew->talkers[i].producer));
		scene_stop(scene, doca_comch_consumer_as_ctx(crew->talkers[i].consumer));
		MUST(!crew->talkers[i].in_flight && !crew->talkers[i].posted);
	}
	for (uint32_t i = 0; i < crew->num_hands; i++) {
		struct hand *hand = &crew->hands[i];

		scene_stop(scene, doca_comch_consumer_as_ctx(hand->consumer));
		scene_stop(scene, doca_comch_producer_as_ctx(hand->producer));
		if (hand->thread)
			MUST(doca_dpa_thread_stop(hand->thread) == DOCA_ERROR_IN_USE);
		OK(doca_comch_consumer_completion_stop(hand->arrivals));
		OK(doca_dpa_completion_stop(hand->reports));
		if (hand->thread)
			OK(doca_dpa_thread_stop(hand->thread));
	}
}

static void check_workers(struct crew *crew)
{
	struct worker workers[MAX_ENDS];
	uint64_t handled = 0;

	scene_read(&crew->scene, workers, crew->workers, sizeof(workers));
	for (uint32_t i = 0; i < crew->num_hands; i++) {
		MUST(!workers[i].wrong);
		handled += workers[i].handled;
	}
	MUST(handled >= crew_received(crew));
}

static void destroy_ends(struct crew *crew)
{
	for (uint32_t i = 0; i < crew->num_talkers; i++) {
		OK(doca_comch_producer_destroy(crew->talkers[i].producer));
		OK(doca_comch_consumer_destroy(crew->talkers[i].consumer));
	}
	for (uint32_t i = 0; i < crew->num_hands; i++) {
		OK(doca_comch_consumer_destroy(crew->hands[i].consumer));
		OK(doca_comch_producer_destroy(crew->hands[i].producer));
	}
	OK(doca_comch_msgq_stop(crew->to_dpa));
	OK(doca_comch_msgq_destroy(crew->to_dpa));
	OK(doca_comch_msgq_stop(crew->from_dpa));
	OK(doca_comch_msgq_destroy(crew->from_dpa));
}

static void destroy_hands(struct crew *crew)
{
	for (uint32_t i = 0; i < crew->num_hands; i++) {
		OK(doca_comch_consumer_completion_destroy(crew->hands[i].arrivals));
		OK(doca_dpa_completion_destroy(crew->hands[i].reports));
		if (crew->hands[i].thread)
			OK(doca_dpa_thread_destroy(crew->hands[i].thread));
	}
	if (crew->kernel_done)
		OK(doca_sync_event_destroy(crew->kernel_done));
}

void crew_close(struct crew *crew)
{
	stop_all(crew);
	check_workers(crew);
	destroy_ends(crew);
	destroy_hands(crew);
	OK(doca_dpa_mem_free(crew->scene.dpa, crew->workers));
	scene_close(&crew->scene);
}

/* Contexts and completions are over there; what may be stopped still must be. */
void crew_close_inherited(struct crew *crew)
{
	destroy_ends(crew);
	for (uint32_t i = 0; i < crew->num_hands; i++) {
		(void)doca_comch_consumer_completion_stop(crew->hands[i].arrivals);
		(void)doca_dpa_completion_stop(crew->hands[i].reports);
		if (crew->hands[i].thread)
			OK(doca_dpa_thread_stop(crew->hands[i].thread));
	}
	destroy_hands(crew);
	OK(doca_dpa_mem_free(crew->scene.dpa, crew->workers));
	OK(doca_dpa_destroy(crew->scene.dpa));
	OK(doca_pe_destroy(crew->scene.pe));
	OK(doca_dev_close(crew->scene.dev));
}
