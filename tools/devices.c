/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * softfield devices. Answers with the address lists that a program's own "device not found" lacks.
 */
#include <arpa/inet.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/name_list.h"
#include "commands.h"
#include "out.h"

struct selection {
	const struct topo *topo;
	char dev[DOCA_DEVINFO_PCI_ADDR_SIZE]; /* "": all */
	char rep[DOCA_DEVINFO_REP_PCI_ADDR_SIZE];
};

static int print_help(void)
{
	puts("usage: softfield devices [-p ADDRESS [-r ADDRESS]] [-j]\n\n"
	     "  -p, --pci-addr ADDRESS  only the functions with this address\n"
	     "  -r, --rep-pci ADDRESS   only the representor with this address that they see\n"
	     "  -j, --json              as JSON\n"
	     "  -h, --help              this text\n\n"
	     "Prints the functions that programs started here can open, and for each host\n"
	     "function its representor. SOFTFIELD_TOPOLOGY and SOFTFIELD_ROLE count as they do\n"
	     "for programs. -p and -r take what programs are given: with a domain or without.");
	return EXIT_SUCCESS;
}

static bool is_visible(const struct selection *selection, const struct topo_function *function)
{
	return selection->topo->side_visible[function->side];
}

/* a representor selects the host function behind it, which may be hidden itself */
static bool is_selected(const struct selection *selection, const struct topo_function *function)
{
	if (selection->rep[0])
		return function->rep &&
		       priv_topo_function_has_addr(function->rep->dpu, selection->dev) &&
		       priv_topo_function_has_addr(function, selection->rep);
	if (!is_visible(selection, function))
		return false;
	return !selection->dev[0] || priv_topo_function_has_addr(function, selection->dev);
}

static void append_addr(char *list, size_t size, const char *addr)
{
	if (!strstr(list, addr)) /* SFs share that of their PF */
		name_list_add(list, size, addr);
}

static int fail_no_device(const struct selection *selection)
{
	char list[1024] = "";

	for (unsigned int i = 0; i < selection->topo->function_count; i++) {
		const struct topo_function *function = &selection->topo->functions[i];

		if (is_visible(selection, function))
			append_addr(list, sizeof(list), function->pci_addr);
	}
	return out_fail("no device %s; there is %s", selection->dev, list[0] ? list : "none");
}

static int fail_no_rep(const struct selection *selection)
{
	char list[1024] = "";

	for (unsigned int i = 0; i < selection->topo->rep_count; i++) {
		const struct topo_rep *rep = &selection->topo->reps[i];

		if (priv_topo_function_has_addr(rep->dpu, selection->dev))
			append_addr(list, sizeof(list), rep->pci_addr);
	}
	return out_fail("no representor %s on %s; it has %s", selection->rep, selection->dev,
			list[0] ? list : "none");
}

/* are there the device and the representor that were asked for? */
static int check_selection(const struct selection *selection)
{
	bool has_dev = !selection->dev[0], has_rep = !selection->rep[0];

	for (unsigned int i = 0; i < selection->topo->function_count; i++) {
		const struct topo_function *function = &selection->topo->functions[i];

		if (is_visible(selection, function) &&
		    priv_topo_function_has_addr(function, selection->dev))
			has_dev = true;
		if (is_selected(selection, function))
			has_rep = true;
	}
	if (!has_dev)
		return fail_no_device(selection);
	return has_rep ? EXIT_SUCCESS : fail_no_rep(selection);
}

static struct json_object *rep_to_json(const struct topo_rep *rep)
{
	struct json_object *object = json_object_new_object();

	json_object_object_add(object, "dpu", json_object_new_string(rep->dpu->pci_addr));
	json_object_object_add(object, "pci", json_object_new_string(rep->pci_addr));
	json_object_object_add(object, "iface", json_object_new_string(rep->iface_name));
	json_object_object_add(object, "hotplug", json_object_new_boolean(rep->is_hotplug));
	json_object_object_add(object, "emulated", json_object_new_boolean(rep->is_emulated));
	return object;
}

static void add_addresses(struct json_object *object, const struct topo_function *function)
{
	char text[INET6_ADDRSTRLEN], mac[18];

	json_object_object_add(object, "mac",
			       json_object_new_string(out_mac(function->mac_addr, mac)));
	if (function->has_ipv4) {
		inet_ntop(AF_INET, function->ipv4_addr, text, sizeof(text));
		json_object_object_add(object, "ipv4", json_object_new_string(text));
	}
	inet_ntop(AF_INET6, function->ipv6_addr, text, sizeof(text));
	json_object_object_add(object, "ipv6", json_object_new_string(text));
}

static struct json_object *function_to_json(const struct topo_function *function)
{
	struct json_object *object = json_object_new_object();

	json_object_object_add(object, "card", json_object_new_string(function->card->name));
	json_object_object_add(object, "side", json_object_new_string(out_side(function->side)));
	json_object_object_add(object, "pci", json_object_new_string(function->pci_addr));
	json_object_object_add(object, "type",
			       json_object_new_string(out_func_type(function->type)));
	if (function->type == DOCA_PCI_FUNC_TYPE_SF)
		json_object_object_add(object, "sf_index",
				       json_object_new_int64(function->sf_index));
	json_object_object_add(object, "ibdev", json_object_new_string(function->ibdev_name));
	json_object_object_add(object, "iface", json_object_new_string(function->iface_name));
	add_addresses(object, function);
	json_object_object_add(object, "vuid", json_object_new_string(function->vuid));
	json_object_object_add(object, "vhca_id", json_object_new_int(function->vhca_id));
	json_object_object_add(object, "active_rate",
			       json_object_new_uint64(function->active_rate));
	if (function->rep)
		json_object_object_add(object, "rep", rep_to_json(function->rep));
	return object;
}

static void print_json(const struct selection *selection)
{
	struct json_object *array = json_object_new_array();

	for (unsigned int i = 0; i < selection->topo->function_count; i++) {
		const struct topo_function *function = &selection->topo->functions[i];

		if (is_selected(selection, function))
			json_object_array_add(array, function_to_json(function));
	}
	out_json(array);
}

static void add_row(struct table *table, const struct topo_function *function)
{
	char type[16], rep[DOCA_DEVINFO_IFACE_NAME_SIZE + 64] = "-";

	if (function->type == DOCA_PCI_FUNC_TYPE_SF)
		snprintf(type, sizeof(type), "SF %u", function->sf_index);
	else
		snprintf(type, sizeof(type), "%s", out_func_type(function->type));
	if (function->rep)
		snprintf(rep, sizeof(rep), "%s %s on %s%s", function->rep->pci_addr,
			 function->rep->iface_name, function->rep->dpu->pci_addr,
			 function->rep->is_emulated ? " (emulated)" : "");
	table_add(table, (const char *const[]){function->card->name, out_side(function->side),
					       function->pci_addr, type, function->ibdev_name,
					       function->iface_name, rep});
}

static void print_table(const struct selection *selection)
{
	static const char *const titles[] = {"CARD",  "SIDE",  "ADDRESS",    "TYPE",
					     "IBDEV", "IFACE", "REPRESENTOR"};
	struct table table;

	table_init(&table, 7, titles);
	for (unsigned int i = 0; i < selection->topo->function_count; i++) {
		const struct topo_function *function = &selection->topo->functions[i];

		if (is_selected(selection, function))
			add_row(&table, function);
	}
	table_print(&table);
	table_fini(&table);
}

static int take_addr(const char *text, char addr[DOCA_DEVINFO_PCI_ADDR_SIZE])
{
	if (priv_topo_parse_pci_addr(text, addr))
		return out_misused("\"%s\" is not a PCI address like 0000:b1:00.2 or b1:00.2",
				   text);
	return EXIT_SUCCESS;
}

static int parse_options(int argc, char **argv, struct selection *selection, bool *ret_json,
			 bool *ret_help)
{
	static const struct option options[] = {{"pci-addr", required_argument, NULL, 'p'},
						{"rep-pci", required_argument, NULL, 'r'},
						{"json", no_argument, NULL, 'j'},
						{"help", no_argument, NULL, 'h'},
						{0}};
	int option, result = EXIT_SUCCESS;

	while (!result && (option = getopt_long(argc, argv, "p:r:jh", options, NULL)) != -1) {
		if (option == 'p')
			result = take_addr(optarg, selection->dev);
		else if (option == 'r')
			result = take_addr(optarg, selection->rep);
		else if (option == 'j')
			*ret_json = true;
		else if (option == 'h')
			*ret_help = true;
		else
			return out_refused();
	}
	if (!result && optind < argc)
		return out_misused("unexpected \"%s\"", argv[optind]);
	if (!result && selection->rep[0] && !selection->dev[0])
		return out_misused("-r needs -p: the DPU function that has the representor");
	return result;
}

int command_devices(int argc, char **argv)
{
	struct selection selection = {0};
	bool json = false, help = false;
	int result = parse_options(argc, argv, &selection, &json, &help);

	if (result)
		return result;
	if (help)
		return print_help();
	result = out_get_topo(&selection.topo);
	if (!result)
		result = check_selection(&selection);
	if (result)
		return result;
	if (json)
		print_json(&selection);
	else
		print_table(&selection);
	return EXIT_SUCCESS;
}
