/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Strict reading of JSON values: objects by tables of members, numbers by tables of settings.
 * Whatever is refused is refused with its line, its key path, what is wrong and what is allowed.
 */
#ifndef SOFTFIELD_TOPO_READER_H
#define SOFTFIELD_TOPO_READER_H

#include <json-c/json.h>
#include "topo/load.h"

struct reader {
	const char *source; /* for messages */
	const char *text;
	struct topo_why *why;
	char path[256]; /* of the value at hand: cards[0].host[2].pci */
	size_t path_len;
	void *context; /* of the caller */
	/* how secrets begin, which messages do not quote; NULL: there are none */
	const char *secret;
};

typedef doca_error_t (*read_fn)(struct reader *reader, struct json_object *value, void *target);

struct member {
	const char *key;
	read_fn read;
	bool required;
};

/* text to objects; what json-c would let pass and a person would regret is refused */
doca_error_t reader_parse(struct reader *reader, struct json_object **ret_root);

/* BAD_CONFIG with "source:line: path: message" */
__attribute__((format(printf, 2, 3))) doca_error_t reader_refuse(struct reader *reader,
								 const char *format, ...);
/* the same about the value under a key of the value at hand */
__attribute__((format(printf, 3, 4))) doca_error_t
reader_refuse_at(struct reader *reader, const char *key, const char *format, ...);

/* the members of an object in the order of the table; other keys are refused */
doca_error_t reader_members(struct reader *reader, struct json_object *object,
			    const struct member *members, size_t count, void *target);
/* every element of an array, which must have from min to max of them */
doca_error_t reader_elements(struct reader *reader, struct json_object *array, size_t min,
			     size_t max, read_fn read, void *target);
doca_error_t reader_settings(struct reader *reader, struct json_object *object,
			     const struct setting_table *table, void *base);

doca_error_t reader_bool(struct reader *reader, struct json_object *value, bool *ret);
/* a string without a zero byte, valid as long as value; what: for the message */
doca_error_t reader_string(struct reader *reader, struct json_object *value, const char *what,
			   const char **ret);
/* a name that can be printed, typed and made part of a path */
doca_error_t reader_name(struct reader *reader, struct json_object *value, char *ret, size_t size);
doca_error_t reader_number(struct reader *reader, struct json_object *value, uint64_t min,
			   uint64_t max, uint64_t *ret);
doca_error_t reader_setting(struct reader *reader, const struct setting *setting,
			    struct json_object *value, void *base);

#endif
