/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What is to be served: from the command line or a JSON file (docs/guide/target.md).
 */
#include "target.h"

#include <json-c/json.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define DEFAULT_PORT 4420

void config_init(struct config *config)
{
	memset(config, 0, sizeof(*config));
	list_init(&config->ports);
	list_init(&config->subsystems);
}

static void free_subsys(struct subsys_config *subsys)
{
	struct list_node *node;

	while ((node = list_pop(&subsys->hosts)))
		free(container_of(node, struct nvmf_host, node));
	while ((node = list_pop(&subsys->namespaces))) {
		struct ns_config *ns = container_of(node, struct ns_config, node);

		free(ns->path);
		free(ns);
	}
	free(subsys);
}

void config_free(struct config *config)
{
	struct list_node *node;

	while ((node = list_pop(&config->ports)))
		free(container_of(node, struct port_config, node));
	while ((node = list_pop(&config->subsystems)))
		free_subsys(container_of(node, struct subsys_config, node));
}

static void *allocate(size_t size)
{
	void *memory = calloc(1, size);

	if (!memory) {
		fputs("softfield target: out of memory\n", stderr);
		exit(1);
	}
	return memory;
}

struct subsys_config *config_add_subsys(struct config *config, const char *nqn)
{
	struct subsys_config *subsys;

	if (!nvmf_nqn_is_valid(nqn)) {
		fprintf(stderr,
			"softfield target: \"%s\" is no name of a subsystem: 11 to 223 "
			"characters, such as nqn.2025-11.local.softfield:disk\n",
			nqn);
		return NULL;
	}
	subsys = allocate(sizeof(*subsys));
	strcpy(subsys->nqn, nqn);
	strcpy(subsys->serial, "SOFTFIELD");
	strcpy(subsys->model, "Softfield");
	subsys->allow_any_host = true;
	list_init(&subsys->hosts);
	list_init(&subsys->namespaces);
	list_add_tail(&config->subsystems, &subsys->node);
	return subsys;
}

struct ns_config *config_add_ns(struct subsys_config *subsys, const char *path)
{
	struct ns_config *ns = allocate(sizeof(*ns));

	if (path) {
		ns->path = strdup(path);
		ns->disk.path = ns->path;
	}
	list_add_tail(&subsys->namespaces, &ns->node);
	return ns;
}

bool config_add_port(struct config *config, enum nvmf_trtype trtype, const char *addr,
		     uint16_t number)
{
	struct port_config *port = allocate(sizeof(*port));
	struct list_node *node;

	snprintf(port->addr, sizeof(port->addr), "%s", addr);
	port->port = number ? number : DEFAULT_PORT;
	port->trtype = trtype;
	port->id = 1;
	list_for_each (node, &config->ports)
		port->id++;
	list_add_tail(&config->ports, &port->node);
	return true;
}

bool config_parse_address(const char *text, char addr[NVMF_TRADDR_SIZE], uint16_t *port)
{
	const char *colon = strrchr(text, ':');
	const char *bracket = strchr(text, ']');
	size_t length;
	char *end;
	long number;

	/* the colons of a bare IPv6 address are its own */
	if (colon && !bracket && strchr(text, ':') != colon)
		colon = NULL;
	if (bracket && colon && colon < bracket)
		colon = NULL;
	length = colon ? (size_t)(colon - text) : strlen(text);
	if (text[0] == '[') {
		text++;
		length = bracket ? (size_t)(bracket - text) : length;
	}
	if (length >= NVMF_TRADDR_SIZE)
		return false;
	if (length) {
		memcpy(addr, text, length);
		addr[length] = '\0';
	}
	if (!colon)
		return true;
	number = strtol(colon + 1, &end, 10);
	if (*end || end == colon + 1 || number < 1 || number > 65535)
		return false;
	*port = (uint16_t)number;
	return true;
}

bool config_parse_size(const char *text, uint64_t *ret_size)
{
	static const char units[] = "KMGT";
	char *end;
	const char *unit;
	unsigned long long number = strtoull(text, &end, 10);
	unsigned int shift = 0;

	if (end == text || !number)
		return false;
	if (*end) {
		unit = strchr(units, *end & ~0x20);
		if (!unit || end[1])
			return false;
		shift = 10 * (unsigned int)(unit - units + 1);
	}
	if (number > UINT64_MAX >> shift)
		return false;
	*ret_size = (uint64_t)number << shift;
	return true;
}

/*
 * JSON
 */

struct reader {
	const char *file;
	bool failed;
};

static void complain(struct reader *r, const char *where, const char *what)
{
	fprintf(stderr, "softfield target: %s: %s: %s\n", r->file, where, what);
	r->failed = true;
}

/* every key must be one of the list, which ends with NULL */
static void check_keys(struct reader *r, struct json_object *object, const char *where,
		       const char *const *known)
{
	json_object_object_foreach(object, key, value)
	{
		const char *const *k = known;

		(void)value;
		while (*k && strcmp(*k, key))
			k++;
		if (!*k) {
			char text[128];

			snprintf(text, sizeof(text),
				 "there is no \"%.40s\"; first of what there is: "
				 "\"%s\"",
				 key, known[0]);
			complain(r, where, text);
		}
	}
}

static const char *get_text(struct reader *r, struct json_object *object, const char *where,
			    const char *key)
{
	struct json_object *value;

	if (!json_object_object_get_ex(object, key, &value))
		return NULL;
	if (json_object_is_type(value, json_type_string))
		return json_object_get_string(value);
	complain(r, where, "a text was expected");
	return NULL;
}

static int64_t get_number(struct reader *r, struct json_object *object, const char *where,
			  const char *key, int64_t otherwise, int64_t max)
{
	struct json_object *value;
	int64_t number;

	if (!json_object_object_get_ex(object, key, &value))
		return otherwise;
	number = json_object_get_int64(value);
	if (json_object_is_type(value, json_type_int) && number >= 0 && number <= max)
		return number;
	complain(r, where, key);
	fprintf(stderr, "  a number from 0 to %lld was expected\n", (long long)max);
	return otherwise;
}

static bool get_bool(struct reader *r, struct json_object *object, const char *where,
		     const char *key, bool otherwise)
{
	struct json_object *value;

	if (!json_object_object_get_ex(object, key, &value))
		return otherwise;
	if (json_object_is_type(value, json_type_boolean))
		return json_object_get_boolean(value);
	complain(r, where, "true or false was expected");
	return otherwise;
}

static uint64_t get_size(struct reader *r, struct json_object *object, const char *where)
{
	const char *text = get_text(r, object, where, "size");
	uint64_t size = 0;

	if (!text || !config_parse_size(text, &size))
		complain(r, where, "\"size\" is needed: \"64M\", \"1G\"");
	return size;
}

static bool is_uuid(const char *text)
{
	size_t i;

	for (i = 0; i < 36; i++) {
		bool dash = i == 8 || i == 13 || i == 18 || i == 23;

		if (dash ? text[i] != '-' : !strchr("0123456789abcdefABCDEF", text[i]) || !text[i])
			return false;
	}
	return text[36] == '\0';
}

static void read_ns(struct reader *r, struct subsys_config *subsys, struct json_object *object)
{
	static const char *const keys[] = {"file",	"pci",	  "memory",    "null",
					   "nsid",	"size",	  "uuid",      "block_size",
					   "read_only", "direct", "ana_group", NULL};
	const char *pci = get_text(r, object, subsys->nqn, "pci");
	const char *path = pci ? pci : get_text(r, object, subsys->nqn, "file");
	const char *uuid = get_text(r, object, subsys->nqn, "uuid");
	struct ns_config *ns = config_add_ns(subsys, path);

	check_keys(r, object, subsys->nqn, keys);
	ns->nsid = (uint32_t)get_number(r, object, subsys->nqn, "nsid", 0, NVMF_NSID_MAX);
	ns->ana_group =
		(uint32_t)get_number(r, object, subsys->nqn, "ana_group", 1, NVMF_ANA_GROUPS);
	ns->disk.block_size =
		(uint32_t)get_number(r, object, subsys->nqn, "block_size", 512, 65536);
	ns->disk.read_only = get_bool(r, object, subsys->nqn, "read_only", false);
	ns->disk.direct = get_bool(r, object, subsys->nqn, "direct", false);
	if (uuid && is_uuid(uuid))
		strcpy(ns->uuid, uuid);
	else if (uuid)
		complain(r, subsys->nqn, "\"uuid\" is not of the form 8-4-4-4-12 digits");
	if (pci) {
		ns->disk.kind = SOFTFIELD_STA_DISK_PCI;
		ns->disk.block_size = 0; /* the disk's own */
	}
	if (path)
		return;
	ns->disk.kind = get_bool(r, object, subsys->nqn, "null", false) ? SOFTFIELD_STA_DISK_NULL
									: SOFTFIELD_STA_DISK_MEMORY;
	if (ns->disk.kind == SOFTFIELD_STA_DISK_MEMORY &&
	    !get_bool(r, object, subsys->nqn, "memory", false))
		complain(r, subsys->nqn,
			 "a namespace needs \"file\", \"pci\", \"memory\": true or "
			 "\"null\": true");
	ns->disk.size = get_size(r, object, subsys->nqn);
}

static void copy_text(struct reader *r, const char *where, const char *key, const char *text,
		      char *to, size_t size)
{
	if (!text)
		return;
	if (strlen(text) < size)
		strcpy(to, text);
	else
		complain(r, where, key);
}

static struct json_object *get_array(struct reader *r, struct json_object *object,
				     const char *where, const char *key)
{
	struct json_object *value;

	if (!json_object_object_get_ex(object, key, &value))
		return NULL;
	if (json_object_is_type(value, json_type_array))
		return value;
	complain(r, where, "a list was expected");
	return NULL;
}

static size_t length(struct json_object *array)
{
	return array ? json_object_array_length(array) : 0;
}

static void read_hosts(struct reader *r, struct subsys_config *subsys, struct json_object *array)
{
	size_t i;

	for (i = 0; i < length(array); i++) {
		const char *nqn = json_object_get_string(json_object_array_get_idx(array, i));
		struct nvmf_host *host;

		if (!nqn || !nvmf_nqn_is_valid(nqn)) {
			complain(r, subsys->nqn, "\"hosts\" has something that is no host's name");
			continue;
		}
		host = allocate(sizeof(*host));
		strcpy(host->nqn, nqn);
		list_add_tail(&subsys->hosts, &host->node);
	}
	subsys->allow_any_host = array == NULL;
}

static void read_subsys(struct reader *r, struct config *config, struct json_object *object)
{
	static const char *const keys[] = {"nqn",   "serial",	  "model", "ana",
					   "hosts", "namespaces", NULL};
	const char *nqn = get_text(r, object, "subsystems", "nqn");
	struct subsys_config *subsys = config_add_subsys(config, nqn ? nqn : "");
	struct json_object *array;
	size_t i;

	if (!subsys) {
		r->failed = true;
		return;
	}
	check_keys(r, object, subsys->nqn, keys);
	copy_text(r, subsys->nqn, "\"serial\" is longer than 20 characters",
		  get_text(r, object, subsys->nqn, "serial"), subsys->serial,
		  sizeof(subsys->serial));
	copy_text(r, subsys->nqn, "\"model\" is longer than 40 characters",
		  get_text(r, object, subsys->nqn, "model"), subsys->model, sizeof(subsys->model));
	subsys->ana = get_bool(r, object, subsys->nqn, "ana", false);
	read_hosts(r, subsys, get_array(r, object, subsys->nqn, "hosts"));
	array = get_array(r, object, subsys->nqn, "namespaces");
	for (i = 0; i < length(array); i++)
		read_ns(r, subsys, json_object_array_get_idx(array, i));
}

static enum nvmf_ana_state ana_state(const char *text)
{
	static const struct {
		const char *name;
		enum nvmf_ana_state state;
	} states[] = {{"optimized", NVMF_ANA_OPTIMIZED},
		      {"non-optimized", NVMF_ANA_NON_OPTIMIZED},
		      {"inaccessible", NVMF_ANA_INACCESSIBLE},
		      {"persistent-loss", NVMF_ANA_PERSISTENT_LOSS},
		      {"change", NVMF_ANA_CHANGE}};
	size_t i;

	for (i = 0; text && i < sizeof(states) / sizeof(states[0]); i++)
		if (!strcmp(states[i].name, text))
			return states[i].state;
	return 0;
}

static void read_ana(struct reader *r, struct port_config *port, struct json_object *object)
{
	json_object_object_foreach(object, key, value)
	{
		int group = atoi(key);
		enum nvmf_ana_state state = ana_state(json_object_get_string(value));

		if (group < 1 || group > (int)NVMF_ANA_GROUPS || !state)
			complain(r, "ports: ana",
				 "groups are 1 to 16, states optimized, non-optimized, "
				 "inaccessible, persistent-loss, change");
		else
			port->ana[group] = state;
	}
}

static void read_port(struct reader *r, struct config *config, struct json_object *object)
{
	static const char *const keys[] = {"address", "port", "transport", "ana", NULL};
	const char *addr = get_text(r, object, "ports", "address");
	const char *transport = get_text(r, object, "ports", "transport");
	bool is_rdma = transport && !strcmp(transport, "rdma");
	struct json_object *ana;

	check_keys(r, object, "ports", keys);
	if (transport && !is_rdma && strcmp(transport, "tcp"))
		complain(r, "ports", "\"transport\" is \"tcp\" or \"rdma\"");
	config_add_port(config, is_rdma ? NVMF_RDMA : NVMF_TCP, addr ? addr : "127.0.0.1",
			(uint16_t)get_number(r, object, "ports", "port", DEFAULT_PORT, 65535));
	if (json_object_object_get_ex(object, "ana", &ana))
		read_ana(r, container_of(config->ports.prev, struct port_config, node), ana);
}

static void read_root(struct reader *r, struct config *config, struct json_object *root)
{
	static const char *const keys[] = {"threads", "prometheus", "ports", "subsystems", NULL};
	const char *prometheus;
	struct json_object *array;
	size_t i;

	if (!json_object_is_type(root, json_type_object)) {
		complain(r, "top", "an object was expected");
		return;
	}
	check_keys(r, root, "top", keys);
	config->threads = (uint16_t)get_number(r, root, "top", "threads", 0, 16);
	prometheus = get_text(r, root, "top", "prometheus");
	strcpy(config->prometheus, "127.0.0.1");
	if (prometheus &&
	    !config_parse_address(prometheus, config->prometheus, &config->prometheus_port))
		complain(r, "prometheus", "ADDRESS:PORT was expected");
	array = get_array(r, root, "top", "ports");
	for (i = 0; i < length(array); i++)
		read_port(r, config, json_object_array_get_idx(array, i));
	array = get_array(r, root, "top", "subsystems");
	for (i = 0; i < length(array); i++)
		read_subsys(r, config, json_object_array_get_idx(array, i));
}

bool config_read(struct config *config, const char *file)
{
	struct json_object *root = json_object_from_file(file);
	struct reader r = {.file = file};

	if (!root) {
		fprintf(stderr, "softfield target: %s", json_util_get_last_err());
		return false;
	}
	read_root(&r, config, root);
	json_object_put(root);
	if (!r.failed && list_is_empty(&config->ports))
		config_add_port(config, NVMF_TCP, "127.0.0.1", DEFAULT_PORT);
	return !r.failed;
}
