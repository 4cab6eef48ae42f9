/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Sync event: a 64-bit counter that one party changes and another waits for.
 *
 * The parties are this processor, the other side of PCIe, or DPA code. An event is used by plain
 * calls after doca_sync_event_start(), or by tasks as a context.
 */
#ifndef DOCA_SYNC_EVENT_H_
#define DOCA_SYNC_EVENT_H_

#include <stddef.h>
#include <stdint.h>

#include <doca_compat.h>
#include <doca_ctx.h> /* programs count on this and doca_pe.h */
#include <doca_error.h>
#include <doca_pe.h>
#include <doca_types.h>
#include <softfield_dpa_handles.h>

#ifdef __cplusplus
extern "C" {
#endif

struct doca_buf;
struct doca_ctx;
struct doca_dev;
struct doca_devinfo;
struct doca_dpa;
struct doca_gpu;
struct doca_task;

/** An event; doca_sync_event_as_ctx(). */
struct doca_sync_event;

/** An event of a machine on the network. */
struct doca_sync_event_remote_net;

/** How GPU code names an event. */
typedef uint64_t doca_gpu_dev_sync_event_t;

/** How GPU code names an event of a machine on the network. */
typedef uint64_t doca_gpu_dev_sync_event_remote_net_t;

/**
 * @brief Creates an event. Its counter is 0.
 *
 * @param [out] event the event; give it back with doca_sync_event_destroy().
 *
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: event is NULL
 * - DOCA_ERROR_NO_MEMORY: no memory for the object
 *
 * Any thread. Source: public Sync Event pages, samples sync_event_*.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_sync_event_create(struct doca_sync_event **event);

/**
 * @brief Makes an event of the other side usable here, from the description of
 * doca_sync_event_export_to_remote_pci().
 *
 * It needs no configuration but that of its tasks, and is started like any other. The counter is
 * the other side's.
 *
 * @param [in] dev a device of the same card as the exporter's. It must stay open as long as the
 *        event exists.
 * @param [in] data the description. It comes from outside: nothing in it is trusted. Not kept.
 * @param [in] sz bytes in it.
 * @param [out] event the event; give it back with doca_sync_event_destroy().
 *
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: a pointer is NULL, or the description is damaged
 * - DOCA_ERROR_NO_MEMORY: no memory for the object
 * - DOCA_ERROR_NOT_PERMITTED: the exporter does not let this user in
 * - DOCA_ERROR_DRIVER: the exporter cannot be reached: its event or its process is gone
 *
 * Any thread. Source: public Sync Event pages, samples sync_event_*.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_sync_event_create_from_export(struct doca_dev *dev, const uint8_t *data,
						size_t sz, struct doca_sync_event **event);

/**
 * @brief Destroys an event. One that is started is stopped before.
 *
 * @param [in] event the event; as a context: IDLE.
 *
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: event is NULL
 * - DOCA_ERROR_IN_USE: its context is not idle
 *
 * One thread at a time for an event object; the other side has its own. Source: public Sync Event
 * pages, samples sync_event_*, dpa_kernel_launch.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_sync_event_destroy(struct doca_sync_event *event);

/**
 * @brief An event as a struct doca_ctx, to use it with tasks: doca_ctx_start() takes the place of
 * doca_sync_event_start(), and doca_ctx_stop() that of doca_sync_event_stop().
 *
 * @param [in] event the event.
 *
 * @return the same object; NULL when it is NULL.
 *
 * Any thread. Source: public Sync Event pages, samples sync_event_*.
 */
DOCA_EXPERIMENTAL
struct doca_ctx *doca_sync_event_as_ctx(struct doca_sync_event *event);

/**
 * @brief Starts an event without a progress engine: it can be used, but has no tasks.
 *
 * @param [in] event the event.
 *
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: event is NULL
 * - DOCA_ERROR_BAD_STATE: it is started, or has no publisher or no subscriber; or its context is
 *   not IDLE
 * - DOCA_ERROR_NOT_SUPPORTED: doca_sync_event_set_addr() was called, and an end is across PCIe
 * - DOCA_ERROR_NO_MEMORY: no memory for the counter, or no handle for DPA code
 * - DOCA_ERROR_DRIVER: the exporter cannot be reached any more
 *   (doca_sync_event_create_from_export())
 *
 * One thread at a time for an event object; the other side has its own. Source: public Sync Event
 * pages, samples sync_event_*.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_sync_event_start(struct doca_sync_event *event);

/**
 * @brief Stops an event that doca_sync_event_start() has started. Its exports and handles are
 * invalid from then on. DPA code that waits for it stops waiting.
 *
 * @param [in] event the event.
 *
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: event is NULL
 * - DOCA_ERROR_BAD_STATE: it is not started
 *
 * One thread at a time for an event object; the other side has its own. Source: public Sync Event
 * pages, samples sync_event_*.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_sync_event_stop(struct doca_sync_event *event);

/*
 * Configuration: at least one publisher, who changes the counter, and one subscriber, who waits for
 * it. All of them may read it.
 */

/**
 * @brief Declares that this processor changes the event.
 *
 * @param [in] event the event, not started.
 * @param [in] dev a device; it must stay open as long as the event exists.
 *
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL
 * - DOCA_ERROR_BAD_STATE: the event is started
 * - DOCA_ERROR_NOT_PERMITTED: the event comes from doca_sync_event_create_from_export()
 * - DOCA_ERROR_ALREADY_EXIST: this publisher was added before
 *
 * One thread at a time for an event object; the other side has its own. Source: public Sync Event
 * pages, samples sync_event_*.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_sync_event_add_publisher_location_cpu(struct doca_sync_event *event,
							struct doca_dev *dev);

/**
 * @brief Declares that a DPA changes the event.
 *
 * @param [in] event the event, not started.
 * @param [in] dpa the DPA.
 *
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL
 * - DOCA_ERROR_BAD_STATE: the event is started
 * - DOCA_ERROR_NOT_PERMITTED: the event comes from doca_sync_event_create_from_export()
 * - DOCA_ERROR_ALREADY_EXIST: this publisher was added before
 *
 * One thread at a time for an event object; the other side has its own. Source: public Sync Event
 * pages, samples sync_event_*.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_sync_event_add_publisher_location_dpa(struct doca_sync_event *event,
							struct doca_dpa *dpa);

/**
 * @brief Declares that a GPU changes the event.
 *
 * @param [in] event the event, not started.
 * @param [in] gpu the GPU.
 *
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL
 * - DOCA_ERROR_BAD_STATE: the event is started
 * - DOCA_ERROR_NOT_PERMITTED: the event comes from doca_sync_event_create_from_export()
 * - DOCA_ERROR_ALREADY_EXIST: on a card only, never here
 * - DOCA_ERROR_NOT_SUPPORTED: always, there is no GPU here
 *
 * One thread at a time for an event object; the other side has its own. Source: public Sync Event
 * pages, samples sync_event_*.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_sync_event_add_publisher_location_gpu(struct doca_sync_event *event,
							struct doca_gpu *gpu);

/**
 * @brief Declares that the other side of PCIe changes the event.
 *
 * That side gets it by doca_sync_event_export_to_remote_pci().
 *
 * @param [in] event the event, not started.
 *
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: event is NULL
 * - DOCA_ERROR_BAD_STATE: the event is started
 * - DOCA_ERROR_NOT_PERMITTED: the event comes from doca_sync_event_create_from_export()
 * - DOCA_ERROR_ALREADY_EXIST: this publisher was added before
 *
 * One thread at a time for an event object; the other side has its own. Source: public Sync Event
 * pages, samples sync_event_*.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_sync_event_add_publisher_location_remote_pci(struct doca_sync_event *event);

/**
 * @brief Declares that a machine on the network changes the event.
 *
 * @param [in] event the event, not started.
 *
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: event is NULL
 * - DOCA_ERROR_BAD_STATE: the event is started
 * - DOCA_ERROR_NOT_PERMITTED: the event comes from doca_sync_event_create_from_export()
 * - DOCA_ERROR_ALREADY_EXIST: on a card only, never here
 * - DOCA_ERROR_NOT_SUPPORTED: always, there is no RDMA here
 *
 * One thread at a time for an event object; the other side has its own. Source: public Sync Event
 * pages, samples sync_event_*.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_sync_event_add_publisher_location_remote_net(struct doca_sync_event *event);

/**
 * @brief Declares that this processor waits for the event.
 *
 * @param [in] event the event, not started.
 * @param [in] dev a device; it must stay open as long as the event exists.
 *
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL
 * - DOCA_ERROR_BAD_STATE: the event is started
 * - DOCA_ERROR_NOT_PERMITTED: the event comes from doca_sync_event_create_from_export()
 * - DOCA_ERROR_ALREADY_EXIST: this subscriber was added before
 *
 * One thread at a time for an event object; the other side has its own. Source: public Sync Event
 * pages, samples sync_event_*.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_sync_event_add_subscriber_location_cpu(struct doca_sync_event *event,
							 struct doca_dev *dev);

/**
 * @brief Declares that a DPA waits for the event.
 *
 * @param [in] event the event, not started.
 * @param [in] dpa the DPA.
 *
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL
 * - DOCA_ERROR_BAD_STATE: the event is started
 * - DOCA_ERROR_NOT_PERMITTED: the event comes from doca_sync_event_create_from_export()
 * - DOCA_ERROR_ALREADY_EXIST: this subscriber was added before
 *
 * One thread at a time for an event object; the other side has its own. Source: public Sync Event
 * pages, samples sync_event_*.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_sync_event_add_subscriber_location_dpa(struct doca_sync_event *event,
							 struct doca_dpa *dpa);

/**
 * @brief Declares that a GPU waits for the event.
 *
 * @param [in] event the event, not started.
 * @param [in] gpu the GPU.
 *
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL
 * - DOCA_ERROR_BAD_STATE: the event is started
 * - DOCA_ERROR_NOT_PERMITTED: the event comes from doca_sync_event_create_from_export()
 * - DOCA_ERROR_ALREADY_EXIST: on a card only, never here
 * - DOCA_ERROR_NOT_SUPPORTED: always, there is no GPU here
 *
 * One thread at a time for an event object; the other side has its own. Source: public Sync Event
 * pages, samples sync_event_*.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_sync_event_add_subscriber_location_gpu(struct doca_sync_event *event,
							 struct doca_gpu *gpu);

/**
 * @brief Declares that the other side of PCIe waits for the event.
 *
 * That side gets it by doca_sync_event_export_to_remote_pci().
 *
 * @param [in] event the event, not started.
 *
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: event is NULL
 * - DOCA_ERROR_BAD_STATE: the event is started
 * - DOCA_ERROR_NOT_PERMITTED: the event comes from doca_sync_event_create_from_export()
 * - DOCA_ERROR_ALREADY_EXIST: this subscriber was added before
 *
 * One thread at a time for an event object; the other side has its own. Source: public Sync Event
 * pages, samples sync_event_*.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_sync_event_add_subscriber_location_remote_pci(struct doca_sync_event *event);

/**
 * @brief Has the counter in memory of the program's, which other events and other threads may use
 * as well.
 *
 * Starting the event leaves what is there as it is. Whoever changes it by other means than this
 * event, by another one or by an atomic instruction, ends the waits of this one, too; they look at
 * the memory again and again, so that an engine with waiting tasks does not sleep. Such an event
 * does not start when an end is across PCIe.
 *
 * @param [in] event the event, not started.
 * @param [in] addr 8 bytes, aligned to as many; they must stay while the event is started.
 *
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL, or the address is not aligned
 * - DOCA_ERROR_BAD_STATE: the event is started
 * - DOCA_ERROR_NOT_PERMITTED: the event comes from doca_sync_event_create_from_export()
 * - DOCA_ERROR_NOT_SUPPORTED: on a card only, never here
 *
 * One thread at a time for an event object; the other side has its own. Source: public reference
 * pages.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_sync_event_set_addr(struct doca_sync_event *event, uint64_t *addr);

/**
 * @brief Has the counter in a buffer. There is no such thing here; doca_sync_event_set_addr() has
 * it in memory of the process, and doca_sync_event_export_to_remote_pci() shares one with another.
 *
 * @param [in] event the event, not started.
 * @param [in] buf the buffer.
 *
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL
 * - DOCA_ERROR_BAD_STATE: the event is started
 * - DOCA_ERROR_NOT_PERMITTED: the event comes from doca_sync_event_create_from_export()
 * - DOCA_ERROR_NOT_SUPPORTED: always
 *
 * One thread at a time for an event object; the other side has its own. Source: public reference
 * pages.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_sync_event_set_doca_buf(struct doca_sync_event *event, struct doca_buf *buf);

/*
 * The counter. Changes are seen by the other side in the order they are made.
 */

/**
 * @brief Reads the counter.
 *
 * @param [in] event the event, started.
 * @param [out] value its value.
 *
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL
 * - DOCA_ERROR_BAD_STATE: the event is not started
 * - DOCA_ERROR_IO_FAILED: the other side, which holds the counter, has gone
 *
 * One thread at a time for an event object; the other side has its own. Source: public Sync Event
 * pages, samples sync_event_*.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_sync_event_get(struct doca_sync_event *event, uint64_t *value);

/**
 * @brief Sets the counter.
 *
 * @param [in] event the event, started.
 * @param [in] value its new value.
 *
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: event is NULL
 * - DOCA_ERROR_BAD_STATE: the event is not started
 * - DOCA_ERROR_IO_FAILED: the other side, which holds the counter, has gone
 *
 * One thread at a time for an event object; the other side has its own. Source: public Sync Event
 * pages, samples sync_event_*.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_sync_event_update_set(struct doca_sync_event *event, uint64_t value);

/**
 * @brief Adds to the counter, atomically; it wraps around.
 *
 * @param [in] event the event, started.
 * @param [in] value what to add.
 * @param [out] fetched the value before; NULL: not wanted.
 *
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: event is NULL
 * - DOCA_ERROR_BAD_STATE: the event is not started
 * - DOCA_ERROR_IO_FAILED: the other side, which holds the counter, has gone
 *
 * One thread at a time for an event object; the other side has its own. Source: public Sync Event
 * pages, samples sync_event_*.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_sync_event_update_add(struct doca_sync_event *event, uint64_t value,
					uint64_t *fetched);

/**
 * @brief Waits until (counter & mask) > value: polls for a moment, then sleeps.
 *
 * @param [in] event the event, started.
 * @param [in] value the value to compare with.
 * @param [in] mask which bits of the counter are compared; UINT64_MAX: all.
 *
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: event is NULL
 * - DOCA_ERROR_BAD_STATE: the event is not started
 * - DOCA_ERROR_IO_FAILED: the other side, which holds the counter, has gone, and left it at
 *   another value
 *
 * One thread at a time for an event object; the other side has its own. Source: public Sync Event
 * pages, samples sync_event_*.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_sync_event_wait_gt(struct doca_sync_event *event, uint64_t value, uint64_t mask);

/**
 * @brief Waits until (counter & mask) > value: sleeps at once, so that others have the processor.
 *
 * @param [in] event the event, started.
 * @param [in] value the value to compare with.
 * @param [in] mask which bits of the counter are compared; UINT64_MAX: all.
 *
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: event is NULL
 * - DOCA_ERROR_BAD_STATE: the event is not started
 * - DOCA_ERROR_IO_FAILED: the other side, which holds the counter, has gone, and left it at
 *   another value
 *
 * One thread at a time for an event object; the other side has its own. Source: public Sync Event
 * pages, samples sync_event_*.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_sync_event_wait_gt_yield(struct doca_sync_event *event, uint64_t value,
					   uint64_t mask);

/**
 * @brief Waits until (counter & mask) == value: polls for a moment, then sleeps.
 *
 * @param [in] event the event, started.
 * @param [in] value the value to compare with.
 * @param [in] mask which bits of the counter are compared; UINT64_MAX: all.
 *
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: event is NULL
 * - DOCA_ERROR_BAD_STATE: the event is not started
 * - DOCA_ERROR_IO_FAILED: the other side, which holds the counter, has gone, and left it at
 *   another value
 *
 * One thread at a time for an event object; the other side has its own. Source: public Sync Event
 * pages, samples sync_event_*.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_sync_event_wait_eq(struct doca_sync_event *event, uint64_t value, uint64_t mask);

/**
 * @brief Waits until (counter & mask) == value: sleeps at once, so that others have the processor.
 *
 * @param [in] event the event, started.
 * @param [in] value the value to compare with.
 * @param [in] mask which bits of the counter are compared; UINT64_MAX: all.
 *
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: event is NULL
 * - DOCA_ERROR_BAD_STATE: the event is not started
 * - DOCA_ERROR_IO_FAILED: the other side, which holds the counter, has gone, and left it at
 *   another value
 *
 * One thread at a time for an event object; the other side has its own. Source: public Sync Event
 * pages, samples sync_event_*.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_sync_event_wait_eq_yield(struct doca_sync_event *event, uint64_t value,
					   uint64_t mask);

/**
 * @brief Waits until (counter & mask) != value: polls for a moment, then sleeps.
 *
 * @param [in] event the event, started.
 * @param [in] value the value to compare with.
 * @param [in] mask which bits of the counter are compared; UINT64_MAX: all.
 *
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: event is NULL
 * - DOCA_ERROR_BAD_STATE: the event is not started
 * - DOCA_ERROR_IO_FAILED: the other side, which holds the counter, has gone, and left it at
 *   another value
 *
 * One thread at a time for an event object; the other side has its own. Source: public Sync Event
 * pages, samples sync_event_*.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_sync_event_wait_neq(struct doca_sync_event *event, uint64_t value, uint64_t mask);

/**
 * @brief Waits until (counter & mask) != value: sleeps at once, so that others have the processor.
 *
 * @param [in] event the event, started.
 * @param [in] value the value to compare with.
 * @param [in] mask which bits of the counter are compared; UINT64_MAX: all.
 *
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: event is NULL
 * - DOCA_ERROR_BAD_STATE: the event is not started
 * - DOCA_ERROR_IO_FAILED: the other side, which holds the counter, has gone, and left it at
 *   another value
 *
 * One thread at a time for an event object; the other side has its own. Source: public Sync Event
 * pages, samples sync_event_*.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_sync_event_wait_neq_yield(struct doca_sync_event *event, uint64_t value,
					    uint64_t mask);

/*
 * Tasks, for an event that is used as a context. Getters of a task that is NULL answer 0, and
 * setters do nothing.
 */

/** Task: read the counter. */
struct doca_sync_event_task_get;

/** doca_task_completion_cb_t for this task. */
typedef void (*doca_sync_event_task_get_completion_cb_t)(struct doca_sync_event_task_get *task,
							 union doca_data task_user_data,
							 union doca_data ctx_user_data);

/** Task: set the counter. */
struct doca_sync_event_task_notify_set;

/** doca_task_completion_cb_t for this task. */
typedef void (*doca_sync_event_task_notify_set_completion_cb_t)(
	struct doca_sync_event_task_notify_set *task, union doca_data task_user_data,
	union doca_data ctx_user_data);

/** Task: add to the counter. */
struct doca_sync_event_task_notify_add;

/** doca_task_completion_cb_t for this task. */
typedef void (*doca_sync_event_task_notify_add_completion_cb_t)(
	struct doca_sync_event_task_notify_add *task, union doca_data task_user_data,
	union doca_data ctx_user_data);

/** Task: wait until (counter & mask) > value. */
struct doca_sync_event_task_wait_gt;

/** doca_task_completion_cb_t for this task. */
typedef void (*doca_sync_event_task_wait_gt_completion_cb_t)(
	struct doca_sync_event_task_wait_gt *task, union doca_data task_user_data,
	union doca_data ctx_user_data);

/** Task: wait until (counter & mask) == value. */
struct doca_sync_event_task_wait_eq;

/** doca_task_completion_cb_t for this task. */
typedef void (*doca_sync_event_task_wait_eq_completion_cb_t)(
	struct doca_sync_event_task_wait_eq *task, union doca_data task_user_data,
	union doca_data ctx_user_data);

/** Task: wait until (counter & mask) != value. */
struct doca_sync_event_task_wait_neq;

/** doca_task_completion_cb_t for this task. */
typedef void (*doca_sync_event_task_wait_neq_completion_cb_t)(
	struct doca_sync_event_task_wait_neq *task, union doca_data task_user_data,
	union doca_data ctx_user_data);

/**
 * @brief Whether a device supports the task. All do.
 *
 * @param [in] devinfo the device.
 *
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: devinfo is NULL
 * - DOCA_ERROR_NOT_SUPPORTED: on a card only, never here
 *
 * Any thread. Source: public Sync Event pages, samples sync_event_*.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_sync_event_cap_task_get_is_supported(const struct doca_devinfo *devinfo);

/**
 * @brief Enables the task that reads the counter.
 *
 * @param [in] event the event, not started.
 * @param [in] completion_cb called for tasks that succeed.
 * @param [in] error_cb called for tasks that fail.
 * @param [in] num_tasks how many can be allocated at a time, at least 1.
 *
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: a pointer is NULL, or the number is out of range
 * - DOCA_ERROR_BAD_STATE: the event is started
 *
 * Only the thread that drives the context's progress engine. Source: public Sync Event pages,
 * samples sync_event_*.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_sync_event_task_get_set_conf(
	struct doca_sync_event *event, doca_sync_event_task_get_completion_cb_t completion_cb,
	doca_sync_event_task_get_completion_cb_t error_cb, uint32_t num_tasks);

/**
 * @brief Allocates a task that reads the counter.
 *
 * Status in the error callback: DOCA_ERROR_IO_FAILED when the context was stopped, or when the
 * other side, which holds the counter, has gone.
 *
 * @param [in] event the event, its context RUNNING.
 * @param [out] value its value, when the task has succeeded. It must stay allocated until then.
 * @param [in] user_data the task's user data.
 * @param [out] task the task; give it back with doca_task_free().
 *
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: a pointer is NULL
 * - DOCA_ERROR_BAD_STATE: the context is not RUNNING, or the task is not enabled
 * - DOCA_ERROR_NO_MEMORY: all num_tasks tasks are in use
 *
 * Only the thread that drives the context's progress engine. Source: public Sync Event pages,
 * samples sync_event_*.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_sync_event_task_get_alloc_init(struct doca_sync_event *event, uint64_t *value,
						 union doca_data user_data,
						 struct doca_sync_event_task_get **task);

/**
 * @brief The task as a struct doca_task, for doca_task_submit() and the other doca_task_*()
 * functions.
 *
 * @param [in] task the task.
 *
 * @return the same object.
 *
 * Any thread. Source: spec core 5.
 */
DOCA_EXPERIMENTAL
struct doca_task *doca_sync_event_task_get_as_doca_task(struct doca_sync_event_task_get *task);

/**
 * @brief Says where a task puts the counter, before it is submitted.
 *
 * @param [in] task the task.
 * @param [in] ret_val_ptr see value of doca_sync_event_task_get_alloc_init(). NULL: the task is
 *        refused with DOCA_ERROR_INVALID_VALUE when it is submitted.
 *
 * One thread at a time for a task that the program owns. Source: public reference pages.
 */
DOCA_EXPERIMENTAL
void doca_sync_event_task_get_set_ret_val_ptr(struct doca_sync_event_task_get *task,
					      uint64_t *ret_val_ptr);

/**
 * @brief Where a task puts the counter.
 *
 * @param [in] task the task.
 *
 * @return the place.
 *
 * One thread at a time for a task that the program owns. Source: public reference pages.
 */
DOCA_EXPERIMENTAL
uint64_t *doca_sync_event_task_get_get_ret_val_ptr(const struct doca_sync_event_task_get *task);

/**
 * @brief Whether a device supports the task. All do.
 *
 * @param [in] devinfo the device.
 *
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: devinfo is NULL
 * - DOCA_ERROR_NOT_SUPPORTED: on a card only, never here
 *
 * Any thread. Source: public Sync Event pages, samples sync_event_*.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_sync_event_cap_task_notify_set_is_supported(const struct doca_devinfo *devinfo);

/**
 * @brief Enables the task that sets the counter.
 *
 * @param [in] event the event, not started.
 * @param [in] completion_cb called for tasks that succeed.
 * @param [in] error_cb called for tasks that fail.
 * @param [in] num_tasks how many can be allocated at a time, at least 1.
 *
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: a pointer is NULL, or the number is out of range
 * - DOCA_ERROR_BAD_STATE: the event is started
 *
 * Only the thread that drives the context's progress engine. Source: public Sync Event pages,
 * samples sync_event_*.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_sync_event_task_notify_set_set_conf(
	struct doca_sync_event *event,
	doca_sync_event_task_notify_set_completion_cb_t completion_cb,
	doca_sync_event_task_notify_set_completion_cb_t error_cb, uint32_t num_tasks);

/**
 * @brief Allocates a task that sets the counter.
 *
 * Status in the error callback: DOCA_ERROR_IO_FAILED when the context was stopped, or when the
 * other side, which holds the counter, has gone.
 *
 * @param [in] event the event, its context RUNNING.
 * @param [in] value its new value.
 * @param [in] user_data the task's user data.
 * @param [out] task the task; give it back with doca_task_free().
 *
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: a pointer is NULL
 * - DOCA_ERROR_BAD_STATE: the context is not RUNNING, or the task is not enabled
 * - DOCA_ERROR_NO_MEMORY: all num_tasks tasks are in use
 *
 * Only the thread that drives the context's progress engine. Source: public Sync Event pages,
 * samples sync_event_*.
 */
DOCA_EXPERIMENTAL
doca_error_t
doca_sync_event_task_notify_set_alloc_init(struct doca_sync_event *event, uint64_t value,
					   union doca_data user_data,
					   struct doca_sync_event_task_notify_set **task);

/**
 * @brief The task as a struct doca_task, for doca_task_submit() and the other doca_task_*()
 * functions.
 *
 * @param [in] task the task.
 *
 * @return the same object.
 *
 * Any thread. Source: spec core 5.
 */
DOCA_EXPERIMENTAL
struct doca_task *
doca_sync_event_task_notify_set_as_doca_task(struct doca_sync_event_task_notify_set *task);

/**
 * @brief Says what a task sets the counter to, before it is submitted.
 *
 * @param [in] task the task.
 * @param [in] set_val the value.
 *
 * One thread at a time for a task that the program owns. Source: public reference pages.
 */
DOCA_EXPERIMENTAL
void doca_sync_event_task_notify_set_set_set_val(struct doca_sync_event_task_notify_set *task,
						 uint64_t set_val);

/**
 * @brief What a task sets the counter to.
 *
 * @param [in] task the task.
 *
 * @return the value.
 *
 * One thread at a time for a task that the program owns. Source: public reference pages.
 */
DOCA_EXPERIMENTAL
uint64_t
doca_sync_event_task_notify_set_get_set_val(const struct doca_sync_event_task_notify_set *task);

/**
 * @brief Whether a device supports the task. All do.
 *
 * @param [in] devinfo the device.
 *
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: devinfo is NULL
 * - DOCA_ERROR_NOT_SUPPORTED: on a card only, never here
 *
 * Any thread. Source: public Sync Event pages, samples sync_event_*.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_sync_event_cap_task_notify_add_is_supported(const struct doca_devinfo *devinfo);

/**
 * @brief Enables the task that adds to the counter.
 *
 * @param [in] event the event, not started.
 * @param [in] completion_cb called for tasks that succeed.
 * @param [in] error_cb called for tasks that fail.
 * @param [in] num_tasks how many can be allocated at a time, at least 1.
 *
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: a pointer is NULL, or the number is out of range
 * - DOCA_ERROR_BAD_STATE: the event is started
 *
 * Only the thread that drives the context's progress engine. Source: public Sync Event pages,
 * samples sync_event_*.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_sync_event_task_notify_add_set_conf(
	struct doca_sync_event *event,
	doca_sync_event_task_notify_add_completion_cb_t completion_cb,
	doca_sync_event_task_notify_add_completion_cb_t error_cb, uint32_t num_tasks);

/**
 * @brief Allocates a task that adds to the counter.
 *
 * Status in the error callback: DOCA_ERROR_IO_FAILED when the context was stopped, or when the
 * other side, which holds the counter, has gone.
 *
 * @param [in] event the event, its context RUNNING.
 * @param [in] value what to add.
 * @param [out] fetched the value before, when the task has succeeded; it must stay allocated until
 *        then. NULL: not wanted.
 * @param [in] user_data the task's user data.
 * @param [out] task the task; give it back with doca_task_free().
 *
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: a pointer is NULL
 * - DOCA_ERROR_BAD_STATE: the context is not RUNNING, or the task is not enabled
 * - DOCA_ERROR_NO_MEMORY: all num_tasks tasks are in use
 *
 * Only the thread that drives the context's progress engine. Source: public Sync Event pages,
 * samples sync_event_*.
 */
DOCA_EXPERIMENTAL
doca_error_t
doca_sync_event_task_notify_add_alloc_init(struct doca_sync_event *event, uint64_t value,
					   uint64_t *fetched, union doca_data user_data,
					   struct doca_sync_event_task_notify_add **task);

/**
 * @brief The task as a struct doca_task, for doca_task_submit() and the other doca_task_*()
 * functions.
 *
 * @param [in] task the task.
 *
 * @return the same object.
 *
 * Any thread. Source: spec core 5.
 */
DOCA_EXPERIMENTAL
struct doca_task *
doca_sync_event_task_notify_add_as_doca_task(struct doca_sync_event_task_notify_add *task);

/**
 * @brief Says what a task adds to the counter, before it is submitted.
 *
 * @param [in] task the task.
 * @param [in] inc_val the value.
 *
 * One thread at a time for a task that the program owns. Source: public reference pages.
 */
DOCA_EXPERIMENTAL
void doca_sync_event_task_notify_add_set_inc_val(struct doca_sync_event_task_notify_add *task,
						 uint64_t inc_val);

/**
 * @brief What a task adds to the counter.
 *
 * @param [in] task the task.
 *
 * @return the value.
 *
 * One thread at a time for a task that the program owns. Source: public reference pages.
 */
DOCA_EXPERIMENTAL
uint64_t
doca_sync_event_task_notify_add_get_inc_val(const struct doca_sync_event_task_notify_add *task);

/**
 * @brief Says where a task puts the value before, before it is submitted.
 *
 * @param [in] task the task.
 * @param [in] fetched_val_ptr see fetched of doca_sync_event_task_notify_add_alloc_init().
 *
 * One thread at a time for a task that the program owns. Source: public reference pages.
 */
DOCA_EXPERIMENTAL
void doca_sync_event_task_notify_add_set_fetched_val_ptr(
	struct doca_sync_event_task_notify_add *task, uint64_t *fetched_val_ptr);

/**
 * @brief Where a task puts the value before.
 *
 * @param [in] task the task.
 *
 * @return the place; NULL: nowhere.
 *
 * One thread at a time for a task that the program owns. Source: public reference pages.
 */
DOCA_EXPERIMENTAL
uint64_t *doca_sync_event_task_notify_add_get_fetched_val_ptr(
	const struct doca_sync_event_task_notify_add *task);

/**
 * @brief Whether a device supports the task. All do.
 *
 * @param [in] devinfo the device.
 *
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: devinfo is NULL
 * - DOCA_ERROR_NOT_SUPPORTED: on a card only, never here
 *
 * Any thread. Source: public Sync Event pages, samples sync_event_*.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_sync_event_cap_task_wait_gt_is_supported(const struct doca_devinfo *devinfo);

/**
 * @brief Enables the task that waits until (counter & mask) > value.
 *
 * @param [in] event the event, not started.
 * @param [in] completion_cb called for tasks that succeed.
 * @param [in] error_cb called for tasks that fail.
 * @param [in] num_tasks how many can be allocated at a time, at least 1.
 *
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: a pointer is NULL, or the number is out of range
 * - DOCA_ERROR_BAD_STATE: the event is started
 *
 * Only the thread that drives the context's progress engine. Source: public Sync Event pages,
 * samples sync_event_*.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_sync_event_task_wait_gt_set_conf(
	struct doca_sync_event *event, doca_sync_event_task_wait_gt_completion_cb_t completion_cb,
	doca_sync_event_task_wait_gt_completion_cb_t error_cb, uint32_t num_tasks);

/**
 * @brief Allocates a task that waits until (counter & mask) > value.
 *
 * It comes back at once when that holds already. Status in the error callback:
 * DOCA_ERROR_IO_FAILED when the context was stopped, or when the other side, which holds the
 * counter, has gone.
 *
 * @param [in] event the event, its context RUNNING.
 * @param [in] value the value to compare with.
 * @param [in] mask which bits of the counter are compared; UINT64_MAX: all.
 * @param [in] user_data the task's user data.
 * @param [out] task the task; give it back with doca_task_free().
 *
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: a pointer is NULL
 * - DOCA_ERROR_BAD_STATE: the context is not RUNNING, or the task is not enabled
 * - DOCA_ERROR_NO_MEMORY: all num_tasks tasks are in use
 *
 * Only the thread that drives the context's progress engine. Source: public Sync Event pages,
 * samples sync_event_*.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_sync_event_task_wait_gt_alloc_init(struct doca_sync_event *event, uint64_t value,
						     uint64_t mask, union doca_data user_data,
						     struct doca_sync_event_task_wait_gt **task);

/**
 * @brief The task as a struct doca_task, for doca_task_submit() and the other doca_task_*()
 * functions.
 *
 * @param [in] task the task.
 *
 * @return the same object.
 *
 * Any thread. Source: spec core 5.
 */
DOCA_EXPERIMENTAL
struct doca_task *
doca_sync_event_task_wait_gt_as_doca_task(struct doca_sync_event_task_wait_gt *task);

/**
 * @brief Says what a task compares the counter with, before it is submitted.
 *
 * @param [in] task the task.
 * @param [in] wait_val the value.
 *
 * One thread at a time for a task that the program owns. Source: public reference pages.
 */
DOCA_EXPERIMENTAL
void doca_sync_event_task_wait_gt_set_wait_val(struct doca_sync_event_task_wait_gt *task,
					       uint64_t wait_val);

/**
 * @brief What a task compares the counter with.
 *
 * @param [in] task the task.
 *
 * @return the value.
 *
 * One thread at a time for a task that the program owns. Source: public reference pages.
 */
DOCA_EXPERIMENTAL
uint64_t doca_sync_event_task_wait_gt_get_wait_val(const struct doca_sync_event_task_wait_gt *task);

/**
 * @brief Says which bits of the counter a task compares, before it is submitted.
 *
 * @param [in] task the task.
 * @param [in] mask the bits; UINT64_MAX: all.
 *
 * One thread at a time for a task that the program owns. Source: public reference pages.
 */
DOCA_EXPERIMENTAL
void doca_sync_event_task_wait_gt_set_mask(struct doca_sync_event_task_wait_gt *task,
					   uint64_t mask);

/**
 * @brief Which bits of the counter a task compares.
 *
 * @param [in] task the task.
 *
 * @return the bits.
 *
 * One thread at a time for a task that the program owns. Source: public reference pages.
 */
DOCA_EXPERIMENTAL
uint64_t doca_sync_event_task_wait_gt_get_mask(const struct doca_sync_event_task_wait_gt *task);

/**
 * @brief Whether a device supports the task. All do.
 *
 * @param [in] devinfo the device.
 *
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: devinfo is NULL
 * - DOCA_ERROR_NOT_SUPPORTED: on a card only, never here
 *
 * Any thread. Source: public Sync Event pages, samples sync_event_*.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_sync_event_cap_task_wait_eq_is_supported(const struct doca_devinfo *devinfo);

/**
 * @brief Enables the task that waits until (counter & mask) == value.
 *
 * @param [in] event the event, not started.
 * @param [in] completion_cb called for tasks that succeed.
 * @param [in] error_cb called for tasks that fail.
 * @param [in] num_tasks how many can be allocated at a time, at least 1.
 *
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: a pointer is NULL, or the number is out of range
 * - DOCA_ERROR_BAD_STATE: the event is started
 *
 * Only the thread that drives the context's progress engine. Source: public Sync Event pages,
 * samples sync_event_*.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_sync_event_task_wait_eq_set_conf(
	struct doca_sync_event *event, doca_sync_event_task_wait_eq_completion_cb_t completion_cb,
	doca_sync_event_task_wait_eq_completion_cb_t error_cb, uint32_t num_tasks);

/**
 * @brief Allocates a task that waits until (counter & mask) == value.
 *
 * It comes back at once when that holds already; a value that is passed through quickly may be
 * missed. Status in the error callback: DOCA_ERROR_IO_FAILED when the context was stopped, or when
 * the other side, which holds the counter, has gone.
 *
 * @param [in] event the event, its context RUNNING.
 * @param [in] value the value to compare with.
 * @param [in] mask which bits of the counter are compared; UINT64_MAX: all.
 * @param [in] user_data the task's user data.
 * @param [out] task the task; give it back with doca_task_free().
 *
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: a pointer is NULL
 * - DOCA_ERROR_BAD_STATE: the context is not RUNNING, or the task is not enabled
 * - DOCA_ERROR_NO_MEMORY: all num_tasks tasks are in use
 *
 * Only the thread that drives the context's progress engine. Source: public Sync Event pages,
 * samples sync_event_*.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_sync_event_task_wait_eq_alloc_init(struct doca_sync_event *event, uint64_t value,
						     uint64_t mask, union doca_data user_data,
						     struct doca_sync_event_task_wait_eq **task);

/**
 * @brief The task as a struct doca_task, for doca_task_submit() and the other doca_task_*()
 * functions.
 *
 * @param [in] task the task.
 *
 * @return the same object.
 *
 * Any thread. Source: spec core 5.
 */
DOCA_EXPERIMENTAL
struct doca_task *
doca_sync_event_task_wait_eq_as_doca_task(struct doca_sync_event_task_wait_eq *task);

/**
 * @brief Says what a task compares the counter with, before it is submitted.
 *
 * @param [in] task the task.
 * @param [in] wait_val the value.
 *
 * One thread at a time for a task that the program owns. Source: public reference pages.
 */
DOCA_EXPERIMENTAL
void doca_sync_event_task_wait_eq_set_wait_val(struct doca_sync_event_task_wait_eq *task,
					       uint64_t wait_val);

/**
 * @brief What a task compares the counter with.
 *
 * @param [in] task the task.
 *
 * @return the value.
 *
 * One thread at a time for a task that the program owns. Source: public reference pages.
 */
DOCA_EXPERIMENTAL
uint64_t doca_sync_event_task_wait_eq_get_wait_val(const struct doca_sync_event_task_wait_eq *task);

/**
 * @brief Says which bits of the counter a task compares, before it is submitted.
 *
 * @param [in] task the task.
 * @param [in] mask the bits; UINT64_MAX: all.
 *
 * One thread at a time for a task that the program owns. Source: public reference pages.
 */
DOCA_EXPERIMENTAL
void doca_sync_event_task_wait_eq_set_mask(struct doca_sync_event_task_wait_eq *task,
					   uint64_t mask);

/**
 * @brief Which bits of the counter a task compares.
 *
 * @param [in] task the task.
 *
 * @return the bits.
 *
 * One thread at a time for a task that the program owns. Source: public reference pages.
 */
DOCA_EXPERIMENTAL
uint64_t doca_sync_event_task_wait_eq_get_mask(const struct doca_sync_event_task_wait_eq *task);

/**
 * @brief Whether a device supports the task. All do.
 *
 * @param [in] devinfo the device.
 *
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: devinfo is NULL
 * - DOCA_ERROR_NOT_SUPPORTED: on a card only, never here
 *
 * Any thread. Source: public Sync Event pages, samples sync_event_*.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_sync_event_cap_task_wait_neq_is_supported(const struct doca_devinfo *devinfo);

/**
 * @brief Enables the task that waits until (counter & mask) != value.
 *
 * @param [in] event the event, not started.
 * @param [in] completion_cb called for tasks that succeed.
 * @param [in] error_cb called for tasks that fail.
 * @param [in] num_tasks how many can be allocated at a time, at least 1.
 *
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: a pointer is NULL, or the number is out of range
 * - DOCA_ERROR_BAD_STATE: the event is started
 *
 * Only the thread that drives the context's progress engine. Source: public Sync Event pages,
 * samples sync_event_*.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_sync_event_task_wait_neq_set_conf(
	struct doca_sync_event *event, doca_sync_event_task_wait_neq_completion_cb_t completion_cb,
	doca_sync_event_task_wait_neq_completion_cb_t error_cb, uint32_t num_tasks);

/**
 * @brief Allocates a task that waits until (counter & mask) != value.
 *
 * It comes back at once when that holds already; a value that is passed through quickly may be
 * missed. Status in the error callback: DOCA_ERROR_IO_FAILED when the context was stopped, or when
 * the other side, which holds the counter, has gone.
 *
 * @param [in] event the event, its context RUNNING.
 * @param [in] value the value to compare with.
 * @param [in] mask which bits of the counter are compared; UINT64_MAX: all.
 * @param [in] user_data the task's user data.
 * @param [out] task the task; give it back with doca_task_free().
 *
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: a pointer is NULL
 * - DOCA_ERROR_BAD_STATE: the context is not RUNNING, or the task is not enabled
 * - DOCA_ERROR_NO_MEMORY: all num_tasks tasks are in use
 *
 * Only the thread that drives the context's progress engine. Source: public Sync Event pages,
 * samples sync_event_*.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_sync_event_task_wait_neq_alloc_init(struct doca_sync_event *event, uint64_t value,
						      uint64_t mask, union doca_data user_data,
						      struct doca_sync_event_task_wait_neq **task);

/**
 * @brief The task as a struct doca_task, for doca_task_submit() and the other doca_task_*()
 * functions.
 *
 * @param [in] task the task.
 *
 * @return the same object.
 *
 * Any thread. Source: spec core 5.
 */
DOCA_EXPERIMENTAL
struct doca_task *
doca_sync_event_task_wait_neq_as_doca_task(struct doca_sync_event_task_wait_neq *task);

/**
 * @brief Says what a task compares the counter with, before it is submitted.
 *
 * @param [in] task the task.
 * @param [in] wait_val the value.
 *
 * One thread at a time for a task that the program owns. Source: public reference pages.
 */
DOCA_EXPERIMENTAL
void doca_sync_event_task_wait_neq_set_wait_val(struct doca_sync_event_task_wait_neq *task,
						uint64_t wait_val);

/**
 * @brief What a task compares the counter with.
 *
 * @param [in] task the task.
 *
 * @return the value.
 *
 * One thread at a time for a task that the program owns. Source: public reference pages.
 */
DOCA_EXPERIMENTAL
uint64_t
doca_sync_event_task_wait_neq_get_wait_val(const struct doca_sync_event_task_wait_neq *task);

/**
 * @brief Says which bits of the counter a task compares, before it is submitted.
 *
 * @param [in] task the task.
 * @param [in] mask the bits; UINT64_MAX: all.
 *
 * One thread at a time for a task that the program owns. Source: public reference pages.
 */
DOCA_EXPERIMENTAL
void doca_sync_event_task_wait_neq_set_mask(struct doca_sync_event_task_wait_neq *task,
					    uint64_t mask);

/**
 * @brief Which bits of the counter a task compares.
 *
 * @param [in] task the task.
 *
 * @return the bits.
 *
 * One thread at a time for a task that the program owns. Source: public reference pages.
 */
DOCA_EXPERIMENTAL
uint64_t doca_sync_event_task_wait_neq_get_mask(const struct doca_sync_event_task_wait_neq *task);

/*
 * Sharing
 */

/**
 * @brief Whether events can be shared with the other side of a device: always.
 *
 * @param [in] devinfo the device.
 *
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: devinfo is NULL
 * - DOCA_ERROR_NOT_SUPPORTED: on a card only, never here
 *
 * Any thread. Source: public Sync Event pages, samples sync_event_*.
 */
DOCA_EXPERIMENTAL
doca_error_t
doca_sync_event_cap_is_export_to_remote_pci_supported(const struct doca_devinfo *devinfo);

/**
 * @brief Whether a device can use events of its other side: always.
 *
 * @param [in] devinfo the device.
 *
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: devinfo is NULL
 * - DOCA_ERROR_NOT_SUPPORTED: on a card only, never here
 *
 * Any thread. Source: public Sync Event pages, samples sync_event_*.
 */
DOCA_EXPERIMENTAL
doca_error_t
doca_sync_event_cap_is_create_from_export_supported(const struct doca_devinfo *devinfo);

/**
 * @brief Whether DPA code on a device can use events. On all it can.
 *
 * @param [in] devinfo the device.
 *
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: devinfo is NULL
 * - DOCA_ERROR_NOT_SUPPORTED: on a card only, never here
 *
 * Any thread. Source: public Sync Event pages, samples sync_event_*.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_sync_event_cap_is_export_to_dpa_supported(const struct doca_devinfo *devinfo);

/**
 * @brief Whether DPA code on a device can use events of machines on the network.
 *
 * @param [in] devinfo the device.
 *
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: devinfo is NULL
 * - DOCA_ERROR_NOT_SUPPORTED: always, there is no RDMA here
 *
 * Any thread. Source: public Sync Event pages, samples sync_event_*.
 */
DOCA_EXPERIMENTAL
doca_error_t
doca_sync_event_cap_remote_net_is_export_to_dpa_supported(const struct doca_devinfo *devinfo);

/**
 * @brief Describes an event to the other side, for doca_sync_event_create_from_export().
 *
 * The description is a string of bytes to be sent by any means. It is valid as long as the event
 * is started and this process lives.
 *
 * @param [in] event the event, started, with a publisher or subscriber on the other side.
 * @param [in] dev the device whose other side may use it.
 * @param [out] data the description; owned by the event.
 * @param [out] sz bytes in it.
 *
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL
 * - DOCA_ERROR_BAD_STATE: the event is not started
 * - DOCA_ERROR_NOT_PERMITTED: it has no publisher or subscriber on the other side, or is itself
 *   imported
 *
 * One thread at a time for an event object; the other side has its own. Source: public Sync Event
 * pages, samples sync_event_*.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_sync_event_export_to_remote_pci(struct doca_sync_event *event,
						  struct doca_dev *dev, const uint8_t **data,
						  size_t *sz);

/**
 * @brief Describes an event to a machine on the network. There is no RDMA here.
 *
 * @param [in] event the event, started.
 * @param [out] data never written.
 * @param [out] sz never written.
 *
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL
 * - DOCA_ERROR_NOT_SUPPORTED: always
 *
 * One thread at a time for an event object; the other side has its own. Source: public Sync Event
 * pages, samples sync_event_*.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_sync_event_export_to_remote_net(struct doca_sync_event *event,
						  const uint8_t **data, size_t *sz);

/**
 * @brief How DPA code names an event.
 *
 * @param [in] event the event, started, with a publisher or subscriber on a DPA.
 * @param [in] dpa the DPA.
 * @param [out] dpa_dev_se_handle the handle; valid until the event is stopped.
 *
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL
 * - DOCA_ERROR_BAD_STATE: the event is not started
 * - DOCA_ERROR_NOT_PERMITTED: it has no publisher or subscriber on a DPA, or comes from
 *   doca_sync_event_create_from_export()
 *
 * One thread at a time for an event object; the other side has its own. Source: spec msgq_dpa 6.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_sync_event_get_dpa_handle(struct doca_sync_event *event, struct doca_dpa *dpa,
					    doca_dpa_dev_sync_event_t *dpa_dev_se_handle);

/**
 * @brief Makes an event of a machine on the network usable here. There is no RDMA here.
 *
 * @param [in] dev the device.
 * @param [in] data the description of doca_sync_event_export_to_remote_net().
 * @param [in] sz bytes in it.
 * @param [out] event never written.
 *
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: a pointer is NULL
 * - DOCA_ERROR_NOT_SUPPORTED: always
 *
 * Any thread. Source: public Sync Event pages, samples sync_event_*.
 */
DOCA_EXPERIMENTAL
doca_error_t
doca_sync_event_remote_net_create_from_export(struct doca_dev *dev, const uint8_t *data, size_t sz,
					      struct doca_sync_event_remote_net **event);

/**
 * @brief Destroys an event of doca_sync_event_remote_net_create_from_export().
 *
 * @param [in] event the event.
 *
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: always, there are none here
 *
 * One thread at a time for an event object; the other side has its own. Source: public Sync Event
 * pages, samples sync_event_*.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_sync_event_remote_net_destroy(struct doca_sync_event_remote_net *event);

/**
 * @brief How DPA code names an event of a machine on the network.
 *
 * @param [in] event the event.
 * @param [in] dpa the DPA.
 * @param [out] dpa_remote_event never written.
 *
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL
 * - DOCA_ERROR_NOT_SUPPORTED: always, there is no RDMA here
 *
 * One thread at a time for an event object; the other side has its own. Source: spec msgq_dpa 6.
 */
DOCA_EXPERIMENTAL
doca_error_t
doca_sync_event_remote_net_get_dpa_handle(struct doca_sync_event_remote_net *event,
					  struct doca_dpa *dpa,
					  doca_dpa_dev_sync_event_remote_net_t *dpa_remote_event);

/**
 * @brief How GPU code names an event of a machine on the network.
 *
 * @param [in] event the event.
 * @param [in] gpu the GPU.
 * @param [out] gpu_remote_event never written.
 *
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL
 * - DOCA_ERROR_NOT_SUPPORTED: always, there is no RDMA here
 *
 * One thread at a time for an event object; the other side has its own. Source: public Sync Event
 * pages, samples sync_event_*.
 */
DOCA_EXPERIMENTAL
doca_error_t
doca_sync_event_remote_net_get_gpu_handle(struct doca_sync_event_remote_net *event,
					  struct doca_gpu *gpu,
					  doca_gpu_dev_sync_event_remote_net_t *gpu_remote_event);

/**
 * @brief How GPU code names an event.
 *
 * @param [in] event the event.
 * @param [in] gpu the GPU.
 * @param [out] gpu_dev_se never written.
 *
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL
 * - DOCA_ERROR_NOT_SUPPORTED: always, there is no GPU here
 *
 * One thread at a time for an event object; the other side has its own. Source: public reference
 * pages.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_sync_event_get_gpu_handle(struct doca_sync_event *event, struct doca_gpu *gpu,
					    doca_gpu_dev_sync_event_t **gpu_dev_se);

/**
 * @brief Whether GPU code can use the events of a device. None.
 *
 * @param [in] devinfo the device.
 *
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: devinfo is NULL
 * - DOCA_ERROR_NOT_SUPPORTED: always, there is no GPU here
 *
 * Any thread. Source: public reference pages.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_sync_event_cap_is_export_to_gpu_supported(const struct doca_devinfo *devinfo);

/**
 * @brief Whether machines on the network can use the events of a device. None.
 *
 * @param [in] devinfo the device.
 *
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: devinfo is NULL
 * - DOCA_ERROR_NOT_SUPPORTED: always, there is no RDMA here
 *
 * Any thread. Source: public reference pages.
 */
DOCA_EXPERIMENTAL
doca_error_t
doca_sync_event_cap_is_export_to_remote_net_supported(const struct doca_devinfo *devinfo);

/**
 * @brief Whether a device can use events of machines on the network. None.
 *
 * @param [in] devinfo the device.
 *
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: devinfo is NULL
 * - DOCA_ERROR_NOT_SUPPORTED: always, there is no RDMA here
 *
 * Any thread. Source: public reference pages.
 */
DOCA_EXPERIMENTAL
doca_error_t
doca_sync_event_cap_remote_net_is_create_from_export_supported(const struct doca_devinfo *devinfo);

/**
 * @brief Whether GPU code can use events of machines on the network. None.
 *
 * @param [in] devinfo the device.
 *
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: devinfo is NULL
 * - DOCA_ERROR_NOT_SUPPORTED: always, there is no RDMA here
 *
 * Any thread. Source: public reference pages.
 */
DOCA_EXPERIMENTAL
doca_error_t
doca_sync_event_cap_remote_net_is_export_to_gpu_supported(const struct doca_devinfo *devinfo);

/* Names of releases up to 2.6, where the other side of PCIe was always the DPU. */
#define doca_sync_event_add_publisher_location_dpu doca_sync_event_add_publisher_location_remote_pci
#define doca_sync_event_add_subscriber_location_dpu                                                \
	doca_sync_event_add_subscriber_location_remote_pci
#define doca_sync_event_export_to_dpu doca_sync_event_export_to_remote_pci
#define doca_sync_event_cap_is_export_to_dpu_supported                                             \
	doca_sync_event_cap_is_export_to_remote_pci_supported
#define doca_sync_event_export_to_dpa		 doca_sync_event_get_dpa_handle
#define doca_sync_event_remote_net_export_to_dpa doca_sync_event_remote_net_get_dpa_handle

#ifdef __cplusplus
} /* extern "C" */
#endif

#include <softfield_sync_event_2_2.h>

#endif /* DOCA_SYNC_EVENT_H_ */
