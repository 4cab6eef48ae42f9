/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The codec of the handshake: every message comes back as it went, and nothing else is accepted.
 */
#include "test.h"

#include <stdlib.h>
#include <string.h>
#include "base/fd.h"
#include "chan/handshake.h"

#define LONGEST                                                                                    \
	"0123456789012345678901234567890123456789012345678901234567890123456789012345678901234567" \
	"890123456789012345678901234567890123456"

static const struct handshake samples[] = {
	{.type = HANDSHAKE_HELLO,
	 .hello = {.card = "card0",
		   .function = "0000:b1:00.0",
		   .service = "a service",
		   .max_msg_size = 4080}},
	{.type = HANDSHAKE_HELLO,
	 .hello = {.card = LONGEST, .function = LONGEST, .service = LONGEST, .max_msg_size = 1}},
	{.type = HANDSHAKE_HELLO},
	{.type = HANDSHAKE_ACCEPT, .accept = {.max_msg_size = 0x01020304}},
	{.type = HANDSHAKE_REJECT, .reject = {.error = 25, .reason = "all places are taken"}},
	{.type = HANDSHAKE_REJECT, .reject = {.error = UINT32_MAX, .reason = LONGEST}},
	{.type = HANDSHAKE_QUERY},
	{.type = HANDSHAKE_SERVER,
	 .server = {.card = "card0",
		    .function = "0000:b1:00.0/sf4",
		    .service = "s",
		    .pid = 1234,
		    .max_msg_size = 4080,
		    .max_clients = 512,
		    .client_count = 3}},
	{.type = HANDSHAKE_CONNECTION,
	 .connection = {.pid = 99,
			.uid = 1000,
			.consumer_count = 1,
			.producer_count = 2,
			.sent_messages = 1ull << 40,
			.sent_bytes = 1ull << 50,
			.received_messages = 7,
			.received_bytes = UINT64_MAX}},
	{.type = HANDSHAKE_END},
	{.type = HANDSHAKE_MEMORY, .memory = {.token = 0x80000001}},
	{.type = HANDSHAKE_WINDOW,
	 .window = {.consumer_id = 0xfffe,
		    .of_peer = 1,
		    .why = 9,
		    .size = 1ull << 40,
		    .in_place = 1ull << 39,
		    .copied = UINT64_MAX}},
};

static void every_message_comes_back(void **state)
{
	unsigned int i;

	(void)state;
	for (i = 0; i < ARRAY_SIZE(samples); i++) {
		uint8_t bytes[FD_MESSAGE_MAX];
		struct handshake back;
		size_t size = priv_handshake_encode(&samples[i], bytes);

		memset(&back, 0xff, sizeof(back));
		assert_ok(priv_handshake_decode(bytes, size, &back));
		assert_memory_equal(&back, &samples[i], sizeof(back));
	}
}

static void nothing_that_is_cut_is_accepted(void **state)
{
	unsigned int i;

	(void)state;
	for (i = 0; i < ARRAY_SIZE(samples); i++) {
		uint8_t bytes[FD_MESSAGE_MAX];
		size_t size = priv_handshake_encode(&samples[i], bytes), cut;

		for (cut = 0; cut < size; cut++) {
			uint8_t *exact = malloc(cut + 1); /* a byte beyond is a finding */
			struct handshake back = {.type = 77};

			memcpy(exact, bytes, cut);
			assert_err(priv_handshake_decode(exact, cut, &back), INVALID_VALUE);
			assert_int_equal(back.type, 77);
			free(exact);
		}
	}
}

static void nothing_may_follow(void **state)
{
	unsigned int i;

	(void)state;
	for (i = 0; i < ARRAY_SIZE(samples); i++) {
		uint8_t bytes[FD_MESSAGE_MAX + 1];
		size_t size = priv_handshake_encode(&samples[i], bytes);
		struct handshake back;

		bytes[size] = 0;
		assert_err(priv_handshake_decode(bytes, size + 1, &back), INVALID_VALUE);
	}
}

/* the first bytes: magic, version, type */
static void the_head_must_be_ours(void **state)
{
	uint8_t bytes[FD_MESSAGE_MAX];
	size_t size = priv_handshake_encode(&(struct handshake){.type = HANDSHAKE_END}, bytes);
	struct handshake back;
	unsigned int type;

	(void)state;
	assert_int_equal(size, 8);
	assert_memory_equal(bytes, "SFCH", 4);
	bytes[0] ^= 1;
	assert_err(priv_handshake_decode(bytes, size, &back), INVALID_VALUE);
	bytes[0] ^= 1;
	bytes[4]++;
	assert_err(priv_handshake_decode(bytes, size, &back), UNSUPPORTED_VERSION);
	bytes[4]--;
	for (type = HANDSHAKE_MEMORY + 1; type < 0x10000; type++) {
		bytes[6] = (uint8_t)type;
		bytes[7] = (uint8_t)(type >> 8);
		assert_err(priv_handshake_decode(bytes, size, &back), INVALID_VALUE);
	}
	bytes[6] = bytes[7] = 0;
	assert_err(priv_handshake_decode(bytes, size, &back), INVALID_VALUE);
}

static void a_text_that_is_too_long_is_refused(void **state)
{
	uint8_t bytes[FD_MESSAGE_MAX];
	size_t size = priv_handshake_encode(&samples[1], bytes);
	struct handshake back;

	(void)state;
	/* 127 bytes and a NUL are the most; the length of the first text is at 8. */
	assert_int_equal(bytes[8], 127);
	memmove(bytes + 11, bytes + 10, size - 10);
	bytes[8] = 128;
	bytes[10] = 'x';
	assert_err(priv_handshake_decode(bytes, size + 1, &back), INVALID_VALUE);
}

static void a_text_with_a_nul_is_refused(void **state)
{
	uint8_t bytes[FD_MESSAGE_MAX];
	size_t size = priv_handshake_encode(&samples[0], bytes);
	struct handshake back;

	(void)state;
	bytes[12] = 0;
	assert_err(priv_handshake_decode(bytes, size, &back), INVALID_VALUE);
}

static void the_longest_message_fits(void **state)
{
	uint8_t bytes[FD_MESSAGE_MAX];

	(void)state;
	assert_true(priv_handshake_encode(&samples[1], bytes) <= FD_MESSAGE_MAX);
}

static void texts_are_cut_to_the_field(void **state)
{
	char field[HANDSHAKE_TEXT_SIZE], text[HANDSHAKE_TEXT_SIZE + 2];

	(void)state;
	memset(text, '!', sizeof(text) - 1);
	text[sizeof(text) - 1] = '\0';
	memcpy(text, LONGEST, sizeof(LONGEST) - 1);
	handshake_set_text(field, text);
	assert_string_equal(field, LONGEST);
	handshake_set_text(field, "short");
	assert_string_equal(field, "short");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_message_comes_back),
		cmocka_unit_test(nothing_that_is_cut_is_accepted),
		cmocka_unit_test(nothing_may_follow),
		cmocka_unit_test(the_head_must_be_ours),
		cmocka_unit_test(a_text_that_is_too_long_is_refused),
		cmocka_unit_test(a_text_with_a_nul_is_refused),
		cmocka_unit_test(the_longest_message_fits),
		cmocka_unit_test(texts_are_cut_to_the_field),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
