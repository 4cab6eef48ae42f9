/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * NVMe/TCP PDUs: bytes as the specification draws them, and every header field wrong.
 */
#include "test.h"

#include <string.h>
#include "base/crc32c.h"
#include "nvmf/pdu.h"

static const struct pdu_rules plain = {
	.connected = true, .max_in_capsule = 8192, .max_h2c_data = 131072};
static const struct pdu_rules digests = {.connected = true,
					 .header_digest = true,
					 .data_digest = true,
					 .max_in_capsule = 8192,
					 .max_h2c_data = 131072};
static const struct pdu_rules fresh = {.max_in_capsule = 8192, .max_h2c_data = 131072};

/* type, flags, hlen, pdo, plen -> what comes out; the row's name is what it shows */
struct row {
	const char *name;
	const struct pdu_rules *rules;
	uint8_t type, flags, hlen, pdo;
	uint32_t plen;
	enum pdu_fes fes; /* NONE: legal, then data_size counts */
	uint32_t fei_or_size;
};

static const struct row rows[] = {
	{"T4 ICReq first", &fresh, 0x00, 0, 128, 0, 128, PDU_FES_NONE, 0},
	{"T20 second ICReq", &plain, 0x00, 0, 128, 0, 128, PDU_FES_SEQUENCE, 0},
	{"T20 capsule before ICReq", &fresh, 0x04, 0, 72, 0, 72, PDU_FES_SEQUENCE, 0},
	{"T20 data before ICReq", &fresh, 0x06, 0, 24, 24, 28, PDU_FES_SEQUENCE, 0},
	{"ICReq of another length", &fresh, 0x00, 0, 128, 0, 132, PDU_FES_HEADER_FIELD, 4},
	{"T20 unknown type", &plain, 0x08, 0, 24, 0, 24, PDU_FES_HEADER_FIELD, 0},
	{"T20 unknown type, high", &plain, 0xff, 0, 24, 0, 24, PDU_FES_HEADER_FIELD, 0},
	{"T20 ICResp from host", &plain, 0x01, 0, 128, 0, 128, PDU_FES_HEADER_FIELD, 0},
	{"T20 C2HTermReq from host", &plain, 0x03, 0, 24, 0, 24, PDU_FES_HEADER_FIELD, 0},
	{"T20 CapsuleResp from host", &plain, 0x05, 0, 24, 0, 24, PDU_FES_HEADER_FIELD, 0},
	{"T20 C2HData from host", &plain, 0x07, 0, 24, 24, 28, PDU_FES_HEADER_FIELD, 0},
	{"T20 R2T from host", &plain, 0x09, 0, 24, 0, 24, PDU_FES_HEADER_FIELD, 0},
	{"command", &plain, 0x04, 0, 72, 0, 72, PDU_FES_NONE, 0},
	{"command, PDO set without data", &plain, 0x04, 0, 72, 72, 72, PDU_FES_NONE, 0},
	{"T11 command with data", &plain, 0x04, 0, 72, 72, 72 + 4096, PDU_FES_NONE, 4096},
	{"T10 data behind padding", &plain, 0x04, 0, 72, 128, 128 + 4096, PDU_FES_NONE, 4096},
	{"T10 padding, both digests", &digests, 0x06, 3, 24, 32, 32 + 512 + 4, PDU_FES_NONE, 512},
	{"T10 padding and no data", &plain, 0x04, 0, 72, 128, 128, PDU_FES_HEADER_FIELD, 4},
	{"T20 PDO that is no dword", &plain, 0x04, 0, 72, 74, 72 + 512, PDU_FES_HEADER_FIELD, 3},
	{"T12 8192 bytes in capsule", &plain, 0x04, 0, 72, 72, 72 + 8192, PDU_FES_NONE, 8192},
	{"too much in capsule", &plain, 0x04, 0, 72, 72, 72 + 8193, PDU_FES_HEADER_FIELD, 4},
	{"T20 PLEN huge", &plain, 0x04, 0, 72, 72, 0xffffffff, PDU_FES_HEADER_FIELD, 4},
	{"T20 PLEN zero", &plain, 0x04, 0, 72, 0, 0, PDU_FES_HEADER_FIELD, 4},
	{"T20 PLEN below HLEN", &plain, 0x04, 0, 72, 0, 71, PDU_FES_HEADER_FIELD, 4},
	{"T20 HLEN wrong", &plain, 0x04, 0, 64, 0, 72, PDU_FES_HEADER_FIELD, 2},
	{"T20 HLEN zero", &plain, 0x06, 0, 0, 24, 28, PDU_FES_HEADER_FIELD, 2},
	{"T20 PDO in the header", &plain, 0x04, 0, 72, 8, 72 + 512, PDU_FES_HEADER_FIELD, 3},
	{"T20 PDO behind the data", &plain, 0x04, 0, 72, 200, 72 + 64, PDU_FES_HEADER_FIELD, 3},
	{"T20 PDO without data, outside", &plain, 0x04, 0, 72, 99, 72, PDU_FES_HEADER_FIELD, 3},
	{"T20 header digest not agreed", &plain, 0x04, 1, 72, 0, 76, PDU_FES_HEADER_FIELD, 1},
	{"T20 data digest not agreed", &plain, 0x04, 2, 72, 72, 588, PDU_FES_HEADER_FIELD, 1},
	{"T20 header digest missing", &digests, 0x04, 0, 72, 0, 72, PDU_FES_HEADER_FIELD, 1},
	{"T20 data digest missing", &digests, 0x04, 1, 72, 76, 76 + 512, PDU_FES_HEADER_FIELD, 1},
	{"data digest without data", &digests, 0x04, 3, 72, 0, 76, PDU_FES_HEADER_FIELD, 1},
	{"flags come before the length of the header", &plain, 0x04, 1, 64, 0, 72,
	 PDU_FES_HEADER_FIELD, 1},
	{"flags come before the place of data", &plain, 0x04, 2, 72, 80, 72 + 512,
	 PDU_FES_HEADER_FIELD, 1},
	{"flags come before the length", &plain, 0x04, 1, 72, 0, 60, PDU_FES_HEADER_FIELD, 1},
	{"the length of the header comes before the place of data", &plain, 0x04, 0, 64, 80,
	 72 + 512, PDU_FES_HEADER_FIELD, 2},
	{"the place of data comes before the length", &plain, 0x04, 0, 72, 82, 72 + 16384,
	 PDU_FES_HEADER_FIELD, 3},
	{"T7 command, header digest", &digests, 0x04, 1, 72, 0, 76, PDU_FES_NONE, 0},
	{"T7 both digests", &digests, 0x04, 3, 72, 76, 76 + 512 + 4, PDU_FES_NONE, 512},
	{"only a digest as data", &digests, 0x04, 3, 72, 76, 80, PDU_FES_HEADER_FIELD, 4},
	{"less than a digest as data", &digests, 0x04, 3, 72, 76, 78, PDU_FES_HEADER_FIELD, 4},
	{"T14 H2CData", &plain, 0x06, 4, 24, 24, 24 + 131072, PDU_FES_NONE, 131072},
	{"T19 H2CData over the limit", &plain, 0x06, 4, 24, 24, 24 + 131073, PDU_FES_DATA_LIMIT, 0},
	{"T21 H2CTermReq", &plain, 0x02, 0, 24, 0, 24, PDU_FES_NONE, 0},
	{"T21 H2CTermReq with the cause", &plain, 0x02, 0, 24, 0, 152, PDU_FES_NONE, 128},
	{"T21 H2CTermReq before ICReq", &fresh, 0x02, 0, 24, 0, 24, PDU_FES_NONE, 0},
	{"H2CTermReq too long", &plain, 0x02, 0, 24, 0, 153, PDU_FES_HEADER_FIELD, 4},
	{"H2CTermReq too short", &plain, 0x02, 0, 24, 0, 23, PDU_FES_HEADER_FIELD, 4},
};

static void check_accepts_and_blames(void **state)
{
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		const struct row *row = &rows[i];
		struct pdu_common c = {.type = row->type,
				       .flags = row->flags,
				       .hlen = row->hlen,
				       .pdo = row->pdo,
				       .plen = htole32(row->plen)};
		struct pdu_fault fault = {0};
		struct pdu_layout layout;
		bool ok = pdu_check((const uint8_t *)&c, row->rules, &layout, &fault);

		if (ok != (row->fes == PDU_FES_NONE) || fault.fes != row->fes ||
		    (ok ? layout.data_size : fault.fei) != row->fei_or_size)
			fail_msg("%s: ok %d fes %d fei %u", row->name, ok, fault.fes, fault.fei);
	}
}

static void header_digest_is_checked(void **state)
{
	struct pdu_layout layout = {.hlen = 72, .header_size = 76, .has_header_digest = true};
	struct pdu_fault fault;
	uint8_t header[76];
	uint32_t crc;

	(void)state;
	memset(header, 0x5a, sizeof(header));
	crc = htole32(priv_crc32c(header, 72));
	memcpy(header + 72, &crc, sizeof(crc));
	assert_true(pdu_check_header_digest(header, &layout, &fault));
	header[71] ^= 0x80;
	assert_false(pdu_check_header_digest(header, &layout, &fault));
	assert_int_equal(fault.fes, PDU_FES_HEADER_DIGEST);
	assert_int_equal(fault.fei, le32toh(crc));
}

static void icreq_parameters(void **state)
{
	struct pdu_ic pdu = {.hdr = {.hlen = 128, .plen = htole32(128)},
			     .pda = 31,
			     .dgst = 3,
			     .limit = htole32(7)};
	struct pdu_icreq_info info;
	struct pdu_fault fault;

	(void)state;
	assert_true(pdu_decode_icreq((uint8_t *)&pdu, &info, &fault));
	assert_int_equal(info.data_alignment, 128);
	assert_true(info.header_digest && info.data_digest);
	assert_int_equal(info.max_r2t, 8);
	pdu.limit = UINT32_MAX;
	assert_true(pdu_decode_icreq((uint8_t *)&pdu, &info, &fault));
	assert_int_equal(info.max_r2t, UINT32_MAX);
	pdu.pda = 32;
	assert_false(pdu_decode_icreq((uint8_t *)&pdu, &info, &fault));
	assert_int_equal(fault.fei, 10);
	pdu.pda = 0;
	pdu.dgst = 0xfe; /* reserved bits are ignored */
	assert_true(pdu_decode_icreq((uint8_t *)&pdu, &info, &fault));
	assert_false(info.header_digest);
	assert_true(info.data_digest);
	pdu.pfv = htole16(1); /* T20 */
	assert_false(pdu_decode_icreq((uint8_t *)&pdu, &info, &fault));
	assert_int_equal(fault.fes, PDU_FES_PARAMETER);
	assert_int_equal(fault.fei, 8);
}

static void h2c_data_length_must_match(void **state)
{
	struct pdu_data pdu = {.cccid = htole16(0x1234),
			       .ttag = htole16(9),
			       .offset = htole32(4096),
			       .length = htole32(512)};
	struct pdu_layout layout = {.data_size = 512};
	struct pdu_h2c_data_info info;
	struct pdu_fault fault;

	(void)state;
	assert_true(pdu_decode_h2c_data((uint8_t *)&pdu, &layout, &info, &fault));
	assert_int_equal(info.cid, 0x1234);
	assert_int_equal(info.ttag, 9);
	assert_int_equal(info.offset, 4096);
	assert_int_equal(info.size, 512);
	layout.data_size = 508;
	assert_false(pdu_decode_h2c_data((uint8_t *)&pdu, &layout, &info, &fault));
	assert_int_equal(fault.fei, 16);
	layout.data_size = 0;
	pdu.length = 0;
	assert_false(pdu_decode_h2c_data((uint8_t *)&pdu, &layout, &info, &fault));
}

static void icresp_bytes(void **state)
{
	static const uint8_t expected[16] = {1, 0, 128, 0, 128, 0, 0, 0, 0, 0, 0, 2, 0, 0, 2, 0};
	struct pdu_ic pdu;

	(void)state;
	assert_int_equal(pdu_encode_icresp(&pdu, false, true, 131072), 128);
	assert_memory_equal(&pdu, expected, sizeof(expected));
}

static void response_bytes(void **state)
{
	static const uint8_t expected[24] = {5, 1, 24, 0, 28, 0, 0, 0, 0xdd, 0, 0, 0,
					     0, 0, 0,  0, 7,  0, 0, 0, 0x42, 0, 2, 1};
	struct nvme_cqe cqe = {.dw0 = htole32(0xdd),
			       .sqhd = htole16(7),
			       .cid = htole16(0x42),
			       .status = htole16(0x102)};
	struct {
		struct pdu_resp pdu;
		uint32_t crc;
	} out;

	(void)state;
	assert_int_equal(pdu_encode_resp(&out.pdu, &cqe, true), 28);
	assert_memory_equal(&out, expected, sizeof(expected));
	assert_int_equal(le32toh(out.crc), priv_crc32c(expected, sizeof(expected)));
}

static void r2t_bytes(void **state)
{
	static const uint8_t expected[24] = {9, 0,  24, 0, 24, 0, 0, 0, 0x34, 0x12, 5, 0,
					     0, 16, 0,	0, 0,  2, 0, 0, 0,    0,    0, 0};
	struct pdu_data pdu;

	(void)state;
	assert_int_equal(pdu_encode_r2t(&pdu, 0x1234, 5, 4096, 512, false), 24);
	assert_memory_equal(&pdu, expected, sizeof(expected));
}

static void c2h_data_honours_alignment(void **state)
{
	static const struct {
		uint32_t alignment, pdo;
		bool digest;
	} cases[] = {{4, 24, false}, {4, 28, true},  {8, 24, false},
		     {8, 32, true},  {64, 64, true}, {128, 128, false}};
	uint8_t header[PDU_C2H_HEADER_MAX];
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct pdu_c2h_attr attr = {.cid = 3,
					    .size = 4096,
					    .last = true,
					    .success = true,
					    .header_digest = cases[i].digest,
					    .data_digest = cases[i].digest,
					    .alignment = cases[i].alignment};
		struct pdu_common c;

		assert_int_equal(pdu_encode_c2h_data(header, &attr), cases[i].pdo);
		memcpy(&c, header, sizeof(c));
		assert_int_equal(c.type, PDU_C2H_DATA);
		assert_int_equal(c.pdo, cases[i].pdo);
		assert_int_equal(c.flags, cases[i].digest ? 0xf : 0xc);
		assert_int_equal(le32toh(c.plen), cases[i].pdo + 4096 + (cases[i].digest ? 4 : 0));
	}
}

static void termination_quotes_the_header_only(void **state)
{
	static const uint8_t expected[14] = {3, 0, 24, 0, 152, 0, 0, 0, 1, 0, 16, 0, 0, 0};
	struct pdu_fault fault = {.fes = PDU_FES_HEADER_FIELD, .fei = 16};
	uint8_t bad[300], out[24 + PDU_TERM_DATA_MAX];

	(void)state;
	memset(bad, 0xab, sizeof(bad));
	assert_int_equal(pdu_encode_term(out, &fault, bad, sizeof(bad)), 152);
	assert_memory_equal(out, expected, sizeof(expected));
	assert_memory_equal(out + 24, bad, 128);
	assert_int_equal(pdu_encode_term(out, &fault, bad, 8), 32);
	assert_int_equal(pdu_encode_term(out, &fault, bad, 3), 27);
	bad[2] = 72; /* what follows is data */
	assert_int_equal(pdu_encode_term(out, &fault, bad, sizeof(bad)), 24 + 72);
	bad[2] = 0xab;
	memcpy(bad + 4, "\x48\0\0", 4); /* 72 bytes long: what follows is another one */
	assert_int_equal(pdu_encode_term(out, &fault, bad, sizeof(bad)), 24 + 72);
	memset(bad + 4, 0, 4);
	assert_int_equal(pdu_encode_term(out, &fault, bad, sizeof(bad)), 24 + 8);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(check_accepts_and_blames),
		cmocka_unit_test(header_digest_is_checked),
		cmocka_unit_test(icreq_parameters),
		cmocka_unit_test(h2c_data_length_must_match),
		cmocka_unit_test(icresp_bytes),
		cmocka_unit_test(response_bytes),
		cmocka_unit_test(r2t_bytes),
		cmocka_unit_test(c2h_data_honours_alignment),
		cmocka_unit_test(termination_quotes_the_header_only),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
