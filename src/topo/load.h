/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Inside the folder: the steps by which a struct topo comes into being. Text (a file or the
 * built-in one) is read by topo_file.c, gaps are filled by topo_default.c, SOFTFIELD_* variables
 * are applied by topo_env.c; numbers are parsed by topo_settings.c wherever they come from.
 */
#ifndef SOFTFIELD_TOPO_LOAD_H
#define SOFTFIELD_TOPO_LOAD_H

#include <stddef.h>
#include "topo/topo.h"

#define TOPO_VHCA_ID_UNSET UINT16_MAX

/* topo_text.c */

/* Writes the reason; always returns BAD_CONFIG, so that a check is one statement. */
__attribute__((format(printf, 2, 3))) doca_error_t topo_refuse(struct topo_why *why,
							       const char *format, ...);

/* What messages have room for of a path: its end has the file's name. */
const char *topo_shown_path(const char *path);

/* the whole file as a string */
doca_error_t topo_read_text(const char *path, char **ret_text, struct topo_why *why);

/* topo_json.c: what json-c does not tell about a text that it has accepted */

/*
 * The line on which the value with this key path stands ("cards[0].host[2].pci"), or the nearest
 * value around it that exists.
 */
unsigned int topo_json_line(const char *text, const char *path);
/* Refuses a key that its object has twice, and quotes that are none. */
doca_error_t topo_json_check(const char *source, const char *text, struct topo_why *why);

/* topo.c */
doca_error_t topo_set_runtime_dir(struct topo *topo, const char *text, struct topo_why *why);

/* topo_settings.c: numbers with a name */

enum setting_kind {
	SETTING_COUNT,	  /* 4000 */
	SETTING_DURATION, /* 1500us, 2ms, 1s; a bare number means ms; kept in nanoseconds */
	SETTING_PERCENT,  /* 10 or 10% */
};

struct setting {
	const char *name;
	enum setting_kind kind;
	size_t offset, size; /* of an unsigned integer in the struct that is set */
	uint64_t min, max;   /* as kept */
	const char *text;    /* what the number counts */
};

struct setting_table {
	const struct setting *rows;
	size_t count;
};

extern const struct setting_table topo_limit_settings; /* of struct topo_limits */
extern const struct setting_table topo_fault_settings; /* of struct topo_faults */
extern const struct setting_table topo_wait_settings;  /* of struct topo: connect_wait alone */

/*
 * By name, or by the name without its first word where only one row ends so (max_clients for
 * comch_max_clients).
 */
doca_error_t topo_setting_find(const struct setting_table *table, const char *name,
			       const struct setting **ret_setting, struct topo_why *why);
doca_error_t topo_setting_parse(const struct setting *setting, const char *text, void *base,
				struct topo_why *why);
/* "name=value,name=value"; base is changed only when all of it is right */
doca_error_t topo_settings_parse_list(const struct setting_table *table, const char *text,
				      void *base, size_t base_size, struct topo_why *why);
/* rules between limits */
doca_error_t topo_limits_check(const struct topo_limits *limits, struct topo_why *why);

/* topo_default.c */

extern const char topo_builtin_text[];
extern const struct topo_limits topo_builtin_limits;
/* Gives every function and representor the names, addresses and ids that the file left out. */
void topo_fill_gaps(struct topo *topo);

/* topo_file.c */

doca_error_t topo_parse(const char *source, const char *text, struct topo **ret_topo,
			struct topo_why *why);

/* topo_env.c; get is secure_getenv() outside tests */

doca_error_t topo_env_apply(struct topo *topo, char *(*get)(const char *name),
			    struct topo_why *why);
/* Is there a SOFTFIELD_* variable that nobody reads? why: which, and what there is */
bool topo_env_has_unknown(const char *const *environment, struct topo_why *why);

#endif
