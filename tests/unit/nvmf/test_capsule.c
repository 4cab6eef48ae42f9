/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * SGL descriptors and the private data of RDMA connections.
 */
#include "test.h"

#include <string.h>
#include "nvmf/capsule.h"

#define DNR(sc) ((sc) | NVME_SC_DNR)

static struct nvme_cmd with_sgl(uint64_t addr, uint32_t length, uint8_t type)
{
	struct nvme_cmd cmd = {.opcode = NVME_CMD_READ};

	cmd.sgl.addr = htole64(addr);
	cmd.sgl.length = htole32(length);
	cmd.sgl.type = type;
	return cmd;
}

static void descriptors_by_transport(void **state)
{
	static const struct {
		enum capsule_transport transport;
		uint64_t addr;
		uint32_t length;
		uint8_t type;
		uint32_t in_capsule;
		uint16_t status;
		enum capsule_place place;
	} rows[] = {
		{CAPSULE_TCP, 0, 4096, 0x5a, 0, 0, CAPSULE_TRANSPORT},
		{CAPSULE_TCP, 0, 0, 0x5a, 0, 0, CAPSULE_NO_DATA}, /* T18 */
		{CAPSULE_TCP, 0, 0, 0x01, 0, 0, CAPSULE_NO_DATA}, /* T18 */
		{CAPSULE_TCP, 0, 0, 0x00, 0, 0, CAPSULE_NO_DATA},
		{CAPSULE_TCP, 0, 4096, 0x00, 0, DNR(NVME_SC_SGL_TYPE), 0},
		{CAPSULE_TCP, 0, 4096, 0x40, 0, DNR(NVME_SC_SGL_TYPE), 0},
		{CAPSULE_TCP, 0, 4096, 0x5b, 0, DNR(NVME_SC_SGL_TYPE), 0},
		{CAPSULE_TCP, 0, 4096, 0x01, 4096, 0, CAPSULE_IN_CAPSULE}, /* T11 */
		{CAPSULE_TCP, 512, 512, 0x01, 1024, 0, CAPSULE_IN_CAPSULE},
		{CAPSULE_TCP, 513, 512, 0x01, 1024, DNR(NVME_SC_SGL_DATA_LENGTH), 0},
		{CAPSULE_TCP, 1025, 1, 0x01, 1024, DNR(NVME_SC_SGL_OFFSET), 0},
		{CAPSULE_TCP, UINT64_MAX, 2, 0x01, 1024, DNR(NVME_SC_SGL_OFFSET), 0},
		{CAPSULE_TCP, 0, 1, 0x01, 0, DNR(NVME_SC_SGL_DATA_LENGTH), 0},
		{CAPSULE_RDMA, 0, 4096, 0x5a, 0, DNR(NVME_SC_SGL_TYPE), 0},
		{CAPSULE_RDMA, 0, 4096, 0x02, 0, DNR(NVME_SC_SGL_TYPE), 0}, /* R12 */
		{CAPSULE_RDMA, 0, 512, 0x01, 512, 0, CAPSULE_IN_CAPSULE},   /* R9 */
	};
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct nvme_cmd cmd = with_sgl(rows[i].addr, rows[i].length, rows[i].type);
		struct capsule_data data = {.place = 99};

		assert_int_equal(
			capsule_parse_sgl(&cmd, rows[i].transport, rows[i].in_capsule, &data),
			rows[i].status);
		if (rows[i].status)
			assert_int_equal(data.place, 99); /* a failed call leaves no trace */
		else
			assert_int_equal(data.place, rows[i].place);
	}
}

static void R8_keyed_descriptor_fields(void **state) /* R8 */
{
	static const uint8_t bytes[16] = {8,	7,    6,    5,	  4,	3,    2,    1,
					  0x00, 0x10, 0x01, 0xdd, 0xcc, 0xbb, 0xaa, 0x4f};
	struct nvme_cmd cmd = {.opcode = NVME_CMD_WRITE};
	struct capsule_data data;

	(void)state;
	memcpy(&cmd.sgl, bytes, sizeof(bytes));
	assert_int_equal(capsule_parse_sgl(&cmd, CAPSULE_RDMA, 0, &data), 0);
	assert_int_equal(data.place, CAPSULE_KEYED);
	assert_int_equal(data.addr, 0x0102030405060708);
	assert_int_equal(data.size, 0x11000);
	assert_int_equal(data.key, 0xaabbccdd);
	assert_true(data.invalidate);
	cmd.sgl.keyed_type = NVME_SGL_KEYED;
	assert_int_equal(capsule_parse_sgl(&cmd, CAPSULE_RDMA, 0, &data), 0);
	assert_false(data.invalidate);
}

static void directions(void **state)
{
	struct nvme_cmd cmd = {.opcode = NVME_CMD_READ};
	struct nvmf_connect_cmd connect = {.opcode = NVME_CMD_FABRICS, .fctype = NVME_FC_CONNECT};

	(void)state;
	assert_int_equal(capsule_direction(&cmd), CAPSULE_TO_HOST);
	cmd.opcode = NVME_CMD_WRITE;
	assert_int_equal(capsule_direction(&cmd), CAPSULE_TO_TARGET);
	cmd.opcode = NVME_CMD_FLUSH;
	assert_int_equal(capsule_direction(&cmd), CAPSULE_NONE);
	memcpy(&cmd, &connect, sizeof(cmd));
	assert_int_equal(capsule_direction(&cmd), CAPSULE_TO_TARGET);
	connect.fctype = NVME_FC_PROPERTY_GET;
	memcpy(&cmd, &connect, sizeof(cmd));
	assert_int_equal(capsule_direction(&cmd), CAPSULE_NONE);
}

static void R1_R4_cm_request_fields(void **state) /* R1, R4 */
{
	uint8_t bytes[32] = {0, 0, 3, 0, 32, 0, 31, 0, 0xff, 0xff};
	struct capsule_cm_request request;

	(void)state;
	assert_int_equal(capsule_decode_cm_request(bytes, 32, &request), CAPSULE_CM_OK);
	assert_int_equal(request.qid, 3);
	assert_int_equal(request.hrqsize, 32);
	assert_int_equal(request.hsqsize, 32);
	assert_int_equal(request.cntlid, 0xffff);
	assert_int_equal(capsule_decode_cm_request(bytes, 31, &request), CAPSULE_CM_LENGTH);
	assert_int_equal(capsule_decode_cm_request(bytes, 0, &request), CAPSULE_CM_LENGTH);
	bytes[6] = 0;
	assert_int_equal(capsule_decode_cm_request(bytes, 32, &request), CAPSULE_CM_HSQSIZE);
	bytes[6] = bytes[7] = 0xff;
	assert_int_equal(capsule_decode_cm_request(bytes, 32, &request), CAPSULE_CM_HSQSIZE);
	bytes[4] = 0;
	assert_int_equal(capsule_decode_cm_request(bytes, 32, &request), CAPSULE_CM_HRQSIZE);
	bytes[0] = 1;
	assert_int_equal(capsule_decode_cm_request(bytes, 32, &request), CAPSULE_CM_RECFMT);
}

static void R2_R3_cm_answers(void **state) /* R2, R3 */
{
	static const uint8_t accept[6] = {0, 0, 0x80, 0, 0, 0}, reject[4] = {0, 0, 6, 0};
	uint8_t bytes[CAPSULE_CM_SIZE];

	(void)state;
	memset(bytes, 0xff, sizeof(bytes));
	capsule_encode_cm_accept(bytes, 128);
	assert_memory_equal(bytes, accept, sizeof(accept));
	assert_int_equal(bytes[31], 0);
	capsule_encode_cm_reject(bytes, CAPSULE_CM_RESOURCES);
	assert_memory_equal(bytes, reject, sizeof(reject));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(descriptors_by_transport),
		cmocka_unit_test(R8_keyed_descriptor_fields),
		cmocka_unit_test(directions),
		cmocka_unit_test(R1_R4_cm_request_fields),
		cmocka_unit_test(R2_R3_cm_answers),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
