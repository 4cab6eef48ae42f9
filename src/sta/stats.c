/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Statistics: execution units, and tables of counters that stay where they are.
 */
#include "sta/sta.h"

#include <stdio.h>
#include <stdlib.h>
#include "base/count.h"

/* of a structure of counters */
struct field {
	const char *name;
	size_t offset;
};

#define EU(field)                                                                                  \
	{                                                                                          \
#field, offsetof(struct sta_eu_counters, field)                                    \
	}
#define NS(field)                                                                                  \
	{                                                                                          \
#field, offsetof(struct sta_ns_counters, field)                                    \
	}
#define BEQ(field)                                                                                 \
	{                                                                                          \
#field, offsetof(struct sta_beq_counters, field)                                   \
	}

static const struct field comp_fields[] = {
	EU(rx_capsules), EU(reads),	    EU(writes),		EU(read_bytes),
	EU(write_bytes), EU(non_offload),   EU(validation_err), EU(no_buffer),
	EU(remote),	 EU(transport_err), EU(notify_dropped), EU(app_full),
};
static const struct field tx_fields[] = {EU(tx_responses), EU(tx_data), EU(fetches)};
static const struct field beq_fields[] = {EU(be_submitted), EU(be_completed), EU(be_err),
					  EU(sq_full)};
static const struct field ns_fields[] = {NS(reads), NS(writes), NS(read_bytes), NS(write_bytes),
					 NS(errors)};
static const struct field be_q_fields[] = {BEQ(submitted), BEQ(completed), BEQ(errors), BEQ(full),
					   BEQ(aborted)};

/*
 * Tables
 */

/* suffix NULL: the plain names */
static doca_error_t add_entries(struct sta_entries *entries, const struct field *fields,
				size_t count, const void *base, const char *suffix)
{
	size_t i;

	if (!entries->list) {
		entries->list = calloc(STA_ENTRIES_MAX, sizeof(*entries->list));
		entries->names = calloc(STA_ENTRIES_MAX, sizeof(*entries->names));
	}
	if (!entries->list || !entries->names)
		return DOCA_ERROR_NO_MEMORY;
	for (i = 0; i < count; i++) {
		char *name = entries->names[entries->count];

		assert(entries->count < STA_ENTRIES_MAX);
		snprintf(name, sizeof(entries->names[0]), "%s%s", fields[i].name,
			 suffix ? suffix : "");
		entries->list[entries->count++] = (struct doca_sta_eu_ctr_entry){
			.name = name,
			.val = (const uint64_t *)(const void *)((const char *)base +
								fields[i].offset),
		};
	}
	return DOCA_SUCCESS;
}

void sta_entries_free(struct sta_entries *entries)
{
	free(entries->list);
	free(entries->names);
	free(entries->info_2_9);
	*entries = (struct sta_entries){0};
}

static doca_error_t show(const struct sta_entries *entries,
			 const struct doca_sta_eu_ctr_entry **ret_list, uint16_t *ret_count)
{
	if (!ret_list || !ret_count)
		return DOCA_ERROR_INVALID_VALUE;
	*ret_list = entries->list;
	*ret_count = entries->count;
	return DOCA_SUCCESS;
}

/* Each thread has counters of its own, so that nothing is shared on the way of a command. */
doca_error_t sta_ns_entries_init(struct doca_sta_ns_handle *ns)
{
	const struct sta_engine *engine = ns->subs->sta->engine;
	doca_error_t err = DOCA_SUCCESS;
	uint16_t i;

	for (i = 0; !err && i < engine->eu_count; i++) {
		char suffix[8];

		snprintf(suffix, sizeof(suffix), "_eu%u", i & 0xffu);
		err = add_entries(&ns->entries, ns_fields, COUNT(ns_fields),
				  &ns->ns->use[i].counters, engine->eu_count > 1 ? suffix : NULL);
	}
	return err;
}

doca_error_t sta_be_q_entries_init(struct doca_sta_be_q_handle *be_q)
{
	static const struct field owner = {"handler_eu", 0};
	doca_error_t err;

	be_q->owner = be_q->beq->owner->index * STA_EU_ROLES + DOCA_STA_EU_BEQ - 1;
	err = add_entries(&be_q->entries, be_q_fields, COUNT(be_q_fields), &be_q->beq->counters,
			  NULL);
	if (!err)
		err = add_entries(&be_q->mapping, &owner, 1, &be_q->owner, NULL);
	return err;
}

/*
 * Execution units: three roles of each thread
 */

static doca_error_t init_handle(struct doca_sta *sta, struct sta_eu *eu, uint32_t role)
{
	static const struct {
		const char *name;
		const struct field *fields;
		size_t count;
	} roles[STA_EU_ROLES] = {
		{"comp", comp_fields, COUNT(comp_fields)},
		{"tx", tx_fields, COUNT(tx_fields)},
		{"beq", beq_fields, COUNT(beq_fields)},
	};
	uint32_t id = eu->index * STA_EU_ROLES + role;
	struct doca_sta_eu_handle *handle = &sta->eus[id];

	*handle = (struct doca_sta_eu_handle){
		.type = (enum dpa_sta_eu_type)(role + 1), .id = (uint16_t)id, .eu = eu};
	snprintf(handle->name, sizeof(handle->name), "%s_%u", roles[role].name, eu->index);
	sta->eu_count++;
	return add_entries(&handle->entries, roles[role].fields, roles[role].count, &eu->counters,
			   NULL);
}

doca_error_t sta_eu_handles_init(struct doca_sta *sta)
{
	uint32_t i, role;

	sta->eu_count = 0;
	for (i = 0; i < sta->engine->eu_count; i++) {
		for (role = 0; role < STA_EU_ROLES; role++) {
			doca_error_t err = init_handle(sta, &sta->engine->eus[i], role);

			if (err) {
				sta_eu_handles_fini(sta);
				return err;
			}
		}
	}
	return DOCA_SUCCESS;
}

void sta_eu_handles_fini(struct doca_sta *sta)
{
	while (sta->eu_count)
		sta_entries_free(&sta->eus[--sta->eu_count].entries);
}

doca_error_t doca_sta_get_eu_handle(const struct doca_sta *sta,
				    struct doca_sta_eu_handle **eu_handle_arr, uint32_t *arr_size)
{
	uint32_t room, i;

	if (!sta || !arr_size)
		return DOCA_ERROR_INVALID_VALUE;
	if (!sta_is_running(sta))
		return DOCA_ERROR_BAD_STATE;
	room = *arr_size;
	*arr_size = sta->eu_count;
	if (!eu_handle_arr)
		return DOCA_SUCCESS;
	if (room < sta->eu_count)
		return DOCA_ERROR_TOO_BIG;
	for (i = 0; i < sta->eu_count; i++)
		eu_handle_arr[i] = (struct doca_sta_eu_handle *)&sta->eus[i];
	return DOCA_SUCCESS;
}

doca_error_t doca_sta_get_eu_name(const struct doca_sta_eu_handle *eu_handle, const char **name)
{
	if (!eu_handle || !name)
		return DOCA_ERROR_INVALID_VALUE;
	*name = eu_handle->name;
	return DOCA_SUCCESS;
}

doca_error_t doca_sta_get_eu_type(const struct doca_sta_eu_handle *eu_handle,
				  enum dpa_sta_eu_type *type)
{
	if (!eu_handle || !type)
		return DOCA_ERROR_INVALID_VALUE;
	*type = eu_handle->type;
	return DOCA_SUCCESS;
}

doca_error_t doca_sta_get_eu_id(const struct doca_sta_eu_handle *eu_handle, uint16_t *eu_id)
{
	if (!eu_handle || !eu_id)
		return DOCA_ERROR_INVALID_VALUE;
	*eu_id = eu_handle->id;
	return DOCA_SUCCESS;
}

doca_error_t doca_sta_get_eu_port(const struct doca_sta_eu_handle *eu_handle, uint16_t *port)
{
	if (!eu_handle || !port)
		return DOCA_ERROR_INVALID_VALUE;
	*port = 0; /* a thread serves all devices */
	return DOCA_SUCCESS;
}

doca_error_t doca_sta_get_eu_state(struct doca_sta_eu_handle *eu_handle,
				   enum dpa_sta_eu_state *state)
{
	if (!eu_handle || !state)
		return DOCA_ERROR_INVALID_VALUE;
	*state = DOCA_STA_EU_STATE_STARTED; /* handles exist while their threads run */
	return DOCA_SUCCESS;
}

struct qp_query {
	struct doca_sta_qp_handle **arr;
	uint16_t capacity, count;
};

static void list_qps(struct sta_eu *eu, void *arg)
{
	struct qp_query *query = arg;
	struct list_node *node;

	list_for_each (node, &eu->qps) {
		const struct sta_qp *qp = container_of(node, struct sta_qp, node);

		if (query->arr && query->count < query->capacity)
			query->arr[query->count] = qp->user;
		query->count++;
	}
}

doca_error_t doca_sta_get_eu_connect_qp_stats(struct doca_sta_eu_handle *eu_handle,
					      struct doca_sta_qp_handle **arr, uint16_t *arr_size)
{
	struct qp_query query = {.arr = arr};

	if (!eu_handle || !arr_size)
		return DOCA_ERROR_INVALID_VALUE;
	query.capacity = *arr_size;
	if (eu_handle->type == DOCA_STA_EU_COMP)
		sta_eu_call(eu_handle->eu, list_qps, &query);
	*arr_size = query.count;
	return arr && query.count > query.capacity ? DOCA_ERROR_TOO_BIG : DOCA_SUCCESS;
}

/*
 * Counters
 */

doca_error_t doca_sta_get_eu_stats(struct doca_sta_eu_handle *eu_handle,
				   const struct doca_sta_eu_ctr_entry **entries,
				   uint16_t *num_entries)
{
	return eu_handle ? show(&eu_handle->entries, entries, num_entries)
			 : DOCA_ERROR_INVALID_VALUE;
}

doca_error_t doca_sta_get_be_queue_stats(struct doca_sta_be_handle *be_handle,
					 struct doca_sta_be_q_handle *be_q_handle,
					 const struct doca_sta_eu_ctr_entry **entries,
					 uint16_t *num_entries)
{
	if (!be_handle || !be_q_handle || be_q_handle->be != be_handle)
		return DOCA_ERROR_INVALID_VALUE;
	return show(&be_q_handle->entries, entries, num_entries);
}

doca_error_t doca_sta_get_be_queue_mapping_info(const struct doca_sta_be_q_handle *be_q_handle,
						const struct doca_sta_eu_ctr_entry **entries,
						uint16_t *num_entries)
{
	return be_q_handle ? show(&be_q_handle->mapping, entries, num_entries)
			   : DOCA_ERROR_INVALID_VALUE;
}

doca_error_t doca_sta_get_ns_stats(struct doca_sta_subs_handle *subs_handle,
				   struct doca_sta_ns_handle *ns_handle,
				   const struct doca_sta_eu_ctr_entry **entries,
				   uint16_t *num_entries)
{
	if (!subs_handle || !ns_handle || ns_handle->subs != subs_handle)
		return DOCA_ERROR_INVALID_VALUE;
	return show(&ns_handle->entries, entries, num_entries);
}

/* in the thread that counts, so that no count is lost in the middle */
static void reset(struct sta_eu *eu, void *arg)
{
	const struct sta_entries *entries = arg;
	uint16_t i;

	(void)eu;
	for (i = 0; i < entries->count; i++)
		STA_SET(*(uint64_t *)(uintptr_t)entries->list[i].val, 0);
}

doca_error_t doca_sta_eu_reset_stats_handle(struct doca_sta_eu_handle *eu_handle)
{
	if (!eu_handle)
		return DOCA_ERROR_INVALID_VALUE;
	sta_eu_call(eu_handle->eu, reset, &eu_handle->entries);
	return DOCA_SUCCESS;
}

doca_error_t doca_sta_eu_reset_stats_type(struct doca_sta *sta, enum dpa_sta_eu_type eu_type)
{
	uint32_t i;

	if (!sta || eu_type <= DOCA_STA_EU_TYPE_UNKNOWN || eu_type > DOCA_STA_EU_MAX)
		return DOCA_ERROR_INVALID_VALUE;
	if (!sta_is_running(sta))
		return DOCA_ERROR_BAD_STATE;
	for (i = 0; i < sta->eu_count; i++)
		if (eu_type == DOCA_STA_EU_MAX || sta->eus[i].type == eu_type)
			doca_sta_eu_reset_stats_handle(&sta->eus[i]);
	return DOCA_SUCCESS;
}
