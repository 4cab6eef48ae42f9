/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Who may connect to a subsystem, and what they must prove. No message quotes a key.
 */
#include "config_json.h"

#include <string.h>
#include "base/count.h"

#define HOSTS_MAX 1024

doca_error_t config_read_nqn(struct reader *reader, struct json_object *value, const char **ret)
{
	doca_error_t err = reader_string(reader, value, "an NQN", ret);

	if (!err && !strncmp(*ret, CONFIG_KEY_BEGINS, strlen(CONFIG_KEY_BEGINS)))
		return reader_refuse(reader, "a key where an NQN is expected");
	if (!err && !nvmf_nqn_is_valid(*ret))
		return reader_refuse(reader,
				     "\"%.64s\" is no NQN: those have 11 to 223 characters, such "
				     "as nqn.2025-11.local.softfield:disk",
				     *ret);
	return err;
}

/*
 * Keys
 */

static doca_error_t read_key(struct reader *reader, struct json_object *value, struct nvmf_key *key)
{
	const char *text, *why;
	doca_error_t err = reader_string(reader, value, "a key, \"DHHC-1:...\"", &text);

	if (err)
		return err;
	if (nvmf_key_parse(text, key, &why))
		return reader_refuse(reader, "the key %s (nvme gen-dhchap-key makes keys)", why);
	if (!nvmf_crypto_is_there())
		return reader_refuse(reader, "this program is built without libcrypto (OpenSSL 3), "
					     "which keys need");
	return DOCA_SUCCESS;
}

static doca_error_t read_host_key(struct reader *reader, struct json_object *value, void *target)
{
	struct nvmf_host *host = target;

	return read_key(reader, value, &host->auth.key);
}

static doca_error_t read_ctrlr_key(struct reader *reader, struct json_object *value, void *target)
{
	struct nvmf_host *host = target;

	return read_key(reader, value, &host->auth.ctrlr_key);
}

/*
 * Hashes and groups: in the order in which they are preferred
 */

struct choice {
	const char *name;
	uint8_t id;
};

static const struct choice hashes[] = {
	{"sha256", NVMF_SHA256}, {"sha384", NVMF_SHA384}, {"sha512", NVMF_SHA512}};
static const struct choice groups[] = {
	{"null", NVMF_DH_NULL},	       {"ffdhe2048", NVMF_FFDHE2048},
	{"ffdhe3072", NVMF_FFDHE3072}, {"ffdhe4096", NVMF_FFDHE4096},
	{"ffdhe6144", NVMF_FFDHE6144}, {"ffdhe8192", NVMF_FFDHE8192}};

struct choosing {
	const struct choice *choices;
	size_t count;
	const char *expected;
	uint8_t *ids, *id_count;
};

static doca_error_t read_choice(struct reader *reader, struct json_object *value, void *target)
{
	struct choosing *choosing = target;
	const char *text;
	doca_error_t err = reader_string(reader, value, choosing->expected, &text);
	size_t i;

	for (i = 0; !err && i < choosing->count; i++)
		if (!strcmp(choosing->choices[i].name, text))
			break;
	if (err)
		return err;
	if (i == choosing->count)
		return reader_refuse(reader, "\"%.64s\" where %s is expected", text,
				     choosing->expected);
	if (memchr(choosing->ids, choosing->choices[i].id, *choosing->id_count))
		return reader_refuse(reader, "\"%s\" is in the list already", text);
	choosing->ids[(*choosing->id_count)++] = choosing->choices[i].id;
	return DOCA_SUCCESS;
}

static doca_error_t read_hashes(struct reader *reader, struct json_object *value, void *target)
{
	struct nvmf_host_auth *auth = &((struct nvmf_host *)target)->auth;
	struct choosing choosing = {hashes, COUNT(hashes), "\"sha256\", \"sha384\" or \"sha512\"",
				    auth->hashes, &auth->hash_count};

	auth->hash_count = 0;
	return reader_elements(reader, value, 1, COUNT(hashes), read_choice, &choosing);
}

static doca_error_t read_groups(struct reader *reader, struct json_object *value, void *target)
{
	struct nvmf_host_auth *auth = &((struct nvmf_host *)target)->auth;
	struct choosing choosing = {groups, COUNT(groups),
				    "\"null\" or \"ffdhe2048\", 3072, 4096, 6144 or 8192",
				    auth->groups, &auth->group_count};

	auth->group_count = 0;
	return reader_elements(reader, value, 1, COUNT(groups), read_choice, &choosing);
}

/*
 * Hosts
 */

static doca_error_t read_host_nqn(struct reader *reader, struct json_object *value, void *target)
{
	struct nvmf_host *host = target;
	const char *nqn;
	doca_error_t err = config_read_nqn(reader, value, &nqn);

	if (!err)
		strcpy(host->nqn, nqn);
	return err;
}

/* a name, or an object with a key */
static doca_error_t read_host(struct reader *reader, struct json_object *value, void *target)
{
	static const struct member members[] = {
		{"nqn", read_host_nqn, true},
		{"key", read_host_key, true},
		{"controller_key", read_ctrlr_key, false},
		{"hashes", read_hashes, false},
		{"groups", read_groups, false},
	};
	const char *nqn;
	doca_error_t err;

	if (json_object_is_type(value, json_type_object))
		return reader_members(reader, value, members, COUNT(members),
				      config_add_host(target, ""));
	err = config_read_nqn(reader, value, &nqn);
	if (!err)
		config_add_host(target, nqn);
	return err;
}

static const struct nvmf_host *host_of(const struct list_node *node)
{
	return container_of(node, struct nvmf_host, node);
}

/* with two keys it would be the order that counts */
static doca_error_t check_name(struct reader *reader, const struct subsys_config *subsys,
			       const struct nvmf_host *host, unsigned int index)
{
	const struct list_node *node;
	unsigned int other = 0;

	list_for_each (node, &subsys->hosts) {
		if (other == index)
			break;
		if (!strcmp(host_of(node)->nqn, host->nqn))
			return reader_refuse(reader, "[%u] has the same \"nqn\" as [%u]", index,
					     other);
		other++;
	}
	return DOCA_SUCCESS;
}

/* A name is no proof: who takes that of a host without a key would be let in. */
static doca_error_t check_hosts(struct reader *reader, const struct subsys_config *subsys)
{
	const struct list_node *node;
	unsigned int index = 0;
	doca_error_t err = DOCA_SUCCESS;

	list_for_each (node, &subsys->hosts) {
		bool has_key = host_of(node)->auth.key.size;

		if (has_key != !!host_of(subsys->hosts.next)->auth.key.size)
			return reader_refuse(reader,
					     "[%u] has a key and [%u] has none, whose name anybody "
					     "can take: give all of them keys, or none",
					     has_key ? index : 0, has_key ? 0 : index);
		if (has_key)
			err = check_name(reader, subsys, host_of(node), index);
		if (err)
			return err;
		index++;
	}
	return DOCA_SUCCESS;
}

doca_error_t config_read_hosts(struct reader *reader, struct json_object *value, void *target)
{
	struct subsys_config *subsys = target;
	doca_error_t err;

	subsys->allow_any_host = false;
	err = reader_elements(reader, value, 0, HOSTS_MAX, read_host, subsys);
	return err ? err : check_hosts(reader, subsys);
}
