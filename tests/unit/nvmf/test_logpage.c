/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Get Log Page.
 */
#include "host.h"

#define GROUPS_ONLY (1u << 8)

static void G_log_pages(void **state)
{
	struct host *h = *state;

	assert_int_equal(get_log(h, NVME_LOG_ERROR, 0, 64, false), 0);
	assert_int_equal(get_log(h, NVME_LOG_SMART, 0, 512, false), 0);
	assert_int_equal(h->data[3], 100);
	assert_int_equal(get_log(h, NVME_LOG_FIRMWARE, 0, 512, false), 0);
	assert_int_equal(h->data[0], 1);
	assert_memory_equal(h->data + 8, "3.3.0   ", 8);
	assert_int_equal(get_log(h, NVME_LOG_EFFECTS, 0, 4096, false), 0);
	assert_int_equal(h->data[4 * NVME_ADMIN_IDENTIFY], 1);
	assert_int_equal(h->data[1024 + 4 * NVME_CMD_WRITE], 3);
	assert_int_equal(h->data[1024 + 4 * NVME_CMD_VERIFY], 1);
	assert_int_equal(h->data[1024 + 4 * NVME_CMD_COPY], 3);
	assert_int_equal(h->data[1024 + 4 * 0x04], 0);
	assert_int_equal(get_log(h, 0xb9, 0, 512, false), DNR(NVME_SC_INVALID_LOG_PAGE)); /* G10 */
	assert_int_equal(get_log(h, NVME_LOG_ANA, 0, 512, false), DNR(NVME_SC_INVALID_LOG_PAGE));
	assert_int_equal(get_log(h, NVME_LOG_DISCOVERY, 0, 512, false),
			 DNR(NVME_SC_INVALID_LOG_PAGE));
	assert_int_equal(get_log(h, NVME_LOG_SMART, 2, 512, false), DNR(NVME_SC_INVALID_FIELD));
	assert_int_equal(get_log(h, NVME_LOG_SMART, 516, 512, false), DNR(NVME_SC_INVALID_FIELD));
	memset(h->data, 0xee, 1024); /* G11: beyond the end: zeros */
	assert_int_equal(get_log(h, NVME_LOG_SMART, 256, 1024, false), 0);
	assert_int_equal(h->data[1000], 0);
}

static void G3_smart_of_one_namespace(void **state)
{
	struct host *h = *state;

	new_cmd(h, NVME_ADMIN_GET_LOG_PAGE);
	h->req.cmd.nsid = htole32(1);
	h->req.cmd.cdw10 = htole32(NVME_LOG_SMART | 127u << 16);
	h->req.size = 512;
	assert_int_equal(run(h, &h->admin), DNR(NVME_SC_INVALID_FIELD));
}

static void G7_ana_log(void **state)
{
	struct host *h = *state;
	const struct nvme_ana_header *header = (const void *)h->data;
	const struct nvme_ana_group *group = (const void *)(h->data + sizeof(*header));

	h->subsys->ana = true;
	assert_int_equal(nvmf_port_set_ana(h->target, h->port, 1, NVMF_ANA_INACCESSIBLE),
			 DOCA_SUCCESS);
	assert_int_equal(get_log(h, NVME_LOG_ANA, 0, 4096, true), 0);
	assert_int_equal(le64toh(header->chgcnt), 2); /* the namespace, and the state */
	assert_int_equal(le16toh(header->ngrps), NVMF_ANA_GROUPS);
	assert_int_equal(le32toh(group->grpid), 1);
	assert_int_equal(le32toh(group->nnsids), 1);
	assert_int_equal(group->state, 3);
	assert_int_equal(h->data[16 + 32], 1); /* the namespace */
}

/* hosts that read in pieces compare it */
static void G7_the_ana_log_counts_what_changes_in_it(void **state)
{
	struct host *h = *state;
	const struct nvme_ana_header *header = (const void *)h->data;
	const struct nvme_ana_group *groups = (const void *)(h->data + sizeof(*header));

	h->subsys->ana = true;
	assert_int_equal(get_log(h, NVME_LOG_ANA | GROUPS_ONLY, 0, 4096, true), 0);
	assert_int_equal(le64toh(header->chgcnt), 1);
	nvmf_ns_set_identity(h->ns, h->ns->uuid, 2);
	assert_int_equal(get_log(h, NVME_LOG_ANA | GROUPS_ONLY, 0, 4096, true), 0);
	assert_int_equal(le64toh(header->chgcnt), 3);
	assert_int_equal(le64toh(groups[0].chgcnt), 2); /* it came and went */
	assert_int_equal(le64toh(groups[1].chgcnt), 1);
	add_ns(h, 7);
	assert_int_equal(get_log(h, NVME_LOG_ANA | GROUPS_ONLY, 0, 4096, true), 0);
	assert_int_equal(le64toh(header->chgcnt), 4);
	nvmf_ns_remove(nvmf_ns_find(h->subsys, 7));
	assert_int_equal(get_log(h, NVME_LOG_ANA | GROUPS_ONLY, 0, 4096, true), 0);
	assert_int_equal(le64toh(header->chgcnt), 5);
	assert_int_equal(le64toh(groups[0].chgcnt), 4);
}

/* nvme-cli reads as much as Identify says that there could be, 4 KiB at a time */
static void H4_the_ana_log_is_as_long_as_identify_says(void **state)
{
	const uint32_t size = 16 + 32 * NVMF_ANA_GROUPS + 4 * NVMF_NSID_MAX;
	struct host *h = *state;

	h->subsys->ana = true;
	memset(h->data, 0xee, sizeof(h->data));
	assert_int_equal(get_log(h, NVME_LOG_ANA, 4096, size - 4096, true), 0);
	assert_int_equal(h->data[0] | h->data[size - 4096 - 1], 0);
	assert_int_equal(get_log(h, NVME_LOG_ANA, size + 4, 64, true), DNR(NVME_SC_INVALID_FIELD));
	assert_int_equal(get_log(h, NVME_LOG_ANA | GROUPS_ONLY, 4096, size - 4096, true), 0);
}

static void G11_windows_keep_what_is_inside(void **state)
{
	static const uint8_t first[] = {1, 2, 3, 4}, second[] = {5, 6, 7, 8};
	uint8_t out[6];
	uint32_t offset, size;

	(void)state;
	for (offset = 0; offset <= 8; offset++) {
		for (size = 0; size <= 4; size++) {
			struct nvmf_window w = {.data = out + 1, .offset = offset, .size = size};
			uint32_t i;

			memset(out, 0, sizeof(out));
			nvmf_window_put(&w, first, sizeof(first));
			nvmf_window_put(&w, second, sizeof(second));
			assert_int_equal(w.at, 8);
			for (i = 0; i < 4; i++)
				assert_int_equal(out[1 + i],
						 i < size && offset + i < 8 ? offset + i + 1 : 0);
			assert_int_equal(out[0] | out[5], 0);
		}
	}
}

static void G7_groups_without_their_namespaces(void **state)
{
	struct host *h = *state;
	const struct nvme_ana_group *groups = (const void *)(h->data + 16);
	uint32_t i;

	h->subsys->ana = true;
	assert_int_equal(get_log(h, NVME_LOG_ANA | GROUPS_ONLY, 0, 4096, true), 0);
	for (i = 0; i < NVMF_ANA_GROUPS; i++) {
		assert_int_equal(le32toh(groups[i].grpid), i + 1);
		assert_int_equal(groups[i].nnsids, 0);
		assert_int_equal(groups[i].state, NVMF_ANA_OPTIMIZED);
	}
}

/* what is transferred is what the descriptor says: TCP 3.6 leaves no other end of the data */
static void A1_room_for_less_or_more_than_is_asked_for(void **state)
{
	static const struct {
		uint32_t cdw10, cdw11, size;
	} rows[] = {
		{NVME_LOG_CHANGED_NS | 0xffffu << 16, 0xffff, 100}, /* 16 GiB are asked for */
		{NVME_LOG_CHANGED_NS | 1023u << 16, 0, 4092},
		{NVME_LOG_CHANGED_NS | 1023u << 16, 0, 0},
		{NVME_LOG_CHANGED_NS, 0, 4096},
		{NVME_LOG_CHANGED_NS | 1022u << 16, 0, 4096},
	};
	struct host *h = *state;
	size_t i;

	add_ns(h, 2);
	for (i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		memset(h->data, 0xee, sizeof(h->data));
		new_cmd(h, NVME_ADMIN_GET_LOG_PAGE);
		h->req.cmd.cdw10 = htole32(rows[i].cdw10);
		h->req.cmd.cdw11 = htole32(rows[i].cdw11);
		h->req.size = rows[i].size;
		assert_int_equal(run(h, &h->admin), DNR(NVME_SC_SGL_DATA_LENGTH));
		assert_int_equal(h->req.reply_size, 0);
		assert_int_equal(h->data[0], 0xee);
	}
	/* and the page has not been read by that */
	assert_int_equal(get_log(h, NVME_LOG_CHANGED_NS, 0, 4096, false), 0);
	assert_int_equal(h->data[0], 2);
}

static void G11_offsets_of_64_bits(void **state)
{
	static const uint64_t beyond[] = {4100, 1ull << 32, UINT64_MAX - 3};
	struct host *h = *state;
	size_t i;

	assert_int_equal(get_log(h, NVME_LOG_EFFECTS, 4096, 64, false), 0); /* its very end */
	for (i = 0; i < sizeof(beyond) / sizeof(beyond[0]); i++)
		assert_int_equal(get_log(h, NVME_LOG_EFFECTS, beyond[i], 64, false),
				 DNR(NVME_SC_INVALID_FIELD));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		CONNECTED_TEST(G_log_pages),
		CONNECTED_TEST(G3_smart_of_one_namespace),
		CONNECTED_TEST(G7_ana_log),
		CONNECTED_TEST(G7_the_ana_log_counts_what_changes_in_it),
		CONNECTED_TEST(H4_the_ana_log_is_as_long_as_identify_says),
		CONNECTED_TEST(G11_windows_keep_what_is_inside),
		CONNECTED_TEST(G7_groups_without_their_namespaces),
		CONNECTED_TEST(A1_room_for_less_or_more_than_is_asked_for),
		CONNECTED_TEST(G11_offsets_of_64_bits),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
