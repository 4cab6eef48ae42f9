/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What is to be served: from the command line, or from a file (config_json.c).
 */
#include "target.h"

#include <ctype.h>
#include <netdb.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void config_init(struct config *config)
{
	memset(config, 0, sizeof(*config));
	list_init(&config->ports);
	list_init(&config->subsystems);
}

static void free_subsys(struct subsys_config *subsys)
{
	struct list_node *node;

	while ((node = list_pop(&subsys->hosts))) {
		struct nvmf_host *host = container_of(node, struct nvmf_host, node);

		explicit_bzero(host, sizeof(*host)); /* its keys */
		free(host);
	}
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

struct subsys_config *config_add_subsys(struct config *config)
{
	struct subsys_config *subsys = allocate(sizeof(*subsys));

	strcpy(subsys->model, "Softfield");
	subsys->allow_any_host = true;
	list_init(&subsys->hosts);
	list_init(&subsys->namespaces);
	list_add_tail(&config->subsystems, &subsys->node);
	return subsys;
}

struct ns_config *config_add_ns(struct subsys_config *subsys)
{
	struct ns_config *ns = allocate(sizeof(*ns));

	list_add_tail(&subsys->namespaces, &ns->node);
	return ns;
}

struct nvmf_host *config_add_host(struct subsys_config *subsys, const char *nqn)
{
	struct nvmf_host *host = allocate(sizeof(*host));

	strcpy(host->nqn, nqn);
	nvmf_host_auth_init(&host->auth);
	list_add_tail(&subsys->hosts, &host->node);
	return host;
}

struct port_config *config_add_port(struct config *config, enum nvmf_trtype trtype,
				    const char *addr, uint16_t number)
{
	struct port_config *port = allocate(sizeof(*port));
	struct list_node *node;

	snprintf(port->addr, sizeof(port->addr), "%s", addr);
	port->port = number;
	port->trtype = trtype;
	port->id = 1;
	list_for_each (node, &config->ports)
		port->id++;
	list_add_tail(&config->ports, &port->node);
	return port;
}

bool config_same_port(const struct port_config *a, const struct port_config *b)
{
	return a->trtype == b->trtype && a->port == b->port && !strcmp(a->addr, b->addr);
}

const struct port_config *config_find_port(const struct config *config,
					   const struct port_config *port)
{
	struct list_node *node;

	list_for_each (node, &config->ports) {
		const struct port_config *other = container_of(node, struct port_config, node);

		if (config_same_port(other, port))
			return other;
	}
	return NULL;
}

void config_canonical_address(char addr[NVMF_TRADDR_SIZE])
{
	const struct addrinfo hints = {.ai_flags = AI_NUMERICHOST, .ai_socktype = SOCK_STREAM};
	struct addrinfo *info;

	if (getaddrinfo(addr, NULL, &hints, &info))
		return;
	getnameinfo(info->ai_addr, info->ai_addrlen, addr, NVMF_TRADDR_SIZE, NULL, 0,
		    NI_NUMERICHOST);
	freeaddrinfo(info);
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
		if (!bracket || (bracket[1] && bracket + 1 != colon))
			return false;
		text++;
		length = (size_t)(bracket - text);
	}
	/* an empty text is more likely a variable that is not set than a wish for the default */
	if (length >= NVMF_TRADDR_SIZE || (!length && (!colon || bracket)))
		return false;
	if (length) {
		memcpy(addr, text, length);
		addr[length] = '\0';
		config_canonical_address(addr);
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

	if (!isdigit((unsigned char)*text) || !number) /* strtoull() takes -1 */
		return false;
	if (*end) {
		unit = isalpha((unsigned char)*end) ? strchr(units, *end & ~0x20) : NULL;
		if (!unit || end[1])
			return false;
		shift = 10 * (unsigned int)(unit - units + 1);
	}
	if (number > UINT64_MAX >> shift)
		return false;
	*ret_size = (uint64_t)number << shift;
	return true;
}
