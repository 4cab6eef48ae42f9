/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Compare and Write as one, over every medium that keeps its bytes, also from two threads.
 */
#include "rig_media.h"

#include <pthread.h>
#include <sched.h>

#define EXPECTED 0u		 /* where in the host's memory the block is that must be there */
#define NEW	 (2 * RIG_BLOCK) /* and the one that is to be */
#define FOUND	 NVME_PAGE_SIZE	 /* and where it is read to */
#define ROUNDS	 200u

static int setup_null(void **state)
{
	struct vctrl_medium *medium;

	assert_int_equal(vctrl_null_create(RIG_SIZE, &medium), DOCA_SUCCESS);
	*state = rig_create(medium, RIG_BLOCK);
	return 0;
}

/* what became of commands, by the place of their data in the host's memory */
struct outcome {
	uint16_t first, second;
	unsigned int count;
};

/* owners of commands: the host's data tells them apart as well */
struct half {
	struct outcome *outcome;
	bool is_second;
};

static void note(void *owner, const struct nvme_cqe *cqe, void *arg)
{
	const struct half *half = owner;

	(void)arg;
	*(half->is_second ? &half->outcome->second : &half->outcome->first) = nvme_cqe_status(cqe);
	half->outcome->count++;
}

static struct nvme_cmd *prepare(struct rig *rig, struct half *half, uint64_t slba)
{
	struct nvme_cmd *cmd = nvme_queue_prepare(&rig->host, half);

	assert_non_null(cmd);
	cmd->opcode = half->is_second ? NVME_CMD_WRITE : NVME_CMD_COMPARE;
	cmd->flags = half->is_second ? NVME_FUSED_SECOND : NVME_FUSED_FIRST;
	cmd->nsid = htole32(1);
	cmd->cdw10 = htole32((uint32_t)slba);
	cmd->cdw11 = htole32((uint32_t)(slba >> 32));
	rig_set_prps(rig, cmd, half->is_second ? NEW : EXPECTED, RIG_BLOCK);
	return cmd;
}

static void run_until(struct rig *rig, const struct outcome *outcome, unsigned int count)
{
	nvme_queue_ring(&rig->host);
	while (outcome->count < count) {
		unsigned int work = vctrl_queue_poll(rig->device);

		if (!nvme_queue_poll(&rig->host, note, NULL, RIG_ENTRIES) && !work)
			sched_yield(); /* another queue may have the block */
		assert_false(rig->device->failed);
	}
}

static struct outcome do_pair(struct rig *rig, uint64_t slba)
{
	struct outcome outcome = {0};
	struct half first = {&outcome, false}, second = {&outcome, true};

	prepare(rig, &first, slba);
	prepare(rig, &second, slba);
	run_until(rig, &outcome, 2);
	return outcome;
}

static void assert_outcome(struct outcome outcome, uint16_t first, uint16_t second)
{
	assert_int_equal(outcome.first, first);
	assert_int_equal(outcome.second, second);
}

/* what is there is read to FOUND */
static void assert_block(struct rig *rig, uint64_t slba, uint8_t value)
{
	struct nvme_cmd *cmd = rig_prepare(rig, NVME_CMD_READ, slba, 1);

	rig_set_prps(rig, cmd, FOUND, RIG_BLOCK);
	assert_int_equal(rig_one(rig), 0);
	assert_int_equal(rig->data[FOUND], value);
	assert_int_equal(rig->data[FOUND + RIG_BLOCK - 1], value);
}

static void a_block_that_is_as_expected_is_written(void **state)
{
	struct rig *rig = *state;

	memset(rig->data + NEW, 7, RIG_BLOCK);
	assert_outcome(do_pair(rig, 5), 0, 0); /* zeros were expected */
	assert_block(rig, 5, 7);
	assert_block(rig, 4, 0);
	assert_block(rig, 6, 0);
}

static void another_block_stays(void **state)
{
	struct rig *rig = *state;

	memset(rig->data + NEW, 7, RIG_BLOCK);
	rig->data[EXPECTED + RIG_BLOCK - 1] = 1;
	assert_outcome(do_pair(rig, 5), DNR(NVME_SC_COMPARE_FAILURE), NVME_SC_FAILED_FUSED);
	assert_block(rig, 5, 0);
}

static void halves_of_other_forms_are_refused(void **state)
{
	static const struct {
		uint8_t first_opcode, second_opcode;
		uint32_t slba, nsid, cdw12;
	} rows[] = {
		{NVME_CMD_WRITE, NVME_CMD_WRITE, 5, 1, 0},
		{NVME_CMD_COMPARE, NVME_CMD_COMPARE, 5, 1, 0},
		{NVME_CMD_READ, NVME_CMD_WRITE, 5, 1, 0},
		{NVME_CMD_COMPARE, NVME_CMD_WRITE, 6, 1, 0}, /* another block */
		{NVME_CMD_COMPARE, NVME_CMD_WRITE, 5, 2, 0}, /* another namespace */
		{NVME_CMD_COMPARE, NVME_CMD_WRITE, 5, 1, 1}, /* more than one */
	};
	struct rig *rig = *state;

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct outcome outcome = {0};
		struct half first = {&outcome, false}, second = {&outcome, true};
		struct nvme_cmd *cmd;

		prepare(rig, &first, 5)->opcode = rows[i].first_opcode;
		cmd = prepare(rig, &second, rows[i].slba);
		cmd->opcode = rows[i].second_opcode;
		cmd->nsid = htole32(rows[i].nsid);
		cmd->cdw12 = htole32(rows[i].cdw12);
		run_until(rig, &outcome, 2);
		assert_outcome(outcome, DNR(NVME_SC_INVALID_FIELD), DNR(NVME_SC_INVALID_FIELD));
	}
	assert_outcome(do_pair(rig, RIG_BLOCKS), DNR(NVME_SC_LBA_RANGE), NVME_SC_FAILED_FUSED);
	assert_block(rig, 5, 0);
}

static void what_the_second_one_may_not_is_not_done(void **state)
{
	struct rig *rig = *state;

	assert_outcome(do_pair(rig, 5), NVME_SC_FAILED_FUSED, DNR(NVME_SC_NS_WRITE_PROTECTED));
}

static void a_half_needs_the_other_one_next_to_it(void **state)
{
	struct rig *rig = *state;
	struct outcome outcome = {0}, between = {0};
	struct half first = {&outcome, false}, second = {&outcome, true}, none = {&between, false};
	struct nvme_cmd *cmd;

	prepare(rig, &second, 5);
	run_until(rig, &outcome, 1);
	assert_outcome(outcome, 0, NVME_SC_MISSING_FUSED);
	outcome = (struct outcome){0};
	prepare(rig, &first, 5);
	cmd = prepare(rig, &none, 5);
	cmd->flags = 0; /* an ordinary one, which is executed */
	prepare(rig, &second, 5);
	run_until(rig, &outcome, 2);
	run_until(rig, &between, 1);
	assert_outcome(outcome, NVME_SC_MISSING_FUSED, NVME_SC_MISSING_FUSED);
	assert_outcome(between, 0, 0);
	outcome = (struct outcome){0};
	prepare(rig, &none, 5); /* two first halves */
	prepare(rig, &first, 5);
	prepare(rig, &second, 5);
	run_until(rig, &outcome, 2);
	assert_int_equal(between.first, NVME_SC_MISSING_FUSED);
	assert_outcome(outcome, 0, 0);
}

/* whichever half is meant, neither is executed */
static void both_are_aborted(void **state)
{
	struct rig *rig = *state;

	memset(rig->data + NEW, 7, RIG_BLOCK);
	for (unsigned int i = 0; i < 2; i++) {
		struct outcome outcome = {0};
		struct half halves[2] = {{&outcome, false}, {&outcome, true}};
		uint16_t cid;

		rig->device->scratch_owner = &rig->device->slots[0]; /* as a Compare has it */
		prepare(rig, &halves[0], 5);
		prepare(rig, &halves[1], 5);
		nvme_queue_ring(&rig->host);
		assert_true(nvme_queue_find(&rig->host, &halves[i], &cid));
		assert_true(vctrl_queue_abort(rig->device, cid));
		rig->device->scratch_owner = NULL;
		run_until(rig, &outcome, 2);
		assert_outcome(outcome, NVME_SC_ABORT_REQUESTED, NVME_SC_ABORT_REQUESTED);
	}
	assert_block(rig, 5, 0);
}

static void a_half_that_is_alone_is_aborted(void **state)
{
	struct rig *rig = *state;
	struct outcome outcome = {0};
	struct half first = {&outcome, false}, second = {&outcome, true};
	uint16_t cid;

	prepare(rig, &first, 5);
	nvme_queue_ring(&rig->host);
	assert_true(nvme_queue_find(&rig->host, &first, &cid));
	assert_true(vctrl_queue_abort(rig->device, cid));
	prepare(rig, &second, 5);
	run_until(rig, &outcome, 2);
	assert_outcome(outcome, NVME_SC_ABORT_REQUESTED, NVME_SC_MISSING_FUSED);
}

/* adds one to the number in a block, as often as it succeeds */
static void *count(void *arg)
{
	struct rig *rig = arg;
	uint32_t *expected = (uint32_t *)(void *)(rig->data + EXPECTED);
	uint32_t *new_value = (uint32_t *)(void *)(rig->data + NEW);

	for (unsigned int done = 0; done < ROUNDS;) {
		rig_set_prps(rig, rig_prepare(rig, NVME_CMD_READ, 5, 1), EXPECTED, RIG_BLOCK);
		assert_int_equal(rig_one(rig), 0);
		*new_value = *expected + 1;
		done += !do_pair(rig, 5).second;
	}
	return NULL;
}

/* none is lost */
static void nothing_comes_between(void **state)
{
	struct rig *first = *state, *second = rig_join(first->ctrl);
	pthread_t thread;

	assert_int_equal(pthread_create(&thread, NULL, count, second), 0);
	count(first);
	pthread_join(thread, NULL);
	rig_leave(second);
	rig_do(first, NVME_CMD_READ, 5, 1);
	assert_int_equal(*(uint32_t *)(void *)first->data, 2 * ROUNDS);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		OVER(a_block_that_is_as_expected_is_written),
		OVER(another_block_stays),
		OVER(halves_of_other_forms_are_refused),
		OVER(a_half_needs_the_other_one_next_to_it),
		OVER(both_are_aborted),
		OVER(a_half_that_is_alone_is_aborted),
		OVER(nothing_comes_between),
		cmocka_unit_test_setup_teardown(what_the_second_one_may_not_is_not_done,
						setup_read_only, teardown),
		cmocka_unit_test_setup_teardown(another_block_stays, setup_null, teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
