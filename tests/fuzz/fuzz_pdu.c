/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The first bytes of NVMe/TCP PDUs under all rules. What is accepted must add up to PLEN.
 */
#include <assert.h>
#include <stddef.h>
#include <string.h>
#include "nvmf/pdu.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void decode(const uint8_t *pdu, const struct pdu_layout *layout)
{
	struct pdu_h2c_data_info h2c;
	struct pdu_icreq_info ic;
	struct pdu_fault fault;
	uint8_t out[24 + PDU_TERM_DATA_MAX];

	if (!pdu_check_header_digest(pdu, layout, &fault))
		assert(pdu_encode_term(out, &fault, pdu, layout->header_size) <= sizeof(out));
	if (layout->type == PDU_ICREQ && pdu_decode_icreq(pdu, &ic, &fault))
		assert(ic.max_r2t && ic.data_alignment % 4 == 0 && ic.data_alignment <= 128);
	if (layout->type == PDU_H2C_DATA && pdu_decode_h2c_data(pdu, layout, &h2c, &fault))
		assert(h2c.size == layout->data_size);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct pdu_rules rules = {.max_in_capsule = 8192, .max_h2c_data = 131072};
	uint8_t pdu[PDU_HEADER_MAX + PDU_DIGEST_SIZE] = {0};
	struct pdu_layout layout;
	struct pdu_fault fault;
	uint32_t plen;

	if (size < 1 + PDU_COMMON_SIZE)
		return 0;
	rules.connected = data[0] & 1;
	rules.header_digest = data[0] & 2;
	rules.data_digest = data[0] & 4;
	memcpy(pdu, data + 1, size - 1 < sizeof(pdu) ? size - 1 : sizeof(pdu));
	if (!pdu_check(pdu, &rules, &layout, &fault)) {
		assert(fault.fes != PDU_FES_NONE);
		return 0;
	}
	memcpy(&plen, pdu + 4, sizeof(plen));
	assert(layout.hlen + (layout.has_header_digest ? PDU_DIGEST_SIZE : 0) <= sizeof(pdu));
	assert(layout.header_size <= UINT8_MAX); /* as far as a PDO goes */
	assert(le32toh(plen) == layout.header_size + layout.data_size +
					(layout.has_data_digest ? PDU_DIGEST_SIZE : 0));
	decode(pdu, &layout);
	return 0;
}
