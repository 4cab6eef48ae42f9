/* SPDX-License-Identifier: BSD-3-Clause */
#include "rig.h"

static int setup_idle(void **state)
{
	*state = rig_create(3);
	return 0;
}

static void block_sizes_are_checked(void **state)
{
	static const uint32_t bad[] = {0, 256, 513, 131072};
	struct rig *rig = *state;
	struct sta_ns *ns;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(bad); i++)
		assert_err(sta_ns_add(&rig->subsys, 2, bad[i], 1, &rig->be, &ns), INVALID_VALUE);
	assert_err(sta_ns_add(&rig->subsys, 1, 512, 1, &rig->be, &ns), ALREADY_EXIST);
	assert_int_equal(rig->subsys.ns_count, 1);
	assert_int_equal(rig->be.ns_count, 1);
}

/* ids that share a bucket are told apart, whichever of them goes first */
static void ids_in_one_bucket(void **state)
{
	static const unsigned int orders[][3] = {{0, 1, 2}, {2, 1, 0}, {1, 0, 2}};
	struct rig *rig = *state;
	unsigned int order, i, k;

	for (order = 0; order < ARRAY_SIZE(orders); order++) {
		struct sta_ns *ns[3];

		for (i = 0; i < 3; i++)
			assert_ok(sta_ns_add(&rig->subsys, 5 + i * STA_NS_BUCKETS, 4096, i,
					     &rig->be, &ns[i]));
		for (k = 0; k < 3; k++) {
			for (i = 0; i < 3; i++)
				assert_ptr_equal(sta_ns_find(&rig->subsys, 5 + i * STA_NS_BUCKETS),
						 ns[i]);
			i = orders[order][k];
			rig_remove_ns(ns[i]);
			ns[i] = NULL;
		}
	}
	assert_null(sta_ns_find(&rig->subsys, 0));
	assert_ptr_equal(sta_ns_find(&rig->subsys, 1), rig->ns);
	assert_int_equal(rig->subsys.ns_count, 1);
}

struct removed {
	struct sta_ns_removal removal;
	bool done;
};

static void note_removed(struct mbox_msg *done)
{
	struct sta_ns_removal *removal = container_of(done, struct sta_ns_removal, done);

	container_of(removal, struct removed, removal)->done = true;
}

static void removals_wait_for_the_disk_only(void **state)
{
	struct rig *rig = *state;
	struct removed removed = {.removal = {.reply = &rig->inbox, .deliver = note_removed}};
	struct nvme_cmd cmd = rig_rw(NVME_CMD_READ, 1, 1), entry;
	unsigned int start = rig->answered;

	rig_submit(rig, rig->qp, &cmd, RIG_BLOCK, false);
	entry = rig_disk_take(rig, &rig->disk);
	sta_ns_remove(rig->ns, &removed.removal);
	assert_int_equal(rig_do(rig, &cmd, RIG_BLOCK, false), NVME_SC_INVALID_NS | NVME_SC_DNR);
	sta_engine_settle(rig->engine);
	mbox_deliver(&rig->inbox);
	assert_false(removed.done);
	rig_disk_complete(&rig->disk, entry.cid, NVME_SC_SUCCESS);
	RIG_UNTIL(rig, removed.done);
	RIG_UNTIL(rig, rig->answered == start + 2);
	sta_ns_free(rig->ns);
	rig->ns = NULL;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(block_sizes_are_checked, setup_idle, rig_teardown),
		cmocka_unit_test_setup_teardown(ids_in_one_bucket, setup_idle, rig_teardown),
		cmocka_unit_test_setup_teardown(removals_wait_for_the_disk_only,
						rig_setup_connected, rig_teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
