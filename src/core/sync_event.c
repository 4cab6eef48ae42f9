/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Sync events: a counter in an event cell, who may use it from where, and its two lives, alone
 * (doca_sync_event_start) or as a context.
 */
#define LOG_MODULE "core"
#include "core/sync_event.h"

#include <stdlib.h>
#include "base/log.h"
#include "core/dev.h"
#include "core/pe.h"
#include "core/sync_event_dpa.h"

/* How long a wait that was not asked to yield polls before it sleeps. */
#define WAIT_SPIN_NS 50000

/*
 * Start and stop
 */

/* Does it have somebody to change it and somebody to wait for it? An import has the exporter's. */
static bool is_complete(const struct doca_sync_event *event)
{
	if (event->import_dev || (event->publishers.locations && event->subscribers.locations))
		return true;
	LOG_ERR("sync event cannot start: it has no %s",
		event->publishers.locations ? "subscriber" : "publisher");
	return false;
}

static bool is_shared(const struct doca_sync_event *event)
{
	return (event->publishers.locations | event->subscribers.locations) & EVENT_ON_REMOTE_PCI;
}

static bool is_on_dpa(const struct doca_sync_event *event)
{
	return (event->publishers.locations | event->subscribers.locations) & EVENT_ON_DPA;
}

/* The other side of PCI maps a counter of ours, not memory of the program's. */
static bool is_out_of_reach(const struct doca_sync_event *event)
{
	if (!event->addr || !is_shared(event))
		return false;
	LOG_ERR("sync event cannot start: its counter is at an address of the program's, which the "
		"other side of PCI does not reach");
	return true;
}

/* Started, or a context that still waits for its tasks: nothing can be configured. */
static bool is_busy(const struct doca_sync_event *event)
{
	if (!event->started && event->ctx.state == DOCA_CTX_STATE_IDLE)
		return false;
	LOG_ERR("sync event cannot be changed or started: it is %s",
		event->started ? "started" : "stopping");
	return true;
}

static doca_error_t check_started(const struct doca_sync_event *event)
{
	if (event->started)
		return DOCA_SUCCESS;
	LOG_ERR("sync event cannot be used: it is not started");
	return DOCA_ERROR_BAD_STATE;
}

/* FULL: no descriptor is left. NO_MEMORY, also: no handle is */
static doca_error_t start(struct doca_sync_event *event)
{
	doca_error_t err;

	if (is_on_dpa(event)) {
		err = event_dpa_prepare(event);
		if (err)
			return err;
	}
	if (!event->import_dev) {
		err = event_cell_create(is_shared(event), &event->cell);
		if (err)
			return err;
		if (event->addr)
			event_cell_place(&event->cell, event->addr);
	}
	event->started = true;
	if (is_on_dpa(event))
		event_dpa_begin(event);
	return DOCA_SUCCESS;
}

static void stop(struct doca_sync_event *event)
{
	if (is_on_dpa(event))
		event_dpa_end(event);
	if (!event->import_dev)
		event_cell_close(&event->cell);
	event->started = false;
}

/* An import whose exporter has gone can never be of use. */
static bool is_lost(struct doca_sync_event *event)
{
	return event->import_dev && event_cell_is_lost(&event->cell);
}

static doca_error_t event_ctx_check(struct doca_ctx *ctx)
{
	struct doca_sync_event *event = container_of(ctx, struct doca_sync_event, ctx);

	if (is_busy(event))
		return DOCA_ERROR_BAD_STATE;
	if (!is_complete(event))
		return DOCA_ERROR_INVALID_VALUE;
	if (is_out_of_reach(event))
		return DOCA_ERROR_NOT_SUPPORTED;
	return is_lost(event) ? DOCA_ERROR_DRIVER : DOCA_SUCCESS;
}

static doca_error_t event_ctx_start(struct doca_ctx *ctx)
{
	struct doca_sync_event *event = container_of(ctx, struct doca_sync_event, ctx);
	doca_error_t err;

	err = start(event);
	if (err)
		return err;
	err = event_tasks_start(event);
	if (err)
		stop(event);
	return err;
}

static doca_error_t event_ctx_stop(struct doca_ctx *ctx)
{
	struct doca_sync_event *event = container_of(ctx, struct doca_sync_event, ctx);

	event_tasks_stop(event);
	stop(event);
	return DOCA_SUCCESS;
}

static void event_ctx_disown(struct doca_ctx *ctx)
{
	struct doca_sync_event *event = container_of(ctx, struct doca_sync_event, ctx);

	event_tasks_disown(event);
	if (event->started) /* a stop that waits for its tasks has done it */
		stop(event);
}

static const struct ctx_ops event_ctx_ops = {
	.name = "sync event",
	.jobs = &event_job_ops,
	.check = event_ctx_check,
	.start = event_ctx_start,
	.stop = event_ctx_stop,
	.disown = event_ctx_disown,
};

doca_error_t doca_sync_event_start(struct doca_sync_event *event)
{
	doca_error_t err;

	if (!event)
		return DOCA_ERROR_INVALID_VALUE;
	if (is_busy(event) || !is_complete(event))
		return DOCA_ERROR_BAD_STATE;
	if (is_out_of_reach(event))
		return DOCA_ERROR_NOT_SUPPORTED;
	if (is_lost(event))
		return DOCA_ERROR_DRIVER;
	err = start(event);
	return err == DOCA_ERROR_FULL ? DOCA_ERROR_NO_MEMORY : err;
}

doca_error_t doca_sync_event_stop(struct doca_sync_event *event)
{
	if (!event)
		return DOCA_ERROR_INVALID_VALUE;
	if (!event->started || event->ctx.state != DOCA_CTX_STATE_IDLE) {
		LOG_ERR("sync event cannot be stopped: %s",
			event->started ? "it was started as a context, see doca_ctx_stop()"
				       : "it is not started");
		return DOCA_ERROR_BAD_STATE;
	}
	stop(event);
	return DOCA_SUCCESS;
}

struct doca_ctx *doca_sync_event_as_ctx(struct doca_sync_event *event)
{
	return event ? &event->ctx : NULL;
}

/*
 * Life
 */

doca_error_t doca_sync_event_create(struct doca_sync_event **event)
{
	struct doca_sync_event *new_event;

	if (!event)
		return DOCA_ERROR_INVALID_VALUE;
	new_event = calloc(1, sizeof(*new_event));
	if (!new_event)
		return DOCA_ERROR_NO_MEMORY;
	priv_ctx_init(&new_event->ctx, &event_ctx_ops, NULL);
	*event = new_event;
	return DOCA_SUCCESS;
}

doca_error_t doca_sync_event_create_from_export(struct doca_dev *dev, const uint8_t *data,
						size_t sz, struct doca_sync_event **event)
{
	struct doca_sync_event *new_event;
	struct anchor_ref ref;
	doca_error_t err;

	if (!dev || !data || !sz || !event)
		return DOCA_ERROR_INVALID_VALUE;
	err = event_blob_decode(data, sz, &ref);
	if (err) {
		LOG_ERR("%zu bytes that are not an exported sync event of this version", sz);
		return err;
	}
	err = doca_sync_event_create(&new_event);
	if (err)
		return err;
	err = event_cell_open(&ref, &new_event->cell);
	if (err) {
		free(new_event);
		return anchor_import_error(err);
	}
	priv_dev_use(dev);
	new_event->import_dev = dev;
	*event = new_event;
	return DOCA_SUCCESS;
}

static void release(struct pe_garbage *garbage)
{
	struct doca_sync_event *event = container_of(garbage, struct doca_sync_event, garbage);

	event_tasks_fini(event);
	free(event);
}

static void release_dev(struct doca_dev *dev)
{
	if (dev)
		priv_dev_release(dev);
}

doca_error_t doca_sync_event_destroy(struct doca_sync_event *event)
{
	struct doca_pe *pe;
	doca_error_t err;

	if (!event)
		return DOCA_ERROR_INVALID_VALUE;
	err = priv_ctx_check_destroy(&event->ctx);
	if (err)
		return err;
	if (event->started) /* not as a context: as programs with a DPA leave it */
		stop(event);
	event_dpa_forget(event);
	if (event->import_dev)
		event_cell_close(&event->cell);
	release_dev(event->publishers.dev);
	release_dev(event->subscribers.dev);
	release_dev(event->import_dev);
	pe = event->ctx.pe;
	priv_ctx_fini(&event->ctx);
	priv_pe_discard(pe, &event->garbage, release);
	return DOCA_SUCCESS;
}

/*
 * Locations
 */

static doca_error_t add_end(struct doca_sync_event *event, struct event_end *end,
			    unsigned int location, struct doca_dev *dev)
{
	if (is_busy(event))
		return DOCA_ERROR_BAD_STATE;
	if (event->import_dev)
		return DOCA_ERROR_NOT_PERMITTED;
	if (end->locations & location)
		return DOCA_ERROR_ALREADY_EXIST;
	end->locations |= location;
	if (dev) {
		end->dev = dev;
		priv_dev_use(dev);
	}
	return DOCA_SUCCESS;
}

/* An end on something that does not exist here. */
static doca_error_t refuse_end(const struct doca_sync_event *event, const void *where,
			       const char *what)
{
	if (!event || !where)
		return DOCA_ERROR_INVALID_VALUE;
	if (is_busy(event))
		return DOCA_ERROR_BAD_STATE;
	if (event->import_dev)
		return DOCA_ERROR_NOT_PERMITTED;
	LOG_ERR("a sync event cannot be on %s; there are the CPU, the DPA and the other side of "
		"PCI",
		what);
	return DOCA_ERROR_NOT_SUPPORTED;
}

doca_error_t doca_sync_event_add_publisher_location_cpu(struct doca_sync_event *event,
							struct doca_dev *dev)
{
	if (!event || !dev)
		return DOCA_ERROR_INVALID_VALUE;
	return add_end(event, &event->publishers, EVENT_ON_CPU, dev);
}

doca_error_t doca_sync_event_add_publisher_location_remote_pci(struct doca_sync_event *event)
{
	if (!event)
		return DOCA_ERROR_INVALID_VALUE;
	return add_end(event, &event->publishers, EVENT_ON_REMOTE_PCI, NULL);
}

doca_error_t doca_sync_event_add_publisher_location_dpa(struct doca_sync_event *event,
							struct doca_dpa *dpa)
{
	if (!event || !dpa)
		return DOCA_ERROR_INVALID_VALUE;
	return add_end(event, &event->publishers, EVENT_ON_DPA, NULL);
}

doca_error_t doca_sync_event_add_publisher_location_gpu(struct doca_sync_event *event,
							struct doca_gpu *gpu)
{
	return refuse_end(event, gpu, "a GPU");
}

doca_error_t doca_sync_event_add_publisher_location_remote_net(struct doca_sync_event *event)
{
	return refuse_end(event, event, "another machine");
}

doca_error_t doca_sync_event_add_subscriber_location_cpu(struct doca_sync_event *event,
							 struct doca_dev *dev)
{
	if (!event || !dev)
		return DOCA_ERROR_INVALID_VALUE;
	return add_end(event, &event->subscribers, EVENT_ON_CPU, dev);
}

doca_error_t doca_sync_event_add_subscriber_location_remote_pci(struct doca_sync_event *event)
{
	if (!event)
		return DOCA_ERROR_INVALID_VALUE;
	return add_end(event, &event->subscribers, EVENT_ON_REMOTE_PCI, NULL);
}

doca_error_t doca_sync_event_add_subscriber_location_dpa(struct doca_sync_event *event,
							 struct doca_dpa *dpa)
{
	if (!event || !dpa)
		return DOCA_ERROR_INVALID_VALUE;
	return add_end(event, &event->subscribers, EVENT_ON_DPA, NULL);
}

doca_error_t doca_sync_event_add_subscriber_location_gpu(struct doca_sync_event *event,
							 struct doca_gpu *gpu)
{
	return refuse_end(event, gpu, "a GPU");
}

/*
 * Where the counter is
 */

doca_error_t doca_sync_event_set_addr(struct doca_sync_event *event, uint64_t *addr)
{
	if (!event || !addr || (uintptr_t)addr % sizeof(*addr))
		return DOCA_ERROR_INVALID_VALUE;
	if (is_busy(event))
		return DOCA_ERROR_BAD_STATE;
	if (event->import_dev)
		return DOCA_ERROR_NOT_PERMITTED;
	event->addr = addr;
	return DOCA_SUCCESS;
}

doca_error_t doca_sync_event_set_doca_buf(struct doca_sync_event *event, struct doca_buf *buf)
{
	if (!event || !buf)
		return DOCA_ERROR_INVALID_VALUE;
	if (is_busy(event))
		return DOCA_ERROR_BAD_STATE;
	if (event->import_dev)
		return DOCA_ERROR_NOT_PERMITTED;
	return DOCA_ERROR_NOT_SUPPORTED;
}

/*
 * Export
 */

doca_error_t doca_sync_event_export_to_remote_pci(struct doca_sync_event *event,
						  struct doca_dev *dev, const uint8_t **data,
						  size_t *sz)
{
	if (!event || !dev || !data || !sz)
		return DOCA_ERROR_INVALID_VALUE;
	if (check_started(event))
		return DOCA_ERROR_BAD_STATE;
	if (event->import_dev || !is_shared(event)) {
		LOG_ERR("sync event cannot be exported: %s",
			event->import_dev ? "it is an import itself"
					  : "neither end is on the other side of PCI");
		return DOCA_ERROR_NOT_PERMITTED;
	}
	event_blob_encode(&event->cell.anchor.ref, event->blob);
	*data = event->blob;
	*sz = EVENT_BLOB_SIZE;
	return DOCA_SUCCESS;
}

doca_error_t doca_sync_event_export_to_remote_net(struct doca_sync_event *event,
						  const uint8_t **data, size_t *sz)
{
	return event && data && sz ? DOCA_ERROR_NOT_SUPPORTED : DOCA_ERROR_INVALID_VALUE;
}

doca_error_t
doca_sync_event_remote_net_create_from_export(struct doca_dev *dev, const uint8_t *data, size_t sz,
					      struct doca_sync_event_remote_net **event)
{
	return dev && data && sz && event ? DOCA_ERROR_NOT_SUPPORTED : DOCA_ERROR_INVALID_VALUE;
}

/* There are no such events. */

doca_error_t doca_sync_event_remote_net_destroy(struct doca_sync_event_remote_net *event)
{
	(void)event;
	return DOCA_ERROR_INVALID_VALUE;
}

doca_error_t
doca_sync_event_remote_net_get_dpa_handle(struct doca_sync_event_remote_net *event,
					  struct doca_dpa *dpa,
					  doca_dpa_dev_sync_event_remote_net_t *dpa_remote_event)
{
	return event && dpa && dpa_remote_event ? DOCA_ERROR_NOT_SUPPORTED
						: DOCA_ERROR_INVALID_VALUE;
}

doca_error_t
doca_sync_event_remote_net_get_gpu_handle(struct doca_sync_event_remote_net *event,
					  struct doca_gpu *gpu,
					  doca_gpu_dev_sync_event_remote_net_t *gpu_remote_event)
{
	return event && gpu && gpu_remote_event ? DOCA_ERROR_NOT_SUPPORTED
						: DOCA_ERROR_INVALID_VALUE;
}

doca_error_t doca_sync_event_get_dpa_handle(struct doca_sync_event *event, struct doca_dpa *dpa,
					    doca_dpa_dev_sync_event_t *dpa_dev_se_handle)
{
	if (!event || !dpa || !dpa_dev_se_handle)
		return DOCA_ERROR_INVALID_VALUE;
	if (check_started(event))
		return DOCA_ERROR_BAD_STATE;
	if (!is_on_dpa(event)) {
		LOG_ERR("sync event has no handle for DPA code: %s",
			event->import_dev ? "it is an import"
					  : "neither a publisher nor a subscriber is on a DPA");
		return DOCA_ERROR_NOT_PERMITTED;
	}
	*dpa_dev_se_handle = dpa_handle_of(event->dpa_place);
	return DOCA_SUCCESS;
}

doca_error_t doca_sync_event_get_gpu_handle(struct doca_sync_event *event, struct doca_gpu *gpu,
					    doca_gpu_dev_sync_event_t **gpu_dev_se)
{
	return event && gpu && gpu_dev_se ? DOCA_ERROR_NOT_SUPPORTED : DOCA_ERROR_INVALID_VALUE;
}

/*
 * The counter
 */

static doca_error_t check_usable(struct doca_sync_event *event)
{
	if (!event)
		return DOCA_ERROR_INVALID_VALUE;
	if (check_started(event))
		return DOCA_ERROR_BAD_STATE;
	return event_cell_is_lost(&event->cell) ? DOCA_ERROR_IO_FAILED : DOCA_SUCCESS;
}

doca_error_t doca_sync_event_get(struct doca_sync_event *event, uint64_t *value)
{
	doca_error_t err;

	if (!value)
		return DOCA_ERROR_INVALID_VALUE;
	err = check_usable(event);
	if (err)
		return err;
	priv_pe_put_off_no_more(); /* the program may loop until it has changed */
	*value = event_cell_get(&event->cell);
	return DOCA_SUCCESS;
}

doca_error_t doca_sync_event_update_add(struct doca_sync_event *event, uint64_t value,
					uint64_t *fetched)
{
	uint64_t before;
	doca_error_t err;

	err = check_usable(event);
	if (err)
		return err;
	before = event_cell_add(&event->cell, value);
	if (fetched)
		*fetched = before;
	return DOCA_SUCCESS;
}

doca_error_t doca_sync_event_update_set(struct doca_sync_event *event, uint64_t value)
{
	doca_error_t err;

	err = check_usable(event);
	if (err)
		return err;
	event_cell_set(&event->cell, value);
	return DOCA_SUCCESS;
}

static doca_error_t wait(struct doca_sync_event *event, struct event_condition condition,
			 uint64_t spin_ns)
{
	if (!event)
		return DOCA_ERROR_INVALID_VALUE;
	if (check_started(event))
		return DOCA_ERROR_BAD_STATE;
	priv_pe_put_off_no_more();
	return event_cell_wait(&event->cell, &condition, spin_ns, NULL);
}

doca_error_t doca_sync_event_wait_gt(struct doca_sync_event *event, uint64_t value, uint64_t mask)
{
	return wait(event, (struct event_condition){EVENT_GT, value, mask}, WAIT_SPIN_NS);
}

doca_error_t doca_sync_event_wait_gt_yield(struct doca_sync_event *event, uint64_t value,
					   uint64_t mask)
{
	return wait(event, (struct event_condition){EVENT_GT, value, mask}, 0);
}

doca_error_t doca_sync_event_wait_eq(struct doca_sync_event *event, uint64_t value, uint64_t mask)
{
	return wait(event, (struct event_condition){EVENT_EQ, value, mask}, WAIT_SPIN_NS);
}

doca_error_t doca_sync_event_wait_eq_yield(struct doca_sync_event *event, uint64_t value,
					   uint64_t mask)
{
	return wait(event, (struct event_condition){EVENT_EQ, value, mask}, 0);
}

doca_error_t doca_sync_event_wait_neq(struct doca_sync_event *event, uint64_t value, uint64_t mask)
{
	return wait(event, (struct event_condition){EVENT_NEQ, value, mask}, WAIT_SPIN_NS);
}

doca_error_t doca_sync_event_wait_neq_yield(struct doca_sync_event *event, uint64_t value,
					    uint64_t mask)
{
	return wait(event, (struct event_condition){EVENT_NEQ, value, mask}, 0);
}
