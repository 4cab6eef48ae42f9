/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The topology of this process: loaded at the first use, then immutable. Also the small queries
 * that need no more than the model.
 */
#define LOG_MODULE "topo"

#include <ctype.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "topo/load.h"
#include "base/cleanup.h"
#include "base/log.h"
#include "base/no_cancel.h"

static struct {
	pthread_once_t once, told;
	doca_error_t result;
	struct topo *topo;
	struct topo_why why;
	struct topo_why doubt;
} current = {.once = PTHREAD_ONCE_INIT, .told = PTHREAD_ONCE_INIT};

doca_error_t topo_set_runtime_dir(struct topo *topo, const char *text, struct topo_why *why)
{
	if (*text && *text != '/')
		return topo_refuse(why, "\"%.64s\" is not an absolute path", text);
	if (strlen(text) >= sizeof(topo->runtime_dir))
		return topo_refuse(why, "the path has %zu bytes; at most %zu are possible",
				   strlen(text), sizeof(topo->runtime_dir) - 1);
	strcpy(topo->runtime_dir, text);
	return DOCA_SUCCESS;
}

doca_error_t priv_topo_load(const char *path, struct topo **ret_topo, struct topo_why *why)
{
	_cleanup_free_ char *text = NULL;
	doca_error_t err;

	if (!path)
		return topo_parse("built-in", topo_builtin_text, ret_topo, why);
	err = topo_read_text(path, &text, why);
	if (err)
		return err;
	return topo_parse(path, text, ret_topo, why);
}

void priv_topo_free(struct topo *topo)
{
	if (!topo)
		return;
	for (unsigned int i = 0; i < topo->card_count; i++) {
		free(topo->cards[i].access.users);
		free(topo->cards[i].access.groups);
	}
	free(topo->cards);
	free(topo->functions);
	free(topo->reps);
	free(topo);
}

/* NULL: the built-in one */
static const char *topo_path(void)
{
	const char *path = secure_getenv("SOFTFIELD_TOPOLOGY");

	return path && *path ? path : NULL;
}

static doca_error_t load_current(struct topo **ret_topo, struct topo_why *why)
{
	struct topo *topo;
	doca_error_t err = priv_topo_load(topo_path(), &topo, why);

	if (err)
		return err;
	err = topo_env_apply(topo, secure_getenv, why);
	if (err) {
		priv_topo_free(topo);
		return err;
	}
	*ret_topo = topo;
	return DOCA_SUCCESS;
}

static void load_once(void)
{
	topo_env_has_unknown((const char *const *)environ, &current.doubt);
	current.result = load_current(&current.topo, &current.why);
}

/* The user has to act, also where the program shows no log. */
static void tell_wrong(void)
{
	static const char text[] = "wrong topology, no device will be found: ";

	LOG_ERR("%s%s", text, current.why.text);
	if (!priv_log_has_reader())
		fprintf(stderr, "softfield: %s%s\n", text, current.why.text);
}

/* A mistyped name is as good as none, and the user does not see it. */
static void tell_doubt(void)
{
	LOG_WRN("%s", current.doubt.text);
	if (!priv_log_has_reader())
		fprintf(stderr, "softfield: %s\n", current.doubt.text);
}

static void tell_once(void)
{
	NO_CANCEL();

	pthread_once(&current.once, load_once);
	if (*current.doubt.text)
		tell_doubt();
	if (current.result == DOCA_ERROR_BAD_CONFIG)
		tell_wrong();
	else if (current.result)
		LOG_ERR("cannot load the topology: out of memory");
	else
		LOG_INFO("topology %s: cards %u, functions %u",
			 topo_path() ? topo_path() : "built-in", current.topo->card_count,
			 current.topo->function_count);
}

doca_error_t priv_topo_get(const struct topo **ret_topo)
{
	pthread_once(&current.told, tell_once);
	if (current.result)
		return current.result;
	*ret_topo = current.topo;
	return DOCA_SUCCESS;
}

const char *priv_topo_why(void)
{
	pthread_once(&current.once, load_once);
	return current.why.text;
}

const struct topo_limits *priv_topo_limits(void)
{
	const struct topo *topo;

	return priv_topo_get(&topo) ? &topo_builtin_limits : &topo->limits;
}

static bool is_a(char kind, char c)
{
	switch (kind) {
	case 'x':
		return isxdigit((unsigned char)c);
	case 'd':
		return c == '0' || c == '1';
	case 'f':
		return c >= '0' && c <= '7';
	default:
		return c == kind;
	}
}

/* does text look like pattern? x: a hexadecimal digit, d: one of 0 and 1, f: one of 0-7 */
static bool looks_like(const char *text, const char *pattern)
{
	for (; *pattern; pattern++, text++)
		if (!is_a(*pattern, *text))
			return false;
	return !*text;
}

doca_error_t priv_topo_parse_pci_addr(const char *text, char ret_addr[DOCA_DEVINFO_PCI_ADDR_SIZE])
{
	const char *domain = "";

	if (looks_like(text, "xx:dx.f"))
		domain = "0000:";
	else if (!looks_like(text, "xxxx:xx:dx.f"))
		return DOCA_ERROR_INVALID_VALUE;
	snprintf(ret_addr, DOCA_DEVINFO_PCI_ADDR_SIZE, "%s%s", domain, text);
	for (char *c = ret_addr; *c; c++)
		*c = (char)tolower((unsigned char)*c);
	return DOCA_SUCCESS;
}

bool priv_topo_function_has_addr(const struct topo_function *function, const char *pci_addr)
{
	return !strcmp(function->pci_addr, pci_addr) || !strcmp(function->rep_pci_addr, pci_addr);
}
