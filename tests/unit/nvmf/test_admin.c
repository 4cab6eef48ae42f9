/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Admin commands without a file of their own: features, opcodes. Names start with the row of
 * the checklist.
 */
#include "host.h"

static void A8_A12_opcodes_that_do_not_exist_here(void **state)
{
	static const uint8_t opcodes[] = {0x00, 0x01, 0x04, 0x05, 0x0d, 0x10, 0x11,
					  0x14, 0x15, 0x19, 0x1a, 0x1c, 0x21, 0x7c,
					  0x80, 0x81, 0x82, 0x84, 0x7e, 0xc0, 0xff};
	struct host *h = *state;
	size_t i;

	for (i = 0; i < sizeof(opcodes); i++) {
		new_cmd(h, opcodes[i]);
		assert_int_equal(run(h, &h->admin), DNR(NVME_SC_INVALID_OPCODE));
	}
}

static void E1_number_of_queues(void **state)
{
	struct host *h = *state;

	assert_int_equal(feature(h, NVME_ADMIN_SET_FEATURES, 7, 0x00030001), 0);
	assert_int_equal(h->req.dw0, 0x00010001);
	assert_int_equal(h->admin.ctrlr->io_queues, 2);
	assert_int_equal(feature(h, NVME_ADMIN_SET_FEATURES, 7, 0x007f007f), 0);
	assert_int_equal(h->req.dw0, 0x00070007);
	assert_int_equal(feature(h, NVME_ADMIN_SET_FEATURES, 7, 0x0001ffff),
			 DNR(NVME_SC_INVALID_FIELD));
	assert_int_equal(connect_io_queue(h, &h->io, 1), 0);
	assert_int_equal(feature(h, NVME_ADMIN_SET_FEATURES, 7, 0x00010001),
			 DNR(NVME_SC_SEQUENCE_ERROR));
	assert_int_equal(feature(h, NVME_ADMIN_GET_FEATURES, 7, 0), 0);
	assert_int_equal(h->req.dw0, 0x00070007);
}

static void E3_keep_alive_timer(void **state)
{
	struct host *h = *state;

	assert_int_equal(feature(h, NVME_ADMIN_GET_FEATURES, 0x0f, 0), 0);
	assert_int_equal(h->req.dw0, 5000);
	assert_int_equal(feature(h, NVME_ADMIN_SET_FEATURES, 0x0f, 1001), 0);
	assert_int_equal(feature(h, NVME_ADMIN_GET_FEATURES, 0x0f, 0), 0);
	assert_int_equal(h->req.dw0, 2000);
	assert_int_equal(feature(h, NVME_ADMIN_SET_FEATURES, 0x0f, UINT32_MAX), 0);
	assert_int_equal(feature(h, NVME_ADMIN_SET_FEATURES, 0x0f, 0), DNR(NVME_SC_KATO_INVALID));
}

static void E_other_features(void **state)
{
	static const uint8_t missing[] = {0x00, 0x03, 0x08, 0x09, 0x0c, 0x0d, 0xb9, 0xff};
	struct host *h = *state;
	size_t i;

	for (i = 0; i < sizeof(missing); i++) { /* E7, E13 */
		assert_int_equal(feature(h, NVME_ADMIN_GET_FEATURES, missing[i], 0),
				 DNR(NVME_SC_INVALID_FIELD));
		assert_int_equal(feature(h, NVME_ADMIN_SET_FEATURES, missing[i], 0),
				 DNR(NVME_SC_INVALID_FIELD));
	}
	assert_int_equal(feature(h, NVME_ADMIN_SET_FEATURES, 1u << 31 | 7, 0),
			 DNR(NVME_SC_FEATURE_NOT_SAVEABLE)); /* A4 */
	assert_int_equal(feature(h, NVME_ADMIN_GET_FEATURES, 6, 0), 0);
	assert_int_equal(h->req.dw0, 1); /* E5 */
	assert_int_equal(feature(h, NVME_ADMIN_SET_FEATURES, 6, 0),
			 DNR(NVME_SC_FEATURE_NOT_CHANGEABLE));
	assert_int_equal(feature(h, NVME_ADMIN_SET_FEATURES, 0x81, 1),
			 DNR(NVME_SC_SEQUENCE_ERROR)); /* E10 */
	assert_int_equal(feature(h, NVME_ADMIN_GET_FEATURES, 0x81, 1), 0);
	assert_int_equal(h->data[0], 0x42);
	assert_int_equal(h->req.reply_size, 16);
	assert_int_equal(feature(h, NVME_ADMIN_GET_FEATURES, 0x381, 1), 0);
	assert_int_equal(h->req.dw0, 0); /* cannot be changed */
	assert_int_equal(feature(h, NVME_ADMIN_GET_FEATURES, 0x305, 0), 0);
	assert_int_equal(h->req.dw0, 6);
}

static uint16_t feature_of(struct host *h, uint8_t opcode, uint8_t fid, uint32_t nsid)
{
	new_cmd(h, opcode);
	h->req.cmd.nsid = htole32(nsid);
	h->req.cmd.cdw10 = htole32(fid);
	h->req.cmd.cdw11 = htole32(fid == 0x0f);
	return run(h, &h->admin);
}

static void E_features_of_namespaces_and_others(void **state)
{
	static const uint8_t others[] = {0x01, 0x02, 0x04, 0x0a, 0x0b, 0x0f};
	const uint32_t beyond = NVMF_NSID_MAX + 1;
	struct host *h = *state;
	size_t i;

	for (i = 0; i < sizeof(others); i++) {
		assert_int_equal(feature_of(h, NVME_ADMIN_SET_FEATURES, others[i], NVME_NSID_ALL),
				 0);
		assert_int_equal(feature_of(h, NVME_ADMIN_SET_FEATURES, others[i], 1),
				 DNR(NVME_SC_FEATURE_NOT_NS_SPECIFIC));
		assert_int_equal(feature_of(h, NVME_ADMIN_SET_FEATURES, others[i], beyond),
				 DNR(NVME_SC_INVALID_NS));
		assert_int_equal(feature_of(h, NVME_ADMIN_GET_FEATURES, others[i], 1), 0);
	}
	for (i = NVME_ADMIN_SET_FEATURES; i <= NVME_ADMIN_GET_FEATURES; i++) {
		assert_int_equal(feature_of(h, (uint8_t)i, 0x05, 1), 0);
		assert_int_equal(feature_of(h, (uint8_t)i, 0x05, 99), DNR(NVME_SC_INVALID_FIELD));
		assert_int_equal(feature_of(h, (uint8_t)i, 0x05, beyond), DNR(NVME_SC_INVALID_NS));
	}
}

static void E5_no_feature_of_a_cache_that_is_not_there(void **state)
{
	struct host *h = *state;
	uint32_t select;

	h->ns->write_cache = false; /* and with that Identify says that there is none */
	for (select = 0; select <= 3; select++)
		assert_int_equal(feature(h, NVME_ADMIN_GET_FEATURES, 6 | select << 8, 0),
				 DNR(NVME_SC_INVALID_FIELD));
	assert_int_equal(feature(h, NVME_ADMIN_SET_FEATURES, 6, 1), DNR(NVME_SC_INVALID_FIELD));
}

static void A5_defaults_stay(void **state)
{
	static const struct {
		uint8_t fid;
		uint32_t value, by_default;
	} rows[] = {
		{0x07, 0x00030003, 0x00070007},
		{0x0b, 0x100, 0},
		{0x0f, 7000, 120000},
	};
	struct host *h = *state;
	size_t i;

	for (i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		uint8_t fid = rows[i].fid;
		uint32_t select;

		assert_int_equal(feature(h, NVME_ADMIN_SET_FEATURES, fid, rows[i].value), 0);
		for (select = 0; select < 3; select++) { /* current, default, saved */
			assert_int_equal(feature(h, NVME_ADMIN_GET_FEATURES, fid | select << 8, 0),
					 0);
			assert_int_equal(h->req.dw0, select ? rows[i].by_default : rows[i].value);
		}
	}
}

static void E4_features_read_back(void **state)
{
	static const struct {
		uint8_t fid;
		uint32_t value;
		uint16_t status;
	} rows[] = {
		{0x01, 0x01020304, 0}, /* arbitration */
		{0x02, 0x20, 0},       /* power state 0 */
		{0x02, 0x01, DNR(NVME_SC_INVALID_FIELD)},
		{0x04, 0x00000150, 0},				/* over 63 degrees */
		{0x04, 0x00100110, 0},				/* under */
		{0x04, 0x00010150, DNR(NVME_SC_INVALID_FIELD)}, /* another sensor */
		{0x04, 0x00200150, DNR(NVME_SC_INVALID_FIELD)},
		{0x05, 100, 0},
		{0x05, 0x00010064, DNR(NVME_SC_INVALID_FIELD)}, /* DULBE: NSFEAT says no */
		{0x0a, 1, 0},
	};
	struct host *h = *state;
	size_t i;

	for (i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		uint8_t fid = rows[i].fid;

		assert_int_equal(feature(h, NVME_ADMIN_SET_FEATURES, fid, rows[i].value),
				 rows[i].status);
		if (rows[i].status)
			continue;
		assert_int_equal(feature(h, NVME_ADMIN_GET_FEATURES, fid, rows[i].value), 0);
		assert_int_equal(h->req.dw0, fid == 4 ? rows[i].value & 0xffff : rows[i].value);
		assert_int_equal(feature(h, NVME_ADMIN_GET_FEATURES, fid | 1u << 8, 0), 0);
		assert_int_equal(h->req.dw0, fid == 4 ? NVMF_WARNING_KELVIN : 0); /* its default */
	}
	assert_int_equal(set_cc(h, 0), 0);
	assert_int_equal(set_cc(h, CC_ENABLE), 0);
	assert_int_equal(feature(h, NVME_ADMIN_GET_FEATURES, 5, 0), 0);
	assert_int_equal(h->req.dw0, 0);
}

static void E4_error_recovery_is_of_a_namespace(void **state)
{
	struct host *h = *state;
	uint32_t nsid;

	add_ns(h, 2);
	new_cmd(h, NVME_ADMIN_SET_FEATURES);
	h->req.cmd.nsid = htole32(2);
	h->req.cmd.cdw10 = htole32(5);
	h->req.cmd.cdw11 = htole32(9);
	assert_int_equal(run(h, &h->admin), 0);
	for (nsid = 0; nsid <= 2; nsid++) {
		new_cmd(h, NVME_ADMIN_GET_FEATURES);
		h->req.cmd.nsid = htole32(nsid);
		h->req.cmd.cdw10 = htole32(5);
		assert_int_equal(run(h, &h->admin), 0);
		assert_int_equal(h->req.dw0, nsid == 2 ? 9 : 0);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		CONNECTED_TEST(A8_A12_opcodes_that_do_not_exist_here),
		CONNECTED_TEST(E1_number_of_queues),
		CONNECTED_TEST(E3_keep_alive_timer),
		CONNECTED_TEST(E_features_of_namespaces_and_others),
		CONNECTED_TEST(E5_no_feature_of_a_cache_that_is_not_there),
		CONNECTED_TEST(A5_defaults_stay),
		CONNECTED_TEST(E4_features_read_back),
		CONNECTED_TEST(E4_error_recovery_is_of_a_namespace),
		CONNECTED_TEST(E_other_features),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
