/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Messages of in-band authentication, inside Authentication Send and Receive: Base 8.13.5. Bytes
 * in, structures out.
 */
#ifndef SOFTFIELD_NVMF_AUTH_MSG_H
#define SOFTFIELD_NVMF_AUTH_MSG_H

#include "nvmf/crypto.h"

#define NVMF_AUTH_MSG_MAX (16u + 2 * NVMF_DIGEST_MAX + NVMF_DH_VALUE_MAX)
#define NVMF_AUTH_IDS	  30u /* of each kind, in a protocol descriptor */

/* type in the upper byte */
enum nvmf_auth_message {
	NVMF_AUTH_NEGOTIATE = 0x0000,
	NVMF_AUTH_CHALLENGE = 0x0101,
	NVMF_AUTH_REPLY = 0x0102,
	NVMF_AUTH_SUCCESS1 = 0x0103,
	NVMF_AUTH_SUCCESS2 = 0x0104,
	NVMF_AUTH_FAILURE2 = 0x00f0,
	NVMF_AUTH_FAILURE1 = 0x00f1,
};

/* reason code explanations */
enum nvmf_auth_reason {
	NVMF_AUTH_OK = 0,
	NVMF_AUTH_FAILED = 1,
	NVMF_AUTH_NO_PROTOCOL = 2,
	NVMF_AUTH_SECURE_CHANNEL = 3,
	NVMF_AUTH_NO_HASH = 4,
	NVMF_AUTH_NO_GROUP = 5,
	NVMF_AUTH_BAD_PAYLOAD = 6,
	NVMF_AUTH_BAD_MESSAGE = 7,
};

struct nvmf_auth_header {
	enum nvmf_auth_message message;
	uint16_t t_id;
};

struct nvmf_auth_negotiate {
	uint8_t sc_c;	 /* 0: no secure channel */
	bool has_dhchap; /* else the lists are empty */
	uint8_t hash_count, group_count;
	uint8_t hashes[NVMF_AUTH_IDS], groups[NVMF_AUTH_IDS];
};

/* pointers into the message */
struct nvmf_auth_reply {
	uint8_t hash_size;
	bool cvalid; /* there is a challenge for the controller */
	uint16_t dh_size;
	uint32_t seqnum;
	const uint8_t *response, *challenge, *dh_value;
};

/* INVALID_VALUE: too short */
doca_error_t nvmf_auth_get_header(const void *data, size_t size,
				  struct nvmf_auth_header *ret_header);
/* INVALID_VALUE: lengths do not fit, or a value is none that there is */
doca_error_t nvmf_auth_get_negotiate(const void *data, size_t size,
				     struct nvmf_auth_negotiate *ret_negotiate);
doca_error_t nvmf_auth_get_reply(const void *data, size_t size, struct nvmf_auth_reply *ret_reply);
#define NVMF_AUTH_SUCCESS2_SIZE 16u /* nothing in it is of interest */

struct nvmf_auth_challenge {
	uint16_t t_id;
	enum nvmf_hash hash;
	enum nvmf_dh_group group;
	uint32_t seqnum;
	const uint8_t *challenge, *dh_value; /* their sizes follow from hash and group */
};

/* Each returns its size, which is at most NVMF_AUTH_MSG_MAX. */
size_t nvmf_auth_put_challenge(const struct nvmf_auth_challenge *challenge, uint8_t *data);
/* response NULL: the host has not asked for one */
size_t nvmf_auth_put_success1(uint16_t t_id, enum nvmf_hash hash, const uint8_t *response,
			      uint8_t *data);
size_t nvmf_auth_put_failure1(uint16_t t_id, enum nvmf_auth_reason reason, uint8_t *data);

#endif
