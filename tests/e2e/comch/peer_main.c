/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A server or client that is told on standard input what to do, one command a line, and sleeps in
 * epoll until there is a command or an event. See README.md for the commands and what it prints.
 */
#include <getopt.h>
#include <malloc.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/resource.h>
#include <unistd.h>
#include <doca_log.h>
#include "leak.h"
#include "peer.h"

#define BURST 64 /* progress calls between two looks at the commands */

static struct peer peer;
static bool polls; /* does not sleep */
static bool quits;

static void say_resources(void)
{
	struct leak now = leak_count();

	say("resources fds %u mappings %u heap %zu", now.fds, now.mappings, mallinfo2().uordblks);
}

static void say_usage(void)
{
	struct rusage usage;

	getrusage(RUSAGE_SELF, &usage);
	say("usage cpu_us %ld sleeps %ld",
	    (usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) * 1000000 + usage.ru_utime.tv_usec +
		    usage.ru_stime.tv_usec,
	    usage.ru_nvcsw);
}

static void send_text(char *arguments)
{
	char *text;
	unsigned int id = (unsigned int)strtoul(arguments, &text, 10);

	text += *text == ' ';
	peer_send(&peer, id, text, (uint32_t)strlen(text));
}

/* As daemons do that need root only to begin. */
static void become(unsigned int user)
{
	if (setresgid(user, user, user) || setresuid(user, user, user))
		say("error become %u", user);
}

static void obey(char *line)
{
	char *arguments = strchr(line, ' ');

	if (arguments)
		*arguments++ = '\0';
	if (!strcmp(line, "start"))
		peer_start(&peer);
	else if (!strcmp(line, "stop"))
		peer_stop(&peer);
	else if (!strcmp(line, "send") && arguments)
		send_text(arguments);
	else if (!strcmp(line, "disconnect") && arguments)
		peer_disconnect(&peer, (unsigned int)strtoul(arguments, NULL, 10));
	else if (!strcmp(line, "become") && arguments)
		become((unsigned int)strtoul(arguments, NULL, 10));
	else if (!strcmp(line, "again"))
		peer.config.again = true;
	else if (!strcmp(line, "rest"))
		peer.config.again = false;
	else if (!strcmp(line, "resources"))
		say_resources();
	else if (!strcmp(line, "usage"))
		say_usage();
	else if (!strcmp(line, "quit"))
		quits = true;
	else
		say("error command %s", line);
	say("done");
}

/* Whoever closes our standard input wants us to end. */
static void read_commands(void)
{
	static char text[4096];
	static size_t size;
	char *line = text, *end;
	ssize_t got = read(STDIN_FILENO, text + size, sizeof(text) - 1 - size);

	if (got <= 0) {
		quits = true;
		return;
	}
	size += (size_t)got;
	text[size] = '\0';
	while ((end = strchr(line, '\n'))) {
		*end = '\0';
		obey(line);
		line = end + 1;
	}
	size -= (size_t)(line - text);
	memmove(text, line, size);
}

static int watch(void)
{
	struct epoll_event input = {.events = EPOLLIN, .data.fd = STDIN_FILENO};
	struct epoll_event event = {.events = EPOLLIN, .data.fd = -1};
	doca_notification_handle_t handle;
	int epoll = epoll_create1(EPOLL_CLOEXEC);

	if (epoll < 0 || epoll_ctl(epoll, EPOLL_CTL_ADD, STDIN_FILENO, &input) ||
	    doca_pe_get_notification_handle(peer.pe, &handle) ||
	    epoll_ctl(epoll, EPOLL_CTL_ADD, handle, &event)) {
		say("error epoll");
		exit(2);
	}
	return epoll;
}

static bool progress(void)
{
	unsigned int i;

	for (i = 0; i < BURST; i++) {
		if (!doca_pe_progress(peer.pe))
			return false;
	}
	return true;
}

static void run(void)
{
	struct epoll_event events[2];
	int epoll = watch();

	while (!quits) {
		bool busy = progress() || polls;
		int i, count;

		if (!busy)
			doca_pe_request_notification(peer.pe);
		count = epoll_wait(epoll, events, 2, busy ? 0 : -1);
		if (!busy)
			doca_pe_clear_notification(peer.pe, 0);
		for (i = 0; i < count; i++) {
			if (events[i].data.fd == STDIN_FILENO)
				read_commands();
		}
	}
	close(epoll);
}

static void usage(const char *program)
{
	fprintf(stderr,
		"usage: %s server|client NAME [--pci ADDRESS] [--rep ADDRESS] [--poll] [--echo]\n"
		"       [--chat SEED] [--fast] [--again] [--cycle MESSAGES] [--start]\n",
		program);
	exit(2);
}

/* returns whether to start at once */
static bool parse(int argc, char **argv, struct peer_config *config)
{
	static const struct option options[] = {
		{"pci", required_argument, NULL, 'p'},	{"rep", required_argument, NULL, 'r'},
		{"poll", no_argument, NULL, 'P'},	{"echo", no_argument, NULL, 'e'},
		{"chat", required_argument, NULL, 'c'}, {"again", no_argument, NULL, 'a'},
		{"fast", no_argument, NULL, 'f'},	{"cycle", required_argument, NULL, 'y'},
		{"start", no_argument, NULL, 's'},	{NULL, 0, NULL, 0},
	};
	bool starts = false;
	int option;

	if (argc < 3 || (strcmp(argv[1], "server") && strcmp(argv[1], "client")))
		usage(argv[0]);
	*config = (struct peer_config){.is_server = !strcmp(argv[1], "server"), .name = argv[2]};
	config->pci_addr = config->is_server ? "03:00.0" : "b1:00.0";
	config->rep_pci_addr = "b1:00.0";
	optind = 3;
	while ((option = getopt_long(argc, argv, "", options, NULL)) >= 0) {
		switch (option) {
		case 'p':
			config->pci_addr = optarg;
			break;
		case 'r':
			config->rep_pci_addr = optarg;
			break;
		case 'P':
			polls = true;
			break;
		case 'e':
			config->echo = true;
			break;
		case 'c':
			config->chat = true;
			config->random = (unsigned int)strtoul(optarg, NULL, 10);
			break;
		case 'f':
			config->fast = true;
			break;
		case 'a':
			config->again = true;
			break;
		case 'y':
			config->cycle = (unsigned int)strtoul(optarg, NULL, 10);
			break;
		case 's':
			starts = true;
			break;
		default:
			usage(argv[0]);
		}
	}
	return starts;
}

int main(int argc, char **argv)
{
	struct leak before = leak_count();
	struct doca_log_backend *log;
	struct peer_config config;
	bool starts = parse(argc, argv, &config);

	doca_log_backend_create_with_file_sdk(stderr, &log);
	say("begin");
	if (peer_open(&peer, &config)) {
		peer_close(&peer);
		return 1;
	}
	say("open");
	if (starts)
		peer_start(&peer);
	run();
	peer_come_to_rest(&peer);
	if (peer_close(&peer))
		return 1;
	if (!leak_check(&before)) {
		say("error leak");
		return 1;
	}
	say("end");
	return 0;
}
