/* SPDX-License-Identifier: BSD-3-Clause */
/* What the topology tests share: texts that are accepted or refused. */
#ifndef SOFTFIELD_TOPOTEST_H
#define SOFTFIELD_TOPOTEST_H

#include "test.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "topo/load.h"

struct refusal {
	const char *text;
	const char *reason; /* the message must end so */
};

static inline struct topo *parse_ok(const char *text)
{
	struct topo *topo = NULL;
	struct topo_why why = {""};

	if (topo_parse("test", text, &topo, &why))
		fail_msg("refused: %s", why.text);
	return topo;
}

static inline bool ends_with(const char *text, const char *end)
{
	size_t len = strlen(text), end_len = strlen(end);

	return len >= end_len && !strcmp(text + len - end_len, end);
}

static inline void expect_refusals(const struct refusal *cases, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		struct topo *topo = NULL;
		struct topo_why why = {""};

		assert_int_equal(topo_parse("test", cases[i].text, &topo, &why),
				 DOCA_ERROR_BAD_CONFIG);
		assert_null(topo);
		if (!ends_with(why.text, cases[i].reason))
			fail_msg("for %s\n   got \"%s\"\nwanted \"...%s\"", cases[i].text, why.text,
				 cases[i].reason);
	}
}

#endif
