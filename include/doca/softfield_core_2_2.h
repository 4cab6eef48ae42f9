/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What programs of releases 1.5 to 2.2 call otherwise: memory, contexts and work queues. The
 * headers that had these names bring it. Not to be included by programs.
 *
 * Names that are no more, and functions that have other arguments today, which are told by their
 * number: so both ages may be in one program, and nothing has to be defined. What would change
 * today's meaning of a name waits for DOCA_LEGACY_2_2. Everything here is inferred from public
 * programs of that age; what none of them calls is not here. A work queue serves DMA contexts and
 * sync events.
 */
#ifndef SOFTFIELD_CORE_2_2_H_
#define SOFTFIELD_CORE_2_2_H_

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <doca_buf.h>
#include <doca_buf_inventory.h>
#include <doca_compat.h>
#include <doca_ctx.h>
#include <doca_dev.h>
#include <doca_error.h>
#include <doca_mmap.h>
#include <doca_types.h>
#include <softfield_cast.h>

/* Today's have been declared: doca_compat.h may have set them aside. */
#undef doca_buf_inventory_create
#undef doca_ctx_start
#undef doca_mmap_create

#ifdef DOCA_LEGACY_2_2_BINDINGS
#include <softfield_bindings_2_2.h>
#endif

#include <softfield_mmap_1_5.h>

#ifdef __cplusplus
extern "C" {
#endif

struct doca_workq;

/** Permissions; today enum doca_access_flag. */
enum doca_access_flags {
	DOCA_ACCESS_LOCAL_READ_ONLY = DOCA_ACCESS_FLAG_LOCAL_READ_ONLY,	  /**< for this process */
	DOCA_ACCESS_LOCAL_READ_WRITE = DOCA_ACCESS_FLAG_LOCAL_READ_WRITE, /**< for this process */
	DOCA_ACCESS_DPU_READ_ONLY = DOCA_ACCESS_FLAG_PCI_READ_ONLY,	  /**< for the DPU, too */
	DOCA_ACCESS_DPU_READ_WRITE = DOCA_ACCESS_FLAG_PCI_READ_WRITE,	  /**< for the DPU, too */
};

/** What an inventory's buffers can do besides. */
enum doca_buf_extension {
	DOCA_BUF_EXTENSION_NONE = 0,	    /**< nothing */
	DOCA_BUF_EXTENSION_LINKED_LIST = 1, /**< be chained: they always can */
};

/** Flags of struct doca_job. */
enum doca_job_flags {
	DOCA_JOB_FLAGS_NONE = 0,
};

/** Flags of doca_workq_progress_retrieve(). */
enum doca_workq_retrieve_flags {
	DOCA_WORKQ_RETRIEVE_FLAGS_NONE = 0,
};

/** First member of every job. */
struct doca_job {
	int type;		   /**< DOCA_DMA_JOB_MEMCPY */
	int flags;		   /**< DOCA_JOB_FLAGS_NONE */
	struct doca_ctx *ctx;	   /**< who does it; added to the work queue */
	union doca_data user_data; /**< the program's own; comes back in the event */
};

/** The end of a job. */
struct doca_event {
	int type;		   /**< of the job */
	union doca_data user_data; /**< of the job */
	union doca_data result;	   /**< u64: a doca_error_t */
};

/*
 * Work queues
 */

/**
 * @brief Creates a work queue.
 *
 * @param [in] depth how many jobs it holds, from their submission until their event is retrieved;
 * at least 1024.
 * @param [out] workq the queue; give it back with doca_workq_destroy().
 *
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: workq is NULL, or depth is 0
 * - DOCA_ERROR_NO_MEMORY: no memory for the object
 *
 * Any thread. Source: public programs of that age.
 */
DOCA_EXPERIMENTAL
doca_error_t softfield_workq_create(uint32_t depth, struct doca_workq **workq);

/**
 * @brief Destroys a work queue. Events that were not retrieved are lost.
 *
 * @param [in] workq the queue.
 *
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: workq is NULL
 * - DOCA_ERROR_IN_USE: there is a context in it
 *
 * Only the thread that uses the queue. Source: public programs of that age.
 */
DOCA_EXPERIMENTAL
doca_error_t softfield_workq_destroy(struct doca_workq *workq);

/**
 * @brief Hands a job to its context. The job itself is copied; its buffers must stay until its
 * event.
 *
 * @param [in] workq the queue.
 * @param [in] job the job.
 *
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL, or something in the job is wrong
 * - DOCA_ERROR_NOT_SUPPORTED: the job's context does none of this type
 * - DOCA_ERROR_NOT_FOUND: the job's context is not in the queue
 * - DOCA_ERROR_BAD_STATE: the context is not started
 * - DOCA_ERROR_NO_MEMORY: the queue is full; retrieve events
 * - what doca_ctx_start() answers, when a job before has failed and so has stopped the context
 *
 * Only the thread that uses the queue. Source: public programs of that age.
 */
DOCA_EXPERIMENTAL
doca_error_t softfield_workq_submit(struct doca_workq *workq, const struct doca_job *job);

/**
 * @brief Works, and gives the event of a job that has ended.
 *
 * @param [in] workq the queue.
 * @param [out] event the event.
 * @param [in] flags DOCA_WORKQ_RETRIEVE_FLAGS_NONE.
 *
 * @return DOCA_SUCCESS: there is one, of a job that succeeded, or
 * - DOCA_ERROR_INVALID_VALUE: a pointer is NULL, or flags is not 0
 * - DOCA_ERROR_AGAIN: there is none yet
 * - DOCA_ERROR_IO_FAILED: there is one, of a job that failed; the error is the event's result
 *
 * Only the thread that uses the queue. Source: public programs of that age.
 */
DOCA_EXPERIMENTAL
doca_error_t softfield_workq_progress_retrieve(struct doca_workq *workq, struct doca_event *event,
					       int flags);

/**
 * @brief Descriptor to wait on: readable, after softfield_workq_event_handle_arm(), when there is
 * something to do.
 *
 * @param [in] workq the queue.
 * @param [out] handle the descriptor; the queue's.
 *
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL
 *
 * Only the thread that uses the queue. Source: public programs of that age.
 */
DOCA_EXPERIMENTAL
doca_error_t softfield_workq_get_event_handle(const struct doca_workq *workq,
					      doca_event_handle_t *handle);

/**
 * @brief Arms the descriptor. Needed before each wait. What is there already makes it readable.
 *
 * @param [in] workq the queue.
 *
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: workq is NULL
 *
 * Only the thread that uses the queue. Source: public programs of that age.
 */
DOCA_EXPERIMENTAL
doca_error_t softfield_workq_event_handle_arm(struct doca_workq *workq);

/**
 * @brief Makes the descriptor quiet. Needed after each wait.
 *
 * @param [in] workq the queue.
 *
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: workq is NULL
 *
 * Only the thread that uses the queue. Source: public programs of that age.
 */
DOCA_EXPERIMENTAL
doca_error_t softfield_workq_event_handle_clear(struct doca_workq *workq);

/**
 * @brief How many jobs the program wanted a queue to hold. It may hold more.
 *
 * @param [in] workq the queue.
 * @param [out] depth the number, as softfield_workq_create() was told.
 *
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL
 *
 * Any thread. Source: public programs of that age.
 */
DOCA_EXPERIMENTAL
doca_error_t softfield_workq_get_depth(const struct doca_workq *workq, uint32_t *depth);

/**
 * @brief Declares whether the program is going to wait instead of polling. Both are always
 * possible.
 *
 * @param [in] workq the queue.
 * @param [in] enabled 1: waiting; 0, as at first: polling.
 *
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: workq is NULL
 *
 * Only the thread that uses the queue. Source: public programs of that age.
 */
DOCA_EXPERIMENTAL
doca_error_t softfield_workq_set_event_driven_enable(struct doca_workq *workq, uint8_t enabled);

/**
 * @brief What softfield_workq_set_event_driven_enable() was told last.
 *
 * @param [in] workq the queue.
 * @param [out] enabled the value; 0 if it was told nothing.
 *
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL
 *
 * Only the thread that uses the queue. Source: public programs of that age.
 */
DOCA_EXPERIMENTAL
doca_error_t softfield_workq_get_event_driven_enable(struct doca_workq *workq, uint8_t *enabled);

/*
 * Contexts
 */

/**
 * @brief Puts a context into a work queue. Started before or after that, it works from then on.
 *
 * @param [in] ctx the context. It may be in several queues, each with a thread of its own.
 * @param [in] workq the queue.
 *
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL
 * - DOCA_ERROR_NOT_SUPPORTED: it is not a context that does jobs
 * - DOCA_ERROR_IN_USE: it is in that queue, or connected to a progress engine
 * - DOCA_ERROR_BAD_STATE: it is in another queue, and has no device
 * - DOCA_ERROR_NO_MEMORY: it is in another queue, and there is no memory for one more
 * - what doca_ctx_start() answers, when it was started before
 *
 * Only the thread that uses the queue. Source: public programs of that age.
 */
DOCA_EXPERIMENTAL
doca_error_t softfield_ctx_workq_add(struct doca_ctx *ctx, struct doca_workq *workq);

/**
 * @brief Takes a context out of its work queue.
 *
 * @param [in] ctx the context.
 * @param [in] workq the queue.
 *
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL
 * - DOCA_ERROR_NOT_FOUND: it is not in that queue
 * - DOCA_ERROR_IN_USE: it has jobs to do
 *
 * Only the thread that uses the queue. Source: public programs of that age.
 */
DOCA_EXPERIMENTAL
doca_error_t softfield_ctx_workq_rm(struct doca_ctx *ctx, struct doca_workq *workq);

/**
 * @brief Gives a context its device.
 *
 * @param [in] ctx the context, made by the one-argument form of create.
 * @param [in] dev the device. It must stay open as long as the context has it.
 *
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL
 * - DOCA_ERROR_IN_USE: it has one
 * - DOCA_ERROR_NOT_SUPPORTED: that of a sync event, which has none
 *
 * Only the thread that uses the context. Source: public programs of that age.
 */
DOCA_EXPERIMENTAL
doca_error_t softfield_ctx_dev_add(struct doca_ctx *ctx, struct doca_dev *dev);

/**
 * @brief Takes a context's device away.
 *
 * @param [in] ctx the context, stopped.
 * @param [in] dev the device.
 *
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL
 * - DOCA_ERROR_NOT_FOUND: it has another one, or none
 * - DOCA_ERROR_BAD_STATE: it is started
 *
 * Only the thread that uses the context. Source: public programs of that age.
 */
DOCA_EXPERIMENTAL
doca_error_t softfield_ctx_dev_rm(struct doca_ctx *ctx, struct doca_dev *dev);

/**
 * @brief doca_ctx_start() that also takes sync events that get their work queue later. Contexts
 * made by the one-argument form of create need it not.
 *
 * @param [in] ctx the context.
 *
 * @return DOCA_SUCCESS, or
 * - what doca_ctx_start() answers
 *
 * Only the thread that uses the context. Source: public programs of that age.
 */
DOCA_EXPERIMENTAL
doca_error_t softfield_ctx_start_2_2(struct doca_ctx *ctx);

/**
 * @brief Whether a program may wait for a context's jobs instead of polling.
 *
 * @param [in] ctx the context.
 * @param [out] supported 1.
 *
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL
 *
 * Any thread. Source: public programs of that age.
 */
DOCA_EXPERIMENTAL
doca_error_t softfield_ctx_get_event_driven_supported(const struct doca_ctx *ctx,
						      uint8_t *supported);

/**
 * @brief How many contexts a program may have.
 *
 * @param [out] max_num_ctx 65536. Memory is the only limit there is; there may be more.
 *
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: max_num_ctx is NULL
 *
 * Any thread. Source: names of that age.
 */
DOCA_EXPERIMENTAL
doca_error_t softfield_ctx_get_max_num_ctx(uint32_t *max_num_ctx);

#define doca_workq_create(depth, workq)		   softfield_workq_create(depth, workq)
#define doca_workq_destroy(workq)		   softfield_workq_destroy(workq)
#define doca_workq_get_depth(workq, depth)	   softfield_workq_get_depth(workq, depth)
#define doca_workq_submit(workq, job)		   softfield_workq_submit(workq, job)
#define doca_workq_get_event_handle(workq, handle) softfield_workq_get_event_handle(workq, handle)
#define doca_workq_event_handle_arm(workq)	   softfield_workq_event_handle_arm(workq)
#define doca_workq_event_handle_clear(workq, handle)                                               \
	((void)(handle), softfield_workq_event_handle_clear(workq))
#define doca_workq_progress_retrieve(workq, event, flags)                                          \
	softfield_workq_progress_retrieve(workq, event, flags)
#define doca_ctx_workq_add(ctx, workq)	      softfield_ctx_workq_add(ctx, workq)
#define doca_ctx_workq_rm(ctx, workq)	      softfield_ctx_workq_rm(ctx, workq)
#define doca_ctx_dev_add(ctx, dev)	      softfield_ctx_dev_add(ctx, dev)
#define doca_ctx_dev_rm(ctx, dev)	      softfield_ctx_dev_rm(ctx, dev)
#define doca_ctx_get_max_num_ctx(max_num_ctx) softfield_ctx_get_max_num_ctx(max_num_ctx)
#ifdef DOCA_LEGACY_2_2
#define doca_ctx_start(ctx) softfield_ctx_start_2_2(ctx)
#endif

/** Polling and waiting are both always possible. */
#define doca_ctx_get_event_driven_supported(ctx, supported)                                        \
	softfield_ctx_get_event_driven_supported(ctx, supported)
#define doca_workq_set_event_driven_enable(workq, enabled)                                         \
	softfield_workq_set_event_driven_enable(workq, enabled)
#define doca_workq_get_event_driven_enable(workq, enabled)                                         \
	softfield_workq_get_event_driven_enable(workq, enabled)

/*
 * Memory, devices: other names or arguments
 */

/**
 * @brief doca_mmap_create() of releases up to 2.2.
 *
 * @param [in] user_data nobody reads it.
 * @param [out] mmap the map; give it back with doca_mmap_destroy().
 *
 * @return what doca_mmap_create() answers.
 *
 * Any thread. Source: public programs of that age.
 */
DOCA_EXPERIMENTAL
doca_error_t softfield_mmap_create_2_2(const union doca_data *user_data, struct doca_mmap **mmap);

/**
 * @brief doca_buf_inventory_create() of releases up to 2.2.
 *
 * @param [in] user_data nobody reads it.
 * @param [in] num_elements how many buffers there can be.
 * @param [in] extensions of enum doca_buf_extension; buffers can do all of it anyway.
 * @param [out] inventory the inventory; give it back with doca_buf_inventory_destroy().
 *
 * @return what doca_buf_inventory_create() answers.
 *
 * Any thread. Source: public programs of that age.
 */
DOCA_EXPERIMENTAL
doca_error_t softfield_buf_inventory_create_2_2(const union doca_data *user_data,
						size_t num_elements, uint32_t extensions,
						struct doca_buf_inventory **inventory);

/**
 * @brief doca_mmap_export_pci() up to release 2.2.
 *
 * @param [in] mmap the map.
 * @param [in] dev a device of it.
 * @param [out] export_desc the descriptor, the map's.
 * @param [out] export_desc_len its bytes.
 *
 * @return what doca_mmap_export_pci() answers.
 *
 * Only one thread at a time for a map. Source: public programs of that age.
 */
DOCA_EXPERIMENTAL
doca_error_t softfield_mmap_export_dpu(struct doca_mmap *mmap, const struct doca_dev *dev,
				       const void **export_desc, size_t *export_desc_len);

/**
 * @brief doca_buf_inventory_buf_get_by_args() up to release 2.2: the map may be started later,
 * before a job uses the buffer.
 *
 * @param [in] inventory the inventory, started.
 * @param [in] mmap the map; it has its memory.
 * @param [in] addr begin of the buffer.
 * @param [in] len its bytes.
 * @param [in] data begin of the data in it.
 * @param [in] data_len bytes of the data.
 * @param [out] buf the buffer.
 *
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_BAD_STATE: the inventory is not started
 * - what doca_buf_inventory_buf_get_by_args() answers
 *
 * Only one thread at a time for an inventory. Source: public programs of that age.
 */
DOCA_STABLE
doca_error_t softfield_buf_inventory_buf_by_args(struct doca_buf_inventory *inventory,
						 struct doca_mmap *mmap, void *addr, size_t len,
						 void *data, size_t data_len,
						 struct doca_buf **buf);

/**
 * @brief softfield_buf_inventory_buf_by_args() without data: a destination.
 *
 * @param [in] inventory the inventory, started.
 * @param [in] mmap the map; it has its memory.
 * @param [in] addr begin of the buffer.
 * @param [in] len its bytes.
 * @param [out] buf the buffer.
 *
 * @return what softfield_buf_inventory_buf_by_args() answers.
 *
 * Only one thread at a time for an inventory. Source: public programs of that age.
 */
static inline doca_error_t softfield_buf_inventory_buf_by_addr(struct doca_buf_inventory *inventory,
							       struct doca_mmap *mmap, void *addr,
							       size_t len, struct doca_buf **buf)
{
	return softfield_buf_inventory_buf_by_args(inventory, mmap, addr, len, addr, 0, buf);
}

/**
 * @brief softfield_buf_inventory_buf_by_args() full of data: a source.
 *
 * @param [in] inventory the inventory, started.
 * @param [in] mmap the map; it has its memory.
 * @param [in] data begin of the buffer.
 * @param [in] len its bytes.
 * @param [out] buf the buffer.
 *
 * @return what softfield_buf_inventory_buf_by_args() answers.
 *
 * Only one thread at a time for an inventory. Source: public programs of that age.
 */
static inline doca_error_t softfield_buf_inventory_buf_by_data(struct doca_buf_inventory *inventory,
							       struct doca_mmap *mmap, void *data,
							       size_t len, struct doca_buf **buf)
{
	return softfield_buf_inventory_buf_by_args(inventory, mmap, data, len, data, len, buf);
}

/**
 * @brief doca_buf_inc_refcount() up to release 2.2.
 *
 * @param [in] buf the buffer.
 * @param [out] refcount the count before; NULL: not wanted.
 *
 * @return what doca_buf_inc_refcount() answers.
 *
 * Only one thread at a time for a buffer. Source: public programs of that age.
 */
DOCA_EXPERIMENTAL
doca_error_t softfield_buf_refcount_add(struct doca_buf *buf, uint16_t *refcount);

/**
 * @brief doca_buf_dec_refcount() up to release 2.2.
 *
 * @param [in] buf the buffer.
 * @param [out] refcount the count before; NULL: not wanted.
 *
 * @return what doca_buf_dec_refcount() answers.
 *
 * Only one thread at a time for a buffer. Source: public programs of that age.
 */
DOCA_EXPERIMENTAL
doca_error_t softfield_buf_refcount_rm(struct doca_buf *buf, uint16_t *refcount);

/**
 * @brief doca_buf_get_refcount() up to release 2.2.
 *
 * @param [in] buf the buffer.
 * @param [out] refcount the count.
 *
 * @return what doca_buf_get_refcount() answers.
 *
 * Only one thread at a time for a buffer. Source: public programs of that age.
 */
DOCA_EXPERIMENTAL
doca_error_t softfield_buf_refcount_get(const struct doca_buf *buf, uint16_t *refcount);

/* Any pointer as another, without a warning in either language. */
#ifdef __cplusplus
#define SOFTFIELD_BY_VOID(type, void_type, pointer)                                                \
	static_cast<type>(static_cast<void_type>(pointer))
#else
#define SOFTFIELD_BY_VOID(type, void_type, pointer) ((type)(void_type)(pointer))
#endif

/** What comes first up to 2.2: user data or, earlier, a name. */
#define SOFTFIELD_UNREAD(first) SOFTFIELD_BY_VOID(const union doca_data *, const void *, first)

#define SOFTFIELD_MMAP_CREATE(mmap) doca_mmap_create(mmap)
#define SOFTFIELD_MMAP_CREATE_2_2(unread, mmap)                                                    \
	softfield_mmap_create_2_2(SOFTFIELD_UNREAD(unread), mmap)

/** With two arguments: that of 2.2. */
#define doca_mmap_create(...)                                                                      \
	SOFTFIELD_PICK_2(__VA_ARGS__, SOFTFIELD_MMAP_CREATE_2_2, SOFTFIELD_MMAP_CREATE, 0)         \
	(__VA_ARGS__)

#define SOFTFIELD_INVENTORY_CREATE(count, inventory) doca_buf_inventory_create(count, inventory)
#define SOFTFIELD_INVENTORY_CREATE_2_2(unread, count, extensions, inventory)                       \
	softfield_buf_inventory_create_2_2(SOFTFIELD_UNREAD(unread), count, extensions, inventory)

/** With four: that of 2.2, the third are extensions. */
#define doca_buf_inventory_create(...)                                                             \
	SOFTFIELD_PICK_4(__VA_ARGS__, SOFTFIELD_INVENTORY_CREATE_2_2, 0,                           \
			 SOFTFIELD_INVENTORY_CREATE, 0, 0)                                         \
	(__VA_ARGS__)

#ifdef DOCA_LEGACY_2_2
/** The first is user data or a name, and today it is read. */
#define doca_mmap_create_from_export(unread, export_desc, export_desc_len, dev, mmap)              \
	((void)(unread),                                                                           \
	 (doca_mmap_create_from_export)(SOFTFIELD_NULL, export_desc, export_desc_len, dev, mmap))
#endif

#define doca_mmap_dev_add(mmap, dev) softfield_mmap_dev_add(mmap, dev)
#define doca_mmap_dev_rm(mmap, dev)  softfield_mmap_dev_rm(mmap, dev)
#define doca_mmap_export_dpu(mmap, dev, export_desc, export_desc_len)                              \
	doca_mmap_export_pci(mmap, dev, export_desc, export_desc_len)
#define doca_mmap_populate(mmap, addr, len, pg_sz, free_cb, opaque)                                \
	softfield_mmap_populate(mmap, addr, len, pg_sz, free_cb, opaque)
#define doca_mmap_export(mmap, dev, export_desc, export_desc_len)                                  \
	softfield_mmap_export(mmap, dev, SOFTFIELD_BY_VOID(void **, void *, export_desc),          \
			      export_desc_len)
#define doca_mmap_property_set(mmap, property, value, size)                                        \
	softfield_mmap_property_set(mmap, property, value, size)
#define doca_mmap_set_max_num_chunks(mmap, count) softfield_mmap_set_max_num_chunks(mmap, count)
#define doca_devinfo_property_get(devinfo, property, value, size)                                  \
	softfield_devinfo_property_get(devinfo, property, value, size)
#define doca_buf_inventory_buf_by_addr(inventory, mmap, addr, len, buf)                            \
	softfield_buf_inventory_buf_by_addr(inventory, mmap, addr, len, buf)
#define doca_buf_inventory_buf_by_data(inventory, mmap, data, len, buf)                            \
	softfield_buf_inventory_buf_by_data(inventory, mmap, data, len, buf)
#define doca_buf_inventory_buf_by_args(inventory, mmap, addr, len, data, data_len, buf)            \
	softfield_buf_inventory_buf_by_args(inventory, mmap, addr, len, data, data_len, buf)
#define doca_buf_list_chain(list1, list2)   doca_buf_chain_list(list1, list2)
#define doca_buf_list_unchain(list1, list2) doca_buf_unchain_list(list1, list2)
#ifndef DOCA_LEGACY_2_2_BINDINGS
#define doca_buf_list_next(buf, next_buf)	      doca_buf_get_next_in_list(buf, next_buf)
#define doca_buf_list_last(buf, last_buf)	      doca_buf_get_last_in_list(buf, last_buf)
#define doca_buf_list_num_elements(buf, num_elements) doca_buf_get_list_len(buf, num_elements)
/** A bool, where today there is a uint8_t; either will do. */
#define doca_buf_list_is_first(buf, is_first)                                                      \
	doca_buf_is_first_in_list(buf, SOFTFIELD_BY_VOID(uint8_t *, void *, is_first))
#define doca_buf_list_is_last(buf, is_last)                                                        \
	doca_buf_is_last_in_list(buf, SOFTFIELD_BY_VOID(uint8_t *, void *, is_last))
#endif

#define doca_buf_refcount_rm(buf, refcount)  doca_buf_dec_refcount(buf, refcount)
#define doca_buf_refcount_add(buf, refcount) doca_buf_inc_refcount(buf, refcount)
#define doca_buf_refcount_get(buf, refcount) doca_buf_get_refcount(buf, refcount)
#define doca_devinfo_get_is_pci_addr_equal(devinfo, pci_addr, is_equal)                            \
	doca_devinfo_is_equal_pci_addr(devinfo, pci_addr, is_equal)
#define doca_devinfo_rep_get_is_pci_addr_equal(devinfo, pci_addr, is_equal)                        \
	doca_devinfo_rep_is_equal_pci_addr(devinfo, pci_addr, is_equal)

#ifndef DOCA_LEGACY_2_2_BINDINGS
#define doca_devinfo_rep_get_is_list_all_supported(devinfo, supported)                             \
	doca_devinfo_rep_cap_is_filter_all_supported(devinfo, supported)
#define doca_devinfo_rep_get_is_list_net_supported(devinfo, supported)                             \
	doca_devinfo_rep_cap_is_filter_net_supported(devinfo, supported)
#define doca_devinfo_rep_get_is_list_emulated_supported(devinfo, supported)                        \
	doca_devinfo_rep_cap_is_filter_emulated_supported(devinfo, supported)
#define doca_devinfo_get_is_mmap_export_dpu_supported(devinfo, supported)                          \
	doca_mmap_cap_is_export_pci_supported(devinfo, supported)
#define doca_devinfo_get_is_mmap_from_export_dpu_supported(devinfo, supported)                     \
	doca_mmap_cap_is_create_from_export_pci_supported(devinfo, supported)
#define doca_devinfo_get_is_hotplug_manager_supported(devinfo, supported)                          \
	doca_devinfo_cap_is_hotplug_manager_supported(devinfo, supported)
#endif

/** Kinds of functions; today enum doca_pci_func_type. */
#define DOCA_PCI_FUNC_PF DOCA_PCI_FUNC_TYPE_PF
#define DOCA_PCI_FUNC_VF DOCA_PCI_FUNC_TYPE_VF
#define DOCA_PCI_FUNC_SF DOCA_PCI_FUNC_TYPE_SF

#ifdef __cplusplus
} /* extern "C" */
#endif

#endif /* SOFTFIELD_CORE_2_2_H_ */
