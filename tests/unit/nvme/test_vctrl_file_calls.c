/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What the commands of a disk in a file become: which system calls, with which flags, in which
 * order, through io_uring and without; and what their errors become. The calls are seen, and made
 * to fail, on their way to the C library and to liburing.
 */
#include "rig.h"
#include "test.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <liburing.h>
#include <linux/falloc.h>
#include <linux/loop.h>
#include <stdio.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

#define ZEROED	FALLOC_FL_ZERO_RANGE
#define PUNCHED (FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE)

/*
 * What has been called
 */

enum call { CALL_READ, CALL_WRITE, CALL_SYNC, CALL_FALLOCATE };

static struct {
	enum call call;
	int flags; /* RWF_* of a write, mode of fallocate */
} calls[64];
static unsigned int call_count;
static bool hold;				     /* the ring hands nothing over */
static int fallocate_error, sync_error, write_error; /* errno that the next ones give; 0: none */
static bool refuse_flags;			     /* of writes, as sandboxes do */
#ifdef STATX_DIOALIGN
static uint32_t direct_align; /* what statx() tells; 0: nothing */
#endif

static void note_call(enum call call, int flags)
{
	assert_true(call_count < ARRAY_SIZE(calls));
	calls[call_count].call = call;
	calls[call_count++].flags = flags;
}

static int give(int error)
{
	errno = error;
	return -1;
}

int fdatasync(int fd)
{
	note_call(CALL_SYNC, 0);
	return sync_error ? give(sync_error) : (int)syscall(SYS_fdatasync, fd);
}

int fallocate(int fd, int mode, off_t offset, off_t size)
{
	note_call(CALL_FALLOCATE, mode);
	return fallocate_error ? give(fallocate_error)
			       : (int)syscall(SYS_fallocate, fd, mode, offset, size);
}

ssize_t pwritev2(int fd, const struct iovec *iov, int count, off_t offset, int flags)
{
	note_call(CALL_WRITE, flags);
	if (refuse_flags && flags)
		return give(EOPNOTSUPP);
	return write_error ? give(write_error)
			   : syscall(SYS_pwritev2, fd, iov, count, offset, 0, flags);
}

#ifdef STATX_DIOALIGN
int statx(int fd, const char *name, int flags, unsigned int mask, struct statx *st)
{
	assert_int_equal(mask, STATX_DIOALIGN);
	memset(st, 0, sizeof(*st));
	st->stx_mask = direct_align ? STATX_DIOALIGN : 0;
	st->stx_dio_offset_align = direct_align;
	(void)name;
	(void)flags;
	return fd < 0 ? give(EBADF) : 0;
}
#endif

ssize_t preadv(int fd, const struct iovec *iov, int count, off_t offset)
{
	note_call(CALL_READ, 0);
	return syscall(SYS_preadv, fd, iov, count, offset, 0);
}

ssize_t pwrite(int fd, const void *data, size_t size, off_t offset)
{
	note_call(CALL_WRITE, 0);
	return syscall(SYS_pwrite64, fd, data, size, offset);
}

static void note_sqe(const struct io_uring_sqe *sqe)
{
	switch (sqe->opcode) {
	case IORING_OP_READV:
		note_call(CALL_READ, (int)sqe->rw_flags);
		break;
	case IORING_OP_WRITEV:
	case IORING_OP_WRITE:
		note_call(CALL_WRITE, (int)sqe->rw_flags);
		break;
	case IORING_OP_FSYNC:
		assert_int_equal(sqe->fsync_flags, IORING_FSYNC_DATASYNC);
		note_call(CALL_SYNC, 0);
		break;
	case IORING_OP_FALLOCATE:
		note_call(CALL_FALLOCATE, (int)sqe->len);
		break;
	default:
		fail_msg("opcode %u of io_uring", sqe->opcode);
	}
}

int io_uring_submit(struct io_uring *ring)
{
	int (*real)(struct io_uring *) = NULL;
	unsigned int i;

	if (hold)
		return 0;
	for (i = ring->sq.sqe_head; i != ring->sq.sqe_tail; i++)
		note_sqe(&ring->sq.sqes[i & *ring->sq.kring_mask]);
	*(void **)&real = dlsym(RTLD_NEXT, "io_uring_submit");
	return real(ring);
}

/*
 * A disk in a file
 */

static char path[64];
static struct rig *rig;

static bool setup_with(bool no_uring)
{
	struct vctrl_file_attr attr = {.path = path, .no_uring = no_uring};
	struct vctrl_medium *medium;
	int fd, fds[VCTRL_NS_MAX];

	strcpy(path, "/tmp/vctrl-calls-XXXXXX");
	fd = mkstemp(path);
	assert_true(fd >= 0);
	assert_int_equal(ftruncate(fd, RIG_SIZE), 0);
	close(fd);
	assert_int_equal(vctrl_file_create(&attr, &medium), DOCA_SUCCESS);
	rig = rig_create(medium, RIG_BLOCK);
	fallocate_error = sync_error = write_error = 0;
	call_count = 0;
	return vctrl_queue_fds(rig->device, fds) > 0;
}

static int setup_calls(void **state)
{
	(void)state;
	assert_false(setup_with(true));
	return 0;
}

static int setup_uring(void **state)
{
	static bool has_ring;

	has_ring = setup_with(false);
	*state = &has_ring;
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	rig_destroy(rig);
	unlink(path);
	return 0;
}

static void need_uring(void **state)
{
	if (*state && !*(bool *)*state) {
		puts("SKIPPED: no io_uring on this machine");
		skip();
	}
}

static void assert_calls(const char *expected)
{
	static const char letters[] = "rwsf";
	char seen[ARRAY_SIZE(calls) + 1] = "";
	unsigned int i;

	for (i = 0; i < call_count; i++)
		seen[i] = letters[calls[i].call];
	assert_string_equal(seen, expected);
	call_count = 0;
}

static uint16_t one(uint8_t opcode, uint64_t slba, uint32_t blocks, uint32_t cdw12)
{
	struct nvme_cmd *cmd = rig_prepare(rig, opcode, slba, blocks);

	cmd->cdw12 |= htole32(cdw12);
	return rig_one(rig);
}

static uint16_t deallocate(uint64_t slba, uint32_t blocks)
{
	struct nvme_dsm_range range = {.nlb = htole32(blocks), .slba = htole64(slba)};
	struct nvme_cmd *cmd = rig_prepare(rig, NVME_CMD_DSM, 0, 1);

	memcpy(rig->data, &range, sizeof(range));
	cmd->cdw10 = 0;
	cmd->cdw11 = htole32(NVME_DSM_AD);
	cmd->cdw12 = 0;
	return rig_one(rig);
}

/* A block is in the hands of one queue; what another one wants of it waits, and nothing else. */
static void overlapping_commands_wait(void **state)
{
	struct rig *other;

	need_uring(state);
	other = rig_join(rig->ctrl);
	hold = true;
	rig_prepare(rig, NVME_CMD_WRITE, 0, 8);
	nvme_queue_ring(&rig->host);
	vctrl_queue_poll(rig->device);
	hold = false;
	assert_calls("");
	assert_int_equal(rig_do(other, NVME_CMD_READ, 8, 8), 0); /* beside it */
	assert_calls("r");
	rig_prepare(other, NVME_CMD_READ, 7, 1);
	nvme_queue_ring(&other->host);
	vctrl_queue_poll(other->device);
	assert_calls("");
	assert_true(vctrl_queue_must_poll(other->device));
	assert_true(vctrl_queue_must_poll(rig->device)); /* it has not been handed over */
	rig_run(rig, 1);
	assert_calls("w");
	rig_run(other, 1);
	assert_calls("r");
	assert_false(vctrl_queue_must_poll(other->device));
	rig_leave(other);
}

/* Whoever stops polling here, because others have their turn, would wait for a wake-up for ever. */
static void what_polls_leave_in_the_ring_is_told(void **state)
{
	unsigned int tries = 0;
	int fds[VCTRL_NS_MAX];

	need_uring(state);
	assert_int_equal(vctrl_queue_fds(rig->device, fds), 1);
	/* the first one's end starts the second, which needs the same memory */
	rig_prepare(rig, NVME_CMD_COMPARE, 0, 8);
	rig_prepare(rig, NVME_CMD_COMPARE, 8, 8);
	nvme_queue_ring(&rig->host);
	while (!rig->device->finished)
		vctrl_queue_poll(rig->device);
	assert_int_equal(rig->device->outstanding, 1);
	assert_true(vctrl_queue_must_poll(rig->device));
	rig_run(rig, 2);
	assert_false(vctrl_queue_must_poll(rig->device));
	do { /* one that is not finished by the poll that starts it, but before the next one */
		assert_true(tries++ < 1000);
		call_count = 0;
		rig_prepare(rig, NVME_CMD_FLUSH, 0, 1);
		nvme_queue_ring(&rig->host);
		vctrl_queue_poll(rig->device);
		if (rig->device->outstanding)
			break;
		rig_run(rig, 1);
	} while (true);
	assert_int_equal(poll(&(struct pollfd){.fd = fds[0], .events = POLLIN}, 1, 10000), 1);
	assert_true(vctrl_queue_must_poll(rig->device));
	rig_run(rig, 1);
	assert_false(vctrl_queue_must_poll(rig->device));
}

/*
 * Tests; each runs through the ring and without
 */

static void flush_syncs_the_data(void **state)
{
	need_uring(state);
	assert_int_equal(one(NVME_CMD_FLUSH, 0, 1, 0), 0);
	assert_calls("s");
}

static void writes_are_as_durable_as_asked(void **state)
{
	need_uring(state);
	assert_int_equal(one(NVME_CMD_WRITE, 0, 8, 0), 0);
	assert_int_equal(calls[0].flags, 0);
	assert_calls("w");
	assert_int_equal(one(NVME_CMD_WRITE, 0, 8, NVME_RW_FUA), 0);
	assert_int_equal(calls[0].flags, RWF_DSYNC);
	assert_calls("w");
}

static void durable_writes_are_synced_where_no_flag_helps(void **state)
{
	(void)state;
	refuse_flags = true;
	rig_fill(rig, 4, 8 * RIG_BLOCK);
	assert_int_equal(one(NVME_CMD_WRITE, 0, 8, NVME_RW_FUA), 0);
	assert_int_equal(calls[0].flags, RWF_DSYNC);
	assert_int_equal(calls[1].flags, 0);
	assert_calls("wws");
	assert_int_equal(one(NVME_CMD_WRITE, 0, 8, 0), 0);
	assert_calls("w");
	sync_error = EIO;
	assert_int_equal(one(NVME_CMD_WRITE, 0, 8, NVME_RW_FUA), NVME_SC_WRITE_FAULT);
	refuse_flags = false;
}

static void reads_are_of_what_is_durable_if_asked(void **state)
{
	need_uring(state);
	rig_fill(rig, 3, 8 * RIG_BLOCK);
	assert_int_equal(one(NVME_CMD_WRITE, 0, 8, 0), 0);
	assert_int_equal(one(NVME_CMD_READ, 0, 8, 0), 0);
	assert_calls("wr");
	assert_int_equal(one(NVME_CMD_READ, 0, 8, NVME_RW_FUA), 0);
	assert_calls("sr");
	assert_int_equal(one(NVME_CMD_COMPARE, 0, 8, NVME_RW_FUA), 0);
	assert_calls("sr");
}

#ifdef STATX_DIOALIGN
/* past the page cache the device's blocks count */
static void direct_files_have_a_least_block_size(void **state)
{
	static const uint32_t rows[][2] = {{4096, 4096}, {0, 512}, {1, 512}};
	struct vctrl_file_attr attr = {.path = path, .direct = true};
	struct vctrl_medium *medium;
	size_t i;

	(void)state;
	rig_destroy(rig); /* it holds the file's lock */
	for (i = 0; i < ARRAY_SIZE(rows); i++) {
		direct_align = rows[i][0];
		if (vctrl_file_create(&attr, &medium))
			break;
		assert_int_equal(medium->min_block_size, rows[i][1]);
		vctrl_medium_destroy(medium);
	}
	direct_align = 0;
	assert_int_equal(vctrl_null_create(RIG_SIZE, &medium), DOCA_SUCCESS);
	rig = rig_create(medium, RIG_BLOCK);
	if (!i) {
		puts("SKIPPED: the file system has no such way");
		skip();
	}
}
#endif

static void zeroes_are_allocated_unless_they_may_go(void **state)
{
	need_uring(state);
	assert_int_equal(one(NVME_CMD_WRITE_ZEROES, 8, 64, 0), 0);
	assert_int_equal(calls[0].flags, ZEROED);
	call_count = 0;
	assert_int_equal(one(NVME_CMD_WRITE_ZEROES, 8, 64, NVME_WZ_DEAC), 0);
	assert_int_equal(calls[0].flags, PUNCHED);
}

static void deallocated_space_goes_back(void **state)
{
	struct stat before, after;

	need_uring(state);
	rig_fill(rig, 3, RIG_MAX);
	assert_int_equal(one(NVME_CMD_WRITE, 0, RIG_MAX / RIG_BLOCK, 0), 0);
	assert_int_equal(one(NVME_CMD_FLUSH, 0, 1, 0), 0);
	assert_int_equal(stat(path, &before), 0);
	call_count = 0;
	assert_int_equal(deallocate(0, RIG_MAX / RIG_BLOCK), 0);
	assert_int_equal(calls[0].flags, PUNCHED);
	assert_calls("f");
	assert_int_equal(stat(path, &after), 0);
	assert_true(after.st_blocks < before.st_blocks);
	assert_int_equal(after.st_size, before.st_size);
	assert_int_equal(one(NVME_CMD_READ, 0, RIG_MAX / RIG_BLOCK, 0), 0);
	assert_true(rig_is_zero(rig, 0, RIG_MAX));
}

static void durable_zeroes_are_synced_afterwards(void **state)
{
	need_uring(state);
	assert_int_equal(one(NVME_CMD_WRITE_ZEROES, 8, 64, NVME_RW_FUA), 0);
	if (call_count == 2)
		assert_calls("fs");
	else /* a file system that cannot */
		assert_calls("fws");
}

static void read_zeroes_back(void)
{
	rig_fill(rig, 9, RIG_MAX);
	assert_int_equal(one(NVME_CMD_READ, 8, 64, 0), 0);
	assert_true(rig_is_zero(rig, 0, 64 * RIG_BLOCK));
	assert_int_equal(one(NVME_CMD_READ, 7, 1, 0), 0);
	assert_false(rig_is_zero(rig, 0, RIG_BLOCK));
}

static void zeroes_are_written_where_nothing_else_helps(void **state)
{
	static const int errors[] = {EOPNOTSUPP, ENOSYS, EINVAL};
	size_t i;

	(void)state;
	for (i = 0; i < ARRAY_SIZE(errors); i++) {
		fallocate_error = 0;
		rig_fill(rig, 5, RIG_MAX);
		assert_int_equal(one(NVME_CMD_WRITE, 0, RIG_MAX / RIG_BLOCK, 0), 0);
		call_count = 0;
		fallocate_error = errors[i];
		assert_int_equal(one(NVME_CMD_WRITE_ZEROES, 8, 64, NVME_RW_FUA), 0);
		assert_calls("fws");
		read_zeroes_back();
		assert_int_equal(deallocate(0, 8), 0); /* a hint that nobody can take */
	}
}

static void errors_have_their_status(void **state)
{
	static const struct {
		int error;
		uint16_t status;
	} rows[] = {
		{EIO, NVME_SC_WRITE_FAULT},
		{ENOSPC, NVME_SC_CAPACITY_EXCEEDED | NVME_SC_DNR},
		{EDQUOT, NVME_SC_CAPACITY_EXCEEDED | NVME_SC_DNR},
		{EROFS, NVME_SC_NS_WRITE_PROTECTED | NVME_SC_DNR},
		{ENOMEM, NVME_SC_INTERNAL_ERROR},
	};
	size_t i;

	(void)state;
	for (i = 0; i < ARRAY_SIZE(rows); i++) {
		write_error = sync_error = fallocate_error = rows[i].error;
		assert_int_equal(one(NVME_CMD_WRITE, 0, 1, 0), rows[i].status);
		assert_int_equal(one(NVME_CMD_FLUSH, 0, 1, 0), rows[i].status);
		assert_int_equal(one(NVME_CMD_WRITE_ZEROES, 0, 1, 0), rows[i].status);
		call_count = 0;
	}
	/* zeroes that are there but not durable are an error, too */
	write_error = fallocate_error = 0;
	sync_error = EIO;
	assert_int_equal(one(NVME_CMD_WRITE_ZEROES, 0, 1, NVME_RW_FUA), NVME_SC_WRITE_FAULT);
}

/* The kernel tells it once. */
static void what_is_lost_is_told_to_a_flush(void **state)
{
	static const struct {
		uint8_t opcode;
		uint16_t status;
	} rows[] = {
		{NVME_CMD_READ, NVME_SC_READ_ERROR},
		{NVME_CMD_COMPARE, NVME_SC_READ_ERROR},
		{NVME_CMD_WRITE, NVME_SC_WRITE_FAULT},
		{NVME_CMD_WRITE_ZEROES, NVME_SC_WRITE_FAULT},
	};
	size_t i;

	(void)state;
	for (i = 0; i < ARRAY_SIZE(rows); i++) {
		call_count = 0;
		write_error = sync_error = EIO;
		assert_int_equal(one(rows[i].opcode, 0, 1, NVME_RW_FUA), rows[i].status);
		write_error = sync_error = 0;
		assert_int_equal(one(NVME_CMD_FLUSH, 0, 1, 0), NVME_SC_WRITE_FAULT);
		assert_int_equal(one(NVME_CMD_FLUSH, 0, 1, 0), 0);
	}
	/* one that has been told by the kernel is enough */
	write_error = sync_error = EIO;
	assert_int_equal(one(NVME_CMD_WRITE, 0, 1, NVME_RW_FUA), NVME_SC_WRITE_FAULT);
	assert_int_equal(one(NVME_CMD_FLUSH, 0, 1, 0), NVME_SC_WRITE_FAULT);
	/* what has not been accepted is not lost */
	write_error = ENOSPC;
	sync_error = 0;
	assert_int_equal(one(NVME_CMD_WRITE, 0, 1, NVME_RW_FUA),
			 NVME_SC_CAPACITY_EXCEEDED | NVME_SC_DNR);
	assert_int_equal(one(NVME_CMD_FLUSH, 0, 1, 0), 0);
}

/* several commands that come together go to the kernel together */
static void a_round_is_one_submission(void **state)
{
	unsigned int i;

	need_uring(state);
	for (i = 0; i < 8; i++)
		rig_prepare(rig, NVME_CMD_READ, i * 8, 8);
	nvme_queue_ring(&rig->host);
	assert_int_equal(vctrl_queue_poll(rig->device) >= 8, true);
	assert_calls("rrrrrrrr");
	rig_run(rig, 8);
	assert_calls("");
}

/*
 * Block devices: a loop device, where one may be made
 */

static char loop_path[32];

static int make_loop(void)
{
	int control = open("/dev/loop-control", O_RDWR | O_CLOEXEC), file, loop, number;

	number = control < 0 ? -1 : ioctl(control, LOOP_CTL_GET_FREE);
	if (control >= 0)
		close(control);
	snprintf(loop_path, sizeof(loop_path), "/dev/loop%d", number);
	loop = number < 0 ? -1 : open(loop_path, O_RDWR | O_CLOEXEC);
	if (loop < 0)
		return -1;
	file = open(path, O_RDWR | O_CLOEXEC);
	if (ioctl(loop, LOOP_SET_FD, file)) {
		close(loop);
		loop = -1;
	}
	close(file);
	return loop;
}

static void block_devices_are_disks(void **state)
{
	struct vctrl_file_attr attr = {.path = loop_path};
	struct vctrl_medium *medium;
	int loop;

	(void)state;
	rig_destroy(rig); /* it holds the file's lock */
	loop = make_loop();
	if (loop < 0) {
		puts("SKIPPED: no loop device can be made here");
		assert_int_equal(vctrl_null_create(RIG_SIZE, &medium), DOCA_SUCCESS);
		rig = rig_create(medium, RIG_BLOCK);
		skip();
	}
	assert_int_equal(vctrl_file_create(&attr, &medium), DOCA_SUCCESS);
	rig = rig_create(medium, RIG_BLOCK);
	assert_int_equal(vctrl_ns_blocks(rig->ctrl, 1), RIG_BLOCKS);
	rig_fill(rig, 11, RIG_MAX);
	assert_int_equal(one(NVME_CMD_WRITE, 0, RIG_MAX / RIG_BLOCK, NVME_RW_FUA), 0);
	assert_int_equal(one(NVME_CMD_FLUSH, 0, 1, 0), 0);
	assert_int_equal(one(NVME_CMD_WRITE_ZEROES, 8, 64, 0), 0);
	read_zeroes_back();
	assert_int_equal(deallocate(128, 8), 0);
	assert_int_equal(ioctl(loop, LOOP_CLR_FD), 0);
	close(loop);
}

#define ROW(test, way)                                                                             \
	{                                                                                          \
#test " (" #way ")", test, setup_##way, teardown, NULL                             \
	}
#define BOTH(test) ROW(test, uring), ROW(test, calls)

int main(void)
{
	const struct CMUnitTest tests[] = {
		BOTH(flush_syncs_the_data),
		BOTH(writes_are_as_durable_as_asked),
		ROW(durable_writes_are_synced_where_no_flag_helps, calls),
		BOTH(reads_are_of_what_is_durable_if_asked),
		BOTH(zeroes_are_allocated_unless_they_may_go),
		BOTH(deallocated_space_goes_back),
		BOTH(durable_zeroes_are_synced_afterwards),
		ROW(zeroes_are_written_where_nothing_else_helps, calls),
		ROW(errors_have_their_status, calls),
		ROW(what_is_lost_is_told_to_a_flush, calls),
		ROW(a_round_is_one_submission, uring),
		ROW(overlapping_commands_wait, uring),
		ROW(what_polls_leave_in_the_ring_is_told, uring),
#ifdef STATX_DIOALIGN
		ROW(direct_files_have_a_least_block_size, calls),
#endif
		ROW(block_devices_are_disks, uring),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
