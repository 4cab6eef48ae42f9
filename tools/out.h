/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What the tools share: messages, aligned tables, JSON.
 */
#ifndef SOFTFIELD_TOOLS_OUT_H
#define SOFTFIELD_TOOLS_OUT_H

#include <json-c/json.h>
#include "topo/topo.h"

/* set by main(): starts every message on stderr */
extern const char *out_program;

/* prints "program: message" to stderr and returns EXIT_FAILURE, the exit code for it */
__attribute__((format(printf, 1, 2))) int out_fail(const char *format, ...);
/* the same for wrong arguments: names --help and returns 2 */
__attribute__((format(printf, 1, 2))) int out_misused(const char *format, ...);

/* the same after getopt_long() has said what is wrong */
int out_refused(void);

/* what main() returns: result, unless what was printed could not be written */
int out_finish(int result);

/* the topology of this process; EXIT_SUCCESS, or EXIT_FAILURE after a message */
int out_get_topo(const struct topo **ret_topo);

#define TABLE_COLUMNS_MAX 8

/* Cells are copied; columns are as wide as they need to be. */
struct table {
	unsigned int column_count, row_count, room;
	char **cells; /* row by row; the first row holds the titles */
};

void table_init(struct table *table, unsigned int column_count, const char *const *titles);
void table_add(struct table *table, const char *const *cells);
/* titles are in bold on a terminal */
void table_print(const struct table *table);
void table_fini(struct table *table);

/* prints a value, ends with a newline, releases it */
void out_json(struct json_object *value);

const char *out_func_type(enum doca_pci_func_type type); /* "PF" */
const char *out_side(enum topo_side side);		 /* "dpu" */
const char *out_mac(const uint8_t mac[DOCA_DEVINFO_MAC_ADDR_SIZE], char buf[18]);

#endif
