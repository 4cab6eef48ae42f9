/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Buffers: a window into a memory map, and where in it the data is.
 *
 *     head           data            data + data_len          head + len
 *       |  free space  |  bytes to send  |     room to receive    |
 *
 * What sends takes the data; what receives appends after the data and lets it grow. Buffers come
 * from an inventory or a pool, with one reference, and return there when the last one is given
 * back.
 */
#ifndef DOCA_BUF_H_
#define DOCA_BUF_H_

#include <stddef.h>
#include <stdint.h>

#include <doca_compat.h>
#include <doca_error.h>
#include <softfield_inline.h>

#ifdef __cplusplus
extern "C" {
#endif

/** A buffer. */
struct doca_buf;

/*
 * Reference count
 */

/**
 * @brief Takes a reference to a buffer, or to a whole list by its head.
 *
 * @param [in] buf a single buffer or the head of a list.
 * @param [out] refcount the count before; NULL: not wanted.
 *
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: buf is NULL
 * - DOCA_ERROR_NOT_PERMITTED: buf is in a list and not its head
 * - DOCA_ERROR_TOO_BIG: the count is 65535
 * - DOCA_ERROR_BAD_STATE: the count is 0: the buffer was given back
 *
 * One thread at a time for a buffer and the list it is in. Source: spec core 7.
 */
DOCA_STABLE
doca_error_t doca_buf_inc_refcount(struct doca_buf *buf, uint16_t *refcount);

/**
 * @brief Gives a reference back; the last one returns the buffer, or all buffers of the list, to
 * where they come from.
 *
 * @param [in] buf a single buffer or the head of a list; not to be used after the last reference.
 * @param [out] refcount the count before; NULL: not wanted.
 *
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: buf is NULL
 * - DOCA_ERROR_NOT_PERMITTED: buf is in a list and not its head
 * - DOCA_ERROR_BAD_STATE: the count is 0 already
 *
 * One thread at a time for a buffer and the list it is in. Source: spec core 7.
 */
DOCA_STABLE
doca_error_t doca_buf_dec_refcount(struct doca_buf *buf, uint16_t *refcount);

/**
 * @brief Reference count of a buffer; 1 when it is new.
 *
 * @param [in] buf the buffer.
 * @param [out] refcount the count.
 *
 * @return DOCA_SUCCESS, always.
 *
 * One thread at a time for a buffer and the list it is in. Source: spec core 7.
 */
DOCA_STABLE
doca_error_t doca_buf_get_refcount(const struct doca_buf *buf, uint16_t *refcount);

/*
 * Memory and data
 */

/**
 * @brief Start of a buffer's memory. It never changes.
 *
 * @param [in] buf the buffer.
 * @param [out] head the address.
 *
 * @return DOCA_SUCCESS, always.
 *
 * One thread at a time for a buffer and the list it is in. Source: spec core 7.
 */
DOCA_STABLE
doca_error_t doca_buf_get_head(const struct doca_buf *buf, void **head);

/**
 * @brief Bytes of a buffer's memory. They never change.
 *
 * @param [in] buf the buffer.
 * @param [out] len the number.
 *
 * @return DOCA_SUCCESS, always.
 *
 * One thread at a time for a buffer and the list it is in. Source: spec core 7.
 */
DOCA_STABLE
doca_error_t doca_buf_get_len(const struct doca_buf *buf, size_t *len);

/**
 * @brief Start of a buffer's data.
 *
 * @param [in] buf the buffer.
 * @param [out] data the address.
 *
 * @return DOCA_SUCCESS, always.
 *
 * One thread at a time for a buffer and the list it is in. Source: spec core 7.
 */
DOCA_STABLE
doca_error_t doca_buf_get_data(const struct doca_buf *buf, void **data);

/**
 * @brief Bytes of a buffer's data.
 *
 * @param [in] buf the buffer.
 * @param [out] data_len the number.
 *
 * @return DOCA_SUCCESS, always.
 *
 * One thread at a time for a buffer and the list it is in. Source: spec core 7.
 */
DOCA_STABLE
doca_error_t doca_buf_get_data_len(const struct doca_buf *buf, size_t *data_len);

/**
 * @brief Sets where in a buffer the data is. [data, data + data_len] must lie in [head, head +
 * len]; the data of a source of doca_dma, and of both buffers of a job of releases 1.5 to 2.2, may
 * lie anywhere in the buffer's map.
 *
 * @param [in] buf the buffer.
 * @param [in] data start of the data.
 * @param [in] data_len bytes of it.
 *
 * @return DOCA_SUCCESS, always; a range outside of the buffer is a bug of the program and not
 *         found here.
 *
 * One thread at a time for a buffer and the list it is in. Source: spec core 7.
 */
DOCA_STABLE
doca_error_t doca_buf_set_data(struct doca_buf *buf, void *data, size_t data_len);

/**
 * @brief Sets how many bytes of data a buffer has; the data's start stays. See doca_buf_set_data()
 * for the range.
 *
 * @param [in] buf the buffer.
 * @param [in] data_len bytes of data.
 *
 * @return DOCA_SUCCESS, always; a length outside of the buffer is a bug of the program and not
 *         found here.
 *
 * One thread at a time for a buffer and the list it is in. Source: spec core 7.
 */
DOCA_STABLE
doca_error_t doca_buf_set_data_len(struct doca_buf *buf, size_t data_len);

/**
 * @brief Empties a buffer: no bytes of data; the data's start stays. To be called before a buffer
 * is received into again.
 *
 * @param [in] buf the buffer.
 *
 * @return DOCA_SUCCESS, always.
 *
 * One thread at a time for a buffer and the list it is in. Source: spec core 7.
 */
DOCA_STABLE
doca_error_t doca_buf_reset_data_len(struct doca_buf *buf);

/*
 * Lists. A single buffer is a list of one.
 */

/**
 * @brief The buffer after this one.
 *
 * @param [in] buf the buffer.
 * @param [out] next_buf the buffer; NULL after the last one.
 *
 * @return DOCA_SUCCESS, always.
 *
 * One thread at a time for a buffer and the list it is in. Source: spec core 7.
 */
DOCA_STABLE
doca_error_t doca_buf_get_next_in_list(struct doca_buf *buf, struct doca_buf **next_buf);

/**
 * @brief The last buffer of a list.
 *
 * @param [in] buf any buffer of the list.
 * @param [out] last_buf the buffer; buf itself when it is the last one.
 *
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL
 *
 * One thread at a time for a buffer and the list it is in. Source: spec core 7.
 */
DOCA_STABLE
doca_error_t doca_buf_get_last_in_list(struct doca_buf *buf, struct doca_buf **last_buf);

/**
 * @brief Whether a buffer is the last one of its list.
 *
 * @param [in] buf the buffer.
 * @param [out] is_last 1 or 0.
 *
 * @return DOCA_SUCCESS, always.
 *
 * One thread at a time for a buffer and the list it is in. Source: spec core 7.
 */
DOCA_STABLE
doca_error_t doca_buf_is_last_in_list(const struct doca_buf *buf, uint8_t *is_last);

/**
 * @brief Whether a buffer is the head of its list.
 *
 * @param [in] buf the buffer.
 * @param [out] is_first 1 or 0.
 *
 * @return DOCA_SUCCESS, always.
 *
 * One thread at a time for a buffer and the list it is in. Source: spec core 7.
 */
DOCA_STABLE
doca_error_t doca_buf_is_first_in_list(const struct doca_buf *buf, uint8_t *is_first);

/**
 * @brief Whether a buffer has others in its list.
 *
 * @param [in] buf the buffer.
 * @param [out] is_in_list 1 or 0.
 *
 * @return DOCA_SUCCESS, always.
 *
 * One thread at a time for a buffer and the list it is in. Source: spec core 7.
 */
DOCA_STABLE
doca_error_t doca_buf_is_in_list(const struct doca_buf *buf, uint8_t *is_in_list);

/**
 * @brief How many buffers a list has.
 *
 * @param [in] buf the head of the list.
 * @param [out] num_elements the number, at least 1.
 *
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL
 * - DOCA_ERROR_NOT_PERMITTED: buf is not the head
 *
 * One thread at a time for a buffer and the list it is in. Source: spec core 7.
 */
DOCA_STABLE
doca_error_t doca_buf_get_list_len(const struct doca_buf *buf, uint32_t *num_elements);

/**
 * @brief Appends a list to another one. The head of the first becomes the head of all.
 *
 * @param [in] list1 head of the first list.
 * @param [in] list2 head of the second one; it loses its own reference count.
 *
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL
 * - DOCA_ERROR_NOT_PERMITTED: one of them is not the head of its list or was given back, list2 has
 *   more than one reference, or they are the same list
 *
 * One thread at a time for a buffer and the list it is in. Source: spec core 7.
 */
DOCA_STABLE
doca_error_t doca_buf_chain_list(struct doca_buf *list1, struct doca_buf *list2);

/**
 * @brief doca_buf_chain_list() that need not look for the end of the first list.
 *
 * @param [in] list1_head head of the first list.
 * @param [in] list1_tail its last buffer.
 * @param [in] list2 head of the second list.
 *
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: a head is NULL
 * - DOCA_ERROR_NOT_PERMITTED: see doca_buf_chain_list(), or list1_tail is not the last one of the
 *   first list
 *
 * One thread at a time for a buffer and the list it is in. Source: spec core 7.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_buf_chain_list_tail(struct doca_buf *list1_head, struct doca_buf *list1_tail,
				      struct doca_buf *list2);

/**
 * @brief Cuts a list in two, before list2. list2 becomes a head of its own, with one reference.
 *
 * @param [in] list1 head of the list.
 * @param [in] list2 a later buffer of it.
 *
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: list2 is not in list1, or is its head
 *
 * One thread at a time for a buffer and the list it is in. Source: spec core 7.
 */
DOCA_STABLE
doca_error_t doca_buf_unchain_list(struct doca_buf *list1, struct doca_buf *list2);

#ifdef SOFTFIELD_INLINE

SOFTFIELD_CALLED(doca_error_t, doca_buf_get_head, (const struct doca_buf *buf, void **head));
SOFTFIELD_CALLED(doca_error_t, doca_buf_get_len, (const struct doca_buf *buf, size_t *len));
SOFTFIELD_CALLED(doca_error_t, doca_buf_get_data, (const struct doca_buf *buf, void **data));
SOFTFIELD_CALLED(doca_error_t, doca_buf_get_data_len,
		 (const struct doca_buf *buf, size_t *data_len));
SOFTFIELD_CALLED(doca_error_t, doca_buf_set_data,
		 (struct doca_buf * buf, void *data, size_t data_len));
SOFTFIELD_CALLED(doca_error_t, doca_buf_set_data_len, (struct doca_buf * buf, size_t data_len));
SOFTFIELD_CALLED(doca_error_t, doca_buf_reset_data_len, (struct doca_buf * buf));

SOFTFIELD_INLINE doca_error_t doca_buf_get_head(const struct doca_buf *buf, void **head)
{
	if (SOFTFIELD_INTERPOSED)
		return softfield_called_doca_buf_get_head(buf, head);
	SOFTFIELD_CAST(union softfield_answer *, head)->pointer =
		SOFTFIELD_CAST(const struct softfield_buf *, buf)->head;
	return DOCA_SUCCESS;
}

SOFTFIELD_INLINE doca_error_t doca_buf_get_len(const struct doca_buf *buf, size_t *len)
{
	if (SOFTFIELD_INTERPOSED)
		return softfield_called_doca_buf_get_len(buf, len);
	SOFTFIELD_CAST(union softfield_answer *, len)->size =
		SOFTFIELD_CAST(const struct softfield_buf *, buf)->len;
	return DOCA_SUCCESS;
}

SOFTFIELD_INLINE doca_error_t doca_buf_get_data(const struct doca_buf *buf, void **data)
{
	if (SOFTFIELD_INTERPOSED)
		return softfield_called_doca_buf_get_data(buf, data);
	SOFTFIELD_CAST(union softfield_answer *, data)->pointer =
		SOFTFIELD_CAST(const struct softfield_buf *, buf)->data;
	return DOCA_SUCCESS;
}

SOFTFIELD_INLINE doca_error_t doca_buf_get_data_len(const struct doca_buf *buf, size_t *data_len)
{
	if (SOFTFIELD_INTERPOSED)
		return softfield_called_doca_buf_get_data_len(buf, data_len);
	SOFTFIELD_CAST(union softfield_answer *, data_len)->size =
		SOFTFIELD_CAST(const struct softfield_buf *, buf)->data_len;
	return DOCA_SUCCESS;
}

SOFTFIELD_INLINE doca_error_t doca_buf_set_data(struct doca_buf *buf, void *data, size_t data_len)
{
	if (SOFTFIELD_INTERPOSED)
		return softfield_called_doca_buf_set_data(buf, data, data_len);
	SOFTFIELD_CAST(struct softfield_buf *, buf)->data = data;
	SOFTFIELD_CAST(struct softfield_buf *, buf)->data_len = data_len;
	return DOCA_SUCCESS;
}

SOFTFIELD_INLINE doca_error_t doca_buf_set_data_len(struct doca_buf *buf, size_t data_len)
{
	if (SOFTFIELD_INTERPOSED)
		return softfield_called_doca_buf_set_data_len(buf, data_len);
	SOFTFIELD_CAST(struct softfield_buf *, buf)->data_len = data_len;
	return DOCA_SUCCESS;
}

SOFTFIELD_INLINE doca_error_t doca_buf_reset_data_len(struct doca_buf *buf)
{
	if (SOFTFIELD_INTERPOSED)
		return softfield_called_doca_buf_reset_data_len(buf);
	SOFTFIELD_CAST(struct softfield_buf *, buf)->data_len = 0;
	return DOCA_SUCCESS;
}

#endif /* SOFTFIELD_INLINE */

#ifdef __cplusplus
} /* extern "C" */
#endif

#include <softfield_core_2_2.h>

#endif /* DOCA_BUF_H_ */
