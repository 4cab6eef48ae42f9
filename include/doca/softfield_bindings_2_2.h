/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The names of softfield_core_2_2.h as functions, for generators of bindings for other languages,
 * which see no macro with arguments. A name that has other arguments today has those of release 2.2
 * only: doca_compat.h sets today's aside. Not to be included by programs.
 *
 * softfield_core_2_2.h brings this before what it declares itself: of functions that are one
 * symbol, bindgen sees the first.
 */
#ifndef DOCA_LEGACY_2_2_BINDINGS
#define DOCA_LEGACY_2_2_BINDINGS
#endif

#include <softfield_core_2_2.h>

#ifndef SOFTFIELD_BINDINGS_2_2_H_
#define SOFTFIELD_BINDINGS_2_2_H_

#ifdef __cplusplus
extern "C" {
#endif

struct doca_event;
struct doca_job;
struct doca_workq;

/** Declares name with what a function is called in the libraries. */
#define SOFTFIELD_BIND(name, args, library_name)                                                   \
	DOCA_EXPERIMENTAL                                                                          \
	doca_error_t name args __asm__(#library_name)

SOFTFIELD_BIND(doca_workq_create, (uint32_t depth, struct doca_workq **workq),
	       softfield_workq_create);
SOFTFIELD_BIND(doca_workq_destroy, (struct doca_workq * workq), softfield_workq_destroy);
SOFTFIELD_BIND(doca_workq_get_depth, (const struct doca_workq *workq, uint32_t *depth),
	       softfield_workq_get_depth);
SOFTFIELD_BIND(doca_workq_get_event_driven_enable, (struct doca_workq * workq, uint8_t *enabled),
	       softfield_workq_get_event_driven_enable);
SOFTFIELD_BIND(doca_workq_set_event_driven_enable, (struct doca_workq * workq, uint8_t enabled),
	       softfield_workq_set_event_driven_enable);
SOFTFIELD_BIND(doca_workq_submit, (struct doca_workq * workq, const struct doca_job *job),
	       softfield_workq_submit);
SOFTFIELD_BIND(doca_workq_progress_retrieve,
	       (struct doca_workq * workq, struct doca_event *event, int flags),
	       softfield_workq_progress_retrieve);
SOFTFIELD_BIND(doca_workq_get_event_handle,
	       (const struct doca_workq *workq, doca_event_handle_t *handle),
	       softfield_workq_get_event_handle);
SOFTFIELD_BIND(doca_workq_event_handle_arm, (struct doca_workq * workq),
	       softfield_workq_event_handle_arm);
SOFTFIELD_BIND(doca_ctx_workq_add, (struct doca_ctx * ctx, struct doca_workq *workq),
	       softfield_ctx_workq_add);
SOFTFIELD_BIND(doca_ctx_workq_rm, (struct doca_ctx * ctx, struct doca_workq *workq),
	       softfield_ctx_workq_rm);
SOFTFIELD_BIND(doca_ctx_dev_add, (struct doca_ctx * ctx, struct doca_dev *dev),
	       softfield_ctx_dev_add);
SOFTFIELD_BIND(doca_ctx_dev_rm, (struct doca_ctx * ctx, struct doca_dev *dev),
	       softfield_ctx_dev_rm);
SOFTFIELD_BIND(doca_ctx_get_max_num_ctx, (uint32_t * max_num_ctx), softfield_ctx_get_max_num_ctx);
SOFTFIELD_BIND(doca_ctx_start, (struct doca_ctx * ctx), softfield_ctx_start_2_2);

SOFTFIELD_BIND(doca_mmap_create, (const union doca_data *user_data, struct doca_mmap **mmap),
	       softfield_mmap_create_2_2);
SOFTFIELD_BIND(doca_mmap_dev_add, (struct doca_mmap * mmap, struct doca_dev *dev),
	       softfield_mmap_dev_add);
SOFTFIELD_BIND(doca_mmap_dev_rm, (struct doca_mmap * mmap, struct doca_dev *dev),
	       softfield_mmap_dev_rm);
SOFTFIELD_BIND(doca_mmap_set_max_num_chunks, (struct doca_mmap * mmap, uint32_t count),
	       softfield_mmap_set_max_num_chunks);
SOFTFIELD_BIND(doca_mmap_populate,
	       (struct doca_mmap * mmap, void *addr, size_t len, size_t pg_sz,
		doca_mmap_memrange_free_cb_t *free_cb, void *opaque),
	       softfield_mmap_populate);
SOFTFIELD_BIND(doca_mmap_export,
	       (struct doca_mmap * mmap, const struct doca_dev *dev, void **export_desc,
		size_t *export_desc_len),
	       softfield_mmap_export);
SOFTFIELD_BIND(doca_mmap_export_dpu,
	       (struct doca_mmap * mmap, const struct doca_dev *dev, const void **export_desc,
		size_t *export_desc_len),
	       softfield_mmap_export_dpu);

SOFTFIELD_BIND(doca_buf_inventory_create,
	       (const union doca_data *user_data, size_t num_elements, uint32_t extensions,
		struct doca_buf_inventory **inventory),
	       softfield_buf_inventory_create_2_2);
SOFTFIELD_BIND(doca_buf_inventory_buf_by_args,
	       (struct doca_buf_inventory * inventory, struct doca_mmap *mmap, void *addr,
		size_t len, void *data, size_t data_len, struct doca_buf **buf),
	       softfield_buf_inventory_buf_by_args);
SOFTFIELD_BIND(doca_buf_list_next, (struct doca_buf * buf, struct doca_buf **next_buf),
	       doca_buf_get_next_in_list);
SOFTFIELD_BIND(doca_buf_list_last, (struct doca_buf * buf, struct doca_buf **last_buf),
	       doca_buf_get_last_in_list);
SOFTFIELD_BIND(doca_buf_list_is_first, (const struct doca_buf *buf, bool *is_first),
	       doca_buf_is_first_in_list);
SOFTFIELD_BIND(doca_buf_list_is_last, (const struct doca_buf *buf, bool *is_last),
	       doca_buf_is_last_in_list);
SOFTFIELD_BIND(doca_buf_list_num_elements, (const struct doca_buf *buf, uint32_t *num_elements),
	       doca_buf_get_list_len);
SOFTFIELD_BIND(doca_buf_refcount_add, (struct doca_buf * buf, uint16_t *refcount),
	       softfield_buf_refcount_add);
SOFTFIELD_BIND(doca_buf_refcount_rm, (struct doca_buf * buf, uint16_t *refcount),
	       softfield_buf_refcount_rm);
SOFTFIELD_BIND(doca_buf_refcount_get, (const struct doca_buf *buf, uint16_t *refcount),
	       softfield_buf_refcount_get);

SOFTFIELD_BIND(doca_devinfo_rep_get_is_list_all_supported,
	       (const struct doca_devinfo *devinfo, uint8_t *supported),
	       doca_devinfo_rep_cap_is_filter_all_supported);
SOFTFIELD_BIND(doca_devinfo_rep_get_is_list_net_supported,
	       (const struct doca_devinfo *devinfo, uint8_t *supported),
	       doca_devinfo_rep_cap_is_filter_net_supported);
SOFTFIELD_BIND(doca_devinfo_rep_get_is_list_emulated_supported,
	       (const struct doca_devinfo *devinfo, uint8_t *supported),
	       doca_devinfo_rep_cap_is_filter_emulated_supported);
SOFTFIELD_BIND(doca_devinfo_get_is_mmap_export_dpu_supported,
	       (const struct doca_devinfo *devinfo, uint8_t *supported),
	       doca_mmap_cap_is_export_pci_supported);
SOFTFIELD_BIND(doca_devinfo_get_is_mmap_from_export_dpu_supported,
	       (const struct doca_devinfo *devinfo, uint8_t *supported),
	       doca_mmap_cap_is_create_from_export_pci_supported);
SOFTFIELD_BIND(doca_devinfo_get_is_hotplug_manager_supported,
	       (const struct doca_devinfo *devinfo, uint8_t *supported),
	       doca_devinfo_cap_is_hotplug_manager_supported);

#ifdef __cplusplus
} /* extern "C" */
#endif

#endif /* SOFTFIELD_BINDINGS_2_2_H_ */
