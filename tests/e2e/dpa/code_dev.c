/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * DPA code of the program scenes.
 */
#include <string.h>
#include <doca_dpa_dev.h>
#include <doca_dpa_dev_buf.h>
#include <doca_dpa_dev_comch_msgq.h>
#include <doca_dpa_dev_sync_event.h>
#include <dpaintrin.h>
#include "code.h"

#define AT_ONCE (DOCA_DPA_DEV_SUBMIT_FLAG_FLUSH | DOCA_DPA_DEV_SUBMIT_FLAG_OPTIMIZE_REPORTS)

static uint64_t load(const uint64_t *value)
{
	return __atomic_load_n(value, __ATOMIC_ACQUIRE);
}

static void count(uint64_t *value)
{
	__atomic_fetch_add(value, 1, __ATOMIC_RELEASE);
}

/*
 * Kernels
 */

__dpa_global__ void fill(uint64_t *values, uint32_t num_values, uint64_t add)
{
	uint32_t step = doca_dpa_dev_num_threads();

	for (uint32_t i = doca_dpa_dev_thread_rank(); i < num_values; i += step)
		values[i] += i + add;
}

__dpa_global__ void sum_up(uint64_t *values, uint32_t num_values, uint64_t *sum)
{
	if (doca_dpa_dev_thread_rank())
		return;
	*sum = 0;
	for (uint32_t i = 0; i < num_values; i++)
		*sum += values[i];
}

__dpa_rpc__ uint64_t mix(struct small small, struct large large, int8_t sign, double real,
			 struct small *pointer, struct small last)
{
	uint64_t result = small.a + small.b + small.c + (uint64_t)large.letter;

	for (uint32_t i = 0; i < sizeof(large.values) / sizeof(large.values[0]); i++)
		result += large.values[i] * (i + 1);
	pointer->b = last.b;
	return result + (uint64_t)(int64_t)sign + (uint64_t)(real * 2) + last.c;
}

/* slots: a buffer array over a struct ring */
__dpa_global__ void empty_ring(uint64_t slots, uint64_t num_values, uint64_t *sum)
{
	doca_dpa_dev_buf_t last = doca_dpa_dev_buf_array_get_buf(slots, RING_SLOTS);
	uint64_t *consumed = (uint64_t *)doca_dpa_dev_buf_get_external_ptr(last);
	uint64_t taken = 0;

	while (taken < num_values) {
		doca_dpa_dev_buf_t buf = doca_dpa_dev_buf_array_get_buf(slots, taken % RING_SLOTS);
		struct slot *slot = (struct slot *)doca_dpa_dev_buf_get_external_ptr(buf);

		if (load(&slot->sequence) != taken + 1)
			continue;
		*sum += slot->value;
		__atomic_store_n(consumed, ++taken, __ATOMIC_RELEASE);
	}
}

/* Each rank does nothing for ever, in a way of its own. */
__dpa_global__ void loop(uint64_t event, uint64_t arrivals, uint64_t *begun)
{
	doca_dpa_dev_comch_consumer_completion_element_t arrival;

	count(begun);
	for (;;) {
		if (doca_dpa_dev_thread_rank() % 3 == 0)
			doca_dpa_dev_yield();
		else if (doca_dpa_dev_thread_rank() % 3 == 1)
			doca_dpa_dev_sync_event_wait_gt(event, 0, UINT64_MAX);
		else
			doca_dpa_dev_comch_consumer_get_completion(arrivals, &arrival);
	}
}

/*
 * Threads
 */

__dpa_global__ void relay(uint64_t argument)
{
	struct relay *relay = (struct relay *)argument;
	unsigned int rank = doca_dpa_dev_thread_rank();

	count(&relay->hops[rank]);
	if (!relay->hops_left) {
		doca_dpa_dev_sync_event_update_add(relay->done, 1);
		doca_dpa_dev_thread_finish();
	}
	relay->hops_left--;
	doca_dpa_dev_thread_notify(relay->next[(rank + 1) % doca_dpa_dev_num_threads()]);
	doca_dpa_dev_thread_reschedule();
}

__dpa_rpc__ uint64_t notify(uint64_t completion)
{
	doca_dpa_dev_thread_notify(completion);
	return 0;
}

static void copy_piece(const struct copier *copier)
{
	uint64_t left = copier->size - copier->copied;

	doca_dpa_dev_post_memcpy(
		copier->ops, (doca_dpa_dev_mmap_t)copier->dst_map, copier->dst + copier->copied,
		(doca_dpa_dev_mmap_t)copier->src_map, copier->src + copier->copied,
		left < copier->piece ? left : copier->piece, DOCA_DPA_DEV_SUBMIT_FLAG_FLUSH);
}

__dpa_rpc__ uint64_t begin_copy(struct copier *copier)
{
	doca_dpa_dev_completion_request_notification(copier->reports);
	copy_piece(copier);
	return 0;
}

static void after_report(struct copier *copier)
{
	if (load(&copier->waits)) { /* what has ended is the wait */
		doca_dpa_dev_sync_event_update_set(copier->done, copier->copied);
		doca_dpa_dev_thread_finish();
	}
	copier->copied += copier->piece;
	if (copier->copied < copier->size) {
		copy_piece(copier);
		return;
	}
	doca_dpa_dev_sync_event_post_wait_gt(copier->ops, copier->go_on, 6);
	count(&copier->waits);
}

/* Its argument is in its local storage. */
__dpa_global__ void copy(uint64_t unused)
{
	struct copier *copier = (struct copier *)doca_dpa_dev_thread_get_local_storage();
	doca_dpa_dev_completion_element_t report;

	(void)unused;
	while (doca_dpa_dev_get_completion(copier->reports, &report)) {
		if (doca_dpa_dev_get_completion_type(report) != DOCA_DPA_DEV_COMP_SEND)
			copier->failures++;
		doca_dpa_dev_completion_ack(copier->reports, 1);
		after_report(copier);
	}
	doca_dpa_dev_completion_request_notification(copier->reports);
	doca_dpa_dev_thread_reschedule();
}

__dpa_global__ void tick(uint64_t *ticks)
{
	count(ticks);
	doca_dpa_dev_thread_reschedule();
}

__dpa_global__ void pester(struct pest *pest)
{
	while (!load(&pest->stop)) {
		doca_dpa_dev_thread_notify(pest->victim);
		count(&pest->triggered);
	}
}

/*
 * Message queues
 */

__dpa_rpc__ uint64_t get_ready(struct worker *worker)
{
	doca_dpa_dev_comch_consumer_ack(worker->consumer, DEPTH);
	return worker->index;
}

static void pass_on(struct worker *worker, doca_dpa_dev_comch_consumer_completion_element_t arrival)
{
	uint32_t producer, size;
	struct note note;

	memset(&note, 0, sizeof(note));
	memcpy(&note, doca_dpa_dev_comch_consumer_get_completion_imm(arrival, &size),
	       sizeof(note) - sizeof(note.rest));
	producer = doca_dpa_dev_comch_consumer_get_completion_producer_id(arrival);
	if (producer != note.from + 1 || note.to != worker->index)
		count(&worker->wrong);
	while (doca_dpa_dev_comch_producer_is_consumer_empty(worker->producer, note.from + 1))
		doca_dpa_dev_yield();
	doca_dpa_dev_comch_producer_post_send_imm_only(worker->producer, note.from + 1,
						       (const uint8_t *)&note, size, AT_ONCE);
}

/* all that is there; messages are given back together */
static uint32_t pass_all_on(struct worker *worker)
{
	doca_dpa_dev_comch_consumer_completion_element_t arrival;
	uint32_t handled = 0;

	while (handled < DEPTH &&
	       doca_dpa_dev_comch_consumer_get_completion(worker->arrivals, &arrival)) {
		pass_on(worker, arrival);
		handled++;
		count(&worker->handled);
	}
	if (!handled)
		return 0;
	doca_dpa_dev_comch_consumer_completion_ack(worker->arrivals, handled);
	doca_dpa_dev_comch_consumer_ack(worker->consumer, handled);
	return handled;
}

__dpa_global__ void work(uint64_t argument)
{
	struct worker *worker = (struct worker *)argument;

	while (pass_all_on(worker))
		;
	doca_dpa_dev_comch_consumer_completion_request_notification(worker->arrivals);
	doca_dpa_dev_thread_reschedule();
}

/* each rank is a worker */
__dpa_global__ void work_in_kernel(struct worker *workers)
{
	struct worker *worker = &workers[doca_dpa_dev_thread_rank()];

	while (!load(&worker->stop))
		pass_all_on(worker);
	__dpa_thread_fence(__DPA_MEMORY, __DPA_RW, __DPA_RW);
}
