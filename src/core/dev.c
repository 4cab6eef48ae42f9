/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Open devices and representors. A process has one object for each, however often it is opened; it
 * lives until every open has had its close and no other object uses it.
 */
#define LOG_MODULE "core"
#include "core/dev.h"

#include <assert.h>
#include <stdlib.h>

#include "base/fork.h"
#include "base/list.h"
#include "base/log.h"
#include "core/devinfo.h"

/* What a device and a representor have in common. */
struct handle {
	struct list_node node;
	const void *subject; /* of the topology */
	unsigned int opens;
	unsigned int uses; /* by other objects */
};

struct doca_dev {
	struct handle handle;
	struct doca_devinfo devinfo;
};

struct doca_dev_rep {
	struct handle handle;
	struct doca_devinfo_rep devinfo;
};

/* All handles; a fork waits until these lists and each handle are whole (base/fork.h). */
static struct list_node open_devs = {&open_devs, &open_devs};
static struct list_node open_reps = {&open_reps, &open_reps};

static struct handle *find_handle(struct list_node *open, const void *subject)
{
	struct list_node *node;

	list_for_each (node, open) {
		struct handle *handle = container_of(node, struct handle, node);

		if (handle->subject == subject)
			return handle;
	}
	return NULL;
}

/* the one that is open, else the fresh one */
static struct handle *handle_open(struct list_node *open, struct handle *fresh)
{
	struct handle *handle;

	priv_fork_hold();
	handle = find_handle(open, fresh->subject);
	if (!handle) {
		handle = fresh;
		list_add_tail(open, &handle->node);
	}
	handle->opens++;
	priv_fork_release();
	return handle;
}

/* Sets *ret_last when the object is to be freed. Returns how many use it: then nothing happens. */
static unsigned int handle_close(struct handle *handle, bool *ret_last)
{
	unsigned int users;

	priv_fork_hold();
	assert(handle->opens);
	users = handle->opens == 1 ? handle->uses : 0;
	*ret_last = !users && --handle->opens == 0;
	if (*ret_last)
		list_remove(&handle->node);
	priv_fork_release();
	return users;
}

static void handle_use(struct handle *handle)
{
	priv_fork_hold();
	assert(handle->opens);
	handle->uses++;
	priv_fork_release();
}

static void handle_release(struct handle *handle)
{
	priv_fork_hold();
	assert(handle->uses);
	handle->uses--;
	priv_fork_release();
}

static bool is_open(const struct topo_function *function)
{
	bool found;

	priv_fork_hold();
	found = find_handle(&open_devs, function) != NULL;
	priv_fork_release();
	return found;
}

void priv_dev_use(struct doca_dev *dev)
{
	handle_use(&dev->handle);
}

void priv_dev_release(struct doca_dev *dev)
{
	handle_release(&dev->handle);
}

void priv_dev_rep_use(struct doca_dev_rep *rep)
{
	handle_use(&rep->handle);
}

void priv_dev_rep_release(struct doca_dev_rep *rep)
{
	handle_release(&rep->handle);
}

const struct topo_function *priv_dev_function(const struct doca_dev *dev)
{
	return dev->devinfo.function;
}

const struct topo_rep *priv_dev_rep_topo(const struct doca_dev_rep *rep)
{
	return rep->devinfo.rep;
}

doca_error_t doca_dev_open(struct doca_devinfo *devinfo, struct doca_dev **dev)
{
	struct doca_dev *fresh;

	if (!devinfo || !dev)
		return DOCA_ERROR_INVALID_VALUE;
	fresh = calloc(1, sizeof(*fresh));
	if (!fresh)
		return DOCA_ERROR_NO_MEMORY;
	fresh->devinfo.function = devinfo->function;
	fresh->handle.subject = devinfo->function;
	*dev = container_of(handle_open(&open_devs, &fresh->handle), struct doca_dev, handle);
	if (*dev != fresh)
		free(fresh);
	return DOCA_SUCCESS;
}

doca_error_t doca_dev_close(struct doca_dev *dev)
{
	const struct topo_function *function;
	unsigned int users;
	bool last;

	if (!dev)
		return DOCA_SUCCESS;
	function = dev->devinfo.function;
	users = handle_close(&dev->handle, &last);
	if (users) {
		LOG_ERR("device %s cannot be closed: %u contexts, memory maps, sync events or "
			"endpoints use it",
			function->pci_addr, users);
		return DOCA_ERROR_IN_USE;
	}
	if (last)
		free(dev);
	return DOCA_SUCCESS;
}

doca_error_t doca_dev_accelerate_resource_reclaim(struct doca_dev *dev)
{
	return dev ? DOCA_ERROR_NOT_SUPPORTED : DOCA_ERROR_INVALID_VALUE;
}

doca_error_t doca_dev_rep_open(struct doca_devinfo_rep *devinfo, struct doca_dev_rep **dev_rep)
{
	struct doca_dev_rep *fresh;

	if (!devinfo || !dev_rep)
		return DOCA_ERROR_INVALID_VALUE;
	if (!is_open(devinfo->rep->dpu))
		return DOCA_ERROR_INVALID_VALUE; /* closed since the list was made */
	fresh = calloc(1, sizeof(*fresh));
	if (!fresh)
		return DOCA_ERROR_NO_MEMORY;
	fresh->devinfo.rep = devinfo->rep;
	fresh->handle.subject = devinfo->rep;
	*dev_rep =
		container_of(handle_open(&open_reps, &fresh->handle), struct doca_dev_rep, handle);
	if (*dev_rep != fresh)
		free(fresh);
	return DOCA_SUCCESS;
}

doca_error_t doca_dev_rep_close(struct doca_dev_rep *dev)
{
	const struct topo_rep *rep;
	unsigned int users;
	bool last;

	if (!dev)
		return DOCA_ERROR_INVALID_VALUE;
	rep = dev->devinfo.rep;
	users = handle_close(&dev->handle, &last);
	if (users) {
		LOG_ERR("representor %s cannot be closed: %u servers or endpoints use it",
			rep->pci_addr, users);
		return DOCA_ERROR_IN_USE;
	}
	if (last)
		free(dev);
	return DOCA_SUCCESS;
}

struct doca_devinfo *doca_dev_as_devinfo(const struct doca_dev *dev)
{
	/* The interface takes const and gives non-const; nobody writes to a description. */
	return dev ? (struct doca_devinfo *)(uintptr_t)&dev->devinfo : NULL;
}

struct doca_devinfo_rep *doca_dev_rep_as_devinfo(struct doca_dev_rep *dev_rep)
{
	return dev_rep ? &dev_rep->devinfo : NULL;
}
