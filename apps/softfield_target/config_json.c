/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The configuration file: docs/guide/target.md. Whatever is wrong is refused with its line and what
 * is allowed there.
 */
#include "config_json.h"

#include <arpa/inet.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include "base/cleanup.h"
#include "base/count.h"

#define THREADS_MAX    16
#define SUBSYSTEMS_MAX 1024

static doca_error_t read_u16(struct reader *reader, struct json_object *value, uint16_t max,
			     uint16_t *ret)
{
	uint64_t number;
	doca_error_t err = reader_number(reader, value, 1, max, &number);

	if (!err)
		*ret = (uint16_t)number;
	return err;
}

static doca_error_t read_u32(struct reader *reader, struct json_object *value, uint32_t max,
			     uint32_t *ret)
{
	uint64_t number;
	doca_error_t err = reader_number(reader, value, 1, max, &number);

	if (!err)
		*ret = (uint32_t)number;
	return err;
}

/* a field of Identify: printable, at most size - 1 characters */
static doca_error_t read_field(struct reader *reader, struct json_object *value, char *ret,
			       size_t size)
{
	const char *text, *c;
	doca_error_t err = reader_string(reader, value, "a string", &text);

	if (err)
		return err;
	for (c = text; *c >= ' ' && *c <= '~'; c++)
		;
	if (*c || c == text || (size_t)(c - text) >= size)
		return reader_refuse(reader, "expected 1 to %zu printable ASCII characters",
				     size - 1);
	strcpy(ret, text);
	return DOCA_SUCCESS;
}

/*
 * Namespaces
 */

struct ns_reading {
	struct subsys_config *subsys;
	struct ns_config *ns;
	unsigned int kinds; /* how many kinds of disk it is said to be */
};

static doca_error_t read_path(struct reader *reader, struct json_object *value,
			      enum softfield_sta_disk_kind kind, struct ns_reading *reading)
{
	struct ns_config *ns = reading->ns;
	const char *path;
	doca_error_t err = reader_string(reader, value, "a string", &path);

	if (err)
		return err;
	free(ns->path);
	ns->disk.path = ns->path = strdup(path);
	ns->disk.kind = kind;
	reading->kinds++;
	return ns->path ? DOCA_SUCCESS : DOCA_ERROR_NO_MEMORY;
}

static doca_error_t read_file(struct reader *reader, struct json_object *value, void *target)
{
	return read_path(reader, value, SOFTFIELD_STA_DISK_FILE, target);
}

static doca_error_t read_pci(struct reader *reader, struct json_object *value, void *target)
{
	return read_path(reader, value, SOFTFIELD_STA_DISK_PCI, target);
}

static doca_error_t read_kind(struct reader *reader, struct json_object *value,
			      enum softfield_sta_disk_kind kind, struct ns_reading *reading)
{
	bool is_it;
	doca_error_t err = reader_bool(reader, value, &is_it);

	if (!err && is_it) {
		reading->ns->disk.kind = kind;
		reading->kinds++;
	}
	return err;
}

static doca_error_t read_memory(struct reader *reader, struct json_object *value, void *target)
{
	return read_kind(reader, value, SOFTFIELD_STA_DISK_MEMORY, target);
}

static doca_error_t read_null(struct reader *reader, struct json_object *value, void *target)
{
	return read_kind(reader, value, SOFTFIELD_STA_DISK_NULL, target);
}

static doca_error_t read_size(struct reader *reader, struct json_object *value, void *target)
{
	struct ns_reading *reading = target;
	const char *text;
	doca_error_t err = reader_string(reader, value, "a size such as \"64M\"", &text);

	if (!err && !config_parse_size(text, &reading->ns->disk.size))
		return reader_refuse(reader, "\"%.64s\" is no size such as \"64M\" or \"1G\"",
				     text);
	return err;
}

static doca_error_t read_nsid(struct reader *reader, struct json_object *value, void *target)
{
	struct ns_reading *reading = target;
	struct list_node *node;
	unsigned int index = 0;
	doca_error_t err = read_u32(reader, value, NVMF_NSID_MAX, &reading->ns->nsid);

	if (err)
		return err;
	list_for_each (node, &reading->subsys->namespaces) {
		const struct ns_config *other = container_of(node, struct ns_config, node);

		if (other != reading->ns && other->nsid == reading->ns->nsid)
			return reader_refuse(reader, "namespaces[%u] has %u already", index,
					     other->nsid);
		index++;
	}
	return DOCA_SUCCESS;
}

static doca_error_t read_block_size(struct reader *reader, struct json_object *value, void *target)
{
	struct ns_reading *reading = target;
	uint64_t size;
	doca_error_t err = reader_number(reader, value, 512, 65536, &size);

	if (!err && (size & (size - 1)))
		return reader_refuse(reader, "expected a power of two from 512 to 65536");
	if (!err)
		reading->ns->disk.block_size = (uint32_t)size;
	return err;
}

static doca_error_t read_read_only(struct reader *reader, struct json_object *value, void *target)
{
	struct ns_reading *reading = target;

	return reader_bool(reader, value, &reading->ns->disk.read_only);
}

static doca_error_t read_direct(struct reader *reader, struct json_object *value, void *target)
{
	struct ns_reading *reading = target;

	return reader_bool(reader, value, &reading->ns->disk.direct);
}

/* hosts take namespaces with the same UUID for paths to the same one */
static doca_error_t check_uuid_is_unique(struct reader *reader, const struct ns_config *ns)
{
	const struct config *config = reader->context;
	unsigned int subsys_index = 0, ns_index;
	struct list_node *s, *n;

	list_for_each (s, &config->subsystems) {
		const struct subsys_config *subsys = container_of(s, struct subsys_config, node);

		ns_index = 0;
		list_for_each (n, &subsys->namespaces) {
			const struct ns_config *other = container_of(n, struct ns_config, node);

			if (other != ns && !strcasecmp(other->uuid, ns->uuid))
				return reader_refuse(reader,
						     "subsystems[%u].namespaces[%u] has it already",
						     subsys_index, ns_index);
			ns_index++;
		}
		subsys_index++;
	}
	return DOCA_SUCCESS;
}

static doca_error_t read_uuid(struct reader *reader, struct json_object *value, void *target)
{
	struct ns_reading *reading = target;
	const char *text;
	doca_error_t err = reader_string(reader, value, "a UUID", &text);
	size_t i, length;

	if (err)
		return err;
	length = strlen(text);
	for (i = 0; i < length && length == 36; i++) {
		bool dash = i == 8 || i == 13 || i == 18 || i == 23;

		if (dash ? text[i] != '-' : !strchr("0123456789abcdefABCDEF", text[i]))
			break;
	}
	if (i != 36)
		return reader_refuse(reader, "\"%.64s\" is no UUID: 8-4-4-4-12 hexadecimal digits",
				     text);
	if (!text[strspn(text, "0-")]) /* to hosts this is a namespace without one */
		return reader_refuse(reader, "\"%s\" stands for no UUID", text);
	strcpy(reading->ns->uuid, text);
	return check_uuid_is_unique(reader, reading->ns);
}

static doca_error_t read_ana_group(struct reader *reader, struct json_object *value, void *target)
{
	struct ns_reading *reading = target;

	return read_u32(reader, value, NVMF_ANA_GROUPS, &reading->ns->ana_group);
}

/* what only makes sense for some kinds of disk */
static doca_error_t check_disk(struct reader *reader, const struct ns_reading *reading)
{
	const struct softfield_sta_disk_attr *disk = &reading->ns->disk;
	bool has_file = disk->kind == SOFTFIELD_STA_DISK_FILE;
	bool is_made =
		disk->kind == SOFTFIELD_STA_DISK_MEMORY || disk->kind == SOFTFIELD_STA_DISK_NULL;

	if (reading->kinds != 1)
		return reader_refuse(reader, "needs one of \"file\", \"pci\", \"memory\": true and "
					     "\"null\": true");
	if (is_made && !disk->size)
		return reader_refuse(reader, "has no \"size\", such as \"64M\"");
	if (!is_made && disk->size)
		return reader_refuse_at(reader, "size", "is for \"memory\" and \"null\" only");
	if (disk->read_only && disk->kind == SOFTFIELD_STA_DISK_PCI)
		return reader_refuse_at(reader, "read_only", "is the disk's own with \"pci\"");
	if (disk->direct && !has_file)
		return reader_refuse_at(reader, "direct", "is for \"file\" only");
	if (disk->kind == SOFTFIELD_STA_DISK_PCI && disk->block_size)
		return reader_refuse_at(reader, "block_size", "is the disk's own with \"pci\"");
	return DOCA_SUCCESS;
}

static doca_error_t read_ns(struct reader *reader, struct json_object *value, void *target)
{
	static const struct member members[] = {
		{"file", read_file, false},
		{"pci", read_pci, false},
		{"memory", read_memory, false},
		{"null", read_null, false},
		{"nsid", read_nsid, false},
		{"size", read_size, false},
		{"block_size", read_block_size, false},
		{"read_only", read_read_only, false},
		{"direct", read_direct, false},
		{"uuid", read_uuid, false},
		{"ana_group", read_ana_group, false},
	};
	struct ns_reading reading = {.subsys = target, .ns = config_add_ns(target)};
	doca_error_t err = reader_members(reader, value, members, COUNT(members), &reading);

	return err ? err : check_disk(reader, &reading);
}

/*
 * Subsystems
 */

static doca_error_t read_subnqn(struct reader *reader, struct json_object *value, void *target)
{
	const struct config *config = reader->context;
	struct subsys_config *subsys = target;
	struct list_node *node;
	unsigned int index = 0;
	const char *nqn;
	doca_error_t err = config_read_nqn(reader, value, &nqn);

	if (err)
		return err;
	if (!strcmp(nqn, NVME_DISCOVERY_NQN))
		return reader_refuse(reader, "the discovery subsystem is there by itself");
	list_for_each (node, &config->subsystems) {
		if (!strcmp(nqn, container_of(node, struct subsys_config, node)->nqn))
			return reader_refuse(reader, "subsystems[%u] has this name already", index);
		index++;
	}
	strcpy(subsys->nqn, nqn);
	return DOCA_SUCCESS;
}

static doca_error_t read_serial(struct reader *reader, struct json_object *value, void *target)
{
	struct subsys_config *subsys = target;

	return read_field(reader, value, subsys->serial, sizeof(subsys->serial));
}

static doca_error_t read_model(struct reader *reader, struct json_object *value, void *target)
{
	struct subsys_config *subsys = target;

	return read_field(reader, value, subsys->model, sizeof(subsys->model));
}

static doca_error_t read_ana(struct reader *reader, struct json_object *value, void *target)
{
	struct subsys_config *subsys = target;

	return reader_bool(reader, value, &subsys->ana);
}

static doca_error_t read_namespaces(struct reader *reader, struct json_object *value, void *target)
{
	return reader_elements(reader, value, 0, NVMF_NSID_MAX, read_ns, target);
}

static doca_error_t read_subsys(struct reader *reader, struct json_object *value, void *target)
{
	static const struct member members[] = {
		{"nqn", read_subnqn, true},	     {"serial", read_serial, false},
		{"model", read_model, false},	     {"ana", read_ana, false},
		{"hosts", config_read_hosts, false}, {"namespaces", read_namespaces, false},
	};

	struct subsys_config *subsys = config_add_subsys(target);
	doca_error_t err = reader_members(reader, value, members, COUNT(members), subsys);

	if (!err)
		identity_serial(subsys);
	return err;
}

/*
 * Ports
 */

static doca_error_t read_transport(struct reader *reader, struct json_object *value, void *target)
{
	struct port_config *port = target;
	const char *text;
	doca_error_t err = reader_string(reader, value, "\"tcp\" or \"rdma\"", &text);

	if (err)
		return err;
	if (strcmp(text, "tcp") && strcmp(text, "rdma"))
		return reader_refuse(reader, "\"%.64s\" where \"tcp\" or \"rdma\" is expected",
				     text);
	port->trtype = *text == 't' ? NVMF_TCP : NVMF_RDMA;
	return DOCA_SUCCESS;
}

static doca_error_t read_address(struct reader *reader, struct json_object *value, void *target)
{
	struct port_config *port = target;
	struct in6_addr addr;
	const char *text;
	doca_error_t err = reader_string(reader, value, "an address", &text);

	if (err)
		return err;
	if (inet_pton(AF_INET, text, &addr) != 1 && inet_pton(AF_INET6, text, &addr) != 1)
		return reader_refuse(reader, "\"%.64s\" is no IPv4 or IPv6 address", text);
	strcpy(port->addr, text);
	config_canonical_address(port->addr);
	return DOCA_SUCCESS;
}

static doca_error_t read_number(struct reader *reader, struct json_object *value, void *target)
{
	struct port_config *port = target;

	return read_u16(reader, value, UINT16_MAX, &port->port);
}

static doca_error_t read_state(struct reader *reader, const char *key, struct json_object *value,
			       struct port_config *port)
{
	static const struct {
		const char *name;
		enum nvmf_ana_state state;
	} states[] = {{"optimized", NVMF_ANA_OPTIMIZED},
		      {"non-optimized", NVMF_ANA_NON_OPTIMIZED},
		      {"inaccessible", NVMF_ANA_INACCESSIBLE},
		      {"persistent-loss", NVMF_ANA_PERSISTENT_LOSS},
		      {"change", NVMF_ANA_CHANGE}};
	const char *text = json_object_get_string(value);
	char *end;
	unsigned long group = strtoul(key, &end, 10);
	size_t i;

	if (*end || key[0] < '1' || key[0] > '9' || group > NVMF_ANA_GROUPS)
		return reader_refuse_at(reader, key, "groups are \"1\" to \"%u\"", NVMF_ANA_GROUPS);
	for (i = 0; i < COUNT(states); i++)
		if (text && !strcmp(states[i].name, text))
			break;
	if (i == COUNT(states))
		return reader_refuse_at(reader, key,
					"states are \"optimized\", \"non-optimized\", "
					"\"inaccessible\", \"persistent-loss\" and \"change\"");
	port->ana[group] = states[i].state;
	return DOCA_SUCCESS;
}

static doca_error_t read_port_ana(struct reader *reader, struct json_object *value, void *target)
{
	doca_error_t err;

	if (!json_object_is_type(value, json_type_object))
		return reader_refuse(reader, "expected an object such as {\"1\": \"optimized\"}");
	json_object_object_foreach(value, key, state)
	{
		err = read_state(reader, key, state, target);
		if (err)
			return err;
	}
	return DOCA_SUCCESS;
}

static doca_error_t read_port(struct reader *reader, struct json_object *value, void *target)
{
	static const struct member members[] = {
		{"transport", read_transport, false},
		{"address", read_address, false},
		{"port", read_number, false},
		{"ana", read_port_ana, false},
	};
	struct config *config = target;
	struct port_config *port = config_add_port(config, NVMF_TCP, "127.0.0.1", DEFAULT_PORT);
	struct list_node *node;
	doca_error_t err = reader_members(reader, value, members, COUNT(members), port);

	if (err)
		return err;
	list_for_each (node, &config->ports) {
		const struct port_config *other = container_of(node, struct port_config, node);

		if (other != port && config_same_port(other, port))
			return reader_refuse(reader, "is the same as ports[%u]", other->id - 1);
	}
	return DOCA_SUCCESS;
}

/*
 * All
 */

static doca_error_t read_threads(struct reader *reader, struct json_object *value, void *target)
{
	struct config *config = target;

	return read_u16(reader, value, THREADS_MAX, &config->threads);
}

static doca_error_t read_prometheus(struct reader *reader, struct json_object *value, void *target)
{
	struct config *config = target;
	const char *text;
	doca_error_t err = reader_string(reader, value, "\"ADDRESS:PORT\"", &text);

	strcpy(config->prometheus, "127.0.0.1");
	if (!err && (!config_parse_address(text, config->prometheus, &config->prometheus_port) ||
		     !config->prometheus_port))
		return reader_refuse(reader, "\"%.64s\" where \"ADDRESS:PORT\" is expected", text);
	return err;
}

static doca_error_t read_ports(struct reader *reader, struct json_object *value, void *target)
{
	return reader_elements(reader, value, 1, PORTS_MAX, read_port, target);
}

static doca_error_t read_subsystems(struct reader *reader, struct json_object *value, void *target)
{
	return reader_elements(reader, value, 0, SUBSYSTEMS_MAX, read_subsys, target);
}

static doca_error_t parse(struct reader *reader, struct config *config)
{
	static const struct member members[] = {
		{"threads", read_threads, false},
		{"prometheus", read_prometheus, false},
		{"ports", read_ports, false},
		{"subsystems", read_subsystems, true},
	};
	struct json_object *root = NULL;
	doca_error_t err = reader_parse(reader, &root);

	if (!err)
		err = reader_members(reader, root, members, COUNT(members), config);
	json_object_put(root);
	return err;
}

bool config_read(struct config *config, const char *file)
{
	_cleanup_free_ char *text = NULL;
	struct topo_why why = {""};
	struct reader reader = {
		.source = file, .why = &why, .context = config, .secret = CONFIG_KEY_BEGINS};
	doca_error_t err = topo_read_text(file, &text, &why);

	reader.text = text;
	if (!err)
		err = parse(&reader, config);
	if (text)
		explicit_bzero(text, strlen(text)); /* there may be keys in it */
	if (err)
		fprintf(stderr, "softfield target: %s\n",
			why.text[0] ? why.text : doca_error_get_descr(err));
	return !err;
}
