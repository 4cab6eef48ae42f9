/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Any text as a topology file: it is accepted or refused with a reason, and what is accepted keeps
 * the promises of topo.h.
 */
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "topo/load.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check(const struct topo *topo)
{
	for (unsigned int i = 0; i < topo->function_count; i++) {
		const struct topo_function *function = &topo->functions[i];
		char addr[DOCA_DEVINFO_PCI_ADDR_SIZE];

		assert(function->card >= topo->cards &&
		       function->card < topo->cards + topo->card_count);
		assert(!priv_topo_parse_pci_addr(function->pci_addr, addr));
		assert(!strcmp(addr, function->pci_addr));
		assert(function->id[0] && function->vuid[0] &&
		       function->vhca_id != TOPO_VHCA_ID_UNSET);
		assert(function->ibdev_name[0] && function->iface_name[0]);
		assert((function->type == DOCA_PCI_FUNC_TYPE_PF) == !function->pf);
		assert((function->side == TOPO_HOST) == !!function->rep);
	}
	for (unsigned int i = 0; i < topo->rep_count; i++) {
		assert(topo->reps[i].host->rep == &topo->reps[i]);
		assert(topo->reps[i].dpu->side == TOPO_DPU);
		assert(topo->reps[i].dpu->card == topo->reps[i].host->card);
		assert(topo->reps[i].pci_addr[0] && topo->reps[i].iface_name[0]);
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *text = malloc(size + 1);
	struct topo_why why = {""};
	struct topo *topo = NULL;

	assert(text);
	memcpy(text, data, size);
	text[size] = '\0';
	if (topo_parse("fuzz", text, &topo, &why)) {
		assert(!topo && why.text[0]);
	} else {
		check(topo);
		priv_topo_free(topo);
	}
	free(text);
	return 0;
}
