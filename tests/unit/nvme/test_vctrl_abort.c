/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Commands that nobody wants any more: on a disk that does a little in each poll, in memory, and in
 * files with and without io_uring.
 */
#include "rig.h"

#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>
#include "leak.h"

#define BIG_BLOCK  4096u
#define BIG_BLOCKS (1u << 18) /* a GiB, of which little is there */
#define AT_END	   (BIG_BLOCKS - 1)

/*
 * A disk that finishes one transfer in a poll, if it may
 */

static struct vctrl_io *begun[RIG_ENTRIES];
static unsigned int begun_count, polls_left;

static doca_error_t slow_open(struct vctrl_medium *medium, unsigned int depth,
			      struct vctrl_channel **ret_channel)
{
	(void)medium;
	(void)depth;
	*ret_channel = calloc(1, sizeof(**ret_channel));
	return *ret_channel ? DOCA_SUCCESS : DOCA_ERROR_NO_MEMORY;
}

static void slow_close(struct vctrl_channel *channel)
{
	free(channel);
}

static void slow_start(struct vctrl_channel *channel, struct vctrl_io *io)
{
	(void)channel;
	begun[begun_count++] = io;
}

static unsigned int slow_poll(struct vctrl_channel *channel)
{
	struct vctrl_io *io = begun[0];

	if (!begun_count || !polls_left)
		return 0;
	polls_left--;
	begun_count--;
	memmove(begun, begun + 1, begun_count * sizeof(begun[0]));
	vctrl_io_done(channel, io, NVME_SC_SUCCESS);
	return 1;
}

static int slow_fd(const struct vctrl_channel *channel)
{
	(void)channel;
	return -1;
}

static void slow_destroy(struct vctrl_medium *medium)
{
	free(medium);
}

static const struct vctrl_medium_ops slow_ops = {
	.open = slow_open,
	.close = slow_close,
	.start = slow_start,
	.poll = slow_poll,
	.fd = slow_fd,
	.destroy = slow_destroy,
};

static int setup(void **state)
{
	struct vctrl_medium *medium = calloc(1, sizeof(*medium));

	medium->ops = &slow_ops;
	medium->min_block_size = RIG_BLOCK;
	atomic_init(&medium->size, RIG_SIZE);
	begun_count = 0;
	polls_left = 0;
	*state = rig_create(medium, RIG_BLOCK);
	return 0;
}

static int teardown(void **state)
{
	rig_destroy(*state);
	return 0;
}

/* of ranges that are not empty; returns its number */
static uint16_t prepare_dsm(struct rig *rig, uint32_t ranges, uint32_t blocks)
{
	struct nvme_cmd *cmd = rig_prepare(rig, NVME_CMD_DSM, 0, 8);
	struct nvme_dsm_range *range = (void *)rig->data;
	uint32_t i;

	for (i = 0; i < ranges; i++)
		range[i] = (struct nvme_dsm_range){.slba = htole64(i), .nlb = htole32(blocks)};
	cmd->cdw10 = htole32(ranges - 1);
	cmd->cdw11 = htole32(NVME_DSM_AD);
	return le16toh(cmd->cid);
}

/* how many have ended, of those that have been submitted */
static unsigned int poll_once(struct rig *rig)
{
	nvme_queue_ring(&rig->host);
	vctrl_queue_poll(rig->device);
	return nvme_queue_poll(&rig->host, rig_note, rig, RIG_ENTRIES);
}

static void a_discard_ends_between_two_ranges(void **state)
{
	struct rig *rig = *state;
	uint16_t cid = prepare_dsm(rig, 256, 1);

	polls_left = 3;
	assert_int_equal(poll_once(rig), 0);
	assert_int_equal(poll_once(rig), 0);
	assert_true(vctrl_queue_abort(rig->device, cid));
	assert_int_equal(begun_count, 1); /* the disk has the third one, and keeps it */
	assert_int_equal(poll_once(rig), 1);
	assert_int_equal(nvme_cqe_status(&rig->last), NVME_SC_ABORT_REQUESTED);
	assert_int_equal(begun_count, 0);
	assert_false(rig_is_busy(rig));
}

/* the halves of a range, too, are two transfers */
static void a_copy_ends_between_reading_and_writing(void **state)
{
	static const struct nvme_copy_range ranges[3];
	struct rig *rig = *state;
	struct nvme_cmd *cmd = rig_prepare(rig, NVME_CMD_COPY, 100, ARRAY_SIZE(ranges));

	memcpy(rig->data, ranges, sizeof(ranges));
	polls_left = 3; /* one range, and the second one is read */
	assert_int_equal(poll_once(rig), 0);
	assert_int_equal(begun[0]->op, VCTRL_WRITE);
	assert_int_equal(poll_once(rig), 0);
	assert_true(vctrl_queue_abort(rig->device, le16toh(cmd->cid)));
	assert_int_equal(poll_once(rig), 1);
	assert_int_equal(nvme_cqe_status(&rig->last), NVME_SC_ABORT_REQUESTED);
	assert_int_equal(le32toh(rig->last.dw0), 1);
	assert_int_equal(begun_count, 0); /* the second one is not written */
	assert_false(rig_is_busy(rig));
}

static void those_that_wait_for_their_turn_end_at_once(void **state)
{
	struct rig *rig = *state;
	uint16_t first = prepare_dsm(rig, 2, 1), second = prepare_dsm(rig, 2, 1);
	uint16_t third = prepare_dsm(rig, 2, 1);

	assert_int_equal(poll_once(rig), 0);
	assert_true(vctrl_queue_abort(rig->device, second));
	assert_int_equal(poll_once(rig), 1);
	assert_int_equal(nvme_cqe_status(&rig->last), NVME_SC_ABORT_REQUESTED);
	assert_int_equal(le16toh(rig->last.cid), second);
	polls_left = 2;
	assert_int_equal(poll_once(rig), 0);
	assert_int_equal(poll_once(rig), 1);
	assert_int_equal(nvme_cqe_status(&rig->last), NVME_SC_SUCCESS);
	assert_int_equal(le16toh(rig->last.cid), first);
	polls_left = 2;
	assert_int_equal(poll_once(rig) + poll_once(rig), 1);
	assert_int_equal(le16toh(rig->last.cid), third);
}

static void those_that_nobody_has_looked_at_are_found(void **state)
{
	struct rig *rig = *state;
	uint16_t cid = prepare_dsm(rig, 2, 1);

	nvme_queue_ring(&rig->host);
	assert_true(vctrl_queue_abort(rig->device, cid));
	polls_left = 1;
	assert_int_equal(poll_once(rig), 1);
	assert_int_equal(nvme_cqe_status(&rig->last), NVME_SC_ABORT_REQUESTED);
}

static void those_that_have_ended_are_not_found(void **state)
{
	struct rig *rig = *state;
	uint16_t cid = prepare_dsm(rig, 1, 1);

	assert_false(vctrl_queue_abort(rig->device, cid)); /* the doorbell has not been rung */
	polls_left = 1;
	assert_int_equal(poll_once(rig), 1);
	assert_int_equal(nvme_cqe_status(&rig->last), NVME_SC_SUCCESS);
	assert_false(vctrl_queue_abort(rig->device, cid));
}

static void the_next_one_in_its_place_goes_on(void **state)
{
	struct rig *rig = *state;
	uint16_t cid = prepare_dsm(rig, 2, 1);

	assert_int_equal(poll_once(rig), 0);
	assert_true(vctrl_queue_abort(rig->device, cid));
	polls_left = 1;
	assert_int_equal(poll_once(rig), 1);
	assert_int_equal(prepare_dsm(rig, 2, 1), cid);
	polls_left = 2;
	assert_int_equal(poll_once(rig) + poll_once(rig), 1);
	assert_int_equal(nvme_cqe_status(&rig->last), NVME_SC_SUCCESS);
}

static void what_has_been_done_is_told(void **state)
{
	struct rig *rig = *state;
	uint16_t cid = prepare_dsm(rig, 1, 1);

	assert_int_equal(poll_once(rig), 0);
	assert_true(vctrl_queue_abort(rig->device, cid));
	polls_left = 1;
	assert_int_equal(poll_once(rig), 1);
	assert_int_equal(nvme_cqe_status(&rig->last), NVME_SC_SUCCESS);
}

/*
 * Disks of ours
 */

static struct rig *open_memory(void)
{
	struct vctrl_medium *medium;

	assert_int_equal(vctrl_mem_create((uint64_t)BIG_BLOCK * BIG_BLOCKS, &medium), DOCA_SUCCESS);
	return rig_create(medium, BIG_BLOCK);
}

static struct rig *open_file(bool no_uring)
{
	char path[] = "/tmp/vctrl-test-XXXXXX";
	struct vctrl_file_attr attr = {.path = path, .no_uring = no_uring};
	struct vctrl_medium *medium;
	int fd = mkstemp(path);

	assert_true(fd >= 0);
	assert_int_equal(ftruncate(fd, (off_t)BIG_BLOCK * BIG_BLOCKS), 0);
	close(fd);
	assert_int_equal(vctrl_file_create(&attr, &medium), DOCA_SUCCESS);
	unlink(path);
	return rig_create(medium, BIG_BLOCK);
}

static uint16_t do_block(struct rig *rig, uint8_t opcode, uint64_t slba)
{
	struct nvme_cmd *cmd = rig_prepare(rig, opcode, slba, 1);

	rig_set_prps(rig, cmd, 0, BIG_BLOCK);
	return rig_one(rig);
}

static void mark_end(struct rig *rig)
{
	rig_fill(rig, 3, BIG_BLOCK);
	assert_int_equal(do_block(rig, NVME_CMD_WRITE, AT_END), 0);
}

static bool is_end_marked(struct rig *rig)
{
	assert_int_equal(do_block(rig, NVME_CMD_READ, AT_END), 0);
	return rig_is_filled(rig, 3, BIG_BLOCK);
}

/* discards everything, which takes more than a piece; returns its number */
static uint16_t prepare_discard(struct rig *rig)
{
	uint16_t cid = prepare_dsm(rig, 1, BIG_BLOCKS);

	nvme_queue_ring(&rig->host);
	return cid;
}

static void check_discard_is_cut_short(struct rig *rig)
{
	mark_end(rig);
	assert_true(vctrl_queue_abort(rig->device, prepare_discard(rig)));
	assert_int_equal(rig_one(rig), NVME_SC_ABORT_REQUESTED);
	assert_true(is_end_marked(rig));
	prepare_discard(rig);
	assert_int_equal(rig_one(rig), NVME_SC_SUCCESS);
	assert_false(is_end_marked(rig));
	rig_destroy(rig);
}

static void discards_are_cut_short_everywhere(void **state)
{
	(void)state;
	check_discard_is_cut_short(open_memory());
	check_discard_is_cut_short(open_file(true));
	check_discard_is_cut_short(open_file(false));
}

/* The one that is first has the blocks, and has not begun with them. */
static void check_overlapping_end(struct rig *rig, uint8_t opcode)
{
	struct nvme_cmd *cmd;
	uint16_t first, second;

	mark_end(rig);
	first = prepare_discard(rig);
	cmd = rig_prepare(rig, opcode, AT_END - 7, 8);
	rig_set_prps(rig, cmd, 0, 8 * BIG_BLOCK);
	second = le16toh(cmd->cid);
	nvme_queue_ring(&rig->host);
	assert_true(vctrl_queue_abort(rig->device, second));
	assert_true(vctrl_queue_abort(rig->device, first));
	rig_run(rig, 2);
	assert_int_equal(nvme_cqe_status(&rig->last), NVME_SC_ABORT_REQUESTED);
	assert_true(is_end_marked(rig));
	rig_destroy(rig);
}

static void those_that_wait_for_blocks_end(void **state)
{
	(void)state;
	check_overlapping_end(open_file(true), NVME_CMD_WRITE);
	check_overlapping_end(open_file(true), NVME_CMD_WRITE_ZEROES);
	check_overlapping_end(open_file(false), NVME_CMD_WRITE_ZEROES);
}

static void check_closing(struct rig *rig)
{
	mark_end(rig);
	prepare_discard(rig);
	vctrl_queue_poll(rig->device);
	vctrl_queue_close(rig->device);
	nvme_queue_fini(&rig->host);
	rig_open_queue(rig);
	assert_true(is_end_marked(rig));
	rig_destroy(rig);
}

static void closing_waits_for_a_piece_only(void **state)
{
	struct leak before = leak_count();

	(void)state;
	check_closing(open_file(true));
	check_closing(open_file(false));
	assert_true(leak_check(&before));
}

#define SLOW_TEST(test) cmocka_unit_test_setup_teardown(test, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		SLOW_TEST(a_discard_ends_between_two_ranges),
		SLOW_TEST(a_copy_ends_between_reading_and_writing),
		SLOW_TEST(those_that_wait_for_their_turn_end_at_once),
		SLOW_TEST(those_that_nobody_has_looked_at_are_found),
		SLOW_TEST(those_that_have_ended_are_not_found),
		SLOW_TEST(the_next_one_in_its_place_goes_on),
		SLOW_TEST(what_has_been_done_is_told),
		cmocka_unit_test(discards_are_cut_short_everywhere),
		cmocka_unit_test(those_that_wait_for_blocks_end),
		cmocka_unit_test(closing_waits_for_a_piece_only),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
