/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Transactions of DH-HMAC-CHAP that go wrong, and how they end.
 */
#include "auth_host.h"

static void U1_wrong_keys_end_the_association(void **state)
{
	struct host *h = *state;
	struct peer peer = peer_of(&h->admin);

	peer.key.bytes[31] ^= 1;
	negotiate(h, &peer);
	take_challenge(h, &peer);
	reply(h, &peer);
	assert_int_equal(enable(h), REQUIRED);
	put_negotiate(h, &peer, ALL, 3, GROUPS, 6); /* no second try */
	assert_int_equal(send_data(h, &h->admin, NEGOTIATE_SIZE), REQUIRED);
	assert_failure1(h, &h->admin, NVMF_AUTH_FAILED);
	assert_int_equal(receive(h, &h->admin, 4096), NVME_SC_ABORT_SQ_DELETED);
}

static void U1_wrong_keys_of_an_io_queue_end_the_association(void **state)
{
	struct host *h = *state;
	struct peer peer = peer_of(&h->admin), io = peer_of(&h->io);

	authenticate(h, &peer);
	assert_int_equal(enable(h), 0);
	assert_int_equal(connect_io_queue(h, &h->io, 1), 0);
	io.key.bytes[0] ^= 1;
	negotiate(h, &io);
	take_challenge(h, &io);
	reply(h, &io);
	assert_failure1(h, &h->io, NVMF_AUTH_FAILED);
	assert_int_equal(dropped_count, 2);
}

static void U1_failing_again_ends_what_worked(void **state)
{
	struct host *h = *state;
	struct peer peer = peer_of(&h->admin);

	authenticate(h, &peer);
	assert_int_equal(enable(h), 0);
	peer.key.bytes[0] ^= 1;
	negotiate(h, &peer);
	take_challenge(h, &peer);
	reply(h, &peer);
	assert_int_equal(identify(h, NVME_CNS_CTRL, 0), REQUIRED);
	assert_failure1(h, &h->admin, NVMF_AUTH_FAILED);
}

static void U1_a_proof_is_of_no_use_twice(void **state)
{
	struct host *h = *state;
	struct peer peer = peer_of(&h->admin);
	uint8_t old[80];

	put_negotiate(h, &peer, "\1", 1, "\0", 1);
	assert_int_equal(send_data(h, &h->admin, NEGOTIATE_SIZE), 0);
	take_challenge(h, &peer);
	put_reply(h, &peer);
	memcpy(old, h->data, sizeof(old));
	assert_int_equal(send_data(h, &h->admin, sizeof(old)), 0);
	take_success1(h, &peer);
	put_negotiate(h, &peer, "\1", 1, "\0", 1);
	assert_int_equal(send_data(h, &h->admin, NEGOTIATE_SIZE), 0);
	take_challenge(h, &peer);
	memcpy(h->data, old, sizeof(old));
	assert_int_equal(send_data(h, &h->admin, sizeof(old)), 0);
	assert_failure1(h, &h->admin, NVMF_AUTH_FAILED);
}

static void U1_who_wants_a_proof_that_we_have_not(void **state)
{
	struct host *h = *state;
	struct peer peer = peer_of(&h->admin);

	peer.ctrlr_key = auth.ctrlr_key;
	auth.ctrlr_key.size = 0;
	assert_ok(nvmf_subsys_set_host_auth(h->subsys, HOSTNQN, &auth));
	negotiate(h, &peer);
	take_challenge(h, &peer);
	reply(h, &peer);
	assert_failure1(h, &h->admin, NVMF_AUTH_FAILED);
}

static void U1_a_key_that_is_taken_away(void **state)
{
	struct host *h = *state;
	struct peer peer = peer_of(&h->admin);

	negotiate(h, &peer);
	take_challenge(h, &peer);
	auth.key.size = 0;
	assert_ok(nvmf_subsys_set_host_auth(h->subsys, HOSTNQN, &auth));
	reply(h, &peer);
	assert_failure1(h, &h->admin, NVMF_AUTH_FAILED);
}

/* a change of the Negotiate message, and what is said about it */
static const struct {
	uint32_t at;
	uint8_t value;
	enum nvmf_auth_reason reason;
} wrong_negotiates[] = {
	{1, 0xf1, NVMF_AUTH_BAD_MESSAGE},  {0, 9, NVMF_AUTH_BAD_PAYLOAD}, /* t_id: none yet */
	{6, 1, NVMF_AUTH_SECURE_CHANNEL},  {7, 2, NVMF_AUTH_BAD_PAYLOAD},
	{8, 2, NVMF_AUTH_NO_PROTOCOL},	   {10, 0, NVMF_AUTH_NO_HASH},
	{10, 31, NVMF_AUTH_BAD_PAYLOAD},   {11, 0, NVMF_AUTH_NO_GROUP},
	{11, 0xff, NVMF_AUTH_BAD_PAYLOAD},
};

static void U1_negotiations_that_lead_nowhere(void **state)
{
	struct host *h = *state;
	struct peer peer = peer_of(&h->admin);
	size_t i;

	for (i = 0; i < ARRAY_SIZE(wrong_negotiates); i++) {
		enum nvmf_auth_reason reason = wrong_negotiates[i].reason;

		put_negotiate(h, &peer, ALL, 3, GROUPS, 6);
		h->data[wrong_negotiates[i].at] = wrong_negotiates[i].value;
		assert_int_equal(send_data(h, &h->admin, NEGOTIATE_SIZE), 0);
		if (wrong_negotiates[i].at < 2) /* before a transaction has begun its number is 0 */
			reason = NVMF_AUTH_BAD_PAYLOAD;
		assert_failure1(h, &h->admin, reason);
		again(h);
	}
	put_negotiate(h, &peer, "\4\5", 2, GROUPS, 6);
	assert_int_equal(send_data(h, &h->admin, NEGOTIATE_SIZE), 0);
	assert_failure1(h, &h->admin, NVMF_AUTH_NO_HASH);
	again(h);
	put_negotiate(h, &peer, ALL, 3, "\6\7", 2);
	assert_int_equal(send_data(h, &h->admin, NEGOTIATE_SIZE), 0);
	assert_failure1(h, &h->admin, NVMF_AUTH_NO_GROUP);
	again(h);
	put_negotiate(h, &peer, ALL, 3, GROUPS, 6);
	assert_int_equal(send_data(h, &h->admin, NEGOTIATE_SIZE - 1), 0);
	assert_failure1(h, &h->admin, NVMF_AUTH_BAD_PAYLOAD);
	again(h);
	assert_int_equal(send_data(h, &h->admin, 5), 0);
	assert_failure1(h, &h->admin, NVMF_AUTH_BAD_PAYLOAD);
}

/* a change of the Reply message, with SHA-256 and a value of 256 bytes */
static const struct {
	uint32_t at;
	uint8_t value;
	enum nvmf_auth_reason reason;
} wrong_replies[] = {
	{1, 1, NVMF_AUTH_BAD_MESSAGE},	{1, 4, NVMF_AUTH_BAD_MESSAGE},
	{0, 0, NVMF_AUTH_BAD_MESSAGE},	{4, 0, NVMF_AUTH_BAD_PAYLOAD},
	{6, 48, NVMF_AUTH_BAD_PAYLOAD}, {6, 31, NVMF_AUTH_BAD_PAYLOAD},
	{8, 2, NVMF_AUTH_BAD_PAYLOAD},	{11, 0, NVMF_AUTH_BAD_PAYLOAD},
	{11, 2, NVMF_AUTH_BAD_PAYLOAD}, {12, 0, NVMF_AUTH_BAD_PAYLOAD},
	{16, 0, NVMF_AUTH_FAILED},	{47, 0, NVMF_AUTH_FAILED},
};

static void U1_replies_that_prove_nothing(void **state)
{
	struct host *h = *state;
	struct nvmf_dh *other;
	struct peer peer;
	uint32_t size;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(wrong_replies); i++) {
		uint8_t *byte = h->data + wrong_replies[i].at;

		start_with_2048(h, &peer);
		size = put_reply(h, &peer);
		*byte = wrong_replies[i].at >= 16 ? *byte ^ 1 : wrong_replies[i].value;
		assert_int_equal(send_data(h, &h->admin, size), 0);
		assert_failure1(h, &h->admin, wrong_replies[i].reason);
		again(h);
	}
	start_with_2048(h, &peer);
	size = put_reply(h, &peer);
	assert_int_equal(send_data(h, &h->admin, size + 1), 0);
	assert_failure1(h, &h->admin, NVMF_AUTH_BAD_PAYLOAD);
	again(h);
	start_with_2048(h, &peer);
	size = put_reply(h, &peer);
	assert_ok(nvmf_dh_create(NVMF_FFDHE2048, &other)); /* somebody in between */
	assert_ok(nvmf_dh_public(other, h->data + 80));
	nvmf_dh_destroy(other);
	assert_int_equal(send_data(h, &h->admin, size), 0);
	assert_failure1(h, &h->admin, NVMF_AUTH_FAILED);
	again(h);
	start_with_2048(h, &peer);
	size = put_reply(h, &peer);
	memset(h->data + 80, 0, 256); /* everybody would know the secret */
	assert_int_equal(send_data(h, &h->admin, size), 0);
	assert_failure1(h, &h->admin, NVMF_AUTH_BAD_PAYLOAD);
}

static void U1_messages_out_of_turn(void **state)
{
	struct host *h = *state;
	struct peer peer;

	peer = peer_of(&h->admin);
	put_negotiate(h, &peer, "\1", 1, "\0", 1);
	assert_int_equal(send_data(h, &h->admin, NEGOTIATE_SIZE), 0);
	memset(h->data, 0, sizeof(h->data)); /* to a challenge that has not been made */
	h->data[12] = 1;
	peer.hash = NVMF_SHA256;
	peer.group = NVMF_DH_NULL;
	reply(h, &peer);
	assert_failure1(h, &h->admin, NVMF_AUTH_BAD_MESSAGE);
	again(h);
	start_with_2048(h, &peer);
	put_negotiate(h, &peer, ALL, 3, GROUPS, 6);
	assert_int_equal(send_data(h, &h->admin, NEGOTIATE_SIZE), 0);
	assert_failure1(h, &h->admin, NVMF_AUTH_BAD_MESSAGE);
	again(h);
	start_with_2048(h, &peer);
	reply(h, &peer);
	put_header(h, NVMF_AUTH_SUCCESS2, peer.t_id); /* before it has seen our response */
	assert_int_equal(send_data(h, &h->admin, 16), 0);
	assert_failure1(h, &h->admin, NVMF_AUTH_BAD_MESSAGE);
	again(h);
	start_with_2048(h, &peer);
	reply(h, &peer);
	take_success1(h, &peer);
	put_header(h, NVMF_AUTH_SUCCESS2, peer.t_id);
	assert_int_equal(send_data(h, &h->admin, 15), 0);
	assert_failure1(h, &h->admin, NVMF_AUTH_BAD_PAYLOAD);
}

/* the host has found out that we do not have our key */
static void U1_failure2_ends_the_association(void **state)
{
	struct host *h = *state;
	struct peer peer;

	start_with_2048(h, &peer);
	reply(h, &peer);
	take_success1(h, &peer);
	put_header(h, NVMF_AUTH_FAILURE2, peer.t_id);
	h->data[6] = h->data[7] = 1;
	assert_int_equal(send_data(h, &h->admin, 8), 0);
	assert_true(h->req.is_last);
	assert_int_equal(enable(h), REQUIRED);
	assert_int_equal(receive(h, &h->admin, 4096), REQUIRED);
	assert_int_equal(send_data(h, &h->admin, 8), REQUIRED);
	nvmf_auth_is_over(&h->admin);
	assert_int_equal(dropped_count, 1);
}

static void U1_commands_that_are_wrong_change_nothing(void **state)
{
	struct host *h = *state;
	struct peer peer = peer_of(&h->admin);
	unsigned int i;
	const uint8_t types[] = {NVME_FC_AUTH_SEND, NVME_FC_AUTH_RECEIVE};

	for (i = 0; i < 2; i++) {
		put_negotiate(h, &peer, ALL, 3, GROUPS, 6);
		new_auth_cmd(h, types[i], NEGOTIATE_SIZE);
		auth_cmd(h)->secp = 0xea;
		assert_int_equal(run(h, &h->admin), DNR(NVME_SC_INVALID_FIELD));
		new_auth_cmd(h, types[i], NEGOTIATE_SIZE);
		auth_cmd(h)->spsp0 = 0;
		assert_int_equal(run(h, &h->admin), DNR(NVME_SC_INVALID_FIELD));
		new_auth_cmd(h, types[i], NEGOTIATE_SIZE);
		auth_cmd(h)->spsp1 = 2;
		assert_int_equal(run(h, &h->admin), DNR(NVME_SC_INVALID_FIELD));
		new_auth_cmd(h, types[i], 0);
		assert_int_equal(run(h, &h->admin), DNR(NVME_SC_INVALID_FIELD));
		new_auth_cmd(h, types[i], NEGOTIATE_SIZE);
		h->req.size--;
		assert_int_equal(run(h, &h->admin), DNR(NVME_SC_SGL_DATA_LENGTH));
		new_auth_cmd(h, types[i], NEGOTIATE_SIZE);
		h->req.size++;
		assert_int_equal(run(h, &h->admin), DNR(NVME_SC_SGL_DATA_LENGTH));
	}
	assert_int_equal(receive(h, &h->admin, 4096), DNR(NVME_SC_SEQUENCE_ERROR));
	authenticate(h, &peer);
	assert_int_equal(receive(h, &h->admin, 4096), DNR(NVME_SC_SEQUENCE_ERROR));
	assert_int_equal(enable(h), 0);
}

static void U1_messages_are_not_cut_off(void **state)
{
	struct host *h = *state;
	struct peer peer = peer_of(&h->admin);

	peer.ctrlr_key = auth.ctrlr_key;
	put_negotiate(h, &peer, "\3", 1, "\5", 1);
	assert_int_equal(send_data(h, &h->admin, NEGOTIATE_SIZE), 0);
	assert_int_equal(receive(h, &h->admin, 16 + 64 + 1023), DNR(NVME_SC_INVALID_FIELD));
	assert_int_equal(receive(h, &h->admin, 16 + 64 + 1024), 0);
	peer.hash = NVMF_SHA512;
	peer.group = NVMF_FFDHE8192;
	reply(h, &peer);
	assert_int_equal(receive(h, &h->admin, 16 + 63), DNR(NVME_SC_INVALID_FIELD));
	assert_int_equal(receive(h, &h->admin, 16 + 64), 0);
	put_header(h, NVMF_AUTH_SUCCESS2, 0); /* another transaction's */
	assert_int_equal(send_data(h, &h->admin, 16), 0);
	assert_int_equal(receive(h, &h->admin, 7), DNR(NVME_SC_INVALID_FIELD));
	assert_failure1(h, &h->admin, NVMF_AUTH_BAD_PAYLOAD);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(U1_wrong_keys_end_the_association),
		TEST(U1_wrong_keys_of_an_io_queue_end_the_association),
		TEST(U1_failing_again_ends_what_worked),
		TEST(U1_a_proof_is_of_no_use_twice),
		TEST(U1_who_wants_a_proof_that_we_have_not),
		TEST(U1_a_key_that_is_taken_away),
		TEST(U1_negotiations_that_lead_nowhere),
		TEST(U1_replies_that_prove_nothing),
		TEST(U1_messages_out_of_turn),
		TEST(U1_failure2_ends_the_association),
		TEST(U1_commands_that_are_wrong_change_nothing),
		TEST(U1_messages_are_not_cut_off),
	};

	if (!nvmf_crypto_is_there()) {
		puts("built without libcrypto");
		return 77;
	}
	return cmocka_run_group_tests(tests, NULL, NULL);
}
