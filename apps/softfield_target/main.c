/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * softfield-target: options, signals and the loop.
 */
#include "target.h"

#include <ctype.h>
#include <fcntl.h>
#include <getopt.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/signalfd.h>
#include <unistd.h>
#include "base/clock.h"
#include "doca_log.h"

#define EVENTS	   64
#define OUTPUT_NS  100000000ull /* a look whether somebody reads */
#define NQN_PREFIX IDENTITY_NQN_PREFIX

static const char usage[] =
	"usage: softfield target --file DISK [OPTION]...\n"
	"       softfield target --config FILE [OPTION]...\n"
	"\n"
	"Serves disks to hosts over NVMe/TCP and NVMe/RDMA until it is interrupted.\n"
	"\n"
	"  --file PATH         a file or block device to serve; may be repeated\n"
	"  --memory SIZE       a disk in memory, such as 512M; gone with the program\n"
	"  --null SIZE         a disk that reads as zeros and forgets what is written\n"
	"  --pci ADDRESS       an NVMe disk that vfio-pci has, such as 0000:01:00.0\n"
	"  --config FILE       what to serve, as JSON; read again on SIGHUP\n"
	"  --nqn NQN           name of the subsystem (default:\n"
	"                      " NQN_PREFIX "MACHINE:FILE)\n"
	"  --listen ADDR[:PORT]\n"
	"                      where to listen (default: 127.0.0.1:4420); may be repeated\n"
	"  --listen-rdma ADDR[:PORT]\n"
	"                      the same for RDMA, on the address of an RDMA device\n"
	"  --block-size BYTES  size of a block, 512 to 65536 (default: 512)\n"
	"  --read-only         refuse writes\n"
	"  --direct            past the page cache\n"
	"  --threads N         threads of the engine, 1 to 16 (default: 1)\n"
	"  --prometheus ADDR:PORT\n"
	"                      statistics for Prometheus over HTTP\n"
	"  --table SECONDS     a table of what is read and written a second, this often\n"
	"  -h, --help, --version\n"
	"\n"
	"Anybody who can reach the address can read and write, unless the file of\n"
	"--config gives hosts keys (DH-HMAC-CHAP). There is no encryption yet.\n";

struct options {
	const char *config_file, *nqn;
	struct list_node disks; /* struct ns_config */
	uint32_t block_size;
	bool read_only, direct;
	unsigned int table_seconds;
};

static struct {
	struct target target;
	struct config config;
	struct options options;
	struct watched signals, pe;
	bool stop;
} prog;

/*
 * Options
 */

enum {
	OPT_FILE = 1,
	OPT_MEMORY,
	OPT_NULL,
	OPT_PCI,
	OPT_CONFIG,
	OPT_NQN,
	OPT_LISTEN,
	OPT_LISTEN_RDMA,
	OPT_BLOCK_SIZE,
	OPT_READ_ONLY,
	OPT_DIRECT,
	OPT_THREADS,
	OPT_PROMETHEUS,
	OPT_TABLE,
	OPT_VERSION,
};

static const struct option long_options[] = {
	{"file", required_argument, NULL, OPT_FILE},
	{"memory", required_argument, NULL, OPT_MEMORY},
	{"null", required_argument, NULL, OPT_NULL},
	{"pci", required_argument, NULL, OPT_PCI},
	{"config", required_argument, NULL, OPT_CONFIG},
	{"nqn", required_argument, NULL, OPT_NQN},
	{"listen", required_argument, NULL, OPT_LISTEN},
	{"listen-rdma", required_argument, NULL, OPT_LISTEN_RDMA},
	{"block-size", required_argument, NULL, OPT_BLOCK_SIZE},
	{"read-only", no_argument, NULL, OPT_READ_ONLY},
	{"direct", no_argument, NULL, OPT_DIRECT},
	{"threads", required_argument, NULL, OPT_THREADS},
	{"prometheus", required_argument, NULL, OPT_PROMETHEUS},
	{"table", required_argument, NULL, OPT_TABLE},
	{"help", no_argument, NULL, 'h'},
	{"version", no_argument, NULL, OPT_VERSION},
	{NULL, 0, NULL, 0},
};

__attribute__((format(printf, 1, 2), noreturn)) static void misused(const char *format, ...)
{
	va_list args;

	fputs("softfield target: ", stderr);
	va_start(args, format);
	vfprintf(stderr, format, args);
	va_end(args);
	fputs(" (see softfield target --help)\n", stderr);
	exit(2);
}

__attribute__((noreturn)) static void refuse(int option, const char *value, const char *expected)
{
	misused("--%s: \"%s\" is not %s", long_options[option - 1].name, value, expected);
}

/* 0: it is not a number alone */
static unsigned long parse_number(const char *text)
{
	char *end;
	unsigned long value = strtoul(text, &end, 10);

	return isdigit((unsigned char)*text) && !*end ? value : 0; /* strtoul() takes -1 */
}

static unsigned int number(int option, const char *text, unsigned int max)
{
	char expected[48];
	unsigned long value = parse_number(text);

	snprintf(expected, sizeof(expected), "a number from 1 to %u", max);
	if (!value || value > max)
		refuse(option, text, expected);
	return (unsigned int)value;
}

static uint32_t block_size(const char *text)
{
	unsigned long value = parse_number(text);

	if (value < 512 || value > 65536 || (value & (value - 1)))
		refuse(OPT_BLOCK_SIZE, text, "a power of two from 512 to 65536");
	return (uint32_t)value;
}

static void add_disk(int option, const char *value)
{
	enum softfield_sta_disk_kind kind = (enum softfield_sta_disk_kind)(option - OPT_FILE);
	struct ns_config *ns = calloc(1, sizeof(*ns));

	if (!ns)
		exit(1);
	ns->disk.kind = kind;
	if (kind == SOFTFIELD_STA_DISK_FILE || kind == SOFTFIELD_STA_DISK_PCI)
		ns->disk.path = ns->path = strdup(value);
	else if (!config_parse_size(value, &ns->disk.size))
		refuse(option, value, "a size such as 512M");
	list_add_tail(&prog.options.disks, &ns->node);
}

static void add_port(int option, const char *value)
{
	char addr[NVMF_TRADDR_SIZE] = "127.0.0.1";
	uint16_t port = DEFAULT_PORT;

	if (!config_parse_address(value, addr, &port))
		refuse(option, value, "ADDRESS:PORT such as 127.0.0.1:4420");
	config_add_port(&prog.config, option == OPT_LISTEN ? NVMF_TCP : NVMF_RDMA, addr, port);
}

static void take_prometheus(const char *value)
{
	struct config *config = &prog.config;

	strcpy(config->prometheus, "127.0.0.1");
	if (!config_parse_address(value, config->prometheus, &config->prometheus_port) ||
	    !config->prometheus_port)
		refuse(OPT_PROMETHEUS, value, "ADDRESS:PORT such as 127.0.0.1:9464");
}

static void take_option(int option, const char *value)
{
	struct options *o = &prog.options;

	switch (option) {
	case OPT_FILE:
	case OPT_MEMORY:
	case OPT_NULL:
	case OPT_PCI:
		add_disk(option, value);
		break;
	case OPT_CONFIG:
		o->config_file = value;
		break;
	case OPT_NQN:
		o->nqn = value;
		break;
	case OPT_LISTEN:
	case OPT_LISTEN_RDMA:
		add_port(option, value);
		break;
	case OPT_BLOCK_SIZE:
		o->block_size = block_size(value);
		break;
	case OPT_READ_ONLY:
		o->read_only = true;
		break;
	case OPT_DIRECT:
		o->direct = true;
		break;
	case OPT_THREADS:
		prog.config.threads = (uint16_t)number(option, value, 16);
		break;
	case OPT_PROMETHEUS:
		take_prometheus(value);
		break;
	case OPT_TABLE:
		o->table_seconds = number(option, value, 86400);
		break;
	case OPT_VERSION:
		puts("softfield target " SOFTFIELD_VERSION);
		exit(0);
	case 'h':
		fputs(usage, stdout);
		exit(0);
	default: /* getopt_long() has said what is wrong */
		fputs("softfield target: see softfield target --help\n", stderr);
		exit(2);
	}
}

static void default_nqn(char nqn[NVME_NQN_SIZE])
{
	const struct ns_config *first =
		container_of(prog.options.disks.next, struct ns_config, node);
	const char *slash = first->path ? strrchr(first->path, '/') : NULL;

	identity_nqn(nqn, slash ? slash + 1 : first->path ? first->path : "disk");
}

/* only when all options are known */
static void check_size(const struct ns_config *ns)
{
	enum softfield_sta_disk_kind kind = ns->disk.kind;
	uint32_t block = prog.options.block_size ? prog.options.block_size : 512;

	if ((kind == SOFTFIELD_STA_DISK_MEMORY || kind == SOFTFIELD_STA_DISK_NULL) &&
	    ns->disk.size < block)
		misused("--%s: %llu bytes are less than a block of %u",
			long_options[kind + OPT_FILE - 1].name, (unsigned long long)ns->disk.size,
			block);
}

static void check_disk(const struct ns_config *ns)
{
	const struct options *o = &prog.options;

	check_size(ns);
	if (o->read_only && ns->disk.kind == SOFTFIELD_STA_DISK_PCI)
		misused("--read-only: a disk on PCI knows itself whether it may be written");
	if (o->block_size && ns->disk.kind == SOFTFIELD_STA_DISK_PCI)
		misused("--block-size: a disk on PCI has its own");
	if (o->direct && ns->disk.kind != SOFTFIELD_STA_DISK_FILE)
		misused("--direct is for --file only");
}

/* one subsystem with the disks of the command line */
static void add_option_disks(void)
{
	struct options *o = &prog.options;
	struct subsys_config *subsys;
	struct list_node *node;

	if (list_is_empty(&o->disks))
		return;
	if (o->nqn && !nvmf_nqn_is_valid(o->nqn))
		refuse(OPT_NQN, o->nqn, "an NQN: 11 to 223 characters, such as " NQN_PREFIX "disk");
	if (o->nqn && !strcmp(o->nqn, NVME_DISCOVERY_NQN))
		misused("--nqn: the discovery subsystem is there by itself");
	list_for_each (node, &o->disks)
		check_disk(container_of(node, struct ns_config, node));
	subsys = config_add_subsys(&prog.config);
	if (o->nqn)
		strcpy(subsys->nqn, o->nqn);
	else
		default_nqn(subsys->nqn);
	identity_serial(subsys);
	while ((node = list_pop(&o->disks))) {
		struct ns_config *ns = container_of(node, struct ns_config, node);

		ns->disk.block_size = o->block_size;
		ns->disk.read_only = o->read_only;
		ns->disk.direct = o->direct;
		list_add_tail(&subsys->namespaces, &ns->node);
	}
}

/*
 * What it says about itself
 */

static void print_size(FILE *out, uint64_t bytes)
{
	static const char units[] = "BKMGTP";
	unsigned int unit = 0;
	double size = (double)bytes;

	for (; size >= 1024 && unit < 5; unit++)
		size /= 1024;
	fprintf(out, unit ? "%.1f %ciB" : "%.0f %c", size, units[unit]);
}

static const char *backing_of(const struct served_ns *ns)
{
	if (ns->path)
		return ns->path;
	return ns->attr.kind == SOFTFIELD_STA_DISK_MEMORY ? "memory" : "null";
}

/* all hosts have keys, or none */
static bool has_keys(const struct nvmf_subsys *subsys)
{
	return !list_is_empty(&subsys->hosts) &&
	       container_of(subsys->hosts.next, struct nvmf_host, node)->auth.key.size;
}

static void print_subsys(FILE *out, const struct served_subsys *subsys)
{
	struct list_node *node;
	unsigned int i;

	fprintf(out, "%s\n", subsys->subsys->nqn);
	list_for_each (node, &subsys->namespaces) {
		const struct served_ns *ns = container_of(node, struct served_ns, node);

		fprintf(out, "  namespace %u: %s, ", ns->nsid, backing_of(ns));
		print_size(out, ns->ns->blocks << ns->ns->block_shift);
		fprintf(out, " in blocks of %u%s\n", 1u << ns->ns->block_shift,
			ns->ns->read_only ? ", read-only" : "");
	}
	for (i = 0; i < prog.target.port_count; i++) {
		const struct nvmf_port *port = prog.target.ports[i].port;

		fprintf(out, "  nvme connect -t %s -a %s -s %s -n %s%s\n",
			port->trtype == NVMF_RDMA ? "rdma" : "tcp",
			port->any_addr ? "<address of this machine>" : port->traddr, port->trsvcid,
			subsys->subsys->nqn,
			has_keys(subsys->subsys) ? " --dhchap-secret=<key of the host>" : "");
	}
}

static void print_served(void)
{
	FILE *out = output_begin();
	struct list_node *node;

	list_for_each (node, &prog.target.subsystems)
		print_subsys(out, container_of(node, struct served_subsys, node));
	output_end(out);
}

/*
 * The loop
 */

static bool has_ports_of(const struct config *config, const struct config *other)
{
	struct list_node *node;

	list_for_each (node, &other->ports)
		if (!config_find_port(config, container_of(node, struct port_config, node)))
			return false;
	return true;
}

/* what is read once; ports that a file does not name are as they were */
static bool needs_restart(const struct config *config)
{
	const struct config *old = &prog.config;

	if (config->threads != old->threads || config->prometheus_port != old->prometheus_port ||
	    strcmp(config->prometheus, old->prometheus))
		return true;
	return !list_is_empty(&config->ports) &&
	       (!has_ports_of(config, old) || !has_ports_of(old, config));
}

static void reload(void)
{
	struct config config;

	if (!prog.options.config_file)
		return;
	config_init(&config);
	if (config_read(&config, prog.options.config_file)) {
		if (needs_restart(&config))
			fputs("softfield target: threads, prometheus and where ports listen "
			      "are read once: restart to change them\n",
			      stderr);
		target_apply(&prog.target, &config);
		print_served();
	} else {
		fputs("softfield target: nothing has been changed\n", stderr);
	}
	config_free(&config);
}

static void on_signal(struct watched *watched)
{
	struct signalfd_siginfo info;

	while (read(watched->fd, &info, sizeof(info)) == sizeof(info)) {
		if (info.ssi_signo == SIGHUP)
			reload();
		else
			prog.stop = true;
	}
}

static void on_pe(struct watched *watched)
{
	(void)watched; /* progressed in each round anyway */
}

static bool watch_signals(void)
{
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, SIGINT);
	sigaddset(&set, SIGTERM);
	sigaddset(&set, SIGHUP);
	sigprocmask(SIG_BLOCK, &set, NULL);
	prog.signals.fd = signalfd(-1, &set, SFD_NONBLOCK | SFD_CLOEXEC);
	prog.signals.ready = on_signal;
	return prog.signals.fd >= 0 && net_watch(&prog.target, &prog.signals);
}

/* how long to sleep at most, in ms; -1: until something happens */
static int timeout(uint64_t *table_ns)
{
	uint64_t now = clock_now_ns();
	uint64_t next = nvmf_target_tick(prog.target.nvmf, now);
	uint64_t listen_ns = net_listen_again(&prog.target, now);

	if (listen_ns < next)
		next = listen_ns;
	if (prog.options.table_seconds) {
		if (now >= *table_ns) {
			stats_table(&prog.target, now);
			*table_ns = now + prog.options.table_seconds * 1000000000ull;
		}
		if (*table_ns < next)
			next = *table_ns;
	}
	if (!output_flush() && now + OUTPUT_NS < next)
		next = now + OUTPUT_NS;
	if (next == UINT64_MAX)
		return -1;
	return next <= now ? 0 : (int)((next - now) / 1000000 + 1);
}

static void loop(void)
{
	uint64_t table_ns = clock_now_ns();

	while (!prog.stop) {
		struct epoll_event events[EVENTS];
		bool has_more = target_progress(&prog.target);
		int count, i, wait_ms = timeout(&table_ns);

		has_more |= nvmf_target_work(prog.target.nvmf);
		if (doca_pe_request_notification(prog.target.pe) || has_more)
			wait_ms = 0;
		count = epoll_wait(prog.target.epoll_fd, events, EVENTS, wait_ms);
		doca_pe_clear_notification(prog.target.pe, prog.pe.fd);
		for (i = 0; i < count; i++) {
			struct watched *watched = events[i].data.ptr;

			watched->ready(watched);
		}
	}
}

static bool watch_pe(void)
{
	doca_notification_handle_t handle;

	if (doca_pe_get_notification_handle(prog.target.pe, &handle))
		return false;
	prog.pe = (struct watched){.fd = handle, .ready = on_pe};
	return net_watch(&prog.target, &prog.pe);
}

static bool serve(void)
{
	if (prog.options.config_file && !config_read(&prog.config, prog.options.config_file))
		return false;
	add_option_disks();
	if (list_is_empty(&prog.config.ports))
		config_add_port(&prog.config, NVMF_TCP, "127.0.0.1", DEFAULT_PORT);
	prog.target.epoll_fd = epoll_create1(EPOLL_CLOEXEC);
	if (prog.target.epoll_fd < 0 || !watch_signals())
		return false;
	if (!target_start(&prog.target, &prog.config) || !watch_pe())
		return false;
	print_served();
	loop();
	return true;
}

/* what the command line says would be lost when the file is read again */
static void check_only_config(void)
{
	const struct options *o = &prog.options;

	if (!list_is_empty(&o->disks) || o->nqn || o->block_size || o->read_only || o->direct ||
	    !list_is_empty(&prog.config.ports) || prog.config.threads ||
	    prog.config.prometheus_port)
		misused("with --config the file says everything: only --table may be given too");
}

/* warnings and errors of the library say what a code cannot */
static void show_log(void)
{
	struct doca_log_backend *backend;

	if (!doca_log_backend_create_with_file_sdk(stderr, &backend))
		doca_log_backend_set_sdk_level(backend, DOCA_LOG_LEVEL_WARNING);
}

/* Started without them, it would open disks and sockets there, and print into those. */
static void fill_standard_descriptors(void)
{
	int fd;

	do
		fd = open("/dev/null", O_RDWR);
	while (fd >= 0 && fd <= STDERR_FILENO);
	if (fd >= 0)
		close(fd);
}

int main(int argc, char **argv)
{
	int option;
	bool ok;

	fill_standard_descriptors();
	output_init();
	show_log();
	target_init(&prog.target);
	config_init(&prog.config);
	list_init(&prog.options.disks);
	while ((option = getopt_long(argc, argv, "h", long_options, NULL)) != -1)
		take_option(option, optarg);
	if (optind < argc)
		misused("unexpected \"%s\"", argv[optind]);
	if (prog.options.config_file)
		check_only_config();
	else if (list_is_empty(&prog.options.disks))
		misused("nothing to serve: give one of --file, --memory, --null, --pci, --config");
	ok = serve();
	target_stop(&prog.target);
	config_free(&prog.config);
	return ok ? 0 : 1;
}
