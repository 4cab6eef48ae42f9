/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Functions of releases up to 2.2 in terms of today's. Programs in C have macros for most of them:
 * bindings for other languages need symbols.
 */
#include "softfield_core_2_2.h"

#include "core/log.h"
#include "core/mmap.h"
#include "doca_error.h"

/* What messages of that age say of an answer: called before doca_log() is, they are heard. */

const char *doca_get_error_name(doca_error_t error)
{
	priv_log_backend_add_default();
	return doca_error_get_name(error);
}

const char *doca_get_error_string(doca_error_t error)
{
	priv_log_backend_add_default();
	return doca_error_get_descr(error);
}

doca_error_t softfield_mmap_create_2_2(const union doca_data *user_data, struct doca_mmap **mmap)
{
	doca_error_t err = doca_mmap_create(mmap);

	(void)user_data;
	priv_log_backend_add_default();
	if (!err)
		(*mmap)->may_start_empty = true;
	return err;
}

doca_error_t softfield_mmap_export_dpu(struct doca_mmap *mmap, const struct doca_dev *dev,
				       const void **export_desc, size_t *export_desc_len)
{
	return doca_mmap_export_pci(mmap, dev, export_desc, export_desc_len);
}

doca_error_t softfield_buf_inventory_create_2_2(const union doca_data *user_data,
						size_t num_elements, uint32_t extensions,
						struct doca_buf_inventory **inventory)
{
	(void)user_data;
	(void)extensions;
	priv_log_backend_add_default();
	return doca_buf_inventory_create(num_elements, inventory);
}

doca_error_t softfield_buf_refcount_add(struct doca_buf *buf, uint16_t *refcount)
{
	return doca_buf_inc_refcount(buf, refcount);
}

doca_error_t softfield_buf_refcount_rm(struct doca_buf *buf, uint16_t *refcount)
{
	return doca_buf_dec_refcount(buf, refcount);
}

doca_error_t softfield_buf_refcount_get(const struct doca_buf *buf, uint16_t *refcount)
{
	return doca_buf_get_refcount(buf, refcount);
}
