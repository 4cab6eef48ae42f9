/* SPDX-License-Identifier: BSD-3-Clause */
/* Lists and attributes of devices and representors, on the built-in card. */
#include "devtest.h"

#include <stdio.h>

#include "core/devinfo.h"
#include "doca_log.h"
#include "doca_mmap.h"
#include "said.h"

/* the listed device at this place, wrapped up so that a test needs no list */
static struct doca_devinfo listed(unsigned int index)
{
	struct doca_devinfo **list, devinfo;
	uint32_t count;

	assert_int_equal(doca_devinfo_create_list(&list, &count), DOCA_SUCCESS);
	assert_true(index < count);
	devinfo = *list[index];
	assert_int_equal(doca_devinfo_destroy_list(list), DOCA_SUCCESS);
	return devinfo;
}

enum { DPU_PF0, DPU_PF1, HOST_PF0, HOST_PF1, HOST_VF0, HOST_VF1, HOST_SF };

static void both_sides_are_listed_dpu_first(void **state)
{
	(void)state;
	expect_devs("0000:03:00.0 0000:03:00.1 0000:b1:00.0 0000:b1:00.1 0000:b1:00.2 "
		    "0000:b1:00.3 0000:b1:00.0");
}

static void lists_are_independent(void **state)
{
	struct doca_devinfo **first, **second;
	uint32_t count;

	(void)state;
	assert_int_equal(doca_devinfo_create_list(&first, &count), DOCA_SUCCESS);
	assert_int_equal(doca_devinfo_list_create(&second, &count), DOCA_SUCCESS);
	assert_int_equal(count, 7);
	assert_ptr_not_equal(first[0], second[0]);
	assert_int_equal(doca_devinfo_destroy_list(first), DOCA_SUCCESS);
	assert_string_equal(second[0]->function->pci_addr, "0000:03:00.0");
	assert_int_equal(doca_devinfo_list_destroy(second), DOCA_SUCCESS);
}

static void list_calls_refuse_null(void **state)
{
	struct doca_dev *dev = open_dev("03:00.0");
	struct doca_devinfo_rep **reps = NULL;
	struct doca_devinfo **list = NULL;
	uint32_t count = 7;

	(void)state;
	assert_int_equal(doca_devinfo_create_list(NULL, &count), DOCA_ERROR_INVALID_VALUE);
	assert_int_equal(doca_devinfo_create_list(&list, NULL), DOCA_ERROR_INVALID_VALUE);
	assert_int_equal(doca_devinfo_destroy_list(NULL), DOCA_ERROR_INVALID_VALUE);
	assert_int_equal(doca_devinfo_rep_create_list(NULL, 0, &reps, &count),
			 DOCA_ERROR_INVALID_VALUE);
	assert_int_equal(doca_devinfo_rep_create_list(dev, 0, NULL, &count),
			 DOCA_ERROR_INVALID_VALUE);
	assert_int_equal(doca_devinfo_rep_create_list(dev, 0, &reps, NULL),
			 DOCA_ERROR_INVALID_VALUE);
	assert_int_equal(doca_devinfo_rep_destroy_list(NULL), DOCA_ERROR_INVALID_VALUE);
	assert_null(list);
	assert_null(reps);
	assert_int_equal(count, 7);
	assert_int_equal(doca_dev_close(dev), DOCA_SUCCESS);
}

static void short_long_upper_and_lower_addresses_match(void **state)
{
	static const char *const equal[] = {"0000:b1:00.2", "b1:00.2", "B1:00.2", "0000:B1:00.2"};
	static const char *const other[] = {"0001:b1:00.2", "b1:00.3", "03:00.0", "b1:01.2"};
	struct doca_devinfo devinfo = listed(HOST_VF0);
	uint8_t is_equal;

	(void)state;
	for (size_t i = 0; i < 4; i++) {
		is_equal = 0;
		assert_int_equal(doca_devinfo_is_equal_pci_addr(&devinfo, equal[i], &is_equal),
				 DOCA_SUCCESS);
		assert_int_equal(is_equal, 1);
		assert_int_equal(doca_devinfo_is_equal_pci_addr(&devinfo, other[i], &is_equal),
				 DOCA_SUCCESS);
		assert_int_equal(is_equal, 0);
	}
}

static void malformed_addresses_are_refused(void **state)
{
	static const char *const wrong[] = {"",	     "b1", "b1:00", "b1:00.8", "0000:b1:00.2 ",
					    "mlx5_0"};
	const struct doca_devinfo devinfo = listed(HOST_VF0);
	const struct doca_devinfo_rep rep = {.rep = devinfo.function->rep};
	uint8_t is_equal = 9;

	(void)state;
	for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
		assert_int_equal(doca_devinfo_is_equal_pci_addr(&devinfo, wrong[i], &is_equal),
				 DOCA_ERROR_INVALID_VALUE);
		assert_int_equal(doca_devinfo_rep_is_equal_pci_addr(&rep, wrong[i], &is_equal),
				 DOCA_ERROR_INVALID_VALUE);
	}
	assert_int_equal(is_equal, 9);
}

static void attributes_are_those_of_the_topology(void **state)
{
	struct doca_devinfo pf = listed(DPU_PF1), sf = listed(HOST_SF);
	uint8_t mac[DOCA_DEVINFO_MAC_ADDR_SIZE], ipv6[DOCA_DEVINFO_IPV6_ADDR_SIZE];
	char iface[DOCA_DEVINFO_IFACE_NAME_SIZE], ibdev[DOCA_DEVINFO_IBDEV_NAME_SIZE];
	enum doca_pci_func_type type;
	uint32_t sf_index = 99;
	uint16_t vhca_id;
	uint64_t rate;

	(void)state;
	assert_int_equal(doca_devinfo_get_ibdev_name(&pf, ibdev, sizeof(ibdev)), DOCA_SUCCESS);
	assert_string_equal(ibdev, "mlx5_1");
	assert_int_equal(doca_devinfo_get_iface_name(&pf, iface, sizeof(iface)), DOCA_SUCCESS);
	assert_string_equal(iface, "p1");
	assert_int_equal(doca_devinfo_get_mac_addr(&pf, mac, sizeof(mac)), DOCA_SUCCESS);
	assert_memory_equal(mac, pf.function->mac_addr, sizeof(mac));
	assert_int_equal(doca_devinfo_get_ipv6_addr(&pf, ipv6, sizeof(ipv6)), DOCA_SUCCESS);
	assert_memory_equal(ipv6, pf.function->ipv6_addr, sizeof(ipv6));
	assert_int_equal(doca_devinfo_get_active_rate(&pf, &rate), DOCA_SUCCESS);
	assert_int_equal(rate, 100000000000);
	assert_int_equal(doca_devinfo_get_vhca_id(&pf, &vhca_id), DOCA_SUCCESS);
	assert_int_equal(vhca_id, 1);
	assert_int_equal(doca_devinfo_get_pci_func_type(&pf, &type), DOCA_SUCCESS);
	assert_int_equal(type, DOCA_PCI_FUNC_TYPE_PF);
	assert_int_equal(doca_devinfo_get_sf_index(&pf, &sf_index), DOCA_ERROR_NOT_SUPPORTED);
	assert_int_equal(sf_index, 99);
	assert_int_equal(doca_devinfo_get_pci_func_type(&sf, &type), DOCA_SUCCESS);
	assert_int_equal(type, DOCA_PCI_FUNC_TYPE_SF);
	assert_int_equal(doca_devinfo_get_sf_index(&sf, &sf_index), DOCA_SUCCESS);
	assert_int_equal(sf_index, 4);
}

static void indices_say_which_function_it_is(void **state)
{
	const struct doca_devinfo d = listed(HOST_PF0), vf = listed(HOST_VF1), sf = listed(HOST_SF);
	const struct doca_devinfo_rep rep = {.rep = d.function->rep}, vf_rep = {vf.function->rep},
				      sf_rep = {sf.function->rep};
	uint32_t index = 99, other;

	(void)state;
	assert_int_equal(doca_devinfo_rep_get_vf_index(&rep, &index), DOCA_ERROR_NOT_SUPPORTED);
	assert_int_equal(doca_devinfo_rep_get_sf_index(&rep, &index), DOCA_ERROR_NOT_SUPPORTED);
	assert_int_equal(doca_devinfo_rep_get_sf_index(&vf_rep, &index), DOCA_ERROR_NOT_SUPPORTED);
	assert_int_equal(doca_devinfo_rep_get_vf_index(&sf_rep, &index), DOCA_ERROR_NOT_SUPPORTED);
	assert_int_equal(index, 99);
	assert_int_equal(doca_devinfo_rep_get_host_index(&rep, &index), DOCA_SUCCESS);
	assert_int_equal(index, 1);
	assert_int_equal(doca_devinfo_rep_get_pf_index(&vf_rep, &index), DOCA_SUCCESS);
	assert_int_equal(index, 0);
	assert_int_equal(doca_devinfo_rep_get_vf_index(&vf_rep, &index), DOCA_SUCCESS);
	assert_int_equal(index, 1);
	assert_int_equal(doca_devinfo_rep_get_sf_index(&sf_rep, &index), DOCA_SUCCESS);
	assert_int_equal(index, 4);
	assert_int_equal(doca_devinfo_get_iface_index(&d, &index), DOCA_SUCCESS);
	assert_int_equal(doca_devinfo_rep_get_iface_index(&rep, &other), DOCA_SUCCESS);
	assert_true(index && other && index != other);
}

static void what_an_ethernet_port_lacks_is_refused(void **state)
{
	struct doca_devinfo devinfo = listed(HOST_PF0);
	uint8_t ipv4[DOCA_DEVINFO_IPV4_ADDR_SIZE] = {9};
	uint16_t lid = 9;

	(void)state;
	assert_int_equal(doca_devinfo_get_lid(&devinfo, &lid), DOCA_ERROR_NOT_SUPPORTED);
	assert_int_equal(lid, 9);
	assert_int_equal(doca_devinfo_get_ipv4_addr(&devinfo, ipv4, sizeof(ipv4)),
			 DOCA_ERROR_NOT_FOUND);
	assert_int_equal(ipv4[0], 9);
}

static void sized_getters_want_the_whole_size(void **state)
{
	const struct doca_devinfo d = listed(HOST_PF0);
	const struct doca_devinfo_rep r = {.rep = d.function->rep};
	const doca_error_t invalid = DOCA_ERROR_INVALID_VALUE;
	uint8_t bytes[256];
	char text[256];

	(void)state;
	assert_int_equal(doca_devinfo_get_ibdev_name(&d, text, 63), invalid);
	assert_int_equal(doca_devinfo_get_ibdev_name(&d, text, 64), DOCA_SUCCESS);
	assert_int_equal(doca_devinfo_get_iface_name(&d, text, 255), invalid);
	assert_int_equal(doca_devinfo_get_iface_name(&d, text, 256), DOCA_SUCCESS);
	assert_int_equal(doca_devinfo_get_mac_addr(&d, bytes, 5), invalid);
	assert_int_equal(doca_devinfo_get_mac_addr(&d, bytes, 6), DOCA_SUCCESS);
	assert_int_equal(doca_devinfo_get_ipv4_addr(&d, bytes, 3), invalid);
	assert_int_equal(doca_devinfo_get_ipv6_addr(&d, bytes, 15), invalid);
	assert_int_equal(doca_devinfo_get_ipv6_addr(&d, bytes, 16), DOCA_SUCCESS);
	assert_int_equal(doca_devinfo_rep_get_vuid(&r, text, 127), invalid);
	assert_int_equal(doca_devinfo_rep_get_vuid(&r, text, 128), DOCA_SUCCESS);
	assert_int_equal(doca_devinfo_rep_get_iface_name(&r, text, 255), invalid);
	assert_int_equal(doca_devinfo_rep_get_iface_name(&r, text, 256), DOCA_SUCCESS);
	assert_int_equal(doca_devinfo_get_iface_name(&d, text, 0), invalid);
}

static void ask_for_too_little(struct child *parent, void *arg)
{
	const struct doca_devinfo d = listed(HOST_PF0);
	struct doca_log_backend *backend;
	uint8_t bytes[4];
	char text[8];

	(void)parent;
	(void)arg;
	assert_ok(doca_log_backend_create_with_fd_sdk(STDERR_FILENO, &backend));
	assert_err(doca_devinfo_get_iface_name(&d, text, sizeof(text)), INVALID_VALUE);
	assert_err(doca_devinfo_get_mac_addr(&d, bytes, 5), INVALID_VALUE);
	assert_err(doca_devinfo_get_ipv4_addr(&d, bytes, 3), INVALID_VALUE);
}

static void the_size_that_is_wanted_is_told(void **state)
{
	char said[SAID_SIZE];

	(void)state;
	listen_to(ask_for_too_little, NULL, said);
	assert_non_null(strstr(said, "a buffer of 8 bytes for an attribute of a device; it has to "
				     "have 256"));
	assert_non_null(strstr(said, "5 bytes for an attribute of a device; it has to have 6"));
	assert_non_null(strstr(said, "3 bytes for an attribute of a device; it has to have 4"));
}

static void getters_refuse_null(void **state)
{
	const struct doca_devinfo d = listed(HOST_PF0);
	const doca_error_t invalid = DOCA_ERROR_INVALID_VALUE;
	enum doca_pci_func_type type;
	struct doca_pci_bdf bdf;
	uint8_t bytes[16];
	char text[256];
	uint16_t u16;
	uint32_t u32;
	uint64_t u64;

	(void)state;
	assert_int_equal(doca_devinfo_get_pci_addr_str(NULL, text), invalid);
	assert_int_equal(doca_devinfo_get_pci_addr_str(&d, NULL), invalid);
	assert_int_equal(doca_devinfo_is_equal_pci_addr(NULL, "b1:00.0", bytes), invalid);
	assert_int_equal(doca_devinfo_is_equal_pci_addr(&d, NULL, bytes), invalid);
	assert_int_equal(doca_devinfo_is_equal_pci_addr(&d, "b1:00.0", NULL), invalid);
	assert_int_equal(doca_devinfo_get_ipv4_addr(NULL, bytes, 4), invalid);
	assert_int_equal(doca_devinfo_get_ipv4_addr(&d, NULL, 4), invalid);
	assert_int_equal(doca_devinfo_get_ipv6_addr(NULL, bytes, 16), invalid);
	assert_int_equal(doca_devinfo_get_ipv6_addr(&d, NULL, 16), invalid);
	assert_int_equal(doca_devinfo_get_mac_addr(NULL, bytes, 6), invalid);
	assert_int_equal(doca_devinfo_get_mac_addr(&d, NULL, 6), invalid);
	assert_int_equal(doca_devinfo_get_iface_name(NULL, text, 256), invalid);
	assert_int_equal(doca_devinfo_get_iface_name(&d, NULL, 256), invalid);
	assert_int_equal(doca_devinfo_get_ibdev_name(NULL, text, 64), invalid);
	assert_int_equal(doca_devinfo_get_ibdev_name(&d, NULL, 64), invalid);
	assert_int_equal(doca_devinfo_get_lid(NULL, &u16), invalid);
	assert_int_equal(doca_devinfo_get_lid(&d, NULL), invalid);
	assert_int_equal(doca_devinfo_get_active_rate(NULL, &u64), invalid);
	assert_int_equal(doca_devinfo_get_active_rate(&d, NULL), invalid);
	assert_int_equal(doca_devinfo_get_vhca_id(NULL, &u16), invalid);
	assert_int_equal(doca_devinfo_get_vhca_id(&d, NULL), invalid);
	assert_int_equal(doca_devinfo_get_pci_func_type(NULL, &type), invalid);
	assert_int_equal(doca_devinfo_get_pci_func_type(&d, NULL), invalid);
	assert_int_equal(doca_devinfo_get_sf_index(NULL, &u32), invalid);
	assert_int_equal(doca_devinfo_get_sf_index(&d, NULL), invalid);
	assert_int_equal(doca_devinfo_get_iface_index(NULL, &u32), invalid);
	assert_int_equal(doca_devinfo_get_iface_index(&d, NULL), invalid);
	assert_int_equal(doca_devinfo_get_pci_addr(NULL, &bdf), invalid);
	assert_int_equal(doca_devinfo_get_pci_addr(&d, NULL), invalid);
}

static void representor_getters_refuse_null(void **state)
{
	static doca_error_t (*const index_of[])(const struct doca_devinfo_rep *, uint32_t *) = {
		doca_devinfo_rep_get_iface_index, doca_devinfo_rep_get_host_index,
		doca_devinfo_rep_get_pf_index,	  doca_devinfo_rep_get_vf_index,
		doca_devinfo_rep_get_sf_index,
	};
	const struct doca_devinfo d = listed(HOST_PF0);
	const struct doca_devinfo_rep r = {.rep = d.function->rep};
	const doca_error_t invalid = DOCA_ERROR_INVALID_VALUE;
	enum doca_pci_func_type type;
	struct doca_pci_bdf bdf;
	char text[256];
	uint16_t u16;
	uint32_t u32;
	uint8_t u8;

	(void)state;
	assert_int_equal(doca_devinfo_rep_get_vuid(NULL, text, 128), invalid);
	assert_int_equal(doca_devinfo_rep_get_vuid(&r, NULL, 128), invalid);
	assert_int_equal(doca_devinfo_rep_get_pci_addr_str(NULL, text), invalid);
	assert_int_equal(doca_devinfo_rep_get_pci_addr_str(&r, NULL), invalid);
	assert_int_equal(doca_devinfo_rep_get_pci_func_type(NULL, &type), invalid);
	assert_int_equal(doca_devinfo_rep_get_pci_func_type(&r, NULL), invalid);
	assert_int_equal(doca_devinfo_rep_get_is_hotplug(NULL, &u8), invalid);
	assert_int_equal(doca_devinfo_rep_get_is_hotplug(&r, NULL), invalid);
	assert_int_equal(doca_devinfo_rep_get_iface_name(NULL, text, 256), invalid);
	assert_int_equal(doca_devinfo_rep_get_iface_name(&r, NULL, 256), invalid);
	assert_int_equal(doca_devinfo_rep_get_pci_addr(NULL, &bdf), invalid);
	assert_int_equal(doca_devinfo_rep_get_pci_addr(&r, NULL), invalid);
	assert_int_equal(doca_devinfo_rep_get_vhca_id(NULL, &u16), invalid);
	assert_int_equal(doca_devinfo_rep_get_vhca_id(&r, NULL), invalid);
	for (size_t i = 0; i < sizeof(index_of) / sizeof(index_of[0]); i++) {
		assert_int_equal(index_of[i](NULL, &u32), invalid);
		assert_int_equal(index_of[i](&r, NULL), invalid);
	}
	assert_int_equal(doca_devinfo_rep_is_equal_pci_addr(NULL, "b1:00.0", &u8), invalid);
	assert_int_equal(doca_devinfo_rep_is_equal_pci_addr(&r, NULL, &u8), invalid);
	assert_int_equal(doca_devinfo_rep_is_equal_pci_addr(&r, "b1:00.0", NULL), invalid);
}

static void representors_are_those_of_the_port(void **state)
{
	struct doca_dev *p0 = open_dev("03:00.0"), *p1 = open_dev("03:00.1");

	(void)state;
	expect_reps(p0, DOCA_DEVINFO_REP_FILTER_ALL, "pf0hpf pf0vf0 pf0vf1 pf0sf4");
	expect_reps(p1, DOCA_DEVINFO_REP_FILTER_ALL, "pf1hpf");
	expect_reps(p0, DOCA_DEVINFO_REP_FILTER_NET, "pf0hpf pf0vf0 pf0vf1 pf0sf4");
	expect_reps(p0, DOCA_DEVINFO_REP_FILTER_EMULATED, "");
	assert_int_equal(doca_dev_close(p0), DOCA_SUCCESS);
	assert_int_equal(doca_dev_close(p1), DOCA_SUCCESS);
}

static void host_devices_have_no_representors(void **state)
{
	struct doca_dev *dev = open_dev("b1:00.0");
	struct doca_devinfo_rep **list = NULL;
	uint32_t count = 9;

	(void)state;
	assert_int_equal(
		doca_devinfo_rep_create_list(dev, DOCA_DEVINFO_REP_FILTER_ALL, &list, &count),
		DOCA_ERROR_NOT_SUPPORTED);
	assert_null(list);
	assert_int_equal(count, 9);
	assert_int_equal(doca_dev_close(dev), DOCA_SUCCESS);
}

static void ask_host_device(struct child *parent, void *arg)
{
	struct doca_dev *dev = open_dev("b1:00.0");
	struct doca_log_backend *backend;
	struct doca_devinfo_rep **list;
	uint32_t count;

	(void)parent;
	(void)arg;
	assert_ok(doca_log_backend_create_with_fd_sdk(STDERR_FILENO, &backend));
	assert_ok(doca_log_backend_set_sdk_level(backend, DOCA_LOG_LEVEL_DEBUG));
	assert_int_equal(
		doca_devinfo_rep_create_list(dev, DOCA_DEVINFO_REP_FILTER_NET, &list, &count),
		DOCA_ERROR_NOT_SUPPORTED);
}

static void why_there_are_no_representors_is_told_of(void **state)
{
	char said[SAID_SIZE];

	(void)state;
	listen_to(ask_host_device, NULL, said);
	assert_non_null(strstr(said, "device 0000:b1:00.0 is on the host side; "));
}

static void unknown_filters_are_refused(void **state)
{
	static const int unknown[] = {1, 8, 16, 1 << 30, -1};
	struct doca_dev *dev = open_dev("03:00.0");
	struct doca_devinfo_rep **list = NULL;
	uint32_t count;

	(void)state;
	for (size_t i = 0; i < sizeof(unknown) / sizeof(unknown[0]); i++)
		assert_int_equal(doca_devinfo_rep_create_list(dev, unknown[i], &list, &count),
				 DOCA_ERROR_INVALID_VALUE);
	assert_null(list);
	assert_int_equal(doca_dev_close(dev), DOCA_SUCCESS);
}

static void old_filters_are_understood(void **state)
{
	static const struct {
		int filter;
		doca_error_t result;
	} cases[] = {
		{DOCA_DEV_REP_FILTER_ALL, DOCA_SUCCESS},
		{DOCA_DEV_REP_FILTER_NET, DOCA_SUCCESS},
		{DOCA_DEV_REP_FILTER_VIRTIO_FS, DOCA_ERROR_NOT_SUPPORTED},
		{DOCA_DEV_REP_FILTER_NET | DOCA_DEV_REP_FILTER_NVME, DOCA_ERROR_NOT_SUPPORTED},
		{64, DOCA_ERROR_INVALID_VALUE},
		{1, DOCA_ERROR_INVALID_VALUE},
	};
	struct doca_dev *dev = open_dev("03:00.0");

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct doca_devinfo_rep **list;
		uint32_t count;

		assert_int_equal(doca_devinfo_rep_list_create(dev, cases[i].filter, &list, &count),
				 cases[i].result);
		if (cases[i].result)
			continue;
		assert_int_equal(count, 4);
		assert_int_equal(doca_devinfo_rep_list_destroy(list), DOCA_SUCCESS);
	}
	assert_int_equal(doca_dev_close(dev), DOCA_SUCCESS);
}

static void representor_tells_of_the_function_behind_it(void **state)
{
	struct doca_dev *dev = open_dev("03:00.0");
	struct doca_dev_rep *opened = open_rep(dev, "b1:00.3");
	struct doca_devinfo_rep *rep = doca_dev_rep_as_devinfo(opened);
	char addr[DOCA_DEVINFO_REP_PCI_ADDR_SIZE], vuid[DOCA_DEVINFO_REP_VUID_SIZE];
	enum doca_pci_func_type type;
	uint8_t is_hotplug = 9;
	uint16_t vhca_id;

	(void)state;
	assert_int_equal(doca_devinfo_rep_get_pci_addr_str(rep, addr), DOCA_SUCCESS);
	assert_string_equal(addr, "0000:b1:00.3");
	assert_int_equal(doca_devinfo_rep_get_vuid(rep, vuid, sizeof(vuid)), DOCA_SUCCESS);
	assert_string_equal(vuid, "SF00000SOFTS0D0F0VF2");
	assert_int_equal(doca_devinfo_rep_get_pci_func_type(rep, &type), DOCA_SUCCESS);
	assert_int_equal(type, DOCA_PCI_FUNC_TYPE_VF);
	assert_int_equal(doca_devinfo_rep_get_is_hotplug(rep, &is_hotplug), DOCA_SUCCESS);
	assert_int_equal(is_hotplug, 0);
	assert_int_equal(doca_devinfo_rep_get_vhca_id(rep, &vhca_id), DOCA_SUCCESS);
	assert_int_equal(vhca_id, listed(HOST_VF1).function->vhca_id);
	assert_int_equal(doca_dev_rep_close(opened), DOCA_SUCCESS);
	assert_int_equal(doca_dev_close(dev), DOCA_SUCCESS);
}

static void capabilities_follow_the_side(void **state)
{
	static doca_error_t (*const filters[])(const struct doca_devinfo *, uint8_t *) = {
		doca_devinfo_rep_cap_is_filter_all_supported,
		doca_devinfo_rep_cap_is_filter_net_supported,
		doca_devinfo_rep_cap_is_filter_emulated_supported,
	};
	static doca_error_t (*const never[])(const struct doca_devinfo *, uint8_t *) = {
		doca_devinfo_cap_is_hotplug_manager_supported,
		doca_devinfo_cap_is_notification_moderation_supported,
		doca_devinfo_cap_is_accelerate_resource_reclaim_supported,
	};
	const struct doca_devinfo dpu = listed(DPU_PF0), host = listed(HOST_PF0);

	(void)state;
	for (size_t i = 0; i < 3; i++) {
		uint8_t answer = 9;

		assert_int_equal(filters[i](&dpu, &answer), DOCA_SUCCESS);
		assert_int_equal(answer, 1);
		assert_int_equal(filters[i](&host, &answer), DOCA_SUCCESS);
		assert_int_equal(answer, 0);
		answer = 9;
		assert_int_equal(never[i](&dpu, &answer), DOCA_SUCCESS);
		assert_int_equal(answer, 0);
		assert_int_equal(filters[i](NULL, &answer), DOCA_ERROR_INVALID_VALUE);
		assert_int_equal(filters[i](&dpu, NULL), DOCA_ERROR_INVALID_VALUE);
		assert_int_equal(never[i](NULL, &answer), DOCA_ERROR_INVALID_VALUE);
		assert_int_equal(never[i](&dpu, NULL), DOCA_ERROR_INVALID_VALUE);
	}
}

static void old_address_is_a_number(void **state)
{
	const struct doca_devinfo devinfo = listed(HOST_VF1);
	struct doca_pci_bdf bdf;

	(void)state;
	assert_int_equal(doca_devinfo_get_pci_addr(&devinfo, &bdf), DOCA_SUCCESS);
	assert_int_equal(bdf.raw, 0xb103);
	assert_int_equal(bdf.bus, 0xb1);
	assert_int_equal(bdf.device, 0);
	assert_int_equal(bdf.function, 3);
}

static void old_address_of_a_representor_is_a_number(void **state)
{
	const struct doca_devinfo devinfo = listed(HOST_VF1);
	const struct doca_devinfo_rep rep = {.rep = devinfo.function->rep};
	char text[DOCA_DEVINFO_REP_PCI_ADDR_SIZE], number[DOCA_DEVINFO_REP_PCI_ADDR_SIZE];
	struct doca_pci_bdf bdf;

	(void)state;
	assert_int_equal(doca_devinfo_rep_get_pci_addr_str(&rep, text), DOCA_SUCCESS);
	assert_int_equal(doca_devinfo_rep_get_pci_addr(&rep, &bdf), DOCA_SUCCESS);
	snprintf(number, sizeof(number), "0000:%02x:%02x.%x", bdf.bus, bdf.device, bdf.function);
	assert_string_equal(number, text);
}

static void old_mmap_capabilities_are_those_of_today(void **state)
{
	const struct doca_devinfo devinfo = listed(DPU_PF0);
	uint8_t old = 8, new = 9;

	(void)state;
	assert_int_equal(doca_devinfo_get_is_mmap_export_supported(&devinfo, &old), DOCA_SUCCESS);
	assert_int_equal(doca_mmap_cap_is_export_pci_supported(&devinfo, &new), DOCA_SUCCESS);
	assert_int_equal(old, new);
	assert_int_equal(doca_devinfo_get_is_mmap_from_export_supported(&devinfo, &old),
			 DOCA_SUCCESS);
	assert_int_equal(doca_mmap_cap_is_create_from_export_pci_supported(&devinfo, &new),
			 DOCA_SUCCESS);
	assert_int_equal(old, new);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(both_sides_are_listed_dpu_first),
		cmocka_unit_test(lists_are_independent),
		cmocka_unit_test(list_calls_refuse_null),
		cmocka_unit_test(short_long_upper_and_lower_addresses_match),
		cmocka_unit_test(malformed_addresses_are_refused),
		cmocka_unit_test(attributes_are_those_of_the_topology),
		cmocka_unit_test(indices_say_which_function_it_is),
		cmocka_unit_test(what_an_ethernet_port_lacks_is_refused),
		cmocka_unit_test(sized_getters_want_the_whole_size),
		cmocka_unit_test(the_size_that_is_wanted_is_told),
		cmocka_unit_test(getters_refuse_null),
		cmocka_unit_test(representor_getters_refuse_null),
		cmocka_unit_test(representors_are_those_of_the_port),
		cmocka_unit_test(host_devices_have_no_representors),
		cmocka_unit_test(why_there_are_no_representors_is_told_of),
		cmocka_unit_test(unknown_filters_are_refused),
		cmocka_unit_test(old_filters_are_understood),
		cmocka_unit_test(representor_tells_of_the_function_behind_it),
		cmocka_unit_test(capabilities_follow_the_side),
		cmocka_unit_test(old_address_is_a_number),
		cmocka_unit_test(old_address_of_a_representor_is_a_number),
		cmocka_unit_test(old_mmap_capabilities_are_those_of_today),
	};

	unsetenv("SOFTFIELD_TOPOLOGY");
	unsetenv("SOFTFIELD_ROLE");
	return cmocka_run_group_tests(tests, NULL, NULL);
}
