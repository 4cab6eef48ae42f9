/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The host's side of a queue pair against a device that the test plays by hand.
 */
#include "test.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include "nvme/queue.h"

#define ENTRIES 4u

struct bench {
	struct nvme_queue q;
	struct nvme_cmd sq[ENTRIES];
	struct nvme_cqe cq[ENTRIES];
	_Atomic uint32_t sq_doorbell, cq_doorbell;
	uint32_t posted; /* completions, free-running */
	void *owners[64];
	uint16_t statuses[64];
	unsigned int done;
};

static int setup(void **state)
{
	struct bench *b = calloc(1, sizeof(*b));
	struct nvme_queue_attr attr = {
		.sq = b->sq,
		.cq = b->cq,
		.sq_doorbell = &b->sq_doorbell,
		.cq_doorbell = &b->cq_doorbell,
		.entries = ENTRIES,
	};

	assert_int_equal(nvme_queue_init(&b->q, &attr), DOCA_SUCCESS);
	*state = b;
	return 0;
}

static int teardown(void **state)
{
	struct bench *b = *state;

	nvme_queue_fini(&b->q);
	free(b);
	return 0;
}

static void post(struct bench *b, uint16_t cid, uint16_t status)
{
	struct nvme_cqe *cqe = &b->cq[b->posted % ENTRIES];
	uint16_t phase = !((b->posted / ENTRIES) & 1);

	cqe->cid = htole16(cid);
	cqe->status = htole16((uint16_t)(status << 1 | phase));
	b->posted++;
}

static void note(void *owner, const struct nvme_cqe *cqe, void *arg)
{
	struct bench *b = arg;

	b->owners[b->done] = owner;
	b->statuses[b->done++] = nvme_cqe_status(cqe);
}

static void init_refuses_odd_sizes(void **state)
{
	static const uint32_t sizes[] = {0, 1, 3, 12, 65536};
	struct nvme_queue_attr attr = {0};
	struct nvme_queue q;
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
		attr.entries = sizes[i];
		assert_int_equal(nvme_queue_init(&q, &attr), DOCA_ERROR_INVALID_VALUE);
	}
}

static void prepare_fails_when_full(void **state)
{
	struct bench *b = *state;
	unsigned int i;

	for (i = 0; i < ENTRIES - 1; i++)
		assert_non_null(nvme_queue_prepare(&b->q, b));
	assert_null(nvme_queue_prepare(&b->q, b));
	assert_int_equal(nvme_queue_outstanding(&b->q), ENTRIES - 1);
}

static void nothing_is_visible_before_ring(void **state)
{
	struct bench *b = *state;

	assert_non_null(nvme_queue_prepare(&b->q, b));
	assert_non_null(nvme_queue_prepare(&b->q, b));
	assert_int_equal(b->sq_doorbell, 0);
	nvme_queue_ring(&b->q);
	assert_int_equal(le32toh(b->sq_doorbell), 2);
}

static void completions_find_their_owner_in_any_order(void **state)
{
	struct bench *b = *state;
	int first = 0, second = 0;
	uint16_t cids[2], found;

	assert_false(nvme_queue_find(&b->q, &first, &found));
	cids[0] = le16toh(nvme_queue_prepare(&b->q, &first)->cid);
	cids[1] = le16toh(nvme_queue_prepare(&b->q, &second)->cid);
	assert_true(nvme_queue_find(&b->q, &second, &found));
	assert_int_equal(found, cids[1]);
	post(b, cids[1], 0);
	post(b, cids[0], NVME_SC_LBA_RANGE);
	assert_int_equal(nvme_queue_poll(&b->q, note, b, 8), 2);
	assert_ptr_equal(b->owners[0], &second);
	assert_ptr_equal(b->owners[1], &first);
	assert_int_equal(b->statuses[1], NVME_SC_LBA_RANGE);
	assert_int_equal(le32toh(b->cq_doorbell), 2);
	assert_int_equal(nvme_queue_outstanding(&b->q), 0);
}

static void phase_survives_many_wraps(void **state)
{
	struct bench *b = *state;
	unsigned int i;

	for (i = 0; i < 5 * ENTRIES + 1; i++) {
		struct nvme_cmd *cmd = nvme_queue_prepare(&b->q, b);

		assert_non_null(cmd);
		assert_ptr_equal(cmd, &b->sq[i % ENTRIES]);
		assert_int_equal(nvme_queue_poll(&b->q, note, b, 8), 0);
		post(b, le16toh(cmd->cid), 0);
		assert_int_equal(nvme_queue_poll(&b->q, note, b, 8), 1);
	}
}

static void poll_stops_at_its_limit(void **state)
{
	struct bench *b = *state;
	unsigned int i;

	for (i = 0; i < 3; i++)
		post(b, le16toh(nvme_queue_prepare(&b->q, b)->cid), 0);
	assert_int_equal(nvme_queue_poll(&b->q, note, b, 2), 2);
	assert_int_equal(le32toh(b->cq_doorbell), 2);
	assert_int_equal(nvme_queue_poll(&b->q, note, b, 2), 1);
}

static void foreign_completions_are_counted_and_ignored(void **state)
{
	struct bench *b = *state;

	post(b, 1, 0);		 /* not outstanding */
	post(b, ENTRIES - 1, 0); /* impossible, the first such: one entry stays empty */
	post(b, 0xffff, 0);
	assert_int_equal(nvme_queue_poll(&b->q, note, b, 8), 3);
	assert_int_equal(b->done, 0);
	assert_int_equal(b->q.strays, 3);
	assert_int_equal(nvme_queue_outstanding(&b->q), 0);
}

static void forget(void *owner, void *arg)
{
	unsigned int *count = arg;

	assert_non_null(owner);
	(*count)++;
}

static void abandon_returns_every_owner_once(void **state)
{
	struct bench *b = *state;
	unsigned int count = 0;

	nvme_queue_prepare(&b->q, b);
	nvme_queue_prepare(&b->q, b);
	nvme_queue_abandon(&b->q, forget, &count);
	assert_int_equal(count, 2);
	nvme_queue_abandon(&b->q, forget, &count);
	assert_int_equal(count, 2);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(init_refuses_odd_sizes),
		cmocka_unit_test_setup_teardown(prepare_fails_when_full, setup, teardown),
		cmocka_unit_test_setup_teardown(nothing_is_visible_before_ring, setup, teardown),
		cmocka_unit_test_setup_teardown(completions_find_their_owner_in_any_order, setup,
						teardown),
		cmocka_unit_test_setup_teardown(phase_survives_many_wraps, setup, teardown),
		cmocka_unit_test_setup_teardown(poll_stops_at_its_limit, setup, teardown),
		cmocka_unit_test_setup_teardown(foreign_completions_are_counted_and_ignored, setup,
						teardown),
		cmocka_unit_test_setup_teardown(abandon_returns_every_owner_once, setup, teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
