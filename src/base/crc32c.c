/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * CRC-32C: by the processor's own instruction where it has one (SSE 4.2), else half a byte at a
 * time (reflected polynomial 0x82f63b78).
 *
 * The instruction takes 8 bytes in 3 cycles but can start one each cycle, so long inputs go through
 * three streams at once. Their remainders are joined by multiplying with x^(8 * STREAM) modulo the
 * polynomial, which four table look-ups do.
 */
#include "base/crc32c.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <string.h>

#define STREAM 1024u /* bytes of one of three streams; a multiple of 8 */

static uint32_t add_slowly(uint32_t crc, const uint8_t *p, size_t size)
{
	/* remainders of the 16 half bytes */
	static const uint32_t table[16] = {
		0x00000000, 0x105ec76f, 0x20bd8ede, 0x30e349b1, 0x417b1dbc, 0x5125dad3,
		0x61c69362, 0x7198540d, 0x82f63b78, 0x92a8fc17, 0xa24bb5a6, 0xb21572c9,
		0xc38d26c4, 0xd3d3e1ab, 0xe330a81a, 0xf36e6f75,
	};

	while (size--) {
		crc ^= *p++;
		crc = (crc >> 4) ^ table[crc & 15];
		crc = (crc >> 4) ^ table[crc & 15];
	}
	return crc;
}

#if defined(__x86_64__)

/* shift[n][b]: the remainder of byte b at position n of a remainder, STREAM bytes further on */
static uint32_t shift[4][256];
static _Atomic bool shift_is_ready;

/* Several threads may do this at once: they write the same values. */
static void make_shift(void)
{
	static const uint8_t nothing[STREAM];
	uint32_t bit[32];
	unsigned int n, b, i;

	for (i = 0; i < 32; i++)
		bit[i] = add_slowly(1u << i, nothing, STREAM);
	for (n = 0; n < 4; n++)
		for (b = 0; b < 256; b++) {
			uint32_t sum = 0;

			for (i = 0; i < 8; i++)
				sum ^= (b >> i & 1) ? bit[8 * n + i] : 0;
			__atomic_store_n(&shift[n][b], sum, __ATOMIC_RELAXED);
		}
	/* Release: pairs with the acquire in add(). */
	atomic_store_explicit(&shift_is_ready, true, memory_order_release);
}

static uint32_t shifted(uint32_t crc)
{
	return shift[0][crc & 255] ^ shift[1][crc >> 8 & 255] ^ shift[2][crc >> 16 & 255] ^
	       shift[3][crc >> 24];
}

static inline uint64_t load(const uint8_t *p)
{
	uint64_t value;

	memcpy(&value, p, sizeof(value));
	return value;
}

__attribute__((target("sse4.2"))) static uint32_t add_by_instruction(uint32_t crc, const uint8_t *p,
								     size_t size)
{
	uint64_t a = crc;

	while (size >= 3 * STREAM) {
		uint64_t b = 0, c = 0;
		size_t i;

		for (i = 0; i < STREAM; i += 8) {
			a = __builtin_ia32_crc32di(a, load(p + i));
			b = __builtin_ia32_crc32di(b, load(p + STREAM + i));
			c = __builtin_ia32_crc32di(c, load(p + 2 * STREAM + i));
		}
		a = shifted(shifted((uint32_t)a) ^ (uint32_t)b) ^ (uint32_t)c;
		p += 3 * STREAM;
		size -= 3 * STREAM;
	}
	for (; size >= 8; size -= 8, p += 8)
		a = __builtin_ia32_crc32di(a, load(p));
	crc = (uint32_t)a;
	while (size--)
		crc = __builtin_ia32_crc32qi(crc, *p++);
	return crc;
}

static uint32_t add(uint32_t crc, const uint8_t *p, size_t size)
{
	if (!__builtin_cpu_supports("sse4.2"))
		return add_slowly(crc, p, size);
	/* Acquire: pairs with the release in make_shift(). */
	if (!atomic_load_explicit(&shift_is_ready, memory_order_acquire))
		make_shift();
	return add_by_instruction(crc, p, size);
}

#else

static uint32_t add(uint32_t crc, const uint8_t *p, size_t size)
{
	return add_slowly(crc, p, size);
}

#endif

uint32_t priv_crc32c_add(uint32_t crc, const void *data, size_t size)
{
	return ~add(~crc, data, size);
}

uint32_t priv_crc32c(const void *data, size_t size)
{
	return priv_crc32c_add(0, data, size);
}
