/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Message queues with a DPA under load: producers and consumers of which some are on it, and whose
 * ends come and go while the others work.
 */
#include "test.h"

#include <pthread.h>
#include "../unit/dpa/rig.h"
#include "doca_comch_consumer.h"
#include "doca_comch_msgq.h"
#include "doca_comch_producer.h"
#include "doca_ctx.h"
#include "doca_dpa_dev_comch_msgq.h"
#include "doca_pe.h"

#define PAIRS	    8u
#define DEPTH	    32u
#define MESSAGES    3000u /* of each producer */
#define ROUNDS	    4
#define GENERATIONS 60
#define STARTS	    300

/* One queue whose producers and consumers are all on the DPA. */
struct load {
	struct rig rig;
	struct doca_comch_msgq *msgq;
	struct doca_comch_consumer_completion *completions[PAIRS];
	struct doca_comch_consumer *consumers[PAIRS];
	struct doca_comch_producer *producers[PAIRS];
	struct doca_dpa_thread *threads[PAIRS]; /* of the consumers */
	/* those that there are, or were last */
	_Atomic doca_dpa_dev_comch_consumer_completion_t completion_handles[PAIRS];
	_Atomic doca_dpa_dev_comch_consumer_t consumer_handles[PAIRS];
	_Atomic doca_dpa_dev_comch_producer_t producer_handles[PAIRS];
	_Atomic uint64_t received, sum, sent;
	bool keeps_sending;
};

static struct load load;

/*
 * DPA code
 */

static void receive(uint64_t index)
{
	doca_dpa_dev_comch_consumer_completion_element_t element;
	uint32_t count = 0, value, size;

	while (doca_dpa_dev_comch_consumer_get_completion(load.completion_handles[index],
							  &element)) {
		memcpy(&value, doca_dpa_dev_comch_consumer_get_completion_imm(element, &size), 4);
		atomic_fetch_add(&load.sum, value);
		count++;
	}
	doca_dpa_dev_comch_consumer_completion_ack(load.completion_handles[index], count);
	doca_dpa_dev_comch_consumer_completion_request_notification(load.completion_handles[index]);
	doca_dpa_dev_comch_consumer_ack(load.consumer_handles[index], count);
	atomic_fetch_add(&load.received, count);
	doca_dpa_dev_thread_reschedule();
}
GLOBAL(receives, receive)

/* a rank for each producer; to all consumers in turn */
static void send(uint64_t arg)
{
	unsigned int rank = doca_dpa_dev_thread_rank();

	(void)arg;
	for (uint32_t i = 0; i < MESSAGES || load.keeps_sending; i++) {
		doca_dpa_dev_comch_producer_post_send_imm_only(
			load.producer_handles[rank], i % PAIRS + 1, (uint8_t *)&i, sizeof(i),
			DOCA_DPA_DEV_SUBMIT_FLAG_FLUSH);
		atomic_fetch_add(&load.sent, 1);
	}
}
GLOBAL(sends, send)

static uint64_t post(uint64_t index)
{
	doca_dpa_dev_comch_consumer_ack(load.consumer_handles[index], DEPTH);
	return 0;
}
RPC(posts, post)

static const struct softfield_dpa_func funcs[] = {
	GLOBAL_ROW(receives),
	GLOBAL_ROW(sends),
	RPC_ROW(posts),
};

/*
 * The CPU
 */

static void run(struct doca_ctx *ctx)
{
	assert_ok(doca_ctx_set_datapath_on_dpa(ctx, load.rig.dpa));
	assert_ok(doca_ctx_start(ctx));
}

static void add_consumer(uint64_t i)
{
	struct doca_comch_consumer_completion *completion;
	uint64_t value, handle;

	load.threads[i] = add_thread(&load.rig, receives, i);
	assert_ok(doca_comch_consumer_completion_create(&completion));
	assert_ok(doca_comch_consumer_completion_set_max_num_recv(completion, DEPTH));
	assert_ok(doca_comch_consumer_completion_set_dpa_thread(completion, load.threads[i]));
	assert_ok(doca_comch_consumer_completion_start(completion));
	assert_ok(doca_comch_consumer_completion_get_dpa_handle(completion, &handle));
	load.completion_handles[i] = handle;
	load.completions[i] = completion;
	assert_ok(doca_comch_msgq_consumer_create(load.msgq, &load.consumers[i]));
	assert_ok(doca_comch_consumer_set_imm_data_len(load.consumers[i], sizeof(uint32_t)));
	assert_ok(doca_comch_consumer_set_completion(load.consumers[i], completion, 0));
	assert_ok(doca_comch_consumer_set_dev_max_num_recv(load.consumers[i], DEPTH));
	run(doca_comch_consumer_as_ctx(load.consumers[i]));
	assert_ok(doca_comch_consumer_get_dpa_handle(load.consumers[i], &handle));
	load.consumer_handles[i] = handle;
	assert_ok(doca_dpa_rpc(load.rig.dpa, posts, &value, i));
	assert_ok(doca_dpa_thread_run(load.threads[i]));
}

static void add_producer(unsigned int i)
{
	uint64_t handle;

	assert_ok(doca_comch_msgq_producer_create(load.msgq, &load.producers[i]));
	assert_ok(doca_comch_producer_set_dev_max_num_send(load.producers[i], DEPTH));
	run(doca_comch_producer_as_ctx(load.producers[i]));
	assert_ok(doca_comch_producer_get_dpa_handle(load.producers[i], &handle));
	load.producer_handles[i] = handle;
}

static void begin(bool keeps_sending)
{
	memset(&load, 0, sizeof(load));
	load.keeps_sending = keeps_sending;
	rig_init(&load.rig, funcs, ARRAY_SIZE(funcs));
	assert_ok(doca_comch_msgq_create(load.rig.dev, &load.msgq));
	assert_ok(doca_comch_msgq_set_max_num_consumers(load.msgq, PAIRS));
	assert_ok(doca_comch_msgq_set_max_num_producers(load.msgq, PAIRS));
	assert_ok(doca_comch_msgq_set_dpa_consumer(load.msgq, load.rig.dpa));
	assert_ok(doca_comch_msgq_set_dpa_producer(load.msgq, load.rig.dpa));
	assert_ok(doca_comch_msgq_start(load.msgq));
	for (uint64_t i = 0; i < PAIRS; i++)
		add_consumer(i);
	for (unsigned int i = 0; i < PAIRS; i++)
		add_producer(i);
	assert_ok(doca_dpa_kernel_launch_update_set(load.rig.dpa, NULL, 0, NULL, 0, PAIRS, sends,
						    UINT64_C(0)));
}

static void remove_consumer(unsigned int i)
{
	assert_ok(doca_ctx_stop(doca_comch_consumer_as_ctx(load.consumers[i])));
	assert_ok(doca_comch_consumer_destroy(load.consumers[i]));
	assert_ok(doca_comch_consumer_completion_stop(load.completions[i]));
	assert_ok(doca_comch_consumer_completion_destroy(load.completions[i]));
	assert_ok(doca_dpa_thread_stop(load.threads[i]));
	assert_ok(doca_dpa_thread_destroy(load.threads[i]));
}

static void remove_producer(unsigned int i)
{
	assert_ok(doca_ctx_stop(doca_comch_producer_as_ctx(load.producers[i])));
	assert_ok(doca_comch_producer_destroy(load.producers[i]));
}

static void end(void)
{
	assert_ok(doca_comch_msgq_stop(load.msgq));
	assert_ok(doca_comch_msgq_destroy(load.msgq));
	assert_int_equal(rig_fini(&load.rig), 0);
}

static void every_message_arrives_once(void **state)
{
	const uint64_t messages = (uint64_t)MESSAGES * PAIRS;

	(void)state;
	begin(false);
	wait_until(&load.received, messages);
	assert_int_equal(load.received, messages);
	assert_ok(doca_dpa_peek_at_last_error(load.rig.dpa));
	assert_int_equal(load.sum, (uint64_t)MESSAGES * (MESSAGES - 1) / 2 * PAIRS);
	for (unsigned int i = 0; i < PAIRS; i++)
		remove_producer(i);
	for (unsigned int i = 0; i < PAIRS; i++)
		remove_consumer(i);
	end();
}

/* In either order, while DPA code sends and receives. */
static void ends_go_under_load(void **state)
{
	(void)state;
	for (int round = 0; round < ROUNDS; round++) {
		begin(true);
		wait_until(&load.received, 1000);
		for (unsigned int i = 0; i < PAIRS; i++) {
			if (round % 2)
				remove_producer(i);
			else
				remove_consumer(i);
		}
		for (unsigned int i = 0; i < PAIRS; i++) {
			if (round % 2)
				remove_consumer(i);
			else
				remove_producer(i);
		}
		end();
	}
}

/* Others take their place at once; DPA code goes on with handles of either. */
static void ends_are_replaced_under_load(void **state)
{
	uint64_t before;

	(void)state;
	begin(true);
	for (unsigned int i = 0; i < GENERATIONS; i++) {
		wait_until(&load.sent, atomic_load(&load.sent) + 10);
		remove_consumer(i % PAIRS);
		remove_producer((i + 1) % PAIRS);
		add_consumer(i % PAIRS);
		add_producer((i + 1) % PAIRS);
	}
	before = atomic_load(&load.received);
	wait_until(&load.received, before + 1000);
	assert_ok(doca_dpa_peek_at_last_error(load.rig.dpa));
	for (unsigned int i = 0; i < PAIRS; i++) {
		remove_producer(i);
		remove_consumer(i);
	}
	end();
}

/*
 * Consumers of one completion, each in a thread of the program
 */

static struct doca_comch_consumer_completion *shared;
static _Atomic uint32_t num_started, num_refused;

static void *start_and_stop(void *arg)
{
	struct doca_ctx *ctx = arg;

	for (int i = 0; i < STARTS; i++) {
		doca_error_t err = doca_ctx_start(ctx);

		if (err) {
			assert_int_equal(err, DOCA_ERROR_NO_MEMORY);
			atomic_fetch_add(&num_refused, 1);
			sched_yield();
			continue;
		}
		assert_true(atomic_fetch_add(&num_started, 1) < PAIRS / 2);
		assert_err(doca_comch_consumer_completion_stop(shared), IN_USE);
		atomic_fetch_sub(&num_started, 1);
		assert_ok(doca_ctx_stop(ctx));
	}
	return NULL;
}

/* No more of them run at once than the completion is for, and it knows when none does. */
static void consumers_of_one_completion_run_in_threads(void **state)
{
	struct doca_comch_consumer *consumers[PAIRS];
	pthread_t threads[PAIRS];

	(void)state;
	memset(&load, 0, sizeof(load));
	rig_init(&load.rig, funcs, ARRAY_SIZE(funcs));
	assert_ok(doca_comch_msgq_create(load.rig.dev, &load.msgq));
	assert_ok(doca_comch_msgq_set_max_num_consumers(load.msgq, PAIRS));
	assert_ok(doca_comch_msgq_set_dpa_consumer(load.msgq, load.rig.dpa));
	assert_ok(doca_comch_msgq_start(load.msgq));
	assert_ok(doca_comch_consumer_completion_create(&shared));
	assert_ok(doca_comch_consumer_completion_set_max_num_consumers(shared, PAIRS / 2));
	assert_ok(doca_comch_consumer_completion_start(shared));
	for (unsigned int i = 0; i < PAIRS; i++) {
		struct doca_ctx *ctx;

		assert_ok(doca_comch_msgq_consumer_create(load.msgq, &consumers[i]));
		assert_ok(doca_comch_consumer_set_completion(consumers[i], shared, 0));
		ctx = doca_comch_consumer_as_ctx(consumers[i]);
		assert_ok(doca_ctx_set_datapath_on_dpa(ctx, load.rig.dpa));
		pthread_create(&threads[i], NULL, start_and_stop, ctx);
	}
	for (unsigned int i = 0; i < PAIRS; i++)
		pthread_join(threads[i], NULL);
	print_message("%u of %u starts refused\n", atomic_load(&num_refused), PAIRS * STARTS);
	assert_ok(doca_comch_consumer_completion_stop(shared));
	assert_ok(doca_comch_consumer_completion_destroy(shared));
	for (unsigned int i = 0; i < PAIRS; i++)
		assert_ok(doca_comch_consumer_destroy(consumers[i]));
	end();
}

/* one test, if it is named */
int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_message_arrives_once),
		cmocka_unit_test(ends_go_under_load),
		cmocka_unit_test(ends_are_replaced_under_load),
		cmocka_unit_test(consumers_of_one_completion_run_in_threads),
	};

	if (argc > 1)
		cmocka_set_test_filter(argv[1]);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
