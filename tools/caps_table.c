/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Capability calls of all libraries. They are found at run time, so that doca_caps shows what is
 * installed and needs none of it.
 */
#include "caps_table.h"

#include <dlfcn.h>
#include <inttypes.h>
#include <stdio.h>

#include "base/count.h"
#include "doca_comch.h"
#include "doca_comch_consumer.h"
#include "doca_comch_producer.h"
#include "doca_ctx.h"
#include "doca_dma.h"
#include "doca_dpa.h"
#include "doca_mmap.h"
#include "doca_mmap_advise.h"
#include "doca_sta.h"
#include "doca_sync_event.h"

typedef doca_error_t supported_fn(const struct doca_devinfo *devinfo);
typedef doca_error_t flag_fn(const struct doca_devinfo *devinfo, uint8_t *ret_flag);
typedef doca_error_t u32_fn(const struct doca_devinfo *devinfo, uint32_t *ret_number);
typedef doca_error_t u64_fn(const struct doca_devinfo *devinfo, uint64_t *ret_number);

/* a row; does not compile when the declaration of the call is not of the kind */
#define ROW(name_, function, kind_, type)                                                          \
	{                                                                                          \
		.name = name_, .symbol = #function,                                                \
		.kind = kind_ +                                                                    \
			0 * sizeof(char[__builtin_types_compatible_p(__typeof__(function), type)   \
						? 1                                                \
						: -1])                                             \
	}
#define SUPPORTED(name, function) ROW(name, function, CAP_SUPPORTED, supported_fn)
#define FLAG(name, function)	  ROW(name, function, CAP_FLAG, flag_fn)
#define U32(name, function)	  ROW(name, function, CAP_U32, u32_fn)
#define U64(name, function)	  ROW(name, function, CAP_U64, u64_fn)

static const struct cap common_caps[] = {
	FLAG("mmap_export_pci", doca_mmap_cap_is_export_pci_supported),
	FLAG("mmap_create_from_export_pci", doca_mmap_cap_is_create_from_export_pci_supported),
	SUPPORTED("mmap_advise_task_cache_invalidate",
		  doca_mmap_advise_cap_task_cache_invalidate_is_supported),
	FLAG("hotplug_manager", doca_devinfo_cap_is_hotplug_manager_supported),
	FLAG("notification_moderation", doca_devinfo_cap_is_notification_moderation_supported),
	FLAG("accelerate_resource_reclaim",
	     doca_devinfo_cap_is_accelerate_resource_reclaim_supported),
	FLAG("rep_filter_all", doca_devinfo_rep_cap_is_filter_all_supported),
	FLAG("rep_filter_net", doca_devinfo_rep_cap_is_filter_net_supported),
	FLAG("rep_filter_emulated", doca_devinfo_rep_cap_is_filter_emulated_supported),
	U32("num_completion_vectors", doca_ctx_cap_get_num_completion_vectors),
	SUPPORTED("sync_event_task_get", doca_sync_event_cap_task_get_is_supported),
	SUPPORTED("sync_event_task_notify_set", doca_sync_event_cap_task_notify_set_is_supported),
	SUPPORTED("sync_event_task_notify_add", doca_sync_event_cap_task_notify_add_is_supported),
	SUPPORTED("sync_event_task_wait_eq", doca_sync_event_cap_task_wait_eq_is_supported),
	SUPPORTED("sync_event_task_wait_neq", doca_sync_event_cap_task_wait_neq_is_supported),
	SUPPORTED("sync_event_export_to_remote_pci",
		  doca_sync_event_cap_is_export_to_remote_pci_supported),
	SUPPORTED("sync_event_create_from_export",
		  doca_sync_event_cap_is_create_from_export_supported),
	SUPPORTED("sync_event_export_to_dpa", doca_sync_event_cap_is_export_to_dpa_supported),
};

static const struct cap comch_caps[] = {
	SUPPORTED("server", doca_comch_cap_server_is_supported),
	SUPPORTED("client", doca_comch_cap_client_is_supported),
	U32("max_name_len", doca_comch_cap_get_max_name_len),
	U32("max_msg_size", doca_comch_cap_get_max_msg_size),
	U32("max_recv_queue_size", doca_comch_cap_get_max_recv_queue_size),
	U32("max_send_tasks", doca_comch_cap_get_max_send_tasks),
	U32("max_clients", doca_comch_cap_get_max_clients),
	SUPPORTED("consumer", doca_comch_consumer_cap_is_supported),
	U32("consumer_max_num_tasks", doca_comch_consumer_cap_get_max_num_tasks),
	U32("consumer_max_buf_size", doca_comch_consumer_cap_get_max_buf_size),
	U32("consumer_max_buf_list_len", doca_comch_consumer_cap_get_max_buf_list_len),
	U32("consumer_max_consumers", doca_comch_consumer_cap_get_max_consumers),
	U32("consumer_max_imm_data_len", doca_comch_consumer_cap_get_max_imm_data_len),
	SUPPORTED("producer", doca_comch_producer_cap_is_supported),
	U32("producer_max_num_tasks", doca_comch_producer_cap_get_max_num_tasks),
	U32("producer_max_buf_size", doca_comch_producer_cap_get_max_buf_size),
	U32("producer_max_buf_list_len", doca_comch_producer_cap_get_max_buf_list_len),
	U32("producer_max_producers", doca_comch_producer_cap_get_max_producers),
};

static const struct cap dma_caps[] = {
	SUPPORTED("task_memcpy", doca_dma_cap_task_memcpy_is_supported),
	U32("task_memcpy_max_buf_list_len", doca_dma_cap_task_memcpy_get_max_buf_list_len),
	U64("task_memcpy_max_buf_size", doca_dma_cap_task_memcpy_get_max_buf_size),
};

static const struct cap dpa_caps[] = {
	SUPPORTED("dpa", doca_dpa_cap_is_supported),
};

static const struct cap sta_caps[] = {
	SUPPORTED("sta", doca_sta_cap_is_supported),
};

#define LIB(name_, caps_)                                                                          \
	{                                                                                          \
		.name = name_, .caps = caps_, .cap_count = COUNT(caps_)                            \
	}

const struct cap_lib cap_libs[] = {
	{.name = "argp"},	    LIB("comch", comch_caps), {.name = "comm_channel"},
	LIB("common", common_caps), LIB("dma", dma_caps),     LIB("dpa", dpa_caps),
	LIB("sta", sta_caps),
};

const size_t cap_lib_count = COUNT(cap_libs);

void *cap_lib_load(const struct cap_lib *lib)
{
	char file[64];

	snprintf(file, sizeof(file), "libdoca_%s.so.2", lib->name);
	return dlopen(file, RTLD_LAZY);
}

/* false: no such call, or it failed */
static bool ask(void *call, enum cap_kind kind, const struct doca_devinfo *devinfo,
		uint64_t *ret_number)
{
	doca_error_t err = DOCA_ERROR_UNKNOWN;
	uint32_t number = 0;
	uint8_t flag = 0;

	switch (kind) {
	case CAP_SUPPORTED:
		err = ((supported_fn *)call)(devinfo);
		*ret_number = err == DOCA_SUCCESS;
		return err == DOCA_SUCCESS || err == DOCA_ERROR_NOT_SUPPORTED;
	case CAP_U64:
		return ((u64_fn *)call)(devinfo, ret_number) == DOCA_SUCCESS;
	case CAP_FLAG:
		err = ((flag_fn *)call)(devinfo, &flag);
		*ret_number = flag;
		break;
	case CAP_U32:
		err = ((u32_fn *)call)(devinfo, &number);
		*ret_number = number;
		break;
	}
	return err == DOCA_SUCCESS;
}

const char *cap_text(void *library, const struct cap *cap, const struct doca_devinfo *devinfo,
		     char buf[CAP_TEXT_SIZE])
{
	void *call = dlsym(library, cap->symbol);
	uint64_t number;

	if (!call || !ask(call, cap->kind, devinfo, &number))
		return NULL;
	if (cap->kind == CAP_SUPPORTED || cap->kind == CAP_FLAG)
		return number ? "supported" : "unsupported";
	snprintf(buf, CAP_TEXT_SIZE, "%" PRIu64, number);
	return buf;
}
