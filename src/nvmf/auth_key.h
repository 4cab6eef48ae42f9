/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Keys of DH-HMAC-CHAP as people write them, DHHC-1:01:BASE64: (Base 8.13.5), and what is proved
 * with them.
 */
#ifndef SOFTFIELD_NVMF_AUTH_KEY_H
#define SOFTFIELD_NVMF_AUTH_KEY_H

#include "nvmf/crypto.h"

#define NVMF_KEY_MAX 64u

struct nvmf_key {
	uint8_t transform; /* an enum nvmf_hash: by which it is tied to its owner's name; 0: not */
	uint8_t size;	   /* 32, 48 or 64; 0: there is none */
	uint8_t bytes[NVMF_KEY_MAX];
};

/* INVALID_VALUE: ret_why says what is wrong, and nothing of the key */
doca_error_t nvmf_key_parse(const char *text, struct nvmf_key *ret_key, const char **ret_why);

/* That somebody has a key: the answer to a challenge. Base 8.13.5 */
struct nvmf_proof {
	const struct nvmf_key *key;
	enum nvmf_hash hash;
	const uint8_t *challenge; /* nvmf_digest_size() bytes */
	const uint8_t *secret;	  /* of Diffie-Hellman */
	uint32_t secret_size;	  /* 0: the group is NVMF_DH_NULL */
	uint32_t seqnum;
	uint16_t t_id;
	const char *role; /* NVMF_ROLE_ */
	const char *nqn;  /* of the key's owner */
	const char *other_nqn;
};

#define NVMF_ROLE_HOST	     "HostHost"
#define NVMF_ROLE_CONTROLLER "Controller"

/* UNEXPECTED: the library has failed. Names are shorter than NVME_NQN_SIZE */
doca_error_t nvmf_proof_make(const struct nvmf_proof *proof, uint8_t response[NVMF_DIGEST_MAX]);

#endif
