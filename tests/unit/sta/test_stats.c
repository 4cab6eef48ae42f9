/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Execution units and tables of counters.
 */
#include "api.h"

struct table {
	const struct doca_sta_eu_ctr_entry *entries;
	uint16_t count;
};

static uint64_t value(const struct table *table, const char *name)
{
	for (uint16_t i = 0; i < table->count; i++)
		if (!strcmp(table->entries[i].name, name))
			return *table->entries[i].val;
	fail_msg("no counter %s", name);
	return 0;
}

static struct doca_sta_eu_handle *find_eu(struct api *api, enum dpa_sta_eu_type wanted)
{
	struct doca_sta_eu_handle *eus[STA_EU_ROLES];
	uint32_t count = ARRAY_SIZE(eus);
	enum dpa_sta_eu_type type;

	assert_ok(doca_sta_get_eu_handle(api->sta, eus, &count));
	for (uint32_t i = 0; i < count; i++) {
		assert_ok(doca_sta_get_eu_type(eus[i], &type));
		if (type == wanted)
			return eus[i];
	}
	fail_msg("no unit of type %d", (int)wanted);
	return NULL;
}

static struct table eu_table(struct api *api, enum dpa_sta_eu_type type)
{
	struct table table;

	assert_ok(doca_sta_get_eu_stats(find_eu(api, type), &table.entries, &table.count));
	return table;
}

static struct table ns_table(struct api *api)
{
	struct table table;

	assert_ok(doca_sta_get_ns_stats(api->subs, api->ns, &table.entries, &table.count));
	return table;
}

static void run_commands(struct api *api, struct doca_sta_qp_handle *qp)
{
	static uint8_t data[4 * API_BLOCK];
	const struct nvme_cmd write = api_rw(NVME_CMD_WRITE, 1, 0, 2 * API_BLOCK);
	const struct nvme_cmd read = api_rw(NVME_CMD_READ, 1, 0, 4 * API_BLOCK);
	const struct nvme_cmd beyond = api_rw(NVME_CMD_READ, 1, API_DISK / API_BLOCK, API_BLOCK);

	assert_int_equal(api_do(api, qp, &write, data, 2 * API_BLOCK), 0);
	assert_int_equal(api_do(api, qp, &read, data, 4 * API_BLOCK), 0);
	assert_int_equal(api_do(api, qp, &read, data, 4 * API_BLOCK), 0);
	assert_int_equal(api_do(api, qp, &beyond, data, API_BLOCK),
			 NVME_SC_LBA_RANGE | NVME_SC_DNR);
}

static void everything_is_counted_where_it_belongs(void **state)
{
	struct api *api = *state;
	struct doca_sta_qp_handle *qp = api_connect(api);
	const struct table comp = eu_table(api, DOCA_STA_EU_COMP),
			   tx = eu_table(api, DOCA_STA_EU_TX);
	const struct table beq = eu_table(api, DOCA_STA_EU_BEQ), ns = ns_table(api);
	struct table be_q;

	assert_ok(doca_sta_get_be_queue_stats(api->be, api->be_q, &be_q.entries, &be_q.count));
	run_commands(api, qp);
	assert_int_equal(value(&comp, "rx_capsules"), 5); /* Connect, too */
	assert_int_equal(value(&comp, "non_offload"), 1);
	assert_int_equal(value(&comp, "reads"), 2);
	assert_int_equal(value(&comp, "writes"), 1);
	assert_int_equal(value(&comp, "read_bytes"), 8 * API_BLOCK);
	assert_int_equal(value(&comp, "write_bytes"), 2 * API_BLOCK);
	assert_int_equal(value(&tx, "tx_responses"), 5);
	assert_int_equal(value(&tx, "tx_data"), 8 * API_BLOCK);
	assert_int_equal(value(&beq, "be_submitted"), 4);
	assert_int_equal(value(&beq, "be_completed"), 4);
	assert_int_equal(value(&beq, "be_err"), 1);
	assert_int_equal(value(&be_q, "submitted"), 4);
	assert_int_equal(value(&be_q, "errors"), 1);
	assert_int_equal(value(&ns, "reads"), 2);
	assert_int_equal(value(&ns, "write_bytes"), 2 * API_BLOCK);
	assert_int_equal(value(&ns, "errors"), 1);
	api_disconnect(api, qp);
}

/* pointers that a program has kept stay good, whatever is reset */
static void resets_move_nothing(void **state)
{
	struct api *api = *state;
	struct doca_sta_qp_handle *qp = api_connect(api);
	const struct table comp = eu_table(api, DOCA_STA_EU_COMP),
			   tx = eu_table(api, DOCA_STA_EU_TX);
	struct table again;

	run_commands(api, qp);
	assert_ok(doca_sta_eu_reset_stats_type(api->sta, DOCA_STA_EU_COMP));
	assert_int_equal(value(&comp, "reads"), 0);
	assert_int_not_equal(value(&tx, "tx_responses"), 0);
	again = eu_table(api, DOCA_STA_EU_COMP);
	assert_ptr_equal(again.entries, comp.entries);
	run_commands(api, qp);
	assert_int_equal(value(&comp, "reads"), 2);
	assert_ok(doca_sta_eu_reset_stats_handle(find_eu(api, DOCA_STA_EU_TX)));
	assert_int_equal(value(&tx, "tx_responses"), 0);
	assert_int_equal(value(&comp, "reads"), 2);
	assert_ok(doca_sta_eu_reset_stats_type(api->sta, DOCA_STA_EU_MAX));
	assert_int_equal(value(&comp, "reads"), 0);
	assert_err(doca_sta_eu_reset_stats_type(api->sta, DOCA_STA_EU_TYPE_UNKNOWN), INVALID_VALUE);
	assert_err(doca_sta_eu_reset_stats_handle(NULL), INVALID_VALUE);
	api_disconnect(api, qp);
}

static void names_are_unique_in_a_table(void **state)
{
	struct api *api = *state;
	const struct table tables[] = {eu_table(api, DOCA_STA_EU_COMP),
				       eu_table(api, DOCA_STA_EU_TX),
				       eu_table(api, DOCA_STA_EU_BEQ), ns_table(api)};

	for (size_t t = 0; t < ARRAY_SIZE(tables); t++)
		for (uint16_t i = 0; i < tables[t].count; i++)
			for (uint16_t k = 0; k < i; k++)
				assert_string_not_equal(tables[t].entries[i].name,
							tables[t].entries[k].name);
}

static void what_units_are(void **state)
{
	struct api *api = *state;
	struct doca_sta_eu_handle *eus[STA_EU_ROLES];
	struct doca_sta_qp_handle *qp = api_connect(api), *found;
	uint32_t count = ARRAY_SIZE(eus);
	enum dpa_sta_eu_state now;
	uint16_t number, qps;
	const char *name;

	assert_ok(doca_sta_get_eu_handle(api->sta, eus, &count));
	assert_int_equal(count, ARRAY_SIZE(eus));
	for (uint16_t i = 0; i < count; i++) {
		assert_ok(doca_sta_get_eu_id(eus[i], &number));
		assert_int_equal(number, i);
		assert_ok(doca_sta_get_eu_name(eus[i], &name));
		assert_true(strlen(name) > 2);
		assert_ok(doca_sta_get_eu_state(eus[i], &now));
		assert_int_equal(now, DOCA_STA_EU_STATE_STARTED);
		assert_ok(doca_sta_get_eu_port(eus[i], &number));
	}
	qps = 1;
	assert_ok(doca_sta_get_eu_connect_qp_stats(find_eu(api, DOCA_STA_EU_COMP), &found, &qps));
	assert_int_equal(qps, 1);
	assert_ptr_equal(found, qp);
	qps = 1;
	assert_ok(doca_sta_get_eu_connect_qp_stats(find_eu(api, DOCA_STA_EU_TX), &found, &qps));
	assert_int_equal(qps, 0);
	api_disconnect(api, qp);
}

static void which_unit_drives_a_queue(void **state)
{
	struct api *api = *state;
	struct table mapping;
	uint16_t id;

	assert_ok(doca_sta_get_be_queue_mapping_info(api->be_q, &mapping.entries, &mapping.count));
	assert_ok(doca_sta_get_eu_id(find_eu(api, DOCA_STA_EU_BEQ), &id));
	assert_int_equal(value(&mapping, "handler_eu"), id);
	assert_err(doca_sta_get_be_queue_mapping_info(NULL, &mapping.entries, &mapping.count),
		   INVALID_VALUE);
	assert_err(doca_sta_get_be_queue_stats(NULL, api->be_q, &mapping.entries, &mapping.count),
		   INVALID_VALUE);
	assert_err(doca_sta_get_ns_stats(NULL, api->ns, &mapping.entries, &mapping.count),
		   INVALID_VALUE);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		API_TEST(everything_is_counted_where_it_belongs),
		API_TEST(resets_move_nothing),
		API_TEST(names_are_unique_in_a_table),
		API_TEST(what_units_are),
		API_TEST(which_unit_drives_a_queue),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
