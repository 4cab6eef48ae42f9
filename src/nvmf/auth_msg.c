/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Messages of DH-HMAC-CHAP: what a host sends is decoded, what a controller sends encoded.
 */
#include "nvmf/auth_msg.h"

#include <assert.h>
#include <string.h>
#include "base/wire.h"

#define PROTOCOL_DHCHAP	  1u /* AUTHID of a protocol descriptor */
#define DESCRIPTOR_SIZE	  64u
#define FAILURE_OF_DHCHAP 1u /* reason code */

doca_error_t nvmf_auth_get_header(const void *data, size_t size,
				  struct nvmf_auth_header *ret_header)
{
	struct wire_reader r = wire_reader(data, size);
	uint16_t type = (uint16_t)wire_get_uint(&r, 1), id = (uint16_t)wire_get_uint(&r, 1);
	uint16_t t_id;

	wire_get(&r, 2);
	t_id = wire_get_u16(&r);
	if (r.failed)
		return DOCA_ERROR_INVALID_VALUE;
	*ret_header = (struct nvmf_auth_header){(enum nvmf_auth_message)(type << 8 | id), t_id};
	return DOCA_SUCCESS;
}

static void get_descriptor(const uint8_t *from, struct nvmf_auth_negotiate *to)
{
	to->has_dhchap = true;
	to->hash_count = from[2];
	to->group_count = from[3];
	memcpy(to->hashes, from + 4, NVMF_AUTH_IDS);
	memcpy(to->groups, from + 4 + NVMF_AUTH_IDS, NVMF_AUTH_IDS);
}

doca_error_t nvmf_auth_get_negotiate(const void *data, size_t size,
				     struct nvmf_auth_negotiate *ret_negotiate)
{
	struct wire_reader r = wire_reader(data, size);
	struct nvmf_auth_negotiate negotiate = {0};
	uint8_t count;

	wire_get(&r, 6); /* header */
	negotiate.sc_c = (uint8_t)wire_get_uint(&r, 1);
	count = (uint8_t)wire_get_uint(&r, 1);
	while (count-- && !r.failed) {
		const uint8_t *descriptor = wire_get(&r, DESCRIPTOR_SIZE);

		if (descriptor && descriptor[0] == PROTOCOL_DHCHAP && !negotiate.has_dhchap)
			get_descriptor(descriptor, &negotiate);
	}
	if (!wire_reader_is_done(&r) || negotiate.hash_count > NVMF_AUTH_IDS ||
	    negotiate.group_count > NVMF_AUTH_IDS)
		return DOCA_ERROR_INVALID_VALUE;
	*ret_negotiate = negotiate;
	return DOCA_SUCCESS;
}

doca_error_t nvmf_auth_get_reply(const void *data, size_t size, struct nvmf_auth_reply *ret_reply)
{
	struct wire_reader r = wire_reader(data, size);
	struct nvmf_auth_reply reply = {0};
	uint8_t cvalid;

	wire_get(&r, 6); /* header */
	reply.hash_size = (uint8_t)wire_get_uint(&r, 1);
	wire_get(&r, 1);
	cvalid = (uint8_t)wire_get_uint(&r, 1);
	reply.cvalid = cvalid;
	wire_get(&r, 1);
	reply.dh_size = wire_get_u16(&r);
	reply.seqnum = wire_get_u32(&r);
	reply.response = wire_get(&r, reply.hash_size);
	reply.challenge = wire_get(&r, reply.hash_size); /* there, valid or not */
	reply.dh_value = wire_get(&r, reply.dh_size);
	if (!wire_reader_is_done(&r) || cvalid > 1)
		return DOCA_ERROR_INVALID_VALUE;
	*ret_reply = reply;
	return DOCA_SUCCESS;
}

/*
 * To the host
 */

static struct wire_writer begin(uint8_t *data, enum nvmf_auth_message message, uint16_t t_id)
{
	struct wire_writer w = wire_writer(data, NVMF_AUTH_MSG_MAX);

	wire_put_uint(&w, (uint32_t)message >> 8, 1);
	wire_put_uint(&w, (uint32_t)message & 0xff, 1);
	wire_put_uint(&w, 0, 2);
	wire_put_u16(&w, t_id);
	return w;
}

static size_t end(const struct wire_writer *w)
{
	assert(!w->failed);
	return wire_writer_size(w);
}

size_t nvmf_auth_put_challenge(const struct nvmf_auth_challenge *challenge, uint8_t *data)
{
	struct wire_writer w = begin(data, NVMF_AUTH_CHALLENGE, challenge->t_id);
	uint32_t hash_size = nvmf_digest_size(challenge->hash);
	uint32_t dh_size = nvmf_dh_size(challenge->group);

	wire_put_uint(&w, hash_size, 1);
	wire_put_uint(&w, 0, 1);
	wire_put_uint(&w, challenge->hash, 1);
	wire_put_uint(&w, challenge->group, 1);
	wire_put_u16(&w, (uint16_t)dh_size);
	wire_put_u32(&w, challenge->seqnum);
	wire_put(&w, challenge->challenge, hash_size);
	if (dh_size)
		wire_put(&w, challenge->dh_value, dh_size);
	return end(&w);
}

size_t nvmf_auth_put_success1(uint16_t t_id, enum nvmf_hash hash, const uint8_t *response,
			      uint8_t *data)
{
	struct wire_writer w = begin(data, NVMF_AUTH_SUCCESS1, t_id);

	wire_put_uint(&w, nvmf_digest_size(hash), 1);
	wire_put_uint(&w, 0, 1);
	wire_put_uint(&w, response != NULL, 1);
	wire_put_uint(&w, 0, 7);
	if (response)
		wire_put(&w, response, nvmf_digest_size(hash));
	return end(&w);
}

size_t nvmf_auth_put_failure1(uint16_t t_id, enum nvmf_auth_reason reason, uint8_t *data)
{
	struct wire_writer w = begin(data, NVMF_AUTH_FAILURE1, t_id);

	wire_put_uint(&w, FAILURE_OF_DHCHAP, 1);
	wire_put_uint(&w, reason, 1);
	return end(&w);
}
