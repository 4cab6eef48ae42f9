/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The CPU's half: makes a DPA and two message queues, asks, and takes everything down again. Each
 * part is made after what it needs, and ended before it.
 */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <doca_comch_consumer.h>
#include <doca_comch_msgq.h>
#include <doca_comch_producer.h>
#include <doca_ctx.h>
#include <doca_dev.h>
#include <doca_dpa.h>
#include <doca_pe.h>
#include "msgq.h"

#define SHOWN_QUESTIONS 4

/* What dpacc has made: the application, by its -app-name, and a name for each function. */
extern struct doca_dpa_app *msgq_app;
extern doca_dpa_func_t get_ready, answer_questions;

static uint32_t num_questions = 1000;
static struct doca_dev *dev;
static struct doca_pe *pe;
static struct doca_dpa *dpa;
static struct doca_dpa_thread *thread;
static doca_dpa_dev_uintptr_t handles_address; /* struct dpa_handles, in the DPA's memory */

/* CPU to DPA */
static struct doca_comch_msgq *questions;
static struct doca_comch_producer *asker;
static struct doca_comch_consumer *dpa_consumer;
static struct doca_comch_consumer_completion *arrivals; /* wakes the thread */

/* DPA to CPU */
static struct doca_comch_msgq *answers;
static struct doca_comch_producer *dpa_producer;
static struct doca_dpa_completion *reports; /* of sends; our DPA code wants none */
static struct doca_comch_consumer *listener;

static struct answer last_answer;
static bool is_answered, is_stopping;

static void check_result(doca_error_t result, const char *what)
{
	/* It has begun: stopping what works through the engine. */
	if (result == DOCA_SUCCESS || result == DOCA_ERROR_IN_PROGRESS)
		return;
	fprintf(stderr, "%s: %s\n", doca_error_get_descr(result), what);
	exit(EXIT_FAILURE);
}
#define CHECK(call)   check_result(call, #call)
#define EXPECT(truth) check_result((truth) ? DOCA_SUCCESS : DOCA_ERROR_UNEXPECTED, #truth)

static void create_dpa(void)
{
	char pci_addr[DOCA_DEVINFO_PCI_ADDR_SIZE];
	struct doca_devinfo **list;
	unsigned int num_eus;
	uint32_t count;

	CHECK(doca_devinfo_create_list(&list, &count));
	for (uint32_t i = 0; i < count && !dev; i++)
		if (doca_dpa_cap_is_supported(list[i]) == DOCA_SUCCESS)
			CHECK(doca_dev_open(list[i], &dev));
	CHECK(doca_devinfo_destroy_list(list));
	CHECK(dev ? DOCA_SUCCESS : DOCA_ERROR_NOT_FOUND /* a device with a DPA */);

	CHECK(doca_dpa_create(dev, &dpa));
	CHECK(doca_dpa_set_app(dpa, msgq_app));
	CHECK(doca_dpa_start(dpa));
	CHECK(doca_dpa_get_total_num_eus_available(dpa, &num_eus));
	CHECK(doca_devinfo_get_pci_addr_str(doca_dev_as_devinfo(dev), pci_addr));
	printf("%s has a DPA with %u execution units\n", pci_addr, num_eus);
	fflush(stdout); /* the DPA writes there, too */
}

/* Its argument is an address: what lies there is written when the handles are known. */
static void create_thread(void)
{
	CHECK(doca_dpa_mem_alloc(dpa, sizeof(struct dpa_handles), &handles_address));
	CHECK(doca_dpa_thread_create(dpa, &thread));
	CHECK(doca_dpa_thread_set_func_arg(thread, answer_questions, handles_address));
	CHECK(doca_dpa_thread_start(thread));
}

/*
 * The CPU is called by these, within doca_pe_progress()
 */

static void sent(struct doca_comch_producer_task_send *send, union doca_data task_data,
		 union doca_data ctx_data)
{
	struct doca_task *task = doca_comch_producer_task_send_as_task(send);

	(void)task_data;
	(void)ctx_data;
	CHECK(doca_task_get_status(task));
	doca_task_free(task);
}

static void received(struct doca_comch_consumer_task_post_recv *recv, union doca_data task_data,
		     union doca_data ctx_data)
{
	(void)task_data;
	(void)ctx_data;
	EXPECT(doca_comch_consumer_task_post_recv_get_imm_data_len(recv) == sizeof(last_answer));
	memcpy(&last_answer, doca_comch_consumer_task_post_recv_get_imm_data(recv),
	       sizeof(last_answer));
	is_answered = true;
	/* The message is gone after this. */
	CHECK(doca_task_submit(doca_comch_consumer_task_post_recv_as_task(recv)));
}

/* Also how receives that nothing came for end when the consumer stops. */
static void receive_failed(struct doca_comch_consumer_task_post_recv *recv,
			   union doca_data task_data, union doca_data ctx_data)
{
	struct doca_task *task = doca_comch_consumer_task_post_recv_as_task(recv);

	(void)task_data;
	(void)ctx_data;
	if (!is_stopping)
		CHECK(doca_task_get_status(task));
	doca_task_free(task);
}

/*
 * Queues. One carries messages in one direction.
 */

static void create_questions(void)
{
	struct doca_ctx *ctx;

	CHECK(doca_comch_msgq_create(dev, &questions));
	CHECK(doca_comch_msgq_set_dpa_consumer(questions, dpa));
	CHECK(doca_comch_msgq_start(questions));

	CHECK(doca_comch_consumer_completion_create(&arrivals));
	CHECK(doca_comch_consumer_completion_set_max_num_consumers(arrivals, 1));
	CHECK(doca_comch_consumer_completion_set_max_num_recv(arrivals, DEPTH));
	CHECK(doca_comch_consumer_completion_set_dpa_thread(arrivals, thread));
	CHECK(doca_comch_consumer_completion_start(arrivals));

	CHECK(doca_comch_msgq_consumer_create(questions, &dpa_consumer));
	CHECK(doca_comch_consumer_set_imm_data_len(dpa_consumer, sizeof(struct question)));
	CHECK(doca_comch_consumer_set_dev_max_num_recv(dpa_consumer, DEPTH));
	CHECK(doca_comch_consumer_set_completion(dpa_consumer, arrivals, 0));
	ctx = doca_comch_consumer_as_ctx(dpa_consumer);
	CHECK(doca_ctx_set_datapath_on_dpa(ctx, dpa));
	CHECK(doca_ctx_start(ctx));

	CHECK(doca_comch_msgq_producer_create(questions, &asker));
	CHECK(doca_comch_producer_task_send_set_conf(asker, sent, sent, DEPTH));
	ctx = doca_comch_producer_as_ctx(asker);
	CHECK(doca_pe_connect_ctx(pe, ctx));
	CHECK(doca_ctx_start(ctx));
}

static void create_answers(void)
{
	struct doca_ctx *ctx;

	CHECK(doca_comch_msgq_create(dev, &answers));
	CHECK(doca_comch_msgq_set_dpa_producer(answers, dpa));
	CHECK(doca_comch_msgq_start(answers));

	CHECK(doca_comch_msgq_consumer_create(answers, &listener));
	CHECK(doca_comch_consumer_set_imm_data_len(listener, sizeof(struct answer)));
	CHECK(doca_comch_consumer_task_post_recv_set_conf(listener, received, receive_failed,
							  DEPTH));
	ctx = doca_comch_consumer_as_ctx(listener);
	CHECK(doca_pe_connect_ctx(pe, ctx));
	CHECK(doca_ctx_start(ctx));

	CHECK(doca_dpa_completion_create(dpa, DEPTH, &reports));
	CHECK(doca_dpa_completion_start(reports));
	CHECK(doca_comch_msgq_producer_create(answers, &dpa_producer));
	CHECK(doca_comch_producer_set_dev_max_num_send(dpa_producer, DEPTH));
	CHECK(doca_comch_producer_dpa_completion_attach(dpa_producer, reports));
	ctx = doca_comch_producer_as_ctx(dpa_producer);
	CHECK(doca_ctx_set_datapath_on_dpa(ctx, dpa));
	CHECK(doca_ctx_start(ctx));
}

/* Both sides can receive, and the DPA's thread runs when a question comes. */
static void get_both_ready(void)
{
	struct doca_comch_consumer_task_post_recv *recv;
	struct dpa_handles handles;
	uint64_t num_posted;

	for (int i = 0; i < DEPTH; i++) { /* without buffers: messages are immediate data */
		CHECK(doca_comch_consumer_task_post_recv_alloc_init(listener, NULL, &recv));
		CHECK(doca_task_submit(doca_comch_consumer_task_post_recv_as_task(recv)));
	}
	CHECK(doca_dpa_get_dpa_handle(dpa, &handles.dpa));
	CHECK(doca_comch_consumer_completion_get_dpa_handle(arrivals, &handles.arrivals));
	CHECK(doca_comch_consumer_get_dpa_handle(dpa_consumer, &handles.consumer));
	CHECK(doca_comch_producer_get_dpa_handle(dpa_producer, &handles.producer));
	CHECK(doca_dpa_h2d_memcpy(dpa, handles_address, &handles, sizeof(handles)));
	CHECK(doca_dpa_rpc(dpa, get_ready, &num_posted, handles_address));
	EXPECT(num_posted == DEPTH);
	CHECK(doca_dpa_thread_run(thread));
}

/*
 * The conversation
 */

static void ask(const struct question *question)
{
	uint32_t size = (2 + question->count) * sizeof(uint32_t);
	struct doca_comch_producer_task_send *send;

	is_answered = false;
	CHECK(doca_comch_producer_task_send_alloc_init(asker, NULL, (uint8_t *)(uintptr_t)question,
						       size, CONSUMER_ID, &send));
	CHECK(doca_task_submit(doca_comch_producer_task_send_as_task(send)));
	while (!is_answered)
		doca_pe_progress(pe);
}

static void converse(void)
{
	struct timespec start, end;
	double total_us = 0;

	for (uint32_t i = 0; i < num_questions; i++) {
		struct question question = {.number = i, .count = 1 + i % MAX_VALUES};
		uint32_t sum = 0;

		for (uint32_t k = 0; k < question.count; k++)
			sum += question.values[k] = i + k;
		clock_gettime(CLOCK_MONOTONIC, &start);
		ask(&question);
		clock_gettime(CLOCK_MONOTONIC, &end);
		total_us += (double)(end.tv_sec - start.tv_sec) * 1e6 +
			    (double)(end.tv_nsec - start.tv_nsec) / 1e3;
		if (i < SHOWN_QUESTIONS)
			printf("question %u: the sum of %u numbers from %u on?  answer: %u\n", i,
			       question.count, i, last_answer.sum);
		EXPECT(last_answer.number == i);
		EXPECT(last_answer.sum == sum);
	}
	CHECK(doca_dpa_peek_at_last_error(dpa));
	printf("%u questions answered, each in %.2f us there and back\n", num_questions,
	       total_us / num_questions);
}

/*
 * Taking down: first all is stopped, users before what they use; then nothing uses anything
 */

/* An end on the DPA is idle at once; one on the CPU may have receives to give back first. */
static void stop_end(struct doca_ctx *ctx)
{
	enum doca_ctx_states state;

	CHECK(doca_ctx_stop(ctx));
	do {
		doca_pe_progress(pe);
		CHECK(doca_ctx_get_state(ctx, &state));
	} while (state != DOCA_CTX_STATE_IDLE);
}

static void stop(void)
{
	is_stopping = true;
	stop_end(doca_comch_producer_as_ctx(asker));
	stop_end(doca_comch_consumer_as_ctx(listener));
	stop_end(doca_comch_consumer_as_ctx(dpa_consumer));
	stop_end(doca_comch_producer_as_ctx(dpa_producer));
	CHECK(doca_comch_consumer_completion_stop(arrivals));
	CHECK(doca_dpa_completion_stop(reports));
	CHECK(doca_dpa_thread_stop(thread)); /* DPA code does not run any more */
}

static void destroy(void)
{
	CHECK(doca_comch_producer_destroy(asker));
	CHECK(doca_comch_consumer_destroy(listener));
	CHECK(doca_comch_consumer_destroy(dpa_consumer));
	CHECK(doca_comch_producer_destroy(dpa_producer));
	CHECK(doca_comch_msgq_stop(questions)); /* not before its ends are gone */
	CHECK(doca_comch_msgq_destroy(questions));
	CHECK(doca_comch_msgq_stop(answers));
	CHECK(doca_comch_msgq_destroy(answers));
	CHECK(doca_comch_consumer_completion_destroy(arrivals));
	CHECK(doca_dpa_completion_destroy(reports));
	CHECK(doca_dpa_thread_destroy(thread));
	CHECK(doca_dpa_mem_free(dpa, handles_address));
	CHECK(doca_dpa_stop(dpa));
	CHECK(doca_dpa_destroy(dpa));
	CHECK(doca_pe_destroy(pe));
	CHECK(doca_dev_close(dev));
}

static void parse_arguments(int argc, char **argv)
{
	if (argc == 1)
		return;
	num_questions = (uint32_t)strtoul(argv[1], NULL, 10);
	if (num_questions && argc == 2)
		return;
	printf("usage: doca_msgq [COUNT]\n"
	       "Asks the DPA COUNT questions, 1000 if not given, and tells how long that took.\n");
	exit(strcmp(argv[1], "--help") ? EXIT_FAILURE : EXIT_SUCCESS);
}

int main(int argc, char **argv)
{
	parse_arguments(argc, argv);
	CHECK(doca_pe_create(&pe));
	create_dpa();
	create_thread();
	create_questions();
	create_answers();
	get_both_ready();
	converse();
	stop();
	destroy();
	return EXIT_SUCCESS;
}
