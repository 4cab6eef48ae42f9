/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * When a send comes back: before any message that may be the answer to it.
 */
#include "test.h"

#include "both.h"
#include "readable.h"

#define MEMORY 65536

/* a producer with one task on the progress engine of a consumer, for whose messages it thanks */
struct thanks {
	struct doca_comch_producer *producer;
	struct doca_ctx *ctx;
	uint32_t consumer_id;
	unsigned int sent;
};

static void thanked(struct doca_comch_producer_task_send *task, union doca_data task_data,
		    union doca_data ctx_data)
{
	struct thanks *thanks = ctx_data.ptr;

	(void)task_data;
	assert_ok(doca_task_get_status(doca_comch_producer_task_send_as_task(task)));
	thanks->sent++;
	doca_task_free(doca_comch_producer_task_send_as_task(task));
}

static void say_thanks(struct thanks *thanks)
{
	struct doca_comch_producer_task_send *send;
	uint8_t imm = 1;

	assert_ok(doca_comch_producer_task_send_alloc_init(thanks->producer, NULL, &imm, 1,
							   thanks->consumer_id, &send));
	assert_ok(doca_task_submit(doca_comch_producer_task_send_as_task(send)));
}

static void thank(struct fast_end *end, struct doca_comch_consumer_task_post_recv *task,
		  doca_error_t status)
{
	doca_task_free(doca_comch_consumer_task_post_recv_as_task(task));
	if (!status)
		say_thanks(end->arg);
}

static void thank_for_message(struct side *side, struct doca_comch_connection *connection,
			      const uint8_t *msg, uint32_t size)
{
	(void)connection;
	(void)msg;
	(void)size;
	say_thanks(side->arg);
}

static void start_thanks(struct thanks *thanks, const struct side *side, struct doca_pe *pe,
			 const struct fast_end *thanked_end)
{
	thanks->consumer_id = thanked_end->id;
	assert_ok(doca_comch_producer_create(side->connection, &thanks->producer));
	thanks->ctx = doca_comch_producer_as_ctx(thanks->producer);
	assert_ok(doca_pe_connect_ctx(pe, thanks->ctx));
	assert_ok(doca_ctx_set_user_data(thanks->ctx, (union doca_data){.ptr = thanks}));
	assert_ok(doca_comch_producer_task_send_set_conf(thanks->producer, thanked, thanked, 1));
	assert_ok(doca_ctx_start(thanks->ctx));
}

static void stop_thanks(struct thanks *thanks)
{
	assert_ok(doca_ctx_stop(thanks->ctx));
	assert_ok(doca_comch_producer_destroy(thanks->producer));
}

static void has_come_back_when_the_next_message_comes(void **state)
{
	struct fastpath *fastpath = *state;
	struct both both = run_both(fastpath, 32, MEMORY);
	struct fast_end *thanked_end = add_consumer(fastpath, fastpath->pair.client, MEMORY);
	struct thanks thanks = {0};
	unsigned int i;

	assert_ok(doca_comch_consumer_set_imm_data_len(thanked_end->consumer, 32));
	end_run(thanked_end);
	start_thanks(&thanks, both.consumer->side, both.consumer->pe, thanked_end);
	both.consumer->arg = &thanks;
	both.consumer->on_received = thank;
	for (i = 0; i < 20; i++) {
		assert_ok(end_post(both.consumer, 0, 0));
		assert_ok(end_post(thanked_end, 0, 0));
		assert_ok(end_send_imm(both.producer, NULL, "x", 1, both.consumer->id));
	}
	fastpath_settle(fastpath);
	assert_int_equal(thanks.sent, 20);
	assert_int_equal(thanked_end->done, 20);
	stop_thanks(&thanks);
}

/* What another context of the same engine has let the program send in the same round, too. */
static void has_come_back_when_another_context_hears(void **state)
{
	struct fastpath *fastpath = *state;
	struct side *server = fastpath->pair.server, *client = fastpath->pair.client;
	struct fast_end *hearing = add_consumer_beside(fastpath, server, MEMORY);
	struct fast_end *producer = add_producer(fastpath, client, MEMORY);
	struct fast_end *thanked_end = add_consumer(fastpath, client, MEMORY);
	struct thanks thanks = {0};
	unsigned int i;

	assert_ok(doca_comch_consumer_set_imm_data_len(hearing->consumer, 32));
	assert_ok(doca_comch_consumer_set_imm_data_len(thanked_end->consumer, 32));
	end_run(hearing);
	end_run(producer);
	end_run(thanked_end);
	start_thanks(&thanks, server, server->pe, thanked_end);
	hearing->arg = server->arg = &thanks;
	hearing->on_received = thank;
	server->on_message = thank_for_message;
	for (i = 0; i < 4; i++)
		assert_ok(end_post(thanked_end, 0, 0));
	for (i = 1; i <= 2; i++) {
		assert_ok(end_post(hearing, 0, 0));
		fastpath_settle(fastpath);
		assert_ok(side_send(client, "x", 1));
		assert_ok(end_send_imm(producer, NULL, "x", 1, hearing->id));
		fastpath_settle(fastpath);
		assert_int_equal(thanks.sent, 2 * i);
		assert_int_equal(thanked_end->done, 2 * i);
	}
	stop_thanks(&thanks);
}

/* Sent inside of the submit, each in its own way; the callback is still due. */
static void ends_a_sleep_of_its_own_engine(void **state)
{
	const size_t sizes[] = {8, 64, 4096};
	struct both both = run_both(*state, 0, MEMORY);
	struct doca_pe *pe = both.producer->pe;

	for (unsigned int i = 0; i < ARRAY_SIZE(sizes); i++) {
		assert_ok(end_post(both.consumer, 0, 8192));
		assert_ok(end_post(both.consumer, 8192, 8192));
		assert_ok(end_send(both.producer, 0, sizes[i], both.consumer->id));
		fastpath_settle(both.fastpath);
		assert_ok(doca_pe_request_notification(pe));
		while (pe_is_readable(pe)) {
			assert_ok(doca_pe_clear_notification(pe, 0));
			doca_pe_progress(pe);
			assert_ok(doca_pe_request_notification(pe));
		}
		assert_ok(end_send(both.producer, 0, sizes[i], both.consumer->id));
		assert_true(pe_is_readable(pe));
		fastpath_settle(both.fastpath);
	}
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, fastpath_setup, fastpath_teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(ends_a_sleep_of_its_own_engine),
		TEST(has_come_back_when_the_next_message_comes),
		TEST(has_come_back_when_another_context_hears),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
