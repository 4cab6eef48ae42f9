/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The host's half: calls what dpacc has put into the tables of two applications.
 */
#include <stdio.h>
#include <string.h>

#include <softfield_dpa_app.h>
#include "kinds.h"

extern struct doca_dpa_app *first_app;
extern struct doca_dpa_app *other_app;

/* how a program names functions */
typedef void(func_t)(void);
extern func_t count_call, get_calls, structures;

static int failures, called_back;

/* Names that the DPA code has, too. */
int triple(int value);
int triple(int value)
{
	return value - 1000;
}

static void expect(const char *what, uint64_t value, uint64_t expected)
{
	if (value == expected)
		return;
	failures++;
	printf("%s: %llu, expected %llu\n", what, (unsigned long long)value,
	       (unsigned long long)expected);
}

static const struct softfield_dpa_func *find(const struct doca_dpa_app *app, const char *name)
{
	for (uint32_t i = 0; i < app->num_funcs; i++)
		if (!strcmp(app->funcs[i].name, name))
			return &app->funcs[i];
	printf("%s: not in the table of %s\n", name, app->name);
	failures++;
	return NULL;
}

static uint64_t call(const struct doca_dpa_app *app, const char *name, ...)
{
	unsigned char args[SOFTFIELD_DPA_MAX_ARGS_SIZE + 16] __attribute__((aligned(16)));
	const struct softfield_dpa_func *func = find(app, name);
	va_list ap;

	if (!func)
		return 0;
	memset(args, 0xa5, sizeof(args));
	va_start(ap, name);
	func->pack(args, ap);
	va_end(ap);
	expect("bytes that are not of the arguments", args[func->args_size], 0xa5);
	return func->run(args);
}

static void note(int value)
{
	called_back = value;
}

static void check_table(void)
{
	expect("version", first_app->version, SOFTFIELD_DPA_APP_VERSION);
	expect("functions", first_app->num_funcs, 11);
	expect("name", (uint64_t)strcmp(first_app->name, "first_app"), 0);
	expect("stub of count_call", find(first_app, "count_call")->stub == count_call, 1);
	expect("stub of get_calls", find(first_app, "get_calls")->stub == get_calls, 1);
	expect("the other's stub of get_calls", find(other_app, "get_calls")->stub == get_calls, 1);
	expect("stubs differ", count_call != structures, 1);
	expect("count_call is an RPC", find(first_app, "count_call")->is_rpc, 0);
	expect("get_calls is an RPC", find(first_app, "get_calls")->is_rpc, 1);
	expect("arguments of count_call", find(first_app, "count_call")->args_size, 0);
	expect("parameters of count_call", find(first_app, "count_call")->num_params, 0);
	expect("parameters of integers", find(first_app, "integers")->num_params, 9);
	for (uint32_t i = 0; i < first_app->num_funcs; i++)
		expect(first_app->funcs[i].name, first_app->funcs[i].args_size % 16, 0);
}

static void check_values(void)
{
	struct pair pair = {1, 2, 3};
	struct big big = {.values = {10, [8] = 20}};
	int array[4] = {1, 2, 3, 4};
	uint64_t rows[2][3] = {{0, 0, 100}};
	const char *text = "hello";

	expect("integers",
	       call(first_app, "integers", (uint8_t)255, (int8_t)-1, (uint16_t)1000, (short)-5,
		    true, 'a', 7u, -3L, 1ull << 40),
	       (1ull << 40) + 255 - 1 + 1000 - 5 + 1 + 'a' + 7 - 3);
	expect("reals", call(first_app, "reals", 1.5f, 2.25, 3.0f), 8);
	expect("structures", call(first_app, "structures", pair, big, pair), 39);
	expect("pointers",
	       call(first_app, "pointers", text, array, array, note, text, rows, (uint64_t)5), 111);
	expect("callback", (uint64_t)called_back, 2);
	expect("enums", call(first_app, "enums", COLOR_GREEN, SMALL_BIG, (uint64_t)1000, &pair),
	       1209);
}

int main(void)
{
	uint32_t stored = 0;

	check_table();
	check_values();
	call(first_app, "count_call");
	call(first_app, "count_call");
	expect("get_calls", call(first_app, "get_calls"), 2);
	expect("get_calls of the other", call(other_app, "get_calls"), 103);
	expect("hidden", call(first_app, "hidden", 5u), 16);
	expect("marked_before", call(first_app, "marked_before", 4), 8);
	expect("in_header", call(first_app, "in_header", (uint64_t)8), 9);
	call(first_app, "store", (uint64_t)(uintptr_t)&stored, 9u);
	expect("store", stored, 27);
	puts(failures ? "failed" : "all is well");
	return failures != 0;
}
