/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The sources of log records as a tree: "A::B" is a child of "A". Loggers are never freed, so that
 * a list, or a record on its way, never points at nothing; a plugin that is loaded again finds its
 * own.
 */
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include "base/list.h"
#include "core/log.h"

#define SEPARATOR "::"

struct doca_logger {
	struct list_node
		node; /* in the parent's children; first, so that leak checkers follow it */
	struct list_node children;
	char name[DOCA_LOGGER_NAME_SIZE]; /* whole path */
	/* Written under the log's lock, read without: one word, nothing to order. */
	_Atomic uint32_t level;
	_Atomic uint32_t users; /* files that have registered it; 0: only a parent */
	int source;		/* what the files know it by; 0: none yet */
};

static struct doca_logger root = {
	.children = {&root.children, &root.children},
	.level = DOCA_LOG_LEVEL_TRACE,
};

static struct {
	_Atomic int count;
	struct doca_logger *loggers[LOG_SOURCES_MAX];
} sources;

static struct doca_logger *find_source(int source)
{
	/* Acquire: pairs with the release in give_source(); the logger is complete. */
	int count = atomic_load_explicit(&sources.count, memory_order_acquire);

	/* 0 is what a file's variable holds before the file is registered */
	return source > 0 && source <= count ? sources.loggers[source - 1] : NULL;
}

uint32_t logger_source_level(int source)
{
	struct doca_logger *logger = find_source(source);

	if (!logger || !atomic_load_explicit(&logger->users, memory_order_relaxed))
		return 0;
	return atomic_load_explicit(&logger->level, memory_order_relaxed);
}

static struct doca_logger *find_child(struct doca_logger *parent, const char *name, size_t len)
{
	struct list_node *node;

	list_for_each (node, &parent->children) {
		struct doca_logger *logger = container_of(node, struct doca_logger, node);

		if (!strncmp(logger->name, name, len) && !logger->name[len])
			return logger;
	}
	return NULL;
}

/* the logger called by the first len bytes of name, made if there is none. NO_MEMORY */
static doca_error_t get_child(struct doca_logger *parent, const char *name, size_t len,
			      struct doca_logger **ret_logger)
{
	struct doca_logger *logger = find_child(parent, name, len);

	if (!logger) {
		logger = calloc(1, sizeof(*logger));
		if (!logger)
			return DOCA_ERROR_NO_MEMORY;
		memcpy(logger->name, name, len);
		logger->level = parent->level;
		list_init(&logger->children);
		list_add_tail(&parent->children, &logger->node);
	}
	*ret_logger = logger;
	return DOCA_SUCCESS;
}

static doca_error_t give_source(struct doca_logger *logger)
{
	int count = sources.count;

	if (logger->source)
		return DOCA_SUCCESS;
	if (count == LOG_SOURCES_MAX)
		return DOCA_ERROR_NO_MEMORY;
	sources.loggers[count] = logger;
	logger->source = count + 1;
	/* Release: pairs with the acquire in find_source(). */
	atomic_store_explicit(&sources.count, count + 1, memory_order_release);
	return DOCA_SUCCESS;
}

doca_error_t logger_register(const char *name, int *ret_source)
{
	struct doca_logger *logger = &root;
	char path[DOCA_LOGGER_NAME_SIZE];
	size_t len = strnlen(name, sizeof(path) - 1);
	const char *end = path;
	doca_error_t err;

	if (!len)
		return DOCA_ERROR_INVALID_VALUE;
	memcpy(path, name, len);
	path[len] = '\0';
	while ((end = strstr(end + 1, SEPARATOR))) {
		err = get_child(logger, path, end - path, &logger);
		if (err)
			return err;
		end++;
	}
	err = get_child(logger, path, len, &logger);
	if (!err)
		err = give_source(logger);
	if (err)
		return err;
	logger->users++;
	*ret_source = logger->source;
	return DOCA_SUCCESS;
}

doca_error_t logger_unregister(int source)
{
	struct doca_logger *logger = find_source(source);

	if (!logger || !logger->users)
		return DOCA_ERROR_INVALID_VALUE;
	logger->users--;
	return DOCA_SUCCESS;
}

/* Parents before children. Appends to list, unless that is NULL, and returns how many there are. */
static uint32_t collect(const struct doca_logger *parent, unsigned int depth,
			struct doca_logger **list)
{
	const struct list_node *node;
	uint32_t count = 0;

	list_for_each (node, &parent->children) {
		struct doca_logger *logger = container_of(node, struct doca_logger, node);

		if (list)
			list[count] = logger;
		count++;
		if (depth > 1)
			count += collect(logger, depth - 1, list ? list + count : NULL);
	}
	return count;
}

doca_error_t doca_logger_create_list(const struct doca_logger *parent, uint8_t depth,
				     struct doca_logger ***loggers, uint32_t *nb_loggers)
{
	/* a name has room for fewer levels than this */
	unsigned int levels = depth ? depth : DOCA_LOGGER_NAME_SIZE;
	struct doca_logger **list;
	uint32_t count;

	if (!loggers || !nb_loggers)
		return DOCA_ERROR_INVALID_VALUE;
	if (!parent)
		parent = &root;
	log_lock();
	count = collect(parent, levels, NULL);
	list = calloc(count + 1,
		      sizeof(*list)); /* ends with NULL, for doca_logger_find_by_name() */
	if (list)
		collect(parent, levels, list);
	log_unlock();
	if (!list)
		return DOCA_ERROR_NO_MEMORY;
	*loggers = list;
	*nb_loggers = count;
	return DOCA_SUCCESS;
}

doca_error_t doca_logger_destroy_list(struct doca_logger **loggers)
{
	if (!loggers)
		return DOCA_ERROR_INVALID_VALUE;
	free(loggers);
	return DOCA_SUCCESS;
}

static void set_level(struct doca_logger *logger, uint32_t level, bool propagate)
{
	struct list_node *node;

	logger->level = level;
	if (!propagate)
		return;
	list_for_each (node, &logger->children)
		set_level(container_of(node, struct doca_logger, node), level, true);
}

doca_error_t doca_logger_set_level(struct doca_logger *logger, int level, uint8_t propagate)
{
	if (!logger || level < 0 || !log_level_is_valid(level))
		return DOCA_ERROR_INVALID_VALUE;
	log_lock();
	set_level(logger, level, propagate);
	log_unlock();
	return DOCA_SUCCESS;
}

doca_error_t doca_logger_get_level(const struct doca_logger *logger, int *level)
{
	if (!logger || !level)
		return DOCA_ERROR_INVALID_VALUE;
	*level = logger->level;
	return DOCA_SUCCESS;
}

doca_error_t doca_logger_get_name(const struct doca_logger *logger,
				  char name[DOCA_LOGGER_NAME_SIZE])
{
	if (!logger || !name)
		return DOCA_ERROR_INVALID_VALUE;
	memcpy(name, logger->name, DOCA_LOGGER_NAME_SIZE);
	return DOCA_SUCCESS;
}

struct doca_logger *doca_logger_find_by_name(struct doca_logger **loggers, const char *name)
{
	if (!loggers || !name)
		return NULL;
	for (; *loggers; loggers++)
		if (!strcmp((*loggers)->name, name))
			return *loggers;
	return NULL;
}
