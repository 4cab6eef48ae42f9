/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What two functions must not share, so that every name means one thing.
 */
#include <stdio.h>
#include <string.h>

#include "topo/draft.h"
#include "base/count.h"

static const char *side_key(enum topo_side side)
{
	return side == TOPO_DPU ? "dpu" : "host";
}

/* an SF has the address of its PF, and so have its siblings */
static bool share_pf(const struct topo_function *a, const struct topo_function *b)
{
	bool a_is_sf = a->type == DOCA_PCI_FUNC_TYPE_SF, b_is_sf = b->type == DOCA_PCI_FUNC_TYPE_SF;

	return (a_is_sf && a->pf == b) || (b_is_sf && b->pf == a) ||
	       (a_is_sf && b_is_sf && a->pf == b->pf);
}

static bool same_pci(const struct topo_function *a, const struct topo_function *b)
{
	return a->side == b->side && !share_pf(a, b) && priv_topo_function_has_addr(b, a->pci_addr);
}

static bool same_rep_pci(const struct topo_function *a, const struct topo_function *b)
{
	return a->rep && b->rep && !share_pf(a, b) &&
	       priv_topo_function_has_addr(b, a->rep_pci_addr);
}

static bool same_sf_index(const struct topo_function *a, const struct topo_function *b)
{
	return a->type == DOCA_PCI_FUNC_TYPE_SF && b->type == DOCA_PCI_FUNC_TYPE_SF &&
	       a->pf == b->pf && a->sf_index == b->sf_index;
}

static bool same_ibdev(const struct topo_function *a, const struct topo_function *b)
{
	return a->side == b->side && !strcmp(a->ibdev_name, b->ibdev_name);
}

static bool same_iface(const struct topo_function *a, const struct topo_function *b)
{
	return a->side == b->side && !strcmp(a->iface_name, b->iface_name);
}

/* representors are interfaces of the card's DPU side */
static bool same_rep_iface(const struct topo_function *a, const struct topo_function *b)
{
	const char *other = b->rep ? b->rep->iface_name : b->iface_name;

	return a->rep && a->card == b->card && !strcmp(a->rep->iface_name, other);
}

static bool same_mac(const struct topo_function *a, const struct topo_function *b)
{
	return !memcmp(a->mac_addr, b->mac_addr, sizeof(a->mac_addr));
}

static bool same_vuid(const struct topo_function *a, const struct topo_function *b)
{
	return !strcmp(a->vuid, b->vuid);
}

static bool same_vhca_id(const struct topo_function *a, const struct topo_function *b)
{
	return a->card == b->card && a->vhca_id == b->vhca_id;
}

static const struct unique {
	const char *key;
	/* would a, which comes later, be taken for b? */
	bool (*same)(const struct topo_function *a, const struct topo_function *b);
} uniques[] = {
	{"pci", same_pci},     {"rep.pci", same_rep_pci}, {"sf_index", same_sf_index},
	{"ibdev", same_ibdev}, {"iface", same_iface},	  {"rep.iface", same_rep_iface},
	{"mac", same_mac},     {"vuid", same_vuid},	  {"vhca_id", same_vhca_id},
};

static doca_error_t check_pair(struct reader *reader, const struct topo *topo,
			       const struct topo_function *a, const struct topo_function *b)
{
	for (size_t i = 0; i < COUNT(uniques); i++) {
		char path[64];

		if (!uniques[i].same(a, b))
			continue;
		snprintf(path, sizeof(path), "cards[%u].%s[%u].%s",
			 (unsigned int)(a->card - topo->cards), side_key(a->side), a->index,
			 uniques[i].key);
		return reader_refuse_at(reader, path, "is already that of cards[%u].%s[%u] (%s)",
					(unsigned int)(b->card - topo->cards), side_key(b->side),
					b->index, b->id);
	}
	return DOCA_SUCCESS;
}

doca_error_t topo_check_unique(struct reader *reader, const struct topo *topo)
{
	for (unsigned int i = 0; i < topo->card_count; i++) {
		for (unsigned int k = 0; k < i; k++) {
			char path[32];

			snprintf(path, sizeof(path), "cards[%u].name", i);
			if (!strcmp(topo->cards[i].name, topo->cards[k].name))
				return reader_refuse_at(reader, path,
							"\"%s\" is already that of cards[%u]",
							topo->cards[i].name, k);
		}
	}
	for (unsigned int i = 0; i < topo->function_count; i++) {
		for (unsigned int k = 0; k < i; k++) {
			doca_error_t err =
				check_pair(reader, topo, &topo->functions[i], &topo->functions[k]);

			if (err)
				return err;
		}
	}
	return DOCA_SUCCESS;
}
