/* SPDX-License-Identifier: BSD-3-Clause */
/* Starts and stops a storage target: linked with the static library. */
#include <stdio.h>

#include <doca_ctx.h>
#include <doca_dev.h>
#include <doca_pe.h>
#include <doca_sta.h>

static int run(struct doca_dev *dev)
{
	struct doca_sta *sta;
	struct doca_pe *pe;

	return doca_pe_create(&pe) || doca_sta_create(dev, &sta) ||
	       doca_pe_connect_ctx(pe, doca_sta_as_ctx(sta)) ||
	       doca_ctx_start(doca_sta_as_ctx(sta)) || doca_ctx_stop(doca_sta_as_ctx(sta)) ||
	       doca_sta_destroy(sta) || doca_pe_destroy(pe);
}

int main(void)
{
	struct doca_devinfo **list;
	struct doca_dev *dev;
	uint32_t count, i;

	if (doca_devinfo_create_list(&list, &count))
		return 1;
	for (i = 0; i < count; i++)
		if (!doca_sta_cap_is_supported(list[i]) && !doca_dev_open(list[i], &dev))
			return run(dev);
	fputs("no device can carry a storage target\n", stderr);
	return 1;
}
