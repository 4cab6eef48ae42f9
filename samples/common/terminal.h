/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What standard output can show: colours only on a terminal and without NO_COLOR, arrows and blocks
 * only where the locale is UTF-8.
 */
#ifndef SAMPLES_TERMINAL_H
#define SAMPLES_TERMINAL_H

struct terminal {
	const char *host, *dpu, *strong, *faint, *plain; /* escape sequences, or "" */
	const char *to_right, *to_left;			 /* arrows */
	const char *block, *shade;			 /* one column of a bar */
};

/* Both programs write to one terminal: every line goes out in one piece. */
const struct terminal *terminal_open(void);

#endif
