/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * PDUs of NVMe/TCP: checks and conversion, no I/O.
 */
#include "nvmf/pdu.h"

#include <string.h>
#include "base/count.h"
#include "base/crc32c.h"

/* offsets of fields that a termination may blame */
enum {
	AT_TYPE = 0,
	AT_FLAGS = 1,
	AT_HLEN = 2,
	AT_PDO = 3,
	AT_PLEN = 4,
	AT_PFV = 8,
	AT_HPDA = 10,
	AT_LENGTH = 16,
};

static bool fail(struct pdu_fault *fault, enum pdu_fes fes, uint32_t fei)
{
	*fault = (struct pdu_fault){.fes = fes, .fei = fei};
	return false;
}

/* what a target may receive */
struct kind {
	uint8_t hlen;
	bool known;
	bool has_digests; /* header digest and data */
};

static const struct kind kinds[] = {
	[PDU_ICREQ] = {.hlen = sizeof(struct pdu_ic), .known = true},
	[PDU_H2C_TERM] = {.hlen = sizeof(struct pdu_term), .known = true},
	[PDU_CAPSULE_CMD] = {.hlen = sizeof(struct pdu_cmd), .known = true, .has_digests = true},
	[PDU_H2C_DATA] = {.hlen = sizeof(struct pdu_data), .known = true, .has_digests = true},
};

#define DWORD	      4u
#define MAX_ALIGNMENT 128u /* of data, that anybody may ask for */

/* PDUs without data or digests: fixed size, except that a termination quotes what it blames */
static bool check_plain(const struct pdu_common *c, uint32_t plen, struct pdu_layout *layout,
			struct pdu_fault *fault)
{
	uint32_t max = c->type == PDU_H2C_TERM ? c->hlen + PDU_TERM_DATA_MAX : c->hlen;

	if (plen < c->hlen || plen > max)
		return fail(fault, PDU_FES_HEADER_FIELD, AT_PLEN);
	layout->data_size = plen - c->hlen;
	return true;
}

/* What is blamed is the first field that is wrong: TCP 3.6.2.4 */
static bool check_data(const struct pdu_common *c, uint32_t plen, const struct pdu_rules *rules,
		       struct pdu_layout *layout, struct pdu_fault *fault)
{
	uint32_t start = c->hlen + (rules->header_digest ? PDU_DIGEST_SIZE : 0);
	uint32_t trailer = rules->data_digest ? PDU_DIGEST_SIZE : 0;
	bool has_data = plen > start;

	if (!!(c->flags & PDU_FLAG_HEADER_DIGEST) != rules->header_digest ||
	    !!(c->flags & PDU_FLAG_DATA_DIGEST) != (has_data && rules->data_digest))
		return fail(fault, PDU_FES_HEADER_FIELD, AT_FLAGS);
	if (c->hlen != layout->hlen)
		return fail(fault, PDU_FES_HEADER_FIELD, AT_HLEN);
	/* We ask for dwords (CPDA 0): no host needs padding before its data; it may have some. */
	if (has_data && c->pdo >= start && c->pdo < start + MAX_ALIGNMENT && c->pdo <= plen &&
	    c->pdo % DWORD == 0)
		start = c->pdo;
	else if (has_data || (plen == start && c->pdo > plen))
		return fail(fault, PDU_FES_HEADER_FIELD, AT_PDO);
	if (plen < start || (has_data && plen <= start + trailer))
		return fail(fault, PDU_FES_HEADER_FIELD, AT_PLEN);
	layout->header_size = start;
	layout->has_header_digest = rules->header_digest;
	layout->data_size = has_data ? plen - start - trailer : 0;
	layout->has_data_digest = has_data && rules->data_digest;
	return true;
}

static bool check_limit(struct pdu_layout *layout, const struct pdu_rules *rules,
			struct pdu_fault *fault)
{
	if (layout->type == PDU_CAPSULE_CMD && layout->data_size > rules->max_in_capsule)
		return fail(fault, PDU_FES_HEADER_FIELD, AT_PLEN);
	if (layout->type == PDU_H2C_DATA && layout->data_size > rules->max_h2c_data)
		return fail(fault, PDU_FES_DATA_LIMIT, 0);
	return true;
}

bool pdu_check(const uint8_t bytes[PDU_COMMON_SIZE], const struct pdu_rules *rules,
	       struct pdu_layout *layout, struct pdu_fault *fault)
{
	struct pdu_common c;
	uint32_t plen;

	memcpy(&c, bytes, sizeof(c));
	plen = le32toh(c.plen);
	if (c.type >= COUNT(kinds) || !kinds[c.type].known)
		return fail(fault, PDU_FES_HEADER_FIELD, AT_TYPE);
	if (c.type == PDU_ICREQ ? rules->connected : !rules->connected && c.type != PDU_H2C_TERM)
		return fail(fault, PDU_FES_SEQUENCE, 0);
	*layout = (struct pdu_layout){.type = c.type,
				      .hlen = kinds[c.type].hlen,
				      .header_size = kinds[c.type].hlen,
				      .last = c.flags & PDU_FLAG_LAST};
	if (kinds[c.type].has_digests)
		return check_data(&c, plen, rules, layout, fault) &&
		       check_limit(layout, rules, fault);
	if (c.hlen != layout->hlen)
		return fail(fault, PDU_FES_HEADER_FIELD, AT_HLEN);
	return check_plain(&c, plen, layout, fault);
}

static uint32_t get32(const uint8_t *p)
{
	uint32_t value;

	memcpy(&value, p, sizeof(value));
	return le32toh(value);
}

static void put32(uint8_t *p, uint32_t value)
{
	value = htole32(value);
	memcpy(p, &value, sizeof(value));
}

bool pdu_check_header_digest(const uint8_t *header, const struct pdu_layout *layout,
			     struct pdu_fault *fault)
{
	uint32_t received;

	if (!layout->has_header_digest)
		return true;
	received = get32(header + layout->hlen);
	if (received == priv_crc32c(header, layout->hlen))
		return true;
	return fail(fault, PDU_FES_HEADER_DIGEST, received);
}

bool pdu_decode_icreq(const uint8_t bytes[128], struct pdu_icreq_info *info,
		      struct pdu_fault *fault)
{
	struct pdu_ic pdu;

	memcpy(&pdu, bytes, sizeof(pdu));
	if (pdu.pfv)
		return fail(fault, PDU_FES_PARAMETER, AT_PFV);
	if (pdu.pda > 31)
		return fail(fault, PDU_FES_HEADER_FIELD, AT_HPDA);
	info->data_alignment = (pdu.pda + 1u) * 4;
	info->header_digest = pdu.dgst & PDU_IC_HEADER_DIGEST;
	info->data_digest = pdu.dgst & PDU_IC_DATA_DIGEST;
	info->max_r2t = le32toh(pdu.limit) == UINT32_MAX ? UINT32_MAX : le32toh(pdu.limit) + 1;
	return true;
}

bool pdu_decode_h2c_data(const uint8_t bytes[24], const struct pdu_layout *layout,
			 struct pdu_h2c_data_info *info, struct pdu_fault *fault)
{
	struct pdu_data pdu;

	memcpy(&pdu, bytes, sizeof(pdu));
	info->cid = le16toh(pdu.cccid);
	info->ttag = le16toh(pdu.ttag);
	info->offset = le32toh(pdu.offset);
	info->size = layout->data_size;
	if (!layout->data_size || le32toh(pdu.length) != layout->data_size)
		return fail(fault, PDU_FES_HEADER_FIELD, AT_LENGTH);
	return true;
}

/* completes a header of hlen bytes at p; returns its size with the digest */
static uint32_t finish(void *p, uint32_t hlen, bool header_digest)
{
	if (!header_digest)
		return hlen;
	put32((uint8_t *)p + hlen, priv_crc32c(p, hlen));
	return hlen + PDU_DIGEST_SIZE;
}

uint32_t pdu_encode_icresp(struct pdu_ic *pdu, bool header_digest, bool data_digest,
			   uint32_t max_h2c_data)
{
	*pdu = (struct pdu_ic){
		.hdr = {.type = PDU_ICRESP, .hlen = sizeof(*pdu), .plen = htole32(sizeof(*pdu))},
		.dgst = (uint8_t)((header_digest ? PDU_IC_HEADER_DIGEST : 0) |
				  (data_digest ? PDU_IC_DATA_DIGEST : 0)),
		.limit = htole32(max_h2c_data),
	};
	return sizeof(*pdu);
}

static struct pdu_common common(enum pdu_type type, uint32_t hlen, bool header_digest)
{
	return (struct pdu_common){
		.type = (uint8_t)type,
		.flags = header_digest ? PDU_FLAG_HEADER_DIGEST : 0,
		.hlen = (uint8_t)hlen,
		.plen = htole32(hlen + (header_digest ? PDU_DIGEST_SIZE : 0)),
	};
}

uint32_t pdu_encode_resp(struct pdu_resp *pdu, const struct nvme_cqe *cqe, bool header_digest)
{
	pdu->hdr = common(PDU_CAPSULE_RESP, sizeof(*pdu), header_digest);
	pdu->cqe = *cqe;
	return finish(pdu, sizeof(*pdu), header_digest);
}

uint32_t pdu_encode_r2t(struct pdu_data *pdu, uint16_t cid, uint16_t ttag, uint32_t offset,
			uint32_t size, bool header_digest)
{
	*pdu = (struct pdu_data){
		.hdr = common(PDU_R2T, sizeof(*pdu), header_digest),
		.cccid = htole16(cid),
		.ttag = htole16(ttag),
		.offset = htole32(offset),
		.length = htole32(size),
	};
	return finish(pdu, sizeof(*pdu), header_digest);
}

uint32_t pdu_encode_c2h_data(uint8_t header[PDU_C2H_HEADER_MAX], const struct pdu_c2h_attr *attr)
{
	struct pdu_data pdu = {
		.hdr = common(PDU_C2H_DATA, sizeof(pdu), attr->header_digest),
		.cccid = htole16(attr->cid),
		.offset = htole32(attr->offset),
		.length = htole32(attr->size),
	};
	uint32_t start = le32toh(pdu.hdr.plen);
	uint32_t pdo = (start + attr->alignment - 1) / attr->alignment * attr->alignment;

	pdu.hdr.flags |= (attr->last ? PDU_FLAG_LAST : 0) | (attr->success ? PDU_FLAG_SUCCESS : 0) |
			 (attr->data_digest ? PDU_FLAG_DATA_DIGEST : 0);
	pdu.hdr.pdo = (uint8_t)pdo;
	pdu.hdr.plen = htole32(pdo + attr->size + (attr->data_digest ? PDU_DIGEST_SIZE : 0));
	memcpy(header, &pdu, sizeof(pdu));
	finish(header, sizeof(pdu), attr->header_digest);
	memset(header + start, 0, pdo - start);
	return pdo;
}

static uint32_t lesser(uint32_t a, uint32_t b)
{
	return a < b ? a : b;
}

/* as much of the header as is there, without what follows it; lengths below that of any are lies */
static uint32_t quotable(const uint8_t *bad, uint32_t size)
{
	uint32_t length;

	size = lesser(size, PDU_TERM_DATA_MAX);
	if (size < PDU_COMMON_SIZE)
		return size;
	length = lesser(bad[AT_HLEN], get32(bad + AT_PLEN));
	return lesser(size, length < PDU_COMMON_SIZE ? PDU_COMMON_SIZE : length);
}

uint32_t pdu_encode_term(uint8_t out[24 + PDU_TERM_DATA_MAX], const struct pdu_fault *fault,
			 const uint8_t *bad, uint32_t bad_size)
{
	uint32_t quoted = quotable(bad, bad_size);
	struct pdu_term pdu = {
		.hdr = {.type = PDU_C2H_TERM,
			.hlen = sizeof(pdu),
			.plen = htole32((uint32_t)sizeof(pdu) + quoted)},
		.fes = htole16((uint16_t)fault->fes),
	};

	put32(pdu.fei, fault->fei);
	memcpy(out, &pdu, sizeof(pdu));
	memcpy(out + sizeof(pdu), bad, quoted);
	return (uint32_t)sizeof(pdu) + quoted;
}
