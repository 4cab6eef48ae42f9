/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Commands with lists of ranges, over every medium that keeps its bytes.
 */
#include "rig_media.h"

static struct nvme_cmd *prepare_dsm(struct rig *rig, const struct nvme_dsm_range *ranges,
				    uint32_t count)
{
	struct nvme_cmd *cmd = rig_prepare(rig, NVME_CMD_DSM, 0, 8);

	memcpy(rig->data, ranges, count * sizeof(*ranges));
	cmd->cdw10 = htole32(count - 1);
	cmd->cdw11 = htole32(NVME_DSM_AD);
	return cmd;
}

static void dsm_deallocates_its_ranges(void **state)
{
	static const struct nvme_dsm_range ranges[] = {
		{.slba = 8, .nlb = 8}, {.slba = 1, .nlb = 0}, {.slba = 32, .nlb = 16}};
	struct rig *rig = *state;

	memset(rig->data, 0xee, 64 * RIG_BLOCK);
	assert_int_equal(rig_do(rig, NVME_CMD_WRITE, 0, 64), 0);
	prepare_dsm(rig, ranges, 3);
	assert_int_equal(rig_one(rig), 0);
	assert_int_equal(rig_do(rig, NVME_CMD_READ, 0, 64), 0);
	assert_true(rig_is_zero(rig, 8 * RIG_BLOCK, 8 * RIG_BLOCK));
	assert_true(rig_is_zero(rig, 32 * RIG_BLOCK, 16 * RIG_BLOCK));
	assert_int_equal(rig->data[0], 0xee);
	assert_int_equal(rig->data[16 * RIG_BLOCK], 0xee);
}

static void dsm_takes_256_ranges(void **state)
{
	static struct nvme_dsm_range ranges[NVME_DSM_RANGES_MAX];
	struct rig *rig = *state;
	unsigned int i;

	for (i = 0; i < NVME_DSM_RANGES_MAX; i++)
		ranges[i] = (struct nvme_dsm_range){.slba = i * 8, .nlb = 1};
	prepare_dsm(rig, ranges, NVME_DSM_RANGES_MAX);
	assert_int_equal(rig_one(rig), 0);
}

static void dsm_checks_every_range_first(void **state)
{
	static const struct nvme_dsm_range ranges[] = {{.slba = 0, .nlb = 8},
						       {.slba = RIG_BLOCKS - 1, .nlb = 2}};
	struct rig *rig = *state;

	memset(rig->data, 0xee, 4096);
	assert_int_equal(rig_do(rig, NVME_CMD_WRITE, 0, 8), 0);
	prepare_dsm(rig, ranges, 2);
	assert_int_equal(rig_one(rig), DNR(NVME_SC_LBA_RANGE));
	assert_int_equal(rig_do(rig, NVME_CMD_READ, 0, 8), 0);
	assert_int_equal(rig->data[0], 0xee);
}

/*
 * Copy
 */

#define MOST (RIG_MAX / RIG_BLOCK) /* blocks of a range */

static struct nvme_cmd *prepare_copy(struct rig *rig, const struct nvme_copy_range *ranges,
				     uint32_t count, uint64_t to)
{
	struct nvme_cmd *cmd = rig_prepare(rig, NVME_CMD_COPY, to, count);

	memcpy(rig->data, ranges, count * sizeof(*ranges));
	return cmd;
}

/* writes as many blocks, each with a content of its own */
static void write_numbers(struct rig *rig, uint64_t slba, uint32_t blocks)
{
	for (uint32_t i = 0; i < blocks; i++)
		memset(rig->data + i * RIG_BLOCK, (int)(1 + (slba + i) % 251), RIG_BLOCK);
	assert_int_equal(rig_do(rig, NVME_CMD_WRITE, slba, blocks), 0);
}

/* Does a block hold what write_numbers() has written to another one? */
static bool is_copy(struct rig *rig, uint64_t at, uint64_t of)
{
	assert_int_equal(rig_do(rig, NVME_CMD_READ, at, 1), 0);
	for (uint32_t i = 0; i < RIG_BLOCK; i++)
		if (rig->data[i] != 1 + of % 251)
			return false;
	return true;
}

static void copy_puts_ranges_one_behind_the_other(void **state)
{
	static const struct nvme_copy_range ranges[] = {
		{.slba = 40, .nlb = 3}, {.slba = 7, .nlb = 0}, {.slba = 20, .nlb = 1}};
	static const uint64_t sources[] = {40, 41, 42, 43, 7, 20, 21};
	struct rig *rig = *state;

	write_numbers(rig, 0, 64);
	prepare_copy(rig, ranges, ARRAY_SIZE(ranges), 1000)->cdw12 |= htole32(NVME_RW_FUA);
	assert_int_equal(rig_one(rig), 0);
	assert_int_equal(rig->last.dw0, 0);
	for (unsigned int i = 0; i < ARRAY_SIZE(sources); i++)
		assert_true(is_copy(rig, 1000 + i, sources[i]));
	assert_int_equal(rig_do(rig, NVME_CMD_READ, 999, 1), 0);
	assert_true(rig_is_zero(rig, 0, RIG_BLOCK));
	assert_int_equal(rig_do(rig, NVME_CMD_READ, 1007, 1), 0);
	assert_true(rig_is_zero(rig, 0, RIG_BLOCK));
	assert_true(is_copy(rig, 7, 7));
}

static void copy_takes_as_much_as_is_announced(void **state)
{
	struct nvme_copy_range ranges[NVME_COPY_RANGES_MAX] = {0};
	struct rig *rig = *state;
	uint32_t i;

	write_numbers(rig, 0, MOST);
	for (i = 0; i < NVME_COPY_ALL_MAX; i++)
		ranges[i].nlb = htole16(MOST - 1);
	prepare_copy(rig, ranges, NVME_COPY_ALL_MAX, MOST);
	assert_int_equal(rig_one(rig), 0);
	for (i = 1; i <= NVME_COPY_ALL_MAX; i++)
		assert_true(is_copy(rig, (i + 1) * MOST - 1, MOST - 1));
	memset(ranges, 0, sizeof(ranges));
	for (i = 0; i < NVME_COPY_RANGES_MAX; i++)
		ranges[i].slba = htole64(i);
	prepare_copy(rig, ranges, NVME_COPY_RANGES_MAX, 3000);
	assert_int_equal(rig_one(rig), 0);
	for (i = 0; i < NVME_COPY_RANGES_MAX; i++)
		assert_true(is_copy(rig, 3000 + i, i));
}

/* before anything is written */
static void copy_refuses_what_is_too_much(void **state)
{
	static const struct {
		uint32_t count, last_nlb;
		uint64_t last_slba, to;
		uint16_t status;
	} rows[] = {
		{2, MOST, 0, 1000, DNR(NVME_SC_SIZE_LIMIT)},
		{2, 0xffff, 0, 1000, DNR(NVME_SC_SIZE_LIMIT)},
		{NVME_COPY_ALL_MAX + 1, 0, 0, 1000, DNR(NVME_SC_SIZE_LIMIT)}, /* by one block */
		{NVME_COPY_RANGES_MAX + 1, 0, 0, 1000, DNR(NVME_SC_SIZE_LIMIT)},
		{2, 1, RIG_BLOCKS - 1, 1000, DNR(NVME_SC_LBA_RANGE)},
		{2, 0, UINT64_MAX, 1000, DNR(NVME_SC_LBA_RANGE)},
		{2, 0, 0, RIG_BLOCKS - MOST, DNR(NVME_SC_LBA_RANGE)},
		{2, 0, 0, UINT64_MAX, DNR(NVME_SC_LBA_RANGE)},
	};
	struct rig *rig = *state;

	write_numbers(rig, 0, 8);
	for (unsigned int i = 0; i < ARRAY_SIZE(rows); i++) {
		struct nvme_copy_range ranges[NVME_COPY_RANGES_MAX + 1] = {0};
		const uint32_t last = rows[i].count - 1;

		for (uint32_t n = 0; n < last; n++)
			ranges[n].nlb =
				rows[i].count > NVME_COPY_RANGES_MAX ? 0 : htole16(MOST - 1);
		ranges[last].nlb = htole16((uint16_t)rows[i].last_nlb);
		ranges[last].slba = htole64(rows[i].last_slba);
		prepare_copy(rig, ranges, rows[i].count, rows[i].to);
		assert_int_equal(rig_one(rig), rows[i].status);
	}
	assert_int_equal(rig_do(rig, NVME_CMD_READ, 1000, 1), 0);
	assert_true(rig_is_zero(rig, 0, RIG_BLOCK));
}

/* they use the same memory of the controller */
static void copies_and_others_take_turns(void **state)
{
	static const struct nvme_copy_range one = {.slba = 5};
	static const uint8_t opcodes[] = {NVME_CMD_COMPARE, NVME_CMD_VERIFY};
	struct rig *rig = *state;
	uint32_t i;

	write_numbers(rig, 0, 8);
	memcpy(rig->data + NVME_PAGE_SIZE, rig->data, 8 * RIG_BLOCK); /* what is compared */
	for (i = 0; i < RIG_ENTRIES - 1; i++) {
		if (i & 1) {
			prepare_copy(rig, &one, 1, 100 + i);
			continue;
		}
		struct nvme_cmd *cmd = rig_prepare(rig, opcodes[i / 2 % 2], 0, 8);

		cmd->prp1 = htole64((uintptr_t)rig->data + NVME_PAGE_SIZE);
	}
	rig_run(rig, RIG_ENTRIES - 1);
	assert_int_equal(nvme_cqe_status(&rig->last), 0);
	for (i = 1; i < RIG_ENTRIES - 1; i += 2)
		assert_true(is_copy(rig, 100 + i, 5));
}

static void nothing_is_copied_to_a_disk_that_is_read_only(void **state)
{
	static const struct nvme_copy_range one = {.slba = 5};
	struct rig *rig = *state;

	prepare_copy(rig, &one, 1, 100);
	assert_int_equal(rig_one(rig), DNR(NVME_SC_NS_WRITE_PROTECTED));
}

/* a file that has become shorter ends it where it is: an error of the medium */
static void copies_end_with_their_first_error(void **state)
{
	static const struct nvme_copy_range ranges[] = {
		{.slba = 5}, {.slba = RIG_BLOCKS - 1}, {.slba = 6}};
	struct rig *rig = *state;

	write_numbers(rig, 0, 8);
	assert_int_equal(truncate(rig_path, 8 * RIG_BLOCK), 0);
	prepare_copy(rig, ranges, ARRAY_SIZE(ranges), 0);
	assert_int_equal(rig_one(rig), NVME_SC_READ_ERROR);
	assert_int_equal(le32toh(rig->last.dw0), 1); /* which range it was */
	assert_true(is_copy(rig, 0, 5));
	assert_true(is_copy(rig, 1, 1));
	assert_true(is_copy(rig, 2, 2));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		OVER(dsm_deallocates_its_ranges),
		OVER(dsm_takes_256_ranges),
		OVER(dsm_checks_every_range_first),
		OVER(copy_puts_ranges_one_behind_the_other),
		OVER(copy_takes_as_much_as_is_announced),
		OVER(copy_refuses_what_is_too_much),
		OVER(copies_and_others_take_turns),
		cmocka_unit_test_setup_teardown(nothing_is_copied_to_a_disk_that_is_read_only,
						setup_read_only, teardown),
		cmocka_unit_test_setup_teardown(copies_end_with_their_first_error, setup_uring,
						teardown),
		cmocka_unit_test_setup_teardown(copies_end_with_their_first_error, setup_plain,
						teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
