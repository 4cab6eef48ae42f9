/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * How the public symbols are declared, and versioned structures.
 */
#ifndef DOCA_COMPAT_H_
#define DOCA_COMPAT_H_

#include <doca_config.h>

/* Programs of releases up to 1.4 have almost all that those up to 2.2 have. */
#ifdef DOCA_LEGACY_1_4
#ifndef DOCA_LEGACY_2_2
#define DOCA_LEGACY_2_2
#endif
#ifndef DOCA_COMM_CHANNEL_LEGACY_1_4
#define DOCA_COMM_CHANNEL_LEGACY_1_4
#endif
#endif

/* For bindings, which have one form of a name: softfield_bindings_2_2.h declares that of 2.2. */
#ifdef DOCA_LEGACY_2_2_BINDINGS
#ifndef DOCA_LEGACY_2_2
#define DOCA_LEGACY_2_2
#endif
#define doca_buf_inventory_create softfield_today_buf_inventory_create
#define doca_ctx_start		  softfield_today_ctx_start
#define doca_dma_create		  softfield_today_dma_create
#define doca_mmap_create	  softfield_today_mmap_create
/* bindgen sees one name of a function. */
#define doca_buf_get_last_in_list softfield_today_buf_get_last_in_list
#define doca_buf_get_list_len	  softfield_today_buf_get_list_len
#define doca_buf_get_next_in_list softfield_today_buf_get_next_in_list
#define doca_buf_is_first_in_list softfield_today_buf_is_first_in_list
#define doca_buf_is_last_in_list  softfield_today_buf_is_last_in_list
#define doca_devinfo_cap_is_hotplug_manager_supported                                              \
	softfield_today_devinfo_cap_is_hotplug_manager_supported
#define doca_devinfo_rep_cap_is_filter_all_supported                                               \
	softfield_today_devinfo_rep_cap_is_filter_all_supported
#define doca_devinfo_rep_cap_is_filter_emulated_supported                                          \
	softfield_today_devinfo_rep_cap_is_filter_emulated_supported
#define doca_devinfo_rep_cap_is_filter_net_supported                                               \
	softfield_today_devinfo_rep_cap_is_filter_net_supported
#define doca_dma_cap_task_memcpy_get_max_buf_list_len                                              \
	softfield_today_dma_cap_task_memcpy_get_max_buf_list_len
#define doca_mmap_cap_is_create_from_export_pci_supported                                          \
	softfield_today_mmap_cap_is_create_from_export_pci_supported
#define doca_mmap_cap_is_export_pci_supported softfield_today_mmap_cap_is_export_pci_supported
#endif

/* What was otherwise up to 2.7. */
#if defined(DOCA_LEGACY_2_2) && !defined(DOCA_LEGACY_2_7)
#define DOCA_LEGACY_2_7
#endif

/* The name behind so many arguments, whatever they are: forms of a function are told so. */
#define SOFTFIELD_PICK_1(a, name, ...)		name
#define SOFTFIELD_PICK_2(a, b, name, ...)	name
#define SOFTFIELD_PICK_3(a, b, c, name, ...)	name
#define SOFTFIELD_PICK_4(a, b, c, d, name, ...) name

/** Keeps a function or variable that nothing in its file refers to. */
#define DOCA_USED __attribute__((used))

/** Declares a function that stays as it is: exported from its library. */
#define DOCA_STABLE __attribute__((visibility("default"))) DOCA_USED

/*
 * Declares a function that may still change. Calling it draws a warning unless the program says
 * that it knows, by -D DOCA_ALLOW_EXPERIMENTAL_API. DOCA_EXPORTS is defined when the libraries are
 * built.
 */
#if defined(DOCA_ALLOW_EXPERIMENTAL_API) || defined(DOCA_EXPORTS)
#define DOCA_EXPERIMENTAL                                                                          \
	__attribute__((section(".text.experimental"), visibility("default"))) DOCA_USED
#else
#define DOCA_EXPERIMENTAL                                                                          \
	__attribute__((deprecated("Symbol is defined as experimental"),                            \
		       section(".text.experimental"), visibility("default"))) DOCA_USED
#endif

/* Declares a function that will go away; -D DOCA_ALLOW_DEPRECATED_API silences the warning. */
#if defined(DOCA_ALLOW_DEPRECATED_API) || defined(DOCA_EXPORTS)
#define DOCA_DEPRECATED                                                                            \
	__attribute__((section(".text.deprecated"), visibility("default"))) DOCA_USED
#else
#define DOCA_DEPRECATED                                                                            \
	__attribute__((deprecated("Symbol is defined as deprecated"), section(".text.deprecated"), \
		       visibility("default"))) DOCA_USED
#endif

/** DOCA_EXPERIMENTAL as releases 1.x and 2.0 spelled it. */
#define __DOCA_EXPERIMENTAL DOCA_EXPERIMENTAL

/*
 * A structure that a program fills and hands to a library starts with the version of the headers
 * the program was compiled with, so that the library knows which members are there.
 */

/** First member of a versioned structure. */
#define DOCA_STRUCT_START size_t __doca_api_version

/** The version that the structure behind pointer _X_ was filled with. */
#define DOCA_STRUCT_GET_VERSION(_X_) (_X_)->__doca_api_version

/** Writes the current version into structure _X_. */
#define DOCA_STRUCT_CTOR(_X_) (_X_).__doca_api_version = DOCA_VERSION_EXACT

/** DOCA_STRUCT_CTOR() by pointer. */
#define DOCA_STRUCT_PTR_CTOR(_X_) DOCA_STRUCT_CTOR(*(_X_))

/** Clears structure _X_, then writes the current version into it. */
#define DOCA_STRUCT_MEMSET_CTOR(_X_)                                                               \
	do {                                                                                       \
		memset(&(_X_), 0, sizeof(_X_));                                                    \
		DOCA_STRUCT_CTOR(_X_);                                                             \
	} while (0)

/** DOCA_STRUCT_MEMSET_CTOR() by pointer. */
#define DOCA_STRUCT_PTR_MEMSET_CTOR(_X_) DOCA_STRUCT_MEMSET_CTOR(*(_X_))

/** First entry of an initializer list of a versioned structure. */
#define DOCA_STRUCT_CTOR_LIST_START .__doca_api_version = DOCA_VERSION_EXACT

/** Defines variable __name__ of versioned structure __st__, all other members zero. */
#define DOCA_STRUCT_DEF(__st__, __name__)                                                          \
	struct __st__ __name__ = {.__doca_api_version = DOCA_VERSION_EXACT}

#ifdef DOCA_COMPAT_HELPERS
#ifndef __DPA__ /* there is no C library there: code of the DPA may have a memcpy() of its own */
/* Programs count on these: they use strcpy(), assert() or PRIu64 with no further include. */
#include <assert.h>
#include <inttypes.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#endif

/* Last, because it declares functions with the macros above. */
#include <doca_version.h>
#endif

#endif /* DOCA_COMPAT_H_ */
