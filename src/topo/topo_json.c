/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What json-c does not tell about a text: on which line a value stands, and whether an object has a
 * key twice. A walk over text that json-c has accepted; on other text it ends early but stays
 * inside.
 */
#include <stdio.h>
#include <string.h>

#include "topo/load.h"

#define DEPTH_MAX 32  /* json-c's own */
#define KEYS_MAX  128 /* in one object; later ones are not compared */
#define PATH_SIZE 256

struct span {
	const char *start;
	size_t len;
};

struct walk {
	const char *at;
	unsigned int line;
	unsigned int depth;
	char path[PATH_SIZE]; /* of the value at hand */
	size_t path_len;
	/* called for every value and for every repeated key; true ends the walk */
	bool (*visit)(struct walk *walk, bool repeated);
	bool done;
	/* of topo_json_line() */
	const char *wanted;
	size_t best_len;
	unsigned int best_line;
};

static bool walk_value(struct walk *walk);

static void skip_space(struct walk *walk)
{
	for (;; walk->at++) {
		if (*walk->at == '\n')
			walk->line++;
		else if (*walk->at != ' ' && *walk->at != '\t' && *walk->at != '\r')
			return;
	}
}

static bool skip_char(struct walk *walk, char c)
{
	skip_space(walk);
	if (*walk->at != c)
		return false;
	walk->at++;
	return true;
}

static bool skip_string(struct walk *walk, struct span *ret_span)
{
	if (!skip_char(walk, '"'))
		return false;
	ret_span->start = walk->at;
	while (*walk->at && *walk->at != '"') {
		if (*walk->at == '\n')
			walk->line++;
		walk->at += walk->at[0] == '\\' && walk->at[1] ? 2 : 1;
	}
	ret_span->len = (size_t)(walk->at - ret_span->start);
	return skip_char(walk, '"');
}

/* a path that does not fit stays as it is: its line is then that of what is around it */
static void path_append(struct walk *walk, const char *text, size_t len)
{
	if (walk->path_len + len >= sizeof(walk->path))
		return;
	memcpy(walk->path + walk->path_len, text, len);
	walk->path_len += len;
	walk->path[walk->path_len] = '\0';
}

static void path_cut(struct walk *walk, size_t len)
{
	walk->path_len = len;
	walk->path[len] = '\0';
}

static bool keys_contain(const struct span *keys, size_t count, const struct span *key)
{
	for (size_t i = 0; i < count; i++) {
		if (keys[i].len == key->len && !memcmp(keys[i].start, key->start, key->len))
			return true;
	}
	return false;
}

static bool walk_object(struct walk *walk)
{
	struct span keys[KEYS_MAX];
	size_t count = 0, around = walk->path_len;

	if (skip_char(walk, '}'))
		return true;
	do {
		struct span key;
		bool repeated;

		if (!skip_string(walk, &key) || !skip_char(walk, ':'))
			return false;
		if (around)
			path_append(walk, ".", 1);
		path_append(walk, key.start, key.len);
		repeated = keys_contain(keys, count, &key);
		if (count < KEYS_MAX)
			keys[count++] = key;
		if (repeated && walk->visit(walk, true))
			walk->done = true;
		if (walk->done || !walk_value(walk))
			return false;
		path_cut(walk, around);
	} while (skip_char(walk, ','));
	return skip_char(walk, '}');
}

static bool walk_array(struct walk *walk)
{
	size_t around = walk->path_len;
	unsigned int index = 0;

	if (skip_char(walk, ']'))
		return true;
	do {
		char text[16];

		path_append(walk, text, (size_t)snprintf(text, sizeof(text), "[%u]", index++));
		if (!walk_value(walk))
			return false;
		path_cut(walk, around);
	} while (skip_char(walk, ','));
	return skip_char(walk, ']');
}

/* false: the walk is over */
static bool walk_value(struct walk *walk)
{
	struct span ignored;
	bool ok;

	skip_space(walk);
	if (walk->visit(walk, false))
		walk->done = true;
	if (walk->done || walk->depth == DEPTH_MAX)
		return false;
	if (*walk->at == '"')
		return skip_string(walk, &ignored);
	if (*walk->at != '{' && *walk->at != '[') {
		walk->at += strcspn(walk->at, ",]} \t\r\n");
		return true;
	}
	walk->depth++;
	ok = *walk->at++ == '{' ? walk_object(walk) : walk_array(walk);
	walk->depth--;
	return ok;
}

/* is the value at hand the wanted one, or around it? */
static bool leads_to(const struct walk *walk)
{
	const char *rest = walk->wanted + walk->path_len;

	if (strncmp(walk->path, walk->wanted, walk->path_len) != 0)
		return false;
	return !walk->path_len || !*rest || *rest == '.' || *rest == '[';
}

static bool visit_line(struct walk *walk, bool repeated)
{
	if (repeated || !leads_to(walk) || walk->path_len < walk->best_len)
		return false;
	walk->best_len = walk->path_len;
	walk->best_line = walk->line;
	return !walk->wanted[walk->path_len];
}

unsigned int topo_json_line(const char *text, const char *path)
{
	struct walk walk = {
		.at = text, .line = 1, .visit = visit_line, .wanted = path, .best_line = 1};

	walk_value(&walk);
	return walk.best_line;
}

static bool visit_repeated(struct walk *walk, bool repeated)
{
	(void)walk;
	return repeated;
}

doca_error_t topo_json_check(const char *source, const char *text, struct topo_why *why)
{
	struct walk walk = {.at = text, .line = 1, .visit = visit_repeated};
	bool ok = walk_value(&walk);

	if (walk.done)
		return topo_refuse(why, "%s:%u: %.200s: the key is given twice",
				   topo_shown_path(source), walk.line, walk.path);
	if (!ok)
		return topo_refuse(why, "%s:%u: not JSON", topo_shown_path(source), walk.line);
	return DOCA_SUCCESS;
}
