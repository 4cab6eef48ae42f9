/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A library that stands between programs and libdoca_common, and gives them buffers of its own.
 */
#include <dlfcn.h>
#include <stdlib.h>
#include <doca_buf_inventory.h>
#include <doca_mmap.h>

#define REAL(name) ((__typeof__(&name))dlsym(RTLD_NEXT, #name))

struct wrapped {
	char other[64]; /* it does not begin like a buffer */
	struct doca_buf *buf;
	unsigned int calls;
};

static struct wrapped wrapped;

doca_error_t doca_buf_inventory_buf_get_by_args(struct doca_buf_inventory *inventory,
						struct doca_mmap *mmap, void *addr, size_t len,
						void *data, size_t data_len, struct doca_buf **buf)
{
	*buf = (struct doca_buf *)&wrapped;
	return REAL(doca_buf_inventory_buf_get_by_args)(inventory, mmap, addr, len, data, data_len,
							&wrapped.buf);
}

doca_error_t doca_buf_set_data(struct doca_buf *buf, void *data, size_t data_len)
{
	struct wrapped *wrapper = (struct wrapped *)buf;

	return REAL(doca_buf_set_data)(wrapper->buf, data, data_len + ++wrapper->calls);
}

doca_error_t doca_buf_get_data(const struct doca_buf *buf, void **data)
{
	return REAL(doca_buf_get_data)(((const struct wrapped *)buf)->buf, data);
}

doca_error_t doca_buf_get_data_len(const struct doca_buf *buf, size_t *data_len)
{
	return REAL(doca_buf_get_data_len)(((const struct wrapped *)buf)->buf, data_len);
}
