/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * DPA code of comch_msgq: answers what wants an answer.
 */
#include <doca_dpa_dev.h>
#include <doca_dpa_dev_comch_msgq.h>
#include "comch_msgq.h"

__dpa_rpc__ uint64_t get_ready(const struct msgq_handles *handles)
{
	doca_dpa_dev_comch_consumer_ack(handles->consumer, MSGQ_DEPTH);
	return 0;
}

/* Answers come before anything is given back: that is for the next message. */
static uint32_t serve(const struct msgq_handles *handles)
{
	doca_dpa_dev_comch_consumer_completion_element_t arrival;
	uint32_t count = 0, size;

	while (count < MSGQ_DEPTH / 2 &&
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

	while (serve(handles))
		;
	doca_dpa_dev_comch_consumer_completion_request_notification(handles->arrivals);
	doca_dpa_dev_thread_reschedule();
}

/* a kernel that polls */
__dpa_global__ void serve_on(const struct msgq_handles *handles)
{
	while (!__atomic_load_n(&handles->stop, __ATOMIC_RELAXED))
		serve(handles);
}
