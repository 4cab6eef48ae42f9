/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Flags that name a device or a representor:
 *
 *   device       <name>[,<devargs>]             name: pci/<address>, ibdev/<name>, iface/<name>,
 *                                                or one of the three without the kind before it
 *   representor  <device>,<rep>[,<devargs>]     rep: an interface name such as pf0hpf, pf0vf0 or
 *                                                pf0sf0, a PCI address or a VUID
 *                pci/<address>[,<devargs>]      the representor that has this address
 *
 * devargs are not looked at; they contain a '=', which no name of a representor does.
 */
#include <stdlib.h>
#include <string.h>
#include "argp/argp.h"
#include "base/name_list.h"

#define LIST_TEXT_SIZE	 1024
#define DEVICE_TEXT_SIZE 512 /* of one device, or representor, in it */

/* What the text says, in pieces of argp_device.text. */
struct request {
	const char *device;  /* NULL: find it by the representor */
	const char *rep;     /* NULL: only a device is wanted */
	const char *devargs; /* NULL: none */
};

static void cleanup_devices(struct doca_devinfo ***list)
{
	if (*list)
		doca_devinfo_destroy_list(*list);
}

static void cleanup_reps(struct doca_devinfo_rep ***list)
{
	if (*list)
		doca_devinfo_rep_destroy_list(*list);
}

/* the text after kind, "pci/" for example; NULL: the name is of another kind */
static const char *strip(const char *name, const char *kind)
{
	size_t len = strlen(kind);

	if (!strncmp(name, kind, len))
		return name + len;
	return strchr(name, '/') ? NULL : name;
}

static bool device_has_name(const struct doca_devinfo *device, const char *name)
{
	const char *pci = strip(name, "pci/"), *ibdev = strip(name, "ibdev/");
	const char *iface = strip(name, "iface/");
	char ibdev_name[DOCA_DEVINFO_IBDEV_NAME_SIZE], iface_name[DOCA_DEVINFO_IFACE_NAME_SIZE];
	uint8_t equal = 0;

	if (pci && !doca_devinfo_is_equal_pci_addr(device, pci, &equal) && equal)
		return true;
	if (ibdev && !doca_devinfo_get_ibdev_name(device, ibdev_name, sizeof(ibdev_name)) &&
	    !strcmp(ibdev, ibdev_name))
		return true;
	return iface && !doca_devinfo_get_iface_name(device, iface_name, sizeof(iface_name)) &&
	       !strcmp(iface, iface_name);
}

static bool rep_has_name(const struct doca_devinfo_rep *rep, const char *name)
{
	char iface[DOCA_DEVINFO_IFACE_NAME_SIZE], vuid[DOCA_DEVINFO_REP_VUID_SIZE];
	const char *pci = strip(name, "pci/");
	uint8_t equal = 0;

	if (pci && !doca_devinfo_rep_is_equal_pci_addr(rep, pci, &equal) && equal)
		return true;
	if (!doca_devinfo_rep_get_iface_name(rep, iface, sizeof(iface)) && !strcmp(name, iface))
		return true;
	return !doca_devinfo_rep_get_vuid(rep, vuid, sizeof(vuid)) && !strcmp(name, vuid);
}

static doca_error_t refuse_device(const struct doca_argp_param *param, const char *name,
				  struct doca_devinfo **devices, uint32_t count)
{
	char label[ARGP_LABEL_SIZE], text[LIST_TEXT_SIZE] = "";

	for (uint32_t i = 0; i < count; i++) {
		char pci[DOCA_DEVINFO_PCI_ADDR_SIZE] = "", ibdev[DOCA_DEVINFO_IBDEV_NAME_SIZE] = "";
		char iface[DOCA_DEVINFO_IFACE_NAME_SIZE] = "", device[DEVICE_TEXT_SIZE];

		doca_devinfo_get_pci_addr_str(devices[i], pci);
		doca_devinfo_get_ibdev_name(devices[i], ibdev, sizeof(ibdev));
		doca_devinfo_get_iface_name(devices[i], iface, sizeof(iface));
		snprintf(device, sizeof(device), "%s (%s, %s)", pci, ibdev, iface);
		name_list_add(text, sizeof(text), device);
	}
	argp_err("flag %s: no device '%s'; devices: %s", param_label(param, label), name,
		 count ? text : "none");
	return DOCA_ERROR_INVALID_VALUE;
}

static doca_error_t refuse_rep(const struct doca_argp_param *param, const char *name,
			       struct doca_devinfo_rep **reps, uint32_t count)
{
	char label[ARGP_LABEL_SIZE], text[LIST_TEXT_SIZE] = "";

	for (uint32_t i = 0; i < count; i++) {
		char pci[DOCA_DEVINFO_REP_PCI_ADDR_SIZE] = "";
		char iface[DOCA_DEVINFO_IFACE_NAME_SIZE] = "", rep[DEVICE_TEXT_SIZE];

		doca_devinfo_rep_get_pci_addr_str(reps[i], pci);
		doca_devinfo_rep_get_iface_name(reps[i], iface, sizeof(iface));
		snprintf(rep, sizeof(rep), "%s (%s)", iface, pci);
		name_list_add(text, sizeof(text), rep);
	}
	argp_err("flag %s: no representor '%s'; representors: %s", param_label(param, label), name,
		 count ? text : "none");
	return DOCA_ERROR_INVALID_VALUE;
}

static doca_error_t open_device(struct argp *argp, struct doca_devinfo *devinfo,
				struct doca_dev **ret_dev)
{
	if (argp->dev_open_cb)
		return argp->dev_open_cb(devinfo, argp->dev_open_arg, ret_dev);
	return doca_dev_open(devinfo, ret_dev);
}

static doca_error_t list_reps(struct doca_dev *dev, struct doca_devinfo_rep ***ret_reps,
			      uint32_t *ret_count)
{
	return doca_devinfo_rep_create_list(dev, DOCA_DEVINFO_REP_FILTER_ALL, ret_reps, ret_count);
}

static bool device_has_rep(struct doca_devinfo *devinfo, const char *name)
{
	__attribute__((cleanup(cleanup_reps))) struct doca_devinfo_rep **reps = NULL;
	struct doca_dev *dev;
	uint32_t count = 0;
	bool found = false;

	if (doca_dev_open(devinfo, &dev))
		return false;
	if (list_reps(dev, &reps, &count))
		count = 0; /* a device of the host has none */
	for (uint32_t i = 0; i < count && !found; i++)
		found = rep_has_name(reps[i], name);
	doca_dev_close(dev);
	return found;
}

/* INVALID_VALUE: none of this name; logged with those that there are */
static doca_error_t find_device(struct argp *argp, const struct doca_argp_param *param,
				const struct request *request, struct doca_dev **ret_dev)
{
	__attribute__((cleanup(cleanup_devices))) struct doca_devinfo **devices = NULL;
	char label[ARGP_LABEL_SIZE];
	uint32_t count;
	doca_error_t err = doca_devinfo_create_list(&devices, &count);

	if (err) {
		argp_err("flag %s: cannot list the devices: %s", param_label(param, label),
			 doca_error_get_descr(err));
		return err;
	}
	for (uint32_t i = 0; i < count; i++) {
		if (request->device ? !device_has_name(devices[i], request->device)
				    : !device_has_rep(devices[i], request->rep))
			continue;
		err = open_device(argp, devices[i], ret_dev);
		if (err)
			argp_err("flag %s: cannot open '%s': %s", param_label(param, label),
				 request->device ? request->device : request->rep,
				 doca_error_get_descr(err));
		return err;
	}
	if (request->device)
		return refuse_device(param, request->device, devices, count);
	argp_err("flag %s: no device has a representor '%s'; write <device>,<representor> to be "
		 "told "
		 "which ones a device has",
		 param_label(param, label), request->rep);
	return DOCA_ERROR_INVALID_VALUE;
}

static doca_error_t find_rep(const struct doca_argp_param *param, struct doca_dev *dev,
			     const char *name, struct doca_dev_rep **ret_rep)
{
	__attribute__((cleanup(cleanup_reps))) struct doca_devinfo_rep **reps = NULL;
	char label[ARGP_LABEL_SIZE];
	uint32_t count;
	doca_error_t err = list_reps(dev, &reps, &count);

	if (err) {
		argp_err("flag %s: the device has no representors: %s", param_label(param, label),
			 err == DOCA_ERROR_NOT_SUPPORTED ? "it is one of the host's"
							 : doca_error_get_descr(err));
		return err;
	}
	for (uint32_t i = 0; i < count; i++) {
		if (!rep_has_name(reps[i], name))
			continue;
		err = doca_dev_rep_open(reps[i], ret_rep);
		if (err)
			argp_err("flag %s: cannot open representor '%s': %s",
				 param_label(param, label), name, doca_error_get_descr(err));
		return err;
	}
	return refuse_rep(param, name, reps, count);
}

/* the part of *text up to the next comma, cut off */
static char *next_part(char **text)
{
	char *part = *text;
	char *comma = strchr(part, ',');

	*text = comma ? comma + 1 : NULL;
	if (comma)
		*comma = '\0';
	return part;
}

static struct request read_device(char *text)
{
	struct request request = {.device = next_part(&text)};

	request.devargs = text;
	return request;
}

static bool is_devargs(const char *text)
{
	return memchr(text, '=', strcspn(text, ","));
}

static struct request read_rep(char *text)
{
	struct request request = {.rep = next_part(&text)};

	if (text && !is_devargs(text)) {
		request.device = request.rep;
		request.rep = next_part(&text);
	}
	request.devargs = text;
	return request;
}

/* what is remembered until doca_argp_destroy(); NULL: no memory */
static struct argp_device *remember(struct argp *argp, const char *text)
{
	struct argp_device *device = calloc(1, sizeof(*device));

	if (!device)
		return NULL;
	device->text = strdup(text);
	if (!device->text) {
		free(device);
		return NULL;
	}
	list_add_tail(&argp->devices, &device->node);
	return device;
}

doca_error_t device_call(struct argp *argp, struct doca_argp_param *param, const char *text)
{
	struct argp_device *device = remember(argp, text);
	struct doca_argp_device_ctx ctx = {0};
	struct request request;
	doca_error_t err;

	if (!device)
		return DOCA_ERROR_NO_MEMORY;
	request = read_device(device->text);
	ctx.devargs = request.devargs;
	err = find_device(argp, param, &request, &ctx.dev);
	if (err)
		return err;
	err = param->callback(&ctx, argp->config);
	if (err)
		doca_dev_close(ctx.dev); /* the callback has not taken it */
	return err;
}

doca_error_t device_rep_call(struct argp *argp, struct doca_argp_param *param, const char *text)
{
	struct argp_device *device = remember(argp, text);
	struct doca_argp_device_rep_ctx ctx = {0};
	struct request request;
	doca_error_t err;

	if (!device)
		return DOCA_ERROR_NO_MEMORY;
	request = read_rep(device->text);
	ctx.dev_ctx.devargs = request.devargs;
	err = find_device(argp, param, &request, &ctx.dev_ctx.dev);
	if (err)
		return err;
	device->parent =
		ctx.dev_ctx.dev; /* closed at the end: the program closes the representor */
	err = find_rep(param, ctx.dev_ctx.dev, request.rep, &ctx.dev_rep);
	if (err)
		return err;
	err = param->callback(&ctx, argp->config);
	if (err)
		doca_dev_rep_close(ctx.dev_rep); /* the callback has not taken it */
	return err;
}

void device_close_all(struct argp *argp)
{
	struct list_node *node;

	while ((node = list_pop(&argp->devices))) {
		struct argp_device *device = container_of(node, struct argp_device, node);

		/* refused while the representor is still open: then it stays open until exit */
		if (device->parent)
			doca_dev_close(device->parent);
		free(device->text);
		free(device);
	}
}
