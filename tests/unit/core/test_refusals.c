/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What is refused because of the state that an object is in: the log says which one, and why.
 */
#include "memtest.h"

#include "doca_buf_array.h"
#include "doca_buf_pool.h"
#include "doca_log.h"
#include "doca_pe.h"
#include "doca_sync_event.h"
#include "said.h"

static char memory[256];

static void listen(void)
{
	struct doca_log_backend *backend;

	assert_ok(doca_log_backend_create_with_fd_sdk(STDERR_FILENO, &backend));
	assert_ok(doca_log_backend_set_sdk_level(backend, DOCA_LOG_LEVEL_DEBUG));
}

static void misuse_buffers(struct child *parent, void *arg)
{
	struct doca_buf_inventory *inventory = started_inventory(1);
	struct doca_mmap *map = started_mmap(memory, sizeof(memory));
	struct doca_buf *buf, *copy;

	(void)parent;
	(void)arg;
	listen();
	assert_ok(doca_buf_inventory_buf_get_by_addr(inventory, map, memory, 1, &buf));
	assert_ok(doca_buf_inventory_stop(inventory));
	assert_err(doca_buf_inventory_expand(inventory, 1), BAD_STATE);
	assert_err(doca_buf_inventory_buf_dup(inventory, buf, &copy), BAD_STATE);
	assert_ok(doca_buf_dec_refcount(buf, NULL));
	assert_err(doca_buf_dec_refcount(buf, NULL), BAD_STATE);
	assert_err(doca_buf_inc_refcount(buf, NULL), BAD_STATE);
	assert_err(doca_buf_inventory_buf_dup(inventory, buf, &copy), BAD_STATE);
	assert_err(doca_buf_inventory_buf_reuse_by_addr(buf, memory, 1), BAD_STATE);
}

static void buffers_tell_that_they_were_given_back(void **state)
{
	char said[SAID_SIZE];

	(void)state;
	listen_to(misuse_buffers, NULL, said);
	assert_int_equal(said_count(said, "buffer inventory cannot be expanded: it is not started"),
			 1);
	assert_int_equal(said_count(said, "the inventory is not started"), 1);
	assert_int_equal(said_count(said, "is used after it was given back"), 4);
}

static void misuse_pools(struct child *parent, void *arg)
{
	struct doca_mmap *map;
	struct doca_buf_pool *pool;
	struct doca_buf *buf;
	void *addr;
	size_t len;

	(void)parent;
	(void)arg;
	listen();
	assert_ok(doca_mmap_create(&map));
	assert_err(doca_mmap_get_memrange(map, &addr, &len), BAD_STATE);
	assert_ok(doca_mmap_set_memrange(map, memory, sizeof(memory)));
	assert_ok(doca_buf_pool_create(1, 8, map, &pool));
	assert_err(doca_buf_pool_start(pool), BAD_STATE);
	assert_err(doca_buf_pool_buf_alloc(pool, &buf), BAD_STATE);
	assert_ok(doca_mmap_start(map));
	assert_ok(doca_buf_pool_start(pool));
	assert_err(doca_buf_pool_set_element_alignment(pool, 8), BAD_STATE);
}

static void pools_tell_what_is_not_started(void **state)
{
	char said[SAID_SIZE];

	(void)state;
	listen_to(misuse_pools, NULL, said);
	assert_non_null(strstr(said, "has no memory, see doca_mmap_set_memrange()"));
	assert_non_null(strstr(said, "buffer pool cannot start: its memory map is not started"));
	assert_non_null(strstr(said, "no buffer of a pool: it is not started"));
	assert_non_null(strstr(said, "buffer pool cannot be changed: it is started"));
}

static void misuse_events(struct child *parent, void *arg)
{
	struct doca_dev *dev = open_dev("03:00.0");
	struct doca_sync_event *event;
	uint64_t value;

	(void)parent;
	(void)arg;
	listen();
	assert_ok(doca_sync_event_create(&event));
	assert_ok(doca_sync_event_add_publisher_location_cpu(event, dev));
	assert_ok(doca_sync_event_add_subscriber_location_cpu(event, dev));
	assert_err(doca_sync_event_stop(event), BAD_STATE);
	assert_err(doca_sync_event_get(event, &value), BAD_STATE);
	assert_ok(doca_sync_event_start(event));
	assert_err(doca_sync_event_start(event), BAD_STATE);
	assert_err(doca_sync_event_set_addr(event, &value), BAD_STATE);
}

static void events_tell_whether_they_are_started(void **state)
{
	char said[SAID_SIZE];

	(void)state;
	listen_to(misuse_events, NULL, said);
	assert_int_equal(said_count(said, "sync event cannot be stopped: it is not started"), 1);
	assert_int_equal(said_count(said, "sync event cannot be used: it is not started"), 1);
	assert_int_equal(said_count(said, "sync event cannot be changed or started: it is started"),
			 2);
}

static void misuse_an_array(struct child *parent, void *arg)
{
	struct doca_buf_arr *array;
	uint64_t handle;

	(void)parent;
	(void)arg;
	listen();
	assert_ok(doca_buf_arr_create(1, &array));
	assert_err(doca_buf_arr_get_dpa_handle(array, &handle), BAD_STATE);
}

static void arrays_tell_that_they_are_not_started(void **state)
{
	char said[SAID_SIZE];

	(void)state;
	listen_to(misuse_an_array, NULL, said);
	assert_non_null(strstr(said, "buffer array has no handle for DPA code"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(buffers_tell_that_they_were_given_back),
		cmocka_unit_test(pools_tell_what_is_not_started),
		cmocka_unit_test(events_tell_whether_they_are_started),
		cmocka_unit_test(arrays_tell_that_they_are_not_started),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
