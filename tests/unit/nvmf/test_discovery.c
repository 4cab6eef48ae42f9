/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The discovery log page, and the event about it.
 */
#include "host.h"

static void D3_D4_D6_discovery_log(void **state)
{
	struct host *h = *state;
	const struct nvme_discovery_header *header = (const void *)h->data;
	const struct nvme_discovery_entry *e = (const void *)(h->data + 1024);

	assert_int_equal(get_log(h, NVME_LOG_DISCOVERY, 0, 4096, true), 0);
	assert_int_equal(le64toh(header->genctr), h->target->genctr);
	assert_int_equal(le64toh(header->numrec), 1);
	assert_int_equal(header->recfmt, 0);
	assert_int_equal(e->trtype, 3);
	assert_int_equal(e->adrfam, 1);
	assert_int_equal(e->subtype, 2);
	assert_int_equal(le16toh(e->portid), 1);
	assert_int_equal(le16toh(e->cntlid), 0xffff);
	assert_true(le16toh(e->asqsz) >= 32);
	assert_memory_equal(e->trsvcid, "4420    ", 8);
	assert_memory_equal(e->traddr, "127.0.0.1   ", 12); /* never the wildcard */
	assert_string_equal(e->subnqn, SUBNQN);
}

static void D6_wildcards_of_the_other_family_are_left_out(void **state)
{
	struct host *h = *state;
	const struct nvme_discovery_header *header = (const void *)h->data;
	const struct nvme_discovery_entry *e = (const void *)(h->data + 1024);
	struct nvmf_port *any, *one;

	assert_int_equal(
		nvmf_port_add(h->target,
			      &(struct nvmf_port_attr){2, NVMF_TCP, NVMF_IPV6, "::", "4420"}, &any),
		DOCA_SUCCESS);
	assert_int_equal(
		nvmf_port_add(h->target,
			      &(struct nvmf_port_attr){3, NVMF_TCP, NVMF_IPV6, "fd00::1", "4420"},
			      &one),
		DOCA_SUCCESS);
	assert_int_equal(get_log(h, NVME_LOG_DISCOVERY, 0, 4096, true), 0);
	assert_int_equal(le64toh(header->numrec), 2);
	assert_int_equal(e[0].adrfam, 1);
	assert_memory_equal(e[0].traddr, "127.0.0.1 ", 10);
	assert_int_equal(e[1].adrfam, 2);
	assert_memory_equal(e[1].traddr, "fd00::1 ", 8);
}

static void D9_log_in_pieces_is_the_same(void **state)
{
	struct host *h = *state;
	uint8_t whole[2048], pieces[2048];
	uint32_t at;

	assert_int_equal(get_log(h, NVME_LOG_DISCOVERY, 0, sizeof(whole), true), 0);
	memcpy(whole, h->data, sizeof(whole));
	for (at = 0; at < sizeof(pieces); at += 64) {
		assert_int_equal(get_log(h, NVME_LOG_DISCOVERY, at, 64, true), 0);
		memcpy(pieces + at, h->data, 64);
	}
	assert_memory_equal(whole, pieces, sizeof(whole));
}

static void D7_D8_log_follows_what_the_host_may_see(void **state)
{
	struct host *h = *state;
	const struct nvme_discovery_header *header = (const void *)h->data;
	uint64_t before = h->target->genctr;

	h->subsys->allow_any_host = false;
	assert_int_equal(get_log(h, NVME_LOG_DISCOVERY, 0, 1024, true), 0);
	assert_int_equal(le64toh(header->numrec), 0);
	assert_int_equal(nvmf_subsys_allow_host(h->subsys, HOSTNQN), DOCA_SUCCESS);
	assert_int_equal(get_log(h, NVME_LOG_DISCOVERY, 0, 1024, true), 0);
	assert_int_equal(le64toh(header->numrec), 1);
	assert_true(le64toh(header->genctr) > before);
}

static void D12_discovery_change_event(void **state)
{
	struct nvmf_port *port;
	struct host *h = *state;
	struct nvmf_req aer;

	assert_int_equal(feature(h, NVME_ADMIN_SET_FEATURES, 0x0b, 1u << 31), 0);
	assert_int_equal(send_aer(h, &aer, 1), NVMF_HOLD);
	assert_int_equal(
		nvmf_port_add(h->target,
			      &(struct nvmf_port_attr){2, NVMF_TCP, NVMF_IPV4, "10.0.0.1", "4420"},
			      &port),
		DOCA_SUCCESS);
	assert_int_equal(completed_count, 1);
	assert_int_equal(aer.dw0, 0x0070f002);
}

static void D5_entries_of_rdma_ports(void **state)
{
	struct host *h = *state;
	const struct nvme_discovery_entry *e = (const void *)(h->data + 1024);
	struct nvmf_port *port;

	assert_int_equal(
		nvmf_port_add(h->target,
			      &(struct nvmf_port_attr){2, NVMF_RDMA, NVMF_IPV4, "10.0.0.1", "4420"},
			      &port),
		DOCA_SUCCESS);
	assert_int_equal(get_log(h, NVME_LOG_DISCOVERY, 0, 4096, true), 0);
	assert_int_equal(e[0].tsas[0], 0);
	assert_int_equal(e[1].trtype, 1);
	assert_memory_equal(e[1].tsas, "\1\1\1", 3); /* RC, any provider, RDMA_CM */
}

static void D12_once_until_the_log_is_read(void **state)
{
	static struct nvmf_req aer[2]; /* one is held until the teardown */
	struct host *h = *state;

	assert_int_equal(feature(h, NVME_ADMIN_SET_FEATURES, 0x0b, 1u << 31), 0);
	assert_int_equal(send_aer(h, &aer[0], 1), NVMF_HOLD);
	assert_int_equal(send_aer(h, &aer[1], 2), NVMF_HOLD);
	nvmf_discovery_changed(h->target);
	nvmf_discovery_changed(h->target);
	assert_int_equal(completed_count, 1);
	assert_int_equal(get_log(h, NVME_LOG_DISCOVERY, 0, 1024, false), 0);
	assert_int_equal(completed_count, 1); /* the log had the second one, too */
	nvmf_discovery_changed(h->target);
	assert_int_equal(completed_count, 2);
}

static void text_is_padded_and_cut(void **state)
{
	char field[6];

	(void)state;
	nvmf_put_text(field, sizeof(field), "ab");
	assert_memory_equal(field, "ab    ", 6);
	nvmf_put_text(field, sizeof(field), "abcdef");
	assert_memory_equal(field, "abcdef", 6);
	nvmf_put_text(field, sizeof(field), "abcdefgh");
	assert_memory_equal(field, "abcdef", 6);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		DISCOVERY_TEST(D3_D4_D6_discovery_log),
		DISCOVERY_TEST(D6_wildcards_of_the_other_family_are_left_out),
		DISCOVERY_TEST(D9_log_in_pieces_is_the_same),
		DISCOVERY_TEST(D7_D8_log_follows_what_the_host_may_see),
		DISCOVERY_TEST(D12_discovery_change_event),
		DISCOVERY_TEST(D5_entries_of_rdma_ports),
		DISCOVERY_TEST(D12_once_until_the_log_is_read),
		HOST_TEST(text_is_padded_and_cut),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
