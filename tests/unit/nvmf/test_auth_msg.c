/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Messages of DH-HMAC-CHAP, byte by byte. Base 8.13.5
 */
#include "keys.h"

#include "nvmf/auth_msg.h"

static void headers_are_six_bytes(void **state)
{
	const uint8_t reply[] = {1, 2, 0, 0, 0x34, 0x12}, failure2[] = {0, 0xf0, 9, 9, 1, 0};
	struct nvmf_auth_header header;

	(void)state;
	assert_ok(nvmf_auth_get_header(reply, sizeof(reply), &header));
	assert_int_equal(header.message, NVMF_AUTH_REPLY);
	assert_int_equal(header.t_id, 0x1234);
	assert_ok(nvmf_auth_get_header(failure2, sizeof(failure2), &header));
	assert_int_equal(header.message, NVMF_AUTH_FAILURE2);
	assert_err(nvmf_auth_get_header(reply, 5, &header), INVALID_VALUE);
}

/* descriptors of 64 bytes: protocol, reserved, two counts, two lists of 30 */
static size_t fill_negotiate(uint8_t *data, uint8_t count)
{
	memset(data, 0, 8 + 64 * 3);
	data[4] = 5;
	data[7] = count;
	return 8 + 64u * count;
}

static void negotiate_lists_hashes_and_groups(void **state)
{
	uint8_t data[8 + 64 * 3];
	size_t size = fill_negotiate(data, 1);
	struct nvmf_auth_negotiate negotiate;

	(void)state;
	data[6] = 3;
	data[8] = 1;
	data[10] = 30;
	data[11] = 2;
	data[12] = 2;
	data[41] = 77;
	data[42] = 4;
	data[43] = 5;
	assert_ok(nvmf_auth_get_negotiate(data, size, &negotiate));
	assert_int_equal(negotiate.sc_c, 3);
	assert_true(negotiate.has_dhchap);
	assert_int_equal(negotiate.hash_count, 30);
	assert_int_equal(negotiate.group_count, 2);
	assert_int_equal(negotiate.hashes[0], 2);
	assert_int_equal(negotiate.hashes[29], 77);
	assert_int_equal(negotiate.groups[0], 4);
	assert_int_equal(negotiate.groups[1], 5);
	data[10] = 31;
	assert_err(nvmf_auth_get_negotiate(data, size, &negotiate), INVALID_VALUE);
	data[10] = 30;
	data[11] = 31;
	assert_err(nvmf_auth_get_negotiate(data, size, &negotiate), INVALID_VALUE);
}

static void negotiate_may_name_other_protocols(void **state)
{
	uint8_t data[8 + 64 * 3];
	size_t size = fill_negotiate(data, 3);
	struct nvmf_auth_negotiate negotiate;

	(void)state;
	data[8] = 9;
	data[8 + 64 + 2] = 200; /* not ours */
	assert_ok(nvmf_auth_get_negotiate(data, size, &negotiate));
	assert_false(negotiate.has_dhchap);
	assert_int_equal(negotiate.hash_count, 0);
	data[8 + 128] = 1;
	data[8 + 128 + 2] = 1;
	data[8 + 128 + 4] = 3;
	assert_ok(nvmf_auth_get_negotiate(data, size, &negotiate));
	assert_true(negotiate.has_dhchap);
	assert_int_equal(negotiate.hash_count, 1);
	assert_int_equal(negotiate.hashes[0], 3);
}

static void negotiate_has_the_size_that_it_says(void **state)
{
	uint8_t data[8 + 64 * 3];
	size_t size = fill_negotiate(data, 2), wrong;
	struct nvmf_auth_negotiate negotiate;

	(void)state;
	for (wrong = 0; wrong <= sizeof(data); wrong++)
		if (wrong != size)
			assert_err(nvmf_auth_get_negotiate(data, wrong, &negotiate), INVALID_VALUE);
	assert_ok(nvmf_auth_get_negotiate(data, size, &negotiate));
	size = fill_negotiate(data, 0);
	assert_ok(nvmf_auth_get_negotiate(data, size, &negotiate));
	assert_false(negotiate.has_dhchap);
}

static void reply_points_into_the_message(void **state)
{
	uint8_t data[16 + 32 + 32 + 256] = {1, 2, 0, 0, 7, 0, 32, 0, 1, 0, 0, 1, 4, 3, 2, 1};
	struct nvmf_auth_reply reply;
	size_t size;

	(void)state;
	assert_ok(nvmf_auth_get_reply(data, sizeof(data), &reply));
	assert_int_equal(reply.hash_size, 32);
	assert_true(reply.cvalid);
	assert_int_equal(reply.dh_size, 256);
	assert_int_equal(reply.seqnum, 0x01020304);
	assert_ptr_equal(reply.response, data + 16);
	assert_ptr_equal(reply.challenge, data + 48);
	assert_ptr_equal(reply.dh_value, data + 80);
	for (size = 0; size < sizeof(data); size++)
		assert_err(nvmf_auth_get_reply(data, size, &reply), INVALID_VALUE);
	data[8] = 2;
	assert_err(nvmf_auth_get_reply(data, sizeof(data), &reply), INVALID_VALUE);
	data[8] = 0;
	assert_ok(nvmf_auth_get_reply(data, sizeof(data), &reply));
	assert_false(reply.cvalid);
	data[10] = 0xff; /* one byte less than it says */
	data[11] = 0;
	assert_err(nvmf_auth_get_reply(data, sizeof(data), &reply), INVALID_VALUE);
}

static void challenges_without_and_with_a_value(void **state)
{
	uint8_t data[NVMF_AUTH_MSG_MAX], value[NVMF_DH_VALUE_MAX], bytes[NVMF_DIGEST_MAX];
	struct nvmf_auth_challenge challenge = {.t_id = 0x0102,
						.hash = NVMF_SHA384,
						.group = NVMF_DH_NULL,
						.seqnum = 0x0a0b0c0d,
						.challenge = bytes,
						.dh_value = value};

	(void)state;
	memset(bytes, 0xc1, sizeof(bytes));
	memset(value, 0xd1, sizeof(value));
	assert_int_equal(nvmf_auth_put_challenge(&challenge, data), 16 + 48);
	assert_hex(data, "01010000020130000200"
			 "0000"
			 "0d0c0b0a"
			 "c1c1");
	challenge.hash = NVMF_SHA512;
	challenge.group = NVMF_FFDHE8192;
	assert_int_equal(nvmf_auth_put_challenge(&challenge, data), 16 + 64 + 1024);
	assert_hex(data, "01010000020140000305"
			 "0004"
			 "0d0c0b0a"
			 "c1c1");
	assert_hex(data + 16 + 63, "c1d1d1");
	assert_hex(data + 16 + 64 + 1023, "d1");
}

static void success_with_and_without_a_response(void **state)
{
	uint8_t data[NVMF_AUTH_MSG_MAX], response[NVMF_DIGEST_MAX];

	(void)state;
	memset(response, 0xe7, sizeof(response));
	assert_int_equal(nvmf_auth_put_success1(9, NVMF_SHA256, NULL, data), 16);
	assert_hex(data, "0103"
			 "0000"
			 "0900"
			 "2000"
			 "00"
			 "00000000000000");
	assert_int_equal(nvmf_auth_put_success1(9, NVMF_SHA256, response, data), 48);
	assert_hex(data, "0103"
			 "0000"
			 "0900"
			 "2000"
			 "01"
			 "00000000000000"
			 "e7e7");
}

static void failure_has_a_reason(void **state)
{
	uint8_t data[NVMF_AUTH_MSG_MAX];

	(void)state;
	assert_int_equal(nvmf_auth_put_failure1(0x1234, NVMF_AUTH_NO_GROUP, data), 8);
	assert_hex(data, "00f1"
			 "0000"
			 "3412"
			 "0105");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(headers_are_six_bytes),
		cmocka_unit_test(negotiate_lists_hashes_and_groups),
		cmocka_unit_test(negotiate_may_name_other_protocols),
		cmocka_unit_test(negotiate_has_the_size_that_it_says),
		cmocka_unit_test(reply_points_into_the_message),
		cmocka_unit_test(challenges_without_and_with_a_value),
		cmocka_unit_test(success_with_and_without_a_response),
		cmocka_unit_test(failure_has_a_reason),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
