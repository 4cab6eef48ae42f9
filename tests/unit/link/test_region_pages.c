/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Exported memory that an importer maps: a child that reads and writes there without a system call,
 * while its parent goes on using the memory, and what is around it, as if nothing had happened.
 */
#include "takeovertest.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <sys/syscall.h>
#include "allowed.h"
#include "doca_log.h"
#include "link/region.h"
#include "link/region_pages.h"
#include "said.h"
#include "seccomp.h"
#include "valgrind.h"
#include "pages.h"

/*
 * The importer
 */

struct order {
	enum { ATTACH, READ, WRITE, DETACH } what;
	size_t offset; /* of the byte that is meant */
	char byte;
	uint8_t blob[REGION_BLOB_SIZE];
};

/* how a region is seen: enum takeover, or FAILED; or the byte that was read */
#define FAILED TAKEOVER_COUNT

static unsigned int attach(const struct order *order, struct region_view *view,
			   struct region_remote **remote)
{
	struct region_desc desc;

	if (region_blob_decode(order->blob, sizeof(order->blob), &desc) ||
	    region_attach(&desc, remote))
		return FAILED;
	*view = *region_remote_view(*remote);
	return view->obstacle;
}

static void import_and_obey(struct child *parent, void *arg)
{
	struct region_remote *remote = NULL;
	struct region_view view = {0};
	struct order order;

	(void)arg;
	signal(SIGSEGV, SIG_DFL); /* the test's handler would go on with the next test */
	for (;;) {
		unsigned int answer = 0;

		child_receive(parent, &order, sizeof(order));
		if (order.what == ATTACH) {
			answer = attach(&order, &view, &remote);
		} else if (order.what == READ) {
			answer = (unsigned char)view.addr[order.offset];
		} else if (order.what == WRITE) {
			view.addr[order.offset] = order.byte;
		} else {
			region_detach(remote);
		}
		child_send(parent, &answer, sizeof(answer));
	}
}

static unsigned int obey(struct child *importer, const struct order *order)
{
	unsigned int answer;

	child_send(importer, order, sizeof(*order));
	child_receive(importer, &answer, sizeof(answer));
	return answer;
}

static unsigned int attached(struct child *importer, const struct region_export *region)
{
	struct order order = {.what = ATTACH};

	memcpy(order.blob, region_export_blob(region), sizeof(order.blob));
	return obey(importer, &order);
}

static char read_there(struct child *importer, size_t offset)
{
	return (char)obey(importer, &(struct order){.what = READ, .offset = offset});
}

static void write_there(struct child *importer, size_t offset, char byte)
{
	obey(importer, &(struct order){.what = WRITE, .offset = offset, .byte = byte});
}

static void detach_there(struct child *importer)
{
	obey(importer, &(struct order){.what = DETACH});
}

static struct region_export *export(char *addr, size_t size)
{
	struct region_export *region;

	assert_ok(region_export_create(addr, size, REGION_READ | REGION_WRITE, TAKEOVER_DONE,
				       &region));
	return region;
}

/*
 * What both see
 */

static void both_see_what_the_other_writes(void **state)
{
	struct child importer = child_start(import_and_obey, NULL);
	const size_t size = 3 * PAGE;
	char *memory = map_plain(5 * PAGE), *addr = memory + PAGE - 24;
	struct region_export *region;

	(void)state;
	fill(memory, 5 * PAGE);
	region = export(addr, size);
	assert_int_equal(attached(&importer, region), TAKEOVER_DONE);
	assert_true(is_filled(memory, 5 * PAGE));
	assert_int_equal(read_there(&importer, 0), addr[0]);
	assert_int_equal(read_there(&importer, size - 1), addr[size - 1]);
	addr[7] = 'h';
	assert_int_equal(read_there(&importer, 7), 'h');
	write_there(&importer, size - 1, 'd');
	assert_int_equal(addr[size - 1], 'd');

	/* Withdrawn, it is the program's own, with its content. */
	region_export_destroy(region);
	assert_int_equal(addr[7], 'h');
	assert_int_equal(addr[size - 1], 'd');
	write_there(&importer, 7, 'x');
	assert_int_equal(addr[7], 'h');
	detach_there(&importer);
	child_kill(&importer);
	munmap(memory, 5 * PAGE);
}

static void an_importer_reads_only_if_so_exported(void **state)
{
	struct child importer = child_start(import_and_obey, NULL);
	char *memory = map_plain(PAGE);
	struct order order = {.what = WRITE};
	struct region_export *region;
	int status;

	(void)state;
	assert_ok(region_export_create(memory, PAGE, REGION_READ, TAKEOVER_DONE, &region));
	assert_int_equal(attached(&importer, region), TAKEOVER_DONE);
	assert_int_equal(read_there(&importer, 0), 0);
	child_send(&importer, &order, sizeof(order));
	assert_int_equal(waitpid(importer.pid, &status, 0), importer.pid);
	assert_true(WIFSIGNALED(status) || WEXITSTATUS(status)); /* a sanitizer's way to say it */
	region_export_destroy(region);
	munmap(memory, PAGE);
}

static void exports_share_pages(void **state)
{
	struct child importers[2] = {child_start(import_and_obey, NULL),
				     child_start(import_and_obey, NULL)};
	char *memory = map_plain(3 * PAGE);
	struct region_export *regions[2];

	(void)state;
	fill(memory, 3 * PAGE);
	regions[0] = export(memory + 64, 3 * PAGE / 2);
	regions[1] = export(memory + PAGE, 3 * PAGE / 2);
	assert_int_equal(attached(&importers[0], regions[0]), TAKEOVER_DONE);
	assert_int_equal(attached(&importers[1], regions[1]), TAKEOVER_DONE);
	assert_true(is_filled(memory, 3 * PAGE));
	write_there(&importers[1], 10, 'b');
	assert_int_equal(memory[PAGE + 10], 'b');
	assert_int_equal(read_there(&importers[0], PAGE - 64 + 10), 'b');

	/* The pages of the other one stay. */
	region_export_destroy(regions[0]);
	write_there(&importers[0], 0, 'x');
	assert_int_equal(memory[64], pattern(64));
	write_there(&importers[1], 10, 'c');
	assert_int_equal(memory[PAGE + 10], 'c');
	region_export_destroy(regions[1]);
	write_there(&importers[1], 10, 'x');
	assert_int_equal(memory[PAGE + 10], 'c');
	for (int i = 0; i < 2; i++)
		child_kill(&importers[i]);
	munmap(memory, 3 * PAGE);
}

/* The program frees memory that it has exported, and exports what is there next. */
static void memory_may_come_and_go(void **state)
{
	struct child importer = child_start(import_and_obey, NULL);
	char *memory = map_plain(2 * PAGE);
	struct region_export *old, *young;

	(void)state;
	fill(memory, 2 * PAGE);
	old = export(memory, 2 * PAGE);
	assert_ptr_equal(mmap(memory, PAGE, PROT_READ | PROT_WRITE,
			      MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0),
			 memory);
	assert_int_equal(memory[1], 0);
	young = export(memory, 2 * PAGE);
	assert_int_equal(attached(&importer, young), TAKEOVER_DONE);
	assert_int_equal(read_there(&importer, 1), 0);
	assert_int_equal(read_there(&importer, PAGE + 1), pattern(PAGE + 1));
	memory[1] = 'y';
	assert_int_equal(read_there(&importer, 1), 'y');
	region_export_destroy(old);
	write_there(&importer, 1, 'z');
	assert_int_equal(memory[1], 'z');
	munmap(memory, 2 * PAGE);
	region_export_destroy(young);
	child_kill(&importer);
}

static void moved_memory_is_never_written_over(void **state)
{
	struct child importer = child_start(import_and_obey, NULL);
	char *memory = map_plain(2 * PAGE), *moved;
	struct region_export *old, *young;

	(void)state;
	fill(memory, 2 * PAGE);
	old = export(memory, 2 * PAGE);
	moved = mremap(memory, 2 * PAGE, 2 * PAGE, MREMAP_MAYMOVE | MREMAP_FIXED,
		       map_plain(2 * PAGE));
	assert_ptr_not_equal(moved, MAP_FAILED);
	assert_ptr_equal(mmap(memory, 2 * PAGE, PROT_READ | PROT_WRITE,
			      MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0),
			 memory);
	young = export(memory, 2 * PAGE);
	assert_int_equal(attached(&importer, young), TAKEOVER_SHARED);
	assert_true(is_filled(moved, 2 * PAGE));
	region_export_destroy(young);
	region_export_destroy(old);
	assert_true(is_filled(moved, 2 * PAGE));
	munmap(memory, 2 * PAGE);
	munmap(moved, 2 * PAGE);
	child_kill(&importer);
}

/*
 * What hinders it
 */

static void an_obstacle_is_told_to_the_importer(void **state)
{
	char *shared = map(PAGE, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1);
	char *plain = map_plain(3 * PAGE), here[64];
	const struct {
		char *addr;
		size_t size;
		enum takeover wanted, found;
	} cases[] = {
		{plain, PAGE, TAKEOVER_TOO_LARGE, TAKEOVER_TOO_LARGE},
		{shared, PAGE, TAKEOVER_DONE, TAKEOVER_SHARED},
		{here, sizeof(here), TAKEOVER_DONE, TAKEOVER_STACK},
	};
	struct region_export *regions[2];
	struct child importer;

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		importer = child_start(import_and_obey, NULL);
		assert_ok(region_export_create(cases[i].addr, cases[i].size, REGION_READ,
					       cases[i].wanted, &regions[0]));
		assert_int_equal(attached(&importer, regions[0]), cases[i].found);
		region_export_destroy(regions[0]);
		child_kill(&importer);
	}
	/* Others may be writing there by the kernel. */
	importer = child_start(import_and_obey, NULL);
	assert_ok(region_export_create(plain + PAGE, 1, REGION_WRITE, TAKEOVER_TOO_LARGE,
				       &regions[0]));
	regions[1] = export(plain, 3 * PAGE);
	assert_int_equal(attached(&importer, regions[1]), TAKEOVER_EXPORTED);
	region_export_destroy(regions[0]);
	region_export_destroy(regions[1]);
	child_kill(&importer);
	munmap(shared, PAGE);
	munmap(plain, 3 * PAGE);
}

/* Half of it can be exchanged, which nobody must see afterwards. */
static void what_cannot_be_mapped_is_left_alone(void **state)
{
	struct child importer = child_start(import_and_obey, NULL);
	char *memory = map_plain(2 * PAGE);
	struct region_export *region;

	(void)state;
	fill(memory, 2 * PAGE);
	assert_ptr_equal(mmap(memory + PAGE, PAGE, PROT_READ | PROT_WRITE,
			      MAP_SHARED | MAP_ANONYMOUS | MAP_FIXED, -1, 0),
			 memory + PAGE);
	region = export(memory, 2 * PAGE);
	assert_int_equal(attached(&importer, region), TAKEOVER_SHARED);
	assert_true(is_filled(memory, PAGE));
	region_export_destroy(region);
	child_kill(&importer);
	munmap(memory, 2 * PAGE);
}

/* Its importers may be writing there by the kernel, which would be lost on the way back. */
static void other_exports_keep_pages_shared(void **state)
{
	struct child importer = child_start(import_and_obey, NULL);
	char *memory = map_plain(2 * PAGE);
	struct region_export *shared, *other;

	(void)state;
	fill(memory, 2 * PAGE);
	shared = export(memory, 2 * PAGE);
	assert_int_equal(attached(&importer, shared), TAKEOVER_DONE);
	assert_ok(region_export_create(memory + 8, 1, REGION_WRITE, TAKEOVER_TOO_LARGE, &other));
	region_export_destroy(shared);
	write_there(&importer, 5, 'i');
	write_there(&importer, PAGE + 5, 'x');
	assert_int_equal(memory[5], 'i');
	assert_int_equal(memory[PAGE + 5], pattern(PAGE + 5));
	region_export_destroy(other);
	write_there(&importer, 5, 'x');
	assert_int_equal(memory[5], 'i');
	child_kill(&importer);
	munmap(memory, 2 * PAGE);
}

static void the_user_may_forbid_it(void **state)
{
	struct child importer = child_start(import_and_obey, NULL);
	char *memory = map_plain(PAGE);
	struct region_export *region;

	(void)state;
	setenv("SOFTFIELD_REGION", "copy", 1);
	region = export(memory, PAGE);
	unsetenv("SOFTFIELD_REGION");
	assert_int_equal(attached(&importer, region), TAKEOVER_FORBIDDEN);
	region_export_destroy(region);
	child_kill(&importer);
	munmap(memory, PAGE);
}

/*
 * Children of the exporter
 */

/* exit status: which step was wrong */
static void live_in_copy(struct child *parent, void *arg)
{
	char *memory = arg;

	if (!is_filled(memory, 3 * PAGE))
		_exit(1);
	memset(memory, 'c', 2 * PAGE);
	child_tell(parent);
	child_await(parent); /* all has been written over there */
	for (size_t i = 0; i < 2 * PAGE; i++)
		if (memory[i] != 'c')
			_exit(2);
	for (size_t i = 2 * PAGE; i < 3 * PAGE; i++)
		if (memory[i] != pattern(i))
			_exit(3);
	_exit(0);
}

static void a_child_has_its_own(void **state)
{
	struct child importer = child_start(import_and_obey, NULL), child;
	char *memory = map_plain(3 * PAGE);
	struct region_export *region;

	(void)state;
	fill(memory, 3 * PAGE);
	region = export(memory + 100, 2 * PAGE);
	assert_int_equal(attached(&importer, region), TAKEOVER_DONE);
	child = child_start(live_in_copy, memory);
	child_await(&child);
	assert_true(is_filled(memory, 3 * PAGE));
	memset(memory, 'p', 3 * PAGE);
	assert_int_equal(read_there(&importer, 0), 'p');
	region_export_destroy(region);
	memset(memory, 'q', 3 * PAGE);
	child_tell(&child);
	assert_int_equal(child_join(&child), 0);
	child_kill(&importer);
	munmap(memory, 3 * PAGE);
}

static void try_to_write(struct child *parent, void *arg)
{
	(void)parent;
	_exit(may_write(arg) ? 1 : 0);
}

static void what_is_protected_meanwhile_stays_so(void **state)
{
	char *memory = map_plain(2 * PAGE);
	struct region_export *region = export(memory, 2 * PAGE);
	struct child child;

	(void)state;
	assert_int_equal(mprotect(memory, PAGE, PROT_READ), 0);
	child = child_start(try_to_write, memory);
	assert_int_equal(child_join(&child), 0);
	region_export_destroy(region);
	assert_int_equal(may_write(memory), 0);
	assert_int_equal(may_write(memory + PAGE), PROT_WRITE);
	munmap(memory, 2 * PAGE);
}

/* exit status: which step was wrong */
static void protect_in_vain(struct child *parent, void *arg)
{
	char *memory = map_plain(2 * PAGE);
	struct region_export *region = export(memory, 2 * PAGE);
	struct doca_log_backend *backend;

	(void)parent;
	(void)arg;
	doca_log_backend_create_with_fd_sdk(STDERR_FILENO, &backend);
	if (mprotect(memory, PAGE, PROT_READ) || !forbid_call(SYS_mprotect, EPERM))
		_exit(1);
	region_export_destroy(region);
	_exit(may_write(memory) ? 0 : 2);
}

static void it_is_told_what_cannot_be_protected_again(void **state)
{
	char said[SAID_SIZE];

	(void)state;
	listen_to(protect_in_vain, NULL, said);
	assert_non_null(strstr(said, "are not protected any more"));
}

static void destroy_and_export_again(struct child *parent, void *arg)
{
	struct region_export **region = arg;
	struct region_desc desc;

	(void)parent;
	if (region_blob_decode(region_export_blob(*region), REGION_BLOB_SIZE, &desc))
		_exit(1);
	memset((char *)(uintptr_t)desc.addr, 'c', desc.size);
	region_export_destroy(*region);
	region_export_destroy(export((char *)(uintptr_t)desc.addr, desc.size));
	_exit(0);
}

static void what_a_child_does_with_exports_stays_there(void **state)
{
	struct child importer = child_start(import_and_obey, NULL), child;
	char *memory = map_plain(2 * PAGE);
	struct region_export *region;

	(void)state;
	fill(memory, 2 * PAGE);
	region = export(memory, 2 * PAGE);
	assert_int_equal(attached(&importer, region), TAKEOVER_DONE);
	child = child_start(destroy_and_export_again, &region);
	assert_int_equal(child_join(&child), 0);
	assert_true(is_filled(memory, 2 * PAGE));
	write_there(&importer, 5, 'i');
	assert_int_equal(memory[5], 'i');
	region_export_destroy(region);
	child_kill(&importer);
	munmap(memory, 2 * PAGE);
}

/* What allocators give back is zero when they use it again. */
static void drop_and_export(struct child *parent, void *arg)
{
	struct region_pages pages;
	char *memory = arg;

	(void)parent;
	if (madvise(memory, PAGE, MADV_DONTNEED) || memory[0] || memory[PAGE - 1] ||
	    memory[PAGE] != pattern(PAGE))
		_exit(1);
	/* What the parent has exported is no obstacle here. */
	_exit(region_pages_add(&pages, memory, 2 * PAGE, TAKEOVER_DONE) != TAKEOVER_DONE);
}

static void a_childs_memory_is_plain(void **state)
{
	char *memory = map_plain(2 * PAGE);
	struct region_export *region;
	struct child child;

	(void)state;
	if (runs_under_valgrind()) /* which counts what the child leaves to the kernel */
		skip();
	fill(memory, 2 * PAGE);
	region = export(memory, 2 * PAGE);
	child = child_start(drop_and_export, memory);
	assert_int_equal(child_join(&child), 0);
	assert_true(is_filled(memory, 2 * PAGE));
	region_export_destroy(region);
	munmap(memory, 2 * PAGE);
}

/*
 * Threads
 */

struct counter {
	_Atomic uint64_t *values; /* one in each page */
	size_t count;
	atomic_bool over;
	uint64_t rounds;
};

static void *count(void *arg)
{
	struct counter *counter = arg;

	while (!atomic_load(&counter->over)) {
		for (size_t i = 0; i < counter->count; i++) {
			_Atomic uint64_t *value = &counter->values[i * PAGE / sizeof(uint64_t)];

			/* not a locked instruction: a lost write shows */
			atomic_store_explicit(value,
					      atomic_load_explicit(value, memory_order_relaxed) + 1,
					      memory_order_relaxed);
		}
		counter->rounds++;
	}
	return NULL;
}

static void no_write_of_a_thread_is_lost(void **state)
{
	const size_t size = 16 * PAGE;
	char *memory = map_plain(size);
	struct counter counter = {.values = (void *)memory, .count = 16};
	struct region_export *region;
	pthread_t thread;

	(void)state;
	if (runs_under_valgrind())
		skip();
	assert_int_equal(pthread_create(&thread, NULL, count, &counter), 0);
	for (int i = 0; i < 200; i++) {
		region = export(memory + 8, size - 16);
		region_export_destroy(region);
	}
	atomic_store(&counter.over, true);
	pthread_join(thread, NULL);
	for (size_t i = 0; i < counter.count; i++)
		assert_int_equal(counter.values[i * PAGE / sizeof(uint64_t)], counter.rounds);
	munmap(memory, size);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(both_see_what_the_other_writes),
		cmocka_unit_test(an_importer_reads_only_if_so_exported),
		cmocka_unit_test(exports_share_pages),
		cmocka_unit_test(memory_may_come_and_go),
		cmocka_unit_test(moved_memory_is_never_written_over),
		cmocka_unit_test(an_obstacle_is_told_to_the_importer),
		cmocka_unit_test(what_cannot_be_mapped_is_left_alone),
		cmocka_unit_test(other_exports_keep_pages_shared),
		cmocka_unit_test(the_user_may_forbid_it),
		cmocka_unit_test(a_child_has_its_own),
		cmocka_unit_test(what_is_protected_meanwhile_stays_so),
		cmocka_unit_test(it_is_told_what_cannot_be_protected_again),
		cmocka_unit_test(what_a_child_does_with_exports_stays_there),
		cmocka_unit_test(a_childs_memory_is_plain),
		cmocka_unit_test(no_write_of_a_thread_is_lost),
	};

	if (!process_vm_is_allowed())
		return 77; /* skipped */
	return cmocka_run_group_tests(tests, NULL, NULL);
}
