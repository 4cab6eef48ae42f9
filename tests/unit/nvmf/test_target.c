/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What a target consists of: ports, subsystems, hosts, namespaces.
 */
#include "host.h"

static void subsystems_leave_when_their_queues_are_closed(void **state)
{
	struct host *h = *state;

	assert_int_equal(nvmf_subsys_remove(h->subsys), DOCA_ERROR_IN_USE);
	assert_ptr_equal(dropped[0], &h->admin);
	close_dropped();
	assert_int_equal(nvmf_subsys_remove(h->subsys), DOCA_SUCCESS);
}

static void names_of_subsystems(void **state)
{
	struct nvmf_subsys_attr attr = {.serial = "1", .model = "2"};
	struct host *h = *state;
	struct nvmf_subsys *subsys;
	char nqn[NVME_NQN_SIZE + 1];

	memset(nqn, 'n', sizeof(nqn));
	nqn[NVME_NQN_SIZE] = '\0';
	attr.nqn = nqn;
	assert_int_equal(nvmf_subsys_add(h->target, &attr, &subsys), DOCA_ERROR_INVALID_VALUE);
	nqn[NVME_NQN_SIZE - 1] = '\0';
	assert_int_equal(nvmf_subsys_add(h->target, &attr, &subsys), DOCA_SUCCESS);
	assert_int_equal(nvmf_subsys_add(h->target, &attr, &subsys), DOCA_ERROR_ALREADY_EXIST);
	assert_ptr_equal(nvmf_subsys_find(h->target, nqn), subsys);
	nqn[10] = '\0';
	assert_int_equal(nvmf_subsys_add(h->target, &attr, &subsys), DOCA_ERROR_INVALID_VALUE);
	attr.nqn = NVME_DISCOVERY_NQN;
	assert_int_equal(nvmf_subsys_add(h->target, &attr, &subsys), DOCA_ERROR_ALREADY_EXIST);
}

static void serials_and_models_must_fit(void **state)
{
	static const char long_serial[] = "123456789012345678901";
	static const char long_model[] = "12345678901234567890123456789012345678901";
	struct nvmf_subsys_attr attr = {
		.nqn = "nqn.2024-01.example:more", .serial = long_serial, .model = long_model + 1};
	struct host *h = *state;
	struct nvmf_subsys *subsys;

	assert_int_equal(nvmf_subsys_add(h->target, &attr, &subsys), DOCA_ERROR_INVALID_VALUE);
	attr.serial = long_serial + 1;
	attr.model = long_model;
	assert_int_equal(nvmf_subsys_add(h->target, &attr, &subsys), DOCA_ERROR_INVALID_VALUE);
	attr.model = long_model + 1;
	assert_int_equal(nvmf_subsys_add(h->target, &attr, &subsys), DOCA_SUCCESS);
	assert_string_equal(subsys->serial, long_serial + 1);
	assert_string_equal(subsys->model, long_model + 1);
}

static void limits_of_a_target_must_make_sense(void **state)
{
	struct host *h = *state;
	const struct nvmf_target_attr good = h->target->attr;
	struct nvmf_target_attr bad[] = {good, good, good, good};
	struct nvmf_target *target;
	size_t i;

	bad[0].max_queue_entries = 31;
	bad[1].max_io_queues = 0;
	bad[2].max_transfer = 2048;
	bad[3].max_transfer = 3 * 4096;
	for (i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		assert_int_equal(nvmf_target_create(&bad[i], &target), DOCA_ERROR_INVALID_VALUE);
}

static void ports_have_numbers_of_their_own(void **state)
{
	char name[NVMF_TRADDR_SIZE + 1];
	struct nvmf_port *port;
	struct host *h = *state;

	memset(name, 'a', sizeof(name) - 1);
	name[sizeof(name) - 1] = '\0';
	assert_int_equal(nvmf_port_add(h->target,
				       &(struct nvmf_port_attr){1, NVMF_TCP, NVMF_IPV4, "::", "1"},
				       &port),
			 DOCA_ERROR_ALREADY_EXIST);
	assert_int_equal(nvmf_port_add(h->target,
				       &(struct nvmf_port_attr){2, NVMF_TCP, NVMF_IPV4, name, "1"},
				       &port),
			 DOCA_ERROR_INVALID_VALUE);
	assert_int_equal(
		nvmf_port_add(h->target,
			      &(struct nvmf_port_attr){2, NVMF_TCP, NVMF_IPV4, name + 1, "1"},
			      &port),
		DOCA_SUCCESS);
	assert_false(port->any_addr);
	assert_int_equal(nvmf_port_set_ana(h->target, port, 0, NVMF_ANA_OPTIMIZED),
			 DOCA_ERROR_INVALID_VALUE);
	assert_int_equal(
		nvmf_port_set_ana(h->target, port, NVMF_ANA_GROUPS + 1, NVMF_ANA_OPTIMIZED),
		DOCA_ERROR_INVALID_VALUE);
	assert_int_equal(nvmf_port_set_ana(h->target, port, NVMF_ANA_GROUPS, NVMF_ANA_CHANGE),
			 DOCA_SUCCESS);
}

static void namespaces_get_the_lowest_free_number(void **state)
{
	struct nvmf_ns_attr attr = {.block_shift = 12, .blocks = 8};
	struct nvmf_ns *ns[2], *more;
	struct host *h = *state;
	uint32_t nsid;

	assert_int_equal(nvmf_ns_add(h->subsys, &attr, &ns[0]), DOCA_SUCCESS);
	assert_int_equal(nvmf_ns_add(h->subsys, &attr, &ns[1]), DOCA_SUCCESS);
	assert_int_equal(ns[1]->nsid, 3);
	nvmf_ns_remove(ns[0]);
	assert_null(nvmf_ns_find(h->subsys, 2));
	assert_int_equal(nvmf_ns_add(h->subsys, &attr, &ns[0]), DOCA_SUCCESS);
	assert_int_equal(ns[0]->nsid, 2);
	assert_int_equal(ns[0]->ana_group, 1);
	for (nsid = 4; nsid <= NVMF_NSID_MAX; nsid++)
		assert_int_equal(nvmf_ns_add(h->subsys, &attr, &more), DOCA_SUCCESS);
	assert_int_equal(nvmf_ns_add(h->subsys, &attr, &more), DOCA_ERROR_FULL);
	assert_null(nvmf_ns_find(h->subsys, 0));
	assert_null(nvmf_ns_find(h->subsys, NVMF_NSID_MAX + 1));
}

static void namespaces_must_make_sense(void **state)
{
	static const struct nvmf_ns_attr bad[] = {
		{.block_shift = 8, .blocks = 8},
		{.block_shift = 17, .blocks = 8},
		{.block_shift = 9, .blocks = 8, .nsid = NVMF_NSID_MAX + 1},
		{.block_shift = 9, .blocks = 8, .ana_group = NVMF_ANA_GROUPS + 1},
	};
	static const struct nvmf_ns_attr good = {.block_shift = 9, .blocks = 8, .nsid = 2};
	struct host *h = *state;
	struct nvmf_ns *ns;
	size_t i;

	for (i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		assert_int_equal(nvmf_ns_add(h->subsys, &bad[i], &ns), DOCA_ERROR_INVALID_VALUE);
	assert_int_equal(nvmf_ns_add(h->target->discovery, &good, &ns), DOCA_ERROR_INVALID_VALUE);
}

static void F13_a_host_that_is_not_allowed_any_more(void **state)
{
	static const char other[] = "nqn.2024-01.example:other-host";
	struct host *h = *state;

	assert_int_equal(nvmf_subsys_allow_host(h->subsys, "short"), DOCA_ERROR_INVALID_VALUE);
	assert_int_equal(nvmf_subsys_disallow_host(h->subsys, other), DOCA_ERROR_NOT_FOUND);
	assert_int_equal(nvmf_subsys_allow_host(h->subsys, other), DOCA_SUCCESS);
	assert_int_equal(nvmf_subsys_allow_host(h->subsys, other), DOCA_ERROR_ALREADY_EXIST);
	assert_int_equal(nvmf_subsys_allow_host(h->subsys, HOSTNQN), DOCA_SUCCESS);
	h->subsys->allow_any_host = false;
	assert_int_equal(nvmf_subsys_disallow_host(h->subsys, other), DOCA_SUCCESS);
	assert_int_equal(dropped_count, 0); /* it was not connected */
	assert_int_equal(nvmf_subsys_disallow_host(h->subsys, HOSTNQN), DOCA_SUCCESS);
	assert_int_equal(dropped_count, 1);
	assert_ptr_equal(dropped[0], &h->admin);
	assert_false(nvmf_subsys_may_connect(h->subsys, HOSTNQN));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		CONNECTED_TEST(subsystems_leave_when_their_queues_are_closed),
		HOST_TEST(names_of_subsystems),
		HOST_TEST(serials_and_models_must_fit),
		HOST_TEST(limits_of_a_target_must_make_sense),
		HOST_TEST(ports_have_numbers_of_their_own),
		HOST_TEST(namespaces_get_the_lowest_free_number),
		HOST_TEST(namespaces_must_make_sense),
		CONNECTED_TEST(F13_a_host_that_is_not_allowed_any_more),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
