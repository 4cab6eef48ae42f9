/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Back ends and their queues through the API.
 */
#include <stdlib.h>
#include "api.h"
#include "doca_mmap.h"

static void back_ends_are_limited(void **state)
{
	struct doca_sta_be_handle *be[64], *more;
	struct api *api = *state;
	uint32_t max, i;

	assert_ok(doca_sta_get_max_be(&max));
	assert_int_equal(max, ARRAY_SIZE(be));
	for (i = 0; i < max; i++)
		assert_ok(doca_sta_be_create(api->sta, &be[i]));
	assert_err(doca_sta_be_create(api->sta, &more), FULL);
	assert_ok(doca_sta_be_destroy(be[5]));
	assert_ok(doca_sta_be_create(api->sta, &be[5]));
	for (i = 0; i < max; i++)
		assert_ok(doca_sta_be_destroy(be[i]));
}

static void back_ends_need_a_running_target(void **state)
{
	struct doca_sta_be_handle *be;
	struct api *api = *state;

	assert_err(doca_sta_be_create(api->sta, &be), BAD_STATE);
	assert_err(doca_sta_be_create(NULL, &be), INVALID_VALUE);
	assert_err(doca_sta_be_create(api->sta, NULL), INVALID_VALUE);
	assert_err(doca_sta_be_destroy(NULL), INVALID_VALUE);
}

static void queues_are_limited(void **state)
{
	struct doca_sta_be_q_handle *be_q[16], *more;
	struct api *api = *state;
	uint32_t max, i;

	assert_ok(doca_sta_get_max_qs_per_be(&max));
	assert_int_equal(max, ARRAY_SIZE(be_q));
	be_q[0] = api->be_q;
	for (i = 1; i < max; i++)
		assert_ok(softfield_sta_be_add_disk_queue(api->be, api->disk, &be_q[i]));
	assert_err(softfield_sta_be_add_disk_queue(api->be, api->disk, &more), FULL);
	for (i = 0; i < max; i++) {
		api->be_q = be_q[i];
		api_destroy_queue(api);
	}
}

/* not before the last queue is gone, and not while it is being destroyed either */
static void back_ends_outlive_their_queues(void **state)
{
	struct doca_sta_producer_task_send *task, *again;
	struct api *api = *state;
	unsigned int before = api->done;

	assert_err(doca_sta_be_destroy(api->be), IN_USE); /* a namespace and a queue */
	assert_ok(doca_sta_subsystem_rm_ns(api->subs, api->ns));
	api->ns = NULL;
	assert_err(doca_sta_be_destroy(api->be), IN_USE); /* a queue */
	assert_err(doca_sta_be_destroy_queue_task_alloc_init(NULL, api_data(api), &task),
		   INVALID_VALUE);
	assert_err(doca_sta_be_destroy_queue_task_alloc_init(api->be_q, api_data(api), NULL),
		   INVALID_VALUE);
	assert_ok(doca_sta_be_destroy_queue_task_alloc_init(api->be_q, api_data(api), &task));
	assert_ok(doca_sta_be_destroy_queue_task_alloc_init(api->be_q, api_data(api), &again));
	api_submit(task);
	assert_err(doca_task_submit(doca_sta_producer_send_task_as_task(again)), BAD_STATE);
	assert_err(doca_sta_be_destroy(api->be), IN_USE); /* the engine has not let go yet */
	API_UNTIL(api, api->done > before);
	api->be_q = NULL;
	api_free_task(again);
	assert_ok(doca_sta_be_destroy(api->be));
	api->be = NULL;
}

static void a_namespace_alone_keeps_its_back_end(void **state)
{
	struct api *api = *state;

	api_destroy_queue(api);
	assert_err(doca_sta_be_destroy(api->be), IN_USE);
}

/* the disk is being replaced: hosts are told to try again */
static void without_a_queue_commands_may_be_repeated(void **state)
{
	static uint8_t data[API_BLOCK];
	struct api *api = *state;
	struct doca_sta_qp_handle *qp = api_connect(api);
	const struct nvme_cmd read = api_rw(NVME_CMD_READ, 1, 0, sizeof(data));

	api_destroy_queue(api);
	assert_int_equal(api_do(api, qp, &read, data, sizeof(data)), NVME_SC_NS_NOT_READY);
	assert_ok(softfield_sta_be_add_disk_queue(api->be, api->disk, &api->be_q));
	assert_int_equal(api_do(api, qp, &read, data, sizeof(data)), 0);
	api_disconnect(api, qp);
}

static struct doca_mmap *map_of(struct api *api, void *addr, size_t size)
{
	struct doca_mmap *mmap;

	assert_ok(doca_mmap_create(&mmap));
	assert_ok(doca_mmap_add_dev(mmap, api->dev));
	assert_ok(doca_mmap_set_memrange(mmap, addr, size));
	assert_ok(doca_mmap_start(mmap));
	return mmap;
}

/* as the vendor's client makes them of a null disk: rings, doorbells, and nobody behind them */
static void rings_that_nobody_serves_are_a_null_disk(void **state)
{
	static _Alignas(64) uint8_t sq[8 * 64], cq[8 * 16], doorbells[16], data[API_BLOCK];
	const struct nvme_cmd read = api_rw(NVME_CMD_READ, 1, 0, sizeof(data));
	const struct nvme_cmd write = api_rw(NVME_CMD_WRITE, 1, 0, sizeof(data));
	struct api *api = *state;
	struct doca_mmap *maps[] = {map_of(api, sq, sizeof(sq)), map_of(api, cq, sizeof(cq)),
				    map_of(api, doorbells, sizeof(doorbells))};
	struct doca_sta_qp_handle *qp = api_connect(api);

	api_destroy_queue(api);
	assert_ok(doca_sta_be_add_queue(api->be, maps[0], maps[2], 0, maps[1], maps[2], 8,
					&api->be_q));
	for (unsigned int i = 0; i < 30; i++) { /* round the rings some times */
		memset(data, 'x', sizeof(data));
		assert_int_equal(api_do(api, qp, &write, data, sizeof(data)), 0);
		assert_int_equal(api_do(api, qp, &read, data, sizeof(data)), 0);
		for (size_t at = 0; at < sizeof(data); at++)
			assert_int_equal(data[at], 0);
	}
	api_destroy_queue(api);
	api_disconnect(api, qp);
	for (size_t i = 0; i < ARRAY_SIZE(maps); i++)
		assert_ok(doca_mmap_destroy(maps[i]));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		API_EMPTY_TEST(back_ends_are_limited),
		API_IDLE_TEST(back_ends_need_a_running_target),
		API_TEST(queues_are_limited),
		API_TEST(back_ends_outlive_their_queues),
		API_TEST(a_namespace_alone_keeps_its_back_end),
		API_TEST(without_a_queue_commands_may_be_repeated),
		API_TEST(rings_that_nobody_serves_are_a_null_disk),
	};

	setenv("SOFTFIELD_LIMITS", "sta_null_rings=1", 1);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
