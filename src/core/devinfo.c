/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Lists of devices and representors, and their attributes: the topology in the shape of the
 * interface.
 */
#define LOG_MODULE "core"
#include "core/devinfo.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "core/dev.h"
#include "core/log.h"
#include "doca_mmap.h"

const struct topo_function *priv_devinfo_function(const struct doca_devinfo *devinfo)
{
	return devinfo->function;
}

/* A list is one block: the pointers that the user gets, a NULL, then what they point at. */
static void *list_create(unsigned int count, size_t element_size, void ***ret_pointers)
{
	size_t pointers_size = (count + 1) * sizeof(void *);
	char *block = calloc(1, pointers_size + count * element_size);

	if (!block)
		return NULL;
	*ret_pointers = (void **)(void *)block;
	for (unsigned int i = 0; i < count; i++)
		(*ret_pointers)[i] = block + pointers_size + i * element_size;
	return block + pointers_size;
}

/* The count is written with the list, so that a failure leaves both alone. */
static doca_error_t list_functions(const struct topo *topo, struct doca_devinfo ***ret_list,
				   uint32_t *ret_count)
{
	unsigned int count = 0;
	struct doca_devinfo *devinfos;
	void **list;

	for (unsigned int i = 0; i < topo->function_count; i++)
		count += topo->side_visible[topo->functions[i].side];
	devinfos = list_create(count, sizeof(*devinfos), &list);
	if (!devinfos)
		return DOCA_ERROR_NO_MEMORY;
	count = 0;
	for (unsigned int i = 0; i < topo->function_count; i++) {
		if (topo->side_visible[topo->functions[i].side])
			devinfos[count++].function = &topo->functions[i];
	}
	*ret_list = (struct doca_devinfo **)list;
	*ret_count = count;
	return DOCA_SUCCESS;
}

doca_error_t doca_devinfo_create_list(struct doca_devinfo ***dev_list, uint32_t *nb_devs)
{
	const struct topo *topo;
	doca_error_t err;

	if (!dev_list || !nb_devs)
		return DOCA_ERROR_INVALID_VALUE;
	err = priv_topo_get(&topo);
	if (err == DOCA_ERROR_BAD_CONFIG)
		return DOCA_ERROR_NOT_FOUND;
	if (err)
		return err;
	return list_functions(topo, dev_list, nb_devs);
}

doca_error_t doca_devinfo_destroy_list(struct doca_devinfo **dev_list)
{
	if (!dev_list)
		return DOCA_ERROR_INVALID_VALUE;
	free(dev_list);
	return DOCA_SUCCESS;
}

static bool rep_matches(const struct topo_rep *rep, const struct topo_function *dpu, int filter)
{
	int kind =
		rep->is_emulated ? DOCA_DEVINFO_REP_FILTER_EMULATED : DOCA_DEVINFO_REP_FILTER_NET;

	return rep->dpu == dpu && (filter == DOCA_DEVINFO_REP_FILTER_ALL || (filter & kind));
}

static doca_error_t list_reps(const struct topo *topo, const struct topo_function *dpu, int filter,
			      struct doca_devinfo_rep ***ret_list, uint32_t *ret_count)
{
	unsigned int count = 0;
	struct doca_devinfo_rep *devinfos;
	void **list;

	for (unsigned int i = 0; i < topo->rep_count; i++)
		count += rep_matches(&topo->reps[i], dpu, filter);
	devinfos = list_create(count, sizeof(*devinfos), &list);
	if (!devinfos)
		return DOCA_ERROR_NO_MEMORY;
	count = 0;
	for (unsigned int i = 0; i < topo->rep_count; i++) {
		if (rep_matches(&topo->reps[i], dpu, filter))
			devinfos[count++].rep = &topo->reps[i];
	}
	*ret_list = (struct doca_devinfo_rep **)list;
	*ret_count = count;
	return DOCA_SUCCESS;
}

doca_error_t doca_devinfo_rep_create_list(struct doca_dev *dev, int filter,
					  struct doca_devinfo_rep ***dev_list_rep,
					  uint32_t *nb_devs_rep)
{
	const int known = DOCA_DEVINFO_REP_FILTER_NET | DOCA_DEVINFO_REP_FILTER_EMULATED;
	const struct topo *topo;
	doca_error_t err;

	if (!dev || !dev_list_rep || !nb_devs_rep || (filter & ~known))
		return DOCA_ERROR_INVALID_VALUE;
	if (priv_dev_function(dev)->side != TOPO_DPU) {
		LOG_DBG("device %s is on the host side; those of the DPU have representors",
			priv_dev_function(dev)->pci_addr);
		return DOCA_ERROR_NOT_SUPPORTED;
	}
	err = priv_topo_get(&topo); /* has worked before: there is a device */
	if (err)
		return err;
	return list_reps(topo, priv_dev_function(dev), filter, dev_list_rep, nb_devs_rep);
}

doca_error_t doca_devinfo_rep_destroy_list(struct doca_devinfo_rep **dev_list_rep)
{
	if (!dev_list_rep)
		return DOCA_ERROR_INVALID_VALUE;
	free(dev_list_rep);
	return DOCA_SUCCESS;
}

/* Attributes. The size that the interface asks of a buffer is more than any value needs. */

static bool is_too_small(uint32_t size, uint32_t min_size)
{
	if (size >= min_size)
		return false;
	LOG_ERR("a buffer of %u bytes for an attribute of a device; it has to have %u", size,
		min_size);
	return true;
}

static doca_error_t give_string(const char *from, char *to, uint32_t size, uint32_t min_size)
{
	if (!to || is_too_small(size, min_size))
		return DOCA_ERROR_INVALID_VALUE;
	strcpy(to, from);
	return DOCA_SUCCESS;
}

static doca_error_t give_bytes(const uint8_t *from, uint8_t *to, uint32_t size, uint32_t min_size)
{
	if (!to || is_too_small(size, min_size))
		return DOCA_ERROR_INVALID_VALUE;
	memcpy(to, from, min_size);
	return DOCA_SUCCESS;
}

static doca_error_t give_answer(const void *devinfo, bool yes, uint8_t *ret_answer)
{
	if (!devinfo || !ret_answer)
		return DOCA_ERROR_INVALID_VALUE;
	*ret_answer = yes;
	return DOCA_SUCCESS;
}

doca_error_t doca_devinfo_get_pci_addr_str(const struct doca_devinfo *devinfo, char *pci_addr_str)
{
	if (!devinfo)
		return DOCA_ERROR_INVALID_VALUE;
	return give_string(devinfo->function->pci_addr, pci_addr_str, DOCA_DEVINFO_PCI_ADDR_SIZE,
			   DOCA_DEVINFO_PCI_ADDR_SIZE);
}

doca_error_t doca_devinfo_is_equal_pci_addr(const struct doca_devinfo *devinfo,
					    const char *pci_addr_str, uint8_t *is_equal)
{
	char addr[DOCA_DEVINFO_PCI_ADDR_SIZE];

	if (!devinfo || !pci_addr_str || !is_equal)
		return DOCA_ERROR_INVALID_VALUE;
	if (priv_topo_parse_pci_addr(pci_addr_str, addr))
		return DOCA_ERROR_INVALID_VALUE;
	*is_equal = priv_topo_function_has_addr(devinfo->function, addr);
	return DOCA_SUCCESS;
}

doca_error_t doca_devinfo_get_ipv4_addr(const struct doca_devinfo *devinfo, uint8_t *ipv4_addr,
					uint32_t size)
{
	if (!devinfo || !ipv4_addr || is_too_small(size, DOCA_DEVINFO_IPV4_ADDR_SIZE))
		return DOCA_ERROR_INVALID_VALUE;
	if (!devinfo->function->has_ipv4)
		return DOCA_ERROR_NOT_FOUND;
	return give_bytes(devinfo->function->ipv4_addr, ipv4_addr, size,
			  DOCA_DEVINFO_IPV4_ADDR_SIZE);
}

doca_error_t doca_devinfo_get_ipv6_addr(const struct doca_devinfo *devinfo, uint8_t *ipv6_addr,
					uint32_t size)
{
	if (!devinfo)
		return DOCA_ERROR_INVALID_VALUE;
	return give_bytes(devinfo->function->ipv6_addr, ipv6_addr, size,
			  DOCA_DEVINFO_IPV6_ADDR_SIZE);
}

doca_error_t doca_devinfo_get_mac_addr(const struct doca_devinfo *devinfo, uint8_t *mac_addr,
				       uint32_t size)
{
	if (!devinfo)
		return DOCA_ERROR_INVALID_VALUE;
	return give_bytes(devinfo->function->mac_addr, mac_addr, size, DOCA_DEVINFO_MAC_ADDR_SIZE);
}

doca_error_t doca_devinfo_get_iface_name(const struct doca_devinfo *devinfo, char *iface_name,
					 uint32_t size)
{
	if (!devinfo)
		return DOCA_ERROR_INVALID_VALUE;
	return give_string(devinfo->function->iface_name, iface_name, size,
			   DOCA_DEVINFO_IFACE_NAME_SIZE);
}

doca_error_t doca_devinfo_get_ibdev_name(const struct doca_devinfo *devinfo, char *ibdev_name,
					 uint32_t size)
{
	if (!devinfo)
		return DOCA_ERROR_INVALID_VALUE;
	return give_string(devinfo->function->ibdev_name, ibdev_name, size,
			   DOCA_DEVINFO_IBDEV_NAME_SIZE);
}

doca_error_t doca_devinfo_get_lid(const struct doca_devinfo *devinfo, uint16_t *lid)
{
	/* every port is Ethernet */
	return devinfo && lid ? DOCA_ERROR_NOT_SUPPORTED : DOCA_ERROR_INVALID_VALUE;
}

doca_error_t doca_devinfo_get_active_rate(const struct doca_devinfo *devinfo, uint64_t *active_rate)
{
	if (!devinfo || !active_rate)
		return DOCA_ERROR_INVALID_VALUE;
	*active_rate = devinfo->function->active_rate;
	return DOCA_SUCCESS;
}

doca_error_t doca_devinfo_get_vhca_id(const struct doca_devinfo *devinfo, uint16_t *vhca_id)
{
	if (!devinfo || !vhca_id)
		return DOCA_ERROR_INVALID_VALUE;
	*vhca_id = devinfo->function->vhca_id;
	return DOCA_SUCCESS;
}

doca_error_t doca_devinfo_get_pci_func_type(const struct doca_devinfo *devinfo,
					    enum doca_pci_func_type *pci_func_type)
{
	if (!devinfo || !pci_func_type)
		return DOCA_ERROR_INVALID_VALUE;
	*pci_func_type = devinfo->function->type;
	return DOCA_SUCCESS;
}

/* NOT_SUPPORTED: functions of this type have no such index */
static doca_error_t give_index(uint32_t index, bool has_one, uint32_t *ret_index)
{
	if (!ret_index)
		return DOCA_ERROR_INVALID_VALUE;
	if (!has_one)
		return DOCA_ERROR_NOT_SUPPORTED;
	*ret_index = index;
	return DOCA_SUCCESS;
}

doca_error_t doca_devinfo_get_sf_index(const struct doca_devinfo *devinfo, uint32_t *sf_index)
{
	const struct topo_function *function = devinfo ? devinfo->function : NULL;

	if (!function)
		return DOCA_ERROR_INVALID_VALUE;
	return give_index(function->sf_index, function->type == DOCA_PCI_FUNC_TYPE_SF, sf_index);
}

doca_error_t doca_devinfo_get_iface_index(const struct doca_devinfo *devinfo, uint32_t *iface_index)
{
	if (!devinfo)
		return DOCA_ERROR_INVALID_VALUE;
	return give_index(devinfo->function->vhca_id + 1u, true, iface_index);
}

/* Capabilities */

doca_error_t doca_devinfo_cap_is_hotplug_manager_supported(const struct doca_devinfo *devinfo,
							   uint8_t *is_hotplug_manager)
{
	return give_answer(devinfo, false, is_hotplug_manager);
}

doca_error_t
doca_devinfo_cap_is_notification_moderation_supported(const struct doca_devinfo *devinfo,
						      uint8_t *is_notification_moderation_supported)
{
	return give_answer(devinfo, false, is_notification_moderation_supported);
}

doca_error_t
doca_devinfo_cap_is_accelerate_resource_reclaim_supported(const struct doca_devinfo *devinfo,
							  uint8_t *is_accelerate_resource_reclaim)
{
	return give_answer(devinfo, false, is_accelerate_resource_reclaim);
}

/* representors are seen from the DPU side, with every filter */
static bool has_reps(const struct doca_devinfo *devinfo)
{
	return devinfo && devinfo->function->side == TOPO_DPU;
}

doca_error_t doca_devinfo_rep_cap_is_filter_all_supported(const struct doca_devinfo *devinfo,
							  uint8_t *filter_all_supported)
{
	return give_answer(devinfo, has_reps(devinfo), filter_all_supported);
}

doca_error_t doca_devinfo_rep_cap_is_filter_net_supported(const struct doca_devinfo *devinfo,
							  uint8_t *filter_net_supported)
{
	return give_answer(devinfo, has_reps(devinfo), filter_net_supported);
}

doca_error_t doca_devinfo_rep_cap_is_filter_emulated_supported(const struct doca_devinfo *devinfo,
							       uint8_t *filter_emulated_supported)
{
	return give_answer(devinfo, has_reps(devinfo), filter_emulated_supported);
}

/* Attributes of representors: mostly those of the host function behind them */

doca_error_t doca_devinfo_rep_get_vuid(const struct doca_devinfo_rep *devinfo_rep, char *rep_vuid,
				       uint32_t size)
{
	if (!devinfo_rep)
		return DOCA_ERROR_INVALID_VALUE;
	return give_string(devinfo_rep->rep->host->vuid, rep_vuid, size,
			   DOCA_DEVINFO_REP_VUID_SIZE);
}

doca_error_t doca_devinfo_rep_get_pci_addr_str(const struct doca_devinfo_rep *devinfo_rep,
					       char *pci_addr_str)
{
	if (!devinfo_rep)
		return DOCA_ERROR_INVALID_VALUE;
	return give_string(devinfo_rep->rep->pci_addr, pci_addr_str, DOCA_DEVINFO_REP_PCI_ADDR_SIZE,
			   DOCA_DEVINFO_REP_PCI_ADDR_SIZE);
}

doca_error_t doca_devinfo_rep_get_pci_func_type(const struct doca_devinfo_rep *devinfo_rep,
						enum doca_pci_func_type *pci_func_type)
{
	if (!devinfo_rep || !pci_func_type)
		return DOCA_ERROR_INVALID_VALUE;
	*pci_func_type = devinfo_rep->rep->host->type;
	return DOCA_SUCCESS;
}

doca_error_t doca_devinfo_rep_get_is_hotplug(const struct doca_devinfo_rep *devinfo_rep,
					     uint8_t *is_hotplug)
{
	return give_answer(devinfo_rep, devinfo_rep && devinfo_rep->rep->is_hotplug, is_hotplug);
}

doca_error_t doca_devinfo_rep_get_iface_name(const struct doca_devinfo_rep *devinfo_rep,
					     char *iface_name, uint32_t size)
{
	if (!devinfo_rep)
		return DOCA_ERROR_INVALID_VALUE;
	return give_string(devinfo_rep->rep->iface_name, iface_name, size,
			   DOCA_DEVINFO_IFACE_NAME_SIZE);
}

/* Numbers of functions end before those of their representors begin. */
doca_error_t doca_devinfo_rep_get_iface_index(const struct doca_devinfo_rep *devinfo_rep,
					      uint32_t *iface_index)
{
	if (!devinfo_rep)
		return DOCA_ERROR_INVALID_VALUE;
	return give_index(devinfo_rep->rep->host->vhca_id + UINT16_MAX + 2u, true, iface_index);
}

doca_error_t doca_devinfo_rep_get_host_index(const struct doca_devinfo_rep *devinfo_rep,
					     uint32_t *host_index)
{
	return devinfo_rep ? give_index(1, true, host_index) : DOCA_ERROR_INVALID_VALUE;
}

doca_error_t doca_devinfo_rep_get_pf_index(const struct doca_devinfo_rep *devinfo_rep,
					   uint32_t *pf_index)
{
	if (!devinfo_rep)
		return DOCA_ERROR_INVALID_VALUE;
	return give_index(devinfo_rep->rep->host->pf_index, true, pf_index);
}

doca_error_t doca_devinfo_rep_get_vf_index(const struct doca_devinfo_rep *devinfo_rep,
					   uint32_t *vf_index)
{
	const struct topo_function *host = devinfo_rep ? devinfo_rep->rep->host : NULL;

	if (!host)
		return DOCA_ERROR_INVALID_VALUE;
	return give_index(host->vf_index, host->type == DOCA_PCI_FUNC_TYPE_VF, vf_index);
}

doca_error_t doca_devinfo_rep_get_sf_index(const struct doca_devinfo_rep *devinfo_rep,
					   uint32_t *sf_index)
{
	const struct topo_function *host = devinfo_rep ? devinfo_rep->rep->host : NULL;

	if (!host)
		return DOCA_ERROR_INVALID_VALUE;
	return give_index(host->sf_index, host->type == DOCA_PCI_FUNC_TYPE_SF, sf_index);
}

doca_error_t doca_devinfo_rep_get_vhca_id(const struct doca_devinfo_rep *devinfo_rep,
					  uint16_t *vhca_id)
{
	if (!devinfo_rep || !vhca_id)
		return DOCA_ERROR_INVALID_VALUE;
	*vhca_id = devinfo_rep->rep->host->vhca_id;
	return DOCA_SUCCESS;
}

doca_error_t doca_devinfo_rep_is_equal_pci_addr(const struct doca_devinfo_rep *devinfo_rep,
						const char *pci_addr_str, uint8_t *is_equal)
{
	char addr[DOCA_DEVINFO_REP_PCI_ADDR_SIZE];

	if (!devinfo_rep || !pci_addr_str || !is_equal)
		return DOCA_ERROR_INVALID_VALUE;
	if (priv_topo_parse_pci_addr(pci_addr_str, addr))
		return DOCA_ERROR_INVALID_VALUE;
	*is_equal = priv_topo_function_has_addr(devinfo_rep->rep->host, addr);
	return DOCA_SUCCESS;
}

/* Spellings of 1.5 to 2.2 */

doca_error_t doca_devinfo_list_create(struct doca_devinfo ***dev_list, uint32_t *nb_devs)
{
	priv_log_backend_add_default();
	return doca_devinfo_create_list(dev_list, nb_devs);
}

doca_error_t doca_devinfo_list_destroy(struct doca_devinfo **dev_list)
{
	return doca_devinfo_destroy_list(dev_list);
}

doca_error_t doca_devinfo_rep_list_create(struct doca_dev *dev, int filter,
					  struct doca_devinfo_rep ***dev_list_rep,
					  uint32_t *nb_devs_rep)
{
	const int kinds = DOCA_DEV_REP_FILTER_VIRTIO_FS | DOCA_DEV_REP_FILTER_VIRTIO_NET |
			  DOCA_DEV_REP_FILTER_VIRTIO_BLK | DOCA_DEV_REP_FILTER_NVME;

	if (!dev || !dev_list_rep || !nb_devs_rep || (filter & ~(kinds | DOCA_DEV_REP_FILTER_NET)))
		return DOCA_ERROR_INVALID_VALUE;
	if (filter & kinds) /* what an emulated function emulates is not known */
		return DOCA_ERROR_NOT_SUPPORTED;
	return doca_devinfo_rep_create_list(dev, filter, dev_list_rep, nb_devs_rep);
}

doca_error_t doca_devinfo_rep_list_destroy(struct doca_devinfo_rep **dev_list_rep)
{
	return doca_devinfo_rep_destroy_list(dev_list_rep);
}

/* UNEXPECTED: not an address of the topology */
static doca_error_t read_bdf(const char *text, struct doca_pci_bdf *ret_bdf)
{
	unsigned int bus, device, function;

	if (sscanf(text, "%*x:%x:%x.%x", &bus, &device, &function) != 3)
		return DOCA_ERROR_UNEXPECTED;
	ret_bdf->raw = (uint16_t)(bus << 8 | device << 3 | function);
	return DOCA_SUCCESS;
}

doca_error_t doca_devinfo_get_pci_addr(const struct doca_devinfo *devinfo,
				       struct doca_pci_bdf *pci_addr)
{
	if (!devinfo || !pci_addr)
		return DOCA_ERROR_INVALID_VALUE;
	return read_bdf(devinfo->function->pci_addr, pci_addr);
}

doca_error_t doca_devinfo_rep_get_pci_addr(const struct doca_devinfo_rep *devinfo_rep,
					   struct doca_pci_bdf *pci_addr)
{
	if (!devinfo_rep || !pci_addr)
		return DOCA_ERROR_INVALID_VALUE;
	return read_bdf(devinfo_rep->rep->pci_addr, pci_addr);
}

doca_error_t doca_devinfo_get_is_mmap_export_supported(const struct doca_devinfo *devinfo,
						       uint8_t *mmap_export)
{
	return doca_mmap_cap_is_export_pci_supported(devinfo, mmap_export);
}

doca_error_t doca_devinfo_get_is_mmap_from_export_supported(const struct doca_devinfo *devinfo,
							    uint8_t *from_export)
{
	return doca_mmap_cap_is_create_from_export_pci_supported(devinfo, from_export);
}
