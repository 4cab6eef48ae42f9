/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Functions of releases up to 2.2 that are macros for programs in C: bindings for other languages
 * need symbols.
 */
#include "softfield_core_2_2.h"

/* Macros of the public header; here the functions of today are meant. */
#undef doca_buf_inventory_create
#undef doca_mmap_create

doca_error_t softfield_mmap_create_2_2(const union doca_data *user_data, struct doca_mmap **mmap)
{
	(void)user_data;
	return doca_mmap_create(mmap);
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
