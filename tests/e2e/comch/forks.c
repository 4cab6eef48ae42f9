/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Programs that fork: with devices and a progress engine open, or with a connection.
 *
 * usage: forks engine|devices|connection|orphan|listener|unnoticed NAME
 */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
#include <doca_log.h>
#include "peer.h"

#define CHILDREN 4

static const struct peer_config config = {.pci_addr = "b1:00.0", .chat = true, .random = 1};
static struct peer peer;

static void must(bool condition, const char *what)
{
	if (condition)
		return;
	say("error %s", what);
	exit(1);
}

static void run_to(enum doca_ctx_states state)
{
	while (peer_state(&peer) != state)
		doca_pe_progress(peer.pe);
}

static void open_client(const char *name)
{
	struct peer_config named = config;

	named.name = name;
	must(!peer_open(&peer, &named), "open");
}

/* connects, talks, stops */
static void live(void)
{
	must(peer_start(&peer) == DOCA_ERROR_IN_PROGRESS, "start");
	run_to(DOCA_CTX_STATE_RUNNING);
	run_to(DOCA_CTX_STATE_IDLE);
	must(peer.chat_left == UINT32_MAX, "chat");
}

static void join(pid_t pid)
{
	int status;

	must(waitpid(pid, &status, 0) == pid && status == 0, "child");
}

/* What was opened before serves the child, and then the parent. */
static void fork_with_engine(const char *name)
{
	pid_t pid;

	open_client(name);
	pid = fork();
	if (pid == 0) {
		live();
		exit(peer_close(&peer) != DOCA_SUCCESS);
	}
	join(pid);
	live();
	must(!peer_close(&peer), "close");
}

/* A list of devices is open; each child works for itself, at the same time. */
static void fork_with_devices(const char *name)
{
	struct doca_devinfo **list;
	pid_t pids[CHILDREN];
	uint32_t count;

	must(!doca_devinfo_create_list(&list, &count), "list");
	for (unsigned int i = 0; i < CHILDREN; i++) {
		pids[i] = fork();
		if (pids[i] == 0) {
			open_client(name);
			live();
			exit(peer_close(&peer) || doca_devinfo_destroy_list(list));
		}
	}
	for (unsigned int i = 0; i < CHILDREN; i++)
		join(pids[i]);
	must(!doca_devinfo_destroy_list(list), "destroy list");
}

/* A child that only ends does no harm to its parent's connection. */
static void fork_with_connection(const char *name)
{
	pid_t pid;

	open_client(name);
	peer.config.chat = false;
	must(peer_start(&peer) == DOCA_ERROR_IN_PROGRESS, "start");
	run_to(DOCA_CTX_STATE_RUNNING);
	pid = fork();
	if (pid == 0)
		exit(0);
	join(pid);
	must(!peer_send(&peer, 0, "hello", 5), "send");
	while (!peer.messages)
		doca_pe_progress(peer.pe);
	must(peer_stop(&peer) == DOCA_ERROR_IN_PROGRESS, "stop");
	run_to(DOCA_CTX_STATE_IDLE);
	must(!peer_close(&peer), "close");
}

/*
 * Dies, and leaves a child behind that ends with our standard input. Not before the child runs:
 * only then has it closed what it was not to inherit.
 */
static void die_and_leave_a_child(pid_t (*make_child)(void))
{
	int runs[2];
	char byte;

	must(!pipe(runs), "pipe");
	if (make_child() == 0) {
		must(write(runs[1], "", 1) == 1, "write");
		must(read(STDIN_FILENO, &byte, 1) == 0, "end of input");
		_exit(0);
	}
	must(read(runs[0], &byte, 1) == 1, "read");
	raise(SIGKILL);
}

static void leave_an_orphan(const char *name)
{
	open_client(name);
	peer.config.chat = false;
	must(peer_start(&peer) == DOCA_ERROR_IN_PROGRESS, "start");
	run_to(DOCA_CTX_STATE_RUNNING);
	die_and_leave_a_child(fork);
}

static void serve_and_die(const char *name, pid_t (*make_child)(void))
{
	struct peer_config server = {
		.is_server = true, .name = name, .pci_addr = "03:00.0", .rep_pci_addr = "b1:00.0"};

	must(!peer_open(&peer, &server), "open");
	must(!peer_start(&peer), "start");
	while (!peer.connection_count)
		doca_pe_progress(peer.pe);
	die_and_leave_a_child(make_child);
}

static void leave_a_listener(const char *name)
{
	serve_and_die(name, fork);
}

/* by a fork that no library is told of: the child has all sockets */
static void leave_a_listener_unnoticed(const char *name)
{
	serve_and_die(name, _Fork);
}

int main(int argc, char **argv)
{
	static const struct {
		const char *name;
		void (*run)(const char *name);
	} cases[] = {
		{"engine", fork_with_engine},	      {"devices", fork_with_devices},
		{"connection", fork_with_connection}, {"orphan", leave_an_orphan},
		{"listener", leave_a_listener},	      {"unnoticed", leave_a_listener_unnoticed},
	};
	struct doca_log_backend *log;

	doca_log_backend_create_with_file_sdk(stderr, &log);
	for (unsigned int i = 0; argc == 3 && i < sizeof(cases) / sizeof(cases[0]); i++) {
		if (!strcmp(argv[1], cases[i].name)) {
			cases[i].run(argv[2]);
			return 0;
		}
	}
	fprintf(stderr, "usage: %s engine|devices|connection|orphan|listener|unnoticed NAME\n",
		argv[0]);
	return 2;
}
