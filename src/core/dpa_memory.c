/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Lists of what is free, for each kind and each power of two. What they need to know is in front of
 * the head, where DPA code has no address.
 */
#include "core/dpa_memory.h"

#include <assert.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
#include "base/fork.h"
#include "base/list.h"
#include "base/page.h"

#define SIZES	   48	  /* powers of two */
#define LARGE_SIZE 262144 /* its pages are given to the kernel while it is free */

struct block {
	_Alignas(DPA_MEMORY_HEAD) struct block *next;
	enum dpa_memory kind;
	unsigned int order; /* so many bits has its size */
	char head[DPA_MEMORY_HEAD] __attribute__((aligned(DPA_MEMORY_HEAD)));
};

static_assert(sizeof(struct block) == 2 * DPA_MEMORY_HEAD, "the array begins behind the head");

/* Under priv_fork_hold(), so that a child of fork() finds it in order. */
static struct block *lists[DPA_MEMORY_COUNT][SIZES];

static unsigned int order_of(size_t size)
{
	return size > 1 ? 64 - (unsigned int)__builtin_clzl(size - 1) : 0;
}

static struct block *block_create(enum dpa_memory kind, unsigned int order)
{
	size_t array = ((size_t)1 << order) + DPA_MEMORY_HEAD - 1;
	size_t size = sizeof(struct block) + (array & ~(size_t)(DPA_MEMORY_HEAD - 1));
	struct block *block = aligned_alloc(DPA_MEMORY_HEAD, size);

	if (!block)
		return NULL;
	block->kind = kind;
	block->order = order;
	return block;
}

void *priv_dpa_memory_take(enum dpa_memory kind, size_t size)
{
	unsigned int order = order_of(size);
	struct block *block;

	if (order >= SIZES)
		return NULL;
	priv_fork_hold();
	block = lists[kind][order];
	if (block)
		lists[kind][order] = block->next;
	priv_fork_release();
	if (!block)
		block = block_create(kind, order);
	return block ? block->head : NULL;
}

/* What is in them is lost, and reads as zero. */
static void give_pages(const struct block *block)
{
	char *array = (char *)(block + 1), *start = page_up(array);
	char *end = page_down(array + ((size_t)1 << block->order));

	madvise(start, (size_t)(end - start), MADV_DONTNEED);
}

void priv_dpa_memory_give(void *head)
{
	struct block *block;

	if (!head)
		return;
	block = container_of(head, struct block, head);
	if ((size_t)1 << block->order >= LARGE_SIZE)
		give_pages(block);
	priv_fork_hold();
	block->next = lists[block->kind][block->order];
	lists[block->kind][block->order] = block;
	priv_fork_release();
}
