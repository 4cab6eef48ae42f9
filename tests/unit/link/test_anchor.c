/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Anchors: what is published can be opened, and nothing else can.
 */
#include "test.h"

#include <fcntl.h>
#include <string.h>
#include <sys/fsuid.h>
#include <sys/mman.h>
#include <unistd.h>
#include "child.h"
#include "link/anchor.h"

#define SIZE 256

static struct anchor published_with(int seals)
{
	struct anchor anchor;

	assert_int_equal(anchor_create(ANCHOR_EVENT, SIZE, seals, &anchor), DOCA_SUCCESS);
	return anchor;
}

static struct anchor published(void)
{
	return published_with(0);
}

static void both_see_the_same_memory(void **state)
{
	struct anchor mine = published();
	struct anchor other;
	char *a = mine.mem, *b;

	(void)state;
	assert_int_equal(anchor_open(&mine.ref, ANCHOR_EVENT, SIZE, true, &other), DOCA_SUCCESS);
	b = other.mem;
	assert_memory_equal(a, mine.ref.id, ANCHOR_ID_SIZE);
	a[SIZE - 1] = 'x';
	assert_int_equal(b[SIZE - 1], 'x');
	b[SIZE - 1] = 'y';
	assert_int_equal(fcntl(mine.fd, F_ADD_SEALS, F_SEAL_FUTURE_WRITE), -1);
	assert_int_equal(a[SIZE - 1], 'y');
	anchor_close(&mine);
	assert_int_equal(b[SIZE - 1], 'y'); /* an opener keeps what it has */
	anchor_close(&other);
}

static void protected_ones_open_for_reading_only(void **state)
{
	struct anchor mine = published_with(F_SEAL_FUTURE_WRITE);
	struct anchor other;
	char *a = mine.mem;

	(void)state;
	assert_int_not_equal(anchor_open(&mine.ref, ANCHOR_EVENT, SIZE, true, &other),
			     DOCA_SUCCESS);
	assert_int_equal(anchor_open(&mine.ref, ANCHOR_EVENT, SIZE, false, &other), DOCA_SUCCESS);
	a[SIZE - 1] = 'z';
	assert_int_equal(((char *)other.mem)[SIZE - 1], 'z');
	anchor_close(&other);
	anchor_close(&mine);
}

static void wrong_references_are_refused(void **state)
{
	struct anchor mine = published();
	struct anchor_ref ref = mine.ref;
	struct anchor other;

	(void)state;
	ref.id[0] ^= 1;
	assert_int_equal(anchor_open(&ref, ANCHOR_EVENT, SIZE, false, &other),
			 DOCA_ERROR_INVALID_VALUE);
	ref = mine.ref;
	ref.fd = 0; /* something, but not published */
	assert_int_equal(anchor_open(&ref, ANCHOR_EVENT, SIZE, false, &other),
			 DOCA_ERROR_INVALID_VALUE);
	ref.fd = UINT32_MAX;
	assert_int_equal(anchor_open(&ref, ANCHOR_EVENT, SIZE, false, &other),
			 DOCA_ERROR_NOT_FOUND);
	ref = mine.ref;
	ref.pid = 0;
	assert_int_equal(anchor_open(&ref, ANCHOR_EVENT, SIZE, false, &other),
			 DOCA_ERROR_NOT_FOUND);
	assert_int_equal(anchor_open(&mine.ref, ANCHOR_REGION, SIZE, false, &other),
			 DOCA_ERROR_INVALID_VALUE);
	assert_int_equal(anchor_open(&mine.ref, ANCHOR_EVENT, SIZE + 1, false, &other),
			 DOCA_ERROR_INVALID_VALUE);
	ref = mine.ref;
	anchor_close(&mine);
	assert_int_equal(anchor_open(&ref, ANCHOR_EVENT, SIZE, false, &other),
			 DOCA_ERROR_NOT_FOUND);
}

/* A memfd of the right name and identity, but one that could shrink under the opener. */
static void unsealed_memory_is_refused(void **state)
{
	struct anchor_ref ref = {.pid = (uint32_t)getpid(), .id = {1, 2, 3}};
	struct anchor other;
	int fd = memfd_create("softfield-event", MFD_CLOEXEC | MFD_ALLOW_SEALING);

	(void)state;
	assert_true(fd >= 0);
	assert_int_equal(ftruncate(fd, SIZE), 0);
	assert_int_equal(pwrite(fd, ref.id, sizeof(ref.id), 0), sizeof(ref.id));
	ref.fd = (uint32_t)fd;
	assert_int_equal(anchor_open(&ref, ANCHOR_EVENT, SIZE, false, &other),
			 DOCA_ERROR_INVALID_VALUE);
	assert_int_equal(fcntl(fd, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW), 0);
	assert_int_equal(anchor_open(&ref, ANCHOR_EVENT, SIZE, false, &other), DOCA_SUCCESS);
	anchor_close(&other);
	close(fd);
}

/* Opening must not wait for somebody to write into the pipe, nor change it. */
static void a_pipe_is_not_opened(void **state)
{
	struct anchor_ref ref = {.pid = (uint32_t)getpid()};
	struct anchor other;
	int fds[2];

	(void)state;
	assert_int_equal(pipe(fds), 0);
	ref.fd = (uint32_t)fds[0];
	assert_int_equal(anchor_open(&ref, ANCHOR_EVENT, SIZE, false, &other),
			 DOCA_ERROR_INVALID_VALUE);
	close(fds[0]);
	close(fds[1]);
}

static void publish_until_told(struct child *parent, void *arg)
{
	struct anchor mine = published();

	(void)arg;
	((char *)mine.mem)[SIZE - 1] = 'c';
	child_send(parent, &mine.ref, sizeof(mine.ref));
	child_await(parent);
	if (((char *)mine.mem)[SIZE - 1] != 'p')
		_exit(1);
}

static void other_processes_can_open(void **state)
{
	struct child child = child_start(publish_until_told, NULL);
	struct anchor_ref ref;
	struct anchor other;

	(void)state;
	child_receive(&child, &ref, sizeof(ref));
	assert_int_equal(ref.pid, child.pid);
	assert_int_equal(anchor_open(&ref, ANCHOR_EVENT, SIZE, true, &other), DOCA_SUCCESS);
	assert_int_equal(((char *)other.mem)[SIZE - 1], 'c');
	((char *)other.mem)[SIZE - 1] = 'p';
	child_tell(&child);
	assert_int_equal(child_join(&child), 0);
	anchor_close(&other);
	assert_int_equal(anchor_open(&ref, ANCHOR_EVENT, SIZE, true, &other), DOCA_ERROR_NOT_FOUND);
}

/* Root can, unless its user namespace has no other user. */
static bool can_be_another_user(void)
{
	int fd = memfd_create("softfield-test", MFD_CLOEXEC);
	bool can = geteuid() == 0 && !fchown(fd, 65534, 65533);

	close(fd);
	return can;
}

static void publish_and_become_nobody(struct child *parent, void *arg)
{
	struct anchor mine = published();

	(void)arg;
	if (setgid(65534) || setuid(65534))
		_exit(1);
	child_send(parent, &mine.ref, sizeof(mine.ref));
	child_await(parent);
}

/* what the answer is to who opens something of an exporter that changes its user */
static doca_error_t open_from(void (*exporter)(struct child *parent, void *arg))
{
	struct child child;
	struct anchor_ref ref;
	struct anchor other;
	doca_error_t err;

	if (!can_be_another_user())
		skip();
	child = child_start(exporter, NULL);
	child_receive(&child, &ref, sizeof(ref));
	err = anchor_open(&ref, ANCHOR_EVENT, SIZE, true, &other);
	if (!err)
		anchor_close(&other);
	child_tell(&child);
	assert_int_equal(child_join(&child), 0);
	return err;
}

static void an_exporter_may_give_up_its_rights(void **state)
{
	(void)state;
	assert_ok(open_from(publish_and_become_nobody));
}

static void show_what_another_user_made(struct child *parent, void *arg)
{
	struct anchor mine;

	(void)arg;
	if (setfsuid(65534) < 0)
		_exit(1);
	mine = published();
	setfsuid(0);
	if (setgid(65533) || setuid(65533))
		_exit(1);
	child_send(parent, &mine.ref, sizeof(mine.ref));
	child_await(parent);
}

/* He may have got it only to read, or may be rid of it: it is not his to export. */
static void what_another_user_made_is_refused(void **state)
{
	(void)state;
	assert_err(open_from(show_what_another_user_made), INVALID_VALUE);
}

static const struct anchor_blob blob_kind = {0x31323334, 64};

static void blobs_carry_a_reference_and_what_the_kind_adds(void **state)
{
	const struct anchor_ref ref = {.pid = 0x12345678, .fd = 7, .id = {9, 8, [15] = 1}};
	struct anchor_ref copy;
	struct wire_reader r;
	struct wire_writer w;
	uint8_t blob[64];

	(void)state;
	w = anchor_blob_begin(&blob_kind, blob, &ref);
	wire_put_u64(&w, 4711);
	anchor_blob_end(&blob_kind, blob, &w);
	assert_memory_equal(blob, "4321\1\0\x40\0\x78\x56\x34\x12\7\0\0\0\11\10", 18);
	assert_ok(anchor_blob_open(&blob_kind, blob, sizeof(blob), &r, &copy));
	assert_memory_equal(&copy, &ref, sizeof(ref));
	assert_int_equal(wire_get_u64(&r), 4711);
}

static void damaged_blobs_are_refused(void **state)
{
	const struct anchor_blob others[] = {{0x31323335, 64}, {0x31323334, 60}, {0x31323334, 68}};
	const struct anchor_ref ref = {.pid = 1};
	struct anchor_ref copy;
	struct wire_reader r;
	struct wire_writer w;
	uint8_t blob[68] = {0};
	unsigned int i;

	(void)state;
	w = anchor_blob_begin(&blob_kind, blob, &ref);
	anchor_blob_end(&blob_kind, blob, &w);
	for (i = 0; i < ARRAY_SIZE(others); i++)
		assert_err(anchor_blob_open(&others[i], blob, sizeof(blob), &r, &copy),
			   INVALID_VALUE);
	for (i = 0; i < 64; i++) {
		assert_err(anchor_blob_open(&blob_kind, blob, i, &r, &copy), INVALID_VALUE);
		blob[i] ^= 1;
		assert_err(anchor_blob_open(&blob_kind, blob, 64, &r, &copy), INVALID_VALUE);
		blob[i] ^= 1;
	}
	assert_ok(anchor_blob_open(&blob_kind, blob, sizeof(blob), &r, &copy));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(both_see_the_same_memory),
		cmocka_unit_test(protected_ones_open_for_reading_only),
		cmocka_unit_test(wrong_references_are_refused),
		cmocka_unit_test(unsealed_memory_is_refused),
		cmocka_unit_test(a_pipe_is_not_opened),
		cmocka_unit_test(other_processes_can_open),
		cmocka_unit_test(an_exporter_may_give_up_its_rights),
		cmocka_unit_test(what_another_user_made_is_refused),
		cmocka_unit_test(blobs_carry_a_reference_and_what_the_kind_adds),
		cmocka_unit_test(damaged_blobs_are_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
