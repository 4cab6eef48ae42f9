/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Times as people read them: a table and two histograms side by side, for 80 columns.
 */
#ifndef SAMPLES_CHART_H
#define SAMPLES_CHART_H

#include "terminal.h"
#include "times.h"

void chart_table_head(const struct terminal *terminal);
void chart_table_row(const char *what, const struct times *sorted);
void chart_histograms(const struct terminal *terminal, const char *left_title,
		      const struct times *left, const char *right_title, const struct times *right);

#endif
