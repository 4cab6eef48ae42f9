/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * An input as a script: what is to be done next, byte by byte; zeros from its end on.
 */
#ifndef SOFTFIELD_TESTS_FUZZ_SCRIPT_H
#define SOFTFIELD_TESTS_FUZZ_SCRIPT_H

#include <stdint.h>

struct script {
	const uint8_t *pos, *end;
};

static inline uint8_t next_byte(struct script *script)
{
	return script->pos < script->end ? *script->pos++ : 0;
}

static inline uint32_t next_number(struct script *script)
{
	uint32_t number = 0;
	int i;

	for (i = 0; i < 4; i++)
		number = number << 8 | next_byte(script);
	return number;
}

#endif
