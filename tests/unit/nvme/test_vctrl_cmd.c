/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The commands of the emulated controller, over every medium that keeps its bytes.
 */
#include "rig_media.h"

static void reads_what_was_written(void **state)
{
	static const uint32_t counts[] = {1, 2, 8, 9, 16, 17, 255, 256};
	struct rig *rig = *state;
	size_t i;

	for (i = 0; i < sizeof(counts) / sizeof(counts[0]); i++) {
		size_t size = counts[i] * RIG_BLOCK;

		rig_fill(rig, (uint8_t)i, size);
		assert_int_equal(rig_do(rig, NVME_CMD_WRITE, 100 + i, counts[i]), 0);
		memset(rig->data, 0, size);
		assert_int_equal(rig_do(rig, NVME_CMD_READ, 100 + i, counts[i]), 0);
		assert_true(rig_is_filled(rig, (uint8_t)i, size));
	}
}

static void data_may_start_inside_a_page(void **state)
{
	struct rig *rig = *state;
	struct nvme_cmd *cmd;
	size_t size = 256 * RIG_BLOCK;
	size_t i;

	rig_fill(rig, 9, size);
	assert_int_equal(rig_do(rig, NVME_CMD_WRITE, 0, 256), 0);
	memset(rig->data, 0, size + NVME_PAGE_SIZE);
	cmd = rig_prepare(rig, NVME_CMD_READ, 0, 256);
	rig_set_prps(rig, cmd, 1028, size);
	assert_int_equal(rig_one(rig), 0);
	assert_true(rig_is_zero(rig, 0, 1028));
	for (i = 0; i < size; i++)
		assert_int_equal(rig->data[1028 + i], (uint8_t)(9 + i * 7 + (i >> 9)));
	assert_true(rig_is_zero(rig, 1028 + size, NVME_PAGE_SIZE - 1028));
}

static void pages_may_lie_in_any_order(void **state)
{
	struct rig *rig = *state;
	size_t size = 32 * RIG_BLOCK, last = size - NVME_PAGE_SIZE, i;
	struct nvme_cmd *cmd;

	rig_fill(rig, 3, size);
	assert_int_equal(rig_do(rig, NVME_CMD_WRITE, 0, 32), 0);
	memset(rig->data, 0, size + NVME_PAGE_SIZE);
	cmd = rig_prepare(rig, NVME_CMD_READ, 0, 32);
	cmd->prp1 = htole64((uint64_t)(uintptr_t)rig->data + last);
	for (i = 0; i < 3; i++)
		rig->list[i] = htole64((uint64_t)(uintptr_t)rig->data + (2 - i) * NVME_PAGE_SIZE);
	assert_int_equal(rig_one(rig), 0);
	for (i = 0; i < size; i++) {
		size_t page = i & ~(size_t)(NVME_PAGE_SIZE - 1);

		assert_int_equal(rig->data[last - page + (i - page)],
				 (uint8_t)(3 + i * 7 + (i >> 9)));
	}
	assert_true(rig_is_zero(rig, size, NVME_PAGE_SIZE));
}

static void a_prp_list_may_continue_on_another_page(void **state)
{
	struct rig *rig = *state;
	size_t size = 64 * RIG_BLOCK; /* 8 pages: 7 in lists */
	uint64_t *tail = rig->list + NVME_PAGE_SIZE / 8 - 3, *rest = rig->list + NVME_PAGE_SIZE / 8;
	struct nvme_cmd *cmd;
	unsigned int i;

	rig_fill(rig, 5, size);
	assert_int_equal(rig_do(rig, NVME_CMD_WRITE, 0, 64), 0);
	memset(rig->data, 0, size);
	cmd = rig_prepare(rig, NVME_CMD_READ, 0, 64);
	for (i = 0; i < 7; i++) {
		uint64_t page = htole64((uint64_t)(uintptr_t)rig->data + (i + 1) * NVME_PAGE_SIZE);

		if (i < 2)
			tail[i] = page;
		else
			rest[i - 2] = page;
	}
	tail[2] = htole64((uint64_t)(uintptr_t)rest);
	cmd->prp2 = htole64((uint64_t)(uintptr_t)tail);
	assert_int_equal(rig_one(rig), 0);
	assert_true(rig_is_filled(rig, 5, size));
}

static void fua_and_flush_succeed(void **state)
{
	struct rig *rig = *state;
	struct nvme_cmd *cmd;

	rig_fill(rig, 1, 4096);
	cmd = rig_prepare(rig, NVME_CMD_WRITE, 8, 8);
	cmd->cdw12 |= htole32(NVME_RW_FUA);
	assert_int_equal(rig_one(rig), 0);
	assert_int_equal(rig_do(rig, NVME_CMD_FLUSH, 0, 1), 0);
}

static void write_zeroes_clears_exactly_its_range(void **state)
{
	static const uint32_t flags[] = {0, NVME_RW_FUA, NVME_WZ_DEAC, NVME_RW_FUA | NVME_WZ_DEAC};
	struct rig *rig = *state;
	size_t i;

	for (i = 0; i < sizeof(flags) / sizeof(flags[0]); i++) {
		struct nvme_cmd *cmd;

		memset(rig->data, 0xee, RIG_MAX);
		assert_int_equal(rig_do(rig, NVME_CMD_WRITE, 0, 256), 0);
		cmd = rig_prepare(rig, NVME_CMD_WRITE_ZEROES, 3, 100);
		cmd->cdw12 |= htole32(flags[i]);
		assert_int_equal(rig_one(rig), 0);
		assert_int_equal(rig_do(rig, NVME_CMD_READ, 0, 256), 0);
		assert_true(rig_is_zero(rig, 3 * RIG_BLOCK, 100 * RIG_BLOCK));
		assert_int_equal(rig->data[3 * RIG_BLOCK - 1], 0xee);
		assert_int_equal(rig->data[103 * RIG_BLOCK], 0xee);
	}
}

static void compare_finds_a_difference(void **state)
{
	struct rig *rig = *state;

	rig_fill(rig, 4, 32 * RIG_BLOCK);
	assert_int_equal(rig_do(rig, NVME_CMD_WRITE, 40, 32), 0);
	assert_int_equal(rig_do(rig, NVME_CMD_COMPARE, 40, 32), 0);
	rig->data[31 * RIG_BLOCK + 17] ^= 1;
	assert_int_equal(rig_do(rig, NVME_CMD_COMPARE, 40, 32), DNR(NVME_SC_COMPARE_FAILURE));
	assert_int_equal(rig_do(rig, NVME_CMD_COMPARE, 40, 31), 0);
}

/* which are no neighbours here */
static void compare_follows_the_pages(void **state)
{
	static const uint8_t opcodes[] = {NVME_CMD_WRITE, NVME_CMD_COMPARE};
	const uint32_t blocks = 2 * NVME_PAGE_SIZE / RIG_BLOCK;
	struct rig *rig = *state;

	memset(rig->data, 1, NVME_PAGE_SIZE);
	memset(rig->data + NVME_PAGE_SIZE, 2, NVME_PAGE_SIZE);
	for (size_t i = 0; i < ARRAY_SIZE(opcodes); i++) {
		struct nvme_cmd *cmd = rig_prepare(rig, opcodes[i], 40, blocks);
		le64_t first = cmd->prp1;

		cmd->prp1 = cmd->prp2;
		cmd->prp2 = first;
		assert_int_equal(rig_one(rig), 0);
	}
	assert_int_equal(rig_do(rig, NVME_CMD_COMPARE, 40, blocks), DNR(NVME_SC_COMPARE_FAILURE));
}

static void many_compares_take_turns(void **state)
{
	struct rig *rig = *state;
	unsigned int i;

	rig_fill(rig, 4, 8 * RIG_BLOCK);
	assert_int_equal(rig_do(rig, NVME_CMD_WRITE, 0, 8), 0);
	for (i = 0; i < RIG_ENTRIES - 1; i++)
		rig_prepare(rig, NVME_CMD_COMPARE, 0, 8);
	rig_run(rig, RIG_ENTRIES - 1);
	assert_int_equal(nvme_cqe_status(&rig->last), 0);
}

/* it finds what cannot be read, and there is nothing to be transferred */
static void verify_reads_its_range(void **state)
{
	struct rig *rig = *state;
	struct nvme_cmd *cmd;

	assert_int_equal(rig_do(rig, NVME_CMD_VERIFY, 8, RIG_MAX / RIG_BLOCK), 0);
	assert_int_equal(rig_do(rig, NVME_CMD_VERIFY, 8, RIG_MAX / RIG_BLOCK + 1),
			 DNR(NVME_SC_INVALID_FIELD));
	cmd = rig_prepare(rig, NVME_CMD_VERIFY, 8, 8);
	cmd->prp1 = htole64(1);
	cmd->cdw12 |= htole32(NVME_RW_FUA);
	assert_int_equal(rig_one(rig), 0);
	if (rig_path[0]) {
		assert_int_equal(truncate(rig_path, 12 * RIG_BLOCK), 0);
		assert_int_equal(rig_do(rig, NVME_CMD_VERIFY, 8, 4), 0);
		assert_int_equal(rig_do(rig, NVME_CMD_VERIFY, 8, 5), NVME_SC_READ_ERROR);
	}
}

static void ranges_beyond_the_end_are_refused(void **state)
{
	static const uint8_t opcodes[] = {NVME_CMD_READ, NVME_CMD_WRITE, NVME_CMD_COMPARE,
					  NVME_CMD_WRITE_ZEROES, NVME_CMD_VERIFY};
	struct rig *rig = *state;
	size_t i;

	for (i = 0; i < sizeof(opcodes); i++) {
		assert_int_equal(rig_do(rig, opcodes[i], RIG_BLOCKS, 1), DNR(NVME_SC_LBA_RANGE));
		assert_int_equal(rig_do(rig, opcodes[i], RIG_BLOCKS - 1, 2),
				 DNR(NVME_SC_LBA_RANGE));
		assert_int_equal(rig_do(rig, opcodes[i], UINT64_MAX, 2), DNR(NVME_SC_LBA_RANGE));
		assert_int_equal(rig_do(rig, opcodes[i], 1ull << 55, 1), DNR(NVME_SC_LBA_RANGE));
	}
	assert_int_equal(rig_do(rig, NVME_CMD_READ, RIG_BLOCKS - 1, 1), 0);
}

static void bad_commands_get_the_specified_status(void **state)
{
	static const struct {
		uint8_t opcode, flags;
		uint32_t nsid, cdw12;
		uint16_t status;
	} rows[] = {
		{0x04, 0, 1, 0, DNR(NVME_SC_INVALID_OPCODE)},
		{0x7f, 0, 1, 0, DNR(NVME_SC_INVALID_OPCODE)},
		{0xff, 0, 1, 0, DNR(NVME_SC_INVALID_OPCODE)},
		{NVME_CMD_READ, NVME_FLAG_FUSED_MASK, 1, 0, DNR(NVME_SC_INVALID_FIELD)},
		{NVME_CMD_READ, NVME_FLAG_PSDT_SGL, 1, 0, DNR(NVME_SC_INVALID_FIELD)},
		{NVME_CMD_READ, 0, 0, 0, DNR(NVME_SC_INVALID_NS)},
		{NVME_CMD_READ, 0, 2, 0, DNR(NVME_SC_INVALID_NS)},
		{NVME_CMD_FLUSH, 0, NVME_NSID_ALL, 0, DNR(NVME_SC_INVALID_NS)},
		{NVME_CMD_READ, 0, 1, 256, DNR(NVME_SC_INVALID_FIELD)},
		{NVME_CMD_READ, 0, 1, NVME_RW_PRACT, DNR(NVME_SC_INVALID_FIELD)},
		{NVME_CMD_VERIFY, 0, 1, NVME_RW_PRACT, DNR(NVME_SC_INVALID_FIELD)},
		{NVME_CMD_COPY, 0, 1, 1u << 8, DNR(NVME_SC_INVALID_FIELD)},  /* another format */
		{NVME_CMD_COPY, 0, 1, 1u << 15, DNR(NVME_SC_INVALID_FIELD)}, /* protection */
		{NVME_CMD_COPY, 0, 1, 1u << 29, DNR(NVME_SC_INVALID_FIELD)},
	};
	struct rig *rig = *state;
	size_t i;

	for (i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct nvme_cmd *cmd = rig_prepare(rig, rows[i].opcode, 0, 1);

		cmd->flags = rows[i].flags;
		cmd->nsid = htole32(rows[i].nsid);
		cmd->cdw12 = htole32(rows[i].cdw12);
		assert_int_equal(rig_one(rig), rows[i].status);
	}
}

static void bad_prps_are_refused(void **state)
{
	struct rig *rig = *state;
	struct nvme_cmd *cmd;

	cmd = rig_prepare(rig, NVME_CMD_READ, 0, 16);
	cmd->prp1 = htole64(le64toh(cmd->prp1) + 1);
	assert_int_equal(rig_one(rig), DNR(NVME_SC_PRP_OFFSET));
	cmd = rig_prepare(rig, NVME_CMD_READ, 0, 16);
	cmd->prp2 = htole64(le64toh(cmd->prp2) + 8);
	assert_int_equal(rig_one(rig), DNR(NVME_SC_PRP_OFFSET));
	cmd = rig_prepare(rig, NVME_CMD_READ, 0, 64);
	rig->list[3] = htole64(le64toh(rig->list[3]) + 4);
	assert_int_equal(rig_one(rig), DNR(NVME_SC_PRP_OFFSET));
	cmd = rig_prepare(rig, NVME_CMD_READ, 0, 64);
	cmd->prp2 = htole64(le64toh(cmd->prp2) + 4);
	assert_int_equal(rig_one(rig), DNR(NVME_SC_PRP_OFFSET));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		OVER(reads_what_was_written),
		OVER(data_may_start_inside_a_page),
		OVER(pages_may_lie_in_any_order),
		OVER(a_prp_list_may_continue_on_another_page),
		OVER(fua_and_flush_succeed),
		OVER(write_zeroes_clears_exactly_its_range),
		OVER(compare_finds_a_difference),
		OVER(compare_follows_the_pages),
		OVER(many_compares_take_turns),
		OVER(verify_reads_its_range),
		OVER(ranges_beyond_the_end_are_refused),
		OVER(bad_commands_get_the_specified_status),
		OVER(bad_prps_are_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
