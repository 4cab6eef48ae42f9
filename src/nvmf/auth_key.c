/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Keys from their text, responses from keys.
 */
#include "nvmf/auth_key.h"

#include <assert.h>
#include <string.h>
#include "base/wire.h"
#include "nvme/spec.h"

#define PREFIX	      "DHHC-1:"
#define CRC_SIZE      4u
#define TRANSFORM_TIE "NVMe-over-Fabrics"

/*
 * Text
 */

/* of RFC 1952, which is not the one of PDUs; keys are short and rarely read */
static uint32_t crc32(const uint8_t *data, size_t size)
{
	uint32_t crc = UINT32_MAX;
	unsigned int bit;

	while (size--) {
		crc ^= *data++;
		for (bit = 0; bit < 8; bit++)
			crc = crc >> 1 ^ (crc & 1 ? 0xedb88320u : 0);
	}
	return ~crc;
}

/* -1: no digit */
static int base64_digit(char c)
{
	static const char digits[] =
		"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
	const char *found = c ? strchr(digits, c) : NULL;

	return found ? (int)(found - digits) : -1;
}

/* Up to end, with the padding that its length asks for. False: not so, or no room */
static bool decode_base64(const char *text, const char *end, struct wire_writer *w)
{
	uint32_t bits = 0;
	unsigned int count = 0;
	size_t length = (size_t)(end - text);

	if (!length || length % 4)
		return false;
	for (; text < end && *text != '='; text++) {
		int digit = base64_digit(*text);

		if (digit < 0)
			return false;
		bits = bits << 6 | (uint32_t)digit;
		count += 6;
		if (count < 8)
			continue;
		count -= 8;
		wire_put_uint(w, bits >> count & 0xff, 1);
	}
	/* one or two of '=' are left, and of the last digit bits that mean nothing */
	return !w->failed && end - text == (long)(count / 2) && (bits & ((1u << count) - 1)) == 0 &&
	       !memcmp(text, "==", (size_t)(end - text));
}

static const char *read_bytes(const char *text, struct nvmf_key *key)
{
	uint8_t bytes[NVMF_KEY_MAX + CRC_SIZE];
	struct wire_writer w = wire_writer(bytes, sizeof(bytes));
	const char *why = NULL, *end = strchr(text, ':');
	size_t size;

	if (!end || end[1])
		return "does not end with a colon";
	if (!decode_base64(text, end, &w))
		why = w.failed ? "is longer than 64 bytes" : "is not Base64";
	size = wire_writer_size(&w) - CRC_SIZE;
	if (!why && size != 32 && size != 48 && size != 64)
		why = "has not 32, 48 or 64 bytes";
	if (!why) {
		struct wire_reader r = wire_reader(bytes + size, CRC_SIZE);

		if (wire_get_u32(&r) != crc32(bytes, size))
			why = "does not fit its checksum: a character is wrong";
	}
	if (!why) {
		memcpy(key->bytes, bytes, size);
		key->size = (uint8_t)size;
	}
	explicit_bzero(bytes, sizeof(bytes));
	return why;
}

static const char *read_key(const char *text, struct nvmf_key *key)
{
	if (strncmp(text, PREFIX, strlen(PREFIX)))
		return "does not begin with DHHC-1:";
	text += strlen(PREFIX);
	if (text[0] != '0' || text[1] < '0' || text[1] > '3' || text[2] != ':')
		return "has no 00, 01, 02 or 03 behind DHHC-1:";
	key->transform = (uint8_t)(text[1] - '0');
	return read_bytes(text + 3, key);
}

doca_error_t nvmf_key_parse(const char *text, struct nvmf_key *ret_key, const char **ret_why)
{
	struct nvmf_key key = {0};
	const char *why = read_key(text, &key);

	if (why)
		*ret_why = why;
	else
		*ret_key = key;
	explicit_bzero(&key, sizeof(key));
	return why ? DOCA_ERROR_INVALID_VALUE : DOCA_SUCCESS;
}

/*
 * Responses
 */

/* ties a key to the name of its owner, so that it is of no use under another one */
static doca_error_t transform(const struct nvmf_key *key, const char *nqn, uint8_t *ret_key,
			      size_t *ret_size)
{
	char name[NVME_NQN_SIZE + sizeof(TRANSFORM_TIE)];
	size_t length = strlen(nqn);

	assert(length < NVME_NQN_SIZE);
	if (!key->transform) {
		memcpy(ret_key, key->bytes, key->size);
		*ret_size = key->size;
		return DOCA_SUCCESS;
	}
	memcpy(name, nqn, length);
	memcpy(name + length, TRANSFORM_TIE, strlen(TRANSFORM_TIE));
	*ret_size = nvmf_digest_size((enum nvmf_hash)key->transform);
	return nvmf_hmac((enum nvmf_hash)key->transform, key->bytes, key->size, name,
			 length + strlen(TRANSFORM_TIE), ret_key);
}

/* with a secret of Diffie-Hellman the challenge becomes one that only those who share it know */
static doca_error_t augment(const struct nvmf_proof *proof, uint8_t *challenge)
{
	uint32_t size = nvmf_digest_size(proof->hash);
	uint8_t key[NVMF_DIGEST_MAX];
	doca_error_t err;

	if (!proof->secret_size) {
		memcpy(challenge, proof->challenge, size);
		return DOCA_SUCCESS;
	}
	err = nvmf_digest(proof->hash, proof->secret, proof->secret_size, key);
	if (!err)
		err = nvmf_hmac(proof->hash, key, size, proof->challenge, size, challenge);
	explicit_bzero(key, sizeof(key));
	return err;
}

/* what is signed: the challenge is there already */
static size_t put_statement(const struct nvmf_proof *proof, uint8_t *data, size_t size)
{
	struct wire_writer w = wire_writer(data, size);

	w.pos += nvmf_digest_size(proof->hash);
	wire_put_u32(&w, proof->seqnum);
	wire_put_u16(&w, proof->t_id);
	wire_put_uint(&w, 0, 1); /* SC_C: no secure channel */
	wire_put(&w, proof->role, strlen(proof->role));
	wire_put(&w, proof->nqn, strlen(proof->nqn));
	wire_put_uint(&w, 0, 1);
	wire_put(&w, proof->other_nqn, strlen(proof->other_nqn));
	assert(!w.failed);
	return wire_writer_size(&w);
}

doca_error_t nvmf_proof_make(const struct nvmf_proof *proof, uint8_t response[NVMF_DIGEST_MAX])
{
	uint8_t key[NVMF_DIGEST_MAX], statement[NVMF_DIGEST_MAX + 32 + 2 * NVME_NQN_SIZE];
	size_t key_size = 0;
	doca_error_t err = transform(proof->key, proof->nqn, key, &key_size);

	if (!err)
		err = augment(proof, statement);
	if (!err)
		err = nvmf_hmac(proof->hash, key, key_size, statement,
				put_statement(proof, statement, sizeof(statement)), response);
	explicit_bzero(key, sizeof(key));
	explicit_bzero(statement, sizeof(statement));
	return err;
}
