/* SPDX-License-Identifier: BSD-3-Clause */
/* Strict reading of JSON values: see reader.h. */
#include <ctype.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "topo/reader.h"
#include "base/name_list.h"
#include "base/printable.h"

/* Positions and messages */

/*
 * returns what path_leave() needs to come back; a path too long is cut, which costs only precision
 */
static size_t path_enter(struct reader *reader, const char *key)
{
	size_t around = reader->path_len;

	if (reader->secret && strstr(key, reader->secret))
		key = "(a secret)";
	snprintf(reader->path + around, sizeof(reader->path) - around, "%s%.64s",
		 around && *key != '[' ? "." : "", key);
	reader->path_len = strlen(reader->path);
	return around;
}

static void path_leave(struct reader *reader, size_t around)
{
	reader->path_len = around;
	reader->path[around] = '\0';
}

__attribute__((format(printf, 2, 0))) static doca_error_t
refuse_list(struct reader *reader, const char *format, va_list args)
{
	char message[800];

	vsnprintf(message, sizeof(message), format, args);
	return topo_refuse(reader->why, "%s:%u: %.100s%s%s", topo_shown_path(reader->source),
			   topo_json_line(reader->text, reader->path), reader->path,
			   reader->path_len ? ": " : "", message);
}

doca_error_t reader_refuse(struct reader *reader, const char *format, ...)
{
	doca_error_t err;
	va_list args;

	va_start(args, format);
	err = refuse_list(reader, format, args);
	va_end(args);
	return err;
}

doca_error_t reader_refuse_at(struct reader *reader, const char *key, const char *format, ...)
{
	size_t around = path_enter(reader, key);
	doca_error_t err;
	va_list args;

	va_start(args, format);
	err = refuse_list(reader, format, args);
	va_end(args);
	path_leave(reader, around);
	return err;
}

/* Structure: text, objects and arrays */

static unsigned int line_of(const char *text, size_t offset)
{
	unsigned int line = 1;

	for (size_t i = 0; i < offset && text[i]; i++)
		line += text[i] == '\n';
	return line;
}

/* in the line where the offset is */
static bool is_near_secret(const struct reader *reader, size_t offset)
{
	const char *start = reader->text + offset, *found;

	while (start > reader->text && start[-1] != '\n')
		start--;
	found = reader->secret ? strstr(start, reader->secret) : NULL;
	return found && found < start + strcspn(start, "\n");
}

/* A file may be one long line: what stands there tells more than the line's number. */
static doca_error_t refuse_syntax(struct reader *reader, size_t offset, const char *what)
{
	const char *rest = reader->text + offset;
	char near[32];

	if (is_near_secret(reader, offset))
		rest = "(a line with a secret)";
	snprintf(near, sizeof(near), "%.*s", (int)strcspn(rest, "\r\n"), rest);
	return topo_refuse(reader->why, "%s:%u: not JSON: %s, at: %s",
			   topo_shown_path(reader->source), line_of(reader->text, offset), what,
			   printable_only(near));
}

doca_error_t reader_parse(struct reader *reader, struct json_object **ret_root)
{
	struct json_tokener *tokener = json_tokener_new();
	enum json_tokener_error error;
	size_t end;

	if (!tokener)
		return DOCA_ERROR_NO_MEMORY;
	json_tokener_set_flags(tokener, JSON_TOKENER_STRICT | JSON_TOKENER_VALIDATE_UTF8);
	*ret_root = json_tokener_parse_ex(tokener, reader->text, -1);
	error = json_tokener_get_error(tokener);
	end = json_tokener_get_parse_end(tokener);
	json_tokener_free(tokener);
	if (error == json_tokener_continue || error == json_tokener_error_parse_eof)
		return topo_refuse(reader->why, "%s:%u: the text ends too early",
				   topo_shown_path(reader->source),
				   line_of(reader->text, strlen(reader->text)));
	if (error != json_tokener_success)
		return refuse_syntax(reader, end, json_tokener_error_desc(error));
	return topo_json_check(reader->source, reader->text, reader->why);
}

static doca_error_t expect(struct reader *reader, struct json_object *value, enum json_type type,
			   const char *what)
{
	if (json_object_is_type(value, type))
		return DOCA_SUCCESS;
	return reader_refuse(reader, "%s where %s is expected",
			     json_type_to_name(json_object_get_type(value)), what);
}

static doca_error_t read_under(struct reader *reader, const char *key, struct json_object *value,
			       read_fn read, void *target)
{
	size_t around = path_enter(reader, key);
	doca_error_t err = read(reader, value, target);

	if (!err)
		path_leave(reader, around);
	return err;
}

static doca_error_t refuse_unknown(struct reader *reader, const char *key,
				   const struct member *members, size_t count)
{
	char known[400] = "";

	for (size_t i = 0; i < count; i++)
		name_list_add(known, sizeof(known), members[i].key);
	return reader_refuse_at(reader, key, "unknown key; allowed here: %s", known);
}

static doca_error_t check_keys(struct reader *reader, struct json_object *object,
			       const struct member *members, size_t count)
{
	json_object_object_foreach(object, key, value)
	{
		size_t i = 0;

		(void)value;
		while (i < count && strcmp(members[i].key, key) != 0)
			i++;
		if (i == count)
			return refuse_unknown(reader, key, members, count);
	}
	return DOCA_SUCCESS;
}

/* members are read in the order of the table, not of the text */
doca_error_t reader_members(struct reader *reader, struct json_object *object,
			    const struct member *members, size_t count, void *target)
{
	doca_error_t err = expect(reader, object, json_type_object, "an object { ... }");

	if (!err)
		err = check_keys(reader, object, members, count);
	for (size_t i = 0; i < count && !err; i++) {
		struct json_object *value;

		if (json_object_object_get_ex(object, members[i].key, &value))
			err = read_under(reader, members[i].key, value, members[i].read, target);
		else if (members[i].required)
			err = reader_refuse(reader, "has no \"%s\"", members[i].key);
	}
	return err;
}

static doca_error_t check_array(struct reader *reader, struct json_object *array, size_t min,
				size_t max)
{
	doca_error_t err = expect(reader, array, json_type_array, "an array [ ... ]");
	size_t count;

	if (err)
		return err;
	count = json_object_array_length(array);
	if (count >= min && count <= max)
		return DOCA_SUCCESS;
	return reader_refuse(reader, "has %zu elements; expected %zu to %zu", count, min, max);
}

doca_error_t reader_elements(struct reader *reader, struct json_object *array, size_t min,
			     size_t max, read_fn read, void *target)
{
	doca_error_t err = check_array(reader, array, min, max);
	size_t count = err ? 0 : json_object_array_length(array);

	for (size_t i = 0; i < count && !err; i++) {
		char key[24];

		snprintf(key, sizeof(key), "[%zu]", i);
		err = read_under(reader, key, json_object_array_get_idx(array, i), read, target);
	}
	return err;
}

/* Plain values */

doca_error_t reader_bool(struct reader *reader, struct json_object *value, bool *ret)
{
	doca_error_t err = expect(reader, value, json_type_boolean, "true or false");

	if (!err)
		*ret = json_object_get_boolean(value);
	return err;
}

doca_error_t reader_string(struct reader *reader, struct json_object *value, const char *what,
			   const char **ret)
{
	doca_error_t err = expect(reader, value, json_type_string, what);

	if (err)
		return err;
	*ret = json_object_get_string(value);
	if (strlen(*ret) != (size_t)json_object_get_string_len(value))
		return reader_refuse(reader, "has a zero byte in it; expected %s", what);
	return DOCA_SUCCESS;
}

doca_error_t reader_name(struct reader *reader, struct json_object *value, char *ret, size_t size)
{
	const char *name;
	doca_error_t err = reader_string(reader, value, "a string", &name);

	if (err)
		return err;
	if (!*name || strlen(name) >= size)
		return reader_refuse(reader, "has %zu characters; expected 1 to %zu", strlen(name),
				     size - 1);
	for (const char *c = name; *c; c++) {
		if (!isascii((unsigned char)*c) ||
		    (!isalnum((unsigned char)*c) && !strchr("._:@-", *c)))
			return reader_refuse(
				reader,
				"\"%.64s\" is not a name; letters, digits and . _ : @ - are "
				"allowed",
				name);
	}
	strcpy(ret, name);
	return DOCA_SUCCESS;
}

doca_error_t reader_number(struct reader *reader, struct json_object *value, uint64_t min,
			   uint64_t max, uint64_t *ret)
{
	doca_error_t err = expect(reader, value, json_type_int, "an integer");
	uint64_t number;

	if (err)
		return err;
	number = json_object_get_uint64(value); /* 0 for a negative one */
	if (json_object_get_int64(value) < 0 || number < min || number > max)
		return reader_refuse(reader, "%s is out of range; expected %" PRIu64 " to %" PRIu64,
				     json_object_get_string(value), min, max);
	*ret = number;
	return DOCA_SUCCESS;
}

/* Numbers with a name */

doca_error_t reader_setting(struct reader *reader, const struct setting *setting,
			    struct json_object *value, void *base)
{
	struct topo_why reason;
	doca_error_t err;

	if (!json_object_is_type(value, json_type_int) &&
	    (setting->kind == SETTING_COUNT || !json_object_is_type(value, json_type_string)))
		return expect(reader, value, json_type_int,
			      setting->kind == SETTING_COUNT	 ? "an integer"
			      : setting->kind == SETTING_PERCENT ? "an integer or \"10%\""
								 : "a duration like \"10ms\"");
	err = topo_setting_parse(setting, json_object_get_string(value), base, &reason);
	return err ? reader_refuse(reader, "%.750s", reason.text) : DOCA_SUCCESS;
}

doca_error_t reader_settings(struct reader *reader, struct json_object *object,
			     const struct setting_table *table, void *base)
{
	doca_error_t err = expect(reader, object, json_type_object, "an object { ... }");
	const struct setting *seen[64];
	size_t count = 0;

	if (err)
		return err;
	json_object_object_foreach(object, key, value)
	{
		const struct setting *setting;
		struct topo_why reason;
		size_t around = path_enter(reader, key);

		if (topo_setting_find(table, key, &setting, &reason))
			return reader_refuse(reader, "%.750s", reason.text);
		for (size_t i = 0; i < count; i++) {
			if (seen[i] == setting)
				return reader_refuse(reader, "%s is given twice", setting->name);
		}
		seen[count++] = setting; /* never above table->count, each once */
		err = reader_setting(reader, setting, value, base);
		if (err)
			return err;
		path_leave(reader, around);
	}
	return DOCA_SUCCESS;
}
