/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The topology text as a whole: docs/guide/topology.md. The built-in card comes this way too.
 */
#include <grp.h>
#include <pwd.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "topo/draft.h"
#include "base/cleanup.h"
#include "base/count.h"

#define CARDS_MAX	   16
#define DPU_FUNCTIONS_MAX  16
#define HOST_FUNCTIONS_MAX 1024
#define FUNCTIONS_MAX	   2048 /* in all; they are compared pair by pair */
#define ACCESS_MAX	   1024
#define ENTRY_SIZE	   16384 /* of passwd and group, as text */

/* Access: users and groups by name or number */

static doca_error_t find_user(const char *name, uint32_t *ret_id)
{
	_cleanup_free_ char *buffer = malloc(ENTRY_SIZE);
	struct passwd entry, *found = NULL;

	if (!buffer)
		return DOCA_ERROR_NO_MEMORY;
	getpwnam_r(name, &entry, buffer, ENTRY_SIZE, &found);
	if (!found)
		return DOCA_ERROR_NOT_FOUND;
	*ret_id = found->pw_uid;
	return DOCA_SUCCESS;
}

static doca_error_t find_group(const char *name, uint32_t *ret_id)
{
	_cleanup_free_ char *buffer = malloc(ENTRY_SIZE);
	struct group entry, *found = NULL;

	if (!buffer)
		return DOCA_ERROR_NO_MEMORY;
	getgrnam_r(name, &entry, buffer, ENTRY_SIZE, &found);
	if (!found)
		return DOCA_ERROR_NOT_FOUND;
	*ret_id = found->gr_gid;
	return DOCA_SUCCESS;
}

static doca_error_t read_id(struct reader *reader, struct json_object *value, const char *kind,
			    doca_error_t (*find)(const char *name, uint32_t *ret_id),
			    uint32_t *ret_id)
{
	const char *name;
	doca_error_t err;

	if (json_object_is_type(value, json_type_int)) {
		uint64_t number;

		err = reader_number(reader, value, 0, UINT32_MAX - 1, &number);
		if (!err)
			*ret_id = (uint32_t)number;
		return err;
	}
	err = reader_string(reader, value, "a name or a number", &name);
	if (err)
		return err;
	err = find(name, ret_id);
	if (err == DOCA_ERROR_NOT_FOUND)
		return reader_refuse(reader, "there is no %s \"%.64s\" on this machine", kind,
				     name);
	return err;
}

static doca_error_t read_user(struct reader *reader, struct json_object *value, void *target)
{
	struct topo_access *access = target;
	doca_error_t err =
		read_id(reader, value, "user", find_user, &access->users[access->user_count]);

	if (!err)
		access->user_count++;
	return err;
}

static doca_error_t read_group(struct reader *reader, struct json_object *value, void *target)
{
	struct topo_access *access = target;
	doca_error_t err =
		read_id(reader, value, "group", find_group, &access->groups[access->group_count]);

	if (!err)
		access->group_count++;
	return err;
}

static doca_error_t read_users(struct reader *reader, struct json_object *value, void *target)
{
	struct topo_access *access = target;

	access->users = calloc(ACCESS_MAX, sizeof(*access->users));
	if (!access->users)
		return DOCA_ERROR_NO_MEMORY;
	return reader_elements(reader, value, 0, ACCESS_MAX, read_user, access);
}

static doca_error_t read_groups(struct reader *reader, struct json_object *value, void *target)
{
	struct topo_access *access = target;

	access->groups = calloc(ACCESS_MAX, sizeof(*access->groups));
	if (!access->groups)
		return DOCA_ERROR_NO_MEMORY;
	return reader_elements(reader, value, 0, ACCESS_MAX, read_group, access);
}

static doca_error_t read_any_user(struct reader *reader, struct json_object *value, void *target)
{
	struct topo_access *access = target;

	return reader_bool(reader, value, &access->any_user);
}

static doca_error_t read_access(struct reader *reader, struct json_object *value, void *target)
{
	static const struct member members[] = {
		{"any_user", read_any_user},
		{"users", read_users},
		{"groups", read_groups},
	};
	struct topo_card *card = target;

	return reader_members(reader, value, members, COUNT(members), &card->access);
}

/* Cards */

static doca_error_t read_name(struct reader *reader, struct json_object *value, void *target)
{
	struct topo_card *card = target;

	return reader_name(reader, value, card->name, sizeof(card->name));
}

static doca_error_t read_strict(struct reader *reader, struct json_object *value, void *target)
{
	struct topo_card *card = target;

	return reader_bool(reader, value, &card->strict);
}

static doca_error_t read_dpu(struct reader *reader, struct json_object *value, void *target)
{
	return reader_elements(reader, value, 1, DPU_FUNCTIONS_MAX, topo_read_dpu_function, target);
}

static doca_error_t read_host(struct reader *reader, struct json_object *value, void *target)
{
	return reader_elements(reader, value, 0, HOST_FUNCTIONS_MAX, topo_read_host_function,
			       target);
}

static doca_error_t read_card(struct reader *reader, struct json_object *value, void *target)
{
	static const struct member members[] = {
		{"name", read_name},	 {"strict", read_strict},   {"access", read_access},
		{"dpu", read_dpu, true}, {"host", read_host, true},
	};
	struct draft *draft = target;
	struct topo_card *card = &draft->topo->cards[draft->card_next];

	snprintf(card->name, sizeof(card->name), "card%u", draft->card_next++);
	memset(draft->index, 0, sizeof(draft->index));
	draft->host_pfs = 0;
	return reader_members(reader, value, members, COUNT(members), card);
}

static size_t length_of(struct json_object *object, const char *key)
{
	struct json_object *array;

	if (!json_object_object_get_ex(object, key, &array) ||
	    !json_object_is_type(array, json_type_array))
		return 0;
	return json_object_array_length(array);
}

/* takes the memory before anything points into it; what has the wrong type is refused later */
static doca_error_t make_room(struct reader *reader, struct draft *draft, struct json_object *cards)
{
	size_t card_count = json_object_array_length(cards), dpu_count = 0, host_count = 0;
	struct topo *topo = draft->topo;

	for (size_t i = 0; i < card_count; i++) {
		struct json_object *card = json_object_array_get_idx(cards, i);

		if (!json_object_is_type(card, json_type_object))
			continue;
		dpu_count += length_of(card, "dpu");
		host_count += length_of(card, "host");
	}
	if (dpu_count + host_count > FUNCTIONS_MAX)
		return reader_refuse(reader, "has %zu functions; at most %u are possible",
				     dpu_count + host_count, FUNCTIONS_MAX);
	topo->cards = calloc(card_count + 1, sizeof(*topo->cards));
	topo->functions = calloc(dpu_count + host_count + 1, sizeof(*topo->functions));
	topo->reps = calloc(host_count + 1, sizeof(*topo->reps));
	if (!topo->cards || !topo->functions || !topo->reps)
		return DOCA_ERROR_NO_MEMORY;
	topo->card_count = (unsigned int)card_count;
	topo->function_count = (unsigned int)(dpu_count + host_count);
	topo->rep_count = (unsigned int)host_count;
	draft->host_next = (unsigned int)dpu_count;
	return DOCA_SUCCESS;
}

static doca_error_t read_cards(struct reader *reader, struct json_object *value, void *target)
{
	struct draft *draft = target;
	doca_error_t err = DOCA_SUCCESS;

	if (json_object_is_type(value, json_type_array))
		err = make_room(reader, draft, value);
	if (err)
		return err;
	return reader_elements(reader, value, 0, CARDS_MAX, read_card, draft);
}

/* The whole */

static doca_error_t read_runtime_dir(struct reader *reader, struct json_object *value, void *target)
{
	struct draft *draft = target;
	struct topo_why reason;
	const char *text;
	doca_error_t err = reader_string(reader, value, "an absolute path in quotes", &text);

	if (err)
		return err;
	err = topo_set_runtime_dir(draft->topo, text, &reason);
	return err ? reader_refuse(reader, "%.750s", reason.text) : DOCA_SUCCESS;
}

static doca_error_t read_connect_wait(struct reader *reader, struct json_object *value,
				      void *target)
{
	struct draft *draft = target;

	return reader_setting(reader, &topo_wait_settings.rows[0], value, draft->topo);
}

static doca_error_t read_limits(struct reader *reader, struct json_object *value, void *target)
{
	struct draft *draft = target;
	struct topo_why reason;
	doca_error_t err =
		reader_settings(reader, value, &topo_limit_settings, &draft->topo->limits);

	if (err)
		return err;
	err = topo_limits_check(&draft->topo->limits, &reason);
	return err ? reader_refuse(reader, "%.750s", reason.text) : DOCA_SUCCESS;
}

static doca_error_t read_faults(struct reader *reader, struct json_object *value, void *target)
{
	struct draft *draft = target;

	return reader_settings(reader, value, &topo_fault_settings, &draft->topo->faults);
}

static doca_error_t read_root(struct reader *reader, struct json_object *root)
{
	static const struct member members[] = {
		{"runtime_dir", read_runtime_dir}, {"connect_wait", read_connect_wait},
		{"limits", read_limits},	   {"faults", read_faults},
		{"cards", read_cards, true},
	};
	struct draft *draft = reader->context;
	doca_error_t err = reader_members(reader, root, members, COUNT(members), draft);

	if (err)
		return err;
	topo_fill_gaps(draft->topo);
	return topo_check_unique(reader, draft->topo);
}

static doca_error_t topo_create(const char *source, struct topo **ret_topo)
{
	struct topo *topo = calloc(1, sizeof(*topo));

	if (!topo)
		return DOCA_ERROR_NO_MEMORY;
	snprintf(topo->source, sizeof(topo->source), "%s", source);
	topo->limits = topo_builtin_limits;
	topo->side_visible[TOPO_HOST] = topo->side_visible[TOPO_DPU] = true;
	*ret_topo = topo;
	return DOCA_SUCCESS;
}

doca_error_t topo_parse(const char *source, const char *text, struct topo **ret_topo,
			struct topo_why *why)
{
	struct draft draft = {0};
	struct reader reader = {.source = source, .text = text, .why = why, .context = &draft};
	struct json_object *root = NULL;
	doca_error_t err = reader_parse(&reader, &root);

	if (!err)
		err = topo_create(source, &draft.topo);
	if (!err)
		err = read_root(&reader, root);
	json_object_put(root);
	if (err) {
		priv_topo_free(draft.topo);
		return err;
	}
	*ret_topo = draft.topo;
	return DOCA_SUCCESS;
}
