/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Asynchronous events.
 */
#include "host.h"

static void V1_V2_namespace_event_once_until_read(void **state)
{
	struct host *h = *state;
	const le32_t *changed = (const void *)h->data;
	struct nvmf_req aer[2];

	assert_int_equal(feature(h, NVME_ADMIN_SET_FEATURES, 0x0b, 1u << 8), 0);
	assert_int_equal(send_aer(h, &aer[0], 1), NVMF_HOLD);
	assert_int_equal(send_aer(h, &aer[1], 2), NVMF_HOLD);
	add_ns(h, 5);
	assert_int_equal(completed_count, 1);
	assert_ptr_equal(completed[0], &aer[0]);
	assert_int_equal(aer[0].dw0, 0x00040002);
	add_ns(h, 6); /* masked */
	assert_int_equal(completed_count, 1);
	assert_int_equal(get_log(h, NVME_LOG_CHANGED_NS, 0, 4096, true), 0);
	assert_int_equal(le32toh(changed[0]), 5);
	assert_int_equal(le32toh(changed[1]), 6);
	assert_int_equal(completed_count, 1); /* RAE: still masked */
	assert_int_equal(get_log(h, NVME_LOG_CHANGED_NS, 0, 4096, false), 0);
	assert_int_equal(completed_count, 1); /* the page had 6, too */
	assert_int_equal(get_log(h, NVME_LOG_CHANGED_NS, 0, 4096, false), 0);
	assert_int_equal(changed[0], 0);
	add_ns(h, 7); /* armed again */
	assert_int_equal(completed_count, 2);
	assert_ptr_equal(completed[1], &aer[1]);
}

static void V3_event_waits_for_a_request(void **state)
{
	struct host *h = *state;
	struct nvmf_req aer;

	assert_int_equal(feature(h, NVME_ADMIN_SET_FEATURES, 0x0b, 1u << 8), 0);
	nvmf_ns_resize(h->ns, 4096);
	assert_int_equal(send_aer(h, &aer, 1), NVMF_RESPOND);
	assert_int_equal(aer.dw0, 0x00040002);
}

static void V_a_pending_event_may_be_turned_off(void **state)
{
	static struct nvmf_req aer; /* held until the teardown */
	struct host *h = *state;

	assert_int_equal(feature(h, NVME_ADMIN_SET_FEATURES, 0x0b, 1u << 8), 0);
	nvmf_ns_resize(h->ns, 4096);
	assert_int_equal(feature(h, NVME_ADMIN_SET_FEATURES, 0x0b, 0), 0);
	assert_int_equal(send_aer(h, &aer, 1), NVMF_HOLD);
}

static void G5_changes_are_in_rising_order(void **state)
{
	static const uint32_t nsids[] = {7, 3, 9, 3, 1, 9, 8}, sorted[] = {1, 3, 7, 8, 9, 0};
	struct host *h = *state;
	const le32_t *changed = (const void *)h->data;
	size_t i;

	for (i = 0; i < sizeof(nsids) / sizeof(nsids[0]); i++)
		nvmf_event_ns_changed(h->admin.ctrlr, nsids[i]);
	assert_int_equal(get_log(h, NVME_LOG_CHANGED_NS, 0, 4096, false), 0);
	for (i = 0; i < sizeof(sorted) / sizeof(sorted[0]); i++)
		assert_int_equal(le32toh(changed[i]), sorted[i]);
}

static void V1_thresholds_on_the_wrong_side_are_an_event(void **state)
{
	static struct nvmf_req aer; /* held until the teardown */
	struct host *h = *state;

	assert_int_equal(get_log(h, NVME_LOG_SMART, 0, 512, true), 0);
	assert_int_equal(h->data[0], 0); /* by default nothing is too hot */
	assert_int_equal(send_aer(h, &aer, 1), NVMF_HOLD);
	assert_int_equal(feature(h, NVME_ADMIN_SET_FEATURES, 0x04, 200), 0);
	assert_int_equal(completed_count, 0);
	assert_int_equal(feature(h, NVME_ADMIN_SET_FEATURES, 0x0b, 1u << 1), 0);
	assert_int_equal(completed_count, 1);
	assert_int_equal(aer.dw0, 0x00020101);
	assert_int_equal(get_log(h, NVME_LOG_SMART, 0, 512, false), 0);
	assert_int_equal(h->data[0], 2);
	assert_int_equal(feature(h, NVME_ADMIN_SET_FEATURES, 0x04, 0xffff), 0);
	assert_int_equal(feature(h, NVME_ADMIN_SET_FEATURES, 0x04, 0x00100000 | 300), 0);
	assert_int_equal(send_aer(h, &aer, 2), NVMF_RESPOND);
	assert_int_equal(aer.dw0, 0x00020101); /* too cold */
}

static void V1_a_new_identity_is_an_event(void **state)
{
	static struct nvmf_req aer; /* held until the teardown */
	const uint8_t uuid[16] = {1};
	struct host *h = *state;
	struct nvmf_req got;

	h->subsys->ana = true;
	assert_int_equal(feature(h, NVME_ADMIN_SET_FEATURES, 0x0b, 1u << 8 | 1u << 11), 0);
	nvmf_ns_set_identity(h->ns, h->ns->uuid, 0); /* nothing new */
	assert_int_equal(send_aer(h, &aer, 1), NVMF_HOLD);
	nvmf_ns_set_identity(h->ns, uuid, 0);
	assert_int_equal(aer.dw0, 0x00040002);
	assert_int_equal(send_aer(h, &got, 2), NVMF_HOLD);
	nvmf_ns_set_identity(h->ns, uuid, 2); /* the first kind is masked */
	assert_int_equal(got.dw0, 0x000c0302);
	assert_int_equal(completed_count, 2);
	assert_memory_equal(h->ns->nguid, uuid, sizeof(uuid));
	assert_int_equal(h->ns->ana_group, 2);
}

static void V_disabled_events_are_not_sent(void **state)
{
	static struct nvmf_req aer; /* held until the teardown */
	struct host *h = *state;

	assert_int_equal(send_aer(h, &aer, 1), NVMF_HOLD);
	nvmf_ns_remove(h->ns);
	assert_int_equal(completed_count, 0);
}

static void G5_too_many_changes(void **state)
{
	struct host *h = *state;
	const le32_t *changed = (const void *)h->data;
	uint32_t i;

	for (i = 1; i <= 1024; i++)
		nvmf_event_ns_changed(h->admin.ctrlr, i);
	nvmf_event_ns_changed(h->admin.ctrlr, 1); /* is there */
	assert_int_equal(get_log(h, NVME_LOG_CHANGED_NS, 0, 4096, true), 0);
	assert_int_equal(le32toh(changed[1023]), 1024);
	nvmf_event_ns_changed(h->admin.ctrlr, 1025);
	nvmf_event_ns_changed(h->admin.ctrlr, 1026);
	assert_int_equal(get_log(h, NVME_LOG_CHANGED_NS, 0, 4096, false), 0);
	assert_int_equal(le32toh(changed[0]), NVME_NSID_ALL);
	assert_int_equal(changed[1], 0);
}

static void A6_too_many_event_requests(void **state)
{
	struct host *h = *state;
	struct nvmf_req aer[NVMF_AER_MAX + 1];
	unsigned int i;

	for (i = 0; i < NVMF_AER_MAX; i++)
		assert_int_equal(send_aer(h, &aer[i], (uint16_t)i), NVMF_HOLD);
	assert_int_equal(send_aer(h, &aer[i], 9), NVMF_RESPOND);
	assert_int_equal(aer[i].status, DNR(NVME_SC_AER_LIMIT));
	nvmf_queue_closed(&h->admin); /* forgets them */
	assert_int_equal(completed_count, 0);
}

static void P3_reset_drops_event_requests_silently(void **state)
{
	static struct nvmf_req aer; /* held until the teardown */
	struct host *h = *state;

	assert_int_equal(send_aer(h, &aer, 77), NVMF_HOLD);
	assert_int_equal(set_cc(h, 0), 0);
	assert_int_equal(completed_count, 0);
	assert_int_equal(forgotten_count, 1);
	assert_int_equal(set_cc(h, CC_ENABLE), 0);
	assert_int_equal(send_aer(h, &aer, 77), NVMF_HOLD);
}

static void V1_a_namespace_is_listed_once(void **state)
{
	struct host *h = *state;
	const le32_t *changed = (const void *)h->data;
	unsigned int i;

	for (i = 1; i <= 5; i++)
		nvmf_ns_resize(h->ns, 4096u * i);
	assert_int_equal(get_log(h, NVME_LOG_CHANGED_NS, 0, 4096, false), 0);
	assert_int_equal(le32toh(changed[0]), 1);
	assert_int_equal(changed[1], 0);
}

static void V4_ana_events_go_to_the_hosts_of_the_port(void **state)
{
	static struct nvmf_req aer; /* held until the teardown */
	struct nvmf_port *other;
	struct host *h = *state;

	h->subsys->ana = true;
	assert_int_equal(
		nvmf_port_add(h->target,
			      &(struct nvmf_port_attr){2, NVMF_TCP, NVMF_IPV4, "10.0.0.1", "4420"},
			      &other),
		DOCA_SUCCESS);
	assert_int_equal(feature(h, NVME_ADMIN_SET_FEATURES, 0x0b, 1u << 11), 0);
	assert_int_equal(send_aer(h, &aer, 1), NVMF_HOLD);
	assert_int_equal(nvmf_port_set_ana(h->target, other, 1, NVMF_ANA_NON_OPTIMIZED),
			 DOCA_SUCCESS);
	assert_int_equal(completed_count, 0);
	assert_int_equal(nvmf_port_set_ana(h->target, h->port, 1, NVMF_ANA_OPTIMIZED),
			 DOCA_SUCCESS); /* as it is */
	assert_int_equal(completed_count, 0);
	assert_int_equal(nvmf_port_set_ana(h->target, h->port, 1, NVMF_ANA_NON_OPTIMIZED),
			 DOCA_SUCCESS);
	assert_int_equal(completed_count, 1);
	assert_int_equal(aer.dw0, 0x000c0302);
}

static void V_kinds_do_not_mask_each_other(void **state)
{
	struct host *h = *state;
	struct nvmf_req aer[2];

	h->subsys->ana = true;
	assert_int_equal(feature(h, NVME_ADMIN_SET_FEATURES, 0x0b, 1u << 8 | 1u << 11), 0);
	nvmf_ns_resize(h->ns, 4096);
	assert_int_equal(nvmf_port_set_ana(h->target, h->port, 1, NVMF_ANA_INACCESSIBLE),
			 DOCA_SUCCESS);
	assert_int_equal(send_aer(h, &aer[0], 1), NVMF_RESPOND);
	assert_int_equal(send_aer(h, &aer[1], 2), NVMF_RESPOND);
	assert_int_equal(aer[0].dw0, 0x00040002);
	assert_int_equal(aer[1].dw0, 0x000c0302);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		CONNECTED_TEST(V1_V2_namespace_event_once_until_read),
		CONNECTED_TEST(V3_event_waits_for_a_request),
		CONNECTED_TEST(V1_thresholds_on_the_wrong_side_are_an_event),
		CONNECTED_TEST(V1_a_new_identity_is_an_event),
		CONNECTED_TEST(V_a_pending_event_may_be_turned_off),
		CONNECTED_TEST(G5_changes_are_in_rising_order),
		CONNECTED_TEST(V_disabled_events_are_not_sent),
		CONNECTED_TEST(G5_too_many_changes),
		CONNECTED_TEST(A6_too_many_event_requests),
		CONNECTED_TEST(P3_reset_drops_event_requests_silently),
		CONNECTED_TEST(V1_a_namespace_is_listed_once),
		CONNECTED_TEST(V4_ana_events_go_to_the_hosts_of_the_port),
		CONNECTED_TEST(V_kinds_do_not_mask_each_other),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
