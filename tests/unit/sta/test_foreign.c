/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Two targets in one program: handles of one are refused where they meet those of the other.
 */
#include "api.h"

struct pair {
	struct api *ours, *theirs;
};

static int setup(void **state)
{
	struct pair *pair = calloc(1, sizeof(*pair));

	assert_non_null(pair);
	api_setup((void **)&pair->ours);
	api_setup((void **)&pair->theirs);
	*state = pair;
	return 0;
}

static int teardown(void **state)
{
	struct pair *pair = *state;

	api_teardown((void **)&pair->ours);
	api_teardown((void **)&pair->theirs);
	free(pair);
	return 0;
}

static void subsystems_and_queue_pairs(void **state)
{
	const struct pair *pair = *state;
	struct api *ours = pair->ours, *theirs = pair->theirs;
	struct doca_sta_qp_handle *qp, *other;

	assert_err(softfield_sta_io_qp_connect_loop(ours->io, ours->dev, theirs->subs, &qp),
		   INVALID_VALUE);
	assert_ok(softfield_sta_io_qp_connect_loop(ours->io, ours->dev, NULL, &qp));
	assert_ok(softfield_sta_io_qp_connect_loop(theirs->io, theirs->dev, NULL, &other));
	assert_err(doca_sta_io_qp_add_subsystem(ours->io, theirs->subs, qp), INVALID_VALUE);
	assert_err(doca_sta_io_qp_add_subsystem(ours->io, ours->subs, other), INVALID_VALUE);
	api_disconnect(ours, qp);
	api_disconnect(theirs, other);
}

static void back_ends_disks_and_namespaces(void **state)
{
	const struct pair *pair = *state;
	struct api *ours = pair->ours, *theirs = pair->theirs;
	const struct doca_sta_eu_ctr_entry *entries;
	struct doca_sta_be_q_handle *queue;
	struct doca_sta_ns_handle *ns;
	uint16_t count;

	assert_err(doca_sta_subsystem_add_ns(ours->subs, 2, API_BLOCK, 1, theirs->be, &ns),
		   INVALID_VALUE);
	assert_err(softfield_sta_be_add_disk_queue(ours->be, theirs->disk, &queue), INVALID_VALUE);
	assert_err(doca_sta_get_be_queue_stats(ours->be, theirs->be_q, &entries, &count),
		   INVALID_VALUE);
	assert_err(doca_sta_get_ns_stats(ours->subs, theirs->ns, &entries, &count), INVALID_VALUE);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(subsystems_and_queue_pairs, setup, teardown),
		cmocka_unit_test_setup_teardown(back_ends_disks_and_namespaces, setup, teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
