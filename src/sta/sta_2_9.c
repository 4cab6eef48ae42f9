/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What release 2.9 had with other arguments. Its header says how programs get here.
 */
#include "sta/sta.h"

#include <stdlib.h>
#include "softfield_sta_2_9.h"

doca_error_t softfield_sta_create_2_9(struct doca_dev *dev, struct doca_pe *pe,
				      struct doca_sta **sta)
{
	struct doca_sta *new_sta;
	doca_error_t err;

	if (!pe || !sta)
		return DOCA_ERROR_INVALID_VALUE;
	err = doca_sta_create(dev, &new_sta);
	if (err)
		return err;
	*sta = new_sta;
	return doca_pe_connect_ctx(pe, &new_sta->ctx); /* of a new context: it succeeds */
}

doca_error_t softfield_sta_io_create_2_9(struct doca_sta *sta, struct doca_pe *pe,
					 struct doca_sta_io **sta_io)
{
	struct doca_sta_io *io;
	doca_error_t err;

	if (!pe || !sta_io)
		return DOCA_ERROR_INVALID_VALUE;
	err = doca_sta_io_create(sta, &io);
	if (err)
		return err;
	*sta_io = io;
	return doca_pe_connect_ctx(pe, &io->ctx); /* of a new context: it succeeds */
}

/* the table in the shape of that release, made when it is first asked for */
static doca_error_t show(struct sta_entries *entries, const struct doca_sta_eu_ctr_info **ret_info)
{
	struct doca_sta_eu_ctr_info *info = entries->info_2_9;
	uint16_t i;

	if (!ret_info)
		return DOCA_ERROR_INVALID_VALUE;
	if (!info) {
		info = calloc(1, sizeof(*info) + entries->count * sizeof(info->entries[0]));
		if (!info)
			return DOCA_ERROR_NO_MEMORY;
		info->num = entries->count;
		for (i = 0; i < entries->count; i++) {
			info->entries[i].name = entries->list[i].name;
			info->entries[i].val = entries->list[i].val;
		}
		entries->info_2_9 = info;
	}
	*ret_info = info;
	return DOCA_SUCCESS;
}

doca_error_t softfield_sta_get_eu_stats_2_9(uint64_t eu_handle,
					    const struct doca_sta_eu_ctr_info **ctr_info)
{
	struct doca_sta_eu_handle *eu = (struct doca_sta_eu_handle *)(uintptr_t)eu_handle;

	return eu ? show(&eu->entries, ctr_info) : DOCA_ERROR_INVALID_VALUE;
}

doca_error_t softfield_sta_get_be_queue_stats_2_9(uint64_t be_handle, uint64_t be_q_handle,
						  const struct doca_sta_eu_ctr_info **ctr_info)
{
	struct doca_sta_be_q_handle *be_q = (struct doca_sta_be_q_handle *)(uintptr_t)be_q_handle;

	if (!be_q || (uintptr_t)be_q->be != be_handle)
		return DOCA_ERROR_INVALID_VALUE;
	return show(&be_q->entries, ctr_info);
}

doca_error_t softfield_sta_get_ns_stats_2_9(uint64_t subs_handle, uint64_t ns_handle,
					    const struct doca_sta_eu_ctr_info **ctr_info)
{
	struct doca_sta_ns_handle *ns = (struct doca_sta_ns_handle *)(uintptr_t)ns_handle;

	if (!ns || (uintptr_t)ns->subs != subs_handle)
		return DOCA_ERROR_INVALID_VALUE;
	return show(&ns->entries, ctr_info);
}
