/* SPDX-License-Identifier: BSD-3-Clause */
/* What the tools share: see out.h. */
#include "out.h"

#include <assert.h>
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "base/terminal.h"

const char *out_program = "softfield";

int out_fail(const char *format, ...)
{
	va_list args;

	fprintf(stderr, "%s: ", out_program);
	va_start(args, format);
	vfprintf(stderr, format, args);
	va_end(args);
	fputc('\n', stderr);
	return EXIT_FAILURE;
}

int out_misused(const char *format, ...)
{
	va_list args;

	fprintf(stderr, "%s: ", out_program);
	va_start(args, format);
	vfprintf(stderr, format, args);
	va_end(args);
	fprintf(stderr, " (see %s --help)\n", out_program);
	return 2;
}

int out_refused(void)
{
	fprintf(stderr, "%s: see %s --help\n", out_program, out_program);
	return 2;
}

int out_finish(int result)
{
	if (!fflush(stdout) && !ferror(stdout))
		return result;
	return out_fail("cannot write: %s", strerror(errno));
}

int out_get_topo(const struct topo **ret_topo)
{
	doca_error_t err;

	if (*priv_topo_why())
		return out_fail("wrong topology: %s", priv_topo_why());
	err = priv_topo_get(ret_topo);
	if (err)
		return out_fail("no topology: %s", doca_error_get_descr(err));
	return EXIT_SUCCESS;
}

static void *or_die(void *memory)
{
	if (!memory)
		exit(out_fail("out of memory"));
	return memory;
}

void table_init(struct table *table, unsigned int column_count, const char *const *titles)
{
	assert(column_count <= TABLE_COLUMNS_MAX);
	*table = (struct table){.column_count = column_count};
	table_add(table, titles);
}

void table_add(struct table *table, const char *const *cells)
{
	char **row;

	if (table->row_count == table->room) {
		table->room = table->room ? 2 * table->room : 16;
		table->cells = or_die(reallocarray(
			table->cells, (size_t)table->room * table->column_count, sizeof(char *)));
	}
	row = table->cells + (size_t)table->row_count++ * table->column_count;
	for (unsigned int i = 0; i < table->column_count; i++)
		row[i] = or_die(strdup(cells[i]));
}

static void print_row(const struct table *table, unsigned int row, const int *widths)
{
	char *const *cells = table->cells + (size_t)row * table->column_count;
	unsigned int last = table->column_count - 1;

	while (last > 0 && !*cells[last])
		last--;
	for (unsigned int i = 0; i < last; i++)
		printf("%-*s  ", widths[i], cells[i]);
	puts(cells[last]);
}

void table_print(const struct table *table)
{
	bool bold = isatty(STDOUT_FILENO) && terminal_has_colors();
	int widths[TABLE_COLUMNS_MAX] = {0};

	for (size_t i = 0; i < (size_t)table->row_count * table->column_count; i++) {
		int *width = &widths[i % table->column_count];
		int len = (int)strlen(table->cells[i]);

		*width = len > *width ? len : *width;
	}
	for (unsigned int row = 0; row < table->row_count; row++) {
		if (bold && row == 0)
			fputs("\033[1m", stdout);
		print_row(table, row, widths);
		if (bold && row == 0)
			fputs("\033[0m", stdout);
	}
}

void table_fini(struct table *table)
{
	for (size_t i = 0; i < (size_t)table->row_count * table->column_count; i++)
		free(table->cells[i]);
	free(table->cells);
}

void out_json(struct json_object *value)
{
	puts(json_object_to_json_string_ext(value, JSON_C_TO_STRING_PRETTY |
							   JSON_C_TO_STRING_SPACED |
							   JSON_C_TO_STRING_NOSLASHESCAPE));
	json_object_put(value);
}

const char *out_func_type(enum doca_pci_func_type type)
{
	static const char *const names[] = {
		[DOCA_PCI_FUNC_TYPE_PF] = "PF",
		[DOCA_PCI_FUNC_TYPE_VF] = "VF",
		[DOCA_PCI_FUNC_TYPE_SF] = "SF",
	};

	return names[type];
}

const char *out_side(enum topo_side side)
{
	return side == TOPO_DPU ? "dpu" : "host";
}

const char *out_mac(const uint8_t mac[DOCA_DEVINFO_MAC_ADDR_SIZE], char buf[18])
{
	snprintf(buf, 18, "%02x:%02x:%02x:%02x:%02x:%02x", mac[0], mac[1], mac[2], mac[3], mac[4],
		 mac[5]);
	return buf;
}
