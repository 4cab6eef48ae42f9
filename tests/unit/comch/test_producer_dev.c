/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Producers in DPA code: messages with and without a receive, copies, reports, mistakes.
 */
#include "test.h"

#include <poll.h>
#include "base/clock.h"
#include "doca_mmap.h"
#include "fake_dpa.h"

#define FLUSH	 DOCA_DPA_DEV_SUBMIT_FLAG_FLUSH
#define OPTIMIZE DOCA_DPA_DEV_SUBMIT_FLAG_OPTIMIZE_REPORTS

static struct rig *the_rig; /* for what happens in a pause */

static bool is_empty(const struct rig *rig, uint32_t consumer_id)
{
	return doca_dpa_dev_comch_producer_is_consumer_empty(rig->producer_handle, consumer_id);
}

/* Nobody drives the engine. */
static void a_message_goes_at_once(void **state)
{
	struct rig *rig = *state;

	run_from_dpa(rig, 2);
	dpa.engine.is_asleep = true;
	for (uint32_t i = 0; i < 100; i++) {
		cpu_post(rig, 1);
		dpa_send(rig, i, FLUSH);
		progress(rig);
		assert_int_equal(rig->received, i + 1);
		assert_int_equal(rig->last, i);
		assert_int_equal(reports.pushed, i + 1);
		assert_int_equal(reports.status, DOCA_SUCCESS);
		assert_int_equal(reports.user_data, 1);
	}
	assert_int_equal(seen.wakes, 0);
	dpa.engine.is_asleep = false;
	end(rig);
}

static void it_wakes_a_program_that_sleeps(void **state)
{
	struct rig *rig = *state;
	struct pollfd sleeper = {.events = POLLIN};

	run_from_dpa(rig, 2);
	cpu_post(rig, 1);
	progress(rig);
	assert_ok(doca_pe_get_notification_handle(rig->pe, &sleeper.fd));
	assert_ok(doca_pe_request_notification(rig->pe));
	while (doca_pe_progress(rig->pe) || poll(&sleeper, 1, 0))
		assert_ok(doca_pe_request_notification(rig->pe));
	dpa_send(rig, 1, FLUSH);
	assert_int_equal(poll(&sleeper, 1, 10000), 1);
	progress(rig);
	assert_int_equal(rig->received, 1);
	end(rig);
}

static void optimized_reports_are_not_made(void **state)
{
	struct rig *rig = *state;

	run_from_dpa(rig, 2);
	cpu_post(rig, 1);
	dpa_send(rig, 1, FLUSH | OPTIMIZE);
	dpa_send(rig, 2, FLUSH | OPTIMIZE); /* it waits */
	cpu_post(rig, 1);
	drive(&dpa.engine);
	progress(rig);
	assert_int_equal(rig->last, 2);
	assert_int_equal(reports.pushed, 0);
	dpa_send(rig, 3, 0);
	cpu_post(rig, 1);
	drive(&dpa.engine);
	assert_int_equal(reports.pushed, 1);
	end(rig);
}

static void without_a_completion_nobody_is_told(void **state)
{
	struct rig *rig = *state;
	struct doca_ctx *ctx;

	assert_ok(doca_comch_msgq_set_dpa_producer(rig->msgq, &dpa));
	assert_ok(doca_comch_msgq_start(rig->msgq));
	add_cpu_consumer(rig);
	assert_ok(doca_comch_msgq_producer_create(rig->msgq, &rig->producer));
	ctx = doca_comch_producer_as_ctx(rig->producer);
	assert_ok(doca_ctx_set_datapath_on_dpa(ctx, &dpa));
	assert_ok(doca_ctx_start(ctx));
	assert_ok(doca_comch_producer_get_dpa_handle(rig->producer, &rig->producer_handle));
	cpu_post(rig, 1);
	dpa_send(rig, 1, FLUSH);
	progress(rig);
	assert_int_equal(rig->last, 1);
	assert_int_equal(reports.pushed, 0);
	end(rig);
}

/* The unit sends it, whether DPA code runs or not. */
static void a_message_waits_for_a_receive(void **state)
{
	struct rig *rig = *state;

	run_from_dpa(rig, 4);
	dpa.engine.is_polled = true; /* by DPA code, and a unit that leaves that to it naps */
	dpa_send(rig, 0, FLUSH);
	assert_false(dpa.engine.is_polled);
	assert_int_equal(seen.wakes, 1);
	for (uint32_t i = 1; i < 4; i++)
		dpa_send(rig, i, FLUSH);
	drive(&dpa.engine);
	assert_int_equal(reports.pushed, 0);
	assert_int_equal(seen.pauses, 0);
	for (uint32_t i = 0; i < 4; i++) {
		cpu_post(rig, 1);
		drive(&dpa.engine);
		progress(rig);
		assert_int_equal(rig->received, i + 1);
		assert_int_equal(rig->last, i);
	}
	assert_int_equal(reports.pushed, 4);
	end(rig);
}

/* What is new does not pass it. */
static void what_waits_goes_first(void **state)
{
	struct rig *rig = *state;

	run_from_dpa(rig, 4);
	dpa_send(rig, 0, FLUSH);
	cpu_post(rig, 3);
	dpa_send(rig, 1, FLUSH);
	drive(&dpa.engine);
	dpa_send(rig, 2, FLUSH);
	progress(rig);
	assert_int_equal(rig->received, 3);
	assert_int_equal(rig->last, 2);
	assert_false(rig->is_disordered);
	end(rig);
}

static void post_one(void)
{
	if (seen.pauses == 3)
		cpu_post(the_rig, 1);
	progress(the_rig);
}

static void with_all_in_flight_it_waits(void **state)
{
	struct rig *rig = *state;

	the_rig = rig;
	run_from_dpa(rig, 2);
	dpa_send(rig, 0, FLUSH);
	dpa_send(rig, 1, FLUSH);
	seen.on_pause = post_one;
	dpa_send(rig, 2, FLUSH); /* nobody else drives the engine */
	assert_in_range(seen.pauses, 3, 5);
	assert_int_equal(seen.fails, 0);
	cpu_post(rig, 2);
	drive(&dpa.engine);
	progress(rig);
	assert_int_equal(rig->received, 3);
	assert_int_equal(rig->last, 2);
	end(rig);
}

static void let_time_go_by(void)
{
	priv_clock_virtual.now_ns += UINT64_C(1000000000);
	if (pthread_mutex_trylock(&dpa.engine.lock))
		abort();
	pthread_mutex_unlock(&dpa.engine.lock);
}

static void it_does_not_wait_for_ever(void **state)
{
	struct rig *rig = *state;

	run_from_dpa(rig, 1);
	priv_clock_virtual.on = true;
	seen.on_pause = let_time_go_by;
	dpa_send(rig, 0, FLUSH);
	dpa_send(rig, 1, FLUSH);
	priv_clock_virtual.on = false;
	assert_int_equal(seen.fails, 1);
	assert_in_range(seen.pauses, 3, 10);
	cpu_post(rig, 2);
	drive(&dpa.engine);
	progress(rig);
	assert_int_equal(rig->received, 1);
	end(rig);
}

static void it_tells_whether_there_is_a_receive(void **state)
{
	struct rig *rig = *state;

	run_from_dpa(rig, 2);
	assert_true(is_empty(rig, 1));
	assert_true(is_empty(rig, 2)); /* there is none */
	assert_int_equal(seen.pauses, 2);
	cpu_post(rig, 1);
	assert_false(is_empty(rig, 1));
	assert_int_equal(seen.pauses, 2);
	dpa_send(rig, 0, FLUSH);
	assert_true(is_empty(rig, 1));
	dpa_send(rig, 1, FLUSH);
	cpu_post(rig, 1);
	assert_true(is_empty(rig, 1)); /* it is for the one that waits */
	drive(&dpa.engine);
	cpu_post(rig, 1);
	assert_false(is_empty(rig, 1));
	doca_ctx_stop(doca_comch_consumer_as_ctx(rig->consumer));
	progress(rig);
	assert_true(is_empty(rig, 1));
	assert_ok(doca_ctx_stop(doca_comch_producer_as_ctx(rig->producer)));
	assert_true(is_empty(rig, 1));
	end(rig);
}

/* The end of a program: no mistake, but reported. */
static void a_consumer_that_is_gone_fails_a_send(void **state)
{
	struct rig *rig = *state;

	run_from_dpa(rig, 4);
	dpa_send(rig, 0, FLUSH | OPTIMIZE);
	assert_ok(doca_ctx_stop(doca_comch_consumer_as_ctx(rig->consumer)));
	drive(&dpa.engine);
	assert_int_equal(reports.pushed, 1);
	assert_int_equal(reports.status, DOCA_ERROR_CONNECTION_RESET);
	dpa_send(rig, 1, FLUSH | OPTIMIZE);
	assert_int_equal(reports.pushed, 2);
	assert_int_equal(reports.status, DOCA_ERROR_NOT_FOUND);
	assert_int_equal(seen.fails, 0);
	end(rig);
}

static void mistakes_are_told_to_the_program(void **state)
{
	struct rig *rig = *state;
	uint8_t imm[33] = {0};

	run_from_dpa(rig, 2);
	cpu_post(rig, 1);
	doca_dpa_dev_comch_producer_post_send_imm_only(rig->producer_handle, 1, imm, 33, FLUSH);
	assert_int_equal(seen.fails, 1);
	doca_dpa_dev_comch_producer_post_send_imm_only(rig->producer_handle, 1, imm, 0, FLUSH);
	assert_int_equal(seen.fails, 2);
	doca_dpa_dev_comch_producer_post_send_imm_only(rig->producer_handle, 1, NULL, 4, FLUSH);
	assert_int_equal(seen.fails, 3);
	/* more than the consumer has said */
	doca_dpa_dev_comch_producer_post_send_imm_only(rig->producer_handle, 1, imm, 5, FLUSH);
	assert_int_equal(seen.fails, 4);
	progress(rig);
	assert_int_equal(rig->received, 0);
	assert_int_equal(reports.pushed, 0);
	end(rig);
}

static void no_handle_is_nothing(void **state)
{
	struct rig *rig = *state;

	dpa_send(rig, 1, FLUSH);
	assert_true(is_empty(rig, 1));
	assert_int_equal(seen.fails, 0);
}

/* a map that DPA code knows */
static struct doca_mmap *start_map(const struct rig *rig, char *memory, size_t size,
				   doca_dpa_dev_mmap_t *ret_handle)
{
	struct doca_mmap *mmap;

	assert_ok(doca_mmap_create(&mmap));
	assert_ok(doca_mmap_add_dev(mmap, rig->dev));
	assert_ok(doca_mmap_set_memrange(mmap, memory, size));
	assert_ok(doca_mmap_set_permissions(mmap, DOCA_ACCESS_FLAG_LOCAL_READ_WRITE |
							  DOCA_ACCESS_FLAG_PCI_READ_WRITE));
	assert_ok(doca_mmap_start(mmap));
	assert_ok(doca_mmap_dev_get_dpa_handle(mmap, rig->dev, ret_handle));
	return mmap;
}

static void copy(const struct rig *rig, doca_dpa_dev_mmap_t to_map, const char *to,
		 doca_dpa_dev_mmap_t from_map, const char *from, size_t size)
{
	const uint32_t value = 9;

	doca_dpa_dev_comch_producer_dma_copy(rig->producer_handle, 1, to_map, (uintptr_t)to,
					     from_map, (uintptr_t)from, size,
					     (const uint8_t *)&value, sizeof(value), FLUSH);
}

static void a_copy_is_there_before_its_message(void **state)
{
	struct rig *rig = *state;
	static char from[4096], to[4096];
	doca_dpa_dev_mmap_t from_map, to_map;
	struct doca_mmap *maps[2];

	run_from_dpa(rig, 2);
	maps[0] = start_map(rig, from, sizeof(from), &from_map);
	maps[1] = start_map(rig, to, sizeof(to), &to_map);
	cpu_post(rig, 3);
	memset(from, 'a', sizeof(from));
	copy(rig, to_map, to + 10, from_map, from, 100);
	progress(rig);
	assert_int_equal(rig->last, 9);
	assert_int_equal(to[9], 0);
	assert_memory_equal(to + 10, from, 100);
	assert_int_equal(to[110], 0);
	assert_int_equal(reports.pushed, 1);
	/* outside of its map, and of none at all */
	copy(rig, to_map, to, from_map, from, sizeof(from) + 1);
	assert_int_equal(seen.fails, 1);
	copy(rig, to_map + 1000, to, from_map, from, 1);
	assert_int_equal(seen.fails, 2);
	/* Nothing to copy needs no map. */
	copy(rig, 0, NULL, 0, NULL, 0);
	progress(rig);
	assert_int_equal(rig->received, 2);
	assert_int_equal(seen.fails, 2);
	/* One that is stopped says nothing: its maps may be gone, too. */
	assert_ok(doca_ctx_stop(doca_comch_producer_as_ctx(rig->producer)));
	copy(rig, to_map + 1000, to, from_map, from, 1);
	assert_int_equal(seen.fails, 2);
	assert_ok(doca_mmap_destroy(maps[0]));
	assert_ok(doca_mmap_destroy(maps[1]));
	end(rig);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(a_message_goes_at_once),
		TEST(it_wakes_a_program_that_sleeps),
		TEST(optimized_reports_are_not_made),
		TEST(without_a_completion_nobody_is_told),
		TEST(a_message_waits_for_a_receive),
		TEST(what_waits_goes_first),
		TEST(with_all_in_flight_it_waits),
		TEST(it_does_not_wait_for_ever),
		TEST(it_tells_whether_there_is_a_receive),
		TEST(a_consumer_that_is_gone_fails_a_send),
		TEST(mistakes_are_told_to_the_program),
		TEST(no_handle_is_nothing),
		TEST(a_copy_is_there_before_its_message),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
