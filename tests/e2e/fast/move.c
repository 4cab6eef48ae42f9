/* SPDX-License-Identifier: BSD-3-Clause */
/*
 *	move server|client NAME [OPTION...]		one side; or
 *	move both NAME [OPTION...]			both, as threads of one process
 *
 *	--consumers N --producers N --messages N --min BYTES --max BYTES --window N
 *	--restart N --report N --sleep --seed N
 *
 * Prints "listening" when a server can be called, and one line at the end: "moved: ..." or, when
 * the other side was lost, "lost: ...".
 */
#include "mover.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "leak.h"
#include "unique.h"

static const struct {
	const char *name;
	size_t offset;
} numbers[] = {
	{"--consumers", offsetof(struct mover_config, consumers)},
	{"--producers", offsetof(struct mover_config, producers)},
	{"--messages", offsetof(struct mover_config, messages)},
	{"--min", offsetof(struct mover_config, size_min)},
	{"--max", offsetof(struct mover_config, size_max)},
	{"--window", offsetof(struct mover_config, window)},
	{"--restart", offsetof(struct mover_config, restart)},
	{"--report", offsetof(struct mover_config, report)},
	{"--seed", offsetof(struct mover_config, seed)},
};

static bool take_option(struct mover_config *config, const char *name, const char *value)
{
	size_t i;

	for (i = 0; value && i < sizeof(numbers) / sizeof(numbers[0]); i++) {
		if (!strcmp(name, numbers[i].name)) {
			uint32_t *number = (void *)((char *)config + numbers[i].offset);

			*number = (uint32_t)strtoul(value, NULL, 0);
			return true;
		}
	}
	return false;
}

static int misused(const char *what)
{
	fprintf(stderr, "move: %s; usage: move server|client|both NAME [OPTION...]\n", what);
	return 2;
}

static void *run_server(void *config)
{
	return (void *)(intptr_t)mover_run(config);
}

static int run_both(const struct mover_config *config)
{
	struct mover_config client = *config, server;
	pthread_t thread;
	char name[64];
	void *status;
	int own;

	unique_name(name, sizeof(name), config->name);
	client.name = name;
	server = client;
	server.is_server = true;
	server.seed++;
	setenv("SOFTFIELD_CONNECT_WAIT", "60s", 0);
	mover_check(!pthread_create(&thread, NULL, run_server, &server));
	own = mover_run(&client);
	pthread_join(thread, &status);
	return own | (int)(intptr_t)status;
}

int main(int argc, char **argv)
{
	struct mover_config config = {.consumers = 1,
				      .producers = 1,
				      .messages = 1000,
				      .size_min = 1,
				      .size_max = 65536,
				      .window = 8,
				      .seed = 1};
	struct leak before = leak_count();
	int arg, status;

	if (argc < 3)
		return misused("which side?");
	config.is_server = !strcmp(argv[1], "server");
	config.name = argv[2];
	for (arg = 3; arg < argc; arg++) {
		if (!strcmp(argv[arg], "--sleep"))
			config.sleeps = true;
		else if (take_option(&config, argv[arg], argc > arg + 1 ? argv[arg + 1] : NULL))
			arg++;
		else
			return misused(argv[arg]);
	}
	status = strcmp(argv[1], "both") ? mover_run(&config) : run_both(&config);
	return leak_check(&before) ? status : 3;
}
