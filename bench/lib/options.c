/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Parsing of the common command line.
 */
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "options.h"

static const struct option long_options[] = {
	{"cpus", required_argument, NULL, 'c'},
	{"time-ms", required_argument, NULL, 't'},
	{"messages", required_argument, NULL, 'n'},
	{"metric", required_argument, NULL, 'm'},
	{"label", required_argument, NULL, 'l'},
	{"mode", required_argument, NULL, 'o'},
	{"sizes", required_argument, NULL, 's'},
	{"help", no_argument, NULL, 'h'},
	{NULL, 0, NULL, 0},
};

static void usage(FILE *out, const char *program)
{
	fprintf(out,
		"usage: %s [options]\n"
		"  --cpus A,B      CPU of the measuring and of the answering side, -1: not pinned "
		"(0,1)\n"
		"  --time-ms MS    time per measured point (100)\n"
		"  --messages N    number of messages, where the program counts instead of timing\n"
		"  --metric M      only this one: latency, rate, bandwidth\n"
		"  --sizes N,N,..  message sizes in bytes\n"
		"  --mode M        variant of the program\n"
		"  --label L       name of the peer in the results\n",
		program);
}

static void parse_sizes(struct bench_options *options, const char *text)
{
	char *end;

	options->size_count = 0;
	do {
		if (options->size_count == BENCH_MAX_SIZES) {
			fprintf(stderr, "--sizes %s: more than %d sizes\n", text, BENCH_MAX_SIZES);
			exit(2);
		}
		options->sizes[options->size_count++] = strtoull(text, &end, 0);
		if (end == text || (*end != ',' && *end != '\0')) {
			fprintf(stderr, "--sizes: \"%s\" is not a number\n", text);
			exit(2);
		}
		text = end + 1;
	} while (*end == ',');
}

static double number(const char *option, const char *text)
{
	char *end;
	double value = strtod(text, &end);

	if (end != text && !*end && value > 0)
		return value;
	fprintf(stderr, "%s: \"%s\" is not a number above 0\n", option, text);
	exit(2);
}

void options_parse(struct bench_options *options, int argc, char **argv)
{
	int letter;

	*options = (struct bench_options){.cpu = {0, 1}, .point_ns = 100000000};
	while ((letter = getopt_long(argc, argv, "", long_options, NULL)) != -1) {
		switch (letter) {
		case 'c':
			if (sscanf(optarg, "%d,%d", &options->cpu[0], &options->cpu[1]) == 2)
				break;
			fprintf(stderr, "--cpus: \"%s\" is not a pair like 0,1\n", optarg);
			exit(2);
		case 't':
			options->point_ns = (uint64_t)(number("--time-ms", optarg) * 1e6);
			break;
		case 'n':
			options->messages = (uint64_t)number("--messages", optarg);
			break;
		case 'm':
			options->metric = optarg;
			break;
		case 'l':
			options->label = optarg;
			break;
		case 'o':
			options->mode = optarg;
			break;
		case 's':
			parse_sizes(options, optarg);
			break;
		case 'h':
			usage(stdout, argv[0]);
			exit(0);
		default:
			usage(stderr, argv[0]);
			exit(2);
		}
	}
	if (optind != argc) {
		fprintf(stderr, "unexpected argument \"%s\"\n", argv[optind]);
		exit(2);
	}
}

bool options_want(const struct bench_options *options, const char *metric)
{
	return !options->metric || strcmp(options->metric, metric) == 0;
}

void options_default_sizes(struct bench_options *options, const size_t *sizes, size_t count)
{
	if (options->size_count > 0)
		return;
	memcpy(options->sizes, sizes, count * sizeof(*sizes));
	options->size_count = count;
}
