/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Types that several libraries share.
 */
#ifndef DOCA_TYPES_H_
#define DOCA_TYPES_H_

#include <linux/types.h>
#include <stdbool.h> /* programs use it without including it */
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/** Something to wait on with epoll(7), poll(2) and the like: a file descriptor. */
typedef int doca_event_handle_t;

/** The value of a doca_event_handle_t that stands for "none". */
#define doca_event_invalid_handle -1

/** Handle of a progress engine, see doca_pe_get_notification_handle(). */
typedef doca_event_handle_t doca_notification_handle_t;

/** Big-endian integers. */
typedef __be16 doca_be16_t;
typedef __be32 doca_be32_t;
typedef __be64 doca_be64_t;

/** Bytes in a GID. */
#define DOCA_GID_BYTE_LENGTH 16

/** What may be done with the memory of a doca_mmap; a mask, see doca_mmap_set_permissions(). */
enum doca_access_flag {
	/** Devices of this side may read (always given). */
	DOCA_ACCESS_FLAG_LOCAL_READ_ONLY = 0,
	/** Devices of this side may read and write. */
	DOCA_ACCESS_FLAG_LOCAL_READ_WRITE = (1 << 0),
	/** A peer may read by RDMA. */
	DOCA_ACCESS_FLAG_RDMA_READ = (1 << 1),
	/** A peer may write by RDMA. */
	DOCA_ACCESS_FLAG_RDMA_WRITE = (1 << 2),
	/** A peer may use RDMA atomics. */
	DOCA_ACCESS_FLAG_RDMA_ATOMIC = (1 << 3),
	/** The other side of PCIe may read. Excludes DOCA_ACCESS_FLAG_PCI_READ_WRITE. */
	DOCA_ACCESS_FLAG_PCI_READ_ONLY = (1 << 4),
	/** The other side of PCIe may read and write. Excludes DOCA_ACCESS_FLAG_PCI_READ_ONLY. */
	DOCA_ACCESS_FLAG_PCI_READ_WRITE = (1 << 5),
	/** Writes of the other side may arrive in any order. */
	DOCA_ACCESS_FLAG_PCI_RELAXED_ORDERING = (1 << 6),
};

/** Kind of a PCI function. */
enum doca_pci_func_type {
	DOCA_PCI_FUNC_TYPE_PF = 0, /**< physical function */
	DOCA_PCI_FUNC_TYPE_VF = 1, /**< virtual function */
	DOCA_PCI_FUNC_TYPE_SF = 2, /**< sub-function */
};

/** Where GPU memory is and who maps it. */
enum doca_gpu_mem_type {
	DOCA_GPU_MEM_TYPE_GPU = 0,     /**< on the GPU, not visible to the CPU */
	DOCA_GPU_MEM_TYPE_GPU_CPU = 1, /**< on the GPU, visible to the CPU */
	DOCA_GPU_MEM_TYPE_CPU_GPU = 2, /**< on the CPU, visible to the GPU */
};

/** How an Ethernet queue waits for the time of a packet. */
enum doca_eth_wait_on_time_type {
	DOCA_ETH_WAIT_ON_TIME_TYPE_NONE = 0,   /**< not at all */
	DOCA_ETH_WAIT_ON_TIME_TYPE_NATIVE = 1, /**< by the device itself */
	DOCA_ETH_WAIT_ON_TIME_TYPE_DPDK = 2,   /**< by DPDK */
};

/** Largest packet of a path. */
enum doca_mtu_size {
	DOCA_MTU_SIZE_256_BYTES = 0,
	DOCA_MTU_SIZE_512_BYTES = 1,
	DOCA_MTU_SIZE_1K_BYTES = 2,
	DOCA_MTU_SIZE_2K_BYTES = 3,
	DOCA_MTU_SIZE_4K_BYTES = 4,
	DOCA_MTU_SIZE_RAW_ETHERNET = 5,
};

/** PCI address without its domain, of releases 1.5 to 2.2. */
__extension__ struct doca_pci_bdf {
	__extension__ union {
		uint16_t raw; /**< all of it */
		__extension__ struct {
			__extension__ uint16_t function : 3;
			__extension__ uint16_t device : 5;
			__extension__ uint16_t bus : 8;
		};
	};
};

/** A value of the program's own that a library stores and gives back; never looked at. */
union doca_data {
	void *ptr;
	uint64_t u64;
};

/** One piece of a gather list. */
struct doca_gather_list {
	void *addr;		       /**< start of the piece */
	uint64_t len;		       /**< bytes in it */
	struct doca_gather_list *next; /**< next piece; NULL: this is the last */
};

#ifdef __cplusplus
} /* extern "C" */
#endif

#endif /* DOCA_TYPES_H_ */
