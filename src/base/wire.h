/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Bounds-checked little-endian reading and writing. Errors stick: read or write everything, then
 * ask once whether it fitted.
 */
#ifndef SOFTFIELD_BASE_WIRE_H
#define SOFTFIELD_BASE_WIRE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

struct wire_reader {
	const uint8_t *pos, *end;
	bool failed;
};

struct wire_writer {
	uint8_t *start, *pos, *end;
	bool failed;
};

static inline struct wire_reader wire_reader(const void *data, size_t size)
{
	return (struct wire_reader){.pos = data, .end = (const uint8_t *)data + size};
}

static inline struct wire_writer wire_writer(void *data, size_t size)
{
	return (struct wire_writer){.start = data, .pos = data, .end = (uint8_t *)data + size};
}

/* the next size bytes; NULL once anything did not fit */
static inline const uint8_t *wire_get(struct wire_reader *r, size_t size)
{
	const uint8_t *pos = r->pos;

	if (r->failed || (size_t)(r->end - pos) < size) {
		r->failed = true;
		return NULL;
	}
	r->pos += size;
	return pos;
}

static inline uint64_t wire_get_uint(struct wire_reader *r, unsigned int size)
{
	const uint8_t *p = wire_get(r, size);
	uint64_t value = 0;
	unsigned int i;

	for (i = 0; p && i < size; i++)
		value |= (uint64_t)p[i] << (8 * i);
	return value;
}

static inline uint16_t wire_get_u16(struct wire_reader *r)
{
	return (uint16_t)wire_get_uint(r, 2);
}

static inline uint32_t wire_get_u32(struct wire_reader *r)
{
	return (uint32_t)wire_get_uint(r, 4);
}

static inline uint64_t wire_get_u64(struct wire_reader *r)
{
	return wire_get_uint(r, 8);
}

/* a byte count (u16) and that many bytes without NUL; fails if it does not fit with its NUL */
static inline void wire_get_string(struct wire_reader *r, char *text, size_t capacity)
{
	uint16_t size = wire_get_u16(r);
	const uint8_t *p = wire_get(r, size);

	text[0] = '\0';
	if (!p || size >= capacity || memchr(p, '\0', size)) {
		r->failed = true;
		return;
	}
	memcpy(text, p, size);
	text[size] = '\0';
}

static inline bool wire_reader_is_done(const struct wire_reader *r)
{
	return !r->failed && r->pos == r->end;
}

static inline void wire_put(struct wire_writer *w, const void *data, size_t size)
{
	if (w->failed || (size_t)(w->end - w->pos) < size) {
		w->failed = true;
		return;
	}
	memcpy(w->pos, data, size);
	w->pos += size;
}

static inline void wire_put_uint(struct wire_writer *w, uint64_t value, unsigned int size)
{
	uint8_t bytes[8];
	unsigned int i;

	for (i = 0; i < size; i++)
		bytes[i] = (uint8_t)(value >> (8 * i));
	wire_put(w, bytes, size);
}

static inline void wire_put_u16(struct wire_writer *w, uint16_t value)
{
	wire_put_uint(w, value, 2);
}

static inline void wire_put_u32(struct wire_writer *w, uint32_t value)
{
	wire_put_uint(w, value, 4);
}

static inline void wire_put_u64(struct wire_writer *w, uint64_t value)
{
	wire_put_uint(w, value, 8);
}

static inline void wire_put_string(struct wire_writer *w, const char *text)
{
	size_t size = strlen(text);

	if (size > UINT16_MAX) {
		w->failed = true;
		return;
	}
	wire_put_u16(w, (uint16_t)size);
	wire_put(w, text, size);
}

static inline size_t wire_writer_size(const struct wire_writer *w)
{
	return (size_t)(w->pos - w->start);
}

#endif
