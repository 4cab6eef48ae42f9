/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Disks and channels through the API, without an engine: the object need not run.
 */
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "doca_dev.h"
#include "sta/sta.h"
#include "test.h"
#include "readable.h"

#define SIZE  (1u << 20)
#define BLOCK 512u

struct fixture {
	struct doca_dev *dev;
	struct doca_pe *pe;
	struct doca_sta *sta;
	struct softfield_sta_disk *disk;
	struct softfield_sta_channel *channel;
	unsigned int done;
	uint16_t status;
	uint32_t result;
	uint8_t *data;
};

static int setup(void **state)
{
	const struct softfield_sta_disk_attr attr = {.kind = SOFTFIELD_STA_DISK_MEMORY,
						     .size = SIZE};
	struct fixture *f = calloc(1, sizeof(*f));
	struct doca_devinfo **list;
	uint32_t count, i;

	assert_ok(doca_devinfo_create_list(&list, &count));
	for (i = 0; !f->dev && i < count; i++)
		if (!doca_sta_cap_is_supported(list[i]))
			assert_ok(doca_dev_open(list[i], &f->dev));
	doca_devinfo_destroy_list(list);
	f->data = aligned_alloc(NVME_PAGE_SIZE, 128u << 10);
	assert_non_null(f->data);
	assert_ok(doca_pe_create(&f->pe));
	assert_ok(doca_sta_create(f->dev, &f->sta));
	assert_ok(softfield_sta_disk_open(f->sta, &attr, &f->disk));
	assert_ok(softfield_sta_channel_open(f->disk, f->pe, &f->channel));
	*state = f;
	return 0;
}

static int teardown(void **state)
{
	struct fixture *f = *state;

	assert_err(softfield_sta_disk_close(f->disk), IN_USE); /* by the channel */
	assert_err(doca_sta_destroy(f->sta), IN_USE);	       /* by the disk */
	assert_ok(softfield_sta_channel_close(f->channel));
	assert_ok(softfield_sta_disk_close(f->disk));
	assert_ok(doca_sta_destroy(f->sta));
	assert_ok(doca_pe_destroy(f->pe));
	assert_ok(doca_dev_close(f->dev));
	free(f->data);
	free(f);
	return 0;
}

static void on_done(uint16_t status, union doca_data data)
{
	struct fixture *f = data.ptr;

	f->status = status;
	assert_ok(softfield_sta_channel_get_result(f->channel, &f->result));
	f->done++;
}

static doca_error_t submit(struct fixture *f, const struct nvme_cmd *cmd, uint32_t size)
{
	const union doca_data data = {.ptr = f};

	return softfield_sta_channel_submit(f->channel, (const uint8_t *)cmd, f->data, size,
					    on_done, data);
}

static uint16_t execute(struct fixture *f, const struct nvme_cmd *cmd, uint32_t size)
{
	unsigned int before = f->done;

	assert_ok(submit(f, cmd, size));
	while (f->done == before)
		doca_pe_progress(f->pe);
	return f->status;
}

static struct nvme_cmd rw(uint8_t opcode, uint32_t slba, uint32_t blocks)
{
	return (struct nvme_cmd){.opcode = opcode,
				 .nsid = htole32(99), /* ignored, as are cid and descriptors */
				 .cid = htole16(77),
				 .flags = NVME_FLAG_PSDT_SGL,
				 .cdw10 = htole32(slba),
				 .cdw12 = htole32(blocks - 1)};
}

static void channels_execute_commands(void **state)
{
	static const uint32_t blocks[] = {1, 8, 16, 17, 256};
	struct fixture *f = *state;
	size_t i, k;

	for (i = 0; i < ARRAY_SIZE(blocks); i++) {
		struct nvme_cmd w = rw(NVME_CMD_WRITE, 100, blocks[i]);
		struct nvme_cmd r = rw(NVME_CMD_READ, 100, blocks[i]);
		struct nvme_cmd c = rw(NVME_CMD_COMPARE, 100, blocks[i]);
		uint32_t size = blocks[i] * BLOCK;

		for (k = 0; k < size; k++)
			f->data[k] = (uint8_t)(k * 3 + i);
		assert_int_equal(execute(f, &w, size), 0);
		memset(f->data, 0, size);
		assert_int_equal(execute(f, &r, size), 0);
		for (k = 0; k < size; k++)
			assert_int_equal(f->data[k], (uint8_t)(k * 3 + i));
		assert_int_equal(execute(f, &c, size), 0);
		f->data[size - 1] ^= 1;
		assert_int_equal(execute(f, &c, size), NVME_SC_COMPARE_FAILURE | NVME_SC_DNR);
	}
}

static void zeroes_and_deallocation_clear(void **state)
{
	struct fixture *f = *state;
	const struct nvme_dsm_range range = {.nlb = htole32(8), .slba = htole64(8)};
	struct nvme_cmd w = rw(NVME_CMD_WRITE, 0, 32), r = rw(NVME_CMD_READ, 0, 32);
	struct nvme_cmd zeroes = rw(NVME_CMD_WRITE_ZEROES, 0, 8);
	struct nvme_cmd dsm = {.opcode = NVME_CMD_DSM, .cdw11 = htole32(NVME_DSM_AD)};
	struct nvme_cmd flush = {.opcode = NVME_CMD_FLUSH};
	size_t i;

	memset(f->data, 0x55, 32 * BLOCK);
	assert_int_equal(execute(f, &w, 32 * BLOCK), 0);
	assert_int_equal(execute(f, &zeroes, 0), 0);
	memcpy(f->data, &range, sizeof(range));
	assert_int_equal(execute(f, &dsm, sizeof(range)), 0);
	assert_int_equal(execute(f, &flush, 0), 0);
	assert_int_equal(execute(f, &r, 32 * BLOCK), 0);
	for (i = 0; i < 32 * BLOCK; i++)
		assert_int_equal(f->data[i], i < 16 * BLOCK ? 0 : 0x55);
}

static void channels_are_limited(void **state)
{
	struct fixture *f = *state;
	struct nvme_cmd r = rw(NVME_CMD_READ, 0, 1);
	unsigned int count = 0;

	while (submit(f, &r, BLOCK) == DOCA_SUCCESS)
		count++;
	assert_int_equal(count, 127); /* a ring of 128 */
	assert_err(submit(f, &r, BLOCK), AGAIN);
	while (f->done < count)
		doca_pe_progress(f->pe);
	assert_ok(submit(f, &r, BLOCK));
	/* closing waits for it, and does not tell */
}

struct halves {
	uint16_t status[2];
	unsigned int done;
};

static void on_first(uint16_t status, union doca_data data)
{
	struct halves *halves = data.ptr;

	halves->status[0] = status;
	halves->done++;
}

static void on_second(uint16_t status, union doca_data data)
{
	struct halves *halves = data.ptr;

	halves->status[1] = status;
	halves->done++;
}

/* zeros are expected, and become ones */
static doca_error_t submit_fused(struct fixture *f, struct halves *halves)
{
	static const struct nvme_cmd compare = {.opcode = NVME_CMD_COMPARE, .cdw10 = 100},
				     write = {.opcode = NVME_CMD_WRITE, .cdw10 = 100};
	const struct softfield_sta_request first = {
		(const uint8_t *)&compare, f->data, BLOCK, on_first, {.ptr = halves}};
	const struct softfield_sta_request second = {
		(const uint8_t *)&write, f->data + BLOCK, BLOCK, on_second, {.ptr = halves}};

	memset(f->data, 0, BLOCK);
	memset(f->data + BLOCK, 1, BLOCK);
	return softfield_sta_channel_submit_fused(f->channel, &first, &second);
}

static void channels_compare_and_write(void **state)
{
	struct fixture *f = *state;
	struct halves written = {0}, found = {0};
	struct nvme_cmd r = rw(NVME_CMD_READ, 100, 1);
	unsigned int count = 0;

	assert_ok(submit_fused(f, &written));
	assert_ok(submit_fused(f, &found));
	while (written.done < 2 || found.done < 2)
		doca_pe_progress(f->pe);
	assert_int_equal(written.status[0], 0);
	assert_int_equal(written.status[1], 0);
	assert_int_equal(found.status[0], NVME_SC_COMPARE_FAILURE | NVME_SC_DNR);
	assert_int_equal(found.status[1], NVME_SC_FAILED_FUSED);
	assert_int_equal(execute(f, &r, BLOCK), 0);
	assert_int_equal(f->data[BLOCK - 1], 1);
	while (count < 126 && submit(f, &r, BLOCK) == DOCA_SUCCESS)
		count++;
	assert_err(submit_fused(f, &found), AGAIN); /* there is room for one */
	assert_ok(submit(f, &r, BLOCK));
}

/* The disk has no descriptor that could end the sleep. */
static void nobody_sleeps_on_a_command(void **state)
{
	struct fixture *f = *state;
	struct nvme_cmd r = rw(NVME_CMD_READ, 0, 1);

	while (doca_pe_progress(f->pe))
		;
	assert_ok(submit(f, &r, BLOCK));
	assert_ok(doca_pe_request_notification(f->pe));
	assert_true(pe_is_readable(f->pe));
	assert_ok(doca_pe_clear_notification(f->pe, 0));
	while (doca_pe_progress(f->pe))
		;
	assert_int_equal(f->done, 1);
}

/* The disk has looked at the command, and has finished it: only the callback is owed. */
static void nobody_sleeps_on_an_aborted_command(void **state)
{
	struct fixture *f = *state;
	struct nvme_cmd r = rw(NVME_CMD_READ, 0, 1);
	const union doca_data data = {.ptr = f};

	while (doca_pe_progress(f->pe))
		;
	assert_ok(submit(f, &r, BLOCK));
	assert_ok(softfield_sta_channel_abort(f->channel, data));
	assert_int_equal(f->done, 0);
	assert_ok(doca_pe_request_notification(f->pe));
	assert_true(pe_is_readable(f->pe));
	assert_ok(doca_pe_clear_notification(f->pe, 0));
	while (doca_pe_progress(f->pe))
		;
	assert_int_equal(f->done, 1);
}

/* More than the disk gives back at once, which it does in polls. */
static void commands_end_when_nobody_wants_them(void **state)
{
	const struct softfield_sta_disk_attr attr = {.kind = SOFTFIELD_STA_DISK_MEMORY,
						     .size = 1u << 30};
	const struct nvme_dsm_range range = {.nlb = htole32((1u << 30) / BLOCK)};
	const struct nvme_cmd discard = {.opcode = NVME_CMD_DSM, .cdw11 = htole32(NVME_DSM_AD)};
	struct fixture *f = *state, other = *f;
	const union doca_data data = {.ptr = &other}, none = {.ptr = f};
	unsigned int i;

	assert_ok(softfield_sta_disk_open(f->sta, &attr, &other.disk));
	assert_ok(softfield_sta_channel_open(other.disk, f->pe, &other.channel));
	assert_err(softfield_sta_channel_abort(NULL, data), INVALID_VALUE);
	assert_err(softfield_sta_channel_abort(other.channel, data), NOT_FOUND);
	memcpy(f->data, &range, sizeof(range));
	for (i = 0; i < 3; i++)
		assert_ok(submit(&other, &discard, sizeof(range)));
	assert_err(softfield_sta_channel_abort(other.channel, none), NOT_FOUND);
	assert_ok(softfield_sta_channel_abort(other.channel, data));
	assert_int_equal(other.done, 0); /* not inside the call */
	while (other.done < 3) {
		doca_pe_progress(f->pe);
		assert_int_equal(other.status, other.done ? NVME_SC_ABORT_REQUESTED : 0);
	}
	assert_int_equal(execute(&other, &discard, sizeof(range)), 0);
	assert_err(softfield_sta_channel_abort(other.channel, data), NOT_FOUND);
	assert_ok(softfield_sta_channel_close(other.channel));
	assert_ok(softfield_sta_disk_close(other.disk));
}

struct late_abort {
	struct fixture *f;
	struct softfield_sta_channel *channel;
	uint16_t status;
	unsigned int done;
	bool asked;
};

static void on_late_done(uint16_t status, union doca_data data)
{
	struct late_abort *late = data.ptr;

	late->status = status;
	late->done++;
}

/* its place and more are free, but the disk has not been told yet */
static void on_flushed(uint16_t status, union doca_data data)
{
	const struct nvme_cmd discard = {.opcode = NVME_CMD_DSM, .cdw11 = htole32(NVME_DSM_AD)};
	struct late_abort *late = data.ptr;

	assert_int_equal(status, 0);
	assert_ok(softfield_sta_channel_submit(late->channel, (const uint8_t *)&discard,
					       late->f->data, sizeof(struct nvme_dsm_range),
					       on_late_done, data));
	assert_ok(softfield_sta_channel_abort(late->channel, data));
	late->asked = true;
}

static void those_submitted_in_a_callback_end_too(void **state)
{
	const struct softfield_sta_disk_attr attr = {.kind = SOFTFIELD_STA_DISK_MEMORY,
						     .size = 1u << 30};
	const struct nvme_dsm_range range = {.nlb = htole32((1u << 30) / BLOCK)};
	const struct nvme_cmd discard = {.opcode = NVME_CMD_DSM, .cdw11 = htole32(NVME_DSM_AD)};
	const struct nvme_cmd flush = {.opcode = NVME_CMD_FLUSH};
	struct fixture *f = *state, other = *f;
	struct late_abort late = {.f = f};
	const union doca_data data = {.ptr = &late};

	assert_ok(softfield_sta_disk_open(f->sta, &attr, &other.disk));
	assert_ok(softfield_sta_channel_open(other.disk, f->pe, &other.channel));
	late.channel = other.channel;
	memcpy(f->data, &range, sizeof(range));
	assert_ok(softfield_sta_channel_submit(late.channel, (const uint8_t *)&flush, NULL, 0,
					       on_flushed, data));
	while (submit(&other, &discard, sizeof(range)) == DOCA_SUCCESS)
		;
	while (!late.done)
		doca_pe_progress(f->pe);
	assert_true(late.asked);
	assert_int_equal(late.status, NVME_SC_ABORT_REQUESTED);
	assert_ok(softfield_sta_channel_close(other.channel));
	assert_ok(softfield_sta_disk_close(other.disk));
}

static void a_copy_that_fails_says_where(void **state)
{
	struct fixture *f = *state, file = {.pe = f->pe, .data = f->data};
	char path[] = "/tmp/softfield-disk-XXXXXX";
	struct softfield_sta_disk_attr attr = {.kind = SOFTFIELD_STA_DISK_FILE, .path = path};
	struct nvme_copy_range *ranges = (void *)f->data;
	struct nvme_cmd copy = rw(NVME_CMD_COPY, 100, 3);
	int fd = mkstemp(path);

	assert_int_equal(ftruncate(fd, SIZE), 0);
	assert_ok(softfield_sta_disk_open(f->sta, &attr, &file.disk));
	assert_ok(softfield_sta_channel_open(file.disk, file.pe, &file.channel));
	unlink(path);
	memset(ranges, 0, 3 * sizeof(*ranges));
	assert_int_equal(execute(&file, &copy, 3 * sizeof(*ranges)), 0);
	assert_int_equal(file.result, 0);
	ranges[2].slba = htole64(SIZE / BLOCK - 1);
	assert_int_equal(ftruncate(fd, SIZE / 2), 0); /* without a word: an error of the medium */
	assert_int_equal(execute(&file, &copy, 3 * sizeof(*ranges)), NVME_SC_READ_ERROR);
	assert_int_equal(file.result, 2);
	assert_ok(softfield_sta_channel_close(file.channel));
	assert_ok(softfield_sta_disk_close(file.disk));
	close(fd);
}

static void arguments_are_checked(void **state)
{
	const union doca_data none = {.ptr = NULL};
	struct softfield_sta_disk_attr attr = {.kind = SOFTFIELD_STA_DISK_NULL, .size = SIZE};
	struct softfield_sta_channel *channel;
	struct softfield_sta_disk_info info;
	struct softfield_sta_disk *disk;
	struct fixture *f = *state;
	struct nvme_cmd r = rw(NVME_CMD_READ, 0, 1);
	const struct softfield_sta_request right = {
		(const uint8_t *)&r, f->data, BLOCK, on_done, {.ptr = f}};
	const struct softfield_sta_request wrong = {
		(const uint8_t *)&r, NULL, BLOCK, on_done, {.ptr = f}};

	assert_err(softfield_sta_disk_open(NULL, &attr, &disk), INVALID_VALUE);
	assert_err(softfield_sta_disk_open(f->sta, NULL, &disk), INVALID_VALUE);
	assert_err(softfield_sta_disk_open(f->sta, &attr, NULL), INVALID_VALUE);
	attr.block_size = 513;
	assert_err(softfield_sta_disk_open(f->sta, &attr, &disk), INVALID_VALUE);
	attr.block_size = 0;
	attr.kind = SOFTFIELD_STA_DISK_MEMORY;
	attr.size = 0;
	assert_err(softfield_sta_disk_open(f->sta, &attr, &disk), INVALID_VALUE);
	attr.kind = SOFTFIELD_STA_DISK_FILE;
	assert_err(softfield_sta_disk_open(f->sta, &attr, &disk), INVALID_VALUE);
	attr.kind = (enum softfield_sta_disk_kind)99;
	assert_err(softfield_sta_disk_open(f->sta, &attr, &disk), INVALID_VALUE);
	assert_err(softfield_sta_disk_close(NULL), INVALID_VALUE);
	assert_err(softfield_sta_disk_get_info(NULL, &info), INVALID_VALUE);
	assert_err(softfield_sta_disk_get_info(f->disk, NULL), INVALID_VALUE);
	assert_err(softfield_sta_disk_rescan(NULL), INVALID_VALUE);
	assert_err(softfield_sta_channel_open(NULL, f->pe, &channel), INVALID_VALUE);
	assert_err(softfield_sta_channel_open(f->disk, NULL, &channel), INVALID_VALUE);
	assert_err(softfield_sta_channel_open(f->disk, f->pe, NULL), INVALID_VALUE);
	assert_err(softfield_sta_channel_close(NULL), INVALID_VALUE);
	assert_err(softfield_sta_channel_get_result(NULL, &f->result), INVALID_VALUE);
	assert_err(softfield_sta_channel_get_result(f->channel, NULL), INVALID_VALUE);
	assert_err(submit(f, &r, (128u << 10) + 1), INVALID_VALUE);
	assert_err(softfield_sta_channel_submit(f->channel, (uint8_t *)&r, NULL, 1, on_done, none),
		   INVALID_VALUE);
	assert_err(softfield_sta_channel_submit(f->channel, (uint8_t *)&r, f->data, 1, NULL, none),
		   INVALID_VALUE);
	assert_err(softfield_sta_channel_submit_fused(f->channel, &right, NULL), INVALID_VALUE);
	assert_err(softfield_sta_channel_submit_fused(f->channel, NULL, &right), INVALID_VALUE);
	assert_err(softfield_sta_channel_submit_fused(NULL, &right, &right), INVALID_VALUE);
	assert_err(softfield_sta_channel_submit_fused(f->channel, &right, &wrong), INVALID_VALUE);
	assert_err(softfield_sta_channel_submit_fused(f->channel, &wrong, &right), INVALID_VALUE);
}

static void disks_on_pci_that_are_not_there(void **state)
{
	static const char *const addresses[] = {"ffff:ff:1f.7", "../../..", "", "0000"};
	struct softfield_sta_disk_attr attr = {.kind = SOFTFIELD_STA_DISK_PCI};
	struct softfield_sta_disk *disk;
	struct fixture *f = *state;
	size_t i;

	assert_err(softfield_sta_disk_open(f->sta, &attr, &disk), INVALID_VALUE);
	for (i = 0; i < ARRAY_SIZE(addresses); i++) {
		attr.path = addresses[i];
		assert_err(softfield_sta_disk_open(f->sta, &attr, &disk), NOT_FOUND);
	}
}

static void info_says_what_a_disk_is(void **state)
{
	struct softfield_sta_disk_attr attr = {.kind = SOFTFIELD_STA_DISK_FILE, .block_size = 4096};
	char path[] = "/tmp/sta-disk-XXXXXX";
	struct softfield_sta_disk_info info;
	struct softfield_sta_disk *disk;
	struct fixture *f = *state;
	int fd = mkstemp(path);

	assert_ok(softfield_sta_disk_get_info(f->disk, &info));
	assert_int_equal(info.blocks, SIZE / BLOCK);
	assert_int_equal(info.block_size, BLOCK);
	assert_false(info.write_cache);
	assert_int_equal(ftruncate(fd, SIZE), 0);
	attr.path = path;
	assert_ok(softfield_sta_disk_open(f->sta, &attr, &disk));
	assert_ok(softfield_sta_disk_get_info(disk, &info));
	assert_int_equal(info.blocks, SIZE / 4096);
	assert_int_equal(info.block_size, 4096);
	assert_int_equal(info.ns_id, 1);
	assert_true(info.write_cache);
	assert_false(info.read_only);
	assert_int_equal(info.dlfeat, 0x09); /* zeroes, and Write Zeroes may deallocate */
	assert_true(info.can_fuse);
	assert_int_equal(info.oncs, NVME_ONCS_OURS);
	assert_int_equal(ftruncate(fd, 2 * SIZE), 0);
	assert_ok(softfield_sta_disk_rescan(disk));
	assert_ok(softfield_sta_disk_get_info(disk, &info));
	assert_int_equal(info.blocks, 2 * SIZE / 4096);
	assert_ok(softfield_sta_disk_close(disk));
	close(fd);
	unlink(path);
	attr = (struct softfield_sta_disk_attr){
		.kind = SOFTFIELD_STA_DISK_MEMORY, .size = SIZE, .read_only = true};
	assert_ok(softfield_sta_disk_open(f->sta, &attr, &disk));
	assert_ok(softfield_sta_disk_get_info(disk, &info));
	assert_true(info.read_only);
	assert_ok(softfield_sta_disk_close(disk));
}

struct visit {
	struct fixture *f;
	struct softfield_sta_disk_attr attr;
	struct softfield_sta_disk *disk;
	struct softfield_sta_channel *channel;
	bool is_well;
};

/* Has nothing on its stack, which the address sanitizer would miss (CANCELS_ARE_SEEN). */
static void *visit_when_cancelled(void *arg)
{
	struct visit *visit = arg;

	pthread_cancel(pthread_self());
	visit->is_well = !softfield_sta_disk_open(visit->f->sta, &visit->attr, &visit->disk) &&
			 !softfield_sta_channel_open(visit->disk, visit->f->pe, &visit->channel) &&
			 !softfield_sta_channel_close(visit->channel) &&
			 !softfield_sta_disk_close(visit->disk);
	pthread_testcancel();
	return NULL;
}

static void disks_of_a_cancelled_thread_are_whole(void **state)
{
	char path[] = "/tmp/sta-disk-XXXXXX";
	struct visit visit = {.f = *state, .attr = {.kind = SOFTFIELD_STA_DISK_FILE, .path = path}};
	int fd = mkstemp(path);
	pthread_t thread;

	assert_int_equal(ftruncate(fd, SIZE), 0);
	assert_int_equal(pthread_create(&thread, NULL, visit_when_cancelled, &visit), 0);
	assert_int_equal(pthread_join(thread, NULL), 0);
	close(fd);
	unlink(path);
	assert_true(visit.is_well);
}

#define ROW(test) cmocka_unit_test_setup_teardown(test, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		ROW(channels_execute_commands),
		ROW(zeroes_and_deallocation_clear),
		ROW(channels_are_limited),
		ROW(channels_compare_and_write),
		ROW(nobody_sleeps_on_a_command),
		ROW(a_copy_that_fails_says_where),
		ROW(arguments_are_checked),
		ROW(disks_on_pci_that_are_not_there),
		ROW(info_says_what_a_disk_is),
		ROW(disks_of_a_cancelled_thread_are_whole),
		ROW(commands_end_when_nobody_wants_them),
		ROW(those_submitted_in_a_callback_end_too),
		ROW(nobody_sleeps_on_an_aborted_command),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
