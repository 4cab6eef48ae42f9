/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Threads that put one context into work queues of their own, as programs of release 2.2 do without
 * a lock.
 */
#include "test.h"

#include <pthread.h>
#include <string.h>
#include "doca_buf_inventory.h"
#include "doca_ctx.h"
#include "doca_dma.h"
#include "doca_mmap.h"
#include "doca_workq.h"
#include "leak.h"
#include "world.h"

#define THREADS 4
#define ROUNDS	50
#define SIZE	64

static struct doca_ctx *ctx;
static pthread_barrier_t barrier;
static char memory[THREADS][2][SIZE];

struct user {
	pthread_t thread;
	struct doca_buf *src, *dst;
};

static void copy(struct doca_workq *workq, const struct user *user)
{
	struct doca_dma_job_memcpy job = {
		.base = {.type = DOCA_DMA_JOB_MEMCPY, .ctx = ctx},
		.src_buff = user->src,
		.dst_buff = user->dst,
	};
	struct doca_event event;
	void *start;

	assert_ok(doca_buf_get_head(user->dst, &start));
	assert_ok(doca_buf_set_data(user->dst, start, 0));
	assert_ok(doca_workq_submit(workq, &job.base));
	while (doca_workq_progress_retrieve(workq, &event, 0) == DOCA_ERROR_AGAIN)
		;
	assert_int_equal(event.result.u64, DOCA_SUCCESS);
}

static void *use_a_queue(void *arg)
{
	struct user *user = arg;
	struct doca_workq *workq;

	for (int i = 0; i < ROUNDS; i++) {
		pthread_barrier_wait(&barrier);
		assert_ok(doca_workq_create(1, &workq));
		assert_ok(doca_ctx_workq_add(ctx, workq));
		copy(workq, user);
		assert_ok(doca_ctx_workq_rm(ctx, workq));
		assert_ok(doca_workq_destroy(workq));
	}
	return NULL;
}

static void each_thread_has_a_queue(void **state)
{
	struct leak before = leak_count();
	struct doca_dev *dev = open_dev("03:00.0");
	struct user users[THREADS];
	struct doca_buf_inventory *inventory;
	struct doca_mmap *mmap;
	struct doca_dma *dma;
	unsigned int i;

	(void)state;
	assert_ok(doca_dma_create(&dma));
	ctx = doca_dma_as_ctx(dma);
	assert_ok(doca_ctx_dev_add(ctx, dev));
	assert_ok(doca_ctx_start(ctx));
	assert_ok(doca_mmap_create(&mmap));
	assert_ok(doca_mmap_add_dev(mmap, dev));
	assert_ok(doca_mmap_set_memrange(mmap, memory, sizeof(memory)));
	assert_ok(doca_mmap_start(mmap));
	assert_ok(doca_buf_inventory_create(2 * THREADS, &inventory));
	assert_ok(doca_buf_inventory_start(inventory));
	pthread_barrier_init(&barrier, NULL, THREADS);
	for (i = 0; i < THREADS; i++) {
		memset(memory[i][0], 'a' + (int)i, SIZE);
		assert_ok(doca_buf_inventory_buf_get_by_data(inventory, mmap, memory[i][0], SIZE,
							     &users[i].src));
		assert_ok(doca_buf_inventory_buf_get_by_addr(inventory, mmap, memory[i][1], SIZE,
							     &users[i].dst));
	}
	for (i = 0; i < THREADS; i++)
		assert_int_equal(pthread_create(&users[i].thread, NULL, use_a_queue, &users[i]), 0);
	for (i = 0; i < THREADS; i++) {
		pthread_join(users[i].thread, NULL);
		assert_memory_equal(memory[i][1], memory[i][0], SIZE);
		assert_ok(doca_buf_dec_refcount(users[i].src, NULL));
		assert_ok(doca_buf_dec_refcount(users[i].dst, NULL));
	}
	pthread_barrier_destroy(&barrier);
	assert_ok(doca_ctx_stop(ctx));
	assert_ok(doca_ctx_dev_rm(ctx, dev));
	assert_ok(doca_dma_destroy(dma));
	assert_ok(doca_buf_inventory_destroy(inventory));
	assert_ok(doca_mmap_destroy(mmap));
	assert_ok(doca_dev_close(dev));
	assert_true(leak_check(&before));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_thread_has_a_queue),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
