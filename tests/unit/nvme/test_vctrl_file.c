/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What is special about media in files, and about the one that is nothing.
 */
#include "rig.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>
#include "leak.h"
#include "test.h"

#define NOBODY 65534

static char path[64];
static struct leak before;
static int open_error; /* errno that opening gives; 0: none */

int open(const char *name, int flags, ...)
{
	va_list args;
	mode_t mode;

	va_start(args, flags);
	mode = flags & O_CREAT ? va_arg(args, mode_t) : 0;
	va_end(args);
	errno = open_error;
	return open_error ? -1 : (int)syscall(SYS_openat, AT_FDCWD, name, flags, mode);
}

static int setup(void **state)
{
	int fd;

	(void)state;
	open_error = 0;
	before = leak_count();
	strcpy(path, "/tmp/vctrl-test-XXXXXX");
	fd = mkstemp(path);
	assert_true(fd >= 0);
	assert_int_equal(ftruncate(fd, RIG_SIZE), 0);
	close(fd);
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	unlink(path);
	return leak_check(&before) ? 0 : -1;
}

static void create_refuses_what_is_no_disk(void **state)
{
	char fifo[sizeof(path) + 5];
	struct vctrl_file_attr attr = {.path = "/tmp"};
	struct vctrl_medium *medium;

	(void)state;
	snprintf(fifo, sizeof(fifo), "%s.fifo", path);
	attr.read_only = true;
	assert_int_equal(vctrl_file_create(&attr, &medium), DOCA_ERROR_INVALID_VALUE);
	attr.read_only = false;
	assert_int_equal(vctrl_file_create(&attr, &medium), DOCA_ERROR_INVALID_VALUE);
	attr.read_only = true;
	attr.path = fifo;
	assert_int_equal(mkfifo(fifo, 0600), 0);
	assert_int_equal(vctrl_file_create(&attr, &medium), DOCA_ERROR_INVALID_VALUE);
	unlink(fifo);
	attr.path = "/nowhere/at/all";
	assert_int_equal(vctrl_file_create(&attr, &medium), DOCA_ERROR_NOT_FOUND);
	attr.path = path;
	assert_int_equal(truncate(path, 0), 0);
	assert_int_equal(vctrl_file_create(&attr, &medium), DOCA_ERROR_INVALID_VALUE);
}

static void what_cannot_be_opened_is_told_apart(void **state)
{
	static const struct {
		int error;
		doca_error_t expected;
	} rows[] = {
		{EACCES, DOCA_ERROR_NOT_PERMITTED},    {EROFS, DOCA_ERROR_NOT_PERMITTED},
		{ENFILE, DOCA_ERROR_NO_MEMORY},	       {ENOENT, DOCA_ERROR_NOT_FOUND},
		{EINVAL, DOCA_ERROR_OPERATING_SYSTEM},
	};
	struct vctrl_file_attr attr = {.path = path};
	struct vctrl_medium *medium;

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		open_error = rows[i].error;
		assert_int_equal(vctrl_file_create(&attr, &medium), rows[i].expected);
	}
	open_error = 0;
}

/* The limit is one of this process: a child has it. */
static int create_with(rlim_t below_the_hard_limit)
{
	int status = -1, next = dup(STDIN_FILENO);
	struct vctrl_file_attr attr = {.path = path};
	struct vctrl_medium *medium;
	pid_t pid;

	close(next);
	pid = fork();
	if (!pid) {
		struct rlimit limit = {(rlim_t)next, (rlim_t)next + below_the_hard_limit};

		_exit(setrlimit(RLIMIT_NOFILE, &limit) ? 255
						       : (int)vctrl_file_create(&attr, &medium));
	}
	waitpid(pid, &status, 0);
	return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

static void opening_raises_the_limit_of_open_files(void **state)
{
	(void)state;
	assert_int_equal(create_with(8), DOCA_SUCCESS);
	assert_int_equal(create_with(0), DOCA_ERROR_NO_MEMORY);
}

static void a_file_has_one_writer(void **state)
{
	struct vctrl_file_attr attr = {.path = path};
	struct vctrl_medium *first, *second;

	(void)state;
	assert_int_equal(vctrl_file_create(&attr, &first), DOCA_SUCCESS);
	assert_int_equal(vctrl_file_create(&attr, &second), DOCA_ERROR_IN_USE);
	attr.read_only = true;
	assert_int_equal(vctrl_file_create(&attr, &second), DOCA_ERROR_IN_USE);
	vctrl_medium_destroy(first);
	assert_int_equal(vctrl_file_create(&attr, &first), DOCA_SUCCESS);
	assert_int_equal(vctrl_file_create(&attr, &second), DOCA_SUCCESS);
	vctrl_medium_destroy(first);
	vctrl_medium_destroy(second);
}

/* A program without a standard output prints all the same. */
static void nobody_prints_into_a_disk(void **state)
{
	struct vctrl_file_attr attr = {.path = path};
	struct vctrl_medium *medium;
	int output = dup(STDOUT_FILENO);
	doca_error_t err;
	bool is_free;

	(void)state;
	close(STDOUT_FILENO);
	err = vctrl_file_create(&attr, &medium);
	is_free = fcntl(STDOUT_FILENO, F_GETFD) < 0;
	dup2(output, STDOUT_FILENO);
	close(output);
	assert_int_equal(err, DOCA_SUCCESS);
	assert_true(is_free);
	vctrl_medium_destroy(medium);
}

/* It may open a log there later, which closes what was there. */
static void a_ring_is_no_standard_descriptor(void **state)
{
	struct vctrl_file_attr attr = {.path = path};
	int output = dup(STDOUT_FILENO);
	struct vctrl_medium *medium;
	struct rig *rig;
	bool is_free;

	(void)state;
	assert_int_equal(vctrl_file_create(&attr, &medium), DOCA_SUCCESS);
	close(STDOUT_FILENO);
	rig = rig_create(medium, RIG_BLOCK);
	is_free = fcntl(STDOUT_FILENO, F_GETFD) < 0;
	dup2(output, STDOUT_FILENO);
	close(output);
	assert_true(is_free);
	assert_int_equal(rig_do(rig, NVME_CMD_READ, 0, 8), 0);
	rig_destroy(rig);
}

static void read_only_media_refuse_writes(void **state)
{
	static const uint8_t opcodes[] = {NVME_CMD_WRITE, NVME_CMD_WRITE_ZEROES, NVME_CMD_DSM};
	struct vctrl_file_attr attr = {.path = path, .read_only = true};
	struct vctrl_medium *medium;
	struct rig *rig;
	size_t i;

	(void)state;
	assert_int_equal(vctrl_file_create(&attr, &medium), DOCA_SUCCESS);
	rig = rig_create(medium, RIG_BLOCK);
	for (i = 0; i < sizeof(opcodes); i++)
		assert_int_equal(rig_do(rig, opcodes[i], 0, 8),
				 NVME_SC_NS_WRITE_PROTECTED | NVME_SC_DNR);
	assert_int_equal(rig_do(rig, NVME_CMD_READ, 0, 8), 0);
	assert_int_equal(rig_do(rig, NVME_CMD_FLUSH, 0, 8), 0);
	rig_destroy(rig);
}

static void bytes_land_at_their_offset(void **state)
{
	struct vctrl_file_attr attr = {.path = path};
	struct vctrl_medium *medium;
	struct rig *rig;
	uint8_t buf[RIG_BLOCK];
	int fd;

	(void)state;
	assert_int_equal(vctrl_file_create(&attr, &medium), DOCA_SUCCESS);
	rig = rig_create(medium, RIG_BLOCK);
	rig_fill(rig, 77, RIG_BLOCK);
	assert_int_equal(rig_do(rig, NVME_CMD_WRITE, 1000, 1), 0);
	fd = open(path, O_RDONLY);
	assert_int_equal(pread(fd, buf, sizeof(buf), 1000 * RIG_BLOCK), sizeof(buf));
	assert_memory_equal(buf, rig->data, sizeof(buf));
	close(fd);
	rig_destroy(rig);
}

static void a_resize_shows_after_rescan(void **state)
{
	struct vctrl_file_attr attr = {.path = path};
	struct vctrl_medium *medium;
	struct rig *rig;

	(void)state;
	assert_int_equal(vctrl_file_create(&attr, &medium), DOCA_SUCCESS);
	rig = rig_create(medium, RIG_BLOCK);
	assert_int_equal(truncate(path, 2 * RIG_SIZE), 0);
	assert_int_equal(rig_do(rig, NVME_CMD_READ, RIG_BLOCKS, 1),
			 NVME_SC_LBA_RANGE | NVME_SC_DNR);
	assert_int_equal(vctrl_ns_rescan(rig->ctrl, 1), DOCA_SUCCESS);
	assert_int_equal(vctrl_ns_rescan(rig->ctrl, 2), DOCA_ERROR_INVALID_VALUE);
	assert_int_equal(vctrl_ns_blocks(rig->ctrl, 1), 2 * RIG_BLOCKS);
	assert_int_equal(rig_do(rig, NVME_CMD_READ, RIG_BLOCKS, 1), 0);
	rig_destroy(rig);
}

static void a_file_that_shrank_gives_a_media_error(void **state)
{
	struct vctrl_file_attr attr = {.path = path};
	struct vctrl_medium *medium;
	struct rig *rig;

	(void)state;
	assert_int_equal(vctrl_file_create(&attr, &medium), DOCA_SUCCESS);
	rig = rig_create(medium, RIG_BLOCK);
	assert_int_equal(truncate(path, 4 * RIG_BLOCK), 0);
	assert_int_equal(rig_do(rig, NVME_CMD_READ, 0, 4), 0);
	assert_int_equal(rig_do(rig, NVME_CMD_READ, 0, 16), NVME_SC_READ_ERROR);
	rig_destroy(rig);
}

/* what a command says of zeros holds there too, with and without a hole */
static void zeros_beyond_the_end_of_a_file_can_be_read(void **state)
{
	struct vctrl_file_attr attr = {.path = path};
	struct vctrl_medium *medium;
	struct rig *rig;

	(void)state;
	for (unsigned int i = 0; i < 4; i++) {
		struct nvme_cmd *cmd;

		attr.no_uring = i & 2;
		assert_int_equal(truncate(path, RIG_SIZE), 0);
		assert_int_equal(vctrl_file_create(&attr, &medium), DOCA_SUCCESS);
		rig = rig_create(medium, RIG_BLOCK);
		assert_int_equal(truncate(path, 4 * RIG_BLOCK), 0);
		cmd = rig_prepare(rig, NVME_CMD_WRITE_ZEROES, 2, 8);
		if (i & 1)
			cmd->cdw12 |= htole32(NVME_WZ_DEAC);
		assert_int_equal(rig_one(rig), 0);
		memset(rig->data, 0xff, 10 * RIG_BLOCK);
		assert_int_equal(rig_do(rig, NVME_CMD_READ, 2, 8), 0);
		for (unsigned int byte = 0; byte < 8 * RIG_BLOCK; byte++)
			assert_int_equal(rig->data[byte], 0);
		rig_destroy(rig);
	}
}

static void closing_a_queue_waits_for_its_transfers(void **state)
{
	struct vctrl_file_attr attr = {.path = path};
	struct vctrl_medium *medium;
	struct rig *rig;
	unsigned int i;

	(void)state;
	assert_int_equal(vctrl_file_create(&attr, &medium), DOCA_SUCCESS);
	rig = rig_create(medium, RIG_BLOCK);
	for (i = 0; i < RIG_ENTRIES - 1; i++)
		rig_prepare(rig, i & 1 ? NVME_CMD_READ : NVME_CMD_FLUSH, 0, 256);
	nvme_queue_ring(&rig->host);
	vctrl_queue_poll(rig->device); /* started, whatever is finished by now */
	rig_destroy(rig);
}

/* A flush through a ring takes a thread of the kernel's. */
static int flush_without_threads(struct rig *rig)
{
	const struct rlimit none = {0};

	/* the limit is not for root */
	if (setrlimit(RLIMIT_NPROC, &none) || (!geteuid() && setuid(NOBODY)))
		return -1;
	return rig_do(rig, NVME_CMD_FLUSH, 0, 8);
}

static void a_flush_needs_no_thread(void **state)
{
	struct vctrl_file_attr attr = {.path = path};
	struct vctrl_medium *medium;
	int status;
	pid_t child;

	(void)state;
	child = fork();
	if (!child) {
		if (vctrl_file_create(&attr, &medium))
			_exit(1);
		_exit(flush_without_threads(rig_create(medium, RIG_BLOCK)));
	}
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_int_equal(status, 0);
}

static void null_reads_zeros_and_forgets(void **state)
{
	struct vctrl_medium *medium;
	struct rig *rig;

	(void)state;
	assert_int_equal(vctrl_null_create(RIG_SIZE, &medium), DOCA_SUCCESS);
	rig = rig_create(medium, RIG_BLOCK);
	memset(rig->data, 0xaa, 8 * RIG_BLOCK);
	assert_int_equal(rig_do(rig, NVME_CMD_WRITE, 0, 8), 0);
	assert_int_equal(rig_do(rig, NVME_CMD_READ, 0, 8), 0);
	assert_true(rig_is_zero(rig, 0, 8 * RIG_BLOCK));
	assert_int_equal(rig_do(rig, NVME_CMD_WRITE_ZEROES, 0, 8), 0);
	assert_int_equal(rig_do(rig, NVME_CMD_FLUSH, 0, 8), 0);
	rig_destroy(rig);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(create_refuses_what_is_no_disk, setup, teardown),
		cmocka_unit_test_setup_teardown(what_cannot_be_opened_is_told_apart, setup,
						teardown),
		cmocka_unit_test_setup_teardown(opening_raises_the_limit_of_open_files, setup,
						teardown),
		cmocka_unit_test_setup_teardown(a_file_has_one_writer, setup, teardown),
		cmocka_unit_test_setup_teardown(nobody_prints_into_a_disk, setup, teardown),
		cmocka_unit_test_setup_teardown(a_ring_is_no_standard_descriptor, setup, teardown),
		cmocka_unit_test_setup_teardown(read_only_media_refuse_writes, setup, teardown),
		cmocka_unit_test_setup_teardown(bytes_land_at_their_offset, setup, teardown),
		cmocka_unit_test_setup_teardown(a_resize_shows_after_rescan, setup, teardown),
		cmocka_unit_test_setup_teardown(a_file_that_shrank_gives_a_media_error, setup,
						teardown),
		cmocka_unit_test_setup_teardown(zeros_beyond_the_end_of_a_file_can_be_read, setup,
						teardown),
		cmocka_unit_test_setup_teardown(closing_a_queue_waits_for_its_transfers, setup,
						teardown),
		cmocka_unit_test_setup_teardown(a_flush_needs_no_thread, setup, teardown),
		cmocka_unit_test(null_reads_zeros_and_forgets),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
