/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The elements of "dpu" and "host" in the topology text: functions and their representors.
 */
#include <arpa/inet.h>
#include <stdlib.h>
#include <string.h>

#include "topo/draft.h"
#include "base/count.h"
#include "base/name_list.h"

/* one element of "dpu" or "host" */
struct entry {
	struct topo_function *function;
	struct topo_rep *rep; /* host only */
	char pf[DOCA_DEVINFO_PCI_ADDR_SIZE];
	char dpu[DOCA_DEVINFO_PCI_ADDR_SIZE];
	bool has_sf_index;
};

/* Attributes of a function */

static doca_error_t read_pci(struct reader *reader, struct json_object *value, char *ret)
{
	const char *text;
	doca_error_t err = reader_string(reader, value, "a PCI address in quotes", &text);

	if (err)
		return err;
	if (priv_topo_parse_pci_addr(text, ret))
		return reader_refuse(reader,
				     "\"%.64s\" is not a PCI address; expected DDDD:BB:DD.F or "
				     "BB:DD.F, like 0000:b1:00.2",
				     text);
	return DOCA_SUCCESS;
}

static doca_error_t read_function_pci(struct reader *reader, struct json_object *value,
				      void *target)
{
	struct entry *entry = target;

	return read_pci(reader, value, entry->function->pci_addr);
}

static doca_error_t read_type(struct reader *reader, struct json_object *value, void *target)
{
	static const char *const names[] = {
		[DOCA_PCI_FUNC_TYPE_PF] = "pf",
		[DOCA_PCI_FUNC_TYPE_VF] = "vf",
		[DOCA_PCI_FUNC_TYPE_SF] = "sf",
	};
	struct entry *entry = target;
	const char *text;
	doca_error_t err = reader_string(reader, value, "\"pf\", \"vf\" or \"sf\"", &text);

	if (err)
		return err;
	for (size_t i = 0; i < COUNT(names); i++) {
		if (!strcmp(names[i], text)) {
			entry->function->type = (enum doca_pci_func_type)i;
			return DOCA_SUCCESS;
		}
	}
	return reader_refuse(reader, "\"%.64s\" is not a type; expected pf, vf or sf", text);
}

static doca_error_t read_pf(struct reader *reader, struct json_object *value, void *target)
{
	struct entry *entry = target;

	return read_pci(reader, value, entry->pf);
}

static doca_error_t read_dpu_addr(struct reader *reader, struct json_object *value, void *target)
{
	struct entry *entry = target;

	return read_pci(reader, value, entry->dpu);
}

static doca_error_t read_sf_index(struct reader *reader, struct json_object *value, void *target)
{
	struct entry *entry = target;
	uint64_t number;
	doca_error_t err = reader_number(reader, value, 0, UINT32_MAX, &number);

	if (err)
		return err;
	entry->function->sf_index = (uint32_t)number;
	entry->has_sf_index = true;
	return DOCA_SUCCESS;
}

static doca_error_t read_ibdev(struct reader *reader, struct json_object *value, void *target)
{
	struct topo_function *function = ((struct entry *)target)->function;

	return reader_name(reader, value, function->ibdev_name, sizeof(function->ibdev_name));
}

static doca_error_t read_iface(struct reader *reader, struct json_object *value, void *target)
{
	struct topo_function *function = ((struct entry *)target)->function;

	return reader_name(reader, value, function->iface_name, sizeof(function->iface_name));
}

static doca_error_t read_vuid(struct reader *reader, struct json_object *value, void *target)
{
	struct topo_function *function = ((struct entry *)target)->function;

	return reader_name(reader, value, function->vuid, sizeof(function->vuid));
}

static bool parse_mac(const char *text, uint8_t mac[DOCA_DEVINFO_MAC_ADDR_SIZE])
{
	static const char digits[] = "0123456789abcdefABCDEF";

	if (strlen(text) != 3 * DOCA_DEVINFO_MAC_ADDR_SIZE - 1)
		return false;
	for (size_t i = 0; i < DOCA_DEVINFO_MAC_ADDR_SIZE; i++, text += 3) {
		if (strspn(text, digits) != 2 || (text[2] != ':' && text[2] != '\0'))
			return false;
		mac[i] = (uint8_t)strtoul(text, NULL, 16);
	}
	return true;
}

static doca_error_t read_mac(struct reader *reader, struct json_object *value, void *target)
{
	static const uint8_t zero[DOCA_DEVINFO_MAC_ADDR_SIZE];
	struct topo_function *function = ((struct entry *)target)->function;
	uint8_t mac[DOCA_DEVINFO_MAC_ADDR_SIZE];
	const char *text;
	doca_error_t err = reader_string(reader, value, "a MAC address in quotes", &text);

	if (err)
		return err;
	if (!parse_mac(text, mac))
		return reader_refuse(reader,
				     "\"%.64s\" is not a MAC address like 02:00:00:00:00:01", text);
	if ((mac[0] & 1) || !memcmp(mac, zero, sizeof(mac)))
		return reader_refuse(reader, "\"%s\" is not the address of one station", text);
	memcpy(function->mac_addr, mac, sizeof(mac));
	return DOCA_SUCCESS;
}

static doca_error_t read_ipv4(struct reader *reader, struct json_object *value, void *target)
{
	struct topo_function *function = ((struct entry *)target)->function;
	const char *text;
	doca_error_t err = reader_string(reader, value, "an IPv4 address in quotes", &text);

	if (err)
		return err;
	if (inet_pton(AF_INET, text, function->ipv4_addr) != 1)
		return reader_refuse(reader, "\"%.64s\" is not an IPv4 address like 192.168.100.1",
				     text);
	function->has_ipv4 = true;
	return DOCA_SUCCESS;
}

static doca_error_t read_ipv6(struct reader *reader, struct json_object *value, void *target)
{
	struct topo_function *function = ((struct entry *)target)->function;
	const char *text;
	doca_error_t err = reader_string(reader, value, "an IPv6 address in quotes", &text);

	if (err)
		return err;
	if (inet_pton(AF_INET6, text, function->ipv6_addr) != 1)
		return reader_refuse(reader, "\"%.64s\" is not an IPv6 address like fd00::1", text);
	return DOCA_SUCCESS;
}

static doca_error_t read_vhca_id(struct reader *reader, struct json_object *value, void *target)
{
	struct topo_function *function = ((struct entry *)target)->function;
	uint64_t id;
	doca_error_t err = reader_number(reader, value, 0, TOPO_VHCA_ID_UNSET - 1, &id);

	if (!err)
		function->vhca_id = (uint16_t)id;
	return err;
}

static doca_error_t read_rate(struct reader *reader, struct json_object *value, void *target)
{
	struct topo_function *function = ((struct entry *)target)->function;

	return reader_number(reader, value, 1, INT64_MAX, &function->active_rate);
}

/* Representors */

static doca_error_t read_rep_pci(struct reader *reader, struct json_object *value, void *target)
{
	struct topo_rep *rep = target;

	return read_pci(reader, value, rep->pci_addr);
}

static doca_error_t read_rep_iface(struct reader *reader, struct json_object *value, void *target)
{
	struct topo_rep *rep = target;

	return reader_name(reader, value, rep->iface_name, sizeof(rep->iface_name));
}

static doca_error_t read_rep_hotplug(struct reader *reader, struct json_object *value, void *target)
{
	struct topo_rep *rep = target;

	return reader_bool(reader, value, &rep->is_hotplug);
}

static doca_error_t read_rep_emulated(struct reader *reader, struct json_object *value,
				      void *target)
{
	struct topo_rep *rep = target;

	return reader_bool(reader, value, &rep->is_emulated);
}

static doca_error_t read_rep(struct reader *reader, struct json_object *value, void *target)
{
	static const struct member members[] = {
		{"pci", read_rep_pci},
		{"iface", read_rep_iface},
		{"hotplug", read_rep_hotplug},
		{"emulated", read_rep_emulated},
	};
	struct entry *entry = target;

	return reader_members(reader, value, members, COUNT(members), entry->rep);
}

/* One function with the others of its card */

static bool is_pf_of(const struct topo_function *function, const struct topo_card *card,
		     enum topo_side side)
{
	return function->card == card && function->side == side &&
	       function->type == DOCA_PCI_FUNC_TYPE_PF;
}

static struct topo_function *find_pf(const struct draft *draft, const struct topo_card *card,
				     enum topo_side side, const char *pci_addr)
{
	for (unsigned int i = 0; i < draft->topo->function_count; i++) {
		struct topo_function *function = &draft->topo->functions[i];

		if (is_pf_of(function, card, side) && !strcmp(function->pci_addr, pci_addr))
			return function;
	}
	return NULL;
}

static doca_error_t refuse_pf(struct reader *reader, const char *key, const char *pci_addr,
			      const struct topo_card *card, enum topo_side side)
{
	const struct draft *draft = reader->context;
	char known[200] = "";

	for (unsigned int i = 0; i < draft->topo->function_count; i++) {
		const struct topo_function *function = &draft->topo->functions[i];

		if (is_pf_of(function, card, side))
			name_list_add(known, sizeof(known), function->pci_addr);
	}
	return reader_refuse_at(reader, key, "%s is not %s; there is %s", pci_addr,
				side == TOPO_DPU ? "a function of the card's \"dpu\" list"
						 : "a pf above",
				known[0] ? known : "none");
}

static unsigned int count_children(const struct draft *draft, const struct topo_function *pf,
				   enum doca_pci_func_type type)
{
	unsigned int count = 0;

	for (unsigned int i = 0; i < draft->topo->function_count; i++)
		count += draft->topo->functions[i].pf == pf &&
			 draft->topo->functions[i].type == type;
	return count;
}

/* a VF or SF: takes number, address and DPU function from its PF */
static doca_error_t join_pf(struct reader *reader, struct entry *entry)
{
	struct topo_function *function = entry->function, *pf;
	struct draft *draft = reader->context;
	bool is_sf = function->type == DOCA_PCI_FUNC_TYPE_SF;

	if (!entry->pf[0])
		return reader_refuse(reader, "has no \"pf\": the address of the pf it belongs to");
	if (entry->dpu[0])
		return reader_refuse_at(reader, "dpu", "is given with the pf, not with a vf or sf");
	if (is_sf && !entry->has_sf_index)
		return reader_refuse(reader, "has no \"sf_index\"");
	if (!is_sf && !function->pci_addr[0])
		return reader_refuse(reader, "has no \"pci\"");
	pf = find_pf(draft, function->card, TOPO_HOST, entry->pf);
	if (!pf)
		return refuse_pf(reader, "pf", entry->pf, function->card, TOPO_HOST);
	if (!function->pci_addr[0])
		strcpy(function->pci_addr, pf->pci_addr);
	function->pf_index = pf->pf_index;
	function->vf_index = is_sf ? 0 : count_children(draft, pf, DOCA_PCI_FUNC_TYPE_VF);
	function->pf = pf;
	entry->rep->dpu = pf->rep->dpu;
	return DOCA_SUCCESS;
}

/* the pf_index'th function of the DPU side, unless told */
static doca_error_t join_dpu(struct reader *reader, struct entry *entry)
{
	struct topo_card *card = entry->function->card;
	struct draft *draft = reader->context;

	for (unsigned int i = 0; i < draft->topo->function_count && !entry->dpu[0]; i++) {
		struct topo_function *dpu = &draft->topo->functions[i];

		if (dpu->card == card && dpu->side == TOPO_DPU &&
		    dpu->index == entry->function->pf_index)
			strcpy(entry->dpu, dpu->pci_addr);
	}
	if (!entry->dpu[0])
		return reader_refuse(reader,
				     "is pf %u of the card, which has fewer functions in \"dpu\"; "
				     "say with \"dpu\" which of them has the representor",
				     entry->function->pf_index);
	entry->rep->dpu = find_pf(draft, card, TOPO_DPU, entry->dpu);
	if (!entry->rep->dpu)
		return refuse_pf(reader, "dpu", entry->dpu, card, TOPO_DPU);
	return DOCA_SUCCESS;
}

static doca_error_t join_card(struct reader *reader, struct entry *entry, unsigned int pf_index)
{
	if (entry->has_sf_index && entry->function->type != DOCA_PCI_FUNC_TYPE_SF)
		return reader_refuse_at(reader, "sf_index", "only an sf has one");
	if (entry->function->type != DOCA_PCI_FUNC_TYPE_PF)
		return join_pf(reader, entry);
	if (entry->pf[0])
		return reader_refuse_at(reader, "pf",
					"only a vf or sf belongs to another function");
	if (!entry->function->pci_addr[0])
		return reader_refuse(reader, "has no \"pci\"");
	entry->function->pf_index = pf_index;
	return join_dpu(reader, entry);
}

static struct topo_function *take_function(struct draft *draft, struct topo_card *card,
					   enum topo_side side)
{
	unsigned int *next = side == TOPO_DPU ? &draft->dpu_next : &draft->host_next;
	unsigned int *index = &draft->index[side];
	struct topo_function *function = &draft->topo->functions[(*next)++];

	function->card = card;
	function->side = side;
	function->type = DOCA_PCI_FUNC_TYPE_PF;
	function->index = (*index)++;
	function->vhca_id = TOPO_VHCA_ID_UNSET;
	return function;
}

doca_error_t topo_read_dpu_function(struct reader *reader, struct json_object *value, void *target)
{
	static const struct member members[] = {
		{"pci", read_function_pci, true},
		{"ibdev", read_ibdev},
		{"iface", read_iface},
		{"mac", read_mac},
		{"ipv4", read_ipv4},
		{"ipv6", read_ipv6},
		{"vuid", read_vuid},
		{"vhca_id", read_vhca_id},
		{"active_rate", read_rate},
	};
	struct entry entry = {.function = take_function(reader->context, target, TOPO_DPU)};

	entry.function->pf_index = entry.function->index;
	return reader_members(reader, value, members, COUNT(members), &entry);
}

doca_error_t topo_read_host_function(struct reader *reader, struct json_object *value, void *target)
{
	static const struct member members[] = {
		{"pci", read_function_pci}, {"type", read_type},	 {"pf", read_pf},
		{"dpu", read_dpu_addr},	    {"sf_index", read_sf_index}, {"ibdev", read_ibdev},
		{"iface", read_iface},	    {"mac", read_mac},		 {"ipv4", read_ipv4},
		{"ipv6", read_ipv6},	    {"vuid", read_vuid},	 {"vhca_id", read_vhca_id},
		{"active_rate", read_rate}, {"rep", read_rep},
	};
	struct draft *draft = reader->context;
	struct entry entry = {
		.function = take_function(draft, target, TOPO_HOST),
		.rep = &draft->topo->reps[draft->rep_next++],
	};
	doca_error_t err;

	entry.function->rep = entry.rep;
	entry.rep->host = entry.function;
	err = reader_members(reader, value, members, COUNT(members), &entry);
	if (!err)
		err = join_card(reader, &entry, draft->host_pfs);
	if (!err && entry.function->type == DOCA_PCI_FUNC_TYPE_PF)
		draft->host_pfs++;
	return err;
}
