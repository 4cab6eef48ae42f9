/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Memory in DPA code: buffers of an array, memory maps, copies.
 *
 * A buffer is a structure that DPA code may write to; the CPU has no part in it after
 * doca_buf_arr_start(). Thread rule and handles: doca_dpa_dev.h.
 */
#ifndef DOCA_DPA_DEV_BUF_H_
#define DOCA_DPA_DEV_BUF_H_

#include <stddef.h>
#include <stdint.h>

#include <doca_compat.h>
#include <doca_dpa_dev.h>
#include <softfield_cast.h>

#ifdef __cplusplus
extern "C" {
#endif

/** What a doca_dpa_dev_buf_t is the address of. */
struct doca_dpa_dev_buf {
	uintptr_t addr;		    /**< start, an address within the memory of mmap */
	uint64_t len;		    /**< bytes */
	doca_dpa_dev_mmap_t mmap;   /**< whose memory it is */
	unsigned char reserved[12]; /**< zero */
} __attribute__((__packed__));

/** What a doca_dpa_dev_buf_arr_t is the address of. */
struct doca_dpa_dev_buf_arr {
	struct doca_dpa_dev_buf *bufs; /**< the buffers, one after the other */
	unsigned char reserved[20];    /**< zero */
} __attribute__((__packed__, aligned(64)));

/**
 * @brief Finds a buffer of an array.
 *
 * @param [in] buf_arr doca_buf_arr_get_dpa_handle().
 * @param [in] buf_idx its number, below that of doca_buf_arr_create().
 *
 * @return the buffer.
 *
 * Any thread of the DPA. Source: spec msgq_dpa 6.
 */
static inline doca_dpa_dev_buf_t doca_dpa_dev_buf_array_get_buf(doca_dpa_dev_buf_arr_t buf_arr,
								const uint64_t buf_idx)
{
	return SOFTFIELD_CAST(
		uintptr_t, SOFTFIELD_CAST(struct doca_dpa_dev_buf_arr *, buf_arr)->bufs + buf_idx);
}

/**
 * @brief Moves a buffer.
 *
 * @param [in] buf the buffer.
 * @param [in] addr its address.
 *
 * Any thread of the DPA. Source: spec msgq_dpa 6.
 */
static inline void doca_dpa_dev_buf_set_addr(doca_dpa_dev_buf_t buf, uintptr_t addr)
{
	SOFTFIELD_CAST(struct doca_dpa_dev_buf *, buf)->addr = addr;
}

/**
 * @brief Sets the length of a buffer.
 *
 * @param [in] buf the buffer.
 * @param [in] len bytes.
 *
 * Any thread of the DPA. Source: spec msgq_dpa 6.
 */
static inline void doca_dpa_dev_buf_set_len(doca_dpa_dev_buf_t buf, size_t len)
{
	SOFTFIELD_CAST(struct doca_dpa_dev_buf *, buf)->len = len;
}

/**
 * @brief Sets whose memory a buffer is in.
 *
 * @param [in] buf the buffer.
 * @param [in] mmap doca_mmap_dev_get_dpa_handle().
 *
 * Any thread of the DPA. Source: spec msgq_dpa 6.
 */
static inline void doca_dpa_dev_buf_set_mmap(doca_dpa_dev_buf_t buf, doca_dpa_dev_mmap_t mmap)
{
	SOFTFIELD_CAST(struct doca_dpa_dev_buf *, buf)->mmap = mmap;
}

/**
 * @brief Tells where a buffer is.
 *
 * @param [in] buf the buffer.
 *
 * @return its address, as its memory map has it.
 *
 * Any thread of the DPA. Source: spec msgq_dpa 6.
 */
static inline uintptr_t doca_dpa_dev_buf_get_addr(doca_dpa_dev_buf_t buf)
{
	return SOFTFIELD_CAST(struct doca_dpa_dev_buf *, buf)->addr;
}

/**
 * @brief Tells how long a buffer is.
 *
 * @param [in] buf the buffer.
 *
 * @return bytes.
 *
 * Any thread of the DPA. Source: spec msgq_dpa 6.
 */
static inline uint64_t doca_dpa_dev_buf_get_len(doca_dpa_dev_buf_t buf)
{
	return SOFTFIELD_CAST(struct doca_dpa_dev_buf *, buf)->len;
}

/**
 * @brief Tells whose memory a buffer is in.
 *
 * @param [in] buf the buffer.
 *
 * @return the memory map.
 *
 * Any thread of the DPA. Source: spec msgq_dpa 6.
 */
static inline doca_dpa_dev_mmap_t doca_dpa_dev_buf_get_mmap(doca_dpa_dev_buf_t buf)
{
	return SOFTFIELD_CAST(struct doca_dpa_dev_buf *, buf)->mmap;
}

/**
 * @brief Tells where DPA code can read and write a buffer: doca_dpa_dev_mmap_get_external_ptr().
 *
 * @param [in] buf the buffer.
 *
 * @return the address; 0: it is not within the memory of its memory map. Does not return if that is
 * not there.
 *
 * Any thread of the DPA. Source: spec msgq_dpa 6.
 */
DOCA_EXPERIMENTAL
doca_dpa_dev_uintptr_t doca_dpa_dev_buf_get_external_ptr(doca_dpa_dev_buf_t buf);

/**
 * @brief Copies a buffer: doca_dpa_dev_post_memcpy().
 *
 * @param [in] async_ops_handle doca_dpa_async_ops_get_dpa_handle().
 * @param [in] dst_buf_handle where to.
 * @param [in] src_buf_handle where from, and how much: its length; not more than that of the other.
 * @param [in] flags enum doca_dpa_dev_submit_flag.
 *
 * Any thread of the DPA. Source: spec msgq_dpa 6.
 */
DOCA_EXPERIMENTAL
void doca_dpa_dev_post_buf_memcpy(doca_dpa_dev_async_ops_t async_ops_handle,
				  doca_dpa_dev_buf_t dst_buf_handle,
				  doca_dpa_dev_buf_t src_buf_handle, uint32_t flags);

/**
 * @brief Copies memory.
 *
 * It is done when an element of type SEND is in the completion that the operations are attached to;
 * SEND_ERR: one of the two is not within the memory of its memory map.
 *
 * @param [in] async_ops_handle doca_dpa_async_ops_get_dpa_handle().
 * @param [in] dst_mmap_handle whose memory is written.
 * @param [in] dst_addr where.
 * @param [in] src_mmap_handle whose memory is read.
 * @param [in] src_addr where.
 * @param [in] length bytes.
 * @param [in] flags enum doca_dpa_dev_submit_flag.
 *
 * Any thread of the DPA. Source: spec msgq_dpa 6.
 */
DOCA_EXPERIMENTAL
void doca_dpa_dev_post_memcpy(doca_dpa_dev_async_ops_t async_ops_handle,
			      doca_dpa_dev_mmap_t dst_mmap_handle, uint64_t dst_addr,
			      doca_dpa_dev_mmap_t src_mmap_handle, uint64_t src_addr, size_t length,
			      uint32_t flags);

/**
 * @brief Tells where DPA code can read and write memory of a memory map. Any thread of the DPA.
 *
 * Memory that another process has exported has an address if it is plain (no stack, file or huge
 * page), not more than softfield limits says (mmap_max_mapped_export), and alone in its pages
 * unless that process has loaded libdoca_dpa. It must not be written to if it was exported for
 * reading. The address is good until the map is destroyed; what is read there later is zero. It
 * must not be written to after the exporter has withdrawn it: that reaches nobody, or what is
 * exported at the same address then.
 *
 * @param [in] mmap_handle doca_mmap_dev_get_dpa_handle().
 * @param [in] addr an address, as the memory map has it.
 *
 * @return the address; 0: it is not within the memory map, or the memory has no address here. The
 * log says which, and why. Does not return if the map has been stopped or destroyed: the thread,
 * kernel or RPC ends, and doca_dpa_peek_at_last_error() tells of it, as of an access on a card.
 *
 * Any thread of the DPA. Source: spec msgq_dpa 6.
 */
DOCA_EXPERIMENTAL
doca_dpa_dev_uintptr_t doca_dpa_dev_mmap_get_external_ptr(doca_dpa_dev_mmap_t mmap_handle,
							  uint64_t addr);

#ifdef __cplusplus
} /* extern "C" */
#endif

#endif /* DOCA_DPA_DEV_BUF_H_ */
