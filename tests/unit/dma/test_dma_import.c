/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * DMA to and from memory of another process, and exporters that go away.
 */
#include <pthread.h>
#include "allowed.h"
#include "child.h"
#include "dmatest.h"

/*
 * Memory of another process: the child exports SIZE bytes of 'c' and obeys
 */

struct description {
	char blob[512];
	size_t size;
	char *addr;
};

static void export_and_obey(struct child *parent, void *arg)
{
	const uint32_t *permissions = arg;
	struct doca_dev *dev = open_dev("b1:00.0");
	struct description description = {0};
	struct doca_mmap *mmap;
	const void *blob;
	char order = 0;

	description.addr = malloc(SIZE);
	memset(description.addr, 'c', SIZE);
	if (doca_mmap_create(&mmap) || doca_mmap_add_dev(mmap, dev) ||
	    doca_mmap_set_memrange(mmap, description.addr, SIZE) ||
	    doca_mmap_set_permissions(mmap, *permissions) || doca_mmap_start(mmap) ||
	    doca_mmap_export_pci(mmap, dev, &blob, &description.size))
		_exit(1);
	memcpy(description.blob, blob, description.size);
	child_send(parent, &description, sizeof(description));
	while (order != 'q') {
		child_receive(parent, &order, 1);
		if (order == 'd') {
			doca_mmap_destroy(mmap);
			mmap = NULL;
		}
		child_send(parent, &description.addr[SIZE - 1], 1);
	}
	if (mmap)
		doca_mmap_destroy(mmap);
	doca_dev_close(dev);
	free(description.addr);
}

static char command(struct child *child, char order)
{
	child_send(child, &order, 1);
	child_receive(child, &order, 1);
	return order;
}

struct orphaned {
	struct child parent;
	pthread_t first;
	uint32_t permissions;
};

static void *outlive_first_thread(void *arg)
{
	struct orphaned *orphaned = arg;

	pthread_join(orphaned->first, NULL);
	export_and_obey(&orphaned->parent, &orphaned->permissions);
	_exit(0);
}

static void end_first_thread(struct child *parent, void *arg)
{
	static struct orphaned orphaned;
	pthread_t thread;

	orphaned = (struct orphaned){*parent, pthread_self(), *(const uint32_t *)arg};
	if (pthread_create(&thread, NULL, outlive_first_thread, &orphaned))
		_exit(1);
	pthread_exit(NULL);
}

static struct child exporter(struct rig *rig, uint32_t permissions, struct description *description,
			     struct doca_mmap **mmap)
{
	struct child child = child_start(export_and_obey, &permissions);

	child_receive(&child, description, sizeof(*description));
	assert_ok(doca_mmap_create_from_export(NULL, description->blob, description->size, rig->dev,
					       mmap));
	return child;
}

static void end(struct rig *rig, struct doca_mmap *mmap, struct child *child)
{
	release_bufs(rig);
	assert_ok(doca_mmap_destroy(mmap));
	assert_int_equal(child_join(child), 0);
}

static void imported_memory_is_read_and_written(void **state)
{
	struct rig *rig = *state;
	struct description there;
	struct doca_mmap *mmap;
	struct child child = exporter(rig, DOCA_ACCESS_FLAG_PCI_READ_WRITE, &there, &mmap);
	struct doca_task *task;

	task = new_task(rig, buf_of(rig, mmap, there.addr, SIZE, SIZE), target(rig, 0, SIZE), 1);
	assert_ok(doca_task_try_submit(task));
	progress(rig);
	assert_int_equal(rig->done, 1);
	for (size_t i = 0; i < SIZE; i++)
		assert_int_equal(rig->memory[SIZE + i], 'c');
	doca_task_free(task);
	rig->memory[0] = 'p';
	task = new_task(rig, source(rig, 0, 1), buf_of(rig, mmap, there.addr + SIZE - 1, 1, 0), 1);
	assert_ok(doca_task_try_submit(task));
	progress(rig);
	assert_int_equal(rig->done, 2);
	doca_task_free(task);
	assert_int_equal(command(&child, 'q'), 'p');
	end(rig, mmap, &child);
}

/* Its buffers are at the beginning of the map and are aimed at other parts of it later. */
static void imported_sources_may_lie_anywhere_in_their_map(void **state)
{
	struct rig *rig = *state;
	struct description there;
	struct doca_mmap *mmap;
	struct child child = exporter(rig, DOCA_ACCESS_FLAG_PCI_READ_WRITE, &there, &mmap);
	struct doca_buf *src = buf_of(rig, mmap, there.addr, 8, 0);
	struct doca_task *task = new_task(rig, src, target(rig, 0, SIZE), 1);

	assert_ok(doca_buf_set_data(src, there.addr + SIZE - 100, 100));
	assert_ok(doca_task_submit(task));
	progress(rig);
	assert_int_equal(rig->done, 1);
	for (size_t i = 0; i < 100; i++)
		assert_int_equal(rig->memory[SIZE + i], 'c');
	assert_ok(doca_buf_set_data(src, there.addr + SIZE - 100, 101));
	assert_ok(doca_task_submit(task));
	progress(rig);
	assert_int_equal(rig->failed, 1);
	assert_err(rig->status, INVALID_VALUE);
	assert_int_equal(rig->memory[SIZE + 100], 0);
	doca_task_free(task);
	command(&child, 'q');
	end(rig, mmap, &child);
}

/* Source and destination both lie over there: through our own memory, in many pieces. */
static void imported_memory_is_copied_within(void **state)
{
	struct rig *rig = *state;
	struct description there;
	struct doca_mmap *mmap;
	struct child child = exporter(rig, DOCA_ACCESS_FLAG_PCI_READ_WRITE, &there, &mmap);
	struct doca_buf *far = buf_of(rig, mmap, there.addr, MIB, 0);
	struct doca_task *tasks[3];

	tasks[0] = new_task(rig, source(rig, 0, MIB), far, 1);
	tasks[1] = new_task(rig, far, buf_of(rig, mmap, there.addr + SIZE - MIB, MIB, 0), 2);
	tasks[2] = new_task(rig, buf_of(rig, mmap, there.addr + SIZE - MIB, MIB, MIB),
			    target(rig, 0, MIB), 3);
	for (int i = 0; i < 3; i++)
		assert_ok(doca_task_submit(tasks[i]));
	progress(rig);
	assert_int_equal(rig->order, 123);
	assert_int_equal(rig->done, 3);
	expect_copy(rig, 0, 0, MIB);
	for (int i = 0; i < 3; i++)
		doca_task_free(tasks[i]);
	command(&child, 'q');
	end(rig, mmap, &child);
}

static void read_only_exports_are_not_written(void **state)
{
	struct rig *rig = *state;
	struct description there;
	struct doca_mmap *mmap;
	struct child child = exporter(rig, DOCA_ACCESS_FLAG_PCI_READ_ONLY, &there, &mmap);
	struct doca_task *task;

	task = new_task(rig, source(rig, 0, 1), buf_of(rig, mmap, there.addr + SIZE - 1, 1, 0), 1);
	assert_err(doca_task_try_submit(task), INVALID_VALUE);
	assert_ok(doca_task_submit(task));
	progress(rig);
	assert_int_equal(rig->failed, 1);
	assert_int_equal(rig->status, DOCA_ERROR_NOT_PERMITTED);
	doca_task_free(task);
	assert_int_equal(command(&child, 'q'), 'c');
	end(rig, mmap, &child);
}

static void destroyed_exports_fail_in_the_middle(void **state)
{
	struct rig *rig = *state;
	struct description there;
	struct doca_mmap *mmap;
	struct child child = exporter(rig, DOCA_ACCESS_FLAG_PCI_READ_WRITE, &there, &mmap);
	struct doca_task *task;

	task = new_task(rig, buf_of(rig, mmap, there.addr, SIZE, SIZE), target(rig, 0, SIZE), 1);
	assert_ok(doca_task_submit(task));
	assert_int_equal(doca_pe_progress(rig->pe), 0); /* a third of it */
	command(&child, 'd');
	progress(rig);
	assert_int_equal(rig->failed, 1);
	assert_int_equal(rig->status, DOCA_ERROR_IO_FAILED);
	doca_task_free(task);
	command(&child, 'q');
	end(rig, mmap, &child);
}

/* pthread_exit() in main() */
static void the_first_thread_of_an_exporter_may_end(void **state)
{
	struct rig *rig = *state;
	uint32_t permissions = DOCA_ACCESS_FLAG_PCI_READ_WRITE;
	struct child child;
	struct description there;
	struct doca_mmap *mmap;
	struct doca_task *tasks[2];

#ifdef __SANITIZE_THREAD__
	skip(); /* it does not know a first thread that ends */
#endif
	child = child_start(end_first_thread, &permissions);
	child_receive(&child, &there, sizeof(there));
	assert_ok(doca_mmap_create_from_export(NULL, there.blob, there.size, rig->dev, &mmap));
	rig->memory[0] = 'p';
	tasks[0] = new_task(rig, buf_of(rig, mmap, there.addr, 8, 8), target(rig, 0, 8), 1);
	tasks[1] =
		new_task(rig, source(rig, 0, 1), buf_of(rig, mmap, there.addr + SIZE - 1, 1, 0), 2);
	for (int i = 0; i < 2; i++)
		assert_ok(doca_task_submit(tasks[i]));
	progress(rig);
	assert_int_equal(rig->done, 2);
	for (int i = 0; i < 2; i++)
		doca_task_free(tasks[i]);
	assert_int_equal(command(&child, 'q'), 'p');
	end(rig, mmap, &child);
}

static void dead_exporters_fail_the_task(void **state)
{
	struct rig *rig = *state;
	struct description there;
	struct doca_mmap *mmap;
	struct child child = exporter(rig, DOCA_ACCESS_FLAG_PCI_READ_WRITE, &there, &mmap);
	struct doca_task *task;

	child_kill(&child);
	task = new_task(rig, source(rig, 0, 8), buf_of(rig, mmap, there.addr, 8, 0), 1);
	assert_ok(doca_task_submit(task));
	progress(rig);
	assert_int_equal(rig->failed, 1);
	assert_int_equal(rig->status, DOCA_ERROR_IO_FAILED);
	doca_task_free(task);
	release_bufs(rig);
	assert_ok(doca_mmap_destroy(mmap));
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
	const struct CMUnitTest tests[] = {
		TEST(imported_memory_is_read_and_written),
		TEST(imported_sources_may_lie_anywhere_in_their_map),
		TEST(imported_memory_is_copied_within),
		TEST(read_only_exports_are_not_written),
		TEST(destroyed_exports_fail_in_the_middle),
		TEST(the_first_thread_of_an_exporter_may_end),
		TEST(dead_exporters_fail_the_task),
	};

	if (!process_vm_is_allowed())
		return 77; /* skipped */
	return cmocka_run_group_tests(tests, NULL, NULL);
}
