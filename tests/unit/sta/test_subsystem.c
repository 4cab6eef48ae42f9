/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Subsystems and namespaces through the API.
 */
#include "api.h"

static void names_are_checked(void **state)
{
	char nqn[NVME_NQN_SIZE + 1];
	struct doca_sta_subs_handle *subs, *again;
	struct api *api = *state;

	memset(nqn, 'n', sizeof(nqn));
	nqn[NVME_NQN_SIZE] = '\0';
	assert_err(doca_sta_subsystem_create(api->sta, nqn, &subs), INVALID_VALUE);
	assert_err(doca_sta_subsystem_create(api->sta, "", &subs), INVALID_VALUE);
	assert_err(doca_sta_subsystem_create(api->sta, NULL, &subs), INVALID_VALUE);
	assert_err(doca_sta_subsystem_create(NULL, API_NQN, &subs), INVALID_VALUE);
	assert_err(doca_sta_subsystem_create(api->sta, API_NQN, NULL), INVALID_VALUE);
	nqn[NVME_NQN_SIZE - 1] = '\0';
	assert_ok(doca_sta_subsystem_create(api->sta, nqn, &subs));
	assert_err(doca_sta_subsystem_create(api->sta, nqn, &again), ALREADY_EXIST);
	assert_ok(doca_sta_subsystem_destroy(subs));
	assert_ok(doca_sta_subsystem_create(api->sta, nqn, &again));
	assert_ok(doca_sta_subsystem_destroy(again));
	assert_err(doca_sta_subsystem_destroy(NULL), INVALID_VALUE);
}

/* Some programs configure their subsystems before the target starts, others after. */
static void they_may_come_before_the_start(void **state)
{
	static uint8_t data[API_BLOCK];
	const struct nvme_cmd read = api_rw(NVME_CMD_READ, 1, 0, sizeof(data));
	struct doca_sta_qp_handle *qp;
	struct api *api = *state;

	assert_ok(doca_sta_subsystem_create(api->sta, API_NQN, &api->subs));
	assert_err(doca_sta_destroy(api->sta), IN_USE);
	api_start(api);
	assert_ok(doca_sta_subsystem_add_dev(api->subs, api->dev));
	api_fill(api);
	qp = api_connect(api);
	assert_int_equal(api_do(api, qp, &read, data, sizeof(data)), 0);
	api_disconnect(api, qp);
}

static void they_are_limited(void **state)
{
	struct doca_sta_subs_handle *subs[64], *more;
	struct api *api = *state;
	char nqn[] = "nqn.2024-01.example:00";
	uint32_t max, i;

	assert_ok(doca_sta_get_max_subsys(&max));
	assert_int_equal(max, ARRAY_SIZE(subs));
	for (i = 0; i < max; i++) {
		nqn[20] = (char)('0' + i / 10);
		nqn[21] = (char)('0' + i % 10);
		assert_ok(doca_sta_subsystem_create(api->sta, nqn, &subs[i]));
	}
	assert_err(doca_sta_subsystem_create(api->sta, API_NQN, &more), FULL);
	for (i = 0; i < max; i++)
		assert_ok(doca_sta_subsystem_destroy(subs[i]));
}

static void devices_come_before_namespaces(void **state)
{
	struct api *api = *state;
	struct doca_dev *other;

	assert_ok(doca_dev_open(doca_dev_as_devinfo(api->dev), &other));
	assert_err(doca_sta_subsystem_add_dev(api->subs, api->dev), BAD_STATE);
	assert_ok(doca_sta_subsystem_rm_ns(api->subs, api->ns));
	api->ns = NULL;
	assert_err(doca_sta_subsystem_add_dev(api->subs, NULL), INVALID_VALUE);
	assert_ok(doca_sta_subsystem_add_dev(api->subs, api->dev));
	assert_err(doca_sta_subsystem_add_dev(api->subs, api->dev), ALREADY_EXIST);
	assert_ok(doca_dev_close(other));
}

static void namespaces_are_checked(void **state)
{
	static const struct {
		uint32_t fe, block, be;
		doca_error_t err;
	} rows[] = {
		{0, 512, 1, DOCA_ERROR_INVALID_VALUE},
		{NVME_NSID_ALL, 512, 1, DOCA_ERROR_INVALID_VALUE},
		{2, 0, 1, DOCA_ERROR_INVALID_VALUE},
		{2, 256, 1, DOCA_ERROR_INVALID_VALUE},
		{2, 512, 0, DOCA_ERROR_INVALID_VALUE},
		{1, 512, 1, DOCA_ERROR_ALREADY_EXIST},
	};
	struct api *api = *state;
	struct doca_sta_ns_handle *ns;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(rows); i++)
		assert_int_equal(doca_sta_subsystem_add_ns(api->subs, rows[i].fe, rows[i].block,
							   rows[i].be, api->be, &ns),
				 rows[i].err);
	assert_err(doca_sta_subsystem_add_ns(NULL, 2, 512, 1, api->be, &ns), INVALID_VALUE);
	assert_err(doca_sta_subsystem_add_ns(api->subs, 2, 512, 1, NULL, &ns), INVALID_VALUE);
	assert_err(doca_sta_subsystem_add_ns(api->subs, 2, 512, 1, api->be, NULL), INVALID_VALUE);
	assert_err(doca_sta_subsystem_destroy(api->subs), IN_USE);
}

static void namespaces_belong_to_one_subsystem(void **state)
{
	struct doca_sta_producer_task_send *task;
	struct doca_sta_subs_handle *other;
	struct api *api = *state;

	assert_ok(doca_sta_subsystem_create(api->sta, "nqn.2024-01.example:other", &other));
	assert_err(doca_sta_subsystem_rm_ns(other, api->ns), INVALID_VALUE);
	assert_err(doca_sta_subsystem_task_rm_ns_alloc_init(other, api->ns, api_data(api), &task),
		   INVALID_VALUE);
	assert_ok(doca_sta_subsystem_destroy(other));
	assert_err(doca_sta_subsystem_rm_ns(NULL, api->ns), INVALID_VALUE);
	assert_err(doca_sta_subsystem_rm_ns(api->subs, NULL), INVALID_VALUE);
	assert_err(doca_sta_subsystem_task_rm_ns_alloc_init(api->subs, NULL, api_data(api), &task),
		   INVALID_VALUE);
}

/* A stale handle is compared, and not looked at: the address sanitizer would see that. */
static void what_has_been_removed_is_unknown(void **state)
{
	struct doca_sta_producer_task_send *task;
	struct api *api = *state;
	struct doca_sta_ns_handle *gone = api->ns;

	assert_ok(doca_sta_subsystem_rm_ns(api->subs, gone));
	api->ns = NULL;
	assert_err(doca_sta_subsystem_rm_ns(api->subs, gone), INVALID_VALUE);
	assert_err(doca_sta_subsystem_task_rm_ns_alloc_init(api->subs, gone, api_data(api), &task),
		   INVALID_VALUE);
}

static void a_removal_is_one_removal(void **state)
{
	struct doca_sta_producer_task_send *task, *again;
	struct api *api = *state;
	unsigned int before = api->done;

	assert_ok(
		doca_sta_subsystem_task_rm_ns_alloc_init(api->subs, api->ns, api_data(api), &task));
	assert_ok(doca_sta_subsystem_task_rm_ns_alloc_init(api->subs, api->ns, api_data(api),
							   &again));
	api_submit(task);
	assert_err(doca_task_submit(doca_sta_producer_send_task_as_task(again)), BAD_STATE);
	assert_err(doca_sta_subsystem_rm_ns(api->subs, api->ns), BAD_STATE);
	API_UNTIL(api, api->done > before);
	api->ns = NULL;
	api_free_task(again);
}

/* at once, and its back end when the task comes back */
static void what_is_being_removed_has_left(void **state)
{
	struct doca_sta_producer_task_send *task;
	struct doca_sta_ns_handle *ns, *successor;
	struct doca_sta_subs_handle *subs;
	struct api *api = *state;
	unsigned int before = api->done;

	assert_ok(doca_sta_subsystem_create(api->sta, "nqn.2024-01.example:other", &subs));
	assert_ok(doca_sta_subsystem_add_ns(subs, 1, API_BLOCK, 1, api->be, &ns));
	assert_ok(doca_sta_subsystem_task_rm_ns_alloc_init(subs, ns, api_data(api), &task));
	api_submit(task);
	assert_ok(doca_sta_subsystem_add_ns(subs, 1, API_BLOCK, 1, api->be, &successor));
	assert_ok(doca_sta_subsystem_rm_ns(subs, successor));
	assert_ok(doca_sta_subsystem_destroy(subs));
	assert_int_equal(api->done, before);
	assert_int_equal(api->be->be.ns_count, 2); /* the other one stays */
	API_UNTIL(api, api->done > before);
	assert_int_equal(api->be->be.ns_count, 1);
}

/* a state that the program knows of, ANA for instance */
static void refusals_come_and_go(void **state)
{
	static uint8_t data[API_BLOCK];
	struct api *api = *state;
	struct doca_sta_qp_handle *qp = api_connect(api);
	const struct nvme_cmd read = api_rw(NVME_CMD_READ, 1, 0, sizeof(data));

	assert_err(softfield_sta_ns_set_refusal(NULL, 0), INVALID_VALUE);
	assert_ok(softfield_sta_ns_set_refusal(api->ns, NVME_SC_ANA_INACCESSIBLE));
	assert_int_equal(api_do(api, qp, &read, data, sizeof(data)), NVME_SC_ANA_INACCESSIBLE);
	assert_ok(softfield_sta_ns_set_refusal(api->ns, 0));
	assert_int_equal(api_do(api, qp, &read, data, sizeof(data)), 0);
	api_disconnect(api, qp);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		API_EMPTY_TEST(names_are_checked),
		cmocka_unit_test_setup_teardown(they_may_come_before_the_start, api_setup_idle,
						api_teardown),
		API_EMPTY_TEST(they_are_limited),
		API_TEST(devices_come_before_namespaces),
		API_TEST(namespaces_are_checked),
		API_TEST(namespaces_belong_to_one_subsystem),
		API_TEST(what_has_been_removed_is_unknown),
		API_TEST(a_removal_is_one_removal),
		API_TEST(what_is_being_removed_has_left),
		API_TEST(refusals_come_and_go),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
