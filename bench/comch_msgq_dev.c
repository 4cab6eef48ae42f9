/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * DPA code of comch_msgq: answers what wants an answer.
 */
#include <unistd.h>
#include <doca_dpa_dev.h>
#include <doca_dpa_dev_comch_msgq.h>
#include "comch_msgq.h"

__dpa_rpc__ uint64_t get_ready(const struct msgq_handles *handles)
{
	doca_dpa_dev_comch_consumer_ack(handles->consumer, MSGQ_DEPTH);
	return 0;
}

/*
 * Up to max messages; how many there were. Answers come before anything is given back: that is for
 * the next message.
 */
static uint32_t serve(const struct msgq_handles *handles, uint32_t max)
{
	doca_dpa_dev_comch_consumer_completion_element_t arrival;
	uint32_t count = 0, size;

	while (count < max &&
	       doca_dpa_dev_comch_consumer_get_completion(handles->arrivals, &arrival)) {
		const uint8_t *message =
			doca_dpa_dev_comch_consumer_get_completion_imm(arrival, &size);

		count++;
		if (message[0] == ECHO)
			doca_dpa_dev_comch_producer_post_send_imm_only(
				handles->producer, MSGQ_CONSUMER_ID, message, size,
				DOCA_DPA_DEV_SUBMIT_FLAG_FLUSH |
					DOCA_DPA_DEV_SUBMIT_FLAG_OPTIMIZE_REPORTS);
	}
	if (!count)
		return 0;
	doca_dpa_dev_comch_consumer_completion_ack(handles->arrivals, count);
	doca_dpa_dev_comch_consumer_ack(handles->consumer, count);
	return count;
}

/* a thread's function: begins anew for what comes later */
__dpa_global__ void serve_once(uint64_t argument)
{
	const struct msgq_handles *handles = (const struct msgq_handles *)argument;

	while (serve(handles, MSGQ_DEPTH / 2))
		;
	doca_dpa_dev_comch_consumer_completion_request_notification(handles->arrivals);
	doca_dpa_dev_thread_reschedule();
}

/* a kernel that polls */
__dpa_global__ void serve_on(const struct msgq_handles *handles)
{
	while (!__atomic_load_n(&handles->stop, __ATOMIC_RELAXED))
		serve(handles, MSGQ_DEPTH / 2);
}

/*
 * In turns with the CPU; all of them are triggered by a first message.
 */

/* Gives the turn back and waits for the next one; how many messages it is about, 0: none */
static uint8_t next_turn(const struct msgq_handles *handles)
{
	uint8_t count = 0;

	if (write(handles->to_cpu, &count, 1) != 1 || read(handles->from_cpu, &count, 1) != 1)
		return 0;
	return count;
}

/* Takes messages that are all there: as serve_on() does, and never in vain. */
__dpa_global__ void take_in_turns(uint64_t argument)
{
	const struct msgq_handles *handles = (const struct msgq_handles *)argument;
	uint32_t count = 1;

	do
		while (count)
			count -= serve(handles, count);
	while ((count = next_turn(handles)));
}

/* As serve_once(), but for one message; what comes later is there when it gives its unit up. */
__dpa_global__ void serve_in_turns(uint64_t argument)
{
	const struct msgq_handles *handles = (const struct msgq_handles *)argument;

	serve(handles, 1);
	if (!next_turn(handles))
		return;
	doca_dpa_dev_comch_consumer_completion_request_notification(handles->arrivals);
	doca_dpa_dev_thread_reschedule();
}

/* Sends messages like the first one. */
__dpa_global__ void send_in_turns(uint64_t argument)
{
	const struct msgq_handles *handles = (const struct msgq_handles *)argument;
	doca_dpa_dev_comch_consumer_completion_element_t arrival;
	const uint8_t *message;
	uint32_t count, size;

	if (!doca_dpa_dev_comch_consumer_get_completion(handles->arrivals, &arrival))
		return;
	message = doca_dpa_dev_comch_consumer_get_completion_imm(arrival, &size);
	while ((count = next_turn(handles)))
		while (count--)
			doca_dpa_dev_comch_producer_post_send_imm_only(
				handles->producer, MSGQ_CONSUMER_ID, message, size,
				DOCA_DPA_DEV_SUBMIT_FLAG_FLUSH |
					DOCA_DPA_DEV_SUBMIT_FLAG_OPTIMIZE_REPORTS);
}
