/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * FlexIO's files of resources: there are none.
 */
#define LOG_MODULE "flexio"
#include "libflexio/flexio.h"

#include "base/log.h"

flexio_status flexio_resources_create(const char *app_key, const char *file_buffer,
				      size_t file_size, struct flexio_resource **res)
{
	(void)file_buffer;
	(void)file_size;
	(void)res;
	LOG_ERR("%s: a software DPA has no resources of FlexIO; run the program without such a "
		"file",
		app_key ? app_key : "no name");
	return FLEXIO_STATUS_FAILED;
}

int flexio_resources_get_eugs_num(struct flexio_resource *res)
{
	(void)res;
	return 0;
}

uint32_t flexio_resources_get_eus_num(struct flexio_resource *res)
{
	(void)res;
	return 0;
}

uint32_t *flexio_resources_get_eus(struct flexio_resource *res)
{
	(void)res;
	return NULL;
}

void flexio_resources_destroy(struct flexio_resource *res)
{
	(void)res;
}
