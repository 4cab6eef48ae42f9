/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The DPA's half: answers questions. dpacc compiles it.
 */
#include <string.h>
#include <doca_dpa_dev.h>
#include <doca_dpa_dev_comch_msgq.h>
#include "msgq.h"

/* Called once, before the first question: there is room for so many, and the first one shall start
 * the thread. */
__dpa_rpc__ uint64_t get_ready(uint64_t handles_address)
{
	const struct dpa_handles *handles = (const struct dpa_handles *)handles_address;

	doca_dpa_dev_device_set(handles->dpa);
	doca_dpa_dev_comch_consumer_ack(handles->consumer, DEPTH);
	doca_dpa_dev_comch_consumer_completion_request_notification(handles->arrivals);
	DOCA_DPA_DEV_LOG_INFO("the DPA has posted %d receives\n", DEPTH);
	return DEPTH;
}

static void answer(const struct dpa_handles *handles, const struct question *question)
{
	struct answer answer = {.number = question->number};

	for (uint32_t i = 0; i < question->count && i < MAX_VALUES; i++)
		answer.sum += question->values[i];
	while (doca_dpa_dev_comch_producer_is_consumer_empty(handles->producer, CONSUMER_ID))
		doca_dpa_dev_yield(); /* the CPU has no receive posted now */
	doca_dpa_dev_comch_producer_post_send_imm_only(
		handles->producer, CONSUMER_ID, (const uint8_t *)&answer, sizeof(answer),
		DOCA_DPA_DEV_SUBMIT_FLAG_FLUSH | DOCA_DPA_DEV_SUBMIT_FLAG_OPTIMIZE_REPORTS);
}

/* The thread's function: begins anew for questions that come after it has asked to be told. */
__dpa_global__ void answer_questions(uint64_t handles_address)
{
	const struct dpa_handles *handles = (const struct dpa_handles *)handles_address;
	doca_dpa_dev_comch_consumer_completion_element_t arrival;
	struct question question;
	const uint8_t *message;
	uint32_t size;

	doca_dpa_dev_device_set(handles->dpa);
	while (doca_dpa_dev_comch_consumer_get_completion(handles->arrivals, &arrival)) {
		message = doca_dpa_dev_comch_consumer_get_completion_imm(arrival, &size);
		memset(&question, 0, sizeof(question));
		memcpy(&question, message, size < sizeof(question) ? size : sizeof(question));
		/* The message is gone after this, and the next one may come in its place. */
		doca_dpa_dev_comch_consumer_completion_ack(handles->arrivals, 1);
		doca_dpa_dev_comch_consumer_ack(handles->consumer, 1);
		answer(handles, &question);
	}
	doca_dpa_dev_comch_consumer_completion_request_notification(handles->arrivals);
	doca_dpa_dev_thread_reschedule(); /* does not return */
}
