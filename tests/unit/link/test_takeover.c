/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Exchanging pages: which ones, and what stays as it was.
 */
#include "takeovertest.h"

#include <liburing.h>
#include <stdio.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <ucontext.h>
#include "valgrind.h"

/* how many mappings of anonymous memory (or of something else) make up [p, p + size) */
static void count_mappings(const char *p, size_t size, unsigned int *anonymous, unsigned int *other)
{
	FILE *maps = fopen("/proc/self/maps", "re");
	char line[512];

	*anonymous = *other = 0;
	while (fgets(line, sizeof(line), maps)) {
		unsigned long from, to, inode;

		if (sscanf(line, "%lx-%lx %*4s %*x %*x:%*x %lu", &from, &to, &inode) != 3)
			continue;
		if (to > (uintptr_t)p && from < (uintptr_t)p + size)
			++*(inode ? other : anonymous);
	}
	fclose(maps);
}

static unsigned long locked_kb(void)
{
	FILE *status = fopen("/proc/self/status", "re");
	unsigned long kb = 0;
	char line[256];

	while (fgets(line, sizeof(line), status))
		sscanf(line, "VmLck: %lu", &kb);
	fclose(status);
	return kb;
}

/*
 * The system's calls, looked at: what a memfd has while memory of the process's own is made
 */

static struct {
	bool looks, without_mremap;
	int memfd;
	size_t made, most; /* the process's own so far; that and the memfd's, at most */
} calls;

static size_t bytes_of(int memfd)
{
	struct stat st;

	assert_int_equal(fstat(memfd, &st), 0);
	return (size_t)st.st_blocks * 512;
}

int madvise(void *addr, size_t size, int advice)
{
	if (calls.looks && advice == MADV_POPULATE_WRITE && size) {
		size_t both = bytes_of(calls.memfd) + calls.made;

		calls.made += size;
		calls.most = both > calls.most ? both : calls.most;
	}
	return (int)syscall(SYS_madvise, addr, size, advice);
}

void *mremap(void *old, size_t old_size, size_t new_size, int flags, ...)
{
	va_list args;
	void *to;

	va_start(args, flags);
	to = flags & MREMAP_FIXED ? va_arg(args, void *) : NULL;
	va_end(args);
	if (calls.without_mremap) {
		calls.made -= old_size; /* it is not put there, but given back */
		errno = ENOMEM;
		return MAP_FAILED;
	}
	return (void *)syscall(SYS_mremap, old, old_size, new_size, flags, to);
}

/*
 * There and back
 */

static void content_stays_and_the_peer_writes_into_it(void **state)
{
	struct range range = open_range();

	(void)state;
	fill(range.user, SIZE);
	assert_int_equal(takeover_share(range.memfd, 0, range.user, SIZE), TAKEOVER_DONE);
	assert_true(is_filled(range.user, SIZE));
	assert_true(is_filled(range.peer, SIZE));
	memcpy(range.peer + 12345, "from the peer", 13);
	assert_memory_equal(range.user + 12345, "from the peer", 13);
	memcpy(range.user + SIZE - 9, "from here", 9);
	assert_memory_equal(range.peer + SIZE - 9, "from here", 9);
	close_range_of(&range);
}

static void returned_memory_is_anonymous_again(void **state)
{
	struct range range = open_range();
	unsigned int anonymous, other;

	(void)state;
	fill(range.user, SIZE);
	assert_int_equal(takeover_share(range.memfd, 0, range.user, SIZE), TAKEOVER_DONE);
	assert_true(takeover_return(range.memfd, 0, range.user, SIZE, false));
	memset(range.peer, 0xee, SIZE);
	assert_true(is_filled(range.user, SIZE));
	count_mappings(range.user, SIZE, &anonymous, &other);
	assert_int_equal(other, 0);
	assert_int_equal(anonymous, 1); /* however many pieces it has gone through */
	/* what allocators rely on */
	assert_int_equal(madvise(range.user, SIZE, MADV_DONTNEED), 0);
	assert_int_equal(range.user[0] | range.user[SIZE - 1], 0);
	close_range_of(&range);
}

/* Memory may be limited, so it is not there twice, whichever way it goes back. */
static void gives_the_pages_up_piece_by_piece(void **state)
{
	(void)state;
	for (unsigned int way = 0; way < 2; way++) {
		struct range range = open_range();

		fill(range.user, SIZE);
		assert_int_equal(takeover_share(range.memfd, 0, range.user, SIZE), TAKEOVER_DONE);
		calls = (__typeof__(calls)){
			.looks = true, .without_mremap = way == 1, .memfd = range.memfd};
		assert_true(takeover_return(range.memfd, 0, range.user, SIZE, false));
		calls.looks = calls.without_mremap = false;
		assert_in_range(calls.most, 0, SIZE);
		assert_int_equal(bytes_of(range.memfd), 0);
		assert_true(is_filled(range.user, SIZE));
		close_range_of(&range);
	}
}

static void keeps_pages_that_are_needed(void **state)
{
	struct range range = open_range();

	(void)state;
	for (unsigned int way = 0; way < 2; way++) {
		fill(range.user, SIZE);
		assert_int_equal(takeover_share(range.memfd, 0, range.user, SIZE), TAKEOVER_DONE);
		calls.without_mremap = way == 1;
		assert_true(takeover_return(range.memfd, 0, range.user, SIZE, true));
		calls.without_mremap = false;
		memset(range.user, 0xee, SIZE);
		assert_true(is_filled(range.peer, SIZE));
	}
	close_range_of(&range);
}

static void the_same_memory_can_be_shared_again(void **state)
{
	struct range range = open_range();
	unsigned int round;

	(void)state;
	for (round = 0; round < 3; round++) {
		fill(range.user, SIZE);
		assert_int_equal(takeover_share(range.memfd, 0, range.user, SIZE), TAKEOVER_DONE);
		assert_true(is_filled(range.peer, SIZE));
		assert_true(takeover_return(range.memfd, 0, range.user, SIZE, false));
		assert_true(is_filled(range.user, SIZE));
	}
	close_range_of(&range);
}

static void untouched_pages_read_as_zero(void **state)
{
	struct range range = open_range();

	(void)state;
	range.user[SIZE / 2] = 1;
	assert_int_equal(takeover_share(range.memfd, 0, range.user, SIZE), TAKEOVER_DONE);
	assert_int_equal(range.user[0], 0);
	assert_int_equal(range.user[SIZE / 2], 1);
	assert_int_equal(range.user[SIZE - 1], 0);
	close_range_of(&range);
}

static void cut_memory_is_private(void **state)
{
	struct range range = open_range();

	(void)state;
	fill(range.user, SIZE);
	assert_int_equal(takeover_share(range.memfd, 0, range.user, SIZE), TAKEOVER_DONE);
	assert_true(takeover_cut(range.memfd, 0, range.user, SIZE));
	assert_true(is_filled(range.user, SIZE));
	memset(range.user, 0x55, SIZE);
	assert_true(is_filled(range.peer, SIZE));
	close_range_of(&range);
}

static void locked_memory_stays_locked(void **state)
{
	struct range range = open_range();
	unsigned long before;

	(void)state;
	if (mlock(range.user, 8 * 4096)) {
		close_range_of(&range);
		skip();
	}
	before = locked_kb();
	assert_int_equal(takeover_share(range.memfd, 0, range.user, 8 * 4096), TAKEOVER_DONE);
	assert_int_equal(locked_kb(), before);
	assert_true(takeover_return(range.memfd, 0, range.user, 8 * 4096, false));
	assert_int_equal(locked_kb(), before);
	close_range_of(&range);
}

/* in KiB: pages of the mapping with p that the kernel knows to be used */
static unsigned long referenced_kb(const char *p)
{
	FILE *smaps = fopen("/proc/self/smaps", "re");
	unsigned long from, to, kb = 0;
	bool is_it = false;
	char line[512];

	while (fgets(line, sizeof(line), smaps)) {
		if (sscanf(line, "%lx-%lx %*4s ", &from, &to) == 2)
			is_it = from <= (uintptr_t)p && (uintptr_t)p < to;
		else if (is_it && sscanf(line, "Referenced: %lu", &kb) == 1)
			break;
	}
	fclose(smaps);
	return kb;
}

/* To find out whether memory is locked must not make the kernel take it for unused. */
static void memory_that_is_not_exchanged_stays_in_use(void **state)
{
	struct range range = open_range();
	struct rlimit none = {0, 0}, before;
	unsigned long locked = locked_kb(), used, left;

	(void)state;
	fill(range.user, SIZE);
	used = referenced_kb(range.user);
	assert_int_equal(getrlimit(RLIMIT_FSIZE, &before), 0);
	none.rlim_max = before.rlim_max;
	assert_int_equal(setrlimit(RLIMIT_FSIZE, &none), 0);
	assert_int_equal(takeover_share(range.memfd, 0, range.user, SIZE), TAKEOVER_NO_MEMORY);
	assert_int_equal(setrlimit(RLIMIT_FSIZE, &before), 0);
	left = referenced_kb(range.user);
	close_range_of(&range);
	if (locked || !used)
		skip(); /* it is looked at, or nobody tells */
	assert_int_not_equal(left, 0);
}

/* A limit of locked memory is no limit here. */
static void nothing_is_locked(struct child *parent, void *arg)
{
	const struct rlimit none = {0, 0};
	struct range *range = arg;
	enum takeover taken;

	(void)parent;
	if (setrlimit(RLIMIT_MEMLOCK, &none))
		_exit(SKIP);
	become_nobody();
	taken = takeover_share(range->memfd, 0, range->user, SIZE);
	if (taken == TAKEOVER_THREADS)
		_exit(SKIP); /* a sanitizer has one of its own */
	if (taken)
		_exit(1);
	_exit(is_filled(range->user, SIZE) ? 0 : 2);
}

static void needs_no_right_to_lock_memory(void **state)
{
	struct range range = open_range();
	struct child child;
	int status;

	(void)state;
	fill(range.user, SIZE);
	child = child_start(nothing_is_locked, &range);
	status = child_join(&child);
	close_range_of(&range);
	if (status == SKIP)
		skip();
	assert_int_equal(status, 0);
}

/*
 * What is left alone
 */

static void check_refused(char *p, size_t size, enum takeover reason)
{
	int memfd = make_memfd(size);

	assert_int_equal(takeover_share(memfd, 0, p, size), reason);
	assert_true(strlen(priv_takeover_describe(reason)) > 5);
	close(memfd);
	munmap(p, size);
}

static void leaves_shared_memory_alone(void **state)
{
	(void)state;
	check_refused(map(SIZE, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1), SIZE,
		      TAKEOVER_SHARED);
}

static void leaves_read_only_memory_alone(void **state)
{
	(void)state;
	check_refused(map(SIZE, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1), SIZE,
		      TAKEOVER_READ_ONLY);
}

static void leaves_executable_memory_alone(void **state)
{
	char *p;

	(void)state;
	p = mmap(NULL, SIZE, PROT_READ | PROT_WRITE | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1,
		 0);
	if (p == MAP_FAILED)
		skip();
	check_refused(p, SIZE, TAKEOVER_EXECUTABLE);
}

static void leaves_files_alone(void **state)
{
	int fd = make_memfd(SIZE);

	(void)state;
	check_refused(map(SIZE, PROT_READ | PROT_WRITE, MAP_PRIVATE, fd), SIZE, TAKEOVER_FILE);
	close(fd);
}

static void leaves_huge_pages_alone(void **state)
{
	char *p = mmap(NULL, SIZE, PROT_READ | PROT_WRITE,
		       MAP_PRIVATE | MAP_ANONYMOUS | MAP_HUGETLB | MAP_POPULATE, -1, 0);

	(void)state;
	if (p == MAP_FAILED)
		skip(); /* none are reserved */
	check_refused(p, SIZE, TAKEOVER_FILE);
}

static void leaves_the_stack_alone(void **state)
{
	char array[3 * 4096];
	char *p = (char *)(((uintptr_t)array + 4095) & ~(uintptr_t)4095);
	int memfd = make_memfd(4096);

	(void)state;
	assert_int_equal(takeover_share(memfd, 0, p, 4096), TAKEOVER_STACK);
	close(memfd);
}

static struct range coroutine_range;
static enum takeover coroutine_answer;

static void run_coroutine(void)
{
	struct range *range = &coroutine_range;

	coroutine_answer = takeover_share(range->memfd, 0, range->user, SIZE);
}

static void leaves_the_stack_of_a_coroutine_alone(void **state)
{
	struct range *range = &coroutine_range;
	ucontext_t context, back;

	(void)state;
	*range = open_range();
	assert_int_equal(getcontext(&context), 0);
	context.uc_stack = (stack_t){.ss_sp = range->user, .ss_size = SIZE};
	context.uc_link = &back;
	makecontext(&context, run_coroutine, 0);
	assert_int_equal(swapcontext(&back, &context), 0);
	assert_int_equal(coroutine_answer, TAKEOVER_STACK);
	close_range_of(range);
}

static void leaves_ranges_with_holes_alone(void **state)
{
	char *p = map_plain(SIZE);

	(void)state;
	munmap(p + SIZE / 2, 4096);
	check_refused(p, SIZE, TAKEOVER_NOT_MAPPED);
	p = map_plain(2 * SIZE);
	munmap(p + SIZE, SIZE);
	check_refused(p, 2 * SIZE, TAKEOVER_NOT_MAPPED);
}

static void leaves_everything_alone_when_told_so(void **state)
{
	(void)state;
	setenv("SOFTFIELD_REGION", "copy", 1);
	check_refused(map_plain(SIZE), SIZE, TAKEOVER_FORBIDDEN);
	unsetenv("SOFTFIELD_REGION");
}

static void acts_when_told_so(void **state)
{
	struct range range = open_range();

	(void)state;
	setenv("SOFTFIELD_REGION", "auto", 1);
	assert_int_equal(takeover_share(range.memfd, 0, range.user, SIZE), TAKEOVER_DONE);
	unsetenv("SOFTFIELD_REGION");
	close_range_of(&range);
}

/* The kernel would go on writing into the pages behind the exchanged ones. */
static void leaves_pages_alone_while_memory_is_pinned(void **state)
{
	struct iovec iov = {.iov_len = 4096};
	struct io_uring ring;
	struct range range;
	char *pinned;

	(void)state;
	if (io_uring_queue_init(2, &ring, 0))
		skip();
	range = open_range();
	iov.iov_base = pinned = map_plain(4096);
	fill(range.user, SIZE);
	assert_int_equal(takeover_share(range.memfd, 0, range.user, SIZE / 2), TAKEOVER_DONE);
	assert_int_equal(io_uring_register_buffers(&ring, &iov, 1), 0);
	assert_int_equal(takeover_share(range.memfd, SIZE / 2, range.user + SIZE / 2, SIZE / 2),
			 TAKEOVER_PINNED);
	/* It might have been pinned meanwhile. */
	assert_false(takeover_return(range.memfd, 0, range.user, SIZE / 2, false));
	range.user[0] ^= 1;
	assert_int_equal(range.peer[0], range.user[0]);
	range.user[0] ^= 1;
	assert_true(is_filled(range.user, SIZE));
	io_uring_queue_exit(&ring);
	close_range_of(&range);
	munmap(pinned, 4096);
}

static void describes_what_others_make_up(void **state)
{
	unsigned int reason;

	(void)state;
	for (reason = 0; reason < TAKEOVER_COUNT; reason++)
		assert_non_null(priv_takeover_describe(reason));
	assert_non_null(priv_takeover_describe(TAKEOVER_COUNT));
	assert_non_null(priv_takeover_describe(0xffffffff));
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, leak_setup, leak_teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(content_stays_and_the_peer_writes_into_it),
		TEST(returned_memory_is_anonymous_again),
		TEST(gives_the_pages_up_piece_by_piece),
		TEST(keeps_pages_that_are_needed),
		TEST(the_same_memory_can_be_shared_again),
		TEST(untouched_pages_read_as_zero),
		TEST(cut_memory_is_private),
		TEST(locked_memory_stays_locked),
		TEST(memory_that_is_not_exchanged_stays_in_use),
		TEST(needs_no_right_to_lock_memory),
		TEST(leaves_shared_memory_alone),
		TEST(leaves_read_only_memory_alone),
		TEST(leaves_executable_memory_alone),
		TEST(leaves_files_alone),
		TEST(leaves_huge_pages_alone),
		TEST(leaves_the_stack_alone),
		TEST(leaves_the_stack_of_a_coroutine_alone),
		TEST(leaves_ranges_with_holes_alone),
		TEST(leaves_everything_alone_when_told_so),
		TEST(acts_when_told_so),
		TEST(leaves_pages_alone_while_memory_is_pinned),
		TEST(describes_what_others_make_up),
	};

	if (runs_under_valgrind()) {
		printf("valgrind has mappings of its own\n");
		return 77;
	}
	return cmocka_run_group_tests(tests, NULL, NULL);
}
