/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * PDUs of NVMe/TCP: TCP Transport Specification 1.0, section 3.6. The structures are the bytes of
 * the wire; what arrives goes through pdu_check() and a decoder before anybody looks at it.
 */
#ifndef SOFTFIELD_NVMF_PDU_H
#define SOFTFIELD_NVMF_PDU_H

#include <stdbool.h>
#include "nvme/spec.h"

enum pdu_type {
	PDU_ICREQ = 0x00,
	PDU_ICRESP = 0x01,
	PDU_H2C_TERM = 0x02,
	PDU_C2H_TERM = 0x03,
	PDU_CAPSULE_CMD = 0x04,
	PDU_CAPSULE_RESP = 0x05,
	PDU_H2C_DATA = 0x06,
	PDU_C2H_DATA = 0x07,
	PDU_R2T = 0x09,
};

#define PDU_FLAG_HEADER_DIGEST 0x01
#define PDU_FLAG_DATA_DIGEST   0x02
#define PDU_FLAG_LAST	       0x04
#define PDU_FLAG_SUCCESS       0x08

#define PDU_DIGEST_SIZE	     4u
#define PDU_COMMON_SIZE	     8u
#define PDU_HEADER_MAX	     128u /* the longest fixed part: ICReq */
#define PDU_TERM_DATA_MAX    128u /* of the offending PDU, sent back */
#define PDU_IC_HEADER_DIGEST 0x01 /* bits of ICReq.dgst and ICResp.dgst */
#define PDU_IC_DATA_DIGEST   0x02

struct pdu_common {
	uint8_t type;
	uint8_t flags;
	uint8_t hlen;
	uint8_t pdo;
	le32_t plen;
};
static_assert(sizeof(struct pdu_common) == PDU_COMMON_SIZE, "TCP 3.6.1");

struct pdu_ic { /* ICReq and ICResp: TCP 3.6.2.2, 3.6.2.3 */
	struct pdu_common hdr;
	le16_t pfv;
	uint8_t pda; /* alignment of data that the sender wants to receive, in dwords, 0-based */
	uint8_t dgst;
	le32_t limit; /* ICReq: MAXR2T, 0-based; ICResp: MAXH2CDATA, bytes */
	uint8_t reserved[112];
};
static_assert(sizeof(struct pdu_ic) == 128, "TCP 3.6.2.2");

struct pdu_term { /* TCP 3.6.2.4 */
	struct pdu_common hdr;
	le16_t fes;
	uint8_t fei[4];
	uint8_t reserved[10];
};
static_assert(sizeof(struct pdu_term) == 24, "TCP 3.6.2.4");

struct pdu_cmd { /* TCP 3.6.2.6 */
	struct pdu_common hdr;
	struct nvme_cmd cmd;
};
static_assert(sizeof(struct pdu_cmd) == 72, "TCP 3.6.2.6");

struct pdu_resp { /* TCP 3.6.2.7 */
	struct pdu_common hdr;
	struct nvme_cqe cqe;
};
static_assert(sizeof(struct pdu_resp) == 24, "TCP 3.6.2.7");

struct pdu_data { /* H2CData, C2HData; R2T with r2to and r2tl: TCP 3.6.2.8 to 3.6.2.10 */
	struct pdu_common hdr;
	le16_t cccid;
	le16_t ttag;
	le32_t offset;
	le32_t length;
	uint8_t reserved[4];
};
static_assert(sizeof(struct pdu_data) == 24, "TCP 3.6.2.8");

/* Why a connection is terminated: TCP 3.6.2.4 */
enum pdu_fes {
	PDU_FES_NONE = 0,
	PDU_FES_HEADER_FIELD = 1, /* fei: offset of the field */
	PDU_FES_SEQUENCE = 2,
	PDU_FES_HEADER_DIGEST = 3, /* fei: the digest received */
	PDU_FES_DATA_RANGE = 4,
	PDU_FES_DATA_LIMIT = 5,
	PDU_FES_PARAMETER = 6, /* fei: offset of the field */
};

struct pdu_fault {
	enum pdu_fes fes;
	uint32_t fei;
};

/* What the receiver knows when a PDU arrives. */
struct pdu_rules {
	bool connected; /* ICReq and ICResp have been exchanged */
	bool header_digest, data_digest;
	uint32_t max_in_capsule; /* bytes with a command */
	uint32_t max_h2c_data;
};

/* Where the parts of a PDU are. */
struct pdu_layout {
	enum pdu_type type;
	bool last;
	uint32_t header_size; /* with its digest and padding: all that comes before the data */
	uint32_t hlen;
	uint32_t data_size;
	bool has_header_digest, has_data_digest;
};

/*
 * Looks at the first 8 bytes of a PDU that a target receives. False: *fault says why the connection
 * must be terminated.
 */
bool pdu_check(const uint8_t bytes[PDU_COMMON_SIZE], const struct pdu_rules *rules,
	       struct pdu_layout *layout, struct pdu_fault *fault);

/* header: layout->header_size bytes. False: the digest does not match. */
bool pdu_check_header_digest(const uint8_t *header, const struct pdu_layout *layout,
			     struct pdu_fault *fault);

struct pdu_icreq_info {
	uint32_t data_alignment; /* bytes, of C2HData */
	bool header_digest, data_digest;
	uint32_t max_r2t; /* outstanding for one command, at least 1 */
};

bool pdu_decode_icreq(const uint8_t bytes[128], struct pdu_icreq_info *info,
		      struct pdu_fault *fault);

struct pdu_h2c_data_info {
	uint16_t cid, ttag;
	uint32_t offset, size;
};

bool pdu_decode_h2c_data(const uint8_t bytes[24], const struct pdu_layout *layout,
			 struct pdu_h2c_data_info *info, struct pdu_fault *fault);

/*
 * Encoders. They fill the structure and return the bytes of it on the wire; a header digest, when
 * asked for, goes into the 4 bytes behind the structure, which the caller provides.
 */

uint32_t pdu_encode_icresp(struct pdu_ic *pdu, bool header_digest, bool data_digest,
			   uint32_t max_h2c_data);
uint32_t pdu_encode_resp(struct pdu_resp *pdu, const struct nvme_cqe *cqe, bool header_digest);
uint32_t pdu_encode_r2t(struct pdu_data *pdu, uint16_t cid, uint16_t ttag, uint32_t offset,
			uint32_t size, bool header_digest);

struct pdu_c2h_attr {
	uint16_t cid;
	uint32_t offset, size;
	bool last, success;
	bool header_digest, data_digest;
	uint32_t alignment; /* of the data in the PDU, bytes */
};

/* returns the bytes before the data: header, digest and padding, at most PDU_C2H_HEADER_MAX */
#define PDU_C2H_HEADER_MAX 256u
uint32_t pdu_encode_c2h_data(uint8_t header[PDU_C2H_HEADER_MAX], const struct pdu_c2h_attr *attr);

/* bad: the PDU that is the cause, as far as it has been received; copied behind the structure */
uint32_t pdu_encode_term(uint8_t out[24 + PDU_TERM_DATA_MAX], const struct pdu_fault *fault,
			 const uint8_t *bad, uint32_t bad_size);

#endif
