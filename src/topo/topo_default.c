/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What is there when nobody says otherwise: the built-in card, the built-in limits, and for a
 * topology file the names, addresses and ids that it leaves out.
 */
#include <assert.h>
#include <stdio.h>
#include <string.h>

#include "topo/load.h"

#define ACTIVE_RATE UINT64_C(100000000000) /* bits a second */

const char topo_builtin_text[] =
	"{ \"cards\": [ {\n"
	"  \"name\": \"card0\",\n"
	"  \"dpu\": [ { \"pci\": \"0000:03:00.0\" }, { \"pci\": \"0000:03:00.1\" } ],\n"
	"  \"host\": [\n"
	"    { \"pci\": \"0000:b1:00.0\" },\n"
	"    { \"pci\": \"0000:b1:00.1\" },\n"
	"    { \"pci\": \"0000:b1:00.2\", \"type\": \"vf\", \"pf\": \"0000:b1:00.0\" },\n"
	"    { \"pci\": \"0000:b1:00.3\", \"type\": \"vf\", \"pf\": \"0000:b1:00.0\" },\n"
	"    { \"type\": \"sf\", \"pf\": \"0000:b1:00.0\", \"sf_index\": 4 }\n"
	"  ]\n"
	"} ] }\n";

const struct topo_limits topo_builtin_limits = {
#define LIMIT(name, value, min, max, text) .name = value,
#include "core/limits.def"
#undef LIMIT
};

static const struct topo_function *pf_of(const struct topo_function *function)
{
	return function->pf ? function->pf : function;
}

static void fill_id(struct topo_function *function)
{
	if (function->type == DOCA_PCI_FUNC_TYPE_SF)
		snprintf(function->id, sizeof(function->id), "%s/sf%u", function->pf->pci_addr,
			 function->sf_index);
	else
		snprintf(function->id, sizeof(function->id), "%s", function->pci_addr);
}

/* as systemd names network interfaces: enp177s0f0np0, enp177s0f0v1, enp177s0f0s4 */
static void fill_host_iface(struct topo_function *function)
{
	unsigned int domain, bus, device, number;
	char prefix[8] = "";
	int matched, len;

	matched = sscanf(pf_of(function)->pci_addr, "%x:%x:%x.%x", &domain, &bus, &device, &number);
	assert(matched == 4);
	(void)matched;
	if (domain)
		snprintf(prefix, sizeof(prefix), "P%u", domain & 0xffff);
	len = snprintf(function->iface_name, sizeof(function->iface_name), "en%sp%us%uf%u", prefix,
		       bus, device, number);
	if (function->type == DOCA_PCI_FUNC_TYPE_PF)
		snprintf(function->iface_name + len, 16, "np%u", function->pf_index);
	else if (function->type == DOCA_PCI_FUNC_TYPE_VF)
		snprintf(function->iface_name + len, 16, "v%u", function->vf_index);
	else
		snprintf(function->iface_name + len, 16, "s%u", function->sf_index);
}

static void fill_vuid(const struct topo *topo, struct topo_function *function)
{
	int len = snprintf(function->vuid, sizeof(function->vuid), "SF%05u%sSOFTS0D0F%u",
			   (unsigned int)(function->card - topo->cards),
			   function->side == TOPO_DPU ? "EC" : "", function->pf_index);

	if (function->type == DOCA_PCI_FUNC_TYPE_VF)
		snprintf(function->vuid + len, 16, "VF%u", function->vf_index + 1);
	else if (function->type == DOCA_PCI_FUNC_TYPE_SF)
		snprintf(function->vuid + len, 16, "SF%u", function->sf_index);
}

static bool is_zero(const uint8_t *bytes, size_t size)
{
	for (size_t i = 0; i < size; i++) {
		if (bytes[i])
			return false;
	}
	return true;
}

/* 02 in the first byte: locally administered, of one station */
static void fill_mac(const struct topo *topo, struct topo_function *function)
{
	const uint8_t mac[] = {
		0x02,
		0x5f,
		(uint8_t)(function->card - topo->cards),
		function->side == TOPO_DPU,
		(uint8_t)(function->index >> 8),
		(uint8_t)function->index,
	};

	static_assert(sizeof(mac) == sizeof(function->mac_addr), "six bytes");
	memcpy(function->mac_addr, mac, sizeof(mac));
}

/* the link-local address that the MAC address yields (RFC 4291, appendix A) */
static void fill_ipv6(struct topo_function *function)
{
	const uint8_t *mac = function->mac_addr;
	const uint8_t addr[] = {0xfe,	    0x80,   0,	    0,	  0,	0,	0,	0,
				mac[0] ^ 2, mac[1], mac[2], 0xff, 0xfe, mac[3], mac[4], mac[5]};

	static_assert(sizeof(addr) == sizeof(function->ipv6_addr), "sixteen bytes");
	memcpy(function->ipv6_addr, addr, sizeof(addr));
}

static bool vhca_id_is_taken(const struct topo *topo, const struct topo_card *card, uint16_t id)
{
	for (unsigned int i = 0; i < topo->function_count; i++) {
		if (topo->functions[i].card == card && topo->functions[i].vhca_id == id)
			return true;
	}
	return false;
}

static void fill_vhca_id(const struct topo *topo, struct topo_function *function)
{
	uint16_t id = 0;

	while (vhca_id_is_taken(topo, function->card, id))
		id++;
	function->vhca_id = id;
}

static void fill_function(const struct topo *topo, struct topo_function *function)
{
	unsigned int ordinal = (unsigned int)(function - topo->functions);

	fill_id(function);
	if (!function->ibdev_name[0])
		snprintf(function->ibdev_name, sizeof(function->ibdev_name), "mlx5_%u", ordinal);
	if (!function->iface_name[0] && function->side == TOPO_HOST)
		fill_host_iface(function);
	else if (!function->iface_name[0])
		snprintf(function->iface_name, sizeof(function->iface_name), "p%u", ordinal);
	if (!function->vuid[0])
		fill_vuid(topo, function);
	if (is_zero(function->mac_addr, sizeof(function->mac_addr)))
		fill_mac(topo, function);
	if (is_zero(function->ipv6_addr, sizeof(function->ipv6_addr)))
		fill_ipv6(function);
	if (function->vhca_id == TOPO_VHCA_ID_UNSET)
		fill_vhca_id(topo, function);
	if (!function->active_rate)
		function->active_rate = ACTIVE_RATE;
}

static void fill_rep(struct topo_rep *rep)
{
	const struct topo_function *host = rep->host;

	if (!rep->pci_addr[0])
		snprintf(rep->pci_addr, sizeof(rep->pci_addr), "%s", host->pci_addr);
	snprintf(rep->host->rep_pci_addr, sizeof(rep->host->rep_pci_addr), "%s", rep->pci_addr);
	if (rep->iface_name[0])
		return;
	if (host->type == DOCA_PCI_FUNC_TYPE_PF)
		snprintf(rep->iface_name, sizeof(rep->iface_name), "pf%uhpf", host->pf_index);
	else if (host->type == DOCA_PCI_FUNC_TYPE_VF)
		snprintf(rep->iface_name, sizeof(rep->iface_name), "pf%uvf%u", host->pf_index,
			 host->vf_index);
	else
		snprintf(rep->iface_name, sizeof(rep->iface_name), "pf%usf%u", host->pf_index,
			 host->sf_index);
}

void topo_fill_gaps(struct topo *topo)
{
	for (unsigned int i = 0; i < topo->function_count; i++)
		fill_function(topo, &topo->functions[i]);
	for (unsigned int i = 0; i < topo->rep_count; i++)
		fill_rep(&topo->reps[i]);
}
