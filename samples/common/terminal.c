/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What standard output can show.
 */
#include "terminal.h"

#include <langinfo.h>
#include <locale.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void use_colours(struct terminal *terminal)
{
	terminal->host = "\033[36m";
	terminal->dpu = "\033[32m";
	terminal->strong = "\033[1m";
	terminal->faint = "\033[2m";
	terminal->plain = "\033[0m";
}

static void use_symbols(struct terminal *terminal)
{
	terminal->to_right = "\u2500\u2500\u25b6";
	terminal->to_left = "\u25c0\u2500\u2500";
	terminal->block = "\u2588";
	terminal->shade = "\u2592";
}

const struct terminal *terminal_open(void)
{
	static struct terminal terminal = {
		.host = "",
		.dpu = "",
		.strong = "",
		.faint = "",
		.plain = "",
		.to_right = "-->",
		.to_left = "<--",
		.block = "#",
		.shade = "=",
	};
	const char *no_color = getenv("NO_COLOR"), *term = getenv("TERM");

	setvbuf(stdout, NULL, _IOLBF, 4096);
	if (isatty(STDOUT_FILENO) && (no_color == NULL || *no_color == '\0') &&
	    (term == NULL || strcmp(term, "dumb") != 0))
		use_colours(&terminal);
	if (setlocale(LC_CTYPE, "") != NULL && strcmp(nl_langinfo(CODESET), "UTF-8") == 0)
		use_symbols(&terminal);
	return &terminal;
}
