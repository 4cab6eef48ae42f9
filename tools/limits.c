/* SPDX-License-Identifier: BSD-3-Clause */
/* softfield limits */
#include <getopt.h>
#include <inttypes.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/count.h"
#include "commands.h"
#include "out.h"

static const struct limit {
	const char *name;
	size_t offset;
	uint64_t value, min, max;
	const char *text;
} limits[] = {
#define LIMIT(name_, value_, min_, max_, text_)                                                    \
	{#name_, offsetof(struct topo_limits, name_), value_, min_, max_, text_},
#include "core/limits.def"
#undef LIMIT
};

static uint64_t value_of(const struct topo_limits *set, const struct limit *limit)
{
	uint64_t value;

	memcpy(&value, (const char *)set + limit->offset, sizeof(value));
	return value;
}

static int print_help(void)
{
	puts("usage: softfield limits [-j]\n\n"
	     "  -j, --json   as JSON\n"
	     "  -h, --help   this text\n\n"
	     "Prints what programs started here are told by the capability calls. A value in\n"
	     "its range can be set in \"limits\" of the topology file or in SOFTFIELD_LIMITS;\n"
	     "both ends of a connection should have the same.");
	return EXIT_SUCCESS;
}

static void print_json(const struct topo_limits *set)
{
	struct json_object *array = json_object_new_array();

	for (size_t i = 0; i < COUNT(limits); i++) {
		struct json_object *object = json_object_new_object();

		json_object_object_add(object, "name", json_object_new_string(limits[i].name));
		json_object_object_add(object, "value",
				       json_object_new_uint64(value_of(set, &limits[i])));
		json_object_object_add(object, "default", json_object_new_uint64(limits[i].value));
		json_object_object_add(object, "min", json_object_new_uint64(limits[i].min));
		json_object_object_add(object, "max", json_object_new_uint64(limits[i].max));
		json_object_object_add(object, "counts", json_object_new_string(limits[i].text));
		json_object_array_add(array, object);
	}
	out_json(array);
}

static void print_table(const struct topo_limits *set)
{
	static const char *const titles[] = {"LIMIT", "VALUE", "RANGE", "COUNTS"};
	struct table table;

	table_init(&table, 4, titles);
	for (size_t i = 0; i < COUNT(limits); i++) {
		const struct limit *limit = &limits[i];
		char value[32], range[64] = "fixed";

		snprintf(value, sizeof(value), "%" PRIu64 "%s", value_of(set, limit),
			 value_of(set, limit) == limit->value ? "" : " (set)");
		if (limit->min < limit->max)
			snprintf(range, sizeof(range), "%" PRIu64 "-%" PRIu64, limit->min,
				 limit->max);
		table_add(&table, (const char *const[]){limit->name, value, range, limit->text});
	}
	table_print(&table);
	table_fini(&table);
}

static void print_builtin(void)
{
	struct topo_limits builtin;

	for (size_t i = 0; i < COUNT(limits); i++)
		memcpy((char *)&builtin + limits[i].offset, &limits[i].value, sizeof(uint64_t));
	print_table(&builtin);
}

int command_limits(int argc, char **argv)
{
	static const struct option options[] = {
		{"json", no_argument, NULL, 'j'}, {"help", no_argument, NULL, 'h'}, {0}};
	const struct topo *topo;
	bool json = false;
	int option;

	while ((option = getopt_long(argc, argv, "jh", options, NULL)) != -1) {
		if (option == 'h')
			return print_help();
		if (option != 'j')
			return out_refused();
		json = true;
	}
	if (optind < argc)
		return out_misused("unexpected \"%s\"", argv[optind]);
	if (out_get_topo(&topo)) {
		if (!json && getenv("SOFTFIELD_LIMITS"))
			print_builtin(); /* whoever has mistyped one is sent here */
		return EXIT_FAILURE;
	}
	if (json)
		print_json(&topo->limits);
	else
		print_table(&topo->limits);
	return EXIT_SUCCESS;
}
