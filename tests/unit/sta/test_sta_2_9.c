/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What release 2.9 had with other arguments: progress engines at creation, tables in one piece.
 */
#include "api.h"
#include "softfield_sta_2_9.h"

static void engines_are_connected_at_once(void **state)
{
	struct api *api = *state;
	struct doca_sta_io *io;
	struct doca_sta *sta;

	assert_err(softfield_sta_create_2_9(api->dev, NULL, &sta), INVALID_VALUE);
	assert_err(softfield_sta_create_2_9(NULL, api->pe, &sta), INVALID_VALUE);
	assert_err(softfield_sta_create_2_9(api->dev, api->pe, NULL), INVALID_VALUE);
	assert_ok(softfield_sta_create_2_9(api->dev, api->pe, &sta));
	assert_err(doca_pe_connect_ctx(api->pe, doca_sta_as_ctx(sta)), NOT_PERMITTED);
	assert_err(softfield_sta_io_create_2_9(sta, api->pe, &io), BAD_STATE); /* IDLE */
	assert_ok(doca_ctx_start(doca_sta_as_ctx(sta)));
	assert_err(softfield_sta_io_create_2_9(sta, NULL, &io), INVALID_VALUE);
	assert_err(softfield_sta_io_create_2_9(sta, api->pe, NULL), INVALID_VALUE);
	assert_ok(softfield_sta_io_create_2_9(sta, api->pe, &io));
	assert_err(doca_pe_connect_ctx(api->pe, doca_sta_io_as_ctx(io)), NOT_PERMITTED);
	assert_ok(doca_sta_io_destroy(io));
	assert_ok(doca_ctx_stop(doca_sta_as_ctx(sta)));
	assert_ok(doca_sta_destroy(sta));
}

/* the same counters, in the same order, at the same places */
static void assert_same(const struct doca_sta_eu_ctr_info *info,
			const struct doca_sta_eu_ctr_entry *entries, uint16_t count)
{
	assert_int_equal(info->num, count);
	for (uint16_t i = 0; i < count; i++) {
		assert_ptr_equal(info->entries[i].name, entries[i].name);
		assert_ptr_equal(info->entries[i].val, entries[i].val);
	}
}

static uint64_t number(const void *handle)
{
	return (uintptr_t)handle;
}

static void tables_are_those_of_later_releases(void **state)
{
	const struct doca_sta_eu_ctr_info *info, *again;
	const struct doca_sta_eu_ctr_entry *entries;
	struct doca_sta_eu_handle *eus[STA_EU_ROLES];
	struct api *api = *state;
	uint32_t eu_count = ARRAY_SIZE(eus);
	uint16_t count;

	assert_ok(doca_sta_get_eu_handle(api->sta, eus, &eu_count));
	for (uint32_t i = 0; i < eu_count; i++) {
		assert_ok(softfield_sta_get_eu_stats_2_9(number(eus[i]), &info));
		assert_ok(doca_sta_get_eu_stats(eus[i], &entries, &count));
		assert_same(info, entries, count);
		assert_ok(softfield_sta_get_eu_stats_2_9(number(eus[i]), &again));
		assert_ptr_equal(again, info);
	}
	assert_ok(softfield_sta_get_be_queue_stats_2_9(number(api->be), number(api->be_q), &info));
	assert_ok(doca_sta_get_be_queue_stats(api->be, api->be_q, &entries, &count));
	assert_same(info, entries, count);
	assert_ok(softfield_sta_get_ns_stats_2_9(number(api->subs), number(api->ns), &info));
	assert_ok(doca_sta_get_ns_stats(api->subs, api->ns, &entries, &count));
	assert_same(info, entries, count);
}

static void handles_are_checked(void **state)
{
	const struct doca_sta_eu_ctr_info *info;
	struct api *api = *state;

	assert_err(softfield_sta_get_eu_stats_2_9(0, &info), INVALID_VALUE);
	assert_err(softfield_sta_get_be_queue_stats_2_9(number(api->be), 0, &info), INVALID_VALUE);
	assert_err(softfield_sta_get_be_queue_stats_2_9(0, number(api->be_q), &info),
		   INVALID_VALUE);
	assert_err(softfield_sta_get_ns_stats_2_9(0, number(api->ns), &info), INVALID_VALUE);
	assert_err(softfield_sta_get_ns_stats_2_9(number(api->subs), 0, &info), INVALID_VALUE);
	assert_err(softfield_sta_get_ns_stats_2_9(number(api->subs), number(api->ns), NULL),
		   INVALID_VALUE);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		API_IDLE_TEST(engines_are_connected_at_once),
		API_TEST(tables_are_those_of_later_releases),
		API_TEST(handles_are_checked),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
