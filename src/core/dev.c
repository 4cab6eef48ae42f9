/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Open devices and representors. A process has one object for each, however often it is opened; it
 * lives until every open has had its close and no other object uses it.
 */
#define LOG_MODULE "core"
#include "core/dev.h"

#include <assert.h>
#include <pthread.h>
#include <stdlib.h>

#include "base/list.h"
#include "base/log.h"
#include "core/devinfo.h"

/* What a device and a representor have in common. */
struct handle {
	struct list_node node;
	const void *subject; /* of the topology; NULL: not open */
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

/* Protects the lists and every handle. Nothing but the log is called while it is held. */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
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

static void handle_init(struct handle *handle, struct list_node *open, const void *subject)
{
	handle->subject = subject;
	handle->opens = 1;
	list_add_tail(open, &handle->node);
}

/* Sets *ret_last when the object is to be freed. IN_USE: nothing has happened. */
static doca_error_t handle_close(struct handle *handle, bool *ret_last)
{
	assert(handle->opens);
	if (handle->opens == 1 && handle->uses)
		return DOCA_ERROR_IN_USE;
	*ret_last = --handle->opens == 0;
	if (*ret_last)
		list_remove(&handle->node);
	return DOCA_SUCCESS;
}

static void handle_use(struct handle *handle)
{
	pthread_mutex_lock(&lock);
	assert(handle->opens);
	handle->uses++;
	pthread_mutex_unlock(&lock);
}

static void handle_release(struct handle *handle)
{
	pthread_mutex_lock(&lock);
	assert(handle->uses);
	handle->uses--;
	pthread_mutex_unlock(&lock);
}

static doca_error_t open_dev_locked(const struct topo_function *function, struct doca_dev **ret_dev)
{
	struct handle *handle = find_handle(&open_devs, function);
	struct doca_dev *dev;

	if (handle) {
		handle->opens++;
		*ret_dev = container_of(handle, struct doca_dev, handle);
		return DOCA_SUCCESS;
	}
	dev = calloc(1, sizeof(*dev));
	if (!dev)
		return DOCA_ERROR_NO_MEMORY;
	dev->devinfo.function = function;
	handle_init(&dev->handle, &open_devs, function);
	*ret_dev = dev;
	return DOCA_SUCCESS;
}

static doca_error_t open_rep_locked(const struct topo_rep *rep, struct doca_dev_rep **ret_dev_rep)
{
	struct handle *handle = find_handle(&open_reps, rep);
	struct doca_dev_rep *dev_rep;

	if (!find_handle(&open_devs, rep->dpu))
		return DOCA_ERROR_INVALID_VALUE; /* closed since the list was made */
	if (handle) {
		handle->opens++;
		*ret_dev_rep = container_of(handle, struct doca_dev_rep, handle);
		return DOCA_SUCCESS;
	}
	dev_rep = calloc(1, sizeof(*dev_rep));
	if (!dev_rep)
		return DOCA_ERROR_NO_MEMORY;
	dev_rep->devinfo.rep = rep;
	handle_init(&dev_rep->handle, &open_reps, rep);
	*ret_dev_rep = dev_rep;
	return DOCA_SUCCESS;
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

const struct topo_function *priv_devinfo_function(const struct doca_devinfo *devinfo)
{
	return devinfo->function;
}

const struct topo_rep *priv_dev_rep_topo(const struct doca_dev_rep *rep)
{
	return rep->devinfo.rep;
}

doca_error_t doca_dev_open(struct doca_devinfo *devinfo, struct doca_dev **dev)
{
	doca_error_t err;

	if (!devinfo || !dev)
		return DOCA_ERROR_INVALID_VALUE;
	pthread_mutex_lock(&lock);
	err = open_dev_locked(devinfo->function, dev);
	pthread_mutex_unlock(&lock);
	return err;
}

doca_error_t doca_dev_close(struct doca_dev *dev)
{
	bool last = false;
	doca_error_t err;

	if (!dev)
		return DOCA_SUCCESS;
	pthread_mutex_lock(&lock);
	err = handle_close(&dev->handle, &last);
	if (err)
		LOG_ERR("device %s cannot be closed: %u objects use it",
			dev->devinfo.function->pci_addr, dev->handle.uses);
	pthread_mutex_unlock(&lock);
	if (last)
		free(dev);
	return err;
}

doca_error_t doca_dev_accelerate_resource_reclaim(struct doca_dev *dev)
{
	return dev ? DOCA_ERROR_NOT_SUPPORTED : DOCA_ERROR_INVALID_VALUE;
}

doca_error_t doca_dev_rep_open(struct doca_devinfo_rep *devinfo, struct doca_dev_rep **dev_rep)
{
	doca_error_t err;

	if (!devinfo || !dev_rep)
		return DOCA_ERROR_INVALID_VALUE;
	pthread_mutex_lock(&lock);
	err = open_rep_locked(devinfo->rep, dev_rep);
	pthread_mutex_unlock(&lock);
	return err;
}

doca_error_t doca_dev_rep_close(struct doca_dev_rep *dev)
{
	bool last = false;
	doca_error_t err;

	if (!dev)
		return DOCA_ERROR_INVALID_VALUE;
	pthread_mutex_lock(&lock);
	err = handle_close(&dev->handle, &last);
	if (err)
		LOG_ERR("representor %s cannot be closed: %u objects use it",
			dev->devinfo.rep->pci_addr, dev->handle.uses);
	pthread_mutex_unlock(&lock);
	if (last)
		free(dev);
	return err;
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
