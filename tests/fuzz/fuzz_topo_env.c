/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Any text in the SOFTFIELD_* variables, one on each line of the input: what is refused comes with
 * a reason, what is accepted is within the limits of its table.
 */
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "topo/load.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const char *const names[] = {"SOFTFIELD_FAULTS",	     "SOFTFIELD_LIMITS",
				    "SOFTFIELD_ROLE",	     "SOFTFIELD_CONNECT_WAIT",
				    "SOFTFIELD_RUNTIME_DIR", "SOFTFIELD_REGION"};

#define VARIABLES (sizeof(names) / sizeof(names[0]))

static char *values[VARIABLES];

static char *get(const char *name)
{
	size_t i = 0;

	while (i < VARIABLES && strcmp(names[i], name) != 0)
		i++;
	assert(i < VARIABLES); /* a new one belongs into the list above */
	return values[i];
}

static void check_settings(const struct setting_table *table, const void *base)
{
	for (size_t i = 0; i < table->count; i++) {
		const struct setting *setting = &table->rows[i];
		uint64_t value = 0;

		memcpy(&value, (const char *)base + setting->offset, setting->size);
		assert(value >= setting->min && value <= setting->max);
	}
}

static const struct topo *builtin(void)
{
	static struct topo *topo;
	struct topo_why why;

	if (!topo && topo_parse("builtin", topo_builtin_text, &topo, &why))
		abort();
	return topo;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *text = malloc(size + 1), *rest = text;
	struct topo topo = *builtin();
	struct topo_why why = {""};

	assert(text);
	memcpy(text, data, size);
	text[size] = '\0';
	for (size_t i = 0; i < VARIABLES; i++)
		values[i] = strsep(&rest, "\n");
	if (topo_env_apply(&topo, get, &why)) {
		assert(why.text[0]);
	} else {
		check_settings(&topo_fault_settings, &topo.faults);
		check_settings(&topo_limit_settings, &topo.limits);
		check_settings(&topo_wait_settings, &topo);
		assert(topo.side_visible[TOPO_HOST] || topo.side_visible[TOPO_DPU]);
		assert(memchr(topo.runtime_dir, '\0', sizeof(topo.runtime_dir)));
	}
	free(text);
	return 0;
}
