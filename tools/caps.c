/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * doca_caps: devices, representors, libraries and capabilities, in the form that scripts for the
 * vendor's tool of this name parse: a line each, four spaces a level, values in one column.
 */
#include <arpa/inet.h>
#include <getopt.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/name_list.h"
#include "caps_table.h"
#include "doca_dev.h"
#include "doca_version.h"
#include "out.h"

#define VALUE_COLUMN 58

struct request {
	enum { PRINT_CAPS, PRINT_DEVS, PRINT_REPS, PRINT_LIBS, PRINT_LOGGERS } what;
	const char *pci_addr; /* NULL: all devices */
	const char *lib;      /* NULL: all libraries */
};

enum level {
	LEVEL_LIB = 4,
	LEVEL_CAP = 8,
	LEVEL_ATTRIBUTE = 8,
	LEVEL_REP = 8,
	LEVEL_REP_ATTRIBUTE = 12
};

static int print_help(void)
{
	puts("usage: doca_caps [OPTION...]\n\n"
	     "Without --list option: prints the capabilities of every device in every library.\n\n"
	     "  --list-devs              devices and their attributes\n"
	     "  --list-rep-devs          representors of every device and their attributes\n"
	     "  --list-libs              libraries, installed or not\n"
	     "  --list-loggers           where the libraries' messages come from\n"
	     "  -p, --pci-addr ADDRESS   only devices with this PCI address\n"
	     "  -b, --lib NAME           only this library\n"
	     "  -v, --version            version\n"
	     "  -h, --help               this text");
	return EXIT_SUCCESS;
}

static void print_value(enum level level, const char *key, const char *value)
{
	printf("%*s%-*s%s\n", (int)level, "", VALUE_COLUMN - (int)level, key, value);
}

static void print_number(enum level level, const char *key, uint64_t number)
{
	char text[32];

	snprintf(text, sizeof(text), "%" PRIu64, number);
	print_value(level, key, text);
}

/* Devices */

static void print_addresses(const struct doca_devinfo *devinfo)
{
	uint8_t mac[DOCA_DEVINFO_MAC_ADDR_SIZE];
	uint8_t ipv4[DOCA_DEVINFO_IPV4_ADDR_SIZE] = {0}, ipv6[DOCA_DEVINFO_IPV6_ADDR_SIZE];
	char text[64], *end = text;

	if (!doca_devinfo_get_mac_addr(devinfo, mac, sizeof(mac)))
		print_value(LEVEL_ATTRIBUTE, "mac_addr", out_mac(mac, text));
	doca_devinfo_get_ipv4_addr(devinfo, ipv4, sizeof(ipv4)); /* none: 0.0.0.0 */
	print_value(LEVEL_ATTRIBUTE, "ipv4_addr", inet_ntop(AF_INET, ipv4, text, sizeof(text)));
	if (doca_devinfo_get_ipv6_addr(devinfo, ipv6, sizeof(ipv6)))
		return;
	for (int i = 0; i < DOCA_DEVINFO_IPV6_ADDR_SIZE; i += 2)
		end += sprintf(end, "%s%02x%02x", i ? ":" : "", ipv6[i], ipv6[i + 1]);
	print_value(LEVEL_ATTRIBUTE, "ipv6_addr", text);
}

static void print_dev(const struct doca_devinfo *devinfo)
{
	char ibdev[DOCA_DEVINFO_IBDEV_NAME_SIZE], iface[DOCA_DEVINFO_IFACE_NAME_SIZE];
	enum doca_pci_func_type type;
	uint32_t sf_index;
	uint16_t vhca_id;

	if (!doca_devinfo_get_ibdev_name(devinfo, ibdev, sizeof(ibdev)))
		print_value(LEVEL_ATTRIBUTE, "ibdev_name", ibdev);
	if (!doca_devinfo_get_iface_name(devinfo, iface, sizeof(iface)))
		print_value(LEVEL_ATTRIBUTE, "iface_name", iface);
	if (!doca_devinfo_get_pci_func_type(devinfo, &type))
		print_value(LEVEL_ATTRIBUTE, "pci_func_type", out_func_type(type));
	if (!doca_devinfo_get_sf_index(devinfo, &sf_index))
		print_number(LEVEL_ATTRIBUTE, "sf_index", sf_index);
	if (!doca_devinfo_get_vhca_id(devinfo, &vhca_id))
		print_number(LEVEL_ATTRIBUTE, "vhca_id", vhca_id);
	print_addresses(devinfo);
}

/* Representors */

/* numbers that the interface does not give; NULL: no such function */
static const struct topo_function *find_function(const char *vuid)
{
	const struct topo *topo;

	if (priv_topo_get(&topo))
		return NULL;
	for (unsigned int i = 0; i < topo->function_count; i++) {
		if (!strcmp(topo->functions[i].vuid, vuid))
			return &topo->functions[i];
	}
	return NULL;
}

static void print_indices(const char *vuid)
{
	const struct topo_function *function = find_function(vuid);

	if (!function)
		return;
	print_number(LEVEL_REP_ATTRIBUTE, "host_index", 1);
	print_number(LEVEL_REP_ATTRIBUTE, "pf_index", function->pf_index);
	if (function->type == DOCA_PCI_FUNC_TYPE_VF)
		print_number(LEVEL_REP_ATTRIBUTE, "vf_index", function->vf_index);
	if (function->type == DOCA_PCI_FUNC_TYPE_SF)
		print_number(LEVEL_REP_ATTRIBUTE, "sf_index", function->sf_index);
}

static void print_rep(const struct doca_devinfo_rep *rep, const char *rep_type)
{
	char pci_addr[DOCA_DEVINFO_REP_PCI_ADDR_SIZE], vuid[DOCA_DEVINFO_REP_VUID_SIZE];
	char iface[DOCA_DEVINFO_IFACE_NAME_SIZE];
	enum doca_pci_func_type type;
	uint8_t is_hotplug;
	uint16_t vhca_id;

	if (doca_devinfo_rep_get_pci_addr_str(rep, pci_addr) ||
	    doca_devinfo_rep_get_pci_func_type(rep, &type) ||
	    doca_devinfo_rep_get_is_hotplug(rep, &is_hotplug) ||
	    doca_devinfo_rep_get_vuid(rep, vuid, sizeof(vuid)) ||
	    doca_devinfo_rep_get_iface_name(rep, iface, sizeof(iface)) ||
	    doca_devinfo_rep_get_vhca_id(rep, &vhca_id))
		return;
	printf("%*srepresentor-PCI: %s\n", LEVEL_REP, "", pci_addr);
	print_value(LEVEL_REP_ATTRIBUTE, "pci_func_type", out_func_type(type));
	print_value(LEVEL_REP_ATTRIBUTE, "hotplug", is_hotplug ? "yes" : "no");
	print_value(LEVEL_REP_ATTRIBUTE, "vuid", vuid);
	print_value(LEVEL_REP_ATTRIBUTE, "rep_type", rep_type);
	print_value(LEVEL_REP_ATTRIBUTE, "iface_name", iface);
	print_number(LEVEL_REP_ATTRIBUTE, "vhca_id", vhca_id);
	print_indices(vuid);
}

static void print_reps_of(struct doca_dev *dev, int filter, const char *rep_type)
{
	struct doca_devinfo_rep **list;
	uint32_t count;

	if (doca_devinfo_rep_create_list(dev, filter, &list, &count))
		return; /* a device of the host */
	for (uint32_t i = 0; i < count; i++)
		print_rep(list[i], rep_type);
	doca_devinfo_rep_destroy_list(list);
}

static void print_reps(struct doca_devinfo *devinfo)
{
	struct doca_dev *dev;

	if (doca_dev_open(devinfo, &dev))
		return;
	print_reps_of(dev, DOCA_DEVINFO_REP_FILTER_NET, "NET");
	print_reps_of(dev, DOCA_DEVINFO_REP_FILTER_EMULATED, "EMULATED");
	doca_dev_close(dev);
}

/* Libraries */

static bool is_wanted(const struct request *request, const struct cap_lib *lib)
{
	return !request->lib || !strcmp(request->lib, lib->name);
}

static int print_libs(const struct request *request)
{
	for (size_t i = 0; i < cap_lib_count; i++) {
		if (is_wanted(request, &cap_libs[i]))
			printf("%-*s%s\n", VALUE_COLUMN, cap_libs[i].name,
			       cap_lib_load(&cap_libs[i]) ? "installed" : "not installed");
	}
	return EXIT_SUCCESS;
}

static void print_caps_of(const struct cap_lib *lib, const struct doca_devinfo *devinfo)
{
	void *library = cap_lib_load(lib);

	if (!library || !lib->cap_count)
		return;
	printf("%*s%s\n", LEVEL_LIB, "", lib->name);
	for (size_t i = 0; i < lib->cap_count; i++) {
		char buf[CAP_TEXT_SIZE];
		const char *text = cap_text(library, &lib->caps[i], devinfo, buf);

		if (text)
			print_value(LEVEL_CAP, lib->caps[i].name, text);
	}
}

static void print_caps(const struct request *request, const struct doca_devinfo *devinfo)
{
	for (size_t i = 0; i < cap_lib_count; i++) {
		if (is_wanted(request, &cap_libs[i]))
			print_caps_of(&cap_libs[i], devinfo);
	}
}

/* The request */

static int fail_no_device(const char *pci_addr, struct doca_devinfo **list, uint32_t count)
{
	char known[512] = "";

	for (uint32_t i = 0; i < count; i++) {
		char addr[DOCA_DEVINFO_PCI_ADDR_SIZE];

		if (!doca_devinfo_get_pci_addr_str(list[i], addr) && !strstr(known, addr))
			name_list_add(known, sizeof(known), addr);
	}
	return out_fail("no device %s; there is %s", pci_addr, *known ? known : "none");
}

static bool is_asked_for(const struct request *request, const struct doca_devinfo *devinfo)
{
	uint8_t is_equal = 1;

	if (request->pci_addr)
		doca_devinfo_is_equal_pci_addr(devinfo, request->pci_addr, &is_equal);
	return is_equal;
}

static void print_device(const struct request *request, struct doca_devinfo *devinfo)
{
	char addr[DOCA_DEVINFO_PCI_ADDR_SIZE];

	if (doca_devinfo_get_pci_addr_str(devinfo, addr))
		return;
	printf("PCI: %s\n", addr);
	if (request->what == PRINT_DEVS)
		print_dev(devinfo);
	else if (request->what == PRINT_REPS)
		print_reps(devinfo);
	else
		print_caps(request, devinfo);
}

static int print_devices(const struct request *request)
{
	const struct topo *topo;
	struct doca_devinfo **list;
	uint32_t count, shown = 0;
	int result = EXIT_SUCCESS;
	doca_error_t err;

	if (out_get_topo(&topo)) /* says what is wrong with it */
		return EXIT_FAILURE;
	err = doca_devinfo_create_list(&list, &count);
	if (err)
		return out_fail("cannot list devices: %s", doca_error_get_descr(err));
	for (uint32_t i = 0; i < count; i++) {
		if (!is_asked_for(request, list[i]))
			continue;
		print_device(request, list[i]);
		shown++;
	}
	if (request->pci_addr && !shown)
		result = fail_no_device(request->pci_addr, list, count);
	doca_devinfo_destroy_list(list);
	return result;
}

/* The folders that a line of the log has before the file's name: LOG_MODULE of all libraries. */
static int print_loggers(void)
{
	static const char *const names[] = {"argp", "base", "chan", "comch",  "comm_channel",
					    "core", "dma",  "dpa",  "flexio", "link",
					    "nvme", "rdma", "sta",  "topo"};

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		puts(names[i]);
	return EXIT_SUCCESS;
}

static int check_lib(const char *name)
{
	char known[256] = "";

	for (size_t i = 0; i < cap_lib_count; i++) {
		if (!strcmp(cap_libs[i].name, name))
			return EXIT_SUCCESS;
		name_list_add(known, sizeof(known), cap_libs[i].name);
	}
	return out_misused("no library \"%s\"; known: %s", name, known);
}

static int check_request(const struct request *request)
{
	char addr[DOCA_DEVINFO_PCI_ADDR_SIZE];

	if (request->pci_addr && priv_topo_parse_pci_addr(request->pci_addr, addr))
		return out_misused("\"%s\" is not a PCI address like 0000:03:00.0 or 03:00.0",
				   request->pci_addr);
	return request->lib ? check_lib(request->lib) : EXIT_SUCCESS;
}

static int run(const struct request *request)
{
	int result = check_request(request);

	if (result)
		return result;
	if (request->what == PRINT_LOGGERS)
		return print_loggers();
	return request->what == PRINT_LIBS ? print_libs(request) : print_devices(request);
}

int main(int argc, char **argv)
{
	enum { OPTION_DEVS = 256, OPTION_REPS, OPTION_LIBS, OPTION_LOGGERS };
	static const struct option options[] = {{"list-devs", no_argument, NULL, OPTION_DEVS},
						{"list-rep-devs", no_argument, NULL, OPTION_REPS},
						{"list-libs", no_argument, NULL, OPTION_LIBS},
						{"list-loggers", no_argument, NULL, OPTION_LOGGERS},
						{"pci-addr", required_argument, NULL, 'p'},
						{"lib", required_argument, NULL, 'b'},
						{"version", no_argument, NULL, 'v'},
						{"help", no_argument, NULL, 'h'},
						{0}};
	struct request request = {.what = PRINT_CAPS};
	static char program[] = "doca_caps"; /* for good: out_program */
	int option;

	out_program = argv[0] = program; /* getopt_long() prints it as well */
	while ((option = getopt_long(argc, argv, "p:b:vh", options, NULL)) != -1) {
		if (option >= OPTION_DEVS && option <= OPTION_LOGGERS) {
			if (request.what != PRINT_CAPS)
				return out_misused("more than one --list option");
			request.what = PRINT_DEVS + (unsigned int)(option - OPTION_DEVS);
		} else if (option == 'p') {
			request.pci_addr = optarg;
		} else if (option == 'b') {
			request.lib = optarg;
		} else if (option == 'h') {
			return out_finish(print_help());
		} else if (option == 'v') {
			printf("doca_caps %s\n", doca_version_runtime());
			return out_finish(EXIT_SUCCESS);
		} else {
			return out_refused();
		}
	}
	if (optind < argc)
		return out_misused("unexpected \"%s\"", argv[optind]);
	return out_finish(run(&request));
}
