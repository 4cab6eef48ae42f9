/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * In-band authentication by DH-HMAC-CHAP (Base 8.13): what a host has to prove, and how far a queue
 * is with it.
 */
#ifndef SOFTFIELD_NVMF_AUTH_H
#define SOFTFIELD_NVMF_AUTH_H

#include "nvmf/auth_key.h"
#include "nvmf/auth_msg.h"

/* What a host must prove, and what is proved to it. */
struct nvmf_host_auth {
	struct nvmf_key key;	   /* of size 0: the host proves nothing */
	struct nvmf_key ctrlr_key; /* of size 0: neither does the controller */
	uint8_t hash_count;	   /* of these the first that the host knows, too, is used */
	uint8_t group_count;
	uint8_t hashes[NVMF_HASHES];	/* enum nvmf_hash */
	uint8_t groups[NVMF_DH_GROUPS]; /* enum nvmf_dh_group */
};

/* no keys; every hash and group, in the order that is best */
void nvmf_host_auth_init(struct nvmf_host_auth *auth);

enum nvmf_auth_standing {
	NVMF_AUTH_NOT_ASKED,
	NVMF_AUTH_OWED, /* nothing else is answered until then */
	NVMF_AUTH_PROVED,
};

/* What the queue waits for. */
enum nvmf_auth_state {
	NVMF_AUTH_IDLE, /* a transaction may begin, also another one on a queue that works */
	NVMF_AUTH_TO_CHALLENGE,
	NVMF_AUTH_WAIT_REPLY,
	NVMF_AUTH_TO_SUCCEED,
	NVMF_AUTH_WAIT_SUCCESS2,
	NVMF_AUTH_TO_FAIL,
	NVMF_AUTH_OVER, /* it has failed, and the connection ends */
	NVMF_AUTH_STATE_COUNT
};

/* A queue's authentication; all zeroes: nothing is asked of it. */
struct nvmf_auth {
	enum nvmf_auth_standing standing;
	enum nvmf_auth_state state;
	enum nvmf_auth_reason reason; /* why it has failed */
	uint64_t due_ns;	      /* of the host's next step */
	/* the transaction */
	uint16_t t_id;
	enum nvmf_hash hash;
	enum nvmf_dh_group group;
	uint32_t seqnum;
	struct nvmf_dh *dh;
	uint8_t challenge[NVMF_DIGEST_MAX];
	bool has_response; /* the host has challenged us */
	uint8_t response[NVMF_DIGEST_MAX];
};

/* nothing but its own commands is answered */
static inline bool nvmf_auth_is_owed(const struct nvmf_auth *auth)
{
	return auth->standing == NVMF_AUTH_OWED;
}

#endif
