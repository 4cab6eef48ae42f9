/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A host that authenticates, step by step. Its part is computed by functions that have known
 * answers in test_auth_key.c.
 */
#ifndef SOFTFIELD_TESTS_NVMF_AUTH_HOST_H
#define SOFTFIELD_TESTS_NVMF_AUTH_HOST_H

#include "host.h"
#include "keys.h"

#define REQUIRED DNR(NVME_SC_AUTH_REQUIRED)
#define ALL	 "\1\2\3"
#define GROUPS	 "\0\1\2\3\4\5"

/* what the host knows; its copies of what has been said */
struct peer {
	struct nvmf_queue *queue;
	struct nvmf_key key, ctrlr_key; /* ctrlr_key of size 0: it asks for no proof */
	uint16_t t_id;
	enum nvmf_hash hash;
	enum nvmf_dh_group group;
	struct nvmf_dh *dh;
	uint8_t secret[NVMF_DH_VALUE_MAX], challenge[NVMF_DIGEST_MAX];
};

static struct nvmf_host_auth auth;

static inline int setup(void **state)
{
	struct host *h;

	host_setup(state);
	h = *state;
	nvmf_subsys_allow_any_host(h->subsys, false);
	nvmf_host_auth_init(&auth);
	auth.key = parse_key("DHHC-1:01:" KEY_32);
	auth.ctrlr_key = parse_key(KEY_CTRLR);
	assert_ok(nvmf_subsys_allow_host(h->subsys, HOSTNQN));
	assert_ok(nvmf_subsys_set_host_auth(h->subsys, HOSTNQN, &auth));
	nvmf_queue_init(&h->admin, h->port, "127.0.0.1");
	new_connect(h, 0, 0xffff, SUBNQN);
	assert_int_equal(run(h, &h->admin), 0);
	return 0;
}

static inline struct peer peer_of(struct nvmf_queue *queue)
{
	return (struct peer){.queue = queue, .key = auth.key, .t_id = 0x1234};
}

static inline void new_auth_cmd(struct host *h, uint8_t type, uint32_t size)
{
	struct nvmf_auth_cmd cmd = {.opcode = NVME_CMD_FABRICS,
				    .flags = NVME_FLAG_PSDT_SGL,
				    .fctype = type,
				    .spsp0 = 1,
				    .spsp1 = 1,
				    .secp = 0xe9,
				    .length = htole32(size)};

	memset(&h->req, 0, sizeof(h->req));
	memcpy(&h->req.cmd, &cmd, sizeof(cmd));
	h->req.size = size;
}

static inline struct nvmf_auth_cmd *auth_cmd(struct host *h)
{
	return (struct nvmf_auth_cmd *)&h->req.cmd;
}

/* with what the target puts off */
static inline uint16_t run_to_end(struct host *h, struct nvmf_queue *queue)
{
	run(h, queue);
	if (h->verdict == NVMF_HOLD)
		nvmf_target_work(h->target);
	return h->req.status;
}

/* what is in h->data */
static inline uint16_t send_data(struct host *h, struct nvmf_queue *queue, uint32_t size)
{
	new_auth_cmd(h, NVME_FC_AUTH_SEND, size);
	return run_to_end(h, queue);
}

static inline uint16_t receive(struct host *h, struct nvmf_queue *queue, uint32_t size)
{
	new_auth_cmd(h, NVME_FC_AUTH_RECEIVE, size);
	return run_to_end(h, queue);
}

static inline void put_header(struct host *h, enum nvmf_auth_message message, uint16_t t_id)
{
	memset(h->data, 0, sizeof(h->data));
	h->data[0] = (uint8_t)(message >> 8);
	h->data[1] = (uint8_t)message;
	h->data[4] = (uint8_t)t_id;
	h->data[5] = (uint8_t)(t_id >> 8);
}

#define NEGOTIATE_SIZE 72u

static inline void put_negotiate(struct host *h, const struct peer *peer, const char *hashes,
				 size_t hash_count, const char *groups, size_t group_count)
{
	put_header(h, NVMF_AUTH_NEGOTIATE, peer->t_id);
	h->data[7] = 1;
	h->data[8] = 1;
	h->data[10] = (uint8_t)hash_count;
	h->data[11] = (uint8_t)group_count;
	memcpy(h->data + 12, hashes, hash_count);
	memcpy(h->data + 42, groups, group_count);
}

static inline void negotiate(struct host *h, const struct peer *peer)
{
	put_negotiate(h, peer, ALL, 3, GROUPS, 6);
	assert_int_equal(send_data(h, peer->queue, NEGOTIATE_SIZE), 0);
}

static inline void take_challenge(struct host *h, struct peer *peer)
{
	uint32_t hash_size;

	assert_int_equal(receive(h, peer->queue, 4096), 0);
	assert_int_equal(h->data[0] << 8 | h->data[1], NVMF_AUTH_CHALLENGE);
	assert_int_equal(h->data[4] | h->data[5] << 8, peer->t_id);
	peer->hash = h->data[8];
	peer->group = h->data[9];
	hash_size = nvmf_digest_size(peer->hash);
	assert_int_equal(h->data[6], hash_size);
	assert_int_equal(h->data[10] | h->data[11] << 8, nvmf_dh_size(peer->group));
	assert_int_equal(h->req.reply_size, 16 + hash_size + nvmf_dh_size(peer->group));
}

static inline void prove(const struct peer *peer, struct nvmf_proof *proof, const char *role,
			 uint8_t *response)
{
	bool by_host = !strcmp(role, NVMF_ROLE_HOST);

	proof->hash = peer->hash;
	proof->secret = peer->secret;
	proof->secret_size = nvmf_dh_size(peer->group);
	proof->t_id = peer->t_id;
	proof->role = role;
	proof->nqn = by_host ? HOSTNQN : SUBNQN;
	proof->other_nqn = by_host ? SUBNQN : HOSTNQN;
	assert_ok(nvmf_proof_make(proof, response));
}

/* the challenge that is in h->data becomes a reply; returns its size */
static inline uint32_t put_reply(struct host *h, struct peer *peer)
{
	uint32_t hash_size = nvmf_digest_size(peer->hash), dh_size = nvmf_dh_size(peer->group);
	uint8_t response[NVMF_DIGEST_MAX], value[NVMF_DH_VALUE_MAX];
	struct nvmf_proof proof = {.key = &peer->key};

	memcpy(&proof.seqnum, h->data + 12, 4);
	assert_int_not_equal(proof.seqnum, 0);
	if (dh_size) {
		assert_ok(nvmf_dh_create(peer->group, &peer->dh));
		assert_ok(nvmf_dh_public(peer->dh, value));
		assert_ok(nvmf_dh_secret(peer->dh, h->data + 16 + hash_size, peer->secret));
		nvmf_dh_destroy(peer->dh);
	}
	proof.challenge = h->data + 16;
	prove(peer, &proof, NVMF_ROLE_HOST, response);
	put_header(h, NVMF_AUTH_REPLY, peer->t_id);
	h->data[6] = (uint8_t)hash_size;
	h->data[8] = peer->ctrlr_key.size != 0;
	h->data[10] = (uint8_t)dh_size;
	h->data[11] = (uint8_t)(dh_size >> 8);
	h->data[12] = 0x77; /* number of our challenge */
	memcpy(h->data + 16, response, hash_size);
	memset(peer->challenge, 0xc2, sizeof(peer->challenge));
	memcpy(h->data + 16 + hash_size, peer->challenge, hash_size);
	memcpy(h->data + 16 + 2 * hash_size, value, dh_size);
	return 16 + 2 * hash_size + dh_size;
}

static inline void reply(struct host *h, struct peer *peer)
{
	uint32_t size = put_reply(h, peer);

	assert_int_equal(send_data(h, peer->queue, size), 0);
}

static inline void take_success1(struct host *h, const struct peer *peer)
{
	uint32_t hash_size = nvmf_digest_size(peer->hash);
	struct nvmf_proof proof = {
		.key = &peer->ctrlr_key, .challenge = peer->challenge, .seqnum = 0x77};
	uint8_t response[NVMF_DIGEST_MAX];

	assert_int_equal(receive(h, peer->queue, 4096), 0);
	assert_int_equal(h->data[0] << 8 | h->data[1], NVMF_AUTH_SUCCESS1);
	assert_int_equal(h->data[6], hash_size);
	assert_int_equal(h->data[8], peer->ctrlr_key.size != 0);
	assert_false(h->req.is_last);
	if (!peer->ctrlr_key.size) {
		assert_int_equal(h->req.reply_size, 16);
		return;
	}
	assert_int_equal(h->req.reply_size, 16 + hash_size);
	prove(peer, &proof, NVMF_ROLE_CONTROLLER, response);
	assert_memory_equal(h->data + 16, response, hash_size);
}

static inline void send_success2(struct host *h, const struct peer *peer)
{
	put_header(h, NVMF_AUTH_SUCCESS2, peer->t_id);
	assert_int_equal(send_data(h, peer->queue, 16), 0);
}

/* all of it */
static inline void authenticate(struct host *h, struct peer *peer)
{
	negotiate(h, peer);
	take_challenge(h, peer);
	reply(h, peer);
	take_success1(h, peer);
	if (peer->ctrlr_key.size)
		send_success2(h, peer);
}

/* the association ends when the host has fetched why */
static inline void assert_failure1(struct host *h, struct nvmf_queue *queue,
				   enum nvmf_auth_reason reason)
{
	assert_int_equal(receive(h, queue, 4096), 0);
	assert_int_equal(h->req.reply_size, 8);
	assert_int_equal(h->data[0] << 8 | h->data[1], NVMF_AUTH_FAILURE1);
	assert_int_equal(h->data[6], 1);
	assert_int_equal(h->data[7], reason);
	assert_true(h->req.is_last);
	assert_int_equal(dropped_count, 0);
	nvmf_auth_is_over(queue);
	assert_true(dropped_count > 0);
	assert_ptr_equal(dropped[dropped_count - 1], &h->admin);
	assert_true(h->admin.ctrlr->csts & NVME_CSTS_CFS);
}

static inline uint16_t enable(struct host *h)
{
	return set_cc(h, CC_ENABLE);
}

static inline void start_with_2048(struct host *h, struct peer *peer)
{
	*peer = peer_of(&h->admin);
	peer->ctrlr_key = auth.ctrlr_key;
	put_negotiate(h, peer, "\1", 1, "\1", 1);
	assert_int_equal(send_data(h, &h->admin, NEGOTIATE_SIZE), 0);
	take_challenge(h, peer);
}

static inline void again(struct host *h)
{
	close_dropped();
	nvmf_queue_init(&h->admin, h->port, "127.0.0.1");
	new_connect(h, 0, 0xffff, SUBNQN);
	assert_int_equal(run(h, &h->admin), 0);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, host_teardown)

#endif
