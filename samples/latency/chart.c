/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Tables and histograms of times.
 */
#include "chart.h"

#include <stdio.h>

#define ROWS_MAX 12
#define BAR_MAX	 30

void chart_table_head(const struct terminal *terminal)
{
	printf("  %s%-32s %10s %10s %10s %10s%s\n", terminal->faint, "one way", "best", "median",
	       "99 %", "99.9 %", terminal->plain);
}

static void print_ns(float ns)
{
	if (ns < 1000)
		printf(" %7.0f ns", (double)ns);
	else if (ns < 1e6f)
		printf(" %7.1f us", (double)ns / 1e3);
	else
		printf(" %7.1f ms", (double)ns / 1e6);
}

void chart_table_row(const char *what, const struct times *sorted)
{
	printf("  %-32s", what);
	print_ns(times_at(sorted, 0));
	print_ns(times_at(sorted, 0.5));
	print_ns(times_at(sorted, 0.99));
	print_ns(times_at(sorted, 0.999));
	putchar('\n');
}

/* 1, 2 or 5 times a power of ten: the narrowest with which the range fits into the rows */
static float nice_step(float range)
{
	static const float factors[] = {1, 2, 5};
	float power = 1;

	for (;; power *= 10) {
		for (size_t i = 0; i < sizeof(factors) / sizeof(factors[0]); i++) {
			if (range / (factors[i] * power) <= ROWS_MAX - 2)
				return factors[i] * power;
		}
	}
}

/* how many of the sorted times are below the bound */
static size_t count_below(const struct times *sorted, float bound)
{
	size_t low = 0, high = sorted->count;

	while (low < high) {
		size_t middle = (low + high) / 2;

		if (sorted->ns[middle] < bound)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

struct column {
	const struct times *times;
	size_t counts[ROWS_MAX + 1]; /* the last one: beyond all rows */
	size_t most;
};

static void fill(struct column *column, const struct times *times, float start, float step,
		 unsigned int rows)
{
	size_t before = 0;
	unsigned int i;

	*column = (struct column){.times = times};
	for (i = 0; i <= rows; i++) {
		size_t below =
			i < rows ? count_below(times, start + (float)(i + 1) * step) : times->count;

		column->counts[i] = below - before;
		if (column->counts[i] > column->most)
			column->most = column->counts[i];
		before = below;
	}
}

/* What is there at all shows. Returns the columns that are left. */
static int print_bar(const struct column *column, unsigned int row, const char *glyph)
{
	int length = (int)(column->counts[row] * BAR_MAX / column->most);
	int i;

	if (length == 0 && column->counts[row] > 0)
		length = 1;
	for (i = 0; i < length; i++)
		fputs(glyph, stdout);
	return BAR_MAX - length;
}

static void print_label(float start, float step, unsigned int row, unsigned int rows)
{
	float ns = start + (float)(row < rows ? row : rows) * step;
	const char *mark = row < rows ? " " : ">";

	if (step >= 1000)
		printf("  %s%6.0f us  ", mark, (double)ns / 1e3);
	else
		printf("  %s%6.0f ns  ", mark, (double)ns);
}

void chart_histograms(const struct terminal *terminal, const char *left_title,
		      const struct times *left, const char *right_title, const struct times *right)
{
	float low = times_at(left, 0.001) < times_at(right, 0.001) ? times_at(left, 0.001)
								   : times_at(right, 0.001);
	float high = times_at(right, 0.98) > times_at(left, 0.98) ? times_at(right, 0.98)
								  : times_at(left, 0.98);
	float step = nice_step(high - low);
	float start = (float)(long)(low / step) * step;
	unsigned int rows = (unsigned int)((high - start) / step) + 1, row;
	struct column columns[2];
	int left_over;

	fill(&columns[0], left, start, step, rows);
	fill(&columns[1], right, start, step, rows);
	printf("  %12s%-*s  %s\n", "", BAR_MAX, left_title, right_title);
	for (row = 0; row <= rows; row++) {
		print_label(start, step, row, rows);
		printf("%s", terminal->faint);
		left_over = print_bar(&columns[0], row, terminal->shade);
		printf("%s%*s%s", terminal->plain, left_over + 2, "", terminal->dpu);
		print_bar(&columns[1], row, terminal->block);
		printf("%s\n", terminal->plain);
	}
}
