/* SPDX-License-Identifier: BSD-3-Clause */
/* softfield servers */
#include <errno.h>
#include <getopt.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/printable.h"
#include "commands.h"
#include "link/takeover.h"
#include "out.h"
#include "server_list.h"

#define WAIT_MS 1000

static int print_help(void)
{
	puts("usage: softfield servers [-j] [-v]\n\n"
	     "  -j, --json      as JSON\n"
	     "  -v, --verbose   also consumers and producers, and how data gets into memory\n"
	     "  -h, --help      this text\n\n"
	     "Prints this user's servers or, where a runtime folder is set, those in it: the\n"
	     "card and function for whose clients each listens, and its clients with what it\n"
	     "has sent to and received from them, in messages and bytes. A server answers from\n"
	     "doca_pe_progress(); one that does not within a second is shown with no answer,\n"
	     "one that does not let this user in as refused.");
	return EXIT_SUCCESS;
}

/* name of a process's program; "-" when it is not to be had */
static const char *program_of(uint32_t pid, char name[32])
{
	char path[32];
	FILE *file;

	snprintf(path, sizeof(path), "/proc/%" PRIu32 "/comm", pid);
	file = pid ? fopen(path, "re") : NULL;
	strcpy(name, "-");
	if (!file)
		return name;
	if (fgets(name, 32, file))
		name[strcspn(name, "\n")] = '\0';
	fclose(file);
	return printable_only(name);
}

static void add_process(struct json_object *object, uint32_t pid)
{
	char program[32];

	json_object_object_add(object, "pid", json_object_new_int64(pid));
	json_object_object_add(object, "program", json_object_new_string(program_of(pid, program)));
}

static void add_number(struct json_object *object, const char *key, uint64_t number)
{
	json_object_object_add(object, key, json_object_new_uint64(number));
}

static struct json_object *window_to_json(const struct handshake_window *window)
{
	struct json_object *object = json_object_new_object();

	add_number(object, "consumer", window->consumer_id);
	json_object_object_add(object, "of",
			       json_object_new_string(window->of_peer ? "client" : "server"));
	add_number(object, "size", window->size);
	add_number(object, "in_place", window->in_place);
	add_number(object, "copied", window->copied);
	if (window->copied && window->why)
		json_object_object_add(object, "why",
				       json_object_new_string(priv_takeover_describe(window->why)));
	return object;
}

static struct json_object *client_to_json(const struct server_client *client)
{
	const struct handshake_connection *connection = &client->connection;
	struct json_object *object = json_object_new_object(), *windows;

	add_process(object, connection->pid);
	add_number(object, "uid", connection->uid);
	add_number(object, "sent_messages", connection->sent_messages);
	add_number(object, "sent_bytes", connection->sent_bytes);
	add_number(object, "received_messages", connection->received_messages);
	add_number(object, "received_bytes", connection->received_bytes);
	add_number(object, "consumers", connection->consumer_count);
	add_number(object, "producers", connection->producer_count);
	windows = json_object_new_array();
	for (size_t i = 0; i < client->window_count; i++)
		json_object_array_add(windows, window_to_json(&client->windows[i]));
	json_object_object_add(object, "windows", windows);
	return object;
}

/* unless it is not known */
static void add_text(struct json_object *object, const char *key, char *text)
{
	if (*text)
		json_object_object_add(object, key, json_object_new_string(printable_only(text)));
}

static struct json_object *server_to_json(struct server *server)
{
	struct json_object *object = json_object_new_object(), *clients;

	add_process(object, server->pid);
	json_object_object_add(object, "answered", json_object_new_boolean(server->answered));
	json_object_object_add(object, "refused", json_object_new_boolean(server->refused));
	add_text(object, "name", server->name);
	add_text(object, "card", server->card);
	add_text(object, "function", server->function);
	if (!server->answered)
		return object;
	add_number(object, "max_msg_size", server->max_msg_size);
	add_number(object, "max_clients", server->max_clients);
	clients = json_object_new_array();
	for (uint32_t i = 0; i < server->client_count; i++)
		json_object_array_add(clients, client_to_json(&server->clients[i]));
	json_object_object_add(object, "clients", clients);
	return object;
}

static void print_json(struct server_list *list)
{
	struct json_object *array = json_object_new_array();

	for (size_t i = 0; i < list->count; i++)
		json_object_array_add(array, server_to_json(&list->servers[i]));
	out_json(array);
}

/* 480, 1.5K, 3.2M: three digits are enough to look at */
static const char *format_bytes(uint64_t bytes, char buf[16])
{
	static const char units[] = "KMGTPE";
	double value = (double)bytes;
	int unit = -1;

	while (value >= 1000 && unit < (int)sizeof(units) - 2) {
		value /= 1024;
		unit++;
	}
	if (unit < 0)
		snprintf(buf, 16, "%" PRIu64, bytes);
	else
		snprintf(buf, 16, "%.*f%c", value < 10, value, units[unit]);
	return buf;
}

static void add_client_row(struct table *table, const struct handshake_connection *connection)
{
	char pid[16], program[32], sent[64], received[64], bytes[16];

	snprintf(pid, sizeof(pid), "%" PRIu32, connection->pid);
	snprintf(sent, sizeof(sent), "%" PRIu64 " (%s)", connection->sent_messages,
		 format_bytes(connection->sent_bytes, bytes));
	snprintf(received, sizeof(received), "%" PRIu64 " (%s)", connection->received_messages,
		 format_bytes(connection->received_bytes, bytes));
	table_add(table,
		  (const char *const[]){"  client", "", "", pid,
					program_of(connection->pid, program), "", sent, received});
}

static void add_server_rows(struct table *table, struct server *server)
{
	char pid[16], program[32], clients[32] = "no answer";

	snprintf(pid, sizeof(pid), "%" PRIu32, server->pid);
	if (server->refused)
		strcpy(clients, "refused");
	if (server->answered)
		snprintf(clients, sizeof(clients), "%" PRIu32 " of %" PRIu32, server->client_count,
			 server->max_clients);
	table_add(table,
		  (const char *const[]){*server->name ? printable_only(server->name) : "?",
					*server->card ? printable_only(server->card) : "?",
					*server->function ? printable_only(server->function) : "?",
					pid, program_of(server->pid, program), clients, "", ""});
	for (uint32_t i = 0; server->answered && i < server->client_count; i++)
		add_client_row(table, &server->clients[i].connection);
}

/* consumer 1 of the server, 1.0M: 508K in place, 4.0K copied: it is a stack */
static void print_window(const struct handshake_window *window)
{
	char size[16], in_place[16], copied[16];

	printf("    consumer %" PRIu32 " of the %s, %s:", window->consumer_id,
	       window->of_peer ? "client" : "server", format_bytes(window->size, size));
	if (!window->in_place && !window->copied)
		printf(" nothing has been used yet");
	if (window->in_place)
		printf(" %s in place", format_bytes(window->in_place, in_place));
	if (window->copied)
		printf("%s %s copied%s%s", window->in_place ? "," : "",
		       format_bytes(window->copied, copied), window->why ? ": " : "",
		       window->why ? priv_takeover_describe(window->why) : "");
	putchar('\n');
}

/* one paragraph for each client */
static void print_details(const struct server_list *list)
{
	for (size_t i = 0; i < list->count; i++) {
		struct server *server = &list->servers[i];

		for (uint32_t j = 0; server->answered && j < server->client_count; j++) {
			const struct server_client *client = &server->clients[j];

			printf("\n%s, client %" PRIu32 ": the server has %" PRIu32
			       " consumers and %" PRIu32 " producers\n",
			       printable_only(server->name), client->connection.pid,
			       client->connection.consumer_count,
			       client->connection.producer_count);
			for (size_t k = 0; k < client->window_count; k++)
				print_window(&client->windows[k]);
		}
	}
}

static void print_table(struct server_list *list, const char *runtime_dir)
{
	static const char *const titles[] = {"SERVER",	"CARD",	   "FUNCTION", "PID",
					     "PROGRAM", "CLIENTS", "SENT",     "RECEIVED"};
	struct table table;

	if (!list->count) {
		printf("no servers%s%s%s\n", *runtime_dir ? " in " : "", runtime_dir,
		       *runtime_dir && access(runtime_dir, F_OK) ? ", which does not exist" : "");
		return;
	}
	table_init(&table, 8, titles);
	for (size_t i = 0; i < list->count; i++)
		add_server_rows(&table, &list->servers[i]);
	table_print(&table);
	table_fini(&table);
}

static bool is_no_folder(const char *path)
{
	struct stat status;

	return stat(path, &status) ? errno == ENOTDIR : !S_ISDIR(status.st_mode);
}

static int cannot_look(const char *runtime_dir, doca_error_t err)
{
	if (!*runtime_dir)
		return out_fail("cannot look for servers: %s", doca_error_get_descr(err));
	return out_fail("cannot look for servers in %s: %s", runtime_dir,
			is_no_folder(runtime_dir) ? "it is not a folder"
						  : doca_error_get_descr(err));
}

int command_servers(int argc, char **argv)
{
	static const struct option options[] = {{"json", no_argument, NULL, 'j'},
						{"verbose", no_argument, NULL, 'v'},
						{"help", no_argument, NULL, 'h'},
						{0}};
	const struct topo *topo;
	struct server_list list;
	bool json = false, verbose = false;
	doca_error_t err;
	int option;

	while ((option = getopt_long(argc, argv, "jvh", options, NULL)) != -1) {
		if (option == 'h')
			return print_help();
		if (option != 'j' && option != 'v')
			return out_refused();
		json |= option == 'j';
		verbose |= option == 'v';
	}
	if (optind < argc)
		return out_misused("unexpected \"%s\"", argv[optind]);
	if (out_get_topo(&topo))
		return EXIT_FAILURE;
	err = server_list_create(WAIT_MS, &list);
	if (err)
		return cannot_look(topo->runtime_dir, err);
	if (json)
		print_json(&list);
	else
		print_table(&list, topo->runtime_dir);
	if (verbose && !json)
		print_details(&list);
	server_list_destroy(&list);
	return EXIT_SUCCESS;
}
