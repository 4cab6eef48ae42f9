/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Masks and fields of integers, in the host's byte order (U8) or big-endian (BE16, BE32).
 *
 * _h and _l are the highest and the lowest bit of a mask, counted from 0 in the value's own order.
 * The forms with a P write through pointer _p, which may point to any object of that size, aligned
 * or not.
 */
#ifndef DOCA_BITFIELD_H_
#define DOCA_BITFIELD_H_

#include <arpa/inet.h>
#include <stdint.h>
#include <string.h>

/** Position of the lowest bit that is set in mask _x. */
#define DOCA_SHIFT(_x) (__builtin_ffsll(_x) - 1)

#define DOCA_HTOBE16(_x) htons(_x)
#define DOCA_HTOBE32(_x) htonl(_x)
#define DOCA_BETOH16(_x) ntohs(_x)
#define DOCA_BETOH32(_x) ntohl(_x)

/** Mask of bits _l to _h. */
#define DOCA_U8_GENMASK(_h, _l)                                                                    \
	((UINT8_MAX - (UINT8_C(1) << (_l)) + 1) & (UINT8_MAX >> (8 - 1 - (_h))))

#define DOCA_BE16_GENMASK(_h, _l)                                                                  \
	(DOCA_HTOBE16((UINT16_MAX - (UINT16_C(1) << (_l)) + 1) & (UINT16_MAX >> (16 - 1 - (_h)))))

#define DOCA_BE32_GENMASK(_h, _l)                                                                  \
	(DOCA_HTOBE32((UINT32_MAX - (UINT32_C(1) << (_l)) + 1) & (UINT32_MAX >> (32 - 1 - (_h)))))

/** Stores the mask of bits _l to _h at _p. */
#define DOCA_U8P_GENMASK(_h, _l, _p)   DOCA_BITFIELD_STORE_(uint8_t, DOCA_U8_GENMASK(_h, _l), _p)
#define DOCA_BE16P_GENMASK(_h, _l, _p) DOCA_BITFIELD_STORE_(uint16_t, DOCA_BE16_GENMASK(_h, _l), _p)
#define DOCA_BE32P_GENMASK(_h, _l, _p) DOCA_BITFIELD_STORE_(uint32_t, DOCA_BE32_GENMASK(_h, _l), _p)

/** Value _v moved to the field of mask _m. */
#define DOCA_U8_SET(_m, _v)   (((_v) << DOCA_SHIFT(_m)) & (_m))
#define DOCA_BE16_SET(_m, _v) ((DOCA_HTOBE16((_v) << DOCA_SHIFT(DOCA_BETOH16(_m)))) & (_m))
#define DOCA_BE32_SET(_m, _v) ((DOCA_HTOBE32((_v) << DOCA_SHIFT(DOCA_BETOH32(_m)))) & (_m))

/** Adds value _v to the field of mask _m in the word at _p, whose field is expected to be zero. */
#define DOCA_U8P_SET(_m, _v, _p)   DOCA_BITFIELD_OR_(uint8_t, DOCA_U8_SET(_m, _v), _p)
#define DOCA_BE16P_SET(_m, _v, _p) DOCA_BITFIELD_OR_(uint16_t, DOCA_BE16_SET(_m, _v), _p)
#define DOCA_BE32P_SET(_m, _v, _p) DOCA_BITFIELD_OR_(uint32_t, DOCA_BE32_SET(_m, _v), _p)

/** Value of the field of mask _m in word _f. */
#define DOCA_U8_GET(_m, _f)   (((_m) & (_f)) >> DOCA_SHIFT((_m)))
#define DOCA_BE16_GET(_m, _f) ((DOCA_BETOH16((_m) & (_f)) >> DOCA_SHIFT(DOCA_BETOH16(_m))))
#define DOCA_BE32_GET(_m, _f) ((DOCA_BETOH32((_m) & (_f)) >> DOCA_SHIFT(DOCA_BETOH32(_m))))

/* How the P forms reach memory. Not for programs. */
#define DOCA_BITFIELD_STORE_(_type, _value, _p)                                                    \
	do {                                                                                       \
		_type doca_bitfield_word_ = (_type)(_value);                                       \
		memcpy((_p), &doca_bitfield_word_, sizeof(doca_bitfield_word_));                   \
	} while (0)

#define DOCA_BITFIELD_OR_(_type, _value, _p)                                                       \
	do {                                                                                       \
		_type doca_bitfield_old_;                                                          \
		memcpy(&doca_bitfield_old_, (_p), sizeof(doca_bitfield_old_));                     \
		DOCA_BITFIELD_STORE_(_type, doca_bitfield_old_ | (_value), _p);                    \
	} while (0)

#endif /* DOCA_BITFIELD_H_ */
